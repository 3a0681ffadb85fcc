/* A variational method on the joints' groups (Marsden, West 2001; on groups: Bou-Rabee, Marsden 2009). The
 * action of a step from q0 along the constant velocity xi to q1 = q0 exp(W), W = h xi, is taken at its
 * middle:
 *
 *     L_d = h L(q_m, xi),    q_m = q0 exp(W/2)
 *
 * With variations eta in the child frames, delta W = dexp^-1_{-W} eta_1 - dexp^-1_W eta_0 and eta_m =
 * Ad_{exp(-W/2)} eta_0 + dexp_{-W/2} delta W / 2. So with F = h (dL/dq + f) at the middle and P = M xi +
 * (dexp_{-W/2})' F / 2 the momenta at the two ends are
 *
 *     p_0 = (dexp^-1_W)' P - (Ad_{exp(-W/2)})' F,    p_1 = (dexp^-1_{-W})' P
 *
 * The first is solved for xi. In these velocities dL/dq = C' xi - (ad_xi)' M xi - gravity, with a Coriolis
 * matrix C for which dM/dt - 2 C is skew. Rotors on joints of several degrees of freedom have no part in
 * C, that is, they turn without gyroscopic moments; the same formula then stands for the Lagrangian force
 * and one that does no work. */
#include "sim/stepper/ends.h"
#include "sim/stepper/lie_group.h"
#include "base/lu.h"
#include "pinion/algorithms.h"
#include "pinion/elastic.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct variational_data {
    pn_ends ends;
    pinion_work *work;
    int coriolis;                                     /* the algorithm */
    int p_known;                                      /* p is the momentum at `now` */
    int *pivot;                                       /* [nv] */
    double *p;                                        /* [nv] momentum at `now` */
    double *xi, *W, *P, *F, *residual, *step, *other; /* [nv] */
    double *taken;                                    /* [nv] by how much xi was changed last */
    double *summed;                                   /* [nv] size of what the residual is the sum of */
    double *scale;                                    /* [nv] of the coordinates at the beginning */
    double *scratch;                                  /* [2 nv] */
    double *M, *C, *J;                                /* [nv][nv]; J is factored */
    double *z, *zdot;                                 /* [nz] at the middle; z as the rates at the beginning lead */
    double *numbers;
} variational_data;

/* ---------------------------------------------------------------------------------------------
 * Making one */

static void variational_close(pn_stepper *s)
{
    variational_data *d = s->data;
    if (d) {
        pinion_work_free(d->work);
        free(d->pivot);
        free(d->numbers);
    }
    free(d);
    s->data = NULL;
}

static pinion_status variational_open(pn_stepper *s)
{
    const size_t n = (size_t)s->n, nv = (size_t)s->system.nv, nz = (size_t)s->system.nz;
    variational_data *d = calloc(1, sizeof *d);
    s->data = d;
    if (!d) return PINION_ERR_MEMORY;

    d->coriolis = pinion_algorithm_default(PINION_PROBLEM_CORIOLIS, s->system.m);
    if (d->coriolis < 0)
        return pn_stepper_fail(s, PINION_ERR_UNSUPPORTED,
                               pinion_model_elastic_count(s->system.m)
                                   ? "variational: the model has elastic links, whose Coriolis matrix is not computed; "
                                     "expected another integrator"
                                   : "variational: no algorithm gives the Coriolis matrix of this model");

    d->work = pinion_work_new(s->system.m);
    d->pivot = calloc(nv + 1, sizeof *d->pivot);
    double *x = d->numbers = calloc(4 * n + 13 * nv + 2 * nz + 3 * nv * nv + 1, sizeof *x);
    if (!d->work || !d->pivot || !x) return PINION_ERR_MEMORY;
    pn_ends_open(s, &d->ends, x);
    x += 4 * n;
    double **const vectors[] = {&d->p,        &d->xi,   &d->W,     &d->P,      &d->F,
                                &d->residual, &d->step, &d->other, &d->summed, &d->scale,
                                &d->taken};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++, x += nv) *vectors[i] = x;
    d->scratch = x;
    d->z = x += 2 * nv;
    d->zdot = x += nz;
    d->M = x += nz;
    d->C = x += nv * nv;
    d->J = x + nv * nv;
    return PINION_OK;
}

static pinion_status variational_start(pn_stepper *s)
{
    variational_data *d = s->data;
    pn_ends_start(s, &d->ends);
    d->p_known = 0;
    return PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * The equation of a step */

static void times(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
    }
}

static pinion_status ask(pn_stepper *s, pinion_status status, double t)
{
    if (status == PINION_OK) return PINION_OK;
    return pn_stepper_fail(s, status, "the forces cannot be computed at t = %.17g: %s", t,
                           pinion_status_text(status));
}

