/* Three numbers that take part in the same operations, as a scalar has them: in one vector register, with a fourth that
 * nobody reads. In memory a triple is an array of reals; the vector needs no more alignment than they. */
#ifndef PN_TRIPLE_VECTOR_H
#define PN_TRIPLE_VECTOR_H

typedef real triple __attribute__((vector_size(4 * sizeof(real)), aligned(sizeof(real))));

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
/* c a + s b */
static inline triple triple_turn(real c, triple a, real s, triple b)
{
    return c * a + s * b;
}

#endif
