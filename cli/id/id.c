/* pinion id: the command line, the model and the motion. */
#define _POSIX_C_SOURCE 200809L
#include "cli/id/id.h"

#include "cli/report/document.h"
#include "cli/args/file_args.h"
#include "cli/args/load_option.h"
#include "cli/args/motion_args.h"
#include "cli/print/plot.h"
#include "cli/args/algorithm_args.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 100      /* intervals of a motion that does not say */
#define CELLS_MAX 1e8 /* numbers of a result */

static int out_of_memory(const id_run *d)
{
    pn_cli_report(d->command, "out of memory");
    return CLI_FAILED;
}

/* ------------------------------------------------------------------------------------------------ */
/* The command line */

/* The files to write; what cannot be is better known before the work than after. */
static int read_files(id_run *d)
{
    const char *const *value = d->args->value;
    d->output = value[OPT_RESULT];
    d->report = value[OPT_REPORT];
    d->plot = value[OPT_PLOT];
    if (d->output && strcmp(d->output, "-") == 0) d->output = NULL;
    if (value[OPT_RESULT] && !d->output && value[OPT_JSON]) {
        pn_cli_report(d->command, "--json and --output - both want standard output: name a file with -o");
        return CLI_USAGE;
    }
    if (value[OPT_PLOT_COLUMNS] && !d->plot) {
        pn_cli_report(d->command, "--plot-columns has no use without --plot FILE");
        return CLI_USAGE;
    }
    int status = d->plot ? pn_cli_plot_check(d->command, d->plot) : CLI_DONE;
    const cli_file file[] = {{"--output", d->output, RESULT_ENDINGS},
                             {"--report", d->report, PAGE_ENDINGS},
                             {"--plot", d->plot, FIGURE_ENDINGS},
                             {"the model", d->args->positional, NULL},
                             {"--trajectory", value[OPT_TRAJECTORY], NULL},
                             {"--forces", value[OPT_ID_FORCES], NULL}};
    if (status == CLI_DONE) status = pn_cli_files_check(d->command, file, 6);
    return status == CLI_DONE && d->report ? pn_cli_document_available(d->command) : status;
}

/* --algorithm must be one of inverse dynamics. */
static int read_algorithm(id_run *d)
{
    const char *name = d->args->value[OPT_ID_ALGORITHM];
    pinion_algorithm_info info;
    d->algorithm = -1;
    if (!name) return CLI_DONE;
    d->algorithm = pn_cli_find_algorithm(d->command, name);
    if (d->algorithm < 0 || pinion_algorithm(d->algorithm, &info) != PINION_OK) return CLI_USAGE;
    if (info.problem == PINION_PROBLEM_INVERSE_DYNAMICS) return CLI_DONE;
    pn_cli_report(d->command, "--algorithm %s computes %s; this needs one of inverse_dynamics", name,
                  pinion_problem_name(info.problem));
    return CLI_USAGE;
}

/* What can be known without the model. */
static int read_options(id_run *d)
{
    const char *const *value = d->args->value;
    int status = pn_cli_motion_check(d->args, 1);
    if (status != CLI_DONE) return status;
    if (value[OPT_TRAJECTORY] && value[OPT_DURATION]) {
        pn_cli_report(d->command, "--duration is of motions that are generated; a file says when");
        return CLI_USAGE;
    }
    d->step = 0;
    if (value[OPT_OUTPUT_STEP] && !(pn_cli_parse_number(value[OPT_OUTPUT_STEP], &d->step) && d->step > 0)) {
        pn_cli_report(d->command, "--output-step: expected a number above 0, got '%s'",
                      value[OPT_OUTPUT_STEP]);
        return CLI_USAGE;
    }
    d->passive = value[OPT_PASSIVE] && strcmp(value[OPT_PASSIVE], "on") == 0;
    status = read_algorithm(d);
    return status == CLI_DONE ? read_files(d) : status;
}

/* The model, and whether this can be done with it. */
static int read_model(id_run *d)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    const char *path = d->args->positional;
    d->m = d->args->value[OPT_CONTACTS] ? pn_cli_load_meshes(d->args, path, d->mesh_fault, sizeof d->mesh_fault)
                                        : pn_cli_load(d->args, path);
    if (!d->m) return CLI_FAILED;
    if (d->algorithm >= 0 && pinion_algorithm_applies(d->algorithm, d->m, &err) != PINION_OK) {
        pn_cli_report(d->command, "--algorithm %s: %s", d->args->value[OPT_ID_ALGORITHM], err.message);
        return CLI_FAILED;
    }
    return CLI_DONE;
}

