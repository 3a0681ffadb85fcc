/* One run of a sweep at a time, from its parameters to its record. */
#include "sweep/run/worker.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/run/direct.h"
#include "sweep/run/lanes.h"

enum { WATCHED = 64 };  /* steps between two looks at a run that is watched */

static const char *const outcomes[PINION_SWEEP_OUTCOME_COUNT] = {"complete", "stopped",    "failed",
                                                                 "limited",  "not finite", "no start"};

const char *pinion_sweep_outcome_name(pinion_sweep_outcome outcome)
{
    return (unsigned)outcome < PINION_SWEEP_OUTCOME_COUNT ? outcomes[outcome] : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Making and ending */

pinion_sweep_worker *pinion_sweep_worker_new(const pinion_sweep *s, pinion_error *err)
{
    const pn_kept *missing = s && s->columns ? pn_plan_missing(s) : NULL; /* not while the plan is read */
    if (missing) {
        pn_error_set(err, PINION_ERR_UNSUPPORTED, s->file, missing->line, 0,
                     "keep \"%.60s\": its plugin is not loaded, which is code: --plugins allows it", missing->name);
        return NULL;
    }
    pinion_sweep_worker *w = s ? calloc(1, sizeof *w) : NULL;
    if (w) {
        w->s = s;
        w->own = pinion_model_copy(s->model);
        w->x = calloc((size_t)s->parameter_count + 1, sizeof *w->x);
        w->scalars = calloc((size_t)s->kept_count + 1, sizeof *w->scalars);
        w->tally = calloc((size_t)s->kept_count + 1, sizeof *w->tally);
        w->to_given = calloc(2 * (size_t)s->nq + (size_t)s->nv + 1, 1);
        w->q_held = w->to_given ? w->to_given + s->nq : NULL;
        w->v_held = w->q_held ? w->q_held + s->nq : NULL;
        if (s->model_tree) w->tree = pn_plan_model_tree(s->model_json);
        if (w->own && w->x && w->scalars && w->tally && w->to_given && (w->tree || !s->model_tree) &&
            pn_run_numbers_new(&w->numbers, s->nq, s->nv))
            return w;
        pinion_sweep_worker_free(w);
    }
    pn_error_set(err, s ? PINION_ERR_MEMORY : PINION_ERR_ARGUMENT, NULL, 0, 0,
                 s ? "out of memory" : "the plan is missing");
    return NULL;
}

/* What a run was made of, but for the model. */
static void end_run(pinion_sweep_worker *w)
{
    pinion_run_free(w->run);
    pinion_controller_free(w->controller);
    pinion_controller_free(w->outside);
    pinion_tasks_free(w->tasks);
    pinion_forces_free(w->forces);
    pinion_sensors_free(w->sensors);
    pinion_trajectory_free(w->motion);
    w->run = NULL;
    w->controller = w->outside = NULL;
    w->tasks = NULL;
    w->forces = NULL;
    w->sensors = NULL;
    w->motion = NULL;
    w->rows = 0;
    w->begun = w->infinite = w->keeps = w->no_memory = w->given_up = 0;
}

void pinion_sweep_worker_free(pinion_sweep_worker *w)
{
    if (!w) return;
    end_run(w);
    pinion_work_free(w->work);
    pn_lanes_free(w->lanes);
    json_decref(w->tree);
    pinion_model_free(w->made);
    pinion_model_free(w->own);
    free(w->numbers.memory);
    free(w->x);
    free(w->scalars);
    free(w->tally);
    free(w->to_given);
    free(w->row);
    free(w);
}

/* ------------------------------------------------------------------------------------------------
 * Rows */

static int keep_row(pinion_sweep_worker *w, int count, const double *values)
{
    const size_t used = w->rows * (size_t)count;
    if (used + (size_t)count > w->room) {
        const size_t room = 2 * (used + (size_t)count);
        double *row = realloc(w->row, room * sizeof *row);
        if (!row) return 0;
        w->row = row;
        w->room = room;
    }
    memcpy(w->row + used, values, (size_t)count * sizeof *values);
    w->rows++;
    return 1;
}

pinion_status pn_worker_row(void *worker, int count, const double *values)
{
    pinion_sweep_worker *w = worker;
    const int states = w->s->run.command == PN_PLAN_SIM ? 1 + w->s->nq + w->s->nv : count;
    w->begun = 1;
    for (int i = 1; i < states; i++)
        if (!isfinite(values[i])) w->infinite = 1;
    if (w->infinite) return PINION_ERR_CALLBACK;
    w->t = values[0];
    pn_tally_row(w, values);
    if (w->keeps && !keep_row(w, count, values)) {
        w->no_memory = 1;
        return PINION_ERR_MEMORY;
    }
    return PINION_OK;
}

/* ------------------------------------------------------------------------------------------------
 * A run */

/* The def of the run with these numbers. */
static pinion_run_def define(pinion_sweep_worker *w)
{
    const pn_plan_run *r = &w->s->run;
    const pn_run_numbers *n = &w->numbers;
    pinion_run_def def = pinion_run_def_default();
    def.sim = r->sim;
    def.sim.integrator = (pinion_integrator)n->integrator;
    def.sim.step = n->step == 0 && pinion_integrator_is_fixed(def.sim.integrator) ? PN_FIXED_STEP : n->step;
    def.sim.stiction = n->stiction;
    def.sim.friction_speed = n->friction_speed;
    if (r->open_friction && n->control_step > 0 && def.sim.integrator != PINION_INTEGRATOR_VARIATIONAL &&
        def.sim.integrator != PINION_INTEGRATOR_IDA)
        def.sim.friction = PINION_FRICTION_EXACT; /* as pinion sim has it */
    def.sim.sample = n->control_step;
    def.sim.delay = n->control_delay;
    if (r->has_contact) def.sim.contact = &r->contact;
    def.q = n->q;
    def.v = n->v;
    def.duration = n->duration;
    def.output_step = r->output_step;
    def.frame_count = r->frame_count;
    def.frames = r->frames;
    def.rpy = r->rpy;
    def.max_steps = r->max_steps;
    def.max_time = r->max_time;
    if (!isnan(r->max_drift))
        def.max_drift = r->max_drift;
    else if (r->has_contact)
        def.max_drift = INFINITY;
    return def;
}

static pinion_status say(pinion_status status, pinion_error *err)
{
    if (status != PINION_OK && !err->message[0])
        pn_error_set(err, status, NULL, 0, 0, "%s", pinion_status_text(status));
    return status;
}

/* "the loops cannot be closed with q0 of this run: x = 3": what could not be held, where that was not told before. */
static pinion_status check_held(const pinion_sweep_worker *w, int velocities, pinion_error *err)
{
    const pinion_sweep *s = w->s;
    const pn_varied what = velocities ? PN_VARY_V0 : PN_VARY_Q0;
    const pinion_start_change *c = velocities ? &w->start.velocity : &w->start.position;
    char text[PINION_SWEEP_WHY] = "";
    size_t used = 0;
    if (c->kept || s->run.equilibrium) return PINION_OK; /* a search for rest begins there, and goes on */
    if (s->run.loose[velocities] && !pn_plan_varies(s, what)) return PINION_OK;
    for (int i = 0; i < s->parameter_count && used < sizeof text; i++)
        if (s->parameters[i].what == what)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.60s = %.9g", used ? ", " : ": ",
                                     s->parameters[i].name, w->x[i]);
    return pn_error_set(err, PINION_ERR_CONVERGENCE, NULL, 0, 0, "the loops cannot %s with %s of this run%s",
                        velocities ? "keep closed" : "be closed", velocities ? "v0" : "q0", text);
}

