/* Bodies in a fluid over time: Kirchhoff's equations integrated by themselves, closed forms, and currents, in which the
 * laws of a fluid at rest hold as seen from the fluid. */
#include "runs.h"

static const double centre[3] = {0.05, -0.02, 0.1}, inertia[6] = {0.6, 0.05, -0.03, 0.9, 0.02, 0.4};

/* the rigid body's 6 x 6 matrix at its origin */
static void rigid_matrix(double m, const double c[3], const double I[6], double out[36])
{
    const double full[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
    const double cx[9] = {0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0};
    const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out[6 * i + j] = full[3 * i + j] + m * ((i == j) * cc - c[i] * c[j]);
            out[6 * i + 3 + j] = m * cx[3 * i + j];
            out[6 * (3 + i) + j] = -m * cx[3 * i + j];
            out[6 * (3 + i) + 3 + j] = m * (i == j);
        }
}

/* x = M^-1 b by Gauss, without pivots: M is positive definite */
static void solve6(const double M[36], const double b[6], double x[6])
{
    double W[6][7];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 7; j++) W[i][j] = j < 6 ? M[6 * i + j] : b[i];
    for (int k = 0; k < 6; k++)
        for (int i = k + 1; i < 6; i++)
            for (int j = 6; j >= k; j--) W[i][j] -= W[i][k] / W[k][k] * W[k][j];
    for (int i = 5; i >= 0; i--) {
        x[i] = W[i][6];
        for (int j = i + 1; j < 6; j++) x[i] -= W[i][j] * x[j];
        x[i] /= W[i][i];
    }
}

static void kirchhoff(const double M[36], const double v[6], double a[6])
{
    double p[6], f[6];
    times6(M, v, p);
    cross_force(v, p, f);
    for (int i = 0; i < 6; i++) f[i] = -f[i];
    solve6(M, f, a);
}

TEST(kirchhoff_by_itself)
{
    uint64_t r = check_seed;
    double A[36], M[36], v[6] = {0.4, -0.9, 0.3, 1.2, 0.4, -0.5}, own[6], q[7] = {1, 0, 0, 0, 0, 0, 0};
    random_matrix(&r, 6, A);
    rigid_matrix(2, centre, inertia, M);
    for (int i = 0; i < 36; i++) M[i] += A[i];
    memcpy(own, v, sizeof v);
    pinion_model *m = hull(2, centre, inertia, A, 0);
    run_for(m, NULL, 3, q, v);

    /* Runge and Kutta, 6000 steps of 5e-4: an error of about 1e-13 */
    for (int step = 0; step < 6000; step++) {
        const double h = 3.0 / 6000;
        double k[4][6], x[6], sum[6] = {0};
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 6; i++) x[i] = own[i] + (s ? h * (s < 3 ? 0.5 : 1) * k[s - 1][i] : 0);
            kirchhoff(M, x, k[s]);
            for (int i = 0; i < 6; i++) sum[i] += (s == 1 || s == 2 ? 2 : 1) * k[s][i];
        }
        for (int i = 0; i < 6; i++) own[i] += h / 6 * sum[i];
    }
    for (int i = 0; i < 6; i++) CHECK_NEAR(v[i], own[i], 1e-9);
    pinion_model_free(m);
}

/* momentum A v of body and fluid, brought to the world's origin, is kept */
TEST(momentum_of_all)
{
    uint64_t r = check_seed + 1;
    double A[36], M[36], v[6] = {1, -2, 0.5, 0.3, 0.7, -1}, q[7] = {1, 0, 0, 0, 0.2, 0.1, -0.4}, world[2][6];
    random_matrix(&r, 6, A);
    rigid_matrix(2, centre, inertia, M);
    for (int i = 0; i < 36; i++) M[i] += A[i];
    pinion_model *m = hull(2, centre, inertia, A, 0);
    pinion_work *w = pinion_work_new(m);
    for (int end = 0; end < 2; end++) {
        double p[6], R[9], x[3], turned[6];
        times6(M, v, p);
        CHECK_STATUS(pinion_frame_pose(m, w, q, pinion_model_find_frame(m, "hull"), x, R), PINION_OK);
        for (int i = 0; i < 6; i++) {
            turned[i] = 0;
            for (int j = 0; j < 3; j++) turned[i] += R[3 * (i % 3) + j] * p[i / 3 * 3 + j];
        }
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            world[end][i] = turned[i] + x[j] * turned[3 + k] - x[k] * turned[3 + j];
            world[end][3 + i] = turned[3 + i];
        }
        if (end == 0) run_for(m, NULL, 10, q, v);
    }
    for (int i = 0; i < 6; i++) CHECK_NEAR(world[1][i], world[0][i], 1e-8);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* ---- closed forms ---- */

