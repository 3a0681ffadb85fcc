/* Every scalar instantiation that this CPU can run computes what the baseline computes, to rounding: every
 * kernel of the table, in both precisions, on random trees and chains of every joint type, with followers and
 * without, and on mechanisms with loops. Single calls use the best instantiation only: no other test runs the
 * ones between it and the baseline. It prints which were run, which the CPU cannot run, and the worst
 * difference of each kernel. */
#include "backend.h"
#include "kernel/forward_dynamics/logn/dca.h"
#include "registry/models.h"

/* both of these headers have helpers of these names */
#define random_pose loop_random_pose
#define random_joint loop_random_joint
#include "loops/random_loops.h"
#undef random_pose
#undef random_joint

#if defined(__x86_64__)
static const char *const isas[] = {"scalar", "avx2", "avx512"};
#else
static const char *const isas[] = {"scalar"};
#endif

enum { INPUTS = 5, OUTPUTS = 6, ISAS = sizeof isas / sizeof *isas };

/* What is demanded, in rounding units, relative to the largest entry of the result: some times the worst that
 * was seen over 41 seeds. What solves with M multiplies by its condition, and loops that cannot be closed by
 * theirs. A result beyond it must be one that inputs move as much which are off by rounding (SHAKEN_TIMES). */
typedef struct bound {
    int kernel;
    double units;
} bound;

static const bound bounds[] = {
    {PN_K_hessian, 4000},
    {PN_K_generalized_jacobian, 10000},
    {PN_K_com_jacobian, 500},   {PN_K_centroidal, 500},           {PN_K_force_to_torque, 500},
    {PN_K_rnea, 200},           {PN_K_gravity, 200},            {PN_K_crba, 500},
    {PN_K_aba, 3000},           {PN_K_followers_fd, 1e5},       {PN_K_passive, 20},
    {PN_K_energy, 100},         {PN_K_center, 300},             {PN_K_momentum, 200},
    {PN_K_frames, 100},         {PN_K_jacobian, 100},           {PN_K_velocity, 100},
    {PN_K_acceleration, 200},   {PN_K_terms, 500},              {PN_K_integrate, 20},
    {PN_K_difference, 30},      {PN_K_normalize, 10},           {PN_K_global, 1e4},
    {PN_K_constrained, 2e5},    {PN_K_tree_solve, 5000},        {PN_K_step, 2e4},
    {PN_K_loops, 3000},         {PN_K_loop_motion, 5e4},        {PN_K_loop_active, 5e4},
    {PN_K_dca_step, 1e7},       {PN_K_dca_join, 1e7},           {PN_K_loop_reactions, 1e5},
    {PN_K_loop_proximal, 2e10}, {PN_K_divide_and_conquer, 1e7}, {PN_K_forward_dynamics_vjp, 3e5},
    {PN_K_forward_dynamics_jvp, 3e5}, {PN_K_fd_forces, 1e5}, {PN_K_d_constrained, 5e6},
};

/* the other algorithms, by their problem */
static const double problem_bounds[PN_PROBLEM_COUNT] = {
    [PN_PROBLEM_inverse_dynamics] = 1500,   [PN_PROBLEM_mass_matrix] = 1500,
    [PN_PROBLEM_mass_matrix_inverse] = 3e5, [PN_PROBLEM_coriolis] = 3000,
    [PN_PROBLEM_forward_dynamics] = 3e5,    [PN_PROBLEM_operational_space] = 5e4,
    [PN_PROBLEM_factorization] = 5e5,       [PN_PROBLEM_d_inverse_dynamics] = 1500,
    [PN_PROBLEM_d_forward_dynamics] = 5e6,
};

#define FLOAT_AT_MOST 0x1p22 /* a quarter of the result, whatever the bound */
#define USUAL 1000           /* four outputs of five are within this, whatever the bound (seen: 89 %) */

#define CALL_BOUND 1e4 /* of a call that is not listed above: one number may be a small difference */

static double bound_of(int kernel)
{
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (bounds[i].kernel == kernel) return bounds[i].units;
    return kernel < PN_FIRST_ALGORITHM ? CALL_BOUND
                                       : problem_bounds[pn_algorithms[kernel - PN_FIRST_ALGORITHM].problem];
}

static double worst[2][SHAPES];                     /* in double and in float */
static int measured[2][SHAPES], unusual[2][SHAPES]; /* outputs compared, and those beyond USUAL */

/* ---- one call ---- */

