/* The motors of a controller: actuator forces for wanted joint forces, or for wanted accelerations. */
#ifndef PN_SIM_MOTORS_H
#define PN_SIM_MOTORS_H

#include "pinion/actuators.h"

typedef struct pn_motors pn_motors;

/* `accelerates`: with room for pn_motors_accelerate. NULL when out of memory. */
pn_motors *pn_motors_new(const pinion_model *m, int accelerates);
void pn_motors_free(pn_motors *x); /* NULL is allowed */

/* u [nu] for joint forces tau [nv], by least squares. `limit`: cut to the effort limits. */
pinion_status pn_motors_force(pn_motors *x, const double *q, const double *tau, int limit, double *u);
/* u for accelerations a [nv]: all of them where that can be, else those that B reaches, B' (a - wanted) = 0. */
pinion_status pn_motors_accelerate(pn_motors *x, double t, const double *q, const double *v, const double *a, int limit,
                                   double *u);
/* tau = B u */
pinion_status pn_motors_torque(pn_motors *x, const double *q, const double *u, double *tau);

#endif
