#include "sweep/sample/sampler.h"
#include "base/message.h"
#include "sweep/sample/counter.h"
#include "sweep/sample/sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pn_sampler {
    pn_sampling sampling;
    uint64_t seed, count;
    int dimensions, columns; /* columns of the sequence: twice the dimensions where there are A and B */
    int indices;
    pn_distribution *distributions;
    double *factor;       /* L of the correlations L L^T, rows one behind the other, each up to its diagonal; or NULL */
    uint64_t *keys;       /* a column each */
    uint32_t *directions; /* of Sobol's sequence; of Halton's: the bases */
};

double pn_correlation_of_rank(double rank)
{
    return 2 * sin(rank * (M_PI / 6));
}

double pn_rank_of_correlation(double correlation)
{
    return 6 / M_PI * asin(correlation / 2);
}

double pn_grid_value(double low, double high, uint64_t n, uint64_t k, int logarithmic)
{
    if (k == 0) return low;
    if (k + 1 >= n) return high;
    const double u = (double)k / (double)(n - 1), v = (double)(n - 1 - k) / (double)(n - 1);
    return logarithmic ? pow(low, v) * pow(high, u) : v * low + u * high;
}

/* ------------------------------------------------------------------------------------------------ */

static const char *name_of(const pn_sampler_options *o, int i)
{
    return o->names && o->names[i] ? o->names[i] : "?";
}

static int refuse(pinion_error *err, const pn_sampler_options *o, int i, const char *what)
{
    pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "parameter %d (%.60s): %s", i + 1, name_of(o, i), what);
    return 0;
}

/* What can be known before anything is allocated. */
static int check(const pn_sampler_options *o, pinion_error *err)
{
    const int columns = o->indices ? 2 * o->dimensions : o->dimensions;
    const int sequence = o->sampling == PN_SAMPLING_SOBOL || o->sampling == PN_SAMPLING_HALTON;
    const char *wrong = NULL;
    if (o->dimensions < 1) wrong = "there is nothing to sample";
    else if (o->dimensions > PN_SAMPLER_MOST) wrong = "more than 1024 sampled parameters";
    else if (o->count < 1) wrong = "count must be at least 1";
    else if (o->count > UINT64_MAX / (2 * PN_SAMPLER_MOST)) wrong = "count is too large";
    else if (sequence && columns > PN_SEQUENCE_DIMENSIONS)
        wrong = "sobol and halton have 256 dimensions; indices take two a parameter";
    else if (sequence && o->count > (uint64_t)1 << PN_SEQUENCE_BITS) wrong = "sobol and halton have 2^32 samples";
    else if (o->indices && o->correlations) wrong = "indices of parameters that are correlated have no meaning";
    if (wrong) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s", wrong);
        return 0;
    }
    for (int i = 0; i < o->dimensions; i++)
        if ((wrong = pn_distribution_complaint(&o->distributions[i]))) return refuse(err, o, i, wrong);
    return 1;
}

/* The factor of the correlations. A pivot is what is left of a variable's variance when those before it are known. */
static int factorize(const pn_sampler_options *o, double *l, pinion_error *err)
{
    const int n = o->dimensions;
    for (int i = 0; i < n; i++) {
        double *row = l + (size_t)i * (i + 1) / 2;
        for (int j = 0; j <= i; j++) {
            const double r = o->correlations[(size_t)i * n + j];
            if (i == j && r != 1) return refuse(err, o, i, "its correlation with itself must be 1");
            if (!(fabs(r) <= 1)) return refuse(err, o, i, "a correlation must be between -1 and 1");
            if (r != o->correlations[(size_t)j * n + i]) return refuse(err, o, i, "correlations must be symmetric");
            const double *other = l + (size_t)j * (j + 1) / 2;
            double sum = r;
            for (int k = 0; k < j; k++) sum -= row[k] * other[k];
            if (i != j) {
                row[j] = sum / other[j];
            } else if (sum > 1e-12) {
                row[j] = sqrt(sum);
            } else {
                return refuse(err, o, i, "its correlations and those of the parameters before it contradict each other "
                                         "(the matrix is not positive definite)");
            }
        }
    }
    return 1;
}

