/* What a run records: columns, settings, rows, events, and how it went. */
#include "sim/run/run_parts.h"

#include "io/model_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a row has besides the coordinates; the last one only where q has quaternions or there are loops, which
 * alone can drift. */
static const pinion_column extra[] = {{"energy.kinetic", "J"}, {"energy.potential", "J"},
                                      {"energy.total", "J"},   {"energy.work", "J"},
                                      {"energy.drift", "J"},   {"constraint", ""}};
enum { POTENTIAL = 1, WORK = 3, CONSTRAINT = 5, EXTRA = sizeof extra / sizeof extra[0] };

static int extra_count(const pinion_model *m)
{
    return pinion_model_nq(m) > pinion_model_nv(m) || pinion_model_loop_count(m) > 0 ? EXTRA : EXTRA - 1;
}

/* Without a list the joint forces say it all. */
static int actuator_columns(const pinion_model *m)
{
    return pinion_model_actuators_listed(m) ? pinion_model_actuator_count(m) : 0;
}

/* ---------------------------------------------------------------------------------------------
 * Columns */

pinion_status pn_run_add_column(pinion_run *r, const char *name, const char *unit, pinion_error *err)
{
    const pinion_status status = pinion_result_add_column(r->table, name, unit);
    if (status == PINION_ERR_MEMORY)
        pn_error_set(err, status, NULL, 0, 0, "out of memory");
    else if (status != PINION_OK)
        pn_error_set(err, status, NULL, 0, 0, "there cannot be a column '%s': %s", name,
                     pinion_result_find_column(r->table, name) >= 0 ? "it is there already"
                                                                    : pinion_status_text(status));
    return status;
}

static pinion_status add_columns(pinion_run *r, pinion_error *err)
{
    static const char *const what[] = {"q", "v", "a", "tau", "actuator"};
    const int nv = pinion_model_nv(r->m), counts[] = {pinion_model_nq(r->m), nv, nv, nv, actuator_columns(r->m)};
    pinion_status status = pn_run_add_column(r, "t", "s", err);
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < counts[k] && status == PINION_OK; i++) {
            char name[1000];
            pinion_coordinate_name(r->m, what[k], i, name, sizeof name);
            status = pn_run_add_column(r, name, pinion_coordinate_unit(r->m, what[k], i), err);
        }
    }
    if (status == PINION_OK) status = pn_watched_columns(r, err);
    for (int i = 0; i < extra_count(r->m) && status == PINION_OK; i++)
        status = pn_run_add_column(r, extra[i].name, extra[i].unit, err);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Settings */

static int set(pinion_run *r, const char *key, const char *text)
{
    return pinion_result_set(r->table, key, text) == PINION_OK;
}

