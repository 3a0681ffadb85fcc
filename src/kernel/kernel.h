/* The seam between the C API and the kernels. A kernel takes a context (one model, one workspace) and the
 * arrays of one call; every instantiation exports one table of them. No pack type crosses this seam: arrays
 * are void here and arrays of that instantiation's `real` inside. */
#ifndef PN_KERNEL_H
#define PN_KERNEL_H

#include <stddef.h>
#include "model/tree.h"

/* Every kernel, once: the enumeration and the tables come from this list. To add one, write its file, name
 * it in all.inc, and add it here. */
#define PN_KERNEL_LIST(X)                                                                                    \
    X(rnea)         /* q, v, a, f_ext -> tau */                                                              \
    X(gravity)      /* q -> tau */                                                                           \
    X(crba)         /* q -> M */                                                                             \
    X(aba)          /* q, v, tau, f_ext -> a, margin */                                                      \
    X(followers_fd) /* the same for models with followers, by factorizing M */                               \
    X(passive)      /* q, v -> tau */                                                                        \
    X(energy)       /* q, v; option: springs -> kinetic, potential */                                        \
    X(center)       /* q, v -> position, velocity */                                                         \
    X(momentum)     /* q, v -> momentum */                                                                   \
    X(frames)       /* q; frame or -1: all -> position, rotation */                                          \
    X(jacobian)     /* q; frame, reference -> J */                                                           \
    X(velocity)     /* q, v; frame, reference -> velocity */                                                 \
    X(acceleration) /* q, v, a; frame, reference, option: spatial -> acceleration */                         \
    X(terms)        /* q, v -> M, bias, gravity, position, rotation, Jacobians */                            \
    X(integrate)    /* q, v; dt -> q */                                                                      \
    X(difference)   /* q, a: the other q -> v */                                                             \
    X(normalize)    /* q -> q */

enum {
#define PN_KERNEL_ENUM(name) PN_K_##name,
    PN_KERNEL_LIST(PN_KERNEL_ENUM)
#undef PN_KERNEL_ENUM
        PN_KERNEL_COUNT
};

typedef struct pn_ctx {
    const pn_counts *n;
    const pn_node *node;
    const int *frame_node;
    const int *body_node;
    const pn_map *map_q, *map_v; /* NULL without followers */
    const void *constants;       /* constants.inc over this instantiation's num */
    void *work;                  /* pn_work_reals() reals, aligned for them */
} pn_ctx;

typedef struct pn_io {
    const void *q, *v, *a, *tau, *f_ext; /* NULL: absent, zero */
    void *out[6];                        /* NULL: not wanted */
    int frame, reference, option;
    const int *frames; /* terms: the frames of the Jacobians */
    int frame_count;
    double dt;
} pn_io;

typedef void pn_kernel(const pn_ctx *ctx, const pn_io *io);

/* One instantiation: how many states a `real` holds, its lane's size in bytes, the kernels. */
typedef struct pn_backend {
    const char *isa;
    int lanes;
    size_t lane_bytes;
    pn_kernel *kernel[PN_KERNEL_COUNT];
} pn_backend;

/* reals of scratch memory that the kernels need for a model */
static inline size_t pn_work_reals(const pn_counts *n)
{
    const size_t nodes = (size_t)n->nodes, dense = (size_t)n->dense;
    const size_t nv = (size_t)n->nv, tree_nv = (size_t)n->tree_nv, tree_nq = (size_t)n->tree_nq;
    size_t reals = nodes * (3 + 12 + 48) + dense * (12 + 64) + 6 * tree_nv;
    if (n->followers) reals += tree_nq + 3 * tree_nv + tree_nv * (tree_nv + 6) + nv * nv + 2 * nv;
    return reals;
}

#endif