TEST(sinking_sphere)
{
    const double rho = 1000, radius = 0.1, V = 4 * M_PI / 3 * radius * radius * radius, mass = 1.5 * rho * V;
    const double J = 0.4 * mass * radius * radius, zero[3] = {0}, added = rho * V / 2;
    double A[36] = {0}, q[7] = {1}, v[6] = {0};
    for (int i = 3; i < 6; i++) A[7 * i] = added;
    pinion_model *m = hull(mass, zero, (double[6]){J, 0, 0, J, 0, J}, A, -9.81);
    pinion_forces *f = pinion_forces_new(m);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = pinion_model_find_frame(m, "hull");
    def.density = rho;
    def.volume = V;
    CHECK_STATUS(pinion_forces_add_drag(f, &def, NULL), PINION_OK);
    run_for(m, f, 2, q, v);
    const double a = -9.81 * (mass - rho * V) / (mass + added);
    CHECK_NEAR(v[5], 2 * a, 1e-9);
    CHECK_NEAR(q[6], 2 * a, 1e-9);
    pinion_forces_free(f);
    pinion_model_free(m);
}

/* Munk's moment turns a body across its way, where it resists most: (A_x - A_y) u v about z */
TEST(munk_moment)
{
    double A[36] = {0}, a[6], v[6] = {0, 0, 0, 0.8, 0.3, 0}, q[7] = {1};
    const double diagonal[6] = {0.1, 0.2, 0.3, 2, 9, 9}, zero[3] = {0};
    for (int i = 0; i < 6; i++) A[7 * i] = diagonal[i];
    pinion_model *m = hull(5, zero, (double[6]){1, 0, 0, 1, 0, 1}, A, 0);
    pinion_work *w = pinion_work_new(m);
    CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, NULL, NULL, a), PINION_OK);
    const double expected[6] = {0, 0, (2 - 9) * 0.8 * 0.3 / (1 + 0.3), 0, 0, 0};
    for (int i = 0; i < 6; i++) CHECK_NEAR(a[i], expected[i], 1e-14);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* linear drag alone: v' = -(d / m) v for each axis, and the moment about a point that is not the mass centre */
TEST(linear_drag)
{
    const double zero[3] = {0}, T = 1.3;
    double q[7] = {1}, v[6] = {0, 0, 0, 1, 0, 0};
    pinion_model *m = hull(4, zero, (double[6]){1, 0, 0, 2, 0, 3}, NULL, 0);
    pinion_forces *f = pinion_forces_new(m);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = 0;
    def.linear[21] = 6;
    CHECK_STATUS(pinion_forces_add_drag(f, &def, NULL), PINION_OK);
    run_for(m, f, T, q, v);
    CHECK_NEAR(v[3], exp(-6 * T / 4), 1e-10);
    CHECK_NEAR(q[4], 4.0 / 6 * (1 - exp(-6 * T / 4)), 1e-10);
    pinion_forces_free(f);

    /* quadratic: v = 1 / (1 + c t / m); a coupling from surge to yaw shows as a moment */
    double q2[7] = {1}, v2[6] = {0, 0, 0, 1, 0, 0}, force[12] = {0}, power;
    f = pinion_forces_new(m);
    def.linear[21] = 0;
    def.quadratic[21] = 6;
    CHECK_STATUS(pinion_forces_add_drag(f, &def, NULL), PINION_OK);
    run_for(m, f, T, q2, v2);
    CHECK_NEAR(v2[3], 1 / (1 + 6 * T / 4), 1e-10);
    pinion_forces_free(f);
    f = pinion_forces_new(m);
    def.quadratic[21] = 0;
    def.quadratic[6 * 2 + 3] = 5;
    CHECK_STATUS(pinion_forces_add_drag(f, &def, NULL), PINION_OK);
    double still[7] = {1}, moving[6] = {0, 0, 0.5, -2, 0, 0};
    pinion_work *w = pinion_work_new(m);
    CHECK_STATUS(pinion_forces_apply(f, w, 0, still, moving, force, NULL, &power), PINION_OK);
    CHECK_NEAR(force[6 + 2], 20, 1e-13);
    CHECK_NEAR(power, 10, 1e-13);
    pinion_work_free(w);
    pinion_forces_free(f);
    pinion_model_free(m);
}

