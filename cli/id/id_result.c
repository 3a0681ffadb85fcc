/* pinion id: the result's settings, columns and rows, and where it goes. */
#define _POSIX_C_SOURCE 200809L
#include "cli/id/id.h"

#include "cli/args/command_line.h"
#include "cli/print/json_out.h"
#include "cli/args/load_option.h"
#include "cli/print/plot.h"
#include "cli/report/report.h"
#include "cli/print/result_out.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int out_of_memory(const id_run *d)
{
    pn_cli_report(d->command, "out of memory");
    return CLI_FAILED;
}

/* ------------------------------------------------------------------------------------------------ */
/* The result's columns and settings */

static int add_column(id_run *d, const char *name, const char *unit)
{
    return pn_cli_add_column(d->command, d->result, name, unit);
}

/* Whether a joint moves, by itself or with another one. */
static int moves(const pinion_joint_info *joint)
{
    return joint->nv > 0 || joint->leader >= 0;
}

/* The power of all joints and of each. */
static int add_powers(id_run *d)
{
    char name[1000];
    int status = add_column(d, "power", "W");
    for (int j = 0; j < d->joints && status == CLI_DONE; j++) {
        pinion_joint_info joint;
        if (pinion_model_joint(d->m, j, &joint) != PINION_OK || joint.nv == 0) continue;
        snprintf(name, sizeof name, "power.%s", joint.name);
        status = add_column(d, name, "W");
    }
    return status;
}

/* The six of one joint. */
static int add_reaction(id_run *d, const char *joint)
{
    static const char *const part[] = {"nx", "ny", "nz", "fx", "fy", "fz"};
    char name[1000];
    int status = CLI_DONE;
    for (int i = 0; i < 6 && status == CLI_DONE; i++) {
        snprintf(name, sizeof name, "reaction.%s.%s", joint, part[i]);
        status = add_column(d, name, i < 3 ? "N m" : "N");
    }
    return status;
}

/* Those of the tree, then those that close loops. */
static int add_reactions(id_run *d)
{
    if (pinion_model_elastic_count(d->m)) return CLI_DONE; /* they would be those of rigid links */
    int status = CLI_DONE;
    for (int j = 0; j < d->joints && status == CLI_DONE; j++) {
        pinion_joint_info joint;
        if (pinion_model_joint(d->m, j, &joint) == PINION_OK && moves(&joint)) status = add_reaction(d, joint.name);
    }
    for (int i = 0; i < d->loops.count && status == CLI_DONE; i++) {
        pinion_loop_info loop;
        if (pinion_model_loop(d->m, i, &loop) == PINION_OK) status = add_reaction(d, loop.name);
    }
    return status;
}

/* The forces of the actuators, where the model lists them; without a list the joint forces say it all. */
static int add_actuators(id_run *d)
{
    int status = CLI_DONE;
    for (int k = 0; k < pinion_model_actuator_count(d->m) && d->listed && status == CLI_DONE; k++) {
        char name[1000];
        pinion_coordinate_name(d->m, "actuator", k, name, sizeof name);
        status = add_column(d, name, pinion_coordinate_unit(d->m, "actuator", k));
    }
    return status;
}

static int add_group(id_run *d, id_group g)
{
    static const char *const motion[] = {"q", "v", "a"};
    int status = CLI_DONE;
    switch (g) {
    case ID_TIME: return add_column(d, "t", "s");
    case ID_MOTION:
        for (int k = 0; k < 3 && status == CLI_DONE; k++)
            status = pn_cli_add_coordinates(d->command, d->result, d->m, motion[k]);
        return status;
    case ID_TORQUES: return pn_cli_add_coordinates(d->command, d->result, d->m, "tau");
    case ID_ACTUATORS: return add_actuators(d);
    case ID_POWER: return add_powers(d);
    case ID_CONTACTS: return pn_cli_id_contacts_columns(d);
    default: return add_reactions(d);
    }
}

int pn_cli_id_columns(id_run *d)
{
    int status = CLI_DONE;
    for (int g = 0; g < ID_GROUPS && status == CLI_DONE; g++) {
        status = add_group(d, (id_group)g);
        d->first[g + 1] = pinion_result_column_count(d->result);
    }
    return status;
}