/* M at (t, q), factored into J; the velocity v = M^-1 p */
static pinion_status velocity_of_momentum(pn_stepper *s, double t, const double *q, const double *p,
                                          double *v)
{
    variational_data *d = s->data;
    const int nv = s->system.nv;
    const pinion_status status = ask(s, s->system.terms(s->system.user, t, q, d->xi, s->before.z, d->J, NULL, NULL), t);
    if (status != PINION_OK) return status;
    memcpy(v, p, (size_t)nv * sizeof *v);
    if (!pn_lu_factor(nv, d->J, d->pivot))
        return pn_stepper_fail(s, PINION_ERR_SINGULAR, "the mass matrix is singular at t = %.17g", t);
    pn_lu_solve(nv, d->J, d->pivot, v);
    return PINION_OK;
}

/* What is left of p_0 = ... with xi, in d->residual. Besides, M and z' at the middle,
 * (Ad_{exp(-W/2)})' F in d->F, and d->summed. */
static pinion_status equation(pn_stepper *s, double h, const double *xi)
{
    variational_data *d = s->data;
    const pn_system *m = &s->system;
    const int nv = m->nv;
    const double t = pn_time_in_step(s, s->before.t + 0.5 * h);
    double *const q = s->q, *const p = d->P, *const F = d->F, *const r = d->residual;

    for (int i = 0; i < nv; i++) d->W[i] = h * xi[i];
    if (!(pn_chart_turn(s->chart, d->W) <= PN_LARGEST_TURN))
        return pn_stepper_fail(s, PINION_ERR_STEP,
                               "a joint turns by more than half a turn in the step at t = %.17g",
                               s->before.t);

    /* at the middle: M, C, gravity, other forces */
    s->evaluations++;
    pinion_status status = pinion_integrate(m->m, s->before.q, xi, 0.5 * h, q);
    for (int i = 0; i < m->nz; i++) d->z[i] = s->before.z[i] + 0.5 * h * d->ends.f0[2 * nv + i];
    if (status == PINION_OK && m->nx > 0) {
        /* towards where they would settle by what is so at the middle */
        status = m->terms(m->user, t, q, xi, s->before.z, NULL, NULL, d->zdot);
        for (int i = 0; i < m->nx; i++)
            d->z[i] = pn_ends_lagged(s, i, 0.5 * h, s->before.z[i], s->before.z[i], d->zdot[i]);
    }
    if (status == PINION_OK) status = m->terms(m->user, t, q, xi, d->z, d->M, F, d->zdot);
    if (status == PINION_OK) status = pinion_coriolis_by(m->m, d->work, d->coriolis, q, xi, d->C);
    if (status == PINION_OK) status = pinion_gravity(m->m, d->work, q, r);
    if (status != PINION_OK) return ask(s, status, t);

    /* F = h (C' xi - (ad_xi)' M xi - gravity + f) */
    double *const sum = d->summed;
    times(nv, d->M, xi, p);
    for (int i = 0; i < nv; i++) {
        sum[i] = fabs(F[i]) + fabs(r[i]);
        F[i] -= r[i];
    }
    pn_group_coadjoint(s->chart, xi, p, r);
    for (int i = 0; i < nv; i++) {
        double velocities = -r[i];
        for (int j = 0; j < nv; j++) velocities += d->C[j * nv + i] * xi[j];
        F[i] = h * (F[i] + velocities);
        sum[i] = h * (sum[i] + fabs(velocities)) + fabs(p[i]) + fabs(d->p[i]);
    }

    /* P, then what the momentum at the beginning lacks */
    pn_group_dexp(s->chart, -0.5, d->W, F, r, d->scratch);
    for (int i = 0; i < nv; i++) p[i] += 0.5 * r[i];
    pn_group_exp(s->chart, -0.5, d->W, F, F, d->scratch);
    pn_group_dexp_inverse(s->chart, 1, d->W, p, r, d->scratch);
    for (int i = 0; i < nv; i++) r[i] -= F[i] + d->p[i];
    return pn_check_finite(s, t, r, nv);
}

/* Sizes of velocities: that of xi, what the numbers that are summed would make of it one by one, and what
 * is lost in the rounding of q. At rest, or where forces are in balance, only the last two are not 0. */
typedef struct sizes {
    double xi, summed, place;
} sizes;

