/* To be preloaded: the allocation of number PINION_FAIL_AT, counted from the beginning of main, has no memory. How many
 * there were goes to the file that PINION_FAIL_COUNT names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_long count;
static long fail_at;
static atomic_int begun;
static int (*real_main)(int, char **, char **);

static void *(*next_malloc)(size_t), *(*next_calloc)(size_t, size_t), *(*next_realloc)(void *, size_t);

/* dlsym may allocate; what it gets is never given back */
static char early[8192];
static size_t early_used;

static void *early_memory(size_t size)
{
    const size_t at = early_used;
    early_used += (size + 15) / 16 * 16;
    return early_used <= sizeof early ? early + at : NULL;
}

static void find(void)
{
    static atomic_int looking;
    if (next_realloc || atomic_exchange(&looking, 1)) return;
    next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    next_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    next_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
}

static int fails(void)
{
    if (!begun) return 0;
    const long number = atomic_fetch_add(&count, 1) + 1;
    if (number != fail_at) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    find();
    if (!next_malloc) return early_memory(size);
    return fails() ? NULL : next_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    find();
    if (!next_calloc) return early_memory(n * size);
    return fails() ? NULL : next_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    find();
    return fails() ? NULL : next_realloc(old, size);
}

static void report(void)
{
    begun = 0;
    const char *file = getenv("PINION_FAIL_COUNT");
    char text[32];
    const int size = snprintf(text, sizeof text, "%ld", (long)count);
    const int fd = file ? open(file, O_WRONLY | O_CREAT, 0600) : -1;
    if (fd < 0) return;
    if (write(fd, text, (size_t)size) != size) perror(file);
    close(fd);
}

static int counted_main(int argc, char **argv, char **environment)
{
    const char *at = getenv("PINION_FAIL_AT");
    fail_at = at ? atol(at) : 0;
    atexit(report);
    unsetenv("LD_PRELOAD"); /* for what it starts */
    begun = 1;
    return real_main(argc, argv, environment);
}

typedef int start(int (*program)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                  void (*rtld_fini)(void), void *stack_end);
start __libc_start_main;
int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    start *next;
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = program;
    return next(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
