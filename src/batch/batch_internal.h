/* A batch: the pack back ends that were chosen for it, where its arrays have their numbers, and what each of its
 * threads computes with. */
#ifndef PN_BATCH_H
#define PN_BATCH_H

#include "api/api.h"
#include "api/shortcut.h"

/* Where an array has its numbers: number i of state s at [s * state + s / pack * jump + i * item]. In packs `pack` is
 * how many states one has; else there is no jump. */
typedef struct pn_stride {
    ptrdiff_t state, item;
    ptrdiff_t jump;
    size_t pack;
} pn_stride;

/* the first number of a state */
static inline ptrdiff_t pn_stride_at(const pn_stride *x, size_t s)
{
    return (ptrdiff_t)s * x->state + (x->jump ? (ptrdiff_t)(s / x->pack) * x->jump : 0);
}

/* What one thread computes with, in memory of its own and whole cache lines apart from the others'. */
typedef struct pn_seat {
    void *heap;                /* what to free; the seat itself is in it */
    void *work;                /* the kernels' workspace */
    void *more;                /* likewise to free: the workspace, where an algorithm asked for more */
    void *buffer;              /* the states and results in lanes */
    pinion_work *work_f64;     /* for what goes state by state; NULL where nothing does */
    pinion_work_f32 *work_f32;
    pinion_status status; /* of the first wrong state of this call, PINION_OK: none was seen */
    size_t state;         /* its number */
    char message[320];
} pn_seat;

struct pinion_batch {
    const pinion_model *model;
    const pn_backend *f64, *f32;
    const pn_backend *complete_f64, *complete_f32; /* with every algorithm, no wider than those */
    const pn_shortcuts *generated; /* what may answer in place of kernels, NULL: nothing */
    uint64_t room; /* reals of a seat's workspace beside the common ones: what an algorithm needed */
    uint64_t numbers; /* of a state that a seat's buffer holds */
    int singles;   /* seats have workspaces for what goes state by state: 1 in double, with loops in both; 2 in both */
    int threads;
    int threads_used; /* by the last call, 0: there was none */
    size_t work_each; /* packs times bodies that a thread gets at least; tests set 1 */
    pn_seat **seat;   /* [threads] */
    pinion_layout layout;
    pn_stride stride[PINION_BATCH_ARRAY_COUNT]; /* instead of the layout, where it was given */
    unsigned char stride_given[PINION_BATCH_ARRAY_COUNT];
    int keep_zeros;        /* results have the zeros of the tree's structure already */
    pinion_status *status; /* of each state, NULL: not wanted */
    size_t failed_state;
    char message[360];
};

/* A batch over chosen back ends, for tests; pinion_batch_new picks them. */
pinion_batch *pn_batch_new_with(const pinion_model *m, const pn_backend *f64, const pn_backend *f32);

/* Room for an algorithm in every seat, taken the first time and kept. PINION_ERR_MEMORY with a message. */
pinion_status pn_batch_make_room(pinion_batch *b, int algorithm);
/* The same for calls whose arrays have so many numbers a state: more than most have. */
pinion_status pn_batch_hold(pinion_batch *b, uint64_t numbers);

/* Workspaces of both precisions in every seat, for what goes state by state. 0: there is no memory for them. */
int pn_batch_take_singles(pinion_batch *b);

/* Jacobians that a seat's buffer has room for beside all other terms */
enum { PN_JACOBIANS_AT_ONCE = 4 };

/* ---- where the numbers are (batch_layout.c) ---- */

/* The strides that the layout gives an array of count states with `width` numbers each; `lanes` are those of a pack. */
pn_stride pn_batch_own_stride(const pinion_batch *b, size_t count, size_t width, size_t lanes);
/* The strides of an array, by its own or by the layout. Refuses what cannot be addressed, and an output that has two
 * numbers at one place, with a message. */
pinion_status pn_batch_stride(pinion_batch *b, int array, size_t count, size_t width, size_t lanes, pn_stride *out);
/* the same for an input that is written to */
pinion_status pn_batch_stride_in_place(pinion_batch *b, int array, size_t count, size_t width, size_t lanes,
                                       pn_stride *out);
/* the numbers that an array of count states takes, with what is left free in a last pack */
size_t pn_stride_room(const pn_stride *x, size_t count, size_t width);

/* ---- threads (batch_threads.c) ---- */

/* computes the states [first, end) of a call; first is a multiple of the lanes */
typedef void pn_batch_task(pinion_batch *b, pn_seat *seat, const void *call, size_t first, size_t end);

/* Shares the states of a call out among the seats in packs of `lanes`, in order, and returns when all are done. A
 * state is in the same lane of the same pack whatever the number of threads. Returns the status of the first wrong
 * state, which the message names then. */
pinion_status pn_batch_share(pinion_batch *b, size_t count, size_t lanes, pn_batch_task *task, const void *call);
/* The same for a task that goes over the bodies of a pack `passes` times, so that few packs are worth a thread. */
pinion_status pn_batch_share_long(pinion_batch *b, size_t count, size_t lanes, size_t passes, pn_batch_task *task,
                                  const void *call);

/* whether this is the first wrong state that the seat sees; then the caller writes seat->message */
int pn_seat_fails(pn_seat *seat, pinion_status status, size_t state);

/* ---- messages (batch.c) ---- */

/* Every call begins here: no message yet. 0 when there is no batch. */
int pn_batch_enter(pinion_batch *b);
/* a call that is wrong as a whole; the text is as for printf */
pinion_status pn_batch_refuse(pinion_batch *b, pinion_status status, const char *text, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#endif
