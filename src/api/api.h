/* What the C API's functions over one precision share. Re-included through api.inc; see api_f64.c. */
#ifndef PN_API_H
#define PN_API_H

#include "api/dispatch.h"
#include "pinion/pinion.h"

/* What the last failing call objected to, for the message. */
typedef struct pn_complaint {
    pinion_status status;
    int joint;    /* of the model, -1: none in particular */
    int argument; /* PN_ARG_*, 0: none in particular */
} pn_complaint;

enum {
    PN_ARG_NONE = 0,
    PN_ARG_Q,
    PN_ARG_OUTPUT,
    PN_ARG_FRAME,
    PN_ARG_REFERENCE,
    PN_ARG_ALGORITHM,
    PN_ARG_INPUT,
    PN_ARG_CONSTRAINTS,
    PN_ARG_KIND,
    PN_ARG_LENGTH, /* of a quaternion that is to be made unit */
    PN_ARG_TARGET, /* q_target of a rollout */
    PN_ARG_MODEL
};

/* the joint that moves a compiled body */
int pn_joint_of_node(const pinion_model *m, int node);
/* a joint behind which nothing has mass or inertia, -1 when there is none */
int pn_massless_joint(const pinion_model *m);
/* writes the sentence for a complaint */
void pn_complain(const pinion_model *m, const pn_complaint *c, char *text, size_t size);

/* room in a workspace for an algorithm that applies, as its own calls make it (calls_by.inc) */
pinion_status pn_work_make_room(const pinion_model *m, pinion_work *w, int algorithm);

/* the checks of a call, and six rows over the velocities that kernels without columns leave alone (api_f64.c) */
pinion_status pn_work_enter(const pinion_model *m, pinion_work *w, const double *q, const void *output,
                            double **columns);

/* d_step.inc: the derivatives of the steps of one state of a rollout, and the memory for them */
pinion_status pn_d_rollout(const pinion_model *m, pinion_work *w, const pinion_rollout *r, size_t count, size_t state,
                           double *q, double *v, double *A, double *B, size_t *step);
pinion_status pn_d_rollout_f32(const pinion_model *m, pinion_work_f32 *w, const pinion_rollout_f32 *r, size_t count,
                               size_t state, float *q, float *v, float *A, float *B, size_t *step);
pinion_status pn_d_rollout_room(const pinion_model *m, pinion_work *w);
pinion_status pn_d_rollout_room_f32(const pinion_model *m, pinion_work_f32 *w);

/* f, a force given in a frame, becomes the force in the link frame of the frame's body; returns the body */
int pn_force_on_body(const pinion_model *m, int frame, double f[6]);
/* manifold.c: Ad(exp(-xi)) and the right Jacobian of the exponential; those of xi = log(q0^-1 q1) by q0 and by q1 */
void pn_twist_jacobians(const double xi[6], double back[36], double J[36]);
void pn_twist_difference_jacobians(const double xi[6], double from[36], double to[36]);
/* joint_chart.c: a joint at theta from q0 in the chart of rollouts, and what its derivatives are made of */
typedef struct pn_joint_chart {
    pinion_joint_type type;
    int nv;
    double v[6];
    double R0[9], R[9];             /* free, planar: rotations at q0 and there */
    double back[9], J[9];           /* of rotations: exp(-theta), and the right Jacobian */
    double by_theta[9], by_v[9];    /* of the rate of theta */
} pn_joint_chart;
/* q, and the rate of theta as the joint moves with v */
void pn_joint_chart_at(pinion_joint_type type, int nv, const double *q0, const double *theta, const double *v,
                       pn_joint_chart *c, double *q, double *rate);
/* what q, in its own tangent space, and the rate change by as q0, theta and v do */
void pn_joint_chart_change(const pn_joint_chart *c, const double *d0, const double *dtheta, const double *dv,
                           double *dq, double *drate);
/* a random configuration of one joint, within its limits; the seed moves on */
void pn_random_joint(const pinion_joint_info *joint, uint64_t *seed, double q[7]);

/* how far the origin of S, where a loop's rows act, is from the origin of the successor, or of the predecessor where
 * the successor is the base; with the radius of what rolls, the pitch of a screw. And the length of a rod, else 0. */
double pn_loop_arm(const pinion_model *m, int loop, double *length);
/* of a gear; of the joint above a body, m/rad, 0 where it is no screw */
double pn_loop_ratio(const pinion_model *m, int loop);
double pn_node_pitch(const pinion_model *m, int node);
/* the model's own velocity of which one of the tree is a multiple, and that multiple */
int pn_own_velocity(const pinion_model *m, int v, double *times);

/* memory of at least `size` bytes from `at` on, aligned to 64 */
static inline void *pn_align(void *at)
{
    return (void *)(((uintptr_t)at + 63) & ~(uintptr_t)63);
}

#endif
