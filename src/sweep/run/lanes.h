/* Simulations side by side in the lanes of SIMD registers: those of pinion/rollout.h. */
#ifndef PN_SWEEP_LANES_H
#define PN_SWEEP_LANES_H

#include "sweep/run/worker.h"

enum { PN_LANES_MOST = 32 }; /* runs that are made at once */

/* plan_lanes.c: whether the plan's run can be one of these: 0 after saying why not. */
int pn_plan_check_lanes(const pn_json_value *top, pinion_sweep *s);

/* The columns of the rows: t, q, v, tau, with a target error.q and error.v, frames. */
pinion_status pn_lanes_columns(pinion_sweep_worker *w, pinion_result *table, pinion_error *err);
/* Takes the run that the worker is prepared for as number i of those made at once. */
pinion_status pn_lanes_set(pinion_sweep_worker *w, int i, pinion_error *err);
/* Makes `count` runs that were taken. */
pinion_status pn_lanes_make(pinion_sweep_worker *w, int count);
/* The rows of one of them, each given to pn_worker_row(), or added to `table` where that is not NULL; how it ended. */
pinion_status pn_lanes_rows(pinion_sweep_worker *w, int i, pinion_result *table, pinion_error *err);
/* Whether it ended with numbers that are not finite. */
int pn_lanes_infinite(const pinion_sweep_worker *w, int i);
void pn_lanes_free(struct pn_lanes *l); /* NULL is allowed */

#endif
