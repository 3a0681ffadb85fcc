/* pinion bench: timing everything on a sheet, in turns. */
#define _POSIX_C_SOURCE 200809L
#include "cli/bench/bench.h"
#include "pinion/research/global.h"

#include <stdlib.h>
#include <string.h>

#define BATCH_MIN 64    /* states of a batch, where more would take long */
#define BATCH_TIME 2e-2 /* s, what is long, by the time of single calls */
#define BATCH_LEAST 16  /* states, where they would take very long */
#define BATCH_LONG 1.0  /* s, what is very long; if even the least take longer, it is left out */
#define FIRST_LONG 1e-5 /* s: a first call that takes longer is run again ... */
#define FIRST_AGAIN 0.1 /* ... unless that would take long */
#define BATCH_BYTES ((size_t)64 << 20)   /* of the results of a batch, where fewer states would do */
#define RESULT_BYTES ((size_t)256 << 20) /* of a result, beyond which nothing is timed */

const bench_mode_def pn_cli_bench_modes[MODE_COUNT] = {
    [MODE_CALL_F64] = {"call", "f64", {"call", "f64"}, .single = 1},
    [MODE_CALL_F32] = {"call", "f32", {"call", "f32"}, .single = 1},
    [MODE_BATCH_F64] = {"batch", "f64", {"batch", "f64"}, .layout = PINION_LAYOUT_ROWS},
    [MODE_BATCH_F32] = {"batch", "f32", {"batch", "f32"}, .layout = PINION_LAYOUT_ROWS},
    [MODE_COLUMNS_F64] = {"batch-columns", "f64", {"columns", "f64"}, .layout = PINION_LAYOUT_COLUMNS},
    [MODE_COLUMNS_F32] = {"batch-columns", "f32", {"columns", "f32"}, .layout = PINION_LAYOUT_COLUMNS},
    [MODE_PACKS_F64] = {"batch-packs", "f64", {"packs", "f64"}, .layout = PINION_LAYOUT_PACKS},
    [MODE_PACKS_F32] = {"batch-packs", "f32", {"packs", "f32"}, .layout = PINION_LAYOUT_PACKS},
    [MODE_GENERATED_F64] = {"generated", "f64", {"generated", "f64"}, .single = 1, .generated = 1},
    [MODE_GENERATED_F32] = {"generated", "f32", {"generated", "f32"}, .single = 1, .generated = 1},
    [MODE_GENERATED_BATCH_F64] = {"generated-batch", "f64", {"gen. batch", "f64"}, .generated = 1},
    [MODE_GENERATED_BATCH_F32] = {"generated-batch", "f32", {"gen. batch", "f32"}, .generated = 1},
    [MODE_GENERATED_PACKS_F64] =
        {"generated-packs", "f64", {"gen. packs", "f64"}, .generated = 1, .layout = PINION_LAYOUT_PACKS},
    [MODE_GENERATED_PACKS_F32] =
        {"generated-packs", "f32", {"gen. packs", "f32"}, .generated = 1, .layout = PINION_LAYOUT_PACKS},
    [MODE_THREADS_F64] = {"batch", "f64", {"threads", "f64"}, .many = 1},
    [MODE_THREADS_F32] = {"batch", "f32", {"threads", "f32"}, .many = 1},
};

static int in_f32(bench_mode mode)
{
    return strcmp(pn_cli_bench_modes[mode].scalar, "f32") == 0;
}

/* One way to run one item. */
typedef struct bench_run {
    const bench_bed *bed;
    bench_item *item;
    bench_mode mode;
    bench_f64 x;
    bench_f32 y;
    size_t at;            /* of the states */
    pinion_status status; /* the first failure */
    int threads;          /* that the last call used */
    double sum;           /* of a number of every result, so that none can be left out */
} bench_run;

/* ------------------------------------------------------------------------------------------------ */
/* What is run */

