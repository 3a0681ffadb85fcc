/* What a simulation asks of a controller besides its torques. */
#ifndef PN_SIM_CONTROLLER_H
#define PN_SIM_CONTROLLER_H

#include "pinion/sim/control.h"

/* The first instant after t at which the torques have a kink because of the time alone, for tables: their
 * instants; INFINITY when there is none. What a target trajectory does is not in it. */
double pn_controller_break(const pinion_controller *c, double t);

#endif
