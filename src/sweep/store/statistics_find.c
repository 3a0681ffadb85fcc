/* Statistics of a result, from the numbers in its file. One column is in memory at a time, and the ranks of what
 * varies where there is room for them. */
#include "sweep/store/result_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/statistics/ranks.h"

#define RANKS_MAX 64e6 /* numbers: so many ranks are kept, so that each parameter is sorted once */

typedef struct finder {
    const pinion_sweep *s;
    const pn_layout *l;
    const unsigned char *file;
    uint64_t runs;
    unsigned char *counts, *mask; /* [runs] runs that went well; and those that have the number, too */
    double *x, *rank;             /* [runs] */
    double *kept;                 /* [parameters][runs] ranks among `mask`; NULL: no room */
    unsigned char *has_kept;      /* [parameters] */
} finder;

static void read_column(const finder *f, uint64_t at, double *x)
{
    for (uint64_t i = 0; i < f->runs; i++) {
        const unsigned char *b = f->file + at + 8 * i;
        uint64_t bits = 0;
        for (int k = 7; k >= 0; k--) bits = bits << 8 | b[k];
        memcpy(&x[i], &bits, sizeof bits);
    }
}

/* Runs whose number of this scalar counts; nonzero when they are others than those of the scalar before. */
static int find_mask(finder *f, const double *y)
{
    int other = 0;
    for (uint64_t i = 0; i < f->runs; i++) {
        const unsigned char in = f->counts[i] && isfinite(y[i]);
        other = other || in != f->mask[i];
        f->mask[i] = in;
    }
    return other;
}

/* The ranks of a parameter among the runs of the mask; NULL: out of memory. */
static const double *parameter_ranks(finder *f, int k, double *room)
{
    double *rank = f->kept ? f->kept + (size_t)k * f->runs : room;
    if (f->kept && f->has_kept[k]) return rank;
    read_column(f, f->l->parameters[k], f->x);
    if (!pn_find_ranks(f->runs, f->x, f->mask, rank)) return NULL;
    f->has_kept[k] = 1;
    return rank;
}

static int find_correlations(finder *f, const double *y, double *room, double *out)
{
    const int parameters = f->s->parameter_count;
    if (find_mask(f, y)) memset(f->has_kept, 0, (size_t)parameters + 1);
    if (!pn_find_ranks(f->runs, y, f->mask, f->rank)) return 0;
    for (int k = 0; k < parameters; k++) {
        out[k] = NAN;
        if (f->s->parameters[k].words) continue; /* words have no order */
        const double *rank = parameter_ranks(f, k, room);
        if (!rank) return 0;
        out[k] = pn_correlation(f->runs, rank, f->rank, f->mask);
    }
    return 1;
}

static int find_scalar(finder *f, pn_statistics *x, int k, double *y, double *room)
{
    const int n = x->sampled;
    double *indices = x->indices + (size_t)k * 4 * (size_t)n;
    read_column(f, f->l->scalars[k], y);
    if (pinion_sweep_summarize(f->runs, y, f->counts, &x->summary[f->s->parameter_count + k]) != PINION_OK ||
        !find_correlations(f, y, room, x->correlation + (size_t)k * (size_t)f->s->parameter_count))
        return 0;
    return n == 0 || pinion_sweep_indices(f->runs, y, f->counts, n, indices, indices + n, indices + 2 * n,
                                          indices + 3 * n, &x->groups[k]) == PINION_OK;
}

static int find_all(finder *f, pn_statistics *x, double *y, double *room)
{
    for (int k = 0; k < f->s->parameter_count; k++) {
        read_column(f, f->l->parameters[k], y);
        if (pinion_sweep_summarize(f->runs, y, NULL, &x->summary[k]) != PINION_OK) return 0;
    }
    memset(f->mask, 2, (size_t)f->runs); /* none of a scalar */
    for (int k = 0; k < f->s->kept_count; k++)
        if (!find_scalar(f, x, k, y, room)) return 0;
    return pinion_sweep_probability(x->runs, x->failed, PN_CONFIDENCE, x->failure) == PINION_OK;
}

static int allocate(pn_statistics *x, const pinion_sweep *s)
{
    const size_t parameters = (size_t)s->parameter_count, scalars = (size_t)s->kept_count, n = (size_t)x->sampled;
    x->summary = calloc(parameters + scalars + 1, sizeof *x->summary);
    x->correlation = calloc(parameters * scalars + 1, sizeof *x->correlation);
    x->which = calloc(n + 1, sizeof *x->which);
    x->indices = calloc(4 * n * scalars + 1, sizeof *x->indices);
    x->groups = calloc(scalars + 1, sizeof *x->groups);
    return x->summary && x->correlation && x->which && x->indices && x->groups;
}

int pn_statistics_find(pn_statistics *x, const pinion_sweep *s, const pn_layout *l, const unsigned char *file)
{
    *x = (pn_statistics){.runs = l->runs, .sampled = s->indices ? s->dimensions : 0};
    const size_t runs = (size_t)l->runs + 1, parameters = (size_t)s->parameter_count;
    finder f = {.s = s, .l = l, .file = file, .runs = l->runs};
    f.counts = malloc(runs);
    f.mask = malloc(runs);
    f.has_kept = calloc(parameters + 1, 1);
    f.x = malloc(4 * runs * sizeof *f.x);
    double *y = f.x ? f.x + runs : NULL, *room = f.x ? y + runs : NULL;
    f.rank = f.x ? room + runs : NULL;
    if ((double)runs * (double)parameters <= RANKS_MAX) f.kept = malloc((runs * parameters + 1) * sizeof *f.kept);
    int fine = allocate(x, s) && f.counts && f.mask && f.has_kept && f.x;
    if (fine) {
        for (int i = 0; i < x->sampled; i++) x->which[i] = s->by_dimension[i];
        for (uint64_t i = 0; i < l->runs; i++) {
            f.counts[i] = file[l->outcome + i] <= PINION_SWEEP_STOPPED;
            x->failed += !f.counts[i];
        }
        fine = find_all(&f, x, y, room);
    }
    free(f.counts);
    free(f.mask);
    free(f.has_kept);
    free(f.x);
    free(f.kept);
    return fine;
}

void pn_statistics_free(pn_statistics *x)
{
    free(x->summary);
    free(x->correlation);
    free(x->which);
    free(x->indices);
    free(x->groups);
    *x = (pn_statistics){0};
}
