/* pinion eval: quantities at given states. Its input and output are a contract with other programs. */
#include "info.h"
#include "load.h"
#include "quantity.h"
#include "registry.h"
#include "states.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COMPLAINTS_MAX 20 /* lines about single results on stderr; then only their number */

/* Everything one run needs. */
typedef struct evaluation {
    const cli_args *args;
    const char *command;
    pinion_model *m;
    pinion_work *w;
    quantity_list what;
    states_file file;
    state s;
    int passive;
    int by[PINION_PROBLEM_COUNT]; /* the algorithm for each problem; -1: the library's own function */
    pinion_model *weightless;     /* a copy without gravity, where M is inverted column by column */
    double *out;                  /* the largest result asked for */
    double *out2;                 /* nv numbers: passive forces, sums */
    size_t index;                 /* of the state at hand */
    long complaints;
    cli_json json;
} evaluation;

/* ------------------------------------------------------------------------------------------------ */
/* One result */

/* Says why a result is null, on stderr, and remembers that there was one. */
static void complain(evaluation *e, const quantity *what, const char *why)
{
    if (e->complaints++ < COMPLAINTS_MAX)
        pn_cli_report(e->command, "%s: states[%zu]: %s %s", e->file.name, e->index, what->key, why);
}

/* The words of the last failing call. */
static const char *reason(const evaluation *e, pinion_status status)
{
    const char *message = pinion_work_message(e->m, e->w);
    return message && *message ? message : pinion_status_text(status);
}

static const double *forces(const evaluation *e)
{
    return e->s.has_forces ? e->s.f_ext : NULL;
}

/* tau(q, v, a, f_ext), less what the passive elements do by themselves. */
static pinion_status inverse_dynamics(evaluation *e)
{
    const state *s = &e->s;
    int nv = pinion_model_nv(e->m), by = e->by[PINION_PROBLEM_INVERSE_DYNAMICS];
    pinion_status status =
        by < 0 ? pinion_inverse_dynamics(e->m, e->w, s->q, s->v, s->a, forces(e), e->out)
               : pinion_inverse_dynamics_by(e->m, e->w, by, s->q, s->v, s->a, forces(e), e->out);
    if (status == PINION_OK && e->passive) {
        status = pinion_passive_forces(e->m, e->w, s->q, s->v, e->out2);
        for (int i = 0; i < nv; i++) e->out[i] -= e->out2[i];
    }
    return status;
}

/* a(q, v, tau, f_ext), with the passive elements helping tau. */
static pinion_status forward_dynamics(evaluation *e)
{
    const state *s = &e->s;
    int nv = pinion_model_nv(e->m), by = e->by[PINION_PROBLEM_FORWARD_DYNAMICS];
    pinion_status status = PINION_OK;
    for (int i = 0; i < nv; i++) e->out2[i] = 0;
    if (e->passive) status = pinion_passive_forces(e->m, e->w, s->q, s->v, e->out2);
    for (int i = 0; i < nv; i++) e->out2[i] += s->tau[i];
    if (status != PINION_OK) return status;
    if (by >= 0) return pinion_forward_dynamics_by(e->m, e->w, by, s->q, s->v, e->out2, forces(e), e->out);
    return pinion_forward_dynamics(e->m, e->w, s->q, s->v, e->out2, forces(e), e->out);
}

static pinion_status mass_matrix(evaluation *e)
{
    int by = e->by[PINION_PROBLEM_MASS_MATRIX];
    if (by >= 0) return pinion_mass_matrix_by(e->m, e->w, by, e->s.q, e->out);
    return pinion_mass_matrix(e->m, e->w, e->s.q, e->out);
}

/* The inverse of M. Where no algorithm applies (joints that follow others): at rest and without gravity the
 * acceleration by a unit force is a column of it. */
static pinion_status mass_matrix_inverse(evaluation *e)
{
    int nv = pinion_model_nv(e->m), by = e->by[PINION_PROBLEM_MASS_MATRIX_INVERSE];
    if (by >= 0) return pinion_mass_matrix_inverse_by(e->m, e->w, by, e->s.q, e->out);
    for (int i = 0; i < nv; i++) e->out2[i] = 0;
    for (int i = 0; i < nv; i++) {
        double *row = e->out + (size_t)i * (size_t)nv; /* of a symmetric matrix: as good as the column */
        e->out2[i] = 1;
        pinion_status status = pinion_forward_dynamics(e->weightless, e->w, e->s.q, NULL, e->out2, NULL, row);
        e->out2[i] = 0;
        if (status != PINION_OK) return status;
    }
    return PINION_OK;
}

/* The parts of an operational space in e->out: 6 x 6, 6 x 6, 6, 6, nv x 6. */
static pinion_operational_space operational_parts(const evaluation *e)
{
    pinion_operational_space parts = {e->out, e->out + 36, e->out + 72, e->out + 78, e->out + 84};
    return parts;
}