/* a body whose centre of buoyancy is above its mass centre swings as a pendulum */
TEST(righting_moment)
{
    const double zero[3] = {0}, rho = 1000, V = 0.02, arm = 0.1, J = 2;
    double q[7] = {cos(0.001), sin(0.001), 0, 0, 0, 0, 0}, v[6] = {0};
    pinion_model *m = hull(rho * V, zero, (double[6]){J, 0, 0, J, 0, J}, NULL, -9.81);
    pinion_forces *f = pinion_forces_new(m);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = 0;
    def.density = rho;
    def.volume = V;
    def.center[0] = def.center[1] = 0;
    def.center[2] = arm;
    CHECK_STATUS(pinion_forces_add_drag(f, &def, NULL), PINION_OK);
    const double T = 1, rate = sqrt(rho * V * 9.81 * arm / J);
    run_for(m, f, T, q, v);
    /* sin(x) = x to 1e-6 of an angle of 0.002 */
    CHECK_NEAR(2 * atan2(q[1], q[0]), 0.002 * cos(rate * T), 2e-8);
    CHECK_NEAR(q[6], 0, 1e-12);
    pinion_forces_free(f);
    pinion_model_free(m);
}

/* ---- currents ---- */

/* what drags a body with added mass in any case, in a current of so much */
static pinion_forces *in_current(const pinion_model *m, const double U[3])
{
    uint64_t r = check_seed + 7;
    pinion_forces *f = pinion_forces_new(m);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = 0;
    def.density = 1000;
    def.volume = 0.002;
    random_matrix(&r, 6, def.linear);
    random_matrix(&r, 6, def.quadratic);
    for (int i = 0; i < 3; i++) {
        def.area[i] = 0.001 * (i + 1);
        def.point[i] = 0.1 * i;
        def.velocity[i] = U[i];
    }
    CHECK_STATUS(pinion_forces_add_drag(f, &def, NULL), PINION_OK);
    return f;
}

/* seen from a uniform current all is as in water at rest */
TEST(galileo)
{
    const double U[3] = {0.7, -0.4, 0.2}, none[3] = {0}, T = 2;
    uint64_t r = check_seed + 3;
    double A[36], q[2][7] = {{1}, {1}}, v[2][6] = {{0.5, -0.3, 0.8, 0.4, 0.2, -0.1}};
    random_matrix(&r, 6, A);
    pinion_model *m = hull(2, centre, inertia, A, -9.81);
    memcpy(v[1], v[0], sizeof v[0]);
    for (int i = 0; i < 3; i++) v[1][3 + i] += U[i]; /* the axes are the world's at first */
    for (int k = 0; k < 2; k++) {
        pinion_forces *f = in_current(m, k ? U : none);
        run_for(m, f, T, q[k], v[k]);
        pinion_forces_free(f);
    }
    for (int i = 0; i < 7; i++) CHECK_NEAR(q[1][i], q[0][i] + (i < 4 ? 0 : U[i - 4] * T), 1e-9);
    for (int i = 0; i < 3; i++) CHECK_NEAR(v[1][i], v[0][i], 1e-9);
    pinion_model_free(m);
}

/* A body as heavy as what it displaces, round about its centre, that starts with the water stays with it: in a wave
 * that shakes all the water, and on its way round in water whose velocity changes from place to place. */
TEST(carried_along)
{
    const double zero[3] = {0}, rho = 1000, V = 0.004, T = 1.5;
    for (int what = 0; what < 2; what++) {
        double A[36] = {0}, q[7] = {1, 0, 0, 0, 0.6, -0.2, 0.3}, v[6] = {0};
        for (int i = 0; i < 6; i++) A[7 * i] = i < 3 ? 0.01 : what ? rho * V / 2 : 1 + i;
        pinion_model *m = hull(rho * V, zero, (double[6]){0.1, 0, 0, 0.1, 0, 0.1}, A, 0);
        pinion_forces *f = pinion_forces_new(m);
        pinion_drag_def def = pinion_drag_def_default();
        def.frame = 0;
        def.density = rho;
        def.volume = V;
        def.linear[21] = def.linear[28] = def.linear[35] = 3;
        if (what == 0) {
            def.amplitude[0] = 0.4;
            def.amplitude[2] = -0.3;
            def.frequency = 0.7;
            def.phase = 0.2;
            for (int i = 0; i < 3; i++) v[3 + i] = def.amplitude[i] * sin(def.phase);
        } else { /* a whirl about z, and a jet along it */
            def.gradient[1] = -0.9;
            def.gradient[3] = 0.9;
            def.gradient[8] = 0.5;
            v[3] = 0.9 * 0.2, v[4] = 0.9 * 0.6, v[5] = 0.5 * 0.3;
        }
        CHECK_STATUS(pinion_forces_add_drag(f, &def, NULL), PINION_OK);
        run_for(m, f, T, q, v);
        if (what == 0) {
            const double w = 2 * M_PI * 0.7, swing = (cos(0.2) - cos(w * T + 0.2)) / w;
            CHECK_NEAR(q[4], 0.6 + 0.4 * swing, 1e-9);
            CHECK_NEAR(q[6], 0.3 - 0.3 * swing, 1e-9);
        } else {
            CHECK_NEAR(q[4], 0.6 * cos(0.9 * T) + 0.2 * sin(0.9 * T), 1e-9);
            CHECK_NEAR(q[5], 0.6 * sin(0.9 * T) - 0.2 * cos(0.9 * T), 1e-9);
            CHECK_NEAR(q[6], 0.3 * exp(0.5 * T), 1e-9);
        }
        pinion_forces_free(f);
        pinion_model_free(m);
    }
}

