/* A run goes from one instant of interest to the next, rows and checkpoints, a few steps of the integrator at a
 * time. */
#define _POSIX_C_SOURCE 200809L
#include "sim/run/run_parts.h"

#include "base/vec3.h"
#include "io/model_io.h"
#include "sim/run/driver.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COOKIE 0x72756e31u
#define NUMBERS_MAX 1e8   /* of a result */
#define ROWS_PART 100     /* rows of a run that does not say */
#define CHECKPOINTS 10    /* likewise */
#define STEPS_MAX 1e11    /* of a run */
#define DURATION_MAX 1e10 /* s */
#define CHECKPOINTS_MAX 1e5
#define MAX_DRIFT 0.1     /* of the largest kinetic energy, unless the def says otherwise */
#define WARNED_DRIFT 1e-3 /* from here on it is told */
#define STEPS_TIMED 64    /* between two looks at the clock */

pinion_run_def pinion_run_def_default(void)
{
    return (pinion_run_def){.sim = pinion_sim_options_default(), .max_drift = MAX_DRIFT, .cookie = COOKIE};
}

const char *pinion_run_end_name(pinion_run_end end)
{
    static const char *const name[] = {"going", "complete", "stopped", "interrupted", "failed", "broken"};
    return (unsigned)end < PINION_RUN_END_COUNT ? name[end] : NULL;
}

static double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---------------------------------------------------------------------------------------------
 * Making one */

/* Words about a number of the def. */
static int refuse(pinion_error *err, const char *format, double x, double y, double z)
{
    char words[300];
    snprintf(words, sizeof words, format, x, y, z);
    pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s", words);
    return 0;
}

/* The first instant of the run at which a law of time asks for a distance that is not above 0: no run gets there. */
static int keeps_lengths(const pinion_run *r, pinion_error *err)
{
    pinion_loop_info loop;
    for (int i = 0; pinion_model_loop(r->m, i, &loop) == PINION_OK; i++) {
        double g[3], before = 0;
        const double looks = fmin(1e5, 100 * (2 + fabs(loop.motion.frequency) * r->def.duration));
        for (double k = 0; loop.kind == PINION_LOOP_DISTANCE && k <= looks; k++) {
            double t = r->def.duration * k / looks;
            pinion_motion_at(&loop.motion, t, g);
            if (loop.length + g[0] > 0) {
                before = t;
                continue;
            }
            for (int half = 0; half < 60; half++) {
                const double between = (before + t) / 2;
                pinion_motion_at(&loop.motion, between, g);
                *(loop.length + g[0] > 0 ? &before : &t) = between;
            }
            pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0,
                         "loop '%.100s': its law of time makes it 0 m long at t = %.6g s, before the run ends at %g s",
                         loop.name, t, r->def.duration);
            return 0;
        }
    }
    return 1;
}

/* The times of a run, and how many rows they make. A run must come to an end: of so many steps none does, and t + step
 * would be t in the end. */
