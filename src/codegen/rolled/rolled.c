/* Functions for robots that are too large for straight lines: the library's own kernels, as they are in its
 * sources, and the compiled model as tables. A function's workspace is on its stack. */
#include "codegen/rolled/rolled.h"

#include "codegen/emit/emit_text.h"

#include <stdlib.h>
#include <string.h>

/* ---- kernels by name ---- */

static const char *const kernel_names[PN_KERNEL_COUNT] = {
#define PN_KERNEL_NAME(name) #name,
    PN_KERNEL_LIST(PN_KERNEL_NAME)
    PN_RESEARCH_KERNEL_LIST(PN_KERNEL_NAME)
#undef PN_KERNEL_NAME
#define PN_ALGORITHM(function, ...) #function,
#include "kernel/algorithms.inc"
#undef PN_ALGORITHM
};

static const char *const problem_names[PN_PROBLEM_COUNT] = {
    "inverse_dynamics", "mass_matrix",       "mass_matrix_inverse", "coriolis",
    "forward_dynamics", "operational_space", "factorization",
};

/* The statement that does all the work: the kernel, or the algorithm as its problem calls it. */
static void write_call(const pn_function *f, pn_text *t)
{
    const int kernel = f->call.kernel, algorithm = kernel - PN_FIRST_ALGORITHM;
    if (algorithm < 0)
        pn_text_add(t, "    k_%s(&k, &io);\n", kernel_names[kernel]);
    else
        pn_text_add(t, "    run_%s(&k, &io, %s);\n", problem_names[pn_algorithms[algorithm].problem],
                    kernel_names[kernel]);
}

/* ---- the workspace ---- */

/* Where the parts of sys begin, in reals; those that a function does not use have no room, and begin at 0.
 * The first are the joints' displacements. */
typedef struct layout {
    size_t W, scratch, block, columns, tree, room;
    size_t reals;
} layout;

/* The records that kernels have for each body in their scratch memory. Generated code holds its own against
 * this. */
static const struct {
    int kernel;
    const char *type; /* NULL: none */
    size_t reals;
} body_records[] = {
    {PN_K_rnea, "rnea_body", 18},
    {PN_K_aba, "aba_body", 47},
    {PN_K_crba, "inertia", 10},
    {PN_K_followers_fd, "rnea_body", 18},
    {PN_K_gravity, "gravity_body", 9},
    {PN_K_energy, "motion_body", 12},
    {PN_K_center, "motion_body", 12},
    {PN_K_momentum, "motion_body", 12},
    {PN_K_velocity, "motion_body", 12},
    {PN_K_acceleration, "motion_body", 12},
    {PN_K_frames, NULL, 0},
    {PN_K_jacobian, NULL, 0},
    {PN_K_passive, NULL, 0},
};
enum { RECORDS = sizeof body_records / sizeof *body_records, ANY_RECORD = 48 };

/* its place in body_records, RECORDS where the kernel is not there */
static int record_of(int kernel)
{
    int r = 0;
    while (r < RECORDS && body_records[r].kernel != kernel) r++;
    return r;
}

/* reals for coordinates and results of the tree, which differ from the caller's where joints follow others */
static size_t tree_reals(const pinion_model *m, const pn_function *f)
{
    const size_t nv = (size_t)m->n.nv, tree_nv = (size_t)m->n.tree_nv;
    const int problem = f->target->problem;
    size_t reals = (size_t)m->n.tree_nq + 2 * tree_nv;
    if (!m->n.followers) return 0;
    if (problem == PN_PROBLEM_inverse_dynamics || pn_own_kernel(f->target) == PN_K_gravity) return reals + tree_nv;
    if (pn_own_kernel(f->target) == PN_K_jacobian) return reals + 6 * tree_nv;
    if (problem == PN_PROBLEM_mass_matrix || problem == PN_PROBLEM_coriolis) return reals + tree_nv * tree_nv;
    if (problem < 0) return reals + tree_nv;
    return reals + tree_nv * (tree_nv + 6) + nv * nv + 2 * nv;
}

/* a part behind those before it, if what the function needs has that member */
static void lay(const pn_source *s, const char *member, size_t reals, layout *l, size_t *begin)
{
    *begin = 0;
    if (!reals || !pn_source_has_member(s, member)) return;
    *begin = l->reals;
    l->reals += reals;
}

