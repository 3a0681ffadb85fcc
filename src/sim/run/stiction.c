/* Coulomb friction by modes. With s the joints that stick, a_s = 0 and
 *
 *     M_ff a_f = (tau - h)_f,    hold = M_sf a_f + h_s - tau_s,
 *
 * which stays within [-ratio friction_positive, ratio friction_negative]. Which joints at rest stick is a problem of
 * complementarity: a_i = 0 and hold_i within, or hold_i at an end and a_i in the direction in which that brakes. M is
 * positive definite, so that there is one solution; principal pivots find it, all that are wrong at once and, should
 * that go in circles, by the least index, which cannot (Murty 1974; Judice & Pires 1994 for two bounds). With closed
 * loops stiction_loops.c solves for the accelerations. */
#include "sim/run/stiction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pinion/calls.h"
#include "sim/run/driver.h"
#include "base/vec3.h"

#define BLOCKS 20   /* pivots of all that is wrong before the least index decides */
#define PIVOTS 200
enum { ENUMERATED = 7 }; /* joints at rest whose modes can all be tried */

enum { STICKS, SLIPS, COUNTS }; /* behind the modes */

/* ---------------------------------------------------------------------------------------------
 * Making one */

/* Adds up the friction of each velocity, a follower's acts through its multiplier; then that of joints that close
 * loops. */
