/* Results that are zero in every state by the tree's structure: what joints of different branches have to do with each
 * other. Who says that they are in his arrays already need not have them written again (pinion_batch_keep_zeros). */
#ifndef PN_APART_H
#define PN_APART_H

#include <stddef.h>
#include "kernel/kernel.h"
#include "model/block.h"

enum {
    PN_APART_NONE = 0,  /* no such zeros, or they are always written */
    PN_APART_MATRIX,    /* joints by joints */
    PN_APART_UPPER,     /* the same on and above the diagonal */
    PN_APART_REGRESSOR, /* joints by bodies, ten columns each */
    PN_APART_JACOBIAN   /* by joints, of those on the way to a frame */
};

/* what the results of a kernel are for a model */
static inline int pn_apart_kind(const pn_counts *n, int kernel)
{
    if (n->followers || n->elastic) return PN_APART_NONE; /* rows add up there, or modes are between */
    switch (kernel) {
    case PN_K_crba:
    case PN_K_idsva: return PN_APART_MATRIX;
    case PN_K_mass_matrix_upper: return PN_APART_UPPER;
    case PN_K_regressor:
    case PN_K_slotine_li_regressor: return PN_APART_REGRESSOR;
    case PN_K_jacobian: return PN_APART_JACOBIAN;
    default: return PN_APART_NONE;
    }
}

static inline int pn_node_of_velocity(const pinion_model *m, int v)
{
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    int i = m->n.nodes - 1;
    while (i > 1 && node[i].v > v) i--;
    return i;
}

static inline int pn_node_of_body(const pinion_model *m, int body)
{
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    int i = m->n.nodes - 1;
    while (i > 0 && node[i].body != body) i--;
    return i;
}

static inline int pn_is_behind(const pinion_model *m, int tip, int i)
{
    return i <= tip && tip < PN_AT_CONST(m, pn_node, m->nodes)[i].end;
}

/* whether a number of a result of that kind is such a zero; `frame` is that of a Jacobian */
static inline int pn_is_apart(const pinion_model *m, int kind, int frame, size_t number)
{
    const size_t columns = kind == PN_APART_REGRESSOR ? 10 * (size_t)(m->n.bodies - 1) : (size_t)m->n.nv;
    if (kind == PN_APART_NONE || columns == 0) return 0;
    const int r = (int)(number / columns), c = (int)(number % columns);
    if (kind == PN_APART_JACOBIAN)
        return !pn_is_behind(m, PN_AT_CONST(m, int, m->frame_node)[frame], pn_node_of_velocity(m, c));
    const int i = pn_node_of_velocity(m, r);
    if (kind == PN_APART_REGRESSOR) return !pn_is_behind(m, pn_node_of_body(m, c / 10 + 1), i);
    const int j = pn_node_of_velocity(m, c);
    if (kind == PN_APART_UPPER && c < r) return 1;
    return !pn_is_behind(m, j, i) && !pn_is_behind(m, i, j);
}

#endif
