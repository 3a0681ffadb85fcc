/* malloc and its family, replaced in this program: every call is counted, and the n-th can be made to fail.
 * Works where the C library is glibc and no sanitizer has replaced them first; elsewhere ALLOCATOR is 0 and
 * tests skip. */
#ifndef PN_ALLOCATOR_H
#define PN_ALLOCATOR_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define ALLOCATOR_TAKEN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ALLOCATOR_TAKEN 1
#endif

#if defined(__GLIBC__) && !defined(ALLOCATOR_TAKEN)
#define ALLOCATOR 1
#else
#define ALLOCATOR 0
#endif

static const char *const allocator_absent = "malloc cannot be replaced here: no glibc, or a sanitizer has it";

/* What has happened so far; one thread at a time. Where nothing is replaced a program may have no use for some of
 * them. */
#define ALLOCATOR_COUNTER static __attribute__((unused))
ALLOCATOR_COUNTER long alloc_calls;      /* requests for memory */
ALLOCATOR_COUNTER long alloc_live;       /* pieces that are not freed yet */
ALLOCATOR_COUNTER long alloc_until = -1; /* requests that still succeed before one fails; -1: all do */
ALLOCATOR_COUNTER int alloc_all_after;   /* once one has failed all fail */
ALLOCATOR_COUNTER long alloc_failed;     /* requests that were refused */

#if ALLOCATOR

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

/* whether the request that is being made is to be refused */
static int alloc_refuse(void)
{
    alloc_calls++;
    if (alloc_until < 0) return 0;
    if (alloc_until > 0) {
        alloc_until--;
        return 0;
    }
    if (!alloc_all_after) alloc_until = -1;
    alloc_failed++;
    errno = ENOMEM;
    return 1;
}

static void *alloc_count(void *memory)
{
    if (memory) alloc_live++;
    return memory;
}

void *malloc(size_t size)
{
    return alloc_refuse() ? NULL : alloc_count(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return alloc_refuse() ? NULL : alloc_count(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    if (alloc_refuse()) return NULL;
    void *moved = __libc_realloc(memory, size);
    if (memory && !size && !moved) alloc_live--;
    if (!memory && moved) alloc_live++;
    return moved;
}

void *memalign(size_t alignment, size_t size)
{
    return alloc_refuse() ? NULL : alloc_count(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *found = memalign(alignment, size);
    if (!found) return ENOMEM;
    *memory = found;
    return 0;
}

void free(void *memory)
{
    if (memory) alloc_live--;
    __libc_free(memory);
}

#endif

/* from now on the n-th request from here, counted from 0, fails; with all_after every later one too */
static inline void alloc_fail(long n, int all_after)
{
    alloc_failed = 0;
    alloc_all_after = all_after;
    alloc_until = n;
}

static inline void alloc_work(void)
{
    alloc_until = -1;
}

#endif
