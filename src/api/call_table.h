/* What reads the table of calls (calls.inc): the shapes of results, a row as data, and the small macros that make
 * parameter lists of rows. */
#ifndef PN_CALL_TABLE_H
#define PN_CALL_TABLE_H

#include "kernel/kernel.h"
#include "pinion/dynamics.h"

/* ---- shapes: how many numbers a state has in an array, and in which rows ---- */

/* a dimension that the model decides */
enum { PN_NV = -1, PN_NQ = -2, PN_FRAMES = -3, PN_BODIES = -4, PN_PARAMETERS = -5, PN_JOINT_PARAMETERS = -6 };

/* name, the dimensions (1: not there), how headers write it; from VB on those with nv rows of many numbers */
#define PN_SHAPE_LIST(X)                                                                                     \
    X(ONE, 1, 1, 1, "")                                                                                      \
    X(P, 3, 1, 1, "[3]")                                                                                     \
    X(S, 6, 1, 1, "[6]")                                                                                     \
    X(R, 9, 1, 1, "[9]")                                                                                     \
    X(Q, PN_NQ, 1, 1, "[nq]")                                                                                \
    X(V, PN_NV, 1, 1, "[nv]")                                                                                \
    X(VV, PN_NV, PN_NV, 1, "[nv][nv]")                                                                       \
    X(SS, 6, 6, 1, "[6][6]")                                                                                 \
    X(PV, 3, PN_NV, 1, "[3][nv]")                                                                            \
    X(SV, 6, PN_NV, 1, "[6][nv]")                                                                            \
    X(SVV, 6, PN_NV, PN_NV, "[6][nv][nv]")                                                                   \
    X(FP, PN_FRAMES, 3, 1, "[frame_count][3]")                                                               \
    X(FR, PN_FRAMES, 9, 1, "[frame_count][9]")                                                               \
    X(BS, PN_BODIES, 6, 1, "[nbody][6]")                                                                     \
    X(VB, PN_NV, PN_PARAMETERS, 1, "[nv][parameter_count]")                                                  \
    X(VJ, PN_NV, PN_JOINT_PARAMETERS, 1, "[nv][joint_parameter_count]")                                      \
    X(VBS, PN_NV, PN_BODIES, 6, "[nv][nbody][6]")

typedef enum pn_shape {
#define PN_SHAPE_ENUM(name, a, b, c, text) PN_SHAPE_##name,
    PN_SHAPE_LIST(PN_SHAPE_ENUM)
#undef PN_SHAPE_ENUM
    PN_SHAPE_COUNT
} pn_shape;

/* its dimensions for a model; returns how many numbers it has */
size_t pn_shape_size(const pn_counts *n, int shape, size_t dims[3]);
/* "[6][nv]" */
const char *pn_shape_text(int shape);

/* ---- a row ---- */

/* the arrays of pn_io that a call reads, in its order */
enum { PN_IN_Q = 0, PN_IN_V, PN_IN_A, PN_IN_TAU, PN_IN_F_EXT, PN_IN_COUNT };

typedef enum pn_item_kind {
    PN_ITEM_IN,        /* an array at `place`, a PN_IN_*; optional: NULL is zero */
    PN_ITEM_FRAME,
    PN_ITEM_REFERENCE,
    PN_ITEM_KIND,
    PN_ITEM_PASSIVE,
    PN_ITEM_OUT,       /* result `place` */
    PN_ITEM_MARGIN
} pn_item_kind;

/* one parameter */
typedef struct pn_item {
    pn_item_kind kind;
    int optional;
    int place, shape;
    const char *name; /* NULL: behind the last */
} pn_item;

enum {
    PN_FOR_EVAL = 1,
    PN_FOR_CODE = 2,
    PN_USES_ROOM = 4,        /* its kernel is an algorithm with room of its own */
    PN_NEEDS_MASS = 16,      /* there is none for a model without mass */
    PN_TREES_ALONE = 32,     /* its kernel has no loops; loop_products.inc has them */
    PN_RIGID_ALONE = 128,    /* its kernel has no elastic links */
    PN_WHEN_ASKED = 64,      /* `codegen` has it where it is named, not among "all" */
    PN_FOLLOWS_REFERENCE = 8 /* classical where the reference stays with the frame's origin along resting axes, spatial
                                where it is fixed in the frame or in the world: the derivative of J v */
};

