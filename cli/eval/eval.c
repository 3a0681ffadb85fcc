/* pinion eval: quantities at given states. Its input and output are a contract with other programs. */
#include "cli/eval/eval.h"
#include "cli/help/help.h"
#include "cli/info/info.h"
#include "cli/args/load_option.h"
#include "cli/args/algorithm_args.h"
#include "cli/print/print_text.h"

#include <stdlib.h>
#include <string.h>

/* The options of this command alone. */
enum { OPT_WHAT = OPT_OWN, OPT_PASSIVE, OPT_LINES, OPT_BRIEF };

#define COMPLAINTS_MAX 20           /* lines about single results on stderr; then only their number */
#define CONSTRAINING "vereshchagin" /* the algorithm behind constrained_dynamics */

/* ------------------------------------------------------------------------------------------------ */
/* One state */

/* Says why a result is null, on stderr, and remembers that there was one. */
static void complain(evaluation *e, const quantity *what, const char *why)
{
    if (e->complaints++ < COMPLAINTS_MAX)
        pn_cli_report(e->command, "%s: states[%zu]: %s %s", e->file.name, e->index, what->key, why);
}

/* The words of the last failing call. */
static const char *reason(const evaluation *e, pinion_status status)
{
    const char *message = e->sparse_failed ? pinion_sparse_message(e->sparse) : pinion_work_message(e->w);
    if (!*message && e->scene) message = pinion_scene_message(e->scene);
    return *message ? message : pinion_status_text(status);
}

/* One state: an object with every quantity; what fails is null and the rest still computed. */
static void print_state(evaluation *e, int flat)
{
    pn_cli_json_open(&e->json, '{', flat);
    for (int i = 0; i < e->what.count; i++) {
        const quantity *what = &e->what.entry[i];
        pn_cli_json_key(&e->json, what->key);
        e->sparse_failed = 0;
        pinion_status status = pn_cli_eval_compute(e, what);
        if (status != PINION_OK) {
            char why[600];
            snprintf(why, sizeof why, "is null: %s", reason(e, status));
            complain(e, what, why);
            pn_cli_json_null(&e->json);
            continue;
        }
        if (what->id == Q_LIBRARY + pinion_quantity_find("inverse_dynamics"))
            pn_cli_limits_see(&e->limits, GIVEN_NOTHING, NULL, NULL, e->out, (double)e->index);
        long before = e->json.nulls;
        pn_cli_eval_print(e, what);
        if (e->json.nulls > before) complain(e, what, pn_cli_eval_not_finite(e, what));
    }
    pn_cli_eval_loop_warnings(e);
    pn_cli_json_close(&e->json);
}

/* ------------------------------------------------------------------------------------------------ */
/* The run */

/* Room for the largest result asked for. */
static int allocate(evaluation *e)
{
    e->w = pinion_work_new(e->m);
    const int acts = pinion_model_has_elements(e->m);
    if (acts) e->elements = pinion_elements_new(e->m);
    e->out = calloc(pn_cli_eval_room(e), sizeof *e->out);
    e->out2 = calloc(2 * (size_t)pinion_model_nv(e->m) + 1, sizeof *e->out2);
    if (e->w && e->out && e->out2 && (e->elements || !acts) && pn_cli_state_init(&e->s, e->m)) return CLI_DONE;
    pn_cli_report(e->command, "out of memory");
    return CLI_FAILED;
}

/* Reads the next state into e->s: 1; 0 at the end, -1 after a message. */
static int next_state(evaluation *e)
{
    double position[3], rotation[9];
    const int more = pn_cli_states_next(&e->file, e->m, &e->s);
    e->index = e->file.index;
    if (more <= 0) return more;

    /* the library checks the quaternions */
    pinion_status status = pinion_frame_pose(e->m, e->w, e->s.q, 0, position, rotation);
    if (status == PINION_OK) {
        pn_cli_limits_see(&e->limits, GIVEN_POSITIONS | GIVEN_VELOCITIES, e->s.q, e->s.v, e->s.tau, (double)e->index);
        return 1;
    }
    pn_cli_report(e->command, "%s: states[%zu].q: %s", e->file.name, e->index, reason(e, status));
    return -1;
}

