/* pinion sim: from the command line to a simulation that can start. */
#define _POSIX_C_SOURCE 200809L
#include "cli/sim/sim_command.h"

#include "cli/report/document.h"
#include "cli/args/file_args.h"
#include "cli/args/load_option.h"
#include "cli/print/plot.h"
#include "cli/args/algorithm_args.h"
#include "cli/args/quantity.h"
#include "cli/print/print_text.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_SHARE 100 /* --tol is of a run: this part of it is allowed in a step, since steps add up */

/* ------------------------------------------------------------------------------------------------ */
/* Numbers */

/* An option's number, which must be above `least` (or equal to it, if `also`). */
static int number(const sim_run *r, option_id id, double least, int also, double *x)
{
    const char *text = r->args->value[id];
    if (!text) return CLI_DONE;
    if (!pn_cli_parse_number(text, x) || !(*x > least || (also && *x == least))) {
        pn_cli_report(r->command, "--%s: expected a number %s %g, got '%s'", pn_cli_option_name(r->args, id),
                      also ? "of at least" : "above", least, text);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* "on", "off" or two numbers: how stiff and how damped. */
static int read_stops(sim_run *r)
{
    const char *text = r->args->value[OPT_STOPS];
    pinion_sim_options *o = &r->def.sim;
    r->contact.limits = !text || strcmp(text, "on") == 0; /* with contact nothing goes beyond */
    if (!text || strcmp(text, "off") == 0 || (o->contact && r->contact.limits)) return CLI_DONE;
    o->stops = 1;
    if (strcmp(text, "on") == 0) return CLI_DONE;
    char first[64], *comma;
    snprintf(first, sizeof first, "%s", text);
    comma = strchr(first, ',');
    if (comma) *comma = '\0';
    if (strlen(text) < sizeof first && comma && pn_cli_parse_number(first, &o->stop_stiffness) &&
        pn_cli_parse_number(comma + 1, &o->stop_damping) && o->stop_stiffness >= 0 && o->stop_damping >= 0)
        return CLI_DONE;
    pn_cli_report(r->command, "--limits: expected on, off, or two numbers like 1e4,1e2, got '%s'", text);
    return CLI_USAGE;
}

/* Contact, and the numbers of it. */
static int read_contact(sim_run *r)
{
    static const option_id own[] = {OPT_CONTACT_FRICTION, OPT_CONTACT_SOLVER, OPT_CONTACT_TOL, OPT_CONTACT_COMPLIANCE};
    const char *const *value = r->args->value;
    pinion_scene_options *c = &r->contact;
    if (!value[OPT_CONTACT]) {
        for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
            if (!value[own[i]]) continue;
            pn_cli_report(r->command, "--%s goes with --contact", pn_cli_option_name(r->args, own[i]));
            return CLI_USAGE;
        }
        return CLI_DONE;
    }
    *c = pinion_scene_options_default();
    c->ground = strcmp(value[OPT_CONTACT], "ground") == 0;
    if (value[OPT_CONTACT_SOLVER]) c->solver.solver = pinion_contact_solver_find(value[OPT_CONTACT_SOLVER]);
    r->def.sim.contact = c;
    r->def.sim.integrator = PINION_INTEGRATOR_EULER;
    int status = number(r, OPT_CONTACT_FRICTION, 0, 1, &c->friction);
    if (status == CLI_DONE) status = number(r, OPT_CONTACT_TOL, 0, 0, &c->solver.tolerance);
    if (status == CLI_DONE) status = number(r, OPT_CONTACT_COMPLIANCE, 0, 1, &c->compliance);
    if (status == CLI_DONE && !(c->solver.tolerance < 1)) {
        pn_cli_report(r->command, "--contact-tol: expected a number below 1, got '%s'", value[OPT_CONTACT_TOL]);
        return CLI_USAGE;
    }
    return status;
}

/* The integrator and how exactly it works. */
static int read_integrator(sim_run *r)
{
    const char *const *value = r->args->value;
    pinion_sim_options *o = &r->def.sim;
    int status = read_contact(r);
    if (status != CLI_DONE) return status;
    if (value[OPT_INTEGRATOR])
        o->integrator = (pinion_integrator)pinion_integrator_find(value[OPT_INTEGRATOR]);
    const int fixed = pinion_integrator_is_fixed(o->integrator);
    if (fixed) o->step = 1e-3;

    status = number(r, OPT_STEP, 0, 0, &o->step);
    if (status == CLI_DONE) status = number(r, OPT_MAX_STEP, 0, 0, &o->max_step);
    double tolerance = 0;
    if (status == CLI_DONE) status = number(r, OPT_TOLERANCE, 0, 0, &tolerance);
    if (status == CLI_DONE && value[OPT_TOLERANCE]) o->rtol = o->atol = tolerance / STEPS_SHARE;
    if (status == CLI_DONE) status = number(r, OPT_RTOL, 0, 1, &o->rtol);
    if (status == CLI_DONE) status = number(r, OPT_ATOL, 0, 1, &o->atol);
    if (status != CLI_DONE) return status;

    /* what a method with a fixed step has no use for is a misunderstanding */
    const option_id adaptive[] = {OPT_TOLERANCE, OPT_RTOL, OPT_ATOL, OPT_MAX_STEP};
    for (int i = 0; i < 4 && fixed; i++)
        if (value[adaptive[i]]) {
            pn_cli_report(r->command, "--%s: %s takes steps of the length that --step gives",
                          pn_cli_option_name(r->args, adaptive[i]), pinion_integrator_name(o->integrator));
            return CLI_USAGE;
        }
    if (!fixed && o->rtol == 0 && o->atol == 0) {
        pn_cli_report(r->command, "--rtol and --atol are both 0; one of them must be above");
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* --algorithm must be one of forward dynamics. */
static int read_algorithm(sim_run *r)
{
    const char *name = r->args->value[OPT_SIM_ALGORITHM];
    pinion_algorithm_info info;
    if (!name) return CLI_DONE;
    r->def.sim.algorithm = pn_cli_find_algorithm(r->command, name);
    if (r->def.sim.algorithm < 0 || pinion_algorithm(r->def.sim.algorithm, &info) != PINION_OK)
        return CLI_USAGE;
    if (info.problem == PINION_PROBLEM_FORWARD_DYNAMICS) return CLI_DONE;
    pn_cli_report(r->command, "--algorithm %s computes %s; a simulation needs one of forward_dynamics", name,
                  pinion_problem_name(info.problem));
    return CLI_USAGE;
}

/* ------------------------------------------------------------------------------------------------ */
/* Time */

/* The duration, unless a trajectory's end is one, and the times between rows and between checkpoints. */
static int read_times(sim_run *r)
{
    pinion_run_def *def = &r->def;
    def->duration = r->target ? pinion_trajectory_end(r->target) : 0;
    int status = number(r, OPT_DURATION, 0, 0, &def->duration);
    if (status != CLI_DONE) return status;
    if (!(def->duration > 0)) {
        pn_cli_report(r->command, "--duration S is missing (usage: pinion sim %s)", r->args->command->usage);
        return CLI_USAGE;
    }
    if (r->args->value[OPT_STEP] && pinion_integrator_is_fixed(def->sim.integrator) && def->sim.step > def->duration) {
        pn_cli_report(r->command, "--step: %s s is longer than the duration, %g s", r->args->value[OPT_STEP],
                      def->duration);
        return CLI_USAGE;
    }
    status = number(r, OPT_OUTPUT_STEP, 0, 0, &def->output_step);
    if (status == CLI_DONE) status = number(r, OPT_CHECKPOINT_EVERY, 0, 0, &def->checkpoint_every);
    if (status == CLI_DONE && r->args->value[OPT_CHECKPOINT_EVERY] && !def->checkpoint) {
        pn_cli_report(r->command, "--checkpoint-every has no use without --checkpoint FILE");
        status = CLI_USAGE;
    }
    return status;
}

/* What ends a run that would go on too long, or into nonsense. */
static int read_bounds(sim_run *r)
{
    const char *steps = r->args->value[OPT_MAX_STEPS], *drift = r->args->value[OPT_MAX_DRIFT];
    uint64_t count = 0;
    if (steps && !(pn_cli_parse_whole(steps, &count) && count > 0 && count <= LONG_MAX)) {
        pn_cli_report(r->command, "--max-steps: expected a whole number above 0, got '%s'", steps);
        return CLI_USAGE;
    }
    r->def.max_steps = (long)count;
    const int status = number(r, OPT_MAX_TIME, 0, 0, &r->def.max_time);
    /* steps with contact are of order one, and what stands has next to no kinetic energy to compare with */
    if (r->args->value[OPT_CONTACT]) r->def.max_drift = INFINITY;
    if (status != CLI_DONE || !drift) return status;
    if (strcmp(drift, "off") != 0) return number(r, OPT_MAX_DRIFT, 0, 0, &r->def.max_drift);
    r->def.max_drift = INFINITY;
    return CLI_DONE;
}

/* ------------------------------------------------------------------------------------------------ */
/* Files */

/* The files to write. What cannot be is better known now than after the run. */
static int read_files(sim_run *r)
{
    const char *const *value = r->args->value;
    r->output = value[OPT_RESULT];
    r->report = value[OPT_REPORT];
    r->plot = value[OPT_PLOT];
    r->def.checkpoint = value[OPT_CHECKPOINT];
    if (r->output && strcmp(r->output, "-") == 0) r->output = NULL;
    if (value[OPT_RESULT] && !r->output && r->json) {
        pn_cli_report(r->command, "--json and --output - both want standard output: name a file with -o");
        return CLI_USAGE;
    }
    const int drawn = r->plot ? pn_cli_plot_check(r->command, r->plot) : CLI_DONE;
    if (drawn != CLI_DONE) return drawn;
    if (value[OPT_PLOT_COLUMNS] && !r->plot) {
        pn_cli_report(r->command, "--plot-columns has no use without --plot FILE");
        return CLI_USAGE;
    }
    const char *model = r->args->positional, *begins = value[OPT_STATE];
    if (r->def.checkpoint && (strcmp(model, "-") == 0 || (begins && strcmp(begins, "-") == 0))) {
        pn_cli_report(r->command,
                      "--checkpoint: what comes from standard input could not be read again to resume");
        return CLI_USAGE;
    }
    if (begins && strcmp(model, "-") == 0 && strcmp(begins, "-") == 0) {
        pn_cli_report(r->command, "the model and the state cannot both be read from standard input");
        return CLI_USAGE;
    }
    const cli_file file[] = {{"--output", r->output, RESULT_ENDINGS},
                             {"--report", r->report, PAGE_ENDINGS},
                             {"--plot", r->plot, FIGURE_ENDINGS},
                             {"--checkpoint", r->def.checkpoint, CHECKPOINT_ENDINGS},
                             {"the model", model, NULL},
                             {"--state", begins, NULL},
                             {"--trajectory", value[OPT_TRAJECTORY], NULL},
                             {"--torque", pn_cli_sim_torque_file(r), NULL},
                             {"--tasks", value[OPT_TASKS], NULL},
                             {"--forces", value[OPT_FORCES], NULL},
                             {"--sensors", value[OPT_SENSORS], NULL}};
    const int apart = pn_cli_files_check(r->command, file, (int)(sizeof file / sizeof file[0]));
    if (apart != CLI_DONE) return apart;
    return r->report ? pn_cli_document_available(r->command) : CLI_DONE;
}

/* ------------------------------------------------------------------------------------------------ */

/* What the model was warned of may be why a run goes wrong. */
static void repeat_warnings(const sim_run *r)
{
    enum { SHOWN = 3 };
    const int count = pinion_model_warning_count(r->m);
    for (int i = 0; i < count && i < SHOWN; i++)
        pn_cli_report(r->command, "warning: the model: %s", pinion_model_warning(r->m, i));
    if (count > SHOWN) pn_cli_report(r->command, "warning: the model: %d more, see pinion info", count - SHOWN);
}

static int allocate(sim_run *r)
{
    r->nq = pinion_model_nq(r->m);
    r->nv = pinion_model_nv(r->m);
    const size_t nq = (size_t)r->nq, nv = (size_t)r->nv, loops = (size_t)pinion_model_loop_nv(r->m);
    const size_t nu = (size_t)pinion_model_actuator_count(r->m);
    r->memory = calloc(nq + 4 * nv + loops + nu + 1, sizeof *r->memory);
    if (!r->memory) {
        pn_cli_report(r->command, "out of memory");
        return CLI_FAILED;
    }
    r->def.q = r->q = r->memory;
    r->def.v = r->v = r->q + nq;
    r->torque = r->v + nv;
    r->kp = r->torque + nv + loops;
    r->kd = r->kp + nv;
    r->u = r->kd + nv;
    return CLI_DONE;
}

/* Whether friction is exact where nobody says: with contact it is part of the contact problem, and smooth friction
 * would shake at steps as long as those; in a sampled loop every sample would begin with a layer of it that takes a
 * hundred steps. */
static int is_exact(const sim_run *r)
{
    const char *const *value = r->args->value, *method = value[OPT_INTEGRATOR];
    if (value[OPT_FRICTION]) return strcmp(value[OPT_FRICTION], "exact") == 0;
    if (value[OPT_FRICTION_SPEED]) return 0;
    const int takes = !method || (strcmp(method, "variational") != 0 && strcmp(method, "ida") != 0);
    return value[OPT_CONTACT] || (value[OPT_CONTROL_STEP] && takes);
}

/* Numbers that have their options to themselves. */
static int read_physics(sim_run *r)
{
    const char *const *value = r->args->value;
    pinion_sim_options *o = &r->def.sim;
    if (value[OPT_SIM_PASSIVE]) o->passive = strcmp(value[OPT_SIM_PASSIVE], "on") == 0;
    const int exact = is_exact(r);
    if (exact) o->friction = PINION_FRICTION_EXACT;
    if (value[exact ? OPT_FRICTION_SPEED : OPT_STICTION]) {
        pn_cli_report(r->command, exact ? "--friction-speed has no use with --friction exact"
                                        : "--stiction has no use without --friction exact");
        return CLI_USAGE;
    }
    int status = number(r, OPT_FRICTION_SPEED, 0, 0, &o->friction_speed);
    if (status == CLI_DONE) status = number(r, OPT_STICTION, 1, 1, &o->stiction);
    if (status == CLI_DONE) status = number(r, OPT_CONTROL_STEP, 0, 0, &o->sample);
    if (status == CLI_DONE) status = number(r, OPT_CONTROL_DELAY, 0, 1, &o->delay);
    if (status == CLI_DONE && o->delay > o->sample) {
        pn_cli_report(r->command, "--control-delay: expected no more than --control-step, %g s", o->sample);
        status = CLI_USAGE;
    }
    return status == CLI_DONE ? read_stops(r) : status;
}

/* What keeps loops closed. What would have no effect is a misunderstanding. */
static int read_stabilization(sim_run *r)
{
    const char *const *value = r->args->value, *how = value[OPT_STABILIZE];
    pinion_sim_options *o = &r->def.sim;
    if (how) o->stabilization = (pinion_stabilization)pinion_stabilization_find(how);
    const int status = number(r, OPT_BAUMGARTE, 0, 0, &o->baumgarte);
    if (status != CLI_DONE) return status;
    if (value[OPT_BAUMGARTE] && o->stabilization != PINION_STABILIZATION_BAUMGARTE &&
        o->stabilization != PINION_STABILIZATION_BOTH && o->integrator != PINION_INTEGRATOR_ADAMS) {
        pn_cli_report(r->command, "--baumgarte has no use without --stabilize baumgarte or both");
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* The frames whose poses are recorded. */
static int read_frames(sim_run *r)
{
    const char *list = r->args->value[OPT_FRAMES];
    r->def.rpy = r->args->value[OPT_RPY] != NULL;
    if (!list && !r->def.rpy) return CLI_DONE;
    if (!list) {
        pn_cli_report(r->command, "--rpy has no use without --frames LIST");
        return CLI_USAGE;
    }
    int count = 1;
    for (const char *s = list; *s; s++) count += *s == ',';
    char *names = strdup(list);
    r->def.frames = r->frames = calloc((size_t)count, sizeof *r->frames);
    if (!names || !r->frames) {
        pn_cli_report(r->command, "out of memory");
        free(names);
        return CLI_FAILED;
    }
    int status = CLI_DONE;
    for (char *name = names; name && status == CLI_DONE;) {
        char *comma = strchr(name, ',');
        if (comma) *comma++ = '\0';
        const int frame = pn_cli_find_frame(r->command, r->m, "--frames", name);
        int twice = 0;
        for (int i = 0; i < r->def.frame_count; i++) twice = twice || r->frames[i] == frame;
        if (twice) pn_cli_report(r->command, "--frames: '%s' is given twice", name);
        if (frame < 0 || twice) status = CLI_USAGE;
        else r->frames[r->def.frame_count++] = frame;
        name = comma;
    }
    free(names);
    return status;
}

int pn_cli_sim_options(sim_run *r)
{
    r->def = pinion_run_def_default();
    int status = read_integrator(r);
    if (status == CLI_DONE) status = read_algorithm(r);
    if (status == CLI_DONE) status = read_physics(r);
    if (status == CLI_DONE) status = read_stabilization(r);
    if (status == CLI_DONE) status = read_bounds(r);
    if (status == CLI_DONE) status = read_files(r);
    if (status == CLI_DONE) {
        const char *path = r->args->positional;
        r->m = r->def.sim.contact ? pn_cli_load_meshes(r->args, path, r->mesh_fault, sizeof r->mesh_fault)
                                  : pn_cli_load(r->args, path);
        status = r->m ? allocate(r) : CLI_FAILED;
        if (r->m && !r->resumed) repeat_warnings(r);
    }
    if (status == CLI_DONE) status = pn_cli_sim_start(r);
    if (status == CLI_DONE) status = read_frames(r);
    if (status == CLI_DONE) status = pn_cli_sim_control(r);
    if (status == CLI_DONE) status = pn_cli_sim_check_start(r);
    if (status == CLI_DONE) status = read_times(r);
    return status;
}
