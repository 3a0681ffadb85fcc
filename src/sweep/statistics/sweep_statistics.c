/* Means, quantiles, histograms, rank correlations, Sobol's indices and intervals of probabilities. */
#include "pinion/sim/sweep_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sample/distribution.h"
#include "sweep/statistics/ranks.h"

static const double probabilities[PINION_SWEEP_QUANTILES] = {0.001, 0.01, 0.025, 0.05, 0.25, 0.5,
                                                             0.75,  0.95, 0.975, 0.99, 0.999};

const double *pinion_sweep_probabilities(void)
{
    return probabilities;
}

static int is_in(const double *x, const unsigned char *counts, uint64_t i)
{
    return (!counts || counts[i]) && isfinite(x[i]);
}

/* ------------------------------------------------------------------------------------------------
 * One number */

/* Its bits as a whole number with the order of the values. */
static uint64_t key_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

void pn_sort_ranked(uint64_t count, pn_ranked *r, pn_ranked *room)
{
    enum { DIGITS = 8, VALUES = 256 };
    uint64_t found[DIGITS][VALUES] = {{0}};
    pn_ranked *from = r, *to = room;
    for (uint64_t i = 0; i < count; i++)
        for (int d = 0; d < DIGITS; d++) found[d][key_of(r[i].value) >> (8 * d) & 0xff]++;
    for (int d = 0; d < DIGITS; d++) {
        uint64_t *at = found[d], first = 0;
        if (count && at[key_of(from[0].value) >> (8 * d) & 0xff] == count) continue; /* all have this digit */
        for (int k = 0; k < VALUES; k++) {
            const uint64_t many = at[k];
            at[k] = first;
            first += many;
        }
        for (uint64_t i = 0; i < count; i++) to[at[key_of(from[i].value) >> (8 * d) & 0xff]++] = from[i];
        pn_ranked *other = from;
        from = to;
        to = other;
    }
    if (from != r) memcpy(r, from, (size_t)count * sizeof *r);
}

/* Mean and deviation in two passes over the runs in their order: the first mean is good, the second better.
 */
static void find_moments(uint64_t runs, const double *x, const unsigned char *counts,
                         pinion_sweep_summary *out)
{
    double sum = 0, rest = 0, squares = 0;
    const double n = (double)out->count;
    for (uint64_t i = 0; i < runs; i++)
        if (is_in(x, counts, i)) sum += x[i] / n;
    for (uint64_t i = 0; i < runs; i++)
        if (is_in(x, counts, i)) rest += x[i] - sum;
    out->mean = sum + rest / n;
    for (uint64_t i = 0; i < runs; i++)
        if (is_in(x, counts, i)) squares += (x[i] - out->mean) * (x[i] - out->mean);
    out->deviation = out->count > 1 ? sqrt(squares / (n - 1)) : NAN;
    out->error = out->deviation / sqrt(n);
}

static double quantile(const pn_ranked *y, uint64_t count, double p)
{
    const double at = p * (double)(count - 1);
    const uint64_t k = (uint64_t)at;
    return k + 1 < count ? y[k].value + (at - (double)k) * (y[k + 1].value - y[k].value) : y[count - 1].value;
}

static void count_bins(const pn_ranked *y, uint64_t count, pinion_sweep_summary *out)
{
    const double span = out->maximum - out->minimum;
    for (uint64_t i = 0; i < count; i++) {
        const double part = span > 0 && isfinite(span) ? (y[i].value - out->minimum) / span * PINION_SWEEP_BINS : 0;
        out->histogram[part < PINION_SWEEP_BINS ? (int)part : PINION_SWEEP_BINS - 1]++;
    }
}

void pn_summarize(uint64_t runs, const double *x, const unsigned char *counts, pn_ranked *room,
                  pinion_sweep_summary *out)
{
    pn_ranked *y = room;
    memset(out, 0, sizeof *out);
    out->mean = out->deviation = out->error = out->minimum = out->maximum = NAN;
    for (int i = 0; i < PINION_SWEEP_QUANTILES; i++) out->quantile[i] = NAN;
    for (uint64_t i = 0; i < runs; i++)
        if (is_in(x, counts, i)) y[out->count++] = (pn_ranked){x[i], i};
    if (out->count == 0) return;
    pn_sort_ranked(out->count, y, room + runs);
    out->minimum = y[0].value;
    out->maximum = y[out->count - 1].value;
    find_moments(runs, x, counts, out);
    for (int i = 0; i < PINION_SWEEP_QUANTILES; i++) out->quantile[i] = quantile(y, out->count, probabilities[i]);
    count_bins(y, out->count, out);
}

pinion_status pinion_sweep_summarize(uint64_t runs, const double *x, const unsigned char *counts,
                                     pinion_sweep_summary *out)
{
    if (!x || !out) return PINION_ERR_ARGUMENT;
    pn_ranked *room = malloc((2 * (size_t)runs + 1) * sizeof *room);
    if (!room) return PINION_ERR_MEMORY;
    pn_summarize(runs, x, counts, room, out);
    free(room);
    return PINION_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Two numbers */

void pn_find_ranks(uint64_t runs, const double *x, const unsigned char *in, pn_ranked *room, double *rank)
{
    pn_ranked *r = room;
    uint64_t count = 0;
    for (uint64_t i = 0; i < runs; i++) {
        rank[i] = 0;
        if (in[i]) r[count++] = (pn_ranked){x[i], i};
    }
    pn_sort_ranked(count, r, room + runs);
    for (uint64_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && r[end].value == r[i].value;) end++;
        for (uint64_t k = i; k < end; k++) rank[r[k].run] = 0.5 * ((double)i + (double)(end - 1));
    }
}

