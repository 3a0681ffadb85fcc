/* Delays of actuators: what is asked of one acts a while later. What was asked for is kept in rings, one for each
 * length of delay, which are part of the state as the forces of sampled control are (hold.c).
 *
 * Of sampled control a ring has the changes that are on their way. Else it has what was asked for at PARTS instants
 * of each stretch as long as the delay, and between them there is a polynomial of degree five, which never reaches
 * from one stretch into another: where they meet the motion has kinks. Steps end there, so that the stretch before
 * the one that a step is in is always known. */
#include "sim/run/driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 64, POINTS = 6, ROOM = 2 * PARTS + 2 };

/* A ring: its origin in time, how many entries there were, then entries of a time and nu forces. */
enum { ORIGIN, COUNT, HEAD };

static int entry_size(const pn_plant *p)
{
    return 1 + p->nu;
}

static int ring_size(const pn_plant *p, const pn_delay *x)
{
    return HEAD + x->room * entry_size(p);
}

static double *entry(const pn_plant *p, const pn_delay *x, double index)
{
    return p->hold + x->at + HEAD + (int)fmod(index, x->room) * entry_size(p);
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
            if (changes > PN_DELAY_MOST) return -2;
            more[p->delays++] = (pn_delay){a.dynamics.delay, held, (int)changes};
            held += ring_size(p, &more[i]);
        }
    }
    return held;
}

void pn_delays_start(pn_plant *p, double t)
{
    for (int i = 0; i < p->delays; i++) p->hold[p->delay[i].at + ORIGIN] = t;
}

int pn_delays_fit(const pn_plant *p)
{
    for (int i = 0; i < p->delays; i++) {
        const double count = p->hold[p->delay[i].at + COUNT];
        if (!(count >= 0 && count < 0x1p53) || count != floor(count)) return 0;
    }
    return 1;
}

static void push(pn_plant *p, const pn_delay *x, double t, const double *asked)
{
    double *ring = p->hold + x->at, *to = entry(p, x, ring[COUNT]++);
    to[0] = t;
    memcpy(to + 1, asked, (size_t)p->nu * sizeof *to);
}

void pn_delays_send(pn_plant *p, double t, const double *asked)
{
    for (int i = 0; i < p->delays; i++) push(p, &p->delay[i], t + p->delay[i].delay, asked);
}

/* The time of an entry of what is not sampled. */
static double instant(const pn_plant *p, const pn_delay *x, double index)
{
    const double stretch = floor(index / PARTS);
    return p->hold[x->at + ORIGIN] + (stretch + (index - stretch * PARTS) / PARTS) * x->delay;
}

double pn_delays_due(const pn_plant *p)
{
    double due = INFINITY;
    for (int i = 0; i < p->delays && !p->sampled; i++)
        due = fmin(due, instant(p, &p->delay[i], p->hold[p->delay[i].at + COUNT]));
    return due;
}

void pn_delays_record(pn_plant *p, double t, const double *asked)
{
    for (int i = 0; i < p->delays; i++) {
        const pn_delay *x = &p->delay[i];
        if (instant(p, x, p->hold[x->at + COUNT]) <= t) push(p, x, t, asked);
    }
}

double pn_delays_next(const pn_plant *p, double now)
{
    double next = INFINITY;
    for (int i = 0; i < p->delays; i++) {
        const pn_delay *x = &p->delay[i];
        const double count = p->hold[x->at + COUNT];
        if (p->sampled) {
            for (double k = fmax(0, count - x->room); k < count; k++) {
                const double due = entry(p, x, k)[0];
                if (due > now) next = fmin(next, due);
            }
        } else {
            next = fmin(next, instant(p, x, (floor((count - 1) / PARTS) + 1) * PARTS));
        }
    }
    return next;
}

/* What an actuator gets at time t, of sampled control: the last that has arrived. */
static double arrived(const pn_plant *p, const pn_delay *x, int actuator, double t, double initial)
{
    const double count = p->hold[x->at + COUNT];
    for (double k = count - 1; k >= 0 && k >= count - x->room; k--) {
        const double *e = entry(p, x, k);
        if (e[0] <= t) return e[1 + actuator];
    }
    return initial;
}

double pn_delay_value(const pn_plant *p, int actuator, double delay, double t, double initial)
{
    int i = 0;
    while (i < p->delays - 1 && p->delay[i].delay != delay) i++;
    const pn_delay *x = &p->delay[i];
    if (p->sampled) return arrived(p, x, actuator, t, initial);

    /* the stretch that t is in, and the one before it */
    double stretch = floor((p->hold[x->at + COUNT] - 1) / PARTS);
    if (t < instant(p, x, stretch * PARTS)) stretch--;
    if (--stretch < 0) return initial;
    const double place = (t - instant(p, x, (stretch + 1) * PARTS)) / delay * PARTS;
    const double first = fmin(fmax(floor(place) - POINTS / 2 + 1, 0), PARTS + 1 - POINTS);
    double value = 0;
    for (int k = 0; k < POINTS; k++) {
        double weight = 1;
        for (int j = 0; j < POINTS; j++)
            if (j != k) weight *= (place - first - j) / (k - j);
        value += weight * entry(p, x, stretch * PARTS + first + k)[1 + actuator];
    }
    return value;
}