/* Keeps what the first failing call objected to. */
static void note(bench_run *r, pinion_status status)
{
    const int single = pn_cli_bench_modes[r->mode].single;
    const char *message = !single          ? pinion_batch_message(r->x.b)
                          : in_f32(r->mode) ? pinion_work_f32_message(r->y.w)
                                            : pinion_work_message(r->x.w);
    bench_time *t = &r->item->time[r->mode];
    if (r->status != PINION_OK) return;
    r->status = status;
    if (!*message) message = pinion_status_text(status);
    message = pn_cli_bench_without_name(message, r->item->name);
    /* messages of batches name the state themselves, and to be refused has nothing to do with it */
    if (single && status != PINION_ERR_UNSUPPORTED)
        snprintf(t->why, sizeof t->why, "state %zu: %.150s", r->at, message);
    else
        snprintf(t->why, sizeof t->why, "%.190s", message);
}

static void run_f64(void *user)
{
    bench_run *r = user;
    const size_t s = r->at, nq = (size_t)r->bed->nq, nv = (size_t)r->bed->nv;
    const bench_arrays *rows = &r->bed->rows;
    r->x.q = rows->q + s * nq;
    r->x.near = rows->near + s * nq;
    r->x.v = rows->v + s * nv;
    r->x.a = rows->a + s * nv;
    r->x.tau = rows->tau + s * nv;
    r->x.target = r->bed->target + s;
    r->x.call.q = r->x.q;
    r->x.call.v = r->x.v;
    r->x.call.a = r->x.a;
    r->x.call.tau = r->x.tau;
    const pinion_status status = r->item->call->f64(&r->x);
    if (status != PINION_OK) note(r, status);
    r->sum += r->x.out[0];
    r->at = s + 1 < r->bed->states ? s + 1 : 0;
}

static void run_f32(void *user)
{
    bench_run *r = user;
    const size_t s = r->at, nq = (size_t)r->bed->nq, nv = (size_t)r->bed->nv;
    const bench_arrays *rows = &r->bed->rows;
    r->y.q = rows->q32 + s * nq;
    r->y.near = rows->near32 + s * nq;
    r->y.v = rows->v32 + s * nv;
    r->y.a = rows->a32 + s * nv;
    r->y.tau = rows->tau32 + s * nv;
    r->y.call.q = r->y.q;
    r->y.call.v = r->y.v;
    r->y.call.a = r->y.a;
    r->y.call.tau = r->y.tau;
    const pinion_status status = r->item->call->f32(&r->y);
    if (status != PINION_OK) note(r, status);
    r->sum += (double)r->y.out[0];
    r->at = s + 1 < r->bed->states ? s + 1 : 0;
}

static void run_batch_f64(void *user)
{
    bench_run *r = user;
    const pinion_status status = r->item->call->batch_f64(&r->x);
    if (status != PINION_OK) note(r, status);
    r->threads = pinion_batch_threads_used(r->x.b);
    r->sum += r->x.out[0];
}

static void run_batch_f32(void *user)
{
    bench_run *r = user;
    const pinion_status status = r->item->call->batch_f32(&r->y);
    if (status != PINION_OK) note(r, status);
    r->threads = pinion_batch_threads_used(r->y.b);
    r->sum += (double)r->y.out[0];
}

/* ------------------------------------------------------------------------------------------------ */
/* Preparing */

/* How many numbers factors have at most. */
static size_t factors_size(const pinion_model *m)
{
    return 2 * (size_t)pinion_model_nv(m) * (size_t)pinion_model_nv(m);
}

