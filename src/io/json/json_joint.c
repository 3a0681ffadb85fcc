/* Joints of the tree and of loops, and what belongs to their degrees of freedom. */
#include <math.h>
#include <stdio.h>

#include "io/json/json.h"
#include "model/pose.h"

/* ---------------------------------------------------------------------------------------------
 * One degree of freedom. `degrees`: its coordinate is an angle that the file gives in degrees. */

static int limits_read(const pn_json_value *v, int degrees, pinion_dof *dof)
{
    if (json_is_null(v->json)) return 1;
    if (!pn_value_array_of(v, 2, "[lower, upper]")) return 0;
    double *end[2] = {&dof->lower, &dof->upper};
    for (size_t i = 0; i < 2; i++) {
        pn_json_value x = pn_value_at(v, i);
        if (json_is_null(x.json)) continue;
        if (!pn_value_number(&x, end[i])) return 0;
        *end[i] = pn_radians(*end[i], degrees);
    }
    if (dof->lower > dof->upper)
        return pn_value_fail(v, "the lower limit is above the upper, expected [lower, upper]");
    return 1;
}

static int velocity_read(const pn_json_value *v, int degrees, pinion_dof *dof)
{
    (void)degrees;
    return json_is_null(v->json) || pn_value_number(v, &dof->velocity);
}

static int effort_read(const pn_json_value *v, int degrees, pinion_dof *dof)
{
    (void)degrees;
    return json_is_null(v->json) || pn_value_number(v, &dof->effort);
}

static int damping_read(const pn_json_value *v, int degrees, pinion_dof *dof)
{
    (void)degrees;
    return pn_value_curved(v, &dof->damping, dof->damping_curve);
}

/* One magnitude for both directions, or one for each. */
static int directions_read(const pn_json_value *v, double *positive, double *negative)
{
    static const char *const keys[] = {"positive", "negative", NULL};
    *positive = *negative = 0;
    if (json_is_object(v->json))
        return pn_value_object(v, keys) && pn_get_magnitude(v, "positive", positive) &&
               pn_get_magnitude(v, "negative", negative);
    if (!json_is_number(v->json)) return pn_value_expected(v, "a number or {\"positive\", \"negative\"}");
    if (!pn_value_magnitude(v, positive)) return 0;
    *negative = *positive;
    return 1;
}

static int friction_read(const pn_json_value *v, int degrees, pinion_dof *dof)
{
    (void)degrees;
    return directions_read(v, &dof->friction_positive, &dof->friction_negative);
}

static int rotor_read(const pn_json_value *v, int degrees, pinion_dof *dof)
{
    static const char *const keys[] = {"inertia", "gear", NULL};
    pn_json_value inertia;
    (void)degrees;
    return pn_value_object(v, keys) && pn_value_need(v, "inertia", &inertia) &&
           pn_value_magnitude(&inertia, &dof->rotor_inertia) && pn_get_number(v, "gear", &dof->gear_ratio);
}

/* Rotor inertia as the joint feels it. */
static int armature_read(const pn_json_value *v, int degrees, pinion_dof *dof)
{
    (void)degrees;
    return pn_value_magnitude(v, &dof->rotor_inertia);
}

/* Friction at the motor's shaft comes to the joint: torque |G| (B |G| v + Tc). */
static int motor_read(const pn_json_value *v, int degrees, pinion_dof *dof)
{
    static const char *const keys[] = {"inertia", "gear", "viscous", "coulomb", NULL};
    double viscous = 0, positive = 0, negative = 0;
    pn_json_value coulomb;
    (void)degrees;
    if (!pn_value_object(v, keys) || !pn_get_magnitude(v, "inertia", &dof->rotor_inertia)) return 0;
    if (!pn_get_number(v, "gear", &dof->gear_ratio) || !pn_get_magnitude(v, "viscous", &viscous)) return 0;
    if (pn_value_get(v, "coulomb", &coulomb) && !directions_read(&coulomb, &positive, &negative)) return 0;
    double gear = fabs(dof->gear_ratio);
    dof->damping += gear * gear * viscous;
    dof->friction_positive += gear * positive;
    dof->friction_negative += gear * negative;
    return 1;
}

