/* Simulations side by side: they differ in their starts, targets and torques alone. Which of them share a register
 * changes nothing in any of them (docs/rollouts.md). */
#include "sweep/run/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pn_lanes {
    pinion_batch *batch;
    pinion_work *work;
    pinion_rollout r;
    double *memory;
    double *q, *v, *tau;            /* [MOST][n] */
    double *q_target, *v_target;    /* [steps][MOST][n], of MOST runs, as they are taken */
    double *q_packed, *v_packed;    /* [steps][count][n], as the rollout takes them */
    double *tau_packed;             /* the same torques in each step, where there are targets */
    double *q_record, *v_record;    /* [records][count][n] */
    double *row, *a;                /* a row; accelerations of a target, which are not looked at */
    pinion_status status[PN_LANES_MOST];
    size_t steps, records;
    int count; /* of those made */
};

/* ------------------------------------------------------------------------------------------------
 * Memory */

void pn_lanes_free(struct pn_lanes *l)
{
    if (!l) return;
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
    const size_t nq = (size_t)s->nq, nv = (size_t)s->nv, most = PN_LANES_MOST, targets = follows(s) ? l->steps + 1 : 0;
    *size = 0;
    l->q = part(&at, size, most * nq);
    l->v = part(&at, size, most * nv);
    l->tau = part(&at, size, most * nv);
    l->q_target = part(&at, size, targets * most * nq);
    l->v_target = part(&at, size, targets * most * nv);
    l->q_packed = part(&at, size, targets * most * nq);
    l->v_packed = part(&at, size, targets * most * nv);
    l->tau_packed = part(&at, size, targets * most * nv);
    l->q_record = part(&at, size, l->records * most * nq);
    l->v_record = part(&at, size, l->records * most * nv);
    l->row = part(&at, size, (size_t)s->column_count + 1);
    l->a = part(&at, size, nv);
}