/* the arrays of a call, in a back end's own numbers */
typedef struct call {
    const pn_backend *b;
    const pinion_model *m;
    void *in[INPUTS], *g[3], *result, *work;
    int frame;
    pn_ctx ctx;
    pn_io io;
} call;

static void put(size_t bytes, void *array, int i, double x)
{
    if (bytes == sizeof(double))
        ((double *)array)[i] = x;
    else
        ((float *)array)[i] = (float)x;
}

static double get(size_t bytes, const void *array, int i)
{
    return bytes == sizeof(double) ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

static void *numbers(size_t bytes, const double *from, int n)
{
    void *array = calloc((size_t)n + 1, bytes);
    for (int i = 0; i < n; i++) put(bytes, array, i, from[i]);
    return array;
}

static int is_of_loops(int kernel)
{
    return kernel == PN_K_loops || kernel == PN_K_loop_motion || kernel == PN_K_loop_active ||
           kernel == PN_K_loop_reactions || kernel == PN_K_d_loops;
}

static void call_open(call *c, const pn_backend *b, const pinion_model *m, const shape *s, const state *x)
{
    const int width[INPUTS] = {s->q, s->v, s->a, s->tau, s->f_ext};
    const double *from[INPUTS] = {x->q, x->v, x->a, x->tau, x->f_ext};
    memset(c, 0, sizeof *c);
    c->b = b;
    c->m = m;
    c->frame = m->n.frames - 1;
    c->io.frame = s->kernel == PN_K_frames ? -1 : c->frame;
    c->io.option = 1;
    c->io.frames = &c->frame;
    c->io.frame_count = 1;
    c->io.dt = s->kernel == PN_K_step ? 0x1p-10 : 0.375;

    /* a difference has the other configuration where an acceleration would be */
    if (s->kernel == PN_K_difference) from[2] = x->a + m->n.nv;
    const void **const input[INPUTS] = {&c->io.q, &c->io.v, &c->io.a, &c->io.tau, &c->io.f_ext};
    for (int i = 0; i < INPUTS; i++) {
        c->in[i] = numbers(b->lane_bytes, from[i], width[i]);
        *input[i] = width[i] ? c->in[i] : NULL;
    }
    /* laws of time: any numbers, and the ones behind the configuration are at hand */
    for (int d = 0; d < 3 && is_of_loops(s->kernel); d++) {
        c->g[d] = numbers(b->lane_bytes, x->a + m->n.nv + m->n.nq, m->n.rows);
        c->io.g[d] = c->g[d];
    }
    for (int d = 0; d < 3 && is_jvp(s); d++) c->io.g[d] = c->g[d] = numbers(b->lane_bytes, x->v, m->n.nv);
    c->result = calloc((size_t)width_of(s) + 1, b->lane_bytes);
    char *at = c->result;
    for (int o = 0; o < OUTPUTS; o++) {
        c->io.out[o] = s->out[o] ? at : NULL;
        at += (size_t)s->out[o] * b->lane_bytes;
    }

    /* not numbers: nothing may be read before it is written; to lines of the cache, as workspaces have it */
    const size_t size = (all_reals(m) * b->lane_bytes + 63) / 64 * 64;
    c->work = aligned_alloc(64, size);
    memset(c->work, 0xff, size);
    c->ctx = pn_context(m, b->lane_bytes, c->work);
}

/* outputs one after the other in `out` */
static void call_close(call *c, const shape *s, double *out)
{
    for (int i = 0; i < width_of(s); i++) out[i] = get(c->b->lane_bytes, c->result, i);
    for (int i = 0; i < INPUTS; i++) free(c->in[i]);
    for (int d = 0; d < 3; d++) free(c->g[d]);
    free(c->result);
    free(c->work);
}

/* ---- divide and conquer in parts: dca_step, and dca_join in place of its assemblies ---- */

static void part(call *c, int step, int first, int end)
{
    pn_io io = c->io;
    io.option = step;
    io.frame = first;
    io.frame_count = end;
    c->b->kernel[PN_K_dca_step](&c->ctx, &io);
}

static void *record(const call *c, void *records, size_t reals, int at)
{
    return (char *)records + (size_t)at * reals * c->b->lane_bytes;
}

/* the record of a piece, of an assembly or of a body with its limbs: the one that it is not is NULL */
static void piece(const call *c, const pn_dca_view *view, int at, const void **body, const void **assembly)
{
    const int N = c->m->n.nodes;
    *body = at < N ? record(c, view->own, view->limb_reals, at) : NULL;
    *assembly = at < N ? NULL : record(c, view->piece, view->piece_reals, at - N);
}

/* one operation of the plan; dca_join is for joints of one freedom, which is what packs use it for */
static void assemble(call *c, const pn_dca_view *view, int e, int join)
{
    const int o = view->order[e];
    if (!join || o >= c->m->n.nodes || view->head[o] || c->ctx.node[o].dense >= 0) {
        part(c, PN_DCA_ASSEMBLE, e, e + 1);
        return;
    }
    const int v = c->ctx.node[o].v;
    pn_dca_operands x;
    piece(c, view, view->left[o], &x.left_body, &x.left);
    piece(c, view, view->right[o], &x.right_body, &x.right);
    x.joint = record(c, view->joint, view->joint_reals, o);
    x.dof = record(c, view->dof, view->dof_reals, v);
    x.out = record(c, view->piece, view->piece_reals, o);
    x.tau = record(c, c->in[3], 1, v);
    const pn_io io = {.out = {&x}, .frame = o};
    c->b->kernel[PN_K_dca_join](&c->ctx, &io);
}

static void run_parts(call *c, int join)
{
    static const struct {
        int step, direction; /* 0: for bodies, else levels upwards or downwards */
    } row[] = {{PN_DCA_DISPLACE, 0}, {PN_DCA_COMPOSE, 1},  {PN_DCA_HAND_VELOCITY, -1},
               {PN_DCA_BEGIN, 0},    {PN_DCA_ASSEMBLE, 1}, {PN_DCA_HAND, -1}};
    pn_dca_view view;
    c->io.out[2] = &view;
    part(c, PN_DCA_PLAN, 0, 0);
    for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
        if (row[r].direction == 0) part(c, row[r].step, 1, c->m->n.nodes);
        for (int l = 0; l < *view.levels && row[r].direction; l++) {
            const int level = row[r].direction > 0 ? l : *view.levels - 1 - l;
            const int first = view.first[level], end = view.first[level + 1];
            if (row[r].step != PN_DCA_ASSEMBLE) part(c, row[r].step, first, end);
            for (int e = first; e < end && row[r].step == PN_DCA_ASSEMBLE; e++) assemble(c, &view, e, join);
        }
    }
    part(c, PN_DCA_MARGIN, 0, 0);
}

