/* Statistics of sweeps: numbers known in closed form, the Ishigami function's indices, and what does not
 * count. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <unistd.h>
#include "pinion/sim/sweep_statistics.h"
#include "sweep/sample/counter.h"
#include "sweep/sample/sampler.h"
#include "sweep/statistics/ranks.h"
#include "sweep/store/scratch.h"

TEST(one_number)
{
    const double x[8] = {3, NAN, 1, 4, 1, 5, 9, 2};
    const unsigned char counts[8] = {1, 1, 1, 1, 1, 1, 0, 1};
    pinion_sweep_summary s;
    CHECK_STATUS(pinion_sweep_summarize(8, x, counts, &s), PINION_OK);
    CHECK(s.count == 6 && s.minimum == 1 && s.maximum == 5);
    CHECK_NEAR(s.mean, 16. / 6, 1e-15);
    CHECK_NEAR(s.deviation, sqrt((56 - 256. / 6) / 5), 1e-15);
    CHECK_NEAR(s.error, s.deviation / sqrt(6), 1e-15);
    CHECK_NEAR(s.quantile[5], 2.5, 1e-15);  /* of 1 1 2 3 4 5 */
    CHECK_NEAR(s.quantile[4], 1.25, 1e-15); /* a quarter of the way: place 1.25 */
    CHECK_NEAR(s.quantile[7], 4.75, 1e-15);
    CHECK(s.histogram[0] == 2 && s.histogram[16] == 1 && s.histogram[32] == 1 && s.histogram[48] == 1 &&
          s.histogram[63] == 1);
    CHECK_STATUS(pinion_sweep_summarize(1, x + 1, NULL, &s), PINION_OK);
    CHECK(s.count == 0 && isnan(s.mean) && isnan(s.quantile[0]));
    CHECK_STATUS(pinion_sweep_summarize(1, x, NULL, &s), PINION_OK);
    CHECK(s.count == 1 && s.mean == 3 && isnan(s.deviation) && s.quantile[10] == 3 && s.histogram[0] == 1);
}

/* large means with small deviations keep their digits */
TEST(cancellation)
{
    double x[1000];
    pinion_sweep_summary s;
    for (int i = 0; i < 1000; i++) x[i] = 1e9 + i % 2;
    CHECK_STATUS(pinion_sweep_summarize(1000, x, NULL, &s), PINION_OK);
    CHECK_NEAR(s.mean, 1e9 + 0.5, 1e-7);
    CHECK_NEAR(s.deviation, sqrt(250. / 999), 1e-12);
}

TEST(ranks)
{
    const double x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {1, 8, 27, 64, 125, 216}, z[6] = {6, 5, 4, 3, 2, 1},
                 ties[6] = {1, 1, 2, 2, 3, 3}, same[6] = {1, 1, 1, 1, 1, 1};
    double r;
    CHECK(pinion_sweep_rank_correlation(6, x, y, NULL, &r) == PINION_OK && fabs(r - 1) < 1e-15);
    CHECK(pinion_sweep_rank_correlation(6, x, z, NULL, &r) == PINION_OK && fabs(r + 1) < 1e-15);
    CHECK(pinion_sweep_rank_correlation(6, x, ties, NULL, &r) == PINION_OK);
    CHECK_NEAR(r, 16 / sqrt(17.5 * 16), 1e-14); /* ranks 0.5 0.5 2.5 2.5 4.5 4.5 */
    CHECK(pinion_sweep_rank_correlation(6, x, same, NULL, &r) == PINION_OK && isnan(r));
}

/* sin x1 + a sin^2 x2 + b x3^4 sin x1, uniform in (-pi, pi): its indices are known (Ishigami and Homma 1990)
 */
TEST(ishigami)
{
    enum { BASE = 1 << 14, GROUP = 5 };
    const double pi = 3.14159265358979323846, a = 7, b = 0.1;
    const pn_distribution d[3] = {
        {PN_UNIFORM, -pi, pi, 0, 0}, {PN_UNIFORM, -pi, pi, 0, 0}, {PN_UNIFORM, -pi, pi, 0, 0}};
    const pn_sampler_options o = {.sampling = PN_SAMPLING_SOBOL,
                                  .seed = 5,
                                  .count = BASE,
                                  .dimensions = 3,
                                  .distributions = d,
                                  .indices = 1};
    pinion_error err;
    pn_sampler *s = pn_sampler_new(&o, &err);
    double *f = malloc(BASE * GROUP * sizeof *f), x[3], first[3], first_error[3], total[3], total_error[3];
    unsigned char *counts = calloc(BASE * GROUP, 1);
    CHECK(s && pn_sampler_count(s) == BASE * GROUP);
    for (uint64_t i = 0; i < BASE * GROUP; i++) {
        pn_sampler_values(s, i, x);
        f[i] = sin(x[0]) + a * sin(x[1]) * sin(x[1]) + b * x[2] * x[2] * x[2] * x[2] * sin(x[0]);
        counts[i] = i >= GROUP || i != 3; /* one run fails: its group does not count */
    }
    const double v1 = 0.5 * (1 + b * pow(pi, 4) / 5) * (1 + b * pow(pi, 4) / 5), v2 = a * a / 8,
                 v13 = b * b * pow(pi, 8) * (1. / 18 - 1. / 50), v = v1 + v2 + v13;
    const double S[3] = {v1 / v, v2 / v, 0}, T[3] = {(v1 + v13) / v, v2 / v, v13 / v};
    uint64_t groups = 0;
    CHECK_STATUS(
        pinion_sweep_indices(BASE * GROUP, f, counts, 3, first, first_error, total, total_error, &groups),
        PINION_OK);
    CHECK(groups == BASE - 1);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(first[i], S[i], 0.01);
        CHECK_NEAR(total[i], T[i], 0.01);
        /* the errors are those of random samples, which are larger than Sobol's */
        CHECK(first_error[i] > 1e-3 && first_error[i] < 0.02 && total_error[i] > 1e-3 &&
              total_error[i] < 0.02);
    }
    pn_sampler_free(s);
    free(f);
    free(counts);
}

