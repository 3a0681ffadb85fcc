/* A spring whose stiffness changes with x: its force is -x (k + c0 x + c1 x^2). Of a damper x is the speed |v|, and the
 * force is against v. */
#ifndef PN_CURVE_H
#define PN_CURVE_H

static inline int pn_is_curved(const double c[2])
{
    return c[0] != 0 || c[1] != 0;
}

/* what the force is -x times */
static inline double pn_secant(double k, const double c[2], double x)
{
    return k + x * (c[0] + x * c[1]);
}

/* minus the derivative of the force by x, and of that the derivative */
static inline double pn_tangent(double k, const double c[2], double x)
{
    return k + x * (2 * c[0] + x * 3 * c[1]);
}

static inline double pn_tangent_slope(const double c[2], double x)
{
    return 2 * c[0] + x * 6 * c[1];
}

/* the energy that is in a spring */
static inline double pn_spring_energy(double k, const double c[2], double x)
{
    return x * x * (k / 2 + x * (c[0] / 3 + x * c[1] / 4));
}

#endif
