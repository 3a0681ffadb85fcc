/* Coulomb friction by modes. With s the joints that stick, a_s = 0 and
 *
 *     M_ff a_f = (tau - h)_f,    hold = M_sf a_f + h_s - tau_s,
 *
 * which stays within [-ratio friction_positive, ratio friction_negative]. Which joints at rest stick is a problem of
 * complementarity: a_i = 0 and hold_i within, or hold_i at an end and a_i in the direction in which that brakes. M is
 * positive definite, so that there is one solution; principal pivots find it, all that are wrong at once and, should
 * that go in circles, by the least index, which cannot (Murty 1974; Judice & Pires 1994 for two bounds). */
#include "sim/run/stiction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pinion/calls.h"
#include "sim/run/driver.h"
#include "sim/stepper/lu.h"

#define SLACK 1e-12 /* of friction: what holds may exceed it by rounding */
#define BLOCKS 20   /* pivots of all that is wrong before the least index decides */
#define PIVOTS 200
enum { ENUMERATED = 7 }; /* joints at rest whose modes can all be tried */

enum { STICKS, SLIPS, COUNTS }; /* behind the modes */

/* ---------------------------------------------------------------------------------------------
 * Making one */

/* Adds up the friction of each velocity; a follower's acts through its multiplier. */
static pinion_status collect(const pinion_model *m, double *positive, double *negative)
{
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        const pinion_status status = pinion_model_joint(m, i, &joint);
        if (status != PINION_OK) return status;
        const double factor = fabs(joint.multiplier);
        for (int k = 0; k < joint.dof_count && joint.v_source >= 0; k++) {
            const pinion_dof *dof = &joint.dof[k];
            const int back = joint.multiplier < 0, v = joint.v_source + k;
            positive[v] += factor * (back ? dof->friction_negative : dof->friction_positive);
            negative[v] += factor * (back ? dof->friction_positive : dof->friction_negative);
        }
    }
    return PINION_OK;
}

pinion_status pn_stiction_new(const pinion_model *m, double ratio, pn_stiction **out)
{
    const int nv = pinion_model_nv(m);
    const size_t n = (size_t)nv;
    *out = NULL;
    pn_stiction *x = calloc(1, sizeof *x);
    double *memory = calloc(2 * n * n + 10 * n + COUNTS + 1, sizeof *memory);
    int *indices = calloc(5 * n + 1, sizeof *indices);
    pinion_status status = x && memory && indices ? PINION_OK : PINION_ERR_MEMORY;
    if (status == PINION_OK) {
        *x = (pn_stiction){.nv = nv, .v = indices, .ratio = ratio, .memory = memory};
        x->free = indices + nv;
        x->pivot = x->free + nv;
        x->open = x->pivot + nv;
        x->rests = x->open + nv;
        x->positive = memory;
        x->negative = x->positive + n;
        x->mode = x->negative + n;
        x->h = x->mode + n + COUNTS;
        x->x = x->h + n;
        x->hold = x->x + n;
        x->tau = x->hold + n;
        x->acts = x->tau + n;
        x->a = x->acts + n;
        x->first = x->a + n;
        x->M = x->first + n;
        x->factor = x->M + n * n;
        status = collect(m, x->positive, x->negative);
        for (int i = 0; i < nv; i++) {
            if (!(x->positive[i] > 0 || x->negative[i] > 0)) continue;
            x->positive[x->count] = x->positive[i];
            x->negative[x->count] = x->negative[i];
            x->v[x->count++] = i;
        }
        if (status == PINION_OK && x->count > 0) {
            *out = x;
            return status;
        }
    }
    free(indices);
    free(memory);
    free(x);
    return status;
}

void pn_stiction_free(pn_stiction *x)
{
    if (!x) return;
    free(x->v);
    free(x->memory);
    free(x);
}

/* ---------------------------------------------------------------------------------------------
 * At a state */

/* What brakes a joint that slides in a direction. */
static double brake(const pn_stiction *x, int i, double direction)
{
    return direction > 0 ? -x->positive[i] : x->negative[i];
}

void pn_stiction_load(const pn_stiction *x, const double *v, double *tau, double *power)
{
    *power = 0;
    for (int i = 0; i < x->count; i++) {
        if (x->mode[i] == 0) continue;
        const double force = brake(x, i, x->mode[i]);
        tau[x->v[i]] += force;
        *power += force * v[x->v[i]];
    }
}

