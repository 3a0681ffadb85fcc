/* Machines in space: orbits, the gravity gradient, wheels and gyroscopes inside, momentum over long runs. */
#include "satellite.h"

static const double zero3[3] = {0, 0, 0};

static pinion_forces *around(const pinion_model *m, double mu, int gradient)
{
    pinion_forces *f = pinion_forces_new(m);
    pinion_attraction_def def = pinion_attraction_def_default();
    def.mu = mu;
    def.gradient = gradient;
    CHECK_STATUS(pinion_forces_add_attraction(f, &def, NULL), PINION_OK);
    return f;
}

/* an ellipse closes after 2 pi sqrt(a^3 / mu) */
TEST(kepler)
{
    const double mu = 5, r = 2, speed = 1.7, a = 1 / (2 / r - speed * speed / mu), T = 2 * M_PI * sqrt(a * a * a / mu);
    double q[7] = {1, 0, 0, 0, r, 0, 0}, v[6] = {0, 0, 0, 0, speed, 0};
    pinion_model *m = hull(3, zero3, (double[6]){1, 0, 0, 1, 0, 1}, NULL, 0);
    pinion_forces *f = around(m, mu, 0);
    run_for(m, f, T, q, v);
    for (int i = 0; i < 3; i++) CHECK_NEAR(q[4 + i], i == 0 ? r : 0, 1e-8);
    for (int i = 0; i < 3; i++) CHECK_NEAR(v[3 + i], i == 1 ? speed : 0, 1e-8);
    pinion_forces_free(f);
    pinion_model_free(m);
}

/* in a circular orbit a body that faces the planet swings in pitch with n sqrt(3 (I_roll - I_yaw) / I_pitch) */
TEST(libration)
{
    const double mu = 1e12, d = 1e4, n = sqrt(mu / (d * d * d)), I[6] = {3, 0, 0, 2.5, 0, 1}, angle = 1e-4;
    /* x along the track, y opposite to the orbit's axis, z away from the planet; it pitches about y */
    double q[7] = {cos(angle / 2), 0, sin(angle / 2), 0, 0, 0, d};
    double v[6] = {0, n, 0, n * d * cos(angle), 0, n * d * sin(angle)};
    pinion_model *m = hull(10, zero3, I, NULL, 0);
    pinion_forces *f = around(m, mu, 1);
    const double T = 2 / n, rate = n * sqrt(3 * (I[0] - I[5]) / I[3]);
    run_for(m, f, T, q, v);
    const double turned = 2 * atan2(q[2], q[0]), pitch = remainder(turned - n * T, 2 * M_PI);
    /* the orbit is circular but for (size / d)^2 = 1e-8 */
    CHECK_NEAR(pitch, angle * cos(rate * T), 1e-7);
    pinion_forces_free(f);
    pinion_model_free(m);
}

/* force and moment are gradients of the potential, near enough to the planet for all terms to count */
TEST(gradients)
{
    uint64_t r = check_seed;
    static const double weight[3] = {45, -9, 1};
    const double c[3] = {0.1, -0.2, 0.15}, I[6] = {0.8, 0.1, -0.2, 1.1, 0.05, 0.6}, h = 1e-3;
    pinion_model *m = hull(2, c, I, NULL, 0);
    pinion_forces *f = around(m, 7, 1);
    pinion_work *w = pinion_work_new(m);
    double q[7], v[6], f_ext[12] = {0}, x[7], V, slope = 0, sum = 0, P;
    CHECK_STATUS(pinion_random(m, r, q), PINION_OK);
    for (int i = 0; i < 3; i++) q[4 + i] = 1.5 + i;
    for (int i = 0; i < 6; i++) v[i] = check_between(&r, -1, 1);
    CHECK_STATUS(pinion_forces_apply(f, w, 0, q, v, f_ext, &V, &P), PINION_OK);
    CHECK(P == 0);
    for (int k = 1; k <= 3; k++)
        for (int side = -1; side <= 1; side += 2) {
            CHECK_STATUS(pinion_integrate(m, q, v, side * k * h, x), PINION_OK);
            CHECK_STATUS(pinion_forces_apply(f, w, 0, x, NULL, NULL, &V, NULL), PINION_OK);
            slope += side * weight[k - 1] / (60 * h) * V;
        }
    for (int i = 0; i < 6; i++) sum += f_ext[6 + i] * v[i];
    CHECK_NEAR(sum, -slope, 1e-10);
    pinion_work_free(w);
    pinion_forces_free(f);
    pinion_model_free(m);
}

