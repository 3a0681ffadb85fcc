/* Whether every motion moves inertia where a run begins. Forward dynamics says so where none is there at all; where
 * rounding leaves some, it would move with accelerations of that size over nothing. */
#include "sim/run/driver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NOTHING 1e-13 /* of the diagonal: what rounding leaves where terms of a chain cancel */
#define LARGE 400     /* velocities: with more it would be felt */

/* S = L L', pivots in order; returns how many there are above rounding. S [n][n] becomes L by rows of `at`. */
static int factor(int n, double *S, int *at)
{
    for (int i = 0; i < n; i++) at[i] = i;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (S[at[i] * (n + 1)] > S[at[best] * (n + 1)]) best = i;
        const int row = at[best];
        at[best] = at[k];
        at[k] = row;
        if (!(S[row * (n + 1)] > NOTHING)) return k;
        const double root = S[row * (n + 1)] = sqrt(S[row * (n + 1)]);
        for (int i = k + 1; i < n; i++) S[at[i] * n + row] /= root;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++) S[at[i] * n + at[j]] -= S[at[i] * n + row] * S[at[j] * n + row];
    }
    return n;
}

/* The velocity that a motion without inertia has most of, -1: there is none. */
static int lightest(int n, double *M, double *size, double *x, int *at)
{
    for (int i = 0; i < n; i++) size[i] = sqrt(M[i * (n + 1)]);
    for (int i = 0; i < n; i++)
        if (!(size[i] > 0)) return i;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) M[i * n + j] /= size[i] * size[j];
    const int rank = factor(n, M, at);
    if (rank == n) return -1;
    /* S x = 0 with 1 in the first place that is left */
    int most = at[rank];
    for (int i = rank - 1; i >= 0; i--) {
        x[at[i]] = -M[at[rank] * n + at[i]];
        for (int j = i + 1; j < rank; j++) x[at[i]] -= M[at[j] * n + at[i]] * x[at[j]];
        x[at[i]] /= M[at[i] * (n + 1)];
    }
    x[most] = 1;
    for (int i = 0; i < rank; i++)
        if (fabs(x[at[i]]) / size[at[i]] > fabs(x[most]) / size[most]) most = at[i];
    return most;
}

pinion_status pn_plant_weigh(pn_plant *p, const double *q)
{
    const size_t n = (size_t)p->nv;
    pinion_joint_info joint;
    if (p->loops || p->nv > LARGE) return PINION_OK; /* loops may hold what has no inertia */
    double *M = malloc((n * (n + 2) + 1) * sizeof *M);
    int *at = malloc((n + 1) * sizeof *at);
    pinion_status status = M && at ? pinion_mass_matrix(p->body, p->w, q, M) : PINION_ERR_MEMORY;
    const int found = status == PINION_OK ? lightest(p->nv, M, M + n * n, M + n * n + n, at) : -1;
    free(M);
    free(at);
    for (int i = 0; found >= 0 && pinion_model_joint(p->body, i, &joint) == PINION_OK; i++) {
        if (found < joint.v_index || found >= joint.v_index + joint.nv) continue;
        snprintf(p->message, sizeof p->message, "%s: joint '%.100s'", pinion_status_text(PINION_ERR_SINGULAR),
                 joint.name);
        return PINION_ERR_SINGULAR;
    }
    return status;
}
