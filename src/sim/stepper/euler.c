/* Semi-implicit Euler: v1 = v0 + h a(q0, v0), then q1 = q0 (+) h v1, along the exponential of each joint.
 * Of order 1, and without the systematic gain of energy that the explicit one has. Further states
 * go first, towards where they would settle at the beginning; quadratures by the trapezoidal rule. With contact it is
 * a scene's step. */
#include "sim/stepper/ends.h"

#include <stdlib.h>
#include <string.h>

typedef struct euler_data {
    pn_ends ends;
    double numbers[];
} euler_data;

static void euler_close(pn_stepper *s)
{
    free(s->data);
    s->data = NULL;
}

static pinion_status euler_open(pn_stepper *s)
{
    euler_data *d = calloc(1, sizeof *d + 5 * (size_t)s->n * sizeof(double));
    s->data = d;
    if (!d) return PINION_ERR_MEMORY;
    pn_ends_open(s, &d->ends, d->numbers);
    return PINION_OK;
}

static pinion_status euler_start(pn_stepper *s)
{
    euler_data *d = s->data;
    pn_ends_start(s, &d->ends);
    return PINION_OK;
}

static pinion_status euler_step(pn_stepper *s, double end)
{
    pn_ends *e = &((euler_data *)s->data)->ends;
    const int nv = s->system.nv;
    const double t0 = s->before.t;
    pn_grid grid;
    double t1;
    pinion_status status = pn_ends_begin(s, e, end, &grid, &t1);
    if (status != PINION_OK) return status;
    const double h = t1 - t0;

    /* what actuators give, then v with that, then q with the new v */
    const int states = 2 * nv + s->system.nx;
    double *rate = e->f0;
    if (s->system.nx > 0) {
        rate = ((euler_data *)s->data)->numbers + 4 * (size_t)s->n;
        memcpy(e->y1, e->y0, (size_t)s->n * sizeof *e->y1);
        for (int i = 2 * nv; i < states; i++)
            e->y1[i] = pn_ends_lagged(s, i - 2 * nv, h, e->y0[i], e->y0[i], e->f0[i]);
        status = pn_evaluate(s, t0, s->before.q, e->y1, rate);
        if (status != PINION_OK) return status;
    }
    double work = 0;
    if (s->system.contact)
        status = s->system.contact(s->system.user, t0, h, s->before.q, s->before.v, rate + nv, s->now.q, s->now.v,
                                   &work);
    else
        for (int i = 0; i < nv; i++) s->now.v[i] = s->before.v[i] + h * rate[nv + i];
    if (status != PINION_OK) return pn_stepper_fail(s, status, "%s", pinion_status_text(status));
    if (!(h * pn_chart_turn(s->chart, s->now.v) <= PN_LARGEST_TURN))
        return pn_stepper_fail(s, PINION_ERR_STEP,
                               "a joint turns by more than half a turn in the step at t = %.17g", t0);
    if (!s->system.contact) status = pinion_integrate(s->system.m, s->before.q, s->now.v, h, s->now.q);
    if (status != PINION_OK) return pn_stepper_fail(s, status, "%s", pinion_status_text(status));

    status = pn_project_now(s, t1);
    if (status == PINION_OK) status = pn_ends_rates(s, e, t1);
    if (status != PINION_OK) return status;
    for (int i = states; i < s->n; i++) e->y1[i] = e->y0[i] + 0.5 * h * (e->f0[i] + e->f1[i]);
    if (states < s->n) e->y1[states] += work; /* the first of the quadratures is work */
    pn_ends_finish(s, e, &grid, t1, end);
    return PINION_OK;
}

static pinion_status euler_dense(pn_stepper *s, double t, double *y)
{
    const euler_data *d = s->data;
    const pn_ends *e = &d->ends;
    if (!s->system.contact) {
        pn_ends_dense(s, e, t, y);
        return PINION_OK;
    }
    /* the rates at the ends are those without contact: a straight line has the impulse in it */
    const double part = (t - s->before.t) / (s->now.t - s->before.t);
    for (int i = 0; i < s->n; i++) y[i] = e->y0[i] + part * (e->y1[i] - e->y0[i]);
    return PINION_OK;
}

static void euler_store(pn_stepper *s, double *memory)
{
    const euler_data *d = s->data;
    pn_ends_store(s, &d->ends, memory);
}

static pinion_status euler_restore(pn_stepper *s, const double *memory)
{
    euler_data *d = s->data;
    return pn_ends_restore(s, &d->ends, memory);
}

const pn_method pn_method_euler = {euler_open,  euler_close,         euler_start, euler_step,
                                   euler_dense, pn_ends_memory_size, euler_store, euler_restore, NULL, NULL};