/* The gyrostat that is round about its wheel: the spin across the axis goes round in the body with
 * ((I_a - I_t) w_3 + J W) / I_t, and the wheel keeps its speed. */
TEST(round_gyrostat)
{
    const double axis[1][3] = {{0, 0, 1}}, J = 0.4, across = 0.3, bus[6] = {2, 0, 0, 2, 0, 1.5};
    const double It = 2 + across, Ia = 1.5 + J, w3 = 0.7, W = 9, w1 = 0.35, T = 20;
    double q[8] = {1}, v[7] = {w1, 0, w3, 0, 0, 0, W};
    pinion_model *m = satellite(bus, 1, axis, J, across);
    run_for(m, NULL, T, q, v);
    const double rate = ((Ia - It) * w3 + J * W) / It;
    CHECK_NEAR(v[0], w1 * cos(rate * T), 1e-9);
    CHECK_NEAR(v[1], w1 * sin(rate * T), 1e-9);
    CHECK_NEAR(v[2], w3, 1e-11);
    CHECK_NEAR(v[6], W, 1e-10);
    pinion_model_free(m);
}

/* torques of motors on three wheels: the bus and they exchange momentum, and all of it stays */
static pinion_status motors(void *user, double t, const double *q, const double *v, double *tau)
{
    (void)user, (void)q, (void)v;
    for (int i = 0; i < 9; i++) tau[i] = i < 6 ? 0 : 0.2 * sin((i - 4) * t);
    return PINION_OK;
}

TEST(reaction_wheels)
{
    const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, bus[6] = {2, 0.1, 0, 3, -0.2, 1.5};
    pinion_model *m = satellite(bus, 3, axis, 0.2, 0.15);
    pinion_work *w = pinion_work_new(m);
    pinion_sim_options options = pinion_sim_options_default();
    options.torque = motors;
    pinion_sim *s = pinion_sim_new(m, &options, NULL);
    double q[10] = {1}, v[9] = {0.1, -0.2, 0.3, 0.4, 0, -0.1, 20, -30, 10}, start[6], end[6];
    pinion_sim_state x = {.q = q, .v = v};
    CHECK_STATUS(pinion_momentum(m, w, q, v, start), PINION_OK);
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    CHECK_STATUS(pinion_sim_advance(s, 100), PINION_OK);
    CHECK_STATUS(pinion_sim_get(s, &x), PINION_OK);
    CHECK_STATUS(pinion_momentum(m, w, q, v, end), PINION_OK);
    /* some thousand steps, each within 1e-12 of speeds of up to 30 */
    for (int i = 0; i < 6; i++) CHECK_NEAR(end[i], start[i], 3e-9);
    CHECK_NEAR(x.drift, 0, 1e-7);
    pinion_sim_free(s);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* a control-moment gyroscope: turning the gimbal at rate g of a wheel with momentum h gives the torque g x h at once */
TEST(control_moment_gyro)
{
    const double g[3] = {0, 0, 0}, J = 0.05, W = 600, rate = 0.3;
    pinion_builder *b = pinion_builder_new("cmg");
    pinion_load_options options = pinion_load_options_default();
    options.root = PINION_ROOT_FREE;
    CHECK_STATUS(pinion_builder_set_gravity(b, g, NULL), PINION_OK);
    static const char *const name[3] = {"bus", "gimbal", "wheel"};
    for (int i = 0; i < 3; i++) {
        pinion_link_def link = pinion_link_def_default();
        pinion_joint_def joint = pinion_joint_def_default();
        link.name = name[i];
        link.inertia.mass = 1;
        for (int k = 0; k < 3; k++) link.inertia.inertia[k == 0 ? 0 : k == 1 ? 3 : 5] = i == 0 ? 1e9 : J;
        CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
        if (i == 0) continue;
        joint.name = joint.child = name[i];
        joint.parent = name[i - 1];
        joint.type = PINION_JOINT_CONTINUOUS;
        joint.axis[0] = i == 2;
        joint.axis[2] = i == 1;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, &options, NULL);
    pinion_builder_free(b);
    pinion_work *w = pinion_work_new(m);
    const double q[9] = {1}, v[8] = {0, 0, 0, 0, 0, 0, rate, W};
    double tau[8];
    /* what holds the bus: minus what the gyroscope gives it, z x x = y */
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, NULL, NULL, tau), PINION_OK);
    for (int i = 0; i < 6; i++) CHECK_NEAR(tau[i], i == 1 ? rate * J * W : 0, 1e-9);
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(kepler);
    RUN(libration);
    RUN(gradients);
    RUN(round_gyrostat);
    RUN(reaction_wheels);
    RUN(control_moment_gyro);
    return CHECK_END();
}
