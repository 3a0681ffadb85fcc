/* Elastic joints: a link side, a motor side and a spring between them, described by what there is already. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build/describe.h"

pinion_elastic_joint_def pinion_elastic_joint_def_default(void)
{
    pinion_elastic_joint_def def;
    memset(&def, 0, sizeof def);
    def.across = -1;
    def.pose = pinion_pose_identity();
    def.axis[2] = 1;
    def.cookie = PN_COOKIE_ELASTIC;
    return def;
}

/* What is wrong with it, NULL when nothing is. What joints and links are checked for is not asked here. */
static const char *fault_of(const pinion_joint_def *joint, const pinion_elastic_joint_def *def)
{
    const pinion_dof *dof = &joint->dof[0];
    if ((int)joint->type < 0 || joint->type >= PINION_JOINT_TYPE_COUNT || pinion_joint_type_nv(joint->type) != 1)
        return "an elastic joint has one coordinate; expected revolute, continuous, prismatic or helical";
    if (joint->mimic) return "a joint that follows another one has no motor of its own; expected no \"elastic\"";
    if (joint->cut) return "a joint that closes a loop is not elastic; expected no \"elastic\"";
    if ((int)def->model < 0 || def->model >= PINION_ELASTIC_MODEL_COUNT)
        return "the model of its elasticity is none there is; expected \"spong\" or \"full\"";
    if (!(isfinite(def->stiffness) && def->stiffness > 0)) return "the stiffness of its spring is not above 0";
    if (!(isfinite(def->damping) && def->damping >= 0)) return "the damping of its spring is not 0 or above";
    if (!(isfinite(def->viscous) && def->viscous >= 0)) return "the viscous friction of its motor is not 0 or above";
    if (!(isfinite(dof->rotor_inertia) && dof->rotor_inertia > 0))
        return "an elastic joint has a motor; expected a rotor with an inertia above 0";
    if (!isfinite(dof->gear_ratio) || dof->gear_ratio == 0) return "its gear ratio is 0 or not a finite number";
    if (def->model != PINION_ELASTIC_FULL) return NULL;
    if (!(isfinite(def->mass) && def->mass > 0)) return "a rotor that is a body has a mass; expected \"mass\" above 0";
    return isfinite(def->across) ? NULL : "the moment of inertia across its rotor's axis is not a finite number";
}

/* The link: of the reduced model nothing but a place for the coordinate, of the full one a round body. */
static pinion_status add_rotor(pinion_builder *b, const pinion_joint_def *motor, const pinion_elastic_joint_def *def,
                               double J, pinion_error *err)
{
    pinion_link_def link = pinion_link_def_default();
    link.name = motor->child;
    link.line = motor->line;
    if (def->model == PINION_ELASTIC_FULL) {
        static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
        const double *e = motor->axis, across = def->across < 0 ? J / 2 : def->across;
        const double length = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        link.inertia.mass = def->mass;
        for (int i = 0; i < 6; i++)
            link.inertia.inertia[i] =
                (row[i] == column[i] ? across : 0) + (J - across) * e[row[i]] * e[column[i]] / length;
    }
    return pinion_builder_add_link(b, &link, err);
}

/* The joint that turns it. It starts where the spring is relaxed. */
static pinion_joint_def motor_of(const pinion_joint_def *joint, const pinion_elastic_joint_def *def, const char *name,
                                 const char *rotor)
{
    const double J = joint->dof[0].rotor_inertia, G = joint->dof[0].gear_ratio;
    pinion_joint_def motor = pinion_joint_def_default();
    motor.name = name;
    motor.type = PINION_JOINT_CONTINUOUS;
    motor.parent = joint->parent;
    motor.child = rotor;
    motor.parent_pose = def->has_pose ? def->pose : joint->parent_pose;
    memcpy(motor.axis, def->has_pose ? def->axis : joint->axis, sizeof motor.axis);
    motor.dof[0].damping = def->viscous;
    if (def->model == PINION_ELASTIC_SPONG) motor.dof[0].rotor_inertia = J;
    motor.has_initial = joint->has_initial;
    motor.initial_q[0] = G * joint->initial_q[0];
    motor.initial_v[0] = G * joint->initial_v[0];
    motor.unactuated = joint->unactuated;
    motor.line = joint->line;
    return motor;
}

static pinion_status add_spring(pinion_builder *b, const char *name, const pinion_joint_def *joint,
                                const pinion_joint_def *motor, const pinion_elastic_joint_def *def, pinion_error *err)
{
    const char *const through[2] = {motor->name, joint->name};
    const double weights[2] = {1 / joint->dof[0].gear_ratio, -1};
    pinion_tendon_def spring = pinion_tendon_def_default();
    spring.name = name;
    spring.count = 2;
    spring.through = through;
    spring.weights = weights;
    spring.stiffness = def->stiffness;
    spring.damping = def->damping;
    spring.line = joint->line;
    return pinion_builder_add_tendon(b, &spring, err);
}

pinion_status pinion_builder_add_elastic_joint(pinion_builder *b, const pinion_joint_def *joint,
                                               const pinion_elastic_joint_def *elastic, pinion_error *err)
{
    char name[3][PN_MAX_NAME + 16];
    static const char *const end[3] = {"motor", "rotor", "spring"};
    if (!b || !joint || !elastic)
        return pn_fail(b, err, PINION_ERR_ARGUMENT, 0, "an argument is NULL; expected a builder and two definitions");
    if (elastic->cookie != PN_COOKIE_ELASTIC || joint->cookie != PN_COOKIE_JOINT)
        return pn_fail(b, err, PINION_ERR_ARGUMENT, 0,
                       "a definition was not started from its default; expected pinion_joint_def_default() and "
                       "pinion_elastic_joint_def_default()");
    pinion_status status = pn_check_name(b, "joint", joint->name, joint->line, err);
    if (status != PINION_OK) return status;
    const char *fault = fault_of(joint, elastic);
    if (!fault && strlen(joint->name) + strlen(".spring") > PN_MAX_NAME)
        fault = "its name leaves no room for \".motor\", \".rotor\" and \".spring\"";
    if (fault)
        return pn_fail(b, err, PINION_ERR_MODEL, joint->line, "joint %s: %s", pn_quote(joint->name).text, fault);
    for (int i = 0; i < 3; i++) snprintf(name[i], sizeof name[i], "%s.%s", joint->name, end[i]);

    /* where the lists end now: a failure takes back what came before it */
    pn_list *const list[6] = {&b->text, &b->links, &b->joints, &b->dofs, &b->tendons, &b->tendon_terms};
    size_t count[6];
    for (int i = 0; i < 6; i++) count[i] = list[i]->count;

    const pinion_joint_def motor = motor_of(joint, elastic, name[0], name[1]);
    pinion_joint_def side = *joint;
    side.dof[0].rotor_inertia = 0;
    side.dof[0].gear_ratio = 1;
    side.unactuated = 1;
    status = pinion_builder_add_joint(b, &motor, err);
    if (status == PINION_OK) status = add_rotor(b, &motor, elastic, joint->dof[0].rotor_inertia, err);
    if (status == PINION_OK) status = pinion_builder_add_joint(b, &side, err);
    if (status == PINION_OK) status = add_spring(b, name[2], joint, &motor, elastic, err);
    for (int i = 0; status != PINION_OK && i < 6; i++) list[i]->count = count[i];
    return status;
}
