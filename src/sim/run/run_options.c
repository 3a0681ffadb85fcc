/* The options of a simulation: their defaults, and what can be wrong with them. */
#include "sim/run/driver.h"

#include <math.h>
#include <string.h>

pinion_sim_options pinion_sim_options_default(void)
{
    pinion_sim_options o;
    memset(&o, 0, sizeof o);
    o.integrator = PINION_INTEGRATOR_AUTO;
    o.max_step = INFINITY;
    o.rtol = 1e-12; /* so that energy drifts by less than 1e-9 of its scale in 10 s, for fast arms too */
    o.atol = 1e-12;
    o.algorithm = -1;
    o.passive = 1;
    o.friction_speed = 1e-3;
    o.stiction = 1;
    o.stop_stiffness = 1e4;
    o.stop_damping = 1e2;
    o.stabilization = PINION_STABILIZATION_PROJECTION;
    o.baumgarte = 20;
    o.cookie = PN_COOKIE_SIM;
    return o;
}

const char *pn_sim_complaint(const pinion_model *m, const pinion_sim_options *o)
{
    if (!m) return "the model is missing";
    if (o->cookie != PN_COOKIE_SIM) return "the options were not started from pinion_sim_options_default()";
    if (!(o->friction_speed >= 0) || !isfinite(o->friction_speed))
        return "friction_speed is negative or not finite";
    if ((unsigned)o->friction > PINION_FRICTION_EXACT) return "there is no such friction";
    if (!(o->stiction >= 1) || !isfinite(o->stiction)) return "stiction is below 1 or not finite";
    if (!(o->stop_stiffness >= 0 && o->stop_damping >= 0) || !isfinite(o->stop_stiffness + o->stop_damping))
        return "the stiffness or damping of the stops is negative or not finite";
    if ((unsigned)o->stabilization >= PINION_STABILIZATION_COUNT) return "there is no such stabilization";
    if (!(o->baumgarte >= 0) || !isfinite(o->baumgarte)) return "baumgarte is negative or not finite";
    if (!(o->sample >= 0) || !isfinite(o->sample)) return "sample is negative or not finite";
    if (!(o->delay >= 0 && o->delay <= o->sample)) return "delay is negative or above sample";
    if ((unsigned)o->integrator >= PINION_INTEGRATOR_COUNT) return "no such integrator";
    return NULL;
}
