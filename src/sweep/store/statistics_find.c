/* Statistics of a result, from the numbers in its file: one column at a time a thread, and the ranks of what varies
 * where there is room for them. */
#include "sweep/store/result_statistics.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/statistics/ranks.h"
#include "sweep/store/crew.h"
#include "sweep/store/scratch.h"

#define RANKS_MAX 64e6 /* numbers: so many ranks are kept, so that a thread sorts each parameter once */
#define ROOM 256e6     /* bytes that threads beside the first may take, about */
#define A_RUN 66.0     /* bytes that one of them takes for a run, but for ranks that are kept */

typedef struct finder {
    const pinion_sweep *s;
    const pn_layout *l;
    const unsigned char *file;
    uint64_t runs;
    int threads;                  /* how many there are of these */
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
    const int keeps = (double)runs * (double)parameters * f->threads <= RANKS_MAX;
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

/* What the threads share. */
typedef struct finding {
    const pinion_sweep *s;
    const pn_layout *l;
    const unsigned char *file;
    const char *path;
    pn_statistics *x;
    int threads;
    atomic_int seat, next, done, number; /* threads, numbers that are taken and found; what went wrong */
} finding;

static void find_numbers(finder *f, finding *all)
{
    const int parameters = f->s->parameter_count, count = parameters + f->s->kept_count;
    for (uint64_t i = 0; i < f->runs; i++) f->counts[i] = f->file[f->l->outcome + i] <= PINION_SWEEP_STOPPED;
    memset(f->mask, 2, (size_t)f->runs); /* none of a scalar */
    for (int k; (k = atomic_fetch_add(&all->next, 1)) < count; all->done++) {
        if (k < parameters) {
            read_column(f, f->l->parameters[k], f->y);
            pn_summarize(f->runs, f->y, NULL, f->room, &all->x->summary[k]);
        } else if (!find_scalar(f, all->x, k - parameters)) {
            all->number = ENOMEM;
            return;
        }
    }
}

/* A thread that has no room leaves its part to the others. */
static void find_some(void *shared)
{
    finding *all = shared;
    finder f = {.s = all->s, .l = all->l, .file = all->file, .runs = all->l->runs, .threads = all->threads};
    pn_scratch scratch = {0};
    char path[4300];
    snprintf(path, sizeof path, "%.4200s.%d", all->path, atomic_fetch_add(&all->seat, 1));
    f.has_kept = calloc((size_t)f.s->parameter_count + 1, 1);
    const int number = f.has_kept ? take_room(&f, &scratch, path) : ENOMEM;
    if (number)
        all->number = number;
    else
        find_numbers(&f, all);
    pn_scratch_close(&scratch);
    free(f.has_kept);
}

/* As many as there are numbers for, and room. */
static int threads_for(const finding *all, int threads)
{
    const double room = 1 + ROOM / (A_RUN * ((double)all->l->runs + 1));
    const int count = all->s->parameter_count + all->s->kept_count;
    if (threads > count) threads = count > 0 ? count : 1;
    return threads > room ? (int)room : threads;
}

int pn_statistics_find(pn_statistics *x, const pinion_sweep *s, const pn_layout *l, const unsigned char *file,
                       const char *path, int threads)
{
    *x = (pn_statistics){.runs = l->runs, .sampled = s->indices ? s->dimensions : 0};
    finding all = {.s = s, .l = l, .file = file, .path = path, .x = x};
    if (!allocate(x, s)) return ENOMEM;
    for (int i = 0; i < x->sampled; i++) x->which[i] = s->by_dimension[i];
    for (uint64_t i = 0; i < l->runs; i++) x->failed += file[l->outcome + i] > PINION_SWEEP_STOPPED;
    all.threads = threads_for(&all, threads);
    pn_crew_work(all.threads, find_some, &all);
    if (all.done < s->parameter_count + s->kept_count) return all.number;
    return pinion_sweep_probability(x->runs, x->failed, PN_CONFIDENCE, x->failure) == PINION_OK ? 0 : ENOMEM;
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
