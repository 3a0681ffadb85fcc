/* Workspaces: in the caller's memory at any alignment, of another model, and one for each of several threads
 * that share a model. The same inputs give the same bits everywhere. */
#include <fenv.h>
#include <pthread.h>
#include "check.h"
#include "model/block.h"
#include "pinion/pinion.h"

#define PN_IN_BOTH "memory/workspace.inc"
#include "both.h"

TEST(any_alignment_of_the_callers_memory)
{
    for (int i = 0; i < 6; i++) {
        pinion_model *m = pinion_random_tree(1 + 4 * i, i % 2, check_seed + (uint64_t)i, NULL);
        CHECK(m != NULL);
        if (!m) continue;
        check_alignment(m);
        check_alignment_f32(m);
        pinion_model_free(m);
    }
    CHECK(pinion_work_size(NULL) == 0);
    CHECK(pinion_work_f32_size(NULL) == 0);
}

TEST(a_workspace_of_another_model_is_refused)
{
    pinion_model *m = pinion_random_tree(9, 0, check_seed, NULL);
    /* another of more or fewer coordinates, and one of as many in another tree */
    pinion_model *others[3] = {pinion_random_tree(10, 0, check_seed, NULL),
                               pinion_random_tree(3, 1, check_seed, NULL),
                               pinion_random_tree(9, 0, check_seed + 1, NULL)};
    for (int i = 0; i < 3 && m && others[i]; i++) {
        check_mismatch(m, others[i]);
        check_mismatch_f32(m, others[i]);
    }
    for (int i = 0; i < 3; i++) pinion_model_free(others[i]);

    /* an edited copy has the same structure: the workspace fits both, and each keeps its own answer */
    const double g[3] = {0, 0, -1.62};
    pinion_model *copy = pinion_model_copy(m);
    CHECK_STATUS(pinion_model_set_gravity(copy, g), PINION_OK);
    const size_t n = (size_t)pinion_model_nv(m);
    double *q = calloc((size_t)pinion_model_nq(m), sizeof *q), *tau = calloc(3 * n, sizeof *tau);
    pinion_work *w = pinion_work_new(m);
    CHECK_STATUS(pinion_random(m, 3, q), PINION_OK);
    CHECK_STATUS(pinion_gravity(m, w, q, tau), PINION_OK);
    CHECK_STATUS(pinion_gravity(copy, w, q, tau + n), PINION_OK);
    CHECK_STATUS(pinion_gravity(m, w, q, tau + 2 * n), PINION_OK);
    CHECK(!memcmp(tau, tau + 2 * n, n * sizeof *tau));
    CHECK(memcmp(tau, tau + n, n * sizeof *tau) != 0);
    for (size_t i = 0; i < n; i++)
        CHECK_NEAR(tau[n + i], tau[i] * 1.62 / 9.81, 1e-12 * fmax(1, fabs(tau[i])));
    pinion_work_free(w);
    free(q);
    free(tau);
    pinion_model_free(copy);
    pinion_model_free(m);
}

/* ---- any algorithm in any workspace ---- */

/* forward dynamics by an algorithm, or the mass matrix by one */
static pinion_status call_by(const pinion_model *m, pinion_work *w, const pinion_algorithm_info *info, int algorithm,
                             const double *q, double *out)
{
    if (info->problem == PINION_PROBLEM_MASS_MATRIX) return pinion_mass_matrix_by(m, w, algorithm, q, out);
    return pinion_forward_dynamics_by(m, w, algorithm, q, q, NULL, NULL, out);
}

static void check_any_algorithm(const pinion_model *m, int algorithm, const pinion_algorithm_info *info)
{
    const size_t nv = (size_t)pinion_model_nv(m), least = pinion_work_size(m);
    const size_t size = pinion_work_size_for(m, algorithm);
    double *q = calloc((size_t)pinion_model_nq(m), sizeof *q), *out = calloc(3 * nv * nv, sizeof *out);
    char *memory = malloc(size), *small = malloc(least);
    pinion_work *w = pinion_work_new(m);
    CHECK(q && out && memory && small && w && size >= least);
    CHECK(pinion_work_size_for(m, -1) >= size);
    CHECK_STATUS(pinion_random(m, 3, q), PINION_OK);

    /* on the heap, and in as much memory as it says */
    CHECK_STATUS(call_by(m, w, info, algorithm, q, out), PINION_OK);
    CHECK_STATUS(call_by(m, pinion_work_init(m, memory, size), info, algorithm, q, out + nv * nv), PINION_OK);
    CHECK(!memcmp(out, out + nv * nv, (info->problem == PINION_PROBLEM_MASS_MATRIX ? nv * nv : nv) * sizeof *out));

    /* with less it says what it needs, and other calls go on */
    w = (pinion_work_free(w), pinion_work_init(m, small, least));
    const pinion_status status = call_by(m, w, info, algorithm, q, out + 2 * nv * nv);
    CHECK_STATUS(status, size > least ? PINION_ERR_MEMORY : PINION_OK);
    if (status != PINION_OK) CHECK_HAS(pinion_work_message(w), info->name);
    if (status != PINION_OK) CHECK_HAS(pinion_work_message(w), "pinion_work_size_for");
    CHECK_STATUS(pinion_gravity(m, w, q, out), PINION_OK);
    CHECK(!*pinion_work_message(w));
    free(q);
    free(out);
    free(memory);
    free(small);
}