static int plan(pinion_run *r, pinion_error *err)
{
    pinion_run_def *d = &r->def;
    if (!(d->duration > 0)) return refuse(err, "duration: expected a number above 0, got %g", d->duration, 0, 0);
    if (!(d->output_step >= 0)) return refuse(err, "output_step: expected a number of at least 0", 0, 0, 0);
    if (!(d->checkpoint_every >= 0)) return refuse(err, "checkpoint_every: expected a number of at least 0", 0, 0, 0);
    if (d->output_step == 0) d->output_step = d->duration / ROWS_PART;
    if (d->checkpoint_every == 0) d->checkpoint_every = d->duration / CHECKPOINTS;
    if (d->max_steps < 0) return refuse(err, "max_steps: expected a number of at least 0", 0, 0, 0);
    if (!(d->max_time >= 0)) return refuse(err, "max_time: expected a number of at least 0", 0, 0, 0);
    if (!(d->max_drift > 0)) return refuse(err, "max_drift: expected a number above 0", 0, 0, 0);
    if (d->checkpoint && !(d->duration / d->checkpoint_every <= CHECKPOINTS_MAX))
        return refuse(err, "checkpoint_every: %g s in parts of %g s are more than %g checkpoints; take longer ones",
                      d->duration, d->checkpoint_every, CHECKPOINTS_MAX);

    /* full steps, and the end where the last of them is not there but for rounding */
    const double steps = d->duration / d->output_step,
                 columns = pinion_model_nq(r->m) + 3 * pinion_model_nv(r->m) + 7 + pn_watched_count(r);
    if (!(steps * columns < NUMBERS_MAX))
        return refuse(err, "output_step: %.4g rows of %.0f columns are more than %g numbers; take a longer one",
                      steps + 1, columns, NUMBERS_MAX);
    r->rows = (size_t)ceil(steps - 1e-9) + 1;
    if (!(d->duration <= DURATION_MAX))
        return refuse(err, "duration: expected at most %g s, got %g", DURATION_MAX, d->duration, 0);
    const int fixed = pinion_integrator_is_fixed(d->sim.integrator);
    if (fixed && d->sim.step == 0) d->sim.step = 1e-3;
    const double longest = fixed ? d->sim.step : d->sim.max_step;
    if (longest > 0 && !(d->duration / longest <= STEPS_MAX))
        return refuse(err,
                      fixed ? "step: %g s in steps of %g s are more than %g steps; take a longer one"
                            : "max_step: %g s in steps of %g s are more than %g steps; take a longer one",
                      d->duration, longest, STEPS_MAX);
    return 1;
}

static int complain(pinion_error *err, const char *words)
{
    pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s", words);
    return 0;
}

static int check(const pinion_model *m, const pinion_run_def *def, pinion_error *err)
{
    if (!m || !def) return complain(err, "the model or the def is missing");
    if (def->cookie != COOKIE) return complain(err, "the def was not started from pinion_run_def_default()");
    if (def->result && (pinion_result_column_count(def->result) > 0 || pinion_result_event_count(def->result) > 0))
        return complain(err, "result: expected an empty one");
    if (def->v && !def->q) return complain(err, "v: expected NULL where q is");
    if (def->frame_count < 0 || (def->frame_count && !def->frames)) return complain(err, "frames: there are none");
    for (int i = 0; i < def->frame_count; i++)
        if (def->frames[i] < 0 || def->frames[i] >= pinion_model_frame_count(m))
            return complain(err, "frames: there is one that the model does not have");
    return 1;
}

static int make_simulation(pinion_run *r, pinion_error *err)
{
    pinion_sim_options options = r->def.sim;
    if (!pn_run_prepare(r, &options)) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return 0;
    }
    r->sim = pinion_sim_new(r->m, &options, err);
    return r->sim != NULL;
}

pinion_run *pinion_run_new(const pinion_model *m, const pinion_run_def *def, pinion_error *err)
{
    pinion_error ignored;
    if (!err) err = &ignored;
    memset(err, 0, sizeof *err);
    if (!check(m, def, err)) return NULL;
    pinion_run *r = calloc(1, sizeof *r);
    if (r) {
        r->m = m;
        r->def = *def;
        r->began = r->timed = wall_clock();
        r->largest.t = NAN;
        r->fence = INFINITY;
        r->points = pinion_forces_point_count(def->sim.forces);
        r->table = def->result ? def->result : pinion_result_new();
    }
    if (!r || !r->table)
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    else if (plan(r, err) && keeps_lengths(r, err) && make_simulation(r, err) && pn_run_describe(r, err) == PINION_OK) {
        r->sim->max_drift = r->def.max_drift;
        r->sim->horizon = r->def.duration;
        return r;
    }
    pinion_run_free(r);
    return NULL;
}

void pinion_run_free(pinion_run *r)
{
    if (!r) return;
    pinion_sim_free(r->sim);
    pinion_forces_free(r->applied.forces);
    free(r->applied.tau);
    free(r->base.memory);
    if (r->table != r->def.result) pinion_result_free(r->table);
    free(r->column);
    free(r->row);
    free(r);
}

pinion_sim *pinion_run_simulation(pinion_run *r)
{
    return r ? r->sim : NULL;
}

pinion_run_end pinion_run_ended(const pinion_run *r)
{
    return r ? r->end : PINION_RUN_BROKEN;
}

