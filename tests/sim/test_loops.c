/* Simulation with closed loops against closed forms, published values and the same motion without loops. */
#include "mechanism.h"

static const double DOWN[3] = {0, -9.81, 0}, ORIGIN[3] = {0, 0, 0};

/* ---------------------------------------------------------------------------------------------
 * Pendulums in maximal coordinates */

/* A body that moves in the plane of x and y, 1 m from the origin by a distance: `law` moves that. */
static pinion_model *tied_point(const pinion_motion *law)
{
    const double inertia[3] = {0.1, 0.1, 0.1};
    mechanism k = mechanism_begin(DOWN);
    mechanism_body(&k, "bob", 1, ORIGIN, inertia);
    const pinion_joint_def plane = mechanism_joint("plane", PINION_JOINT_PLANAR, "ground", "bob", 0, 0);
    mechanism_add(&k, &plane);
    pinion_constraint_def tie = pinion_constraint_def_default();
    tie.name = "tie";
    tie.kind = PINION_LOOP_DISTANCE;
    tie.parent = "ground";
    tie.child = "bob";
    tie.length = 1;
    if (law) tie.motion = *law;
    mechanism_constraint(&k, &tie);
    return mechanism_end(&k);
}

TEST(simple_pendulum)
{
    const double q[3] = {-1, 0, 0},
                 expected[2][3] = {{1, .98629175113188, -.16501085312553}, {5, -.94230543504, -.33475433841}};
    pinion_model *m = tied_point(NULL);
    pinion_sim *s = driver_sim(m, NULL);
    instant x;
    if (s) {
        CHECK_STATUS(pinion_sim_start(s, 0, q, NULL), PINION_OK);
        for (int i = 0; i < 2; i++) {
            driver_advance(s, expected[i][0]);
            driver_get(s, &x);
            CHECK_NEAR(x.q[0], expected[i][1], 1e-10);
            CHECK_NEAR(x.q[1], expected[i][2], 1e-10);
            CHECK_NEAR(x.s.drift, 0, 1e-10);
            CHECK(x.s.constraint <= 1e-14);
        }
    }
    pinion_sim_free(s);
    pinion_model_free(m);
}

/* Equations of a pendulum whose length is l(t), by the classical Runge-Kutta method. */
static void swing(double t, double h, const pinion_motion *law, double *angle, double *rate)
{
    double k[4][2], a = *angle, r = *rate;
    for (int i = 0; i < 4; i++) {
        const double c = i == 0 ? 0 : i == 3 ? 1 : 0.5;
        double g[3];
        if (i) a = *angle + c * h * k[i - 1][0], r = *rate + c * h * k[i - 1][1];
        pinion_motion_at(law, t + c * h, g);
        k[i][0] = r;
        k[i][1] = (-2 * g[1] * r - 9.81 * sin(a)) / (1 + g[0]);
    }
    for (int j = 0; j < 2; j++) {
        const double sum = h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
        if (j)
            *rate += sum;
        else
            *angle += sum;
    }
}

/* A swing whose rope is pulled in and let out: what moves the rope does work. */
TEST(pendulum_of_moving_length)
{
    const pinion_motion law = {0, 0, 0, 0.2, 0.7, 0};
    pinion_model *m = tied_point(&law);
    pinion_sim *s = driver_sim(m, NULL);
    double g[3], angle = 0.6, rate = 0;
    pinion_motion_at(&law, 0, g);
    const double q[3] = {sin(angle), -cos(angle), 0}, v[3] = {g[1] * sin(angle), -g[1] * cos(angle), 0};
    instant x;
    if (s) {
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        driver_advance(s, 4);
        driver_get(s, &x);
        for (int i = 0; i < 8000; i++) swing(i * 5e-4, 5e-4, &law, &angle, &rate);
        pinion_motion_at(&law, 4, g);
        CHECK_NEAR(x.q[0], (1 + g[0]) * sin(angle), 1e-9);
        CHECK_NEAR(x.q[1], -(1 + g[0]) * cos(angle), 1e-9);
        CHECK(fabs(x.s.work) > 0.1);
        CHECK_NEAR(x.s.largest_drift, 0, 1e-9);
        CHECK(x.s.constraint <= 1e-13);
    }
    pinion_sim_free(s);
    pinion_model_free(m);
}

/* The same compound pendulum about a skew axis: as a joint of the tree, or as a free body that a loop joint
 * ties. */