/* Made once for all runs of a worker, since all have the same steps. */
static struct pn_lanes *get(pinion_sweep_worker *w)
{
    const pinion_sweep *s = w->s;
    const pn_plan_run *p = &s->run;
    struct pn_lanes *l = w->lanes;
    size_t size = 0;
    if (l) return l;
    w->lanes = l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->steps = p->steps;
    l->records = pinion_rollout_records(p->steps, p->every);
    lay_out(l, s, NULL, &size);
    l->memory = calloc(size + 1, sizeof *l->memory);
    l->batch = pinion_batch_new(w->own, 1);
    l->work = pinion_work_new(w->own);
    if (!l->memory || !l->batch || !l->work || pinion_batch_set_status(l->batch, l->status) != PINION_OK) return NULL;
    lay_out(l, s, l->memory, &size);
    l->r = pinion_rollout_default();
    l->r.method = p->numbers.integrator == PINION_INTEGRATOR_RK4 ? PINION_STEP_RK4 : PINION_STEP_SEMI_IMPLICIT;
    l->r.dt = p->numbers.step;
    l->r.steps = p->steps;
    l->r.passive = p->sim.passive;
    l->r.tau = l->tau;
    l->r.every = p->every;
    l->r.q_record = l->q_record;
    l->r.v_record = l->v_record;
    if (!follows(s)) return l;
    l->r.hold = 1;
    l->r.tau = l->tau_packed;
    l->r.q_target = l->q_packed;
    l->r.v_target = l->v_packed;
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

/* Where the motion of run i is at the beginning of each step, and at the end. */
static pinion_status take_targets(pinion_sweep_worker *w, struct pn_lanes *l, int i, pinion_error *err)
{
    const pinion_sweep *s = w->s;
    const size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
    pinion_status status = pn_worker_motion(w, err);
    for (size_t k = 0; k <= l->steps && status == PINION_OK; k++) {
        double *q = l->q_target + (k * PN_LANES_MOST + (size_t)i) * nq,
               *v = l->v_target + (k * PN_LANES_MOST + (size_t)i) * nv;
        if (w->motion) {
            status = pinion_trajectory_at(w->motion, (double)k * l->r.dt, q, v, l->a);
        } else {
            memcpy(q, w->numbers.q, nq * sizeof *q);
            memset(v, 0, nv * sizeof *v);
        }
    }
    pinion_trajectory_free(w->motion);
    w->motion = NULL;
    return status;
}

pinion_status pn_lanes_set(pinion_sweep_worker *w, int i, pinion_error *err)
{
    struct pn_lanes *l = get(w);
    const size_t nq = (size_t)w->s->nq, nv = (size_t)w->s->nv, k = (size_t)i;
    if (!l) return PINION_ERR_MEMORY;
    memcpy(l->q + k * nq, w->numbers.q, nq * sizeof *l->q);
    memcpy(l->v + k * nv, w->numbers.v, nv * sizeof *l->v);
    memcpy(l->tau + k * nv, w->numbers.torque, nv * sizeof *l->tau);
    return follows(w->s) ? take_targets(w, l, i, err) : PINION_OK;
}

pinion_status pn_lanes_make(pinion_sweep_worker *w, int count)
{
    struct pn_lanes *l = get(w);
    const size_t nq = (size_t)w->s->nq, nv = (size_t)w->s->nv, n = (size_t)count;
    if (!l) return PINION_ERR_MEMORY;
    l->count = count;
    for (size_t k = 0; k < l->steps && follows(w->s); k++) {
        memcpy(l->q_packed + k * n * nq, l->q_target + k * PN_LANES_MOST * nq, n * nq * sizeof *l->q);
        memcpy(l->v_packed + k * n * nv, l->v_target + k * PN_LANES_MOST * nv, n * nv * sizeof *l->v);
        memcpy(l->tau_packed + k * n * nv, l->tau, n * nv * sizeof *l->v);
    }
    const pinion_status status = pinion_batch_rollout(l->batch, n, &l->r, l->q, l->v, NULL, NULL);
    const int each = status == PINION_OK || status == PINION_ERR_QUATERNION || status == PINION_ERR_SINGULAR ||
                     status == PINION_ERR_STEP;
    return each ? PINION_OK : status;
}

/* What the law gives at a row, which is what is held over the next step, and how far the target is. */
static pinion_status find_forces(const pinion_sweep_worker *w, const struct pn_lanes *l, int i, size_t step,
                                 const double *q, const double *v, double *tau)
{
    const size_t nq = (size_t)w->s->nq, nv = (size_t)w->s->nv;
    memcpy(tau, l->tau + (size_t)i * nv, nv * sizeof *tau);
    if (!follows(w->s)) return PINION_OK;
    const double *q_target = l->q_target + (step * PN_LANES_MOST + (size_t)i) * nq,
                 *v_target = l->v_target + (step * PN_LANES_MOST + (size_t)i) * nv;
    double *e = tau + nv, *de = e + nv;
    const pinion_status status = pinion_difference(w->own, q, q_target, e);
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
    const size_t nq = (size_t)s->nq, nv = (size_t)s->nv, n = (size_t)l->count, own = (size_t)i;
    pinion_status status = PINION_OK;
    for (size_t k = 0; k <= l->records && status == PINION_OK; k++) {
        const size_t step = k * s->run.every;
        double *q = l->row + 1, *v = q + nq, *tau = v + nv;
        memcpy(q, k ? l->q_record + ((k - 1) * n + own) * nq : l->q + own * nq, nq * sizeof *q);
        memcpy(v, k ? l->v_record + ((k - 1) * n + own) * nv : l->v + own * nv, nv * sizeof *v);
        l->row[0] = (double)step * l->r.dt;
        if (!isfinite(q[0])) break; /* it failed, and says so */
        status = find_forces(w, l, i, step, q, v, tau);
        if (status == PINION_OK)
            status = pn_worker_frames(w, l->work, q, tau + (follows(s) ? 3 : 1) * nv);
        if (status == PINION_OK)
            status = table ? pinion_result_add_row(table, l->row) : pn_worker_row(w, s->column_count, l->row);
    }
    if (status != PINION_OK) return status;
    if (l->status[i] != PINION_OK)
        pn_error_set(err, l->status[i], NULL, 0, 0, "%s", pinion_status_text(l->status[i]));
    return l->status[i];
}
