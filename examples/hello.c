#include <stdio.h>
#include <pinion/pinion.h>

int main(int argc, char **argv)
{
    pinion_error err;
    pinion_model *m = pinion_load(argc > 1 ? argv[1] : "models/stanford.json", NULL, &err);
    if (!m) return puts(err.message), 1;
    pinion_work *w = pinion_work_new(m); /* scratch memory of one thread: after this, nothing allocates */

    double q[64], v[64], a[64], tau[64];
    if (!w || pinion_model_nq(m) > 64 || pinion_neutral(m, q)) return puts("too large for this example"), 1;
    for (int i = 0; i < pinion_model_nv(m); i++) v[i] = 0.5, a[i] = -1;

    if (pinion_inverse_dynamics(m, w, q, v, a, NULL, tau)) return puts(pinion_work_message(w)), 1;
    for (int i = 0; i < pinion_model_nv(m); i++) printf("tau[%d] = %.6f\n", i, tau[i]);

    pinion_work_free(w);
    pinion_model_free(m);
    return 0;
}