static sizes sizes_of(const pn_stepper *s, double h)
{
    const variational_data *d = s->data;
    const int nv = s->system.nv;
    sizes size = {0, 0, 0};
    for (int i = 0; i < nv; i++) {
        size.xi = fmax(size.xi, fabs(d->xi[i]));
        if (d->M[i * nv + i] > 0) size.summed = fmax(size.summed, d->summed[i] / d->M[i * nv + i]);
        size.place = fmax(size.place, DBL_EPSILON * d->scale[i] / h);
    }
    return size;
}

/* The matrix of Newton's method by difference quotients: for steps so long that M alone does not lead
 * there (stiff springs and dampers). */
static pinion_status difference_matrix(pn_stepper *s, double h)
{
    variational_data *d = s->data;
    const int nv = s->system.nv;
    pinion_status status = equation(s, h, d->xi);
    if (status != PINION_OK) return status;
    const sizes size = sizes_of(s, h);
    memcpy(d->other, d->residual, (size_t)nv * sizeof(double));
    for (int j = 0; j < nv && status == PINION_OK; j++) {
        /* far enough that the forces tell the two places apart */
        const double x = d->xi[j];
        const double e = fmax(fmax(1e-7 * fmax(fabs(x), size.summed), 1e3 * size.place), DBL_MIN);
        d->xi[j] = x + e;
        status = equation(s, h, d->xi);
        for (int i = 0; i < nv; i++) d->J[i * nv + j] = (d->residual[i] - d->other[i]) / (d->xi[j] - x);
        d->xi[j] = x;
    }
    if (status != PINION_OK || pn_lu_factor(nv, d->J, d->pivot)) return status;
    return pn_stepper_fail(s, PINION_ERR_SINGULAR, "the equations of the step are singular at t = %.17g",
                           s->before.t);
}

/* the next correction of xi, with the matrix in J, and how large it is */
static double correction(pn_stepper *s)
{
    variational_data *d = s->data;
    const int nv = s->system.nv;
    double change = 0;
    memcpy(d->step, d->residual, (size_t)nv * sizeof(double));
    pn_lu_solve(nv, d->J, d->pivot, d->step);
    for (int i = 0; i < nv; i++) change = fmax(change, fabs(d->step[i]));
    return change;
}

/* Newton's method, until the corrections are rounding: below that of xi, or not shrinking any more and small
 * beside what is summed. First with M(q_m) for a matrix, which errs by O(h). Where that does not get on, by
 * difference quotients, from the velocity at the beginning, with steps no longer than makes the next one
 * shorter (the natural monotonicity test; friction near v = 0 needs it). *solved is 0 where that does not
 * lead there either. */
static pinion_status solve_step(pn_stepper *s, double h, int *solved)
{
    variational_data *d = s->data;
    const int nv = s->system.nv;
    const double *a = d->ends.f0 + nv;
    double last = INFINITY;
    int exact = 0, halved = 0;
    *solved = 0;
    for (int i = 0; i < nv; i++) d->xi[i] = s->before.v[i] + 0.5 * h * a[i];

    for (int k = 0; k < 80 && exact < 10; k++) {
        pinion_status status = equation(s, h, d->xi);
        if (status == PINION_OK && !exact) {
            memcpy(d->J, d->M, (size_t)nv * (size_t)nv * sizeof(double));
            if (!pn_lu_factor(nv, d->J, d->pivot))
                return pn_stepper_fail(s, PINION_ERR_SINGULAR, "the mass matrix is singular at t = %.17g",
                                       s->before.t);
        }
        const double change = status == PINION_OK ? correction(s) : INFINITY;
        if (status == PINION_OK) {
            const sizes size = sizes_of(s, h);
            const double rounding = 1e-11 * size.xi + 1e-12 * size.summed + 32 * size.place;
            *solved = change <= 2 * DBL_EPSILON * size.xi || (change <= rounding && change >= 0.3 * last);
            if (*solved) return PINION_OK;
        }
        if (exact && !(change < last) && halved < 8) {
            /* too far: half the way back */
            for (int i = 0; i < nv; i++) d->xi[i] += d->taken[i] *= 0.5;
            halved++;
            continue;
        }
        if (!(change < (k < 3 ? 1 : 0.3) * last)) {
            /* a better matrix; the first time also a better place */
            if (!exact) memcpy(d->xi, s->before.v, (size_t)nv * sizeof(double));
            if (exact && status != PINION_OK) return status;
            status = difference_matrix(s, h);
            if (status != PINION_OK) return status;
            exact++;
            last = INFINITY;
            continue;
        }
        for (int i = 0; i < nv; i++) d->xi[i] -= d->taken[i] = d->step[i];
        last = change;
        halved = 0;
    }
    return PINION_OK;
}

