/* The scalar kernels as the library has them give what they give with little optimization: compilers take
 * turns of a loop together, and one that gets their order wrong is noticed here (src/real/README.md tells of
 * such a one). Every kernel, in both precisions, on random chains and trees of every joint type.
 *
 * Where the processor has no fused multiply-add, or the compiler was not told of it, the bits must be the
 * same. Elsewhere the library may round less often than its plain twin, and only gross errors are looked for,
 * in double precision. */
#include "backend.h"
#include "registry/models.h"

extern const pn_backend exact_f64, exact_f32;

#if defined(__x86_64__) && !defined(__FMA__)
#define SAME_BITS 1
#else
#define SAME_BITS 0
#endif
#define TOLERANCE 1e-6 /* relative to the largest number of an output, where bits may differ */

enum { INPUTS = 5 };

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

/* runs a kernel of a back end on a state, outputs one after the other in `out` */
static void run(const pn_backend *b, const pinion_model *m, const shape *s, const state *x, double *out)
{
    const int width[INPUTS] = {s->q, s->v, s->a, s->tau, s->f_ext};
    const double *from[INPUTS] = {x->q, x->v, x->a, x->tau, x->f_ext};
    const int frame = m->n.frames - 1;
    void *in[INPUTS], *result = calloc((size_t)width_of(s) + 1, sizeof(double));
    const size_t size = all_reals(m) * sizeof(double);
    pn_ctx k = pn_context(m, b->lane_bytes, malloc(size));
    pn_io io = {.frame = s->kernel == PN_K_frames ? -1 : frame,
                .option = 1,
                .frames = &frame,
                .frame_count = 1,
                .dt = 0.37};

    /* a difference has the other configuration where an acceleration would be */
    if (s->kernel == PN_K_difference) from[2] = x->a + m->n.nv;
    for (int i = 0; i < INPUTS; i++) {
        in[i] = calloc((size_t)width[i] + 1, sizeof(double));
        for (int j = 0; j < width[i]; j++) put(b->lane_bytes, in[i], j, from[i][j]);
    }
    const void **const input[INPUTS] = {&io.q, &io.v, &io.a, &io.tau, &io.f_ext};
    for (int i = 0; i < INPUTS; i++) *input[i] = width[i] ? in[i] : NULL;
    char *at = result;
    for (int o = 0; o < 6; o++) {
        io.out[o] = s->out[o] ? at : NULL;
        at += (size_t)s->out[o] * b->lane_bytes;
    }

    memset(k.work, 0xff, size); /* not numbers: nothing may be read before it is written */
    b->kernel[s->kernel](&k, &io);
    for (int i = 0; i < width_of(s); i++) out[i] = get(b->lane_bytes, result, i);
    for (int i = 0; i < INPUTS; i++) free(in[i]);
    free(result);
    free(k.work);
}

/* whether two outputs agree, as far as they must */
static int agree(const double *x, const double *y, int n)
{
    double scale = 1e-3;
    for (int i = 0; i < n; i++)
        if (fabs(y[i]) > scale) scale = fabs(y[i]);
    for (int i = 0; i < n; i++) {
        if (isnan(x[i]) && isnan(y[i])) continue;
        if (SAME_BITS ? x[i] != y[i] : !(fabs(x[i] - y[i]) <= TOLERANCE * scale)) return 0;
    }
    return 1;
}

/* every kernel that applies, on one state; the model is freed */
static void compare(const pn_backend *optimized, const pn_backend *plain, pinion_model *m, uint64_t *seed)
{
    shape shapes[SHAPES];
    CHECK(m != NULL);
    if (!m) return;
    shapes_of(m, shapes);
    state x = state_new(m, seed), other = state_new(m, seed);
    memcpy(x.a + m->n.nv, other.q, sizeof(double) * (size_t)m->n.nq);
    for (int k = 0; k < SHAPES; k++) {
        const shape *s = &shapes[k];
        if (!applies(m, s)) continue;
        double *one = malloc(sizeof(double) * (size_t)(2 * width_of(s) + 1)), *two = one + width_of(s);
        run(optimized, m, s, &x, one);
        run(plain, m, s, &x, two);
        for (int o = 0, at = 0; o < 6; at += s->out[o], o++) {
            check_count++;
            if (!agree(one + at, two + at, s->out[o]))
                CHECK_FAIL("%s, %zu bytes a number, %d velocities: optimized, output %d differs", s->name,
                           optimized->lane_bytes, m->n.nv, o);
        }
        free(one);
    }
    free(x.q);
    free(other.q);
    pinion_model_free(m);
}

static void compare_all(const pn_backend *optimized, const pn_backend *plain)
{
    uint64_t seed = check_seed;
    for (int joints = 1; joints <= 16; joints++)
        for (int kinds = 0; kinds < KINDS; kinds++)
            for (int serial = 0; serial < 2; serial++)
                compare(optimized, plain,
                        random_model((joint_kinds)kinds, joints, serial, joints % 4 == 3, &seed), &seed);
}

TEST(double_is_the_same_when_optimized)
{
    compare_all(&pn_backend_f64, &exact_f64);
}

TEST(float_is_the_same_when_optimized)
{
    if (SAME_BITS)
        compare_all(&pn_backend_f32, &exact_f32);
    else
        printf("       products and sums may be fused here: single precision cannot be compared\n");
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(double_is_the_same_when_optimized);
    RUN(float_is_the_same_when_optimized);
    printf("       not compared: dca_step and dca_join, parts of divide-and-conquer (sim.threads does)\n");
    return CHECK_END();
}
