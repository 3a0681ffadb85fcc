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

static int varies(const pinion_sweep *s, pn_varied what)
{
    for (int i = 0; i < s->parameter_count; i++)
        if (s->parameters[i].what == what) return 1;
    return 0;
}

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
    if (s->run.command != PN_PLAN_SIM || varies(s, PN_VARY_STEP) || varies(s, PN_VARY_DURATION)) return 1;
    return !(n->step > n->duration) || !pn_value_get(top, "run", &run) || !pn_value_get(&run, "step", &v) ||
           pn_value_fail(&v, "is longer than the duration");
}
