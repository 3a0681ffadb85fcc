/* When the watched quantities change their sign. A step is looked at as a whole, before the run is anywhere
 * within it, so that what is found depends on the steps alone and not on when somebody asks.
 *
 * At the ends of PN_EVENT_PARTS equal parts the quantities are sampled. A change of sign between two samples
 * is narrowed down by regula falsi with bisection. Where three samples have one sign but the parabola through
 * them has its turning point near zero, the turning point is searched for, so that a quantity that only dips
 * through zero is not missed. */
#include "sim/run/driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NARROW 1e-13 /* of a step: how closely a crossing is located */
#define ROUNDS 200   /* never reached: bisection alone takes about 50 */

static int sign(double x)
{
    return (x > 0) - (x < 0);
}

/* Keeps a crossing, in order of time; of equals the earlier found stays in front. */
static pinion_status keep(pn_events *e, const pn_crossing *found)
{
    if (e->next > 0 && e->next == e->crossings) e->next = e->crossings = 0;
    if (e->crossings == e->capacity) {
        const int capacity = e->capacity ? 2 * e->capacity : 16;
        pn_crossing *grown =
            capacity < (1 << 24) ? realloc(e->crossing, (size_t)capacity * sizeof *grown) : NULL;
        if (!grown) return PINION_ERR_MEMORY;
        e->crossing = grown;
        e->capacity = capacity;
    }
    int at = e->crossings++;
    for (; at > e->next && e->crossing[at - 1].t > found->t; at--) e->crossing[at] = e->crossing[at - 1];
    e->crossing[at] = *found;
    return PINION_OK;
}

/* An interval at whose two ends a quantity is known. */
typedef struct bracket {
    double low, high; /* time */
    double at_low, at_high;
} bracket;

/* Narrows a bracket with opposite signs (or 0 at its low end) down to the crossing; its high end is behind
 * it. */
static pinion_status narrow(pinion_sim *s, const pn_watch *w, double width, bracket *b)
{
    const int behind = sign(b->at_high);
    int last = 0; /* the end that was moved last: -1 low, 1 high */
    double weight_low = b->at_low, weight_high = b->at_high;
    for (int round = 0; round < ROUNDS && b->high - b->low > width; round++) {
        /* the secant's zero, every third time the middle, never closer to an end than the width wanted */
        double t = 0.5 * (b->low + b->high), value;
        if (round % 3 != 2 && sign(weight_low) == -behind) {
            t = b->low + (b->high - b->low) * (weight_low / (weight_low - weight_high));
            t = fmin(fmax(t, b->low + 0.5 * width), b->high - 0.5 * width);
        }
        if (!(t > b->low && t < b->high)) break; /* neighbouring numbers */
        pinion_status status = pn_event_value(s, w, t, &value);
        if (status != PINION_OK) return status;

        /* an end that stays twice counts half (the Illinois rule) */
        const int end = sign(value) == behind ? 1 : -1;
        if (end > 0) {
            b->high = t;
            weight_high = value;
            if (last == end) weight_low *= 0.5;
        } else {
            b->low = t;
            weight_low = value;
            if (last == end) weight_high *= 0.5;
        }
        last = end;
    }
    return PINION_OK;
}

/* Locates the crossing between two instants and keeps it. */
static pinion_status cross(pinion_sim *s, int watch, bracket b, double width)
{
    pn_events *e = &s->events;
    const pn_watch *w = &e->watch[watch];
    const int rising = b.at_high > 0;
    pinion_status status = narrow(s, w, width, &b);
    if (status != PINION_OK) return status;
    const pn_crossing found = {b.high, watch, rising, w->direction != 0 && (w->direction > 0) != rising};
    return keep(e, &found);
}

/* Searches between two instants for one where a quantity of the given sign has the other sign, by golden
 * sections towards the smallest magnitude. Sets *found. */
static pinion_status search_dip(pinion_sim *s, const pn_watch *w, double low, double high, int side,
                                bracket *dip, int *found)
{
    const double golden = 0.3819660112501051;
    double t[2] = {low + golden * (high - low), high - golden * (high - low)}, value[2];
    *found = 0;
    for (int i = 0; i < 2; i++) {
        pinion_status status = pn_event_value(s, w, t[i], &value[i]);
        if (status != PINION_OK) return status;
    }
    for (int round = 0; round < 40; round++) {
        const int best = side * value[0] < side * value[1] ? 0 : 1;
        if (sign(value[best]) == -side) {
            dip->low = dip->high = t[best];
            dip->at_low = dip->at_high = value[best];
            *found = 1;
            return PINION_OK;
        }

        /* keep the better of the two inside, and take a new one on its other side */
        if (best == 0)
            high = t[1];
        else
            low = t[0];
        t[1 - best] = t[best];
        value[1 - best] = value[best];
        t[best] = best == 0 ? low + golden * (high - low) : high - golden * (high - low);
        if (!(t[0] < t[1])) return PINION_OK;
        pinion_status status = pn_event_value(s, w, t[best], &value[best]);
        if (status != PINION_OK) return status;
    }
    return PINION_OK;
}

