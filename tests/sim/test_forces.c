/* Force elements: closed forms, and the identities that tie force, potential and power together. */
#include "motion.h"
#include "sim/forces.h"

/* ---- a model with a list, moved by it ---- */

typedef struct plant {
    const pinion_model *m;
    pinion_work *w;
    pinion_forces *f;
} plant;

static plant plant_of(const pinion_model *m)
{
    plant p = {m, pinion_work_new(m), pinion_forces_new(m)};
    CHECK(p.w && p.f);
    return p;
}

static void plant_free(plant *p)
{
    pinion_forces_free(p->f);
    pinion_work_free(p->w);
}

static void fall(void *user, double t, const double *q, const double *v, double *a, double *power)
{
    plant *p = user;
    double f_ext[MOTION_MAX][6] = {{0}};
    CHECK_STATUS(pinion_forces_apply(p->f, p->w, t, q, v, &f_ext[0][0], NULL, power), PINION_OK);
    CHECK_STATUS(pinion_forward_dynamics(pinion_forces_model(p->f), p->w, q, v, NULL, &f_ext[0][0], a),
                 PINION_OK);
}

/* moves for some time; the work done beside the potential */
static double run(plant *p, double duration, int steps, double *q, double *v)
{
    double work = 0;
    for (int i = 0; i < steps; i++)
        motion_step(p->m, fall, p, duration * i / steps, duration / steps, q, v, &work);
    return work;
}

static double energy(plant *p, double t, const double *q, const double *v)
{
    double T = 0, V = 0, more = 0;
    CHECK_STATUS(pinion_energy(pinion_forces_model(p->f), p->w, q, v, 0, &T, &V), PINION_OK);
    CHECK_STATUS(pinion_forces_apply(p->f, p->w, t, q, v, NULL, &more, NULL), PINION_OK);
    return T + V + more;
}

/* J' f: what inverse dynamics needs less because of the forces */
static void generalized(plant *p, double t, const double *q, const double *v, double *tau)
{
    double f_ext[MOTION_MAX][6] = {{0}}, without[MOTION_MAX];
    const int nv = pinion_model_nv(p->m);
    CHECK_STATUS(pinion_forces_apply(p->f, p->w, t, q, v, &f_ext[0][0], NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(p->m, p->w, q, NULL, NULL, NULL, without), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(p->m, p->w, q, NULL, NULL, &f_ext[0][0], tau), PINION_OK);
    for (int i = 0; i < nv; i++) tau[i] = without[i] - tau[i];
}

/* ---- closed forms ---- */

TEST(mass_on_a_spring)
{
    /* hangs at rest from 0.3 m above, then swings about where k (d - L) = m g */
    const double mass = 2, k = 50, L = 0.2, c[2] = {0, 3}, g = 9.81, anchor = 0.3;
    for (int damped = 0; damped < 2; damped++) {
        pinion_model *m = motion_lift(mass);
        plant p = plant_of(m);
        pinion_spring_def def = pinion_spring_def_default();
        def.frame_b = pinion_model_find_frame(m, "ball");
        def.point_a[2] = anchor;
        def.stiffness = k;
        def.damping = c[damped];
        def.length = L;
        CHECK_STATUS(pinion_forces_add_spring(p.f, &def, NULL), PINION_OK);
        double q[1] = {-0.5}, v[1] = {0}, T = 2;
        const double middle = anchor - L - mass * g / k, x0 = q[0] - middle, e0 = energy(&p, 0, q, v);
        const double work = run(&p, T, 4000, q, v);

        const double decay = c[damped] / (2 * mass), w = sqrt(k / mass - decay * decay);
        const double x = x0 * exp(-decay * T) * (cos(w * T) + decay / w * sin(w * T));
        CHECK_NEAR(q[0], middle + x, 1e-11);
        CHECK_NEAR(energy(&p, T, q, v) - e0, work, 1e-10);
        CHECK(damped ? work < -0.1 : work == 0);
        plant_free(&p);
        pinion_model_free(m);
    }
}

TEST(coinciding_points)
{
    pinion_model *m = motion_single(PINION_FREE);
    plant p = plant_of(m);
    pinion_spring_def def = pinion_spring_def_default();
    def.frame_a = pinion_model_find_frame(m, "body");
    def.stiffness = 100;
    def.damping = 10;
    def.length = 0.5;
    CHECK_STATUS(pinion_forces_add_spring(p.f, &def, NULL), PINION_OK);
    double q[7] = {1, 0, 0, 0, 0, 0, 0}, v[6] = {1, 2, 3, 4, 5, 6}, f[12] = {0}, V, P;
    CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, v, f, &V, &P), PINION_OK);
    for (int i = 0; i < 12; i++) CHECK(f[i] == 0);
    CHECK_NEAR(V, 0.5 * 100 * 0.25, 1e-14);
    CHECK(P == 0);

    /* without a length it is F = -k r, through zero and however small r is */
    def.length = 0;
    def.damping = 0;
    pinion_forces_free(p.f);
    p.f = pinion_forces_new(m);
    CHECK_STATUS(pinion_forces_add_spring(p.f, &def, NULL), PINION_OK);
    for (double r = 1; r > 1e-300; r *= 1e-20) {
        q[4] = r, q[5] = -2 * r;
        memset(f, 0, sizeof f);
        CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, v, f, &V, &P), PINION_OK);
        CHECK_NEAR(f[6 + 3], -100 * r, 1e-13 * r);
        CHECK_NEAR(f[6 + 4], 200 * r, 1e-13 * r);
        CHECK(P == 0);
    }
    plant_free(&p);
    pinion_model_free(m);
}

