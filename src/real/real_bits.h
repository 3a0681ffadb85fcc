/* The representation of a scalar as an integer of its size, real_bits: for the quadrants of sine and cosine. Without
 * branches and comparisons, so that compilers take several numbers at a time. */
#ifndef PN_REAL_BITS_H
#define PN_REAL_BITS_H

static inline real_bits real_bits_of(real x)
{
    real_bits n;
    __builtin_memcpy(&n, &x, sizeof n);
    return n;
}
static inline real real_of_bits(real_bits n)
{
    real x;
    __builtin_memcpy(&x, &n, sizeof x);
    return x;
}

#endif
