/* Inverse dynamics with closed loops: what forward dynamics was given comes back, forces and multipliers
 * balance the motion and have the least norm, and what cannot be is said. */
#include "assembled.h"

static double worst_balance;

/* M a + h = tau + L' lambda with external forces, and tau where nothing is actuated is 0 */
static void check_balance(const mechanism *x, const double *a, const unsigned char *actuated,
                          const double *tau, const double *lambda)
{
    const int n = x->n, rows = x->rows;
    double *f = numbers(n), *L = numbers(rows * n), size = 1;
    const pinion_constraints parts = {.L = L};
    CHECK_STATUS(pinion_inverse_dynamics(x->m, x->w, x->q, x->v, a, x->f_ext, f), PINION_OK);
    CHECK_STATUS(pinion_constraints_at(x->m, x->w, 0, x->q, x->v, &parts), PINION_OK);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(f[i]));
    for (int i = 0; i < n; i++) {
        double sum = f[i] - tau[i];
        for (int k = 0; k < rows; k++) sum -= L[k * n + i] * lambda[k];
        worst_balance = fmax(worst_balance, fabs(sum) / size);
        CHECK_NEAR(sum, 0, 1e-9 * size);
        if (actuated && !actuated[i]) CHECK(tau[i] == 0);
    }
    free(f);
    free(L);
}

/* As many motors as degrees of freedom: forces go to accelerations and come back. Sixty mechanisms, or as many more, up
 * to ten times, as it takes until the motors of more than ten reach everything: of a quarter they do. */
TEST(there_and_back)
{
    uint64_t seed = check_seed;
    int done = 0, k = 0;
    for (; k < 60 || (done <= 10 && k < 600); k++) {
        const wanted want = {k % 3 == 2,
                             {(int)check_between(&seed, 0, PINION_JOINT_TYPE_COUNT), PINION_JOINT_REVOLUTE, -1},
                             {PINION_LOOP_DISTANCE, -1},
                             k % 2,
                             0};
        mechanism x = mechanism_new(&want, &seed);
        if (!x.w) continue;
        pinion_mobility mobility;
        CHECK_STATUS(pinion_mobility_at(x.m, x.w, 0, x.q, &mobility), PINION_OK);
        double *a = numbers(x.n), *tau = numbers(x.n), *lambda = numbers(x.rows), *given = numbers(x.rows);
        unsigned char *actuated = calloc((size_t)x.n, 1);

        /* motors on what the loops leave alone, and on random coordinates; they may not be able to move
         * everything */
        double *L = numbers(x.rows * x.n);
        const pinion_constraints parts = {.L = L};
        CHECK_STATUS(pinion_constraints_at(x.m, x.w, 0, x.q, x.v, &parts), PINION_OK);
        int left = mobility.freedom;
        for (int i = 0; i < x.n; i++) {
            double column = 0;
            for (int r = 0; r < x.rows; r++) column = fmax(column, fabs(L[r * x.n + i]));
            left -= actuated[i] = column < 1e-9;
        }
        while (left > 0) {
            const int i = (int)check_between(&seed, 0, x.n);
            if (actuated[i]) continue;
            actuated[i] = 1;
            left--;
        }
        free(L);
        for (int i = 0; i < x.n; i++)
            if (!actuated[i]) x.tau[i] = 0;
        pinion_loop_solution s = {given, 0, 0};
        CHECK_STATUS(pinion_loop_dynamics(x.m, x.w, -1, NULL, x.q, x.v, x.tau, x.f_ext, a, &s), PINION_OK);
        const pinion_status status =
            pinion_loop_inverse_dynamics(x.m, x.w, NULL, x.q, x.v, a, x.f_ext, actuated, tau, lambda);
        CHECK_STATUS(status, PINION_OK); /* these accelerations come from such forces */
        if (status == PINION_OK) check_balance(&x, a, actuated, tau, lambda);

        /* where the motors reach everything there is one answer */
        double *other = numbers(x.n);
        for (int i = 0; i < x.n; i++) other[i] = x.tau[i] + 1;
        CHECK_STATUS(pinion_loop_dynamics(x.m, x.w, -1, NULL, x.q, x.v, other, x.f_ext, other, NULL),
                     PINION_OK);
        double *scratch = numbers(x.n);
        if (pinion_loop_inverse_dynamics(x.m, x.w, NULL, x.q, x.v, other, x.f_ext, actuated, scratch, NULL) ==
            PINION_OK) {
            double size = 1;
            done++;
            for (int i = 0; i < x.n; i++) size = fmax(size, fabs(tau[i]));
            for (int i = 0; i < x.n; i++) CHECK_NEAR(tau[i], x.tau[i], 1e-6 * size);
            for (int i = 0; i < x.rows; i++) CHECK_NEAR(lambda[i], given[i], 1e-6 * (size + fabs(given[i])));
        } else {
            CHECK_HAS(pinion_work_message(x.w), "cannot make this motion");
        }
        free(a);
        free(tau);
        free(lambda);
        free(given);
        free(actuated);
        free(other);
        free(scratch);
        mechanism_free(&x);
    }
    CHECK(done > 10);
    printf("       %d of %d with motors that reach everything; forces balance to %.2g\n", done, k, worst_balance);
}

