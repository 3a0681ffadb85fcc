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