/* The times of the rows: those of the file, or every step from the start, and the end. */
double pn_cli_id_time(const id_run *d, size_t row)
{
    if (d->times) return d->times[row];
    if (row + 1 == d->rows) return d->end;
    /* parts of the span without the rounding of the step */
    if (!d->args->value[OPT_OUTPUT_STEP]) return d->start + (d->end - d->start) * (double)row / ROWS;
    return d->start + (double)row * d->step;
}

static int read_times(id_run *d)
{
    d->start = pinion_trajectory_start(d->motion);
    d->end = pinion_trajectory_end(d->motion);
    const double span = d->end - d->start, columns = 2 + d->nq + 3.0 * d->nv + 7.0 * d->joints +
                                                       pinion_model_actuator_count(d->m);
    int samples;
    const double *times = pinion_trajectory_times(d->motion, &samples);
    double steps;
    if (times && !(d->step > 0)) {
        d->times = times;
        steps = samples - 1;
    } else {
        if (!(d->step > 0)) d->step = span / ROWS;
        steps = span > 0 ? span / d->step : 0;
    }
    if (!((steps + 1) * columns < CELLS_MAX)) {
        pn_cli_report(d->command,
                      d->times
                          ? "%.4g rows of %.0f columns are more than %g numbers; --output-step takes fewer"
                          : "--output-step: %.4g rows of %.0f columns are more than %g numbers; "
                            "take a longer one",
                      steps + 1, columns, CELLS_MAX);
        return d->times ? CLI_FAILED : CLI_USAGE;
    }
    /* a last step that is one but for rounding is none */
    d->rows = (size_t)ceil(steps - 1e-9) + 1;
    return CLI_DONE;
}

static int allocate(id_run *d)
{
    d->nq = pinion_model_nq(d->m);
    d->nv = pinion_model_nv(d->m);
    d->joints = pinion_model_joint_count(d->m);
    const size_t nq = (size_t)d->nq, nv = (size_t)d->nv, joints = (size_t)d->joints;
    const size_t loops = (size_t)pinion_model_loop_count(d->m), nu = (size_t)pinion_model_actuator_count(d->m);
    d->memory = calloc(2 * nq + 7 * nv + nu + 7 * joints + 6 * loops + 2, sizeof *d->memory);
    d->w = pinion_work_new(d->m);
    const int acts = pinion_model_has_elements(d->m);
    if (acts) d->elements = pinion_elements_new(d->m);
    d->result = pinion_result_new();
    if (!d->memory || !d->w || (acts && !d->elements) || !d->result ||
        !pn_cli_reactions_begin(&d->reactions, d->m, d->w))
        return out_of_memory(d);
    d->q = d->memory;
    d->v = d->q + nq;
    d->a = d->v + nv;
    d->tau = d->a + nv;
    d->tau_p = d->tau + nv;
    d->row = d->tau_p + nv;
    const int status = pn_cli_id_actuators_begin(d);
    return status == CLI_DONE ? pn_cli_id_loops_begin(d) : status;
}

/* ------------------------------------------------------------------------------------------------ */

