/* Simulations side by side: they differ in their starts, targets and torques alone. Which of them share a register
 * changes nothing in any of them (docs/rollouts.md). */
#include "sweep/run/lanes_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------
 * Memory */

static void forget_motion(struct pn_lanes *l, int i)
{
    pinion_trajectory_free(l->lane[i].motion);
    l->lane[i].motion = NULL;
}

void pn_lanes_free(struct pn_lanes *l)
{
    if (!l) return;
    for (int i = 0; i < PN_LANES_MOST; i++) forget_motion(l, i);
    pinion_batch_free(l->batch);
    pinion_work_free(l->work);
    free(l->memory);
    free(l);
}

static int follows(const pinion_sweep *s)
{
    return s->run.numbers.control == PN_PLAN_PD;
}

/* A part of the memory, or how much it takes where there is none yet. */
static double *part(double **at, size_t *size, size_t numbers)
{
    double *here = *at;
    *size += numbers;
    if (here) *at += numbers;
    return here;
}

static void lay_out(struct pn_lanes *l, const pinion_sweep *s, double *at, size_t *size)
{
    const size_t nq = PN_LANES_MOST * (size_t)s->nq, nv = PN_LANES_MOST * (size_t)s->nv,
                 targets = follows(s) ? PN_LANES_STEPS : 0;
    *size = 0;
    l->q = part(&at, size, nq);
    l->v = part(&at, size, nv);
    l->tau = part(&at, size, nv);
    l->q_target = part(&at, size, targets * nq);
    l->v_target = part(&at, size, targets * nv);
    l->tau_each = part(&at, size, targets * nv);
    l->q_step = part(&at, size, (PN_LANES_STEPS + 1) * nq);
    l->v_step = part(&at, size, (PN_LANES_STEPS + 1) * nv);
    l->way = part(&at, size, PN_LANES_STEPS * nv);
    l->passive = part(&at, size, (PN_LANES_STEPS + 1) * nv);
    l->error = part(&at, size, targets * nv);
    l->q_record = part(&at, size, l->records * nq);
    l->v_record = part(&at, size, l->records * nv);
    l->row = part(&at, size, (size_t)s->column_count + 1);
    l->target = part(&at, size, (size_t)s->nq + 2 * (size_t)s->nv);
}

/* Made once for all runs of a worker, since all have the same steps. */
static struct pn_lanes *get(pinion_sweep_worker *w)
{
    const pinion_sweep *s = w->s;
    const pn_plan_run *p = &s->run;
    struct pn_lanes *l = w->lanes;
    size_t size = 0;
    if (l) return l;
    l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->steps = p->steps;
    l->records = p->steps / p->every;
    l->max_drift = isnan(p->max_drift) ? PN_LANES_DRIFT : p->max_drift;
    lay_out(l, s, NULL, &size);
    l->memory = calloc(size + 1, sizeof *l->memory);
    l->batch = pinion_batch_new(w->own, 1);
    l->work = pinion_work_new(w->own);
    if (!l->memory || !l->batch || !l->work || pinion_batch_set_status(l->batch, l->status) != PINION_OK) {
        pn_lanes_free(l);
        return NULL;
    }
    w->lanes = l;
    lay_out(l, s, l->memory, &size);
    l->r = pinion_rollout_default();
    l->r.method = p->numbers.integrator == PINION_INTEGRATOR_RK4 ? PINION_STEP_RK4 : PINION_STEP_SEMI_IMPLICIT;
    l->r.dt = p->numbers.step;
    l->r.passive = p->sim.passive;
    l->r.tau = l->tau;
    l->works = p->sim.passive || p->has_torque || follows(s);
    for (int i = 0; i < s->parameter_count; i++) l->works = l->works || s->parameters[i].what == PN_VARY_TORQUE;
    if (!follows(s)) return l;
    l->r.hold = 1;
    l->r.tau = l->tau_each;
    l->r.q_target = l->q_target;
    l->r.v_target = l->v_target;
    l->r.kp = w->numbers.kp; /* the same in all runs */
    l->r.kd = w->numbers.kd;
    return l;
}

/* ------------------------------------------------------------------------------------------------
 * Columns */

static pinion_status add_coordinates(pinion_result *table, const pinion_sweep_worker *w, const char *prefix,
                                     const char *what, const char *unit_of)
{
    pinion_status status = PINION_OK;
    const int count = *what == 'q' && !*prefix ? w->s->nq : w->s->nv;
    for (int i = 0; i < count && status == PINION_OK; i++) {
        char own[400], name[420];
        const int error = *prefix != '\0';
        const char *unit = pinion_coordinate_unit(w->m, error ? "v" : unit_of, i);
        pinion_coordinate_name(w->m, error ? "v" : what, i, own, sizeof own);
        snprintf(name, sizeof name, "%s%s%s", prefix, what, strchr(own, '.'));
        if (error && *what == 'q') unit = strcmp(unit, "m/s") == 0 ? "m" : "rad";
        status = pinion_result_add_column(table, name, unit);
    }
    return status;
}

