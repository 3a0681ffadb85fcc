/* Runs that the studies of papers have in common: inverse dynamics along a motion, and simulations. */
#ifndef PN_CLI_PAPER_RUN_H
#define PN_CLI_PAPER_RUN_H

#include "cli/paper/paper.h"

/* Inverse dynamics by an algorithm along a motion: columns t, q.*, v.*, a.*, tau.*, `rows` of them. NULL,
 * with the study failed, after a message. */
pinion_result *pn_paper_inverse(paper *p, const pinion_model *m, pinion_trajectory *motion,
                                const char *algorithm, int rows, const char *title);

/* What a simulation does. */
typedef struct paper_run {
    const char *title, *algorithm; /* of forward dynamics */
    pinion_integrator integrator;
    double tolerance; /* relative; the absolute one is a hundredth of it; 0: the defaults */
    double duration;
    int rows;
    pinion_torque_fn torque; /* NULL: none */
    pinion_jump_fn jump;     /* NULL: it never jumps */
    void *user;
    const double *q, *v; /* where it starts; v NULL: at rest */
} paper_run;

/* Simulates: columns t, q.*, v.*, a.*, tau.*, energy.kinetic, energy.potential, energy.drift. Passive forces are
 * off. NULL, with the study failed, after a message. */
pinion_result *pn_paper_simulate(paper *p, const pinion_model *m, const paper_run *run);

/* A figure of some columns against time, `first` to `first + count - 1` of those that start with a prefix,
 * each number times `scale`. */
void pn_paper_plot(paper *p, const char *name, const char *caption, const pinion_result *r,
                   const char *prefix, int first, int count, double scale, const char *y_label);
/* The column of that name; NULL, with the study failed, when there is none. */
const double *pn_paper_column(paper *p, const pinion_result *r, const char *name);
/* The largest absolute value of some numbers. */
double pn_paper_largest(const double *x, size_t count);

#endif
