/* The statements of one straight-line function: sines and cosines of all angles first, then every record that
 * is used more than once, or has a name, as a constant; what is used once is written out where it is used. */
#include "codegen/emit/emit.h"
#include <stdlib.h>
#include <string.h>

enum { HEAVIEST = 10 }; /* numbers in an expression that is a part of another one */

static const pn_record *record(const pn_code *c, int32_t i)
{
    return &c->graph->record[i];
}

static int is_leaf(const pn_record *r)
{
    return r->operation == PN_OP_CONSTANT || r->operation == PN_OP_INPUT;
}

static int is_trigonometric(const pn_record *r)
{
    return r->operation == PN_OP_SIN || r->operation == PN_OP_COS;
}

/* signs and comparisons are written out wherever they are used */
static int is_transparent(const pn_record *r)
{
    return r->operation == PN_OP_SIGN || r->operation == PN_OP_LESS;
}

static int operands(const pn_record *r, int32_t operand[3])
{
    operand[0] = r->a;
    operand[1] = r->b;
    operand[2] = r->c;
    return is_leaf(r)                                ? 0
           : pn_is_unary((pn_operation)r->operation) ? 1
           : r->operation == PN_OP_SELECT            ? 3
                                                     : 2;
}

/* ---- what becomes a variable ---- */

/* uses, from the results back; a sign passes on how often it is used itself */
static void count_uses(pn_code *c)
{
    const pn_graph *graph = c->graph;
    for (int32_t i = 0; i < graph->count; i++) c->first_result[i] = c->user[i] = -1;
    for (size_t k = graph->results; k-- > 0;) {
        const int32_t i = graph->result[k];
        c->next_result[k] = c->first_result[i];
        c->first_result[i] = (int32_t)k;
        c->uses[i]++;
    }
    for (int32_t i = graph->count - 1; i > 0; i--) {
        const pn_record *r = record(c, i);
        int32_t operand[3];
        if (!c->uses[i]) continue;
        if (is_trigonometric(r)) {
            /* with its sine the angle has its cosine */
            if (!c->weight[r->a]) c->uses[r->a]++;
            c->weight[r->a] = 1;
            continue;
        }
        for (int k = operands(r, operand); k-- > 0;) {
            c->uses[operand[k]] += is_transparent(r) ? c->uses[i] : 1;
            c->user[operand[k]] = i;
        }
    }
}

/* nonzero: in the same paragraph as what uses it */
static int is_near_user(const pn_code *c, int32_t i)
{
    const int32_t u = c->user[i];
    return u < 0 || (record(c, u)->body == record(c, i)->body && record(c, u)->pass == record(c, i)->pass);
}

static void place_records(pn_code *c)
{
    for (int32_t i = 0; i < c->graph->count; i++) {
        const pn_record *r = record(c, i);
        int32_t operand[3];
        c->weight[i] = is_leaf(r);
        for (int k = operands(r, operand); k-- > 0;)
            c->weight[i] += c->place[operand[k]] == PN_WRITTEN_OUT ? c->weight[operand[k]] : 1;

        int results = 0;
        for (int32_t k = c->first_result[i]; k >= 0; k = c->next_result[k]) results++;
        const int once = c->uses[i] == 1 && results == 0 && !r->symbol && c->weight[i] <= HEAVIEST;
        if (is_leaf(r) || is_transparent(r))
            c->place[i] = PN_WRITTEN_OUT;
        else if (is_trigonometric(r))
            c->place[i] = PN_VARIABLE;
        else if (results == c->uses[i])
            c->place[i] = PN_STORED;
        else
            c->place[i] = once && is_near_user(c, i) ? PN_WRITTEN_OUT : PN_VARIABLE;
    }
}

/* ---- statements ---- */

/* the results that are this record: "M[1] = M[6] = " */
static void emit_places(pn_code *c, int32_t i)
{
    for (int32_t k = c->first_result[i]; k >= 0; k = c->next_result[k]) {
        size_t at = (size_t)k;
        int array = 0;
        while (at >= c->f->out[array].count) at -= c->f->out[array++].count;
        if (c->f->out[array].count == 1)
            pn_text_add(c->t, "*%s = ", c->f->out[array].name);
        else
            pn_text_add(c->t, "%s[%zu] = ", c->f->out[array].name, at);
    }
}