static pinion_model *hinged(int loop, const pinion_dof *dof)
{
    const double com[3] = {0.1, -0.4, 0.2}, inertia[3] = {0.3, 0.25, 0.4};
    mechanism k = mechanism_begin(DOWN);
    mechanism_body(&k, "body", 2, com, inertia);
    pinion_joint_def hinge = mechanism_joint("hinge", PINION_JOINT_CONTINUOUS, "ground", "body", 0.3, -0.2);
    hinge.axis[0] = 0.3;
    hinge.axis[1] = 0.2;
    hinge.dof[0] = *dof;
    if (loop) {
        const pinion_joint_def fly = mechanism_joint("fly", PINION_JOINT_FREE, "ground", "body", 0, 0);
        mechanism_add(&k, &fly);
        mechanism_check(&k, pinion_builder_add_loop(k.b, &hinge, &k.err));
    } else {
        mechanism_add(&k, &hinge);
    }
    return mechanism_end(&k);
}

/* Where the body is, and how its loop joint stands. */
static void compare_pendulums(const pinion_model *tree, const pinion_model *loop, const instant *x,
                              const instant *y, double tolerance)
{
    double p[2][3], R[2][9], angle, rate;
    pinion_work *w = pinion_work_new(tree), *u = pinion_work_new(loop);
    const int body = pinion_model_find_frame(tree, "body");
    CHECK_STATUS(pinion_frame_pose(tree, w, x->q, body, p[0], R[0]), PINION_OK);
    CHECK_STATUS(pinion_frame_pose(loop, u, y->q, pinion_model_find_frame(loop, "body"), p[1], R[1]),
                 PINION_OK);
    for (int i = 0; i < 3; i++) CHECK_NEAR(p[1][i], p[0][i], tolerance);
    for (int i = 0; i < 9; i++) CHECK_NEAR(R[1][i], R[0][i], tolerance);
    CHECK_STATUS(pinion_loop_motion(loop, u, y->q, y->v, &angle, &rate), PINION_OK);
    CHECK_NEAR(sin(angle - x->q[0]), 0, tolerance);
    CHECK_NEAR(rate, x->v[0], tolerance);
    CHECK_NEAR(y->s.kinetic, x->s.kinetic, 10 * tolerance);
    CHECK_NEAR(y->s.potential - x->s.potential, 0, 10 * tolerance);
    CHECK_NEAR(y->s.work, x->s.work, 10 * tolerance);
    CHECK_NEAR(y->s.largest_drift, 0, 10 * tolerance);
    CHECK(y->s.constraint <= 1e-12);
    pinion_work_free(w);
    pinion_work_free(u);
}

static pinion_status push(void *user, double t, const double *q, const double *v, double *tau)
{
    (void)user;
    (void)q;
    (void)v;
    tau[0] = 1.5 * cos(2 * t);
    return PINION_OK;
}

/* Runs both for 5 s, with what is in the joint. */
static void same_pendulum(const pinion_dof *dof, int motor, double tolerance)
{
    pinion_model *tree = hinged(0, dof), *loop = hinged(1, dof);
    pinion_sim_options o = pinion_sim_options_default(), p = o;
    o.friction_speed = p.friction_speed = 0.05;
    if (motor) {
        o.torque = push;
        p.loop_torque = push;
    }
    pinion_sim *s = driver_sim(tree, &o), *c = driver_sim(loop, &p);
    instant x, y;
    if (s && c) {
        /* the free body where the hinge has it at q = 0 */
        const double q0 = 0, v0 = 0.4, q[7] = {1, 0, 0, 0, 0.3, -0.2, 0};
        const double length = sqrt(0.3 * 0.3 + 0.2 * 0.2 + 1);
        const double v[6] = {v0 * 0.3 / length, v0 * 0.2 / length, v0 / length, 0, 0, 0};
        CHECK_STATUS(pinion_sim_start(s, 0, &q0, &v0), PINION_OK);
        CHECK_STATUS(pinion_sim_start(c, 0, q, v), PINION_OK);
        if (check_failed) printf("%s\n", pinion_sim_message(c));
        for (int i = 1; i <= 5; i++) {
            driver_advance(s, i);
            driver_advance(c, i);
            driver_get(s, &x);
            driver_get(c, &y);
            compare_pendulums(tree, loop, &x, &y, tolerance);
        }
    }
    pinion_sim_free(s);
    pinion_sim_free(c);
    pinion_model_free(tree);
    pinion_model_free(loop);
}

TEST(pendulum_of_a_free_body)
{
    const pinion_dof plain = pinion_joint_def_default().dof[0];
    same_pendulum(&plain, 0, 1e-9);
}