static void append_number(pn_text *t, double x)
{
    if (isfinite(x))
        pn_text_number(t, x);
    else
        pn_text_append(t, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

/* Words, a number, and the same again. */
static int set_numbers(pinion_run *r, const char *key, const char *before, double x, const char *between,
                       const double *y)
{
    pn_text t = {0};
    pn_text_append(&t, before);
    append_number(&t, x);
    pn_text_append(&t, between);
    if (y) append_number(&t, *y);
    char *text = pn_text_take(&t);
    const int ok = text && set(r, key, text);
    free(text);
    return ok;
}

static int set_number(pinion_run *r, const char *key, double x)
{
    return set_numbers(r, key, "", x, "", NULL);
}

/* Where the record comes from. */
static int set_origin(pinion_run *r)
{
    char title[400];
    snprintf(title, sizeof title, "%.200s: simulation over ", pinion_model_name(r->m));
    return set_numbers(r, "title", title, r->def.duration, " s", NULL) &&
           (!r->def.command || set(r, "command", r->def.command)) && set(r, "pinion_version", pinion_version()) &&
           (!r->def.model_file || set(r, "model_file", r->def.model_file));
}

/* The integrator with what governs its steps, and the algorithm. */
static int set_method(pinion_run *r)
{
    const pinion_sim_options *o = &r->def.sim;
    int algorithm = pinion_sim_algorithm(r->sim);
    pinion_algorithm_info info;
    if (algorithm < 0) algorithm = pinion_algorithm_default(PINION_PROBLEM_FORWARD_DYNAMICS, r->m);
    if (pinion_algorithm(algorithm, &info) != PINION_OK) return 0;
    int ok = set_number(r, "duration", r->def.duration) && set_number(r, "output_step", r->def.output_step) &&
             set(r, "integrator", pinion_integrator_name(o->integrator)) && set(r, "algorithm", info.name);
    if (pinion_integrator_is_fixed(o->integrator)) return ok && set_number(r, "step", o->step);
    ok = ok && set_number(r, "rtol", o->rtol) && set_number(r, "atol", o->atol);
    if (o->step > 0) ok = ok && set_number(r, "first_step", o->step);
    if (isfinite(o->max_step)) ok = ok && set_number(r, "max_step", o->max_step);
    return ok;
}

/* What acts. */
static int set_physics(pinion_run *r)
{
    const pinion_sim_options *o = &r->def.sim;
    int ok = set(r, "passive", o->passive ? "on" : "off");
    if (o->passive && o->friction == PINION_FRICTION_EXACT)
        ok = ok && set(r, "friction", "exact") && set_number(r, "stiction", o->stiction);
    else if (o->passive)
        ok = ok && set_number(r, "friction_speed", o->friction_speed);
    ok = ok && (o->stops ? set_numbers(r, "stops", "stiffness ", o->stop_stiffness, ", damping ", &o->stop_damping)
                         : set(r, "stops", "off"));
    ok = ok && set(r, "control", r->def.control ? r->def.control : "none");
    if (o->sample > 0) ok = ok && set_number(r, "control_step", o->sample) && set_number(r, "control_delay", o->delay);
    if (!ok || pinion_model_loop_count(r->m) == 0) return ok;
    const pinion_stabilization how = pinion_sim_stabilization(r->sim);
    ok = set(r, "stabilization", pinion_stabilization_name(how));
    if (how == PINION_STABILIZATION_BAUMGARTE || how == PINION_STABILIZATION_BOTH)
        ok = ok && set_number(r, "baumgarte", o->baumgarte);
    return ok;
}

pinion_status pn_run_describe(pinion_run *r, pinion_error *err)
{
    pinion_status status = PINION_OK;
    if (r->def.result) {
        status = set_origin(r) ? pinion_result_set_model(r->table, r->m, err) : PINION_ERR_MEMORY;
        if (status == PINION_OK && !(set_method(r) && set_physics(r))) status = PINION_ERR_MEMORY;
        if (status == PINION_ERR_MEMORY) pn_error_set(err, status, NULL, 0, 0, "out of memory");
    }
    if (status == PINION_OK) status = add_columns(r, err);
    if (status != PINION_OK) return status;
    r->columns = pinion_result_column_count(r->table);
    r->column = calloc((size_t)r->columns, sizeof *r->column);
    r->row = calloc((size_t)pn_contacts_all(r) + PN_RUN_LATE, sizeof *r->row);
    if (!r->column || !r->row) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return PINION_ERR_MEMORY;
    }
    for (int i = 0; i < r->columns && status == PINION_OK; i++)
        status = pinion_result_column(r->table, i, &r->column[i]);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Rows and events */

/* A sink has answered. */
static pinion_status answered(pinion_run *r, pinion_status status, const char *what)
{
    char words[200];
    if (status == PINION_OK) return status;
    snprintf(words, sizeof words, "the sink does not take %s: %s", what, pinion_status_text(status));
    return pn_run_break(r, status, words);
}

pinion_status pn_run_begin(pinion_run *r)
{
    const pinion_sink *to = &r->def.sink;
    r->started = 1;
    return to->begin ? answered(r, to->begin(to->user, r->columns, r->column), "the columns") : PINION_OK;
}

/* The larger magnitude. */
static void enlarge(double *most, double x)
{
    if (!(fabs(x) <= *most)) *most = fabs(x);
}

pinion_status pn_run_put_row(pinion_run *r, const double *row)
{
    const pinion_sink *to = &r->def.sink;
    const int extras = extra_count(r->m);
    const double *last = row + r->columns - extras;
    const pinion_status kept = r->def.result ? pinion_result_add_row(r->table, row) : PINION_OK;
    if (kept != PINION_OK) return pn_run_break(r, kept, NULL);
    r->next_row++;
    r->largest.t = row[0];
    enlarge(&r->largest.potential, last[POTENTIAL]);
    enlarge(&r->largest.work, last[WORK]);
    if (extras == EXTRA) enlarge(&r->largest.constraint, last[CONSTRAINT]);
    return to->row ? answered(r, to->row(to->user, r->columns, row), "a row") : PINION_OK;
}

pinion_status pn_run_put_event(pinion_run *r, double t, const char *text)
{
    const pinion_sink *to = &r->def.sink;
    const pinion_status kept = r->def.result ? pinion_result_add_event(r->table, t, text) : PINION_OK;
    if (kept != PINION_OK) return pn_run_break(r, PINION_ERR_MEMORY, NULL);
    r->largest.events++;
    return to->event ? answered(r, to->event(to->user, t, text), "an event") : PINION_OK;
}

pinion_status pn_run_add_row(pinion_run *r)
{
    const int nq = pinion_model_nq(r->m), nv = pinion_model_nv(r->m);
    const int nu = actuator_columns(r->m);
    double *q = r->row + 1, *v = q + nq, *a = v + nv, *tau = a + nv, *u = tau + nv;
    pinion_sim_state s = {.q = q, .v = v, .a = a, .tau = tau, .u = nu ? u : NULL};
    pinion_status status = pinion_sim_get(r->sim, &s);
    if (status == PINION_OK) status = pn_watched_fill(r, s.t, q, v, a, u + nu);
    if (status != PINION_OK) return pn_run_break(r, status, pinion_sim_message(r->sim));
    const double last[EXTRA] = {s.kinetic, s.potential, s.kinetic + s.potential,
                                s.work,    s.drift,     s.constraint};
    r->row[0] = s.t;
    memcpy(r->row + r->columns - extra_count(r->m), last, (size_t)extra_count(r->m) * sizeof *last);
    status = pn_contacts_touch(r);
    if (status != PINION_OK) return pn_run_break(r, status, NULL);
    return pn_run_put_row(r, r->row);
}

pinion_status pn_run_add_events(pinion_run *r)
{
    pinion_event_hit hit;
    pinion_status status = PINION_OK;
    while (status == PINION_OK && pinion_sim_next_event(r->sim, &hit)) {
        status = pn_run_put_event(r, hit.t, hit.text);
        if (status == PINION_OK && hit.stop) snprintf(r->why, sizeof r->why, "%s", hit.text);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * The end */

static int set_outcome(pinion_run *r, const pinion_run_summary *s)
{
    char end[800];
    const int complete = s->end == PINION_RUN_COMPLETE;
    snprintf(end, sizeof end, "%s%s%s", pinion_run_end_name(s->end), complete ? "" : ": ", complete ? "" : s->why);
    return set(r, "end", end) && set_number(r, "t_end", s->t_end) && set_number(r, "steps", (double)s->steps) &&
           set_number(r, "refused_steps", (double)s->refused) &&
           set_number(r, "evaluations", (double)s->evaluations) &&
           (s->changes == 0 || (set_number(r, "implicit_steps", (double)s->implicit_steps) &&
                                set_number(r, "changes_of_method", (double)s->changes))) &&
           (r->def.sim.friction != PINION_FRICTION_EXACT ||
            (set_number(r, "sticks", (double)s->sticks) && set_number(r, "slips", (double)s->slips))) &&
           set_number(r, "largest_kinetic", s->largest_kinetic) &&
           set_number(r, "largest_drift", s->largest_drift) &&
           (!*s->warning || set(r, "warning", s->warning)) &&
           (!isfinite(s->relative_drift) || set_number(r, "relative_drift", s->relative_drift)) &&
           (pinion_model_loop_count(r->m) == 0 || !isfinite(s->constraint) ||
            set_number(r, "largest_constraint", s->constraint));
}

pinion_status pn_run_conclude(pinion_run *r)
{
    const pinion_sink *to = &r->def.sink;
    pinion_run_summary s;
    pinion_status status = pinion_run_summarize(r, &s);
    if (status == PINION_OK && r->def.result && !set_outcome(r, &s)) status = PINION_ERR_MEMORY;
    if (status != PINION_OK) return pn_run_break(r, status, NULL);
    return to->end ? answered(r, to->end(to->user, &s), "the end") : PINION_OK;
}
