/* Ranks of numbers, and how they go together. */
#ifndef PN_SWEEP_RANKS_H
#define PN_SWEEP_RANKS_H

#include <stdint.h>

/* The ranks from 0 on of x among the runs that are in: rank [runs], of the others 0. Those of equal values are their
 * mean. 0: out of memory. */
int pn_find_ranks(uint64_t runs, const double *x, const unsigned char *in, double *rank);
/* Pearson's correlation of two such ranks; NaN below three runs, or where one of them is the same in all. */
double pn_correlation(uint64_t runs, const double *a, const double *b, const unsigned char *in);

#endif
