/* Every kernel over recording numbers, run on a model.
 *
 * No exceptions, no library of C++: the C linker links it. */
#include <stdlib.h>
#include <string.h>

#include "trace/real_trace.h"

#define PN_COMPLETE
#define PN_BACKEND pn_backend_trace
#define PN_ISA "trace"
#define PN_STATES 1
#include "kernel/all.inc"

struct pn_recorder {
    pn_record *record;
    int32_t count, capacity;
    int apart;
    int body, pass;
    int32_t stretch;
    int failed; /* out of memory */
    /* the whole count: operations go here as they come, and `some` stands for all their results */
    pinion_operations *whole;
    int32_t some;
    /* the span alone: nothing is recorded but constants. A record below zero is an operation, -1 - its depth. */
    pinion_operations *span;
};

static thread_local pn_recorder *pn_current;

static int32_t push(const pn_record *r)
{
    pn_recorder *c = pn_current;
    if (c->failed) return 0;
    if (c->count == c->capacity) {
        const int32_t capacity = c->capacity ? 2 * c->capacity : 4096;
        pn_record *grown = c->capacity > INT32_MAX / 4
                               ? NULL
                               : (pn_record *)realloc(c->record, (size_t)capacity * sizeof *grown);
        if (!grown) {
            c->failed = 1;
            return 0;
        }
        c->record = grown;
        c->capacity = capacity;
    }
    c->record[c->count] = *r;
    return c->count++;
}

static pn_record blank(pn_operation operation)
{
    pn_record r;
    memset(&r, 0, sizeof r);
    r.operation = (uint8_t)operation;
    r.apart = (uint8_t)(pn_current->apart > 0);
    r.stretch = pn_current->stretch;
    r.body = pn_current->body;
    r.pass = (uint8_t)pn_current->pass;
    return r;
}

int32_t pn_record_constant(double x)
{
    pn_record r = blank(PN_OP_CONSTANT);
    if (x == 0) return 0;
    r.value = x;
    if (pn_current->span && x == 1) return 1;
    return push(&r);
}

void pn_record_apart(int on)
{
    pn_current->apart += on ? 1 : -1;
}

void pn_record_body(int body, int pass)
{
    pn_current->body = body;
    pn_current->pass = pass;
    pn_current->stretch++;
}

/* the first name that a record is given stays */
void pn_record_note(const char *symbol, const real *x, int count)
{
    if (pn_current->span || pn_current->whole) return;
    pn_current->stretch++;
    for (int i = 0; i < count; i++) {
        pn_record *r = &pn_current->record[x[i].id];
        if (r->symbol || r->operation == PN_OP_CONSTANT || r->operation == PN_OP_INPUT) continue;
        r->symbol = symbol;
        r->component = (uint8_t)i;
        r->body = pn_current->body;
    }
}

static int is_constant(const pn_record *r)
{
    return r->operation == PN_OP_CONSTANT;
}

/* an operation whose result is an operand or 0, since the other is an exact 0 or 1: the record of that, or -1 */
static int32_t spared(pn_operation operation, int32_t ia, int32_t ib)
{
    const pn_record *a = &pn_current->record[ia], *b = &pn_current->record[ib];
    const int zero_a = is_constant(a) && a->value == 0, zero_b = is_constant(b) && b->value == 0;
    const int one_a = is_constant(a) && a->value == 1, one_b = is_constant(b) && b->value == 1;
    switch (operation) {
    case PN_OP_ADD: return zero_a ? ib : zero_b ? ia : -1;
    case PN_OP_MUL: return zero_a || zero_b ? 0 : one_a ? ib : one_b ? ia : -1;
    case PN_OP_DIV: return zero_a ? 0 : one_b ? ia : -1;
    default: return -1;
    }
}

/* The same by depth alone. Each result carries how many operations it had to wait for, so what no output depends on
 * is in the count, but not in the span. */