/* How many numbers a call gives for one state. */
static size_t result_size(const pinion_model *m, const bench_item *item)
{
    const bench_result kind = item->call->result;
    const size_t nv = (size_t)pinion_model_nv(m), nq = (size_t)pinion_model_nq(m),
                 frames = (size_t)pinion_model_frame_count(m), rows = (size_t)pinion_model_row_count(m),
                 bodies = (size_t)pinion_model_body_count(m), loops = (size_t)pinion_model_loop_count(m),
                 loop_nq = (size_t)pinion_model_loop_nq(m);
    pinion_global_size global;
    size_t sum = 0;
    switch (kind) {
    case RESULT_QUANTITY:
        for (int o = 0; o < PINION_QUANTITY_OUTPUTS; o++) sum += pinion_quantity_size(m, item->quantity, o, NULL);
        return sum;
    case RESULT_2: return 2;
    case RESULT_6: return 6;
    case RESULT_NQ: return nq;
    case RESULT_NV: return nv;
    case RESULT_STATE: return nq + nv;
    case RESULT_NV_NV: return nv * nv;
    case RESULT_3_NV_NV: return 3 * nv * nv;
    case RESULT_6_NV: return 6 * nv;
    case RESULT_FRAMES: return 12 * frames;
    case RESULT_TERMS: return nv * nv + 8 * nv + 12 * frames;
    case RESULT_SPACE: return 84 + 6 * nv;
    case RESULT_FACTORS: return factors_size(m);
    case RESULT_LOOPS: return rows * (rows + nv + 3) + 6 * (bodies + loops) + 2 * loop_nq + nq + 2 * nv + 6;
    case RESULT_HELD: return 3 * nv * (nv + rows + 6);
    case RESULT_STEP: return 6 * nv * nv;
    case RESULT_TWICE: return nq + 3 * nv;
    case RESULT_GLOBAL:
        if (pinion_global_count(m, &global) != PINION_OK) return 1;
        return (size_t)global.entries + (size_t)global.unknowns + 7 * nv;
    }
    return 0;
}

/* Why an item cannot run on this bed; NULL when it can. */
static const char *obstacle(const bench_bed *bed, const bench_item *item)
{
    const bench_needs needs = item->call->needs;
    size_t numbers = result_size(bed->m, item);
    if (needs == NEEDS_FACTORS) numbers += factors_size(bed->m);
    if (needs == NEEDS_SPARSE && !bed->sparse)
        return bed->sparse_why[0] ? bed->sparse_why : "no memory for the sparse solver";
    if (needs == NEEDS_CONTACT && !bed->scene) return "nothing touches at the model's start, with a ground at z = 0";
    if (numbers > RESULT_BYTES / sizeof(double)) return "its result takes more than 256 MiB";
    return NULL;
}

/* Leaves out what cannot run. */
static void leave_out(const bench_bed *bed, bench_sheet *s)
{
    for (int i = 0; i < s->count; i++) {
        const char *why = s->item[i].why[0] ? NULL : obstacle(bed, &s->item[i]);
        if (why) snprintf(s->item[i].why, sizeof s->item[i].why, "%s", why);
    }
}

/* Says why there is no generated code. */
static void leave_generated_out(bench_sheet *s, const pinion_error *err)
{
    for (int i = 0; i < s->count; i++)
        for (int mode = 0; mode < MODE_COUNT; mode++)
            if (pn_cli_bench_modes[mode].generated && pn_cli_bench_is_generated(&s->item[i]))
                snprintf(s->item[i].time[mode].why, sizeof s->item[i].time[mode].why, "%.190s", err->message);
}

/* The states of a batch: all, unless that takes very long or much memory. */
static size_t batch_states(const bench_bed *bed, const bench_item *item)
{
    const size_t bytes = sizeof(double) * (result_size(bed->m, item) + 1);
    size_t states = bed->states;
    while (states > BATCH_MIN && item->first * (double)states > BATCH_TIME) states /= 2;
    while (states > BATCH_LEAST && item->first * (double)states > BATCH_LONG) states /= 2;
    while (states > 1 && states > BATCH_BYTES / bytes) states /= 2;
    return states;
}

