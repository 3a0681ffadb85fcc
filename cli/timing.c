#define _POSIX_C_SOURCE 200809L
#include "timing.h"

#include <stdlib.h>
#include <time.h>

double pn_cli_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds that a group of calls takes. */
static double run_group(const timed_call *call, long calls)
{
    const double start = pn_cli_now();
    for (long c = 0; c < calls; c++) call->run(call->user);
    return pn_cli_now() - start;
}

/* How many calls make a group: doubled until they take long enough for the clock. */
static long group_size(const timed_call *call, double group)
{
    long calls = 1;
    while (calls < 1L << 30 && run_group(call, calls) < group / 2) calls *= 2;
    return calls;
}

int pn_cli_time_quartiles(timed_call *call, int count, int turns, double group, double (*quartiles)[2])
{
    double *ns = malloc((size_t)count * (size_t)turns * sizeof *ns);
    long calls[TIMED_MAX];
    if (!ns || count > TIMED_MAX) {
        free(ns);
        return 0;
    }
    for (int i = 0; i < count; i++) calls[i] = group_size(&call[i], group);

    /* forth and back, so that none always comes after the same one */
    for (int turn = 0; turn < turns; turn++)
        for (int k = 0; k < count; k++) {
            const int i = turn % 2 ? count - 1 - k : k;
            ns[i * turns + turn] = 1e9 * run_group(&call[i], calls[i]) / (double)calls[i];
        }
    for (int i = 0; i < count; i++) {
        qsort(ns + i * turns, (size_t)turns, sizeof *ns, ascending);
        call[i].ns = ns[i * turns + turns / 2];
        if (!quartiles) continue;
        quartiles[i][0] = ns[i * turns + turns / 4];
        quartiles[i][1] = ns[i * turns + turns - 1 - turns / 4];
    }
    free(ns);
    return 1;
}

int pn_cli_time(timed_call *call, int count, int turns, double group)
{
    return pn_cli_time_quartiles(call, count, turns, group, NULL);
}
