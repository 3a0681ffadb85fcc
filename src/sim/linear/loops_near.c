/* Which velocities of a model with closed loops are independent, and how the others follow. */
#include "sim/linear/near_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first nv of the `width` columns of L become the identity in those of `rank` pivots; order [nv] has the pivots'
 * columns first. */
static void eliminate(int rows, int nv, int width, int rank, double *L, int *order)
{
    for (int i = 0; i < nv; i++) order[i] = i;
    for (int k = 0; k < rank; k++) {
        int r = k, c = k;
        double most = -1;
        for (int i = k; i < rows; i++)
            for (int j = k; j < nv; j++)
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

/* the rows of L and beside them those of d(L v)/dq, [rows][2 nv] */
static pinion_status both_rows(near_state *x, double *both)
{
    const size_t nv = (size_t)x->nv, rows = (size_t)x->rows;
    double *L = malloc((2 * rows * nv + 1) * sizeof *L), *turned = L ? L + rows * nv : NULL;
    const pinion_constraints wanted = {.L = L};
    pinion_status status = L ? PINION_OK : PINION_ERR_MEMORY;
    if (!status) status = pinion_constraints_at(x->m, x->w, 0, x->q, NULL, &wanted);
    if (!status) status = pinion_d_constraints(x->m, x->w, x->q, x->v, NULL, turned, NULL, NULL);
    for (size_t i = 0; !status && i < rows; i++) {
        memcpy(both + 2 * i * nv, L + i * nv, nv * sizeof *both);
        memcpy(both + (2 * i + 1) * nv, turned + i * nv, nv * sizeof *both);
    }
    free(L);
    return status;
}

/* L v stays as q moves along the motions: what that asks of the velocities that are not independent */
static void drift_of(const near_state *x, int rank, const double *both, const int *order, const double *motion, int n,
                     double *drift)
{
    const int nv = x->nv;
    memset(drift, 0, (size_t)nv * (size_t)n * sizeof *drift);
    for (int k = 0; k < rank; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < nv; i++)
                drift[order[k] * n + j] -= both[(2 * k + 1) * nv + i] * motion[i * n + j];
}

pinion_status pn_loops_independent(near_state *x, int *velocity, double *motion, double *drift, int *freedom)
{
    const int nv = x->nv;
    pinion_mobility mobility;
    double *both = malloc((2 * (size_t)x->rows * (size_t)nv + 1) * sizeof *both);
    int *order = malloc(((size_t)nv + 1) * sizeof *order);
    pinion_status status = both && order ? PINION_OK : PINION_ERR_MEMORY;
    if (!status) status = pinion_mobility_at(x->m, x->w, 0, x->q, &mobility);
    if (!status) status = both_rows(x, both);
    if (!status) {
        eliminate(x->rows, nv, 2 * nv, mobility.rank, both, order);
        const int n = *freedom = nv - mobility.rank;
        memcpy(velocity, order + mobility.rank, (size_t)n * sizeof *velocity);
        qsort(velocity, (size_t)n, sizeof *velocity, by_number);
        memset(motion, 0, (size_t)nv * (size_t)n * sizeof *motion);
        for (int j = 0; j < n; j++) {
            motion[velocity[j] * n + j] = 1;
            for (int k = 0; k < mobility.rank; k++) motion[order[k] * n + j] = -both[2 * k * nv + velocity[j]];
        }
        drift_of(x, mobility.rank, both, order, motion, n, drift);
    }
    free(both);
    free(order);
    return status;
}