/* The model and the numbers of a run, from which it can start; with x NULL those before anything varies. */
static pinion_status prepare(pinion_sweep_worker *w, const double *x, pinion_error *err)
{
    const pn_plan_run *r = &w->s->run;
    end_run(w);
    pinion_status status = pn_worker_apply(w, x, err);
    if (status == PINION_OK) status = pinion_normalize(w->m, w->numbers.q);
    if (status == PINION_OK && pinion_model_loop_count(w->m) > 0)
        status = pinion_start_close(w->m, w->q_held, w->v_held, r->state < 0, w->numbers.q, w->numbers.v, &w->start,
                                    err);
    for (int k = 0; k < 2 && x && status == PINION_OK && pinion_model_loop_count(w->m) > 0; k++)
        status = check_held(w, k, err);
    return say(status, err);
}

/* Whether an integrator of sim makes the runs: they integrate, and not side by side. */
static int is_simulated(const pinion_sweep *s)
{
    return s->run.command == PN_PLAN_SIM && !s->run.steps;
}

/* Makes a simulation that can start. */
static pinion_status begin(pinion_sweep_worker *w, const double *x, uint64_t run, pinion_result *result,
                           pinion_error *err)
{
    const pn_plan_run *r = &w->s->run;
    pinion_status status = prepare(w, x, err);
    pinion_run_def def = define(w);
    def.result = result;
    if (!result) def.sink = (pinion_sink){.user = w, .row = pn_worker_row};
    if (status == PINION_OK) status = pn_worker_controller(w, &def, err);
    if (status == PINION_OK) status = pn_worker_outside(w, run, &def, err);
    if (status == PINION_OK) {
        w->run = pinion_run_new(w->m, &def, err);
        status = w->run ? PINION_OK : err->status;
    }
    for (int i = 0; i < r->event_count && status == PINION_OK; i++)
        status = pinion_sim_add_event(pinion_run_simulation(w->run), &r->events[i], err);
    return say(status, err);
}

