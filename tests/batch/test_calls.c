/* A batch gives what the single calls give: every function, both precisions, every instruction set this CPU
 * has, any number of states, and the same bits wherever in the batch a state is. */
#include "calls.h"

#define STATES 33
#define SHIFT 5

static double worst[2][CALL_COUNT]; /* of double, of float */

#define PN_IN_BOTH "batch/equal.inc"
#include "both.h"

static void check_both(subject *s)
{
    pinion_batch *b = pinion_batch_new(s->m, 1);
    CHECK(b != NULL && pinion_batch_lanes(b) >= 1 && pinion_batch_lanes_f32(b) >= pinion_batch_lanes(b));
    CHECK(strlen(pinion_batch_isa(b)) > 0);
    check_batch(s, b);
    check_batch_f32(s, b);
    pinion_batch_free(b);
}

TEST(batches_equal_single_calls)
{
    for_some_trees(30, check_both);
    for_bundled_models(1, check_both);
}

/* the back ends that pinion_batch_new does not choose here but may elsewhere */
static void check_instruction_sets(subject *s)
{
    const pn_backend *f64[8], *f32[8];
    const int count = pn_backends(sizeof(double), f64, 8), count32 = pn_backends(sizeof(float), f32, 8);
    CHECK(count == count32);
    for (int i = 0; i < count && i < count32; i++) {
        pinion_batch *b = pn_batch_new_with(s->m, f64[i], f32[i]);
        check_batch(s, b);
        check_batch_f32(s, b);
        pinion_batch_free(b);
    }
}
TEST(every_instruction_set_equals_single_calls)
{
    for_some_trees(30, check_instruction_sets);
}

/* ---- zeros between branches, which a batch of many states writes without computing them ---- */

