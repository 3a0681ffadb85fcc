/* The simulation driver: steps a plant through time, past the instants that are asked for, and reads what is
 * wanted from the dense output. Where steps begin and end so depends on the start and the options alone. */
#include "sim/run/driver.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Making one */

/* The stepper, and what it stores before each step. */
static pinion_status make_stepper(pinion_sim *s, pinion_error *err)
{
    const pn_system system = pn_plant_system(&s->plant);
    pn_stepper_free(s->stepper);
    s->stepped = system.m;
    s->stepper = pn_stepper_new(&system, &s->plant.options, err);
    if (!s->stepper) return err->status == PINION_OK ? PINION_ERR_MEMORY : err->status;

    const size_t nq = (size_t)s->plant.nq, nv = (size_t)s->plant.nv,
                 kept = (size_t)pn_stepper_memory_size(s->stepper), held = (size_t)s->plant.held,
                 nz = (size_t)system.nz;
    double *memory = calloc(2 * nq + 4 * nv + nz + kept + held + 1, sizeof *memory);
    if (!memory) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return PINION_ERR_MEMORY;
    }
    free(s->memory);
    s->memory = memory;
    s->q = memory;
    s->v = s->q + nq;
    s->z = s->v + nv;
    s->event_q = s->z + nz;
    s->event_v = s->event_q + nq;
    s->kept = s->event_v + nv;
    s->kept_hold = s->kept + kept;
    s->last_v = s->kept_hold + held;
    s->grows = s->last_v + nv;
    return PINION_OK;
}

/* The algorithm of a simulation that names none: with loops one that decides on no rank. Its forces stay bounded where
 * L loses rank, so that the mechanism gets past singular positions. -1: the default of the library. */
static int algorithm_of(const pinion_model *m)
{
    pinion_algorithm_info info;
    if (pinion_model_loop_count(m) == 0) return -1;
    for (int a = 0; pinion_algorithm(a, &info) == PINION_OK; a++)
        if (info.problem == PINION_PROBLEM_FORWARD_DYNAMICS && info.kernel &&
            pinion_algorithm_applies(a, m, NULL) == PINION_OK)
            return a;
    return -1;
}

pinion_sim *pinion_sim_new(const pinion_model *m, const pinion_sim_options *options, pinion_error *err)
{
    pinion_error ignored;
    if (!err) err = &ignored;
    memset(err, 0, sizeof *err);
    const pinion_sim_options defaults = pinion_sim_options_default();
    if (!options) options = &defaults;
    const char *wrong = pn_sim_complaint(m, options);
    if (wrong) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s", wrong);
        return NULL;
    }
    if (pinion_model_loop_count(m) > 0 && !pinion_integrator_takes_loops(options->integrator)) {
        pn_error_set(
            err, PINION_ERR_LOOPS, NULL, 0, 0,
            "integrator %s does not take closed loops; dopri5, verner65, rk4, euler, bdf, adams and dirk do",
            pinion_integrator_name(options->integrator));
        return NULL;
    }

    pinion_sim *s = calloc(1, sizeof *s);
    if (!s) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return NULL;
    }
    pinion_sim_options own = *options;
    if (pinion_integrator_is_fixed(own.integrator) && own.step == 0) own.step = 1e-3;
    if (own.algorithm < 0) own.algorithm = algorithm_of(m);
    if (own.integrator == PINION_INTEGRATOR_ADAMS && own.stabilization != PINION_STABILIZATION_NONE)
        own.stabilization = PINION_STABILIZATION_BAUMGARTE;
    s->max_drift = s->horizon = s->fence = INFINITY;
    pinion_status status = pn_plant_init(&s->plant, m, &own, err);
    if (status == PINION_OK) status = make_stepper(s, err);
    if (status == PINION_OK) return s;
    pinion_sim_free(s);
    return NULL;
}

int pinion_sim_algorithm(const pinion_sim *s)
{
    return s ? s->plant.options.algorithm : -1;
}

pinion_stabilization pinion_sim_stabilization(const pinion_sim *s)
{
    if (!s || !s->plant.loops) return PINION_STABILIZATION_NONE;
    const pinion_stabilization how = s->plant.options.stabilization;
    if (!s->plant.scene || how == PINION_STABILIZATION_BAUMGARTE) return how;
    return how == PINION_STABILIZATION_BOTH ? PINION_STABILIZATION_BAUMGARTE : PINION_STABILIZATION_NONE;
}

