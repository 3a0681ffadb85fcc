/* Actuators: read and written. */
#include <math.h>
#include <stdlib.h>

#include "base/law.h"
#include "io/json/json.h"
#include "io/json/json_write.h"
#include "pinion/actuators.h"
#include "pinion/elements.h"

/* ---------------------------------------------------------------------------------------------
 * Reading */

/* Which degree of freedom of a joint: 0 where the key is absent. */
static int part_read(const pn_json_value *element, int *part)
{
    pn_json_value v;
    double x = 0;
    *part = 0;
    if (!pn_value_get(element, "part", &v)) return 1;
    if (!pn_value_number(&v, &x)) return 0;
    if (!(x >= 0 && x <= 5) || x != floor(x)) return pn_value_fail(&v, "is no part of a joint, expected 0 to 5");
    *part = (int)x;
    return 1;
}

/* The joints of a sum, into arrays that have room for them. */
static int joints_read(const pn_json_value *array, const char **joints, int *parts, double *weights)
{
    static const char *const keys[] = {"joint", "part", "weight", NULL};
    pn_json_value v = {0};
    for (int i = 0; pn_value_next(array, &v); i++) {
        weights[i] = 1;
        if (!pn_value_object(&v, keys) || !pn_need_string(&v, "joint", &joints[i]) || !part_read(&v, &parts[i]) ||
            !pn_get_number(&v, "weight", &weights[i]))
            return 0;
    }
    return 1;
}

/* One largest magnitude, or the least and the largest; null where there is none. */
static int effort_read(const pn_json_value *v, double effort[2])
{
    if (json_is_null(v->json)) return 1;
    if (json_is_array(v->json)) {
        if (!pn_value_array_of(v, 2, "[least, largest]")) return 0;
        for (size_t i = 0; i < 2; i++) {
            pn_json_value x = pn_value_at(v, i);
            if (!json_is_null(x.json) && !pn_value_number(&x, &effort[i])) return 0;
        }
        return effort[0] <= effort[1] ||
               pn_value_fail(v, "the least is above the largest, expected [least, largest]");
    }
    if (!json_is_number(v->json)) return pn_value_expected(v, "a number, [least, largest] or null");
    if (!pn_value_magnitude(v, &effort[1])) return 0;
    effort[0] = -effort[1];
    return 1;
}

/* Delay, and a lag or a motor. The builder checks the numbers. */
static int dynamics_read(const pn_json_value *v, pinion_actuator_dynamics *d)
{
    static const char *const keys[] = {"torque_constant", "back_emf", "resistance", "inductance", "voltage", NULL};
    pn_json_value x;
    if (!pn_get_magnitude(v, "delay", &d->delay) || !pn_get_magnitude(v, "lag", &d->lag) ||
        !pn_get_number(v, "initial", &d->initial))
        return 0;
    if (!pn_value_get(v, "motor", &x)) return 1;
    double *const to[] = {&d->torque_constant, &d->back_emf, &d->resistance, &d->inductance, &d->voltage};
    if (!pn_value_object(&x, keys)) return 0;
    for (int i = 0; keys[i]; i++)
        if (!pn_get_magnitude(&x, keys[i], to[i])) return 0;
    for (int i = 0; keys[i]; i++) {
        pn_json_value given;
        /* the builder takes 0 for what is not given */
        if (*to[i] == 0 && to[i] != &d->inductance && pn_value_get(&x, keys[i], &given))
            return pn_value_fail(&given, "is 0, expected a number above 0");
    }
    return d->torque_constant > 0 || pn_value_fail(&x, "has no torque_constant, expected a number above 0");
}

/* The law of a servo. The builder checks the numbers. */
static int law_read(const pn_json_value *v, pinion_actuator_law *law)
{
    static const char *const keys[] = {"gain", "slope", "bias", "control", "filter", "integrates", "state", NULL};
    pn_json_value x, range;
    if (!pn_value_get(v, "law", &x)) return 1;
    if (!pn_value_object(&x, keys) || !pn_get_number(&x, "gain", &law->gain) ||
        !pn_get_numbers(&x, "slope", 2, law->slope) || !pn_get_numbers(&x, "bias", 3, law->bias) ||
        !pn_get_magnitude(&x, "filter", &law->filter) || !pn_get_boolean(&x, "integrates", &law->integrates))
        return 0;
    if (pn_value_get(&x, "control", &range) && !effort_read(&range, law->control)) return 0;
    if (!pn_value_get(&x, "state", &range)) return 1;
    if (!pn_law_has_activation(law))
        return pn_value_fail(&range, "has nothing to apply to, expected it only beside \"filter\" or \"integrates\"");
    return effort_read(&range, law->state);
}