/* Whether the parabola through three equidistant values of one sign turns near or beyond zero between the
 * outer. */
static int may_dip(const double *y, size_t stride)
{
    const double a = y[0], b = y[stride], c = y[2 * stride];
    const double curve = 0.5 * (a + c) - b, slope = 0.5 * (c - a), side = sign(b);
    if (sign(a) != side || sign(c) != side || !(side * curve > 0)) return 0;
    const double turn = -0.5 * slope / curve, lowest = b - 0.25 * slope * slope / curve;
    return fabs(turn) <= 1 && side * lowest < 0.2 * fmin(fabs(b), fmin(fabs(a), fabs(c)));
}

/* One watch over the samples of a step. */
static pinion_status scan_watch(pinion_sim *s, int watch, double start, double part, double width, int *side)
{
    pn_events *e = &s->events;
    const size_t count = (size_t)e->count;
    const double *y = e->samples + watch;
    int tried = 0; /* the samples up to which dips were looked for */
    for (int i = 1; i <= PN_EVENT_PARTS; i++) {
        const int now = sign(y[(size_t)i * count]);
        const bracket between = {start + part * (i - 1), start + part * i, y[(size_t)(i - 1) * count],
                                 y[(size_t)i * count]};

        /* a dip between samples of one sign */
        if (i >= 2 && tried <= i - 2 && may_dip(y + (size_t)(i - 2) * count, count)) {
            bracket dip;
            int found;
            const double low = start + part * (i - 2);
            pinion_status status = search_dip(s, &e->watch[watch], low, between.high, now, &dip, &found);
            if (status != PINION_OK) return status;
            if (found) {
                tried = i;
                const bracket there = {low, dip.low, y[(size_t)(i - 2) * count], dip.at_low};
                const bracket back = {dip.low, between.high, dip.at_low, between.at_high};
                status = cross(s, watch, there, width);
                if (status == PINION_OK) status = cross(s, watch, back, width);
                if (status != PINION_OK) return status;
            }
        }

        /* a change against the last sign there was */
        if (now == 0) continue;
        if (*side == -now) {
            pinion_status status = cross(s, watch, between, width);
            if (status != PINION_OK) return status;
        }
        *side = now;
    }
    return PINION_OK;
}

pinion_status pn_events_scan(pinion_sim *s, int again)
{
    pn_events *e = &s->events;
    if (e->count == 0) return PINION_OK;
    if (!again) memcpy(e->side, e->behind, (size_t)e->count * sizeof *e->side);
    memcpy(e->behind, e->side, (size_t)e->count * sizeof *e->side);

    const double start = pn_stepper_before(s->stepper), end = pn_stepper_now(s->stepper);
    const double part = (end - start) / PN_EVENT_PARTS;
    if (!(end > start)) return PINION_OK;
    for (int i = 0; i <= PN_EVENT_PARTS; i++) {
        const double t = i == PN_EVENT_PARTS ? end : start + part * i;
        pinion_status status = pn_event_values(s, t, e->samples + (size_t)i * (size_t)e->count);
        if (status != PINION_OK) return status;
    }

    /* as narrow as asked, or as the numbers allow */
    const double width = fmax(NARROW * (end - start), 4 * 2.3e-16 * fmax(fabs(start), fabs(end)));
    for (int i = 0; i < e->count; i++) {
        pinion_status status = scan_watch(s, i, start, part, width, &e->behind[i]);
        if (status != PINION_OK) return status;
    }
    return PINION_OK;
}

pinion_status pn_events_start(pinion_sim *s)
{
    pn_events *e = &s->events;
    e->crossings = e->next = 0;
    if (e->count == 0) return PINION_OK;
    pinion_status status = pn_event_values(s, pn_stepper_now(s->stepper), e->samples);
    for (int i = 0; i < e->count && status == PINION_OK; i++) e->side[i] = e->behind[i] = sign(e->samples[i]);
    return status;
}

void pn_events_cut(pinion_sim *s)
{
    /* the sides at the time reached: those at the end of the step, before each crossing since */
    pn_events *e = &s->events;
    while (e->crossings > e->next && e->crossing[e->crossings - 1].t > s->t) {
        const pn_crossing *c = &e->crossing[--e->crossings];
        e->behind[c->watch] = c->rising ? -1 : 1;
    }
    if (e->count) memcpy(e->side, e->behind, (size_t)e->count * sizeof *e->side);
}

const pn_crossing *pn_events_stop(const pinion_sim *s)
{
    const pn_events *e = &s->events;
    const pn_crossing *first = NULL;
    const double after = fmax(s->t, pn_stepper_before(s->stepper));
    for (int i = e->crossings - 1; i >= e->next && e->crossing[i].t > after; i--)
        if (e->watch[e->crossing[i].watch].stop && !e->crossing[i].silent) first = &e->crossing[i];
    return first;
}
