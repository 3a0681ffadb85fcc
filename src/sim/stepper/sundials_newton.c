/* Newton's matrix I - gamma J of BDF. Where theta' is v, which it is for all but joints with quaternions, theta goes
 * out by hand: with delta theta = b + gamma delta v the system is one for the rest, half as large,
 *
 *     (I - gamma J_rr - gamma^2 J_rt J_tr) x_r = b_r + gamma J_rt b_t.
 *
 * On what is only summed up, the work, nothing depends. */
#include "sim/stepper/sundials_common.h"

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pn_newton {
    int n, nv, count; /* of y, of theta; of what stays in the system */
    double gamma;
    double *J;       /* [n][n] columns: d rates by each of y */
    double *C;       /* [count][n] columns of the system, then its factors */
    double *b;       /* [n] */
    int *stays;      /* [n] which of y it is about */
    int *pivot;      /* [n] */
    unsigned char *out; /* [nv] this theta is not */
};

static void newton_free(pn_newton *x)
{
    if (!x) return;
    free(x->J);
    free(x->stays);
    free(x->out);
    free(x);
}

static pn_newton *newton_new(int n, int nv)
{
    const size_t size = (size_t)n;
    pn_newton *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    *x = (pn_newton){.n = n, .nv = nv};
    x->J = calloc((2 * size + 1) * size + 1, sizeof *x->J);
    x->stays = calloc(2 * size + 1, sizeof *x->stays);
    x->out = calloc((size_t)nv + 1, sizeof *x->out);
    if (x->J && x->stays && x->out) {
        x->C = x->J + size * size;
        x->b = x->C + size * size;
        x->pivot = x->stays + n;
        return x;
    }
    newton_free(x);
    return NULL;
}

/* ---------------------------------------------------------------------------------------------
 * The matrix */

#define SMALL 1e-3 /* rad/s, m/s, rad, m: differences at rest are those of what is as large */

/* J by differences, as long as CVODE has them, and what of it is left to solve. Its own shrink with the rates: where
 * all is at rest but for rounding they would be differences of that. */
static int find_jacobian(pn_sundials *d, double t, N_Vector y, N_Vector rates, N_Vector weights, N_Vector more)
{
    pn_newton *x = d->newton;
    const int n = x->n, depends = 2 * x->nv + d->s->system.nx;
    double *at = N_VGetArrayPointer(y), h = 0;
    const double *now = N_VGetArrayPointer(rates), *w = N_VGetArrayPointer(weights), *next = N_VGetArrayPointer(more);
    if (CVodeGetErrWeights(d->mem, weights) < 0 || CVodeGetCurrentStep(d->mem, &h) < 0) return -1;
    const double size = N_VWrmsNorm(rates, weights),
                 least = size > 0 ? 1000 * fabs(h) * DBL_EPSILON * n * size : 1;
    memset(x->J, 0, (size_t)n * (size_t)n * sizeof *x->J);
    for (int j = 0; j < depends; j++) {
        double *column = x->J + (size_t)j * (size_t)n;
        const double here = at[j], step = fmax(sqrt(DBL_EPSILON) * fmax(fabs(here), SMALL), least / w[j]);
        at[j] = here + step;
        const int flag = pn_sundials_rates(t, y, more, d);
        at[j] = here;
        if (flag != 0) return flag;
        for (int i = 0; i < n; i++) column[i] = (next[i] - now[i]) / step;
    }

    for (int k = 0; k < x->nv; k++) {
        int plain = 1;
        for (int j = 0; j < depends && plain; j++) plain = x->J[j * n + k] == 0 || j == x->nv + k;
        x->out[k] = (unsigned char)plain;
    }
    x->count = 0;
    for (int i = 0; i < n; i++)
        if (i >= x->nv || !x->out[i]) x->stays[x->count++] = i;
    return 0;
}