/* of a function, for what is needed of the source is what it needs */
static layout lay_out(const pinion_model *m, const pn_source *s, const pn_function *f)
{
    const size_t nodes = (size_t)m->n.nodes, dense = (size_t)m->n.dense;
    const int record = record_of(f->call.kernel), algorithm = f->call.kernel - PN_FIRST_ALGORITHM;
    const size_t room = algorithm < 0 ? 0 : (size_t)pn_algorithm_room(algorithm, &m->n);
    layout l;
    memset(&l, 0, sizeof l);
    l.reals = 3 * nodes + 12 * dense;
    lay(s, "W", 12 * nodes, &l, &l.W);
    lay(s, "scratch", nodes * (record < RECORDS ? body_records[record].reals : ANY_RECORD), &l, &l.scratch);
    lay(s, "block", 64 * dense, &l, &l.block);
    lay(s, "columns", 6 * ((size_t)m->n.tree_nv + PN_BESIDE_COLUMNS), &l, &l.columns);
    lay(s, "tree", tree_reals(m, f), &l, &l.tree);
    lay(s, "room", room, &l, &l.room);
    return l;
}

/* ---- the seam between functions and kernels ---- */

static int is_open(const pinion_generated *g)
{
    return g->options.scalar == PINION_CODEGEN_REAL;
}

/* before every function, for compilers of GPU code */
static const char *function_qualifier(const pinion_generated *g)
{
    return is_open(g) ? "PN_DEVICE " : "";
}

/* What stands for the library's own context: the model is known, and the workspace is cut as each function
 * needs it. */
static void write_seam(const pinion_model *m, const pinion_generated *g, const pn_rolled_tables *has,
                       pn_text *t)
{
    const char *null = "NULL";
    pn_text_add(t,
                "\n/* the parts of sys, whose displacements are the first */\n"
                "%sstatic sys open_system(const pn_ctx *k)\n{\n    sys s;\n",
                function_qualifier(g));
    pn_text_add(t, "    s.N = %d;\n    s.n = &model_counts;\n    s.node = model_node;\n", m->n.nodes);
    pn_text_add(t, "    s.frame_node = %s;\n", has->frames ? "model_frame_node" : null);
    pn_text_add(t, "    s.head = &model_head;\n    s.link = model_link;\n");
    pn_text_add(t, "    s.frame = %s;\n    s.dof = %s;\n", has->frames ? "model_frame" : null,
                has->dofs ? "model_dof" : null);
    pn_text_add(t, "    s.coordinate_q = %s;\n    s.coordinate_v = %s;\n",
                has->coordinates ? "model_coordinate_q" : null,
                has->coordinates ? "model_coordinate_v" : null);
    pn_text_add(t, "    s.map_q = %s;\n    s.map_v = %s;\n", has->coordinates ? "model_map_q" : null,
                has->coordinates ? "model_map_v" : null);
    pn_text_add(t, "    s.loop = NULL;\n    s.coupled = %s;\n    s.closure = NULL;\n    s.loop_dof = NULL;\n",
                has->coupled ? "model_coupled" : null);
    pn_text_add(t, "    s.X = (screw *)k->work;\n    s.D = (dense *)(k->work + %d);\n", 3 * m->n.nodes);
    pn_text_add(t, "    s.W = (dense *)(k->work + k->W);\n    s.scratch = k->work + k->scratch;\n"
                   "    s.block = k->work + k->block;\n    s.columns = k->work + k->columns;\n"
                   "    s.tree = k->work + k->tree;\n    s.room = k->work + k->room;\n    s.io = NULL;\n    "
                   "return s;\n}\n");
}

/* what is read: the contract's forms of three numbers and of wide ones, then all kernels */
static const char *const source_files[] = {"real/triple_array.h", "real/wide_one.h", "kernel/all.inc"};

