/* A robot's own code behind the library's calls: generated, compiled by the system's C compiler, checked against the
 * kernels, loaded. Where there is no compiler, the kernels go on doing the work. */
#include <math.h>
#include <stdio.h>
#include <pinion/pinion.h>

enum { MOST = 64 };

int main(int argc, char **argv)
{
    pinion_error err;
    pinion_model *m = pinion_load(argc > 1 ? argv[1] : "models/puma560-corke.json", NULL, &err);
    if (!m) return puts(err.message), 1;
    pinion_work *w = pinion_work_new(m);
    double q[MOST], v[MOST], a[MOST], tau[2][MOST];
    const int nv = pinion_model_nv(m);
    if (!w || pinion_model_nq(m) > MOST || pinion_random(m, 1, q)) return puts("too large for this example"), 1;
    for (int i = 0; i < nv; i++) v[i] = 0.5, a[i] = -1;
    if (pinion_inverse_dynamics(m, w, q, v, a, NULL, tau[0])) return puts(pinion_work_message(w)), 1;

    /* what the robot's own function takes */
    pinion_codegen_options what = pinion_codegen_options_default();
    pinion_compile_options how = pinion_compile_options_default();
    what.what = "inverse_dynamics";
    how.cache = ""; /* keep nothing; by default what was compiled once is found again */
    pinion_compiled *code = pinion_codegen_compile(m, &what, &how, &err);
    if (!code) printf("the kernels stay: %s\n", err.message);
    if (code) {
        pinion_generated_function f;
        if (pinion_generated_function_info(pinion_compiled_code(code), 0, &f)) return 1;
        printf("%s: %.0f multiplications and %.0f additions, of %.0f and %.0f\n", f.name, f.operations.mul,
               f.operations.add, f.general.mul, f.general.add);
    }

    /* the same call, with the code behind it */
    if (pinion_work_use(w, code) || pinion_inverse_dynamics(m, w, q, v, a, NULL, tau[1])) return 1;
    double worst = 0, largest = 0;
    for (int i = 0; i < nv; i++) {
        worst = fmax(worst, fabs(tau[1][i] - tau[0][i]));
        largest = fmax(largest, fabs(tau[0][i]));
    }
    printf("largest force %.6g, largest difference %.1e\n", largest, worst);

    pinion_work_free(w);
    pinion_compiled_free(code);
    pinion_model_free(m);
    return worst <= 1e-13 * largest ? 0 : 1;
}
