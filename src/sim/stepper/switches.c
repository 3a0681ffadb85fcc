/* Where the law of a system changes within a step: the margins of what is in force are sampled as events are, and the
 * first that falls below zero is located on the dense output. The step counts up to there. */
#include "sim/stepper/bracket.h"
#include "sim/stepper/method.h"

#include <float.h>
#include <math.h>

#define NARROW 1e-14 /* of a step: how closely a change is located */

/* All margins at a time within the last step. */
static pinion_status margins_at(pn_stepper *s, double t, double *out)
{
    const pn_system *m = &s->system;
    double *q = s->margin + (size_t)(PN_SWITCH_PARTS + 2) * (size_t)m->margins, *v = q + m->nq, *z = v + m->nv;
    pinion_status status = pn_stepper_at(s, t, q, v, z);
    if (status != PINION_OK) return status;
    status = m->margin(m->user, pn_time_in_step(s, t), q, v, z, out);
    if (status != PINION_OK)
        return pn_stepper_fail(s, status, "the forces that hold cannot be computed at t = %.17g", t);
    return status;
}

/* One of them, as a quantity. */
typedef struct one {
    pn_stepper *s;
    int index;
} one;

static pinion_status one_at(void *user, double t, double *value)
{
    const one *x = user;
    double *last = x->s->margin + (size_t)(PN_SWITCH_PARTS + 1) * (size_t)x->s->system.margins;
    const pinion_status status = margins_at(x->s, t, last);
    *value = last[x->index];
    return status;
}

pinion_status pn_switches_start(pn_stepper *s)
{
    const pn_system *m = &s->system;
    pinion_status status = m->margin(m->user, s->now.t, s->now.q, s->now.v, s->now.z, s->margin);
    for (int i = 0; i < m->margins && status == PINION_OK; i++) {
        if (!(s->margin[i] < 0)) continue;
        s->cut = s->now.t;
        return pn_stepper_settle(s);
    }
    return status;
}

/* Narrows an interval in which margin `index` falls; *first becomes the time if that is earlier. */
static pinion_status locate(pn_stepper *s, int index, pn_bracket b, double width, double *first)
{
    one x = {s, index};
    const pinion_status status = pn_bracket_narrow(one_at, &x, width, &b);
    *first = fmin(*first, b.high);
    return status;
}

pinion_status pn_switches_find(pn_stepper *s)
{
    const int count = s->system.margins;
    const double start = s->before.t, end = s->now.t, part = (end - start) / PN_SWITCH_PARTS;
    const double width = fmax(NARROW * (end - start), 2 * DBL_EPSILON * fmax(fabs(start), fabs(end)));
    double first = INFINITY;
    pinion_status status = margins_at(s, start, s->margin);
    for (int i = 1; i <= PN_SWITCH_PARTS && status == PINION_OK && first == INFINITY; i++) {
        const double low = start + part * (i - 1), high = i == PN_SWITCH_PARTS ? end : start + part * i;
        double *before = s->margin + (size_t)(i - 1) * (size_t)count, *here = before + count;
        status = margins_at(s, high, here);
        for (int k = 0; k < count && status == PINION_OK; k++) {
            if (here[k] < 0) {
                status = locate(s, k, (pn_bracket){low, high, fmax(before[k], 0), here[k]}, width, &first);
            } else if (i >= 2 && pn_may_dip(before + k - count, (size_t)count)) {
                /* it may be below zero between samples that are above */
                pn_bracket dip;
                one x = {s, k};
                int found = 0;
                status = pn_bracket_dip(one_at, &x, low - part, high, 1, &dip, &found);
                if (found && status == PINION_OK)
                    status = locate(s, k, (pn_bracket){low - part, dip.low, before[k - count], dip.at_low}, width,
                                    &first);
            }
        }
    }
    if (status == PINION_OK) s->cut = first;
    return status;
}
