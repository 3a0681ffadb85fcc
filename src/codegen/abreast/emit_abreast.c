/* Statements of C for code that is loaded back. Groups are registers of several numbers: vectors of GCC and Clang,
 * lanes_2 and lanes_4. What stays in registers is said, too (registers.h). */
#include "codegen/abreast/abreast.h"
#include "codegen/registers/registers.h"
#include <stdlib.h>
#include <string.h>

enum { FEW_RESULTS = 4, /* for fewer no pointer is moved */
       ARRAYS = sizeof ((pn_function *)0)->out / sizeof(pn_argument) };

typedef struct writing {
    pn_abreast *p;
    const pn_function *f;
    pn_text *t;
    pn_registers r;
    pn_units units;
    int32_t *angle;        /* of each sine and cosine: its number among the angles, from 1 on; 0: it comes later */
    int32_t angles;
    uint8_t *early;        /* sums and products of inputs */
    uint8_t *once;         /* products that one sum is made of and nothing else */
    int32_t *first_result, *next_result; /* of each term, and of each result; -1: none */
    pn_side_map names;     /* of what was collected */
    int collected;
    int8_t *width_of;      /* of each of these */
    struct result_at {
        int array, at;
    } *written;            /* results in the order in which they are written */
    size_t to_write, next_written;
    int from[ARRAYS];      /* where the pointer to each array of results is */
} writing;

/* ---- what comes first, and what is written with others ---- */

static void find_angles(writing *w)
{
    const pn_abreast *p = w->p;
    for (int32_t i = 0; i < p->graph->count; i++) {
        const pn_term *t = &p->term[i];
        const int linear = t->operation == PN_OP_ADD || t->operation == PN_OP_MUL;
        w->early[i] = pn_term_is_leaf(t) || (linear && w->early[t->operand[0]] && w->early[t->operand[1]]);
        if (!t->live || !pn_is_trigonometric(t) || !w->early[t->operand[0]]) continue;
        for (int32_t j = 0; j < i && !w->angle[i]; j++)
            if (w->angle[j] && p->term[j].operand[0] == t->operand[0] && p->term[j].sign[0] == t->sign[0])
                w->angle[i] = w->angle[j];
        if (!w->angle[i]) w->angle[i] = ++w->angles;
    }
}

/* a term, and how often it is an operand: what groups and results are made of counts twice */
static void count_uses(const writing *w, uint8_t *uses)
{
    const pn_abreast *p = w->p;
    for (int32_t i = 0; i < p->graph->count; i++) {
        const pn_term *t = &p->term[i];
        const int many = pn_is_grouped(p, i) ? 2 : 1;
        for (int k = 0; t->live && k < pn_term_operands(t); k++)
            if (uses[t->operand[k]] < 2) uses[t->operand[k]] = (uint8_t)(uses[t->operand[k]] + many);
    }
    for (size_t k = 0; k < p->graph->results; k++) uses[p->value[p->graph->result[k]].term] = 2;
}

/* Products that are written where they are added: a processor has one instruction for both. */
static void find_products(writing *w, uint8_t *uses)
{
    const pn_abreast *p = w->p;
    count_uses(w, uses);
    for (int32_t i = 0; i < p->graph->count; i++) {
        const pn_term *t = &p->term[i];
        if (!t->live || t->operation != PN_OP_ADD || pn_is_grouped(p, i) || w->early[i]) continue;
        for (int k = 1; k >= 0; k--) {
            const int32_t o = t->operand[k];
            if (p->term[o].operation != PN_OP_MUL || uses[o] != 1 || pn_is_grouped(p, o)) continue;
            w->once[o] = 1;
            break;
        }
    }
}

/* ---- values: terms, groups, and what was collected ---- */

static int32_t value_of_group(const writing *w, int32_t group)
{
    return w->p->graph->count + group;
}

static int32_t value_of_collected(const writing *w, int number)
{
    return w->p->graph->count + w->p->groups + number;
}

