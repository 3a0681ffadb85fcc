/* How hard PD controllers may brake that are asked now and then, and how hard they do. */
#include "pinion/sim/gains.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pinion/loops.h"

#define CALM 0.5 /* of a velocity in one period that the gains of all joints together take, unless they are given */
#define ROUNDING 1e-9

/* ---------------------------------------------------------------------------------------------
 * The answer of velocities to gains */

/* Of each velocity that actuators drive what its kd takes of it in a period, for kd = 1: by itself, and the most with
 * the same of all others. M^-1 is that of the mechanism, where loops are closed. */
typedef struct answers {
    double *alone, *all, *inverse; /* [nv] twice, [nv][nv] */
} answers;

/* M^-1 of a tree becomes that of the mechanism, whose loops stay closed. */
static pinion_status close_loops(const pinion_model *m, pinion_work *w, const double *q, double *inverse)
{
    const size_t nv = (size_t)pinion_model_nv(m), rows = (size_t)pinion_model_row_count(m);
    double *memory = malloc((rows * nv + 2 * nv) * sizeof *memory), *tree = memory + rows * nv, *y = tree + nv;
    const pinion_constraints at = {.L = memory};
    const pinion_status status = memory ? pinion_constraints_at(m, w, 0, q, NULL, &at) : PINION_ERR_MEMORY;
    for (size_t i = 0; i < nv && memory; i++) tree[i] = inverse[i * nv + i];
    for (size_t k = 0; k < rows && status == PINION_OK; k++) {
        const double *L = memory + k * nv;
        double left = 0, whole = 0;
        for (size_t i = 0; i < nv; i++) {
            y[i] = 0;
            for (size_t j = 0; j < nv; j++) y[i] += inverse[i * nv + j] * L[j];
            left += y[i] * L[i];
            whole += tree[i] * L[i] * L[i];
        }
        if (!(left > ROUNDING * whole)) continue; /* it follows from others */
        for (size_t i = 0; i < nv; i++)
            for (size_t j = 0; j < nv; j++) inverse[i * nv + j] -= y[i] * y[j] / left;
    }
    for (size_t i = 0; i < nv && status == PINION_OK; i++) /* what loops hold does not move */
        if (inverse[i * nv + i] < ROUNDING * tree[i])
            for (size_t j = 0; j < nv; j++) inverse[i * nv + j] = inverse[j * nv + i] = 0;
    free(memory);
    return status;
}

/* `all` is a bound of the sum, since in units of the roots of its diagonal M^-1 has entries up to 1. With loops every
 * velocity counts: what is asked of joints without an actuator reaches the others through them. */
static pinion_status find_answers(const pinion_model *m, double period, const double *q, answers *x)
{
    const int loops = pinion_model_loop_count(m) > 0;
    const size_t nv = (size_t)pinion_model_nv(m), nu = (size_t)pinion_model_actuator_count(m);
    pinion_work *w = pinion_work_new(m);
    double *B = malloc((nv * nu + 1) * sizeof *B);
    x->alone = calloc(nv * (nv + 2) + 1, sizeof *x->alone);
    x->all = x->alone + nv;
    x->inverse = x->all + nv;
    pinion_status status = w && B && x->alone ? pinion_mass_matrix_inverse(m, w, q, x->inverse) : PINION_ERR_MEMORY;
    if (status == PINION_OK) status = pinion_actuation_matrix(m, w, q, B);
    if (status == PINION_OK && loops) status = close_loops(m, w, q, x->inverse);
    for (size_t i = 0; i < nv && status == PINION_OK; i++) {
        int driven = loops;
        for (size_t j = 0; j < nu; j++) driven = driven || B[i * nu + j] != 0;
        x->alone[i] = driven ? period * x->inverse[i * nv + i] : 0;
    }
    for (size_t i = 0; i < nv && status == PINION_OK; i++)
        for (size_t j = 0; j < nv && x->alone[i] > 0; j++)
            if (x->alone[j] > 0)
                x->all[i] += fmin(x->alone[i],
                                  period * fabs(x->inverse[i * nv + j]) * sqrt(x->alone[i] / x->alone[j]));
    free(B);
    pinion_work_free(w);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Braking */

pinion_braking pinion_control_braking(const pinion_sim_options *o)
{
    const int fixed = pinion_integrator_is_fixed(o->integrator), held = o->sample > 0;
    return (pinion_braking){.period = held ? o->sample : fixed ? o->step : 0,
                            .most = !held && o->integrator == PINION_INTEGRATOR_RK4 ? 2.78 : 2};
}

/* The largest eigenvalue of period M^-1 Kd, by powers of it; negative when memory ran out. */
static double strongest(int n, double period, const double *inverse, const double *kd)
{
    double *x = malloc((2 * (size_t)n + 1) * sizeof *x), *y = x + n, size = 0;
    if (!x) return -1;
    for (int i = 0; i < n; i++) x[i] = 1 + 0.3 * sin(i);
    for (int pass = 0; pass < 200; pass++) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int j = 0; j < n; j++) y[i] += sqrt(kd[i]) * inverse[i * n + j] * sqrt(kd[j]) * x[j];
            sum += y[i] * y[i];
        }
        size = sqrt(sum);
        for (int i = 0; i < n; i++) x[i] = size > 0 ? y[i] / size : 0;
    }
    free(x);
    return period * size;
}

