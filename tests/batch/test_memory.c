/* A batch allocates when it is made, when its threads change and when an algorithm first needs more, and in no other
 * call; where memory runs out nothing is lost and nothing leaks. */
#include "memory/exhaust.h"
#include "calls.h"

/* OpenMP allocates when it first starts threads, so each call goes once before it is counted. */
static void check_calls(subject *s, int threads)
{
    pinion_batch *b = pinion_batch_new(s->m, threads);
    const size_t n = 40;
    pinion_status status[40];
    b->work_each = 1;
    rows r = rows_new(s, n);
    FINE(s, pinion_batch_set_status(b, status));
    for (int call = 0; call < CALL_COUNT; call++) {
        double *out[OUTPUTS];
        canvases(s, call, n, &r, out);
        FINE(s, call_batch(s, b, call, n, &r, out));
        const long before = alloc_calls;
        FINE(s, call_batch(s, b, call, n, &r, out));
        check_count++;
        if (alloc_calls != before)
            CHECK_FAIL("%s: %s on %d threads allocates %ld times", s->name, calls[call].name, threads,
                       alloc_calls - before);
        canvases_free(out);
    }
    rows_free(&r);
    pinion_batch_free(b);
}

/* LLVM's OpenMP, which clang takes where it is installed, allocates in every parallel region. */
extern void __kmpc_fork_call(void) __attribute__((weak));

TEST(calls_do_not_allocate)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    subject s;
    if (!tree_subject(&s, 6, 1, check_seed)) return;
    check_calls(&s, 1);
    if (!__kmpc_fork_call) check_calls(&s, 3);
    subject_free(&s);
    if (__kmpc_fork_call) SKIP("on several threads: LLVM's OpenMP allocates by itself");
}

static int make(void *context, pinion_error *err)
{
    pinion_batch *b = pinion_batch_new(context, 3);
    alloc_work();
    const int done = b != NULL;
    pinion_batch_free(b);
    if (!done) no_error(err);
    return done;
}

/* Memory for an algorithm that is a kernel and for one that is none. Where it runs out the batch works on as it was. */
static int take_room(void *context, pinion_error *err)
{
    static const char *const names[] = {"crba-cholesky", "loop-nullspace"};
    const double q[10] = {0.1, 0.2};
    double tau[10], a[10];
    pinion_batch *b = pinion_batch_new(context, 2);
    int done = b != NULL;
    for (int i = 0; i < 2 && done; i++) {
        const pinion_status status =
            pinion_batch_forward_dynamics_by(b, pinion_algorithm_find(names[i]), 2, q, NULL, NULL, NULL, a);
        done = status == PINION_OK;
        if (done) continue;
        CHECK_STATUS(status, PINION_ERR_MEMORY);
        CHECK_HAS(pinion_batch_message(b), names[i]);
        CHECK_STATUS(pinion_batch_gravity(b, 2, q, tau), PINION_OK);
        CHECK(!*pinion_batch_message(b));
    }
    alloc_work();
    pinion_batch_free(b);
    if (!done) no_error(err);
    return done;
}

#define STATES 40

/* the first call by an algorithm takes memory, the second none; more threads have it from the beginning */
TEST(room_is_kept)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = pinion_random_chain(5, check_seed, NULL);
    pinion_batch *b = m ? pinion_batch_new(m, 1) : NULL;
    const double q[10] = {0.1, 0.2};
    double a[10], again[10];
    CHECK(b != NULL);
    for (int i = 0; b && i < pinion_algorithm_count(); i++) {
        pinion_algorithm_info info;
        if (pinion_algorithm(i, &info) != PINION_OK || info.problem != PINION_PROBLEM_FORWARD_DYNAMICS) continue;
        if (pinion_algorithm_applies(i, m, NULL) != PINION_OK) continue;
        CHECK_STATUS(pinion_batch_forward_dynamics_by(b, i, 2, q, NULL, NULL, NULL, a), PINION_OK);
        const long before = alloc_calls;
        CHECK_STATUS(pinion_batch_forward_dynamics_by(b, i, 2, q, NULL, NULL, NULL, again), PINION_OK);
        CHECK(alloc_calls == before);
        CHECK(!memcmp(a, again, sizeof a));
    }
    const int cholesky = pinion_algorithm_find("crba-cholesky");
    double many[5 * STATES] = {0}, one[5 * STATES], two[5 * STATES];
    for (int i = 0; i < 5 * STATES; i++) many[i] = 0.1 * i;
    if (b) b->work_each = 1;
    if (b) CHECK_STATUS(pinion_batch_forward_dynamics_by(b, cholesky, STATES, many, NULL, NULL, NULL, one), PINION_OK);
    if (b) CHECK_STATUS(pinion_batch_set_threads(b, 2), PINION_OK);
    if (b) CHECK_STATUS(pinion_batch_forward_dynamics_by(b, cholesky, STATES, many, NULL, NULL, NULL, two), PINION_OK);
    CHECK(!memcmp(one, two, sizeof one));
    pinion_batch_free(b);
    pinion_model_free(m);
}

/* the old number of threads stays, and the batch works on */
static int grow(void *context, pinion_error *err)
{
    pinion_batch *b = context;
    const pinion_status status = pinion_batch_set_threads(b, 5);
    alloc_work();
    const int done = status == PINION_OK;
    CHECK(pinion_batch_threads(b) == (done ? 5 : 2));
    double q[64] = {1}, tau[64];
    CHECK_STATUS(pinion_batch_gravity(b, 1, q, tau), PINION_OK);
    if (!done) CHECK_STATUS(pinion_batch_set_threads(b, 5), PINION_OK);
    if (!done) CHECK_STATUS(pinion_batch_set_threads(b, 2), PINION_OK);
    if (!done) no_error(err);
    if (done) CHECK_STATUS(pinion_batch_set_threads(b, 2), PINION_OK);
    return done;
}

TEST(memory_runs_out)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = pinion_random_chain(5, check_seed, NULL);
    CHECK(m != NULL);
    if (!m) return;
    exhaust(make, m, ONLY_MEMORY);
    exhaust(take_room, m, ONLY_MEMORY);
    pinion_batch *b = pinion_batch_new(m, 2);
    if (b) exhaust(grow, b, ONLY_MEMORY);
    pinion_batch_free(b);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(calls_do_not_allocate);
    RUN(room_is_kept);
    RUN(memory_runs_out);
    return CHECK_END();
}
