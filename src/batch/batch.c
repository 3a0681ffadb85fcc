/* Batches: their creation, and what both precisions share. */
#include "batch/batch_internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api/registry.h"

static uint64_t largest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* numbers a state's inputs and outputs take at most, over all functions of a batch */
static uint64_t state_numbers(const pn_counts *n)
{
    const uint64_t nq = (uint64_t)n->nq, nv = (uint64_t)n->nv;
    const uint64_t in = 2 * nq + 3 * nv + 6 * (uint64_t)n->bodies;
    const uint64_t terms = nv * nv + 2 * nv + 12 * (uint64_t)n->frames + PN_JACOBIANS_AT_ONCE * 6 * nv;
    /* of a rollout beside its inputs: what a step writes, and the gains */
    const uint64_t step = (uint64_t)PN_STEP_SCRATCH(nq, nv) + 3 * nv;
    return in + largest(terms, largest(nq, step)) + 12;
}

/* ---- seats ---- */

static void free_seat(pn_seat *seat)
{
    if (!seat) return;
    pinion_work_free(seat->work_f64);
    pinion_work_f32_free(seat->work_f32);
    free(seat->heap);
}

/* a workspace for what goes state by state: closed loops, and algorithms that are no kernels */
static int take_single_work(const pinion_batch *b, pn_seat *seat)
{
    const pinion_model *m = b->model;
    if (!b->algorithms && !m->n.loops) return 1;
    seat->work_f64 = b->algorithms ? pinion_work_new_for_algorithms(m) : pinion_work_new(m);
    if (m->n.loops) seat->work_f32 = pinion_work_f32_new(m);
    return seat->work_f64 && (seat->work_f32 || !m->n.loops);
}

static pn_seat *new_seat(const pinion_batch *b)
{
    const pn_counts *n = &b->model->n;
    const size_t real64 = (size_t)b->f64->lanes * b->f64->lane_bytes;
    const size_t real32 = (size_t)b->f32->lanes * b->f32->lane_bytes, real = real64 > real32 ? real64 : real32;
    const uint64_t work = pn_work_reals(n) + (b->algorithms ? pn_largest_room(n) : 0);
    /* the seat, its workspace and its buffer each begin a cache line, and the last one ends before another's */
    void *heap = pn_take(pn_bytes(work + state_numbers(n), real, sizeof(pn_seat) + 4 * 64));
    if (!heap) return NULL;
    pn_seat *seat = pn_align(heap);
    memset(seat, 0, sizeof *seat);
    seat->heap = heap;
    seat->work = pn_align(seat + 1);
    seat->buffer = pn_align((char *)seat->work + (size_t)work * real);
    if (take_single_work(b, seat)) return seat;
    free_seat(seat);
    return NULL;
}

pinion_status pinion_batch_set_threads(pinion_batch *b, int threads)
{
    if (!b) return PINION_ERR_ARGUMENT;
    if (threads < 1)
        return pn_batch_refuse(b, PINION_ERR_ARGUMENT, "the number of threads is %d, not 1 or more", threads);
    pn_seat **seats = pn_take((size_t)threads * sizeof(pn_seat *));
    int made = b->threads < threads ? b->threads : threads, full = seats != NULL;
    for (int i = 0; full && i < made; i++) seats[i] = b->seat[i];
    while (full && made < threads) {
        seats[made] = new_seat(b);
        full = seats[made] != NULL;
        made += full;
    }
    if (!full) {
        while (seats && made > b->threads) free_seat(seats[--made]);
        free(seats);
        return pn_batch_refuse(b, PINION_ERR_MEMORY, "there is no memory for %d threads", threads);
    }
    while (b->threads > threads) free_seat(b->seat[--b->threads]);
    free(b->seat);
    b->seat = seats;
    b->threads = threads;
    return PINION_OK;
}

int pinion_batch_threads(const pinion_batch *b)
{
    return b ? b->threads : 0;
}