static int width(int count)
{
    return count > 2 ? 4 : 2;
}

static void value_name(const void *writer, int32_t value, pn_text *t)
{
    const writing *w = writer;
    const int32_t groups = w->p->graph->count, collected = groups + w->p->groups;
    if (value < groups)
        pn_text_add(t, "t%d", (int)value);
    else if (value < collected)
        pn_text_add(t, "w%d", (int)(value - groups));
    else
        pn_text_add(t, "c%d", (int)(value - collected));
}

/* inputs, sines and cosines of angles are in arrays */
static int value_home(const void *writer, int32_t value, pn_text *text)
{
    const writing *w = writer;
    if (value >= w->p->graph->count) return 0;
    const pn_term *t = &w->p->term[value];
    if (t->operation == PN_OP_INPUT)
        pn_text_add(text, "%s[%d]", pn_input_name[t->operand[0]], (int)t->operand[1]);
    else if (w->angle[value])
        pn_text_add(text, "%s[%d]", t->operation == PN_OP_SIN ? "sine" : "cosine", (int)w->angle[value] - 1);
    else
        return 0;
    return 1;
}

static int value_width(const void *writer, int32_t value)
{
    const writing *w = writer;
    const int32_t group = value - w->p->graph->count;
    if (group < 0) return 1;
    return group < w->p->groups ? width(w->p->list[group].lanes.count) : w->width_of[group - w->p->groups];
}

/* ---- numbers ---- */

static void write_number(writing *w, int32_t term, int sign);

/* a term where one number is wanted, without a sign */
static void write_plain(writing *w, int32_t term)
{
    const pn_term *t = &w->p->term[term];
    if (t->operation == PN_OP_CONSTANT) {
        pn_registers_constant(&w->r);
        pn_text_literal(w->t, t->value, PINION_CODEGEN_REAL);
    } else if (w->once[term]) {
        write_number(w, t->operand[0], 1);
        pn_text_add(w->t, " * ");
        write_number(w, t->operand[1], 1);
    } else {
        pn_registers_use(&w->r, term, -1);
    }
}

/* the same with one */
static void write_number(writing *w, int32_t term, int sign)
{
    const pn_abreast *p = w->p;
    const int32_t group = pn_is_grouped(p, term) ? p->group[term] : -1;
    const int lane = group < 0 ? 0 : pn_lane_of(&p->list[group], term);
    if (group >= 0) sign *= p->list[group].lanes.sign[lane] * (p->list[group].turned ? -1 : 1);
    if (sign < 0) pn_text_add(w->t, "(-");
    if (group >= 0)
        pn_registers_use(&w->r, value_of_group(w, group), lane);
    else
        write_plain(w, term);
    if (sign < 0) pn_text_add(w->t, ")");
}

/* a statement, of which so many operands may be read from memory */
static void begin(writing *w, int reads)
{
    pn_registers_statement(&w->r, reads);
    pn_text_add(w->t, "    ");
}

static void end(writing *w)
{
    pn_text_add(w->t, ";\n");
    pn_registers_end(&w->r);
}

/* the sine or cosine of what is no angle of the state */
static void write_late_sine(writing *w, int32_t term)
{
    const pn_term *t = &w->p->term[term];
    const int sine = t->operation == PN_OP_SIN;
    begin(w, 1);
    pn_text_add(w->t, "real ");
    pn_registers_define(&w->r, term);
    pn_text_add(w->t, ", other%d; real_sincos(", (int)term);
    write_number(w, t->operand[0], t->sign[0]);
    pn_text_add(w->t, ", &%s%d, &%s%d)", sine ? "t" : "other", (int)term, sine ? "other" : "t", (int)term);
    end(w);
}

static void write_choice(writing *w, const pn_term *t)
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

static void write_operation(writing *w, const pn_term *t)
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

