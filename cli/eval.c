/* pinion eval: quantities at given states. Its input and output are a contract with other programs. */
#include "info.h"
#include "load.h"
#include "quantity.h"
#include "states.h"
#include "text.h"

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
    double *out;  /* the largest result asked for */
    double *out2; /* nv numbers: passive forces, sums */
    size_t index; /* of the state at hand */
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
    int nv = pinion_model_nv(e->m);
    pinion_status status = pinion_inverse_dynamics(e->m, e->w, s->q, s->v, s->a, forces(e), e->out);
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
    int nv = pinion_model_nv(e->m);
    pinion_status status = PINION_OK;
    for (int i = 0; i < nv; i++) e->out2[i] = 0;
    if (e->passive) status = pinion_passive_forces(e->m, e->w, s->q, s->v, e->out2);
    for (int i = 0; i < nv; i++) e->out2[i] += s->tau[i];
    if (status != PINION_OK) return status;
    return pinion_forward_dynamics(e->m, e->w, s->q, s->v, e->out2, forces(e), e->out);
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
    case Q_MASS_MATRIX: return pinion_mass_matrix(m, e->w, s->q, out);
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

/* Prints what compute() left in e->out. */
static void print_result(evaluation *e, const quantity *what)
{
    int nv = pinion_model_nv(e->m);
    switch (what->id) {
    case Q_INVERSE_DYNAMICS:
    case Q_FORWARD_DYNAMICS:
    case Q_GRAVITY:
    case Q_BIAS: pn_cli_json_numbers(&e->json, e->out, nv); break;
    case Q_MASS_MATRIX: pn_cli_json_matrix(&e->json, e->out, nv, nv); break;
    case Q_JACOBIAN: pn_cli_json_matrix(&e->json, e->out, 6, nv); break;
    case Q_FRAMES: print_frames(e); break;
    case Q_ENERGY: print_energy(e); break;
    case Q_COM: print_com(e); break;
    default: pn_cli_json_numbers(&e->json, e->out, 6); break; /* velocity, acceleration, momentum */
    }
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
        if (e->json.nulls > before) complain(e, what, "is not finite");
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
    size_t poses = 12 * (size_t)pinion_model_frame_count(e->m);
    if (pn_cli_what_has(&e->what, Q_FRAMES)) size = poses > size ? poses : size;
    if (pn_cli_what_has(&e->what, Q_MASS_MATRIX)) size = nv * nv > size ? nv * nv : size;

    e->w = pinion_work_new(e->m);
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
    return pn_cli_what_parse(e->command, args->value[OPT_WHAT], &e->what);
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
    pinion_model_free(e.m);
    return status;
}
