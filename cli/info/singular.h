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

/* What there is to tell beside an answer that closed loops have a part in; "": nothing. */
typedef enum loops_told { TOLD_OPEN, TOLD_RATE, TOLD_SINGULAR, TOLD_DOUBT, TOLD_CONTRADICTION, TOLD_KINDS } loops_told;
typedef struct cli_loops {
    double angle; /* rad, of the row that is nearest to dependent; 0: at a singular position; INFINITY: none is near */
    char text[TOLD_KINDS][500];
} cli_loops;

/* Looks at a state: whether it leaves loops open, drives them open, or is singular or nearly so. The contradiction is
 * for those who know accelerations. */
void pn_cli_loops_look(const pinion_model *m, pinion_work *w, double t, const double *q, const double *v, cli_loops *x);

/* How far the row that is open most is so, of what it could be. */
double pn_cli_open_share(const pinion_model *m, pinion_work *w, double t, const double *q);

/* Says in a sentence that a rank is in doubt: by which angle, of which loop, and whether it is so wherever that moves
 * (`rounded`, as pinion_mobility has it). */
void pn_cli_doubt(const pinion_model *m, double angle, int loop, int rounded, char *text, size_t size);
/* The same, or that a position is singular, from what is known of it; "": neither. */
void pn_cli_doubt_at(const pinion_model *m, const pinion_mobility *at, char *text, size_t size);

#endif