/* What is the same for all kinds. */
static int common_read(const pn_json_value *v, pinion_actuator_def *def)
{
    pn_json_value x;
    if (!pn_get_number(v, "gear", &def->gear) || !pn_get_number(v, "efficiency", &def->efficiency)) return 0;
    if (pn_value_get(v, "effort", &x) && !effort_read(&x, def->effort)) return 0;
    if (pn_value_get(v, "velocity", &x) && !json_is_null(x.json) && !pn_value_magnitude(&x, &def->velocity)) return 0;
    if (!dynamics_read(v, &def->dynamics) || !law_read(v, &def->law)) return 0;
    return pinion_builder_add_actuator(v->file->builder, def, v->file->err) == PINION_OK;
}

static int sum_read(const pn_json_value *v, const pn_json_value *array, pinion_actuator_def *def)
{
    if (!pn_value_array(array, "an array of {\"joint\", \"weight\"}")) return 0;
    const size_t count = json_array_size(array->json);
    const char **joints = calloc(count + 1, sizeof *joints);
    int *parts = calloc(count + 1, sizeof *parts), ok = 0;
    double *weights = calloc(count + 1, sizeof *weights);
    if (!joints || !parts || !weights) {
        pn_error_set(v->file->err, PINION_ERR_MEMORY, v->file->name, 0, 0, "out of memory");
    } else if (joints_read(array, joints, parts, weights)) {
        def->type = PINION_ACTUATOR_SUM;
        def->count = (int)count;
        def->joints = joints;
        def->dofs = parts;
        def->weights = weights;
        ok = common_read(v, def);
    }
    free(joints);
    free(parts);
    free(weights);
    return ok;
}

/* The keys that say what it acts on, one of which is there; "frame" is also that of a pair. */
enum { JOINT, JOINTS, FRAME, TENDON, CRANK, TARGETS };
static const char *const targets[TARGETS] = {"joint", "joints", "frame", "tendon", "crank"};

/* The key of this one, with its value; -1 after an error. */
static int target_read(const pn_json_value *v, pn_json_value *value)
{
    int kinds = 0, found = -1;
    for (int i = 0; i < TARGETS; i++) {
        pn_json_value x = {0};
        if (!pn_value_get(v, targets[i], &x)) continue;
        kinds++;
        found = i;
        *value = x;
    }
    if (kinds == 1) return found;
    pn_value_fail(v, "has %d of the keys joint, joints, frame, tendon, crank, expected one of them", kinds);
    return -1;
}

static int crank_read(const pn_json_value *v, const pn_json_value *crank, pinion_actuator_def *def)
{
    def->type = PINION_ACTUATOR_CRANK;
    return pn_value_string(crank, &def->frame) && pn_need_string(v, "slider", &def->reference) &&
           pn_get_number(v, "rod", &def->rod) && common_read(v, def);
}

static int frame_read(const pn_json_value *v, const pn_json_value *frame, pinion_actuator_def *def)
{
    pn_json_value reference;
    def->type = PINION_ACTUATOR_FRAME;
    if (pn_value_get(v, "reference", &reference)) {
        def->type = PINION_ACTUATOR_PAIR;
        if (!pn_value_string(&reference, &def->reference)) return 0;
    }
    return pn_value_string(frame, &def->frame) && pn_get_numbers(v, "moment", 3, def->wrench) &&
           pn_get_numbers(v, "force", 3, def->wrench + 3) && common_read(v, def);
}

#define COMMON "gear", "efficiency", "effort", "velocity", "delay", "lag", "motor", "initial", "law", NULL

