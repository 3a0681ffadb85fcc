/* pinion id with closed loops: the motion is brought onto the loops, and the forces are those of the joints that are
 * actuated. */
#define _POSIX_C_SOURCE 200809L
#include "cli/id/id.h"

#include "cli/args/near.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a motion may be off and still be meant to keep the loops: rounding of files and of splines. */
#define NEARLY_CLOSED 1e-6

/* ------------------------------------------------------------------------------------------------ */
/* Which joints are actuated */

/* Marks the joint of that name. */
static int mark_joint(id_run *d, const char *name)
{
    const int index = pinion_model_find_joint(d->m, name);
    pinion_joint_info joint;
    if (index >= 0 && pinion_model_joint(d->m, index, &joint) == PINION_OK && joint.nv > 0) {
        memset(d->loops.actuated + joint.v_index, 1, (size_t)joint.nv);
        return CLI_DONE;
    }
    char near[400];
    cli_near found = pn_cli_near(name);
    for (int i = 0; i < d->joints; i++)
        if (pinion_model_joint(d->m, i, &joint) == PINION_OK && joint.nv > 0) pn_cli_near_offer(&found, joint.name);
    pn_cli_report(d->command, "--actuated: no joint of the tree that moves by itself is named '%s'%s", name,
                  pn_cli_near_text(&found, near, sizeof near));
    return CLI_FAILED;
}

/* Those that a list of actuators moves; without one those of --actuated, else those that the model does not call
 * unactuated. */
static int read_actuated(id_run *d)
{
    const char *list = d->args->value[OPT_ACTUATED];
    pinion_joint_info joint;
    for (int k = 0; k < pinion_model_actuator_count(d->m) && d->listed; k++) {
        pinion_actuator_info a;
        if (pinion_model_actuator(d->m, k, &a) != PINION_OK) continue;
        for (int i = 0; i < a.term_count; i++) d->loops.actuated[a.term[i].v_index] = 1;
    }
    if (d->listed) return CLI_DONE;
    if (!list) {
        for (int i = 0; i < d->joints; i++)
            if (pinion_model_joint(d->m, i, &joint) == PINION_OK && joint.nv > 0 && !joint.unactuated)
                memset(d->loops.actuated + joint.v_index, 1, (size_t)joint.nv);
        return CLI_DONE;
    }
    char *copy = strdup(list), *rest = copy;
    int status = copy ? CLI_DONE : CLI_FAILED;
    if (!copy) pn_cli_report(d->command, "out of memory");
    for (char *name = copy ? strtok_r(copy, ",", &rest) : NULL; name && status == CLI_DONE;
         name = strtok_r(NULL, ",", &rest))
        status = mark_joint(d, name);
    free(copy);
    return status;
}

int pn_cli_id_loops_begin(id_run *d)
{
    id_loops *x = &d->loops;
    x->count = pinion_model_loop_count(d->m);
    if (x->count && pinion_model_elastic_count(d->m)) {
        pn_cli_report(d->command, "the model has closed loops and elastic links: how these bend follows from the "
                                  "forces; pinion sim with a controller gives both");
        return CLI_FAILED;
    }
    if (x->count == 0) {
        if (!d->args->value[OPT_ACTUATED]) return CLI_DONE;
        pn_cli_report(d->command, "--actuated is of models with closed loops; this one has none");
        return CLI_USAGE;
    }
    if (d->listed && d->args->value[OPT_ACTUATED]) {
        pn_cli_report(d->command, "--actuated has no use with a model that lists its actuators");
        return CLI_USAGE;
    }
    if (d->algorithm >= 0) {
        pn_cli_report(d->command, "--algorithm is of models without closed loops; this one has %d", x->count);
        return CLI_USAGE;
    }
    const size_t rows = (size_t)pinion_model_row_count(d->m), loops = (size_t)x->count, nq = (size_t)d->nq;
    x->phi = calloc(3 * rows + 6 * loops + 2 * nq + (size_t)pinion_model_loop_nv(d->m) + 1, sizeof *x->phi);
    x->actuated = calloc((size_t)d->nv + 1, 1);
    if (!x->phi || !x->actuated) {
        pn_cli_report(d->command, "out of memory");
        return CLI_FAILED;
    }
    x->rate = x->phi + rows;
    x->lambda = x->rate + rows;
    x->wrench = x->lambda + rows;
    x->given = x->wrench + 6 * loops;
    x->last = x->given + nq;
    x->passive = x->last + nq;
    x->nearest.angle = INFINITY;
    return read_actuated(d);
}

