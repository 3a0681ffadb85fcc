/* The linear algebra of joints that stick in closed loops, where it is clear which rows follow from others: the answer
 * of accelerations to forces, K = M^-1 - Y' Y with Y' Y what the constraints L take of it, and the least y with
 * W y = r. Both by factors B B' of a matrix that may be singular. Where it is not clear, near singular positions,
 * stiction_loops.c asks the solver of the loops for each column, and singular values. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "pinion/loops.h"
#include "pinion/pinion.h"
#include "sim/run/stiction.h"

/* Of what a row has alone: what the others leave of it makes it one of its own, or one that follows from them. */
#define OWN 1e-6
#define FOLLOWS 1e-12
#define AGREES 1e-9 /* of the right-hand side: rows that follow want what the others do */

/* A [n][n] = B B', B [n][n] with *rank columns, of which the rows order[0], order[1], ... are a triangle. 0 where it is
 * not clear what follows from what. */
static int factor(int n, const double *A, double *B, double *left, int *order, int *rank)
{
    for (int i = 0; i < n; i++) {
        order[i] = i;
        left[i] = A[i * n + i];
    }
    memset(B, 0, (size_t)n * (size_t)n * sizeof *B);
    for (*rank = 0; *rank < n; ++*rank) {
        const int k = *rank;
        int best = k;
        double most = 0;
        for (int i = k; i < n; i++) {
            const double part = left[order[i]] / A[order[i] * (n + 1)];
            if (part > most) most = part, best = i;
        }
        if (!(most > OWN)) return !(most > FOLLOWS);
        const int pivot = order[best];
        order[best] = order[k];
        order[k] = pivot;
        const double root = sqrt(left[pivot]);
        for (int i = k; i < n; i++) {
            double *row = B + (size_t)order[i] * (size_t)n;
            row[k] = (A[order[i] * n + pivot] - pn_dot(k, row, B + (size_t)pivot * (size_t)n)) / root;
            left[order[i]] -= row[k] * row[k];
        }
    }
    return 1;
}

/* Of all y that B' makes the same of, the least is that in the range of B: B (B' B)^-1 B' y. With `G` [rank][rank] and
 * `z` [rank]; 0 where B' B is singular. */
static int least_norm(int n, int rank, const double *B, double *G, double *z, double *y)
{
    for (int a = 0; a < rank; a++) {
        z[a] = 0;
        for (int i = 0; i < n; i++) z[a] += B[i * n + a] * y[i];
        for (int b = 0; b <= a; b++) {
            G[a * rank + b] = 0;
            for (int i = 0; i < n; i++) G[a * rank + b] += B[i * n + a] * B[i * n + b];
        }
    }
    for (int a = 0; a < rank; a++) {
        for (int b = 0; b <= a; b++) {
            const double part = G[a * rank + b] - pn_dot(b, G + a * rank, G + b * rank);
            if (a == b && !(part > 0)) return 0;
            G[a * rank + b] = a == b ? sqrt(part) : part / G[b * rank + b];
        }
        z[a] = (z[a] - pn_dot(a, G + a * rank, z)) / G[a * rank + a];
    }
    for (int a = rank - 1; a >= 0; a--) {
        for (int b = a + 1; b < rank; b++) z[a] -= G[b * rank + a] * z[b];
        z[a] /= G[a * rank + a];
    }
    for (int i = 0; i < n; i++) y[i] = pn_dot(rank, B + (size_t)i * (size_t)n, z);
    return 1;
}

int pn_stiction_least(pn_stiction *x, int n, const double *W, double least, const double *rhs, double *y)
{
    double *B = x->answer.B, *z = x->answer.left, *G = x->answer.G, inverse = 0, most = 0;
    const int *order = x->answer.order;
    int rank;
    if (!factor(n, W, B, z, x->answer.order, &rank)) return 0;

    /* the least singular value is above 1 / |B^-1|^2: that of the triangle alone */
    for (int j = 0; j < rank; j++)
        for (int k = j; k < rank; k++) {
            const double *row = B + (size_t)order[k] * (size_t)n;
            double sum = k == j;
            for (int i = j; i < k; i++) sum -= row[i] * z[i];
            z[k] = sum / row[k];
            inverse += z[k] * z[k];
        }
    if (!(inverse * least < 0.5)) return 0;

    for (int i = 0; i < n; i++) most = fmax(most, fabs(rhs[i]));
    for (int k = 0; k < n; k++) {
        const double *row = B + (size_t)order[k] * (size_t)n;
        const double lacks = rhs[order[k]] - pn_dot(k < rank ? k : rank, row, z);
        if (k < rank) z[k] = lacks / row[k];
        else if (fabs(lacks) > AGREES * most) return 0;
    }
    for (int k = rank - 1; k >= 0; k--) {
        for (int i = k + 1; i < rank; i++) z[k] -= B[order[i] * n + k] * z[i];
        z[k] /= B[order[k] * n + k];
    }
    for (int i = 0; i < n; i++) y[i] = 0;
    for (int k = 0; k < rank; k++) y[order[k]] = z[k];
    return rank == n || least_norm(n, rank, B, G, z, y);
}

/* Rows that are short beside others of their loop come with a singular position, or are rounded data: that they are
 * rows of their own says little. A [n][n]. */
static int no_faint_rows(const pinion_model *m, int n, const double *A)
{
    pinion_loop_info loop;
    for (int k = 0; pinion_model_loop(m, k, &loop) == PINION_OK; k++) {
        const int end = loop.row + loop.rows;
        double most = 0;
        for (int i = loop.row; i < end; i++) most = fmax(most, A[i * (n + 1)]);
        for (int i = loop.row; i < end; i++)
            if (A[i * (n + 1)] > FOLLOWS * most && A[i * (n + 1)] <= OWN * most) return 0;
    }
    return 1;
}

pinion_status pn_stiction_answer(pn_stiction *x, const pn_stiction_state *at, int *clear)
{
    const int nv = x->nv, rows = x->answer.rows;
    double *L = x->answer.L, *Y = x->answer.Y, *S = x->answer.S, *B = x->answer.B;
    const int *order = x->answer.order;
    int rank = 0;
    const pinion_constraints wanted = {.L = L};
    pinion_status status = pinion_mass_matrix_inverse(at->m, at->w, at->q, x->answer.K);
    if (status == PINION_OK) status = pinion_constraints_at(at->m, at->w, at->t, at->q, NULL, &wanted);
    if (status != PINION_OK) return status;
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < nv; k++) Y[i * nv + k] = pn_dot(nv, x->answer.K + k * nv, L + i * nv);
        for (int j = 0; j <= i; j++) S[i * rows + j] = S[j * rows + i] = pn_dot(nv, L + j * nv, Y + i * nv);
    }
    *clear = no_faint_rows(at->m, rows, S) && factor(rows, S, B, x->answer.left, x->answer.order, &rank);
    for (int k = 0; k < rank && *clear; k++) { /* Y becomes B^-1 L M^-1, and K what that leaves */
        const double *row = B + (size_t)order[k] * (size_t)rows;
        double *y = Y + (size_t)order[k] * (size_t)nv;
        for (int i = 0; i < k; i++)
            for (int j = 0; j < nv; j++) y[j] -= row[i] * Y[order[i] * nv + j];
        for (int j = 0; j < nv; j++) y[j] /= row[k];
        for (int i = 0; i < nv; i++)
            for (int j = 0; j < nv; j++) x->answer.K[i * nv + j] -= y[i] * y[j];
    }
    return PINION_OK;
}
