/* Coulomb friction as it is: a joint that slides is braked by its friction, a joint that sticks does not move while the
 * force that holds it stays within friction. Which of the two it is are modes of the system, see stepper.h. */
#ifndef PN_SIM_STICTION_H
#define PN_SIM_STICTION_H

#include "pinion/dynamics.h"

typedef struct pn_stiction {
    int nv, count;
    int *v;                      /* [count] the velocities with friction, */
    double *positive, *negative; /* [count] and how much against either direction */
    double ratio;                /* of what holds to what brakes, >= 1 */
    double *mode;                /* [count] 1, -1: slides so; 0: sticks. Then how often it stuck, and broke away */
    double *memory;              /* of all arrays but v */
    double *M, *h, *factor, *x;  /* [nv][nv], [nv], [nv][nv], [nv] of the last accelerations */
    double *hold;                /* [count] what held in the last accelerations */
    double *tau, *acts, *a, *first; /* [nv] scratch */
    int *free, *pivot, *open, *rests; /* [nv] likewise, in the block of v */
} pn_stiction;

/* The friction of all joints of a model, a follower's on its leader. *out is NULL where there is none. */
pinion_status pn_stiction_new(const pinion_model *m, double ratio, pn_stiction **out);
void pn_stiction_free(pn_stiction *x); /* NULL is allowed */

/* Adds what brakes the joints that slide, and sets its power. */
void pn_stiction_load(const pn_stiction *x, const double *v, double *tau, double *power);
/* Whether a joint sticks. */
int pn_stiction_holds(const pn_stiction *x);
/* The accelerations where some stick: tau is all that acts but what holds. */
pinion_status pn_stiction_accelerate(pn_stiction *x, const pinion_model *m, pinion_work *w, const double *q,
                                     const double *v, const double *tau, const double *f_ext, double *a);
/* By how much each mode holds good: the speed in its direction, or what more the friction could hold. */
void pn_stiction_margins(const pn_stiction *x, const double *v, double *out);
/* The modes that v tells: joints at rest stick. */
void pn_stiction_first(pn_stiction *x, const double *v);
/* Brings to rest what has turned around; all that is at rest sticks, for now. */
void pn_stiction_stop(pn_stiction *x, double *v);
/* Which of the joints at rest stick, given all that acts beside their friction. Before it: modes from
 * pn_stiction_stop(); `before` [count] are those that were in force, for the counts. */
pinion_status pn_stiction_choose(pn_stiction *x, const pinion_model *m, pinion_work *w, const double *q,
                                 const double *v, const double *tau, const double *f_ext, const double *before);

#endif