/* The same of a run that no integrator of sim makes, with the columns of its table. */
static pinion_status begin_direct(pinion_sweep_worker *w, const double *x, pinion_result *table, pinion_error *err)
{
    const pinion_status status = prepare(w, x, err);
    if (status != PINION_OK) return status;
    return w->s->run.steps ? pn_lanes_columns(w, table, err) : pn_direct_columns(w, table, err);
}

pinion_result *pn_worker_columns(pinion_sweep_worker *w, pinion_error *err)
{
    pinion_result *r = pinion_result_new();
    if (!r) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return NULL;
    }
    if ((is_simulated(w->s) ? begin(w, NULL, 0, r, err) : begin_direct(w, NULL, r, err)) == PINION_OK) return r;
    pinion_result_free(r);
    return NULL;
}

/* How a run that went on ended. */
static pinion_sweep_outcome outcome_of(const pinion_sweep_worker *w, pinion_run_end end)
{
    if (w->infinite) return PINION_SWEEP_NOT_FINITE;
    switch (end) {
    case PINION_RUN_COMPLETE: return PINION_SWEEP_COMPLETE;
    case PINION_RUN_STOPPED: return PINION_SWEEP_STOPPED;
    case PINION_RUN_INTERRUPTED: return PINION_SWEEP_LIMITED;
    case PINION_RUN_BROKEN: return w->begun ? PINION_SWEEP_FAILED : PINION_SWEEP_NO_START;
    default: return PINION_SWEEP_FAILED;
    }
}

void pinion_sweep_worker_keep_rows(pinion_sweep_worker *w)
{
    if (w) w->keeps_all = 1;
}

void pinion_sweep_worker_watch(pinion_sweep_worker *w, pinion_sweep_watch watch, void *user)
{
    if (!w) return;
    w->watch = watch;
    w->watcher = user;
}

int pn_worker_given_up(pinion_sweep_worker *w, double made)
{
    const int stays = w->s->rows == PN_ROWS_ALL || w->s->rows == PN_ROWS_SOME;
    if (w->watch && w->watch(w->watcher, made, stays ? w->rows : 0)) w->given_up = 1;
    return w->given_up;
}