pn_sampler *pn_sampler_new(const pn_sampler_options *o, pinion_error *err)
{
    if (!check(o, err)) return NULL;
    const size_t n = (size_t)o->dimensions, columns = o->indices ? 2 * n : n;
    const size_t numbers = o->sampling == PN_SAMPLING_SOBOL ? columns * PN_SEQUENCE_BITS : columns;
    pn_sampler *s = calloc(1, sizeof *s);
    if (s) {
        *s = (pn_sampler){.sampling = o->sampling, .seed = o->seed, .count = o->count, .dimensions = o->dimensions,
                          .columns = (int)columns, .indices = o->indices};
        s->distributions = malloc(n * sizeof *s->distributions);
        s->keys = malloc(columns * sizeof *s->keys);
        s->directions = malloc(numbers * sizeof *s->directions);
        s->factor = o->correlations ? malloc(n * (n + 1) / 2 * sizeof *s->factor) : NULL;
    }
    if (!s || !s->distributions || !s->keys || !s->directions || (o->correlations && !s->factor)) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        pn_sampler_free(s);
        return NULL;
    }
    memcpy(s->distributions, o->distributions, n * sizeof *s->distributions);
    for (size_t i = 0; i < columns; i++) s->keys[i] = pn_counter_bits(o->seed, 0, (uint32_t)i, PN_STREAM_KEYS);
    if (o->sampling == PN_SAMPLING_SOBOL) pn_sobol_directions((int)columns, s->directions);
    if (o->sampling == PN_SAMPLING_HALTON) pn_primes((int)columns, s->directions);
    if (s->factor && !factorize(o, s->factor, err)) {
        pn_sampler_free(s);
        return NULL;
    }
    return s;
}

void pn_sampler_free(pn_sampler *s)
{
    if (!s) return;
    free(s->distributions);
    free(s->factor);
    free(s->keys);
    free(s->directions);
    free(s);
}

uint64_t pn_sampler_count(const pn_sampler *s)
{
    return s->indices ? s->count * (uint64_t)(s->dimensions + 2) : s->count;
}

/* ------------------------------------------------------------------------------------------------ */

/* A number of the cube, in (0, 1). */
static double unit(const pn_sampler *s, uint64_t index, int column)
{
    const uint64_t key = s->keys[column];
    switch (s->sampling) {
    case PN_SAMPLING_SOBOL:
        return pn_scrambled_binary(pn_sobol_digits(s->directions + (size_t)column * PN_SEQUENCE_BITS, index), key);
    case PN_SAMPLING_HALTON: return pn_scrambled_halton(s->directions[column], index, key);
    default: break;
    }
    const double u = pn_counter_unit(s->seed, index, (uint32_t)column, PN_STREAM_VALUES);
    if (s->sampling == PN_SAMPLING_RANDOM) return u;
    /* a Latin hypercube: one sample in each of `count` layers of every dimension */
    const double layer = ((double)pn_permuted(index, s->count, key) + u) / (double)s->count;
    return layer < 1 ? layer : 1 - 0x1p-53;
}

/* Each correlated normal variable is a sum of the independent ones up to its own. */
static void correlate(const pn_sampler *s, const double *z, double *x)
{
    for (int i = 0; i < s->dimensions; i++) {
        const double *row = s->factor + (size_t)i * (i + 1) / 2;
        double sum = 0, p, q;
        for (int k = 0; k <= i; k++) sum += row[k] * z[k];
        pn_normal_parts(sum, &p, &q);
        x[i] = pn_distribution_quantile(&s->distributions[i], p, q);
    }
}

void pn_sampler_values(const pn_sampler *s, uint64_t index, double *x)
{
    double z[PN_SAMPLER_MOST];
    const uint64_t group = s->indices ? (uint64_t)(s->dimensions + 2) : 1, base = index / group;
    const int member = (int)(index % group); /* 0: A, 1: B, 2 + i: A with B's value in dimension i */
    for (int i = 0; i < s->dimensions; i++) {
        const int from_b = member == 1 || member == i + 2;
        const double u = unit(s, base, from_b ? s->dimensions + i : i);
        if (s->factor) z[i] = pn_normal_quantile(u, 1 - u);
        else x[i] = pn_distribution_quantile(&s->distributions[i], u, 1 - u);
    }
    if (s->factor) correlate(s, z, x);
}
