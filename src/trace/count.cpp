/* Operation counts: every kernel over recording nodes, run on a model, and the recorded graph measured.
 *
 * Not counted by the papers' rules ("lean"): what no output depends on; operations with an exact 0 or +-1;
 * what is known from the model alone; the constant offset of an angle; and what a kernel sets apart because
 * its paper does. The whole count is a second run, which has every operation that a number takes part in
 * that depends on the state, also where the other one is 0 or +-1 and where no output depends on the result.
 * Signs are free in both. No exceptions, no library of C++: the C linker links it. */
#include <stdlib.h>
#include <string.h>

#include "real_count.h"

#define PN_BACKEND pn_backend_count
#define PN_ISA "count"
#define PN_STATES 1
/* C linkage for what the C library shares with this file */
extern "C" {
#include "core/registry.h"
}
#include "kernel/all.inc"

struct pn_recorder {
    pn_record *record;
    int32_t count, capacity;
    int apart;
    int failed; /* out of memory */
    /* the whole count: operations go here as they come, and `some` stands for all their results */
    pinion_operations *whole;
    int32_t some;
    /* the span alone: nothing is recorded but constants. A node below zero is an operation, -1 - its depth. */
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
    r.operation = operation;
    r.apart = (uint8_t)(pn_current->apart > 0);
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

static int is_constant(const pn_record *r)
{
    return r->operation == PN_OP_CONSTANT;
}

static double constant_result(pn_operation operation, double a, double b)
{
    switch (operation) {
    case PN_OP_ADD: return a + b;
    case PN_OP_MUL: return a * b;
    case PN_OP_DIV: return a / b;
    case PN_OP_SQRT: return sqrt(a);
    case PN_OP_SIN: return sin(a);
    case PN_OP_COS: return cos(a);
    case PN_OP_SIGN: return -a;
    case PN_OP_OTHER: return atan2(a, b);
    default: return a;
    }
}

static void add_operation(pn_operation operation, pinion_operations *sum)
{
    switch (operation) {
    case PN_OP_ADD: sum->add++; break;
    case PN_OP_MUL: sum->mul++; break;
    case PN_OP_DIV: sum->div++; break;
    case PN_OP_SQRT: sum->sqrt++; break;
    case PN_OP_SIN:
    case PN_OP_COS: sum->trig++; break;
    default: break;
    }
}

/* an operation whose result is an operand or 0, since the other is an exact 0 or 1: the node of that, or -1 */
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

static int is_unary(pn_operation operation)
{
    return operation == PN_OP_SQRT || operation == PN_OP_SIN || operation == PN_OP_COS || operation == PN_OP_SIGN;
}

/* The same by depth alone. Each result carries how many operations it had to wait for, so what no output depends on
 * is in the count, but not in the span. */
static int32_t deepen(pn_operation operation, int32_t ia, int32_t ib)
{
    pn_recorder *c = pn_current;
    const int unary = is_unary(operation), known_a = ia >= 0, known_b = !unary && ib >= 0;
    const double a = known_a ? c->record[ia].value : NAN, b = known_b ? c->record[ib].value : NAN;
    if (c->failed) return 0;
    if (known_a && (unary || known_b)) return pn_record_constant(constant_result(operation, a, b));

    /* an exact 0 or 1 */
    if (operation == PN_OP_ADD && (a == 0 || b == 0)) return a == 0 ? ib : ia;
    if (operation == PN_OP_MUL && (a == 0 || b == 0)) return 0;
    if (operation == PN_OP_MUL && (a == 1 || b == 1)) return a == 1 ? ib : ia;
    if (operation == PN_OP_DIV && a == 0) return 0;
    if (operation == PN_OP_DIV && b == 1) return ia;

    const int32_t depth_a = known_a ? 0 : -1 - ia, depth_b = unary || known_b ? 0 : -1 - ib;
    const int32_t before = depth_a > depth_b ? depth_a : depth_b;
    const int sign = operation == PN_OP_SIGN || (operation == PN_OP_MUL && (a == -1 || b == -1));
    if (sign || operation == PN_OP_SELECT || operation == PN_OP_OTHER) return -1 - before;
    add_operation(operation, c->span);
    return -2 - before;
}

int32_t pn_record_operation(pn_operation operation, int32_t ia, int32_t ib)
{
    pn_recorder *c = pn_current;
    if (c->span) return deepen(operation, ia, ib);
    const pn_record a = c->record[ia], b = c->record[ib];
    const int unary = is_unary(operation);

    /* what the model alone decides */
    if (is_constant(&a) && (unary || is_constant(&b)))
        return pn_record_constant(constant_result(operation, a.value, b.value));

    if (c->whole) {
        add_operation(operation, c->whole);
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

/* -x, and a product with -1, cost nothing and take no time */
static int is_sign(const pn_recorder *c, const pn_record *r)
{
    if (r->operation == PN_OP_SIGN) return 1;
    if (r->operation != PN_OP_MUL) return 0;
    const pn_record *a = &c->record[r->a], *b = &c->record[r->b];
    return (is_constant(a) && a->value == -1) || (is_constant(b) && b->value == -1);
}

/* what no output depends on is dead */
static void mark_live(pn_recorder *c, const real *out, size_t count)
{
    for (size_t i = 0; i < count; i++) c->record[out[i].id].live = 1;
    for (int32_t i = c->count - 1; i > 0; i--) {
        const pn_record *r = &c->record[i];
        if (!r->live || r->operation == PN_OP_CONSTANT || r->operation == PN_OP_INPUT) continue;
        c->record[r->a].live = 1;
        c->record[r->b].live = 1;
    }
}

/* counts, and the longest chain of operations that wait for each other */
static int measure(const pn_recorder *c, pinion_operations *lean)
{
    int32_t *depth = (int32_t *)calloc((size_t)c->count, sizeof *depth);
    if (!depth) return 0;
    for (int32_t i = 1; i < c->count; i++) {
        const pn_record *r = &c->record[i];
        if (!r->live || r->operation == PN_OP_CONSTANT || r->operation == PN_OP_INPUT) continue;
        const int32_t before = depth[r->a] > depth[r->b] ? depth[r->a] : depth[r->b];
        const int free_ = is_sign(c, r) || r->operation == PN_OP_SELECT || r->operation == PN_OP_OTHER;
        depth[i] = before + !free_;
        if (free_) continue;
        if (!r->apart && !r->angle) add_operation(r->operation, lean);
        if (depth[i] > lean->span) lean->span = depth[i];
    }
    free(depth);
    return 1;
}

/* an array of inputs: every entry is a node of its own */
static real *inputs(size_t count, int angles)
{
    real *x = (real *)calloc(count + 1, sizeof *x);
    for (size_t i = 0; x && i < count; i++) {
        pn_record r = blank(PN_OP_INPUT);
        r.angle = (uint8_t)angles;
        x[i].id = pn_current->span ? -1 : push(&r);
    }
    return x;
}

/* one run; its graph is measured into lean, unless the recorder is one of the whole count */
static pinion_status run_kernel(const pinion_model *m, int kernel, int problem, pinion_operations *lean)
{
    const size_t nq = (size_t)m->n.nq, nv = (size_t)m->n.nv;
    const int matrix = problem == PN_PROBLEM_mass_matrix || problem == PN_PROBLEM_mass_matrix_inverse ||
                       problem == PN_PROBLEM_coriolis || problem == PN_PROBLEM_factorization;
    const int at_frame = problem == PN_PROBLEM_operational_space; /* J M^-1 J' of the last frame, in itself */
    const size_t results = at_frame ? 36 : matrix ? nv * nv : nv;
    const size_t room = pn_work_reals(&m->n) + pn_algorithm_room(kernel - PN_FIRST_ALGORITHM, &m->n) + 1;
    pn_record zero = blank(PN_OP_CONSTANT), some = blank(PN_OP_INPUT);
    push(&zero);
    if (pn_current->span) some.operation = PN_OP_CONSTANT, some.value = 1;
    pn_current->some = push(&some);
    real *q = inputs(nq, 1), *v = inputs(nv, 0), *a = inputs(nv, 0), *tau = inputs(nv, 0);
    real *out = (real *)calloc(results + 1, sizeof *out), margin = {0};
    void *work = calloc(room, sizeof(real));
    pinion_status status = PINION_ERR_MEMORY;
    if (q && v && a && tau && out && work && !pn_current->failed) {
        pn_ctx k = pn_context(m, sizeof(double), work);
        pn_io io;
        memset(&io, 0, sizeof io);
        io.q = q;
        if ((!matrix && !at_frame) || problem == PN_PROBLEM_coriolis) io.v = v;
        if (at_frame) io.frame = m->n.frames - 1;
        if (at_frame) io.reference = PINION_LOCAL;
        if (problem == PN_PROBLEM_inverse_dynamics) io.a = a;
        if (problem == PN_PROBLEM_forward_dynamics) io.tau = tau;
        io.out[0] = out;
        io.out[1] = &margin;
        pn_backend_count.kernel[kernel](&k, &io);
        if (!pn_current->failed) status = PINION_OK;
        for (size_t i = 0; i < results && pn_current->span; i++)
            if (-1.0 - out[i].id > pn_current->span->span) pn_current->span->span = -1.0 - out[i].id;
        if (status == PINION_OK && !pn_current->whole && !pn_current->span) {
            mark_live(pn_current, out, results);
            if (!measure(pn_current, lean)) status = PINION_ERR_MEMORY;
        }
    }
    free(q);
    free(v);
    free(a);
    free(tau);
    free(out);
    free(work);
    return status;
}

/* with a recorder of its own: the span or the whole count where there is a place for it, else the lean one */
static pinion_status count_kernel(const pinion_model *m, int algorithm, pinion_operations *lean,
                                  pinion_operations *whole, pinion_operations *span)
{
    pn_recorder recorder;
    memset(&recorder, 0, sizeof recorder);
    recorder.whole = whole;
    recorder.span = span;
    pn_current = &recorder;
    const pinion_status status =
        run_kernel(m, PN_FIRST_ALGORITHM + algorithm, pn_algorithms[algorithm].problem, lean);
    pn_current = NULL;
    free(recorder.record);
    return status;
}

extern "C" pinion_status pinion_algorithm_operations(int algorithm, const pinion_model *m,
                                                     pinion_operations *lean, pinion_operations *whole)
{
    if (!m || !lean || !whole) return PINION_ERR_ARGUMENT;
    const pinion_status status = pinion_algorithm_applies(algorithm, m, NULL);
    if (status != PINION_OK) return status;
    if (algorithm >= PN_ALGORITHM_COUNT) return PINION_ERR_UNSUPPORTED;
    memset(lean, 0, sizeof *lean);
    memset(whole, 0, sizeof *whole);
    pinion_status counted = count_kernel(m, algorithm, lean, NULL, NULL);
    if (counted == PINION_OK) counted = count_kernel(m, algorithm, NULL, whole, NULL);
    whole->span = lean->span;
    return counted;
}

extern "C" pinion_status pinion_algorithm_span(int algorithm, const pinion_model *m, pinion_operations *out)
{
    if (!m || !out) return PINION_ERR_ARGUMENT;
    const pinion_status status = pinion_algorithm_applies(algorithm, m, NULL);
    if (status != PINION_OK) return status;
    if (algorithm >= PN_ALGORITHM_COUNT) return PINION_ERR_UNSUPPORTED;
    memset(out, 0, sizeof *out);
    return count_kernel(m, algorithm, NULL, NULL, out);
}