int pinion_batch_threads_used(const pinion_batch *b)
{
    return b ? b->threads_used : 0;
}

/* ---- creation ---- */

/* With less work than this waking a thread costs more than it saves (docs/batches.md). */
#define WORK_EACH 64

static pinion_batch *new_batch(const pinion_model *m, const pn_backend *f64, const pn_backend *f32, int threads,
                               int algorithms)
{
    if (!m || threads < 1 || m->n.nv > PN_MAX_DENSE) return NULL;
    pinion_batch *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->model = m;
    b->f64 = f64;
    b->f32 = f32;
    b->complete_f64 = pn_is_complete(f64) ? f64 : pn_complete_for_batches(sizeof(double));
    b->complete_f32 = pn_is_complete(f32) ? f32 : pn_complete_for_batches(sizeof(float));
    if (b->complete_f64->lanes > f64->lanes) b->complete_f64 = pn_complete_for_calls(sizeof(double));
    b->algorithms = algorithms;
    b->work_each = WORK_EACH;
    if (pinion_batch_set_threads(b, threads) == PINION_OK) return b;
    pinion_batch_free(b);
    return NULL;
}

pinion_batch *pn_batch_new_with(const pinion_model *m, const pn_backend *f64, const pn_backend *f32)
{
    return new_batch(m, f64, f32, 1, 1);
}

pinion_batch *pinion_batch_new(const pinion_model *m, int threads)
{
    return new_batch(m, pn_backend_for_batches(sizeof(double)), pn_backend_for_batches(sizeof(float)), threads, 0);
}

pinion_batch *pinion_batch_new_for_algorithms(const pinion_model *m, int threads)
{
    return new_batch(m, pn_backend_for_batches(sizeof(double)), pn_backend_for_batches(sizeof(float)), threads, 1);
}

void pinion_batch_free(pinion_batch *b)
{
    if (!b) return;
    while (b->threads > 0) free_seat(b->seat[--b->threads]);
    free(b->seat);
    free(b);
}

pinion_status pinion_batch_set_model(pinion_batch *b, const pinion_model *m)
{
    if (!b) return PINION_ERR_ARGUMENT;
    if (!m) return pn_batch_refuse(b, PINION_ERR_ARGUMENT, "the model is NULL");
    if (m->structure != b->model->structure)
        return pn_batch_refuse(b, PINION_ERR_MISMATCH, "the model '%.200s' is not of the structure of the batch's",
                               pinion_model_name(m));
    b->model = m;
    return PINION_OK;
}

/* Its packs are those of the CPU; where the batch has others, of a test, the kernels run. */
pinion_status pn_batch_use(pinion_batch *b, const pn_shortcuts *s)
{
    if (!b) return PINION_ERR_ARGUMENT;
    if (s && s->structure != b->model->structure)
        return pn_batch_refuse(b, PINION_ERR_MISMATCH, "the code is not for models of the structure of the batch's");
    b->generated = s;
    return PINION_OK;
}

/* ---- questions and messages ---- */

int pinion_batch_lanes(const pinion_batch *b)
{
    return b ? b->f64->lanes : 0;
}

int pinion_batch_lanes_f32(const pinion_batch *b)
{
    return b ? b->f32->lanes : 0;
}

const char *pinion_batch_isa(const pinion_batch *b)
{
    return b ? b->f64->isa : "";
}

size_t pinion_batch_failed_state(const pinion_batch *b)
{
    return b ? b->failed_state : 0;
}

const char *pinion_batch_message(const pinion_batch *b)
{
    return b && b->message[0] ? b->message : pinion_status_text(PINION_OK);
}

pinion_status pn_batch_refuse(pinion_batch *b, pinion_status status, const char *text, ...)
{
    va_list list;
    va_start(list, text);
    vsnprintf(b->message, sizeof b->message, text, list);
    va_end(list);
    b->failed_state = 0;
    return status;
}