double pn_correlation(uint64_t runs, const double *a, const double *b, const unsigned char *in)
{
    double xy = 0, xx = 0, yy = 0;
    uint64_t count = 0;
    for (uint64_t i = 0; i < runs; i++) count += in[i] != 0;
    const double mean = 0.5 * ((double)count - 1);
    for (uint64_t i = 0; i < runs; i++) {
        if (!in[i]) continue;
        const double x = a[i] - mean, y = b[i] - mean;
        xy += x * y;
        xx += x * x;
        yy += y * y;
    }
    return count > 2 && xx > 0 && yy > 0 ? xy / sqrt(xx) / sqrt(yy) : NAN;
}

pinion_status pinion_sweep_rank_correlation(uint64_t runs, const double *x, const double *y,
                                            const unsigned char *counts, double *out)
{
    if (!x || !y || !out) return PINION_ERR_ARGUMENT;
    const size_t n = (size_t)(runs ? runs : 1);
    double *rank = malloc(2 * n * sizeof *rank);
    pn_ranked *room = malloc(2 * n * sizeof *room);
    unsigned char *in = malloc(n);
    const int fine = rank && room && in;
    *out = NAN;
    for (uint64_t i = 0; fine && i < runs; i++) in[i] = is_in(x, counts, i) && isfinite(y[i]);
    if (fine) {
        pn_find_ranks(runs, x, in, room, rank);
        pn_find_ranks(runs, y, in, room, rank + n);
        *out = pn_correlation(runs, rank, rank + n, in);
    }
    free(rank);
    free(room);
    free(in);
    return fine ? PINION_OK : PINION_ERR_MEMORY;
}

/* ------------------------------------------------------------------------------------------------
 * Indices: runs A, B, and A with B's value of parameter i, in groups.
 * S_i = E[f_B (f_i - f_A)] / V, T_i = E[(f_A - f_i)^2] / (2 V), V that of f_A and f_B together. */

static int group_counts(const double *x, const unsigned char *counts, uint64_t first, int size)
{
    for (int i = 0; i < size; i++)
        if (!is_in(x, counts, first + (uint64_t)i)) return 0;
    return 1;
}

/* The sum over groups of what one says of parameter i: 0: f_B (f_i - f_A), 1: (f_A - f_i)^2 / 2, 2: their
 * part of V. */
static double part_of(const double *f, int i, int what, double mean)
{
    const double a = f[0] - mean, b = f[1] - mean, c = f[2 + i] - mean;
    return what == 0 ? b * (c - a) : what == 1 ? 0.5 * (a - c) * (a - c) : 0.5 * (a * a + b * b);
}

/* A ratio of two means over the groups, and its standard error: that of (u - ratio v) / mean of v. */
static void find_ratio(uint64_t runs, const double *x, const unsigned char *counts, int size, int i, int what,
                       double mean, uint64_t groups, double *ratio, double *error)
{
    const double n = (double)groups;
    double u = 0, v = 0, squares = 0;
    for (uint64_t at = 0; at + (uint64_t)size <= runs; at += (uint64_t)size)
        if (group_counts(x, counts, at, size)) {
            u += part_of(x + at, i, what, mean) / n;
            v += part_of(x + at, i, 2, mean) / n;
        }
    *ratio = v > 0 ? u / v : NAN;
    for (uint64_t at = 0; at + (uint64_t)size <= runs; at += (uint64_t)size)
        if (group_counts(x, counts, at, size)) {
            const double d = (part_of(x + at, i, what, mean) - *ratio * part_of(x + at, i, 2, mean)) / v;
            squares += d * d;
        }
    *error = groups > 1 && v > 0 ? sqrt(squares / (n - 1) / n) : NAN;
}

pinion_status pinion_sweep_indices(uint64_t runs, const double *x, const unsigned char *counts,
                                   int parameters, double *first, double *first_error, double *total,
                                   double *total_error, uint64_t *groups)
{
    if (!x || !first || !first_error || !total || !total_error || parameters < 1) return PINION_ERR_ARGUMENT;
    const int size = parameters + 2;
    uint64_t found = 0;
    double mean = 0;
    for (uint64_t at = 0; at + (uint64_t)size <= runs; at += (uint64_t)size)
        if (group_counts(x, counts, at, size)) found++;
    for (uint64_t at = 0; at + (uint64_t)size <= runs; at += (uint64_t)size)
        if (group_counts(x, counts, at, size)) mean += 0.5 * (x[at] + x[at + 1]) / (double)found;
    for (int i = 0; i < parameters; i++) {
        find_ratio(runs, x, counts, size, i, 0, mean, found, &first[i], &first_error[i]);
        find_ratio(runs, x, counts, size, i, 1, mean, found, &total[i], &total_error[i]);
    }
    if (groups) *groups = found;
    return PINION_OK;
}

/* ------------------------------------------------------------------------------------------------ */

pinion_status pinion_sweep_probability(uint64_t runs, uint64_t events, double confidence, double interval[2])
{
    if (!interval || events > runs || !(confidence > 0 && confidence < 1)) return PINION_ERR_ARGUMENT;
    interval[0] = 0;
    interval[1] = 1;
    if (runs == 0) return PINION_OK;
    const double tail = 0.5 * (1 - confidence), z = pn_normal_quantile(1 - tail, tail), n = (double)runs,
                 p = (double)events / n, middle = (p + z * z / (2 * n)) / (1 + z * z / n),
                 half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    if (events > 0) interval[0] = fmax(middle - half, 0);
    if (events < runs) interval[1] = fmin(middle + half, 1);
    return PINION_OK;
}
