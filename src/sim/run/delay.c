/* Delays of actuators: what is asked of one acts a while later. What was asked for is kept in rings, one for each
 * length of delay, which are part of the state as the forces of sampled control are (hold.c).
 *
 * Of sampled control a ring has the changes that are on their way. Else it has what was asked for at instants that are
 * close against the delay, in pieces: a piece begins where what is asked for jumps or has a kink, and between its
 * instants there is a polynomial of degree five that never reaches into another. What jumps when it is asked for jumps
 * when it arrives; the motion then has a kink, and so has what is asked for from there on: steps end at all of these
 * instants, until a kink is of so high an order that no step can tell. Nor does a step go farther than is known. */
#include "sim/run/driver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 64, POINTS = 6, ROOM = 2048, ORDERS = 6 };

#define CLOSEST 1e-6 /* of a delay: instants of a piece are no closer */

/* A ring: how many entries there were, when the last piece began, how close its instants are, and how many there were
 * since; then entries of a time, the order of the kink that begins a piece there (-1: none does), and nu forces. */
enum { COUNT, OPENED, SPACING, TAKEN, HEAD };
enum { TIME, ORDER, FORCES };

static int entry_size(const pn_plant *p)
{
    return FORCES + p->nu;
}

static int ring_size(const pn_plant *p, const pn_delay *x)
{
    return HEAD + x->room * entry_size(p);
}

static double *entry(const pn_plant *p, const pn_delay *x, double index)
{
    return p->hold + x->at + HEAD + (int)((long long)index % x->room) * entry_size(p);
}

int pn_delays_new(pn_plant *p, int held)
{
    const pinion_sim_options *o = &p->options;
    if (!o->actuators) return held;
    for (int k = 0; k < p->nu; k++) {
        pinion_actuator_info a;
        if (pinion_model_actuator(p->m, k, &a) != PINION_OK || a.dynamics.delay == 0) continue;
        int i = 0;
        while (i < p->delays && p->delay[i].delay != a.dynamics.delay) i++;
        if (i == p->delays) {
            pn_delay *more = realloc(p->delay, (size_t)(i + 1) * sizeof *more);
            if (!more) return -1;
            p->delay = more;
            const double changes = o->sample > 0 ? ceil(a.dynamics.delay / o->sample) + 3 : ROOM;
            if (changes > PN_DELAY_MOST) return -2 - k;
            more[p->delays++] = (pn_delay){a.dynamics.delay, held, (int)changes};
            held += ring_size(p, &more[i]);
        }
    }
    return held;
}

