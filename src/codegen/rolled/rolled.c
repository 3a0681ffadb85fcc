/* Functions for robots that are too large for straight lines: the library's own kernels, whole files as they are, and
 * the compiled model as tables. A function's workspace is on its stack. */
#include "codegen/rolled/rolled.h"

#include "codegen/emit/emit_text.h"

#include <stdlib.h>
#include <string.h>

static const char *const problem_names[PN_PROBLEM_COUNT] = {
    "inverse_dynamics", "mass_matrix",       "mass_matrix_inverse", "coriolis",
    "forward_dynamics", "operational_space", "factorization",       "d_inverse_dynamics",
    "d_forward_dynamics",
};

/* The statement that does all the work: the kernel, or the algorithm as its problem calls it. */
static void write_call(const pn_function *f, pn_text *t)
{
    const int kernel = f->call.kernel, algorithm = kernel - PN_FIRST_ALGORITHM;
    if (algorithm < 0)
        pn_text_add(t, "    k_%s(&k, &io);\n", pn_rolled_name(kernel));
    else
        pn_text_add(t, "    run_%s(&k, &io, %s);\n", problem_names[pn_algorithms[algorithm].problem],
                    pn_rolled_name(kernel));
}

/* ---- the workspace ---- */

/* Its layout, with the parts that the kernel uses alone; how many reals it has. */
static uint64_t lay_out(const pinion_model *m, const pn_function *f, pn_layout *l)
{
    const int algorithm = f->call.kernel - PN_FIRST_ALGORITHM;
    const pn_rolled_needs needs = pn_rolled_needs_of(f->call.kernel);
    *l = pn_work_layout(&m->n, needs.parts, needs.record);
    const uint64_t reals = l->room + (algorithm < 0 ? 0 : pn_algorithm_room(algorithm, &m->n));
    /* who uses the others all the same is out of bounds, which tests see */
    if (!(needs.parts & PN_PART_POSES)) l->poses = reals;
    if (!(needs.parts & PN_PART_BLOCKS)) l->blocks = reals;
    if (!(needs.parts & PN_PART_COLUMNS)) l->columns = reals;
    return reals;
}

/* ---- the seam between functions and kernels ---- */

static int is_open(const pinion_generated *g)
{
    return g->options.scalar == PINION_CODEGEN_REAL;
}

/* The scalar contract, src/real: what of it straight lines do not have (emit_contract.c). */
static void write_scalar(const pinion_generated *g, pn_text *t)
{
    const int single = g->options.scalar == PINION_CODEGEN_F32;
    const char *type = single ? "float" : "double", *suffix = single ? "f" : "",
               *function = is_open(g) ? "PN_DEVICE static inline" : "static inline";
    pn_text_add(t, "typedef int real_mask;\n#define PN_EPS %s_EPSILON\n", single ? "FLT" : "DBL");
    if (is_open(g) && !g->options.libm) pn_text_add(t, "#ifdef __CUDACC__\n");
    if (is_open(g) || g->options.libm)
        pn_text_add(t, "typedef %s num;\n%s real real_set1(num x)\n{\n    return x;\n}\n", type, function);
    if (is_open(g) && !g->options.libm) pn_text_add(t, "#endif\n");
    if (is_open(g)) return;
    if (g->options.libm)
        pn_text_add(t, "#define R(x) ((real)(x))\n"
                       "static inline real_mask real_lt(real a, real b)\n{\n    return a < b;\n}\n"
                       "static inline real real_select(real_mask m, real a, real b)\n{\n    return m ? a : b;\n}\n");
    pn_text_add(t, "static inline real real_sqrt(real x)\n{\n    return sqrt%s(x);\n}\n", suffix);
    pn_text_add(t, "static inline real real_atan2(real y, real x)\n{\n    return atan2%s(y, x);\n}\n", suffix);
}

