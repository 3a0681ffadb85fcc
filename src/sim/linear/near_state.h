/* What linearizing needs of a state. Private to src/sim/linear. */
#ifndef PN_SIM_NEAR_STATE_H
#define PN_SIM_NEAR_STATE_H

#include "pinion/loops.h"
#include "pinion/sim/linearize.h"

/* A pinion_linear while it is made; what users see is the first member. */
typedef struct near_state {
    pinion_linear seen;
    const pinion_model *m;
    pinion_work *w;
    int nq, nv, rows;
    int looped;                /* it has loops, of which springs have no rows */
    const double *q, *v, *tau; /* [nq], [nv], [nv] */
    double *memory;
    int *numbers;
} near_state;

/* Fills `err`, which may be NULL, with the reason or else the status's text; returns the status. */
pinion_status pn_linear_fail(pinion_error *err, pinion_status status, const char *why);

/* The largest friction of a joint of the tree at rest. */
double pn_friction_at_rest(const pinion_model *m, const double *v);
/* What the friction of joints at rest adds to tau_p where they move by v: taken away again. [nv], added to.
 */
void pn_without_friction(const pinion_model *m, const double *v0, const double *v, double *tau);
/* The same for the joints of loops, [loop_nv]. */
void pn_loops_without_friction(const pinion_model *m, const double *v0, const double *v, double *tau);

/* ad(v) of the joints that turn in space or in a plane: d(delta)/dt = w - ad(v) delta. [nv][nv] */
void pn_adjoint(const pinion_model *m, const double *v, double *ad);

/* The lower half of A and B of a model with loops, by differences, with its independent velocities. */
pinion_status pn_loops_by_differences(near_state *x, double *A, double *B, pinion_error *err);
/* Which velocities are independent, and the motion of all for them. */
pinion_status pn_loops_independent(near_state *x, int *velocity, double *motion, int *freedom);

#endif