/* A motor, a spring, a damper and friction act in a loop joint as they do in one of the tree. */
TEST(forces_in_a_loop_joint)
{
    pinion_dof dof = pinion_joint_def_default().dof[0];
    dof.damping = 0.1;
    dof.stiffness = 3;
    dof.rest = 0.2;
    dof.friction_positive = 0.2;
    dof.friction_negative = 0.3;
    same_pendulum(&dof, 1, 1e-9);
}

/* ---------------------------------------------------------------------------------------------
 * Mechanisms */

/* The crank turns by a law of time: all else is geometry, and the drive does the work. */
TEST(driven_slider_crank)
{
    const double rate = 4;
    double q[3], v[3];
    pinion_model *m = mechanism_slider_crank(rate);
    pinion_sim *s = driver_sim(m, NULL);
    instant x;
    if (s) {
        mechanism_slider_crank_at(0.5, rate, q, v);
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        for (int i = 1; i <= 30; i++) {
            driver_advance(s, 0.1 * i);
            driver_get(s, &x);
            mechanism_slider_crank_at(0.5 + rate * x.s.t, rate, q, v);
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(x.q[k], q[k], 1e-11);
                CHECK_NEAR(x.v[k], v[k], 1e-10);
            }
            CHECK_NEAR(x.a[0], 0, 1e-8);
            CHECK_NEAR(x.s.drift, 0, 1e-9);
            CHECK(x.s.constraint <= 1e-12);
        }
        CHECK(x.s.largest_kinetic > 1);
        CHECK(fabs(x.s.work) > 0.01);
    }
    pinion_sim_free(s);
    pinion_model_free(m);
}

/* A free slider-crank, whose crank turns over: energy is kept, and so is its relation to the crank alone. */
TEST(free_slider_crank)
{
    double q[3], v[3];
    pinion_model *m = mechanism_slider_crank(0);
    pinion_sim *s = driver_sim(m, NULL);
    instant x;
    if (s) {
        mechanism_slider_crank_at(0.5, 6, q, v);
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        for (int i = 1; i <= 20; i++) {
            driver_advance(s, 0.5 * i);
            driver_get(s, &x);
            mechanism_slider_crank_at(x.q[0], x.v[0], q, v);
            for (int k = 1; k < 3; k++) {
                CHECK_NEAR(x.q[k], q[k], 1e-12);
                CHECK_NEAR(x.v[k], v[k], 1e-11);
            }
        }
        CHECK(fabs(x.q[0]) > 10);
        CHECK_NEAR(x.s.largest_drift, 0, 1e-9);
    }
    pinion_sim_free(s);
    pinion_model_free(m);
}

/* Where all rods lie on the ground's line the mechanism has more than one way on: L loses rank. It keeps
 * going as a row of parallelograms. */
