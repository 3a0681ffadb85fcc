/* Scalar contract: real is float. */
#ifndef PN_REAL_F32_H
#define PN_REAL_F32_H

#include <float.h>
#include <math.h>

#define pinion_real float
typedef float real;
typedef float num;

#define R(x) ((real)(x))
#define PN_EPS FLT_EPSILON

#include "real_scalar.h"

static inline real real_sqrt(real x)
{
    return sqrtf(x);
}
static inline real real_atan2(real y, real x)
{
    return atan2f(y, x);
}

#include "sincos_f32.h"
#include "sincos.inc"

#endif