/* a record that is no part of another expression; its operands are there */
static void emit_record(pn_code *c, int32_t i)
{
    const size_t from = c->t->length;
    c->written[i] = 1;
    pn_text_add(c->t, "    ");
    if (c->place[i] == PN_VARIABLE) {
        pn_name_record(c, i);
        pn_text_add(c->t, "const real %s = ", c->name[i] ? c->name[i] : "");
    } else {
        emit_places(c, i);
    }
    pn_emit_expression(c, i);
    pn_text_add(c->t, ";");
    pn_text_wrap(c->t, from, 8);
    pn_text_add(c->t, "\n");
}

/* a variable, an input or a constant that is a result */
static void emit_results(pn_code *c, int32_t i)
{
    if (c->first_result[i] < 0) return;
    const size_t from = c->t->length;
    pn_text_add(c->t, "    ");
    emit_places(c, i);
    pn_emit_operand(c, i);
    pn_text_add(c->t, ";");
    pn_text_wrap(c->t, from, 8);
    pn_text_add(c->t, "\n");
}

/* ---- sines and cosines ---- */

/* nonzero: of inputs and constants alone, by sums and products */
static void find_early(const pn_code *c, uint8_t *early)
{
    for (int32_t i = 0; i < c->graph->count; i++) {
        const pn_record *r = record(c, i);
        const int linear = r->operation == PN_OP_ADD || r->operation == PN_OP_MUL;
        early[i] = is_leaf(r) || (r->operation == PN_OP_SIGN && early[r->a]) ||
                   (linear && early[r->a] && early[r->b]);
    }
}

/* The variables that an early angle needs, before it. Records come after their operands, so those that are
 * needed are marked back from the angles and written in order. */
static void emit_early(pn_code *c, const uint8_t *early, uint8_t *needed)
{
    for (int32_t i = c->graph->count - 1; i > 0; i--) {
        const pn_record *r = record(c, i);
        int32_t operand[3];
        if (!needed[i] || is_leaf(r)) continue;
        for (int k = operands(r, operand); k-- > 0;) needed[operand[k]] = 1;
    }
    for (int32_t i = 0; i < c->graph->count; i++)
        if (needed[i] && early[i] && c->uses[i] && c->place[i] == PN_VARIABLE) {
            emit_record(c, i);
            emit_results(c, i);
        }
}

/* names of the sine and cosine of each angle, in the order of angles */
static void emit_sines(pn_code *c, const int32_t *angle, int count, const int32_t *sine,
                       const int32_t *cosine)
{
    if (count == 1) return;
    for (int k = 0; k < count; k++) {
        const int32_t both[2] = {sine[angle[k]], cosine[angle[k]]};
        const size_t from = c->t->length;
        for (int j = 0; j < 2; j++) {
            if (!both[j]) continue;
            pn_name_trigonometric(c, both[j]);
            pn_text_add(c->t, "%s%s = %s[%d]", c->t->length > from ? ", " : "    const real ",
                        c->name[both[j]] ? c->name[both[j]] : "", j ? "cosine" : "sine", k);
        }
        pn_text_add(c->t, ";");
        pn_text_wrap(c->t, from, 8);
        pn_text_add(c->t, "\n");
    }
}

/* one angle by itself */
static void emit_sincos(pn_code *c, int32_t angle, int32_t sine, int32_t cosine)
{
    char *spare[2] = {NULL, NULL};
    if (sine) pn_name_trigonometric(c, sine);
    if (cosine) pn_name_trigonometric(c, cosine);
    if (!sine) spare[0] = pn_unique_name(c, "unused_sine");
    if (!cosine) spare[1] = pn_unique_name(c, "unused_cosine");
    const char *s = sine ? c->name[sine] : spare[0], *o = cosine ? c->name[cosine] : spare[1];
    if (c->failed) return;
    pn_text_add(c->t, "    real %s, %s;\n", s, o);
    const size_t from = c->t->length;
    pn_text_add(c->t, "    real_sincos(");
    pn_emit_operand(c, angle);
    pn_text_add(c->t, ", &%s, &%s);", s, o);
    pn_text_wrap(c->t, from, 8);
    pn_text_add(c->t, "\n");
}

