#define _POSIX_C_SOURCE 200809L
#include "sweep/store/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM ((size_t)4 << 20) /* bytes of all streams, about */
enum { LEAST = 512, MOST = 64 << 10 }; /* of one */

int pn_gather_open(pn_gather *g, int file, int count, int width)
{
    const size_t each = ROOM / ((size_t)count + 1) / 8 * 8;
    *g = (pn_gather){.file = file, .count = count, .room = each < LEAST ? LEAST : each > MOST ? MOST : each};
    g->stream = calloc((size_t)count + 1, sizeof *g->stream);
    g->bytes = malloc(((size_t)count + 1) * g->room);
    for (int i = 0; g->stream && i < count; i++) g->stream[i].width = width;
    if (!g->stream || !g->bytes) g->number = ENOMEM;
    return g->number == 0;
}

/* Of a number and its place; never 0 for a place that is not. */
static uint64_t mix(uint64_t at, uint64_t x)
{
    x ^= at * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

uint64_t pn_gather_sum(const unsigned char *bytes, size_t size, uint64_t at, int width)
{
    uint64_t sum = 0, x;
    for (size_t i = 0; width == 8 && i + 8 <= size; i += 8) {
        memcpy(&x, bytes + i, 8);
        sum += mix(at + i, x);
    }
    for (size_t i = 0; width == 1 && i < size; i++) sum += mix(at + i, bytes[i]);
    return sum;
}

static void flush(pn_gather *g, int k)
{
    pn_stream *s = &g->stream[k];
    const unsigned char *from = g->bytes + (size_t)k * g->room;
    size_t done = 0;
    g->sum += pn_gather_sum(from, s->filled, s->at, s->width);
    while (!g->number && done < s->filled) {
        const ssize_t wrote = pwrite(g->file, from + done, s->filled - done, (off_t)(s->at + done));
        if (wrote > 0)
            done += (size_t)wrote;
        else if (wrote == 0 || errno != EINTR)
            g->number = wrote == 0 ? ENOSPC : errno;
    }
    s->at += s->filled;
    s->filled = 0;
}

void pn_gather_bytes(pn_gather *g, int k, uint64_t at, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    pn_stream *s = &g->stream[k];
    if (g->number) return;
    if (at != s->at + s->filled) {
        if (s->filled) flush(g, k);
        s->at = at;
    }
    while (size > 0) {
        const size_t left = g->room - s->filled, part = size < left ? size : left;
        memcpy(g->bytes + (size_t)k * g->room + s->filled, from, part);
        s->filled += part;
        from += part;
        size -= part;
        if (s->filled == g->room) flush(g, k);
    }
}

void pn_gather_put(pn_gather *g, int k, uint64_t at, uint64_t x, int bytes)
{
    unsigned char b[8];
    for (int i = 0; i < bytes; i++) b[i] = (unsigned char)(x >> (8 * i));
    pn_gather_bytes(g, k, at, b, (size_t)bytes);
}

void pn_gather_double(pn_gather *g, int k, uint64_t at, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    pn_gather_put(g, k, at, bits, 8);
}

int pn_gather_close(pn_gather *g)
{
    for (int k = 0; g->stream && g->bytes && k < g->count; k++)
        if (g->stream[k].filled) flush(g, k);
    free(g->stream);
    free(g->bytes);
    g->stream = NULL;
    g->bytes = NULL;
    return g->number;
}