TEST(terminal_velocity)
{
    /* v(t) = v_t tanh(g' t / v_t), with g' the weight in the medium over the mass */
    const double mass = 0.5, density = 1.2, area = 0.3, volume = 0.1, g = 9.81;
    pinion_model *m = motion_lift(mass);
    plant p = plant_of(m);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = pinion_model_find_frame(m, "ball");
    def.density = density;
    def.volume = volume;
    for (int i = 0; i < 3; i++) def.area[i] = area;
    CHECK_STATUS(pinion_forces_add_drag(p.f, &def, NULL), PINION_OK);
    CHECK(pinion_forces_model(p.f) == m);
    double q[1] = {0}, v[1] = {0};
    const double net = g * (1 - density * volume / mass);
    const double terminal = sqrt(2 * mass * net / (density * area));
    const double e0 = energy(&p, 0, q, v), work = run(&p, 0.7, 2000, q, v);
    CHECK_NEAR(v[0], -terminal * tanh(net * 0.7 / terminal), 1e-10);
    CHECK_NEAR(energy(&p, 0, q, v) - e0, work, 1e-10);
    run(&p, 30, 4000, q, v);
    CHECK_NEAR(v[0], -terminal, 1e-10);
    plant_free(&p);
    pinion_model_free(m);
}

TEST(drag_of_a_sphere_has_no_direction)
{
    /* equal areas: the drag is along the wind, whatever the orientation; unequal ones: along the frame's axes
     */
    uint64_t seed = check_seed;
    pinion_model *m = motion_single(PINION_FREE);
    plant p = plant_of(m);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = pinion_model_find_frame(m, "body");
    def.density = 3;
    for (int i = 0; i < 3; i++) def.area[i] = 0.7, def.velocity[i] = 1 + i;
    CHECK_STATUS(pinion_forces_add_drag(p.f, &def, NULL), PINION_OK);
    for (int k = 0; k < 20; k++) {
        double q[7], v[6], f[12] = {0}, R[9], x[3], u[6], P, along = 0, speed = 0;
        CHECK_STATUS(pinion_random(m, seed++, q), PINION_OK);
        for (int i = 0; i < 6; i++) v[i] = check_between(&seed, -2, 2);
        CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, v, f, NULL, &P), PINION_OK);
        CHECK_STATUS(pinion_frame_pose(m, p.w, q, def.frame, x, R), PINION_OK);
        CHECK_STATUS(pinion_frame_velocity(m, p.w, q, v, def.frame, PINION_WORLD_ALIGNED, u), PINION_OK);
        for (int i = 0; i < 3; i++) speed += pow(u[3 + i] - def.velocity[i], 2);
        for (int i = 0; i < 3; i++) {
            const double force = R[3 * i] * f[9] + R[3 * i + 1] * f[10] + R[3 * i + 2] * f[11];
            CHECK_NEAR(force, -0.5 * 3 * 0.7 * sqrt(speed) * (u[3 + i] - def.velocity[i]), 1e-13);
            CHECK_NEAR(f[6 + i], 0, 1e-15);
            along += force * u[3 + i];
        }
        CHECK_NEAR(P, along, 1e-12);
    }

    /* at rest, wind along the world's x, the body turned by 30 degrees about z */
    pinion_forces_free(p.f);
    p.f = pinion_forces_new(m);
    const double area[3] = {1, 2, 5};
    memcpy(def.area, area, sizeof area);
    def.velocity[0] = 4, def.velocity[1] = def.velocity[2] = 0;
    CHECK_STATUS(pinion_forces_add_drag(p.f, &def, NULL), PINION_OK);
    const double half = M_PI / 12;
    double q[7] = {cos(half), 0, 0, sin(half), 1, 2, 3}, f[12] = {0};
    CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, NULL, f, NULL, NULL), PINION_OK);
    CHECK_NEAR(f[9], 1.5 * 1 * 16 * cos(M_PI / 6), 1e-13);
    CHECK_NEAR(f[10], -1.5 * 2 * 16 * sin(M_PI / 6), 1e-13);
    CHECK_NEAR(f[11], 0, 1e-15);
    plant_free(&p);
    pinion_model_free(m);
}

TEST(buoyant_sphere_with_added_mass)
{
    /* a' = g (rho V - m) / (m + rho V / 2): a light ball in water starts with nearly 2 g */
    const double radius = 0.1, volume = 4. / 3 * M_PI * radius * radius * radius, density = 1000, mass = 0.1;
    pinion_model *m = motion_lift(mass);
    plant p = plant_of(m);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = pinion_model_find_frame(m, "ball");
    def.density = density;
    def.volume = volume;
    def.added_mass = density * volume / 2;
    CHECK_STATUS(pinion_forces_add_drag(p.f, &def, NULL), PINION_OK);
    CHECK(pinion_forces_model(p.f) != m);
    double q[1] = {0}, v[1] = {0}, a[1], power;
    fall(&p, 0, q, v, a, &power);
    const double expected = 9.81 * (density * volume - mass) / (mass + density * volume / 2);
    CHECK_NEAR(a[0], expected, 1e-12);
    CHECK(expected > 1.8 * 9.81);

    /* no drag: all of it is potential, also the weight that the added mass does not have */
    const double e0 = energy(&p, 0, q, v);
    run(&p, 1, 100, q, v);
    CHECK_NEAR(q[0], expected / 2, 1e-11);
    CHECK_NEAR(energy(&p, 1, q, v), e0, 1e-10);
    plant_free(&p);
    pinion_model_free(m);
}