#define PN_NOT_ELASTIC "the model has elastic links, and this is computed of rigid links alone"

/* what calls check, or'ed together of a row's items: PN_RULES() */
enum {
    PN_RULE_FRAME = 1,
    PN_RULE_REFERENCE = 2,
    PN_RULE_KIND = 4,
    PN_RULE_MARGIN = 8,
    PN_RULE_FORCE = 16,  /* f_ext is one force, and must be there */
    PN_RULE_OUTPUT = 32, /* the first result must be there */
    PN_RULE_DENSE = 64,  /* a result has nv nv numbers, or more: */
    PN_RULE_CUBIC = 128, /* 6 nv nv */
    PN_RULE_NEEDS_a = 256, /* what is in the place of a, or of tau, must be there */
    PN_RULE_NEEDS_tau = 512
};

enum { PN_CALL_ITEMS = 12, PN_CALL_OUTPUTS = 6 };
#define PN_PROBLEM_none (-1)

typedef struct pn_call {
    const char *function, *what, *group, *help;
    int kernel, problem, flags, rules;
    pn_item item[PN_CALL_ITEMS];
} pn_call;

enum {
#define PN_CALL(function, ...) PN_CALL_##function,
#include "kernel/calls.inc"
    PN_CALL_COUNT
};

extern const pn_call pn_calls[PN_CALL_COUNT];

/* the item that is the kernel's result `output`, NULL: there is none or it is a margin */
const pn_item *pn_call_output(const pn_call *c, int output);
/* result `output` of the C function, which has no margin among its results */
const pn_item *pn_call_result(const pn_call *c, int output);
/* the item that is the array at a PN_IN_*, NULL: there is none */
const pn_item *pn_call_input(const pn_call *c, int slot);
/* the widths of the arrays that a kernel reads: nq, nv, nv, nv, and forces on bodies, or one force */
void pn_input_widths(const pn_counts *n, int kernel, size_t width[PN_IN_COUNT]);

/* ---- macros over the parameters of a row ---- */

#define PN_EACH_1(p, s, a) p##a
#define PN_EACH_2(p, s, a, ...) p##a s() PN_EACH_1(p, s, __VA_ARGS__)
#define PN_EACH_3(p, s, a, ...) p##a s() PN_EACH_2(p, s, __VA_ARGS__)
#define PN_EACH_4(p, s, a, ...) p##a s() PN_EACH_3(p, s, __VA_ARGS__)
#define PN_EACH_5(p, s, a, ...) p##a s() PN_EACH_4(p, s, __VA_ARGS__)
#define PN_EACH_6(p, s, a, ...) p##a s() PN_EACH_5(p, s, __VA_ARGS__)
#define PN_EACH_7(p, s, a, ...) p##a s() PN_EACH_6(p, s, __VA_ARGS__)
#define PN_EACH_8(p, s, a, ...) p##a s() PN_EACH_7(p, s, __VA_ARGS__)
#define PN_EACH_9(p, s, a, ...) p##a s() PN_EACH_8(p, s, __VA_ARGS__)
#define PN_EACH_10(p, s, a, ...) p##a s() PN_EACH_9(p, s, __VA_ARGS__)
#define PN_EACH_11(p, s, a, ...) p##a s() PN_EACH_10(p, s, __VA_ARGS__)
#define PN_EACH_COUNT(a, b, c, d, e, f, g, h, i, j, k, count, ...) PN_EACH_##count
#define PN_NOTHING()
#define PN_OR() |
/* p pasted before every parameter, with s() between them */
#define PN_EACH(p, s, ...) PN_EACH_COUNT(__VA_ARGS__, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)(p, s, __VA_ARGS__)

/* its C declaration behind those of model and workspace, each with a comma before it */
#define PN_DECLARE_IN(name) , const PN_T *name
#define PN_DECLARE_IN_OR_0(name) , const PN_T *name
#define PN_DECLARE_IN_AS(name, slot) , const PN_T *name
#define PN_DECLARE_IN_AS_OR_0(name, slot) , const PN_T *name
#define PN_DECLARE_FORCES(name) , const PN_T *name
#define PN_DECLARE_FORCE(name) , const PN_T *name
#define PN_DECLARE_FRAME , int frame
#define PN_DECLARE_REFERENCE , pinion_reference reference
#define PN_DECLARE_KIND , pinion_acceleration kind
#define PN_DECLARE_PASSIVE , int passive
#define PN_DECLARE_OUT(n, name, shape) , PN_T *name
#define PN_DECLARE_OUT_OR_NOT(n, name, shape) , PN_T *name
#define PN_DECLARE_OUT_AFTER(n, name, shape) , PN_T *name
#define PN_DECLARE_MARGIN
#define PN_DECLARE(...) PN_EACH(PN_DECLARE_, PN_NOTHING, __VA_ARGS__)

