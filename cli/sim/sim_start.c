/* pinion sim: the state at the start. A model, a file and the command line may each say a part of it; loops
 * that are then open are closed, and told so. */
#include "cli/sim/sim_command.h"

#include "cli/args/coordinate_list.h"
#include "cli/info/singular.h"
#include "cli/args/states.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OPEN 1e-9 /* m, rad or per s: what is more was not meant to be closed already */

/* ------------------------------------------------------------------------------------------------ */
/* Reading */

/* Opens a file with one state, {"q": [...]}, or with states as pinion eval reads them. */
static int open_states(states_file *file, const char *command, const char *path)
{
    json_t *one = strcmp(path, "-") == 0
                      ? NULL
                      : json_load_file(path, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    if (!json_is_object(one) || !json_object_get(one, "q")) {
        json_decref(one);
        return pn_cli_states_open(file, command, path);
    }
    memset(file, 0, sizeof *file);
    file->command = command;
    file->name = path;
    file->root = json_pack("{s:[o]}", "states", one);
    file->list = json_object_get(file->root, "states");
    file->count = json_array_size(file->list);
    if (!file->root) pn_cli_report(command, "out of memory");
    return file->root != NULL;
}

/* Of a file with several states the first. */
static int read_state_file(sim_run *r, const char *path)
{
    states_file file;
    state s;
    if (!open_states(&file, r->command, path)) return CLI_FAILED;
    int status = CLI_FAILED;
    if (file.count == 0) {
        pn_cli_report(r->command, "%s: states: there is none", file.name);
    } else if (!pn_cli_state_init(&s, r->m)) {
        pn_cli_report(r->command, "out of memory");
    } else {
        if (pn_cli_state_read(&file, 0, r->m, &s) && pn_cli_normalize(r->command, file.name, r->m, s.q)) {
            memcpy(r->q, s.q, (size_t)r->nq * sizeof *r->q);
            memcpy(r->v, s.v, (size_t)r->nv * sizeof *r->v);
            status = CLI_DONE;
        }
        pn_cli_state_free(&s);
    }
    pn_cli_states_close(&file);
    return status;
}

/* Which coordinates of q and v the command line names; a list of numbers alone is a guess like any other. */
typedef struct named {
    unsigned char *q, *v; /* [nv] each: q by the velocities that would change the coordinate */
    int any_q, any_v;
} named;

/* The velocities that change a coordinate of q. */
static void name_coordinate(const sim_run *r, int coordinate, unsigned char *v)
{
    for (int i = 0; i < pinion_model_joint_count(r->m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(r->m, i, &joint) != PINION_OK) continue;
        const int k = coordinate - joint.q_index;
        if (joint.nv == 0 || k < 0 || k >= joint.nq) continue;
        int first = k, count = 1;
        if (joint.type == PINION_JOINT_SPHERICAL || joint.type == PINION_JOINT_FREE) {
            first = k < 4 ? 0 : 3;
            count = 3;
        } else if (joint.type == PINION_JOINT_PLANAR && k < 2) {
            first = 0;
            count = 2;
        }
        memset(v + joint.v_index + first, 1, (size_t)count);
    }
}

/* --q0 or --v0: changes x where the list says, and remembers what it names. */
static int read_list(sim_run *r, option_id id, const char *what, int count, double *x, unsigned char *name,
                     int *any)
{
    const char *text = r->args->value[id];
    if (!text) return CLI_DONE;
    double *given = malloc(((size_t)count + 1) * sizeof *given);
    if (!given) {
        pn_cli_report(r->command, "out of memory");
        return CLI_FAILED;
    }
    for (int i = 0; i < count; i++) given[i] = NAN;
    const int status = pn_cli_coordinates(r->command, pn_cli_option_name(r->args, id), r->m, what, 0, text, given);
    const int pairs = strchr(text, '=') != NULL;
    for (int i = 0; i < count && status == CLI_DONE; i++) {
        if (isnan(given[i])) continue;
        x[i] = given[i];
        if (!pairs) continue;
        *any = 1;
        if (id == OPT_Q)
            name_coordinate(r, i, name);
        else
            name[i] = 1;
    }
    free(given);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */
/* Loops */

/* What is needed to close loops. */
typedef struct closing {
    sim_run *r;
    pinion_work *w;
    named given;
    unsigned char *locked; /* [nv] */
    double *phi;           /* [rows] */
    double *before;        /* [nq] */
    double *change;        /* [nv] */
    void *memory;
} closing;

static int closing_begin(closing *c)
{
    const size_t nq = (size_t)c->r->nq, nv = (size_t)c->r->nv, rows = (size_t)pinion_model_row_count(c->r->m);
    c->w = pinion_work_new(c->r->m);
    double *x = c->memory = calloc((nq + nv + rows + 1) * sizeof *x + 3 * nv, 1);
    if (!c->w || !x) {
        pn_cli_report(c->r->command, "out of memory");
        return CLI_FAILED;
    }
    c->before = x;
    c->change = c->before + nq;
    c->phi = c->change + nv;
    c->locked = (unsigned char *)(c->phi + rows);
    c->given.q = c->locked + nv;
    c->given.v = c->given.q + nv;
    return CLI_DONE;
}

static void closing_end(closing *c)
{
    pinion_work_free(c->w);
    free(c->memory);
}

/* The last failure in words. */
static int failed(const closing *c, pinion_status status)
{
    const char *words = pinion_work_message(c->w);
    pn_cli_report(c->r->command, "%s", *words ? words : pinion_status_text(status));
    return CLI_FAILED;
}

/* What is held in the attempts at closing, from the first to the last. */
enum { HOLD_ALL, HOLD_NAMED, HOLD_NOTHING, ATTEMPTS };

/* First everything that somebody gave: the command line, and the model where it says how a joint starts (but
 * velocities only where it moves); then what the command line names; then nothing. */
static void hold(closing *c, int attempt, int velocities)
{
    const sim_run *r = c->r;
    memset(c->locked, 0, (size_t)r->nv);
    if (attempt == HOLD_NOTHING) return;
    memcpy(c->locked, velocities ? c->given.v : c->given.q, (size_t)r->nv);
    if (attempt == HOLD_NAMED || r->args->value[OPT_STATE]) return;
    for (int i = 0; i < pinion_model_joint_count(r->m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(r->m, i, &joint) != PINION_OK || !joint.has_initial) continue;
        for (int k = 0; k < joint.nv; k++)
            if (!velocities || joint.initial_v[k] != 0) c->locked[joint.v_index + k] = 1;
    }
}

/* The same for an attempt, and how many are held: each attempt holds a part of what the one before did, so that the
 * same number says that there is nothing new to try. */
static int held(closing *c, int attempt, int velocities)
{
    int count = 0;
    hold(c, attempt, velocities);
    for (int i = 0; i < c->r->nv; i++) count += c->locked[i] != 0;
    return count;
}

/* How far the loops are open, or how fast they open. */
static pinion_status look(closing *c, int velocities, double *open)
{
    const sim_run *r = c->r;
    const pinion_constraints wanted = {velocities ? NULL : c->phi, NULL, velocities ? c->phi : NULL, NULL};
    const pinion_status status = pinion_constraints_at(r->m, c->w, 0, r->q, r->v, &wanted);
    *open = 0;
    for (int i = 0; i < pinion_model_row_count(r->m) && status == PINION_OK && !isnan(*open); i++)
        if (!(fabs(c->phi[i]) <= *open)) *open = fabs(c->phi[i]);
    return status;
}

/* Says what c->change was: which coordinate changed the most, and that what was named could not be kept. */
static void tell(const closing *c, int velocities, double open, int kept)
{
    const sim_run *r = c->r;
    char name[400];
    int most = 0;
    for (int i = 0; i < r->nv; i++)
        if (fabs(c->change[i]) > fabs(c->change[most])) most = i;
    if (r->quiet || r->resumed || r->nv == 0 || !(fabs(c->change[most]) > OPEN)) return;
    pinion_coordinate_name(r->m, "v", most, name, sizeof name);
    pn_cli_report(r->command, "note: the loops %s%.3g at the start%s; %s, that of %s the most, by %.4g",
                  velocities ? "open at the rate " : "are open by ", open,
                  kept         ? ""
                  : velocities ? ", and cannot keep closed with what --v0 gives"
                               : ", and cannot be closed with what --q0 gives",
                  velocities ? "velocities are changed so that they stay closed"
                             : "coordinates are changed to close them",
                  name + 2, fabs(c->change[most]));
}

/* q so that the loops are closed. */
static int close_loops(closing *c)
{
    sim_run *r = c->r;
    double open;
    pinion_status status = look(c, 0, &open);
    if (status != PINION_OK) return failed(c, status);
    if (open <= OPEN) return CLI_DONE;
    memcpy(c->before, r->q, (size_t)r->nq * sizeof *r->q);
    int attempt = 0, last = -1;
    for (; attempt < ATTEMPTS; attempt++) {
        const int count = held(c, attempt, 0);
        if (count == last) continue;
        last = count;
        memcpy(r->q, c->before, (size_t)r->nq * sizeof *r->q);
        status = pinion_assemble(r->m, c->w, 0, count ? c->locked : NULL, r->q, NULL);
        if (status != PINION_ERR_CONVERGENCE) break;
    }
    if (status != PINION_OK) return failed(c, status);
    status = pinion_difference(r->m, c->before, r->q, c->change);
    if (status != PINION_OK) return failed(c, status);
    tell(c, 0, open, attempt < HOLD_NOTHING || !c->given.any_q);
    return CLI_DONE;
}

/* v so that they stay so. */
static int match_velocities(closing *c)
{
    sim_run *r = c->r;
    double rate, fastest = 0;
    pinion_status status = look(c, 1, &rate);
    if (status != PINION_OK) return failed(c, status);
    for (int i = 0; i < r->nv; i++) fastest = fmax(fastest, fabs(r->v[i]));
    if (rate <= OPEN * (1 + fastest)) return CLI_DONE;
    memcpy(c->change, r->v, (size_t)r->nv * sizeof *r->v);
    int attempt = 0, last = -1;
    for (; attempt < ATTEMPTS; attempt++) {
        const int count = held(c, attempt, 1);
        if (count == last) continue;
        last = count;
        memcpy(r->v, c->change, (size_t)r->nv * sizeof *r->v);
        status = pinion_project_velocity(r->m, c->w, 0, count ? c->locked : NULL, r->q, r->v);
        if (status != PINION_ERR_CONVERGENCE) break;
    }
    if (status != PINION_OK) return failed(c, status);
    for (int i = 0; i < r->nv; i++) c->change[i] = r->v[i] - c->change[i];
    tell(c, 1, rate, attempt < HOLD_NOTHING || !c->given.any_v);
    return CLI_DONE;
}

/* Says where no acceleration keeps the loops, as with two drives of one joint whose laws part: the run will end soon,
 * and then it can no longer be seen which they are. */
static int foresee(closing *c)
{
    const sim_run *r = c->r;
    const pinion_constraints wanted = {.c = c->phi};
    pinion_status status = pinion_constraints_at(r->m, c->w, 0, r->q, r->v, &wanted);
    if (status != PINION_OK) return failed(c, status);
    double most = 0;
    for (int i = 0; i < pinion_model_row_count(r->m); i++) most = fmax(most, fabs(c->phi[i]));
    if (most <= OPEN) return CLI_DONE;
    memset(c->change, 0, (size_t)r->nv * sizeof *c->change);
    status = pinion_project_acceleration(r->m, c->w, 0, NULL, r->q, r->v, c->change);
    if (status != PINION_OK && status != PINION_ERR_CONVERGENCE) return failed(c, status);
    if (status == PINION_ERR_CONVERGENCE && !r->quiet && !r->resumed)
        pn_cli_report(r->command, "note: no acceleration keeps the loops at the start: %s",
                      pinion_work_message(c->w));
    return CLI_DONE;
}

/* Says that the start is a singular position, and what that means. */
static void tell_singular(const closing *c)
{
    const sim_run *r = c->r;
    if (r->quiet || r->resumed) return;
    const singular_kind kind = pn_cli_singular(r->m, c->w, r->q, &r->mobility);
    if (kind == SINGULAR_LOCKED)
        pn_cli_report(r->command, "note: the start is a singular position from which the loops allow no motion, "
                                  "although the rank of the constraints leaves %d degree%s of freedom",
                      r->mobility.freedom, r->mobility.freedom == 1 ? "" : "s");
    if (kind == SINGULAR_BRANCHES)
        pn_cli_report(r->command,
                      "note: the start is a singular position, where motions of several kinds meet (the rank of the "
                      "constraints, %d, is higher nearby); which of them the mechanism takes may depend on rounding",
                      r->mobility.rank);
}

/* ------------------------------------------------------------------------------------------------ */

/* The state as it is given: a file's, or the model's own, changed by --q0 and --v0. */
static int read_state(sim_run *r, named *given)
{
    const char *const *value = r->args->value;
    if (pinion_initial(r->m, r->q, r->v) != PINION_OK) return CLI_FAILED;
    int status = value[OPT_STATE] ? read_state_file(r, value[OPT_STATE]) : CLI_DONE;
    if (status == CLI_DONE) status = read_list(r, OPT_Q, "q", r->nq, r->q, given->q, &given->any_q);
    if (status == CLI_DONE && value[OPT_Q] && !pn_cli_normalize(r->command, "--q0", r->m, r->q))
        status = CLI_USAGE;
    if (status == CLI_DONE) status = read_list(r, OPT_V, "v", r->nv, r->v, given->v, &given->any_v);
    return status;
}

int pn_cli_sim_start(sim_run *r)
{
    closing c;
    memset(&c, 0, sizeof c);
    c.r = r;
    int status = closing_begin(&c);
    if (status == CLI_DONE) status = read_state(r, &c.given);
    if (status == CLI_DONE && pinion_model_loop_count(r->m) > 0) {
        status = close_loops(&c);
        if (status == CLI_DONE) status = match_velocities(&c);
        if (status == CLI_DONE) status = foresee(&c);
        if (status == CLI_DONE) {
            const pinion_status known = pinion_mobility_at(r->m, c.w, 0, r->q, &r->mobility);
            if (known != PINION_OK) status = failed(&c, known);
            if (known == PINION_OK) tell_singular(&c);
        }
    }
    memcpy(r->start, r->q, (size_t)r->nq * sizeof *r->q);
    closing_end(&c);
    return status;
}
