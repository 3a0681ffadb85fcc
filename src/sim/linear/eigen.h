/* Eigenvalues and eigenvectors of a small real matrix. Private to src/sim. */
#ifndef PN_SIM_EIGEN_H
#define PN_SIM_EIGEN_H

#include "pinion/base.h"

/* A [n][n], row-major, kept. value [n][2]; vector [n][n][2], one a row, of length 1; NULL: not wanted. */
pinion_status pn_eigen(int n, const double *A, double *value, double *vector);

#endif
