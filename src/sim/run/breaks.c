/* Where steps end: at the instants at which inputs jump, at samples of the controller, and at what arrives of delayed
 * actuators. And what is asked of these along a step. */
#include "sim/run/driver.h"

#include "sim/force/force_list.h"

#include <math.h>
#include <stdio.h>

/* An instant at which something happens: *b is the earlier, and of one time that which is less smooth. */
static void meet(pn_break *b, double t, int order)
{
    if (t > b->t || (t == b->t && order < 0)) return;
    b->order = t == b->t && b->order >= 0 && b->order < order ? b->order : order;
    b->t = t;
}

pinion_status pn_sim_next_break(pinion_sim *s, double now, pn_break *next)
{
    pn_plant *p = &s->plant;
    const pinion_sim_options *o = &p->options;
    const struct {
        double t;
        const char *name;
        int order; /* what is asked for jumps, or what acts does and has a kink in the motion */
    } jump[] = {
        {o->forces ? pn_forces_break(o->forces, now) : INFINITY, "a force element", 1},
        {o->torque && o->torque_jump ? o->torque_jump(o->torque_user, now) : INFINITY, "torque_jump", 1},
        {o->actuators && o->actuators_jump ? o->actuators_jump(o->actuators_user, now) : INFINITY, "actuators_jump", 0},
        {o->loop_torque && o->loop_torque_jump ? o->loop_torque_jump(o->loop_torque_user, now) : INFINITY,
         "loop_torque_jump", 1}};
    *next = (pn_break){INFINITY, -1};
    for (int i = 0; i < 4; i++) {
        if (!(jump[i].t > now)) {
            snprintf(p->message, sizeof p->message, "%s announces a jump that is not after the time it was asked for",
                     jump[i].name);
            return PINION_ERR_CALLBACK;
        }
        meet(next, jump[i].t, jump[i].order);
    }
    int order;
    const double arrives = pn_delays_next(p, now, &order);
    meet(next, arrives, order);
    meet(next, pn_hold_next(p), -1);
    return PINION_OK;
}

/* What is asked for at a time within the last step, in p->u. */
static pinion_status ask(pinion_sim *s, double t)
{
    const pinion_status status = pn_stepper_at(s->stepper, t, s->q, s->v, NULL);
    return status == PINION_OK ? pn_hold_ask(&s->plant, t, s->q, s->v) : status;
}

/* The same; and where limits were reached or left since it was recorded last, which are kinks, pieces begin. */
static pinion_status ask_kinks(pinion_sim *s, double t)
{
    pn_plant *p = &s->plant;
    for (int kinks = 0;; kinks++) {
        double low, high = t;
        pinion_status status = ask(s, t);
        if (status != PINION_OK || kinks > 2 * p->nu || !pn_delays_switched(p, p->u, &low)) return status;
        low = fmax(low, pn_stepper_before(s->stepper));
        for (double middle; (middle = (low + high) / 2) > low && middle < high && status == PINION_OK;) {
            double since;
            status = ask(s, middle);
            *(status == PINION_OK && pn_delays_switched(p, p->u, &since) ? &high : &low) = middle;
        }
        if (status == PINION_OK) status = ask(s, low);
        if (status == PINION_OK) status = pn_delays_end(p, high, p->u);
        if (status == PINION_OK) status = ask(s, high);
        if (status == PINION_OK) status = pn_delays_begin(p, high, 1, p->u);
        if (status != PINION_OK) return status;
    }
}

pinion_status pn_sim_record(pinion_sim *s, double t, int order)
{
    pn_plant *p = &s->plant;
    pinion_status status = PINION_OK;
    if (!p->delays || p->sampled) return status;
    for (double due; status == PINION_OK && (due = pn_delays_due(p)) <= t && (due < t || order == -1);) {
        status = ask_kinks(s, due);
        if (status == PINION_OK) status = pn_delays_record(p, due, p->u);
    }
    if (status == PINION_OK && order == -1) status = ask_kinks(s, t);
    if (order == -1 || status != PINION_OK) return status;

    /* what was asked for up to there, and from there on */
    status = pn_stepper_at(s->stepper, t, s->q, s->v, NULL);
    if (status == PINION_OK) status = pn_hold_ask(p, nextafter(t, -INFINITY), s->q, s->v);
    if (status == PINION_OK) status = pn_delays_end(p, t, p->u);
    if (order < 0 || status != PINION_OK) return status;
    status = pn_hold_ask(p, t, s->q, s->v);
    return status == PINION_OK ? pn_delays_begin(p, t, order, p->u) : status;
}

pinion_status pn_sim_jump(pinion_sim *s)
{
    pn_plant *p = &s->plant;
    if (!p->delays || p->sampled) return PINION_OK;
    pinion_status status = pn_stepper_at(s->stepper, s->t, s->q, s->v, NULL);
    if (status == PINION_OK) status = pn_hold_ask(p, s->t, s->q, s->v);
    return status == PINION_OK ? pn_delays_begin(p, s->t, 0, p->u) : status;
}
