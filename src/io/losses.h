/* What a writer leaves out of a file since its format has no words for it: one line for each kind. */
#ifndef PN_LOSSES_H
#define PN_LOSSES_H

#include "io/model_io.h"

#define PN_MAX_LOSSES 40 /* kinds that one writer may know */

/* A kind: "the speed limit" of "joint" 'x' (and 5 others) "is left out". */
typedef struct pn_loss {
    const char *what, *of; /* static text */
    char first[64];        /* the name of the first one */
    long count;
} pn_loss;

typedef struct pn_losses {
    const char *format; /* "MJCF" */
    int strict;         /* what would change the motion is an error */
    pinion_error *err;
    pn_loss kind[PN_MAX_LOSSES];
    int kinds;
} pn_losses;

/* Notes that what some element has is left out; `what` goes on with what becomes of it. With `motion` it would change
 * how the model moves. 0 where that is an error, which is filled. */
int pn_lose(pn_losses *l, int motion, const char *of, const char *name, const char *what);
/* For what no file could mean: fills the error and returns 0. */
int pn_cannot_write(pn_losses *l, const char *of, const char *name, const char *why);
/* The lines, each with its end; NULL when out of memory. */
char *pn_losses_told(const pn_losses *l);

#endif