/* over many random samples the errors are what they say: the mean square of error / standard error is 1 */
TEST(errors_of_indices)
{
    enum { BASE = 400, ROUNDS = 200 };
    const pn_distribution d[2] = {{PN_NORMAL, -INFINITY, INFINITY, 0, 1},
                                  {PN_NORMAL, -INFINITY, INFINITY, 0, 1}};
    double sum = 0, f[BASE * 4], x[2], first[2], e1[2], total[2], e2[2], sum_total = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const pn_sampler_options o = {.sampling = PN_SAMPLING_RANDOM,
                                      .seed = (uint64_t)round + check_seed,
                                      .count = BASE,
                                      .dimensions = 2,
                                      .distributions = d,
                                      .indices = 1};
        pinion_error err;
        pn_sampler *s = pn_sampler_new(&o, &err);
        for (uint64_t i = 0; i < BASE * 4; i++) {
            pn_sampler_values(s, i, x);
            f[i] = 3 + 2 * x[0] + x[1]; /* indices 0.8 and 0.2 */
        }
        CHECK_STATUS(pinion_sweep_indices(BASE * 4, f, NULL, 2, first, e1, total, e2, NULL), PINION_OK);
        sum += pow((first[0] - 0.8) / e1[0], 2) / ROUNDS;
        sum_total += pow((total[1] - 0.2) / e2[1], 2) / ROUNDS;
        pn_sampler_free(s);
    }
    CHECK_NEAR(sum, 1, 0.4);
    CHECK_NEAR(sum_total, 1, 0.4);
}

/* by the formula of Wilson 1927, computed apart with 30 digits */
TEST(probabilities)
{
    double i[2];
    CHECK(pinion_sweep_probability(10, 0, 0.95, i) == PINION_OK && i[0] == 0);
    CHECK_NEAR(i[1], 0.277532799862889, 1e-12);
    CHECK(pinion_sweep_probability(10, 10, 0.95, i) == PINION_OK && i[1] == 1);
    CHECK_NEAR(i[0], 1 - 0.277532799862889, 1e-12);
    CHECK(pinion_sweep_probability(1000, 50, 0.95, i) == PINION_OK);
    CHECK_NEAR(i[0], 0.0381307, 1e-6);
    CHECK_NEAR(i[1], 0.0653135, 1e-6);
    CHECK(pinion_sweep_probability(0, 0, 0.95, i) == PINION_OK && i[0] == 0 && i[1] == 1);
    CHECK(pinion_sweep_probability(1, 2, 0.95, i) == PINION_ERR_ARGUMENT);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* numbers of all sizes and both signs, also equal and infinite ones, as the C library sorts them */
TEST(order)
{
    enum { MOST = 3000 };
    static pn_ranked r[MOST], room[MOST];
    static double x[MOST], y[MOST];
    const double special[] = {0, -0.0, INFINITY, -INFINITY, 1e-310, -1e-310, 1e308, 1, 1, 1};
    for (int count = 0; count <= MOST; count += count < 12 ? 1 : 996) {
        for (int i = 0; i < count; i++) {
            const double u = pn_counter_unit(check_seed, (uint64_t)i, 0, 0) - 0.5;
            x[i] = i < 10 ? special[i] : i % 7 == 0 ? x[i - 1] : u * pow(10, 600 * u * u);
            r[i] = (pn_ranked){x[i], (uint64_t)i};
        }
        memcpy(y, x, sizeof y);
        qsort(y, (size_t)count, sizeof *y, by_value);
        pn_sort_ranked((uint64_t)count, r, room);
        for (int i = 0; i < count; i++) CHECK(r[i].value == y[i] && r[i].value == x[r[i].run]);
    }
}

/* little memory and much, which is a file's that has no name */
TEST(scratch_memory)
{
    const size_t sizes[] = {0, 1000, (size_t)40 << 20};
    for (int i = 0; i < 3; i++) {
        pn_scratch s;
        char path[] = "/tmp/pinion-scratch-XXXXXX";
        const int made = mkstemp(path); /* one that was left */
        CHECK(made >= 0 && close(made) == 0);
        CHECK(pn_scratch_open(&s, sizes[i], path) == 0 && s.mapped == (i == 2));
        CHECK((access(path, F_OK) != 0) == s.mapped);
        unsigned char *a = pn_scratch_take(&s, sizes[i] / 2), *b = pn_scratch_take(&s, sizes[i] / 2 - sizes[i] / 4);
        CHECK(a && b && b >= a + sizes[i] / 2 && (uintptr_t)b % 16 == 0);
        if (a && b && i) a[sizes[i] / 2 - 1] = b[0] = 7;
        CHECK(!pn_scratch_take(&s, sizes[i] + 1));
        pn_scratch_close(&s);
        remove(path);
    }
    pn_scratch s;
    CHECK(pn_scratch_open(&s, (size_t)40 << 20, "/none/scratch") != 0 && !s.at);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(one_number);
    RUN(cancellation);
    RUN(ranks);
    RUN(ishigami);
    RUN(errors_of_indices);
    RUN(probabilities);
    RUN(order);
    RUN(scratch_memory);
    return CHECK_END();
}
