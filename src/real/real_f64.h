/* Scalar contract: real is double. */
#ifndef PN_REAL_F64_H
#define PN_REAL_F64_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#define pinion_real double
typedef double real;
typedef double num;

#define PN_TOGETHER 4 /* sines and cosines taken at a time */
#define R(x) ((real)(x))
#define PN_EPS DBL_EPSILON

#include "real/real_scalar.h"

static inline real real_sqrt(real x)
{
    return sqrt(x);
}
static inline real real_atan2(real y, real x)
{
    return atan2(y, x);
}

typedef uint64_t real_bits;
#ifndef PN_WIDE /* who compiles for wider registers says so */
#define PN_WIDE 4
#endif
#include "real/real_bits.h"
#include "real/triple_vector.h"
#include "real/wide_vector.h"
#include "real/sincos_f64.h"
#include "real/sincos.inc"

#endif
