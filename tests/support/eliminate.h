/* Linear equations by the plainest means, in long double. */
#ifndef PN_TEST_ELIMINATE_H
#define PN_TEST_ELIMINATE_H

#include <math.h>
#include <stdlib.h>

/* One x with A x = b, A [size][size] perhaps singular but b within reach: elimination with full pivoting in
 * long double, what is below `share` of the largest pivot being zero. Returns the rank; A and b are
 * destroyed. */
static inline int eliminate(long double *A, int size, long double *b, long double share, double *x)
{
    int *column = calloc((size_t)size + 1, sizeof *column), rank = 0;
    long double first = 0;
    if (!column) abort();
    for (int i = 0; i < size; i++) column[i] = i;
    for (; rank < size; rank++) {
        int r = rank, c = rank;
        for (int i = rank; i < size; i++)
            for (int j = rank; j < size; j++)
                if (fabsl(A[i * size + j]) > fabsl(A[r * size + c])) r = i, c = j;
        const long double pivot = A[r * size + c];
        if (rank == 0) first = fabsl(pivot);
        if (!(fabsl(pivot) > share * first)) break;
        for (int j = 0; j < size; j++) {
            const long double t = A[r * size + j];
            A[r * size + j] = A[rank * size + j];
            A[rank * size + j] = t;
        }
        for (int i = 0; i < size; i++) {
            const long double t = A[i * size + c];
            A[i * size + c] = A[i * size + rank];
            A[i * size + rank] = t;
        }
        const long double t = b[r];
        b[r] = b[rank];
        b[rank] = t;
        const int swap = column[c];
        column[c] = column[rank];
        column[rank] = swap;
        for (int i = rank + 1; i < size; i++) {
            const long double f = A[i * size + rank] / A[rank * size + rank];
            for (int j = rank; j < size; j++) A[i * size + j] -= f * A[rank * size + j];
            b[i] -= f * b[rank];
        }
    }
    for (int i = 0; i < size; i++) x[column[i]] = 0;
    for (int i = rank - 1; i >= 0; i--) {
        long double sum = b[i];
        for (int j = i + 1; j < rank; j++) sum -= A[i * size + j] * (long double)x[column[j]];
        x[column[i]] = (double)(sum / A[i * size + i]);
    }
    free(column);
    return rank;
}

#endif
