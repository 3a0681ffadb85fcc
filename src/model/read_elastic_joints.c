/* Elastic joints of a model: which there are. Their parts are joints, links and tendons as others are, so that they are
 * known by their names and by what is between them. */
#include <stdio.h>
#include <string.h>

#include "model/record.h"
#include "pinion/elastic_joints.h"

/* whether the joint is the motor of the other one, by its name */
static int is_motor_of(const pinion_joint_info *motor, const pinion_joint_info *joint)
{
    const size_t length = strlen(joint->name);
    return strncmp(motor->name, joint->name, length) == 0 && strcmp(motor->name + length, ".motor") == 0;
}

/* A tendon theta / G - q, relaxed at 0, between a motor and its joint. */
static int elastic_of(const pinion_model *m, int tendon, pinion_elastic_joint_info *out)
{
    pinion_tendon_info t;
    pinion_joint_info motor, joint;
    pinion_link_info rotor;
    if (pinion_model_tendon(m, tendon, &t) != PINION_OK || t.type != PINION_TENDON_JOINTS || t.count != 2) return 0;
    if (t.rest[0] != 0 || t.rest[1] != 0 || !(t.stiffness > 0) || t.term[1].weight != -1) return 0;
    if (pinion_model_joint(m, t.term[0].index, &motor) != PINION_OK ||
        pinion_model_joint(m, t.term[1].index, &joint) != PINION_OK ||
        pinion_model_link(m, motor.child, &rotor) != PINION_OK)
        return 0;
    if (!is_motor_of(&motor, &joint) || motor.nv != 1 || joint.nv != 1) return 0; /* followers have no velocity */
    memset(out, 0, sizeof *out);
    out->joint = t.term[1].index;
    out->motor = t.term[0].index;
    out->tendon = tendon;
    out->stiffness = t.stiffness;
    out->damping = t.damping;
    out->gear = 1 / t.term[0].weight;
    out->rotor_inertia = motor.dof[0].gear_ratio * motor.dof[0].gear_ratio * motor.dof[0].rotor_inertia;
    /* a rotor with a body of its own: J along its axis, which the joint's frame has */
    const double *I = rotor.inertia.inertia, *e = motor.axis;
    if (rotor.inertia.mass != 0) {
        out->model = PINION_ELASTIC_FULL;
        out->rotor_inertia += I[0] * e[0] * e[0] + I[3] * e[1] * e[1] + I[5] * e[2] * e[2] +
                              2 * (I[1] * e[0] * e[1] + I[2] * e[0] * e[2] + I[4] * e[1] * e[2]);
    }
    return 1;
}

int pinion_model_elastic_joint_count(const pinion_model *m)
{
    pinion_elastic_joint_info info;
    int count = 0;
    for (int i = 0; i < pinion_model_tendon_count(m); i++) count += elastic_of(m, i, &info);
    return count;
}

pinion_status pinion_model_elastic_joint(const pinion_model *m, int index, pinion_elastic_joint_info *out)
{
    if (!m || !out || index < 0) return PINION_ERR_ARGUMENT;
    for (int i = 0; i < pinion_model_tendon_count(m); i++)
        if (elastic_of(m, i, out) && index-- == 0) return PINION_OK;
    return PINION_ERR_ARGUMENT;
}
