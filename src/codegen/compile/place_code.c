/* Where the pages of generated functions lie.
 *
 * Some processors' nearest cache for instructions (seen on a Zen 5) does not hold the same line of two pages at once
 * whose addresses in the machine's memory are alike in a way of its own; of pages taken at random one pair in 440 is.
 * A function of ten pages has 45 pairs, and if one of them is such, it fetches these pages anew in each call, which
 * takes up to 2.4 times as long. Nobody can ask for other pages, or say which are alike. So the object is loaded
 * several times, from copies of its file, and each function is called where it took the least time. All have the same
 * bytes, and so the same results. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif

#include "base/file.h"
#include "base/random.h"
#include "codegen/compile/compiled.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "api/api.h"

/* functions of fewer operations have two or three pages */
#define SMALL 600.0
/* another place must be faster by that: less may be noise */
#define FASTER 0.95
/* a group of calls takes so many nanoseconds or more, and so many groups count in each place */
#define GROUP 10000.0
enum { ROUNDS = 8, CALLS_MOST = 4096, PACKS = 4 };

/* ---- the copies ---- */

/* the file's bytes in memory, as a file of their own; -1: that cannot be had */
static int copy_in_memory(int from)
{
    int to = -1;
#ifdef __linux__
    to = memfd_create("pinion-generated", MFD_CLOEXEC);
#endif
    char part[16384];
    long n = -1;
    int fine = to >= 0 && lseek(from, 0, SEEK_SET) == 0;
    while (fine && (n = pn_file_read_some(from, part, sizeof part)) > 0)
        fine = pn_file_write_all(to, part, (size_t)n) == 0;
    if (fine && n == 0) return to;
    if (to >= 0) close(to);
    return -1;
}

int pn_place_load(int file, const char *path, pn_place *p)
{
    char open_file[40];
    snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", file);
    p->library = dlopen(file >= 0 ? open_file : path, RTLD_NOW | RTLD_LOCAL);
    p->file = file + 1;
    const pn_table *table = p->library ? dlsym(p->library, PN_TABLE_NAME) : NULL;
    if (table) p->table = *table;
    return table != NULL;
}

void pn_place_unload(pn_place *p)
{
    if (p->library) dlclose(p->library);
    if (p->file > 0) close(p->file - 1);
    p->library = NULL;
    p->file = 0;
}

static int matters(const pn_function *f)
{
    const pinion_operations *o = &f->operations;
    return o->mul + o->add + o->div + o->sqrt + o->trig >= SMALL;
}

void pn_places_add(pinion_compiled *c, int file)
{
    int any = 0;
    for (int i = 0; i < c->code->functions; i++) any |= matters(&c->code->function[i]);
    for (int k = 1; any && k < PN_PLACES; k++) {
        const int copy = copy_in_memory(file);
        if (copy < 0) return;
        if (!pn_place_load(copy, NULL, &c->place[k])) {
            pn_place_unload(&c->place[k]);
            return;
        }
        c->places = k + 1;
    }
}

/* ---- the fastest ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* nanoseconds of so many calls, after some that are not counted */
static double group(int which, int calls, void (*run)(void *user, int which, int calls), void *user)
{
    run(user, which, 3);
    const double begin = now();
    run(user, which, calls);
    return now() - begin;
}

int pn_fastest(int count, void (*run)(void *user, int which, int calls), void *user)
{
    double least[PN_PLACES] = {0};
    int calls = 1, best = 0;
    while (calls < CALLS_MOST && group(0, calls, run, user) < GROUP) calls *= 2;
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < count; k++) {
            const double time = group(k, calls, run, user);
            if (round == 0 || time < least[k]) least[k] = time;
        }
    for (int k = 1; k < count; k++)
        if (least[k] < least[best]) best = k;
    return least[best] < FASTER * least[0] ? best : 0;
}

/* ---- each function ---- */

/* One function over one scalar in each place, through the API, whose own code is in that cache, too: a state, or some
 * packs of a batch. */
typedef struct trial {
    const pinion_model *m;
    const pinion_compiled *c;
    pinion_work *work;
    pinion_work_f32 *work_f32;
    pinion_batch *batch;
    pn_shortcuts shortcuts[PN_PLACES];
    pn_shortcut *list[PN_PLACES];
    size_t width[PN_SHORTCUT_INPUTS];
    double *state; /* all inputs, one behind the other */
    void *room;    /* what is read and written, in the scalar */
    const void *in[PN_SHORTCUT_INPUTS];
    void *out[PN_SHORTCUT_OUTPUTS];
    int over, function;
} trial;

/* the arguments of the API's calls by number, in double and single precision */
#define ARGUMENTS(t, f)                                                                                      \
    {                                                                                                        \
        (t)->in[0], (t)->in[1], (t)->in[2], (t)->in[3], (t)->in[4], (f)->call.frame,                         \
            (pinion_reference)(f)->call.reference, (f)->call.option,                                         \
        {                                                                                                    \
            (t)->out[0], (t)->out[1], (t)->out[2], (t)->out[3], (t)->out[4], (t)->out[5]                     \
        }                                                                                                    \
    }

static pinion_status call_f64(const trial *t, const pn_function *f, size_t count, int calls)
{
    const pinion_quantity_call x = ARGUMENTS(t, f);
    const int quantity = (int)(f->target - pn_calls);
    pinion_status status = PINION_OK;
    for (int k = 0; k < calls && status == PINION_OK; k++)
        status = t->over == PN_OVER_F64 ? pinion_quantity_run(t->m, t->work, quantity, &x)
                                        : pinion_batch_quantity_run(t->batch, count, quantity, &x);
    return status;
}