/* a term by itself; comparisons are part of the choice by them, some products of sums */
static void write_term(writing *w, int32_t term)
{
    const pn_term *t = &w->p->term[term];
    const int choice = t->operation == PN_OP_SELECT;
    if (t->operation == PN_OP_LESS || w->angle[term] || w->once[term]) return;
    if (pn_is_trigonometric(t)) {
        write_late_sine(w, term);
        return;
    }
    begin(w, choice ? PN_READS_ANY : 1);
    pn_text_add(w->t, "const real ");
    pn_registers_define(&w->r, term);
    pn_text_add(w->t, " = ");
    if (choice)
        write_choice(w, t);
    else
        write_operation(w, t);
    end(w);
}

/* ---- registers ---- */

/* {x, y, z, z}: what there are too few of is there twice */
static void write_list(writing *w, const pn_side *s)
{
    pn_text_add(w->t, "(lanes_%d){", width(s->count));
    for (int k = 0; k < width(s->count); k++) {
        const int at = k < s->count ? k : s->count - 1;
        if (k) pn_text_add(w->t, ", ");
        write_number(w, s->term[at], s->sign[at]);
    }
    pn_text_add(w->t, "}");
}

/* Numbers of one or two registers are put in order there. */
static void hold_list(writing *w, const pn_side *s)
{
    int32_t group[2] = {-1, -1};
    for (int k = 0; k < s->count; k++) {
        const int32_t g = pn_is_grouped(w->p, s->term[k]) ? w->p->group[s->term[k]] : -1;
        if (g < 0) return;
        int which = 0;
        while (which < 2 && group[which] >= 0 && group[which] != g) which++;
        if (which == 2) return;
        group[which] = g;
    }
    for (int k = 0; k < 2; k++)
        if (group[k] >= 0) pn_registers_hold(&w->r, value_of_group(w, group[k]));
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
static void write_turned(writing *w, int32_t group, const pn_side *s)
{
    const pn_group *g = &w->p->list[group];
    pn_registers_use(&w->r, value_of_group(w, group), -1);
    pn_text_add(w->t, " * (lanes_%d){", width(s->count));
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
        w->width_of[*number] = (int8_t)width(s.count);
        begin(w, x.group >= 0 ? 0 : PN_READS_ANY);
        pn_text_add(w->t, "const lanes_%d ", width(s.count));
        pn_registers_define(&w->r, value_of_collected(w, *number));
        pn_text_add(w->t, " = ");
        if (x.group < 0) hold_list(w, &s);
        if (x.group >= 0)
            write_turned(w, x.group, &s);
        else
            write_list(w, &s);
        end(w);
    }
    x.name = *number;
    return x;
}

static void write_source(writing *w, const source *x, const pn_side *s)
{
    if (x->name)
        pn_registers_use(&w->r, value_of_collected(w, x->name), -1);
    else if (x->kind == PN_SIDE_GROUP)
        pn_registers_use(&w->r, value_of_group(w, x->group), -1);
    else if (x->kind == PN_SIDE_CONSTANT)
        write_list(w, s);
    else
        write_number(w, s->term[0], 1);
}

static int result_sign(const writing *w, size_t result)
{
    return w->p->value[w->p->graph->result[result]].sign;
}

/* whether most results want a group's numbers with the other sign */
static int is_wanted_turned(const writing *w, const pn_group *g)
{
    int wanted = 0;
    for (int l = 0; l < g->lanes.count; l++)
        for (int32_t k = w->first_result[g->lanes.term[l]]; k >= 0; k = w->next_result[k])
            wanted -= result_sign(w, (size_t)k) * g->lanes.sign[l];
    return wanted > 0;
}