static pinion_status operational_space(evaluation *e, int frame)
{
    const pinion_operational_space parts = operational_parts(e);
    int by = e->by[PINION_PROBLEM_OPERATIONAL_SPACE], nv = pinion_model_nv(e->m);
    e->out[0] = NAN;
    pinion_status status =
        pinion_operational_space_by(e->m, e->w, by, e->s.q, e->s.v, frame, PINION_WORLD_ALIGNED, &parts);
    /* a frame that cannot move in every direction has the first part and not the others */
    if (status != PINION_ERR_SINGULAR || !isfinite(parts.inverse[0])) return status;
    for (int i = 36; i < 84 + 6 * nv; i++) e->out[i] = NAN;
    return PINION_OK;
}

/* Computes a quantity into e->out. */
static pinion_status compute(evaluation *e, const quantity *what)
{
    const pinion_model *m = e->m;
    const state *s = &e->s;
    double *out = e->out;
    int frame = what->frame_index;
    switch (what->id) {
    case Q_INVERSE_DYNAMICS: return inverse_dynamics(e);
    case Q_FORWARD_DYNAMICS: return forward_dynamics(e);
    case Q_GRAVITY: return pinion_gravity(m, e->w, s->q, out);
    case Q_BIAS: return pinion_bias(m, e->w, s->q, s->v, out);
    case Q_MASS_MATRIX: return mass_matrix(e);
    case Q_MASS_MATRIX_INVERSE: return mass_matrix_inverse(e);
    case Q_CORIOLIS: return pinion_coriolis_by(m, e->w, e->by[PINION_PROBLEM_CORIOLIS], s->q, s->v, out);
    case Q_OPERATIONAL_SPACE: return operational_space(e, frame);
    case Q_VELOCITY: return pinion_frame_velocity(m, e->w, s->q, s->v, frame, PINION_WORLD_ALIGNED, out);
    case Q_ACCELERATION:
        return pinion_frame_acceleration(m, e->w, s->q, s->v, s->a, frame, PINION_WORLD_ALIGNED,
                                         PINION_CLASSICAL, out);
    case Q_JACOBIAN: return pinion_jacobian(m, e->w, s->q, frame, PINION_WORLD_ALIGNED, out);
    case Q_FRAMES: return pinion_frames(m, e->w, s->q, out, out + 3 * (size_t)pinion_model_frame_count(m));
    case Q_ENERGY: return pinion_energy(m, e->w, s->q, s->v, e->passive, &out[0], &out[1]);
    case Q_COM: return pinion_center_of_mass(m, e->w, s->q, s->v, &out[0], &out[3]);
    case Q_MOMENTUM: return pinion_momentum(m, e->w, s->q, s->v, out);
    default: return PINION_ERR_ARGUMENT; /* refused when --what was read */
    }
}

/* Every frame by name: {"position": [3], "rotation": [[3], [3], [3]]}. */
static void print_frames(evaluation *e)
{
    int count = pinion_model_frame_count(e->m);
    const double *position = e->out, *rotation = e->out + 3 * (size_t)count;
    pn_cli_json_open(&e->json, '{', 0);
    for (int i = 0; i < count; i++) {
        pinion_frame_info frame;
        if (pinion_model_frame(e->m, i, &frame) != PINION_OK) continue;
        pn_cli_json_key(&e->json, frame.name);
        pn_cli_json_open(&e->json, '{', 1);
        pn_cli_json_key(&e->json, "position");
        pn_cli_json_numbers(&e->json, position + 3 * (size_t)i, 3);
        pn_cli_json_key(&e->json, "rotation");
        pn_cli_json_matrix(&e->json, rotation + 9 * (size_t)i, 3, 3);
        pn_cli_json_close(&e->json);
    }
    pn_cli_json_close(&e->json);
}

static void print_energy(evaluation *e)
{
    pn_cli_json_open(&e->json, '{', 1);
    pn_cli_json_key(&e->json, "kinetic");
    pn_cli_json_number(&e->json, e->out[0]);
    pn_cli_json_key(&e->json, "potential");
    pn_cli_json_number(&e->json, e->out[1]);
    pn_cli_json_close(&e->json);
}

static void print_com(evaluation *e)
{
    pn_cli_json_open(&e->json, '{', 1);
    pn_cli_json_key(&e->json, "mass");
    pn_cli_json_number(&e->json, pinion_model_mass(e->m));
    pn_cli_json_key(&e->json, "position");
    pn_cli_json_numbers(&e->json, e->out, 3);
    pn_cli_json_key(&e->json, "velocity");
    pn_cli_json_numbers(&e->json, e->out + 3, 3);
    pn_cli_json_close(&e->json);
}

