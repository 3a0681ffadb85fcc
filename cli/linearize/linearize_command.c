/* pinion linearize: the linear system near a state. */
#define _POSIX_C_SOURCE 200809L
#include "cli/args/coordinate_list.h"
#include "cli/args/file_args.h"
#include "cli/args/load_option.h"
#include "cli/args/states.h"
#include "cli/info/singular.h"
#include "cli/linearize/linearize_command.h"
#include "cli/print/memory_stream.h"
#include "cli/print/print_text.h"
#include "cli/report/document.h"
#include "pinion/loops.h"
#include "pinion/sim/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The options of this command alone. */
enum { OPT_STATE = OPT_OWN, OPT_Q, OPT_V, OPT_TORQUE, OPT_EQUILIBRIUM, OPT_HOLD, OPT_FORCES, OPT_FILE };

#define ROUNDING 1e-9 /* of a joint force: no more is missing */
#define CLOSED_BEFORE 1e-9 /* rad or m, or of a velocity: closing loops changed no more than that */
#define EXACT 1e-6   /* of the largest entry of A: what rounding may take of it */
#define RESTING 1e-6 /* m/s^2 or rad/s^2: more is no state of rest */

static void warn(linearization *x, const char *format, ...) CLI_PRINTF(2, 3);
static void warn(linearization *x, const char *format, ...)
{
    va_list list;
    if (x->warning_count >= WARNINGS_MAX) return;
    va_start(list, format);
    vsnprintf(x->warning[x->warning_count], sizeof x->warning[0], format, list);
    va_end(list);
    pn_cli_report(x->command, "warning: %s", x->warning[x->warning_count++]);
}

/* ------------------------------------------------------------------------------------------------ */
/* The state */

static int read_state_file(linearization *x, const char *path)
{
    state s;
    if (!pn_cli_state_of_file(x->command, path, x->m, &s)) return CLI_FAILED;
    const int forces = s.has_forces;
    memcpy(x->q, s.q, (size_t)x->nq * sizeof *x->q);
    memcpy(x->v, s.v, (size_t)x->nv * sizeof *x->v);
    memcpy(x->tau, s.tau, (size_t)x->nv * sizeof *x->tau);
    pn_cli_state_free(&s);
    if (forces) pn_cli_report(x->command, "%s: f_ext has no use here", path);
    return forces ? CLI_FAILED : CLI_DONE;
}

/* q_named, v_named: what --q0 and --v0 name is marked. */
static int read_state(linearization *x, unsigned char *q_named, unsigned char *v_named)
{
    const char *const *value = x->args->value;
    if (pinion_initial(x->m, x->q, x->v) != PINION_OK) return CLI_FAILED;
    int status = value[OPT_STATE] ? read_state_file(x, value[OPT_STATE]) : CLI_DONE;
    if (status == CLI_DONE && value[OPT_Q]) {
        status = pn_cli_start_coordinates(x->command, "q0", x->m, "q", value[OPT_Q], x->q, q_named);
        if (status == CLI_DONE && !pn_cli_normalize(x->command, "--q0", x->m, x->q)) status = CLI_FAILED;
    }
    if (status == CLI_DONE && value[OPT_V])
        status = pn_cli_start_coordinates(x->command, "v0", x->m, "v", value[OPT_V], x->v, v_named);
    if (status == CLI_DONE && value[OPT_TORQUE])
        status = pn_cli_coordinates(x->command, "torque", x->m, "tau", 0, value[OPT_TORQUE], x->tau);
    return status;
}

/* Force elements of a file, which act as they do at t = 0. */
static int read_forces(linearization *x)
{
    const char *path = x->args->value[OPT_FORCES];
    pinion_error err = {PINION_OK, 0, 0, ""};
    x->body = x->m;
    if (!path) return CLI_DONE;
    x->forces = pinion_forces_new(x->m);
    x->f_ext = calloc(6 * (size_t)pinion_model_body_count(x->m), sizeof *x->f_ext);
    if (!x->forces || !x->f_ext) {
        pn_cli_report(x->command, "out of memory");
        return CLI_FAILED;
    }
    if (pinion_forces_load(x->forces, path, &err) != PINION_OK) {
        pn_cli_report(x->command, "%s", err.message);
        return CLI_FAILED;
    }
    x->body = pinion_forces_model(x->forces);
    return CLI_DONE;
}

