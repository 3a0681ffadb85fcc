/* Rates in a chart (chart.h), to second order: its coordinates y are numbers that may be interpolated like
 * any others. Where the velocities v of a joint are not the derivatives of its coordinates in the chart, they
 * are v = G(y) y', and a = G(y) y'' + (dG/dt) y'. */
#ifndef PN_SIM_CHART_RATES_H
#define PN_SIM_CHART_RATES_H

#include "sim/stepper/chart.h"

/* v and a from y' and y'' at y, where the configuration is q; y2 and a may be NULL. */
void pn_chart_to_rates(const pn_chart *f, const double *q, const double *y, const double *y1,
                       const double *y2, double *v, double *a);
/* y' and y'' from v and a; a and y2 may be NULL. */
void pn_chart_from_rates(const pn_chart *f, const double *q, const double *y, const double *v,
                         const double *a, double *y1, double *y2);
/* J G in place of J [rows][nv]: a Jacobian with respect to v becomes one with respect to y'. */
void pn_chart_columns(const pn_chart *f, const double *q, const double *y, int rows, double *J);

/* The functions of a rotation vector x that the above are made of. G(x) = 1 - b [x] + c [x]^2 gives the
 * angular velocity in the child's frame, G x'. */
typedef struct pn_rotation {
    double x[3];
    double b, c;   /* (1 - cos)/angle^2, (angle - sin)/angle^3 */
    double db, dc; /* their derivatives by angle^2 */
    double e;      /* the inverse of G is 1 + [x]/2 + e [x]^2 */
} pn_rotation;

pn_rotation pn_rotation_of(const double x[3]);
void pn_rotation_rate(const pn_rotation *r, const double y[3], double out[3]); /* G y */
void pn_rotation_unrate(const pn_rotation *r, const double y[3],
                        double out[3]); /* the inverse of G, times y */
/* (dG/dt) z where x moves with y: bilinear in y and z, without the term -b y x z, which is zero for y = z */
void pn_rotation_bend(const pn_rotation *r, const double y[3], const double z[3], double out[3]);

#endif
