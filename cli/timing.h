/* Timing small calls fairly: several are run in turns, so that whatever else the machine does hits all alike.
 */
#ifndef PN_CLI_TIMING_H
#define PN_CLI_TIMING_H

#define TIMED_MAX 16

/* One call to be timed. */
typedef struct timed_call {
    void (*run)(void *user);
    void *user;
    double ns; /* out: the median time of one call */
} timed_call;

/* Times the calls, at most TIMED_MAX of them, in `turns` rounds; in each round every call runs in a group of
 * about `group` seconds, in alternating order. 0 when out of memory. */
int pn_cli_time_quartiles(timed_call *call, int count, int turns, double group, double (*quartiles)[2]);
/* The same without the quartiles around the medians, in ns. */
int pn_cli_time(timed_call *call, int count, int turns, double group);
/* A monotonic clock, s. */
double pn_cli_now(void);

#endif
