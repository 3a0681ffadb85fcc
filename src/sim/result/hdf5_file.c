/* The structure of an HDF5 file (File Format Specification, version 3.0): superblocks 0 and 1 (II.A), object headers of
 * version 1 (IV.A.1.a) and their messages (IV.A.2). That is what the HDF5 library writes unless it is asked for its
 * latest format. Groups are in hdf5_group.c. */
#define _POSIX_C_SOURCE 200809L
#include "sim/result/hdf5_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MESSAGE_HEAD = 8, OBJECT_HEAD = 16 };

/* ---------------------------------------------------------------------------------------------
 * Bytes */

uint64_t pn_h5_number(const unsigned char *bytes, int count)
{
    uint64_t x = 0;
    for (int i = count - 1; i >= 0; i--) x = x << 8 | bytes[i];
    return x;
}

static unsigned u16(const unsigned char *bytes)
{
    return (unsigned)pn_h5_number(bytes, 2);
}

int pn_h5_fetch(pn_h5 *h, uint64_t at, uint64_t size, void *bytes)
{
    if (at > h->size || size > h->size - at) return 0;
    if (size > h->left) {
        h->spent = 1;
        return 0;
    }
    h->left -= size;
    for (char *to = bytes; size > 0;) {
        const ssize_t got = pread(h->file, to, size < (1u << 30) ? (size_t)size : 1u << 30, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        to += got;
        at += (uint64_t)got;
        size -= (uint64_t)got;
    }
    return 1;
}

int pn_h5_fetch_behind(pn_h5 *h, uint64_t at, uint64_t size, unsigned char **bytes, size_t before)
{
    if (at > h->size || size > h->size - at) return 0;
    if (size > h->left) {
        h->spent = 1;
        return 0;
    }
    unsigned char *grown = realloc(*bytes, before + (size_t)size + 1);
    if (!grown) {
        h->no_memory = 1;
        return 0;
    }
    *bytes = grown;
    return pn_h5_fetch(h, at, size, grown + before);
}

const char *pn_h5_open(pn_h5 *h, const char *path)
{
    static const char newer[] =
        "a file in another version of the HDF5 format; expected the one that the library writes "
        "by default (libver 'earliest')";
    unsigned char block[100] = {0};
    struct stat about;
    *h = (pn_h5){.file = -1};
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return "cannot be read"; /* a pipe is not touched */
    h->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (h->file < 0 || fstat(h->file, &about) != 0 || !S_ISREG(about.st_mode)) return "cannot be read";
    h->size = h->left = (uint64_t)about.st_size;
    if (!pn_h5_fetch(h, 0, 96, block)) return "damaged: it ends too early";
    const int version = block[8], more = version == 1 ? 4 : 0;
    if (version > 1 || block[13] != 8 || block[14] != 8) return newer;
    if (more && !pn_h5_fetch(h, 96, 4, block + 96)) return "damaged: it ends too early";
    if (pn_h5_number(block + 24 + more, 8) != 0) return newer; /* it begins elsewhere in the file */
    if (pn_h5_number(block + 40 + more, 8) > h->size) return "damaged: it ends too early";
    h->root = pn_h5_number(block + 64 + more, 8);
    return NULL;
}

void pn_h5_close(pn_h5 *h)
{
    if (h->file >= 0) close(h->file);
    h->file = -1;
}

/* ---------------------------------------------------------------------------------------------
 * Objects */

int pn_h5_message(const pn_h5_object *o, size_t *place, unsigned *type, unsigned *flags,
                        const unsigned char **data, size_t *size)
{
    if (o->size - *place < MESSAGE_HEAD) return 0;
    const unsigned char *head = o->bytes + *place;
    *size = u16(head + 2);
    if (*size > o->size - *place - MESSAGE_HEAD) return 0;
    *type = u16(head);
    *flags = head[4];
    *data = head + MESSAGE_HEAD;
    *place += MESSAGE_HEAD + *size;
    return 1;
}

int pn_h5_object_read(pn_h5 *h, uint64_t at, pn_h5_object *o)
{
    unsigned char head[OBJECT_HEAD];
    *o = (pn_h5_object){NULL, 0};
    if (at == 0 || !pn_h5_fetch(h, at, OBJECT_HEAD, head) || head[0] != 1) return 0;
    const uint64_t first = pn_h5_number(head + 8, 4);
    int fine = pn_h5_fetch_behind(h, at + OBJECT_HEAD, first, &o->bytes, 0);
    o->size = fine ? (size_t)first : 0;

    /* further blocks are named by messages, in further blocks, too; there are as many as the head says */
    size_t place = 0, size;
    unsigned type, flags, left = u16(head + 2);
    const unsigned char *data;
    while (fine && left-- > 0 && pn_h5_message(o, &place, &type, &flags, &data, &size)) {
        if (type != PN_H5_CONTINUATION) continue;
        const uint64_t where = size < 16 ? 0 : pn_h5_number(data, 8),
                       more = size < 16 ? 0 : pn_h5_number(data + 8, 8);
        fine = where && pn_h5_fetch_behind(h, where, more, &o->bytes, o->size);
        if (fine) o->size += (size_t)more;
    }
    o->size = place;
    if (!fine) pn_h5_object_free(o);
    return fine;
}

void pn_h5_object_free(pn_h5_object *o)
{
    free(o->bytes);
    *o = (pn_h5_object){NULL, 0};
}

const unsigned char *pn_h5_find_message(const pn_h5_object *o, unsigned wanted, size_t *size)
{
    size_t place = 0, length;
    unsigned type, flags;
    const unsigned char *data, *found = NULL;
    while (pn_h5_message(o, &place, &type, &flags, &data, &length)) {
        if (type != wanted) continue;
        if (found || (flags & 2)) return NULL;
        found = data;
        *size = length;
    }
    return found;
}

/* ---------------------------------------------------------------------------------------------
 * Data */

/* Which of the types that results have it is, and how many bytes an element takes. */
static int read_type(const unsigned char *type, size_t size, pn_h5_data *d)
{
    static const unsigned char binary64[18] = {0x3f, 0,  8,  0, 0,  0,    0, 0, 64,
                                               0,    52, 11, 0, 52, 0xff, 3, 0, 0};
    if (size < 8 || type[0] >> 4 < 1 || type[0] >> 4 > 3) return 0;
    const int class = type[0] & 15;
    d->width = (size_t)pn_h5_number(type + 4, 4);
    if (d->width == 0) return 0;
    d->high_first = type[1] & 1;
    if (class == 1 && size >= 20 && (type[1] & ~1) == 0x20 &&
        memcmp(type + 2, binary64, sizeof binary64) == 0)
        d->kind = PN_H5_DOUBLE;
    else if (class == 3)
        d->kind = PN_H5_STRING;
    else if (class == 0 && size >= 12 && (type[1] & ~8) == 0 && d->width <= 8 && u16(type + 8) == 0 &&
             u16(type + 10) == 8 * d->width)
        d->kind = PN_H5_INTEGER; /* its low byte comes first */
    else
        d->kind = PN_H5_OTHER;
    return 1;
}

/* One element, or a row of them. */
static int read_space(const unsigned char *space, size_t size, pn_h5_data *d)
{
    if (size < 4 || space[0] < 1 || space[0] > 2 || space[1] > 1) return 0;
    const size_t head = space[0] == 1 ? 8 : 4;
    d->rank = space[1];
    if (size < head + (d->rank ? 8 : 0) || (space[0] == 2 && space[3] != d->rank)) return 0;
    d->count = d->rank ? pn_h5_number(space + head, 8) : 1;
    return 1;
}

int pn_h5_dataset(const pn_h5 *h, const pn_h5_object *o, pn_h5_data *d)
{
    size_t type_size = 0, space_size = 0, layout_size = 0, size = 0;
    const unsigned char *type = pn_h5_find_message(o, PN_H5_DATATYPE, &type_size),
                        *space = pn_h5_find_message(o, PN_H5_DATASPACE, &space_size),
                        *layout = pn_h5_find_message(o, PN_H5_LAYOUT, &layout_size);
    *d = (pn_h5_data){0};
    if (!type || !space || !layout || !read_type(type, type_size, d) || !read_space(space, space_size, d))
        return 0;

    /* the values are in this file, as they are: no other file, no filter, no pieces */
    if (pn_h5_find_message(o, PN_H5_EXTERNAL_FILES, &size) || pn_h5_find_message(o, PN_H5_FILTERS, &size)) return 0;
    if (layout_size < 4 || (layout[0] != 3 && layout[0] != 4)) return 0;
    if (d->count > h->size / d->width) return 0;
    const uint64_t bytes = d->count * d->width;
    if (layout[1] == 0) {
        d->here = layout + 4;
        return u16(layout + 2) == bytes && bytes <= layout_size - 4;
    }
    if (layout[1] != 1 || layout_size < 18) return 0;
    d->at = pn_h5_number(layout + 2, 8);
    return bytes == 0 || pn_h5_number(layout + 10, 8) == bytes;
}

static size_t padded(size_t size, int version)
{
    return version == 1 ? (size + 7) & ~(size_t)7 : size;
}

/* What is in an attribute's message, if it has that name. */
static int read_attribute(const unsigned char *data, size_t size, const char *name, pn_h5_data *d)
{
    if (size < 9 || data[0] < 1 || data[0] > 3 || (data[0] > 1 && data[1] != 0)) return 0;
    const int version = data[0];
    const size_t head = version == 3 ? 9 : 8, name_size = u16(data + 2), type_size = u16(data + 4),
                 space_size = u16(data + 6);
    const size_t type_at = head + padded(name_size, version), space_at = type_at + padded(type_size, version),
                 value_at = space_at + padded(space_size, version);
    if (value_at > size || name_size != strlen(name) + 1 || memcmp(data + head, name, name_size) != 0)
        return 0;
    *d = (pn_h5_data){.here = data + value_at};
    return read_type(data + type_at, type_size, d) && read_space(data + space_at, space_size, d) &&
           d->count <= (size - value_at) / d->width;
}

int pn_h5_attribute(const pn_h5_object *o, const char *name, pn_h5_data *d)
{
    size_t place = 0, size;
    unsigned type, flags;
    const unsigned char *data;
    while (pn_h5_message(o, &place, &type, &flags, &data, &size))
        if (type == PN_H5_ATTRIBUTE && !(flags & 2) && read_attribute(data, size, name, d)) return 1;
    return 0;
}

int pn_h5_read(pn_h5 *h, const pn_h5_data *d, void *bytes)
{
    const uint64_t size = d->count * d->width;
    if (size == 0) return 1; /* nothing is nowhere */
    if (!d->here) return pn_h5_fetch(h, d->at, size, bytes);
    memcpy(bytes, d->here, (size_t)size);
    return 1;
}

int pn_h5_read_doubles(pn_h5 *h, const pn_h5_data *d, double *values)
{
    if (d->kind != PN_H5_DOUBLE || !pn_h5_read(h, d, values)) return 0;
    for (uint64_t i = 0; i < d->count; i++) {
        unsigned char bytes[8];
        memcpy(bytes, &values[i], 8);
        for (int k = 0; k < 4 && d->high_first; k++) {
            const unsigned char byte = bytes[k];
            bytes[k] = bytes[7 - k];
            bytes[7 - k] = byte;
        }
        const uint64_t bits = pn_h5_number(bytes, 8);
        memcpy(&values[i], &bits, sizeof bits);
    }
    return 1;
}
