/* Batches of models with elastic links: every quantity that they have is what single calls give, in both precisions; it
 * has the same bits on one thread and on two; what single calls refuse, batches refuse. */
#include "identity/identity.h"

#include "beams.h"

enum { STATES = 11, MANY = 256 };
static int compared[MANY]; /* results of each quantity */

#define PN_IN_BOTH "batch/quantities.inc"
#include "both.h"

static void with_model(pinion_model *m, const char *name, void (*check)(subject *))
{
    subject s;
    if (!m) return;
    subject_init(&s, m, name, check_seed);
    check(&s);
    subject_free(&s);
}

static void check_lanes(subject *s)
{
    for (int threads = 1; threads <= 2; threads++) {
        pinion_batch *b = pinion_batch_new(s->m, threads);
        compare_quantities(s, b);
        compare_quantities_f32(s, b);
        pinion_batch_free(b);
    }
}

TEST(lanes_are_single_calls)
{
    const pinion_elastic_def beam = plain_beam(3, 2, 1);
    with_model(cantilever(&beam, -9.81), "cantilever", check_lanes);
    with_model(tree(), "tree", check_lanes);
    static const char *const have[] = {"inverse_dynamics", "forward_dynamics", "mass_matrix", "bias",
                                       "gravity",          "energy",           "frames",      "jacobian",
                                       "velocity",         "momentum",         "com",         "d_inverse_dynamics",
                                       "d_forward_dynamics"};
    for (size_t i = 0; i < sizeof have / sizeof *have; i++) {
        const int q = pinion_quantity_find(have[i]);
        CHECK(q >= 0 && compared[q] > 0);
        if (q < 0 || !compared[q]) CHECK_FAIL("%s was not compared", have[i]);
    }
    int count = 0;
    for (int q = 0; q < pinion_quantity_count(); q++) count += compared[q] > 0;
    printf("       %d of %d quantities\n", count, pinion_quantity_count());
}

/* What brings q to where v leads in a time of 1 is v, in lanes and in both precisions. */
static void check_differences(subject *s)
{
    const size_t nq = (size_t)s->nq, nv = (size_t)s->nv, q_size = STATES * nq, v_size = STATES * nv;
    double *q = calloc(2 * q_size, sizeof *q), *v = calloc(2 * v_size, sizeof *v);
    float *q32 = calloc(2 * q_size, sizeof *q32), *v32 = calloc(2 * v_size, sizeof *v32);
    pinion_batch *b = pinion_batch_new(s->m, 1);
    for (size_t i = 0; i < STATES; i++) CHECK_STATUS(pinion_random(s->m, s->random + i, q + i * nq), PINION_OK);
    for (size_t i = 0; i < q_size; i++) q32[i] = (float)q[i];
    for (size_t i = 0; i < v_size; i++) v32[i] = (float)(v[i] = spread(s, 1));
    CHECK_STATUS(pinion_batch_integrate(b, STATES, q, v, 1, q + q_size), PINION_OK);
    CHECK_STATUS(pinion_batch_difference(b, STATES, q, q + q_size, v + v_size), PINION_OK);
    CHECK_STATUS(pinion_batch_integrate_f32(b, STATES, q32, v32, 1, q32 + q_size), PINION_OK);
    CHECK_STATUS(pinion_batch_difference_f32(b, STATES, q32, q32 + q_size, v32 + v_size), PINION_OK);
    for (size_t i = 0; i < v_size; i++) {
        CHECK_NEAR(v[v_size + i], v[i], 1e-13);
        CHECK_NEAR(v32[v_size + i], v[i], 1e-5);
    }
    pinion_batch_free(b);
    free(q);
    free(v);
    free(q32);
    free(v32);
}

TEST(differences)
{
    with_model(tree(), "tree", check_differences);
}

/* One quantity of many states, with 1 and 2 threads. */
static void check_bits(subject *s, pinion_batch *const b[2], int number, size_t states, double *const in[5])
{
    pinion_quantity_info info;
    CHECK_STATUS(pinion_quantity(number, &info), PINION_OK);
    double *out[2][PINION_QUANTITY_OUTPUTS] = {{NULL}};
    pinion_status status[2];
    for (int t = 0; t < 2; t++) {
        pinion_quantity_call x = {.q = in[0], .v = in[1], .a = in[2], .tau = in[3], .f_ext = in[4]};
        x.frame = s->frames - 1;
        for (int o = 0; o < info.outputs; o++)
            x.out[o] = out[t][o] = calloc(states * pinion_quantity_size(s->m, number, o, NULL) + 1, sizeof(double));
        status[t] = pinion_batch_quantity_run(b[t], states, number, &x);
    }
    CHECK_STATUS(status[1], status[0]);
    for (int o = 0; o < info.outputs; o++) {
        const size_t size = states * pinion_quantity_size(s->m, number, o, NULL) * sizeof(double);
        if (status[0] == PINION_OK && memcmp(out[0][o], out[1][o], size) != 0)
            CHECK_FAIL("%s: %s differs between 1 and 2 threads", s->name, info.function);
        free(out[0][o]);
        free(out[1][o]);
    }
}

static void check_threads(subject *s)
{
    const size_t states = 150;
    const size_t width[5] = {(size_t)s->nq, (size_t)s->nv, (size_t)s->nv, (size_t)s->nv, 6 * (size_t)s->bodies};
    double *in[5];
    for (int k = 0; k < 5; k++) {
        in[k] = calloc(states * width[k] + 1, sizeof(double));
        for (size_t i = 0; i < states * width[k]; i++) in[k][i] = spread(s, 1.5);
    }
    for (size_t i = 0; i < states; i++)
        CHECK_STATUS(pinion_random(s->m, s->random + i, in[0] + i * width[0]), PINION_OK);
    pinion_batch *b[2] = {pinion_batch_new(s->m, 1), pinion_batch_new(s->m, 2)};
    for (int q = 0; q < pinion_quantity_count(); q++) check_bits(s, b, q, states, in);
    pinion_batch_free(b[0]);
    pinion_batch_free(b[1]);
    for (int k = 0; k < 5; k++) free(in[k]);
}

TEST(threads_do_not_change_a_bit)
{
    const pinion_elastic_def beam = plain_beam(2, 2, 0);
    with_model(cantilever(&beam, -9.81), "cantilever", check_threads);
    with_model(tree(), "tree", check_threads);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(lanes_are_single_calls);
    RUN(differences);
    RUN(threads_do_not_change_a_bit);
    return CHECK_END();
}
