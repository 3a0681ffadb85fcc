/* States that are no numbers, in closed loops: what comes out is none either, and nothing is called singular. */
#include "four_bar.h"

TEST(what_is_no_number_goes_through)
{
    pinion_model *m = four_bar(2.5, 1);
    pinion_work *w = pinion_work_new(m);
    static const char *const names[] = {"loop-nullspace", "loop-direct", "loop-multipliers", "loop-proximal"};
    double q[3] = {0.3, 0.4, 0.5}, v[3] = {0}, tau[3] = {0}, a[3], lambda[6], D[9];
    for (int where = 0; where < 3; where++) {
        double *x[] = {q, v, tau};
        const double before = x[where][1];
        x[where][1] = NAN;
        for (int k = 0; k < 4; k++) {
            const int by = pinion_algorithm_find(names[k]);
            if (by < 0) continue;
            pinion_loop_solution s = {lambda, 0, 0};
            CHECK_STATUS(pinion_loop_dynamics(m, w, by, NULL, q, v, tau, NULL, a, &s), PINION_OK);
            int numbers = 0;
            for (int i = 0; i < 3; i++) numbers += isfinite(a[i]) != 0;
            CHECK(numbers < 3);
        }
        pinion_loop_derivatives d = {.a_dq = D};
        CHECK_STATUS(pinion_d_loop_dynamics(m, w, NULL, q, v, tau, NULL, &d), PINION_OK);
        int numbers = 0;
        for (int i = 0; i < 9; i++) numbers += isfinite(D[i]) != 0;
        CHECK(numbers < 9);
        x[where][1] = before;
    }

    /* one state of a batch: the others are as they are alone */
    pinion_batch *b = pinion_batch_new(m, 1);
    double Q[9] = {0.3, 0.4, 0.5, NAN, 0, 0, 0.3, 0.4, 0.5}, A[9];
    (void)!pinion_batch_forward_dynamics(b, 3, Q, NULL, NULL, NULL, A);
    CHECK_STATUS(pinion_forward_dynamics(m, w, q, NULL, NULL, NULL, a), PINION_OK);
    CHECK(memcmp(A, a, sizeof a) == 0 && memcmp(A + 6, a, sizeof a) == 0);
    for (int i = 3; i < 6; i++) CHECK(isnan(A[i]));
    pinion_batch_free(b);
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(what_is_no_number_goes_through);
    return CHECK_END();
}
