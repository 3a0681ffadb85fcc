/* Batches: their creation, and what both precisions share. */
#include "batch.h"
#include "registry.h"
#include <stdio.h>
#include <stdlib.h>

static uint64_t largest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* numbers a state's inputs and outputs take at most, over all functions of a batch */
static uint64_t state_numbers(const pn_counts *n)
{
    const uint64_t nq = (uint64_t)n->nq, nv = (uint64_t)n->nv;
    const uint64_t in = nq + 3 * nv + 6 * (uint64_t)n->bodies;
    const uint64_t out = largest(largest(nv * nv, 6 * nv), largest(12 * (uint64_t)n->frames, nq)) + 12;
    return in + out;
}

pinion_batch *pn_batch_new_with(const pinion_model *m, const pn_backend *f64, const pn_backend *f32)
{
    const size_t real64 = (size_t)f64->lanes * f64->lane_bytes, real32 = (size_t)f32->lanes * f32->lane_bytes;
    const size_t real = real64 > real32 ? real64 : real32;
    if (m->n.nv > PN_MAX_DENSE) return NULL;
    const size_t bytes = pn_bytes(pn_work_reals(&m->n) + state_numbers(&m->n), real, 3 * 64);
    pinion_batch *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->heap = pn_take(bytes);
    if (m->n.loops) {
        b->loops_f64 = pinion_work_new(m);
        b->loops_f32 = pinion_work_f32_new(m);
    }
    if (!b->heap || (m->n.loops && (!b->loops_f64 || !b->loops_f32))) {
        pinion_batch_free(b);
        return NULL;
    }
    b->model = m;
    b->f64 = f64;
    b->f32 = f32;
    b->work = pn_align(b->heap);
    b->buffer = pn_align((char *)b->work + (size_t)pn_work_reals(&m->n) * real);
    return b;
}

pinion_batch *pinion_batch_new(const pinion_model *m, int threads)
{
    if (!m || threads < 1) return NULL;
    return pn_batch_new_with(m, pn_backend_for_batches(sizeof(double)),
                             pn_backend_for_batches(sizeof(float)));
}

void pinion_batch_free(pinion_batch *b)
{
    if (!b) return;
    pinion_work_free(b->loops_f64);
    pinion_work_f32_free(b->loops_f32);
    free(b->heap);
    free(b);
}

pinion_status pinion_batch_set_model(pinion_batch *b, const pinion_model *m)
{
    if (!b || !m) return PINION_ERR_ARGUMENT;
    if (m->structure != b->model->structure) return PINION_ERR_MISMATCH;
    b->model = m;
    return PINION_OK;
}

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
