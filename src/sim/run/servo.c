/* Actuators that do not give at once what is asked of them: by a delay (delay.c), a lag, or the current of a
 * motor. With the last two what they give is part of the state, and goes towards what they would settle at:
 * time_constant u' = settled - u. */
#include "sim/run/driver.h"

#include <stdlib.h>
#include <string.h>

int pn_servos_new(pn_plant *p)
{
    if (!p->options.actuators) return 1;
    p->servo = calloc((size_t)p->nu + 1, sizeof *p->servo);
    for (int k = 0; k < p->nu && p->servo; k++) {
        pn_servo *s = &p->servo[p->servos];
        if (pinion_model_actuator(p->m, k, &s->info) != PINION_OK) continue;
        s->actuator = k;
        s->time_constant = pinion_actuator_time_constant(&s->info);
        s->state = s->time_constant > 0 ? p->nx : -1;
        const pinion_actuator_dynamics *d = &s->info.dynamics;
        if (s->state < 0 && d->delay == 0 && !(d->torque_constant > 0 && d->voltage > 0)) continue;
        p->servos++;
        p->nx += s->state >= 0;
    }
    return p->servo != NULL;
}

pinion_status pn_servo_act(pn_plant *p, const pn_servo *s, double t, const double *q, const double *v, const double *z)
{
    const pinion_actuator_info *a = &s->info;
    double speed = 0, *u = &p->u[s->actuator];
    pinion_status status = PINION_OK;
    if (a->dynamics.torque_constant > 0) status = pinion_actuator_speed(p->m, p->w, q, v, s->actuator, &speed);
    if (a->dynamics.delay > 0) *u = pn_delay_value(p, s->actuator, a, t);
    const double settled = pinion_actuator_settled(a, *u, speed);
    *u = s->state < 0 ? settled : z[s->state];
    if (s->state >= 0) p->zdot[s->state] = (settled - *u) / s->time_constant;
    return status;
}

void pn_servos_start(const pn_plant *p, double *z)
{
    for (int i = 0; i < p->servos; i++)
        if (p->servo[i].state >= 0) z[p->servo[i].state] = p->servo[i].info.dynamics.initial;
    z[p->nx] = 0;
}
