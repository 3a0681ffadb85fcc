/* The rounding error of every back end, measured against the same kernels in quadruple precision. The bounds
 * below are stated in units of the back end's own rounding unit, relative to the largest entry of the result,
 * per kernel; docs/correctness.md shows what was measured. */
#include "truth.h"
#include "share.h"

/* What is promised, in rounding units. Forward dynamics multiplies by the condition of the mass matrix, so
 * its bound is the loosest (the factorization behind followers more than articulated bodies); poses only
 * gather sines and cosines. Random trees of up to 25 joints. Where a result is more than that off, inputs that are
 * off by rounding must move it as much (SHAKEN_TIMES). */
typedef struct bound {
    int kernel;
    double units;
} bound;

static const bound bounds[] = {
    {PN_K_generalized_jacobian, 4000},
    {PN_K_com_jacobian, 200},   {PN_K_centroidal, 200},           {PN_K_force_to_torque, 200},
    {PN_K_rnea, 100},         {PN_K_gravity, 100}, {PN_K_crba, 100},     {PN_K_aba, 1000},
    {PN_K_followers_fd, 1e5}, {PN_K_passive, 20},  {PN_K_energy, 100},   {PN_K_center, 100},
    {PN_K_momentum, 100},     {PN_K_frames, 50},   {PN_K_jacobian, 50},  {PN_K_velocity, 100},
    {PN_K_acceleration, 100}, {PN_K_terms, 100},   {PN_K_integrate, 10}, {PN_K_difference, 20},
    {PN_K_normalize, 5},      {PN_K_global, 100},      {PN_K_constrained, 2e4},
    {PN_K_tree_solve, 1000},  {PN_K_step, 2e4},    {PN_K_forward_dynamics_vjp, 1e5},
    {PN_K_forward_dynamics_jvp, 1e5}, {PN_K_fd_forces, 3e4}, {PN_K_inverse_dynamics_vjp, 300},
    {PN_K_d_constrained, 3e5},
    {PN_K_inverse_dynamics_jvp, 200}, {PN_K_d_energy, 200}, {PN_K_d_momentum, 300}, {PN_K_joint_regressor, 10},
    {PN_K_regressor, 200}, {PN_K_slotine_li_regressor, 200},
    {PN_K_hessian, 4000}, /* of a frame near an axis: small differences */
};

/* The other algorithms, by their problem: about ten times the worst that was seen. What solves with M
 * multiplies by its condition. */
static const double problem_bounds[PN_PROBLEM_COUNT] = {
    [PN_PROBLEM_inverse_dynamics] = 400,    [PN_PROBLEM_mass_matrix] = 300,
    [PN_PROBLEM_mass_matrix_inverse] = 1e4, [PN_PROBLEM_coriolis] = 2500,
    [PN_PROBLEM_forward_dynamics] = 2e4,    [PN_PROBLEM_operational_space] = 2e4,
    [PN_PROBLEM_factorization] = 5e5,       [PN_PROBLEM_d_inverse_dynamics] = 200,
    [PN_PROBLEM_d_forward_dynamics] = 2e5,
};

#define CALL_BOUND 1e4 /* of a call that is not listed above: one number may be a small difference */

static double bound_of(int kernel)
{
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (bounds[i].kernel == kernel) return bounds[i].units;
    return kernel < PN_FIRST_ALGORITHM ? CALL_BOUND
                                       : problem_bounds[pn_algorithms[kernel - PN_FIRST_ALGORITHM].problem];
}

/* the model's constants, widened */
static __float128 *quad_constants(const pinion_model *m)
{
    const double *from = PN_AT_CONST(m, double, m->f64);
    __float128 *to = malloc(sizeof(__float128) * m->constants);
    for (uint32_t i = 0; i < m->constants; i++) to[i] = from[i];
    return to;
}

/* Float lanes see a rounded model and a rounded state: the truth for them is computed from those. */
static __float128 *quad_constants_f32(const pinion_model *m)
{
    const float *from = PN_AT_CONST(m, float, m->f32);
    __float128 *to = malloc(sizeof(__float128) * m->constants);
    for (uint32_t i = 0; i < m->constants; i++) to[i] = from[i];
    return to;
}

