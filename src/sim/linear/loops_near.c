/* Linearizing a model with closed loops: independent velocities, and differences of its constrained dynamics.
 */
#include "sim/linear/near_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* L becomes the identity in the columns of `rank` pivots; order [nv] has the pivots' columns first. */
static void eliminate(int rows, int nv, int rank, double *L, int *order)
{
    for (int i = 0; i < nv; i++) order[i] = i;
    for (int k = 0; k < rank; k++) {
        int r = k, c = k;
        double most = -1;
        for (int i = k; i < rows; i++)
            for (int j = k; j < nv; j++)
                if (fabs(L[i * nv + order[j]]) > most) most = fabs(L[i * nv + order[j]]), r = i, c = j;
        const int column = order[c];
        order[c] = order[k];
        order[k] = column;
        for (int j = 0; j < nv; j++) {
            const double x = L[r * nv + j];
            L[r * nv + j] = L[k * nv + j];
            L[k * nv + j] = x;
        }
        const double pivot = L[k * nv + column];
        for (int j = 0; j < nv; j++) L[k * nv + j] /= pivot;
        for (int i = 0; i < rows; i++) {
            const double times = L[i * nv + column];
            if (i == k || times == 0) continue;
            for (int j = 0; j < nv; j++) L[i * nv + j] -= times * L[k * nv + j];
        }
    }
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

pinion_status pn_loops_independent(near_state *x, int *velocity, double *motion, int *freedom)
{
    const int nv = x->nv;
    pinion_mobility mobility;
    double *L = malloc(((size_t)x->rows * (size_t)nv + 1) * sizeof *L);
    int *order = malloc(((size_t)nv + 1) * sizeof *order);
    pinion_status status = L && order ? PINION_OK : PINION_ERR_MEMORY;
    if (!status) status = pinion_mobility_at(x->m, x->w, 0, x->q, &mobility);
    const pinion_constraints wanted = {.L = L};
    if (!status) status = pinion_constraints_at(x->m, x->w, 0, x->q, NULL, &wanted);
    if (!status) {
        eliminate(x->rows, nv, mobility.rank, L, order);
        *freedom = nv - mobility.rank;
        memcpy(velocity, order + mobility.rank, (size_t)*freedom * sizeof *velocity);
        qsort(velocity, (size_t)*freedom, sizeof *velocity, by_number);
        memset(motion, 0, (size_t)nv * (size_t)*freedom * sizeof *motion);
        for (int j = 0; j < *freedom; j++) {
            motion[velocity[j] * *freedom + j] = 1;
            for (int k = 0; k < mobility.rank; k++)
                motion[order[k] * *freedom + j] = -L[k * nv + velocity[j]];
        }
    }
    free(L);
    free(order);
    return status;
}

/* Room for one point of the differences. */
typedef struct point {
    double *delta, *q, *v, *tau, *a, *velocity, *loop_rest, *loop_tau;
    unsigned char *locked;
} point;

/* The acceleration where the i-th independent coordinate or velocity, or input, is off by h. */
static pinion_status accelerate(near_state *x, point *p, int which, int i, double h)
{
    const pinion_linear *l = &x->seen;
    const int nv = x->nv, n = l->freedom;
    for (int k = 0; k < nv; k++) p->delta[k] = which == 0 ? h * l->motion[k * n + i] : 0;
    pinion_status status = pinion_integrate(x->m, x->q, p->delta, 1, p->q);
    if (!status && which == 0) status = pinion_assemble(x->m, x->w, 0, p->locked, p->q, NULL);
    memcpy(p->v, x->v, (size_t)nv * sizeof *p->v);
    if (which == 1)
        for (int k = 0; k < nv; k++) p->v[k] += h * l->motion[k * n + i];
    if (!status && which == 0) status = pinion_project_velocity(x->m, x->w, 0, p->locked, p->q, p->v);

    if (!status) status = pinion_passive_forces(x->m, x->w, p->q, p->v, p->tau);
    for (int k = 0; k < nv; k++) p->tau[k] += x->tau[k];
    if (which == 2) p->tau[l->input[i]] += h;
    pn_without_friction(x->m, x->v, p->v, p->tau);

    pinion_loop_options options = pinion_loop_options_default();
    if (!status) status = pinion_loop_passive_forces(x->m, x->w, p->q, p->v, p->loop_tau);
    if (!status) status = pinion_loop_motion(x->m, x->w, p->q, p->v, NULL, p->velocity);
    pn_loops_without_friction(x->m, p->loop_rest, p->velocity, p->loop_tau);
    options.tau_loop = p->loop_tau;
    if (!status)
        status = pinion_loop_dynamics(x->m, x->w, -1, &options, p->q, p->v, p->tau, NULL, p->a, NULL);
    return status;
}

/* f(h) - f(-h) over 2 h, of the fourth order: 8 of the near ones and 1 of the far ones */
static pinion_status differ(near_state *x, point *p, int which, int i, double *out, int stride)
{
    const pinion_linear *l = &x->seen;
    const double h = which == 2 ? 1 : 1e-3;
    static const double at[4] = {1, -1, 2, -2}, weight[4] = {8. / 12, -8. / 12, -1. / 12, 1. / 12};
    for (int k = 0; k < l->freedom; k++) out[k * stride] = 0;
    for (int s = 0; s < 4; s++) {
        const pinion_status status = accelerate(x, p, which, i, at[s] * h);
        if (status) return status;
        for (int k = 0; k < l->freedom; k++) out[k * stride] += weight[s] / h * p->a[l->velocity[k]];
    }
    return PINION_OK;
}

pinion_status pn_loops_by_differences(near_state *x, double *A, double *B, pinion_error *err)
{
    const pinion_linear *l = &x->seen;
    const int n = l->freedom, nu = l->inputs;
    const size_t nv = (size_t)x->nv, nq = (size_t)x->nq, loops = (size_t)pinion_model_loop_nv(x->m);
    double *room = malloc((nq + 4 * nv + 3 * loops + 1) * sizeof *room);
    point p = {.locked = calloc(nv + 1, 1)};
    pinion_status status = room && p.locked ? PINION_OK : PINION_ERR_MEMORY;
    if (!status) {
        p.delta = room, p.v = p.delta + nv, p.tau = p.v + nv, p.a = p.tau + nv, p.q = p.a + nv;
        p.velocity = p.q + nq, p.loop_rest = p.velocity + loops, p.loop_tau = p.loop_rest + loops;
        for (int k = 0; k < n; k++) p.locked[l->velocity[k]] = 1;
        status = pinion_loop_motion(x->m, x->w, x->q, x->v, NULL, p.loop_rest);
    }
    for (int i = 0; !status && i < n; i++) status = differ(x, &p, 0, i, A + i, 2 * n);
    for (int i = 0; !status && i < n; i++) status = differ(x, &p, 1, i, A + n + i, 2 * n);
    for (int i = 0; !status && i < nu; i++) status = differ(x, &p, 2, i, B + i, nu);
    if (status && err) {
        err->status = status;
        const char *why = pinion_work_message(x->w);
        snprintf(err->message, sizeof err->message, "near the state: %s",
                 *why ? why : pinion_status_text(status));
    }
    free(room);
    free(p.locked);
    return status;
}
