#include "sweep/store/stopping.h"

#include <math.h>
#include <stdlib.h>

#include "sweep/sample/distribution.h"

/* What a look needs of the runs. */
typedef struct looked {
    const double *x; /* the scalar of a run every `stride` numbers */
    size_t stride;
    const unsigned char *outcome;
} looked;

uint64_t pinion_sweep_next_look(const pinion_sweep *s, uint64_t n)
{
    const uint64_t all = pinion_sweep_count(s);
    if (!s || !s->stop.every || n >= all) return all;
    const uint64_t more = n / 4 > s->stop.every ? n / 4 : s->stop.every;
    return all - n < more ? all : n + more;
}

/* Half the width of the interval of the mean, and the mean, of numbers that count; INFINITY below two. */
static double mean_half(const looked *l, uint64_t n, double z, double *mean)
{
    double sum = 0, squares = 0;
    uint64_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < n; i++) {
            const double x = l->x[i * l->stride];
            if (l->outcome[i] > PINION_SWEEP_STOPPED || !isfinite(x)) continue;
            if (pass)
                squares += (x - *mean) * (x - *mean);
            else
                sum += x, count++;
        }
        *mean = count ? sum / (double)count : 0;
    }
    return count > 1 ? z * sqrt(squares / ((double)count - 1) / (double)count) : INFINITY;
}

static int is_enough(const pn_plan_stop *stop, const looked *l, uint64_t n)
{
    double middle = 0, half = INFINITY;
    if (stop->scalar >= 0) {
        const double tail = 0.5 * (1 - stop->confidence);
        half = mean_half(l, n, pn_normal_quantile(1 - tail, tail), &middle);
    } else {
        double interval[2];
        uint64_t failed = 0;
        for (uint64_t i = 0; i < n; i++) failed += l->outcome[i] > PINION_SWEEP_STOPPED;
        if (pinion_sweep_probability(n, failed, stop->confidence, interval) != PINION_OK) return 0;
        half = 0.5 * (interval[1] - interval[0]);
        middle = n ? (double)failed / (double)n : 0;
    }
    return half <= (stop->relative ? stop->within * fabs(middle) : stop->within);
}

int pinion_sweep_enough(const pinion_sweep *s, uint64_t n, const unsigned char *outcome, const double *scalars)
{
    if (!s || !s->stop.every || !outcome || (s->stop.scalar >= 0 && !scalars)) return 0;
    const looked l = {s->stop.scalar >= 0 ? scalars + s->stop.scalar : NULL, (size_t)s->kept_count, outcome};
    return is_enough(&s->stop, &l, n);
}

/* ------------------------------------------------------------------------------------------------
 * From journals */

/* The first n runs in new memory; 0: out of memory. */
static int read(const pinion_sweep *s, uint64_t n, int count, pn_journal_reader *journals, double **x,
                unsigned char **outcome)
{
    pinion_sweep_record record;
    *x = calloc((size_t)n + 1, sizeof **x);
    *outcome = calloc((size_t)n + 1, 1);
    int more = *x && *outcome ? 0 : -1;
    for (int i = 0; i < count && more >= 0; i++) {
        pn_journal_rewind(&journals[i]);
        while ((more = pn_journal_next(&journals[i], &record)) > 0) {
            if (record.run >= n) continue;
            (*outcome)[record.run] = (unsigned char)record.outcome;
            if (s->stop.scalar >= 0) (*x)[record.run] = record.scalars[s->stop.scalar];
        }
    }
    return more >= 0;
}

int pn_stop_enough(const pinion_sweep *s, uint64_t n, int count, pn_journal_reader *journals)
{
    double *x;
    unsigned char *outcome;
    const int fine = read(s, n, count, journals, &x, &outcome);
    const looked l = {x, 1, outcome};
    const int enough = fine ? is_enough(&s->stop, &l, n) : -1;
    free(x);
    free(outcome);
    return enough;
}

uint64_t pn_stop_find(const pinion_sweep *s, int count, pn_journal_reader *journals)
{
    const uint64_t all = pinion_sweep_count(s);
    double *x;
    unsigned char *outcome;
    const int fine = read(s, all, count, journals, &x, &outcome);
    const looked l = {x, 1, outcome};
    uint64_t n = fine ? pinion_sweep_next_look(s, 0) : 0;
    while (fine && n < all && !is_enough(&s->stop, &l, n)) n = pinion_sweep_next_look(s, n);
    free(x);
    free(outcome);
    return n;
}
