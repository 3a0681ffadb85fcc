/* The order in which terms and groups are written: as recorded, groups as late as their first lane. */
#include "codegen/abreast/abreast.h"
#include <stdlib.h>
#include <string.h>

typedef struct ordering {
    pn_abreast *p;
    const uint8_t *early;
    pn_units *units;
    uint8_t *state; /* of a unit: being ordered, ordered */
    struct step {
        int32_t unit;
        int next; /* operand */
    } *stack;
} ordering;

static int32_t unit_of(const pn_abreast *p, int32_t term)
{
    return pn_is_grouped(p, term) ? p->graph->count + p->group[term] : term;
}

/* operand number k of a unit, -1: it has no more */
static int32_t unit_operand(const pn_abreast *p, int32_t unit, int k)
{
    if (unit < p->graph->count) {
        const pn_term *t = &p->term[unit];
        return k < pn_term_operands(t) ? t->operand[k] : -1;
    }
    const pn_group *g = &p->list[unit - p->graph->count];
    if (k >= 2 * g->lanes.count) return -1;
    return k < g->lanes.count ? g->x.term[k] : g->y.term[k - g->lanes.count];
}

enum { ORDERING = 1, ORDERED };

/* Puts a unit behind what it needs. Returns a group that waits for itself, -1: none does. */
static int32_t order_unit(ordering *w, int32_t root)
{
    pn_abreast *p = w->p;
    int32_t depth = 0;
    if (w->state[root] == ORDERED) return -1;
    w->stack[depth++] = (struct step){root, 0};
    w->state[root] = ORDERING;
    while (depth > 0) {
        struct step *s = &w->stack[depth - 1];
        const int32_t o = unit_operand(p, s->unit, s->next++);
        if (o < 0) {
            w->state[s->unit] = ORDERED;
            w->units->order[w->units->count++] = s->unit;
            depth--;
            continue;
        }
        const int32_t u = unit_of(p, o);
        if (w->state[u] == ORDERED || pn_term_is_leaf(&p->term[o])) continue;
        if (w->state[u] == ORDERING) {
            /* round in a circle: terms alone make none, so there is a group on the way */
            while (w->stack[depth - 1].unit < p->graph->count) depth--;
            return w->stack[depth - 1].unit - p->graph->count;
        }
        w->state[u] = ORDERING;
        w->stack[depth++] = (struct step){u, 0};
    }
    return -1;
}

/* angles that need no sine themselves, and what they are made of; then the rest */
static int32_t order_once(ordering *w)
{
    const pn_abreast *p = w->p;
    int32_t waits = -1;
    w->units->count = 0;
    memset(w->state, 0, (size_t)p->graph->count + (size_t)p->groups);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < p->graph->count && waits < 0; i++) {
            const pn_term *t = &p->term[i];
            if (!t->live || pn_term_is_leaf(t)) continue;
            if (pass == 1)
                waits = order_unit(w, unit_of(p, i));
            else if (pn_is_trigonometric(t) && w->early[t->operand[0]] && !pn_term_is_leaf(&p->term[t->operand[0]]))
                waits = order_unit(w, t->operand[0]);
        }
        if (pass == 0) w->units->first = w->units->count;
    }
    return waits;
}

int pn_units_order(pn_abreast *p, const uint8_t *early, pn_units *units)
{
    const size_t n = (size_t)p->graph->count + (size_t)p->groups + 1;
    ordering w = {p, early, units, calloc(n, 1), malloc(n * sizeof *w.stack)};
    units->order = malloc(n * sizeof *units->order);
    const int fine = w.state && w.stack && units->order;
    for (int32_t waits = fine ? order_once(&w) : -1; waits >= 0; waits = order_once(&w)) p->list[waits].dropped = 1;
    free(w.state);
    free(w.stack);
    return fine;
}
