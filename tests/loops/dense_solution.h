/* The solution of
 *
 *     M a = tau - h + L' lambda,   L a = c
 *
 * by dense algebra in long double, from M, h, L and c alone: eigenvalues by Jacobi's rotations, nothing is
 * eliminated. Where rows depend on each other it gives the lambda of least norm; where they contradict each other, the
 * a that L takes nearest to c in the metric of the bodies' inertia. */
#ifndef PN_TEST_DENSE_SOLUTION_H
#define PN_TEST_DENSE_SOLUTION_H

#include "check.h"

typedef struct dense_solution {
    int nv, rows, rank;
    double condition; /* of L M^-1 L', of what is not zero */
    double *a, *lambda;
} dense_solution;

/* A = V diag(d) V', n x n; A is destroyed */
static inline void dense_eigen(int n, long double *A, long double *V, long double *d)
{
    for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) ? 0 : 1;
    for (int sweep = 0; sweep < 60; sweep++) {
        long double off = 0, all = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) *(i == j ? &all : &off) += A[i * n + j] * A[i * n + j];
        if (off <= 1e-44L * all) break;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                if (A[p * n + q] == 0) continue;
                const long double theta = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
                const long double t = (theta < 0 ? -1 : 1) / (fabsl(theta) + sqrtl(theta * theta + 1));
                const long double c = 1 / sqrtl(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    const long double x = A[k * n + p], y = A[k * n + q];
                    A[k * n + p] = c * x - s * y;
                    A[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    const long double x = A[p * n + k], y = A[q * n + k];
                    A[p * n + k] = c * x - s * y;
                    A[q * n + k] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    const long double x = V[k * n + p], y = V[k * n + q];
                    V[k * n + p] = c * x - s * y;
                    V[k * n + q] = s * x + c * y;
                }
            }
        }
    }
    for (int i = 0; i < n; i++) d[i] = A[i * n + i];
}

/* x = V f(d) V' x, with 1/d for what is above the threshold; how many those are */
static inline int dense_apply_inverse(int n, const long double *V, const long double *d, long double least,
                                      const long double *b, long double *x)
{
    int rank = 0;
    for (int i = 0; i < n; i++) x[i] = 0;
    for (int k = 0; k < n; k++) {
        long double t = 0;
        if (d[k] <= least) continue;
        rank++;
        for (int i = 0; i < n; i++) t += V[i * n + k] * b[i];
        for (int i = 0; i < n; i++) x[i] += V[i * n + k] * t / d[k];
    }
    return rank;
}

/* Given M, h, L, c and tau. Eigenvalues of L M^-1 L' below `cut` of the largest count as zero. */
static inline void dense_solve(dense_solution *x, const double *M, const double *h, const double *L, const double *c,
                               const double *tau, double cut)
{
    const int n = x->nv, m = x->rows;
    const size_t size = (size_t)(n > m ? n : m) + 1;
    long double *A = calloc(size * size, sizeof *A), *V = calloc(size * size, sizeof *V);
    long double *d = calloc(size, sizeof *d), *B = calloc(size * size, sizeof *B);
    long double *b = calloc(size, sizeof *b), *y = calloc(size, sizeof *y), *f = calloc(size, sizeof *f);
    long double *U = calloc(size * size, sizeof *U), *e = calloc(size, sizeof *e);

    /* free accelerations, and M^-1 L' column by column */
    for (int i = 0; i < n * n; i++) A[i] = M[i];
    dense_eigen(n, A, V, d);
    for (int i = 0; i < n; i++) b[i] = (long double)(tau ? tau[i] : 0) - h[i];
    dense_apply_inverse(n, V, d, 0, b, f);
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < n; i++) b[i] = L[j * n + i];
        dense_apply_inverse(n, V, d, 0, b, y);
        for (int i = 0; i < n; i++) B[j * n + i] = y[i];
    }

    /* L M^-1 L' lambda = c - L f */
    for (int j = 0; j < m; j++) {
        b[j] = c[j];
        for (int i = 0; i < n; i++) b[j] -= (long double)L[j * n + i] * f[i];
        for (int k = 0; k < m; k++) {
            A[j * m + k] = 0;
            for (int i = 0; i < n; i++) A[j * m + k] += (long double)L[j * n + i] * B[k * n + i];
        }
    }
    dense_eigen(m, A, U, e);
    long double most = 0, least = INFINITY;
    for (int j = 0; j < m; j++) most = e[j] > most ? e[j] : most;
    for (int j = 0; j < m; j++) least = e[j] > most * cut && e[j] < least ? e[j] : least;
    x->rank = dense_apply_inverse(m, U, e, most * cut, b, y);
    x->condition = m ? (double)(most / least) : 1;
    for (int j = 0; j < m; j++) x->lambda[j] = (double)y[j];
    for (int i = 0; i < n; i++) {
        long double t = f[i];
        for (int j = 0; j < m; j++) t += B[j * n + i] * y[j];
        x->a[i] = (double)t;
    }
    free(A), free(V), free(d), free(B), free(b), free(y), free(f), free(U), free(e);
}

#endif
