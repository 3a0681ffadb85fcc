/* Three numbers that take part in the same operations: where a real fills a register, or is no number of the machine,
 * three reals. triple_vector.h is the other form. */
#ifndef PN_TRIPLE_ARRAY_H
#define PN_TRIPLE_ARRAY_H

typedef struct triple {
    real x[3];
} triple;

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
/* c a + s b */
static inline triple triple_turn(real c, triple a, real s, triple b)
{
    for (int i = 0; i < 3; i++) a.x[i] = c * a.x[i] + s * b.x[i];
    return a;
}

#endif