/* where it goes in pn_io */
#define PN_FILL_IN(name) .name = name,
#define PN_FILL_IN_OR_0(name) .name = name,
#define PN_FILL_IN_AS(name, slot) .slot = name,
#define PN_FILL_IN_AS_OR_0(name, slot) .slot = name,
#define PN_FILL_FORCES(name) .f_ext = name,
#define PN_FILL_FORCE(name) .f_ext = name,
#define PN_FILL_FRAME .frame = frame,
#define PN_FILL_REFERENCE .reference = (int)reference,
#define PN_FILL_KIND .option = (int)kind,
#define PN_FILL_PASSIVE .option = passive,
#define PN_FILL_OUT(n, name, shape) .out[n] = name,
#define PN_FILL_OUT_OR_NOT(n, name, shape) .out[n] = name,
#define PN_FILL_OUT_AFTER(n, name, shape) .out[(n) + 1] = name,
#define PN_FILL_MARGIN
#define PN_FILL(...) {PN_EACH(PN_FILL_, PN_NOTHING, __VA_ARGS__)}

/* it again, handed on: of a pinion_quantity_call x */
#define PN_HAND_IN(name) , x->name
#define PN_HAND_IN_OR_0(name) , x->name
#define PN_HAND_IN_AS(name, slot) , x->slot
#define PN_HAND_IN_AS_OR_0(name, slot) , x->slot
#define PN_HAND_FORCES(name) , x->f_ext
#define PN_HAND_FORCE(name) , x->f_ext
#define PN_HAND_FRAME , x->frame
#define PN_HAND_REFERENCE , x->reference
#define PN_HAND_KIND , (pinion_acceleration)x->option
#define PN_HAND_PASSIVE , x->option
#define PN_HAND_OUT(n, name, shape) , x->out[n]
#define PN_HAND_OUT_OR_NOT(n, name, shape) , x->out[n]
#define PN_HAND_OUT_AFTER(n, name, shape) , x->out[n]
#define PN_HAND_MARGIN
#define PN_HAND(...) PN_EACH(PN_HAND_, PN_NOTHING, __VA_ARGS__)

/* what is checked */
#define PN_RULE_OF_IN(name) 0
#define PN_RULE_OF_IN_OR_0(name) 0
#define PN_RULE_OF_IN_AS(name, slot) PN_RULE_NEEDS_##slot
#define PN_RULE_OF_IN_AS_OR_0(name, slot) 0
#define PN_RULE_OF_FORCES(name) 0
#define PN_RULE_OF_FORCE(name) PN_RULE_FORCE
#define PN_RULE_OF_FRAME PN_RULE_FRAME
#define PN_RULE_OF_REFERENCE PN_RULE_REFERENCE
#define PN_RULE_OF_KIND PN_RULE_KIND
#define PN_RULE_OF_PASSIVE 0
#define PN_RULE_OF_SHAPE(shape)                                                                              \
    (PN_SHAPE_##shape == PN_SHAPE_VV ? PN_RULE_DENSE                                                         \
     : PN_SHAPE_##shape == PN_SHAPE_SVV || PN_SHAPE_##shape >= PN_SHAPE_VB ? PN_RULE_CUBIC                   \
                                                                           : 0)
#define PN_RULE_OF_OUT(n, name, shape) ((n) == 0 ? PN_RULE_OUTPUT : 0) | PN_RULE_OF_SHAPE(shape)
#define PN_RULE_OF_OUT_OR_NOT(n, name, shape) PN_RULE_OF_SHAPE(shape)
#define PN_RULE_OF_OUT_AFTER(n, name, shape) PN_RULE_OF_SHAPE(shape)
#define PN_RULE_OF_MARGIN PN_RULE_MARGIN
#define PN_RULES(...) (PN_EACH(PN_RULE_OF_, PN_OR, __VA_ARGS__))

#endif
