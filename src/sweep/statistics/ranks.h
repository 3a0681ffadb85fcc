/* Numbers in order, their ranks, and how these go together. Memory is the caller's, since it may be a file's. */
#ifndef PN_SWEEP_RANKS_H
#define PN_SWEEP_RANKS_H

#include <stdint.h>

#include "pinion/sim/sweep_statistics.h"

/* A number and the run it is of. */
typedef struct pn_ranked {
    double value;
    uint64_t run;
} pn_ranked;

/* Sorts by value: a radix sort, so that memory is gone through from end to end. No NaN.
 * @param room  [count] */
void pn_sort_ranked(uint64_t count, pn_ranked *r, pn_ranked *room);
/* pinion_sweep_summarize() in given memory: room [2 runs]. */
void pn_summarize(uint64_t runs, const double *x, const unsigned char *counts, pn_ranked *room,
                  pinion_sweep_summary *out);
/* The ranks from 0 on of x among the runs that are in: rank [runs], of the others 0. Those of equal values are their
 * mean.
 * @param room  [2 runs] */
void pn_find_ranks(uint64_t runs, const double *x, const unsigned char *in, pn_ranked *room, double *rank);
/* Pearson's correlation of two such ranks; NaN below three runs, or where one of them is the same in all. */
double pn_correlation(uint64_t runs, const double *a, const double *b, const unsigned char *in);

#endif
