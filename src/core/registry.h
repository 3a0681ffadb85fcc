/* The registry of algorithms: what algorithms.inc says of each, in one table. */
#ifndef PN_REGISTRY_H
#define PN_REGISTRY_H

#include "dispatch.h"
#include "pinion/algorithms.h"

enum { PN_ALGORITHM_COUNT = PN_KERNEL_COUNT - PN_FIRST_ALGORITHM };

typedef struct pn_algorithm {
    const char *name, *source, *complexity;
    int problem;           /* PN_PROBLEM_* */
    int limits;            /* PN_LIMIT_* */
    const char *mul, *add; /* published counts as formulas in n, "" when there are none */
    const char *counted_by; /* who published these, "" likewise */
} pn_algorithm;

extern const pn_algorithm pn_algorithms[PN_ALGORITHM_COUNT];

/* reals of scratch memory that an algorithm needs beside pn_work_reals() */
size_t pn_algorithm_room(int algorithm, const pn_counts *n);
/* the most that any algorithm needs */
size_t pn_largest_room(const pn_counts *n);

#endif