/* One part of an operational space; null when it does not exist. */
static void print_part(cli_json *j, const char *key, const double *x, int rows)
{
    pn_cli_json_key(j, key);
    if (!isfinite(x[0]))
        pn_cli_json_number(j, NAN);
    else if (rows == 1)
        pn_cli_json_numbers(j, x, 6);
    else
        pn_cli_json_matrix(j, x, rows, 6);
}

static void print_operational_space(evaluation *e)
{
    const pinion_operational_space parts = operational_parts(e);
    pn_cli_json_open(&e->json, '{', 0);
    print_part(&e->json, "inverse", parts.inverse, 6);
    print_part(&e->json, "lambda", parts.Lambda, 6);
    print_part(&e->json, "mu", parts.mu, 1);
    print_part(&e->json, "p", parts.p, 1);
    print_part(&e->json, "jbar", parts.Jbar, pinion_model_nv(e->m));
    pn_cli_json_close(&e->json);
}

/* Prints what compute() left in e->out. */
static void print_result(evaluation *e, const quantity *what)
{
    int nv = pinion_model_nv(e->m);
    switch (what->id) {
    case Q_INVERSE_DYNAMICS:
    case Q_FORWARD_DYNAMICS:
    case Q_GRAVITY:
    case Q_BIAS: pn_cli_json_numbers(&e->json, e->out, nv); break;
    case Q_MASS_MATRIX:
    case Q_MASS_MATRIX_INVERSE:
    case Q_CORIOLIS: pn_cli_json_matrix(&e->json, e->out, nv, nv); break;
    case Q_JACOBIAN: pn_cli_json_matrix(&e->json, e->out, 6, nv); break;
    case Q_OPERATIONAL_SPACE: print_operational_space(e); break;
    case Q_FRAMES: print_frames(e); break;
    case Q_ENERGY: print_energy(e); break;
    case Q_COM: print_com(e); break;
    default: pn_cli_json_numbers(&e->json, e->out, 6); break; /* velocity, acceleration, momentum */
    }
}

/* Why a result may have numbers that are not finite. */
static const char *not_finite(const evaluation *e, const quantity *what)
{
    if (what->id == Q_COM && pinion_model_mass(e->m) == 0)
        return "is not finite: nothing that can move has mass, so there is no centre of mass";
    if (what->id == Q_OPERATIONAL_SPACE && isfinite(e->out[0]))
        return "is null but for its inverse: the frame cannot move in all six directions";
    return "is not finite";
}

/* One state: an object with every quantity; what fails is null and the rest still computed. */
static void print_state(evaluation *e)
{
    pn_cli_json_open(&e->json, '{', 0);
    for (int i = 0; i < e->what.count; i++) {
        const quantity *what = &e->what.entry[i];
        pn_cli_json_key(&e->json, what->key);
        pinion_status status = compute(e, what);
        if (status != PINION_OK) {
            char why[600];
            snprintf(why, sizeof why, "is null: %s", reason(e, status));
            complain(e, what, why);
            pn_cli_json_null(&e->json);
            continue;
        }
        long before = e->json.nulls;
        print_result(e, what);
        if (e->json.nulls > before) complain(e, what, not_finite(e, what));
    }
    pn_cli_json_close(&e->json);
}

/* ------------------------------------------------------------------------------------------------ */
/* The run */

/* Room for the largest result asked for. */
static int allocate(evaluation *e)
{
    size_t nv = (size_t)pinion_model_nv(e->m), size = nv > 8 ? nv : 8;
    if (pn_cli_what_has(&e->what, Q_JACOBIAN)) size = 6 * nv > size ? 6 * nv : size;
    if (pn_cli_what_has(&e->what, Q_OPERATIONAL_SPACE)) size = 84 + 6 * nv > size ? 84 + 6 * nv : size;
    size_t poses = 12 * (size_t)pinion_model_frame_count(e->m);
    if (pn_cli_what_has(&e->what, Q_FRAMES)) size = poses > size ? poses : size;
    int matrix = pn_cli_what_has(&e->what, Q_MASS_MATRIX) ||
                 pn_cli_what_has(&e->what, Q_MASS_MATRIX_INVERSE) || pn_cli_what_has(&e->what, Q_CORIOLIS);
    if (matrix) size = nv * nv > size ? nv * nv : size;

    /* the larger workspace only where it is needed */
    int algorithms = 0;
    for (int p = 0; p < PINION_PROBLEM_COUNT; p++) algorithms |= e->by[p] >= 0;
    e->w = algorithms ? pinion_work_new_for_algorithms(e->m) : pinion_work_new(e->m);
    e->out = calloc(size, sizeof *e->out);
    e->out2 = calloc(nv + 1, sizeof *e->out2);
    if (e->w && e->out && e->out2 && pn_cli_state_init(&e->s, e->m)) return CLI_DONE;
    pn_cli_report(e->command, "out of memory");
    return CLI_FAILED;
}

