/* Scalar contract for tests: real is __float128, the truth that the others are measured against. Its
 * constants are the model's doubles widened, so every difference is rounding of the kernel's own. */
#ifndef PN_REAL_QUAD_H
#define PN_REAL_QUAD_H

#include <quadmath.h>

#define pinion_real quad
typedef __float128 real;
typedef __float128 num;

#define R(x) ((real)(x))
#define PN_EPS FLT128_EPSILON
#define PN_TOGETHER 1
#define real_sincos_together(x, s, c) real_sincos((x)[0], s, c)

#include "real/real_scalar.h"

static inline real real_sqrt(real x)
{
    return sqrtq(x);
}
static inline real real_atan2(real y, real x)
{
    return atan2q(y, x);
}
static inline void real_sincos(real x, real *s, real *c)
{
    sincosq(x, s, c);
}

#include "real/triple_array.h"
#include "real/wide_one.h"

#endif
