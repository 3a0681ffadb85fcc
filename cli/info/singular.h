/* Singular positions of closed loops, found by looking around. */
#ifndef PN_CLI_SINGULAR_H
#define PN_CLI_SINGULAR_H

#include "pinion/loops.h"

typedef enum singular_kind {
    SINGULAR_NOT,
    SINGULAR_BRANCHES, /* the rank is higher nearby: motions of several kinds meet here */
    SINGULAR_LOCKED    /* L allows motions, the loops none */
} singular_kind;

/* Of closed loops at q, with what pinion_mobility_at() says there. SINGULAR_NOT also where it cannot be told. */
singular_kind pn_cli_singular(const pinion_model *m, pinion_work *w, const double *q,
                              const pinion_mobility *mobility);

/* Says in a sentence that a rank is in doubt: by which angle, of which loop, and whether it is so wherever that moves
 * (`rounded`, as pinion_mobility has it). */
void pn_cli_doubt(const pinion_model *m, double angle, int loop, int rounded, char *text, size_t size);

#endif