int pn_stiction_holds(const pn_stiction *x)
{
    for (int i = 0; i < x->count; i++)
        if (x->mode[i] == 0) return 1;
    return 0;
}

/* M and h at a state. */
static pinion_status prepare(pn_stiction *x, const pinion_model *m, pinion_work *w, const double *q, const double *v,
                             const double *f_ext)
{
    const pinion_status status = pinion_mass_matrix(m, w, q, x->M);
    return status == PINION_OK ? pinion_inverse_dynamics(m, w, q, v, NULL, f_ext, x->h) : status;
}

/* Accelerations and what holds, by the modes, once prepare() was called. */
static pinion_status solve(pn_stiction *x, const double *tau, double *a)
{
    const int nv = x->nv;
    int n = 0;
    for (int i = 0; i < nv; i++) a[i] = 0;
    for (int i = 0, k = 0; i < nv; i++) {
        const int rubs = k < x->count && x->v[k] == i;
        if (!(rubs && x->mode[k] == 0)) x->free[n++] = i;
        k += rubs;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) x->factor[i * n + j] = x->M[x->free[i] * nv + x->free[j]];
        x->x[i] = tau[x->free[i]] - x->h[x->free[i]];
    }
    if (!pn_lu_factor(n, x->factor, x->pivot)) return PINION_ERR_SINGULAR;
    pn_lu_solve(n, x->factor, x->pivot, x->x);
    for (int i = 0; i < n; i++) a[x->free[i]] = x->x[i];
    for (int k = 0; k < x->count; k++) {
        const double *row = x->M + (size_t)x->v[k] * (size_t)nv;
        x->hold[k] = x->h[x->v[k]] - tau[x->v[k]];
        for (int i = 0; i < n; i++) x->hold[k] += row[x->free[i]] * x->x[i];
    }
    return PINION_OK;
}

pinion_status pn_stiction_accelerate(pn_stiction *x, const pinion_model *m, pinion_work *w, const double *q,
                                     const double *v, const double *tau, const double *f_ext, double *a)
{
    const pinion_status status = prepare(x, m, w, q, v, f_ext);
    return status == PINION_OK ? solve(x, tau, a) : status;
}

