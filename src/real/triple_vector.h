/* Three numbers that take part in the same operations, as a scalar has them: in one vector register, with a fourth that
 * nobody reads. In memory a triple is an array of reals; the vector needs no more alignment than they. */
#ifndef PN_TRIPLE_VECTOR_H
#define PN_TRIPLE_VECTOR_H

#define PN_TRIPLE 4 /* reals that one takes in memory */

typedef real triple __attribute__((vector_size(4 * sizeof(real)), aligned(sizeof(real))));

static inline triple triple_load(const real *x)
{
    return *(const triple *)x;
}
static inline void triple_store(real *x, triple a)
{
    *(triple *)x = a;
}
static inline triple triple_of(real x, real y, real z)
{
    const triple a = {x, y, z, 0};
    return a;
}
static inline real triple_entry(triple a, int i)
{
    return a[i];
}
/* a + c b */
static inline triple triple_add(triple a, real c, triple b)
{
    return a + c * b;
}
static inline triple triple_sum(triple a, triple b)
{
    return a + b;
}
/* c a */
static inline triple triple_scale(real c, triple a)
{
    return c * a;
}
/* c a + s b */
static inline triple triple_turn(real c, triple a, real s, triple b)
{
    return c * a + s * b;
}
/* y, z, x */
static inline triple triple_next(triple a)
{
    const triple y = {a[1], a[2], a[0], a[3]};
    return y;
}
/* a x b, whose third number comes first as it is found */
static inline triple triple_cross(triple a, triple b)
{
    return triple_next(a * triple_next(b) - triple_next(a) * b);
}
/* y + a x b */
static inline triple triple_add_cross(triple y, triple a, triple b)
{
    const triple c = triple_next(a), d = triple_next(b);
    return y + c * triple_next(d) - triple_next(c) * d;
}
/* a x b + c x d */
static inline triple triple_crosses(triple a, triple b, triple c, triple d)
{
    const triple x = a * triple_next(b) - triple_next(a) * b, y = c * triple_next(d) - triple_next(c) * d;
    return triple_next(x + y);
}

#endif