static int32_t deepen(pn_operation operation, int32_t ia, int32_t ib)
{
    pn_recorder *c = pn_current;
    const int unary = pn_is_unary(operation), known_a = ia >= 0, known_b = !unary && ib >= 0;
    const double a = known_a ? c->record[ia].value : NAN, b = known_b ? c->record[ib].value : NAN;
    if (c->failed) return 0;
    if (known_a && (unary || known_b)) return pn_record_constant(pn_constant_result(operation, a, b));

    /* an exact 0 or 1 */
    if (operation == PN_OP_ADD && (a == 0 || b == 0)) return a == 0 ? ib : ia;
    if (operation == PN_OP_MUL && (a == 0 || b == 0)) return 0;
    if (operation == PN_OP_MUL && (a == 1 || b == 1)) return a == 1 ? ib : ia;
    if (operation == PN_OP_DIV && a == 0) return 0;
    if (operation == PN_OP_DIV && b == 1) return ia;

    const int32_t depth_a = known_a ? 0 : -1 - ia, depth_b = unary || known_b ? 0 : -1 - ib;
    const int32_t before = depth_a > depth_b ? depth_a : depth_b;
    const int sign = operation == PN_OP_SIGN || (operation == PN_OP_MUL && (a == -1 || b == -1));
    if (sign || operation == PN_OP_LESS || operation == PN_OP_ATAN2) return -1 - before;
    pn_count_operation(operation, c->span);
    return -2 - before;
}

int32_t pn_record_operation(pn_operation operation, int32_t ia, int32_t ib)
{
    pn_recorder *c = pn_current;
    if (c->span) return deepen(operation, ia, ib);
    const pn_record a = c->record[ia], b = c->record[ib];
    const int unary = pn_is_unary(operation);

    /* what the model alone decides */
    if (is_constant(&a) && (unary || is_constant(&b)))
        return pn_record_constant(pn_constant_result(operation, a.value, b.value));

    if (c->whole) {
        pn_count_operation(operation, c->whole);
        return c->some;
    }
    const int32_t known = spared(operation, ia, ib);
    if (known >= 0) return known;

    pn_record r = blank(operation);
    r.a = ia;
    r.b = unary ? 0 : ib;
    r.angle =
        (uint8_t)(operation == PN_OP_ADD && ((a.angle && is_constant(&b)) || (b.angle && is_constant(&a))));
    return push(&r);
}

/* b where the mask holds, else c: what is known is not recorded */
int32_t pn_record_select(int32_t mask, int32_t b, int32_t c)
{
    pn_recorder *current = pn_current;
    if (current->failed) return 0;
    if (current->span) {
        int32_t before = 0;
        if (mask >= 0) return current->record[mask].value != 0 ? b : c;
        const int32_t all[3] = {mask, b, c};
        for (int k = 0; k < 3; k++)
            if (all[k] < 0 && -1 - all[k] > before) before = -1 - all[k];
        return -1 - before;
    }
    if (is_constant(&current->record[mask])) return current->record[mask].value != 0 ? b : c;
    if (current->whole) return current->some;
    pn_record r = blank(PN_OP_SELECT);
    r.a = mask;
    r.b = b;
    r.c = c;
    return push(&r);
}

/* an array of inputs: every entry is a record of its own */
static real *inputs(int array, size_t count)
{
    real *x = (real *)calloc(count + 1, sizeof *x);
    for (size_t i = 0; x && i < count; i++) {
        pn_record r = blank(PN_OP_INPUT);
        r.a = array;
        r.b = (int32_t)i;
        r.angle = (uint8_t)(array == PN_IN_Q);
        x[i].id = pn_current->span ? -1 : push(&r);
    }
    return x;
}

/* the arrays of one call, all in one piece of memory for the results */
struct pn_arrays {
    real *in[PN_IN_COUNT];
    real *out;
    void *work;
    size_t results;
};

static int take_arrays(const pinion_model *m, const pn_trace_call *call, pn_arrays *arrays)
{
    size_t width[PN_IN_COUNT];
    pn_input_widths(&m->n, call->kernel, width);
    const int algorithm = call->kernel - PN_FIRST_ALGORITHM;
    const uint64_t room = pn_work_reals(&m->n) + (algorithm >= 0 ? pn_algorithm_room(algorithm, &m->n) : 0) + 1;
    memset(arrays, 0, sizeof *arrays);
    int there = 1;
    for (int k = 0; k < PN_IN_COUNT; k++) {
        if (!(call->in >> k & 1)) continue;
        arrays->in[k] = inputs(k, width[k]);
        there = there && arrays->in[k];
    }
    for (int k = 0; k < 6; k++) arrays->results += call->out[k];
    arrays->out = (real *)calloc(arrays->results + 1, sizeof(real));
    arrays->work = room < SIZE_MAX / sizeof(real) ? calloc((size_t)room, sizeof(real)) : NULL;
    return there && arrays->out && arrays->work;
}