/* The batch of a mode; NULL when there is none. */
static pinion_batch *batch_of(const bench_bed *bed, bench_mode mode)
{
    const bench_mode_def *d = &pn_cli_bench_modes[mode];
    if (d->many) return bed->many;
    if (d->generated) return d->layout == PINION_LAYOUT_PACKS ? bed->quick_packs : bed->quick;
    return d->layout == PINION_LAYOUT_ROWS ? bed->one : bed->other[d->layout];
}

/* The arguments of an item; `out` is filled in later. */
static bench_run prepare(const bench_bed *bed, bench_item *item, bench_mode mode)
{
    const int single = pn_cli_bench_modes[mode].single, generated = pn_cli_bench_modes[mode].generated;
    const pinion_layout layout = pn_cli_bench_modes[mode].layout;
    const bench_arrays *from = layout == PINION_LAYOUT_ROWS ? &bed->rows : &bed->laid[layout];
    pinion_batch *b = batch_of(bed, mode);
    bench_run r = {.bed = bed, .item = item, .mode = mode};
    item->time[mode].states = single ? bed->states : batch_states(bed, item);
    const size_t count = single ? 1 : item->time[mode].states;
    r.x = (bench_f64){.m = bed->m,
                      .w = generated ? bed->quick_w : bed->w,
                      .b = b,
                      .count = count,
                      .q = from->q,
                      .v = from->v,
                      .a = from->a,
                      .tau = from->tau,
                      .near = from->near,
                      .frame = bed->frame,
                      .algorithm = item->algorithm,
                      .quantity = item->quantity,
                      .call = {.q = from->q, .v = from->v, .a = from->a, .tau = from->tau, .frame = bed->frame},
                      .sparse = bed->sparse,
                      .scene = bed->scene,
                      .stand = bed->stand};
    r.y = (bench_f32){.m = bed->m,
                      .w = generated ? bed->quick_w32 : bed->w32,
                      .b = b,
                      .count = count,
                      .q = from->q32,
                      .v = from->v32,
                      .a = from->a32,
                      .tau = from->tau32,
                      .near = from->near32,
                      .frame = bed->frame,
                      .algorithm = item->algorithm,
                      .quantity = item->quantity,
                      .call = {.q = from->q32,
                               .v = from->v32,
                               .a = from->a32,
                               .tau = from->tau32,
                               .frame = bed->frame}};
    return r;
}

/* Where the results go: those of a quantity one behind the other. */
static void place_results(bench_run *r, double *out)
{
    r->x.out = out;
    r->y.out = (float *)(void *)out;
    pinion_quantity_info info;
    if (pinion_quantity(r->item->quantity, &info) != PINION_OK) return;
    size_t at = 0, at32 = 0;
    for (int o = 0; o < info.outputs; o++) {
        const size_t size = pinion_quantity_size(r->bed->m, r->item->quantity, o, NULL);
        r->x.call.out[o] = r->x.out + at;
        r->y.call.out[o] = r->y.out + at32;
        at += pinion_batch_array_size(r->x.b, r->x.count, size);
        at32 += pinion_batch_array_size_f32(r->x.b, r->x.count, size);
    }
    if (info.takes_frame && info.inputs & PINION_INPUT_F_EXT) {
        r->x.call.f_ext = r->bed->force;
        r->y.call.f_ext = r->bed->force32;
    }
}

/* Whether an item has this mode on this bed; if only the bed is against it, the item says so. */
static int has_mode(const bench_bed *bed, bench_item *item, bench_mode mode)
{
    const bench_call *c = item->call;
    const int columns = pn_cli_bench_modes[mode].layout == PINION_LAYOUT_COLUMNS;
    bench_time *t = &item->time[mode];
    if (pn_cli_bench_modes[mode].generated && (!bed->generated || !pn_cli_bench_is_generated(item))) return 0;
    if (pn_cli_bench_modes[mode].single) return in_f32(mode) ? c->f32 != NULL : c->f64 != NULL;
    if (!batch_of(bed, mode) || (in_f32(mode) ? c->batch_f32 == NULL : c->batch_f64 == NULL)) return 0;

    /* the columns are as long as all states */
    if (columns && batch_states(bed, item) < bed->states) return 0;
    if (item->algorithm >= 0 && !bed->all_batches)
        snprintf(t->why, sizeof t->why, "batches of all algorithms take too much memory here");
    else if (item->first * BATCH_LEAST > BATCH_LONG)
        snprintf(t->why, sizeof t->why, "a batch takes too long");
    return !t->why[0];
}

