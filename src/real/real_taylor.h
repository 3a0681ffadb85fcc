/* Scalar contract: real is a polynomial in time, cut off behind its square (C++). What a kernel makes of coordinates
 * that are functions of time comes with its first two derivatives: c[0] + c[1] t + c[2] t^2, c[k] is the k-th over k!.
 *
 * Choices look at the value alone. Zeroed memory is the number 0. There is no operator <: a kernel that branches on a
 * real does not compile. */
#ifndef PN_REAL_TAYLOR_H
#define PN_REAL_TAYLOR_H

#include <float.h>
#include <math.h>

#define pinion_real taylor
typedef double num;

struct real {
    double c[3];
};

struct real_mask {
    int on;
};

#define R(x) real_set1(x)
#define PN_EPS DBL_EPSILON
#define PN_INDEPENDENT
#define PN_HOT
#define PN_UNROLL
#define PN_TOGETHER 1
#define real_sincos_together(x, s, c) real_sincos((x)[0], s, c)
#define PN_APART_BEGIN() ((void)0)
#define PN_APART_END() ((void)0)
#define PN_BODY(i, pass) ((void)0)
#define PN_NOTE(symbol, x, count) ((void)0)

static inline real real_of(double a, double b, double c)
{
    real x;
    x.c[0] = a;
    x.c[1] = b;
    x.c[2] = c;
    return x;
}
static inline real real_set1(num x)
{
    return real_of(x, 0, 0);
}

static inline real operator+(real a, real b)
{
    return real_of(a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2]);
}
static inline real operator-(real a, real b)
{
    return real_of(a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]);
}
static inline real operator-(real a)
{
    return real_of(-a.c[0], -a.c[1], -a.c[2]);
}
/* Cauchy's product */
static inline real operator*(real a, real b)
{
    return real_of(a.c[0] * b.c[0], a.c[0] * b.c[1] + a.c[1] * b.c[0],
                   a.c[0] * b.c[2] + a.c[1] * b.c[1] + a.c[2] * b.c[0]);
}
/* y with y b = a */
static inline real operator/(real a, real b)
{
    real y;
    y.c[0] = a.c[0] / b.c[0];
    y.c[1] = (a.c[1] - y.c[0] * b.c[1]) / b.c[0];
    y.c[2] = (a.c[2] - y.c[0] * b.c[2] - y.c[1] * b.c[1]) / b.c[0];
    return y;
}
static inline real operator+(real a, num b)
{
    return real_of(a.c[0] + b, a.c[1], a.c[2]);
}
static inline real operator+(num a, real b)
{
    return b + a;
}
static inline real operator-(real a, num b)
{
    return real_of(a.c[0] - b, a.c[1], a.c[2]);
}
static inline real operator-(num a, real b)
{
    return -b + a;
}
static inline real operator*(real a, num b)
{
    return real_of(a.c[0] * b, a.c[1] * b, a.c[2] * b);
}
static inline real operator*(num a, real b)
{
    return b * a;
}
static inline real operator/(real a, num b)
{
    return real_of(a.c[0] / b, a.c[1] / b, a.c[2] / b);
}
static inline real operator/(num a, real b)
{
    return real_set1(a) / b;
}

/* y with y y = x */
static inline real real_sqrt(real x)
{
    real y;
    y.c[0] = sqrt(x.c[0]);
    y.c[1] = x.c[1] / (2 * y.c[0]);
    y.c[2] = (x.c[2] - y.c[1] * y.c[1]) / (2 * y.c[0]);
    return y;
}
/* s' = c x', c' = - s x' */
static inline void real_sincos(real x, real *s, real *c)
{
    const double a = sin(x.c[0]), b = cos(x.c[0]), half = x.c[1] * x.c[1] / 2;
    *s = real_of(a, b * x.c[1], b * x.c[2] - a * half);
    *c = real_of(b, -a * x.c[1], -a * x.c[2] - b * half);
}
/* its derivative is (x y' - y x') / (x^2 + y^2) */
static inline real real_atan2(real y, real x)
{
    const real r = x * x + y * y, up = real_of(y.c[1], 2 * y.c[2], 0), along = real_of(x.c[1], 2 * x.c[2], 0);
    const real rate = (x * up - y * along) / r;
    return real_of(atan2(y.c[0], x.c[0]), rate.c[0], rate.c[1] / 2);
}
static inline real_mask real_lt(real a, real b)
{
    real_mask m;
    m.on = a.c[0] < b.c[0];
    return m;
}
static inline real real_select(real_mask m, real a, real b)
{
    return m.on ? a : b;
}

#include "real/triple_array.h"
#include "real/wide_one.h"

#endif