/* says which coordinate was changed most, and by how much */
static void warn_changed(linearization *x, const char *does, const char *also, const double *change)
{
    char name[400];
    int most = 0;
    for (int i = 0; i < x->nv; i++)
        if (fabs(change[i]) > fabs(change[most])) most = i;
    if (x->nv == 0 || !(fabs(change[most]) > CLOSED_BEFORE)) return;
    warn(x, "the %s the loops open%s; A and B are of the nearest state that keeps them, where %.100s differs by %.3g",
         does, also, pinion_coordinate_name(x->m, "v", most, name, sizeof name) + 2, change[most]);
}

/* Closes the loops with what is named held if that can be, as pinion sim does, and says when that moved something. */
static int close_loops(linearization *x, const unsigned char *q_named, const unsigned char *v_named)
{
    if (pinion_model_loop_count(x->m) == 0) return CLI_DONE;
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_start_info info;
    double *q = malloc(((size_t)x->nq + 2 * (size_t)x->nv + 1) * sizeof *q);
    pinion_status status = q ? PINION_OK : PINION_ERR_MEMORY;
    double *v = q ? q + x->nq : NULL, *change = q ? v + x->nv : NULL;
    if (!status) {
        memcpy(q, x->q, (size_t)x->nq * sizeof *q);
        memcpy(v, x->v, (size_t)x->nv * sizeof *v);
        status = pinion_start_close(x->m, q_named, v_named, !x->args->value[OPT_STATE], x->q, x->v, &info, &err);
    }
    if (!status) status = pinion_difference(x->m, q, x->q, change);
    if (status) {
        pn_cli_report(x->command, "%s", err.message[0] ? err.message : pinion_status_text(status));
    } else if (!x->args->value[OPT_EQUILIBRIUM]) {
        warn_changed(x, "position leaves", info.position.kept ? "" : ", which do not close with what --q0 gives",
                     change);
        for (int i = 0; i < x->nv; i++) change[i] = x->args->value[OPT_HOLD] ? 0 : x->v[i] - v[i];
        warn_changed(x, "velocities drive", info.velocity.kept ? "" : ", which do not stay closed with what --v0 gives",
                     change);
    }
    free(q);
    return status ? CLI_FAILED : CLI_DONE;
}

/* The state that the arguments say, with its loops closed. */
static int find_state(linearization *x)
{
    unsigned char *named = calloc((size_t)x->nq + (size_t)x->nv + 1, 1);
    if (!named) {
        pn_cli_report(x->command, "out of memory");
        return CLI_FAILED;
    }
    int status = read_state(x, named, named + x->nq);
    if (status == CLI_DONE) status = close_loops(x, named, named + x->nq);
    free(named);
    return status;
}

/* The forces that hold the state, of the actuators that the model lists. */
static pinion_status hold_by_list(linearization *x, pinion_work *w, double *need, double *missing)
{
    const size_t nv = (size_t)x->nv;
    pinion_allocation *allocation = pinion_allocation_new(x->m);
    double *u = malloc(((size_t)pinion_model_actuator_count(x->m) + 2 * nv + 1) * sizeof *u), *more = u, *rest = u + nv;
    pinion_status status = allocation && u ? PINION_OK : PINION_ERR_MEMORY;
    if (!status) status = pinion_inverse_dynamics(x->body, w, x->q, NULL, NULL, x->f_ext, need);
    if (!status) status = pinion_passive_forces(x->m, w, x->q, NULL, more);
    if (!status && pinion_model_has_elements(x->m)) {
        pinion_elements *elements = pinion_elements_new(x->m);
        status = elements ? pinion_elements_forces(elements, w, x->q, NULL, more, more, more, NULL) : PINION_ERR_MEMORY;
        pinion_elements_free(elements);
    }
    for (size_t i = 0; i < nv && !status; i++) need[i] -= more[i];
    if (!status && pinion_model_loop_count(x->m) > 0) {
        status = pinion_loop_active_forces(x->m, w, x->q, NULL, NULL, 1, more, NULL);
        for (size_t i = 0; i < nv && !status; i++) need[i] -= more[i];
    }
    more = rest + nv;
    if (!status) status = pinion_allocation_forces(allocation, x->q, need, 0, more, rest);
    if (!status) status = pinion_actuation_torque(x->m, w, x->q, more, x->tau);
    *missing = 0;
    for (size_t i = 0; i < nv && !status; i++)
        if (fabs(rest[i]) > ROUNDING * fmax(1, fabs(need[i]))) *missing = fmax(*missing, fabs(rest[i]));
    pinion_allocation_free(allocation);
    free(u);
    return status;
}

