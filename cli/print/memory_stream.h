/* A stream into memory. open_memstream() of glibc drops what it has no memory for, and neither ferror() nor fclose()
 * tells: a number may lose its exponent. This one knows. */
#ifndef PN_CLI_MEMORY_STREAM_H
#define PN_CLI_MEMORY_STREAM_H

#include <stdio.h>

typedef struct cli_memory {
    FILE *stream; /* NULL when there is no memory */
    char *bytes;  /* what was written, behind it a '\0'; the caller's after the stream is closed */
    size_t size, room;
} cli_memory;

/* The stream fills the struct, which must stay where it is. */
void pn_cli_memory_open(cli_memory *m);
/* Nonzero when all that was written is there; else nothing is left. */
int pn_cli_memory_close(cli_memory *m);

#endif