static pinion_status call_f32(const trial *t, const pn_function *f, size_t count, int calls)
{
    const pinion_quantity_call_f32 x = ARGUMENTS(t, f);
    const int quantity = (int)(f->target - pn_calls);
    pinion_status status = PINION_OK;
    for (int k = 0; k < calls && status == PINION_OK; k++)
        status = t->over == PN_OVER_F32 ? pinion_quantity_run_f32(t->m, t->work_f32, quantity, &x)
                                        : pinion_batch_quantity_run_f32(t->batch, count, quantity, &x);
    return status;
}

static int is_single(int over)
{
    return over == PN_OVER_F32 || over == PN_OVER_F32_PACK;
}

static void run(void *user, int place, int calls)
{
    const trial *t = user;
    const pn_function *f = &t->c->code->function[t->function];
    const pn_shortcuts *here = &t->shortcuts[place];
    const size_t count = (size_t)here->lanes[t->over] * PACKS;
    pinion_status status = pn_batch_use(t->batch, here);
    if (status == PINION_OK) status = pn_work_use_f64(t->work, here);
    if (status == PINION_OK) status = pn_work_use_f32(t->work_f32, here);
    /* what a state has no result for takes no less time */
    if (status == PINION_OK) status = is_single(t->over) ? call_f32(t, f, count, calls) : call_f64(t, f, count, calls);
    (void)status;
}

/* the same state in every lane, and room for the results behind it */
static void take_arguments(trial *t)
{
    const pn_function *f = &t->c->code->function[t->function];
    const size_t lanes = (size_t)t->shortcuts[0].lanes[t->over];
    const size_t reals = t->over == PN_OVER_F64 || t->over == PN_OVER_F32 ? 1 : lanes * PACKS;
    const double *x = t->state;
    char *at = pn_align(t->room);
    for (int i = 0; i < PN_SHORTCUT_INPUTS; x += t->width[i++]) {
        t->in[i] = f->call.in >> i & 1 ? at : NULL;
        for (size_t k = 0; t->in[i] && k < t->width[i] * reals; k++) {
            const double number = x[k / lanes % t->width[i]];
            if (is_single(t->over))
                ((float *)at)[k] = (float)number;
            else
                ((double *)at)[k] = number;
        }
        if (t->in[i]) at += (t->width[i] * reals * (is_single(t->over) ? 4 : 8) + 63) / 64 * 64;
    }
    for (int o = 0; o < PN_SHORTCUT_OUTPUTS; o++) {
        t->out[o] = f->out[o].name ? at : NULL;
        if (t->out[o]) at += (f->out[o].count * reals * (is_single(t->over) ? 4 : 8) + 63) / 64 * 64;
    }
}

/* a state of the model, and in each place the calls that are answered there */
static int begin(trial *t, pinion_compiled *c)
{
    size_t inputs = 0, results = 0;
    uint64_t seed = 9;
    for (int i = 0; i < PN_SHORTCUT_INPUTS; i++) inputs += t->width[i];
    for (int i = 0; i < c->code->functions; i++) {
        size_t own = 0;
        for (int o = 0; o < PN_SHORTCUT_OUTPUTS; o++)
            own += c->code->function[i].out[o].name ? c->code->function[i].out[o].count : 0;
        if (own > results) results = own;
    }
    t->work = pinion_work_new(t->m);
    t->work_f32 = pinion_work_f32_new(t->m);
    t->batch = pinion_batch_new(t->m, 1);
    t->state = calloc(inputs + 1, sizeof *t->state);
    t->room = calloc(inputs + results + PN_SHORTCUT_INPUTS + PN_SHORTCUT_OUTPUTS + 1, 64 * PACKS);
    if (!t->work || !t->work_f32 || !t->batch || !t->state || !t->room) return 0;
    if (pinion_batch_set_layout(t->batch, PINION_LAYOUT_PACKS) != PINION_OK) return 0;
    for (size_t k = 0; k < inputs; k++) t->state[k] = (double)(int64_t)pn_random_bits(&seed) * 0x1p-63;
    if (pinion_random(t->m, seed, t->state) != PINION_OK) return 0;
    for (int k = 0; k < c->places; k++) {
        pn_calls_at(c, k);
        if (!pn_list_shortcuts(t->m, c)) return 0;
        t->shortcuts[k] = c->shortcuts;
        t->list[k] = c->list;
        c->list = NULL;
    }
    return 1;
}

static void end(trial *t)
{
    pinion_work_free(t->work);
    pinion_work_f32_free(t->work_f32);
    pinion_batch_free(t->batch);
    free(t->state);
    free(t->room);
    for (int k = 0; k < PN_PLACES; k++) free(t->list[k]);
}

void pn_places_choose(const pinion_model *m, pinion_compiled *c)
{
    const size_t nv = (size_t)m->n.nv;
    trial t = {.m = m, .c = c, .width = {(size_t)m->n.nq, nv, nv, nv, 6 * (size_t)m->n.bodies}};
    int used[PN_PLACES] = {1};
    if (c->places < 2) return;
    const int fine = begin(&t, c);
    pn_calls_at(c, 0);
    for (int i = 0; fine && i < c->code->functions; i++)
        for (t.function = i, t.over = 0; t.over < PN_OVER_COUNT; t.over++) {
            if (!c->place[0].table.lanes[t.over] || !matters(&c->code->function[i])) continue;
            take_arguments(&t);
            const int best = pn_fastest(c->places, run, &t);
            c->call[t.over][i] = c->place[best].table.call[t.over][i];
            used[best] = 1;
        }
    end(&t);
    for (int k = 1; k < c->places; k++)
        if (!used[k]) pn_place_unload(&c->place[k]);
}
