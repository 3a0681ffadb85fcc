/* Scalar contract: real is a node of a recorded computation (C++). Every operation on reals adds a node; what
 * is known from the model alone is a constant and computed at once. The recorder belongs to the thread and is
 * in force while count.cpp runs a kernel.
 *
 * Node 0 is the constant 0, so that zeroed memory holds valid reals. There is no operator <: a kernel that
 * branches on a real does not compile. */
#ifndef PN_REAL_COUNT_H
#define PN_REAL_COUNT_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#define pinion_real count
typedef double num;

enum pn_operation : uint8_t {
    PN_OP_CONSTANT,
    PN_OP_INPUT,
    PN_OP_ADD,
    PN_OP_MUL,
    PN_OP_DIV,
    PN_OP_SQRT,
    PN_OP_SIN,
    PN_OP_COS,
    PN_OP_SIGN,
    PN_OP_SELECT,
    PN_OP_OTHER
};

/* a recorded operation, or a constant with its value */
struct pn_record {
    double value; /* of a constant */
    int32_t a, b; /* operands */
    pn_operation operation;
    uint8_t angle; /* an input, or an input shifted by a constant */
    uint8_t apart; /* recorded between PN_APART_BEGIN and PN_APART_END */
    uint8_t live;  /* some output depends on it */
};

struct real {
    int32_t id;
};

struct real_mask {
    int32_t id;
};

/* the recorder, count.cpp */
int32_t pn_record_constant(double x);
int32_t pn_record_operation(pn_operation operation, int32_t a, int32_t b);
void pn_record_apart(int on);

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
    return pn_real(pn_record_operation(PN_OP_OTHER, y.id, x.id));
}
static inline void real_sincos(real x, real *s, real *c)
{
    *s = pn_real(pn_record_operation(PN_OP_SIN, x.id, 0));
    *c = pn_real(pn_record_operation(PN_OP_COS, x.id, 0));
}
static inline real_mask real_lt(real a, real b)
{
    real_mask m;
    m.id = pn_record_operation(PN_OP_OTHER, a.id, b.id);
    return m;
}
/* the mask decides nothing that is counted, but it is depended on */
static inline real real_select(real_mask m, real a, real b)
{
    return pn_real(pn_record_operation(PN_OP_SELECT, pn_record_operation(PN_OP_SELECT, a.id, b.id), m.id));
}

#include "../real/triple_array.h"
#include "../real/wide_one.h"

#endif