TEST(pendulum_in_water)
{
    /* the mass is at the end of the rod: (m + m_a) l^2 th'' = -(m - rho V) g l sin th */
    const double mass = 3, l = 0.7, volume = 1e-3, density = 1000, added = 0.4;
    pinion_builder *b = pinion_builder_new("pendulum");
    motion_link(b, "base", 0, 0);
    motion_link(b, "rod", 0, 0);
    motion_link(b, "ball", mass, 0);
    pinion_joint_def joint = motion_joint("swing", PINION_CONTINUOUS, "base", "rod", 0, 1, 0);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    joint = motion_joint("weld", PINION_FIXED, "rod", "ball", 0, 0, 1);
    joint.parent_pose.position[2] = -l;
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    plant p = plant_of(m);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = pinion_model_find_frame(m, "ball");
    def.density = density;
    def.volume = volume;
    def.added_mass = added;
    CHECK_STATUS(pinion_forces_add_drag(p.f, &def, NULL), PINION_OK);
    for (double th = -3; th < 3; th += 0.5) {
        double a[1], v[1] = {1.3}, power;
        fall(&p, 0, &th, v, a, &power);
        CHECK_NEAR(a[0], -(mass - density * volume) * 9.81 * sin(th) / ((mass + added) * l), 1e-12);
    }
    plant_free(&p);
    pinion_model_free(m);
}

/* ---- the ground ---- */

TEST(settling_on_the_ground)
{
    const double mass = 4, k = 2e4, g = 9.81, height = -0.25;
    const double exponent[3] = {1, 1.5, 2.2};
    for (int n = 0; n < 3; n++) {
        pinion_model *m = motion_lift(mass);
        plant p = plant_of(m);
        const int frame = pinion_model_find_frame(m, "ball");
        pinion_ground_def def = pinion_ground_def_default();
        def.normal[2] = 17;
        def.height = height;
        def.stiffness = k;
        def.exponent = exponent[n];
        def.damping = 2;
        def.count = 1;
        def.frame = &frame;
        CHECK_STATUS(pinion_forces_add_ground(p.f, &def, NULL), PINION_OK);
        double q[1] = {0}, v[1] = {0}, V, f[12] = {0};
        CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, v, f, &V, NULL), PINION_OK);
        CHECK(V == 0 && f[11] == 0);
        const double e0 = energy(&p, 0, q, v), work = run(&p, 20, 40000, q, v);
        const double depth = pow(mass * g / k, 1 / exponent[n]);
        CHECK_NEAR(q[0], height - depth, 1e-8);
        /* fixed steps go over the edge of the ground at full speed, where the force has a kink */
        CHECK_NEAR(energy(&p, 0, q, v) - e0, work, 2e-3);
        CHECK(work < -1);

        /* the potential at that depth, and no pulling when it is torn out */
        CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, v, NULL, &V, NULL), PINION_OK);
        CHECK_NEAR(V, mass * g * depth / (exponent[n] + 1), 1e-6);
        v[0] = 10;
        double P;
        memset(f, 0, sizeof f);
        CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, v, f, &V, &P), PINION_OK);
        CHECK(f[11] == 0);
        CHECK_NEAR(P, -mass * g * 10, 1e-4);
        v[0] = -0.1; /* pressing: k d^n (1 + c d') */
        memset(f, 0, sizeof f);
        CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, v, f, &V, &P), PINION_OK);
        CHECK_NEAR(f[11], mass * g * (1 + 2 * 0.1), 1e-4);
        CHECK_NEAR(P, -mass * g * 2 * 0.01, 1e-6);
        plant_free(&p);
        pinion_model_free(m);
    }
}

/* a block that slides in x and z, started at rest at its depth on a plane that falls with x */
static void incline(double slope, double mu, double slip, double duration, double v[2])
{
    const double mass = 2, k = 1e4, g = 9.81;
    pinion_builder *b = pinion_builder_new("block");
    motion_link(b, "base", 0, 0);
    motion_link(b, "rail", 0, 0);
    motion_link(b, "block", mass, 0.1);
    pinion_joint_def joint = motion_joint("x", PINION_PRISMATIC, "base", "rail", 1, 0, 0);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    joint = motion_joint("z", PINION_PRISMATIC, "rail", "block", 0, 0, 1);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    plant p = plant_of(m);
    const int frame = pinion_model_find_frame(m, "block");
    pinion_ground_def def = pinion_ground_def_default();
    def.normal[0] = sin(slope);
    def.normal[2] = cos(slope);
    def.stiffness = k;
    def.damping = 5;
    def.friction = mu;
    def.slip = slip;
    def.count = 1;
    def.frame = &frame;
    CHECK_STATUS(pinion_forces_add_ground(p.f, &def, NULL), PINION_OK);
    const double depth = mass * g * cos(slope) / k;
    double q[2] = {-depth * sin(slope), -depth * cos(slope)};
    v[0] = v[1] = 0;
    run(&p, duration, 20000, q, v);

    /* along the slope, and out of it */
    const double x = v[0], z = v[1];
    v[0] = x * cos(slope) - z * sin(slope);
    v[1] = x * sin(slope) + z * cos(slope);
    plant_free(&p);
    pinion_model_free(m);
}

