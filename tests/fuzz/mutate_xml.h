/* Changes to XML that leave it XML, for fuzzers of its readers: an element copied, moved or taken out, an
 * attribute with another value. Other changes, and those to other texts, are libFuzzer's own. */
#ifndef PN_MUTATE_XML_H
#define PN_MUTATE_XML_H

#include <stdint.h>
#include <string.h>

#include "base/random.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

/* A piece of the text: from, and behind its end. */
typedef struct piece {
    size_t from, to;
} piece;

static size_t pick(uint64_t *seed, size_t count)
{
    return count ? pn_random_bits(seed) % count : 0;
}

/* The first place of a byte at or behind another, `size` where there is none. */
static size_t find_byte(const uint8_t *data, size_t size, size_t from, uint8_t byte)
{
    while (from < size && data[from] != byte) from++;
    return from;
}

/* An element with all that is in it, near a random place; empty where there is none. */
static piece pick_element(const uint8_t *data, size_t size, uint64_t *seed)
{
    size_t at = find_byte(data, size, pick(seed, size), '<');
    while (at + 1 < size && (data[at + 1] == '/' || data[at + 1] == '!' || data[at + 1] == '?'))
        at = find_byte(data, size, at + 1, '<');
    piece p = {at, at};
    for (int depth = 0; at < size;) {
        const size_t end = find_byte(data, size, at, '>');
        if (end >= size) return (piece){size, size};
        depth += data[at + 1] == '/' ? -1 : data[end - 1] == '/' ? 0 : 1;
        p.to = end + 1;
        if (depth <= 0) return p;
        at = find_byte(data, size, end, '<');
    }
    return (piece){size, size};
}

/* What is between two quotes, near a random place. */
static piece pick_value(const uint8_t *data, size_t size, uint64_t *seed)
{
    size_t at = find_byte(data, size, pick(seed, size), '=');
    if (at + 1 >= size || (data[at + 1] != '\'' && data[at + 1] != '"')) return (piece){size, size};
    const size_t end = find_byte(data, size, at + 2, data[at + 1]);
    return end < size ? (piece){at + 2, end} : (piece){size, size};
}

/* Puts bytes in place of a piece; the new size, or the old one where there is no room. */
static size_t replace(uint8_t *data, size_t size, size_t max, piece p, const void *bytes, size_t count)
{
    const size_t now = size - (p.to - p.from) + count;
    if (now > max) return size;
    memmove(data + p.from + count, data + p.to, size - p.to);
    memcpy(data + p.from, bytes, count);
    return now;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
    static const char *const values[] = {
        "",      "0",     "-1",      "1",       "3",           "1e300", "1e-300", "nan",  "0.5 0.5",
        "1 2 3", "0 0 0", "0 0 0 0", "1 0 0 0", "1 2 3 4 5 6", "true",  "auto",   "free", "ball",
        "slide", "mesh",  "box",     "main",    "world",       "a",     "999"};
    static uint8_t held[1 << 16];
    uint64_t state = seed;
    const size_t kind = pick(&state, 6);
    if (kind < 2 || size < 8 || data[0] != '<') return LLVMFuzzerMutate(data, size, max);
    const piece from = kind < 5 ? pick_element(data, size, &state) : pick_value(data, size, &state);
    const size_t count = from.to - from.from < sizeof held ? from.to - from.from : 0;
    memcpy(held, data + from.from, count);
    if (kind == 2) return replace(data, size, max, from, "", 0);
    piece to = kind == 5 ? pick_value(data, size, &state) : pick_element(data, size, &state);
    if (kind == 5 && pick(&state, 2)) {
        const char *value = values[pick(&state, sizeof values / sizeof values[0])];
        return replace(data, size, max, to, value, strlen(value));
    }
    if (kind == 3) to.to = to.from; /* before the other one, not in its place */
    return count ? replace(data, size, max, to, held, count) : size;
}

#endif
