/* The order of records, made the same whatever compiler built the kernels.
 *
 * C++ leaves open which operand of x * y + z * w is computed first, and compilers differ. What is sequenced are
 * statements. So of the records between two marks of a kernel (PN_BODY, PN_NOTE: a stretch) those that nothing in the
 * same stretch needs keep their order, and before each comes what it needs, operand by operand. */
#include "trace/trace.h"
#include <stdlib.h>
#include <string.h>

typedef struct ordering {
    const pn_graph *graph;
    int32_t *place;  /* where a record goes, -1: not yet known */
    int32_t *stack;
    int32_t placed;
} ordering;

static int operands(const pn_record *r, int32_t operand[3])
{
    operand[0] = r->a;
    operand[1] = r->b;
    operand[2] = r->c;
    if (r->operation == PN_OP_CONSTANT || r->operation == PN_OP_INPUT) return 0;
    return pn_is_unary((pn_operation)r->operation) ? 1 : r->operation == PN_OP_SELECT ? 3 : 2;
}

/* places a record behind what it needs, first operands first */
static void place(ordering *o, int32_t root)
{
    int32_t height = 0;
    o->stack[height++] = root;
    while (height > 0) {
        const int32_t i = o->stack[height - 1];
        int32_t operand[3], waiting = -1;
        const int count = operands(&o->graph->record[i], operand);
        for (int k = 0; k < count && waiting < 0; k++)
            if (o->place[operand[k]] < 0) waiting = operand[k];
        if (waiting >= 0) {
            o->stack[height++] = waiting;
            continue;
        }
        if (o->place[i] < 0) o->place[i] = o->placed++;
        height--;
    }
}

/* marks in `inner` what is needed in its own stretch */
static void mark_inner(const pn_graph *graph, uint8_t *inner)
{
    for (int32_t i = 1; i < graph->count; i++) {
        int32_t operand[3];
        const int count = graph->record[i].live ? operands(&graph->record[i], operand) : 0;
        for (int k = 0; k < count; k++)
            if (graph->record[operand[k]].stretch == graph->record[i].stretch) inner[operand[k]] = 1;
    }
}

/* what is live, in its new place */
static void move_records(pn_graph *graph, const ordering *o, pn_record *record)
{
    for (int32_t i = 0; i < graph->count; i++) {
        if (o->place[i] < 0) continue;
        pn_record *r = &record[o->place[i]];
        *r = graph->record[i];
        int32_t operand[3], *own[3] = {&r->a, &r->b, &r->c};
        const int count = operands(&graph->record[i], operand);
        for (int k = 0; k < count; k++) *own[k] = o->place[operand[k]];
    }
    for (size_t i = 0; i < graph->results; i++) graph->result[i] = o->place[graph->result[i]];
    graph->count = o->placed;
}

pinion_status pn_graph_order(pn_graph *graph)
{
    const size_t count = (size_t)graph->count;
    ordering o = {graph, malloc((count + 1) * sizeof *o.place), malloc((count + 1) * sizeof *o.stack), 0};
    uint8_t *inner = calloc(count + 1, 1);
    pn_record *record = malloc((count + 1) * sizeof *record);
    const int there = o.place && o.stack && inner && record;
    if (there) {
        pn_graph_mark(graph);
        mark_inner(graph, inner);
        for (size_t i = 0; i < count; i++) o.place[i] = -1;
        o.place[0] = o.placed++; /* the constant 0 stays the first */
        for (int32_t i = 1; i < graph->count; i++)
            if (graph->record[i].live && !inner[i]) place(&o, i);
        move_records(graph, &o, record);
        free(graph->record);
        graph->record = record;
    } else {
        free(record);
    }
    free(o.place);
    free(o.stack);
    free(inner);
    return there ? PINION_OK : PINION_ERR_MEMORY;
}