TEST(block_on_an_incline)
{
    const double slope = 0.3, g = 9.81, slip = 1e-2;
    double v[2];
    /* rough: it creeps at the speed where the smoothed friction holds it, mu tanh(u / slip) = tan */
    incline(slope, 0.8, slip, 2, v);
    CHECK_NEAR(v[0], slip * atanh(tan(slope) / 0.8), 1e-9);
    CHECK_NEAR(v[1], 0, 1e-9);
    /* smooth: it slides, g (sin - mu cos) once the friction is all there */
    incline(slope, 0.1, 1e-4, 1, v);
    CHECK_NEAR(v[0], g * (sin(slope) - 0.1 * cos(slope)) * 1, 1e-4);
    CHECK_NEAR(v[1], 0, 1e-9);
}

/* ---- wrenches ---- */

TEST(wrenches)
{
    uint64_t seed = check_seed;
    pinion_model *m = pinion_random_tree(8, 1, seed, NULL);
    const int nv = pinion_model_nv(m), frames = pinion_model_frame_count(m);
    double q[MOTION_MAX], v[MOTION_MAX], J[6 * MOTION_MAX], tau[MOTION_MAX], u[6], P;
    CHECK(nv <= MOTION_MAX && pinion_model_nq(m) <= MOTION_MAX && pinion_model_body_count(m) <= MOTION_MAX);
    const double t[3] = {0, 1, 3}, s[3] = {2, 4, -4};
    for (int k = 0; k < 60; k++) {
        plant p = plant_of(m);
        pinion_wrench_def def = pinion_wrench_def_default();
        def.frame = k % frames;
        def.reference = k % 2 ? PINION_LOCAL : PINION_WORLD_ALIGNED;
        for (int i = 0; i < 6; i++) def.wrench[i] = check_between(&seed, -1, 1);
        def.signal = (pinion_signal)(k % 3);
        if (k % 4 == 3) def.start = 0.5, def.end = 2.5;
        def.frequency = 0.3;
        def.phase = 0.2;
        def.count = 3;
        def.t = t;
        def.s = s;
        CHECK_STATUS(pinion_forces_add_wrench(p.f, &def, NULL), PINION_OK);
        CHECK_STATUS(pinion_random(m, seed++, q), PINION_OK);
        for (int i = 0; i < nv; i++) v[i] = check_between(&seed, -1, 1);
        CHECK_STATUS(pinion_jacobian(m, p.w, q, def.frame, def.reference, J), PINION_OK);
        CHECK_STATUS(pinion_frame_velocity(m, p.w, q, v, def.frame, def.reference, u), PINION_OK);
        for (double at = -0.75; at < 4; at += 0.25) {
            const double since = k % 4 == 3 ? at - 0.5 : at;
            double amount = 1;
            if (k % 3 == 1) amount = sin(2 * M_PI * 0.3 * since + 0.2);
            if (k % 3 == 2) amount = at < 0 ? 2 : at < 1 ? 2 + 2 * at : at < 3 ? 4 - 4 * (at - 1) : -4;
            if (k % 4 == 3 && (at < 0.5 || at >= 2.5)) amount = 0;
            generalized(&p, at, q, v, tau);
            double expected = 0;
            for (int i = 0; i < 6; i++) expected += amount * def.wrench[i] * u[i];
            CHECK_STATUS(pinion_forces_apply(p.f, p.w, at, q, v, NULL, NULL, &P), PINION_OK);
            CHECK_NEAR(P, expected, 1e-11);
            for (int i = 0; i < nv; i++) {
                double sum = 0;
                for (int d = 0; d < 6; d++) sum += J[d * nv + i] * amount * def.wrench[d];
                CHECK_NEAR(tau[i], sum, 1e-9);
            }
        }
        plant_free(&p);
    }
    pinion_model_free(m);
}

TEST(instants_of_change)
{
    pinion_model *m = motion_lift(1);
    plant p = plant_of(m);
    CHECK(pn_forces_break(p.f, 0) == INFINITY);
    pinion_wrench_def def = pinion_wrench_def_default();
    def.frame = 1;
    def.start = 1;
    def.end = 4;
    CHECK_STATUS(pinion_forces_add_wrench(p.f, &def, NULL), PINION_OK);
    const double t[3] = {0.5, 2, 3}, s[3] = {0, 1, 0};
    def.signal = PINION_SIGNAL_TABLE;
    def.count = 3;
    def.t = t;
    def.s = s;
    CHECK_STATUS(pinion_forces_add_wrench(p.f, &def, NULL), PINION_OK);
    const double expected[5] = {1, 2, 3, 4, INFINITY};
    double at = -5;
    for (int i = 0; i < 5; i++) {
        at = pn_forces_break(p.f, at);
        CHECK(at == expected[i]);
    }
    plant_free(&p);
    pinion_model_free(m);
}

/* ---- identities on random trees ---- */

/* a random frame that can move */
static int moving_frame(const pinion_model *m, uint64_t *seed)
{
    for (;;) {
        pinion_frame_info info;
        const int frame = (int)check_between(seed, 0, pinion_model_frame_count(m));
        if (pinion_model_frame(m, frame, &info) == PINION_OK && info.body > 0) return frame;
    }
}

