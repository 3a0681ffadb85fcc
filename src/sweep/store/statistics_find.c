/* Statistics of a result, from the numbers in its file: one column at a time, and the ranks of what varies where there
 * is room for them. */
#include "sweep/store/result_statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/statistics/ranks.h"
#include "sweep/store/scratch.h"

#define RANKS_MAX 64e6 /* numbers: so many ranks are kept, so that each parameter is sorted once */

typedef struct finder {
    const pinion_sweep *s;
    const pn_layout *l;
    const unsigned char *file;
    uint64_t runs;
    unsigned char *counts, *mask; /* [runs] runs that went well; and those that have the number, too */
    double *x, *y, *rank, *other; /* [runs] */
    pn_ranked *room;              /* [2 runs] */
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

/* The ranks of a parameter among the runs of the mask. */
static const double *parameter_ranks(finder *f, int k)
{
    double *rank = f->kept ? f->kept + (size_t)k * f->runs : f->other;
    if (f->kept && f->has_kept[k]) return rank;
    read_column(f, f->l->parameters[k], f->x);
    pn_find_ranks(f->runs, f->x, f->mask, f->room, rank);
    f->has_kept[k] = 1;
    return rank;
}

static void find_correlations(finder *f, double *out)
{
    const int parameters = f->s->parameter_count;
    if (find_mask(f, f->y)) memset(f->has_kept, 0, (size_t)parameters + 1);
    pn_find_ranks(f->runs, f->y, f->mask, f->room, f->rank);
    for (int k = 0; k < parameters; k++) {
        out[k] = NAN;
        if (f->s->parameters[k].words) continue; /* words have no order */
        out[k] = pn_correlation(f->runs, parameter_ranks(f, k), f->rank, f->mask);
    }
}

static int find_scalar(finder *f, pn_statistics *x, int k)
{
    const int n = x->sampled;
    double *indices = x->indices + (size_t)k * 4 * (size_t)n;
    read_column(f, f->l->scalars[k], f->y);
    pn_summarize(f->runs, f->y, f->counts, f->room, &x->summary[f->s->parameter_count + k]);
    find_correlations(f, x->correlation + (size_t)k * (size_t)f->s->parameter_count);
    return n == 0 || pinion_sweep_indices(f->runs, f->y, f->counts, n, indices, indices + n, indices + 2 * n,
                                          indices + 3 * n, &x->groups[k]) == PINION_OK;
}

static int find_all(finder *f, pn_statistics *x)
{
    for (int k = 0; k < f->s->parameter_count; k++) {
        read_column(f, f->l->parameters[k], f->y);
        pn_summarize(f->runs, f->y, NULL, f->room, &x->summary[k]);
    }
    memset(f->mask, 2, (size_t)f->runs); /* none of a scalar */
    for (int k = 0; k < f->s->kept_count; k++)
        if (!find_scalar(f, x, k)) return 0;
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

/* What grows with the runs. */
static int take_room(finder *f, pn_scratch *scratch, const char *path)
{
    const size_t runs = (size_t)f->runs + 1, parameters = (size_t)f->s->parameter_count,
                 column = runs * sizeof *f->x + 16, bytes = runs + 16, pairs = 2 * runs * sizeof *f->room + 16;
    const int keeps = (double)runs * (double)parameters <= RANKS_MAX;
    const int number = pn_scratch_open(scratch, 2 * bytes + (4 + (keeps ? parameters : 0)) * column + pairs, path);
    if (number) return number;
    f->counts = pn_scratch_take(scratch, runs);
    f->mask = pn_scratch_take(scratch, runs);
    f->x = pn_scratch_take(scratch, runs * sizeof *f->x);
    f->y = pn_scratch_take(scratch, runs * sizeof *f->x);
    f->rank = pn_scratch_take(scratch, runs * sizeof *f->x);
    f->other = pn_scratch_take(scratch, runs * sizeof *f->x);
    f->room = pn_scratch_take(scratch, 2 * runs * sizeof *f->room);
    if (keeps) f->kept = pn_scratch_take(scratch, runs * parameters * sizeof *f->x);
    return 0;
}

int pn_statistics_find(pn_statistics *x, const pinion_sweep *s, const pn_layout *l, const unsigned char *file,
                       const char *path)
{
    *x = (pn_statistics){.runs = l->runs, .sampled = s->indices ? s->dimensions : 0};
    pn_scratch scratch = {0};
    finder f = {.s = s, .l = l, .file = file, .runs = l->runs};
    f.has_kept = calloc((size_t)s->parameter_count + 1, 1);
    int number = f.has_kept && allocate(x, s) ? take_room(&f, &scratch, path) : ENOMEM;
    if (!number) {
        for (int i = 0; i < x->sampled; i++) x->which[i] = s->by_dimension[i];
        for (uint64_t i = 0; i < l->runs; i++) {
            f.counts[i] = file[l->outcome + i] <= PINION_SWEEP_STOPPED;
            x->failed += !f.counts[i];
        }
        number = find_all(&f, x) ? 0 : ENOMEM;
    }
    pn_scratch_close(&scratch);
    free(f.has_kept);
    return number;
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
