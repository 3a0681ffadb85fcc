/* To be preloaded: clocks jump a day ahead and back again, with every call. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t)
{
    static atomic_int calls;
    const int status = (int)syscall(SYS_clock_gettime, clock, t);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && atomic_fetch_add(&calls, 1) % 2)
        t->tv_sec += 86400;
    return status;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *t)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (t) *t = now.tv_sec;
    return now.tv_sec;
}
