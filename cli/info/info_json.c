#include "src/base/curve.h"
#include "cli/info/info.h"

#include "cli/info/info_loops.h"

#include <stddef.h>

/* One property of every degree of freedom, as an array; infinite limits are null. */
static void put_dofs(cli_json *j, const char *key, const pinion_joint_info *joint, size_t member)
{
    pn_cli_json_key(j, key);
    pn_cli_json_open(j, '[', 1);
    for (int i = 0; i < joint->dof_count; i++)
        pn_cli_json_number(j, *(const double *)((const char *)&joint->dof[i] + member));
    pn_cli_json_close(j);
}

/* The same of two numbers each, where one of them is not 0. */
static void put_curves(cli_json *j, const char *key, const pinion_joint_info *joint, size_t member)
{
    int any = 0;
    for (int i = 0; i < joint->dof_count; i++)
        any |= pn_is_curved((const double *)(const void *)((const char *)&joint->dof[i] + member));
    if (!any) return;
    pn_cli_json_key(j, key);
    pn_cli_json_open(j, '[', 1);
    for (int i = 0; i < joint->dof_count; i++)
        pn_cli_json_numbers(j, (const double *)(const void *)((const char *)&joint->dof[i] + member), 2);
    pn_cli_json_close(j);
}

/* What every kind of joint has. */
static void put_joint(cli_json *j, const pinion_model *m, const pinion_joint_info *joint)
{
    pn_cli_put_string(j, "name", joint->name);
    pn_cli_put_string(j, "type", pinion_joint_type_name(joint->type));
    pn_cli_put_string(j, "parent", pn_cli_link_name(m, joint->parent));
    pn_cli_put_string(j, "child", pn_cli_link_name(m, joint->child));
}

static int has_axis(pinion_joint_type type)
{
    return type != PINION_JOINT_FIXED && type != PINION_JOINT_UNIVERSAL && type != PINION_JOINT_SPHERICAL &&
           type != PINION_JOINT_FREE;
}

void pn_cli_put_axis(cli_json *j, const pinion_joint_info *joint)
{
    if (has_axis(joint->type)) {
        pn_cli_json_key(j, "axis");
        pn_cli_json_numbers(j, joint->axis, 3);
    }
    if (joint->type == PINION_JOINT_HELICAL) pn_cli_put_number(j, "pitch", joint->pitch);
}

/* A joint with coordinates of its own. */
static void put_moving_joint(cli_json *j, const pinion_model *m, const pinion_joint_info *joint)
{
    pn_cli_json_open(j, '{', 1);
    put_joint(j, m, joint);
    pn_cli_put_integer(j, "q_index", joint->q_index);
    pn_cli_put_integer(j, "nq", joint->nq);
    pn_cli_put_integer(j, "v_index", joint->v_index);
    pn_cli_put_integer(j, "nv", joint->nv);
    if (joint->unactuated) {
        pn_cli_json_key(j, "actuated");
        pn_cli_json_boolean(j, 0);
    }
    pn_cli_put_axis(j, joint);

    pn_cli_json_key(j, "limits");
    pn_cli_json_open(j, '{', 1);
    put_dofs(j, "lower", joint, offsetof(pinion_dof, lower));
    put_dofs(j, "upper", joint, offsetof(pinion_dof, upper));
    put_dofs(j, "velocity", joint, offsetof(pinion_dof, velocity));
    put_dofs(j, "effort", joint, offsetof(pinion_dof, effort));
    pn_cli_json_close(j);

    put_dofs(j, "damping", joint, offsetof(pinion_dof, damping));
    put_dofs(j, "friction_positive", joint, offsetof(pinion_dof, friction_positive));
    put_dofs(j, "friction_negative", joint, offsetof(pinion_dof, friction_negative));
    put_dofs(j, "rotor_inertia", joint, offsetof(pinion_dof, rotor_inertia));
    put_dofs(j, "gear_ratio", joint, offsetof(pinion_dof, gear_ratio));
    put_dofs(j, "stiffness", joint, offsetof(pinion_dof, stiffness));
    put_dofs(j, "rest", joint, offsetof(pinion_dof, rest));
    put_curves(j, "damping_curve", joint, offsetof(pinion_dof, damping_curve));
    put_curves(j, "stiffness_curve", joint, offsetof(pinion_dof, stiffness_curve));
    if (joint->has_initial) {
        pn_cli_json_key(j, "initial");
        pn_cli_json_open(j, '{', 1);
        pn_cli_json_key(j, "q");
        pn_cli_json_numbers(j, joint->initial_q, joint->nq);
        pn_cli_json_key(j, "v");
        pn_cli_json_numbers(j, joint->initial_v, joint->nv);
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

static void put_follower(cli_json *j, const pinion_model *m, const pinion_joint_info *joint)
{
    pn_cli_json_open(j, '{', 1);
    put_joint(j, m, joint);
    pn_cli_put_axis(j, joint);
    pn_cli_put_string(j, "leader", pn_cli_joint_name(m, joint->leader));
    pn_cli_put_number(j, "multiplier", joint->multiplier);
    pn_cli_put_number(j, "offset", joint->offset);
    pn_cli_json_close(j);
}

typedef enum joint_group { MOVING, FIXED, FOLLOWING } joint_group;

static joint_group group_of(const pinion_joint_info *joint)
{
    return joint->type == PINION_JOINT_FIXED ? FIXED : joint->leader >= 0 ? FOLLOWING : MOVING;
}

/* The joints of one group. The model numbers joints depth first, which is the order of v. */
static void put_group(cli_json *j, const pinion_model *m, const char *key, joint_group group)
{
    pn_cli_json_key(j, key);
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) != PINION_OK || group_of(&joint) != group) continue;
        if (group == MOVING) {
            put_moving_joint(j, m, &joint);
        } else if (group == FOLLOWING) {
            put_follower(j, m, &joint);
        } else {
            pn_cli_json_open(j, '{', 1);
            put_joint(j, m, &joint);
            pn_cli_json_close(j);
        }
    }
    pn_cli_json_close(j);
}