/* The forces that hold the state: those of rest at q, of the joints that have motors. */
static int hold(linearization *x)
{
    pinion_work *w = pinion_work_new(x->m);
    double *zero = calloc((size_t)x->nv + 1, sizeof *zero);
    unsigned char *actuated = calloc((size_t)x->nv + 1, 1);
    pinion_status status = w && zero && actuated ? PINION_OK : PINION_ERR_MEMORY;
    pinion_joint_info joint;
    for (int i = 0; !status && i < pinion_model_joint_count(x->m); i++) {
        if (pinion_model_joint(x->m, i, &joint) != PINION_OK || joint.type == PINION_JOINT_FREE) continue;
        for (int d = 0; d < joint.nv && !joint.unactuated; d++) actuated[joint.v_index + d] = 1;
    }
    pinion_loop_options options = pinion_loop_options_default();
    options.passive = 1;
    double missing = 0;
    if (!status && x->forces) status = pinion_forces_apply(x->forces, w, 0, x->q, NULL, x->f_ext, NULL, NULL);
    if (!status)
        status = pinion_model_actuators_listed(x->m)
                     ? hold_by_list(x, w, zero, &missing)
                     : pinion_loop_inverse_dynamics(x->body, w, &options, x->q, zero, zero, x->f_ext, actuated, x->tau,
                                                    NULL);
    if (missing > 0) {
        pn_cli_report(x->command, "--hold: the actuators cannot hold this state: a joint force of %.4g is missing",
                      missing);
        status = PINION_ERR_SINGULAR;
    } else if (status) {
        const char *why = w ? pinion_work_message(w) : "";
        pn_cli_report(x->command, "--hold: %s", *why ? why : pinion_status_text(status));
    }
    memset(x->v, 0, (size_t)x->nv * sizeof *x->v);
    pinion_work_free(w);
    free(zero);
    free(actuated);
    return status ? CLI_FAILED : CLI_DONE;
}

static int find_rest(linearization *x)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    memset(x->v, 0, (size_t)x->nv * sizeof *x->v);
    if (pinion_equilibrium(x->m, x->tau, x->q, &err) == PINION_OK) return CLI_DONE;
    pn_cli_report(x->command, "--equilibrium: %s%s", err.message,
                  err.status == PINION_ERR_SINGULAR ? "; --q0 JOINT=VALUE,... starts the search elsewhere" : "");
    return CLI_FAILED;
}

/* ------------------------------------------------------------------------------------------------ */
/* The work */

/* What closed loops lose of A, and doubts about their rank. */
static void tell_loops(linearization *x)
{
    const pinion_linear *l = x->l;
    cli_loops told;
    double largest = 0;
    pinion_work *w = pinion_model_loop_count(x->m) > 0 ? pinion_work_new(x->m) : NULL;
    if (!w) return;
    pn_cli_loops_look(x->m, w, 0, x->q, x->v, &told);
    for (int kind = 0; kind < TOLD_KINDS; kind++)
        if (told.text[kind][0]) warn(x, "%s", told.text[kind]);
    for (int i = 0; i < l->states * l->states; i++) largest = fmax(largest, fabs(l->A[i]));
    if (l->loss > EXACT * largest)
        warn(x,
             "entries of A are uncertain by about %.2g (the largest is %.4g): so near to a singular position of the "
             "loops the last digits of q, v and the lengths count",
             l->loss, largest);
    pinion_work_free(w);
}

