#define _GNU_SOURCE /* fopencookie */
#include "cli/print/memory_stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#ifdef __linux__
static ssize_t keep(void *cookie, const char *bytes, size_t size)
{
    cli_memory *m = cookie;
    if (m->size + size + 1 > m->room) {
        const size_t room = 2 * (m->size + size) + 4096;
        char *grown = realloc(m->bytes, room);
        if (!grown) return 0; /* an error of the stream from now on */
        m->bytes = grown;
        m->room = room;
    }
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
    m->bytes[m->size] = '\0';
    return (ssize_t)size;
}
#endif

void pn_cli_memory_open(cli_memory *m)
{
    *m = (cli_memory){NULL, NULL, 0, 0};
#ifdef __linux__
    m->stream = fopencookie(m, "w", (cookie_io_functions_t){.write = keep});
#else
    m->stream = open_memstream(&m->bytes, &m->size);
#endif
}

int pn_cli_memory_close(cli_memory *m)
{
    int whole = m->stream && !ferror(m->stream);
    if (m->stream && fclose(m->stream) != 0) whole = 0;
    m->stream = NULL;
    if (whole && !m->bytes) whole = (m->bytes = calloc(1, 1)) != NULL; /* nothing was written */
    if (whole) return 1;
    free(m->bytes);
    m->bytes = NULL;
    m->size = 0;
    return 0;
}
