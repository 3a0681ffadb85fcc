/* What a run has that its plan does not say, as pinion sim finds it: the start, on a file's motion too, and gains. */
#include "sweep/plan/sweep_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pinion/sim/sim.h"

int pn_plan_follows(int control)
{
    return control == PN_PLAN_PD || control == PN_PLAN_PD_GRAVITY || control == PN_PLAN_COMPUTED;
}

int pn_plan_starts_on_motion(const pn_plan_run *r, int control)
{
    return r->command == PN_PLAN_SIM && r->trajectory && !r->placed && pn_plan_follows(control);
}

pinion_status pn_plan_put_on_motion(const pn_plan_run *r, pinion_trajectory *motion, pn_run_numbers *n, int nq, int nv)
{
    double *x = malloc(((size_t)nq + 2 * (size_t)nv + 1) * sizeof *x), *v = x + nq;
    const pinion_status status = x ? pinion_trajectory_at(motion, 0, x, v, v + nv) : PINION_ERR_MEMORY;
    for (int i = 0; i < nq && status == PINION_OK; i++) n->q[i] = x[i];
    for (int i = 0; i < nv && status == PINION_OK; i++)
        if (!r->v_given[i]) n->v[i] = v[i];
    free(x);
    return status;
}

pinion_status pn_plan_start_of(const pinion_sweep *s, const pinion_model *m, pn_run_numbers *n)
{
    const pn_plan_run *r = &s->run;
    pinion_status status = pinion_initial(m, n->q, n->v);
    if (status == PINION_OK && r->state >= 0) status = pinion_model_state(m, r->state, n->q, n->v);
    if (status == PINION_OK && r->q_state >= 0) status = pinion_model_state(m, r->q_state, n->q, NULL);
    if (status == PINION_OK && r->v_state >= 0) status = pinion_model_state(m, r->v_state, NULL, n->v);
    if (status == PINION_OK && r->to_state >= 0) status = pinion_model_state(m, r->to_state, n->to, NULL);
    for (int i = 0; i < s->nq && r->q_state < 0; i++)
        if (r->q_given[i]) n->q[i] = r->numbers.q[i];
    for (int i = 0; i < s->nv && r->v_state < 0; i++)
        if (r->v_given[i]) n->v[i] = r->numbers.v[i];
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Gains */

/* The state in which gains are found. What cannot be had is told when the run is tried. */
static int find_state(const pinion_sweep *s, pn_run_numbers *at)
{
    const pn_plan_run *r = &s->run;
    pinion_error why = {PINION_OK, 0, 0, ""};
    int fine = 1;
    pn_run_numbers_copy(at, &r->numbers, s->nq, s->nv);
    if (pn_plan_starts_on_motion(r, at->control)) {
        pinion_trajectory *motion = pinion_trajectory_load(s->model, r->trajectory, &why);
        fine = motion && pn_plan_put_on_motion(r, motion, at, s->nq, s->nv) == PINION_OK;
        pinion_trajectory_free(motion);
    }
    if (!fine || pinion_normalize(s->model, at->q) != PINION_OK) return 0;
    return pinion_model_loop_count(s->model) == 0 ||
           pinion_start_close(s->model, r->q_held, r->v_held, r->state < 0, at->q, at->v, NULL, &why) == PINION_OK;
}

/* Whether a run has a controller whose gains are of forces. */
static int has_pd(const pinion_sweep *s)
{
    int some = s->run.numbers.control == PN_PLAN_PD || s->run.numbers.control == PN_PLAN_PD_GRAVITY;
    for (int i = 0; i < s->parameter_count; i++)
        for (uint64_t k = 0; s->parameters[i].what == PN_VARY_CONTROL && k < s->parameters[i].values; k++)
            some = some || s->parameters[i].list[k] == PN_PLAN_PD || s->parameters[i].list[k] == PN_PLAN_PD_GRAVITY;
    return some;
}

/* Those of a run that is not to be made. */
static int fill_gains(pinion_sweep *s)
{
    for (int i = 0; i < s->nv; i++) {
        if (isnan(s->run.numbers.kp[i])) s->run.numbers.kp[i] = PINION_DEFAULT_KP;
        if (isnan(s->run.numbers.kd[i])) s->run.numbers.kd[i] = PINION_DEFAULT_KD;
    }
    return 1;
}

int pn_plan_settle_gains(const pn_json_value *run, pinion_sweep *s)
{
    pn_run_numbers *n = &s->run.numbers, at = {0};
    pinion_sim_options o = s->run.sim;
    pinion_braking x = {0};
    char lowered[400] = "";
    if (!pn_run_numbers_new(&at, s->nq, s->nv)) return pn_plan_no_memory(run);
    o.integrator = (pinion_integrator)n->integrator;
    o.step = n->step > 0 ? n->step : PN_FIXED_STEP;
    o.sample = n->control_step;
    const int pd = has_pd(s) && find_state(s, &at);
    pinion_status status =
        pinion_pd_gains(s->model, pd ? &o : NULL, pd ? at.q : n->q, n->kp, n->kd, lowered, sizeof lowered);
    if (status == PINION_OK && pd) status = pinion_pd_braking(s->model, &o, at.q, n->kd, &x);
    free(at.memory);
    if (status == PINION_ERR_MEMORY) return pn_plan_no_memory(run);
    if (status != PINION_OK) return fill_gains(s); /* told when the run is tried */
    if (*lowered && !pn_plan_note(s, pn_value_line(run),
                                  "run: kp %d and kd %d every %g s would shake light joints, which have less: %s",
                                  PINION_DEFAULT_KP, PINION_DEFAULT_KD, x.period, lowered))
        return pn_plan_no_memory(run);
    return !(x.taken > x.most) ||
           pn_plan_note(s, pn_value_line(run),
                        "run: kd every %g s takes %.3g times a velocity in one period, and more than %g make it grow",
                        x.period, x.taken, x.most) ||
           pn_plan_no_memory(run);
}