/* Goes on until the run has ended, or is given up. How the way is cut changes nothing in the numbers. */
static pinion_status go_to_end(pinion_sweep_worker *w)
{
    pinion_status status = PINION_OK;
    do {
        status = pinion_run_advance(w->run, w->watch ? WATCHED : LONG_MAX);
        const double t = pinion_sim_time(pinion_run_simulation(w->run));
        if (pinion_run_ended(w->run) != PINION_RUN_GOING) return status;
        if (pn_worker_given_up(w, t / w->numbers.duration)) return PINION_ERR_CALLBACK;
    } while (status == PINION_OK);
    return status;
}

static int keeps_rows(const pinion_sweep *s, uint64_t run)
{
    return s->plugins || s->rows == PN_ROWS_ALL || s->rows == PN_ROWS_FAILED ||
           (s->rows == PN_ROWS_SOME && run % s->every == 0);
}

/* A simulation from its start to its end. */
static pinion_status simulate(pinion_sweep_worker *w, uint64_t run, pinion_sweep_record *record, pinion_error *err)
{
    pinion_run_summary summary;
    pinion_status status = begin(w, w->x, run, NULL, err);
    if (status != PINION_OK) return status == PINION_ERR_MEMORY ? status : PINION_OK;
    w->keeps = w->keeps_all || keeps_rows(w->s, run);
    status = go_to_end(w);
    if (w->given_up) return PINION_ERR_CALLBACK;
    if (w->no_memory || status == PINION_ERR_MEMORY) return PINION_ERR_MEMORY;
    const pinion_run_end end = pinion_run_ended(w->run);
    if (pinion_run_summarize(w->run, &summary) != PINION_OK) return PINION_ERR_MEMORY;
    record->outcome = outcome_of(w, end);
    record->t_end = w->begun ? summary.t_end : NAN;
    const char *why = w->infinite                ? "a state is not finite"
                      : end == PINION_RUN_BROKEN ? pinion_run_message(w->run)
                                                 : summary.why;
    pn_error_set(err, PINION_OK, NULL, 0, 0, "%s", record->outcome && why ? why : "");
    return PINION_OK;
}

/* What integrates nothing. */
static pinion_status compute(pinion_sweep_worker *w, uint64_t run, pinion_sweep_record *record, pinion_error *err)
{
    pinion_status status = prepare(w, w->x, err);
    if (status != PINION_OK) return status == PINION_ERR_MEMORY ? status : PINION_OK;
    w->keeps = w->keeps_all || keeps_rows(w->s, run);
    status = pn_direct_rows(w, NULL, err);
    if (w->given_up) return PINION_ERR_CALLBACK;
    if (w->no_memory || status == PINION_ERR_MEMORY) return PINION_ERR_MEMORY;
    record->outcome = w->infinite             ? PINION_SWEEP_NOT_FINITE
                      : status != PINION_OK ? PINION_SWEEP_FAILED
                                            : PINION_SWEEP_COMPLETE;
    record->t_end = w->begun ? w->t : NAN;
    if (w->infinite) pn_error_set(err, PINION_OK, NULL, 0, 0, "a number is not finite");
    return PINION_OK;
}

/* The record of a run before anything is known of it. */
static pinion_status begin_record(pinion_sweep_worker *w, uint64_t run, pinion_sweep_record *record)
{
    memset(record, 0, sizeof *record);
    record->run = run;
    record->scalars = w->scalars;
    record->columns = w->s->column_count;
    record->t_end = NAN;
    record->outcome = PINION_SWEEP_NO_START;
    pn_tally_begin(w);
    return pinion_sweep_parameters(w->s, run, w->x);
}

/* Scalars that are functions of all the rows. */
static void call_functions(pinion_sweep_worker *w, const pinion_sweep_record *record)
{
    const pinion_sweep *s = w->s;
    const pinion_sweep_view view = {record->run, (int)record->outcome, record->t_end, s->parameter_count, w->x,
                                    w->rows,     s->column_count,      w->row,        s->columns};
    for (int i = 0; i < s->kept_count; i++)
        if (s->kept[i].plugin) w->scalars[i] = s->kept[i].function(s->kept[i].user, &view);
}

