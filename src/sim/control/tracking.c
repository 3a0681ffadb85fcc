/* Velocities of a target in the frame of another configuration: see tracking.h. */
#include "sim/control/tracking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"

pn_group_joint *pn_group_joints(const pinion_model *m, int *count)
{
    const int joints = pinion_model_joint_count(m);
    pn_group_joint *list = calloc((size_t)joints + 1, sizeof *list);
    *count = 0;
    for (int i = 0; list && i < joints; i++) {
        pinion_joint_info info;
        if (pinion_model_joint(m, i, &info) != PINION_OK || info.nv == 0) continue;
        if (info.type == PINION_JOINT_PLANAR || info.type == PINION_JOINT_SPHERICAL || info.type == PINION_JOINT_FREE)
            list[(*count)++] = (pn_group_joint){info.type, info.q_index, info.v_index};
    }
    return list;
}

/* Where a joint's child frame is in its parent's, and its twist [angular; linear] from its velocities. A
 * planar joint's plane is taken as that of x and y. */
static void pose_of(pinion_joint_type type, const double *q, double R[9], double p[3])
{
    p[0] = p[1] = p[2] = 0;
    if (type == PINION_JOINT_PLANAR) {
        const double c = cos(q[2]), s = sin(q[2]);
        const double of[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
        memcpy(R, of, sizeof of);
        p[0] = q[0], p[1] = q[1];
        return;
    }
    pn_quaternion_matrix(q, R);
    if (type == PINION_JOINT_FREE) memcpy(p, q + 4, 3 * sizeof *p);
}

static void twist_of(pinion_joint_type type, const double *v, double t[6])
{
    memset(t, 0, 6 * sizeof *t);
    if (type == PINION_JOINT_PLANAR)
        t[2] = v[2], t[3] = v[0], t[4] = v[1];
    else
        memcpy(t, v, (type == PINION_JOINT_FREE ? 6 : 3) * sizeof *t);
}

static void velocities_of(pinion_joint_type type, const double t[6], double *v)
{
    if (type == PINION_JOINT_PLANAR)
        v[0] = t[3], v[1] = t[4], v[2] = t[2];
    else
        memcpy(v, t, (type == PINION_JOINT_FREE ? 6 : 3) * sizeof *t);
}

/* t = Ad(X) t for X = (R, p): w = R w, v = R v + p x R w */
static void carry(const double R[9], const double p[3], double t[6])
{
    double y[6], shift[3];
    for (int i = 0; i < 3; i++) {
        y[i] = R[3 * i] * t[0] + R[3 * i + 1] * t[1] + R[3 * i + 2] * t[2];
        y[3 + i] = R[3 * i] * t[3] + R[3 * i + 1] * t[4] + R[3 * i + 2] * t[5];
    }
    pn_cross3(p, y, shift);
    for (int i = 0; i < 3; i++) t[i] = y[i], t[3 + i] = y[3 + i] + shift[i];
}

static void transport_joint(pinion_joint_type type, const double *q, const double *v, const double *q_target,
                            double *v_target, double *a_target)
{
    /* X: the target's frame in the frame at q */
    double R0[9], p0[3], R1[9], p1[3], R[9], p[3], d[3];
    pose_of(type, q, R0, p0);
    pose_of(type, q_target, R1, p1);
    for (int i = 0; i < 3; i++) d[i] = p1[i] - p0[i];
    for (int i = 0; i < 3; i++) {
        p[i] = R0[i] * d[0] + R0[3 + i] * d[1] + R0[6 + i] * d[2];
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = R0[i] * R1[j] + R0[3 + i] * R1[3 + j] + R0[6 + i] * R1[6 + j];
    }

    /* u = Ad(X) V */
    double own[6], u[6], a[6], x[3], y[3];
    twist_of(type, v_target, u);
    carry(R, p, u);
    if (a_target) {
        /* Ad(X) a - ad(v) u, ad(v) u = [w x w_u; w x v_u + v x w_u] */
        twist_of(type, v, own);
        twist_of(type, a_target, a);
        carry(R, p, a);
        pn_cross3(own, u, x);
        for (int i = 0; i < 3; i++) a[i] -= x[i];
        pn_cross3(own, u + 3, x);
        pn_cross3(own + 3, u, y);
        for (int i = 0; i < 3; i++) a[3 + i] -= x[i] + y[i];
        velocities_of(type, a, a_target);
    }
    velocities_of(type, u, v_target);
}

void pn_transport(const pn_group_joint *joint, int count, const double *q, const double *v,
                  const double *q_target, double *v_target, double *a_target)
{
    for (int i = 0; i < count; i++) {
        const pn_group_joint *j = &joint[i];
        transport_joint(j->type, q + j->q, v + j->v, q_target + j->q, v_target + j->v,
                        a_target ? a_target + j->v : NULL);
    }
}
