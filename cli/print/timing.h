/* Timing small calls fairly: several are run in turns, so that whatever else the machine does hits all alike.
 */
#ifndef PN_CLI_TIMING_H
#define PN_CLI_TIMING_H

#define TIMED_ROUNDS 15

/* One call to be timed. */
typedef struct timed_call {
    void (*run)(void *user);
    void *user;
    double ns; /* out: the median time of one call */
} timed_call;

/* What is known around the median. */
typedef struct timed_spread {
    double low, high; /* ns, the quartiles */
    int samples;      /* groups of calls that were timed */
} timed_spread;

/* Times the calls in `turns` rounds; in each round every call runs in a group of about `group` seconds, in
 * alternating order. 0 when out of memory. */
int pn_cli_time_quartiles(timed_call *call, int count, int turns, double group, double (*quartiles)[2]);
/* The same without the quartiles around the medians, in ns. */
int pn_cli_time(timed_call *call, int count, int turns, double group);
/* The same in about `seconds` for all of them together, in TIMED_ROUNDS rounds, or fewer where the time does
 * not suffice. A call that takes longer than its share is timed less often, at least once. */
int pn_cli_time_within(timed_call *call, int count, double seconds, timed_spread *spread);
/* A monotonic clock, s. */
double pn_cli_now(void);

#endif
