/* Random numbers by number: a pure function of a seed and a counter, so that run i of a sweep has the same ones
 * wherever and whenever it is made.
 * Philox 4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
 * SC 2011. */
#ifndef PN_COUNTER_H
#define PN_COUNTER_H

#include <stdint.h>

/* What a random number is for: the same index and dimension give others for another purpose. */
typedef enum pn_stream {
    PN_STREAM_VALUES = 0, /* of sampled parameters */
    PN_STREAM_KEYS,       /* of scrambled sequences and permutations */
    PN_STREAM_RUN,        /* a run's own seed: noise of sensors */
    PN_STREAM_BOOTSTRAP,  /* error bars */
    PN_STREAM_ROWS        /* which rows stand for all of them */
} pn_stream;

/* The counter becomes random bits. */
static inline void pn_philox(uint32_t counter[4], uint64_t key)
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)counter[0] * 0xd2511f53u, b = (uint64_t)counter[2] * 0xcd9e8d57u;
        counter[0] = (uint32_t)(b >> 32) ^ counter[1] ^ k0;
        counter[1] = (uint32_t)b;
        counter[2] = (uint32_t)(a >> 32) ^ counter[3] ^ k1;
        counter[3] = (uint32_t)a;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
}

/* 64 random bits for an index and a dimension. */
static inline uint64_t pn_counter_bits(uint64_t seed, uint64_t index, uint32_t dimension, pn_stream stream)
{
    uint32_t c[4] = {(uint32_t)index, (uint32_t)(index >> 32), dimension, (uint32_t)stream};
    pn_philox(c, seed);
    return (uint64_t)c[1] << 32 | c[0];
}

/* Uniform in (0, 1), from the upper 52 bits: an odd multiple of 2^-53, so never 0 or 1, and u as likely as 1 - u. */
static inline double pn_unit_of_bits(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

static inline double pn_counter_unit(uint64_t seed, uint64_t index, uint32_t dimension, pn_stream stream)
{
    return pn_unit_of_bits(pn_counter_bits(seed, index, dimension, stream));
}

/* The n-th number of splitmix64 (base/random.h) from a key on: many bits from one key, where Philox would take long. */
static inline uint64_t pn_mix(uint64_t key, uint64_t n)
{
    uint64_t z = key + (n + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