TEST(any_workspace_takes_any_algorithm)
{
    pinion_model *models[] = {pinion_random_chain(70, check_seed, NULL), pinion_random_tree(6, 1, check_seed, NULL),
                              pinion_n_four_bar(3, NULL)};
    int refused = 0;
    for (int i = 0; i < 3; i++) {
        CHECK(models[i] != NULL);
        for (int a = 0; models[i] && a < pinion_algorithm_count(); a++) {
            pinion_algorithm_info info;
            CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
            if (info.problem != PINION_PROBLEM_MASS_MATRIX && info.problem != PINION_PROBLEM_FORWARD_DYNAMICS) continue;
            if (pinion_algorithm_applies(a, models[i], NULL) != PINION_OK) continue;
            refused += pinion_work_size_for(models[i], a) > pinion_work_size(models[i]);
            check_any_algorithm(models[i], a, &info);
        }
        CHECK(pinion_work_size_for(models[i], -2) == 0);
        CHECK(pinion_work_size_for(models[i], pinion_algorithm_count()) == 0);
        pinion_model_free(models[i]);
    }
    CHECK(refused > 5);
    CHECK(pinion_work_size_for(NULL, -1) == 0);
}

/* A large model has a workspace that grows with its joints, not with their square. */
TEST(large_models_take_linear_memory)
{
    pinion_model *small = pinion_random_chain(500, 1, NULL), *large = pinion_random_chain(4000, 1, NULL);
    CHECK(small && large);
    CHECK(pinion_work_size(large) < 9 * pinion_work_size(small));
    CHECK(pinion_work_f32_size(large) < 9 * pinion_work_f32_size(small));
    CHECK(pinion_work_size_for(large, pinion_algorithm_find("crba-ltl")) > (size_t)4000 * 4000 * sizeof(double));
    pinion_model_free(small);
    pinion_model_free(large);
}

TEST(a_message_is_about_the_last_call)
{
    pinion_model *m = pinion_random_tree(9, 0, check_seed, NULL), *other = pinion_random_tree(10, 0, check_seed, NULL);
    CHECK(m && other);
    check_messages(m, other);
    check_messages_f32(m, other);
    pinion_model_free(m);
    pinion_model_free(other);
}

/* ---- threads ---- */

#define STATES 200

typedef struct share {
    const pinion_model *m;
    double *out; /* [STATES][size] */
    float *out32;
    size_t size;
    size_t start; /* in another order in each thread */
    int failed;
} share;

/* all states, with workspaces of its own */
static void *run(void *context)
{
    share *x = context;
    pinion_work *w = pinion_work_new(x->m);
    pinion_work_f32 *w32 = pinion_work_f32_new(x->m);
    const size_t nq = (size_t)pinion_model_nq(x->m), nv = (size_t)pinion_model_nv(x->m);
    double *q = calloc(nq + 1, sizeof *q);
    float *q32 = calloc(nq + 1, sizeof *q32);
    for (size_t i = 0; i < STATES; i++) {
        const size_t s = (i * 7 + x->start) % STATES;
        int bad = pinion_random(x->m, s, q) != PINION_OK || pinion_random_f32(x->m, s, q32) != PINION_OK;
        bad |= pinion_mass_matrix(x->m, w, q, x->out + s * x->size) != PINION_OK;
        bad |= pinion_forward_dynamics(x->m, w, q, NULL, NULL, NULL, x->out + s * x->size + nv * nv) !=
               PINION_OK;
        bad |= pinion_gravity_f32(x->m, w32, q32, x->out32 + s * nv) != PINION_OK;
        x->failed |= bad;
    }
    free(q);
    free(q32);
    pinion_work_free(w);
    pinion_work_f32_free(w32);
    return NULL;
}