/* macros of the contract that may be empty, and that packs have already */
static const char contract_macros[] =
    "#define PN_RIGID_ONLY /* no body has added mass */\n"
    "#ifndef PN_HOT\n"
    "#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__) && !defined(__CUDACC__)\n"
    "#define PN_HOT __attribute__((flatten)) /* all that it calls is compiled into it */\n"
    "#else\n"
    "#define PN_HOT\n"
    "#endif\n"
    "#endif\n"
    "#ifndef PN_UNROLL\n"
    "#define PN_UNROLL\n"
    "#endif\n"
    "#ifndef PN_INDEPENDENT\n"
    "#define PN_INDEPENDENT\n"
    "#endif\n"
    "#ifndef PN_TOGETHER\n"
    "#define PN_TOGETHER 1 /* sines and cosines taken at a time */\n"
    "#define real_sincos_together(x, s, c) real_sincos((x)[0], s, c)\n"
    "#endif\n";

static const char device_macros[] = "#if defined(__CUDACC__)\n"
                                    "#define PN_DEVICE __host__ __device__\n"
                                    "#else\n"
                                    "#define PN_DEVICE\n"
                                    "#endif\n"
                                    "#if defined(__CUDA_ARCH__)\n"
                                    "#define PN_TABLE static __device__ const\n"
                                    "#else\n"
                                    "#define PN_TABLE static const\n"
                                    "#endif\n"
                                    "#define N(x) ((num)(x))\n";

/* marks for the scalar that records, where one is still there */
static const char mark_macros[] = "#ifndef PN_BODY\n"
                                  "#define PN_BODY(i, pass) ((void)0)\n"
                                  "#define PN_NOTE(symbol, x, count) ((void)0)\n"
                                  "#define PN_APART_BEGIN() ((void)0)\n"
                                  "#define PN_APART_END() ((void)0)\n"
                                  "#endif\n";

static void write_contract(const pinion_generated *g, pn_text *t)
{
    pn_text_add(t,
                "/* Loops over the robot's tables: what follows are files of the Pinion library, as they are there.\n"
                " * The arrays of each function are on its stack; that is all the memory it takes.%s */\n"
                "#include <float.h>\n#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n\n",
                is_open(g) ? "\n * PINION_REAL_HEADER, where there is one, must also define num, real_mask, "
                             "real_set1(n) and PN_EPS: a number\n"
                             " * of the model, what real_lt gives, n as a real, the rounding unit of num."
                           : "");
    if (is_open(g)) pn_text_add(t, "%s#ifndef PINION_REAL_HEADER\n", device_macros);
    write_scalar(g, t);
    if (is_open(g)) pn_text_add(t, "#endif\n");
    pn_text_add(t, "%s%s", contract_macros, mark_macros);
}

/* the kernels of all functions; for compilers of GPU code every function of theirs is one of the device, too */
static void write_kernels(const pinion_generated *g, pn_text *t)
{
    pn_text seen = {0};
    if (is_open(g)) pn_text_add(t, "#if defined(__CUDACC__)\n#define static PN_DEVICE static\n#endif\n");
    pn_rolled_file("real/triple_array.h", &seen, t);
    pn_rolled_file("real/wide_one.h", &seen, t);
    for (int i = 0; i < g->functions; i++)
        if (g->function[i].loops) pn_rolled_files(g->function[i].call.kernel, &seen, t);
    if (is_open(g)) pn_text_add(t, "\n#undef static\n");
    if (seen.failed) t->failed = 1;
    pn_text_free(&seen);
}

/* ---- functions ---- */

static const char *argument(const pn_function *f, int k)
{
    return f->call.in >> k & 1 ? pn_input_name[k] : "NULL";
}

/* bytes that one real takes; packs take more */
static size_t real_bytes(const pinion_generated *g)
{
    return g->options.scalar == PINION_CODEGEN_F32 ? sizeof(float) : sizeof(double);
}