#define MANY 70
#define ZEROS(REAL, suffix)                                                                                            \
    static void zeros##suffix(const pinion_model *m, pinion_batch *b)                                                  \
    {                                                                                                                  \
        const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m), all = MANY * nv * nv;           \
        const size_t columns = 10 * (size_t)(pinion_model_body_count(m) - 1), size = MANY * nv * (3 * nv + columns);   \
        REAL *q = calloc(MANY * nq, sizeof *q), *v = calloc(MANY * nv, sizeof *v), *x = calloc(size, sizeof *x);       \
        REAL *y = calloc(size, sizeof *y);                                                                             \
        pinion_work##suffix *w = pinion_work##suffix##_new(m);                                                         \
        const double tolerance = sizeof(REAL) == 4 ? 1e-2 : 1e-9;                                                      \
        size_t none = 0, wrong = 0;                                                                                    \
        for (size_t i = 0; i < size; i++) x[i] = (REAL)NAN;                                                            \
        for (size_t i = 0; i < MANY * nv; i++) v[i] = (REAL)0.01 * (REAL)(i % 97);                                     \
        for (size_t s = 0; s < MANY; s++) CHECK_STATUS(pinion_random##suffix(m, s, q + s * nq), PINION_OK);            \
        for (size_t s = 0; s < MANY; s++) {                                                                            \
            const REAL *at = q + s * nq, *u = v + s * nv;                                                              \
            REAL *to = y + s * nv * nv;                                                                                \
            CHECK_STATUS(pinion_d_inverse_dynamics##suffix(m, w, at, u, u, NULL, to, to + all, to + 2 * all),          \
                         PINION_OK);                                                                                   \
            CHECK_STATUS(pinion_regressor##suffix(m, w, at, u, u, y + 3 * all + s * nv * columns), PINION_OK);         \
        }                                                                                                              \
        CHECK_STATUS(pinion_batch_d_inverse_dynamics##suffix(b, MANY, q, v, v, NULL, x, x + all, x + 2 * all),         \
                     PINION_OK);                                                                                       \
        CHECK_STATUS(pinion_batch_regressor##suffix(b, MANY, q, v, v, x + 3 * all), PINION_OK);                        \
        for (int again = 0; again < 2; again++) {                                                                      \
            for (size_t i = 0; i < size; i++) {                                                                        \
                none += x[i] == 0;                                                                                     \
                wrong += !(fabs((double)(x[i] - y[i])) <= tolerance * (1 + fabs((double)y[i])));                       \
            }                                                                                                          \
            memcpy(x, x + 2 * all, all * sizeof *x);                                                                   \
            memcpy(y, y + 2 * all, all * sizeof *y);                                                                   \
            for (size_t i = 0; i < all; i++) x[2 * all + i] = (REAL)NAN;                                               \
            CHECK_STATUS(pinion_batch_mass_matrix##suffix(b, MANY, q, x + 2 * all), PINION_OK);                        \
        }                                                                                                              \
        CHECK(wrong == 0 && none > size / 2);                                                                          \
        pinion_work##suffix##_free(w);                                                                                 \
        free(q);                                                                                                       \
        free(v);                                                                                                       \
        free(x);                                                                                                       \
        free(y);                                                                                                       \
    }
ZEROS(double, )
ZEROS(float, _f32)

/* many short limbs on a trunk */
static pinion_model *hydra(int limbs)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("hydra");
    char name[2][16] = {"base", ""};
    for (int i = 0; i <= 3 + 2 * limbs; i++) {
        pinion_link_def link = pinion_link_def_default();
        pinion_joint_def joint = pinion_joint_def_default();
        const double inertia[6] = {0.1, 0.01, 0.02, 0.2, 0.03, 0.15}, mass = 1 + 0.1 * i;
        snprintf(name[1], sizeof name[1], "link %d", i);
        /* behind the trunk's end, or behind the first of its limb */
        if (i > 1) snprintf(name[0], sizeof name[0], "link %d", i > 3 && i % 2 == 0 ? 3 : i - 1);
        link.name = i ? name[1] : name[0];
        link.inertia.mass = mass;
        link.inertia.com[0] = 0.1;
        memcpy(link.inertia.inertia, inertia, sizeof inertia);
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        joint.name = name[1];
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = name[0];
        joint.child = name[1];
        for (int d = 0; d < 3; d++) joint.axis[d] = d == i % 3;
        joint.parent_pose.position[1] = 0.3;
        if (i) CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    pinion_builder_free(b);
    return m;
}

TEST(zeros_between_branches)
{
    const pn_backend *f64[8], *f32[8];
    const int count = pn_backends(sizeof(double), f64, 8);
    CHECK(pn_backends(sizeof(float), f32, 8) == count);
    for (int n = 9; n < 12; n++) {
        pinion_model *m = hydra(2 * n);
        CHECK(m != NULL);
        for (int i = 0; m && i < count; i++) {
            pinion_batch *b = pn_batch_new_with(m, f64[i], f32[i]);
            CHECK(b != NULL);
            zeros(m, b);
            zeros_f32(m, b);
            pinion_batch_free(b);
        }
        pinion_model_free(m);
    }
}

/* ---- one half of the mass matrix ---- */

/* on and above the diagonal the bits of M, zeros below; and M is symmetric, however it was mirrored */
static void check_upper_half(const pinion_model *m, const double *M, const double *upper, int *wrong)
{
    const size_t nv = (size_t)pinion_model_nv(m);
    for (size_t r = 0; r < nv; r++)
        for (size_t c = 0; c < nv; c++) {
            const double expected = c < r ? 0 : M[r * nv + c];
            *wrong += !(upper[r * nv + c] == expected) || !(M[r * nv + c] == M[c * nv + r]);
        }
}

static void check_upper(subject *s)
{
    const size_t all = (size_t)s->nv * (size_t)s->nv;
    double *M = take(s, (int)all), *upper = take(s, (int)all);
    int wrong = 0;
    for (size_t i = 0; i < all; i++) upper[i] = NAN;
    FINE(s, pinion_mass_matrix(s->m, s->w, s->q, M));
    FINE(s, pinion_mass_matrix_upper(s->m, s->w, s->q, upper));
    check_upper_half(s->m, M, upper, &wrong);
    CHECK(wrong == 0);
}

TEST(the_upper_half_of_the_mass_matrix)
{
    for_some_trees(30, check_upper);

    /* one so large that calls mirror it in squares, of which the last is not full; batches leave its zeros alone */
    enum { N = 67, BATCH = 35 };
    pinion_model *m = pinion_random_chain(N, 3, NULL);
    pinion_work *w = pinion_work_new(m);
    pinion_batch *b = pinion_batch_new(m, 1);
    double *q = calloc(BATCH * N, sizeof *q), *M = calloc(2 * N * N, sizeof *M), *upper = M + N * N;
    double *both = calloc(2 * BATCH * N * N, sizeof *both), *one = both + BATCH * N * N;
    int wrong = 0;
    CHECK(m && w && b && q && M && both);
    for (int s = 0; s < BATCH; s++) CHECK_STATUS(pinion_random(m, (uint64_t)s, q + s * N), PINION_OK);
    for (int i = 0; i < 2 * BATCH * N * N; i++) both[i] = NAN;
    CHECK_STATUS(pinion_batch_mass_matrix(b, BATCH, q, both), PINION_OK);
    CHECK_STATUS(pinion_batch_mass_matrix_upper(b, BATCH, q, one), PINION_OK);
    for (int s = 0; s < BATCH; s++) {
        CHECK_STATUS(pinion_mass_matrix(m, w, q + s * N, M), PINION_OK);
        CHECK_STATUS(pinion_mass_matrix_upper(m, w, q + s * N, upper), PINION_OK);
        check_upper_half(m, M, upper, &wrong);
        check_upper_half(m, both + s * N * N, one + s * N * N, &wrong);
        for (int i = 0; i < N * N; i++)
            wrong += !(fabs(M[i] - both[s * N * N + i]) <= 1e-11 * sqrt(M[i / N * (N + 1)] * M[i % N * (N + 1)]));
    }
    CHECK(wrong == 0);
    free(q);
    free(M);
    free(both);
    pinion_batch_free(b);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* ---- another model of the same structure ---- */

static void check_set_model(subject *s)
{
    const double g[3] = {1, 2, 3};
    pinion_model *copy = pinion_model_copy(s->m);
    pinion_batch *b = pinion_batch_new(s->m, 1);
    double *before = take(s, s->nv), *after = take(s, s->nv), *expected = take(s, s->nv);
    FINE(s, pinion_model_set_gravity(copy, g));
    FINE(s, pinion_batch_gravity(b, 1, s->q, before));
    FINE(s, pinion_batch_set_model(b, copy));
    FINE(s, pinion_batch_gravity(b, 1, s->q, after));
    FINE(s, pinion_gravity(copy, s->w, s->q, expected));
    CLOSE(s, after, expected, s->nv, scale_of(s, C_GRAVITY), 1e-12);
    FINE(s, pinion_batch_set_model(b, s->m));
    FINE(s, pinion_batch_gravity(b, 1, s->q, after));
    CHECK(!memcmp(after, before, (size_t)s->nv * sizeof *after));

    pinion_model *other = pinion_random_chain(s->nv + 1, 1, NULL);
    CHECK_STATUS(pinion_batch_set_model(b, other), PINION_ERR_MISMATCH);
    CHECK_STATUS(pinion_batch_set_model(b, NULL), PINION_ERR_ARGUMENT);
    FINE(s, pinion_batch_gravity(b, 1, s->q, after));
    CHECK(!memcmp(after, before, (size_t)s->nv * sizeof *after));
    pinion_model_free(other);
    pinion_batch_free(b);
    pinion_model_free(copy);
}
TEST(a_batch_can_change_to_an_edited_copy)
{
    for_some_trees(30, check_set_model);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(batches_equal_single_calls);
    RUN(every_instruction_set_equals_single_calls);
    RUN(zeros_between_branches);
    RUN(the_upper_half_of_the_mass_matrix);
    RUN(a_batch_can_change_to_an_edited_copy);
    for (int precision = 0; precision < 2; precision++) {
        int at = 0;
        for (int call = 0; call < CALL_COUNT; call++)
            if (worst[precision][call] > worst[precision][at]) at = call;
        printf("    worst error in %s: %.2g, %s\n", precision ? "float" : "double", worst[precision][at],
               calls[at].name);
    }
    return CHECK_END();
}
