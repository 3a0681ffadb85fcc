/* Runs that integrate nothing: those of `id`, `eval` and `linearize`. */
#ifndef PN_SWEEP_DIRECT_H
#define PN_SWEEP_DIRECT_H

#include "sweep/run/worker.h"

/* Adds the columns of the rows: t, q and v, then those of the command. The worker has the model and the numbers. */
pinion_status pn_direct_columns(pinion_sweep_worker *w, pinion_result *table, pinion_error *err);
/* Makes all rows, each given to pn_worker_row(), or added to `table` where that is not NULL. */
pinion_status pn_direct_rows(pinion_sweep_worker *w, pinion_result *table, pinion_error *err);

#endif
