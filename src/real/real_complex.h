/* Scalar contract for tests: real is double _Complex, for derivatives by the complex step. The imaginary
 * part carries an infinitesimal: choices look at the real part alone. */
#ifndef PN_REAL_COMPLEX_H
#define PN_REAL_COMPLEX_H

#include <complex.h>
#undef I /* the kernels' name of an inertia */
#include <float.h>
#include <math.h>

#define pinion_real complex
typedef double _Complex real;
typedef double num;
typedef int real_mask;

#define R(x) ((real)(x))
/* around what a paper leaves out of its operation count; only the counting scalar looks */
#define PN_APART_BEGIN() ((void)0)
#define PN_APART_END() ((void)0)
/* the body that the next lines compute for, and the papers' names of numbers; only the recording scalar looks */
#define PN_BODY(i, pass) ((void)0)
#define PN_NOTE(symbol, x, count) ((void)0)
#define PN_INDEPENDENT
#define PN_HOT
#define PN_UNROLL
#define PN_TOGETHER 1
#define real_sincos_together(x, s, c) real_sincos((x)[0], s, c)
#define PN_EPS DBL_EPSILON

static inline real real_set1(num x)
{
    return x;
}
static inline real_mask real_lt(real a, real b)
{
    return creal(a) < creal(b);
}
static inline real real_select(real_mask m, real a, real b)
{
    return m ? a : b;
}
static inline real real_sqrt(real x)
{
    return csqrt(x);
}
/* analytic in a neighbourhood of the real axis: the value there, and d atan2 = (x dy - y dx) / (x^2 + y^2) */
static inline real real_atan2(real y, real x)
{
    double xr = creal(x), yr = creal(y);
    double slope = (xr * cimag(y) - yr * cimag(x)) / (xr * xr + yr * yr);
    return atan2(yr, xr) + slope * _Complex_I;
}
static inline void real_sincos(real x, real *s, real *c)
{
    *s = csin(x);
    *c = ccos(x);
}

#include "real/triple_array.h"
#include "real/wide_one.h"

#endif