static void run(const pn_backend *b, const pinion_model *m, const shape *s, const state *x, double *out)
{
    call c;
    call_open(&c, b, m, s, x);
    if (s->kernel == PN_K_dca_step || s->kernel == PN_K_dca_join)
        run_parts(&c, s->kernel == PN_K_dca_join);
    else
        b->kernel[s->kernel](&c.ctx, &c.io);
    call_close(&c, s, out);
}

/* ---- comparisons ---- */

/* the shapes, with those of divide and conquer in parts, which are called in their own way */
static void all_shapes(const pinion_model *m, shape shapes[SHAPES])
{
    shapes_of(m, shapes);
    for (int k = 0; k < SHAPES; k++) {
        const int kernel = shapes[k].kernel;
        if (kernel != PN_K_dca_step && kernel != PN_K_dca_join) continue;
        const char *name = shapes[k].name;
        shapes[k] = shape_of_algorithm(m, PN_K_divide_and_conquer - PN_FIRST_ALGORITHM);
        shapes[k].kernel = kernel;
        shapes[k].name = name;
    }
}

static int is_compared(const pinion_model *m, const shape *s)
{
    if (s->kernel != PN_K_dca_step && s->kernel != PN_K_dca_join) return applies(m, s);
    return pinion_algorithm_applies(PN_K_divide_and_conquer - PN_FIRST_ALGORITHM, m, NULL) == PINION_OK;
}

static int is_test(const shape *s, int output)
{
    if (s->kernel == PN_K_dca_step || s->kernel == PN_K_dca_join) return output == 1;
    return is_margin(s, output);
}

/* How many units an output of the baseline is off where its inputs are shaken. */
static double sensitivity(const pinion_model *m, const shape *s, int o, const pn_backend *baseline, const state *x,
                          const double *out)
{
    const double unit = baseline->lane_bytes == sizeof(float) ? 0x1p-24 : 0x1p-53;
    uint64_t seed = check_seed;
    double *other = malloc(sizeof(double) * (size_t)(width_of(s) + 1)), most = 0;
    int at = 0;
    for (int k = 0; k < o; k++) at += s->out[k];
    for (int k = 0; k < SHAKES; k++) {
        state y = state_shaken(m, x, unit, &seed);
        run(baseline, m, s, &y, other);
        most = fmax(most, check_error(other + at, out, (size_t)s->out[o], least_size(m, s, o)) / unit);
        free(y.q);
    }
    free(other);
    return most;
}

