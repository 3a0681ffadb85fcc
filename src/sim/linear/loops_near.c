/* Which velocities of a model with closed loops are independent, and how the others follow. */
#include "sim/linear/near_state.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDED DBL_EPSILON /* of what a row could be: the last digit of the lengths in it */

/* The columns order[0 .. columns) of the `width` of L become the identity in those of `rank` pivots, which go first in
 * order. */
static void eliminate(int rows, int columns, int width, int rank, double *L, int *order)
{
    for (int k = 0; k < rank; k++) {
        int r = k, c = k;
        double most = -1;
        for (int i = k; i < rows; i++)
            for (int j = k; j < columns; j++)
                if (fabs(L[i * width + order[j]]) > most) most = fabs(L[i * width + order[j]]), r = i, c = j;
        const int column = order[c];
        order[c] = order[k];
        order[k] = column;
        for (int j = 0; j < width; j++) {
            const double x = L[r * width + j];
            L[r * width + j] = L[k * width + j];
            L[k * width + j] = x;
        }
        const double pivot = L[k * width + column];
        for (int j = 0; j < width; j++) L[k * width + j] /= pivot;
        for (int i = 0; i < rows; i++) {
            const double times = L[i * width + column];
            if (i == k || times == 0) continue;
            for (int j = 0; j < width; j++) L[i * width + j] -= times * L[k * width + j];
        }
    }
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* the rows of L, beside them those of d(L v)/dq, and last what each may be off: [rows][2 nv + 1] */
static pinion_status all_rows(near_state *x, double *all)
{
    const size_t nv = (size_t)x->nv, rows = (size_t)x->rows;
    double *L = malloc((2 * rows * (nv + 1) + 1) * sizeof *L), *turned = L ? L + rows * nv : NULL, far = 1;
    double *phi = L ? turned + rows * nv : NULL, *size = L ? phi + rows : NULL;
    const pinion_constraints wanted = {.L = L, .phi = phi};
    pinion_status status = L ? PINION_OK : PINION_ERR_MEMORY;
    if (!status) status = pinion_constraints_at(x->m, x->w, 0, x->q, NULL, &wanted);
    if (!status) status = pinion_d_constraints(x->m, x->w, x->q, x->v, NULL, turned, NULL, NULL);
    if (!status) status = pinion_constraint_sizes(x->m, x->w, x->q, size, NULL);
    for (int i = 0; i < x->nq; i++) far = fmax(far, fabs(x->q[i]));
    for (size_t i = 0; !status && i < rows; i++, all += 2 * nv + 1) {
        const double off = fmax(fabs(phi[i]), ROUNDED * far * (size[i] > 0 ? size[i] : 1));
        memcpy(all, L + i * nv, nv * sizeof *all);
        memcpy(all + nv, turned + i * nv, nv * sizeof *all);
        all[2 * nv] = i % 2 ? -off : off;
    }
    free(L);
    return status;
}

/* L v stays as q moves along the motions: what that asks of the velocities that are not independent */
static void drift_of(int nv, int rank, const double *all, const int *order, const double *motion, int n, double *drift)
{
    memset(drift, 0, (size_t)nv * (size_t)n * sizeof *drift);
    for (int k = 0; k < rank; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < nv; i++)
                drift[order[k] * n + j] -= all[k * (2 * nv + 1) + nv + i] * motion[i * n + j];
}

/* the order of columns to begin with, and how many of them may be pivots */
static int columns_of(const near_state *x, int *order)
{
    const pinion_linear *like = x->like ? &x->like->seen : NULL;
    int count = 0, last = x->nv;
    for (int i = 0, next = 0; i < x->nv; i++) {
        const int independent = like && next < like->freedom && like->velocity[next] == i;
        order[independent ? --last : count++] = i;
        next += independent;
    }
    return count;
}

pinion_status pn_loops_independent(near_state *x, int *velocity, double *motion, double *drift, int *freedom)
{
    const int nv = x->nv, width = 2 * nv + 1;
    pinion_mobility mobility;
    double *all = malloc(((size_t)x->rows * (size_t)width + 1) * sizeof *all);
    int *order = malloc(((size_t)nv + 1) * sizeof *order);
    pinion_status status = all && order ? PINION_OK : PINION_ERR_MEMORY;
    if (!status) status = pinion_mobility_at(x->m, x->w, 0, x->q, &mobility);
    if (!status) status = all_rows(x, all);
    const int columns = status ? 0 : columns_of(x, order), rank = status ? 0 : mobility.rank;
    if (!status && x->like && columns != rank) status = PINION_ERR_SINGULAR;
    if (!status) {
        eliminate(x->rows, columns, width, rank, all, order);
        const int n = *freedom = nv - rank;
        memcpy(velocity, order + rank, (size_t)n * sizeof *velocity);
        qsort(velocity, (size_t)n, sizeof *velocity, by_number);
        memset(motion, 0, (size_t)nv * (size_t)n * sizeof *motion);
        for (int j = 0; j < n; j++) {
            motion[velocity[j] * n + j] = 1;
            for (int k = 0; k < rank; k++) motion[order[k] * n + j] = -all[k * width + velocity[j]];
        }
        drift_of(nv, rank, all, order, motion, n, drift);
        for (int k = 0; k < rank; k++) x->slack[order[k]] = all[k * width + 2 * nv];
        drift_of(nv, rank, all, order, x->slack, 1, x->slack + nv);
    }
    free(all);
    free(order);
    return status;
}