TEST(four_bars_through_singular_positions)
{
    const double expected[2][3] = {{1, -.195020302, -.980799206}, {2, .057815796, .998327268}};
    for (int count = 2; count <= 4; count += 2) {
        pinion_model *m = mechanism_four_bars(count);
        pinion_sim *s = driver_sim(m, NULL);
        double q[9] = {0}, v[9];
        instant x;
        if (!s) continue;
        for (int i = 0; i < pinion_model_nv(m); i++) {
            pinion_joint_info joint;
            CHECK_STATUS(pinion_model_joint(m, i, &joint), PINION_OK);
            v[joint.v_index] = joint.name[0] == 'r' ? -1 : 1;
        }
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        for (int i = 0; i < 2; i++) {
            driver_advance(s, expected[i][0]);
            driver_get(s, &x);
            if (count > 2) continue;
            /* either way round: the published one starts towards +x */
            CHECK_NEAR(-sin(x.q[0]), expected[i][1], 1e-7);
            CHECK_NEAR(cos(x.q[0]), expected[i][2], 1e-7);
        }
        driver_advance(s, 10);
        driver_get(s, &x);
        CHECK_NEAR(x.s.largest_drift / x.s.largest_kinetic, 0, 1e-8);
        CHECK(x.s.constraint <= 1e-12);
        for (int i = 0; i < pinion_model_nv(m); i++) {
            pinion_joint_info joint;
            CHECK_STATUS(pinion_model_joint(m, i, &joint), PINION_OK);
            CHECK_NEAR(x.q[joint.q_index] - (joint.name[0] == 'r' ? 1 : -1) * x.q[0], 0, 1e-7);
        }
        pinion_sim_free(s);
        pinion_model_free(m);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Rolling */

static pinion_model *roller(const double gravity[3], int disk, double radius, const double inertia[3])
{
    mechanism k = mechanism_begin(gravity);
    mechanism_body(&k, "roller", 2, ORIGIN, inertia);
    const pinion_joint_def fly = mechanism_joint("fly", PINION_JOINT_FREE, "ground", "roller", 0, 0);
    mechanism_add(&k, &fly);
    pinion_constraint_def roll = pinion_constraint_def_default();
    roll.name = "contact";
    roll.kind = PINION_LOOP_ROLLING;
    roll.parent = "ground";
    roll.child = "roller";
    roll.radius = radius;
    roll.disk = disk;
    mechanism_constraint(&k, &roll);
    return mechanism_end(&k);
}

/* A ball of uniform density goes down an incline with 5/7 of what it would have without friction, and across
 * it as it was thrown. */
TEST(ball_on_an_incline)
{
    const double slope = 0.3, g = 9.81, radius = 0.2, j = 0.4 * 2 * radius * radius;
    const double gravity[3] = {g * sin(slope), 0, -g * cos(slope)}, inertia[3] = {j, j, j};
    const double q[7] = {1, 0, 0, 0, 0, 0, radius};
    const double across = 0.5, v[6] = {-across / radius, 0, 0, 0, across, 0};
    pinion_model *m = roller(gravity, 0, radius, inertia);
    pinion_sim *s = driver_sim(m, NULL);
    instant x;
    if (s) {
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        for (int i = 1; i <= 4; i++) {
            const double t = 0.5 * i;
            driver_advance(s, t);
            driver_get(s, &x);
            CHECK_NEAR(x.q[4], 0.5 * 5 / 7 * g * sin(slope) * t * t, 1e-10);
            CHECK_NEAR(x.q[5], across * t, 1e-10);
            CHECK_NEAR(x.q[6], radius, 1e-13);
            CHECK_NEAR(x.s.drift, 0, 1e-10);
        }
    }
    pinion_sim_free(s);
    pinion_model_free(m);
}

/* A coin that leans by b from the vertical rolls in a circle, where the rate W of the circle and the spin n
 * about its axis fit together: with e1 along the way, e2 up in the coin's plane and e3 its axis, w = W cos b
 * e2 + n e3, the moment of momentum A W cos b e2 + C n e3 turns at W about the vertical, and so does the
 * velocity -r n e1. */
TEST(coin_in_a_circle)
{
    const double r = 0.1, mass = 2, g = 9.81, A = mass * r * r / 4, C = 2 * A, b = 0.3, W = 1;
    const double inertia[3] = {A, A, C}, down[3] = {0, 0, -g};
    const double n = (A * W * W * cos(b) - mass * g * r) * tan(b) / ((C + mass * r * r) * W);
    const double turn = acos(-1.0) / 2 - b, q[7] = {cos(turn / 2), sin(turn / 2), 0, 0, 0, 0, r * cos(b)};
    const double v[6] = {0, W * cos(b), n, -r * n, 0, 0};
    pinion_model *m = roller(down, 1, r, inertia);
    pinion_sim *s = driver_sim(m, NULL);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    instant x;
    if (s && w) {
        if (pinion_sim_start(s, 0, q, v) != PINION_OK) CHECK_FAIL("%s", pinion_sim_message(s));
        for (int i = 1; i <= 10; i++) {
            double p[3], R[9];
            driver_advance(s, i);
            driver_get(s, &x);
            CHECK_STATUS(pinion_frame_pose(m, w, x.q, pinion_model_find_frame(m, "roller"), p, R), PINION_OK);
            CHECK_NEAR(p[0], -r * n / W * sin(W * i), 1e-9);
            CHECK_NEAR(p[1], -r * n / W * (1 - cos(W * i)), 1e-9);
            CHECK_NEAR(R[8], sin(b), 1e-9);
            CHECK_NEAR(x.s.drift, 0, 1e-9);
            CHECK(x.s.constraint <= 1e-12);
        }
    }
    pinion_work_free(w);
    pinion_sim_free(s);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(simple_pendulum);
    RUN(pendulum_of_moving_length);
    RUN(pendulum_of_a_free_body);
    RUN(forces_in_a_loop_joint);
    RUN(driven_slider_crank);
    RUN(free_slider_crank);
    RUN(four_bars_through_singular_positions);
    RUN(ball_on_an_incline);
    RUN(coin_in_a_circle);
    return CHECK_END();
}
