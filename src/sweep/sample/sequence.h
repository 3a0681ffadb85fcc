/* Points that fill a cube evenly, by number: Sobol's sequence, Halton's, and random permutations for Latin hypercubes.
 *
 * All three are scrambled by random numbers from a key: every single value is then uniformly distributed, and the
 * points together keep their evenness. */
#ifndef PN_SEQUENCE_H
#define PN_SEQUENCE_H

#include <stdint.h>

enum {
    PN_SEQUENCE_BITS = 32,        /* up to 2^32 points */
    PN_SEQUENCE_DIMENSIONS = 256, /* of either sequence */
    PN_SOBOL_CHOICES = 64         /* candidates for the first direction numbers of a dimension */
};

/* Direction numbers of the first `count` dimensions: PN_SEQUENCE_BITS for each. */
void pn_sobol_directions(int count, uint32_t *directions);
/* The same of one dimension by the polynomial of its number and one of PN_SOBOL_CHOICES candidates. */
void pn_sobol_directions_by(int dimension, uint32_t polynomial, int choice, uint32_t *directions);
/* The n-th primitive polynomial over GF(2), from 0: a bit a coefficient, x + 1 first, by rising number. */
uint32_t pn_primitive_polynomial(int n);

/* 32 binary digits of the point `index` of Sobol's sequence in the dimension of these direction numbers. */
uint32_t pn_sobol_digits(const uint32_t *directions, uint64_t index);
/* The nested uniform scrambling of 32 binary digits, and 20 more: in (0, 1).
 * A. B. Owen, "Randomly permuted (t,m,s)-nets and (t,s)-sequences", 1995. */
double pn_scrambled_binary(uint32_t digits, uint64_t key);

/* The first `count` prime numbers. */
void pn_primes(int count, uint32_t *primes);
/* The point `index` of Halton's sequence in a prime base, scrambled alike: in (0, 1). */
double pn_scrambled_halton(uint32_t base, uint64_t index, uint64_t key);

/* Where a random permutation of 0 ... n-1 takes i. Nothing is stored, so that n may be as large as one likes. */
uint64_t pn_permuted(uint64_t i, uint64_t n, uint64_t key);

#endif
