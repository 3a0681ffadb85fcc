/* Elastic joints. */
#include "io/json/json.h"
#include "pinion/elastic_joints.h"

static int elastic_read(const pn_json_value *v, const pinion_joint_def *joint, pinion_elastic_joint_def *def)
{
    static const char *const keys[] = {"model", "stiffness", "damping", "viscous", "mass", "across", "origin", "axis",
                                       NULL};
    static const char *const models[] = {"spong", "full", NULL};
    static const char *const bodies[] = {"mass", "across", "origin", "axis"};
    pn_json_value x;
    int model = 0;
    if (!pn_value_object(v, keys) || !pn_value_need(v, "stiffness", &x) || !pn_value_magnitude(&x, &def->stiffness))
        return 0;
    if (!pn_get_magnitude(v, "damping", &def->damping) || !pn_get_magnitude(v, "viscous", &def->viscous)) return 0;
    if (pn_value_get(v, "model", &x) && !pn_value_choice(&x, models, "\"spong\" or \"full\"", &model)) return 0;
    def->model = (pinion_elastic_joint_model)model;
    for (int i = 0; def->model == PINION_ELASTIC_SPONG && i < 4; i++)
        if (pn_value_get(v, bodies[i], &x))
            return pn_value_fail(&x, "the rotor of the model \"spong\" is no body, expected it beside \"full\"");
    if (!pn_get_magnitude(v, "mass", &def->mass) ||
        (pn_value_get(v, "across", &x) && !pn_value_magnitude(&x, &def->across)))
        return 0;

    /* where the rotor is, and what it turns about: the joint's own where the file does not say */
    def->has_pose = pn_value_get(v, "origin", &x) || pn_value_get(v, "axis", &x);
    def->pose = joint->parent_pose;
    for (int i = 0; i < 3; i++) def->axis[i] = joint->axis[i];
    return pn_get_pose(v, "origin", &def->pose) && pn_get_numbers(v, "axis", 3, def->axis);
}

int pn_json_add_joint(const pn_json_value *element, const pinion_joint_def *joint)
{
    pinion_builder *b = element->file->builder;
    pinion_error *err = element->file->err;
    pn_json_value v, motor;
    if (!pn_value_get(element, "elastic", &v)) return pinion_builder_add_joint(b, joint, err) == PINION_OK;
    if (pn_value_get(element, "motor", &motor) || pn_value_get(element, "armature", &motor))
        return pn_value_fail(&motor, "an elastic joint has its rotor on the motor's side, expected \"rotor\"");
    pinion_elastic_joint_def def = pinion_elastic_joint_def_default();
    return elastic_read(&v, joint, &def) && pinion_builder_add_elastic_joint(b, joint, &def, err) == PINION_OK;
}
