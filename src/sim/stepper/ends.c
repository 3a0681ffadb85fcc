#include "sim/stepper/ends.h"

#include <math.h>
#include <string.h>

void pn_ends_open(const pn_stepper *s, pn_ends *e, double *memory)
{
    e->y0 = memory;
    e->y1 = e->y0 + s->n;
    e->f0 = e->y1 + s->n;
    e->f1 = e->f0 + s->n;
}

void pn_ends_start(const pn_stepper *s, pn_ends *e)
{
    e->fresh = 0;
    e->grid.origin = s->now.t;
    e->grid.count = 0;
}

pinion_status pn_ends_begin(pn_stepper *s, pn_ends *e, double end, pn_grid *grid, double *t1)
{
    const int nv = s->system.nv, nz = s->system.nz;
    memset(e->y0, 0, (size_t)nv * sizeof(double));
    memcpy(e->y0 + nv, s->before.v, (size_t)nv * sizeof(double));
    if (nz) memcpy(e->y0 + 2 * nv, s->before.z, (size_t)nz * sizeof(double));

    *grid = e->grid;
    *t1 = pn_grid_next(grid, s->before.t, s->fixed, end);
    if (!(*t1 > s->before.t))
        return pn_stepper_fail(s, PINION_ERR_STEP, "the step is lost in rounding at t = %.17g", *t1);

    /* the rates were computed at the end of the step before, theta' in another chart */
    if (!e->fresh) return pn_evaluate(s, s->before.t, s->before.q, e->y0, e->f0);
    pn_chart_rate(s->chart, s->before.q, e->y0, s->before.v, e->f0);
    memcpy(e->f0 + nv, e->f1 + nv, (size_t)(nv + nz) * sizeof(double));
    e->fresh = 0; /* until the step is taken */
    return PINION_OK;
}

pinion_status pn_ends_rates(pn_stepper *s, pn_ends *e, double t1)
{
    pn_chart_theta(s->chart, s->before.q, s->now.q, e->y1);
    memcpy(e->y1 + s->system.nv, s->now.v, (size_t)s->system.nv * sizeof(double));
    return pn_evaluate_at(s, t1, s->now.q, e->y1, e->f1);
}

void pn_ends_finish(pn_stepper *s, pn_ends *e, const pn_grid *grid, double t1, double end)
{
    if (s->system.nz) memcpy(s->now.z, e->y1 + 2 * s->system.nv, (size_t)s->system.nz * sizeof(double));
    s->now.t = t1;
    e->grid = *grid;
    /* at `end` the system may change */
    e->fresh = t1 < end;
}

void pn_ends_dense(const pn_stepper *s, const pn_ends *e, double t, double *y)
{
    const double h = s->now.t - s->before.t;
    pn_hermite(s->n, h, (t - s->before.t) / h, e->y0, e->f0, e->y1, e->f1, y);
}

double pn_ends_lagged(const pn_stepper *s, int i, double h, double z0, double z, double rate)
{
    if (!s->system.lag) return z0 + h * rate;
    const double lag = s->system.lag[i], settled = z + lag * rate;
    return settled + (z0 - settled) * exp(-h / lag);
}

enum { NUMBERS = 3 };

int pn_ends_memory_size(const pn_stepper *s)
{
    return NUMBERS + s->system.nv + s->system.nz;
}

void pn_ends_store(const pn_stepper *s, const pn_ends *e, double *memory)
{
    memory[0] = e->fresh;
    memory[1] = e->grid.origin;
    memory[2] = e->grid.count;
    for (int i = s->system.nv; i < s->n; i++) *(memory++ + NUMBERS) = e->fresh ? e->f1[i] : 0;
}

pinion_status pn_ends_restore(pn_stepper *s, pn_ends *e, const double *memory)
{
    int good = memory[2] >= 0;
    for (int i = 0; i < pn_ends_memory_size(s); i++) good = good && isfinite(memory[i]);
    if (!good) return pn_stepper_fail(s, PINION_ERR_ARGUMENT, "what was stored is not of this integrator");
    e->fresh = memory[0] != 0;
    e->grid.origin = memory[1];
    e->grid.count = memory[2];
    memcpy(e->f1 + s->system.nv, memory + NUMBERS, (size_t)(s->n - s->system.nv) * sizeof(double));
    return PINION_OK;
}