static int spring_read(const pn_json_value *v, int degrees, pinion_dof *dof)
{
    static const char *const keys[] = {"stiffness", "rest", NULL};
    pn_json_value stiffness;
    if (!pn_value_object(v, keys) || !pn_value_need(v, "stiffness", &stiffness)) return 0;
    if (!pn_value_curved(&stiffness, &dof->stiffness, dof->stiffness_curve)) return 0;
    if (!pn_get_number(v, "rest", &dof->rest)) return 0;
    dof->rest = pn_radians(dof->rest, degrees);
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * All degrees of freedom of a joint */

/* Nonzero when coordinate `i` of the type's velocity is that of an angle. */
static int is_angle(pinion_joint_type type, int i)
{
    switch (type) {
    case PINION_JOINT_PRISMATIC: return 0;
    case PINION_JOINT_CYLINDRICAL: return i == 0;
    case PINION_JOINT_PLANAR: return i == 2;
    case PINION_JOINT_FREE: return i < 3;
    default: return 1;
    }
}

typedef int dof_reader(const pn_json_value *v, int degrees, pinion_dof *dof);

/* A joint with one degree of freedom has the value itself, one with several an array of values. */
static int each_dof(const pn_json_value *v, dof_reader *read, int degrees, pinion_joint_def *def)
{
    const char *type = pinion_joint_type_name(def->type);
    int count = pinion_joint_type_nv(def->type);
    if (count == 0)
        return pn_value_fail(v, "a %s joint has no degree of freedom, expected no such key", type);
    if (count == 1) return read(v, degrees && is_angle(def->type, 0), &def->dof[0]);

    char what[100];
    snprintf(what, sizeof what, "%d values, one for each degree of freedom of a %s joint", count, type);
    if (!pn_value_array_of(v, (size_t)count, what)) return 0;
    for (int i = 0; i < count; i++) {
        pn_json_value entry = pn_value_at(v, (size_t)i);
        if (json_is_null(entry.json)) continue;
        if (!read(&entry, degrees && is_angle(def->type, i), &def->dof[i])) return 0;
    }
    return 1;
}

static int mimic_read(const pn_json_value *v, int degrees, pinion_joint_def *def)
{
    static const char *const keys[] = {"joint", "multiplier", "offset", NULL};
    if (!pn_value_object(v, keys) || !pn_need_string(v, "joint", &def->mimic)) return 0;
    if (!pn_get_number(v, "multiplier", &def->multiplier) || !pn_get_number(v, "offset", &def->offset))
        return 0;
    def->offset = pn_radians(def->offset, degrees && is_angle(def->type, 0));
    return 1;
}

/* Angles may be in degrees, speeds never are: as for limits. A quaternion has no unit. */
static int initial_q_read(const pn_json_value *v, int degrees, pinion_joint_def *def)
{
    int nq = pinion_joint_type_nq(def->type), nv = pinion_joint_type_nv(def->type);
    double *q = def->initial_q;
    if (nq == 1 ? !pn_value_number(v, q) : !pn_value_numbers(v, (size_t)nq, q)) return 0;
    if (nq == nv) {
        for (int i = 0; i < nq; i++) q[i] = pn_radians(q[i], degrees && is_angle(def->type, i));
        return 1;
    }
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(length - 1) <= 1e-6))
        return pn_value_fail(v, "its quaternion is not of unit length, expected w, x, y, z of length 1");
    return 1;
}

static int initial_read(const pn_json_value *v, int degrees, pinion_joint_def *def)
{
    static const char *const keys[] = {"q", "v", NULL};
    int nv = pinion_joint_type_nv(def->type);
    pn_json_value q, speed;
    if (nv == 0) return pn_value_fail(v, "a fixed joint has no state, expected no such key");
    if (def->mimic)
        return pn_value_fail(
            v, "a joint that follows another one has no state of its own, expected no such key");
    if (!pn_value_object(v, keys)) return 0;
    int has_q = pn_value_get(v, "q", &q), has_v = pn_value_get(v, "v", &speed);
    if (!has_q && !has_v) return pn_value_fail(v, "says nothing, expected q, v or both");

    /* what is left out is neutral, at rest */
    def->has_initial = 1;
    if (!has_q && pinion_joint_type_nq(def->type) != nv) def->initial_q[0] = 1;
    if (has_q && !initial_q_read(&q, degrees, def)) return 0;
    if (!has_v) return 1;
    return nv == 1 ? pn_value_number(&speed, def->initial_v)
                   : pn_value_numbers(&speed, (size_t)nv, def->initial_v);
}

