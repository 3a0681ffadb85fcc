/* What the one-step methods with fixed step share that do not have their dense output from stages: the
 * rates at both ends of the step, the cubic between them, and the grid of time. */
#ifndef PN_SIM_ENDS_H
#define PN_SIM_ENDS_H

#include "sim/stepper/method.h"

typedef struct pn_ends {
    int fresh; /* f1 holds the rates at `now` */
    pn_grid grid;
    double *y0, *y1, *f0, *f1; /* [n] (theta, v, z) and its rates at the ends of the step */
} pn_ends;

/* `memory` has room for 4 n numbers */
void pn_ends_open(const pn_stepper *s, pn_ends *e, double *memory);
void pn_ends_start(const pn_stepper *s, pn_ends *e);
/* y0 and f0 at `before`, and where the step goes to */
pinion_status pn_ends_begin(pn_stepper *s, pn_ends *e, double end, pn_grid *grid, double *t1);
/* y1 and f1 at now.q and now.v, which the method has found */
pinion_status pn_ends_rates(pn_stepper *s, pn_ends *e, double t1);
/* the step is taken: z from y1, the time */
void pn_ends_finish(pn_stepper *s, pn_ends *e, const pn_grid *grid, double t1, double end);
void pn_ends_dense(const pn_stepper *s, const pn_ends *e, double t, double *y);

/* Where z[i], i < nx, is after h seconds, by its rate at any z. */
double pn_ends_lagged(const pn_stepper *s, int i, double h, double z0, double z, double rate);

int pn_ends_memory_size(const pn_stepper *s);
void pn_ends_store(const pn_stepper *s, const pn_ends *e, double *memory);
pinion_status pn_ends_restore(pn_stepper *s, pn_ends *e, const double *memory);

#endif
