/* Sampled control: the actuators' forces are asked for every `sample` seconds and held in between, from `delay` seconds
 * after the instant that was asked for on. Steps end at these instants. The forces are so a function of time alone
 * within the last step: those before the last change, and from it on those after. */
#include "sim/run/driver.h"

#include <math.h>
#include <string.h>

#define SAME 1e-9 /* of a period: two instants so near are one */

/* The numbers of a hold, which checkpoints keep; then three arrays of forces. */
enum { ORIGIN, TAKEN, CHANGED, WAITING, DUE, HEAD };

int pn_hold_size(const pn_plant *p)
{
    return p->sampled ? HEAD + 3 * p->nu : 0;
}

pinion_status pn_hold_init(pn_plant *p, pinion_error *err)
{
    p->sampled = (p->options.actuators || p->options.sensors) && p->options.sample > 0;
    p->held = pn_delays_new(p, pn_hold_size(p) + pn_sense_size(p));
    if (p->held >= 0) return PINION_OK;
    if (p->held == -1) return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    pinion_actuator_info a;
    const int known = pinion_model_actuator(p->m, -2 - p->held, &a) == PINION_OK;
    return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0,
                        "actuator '%.100s': its delay has more than a million periods of the controller",
                        known ? a.name : "");
}

/* Before and after the last change, and those that wait for their delay. */
static double *before(const pn_plant *p)
{
    return p->hold + HEAD;
}
static double *after(const pn_plant *p)
{
    return p->hold + HEAD + p->nu;
}
static double *waiting(const pn_plant *p)
{
    return p->hold + HEAD + 2 * p->nu;
}

const double *pn_hold_forces(const pn_plant *p, double t)
{
    return t < p->hold[CHANGED] ? before(p) : after(p);
}

static double next_sample(const pn_plant *p)
{
    return p->hold[ORIGIN] + p->hold[TAKEN] * p->options.sample;
}

double pn_hold_next(const pn_plant *p)
{
    if (!p->sampled) return INFINITY;
    const double sample = next_sample(p), due = p->hold[DUE];
    return p->hold[WAITING] != 0 && due < sample - SAME * p->options.sample ? due : sample;
}

static void change(pn_plant *p, double t)
{
    const size_t bytes = (size_t)p->nu * sizeof(double);
    memcpy(before(p), after(p), bytes);
    memcpy(after(p), waiting(p), bytes);
    p->hold[CHANGED] = t;
    p->hold[WAITING] = 0;
    pn_delays_send(p, t, after(p));
}

pinion_status pn_hold_at(pn_plant *p, double t, const double *q, const double *v, const double *z)
{
    const pinion_sim_options *o = &p->options;
    const double reached = t + SAME * o->sample;
    if (p->hold[WAITING] != 0 && p->hold[DUE] <= reached) change(p, t);
    if (!(next_sample(p) <= reached)) return PINION_OK;
    pinion_status status = pn_sense(p, t, q, v, z);
    if (status != PINION_OK) return status;
    memcpy(p->seen_q, q, (size_t)p->nq * sizeof *q);
    memcpy(p->seen_v, v, (size_t)p->nv * sizeof *v);
    pn_sense_seen(p, p->seen_q, p->seen_v);
    if (o->actuators) status = o->actuators(o->actuators_user, t, p->seen_q, p->seen_v, waiting(p));
    if (status != PINION_OK) return pn_plant_no_torques(p, status);
    p->hold[DUE] = next_sample(p) + o->delay;
    p->hold[TAKEN]++;
    p->hold[WAITING] = 1;
    if (p->hold[DUE] <= reached) change(p, t);
    return PINION_OK;
}

pinion_status pn_hold_ask(pn_plant *p, double t, const double *q, const double *v)
{
    const pinion_sim_options *o = &p->options;
    p->driven = 0;
    const pinion_status status = o->actuators(o->actuators_user, t, q, v, p->u);
    return status == PINION_OK ? status : pn_plant_no_torques(p, status);
}

int pn_hold_fits(const pn_plant *p, double t)
{
    return pn_delays_fit(p, t) && (!p->options.sensors || (p->senses[0] >= 0 && p->senses[0] < 0x1p53));
}

pinion_status pn_hold_start(pn_plant *p, double t, const double *q, const double *v, const double *z)
{
    if (!p->hold) return PINION_OK;
    memset(p->hold, 0, (size_t)p->held * sizeof *p->hold);
    if (!p->sampled) {
        pinion_status status = p->delays ? pn_hold_ask(p, t, q, v) : PINION_OK;
        if (status == PINION_OK && p->delays) status = pn_delays_begin(p, t, 0, p->u);
        return status == PINION_OK ? pn_sense(p, t, q, v, z) : status;
    }
    p->hold[ORIGIN] = p->hold[CHANGED] = t;
    return pn_hold_at(p, t, q, v, z);
}