/* a list with everything, between random points of random frames */
static void add_everything(plant *p, uint64_t *seed, int dampers)
{
    const int frames = pinion_model_frame_count(p->m);
    for (int k = 0; k < 3; k++) {
        pinion_spring_def spring = pinion_spring_def_default();
        spring.frame_a = k ? (int)check_between(seed, 0, frames) : -1;
        spring.frame_b = moving_frame(p->m, seed);
        for (int i = 0; i < 3; i++) {
            spring.point_a[i] = check_between(seed, -1, 1);
            spring.point_b[i] = check_between(seed, -1, 1);
        }
        spring.stiffness = 5;
        spring.damping = dampers ? 2 : 0;
        spring.length = 0.3 * k;
        CHECK_STATUS(pinion_forces_add_spring(p->f, &spring, NULL), PINION_OK);

        pinion_drag_def drag = pinion_drag_def_default();
        drag.frame = moving_frame(p->m, seed);
        drag.density = 2;
        drag.volume = 0.2;
        drag.added_mass = 0.3 * k;
        for (int i = 0; i < 3; i++) {
            drag.point[i] = check_between(seed, -1, 1);
            drag.velocity[i] = check_between(seed, -1, 1);
            drag.area[i] = dampers ? check_between(seed, 0, 1) : 0;
        }
        CHECK_STATUS(pinion_forces_add_drag(p->f, &drag, NULL), PINION_OK);
    }
    int frame[3];
    pinion_ground_def ground = pinion_ground_def_default();
    for (int i = 0; i < 3; i++) {
        frame[i] = (int)check_between(seed, 0, frames);
        ground.normal[i] = check_between(seed, -1, 1);
    }
    ground.height = 6; /* above the robot: all points are in it */
    ground.stiffness = 3;
    ground.exponent = 1.5;
    ground.damping = dampers ? 0.1 : 0;
    ground.friction = dampers ? 0.4 : 0;
    ground.slip = 0.5;
    ground.count = 3;
    ground.frame = frame;
    CHECK_STATUS(pinion_forces_add_ground(p->f, &ground, NULL), PINION_OK);
    pinion_wrench_def wrench = pinion_wrench_def_default();
    wrench.frame = frame[0];
    wrench.reference = PINION_LOCAL;
    wrench.signal = PINION_SIGNAL_SINE;
    wrench.frequency = 0.7;
    for (int i = 0; i < 6; i++) wrench.wrench[i] = check_between(seed, -1, 1);
    if (dampers) CHECK_STATUS(pinion_forces_add_wrench(p->f, &wrench, NULL), PINION_OK);
}

static double potential(plant *p, const double *q)
{
    double V;
    CHECK_STATUS(pinion_forces_apply(p->f, p->w, 0, q, NULL, NULL, &V, NULL), PINION_OK);
    return V;
}

/* dV/ds of V(q (+) s d) at 0: central differences of fourth order */
static double slope(plant *p, const double *q, const double *d)
{
    const double h = 1e-3;
    double x[MOTION_MAX], V[4];
    const double at[4] = {-2, -1, 1, 2};
    for (int k = 0; k < 4; k++) {
        CHECK_STATUS(pinion_integrate(p->m, q, d, at[k] * h, x), PINION_OK);
        V[k] = potential(p, x);
    }
    return (V[0] - 8 * V[1] + 8 * V[2] - V[3]) / (12 * h);
}

TEST(virtual_work)
{
    uint64_t seed = check_seed;
    double worst = 0;
    for (int k = 0; k < 30; k++) {
        pinion_model *m = pinion_random_tree(6, k % 2, seed + (uint64_t)k, NULL);
        const int nv = pinion_model_nv(m);
        plant p = plant_of(m);
        add_everything(&p, &seed, 0);
        double q[MOTION_MAX], tau[MOTION_MAX], numeric[MOTION_MAX], P;
        CHECK_STATUS(pinion_random(m, seed++, q), PINION_OK);
        generalized(&p, 0, q, NULL, tau);
        for (int i = 0; i < nv; i++) {
            double d[MOTION_MAX] = {0};
            d[i] = 1;
            numeric[i] = -slope(&p, q, d);
        }
        const double error = check_error(tau, numeric, (size_t)nv, 1);
        if (error > worst) worst = error;
        CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, NULL, NULL, NULL, &P), PINION_OK);
        CHECK(P == 0);
        plant_free(&p);
        pinion_model_free(m);
    }
    printf("    worst relative difference %.1e\n", worst);
    CHECK(worst < 1e-8);
}

TEST(power)
{
    /* all power is what leaves the potential and what is reported beside it */
    uint64_t seed = check_seed;
    double worst = 0;
    for (int k = 0; k < 30; k++) {
        pinion_model *m = pinion_random_tree(6, k % 2, seed + (uint64_t)k, NULL);
        const int nv = pinion_model_nv(m);
        plant p = plant_of(m);
        add_everything(&p, &seed, 1);
        double q[MOTION_MAX], v[MOTION_MAX], tau[MOTION_MAX], P, all = 0;
        CHECK_STATUS(pinion_random(m, seed++, q), PINION_OK);
        for (int i = 0; i < nv; i++) v[i] = check_between(&seed, -1, 1);
        CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0.4, q, v, NULL, NULL, &P), PINION_OK);
        generalized(&p, 0.4, q, v, tau);
        for (int i = 0; i < nv; i++) all += tau[i] * v[i];
        const double expected = P - slope(&p, q, v), error = fabs(all - expected) / fmax(1, fabs(all));
        if (error > worst) worst = error;
        CHECK(fabs(P) > 1e-3);
        plant_free(&p);
        pinion_model_free(m);
    }
    printf("    worst relative difference %.1e\n", worst);
    CHECK(worst < 1e-8);
}

