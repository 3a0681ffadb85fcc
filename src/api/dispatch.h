/* Which instantiations this build has, and which of them this CPU can run. */
#ifndef PN_DISPATCH_H
#define PN_DISPATCH_H

#include "kernel/kernel.h"
#include "model/block.h"

extern const pn_backend pn_backend_f64, pn_backend_f32;

/* The back ends for a lane size (8 or 4 bytes) that this CPU can run, the scalar one first, then by width.
 * Writes at most `capacity` and returns how many there are. */
int pn_backends(size_t lane_bytes, const pn_backend **list, int capacity);

/* The scalar ones that this CPU can run, the baseline first, then by instruction set, the best one last.
 * Writes at most `capacity` and returns how many there are. */
int pn_scalar_backends(size_t lane_bytes, const pn_backend **list, int capacity);

/* The scalar one that single calls use: the last of those. */
const pn_backend *pn_backend_for_calls(size_t lane_bytes);

/* The one that batches use: the widest that beats the scalar calls. */
const pn_backend *pn_backend_for_batches(size_t lane_bytes);

/* Those of them that have every algorithm, for calls by an algorithm's number: with all of them in one instantiation,
 * their times can be compared. Batches in float have the scalar one. */
const pn_backend *pn_complete_for_calls(size_t lane_bytes);
const pn_backend *pn_complete_for_batches(size_t lane_bytes);

/* nonzero when an instantiation has every algorithm */
static inline int pn_is_complete(const pn_backend *b)
{
    return b->kernel[PN_KERNEL_COUNT - 1] != NULL;
}

/* The context of a call, but for the workspace. */
static inline pn_ctx pn_context(const pinion_model *m, size_t lane_bytes, void *work)
{
    pn_ctx k;
    k.n = &m->n;
    k.node = PN_AT_CONST(m, pn_node, m->nodes);
    k.frame_node = PN_AT_CONST(m, int, m->frame_node);
    k.body_node = PN_AT_CONST(m, int, m->body_node);
    k.map_q = m->map_q ? PN_AT_CONST(m, pn_map, m->map_q) : NULL;
    k.map_v = m->map_v ? PN_AT_CONST(m, pn_map, m->map_v) : NULL;
    k.loop = PN_AT_CONST(m, pn_loop, m->closed);
    k.coupled = PN_AT_CONST(m, int, m->coupled);
    k.constants = PN_AT_CONST(m, void, lane_bytes == sizeof(double) ? m->f64 : m->f32);
    k.layout = &m->layout;
    k.elastic = PN_AT_CONST(m, pn_elastic, m->elastic);
    k.work = work;
    k.opened = NULL;
    return k;
}

/* The same for many calls of a back end. */
static inline pn_ctx pn_context_of(const pn_backend *back, const pinion_model *m, void *work, void *opened[PN_OPENED])
{
    pn_ctx k = pn_context(m, back->lane_bytes, work);
    back->open(&k, opened);
    k.opened = opened;
    return k;
}

#endif