static pinion_status collect(const pinion_model *m, double *positive, double *negative)
{
    for (int i = 0; i < pinion_model_loop_count(m); i++) {
        pinion_loop_info loop;
        const pinion_status status = pinion_model_loop(m, i, &loop);
        if (status != PINION_OK) return status;
        for (int k = 0; k < loop.joint.dof_count && loop.kind == PINION_LOOP_JOINT; k++) {
            const int v = pinion_model_nv(m) + loop.v_index + k;
            positive[v] = loop.joint.dof[k].friction_positive;
            negative[v] = loop.joint.dof[k].friction_negative;
        }
    }
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

/* Numbers that loops with so many rows take for n joints. */
static size_t answers(size_t n, size_t rows)
{
    const size_t most = rows > n ? rows : n;
    return n * n + 2 * rows * n + rows * rows + (2 * most + 1) * most;
}

static void place_answers(pn_stiction_answers *x, int rows, size_t n, double *at, int *order)
{
    const size_t count = (size_t)rows, most = count > n ? count : n;
    *x = (pn_stiction_answers){.rows = rows, .K = at, .order = order};
    x->L = x->K + n * n;
    x->Y = x->L + count * n;
    x->S = x->Y + count * n;
    x->B = x->S + count * count;
    x->G = x->B + most * most;
    x->left = x->G + most * most;
}

pinion_status pn_stiction_new(const pinion_model *m, double ratio, pn_stiction **out)
{
    const int nv = pinion_model_nv(m), all = nv + pinion_model_loop_nv(m);
    const size_t n = (size_t)all, rows = pinion_model_loop_count(m) > 0 ? n : 0;
    *out = NULL;
    pn_stiction *x = calloc(1, sizeof *x);
    const size_t ties = (size_t)pinion_model_row_count(m), most = rows > ties ? rows : ties;
    const size_t more = rows ? answers(n, ties) : 0;
    double *memory = calloc(2 * n * n + 3 * rows * n + 16 * n + COUNTS + 1 + more, sizeof *memory);
    int *indices = calloc(6 * n + 1 + most, sizeof *indices);
    pinion_status status = x && memory && indices ? PINION_OK : PINION_ERR_MEMORY;
    if (status == PINION_OK) {
        *x = (pn_stiction){.nv = nv, .loop_nv = all - nv, .v = indices, .ratio = ratio, .memory = memory};
        x->slack = rows ? 1e-9 : 1e-12;
        x->still = rows ? 1e-10 : 0;
        x->free = indices + n;
        x->pivot = x->free + n;
        x->open = x->pivot + n;
        x->rests = x->open + n;
        x->rested = x->rests + n;
        double *at = memory;
#define TAKE(name, size) (x->name = at, at += (size))
        TAKE(positive, n), TAKE(negative, n), TAKE(mode, n + COUNTS), TAKE(h, n), TAKE(x, n), TAKE(hold, n);
        TAKE(tau, n), TAKE(given, n), TAKE(force, n), TAKE(rate, n), TAKE(a, n), TAKE(first, n);
        TAKE(rhs, n), TAKE(sum, n), TAKE(drift, n), TAKE(before, n);
        TAKE(M, n * n), TAKE(factor, n * n), TAKE(D, rows * n), TAKE(R, rows * n), TAKE(U, rows * n);
#undef TAKE
        if (rows) place_answers(&x->answer, (int)ties, n, at, x->rested + n);
        status = collect(m, x->positive, x->negative);
        for (int i = 0; i < all; i++) {
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

static int slides(double mode)
{
    return mode == 1 || mode == -1;
}

/* What brakes a joint that slides in a direction. */
static double brake(const pn_stiction *x, int i, double direction)
{
    return direction > 0 ? -x->positive[i] : x->negative[i];
}

/* How fast a joint slides. */
static double speed(const pn_stiction *x, int i, const double *v)
{
    if (x->v[i] < x->nv) return v[x->v[i]];
    double sum = 0;
    for (int k = 0; k < x->nv; k++) sum += x->D[i * x->nv + k] * v[k];
    return sum;
}

void pn_stiction_load(const pn_stiction *x, const double *v, double *tau, double *power)
{
    *power = 0;
    for (int i = 0; i < x->count; i++) {
        if (x->mode[i] == 0) continue;
        const double force = brake(x, i, x->mode[i]) * (slides(x->mode[i]) ? 1 : x->ratio);
        *power += force * speed(x, i, v);
        if (x->v[i] < x->nv) tau[x->v[i]] += force;
        for (int k = 0; k < x->nv && x->v[i] >= x->nv; k++) tau[k] += force * x->D[i * x->nv + k];
    }
}

int pn_stiction_holds(const pn_stiction *x)
{
    for (int i = 0; i < x->count; i++)
        if (x->mode[i] == 0) return 1;
    return 0;
}

/* Where all that acts but friction at rest is tau: M and h, or with loops how they answer. */
static pinion_status prepare(pn_stiction *x, const pn_stiction_state *at, const double *tau)
{
    memcpy(x->tau, tau, (size_t)x->nv * sizeof *tau);
    if (x->loops) return pn_stiction_respond(x, at);
    const pinion_status status = pinion_mass_matrix(at->m, at->w, at->q, x->M);
    return status == PINION_OK ? pinion_inverse_dynamics(at->m, at->w, at->q, at->v, NULL, at->f_ext, x->h) : status;
}

/* A = L' D L of a symmetric matrix with unit L below the diagonal, in its place, from the last row on: what belongs to
 * other branches of the tree is zero, and stays it (Featherstone 2005). 0 where it is not positive definite. */
static int factor(int n, double *A, int *list)
{
    for (int k = n - 1; k >= 0; k--) {
        double *row = A + (size_t)k * (size_t)n;
        int count = 0;
        if (!(row[k] > 0)) return 0;
        for (int i = 0; i < k; i++)
            if (row[i] != 0) list[count++] = i;
        for (int i = 0; i < count; i++) {
            double *other = A + (size_t)list[i] * (size_t)n;
            const double part = row[list[i]] / row[k];
            for (int j = 0; j <= i; j++) other[list[j]] -= part * row[list[j]];
        }
        for (int i = 0; i < count; i++) row[list[i]] /= row[k];
    }
    return 1;
}

static void substitute(int n, const double *A, double *x)
{
    for (int k = n - 1; k >= 0; k--)
        for (int i = 0; i < k; i++) x[i] -= A[(size_t)k * (size_t)n + (size_t)i] * x[k];
    for (int k = 0; k < n; k++) {
        const double *row = A + (size_t)k * (size_t)n;
        x[k] = x[k] / row[k] - pn_dot(k, row, x);
    }
}

/* Accelerations and what holds, by the modes, once prepare() was called, with x->force beside it. */
static pinion_status solve(pn_stiction *x, double *a)
{
    const int nv = x->nv;
    int n = 0;
    if (x->loops) return pn_stiction_solve(x, a);
    for (int i = 0; i < nv; i++) x->a[i] = x->tau[i] - x->h[i];
    for (int k = 0; k < x->count; k++) x->a[x->v[k]] += x->force[k];
    for (int i = 0, k = 0; i < nv; i++) {
        const int rubs = k < x->count && x->v[k] == i;
        if (!(rubs && x->mode[k] == 0)) x->free[n++] = i;
        k += rubs;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) x->factor[i * n + j] = x->M[x->free[i] * nv + x->free[j]];
        x->x[i] = x->a[x->free[i]];
    }
    if (!factor(n, x->factor, x->pivot)) return PINION_ERR_SINGULAR;
    substitute(n, x->factor, x->x);
    for (int k = 0; k < x->count; k++) {
        const double *row = x->M + (size_t)x->v[k] * (size_t)nv;
        x->hold[k] = -x->a[x->v[k]];
        for (int i = 0; i < n; i++) x->hold[k] += row[x->free[i]] * x->x[i];
    }
    for (int i = 0; i < nv; i++) a[i] = 0;
    for (int i = 0; i < n; i++) a[x->free[i]] = x->x[i];
    for (int k = 0; k < x->count; k++) x->rate[k] = a[x->v[k]];
    return PINION_OK;
}

pinion_status pn_stiction_accelerate(pn_stiction *x, const pn_stiction_state *at, const double *tau, double *a,
                                     double *power)
{
    pinion_status status = prepare(x, at, tau);
    for (int i = 0; i < x->count; i++) x->force[i] = 0;
    if (status == PINION_OK) status = solve(x, a);
    return status == PINION_OK && x->loops ? pn_stiction_finish(x, at, a, power) : status;
}

void pn_stiction_margins(const pn_stiction *x, const double *v, double *out)
{
    for (int i = 0; i < x->count; i++) {
        const double least = -x->ratio * x->positive[i], most = x->ratio * x->negative[i];
        out[i] = x->mode[i] != 0 ? x->mode[i] * speed(x, i, v) + x->still
                                 : fmin(x->hold[i] - least, most - x->hold[i]) + x->slack * (most - least);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Which modes */

void pn_stiction_first(pn_stiction *x, const double *v)
{
    for (int i = 0; i < x->count; i++) x->mode[i] = (speed(x, i, v) > x->still) - (speed(x, i, v) < -x->still);
    x->mode[x->count + STICKS] = x->mode[x->count + SLIPS] = 0;
}

void pn_stiction_stop(pn_stiction *x, double *v)
{
    for (int i = 0; i < x->count; i++) {
        if (x->mode[i] * speed(x, i, v) > x->still) continue;
        if (x->v[i] < x->nv) v[x->v[i]] = 0;
        x->mode[i] = 0;
    }
}

/* The mode that a joint at rest should have by the last accelerations; the same where it is right. With a ratio the
 * friction of a joint that is about to slide is still what holds. */
static double better(const pn_stiction *x, int i)
{
    const double mode = x->mode[i];
    if (mode != 0) return mode * x->rate[i] < 0 ? 0 : mode;
    if (x->hold[i] < -x->ratio * x->positive[i] * (1 + x->slack)) return 1;
    return x->hold[i] > x->ratio * x->negative[i] * (1 + x->slack) ? -1 : 0;
}

/* Goes to the accelerations of the modes, with `part` of its friction where a joint that is open slides; *wrong if one
 * of them is, which is then another: the first of them, or with `all` each. */
static pinion_status pivot(pn_stiction *x, double part, int all, int *wrong)
{
    *wrong = 0;
    for (int i = 0; i < x->count; i++)
        x->force[i] = x->given[i] + (x->open[i] && x->mode[i] != 0 ? part * brake(x, i, x->mode[i]) : 0);
    const pinion_status status = solve(x, x->a);
    for (int i = 0; i < x->count && status == PINION_OK && !(*wrong && !all); i++) {
        const double mode = x->open[i] ? better(x, i) : x->mode[i];
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
static pinion_status agree(pn_stiction *x, double *before)
{
    memset(x->given, 0, (size_t)x->count * sizeof *x->given);
    memcpy(before, x->mode, (size_t)x->count * sizeof *before);
    pinion_status status = complement(x, 1, PIVOTS);
    if (status == PINION_ERR_CONVERGENCE) status = enumerate(x);
    if (status != PINION_ERR_CONVERGENCE) return status;
    memcpy(x->mode, before, (size_t)x->count * sizeof *before);
    return PINION_OK;
}

pinion_status pn_stiction_choose(pn_stiction *x, const pn_stiction_state *at, const double *tau)
{
    pinion_status status = prepare(x, at, tau);
    memset(x->given, 0, (size_t)x->count * sizeof *x->given);
    for (int i = 0; i < x->count; i++) x->open[i] = x->rests[i] = x->mode[i] == 0;

    /* those that break away slide from then on, and what that leaves to the others is looked at again */
    for (int more = 1; more && status == PINION_OK;) {
        status = complement(x, x->ratio, 100000);
        more = 0;
        for (int i = 0; i < x->count && status == PINION_OK; i++) {
            if (!x->open[i] || x->mode[i] == 0 || (x->loops && pn_stiction_is_kept(x, i))) continue;
            x->open[i] = 0;
            x->given[i] = brake(x, i, x->mode[i]);
            more = x->ratio > 1;
        }
    }
    for (int i = 0; i < x->count; i++) {
        if (x->open[i] && x->loops) x->mode[i] *= 2; /* what is not to slide has no more to give */
        x->open[i] = x->rests[i];
    }
    if (status == PINION_OK && x->ratio > 1 && !x->loops) status = agree(x, x->first);
    for (int i = 0; i < x->count && status == PINION_OK; i++) {
        x->mode[x->count + STICKS] += slides(x->before[i]) && !slides(x->mode[i]);
        x->mode[x->count + SLIPS] += !slides(x->before[i]) && slides(x->mode[i]);
    }
    return status;
}

void pinion_sim_sticks(const pinion_sim *s, long *sticks, long *slips)
{
    const pn_stiction *x = s ? s->plant.stiction : NULL;
    if (sticks) *sticks = x ? (long)x->mode[x->count + STICKS] : 0;
    if (slips) *slips = x ? (long)x->mode[x->count + SLIPS] : 0;
}