static void free_arrays(pn_arrays *arrays)
{
    for (int k = 0; k < PN_IN_COUNT; k++) free(arrays->in[k]);
    free(arrays->out);
    free(arrays->work);
}

/* runs the kernel of a call with the recorder that is in force */
static void run_kernel(const pinion_model *m, const pn_trace_call *call, const pn_arrays *arrays)
{
    const pn_ctx k = pn_context(m, sizeof(double), arrays->work);
    pn_io io;
    memset(&io, 0, sizeof io);
    io.q = arrays->in[PN_IN_Q];
    io.v = arrays->in[PN_IN_V];
    io.a = arrays->in[PN_IN_A];
    io.tau = arrays->in[PN_IN_TAU];
    io.f_ext = arrays->in[PN_IN_F_EXT];
    io.frame = call->frame;
    io.reference = call->reference;
    io.option = call->option;
    real *out = arrays->out;
    for (int i = 0; i < 6; out += call->out[i++])
        if (call->out[i]) io.out[i] = out;
    pn_backend_trace.kernel[call->kernel](&k, &io);
}

/* a recorder, its first records, the call, and what is to be kept of it */
static pinion_status trace(const pinion_model *m, const pn_trace_call *call, pn_recorder *recorder, pn_graph *graph)
{
    pn_current = recorder;
    pn_record zero = blank(PN_OP_CONSTANT), some = blank(PN_OP_INPUT);
    push(&zero);
    /* the whole count needs a record for what depends on the state, the span one for 1 */
    if (recorder->span) some.operation = PN_OP_CONSTANT, some.value = 1;
    if (recorder->span || recorder->whole) recorder->some = push(&some);

    pn_arrays arrays;
    pinion_status status = PINION_ERR_MEMORY;
    if (take_arrays(m, call, &arrays) && !recorder->failed) {
        run_kernel(m, call, &arrays);
        status = recorder->failed ? PINION_ERR_MEMORY : PINION_OK;
    }
    for (size_t i = 0; recorder->span && status == PINION_OK && i < (call->out[2] ? arrays.results : call->out[0]); i++)
        if (-1.0 - arrays.out[i].id > recorder->span->span) recorder->span->span = -1.0 - arrays.out[i].id;
    if (graph && status == PINION_OK) {
        graph->record = recorder->record;
        graph->count = recorder->count;
        graph->results = arrays.results;
        graph->result = (int32_t *)calloc(arrays.results + 1, sizeof *graph->result);
        for (size_t i = 0; graph->result && i < arrays.results; i++) graph->result[i] = arrays.out[i].id;
        if (!graph->result) status = PINION_ERR_MEMORY;
        recorder->record = NULL;
    }
    free_arrays(&arrays);
    free(recorder->record);
    pn_current = NULL;
    return status;
}

extern "C" pinion_status pn_trace(const pinion_model *m, const pn_trace_call *call, pn_graph *graph)
{
    pn_recorder recorder;
    memset(&recorder, 0, sizeof recorder);
    memset(graph, 0, sizeof *graph);
    pinion_status status = trace(m, call, &recorder, graph);
    if (status == PINION_OK) status = pn_graph_order(graph);
    if (status != PINION_OK) pn_graph_free(graph);
    return status;
}

extern "C" pinion_status pn_trace_whole(const pinion_model *m, const pn_trace_call *call, pinion_operations *whole)
{
    pn_recorder recorder;
    memset(&recorder, 0, sizeof recorder);
    memset(whole, 0, sizeof *whole);
    recorder.whole = whole;
    return trace(m, call, &recorder, NULL);
}

extern "C" pinion_status pn_trace_span(const pinion_model *m, const pn_trace_call *call, pinion_operations *span)
{
    pn_recorder recorder;
    memset(&recorder, 0, sizeof recorder);
    memset(span, 0, sizeof *span);
    recorder.span = span;
    return trace(m, call, &recorder, NULL);
}
