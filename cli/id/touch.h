/* Where a machine touches: the points of contact at a configuration, of the collisions of its model or of places that
 * are named. */
#ifndef PN_CLI_TOUCH_H
#define PN_CLI_TOUCH_H

#include "pinion/pinion.h"

#define TOUCH_GAP 1e-3 /* m: what is nearer touches, unless something else is said */

/* Two things that touch, or one on the ground. */
typedef struct touch_pair {
    char name[620];    /* "A.B" */
    const char *first, *second;
    int scene_pair;    /* of the scene; -1: none */
    int frame;         /* a place that was named; -1: none */
    double gap;        /* m at the last configuration; infinite where that is not known */
    double share;
} touch_pair;

typedef struct cli_touch {
    const pinion_model *m;
    pinion_work *w;
    double gap, friction;
    pinion_scene *scene; /* NULL: places that were named */
    int count, most;     /* points at the last configuration */
    pinion_support_point *point;
    int *pair_of;        /* [most] */
    int *ends;           /* [2 pairs of the scene] collisions */
    int pairs, pairs_room;
    touch_pair *pair;    /* those that have touched, or all that were named */
} cli_touch;

/* `what` is "ground", "model" or names of frames and links, with commas between them. A name of a link with collisions
 * means these, any other one the frame's origin. NULL as command: nothing is said. CLI_DONE, or CLI_USAGE or CLI_FAILED
 * after a message.
 * @param gap  infinite: what is named always touches */
int pn_cli_touch_begin(cli_touch *x, const char *command, const pinion_model *m, pinion_work *w, const char *what,
                       double gap, double friction);
void pn_cli_touch_end(cli_touch *x);
/* The points at q, and the gaps of the pairs that are known. */
pinion_status pn_cli_touch_at(cli_touch *x, const double *q);
/* Whether a point is on what does not move; its number in the list. */
int pn_cli_touch_outside(const cli_touch *x, int point);

#endif
