/* The Lie groups that joints move on, for forces and momenta in the child frames: SO(3), SE(3) and SE(2)
 * for spherical, free and planar joints, R for each coordinate of all others. W is a motion (a velocity
 * times a time) of all joints, and ad_W eta = [W, eta] joint by joint. Covectors p are carried by the
 * transposes. */
#ifndef PN_SIM_LIE_GROUP_H
#define PN_SIM_LIE_GROUP_H

#include "sim/stepper/chart.h"

/* y = (ad_W)' p: <y, eta> = <p, [W, eta]> for all eta. y may not be p. */
void pn_group_coadjoint(const pn_chart *c, const double *W, const double *p, double *y);

/* The power series of these in (ad_W)', to rounding; rotations in W shorter than PN_LARGEST_TURN. y may be
 * p; `work` has 2 nv numbers. */
void pn_group_exp(const pn_chart *c, double scale, const double *W, const double *p, double *y, double *work);
void pn_group_dexp(const pn_chart *c, double scale, const double *W, const double *p, double *y,
                   double *work);
void pn_group_dexp_inverse(const pn_chart *c, double scale, const double *W, const double *p, double *y,
                           double *work);

#endif