TEST(energy_balance)
{
    uint64_t seed = check_seed;
    double worst = 0;
    for (int k = 0; k < 6; k++) {
        pinion_model *m = pinion_random_tree(4, k % 2, seed + (uint64_t)k, NULL);
        const int nv = pinion_model_nv(m);
        plant p = plant_of(m);
        add_everything(&p, &seed, 1);
        double q[MOTION_MAX], v[MOTION_MAX], T;
        CHECK_STATUS(pinion_random(m, seed++, q), PINION_OK);
        for (int i = 0; i < nv; i++) v[i] = check_between(&seed, -0.5, 0.5);
        const double e0 = energy(&p, 0, q, v);
        const double work = run(&p, 0.2, 800, q, v), e1 = energy(&p, 0.2, q, v);
        CHECK_STATUS(pinion_energy(pinion_forces_model(p.f), p.w, q, v, 0, &T, NULL), PINION_OK);
        const double error = fabs(e1 - e0 - work) / fmax(1, T);
        if (error > worst) worst = error;
        CHECK(fabs(work) > 1e-4);
        plant_free(&p);
        pinion_model_free(m);
    }
    printf("    worst relative difference %.1e\n", worst);
    CHECK(worst < 1e-7);
}

/* ---- added mass ---- */

/* two bodies with a tool; loads are welded on as links of their own, or not at all */
static pinion_model *arm(int welded)
{
    pinion_builder *b = pinion_builder_new("arm");
    motion_link(b, "base", 0, 0);
    motion_link(b, "upper", 2, 0.2);
    motion_link(b, "lower", 1, 0.1);
    pinion_joint_def joint = motion_joint("shoulder", PINION_SPHERICAL, "base", "upper", 0, 0, 1);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    joint = motion_joint("elbow", PINION_REVOLUTE, "upper", "lower", 0, 1, 0);
    joint.parent_pose.position[2] = -0.5;
    joint.dof[0].lower = -2, joint.dof[0].upper = 2;
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = "tool";
    frame.link = "lower";
    const double R[9] = {0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1};
    memcpy(frame.pose.rotation, R, sizeof R);
    frame.pose.position[0] = 0.3;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);

    /* a payload with inertia, one mass at a point of the link, one at a point of the tool */
    const double place[3][3] = {
        {0.1, 0.2, 0.3}, {0.2, -0.1, 0.05}, {0.3 + 0.6 * 0.1 - 0.8 * 0.2, 0.8 * 0.1 + 0.6 * 0.2, 0.4}};
    const double mass[3] = {0.7, 0.5, 0.9};
    const char *names[3] = {"payload", "one", "two"};
    for (int i = 0; i < 3 && welded; i++) {
        motion_link(b, names[i], mass[i], i ? 0 : 0.3);
        joint = motion_joint(names[i], PINION_FIXED, "lower", names[i], 0, 0, 1);
        memcpy(joint.parent_pose.position, place[i], sizeof place[i]);
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    if (welded) return m;
    const double I = 0.4 * 0.7 * 0.09;
    const pinion_inertia load = {0.7, {0.1, 0.2, 0.3}, {I, 0, 0, I, 0, I}};
    CHECK_STATUS(pinion_model_set_payload(m, pinion_model_find_link(m, "lower"), &load), PINION_OK);
    return m;
}

TEST(added_mass_and_payload)
{
    pinion_model *m = arm(0), *welded = arm(1);
    plant p = plant_of(m);
    pinion_work *w = pinion_work_new(welded);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = pinion_model_find_frame(m, "lower");
    const double one[3] = {0.2, -0.1, 0.05}, two[3] = {0.1, 0.2, 0.4};
    memcpy(def.point, one, sizeof one);
    def.added_mass = 0.5;
    CHECK_STATUS(pinion_forces_add_drag(p.f, &def, NULL), PINION_OK);
    def.frame = pinion_model_find_frame(m, "tool");
    memcpy(def.point, two, sizeof two);
    def.added_mass = 0.9;
    CHECK_STATUS(pinion_forces_add_drag(p.f, &def, NULL), PINION_OK);

    const pinion_model *loaded = pinion_forces_model(p.f);
    CHECK_NEAR(pinion_model_mass(loaded), pinion_model_mass(m) + 1.4, 1e-14);
    CHECK(pinion_model_fixed_mass(loaded) == pinion_model_fixed_mass(m));
    for (int k = 0; k < 10; k++) {
        double q[5], v[4] = {0.1, -0.4, 0.3, 0.8}, M0[16], M1[16], h0[4], h1[4], T0, T1, V0, V1, more;
        CHECK_STATUS(pinion_random(m, (uint64_t)k, q), PINION_OK);
        CHECK_STATUS(pinion_mass_matrix(loaded, p.w, q, M0), PINION_OK);
        CHECK_STATUS(pinion_mass_matrix(welded, w, q, M1), PINION_OK);
        CHECK(check_error(M0, M1, 16, 1) < 1e-14);
        CHECK_STATUS(pinion_bias(loaded, p.w, q, v, h0), PINION_OK);
        CHECK_STATUS(pinion_bias(welded, w, q, v, h1), PINION_OK);
        CHECK(check_error(h0, h1, 4, 1) < 1e-14);
        CHECK_STATUS(pinion_energy(loaded, p.w, q, v, 0, &T0, &V0), PINION_OK);
        CHECK_STATUS(pinion_energy(welded, w, q, v, 0, &T1, NULL), PINION_OK);
        CHECK_NEAR(T0, T1, 1e-14);

        /* the weight is that of the model alone */
        CHECK_STATUS(pinion_energy(m, p.w, q, v, 0, NULL, &V1), PINION_OK);
        CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, v, NULL, &more, NULL), PINION_OK);
        CHECK_NEAR(V0 + more, V1, 1e-13);
        double f_ext[3][6] = {{0}}, g0[4], g1[4];
        CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, NULL, &f_ext[0][0], NULL, NULL), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(loaded, p.w, q, NULL, NULL, &f_ext[0][0], g0), PINION_OK);
        CHECK_STATUS(pinion_gravity(m, p.w, q, g1), PINION_OK);
        CHECK(check_error(g0, g1, 4, 1) < 1e-14);
    }
    pinion_work_free(w);
    plant_free(&p);
    pinion_model_free(m);
    pinion_model_free(welded);
}

