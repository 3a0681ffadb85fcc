#define _POSIX_C_SOURCE 200809L
#include "sweep/store/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LITTLE ((size_t)32 << 20) /* bytes that are taken from the heap */

static int map(pn_scratch *s, const char *path)
{
    unlink(path); /* one that was left by a process that was killed */
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    unlink(path);
    int number = posix_fallocate(file, 0, (off_t)s->size); /* a full disk is found here, not by a signal */
    void *at = number ? MAP_FAILED : mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (!number && at == MAP_FAILED) number = errno;
    close(file);
    if (number) return number;
    s->at = at;
    s->mapped = 1;
    return 0;
}

int pn_scratch_open(pn_scratch *s, size_t size, const char *path)
{
    *s = (pn_scratch){.size = size};
    if (size > LITTLE) return map(s, path);
    s->at = malloc(size ? size : 1);
    return s->at ? 0 : ENOMEM;
}

void *pn_scratch_take(pn_scratch *s, size_t size)
{
    const size_t room = (size + 15) / 16 * 16;
    if (!s->at || room > s->size - s->used) return NULL;
    s->used += room;
    return s->at + s->used - room;
}

void pn_scratch_close(pn_scratch *s)
{
    if (s->mapped)
        munmap(s->at, s->size);
    else
        free(s->at);
    *s = (pn_scratch){0};
}
