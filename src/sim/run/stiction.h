/* Coulomb friction as it is: a joint that slides is braked by its friction, a joint that sticks does not move while the
 * force that holds it stays within friction. Which of the two it is are modes of the system, see stepper.h. */
#ifndef PN_SIM_STICTION_H
#define PN_SIM_STICTION_H

#include "pinion/dynamics.h"

/* Scratch of stiction_answer.c, with loops. */
typedef struct pn_stiction_answers {
    int rows;              /* of the constraints */
    double *K;             /* [nv][nv] the answer of accelerations to forces */
    double *L, *Y, *S;     /* [rows][nv] twice, [rows][rows] */
    double *B, *G, *left;  /* [n][n] twice, [n], n of rows or joints */
    int *order;            /* [n] */
} pn_stiction_answers;

typedef struct pn_stiction {
    int nv, loop_nv, count;
    struct pn_loops *loops;      /* NULL: the model has none */
    int *v;                      /* [count] the velocities with friction; from nv on of joints that close loops, */
    double *positive, *negative; /* [count] and how much against either direction */
    double ratio;                /* of what holds to what brakes, >= 1 */
    double slack;                /* of friction: what holds may exceed it by rounding */
    double still;                /* m/s or rad/s: slower is at rest, for loops are kept to rounding alone */
    double *mode;                /* [count] 1, -1: slides so; 0: sticks; 2, -2: gives all that it can while others of
                                  * its loop keep it from sliding so. Then how often it stuck, and broke away */
    double *before;              /* [count] the modes before they change */
    double *memory;              /* of all arrays but v */
    double *M, *h, *factor, *x;  /* [nv][nv], [nv], [nv][nv], [nv] of the last accelerations; stiction_loops.c */
    double *hold, *rate;         /* [count] what held in the last accelerations; those of the joints, */
    double *force, *given;       /* [count] and the friction of joints at rest that are to slide, all and some */
    double *tau;                 /* [nv] all else that acts */
    double *D, *R, *drift;       /* [count][nv], [count] with loops: rates of joints by v; what their limits do to a */
    double *a, *first, *rhs, *sum, *U; /* [nv] and [nv][nv] scratch */
    int *free, *pivot, *open, *rests, *rested; /* [nv] likewise, in the block of v */
    pn_stiction_answers answer;
} pn_stiction;

/* Where it is asked. */
typedef struct pn_stiction_state {
    const pinion_model *m;
    pinion_work *w;
    double t;
    const double *q, *v, *f_ext;
} pn_stiction_state;

/* The friction of all joints of a model, a follower's on its leader. *out is NULL where there is none. */
pinion_status pn_stiction_new(const pinion_model *m, double ratio, pn_stiction **out);
void pn_stiction_free(pn_stiction *x); /* NULL is allowed */

/* The rates D of joints that close loops, at a configuration: before all that follows. */
pinion_status pn_stiction_rows(pn_stiction *x, const pinion_model *m, pinion_work *w, const double *q);
/* Adds what brakes the joints that slide, and sets its power. */
void pn_stiction_load(const pn_stiction *x, const double *v, double *tau, double *power);
/* Whether a joint sticks. */
int pn_stiction_holds(const pn_stiction *x);
/* The accelerations where some stick: tau is all that acts but what holds. With loops also the power of laws of
 * time. */
pinion_status pn_stiction_accelerate(pn_stiction *x, const pn_stiction_state *at, const double *tau, double *a,
                                     double *power);
/* By how much each mode holds good: the speed in its direction, or what more the friction could hold. */
void pn_stiction_margins(const pn_stiction *x, const double *v, double *out);
/* The modes that v tells: joints at rest stick. */
void pn_stiction_first(pn_stiction *x, const double *v);
/* Brings to rest what has turned around; all that is at rest sticks, for now. */
void pn_stiction_stop(pn_stiction *x, double *v);
/* Which of the joints at rest stick, given all that acts beside their friction. Before it: modes from
 * pn_stiction_stop(), and x->before those that were in force, for the counts. */
pinion_status pn_stiction_choose(pn_stiction *x, const pn_stiction_state *at, const double *tau);

/* stiction_loops.c: what joints at rest do to each other with x->tau; accelerations and what holds by the modes with
 * x->force. finish: these to rounding, with the power of laws of time. */
pinion_status pn_stiction_respond(pn_stiction *x, const pn_stiction_state *at);
pinion_status pn_stiction_solve(pn_stiction *x, double *a);
/* Whether those that stick keep a joint at rest from sliding. */
int pn_stiction_is_kept(pn_stiction *x, int i);
pinion_status pn_stiction_finish(pn_stiction *x, const pn_stiction_state *at, double *a, double *power);

/* stiction_answer.c: x->answer.K at a state, unless it is not clear which constraints follow from others; the least y
 * with W y = rhs, W [n][n], or 0 where singular values up to `least` may have a say. */
pinion_status pn_stiction_answer(pn_stiction *x, const pn_stiction_state *at, int *clear);
int pn_stiction_least(pn_stiction *x, int n, const double *W, double least, const double *rhs, double *y);

#endif
