/* Random numbers that are the same everywhere: splitmix64 (Steele, Lea and Flood 2014). The seed moves on. */
#ifndef PN_RANDOM_H
#define PN_RANDOM_H

#include <stdint.h>

static inline uint64_t pn_random_bits(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* uniform in [0, 1) */
static inline double pn_random_unit(uint64_t *seed)
{
    return (double)(pn_random_bits(seed) >> 11) * 0x1p-53;
}

/* uniform in [-1, 1) */
static inline double pn_random_signed(uint64_t *seed)
{
    return (double)(pn_random_bits(seed) >> 11) * 0x1p-52 - 1;
}

/* uniform in [low, high) */
static inline double pn_random_between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * pn_random_unit(seed);
}

#endif