/* The scalar contract, src/real: what of it straight lines do not have (emit_contract.c). */
static void write_scalar(const pinion_generated *g, const pn_source *s, pn_text *t)
{
    const int single = g->options.scalar == PINION_CODEGEN_F32;
    const char *type = single ? "float" : "double",
               *function = is_open(g) ? "PN_DEVICE static inline" : "static inline";
    pn_text_add(t, "typedef int real_mask;\n#define PN_EPS %s_EPSILON\n", single ? "FLT" : "DBL");
    if (is_open(g) && !g->options.libm) pn_text_add(t, "#ifdef __CUDACC__\n");
    if (is_open(g) || g->options.libm) {
        pn_text_add(t, "typedef %s num;\n", type);
        if (pn_source_mentions(s, "real_set1"))
            pn_text_add(t, "%s real real_set1(num x)\n{\n    return x;\n}\n", function);
    }
    if (is_open(g) && !g->options.libm) pn_text_add(t, "#endif\n");
    if (is_open(g)) return;
    if (g->options.libm) {
        pn_text_add(t, "#define R(x) ((real)(x))\n");
        if (pn_source_mentions(s, "real_lt"))
            pn_text_add(t, "static inline real_mask real_lt(real a, real b)\n{\n    return a < b;\n}\n");
        if (pn_source_mentions(s, "real_select"))
            pn_text_add(
                t,
                "static inline real real_select(real_mask m, real a, real b)\n{\n    return m ? a : b;\n}\n");
    }
    if (pn_source_mentions(s, "real_sqrt"))
        pn_text_add(t, "static inline real real_sqrt(real x)\n{\n    return sqrt%s(x);\n}\n",
                    single ? "f" : "");
    if (pn_source_mentions(s, "real_atan2"))
        pn_text_add(t, "static inline real real_atan2(real y, real x)\n{\n    return atan2%s(y, x);\n}\n",
                    single ? "f" : "");
}

/* macros of the contract that may be empty, and that packs have already */
static const char contract_macros[] =
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

static void write_contract(const pinion_generated *g, const pn_source *s, pn_text *t)
{
    static const char *const guards[] = {"PN_TRIPLE_ARRAY_H", "PN_WIDE_ONE_H"};
    pn_text_add(t,
                "/* Loops over the robot's tables: what follows are the kernels of the Pinion library, of "
                "them what is needed here.\n"
                " * The arrays of each function are on its stack; that is all the memory it takes.%s */\n"
                "#include <float.h>\n#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n\n",
                is_open(g) ? "\n * PINION_REAL_HEADER, where there is one, must also define num, real_mask, "
                             "real_set1(n) and PN_EPS: a number\n"
                             " * of the model, what real_lt gives, n as a real, the rounding unit of num."
                           : "");
    if (is_open(g)) pn_text_add(t, "%s#ifndef PINION_REAL_HEADER\n", device_macros);
    write_scalar(g, s, t);
    if (is_open(g)) pn_text_add(t, "#endif\n");
    pn_text_add(t, "%s", contract_macros);

    /* by the guards that these files have */
    for (int i = 0; i < 2; i++) {
        pn_text file = {0};
        if (pn_source_write(s, source_files[i], function_qualifier(g), &file) != PINION_OK || file.failed)
            t->failed = 1;
        if (file.length) pn_text_add(t, "\n#ifndef %s\n%s#endif\n", guards[i], file.at);
        pn_text_free(&file);
    }
}

/* ---- functions ---- */

static const char *argument(const pn_function *f, int k)
{
    static const char *const names[PN_IN_COUNT] = {"q", "v", "a", "tau", "f_ext"};
    return f->call.in >> k & 1 ? names[k] : "NULL";
}

/* bytes that one real takes; packs take more */
static size_t real_bytes(const pinion_generated *g)
{
    return g->options.scalar == PINION_CODEGEN_F32 ? sizeof(float) : sizeof(double);
}

static void write_body(const pn_function *f, const layout *l, pn_text *t)
{
    pn_text_add(t, "{\n    real work[%zu];\n", l->reals);
    pn_text_add(t, "    const pn_ctx k = {work, %zu, %zu, %zu, %zu, %zu, %zu};\n", l->W, l->scratch, l->block,
                l->columns, l->tree, l->room);
    pn_text_add(t, "    const pn_io io = {");
    for (int k = 0; k < PN_IN_COUNT; k++) pn_text_add(t, "%s, ", argument(f, k));
    pn_text_add(t, "{");
    for (int i = 0; i < 6; i++)
        pn_text_add(t, "%s%s", i ? ", " : "", f->out[i].name ? f->out[i].name : "NULL");
    pn_text_add(t, "},\n                      %d, %d, %d, NULL, 0, NULL, 0, {NULL, NULL, NULL}, 0, 0};\n",
                f->call.frame, f->call.reference, f->call.option);
    write_call(f, t);
    pn_text_add(t, "}\n");
}

