/* Which bodies loops tie to each other while bodies are eliminated one by one, from the last to the first, as
 * kernel/loops/loop_proximal.inc does it: the pattern, from the model alone. */
#ifndef PN_COUPLINGS_H
#define PN_COUPLINGS_H

#include "model/plan/place_frames.h"

typedef struct pn_couplings {
    int count;  /* of couplings; -1: too many to be worth a table */
    int *first; /* [nodes + 1] where the couplings of each body begin in `other` */
    int *other; /* [count] the bodies below it that a body is tied to, ascending; never the base */
} pn_couplings;

/* Zero when out of memory (which the pool notes). */
int pn_couplings_make(pn_couplings *c, const pn_plan *plan, const pn_skeleton *s, pn_pool *pool);
/* first, then other, as kernels read them; first is all zero where count is -1. */
void pn_couplings_write(const pn_couplings *c, int nodes, int *table);

#endif