static void (*runner(bench_mode mode))(void *)
{
    if (pn_cli_bench_modes[mode].single) return in_f32(mode) ? run_f32 : run_f64;
    return in_f32(mode) ? run_batch_f32 : run_batch_f64;
}

/* ------------------------------------------------------------------------------------------------ */
/* Timing */

/* What a sheet takes while it is timed. */
typedef struct bench_session {
    bench_bed bed;
    double *out;
    double *factors; /* of every algorithm, for those who need them */
    bench_run *run;
    timed_call *call;
    timed_spread *spread;
    int count, capacity;
} bench_session;

static void session_free(bench_session *n)
{
    pn_cli_bench_generated_free(&n->bed);
    pn_cli_bench_bed_free(&n->bed);
    free(n->out);
    free(n->factors);
    free(n->run);
    free(n->call);
    free(n->spread);
}

/* Memory for the results of all items, one after the other, and for factors. 0 when out of memory. */
static int make_room(bench_session *n, const bench_sheet *s)
{
    size_t largest = 2, factors = 0;
    for (int i = 0; i < s->count; i++) {
        if (s->item[i].why[0]) continue;
        const size_t one = result_size(n->bed.m, &s->item[i]) + 1;
        const size_t fit = BATCH_BYTES / sizeof(double) / one,
                     states = fit < n->bed.states ? fit : n->bed.states;
        const size_t all = one * (states + BENCH_PACK); /* whole packs */
        if (all > largest) largest = all;
        if (s->item[i].call->needs == NEEDS_FACTORS) factors += factors_size(n->bed.m);
    }
    n->capacity = s->count * MODE_COUNT;
    n->out = pn_cli_bench_take(largest, sizeof *n->out);
    n->factors = calloc(factors + 1, sizeof *n->factors);
    n->run = calloc((size_t)n->capacity + 1, sizeof *n->run);
    n->call = calloc((size_t)n->capacity + 1, sizeof *n->call);
    n->spread = calloc((size_t)n->capacity + 1, sizeof *n->spread);
    return n->out && n->factors && n->run && n->call && n->spread;
}

/* Runs every item once: whether it works, and about how long it takes. */
static void try_items(bench_session *n, bench_sheet *s)
{
    double *factors = n->factors;
    for (int i = 0; i < s->count; i++) {
        bench_item *item = &s->item[i];
        if (item->why[0] || !item->call->f64) continue;
        bench_run r = prepare(&n->bed, item, MODE_CALL_F64);
        place_results(&r, n->out);
        if (item->call->needs == NEEDS_FACTORS) {
            r.x.factors = factors;
            const pinion_status made =
                pinion_factorization_by(r.x.m, r.x.w, item->algorithm, n->bed.rows.q, factors);
            if (made != PINION_OK) note(&r, made);
            item->factors = factors;
            factors += factors_size(n->bed.m);
        }
        /* again, if something else may have had the processor meanwhile */
        for (int k = 0; k < 3 && (k == 0 || (item->first > FIRST_LONG && item->first < FIRST_AGAIN)); k++) {
            const double start = pn_cli_now();
            run_f64(&r);
            const double took = pn_cli_now() - start;
            if (k == 0 || took < item->first) item->first = took;
        }
        if (r.status == PINION_OK) continue;
        snprintf(item->why, sizeof item->why, "%s", item->time[MODE_CALL_F64].why);
    }
}

/* All that is timed, mode by mode, those on several threads last: idle threads spin for a while, and disturb
 * what comes next. */
