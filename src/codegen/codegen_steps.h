/* Code generation, from a model to text, in steps that each have a file or a folder:
 *
 *     request.c      the list of quantities that is asked for
 *     target.c       what can be generated: rows of the table of calls, with their inputs and results
 *     choose.c       the algorithm with the fewest operations that loses no digits
 *     regroup.c      the model with inertias moved to where they need least
 *     src/trace      the kernels write down what they compute
 *     simplify/      the same in fewer operations
 *     schedule.c     in an order that keeps few values alive
 *     identifiers.c  identifiers for links and values
 *     emit/          C, header, CMake file, README, self-test
 *     abreast/       statements for loading it back: limbs of the same shape side by side in registers
 *     registers/     which numbers these keep in registers, and which in memory
 *     rolled/        loops over tables in place of straight lines, for robots that are too large
 *     values.c       what the general kernels give at a few states
 *     evaluate.c     whether what was recorded gives the same there, and what it loses to rounding
 *     generate_code.c  all of it, in order
 *     compile/       loading it back; verify.c: comparing it with the kernels
 *
 * pn_graph is the form in between (trace/trace.h). */
#ifndef PN_CODEGEN_H
#define PN_CODEGEN_H

#include "base/text.h"
#include "pinion/codegen.h"
#include "trace/trace.h"

#define PN_COOKIE_CODEGEN 0x43474f31u /* generated.c */

/* ---- target.c ---- */

/* An argument or result: its name in generated code, how many numbers it has. */
typedef struct pn_argument {
    const char *name; /* "q", "tau", "position"; NULL: none */
    size_t count;
    const char *shape; /* for the comment: "[nq]", "[6][nv]" */
} pn_argument;

/* A quantity that can be generated is a row of the table of calls. Number n of them, NULL: there are fewer. */
const pn_call *pn_target(int number);
/* the arrays of inputs in generated code, by PN_IN_* */
extern const char *const pn_input_name[PN_IN_COUNT];
/* the one that `--what` names so, NULL: none */
const pn_call *pn_target_find(const char *name, size_t length);

/* the kernel that computes it alone, -1: one of its problem's algorithms does */
static inline int pn_own_kernel(const pn_call *target)
{
    return target->kernel < PN_FIRST_ALGORITHM ? target->kernel : -1;
}

/* ---- one function on its way ---- */

typedef struct pn_function {
    const pn_call *target;
    int frame;         /* of the model; -1: none */
    char *name;        /* "puma560_jacobian_tool" */
    char *quantity;    /* "jacobian:tool" */
    int algorithm;     /* -1: a kernel of its own */
    int loops;         /* written as loops */
    pn_trace_call call;
    pn_argument in[PN_IN_COUNT], out[6]; /* in the order of the signature; unused ones have no name */
    int slot[PN_IN_COUNT];               /* PN_IN_* of each input */
    pn_graph graph;    /* simplified and scheduled; empty where `loops` is set */
    pinion_operations operations, general;
    uint8_t *apart;    /* of each result, all arrays in a row: whether the tree's structure makes it zero (apart.h) */
    char *lines[2];    /* statements for loading it back (abreast/), of single calls and of packs; NULL: none */
    int limbs;         /* those of single calls have limbs side by side */
    double left;       /* about how many instructions these have then */
} pn_function;

/* The arguments, results and call of a function whose target, frame and algorithm are set. `margin` nonzero: forward
 * dynamics and inverses also give the least pivot (what the API asks kernels for), as a result named margin. The call
 * always asks for it. */
void pn_function_arguments(const pinion_model *m, int f_ext, int margin, pn_function *f);
/* Whether a result is that pivot: algorithms differ in it by more than rounding, and only its sign says something. */
int pn_is_margin(const pn_function *f, int result);

/* ---- regroup.c ---- */