static void write_body(const pn_function *f, int number, const pn_rolled_tables *has, uint64_t reals, pn_text *t)
{
    pn_text_add(t, "{\n    real work[%llu];\n", (unsigned long long)reals);
    pn_text_add(t, "    const pn_ctx k = {&model_counts, model_node, %s, NULL, %s, NULL,\n",
                has->frames ? "model_frame_node" : "NULL",
                has->coordinates ? "model_map_q, model_map_v" : "NULL, NULL");
    pn_text_add(t, "                      %s, &model_constants, &model_layout_%d, NULL, work, NULL};\n",
                has->coupled ? "model_coupled" : "NULL", number);
    pn_text_add(t, "    const pn_io io = {");
    for (int k = 0; k < PN_IN_COUNT; k++) pn_text_add(t, "%s, ", argument(f, k));
    pn_text_add(t, "{");
    for (int i = 0; i < 6; i++)
        pn_text_add(t, "%s%s", i ? ", " : "", f->out[i].name ? f->out[i].name : "NULL");
    pn_text_add(t, "},\n                      %d, %d, %d, 0, NULL, 0, NULL, 0, {NULL, NULL, NULL}, 0, 0};\n",
                f->call.frame, f->call.reference, f->call.option);
    write_call(f, t);
    pn_text_add(t, "}\n");
}

static void write_function(const pinion_model *m, const pinion_generated *g, const pn_function *f,
                           const pn_rolled_tables *has, pn_text *t)
{
    pn_layout l;
    const uint64_t reals = lay_out(m, f, &l);
    uint64_t at[sizeof l / sizeof(uint64_t)];
    PN_ASSERT(sizeof at == sizeof l, "a layout is numbers alone");
    memcpy(at, &l, sizeof at);
    pn_text_add(t, "\n%s pn_layout model_layout_%d = {", pn_table_qualifier(g), (int)(f - g->function));
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        pn_text_add(t, "%s%llu", i ? ", " : "", (unsigned long long)at[i]);
    pn_text_add(t, "};\n/* %llu bytes of the stack%s */\n", (unsigned long long)reals * real_bytes(g),
                is_open(g) ? " where real is double" : "");
    pn_emit_signature(g, f, 1, t);
    pn_text_add(t, "\n");
    write_body(f, (int)(f - g->function), has, reals, t);
}

int pn_has_loops(const pinion_generated *g)
{
    for (int i = 0; i < g->functions; i++)
        if (g->function[i].loops) return 1;
    return 0;
}

/* kernels, robot and functions */
void pn_emit_rolled(const pinion_model *m, const pinion_generated *g, pn_text *t)
{
    if (!pn_has_loops(g)) return;
    pn_rolled_tables has = {0, m->n.followers != 0, m->n.followers != 0, 0};
    for (int i = 0; i < g->functions; i++) {
        const pn_function *f = &g->function[i];
        const int algorithm = f->call.kernel - PN_FIRST_ALGORITHM;
        const pn_rolled_needs needs = pn_rolled_needs_of(f->call.kernel);
        if (!f->loops) continue;
        has.frames |= needs.frames;
        has.dofs |= needs.dofs; /* coordinates of followers come behind them */
        has.coupled |= algorithm >= 0 && pn_algorithms[algorithm].limits & PN_LIMIT_COUPLINGS && m->n.couplings >= 0;
    }
    char **bodies = pn_body_names(m);
    if (!bodies) {
        t->failed = 1;
        return;
    }
    write_contract(g, t);
    write_kernels(g, t);
    pn_rolled_tree(m, g, &has, t);
    pn_rolled_constants(m, g, &has, bodies, t);
    for (int i = 0; i < g->functions; i++)
        if (g->function[i].loops) write_function(m, g, &g->function[i], &has, t);
    pn_body_names_free(bodies, m);
}

size_t pn_rolled_stack(const pinion_model *m, const pinion_generated *g, const pn_function *f)
{
    pn_layout l;
    return (size_t)lay_out(m, f, &l) * real_bytes(g);
}