/* every joint actuated: the forces of least norm do not strain the loops, L tau = 0 */
TEST(redundant_motors)
{
    uint64_t seed = check_seed + 1;
    for (int k = 0; k < 30; k++) {
        const wanted want = {k % 3 == 2, {PINION_JOINT_REVOLUTE, PINION_JOINT_UNIVERSAL, -1}, {-1}, k % 2, 0};
        mechanism x = mechanism_new(&want, &seed);
        if (!x.w) continue;
        double *a = numbers(x.n), *tau = numbers(x.n), *lambda = numbers(x.rows), *L = numbers(x.rows * x.n),
               size = 1;
        const pinion_constraints parts = {.L = L};
        CHECK_STATUS(pinion_loop_dynamics(x.m, x.w, -1, NULL, x.q, x.v, x.tau, x.f_ext, a, NULL), PINION_OK);
        CHECK_STATUS(pinion_loop_inverse_dynamics(x.m, x.w, NULL, x.q, x.v, a, x.f_ext, NULL, tau, lambda),
                     PINION_OK);
        check_balance(&x, a, NULL, tau, lambda);
        CHECK_STATUS(pinion_constraints_at(x.m, x.w, 0, x.q, x.v, &parts), PINION_OK);
        for (int i = 0; i < x.n; i++) size = fmax(size, fabs(tau[i]));
        for (int r = 0; r < x.rows; r++) {
            double sum = 0;
            for (int i = 0; i < x.n; i++) sum += L[r * x.n + i] * tau[i];
            CHECK_NEAR(sum, 0, 1e-9 * size);
        }
        free(a);
        free(tau);
        free(lambda);
        free(L);
        mechanism_free(&x);
    }
}

/* too few motors, and accelerations that break the loops */
TEST(what_cannot_be)
{
    uint64_t seed = check_seed + 2;
    const wanted want = {0, {PINION_JOINT_REVOLUTE, -1}, {-1}, 0, 0};
    mechanism x = mechanism_new(&want, &seed);
    if (!x.w) return;
    double *a = numbers(x.n), *tau = numbers(x.n);
    unsigned char *none = calloc((size_t)x.n, 1);
    CHECK_STATUS(pinion_loop_dynamics(x.m, x.w, -1, NULL, x.q, x.v, x.tau, x.f_ext, a, NULL), PINION_OK);
    CHECK_STATUS(pinion_loop_inverse_dynamics(x.m, x.w, NULL, x.q, x.v, a, x.f_ext, none, tau, NULL),
                 PINION_ERR_SINGULAR);
    CHECK_HAS(pinion_work_message(x.w), "a generalized force of");
    for (int i = 0; i < x.n; i++) a[i] += check_between(&seed, 0.5, 1);
    CHECK_STATUS(pinion_loop_inverse_dynamics(x.m, x.w, NULL, x.q, x.v, a, x.f_ext, NULL, tau, NULL),
                 PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_work_message(x.w), "do not keep loop 'loop0'");
    free(a);
    free(tau);
    free(none);
    mechanism_free(&x);
}

/* a slider-crank whose only motor is on the crank, as the model says; by virtual work */
TEST(unactuated_joints)
{
    pinion_builder *b = pinion_builder_new("slider-crank");
    pinion_error err = {0};
    static const char *const link[] = {"base", "crank", "rod", "slider"}, *const joint[] = {"turn", "pin",
                                                                                            "slide"};
    for (int i = 0; i < 4; i++) {
        pinion_link_def l = pinion_link_def_default();
        l.name = link[i];
        l.inertia.mass = i ? 1 : 0;
        l.inertia.com[0] = i == 1 ? 0.5 : i == 2 ? 1 : 0;
        l.inertia.inertia[0] = l.inertia.inertia[3] = l.inertia.inertia[5] = i ? 0.1 : 0;
        CHECK_STATUS(pinion_builder_add_link(b, &l, NULL), PINION_OK);
    }
    for (int i = 0; i < 3; i++) {
        pinion_joint_def j = pinion_joint_def_default();
        j.name = joint[i];
        j.type = i == 2 ? PINION_JOINT_PRISMATIC : PINION_JOINT_CONTINUOUS;
        j.parent = i == 1 ? "crank" : "base";
        j.child = link[i + 1];
        j.parent_pose.position[0] = i == 1;
        j.axis[0] = i == 2;
        j.axis[1] = i < 2;
        j.axis[2] = 0;
        j.unactuated = i > 0;
        CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    }
    pinion_joint_def j = pinion_joint_def_default();
    j.name = "gudgeon";
    j.type = PINION_JOINT_CONTINUOUS;
    j.parent = "rod";
    j.child = "slider";
    j.parent_pose.position[0] = 2;
    j.axis[0] = j.axis[2] = 0;
    j.axis[1] = 1;
    CHECK_STATUS(pinion_builder_add_loop(b, &j, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (!w) CHECK_FAIL("%s", err.message);
    if (w) {
        /* at rest: the moment on the crank holds the weights; their height is h(q) = -sin(q) (0.5 + 1 + 0.5)
         * m */
        double q[3] = {-0.7, 0.4, 2.5}, tau[3], lambda[5];
        const unsigned char crank[3] = {1, 0, 0};
        CHECK_STATUS(pinion_assemble(m, w, 0, crank, q, NULL), PINION_OK);
        CHECK_STATUS(pinion_loop_inverse_dynamics(m, w, NULL, q, NULL, NULL, NULL, NULL, tau, lambda),
                     PINION_OK);
        CHECK_NEAR(tau[0], -9.81 * cos(q[0]) * (0.5 + 1 - 0.5), 1e-9);
        CHECK(tau[1] == 0 && tau[2] == 0);
    }
    pinion_work_free(w);
    pinion_model_free(m);
    pinion_builder_free(b);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(there_and_back);
    RUN(redundant_motors);
    RUN(what_cannot_be);
    RUN(unactuated_joints);
    return CHECK_END();
}
