/* When the watched quantities change their sign. A step is looked at as a whole, before the run is anywhere
 * within it, so that what is found depends on the steps alone and not on when somebody asks.
 *
 * At the ends of PN_EVENT_PARTS equal parts the quantities are sampled. A change of sign between two samples
 * is narrowed down by regula falsi with bisection. Where three samples have one sign but the parabola through
 * them has its turning point near zero, the turning point is searched for, so that a quantity that only dips
 * through zero is not missed. */
#include "sim/run/driver.h"
#include "sim/stepper/bracket.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NARROW 1e-13 /* of a step: how closely a crossing is located */

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

/* A watch of a simulation, as a quantity. */
typedef struct watched {
    pinion_sim *s;
    const pn_watch *w;
} watched;

static pinion_status value_of(void *user, double t, double *value)
{
    const watched *x = user;
    return pn_event_value(x->s, x->w, t, value);
}

/* Locates the crossing between two instants and keeps it. */
static pinion_status cross(pinion_sim *s, int watch, pn_bracket b, double width)
{
    pn_events *e = &s->events;
    const pn_watch *w = &e->watch[watch];
    const int rising = b.at_high > 0;
    watched x = {s, w};
    pinion_status status = pn_bracket_narrow(value_of, &x, width, &b);
    if (status != PINION_OK) return status;
    const pn_crossing found = {b.high, watch, rising, w->direction != 0 && (w->direction > 0) != rising};
    return keep(e, &found);
}

/* One watch over the samples of a step. */
static pinion_status scan_watch(pinion_sim *s, int watch, double start, double part, double width, int *side)
{
    pn_events *e = &s->events;
    const size_t count = (size_t)e->count;
    const double *y = e->samples + watch;
    int tried = 0; /* the samples up to which dips were looked for */
    for (int i = 1; i <= PN_EVENT_PARTS; i++) {
        const int now = pn_sign(y[(size_t)i * count]);
        const pn_bracket between = {start + part * (i - 1), start + part * i, y[(size_t)(i - 1) * count],
                                 y[(size_t)i * count]};

        /* a dip between samples of one sign */
        if (i >= 2 && tried <= i - 2 && pn_may_dip(y + (size_t)(i - 2) * count, count)) {
            pn_bracket dip;
            int found;
            const double low = start + part * (i - 2);
            watched x = {s, &e->watch[watch]};
            pinion_status status = pn_bracket_dip(value_of, &x, low, between.high, now, &dip, &found);
            if (status != PINION_OK) return status;
            if (found) {
                tried = i;
                const pn_bracket there = {low, dip.low, y[(size_t)(i - 2) * count], dip.at_low};
                const pn_bracket back = {dip.low, between.high, dip.at_low, between.at_high};
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
    for (int i = 0; i < e->count && status == PINION_OK; i++) e->side[i] = e->behind[i] = pn_sign(e->samples[i]);
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