/* all angles that need no sine themselves, in one loop that compilers take in lanes */
static void emit_angles(pn_code *c, const int32_t *angle, int count, const int32_t *sine,
                        const int32_t *cosine)
{
    if (count == 0) return;
    if (count == 1) {
        emit_sincos(c, angle[0], sine[angle[0]], cosine[angle[0]]);
        return;
    }
    size_t from = c->t->length;
    pn_text_add(c->t, "    const real angle[%d] = {", count);
    for (int k = 0; k < count; k++) {
        if (k) pn_text_add(c->t, ", ");
        pn_emit_operand(c, angle[k]);
    }
    pn_text_add(c->t, "};");
    pn_text_wrap(c->t, from, 8);
    pn_text_add(c->t, "\n    real sine[%d], cosine[%d];\n", count, count);
    pn_text_add(c->t, "    for (int i = 0; i < %d; i++) real_sincos(angle[i], &sine[i], &cosine[i]);\n",
                count);
    emit_sines(c, angle, count, sine, cosine);
}

/* the block of sines and cosines; `sine` and `cosine` get the records of each angle's, for those that come
 * later */
static void emit_trigonometry(pn_code *c, uint8_t *early, uint8_t *needed, int32_t *angle, int32_t *sine,
                              int32_t *cosine)
{
    int count = 0;
    find_early(c, early);
    for (int32_t i = 0; i < c->graph->count; i++) {
        const pn_record *r = record(c, i);
        if (!c->uses[i] || !is_trigonometric(r)) continue;
        if (early[r->a] && !sine[r->a] && !cosine[r->a]) {
            angle[count++] = r->a;
            needed[r->a] = 1;
        }
        (r->operation == PN_OP_SIN ? sine : cosine)[r->a] = i;
    }
    if (count == 0) return;
    pn_text_add(c->t, "    /* sines and cosines of all angles */\n");
    emit_early(c, early, needed);
    emit_angles(c, angle, count, sine, cosine);
    for (int k = 0; k < count; k++) {
        const int32_t both[2] = {sine[angle[k]], cosine[angle[k]]};
        for (int j = 0; j < 2; j++) {
            if (!both[j]) continue;
            c->written[both[j]] = 1;
            emit_results(c, both[j]);
        }
    }
}

/* ---- the rest ---- */

/* one line above the records of a link and pass */
static void emit_heading(pn_code *c, const pn_record *r)
{
    const pn_node *node = PN_AT_CONST(c->m, pn_node, c->m->nodes);
    static const char *const outwards[] = {"motion", "motion", "position"};
    static const char *const inwards[] = {"force", "inertia and force", "composite inertia"};
    const int problem = c->f->target->problem;
    const int kind = problem == PN_PROBLEM_forward_dynamics   ? 1
                     : problem == PN_PROBLEM_inverse_dynamics ? 0
                                                              : 2;
    if (r->body <= 0) {
        pn_text_add(c->t, "\n    /* the whole robot */\n");
        return;
    }
    const int parent = node[r->body].parent;
    const char *self = c->bodies[r->body], *from = c->bodies[parent > 0 ? parent : 0];
    if (r->pass == PN_PASS_OUTWARDS)
        pn_text_add(c->t, "\n    /* %s: %s, from %s */\n", self, outwards[kind], from);
    else if (r->pass == PN_PASS_INWARDS)
        pn_text_add(c->t, "\n    /* %s: %s, to %s */\n", self, inwards[kind], from);
    else
        pn_text_add(c->t, "\n    /* %s: joint */\n", self);
}

/* nonzero: the record is a statement of its own, and not written yet */
static int is_shown(const pn_code *c, int32_t i)
{
    const pn_record *r = record(c, i);
    const int shown = c->place[i] != PN_WRITTEN_OUT || (is_transparent(r) && c->first_result[i] >= 0);
    return c->uses[i] && !is_leaf(r) && !c->written[i] && shown;
}

/* the number of a link and pass */
static size_t section_of(const pn_code *c, int32_t i)
{
    return 3 * (size_t)record(c, i)->body + record(c, i)->pass;
}

/* A heading where the records of another link and pass begin: once for each, and not for a single record
 * among those of another one. */