static void enlist(bench_session *n, bench_sheet *s)
{
    for (int mode = 0; mode < MODE_COUNT; mode++)
        for (int i = 0; i < s->count; i++) {
            bench_item *item = &s->item[i];
            if (item->why[0] || !has_mode(&n->bed, item, (bench_mode)mode)) continue;
            bench_run *r = &n->run[n->count];
            *r = prepare(&n->bed, item, (bench_mode)mode);
            place_results(r, n->out);
            r->x.factors = item->factors;
            n->call[n->count++] = (timed_call){runner((bench_mode)mode), r, 0};
        }
}

/* Puts the times where they belong; a call that failed has none. */
static void collect(const bench_session *n, bench_sheet *s)
{
    volatile double escape = 0;
    for (int k = 0; k < n->count; k++) {
        const bench_run *r = &n->run[k];
        bench_time *t = &r->item->time[r->mode];
        const double states = pn_cli_bench_modes[r->mode].single ? 1 : (double)t->states;
        escape = escape + r->sum;
        if (r->status != PINION_OK) continue;
        t->timed = 1;
        t->ns = n->call[k].ns / states;
        t->threads = r->threads > 1 ? r->threads : 1;
        t->spread =
            (timed_spread){n->spread[k].low / states, n->spread[k].high / states, n->spread[k].samples};
        if (t->spread.samples > s->rounds) s->rounds = t->spread.samples;
        s->timings++;
    }
}

/* Ratios of single calls to the fastest algorithm of the same problem. */
static void compare(bench_sheet *s)
{
    for (int i = 0; i < s->count; i++) {
        bench_item *item = &s->item[i];
        double best = item->time[MODE_CALL_F64].ns;
        if (item->algorithm < 0 || !item->time[MODE_CALL_F64].timed) continue;
        for (int k = 0; k < s->count; k++) {
            const bench_item *other = &s->item[k];
            const bench_time *t = &other->time[MODE_CALL_F64];
            if (other->algorithm >= 0 && other->call == item->call && t->timed && t->ns < best) best = t->ns;
        }
        item->ratio = item->time[MODE_CALL_F64].ns / best;
    }
}

int pn_cli_bench_measure(bench_sheet *s, const bench_choice *choice, const pinion_model *m, pinion_error *err)
{
    bench_session n = {.count = 0};
    const double began = pn_cli_now();
    int done = pn_cli_bench_bed(&n.bed, m, choice->states, choice->threads, err);
    if (done) {
        pinion_frame_info frame = {.name = ""};
        if (n.bed.frame < pinion_model_frame_count(m) &&
            pinion_model_frame(m, n.bed.frame, &frame) != PINION_OK)
            frame.name = "";
        *err = (pinion_error){PINION_ERR_MEMORY, 0, 0, "out of memory"};
        s->distinct = n.bed.distinct;
        s->isa = n.bed.one ? pinion_batch_isa(n.bed.one) : "scalar";
        s->lanes = n.bed.one ? pinion_batch_lanes(n.bed.one) : 1;
        s->lanes_f32 = n.bed.one ? pinion_batch_lanes_f32(n.bed.one) : 1;
        s->frame = strdup(frame.name);
        leave_out(&n.bed, s);
        if (choice->generated && !pn_cli_bench_generate(s, &n.bed, err)) {
            leave_generated_out(s, err);
            pn_cli_bench_generated_free(&n.bed);
        }
        *err = (pinion_error){PINION_ERR_MEMORY, 0, 0, "out of memory"};
        done = s->frame && make_room(&n, s);
    }
    if (done) {
        try_items(&n, s);
        enlist(&n, s);
        const double left = choice->seconds - (pn_cli_now() - began - s->compiling);
        done = pn_cli_time_within(n.call, n.count, left > 0 ? left : 0, n.spread);
    }
    if (done) {
        collect(&n, s);
        compare(s);
    }
    s->took = pn_cli_now() - began;
    session_free(&n);
    return done;
}