void pinion_sim_free(pinion_sim *s)
{
    if (!s) return;
    pn_stepper_free(s->stepper);
    pn_events_free(&s->events);
    pn_plant_free(&s->plant);
    free(s->memory);
    free(s);
}

/* ---------------------------------------------------------------------------------------------
 * Messages */

/* Puts the words of a failure together: what the stepper said, else the plant, else the status alone; then what else
 * there is to say. */
static pinion_status fail(pinion_sim *s, pinion_status status)
{
    const char *stepper = pn_stepper_message(s->stepper), *plant = s->plant.message, *more = "";
    const char *first = *stepper ? stepper : *plant ? plant : pinion_status_text(status);
    if (*plant && !strstr(first, plant))
        more = plant;
    else if (s->plant.loops && (status == PINION_ERR_STEP || status == PINION_ERR_CONVERGENCE))
        more = "the closed loops may be at a singular position, or a drive leads to where they cannot close";
    snprintf(s->message, sizeof s->message, "%.240s%s%.240s%s", first, *more ? " (" : "", more, *more ? ")" : "");
    return status;
}

static pinion_status refuse(pinion_sim *s, pinion_status status, const char *words)
{
    snprintf(s->message, sizeof s->message, "%s", words);
    return status;
}

/* Every call begins here: no message yet. 0 when there is no simulation. */
static int enter(pinion_sim *s)
{
    if (s) s->message[0] = '\0';
    return s != NULL;
}

const char *pinion_sim_message(const pinion_sim *s)
{
    return s ? s->message : "";
}

/* ---------------------------------------------------------------------------------------------
 * Starting */

/* All of n numbers are finite. */
static int are_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

/* The force elements may have become more, and their added mass another model's. */
static pinion_status refresh(pinion_sim *s)
{
    s->started = s->stopped = 0;
    s->ahead.t = s->marked = NAN;
    s->slow = 0;
    s->plant.message[0] = '\0';
    pinion_status status = pn_plant_refresh(&s->plant);
    if (status != PINION_OK) return refuse(s, status, pinion_status_text(status));
    if (s->stepper && s->stepped == s->plant.body) return PINION_OK;
    pinion_error err = {PINION_OK, 0, 0, ""};
    status = make_stepper(s, &err);
    return status == PINION_OK ? status : refuse(s, status, err.message);
}

/* What the stepper would store now, unless that would make it forget. */
static pinion_status keep(pinion_sim *s)
{
    s->has_kept = !pn_stepper_restarts(s->stepper, 1);
    return s->has_kept ? pn_stepper_store(s->stepper, s->kept) : PINION_OK;
}

int pn_sim_restarts(const pinion_sim *s)
{
    return !s->has_kept || pn_stepper_restarts(s->stepper, 0);
}

/* What is held, where something is. */
static void copy_hold(const pinion_sim *s, double *to, const double *from)
{
    if (s->plant.hold) memcpy(to, from, (size_t)s->plant.held * sizeof *to);
}

/* The same before each step. */
static void keep_hold(const pinion_sim *s)
{
    const pn_plant *p = &s->plant;
    if (!p->hold) return;
    memcpy(s->kept_hold, p->hold, (size_t)(p->delays ? p->delay[0].at : p->held) * sizeof *p->hold);
    pn_delays_copy(p, s->kept_hold, p->hold);
}

