/* Joints that the walk met from their child's side: turned round, so that every joint of the tree points away
 * from the root. With X = P J(q) inverse(C) the pose of the child in the parent, that of the parent in the
 * child is C inverse(J(q)) inverse(P): the frames change places, and J is written as its own inverse. */
#include <string.h>

#include "base/curve.h"
#include "model/plan/plan.h"
#include "model/pose.h"

/* Ry(-b) Rx(-a) = T Rx(b) Ry(a) T' with T half a turn that takes x to -y and y to -x: a universal joint
 * again, whose angles and degrees of freedom have changed places. */
static void turn_universal(pn_described_joint *joint, pinion_dof *dof)
{
    static const pinion_pose T = {{0, 0, 0}, {0, -1, 0, -1, 0, 0, 0, 0, -1}};
    joint->parent_pose = pn_pose_mul(&joint->parent_pose, &T);
    joint->child_pose = pn_pose_mul(&joint->child_pose, &T);
    pinion_dof first = dof[0];
    dof[0] = dof[1];
    dof[1] = first;
    double q = joint->initial_q[0], v = joint->initial_v[0];
    joint->initial_q[0] = joint->initial_q[1];
    joint->initial_q[1] = q;
    joint->initial_v[0] = joint->initial_v[1];
    joint->initial_v[1] = v;
}

/* The inverse rotation, of the spring's rest too; the angular velocity of the other body, in its own coordinates:
 * w' = -R w. */
static void turn_spherical(pn_described_joint *joint, pinion_dof *dof)
{
    double *q = joint->initial_q, *w = joint->initial_v, cross[3], again[3];
    const double *u = q + 1;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        cross[i] = 2 * (u[j] * w[k] - u[k] * w[j]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        again[i] = u[j] * cross[k] - u[k] * cross[j];
    }
    for (int i = 0; i < 3; i++) {
        w[i] = 0.0 - (w[i] + q[0] * cross[i] + again[i]);
        q[1 + i] = 0.0 - q[1 + i];
        dof[i].rest = 0.0 - dof[i].rest;
    }
}

/* Whether a spherical joint resists alike about every axis. What belongs to one of the axes of its child would have to
 * stay there, and cannot once v is along those of the other body. */
static int is_round(const pinion_dof *dof)
{
    for (int i = 0; i < 3; i++) {
        const pinion_dof *x = &dof[i];
        if (x->friction_positive != 0 || x->friction_negative != 0 || x->damping != dof->damping) return 0;
        if (pn_is_curved(x->damping_curve)) return 0;
        if (x->gear_ratio * x->gear_ratio * x->rotor_inertia != dof->gear_ratio * dof->gear_ratio * dof->rotor_inertia)
            return 0;
        if (x->lower != dof->lower || x->upper != dof->upper) return 0;
        if (x->velocity != dof->velocity || x->effort != dof->effort) return 0;
    }
    return 1;
}

static pinion_status turn(const pn_plan *plan, pn_described_joint *joint, pinion_dof *dof, pinion_error *err)
{
    if (joint->type == PINION_JOINT_PLANAR || joint->type == PINION_JOINT_FREE) {
        return pn_fail(plan->b, err, PINION_ERR_MODEL, joint->line,
                       "joint %s is %s and points towards the root; expected its parent and child, and their "
                       "origins, the other way round",
                       pn_quote(pn_builder_text(plan->b, joint->name)).text, pinion_joint_type_name(joint->type));
    }
    if (joint->type == PINION_JOINT_SPHERICAL && !is_round(dof)) {
        return pn_fail(plan->b, err, PINION_ERR_MODEL, joint->line,
                       "joint %s is spherical and points towards the root, and has friction, curved damping, or "
                       "damping, rotors or limits that are not the same for its three axes, which are those of its "
                       "child; expected its parent and child, and their origins, the other way round",
                       pn_quote(pn_builder_text(plan->b, joint->name)).text);
    }

    /* the two sides change places */
    size_t link = joint->parent;
    joint->parent = joint->child;
    joint->child = link;
    pinion_pose pose = joint->parent_pose;
    joint->parent_pose = joint->child_pose;
    joint->child_pose = pose;

    /* the joint itself: about the other way, a screw's coordinates keep their meaning */
    if (pn_type_uses_axis(joint->type)) {
        for (int i = 0; i < 3; i++) joint->axis[i] = 0.0 - joint->axis[i];
    }
    if (joint->type == PINION_JOINT_UNIVERSAL) turn_universal(joint, dof);
    if (joint->type == PINION_JOINT_SPHERICAL) turn_spherical(joint, dof);
    return PINION_OK;
}

pinion_status pn_plan_turns(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    size_t joints = b->joints.count, any = 0;
    for (size_t i = 0; i < joints; i++) any += plan->joint_turned[i] != 0;
    if (!any) return PINION_OK;

    /* copies of what changes; the builder stays as it is */
    plan->turned = *b;
    plan->turned.joints.data = pn_pool_take(&plan->pool, joints, sizeof(pn_described_joint));
    plan->turned.dofs.data = pn_pool_take(&plan->pool, b->dofs.count, sizeof(pinion_dof));
    if (plan->pool.failed) return pn_fail_memory(b, err);
    memcpy(plan->turned.joints.data, b->joints.data, joints * sizeof(pn_described_joint));
    if (b->dofs.count) memcpy(plan->turned.dofs.data, b->dofs.data, b->dofs.count * sizeof(pinion_dof));
    plan->b = &plan->turned;
    pinion_status status = PINION_OK;
    for (size_t i = 0; i < joints && status == PINION_OK; i++) {
        if (!plan->joint_turned[i]) continue;
        pn_described_joint *joint = PN_ITEM(&plan->turned.joints, pn_described_joint, i);
        status = turn(plan, joint, PN_ITEM(&plan->turned.dofs, pinion_dof, joint->dof), err);
    }
    return status;
}