int pn_json_dofs(const pn_json_value *element, int degrees, pinion_joint_def *def)
{
    /* a motor adds to damping and friction, so it comes after them */
    static const struct {
        const char *key;
        dof_reader *read;
    } parts[] = {
        {"limits", limits_read},   {"velocity", velocity_read}, {"effort", effort_read},
        {"damping", damping_read}, {"friction", friction_read}, {"rotor", rotor_read},
        {"motor", motor_read},     {"spring", spring_read},     {"armature", armature_read},
    };
    pn_json_value v, rotor;
    if (pn_value_get(element, "motor", &v) && pn_value_get(element, "rotor", &rotor))
        return pn_value_fail(&v, "the joint has a rotor already, expected one of rotor, motor");
    if (pn_value_get(element, "armature", &v) &&
        (pn_value_get(element, "rotor", &rotor) || pn_value_get(element, "motor", &rotor)))
        return pn_value_fail(&v, "the joint has a rotor already, expected one of armature, rotor, motor");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (pn_value_get(element, parts[i].key, &v) && !each_dof(&v, parts[i].read, degrees, def)) return 0;
    }
    int actuated = !def->unactuated;
    if (!pn_get_boolean(element, "actuated", &actuated)) return 0;
    def->unactuated = !actuated;
    if (pn_value_get(element, "mimic", &v) && !mimic_read(&v, degrees, def)) return 0;
    return !pn_value_get(element, "initial", &v) || initial_read(&v, degrees, def);
}

/* ---------------------------------------------------------------------------------------------
 * Joints */

static int type_read(const pn_json_value *element, int loop, pinion_joint_type *out)
{
    const char *names[PINION_JOINT_TYPE_COUNT + 1] = {NULL};
    int type = 0;
    pn_json_value v;
    for (int i = 0; i < PINION_JOINT_TYPE_COUNT; i++) names[i] = pinion_joint_type_name((pinion_joint_type)i);
    if (!pn_value_need(element, "type", &v)) return 0;
    const char *what =
        loop ? "a type of joint (fixed, revolute, continuous, prismatic, helical, cylindrical, "
               "universal, planar, spherical, free) or distance, gear, rolling, drive or spring"
             : "fixed, revolute, continuous, prismatic, helical, cylindrical, universal, planar, "
               "spherical or free";
    if (!pn_value_choice(&v, names, what, &type)) return 0;
    *out = (pinion_joint_type)type;
    return 1;
}

/* The axis and the pitch, each only where the type has one. */
static int axis_read(const pn_json_value *element, pinion_joint_def *def)
{
    const char *type = pinion_joint_type_name(def->type);
    int turns = def->type == PINION_JOINT_UNIVERSAL || def->type == PINION_JOINT_SPHERICAL ||
                def->type == PINION_JOINT_FREE;
    pn_json_value v;
    if (pn_value_get(element, "axis", &v)) {
        if (def->type == PINION_JOINT_FIXED || turns)
            return pn_value_fail(&v, "a %s joint has no axis, expected no such key", type);
        if (!pn_value_numbers(&v, 3, def->axis)) return 0;
        if (pn_norm3(def->axis) == 0) return pn_value_fail(&v, "is zero, expected a direction");
    }
    if (def->type == PINION_JOINT_HELICAL)
        return pn_value_need(element, "pitch", &v) && pn_value_number(&v, &def->pitch);
    if (pn_value_get(element, "pitch", &v))
        return pn_value_fail(&v, "a %s joint has no pitch, expected no such key", type);
    return 1;
}

int pn_json_joint(const pn_json_value *element, int loop, pinion_joint_def *def)
{
    /* a loop joint has all but the last four keys */
    static const char *const keys[] = {"name",     "type",    "parent", "child",    "origin", "child_origin",
                                       "axis",     "pitch",   "limits", "velocity", "effort", "damping",
                                       "friction", "rotor",   "motor",  "armature", "spring", "angles", "actuated",
                                       "mimic",    "initial", "cut",    "elastic", NULL};
    const char *loop_keys[sizeof keys / sizeof *keys];
    size_t count = sizeof keys / sizeof *keys;
    for (size_t i = 0; i < count; i++) loop_keys[i] = i + 5 < count ? keys[i] : NULL;

    int degrees;
    def->line = pn_value_line(element);
    return pn_value_object(element, loop ? loop_keys : keys) && pn_need_string(element, "name", &def->name) &&
           type_read(element, loop, &def->type) && pn_need_string(element, "parent", &def->parent) &&
           pn_need_string(element, "child", &def->child) &&
           pn_get_pose(element, "origin", &def->parent_pose) &&
           pn_get_pose(element, "child_origin", &def->child_pose) && axis_read(element, def) &&
           pn_get_angles(element, &degrees) && pn_json_dofs(element, degrees, def) &&
           pn_get_boolean(element, "cut", &def->cut);
}

int pn_json_joints(const pn_json_value *array)
{
    if (!pn_value_array(array, "an array of joints")) return 0;
    pn_json_value v = {0};
    while (pn_value_next(array, &v)) {
        pinion_joint_def def = pinion_joint_def_default();
        if (!pn_json_joint(&v, 0, &def)) return 0;
        if (!pn_json_add_joint(&v, &def)) return 0;
    }
    return 1;
}