/* Solves the step to *t1. Where a force jumps in it (a damped stop is hit) the equations may have no
 * solution: then half the step is taken, or half of that, and the next ones lead back to the grid. */
static pinion_status solve_some_step(pn_stepper *s, double *t1, int *shorter)
{
    enum { HALVINGS = 12 };
    const double t0 = s->before.t, whole = *t1 - t0;
    *shorter = 0;
    for (;;) {
        int solved;
        const pinion_status status = solve_step(s, *t1 - t0, &solved);
        if (status != PINION_OK || solved) return status;
        const double half = t0 + 0.5 * (*t1 - t0);
        if (++*shorter > HALVINGS || !(half > t0)) break;
        s->refused++;
        *t1 = half;
    }
    return pn_stepper_fail(s, PINION_ERR_STEP,
                           "no solution is found for the equations of the step of %.3g s at t = %.17g, nor "
                           "for shorter ones: a force jumps there, or is too stiff",
                           whole, t0);
}

static pinion_status variational_step(pn_stepper *s, double end)
{
    variational_data *d = s->data;
    pn_ends *e = &d->ends;
    const int nv = s->system.nv;
    pn_grid grid;
    double t1;
    pinion_status status = pn_ends_begin(s, e, end, &grid, &t1);
    if (status != PINION_OK) return status;
    const double t0 = s->before.t;
    pn_chart_scale(s->chart, s->before.q, d->scale);

    if (!d->p_known) {
        status = ask(s, s->system.terms(s->system.user, t0, s->before.q, s->before.v, s->before.z, d->M, NULL, NULL),
                     t0);
        if (status != PINION_OK) return status;
        times(nv, d->M, s->before.v, d->p);
    }
    int shorter;
    status = solve_some_step(s, &t1, &shorter);
    if (status != PINION_OK) return status;
    if (shorter) grid = e->grid;
    const double h = t1 - t0;

    /* The end of the step. The two equations make p_1 = (Ad_{exp(W)})' (p_0 + (Ad_{exp(-W/2)})' F): so
     * what momentum is conserved is so to rounding, even where xi is not the last digit's. */
    status = pinion_integrate(s->system.m, s->before.q, d->xi, h, s->now.q);
    if (status != PINION_OK) return ask(s, status, t0);
    for (int i = 0; i < nv; i++) d->other[i] = d->p[i] + d->F[i];
    pn_group_exp(s->chart, 1, d->W, d->other, d->other, d->scratch);
    for (int i = 0; i < s->system.nz; i++) {
        const double z0 = s->before.z[i];
        e->y1[2 * nv + i] =
            i < s->system.nx ? pn_ends_lagged(s, i, h, z0, d->z[i], d->zdot[i]) : z0 + h * d->zdot[i];
    }
    status = velocity_of_momentum(s, pn_time_in_step(s, t1), s->now.q, d->other, s->now.v);
    if (status == PINION_OK) status = pn_ends_rates(s, e, t1);
    if (status != PINION_OK) return status;

    memcpy(d->p, d->other, (size_t)nv * sizeof(double));
    d->p_known = 1;
    pn_ends_finish(s, e, &grid, t1, end);
    return PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Dense output and memory */

static pinion_status variational_dense(pn_stepper *s, double t, double *y)
{
    const variational_data *d = s->data;
    pn_ends_dense(s, &d->ends, t, y);
    return PINION_OK;
}

static int variational_memory_size(const pn_stepper *s)
{
    return pn_ends_memory_size(s) + 1 + s->system.nv;
}

static void variational_store(pn_stepper *s, double *memory)
{
    const variational_data *d = s->data;
    pn_ends_store(s, &d->ends, memory);
    memory += pn_ends_memory_size(s);
    memory[0] = d->p_known;
    for (int i = 0; i < s->system.nv; i++) memory[1 + i] = d->p_known ? d->p[i] : 0;
}

static pinion_status variational_restore(pn_stepper *s, const double *memory)
{
    variational_data *d = s->data;
    const pinion_status status = pn_ends_restore(s, &d->ends, memory);
    if (status != PINION_OK) return status;
    memory += pn_ends_memory_size(s);
    for (int i = 0; i <= s->system.nv; i++)
        if (!isfinite(memory[i]))
            return pn_stepper_fail(s, PINION_ERR_ARGUMENT, "what was stored is not of this integrator");
    d->p_known = memory[0] != 0;
    memcpy(d->p, memory + 1, (size_t)s->system.nv * sizeof(double));
    return PINION_OK;
}

const pn_method pn_method_variational = {variational_open,  variational_close,  variational_start,
                                         variational_step,  variational_dense,  variational_memory_size,
                                         variational_store, variational_restore, NULL, NULL};
