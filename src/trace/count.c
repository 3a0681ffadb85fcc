/* Operation counts: what a recorded computation costs.
 *
 * Not counted by the papers' rules ("lean"): what no result depends on; operations with an exact 0 or +-1;
 * what is known from the model alone; the constant offset of an angle; and what a kernel sets apart because
 * its paper does. The whole count is another run, which has every operation that a number takes part in
 * that depends on the state, also where the other one is 0 or +-1 and where no result depends on it.
 * Signs are free in both. */
#include "trace/trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double pn_constant_result(pn_operation operation, double a, double b)
{
    switch (operation) {
    case PN_OP_ADD: return a + b;
    case PN_OP_MUL: return a * b;
    case PN_OP_DIV: return a / b;
    case PN_OP_SQRT: return sqrt(a);
    case PN_OP_SIN: return sin(a);
    case PN_OP_COS: return cos(a);
    case PN_OP_SIGN: return -a;
    case PN_OP_ATAN2: return atan2(a, b);
    case PN_OP_LESS: return a < b;
    default: return a;
    }
}

void pn_count_operation(pn_operation operation, pinion_operations *count)
{
    switch (operation) {
    case PN_OP_ADD: count->add++; break;
    case PN_OP_MUL: count->mul++; break;
    case PN_OP_DIV: count->div++; break;
    case PN_OP_SQRT: count->sqrt++; break;
    case PN_OP_SIN:
    case PN_OP_COS: count->trig++; break;
    default: break;
    }
}

void pn_graph_free(pn_graph *graph)
{
    free(graph->record);
    free(graph->result);
    memset(graph, 0, sizeof *graph);
}

static int has_operands(const pn_record *r)
{
    return r->operation != PN_OP_CONSTANT && r->operation != PN_OP_INPUT;
}

/* what no result depends on is dead */
void pn_graph_mark(pn_graph *graph)
{
    for (int32_t i = 0; i < graph->count; i++) graph->record[i].live = 0;
    for (size_t i = 0; i < graph->results; i++) graph->record[graph->result[i]].live = 1;
    for (int32_t i = graph->count - 1; i > 0; i--) {
        const pn_record *r = &graph->record[i];
        if (!r->live || !has_operands(r)) continue;
        graph->record[r->a].live = 1;
        graph->record[r->b].live = 1;
        graph->record[r->c].live = 1;
    }
}

/* -x, and a product with -1, cost nothing and take no time */
static int is_sign(const pn_graph *graph, const pn_record *r)
{
    if (r->operation == PN_OP_SIGN) return 1;
    if (r->operation != PN_OP_MUL) return 0;
    const pn_record *a = &graph->record[r->a], *b = &graph->record[r->b];
    return (a->operation == PN_OP_CONSTANT && a->value == -1) || (b->operation == PN_OP_CONSTANT && b->value == -1);
}

/* counts, and the longest chain of operations that wait for each other */
pinion_status pn_graph_count(const pn_graph *graph, int lean, pinion_operations *count)
{
    memset(count, 0, sizeof *count);
    int32_t *depth = calloc((size_t)graph->count + 1, sizeof *depth);
    if (!depth) return PINION_ERR_MEMORY;
    for (int32_t i = 1; i < graph->count; i++) {
        const pn_record *r = &graph->record[i];
        if (!r->live || !has_operands(r)) continue;
        const int32_t operand[3] = {r->a, r->b, r->c};
        int32_t before = 0;
        for (int k = 0; k < 3; k++)
            if (depth[operand[k]] > before) before = depth[operand[k]];
        const int costs_nothing = is_sign(graph, r) || r->operation >= PN_OP_ATAN2;
        depth[i] = before + !costs_nothing;
        if (costs_nothing) continue;
        if (!lean || (!r->apart && !r->angle)) pn_count_operation((pn_operation)r->operation, count);
        if (depth[i] > count->span) count->span = depth[i];
    }
    free(depth);
    return PINION_OK;
}

pn_trace_call pn_trace_algorithm(const pinion_model *m, int algorithm)
{
    const int problem = pn_algorithms[algorithm].problem;
    const int matrix = problem == PN_PROBLEM_mass_matrix || problem == PN_PROBLEM_mass_matrix_inverse ||
                       problem == PN_PROBLEM_coriolis || problem == PN_PROBLEM_factorization;
    const int of_inverse = problem == PN_PROBLEM_d_inverse_dynamics;
    const int of_forward = problem == PN_PROBLEM_d_forward_dynamics;
    const int at_frame = problem == PN_PROBLEM_operational_space;
    const size_t nv = (size_t)m->n.nv;
    pn_trace_call call;
    memset(&call, 0, sizeof call);
    call.kernel = PN_FIRST_ALGORITHM + algorithm;
    call.in = 1u << PN_IN_Q;
    if ((!matrix && !at_frame) || problem == PN_PROBLEM_coriolis) call.in |= 1u << PN_IN_V;
    if (problem == PN_PROBLEM_inverse_dynamics || of_inverse) call.in |= 1u << PN_IN_A;
    if (problem == PN_PROBLEM_forward_dynamics || of_forward) call.in |= 1u << PN_IN_TAU;
    if (at_frame) call.frame = m->n.frames - 1;
    if (at_frame) call.reference = PINION_REFERENCE_LOCAL;
    call.out[0] = at_frame ? 36 : matrix || of_inverse || of_forward ? nv * nv : nv;
    call.out[1] = of_inverse ? nv * nv : !of_forward;
    call.out[2] = of_inverse || of_forward ? nv * nv : 0;
    call.out[3] = of_forward ? nv * nv : 0;
    return call;
}

/* what the algorithm can be asked to count on the model */
static pinion_status countable(int algorithm, const pinion_model *m)
{
    const pinion_status status = pinion_algorithm_applies(algorithm, m, NULL);
    if (status != PINION_OK) return status;
    return algorithm >= PN_ALGORITHM_COUNT ? PINION_ERR_UNSUPPORTED : PINION_OK;
}

pinion_status pinion_algorithm_operations(int algorithm, const pinion_model *m, pinion_operations *lean,
                                          pinion_operations *whole)
{
    if (!m || !lean || !whole) return PINION_ERR_ARGUMENT;
    pinion_status status = countable(algorithm, m);
    if (status != PINION_OK) return status;
    const pn_trace_call call = pn_trace_algorithm(m, algorithm);
    pn_graph graph;
    status = pn_trace(m, &call, &graph);
    if (status != PINION_OK) return status;
    if (!call.out[2]) graph.results = call.out[0]; /* the margin of pivots is no result of papers */
    pn_graph_mark(&graph);
    status = pn_graph_count(&graph, 1, lean);
    pn_graph_free(&graph);
    if (status == PINION_OK) status = pn_trace_whole(m, &call, whole);
    whole->span = lean->span;
    return status;
}

pinion_status pinion_algorithm_span(int algorithm, const pinion_model *m, pinion_operations *out)
{
    if (!m || !out) return PINION_ERR_ARGUMENT;
    const pinion_status status = countable(algorithm, m);
    if (status != PINION_OK) return status;
    const pn_trace_call call = pn_trace_algorithm(m, algorithm);
    return pn_trace_span(m, &call, out);
}
