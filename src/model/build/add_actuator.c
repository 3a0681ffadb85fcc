/* Actuators: what a builder takes of them. */
#include <math.h>
#include <string.h>

#include "model/build/describe.h"

pinion_actuator_def pinion_actuator_def_default(void)
{
    pinion_actuator_def def;
    memset(&def, 0, sizeof def);
    def.gear = def.efficiency = def.law.gain = 1;
    def.effort[0] = def.law.control[0] = def.law.state[0] = -INFINITY;
    def.effort[1] = def.law.control[1] = def.law.state[1] = def.velocity = INFINITY;
    def.cookie = PN_COOKIE_ACTUATOR;
    return def;
}

static int has_wrench(pinion_actuator_type type)
{
    return type == PINION_ACTUATOR_FRAME || type == PINION_ACTUATOR_PAIR;
}

/* What is wrong with the dynamics of an actuator, NULL when nothing is. */
static const char *dynamics_fault(const pinion_actuator_def *def)
{
    const pinion_actuator_dynamics *d = &def->dynamics;
    const double numbers[] = {d->delay,      d->lag,        d->torque_constant, d->back_emf,
                              d->resistance, d->inductance, d->voltage};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!(numbers[i] >= 0 && isfinite(numbers[i])))
            return "its delay, its lag or a number of its motor is not a finite number of at least 0";
    if (!isfinite(d->initial)) return "what it gives at the start is not a finite number";
    if (d->torque_constant == 0) {
        const int some = d->back_emf != 0 || d->resistance != 0 || d->inductance != 0 || d->voltage != 0;
        return some ? "its motor has no torque constant; expected a number above 0" : NULL;
    }
    if (d->lag != 0) return "it has a lag and a motor; expected one of them";
    if (has_wrench(def->type)) return "it has a motor and acts on a frame; expected joints, a tendon or a crank";
    return d->resistance > 0 ? NULL : "its motor has no resistance; expected a number above 0";
}

static const char *law_fault(const pinion_actuator_law *law)
{
    if (!isfinite(law->gain)) return "the gain of its law is not a finite number";
    if (!pn_finite(law->bias, 3)) return "the bias of its law is not three finite numbers";
    if (!pn_finite(law->slope, 2)) return "the slope of its law is not two finite numbers";
    int some = law->gain != 0 || law->slope[0] != 0 || law->slope[1] != 0;
    for (int i = 0; i < 3; i++) some = some || law->bias[i] != 0;
    if (!some) return "the gain of its law is 0, and so is all else";
    if (!(law->control[0] <= law->control[1]))
        return "the control of its law is no range; expected the least and the largest, the least first";
    if (!(law->state[0] <= law->state[1]))
        return "the state of its law is no range; expected the least and the largest, the least first";
    if (!(law->filter >= 0 && isfinite(law->filter))) return "the filter of its law is no time; expected s, 0 or more";
    return law->filter > 0 && law->integrates ? "its law integrates and has a filter; expected one of them" : NULL;
}

/* The same of its other numbers. */
static const char *actuator_fault(const pinion_actuator_def *def)
{
    if (!isfinite(def->gear) || def->gear == 0) return "its gear is 0 or not a finite number";
    if (!(def->efficiency > 0 && def->efficiency <= 1))
        return "its efficiency is out of range; expected a number above 0 and at most 1";
    if (!(def->effort[0] <= def->effort[1]) || def->effort[0] == INFINITY || def->effort[1] == -INFINITY)
        return "its effort is no range; expected the least and the largest force, the least first";
    if (!(def->velocity >= 0)) return "its velocity limit is not a number of at least 0";
    const char *fault = law_fault(&def->law);
    if (!fault) fault = dynamics_fault(def);
    if (!fault && def->type == PINION_ACTUATOR_CRANK && !(def->rod > 0 && isfinite(def->rod)))
        return "its rod has no length; expected a number above 0";
    if (fault || !has_wrench(def->type)) return fault;
    if (!pn_finite(def->wrench, 6)) return "its moment and force are not six finite numbers";
    for (int i = 0; i < 6; i++) {
        if (def->wrench[i] != 0) return NULL;
    }
    return "its moment and force are all 0; expected the direction of a force, a moment or both";
}

/* How many joints it names. */
static int joint_count(const pinion_actuator_def *def)
{
    return def->type == PINION_ACTUATOR_JOINT ? 1 : def->type == PINION_ACTUATOR_SUM ? def->count : 0;
}

static double weight_of(const pinion_actuator_def *def, int i)
{
    return def->type == PINION_ACTUATOR_SUM && def->weights ? def->weights[i] : 1;
}

/* What it acts on beside joints: its frame, the one it is seen from, its tendon, and whether its type has one. */
enum { FRAME, REFERENCE, TENDON, NAMES };
typedef struct named {
    int has[NAMES];
    const char *name[NAMES]; /* NULL: none */
} named;

