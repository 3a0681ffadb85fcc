/* Records without signs: a sign is exact, so that it can stand at what a term is used for. */
#include "codegen/abreast/abreast.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int pn_term_operands(const pn_term *t)
{
    if (pn_term_is_leaf(t)) return 0;
    if (pn_is_unary((pn_operation)t->operation)) return 1;
    return t->operation == PN_OP_SELECT ? 3 : 2;
}

/* the term of a record and the sign with which the record is it */
static void set_term(pn_abreast *p, int32_t i)
{
    const pn_record *r = &p->graph->record[i];
    const int32_t operand[3] = {r->a, r->b, r->c};
    pn_term *t = &p->term[i];
    p->value[i] = (pn_signed){i, 1};
    t->operation = r->operation;
    if (r->operation == PN_OP_SIGN) {
        p->value[i] = p->value[r->a];
        p->value[i].sign = (int8_t)-p->value[i].sign;
        return;
    }
    if (r->operation == PN_OP_CONSTANT) {
        t->value = fabs(r->value);
        if (signbit(r->value)) p->value[i].sign = -1;
        return;
    }
    if (r->operation == PN_OP_INPUT) {
        t->operand[0] = r->a;
        t->operand[1] = r->b;
        return;
    }
    for (int k = 0; k < pn_term_operands(t); k++) {
        t->operand[k] = p->value[operand[k]].term;
        t->sign[k] = p->value[operand[k]].sign;
    }
    if (r->operation == PN_OP_MUL || r->operation == PN_OP_DIV) {
        p->value[i].sign = (int8_t)(t->sign[0] * t->sign[1]);
        t->sign[0] = t->sign[1] = 1;
    } else if (r->operation == PN_OP_ADD) {
        p->value[i].sign = t->sign[0];
        t->sign[1] = (int8_t)(t->sign[1] * t->sign[0]);
        t->sign[0] = 1;
    }
}

static uint32_t mixed(uint32_t a, uint32_t b)
{
    return (a ^ (b + 0x9e3779b9u + (a << 6) + (a >> 2))) * 0x85ebca6bu;
}

/* operands in any order; where something is a leaf it is so at every depth */
static void set_shapes(pn_term *t, const pn_term *all)
{
    for (int d = 0; d < 3; d++) {
        uint32_t sum = 0;
        for (int k = 0; k < pn_term_operands(t); k++) {
            const pn_term *o = &all[t->operand[k]];
            sum += mixed(o->operation, d > 0 ? o->shape[d - 1] : 0);
        }
        t->shape[d] = mixed(t->operation, sum);
    }
}

/* Marks what results depend on, and what angles do: sines and cosines are taken of all of them together. */
static void mark(pn_abreast *p)
{
    const int32_t count = p->graph->count;
    for (size_t k = 0; k < p->graph->results; k++) p->term[p->value[p->graph->result[k]].term].live = 1;
    for (int32_t i = count - 1; i >= 0; i--) {
        pn_term *t = &p->term[i];
        if (!t->live) continue;
        const int angle = t->apart || t->operation == PN_OP_SIN || t->operation == PN_OP_COS;
        for (int k = 0; k < pn_term_operands(t); k++) {
            p->term[t->operand[k]].live = 1;
            if (angle) p->term[t->operand[k]].apart = 1;
        }
    }
}

int pn_abreast_open(const pn_graph *graph, pn_abreast *p)
{
    const size_t n = (size_t)graph->count + 1;
    *p = (pn_abreast){.graph = graph,
                      .term = calloc(n, sizeof *p->term),
                      .value = calloc(n, sizeof *p->value),
                      .group = malloc(n * sizeof *p->group),
                      .seen = calloc(n, sizeof *p->seen),
                      .list = calloc(n, sizeof *p->list),
                      .trail = malloc(n * sizeof *p->trail)};
    if (!p->term || !p->value || !p->group || !p->seen || !p->list || !p->trail) return 0;
    for (int32_t i = 0; i < graph->count; i++) {
        p->group[i] = -1;
        set_term(p, i);
        if (graph->record[i].operation != PN_OP_SIGN) set_shapes(&p->term[i], p->term);
    }
    mark(p);
    return 1;
}

void pn_abreast_close(pn_abreast *p)
{
    free(p->term);
    free(p->value);
    free(p->group);
    free(p->seen);
    free(p->list);
    free(p->work);
    free(p->trail);
}
