/* Joints that stick in closed loops. The loops answer a force along a joint linearly, so that with y what holds, each
 * by the root of its friction, the rates of the joints that stick are
 *
 *     W y + r = 0,    W = D K D',    r = D a + D' v,
 *
 * with K the answer of accelerations to forces (stiction_answer.c, or the solver of the loops itself), and D the rates
 * of the joints by v, both scaled by the same root. In a loop several joints stick as one: W is singular, and how much
 * each of them holds is not determined. It does not matter while all stay within their friction: the least y shares
 * the load, joints that turn alike by alike parts of what they can give. One that has no more to give gives that,
 * while the others hold on. Where a law of time moves a joint, nothing can hold it, and it slides. */
#include "sim/run/driver.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "sim/ik/ik.h"

/* Of the largest singular value of W: joints that stick as one. Or of the rates without what holds: friction has no
 * say, as where a rocker turns around. */
#define SINGULAR 1e-9
#define ROUNDING 1e-13
#define STANDS 1e-8   /* of the largest rate without what holds: one that is rounding */
#define KEPT 1e-7     /* of how a joint answers alone: it answers no more where others keep it */

/* By which forces and rates are scaled. */
static double size_of(const pn_stiction *x, int i)
{
    return sqrt(fmax(x->positive[i], x->negative[i]));
}

static double *row(double *A, const pn_stiction *x, int i)
{
    return A + (size_t)i * (size_t)x->nv;
}

/* The rate of a joint at accelerations, but for drift. */
static double along(pn_stiction *x, int i, const double *a)
{
    return x->v[i] < x->nv ? a[x->v[i]] : pn_dot(x->nv, row(x->D, x, i), a);
}

pinion_status pn_stiction_rows(pn_stiction *x, const pinion_model *m, pinion_work *w, const double *q)
{
    pinion_status status = PINION_OK;
    if (!x->loops) return status;
    memset(x->D, 0, (size_t)x->count * (size_t)x->nv * sizeof *x->D);
    memset(x->x, 0, (size_t)x->loop_nv * sizeof *x->x);
    for (int i = 0; i < x->count && status == PINION_OK; i++) {
        const int v = x->v[i];
        if (v < x->nv) {
            row(x->D, x, i)[v] = 1;
            continue;
        }
        x->x[v - x->nv] = 1;
        status = pinion_loop_active_forces(m, w, q, NULL, x->x, 0, row(x->D, x, i), NULL);
        x->x[v - x->nv] = 0;
    }
    return status;
}

/* (dD/dt) v of a joint. */
static pinion_status drift(pn_stiction *x, const pn_stiction_state *at, int i, double *out)
{
    *out = 0;
    if (x->v[i] < x->nv) return PINION_OK;
    memset(x->x, 0, (size_t)x->loop_nv * sizeof *x->x);
    x->x[x->v[i] - x->nv] = 1;
    const pinion_status status =
        pinion_d_loop_active_forces(at->m, at->w, at->q, NULL, x->x, 0, x->factor, NULL);
    for (int k = 0; k < x->nv && status == PINION_OK; k++)
        *out += at->v[k] * pn_dot(x->nv, row(x->factor, x, k), at->v);
    return status;
}

static pinion_status answer(pn_stiction *x, const pn_stiction_state *at, double *a, double *power)
{
    return pn_loops_accelerate(x->loops, at->m, at->w, at->t, at->q, at->v, x->tau, at->f_ext, a, power);
}

/* x->h is the answer to x->tau, x->drift the rates r without D a, x->M is W */
pinion_status pn_stiction_respond(pn_stiction *x, const pn_stiction_state *at)
{
    const int nv = x->nv, count = x->count;
    double power;
    int clear = 0;
    pinion_status status = answer(x, at, x->h, &power);
    if (status == PINION_OK) status = pn_stiction_answer(x, at, &clear);
    for (int i = 0; i < count && status == PINION_OK; i++) {
        double *R = row(x->R, x, i);
        const double *D = row(x->D, x, i), size = size_of(x, i);
        x->rested[i] = x->mode[i] == 0;
        if (!x->rested[i]) continue; /* it slides: its friction is in tau */
        status = drift(x, at, i, &x->drift[i]);
        for (int k = 0; k < nv && clear; k++) R[k] = size * along(x, i, x->answer.K + k * nv);
        if (clear) continue;
        for (int k = 0; k < nv; k++) x->tau[k] += size * D[k];
        if (status == PINION_OK) status = answer(x, at, R, &power);
        for (int k = 0; k < nv; k++) x->tau[k] -= size * D[k];
        for (int k = 0; k < nv; k++) R[k] -= x->h[k];
    }
    for (int i = 0; i < count && status == PINION_OK; i++)
        for (int j = 0; j <= i; j++)
            if (x->rested[i] && x->rested[j])
                x->M[i * count + j] = x->M[j * count + i] =
                    0.5 * (size_of(x, i) * along(x, i, row(x->R, x, j)) + size_of(x, j) * along(x, j, row(x->R, x, i)));
    return status;
}

