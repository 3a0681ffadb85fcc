#define _POSIX_C_SOURCE 200809L
#include "cli/print/timing.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define GROUP_MIN 2e-5 /* s: a thousand times what the clock resolves */
#define GROUP_MAX 2e-2
#define ROUNDS_MIN 5
#define AGAIN 0.2 /* s: what takes longer is believed at once */

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

/* What belongs to a call while it is timed. */
typedef struct course {
    long calls;  /* in a group */
    int wanted;  /* rounds it takes part in */
    int samples; /* so far */
    double *ns;  /* of one call, [samples] */
} course;

/* Seconds that a group of calls takes. */
static double run_group(const timed_call *call, long calls)
{
    const double start = pn_cli_now();
    for (long c = 0; c < calls; c++) call->run(call->user);
    return pn_cli_now() - start;
}

/* Doubles the calls of a group until they take long enough for the clock, which also warms up. What seems
 * long enough runs once more, for something else may have had the processor meanwhile. Returns how long a
 * group takes. */
static double choose_group(const timed_call *call, double group, course *c)
{
    double took = run_group(call, 1);
    c->calls = 1;
    for (;;) {
        if (took >= group / 2 && took < AGAIN) {
            const double again = run_group(call, c->calls);
            if (again < took) took = again;
        }
        if (took >= group / 2 || c->calls >= 1L << 30) return took;
        c->calls *= 2;
        took = run_group(call, c->calls);
    }
}

/* Whether a call takes part in this round: `wanted` of them, evenly spread. */
static int is_due(const course *c, int round, int rounds)
{
    return (round + 1) * c->wanted / rounds != round * c->wanted / rounds;
}

/* Times all calls; `share` is the time that each of them may take, 0 for as long as the rounds last. Where
 * others use the machine too, all is over when the time is, after a few rounds at least. */
static void time_all(const timed_call *call, course *of, int count, int rounds, double group, double share)
{
    const double end = share > 0 ? pn_cli_now() + share * count : INFINITY;
    for (int i = 0; i < count; i++) {
        const double took = choose_group(&call[i], group, &of[i]);
        of[i].wanted = rounds;
        if (share <= 0 || took * rounds <= share + 2 * group * rounds) continue;
        /* too slow for all rounds: this is a sample already, and where there is time for more, more are taken
         */
        of[i].wanted = share > 2 * took ? (int)(share / took) - 1 : 0;
        of[i].ns[of[i].samples++] = 1e9 * took / (double)of[i].calls;
    }

    /* forth and back, so that none always comes after the same one */
    for (int round = 0; round < rounds && (round < ROUNDS_MIN || pn_cli_now() < end); round++)
        for (int k = 0; k < count; k++) {
            const int i = round % 2 ? count - 1 - k : k;
            course *c = &of[i];
            if (is_due(c, round, rounds))
                c->ns[c->samples++] = 1e9 * run_group(&call[i], c->calls) / (double)c->calls;
        }
    for (int i = 0; i < count; i++) qsort(of[i].ns, (size_t)of[i].samples, sizeof(double), ascending);
}

/* The places for the samples of all calls, in one piece; NULL when out of memory. */
static course *courses(int count, int rounds)
{
    course *of = calloc((size_t)count + 1, sizeof *of);
    double *ns = malloc(((size_t)count * (size_t)rounds + 1) * sizeof *ns);
    if (!of || !ns) {
        free(of);
        free(ns);
        return NULL;
    }
    for (int i = 0; i <= count; i++) of[i].ns = ns + (size_t)i * (size_t)rounds;
    return of;
}

static void forget(course *of)
{
    free(of[0].ns);
    free(of);
}

int pn_cli_time_quartiles(timed_call *call, int count, int turns, double group, double (*quartiles)[2])
{
    course *of = courses(count, turns);
    if (!of) return 0;
    time_all(call, of, count, turns, group, 0);
    for (int i = 0; i < count; i++) {
        call[i].ns = of[i].ns[turns / 2];
        if (!quartiles) continue;
        quartiles[i][0] = of[i].ns[turns / 4];
        quartiles[i][1] = of[i].ns[turns - 1 - turns / 4];
    }
    forget(of);
    return 1;
}

int pn_cli_time(timed_call *call, int count, int turns, double group)
{
    return pn_cli_time_quartiles(call, count, turns, group, NULL);
}

int pn_cli_time_within(timed_call *call, int count, double seconds, timed_spread *spread)
{
    course *of = courses(count, TIMED_ROUNDS);
    if (!of) return 0;

    /* choosing the group sizes takes as long as three rounds; groups are between half and all of `group` */
    const double share = seconds / (count > 0 ? count : 1);
    double group = share / (0.75 * TIMED_ROUNDS + 3);
    if (group < GROUP_MIN) group = GROUP_MIN;
    if (group > GROUP_MAX) group = GROUP_MAX;
    time_all(call, of, count, TIMED_ROUNDS, group, share);
    for (int i = 0; i < count; i++) {
        const int n = of[i].samples;
        call[i].ns = of[i].ns[n / 2];
        spread[i] = (timed_spread){of[i].ns[n / 4], of[i].ns[n - 1 - n / 4], n};
    }
    forget(of);
    return 1;
}
