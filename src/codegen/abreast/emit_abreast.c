/* Statements of C over registers of several numbers: vectors of GCC and Clang, lanes_2 and lanes_4. */
#include "codegen/abreast/abreast.h"
#include <stdlib.h>
#include <string.h>

/* What is written at a time, a unit: a term by itself, or a group, whose number comes behind those of the terms. */
typedef struct writing {
    pn_abreast *p;
    const pn_function *f;
    pn_text *t;
    uint8_t *state;        /* of a unit: being ordered, ordered */
    int32_t *order;        /* units */
    int32_t units;
    struct step {
        int32_t unit;
        int next;          /* operand */
    } *stack;
    int32_t *angle;        /* of each sine and cosine: its number among the angles, from 1 on; 0: it comes later */
    int32_t angles, first; /* and how many units come before the angles */
    uint8_t *early;        /* sums and products of inputs */
    int32_t *first_result, *next_result; /* of each term, and of each result; -1: none */
    pn_side_map names;     /* of what was collected */
    int collected;
} writing;

/* ---- the order: as recorded, groups as late as their first lane ---- */

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
static int32_t order_unit(writing *w, int32_t root)
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
            w->order[w->units++] = s->unit;
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

static int is_trigonometric(const pn_term *t)
{
    return t->operation == PN_OP_SIN || t->operation == PN_OP_COS;
}

/* angles that need no sine themselves, and what they are made of; then the rest */
static int32_t order_once(writing *w)
{
    const pn_abreast *p = w->p;
    int32_t waits = -1;
    w->units = 0;
    memset(w->state, 0, (size_t)p->graph->count + (size_t)p->groups);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < p->graph->count && waits < 0; i++) {
            const pn_term *t = &p->term[i];
            if (!t->live || pn_term_is_leaf(t)) continue;
            if (pass == 1)
                waits = order_unit(w, unit_of(p, i));
            else if (is_trigonometric(t) && w->early[t->operand[0]] && !pn_term_is_leaf(&p->term[t->operand[0]]))
                waits = order_unit(w, t->operand[0]);
        }
        if (pass == 0) w->first = w->units;
    }
    return waits;
}

static void order_all(writing *w)
{
    for (int32_t waits = order_once(w); waits >= 0; waits = order_once(w)) w->p->list[waits].dropped = 1;
}

static void find_angles(writing *w)
{
    const pn_abreast *p = w->p;
    for (int32_t i = 0; i < p->graph->count; i++) {
        const pn_term *t = &p->term[i];
        const int linear = t->operation == PN_OP_ADD || t->operation == PN_OP_MUL;
        w->early[i] = pn_term_is_leaf(t) || (linear && w->early[t->operand[0]] && w->early[t->operand[1]]);
        if (!t->live || !is_trigonometric(t) || !w->early[t->operand[0]]) continue;
        for (int32_t j = 0; j < i && !w->angle[i]; j++)
            if (w->angle[j] && p->term[j].operand[0] == t->operand[0] && p->term[j].sign[0] == t->sign[0])
                w->angle[i] = w->angle[j];
        if (!w->angle[i]) w->angle[i] = ++w->angles;
    }
}

/* ---- numbers ---- */

/* a term where one number is wanted, with a sign */
static void write_number(const writing *w, int32_t term, int sign)
{
    static const char *const array[] = {"q", "v", "a", "tau", "f_ext"};
    const pn_term *t = &w->p->term[term];
    if (pn_is_grouped(w->p, term)) {
        const pn_group *g = &w->p->list[w->p->group[term]];
        const int lane = pn_lane_of(g, term), other = g->lanes.sign[lane] * sign * (g->turned ? -1 : 1) < 0;
        pn_text_add(w->t, "%sw%d[%d]%s", other ? "(-" : "", (int)w->p->group[term], lane, other ? ")" : "");
        return;
    }
    if (sign < 0) pn_text_add(w->t, "(-");
    if (t->operation == PN_OP_CONSTANT)
        pn_text_literal(w->t, t->value, PINION_CODEGEN_REAL);
    else if (t->operation == PN_OP_INPUT)
        pn_text_add(w->t, "%s[%d]", array[t->operand[0]], (int)t->operand[1]);
    else if (is_trigonometric(t) && w->angle[term])
        pn_text_add(w->t, "%s[%d]", t->operation == PN_OP_SIN ? "sine" : "cosine", (int)w->angle[term] - 1);
    else
        pn_text_add(w->t, "t%d", (int)term);
    if (sign < 0) pn_text_add(w->t, ")");
}

