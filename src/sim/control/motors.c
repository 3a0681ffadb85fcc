/* Accelerations through actuators: with a = a_0 + P u, where a_0 is the acceleration without them and P what each adds,
 *
 *     (B' P) u = B' (a_wanted - a_0).
 *
 * P = M^-1 B for a tree. Then a is the nearest to a_wanted in the norm of M that u can make, by Gauss's principle, and
 * what B reaches is exact: partial feedback linearization of the actuated coordinates (Spong 1994). */
#include "sim/control/motors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pinion/calls.h"
#include "pinion/loops.h"

#define REACHED 1e-13   /* of the joint forces: what is left of them is rounding */
#define DEPENDENT 1e-12 /* of the largest pivot: a smaller one is rounding */

struct pn_motors {
    const pinion_model *m;
    pinion_work *w;
    pinion_allocation *allocation;
    int nv, nu, looped;
    int complete; /* without a list, every coordinate has its own actuator: nothing is out of reach */
    double *memory;          /* of the arrays that follow */
    double *tau, *rest;      /* [nv] */
    double *free, *more;     /* [nv] accelerations */
    double *B, *P, *S, *rhs; /* [nv][nu], [nv][nu], [nu][nu], [nu] */
    double *inverse;         /* [nv][nv] */
    int *order;              /* [nu] */
};

pn_motors *pn_motors_new(const pinion_model *m, int accelerates)
{
    pn_motors *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->m = m;
    x->nv = pinion_model_nv(m);
    x->nu = pinion_model_actuator_count(m);
    x->looped = pinion_model_loop_count(m) > 0;
    x->complete = !pinion_model_actuators_listed(m) && x->nu == x->nv;
    const size_t nv = (size_t)x->nv, nu = (size_t)x->nu;
    const size_t matrices = accelerates && !x->complete ? 2 * nv * nu + nu * nu + nv * nv : 0;
    x->w = pinion_work_new(m);
    x->allocation = pinion_allocation_new(m);
    x->memory = malloc((4 * nv + nu + matrices + 1) * sizeof *x->memory);
    x->order = malloc((nu + 1) * sizeof *x->order);
    if (!x->w || !x->allocation || !x->memory || !x->order) {
        pn_motors_free(x);
        return NULL;
    }
    x->tau = x->memory;
    x->rest = x->tau + nv;
    x->free = x->rest + nv;
    x->more = x->free + nv;
    x->rhs = x->more + nv;
    if (!matrices) return x;
    x->B = x->rhs + nu;
    x->P = x->B + nv * nu;
    x->S = x->P + nv * nu;
    x->inverse = x->S + nu * nu;
    return x;
}

void pn_motors_free(pn_motors *x)
{
    if (!x) return;
    pinion_work_free(x->w);
    pinion_allocation_free(x->allocation);
    free(x->memory);
    free(x->order);
    free(x);
}

pinion_status pn_motors_force(pn_motors *x, const double *q, const double *tau, int limit, double *u)
{
    return pinion_allocation_forces(x->allocation, q, tau, limit, u, NULL);
}

pinion_status pn_motors_torque(pn_motors *x, const double *q, const double *u, double *tau)
{
    return pinion_actuation_torque(x->m, x->w, q, u, tau);
}

/* Accelerations under joint forces. */
static pinion_status forward(pn_motors *x, double t, const double *q, const double *v, const double *tau, double *a)
{
    pinion_loop_options o = pinion_loop_options_default();
    o.t = t;
    return x->looped ? pinion_loop_dynamics(x->m, x->w, -1, &o, q, v, tau, NULL, a, NULL)
                     : pinion_forward_dynamics(x->m, x->w, q, v, tau, NULL, a);
}

