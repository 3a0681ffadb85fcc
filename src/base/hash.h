#ifndef PN_HASH_H
#define PN_HASH_H

#include <stddef.h>
#include <stdint.h>

/* SHA-256 in hexadecimal digits. */
void pn_sha256(const void *data, size_t size, char hex[65]);

/* The same of data that comes in pieces. */
typedef struct pn_sha256_sum {
    uint32_t hash[8];
    uint64_t size;           /* bytes so far */
    unsigned char block[64]; /* those that are no whole block yet */
} pn_sha256_sum;
void pn_sha256_begin(pn_sha256_sum *s);
void pn_sha256_add(pn_sha256_sum *s, const void *data, size_t size);
void pn_sha256_end(pn_sha256_sum *s, char hex[65]);

/* FNV-1a of 64 bits, of data behind what was hashed before: it begins with PN_FNV1A. */
#define PN_FNV1A 0xcbf29ce484222325u
static inline uint64_t pn_fnv1a(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}

/* A checksum of whole eights of bytes, several times as fast: a change of one eight is always found. */
static inline uint64_t pn_sum_eights(const void *data, size_t size)
{
    const unsigned char *byte = data;
    uint64_t sum = PN_FNV1A;
    for (size_t at = 0; at + 8 <= size; at += 8) {
        uint64_t x = 0;
        for (int i = 7; i >= 0; i--) x = x << 8 | byte[at + (size_t)i];
        sum = (sum ^ x) * 0x9e3779b97f4a7c15u;
        sum = sum << 29 | sum >> 35;
    }
    return sum;
}

#endif
