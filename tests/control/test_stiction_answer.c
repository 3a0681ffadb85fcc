/* Exact friction with closed loops: its quick linear algebra has what singular values and the solver of the loops
 * have, and tells where it is not sure. */
#include <math.h>

#include "check.h"
#include "pinion/loops.h"
#include "pinion/sim/run.h"
#include "sim/driver.h"
#include "sim/ik/ik.h"
#include "sim/run/stiction.h"

enum { MOST = 12 };

/* A model with friction in all joints. */
static pinion_model *rubbing(const char *file)
{
    pinion_model *m = driver_model(file);
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        CHECK_STATUS(pinion_model_joint(m, i, &joint), PINION_OK);
        for (int k = 0; k < joint.dof_count && joint.v_source >= 0; k++) {
            pinion_dof dof = joint.dof[k];
            dof.friction_positive = dof.friction_negative = 0.3;
            CHECK_STATUS(pinion_model_set_dof(m, i, k, &dof), PINION_OK);
        }
    }
    return m;
}

/* W = C' C of 12 joints of which some stick as one, with sizes that differ by some thousands: the least y is that of
 * singular values. Where the smallest of these is below what counts, or nothing holds what is wanted, it says so. */
TEST(the_least_is_that_of_singular_values)
{
    pinion_model *m = rubbing("stewart.json");
    pn_stiction *x;
    CHECK_STATUS(pn_stiction_new(m, 1, &x), PINION_OK);
    uint64_t state = check_seed;
    for (int round = 0; round < check_rounds(200); round++) {
        const int n = 2 + round % (MOST - 1), rank = n - round / 11 % 3 > 0 ? n - round / 11 % 3 : 1;
        double C[MOST][MOST] = {{0}}, W[MOST * MOST], A[MOST * MOST], U[MOST * MOST], s[MOST], rhs[MOST], y[MOST],
               least[MOST], sure[MOST], size = 0, scale = 0;
        for (int i = 0; i < rank; i++)
            for (int j = 0; j < n; j++) C[i][j] = check_between(&state, -1, 1) * pow(10, j % 4 - 1);
        for (int i = 0; i < n; i++) sure[i] = check_between(&state, -1, 1);
        for (int i = 0; i < n; i++) {
            rhs[i] = 0;
            for (int j = 0; j < n; j++) {
                W[i * n + j] = 0;
                for (int k = 0; k < rank; k++) W[i * n + j] += C[k][i] * C[k][j];
                rhs[i] += W[i * n + j] * sure[j];
            }
            scale += W[i * n + i];
        }
        memcpy(A, W, sizeof A);
        pn_svd(n, n, A, U, s);
        for (int i = 0; i < n; i++) least[i] = 0;
        for (int k = 0; k < n && s[k] > 1e-9 * s[0]; k++)
            for (int i = 0; i < n; i++) {
                double part = 0;
                for (int j = 0; j < n; j++) part += U[k * n + j] * rhs[j];
                least[i] += part / s[k] * A[k * n + i];
            }
        for (int i = 0; i < n; i++) size = fmax(size, fabs(least[i]));
        if (s[rank - 1] > 1e-5 * s[0]) { /* others may be left to singular values */
            CHECK(pn_stiction_least(x, n, W, 1e-9 * scale, rhs, y));
            for (int i = 0; i < n; i++) CHECK_NEAR(y[i], least[i], 1e-8 * size);
        }
        CHECK(!pn_stiction_least(x, n, W, 2 * s[rank - 1], rhs, y));
        if (rank == n) continue;
        for (int i = 0; i < n; i++) rhs[i] += U[(n - 1) * n + i]; /* what no y does */
        CHECK(!pn_stiction_least(x, n, W, 1e-9 * scale, rhs, y));
    }
    pn_stiction_free(x);
    pinion_model_free(m);
}

/* K has what the loops' own solver answers to forces, also where rows follow from others. */
TEST(the_answer_is_that_of_the_solver)
{
    static const char *const files[] = {"four-bar.json", "stewart.json", "delta.json", "andrews-squeezer.json",
                                        "parallelogram-arm.json"};
    uint64_t state = check_seed;
    for (int f = 0; f < 5; f++) {
        pinion_model *m = rubbing(files[f]);
        pinion_work *w = pinion_work_new(m);
        const int nv = pinion_model_nv(m);
        double q[DRIVER_MOST], v[DRIVER_MOST] = {0}, tau[DRIVER_MOST] = {0}, a[2][DRIVER_MOST], most = 0;
        pn_stiction *x;
        int clear = 0;
        CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
        CHECK_STATUS(pinion_start_close(m, NULL, NULL, 1, q, v, NULL, NULL), PINION_OK);
        memset(v, 0, sizeof v);
        CHECK_STATUS(pn_stiction_new(m, 1, &x), PINION_OK);
        const pn_stiction_state at = {.m = m, .w = w, .q = q, .v = v};
        CHECK_STATUS(pn_stiction_answer(x, &at, &clear), PINION_OK);
        CHECK(clear);
        const pinion_loop_options o = pinion_loop_options_default();
        CHECK_STATUS(pinion_loop_dynamics(m, w, -1, &o, q, v, tau, NULL, a[0], NULL), PINION_OK);
        for (int i = 0; i < nv; i++) tau[i] = check_between(&state, -1, 1);
        CHECK_STATUS(pinion_loop_dynamics(m, w, -1, &o, q, v, tau, NULL, a[1], NULL), PINION_OK);
        for (int i = 0; i < nv; i++) most = fmax(most, fmax(fabs(a[0][i]), fabs(a[1][i])));
        for (int i = 0; i < nv; i++) {
            double answer = 0;
            for (int k = 0; k < nv; k++) answer += x->answer.K[i * nv + k] * tau[k];
            CHECK_NEAR(answer, a[1][i] - a[0][i], 1e-8 * most);
        }
        pn_stiction_free(x);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(the_least_is_that_of_singular_values);
    RUN(the_answer_is_that_of_the_solver);
    return CHECK_END();
}
