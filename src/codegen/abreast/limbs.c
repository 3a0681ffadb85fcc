/* Which limbs of a model have the same shape: subtrees of one body with the same joints in the same order. Masses and
 * lengths do not matter, they are numbers. */
#include "codegen/abreast/abreast.h"
#include <stdlib.h>

static int same_shape(const pn_node *node, int a, int b)
{
    if (node[a].end - a != node[b].end - b) return 0;
    for (int d = 0; d < node[a].end - a; d++) {
        const pn_node *x = &node[a + d], *y = &node[b + d];
        if (x->joint != y->joint || x->nv != y->nv || x->end - a != y->end - b || (x->body < 0) != (y->body < 0))
            return 0;
    }
    return 1;
}

static void add_set(pn_limbs *l, const pn_node *node, const int32_t *start, int count)
{
    for (int k = 0; k < count; k++) {
        l->start[l->sets][k] = start[k];
        for (int i = start[k]; i < node[start[k]].end; i++) {
            l->set[i] = l->sets;
            l->lane[i] = k;
        }
    }
    l->count[l->sets++] = count;
}

/* limbs like the one that begins at `first`, itself among them: in sets that are as large as they can be alike */
static void add_limbs(pn_limbs *l, const pn_node *node, int nodes, int first, int32_t *start)
{
    int count = 0;
    for (int i = first; i < nodes; i = node[i].end)
        if (node[i].parent == node[first].parent && l->set[i] < 0 && same_shape(node, first, i)) start[count++] = i;
    for (int sets = (count + PN_ABREAST - 1) / PN_ABREAST; sets > 0; sets--) {
        const int n = (count + sets - 1) / sets;
        if (n > 1) add_set(l, node, start, n);
        start += n;
        count -= n;
    }
}

pinion_status pn_limbs_open(const pinion_model *m, pn_limbs *l)
{
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    const size_t n = (size_t)m->n.nodes + 1;
    int32_t *start = calloc(n, sizeof *start);
    *l = (pn_limbs){.set = calloc(n, sizeof *l->set), .lane = calloc(n, sizeof *l->lane)};
    l->start = calloc(n, sizeof *l->start);
    l->count = calloc(n, sizeof *l->count);
    l->body_of_v = calloc((size_t)m->n.nv + 1, sizeof *l->body_of_v);
    l->body_of_link = calloc((size_t)m->n.bodies + 1, sizeof *l->body_of_link);
    const int fine = start && l->set && l->lane && l->start && l->count && l->body_of_v && l->body_of_link;
    for (int i = 0; fine && i < m->n.nodes; i++) {
        l->set[i] = -1;
        if (node[i].body >= 0) l->body_of_link[node[i].body] = i;
        for (int d = 0; i > 0 && !m->n.followers && d < node[i].nv; d++) l->body_of_v[node[i].v + d] = i;
    }
    /* where joints follow others, a coordinate belongs to several limbs */
    for (int i = 1; fine && !m->n.followers && i < m->n.nodes; i++)
        if (l->set[i] < 0) add_limbs(l, node, m->n.nodes, i, start);
    free(start);
    return fine ? PINION_OK : PINION_ERR_MEMORY;
}

void pn_limbs_close(pn_limbs *l)
{
    free(l->set);
    free(l->lane);
    free(l->start);
    free(l->count);
    free(l->body_of_v);
    free(l->body_of_link);
}

/* ---- results ---- */

/* What a row or column stands for: number `part` of a body. A velocity, or a parameter of a link in a regressor. */
typedef struct place {
    int body, part;
} place;

static place place_of_v(const pinion_model *m, const pn_limbs *l, size_t v)
{
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    const int body = l->body_of_v[v];
    return (place){body, (int)v - node[body].v};
}

static place place_of_column(const pinion_model *m, const pn_limbs *l, size_t column, int parameters)
{
    if (!parameters) return place_of_v(m, l, column);
    return (place){l->body_of_link[1 + column / (size_t)parameters], (int)(column % (size_t)parameters)};
}

/* the same place `further` limbs on; that of a body that is in no set stays */
static place moved(const pn_limbs *l, place at, int further)
{
    const int set = l->set[at.body];
    if (set < 0) return at;
    const int lane = l->lane[at.body], to = (lane + further) % l->count[set];
    return (place){l->start[set][to] + at.body - l->start[set][lane], at.part};
}

static size_t column_of(const pinion_model *m, place at, int parameters)
{
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    if (!parameters) return (size_t)(node[at.body].v + at.part);
    return (size_t)(node[at.body].body - 1) * (size_t)parameters + (size_t)at.part;
}

/* The columns of a result by its size: nv, ten for each link, or one for a vector; 0: rows are not velocities. */
static size_t columns_of(const pinion_model *m, size_t count, int *parameters)
{
    const size_t nv = (size_t)m->n.nv, links = (size_t)m->n.bodies - 1;
    *parameters = 0;
    if (count == nv) return 1;
    if (nv > 1 && count == nv * nv) return nv;
    *parameters = 10;
    return links > 0 && count == nv * 10 * links ? 10 * links : 0;
}

int pn_limbs_results(const pinion_model *m, const pn_limbs *l, const pn_function *f, size_t first,
                     size_t result[PN_ABREAST])
{
    size_t base = 0;
    int array = 0, parameters;
    while (array < 6 && first - base >= f->out[array].count) base += f->out[array++].count;
    if (array == 6 || l->sets == 0) return 0;
    const size_t columns = columns_of(m, f->out[array].count, &parameters), at = first - base;
    if (columns == 0) return 0;
    const place row = place_of_v(m, l, at / columns);
    const place column = columns == 1 ? row : place_of_column(m, l, at % columns, parameters);
    const int of_row = l->set[row.body], of_column = l->set[column.body], set = of_row >= 0 ? of_row : of_column;
    if (set < 0 || l->lane[of_row >= 0 ? row.body : column.body] != 0) return 0;
    if (of_row >= 0 && of_column >= 0 && l->count[of_column] != l->count[set]) return 0;
    for (int k = 0; k < l->count[set]; k++) {
        const size_t r = column_of(m, moved(l, row, k), 0);
        result[k] = base + r * columns + (columns == 1 ? 0 : column_of(m, moved(l, column, k), parameters));
    }
    return l->count[set];
}