/* What CSV gets of it: the time, the torques, and what is asked for. NULL when out of memory. */
static pinion_result *csv_part(const id_run *d)
{
    const char *const *value = d->args->value;
    const int wanted[ID_GROUPS] = {[ID_TIME] = 1,
                                   [ID_MOTION] = value[OPT_MOTION] != NULL,
                                   [ID_TORQUES] = 1,
                                   [ID_ACTUATORS] = 1,
                                   [ID_POWER] = value[OPT_POWER] != NULL,
                                   [ID_REACTIONS] = value[OPT_REACTIONS] != NULL,
                                   [ID_CONTACTS] = 1};
    char *keep = calloc((size_t)d->first[ID_GROUPS] + 1, 1);
    if (!keep) return NULL;
    for (int g = 0; g < ID_GROUPS; g++)
        memset(keep + d->first[g], wanted[g], (size_t)(d->first[g + 1] - d->first[g]));
    pinion_result *part = pn_cli_result_part(d->result, keep);
    free(keep);
    return part;
}

static int set(id_run *d, const char *key, const char *text)
{
    return pinion_result_set(d->result, key, text) == PINION_OK;
}

static int set_number(id_run *d, const char *key, double x)
{
    char text[40];
    return set(d, key, pn_cli_number_text(x, text, sizeof text));
}

int pn_cli_id_settings(id_run *d)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    const int chosen = d->algorithm >= 0 ? d->algorithm
                                         : pinion_algorithm_default(PINION_PROBLEM_INVERSE_DYNAMICS, d->m);
    pinion_algorithm_info info;
    char title[400], *line = pn_cli_command_line(d->args);
    snprintf(title, sizeof title, "%.200s: inverse dynamics along a motion", pinion_model_name(d->m));
    int ok = line && set(d, "title", title) && set(d, "command", line) &&
             set(d, "pinion_version", pinion_version()) && set(d, "model_file", d->args->positional);
    free(line);
    if (!ok) return out_of_memory(d);
    if (pinion_result_set_model(d->result, d->m, &err) != PINION_OK) {
        pn_cli_report(d->command, "%s", err.message);
        return CLI_FAILED;
    }
    if (pinion_algorithm(chosen, &info) != PINION_OK) return CLI_FAILED;
    if (d->loops.count) info.name = "loop_inverse_dynamics";
    ok = set(d, "motion", pinion_trajectory_text(d->motion)) && set_number(d, "start", d->start) &&
         set_number(d, "end", d->end) && set(d, "algorithm", info.name) &&
         set(d, "passive", d->passive ? "on" : "off");
    if (!d->times) ok = ok && set_number(d, "output_step", d->step);

    /* the others as they were given */
    const option_id given[] = {OPT_TRAJECTORY, OPT_FROM, OPT_TO_Q, OPT_LINE, OPT_PROFILE, OPT_BLEND,
                               OPT_FLOATING, OPT_ELASTIC,
                               OPT_ACTUATED, OPT_CONTACTS, OPT_CONTACT_GAP, OPT_CONTACT_FRICTION, OPT_CONTACT_SHARE};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (d->args->value[given[i]])
            ok = ok && set(d, pn_cli_option_name(d->args, given[i]),
                            *d->args->value[given[i]] ? d->args->value[given[i]] : "on");
    return ok ? CLI_DONE : out_of_memory(d);
}

/* ------------------------------------------------------------------------------------------------ */
/* Rows */

pinion_status pn_cli_id_passive(id_run *d)
{
    const pinion_status status = pinion_passive_forces(d->m, d->w, d->q, d->v, d->tau_p);
    if (status != PINION_OK || !d->elements) return status;
    return pinion_elements_forces(d->elements, d->w, d->q, d->v, d->tau_p, d->tau_p, d->tau_p, NULL);
}

/* The torques at the motion in d->q, v, a, less what passive elements and force elements give by themselves. */
static pinion_status torques(id_run *d)
{
    pinion_status status =
        d->algorithm < 0
            ? pinion_inverse_dynamics(d->m, d->w, d->q, d->v, d->a, d->f_ext, d->tau)
            : pinion_inverse_dynamics_by(d->m, d->w, d->algorithm, d->q, d->v, d->a, d->f_ext, d->tau);
    if (status != PINION_OK || !d->passive) return status;
    status = pn_cli_id_passive(d);
    for (int i = 0; i < d->nv; i++) d->tau[i] -= d->tau_p[i];
    return status;
}

/* The power of each joint behind the total; returns the place behind them. */
static double *put_power(const id_run *d, double *x)
{
    double *total = x++;
    *total = 0;
    for (int i = 0; i < d->nv; i++) *total += d->tau[i] * d->v[i];
    for (int j = 0; j < d->joints; j++) {
        pinion_joint_info joint;
        if (pinion_model_joint(d->m, j, &joint) != PINION_OK || joint.nv == 0) continue;
        *x = 0;
        for (int i = joint.v_index; i < joint.v_index + joint.nv; i++) *x += d->tau[i] * d->v[i];
        x++;
    }
    return x;
}

