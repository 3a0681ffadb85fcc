/* Workspaces: in the caller's memory at any alignment, of another model, and one for each of several threads
 * that share a model. The same inputs give the same bits everywhere. */
#include <pthread.h>
#include "check.h"
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

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(any_alignment_of_the_callers_memory);
    RUN(a_workspace_of_another_model_is_refused);
    RUN(threads_share_a_model);
    return CHECK_END();
}
