/* SHA-256 (FIPS 180-4), for the names and the checks of what is kept. */
#include "base/hash.h"

#include <string.h>

/* the first 32 bits of the fractional parts of the cube roots of the first 64 primes */
static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static inline uint32_t turn(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* one step of 6.2.2; the eight variables change their roles from step to step, rather than their places */
#define STEP(a, b, c, d, e, f, g, h, t)                                                                               \
    do {                                                                                                              \
        const uint32_t x = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + round_constant[t] +   \
                           w[t];                                                                                      \
        d += x;                                                                                                       \
        h = x + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));                             \
    } while (0)

/* one block of 64 bytes, 6.2.2 */
static void take_block(uint32_t hash[8], const unsigned char *block)
{
    uint32_t w[64];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        const uint32_t p = w[t - 2], q = w[t - 15];
        w[t] = (turn(p, 17) ^ turn(p, 19) ^ p >> 10) + w[t - 7] + (turn(q, 7) ^ turn(q, 18) ^ q >> 3) + w[t - 16];
    }
    uint32_t a = hash[0], b = hash[1], c = hash[2], d = hash[3], e = hash[4], f = hash[5], g = hash[6], h = hash[7];
    for (int t = 0; t < 64; t += 8) {
        STEP(a, b, c, d, e, f, g, h, t);
        STEP(h, a, b, c, d, e, f, g, t + 1);
        STEP(g, h, a, b, c, d, e, f, t + 2);
        STEP(f, g, h, a, b, c, d, e, t + 3);
        STEP(e, f, g, h, a, b, c, d, t + 4);
        STEP(d, e, f, g, h, a, b, c, t + 5);
        STEP(c, d, e, f, g, h, a, b, t + 6);
        STEP(b, c, d, e, f, g, h, a, t + 7);
    }
    const uint32_t s[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++) hash[i] += s[i];
}

void pn_sha256_begin(pn_sha256_sum *s)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(s->hash, start, sizeof start);
    s->size = 0;
}

void pn_sha256_add(pn_sha256_sum *s, const void *data, size_t size)
{
    const unsigned char *byte = data;
    const size_t before = s->size % 64;
    s->size += size;
    if (before) { /* fill the block that was begun */
        const size_t some = size < 64 - before ? size : 64 - before;
        memcpy(s->block + before, byte, some);
        byte += some;
        size -= some;
        if (before + some < 64) return;
        take_block(s->hash, s->block);
    }
    for (; size >= 64; byte += 64, size -= 64) take_block(s->hash, byte);
    if (size) memcpy(s->block, byte, size);
}

void pn_sha256_end(pn_sha256_sum *s, char hex[65])
{
    /* a one, zeros, and the length in bits: one block more or two (5.1.1) */
    const size_t rest = s->size % 64, bytes = rest < 56 ? 64 : 128;
    unsigned char last[128] = {0};
    memcpy(last, s->block, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < 8; i++) last[bytes - 1 - i] = (unsigned char)(s->size * 8 >> 8 * i);
    for (size_t i = 0; i < bytes; i += 64) take_block(s->hash, last + i);

    static const char digit[] = "0123456789abcdef";
    for (int i = 0; i < 64; i++) hex[i] = digit[s->hash[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[64] = 0;
}

void pn_sha256(const void *data, size_t size, char hex[65])
{
    pn_sha256_sum s;
    pn_sha256_begin(&s);
    pn_sha256_add(&s, data, size);
    pn_sha256_end(&s, hex);
}