/* the sine or cosine of what is no angle of the state */
static void write_late_sine(const writing *w, int32_t term)
{
    const pn_term *t = &w->p->term[term];
    const int sine = t->operation == PN_OP_SIN;
    pn_text_add(w->t, "    real t%d, other%d;\n    real_sincos(", (int)term, (int)term);
    write_number(w, t->operand[0], t->sign[0]);
    pn_text_add(w->t, ", &%s%d, &%s%d);\n", sine ? "t" : "other", (int)term, sine ? "other" : "t", (int)term);
}

static void write_choice(const writing *w, const pn_term *t)
{
    const pn_term *less = &w->p->term[t->operand[0]];
    pn_text_add(w->t, "real_select(real_lt(");
    write_number(w, less->operand[0], less->sign[0]);
    pn_text_add(w->t, ", ");
    write_number(w, less->operand[1], less->sign[1]);
    pn_text_add(w->t, "), ");
    write_number(w, t->operand[1], t->sign[1]);
    pn_text_add(w->t, ", ");
    write_number(w, t->operand[2], t->sign[2]);
    pn_text_add(w->t, ")");
}

static void write_operation(const writing *w, const pn_term *t)
{
    const int minus = t->operation == PN_OP_ADD && t->sign[1] < 0;
    const char *const open = t->operation == PN_OP_SQRT    ? "real_sqrt("
                             : t->operation == PN_OP_ATAN2 ? "real_atan2("
                                                           : "";
    const char *const between = minus                         ? " - "
                                : t->operation == PN_OP_ADD ? " + "
                                : t->operation == PN_OP_MUL ? " * "
                                : t->operation == PN_OP_DIV ? " / "
                                                            : ", ";
    pn_text_add(w->t, "%s", open);
    write_number(w, t->operand[0], t->sign[0]);
    if (pn_term_operands(t) > 1) {
        pn_text_add(w->t, "%s", between);
        write_number(w, t->operand[1], minus ? 1 : t->sign[1]);
    }
    pn_text_add(w->t, "%s", open[0] ? ")" : "");
}

/* a term by itself; comparisons are part of the choice by them */
static void write_term(const writing *w, int32_t term)
{
    const pn_term *t = &w->p->term[term];
    if (t->operation == PN_OP_LESS || w->angle[term]) return;
    if (is_trigonometric(t)) {
        write_late_sine(w, term);
        return;
    }
    pn_text_add(w->t, "    const real t%d = ", (int)term);
    if (t->operation == PN_OP_SELECT)
        write_choice(w, t);
    else
        write_operation(w, t);
    pn_text_add(w->t, ";\n");
}

/* ---- registers ---- */

static int width(int count)
{
    return count > 2 ? 4 : 2;
}

/* {x, y, z, z}: what there are too few of is there twice */
static void write_list(const writing *w, const pn_side *s)
{
    pn_text_add(w->t, "(lanes_%d){", width(s->count));
    for (int k = 0; k < width(s->count); k++) {
        const int at = k < s->count ? k : s->count - 1;
        if (k) pn_text_add(w->t, ", ");
        write_number(w, s->term[at], s->sign[at]);
    }
    pn_text_add(w->t, "}");
}

/* An operand: how it is to be had, with a sign of all of it left over. */
typedef struct source {
    int kind;     /* PN_SIDE_* */
    int32_t group;
    int name;     /* of what was collected; 0: none */
    int sign;
} source;

/* whether a group has just these signs */
static int has_signs(const pn_group *g, const pn_side *s)
{
    for (int k = 0; k < s->count; k++)
        if (g->lanes.sign[k] != s->sign[k]) return 0;
    return 1;
}

