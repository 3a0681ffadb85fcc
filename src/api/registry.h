/* The registry of algorithms: what kernel/algorithms.inc and solvers.inc say of each, in one table. */
#ifndef PN_REGISTRY_H
#define PN_REGISTRY_H

#include "api/dispatch.h"
#include "pinion/algorithms.h"

/* Algorithms are numbered: the kernels in the order of kernel/algorithms.inc, then the solvers in that of
 * solvers.inc. */
enum {
#define PN_SOLVER(function, ...) PN_S_##function,
#include "solve/solvers.inc"
#undef PN_SOLVER
    PN_SOLVER_COUNT
};
enum {
    PN_ALGORITHM_COUNT = PN_KERNEL_COUNT - PN_FIRST_ALGORITHM, /* those that are kernels */
    PN_REGISTERED_COUNT = PN_ALGORITHM_COUNT + PN_SOLVER_COUNT, /* all */
    PN_DEFAULT_FOR_LOOPS = PN_ALGORITHM_COUNT                  /* forward dynamics where a model has loops */
};

typedef struct pn_algorithm {
    const char *name, *source, *complexity;
    int problem;           /* PN_PROBLEM_* */
    int limits;            /* PN_LIMIT_*, PN_TAKES_LOOPS */
    const char *mul, *add; /* published counts as formulas in n, "" when there are none */
    const char *counted_by; /* who published these, "" likewise */
} pn_algorithm;

extern const pn_algorithm pn_algorithms[PN_REGISTERED_COUNT];

/* Sizes are in 64 bits, as those of model/tree.h: pn_bytes alone says whether memory has so much. */
/* reals of scratch memory that an algorithm needs beside pn_work_reals() */
uint64_t pn_algorithm_room(int algorithm, const pn_counts *n);
/* the first compiled body whose own inertia has no inverse, -1: none (inertia.c) */
int pn_singular_body(const pinion_model *m);
/* about how large the terms of a joint force can be, as a moment in N m, with accelerations, velocities, and moments
 * and forces on bodies up to these; what slides is measured in `unit`, m */
double pn_force_bound(const pinion_model *m, double unit, double a, double v, const double external[2]);
/* all that a workspace has where an algorithm runs: the common part, its room, and with loops or for a solver what the
 * dense solvers take at the end */
uint64_t pn_algorithm_reals(int algorithm, const pn_counts *n);
/* the same for the derivatives of a step (d_step.inc), of models without loops; 0 with loops */
uint64_t pn_step_reals(const pn_counts *n);
/* and for those of forward dynamics with constraints on a frame (d_constrained.inc), whose own numbers begin at *begin;
 * begin may be NULL */
uint64_t pn_constrained_reals(const pn_counts *n, uint64_t *begin);
/* all that a workspace begins with: enough for the functions that name no algorithm and for those that solve loops.
 * Of large models it leaves out the rooms that are matrices. */
uint64_t pn_default_reals(const pn_counts *n);
/* bytes of so many reals behind so many other bytes; SIZE_MAX, which nobody has, where that is beyond a fourth of what
 * can be addressed */
size_t pn_bytes(uint64_t reals, size_t bytes_each, size_t before);
/* malloc that refuses SIZE_MAX by itself, and 0 */
void *pn_take(size_t bytes);

#endif