pinion_status pn_lanes_columns(pinion_sweep_worker *w, pinion_result *table, pinion_error *err)
{
    pinion_status status = pinion_result_add_column(table, "t", "s");
    if (status == PINION_OK) status = add_coordinates(table, w, "", "q", "q");
    if (status == PINION_OK) status = add_coordinates(table, w, "", "v", "v");
    if (status == PINION_OK) status = add_coordinates(table, w, "", "tau", "tau");
    if (status == PINION_OK && follows(w->s)) status = add_coordinates(table, w, "error.", "q", NULL);
    if (status == PINION_OK && follows(w->s)) status = add_coordinates(table, w, "error.", "v", NULL);
    if (status == PINION_OK) status = pn_worker_frame_columns(w, table);
    if (status != PINION_OK && !err->message[0])
        pn_error_set(err, status, NULL, 0, 0, "a column of the run: %s", pinion_status_text(status));
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Runs */

pinion_status pn_lanes_set(pinion_sweep_worker *w, int i, pinion_error *err)
{
    struct pn_lanes *l = get(w);
    const size_t nq = (size_t)w->s->nq, nv = (size_t)w->s->nv, k = (size_t)i;
    if (!l) return PINION_ERR_MEMORY;
    memcpy(l->q + k * nq, w->numbers.q, nq * sizeof *l->q);
    memcpy(l->v + k * nv, w->numbers.v, nv * sizeof *l->v);
    memcpy(l->tau + k * nv, w->numbers.torque, nv * sizeof *l->tau);
    forget_motion(l, i);
    if (!follows(w->s)) return PINION_OK;
    const pinion_status status = pn_worker_motion(w, err);
    l->lane[i].motion = w->motion;
    w->motion = NULL;
    return status;
}

/* Where the motion of run i is at the beginning of a step, or at the end. */
static pinion_status find_target(const pinion_sweep_worker *w, const struct pn_lanes *l, int i, size_t step, double *q,
                                 double *v)
{
    const size_t nq = (size_t)w->s->nq, nv = (size_t)w->s->nv;
    if (l->lane[i].motion)
        return pinion_trajectory_at(l->lane[i].motion, (double)step * l->r.dt, q, v, l->target + nq + nv);
    memcpy(q, l->q + (size_t)i * nq, nq * sizeof *q);
    memset(v, 0, nv * sizeof *v);
    return PINION_OK;
}

/* The targets of the next steps, as a rollout takes them: [steps][count][n]. */
static pinion_status take_targets(const pinion_sweep_worker *w, struct pn_lanes *l, size_t first, size_t steps)
{
    const size_t nq = (size_t)w->s->nq, nv = (size_t)w->s->nv, n = (size_t)l->count;
    pinion_status status = PINION_OK;
    for (size_t k = 0; k < steps && follows(w->s) && status == PINION_OK; k++) {
        for (size_t i = 0; i < n && status == PINION_OK; i++)
            status = find_target(w, l, (int)i, first + k, l->q_target + (k * n + i) * nq,
                                 l->v_target + (k * n + i) * nv);
        memcpy(l->tau_each + k * n * nv, l->tau, n * nv * sizeof *l->tau);
    }
    return status;
}

/* States that are rows. */
static void take_records(const pinion_sweep *s, struct pn_lanes *l, size_t first, size_t steps)
{
    const size_t n = (size_t)l->count, nq = n * (size_t)s->nq, nv = n * (size_t)s->nv;
    for (size_t k = 1; k <= steps; k++) {
        if ((first + k) % s->run.every) continue;
        const size_t row = (first + k) / s->run.every - 1;
        memcpy(l->q_record + row * nq, l->q_step + k * nq, nq * sizeof *l->q);
        memcpy(l->v_record + row * nv, l->v_step + k * nv, nv * sizeof *l->v);
    }
}

pinion_status pn_lanes_roll(struct pn_lanes *l, const pinion_sweep *s, size_t steps, int each)
{
    const size_t n = (size_t)l->count, first = each ? 1 : steps;
    l->each = each || steps == 1;
    l->r.steps = steps;
    l->r.every = first;
    l->r.q_record = l->q_step + first * n * (size_t)s->nq;
    l->r.v_record = l->v_step + first * n * (size_t)s->nv;
    const pinion_status status = pinion_batch_rollout(l->batch, n, &l->r, l->q_step, l->v_step, NULL, NULL);
    const int of_some = status == PINION_ERR_QUATERNION || status == PINION_ERR_SINGULAR || status == PINION_ERR_STEP;
    return of_some ? PINION_OK : status;
}

/* The next steps of all. */
static pinion_status make_steps(pinion_sweep_worker *w, struct pn_lanes *l, size_t first, size_t steps)
{
    const size_t n = (size_t)l->count, nq = n * (size_t)w->s->nq, nv = n * (size_t)w->s->nv;
    pinion_status status = take_targets(w, l, first, steps);
    /* states in between are for the work of these steps, and for rows */
    const int row_between = first / w->s->run.every != (first + steps - 1) / w->s->run.every;
    if (status == PINION_OK) status = pn_lanes_roll(l, w->s, steps, l->works || row_between);
    if (status != PINION_OK) return status;
    take_records(w->s, l, first, steps);
    status = pn_lanes_check(w, l, first, steps);
    memmove(l->q_step, l->q_step + steps * nq, nq * sizeof *l->q);
    memmove(l->v_step, l->v_step + steps * nv, nv * sizeof *l->v);
    return status;
}

pinion_status pn_lanes_make(pinion_sweep_worker *w, int count)
{
    struct pn_lanes *l = get(w);
    const size_t nq = (size_t)w->s->nq, nv = (size_t)w->s->nv, n = (size_t)count;
    if (!l) return PINION_ERR_MEMORY;
    l->count = count;
    memcpy(l->q_step, l->q, n * nq * sizeof *l->q);
    memcpy(l->v_step, l->v, n * nv * sizeof *l->v);
    pinion_status status = pn_lanes_begin_check(w, l);
    for (size_t step = 0; step < l->steps && status == PINION_OK; step += PN_LANES_STEPS) {
        const size_t left = l->steps - step;
        status = make_steps(w, l, step, left < PN_LANES_STEPS ? left : PN_LANES_STEPS);
        if (status == PINION_OK && pn_worker_given_up(w, (double)count * (double)step / (double)l->steps))
            status = PINION_ERR_CALLBACK;
    }
    return status;
}

/* What the law gives at a row, which is what is held over the next step, and how far the target is. */
static pinion_status find_forces(const pinion_sweep_worker *w, const struct pn_lanes *l, int i, size_t step,
                                 const double *q, const double *v, double *tau)
{
    const size_t nq = (size_t)w->s->nq, nv = (size_t)w->s->nv;
    memcpy(tau, l->tau + (size_t)i * nv, nv * sizeof *tau);
    if (!follows(w->s)) return PINION_OK;
    double *q_target = l->target, *v_target = q_target + nq, *e = tau + nv, *de = e + nv;
    pinion_status status = find_target(w, l, i, step, q_target, v_target);
    if (status == PINION_OK) status = pinion_difference(w->own, q, q_target, e);
    for (size_t k = 0; k < nv && status == PINION_OK; k++) {
        de[k] = v_target[k] - v[k];
        tau[k] += l->r.kp[k] * e[k] + l->r.kd[k] * de[k];
    }
    return status;
}

pinion_status pn_lanes_rows(pinion_sweep_worker *w, int i, pinion_result *table, pinion_error *err)
{
    struct pn_lanes *l = w->lanes;
    const pinion_sweep *s = w->s;
    const pn_lane *lane = &l->lane[i];
    const size_t nq = (size_t)s->nq, nv = (size_t)s->nv, n = (size_t)l->count, own = (size_t)i;
    pinion_status status = PINION_OK;
    for (size_t k = 0; k <= l->records && status == PINION_OK; k++) {
        const size_t step = k * s->run.every;
        double *q = l->row + 1, *v = q + nq, *tau = v + nv;
        if (lane->status != PINION_OK && step >= lane->failed) break;
        memcpy(q, k ? l->q_record + ((k - 1) * n + own) * nq : l->q + own * nq, nq * sizeof *q);
        memcpy(v, k ? l->v_record + ((k - 1) * n + own) * nv : l->v + own * nv, nv * sizeof *v);
        l->row[0] = (double)step * l->r.dt;
        status = find_forces(w, l, i, step, q, v, tau);
        if (status == PINION_OK)
            status = pn_worker_frames(w, l->work, q, tau + (follows(s) ? 3 : 1) * nv);
        if (status == PINION_OK)
            status = table ? pinion_result_add_row(table, l->row) : pn_worker_row(w, s->column_count, l->row);
    }
    if (status != PINION_OK) return status;
    if (lane->status != PINION_OK) pn_error_set(err, lane->status, NULL, 0, 0, "%s", lane->why);
    return lane->status;
}

int pn_lanes_infinite(const pinion_sweep_worker *w, int i)
{
    return w->lanes->lane[i].infinite;
}