const char *pinion_run_message(const pinion_run *r)
{
    return r && r->last != PINION_OK ? r->why : "";
}

/* ---------------------------------------------------------------------------------------------
 * The end */

pinion_status pn_run_break(pinion_run *r, pinion_status status, const char *words)
{
    r->end = PINION_RUN_BROKEN;
    r->status = status;
    if (words != r->why)
        snprintf(r->why, sizeof r->why, "%s", words && *words ? words : pinion_status_text(status));
    return status;
}

/* "WORDS t = 0.25 s", and what else there is to say. */
static void tell_where(pinion_run *r, const char *words, const char *more)
{
    pn_text text = {0};
    pn_text_append(&text, words);
    pn_text_append(&text, " t = ");
    pn_text_number(&text, pinion_sim_time(r->sim));
    pn_text_append(&text, " s");
    pn_text_append(&text, more);
    snprintf(r->why, sizeof r->why, "%s", text.at ? text.at : words);
    pn_text_free(&text);
}

/* Whether the energies are off by more than a part of the largest kinetic energy; at rest on contacts, by more than
 * what counts as rest. */
static int is_off(const pinion_run *r, const pinion_run_summary *s, double part)
{
    if (s->drift_scale > s->largest_kinetic && !(s->relative_drift > 1)) return 0;
    return s->largest_drift > pn_sim_drift_floor(r->sim) &&
           s->relative_drift > pn_sim_drift_allowed(r->sim, part, s->largest_drift);
}

/* A run that came to its end fails all the same where its energies do not balance. */
static int balances(pinion_run *r)
{
    pinion_run_summary s;
    if (pinion_run_summarize(r, &s) != PINION_OK || !is_off(r, &s, r->def.max_drift)) return 1;
    char more[200];
    snprintf(more, sizeof more,
             " the energies do not balance: they were off by %.3g of the %s, %.3g J", s.relative_drift,
             s.drift_scale > s.largest_kinetic ? "energy of a fall of three steps" : "largest kinetic energy",
             s.drift_scale);
    tell_where(r, "at", more);
    return 0;
}

/* Ends the run. The last row is where it ended, unless a row is there already. */
static pinion_status conclude(pinion_run *r, pinion_run_end end, pinion_status status)
{
    pinion_status recorded = pn_run_add_events(r);
    if (recorded == PINION_OK && !(r->largest.t >= pinion_sim_time(r->sim))) recorded = pn_run_add_row(r);
    if (recorded != PINION_OK) return recorded;
    if ((end == PINION_RUN_COMPLETE || end == PINION_RUN_STOPPED) && !balances(r)) {
        end = PINION_RUN_FAILED;
        status = PINION_ERR_STEP;
    }
    r->end = end;
    r->status = status;
    recorded = pn_run_conclude(r);
    return recorded == PINION_OK ? status : recorded;
}

/* Ends the run where the integration could still be trusted. */
static pinion_status fail(pinion_run *r, pinion_status status)
{
    char more[600];
    snprintf(more, sizeof more, ": %s", pinion_sim_message(r->sim));
    tell_where(r, "the integration ends at", more);
    return conclude(r, PINION_RUN_FAILED, status);
}

/* What a method that restarts would do from here on is not what it does in a run that goes on, so it goes on from its
 * last checkpoint, or from its start. */
static pinion_status interrupt(pinion_run *r, const char *words)
{
    if (r->end != PINION_RUN_GOING) return PINION_OK;
    if (!r->started) return pn_run_break(r, PINION_ERR_ARGUMENT, "interrupted before the start");
    pinion_status status = pn_run_add_events(r);
    if (status == PINION_OK && r->def.checkpoint) {
        status = pn_sim_restarts(r->sim) ? pn_run_write_base(r, r->def.checkpoint)
                                         : pinion_run_store(r, r->def.checkpoint);
        if (status != PINION_OK) pn_run_break(r, status, r->why);
    }
    if (status != PINION_OK) return status;
    tell_where(r, words, "");
    return conclude(r, PINION_RUN_INTERRUPTED, PINION_OK);
}

