/* Scalar contract: real is double. */
#ifndef PN_REAL_F64_H
#define PN_REAL_F64_H

#include <float.h>
#include <math.h>

#define pinion_real double
typedef double real;
typedef double num;

#define R(x) ((real)(x))
#define PN_EPS DBL_EPSILON

#include "real_scalar.h"

static inline real real_sqrt(real x)
{
    return sqrt(x);
}
static inline real real_atan2(real y, real x)
{
    return atan2(y, x);
}

#include "sincos_f64.h"
#include "sincos.inc"

#endif
