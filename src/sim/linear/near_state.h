/* What linearizing needs of a state. Private to src/sim/linear. */
#ifndef PN_SIM_NEAR_STATE_H
#define PN_SIM_NEAR_STATE_H

#include "pinion/loops.h"
#include "pinion/sim/forces.h"
#include "pinion/sim/linearize.h"

/* A pinion_linear while it is made; what users see is the first member. */
typedef struct near_state near_state;
struct near_state {
    pinion_linear seen;
    const pinion_model *m;
    const pinion_model *body; /* that accelerations are of: m, and what force elements add to its mass */
    pinion_forces *forces;    /* NULL: none */
    double t;
    pinion_work *w;
    int nq, nv, rows;
    int looped;                /* it has loops, of which springs have no rows */
    const double *q, *v, *tau; /* [nq], [nv], [nv] */
    double *actuation;         /* [nv][nu] tau by u */
    const near_state *like;    /* the velocities to take for independent are its own; NULL: they are chosen */
    double *slack;             /* [2 nv] what q and v may be off as rows are, in those that are not independent */
    double *memory;
    int *numbers;
    double *more; /* A and B with the states of actuators; NULL: there are none */
    int *whose;
};

/* Fills `err`, which may be NULL, with the reason or else the status's text; returns the status. */
pinion_status pn_linear_fail(pinion_error *err, pinion_status status, const char *why);

/* Puts the states of actuators behind the others, where some have dynamics. */
pinion_status pn_linear_actuators(near_state *x);

/* The largest friction of a joint of the tree at rest. */
double pn_friction_at_rest(const pinion_model *m, const double *v);

/* ad(v) of the joints that turn in space or in a plane: d(delta)/dt = w - ad(v) delta. [nv][nv] */
void pn_adjoint(const pinion_model *m, const double *v, double *ad);

/* Which velocities are independent, the motion of all for them, and what the others change by as the configuration
 * moves so while these stay, both [nv][freedom]; and x's slack. */
pinion_status pn_loops_independent(near_state *x, int *velocity, double *motion, double *drift, int *freedom);

#endif
