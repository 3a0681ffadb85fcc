/* The balance of energies along the steps. */
#include "sim/run/drift.h"
#include "sim/run/driver.h"

#include <math.h>
#include <stdio.h>

double pn_larger(double a, double b)
{
    return isnan(a) || a >= b ? a : b;
}

pinion_status pn_sim_energies(pinion_sim *s, double t, double *kinetic, double *potential, double *work,
                              double *drift)
{
    pinion_status status = pn_stepper_at(s->stepper, t, s->q, s->v, s->z);
    *work = s->z[s->plant.nx];
    if (status == PINION_OK) status = pn_plant_energy(&s->plant, t, s->q, s->v, kinetic, potential);
    *drift = *kinetic + *potential - *work - s->energy;
    return status;
}

pinion_status pn_sim_look_ahead(pinion_sim *s)
{
    double potential = 0, work = 0;
    const double t = pn_stepper_now(s->stepper);
    if (s->ahead.t == t) return PINION_OK;
    const pinion_status status = pn_sim_energies(s, t, &s->ahead.kinetic, &potential, &work, &s->ahead.drift);
    if (status == PINION_OK) s->most_other = pn_larger(s->most_other, pn_larger(fabs(potential), fabs(work)));
    s->ahead.t = status == PINION_OK ? t : NAN;
    return status;
}

pinion_status pn_sim_note_energies(pinion_sim *s)
{
    const pinion_status status = pn_sim_look_ahead(s);
    if (status != PINION_OK) return status;
    s->most_kinetic = pn_larger(s->most_kinetic, s->ahead.kinetic);
    s->most_drift = pn_larger(s->most_drift, fabs(s->ahead.drift));
    if (s->most_kinetic < 1e3 * s->plant.options.atol) s->rested = s->count[0];
    return status;
}

double pn_sim_drift_floor(const pinion_sim *s)
{
    const pinion_sim_options *o = &s->plant.options;
    return 1e-9 * s->most_other + (pinion_integrator_is_fixed(o->integrator) ? 0 : 1e3 * o->atol);
}

double pn_sim_drift_allowed(const pinion_sim *s, double part, double drift)
{
    const pinion_sim_options *o = &s->plant.options;
    const int first_order = o->integrator == PINION_INTEGRATOR_EULER || o->contact;
    const long steps = s->count[0] > s->rested ? s->count[0] - s->rested : 1; /* since it moves */
    return pn_drift_part(part, first_order && s->count[0] > 0, (double)steps, drift,
                         fmax(s->most_other, 1e3 * o->atol));
}

pinion_status pn_sim_check_balance(pinion_sim *s)
{
    if (!(s->max_drift < INFINITY)) return PINION_OK;
    const pinion_status status = pn_sim_look_ahead(s);
    if (status != PINION_OK) return status;
    const double most = pn_larger(s->most_kinetic, s->ahead.kinetic), drift = fabs(s->ahead.drift);
    /* what coarse steps are off by while things begin to move may be little against what follows: the end tells */
    const int fixed = pinion_integrator_is_fixed(s->plant.options.integrator);
    const double floor = fmax(pn_sim_drift_floor(s),
                              fixed ? fmax(s->max_drift * s->most_other, 1e3 * s->plant.options.atol) : 0);
    if (drift <= fmax(pn_sim_drift_allowed(s, s->max_drift, drift) * most, floor)) return PINION_OK;
    snprintf(s->plant.message, sizeof s->plant.message,
             "the energies do not balance: the step to t = %.9g leaves them off by %.3g J, more than max_drift, %.3g, "
             "of the largest kinetic energy, %.3g J%s", s->ahead.t, drift, s->max_drift, most,
             fixed ? "; a shorter step may do" : "");
    s->ahead.t = NAN;
    return PINION_ERR_STEP;
}