void pn_stiction_margins(const pn_stiction *x, const double *v, double *out)
{
    for (int i = 0; i < x->count; i++) {
        const double least = -x->ratio * x->positive[i], most = x->ratio * x->negative[i];
        out[i] = x->mode[i] != 0 ? x->mode[i] * v[x->v[i]]
                                 : fmin(x->hold[i] - least, most - x->hold[i]) + SLACK * (most - least);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Which modes */

void pn_stiction_first(pn_stiction *x, const double *v)
{
    for (int i = 0; i < x->count; i++) x->mode[i] = (v[x->v[i]] > 0) - (v[x->v[i]] < 0);
    x->mode[x->count + STICKS] = x->mode[x->count + SLIPS] = 0;
}

void pn_stiction_stop(pn_stiction *x, double *v)
{
    for (int i = 0; i < x->count; i++) {
        if (x->mode[i] * v[x->v[i]] > 0) continue;
        v[x->v[i]] = 0;
        x->mode[i] = 0;
    }
}

/* The mode that a joint at rest should have by the last accelerations; the same where it is right. With a ratio the
 * friction of a joint that is about to slide is still what holds. */
static double better(const pn_stiction *x, int i, const double *a)
{
    const double mode = x->mode[i], rate = a[x->v[i]];
    if (mode != 0) return mode * rate < 0 ? 0 : mode;
    if (x->hold[i] < -x->ratio * x->positive[i] * (1 + SLACK)) return 1;
    return x->hold[i] > x->ratio * x->negative[i] * (1 + SLACK) ? -1 : 0;
}

/* Goes to the accelerations of the modes, with `part` of its friction where a joint that is open slides; *wrong if one
 * of them is, which is then another: the first of them, or with `all` each. */
static pinion_status pivot(pn_stiction *x, double part, int all, int *wrong)
{
    *wrong = 0;
    for (int i = 0; i < x->nv; i++) x->tau[i] = x->acts[i];
    for (int i = 0; i < x->count; i++)
        if (x->open[i] && x->mode[i] != 0) x->tau[x->v[i]] += part * brake(x, i, x->mode[i]);
    const pinion_status status = solve(x, x->tau, x->a);
    for (int i = 0; i < x->count && status == PINION_OK && !(*wrong && !all); i++) {
        const double mode = x->open[i] ? better(x, i, x->a) : x->mode[i];
        *wrong = *wrong || mode != x->mode[i];
        x->mode[i] = mode;
    }
    return status;
}

/* The complementarity problem over those joints at rest that are open. PINION_ERR_CONVERGENCE where `most` pivots do
 * not solve it. */
static pinion_status complement(pn_stiction *x, double part, long most)
{
    for (long round = 0; round < most; round++) {
        int wrong;
        const pinion_status status = pivot(x, part, round < BLOCKS, &wrong);
        if (status != PINION_OK || !wrong) return status;
    }
    return PINION_ERR_CONVERGENCE;
}

/* All modes that the joints at rest may have, one after the other, until some agree with their accelerations. */
static pinion_status enumerate(pn_stiction *x)
{
    int count = 0;
    for (int i = 0; i < x->count; i++) count += x->open[i];
    if (count > ENUMERATED) return PINION_ERR_CONVERGENCE;
    long all = 1;
    for (int k = 0; k < count; k++) all *= 3;
    for (long number = 0; number < all; number++) {
        long left = number;
        int wrong;
        for (int i = 0; i < x->count; i++) {
            if (!x->open[i]) continue;
            x->mode[i] = (double)(left % 3 == 2 ? -1 : left % 3);
            left /= 3;
        }
        const pinion_status status = pivot(x, 1, 0, &wrong);
        if (status != PINION_OK || !wrong) return status;
    }
    return PINION_ERR_CONVERGENCE;
}

/* Where more holds than brakes, those that break away change what the others must hold: once it is clear which do, all
 * modes must agree with what brakes as they slide. There may be no such modes; then those of before stay, and the
 * motion tells. */
static pinion_status agree(pn_stiction *x, const double *tau, double *before)
{
    memcpy(x->acts, tau, (size_t)x->nv * sizeof *tau);
    memcpy(before, x->mode, (size_t)x->count * sizeof *before);
    pinion_status status = complement(x, 1, PIVOTS);
    if (status == PINION_ERR_CONVERGENCE) status = enumerate(x);
    if (status != PINION_ERR_CONVERGENCE) return status;
    memcpy(x->mode, before, (size_t)x->count * sizeof *before);
    return PINION_OK;
}

pinion_status pn_stiction_choose(pn_stiction *x, const pinion_model *m, pinion_work *w, const double *q,
                                 const double *v, const double *tau, const double *f_ext, const double *before)
{
    pinion_status status = prepare(x, m, w, q, v, f_ext);
    memcpy(x->acts, tau, (size_t)x->nv * sizeof *tau);
    for (int i = 0; i < x->count; i++) x->open[i] = x->rests[i] = x->mode[i] == 0;

    /* those that break away slide from then on, and what that leaves to the others is looked at again */
    for (int more = 1; more && status == PINION_OK;) {
        status = complement(x, x->ratio, 100000);
        more = 0;
        for (int i = 0; i < x->count && status == PINION_OK; i++) {
            if (!x->open[i] || x->mode[i] == 0) continue;
            x->open[i] = 0;
            x->acts[x->v[i]] += brake(x, i, x->mode[i]);
            more = x->ratio > 1;
        }
    }
    for (int i = 0; i < x->count; i++) x->open[i] = x->rests[i];
    if (status == PINION_OK && x->ratio > 1) status = agree(x, tau, x->first);
    for (int i = 0; i < x->count && status == PINION_OK; i++) {
        x->mode[x->count + STICKS] += before[i] != 0 && x->mode[i] == 0;
        x->mode[x->count + SLIPS] += before[i] == 0 && x->mode[i] != 0;
    }
    return status;
}

void pinion_sim_sticks(const pinion_sim *s, long *sticks, long *slips)
{
    const pn_stiction *x = s ? s->plant.stiction : NULL;
    if (sticks) *sticks = x ? (long)x->mode[x->count + STICKS] : 0;
    if (slips) *slips = x ? (long)x->mode[x->count + SLIPS] : 0;
}