pinion_status pinion_run_interrupt(pinion_run *r)
{
    return r ? r->last = interrupt(r, "interrupted at") : PINION_ERR_ARGUMENT;
}

/* ---------------------------------------------------------------------------------------------
 * Going */

/* At the start that the def gives. */
static pinion_status start(pinion_run *r)
{
    const double *q = r->def.q, *v = r->def.v;
    double *own = NULL;
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_status status = PINION_OK;
    if (!q) {
        const size_t nq = (size_t)pinion_model_nq(r->m), nv = (size_t)pinion_model_nv(r->m);
        own = calloc(nq + nv + 1, sizeof *own);
        status = own ? pinion_initial(r->m, own, own + nq) : PINION_ERR_MEMORY;
        if (status == PINION_OK) status = pinion_start_close(r->m, NULL, NULL, 1, own, own + nq, NULL, &err);
        q = own;
        v = own + nq;
    }
    const pinion_status closed = status;
    if (status == PINION_OK) status = pinion_sim_start(r->sim, 0, q, v);
    free(own);
    if (status != PINION_OK)
        return pn_run_break(r, status, closed == PINION_OK ? pinion_sim_message(r->sim) : err.message);
    return pn_run_begin(r);
}

/* The time of a row: a multiple of the output step, at last the duration. */
static double row_time(const pinion_run *r, size_t row)
{
    return row + 1 >= r->rows ? r->def.duration : (double)row * r->def.output_step;
}

static double checkpoint_time(const pinion_run *r)
{
    return r->def.checkpoint ? (r->checkpoints + 1) * r->def.checkpoint_every : INFINITY;
}

/* Does what is due at the time reached: a row, then a checkpoint. */
static pinion_status arrive(pinion_run *r, double t)
{
    pinion_status status = pn_run_add_events(r);
    if (status == PINION_OK && t >= row_time(r, r->next_row)) status = pn_run_add_row(r);
    if (status != PINION_OK) return status;
    if (r->next_row == r->rows) return conclude(r, PINION_RUN_COMPLETE, PINION_OK);
    if (t < checkpoint_time(r)) return PINION_OK;
    r->checkpoints++;
    status = pinion_run_store(r, r->def.checkpoint);
    return status == PINION_OK ? status : pn_run_break(r, status, r->why);
}

/* Steps since the start, or since the run was interrupted; negative while those before that are taken again. */
static long steps_taken(const pinion_run *r)
{
    long steps;
    pinion_sim_counts(r->sim, &steps, NULL, NULL);
    return steps - r->resumed_after;
}

/* Ends a run that has had its time, or its steps and all rows within them. */
static pinion_status end_by_limit(pinion_run *r, int rows)
{
    char words[100];
    if (steps_taken(r) < 0) r->timed = wall_clock();
    if (rows && r->def.max_steps > 0 && steps_taken(r) >= r->def.max_steps)
        snprintf(words, sizeof words, "ended by max_steps, %ld, at", r->def.max_steps);
    else if (r->def.max_time > 0 && wall_clock() - r->timed >= r->def.max_time)
        snprintf(words, sizeof words, "ended by max_time, %g s, at", r->def.max_time);
    else
        return PINION_OK;
    return interrupt(r, words);
}

/* Before the first step of a run that may have to begin there again. */
static pinion_status keep_base(pinion_run *r)
{
    const pinion_integrator by = r->def.sim.integrator;
    if (!r->def.checkpoint || r->base.memory) return PINION_OK;
    if (by != PINION_INTEGRATOR_AUTO && !pinion_integrator_restarts(by)) return PINION_OK;
    const pinion_status status = pn_run_keep(r);
    return status == PINION_OK ? status : pn_run_break(r, status, NULL);
}

