/* Force elements: each against closed forms, and what a list of them refuses. */
#include "plant.h"
#include "sim/force/force_list.h"

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
        const double middle = anchor - L - mass * g / k, x0 = q[0] - middle, e0 = plant_energy(&p, 0, q, v);
        const double work = plant_run(&p, T, 4000, q, v);

        const double decay = c[damped] / (2 * mass), w = sqrt(k / mass - decay * decay);
        const double x = x0 * exp(-decay * T) * (cos(w * T) + decay / w * sin(w * T));
        CHECK_NEAR(q[0], middle + x, 1e-11);
        CHECK_NEAR(plant_energy(&p, T, q, v) - e0, work, 1e-10);
        CHECK(damped ? work < -0.1 : work == 0);
        plant_free(&p);
        pinion_model_free(m);
    }
}

TEST(coinciding_points)
{
    pinion_model *m = motion_single(PINION_JOINT_FREE);
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
    const double e0 = plant_energy(&p, 0, q, v), work = plant_run(&p, 0.7, 2000, q, v);
    CHECK_NEAR(v[0], -terminal * tanh(net * 0.7 / terminal), 1e-10);
    CHECK_NEAR(plant_energy(&p, 0, q, v) - e0, work, 1e-10);
    plant_run(&p, 30, 4000, q, v);
    CHECK_NEAR(v[0], -terminal, 1e-10);
    plant_free(&p);
    pinion_model_free(m);
}

TEST(drag_of_a_sphere_has_no_direction)
{
    /* equal areas: the drag is along the wind, whatever the orientation; unequal: along the frame's axes */
    uint64_t seed = check_seed;
    pinion_model *m = motion_single(PINION_JOINT_FREE);
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
        CHECK_STATUS(pinion_frame_velocity(m, p.w, q, v, def.frame, PINION_REFERENCE_WORLD_ALIGNED, u), PINION_OK);
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
        const double e0 = plant_energy(&p, 0, q, v), work = plant_run(&p, 20, 40000, q, v);
        const double depth = pow(mass * g / k, 1 / exponent[n]);
        CHECK_NEAR(q[0], height - depth, 1e-8);
        /* fixed steps go over the edge of the ground at full speed, where the force has a kink */
        CHECK_NEAR(plant_energy(&p, 0, q, v) - e0, work, 2e-3);
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
    pinion_joint_def joint = motion_joint("x", PINION_JOINT_PRISMATIC, "base", "rail", 1, 0, 0);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    joint = motion_joint("z", PINION_JOINT_PRISMATIC, "rail", "block", 0, 0, 1);
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
    plant_run(&p, duration, 20000, q, v);

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
        def.reference = k % 2 ? PINION_REFERENCE_LOCAL : PINION_REFERENCE_WORLD_ALIGNED;
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
            plant_generalized(&p, at, q, v, tau);
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
    pinion_model *other = motion_single(PINION_JOINT_FREE);
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

static pinion_status lift(void *user, double t, const double *q, const double *v, double *f_ext)
{
    (void)t, (void)q, (void)v;
    f_ext[11] = 3;
    return *(const pinion_status *)user;
}

TEST(functions)
{
    pinion_model *m = motion_lift(1);
    plant p = plant_of(m);
    pinion_status status = PINION_OK;
    pinion_error err;
    CHECK_STATUS(pinion_forces_add_function(p.f, "crane", lift, &status, NULL), PINION_OK);
    CHECK_STATUS(pinion_forces_add_function(p.f, NULL, lift, &status, NULL), PINION_OK);
    CHECK(strcmp(pinion_forces_name(p.f, 0), "crane") == 0);
    CHECK(strcmp(pinion_forces_name(p.f, 1), "function 2") == 0);
    CHECK_STATUS(pinion_forces_add_function(p.f, "hook", NULL, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "hook");
    double q[1] = {0}, v[1] = {2}, f_ext[12] = {0}, power = 0, potential = 1;
    CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, v, f_ext, &potential, &power), PINION_OK);
    CHECK(f_ext[11] == 6 && power == 12 && potential == 0);
    status = PINION_ERR_CALLBACK; /* a function that fails changes nothing, and is not asked for the potential */
    CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, v, f_ext, NULL, NULL), PINION_ERR_CALLBACK);
    CHECK(f_ext[11] == 6);
    CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, v, NULL, &potential, NULL), PINION_OK);
    plant_free(&p);
    pinion_model_free(m);
}

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
    WRONG(wrench, reference, PINION_REFERENCE_WORLD, "reference");
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
    RUN(settling_on_the_ground);
    RUN(block_on_an_incline);
    RUN(wrenches);
    RUN(instants_of_change);
    RUN(names_and_defaults);
    RUN(functions);
    RUN(refused);
    return CHECK_END();
}