/* A difference is written the way round that results want. */
static void write_group(writing *w, int32_t number)
{
    pn_group *g = &w->p->list[number];
    const source x = prepare(w, &g->x), y = prepare(w, &g->y);
    const int sum = g->operation == PN_OP_ADD, turned = is_wanted_turned(w, g);
    const int swap = sum && x.sign != y.sign && (x.sign < 0) != turned;
    const char *operation = !sum ? g->operation == PN_OP_MUL ? "*" : "/" : x.sign == y.sign ? "+" : "-";
    g->turned = (int8_t)(!sum ? x.sign != y.sign : x.sign != y.sign ? turned : x.sign < 0);
    begin(w, 1);
    pn_text_add(w->t, "const lanes_%d ", width(g->lanes.count));
    pn_registers_define(&w->r, value_of_group(w, number));
    pn_text_add(w->t, " = ");
    if (x.kind == PN_SIDE_SAME && y.kind == PN_SIDE_SAME) pn_text_add(w->t, "(lanes_%d){0} + ", width(g->lanes.count));
    write_source(w, swap ? &y : &x, swap ? &g->y : &g->x);
    pn_text_add(w->t, " %s ", operation);
    write_source(w, swap ? &x : &y, swap ? &g->x : &g->y);
    end(w);
}

/* ---- results ---- */

