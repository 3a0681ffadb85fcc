#include "cli/args/reach.h"

#include "cli/print/print_text.h"
#include "pinion/sim/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-9 /* of the largest joint force, of a limit, or of 1 */
enum { SHOWN = 6, LINE = 1200 };

int pn_cli_reach_begin(cli_reach *x, const char *command, const pinion_model *m)
{
    memset(x, 0, sizeof *x);
    x->m = m;
    x->nv = pinion_model_nv(m);
    x->nu = pinion_model_actuator_count(m);
    x->listed = pinion_model_actuators_listed(m);
    for (int k = 0; k < x->nu && x->listed; k++) {
        pinion_actuator_info a;
        if (pinion_model_actuator(m, k, &a) == PINION_OK && (isfinite(a.velocity) || a.dynamics.voltage > 0))
            x->speeds = 1;
    }
    const size_t nv = (size_t)x->nv, nu = (size_t)x->nu;
    x->missing = calloc(nv + 3 * nu + 1, sizeof *x->missing);
    x->B = x->speeds ? calloc(nv * nu + 1, sizeof *x->B) : NULL;
    x->w = x->speeds ? pinion_work_new(m) : NULL;
    if (!x->missing || (x->speeds && (!x->B || !x->w))) {
        pn_cli_reach_end(x);
        pn_cli_report(command, "out of memory");
        return CLI_FAILED;
    }
    x->force = x->missing + nv;
    x->speed = x->force + nu;
    x->voltage = x->speed + nu;
    return CLI_DONE;
}

void pn_cli_reach_end(cli_reach *x)
{
    pinion_work_free(x->w);
    free(x->B);
    free(x->missing);
    memset(x, 0, sizeof *x);
}

static void see(reach_worst *worst, double value, double lower, double upper, double rounding, double where)
{
    const double excess = fmax(value - upper, lower - value);
    if (excess > rounding && excess > worst->excess) *worst = (reach_worst){excess, value, where};
}

pinion_status pn_cli_reach_see(cli_reach *x, const double *q, const double *v, const double *u, const double *rest,
                               double size, double where)
{
    for (int i = 0; i < x->nv && rest; i++) see(&x->missing[i], rest[i], 0, 0, ROUNDING * fmax(1, size), where);
    if (!x->listed) return PINION_OK;
    const pinion_status status = x->speeds ? pinion_actuation_matrix(x->m, x->w, q, x->B) : PINION_OK;
    for (int k = 0; k < x->nu && status == PINION_OK; k++) {
        pinion_actuator_info a;
        if (pinion_model_actuator(x->m, k, &a) != PINION_OK) continue;
        const double limit = u && u[k] > 0 ? a.effort[1] : a.effort[0];
        if (u) see(&x->force[k], u[k], a.effort[0], a.effort[1], ROUNDING * fmax(1, fabs(limit)), where);
        double speed = 0;
        for (int i = 0; i < x->nv && x->speeds; i++) speed += x->B[i * x->nu + k] * v[i] / a.efficiency;
        if (isfinite(a.velocity))
            see(&x->speed[k], speed, -a.velocity, a.velocity, ROUNDING * fmax(1, a.velocity), where);
        const pinion_actuator_dynamics *d = &a.dynamics;
        if (!(d->voltage > 0) || !u || !x->voltages) continue;
        const double voltage = d->resistance * u[k] / d->torque_constant + d->back_emf * speed;
        see(&x->voltage[k], voltage, -d->voltage, d->voltage, ROUNDING * d->voltage, where);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

/* Adds one to a line; `found` counts them, and only the first are named. */
static void add(char *line, int *found, const char *name, const reach_worst *worst, const char *unit,
                const double *limit, const cli_limits *l)
{
    const size_t used = strlen(line);
    if ((*found)++ >= SHOWN) return;
    char text[60] = "";
    if (limit) snprintf(text, sizeof text, " (at %s %.4g)", worst->value > *limit ? "most" : "least", *limit);
    snprintf(line + used, LINE - used, "%s%.80s %.4g%s%s%s at %s%.10g%s", *found > 1 ? ", " : " ", name, worst->value,
             *unit ? " " : "", unit, text, l->before, worst->where, l->after);
}

static void finish(char *line, int found, cli_limits *l)
{
    if (found > SHOWN) snprintf(line + strlen(line), LINE - strlen(line), ", and %d more", found - SHOWN);
    if (found) pn_cli_limits_add(l, line);
}

static void tell_missing(const cli_reach *x, cli_limits *l)
{
    char line[LINE] = "the motion needs forces that no actuator gives:", name[400];
    int found = 0;
    for (int i = 0; i < x->nv; i++) {
        if (x->missing[i].excess == 0) continue;
        pinion_coordinate_name(x->m, "tau", i, name, sizeof name);
        add(line, &found, name + 4, &x->missing[i], pinion_coordinate_unit(x->m, "tau", i), NULL, l);
    }
    finish(line, found, l);
}

enum { FORCE, SPEED, VOLTAGE };

static void tell_limits(const cli_reach *x, const reach_worst *worst, const char *what, int which, cli_limits *l)
{
    char line[LINE];
    int found = 0;
    snprintf(line, sizeof line, "%s beyond the actuators' limits:", what);
    for (int k = 0; k < x->nu; k++) {
        pinion_actuator_info a;
        if (worst[k].excess == 0 || pinion_model_actuator(x->m, k, &a) != PINION_OK) continue;
        const double most = which == SPEED ? a.velocity : a.dynamics.voltage;
        const double upper = which == FORCE ? a.effort[1] : most, lower = which == FORCE ? a.effort[0] : -most;
        const char *unit = which == FORCE ? pinion_coordinate_unit(x->m, "actuator", k) : which == SPEED ? "" : "V";
        add(line, &found, a.name, &worst[k], unit, worst[k].value > upper ? &upper : &lower, l);
    }
    finish(line, found, l);
}

void pn_cli_reach_tell(const cli_reach *x, cli_limits *l)
{
    if (!x->missing) return;
    tell_missing(x, l);
    tell_limits(x, x->force, "forces", FORCE, l);
    tell_limits(x, x->speed, "speeds", SPEED, l);
    tell_limits(x, x->voltage, "voltages", VOLTAGE, l);
}

void pn_cli_reach_json(cli_json *j, const cli_reach *x)
{
    char name[400];
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < x->nv; i++) {
        if (x->missing[i].excess == 0) continue;
        pn_cli_json_open(j, '{', 1);
        pn_cli_put_string(j, "name", pinion_coordinate_name(x->m, "tau", i, name, sizeof name));
        pn_cli_put_number(j, "value", x->missing[i].value);
        pn_cli_put_number(j, "t", x->missing[i].where);
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}
