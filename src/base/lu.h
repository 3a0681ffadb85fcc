/* Small dense linear systems: LU factorization with partial pivoting, in place, row-major. */
#ifndef PN_BASE_LU_H
#define PN_BASE_LU_H

#include <math.h>

/* A [n][n] becomes its factors. Zero when it is singular or not finite. */
static inline int pn_lu_factor(int n, double *A, int *pivot)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        pivot[k] = best;
        const double d = A[best * n + k];
        if (d == 0 || !isfinite(d)) return 0;
        if (best != k)
            for (int j = 0; j < n; j++) {
                const double x = A[k * n + j];
                A[k * n + j] = A[best * n + j];
                A[best * n + j] = x;
            }
        for (int i = k + 1; i < n; i++) {
            const double f = A[i * n + k] /= d;
            if (f == 0) continue;
            for (int j = k + 1; j < n; j++) A[i * n + j] -= f * A[k * n + j];
        }
    }
    return 1;
}

/* x becomes A^-1 x */
static inline void pn_lu_solve(int n, const double *A, const int *pivot, double *x)
{
    for (int k = 0; k < n; k++) {
        const double y = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = y;
    }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) x[i] -= A[i * n + j] * x[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
}

#endif