pinion_status pinion_sim_start(pinion_sim *s, double t, const double *q, const double *v)
{
    if (!enter(s)) return PINION_ERR_ARGUMENT;
    pn_plant *p = &s->plant;
    if (!isfinite(t) || !q || !are_finite(q, p->nq) || (v && !are_finite(v, p->nv)))
        return refuse(s, PINION_ERR_ARGUMENT, "the time, q or v at the start is missing or not finite");
    pinion_status status = refresh(s);
    if (status != PINION_OK) return status;
    if (!(pn_plant_quaternions(p, q) <= 1e-6))
        return refuse(s, PINION_ERR_QUATERNION, pinion_status_text(PINION_ERR_QUATERNION));
    if (p->loops) {
        /* loops are closed to rounding from the first instant on */
        memcpy(s->q, q, (size_t)p->nq * sizeof *q);
        for (int i = 0; i < p->nv; i++) s->v[i] = v ? v[i] : 0;
        status = pinion_normalize(p->m, s->q);
        if (status == PINION_OK) status = pn_plant_close(p, t, s->q, s->v);
        if (status != PINION_OK)
            return refuse(s, status, *p->message ? p->message : pinion_status_text(status));
        q = s->q;
        v = s->v;
    }

    status = pn_plant_weigh(p, q);
    if (status != PINION_OK) return refuse(s, status, *p->message ? p->message : pinion_status_text(status));

    /* energies are counted from the state as the stepper took it */
    double kinetic = 0, potential = 0;
    pn_servos_start(p, s->z);
    status = pn_stepper_start(s->stepper, t, q, v, s->z);
    if (status == PINION_OK) status = pn_stepper_at(s->stepper, t, s->q, s->v, NULL);
    if (status == PINION_OK) status = pn_hold_start(p, t, s->q, s->v, s->z);
    copy_hold(s, s->kept_hold, p->hold);
    if (status == PINION_OK) status = pn_stepper_settle(s->stepper);
    if (status == PINION_OK) status = pn_plant_energy(p, t, s->q, s->v, &kinetic, &potential);
    if (status == PINION_OK) status = pn_events_start(s);
    if (status == PINION_OK) status = keep(s);
    if (status != PINION_OK) return fail(s, status);
    pn_stepper_counts(s->stepper, &s->count[0], &s->count[1], &s->count[2]);
    memcpy(s->kept_count, s->count, sizeof s->count);
    s->t = t;
    pn_growth_start(s);
    s->energy = kinetic + potential;
    s->most_kinetic = s->most_drift = s->most_other = 0;
    s->rested = 0;
    s->started = 1;
    return PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Going */

/* Whether a method that chooses its steps gets ahead. Steps of rounding's size would go on for ever. */
static pinion_status check_progress(pinion_sim *s)
{
    const double now = pn_stepper_now(s->stepper);
    if (pinion_integrator_is_fixed(s->plant.options.integrator) || s->count[0] % PN_SIM_WINDOW != 0) return PINION_OK;
    const double gone = now - s->marked, least = 1e3 * DBL_EPSILON * fmax(fabs(now), 1e-3);
    s->marked = now;
    s->slow = s->horizon - now > PN_SIM_STEPS_MAX / PN_SIM_WINDOW * gone && isfinite(s->horizon) ? s->slow + 1 : 0;
    if (!(gone < PN_SIM_WINDOW * least) && s->slow < PN_SIM_SLOW) return PINION_OK;
    snprintf(s->plant.message, sizeof s->plant.message,
             "%d steps go no farther than %.3g s at t = %.9g: the run would never end", PN_SIM_WINDOW, gone, now);
    return PINION_ERR_STEP;
}

/* One step of the stepper, not across an instant at which an input jumps. */
static pinion_status step(pinion_sim *s)
{
    pn_break next;
    s->plant.message[0] = '\0';
    pinion_status status = pn_stepper_settle(s->stepper);
    if (status == PINION_OK) status = pn_sim_next_break(s, pn_stepper_now(s->stepper), &next);
    if (status != PINION_OK) return status;
    const double start = pn_stepper_now(s->stepper), end = s->fence > start ? fmin(next.t, s->fence) : next.t;
    pn_delays_until(&s->plant, start, end);
    status = keep(s);
    keep_hold(s);
    memcpy(s->kept_count, s->count, sizeof s->count);
    if (status != PINION_OK) return status;

    /* evaluations between steps are those of the dense output, which are the asker's */
    long before[3], after[3];
    pn_stepper_counts(s->stepper, &before[0], &before[1], &before[2]);
    status = pn_stepper_step(s->stepper, end);
    pn_stepper_counts(s->stepper, &after[0], &after[1], &after[2]);
    for (int i = 0; i < 3; i++) s->count[i] += after[i] - before[i];
    if (status == PINION_OK) status = check_progress(s);
    const double now = pn_stepper_now(s->stepper);
    int order = now == next.t ? next.order : -1;
    if (order < 0 && pn_stepper_switches(s->stepper)) order = 1;
    if (order < 0 && now == s->fence) order = PN_BREAK_MAY_COME;
    if (status == PINION_OK) status = pn_sim_record(s, now, order);
    const pinion_sim_options *o = &s->plant.options;
    const int asks = now >= pn_hold_next(&s->plant),
              looks = o->actuators && (o->sample > 0 ? asks : pinion_integrator_is_fixed(o->integrator));
    if (status == PINION_OK && (asks || looks)) status = pn_stepper_at(s->stepper, now, s->q, s->v, s->z);
    if (status == PINION_OK && looks) status = pn_growth_look(s);
    return status == PINION_OK && asks ? pn_hold_at(&s->plant, now, s->q, s->v, s->z) : status;
}

/* The energies of a model that has changed: what they were off by they still are. */
static pinion_status count_anew(pinion_sim *s, double drift)
{
    double kinetic = 0, potential = 0, work = 0, off = 0;
    const pinion_status status = pn_sim_energies(s, s->t, &kinetic, &potential, &work, &off);
    s->energy += off - drift;
    s->ahead.t = NAN;
    return status;
}

pinion_status pn_sim_renew(pinion_sim *s, int model)
{
    if (!enter(s)) return PINION_ERR_ARGUMENT;
    pn_plant *p = &s->plant;
    pinion_status status = PINION_OK;
    if (model && p->body != p->m)
        return refuse(s, PINION_ERR_UNSUPPORTED, "force elements with added mass keep a copy of the model as it was");
    const double drift = s->ahead.t == s->t ? s->ahead.drift : 0;
    if (model) status = pn_plant_refresh(p);
    if (status == PINION_OK && p->body != s->stepped)
        return refuse(s, PINION_ERR_UNSUPPORTED, "force elements with added mass were added to a run that goes on");
    pn_stepper_pause(s->stepper);
    if (status == PINION_OK && model) status = count_anew(s, drift);
    copy_hold(s, s->kept_hold, p->hold);
    memcpy(s->kept_count, s->count, sizeof s->count);
    if (status == PINION_OK) status = keep(s);
    return status == PINION_OK ? status : fail(s, status);
}

pinion_status pinion_sim_advance_some(pinion_sim *s, double t, long steps)
{
    if (!enter(s)) return PINION_ERR_ARGUMENT;
    if (!s->started) return refuse(s, PINION_ERR_ARGUMENT, "the simulation was not started");
    if (!(t >= s->t) || !isfinite(t))
        return refuse(s, PINION_ERR_ARGUMENT, "the time to advance to lies behind, or is not finite");
    for (long taken = 0; !s->stopped; taken++) {
        /* as far as the last step goes */
        const pn_crossing *stop = pn_events_stop(s);
        const double now = pn_stepper_now(s->stepper), there = fmin(t, now);
        if (stop && stop->t <= there) {
            s->t = stop->t;
            s->stopped = 1;
            pn_events_cut(s);
            break;
        }
        s->t = there;
        if (now >= t || taken >= steps) break;

        /* a step that cannot be trusted is not gone into */
        pinion_status status = pn_sim_note_energies(s);
        if (status == PINION_OK) status = step(s);
        const int trusted = status == PINION_OK && (status = pn_sim_check_balance(s)) == PINION_OK;
        if (status == PINION_OK) status = pn_events_scan(s, 0);
        if (status != PINION_OK) {
            s->t = fmin(t, trusted ? pn_stepper_now(s->stepper) : pn_stepper_before(s->stepper));
            return fail(s, status);
        }
    }
    return PINION_OK;
}

pinion_status pinion_sim_advance(pinion_sim *s, double t)
{
    return pinion_sim_advance_some(s, t, LONG_MAX);
}

double pinion_sim_time(const pinion_sim *s)
{
    return s && s->started ? s->t : NAN;
}

int pinion_sim_stopped(const pinion_sim *s)
{
    return s && s->stopped;
}

int pinion_sim_next_event(pinion_sim *s, pinion_event_hit *hit)
{
    if (!s || !s->started) return 0;
    pn_events *e = &s->events;
    while (e->next < e->crossings && e->crossing[e->next].t <= s->t) {
        const pn_crossing *c = &e->crossing[e->next++];
        if (c->silent) continue;
        if (hit) {
            hit->event = e->watch[c->watch].event;
            hit->t = c->t;
            hit->text = e->watch[c->watch].text[c->rising];
            hit->stop = e->watch[c->watch].stop;
        }
        return 1;
    }
    return 0;
}

/* ---------------------------------------------------------------------------------------------
 * Reading */

pinion_status pinion_sim_get(pinion_sim *s, pinion_sim_state *state)
{
    if (!enter(s)) return PINION_ERR_ARGUMENT;
    if (!state) return refuse(s, PINION_ERR_ARGUMENT, "there is no place for the state");
    if (!s->started) return refuse(s, PINION_ERR_ARGUMENT, "the simulation was not started");
    pn_plant *p = &s->plant;
    double work = 0, kinetic = 0, potential = 0, drift = 0, constraint = 0;
    pinion_status status = pn_sim_energies(s, s->t, &kinetic, &potential, &work, &drift);
    if (status == PINION_OK) status = pn_plant_constraint(p, s->t, s->q, &constraint);
    if (status == PINION_OK && (state->a || state->tau || state->u))
        status = pn_plant_accelerations(p, s->t, s->q, s->v, s->z, state->a);
    if (status != PINION_OK) return fail(s, status);

    state->t = s->t;
    if (state->q) memcpy(state->q, s->q, (size_t)p->nq * sizeof(double));
    if (state->v) memcpy(state->v, s->v, (size_t)p->nv * sizeof(double));
    if (state->tau) memcpy(state->tau, p->motor, (size_t)p->nv * sizeof(double));
    if (state->u) memcpy(state->u, p->u, (size_t)p->nu * sizeof(double));
    state->kinetic = kinetic;
    state->potential = potential;
    state->work = work;
    state->drift = drift;
    state->constraint = constraint;
    state->largest_kinetic = pn_larger(s->most_kinetic, kinetic);
    state->largest_drift = pn_larger(s->most_drift, fabs(drift));
    return PINION_OK;
}

pinion_status pinion_sim_readings(const pinion_sim *s, double *readings)
{
    if (!s || !readings || !s->started || !s->plant.options.sensors) return PINION_ERR_ARGUMENT;
    memcpy(readings, pn_sense_readings(&s->plant, s->t),
           (size_t)pinion_sensors_reading_count(s->plant.options.sensors) * sizeof *readings);
    return PINION_OK;
}

void pinion_sim_changes(const pinion_sim *s, long *implicit_steps, long *changes)
{
    long steps = 0, times = 0;
    if (s) pn_stepper_changes(s->stepper, &steps, &times);
    if (implicit_steps) *implicit_steps = steps;
    if (changes) *changes = times;
}

void pinion_sim_counts(const pinion_sim *s, long *steps, long *refused, long *evaluations)
{
    if (steps) *steps = s ? s->count[0] : 0;
    if (refused) *refused = s ? s->count[1] : 0;
    if (evaluations) *evaluations = s ? s->count[2] : 0;
}

/* ---------------------------------------------------------------------------------------------
 * Storing. A method that restarts does so at the time reached. Of any other the state before the last step is
 * stored, and restoring takes that step again: so the dense output is there, to the bit. */

enum {
    MEMORY_NQ,
    MEMORY_NV,
    MEMORY_METHOD,
    MEMORY_WATCHES,
    MEMORY_T,
    MEMORY_ENERGY,
    MEMORY_KINETIC,
    MEMORY_DRIFT,
    MEMORY_STOPPED,
    MEMORY_STEP,
    MEMORY_COUNT,
    MEMORY_HEAD = MEMORY_COUNT + 3
};

int pinion_sim_memory_size(const pinion_sim *s)
{
    return s ? MEMORY_HEAD + s->events.count + pn_stepper_memory_size(s->stepper) + s->plant.held : 0;
}

pinion_status pinion_sim_store(pinion_sim *s, double *memory)
{
    if (!enter(s)) return PINION_ERR_ARGUMENT;
    if (!memory) return refuse(s, PINION_ERR_ARGUMENT, "there is no place for what is to be stored");
    if (!s->started) return refuse(s, PINION_ERR_ARGUMENT, "the simulation was not started");
    const pinion_sim_options *o = &s->plant.options;
    double *stepper = memory + MEMORY_HEAD + s->events.count;
    pinion_status status = PINION_OK;
    int redo = 0;
    if (pn_sim_restarts(s)) {
        /* what was asked for at the end of the last step is asked for again */
        if (s->t < pn_stepper_now(s->stepper)) {
            copy_hold(s, s->plant.hold, s->kept_hold);
            status = pn_sim_record(s, s->t, -1);
        }
        if (status == PINION_OK) status = pn_stepper_cut(s->stepper, s->t);
        if (status == PINION_OK) status = pn_stepper_store(s->stepper, stepper);
        if (status == PINION_OK) pn_events_cut(s);
    } else {
        redo = pn_stepper_now(s->stepper) > pn_stepper_before(s->stepper);
        memcpy(stepper, s->kept, (size_t)pn_stepper_memory_size(s->stepper) * sizeof *stepper);
    }
    if (status != PINION_OK) return fail(s, status);
    copy_hold(s, stepper + pn_stepper_memory_size(s->stepper), redo ? s->kept_hold : s->plant.hold);
    memory[MEMORY_NQ] = s->plant.nq;
    memory[MEMORY_NV] = s->plant.nv;
    memory[MEMORY_METHOD] = o->integrator;
    memory[MEMORY_WATCHES] = s->events.count;
    memory[MEMORY_T] = s->t;
    memory[MEMORY_ENERGY] = s->energy;
    memory[MEMORY_KINETIC] = s->most_kinetic;
    memory[MEMORY_DRIFT] = s->most_drift;
    memory[MEMORY_STOPPED] = s->stopped;
    memory[MEMORY_STEP] = redo;
    for (int i = 0; i < 3; i++) memory[MEMORY_COUNT + i] = (double)(redo ? s->kept_count[i] : s->count[i]);
    for (int i = 0; i < s->events.count; i++) memory[MEMORY_HEAD + i] = s->events.side[i];
    return PINION_OK;
}

/* Whether the numbers can be those of a simulation like this one. */
static int fits(const pinion_sim *s, const double *memory, int count)
{
    if (!memory || count != pinion_sim_memory_size(s)) return 0;
    return memory[MEMORY_NQ] == s->plant.nq && memory[MEMORY_NV] == s->plant.nv &&
           memory[MEMORY_METHOD] == s->plant.options.integrator &&
           memory[MEMORY_WATCHES] == s->events.count && isfinite(memory[MEMORY_T]) &&
           isfinite(memory[MEMORY_ENERGY]) && are_finite(memory + MEMORY_COUNT, 3 + s->events.count);
}

/* Takes the step within which the run was, and finds its crossings again; those that are past were handed
 * out. */
static pinion_status repeat(pinion_sim *s)
{
    pinion_status status = step(s);
    if (status != PINION_OK) return status;
    if (!(s->t >= pn_stepper_before(s->stepper) && s->t <= pn_stepper_now(s->stepper)))
        return refuse(s, PINION_ERR_ARGUMENT, "what was stored is not of a simulation like this one");
    status = pn_events_scan(s, 1);
    pn_events *e = &s->events;
    while (e->next < e->crossings && e->crossing[e->next].t <= s->t) e->next++;
    return status;
}

pinion_status pinion_sim_restore(pinion_sim *s, const double *memory, int count)
{
    if (!enter(s)) return PINION_ERR_ARGUMENT;
    pinion_status status = refresh(s);
    if (status != PINION_OK) return status;
    if (!fits(s, memory, count))
        return refuse(s, PINION_ERR_ARGUMENT, "what was stored is not of a simulation like this one");

    s->t = memory[MEMORY_T];
    s->energy = memory[MEMORY_ENERGY];
    s->most_kinetic = memory[MEMORY_KINETIC];
    s->most_drift = memory[MEMORY_DRIFT];
    for (int i = 0; i < 3; i++) {
        const double number = memory[MEMORY_COUNT + i];
        s->count[i] = s->kept_count[i] = number > 0 && number < 1e15 ? (long)number : 0;
    }
    pn_events *e = &s->events;
    e->crossings = e->next = 0;
    for (int i = 0; i < e->count; i++) {
        const double side = memory[MEMORY_HEAD + i];
        e->side[i] = e->behind[i] = (side > 0) - (side < 0);
    }
    copy_hold(s, s->plant.hold, memory + MEMORY_HEAD + e->count + pn_stepper_memory_size(s->stepper));
    copy_hold(s, s->kept_hold, s->plant.hold);
    if (!pn_hold_fits(&s->plant, s->t))
        return refuse(s, PINION_ERR_ARGUMENT, "what was stored is not of a simulation like this one");
    status = pn_stepper_restore(s->stepper, memory + MEMORY_HEAD + e->count);
    if (status == PINION_OK) status = keep(s);
    if (status == PINION_OK && memory[MEMORY_STEP] != 0) status = repeat(s);
    if (status == PINION_OK && pn_stepper_now(s->stepper) < s->t) status = PINION_ERR_ARGUMENT;
    if (status != PINION_OK) return s->message[0] ? status : fail(s, status);
    s->stopped = memory[MEMORY_STOPPED] != 0;
    s->started = 1;
    return PINION_OK;
}
