/* A small test harness. A test program is a list of TEST functions and a main that RUNs them:
 *
 *     TEST(adds_up) { CHECK(1 + 1 == 2); CHECK_NEAR(0.1 + 0.2, 0.3, 1e-15); }
 *     int main(int argc, char **argv) { CHECK_BEGIN(argc, argv); RUN(adds_up); return CHECK_END(); }
 *
 * A failed check prints where and what and the test goes on. An argument to the program selects the
 * tests whose name contains it. PINION_SEED sets the seed of random tests; it is printed with every
 * failure and at the end. A test that cannot run calls SKIP("why"); ctest shows skipped programs. */
#ifndef PN_CHECK_H
#define PN_CHECK_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failed, check_count, check_tests, check_skipped;
static uint64_t check_seed;
static const char *check_filter, *check_name;

#define TEST(name) static void test_##name(void)
#define RUN(name)                                                                                            \
    do {                                                                                                     \
        if (!check_filter || strstr(#name, check_filter)) {                                                  \
            const int before = check_failed, skipped = check_skipped;                                        \
            check_name = #name;                                                                              \
            check_tests++;                                                                                   \
            test_##name();                                                                                   \
            if (check_skipped == skipped) printf("%s %s\n", check_failed == before ? "ok    " : "FAILED", #name); \
            fflush(stdout);                                                                                  \
        }                                                                                                    \
    } while (0)

#define CHECK_FAIL(...)                                                                                      \
    do {                                                                                                     \
        check_failed++;                                                                                      \
        if (check_failed <= 50) {                                                                            \
            printf("%s:%d: %s: ", __FILE__, __LINE__, check_name);                                           \
            printf(__VA_ARGS__);                                                                             \
            printf(" (seed %llu)\n", (unsigned long long)check_seed);                                        \
        }                                                                                                    \
    } while (0)

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        check_count++;                                                                                       \
        if (!(condition)) CHECK_FAIL("%s is false", #condition);                                             \
    } while (0)

/* |a - b| <= tolerance; fails on NaN */
#define CHECK_NEAR(a, b, tolerance)                                                                          \
    do {                                                                                                     \
        double check_a = (a), check_b = (b), check_t = (tolerance);                                          \
        check_count++;                                                                                       \
        if (!(fabs(check_a - check_b) <= check_t))                                                           \
            CHECK_FAIL("%s = %.17g, expected %.17g within %g", #a, check_a, check_b, check_t);               \
    } while (0)

#define CHECK_STATUS(call, expected)                                                                         \
    do {                                                                                                     \
        int check_a = (int)(call), check_b = (int)(expected);                                                \
        check_count++;                                                                                       \
        if (check_a != check_b) CHECK_FAIL("%s = %d, expected %s", #call, check_a, #expected);               \
    } while (0)

/* the text holds the part */
#define CHECK_HAS(text, part)                                                                                \
    do {                                                                                                     \
        const char *check_a = (text), *check_b = (part);                                                     \
        check_count++;                                                                                       \
        if (!check_a || !strstr(check_a, check_b))                                                           \
            CHECK_FAIL("\"%s\" does not contain \"%s\"", check_a ? check_a : "(null)", check_b);             \
    } while (0)

#define SKIP(why)                                                                                            \
    do {                                                                                                     \
        printf("skipped %s: %s\n", check_name, why);                                                         \
        check_skipped++;                                                                                     \
        return;                                                                                              \
    } while (0)

/* The error measure of all comparisons of arrays: max|x - ref| / max(max|ref|, floor); NaN counts as
 * infinite. */
static inline double check_error(const double *x, const double *ref, size_t n, double floor_)
{
    double worst = 0, scale = floor_;
    for (size_t i = 0; i < n; i++) {
        double d = fabs(x[i] - ref[i]);
        if (!(d <= worst)) worst = isnan(d) ? INFINITY : d;
        if (fabs(ref[i]) > scale) scale = fabs(ref[i]);
    }
    return worst / scale;
}

/* uniform in [0, 1), from a seed that moves on (splitmix64) */
static inline double check_uniform(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static inline double check_between(uint64_t *state, double low, double high)
{
    return low + (high - low) * check_uniform(state);
}

#define CHECK_BEGIN(argc, argv)                                                                              \
    do {                                                                                                     \
        const char *seed_ = getenv("PINION_SEED");                                                           \
        check_seed = seed_ ? strtoull(seed_, NULL, 0) : 20001;                                               \
        check_filter = (argc) > 1 ? (argv)[1] : NULL;                                                        \
    } while (0)

/* How many rounds a long random test makes: all, or a part where PINION_ROUNDS (as in 20 %) says so. Sanitizers look
 * for what every round does alike. */
static inline int check_rounds(int all)
{
    const char *percent = getenv("PINION_ROUNDS");
    const int rounds = percent ? (int)(all * atof(percent) / 100) : all;
    return rounds < 1 ? 1 : rounds;
}

/* The step of a sweep over every size or model: 1, or what is given where PINION_ROUNDS asks for fewer. */
static inline int check_every(int step)
{
    return getenv("PINION_ROUNDS") ? step : 1;
}

/* 77 tells ctest that every test of the program was skipped */
static inline int check_end(void)
{
    printf("%d tests, %d checks, %d failures, %d skipped (seed %llu)\n", check_tests, check_count,
           check_failed, check_skipped, (unsigned long long)check_seed);
    if (check_tests == 0) return 1;
    if (check_failed) return 1;
    return check_skipped == check_tests ? 77 : 0;
}
#define CHECK_END() check_end()

#endif
