/* Elastic links in the block: which bodies are places on them, and their numbers. */
#include <string.h>

#include "model/compile/compile_model.h"

void pn_count_elastic(pn_counts *n, const pn_plan *plan, const pn_skeleton *s)
{
    n->elastic = plan->elastics;
    n->nq += plan->modes;
    n->nv += plan->modes;
    n->tree_nq += plan->modes;
    n->tree_nv += plan->modes;
    for (int i = 0; i < plan->elastics; i++) {
        n->shapes += PN_ELASTIC_NUMBERS(plan->elastic[i].count);
        n->elastic_reals += PN_ELASTIC_REALS(plan->elastic[i].count);
    }
    for (int i = 1; i < s->nodes; i++) {
        if (!s->unit[i].elastic) continue;
        const int modes = plan->elastic[s->unit[i].elastic - 1].count;
        n->dense++;
        n->shapes += PN_PLACE_NUMBERS(modes);
        n->elastic_reals += PN_PLACE_REALS(modes);
    }
}

size_t pn_elastic_data_count(const pn_plan *plan)
{
    size_t count = 0;
    for (int i = 0; i < plan->elastics; i++) {
        const size_t modes = (size_t)plan->elastic[i].count;
        count += pn_elastic_pack(&plan->elastic[i].def, 0, NULL, NULL) + modes + modes * modes;
    }
    return count;
}

/* The description, frequencies and modal masses. */
static void put_description(pinion_model *m, const pn_plan *plan)
{
    double *data = PN_AT(m, double, m->bent_data);
    size_t used = 0;
    int joint = plan->joints;
    for (int i = 0; i < plan->elastics; i++) {
        const pn_modes *modes = &plan->elastic[i];
        pn_bent_record *record = PN_AT(m, pn_bent_record, m->bent) + i;
        record->link = plan->elastic_link[i];
        record->joint = joint;
        used += pn_elastic_pack(&modes->def, (uint32_t)used, &record->described, data + used);
        record->modal = (uint32_t)used;
        memcpy(data + used, modes->frequency, (size_t)modes->count * sizeof *data);
        used += (size_t)modes->count;
        memcpy(data + used, modes->mass, (size_t)(modes->count * modes->count) * sizeof *data);
        used += (size_t)(modes->count * modes->count);
        joint += modes->count;
    }
}

/* All nodes are there, and where their subtrees end. */
void pn_fill_elastic(pinion_model *m, const pn_plan *plan, const pn_skeleton *s)
{
    pn_node *nodes = PN_AT(m, pn_node, m->nodes);
    double *numbers = pn_shapes_of(m);
    int shape = 0, span = 0, v = m->n.tree_nv - plan->modes;
    put_description(m, plan);
    for (int l = 0; l < plan->elastics; l++) {
        const pn_modes *modes = &plan->elastic[l];
        const int count = modes->count, square = count * count;
        pn_elastic *e = PN_AT(m, pn_elastic, m->elastic) + l;
        e->v = v;
        e->modes = count;
        e->matrices = shape;
        e->span = span;
        memcpy(numbers + shape, modes->lack, (size_t)square * sizeof *numbers);
        memcpy(numbers + shape + square, modes->stiffness, (size_t)square * sizeof *numbers);
        memcpy(numbers + shape + 2 * square, modes->damping, (size_t)square * sizeof *numbers);
        shape += PN_ELASTIC_NUMBERS(count);
        span += PN_ELASTIC_REALS(count);
        for (int i = 1; i < s->nodes; i++) {
            if (s->unit[i].elastic != l + 1) continue;
            pn_node *node = &nodes[i];
            if (!e->first) e->first = i;
            e->parent = node->parent;
            e->end = node->end;
            node->elastic = l + 1;
            node->v = v;
            node->q = v + m->n.tree_nq - m->n.tree_nv;
            node->nq = node->nv = count;
            node->shape = shape;
            node->span = span;
            pn_modes_place(modes, s->unit[i].station, numbers + shape);
            shape += PN_PLACE_NUMBERS(count);
            span += PN_PLACE_REALS(count);
        }
        v += count;
    }
}

void pn_merge_places(pinion_model *m, const pn_plan *plan, const pn_skeleton *s)
{
    for (int i = 1; i < s->nodes; i++) {
        const pn_unit *unit = &s->unit[i];
        if (!unit->elastic || unit->point < 0) continue;
        double mass, inertia[6];
        pn_elastic_point(&plan->elastic[unit->elastic - 1].def, unit->point, &mass, inertia);
        pn_link *L = &pn_links_of(m)[i];
        L->m += mass;
        for (int k = 0; k < 6; k++) L->I[k] += inertia[k];
    }
}