int pn_newton_system(realtype t, N_Vector y, N_Vector rates, SUNMatrix A, booleantype keeps, booleantype *found,
                     realtype gamma, void *user, N_Vector weights, N_Vector more, N_Vector unused)
{
    pn_sundials *d = user;
    pn_newton *x = d->newton;
    const int n = x->n;
    (void)A;
    (void)unused;
    *found = !keeps;
    x->gamma = gamma;
    if (!keeps) {
        const int flag = find_jacobian(d, t, y, rates, weights, more);
        if (flag != 0) return flag;
    }
    for (int b = 0; b < x->count; b++) {
        const int of = x->stays[b], k = of - x->nv;
        const double *J = x->J + (size_t)of * (size_t)n;
        const int joins = k >= 0 && k < x->nv && x->out[k];
        const double *theta = joins ? x->J + (size_t)k * (size_t)n : J, part = joins ? gamma * J[k] : 0;
        double *C = x->C + (size_t)b * (size_t)x->count;
        for (int a = 0; a < x->count; a++) C[a] = -gamma * (J[x->stays[a]] + part * theta[x->stays[a]]);
        C[b] += 1;
    }
    return 0;
}

/* ---------------------------------------------------------------------------------------------
 * The solver: Gauss by columns, with pivots */

static int newton_setup(SUNLinearSolver solver, SUNMatrix A)
{
    pn_newton *x = solver->content;
    const int n = x->count;
    (void)A;
    for (int k = 0; k < n; k++) {
        double *column = x->C + (size_t)k * (size_t)n;
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(column[i]) > fabs(column[best])) best = i;
        x->pivot[k] = best;
        if (column[best] == 0 || !isfinite(column[best])) return k + 1;
        for (int j = 0; j < n && best != k; j++) {
            double *other = x->C + (size_t)j * (size_t)n;
            const double value = other[k];
            other[k] = other[best];
            other[best] = value;
        }
        for (int i = k + 1; i < n; i++) column[i] /= column[k];
        for (int j = k + 1; j < n; j++) {
            double *restrict other = x->C + (size_t)j * (size_t)n;
            const double *restrict from = column, part = other[k];
            for (int i = k + 1; i < n && part != 0; i++) other[i] -= part * from[i];
        }
    }
    return 0;
}

static int newton_solve(SUNLinearSolver solver, SUNMatrix A, N_Vector to, N_Vector from, realtype tolerance)
{
    const pn_newton *x = solver->content;
    const int n = x->count;
    const double *rhs = N_VGetArrayPointer(from);
    double *restrict b = x->b, *y = N_VGetArrayPointer(to);
    (void)A;
    (void)tolerance;
    for (int i = 0; i < x->n; i++) b[i] = rhs[i]; /* `to` may be `from` */
    for (int k = 0; k < x->nv; k++) {
        const double *J = x->J + (size_t)k * (size_t)x->n, part = x->gamma * rhs[k];
        for (int i = x->nv; i < x->n && x->out[k]; i++) b[i] += part * J[i];
        for (int i = 0; i < x->nv && x->out[k]; i++)
            if (!x->out[i]) b[i] += part * J[i];
    }
    for (int i = 0; i < x->nv; i++) y[i] = b[i];
    for (int a = 0; a < n; a++) b[a] = b[x->stays[a]];
    for (int k = 0; k < n; k++) {
        const double value = b[x->pivot[k]];
        b[x->pivot[k]] = b[k];
        b[k] = value;
    }
    for (int k = 0; k < n; k++) {
        const double *restrict C = x->C + (size_t)k * (size_t)n;
        for (int i = k + 1; i < n; i++) b[i] -= b[k] * C[i];
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *restrict C = x->C + (size_t)k * (size_t)n;
        b[k] /= C[k];
        for (int i = 0; i < k; i++) b[i] -= b[k] * C[i];
    }
    for (int a = 0; a < n; a++) y[x->stays[a]] = b[a];
    for (int k = 0; k < x->nv; k++)
        if (x->out[k]) y[k] += x->gamma * x->J[(size_t)(x->nv + k) * (size_t)x->n + (size_t)k] * y[x->nv + k];
    return 0;
}

static SUNLinearSolver_Type newton_type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int newton_close(SUNLinearSolver solver)
{
    newton_free(solver->content);
    solver->content = NULL;
    SUNLinSolFreeEmpty(solver);
    return 0;
}

SUNLinearSolver pn_newton_solver(pn_sundials *d)
{
    SUNLinearSolver solver = SUNLinSolNewEmpty(d->context);
    pn_newton *x = newton_new(d->s->n, d->s->system.nv);
    if (!solver || !x) {
        if (solver) SUNLinSolFreeEmpty(solver);
        newton_free(x);
        return NULL;
    }
    solver->content = d->newton = x;
    solver->ops->gettype = newton_type;
    solver->ops->setup = newton_setup;
    solver->ops->solve = newton_solve;
    solver->ops->free = newton_close;
    return solver;
}