/* ---- the list ---- */

TEST(names_and_defaults)
{
    pinion_model *m = motion_lift(1);
    plant p = plant_of(m);
    CHECK(pinion_forces_count(p.f) == 0 && pinion_forces_count(NULL) == 0);
    CHECK(pinion_forces_model(p.f) == m && pinion_forces_model(NULL) == NULL);
    char name[] = "tail";
    pinion_spring_def spring = pinion_spring_def_default();
    spring.name = name;
    spring.frame_b = 1;
    CHECK_STATUS(pinion_forces_add_spring(p.f, &spring, NULL), PINION_OK);
    name[0] = 'n'; /* was copied */
    spring.name = NULL;
    pinion_drag_def drag = pinion_drag_def_default();
    drag.frame = 1;
    for (int i = 0; i < 40; i++) {
        CHECK_STATUS(pinion_forces_add_drag(p.f, &drag, NULL), PINION_OK);
        CHECK_STATUS(pinion_forces_add_spring(p.f, &spring, NULL), PINION_OK);
    }
    CHECK(pinion_forces_count(p.f) == 81);
    CHECK(!strcmp(pinion_forces_name(p.f, 0), "tail"));
    CHECK(!strcmp(pinion_forces_name(p.f, 1), "drag 1"));
    CHECK(!strcmp(pinion_forces_name(p.f, 2), "spring 2"));
    CHECK(!strcmp(pinion_forces_name(p.f, 80), "spring 41"));
    CHECK(!pinion_forces_name(p.f, 81) && !pinion_forces_name(p.f, -1) && !pinion_forces_name(NULL, 0));

    /* forces are added to what is there; an element that does nothing adds nothing */
    double q[1] = {0.3}, v[1] = {1}, f[12], V = 5, P = 5;
    for (int i = 0; i < 12; i++) f[i] = i;
    CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, v, f, &V, &P), PINION_OK);
    for (int i = 0; i < 12; i++) CHECK(f[i] == i);
    CHECK(V == 0 && P == 0);
    CHECK_STATUS(pinion_forces_apply(NULL, p.w, 0, q, v, f, &V, &P), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_forces_apply(p.f, NULL, 0, q, v, f, &V, &P), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, NULL, v, f, &V, &P), PINION_ERR_ARGUMENT);

    /* a workspace of another model */
    pinion_model *other = motion_single(PINION_FREE);
    pinion_work *w = pinion_work_new(other);
    CHECK_STATUS(pinion_forces_apply(p.f, w, 0, q, v, f, &V, &P), PINION_ERR_MISMATCH);
    pinion_work_free(w);
    pinion_model_free(other);
    pinion_forces_free(NULL);
    CHECK(!pinion_forces_new(NULL));
    plant_free(&p);
    pinion_model_free(m);
}

