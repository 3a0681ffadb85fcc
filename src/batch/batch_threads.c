/* The states of a batch on threads. */
#include "batch/batch_internal.h"
#include <stdio.h>

#ifdef _OPENMP
#include <omp.h>
#endif

int pinion_threads_available(void)
{
#ifdef _OPENMP
    return omp_get_num_procs();
#else
    return 1;
#endif
}

int pn_seat_fails(pn_seat *seat, pinion_status status, size_t state)
{
    if (seat->status != PINION_OK) return 0;
    seat->status = status;
    seat->state = state;
    return 1;
}

/* how many seats the packs of a call are worth */
static int seats_for(const pinion_batch *b, size_t packs, size_t passes)
{
    const size_t most_passes = passes < b->work_each ? passes : b->work_each; /* more make no difference */
    const size_t bodies = (size_t)b->model->n.nodes * most_passes, each = (b->work_each + bodies - 1) / bodies;
    const size_t most = packs / each;
    if (most < 2) return 1;
    return most < (size_t)b->threads ? (int)most : b->threads;
}

typedef struct share {
    pinion_batch *b;
    size_t count, lanes, packs;
    int seats;
    pn_batch_task *task;
    const void *call;
} share;

/* the first pack of a seat: the first packs % seats seats have one more */
static size_t first_pack(const share *x, int seat)
{
    const size_t i = (size_t)seat, seats = (size_t)x->seats, more = x->packs % seats;
    return x->packs / seats * i + (i < more ? i : more);
}

static void run_seat(const share *x, int i)
{
    const size_t first = first_pack(x, i) * x->lanes, end = first_pack(x, i + 1) * x->lanes;
    x->task(x->b, x->b->seat[i], x->call, first, end < x->count ? end : x->count);
}

static void run_seats(const share *x)
{
    x->b->threads_used = 1;
#ifdef _OPENMP
    /* OpenMP ends the process where it cannot start a thread; seats without one of their own wait for their turn */
    const int most = x->seats > 1 ? pinion_threads_available() : 1;
    if (most > 1) {
        const int threads = x->seats < most ? x->seats : most;
#pragma omp parallel for schedule(static, 1) num_threads(threads)
        for (int i = 0; i < x->seats; i++) {
            if (i == 0) x->b->threads_used = omp_get_num_threads();
            run_seat(x, i);
        }
        return;
    }
#endif
    for (int i = 0; i < x->seats; i++) run_seat(x, i);
}

pinion_status pn_batch_share(pinion_batch *b, size_t count, size_t lanes, pn_batch_task *task, const void *call)
{
    return pn_batch_share_long(b, count, lanes, 1, task, call);
}

pinion_status pn_batch_share_long(pinion_batch *b, size_t count, size_t lanes, size_t passes, pn_batch_task *task,
                                  const void *call)
{
    if (count == 0) return PINION_OK;
    share x = {b, count, lanes, (count - 1) / lanes + 1, 1, task, call};
    x.seats = seats_for(b, x.packs, passes ? passes : 1);
    for (int i = 0; i < x.seats; i++) b->seat[i]->status = PINION_OK;
    run_seats(&x);

    /* the states of a seat are before those of the next */
    for (int i = 0; i < x.seats; i++) {
        const pn_seat *seat = b->seat[i];
        if (seat->status == PINION_OK) continue;
        b->failed_state = seat->state;
        snprintf(b->message, sizeof b->message, "state %zu: %s", seat->state, seat->message);
        return seat->status;
    }
    return PINION_OK;
}