/* A copy of the model in which what a joint's motion cannot show of an inertia has moved to its parent: for a revolute
 * joint mass, first moment along the axis, and the part of the second moment that is the same about x and y; for a
 * prismatic one the second moment. Forces, M and accelerations stay the same; kinematics too. Frees with
 * pinion_model_free. NULL when out of memory. */
pinion_model *pn_regrouped(const pinion_model *m);

/* ---- choose.c ---- */

/* Sets f's algorithm to the one of its problem that takes the fewest operations on this model with f's inputs, of those
 * that lose little more to rounding than the library's own; -1: the target's kernel does, or none applies. Of f the
 * target alone is set. Fails when out of memory: what was not weighed might have won. */
pinion_status pn_choose_algorithm(const pinion_model *m, const pinion_codegen_options *o, pn_function *f);
/* Nonzero: the algorithm is right on a regrouped model, too. Others divide moments by masses, and need every link's. */
int pn_takes_regrouped(int algorithm);

/* generate.c: the one that the library's own calls take, or else the first that applies; -1: none, or no algorithm
 * but a kernel of its own */
int pn_general_algorithm(const pinion_model *m, const pn_call *target);

/* ---- simplify.c: graph to graph, in the same order of computation ---- */

enum {
    PN_SIMPLIFY_ANGLE_SUMS = 1,  /* sines and cosines of sums, where that saves */
    PN_SIMPLIFY_REASSOCIATE = 2, /* other orders of sums and products, common factors */
    PN_SIMPLIFY_CANCEL = 4       /* terms that are multiples of one value are one term: (a + b) - b is a, which rounds
                                    less than it did */
};

/* Replaces the graph by one that gives the same results in fewer operations: constants folded, exact zeros and ones,
 * signs moved to where they are free, common subexpressions once, dead ones never. Without flags every result has the
 * same rounding, but a zero may change its sign. PINION_ERR_MEMORY or PINION_OK; with an error the graph
 * still gives the same results. In what it leaves, PN_OP_ADD whose operand b is a PN_OP_SIGN is a subtraction. */
pinion_status pn_simplify(pn_graph *graph, unsigned flags);
/* the flags that the options ask for */
unsigned pn_simplify_flags(const pinion_codegen_options *o);

/* ---- schedule.c ---- */

/* Puts the records in an order in which few values are alive at a time, bodies and passes in the kernel's order. */
pinion_status pn_schedule(pn_graph *graph);

/* ---- emit/emit_zeros.c ---- */

/* Statements that write the zeros of the tree's structure; nothing where there are none. */
void pn_emit_apart(const pn_function *f, pinion_codegen_scalar scalar, pn_text *t);
int pn_has_apart(const pn_function *f);

/* ---- abreast/ ---- */

/* Sets f->lines, those of packs if it is for batches, too, also where they are not taken: every build tests what writes
 * them. PINION_ERR_MEMORY or PINION_OK. */
pinion_status pn_function_lines(const pinion_model *m, int batch, pn_function *f);
/* whether they were measured to pay with an instruction set; else the statements of pinion_codegen are taken */
int pn_takes_lines(const char *isa);

/* ---- identifiers.c ---- */

/* A set of names: open addressing. `next` is the first number that a further one of that name could have behind it. */
typedef struct pn_names {
    struct {
        char *name;
        int next;
    } *at;
    size_t capacity, count;
} pn_names;

/* Adds a copy of a name, or "NAME_2", "NAME_3", ..., whichever is first that the set does not have; of a name with a
 * number behind it at most `longest` characters. The set's own copy; NULL when out of memory. */
char *pn_names_add(pn_names *names, const char *name, size_t longest);
void pn_names_free(pn_names *names);

/* An identifier of C made of any text: letters, digits and underscores, never a keyword, never empty, different from
 * the `count` that are in `taken`. At most 40 characters. NULL when out of memory. */
char *pn_identifier(const char *text, const char *const *taken, int count);
/* Text that can stand in a comment: no end of it, nothing but printable ASCII; other characters by their number, what
 * is none as '?'. At most 83 characters, with dots where it was cut. */