/* A text that is too long ends behind a word, and shows it. */
static void cut_text(char *to, size_t size, const char *text)
{
    static const char more[] = " \xe2\x80\xa6"; /* an ellipsis */
    const size_t length = strlen(text);
    memset(to, 0, size);
    if (length < size) {
        memcpy(to, text, length);
        return;
    }
    size_t end = size - sizeof more;
    while (end > 0 && text[end] != ' ') end--;
    memcpy(to, text, end);
    memcpy(to + end, more, sizeof more);
}

static void end_record(pinion_sweep_worker *w, pinion_sweep_record *record, const pinion_error *err)
{
    const pinion_sweep *s = w->s;
    cut_text(record->why, sizeof record->why, err->message);
    pn_tally_end(w);
    if (s->plugins) call_functions(w, record);
    if (s->rows == PN_ROWS_NONE || (s->rows == PN_ROWS_FAILED && record->outcome == PINION_SWEEP_COMPLETE) ||
        (s->rows == PN_ROWS_SOME && record->run % s->every != 0))
        if (!w->keeps_all) w->rows = 0;
    record->rows = w->rows;
    record->row = w->row;
}

/* One after the other. */
static pinion_status make_alone(pinion_sweep_worker *w, uint64_t run, pinion_sweep_record *record)
{
    pinion_error err;
    pinion_status status = begin_record(w, run, record);
    if (status == PINION_OK) status = (is_simulated(w->s) ? simulate : compute)(w, run, record, &err);
    if (status == PINION_OK) end_record(w, record, &err);
    return status;
}

/* The record of a run that was made side by side with others; place -1: it could not start. */
static pinion_status read_lane(pinion_sweep_worker *w, uint64_t run, int place, pinion_error *err,
                               pinion_sweep_record *record)
{
    pinion_status status = begin_record(w, run, record);
    if (status != PINION_OK) return status;
    end_run(w);
    w->keeps = w->keeps_all || keeps_rows(w->s, run);
    if (place >= 0) {
        *err = (pinion_error){PINION_OK, 0, 0, ""};
        status = pn_lanes_rows(w, place, NULL, err);
        if (w->no_memory || status == PINION_ERR_MEMORY) return PINION_ERR_MEMORY;
        record->outcome = status == PINION_OK          ? PINION_SWEEP_COMPLETE
                          : pn_lanes_infinite(w, place) ? PINION_SWEEP_NOT_FINITE
                                                        : PINION_SWEEP_FAILED;
        record->t_end = w->begun ? w->t : NAN;
    }
    end_record(w, record, err);
    return PINION_OK;
}

/* Up to PN_LANES_MOST runs at once. */
static pinion_status make_lanes(pinion_sweep_worker *w, int count, const uint64_t *runs,
                                pinion_sweep_each each, void *user, int *goes_on)
{
    pinion_error err[PN_LANES_MOST];
    pinion_sweep_record record;
    int place[PN_LANES_MOST], made = 0;
    pinion_status status = PINION_OK;
    for (int i = 0; i < count; i++) {
        status = begin_record(w, runs[i], &record);
        if (status != PINION_OK) return status;
        status = prepare(w, w->x, &err[i]);
        if (status == PINION_OK) status = say(pn_lanes_set(w, made, &err[i]), &err[i]);
        if (status == PINION_ERR_MEMORY) return status;
        place[i] = status == PINION_OK ? made++ : -1;
    }
    status = made ? pn_lanes_make(w, made) : PINION_OK;
    for (int i = 0; i < count && status == PINION_OK && *goes_on; i++) {
        status = read_lane(w, runs[i], place[i], &err[i], &record);
        if (status == PINION_OK) *goes_on = each(user, &record);
    }
    return status;
}

