/* Samples of sweeps: published numbers of the generator, distributions against values computed with 40 digits,
 * correlations, designs, and what is refused. */
#include "check.h"
#include "sweep/sample/counter.h"
#include "sweep/sample/sampler.h"
#include "sweep/sample/sequence.h"

#define UNIT {PN_UNIFORM, 0, 1, 0, 0}
static const pn_distribution unit_cube[8] = {UNIT, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT};

/* what the authors of Philox publish for their 4x32-10 */
TEST(philox)
{
    const struct {
        uint32_t counter[4];
        uint64_t key;
        uint32_t out[4];
    } known[] = {
        {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u}, ~(uint64_t)0, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         0x299f31d0a4093822,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (int i = 0; i < 3; i++) {
        uint32_t c[4];
        memcpy(c, known[i].counter, sizeof c);
        pn_philox(c, known[i].key);
        CHECK(memcmp(c, known[i].out, sizeof c) == 0);
    }
    CHECK(pn_unit_of_bits(0) == 0x1p-53 && pn_unit_of_bits(~(uint64_t)0) == 1 - 0x1p-53);
}

TEST(normal_quantiles)
{
    const double known[][2] = {
        {0x1p-53, -8.20953615160138686}, {0x1p-30, -6.00935356553074389}, {1e-6, -4.75342430882289896},
        {0.001, -3.09023230616781354},   {0.02, -2.05374891063182304},    {0.1, -1.28155156554460044},
        {0.2499, -0.674804470110609987}, {0.2501, -0.674175097074658937}, {0.4, -0.253347103135799741},
        {0.49, -0.025068908258711058},   {0.5, 0},                        {0.50001, 0.0000250662827488208627},
        {0.6, 0.253347103135799741},     {0.75, 0.674489750196081743},    {0.9, 1.28155156554460059},
        {0.999, 3.09023230616781328},    {0.9999999, 5.19933758229066109},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const double x = pn_normal_quantile(known[i][0], 1 - known[i][0]);
        CHECK_NEAR(x, known[i][1], 4e-16 * fabs(known[i][1]) + 1e-17);
    }
    CHECK_NEAR(pn_normal_quantile(1e-300, 1), -37.0470962993611992, 1e-14);
    /* there and back, over all that a sample can be */
    double worst = 0;
    uint64_t seed = check_seed;
    for (int i = 0; i < 20000; i++) {
        const double u = i % 2 ? check_uniform(&seed) + 0x1p-54 : exp(-36 * check_uniform(&seed));
        double p, q, x = pn_normal_quantile(u, 1 - u), slope = exp(-x * x / 2) / 2.506628274631;
        pn_normal_parts(x, &p, &q);
        const double error = fabs(u < 0.5 ? p - u : q - (1 - u)) / (slope * (1 + fabs(x)));
        if (!(error <= worst)) worst = error;
    }
    CHECK(worst < 6e-16);
}

TEST(distributions)
{
    const double inf = INFINITY;
    const struct {
        pn_distribution d;
        double u, x;
    } known[] = {
        {{PN_NORMAL, 0.5, 1.5, 1, 0.2}, 0.3, 0.896546011229157293},
        {{PN_NORMAL, 0.5, 1.5, 1, 0.2}, 0.999, 1.4894530202123073},
        {{PN_NORMAL, 6, 7, 0, 1}, 0.25, 6.04647179397399513},
        {{PN_NORMAL, -31, -30, 0, 1}, 0.5, -30.0230704678273089},
        {{PN_NORMAL, 30, 31, 0, 1}, 0.875, 30.0691584182621198},
        {{PN_NORMAL, -inf, 2.5, 2, 3}, 0.75, 1.42987220045782574},
        {{PN_NORMAL, 1, inf, 2, 3}, 0.0009765625, 1.00489380105452135},
        {{PN_LOG_NORMAL, -inf, inf, 2.5, 0.5}, 0.01, 0.781231932072415848},
        {{PN_LOG_NORMAL, 0, inf, 1e-3, 2}, 0.9, 0.0129760211991180025},
        {{PN_LOG_NORMAL, 1.5, 4, 2, 0.7}, 0.6, 2.56847970422423026},
        {{PN_LOG_UNIFORM, 1e-3, 1e3, 0, 0}, 0.3, 0.0630957344480193162},
        {{PN_LOG_UNIFORM, 1e-300, 1e300, 0, 0}, 0.3, 9.99999999999984695e-121},
        {{PN_UNIFORM, -2, 6, 0, 0}, 0.25, 0},
        {{PN_UNIFORM, -2, 6, 0, 0}, 0.75, 4},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CHECK(!pn_distribution_complaint(&known[i].d));
        const double x = pn_distribution_quantile(&known[i].d, known[i].u, 1 - known[i].u);
        CHECK_NEAR(x, known[i].x, 1.5e-15 * fabs(known[i].x));
        for (int end = 0; end < 2; end++) { /* also what rounding would put beyond an end stays within */
            const double u = end ? 1 - 0x1p-53 : 0x1p-53, y = pn_distribution_quantile(&known[i].d, u, 1 - u);
            CHECK(y >= known[i].d.low && y <= known[i].d.high && isfinite(y));
        }
    }
}

TEST(bad_distributions)
{
    const double inf = INFINITY;
    const struct {
        pn_distribution d;
        const char *complaint;
    } bad[] = {
        {{PN_UNIFORM, 1, 1, 0, 0}, "low must be below high"},
        {{PN_UNIFORM, NAN, 1, 0, 0}, "low must be below high"},
        {{PN_UNIFORM, 0, inf, 0, 0}, "finite"},
        {{PN_UNIFORM, -1.7e308, 1.7e308, 0, 0}, "high - low must be finite"},
        {{PN_LOG_UNIFORM, 0, 1, 0, 0}, "above zero"},
        {{PN_NORMAL, -inf, inf, NAN, 1}, "the mean must be finite"},
        {{PN_NORMAL, -inf, inf, 0, 0}, "the deviation must be above zero"},
        {{PN_NORMAL, 40, 41, 0, 1}, "nothing of the distribution"},
        {{PN_NORMAL, 2, 1, 0, 1}, "low must be below high"},
        {{PN_LOG_NORMAL, -inf, inf, -1, 1}, "the median must be above zero"},
        {{PN_LOG_NORMAL, -2, -1, 1, 1}, "high must be above zero"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_HAS(pn_distribution_complaint(&bad[i].d), bad[i].complaint);
}

/* How far the mean of `count` points of a sequence may be off: they are as many blocks with one point in each layer
 * as the digits of the count in that base sum up to, and the values of one block sum up to half its size within 1/2. */
static double off(uint64_t count, uint32_t base)
{
    uint64_t blocks = 0;
    for (uint64_t rest = count; rest; rest /= base) blocks += rest % base;
    return 0.5 * (double)blocks / (double)count;
}

/* Every way of sampling gives each dimension its distribution: mean and variance of a cube, far closer than chance
 * where the points are spread on purpose. And a sample does not depend on what was asked before. */
TEST(designs)
{
    enum { COUNT = 4096, DIMENSIONS = 8 };
    uint32_t primes[DIMENSIONS];
    pn_primes(DIMENSIONS, primes);
    for (int way = 0; way < 4; way++) {
        pn_sampler_options o = {.sampling = (pn_sampling)way, .seed = 3, .count = COUNT, .dimensions = DIMENSIONS,
                                .distributions = unit_cube};
        pn_sampler *s = pn_sampler_new(&o, NULL);
        double mean[DIMENSIONS] = {0}, square[DIMENSIONS] = {0}, product = 0;
        for (uint64_t i = 0; i < COUNT; i++) {
            double x[DIMENSIONS];
            pn_sampler_values(s, i, x);
            for (int k = 0; k < DIMENSIONS; k++) {
                mean[k] += x[k] / COUNT;
                square[k] += x[k] * x[k] / COUNT;
            }
            product += (x[3] - 0.5) * (x[4] - 0.5) / COUNT;
        }
        for (int k = 0; k < DIMENSIONS; k++) {
            const double tolerance = way == PN_SAMPLING_RANDOM ? 5 * sqrt(1. / 12 / COUNT) /* deviations */
                                                               : off(COUNT, way == PN_SAMPLING_HALTON ? primes[k] : 2);
            CHECK_NEAR(mean[k], 0.5, tolerance);
            CHECK_NEAR(square[k], 1. / 3, 2 * tolerance);
        }
        CHECK_NEAR(product, 0, 5. / 12 / 64);
        double once[DIMENSIONS], again[DIMENSIONS];
        pn_sampler_values(s, 1234, once);
        pn_sampler *other = pn_sampler_new(&o, NULL);
        pn_sampler_values(other, 1234, again);
        CHECK(memcmp(once, again, sizeof once) == 0);
        pn_sampler_free(other);
        o.seed = 4;
        other = pn_sampler_new(&o, NULL);
        pn_sampler_values(other, 1234, again);
        for (int k = 0; k < DIMENSIONS; k++) CHECK(once[k] != again[k]);
        pn_sampler_free(other);
        pn_sampler_free(s);
    }
}

TEST(latin_hypercubes_have_one_sample_a_layer)
{
    const uint64_t counts[] = {1, 7, 64, 1000};
    for (int c = 0; c < 4; c++) {
        const uint64_t n = counts[c];
        const pn_sampler_options o = {.sampling = PN_SAMPLING_LATIN, .count = n, .dimensions = 3,
                                      .distributions = unit_cube};
        pn_sampler *s = pn_sampler_new(&o, NULL);
        unsigned char hit[3][1000] = {{0}};
        double x[3];
        for (uint64_t i = 0; i < n; i++) {
            pn_sampler_values(s, i, x);
            for (int k = 0; k < 3; k++) hit[k][(int)(x[k] * (double)n)]++;
        }
        for (uint64_t i = 0; i < n; i++) CHECK(hit[0][i] == 1 && hit[1][i] == 1 && hit[2][i] == 1);
        pn_sampler_free(s);
    }
}

/* Normal variables have the correlations that were asked for; those of ranks are known in closed form. */
TEST(correlations)
{
    enum { COUNT = 16384 };
    const double inf = INFINITY, r[9] = {1, 0.8, -0.3, 0.8, 1, 0, -0.3, 0, 1};
    const pn_distribution d[3] = {{PN_NORMAL, -inf, inf, 5, 2}, {PN_NORMAL, -inf, inf, 0, 1}, {PN_UNIFORM, 2, 4, 0, 0}};
    const pn_sampler_options o = {.sampling = PN_SAMPLING_SOBOL, .seed = 1, .count = COUNT, .dimensions = 3,
                                  .distributions = d, .correlations = r};
    pn_sampler *s = pn_sampler_new(&o, NULL);
    double xy = 0, xx = 0, yy = 0, xz = 0, zz = 0, yz = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        double x[3], p, q;
        pn_sampler_values(s, i, x);
        CHECK(x[2] >= 2 && x[2] <= 4);
        x[0] = (x[0] - 5) / 2;
        xy += x[0] * x[1];
        xx += x[0] * x[0];
        yy += x[1] * x[1];
        pn_normal_parts(x[0], &p, &q); /* uniform: its order is that of x[0] */
        xz += (p - 0.5) * (x[2] - 3);
        pn_normal_parts(x[1], &p, &q);
        yz += (p - 0.5) * (x[2] - 3);
        zz += (x[2] - 3) * (x[2] - 3);
    }
    CHECK_NEAR(xy / sqrt(xx * yy), 0.8, 1e-3);
    CHECK_NEAR(zz / COUNT, 1. / 3, 1e-3);
    CHECK_NEAR(xz / COUNT * 6, pn_rank_of_correlation(-0.3), 1e-3); /* the variances are 1/12 and 1/3 */
    CHECK_NEAR(yz / COUNT * 6, 0, 1e-3);
    CHECK_NEAR(pn_correlation_of_rank(pn_rank_of_correlation(0.7)), 0.7, 1e-15);
    CHECK_NEAR(pn_rank_of_correlation(1), 1, 1e-15);
    pn_sampler_free(s);
}

/* A, B, and A with one value of B, one behind the other. */
TEST(designs_for_indices)
{
    for (int way = 0; way < 4; way++) {
        const pn_sampler_options o = {.sampling = (pn_sampling)way, .count = 10, .dimensions = 3,
                                      .distributions = unit_cube, .indices = 1};
        pn_sampler *s = pn_sampler_new(&o, NULL);
        CHECK(pn_sampler_count(s) == 50);
        for (uint64_t base = 0; base < 10; base++) {
            double x[5][3];
            for (uint64_t k = 0; k < 5; k++) pn_sampler_values(s, 5 * base + k, x[k]);
            for (int k = 0; k < 3; k++) {
                CHECK(x[0][k] != x[1][k]);
                for (int j = 0; j < 3; j++) CHECK(x[2 + k][j] == x[j == k][j]);
            }
        }
        pn_sampler_free(s);
    }
}

TEST(refusals)
{
    const double contradiction[9] = {1, 0.9, 0.9, 0.9, 1, -0.9, 0.9, -0.9, 1}, lopsided[4] = {1, 0.5, 0.4, 1},
                 beyond[4] = {1, 1.5, 1.5, 1}, twice[4] = {1, 1, 1, 1}, not_one[4] = {2, 0, 0, 1},
                 nothing[4] = {1, NAN, NAN, 1};
    const char *names[] = {"load", "gain", "rubs"};
    const struct {
        pn_sampler_options o;
        const char *message;
    } bad[] = {
        {{.count = 1}, "nothing to sample"},
        {{.count = 0, .dimensions = 2}, "count must be at least 1"},
        {{.count = ~(uint64_t)0, .dimensions = 2}, "count is too large"},
        {{.count = 1, .dimensions = 3, .correlations = contradiction}, "parameter 3 (rubs): its correlations"},
        {{.count = 1, .dimensions = 2, .correlations = lopsided}, "parameter 2 (gain): correlations must be symmetric"},
        {{.count = 1, .dimensions = 2, .correlations = beyond}, "parameter 2 (gain): a correlation must be between"},
        {{.count = 1, .dimensions = 2, .correlations = nothing}, "parameter 2 (gain): a correlation must be between"},
        {{.count = 1, .dimensions = 2, .correlations = twice}, "parameter 2 (gain): its correlations"},
        {{.count = 1, .dimensions = 2, .correlations = not_one}, "parameter 1 (load): its correlation with itself"},
        {{.count = 1, .dimensions = 3, .correlations = contradiction, .indices = 1}, "have no meaning"},
        {{.count = 1, .dimensions = 257, .sampling = PN_SAMPLING_SOBOL}, "256 dimensions"},
        {{.count = 1, .dimensions = 129, .sampling = PN_SAMPLING_HALTON, .indices = 1}, "256 dimensions"},
        {{.count = ((uint64_t)1 << 32) + 1, .dimensions = 3, .sampling = PN_SAMPLING_SOBOL}, "2^32 samples"},
        {{.count = 1, .dimensions = 2000}, "more than 1024"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pn_sampler_options o = bad[i].o;
        pinion_error err = {PINION_OK, 0, 0, ""};
        o.names = names;
        o.distributions = unit_cube;
        CHECK(!pn_sampler_new(&o, &err));
        CHECK_STATUS(err.status, PINION_ERR_ARGUMENT);
        CHECK_HAS(err.message, bad[i].message);
    }
    const pn_distribution wrong[2] = {{PN_UNIFORM, 0, 1, 0, 0}, {PN_UNIFORM, 1, 0, 0, 0}};
    const pn_sampler_options o = {.count = 1, .dimensions = 2, .distributions = wrong, .names = names};
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(!pn_sampler_new(&o, &err));
    CHECK_HAS(err.message, "parameter 2 (gain): low must be below high");
}

TEST(grids)
{
    CHECK(pn_grid_value(0.1, 0.7, 4, 0, 0) == 0.1 && pn_grid_value(0.1, 0.7, 4, 3, 0) == 0.7);
    CHECK_NEAR(pn_grid_value(0.1, 0.7, 4, 1, 0), 0.3, 1e-16);
    CHECK(pn_grid_value(-1, 1, 101, 50, 0) == 0);
    CHECK_NEAR(pn_grid_value(1e-2, 1e4, 7, 2, 1), 1, 1e-15);
    CHECK(pn_grid_value(5, 5, 1, 0, 1) == 5);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(philox);
    RUN(normal_quantiles);
    RUN(distributions);
    RUN(bad_distributions);
    RUN(designs);
    RUN(latin_hypercubes_have_one_sample_a_layer);
    RUN(correlations);
    RUN(designs_for_indices);
    RUN(refusals);
    RUN(grids);
    return CHECK_END();
}
