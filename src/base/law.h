/* What the law of an actuator has beside a gain of 1. */
#ifndef PN_LAW_H
#define PN_LAW_H

#include "pinion/actuators.h"

static inline int pn_law_has_bias(const pinion_actuator_law *law)
{
    return law->bias[0] != 0 || law->bias[1] != 0 || law->bias[2] != 0;
}

static inline int pn_law_has_slope(const pinion_actuator_law *law)
{
    return law->slope[0] != 0 || law->slope[1] != 0;
}

static inline int pn_law_has_activation(const pinion_actuator_law *law)
{
    return law->filter > 0 || law->integrates;
}

/* whether u is anything else than the control, within its range */
static inline int pn_law_acts(const pinion_actuator_law *law)
{
    return law->gain != 1 || pn_law_has_bias(law) || pn_law_has_slope(law) || pn_law_has_activation(law);
}

#endif