static double *put_reactions(const id_run *d, double *x)
{
    if (pinion_model_elastic_count(d->m)) return x;
    for (int j = 0; j < d->joints; j++) {
        pinion_joint_info joint;
        if (pinion_model_joint(d->m, j, &joint) != PINION_OK || !moves(&joint)) continue;
        memcpy(x, d->reactions.wrench + 6 * (size_t)joint.child, 6 * sizeof *x);
        x += 6;
    }
    memcpy(x, d->reactions.loop, 6 * (size_t)d->loops.count * sizeof *x);
    return x + 6 * d->loops.count;
}

/* Adds the row of an instant. */
static int add_row(id_run *d, double t)
{
    const size_t nq = (size_t)d->nq, nv = (size_t)d->nv;
    pinion_status status = d->elastic ? pn_cli_id_elastic(d, t) : pinion_trajectory_at(d->motion, t, d->q, d->v, d->a);
    if (status != PINION_OK) {
        const char *message = pinion_elastic_joints_message(d->elastic);
        pn_cli_report(d->command, "at t = %g s: %s", t, *message ? message : pinion_status_text(status));
        return CLI_FAILED;
    }
    const int loops = d->loops.count > 0;
    if (loops) status = pn_cli_id_keep_loops(d, t);
    if (status == PINION_OK) status = pn_cli_id_forces_at(d, t);
    if (status == PINION_OK && !d->elastic) status = loops ? pn_cli_id_loop_torques(d, t) : torques(d);
    if (status == PINION_OK && d->contacts.support) status = pn_cli_id_contact_forces(d, t);
    if (status == PINION_OK) status = pn_cli_id_actuate(d, t);
    if (status == PINION_OK && !pinion_model_elastic_count(d->m))
        status = pn_cli_reactions(&d->reactions, d->q, d->v, d->a, d->f_ext, d->loops.wrench, d->contacts.touch.count,
                                  d->contacts.touch.point);
    if (status != PINION_OK) {
        const char *message = pinion_work_message(d->w);
        if (d->contacts.support && *pinion_support_message(d->contacts.support))
            message = pinion_support_message(d->contacts.support);
        pn_cli_report(d->command, "at t = %g s: %s", t,
                      *message ? message : pinion_status_text(status));
        return CLI_FAILED;
    }
    double *x = d->row;
    *x++ = t;
    memcpy(x, d->q, nq * sizeof *x);
    memcpy(x += nq, d->v, nv * sizeof *x);
    memcpy(x += nv, d->a, nv * sizeof *x);
    memcpy(x += nv, d->tau, nv * sizeof *x);
    const size_t nu = d->listed ? (size_t)pinion_model_actuator_count(d->m) : 0;
    memcpy(x += nv, d->u, nu * sizeof *x);
    x = put_reactions(d, put_power(d, x + nu));

    /* numbers that a file can hold but no machine can compute with */
    for (const double *at = d->row; at < x; at++)
        if (!isfinite(*at)) {
            pn_cli_report(d->command, "at t = %g s: a result is not finite", t);
            return CLI_FAILED;
        }
    (void)pn_cli_id_contacts_put(d, x); /* a zero-moment point may be none */
    pn_cli_limits_see(&d->limits, GIVEN_POSITIONS, d->q, d->v, d->tau, t);
    return pinion_result_add_row(d->result, d->row) == PINION_OK ? CLI_DONE : out_of_memory(d);
}

int pn_cli_id_rows(id_run *d)
{
    int status = CLI_DONE;
    for (size_t k = 0; k < d->rows && status == CLI_DONE; k++) status = add_row(d, pn_cli_id_time(d, k));
    return status;
}

/* ------------------------------------------------------------------------------------------------ */
/* What comes out */

/* The settings, but for the model's own text. */
static void print_settings(cli_json *j, const pinion_result *r)
{
    pn_cli_json_open(j, '{', 0);
    for (int i = 0; i < pinion_result_key_count(r); i++) {
        const char *key = pinion_result_key(r, i);
        if (strcmp(key, "model") == 0) continue;
        pn_cli_json_key(j, key);
        pn_cli_json_string(j, pinion_result_get(r, key));
    }
    pn_cli_json_close(j);
}

