/* What joints transmit: for each joint the wrench that the parent exerts on the child through it, whole, with
 * the part along the axis that the motor gives. [moment; force] in the child link's frame, at its origin. */
#ifndef PN_CLI_REACTIONS_H
#define PN_CLI_REACTIONS_H

#include "pinion/pinion.h"

typedef struct cli_reactions {
    const pinion_model *m;
    pinion_work *w;
    int links, joints;
    double *wrench;              /* [links][6] what the joint that carries the link exerts on it */
    double *loop;                /* [loops][6] the same for what closes loops; 0 for gears and drives */
    double *position, *rotation; /* [frames][3] and [frames][9], in the world */
} cli_reactions;

/* 0 when out of memory. The workspace is shared with the caller. */
int pn_cli_reactions_begin(cli_reactions *r, const pinion_model *m, pinion_work *w);
void pn_cli_reactions_end(cli_reactions *r);
/* Fills `wrench` for a motion, by Newton's and Euler's equations of every link, from the tips to the base.
 * Rotors are no part of it: their inertia acts on the joint's force alone.
 * @param f_ext  [bodies][6] what acts on the bodies besides, in their links' frames; NULL: nothing
 * @param loops  [loops][6] what pinion_loop_reactions says goes through the loops; NULL without loops
 * @param touch  [touches] contacts with their forces, which links then need not get through their joints */
pinion_status pn_cli_reactions(cli_reactions *r, const double *q, const double *v, const double *a,
                               const double *f_ext, const double *loops, int touches,
                               const pinion_support_point *touch);

#endif
