/* All runs of a range on the threads of this machine. */
#ifndef PN_SWEEP_ENGINE_H
#define PN_SWEEP_ENGINE_H

#include "sweep/store/journal_folder.h"

/* Makes the runs from `first` on that the sheet does not have, each into the journal of the thread that made
 * it, and counts them in `state`. Returns when all are done, when one failed for good (err), or when
 * `progress` ended it (PINION_ERR_CALLBACK). */
pinion_status pn_engine(const pinion_sweep *s, pn_folder *folder, const pn_tally_sheet *done,
                        const pinion_sweep_options *options, pinion_sweep_state *state, pinion_error *err);

#endif