/* the array of a result and its place there */
static size_t place_of(const writing *w, size_t result, int *array)
{
    *array = 0;
    while (result >= w->f->out[*array].count) result -= w->f->out[(*array)++].count;
    return result;
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

/* The pointer to an array of results goes to where the next ones are, if these are a few that it does not reach. */
static void move_pointer(writing *w, const struct result_at *x)
{
    const int near = w->r.near, past = x->at - w->from[x->array];
    int least = x->at, most = x->at, reached = 0;
    if (past >= -near / 2 && past < near / 2) return;
    for (const struct result_at *y = x; y < w->written + w->to_write; y++) {
        if (y->array != x->array) continue;
        const int low = y->at < least ? y->at : least, high = y->at > most ? y->at : most;
        if (high - low >= near) break;
        least = low;
        most = high;
        reached++;
    }
    if (reached < FEW_RESULTS) return;
    const char *name = w->f->out[x->array].name;
    const int to = least + near / 2;
    pn_text_add(w->t, "    at_%s += %d;\n    __asm__(\"\" : \"+r\"(at_%s));\n", name, to - w->from[x->array], name);
    w->from[x->array] = to;
}

static void write_result(writing *w, size_t result, int32_t term)
{
    struct result_at x;
    x.at = (int)place_of(w, result, &x.array);
    if (w->r.recording)
        w->written[w->to_write++] = x;
    else
        move_pointer(w, &w->written[w->next_written++]);
    begin(w, 1);
    if (pn_is_grouped(w->p, term)) pn_registers_hold(&w->r, value_of_group(w, w->p->group[term]));
    pn_text_add(w->t, "at_%s[%d] = ", w->f->out[x.array].name, x.at - w->from[x.array]);
    write_number(w, term, result_sign(w, result));
    end(w);
}

/* pointers of their own, which move */
static void write_pointers(const writing *w, pn_text *t)
{
    for (int k = 0; k < ARRAYS; k++) {
        const char *name = w->f->out[k].name;
        if (name) pn_text_add(t, "    real *at_%s = %s;\n", name, name);
    }
}

static void write_results(writing *w, int32_t term)
{
    for (int32_t k = w->first_result[term]; k >= 0; k = w->next_result[k]) write_result(w, (size_t)k, term);
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
static void write_known(writing *w)
{
    const pn_graph *graph = w->p->graph;
    for (size_t k = 0, n; k < graph->results; k += n) {
        const int32_t term = w->p->value[graph->result[k]].term;
        int array;
        const size_t at = place_of(w, k, &array), zeros = zeros_from(w, k, w->f->out[array].count - at);
        n = zeros > 1 ? zeros : 1;
        if (is_apart(w, k)) continue;
        if (zeros > 1) {
            pn_text_add(w->t, "    zeros(%s + %zu, %zu);\n", w->f->out[array].name, at, zeros);
        } else if (pn_term_is_leaf(&w->p->term[term])) {
            write_result(w, k, term);
        }
    }
}

/* ---- all of it ---- */

static void write_angles(writing *w)
{
    const pn_abreast *p = w->p;
    if (w->angles == 0) return;
    begin(w, PN_READS_ANY);
    pn_text_add(w->t, "const real angle[%d] = {", (int)w->angles);
    for (int32_t i = 0, next = 1; i < p->graph->count; i++) {
        if (w->angle[i] != next) continue;
        pn_text_add(w->t, next > 1 ? ", " : "");
        write_number(w, p->term[i].operand[0], p->term[i].sign[0]);
        next++;
    }
    pn_text_add(w->t, "}");
    end(w);
    pn_text_add(w->t, "    real sine[%d], cosine[%d];\n", (int)w->angles, (int)w->angles);
    pn_text_add(w->t, "    for (int i = 0; i < %d; i++) real_sincos(angle[i], &sine[i], &cosine[i]);\n",
                (int)w->angles);
}

static void write_all(writing *w)
{
    w->collected = 0;
    const int32_t count = w->p->graph->count;
    for (int32_t i = 0; i < w->units.count && !w->t->failed; i++) {
        const int32_t unit = w->units.order[i];
        if (i == w->units.first) write_angles(w);
        if (unit < count) {
            write_term(w, unit);
            write_results(w, unit);
            continue;
        }
        const pn_group *g = &w->p->list[unit - count];
        write_group(w, unit - count);
        for (int k = 0; k < g->lanes.count; k++) write_results(w, g->lanes.term[k]);
    }
    if (w->units.first == w->units.count) write_angles(w);
    write_known(w);
}

/* Twice: what statements need is recorded, then they are written. */
static void write_twice(writing *w, int registers, int near, pn_text *t)
{
    const pn_writer values = {value_name, value_home, value_width, w};
    pn_text first = {0}, lines = {0};
    pn_registers_open(&w->r, &values, registers, near, &first);
    w->t = &first;
    write_all(w);
    pn_side_map_close(&w->names);
    if (first.failed || !pn_side_map_open(w->p, &w->names)) t->failed = 1;
    pn_text_free(&first);
    if (!t->failed) {
        pn_registers_write(&w->r, value_of_collected(w, w->collected) + 1, &lines);
        w->t = &lines;
        write_all(w);
        pn_registers_memory(&w->r, t);
        write_pointers(w, t);
        if (lines.at) pn_text_append(t, lines.at);
        t->failed |= lines.failed | w->r.failed;
    }
    pn_text_free(&lines);
    pn_registers_close(&w->r);
}

void pn_emit_abreast(pn_abreast *p, const pn_function *f, int registers, int near, pn_text *t)
{
    const size_t terms = (size_t)p->graph->count + 1;
    writing w = {.p = p, .f = f};
    uint8_t *uses = calloc(terms, 1);
    w.angle = calloc(terms, sizeof *w.angle);
    w.early = calloc(terms, 1);
    w.once = calloc(terms, 1);
    w.written = malloc((p->graph->results + 1) * sizeof *w.written);
    w.first_result = malloc(terms * sizeof *w.first_result);
    w.next_result = malloc((p->graph->results + 1) * sizeof *w.next_result);
    w.width_of = calloc(2 * (size_t)p->groups + 2, 1);
    const int fine = uses && w.angle && w.early && w.once && w.written && w.first_result && w.next_result && w.width_of;
    if (fine) find_angles(&w);
    if (fine && pn_units_order(p, w.early, &w.units) && pn_side_map_open(p, &w.names)) {
        list_results(&w);
        find_products(&w, uses);
        write_twice(&w, registers, near, t);
    } else {
        t->failed = 1;
    }
    free(uses);
    free(w.units.order);
    free(w.angle);
    free(w.early);
    free(w.once);
    free(w.written);
    free(w.first_result);
    free(w.next_result);
    free(w.width_of);
    pn_side_map_close(&w.names);
}