static int compute(linearization *x)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    x->l = pinion_linearize_with(x->m, x->forces, 0, x->q, x->v, x->tau, &err);
    if (!x->l) {
        pn_cli_report(x->command, "%s: %s", pinion_model_name(x->m), err.message);
        return CLI_FAILED;
    }
    const size_t n = (size_t)x->l->states;
    x->value = malloc((2 * n + 1) * sizeof *x->value);
    x->vector = malloc((2 * n * n + 1) * sizeof *x->vector);
    const pinion_status status =
        x->value && x->vector ? pinion_linear_modes(x->l, x->value, x->vector) : PINION_ERR_MEMORY;
    if (status) {
        pn_cli_report(x->command, "the eigenvalues: %s", pinion_status_text(status));
        return CLI_FAILED;
    }
    int most = 0;
    for (int i = 0; i < x->nv; i++)
        if (fabs(x->l->a[i]) > x->moving) x->moving = fabs(x->l->a[i]), most = i;
    char name[400];
    tell_loops(x);
    if (x->moving > RESTING)
        warn(x,
             "this is no state of rest: %.200s accelerates by %.4g; x is the change from a motion, and "
             "eigenvalues hold "
             "only for a moment",
             pinion_coordinate_name(x->m, "a", most, name, sizeof name) + 2, x->moving);
    if (x->l->friction > 0)
        warn(x, "Coulomb friction of joints at rest has no derivative, and is left out (%.4g at most)",
             x->l->friction);
    return CLI_DONE;
}

static int write_file(const linearization *x, const char *path)
{
    cli_memory text;
    pinion_error err = {PINION_OK, 0, 0, ""};
    pn_cli_memory_open(&text);
    if (text.stream)
        (pn_cli_ends_with(path, ".json")  ? pn_cli_linear_json
         : pn_cli_ends_with(path, ".csv") ? pn_cli_linear_csv
                                          : pn_cli_linear_octave)(x, text.stream);
    int status = pn_cli_memory_close(&text) ? CLI_DONE : CLI_FAILED;
    if (status != CLI_DONE)
        pn_cli_report(x->command, "out of memory");
    else if (pinion_write_file(path, text.bytes, text.size, &err) != PINION_OK)
        status = CLI_FAILED, pn_cli_report(x->command, "%s", err.message);
    if (status == CLI_DONE) pn_cli_put_written(path);
    free(text.bytes);
    return status;
}

static int answer(const linearization *x)
{
    const char *file = x->args->value[OPT_FILE], *page = x->args->value[OPT_REPORT];
    int status = page ? pn_cli_linear_page(x, page) : CLI_DONE;
    if (page && status == CLI_DONE) pn_cli_put_written(page);
    if (status == CLI_DONE && file) status = write_file(x, file);
    if (status != CLI_DONE) return status;
    if (x->args->value[OPT_JSON])
        pn_cli_linear_json(x, stdout);
    else if (!pn_cli_linear_text(x, stdout))
        return CLI_FAILED;
    return pn_cli_finish(x->command, CLI_DONE);
}

static int check_arguments(const cli_args *args)
{
    const char *command = args->command->name;
    const cli_file file[] = {{"--output", args->value[OPT_FILE], ".json|.csv|.m"},
                             {"--report", args->value[OPT_REPORT], PAGE_ENDINGS},
                             {"the model", args->positional, NULL},
                             {"--state", args->value[OPT_STATE], NULL},
                             {"--forces", args->value[OPT_FORCES], NULL}};
    if (args->value[OPT_EQUILIBRIUM] && args->value[OPT_HOLD]) {
        pn_cli_report(
            command,
            "--equilibrium looks for q under given forces, --hold for forces at a given q: not both");
        return CLI_USAGE;
    }
    if (args->value[OPT_EQUILIBRIUM] && args->value[OPT_FORCES]) {
        pn_cli_report(command, "--equilibrium knows no force elements: --hold does, at a given q");
        return CLI_USAGE;
    }
    if (args->value[OPT_HOLD] && args->value[OPT_TORQUE]) {
        pn_cli_report(command, "--hold finds the forces: --torque has no use with it");
        return CLI_USAGE;
    }
    if (args->value[OPT_V] && (args->value[OPT_EQUILIBRIUM] || args->value[OPT_HOLD])) {
        pn_cli_report(command, "--v0 has no use with a state of rest");
        return CLI_USAGE;
    }
    const int status = pn_cli_files_check(command, file, 5);
    return status == CLI_DONE && args->value[OPT_REPORT] ? pn_cli_document_available(command) : status;
}

