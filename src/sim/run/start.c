/* The state at the start of a run. Several may each say a part of it; loops that are then open are closed, and it is
 * told what that changed. */
#include "pinion/sim/run.h"

#include "io/model_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPEN 1e-9  /* m, rad or per s: what is more was not meant to be closed already */
#define BETTER 0.5 /* of how far they are open with something held */

typedef struct closing {
    const pinion_model *m;
    int nq, nv, rows, initial;
    double *q, *v;
    pinion_start_info *info;
    pinion_work *w;
    unsigned char *given[2]; /* [nv] each: velocities that change a given coordinate of q; those of v */
    unsigned char *locked;   /* [nv] */
    double *phi;             /* [rows] */
    double *before;          /* [nq] */
    double *roughly;         /* [nq] */
    double *change;          /* [nv] */
    void *memory;
} closing;

/* The velocities that change a coordinate of q. */
static void give_coordinate(const closing *c, int coordinate)
{
    for (int i = 0; i < pinion_model_joint_count(c->m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(c->m, i, &joint) != PINION_OK) continue;
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
        memset(c->given[0] + joint.v_index + first, 1, (size_t)count);
    }
}

static int begin(closing *c, const unsigned char *q_given, const unsigned char *v_given)
{
    const size_t nq = (size_t)c->nq, nv = (size_t)c->nv, rows = (size_t)c->rows;
    c->w = pinion_work_new(c->m);
    double *x = c->memory = calloc((2 * nq + nv + rows + 1) * sizeof *x + 3 * nv, 1);
    if (!c->w || !x) return 0;
    c->before = x;
    c->roughly = c->before + nq;
    c->change = c->roughly + nq;
    c->phi = c->change + nv;
    c->locked = (unsigned char *)(c->phi + rows);
    c->given[0] = c->locked + nv;
    c->given[1] = c->given[0] + nv;
    for (int i = 0; i < c->nq && q_given; i++)
        if (q_given[i]) give_coordinate(c, i);
    for (int i = 0; i < c->nv && v_given; i++) c->given[1][i] = v_given[i] != 0;
    return 1;
}

/* What is held in the attempts at closing, from the first to the last. Each holds a part of what the one before did. */
enum { HOLD_ALL, HOLD_UNBENT, HOLD_GIVEN, HOLD_NOTHING, ATTEMPTS };

/* Fills c->locked for an attempt. Returns how many are held: the same number as before says that there is nothing new
 * to try. */
static int hold(closing *c, int attempt, int velocities)
{
    int count = 0;
    memset(c->locked, 0, (size_t)c->nv);
    if (attempt == HOLD_NOTHING) return 0;
    memcpy(c->locked, c->given[velocities], (size_t)c->nv);
    for (int i = 0; i < pinion_model_joint_count(c->m) && attempt < HOLD_GIVEN; i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(c->m, i, &joint) != PINION_OK) continue;
        /* elastic links bend only where joints cannot close the loops */
        const int bends = joint.type == PINION_JOINT_MODE, starts = attempt == HOLD_ALL && c->initial;
        for (int k = 0; k < joint.nv; k++)
            if (bends || (starts && joint.has_initial && (!velocities || joint.initial_v[k] != 0)))
                c->locked[joint.v_index + k] = 1;
    }
    for (int i = 0; i < c->nv; i++) count += c->locked[i] != 0;
    return count;
}

/* How far the loops are open, or how fast they open. */
static pinion_status look(closing *c, int velocities, double *open)
{
    const pinion_constraints wanted = {velocities ? NULL : c->phi, NULL, velocities ? c->phi : NULL, NULL};
    const pinion_status status = pinion_constraints_at(c->m, c->w, 0, c->q, c->v, &wanted);
    *open = 0;
    for (int i = 0; i < c->rows && status == PINION_OK && !isnan(*open); i++)
        if (!(fabs(c->phi[i]) <= *open)) *open = fabs(c->phi[i]);
    return status;
}

/* Remembers what c->change was: which coordinate changed the most, and whether what was given could be kept. */
static void tell(const closing *c, int velocities, double open, int attempt)
{
    pinion_start_change *told = velocities ? &c->info->velocity : &c->info->position;
    int most = 0, given = 0;
    for (int i = 0; i < c->nv; i++) {
        if (fabs(c->change[i]) > fabs(c->change[most])) most = i;
        given = given || c->given[velocities][i];
    }
    if (c->nv == 0 || !(fabs(c->change[most]) > OPEN)) return;
    *told = (pinion_start_change){open, most, fabs(c->change[most]), attempt < HOLD_NOTHING || !given};
}

