/* What closes loops: joints, and constraints of other kinds. */
#include <string.h>

#include "io/json/json.h"

static const char *const kinds[] = {"distance", "gear", "rolling", "drive", "spring", NULL};

/* The kind that an entry's type names; a joint where it is none of the others (about which pn_json_joint
 * complains). */
static pinion_loop_kind kind_of(const pn_json_value *element)
{
    pn_json_value v;
    if (!json_is_object(element->json) || !pn_value_get(element, "type", &v) || !json_is_string(v.json))
        return PINION_LOOP_JOINT;
    for (int i = 0; kinds[i]; i++) {
        if (strcmp(json_string_value(v.json), kinds[i]) == 0)
            return (pinion_loop_kind)(PINION_LOOP_JOINT + 1 + i);
    }
    return PINION_LOOP_JOINT;
}

/* A law of time. `turns`: offset and amplitude are angles; `degrees`: angles are in degrees, rates never are.
 */
static int motion_read(const pn_json_value *element, int turns, int degrees, pinion_motion *law)
{
    static const char *const keys[] = {"offset", "rate", "acceleration", "amplitude", "frequency",
                                       "phase",  NULL};
    pn_json_value v;
    if (!pn_value_get(element, "motion", &v)) return 1;
    if (!pn_value_object(&v, keys) || !pn_get_number(&v, "offset", &law->offset) ||
        !pn_get_number(&v, "rate", &law->rate) || !pn_get_number(&v, "acceleration", &law->acceleration) ||
        !pn_get_number(&v, "amplitude", &law->amplitude) ||
        !pn_get_number(&v, "frequency", &law->frequency) || !pn_get_number(&v, "phase", &law->phase))
        return 0;
    law->offset = pn_radians(law->offset, turns && degrees);
    law->amplitude = pn_radians(law->amplitude, turns && degrees);
    law->phase = pn_radians(law->phase, degrees);
    return 1;
}

/* A number above 0 that must be there. */
static int need_positive(const pn_json_value *element, const char *key, double *out)
{
    pn_json_value v;
    if (!pn_value_need(element, key, &v) || !pn_value_number(&v, out)) return 0;
    return *out > 0 || pn_value_fail(&v, "is not above 0, expected a length in m");
}

/* The two links and the frames on them. */
static int links_read(const pn_json_value *element, pinion_constraint_def *def)
{
    return pn_need_string(element, "parent", &def->parent) && pn_need_string(element, "child", &def->child) &&
           pn_get_pose(element, "origin", &def->parent_pose) &&
           pn_get_pose(element, "child_origin", &def->child_pose);
}

static int distance_read(const pn_json_value *element, pinion_constraint_def *def)
{
    static const char *const keys[] = {"name",         "type",   "parent", "child",  "origin",
                                       "child_origin", "length", "motion", "angles", NULL};
    int degrees;
    return pn_value_object(element, keys) && links_read(element, def) &&
           need_positive(element, "length", &def->length) && pn_get_angles(element, &degrees) &&
           motion_read(element, 0, degrees, &def->motion);
}

static int gear_read(const pn_json_value *element, pinion_constraint_def *def)
{
    static const char *const keys[] = {"name",   "type",   "joints", "ratio", "curve",
                                       "offset", "motion", "angles", NULL};
    pn_json_value v, law, other;
    int degrees;
    if (!pn_value_object(element, keys) || !pn_value_need(element, "joints", &v)) return 0;
    if (!pn_value_array_of(&v, 2, "[first, second], the names of two joints")) return 0;
    pn_json_value first = pn_value_at(&v, 0), second = pn_value_at(&v, 1);
    if (!pn_value_string(&first, &def->first) || !pn_value_string(&second, &def->second)) return 0;
    const int bends = pn_value_get(element, "curve", &v);
    if (bends && !pn_value_numbers(&v, 3, def->curve)) return 0;
    if (pn_value_get(element, "ratio", &v)) {
        if (!pn_value_number(&v, &def->ratio)) return 0;
        if (def->ratio == 0 && !bends) return pn_value_fail(&v, "is 0, expected q_second / q_first, which is not");
    }
    if (!pn_get_angles(element, &degrees) || !motion_read(element, 1, degrees, &def->motion)) return 0;

    /* an offset of its own, where the motion has none */
    if (!pn_value_get(element, "offset", &v)) return 1;
    if (pn_value_get(element, "motion", &law) && pn_value_get(&law, "offset", &other))
        return pn_value_fail(&v, "the motion has an offset already, expected one of the two");
    if (!pn_value_number(&v, &def->motion.offset)) return 0;
    def->motion.offset = pn_radians(def->motion.offset, degrees);
    return 1;
}