/* Reads every state before anything is printed, so that a bad one leaves no half answer. */
static int keep_states(evaluation *e)
{
    int more;
    while ((more = next_state(e)) > 0)
        if (!pn_cli_store_add(&e->store, e->command, &e->s)) return CLI_FAILED;
    if (more < 0 || !pn_cli_store_rewind(&e->store, e->command)) return CLI_FAILED;
    return pn_cli_limits_tell(&e->limits);
}

/* What there is to say at the end. */
static int finish(evaluation *e)
{
    if (e->complaints > COMPLAINTS_MAX)
        pn_cli_report(e->command, "%ld more results are not finite or null", e->complaints - COMPLAINTS_MAX);
    const int within = pn_cli_limits_tell(&e->limits);
    return pn_cli_finish(e->command, e->complaints ? CLI_FAILED : within);
}

static int print_answer(evaluation *e)
{
    const size_t count = e->file.count;
    e->json = pn_cli_json(stdout);
    pn_cli_json_open(&e->json, '{', 0);
    if (!e->args->value[OPT_BRIEF]) {
        pn_cli_json_key(&e->json, "model");
        pn_cli_model_json(&e->json, e->m);
    }
    pn_cli_json_key(&e->json, "states");
    pn_cli_json_open(&e->json, '[', 0);
    for (e->index = 0; e->index < count && !ferror(stdout); e->index++) {
        if (!pn_cli_store_next(&e->store, e->command, &e->s)) return CLI_FAILED;
        print_state(e, 0);
    }
    pn_cli_json_end(&e->json);
    return finish(e);
}

/* --json-lines: each state is answered as it comes, on a line of its own. */
static int print_lines(evaluation *e)
{
    int more = 1;
    while (!ferror(stdout) && (more = next_state(e)) > 0) {
        e->json = pn_cli_json(stdout);
        print_state(e, 1);
        pn_cli_json_end(&e->json);
    }
    const int status = finish(e);
    return more < 0 ? CLI_FAILED : status;
}

/* ------------------------------------------------------------------------------------------------ */
/* The algorithms */

/* Whether some entry of --what is the answer to the problem. */
static int asks_for(const evaluation *e, int problem)
{
    for (int i = 0; i < e->what.count; i++)
        if (pn_cli_quantity_problem(e->what.entry[i].id) == problem) return 1;
    /* which come with the accelerations */
    return problem == PINION_PROBLEM_FORWARD_DYNAMICS && pn_cli_what_has(&e->what, Q_CONSTRAINT_FORCES);
}

/* Reads --algorithm, which must solve something that is asked for. */
static int check_algorithm(evaluation *e)
{
    const char *name = e->args->value[OPT_ALGORITHM];
    pinion_algorithm_info info;
    for (int p = 0; p < PINION_PROBLEM_COUNT; p++) e->by[p] = -1;
    if (!name) return CLI_DONE;
    int algorithm = pn_cli_find_algorithm(e->command, name);
    if (algorithm < 0 || pinion_algorithm(algorithm, &info) != PINION_OK) return CLI_USAGE;
    /* the one that can keep constraints */
    int constrained = strcmp(name, CONSTRAINING) == 0 && pn_cli_what_has(&e->what, Q_CONSTRAINED_DYNAMICS);
    if (!asks_for(e, (int)info.problem) && !constrained) {
        pn_cli_report(e->command, "--algorithm %s computes %s, which is not in --what %s", name,
                      pinion_problem_name(info.problem), e->args->value[OPT_WHAT]);
        return CLI_USAGE;
    }
    e->by[info.problem] = algorithm;
    return CLI_DONE;
}

