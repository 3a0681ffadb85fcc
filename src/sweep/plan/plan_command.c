/* The run of a plan whose command is not sim: what `pinion id`, `eval` and `linearize` have as options. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/plan/sweep_plan.h"

#include <stdlib.h>
#include <string.h>

const char *const pn_plan_commands[] = {"sim", "id", "eval", "linearize", NULL};

int pn_plan_command_varies(pn_plan_command command, pn_varied what)
{
    const pn_place place = pn_varied_kinds[what].place;
    if (what == PN_VARY_A0) return command == PN_PLAN_EVAL;
    if (command == PN_PLAN_SIM || place == PN_PLACE_LINK || what == PN_VARY_GRAVITY || what == PN_VARY_SCALE ||
        what == PN_VARY_MODEL || what == PN_VARY_Q0)
        return 1;
    /* Coulomb friction has no derivative at rest, and a linear model none of it */
    if (place == PN_PLACE_DOF) return command != PN_PLAN_LINEARIZE || what != PN_VARY_FRICTION;
    if (command == PN_PLAN_ID)
        return what == PN_VARY_TO || what == PN_VARY_DURATION || what == PN_VARY_TRAJECTORY;
    return what == PN_VARY_V0 || what == PN_VARY_TORQUE;
}

/* ------------------------------------------------------------------------------------------------
 * id: joint forces along a motion */

static int read_id(const pn_json_value *run, pinion_sweep *s)
{
    static const char *const keys[] = {"command",    "state",   "q0",    "duration", "output_step", "to",
                                       "trajectory", "profile", "blend", "frames",   "passive",     NULL};
    pn_plan_run *r = &s->run;
    pn_json_value v;
    if (!pn_value_object(run, keys) || !pn_plan_read_motion(run, s) ||
        !pn_get_boolean(run, "passive", &r->sim.passive) || !pn_plan_read_frames(run, s) ||
        !pn_plan_positive(run, "duration", 0, &r->numbers.duration) ||
        !pn_plan_positive(run, "output_step", 0, &r->output_step))
        return 0;
    if (!r->moves && !r->trajectory)
        return pn_value_fail(run, "there is no motion: \"to\" with \"duration\", or \"trajectory\"");
    if (r->trajectory && pn_value_get(run, "duration", &v))
        return pn_value_fail(&v, "is of motions that are generated; the file says when");
    if (r->moves && !pn_value_need(run, "duration", &v)) return 0;
    return pinion_model_loop_count(s->model) == 0 ||
           pn_value_fail(run, "\"command\": \"id\" is for models without closed loops");
}

/* ------------------------------------------------------------------------------------------------
 * eval: quantities at a state */

/* "NAME" or "NAME:FRAME". */
static int read_quantity(const pn_json_value *v, const pinion_sweep *s, pn_plan_quantity *out)
{
    const char *text = NULL;
    pinion_quantity_info info;
    if (!pn_value_string(v, &text)) return 0;
    out->name = strdup(text);
    if (!out->name) return pn_plan_no_memory(v);
    char *colon = strchr(out->name, ':');
    if (colon) *colon = '\0';
    out->quantity = pinion_quantity_find(out->name);
    if (out->quantity < 0 || pinion_quantity(out->quantity, &info) != PINION_OK || !info.in_eval)
        return pn_value_fail(v, "\"%.60s\" is no quantity that the library has from one call", out->name);
    if (!colon != !info.takes_frame)
        return pn_value_fail(v, colon ? "\"%.60s\" is not of a frame" : "expected \"%.60s:FRAME\"", out->name);
    out->frame = colon ? pinion_model_find_frame(s->model, colon + 1) : 0;
    if (out->frame < 0) return pn_value_fail(v, "the model has no link or frame \"%.60s\"", colon + 1);
    if (colon) *colon = ':';
    if (pinion_model_loop_count(s->model) && strstr(info.function, "forward_dynamics"))
        return pn_value_fail(v, "is for models without closed loops");
    const int derivative = strcmp(info.name, "d_forward_dynamics") == 0 || strcmp(info.name, "d_energy") == 0;
    if (s->run.sim.passive && derivative)
        return pn_value_fail(v, "is without passive forces: \"passive\": false");
    return 1;
}

static int read_eval(const pn_json_value *run, pinion_sweep *s)
{
    static const char *const keys[] = {"command", "state", "q0",      "v0",     "a0",
                                       "torque",  "what",  "passive", "frames", NULL};
    pn_plan_run *r = &s->run;
    pn_json_value what, element = {0};
    if (!pn_value_object(run, keys) || !pn_plan_list(run, s, "a0", "v", r->numbers.a, NULL) ||
        !pn_plan_list(run, s, "torque", "tau", r->numbers.torque, NULL) ||
        !pn_get_boolean(run, "passive", &r->sim.passive) || !pn_plan_read_frames(run, s) ||
        !pn_value_need(run, "what", &what) || !pn_value_array(&what, "names of quantities"))
        return 0;
    if (r->sim.passive && pinion_model_loop_count(s->model))
        return pn_value_fail(run, "\"passive\" is for models without closed loops");
    r->quantities = calloc(json_array_size(what.json) + 1, sizeof *r->quantities);
    if (!r->quantities) return pn_plan_no_memory(run);
    while (pn_value_next(&what, &element)) {
        pn_plan_quantity *q = &r->quantities[r->quantity_count++];
        if (!read_quantity(&element, s, q)) return 0;
        for (int i = 0; i + 1 < r->quantity_count; i++)
            if (strcmp(r->quantities[i].name, q->name) == 0) return pn_value_fail(&element, "is there twice");
    }
    return r->quantity_count > 0 || pn_value_fail(&what, "has no names");
}

/* ------------------------------------------------------------------------------------------------
 * linearize: the linear model near a state */

static int read_linearize(const pn_json_value *run, pinion_sweep *s)
{
    static const char *const keys[] = {"command", "state", "q0", "v0", "torque", "equilibrium", "frames", NULL};
    pn_plan_run *r = &s->run;
    pn_json_value v;
    r->sim.passive = 1; /* dampers and springs act */
    if (!pn_value_object(run, keys) || !pn_plan_list(run, s, "torque", "tau", r->numbers.torque, NULL) ||
        !pn_get_boolean(run, "equilibrium", &r->equilibrium) || !pn_plan_read_frames(run, s))
        return 0;
    return !(r->equilibrium && pn_value_get(run, "v0", &v)) || pn_value_fail(&v, "at a state of rest there is none");
}

int pn_plan_read_command(const pn_json_value *run, pinion_sweep *s)
{
    s->run.sim.passive = 0;
    if (!(s->run.command == PN_PLAN_ID     ? read_id(run, s)
          : s->run.command == PN_PLAN_EVAL ? read_eval(run, s)
                                           : read_linearize(run, s)))
        return 0;
    return pn_plan_read_start(run, s);
}
