/* pinion sim: the result's columns, settings, rows and files. */
#define _POSIX_C_SOURCE 200809L
#include "cli/sim/sim_command.h"

#include "cli/args/command_line.h"
#include "cli/args/load_option.h"
#include "cli/print/plot.h"
#include "cli/print/progress.h"
#include "cli/report/report.h"
#include "cli/print/result_out.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a row has besides the coordinates; the last one only where q has quaternions or there are loops, which
 * alone can drift. */
static const pinion_column extra[] = {{"energy.kinetic", "J"}, {"energy.potential", "J"},
                                      {"energy.total", "J"},   {"energy.work", "J"},
                                      {"energy.drift", "J"},   {"constraint", ""}};
enum { EXTRA = sizeof extra / sizeof extra[0] };

static int extra_count(const sim_run *r)
{
    return r->nq > r->nv || pinion_model_loop_count(r->m) > 0 ? EXTRA : EXTRA - 1;
}

static int out_of_memory(const sim_run *r)
{
    pn_cli_report(r->command, "out of memory");
    return CLI_FAILED;
}

/* ------------------------------------------------------------------------------------------------ */
/* Columns and settings */

static int add_columns(sim_run *r)
{
    static const char *const what[] = {"q", "v", "a", "tau"};
    int status = pn_cli_add_column(r->command, r->result, "t", "s");
    for (int k = 0; k < 4 && status == CLI_DONE; k++)
        status = pn_cli_add_coordinates(r->command, r->result, r->m, what[k]);
    for (int i = 0; i < extra_count(r) && status == CLI_DONE; i++)
        status = pn_cli_add_column(r->command, r->result, extra[i].name, extra[i].unit);
    return status;
}

static int set(sim_run *r, const char *key, const char *text)
{
    return pinion_result_set(r->result, key, text) == PINION_OK;
}

static int set_number(sim_run *r, const char *key, double x)
{
    char text[40];
    return set(r, key, pn_cli_number_text(x, text, sizeof text));
}

/* The integrator with what governs its steps, and the algorithm. */
static int set_method(sim_run *r)
{
    const pinion_sim_options *o = &r->options;
    int algorithm = pinion_sim_algorithm(r->sim);
    pinion_algorithm_info info;
    if (algorithm < 0) algorithm = pinion_algorithm_default(PINION_PROBLEM_FORWARD_DYNAMICS, r->m);
    if (pinion_algorithm(algorithm, &info) != PINION_OK) return 0;
    int ok = set(r, "integrator", pinion_integrator_name(o->integrator)) && set(r, "algorithm", info.name);
    if (pinion_integrator_is_fixed(o->integrator)) return ok && set_number(r, "step", o->step);
    ok = ok && set_number(r, "rtol", o->rtol) && set_number(r, "atol", o->atol);
    if (o->step > 0) ok = ok && set_number(r, "first_step", o->step);
    if (isfinite(o->max_step)) ok = ok && set_number(r, "max_step", o->max_step);
    return ok;
}

/* The values of an option that may be given several times, with semicolons between them. */
static int set_repeated(sim_run *r, option_id id, const char *key)
{
    char text[1000] = "";
    for (int i = 0; i < r->args->repeated_count; i++) {
        const repeated_value *given = &r->args->repeated[i];
        const size_t used = strlen(text);
        if (given->option == id)
            snprintf(text + used, sizeof text - used, "%s%s", used ? "; " : "", given->value);
    }
    return !*text || set(r, key, text);
}

/* What acts. */
static int set_physics(sim_run *r)
{
    const char *const *value = r->args->value;
    const pinion_sim_options *o = &r->options;
    char stops[100], k[40], c[40];
    int ok = set(r, "passive", o->passive ? "on" : "off");
    if (o->passive) ok = ok && set_number(r, "friction_speed", o->friction_speed);
    snprintf(stops, sizeof stops, "stiffness %s, damping %s",
             pn_cli_number_text(o->stop_stiffness, k, sizeof k),
             pn_cli_number_text(o->stop_damping, c, sizeof c));
    ok = ok && set(r, "stops", o->stops ? stops : "off");
    ok = ok && set(r, "control", value[OPT_CONTROL] ? value[OPT_CONTROL] : "none");
    if (pinion_model_loop_count(r->m) > 0) {
        const pinion_stabilization how = pinion_sim_stabilization(r->sim);
        ok = ok && set(r, "stabilization", pinion_stabilization_name(how));
        if (how == PINION_STABILIZATION_BAUMGARTE || how == PINION_STABILIZATION_BOTH)
            ok = ok && set_number(r, "baumgarte", o->baumgarte);
    }

    /* the others as they were given */
    const option_id given[] = {OPT_Q,     OPT_V,          OPT_STATE, OPT_TORQUE, OPT_KP,
                               OPT_KD,    OPT_LINE,       OPT_FROM,  OPT_TO_Q,   OPT_PROFILE,
                               OPT_BLEND, OPT_TRAJECTORY, OPT_FORCES};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (value[given[i]]) ok = ok && set(r, pn_cli_option_name(r->args, given[i]), value[given[i]]);
    if (value[OPT_LIMIT_EFFORT]) ok = ok && set(r, "limit_effort", "on");
    return ok && set_repeated(r, OPT_EVENT, "events") && set_repeated(r, OPT_STOP_WHEN, "stop_when");
}

