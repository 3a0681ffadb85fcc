/* What groups save and what they cost, in instructions: an operation for each lane but one is saved; numbers that come
 * from elsewhere have to be collected, and what is used by itself has to be taken out again. */
#include "codegen/abreast/abreast.h"
#include <stdlib.h>
#include <string.h>

/* marks terms that are needed by themselves, counts who has which operand */
static void survey(pn_abreast *p, pn_side_map *c, uint8_t *taken)
{
    memset(c->at, 0, c->capacity * sizeof *c->at);
    memset(taken, 0, (size_t)p->graph->count);
    for (int32_t i = 0; i < p->groups; i++) p->list[i].users = 0;
    for (int32_t i = 0; i < p->graph->count; i++) {
        const pn_term *t = &p->term[i];
        if (!t->live || pn_is_grouped(p, i)) continue;
        for (int k = 0; k < pn_term_operands(t); k++) taken[t->operand[k]] = 1;
    }
    for (int32_t i = 0; i < p->groups; i++) {
        const pn_group *g = &p->list[i];
        for (int side = 0; side < 2 && !g->dropped; side++) {
            const pn_side *s = side ? &g->y : &g->x;
            const int kind = pn_side_kind(p, s);
            if (kind == PN_SIDE_GROUP) p->list[pn_group_of(p, s)].users++;
            if (kind == PN_SIDE_COLLECTED) ++*pn_side_number(c, s);
            if (kind != PN_SIDE_COLLECTED && kind != PN_SIDE_SAME) continue;
            for (int k = 0; k < s->count; k++) taken[s->term[k]] = 1;
        }
    }
}

static double gain(const pn_abreast *p, pn_side_map *c, const uint8_t *taken, const pn_group *g)
{
    const double n = g->lanes.count;
    double sum = n - 1;
    for (int side = 0; side < 2; side++) {
        const pn_side *s = side ? &g->y : &g->x;
        const int kind = pn_side_kind(p, s);
        if (kind == PN_SIDE_COLLECTED) sum -= (n - 1) / (*pn_side_number(c, s) > 0 ? *pn_side_number(c, s) : 1);
        if (kind == PN_SIDE_GROUP) {
            const int users = p->list[pn_group_of(p, s)].users;
            sum += 0.75 * n / (users > 0 ? users : 1); /* what would be taken out else */
        }
        if (kind == PN_SIDE_SAME && !pn_term_is_leaf(&p->term[s->term[0]])) sum -= 0.3;
    }
    if (g->users) sum += n - 1;
    for (int k = 0; k < g->lanes.count; k++) sum -= taken[g->lanes.term[k]];
    return sum;
}

static double cost(pn_abreast *p, const pn_side_map *c, const uint8_t *taken)
{
    double sum = 0;
    for (size_t i = 0; i < c->capacity; i++) sum += c->at[i].number ? c->at[i].side.count - 1 : 0;
    for (int32_t i = 0; i < p->graph->count; i++) {
        const pn_term *t = &p->term[i];
        if (!t->live || pn_term_is_leaf(t)) continue;
        sum += pn_is_grouped(p, i) ? taken[i] * 0.75 : t->operation != PN_OP_LESS;
    }
    for (int32_t i = 0; i < p->groups; i++) sum += !p->list[i].dropped;
    return sum;
}

double pn_abreast_weigh(pn_abreast *p)
{
    enum { ROUNDS = 8 };
    pn_side_map c = {NULL, 0};
    uint8_t *taken = malloc((size_t)p->graph->count + 1);
    double left = 0;
    p->failed |= !pn_side_map_open(p, &c) || !taken;
    for (int round = 0, dropped = 1; !p->failed && dropped && round <= ROUNDS; round++) {
        survey(p, &c, taken);
        dropped = 0;
        for (int32_t i = 0; round < ROUNDS && i < p->groups; i++) {
            pn_group *g = &p->list[i];
            if (g->dropped || gain(p, &c, taken, g) > 0) continue;
            g->dropped = 1;
            dropped++;
        }
        left = cost(p, &c, taken);
    }
    pn_side_map_close(&c);
    free(taken);
    return left;
}
