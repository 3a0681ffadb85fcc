/* Batches and rollouts have the same bits on 1 to 64 threads. */
#include "check.h"

#include "pinion/io.h"
#include "pinion/pinion.h"
#include "pinion/rollout.h"
#include "threads/bundled_model.h"

enum { STATES = 517, MOST = 64 };

static double *numbers(size_t n)
{
    return calloc(n, sizeof(double));
}

static void check_robot(const char *name)
{
    pinion_model *m = bundled_model(name);
    CHECK(m);
    if (!m) return;
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m), n = STATES;
    double *q = numbers(n * nq), *v = numbers(n * nv), *tau = numbers(2 * n * nv),
           *M = numbers(2 * n * nv * nv);
    double *qe = numbers(2 * n * nq), *ve = numbers(2 * n * nv);
    uint64_t seed = check_seed;
    for (size_t i = 0; i < n; i++) CHECK_STATUS(pinion_random(m, check_seed + i, q + i * nq), PINION_OK);
    for (size_t i = 0; i < n * nv; i++) v[i] = check_between(&seed, -1, 1);
    pinion_rollout r = pinion_rollout_default();
    r.steps = 5;
    for (int threads = 1; threads <= MOST; threads++) {
        const size_t at = threads > 1; /* the first is kept */
        pinion_batch *b = pinion_batch_new(m, threads);
        CHECK(b && pinion_batch_threads(b) == threads);
        if (!b) break;
        CHECK_STATUS(pinion_batch_inverse_dynamics(b, n, q, v, v, NULL, tau + at * n * nv), PINION_OK);
        CHECK_STATUS(pinion_batch_mass_matrix(b, n, q, M + at * n * nv * nv), PINION_OK);
        CHECK_STATUS(pinion_batch_rollout(b, n, &r, q, v, qe + at * n * nq, ve + at * n * nv), PINION_OK);
        if (at &&
            (memcmp(tau, tau + n * nv, n * nv * sizeof *tau) ||
             memcmp(M, M + n * nv * nv, n * nv * nv * sizeof *M) ||
             memcmp(qe, qe + n * nq, n * nq * sizeof *qe) || memcmp(ve, ve + n * nv, n * nv * sizeof *ve)))
            CHECK_FAIL("%s: other bits on %d threads than on one", name, threads);
        pinion_batch_free(b);
    }
    free(q);
    free(v);
    free(tau);
    free(M);
    free(qe);
    free(ve);
    pinion_model_free(m);
}

TEST(one_to_sixty_four_threads)
{
    check_robot("arm-7dof.json");
    check_robot("quadruped.json");
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(one_to_sixty_four_threads);
    return CHECK_END();
}
