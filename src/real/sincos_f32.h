/* Constants of sincos.inc for float. Coefficients: minimax on |r| <= 1.0005 pi/4, relative error 4e-9. */
#ifndef PN_SINCOS_CONSTANTS
#define PN_SINCOS_CONSTANTS

enum { PN_SIN_TERMS = 3, PN_COS_TERMS = 3 };
/* (sin r - r) / r^3 and (cos r - 1 + r^2/2) / r^4 in powers of r^2 */
static const num pn_sin[] = {-0x1.555546p-3f, 0x1.110734p-7f, -0x1.9941c2p-13f};
static const num pn_cos[] = {0x1.55554ap-5f, -0x1.6c0c86p-10f, 0x1.9a00cep-16f};
#define PN_ROUND 0x1.8p23f  /* adding it rounds to an integer */
#define PN_SIZE 0x7fffffffu /* all bits but the sign's */

/* Told to take sums for exact, clang makes a product and a sum of an fmaf that is no instruction. */
#if defined(__clang__) && !defined(__FP_FAST_FMAF) && !defined(__FMA__) && !defined(__ARM_FEATURE_FMA)
#undef PN_FLOAT_ONLY
#endif

/* r + e = x - k pi/2 (Cody & Waite), in double: in float, parts short enough for exact products would be six. */
#if !defined(PN_FLOAT_ONLY) && (defined(PN_LANES) || !defined(__ARM_FEATURE_FMA) || (__ARM_FP & 8))
static inline real pn_reduce(real x, real k, real integer, real *e)
{
    (void)integer; /* what reassociated sums lose in double is nothing in float */
    const real_wide kd = real_widen(k);
    const real_wide d = (real_widen(x) - kd * 0x1.921fb544p+0) - kd * 0x1.0b4611a626331p-34;
    const real r = real_narrow(d);
    *e = real_narrow(d - real_widen(r));
    return r;
}
#else
#include <math.h>
static inline real pn_hold(real x, real integer); /* sincos.inc */
/* The same for cores that have float alone, such as a Cortex-M4F, where a double takes hundreds of instructions. The
 * parts of pi/2 are whole floats. x - k p1 is exact: both are multiples of the last place of p1, and the rest is small.
 * What rounding takes from b = k p2 and from a - b (Knuth's two-sum) goes to e. */
static inline real pn_reduce(real x, real k, real integer, real *e)
{
    const real p1 = 0x1.921fb6p+0f, p2 = -0x1.777a5cp-25f, p3 = -0x1.ee59dap-50f;
    const real a = pn_hold(fmaf(-k, p1, x), integer);
    const real b = k * p2;
    const real r = a - b;
    const real d = r - a;
    *e = ((a - (r - d)) - (b + d)) - fmaf(k, p3, fmaf(k, p2, -b));
    return r;
}
#endif

#endif
