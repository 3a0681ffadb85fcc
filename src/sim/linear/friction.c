/* Coulomb friction of joints at rest, which has no derivative, and how configurations change with velocities. */
#include "sim/linear/near_state.h"

#include <math.h>

double pn_friction_at_rest(const pinion_model *m, const double *v)
{
    double most = 0;
    pinion_joint_info joint;
    for (int i = 0; i < pinion_model_joint_count(m) && pinion_model_joint(m, i, &joint) == PINION_OK; i++)
        for (int d = 0; d < joint.dof_count; d++) {
            if (v[joint.v_source + d] * joint.multiplier != 0) continue;
            most = fmax(most, fmax(joint.dof[d].friction_positive, joint.dof[d].friction_negative));
        }
    return most;
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
            const int at = joint.v_source + d;
            const double times = joint.multiplier;
            tau[at] += times * given_back(&joint.dof[d], times * v0[at], times * v[at]);
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
