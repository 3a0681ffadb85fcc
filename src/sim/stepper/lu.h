/* Small dense linear systems: LU factorization with partial pivoting, in place, row-major. */
#ifndef PN_SIM_LU_H
#define PN_SIM_LU_H

/* A [n][n] becomes its factors. Zero when it is singular or not finite. */
int pn_lu_factor(int n, double *A, int *pivot);
/* x becomes A^-1 x */
void pn_lu_solve(int n, const double *A, const int *pivot, double *x);

#endif
