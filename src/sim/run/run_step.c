/* Runs that a program steps itself: the integrator's steps end where it says, and what acts may change there. */
#include "sim/run/run_parts.h"

#include "sim/run/driver.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words about a call that is refused; the run goes on. */
static pinion_status refuse(pinion_run *r, pinion_status status, const char *words)
{
    snprintf(r->why, sizeof r->why, "%s", words);
    return r->last = status;
}

/* ---------------------------------------------------------------------------------------------
 * What the simulation asks: the functions of the def, and on top what was applied */

static pinion_status ask(pinion_torque_fn first, void *user, double t, const double *q, const double *v, int count,
                         const double *more, double *out)
{
    memset(out, 0, (size_t)count * sizeof *out);
    const pinion_status status = first ? first(user, t, q, v, out) : PINION_OK;
    for (int i = 0; i < count; i++) out[i] += more[i];
    return status;
}

static pinion_status torque(void *user, double t, const double *q, const double *v, double *tau)
{
    const pinion_run *r = user;
    const pinion_sim_options *o = &r->def.sim;
    return ask(o->torque, o->torque_user, t, q, v, pinion_model_nv(r->m), r->applied.tau, tau);
}

static pinion_status actuators(void *user, double t, const double *q, const double *v, double *u)
{
    const pinion_run *r = user;
    const pinion_sim_options *o = &r->def.sim;
    return ask(o->actuators, o->actuators_user, t, q, v, pinion_model_actuator_count(r->m), r->applied.u, u);
}

static double torque_jump(void *user, double t)
{
    const pinion_sim_options *o = &((const pinion_run *)user)->def.sim;
    return o->torque && o->torque_jump ? o->torque_jump(o->torque_user, t) : INFINITY;
}

static double actuators_jump(void *user, double t)
{
    const pinion_sim_options *o = &((const pinion_run *)user)->def.sim;
    return o->actuators && o->actuators_jump ? o->actuators_jump(o->actuators_user, t) : INFINITY;
}

static pinion_status forces(void *user, double t, const double *q, const double *v, double *f_ext)
{
    const pinion_run *r = user;
    (void)t, (void)q, (void)v;
    memcpy(f_ext, r->applied.f_ext, 6 * (size_t)pinion_model_body_count(r->m) * sizeof *f_ext);
    return PINION_OK;
}

int pn_run_prepare(pinion_run *r, pinion_sim_options *o)
{
    if (!r->def.by_hand) return 1;
    const int nv = pinion_model_nv(r->m), nu = pinion_model_actuator_count(r->m);
    r->applied.count = nv + nu + 6 * pinion_model_body_count(r->m);
    r->applied.tau = calloc((size_t)r->applied.count + 1, sizeof *r->applied.tau);
    if (!r->applied.tau) return 0;
    r->applied.u = r->applied.tau + nv;
    r->applied.f_ext = r->applied.u + nu;
    o->torque = torque;
    o->torque_jump = torque_jump;
    o->actuators = actuators;
    o->actuators_jump = actuators_jump;
    o->torque_user = o->actuators_user = r;
    return 1;
}

/* The first forces on bodies. */
static pinion_status act_on_bodies(pinion_run *r)
{
    if (r->applied.forces) return PINION_OK;
    if (r->def.sim.forces)
        return refuse(r, PINION_ERR_ARGUMENT,
                      "f_ext: the run has force elements; pinion_forces_add_function adds a function of yours to them");
    pinion_forces *list = pinion_forces_new(r->m);
    pinion_status status = list ? pinion_forces_add_function(list, NULL, forces, r, NULL) : PINION_ERR_MEMORY;
    if (status == PINION_OK) {
        r->applied.forces = r->sim->plant.options.forces = list;
        status = pn_plant_refresh(&r->sim->plant);
        if (status == PINION_OK) return status;
        r->applied.forces = r->sim->plant.options.forces = NULL;
    }
    pinion_forces_free(list);
    return refuse(r, status, pinion_status_text(status));
}

/* Whether the run is where what acts may change. */
static pinion_status at_rest(pinion_run *r)
{
    if (r->end != PINION_RUN_GOING) return refuse(r, PINION_ERR_ARGUMENT, "the run has ended");
    if (!r->started || pn_stepper_now(r->sim->stepper) == pinion_sim_time(r->sim)) return PINION_OK;
    return refuse(r, PINION_ERR_ARGUMENT, "the run is within a step of its integrator; pinion_run_step ends one");
}

