/* Three numbers that take part in the same operations: where a real fills a register, or is no number of the machine,
 * three reals. triple_vector.h is the other form. */
#ifndef PN_TRIPLE_ARRAY_H
#define PN_TRIPLE_ARRAY_H

#define PN_TRIPLE 3 /* reals that one takes in memory */

typedef struct triple {
    real x[3];
} triple;

static inline triple triple_load(const real *x)
{
    triple a;
    for (int i = 0; i < 3; i++) a.x[i] = x[i];
    return a;
}
static inline void triple_store(real *x, triple a)
{
    for (int i = 0; i < 3; i++) x[i] = a.x[i];
}

static inline triple triple_of(real x, real y, real z)
{
    triple a;
    a.x[0] = x;
    a.x[1] = y;
    a.x[2] = z;
    return a;
}
static inline real triple_entry(triple a, int i)
{
    return a.x[i];
}
/* a + c b */
static inline triple triple_add(triple a, real c, triple b)
{
    for (int i = 0; i < 3; i++) a.x[i] = a.x[i] + c * b.x[i];
    return a;
}
static inline triple triple_sum(triple a, triple b)
{
    for (int i = 0; i < 3; i++) a.x[i] = a.x[i] + b.x[i];
    return a;
}
/* c a */
static inline triple triple_scale(real c, triple a)
{
    for (int i = 0; i < 3; i++) a.x[i] = c * a.x[i];
    return a;
}
/* c a + s b */
static inline triple triple_turn(real c, triple a, real s, triple b)
{
    for (int i = 0; i < 3; i++) a.x[i] = c * a.x[i] + s * b.x[i];
    return a;
}
/* a x b */
static inline triple triple_cross(triple a, triple b)
{
    triple y;
    y.x[0] = a.x[1] * b.x[2] - a.x[2] * b.x[1];
    y.x[1] = a.x[2] * b.x[0] - a.x[0] * b.x[2];
    y.x[2] = a.x[0] * b.x[1] - a.x[1] * b.x[0];
    return y;
}
/* y + a x b */
static inline triple triple_add_cross(triple y, triple a, triple b)
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        y.x[i] = y.x[i] + a.x[j] * b.x[k] - a.x[k] * b.x[j];
    }
    return y;
}
/* a x b + c x d */
static inline triple triple_crosses(triple a, triple b, triple c, triple d)
{
    triple y = triple_cross(a, b);
    const triple x = triple_cross(c, d);
    for (int i = 0; i < 3; i++) y.x[i] = y.x[i] + x.x[i];
    return y;
}

#endif
