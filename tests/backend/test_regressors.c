/* Regressors: what they say of forces, and the complex step of M beside Slotine and Li's. */
#include "complex_trees.h"

/* tau = Y pi beside the rotors, and Slotine and Li's: v_r' (dM/dt - 2 C) v_r = 0 with dM/dt by the complex step */
TEST(regressors)
{
    uint64_t seed = check_seed + 9;
    for (int i = 0; i < 20; i++) {
        scene s;
        if (!scene_open(&s, tree(i), &seed)) return;
        const int n = s.nv, count = 10 * (s.m->n.bodies - 1);
        double *Y = calloc((size_t)(n * count) + 1, sizeof(double)), *pi = calloc((size_t)count + 1, sizeof(double)),
               *v_r = calloc((size_t)n + 1, sizeof(double)), *zero = calloc((size_t)n + 1, sizeof(double));
        double *tau = calloc((size_t)n + 1, sizeof(double)), *got = calloc((size_t)n + 1, sizeof(double)), power = 0;
        cx *Mc = calloc((size_t)(n * n) + 1, sizeof(cx));
        for (int b = 1; b < s.m->n.bodies; b++)
            CHECK_STATUS(pinion_model_body_parameters(s.m, b, pi + 10 * (b - 1)), PINION_OK);
        for (int k = 0; k < n; k++) v_r[k] = check_between(&seed, -2, 2);

        /* rotors add to M alone, so what remains of tau(a) - tau(0) is M a without them */
        CHECK_STATUS(pinion_regressor(s.m, s.w, s.x.q, s.x.v, NULL, Y), PINION_OK);
        CHECK_STATUS(pinion_bias(s.m, s.w, s.x.q, s.x.v, tau), PINION_OK);
        for (int r = 0; r < n; r++)
            for (int c = 0; c < count; c++) got[r] += Y[r * count + c] * pi[c];
        CHECK_NEAR(check_error(got, tau, (size_t)n, 1), 0, 1e-12);

        /* with v_r = v it is the same but for the ways to round */
        double *Z = calloc((size_t)(n * count) + 1, sizeof(double));
        CHECK_STATUS(pinion_slotine_li_regressor(s.m, s.w, s.x.q, s.x.v, s.x.v, NULL, Z), PINION_OK);
        CHECK_NEAR(check_error(Z, Y, (size_t)(n * count), 1), 0, 1e-12);

        /* C v_r is what v_r adds to gravity */
        CHECK_STATUS(pinion_slotine_li_regressor(s.m, s.w, s.x.q, s.x.v, v_r, zero, Z), PINION_OK);
        CHECK_STATUS(pinion_gravity(s.m, s.w, s.x.q, tau), PINION_OK);
        step(s.m, s.x.q, s.x.v, s.q);
        pn_io io = {.q = s.q, .out = {Mc}};
        run(s.m, PN_K_crba, &io);
        double size = 1;
        for (int r = 0; r < n; r++) {
            double sum = -tau[r];
            for (int c = 0; c < count; c++) sum += Z[r * count + c] * pi[c];
            power -= 2 * v_r[r] * sum;
            size += fabs(v_r[r] * sum);
            for (int c = 0; c < n; c++) power += v_r[r] * cimag(Mc[r * n + c]) / STEP * v_r[c];
        }
        CHECK_NEAR(power / size, 0, 1e-12);
        double *const all[] = {Y, pi, v_r, zero, tau, got, Z};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
        free(Mc);
        scene_close(&s);
    }
}

/* both regressors give tau with rotors, dampers and friction, followers included */
TEST(regressors_of_bodies_and_joints)
{
    uint64_t seed = check_seed + 12;
    for (int i = 0; i < 20; i++) {
        scene s;
        if (!scene_open(&s, plain_tree(i), &seed)) return;
        const int n = s.nv, bodies = 10 * (s.m->n.bodies - 1), joints = 4 * s.m->n.tree_nv;
        double *Y = calloc((size_t)(n * (bodies + joints)) + 1, sizeof(double)), *Z = Y + n * bodies;
        double *pi = calloc((size_t)(bodies + joints) + 1, sizeof(double)), *rho = pi + bodies;
        double *tau = calloc(3 * (size_t)n + 1, sizeof(double)), *got = tau + n, *springs = tau + 2 * n;
        for (int b = 1; b < s.m->n.bodies; b++)
            CHECK_STATUS(pinion_model_body_parameters(s.m, b, pi + 10 * (b - 1)), PINION_OK);
        pinion_joint_info joint;
        for (int j = 0; pinion_model_joint(s.m, j, &joint) == PINION_OK; j++, rho += 4 * joint.dof_count)
            CHECK_STATUS(pinion_model_joint_parameters(s.m, j, rho), PINION_OK);
        CHECK(rho == pi + bodies + joints);
        rho = pi + bodies;

        s.x.v[0] = 0; /* no friction there */
        CHECK_STATUS(pinion_regressor(s.m, s.w, s.x.q, s.x.v, s.x.a, Y), PINION_OK);
        CHECK_STATUS(pinion_joint_regressor(s.m, s.w, s.x.q, s.x.v, s.x.a, Z), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(s.m, s.w, s.x.q, s.x.v, s.x.a, NULL, tau), PINION_OK);
        CHECK_STATUS(pinion_passive_forces(s.m, s.w, s.x.q, s.x.v, s.row), PINION_OK);
        CHECK_STATUS(pinion_passive_forces(s.m, s.w, s.x.q, NULL, springs), PINION_OK);
        for (int r = 0; r < n; r++) {
            tau[r] -= s.row[r] - springs[r];
            for (int c = 0; c < bodies; c++) got[r] += Y[r * bodies + c] * pi[c];
            for (int c = 0; c < joints; c++) got[r] += Z[r * joints + c] * rho[c];
        }
        CHECK_NEAR(check_error(got, tau, (size_t)n, 1), 0, 1e-12);
        CHECK_STATUS(pinion_model_joint_parameters(s.m, -1, pi), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pinion_model_joint_parameters(s.m, 0, NULL), PINION_ERR_ARGUMENT);
        free(Y);
        free(pi);
        free(tau);
        scene_close(&s);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(regressors);
    RUN(regressors_of_bodies_and_joints);
    return CHECK_END();
}