/* a wave that travels: U(x, t) and the acceleration of what is there, by the force on what the body displaces */
TEST(travelling_wave)
{
    const double zero[3] = {0}, h = 1e-5;
    double q[7] = {1, 0, 0, 0, 0.3, 0.2, -0.5}, v[6] = {0}, f_ext[12] = {0};
    pinion_model *m = hull(1, zero, (double[6]){1, 0, 0, 1, 0, 1}, NULL, 0);
    pinion_work *w = pinion_work_new(m);
    pinion_forces *f = pinion_forces_new(m);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = 0;
    def.density = 1000;
    def.volume = 0.001;
    def.velocity[0] = 0.3;
    def.amplitude[0] = 0.2, def.amplitude[2] = 0.5;
    def.frequency = 0.4;
    def.wave[0] = 1.5, def.wave[2] = -0.5;
    CHECK_STATUS(pinion_forces_add_drag(f, &def, NULL), PINION_OK);
    const double t = 0.37;
    CHECK_STATUS(pinion_forces_apply(f, w, t, q, v, f_ext, NULL, NULL), PINION_OK);

    /* along a path that goes with the water for a moment */
    double U[3], ahead[3], back[3];
    for (int side = 0; side < 3; side++) {
        double *to = side == 0 ? U : side == 1 ? ahead : back;
        const double dt = side == 0 ? 0 : side == 1 ? h : -h;
        double x[3];
        for (int i = 0; i < 3; i++) x[i] = q[4 + i] + (side ? dt * U[i] : 0);
        const double angle = 2 * M_PI * 0.4 * (t + dt) - 1.5 * x[0] + 0.5 * x[2];
        for (int i = 0; i < 3; i++) to[i] = def.velocity[i] + def.amplitude[i] * sin(angle);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(f_ext[9 + i], (ahead[i] - back[i]) / (2 * h), 1e-8);
    pinion_work_free(w);
    pinion_forces_free(f);
    pinion_model_free(m);
}

/* what is refused */
TEST(refused)
{
    double A[36] = {0};
    const double zero[3] = {0};
    pinion_error err;
    A[21] = 1;
    pinion_model *m = hull(1, zero, (double[6]){1, 0, 0, 1, 0, 1}, A, 0);
    pinion_forces *f = pinion_forces_new(m);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = 0;
    def.velocity[1] = 1;
    CHECK_STATUS(pinion_forces_add_drag(f, &def, &err), PINION_OK);
    CHECK_STATUS(pinion_forces_add_drag(f, &def, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "\"hull\" has added mass and is in the current of \"drag 1\"");
    def.velocity[1] = 0;
    CHECK_STATUS(pinion_forces_add_drag(f, &def, &err), PINION_OK);
    def.quadratic[7] = NAN;
    CHECK_STATUS(pinion_forces_add_drag(f, &def, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "quadratic is not 36 finite numbers");
    pinion_forces_free(f);
    pinion_model_free(m);

    static const struct {
        int entry;
        double value;
        const char *text;
    } bad[] = {{1, 0.5, "not symmetric"}, {7, -1, "not positive semidefinite"}, {0, NAN, "not 36 finite numbers"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pinion_builder *b = pinion_builder_new("x");
        pinion_link_def link = pinion_link_def_default();
        double B[36] = {0};
        B[bad[i].entry] = bad[i].value;
        link.name = "l";
        link.added_mass = B;
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_ERR_MODEL);
        CHECK_HAS(err.message, bad[i].text);
        B[bad[i].entry] = 0;
        B[0] = B[7] = 1;
        B[1] = B[6] = 1.1;
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_ERR_MODEL);
        CHECK_HAS(err.message, "not positive semidefinite");
        B[1] = B[6] = 1; /* of rank 1 */
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        pinion_builder_free(b);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(kirchhoff_by_itself);
    RUN(momentum_of_all);
    RUN(sinking_sphere);
    RUN(munk_moment);
    RUN(linear_drag);
    RUN(righting_moment);
    RUN(galileo);
    RUN(carried_along);
    RUN(travelling_wave);
    RUN(refused);
    return CHECK_END();
}