static int rolling_read(const pn_json_value *element, pinion_constraint_def *def)
{
    static const char *const keys[] = {"name",         "type",   "parent", "child", "origin",
                                       "child_origin", "radius", "shape",  NULL};
    static const char *const shapes[] = {"sphere", "disk", NULL};
    pn_json_value v;
    if (!pn_value_object(element, keys) || !links_read(element, def)) return 0;
    if (!need_positive(element, "radius", &def->radius)) return 0;
    return !pn_value_get(element, "shape", &v) ||
           pn_value_choice(&v, shapes, "\"sphere\" or \"disk\"", &def->disk);
}

static int drive_read(const pn_json_value *element, pinion_constraint_def *def)
{
    static const char *const keys[] = {"name", "type", "joint", "motion", "angles", NULL};
    pn_json_value v;
    int degrees;
    return pn_value_object(element, keys) && pn_need_string(element, "joint", &def->first) &&
           pn_value_need(element, "motion", &v) && pn_get_angles(element, &degrees) &&
           motion_read(element, 1, degrees, &def->motion);
}

static int spring_read(const pn_json_value *element, pinion_constraint_def *def)
{
    static const char *const keys[] = {"name",         "type",   "parent",    "child",   "origin",
                                       "child_origin", "length", "stiffness", "damping", NULL};
    static const char *const numbers[] = {"length", "stiffness", "damping"};
    double *to[] = {&def->length, &def->stiffness, &def->damping};
    if (!pn_value_object(element, keys) || !links_read(element, def)) return 0;
    for (int i = 0; i < 3; i++) {
        pn_json_value v;
        if (!pn_value_get(element, numbers[i], &v)) continue;
        if (!pn_value_number(&v, to[i])) return 0;
        if (*to[i] < 0) return pn_value_fail(&v, "is below 0, expected a number that is not");
    }
    return 1;
}

static int constraint_read(const pn_json_value *element, pinion_loop_kind kind)
{
    pinion_constraint_def def = pinion_constraint_def_default();
    def.kind = kind;
    def.line = pn_value_line(element);
    int ok = 0;
    switch (kind) {
    case PINION_LOOP_DISTANCE: ok = distance_read(element, &def); break;
    case PINION_LOOP_GEAR: ok = gear_read(element, &def); break;
    case PINION_LOOP_ROLLING: ok = rolling_read(element, &def); break;
    case PINION_LOOP_SPRING: ok = spring_read(element, &def); break;
    default: ok = drive_read(element, &def); break;
    }
    return ok && pn_need_string(element, "name", &def.name) &&
           pinion_builder_add_constraint(element->file->builder, &def, element->file->err) == PINION_OK;
}

int pn_json_loops(const pn_json_value *array)
{
    if (!pn_value_array(array, "an array of loop joints and constraints")) return 0;
    pn_json_value v = {0};
    while (pn_value_next(array, &v)) {
        pinion_loop_kind kind = kind_of(&v);
        if (kind != PINION_LOOP_JOINT) {
            if (!constraint_read(&v, kind)) return 0;
            continue;
        }
        pinion_joint_def def = pinion_joint_def_default();
        if (!pn_json_joint(&v, 1, &def)) return 0;
        if (pinion_builder_add_loop(v.file->builder, &def, v.file->err) != PINION_OK) return 0;
    }
    return 1;
}

int pn_json_loops_check(const pn_json_value *array, const pinion_model *m)
{
    pn_json_value v = {0}, angles;
    int degrees = 0;
    for (int i = 0; pn_value_next(array, &v); i++) {
        pinion_loop_kind kind = kind_of(&v);
        if (kind != PINION_LOOP_GEAR && kind != PINION_LOOP_DRIVE) continue;
        if (!pn_value_get(&v, "angles", &angles) || !pn_get_angles(&v, &degrees) || !degrees) continue;

        /* the loops of the file come first in the model, in this order; the law is that of the last joint */
        pinion_loop_info loop;
        pinion_joint_info joint;
        if (pinion_model_loop(m, i, &loop) != PINION_OK) continue;
        int last = kind == PINION_LOOP_GEAR ? loop.second : loop.first;
        if (pinion_model_joint(m, last, &joint) == PINION_OK && joint.type == PINION_JOINT_PRISMATIC)
            return pn_value_fail(&angles, "joint '%.80s' is prismatic and has no angle, expected no degrees",
                                 joint.name);
    }
    return 1;
}