static int run_command(const cli_args *args)
{
    id_run d;
    memset(&d, 0, sizeof d);
    d.args = args;
    d.command = args->command->name;
    int status = read_options(&d);
    if (status == CLI_DONE) status = read_model(&d);
    if (status == CLI_DONE && args->value[OPT_REACTIONS] && pinion_model_elastic_count(d.m)) {
        pn_cli_report(d.command, "--reactions: the model has elastic links, and wrenches are those of rigid ones");
        status = CLI_FAILED;
    }
    if (status == CLI_DONE) status = pn_cli_motion(args, d.m, NULL, &d.motion);
    if (status == CLI_DONE) status = allocate(&d);
    if (status == CLI_DONE) status = read_times(&d);
    if (status == CLI_DONE) status = pn_cli_id_forces_begin(&d);
    if (status == CLI_DONE) status = pn_cli_id_elastic_begin(&d);
    if (status == CLI_DONE) status = pn_cli_id_contacts_begin(&d);
    if (status == CLI_DONE) status = pn_cli_limits_begin(&d.limits, args, d.m, "t = ", " s");
    if (status == CLI_DONE) status = pn_cli_id_settings(&d);
    if (status == CLI_DONE) status = pn_cli_id_columns(&d);
    if (status == CLI_DONE && d.plot)
        status = pn_cli_plot_columns(d.command, d.result, args->value[OPT_PLOT_COLUMNS]);
    if (status == CLI_DONE) status = pn_cli_id_rows(&d);
    if (status == CLI_DONE) pn_cli_id_loops_note(&d);
    if (status == CLI_DONE) pn_cli_id_actuators_note(&d);
    if (status == CLI_DONE) status = pn_cli_id_write(&d);

    pn_cli_limits_end(&d.limits);
    pn_cli_reactions_end(&d.reactions);
    pn_cli_id_loops_end(&d);
    pn_cli_id_contacts_end(&d);
    pn_cli_id_forces_end(&d);
    pn_cli_id_elastic_end(&d);
    pn_cli_id_actuators_end(&d);
    pinion_result_free(d.result);
    pinion_trajectory_free(d.motion);
    pinion_elements_free(d.elements);
    pinion_work_free(d.w);
    pinion_model_free(d.m);
    free(d.memory);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

static const cli_option *const options[] = {
    MOTION_OPTIONS, SHARED(DURATION), SHARED(OUTPUT_STEP),
    OPTION(PASSIVE, .name = "passive", .kind = VALUE_CHOICE, .value = "on|off",
           .help = "on: less what dampers, springs and friction of the joints give (off by default)"),
    OPTION(ID_ALGORITHM, .name = "algorithm", .kind = VALUE_WORD, .value = "NAME", .words = pn_cli_put_algorithms,
           .help = "the algorithm of inverse dynamics (rnea by default; see 'pinion algorithms')"),
    OPTION(ACTUATED, .name = "actuated", .kind = VALUE_TEXT, .value = "JOINT,...",
           .help = "with closed loops: the joints that have motors (all but those that the model calls "
                   "unactuated, by default); of more than are needed, the least forces are found"),
    OPTION(MOTION, .name = "motion",
           .help = "in CSV also the motion: q, v and a. Other formats, reports and figures always have it, and "
                   "what the next two add"),
    OPTION(POWER, .name = "power", .help = "in CSV also the power of all joints and of each"),
    OPTION(REACTIONS, .name = "reactions", .help = "in CSV also the wrench in every joint"),
    OPTION(ID_FORCES, .name = "forces", .kind = VALUE_FILE, .value = "FILE",
           .help = "less what force elements give: springs, wrenches, drag, ground, attraction "
                   "(docs/force-elements.md)"),
    OPTION(ELASTIC, .name = "elastic",
           .help = "the motion is that of the links; the motors of elastic joints move as it asks, and tau is theirs"),
    OPTION(CONTACTS, .name = "contacts", .kind = VALUE_TEXT, .value = "ground|model|NAME,...",
           .help = "the machine is on contacts, which give what no actuator does: its collisions on the plane z = 0 "
                   "and on each other, on each other alone, or these links and frames on the plane"),
    OPTION(CONTACT_GAP, .name = "contact-gap", .kind = VALUE_TEXT, .value = "M|any",
           .help = "what is nearer than this touches (0.001 m by default); any: what is named always does"),
    OPTION(CONTACT_FRICTION, .name = "contact-friction", .kind = VALUE_NUMBER, .value = "X",
           .help = "the coefficient of friction where the model says none (0.8 by default)"),
    OPTION(CONTACT_SHARE, .name = "contact-share", .kind = VALUE_TEXT, .value = "NAME=X,...",
           .help = "forces stand in these proportions as far as the motion leaves them free (those of least norm by "
                   "default); 0: it carries nothing"),
    SHARED(LIMITS_CHECK), RESULT_OPTIONS, LOAD_OPTIONS, SHARED(HELP), NULL
};

const cli_command pn_cli_command_id = {
    .name = "id",
    .summary = "joint torques, reactions and power along a motion",
    .run = run_command,
    .takes = TAKES_MODEL,
    .usage = "MODEL --trajectory FILE|- | --from LIST --to LIST | --from LIST --line FRAME:X,Y,Z [options]",
    .about = "Inverse dynamics along a motion that a file gives or that is generated: joint torques, the\n"
             "wrench in every joint, and power. Without -o the result goes to standard output as CSV, which has\n"
             "the time and the torques, the forces of the actuators where the model lists them, and more if\n"
             "asked. Rows are at the times of the file, or at every hundredth of a generated motion, unless\n"
             "--output-step says otherwise. Forces that the motion needs and no actuator gives, as on a free\n"
             "base, and forces and speeds beyond the actuators' limits are told with the worst and its time. With\n"
             "--contacts the contacts give what they can of it, within their friction cones where that is possible;\n"
             "their forces, margins, the zero-moment point and its place in the polygon of support are columns.\n",
    .example = "pinion id models/planar-3r.json --from 0,0,0 --to 1,0.5,0.5 --profile quintic --duration 2",
    .options = options,
};