pinion_status pinion_sweep_runs(pinion_sweep_worker *w, size_t count, const uint64_t *runs,
                                pinion_sweep_each each, void *user)
{
    if (!w || !each || (count && !runs)) return PINION_ERR_ARGUMENT;
    for (size_t i = 0; i < count; i++)
        if (runs[i] >= pinion_sweep_count(w->s)) return PINION_ERR_ARGUMENT;
    const size_t most = w->s->run.steps ? PN_LANES_MOST : 1;
    pinion_status status = PINION_OK;
    int goes_on = 1;
    for (size_t i = 0; i < count && status == PINION_OK && goes_on; i += most) {
        pinion_sweep_record record;
        if (most > 1) {
            status = make_lanes(w, (int)(count - i < most ? count - i : most), runs + i, each, user, &goes_on);
        } else {
            status = make_alone(w, runs[i], &record);
            if (status == PINION_OK) goes_on = each(user, &record);
        }
    }
    return status;
}

static int take_record(void *user, const pinion_sweep_record *record)
{
    *(pinion_sweep_record *)user = *record;
    return 1;
}

pinion_status pinion_sweep_run(pinion_sweep_worker *w, uint64_t run, pinion_sweep_record *record)
{
    if (!w || !record || run >= pinion_sweep_count(w->s)) return PINION_ERR_ARGUMENT;
    return pinion_sweep_runs(w, 1, &run, take_record, record);
}

/* A simulation again, with all it records; one that ended early has what there is. */
static pinion_status replay(pinion_sweep_worker *w, uint64_t run, pinion_result *r, pinion_error *err)
{
    pinion_status status = begin(w, w->x, run, r, err);
    if (status == PINION_OK) status = go_to_end(w);
    if (w->given_up) return say(PINION_ERR_CALLBACK, err);
    if (!w->run) return status == PINION_OK ? PINION_ERR_MEMORY : status;
    if (pinion_run_ended(w->run) != PINION_RUN_BROKEN) return PINION_OK;
    return pn_error_set(err, status == PINION_OK ? PINION_ERR_CALLBACK : status, NULL, 0, 0, "%s",
                        pinion_run_message(w->run));
}

/* The same of what integrates nothing. */
static pinion_status recompute(pinion_sweep_worker *w, uint64_t run, pinion_result *r, pinion_error *err)
{
    (void)run;
    char title[300];
    pinion_status status = begin_direct(w, w->x, r, err);
    if (status != PINION_OK) return status;
    snprintf(title, sizeof title, "%.200s: %s", pinion_model_name(w->m), pn_plan_commands[w->s->run.command]);
    if (pinion_result_set(r, "title", title) != PINION_OK ||
        pinion_result_set(r, "pinion_version", pinion_version()) != PINION_OK)
        return PINION_ERR_MEMORY;
    status = pinion_result_set_model(r, w->m, err);
    if (status != PINION_OK || !w->s->run.steps) return status == PINION_OK ? pn_direct_rows(w, r, err) : status;
    status = pn_lanes_set(w, 0, err);
    if (status == PINION_OK) status = pn_lanes_make(w, 1);
    if (status != PINION_OK) return say(status, err);
    const pinion_status made = pn_lanes_rows(w, 0, r, err);
    return made == PINION_ERR_STEP || made == PINION_ERR_SINGULAR ? PINION_OK : made; /* it has what there is */
}

pinion_result *pinion_sweep_replay(pinion_sweep_worker *w, uint64_t run, pinion_error *err)
{
    pinion_error own;
    if (!err) err = &own;
    if (!w || run >= pinion_sweep_count(w->s)) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "there is no such run");
        return NULL;
    }
    pinion_result *r = pinion_result_new();
    pinion_status status = r ? pinion_sweep_parameters(w->s, run, w->x) : PINION_ERR_MEMORY;
    *err = (pinion_error){PINION_OK, 0, 0, ""};
    if (status == PINION_OK) status = (is_simulated(w->s) ? replay : recompute)(w, run, r, err);
    if (status == PINION_ERR_MEMORY) pn_error_set(err, status, NULL, 0, 0, "out of memory");
    end_run(w);
    if (status == PINION_OK) return r;
    pinion_result_free(r);
    return NULL;
}
