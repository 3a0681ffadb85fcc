/* Whether the runs of a plan can go side by side: "engine": "rollout". */
#include <math.h>

#include "sweep/run/lanes.h"

#define ROUNDING 1e-9   /* a whole number of steps, but for this */
#define ROWS 100        /* of a run that does not say */

/* Keys that rollouts have nothing for. */
static int check_keys(const pn_json_value *run)
{
    static const char *const keys[] = {"tasks",   "trajectory", "sensors",  "control_delay", "limit_effort",
                                       "forces",  "contact",    "limits",   "friction",      "stop_when",
                                       "tol",     "rtol",       "atol",     "max_step",      "max_steps",
                                       "max_time", "algorithm", "rpy",       NULL};
    pn_json_value v;
    for (int i = 0; keys[i]; i++)
        if (pn_value_get(run, keys[i], &v)) return pn_value_fail(&v, "rollouts have none: \"engine\": \"sim\"");
    return 1;
}

/* What varies from lane to lane. */
static int check_varied(const pn_json_value *top, const pinion_sweep *s)
{
    pn_json_value vary;
    if (!pn_value_get(top, "vary", &vary)) return 1;
    for (int i = 0; i < s->parameter_count; i++) {
        const pn_varied what = s->parameters[i].what;
        if (what == PN_VARY_Q0 || what == PN_VARY_V0 || what == PN_VARY_TO || what == PN_VARY_TORQUE) continue;
        const pn_json_value element = pn_value_at(&vary, (size_t)i);
        return pn_value_fail(&element,
                             "\"%.60s\": in rollouts starts, targets and torques vary alone (q0, v0, to, torque); "
                             "\"engine\": \"sim\" takes the others",
                             s->parameters[i].name);
    }
    return 1;
}

/* Passive forces that rollouts have not: says which element has one. */
static int check_elements(const pn_json_value *run, const pinion_sweep *s)
{
    static const char also[] = "; \"engine\": \"sim\" has it, and rollouts take the model with \"passive\": false";
    if (!s->run.sim.passive || !pinion_model_has_elements(s->model)) return 1;
    for (int i = 0; i < pinion_model_link_count(s->model); i++) {
        pinion_link_info link;
        if (pinion_model_link(s->model, i, &link) != PINION_OK) continue;
        if (link.gravity_compensation != 0)
            return pn_value_fail(run, "rollouts have no gravity compensation of links, as of \"%.60s\"%s", link.name,
                                 also);
        if (link.drag) return pn_value_fail(run, "rollouts have no drag of links, as of \"%.60s\"%s", link.name, also);
    }
    for (int i = 0; i < pinion_model_tendon_count(s->model); i++) {
        pinion_tendon_info t;
        if (pinion_model_tendon(s->model, i, &t) != PINION_OK) continue;
        if (t.stiffness != 0 || t.damping != 0 || t.stiffness_curve[0] != 0 || t.stiffness_curve[1] != 0 ||
            t.damping_curve[0] != 0 || t.damping_curve[1] != 0)
            return pn_value_fail(run, "rollouts have no springs and dampers of tendons, as of \"%.60s\"%s", t.name,
                                 also);
    }
    return pn_value_fail(run, "rollouts have not all passive forces of this model%s", also);
}

/* The steps of a run, and after how many there is a row. */
static int find_steps(const pn_json_value *run, pn_plan_run *r)
{
    pn_run_numbers *n = &r->numbers;
    if (n->step == 0) n->step = PN_FIXED_STEP;
    const double rows = r->output_step > 0 ? r->output_step : n->duration / ROWS, steps = n->duration / n->step,
                 every = rows / n->step;
    if (!(fabs(steps - round(steps)) <= ROUNDING * steps && steps < 1e9 && round(steps) >= 1))
        return pn_value_fail(run, "\"duration\" is not a whole number of steps");
    if (!(fabs(every - round(every)) <= ROUNDING * every && round(every) >= 1 &&
          fmod(round(steps), round(every)) == 0))
        return pn_value_fail(run, "\"output_step\" is not a whole number of steps, or \"duration\" not one of rows");
    if (n->control_step > 0 && fabs(n->control_step - n->step) > ROUNDING * n->step)
        return pn_value_fail(run, "\"control_step\" is not the step: rollouts control once a step");
    r->steps = (size_t)round(steps);
    r->every = (size_t)round(every);
    return 1;
}

int pn_plan_check_lanes(const pn_json_value *top, pinion_sweep *s)
{
    pn_plan_run *r = &s->run;
    const int method = r->numbers.integrator, control = r->numbers.control;
    pn_json_value run;
    if (!pn_value_need(top, "run", &run)) return 0;
    if (r->command != PN_PLAN_SIM) return pn_value_fail(&run, "rollouts are simulations");
    if (!check_keys(&run) || !check_varied(top, s)) return 0;
    if (method != PINION_INTEGRATOR_RK4 && method != PINION_INTEGRATOR_EULER)
        return pn_value_fail(&run, "rollouts take \"integrator\": \"rk4\" or \"euler\"");
    if (control != PN_PLAN_NONE && control != PN_PLAN_PD)
        return pn_value_fail(&run, "rollouts have \"control\": \"none\" or \"pd\"");
    if (pinion_model_loop_count(s->model)) return pn_value_fail(&run, "rollouts are for models without closed loops");
    if (control == PN_PLAN_PD &&
        (pinion_model_actuators_listed(s->model) || pinion_model_actuator_count(s->model) != s->nv))
        return pn_value_fail(&run, "\"pd\" of rollouts needs an ideal actuator in every joint");
    return check_elements(&run, s) && find_steps(&run, r);
}