static named names_of(const pinion_actuator_def *def)
{
    const int pair = def->type == PINION_ACTUATOR_PAIR || def->type == PINION_ACTUATOR_CRANK;
    named x = {{pair || def->type == PINION_ACTUATOR_FRAME, pair, def->type == PINION_ACTUATOR_TENDON},
               {def->frame, def->reference, def->tendon}};
    for (int i = 0; i < NAMES; i++)
        if (!x.has[i]) x.name[i] = NULL;
    return x;
}

static pinion_status check_names(const pinion_builder *b, const pinion_actuator_def *def, pinion_error *err)
{
    static const char *const what[NAMES] = {"frame", "reference", "tendon"};
    const named x = names_of(def);
    pinion_status status = PINION_OK;
    for (int i = 0; i < joint_count(def) && status == PINION_OK; i++)
        status = pn_check_reference(b, "actuator", def->name, "joint", def->joints[i], def->line, err);
    for (int i = 0; i < NAMES && status == PINION_OK; i++)
        if (x.has[i]) status = pn_check_reference(b, "actuator", def->name, what[i], x.name[i], def->line, err);
    return status;
}

static pinion_status check(const pinion_builder *b, const pinion_actuator_def *def, pinion_error *err)
{
    pinion_status status = pn_check_cookie(b, "actuator", def->cookie, PN_COOKIE_ACTUATOR, err);
    if (status == PINION_OK) status = pn_check_name(b, "actuator", def->name, def->line, err);
    if (status != PINION_OK) return status;
    const char *fault = actuator_fault(def);
    if ((int)def->type < 0 || def->type >= PINION_ACTUATOR_TYPE_COUNT)
        fault = "its type is none there is";
    else if (def->type == PINION_ACTUATOR_SUM && (def->count < 1 || def->count > PN_MAX_TERMS))
        fault = "it acts on no joint; expected one or more";
    else if (joint_count(def) && !def->joints)
        fault = "its joints are NULL; expected their names";
    for (int i = 0; i < joint_count(def) && !fault; i++)
        if (!isfinite(weight_of(def, i)) || weight_of(def, i) == 0) fault = "a weight is 0 or not a finite number";
    if (fault) return pn_fail(b, err, PINION_ERR_MODEL, def->line, "actuator %s: %s", pn_quote(def->name).text, fault);
    return check_names(b, def, err);
}

pinion_status pinion_builder_add_actuator(pinion_builder *b, const pinion_actuator_def *def, pinion_error *err)
{
    if (!b || !def)
        return pn_fail(b, err, PINION_ERR_ARGUMENT, 0, "an argument is NULL; expected a builder and a definition");
    pinion_status status = check(b, def, err);
    if (status != PINION_OK) return status;
    const int count = joint_count(def);
    const named names = names_of(def);
    const char *const strings[4] = {def->name, names.name[FRAME], names.name[REFERENCE], names.name[TENDON]};
    size_t bytes = 0;
    for (int i = 0; i < 4; i++) bytes += strings[i] ? strlen(strings[i]) + 1 : 0;
    for (int i = 0; i < count; i++) bytes += strlen(def->joints[i]) + 1;
    if (b->terms.count + (size_t)count > PN_MAX_TERMS) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line, "the actuators act on too many joints; expected at most %d",
                       PN_MAX_TERMS);
    }
    status = pn_builder_room(b, &b->actuators, "actuator", strings, 4, def->line, err);
    if (status != PINION_OK) return status;
    if (!pn_list_reserve(&b->terms, (size_t)count) || !pn_list_reserve(&b->text, bytes)) return pn_fail_memory(b, err);

    pn_described_actuator *actuator = pn_list_push(&b->actuators);
    memset(actuator, 0, sizeof *actuator);
    actuator->name = pn_builder_keep(b, def->name);
    actuator->frame = pn_builder_keep(b, names.name[FRAME]);
    actuator->reference = pn_builder_keep(b, names.name[REFERENCE]);
    actuator->tendon = pn_builder_keep(b, names.name[TENDON]);
    actuator->type = def->type;
    actuator->term = b->terms.count;
    actuator->count = count;
    actuator->rod = def->type == PINION_ACTUATOR_CRANK ? def->rod : 0;
    if (has_wrench(def->type)) memcpy(actuator->wrench, def->wrench, sizeof actuator->wrench);
    actuator->gear = def->gear;
    actuator->efficiency = def->efficiency;
    memcpy(actuator->effort, def->effort, sizeof actuator->effort);
    actuator->velocity = def->velocity;
    actuator->dynamics = def->dynamics;
    actuator->law = def->law;
    if (def->dynamics.back_emf == 0) actuator->dynamics.back_emf = def->dynamics.torque_constant;
    actuator->line = def->line;
    for (int i = 0; i < count; i++) {
        pn_described_term *term = pn_list_push(&b->terms);
        term->joint = pn_builder_keep(b, def->joints[i]);
        term->dof = def->dofs ? def->dofs[i] : 0;
        term->weight = weight_of(def, i);
    }
    b->actuators_listed = 1;
    return PINION_OK;
}

pinion_status pinion_builder_list_actuators(pinion_builder *b, int listed)
{
    if (!b || (!listed && b->actuators.count > 0)) return PINION_ERR_ARGUMENT;
    b->actuators_listed = listed != 0;
    return PINION_OK;
}