/* a group with other signs than it has */
static void write_turned(const writing *w, int32_t group, const pn_side *s)
{
    const pn_group *g = &w->p->list[group];
    pn_text_add(w->t, "w%d * (lanes_%d){", (int)group, width(s->count));
    for (int k = 0; k < width(s->count); k++) {
        const int at = k < s->count ? k : s->count - 1;
        pn_text_add(w->t, "%s%d", k ? ", " : "", g->lanes.sign[at] * s->sign[at] * (g->turned ? -1 : 1));
    }
    pn_text_add(w->t, "}");
}

/* Writes what is to be collected for an operand, unless it was before. */
static source prepare(writing *w, const pn_side *side)
{
    source x = {pn_side_kind(w->p, side), -1, 0, 1};
    pn_side s = *side;
    if (x.kind == PN_SIDE_CONSTANT) return x;
    x.sign = s.sign[0];
    if (x.kind == PN_SIDE_SAME) return x;
    for (int k = 0; k < s.count; k++) s.sign[k] = (int8_t)(s.sign[k] * x.sign);
    if (x.kind == PN_SIDE_GROUP) x.group = pn_group_of(w->p, side);
    if (x.group >= 0 && has_signs(&w->p->list[x.group], &s)) {
        if (w->p->list[x.group].turned) x.sign = -x.sign;
        return x;
    }
    int *number = pn_side_number(&w->names, &s);
    if (!*number) {
        *number = ++w->collected;
        pn_text_add(w->t, "    const lanes_%d c%d = ", width(s.count), *number);
        if (x.group >= 0)
            write_turned(w, x.group, &s);
        else
            write_list(w, &s);
        pn_text_add(w->t, ";\n");
    }
    x.name = *number;
    return x;
}

static void write_source(const writing *w, const source *x, const pn_side *s)
{
    if (x->name)
        pn_text_add(w->t, "c%d", x->name);
    else if (x->kind == PN_SIDE_GROUP)
        pn_text_add(w->t, "w%d", (int)x->group);
    else if (x->kind == PN_SIDE_CONSTANT)
        write_list(w, s);
    else
        write_number(w, s->term[0], 1);
}

static void write_group(writing *w, int32_t number)
{
    pn_group *g = &w->p->list[number];
    const source x = prepare(w, &g->x), y = prepare(w, &g->y);
    const int sum = g->operation == PN_OP_ADD, swap = sum && x.sign < 0 && y.sign > 0;
    const char *operation = !sum ? g->operation == PN_OP_MUL ? "*" : "/" : x.sign == y.sign ? "+" : "-";
    g->turned = sum ? x.sign < 0 && y.sign < 0 : x.sign != y.sign;
    pn_text_add(w->t, "    const lanes_%d w%d = ", width(g->lanes.count), (int)number);
    if (x.kind == PN_SIDE_SAME && y.kind == PN_SIDE_SAME) pn_text_add(w->t, "(lanes_%d){0} + ", width(g->lanes.count));
    write_source(w, swap ? &y : &x, swap ? &g->y : &g->x);
    pn_text_add(w->t, " %s ", operation);
    write_source(w, swap ? &x : &y, swap ? &g->x : &g->y);
    pn_text_add(w->t, ";\n");
}

/* ---- results ---- */

/* the array of a result and its place there */
static size_t place_of(const writing *w, size_t result, int *array)
{
    *array = 0;
    while (result >= w->f->out[*array].count) result -= w->f->out[(*array)++].count;
    return result;
}

static int result_sign(const writing *w, size_t result)
{
    return w->p->value[w->p->graph->result[result]].sign;
}

static void list_results(writing *w)
{
    const pn_graph *graph = w->p->graph;
    for (int32_t i = 0; i < graph->count; i++) w->first_result[i] = -1;
    for (size_t k = graph->results; k-- > 0;) {
        const int32_t i = w->p->value[graph->result[k]].term;
        w->next_result[k] = w->first_result[i];
        w->first_result[i] = (int32_t)k;
    }
}

static void write_results(const writing *w, int32_t term)
{
    for (int32_t k = w->first_result[term]; k >= 0; k = w->next_result[k]) {
        int array;
        const size_t at = place_of(w, (size_t)k, &array);
        pn_text_add(w->t, "    %s[%zu] = ", w->f->out[array].name, at);
        write_number(w, term, result_sign(w, (size_t)k));
        pn_text_add(w->t, ";\n");
    }
}