/* How many of the first instants of a ring are not after t. */
static double passed(const pn_plant *p, const pn_delay *x, double t)
{
    const double count = p->hold[x->at + COUNT];
    double low = fmax(0, count - x->room), high = count;
    while (low < high) {
        const double middle = floor((low + high) / 2);
        if (entry(p, x, middle)[TIME] + x->delay <= t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* 0 where there is no room: what would be lost is still on its way. */
static int push(pn_plant *p, const pn_delay *x, double t, int order, const double *asked)
{
    double *ring = p->hold + x->at;
    if (!p->sampled && ring[COUNT] >= x->room && entry(p, x, ring[COUNT] - x->room + POINTS)[TIME] + x->delay > t)
        return 0;
    double *to = entry(p, x, ring[COUNT]++);
    to[TIME] = t;
    to[ORDER] = order;
    memcpy(to + FORCES, asked, (size_t)p->nu * sizeof *to);
    return 1;
}

void pn_delays_send(pn_plant *p, double t, const double *asked)
{
    for (int i = 0; i < p->delays; i++) (void)push(p, &p->delay[i], t, 0, asked);
}

static pinion_status full(pn_plant *p)
{
    snprintf(p->message, sizeof p->message, "what is asked of an actuator jumps too often within its delay: no more "
                                            "than %d instants are kept; --control-step keeps what it needs", ROOM);
    return PINION_ERR_UNSUPPORTED;
}

/* ---------------------------------------------------------------------------------------------
 * What is asked for at any time */

/* The next instant of the last piece. */
static double instant(const pn_plant *p, const pn_delay *x)
{
    const double *ring = p->hold + x->at;
    return ring[OPENED] + (ring[TAKEN] + 1) * ring[SPACING];
}

double pn_delays_due(const pn_plant *p)
{
    double due = INFINITY;
    for (int i = 0; i < p->delays && !p->sampled; i++) due = fmin(due, instant(p, &p->delay[i]));
    return due;
}

/* Two instants of a piece that are too close would spoil the polynomial. */
static int too_close(const pn_plant *p, const pn_delay *x, double t)
{
    const double *ring = p->hold + x->at, *last = entry(p, x, ring[COUNT] - 1);
    return last[ORDER] < 0 && t - last[TIME] < 0.1 * ring[SPACING];
}

int pn_delays_switched(const pn_plant *p, const double *asked, double *since)
{
    const pn_delay *x = p->delay;
    const double *last = entry(p, x, p->hold[x->at + COUNT] - 1);
    *since = last[TIME];
    for (int i = 0; i < p->servos; i++) {
        const pn_servo *s = &p->servo[i];
        const double *effort = s->info.effort, now = asked[s->actuator], then = last[FORCES + s->actuator];
        if (s->info.dynamics.delay > 0 && ((now == effort[0]) != (then == effort[0]) ||
                                           (now == effort[1]) != (then == effort[1])))
            return 1;
    }
    return 0;
}

pinion_status pn_delays_record(pn_plant *p, double t, const double *asked)
{
    for (int i = 0; i < p->delays; i++) {
        const pn_delay *x = &p->delay[i];
        if (!(instant(p, x) <= t)) continue;
        p->hold[x->at + TAKEN]++;
        if (!too_close(p, x, t) && !push(p, x, t, -1, asked)) return full(p);
    }
    return PINION_OK;
}

pinion_status pn_delays_end(pn_plant *p, double t, const double *asked)
{
    for (int i = 0; i < p->delays; i++) {
        const pn_delay *x = &p->delay[i];
        double *ring = p->hold + x->at;
        if (!(t > entry(p, x, ring[COUNT] - 1)[TIME])) continue;
        if (too_close(p, x, t)) ring[COUNT]--;
        if (!push(p, x, t, -1, asked)) return full(p);
    }
    return PINION_OK;
}

pinion_status pn_delays_begin(pn_plant *p, double t, int order, const double *asked)
{
    for (int i = 0; i < p->delays; i++) {
        const pn_delay *x = &p->delay[i];
        double *ring = p->hold + x->at;
        ring[OPENED] = t;
        ring[SPACING] = x->delay / PARTS;
        ring[TAKEN] = 0;
        if (!push(p, x, t, order, asked)) return full(p);
    }
    return PINION_OK;
}

void pn_delays_until(pn_plant *p, double now, double end)
{
    for (int i = 0; i < p->delays && !p->sampled; i++) {
        const pn_delay *x = &p->delay[i];
        double *ring = p->hold + x->at;
        const double length = end - now;
        if (ring[OPENED] != now || ring[TAKEN] != 0 || !(length < POINTS * x->delay / PARTS)) continue;
        ring[SPACING] = fmax(length / (length < x->delay / PARTS ? POINTS / 2 : POINTS), CLOSEST * x->delay);
    }
}

double pn_delays_next(const pn_plant *p, double now, int *order)
{
    double next = INFINITY;
    *order = -1;
    for (int i = 0; i < p->delays; i++) {
        const pn_delay *x = &p->delay[i];
        const double count = p->hold[x->at + COUNT];
        double found = INFINITY;
        int kink = -1;
        for (double k = passed(p, x, now); k < count && found == INFINITY; k++) {
            const double *e = entry(p, x, k);
            const int last = !p->sampled && k == count - 1;
            if (!last && !(e[ORDER] >= 0 && e[ORDER] < ORDERS)) continue;
            found = e[TIME] + x->delay;
            kink = e[ORDER] >= 0 && e[ORDER] < ORDERS ? (int)e[ORDER] + 1 : -1;
        }
        if (found < next || (found == next && kink >= 0 && (*order < 0 || kink < *order))) {
            next = found;
            *order = kink;
        }
    }
    return next;
}

int pn_delays_fit(const pn_plant *p, double t)
{
    for (int i = 0; i < p->delays; i++) {
        const pn_delay *x = &p->delay[i];
        const double *ring = p->hold + x->at, count = ring[COUNT];
        if (!(count >= 0 && count < 0x1p53) || count != floor(count)) return 0;
        if (p->sampled) continue;
        /* what is due is so near that it is soon reached */
        if (!(count >= 1 && ring[SPACING] >= 0.5 * CLOSEST * x->delay && ring[SPACING] <= x->delay)) return 0;
        if (!(ring[TAKEN] >= 0 && ring[TAKEN] < 0x1p53 && ring[OPENED] <= t && instant(p, x) >= t - x->delay)) return 0;
    }
    return 1;
}

/* The polynomial through the instants of the piece that entry k is in, those that are nearest. */
static double between(const pn_plant *p, const pn_delay *x, double k, double t, int place)
{
    const double count = p->hold[x->at + COUNT], oldest = fmax(0, count - x->room);
    double first = k, last = k;
    while (first > oldest && first > k - POINTS + 1 && entry(p, x, first)[ORDER] < 0) first--;
    while (last + 1 < count && last + 1 < k + POINTS && entry(p, x, last + 1)[ORDER] < 0) last++;
    first = fmax(first, fmin(k - POINTS / 2 + 1, last - POINTS + 1));
    last = fmin(last, first + POINTS - 1);
    const int points = (int)(last - first) + 1;
    double time[POINTS], force[POINTS], value = 0;
    for (int i = 0; i < points; i++) {
        const double *e = entry(p, x, first + i);
        time[i] = e[TIME] + x->delay - t;
        force[i] = e[place];
    }
    for (int i = 0; i < points; i++) {
        double weight = 1;
        for (int j = 0; j < points; j++)
            if (j != i) weight *= time[j] / (time[j] - time[i]);
        value += weight * force[i];
    }
    return value;
}

double pn_delay_value(const pn_plant *p, int actuator, const pinion_actuator_info *a, double t)
{
    int i = 0;
    while (i < p->delays - 1 && p->delay[i].delay != a->dynamics.delay) i++;
    const pn_delay *x = &p->delay[i];
    const double k = passed(p, x, t) - 1;
    if (k < fmax(0, p->hold[x->at + COUNT] - x->room)) return a->dynamics.initial;
    const double *e = entry(p, x, k);
    if (p->sampled) return e[FORCES + actuator];
    const double value = between(p, x, k, t, FORCES + actuator);

    /* a polynomial swings beyond a limit that is kept at its instants */
    const int ends = k + 1 == p->hold[x->at + COUNT] || entry(p, x, k + 1)[ORDER] >= 0;
    const double before = e[FORCES + actuator], after = ends ? before : entry(p, x, k + 1)[FORCES + actuator];
    return fmax(fmin(value, fmax(a->effort[1], fmax(before, after))), fmin(a->effort[0], fmin(before, after)));
}

/* From what was held earlier in the same run only the last entries have changed. */
void pn_delays_copy(const pn_plant *p, double *to, const double *from)
{
    for (int i = 0; i < p->delays; i++) {
        const pn_delay *x = &p->delay[i];
        const size_t size = (size_t)entry_size(p) * sizeof *to;
        double *own = to + x->at;
        const double *other = from + x->at, less = own[COUNT], more = other[COUNT];
        if (!(less >= 1 && more >= less && more - less < x->room)) {
            memcpy(own, other, (size_t)ring_size(p, x) * sizeof *own);
            continue;
        }
        /* the last that was there may have been replaced */
        for (double k = less - 1; k < more; k++) {
            const size_t at = HEAD + (size_t)((long long)k % x->room) * (size_t)entry_size(p);
            memcpy(own + at, other + at, size);
        }
        memcpy(own, other, HEAD * sizeof *own);
    }
}
