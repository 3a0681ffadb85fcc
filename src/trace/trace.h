/* A kernel's computation on one model, written down: every operation is a record, its operands are records before it.
 * trace.cpp runs the kernels over a scalar that records; counting (count.c) and code generation (src/codegen) read
 * what it wrote. C and C++. */
#ifndef PN_TRACE_H
#define PN_TRACE_H

#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#include "api/call_table.h"
#include "api/registry.h"
#ifdef __cplusplus
}
#endif

typedef enum pn_operation {
    PN_OP_CONSTANT, /* value */
    PN_OP_INPUT,    /* a: which array, PN_IN_*; b: its entry */
    PN_OP_ADD,      /* a + b */
    PN_OP_MUL,      /* a * b */
    PN_OP_DIV,      /* a / b */
    PN_OP_SQRT,     /* of a, as all that have one operand */
    PN_OP_SIN,
    PN_OP_COS,
    PN_OP_SIGN,   /* -a: a - b is recorded as a + (-b) */
    PN_OP_ATAN2,  /* a: y, b: x */
    PN_OP_LESS,   /* a < b, for PN_OP_SELECT alone */
    PN_OP_SELECT, /* b where a holds, else c */
    PN_OP_COUNT
} pn_operation;

/* On the way from a body to its child, or back: of which pass a record is. */
enum { PN_PASS_JOINTS = 0, PN_PASS_OUTWARDS, PN_PASS_INWARDS };

/* Record 0 is the constant 0. */
typedef struct pn_record {
    double value;        /* of a constant */
    const char *symbol;  /* what the kernel calls it (PN_NOTE), a literal; NULL: nothing */
    int32_t a, b, c;     /* operands: earlier records. 0 where there are fewer */
    int32_t stretch;     /* between which marks of the kernel it was computed: they are counted */
    int32_t body;        /* the compiled body it was computed for (PN_BODY), 0: none */
    uint8_t operation;   /* PN_OP_* */
    uint8_t pass;        /* PN_PASS_* */
    uint8_t component;   /* which entry of what the kernel calls so */
    uint8_t angle;       /* an input, or an input shifted by a constant */
    uint8_t apart;       /* between PN_APART_BEGIN and PN_APART_END: not in the paper's count */
    uint8_t live;        /* some result depends on it */
} pn_record;

/* What is computed: records in the order of computation, and which of them are the results. */
typedef struct pn_graph {
    pn_record *record;
    int32_t count;
    int32_t *result; /* records: the arrays of results, one behind the other */
    size_t results;
} pn_graph;

/* The call that is recorded: a kernel, which inputs it has (others are absent, as NULL is), what it is asked for. */
typedef struct pn_trace_call {
    int kernel;    /* PN_K_* or PN_FIRST_ALGORITHM + algorithm */
    unsigned in;   /* 1 << PN_IN_*: there; others NULL */
    size_t out[6]; /* how many numbers each result has; 0: not wanted. Together they are graph->result */
    int frame, reference, option;
} pn_trace_call;

#ifdef __cplusplus
extern "C" {
#endif

/* Records a call: what its results depend on, in an order that depends on no compiler. The graph is the caller's to
 * free, with pn_graph_free. PINION_ERR_MEMORY when there is no more. */
pinion_status pn_trace(const pinion_model *m, const pn_trace_call *call, pn_graph *graph);
/* Runs it without records: every operation with a number that depends on the state is counted. */
pinion_status pn_trace_whole(const pinion_model *m, const pn_trace_call *call, pinion_operations *whole);
/* The same for the operations without those with an exact 0 or 1, and the longest chain of them. */
pinion_status pn_trace_span(const pinion_model *m, const pn_trace_call *call, pinion_operations *span);

/* The call of an algorithm as papers count it: for operational space J M^-1 J' of the last frame, in itself. */
pn_trace_call pn_trace_algorithm(const pinion_model *m, int algorithm);

/* record_order.c: that order, by pn_trace alone. PINION_ERR_MEMORY: it stays as it was. */
pinion_status pn_graph_order(pn_graph *graph);
void pn_graph_free(pn_graph *graph); /* what it holds, not itself; a zeroed one is allowed */
/* Sets `live` in every record, by the results. */
void pn_graph_mark(pn_graph *graph);
/* Operations of what is live, and their span. Those that a paper leaves out are left out where `lean` is set.
 * PINION_ERR_MEMORY or PINION_OK. */
pinion_status pn_graph_count(const pn_graph *graph, int lean, pinion_operations *count);

/* One operation more; signs, comparisons and choices cost nothing. */
void pn_count_operation(pn_operation operation, pinion_operations *count);
static inline int pn_is_unary(pn_operation operation)
{
    return operation >= PN_OP_SQRT && operation <= PN_OP_SIGN;
}
/* The result of an operation on numbers. */
double pn_constant_result(pn_operation operation, double a, double b);

#ifdef __cplusplus
}
#endif

#endif
