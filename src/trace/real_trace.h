/* Scalar contract: real is a record of a computation (C++). Every operation on reals adds one; what is known from the
 * model alone is a constant and computed at once. The recorder belongs to the thread and is in force while trace.cpp
 * runs a kernel.
 *
 * Record 0 is the constant 0, so that zeroed memory holds valid reals. There is no operator <: a kernel that
 * branches on a real does not compile. */
#ifndef PN_REAL_TRACE_H
#define PN_REAL_TRACE_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include "trace/trace.h"

#define pinion_real trace
typedef double num;

struct real {
    int32_t id;
};

struct real_mask {
    int32_t id;
};

/* the recorder, trace.cpp */
int32_t pn_record_constant(double x);
int32_t pn_record_operation(pn_operation operation, int32_t a, int32_t b);
int32_t pn_record_select(int32_t mask, int32_t a, int32_t b);
void pn_record_apart(int on);
void pn_record_body(int body, int pass);
void pn_record_note(const char *symbol, const real *x, int count);

static inline real pn_real(int32_t id)
{
    real x;
    x.id = id;
    return x;
}
static inline real real_set1(num x)
{
    return pn_real(pn_record_constant(x));
}

#define R(x) real_set1(x)
#define PN_EPS DBL_EPSILON
#define PN_INDEPENDENT
#define PN_HOT
#define PN_UNROLL
#define PN_TOGETHER 1
#define real_sincos_together(x, s, c) real_sincos((x)[0], s, c)
#define PN_APART_BEGIN() pn_record_apart(1)
#define PN_APART_END() pn_record_apart(0)
#define PN_BODY(i, pass) pn_record_body(i, pass)
#define PN_NOTE(symbol, x, count) pn_record_note(symbol, x, count)

static inline real operator+(real a, real b)
{
    return pn_real(pn_record_operation(PN_OP_ADD, a.id, b.id));
}
static inline real operator*(real a, real b)
{
    return pn_real(pn_record_operation(PN_OP_MUL, a.id, b.id));
}
static inline real operator/(real a, real b)
{
    return pn_real(pn_record_operation(PN_OP_DIV, a.id, b.id));
}
/* a sign costs nothing: a - b is an addition */
static inline real operator-(real a)
{
    return pn_real(pn_record_operation(PN_OP_SIGN, a.id, 0));
}
static inline real operator-(real a, real b)
{
    return a + (-b);
}
static inline real operator+(real a, num b)
{
    return a + real_set1(b);
}
static inline real operator+(num a, real b)
{
    return real_set1(a) + b;
}
static inline real operator-(real a, num b)
{
    return a + real_set1(-b);
}
static inline real operator-(num a, real b)
{
    return real_set1(a) - b;
}
static inline real operator*(real a, num b)
{
    return a * real_set1(b);
}
static inline real operator*(num a, real b)
{
    return real_set1(a) * b;
}
static inline real operator/(real a, num b)
{
    return a / real_set1(b);
}
static inline real operator/(num a, real b)
{
    return real_set1(a) / b;
}

static inline real real_sqrt(real x)
{
    return pn_real(pn_record_operation(PN_OP_SQRT, x.id, 0));
}
static inline real real_atan2(real y, real x)
{
    return pn_real(pn_record_operation(PN_OP_ATAN2, y.id, x.id));
}
static inline void real_sincos(real x, real *s, real *c)
{
    *s = pn_real(pn_record_operation(PN_OP_SIN, x.id, 0));
    *c = pn_real(pn_record_operation(PN_OP_COS, x.id, 0));
}
static inline real_mask real_lt(real a, real b)
{
    real_mask m;
    m.id = pn_record_operation(PN_OP_LESS, a.id, b.id);
    return m;
}
static inline real real_select(real_mask m, real a, real b)
{
    return pn_real(pn_record_select(m.id, a.id, b.id));
}

#include "real/triple_array.h"
#include "real/wide_one.h"

#endif
