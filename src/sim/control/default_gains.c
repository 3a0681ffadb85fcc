#include "sim/control/default_gains.h"

#include <math.h>
#include <stdlib.h>

#include "pinion/loops.h"

#define CALM 0.5 /* of a velocity in one period that the gains of all joints together take, unless they are given */
#define ROUNDING 1e-9

double pn_gains_period(const pinion_sim_options *o)
{
    return o->sample > 0 ? o->sample : pinion_integrator_is_fixed(o->integrator) ? o->step : 0;
}

/* M^-1 of a tree becomes that of the mechanism, whose loops stay closed. */
static pinion_status close_loops(const pinion_model *m, pinion_work *w, const double *q, const double *v,
                                 double *inverse)
{
    const size_t nv = (size_t)pinion_model_nv(m), rows = (size_t)pinion_model_row_count(m);
    double *L = malloc((rows * (nv + 1) + 2 * nv) * sizeof *L), *tree = L + rows * (nv + 1), *y = tree + nv;
    const pinion_constraints at = {.L = L, .c = L + rows * nv};
    const pinion_status status = L ? pinion_constraints_at(m, w, 0, q, v, &at) : PINION_ERR_MEMORY;
    for (size_t i = 0; i < nv && L; i++) tree[i] = inverse[i * nv + i];
    for (size_t k = 0; k < rows && status == PINION_OK; k++, L += nv) {
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
    free((void *)at.L);
    return status;
}

/* `all` is a bound of the sum, since in units of the roots of its diagonal M^-1 has entries up to 1. With loops every
 * velocity counts: what is asked of joints without an actuator reaches the others through them. */
pinion_status pn_gains_answers(const pinion_model *m, const double *q, const double *v, double period, double *alone,
                               double *all, double *inverse)
{
    const int loops = pinion_model_loop_count(m) > 0;
    const size_t nv = (size_t)pinion_model_nv(m), nu = (size_t)pinion_model_actuator_count(m);
    pinion_work *w = pinion_work_new(m);
    double *B = malloc((nv * nu + 1) * sizeof *B);
    pinion_status status = w && B ? pinion_mass_matrix_inverse(m, w, q, inverse) : PINION_ERR_MEMORY;
    if (status == PINION_OK) status = pinion_actuation_matrix(m, w, q, B);
    if (status == PINION_OK && loops) status = close_loops(m, w, q, v, inverse);
    for (size_t i = 0; i < nv; i++) {
        int driven = loops;
        for (size_t j = 0; j < nu && status == PINION_OK; j++) driven = driven || B[i * nu + j] != 0;
        alone[i] = driven && status == PINION_OK ? period * inverse[i * nv + i] : 0;
    }
    for (size_t i = 0; i < nv; i++) {
        all[i] = 0;
        for (size_t j = 0; j < nv && alone[i] > 0; j++)
            if (alone[j] > 0)
                all[i] += fmin(alone[i], period * fabs(inverse[i * nv + j]) * sqrt(alone[i] / alone[j]));
    }
    free(B);
    pinion_work_free(w);
    return status;
}

int pn_gains_settle(int nv, double period, const double *alone, const double *all, double *kp, double *kd,
                    unsigned char *lowered)
{
    int count = 0;
    for (int i = 0; i < nv; i++) {
        const int own_kd = !isnan(kd[i]), own_kp = !isnan(kp[i]);
        if (!own_kd) kd[i] = PN_DEFAULT_KD;
        if (!own_kp) kp[i] = PN_DEFAULT_KP;
        lowered[i] = all && !own_kd && kd[i] * all[i] > CALM;
        if (!lowered[i]) continue;
        const double inertia = period / alone[i];
        kd[i] = CALM / all[i];
        if (!own_kp) kp[i] = fmin(kp[i], kd[i] * kd[i] / (4 * inertia));
        count++;
    }
    return count;
}
