/* How far a state is from a moving target, on the configuration manifold. */
#ifndef PN_SIM_TRACKING_H
#define PN_SIM_TRACKING_H

#include "pinion/dynamics.h"

/* One joint whose velocities live in its own moving frame, so that those of two configurations cannot be
 * compared as they stand. */
typedef struct pn_group_joint {
    pinion_joint_type type; /* planar, spherical or free */
    int q, v;               /* where its coordinates and velocities begin */
} pn_group_joint;

/* The joints of that kind; *count of them, to be released with free(). NULL when out of memory. */
pn_group_joint *pn_group_joints(const pinion_model *m, int *count);

/* The target's velocity and acceleration as they are to be compared with v and a at q, which see.
 *
 * A joint of one coordinate keeps them. Planar, spherical and free joints move on a group: with X the
 * target's frame in the frame at q, a twist V of the target is Ad(X) V there, and with u = Ad(X) V_target its
 * derivative along the motion of both is u' = Ad(X) a_target - ad(v) u. With u - v = 0 and q = q_target both
 * move alike for ever.
 * @param v_target, a_target  [nv] in: in the target's frame; out: in the frame at q. a_target may be NULL */
void pn_transport(const pn_group_joint *joint, int count, const double *q, const double *v,
                  const double *q_target, double *v_target, double *a_target);

#endif