static void put_links(cli_json *j, const pinion_model *m)
{
    pn_cli_json_key(j, "links");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_model_link_count(m); i++) {
        pinion_link_info link;
        if (pinion_model_link(m, i, &link) != PINION_OK) continue;
        pn_cli_json_open(j, '{', 1);
        pn_cli_put_string(j, "name", link.name);
        pn_cli_put_number(j, "mass", link.inertia.mass);
        pn_cli_json_key(j, "com");
        pn_cli_json_numbers(j, link.inertia.com, 3);
        pn_cli_json_key(j, "inertia");
        pn_cli_json_numbers(j, link.inertia.inertia, 6);
        if (link.gravity_compensation != 0)
            pn_cli_put_number(j, "gravity_compensation", link.gravity_compensation);
        if (link.added_mass) {
            pn_cli_json_key(j, "added_mass");
            pn_cli_json_matrix(j, link.added_mass, 6, 6);
        }
        if (link.drag) {
            pn_cli_json_key(j, "drag");
            pn_cli_json_open(j, '{', 0);
            pn_cli_json_key(j, "linear");
            pn_cli_json_numbers(j, link.drag->linear, 6);
            pn_cli_json_key(j, "quadratic");
            pn_cli_json_numbers(j, link.drag->quadratic, 6);
            pn_cli_json_key(j, "wind");
            pn_cli_json_numbers(j, link.drag->wind, 3);
            pn_cli_json_close(j);
        }
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

/* Every link and named frame with the moving body it is fixed to, by the name of that body's link. */
static void put_frames(cli_json *j, const pinion_model *m)
{
    pn_cli_json_key(j, "frames");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_model_frame_count(m); i++) {
        pinion_frame_info frame;
        pinion_body_info body;
        if (pinion_model_frame(m, i, &frame) != PINION_OK ||
            pinion_model_body(m, frame.body, &body) != PINION_OK)
            continue;
        pn_cli_json_open(j, '{', 1);
        pn_cli_put_string(j, "name", frame.name);
        pn_cli_put_string(j, "body", body.name);
        pn_cli_put_string(j, "link", pn_cli_link_name(m, frame.link));
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

void pn_cli_model_json(cli_json *j, const pinion_model *m)
{
    double gravity[3];
    pinion_model_gravity(m, gravity);

    pn_cli_json_open(j, '{', 0);
    pn_cli_put_string(j, "name", pinion_model_name(m));
    pn_cli_put_integer(j, "nq", pinion_model_nq(m));
    pn_cli_put_integer(j, "nv", pinion_model_nv(m));
    pn_cli_put_number(j, "mass", pinion_model_mass(m));
    pn_cli_put_number(j, "fixed_mass", pinion_model_fixed_mass(m));
    pn_cli_json_key(j, "gravity");
    pn_cli_json_numbers(j, gravity, 3);
    put_group(j, m, "joints", MOVING);
    put_group(j, m, "fixed", FIXED);
    put_group(j, m, "mimic", FOLLOWING);
    put_links(j, m);
    put_frames(j, m);
    pn_cli_put_elastic(j, m);
    pn_cli_put_collisions(j, m);
    pn_cli_put_actuators(j, m);
    pn_cli_put_tendons(j, m);
    pn_cli_put_elastic_joints(j, m);
    pn_cli_put_states(j, m);
    char doubt[500];
    pn_cli_put_loops(j, m, doubt, sizeof doubt);

    pn_cli_json_key(j, "warnings");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_model_warning_count(m); i++) pn_cli_json_string(j, pinion_model_warning(m, i));
    if (doubt[0]) pn_cli_json_string(j, doubt);
    pn_cli_json_close(j);
    pn_cli_json_close(j);
}
