/* pinion info: the actuators. */
#include "cli/info/info.h"
#include "src/base/law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *frame_name(const pinion_model *m, int index)
{
    pinion_frame_info frame;
    return pinion_model_frame(m, index, &frame) == PINION_OK ? frame.name : "";
}

/* The name of the frame an actuator sits in, of its tendon or of its joint. */
static const char *target_of(const pinion_model *m, const pinion_actuator_info *a)
{
    pinion_tendon_info tendon;
    if (a->frame >= 0) return frame_name(m, a->frame);
    if (a->tendon >= 0) return pinion_model_tendon(m, a->tendon, &tendon) == PINION_OK ? tendon.name : "";
    return pn_cli_joint_name(m, a->term[0].joint);
}

static int has_parts(const pinion_model *m, int joint)
{
    pinion_joint_info info;
    return pinion_model_joint(m, joint, &info) == PINION_OK && info.dof_count > 1;
}

/* ------------------------------------------------------------------------------------------------ */

static void put_sum(cli_json *j, const pinion_model *m, const pinion_actuator_info *a)
{
    pn_cli_json_open(j, '[', 1);
    for (int i = 0; i < a->term_count; i++) {
        pn_cli_json_open(j, '{', 1);
        pn_cli_put_string(j, "joint", pn_cli_joint_name(m, a->term[i].joint));
        if (has_parts(m, a->term[i].joint)) pn_cli_put_integer(j, "part", a->term[i].dof);
        pn_cli_put_number(j, "weight", a->term[i].weight);
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

/* What is not there has no key. */
static void put_dynamics(cli_json *j, const pinion_actuator_dynamics *d)
{
    if (d->delay != 0) pn_cli_put_number(j, "delay", d->delay);
    if (d->lag != 0) pn_cli_put_number(j, "lag", d->lag);
    if (d->initial != 0) pn_cli_put_number(j, "initial", d->initial);
    if (d->torque_constant == 0) return;
    pn_cli_json_key(j, "motor");
    pn_cli_json_open(j, '{', 1);
    pn_cli_put_number(j, "torque_constant", d->torque_constant);
    pn_cli_put_number(j, "back_emf", d->back_emf);
    pn_cli_put_number(j, "resistance", d->resistance);
    pn_cli_put_number(j, "inductance", d->inductance);
    if (d->voltage != 0) pn_cli_put_number(j, "voltage", d->voltage);
    pn_cli_json_close(j);
}

static void put_law(cli_json *j, const pinion_actuator_law *law)
{
    if (!pn_law_acts(law)) return;
    pn_cli_json_key(j, "law");
    pn_cli_json_open(j, '{', 1);
    pn_cli_put_number(j, "gain", law->gain);
    pn_cli_json_key(j, "bias");
    pn_cli_json_numbers(j, law->bias, 3);
    pn_cli_json_key(j, "control");
    pn_cli_json_numbers(j, law->control, 2);
    if (pn_law_has_slope(law)) {
        pn_cli_json_key(j, "slope");
        pn_cli_json_numbers(j, law->slope, 2);
    }
    if (law->filter > 0) pn_cli_put_number(j, "filter", law->filter);
    if (law->integrates) {
        pn_cli_json_key(j, "integrates");
        pn_cli_json_boolean(j, 1);
    }
    if (pn_law_has_activation(law)) {
        pn_cli_json_key(j, "state");
        pn_cli_json_numbers(j, law->state, 2);
    }
    pn_cli_json_close(j);
}

void pn_cli_put_actuators(cli_json *j, const pinion_model *m)
{
    pn_cli_json_key(j, "actuators");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_model_actuator_count(m); i++) {
        pinion_actuator_info a;
        if (pinion_model_actuator(m, i, &a) != PINION_OK) continue;
        pn_cli_json_open(j, '{', 1);
        pn_cli_put_string(j, "name", a.name);
        pn_cli_put_string(j, "type", pinion_actuator_type_name(a.type));
        pn_cli_json_key(j, "acts_on");
        if (a.type == PINION_ACTUATOR_SUM)
            put_sum(j, m, &a);
        else
            pn_cli_json_string(j, target_of(m, &a));
        if (a.type == PINION_ACTUATOR_JOINT && has_parts(m, a.term[0].joint))
            pn_cli_put_integer(j, "part", a.term[0].dof);
        if (a.reference >= 0)
            pn_cli_put_string(j, a.type == PINION_ACTUATOR_CRANK ? "slider" : "reference", frame_name(m, a.reference));
        if (a.type == PINION_ACTUATOR_CRANK) pn_cli_put_number(j, "rod", a.rod);
        if (a.type == PINION_ACTUATOR_FRAME || a.type == PINION_ACTUATOR_PAIR) {
            pn_cli_json_key(j, "moment");
            pn_cli_json_numbers(j, a.wrench, 3);
            pn_cli_json_key(j, "force");
            pn_cli_json_numbers(j, a.wrench + 3, 3);
        }
        pn_cli_put_number(j, "gear", a.gear);
        pn_cli_put_number(j, "efficiency", a.efficiency);
        pn_cli_json_key(j, "effort");
        if (a.effort[0] == -a.effort[1])
            pn_cli_json_number(j, a.effort[1]);
        else
            pn_cli_json_numbers(j, a.effort, 2);
        pn_cli_put_number(j, "velocity", a.velocity);
        put_dynamics(j, &a.dynamics);
        put_law(j, &a.law);
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

/* ------------------------------------------------------------------------------------------------ */

/* "0.02 * j1 - 0.01 * j2", cut where it does not fit */
static void add_sum(cli_table *t, const pinion_model *m, const pinion_actuator_info *a)
{
    char text[400] = "";
    for (int i = 0; i < a->term_count; i++) {
        const size_t used = strlen(text);
        const char *name = pn_cli_joint_name(m, a->term[i].joint);
        if (used + strlen(name) + 40 > sizeof text) {
            snprintf(text + used, sizeof text - used, " and %d more", a->term_count - i);
            break;
        }
        const double weight = a->term[i].weight;
        const char *sign = weight < 0 ? (i ? " - " : "-") : i ? " + " : "";
        snprintf(text + used, sizeof text - used, "%s%.4g * %s", sign, fabs(weight), name);
        if (has_parts(m, a->term[i].joint))
            snprintf(text + strlen(text), sizeof text - strlen(text), ".%d", a->term[i].dof);
    }
    pn_cli_table_add(t, "%s", text);
}

enum { TOLD = 240 }; /* bytes */

/* "delay 0.002 s, motor 0.0005 s, 24 V"; "" where it gives at once what is asked of it */
static void tell_dynamics(const pinion_actuator_info *a, char text[TOLD])
{
    const pinion_actuator_dynamics *d = &a->dynamics;
    const char *const between = d->delay != 0 ? ", " : "";
    char delay[40] = "", voltage[40] = "";
    if (d->delay != 0) snprintf(delay, sizeof delay, "delay %.4g s", d->delay);
    if (d->voltage != 0) snprintf(voltage, sizeof voltage, ", %.4g V", d->voltage);
    text[0] = '\0';
    if (d->torque_constant != 0)
        snprintf(text, TOLD, "%s%smotor %.4g s%s", delay, between, pinion_actuator_time_constant(a), voltage);
    else if (d->lag != 0)
        snprintf(text, TOLD, "%s%slag %.4g s", delay, between, d->lag);
    else
        snprintf(text, TOLD, "%s", delay);
    const pinion_actuator_law *law = &a->law;
    const size_t used = strlen(text);
    if (!pn_law_acts(law)) return;
    char gain[60], activation[40] = "";
    snprintf(gain, sizeof gain, "%.4g", law->gain);
    if (pn_law_has_slope(law))
        snprintf(gain, sizeof gain, "(%.4g%+.4g l%+.4g l')", law->gain, law->slope[0], law->slope[1]);
    if (law->filter > 0) snprintf(activation, sizeof activation, ", c filtered over %.4g s", law->filter);
    if (law->integrates) snprintf(activation, sizeof activation, ", c integrated");
    snprintf(text + used, TOLD - used, "%sservo %s c%+.4g%+.4g l%+.4g l'%s", used ? ", " : "", gain, law->bias[0],
             law->bias[1], law->bias[2], activation);
}

static void add_actuator(cli_table *t, const pinion_model *m, const pinion_actuator_info *a, int dynamics)
{
    pn_cli_table_add(t, "%s", a->name);
    if (a->type == PINION_ACTUATOR_SUM)
        add_sum(t, m, a);
    else if (a->type == PINION_ACTUATOR_FRAME)
        pn_cli_table_add(t, "frame %s", target_of(m, a));
    else if (a->type == PINION_ACTUATOR_PAIR)
        pn_cli_table_add(t, "frame %s from %s", target_of(m, a), frame_name(m, a->reference));
    else if (a->type == PINION_ACTUATOR_CRANK)
        pn_cli_table_add(t, "crank %s, slider %s", target_of(m, a), frame_name(m, a->reference));
    else if (a->type == PINION_ACTUATOR_TENDON)
        pn_cli_table_add(t, "tendon %s", target_of(m, a));
    else if (has_parts(m, a->term[0].joint))
        pn_cli_table_add(t, "%s.%d", target_of(m, a), a->term[0].dof);
    else
        pn_cli_table_add(t, "%s", target_of(m, a));
    pn_cli_table_add(t, "%.4g", a->gear);
    pn_cli_table_add(t, "%.4g", a->efficiency);
    if (a->effort[0] == -a->effort[1] && isfinite(a->effort[1]))
        pn_cli_table_add(t, "%.4g", a->effort[1]);
    else if (isfinite(a->effort[0]) || isfinite(a->effort[1]))
        pn_cli_table_add(t, "%.4g to %.4g", a->effort[0], a->effort[1]);
    else
        pn_cli_table_add(t, "-");
    if (isfinite(a->velocity))
        pn_cli_table_add(t, "%.4g", a->velocity);
    else
        pn_cli_table_add(t, "-");
    char text[TOLD];
    tell_dynamics(a, text);
    if (dynamics) pn_cli_table_add(t, "%s", *text ? text : "-");
}

int pn_cli_print_actuators(const pinion_model *m, cli_style style)
{
    static const char *const title[] = {"actuator", "acts on", "gear", "efficiency", "effort", "speed", "dynamics"};
    const int count = pinion_model_actuator_count(m);
    if (!pinion_model_actuators_listed(m) || count == 0) return 1;
    printf("\n%sActuators, their forces and speeds before the gear%s\n", pn_cli_bold(style), pn_cli_plain(style));
    pinion_actuator_info a;
    char text[TOLD] = "";
    for (int i = 0; i < count && !*text; i++)
        if (pinion_model_actuator(m, i, &a) == PINION_OK) tell_dynamics(&a, text);
    const int columns = *text ? 7 : 6;
    cli_table t = pn_cli_table(columns);
    for (int i = 0; i < columns; i++) pn_cli_table_add(&t, "%s", title[i]);
    for (int i = 0; i < count; i++)
        if (pinion_model_actuator(m, i, &a) == PINION_OK) add_actuator(&t, m, &a, columns == 7);
    return pn_cli_table_print(&t, stdout, "llrrrrl", style);
}