typedef struct arrays {
    void *in[5], *out[6];
} arrays;

static pn_io io_of(const pinion_model *m, const shape *s, const arrays *a)
{
    static int frame[1];
    frame[0] = m->n.frames - 1;
    pn_io io = {.frame = s->kernel == PN_K_frames ? -1 : frame[0],
                .option = 1,
                .frames = frame,
                .frame_count = 1,
                .dt = s->kernel == PN_K_step ? 0x1p-10 : 0.375};
    const int nin[5] = {s->q, s->v, s->a, s->tau, s->f_ext};
    const void **in[5] = {&io.q, &io.v, &io.a, &io.tau, &io.f_ext};
    for (int i = 0; i < 5; i++) *in[i] = nin[i] ? a->in[i] : NULL;
    for (int d = 0; d < 3 && is_jvp(s); d++) io.g[d] = io.v;
    for (int o = 0; o < 6; o++) io.out[o] = s->out[o] ? a->out[o] : NULL;
    return io;
}

static double worst[2][SHAPES];

/* One kernel on one state in double or float, or in quad on the numbers that these have. */
static arrays run_kernel(const pinion_model *m, const shape *s, const state *x, int f32, int in_quad)
{
    const pn_backend *b = in_quad ? &instance_quad : f32 ? &pn_backend_f32 : &pn_backend_f64;
    const int nin[5] = {s->q, s->v, s->a, s->tau, s->f_ext};
    const double *from[5] = {x->q, x->v, x->a, x->tau, x->f_ext};
    arrays y;
    for (int i = 0; i < 5; i++) {
        y.in[i] = calloc((size_t)nin[i] + 1, 16);
        for (int j = 0; j < nin[i]; j++) {
            const double given = f32 ? (double)(float)from[i][j] : from[i][j];
            if (in_quad)
                ((__float128 *)y.in[i])[j] = given;
            else if (f32)
                ((float *)y.in[i])[j] = (float)given;
            else
                ((double *)y.in[i])[j] = given;
        }
    }
    for (int o = 0; o < 6; o++) y.out[o] = calloc((size_t)s->out[o] + 1, 16);
    void *work = calloc(all_reals(m), 16);
    __float128 *constants = !in_quad ? NULL : f32 ? quad_constants_f32(m) : quad_constants(m);
    pn_ctx k = pn_context(m, in_quad ? sizeof(double) : b->lane_bytes, work);
    if (in_quad) k.constants = constants;
    const pn_io io = io_of(m, s, &y);
    b->kernel[s->kernel](&k, &io);
    free(constants);
    free(work);
    return y;
}

static void arrays_free(arrays *a)
{
    for (int i = 0; i < 5; i++) free(a->in[i]);
    for (int o = 0; o < 6; o++) free(a->out[o]);
}

/* number j of an output */
static double number(const arrays *a, int o, int j, int f32)
{
    return f32 ? (double)((float *)a->out[o])[j] : ((double *)a->out[o])[j];
}

/* How many units an output is off where its inputs are shaken; `size` is what it is measured against. In quad, so that
 * it is the state's doing and not the algorithm's. */
static double sensitivity(const pinion_model *m, const shape *s, int o, const state *x, int f32, const arrays *high,
                          double size)
{
    const double unit = f32 ? 0x1p-24 : 0x1p-53;
    uint64_t seed = check_seed;
    double most = 0;
    for (int k = 0; k < SHAKES; k++) {
        state shaken = state_shaken(m, x, unit, &seed);
        arrays other = run_kernel(m, s, &shaken, f32, 1);
        const __float128 *there = other.out[o], *here = high->out[o];
        for (int j = 0; j < s->out[o]; j++) most = fmax(most, fabs((double)(there[j] - here[j])) / size / unit);
        arrays_free(&other);
        free(shaken.q);
    }
    return most;
}