void pn_cli_id_loops_end(id_run *d)
{
    free(d->loops.phi);
    free(d->loops.actuated);
}

/* ------------------------------------------------------------------------------------------------ */
/* One instant */

static double largest(const double *x, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* The joints that lead, for assembling and projecting: those with motors; none where the motion is nearly right anyway,
 * or where all have motors. */
static const unsigned char *leaders(const id_run *d, double off)
{
    return off > NEARLY_CLOSED && memchr(d->loops.actuated, 0, (size_t)d->nv) ? d->loops.actuated : NULL;
}

/* Joints that follow are looked for where they were: a mechanism that can be put together in several ways stays in the
 * one it is in. */
static void follow_on(id_run *d)
{
    pinion_joint_info joint;
    for (int i = 0; i < d->joints && d->loops.rows > 0; i++)
        if (pinion_model_joint(d->m, i, &joint) == PINION_OK && joint.nv > 0 && !d->loops.actuated[joint.v_index])
            memcpy(d->q + joint.q_index, d->loops.last + joint.q_index, (size_t)joint.nq * sizeof *d->q);
}

pinion_status pn_cli_id_keep_loops(id_run *d, double t)
{
    id_loops *x = &d->loops;
    const pinion_constraints off = {.phi = x->phi, .rate = x->rate};
    const size_t nq = (size_t)d->nq;
    memcpy(x->given, d->q, nq * sizeof *x->given);

    /* positions, velocities, accelerations; the actuated joints lead */
    pinion_status status = pinion_constraints_at(d->m, d->w, t, d->q, d->v, &off);
    const int rows = pinion_model_row_count(d->m);
    const unsigned char *lead = leaders(d, largest(x->phi, rows));
    if (status == PINION_OK && lead) follow_on(d);
    if (status == PINION_OK) status = pinion_assemble(d->m, d->w, t, lead, d->q, NULL);
    double moved = 0;
    for (size_t i = 0; i < nq && status == PINION_OK; i++) moved = fmax(moved, fabs(d->q[i] - x->given[i]));
    x->moved = fmax(x->moved, moved);
    if (status == PINION_OK) status = pinion_constraints_at(d->m, d->w, t, d->q, d->v, &off);
    if (status != PINION_OK) return status;
    memcpy(x->last, d->q, nq * sizeof *x->last);
    x->rows++;
    lead = leaders(d, fmax(moved, largest(x->rate, rows)));
    status = pinion_project_velocity(d->m, d->w, t, lead, d->q, d->v);
    return status == PINION_OK ? pinion_project_acceleration(d->m, d->w, t, lead, d->q, d->v, d->a) : status;
}

pinion_status pn_cli_id_loop_torques(id_run *d, double t)
{
    pinion_loop_options o = pinion_loop_options_default();
    o.t = t;
    o.passive = d->passive;
    pinion_status status = d->listed ? pn_cli_id_actuate_loops(d, t)
                                     : pinion_loop_inverse_dynamics(d->m, d->w, &o, d->q, d->v, d->a, NULL,
                                                                    d->loops.actuated, d->tau, d->loops.lambda);
    if (status == PINION_OK && d->passive)
        status = pinion_loop_passive_forces(d->m, d->w, d->q, d->v, d->loops.passive);
    if (status != PINION_OK) return status;
    pn_cli_loops_look(d->m, d->w, t, d->q, d->v, &d->loops.here);
    if (d->loops.here.angle < d->loops.nearest.angle) {
        d->loops.nearest = d->loops.here;
        d->loops.at = t;
    }
    return pinion_loop_reactions(d->m, d->w, d->q, d->loops.lambda, d->loops.passive, NULL, NULL, d->loops.wrench);
}

void pn_cli_id_loops_note(const id_run *d)
{
    if (d->loops.moved > NEARLY_CLOSED)
        pn_cli_report(d->command,
                      "note: the motion does not keep the loops; joints were moved by up to %.3g to keep them",
                      d->loops.moved);
    for (int kind = 0; kind < TOLD_KINDS && d->loops.nearest.angle < INFINITY; kind++)
        if (d->loops.nearest.text[kind][0])
            pn_cli_report(d->command, "warning: at t = %.6g s %s", d->loops.at, d->loops.nearest.text[kind]);
}
