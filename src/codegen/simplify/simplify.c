/* The same results in fewer operations.
 *
 * The graph is built anew, record by record, through a builder that knows local rules and equal values
 * (simplify_build.c, simplify_terms.c), and written out without what no result needs (simplify_write.c). What that
 * frees may be simplified again. */
#include "codegen/simplify/simplify.h"
#include <stdlib.h>

enum { ROUNDS = 6 };

/* how many records and results need each, through signs */
static int32_t *count_uses(const pn_graph *graph)
{
    int32_t *uses = calloc((size_t)graph->count + 1, sizeof *uses);
    for (size_t i = 0; uses && i < graph->results; i++) uses[graph->result[i]]++;
    for (int32_t i = 1; uses && i < graph->count; i++) {
        const pn_record *r = &graph->record[i];
        const int operands = r->operation == PN_OP_SIGN ? 0 : pn_operands((pn_operation)r->operation);
        if (!r->live) continue;
        if (operands > 0) uses[r->a]++;
        if (operands > 1) uses[r->b]++;
        if (operands > 2) uses[r->c]++;
    }
    return uses;
}

/* the values of all records */
static void build_records(pn_builder *b, const pn_graph *graph, const int32_t *uses, pn_expr *value)
{
    for (int32_t i = 1; i < graph->count && !b->failed; i++) {
        const pn_record *r = &graph->record[i];
        if (!r->live) continue;
        const int32_t known = b->count;
        b->from = r;
        if (r->operation == PN_OP_CONSTANT) {
            value[i] = pn_build_constant(b, r->value);
        } else if (r->operation == PN_OP_INPUT) {
            value[i] = pn_build(b, PN_OP_INPUT, r->a, r->b, 0);
        } else {
            value[i] = pn_build(b, (pn_operation)r->operation, value[r->a], value[r->b], value[r->c]);
        }
        if (value[i] >> 1 >= known) b->node[value[i] >> 1].angle = value[i] & 1;
        if (!b->failed && uses) b->uses[value[i] >> 1] += uses[i];
        pn_build_name(b, value[i], r);
    }
}

/* The values of a graph's results; NULL: out of memory. Uses are worth knowing once equal values are one. */
static pn_expr *rebuild(pn_builder *b, const pn_graph *graph, int known_uses)
{
    int32_t *uses = known_uses ? count_uses(graph) : NULL;
    pn_expr *value = calloc((size_t)graph->count + 1, sizeof *value);
    pn_expr *result = calloc(graph->results + 1, sizeof *result);
    const int there = (uses || !known_uses) && value && result;
    if (there) build_records(b, graph, uses, value);
    for (size_t i = 0; there && i < graph->results; i++) result[i] = value[graph->result[i]];
    free(uses);
    free(value);
    if (there && !b->failed) return result;
    free(result);
    return NULL;
}

/* one time through the graph, into another; 0: out of memory */
static int pass(const pn_graph *graph, unsigned flags, int round, int angles, pn_graph *out)
{
    pn_builder b;
    if (!pn_builder_open(&b, graph->count, flags)) return 0;
    pn_expr *result = rebuild(&b, graph, round > 0);
    int done = result != NULL;
    if (done && angles) done = pn_add_angles(&b, result, graph->results);
    if (done) done = pn_builder_write(&b, result, graph->results, out);
    free(result);
    pn_builder_close(&b);
    return done;
}

static int32_t operations(const pn_graph *graph)
{
    int32_t count = 0;
    for (int32_t i = 0; i < graph->count; i++) {
        const pn_record *r = &graph->record[i];
        count += r->live && r->operation >= PN_OP_ADD && r->operation <= PN_OP_COS;
    }
    return count;
}

/* until nothing changes; 0: out of memory */
static int repeat(pn_graph *graph, unsigned flags, int angles)
{
    for (int round = 0; round < ROUNDS; round++) {
        pn_graph next;
        if (!pass(graph, flags, round, angles && round == 0, &next)) return 0;
        /* a rule that frees nothing may cost something: then all is as it was */
        const int32_t before = operations(graph), after = operations(&next);
        const int worse = after > before && !(angles && round == 0), same = after == before && round > 0;
        pn_graph_free(worse ? &next : graph);
        if (worse) break;
        *graph = next;
        if (same) break;
    }
    return 1;
}

unsigned pn_simplify_flags(const pinion_codegen_options *o)
{
    return PN_SIMPLIFY_CANCEL | (o->no_angle_sums ? 0 : PN_SIMPLIFY_ANGLE_SUMS) |
           (o->reassociate ? PN_SIMPLIFY_REASSOCIATE : 0);
}

pinion_status pn_simplify(pn_graph *graph, unsigned flags)
{
    pn_graph_mark(graph);
    if (!repeat(graph, flags, 0)) return PINION_ERR_MEMORY;
    if ((flags & PN_SIMPLIFY_ANGLE_SUMS) && !repeat(graph, flags, 1)) return PINION_ERR_MEMORY;
    return PINION_OK;
}