/* Picks the first algorithm that applies, for what the library has no function of its own for. */
static int choose_algorithm(evaluation *e, int problem)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    e->by[problem] = pn_cli_first_algorithm(problem, e->m, &err);
    if (e->by[problem] >= 0) return CLI_DONE;
    pn_cli_report(e->command, "%s", err.message);
    return CLI_FAILED;
}

/* kkt-sparse of the registry is for trees; with loops the same equations go to a sparse solver. */
static int choose_sparse(evaluation *e)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    int *by = &e->by[PINION_PROBLEM_FORWARD_DYNAMICS];
    if (*by < 0 || *by != pinion_sparse_algorithm() || !pinion_model_loop_count(e->m)) return CLI_DONE;
    *by = -1;
    e->sparse = pinion_sparse_new(e->m, &err);
    if (e->sparse) return CLI_DONE;
    pn_cli_report(e->command, "--algorithm kkt-sparse: %s", err.message);
    return CLI_FAILED;
}

/* Holds the algorithm that was asked for against the model, and picks those that were not. */
static int choose_algorithms(evaluation *e)
{
    int status = choose_sparse(e);
    for (int p = 0; p < PINION_PROBLEM_COUNT && status == CLI_DONE; p++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        int own = pinion_quantity_find(pinion_problem_name((pinion_problem)p)) >= 0;
        if (e->by[p] < 0 && !own && asks_for(e, p)) {
            status = choose_algorithm(e, p);
        } else if (e->by[p] >= 0 && pinion_algorithm_applies(e->by[p], e->m, &err) != PINION_OK) {
            pn_cli_report(e->command, "%s", err.message);
            status = CLI_FAILED;
        }
    }

    /* constraints are not a problem of the registry, but what keeps them is an algorithm of it */
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (status == CLI_DONE && pn_cli_what_has(&e->what, Q_CONSTRAINED_DYNAMICS) &&
        pinion_algorithm_applies(pinion_algorithm_find(CONSTRAINING), e->m, &err) != PINION_OK) {
        pn_cli_report(e->command, "%s", err.message);
        status = CLI_FAILED;
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

/* What can be said about the command line alone. */
static int check_arguments(evaluation *e)
{
    const cli_args *args = e->args;
    if (!args->value[OPT_STATES] || !args->value[OPT_WHAT]) {
        pn_cli_report(e->command, "%s is missing (usage: pinion eval %s)",
                      args->value[OPT_STATES] ? "--what LIST" : "--states FILE", args->command->usage);
        return CLI_USAGE;
    }
    if (strcmp(args->positional, "-") == 0 && strcmp(args->value[OPT_STATES], "-") == 0) {
        pn_cli_report(e->command, "the model and the states cannot both be read from standard input");
        return CLI_USAGE;
    }
    e->passive = args->value[OPT_PASSIVE] && strcmp(args->value[OPT_PASSIVE], "on") == 0;
    int status = pn_cli_what_parse(e->command, args->value[OPT_WHAT], &e->what);
    return status == CLI_DONE ? check_algorithm(e) : status;
}

static int run_command(const cli_args *args)
{
    evaluation e;
    memset(&e, 0, sizeof e);
    e.args = args;
    e.command = args->command->name;

    int status = check_arguments(&e);
    if (status == CLI_DONE) {
        e.m = pn_cli_what_has(&e.what, Q_DISTANCE)
                  ? pn_cli_load_meshes(args, args->positional, e.mesh_fault, sizeof e.mesh_fault)
                  : pn_cli_load(args, args->positional);
        if (!e.m) status = CLI_FAILED;
    }
    if (status == CLI_DONE) status = pn_cli_what_resolve(e.command, e.m, &e.what);
    if (status == CLI_DONE) status = pn_cli_eval_distance_begin(&e);
    if (status == CLI_DONE) status = choose_algorithms(&e);
    if (status == CLI_DONE && !pn_cli_states_open(&e.file, e.command, args->value[OPT_STATES], e.m))
        status = CLI_FAILED;
    if (status == CLI_DONE) status = allocate(&e);
    if (status == CLI_DONE) status = pn_cli_limits_begin(&e.limits, args, e.m, "states[", "]");
    if (status == CLI_DONE && args->value[OPT_LINES]) {
        status = print_lines(&e);
    } else {
        if (status == CLI_DONE) status = keep_states(&e);
        if (status == CLI_DONE) status = print_answer(&e);
    }

    pn_cli_limits_end(&e.limits);
    pn_cli_state_free(&e.s);
    pn_cli_store_free(&e.store);
    free(e.out);
    free(e.out2);
    pn_cli_states_close(&e.file);
    pn_cli_what_free(&e.what);
    pinion_elements_free(e.elements);
    pinion_work_free(e.w);
    pinion_sparse_free(e.sparse);
    pinion_scene_free(e.scene);
    pinion_model_free(e.m);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

static void put_quantities(const char *colon)
{
    const char *separator = "";
    int id;
    quantity_def d;
    for (int i = 0; pn_cli_quantity_at(i, &id, &d); i++) {
        if (d.later) continue;
        printf("%s%s%s", separator, d.name, d.takes_frame ? colon : "");
        separator = " ";
    }
}

static void print_quantities(FILE *stream)
{
    int id;
    quantity_def d;
    fputs("\nQuantities for --what:\n", stream);
    for (int i = 0; pn_cli_quantity_at(i, &id, &d); i++)
        if (!d.later) pn_cli_put_quantity(stream, d.name, d.takes_frame, d.help);
    fputs(HELP_ON_FRAMES "Not available yet:", stream);
    for (int i = 0; pn_cli_quantity_at(i, &id, &d); i++)
        if (d.later) fprintf(stream, " %s", d.name);
    fputc('\n', stream);
}

static const cli_option *const options[] = {
    SHARED(STATES),
    OPTION(WHAT, .name = "what", .kind = VALUE_LIST, .value = "LIST", .words = put_quantities,
           .help = "the quantities to compute, separated by commas"),
    OPTION(PASSIVE, .name = "passive", .kind = VALUE_CHOICE, .value = "on|off",
           .help = "whether dampers, springs and friction of joints and loops act (off by default): on adds their "
                   "forces to tau in forward_dynamics, takes them from inverse_dynamics, and counts the springs "
                   "in energy"),
    OPTION(LINES, .name = "json-lines",
           .help = "answer each state as it comes, with one line of JSON that has its quantities and no model"),
    OPTION(BRIEF, .name = "brief", .help = "print the states alone, without the model"),
    SHARED(ALGORITHM), SHARED(LIMITS_CHECK), LOAD_OPTIONS, SHARED(JSON), SHARED(HELP), NULL
};

const cli_command pn_cli_command_eval = {
    .name = "eval",
    .summary = "any quantity at given states, as JSON",
    .run = run_command,
    .takes = TAKES_MODEL,
    .usage = "MODEL --states FILE|- --what LIST [options]",
    .about = "Computes quantities at given states and prints them as JSON:\n"
             "  {\"model\": {as info --json}, \"states\": [{\"NAME\": value, ...}, ...]}\n"
             "\n"
             "The states are read as JSON, arrays in the model's own order (see pinion info):\n"
             "  {\"states\": [{\"q\": [...], \"v\": [...], \"a\": [...], \"tau\": [...],\n"
             "               \"f_ext\": {\"LINK\": [6 numbers]}}, ...]}\n"
             "or as one such state after the other, with no list around them (JSON lines).\n"
             "Missing v, a and tau are zero; f_ext are forces [moment; force] on links or frames, each in\n"
             "that link's own frame. What is not finite is printed as null, and the exit status is 1. A state\n"
             "that leaves closed loops open, or is singular, has \"warnings\" behind what loops have a part in.\n",
    .more = print_quantities,
    .example = "echo '{\"states\": [{\"q\": [0, 1, 2]}]}' |\n"
               "  pinion eval planar-3r.json --states - --what gravity,mass_matrix,jacobian:link3",
    .options = options,
};