/* the call is refused, says this, and leaves the list as it was */
#define REFUSED(kind, def, text)                                                                             \
    do {                                                                                                     \
        pinion_error err = {PINION_OK, 0, 0, ""};                                                            \
        CHECK_STATUS(pinion_forces_add_##kind(p.f, &(def), &err), PINION_ERR_ARGUMENT);                      \
        CHECK(err.status == PINION_ERR_ARGUMENT);                                                            \
        CHECK_HAS(err.message, text);                                                                        \
        CHECK_HAS(err.message, #kind " \"thing\"");                                                          \
        CHECK_STATUS(pinion_forces_add_##kind(p.f, &(def), NULL), PINION_ERR_ARGUMENT);                      \
        CHECK(pinion_forces_count(p.f) == 0 && pinion_forces_model(p.f) == m);                               \
    } while (0)
/* the same for a def that differs from a good one in one place */
#define WRONG(kind, place, value, text)                                                                      \
    do {                                                                                                     \
        pinion_##kind##_def def_ = kind;                                                                     \
        def_.place = value;                                                                                  \
        REFUSED(kind, def_, text);                                                                           \
    } while (0)

TEST(refused)
{
    pinion_model *m = motion_lift(1);
    plant p = plant_of(m);
    pinion_spring_def spring = pinion_spring_def_default();
    spring.name = "thing";
    WRONG(spring, frame_a, 2, "frame_a 2 is out of range");
    WRONG(spring, frame_b, -2, "frame_b -2 is out of range");
    WRONG(spring, point_a[1], NAN, "point_a");
    WRONG(spring, point_b[2], INFINITY, "point_b");
    WRONG(spring, stiffness, -1, "stiffness is negative");
    WRONG(spring, stiffness, NAN, "stiffness is not a finite");
    WRONG(spring, damping, -1e-9, "damping is negative");
    WRONG(spring, length, -1, "length is negative");
    WRONG(spring, length, INFINITY, "length is not a finite");
    REFUSED(spring, spring, "neither end can move"); /* both are the world */
    WRONG(spring, frame_a, 0, "neither end can move");

    const double t[3] = {0, 1, 1}, s[3] = {1, 2, NAN}, s_good[3] = {0};
    pinion_wrench_def wrench = pinion_wrench_def_default();
    wrench.name = "thing";
    wrench.frame = 1;
    WRONG(wrench, frame, -1, "frame is the world");
    WRONG(wrench, frame, 99, "frame 99 is out of range");
    WRONG(wrench, reference, PINION_WORLD, "reference");
    WRONG(wrench, wrench[5], NAN, "wrench is not 6 finite");
    WRONG(wrench, start, NAN, "start");
    WRONG(wrench, end, -INFINITY, "end");
    WRONG(wrench, signal, (pinion_signal)7, "signal");
    wrench.start = 2;
    WRONG(wrench, end, 1, "end is before start");
    wrench.signal = PINION_SIGNAL_SINE;
    WRONG(wrench, frequency, NAN, "frequency");
    WRONG(wrench, phase, NAN, "phase");
    wrench.signal = PINION_SIGNAL_TABLE;
    wrench.t = t;
    wrench.s = s_good;
    WRONG(wrench, count, 0, "count is 0");
    WRONG(wrench, count, 3, "t[2] is not after t[1]");
    wrench.count = 2;
    WRONG(wrench, t, NULL, "t is NULL");
    WRONG(wrench, s, NULL, "s is NULL");
    WRONG(wrench, s, s + 1, "s[1] is not a finite");

    pinion_drag_def drag = pinion_drag_def_default();
    drag.name = "thing";
    drag.frame = 1;
    WRONG(drag, frame, -1, "frame is the world");
    WRONG(drag, point[0], NAN, "point");
    WRONG(drag, density, -1, "density is negative");
    WRONG(drag, velocity[1], INFINITY, "velocity");
    WRONG(drag, area[2], -1, "area[2] is negative");
    WRONG(drag, volume, -1, "volume is negative");
    drag.added_mass = 1;
    WRONG(drag, frame, 0, "added_mass is on a link that cannot move");
    drag.added_mass = 0;
    WRONG(drag, added_mass, -1, "added_mass is negative");
    WRONG(drag, added_mass, NAN, "added_mass is not a finite");
    drag.point[0] = 1e200;
    WRONG(drag, added_mass, 1e300, "added_mass is too large");

    const int good[1] = {1}, bad[1] = {-1}, far[1] = {2};
    pinion_ground_def ground = pinion_ground_def_default();
    ground.name = "thing";
    ground.count = 1;
    ground.frame = good;
    WRONG(ground, normal[2], 0, "normal is zero");
    WRONG(ground, normal[1], NAN, "normal is not 3 finite");
    WRONG(ground, height, INFINITY, "height");
    WRONG(ground, stiffness, -5, "stiffness is negative");
    WRONG(ground, exponent, 0.5, "exponent is below 1");
    WRONG(ground, damping, -1, "damping is negative");
    WRONG(ground, friction, -1, "friction is negative");
    WRONG(ground, slip, 0, "slip is not above 0");
    WRONG(ground, count, 0, "count is 0");
    WRONG(ground, frame, NULL, "frame is NULL");
    WRONG(ground, frame, bad, "frame is the world");
    WRONG(ground, frame, far, "frame 2 is out of range");

    /* a def that was not started from its default; one that is not there; a name that is too long */
    pinion_error err;
    pinion_spring_def raw = {0};
    CHECK_STATUS(pinion_forces_add_spring(p.f, &raw, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "pinion_spring_def_default()");
    CHECK_STATUS(pinion_forces_add_spring(p.f, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_forces_add_wrench(NULL, &wrench, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_forces_add_drag(p.f, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_forces_add_ground(p.f, NULL, &err), PINION_ERR_ARGUMENT);
    char name[300];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    spring.name = name;
    CHECK_STATUS(pinion_forces_add_spring(p.f, &spring, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "name is too long");
    plant_free(&p);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(mass_on_a_spring);
    RUN(coinciding_points);
    RUN(terminal_velocity);
    RUN(drag_of_a_sphere_has_no_direction);
    RUN(buoyant_sphere_with_added_mass);
    RUN(pendulum_in_water);
    RUN(settling_on_the_ground);
    RUN(block_on_an_incline);
    RUN(wrenches);
    RUN(instants_of_change);
    RUN(virtual_work);
    RUN(power);
    RUN(energy_balance);
    RUN(added_mass_and_payload);
    RUN(names_and_defaults);
    RUN(refused);
    return CHECK_END();
}
