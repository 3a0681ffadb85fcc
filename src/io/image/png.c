/* Pictures in PNG files: the second edition of its specification, without interlacing. */
#include "io/image/png.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PIXELS (1 << 24)

typedef struct picture {
    uint32_t width, height;
    int depth, colour;    /* bits of a sample; 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA */
    int samples;          /* of a pixel */
    unsigned char red[256];
    int palette;          /* entries */
    unsigned char *packed;
    size_t size;
} picture;

static uint32_t word(const unsigned char *x)
{
    return (uint32_t)x[0] << 24 | (uint32_t)x[1] << 16 | (uint32_t)x[2] << 8 | x[3];
}

/* The first part: how large it is, and of what. */
static const char *read_header(const unsigned char *x, size_t size, picture *p)
{
    static const unsigned char samples[7] = {1, 0, 3, 1, 2, 0, 4};
    static const unsigned depths[7] = {1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 16, 0, 1 << 8 | 1 << 16,
                                       1 << 1 | 1 << 2 | 1 << 4 | 1 << 8, 1 << 8 | 1 << 16, 0, 1 << 8 | 1 << 16};
    if (size != 13) return "a header that is broken";
    p->width = word(x);
    p->height = word(x + 4);
    p->depth = x[8];
    p->colour = x[9];
    if (p->colour > 6 || p->depth > 16 || !(depths[p->colour] & 1u << p->depth) || x[10] || x[11])
        return "colours of a kind that does not exist";
    if (x[12]) return "rows that are interlaced, which is not read";
    if (p->width < 2 || p->height < 2 || p->width > MAX_PIXELS || p->height > MAX_PIXELS / p->width)
        return "fewer than 2 rows or columns, or more than 16777216 pixels";
    p->samples = samples[p->colour];
    return NULL;
}

/* All parts, one behind the other; what they have packed comes together. Checksums of parts are not looked at: that of
 * the packed data is. */
static const char *read_parts(const unsigned char *bytes, size_t size, picture *p)
{
    static const unsigned char mark[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
    if (size < 8 || memcmp(bytes, mark, sizeof mark) != 0) return "no PNG file";
    p->packed = malloc(size);
    if (!p->packed) return "";
    for (size_t at = 8; size - at >= 12;) {
        const uint32_t length = word(bytes + at);
        const unsigned char *kind = bytes + at + 4, *x = kind + 4;
        if (length > size - at - 12) break;
        at += 12 + (size_t)length;
        if (!p->width && memcmp(kind, "IHDR", 4) != 0) return "no header";
        const char *why = memcmp(kind, "IHDR", 4) == 0 ? read_header(x, length, p) : NULL;
        if (why) return why;
        if (memcmp(kind, "IEND", 4) == 0) return NULL;
        if (memcmp(kind, "PLTE", 4) == 0) {
            p->palette = (int)(length / 3 < 256 ? length / 3 : 256);
            for (int i = 0; i < p->palette; i++) p->red[i] = x[3 * i];
        } else if (memcmp(kind, "IDAT", 4) == 0) {
            memcpy(p->packed + p->size, x, length);
            p->size += length;
        }
    }
    return "no end";
}

/* Undoes the filter of a row, whose first byte says which: each byte was written as the difference from a guess by
 * those on the left (a), above (b) and above on the left (c). */
static int unfilter(unsigned char *row, const unsigned char *above, size_t bytes, size_t pixel)
{
    const int way = row[-1];
    for (size_t i = 0; i < bytes; i++) {
        const int a = i < pixel ? 0 : row[i - pixel], b = above ? above[i] : 0;
        const int c = i < pixel || !above ? 0 : above[i - pixel];
        const int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
        const int guess[5] = {0, a, b, (a + b) / 2, pa <= pb && pa <= pc ? a : pb <= pc ? b : c};
        if (way > 4) return 0;
        row[i] = (unsigned char)(row[i] + guess[way]);
    }
    return 1;
}

/* The first sample of a pixel, from 0 to 255. */
static int sample(const picture *p, const unsigned char *row, uint32_t column)
{
    if (p->depth >= 8) {
        const int x = row[(size_t)column * (size_t)p->samples * (size_t)(p->depth / 8)];
        return p->colour == 3 ? p->red[x] : x;
    }
    const uint32_t bit = column * (uint32_t)p->depth;
    const int most = (1 << p->depth) - 1, x = row[bit / 8] >> (8 - p->depth - (int)(bit % 8)) & most;
    return p->colour == 3 ? p->red[x] : x * 255 / most;
}

static const char *unpack(const picture *p, unsigned char *rows, double *out)
{
    const size_t bits = (size_t)p->samples * (size_t)p->depth, bytes = (p->width * bits + 7) / 8;
    const size_t pixel = bits < 8 ? 1 : bits / 8;
    const char *why = pn_inflate(p->packed, p->size, rows, (bytes + 1) * p->height);
    for (uint32_t i = 0; i < p->height && !why; i++) {
        unsigned char *row = rows + i * (bytes + 1) + 1;
        if (!unfilter(row, i ? row - bytes - 1 : NULL, bytes, pixel)) return "a filter that does not exist";
        for (uint32_t k = 0; k < p->width; k++) out[(size_t)i * p->width + k] = sample(p, row, k);
    }
    return why;
}

const char *pn_png_heights(const unsigned char *bytes, size_t size, int *width, int *height, double **out)
{
    picture p = {0};
    unsigned char *rows = NULL;
    *out = NULL;
    const char *why = read_parts(bytes, size, &p);
    if (!why) {
        const size_t bits = (size_t)p.samples * (size_t)p.depth;
        rows = malloc(((p.width * bits + 7) / 8 + 1) * p.height);
        *out = malloc((size_t)p.width * p.height * sizeof **out);
        why = rows && *out ? unpack(&p, rows, *out) : "";
    }
    free(p.packed);
    free(rows);
    *width = (int)p.width;
    *height = (int)p.height;
    if (!why) return NULL;
    free(*out);
    *out = NULL;
    return why;
}
