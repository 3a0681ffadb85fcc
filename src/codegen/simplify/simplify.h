/* Between the files of simplify: a graph under construction.
 *
 * Values are nodes up to sign: x and -x are one node, so that signs never hide that two values are the same, and they
 * are written out at the very end, where most are free. The builder finds equal nodes by hashing. */
#ifndef PN_SIMPLIFY_H
#define PN_SIMPLIFY_H

#include "codegen/codegen_steps.h"

/* A node or its negative: 2 * node + (1: negative). 0 is the constant 0, which has no negative. */
typedef int32_t pn_expr;

/* Nodes are records whose operands are values; constants are not negative. An addition or a choice has its first
 * operand positive. A name belongs to the negative of the node where `apart` is set, and where `angle` is, the node was
 * recorded as its negative. */
typedef struct pn_builder {
    pn_record *node;
    int32_t count, capacity;
    int32_t *slot; /* open addressing: node, 0: free */
    uint32_t slots;
    int32_t *uses;         /* how many operands and results each node was before; 0: it is new */
    unsigned flags;        /* PN_SIMPLIFY_* */
    const pn_record *from; /* new nodes belong to the body and pass of this one */
    int depth;             /* of rules that apply to what other rules gave */
    int failed;            /* out of memory; all values are 0 then */
} pn_builder;

int pn_builder_open(pn_builder *b, int32_t about, unsigned flags); /* 0: out of memory */
void pn_builder_close(pn_builder *b);

static inline pn_expr pn_negative(pn_expr x)
{
    return x > 1 ? x ^ 1 : 0;
}
static inline const pn_record *pn_node_of(const pn_builder *b, pn_expr x)
{
    return &b->node[x >> 1];
}
static inline int pn_is_constant(const pn_builder *b, pn_expr x)
{
    return pn_node_of(b, x)->operation == PN_OP_CONSTANT;
}
static inline double pn_constant_of(const pn_builder *b, pn_expr x)
{
    return x & 1 ? -pn_node_of(b, x)->value : pn_node_of(b, x)->value;
}

/* whether one other needs it and no more */
static inline int pn_once(const pn_builder *b, pn_expr x)
{
    return b->uses[x >> 1] == 1;
}

/* x as a positive constant times another value: 2 for a sum of a value with itself. 0: it is no such product. */
double pn_scale_of(const pn_builder *b, pn_expr x, pn_expr *rest);

/* Values in the fewest operations. */
pn_expr pn_build_constant(pn_builder *b, double x);
pn_expr pn_build_add(pn_builder *b, pn_expr x, pn_expr y);
pn_expr pn_build_mul(pn_builder *b, pn_expr x, pn_expr y);
/* any operation on operands that are values; for PN_OP_INPUT they are an array and an entry */
pn_expr pn_build(pn_builder *b, pn_operation operation, pn_expr x, pn_expr y, pn_expr z);
/* simplify_terms.c: rules for sums that round otherwise, where the flags allow them. Nonzero: they gave *sum. */
int pn_build_terms(pn_builder *b, pn_expr x, pn_expr y, pn_expr *sum);
/* what a record is called, for the value that stands for it */
void pn_build_name(pn_builder *b, pn_expr x, const pn_record *r);

/* The operands of a record: how many of a, b, c are records. */
static inline int pn_operands(pn_operation operation)
{
    if (operation <= PN_OP_INPUT) return 0;
    if (pn_is_unary(operation)) return 1;
    return operation == PN_OP_SELECT ? 3 : 2;
}

/* simplify_angles.c: sines and cosines of sums, where that saves; 0: out of memory, and nothing has changed */
int pn_add_angles(pn_builder *b, pn_expr *result, size_t results);

/* simplify_write.c: the nodes that the results need as a graph; 0: out of memory */
int pn_builder_write(const pn_builder *b, const pn_expr *result, size_t results, pn_graph *graph);

#endif
