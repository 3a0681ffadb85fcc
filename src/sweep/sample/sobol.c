/* Sobol's sequence. I. M. Sobol, "On the distribution of points in a cube and the approximate evaluation of
 * integrals", 1967; with primitive polynomials and first direction numbers found here. */
#include "sweep/sample/sequence.h"
#include "sweep/sample/counter.h"

/* Which candidate each dimension has: of the PN_SOBOL_CHOICES the one whose two-dimensional projections with the
 * dimensions before it are the most even. sweep.sobol has the rule and finds the same. */
static const unsigned char choices[PN_SEQUENCE_DIMENSIONS] = {
#include "sweep/sample/sobol_choices.inc"
};

static int degree_of(uint32_t polynomial)
{
    int degree = 0;
    while (polynomial >> (degree + 1)) degree++;
    return degree;
}

/* Whether the powers of x run through all 2^degree - 1 remainders. */
static int is_primitive(uint32_t polynomial)
{
    const int degree = degree_of(polynomial);
    const uint32_t all = (1u << degree) - 1;
    uint32_t power = 1, order = 0;
    do {
        power <<= 1;
        if (power >> degree & 1) power ^= polynomial;
        order++;
    } while (power > 1 && order <= all);
    return power == 1 && order == all;
}

uint32_t pn_primitive_polynomial(int n)
{
    uint32_t polynomial = 3; /* x + 1 */
    while (n > 0) {
        polynomial += 2; /* without a constant term x would divide it */
        n -= is_primitive(polynomial);
    }
    return polynomial;
}

void pn_sobol_directions_by(int dimension, uint32_t polynomial, int choice, uint32_t *v)
{
    const int degree = degree_of(polynomial);
    for (int i = 0; i < PN_SEQUENCE_BITS; i++) {
        if (i < degree) { /* an odd number of i + 1 bits, by chance */
            const uint32_t bits = (uint32_t)(pn_mix((uint64_t)dimension << 32 | (uint32_t)choice, (uint64_t)i) >> 32);
            v[i] = ((bits & ((2u << i) - 1)) | 1) << (PN_SEQUENCE_BITS - 1 - i);
        } else { /* the recurrence of the polynomial */
            v[i] = v[i - degree] ^ v[i - degree] >> degree;
            for (int k = 1; k < degree; k++)
                if (polynomial >> (degree - k) & 1) v[i] ^= v[i - k];
        }
    }
}

void pn_sobol_directions(int count, uint32_t *directions)
{
    uint32_t polynomial = 1;
    for (int d = 0; d < count; d++) {
        uint32_t *v = directions + (long)d * PN_SEQUENCE_BITS;
        if (d == 0) { /* the digits of the index in reverse */
            for (int i = 0; i < PN_SEQUENCE_BITS; i++) v[i] = 1u << (PN_SEQUENCE_BITS - 1 - i);
            continue;
        }
        do {
            polynomial += 2;
        } while (!is_primitive(polynomial));
        pn_sobol_directions_by(d, polynomial, choices[d], v);
    }
}

uint32_t pn_sobol_digits(const uint32_t *directions, uint64_t index)
{
    uint32_t digits = 0;
    for (int i = 0; index; i++, index >>= 1)
        if (index & 1) digits ^= directions[i];
    return digits;
}

/* A digit is turned over or not by a random bit that depends on all digits before it: a node of a binary tree. */
double pn_scrambled_binary(uint32_t digits, uint64_t key)
{
    uint64_t scrambled = 0;
    for (int depth = 0; depth < PN_SEQUENCE_BITS; depth++) {
        const uint64_t path = (uint64_t)digits >> (PN_SEQUENCE_BITS - depth), node = (uint64_t)1 << depth | path;
        const uint64_t digit = digits >> (PN_SEQUENCE_BITS - 1 - depth) & 1;
        scrambled = scrambled << 1 | (digit ^ pn_mix(key, node) >> 63);
    }
    const uint64_t rest = pn_mix(key, (uint64_t)1 << PN_SEQUENCE_BITS | digits);
    return pn_unit_of_bits(scrambled << 32 | rest >> 32);
}