static int run_command(const cli_args *args)
{
    linearization x = {.args = args, .command = args->command->name};
    int status = check_arguments(args);
    if (status != CLI_DONE) return status;
    x.m = pn_cli_load(args, args->positional);
    if (!x.m) return CLI_FAILED;
    x.nq = pinion_model_nq(x.m), x.nv = pinion_model_nv(x.m);
    double *room = calloc((size_t)x.nq + 2 * (size_t)x.nv + 1, sizeof *room);
    if (!room) {
        pn_cli_report(x.command, "out of memory");
        pinion_model_free(x.m);
        return CLI_FAILED;
    }
    x.q = room, x.v = x.q + x.nq, x.tau = x.v + x.nv;
    status = read_forces(&x);
    if (status == CLI_DONE) status = find_state(&x);
    if (status == CLI_DONE && args->value[OPT_EQUILIBRIUM]) status = find_rest(&x);
    if (status == CLI_DONE && args->value[OPT_HOLD]) status = hold(&x);
    if (status == CLI_DONE) status = pn_cli_limits_begin(&x.limits, args, x.m, "states[", "]");
    if (status == CLI_DONE) {
        const int given = args->value[OPT_EQUILIBRIUM] ? GIVEN_NOTHING : GIVEN_POSITIONS | GIVEN_VELOCITIES;
        pn_cli_limits_see(&x.limits, given, x.q, x.v, x.tau, 0);
        status = pn_cli_limits_tell(&x.limits);
    }
    if (status == CLI_DONE) status = compute(&x);
    if (status == CLI_DONE) status = answer(&x);
    pn_cli_limits_end(&x.limits);
    pinion_linear_free(x.l);
    pinion_forces_free(x.forces);
    free(x.f_ext);
    free(x.value);
    free(x.vector);
    free(room);
    pinion_model_free(x.m);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

static const cli_option *const options[] = {
    OPTION(STATE, .name = "state", .kind = VALUE_FILE, .value = "FILE",
           .help = "the state: JSON with q, v and tau as for eval, - for standard input (by default the "
                   "model's own, or "
                   "zero)"),
    OPTION(Q, .name = "q0", .kind = VALUE_TEXT, .value = "LIST",
           .help = "positions: JOINT=VALUE,..., or all of them; the others stay"),
    OPTION(V, .name = "v0", .kind = VALUE_TEXT, .value = "LIST", .help = "velocities, likewise"),
    OPTION(TORQUE, .name = "torque", .kind = VALUE_TEXT, .value = "LIST", .help = "joint forces, likewise"),
    OPTION(EQUILIBRIUM, .name = "equilibrium",
           .help =
               "find the state of rest to which the model sinks from this state under these forces, as if "
               "through honey"),
    OPTION(HOLD, .name = "hold", .help = "find the joint forces that hold this state at rest"),
    OPTION(FORCES, .name = "forces", .kind = VALUE_FILE, .value = "FILE",
           .help = "force elements that act, as at t = 0: springs, wrenches, drag, ground, attraction "
                   "(docs/force-elements.md)"),
    OPTION(FILE, .name = "output", .letter = 'o', .kind = VALUE_FILE, .value = "FILE",
           .help = "also write A and B: .json, .csv, or .m for Octave"),
    SHARED(REPORT),
    SHARED(LIMITS_CHECK),
    SHARED(JSON),
    LOAD_OPTIONS,
    SHARED(HELP),
    NULL};

const cli_command pn_cli_command_linearize = {
    .name = "linearize",
    .summary = "the linear system x' = A x + B u near a state, and its modes",
    .run = run_command,
    .takes = TAKES_MODEL,
    .usage = "MODEL [--state FILE] [--equilibrium | --hold] [options]",
    .about =
        "Prints the modes of a model near a state: eigenvalues, natural frequencies, damping ratios, the\n"
        "time in which they grow or shrink e-fold, and the joint that moves most.\n"
        "States are [delta; w]: delta moves the configuration in the tangent space, in the child frame\n"
        "of each joint, w is the change of the velocities; inputs are the forces of the actuators: those\n"
        "that the model lists, else of all joints but free and unactuated ones. Dampers and springs act.\n"
        "With closed loops the states are those of independent joints, by name, and the others follow.\n"
        "With --json: {\"states\", \"inputs\", \"A\", \"B\", \"eigenvalues\": [[re, im], ...], \"modes\":\n"
        "[{\"eigenvalue\", \"natural_frequency\" (Hz), \"damping_ratio\", \"vector\"}, ...], \"state\",\n"
        "\"warnings\"}. --report shows the modes moving.\n",
    .example = "pinion linearize models/planar-3r.json --equilibrium",
    .options = options,
};
