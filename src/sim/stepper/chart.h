/* Charts of the configuration manifold. A step works in the chart around the configuration q0 where it
 * began: theta in R^nv with q = point(q0, theta) and point(q0, 0) = q0. There the equations of motion are
 * an ordinary system theta' = rate(theta, v), v' = a, to which any method for such systems applies
 * (Munthe-Kaas 1998).
 *
 * Spherical joints: theta is the rotation vector from q0 in the child frame, q = q0 exp(theta). Free
 * joints: the same for the rotation, and the change of the position in the parent's axes. All other
 * joints: theta = q - q0. */
#ifndef PN_SIM_CHART_H
#define PN_SIM_CHART_H

#include "pinion/dynamics.h"

typedef enum pn_chart_kind {
    PN_CHART_PLAIN = 0,
    PN_CHART_PLANAR,
    PN_CHART_SPHERICAL,
    PN_CHART_FREE
} pn_chart_kind;

/* one joint's part of q and v; neighbouring plain joints are one part */
typedef struct pn_chart_part {
    pn_chart_kind kind;
    int q, v, n; /* where it begins in q and in v, and how many velocities it has */
} pn_chart_part;

typedef struct pn_chart {
    int nq, nv, count;
    pn_chart_part part[]; /* [count] */
} pn_chart;

/* NULL when out of memory; released with free() */
pn_chart *pn_chart_new(const pinion_model *m);

/* q = point(q0, theta); quaternions come out of unit length. q may be q0. */
void pn_chart_point(const pn_chart *c, const double *q0, const double *theta, double *q);
/* theta' at the point q = point(q0, theta) that moves with v. Not for turns of 2 pi and more. */
void pn_chart_rate(const pn_chart *c, const double *q, const double *theta, const double *v, double *rate);
/* the theta with point(q0, theta) = q; rotation vectors no longer than pi */
void pn_chart_theta(const pn_chart *c, const double *q0, const double *q, double *theta);
/* the length of the longest rotation vector in theta (or of the fastest turning in v) */
double pn_chart_turn(const pn_chart *c, const double *theta);
/* what the tolerance of each coordinate is relative to: |q| where theta is a difference of coordinates; 1
 * for a rotation vector, the length of the quaternion */
void pn_chart_scale(const pn_chart *c, const double *q, double *scale /*[nv]*/);

/* quaternions w, x, y, z: y = a b (may be in place), and y = the rotation of x */
void pn_quaternion_product(const double a[4], const double b[4], double y[4]);
void pn_quaternion_rotate(const double q[4], const double x[3], double y[3]);
/* q = q0 exp(theta), of unit length; and the rotation vector from a to b, no longer than pi */
void pn_quaternion_turn(const double q0[4], const double theta[3], double q[4]);
void pn_quaternion_between(const double a[4], const double b[4], double theta[3]);

#endif