/* {"settings", "columns", "rows"}; "files" in place of the rows when those are in a file. */
static void print_json(const id_run *d)
{
    const struct {
        const char *key, *path;
    } file[] = {{"output", d->output}, {"report", d->report}, {"plot", d->plot}};
    const int columns = pinion_result_column_count(d->result);
    cli_json j = pn_cli_json(stdout);
    pn_cli_json_open(&j, '{', 0);
    pn_cli_json_key(&j, "settings");
    print_settings(&j, d->result);
    pn_cli_json_key(&j, "columns");
    pn_cli_json_open(&j, '[', 0);
    for (int i = 0; i < columns; i++) {
        pinion_column column;
        if (pinion_result_column(d->result, i, &column) != PINION_OK) continue;
        pn_cli_json_open(&j, '{', 1);
        pn_cli_json_key(&j, "name");
        pn_cli_json_string(&j, column.name);
        pn_cli_json_key(&j, "unit");
        pn_cli_json_string(&j, column.unit);
        pn_cli_json_close(&j);
    }
    pn_cli_json_close(&j);
    if (!d->output) {
        pn_cli_json_key(&j, "rows");
        pn_cli_json_open(&j, '[', 0);
        for (size_t k = 0; k < d->rows; k++) {
            pn_cli_json_open(&j, '[', 1);
            for (int i = 0; i < columns; i++) pn_cli_json_number(&j, pinion_result_values(d->result, i)[k]);
            pn_cli_json_close(&j);
        }
        pn_cli_json_close(&j);
    }
    pn_cli_json_key(&j, "warnings");
    pn_cli_json_open(&j, '[', 0);
    pn_cli_limits_json(&j, &d->limits);
    pn_cli_json_close(&j);
    pn_cli_json_key(&j, "missing");
    pn_cli_reach_json(&j, &d->reach);
    if (d->contacts.support) {
        pn_cli_json_key(&j, "contacts");
        pn_cli_id_contacts_json(&j, d);
    }
    pn_cli_json_key(&j, "files");
    pn_cli_json_open(&j, '{', 1);
    for (int i = 0; i < 3; i++) {
        if (!file[i].path) continue;
        pn_cli_json_key(&j, file[i].key);
        pn_cli_json_string(&j, file[i].path);
    }
    pn_cli_json_close(&j);
    pn_cli_json_end(&j);
}

/* The result to its file, or as CSV to standard output. */
static int write_result(id_run *d)
{
    const int csv = !d->output || pinion_result_format_of(d->output) == PINION_RESULT_CSV;
    pinion_result *part = csv ? csv_part(d) : NULL;
    const pinion_result *r = csv ? part : d->result;
    pinion_error err = {PINION_OK, 0, 0, ""};
    int status = CLI_DONE;
    if (!r) {
        status = out_of_memory(d);
    } else if (!d->output) {
        status = pn_cli_print_result(d->command, r);
    } else if (pinion_result_save(r, d->output, PINION_RESULT_AUTO, &err) != PINION_OK) {
        pn_cli_report(d->command, "%s", err.message);
        status = CLI_FAILED;
    }
    pinion_result_free(part);
    return status;
}

/* A line for people, where standard output does not have the result. */
static void print_text(const id_run *d)
{
    const char *const file[] = {d->output, d->report, d->plot};
    if (!d->output && !d->report && !d->plot) return;
    fflush(stdout);
    pn_cli_put(stderr, pinion_model_name(d->m));
    fprintf(stderr, ": joint forces at %zu instant%s from %g to %g s\n", d->rows, pn_cli_plural(d->rows),
            d->start, d->end);
    pn_cli_id_contacts_text(d);
    for (int i = 0; i < 3; i++) pn_cli_put_written(file[i]);
}

/* Every file that can be written is, whatever happens to another. */
int pn_cli_id_write(id_run *d)
{
    pn_cli_reach_tell(&d->reach, &d->limits);
    pn_cli_id_contacts_tell(d);
    int status = pn_cli_limits_tell(&d->limits);
    if (d->output && write_result(d) != CLI_DONE) {
        d->output = NULL;
        return CLI_FAILED;
    }
    if (d->report &&
        pn_cli_report_result(d->command, d->result, d->m, d->args->positional,
                             d->args->value[OPT_PACKAGE_PATH], d->report) != CLI_DONE) {
        d->report = NULL;
        status = CLI_FAILED;
    }
    if (d->plot &&
        pn_cli_plot_result(d->command, d->result, d->args->value[OPT_PLOT_COLUMNS], d->m, d->plot) != CLI_DONE) {
        d->plot = NULL;
        status = CLI_FAILED;
    }
    if (d->args->value[OPT_JSON])
        print_json(d);
    else if (!d->output && write_result(d) != CLI_DONE)
        return CLI_FAILED;
    else
        print_text(d);
    return pn_cli_finish(d->command, status);
}