/* whether a result is zero by the tree's structure: who calls has these, or writes them (glue.c) */
static int is_apart(const writing *w, size_t result)
{
    return w->f->apart && w->f->apart[result];
}

/* how many results from one on are zero in every state, in one array */
static size_t zeros_from(const writing *w, size_t result, size_t most)
{
    size_t n = 0;
    for (; n < most && !is_apart(w, result + n); n++) {
        const pn_term *t = &w->p->term[w->p->value[w->p->graph->result[result + n]].term];
        if (t->operation != PN_OP_CONSTANT || t->value != 0) break;
    }
    return n;
}

/* results that no state changes, or that are given; zeros in a row together */
static void write_known(const writing *w)
{
    const pn_graph *graph = w->p->graph;
    for (size_t k = 0, n; k < graph->results; k += n) {
        const int32_t term = w->p->value[graph->result[k]].term;
        int array;
        const size_t at = place_of(w, k, &array), zeros = zeros_from(w, k, w->f->out[array].count - at);
        n = zeros > 1 ? zeros : 1;
        if (is_apart(w, k)) continue;
        if (zeros > 1) {
            pn_text_add(w->t, "    lanes_zero(%s + %zu, %zu);\n", w->f->out[array].name, at, zeros);
        } else if (pn_term_is_leaf(&w->p->term[term])) {
            pn_text_add(w->t, "    %s[%zu] = ", w->f->out[array].name, at);
            write_number(w, term, result_sign(w, k));
            pn_text_add(w->t, ";\n");
        }
    }
}

/* ---- all of it ---- */

static void write_angles(const writing *w)
{
    const pn_abreast *p = w->p;
    if (w->angles == 0) return;
    pn_text_add(w->t, "    const real angle[%d] = {", (int)w->angles);
    for (int32_t i = 0, next = 1; i < p->graph->count; i++) {
        if (w->angle[i] != next) continue;
        pn_text_add(w->t, next > 1 ? ", " : "");
        write_number(w, p->term[i].operand[0], p->term[i].sign[0]);
        next++;
    }
    pn_text_add(w->t, "};\n    real sine[%d], cosine[%d];\n", (int)w->angles, (int)w->angles);
    pn_text_add(w->t, "    for (int i = 0; i < %d; i++) real_sincos(angle[i], &sine[i], &cosine[i]);\n",
                (int)w->angles);
}

static void write_all(writing *w)
{
    const int32_t count = w->p->graph->count;
    for (int32_t i = 0; i < w->units && !w->t->failed; i++) {
        const int32_t unit = w->order[i];
        if (i == w->first) write_angles(w);
        if (unit < count) {
            write_term(w, unit);
            write_results(w, unit);
            continue;
        }
        const pn_group *g = &w->p->list[unit - count];
        write_group(w, unit - count);
        for (int k = 0; k < g->lanes.count; k++) write_results(w, g->lanes.term[k]);
    }
    if (w->first == w->units) write_angles(w);
    write_known(w);
}

void pn_emit_abreast(pn_abreast *p, const pn_function *f, pn_text *t)
{
    const size_t terms = (size_t)p->graph->count + 1, n = terms + (size_t)p->groups;
    writing w = {.p = p, .f = f, .t = t};
    w.state = calloc(n, 1);
    w.order = malloc(n * sizeof *w.order);
    w.stack = malloc(n * sizeof *w.stack);
    w.angle = calloc(terms, sizeof *w.angle);
    w.early = calloc(terms, 1);
    w.first_result = malloc(terms * sizeof *w.first_result);
    w.next_result = malloc((p->graph->results + 1) * sizeof *w.next_result);
    const int named = pn_side_map_open(p, &w.names);
    if (w.state && w.order && w.stack && w.angle && w.early && w.first_result && w.next_result && named) {
        find_angles(&w);
        list_results(&w);
        order_all(&w);
        write_all(&w);
    } else {
        t->failed = 1;
    }
    free(w.state);
    free(w.order);
    free(w.stack);
    free(w.angle);
    free(w.early);
    free(w.first_result);
    free(w.next_result);
    pn_side_map_close(&w.names);
}