static pinion_status advance(pinion_run *r, long steps)
{
    if (r->end != PINION_RUN_GOING) return r->status;
    pinion_status status = r->started ? PINION_OK : start(r);
    if (status == PINION_OK) status = keep_base(r);
    if (status != PINION_OK) return status;
    const long most = r->def.sim.contact ? 1 : STEPS_TIMED; /* a step with contact may take long */
    if (r->def.max_time > 0 && steps > most) steps = most;
    if (r->def.max_steps > 0 && steps > r->def.max_steps - steps_taken(r)) steps = r->def.max_steps - steps_taken(r);
    const double target = fmin(fmin(row_time(r, r->next_row), checkpoint_time(r)), r->fence);
    r->sim->fence = r->fence;
    status = pinion_sim_advance_some(r->sim, target, steps);
    if (status != PINION_OK) return fail(r, status);
    if (pinion_sim_stopped(r->sim)) return conclude(r, PINION_RUN_STOPPED, PINION_OK);
    const double t = pinion_sim_time(r->sim);
    if (t >= target) status = arrive(r, t);
    return status == PINION_OK && r->end == PINION_RUN_GOING ? end_by_limit(r, t < target) : status;
}

pinion_status pinion_run_advance(pinion_run *r, long steps)
{
    return r ? r->last = advance(r, steps) : PINION_ERR_ARGUMENT;
}

pinion_status pinion_run_to_end(pinion_run *r)
{
    pinion_status status = PINION_OK;
    do status = pinion_run_advance(r, LONG_MAX);
    while (status == PINION_OK && r->end == PINION_RUN_GOING);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * How it went */

/* Whether the kinetic energy is so little that the rounding of the energies that it is added to is a part of it: a
 * joint that smooth friction holds creeps. A drift tells nothing then. */
static int stands_still(const pinion_run *r, double kinetic)
{
    return kinetic <= 1e-13 * fmax(r->largest.potential, r->largest.work) || kinetic == 0;
}

/* What a drift is compared with. To steps with contact speeds that gravity gives in three of them are rest. */
static double drift_scale(const pinion_run *r, double kinetic)
{
    double gravity[3];
    if (!r->def.sim.contact) return kinetic;
    pinion_model_gravity(r->m, gravity);
    const double speed = 3 * r->sim->plant.options.step * sqrt(pn_dot3(gravity, gravity));
    return fmax(kinetic, 0.5 * pinion_model_mass(r->m) * speed * speed);
}

pinion_status pinion_run_summarize(pinion_run *r, pinion_run_summary *s)
{
    if (!r || !s) return PINION_ERR_ARGUMENT;
    memset(s, 0, sizeof *s);
    s->end = r->end;
    s->why = r->end == PINION_RUN_GOING || r->end == PINION_RUN_COMPLETE ? "" : r->why;
    s->t_end = r->largest.t;
    s->output_step = r->def.output_step;
    s->rows = r->next_row;
    s->events = (size_t)r->largest.events;
    pinion_sim_counts(r->sim, &s->steps, &s->refused, &s->evaluations);
    pinion_sim_changes(r->sim, &s->implicit_steps, &s->changes);
    pinion_sim_sticks(r->sim, &s->sticks, &s->slips);

    /* over all steps, not over the rows alone */
    pinion_sim_state state = {0};
    const int known = r->started && pinion_sim_get(r->sim, &state) == PINION_OK;
    s->largest_kinetic = known ? state.largest_kinetic : NAN;
    s->largest_drift = known ? state.largest_drift : NAN;
    s->drift_scale = drift_scale(r, s->largest_kinetic);
    s->relative_drift = stands_still(r, s->largest_kinetic) ? NAN : s->largest_drift / s->drift_scale;
    s->warning = "";
    if (is_off(r, s, WARNED_DRIFT)) {
        snprintf(r->warning, sizeof r->warning,
                 "the energies do not balance: they are off by %.2g of the %s (%.4g J); %s%s", s->relative_drift,
                 s->drift_scale > s->largest_kinetic ? "energy of a fall of three steps" : "largest kinetic energy",
                 s->drift_scale,
                 r->def.sim.contact ? "steps with contact are of order one, and penetrations that are taken back add "
                                      "some"
                                    : "steps are too long, or tolerances too wide",
                 pinion_model_loop_count(r->m) > 0
                     ? ", or the loops were at a singular position where their motion is not determined"
                     : "");
        s->warning = r->warning;
    }
    s->constraint = pinion_result_find_column(r->table, "constraint") >= 0 ? r->largest.constraint : NAN;
    s->wall = wall_clock() - r->began;
    return PINION_OK;
}
