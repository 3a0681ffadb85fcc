/* Groups: terms of the same operation, none of which depends on another. Two results that belong together are a group,
 * then their operands, and so on down to what is not alike any more. A term is in one group at most. */
#include "codegen/abreast/abreast.h"
#include <stdlib.h>

int32_t pn_group_of(const pn_abreast *p, const pn_side *s)
{
    const int32_t g = p->group[s->term[0]];
    if (g < 0 || p->list[g].dropped || p->list[g].lanes.count != s->count) return -1;
    for (int k = 0; k < s->count; k++)
        if (p->list[g].lanes.term[k] != s->term[k]) return -1;
    return g;
}

int pn_lane_of(const pn_group *g, int32_t term)
{
    int k = 0;
    while (g->lanes.term[k] != term) k++;
    return k;
}

static int is_same(const pn_side *s)
{
    for (int k = 1; k < s->count; k++)
        if (s->term[k] != s->term[0] || s->sign[k] != s->sign[0]) return 0;
    return 1;
}

static int is_constant(const pn_abreast *p, const pn_side *s)
{
    for (int k = 0; k < s->count; k++)
        if (p->term[s->term[k]].operation != PN_OP_CONSTANT) return 0;
    return 1;
}

int pn_side_kind(const pn_abreast *p, const pn_side *s)
{
    if (is_same(s)) return PN_SIDE_SAME;
    if (is_constant(p, s)) return PN_SIDE_CONSTANT;
    return pn_group_of(p, s) >= 0 ? PN_SIDE_GROUP : PN_SIDE_COLLECTED;
}

/* ---- what can be a group ---- */

/* whether term a, the later one, depends on b */
static int depends(pn_abreast *p, int32_t a, int32_t b)
{
    int32_t depth = 0;
    p->trail[depth++] = a;
    p->searches++;
    while (depth > 0) {
        const pn_term *t = &p->term[p->trail[--depth]];
        for (int k = 0; k < pn_term_operands(t); k++) {
            const int32_t o = t->operand[k];
            if (o == b) return 1;
            if (o < b || p->seen[o] == p->searches) continue;
            p->seen[o] = p->searches;
            p->trail[depth++] = o;
        }
    }
    return 0;
}

static int can_be_grouped(pn_abreast *p, const pn_side *s)
{
    const int operation = p->term[s->term[0]].operation;
    if (operation != PN_OP_ADD && operation != PN_OP_MUL && operation != PN_OP_DIV) return 0;
    for (int k = 0; k < s->count; k++) {
        const pn_term *t = &p->term[s->term[k]];
        if (t->operation != operation || t->apart || p->group[s->term[k]] >= 0) return 0;
        for (int j = 0; j < k; j++)
            if (s->term[j] == s->term[k]) return 0;
    }
    for (int k = 0; k < s->count; k++)
        for (int j = 0; j < s->count; j++)
            if (s->term[j] < s->term[k] && depends(p, s->term[k], s->term[j])) return 0;
    return 1;
}

/* ---- which operand is which ---- */

/* how alike two operands are */
static int likeness(const pn_abreast *p, int32_t a, int32_t b)
{
    const pn_term *x = &p->term[a], *y = &p->term[b];
    if (a == b) return 12;
    if (x->operation == PN_OP_CONSTANT && y->operation == PN_OP_CONSTANT) return 10;
    if (p->group[a] >= 0 && p->group[a] == p->group[b]) return 10;
    for (int d = 2; d >= 0; d--)
        if (x->shape[d] == y->shape[d]) return 5 + 2 * d;
    return x->operation == y->operation ? 2 : 0;
}

/* The operands of all lanes, the first lane's in this order; returns how alike they are. */
static int take_operands(const pn_abreast *p, const pn_side *lanes, int swapped, pn_side *x, pn_side *y)
{
    int sum = 0;
    x->count = y->count = lanes->count;
    for (int k = 0; k < lanes->count; k++) {
        const pn_term *t = &p->term[lanes->term[k]];
        int first = swapped;
        if (k > 0) {
            const int straight = likeness(p, x->term[0], t->operand[0]) + likeness(p, y->term[0], t->operand[1]);
            const int crossed = likeness(p, x->term[0], t->operand[1]) + likeness(p, y->term[0], t->operand[0]);
            first = t->operation != PN_OP_DIV && crossed > straight;
            sum += first ? crossed : straight;
        }
        x->term[k] = t->operand[first];
        x->sign[k] = t->sign[first];
        y->term[k] = t->operand[!first];
        y->sign[k] = t->sign[!first];
    }
    return sum;
}