static int actuator_read(const pn_json_value *v)
{
    static const char *const keys[TARGETS][16] = {{"name", "joint", "part", COMMON},
                                                  {"name", "joints", COMMON},
                                                  {"name", "frame", "reference", "moment", "force", COMMON},
                                                  {"name", "tendon", COMMON},
                                                  {"name", "crank", "slider", "rod", COMMON}};
    pinion_actuator_def def = pinion_actuator_def_default();
    pn_json_value target = {0};
    const char *name = NULL;
    int part = 0;
    if (!json_is_object(v->json)) return pn_value_expected(v, "an actuator: an object");
    const int on = target_read(v, &target);
    if (on < 0 || !pn_value_object(v, keys[on]) || !pn_need_string(v, "name", &def.name)) return 0;
    def.line = pn_value_line(v);
    if (on == JOINTS) return sum_read(v, &target, &def);
    if (on == FRAME) return frame_read(v, &target, &def);
    if (on == CRANK) return crank_read(v, &target, &def);
    if (on == TENDON) {
        def.type = PINION_ACTUATOR_TENDON;
        return pn_value_string(&target, &def.tendon) && common_read(v, &def);
    }
    def.joints = &name;
    def.dofs = &part;
    return pn_value_string(&target, &name) && part_read(v, &part) && common_read(v, &def);
}

