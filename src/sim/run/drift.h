/* How far the energies of a run may be off, in simulations and in rollouts of sweeps. */
#ifndef PN_DRIFT_H
#define PN_DRIFT_H

#include <math.h>

#define PN_COARSE 0.1 /* a part of the kinetic energy that few steps of order one are warned of, too */

/* The part of the largest kinetic energy that is allowed where `part` is, after so many steps since things move. From
 * rest the first step of order one makes as much error as motion, but no more than it brings: `other`, the largest
 * potential energy or work. */
static inline double pn_drift_part(double part, int first_order, double steps, double drift, double other)
{
    const double coarse = 1.5 / steps;
    if (!first_order || drift > other) return part;
    return fmax(part, part < PN_COARSE ? fmin(coarse, PN_COARSE) : coarse);
}

#endif