static void compare_output(const pinion_model *m, const shape *s, int o, const pn_backend *b,
                           const pn_backend *baseline, const state *from, const double *x, const double *expected)
{
    const int f32 = b->lane_bytes == sizeof(float);
    const double units =
        check_error(x, expected, (size_t)s->out[o], least_size(m, s, o)) / (f32 ? 0x1p-24 : 0x1p-53);
    const double most = f32 ? fmin(bound_of(s->kernel), FLOAT_AT_MOST) : bound_of(s->kernel);
    if (!s->out[o]) return;
    if (!(units <= worst[f32][s->kernel])) worst[f32][s->kernel] = units;
    measured[f32][s->kernel]++;
    unusual[f32][s->kernel] += !(units <= USUAL);
    check_count++;
    if (units <= most) return;
    const double shaken = sensitivity(m, s, o, baseline, from, expected);
    if (!(units <= SHAKEN_TIMES * shaken))
        CHECK_FAIL("%s, %s of %s, %d velocities, output %d: %g rounding units from the baseline, at most %g (%g where "
                   "the inputs are shaken)",
                   s->name, b->isa, f32 ? "float" : "double", m->n.nv, o, units, most, shaken);
}

static void compare_kernel(const pinion_model *m, const shape *s, const pn_backend *b,
                           const pn_backend *baseline, const state *x)
{
    double *one = malloc(sizeof(double) * (size_t)(2 * width_of(s) + 1)), *two = one + width_of(s);
    run(b, m, s, x, one);
    run(baseline, m, s, x, two);
    for (int o = 0, at = 0; o < OUTPUTS; at += s->out[o], o++) {
        if (!is_test(s, o)) {
            compare_output(m, s, o, b, baseline, x, one + at, two + at);
        } else if (s->out[o] == 1 && s->kernel != PN_K_step && (one[at] > 0) != (two[at] > 0)) {
            CHECK_FAIL("%s, %s, %zu bytes a number: a margin of %g, %g in the baseline", s->name, b->isa,
                       b->lane_bytes, one[at], two[at]);
        }
    }
    free(one);
}

/* every kernel that applies, on one state */
static void compare(const pinion_model *m, const pn_backend *b, const pn_backend *baseline, const state *x)
{
    shape shapes[SHAPES];
    all_shapes(m, shapes);
    for (int k = 0; k < SHAPES; k++) {
        shape *s = &shapes[k];
        if (!is_compared(m, s) || !b->kernel[s->kernel]) continue;
        if (s->kernel == PN_K_loop_active) {
            /* Where the tree cannot move along a freedom of a loop joint, the speed along it is zero but for
             * rounding, which decides the side that dry friction takes there. It moves nothing: what acts on
             * the tree is compared with speeds, the forces along the freedoms at rest. */
            shape moving = *s;
            moving.out[2] = 0;
            compare_kernel(m, &moving, b, baseline, x);
            s->v = 0;
        }
        compare_kernel(m, s, b, baseline, x);
    }
}

/* all instantiations of both precisions on a random state of a model, which is freed */
static void compare_all(pinion_model *m, uint64_t *seed)
{
    CHECK(m != NULL);
    if (!m) return;
    state x = state_new(m, seed), other = state_new(m, seed);
    memcpy(x.a + m->n.nv, other.q, sizeof(double) * (size_t)m->n.nq);
    for (int f32 = 0; f32 < 2; f32++) {
        const pn_backend *list[ISAS];
        const int count = pn_scalar_backends(f32 ? sizeof(float) : sizeof(double), list, ISAS);
        for (int i = 1; i < count && i < ISAS; i++) compare(m, list[i], list[0], &x);
    }
    free(x.q);
    free(other.q);
    pinion_model_free(m);
}

/* how many instantiations there are beside the baseline */
static int others(void)
{
    return pn_scalar_backends(sizeof(double), NULL, 0) - 1;
}

#define NEED_OTHERS()                                                                                        \
    do {                                                                                                     \
        if (others() == 0) SKIP("this CPU runs the baseline alone: there is nothing to compare");            \
    } while (0)