TEST(threads_share_a_model)
{
    pinion_model *m = pinion_random_tree(15, 1, check_seed, NULL);
    CHECK(m != NULL);
    if (!m) return;
    const size_t nv = (size_t)pinion_model_nv(m), size = nv * nv + nv;
    share x[5];
    pthread_t threads[4];
    for (int i = 0; i < 5; i++) {
        x[i] = (share){m,
                       calloc(STATES * size, sizeof(double)),
                       calloc(STATES * nv, sizeof(float)),
                       size,
                       13 * (size_t)i,
                       0};
        CHECK(x[i].out && x[i].out32);
    }
    run(&x[4]);
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, run, &x[i]) == 0);
    for (int i = 0; i < 4; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < 5; i++) {
        CHECK(!x[i].failed);
        CHECK(!memcmp(x[i].out, x[4].out, STATES * size * sizeof(double)));
        CHECK(!memcmp(x[i].out32, x[4].out32, STATES * nv * sizeof(float)));
    }
    for (int i = 0; i < 5; i++) {
        free(x[i].out);
        free(x[i].out32);
    }
    pinion_model_free(m);
}

/* Vector registers that reach over the end of a row must not reach over that of the matrix. */
#define GUARD 32
#define MOST 37
#define WITHIN(REAL, suffix)                                                                                 \
    static void within##suffix(const pinion_model *m, pinion_work##suffix *w, int nv)                        \
    {                                                                                                        \
        REAL q[MOST], x[3][MOST * MOST + GUARD];                                                             \
        for (int i = 0; i < MOST; i++) q[i] = (REAL)0.1 * (REAL)(i + 1);                                     \
        for (int k = 0; k < 3; k++)                                                                          \
            for (int i = 0; i < MOST * MOST + GUARD; i++) x[k][i] = -7;                                      \
        CHECK_STATUS(pinion_d_inverse_dynamics##suffix(m, w, q, q, q, NULL, x[0], x[1], x[2]), PINION_OK);   \
        for (int k = 0; k < 3; k++)                                                                          \
            for (int i = nv * nv; i < nv * nv + GUARD; i++) CHECK(x[k][i] == -7);                            \
        CHECK_STATUS(pinion_d_forward_dynamics##suffix(m, w, q, q, q, NULL, x[0], x[1], x[2]), PINION_OK);   \
        for (int k = 0; k < 3; k++)                                                                          \
            for (int i = nv * nv; i < nv * nv + GUARD; i++) CHECK(x[k][i] == -7);                            \
        CHECK_STATUS(pinion_mass_matrix##suffix(m, w, q, x[0]), PINION_OK);                                  \
        for (int i = nv * nv; i < nv * nv + GUARD; i++) CHECK(x[0][i] == -7);                                \
    }
WITHIN(double, )
WITHIN(float, _f32)

TEST(results_stay_within_their_arrays)
{
    for (int nv = 1; nv <= MOST; nv += nv == 12 ? 9 : 1) { /* from 21 on in wider registers */
        pinion_model *m = pinion_random_chain(nv, check_seed, NULL);
        pinion_work *w = pinion_work_new(m);
        pinion_work_f32 *w32 = pinion_work_f32_new(m);
        within(m, w, nv);
        within_f32(m, w32, nv);
        pinion_work_free(w);
        pinion_work_f32_free(w32);
        pinion_model_free(m);
    }
}

/* ---- numbers too small for a register's normal ones: products with them take a hundred times as long ---- */

#define SMALL(REAL, suffix, TINY)                                                                            \
    static void small##suffix(const pinion_model *m)                                                         \
    {                                                                                                        \
        const size_t n = (size_t)pinion_model_nv(m), size = pinion_work##suffix##_size_for(m, -1);           \
        REAL *memory = malloc(size), *q = calloc((size_t)pinion_model_nq(m), sizeof *q);                     \
        REAL *v = calloc(n, sizeof *v), *x = calloc(3 * n * n, sizeof *x);                                   \
        for (size_t i = 0; i < size / sizeof *memory; i++) memory[i] = TINY;                                 \
        for (size_t i = 0; i < n; i++) v[i] = (REAL)0.1 * (REAL)(i + 1);                                     \
        CHECK_STATUS(pinion_random##suffix(m, 1, q), PINION_OK);                                             \
        pinion_work##suffix *w = pinion_work##suffix##_init(m, memory, size);                                \
        feclearexcept(FE_ALL_EXCEPT);                                                                        \
        CHECK_STATUS(pinion_d_inverse_dynamics##suffix(m, w, q, v, v, NULL, x, x + n * n, x + 2 * n * n),    \
                     PINION_OK);                                                                             \
        CHECK(!fetestexcept(FE_UNDERFLOW));                                                                  \
        CHECK_STATUS(pinion_d_forward_dynamics##suffix(m, w, q, v, v, NULL, x, x + n * n, x + 2 * n * n),    \
                     PINION_OK);                                                                             \
        CHECK(!fetestexcept(FE_UNDERFLOW));                                                                  \
        CHECK_STATUS(pinion_mass_matrix##suffix(m, w, q, x), PINION_OK);                                     \
        CHECK(!fetestexcept(FE_UNDERFLOW));                                                                  \
        free(memory);                                                                                        \
        free(q);                                                                                             \
        free(v);                                                                                             \
        free(x);                                                                                             \
    }
SMALL(double, , 1e-310)
SMALL(float, _f32, 1e-40F)

TEST(what_lay_in_the_memory_takes_no_time)
{
    pinion_model *models[] = {pinion_random_chain(6, check_seed, NULL), pinion_random_chain(7, check_seed, NULL),
                              pinion_random_tree(9, 1, check_seed, NULL)};
    for (int i = 0; i < 3; i++) {
        CHECK(models[i] != NULL);
        small(models[i]);
        small_f32(models[i]);
        pinion_model_free(models[i]);
    }
}

/* an arm of three joints at right angles, which leave numbers that are nothing in float */
static pinion_model *bent_arm(const char *const names[4], double mass)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("bent");
    for (int i = 0; i < 4; i++) {
        pinion_link_def link = pinion_link_def_default();
        pinion_joint_def joint = pinion_joint_def_default();
        const double inertia[6] = {0.1, 2.6e-39, 0, 0.1, 0, 0.2};
        link.name = names[i];
        link.inertia.mass = mass;
        link.inertia.com[0] = 1e-36;
        memcpy(link.inertia.inertia, inertia, sizeof inertia);
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        if (i == 0) continue;
        joint.name = names[i];
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = names[i - 1];
        joint.child = names[i];
        joint.axis[0] = joint.axis[2] = 0;
        joint.axis[i % 2 ? 1 : 2] = 1;
        joint.parent_pose.position[1] = 0.3;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    CHECK(m != NULL);
    pinion_builder_free(b);
    return m;
}

TEST(what_is_nothing_in_float_is_zero_there)
{
    const char *const names[] = {"base", "one", "two", "three"};
    pinion_model *m = bent_arm(names, 1);
    if (m) small_f32(m);
    pinion_model_free(m);
}

/* A workspace remembers where the last model's numbers are. Another of its structure, with longer names, comes to lie
 * where the first one was. */
TEST(another_model_at_the_place_of_the_last)
{
    const char *const names[] = {"base", "one", "two", "three"};
    const char *const longer[] = {"a base with a name", "the first link of it", "the second one", "and the third"};
    pinion_model *models[2] = {bent_arm(names, 1), bent_arm(longer, 2)};
    if (!models[0] || !models[1]) return;
    const size_t n = answer_size(models[0]);
    const size_t most = models[0]->size > models[1]->size ? models[0]->size : models[1]->size;
    double *x = calloc(2 * n, sizeof *x);
    float *y = calloc(2 * n, sizeof *y);
    pinion_model *place = aligned_alloc(64, (most + 63) / 64 * 64);
    pinion_work *w = pinion_work_new(models[0]);
    pinion_work_f32 *w32 = pinion_work_f32_new(models[0]);
    CHECK(x && y && place && w && w32 && models[0]->size != models[1]->size);
    for (int i = 0; place && i < 4; i++) {
        const pinion_model *m = models[i % 2];
        pinion_work *own = pinion_work_new(m);
        pinion_work_f32 *own32 = pinion_work_f32_new(m);
        memcpy(place, m, m->size);
        answer(place, w, 3, x);
        answer(m, own, 3, x + n);
        answer_f32(place, w32, 3, y);
        answer_f32(m, own32, 3, y + n);
        CHECK(!memcmp(x, x + n, n * sizeof *x));
        CHECK(!memcmp(y, y + n, n * sizeof *y));
        pinion_work_free(own);
        pinion_work_f32_free(own32);
    }
    pinion_work_free(w);
    pinion_work_f32_free(w32);
    free(place);
    free(x);
    free(y);
    for (int i = 0; i < 2; i++) pinion_model_free(models[i]);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(any_alignment_of_the_callers_memory);
    RUN(a_workspace_of_another_model_is_refused);
    RUN(any_workspace_takes_any_algorithm);
    RUN(large_models_take_linear_memory);
    RUN(a_message_is_about_the_last_call);
    RUN(threads_share_a_model);
    RUN(results_stay_within_their_arrays);
    RUN(what_lay_in_the_memory_takes_no_time);
    RUN(what_is_nothing_in_float_is_zero_there);
    RUN(another_model_at_the_place_of_the_last);
    return CHECK_END();
}
