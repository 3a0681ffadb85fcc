/* A batch: the pack back ends that were chosen for it, and their memory. */
#ifndef PN_BATCH_H
#define PN_BATCH_H

#include "api.h"

struct pinion_batch {
    const pinion_model *model;
    const pn_backend *f64, *f32;
    size_t failed_state;
    char message[360];
    void *heap;
    void *work;   /* the kernels' workspace */
    void *buffer; /* the states and results in lanes */
    pinion_work *loops_f64; /* forward dynamics with loops branches on values: state by state; NULL without loops */
    pinion_work_f32 *loops_f32;
};

/* A batch over chosen back ends, for tests; pinion_batch_new picks them. */
pinion_batch *pn_batch_new_with(const pinion_model *m, const pn_backend *f64, const pn_backend *f32);

#endif
