/* Numbers that go to many places of a file, by as many threads and processes as like to, each into places of its own.
 * Neighbours are written together. */
#ifndef PN_SWEEP_GATHER_H
#define PN_SWEEP_GATHER_H

#include <stddef.h>
#include <stdint.h>

/* Places that follow each other, most of the time. */
typedef struct pn_stream {
    uint64_t at;   /* where its bytes begin in the file */
    size_t filled; /* bytes that wait */
    int width;     /* bytes of a number: 1 or 8; 0: no sum is needed */
} pn_stream;

typedef struct pn_gather {
    int file, count;
    size_t room; /* bytes a stream */
    pn_stream *stream;
    unsigned char *bytes;
    uint64_t sum; /* of all that was written: of numbers and their places, whatever the order */
    int number;   /* what went wrong first, an error number; nothing is written any more then */
} pn_gather;

/* For so many streams of this width; 0: out of memory. */
int pn_gather_open(pn_gather *g, int file, int count, int width);
void pn_gather_put(pn_gather *g, int stream, uint64_t at, uint64_t x, int bytes);
void pn_gather_double(pn_gather *g, int stream, uint64_t at, double x);
void pn_gather_bytes(pn_gather *g, int stream, uint64_t at, const void *bytes, size_t size);
/* Writes what waits; the error number or 0. */
int pn_gather_close(pn_gather *g);

/* The sum of bytes as they are in the file, of numbers with this width. */
uint64_t pn_gather_sum(const unsigned char *bytes, size_t size, uint64_t at, int width);

#endif
