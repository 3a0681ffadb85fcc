/* Whether runs side by side go on as they should. Their energies are to balance, as those of simulations (max_drift of
 * pinion/sim/run.h): kinetic and potential energy change by the work of what acts. Over a step this is
 * (tau + (p + p') / 2) . (q' - q), tau the law's torques, which are held, and p the passive forces before and after. */
#include "sim/run/drift.h"
#include "sweep/run/lanes_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Energies of the states of step k, of all lanes. A state that is no number has none. */
static pinion_status find_energies(struct pn_lanes *l, const pinion_sweep *s, size_t k)
{
    const size_t n = (size_t)l->count;
    const pinion_status status = pinion_batch_energy(l->batch, n, l->q_step + k * n * (size_t)s->nq,
                                                     l->v_step + k * n * (size_t)s->nv, 0, l->kinetic, l->potential);
    return status == PINION_ERR_QUATERNION ? PINION_OK : status; /* of states that are no numbers */
}

pinion_status pn_lanes_begin_check(pinion_sweep_worker *w, struct pn_lanes *l)
{
    const pinion_status status = find_energies(l, w->s, 0);
    for (int i = 0; i < l->count; i++) {
        pn_lane *lane = &l->lane[i];
        lane->status = PINION_OK;
        lane->infinite = 0;
        lane->work = 0;
        lane->energy = l->kinetic[i] + l->potential[i];
        lane->most_kinetic = l->kinetic[i];
        lane->most_other = fabs(l->potential[i]);
        *lane->why = '\0';
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Work */

/* How far each step goes, what passive forces there are, and how far the targets are, of all lanes. */
static pinion_status find_forces(struct pn_lanes *l, const pinion_sweep *s, size_t steps)
{
    const size_t n = (size_t)l->count, nq = n * (size_t)s->nq, nv = n * (size_t)s->nv;
    pinion_status status = PINION_OK;
    if (s->nq == s->nv) { /* joints of one freedom: differences are that */
        for (size_t k = 0; k < steps * nv; k++) l->way[k] = l->q_step[k + nv] - l->q_step[k];
        for (size_t k = 0; k < steps * nv && l->r.kp; k++) l->error[k] = l->q_target[k] - l->q_step[k];
    } else {
        status = pinion_batch_difference(l->batch, steps * n, l->q_step, l->q_step + nq, l->way);
        if (l->r.kp && (status == PINION_OK || status == PINION_ERR_QUATERNION))
            status = pinion_batch_difference(l->batch, steps * n, l->q_step, l->q_target, l->error);
    }
    if (l->r.passive && (status == PINION_OK || status == PINION_ERR_QUATERNION))
        status = pinion_batch_passive_forces(l->batch, (steps + 1) * n, l->q_step, l->v_step, l->passive);
    return status == PINION_ERR_QUATERNION ? PINION_OK : status;
}

/* What step k of run i gets. */
static double work_of(const struct pn_lanes *l, size_t nv, size_t k, size_t i)
{
    const size_t n = (size_t)l->count, at = (k * n + i) * nv;
    double sum = 0;
    for (size_t d = 0; d < nv; d++) {
        double tau = l->tau[i * nv + d];
        if (l->r.kp) tau += l->r.kp[d] * l->error[at + d] + l->r.kd[d] * (l->v_target[at + d] - l->v_step[at + d]);
        if (l->r.passive) tau += 0.5 * (l->passive[at + d] + l->passive[at + n * nv + d]);
        sum += tau * l->way[at + d];
    }
    return sum;
}

/* ------------------------------------------------------------------------------------------------
 * Failures */

/* What the energies of a run are compared with. */
typedef struct balance {
    double work, drift, kinetic, other; /* J; kinetic and other: the largest ones so far */
    int off;
} balance;

/* After `steps` steps. What coarse steps are off by while things begin to move may be little against what follows. */
static balance weigh(const struct pn_lanes *l, const pn_lane *lane, balance b, double kinetic, double potential,
                     size_t steps)
{
    b.drift = fabs(kinetic + potential - lane->energy - b.work);
    b.kinetic = larger(b.kinetic, kinetic);
    b.other = larger(b.other, larger(fabs(potential), fabs(b.work)));
    const int first_order = l->r.method == PINION_STEP_SEMI_IMPLICIT;
    const double part = pn_drift_part(l->max_drift, first_order, (double)steps, b.drift, b.other);
    b.off = !(b.drift <= larger(part * b.kinetic, l->max_drift * b.other));
    return b;
}

/* Ends a run whose step to `step` failed: by its energies, or by what the rollout says of it. */
static void end_lane(const struct pn_lanes *l, const pinion_sweep *s, pn_lane *lane, size_t step, pinion_status rolled,
                     const balance *b)
{
    const double t = (double)step * l->r.dt;
    lane->status = b ? PINION_ERR_STEP : rolled;
    lane->failed = step;
    lane->infinite = b ? !isfinite(b->drift) : rolled == PINION_ERR_STEP;
    if (lane->infinite)
        snprintf(lane->why, sizeof lane->why, "the step to t = %.9g gives numbers that are not finite%s; a shorter "
                 "step may do", t, s->nq == s->nv ? "" : ", or turns a joint by 3 rad or more");
    else if (b)
        snprintf(lane->why, sizeof lane->why,
                 "the energies do not balance: the step to t = %.9g leaves them off by %.3g J, kinetic energy is at "
                 "most %.3g J; a shorter step may do",
                 t, b->drift, b->kinetic);
    else
        snprintf(lane->why, sizeof lane->why, "the step to t = %.9g: %s", t, pinion_status_text(rolled));
}

/* Which of the last steps of run i failed: the first after which its energies are off, or it is no number. */
static pinion_status find_step(pinion_sweep_worker *w, struct pn_lanes *l, size_t i, size_t first, size_t steps,
                               pinion_status rolled)
{
    const size_t n = (size_t)l->count, nq = (size_t)w->s->nq, nv = (size_t)w->s->nv;
    pn_lane *lane = &l->lane[i];
    balance b = {.work = lane->work, .kinetic = lane->most_kinetic, .other = lane->most_other};
    size_t k = 1;
    for (; k <= steps; k++) {
        const double *q = l->q_step + (k * n + i) * nq, *v = l->v_step + (k * n + i) * nv;
        double kinetic = 0, potential = 0;
        if (!isfinite(q[0])) return end_lane(l, w->s, lane, first + k, rolled, NULL), PINION_OK;
        if (!(l->max_drift < INFINITY)) continue;
        if (l->works) b.work += work_of(l, nv, k - 1, i);
        const pinion_status status = pinion_energy(w->own, l->work, q, v, 0, &kinetic, &potential);
        if (status != PINION_OK) return status;
        b = weigh(l, lane, b, kinetic, potential, first + k);
        if (b.off) break;
    }
    end_lane(l, w->s, lane, first + (k <= steps ? k : steps), rolled, &b);
    return PINION_OK;
}

/* Whether the energies of run i are as they should be after these steps. */
static int is_off(struct pn_lanes *l, size_t nv, size_t i, size_t first, size_t steps)
{
    pn_lane *lane = &l->lane[i];
    balance b = {.work = lane->work, .kinetic = lane->most_kinetic, .other = lane->most_other};
    for (size_t k = 0; k < steps && l->works; k++) b.work += work_of(l, nv, k, i);
    b = weigh(l, lane, b, l->kinetic[i], l->potential[i], first + steps);
    if (b.off) return 1;
    lane->work = b.work;
    lane->most_kinetic = b.kinetic;
    lane->most_other = b.other;
    return 0;
}

pinion_status pn_lanes_check(pinion_sweep_worker *w, struct pn_lanes *l, size_t first, size_t steps)
{
    const int weighs = l->max_drift < INFINITY;
    pinion_status rolled[PN_LANES_MOST], status = PINION_OK;
    memcpy(rolled, l->status, (size_t)l->count * sizeof *rolled);
    if (weighs && l->works) status = find_forces(l, w->s, steps);
    if (weighs && status == PINION_OK) status = find_energies(l, w->s, steps);
    for (size_t i = 0; i < (size_t)l->count && status == PINION_OK; i++) {
        if (l->lane[i].status != PINION_OK) continue;
        if (rolled[i] == PINION_OK && !(weighs && is_off(l, (size_t)w->s->nv, i, first, steps))) continue;
        if (!l->each) status = pn_lanes_roll(l, w->s, steps, 1); /* the same again, with what is in between */
        if (status == PINION_OK) status = find_step(w, l, i, first, steps, rolled[i]);
    }
    return status;
}