static void emit_section(pn_code *c, int32_t i, size_t *section, uint8_t *headed)
{
    const size_t own = section_of(c, i);
    int32_t next = i + 1;
    while (next < c->graph->count && !is_shown(c, next)) next++;
    if (own == *section || (next < c->graph->count && section_of(c, next) == *section)) return;
    *section = own;
    if (!headed[own]) emit_heading(c, record(c, i));
    headed[own] = 1;
}

static void emit_statements(pn_code *c, const int32_t *sine, const int32_t *cosine, uint8_t *headed)
{
    size_t section = SIZE_MAX;
    for (int32_t i = 1; i < c->graph->count && !c->t->failed && !c->failed; i++) {
        const pn_record *r = record(c, i);
        if (!is_shown(c, i)) continue;
        emit_section(c, i, &section, headed);
        if (is_trigonometric(r)) {
            const int32_t s = sine[r->a], o = cosine[r->a];
            emit_sincos(c, r->a, s, o);
            c->written[s] = c->written[o] = 1;
            if (s) emit_results(c, s);
            if (o) emit_results(c, o);
        } else if (is_transparent(r)) {
            emit_results(c, i);
        } else {
            emit_record(c, i);
            if (c->place[i] == PN_VARIABLE) emit_results(c, i);
        }
    }
}

/* results that are known without computing; the constants that are the same number in one statement */
static void emit_known(pn_code *c)
{
    int found = 0;
    for (int32_t i = 0; i < c->graph->count; i++) {
        if (c->first_result[i] < 0 || !is_leaf(record(c, i))) continue;
        if (!found) pn_text_add(c->t, "\n    /* what no state changes, and what is given */\n");
        if (!found) pn_emit_zeros(c);
        found = 1;
        emit_results(c, i);
    }
}

/* arrays that this robot does not need */
static void emit_unused(pn_code *c)
{
    unsigned used = 0;
    for (int32_t i = 0; i < c->graph->count; i++)
        if (c->uses[i] && record(c, i)->operation == PN_OP_INPUT) used |= 1u << record(c, i)->a;
    for (int k = 0; k < PN_IN_COUNT; k++)
        if ((c->f->call.in & ~used) >> k & 1) pn_text_add(c->t, "    (void)%s;\n", pn_input_name[k]);
    for (int k = 0; k < 6; k++)
        if (c->f->out[k].name && c->f->out[k].count == 0)
            pn_text_add(c->t, "    (void)%s;\n", c->f->out[k].name);
}

static int take_memory(pn_code *c)
{
    const size_t n = (size_t)c->graph->count + 1;
    c->uses = calloc(n, sizeof *c->uses);
    c->user = calloc(n, sizeof *c->user);
    c->weight = calloc(n, sizeof *c->weight);
    c->place = calloc(n, 1);
    c->written = calloc(n, 1);
    c->first_result = calloc(n, sizeof *c->first_result);
    c->next_result = calloc(c->graph->results + 1, sizeof *c->next_result);
    return c->uses && c->user && c->weight && c->place && c->written && c->first_result && c->next_result;
}

static void free_memory(pn_code *c)
{
    free(c->uses);
    free(c->user);
    free(c->weight);
    free(c->place);
    free(c->written);
    free(c->first_result);
    free(c->next_result);
}

void pn_emit_body(const pinion_model *m, const pinion_generated *g, const pn_function *f, char *const *bodies,
                  pn_text *t)
{
    pn_code c;
    memset(&c, 0, sizeof c);
    c.m = m;
    c.f = f;
    c.graph = &f->graph;
    c.scalar = g->options.scalar;
    c.bodies = bodies;
    c.t = t;
    const size_t n = (size_t)f->graph.count + 1;
    int32_t *scratch = calloc(3 * n, sizeof *scratch);
    uint8_t *marks = calloc(2 * n + 3 * (size_t)m->n.nodes, 1);
    if (scratch && marks && take_memory(&c) && pn_code_names(&c) == PINION_OK) {
        count_uses(&c);
        place_records(&c);
        emit_unused(&c);
        emit_trigonometry(&c, marks, marks + n, scratch, scratch + n, scratch + 2 * n);
        emit_statements(&c, scratch + n, scratch + 2 * n, marks + 2 * n);
        emit_known(&c);
    } else {
        c.failed = 1;
    }
    if (c.failed) t->failed = 1;
    pn_code_names_free(&c);
    free_memory(&c);
    free(scratch);
    free(marks);
}