/* Reads every state once before anything is printed, so that a bad one leaves no half answer. */
static int check_states(evaluation *e)
{
    double position[3], rotation[9];
    for (e->index = 0; e->index < e->file.count; e->index++) {
        if (!pn_cli_state_read(&e->file, e->index, e->m, &e->s)) return CLI_FAILED;

        /* the library checks the quaternions */
        pinion_status status = pinion_frame_pose(e->m, e->w, e->s.q, 0, position, rotation);
        if (status != PINION_OK) {
            pn_cli_report(e->command, "%s: states[%zu].q: %s", e->file.name, e->index, reason(e, status));
            return CLI_FAILED;
        }
    }
    return CLI_DONE;
}

static int print_answer(evaluation *e)
{
    e->json = pn_cli_json(stdout);
    pn_cli_json_open(&e->json, '{', 0);
    pn_cli_json_key(&e->json, "model");
    pn_cli_model_json(&e->json, e->m);
    pn_cli_json_key(&e->json, "states");
    pn_cli_json_open(&e->json, '[', 0);
    for (e->index = 0; e->index < e->file.count && !ferror(stdout); e->index++) {
        if (!pn_cli_state_read(&e->file, e->index, e->m, &e->s)) return CLI_FAILED;
        print_state(e);
    }
    pn_cli_json_end(&e->json);

    if (e->complaints > COMPLAINTS_MAX)
        pn_cli_report(e->command, "%ld more results are not finite or null", e->complaints - COMPLAINTS_MAX);
    return pn_cli_finish(e->command, e->complaints ? CLI_FAILED : CLI_DONE);
}

/* ------------------------------------------------------------------------------------------------ */
/* The algorithms */

/* Whether some entry of --what is the answer to the problem. */
static int asks_for(const evaluation *e, int problem)
{
    for (int i = 0; i < e->what.count; i++)
        if (pn_cli_quantity_problem(e->what.entry[i].id) == problem) return 1;
    return 0;
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
    if (!asks_for(e, (int)info.problem)) {
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
    if (problem != PINION_PROBLEM_MASS_MATRIX_INVERSE) {
        pn_cli_report(e->command, "%s", err.message);
        return CLI_FAILED;
    }

    /* the inverse of M can be had column by column */
    const double none[3] = {0, 0, 0};
    e->weightless = pinion_model_copy(e->m);
    if (e->weightless && pinion_model_set_gravity(e->weightless, none) == PINION_OK) return CLI_DONE;
    pn_cli_report(e->command, "out of memory");
    return CLI_FAILED;
}

/* Holds the algorithm that was asked for against the model, and picks those that were not. */
static int choose_algorithms(evaluation *e)
{
    int status = CLI_DONE;
    for (int p = 0; p < PINION_PROBLEM_COUNT && status == CLI_DONE; p++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        int own = p == PINION_PROBLEM_INVERSE_DYNAMICS || p == PINION_PROBLEM_MASS_MATRIX ||
                  p == PINION_PROBLEM_FORWARD_DYNAMICS;
        if (e->by[p] < 0 && !own && asks_for(e, p)) {
            status = choose_algorithm(e, p);
        } else if (e->by[p] >= 0 && pinion_algorithm_applies(e->by[p], e->m, &err) != PINION_OK) {
            pn_cli_report(e->command, "%s", err.message);
            status = CLI_FAILED;
        }
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

int pn_cli_eval(const cli_args *args)
{
    evaluation e;
    memset(&e, 0, sizeof e);
    e.args = args;
    e.command = args->command->name;

    int status = check_arguments(&e);
    if (status == CLI_DONE) {
        e.m = pn_cli_load(args, args->positional);
        if (!e.m) status = CLI_FAILED;
    }
    if (status == CLI_DONE) status = pn_cli_what_resolve(e.command, e.m, &e.what);
    if (status == CLI_DONE) status = choose_algorithms(&e);
    if (status == CLI_DONE && !pn_cli_states_open(&e.file, e.command, args->value[OPT_STATES]))
        status = CLI_FAILED;
    if (status == CLI_DONE) status = allocate(&e);
    if (status == CLI_DONE) status = check_states(&e);
    if (status == CLI_DONE) status = print_answer(&e);

    pn_cli_state_free(&e.s);
    free(e.out);
    free(e.out2);
    pn_cli_states_close(&e.file);
    pn_cli_what_free(&e.what);
    pinion_work_free(e.w);
    pinion_model_free(e.weightless);
    pinion_model_free(e.m);
    return status;
}