/* how gladly a factor takes the signs of its product */
static int takes_signs(const pn_abreast *p, const pn_side *s, const int8_t *sign)
{
    const int32_t g = pn_group_of(p, s);
    if (is_constant(p, s)) return 3;
    if (is_same(s)) return 0;
    if (g < 0) return 2;
    for (int k = 1; k < s->count; k++)
        if (p->list[g].lanes.sign[k] != sign[k]) return 0;
    return 4;
}

static void set_operands(const pn_abreast *p, pn_group *g)
{
    pn_side x = {{0}, {0}, 0}, y = x;
    const int straight = take_operands(p, &g->lanes, 0, &g->x, &g->y);
    if (g->operation != PN_OP_DIV && take_operands(p, &g->lanes, 1, &x, &y) > straight) {
        g->x = x;
        g->y = y;
    }
    const int both = g->operation == PN_OP_ADD;
    const int first = both || takes_signs(p, &g->x, g->lanes.sign) >= takes_signs(p, &g->y, g->lanes.sign);
    for (int k = 0; k < g->lanes.count; k++) {
        if (first) g->x.sign[k] = (int8_t)(g->x.sign[k] * g->lanes.sign[k]);
        if (!first || both) g->y.sign[k] = (int8_t)(g->y.sign[k] * g->lanes.sign[k]);
    }
}

/* ---- from the results down ---- */

static void want(pn_abreast *p, const pn_side *s)
{
    if (p->waiting == p->room) {
        const size_t room = 2 * p->room + 64;
        pn_side *work = realloc(p->work, room * sizeof *work);
        if (!work) {
            p->failed = 1;
            return;
        }
        p->work = work;
        p->room = room;
    }
    p->work[p->waiting++] = *s;
}

static void group_one(pn_abreast *p, const pn_side *s)
{
    if (!can_be_grouped(p, s)) return;
    pn_group *g = &p->list[p->groups];
    *g = (pn_group){.lanes = *s, .operation = p->term[s->term[0]].operation};
    for (int k = 0; k < s->count; k++) {
        g->lanes.sign[k] = (int8_t)(s->sign[k] * s->sign[0]);
        p->group[s->term[k]] = p->groups;
    }
    p->groups++;
    set_operands(p, g);
    want(p, &g->y);
    want(p, &g->x);
}

void pn_group_results(pn_abreast *p, const int32_t *term, int count)
{
    pn_side s = {{0}, {0}, 0};
    for (int k = 0; k < count; k++) {
        int known = pn_term_is_leaf(&p->term[term[k]]);
        for (int j = 0; j < s.count; j++) known |= s.term[j] == term[k];
        if (known) continue;
        s.sign[s.count] = 1;
        s.term[s.count++] = term[k];
    }
    p->waiting = 0;
    if (s.count > 1) want(p, &s);
    while (p->waiting > 0 && !p->failed) {
        const pn_side next = p->work[--p->waiting];
        group_one(p, &next);
    }
}

/* ---- collected operands: open addressing ---- */

int pn_side_map_open(const pn_abreast *p, pn_side_map *map)
{
    map->capacity = 8 * (size_t)p->groups + 8;
    map->at = calloc(map->capacity, sizeof *map->at);
    return map->at != NULL;
}

void pn_side_map_close(pn_side_map *map)
{
    free(map->at);
    map->at = NULL;
}

static int is_equal(const pn_side *a, const pn_side *b)
{
    for (int k = 0; k < a->count; k++)
        if (a->term[k] != b->term[k] || a->sign[k] != b->sign[k]) return 0;
    return a->count == b->count;
}

int *pn_side_number(pn_side_map *map, const pn_side *s)
{
    uint64_t h = (uint64_t)s->count;
    for (int k = 0; k < s->count; k++) h = (h ^ ((uint64_t)s->term[k] * 2 + (s->sign[k] < 0))) * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h >> 20) % map->capacity;
    while (map->at[i].number && !is_equal(&map->at[i].side, s)) i = (i + 1) % map->capacity;
    map->at[i].side = *s;
    return &map->at[i].number;
}
