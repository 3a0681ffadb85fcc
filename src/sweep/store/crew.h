/* Who works on the files of a sweep: threads of this process, beside the other processes of its team. */
#ifndef PN_SWEEP_CREW_H
#define PN_SWEEP_CREW_H

#include "pinion/sim/sweep.h"

typedef struct pn_crew {
    int threads;                   /* of this process */
    const pinion_sweep_team *team; /* NULL: this process alone */
} pn_crew;

/* As many threads as were asked for, or as there are processors. */
int pn_crew_threads(int asked);
/* Calls `work` on so many threads at once, the caller's among them. Where the system gives fewer, those do it: so
 * `work` takes what is left to do until there is nothing. */
void pn_crew_work(int threads, void (*work)(void *), void *shared);

int pn_crew_first(const pn_crew *c); /* nonzero: it is rank 0, which does what one does for all */
int pn_crew_ranks(const pn_crew *c);
/* All go on, or none does; those that could say what rank 0 says. */
pinion_status pn_crew_agree(const pn_crew *c, pinion_status status, pinion_error *err);
/* What rank 0 has, all have afterwards. */
pinion_status pn_crew_share(const pn_crew *c, void *bytes, size_t size, pinion_error *err);
/* Adds up the numbers of all, for all. */
pinion_status pn_crew_sum(const pn_crew *c, uint64_t *numbers, uint64_t count, pinion_error *err);

#endif