pinion_status pinion_pd_braking(const pinion_model *m, const pinion_sim_options *o, const double *q, const double *kd,
                                pinion_braking *out)
{
    if (!m || !o || !q || !kd || !out) return PINION_ERR_ARGUMENT;
    *out = pinion_control_braking(o);
    if (out->period == 0) return PINION_OK;
    const int nv = pinion_model_nv(m);
    answers x;
    pinion_status status = find_answers(m, out->period, q, &x);
    if (status == PINION_OK && pinion_model_loop_count(m) > 0) {
        out->velocity = -1;
        out->taken = strongest(nv, out->period, x.inverse, kd);
        if (out->taken < 0) status = PINION_ERR_MEMORY;
    } else {
        for (int i = 0; i < nv && status == PINION_OK; i++) {
            if (!(kd[i] * x.alone[i] > out->taken)) continue;
            out->taken = kd[i] * x.alone[i];
            out->velocity = i;
        }
    }
    free(x.alone);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Gains that nobody gave */

/* "wrist_1 100 and 3.32", behind what is there. */
static void name_gains(const pinion_model *m, int velocity, double kp, double kd, char *text, size_t size)
{
    char name[400];
    const size_t used = strlen(text);
    pinion_coordinate_name(m, "v", velocity, name, sizeof name);
    snprintf(text + used, size - used, "%s%.80s %.3g and %.3g", used ? ", " : "", name + 2, kp, kd);
}

pinion_status pinion_pd_gains(const pinion_model *m, const pinion_sim_options *o, const double *q, double *kp,
                              double *kd, char *lowered, size_t size)
{
    enum { NAMED = 3 };
    if (!m || !q || !kp || !kd || (lowered && size == 0)) return PINION_ERR_ARGUMENT;
    const double period = o ? pinion_control_braking(o).period : 0;
    answers x = {NULL, NULL, NULL};
    const pinion_status status = period > 0 ? find_answers(m, period, q, &x) : PINION_OK;
    int count = 0;
    if (lowered) *lowered = '\0';
    for (int i = 0; i < pinion_model_nv(m) && status == PINION_OK; i++) {
        const int own_kd = !isnan(kd[i]), own_kp = !isnan(kp[i]);
        if (!own_kd) kd[i] = PINION_DEFAULT_KD;
        if (!own_kp) kp[i] = PINION_DEFAULT_KP;
        if (period == 0 || own_kd || !(kd[i] * x.all[i] > CALM)) continue;
        const double inertia = period / x.alone[i];
        kd[i] = CALM / x.all[i];
        if (!own_kp) kp[i] = fmin(kp[i], kd[i] * kd[i] / (4 * inertia));
        if (count++ < NAMED && lowered) name_gains(m, i, kp[i], kd[i], lowered, size);
    }
    if (count > NAMED && lowered) {
        const size_t used = strlen(lowered);
        snprintf(lowered + used, size - used, " and %d more", count - NAMED);
    }
    free(x.alone);
    return status;
}
