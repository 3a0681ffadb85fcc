/* A batch allocates when it is made and when its threads change, and in no call; where memory runs out nothing is lost
 * and nothing leaks. */
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
TEST(calls_do_not_allocate)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    subject s;
    if (!tree_subject(&s, 6, 1, check_seed)) return;
    check_calls(&s, 1);
    check_calls(&s, 3);
    subject_free(&s);
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

static int make_for_algorithms(void *context, pinion_error *err)
{
    pinion_batch *b = pinion_batch_new_for_algorithms(context, 2);
    alloc_work();
    const int done = b != NULL;
    pinion_batch_free(b);
    if (!done) no_error(err);
    return done;
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
    exhaust(make_for_algorithms, m, ONLY_MEMORY);
    pinion_batch *b = pinion_batch_new(m, 2);
    if (b) exhaust(grow, b, ONLY_MEMORY);
    pinion_batch_free(b);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(calls_do_not_allocate);
    RUN(memory_runs_out);
    return CHECK_END();
}
