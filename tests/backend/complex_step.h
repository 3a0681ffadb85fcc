/* Kernels over complex numbers, and the complex step: with h = 1e-30 i along a direction the imaginary part of a result
 * over 1e-30 is its derivative. */
#ifndef COMPLEX_STEP_H
#define COMPLEX_STEP_H
#include <complex.h>
#undef I /* an inertia here */
#include "backend.h"

extern const pn_backend instance_complex;
typedef double _Complex cx;
#define STEP 1e-30

static inline void run(const pinion_model *m, int kernel, pn_io *io)
{
    pn_ctx k = pn_context(m, sizeof(double), NULL);
    void *work = malloc(sizeof(cx) * all_reals(m));
    k.work = work;
    instance_complex.kernel[kernel](&k, io);
    free(work);
}

/* q (+) i STEP direction */
static inline void step(const pinion_model *m, const double *q, const double *direction, cx *out)
{
    cx *from = calloc((size_t)m->n.nq + 1, sizeof(cx)), *d = calloc((size_t)m->n.nv + 1, sizeof(cx));
    for (int i = 0; i < m->n.nq; i++) from[i] = q[i];
    for (int i = 0; i < m->n.nv; i++) d[i] = direction[i] * STEP * _Complex_I;
    pn_io io = {.q = from, .v = d, .out = {out}, .dt = 1};
    run(m, PN_K_integrate, &io);
    free(from);
    free(d);
}

#endif
