/* Forward dynamics of one state on threads and in lanes: the same bits for every number of threads and every way of
 * dealing the items out, and nearly the same in lanes. */
#include "../registry/models.h"
#include "pinion/sim/sim.h"
#include "pinion/research/parallel.h"
#include "pinion/research/threads.h"

/* A model with a state. */
typedef struct subject {
    pinion_model *m;
    double *q, *v, *tau, *f_ext, *a;
    int nv;
} subject;

static subject subject_new(pinion_model *m, uint64_t *seed)
{
    subject s = {.m = m, .nv = pinion_model_nv(m)};
    const size_t nv = (size_t)s.nv, bodies = (size_t)pinion_model_body_count(m);
    s.q = malloc(sizeof(double) * (size_t)pinion_model_nq(m));
    s.v = malloc(sizeof(double) * nv);
    s.tau = malloc(sizeof(double) * nv);
    s.a = malloc(sizeof(double) * nv);
    s.f_ext = malloc(sizeof(double) * 6 * bodies);
    CHECK_STATUS(pinion_random(m, (uint64_t)(1e9 * check_uniform(seed)), s.q), PINION_OK);
    for (size_t i = 0; i < nv; i++) s.v[i] = check_between(seed, -1, 1) / sqrt((double)nv);
    for (size_t i = 0; i < nv; i++) s.tau[i] = check_between(seed, -1, 1);
    for (size_t i = 0; i < 6 * bodies; i++) s.f_ext[i] = check_between(seed, -1, 1);
    return s;
}

static void subject_free(subject *s)
{
    free(s->q);
    free(s->v);
    free(s->tau);
    free(s->f_ext);
    free(s->a);
    pinion_model_free(s->m);
}

/* the registered algorithm's answer */
static double *sequential(const subject *s)
{
    double *a = malloc(sizeof(double) * (size_t)s->nv);
    pinion_work *w = pinion_work_new(s->m);
    CHECK_STATUS(pinion_forward_dynamics_by(s->m, w, pinion_algorithm_find("divide-and-conquer"), s->q, s->v, s->tau,
                                            s->f_ext, a),
                 PINION_OK);
    pinion_work_free(w);
    return a;
}

static double distance(const double *x, const double *y, int n)
{
    double worst = 0, size = 1e-3;
    for (int i = 0; i < n; i++) {
        if (!(fabs(x[i] - y[i]) <= worst)) worst = fabs(x[i] - y[i]);
        if (fabs(y[i]) > size) size = fabs(y[i]);
    }
    return worst / size;
}

/* every phase's items one by one and backwards: their order must not matter */
static void run_backwards(pinion_parallel *p, const subject *s)
{
    CHECK_STATUS(pinion_parallel_begin(p, s->q, s->v, s->tau, s->f_ext, s->a), PINION_OK);
    for (int phase = 0; phase < pinion_parallel_phases(p); phase++)
        for (int i = pinion_parallel_items(p, phase) - 1; i >= 0; i--) pinion_parallel_run(p, phase, i, i + 1);
    CHECK_STATUS(pinion_parallel_end(p), PINION_OK);
}

static void check_model(const char *name, pinion_model *m, uint64_t *seed)
{
    static const int threads[] = {1, 2, 3, 7};
    subject s = subject_new(m, seed);
    double *truth = sequential(&s);
    const size_t bytes = sizeof(double) * (size_t)s.nv;
    pinion_error err;
    pinion_parallel *p = pinion_parallel_new(m, &err);
    CHECK(p);
    for (int k = 0; k < 4; k++) {
        memset(s.a, 0, bytes);
        CHECK_STATUS(pinion_forward_dynamics_threads(p, threads[k], s.q, s.v, s.tau, s.f_ext, s.a), PINION_OK);
        check_count++;
        if (memcmp(s.a, truth, bytes) != 0)
            CHECK_FAIL("%s on %d threads: other bits, by %g", name, threads[k], distance(s.a, truth, s.nv));
    }
    memset(s.a, 0, bytes);
    run_backwards(p, &s);
    CHECK(memcmp(s.a, truth, bytes) == 0);

    /* without velocities and forces, and in lanes */
    double *still = malloc(bytes);
    CHECK_STATUS(pinion_forward_dynamics_threads(p, 1, s.q, NULL, NULL, NULL, still), PINION_OK);
    CHECK_STATUS(pinion_forward_dynamics_threads(p, 3, s.q, NULL, NULL, NULL, s.a), PINION_OK);
    CHECK(memcmp(s.a, still, bytes) == 0);
    free(still);
    pinion_parallel_lanes(p, 1);
    CHECK_STATUS(pinion_forward_dynamics_threads(p, 2, s.q, s.v, s.tau, s.f_ext, s.a), PINION_OK);
    CHECK_NEAR(distance(s.a, truth, s.nv), 0, 1e-9);
    pinion_parallel_free(p);
    free(truth);
    subject_free(&s);
}

TEST(chains)
{
    uint64_t seed = check_seed;
    for (int n = 1; n <= 1000; n = 3 * n + 1) {
        pinion_error err;
        check_model("chain", pinion_random_chain(n, (uint64_t)n, &err), &seed);
    }
}

TEST(trees)
{
    uint64_t seed = check_seed;
    for (int n = 1; n <= 300; n = 2 * n + 1) check_model("tree", random_model(EVERY_TYPE, n, 0, 0, &seed), &seed);
    for (int n = 5; n <= 80; n *= 2) check_model("tree", random_model(REVOLUTE_PRISMATIC, n, 0, 0, &seed), &seed);
}

TEST(refused)
{
    pinion_error err = {0};
    uint64_t seed = check_seed;
    double x[8] = {0};
    pinion_model *m = random_model(ONE_DOF, 6, 1, 1, &seed);
    CHECK(!pinion_parallel_new(m, &err));
    CHECK_HAS(err.message, "mimic");
    pinion_model_free(m);
    CHECK(!pinion_parallel_new(NULL, &err));
    CHECK_STATUS(pinion_forward_dynamics_threads(NULL, 1, x, NULL, NULL, NULL, x), PINION_ERR_ARGUMENT);
    m = pinion_random_chain(2, 1, &err);
    pinion_parallel *p = pinion_parallel_new(m, &err);
    CHECK_STATUS(pinion_forward_dynamics_threads(p, 0, x, NULL, NULL, NULL, x), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_parallel_begin(p, NULL, NULL, NULL, NULL, x), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_parallel_end(p), PINION_ERR_ARGUMENT);
    CHECK(pinion_parallel_items(p, -1) == 0 && pinion_parallel_items(p, 1 << 20) == 0);
    pinion_parallel_run(p, 1 << 20, 0, 5);
    pinion_parallel_free(p);
    pinion_model_free(m);
    CHECK(pinion_parallel_phases(NULL) == 0);
    pinion_parallel_free(NULL);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(chains);
    RUN(trees);
    RUN(refused);
    return CHECK_END();
}
