/* Scalar contract: real is a SIMD register of PN_LANES states, by the compiler's vector extension. The
 * stub defines PN_LANES and one of PN_PACK_F64, PN_PACK_F32 first. Lanes never mix: every function here
 * does to each lane what the scalar contract does to its one value. */
#ifndef PN_REAL_PACK_H
#define PN_REAL_PACK_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#if defined(PN_PACK_F64)
typedef double num;
typedef int64_t pn_lane_mask;
typedef uint64_t pn_lane_bits;
#define PN_EPS DBL_EPSILON
#define pn_lane_sqrt sqrt
#define pn_lane_atan2 atan2
#elif defined(PN_PACK_F32)
typedef float num;
typedef int32_t pn_lane_mask;
typedef uint32_t pn_lane_bits;
#define PN_EPS FLT_EPSILON
#define pn_lane_sqrt sqrtf
#define pn_lane_atan2 atan2f
#else
#error "a pack needs PN_PACK_F64 or PN_PACK_F32"
#endif

#define pinion_real pack
typedef num real __attribute__((vector_size(PN_LANES * sizeof(num))));
typedef pn_lane_mask real_mask __attribute__((vector_size(PN_LANES * sizeof(num))));

#define PN_HOT __attribute__((flatten)) /* real_scalar.h */
#define PN_TOGETHER 1 /* sines and cosines taken at a time */
#define R(x) real_set1((num)(x))
/* around what a paper leaves out of its operation count; only the counting scalar looks */
#define PN_APART_BEGIN() ((void)0)
#define PN_APART_END() ((void)0)
/* the body that the next lines compute for, and the papers' names of numbers; only the recording scalar looks */
#define PN_BODY(i, pass) ((void)0)
#define PN_NOTE(symbol, x, count) ((void)0)
#define PN_INDEPENDENT /* the lanes are full already */
#if defined(__clang__) /* real_scalar.h */
#define PN_UNROLL _Pragma("clang loop unroll(full)")
#else
#define PN_UNROLL _Pragma("GCC unroll 14")
#endif
#if defined(__AVX512F__) || defined(__aarch64__)
#define PN_REGISTERS 32
#else
#define PN_REGISTERS 16
#endif
/* read into a register: of two products with it compilers would read it twice */
static inline real real_once(const real *x)
{
    return *(const volatile real *)x;
}
#define real_once real_once
/* compilers keep an address for each of the numbers around p otherwise, as long as there is memory for addresses */
#define PN_FORGET(p) __asm__("" : "+r"(p))

static inline real real_set1(num x)
{
    /* x - 0 keeps the sign of zero, as x + 0 would not */
    return x - (real){0};
}
static inline real_mask real_lt(real a, real b)
{
    return a < b;
}
static inline real real_select(real_mask m, real a, real b)
{
    return (real)((m & (real_mask)a) | (~m & (real_mask)b));
}
/* the representation as integers, for the quadrants of sine and cosine */
typedef pn_lane_bits real_bits __attribute__((vector_size(PN_LANES * sizeof(num))));
static inline real_bits real_bits_of(real x)
{
    return (real_bits)x;
}
static inline real real_of_bits(real_bits n)
{
    return (real)n;
}
static inline real real_sqrt(real x)
{
    real y = x;
    for (int l = 0; l < PN_LANES; l++) y[l] = pn_lane_sqrt(x[l]);
    return y;
}
static inline real real_atan2(real y, real x)
{
    real z = y;
    for (int l = 0; l < PN_LANES; l++) z[l] = pn_lane_atan2(y[l], x[l]);
    return z;
}

#include "real/triple_array.h"
#include "real/wide_one.h"

#if defined(PN_PACK_F64)
#include "real/sincos_f64.h"
#else
/* the lanes in double, and back */
typedef double real_wide __attribute__((vector_size(PN_LANES * sizeof(double))));
#define real_widen(x) __builtin_convertvector(x, real_wide)
#define real_narrow(x) __builtin_convertvector(x, real)
#include "real/sincos_f32.h"
#endif
#include "real/sincos.inc"

#endif
