/* When a sweep has enough runs. It is looked at after so many runs in the order of their numbers, which the plan alone
 * decides: so the result does not depend on who made them. */
#ifndef PN_SWEEP_STOPPING_H
#define PN_SWEEP_STOPPING_H

#include "sweep/store/assemble.h"

/* Whether the first n runs, which the journals have, are enough: 1, 0, or -1 out of memory. */
int pn_stop_enough(const pinion_sweep *s, uint64_t n, int count, pn_journal_reader *journals);
/* The first look at which there are enough, of journals that have all runs; 0: out of memory. */
uint64_t pn_stop_find(const pinion_sweep *s, int count, pn_journal_reader *journals);

#endif
