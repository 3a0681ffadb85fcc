/* pinion sim: the state at the start. A model, a file and the command line may each say a part of it; loops
 * that are then open are closed, and told so. */
#include "cli/sim/sim_command.h"

#include "cli/args/coordinate_list.h"
#include "cli/args/motion_args.h"
#include "cli/info/singular.h"
#include "cli/args/states.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ */
/* Reading */

/* Of a file with several states the first. */
static int read_state_file(sim_run *r, const char *path)
{
    state s;
    if (!pn_cli_state_of_file(r->command, path, r->m, &s)) return CLI_FAILED;
    memcpy(r->q, s.q, (size_t)r->nq * sizeof *r->q);
    memcpy(r->v, s.v, (size_t)r->nv * sizeof *r->v);
    pn_cli_state_free(&s);
    return CLI_DONE;
}

/* A run that follows a file's motion starts on it, unless it is told where. */
static int read_motion(sim_run *r)
{
    const char *const *value = r->args->value;
    if (!pn_cli_sim_follows(r) || !value[OPT_TRAJECTORY]) return CLI_DONE;
    int status = pn_cli_motion(r->args, r->m, NULL, &r->target);
    if (status != CLI_DONE || value[OPT_STATE] || value[OPT_Q]) return status;
    double *a = malloc(((size_t)r->nv + 1) * sizeof *a);
    if (!a || pinion_trajectory_at(r->target, 0, r->q, r->v, a) != PINION_OK) {
        pn_cli_report(r->command, "out of memory");
        status = CLI_FAILED;
    }
    free(a);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */
/* Loops */

/* Says what closing the loops changed: which coordinate the most, and that what was named could not be kept. */
static void tell(const sim_run *r, const pinion_start_change *c, int velocities)
{
    char name[400];
    if (c->most < 0) return;
    pinion_coordinate_name(r->m, "v", c->most, name, sizeof name);
    pn_cli_report(r->command, "note: the loops %s%.3g at the start%s; %s, that of %s the most, by %.4g",
                  velocities ? "open at the rate " : "are open by ", c->open,
                  c->kept      ? ""
                  : velocities ? ", and cannot keep closed with what --v0 gives"
                               : ", and cannot be closed with what --q0 gives",
                  velocities ? "velocities are changed so that they stay closed"
                             : "coordinates are changed to close them",
                  name + 2, c->change);
}

/* Says that the start is a singular position, and what that means. */
static int tell_singular(const sim_run *r)
{
    const pinion_mobility *mobility = &r->start.mobility;
    pinion_work *w = pinion_work_new(r->m);
    if (!w) {
        pn_cli_report(r->command, "out of memory");
        return CLI_FAILED;
    }
    const singular_kind kind = pn_cli_singular(r->m, w, r->q, mobility);
    pinion_work_free(w);
    if (kind == SINGULAR_LOCKED)
        pn_cli_report(r->command, "note: the start is a singular position from which the loops allow no motion, "
                                  "although the rank of the constraints leaves %d degree%s of freedom",
                      mobility->freedom, pn_cli_plural(mobility->freedom));
    if (kind == SINGULAR_BRANCHES)
        pn_cli_report(r->command,
                      "note: the start is a singular position, where motions of several kinds meet (the rank of the "
                      "constraints, %d, is higher nearby); which of them the mechanism takes may depend on rounding",
                      mobility->rank);
    return CLI_DONE;
}

#define OPEN_MOST 1e-3 /* of what rows could be: what is farther open is more than rounded */

/* Says that the rank is in doubt at the start. What was closed already closes again at once. */
static int tell_doubt(const sim_run *r)
{
    const pinion_mobility *mobility = &r->start.mobility;
    char text[500] = "";
    pinion_assembly closed = {.doubt = 0};
    pinion_work *w = pinion_work_new(r->m);
    double *q = malloc(((size_t)r->nq + 1) * sizeof *q);
    int status = w && q ? CLI_DONE : CLI_FAILED;
    if (status == CLI_DONE) {
        memcpy(q, r->q, (size_t)r->nq * sizeof *q);
        if (pinion_assemble(r->m, w, 0, NULL, q, &closed) == PINION_OK && closed.doubt > 0)
            pn_cli_doubt(r->m, closed.doubt, closed.doubt_loop, 1, text, sizeof text);
        else if (mobility->doubt > 0)
            pn_cli_doubt(r->m, mobility->doubt, mobility->doubt_loop, mobility->rounded, text, sizeof text);
        if (text[0]) pn_cli_report(r->command, "warning: %s", text);
        if (closed.doubt > 0 && pn_cli_open_share(r->m, w, 0, q) > OPEN_MOST) {
            pn_cli_report(r->command, "the loops stay open by %.3g: a run would lock them, or lose its energy",
                          closed.open);
            status = CLI_FAILED;
        }
    } else {
        pn_cli_report(r->command, "out of memory");
    }
    pinion_work_free(w);
    free(q);
    return status;
}

/* Closes the loops with what is named held if that can be, and says what had to change. */
static int close_loops(sim_run *r, const unsigned char *q_named, const unsigned char *v_named)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    const int told = !r->quiet && !r->resumed;
    const pinion_status status = pinion_start_close(r->m, q_named, v_named, !r->args->value[OPT_STATE], r->q, r->v,
                                                    &r->start, &err);
    if (told) {
        tell(r, &r->start.position, 0);
        tell(r, &r->start.velocity, 1);
        if (r->start.conflict[0])
            pn_cli_report(r->command, "note: no acceleration keeps the loops at the start: %s", r->start.conflict);
    }
    if (status != PINION_OK) {
        pn_cli_report(r->command, "%s", err.message);
        return CLI_FAILED;
    }
    if (pinion_model_loop_count(r->m) == 0 || r->resumed) return CLI_DONE;
    const int doubted = tell_doubt(r);
    return told && doubted == CLI_DONE ? tell_singular(r) : doubted;
}

/* ------------------------------------------------------------------------------------------------ */

/* A file's state, or the model's own, changed by --q0 and --v0. */
int pn_cli_sim_start(sim_run *r)
{
    const char *const *value = r->args->value;
    unsigned char *named = calloc((size_t)r->nq + (size_t)r->nv + 1, 1), *v_named = named + r->nq;
    if (!named) {
        pn_cli_report(r->command, "out of memory");
        return CLI_FAILED;
    }
    int status = pinion_initial(r->m, r->q, r->v) == PINION_OK ? CLI_DONE : CLI_FAILED;
    if (status == CLI_DONE) status = read_motion(r);
    if (status == CLI_DONE && value[OPT_STATE]) status = read_state_file(r, value[OPT_STATE]);
    if (status == CLI_DONE && value[OPT_Q])
        status = pn_cli_start_coordinates(r->command, "q0", r->m, "q", value[OPT_Q], r->q, named);
    if (status == CLI_DONE && value[OPT_Q] && !pn_cli_normalize(r->command, "--q0", r->m, r->q)) status = CLI_USAGE;
    if (status == CLI_DONE && value[OPT_V])
        status = pn_cli_start_coordinates(r->command, "v0", r->m, "v", value[OPT_V], r->v, v_named);
    if (status == CLI_DONE) status = close_loops(r, named, v_named);
    free(named);
    return status;
}