int pn_cli_sim_result(sim_run *r)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    char duration[40], title[400];
    char *command = pn_cli_command_line(r->args);
    r->result = pinion_result_new();
    int ok = r->result && command;
    if (ok) {
        snprintf(title, sizeof title, "%.200s: simulation over %s s", pinion_model_name(r->m),
                 pn_cli_number_text(r->duration, duration, sizeof duration));
        ok = set(r, "title", title) && set(r, "command", command) &&
             set(r, "pinion_version", pinion_version()) && set(r, "model_file", r->args->positional);
    }
    free(command);
    if (ok && pinion_result_set_model(r->result, r->m, &err) != PINION_OK) {
        pn_cli_report(r->command, "%s", err.message);
        return CLI_FAILED;
    }
    ok = ok && set_number(r, "duration", r->duration) && set_number(r, "output_step", r->output_step) &&
         set_method(r) && set_physics(r);
    return ok ? add_columns(r) : out_of_memory(r);
}

/* ------------------------------------------------------------------------------------------------ */
/* Rows and events */

int pn_cli_sim_add_row(sim_run *r)
{
    pinion_sim_state s = {.q = r->q, .v = r->v, .a = r->a, .tau = r->tau};
    if (pinion_sim_get(r->sim, &s) != PINION_OK) {
        pn_cli_report(r->command, "%s", pinion_sim_message(r->sim));
        return CLI_FAILED;
    }
    const size_t nq = (size_t)r->nq, nv = (size_t)r->nv;
    double *x = r->row;
    *x++ = s.t;
    memcpy(x, r->q, nq * sizeof *x);
    memcpy(x += nq, r->v, nv * sizeof *x);
    memcpy(x += nv, r->a, nv * sizeof *x);
    memcpy(x += nv, r->tau, nv * sizeof *x);
    x += nv;
    const double last[EXTRA] = {s.kinetic, s.potential, s.kinetic + s.potential,
                                s.work,    s.drift,     s.constraint};
    memcpy(x, last, (size_t)extra_count(r) * sizeof *x);
    return pinion_result_add_row(r->result, r->row) == PINION_OK ? CLI_DONE : out_of_memory(r);
}

int pn_cli_sim_add_events(sim_run *r)
{
    pinion_event_hit hit;
    while (pinion_sim_next_event(r->sim, &hit)) {
        if (pinion_result_add_event(r->result, hit.t, hit.text) != PINION_OK) return out_of_memory(r);
        if (hit.stop) snprintf(r->why, sizeof r->why, "%s", hit.text);
    }
    return CLI_DONE;
}

/* ------------------------------------------------------------------------------------------------ */
/* The end */

/* How the run went, among the settings. */
static int set_outcome(sim_run *r, const sim_summary *s)
{
    static const char *const word[] = {"complete", "stopped: ", "interrupted: ", "failed: "};
    char end[800];
    snprintf(end, sizeof end, "%s%s", word[r->end], r->end == RUN_COMPLETE ? "" : r->why);
    return set(r, "end", end) && set_number(r, "t_end", s->t_end) &&
           set_number(r, "steps", (double)s->steps) && set_number(r, "refused_steps", (double)s->refused) &&
           set_number(r, "evaluations", (double)s->evaluations) &&
           set_number(r, "largest_kinetic", s->kinetic) && set_number(r, "largest_drift", s->drift) &&
           (!isfinite(s->relative) || set_number(r, "relative_drift", s->relative)) &&
           (!isfinite(s->constraint) || set_number(r, "largest_constraint", s->constraint));
}

int pn_cli_sim_write(sim_run *r)
{
    const double wall = pn_cli_clock() - r->began;
    const sim_summary s = pn_cli_sim_summary(r);
    if (!set_outcome(r, &s)) return out_of_memory(r);

    /* every file that can be written is, whatever happens to another */
    int status = CLI_DONE;
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (r->output && pinion_result_save(r->result, r->output, PINION_RESULT_AUTO, &err) != PINION_OK) {
        r->output = NULL; /* said below, as the last word */
        status = CLI_FAILED;
    } else if (!r->output && !r->json && pn_cli_print_result(r->command, r->result) != CLI_DONE) {
        status = CLI_FAILED;
    }
    if (r->report &&
        pn_cli_report_result(r->command, r->result, r->m, r->args->positional, r->report) != CLI_DONE) {
        r->report = NULL;
        status = CLI_FAILED;
    }
    if (r->plot &&
        pn_cli_plot_result(r->command, r->result, r->args->value[OPT_PLOT_COLUMNS], r->plot) != CLI_DONE) {
        r->plot = NULL;
        status = CLI_FAILED;
    }
    pn_cli_sim_print(r, &s, wall);
    if (err.status != PINION_OK) pn_cli_report(r->command, "%s", err.message);

    /* what came out is complete as far as it goes, but not what was asked for */
    if (r->end == RUN_INTERRUPTED || r->end == RUN_FAILED) {
        pn_cli_report(r->command, "%s%s%s", r->why,
                      r->output ? "; the result up to there is complete in " : "",
                      r->output ? r->output : "");
        status = CLI_FAILED;
    }
    return pn_cli_finish(r->command, status);
}
