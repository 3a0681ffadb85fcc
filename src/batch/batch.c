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

/* numbers a state's inputs and outputs take in most functions of a batch: a Hessian takes more */
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
    free(seat->more);
    free(seat->heap);
}

/* the larger of the two packs' reals, in bytes */
static size_t real_bytes(const pinion_batch *b)
{
    const size_t f64 = (size_t)b->f64->lanes * b->f64->lane_bytes, f32 = (size_t)b->f32->lanes * b->f32->lane_bytes;
    return f64 > f32 ? f64 : f32;
}

/* workspaces for what goes state by state: closed loops, and algorithms that are no kernels */
static int take_single_work(const pinion_batch *b, pn_seat *seat)
{
    const pinion_model *m = b->model;
    if (!b->singles) return 1;
    if (!seat->work_f64) seat->work_f64 = pinion_work_new(m);
    const int both = m->n.loops || b->singles > 1;
    if (both && !seat->work_f32) seat->work_f32 = pinion_work_f32_new(m);
    return seat->work_f64 && (seat->work_f32 || !both);
}

static pn_seat *new_seat(const pinion_batch *b)
{
    const pn_counts *n = &b->model->n;
    const uint64_t work = pn_work_reals(n) + b->room;
    const size_t bytes = pn_bytes(work + b->numbers, real_bytes(b), sizeof(pn_seat) + 4 * 64);
    /* the seat, its workspace and its buffer each begin a cache line, and the last one ends before another's */
    void *heap = pn_take(bytes);
    if (!heap) return NULL;
    pn_seat *seat = pn_align(heap);
    memset(seat, 0, sizeof *seat);
    seat->heap = heap;
    seat->work = pn_align(seat + 1);
    seat->buffer = pn_align((char *)seat->work + (size_t)work * real_bytes(b));
    if (take_single_work(b, seat)) return seat;
    free_seat(seat);
    return NULL;
}

/* more memory for kernels or for states in every seat, or in none */
static int widen_seats(pinion_batch *b, uint64_t room, uint64_t numbers)
{
    const uint64_t work = pn_work_reals(&b->model->n) + room;
    const size_t bytes = pn_bytes(work + numbers, real_bytes(b), 3 * 64);
    void **more = calloc((size_t)b->threads, sizeof *more);
    int full = more != NULL;
    for (int i = 0; full && i < b->threads; i++) {
        more[i] = pn_take(bytes);
        full = more[i] != NULL;
    }
    for (int i = 0; more && i < b->threads; i++) {
        pn_seat *seat = b->seat[i];
        if (!full) {
            free(more[i]);
            continue;
        }
        free(seat->more);
        seat->more = more[i];
        seat->work = pn_align(more[i]);
        seat->buffer = pn_align((char *)seat->work + (size_t)work * real_bytes(b));
    }
    free(more);
    if (full) b->room = room;
    if (full) b->numbers = numbers;
    return full;
}

pinion_status pn_batch_hold(pinion_batch *b, uint64_t numbers)
{
    if (numbers <= b->numbers || widen_seats(b, b->room, numbers)) return PINION_OK;
    return pn_batch_refuse(b, PINION_ERR_MEMORY, "there is no memory for the results in %d threads", b->threads);
}

pinion_status pn_batch_make_room(pinion_batch *b, int algorithm)
{
    const int solves_loops = b->model->n.loops && pn_algorithms[algorithm].problem == PN_PROBLEM_forward_dynamics;
    const int singly = solves_loops || algorithm >= PN_ALGORITHM_COUNT;
    const uint64_t room = pn_algorithm_room(algorithm, &b->model->n);
    int full = singly || room <= b->room || widen_seats(b, room, b->numbers);
    if (singly && !b->singles) b->singles = 1;
    for (int i = 0; singly && full && i < b->threads; i++)
        full = take_single_work(b, b->seat[i]) &&
               pn_work_make_room(b->model, b->seat[i]->work_f64, algorithm) == PINION_OK;
    if (full) return PINION_OK;
    return pn_batch_refuse(b, PINION_ERR_MEMORY, "there is no memory for %s in %d threads",
                           pn_algorithms[algorithm].name, b->threads);
}

int pn_batch_take_singles(pinion_batch *b)
{
    int full = 1;
    b->singles = 2;
    for (int i = 0; full && i < b->threads; i++) full = take_single_work(b, b->seat[i]);
    return full;
}

pinion_status pinion_batch_set_threads(pinion_batch *b, int threads)
{
    if (!pn_batch_enter(b)) return PINION_ERR_ARGUMENT;
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

static pinion_batch *new_batch(const pinion_model *m, const pn_backend *f64, const pn_backend *f32, int threads)
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
    b->singles = m->n.loops > 0;
    b->numbers = state_numbers(&m->n);
    b->work_each = WORK_EACH;
    if (pinion_batch_set_threads(b, threads) == PINION_OK) return b;
    pinion_batch_free(b);
    return NULL;
}

pinion_batch *pn_batch_new_with(const pinion_model *m, const pn_backend *f64, const pn_backend *f32)
{
    return new_batch(m, f64, f32, 1);
}

pinion_batch *pinion_batch_new(const pinion_model *m, int threads)
{
    return new_batch(m, pn_backend_for_batches(sizeof(double)), pn_backend_for_batches(sizeof(float)), threads);
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
    if (!pn_batch_enter(b)) return PINION_ERR_ARGUMENT;
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
    if (!pn_batch_enter(b)) return PINION_ERR_ARGUMENT;
    if (s && s->structure != b->model->structure)
        return pn_batch_refuse(b, PINION_ERR_MISMATCH, "the code is not for models of the structure of the batch's");
    b->generated = s;
    return PINION_OK;
}

pinion_status pinion_batch_keep_zeros(pinion_batch *b, int keep)
{
    if (!pn_batch_enter(b)) return PINION_ERR_ARGUMENT;
    b->keep_zeros = keep != 0;
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
    return b ? b->message : "";
}

int pn_batch_enter(pinion_batch *b)
{
    if (b) b->message[0] = '\0';
    return b != NULL;
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
