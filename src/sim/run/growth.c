/* Loops that are not stable: forces that are held for a period take more than twice of a velocity in it, so that this
 * changes its sign each time and grows. Integrators follow it with steps that are ever shorter, and contact finds ever
 * more to push apart. */
#include "sim/run/driver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TIMES 6 /* on end: chance does not do that */
#define FAR 0.2 /* rad or m in a period: what moves less may yet end in a small and harmless cycle */

void pn_growth_start(pinion_sim *s)
{
    memset(s->grows, 0, (size_t)s->plant.nv * sizeof *s->grows);
    memcpy(s->last_v, s->v, (size_t)s->plant.nv * sizeof *s->v);
}

pinion_status pn_growth_look(pinion_sim *s)
{
    const pinion_sim_options *o = &s->plant.options;
    const double period = o->sample > 0 ? o->sample : o->step;
    int worst = -1;
    for (int i = 0; i < s->plant.nv; i++) {
        const double v = s->v[i], last = s->last_v[i];
        s->grows[i] = v * last < 0 && fabs(v) > fabs(last) ? s->grows[i] + 1 : 0;
        s->last_v[i] = v;
        if (s->grows[i] < TIMES || !(period * fabs(v) > FAR)) continue;
        if (worst < 0 || fabs(v) > fabs(s->v[worst])) worst = i;
    }
    if (worst < 0) return PINION_OK;
    char name[256];
    snprintf(s->plant.message, sizeof s->plant.message,
             "the controller's loop is not stable: every %g s it turns the velocity of %.60s round, larger than "
             "before, %.3g at t = %.9g; take shorter periods or lower gains", period,
             pinion_coordinate_name(s->plant.m, "v", worst, name, sizeof name) + 2, s->v[worst],
             pn_stepper_now(s->stepper));
    return PINION_ERR_STEP;
}
