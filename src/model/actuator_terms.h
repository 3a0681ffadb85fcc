/* What an actuator adds to B, without the rest of its description: for calls in loops. */
#ifndef PN_ACTUATOR_TERMS_H
#define PN_ACTUATOR_TERMS_H

#include "pinion/actuators.h"

/* None where it depends on q. The index is in range. */
const pinion_actuator_term *pn_actuator_terms(const pinion_model *m, int index, int *count);

#endif