int pn_json_actuators(const pn_json_value *array)
{
    if (!pn_value_array(array, "an array of actuators")) return 0;
    if (pinion_builder_list_actuators(array->file->builder, 1) != PINION_OK) return 0;
    pn_json_value v = {0};
    while (pn_value_next(array, &v)) {
        if (!actuator_read(&v)) return 0;
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Writing */

static void number_key(pn_json_writer *w, const char *name, double x)
{
    pn_json_key(w, name);
    pn_text_number(&w->t, x);
}

static void number_or_null(pn_text *t, double x)
{
    if (isfinite(x))
        pn_text_number(t, x);
    else
        pn_text_append(t, "null");
}

/* One number where both sides have the same limit. */
static void write_range(pn_json_writer *w, const double effort[2])
{
    if (effort[0] == -effort[1] && effort[1] >= 0) {
        pn_text_number(&w->t, effort[1]);
        return;
    }
    pn_text_append(&w->t, "[");
    number_or_null(&w->t, effort[0]);
    pn_text_append(&w->t, ", ");
    number_or_null(&w->t, effort[1]);
    pn_text_append(&w->t, "]");
}

static int write_terms(pn_json_writer *w, const pinion_actuator_info *a)
{
    pn_json_key(w, "joints");
    for (int i = 0; i < a->term_count; i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(w->m, a->term[i].joint, &joint) != PINION_OK) return 0;
        pn_text_append(&w->t, i ? ", {\"joint\": " : "[{\"joint\": ");
        pn_json_put_string(&w->t, joint.name);
        if (a->term[i].dof) pn_text_add(&w->t, ", \"part\": %d", a->term[i].dof);
        pn_text_append(&w->t, ", \"weight\": ");
        pn_text_number(&w->t, a->term[i].weight);
        pn_text_append(&w->t, "}");
    }
    pn_text_append(&w->t, "]");
    return 1;
}

static int write_frame(pn_json_writer *w, const char *key, int index)
{
    pinion_frame_info frame;
    if (pinion_model_frame(w->m, index, &frame) != PINION_OK) return 0;
    pn_json_string_key(w, key, frame.name);
    return 1;
}

static int write_joint(pn_json_writer *w, const pinion_actuator_info *a)
{
    pinion_joint_info joint;
    if (pinion_model_joint(w->m, a->term[0].joint, &joint) != PINION_OK) return 0;
    pn_json_string_key(w, "joint", joint.name);
    if (a->term[0].dof) number_key(w, "part", a->term[0].dof);
    return 1;
}

static int write_target(pn_json_writer *w, const pinion_actuator_info *a)
{
    pinion_tendon_info tendon;
    switch (a->type) {
    case PINION_ACTUATOR_JOINT: return write_joint(w, a);
    case PINION_ACTUATOR_SUM: return write_terms(w, a);
    case PINION_ACTUATOR_TENDON:
        if (pinion_model_tendon(w->m, a->tendon, &tendon) != PINION_OK) return 0;
        pn_json_string_key(w, "tendon", tendon.name);
        return 1;
    case PINION_ACTUATOR_CRANK:
        if (!write_frame(w, "crank", a->frame) || !write_frame(w, "slider", a->reference)) return 0;
        number_key(w, "rod", a->rod);
        return 1;
    default: break;
    }
    if (!write_frame(w, "frame", a->frame)) return 0;
    if (a->reference >= 0 && !write_frame(w, "reference", a->reference)) return 0;
    for (int i = 0; i < 2; i++) {
        if (pn_json_is_zero(a->wrench + 3 * i, 3)) continue;
        pn_json_key(w, i ? "force" : "moment");
        pn_json_put_numbers(&w->t, a->wrench + 3 * i, 3);
    }
    return 1;
}

static void write_dynamics(pn_json_writer *w, const pinion_actuator_dynamics *d)
{
    if (d->delay != 0) number_key(w, "delay", d->delay);
    if (d->lag != 0) number_key(w, "lag", d->lag);
    if (d->torque_constant != 0) {
        const char *const names[] = {"resistance", "inductance", "voltage"};
        const double numbers[] = {d->resistance, d->inductance, d->voltage};
        pn_json_key(w, "motor");
        pn_text_append(&w->t, "{\"torque_constant\": ");
        pn_text_number(&w->t, d->torque_constant);
        if (d->back_emf != d->torque_constant) {
            pn_text_append(&w->t, ", \"back_emf\": ");
            pn_text_number(&w->t, d->back_emf);
        }
        for (int i = 0; i < 3; i++) {
            if (numbers[i] == 0) continue;
            pn_text_add(&w->t, ", \"%s\": ", names[i]);
            pn_text_number(&w->t, numbers[i]);
        }
        pn_text_append(&w->t, "}");
    }
    if (d->initial != 0) number_key(w, "initial", d->initial);
}

static void write_law(pn_json_writer *w, const pinion_actuator_law *law)
{
    const int limited = isfinite(law->control[0]) || isfinite(law->control[1]);
    if (!pn_law_acts(law) && !limited) return;
    pn_json_key(w, "law");
    pn_text_append(&w->t, "{\"gain\": ");
    pn_text_number(&w->t, law->gain);
    if (pn_law_has_slope(law)) {
        pn_text_append(&w->t, ", \"slope\": ");
        pn_json_put_numbers(&w->t, law->slope, 2);
    }
    if (pn_law_has_bias(law)) {
        pn_text_append(&w->t, ", \"bias\": ");
        pn_json_put_numbers(&w->t, law->bias, 3);
    }
    if (limited) {
        pn_text_append(&w->t, ", \"control\": ");
        write_range(w, law->control);
    }
    if (law->filter > 0) {
        pn_text_append(&w->t, ", \"filter\": ");
        pn_text_number(&w->t, law->filter);
    }
    if (law->integrates) pn_text_append(&w->t, ", \"integrates\": true");
    if (isfinite(law->state[0]) || isfinite(law->state[1])) {
        pn_text_append(&w->t, ", \"state\": ");
        write_range(w, law->state);
    }
    pn_text_append(&w->t, "}");
}

int pn_json_write_actuators(pn_json_writer *w)
{
    if (!pinion_model_actuators_listed(w->m)) return 1;
    pn_json_section(w, "actuators");
    for (int i = 0; i < pinion_model_actuator_count(w->m); i++) {
        pinion_actuator_info a;
        if (pinion_model_actuator(w->m, i, &a) != PINION_OK) return 0;
        pn_json_element(w);
        pn_json_string_key(w, "name", a.name);
        if (!write_target(w, &a)) return 0;
        if (a.gear != 1) number_key(w, "gear", a.gear);
        if (a.efficiency != 1) number_key(w, "efficiency", a.efficiency);
        if (isfinite(a.effort[0]) || isfinite(a.effort[1])) {
            pn_json_key(w, "effort");
            write_range(w, a.effort);
        }
        if (isfinite(a.velocity)) number_key(w, "velocity", a.velocity);
        write_dynamics(w, &a.dynamics);
        write_law(w, &a.law);
        pn_json_element_end(w);
    }
    pn_json_section_end(w);
    return 1;
}
