/* The bits of a batch do not depend on the number of threads, for any number of states; nor do the states that are
 * found wrong. */
#include "calls.h"
#include "loops/four_bar.h"

#define MOST 70 /* states */

static const int numbers[] = {2, 3, 7};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

#define PN_T double
#define PN_FN(name) name
#include "threads.inc"
#undef PN_T
#undef PN_FN

#define PN_T float
#define PN_FN(name) name##_f32
#include "threads.inc"
#undef PN_T
#undef PN_FN

/* a batch that shares out even a single pack */
static pinion_batch *eager(const subject *s, int threads)
{
    pinion_batch *b = pinion_batch_new(s->m, threads);
    CHECK(b && pinion_batch_threads(b) == threads);
    if (!b) abort();
    b->work_each = 1;
    return b;
}

static void check_both(subject *s)
{
    pinion_batch *alone = eager(s, 1), *several[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) several[i] = eager(s, numbers[i]);
    check_counts(s, alone, several);
    check_counts_f32(s, alone, several);
    for (int i = 0; i < NUMBERS; i++) pinion_batch_free(several[i]);
    pinion_batch_free(alone);
}
TEST(threads_do_not_change_a_bit)
{
    subject s;
    if (tree_subject(&s, 4, 1, check_seed + 3)) {
        check_both(&s);
        subject_free(&s);
    }
    if (tree_subject(&s, 6, 0, check_seed + 4)) {
        check_both(&s);
        subject_free(&s);
    }
}

/* closed loops go state by state, on threads too */
TEST(loops_on_threads)
{
    pinion_model *m = four_bar(2.5, 1);
    if (!m) return;
    subject s;
    subject_init(&s, m, "four-bar", check_seed);
    pinion_batch *alone = eager(&s, 1), *several = eager(&s, 3);
    const size_t n = 40, nv = (size_t)s.nv;
    rows r = rows_new(&s, n);
    double *x = canvas(n * nv), *y = canvas(n * nv), *one = some(nv);
    FINE(&s, pinion_batch_forward_dynamics(alone, n, r.q, r.v, r.tau, r.f_ext, x));
    FINE(&s, pinion_batch_forward_dynamics(several, n, r.q, r.v, r.tau, r.f_ext, y));
    CHECK(!memcmp(x, y, n * nv * sizeof *x));
    for (size_t i = 0; i < n; i++) {
        const double *f = r.f_ext + i * 6 * (size_t)s.bodies;
        FINE(&s, pinion_forward_dynamics(s.m, s.w, r.q + i * nv, r.v + i * nv, r.tau + i * nv, f, one));
        CHECK(!memcmp(one, x + i * nv, nv * sizeof *one));
    }
    free(x);
    free(y);
    free(one);
    rows_free(&r);
    pinion_batch_free(alone);
    pinion_batch_free(several);
    subject_free(&s);
}

/* As many states as keep all threads busy for a while, with the work that a thread gets by default. */
TEST(many_states)
{
    subject s;
    if (!tree_subject(&s, 7, 1, check_seed + 5)) return;
    const size_t n = 20011, nv = (size_t)s.nv;
    pinion_batch *b = pinion_batch_new(s.m, 1);
    rows r = rows_new(&s, n);
    double *x = canvas(n * nv), *y = canvas(n * nv);
    FINE(&s, pinion_batch_inverse_dynamics(b, n, r.q, r.v, r.a, NULL, x));
    for (int threads = 2; threads <= 16; threads *= 2) {
        FINE(&s, pinion_batch_set_threads(b, threads));
        memset(y, 0, n * nv * sizeof *y);
        FINE(&s, pinion_batch_inverse_dynamics(b, n, r.q, r.v, r.a, NULL, y));
        CHECK(!memcmp(x, y, n * nv * sizeof *x));
    }
    CHECK(untouched(y + n * nv, ROOM));
    free(x);
    free(y);
    rows_free(&r);
    pinion_batch_free(b);
    subject_free(&s);
}

/* the first wrong state is the one of the lowest number, and all wrong ones are told */
TEST(the_first_wrong_state_on_threads)
{
    subject s;
    if (!tree_subject(&s, 4, 1, check_seed + 3)) return;
    const int at = some_quaternion(&s);
    CHECK(at >= 0);
    const size_t nq = (size_t)s.nq;
    rows r = rows_new(&s, MOST);
    double *tau = some(MOST * (size_t)s.nv);
    pinion_status status[MOST];
    for (size_t first = 0; first < MOST; first += 9) {
        rows t = rows_empty(&s, MOST);
        for (size_t i = 0; i < MOST; i++) rows_copy(&s, &r, i, &t, i);
        for (size_t i = first; i < MOST; i += 13) t.q[i * nq + (size_t)at] += 0.5;
        for (int threads = 1; threads <= 7; threads += 3) {
            pinion_batch *b = eager(&s, threads);
            FINE(&s, pinion_batch_set_status(b, status));
            CHECK_STATUS(pinion_batch_inverse_dynamics(b, MOST, t.q, t.v, t.a, NULL, tau), PINION_ERR_QUATERNION);
            CHECK(pinion_batch_failed_state(b) == first);
            for (size_t i = 0; i < MOST; i++)
                CHECK((status[i] == PINION_ERR_QUATERNION) == (i >= first && (i - first) % 13 == 0));
            pinion_batch_free(b);
        }
        rows_free(&t);
    }
    free(tau);
    rows_free(&r);
    subject_free(&s);
}

TEST(numbers_of_threads)
{
    pinion_model *m = pinion_random_chain(3, 1, NULL);
    CHECK(pinion_threads_available() >= 1);
    CHECK(pinion_batch_new(m, 0) == NULL && pinion_batch_new(m, -1) == NULL && pinion_batch_new(NULL, 1) == NULL);
    pinion_batch *b = pinion_batch_new(m, 2);
    CHECK(pinion_batch_threads(b) == 2 && pinion_batch_threads(NULL) == 0);
    CHECK_STATUS(pinion_batch_set_threads(b, 0), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_batch_message(b), "threads");
    CHECK_STATUS(pinion_batch_set_threads(NULL, 1), PINION_ERR_ARGUMENT);
    CHECK(pinion_batch_threads(b) == 2);
    CHECK_STATUS(pinion_batch_set_threads(b, 5), PINION_OK);
    CHECK_STATUS(pinion_batch_set_threads(b, 1), PINION_OK);
    CHECK(pinion_batch_threads(b) == 1);
    /* each seat is a cache line or more from every other */
    CHECK_STATUS(pinion_batch_set_threads(b, 4), PINION_OK);
    for (int i = 0; i < 4; i++) {
        CHECK((uintptr_t)b->seat[i] % 64 == 0 && (uintptr_t)b->seat[i]->work % 64 == 0);
        CHECK((uintptr_t)b->seat[i]->buffer % 64 == 0);
    }
    pinion_batch_free(b);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(threads_do_not_change_a_bit);
    RUN(loops_on_threads);
    RUN(many_states);
    RUN(the_first_wrong_state_on_threads);
    RUN(numbers_of_threads);
    return CHECK_END();
}