/* The rate of a joint at accelerations, scaled. */
static double rate_at(pn_stiction *x, int i, const double *a)
{
    return size_of(x, i) * (along(x, i, a) + x->drift[i]);
}

/* The least y of the n joints in x->free, which stick, in x->x: their rates without it are -x->rhs, of which `most` is
 * the largest. */
static void hold_still(pn_stiction *x, int n, double most)
{
    double *U = x->U, *s = x->a, size = 0, answer = 0;
    for (int i = 0; i < n; i++) size = fmax(size, size_of(x, x->free[i]));
    for (int k = 0; k < x->nv; k++) answer = fmax(answer, fabs(x->h[k]));
    const double least = fmax(SINGULAR * most / (x->ratio * size), ROUNDING * size * answer);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) x->factor[i * n + j] = x->M[x->free[i] * x->count + x->free[j]];
    double trace = 0;
    for (int i = 0; i < n; i++) trace += x->factor[i * (n + 1)];
    if (pn_stiction_least(x, n, x->factor, fmax(SINGULAR * trace, least), x->rhs, x->x)) return;
    pn_svd(n, n, x->factor, U, s);
    for (int i = 0; i < n; i++) x->x[i] = 0;
    for (int k = 0; k < n && s[k] > fmax(SINGULAR * s[0], least); k++) {
        const double part = pn_dot(n, U + k * n, x->rhs) / s[k];
        for (int i = 0; i < n; i++) x->x[i] += part * x->factor[k * n + i];
    }
}

/* The joints that stick, in x->free. */
static int list_sticking(pn_stiction *x)
{
    int n = 0;
    for (int i = 0; i < x->count; i++)
        if (x->mode[i] == 0) x->free[n++] = i;
    return n;
}

pinion_status pn_stiction_solve(pn_stiction *x, double *a)
{
    const int nv = x->nv, n = list_sticking(x);
    double most = 0;
    memcpy(x->sum, x->h, (size_t)nv * sizeof *x->h);
    for (int i = 0; i < x->count; i++) {
        const double part = x->force[i] / size_of(x, i);
        for (int k = 0; k < nv && part != 0; k++) x->sum[k] += part * row(x->R, x, i)[k];
    }
    for (int i = 0; i < x->count; i++)
        if (x->rested[i]) most = fmax(most, fabs(rate_at(x, i, x->sum)));
    for (int i = 0; i < n; i++) x->rhs[i] = -rate_at(x, x->free[i], x->sum);
    hold_still(x, n, most);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < nv; k++) x->sum[k] += x->x[i] * row(x->R, x, x->free[i])[k];
    for (int i = 0; i < n; i++) x->hold[x->free[i]] = size_of(x, x->free[i]) * x->x[i];
    for (int i = 0; i < x->count; i++) {
        x->rate[i] = x->rested[i] ? rate_at(x, i, x->sum) : 0;
        if (fabs(x->rate[i]) <= STANDS * most) x->rate[i] = 0;
        /* a law of time moves it */
        if (x->mode[i] == 0 && x->rate[i] != 0)
            x->hold[i] = copysign(10 * x->ratio * pow(size_of(x, i), 2), -x->rate[i]);
    }
    memcpy(a, x->sum, (size_t)nv * sizeof *a);
    return PINION_OK;
}

int pn_stiction_is_kept(pn_stiction *x, int i)
{
    const int n = list_sticking(x);
    const double *W = x->M + (size_t)i * (size_t)x->count;
    double left = W[i];
    for (int k = 0; k < n; k++) x->rhs[k] = -W[x->free[k]];
    hold_still(x, n, 0);
    for (int k = 0; k < n; k++) left += W[x->free[k]] * x->x[k];
    return n > 0 && left < KEPT * W[i];
}

pinion_status pn_stiction_finish(pn_stiction *x, const pn_stiction_state *at, double *a, double *power)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->nv && x->mode[i] == 0; k++) x->tau[k] += x->hold[i] * row(x->D, x, i)[k];
    const pinion_status status = answer(x, at, a, power);
    for (int i = 0; i < x->count; i++)
        if (x->mode[i] == 0 && x->v[i] < x->nv) a[x->v[i]] = 0;
    return status;
}
