/* Halton's sequence, and random permutations without a table. */
#include "sweep/sample/sequence.h"
#include "sweep/sample/counter.h"

enum { SMALL = 64 }; /* up to here a permutation is found by counting */

void pn_primes(int count, uint32_t *primes)
{
    int found = 0;
    for (uint32_t n = 2; found < count; n++) {
        int prime = 1;
        for (int i = 0; i < found && primes[i] * primes[i] <= n && prime; i++) prime = n % primes[i] != 0;
        if (prime) primes[found++] = n;
    }
}

/* A small one: the order of random numbers. */
static uint64_t permuted_by_order(uint64_t i, uint64_t n, uint64_t key)
{
    const uint64_t own = pn_mix(key, i);
    uint64_t place = 0;
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t other = pn_mix(key, k);
        place += other < own || (other == own && k < i);
    }
    return place;
}

/* A large one: a Feistel network over the next even power of two, walked until it comes back below n (J. Black and
 * P. Rogaway, "Ciphers with arbitrary finite domains", 2002): that takes less than four rounds on the average. */
uint64_t pn_permuted(uint64_t i, uint64_t n, uint64_t key)
{
    if (n <= SMALL) return permuted_by_order(i, n, key);
    int half = 1;
    while (2 * half < 64 && (n - 1) >> 2 * half) half++;
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;
        for (int round = 0; round < 6; round++) {
            const uint64_t other = left ^ (pn_mix(key + (uint64_t)round, right) & mask);
            left = right;
            right = other;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}

/* A digit becomes a * digit + c modulo the base, with random a and c that depend on all digits before it. Since
 * the base is prime, two different digits become any two different ones with the same probability, and with that
 * the variance of a mean is that of all permutations (J. Matousek, "On the L2-discrepancy for anchored boxes",
 * 1998). Behind the digits of the last index that may be asked for, every one is as good as another. */
double pn_scrambled_halton(uint32_t base, uint64_t index, uint64_t key)
{
    uint64_t digits = 0, power = 1, before = 0, rest = index;
    while (power < (uint64_t)1 << PN_SEQUENCE_BITS) {
        const uint64_t digit = rest % base, bits = pn_mix(key ^ power, before);
        const uint64_t a = 1 + ((bits >> 32) * (base - 1) >> 32), c = (bits & 0xffffffffu) * base >> 32;
        digits = digits * base + (a * digit + c) % base;
        before += digit * power;
        power *= base;
        rest /= base;
    }
    const double u = ((double)digits + pn_unit_of_bits(pn_mix(key, index))) / (double)power;
    return u < 1 ? u : 1 - 0x1p-53;
}