TEST(the_list_is_what_calls_choose_from)
{
    for (int f32 = 0; f32 < 2; f32++) {
        const size_t bytes = f32 ? sizeof(float) : sizeof(double);
        const pn_backend *list[ISAS + 1] = {NULL};
        const int count = pn_scalar_backends(bytes, list, ISAS + 1);
        CHECK(count >= 1 && count <= ISAS && list[count] == NULL);
        CHECK(list[0] == (f32 ? &pn_backend_f32 : &pn_backend_f64));
        CHECK(list[count - 1] == pn_backend_for_calls(bytes));
        CHECK(pn_is_complete(list[0]) && pn_is_complete(pn_complete_for_calls(bytes)));
        for (int i = 0; i < count; i++) CHECK(list[i]->lanes == 1 && list[i]->lane_bytes == bytes);

        /* by name: each once, in order */
        for (int i = 0, at = 0; i < ISAS; i++) {
            const int runs = at < count && strcmp(list[at]->isa, isas[i]) == 0;
            at += runs;
            printf("       f%d %-7s %s\n", f32 ? 32 : 64, isas[i],
                   !runs ? "not run: this CPU cannot" : i ? "compared with the baseline" : "the baseline");
            if (i == ISAS - 1) CHECK(at == count);
        }
    }
    NEED_OTHERS(); /* so that ctest does not count the program as passed where it compared nothing */
}

TEST(trees_and_chains_as_the_baseline)
{
    NEED_OTHERS();
    uint64_t seed = check_seed;
    for (int joints = 1; joints <= 16; joints++)
        for (int kinds = 0; kinds < KINDS; kinds++)
            for (int serial = 0; serial < 2; serial++)
                compare_all(random_model((joint_kinds)kinds, joints, serial, joints % 4 == 3, &seed), &seed);
}

/* the library's own random models, which are less well conditioned: floating bases, joint limits, damping */
TEST(library_models_as_the_baseline)
{
    NEED_OTHERS();
    uint64_t seed = check_seed + 1;
    pinion_error err;
    for (int i = 0; i < 30; i++) {
        const uint64_t model = check_seed + (uint64_t)i;
        compare_all(i % 3 ? pinion_random_tree(1 + i % 25, i % 2, model, &err)
                          : pinion_random_chain(1 + i % 25, model, &err),
                    &seed);
    }
}

TEST(loops_as_the_baseline)
{
    NEED_OTHERS();
    uint64_t seed = check_seed + 2;
    for (int i = 0; i < 20; i++) compare_all(random_loops(i % 2, &seed), &seed);
}

/* a kernel of the research algorithms that no other instantiation of this precision has: none in float, all in double
 * where the CPU has AVX2 */
static int is_baseline_only(int kernel, int f32)
{
    const pn_backend *list[ISAS];
    const int count = pn_scalar_backends(f32 ? sizeof(float) : sizeof(double), list, ISAS);
    for (int i = 1; i < count && i < ISAS; i++)
        if (list[i]->kernel[kernel]) return 0;
    return 1;
}

/* no kernel was left out, and what was seen */
TEST(every_kernel_was_compared)
{
    NEED_OTHERS();
    if (check_filter) SKIP("the others do not all run");
    shape names[SHAPES];
    pinion_error err;
    pinion_model *m = pinion_random_chain(2, 1, &err);
    CHECK(m != NULL);
    if (!m) return;
    shapes_of(m, names);
    printf("       worst difference in rounding units  double     float   at most\n");
    for (int s = 0; s < SHAPES; s++) {
        const int k = names[s].kernel;
        printf("       %-32s %10.3g%10.3g%10.3g\n", names[s].name, worst[0][k], worst[1][k], bound_of(k));
        for (int f32 = 0; f32 < 2; f32++) {
            check_count++;
            if (is_baseline_only(k, f32)) continue;
            if (!measured[f32][k] || 5 * unusual[f32][k] > measured[f32][k])
                CHECK_FAIL("%s in %s: %d of %d outputs beyond %d rounding units", names[s].name,
                           f32 ? "float" : "double", unusual[f32][k], measured[f32][k], USUAL);
        }
    }
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(the_list_is_what_calls_choose_from);
    RUN(trees_and_chains_as_the_baseline);
    RUN(library_models_as_the_baseline);
    RUN(loops_as_the_baseline);
    RUN(every_kernel_was_compared);
    return CHECK_END();
}