void pn_comment_text(const char *text, char out[84]);
/* Identifiers of all compiled bodies: links, `base` for 0. Free with pn_body_names_free. */
char **pn_body_names(const pinion_model *m);
void pn_body_names_free(char **names, const pinion_model *m);

/* ---- embedded.c, made by cmake/embed.cmake: sources of this tree as text, includes flattened ---- */

/* "sincos_f64", "sincos_f32": the constants and sincos.inc; "pack": real_pack.h with all it includes;
 * "kernel/inverse_dynamics/rnea.inc" and the other files of kernels: as they are, for rolled.c. NULL: there
 * is none of that name. */
const char *pn_embedded(const char *name);

/* ---- emit_literal.c: numbers and lines of C ---- */

/* A number as C writes it, in the fewest digits that give it back, whatever the locale: "0.4318", "0.4318f" where
 * `single` is set. Not a number and infinities as quotients. */
void pn_text_digits(pn_text *t, double x, int single);
/* The same, as a literal of the generated scalar: R(0.4318) where that is `real`. */
void pn_text_literal(pn_text *t, double x, pinion_codegen_scalar scalar);
/* A statement, from `from` on in the text, broken at spaces into lines of at most 110 columns, the second and later
 * ones indented by `indent`. */
void pn_text_wrap(pn_text *t, size_t from, int indent);
/* Prose, likewise; the second and later lines begin with the prefix. */
void pn_text_fill(pn_text *t, size_t from, const char *prefix);

/* ---- generated code ---- */

typedef struct pn_file {
    char *name;
    char *text;
    size_t length;
} pn_file;

struct pinion_generated {
    char *name;
    pn_function *function;
    int functions;
    pn_file *file;
    int files;
    pinion_codegen_options options; /* strings inside are not kept */
    const char *algorithm;          /* the one that was asked for; NULL: none was */
    int margins;                    /* forward dynamics give their least pivot, too */
};

/* an error with its message; the status */
#define pn_codegen_fail(err, status, ...) pn_error_set(err, status, NULL, 0, 0, __VA_ARGS__)

/* request.c: the functions of a list of quantities, with target, frame and names */
pinion_status pn_request(const pinion_model *m, pinion_generated *g, const char *what, pinion_error *err);

/* generate.c: everything but the files, and then these. `margins`: for loading it back. */
pinion_generated *pn_generate(const pinion_model *m, const pinion_codegen_options *options, int margins,
                              pinion_error *err);

/* One file each, appended to g->file; PINION_ERR_MEMORY or PINION_OK. */
pinion_status pn_emit_header(const pinion_model *m, pinion_generated *g);
pinion_status pn_emit_source(const pinion_model *m, pinion_generated *g);
pinion_status pn_emit_test(const pinion_model *m, pinion_generated *g);   /* stored values of the kernels */
pinion_status pn_emit_cmake(const pinion_model *m, pinion_generated *g);
pinion_status pn_emit_readme(const pinion_model *m, pinion_generated *g);
pinion_status pn_add_file(pinion_generated *g, const char *name, pn_text *text); /* takes over the text */

/* emit_body.c: the statements of one straight-line function */
void pn_emit_body(const pinion_model *m, const pinion_generated *g, const pn_function *f, char *const *bodies,
                  pn_text *t);
/* the scalar contract at the head of the source: real, literals, sine and cosine, as g->options.scalar says */
void pn_emit_contract(const pinion_generated *g, pn_text *t);
/* rolled.c: kernels, tables and one function for each that is written as loops; nothing if none is */
void pn_emit_rolled(const pinion_model *m, const pinion_generated *g, pn_text *t);
/* bytes of the stack that such a function takes, where real is double or float */
size_t pn_rolled_stack(const pinion_model *m, const pinion_generated *g, const pn_function *f);
/* whether some function is written so */
int pn_has_loops(const pinion_generated *g);

#endif
