/* Scalar contract: real is float. */
#ifndef PN_REAL_F32_H
#define PN_REAL_F32_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#define pinion_real float
typedef float real;
typedef float num;

#define PN_TOGETHER 8 /* sines and cosines taken at a time */
#define R(x) ((real)(x))
#define PN_EPS FLT_EPSILON

#include "real/real_scalar.h"

static inline real real_sqrt(real x)
{
    return sqrtf(x);
}
static inline real real_atan2(real y, real x)
{
    return atan2f(y, x);
}

typedef uint32_t real_bits;
typedef double real_wide;
#define real_widen(x) ((double)(x))
#define real_narrow(x) ((float)(x))
#define PN_WIDE 8
#include "real/real_bits.h"
#include "real/triple_vector.h"
#include "real/wide_vector.h"
#include "real/sincos_f32.h"
#include "real/sincos.inc"

#endif
