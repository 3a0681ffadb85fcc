// examples/ilqr.c as it is, with every joint independent and its steps timed: ilqr DESCRIPTION STATES MODEL fixed|free.
// With PEER_DYNAMICS forward dynamics and its derivatives are another library's, in Pinion's coordinates; peer_ilqr is
// its main then.
#include <pinion/pinion.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

static double spent; // s, on steps

#ifdef PEER_DYNAMICS
int peer_forward_dynamics(const void *m, void *w, const double *q, const double *v, const double *tau,
                          const double *f_ext, double *a);
int peer_d_forward_dynamics(const void *m, void *w, const double *q, const double *v, const double *tau,
                            const double *f_ext, double *dq, double *dv, double *dtau);

// v' = v + dt a, q' = q (+) dt v', whose change is T dq + S dv'
static pinion_status any_step(const pinion_model *m, pinion_work *w, double dt, const double *q, const double *v,
                              const double *tau, double *q_out, double *v_out, double *A, double *B)
{
    enum { MOST = 64 };
    static double a[MOST], d[3][MOST * MOST], T[MOST * MOST], S[MOST * MOST];
    const int n = pinion_model_nv(m);
    if (n > MOST || peer_forward_dynamics(m, w, q, v, tau, NULL, a) ||
        peer_d_forward_dynamics(m, w, q, v, tau, NULL, d[0], d[1], d[2]))
        return PINION_ERR_ARGUMENT;
    for (int i = 0; i < n; i++) v_out[i] = v[i] + dt * a[i];
    pinion_status status = pinion_integrate(m, q, v_out, dt, q_out);
    if (!status) status = pinion_d_integrate(m, v_out, dt, T, S);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[(n + i) * 2 * n + j] = dt * d[0][i * n + j];
            A[(n + i) * 2 * n + n + j] = (i == j) + dt * d[1][i * n + j];
            B[(n + i) * n + j] = dt * d[2][i * n + j];
            A[i * 2 * n + j] = T[i * n + j];
            A[i * 2 * n + n + j] = B[i * n + j] = 0;
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const double x = S[i * n + k];
            for (int j = 0; x != 0 && j < 2 * n; j++) A[i * 2 * n + j] += x * A[(n + k) * 2 * n + j];
            for (int j = 0; x != 0 && j < n; j++) B[i * n + j] += x * B[(n + k) * n + j];
        }
    return status;
}
#endif

static pinion_status timed_step(const pinion_model *m, pinion_work *w, pinion_step_method method, double dt,
                                int passive, const double *q, const double *v, const double *tau, const double *f_ext,
                                double *q_out, double *v_out, double *A, double *B)
{
    const clock_t begin = clock();
#ifdef PEER_DYNAMICS
    (void)method, (void)passive, (void)f_ext;
    const pinion_status status = any_step(m, w, dt, q, v, tau, q_out, v_out, A, B);
#else
    const pinion_status status = pinion_d_step(m, w, method, dt, passive, q, v, tau, f_ext, q_out, v_out, A, B);
#endif
    spent += (double)(clock() - begin) / CLOCKS_PER_SEC;
    return status;
}

#define pinion_d_step timed_step
#define main example
#include "../../examples/ilqr.c"
#undef main

int peer_ilqr(const char *path, const char *base);
int peer_ilqr(const char *path, const char *base)
{
    pinion_error err;
    pinion_load_options options = pinion_load_options_default();
    const int flying = strcmp(base, "free") == 0;
    options.mimic = PINION_MIMIC_INDEPENDENT;
    options.root = flying ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
    const int good = run(pinion_load(path, &options, &err), flying);
    printf("%.3g ms for steps\n", 1e3 * spent);
    return !good;
}

#ifndef PEER_DYNAMICS
int main(int argc, char **argv)
{
    return argc == 5 ? peer_ilqr(argv[3], argv[4]) : 1;
}
#endif