/* Copies what is given. */
static int take(double *to, const double *from, int count, const char *name, pinion_run *r)
{
    for (int i = 0; from && i < count; i++)
        if (!isfinite(from[i])) {
            snprintf(r->why, sizeof r->why, "%s[%d] is not a finite number", name, i);
            return 0;
        }
    if (from && to) memcpy(to, from, (size_t)count * sizeof *to);
    return 1;
}

/* From here on something else acts, or, with `all`, on something else. */
static pinion_status go_on_with(pinion_run *r, int all)
{
    const char *plant = r->sim->plant.message;
    pinion_status status = pn_sim_jump(r->sim);
    if (status != PINION_OK) return refuse(r, status, *plant ? plant : pinion_status_text(status));
    status = pn_sim_renew(r->sim, all);
    return status == PINION_OK ? r->last = status : refuse(r, status, pinion_sim_message(r->sim));
}

pinion_status pinion_run_apply(pinion_run *r, const double *tau, const double *u, const double *f_ext)
{
    if (!r) return PINION_ERR_ARGUMENT;
    if (!r->def.by_hand) return refuse(r, PINION_ERR_ARGUMENT, "by_hand of the def is not set");
    const int nv = pinion_model_nv(r->m), nu = pinion_model_actuator_count(r->m);
    const int six = 6 * pinion_model_body_count(r->m);
    pinion_status status = at_rest(r);
    if (status != PINION_OK) return status;
    if (!take(NULL, tau, nv, "tau", r) || !take(NULL, u, nu, "u", r) || !take(NULL, f_ext, six, "f_ext", r))
        return r->last = PINION_ERR_ARGUMENT;
    if (f_ext) status = act_on_bodies(r);
    if (status != PINION_OK) return status;
    (void)take(r->applied.tau, tau, nv, "tau", r);
    (void)take(r->applied.u, u, nu, "u", r);
    (void)take(r->applied.f_ext, f_ext, six, "f_ext", r);
    return r->started ? go_on_with(r, 0) : (r->last = PINION_OK);
}

pinion_status pn_run_reapply(pinion_run *r, const double *numbers)
{
    if (!r->def.by_hand) return PINION_OK;
    const int bodies = 6 * pinion_model_body_count(r->m), before = r->applied.count - bodies;
    int some = 0;
    for (int i = 0; i < bodies; i++) some = some || numbers[before + i] != 0;
    memcpy(r->applied.tau, numbers, (size_t)r->applied.count * sizeof *numbers);
    return some ? act_on_bodies(r) : PINION_OK;
}

pinion_status pinion_run_changed(pinion_run *r)
{
    if (!r) return PINION_ERR_ARGUMENT;
    pinion_status status = at_rest(r);
    if (status != PINION_OK || !r->started) return status;
    return go_on_with(r, 1);
}

/* Sensors that no controller asks for are read where the program is. */
static pinion_status read_sensors(pinion_run *r)
{
    pinion_sim *s = r->sim;
    if (!s->plant.options.sensors || s->plant.sampled || s->plant.senses[1] == s->t) return PINION_OK;
    pinion_status status = pn_stepper_at(s->stepper, s->t, s->q, s->v, s->z);
    if (status == PINION_OK) status = pn_sense(&s->plant, s->t, s->q, s->v, s->z);
    if (status == PINION_OK) status = pn_sim_renew(s, 0);
    return status == PINION_OK ? status : refuse(r, status, s->plant.message);
}

pinion_status pinion_run_step_to(pinion_run *r, double t)
{
    if (!r) return PINION_ERR_ARGUMENT;
    if (!isfinite(t) || (r->started && t < pinion_sim_time(r->sim)) || t < 0)
        return refuse(r, PINION_ERR_ARGUMENT, "the time to step to lies behind, or is not finite");
    pinion_status status = PINION_OK;
    r->fence = fmin(t, r->def.duration);
    do status = pinion_run_advance(r, LONG_MAX);
    while (status == PINION_OK && r->end == PINION_RUN_GOING && pinion_sim_time(r->sim) < r->fence);
    /* what the balance of energies was there, before anything changes */
    if (status == PINION_OK && r->end == PINION_RUN_GOING) status = pn_sim_look_ahead(r->sim);
    r->fence = r->sim->fence = INFINITY;
    if (status == PINION_OK && r->end == PINION_RUN_GOING) status = read_sensors(r);
    return r->last = status;
}

pinion_status pinion_run_step(pinion_run *r, double dt)
{
    if (!r) return PINION_ERR_ARGUMENT;
    if (!(dt >= 0)) return refuse(r, PINION_ERR_ARGUMENT, "dt is negative or not a number");
    return pinion_run_step_to(r, (r->started ? pinion_sim_time(r->sim) : 0) + dt);
}
