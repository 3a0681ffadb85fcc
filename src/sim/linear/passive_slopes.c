/* Derivatives of what springs and dampers of joints exert, and what friction is to them. */
#include "sim/linear/near_state.h"

#include <math.h>

/* The velocity of the model that moves a joint's d-th freedom, and by how much: followers move with their
 * leader. */
static int moved_by(const pinion_model *m, pinion_joint_info joint, int d, double *times)
{
    *times = 1;
    while (joint.leader >= 0) {
        *times *= joint.multiplier;
        if (pinion_model_joint(m, joint.leader, &joint) != PINION_OK) return -1;
    }
    return joint.nv > 0 ? joint.v_index + d : -1;
}

/* A planar joint's springs count in the parent's directions, its velocities in the child's. */
static void planar_springs(const pinion_joint_info *joint, const double *q, int nv, double *K)
{
    const double *x = q + joint->q_index, c = cos(x[2]), s = sin(x[2]);
    const double kx = joint->dof[0].stiffness, ky = joint->dof[1].stiffness;
    const double fx = kx * (joint->dof[0].rest - x[0]), fy = ky * (joint->dof[1].rest - x[1]);
    double *k = K + joint->v_index * nv + joint->v_index;
    k[0] -= c * c * kx + s * s * ky;
    k[1] -= c * s * (ky - kx);
    k[2] += c * fy - s * fx;
    k[nv] -= c * s * (ky - kx);
    k[nv + 1] -= s * s * kx + c * c * ky;
    k[nv + 2] -= c * fx + s * fy;
    k[2 * nv + 2] -= joint->dof[2].stiffness;
}

double pn_passive_slopes(const pinion_model *m, const double *q, const double *v, double *K, double *D)
{
    const int nv = pinion_model_nv(m);
    double rest = 0;
    for (int i = 0; i < nv * nv; i++) K[i] = D[i] = 0;
    pinion_joint_info joint;
    for (int i = 0; i < pinion_model_joint_count(m) && pinion_model_joint(m, i, &joint) == PINION_OK; i++) {
        const int springs = joint.type != PINION_JOINT_SPHERICAL && joint.type != PINION_JOINT_FREE;
        for (int d = 0; d < joint.dof_count; d++) {
            double times;
            const int at = moved_by(m, joint, d, &times);
            if (at < 0) continue;
            const pinion_dof *e = &joint.dof[d];
            D[at * nv + at] -= times * times * e->damping;
            if (springs && joint.type != PINION_JOINT_PLANAR) K[at * nv + at] -= times * times * e->stiffness;
            if (v[at] * times == 0) rest = fmax(rest, fmax(e->friction_positive, e->friction_negative));
        }
        if (joint.type == PINION_JOINT_PLANAR && joint.nv > 0) planar_springs(&joint, q, nv, K);
    }
    return rest;
}

/* what friction takes from the force, to be given back where it was at rest before */
static double given_back(const pinion_dof *e, double v0, double v)
{
    if (v0 != 0) return 0;
    return v > 0 ? e->friction_positive : v < 0 ? -e->friction_negative : 0;
}

void pn_without_friction(const pinion_model *m, const double *v0, const double *v, double *tau)
{
    pinion_joint_info joint;
    for (int i = 0; i < pinion_model_joint_count(m) && pinion_model_joint(m, i, &joint) == PINION_OK; i++)
        for (int d = 0; d < joint.dof_count; d++) {
            double times;
            const int at = moved_by(m, joint, d, &times);
            if (at >= 0) tau[at] += times * given_back(&joint.dof[d], times * v0[at], times * v[at]);
        }
}

void pn_loops_without_friction(const pinion_model *m, const double *v0, const double *v, double *tau)
{
    pinion_loop_info loop;
    for (int i = 0; i < pinion_model_loop_count(m) && pinion_model_loop(m, i, &loop) == PINION_OK; i++)
        for (int d = 0; d < loop.nv && d < loop.joint.dof_count; d++) {
            const int at = loop.v_index + d;
            tau[at] += given_back(&loop.joint.dof[d], v0[at], v[at]);
        }
}

static void cross_matrix(const double x[3], double sign, double *out, int nv)
{
    out[1] -= sign * x[2], out[2] += sign * x[1];
    out[nv] += sign * x[2], out[nv + 2] -= sign * x[0];
    out[2 * nv] -= sign * x[1], out[2 * nv + 1] += sign * x[0];
}

void pn_adjoint(const pinion_model *m, const double *v, double *ad)
{
    const int nv = pinion_model_nv(m);
    for (int i = 0; i < nv * nv; i++) ad[i] = 0;
    pinion_joint_info joint;
    for (int i = 0; i < pinion_model_joint_count(m) && pinion_model_joint(m, i, &joint) == PINION_OK; i++) {
        if (joint.nv == 0) continue;
        const double *x = v + joint.v_index;
        double *at = ad + joint.v_index * nv + joint.v_index;
        if (joint.type == PINION_JOINT_SPHERICAL) cross_matrix(x, 1, at, nv);
        if (joint.type == PINION_JOINT_FREE) {
            cross_matrix(x, 1, at, nv);
            cross_matrix(x + 3, 1, at + 3 * nv, nv);
            cross_matrix(x, 1, at + 3 * nv + 3, nv);
        }
        if (joint.type == PINION_JOINT_PLANAR) {
            at[1] -= x[2], at[2] += x[1];
            at[nv] += x[2], at[nv + 2] -= x[0];
        }
    }
}