/* The kernels, with a context of this file's own: where a function's workspace is. */
static pn_source *open_source(void)
{
    static const char context[] =
        "/* where a function's workspace is, and where in it the parts of sys begin */\n"
        "typedef struct pn_ctx {\n    real *work;\n"
        "    size_t W, scratch, block, columns, tree, room;\n} pn_ctx;\n";
    static const char open_system[] = "static sys open_system(const pn_ctx *k);\n";
    pn_source *s = pn_source_read(source_files, 3);
    if (!s) return NULL;
    pn_source_replace(s, "pn_ctx", context);
    pn_source_replace(s, "open_system", open_system);
    return s;
}

/* marks what a function needs */
static int need_function(pn_source *s, const pn_function *f)
{
    pn_text call = {0};
    write_call(f, &call);
    if (!call.failed) {
        pn_source_need(s, call.at);
        pn_source_need(s, "pn_io sys screw dense");
    }
    const int failed = call.failed;
    pn_text_free(&call);
    return !failed;
}

static void write_function(const pinion_model *m, const pinion_generated *g, const pn_function *f,
                           pn_source *s, pn_text *t)
{
    pn_source_clear(s);
    if (!need_function(s, f)) {
        t->failed = 1;
        return;
    }
    const layout l = lay_out(m, s, f);
    const int record = record_of(f->call.kernel);
    pn_text_add(t, "\n");
    if (record < RECORDS && body_records[record].type)
        pn_text_add(t, "PN_ASSERT(sizeof(%s) <= %zu * sizeof(real), \"the records fit the workspace\");\n",
                    body_records[record].type, body_records[record].reals);
    pn_text_add(t, "/* %zu bytes of the stack%s */\n", l.reals * real_bytes(g),
                g->options.scalar == PINION_CODEGEN_REAL ? " where real is double" : "");
    pn_emit_signature(g, f, 1, t);
    pn_text_add(t, "\n");
    write_body(f, &l, t);
}

/* kernels, robot and functions */
static void write_all(const pinion_model *m, const pinion_generated *g, pn_source *s, char *const *bodies,
                      pn_text *t)
{
    pn_rolled_tables has;
    pn_source_clear(s);
    for (int i = 0; i < g->functions; i++)
        if (g->function[i].loops && !need_function(s, &g->function[i])) t->failed = 1;
    pn_source_need(s, "PN_ASSERT");
    has.frames = pn_source_has_member(s, "frame_node");
    has.dofs = pn_source_has_member(s, "dof");
    has.coordinates = m->n.followers != 0;
    has.coupled = pn_source_has_member(s, "coupled") && m->n.couplings >= 0;

    pn_text kernels = {0};
    write_contract(g, s, t);
    if (pn_source_write(s, NULL, function_qualifier(g), &kernels) != PINION_OK || kernels.failed)
        t->failed = 1;
    if (kernels.length) {
        const int marked = strstr(kernels.at, "PN_BODY(") || strstr(kernels.at, "PN_NOTE(") ||
                           strstr(kernels.at, "PN_APART_");
        pn_text_add(t, "%s", marked ? mark_macros : "");
        pn_text_bytes(t, kernels.at, kernels.length);
    }
    pn_text_free(&kernels);
    pn_rolled_tree(m, g, &has, t);
    pn_rolled_constants(m, g, &has, bodies, t);
    write_seam(m, g, &has, t);
    for (int i = 0; i < g->functions; i++)
        if (g->function[i].loops) write_function(m, g, &g->function[i], s, t);
}

void pn_emit_rolled(const pinion_model *m, const pinion_generated *g, pn_text *t)
{
    int rolled = 0;
    for (int i = 0; i < g->functions; i++) rolled += g->function[i].loops != 0;
    if (!rolled) return;
    pn_source *s = open_source();
    char **bodies = pn_body_names(m);
    if (s && bodies)
        write_all(m, g, s, bodies, t);
    else
        t->failed = 1;
    pn_body_names_free(bodies, m);
    pn_source_free(s);
}

size_t pn_rolled_stack(const pinion_model *m, const pinion_generated *g, const pn_function *f)
{
    pn_source *s = open_source();
    size_t bytes = 0;
    if (s && need_function(s, f)) bytes = lay_out(m, s, f).reals * real_bytes(g);
    pn_source_free(s);
    return bytes;
}

int pn_rolled_mentions(const pinion_generated *g, const char *name)
{
    pn_source *s = NULL;
    int mentioned = 0;
    for (int i = 0; i < g->functions; i++) {
        if (!g->function[i].loops) continue;
        if (!s) s = open_source();
        if (s) need_function(s, &g->function[i]);
    }
    if (s) mentioned = pn_source_mentions(s, name);
    pn_source_free(s);
    return mentioned;
}