/* What solves with M loses its condition, divide and conquer by its own (share.h), as in backend.accuracy. */
#define PER_CONDITION 50

static double condition_of(const pinion_model *m, const shape *s, const state *x)
{
    const int a = s->kernel - PN_FIRST_ALGORITHM;
    const int problem = a < 0 ? -1 : (int)pn_algorithms[a].problem;
    if (problem != PN_PROBLEM_mass_matrix_inverse && problem != PN_PROBLEM_forward_dynamics &&
        problem != PN_PROBLEM_operational_space && problem != PN_PROBLEM_d_forward_dynamics &&
        s->kernel != PN_K_fd_forces)
        return 0;
    const size_t nv = (size_t)m->n.nv;
    truth t = truth_new(m);
    quad *M = malloc(2 * nv * nv * sizeof *M + 1);
    truth_quad(&t, PN_K_crba - PN_FIRST_ALGORITHM, x, M);
    const double condition = truth_inverse(M, (int)nv, M + nv * nv);
    truth_free(&t);
    free(M);
    return s->kernel == PN_K_divide_and_conquer ? condition / least_share(m) : condition;
}

/* one kernel, one state: double or float against quad; the error in rounding units */
static void measure(const pinion_model *m, const shape *s, const state *x, int f32)
{
    arrays low = run_kernel(m, s, x, f32, 0), high = run_kernel(m, s, x, f32, 1);
    for (int o = 0; o < 6; o++) {
        if (is_margin(s, o)) continue;
        double error = 0, size = least_size(m, s, o);
        for (int j = 0; j < s->out[o]; j++) {
            const __float128 exact = ((__float128 *)high.out[o])[j];
            const double d = fabs((double)(number(&low, o, j, f32) - exact));
            if (!(d <= error)) error = d;
            if (fabs((double)exact) > size) size = fabs((double)exact);
        }
        const double units = error / size / (f32 ? 0x1p-24 : 0x1p-53);
        if (!(units <= worst[f32][s->kernel])) worst[f32][s->kernel] = units;
        check_count++;
        if (units <= bound_of(s->kernel)) continue;
        const double shaken = sensitivity(m, s, o, x, f32, &high, size), condition = condition_of(m, s, x);
        if (!(units <= fmax(SHAKEN_TIMES * shaken, PER_CONDITION * condition)))
            CHECK_FAIL("%s in %s: %g rounding units, promised %g (%g where the inputs are shaken, condition %g)",
                       s->name, f32 ? "float" : "double", units, bound_of(s->kernel), shaken, condition);
    }
    arrays_free(&low);
    arrays_free(&high);
}

TEST(rounding_errors_stay_within_the_table)
{
    uint64_t seed = check_seed;
    pinion_error err;
    shape shapes[SHAPES];
    for (int i = 0; i < 60; i++) {
        pinion_model *m = i % 3 ? pinion_random_tree(1 + i % 25, i % 2, check_seed + (uint64_t)i, &err)
                                : pinion_random_chain(1 + i % 25, check_seed + (uint64_t)i, &err);
        CHECK(m != NULL);
        if (!m) continue;
        shapes_of(m, shapes);
        state x = state_new(m, &seed), y = state_new(m, &seed);
        for (int s = 0; s < SHAPES; s++) {
            if (!applies(m, &shapes[s])) continue;
            state used = x;
            if (shapes[s].kernel == PN_K_difference) used.a = y.q;
            measure(m, &shapes[s], &used, 0);
            measure(m, &shapes[s], &used, 1);
        }
        free(x.q);
        free(y.q);
        pinion_model_free(m);
    }
    shape names[SHAPES];
    pinion_model *m = pinion_random_chain(2, 1, &err);
    shapes_of(m, names);
    printf("       worst error in rounding units   double     float  promised\n");
    for (int s = 0; s < SHAPES; s++)
        printf("       %-28s %10.3g%10.3g%10.3g\n", names[s].name, worst[0][names[s].kernel],
               worst[1][names[s].kernel], bound_of(names[s].kernel));
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(rounding_errors_stay_within_the_table);
    return CHECK_END();
}
