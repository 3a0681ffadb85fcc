/* Plans that contradict themselves. */
#include "sweep/plan/sweep_plan.h"

#include <string.h>

static int has_place(const pn_parameter *p, pn_spot_of at)
{
    for (int k = 0; k < p->place_count; k++)
        if (p->places[k].index == at.index && p->places[k].dof == at.dof) return 1;
    return 0;
}

/* Whether a later parameter sets all that an earlier one changes, which then has no effect. */
static int hides(const pn_parameter *later, const pn_parameter *earlier)
{
    if (later->what != earlier->what || later->mode != PN_MODE_VALUE || later->what == PN_VARY_PAYLOAD ||
        later->what == PN_VARY_SCALE)
        return 0;
    if (pn_varied_kinds[later->what].axis && later->axis != earlier->axis) return 0;
    if (later->pointer) return strcmp(later->pointer, earlier->pointer) == 0;
    for (int k = 0; k < earlier->place_count; k++)
        if (!has_place(later, earlier->places[k])) return 0;
    return 1;
}

int pn_plan_varies(const pinion_sweep *s, pn_varied what)
{
    for (int i = 0; i < s->parameter_count; i++)
        if (s->parameters[i].what == what) return 1;
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * Keys of the run that have no meaning beside others, as pinion sim refuses them */

static int beside(const pn_json_value *run, const char *key, const char *why)
{
    pn_json_value v;
    return !pn_value_get(run, key, &v) || pn_value_fail(&v, "%s", why);
}

/* What a method with steps of one length has no use for. */
static int check_method(const pn_json_value *run, const pinion_sweep *s)
{
    static const char *const adaptive[] = {"tol", "rtol", "atol", "max_step"};
    const pinion_integrator method = (pinion_integrator)s->run.numbers.integrator;
    pn_json_value v;
    if (pn_plan_varies(s, PN_VARY_INTEGRATOR)) return 1;
    for (int i = 0; i < 4 && pinion_integrator_is_fixed(method); i++)
        if (pn_value_get(run, adaptive[i], &v))
            return pn_value_fail(&v, "%s takes steps of the length that \"step\" gives", pn_plan_integrators[method]);
    return pinion_integrator_is_fixed(method) || s->run.sim.rtol > 0 || s->run.sim.atol > 0 ||
           beside(run, pn_value_get(run, "rtol", &v) ? "rtol" : "atol", "rtol and atol are both 0");
}

/* Friction is exact where the plan says so, and where it says nothing and control is sampled. */
static int check_friction(const pn_json_value *run, const pinion_sweep *s)
{
    const pn_plan_run *r = &s->run;
    const int sampled = r->numbers.control_step > 0 || pn_plan_varies(s, PN_VARY_CONTROL_STEP);
    if (r->sim.friction == PINION_FRICTION_EXACT)
        return beside(run, "friction_speed", "has no use with \"friction\": \"exact\"");
    return (r->open_friction && sampled) ||
           beside(run, "stiction", "has no use without \"friction\": \"exact\"");
}

static int check_control(const pn_json_value *run, const pinion_sweep *s)
{
    const pn_run_numbers *n = &s->run.numbers;
    const int controls = n->control != PN_PLAN_NONE || pn_plan_varies(s, PN_VARY_CONTROL);
    const int timed = pn_plan_varies(s, PN_VARY_CONTROL_STEP) || pn_plan_varies(s, PN_VARY_CONTROL_DELAY);
    if (!controls && !s->run.sensors && !beside(run, "control_step", "has no use without \"control\" or \"sensors\""))
        return 0;
    if (!timed && n->control_delay > n->control_step &&
        !beside(run, "control_delay", n->control_step > 0 ? "is longer than \"control_step\""
                                                          : "has no use without \"control_step\""))
        return 0;
    return controls || s->run.has_torque || pn_plan_varies(s, PN_VARY_TORQUE) || !s->run.limit_effort ||
           beside(run, "limit_effort", "has no use without \"torque\" or \"control\"");
}

static int check_run(const pn_json_value *run, const pinion_sweep *s)
{
    const pn_plan_run *r = &s->run;
    const pinion_stabilization how = r->sim.stabilization;
    if (!check_method(run, s) || !check_friction(run, s) || !check_control(run, s)) return 0;
    if (how != PINION_STABILIZATION_BAUMGARTE && how != PINION_STABILIZATION_BOTH &&
        r->numbers.integrator != PINION_INTEGRATOR_ADAMS && !pn_plan_varies(s, PN_VARY_INTEGRATOR) &&
        !beside(run, "baumgarte", "has no use without \"stabilize\": \"baumgarte\" or \"both\""))
        return 0;
    return !r->rpy || r->frame_count > 0 || beside(run, "rpy", "has no use without \"frames\"");
}

/* ------------------------------------------------------------------------------------------------ */

int pn_plan_check_conflicts(const pn_json_value *top, const pinion_sweep *s)
{
    const pn_run_numbers *n = &s->run.numbers;
    pn_json_value run, v, vary;
    for (int i = 1; i < s->parameter_count && pn_value_get(top, "vary", &vary); i++)
        for (int k = 0; k < i; k++) {
            if (!hides(&s->parameters[i], &s->parameters[k])) continue;
            v = pn_value_at(&vary, (size_t)i);
            return pn_value_fail(&v, "sets all that vary[%d], \"%.60s\", changes, which has no effect then", k,
                                 s->parameters[k].name);
        }
    if (s->run.command == PN_PLAN_SIM && pn_value_get(top, "run", &run) && !check_run(&run, s)) return 0;
    if (s->run.command != PN_PLAN_SIM || pn_plan_varies(s, PN_VARY_STEP) || pn_plan_varies(s, PN_VARY_DURATION))
        return 1;
    return !(n->step > n->duration) || !pn_value_get(top, "run", &run) || !pn_value_get(&run, "step", &v) ||
           pn_value_fail(&v, "is longer than the duration");
}