/* P: by the inverse of M, or column by column where loops have a say. */
static pinion_status responses(pn_motors *x, double t, const double *q, const double *v)
{
    const int nv = x->nv, nu = x->nu;
    pinion_status status = PINION_OK;
    if (!x->looped) {
        status = pinion_mass_matrix_inverse(x->m, x->w, q, x->inverse);
        memset(x->P, 0, (size_t)nv * (size_t)nu * sizeof *x->P);
        for (int i = 0; i < nv; i++)
            for (int j = 0; j < nv; j++)
                for (int k = 0; k < nu; k++) x->P[i * nu + k] += x->inverse[i * nv + j] * x->B[j * nu + k];
        return status;
    }
    for (int k = 0; k < nu && status == PINION_OK; k++) {
        for (int i = 0; i < nv; i++) x->tau[i] = x->B[i * nu + k];
        status = forward(x, t, q, v, x->tau, x->more);
        for (int i = 0; i < nv; i++) x->P[i * nu + k] = x->more[i] - x->free[i];
    }
    return status;
}

/* S u = rhs, S symmetric and not negative, by Cholesky's method with pivots; u is 0 where a pivot is rounding. */
static void solve(pn_motors *x, double *u)
{
    const int n = x->nu;
    double *S = x->S, *b = x->rhs, largest = 0;
    int rank = 0, *at = x->order;
    for (int i = 0; i < n; i++) at[i] = i;
#define ENTRY(i, j) S[(size_t)at[i] * (size_t)n + (size_t)at[j]]
    for (; rank < n; rank++) {
        int best = rank;
        for (int i = rank + 1; i < n; i++)
            if (ENTRY(i, i) > ENTRY(best, best)) best = i;
        const int swap = at[rank];
        at[rank] = at[best];
        at[best] = swap;
        const double pivot = ENTRY(rank, rank);
        if (rank == 0) largest = pivot;
        if (!(pivot > DEPENDENT * largest)) break;
        for (int i = rank + 1; i < n; i++) {
            const double factor = ENTRY(i, rank) / pivot;
            for (int j = rank + 1; j < n; j++) ENTRY(i, j) -= factor * ENTRY(rank, j);
            b[at[i]] -= factor * b[at[rank]];
        }
    }
    for (int i = rank; i < n; i++) u[at[i]] = 0;
    for (int i = rank - 1; i >= 0; i--) {
        double sum = b[at[i]];
        for (int j = i + 1; j < rank; j++) sum -= ENTRY(i, j) * u[at[j]];
        u[at[i]] = sum / ENTRY(i, i);
    }
#undef ENTRY
}

static double largest(const double *x, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

pinion_status pn_motors_accelerate(pn_motors *x, double t, const double *q, const double *v, const double *a, int limit,
                                   double *u)
{
    const int nv = x->nv, nu = x->nu;
    pinion_actuator_info info;

    /* all of it, where the actuators reach it */
    pinion_status status = pinion_inverse_dynamics(x->m, x->w, q, v, a, NULL, x->tau);
    if (status == PINION_OK) status = pinion_allocation_forces(x->allocation, q, x->tau, 0, u, x->rest);
    if (status != PINION_OK) return status;
    if (!x->complete && !(largest(x->rest, nv) <= REACHED * largest(x->tau, nv))) {
        memset(x->tau, 0, (size_t)nv * sizeof *x->tau);
        status = forward(x, t, q, v, x->tau, x->free);
        if (status == PINION_OK) status = pinion_actuation_matrix(x->m, x->w, q, x->B);
        if (status == PINION_OK) status = responses(x, t, q, v);
        if (status != PINION_OK) return status;
        for (int k = 0; k < nu; k++) {
            x->rhs[k] = 0;
            for (int i = 0; i < nv; i++) x->rhs[k] += x->B[i * nu + k] * (a[i] - x->free[i]);
            for (int j = 0; j < nu; j++) {
                x->S[k * nu + j] = 0;
                for (int i = 0; i < nv; i++) x->S[k * nu + j] += x->B[i * nu + k] * x->P[i * nu + j];
            }
        }
        solve(x, u);
    }
    for (int k = 0; k < nu && limit && pinion_model_actuator(x->m, k, &info) == PINION_OK; k++)
        u[k] = fmin(fmax(u[k], info.effort[0]), info.effort[1]);
    return PINION_OK;
}