/* q so that the loops are closed. */
static pinion_status close_loops(closing *c)
{
    double open;
    pinion_status status = look(c, 0, &open);
    if (status != PINION_OK || open <= OPEN) return status;
    memcpy(c->before, c->q, (size_t)c->nq * sizeof *c->q);
    int attempt = 0, last = -1, rough = -1;
    double left = 0; /* how far they stay open there */
    pinion_assembly found;
    for (; attempt < ATTEMPTS; attempt++) {
        const int count = hold(c, attempt, 0);
        if (count == last) continue;
        last = count;
        memcpy(c->q, count == 0 && rough >= 0 ? c->roughly : c->before, (size_t)c->nq * sizeof *c->q);
        found = (pinion_assembly){.open = 0};
        status = pinion_assemble(c->m, c->w, 0, count ? c->locked : NULL, c->q, &found);
        /* closed but for rounded data: perhaps nothing is rounded, and what is held is off */
        if (status == PINION_OK && count > 0 && found.open > OPEN) {
            memcpy(c->roughly, c->q, (size_t)c->nq * sizeof *c->q);
            rough = attempt;
            left = found.open;
            status = PINION_ERR_CONVERGENCE;
        }
        if (status != PINION_ERR_CONVERGENCE) break;
    }
    /* where nothing closes them much better, the data are rounded, and what is held may stay */
    const int no_better = status == PINION_OK && last == 0 && found.open > BETTER * left;
    if (rough >= 0 && (status == PINION_ERR_CONVERGENCE || no_better)) {
        memcpy(c->q, c->roughly, (size_t)c->nq * sizeof *c->q);
        attempt = rough;
        status = PINION_OK;
    }
    if (status == PINION_OK) status = pinion_difference(c->m, c->before, c->q, c->change);
    if (status == PINION_OK) tell(c, 0, open, attempt);
    return status;
}

/* v so that they stay so. */
static pinion_status match_velocities(closing *c)
{
    double rate, fastest = 0;
    pinion_status status = look(c, 1, &rate);
    for (int i = 0; i < c->nv; i++) fastest = fmax(fastest, fabs(c->v[i]));
    if (status != PINION_OK || rate <= OPEN * (1 + fastest)) return status;
    memcpy(c->change, c->v, (size_t)c->nv * sizeof *c->v);
    int attempt = 0, last = -1;
    for (; attempt < ATTEMPTS; attempt++) {
        const int count = hold(c, attempt, 1);
        if (count == last) continue;
        last = count;
        memcpy(c->v, c->change, (size_t)c->nv * sizeof *c->v);
        status = pinion_project_velocity(c->m, c->w, 0, count ? c->locked : NULL, c->q, c->v);
        if (status != PINION_ERR_CONVERGENCE) break;
    }
    if (status != PINION_OK) return status;
    for (int i = 0; i < c->nv; i++) c->change[i] = c->v[i] - c->change[i];
    tell(c, 1, rate, attempt);
    return PINION_OK;
}

/* Looks whether any acceleration keeps the loops; none does with two drives of one joint whose laws part, say. The run
 * will end soon, and then it can no longer be seen which they are. */
static pinion_status foresee(closing *c)
{
    const pinion_constraints wanted = {.c = c->phi};
    pinion_status status = pinion_constraints_at(c->m, c->w, 0, c->q, c->v, &wanted);
    if (status != PINION_OK) return status;
    double most = 0;
    for (int i = 0; i < c->rows; i++) most = fmax(most, fabs(c->phi[i]));
    if (most <= OPEN) return PINION_OK;
    memset(c->change, 0, (size_t)c->nv * sizeof *c->change);
    status = pinion_project_acceleration(c->m, c->w, 0, NULL, c->q, c->v, c->change);
    if (status != PINION_ERR_CONVERGENCE) return status;
    snprintf(c->info->conflict, sizeof c->info->conflict, "%s", pinion_work_message(c->w));
    return PINION_OK;
}

pinion_status pinion_start_close(const pinion_model *m, const unsigned char *q_given, const unsigned char *v_given,
                                 int initial, double *q, double *v, pinion_start_info *info, pinion_error *err)
{
    pinion_start_info own;
    if (!info) info = &own;
    memset(info, 0, sizeof *info);
    info->position.most = info->velocity.most = -1;
    info->position.kept = info->velocity.kept = 1;
    if (!m || !q || !v) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "the model, q or v is missing");
        return PINION_ERR_ARGUMENT;
    }
    if (pinion_model_loop_count(m) == 0) return PINION_OK;
    closing c = {.m = m,
                 .nq = pinion_model_nq(m),
                 .nv = pinion_model_nv(m),
                 .rows = pinion_model_row_count(m),
                 .initial = initial,
                 .q = q,
                 .v = v,
                 .info = info};
    pinion_status status = begin(&c, q_given, v_given) ? PINION_OK : PINION_ERR_MEMORY;
    if (status == PINION_OK) status = close_loops(&c);
    if (status == PINION_OK) status = match_velocities(&c);
    if (status == PINION_OK) status = foresee(&c);
    if (status == PINION_OK) status = pinion_mobility_at(m, c.w, 0, q, &info->mobility);
    if (status != PINION_OK) {
        const char *words = c.w && status != PINION_ERR_MEMORY ? pinion_work_message(c.w) : "";
        pn_error_set(err, status, NULL, 0, 0, "%s", words && *words ? words : pinion_status_text(status));
    }
    pinion_work_free(c.w);
    free(c.memory);
    return status;
}
