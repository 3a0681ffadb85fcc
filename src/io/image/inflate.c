/* Unpacks what zlib has packed: RFC 1950 (the frame around it) and RFC 1951 (blocks of codes). The length of the result
 * is known beforehand, so that a small file cannot make a large one. */
#include "io/image/png.h"

#include <stdint.h>
#include <string.h>

#define MAX_BITS 15 /* of a code */
#define LENGTHS 288 /* codes of bytes and lengths */
#define DISTANCES 30

typedef struct unpacker {
    const unsigned char *from;
    unsigned char *to;
    size_t size, at, count, done;
    uint32_t bits; /* read and not used yet, the next one lowest */
    int held;      /* how many */
    int bad;       /* it ended too soon, or makes too much */
} unpacker;

/* Huffman's codes of one alphabet: how many there are of each length, and the symbols in their order. */
typedef struct alphabet {
    uint16_t count[MAX_BITS + 1], symbol[LENGTHS];
} alphabet;

/* The next `count` bits, at most 16. */
static unsigned take(unpacker *u, int count)
{
    while (u->held < count) {
        if (u->at >= u->size) {
            u->bad = 1;
            return 0;
        }
        u->bits |= (uint32_t)u->from[u->at++] << u->held;
        u->held += 8;
    }
    const unsigned out = u->bits & ((1u << count) - 1);
    u->bits >>= count;
    u->held -= count;
    return out;
}

/* The codes that the lengths of all symbols make: 0 where there are more than can be told apart. */
static int make_alphabet(alphabet *a, const unsigned char *length, int symbols)
{
    int start[MAX_BITS + 2] = {0}, left = 1;
    memset(a->count, 0, sizeof a->count);
    for (int i = 0; i < symbols; i++) a->count[length[i]]++;
    a->count[0] = 0;
    for (int i = 1; i <= MAX_BITS; i++) {
        left = 2 * left - a->count[i];
        if (left < 0) return 0;
        start[i + 1] = start[i] + a->count[i];
    }
    for (int i = 0; i < symbols; i++)
        if (length[i]) a->symbol[start[length[i]]++] = (uint16_t)i;
    return 1;
}

/* The next symbol; -1 where no code is like that. Codes of one length follow each other as numbers. */
static int next_symbol(unpacker *u, const alphabet *a)
{
    int code = 0, first = 0, index = 0;
    for (int i = 1; i <= MAX_BITS && !u->bad; i++) {
        code |= (int)take(u, 1);
        if (code - first < a->count[i]) return a->symbol[index + code - first];
        index += a->count[i];
        first = 2 * (first + a->count[i]);
        code *= 2;
    }
    return -1;
}

/* A block as it is. */
static int copy_stored(unpacker *u)
{
    u->bits = 0;
    u->held = 0;
    if (u->size - u->at < 4) return 0;
    const unsigned char *head = u->from + u->at;
    const unsigned length = head[0] | (unsigned)head[1] << 8, check = head[2] | (unsigned)head[3] << 8;
    u->at += 4;
    if ((length ^ check) != 0xffff || length > u->size - u->at || length > u->count - u->done) return 0;
    memcpy(u->to + u->done, u->from + u->at, length);
    u->at += length;
    u->done += length;
    return 1;
}

/* Bytes, and copies of what was there before. */
static int unpack_codes(unpacker *u, const alphabet *lengths, const alphabet *distances)
{
    static const uint16_t length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                             31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const unsigned char length_bits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                  2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t distance_base[DISTANCES] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,
                                                      33,  49,  65,  97,  129, 193,  257,  385,  513,  769,
                                                      1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    for (;;) {
        const int symbol = next_symbol(u, lengths);
        if (symbol < 0 || symbol > 285 || u->bad) return 0;
        if (symbol == 256) return 1;
        if (symbol < 256) {
            if (u->done >= u->count) return 0;
            u->to[u->done++] = (unsigned char)symbol;
            continue;
        }
        const size_t length = length_base[symbol - 257] + take(u, length_bits[symbol - 257]);
        const int far = next_symbol(u, distances);
        if (far < 0 || far >= DISTANCES) return 0;
        const size_t distance = distance_base[far] + take(u, far < 4 ? 0 : far / 2 - 1);
        if (u->bad || distance > u->done || length > u->count - u->done) return 0;
        for (size_t i = 0; i < length; i++, u->done++) u->to[u->done] = u->to[u->done - distance];
    }
}

static int unpack_fixed(unpacker *u)
{
    unsigned char length[LENGTHS];
    alphabet lengths, distances;
    for (int i = 0; i < LENGTHS; i++) length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    if (!make_alphabet(&lengths, length, LENGTHS)) return 0;
    memset(length, 5, DISTANCES);
    return make_alphabet(&distances, length, DISTANCES) && unpack_codes(u, &lengths, &distances);
}

/* A block that says its codes: their lengths are packed by codes themselves. */
static int unpack_dynamic(unpacker *u)
{
    static const unsigned char order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned char length[LENGTHS + 32 + 138] = {0};
    alphabet lengths, distances;
    const int first = (int)take(u, 5) + 257, second = (int)take(u, 5) + 1, codes = (int)take(u, 4) + 4;
    if (first > 286 || second > DISTANCES) return 0;
    for (int i = 0; i < codes; i++) length[order[i]] = (unsigned char)take(u, 3);
    if (u->bad || !make_alphabet(&lengths, length, 19)) return 0;
    memset(length, 0, sizeof length);
    for (int i = 0; i < first + second;) {
        const int symbol = next_symbol(u, &lengths);
        if (symbol < 0 || (symbol == 16 && i == 0)) return 0;
        if (symbol < 16) {
            length[i++] = (unsigned char)symbol;
            continue;
        }
        const unsigned char again = symbol == 16 ? length[i - 1] : 0;
        const int bits = symbol == 16 ? 2 : symbol == 17 ? 3 : 7, times = (symbol == 18 ? 11 : 3) + (int)take(u, bits);
        if (u->bad || i + times > first + second) return 0;
        memset(length + i, again, (size_t)times);
        i += times;
    }
    return make_alphabet(&lengths, length, first) && make_alphabet(&distances, length + first, second) &&
           unpack_codes(u, &lengths, &distances);
}

/* The checksum behind it. */
static uint32_t adler(const unsigned char *x, size_t count)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; i++) {
        a = (a + x[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

const char *pn_inflate(const unsigned char *from, size_t size, unsigned char *to, size_t count)
{
    static const char wrong[] = "packed data that is broken";
    unpacker u = {.from = from, .to = to, .size = size, .at = 2, .count = count};
    if (size < 6 || (from[0] & 15) != 8 || (from[0] << 8 | from[1]) % 31 != 0 || from[1] & 32) return wrong;
    for (int last = 0; !last;) {
        last = (int)take(&u, 1);
        const unsigned kind = take(&u, 2);
        const int ok = u.bad || kind == 3 ? 0
                       : kind == 0        ? copy_stored(&u)
                       : kind == 1        ? unpack_fixed(&u)
                                          : unpack_dynamic(&u);
        if (!ok) return wrong;
    }
    if (u.done != count || u.size - u.at < 4) return wrong;
    const unsigned char *end = from + u.at;
    const uint32_t told = (uint32_t)end[0] << 24 | (uint32_t)end[1] << 16 | (uint32_t)end[2] << 8 | end[3];
    return told == adler(to, count) ? NULL : wrong;
}
