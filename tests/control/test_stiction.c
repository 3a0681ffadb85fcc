/* Exact Coulomb friction against closed forms: what stops, when and where, what breaks away, and what holds. */
#include <math.h>

#include "base/random.h"
#include "check.h"
#include "sim/driver.h"

/* One block of 2.5 kg on a rail, with a spring to the world where `stiffness` is not 0, and friction. */
static pinion_model *block(double stiffness, double friction)
{
    char text[700];
    snprintf(text, sizeof text,
             "{\"pinion\": 1, \"name\": \"block\", \"links\": [{\"name\": \"rail\"}, {\"name\": \"block\", "
             "\"mass\": 2.5,"
             " \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"slide\", \"type\": "
             "\"prismatic\", \"axis\": [1, 0, 0], \"parent\": \"rail\", \"child\": \"block\", \"spring\": "
             "{\"stiffness\": %g}, \"friction\": %g}]}", stiffness, friction);
    return driver_text(text);
}

static pinion_sim_options exact(int integrator)
{
    pinion_sim_options o = pinion_sim_options_default();
    o.integrator = (pinion_integrator)integrator;
    o.friction = PINION_FRICTION_EXACT;
    if (pinion_integrator_is_fixed(o.integrator)) o.step = 1e-3;
    return o;
}

/* Those that take it, and how exact they are: tolerances of 1e-12 a step, the order of those with a fixed one, and the
 * dense output of ARKODE, which is where a step of dirk ends when something stops. */
static const struct {
    int integrator;
    double tolerance;
} methods[] = {{PINION_INTEGRATOR_AUTO, 1e-10}, {PINION_INTEGRATOR_DOPRI5, 1e-10},
               {PINION_INTEGRATOR_VERNER65, 1e-10}, {PINION_INTEGRATOR_RK4, 1e-7}, {PINION_INTEGRATOR_BDF, 1e-7},
               {PINION_INTEGRATOR_ADAMS, 1e-7}, {PINION_INTEGRATOR_DIRK, 1e-6}};
enum { METHODS = sizeof methods / sizeof methods[0] };

static void balanced(pinion_sim *s, double tolerance)
{
    instant x;
    driver_get(s, &x);
    if (!(x.s.largest_drift <= tolerance * x.s.largest_kinetic))
        CHECK_FAIL("energy is off by %g of %g J", x.s.largest_drift, x.s.largest_kinetic);
}

static void counted(pinion_sim *s, long sticks, long slips)
{
    long stuck = -1, slipped = -1;
    pinion_sim_sticks(s, &stuck, &slipped);
    if (stuck != sticks || slipped != slips)
        CHECK_FAIL("stuck %ld times and broke away %ld times, expected %ld and %ld", stuck, slipped, sticks, slips);
}

/* v falls by f / m: it stops after m v / f seconds, m v^2 / (2 f) m from where it was, and stays there. */
TEST(a_block_stops)
{
    const double m = 2.5, f = 3, v = 2, q0[1] = {0.5}, v0[1] = {v};
    pinion_model *model = block(0, f);
    for (int k = 0; k < METHODS; k++) {
        const pinion_sim_options o = exact(methods[k].integrator);
        pinion_sim *s = driver_sim(model, &o);
        instant x;
        CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
        driver_advance(s, 1);
        driver_get(s, &x);
        CHECK_NEAR(x.q[0], 0.5 + v - 0.5 * f / m, methods[k].tolerance);
        CHECK_NEAR(x.a[0], -f / m, 1e-12);
        driver_advance(s, m * v / f + 1e-6);
        for (int at = 0; at < 2; at++) {
            driver_get(s, &x);
            CHECK_NEAR(x.q[0], 0.5 + 0.5 * m * v * v / f, methods[k].tolerance);
            CHECK(x.v[0] == 0 && x.a[0] == 0);
            driver_advance(s, 50);
        }
        counted(s, 1, 0);
        balanced(s, 1e-9);
        pinion_sim_free(s);
    }
    pinion_model_free(model);
}

/* A force that grows by 5 N/s breaks it away at f / 5; then x''' = 5 / m. */
static pinion_status ramp(void *user, double t, const double *q, const double *v, double *tau)
{
    (void)user;
    (void)q;
    (void)v;
    tau[0] = 5 * t;
    return PINION_OK;
}

TEST(a_growing_force_breaks_it_away)
{
    const double m = 2.5, f = 3, q0[1] = {0}, v0[1] = {0};
    pinion_model *model = block(0, f);
    for (int k = 0; k < METHODS; k++) {
        pinion_sim_options o = exact(methods[k].integrator);
        o.torque = ramp;
        pinion_sim *s = driver_sim(model, &o);
        instant x;
        CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
        driver_advance(s, f / 5 - 1e-9);
        driver_get(s, &x);
        CHECK(x.q[0] == 0 && x.v[0] == 0 && x.a[0] == 0);
        driver_advance(s, 2);
        driver_get(s, &x);
        const double t = 2 - f / 5;
        CHECK_NEAR(x.q[0], 5 * t * t * t / (6 * m), methods[k].tolerance);
        CHECK_NEAR(x.v[0], 5 * t * t / (2 * m), methods[k].tolerance);
        counted(s, 0, 1);
        balanced(s, 1e-8);
        pinion_sim_free(s);
    }
    pinion_model_free(model);
}

/* A force that jumps at 1 s from less than holds to more; and control that is sampled does so, too. */
static pinion_status push(void *user, double t, const double *q, const double *v, double *tau)
{
    (void)user;
    (void)q;
    (void)v;
    tau[0] = t < 1 ? 2 : 5;
    return PINION_OK;
}
static double push_jump(void *user, double t)
{
    (void)user;
    return t < 1 ? 1 : INFINITY;
}

TEST(a_jump_of_force_breaks_it_away)
{
    const double q0[1] = {0}, v0[1] = {0};
    pinion_model *model = block(0, 3);
    for (int sampled = 0; sampled < 2; sampled++) {
        pinion_sim_options o = exact(PINION_INTEGRATOR_AUTO);
        o.torque = sampled ? NULL : push;
        o.torque_jump = push_jump;
        o.actuators = sampled ? push : NULL;
        o.sample = sampled ? 0.25 : 0;
        pinion_sim *s = driver_sim(model, &o);
        instant x;
        CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
        driver_advance(s, 1);
        driver_get(s, &x);
        CHECK(x.q[0] == 0 && x.v[0] == 0);
        driver_advance(s, 3);
        driver_get(s, &x);
        CHECK_NEAR(x.q[0], 0.5 * 2 / 2.5 * 4, 1e-11);
        counted(s, 0, 1);
        pinion_sim_free(s);
    }
    pinion_model_free(model);
}

/* A spring and friction: each half swing takes pi / w and loses 2 f / k, until the spring no longer breaks it away.
 * From 1 m, 0.15 m a half swing, it ends on the seventh at 0.05 m, on the side from which that began. */
TEST(an_oscillator_stops)
{
    const double m = 2.5, k = 40, f = 3, w = sqrt(k / m), q0[1] = {1}, v0[1] = {0}, pi = 3.14159265358979323846;
    pinion_model *model = block(k, f);
    for (int i = 0; i < METHODS; i++) {
        const pinion_sim_options o = exact(methods[i].integrator);
        pinion_sim *s = driver_sim(model, &o);
        instant x;
        CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
        driver_advance(s, 2.25 * pi / w); /* the third swing, about -f / k from 0.7 m, a quarter of a turn on */
        driver_get(s, &x);
        CHECK_NEAR(x.q[0], f / k + (0.7 - f / k) * cos(0.25 * pi), methods[i].tolerance);
        driver_advance(s, 7 * pi / w + 1e-4);
        driver_get(s, &x);
        CHECK_NEAR(x.q[0], 0.05, methods[i].tolerance);
        CHECK(x.v[0] == 0);
        counted(s, 1, 1); /* it stood at the start */
        balanced(s, methods[i].tolerance);
        pinion_sim_free(s);
    }
    pinion_model_free(model);
}

/* A block on a belt of speed V, on a spring; q is its place on the belt. What holds is 1.5 times what brakes. It sticks
 * until the spring pulls with 1.5 f, slides for 2 (pi - atan(D w / V)) / w with D = f (1.5 - 1) / k, and sticks again
 * for 2 D / V. */
static const double BELT = 0.4;
static pinion_status spring(void *user, double t, const double *q, const double *v, double *tau)
{
    (void)user;
    (void)v;
    tau[0] = -40 * (q[0] + BELT * t);
    return PINION_OK;
}

TEST(a_block_on_a_belt_sticks_and_slips)
{
    const double m = 2.5, k = 40, f = 3, w = sqrt(k / m), q0[1] = {0}, v0[1] = {0}, pi = 3.14159265358979323846;
    const double D = 0.5 * f / k, slide = 2 * (pi - atan(D * w / BELT)) / w, period = slide + 2 * D / BELT,
                 first = 1.5 * f / k / BELT;
    pinion_model *model = block(0, f);
    const int tried[] = {PINION_INTEGRATOR_AUTO, PINION_INTEGRATOR_DOPRI5, PINION_INTEGRATOR_BDF};
    for (int i = 0; i < 3; i++) {
        pinion_sim_options o = exact(tried[i]);
        const double tolerance = tried[i] == PINION_INTEGRATOR_BDF ? 1e-6 : 1e-9;
        o.torque = spring;
        o.stiction = 1.5;
        pinion_sim *s = driver_sim(model, &o);
        instant x;
        CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
        for (int n = 0; n < 6; n++) {
            /* where it breaks away, and half of the way back */
            double t = first + n * period;
            driver_advance(s, t);
            driver_get(s, &x);
            CHECK_NEAR(x.q[0] + BELT * t, 1.5 * f / k, tolerance);
            t += 0.5 * slide;
            driver_advance(s, t);
            driver_get(s, &x);
            const double turn = 0.5 * w * slide;
            CHECK_NEAR(x.q[0] + BELT * t, f / k + D * cos(turn) + BELT / w * sin(turn), tolerance);
            t += 0.5 * slide + D / BELT; /* in the middle of sticking the spring pulls with f */
            driver_advance(s, t);
            driver_get(s, &x);
            CHECK_NEAR(x.q[0] + BELT * t, f / k, tolerance);
            CHECK(x.v[0] == 0);
            counted(s, n + 1, n + 1);
        }
        balanced(s, 1e-8);
        pinion_sim_free(s);
    }
    pinion_model_free(model);
}

/* A rod of 2 kg, mass centre 0.5 m below its hinge. From rest at one end to rest at the other it loses friction times
 * the way: 2 g 0.5 (cos b - cos a) = -f (a + b). It stops for good where |sin| is below f / (2 g 0.5). */
TEST(a_pendulum_stops_where_energy_says)
{
    static const char rod[] =
        "{\"pinion\": 1, \"name\": \"rod\", \"links\": [{\"name\": \"base\"}, {\"name\": \"arm\", \"mass\": 2, "
        "\"com\": "
        "[0, 0, -0.5], \"inertia\": {\"xx\": 0.2, \"yy\": 0.2, \"zz\": 0.1}}], \"joints\": [{\"name\": \"hinge\", "
        "\"type\": \"continuous\", \"axis\": [0, 1, 0], \"parent\": \"base\", \"child\": \"arm\", \"friction\": "
        "0.9}]}";
    const double g = 2 * 9.81 * 0.5, f = 0.9, q0[1] = {2}, v0[1] = {0};
    double end = 2, side = 1;
    while (fabs(sin(end)) > f / g) {
        /* the other end b of the swing: what gravity has left, g (cos b - cos end) - f (end + b), is largest where
         * the rod could rest, and falls from there */
        double low = -asin(f / g), high = end;
        for (int i = 0; i < 200; i++) {
            const double b = 0.5 * (low + high);
            *(g * (cos(b) - cos(end)) > f * (end + b) ? &low : &high) = b;
        }
        end = 0.5 * (low + high);
        side = -side;
    }
    pinion_model *model = driver_text(rod);
    const pinion_sim_options o = exact(PINION_INTEGRATOR_AUTO);
    pinion_sim *s = driver_sim(model, &o);
    instant x;
    CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
    driver_advance(s, 60);
    driver_get(s, &x);
    CHECK_NEAR(x.q[0], side * end, 1e-9);
    CHECK(x.v[0] == 0);
    balanced(s, 1e-10);
    pinion_sim_free(s);
    pinion_model_free(model);
}

/* A slab of 4 kg on the ground and a block of 1 kg on it. */
static pinion_model *stack(double ground, double between)
{
    char text[1200];
    snprintf(text, sizeof text,
             "{\"pinion\": 1, \"name\": \"stack\", \"links\": [{\"name\": \"rail\"}, {\"name\": \"slab\", "
             "\"mass\": 4,"
             " \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}, {\"name\": \"block\", \"mass\": 1, \"inertia\": "
             "{\"xx\": 1,"
             " \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"low\", \"type\": \"prismatic\", \"axis\": [1, "
             "0, 0],"
             " \"parent\": \"rail\", \"child\": \"slab\", \"friction\": %g}, {\"name\": \"high\", \"type\": "
             "\"prismatic\","
             " \"axis\": [1, 0, 0], \"parent\": \"slab\", \"child\": \"block\", \"friction\": "
             "%g}]}", ground, between);
    return driver_text(text);
}

TEST(two_joints_stick_and_slip_on_each_other)
{
    const double q0[2] = {0, 0}, v0[2] = {0, 3}; /* the block slides on a slab at rest */
    const pinion_sim_options o = exact(PINION_INTEGRATOR_AUTO);
    instant x;
    /* the ground holds the slab: it never moves, and the block stops on it */
    pinion_model *model = stack(3, 2);
    pinion_sim *s = driver_sim(model, &o);
    CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
    driver_advance(s, 4);
    driver_get(s, &x);
    CHECK(x.q[0] == 0 && x.v[1] == 0);
    CHECK_NEAR(x.q[1], 9.0 / 4, 1e-12);
    counted(s, 1, 0);
    pinion_sim_free(s);
    pinion_model_free(model);

    /* the block drags the slab along: (2 - 0.5) / 4 against 2; it stops on it after 3 / 2.375 s. Then both are braked
     * by 0.5 N, which needs only 0.1 N between them, until they stand */
    model = stack(0.5, 2);
    s = driver_sim(model, &o);
    CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
    const double up = 1.5 / 4, t1 = 3 / (2 + up), v1 = up * t1, brake = 0.5 / 5;
    driver_advance(s, t1 + 1);
    driver_get(s, &x);
    CHECK_NEAR(x.v[0], v1 - brake, 1e-11);
    CHECK(x.v[1] == 0);
    driver_advance(s, t1 + v1 / brake + 0.1);
    driver_get(s, &x);
    CHECK_NEAR(x.q[0], 0.5 * up * t1 * t1 + 0.5 * v1 * v1 / brake, 1e-11);
    CHECK_NEAR(x.q[1], 0.5 * 3 * t1, 1e-11);
    CHECK(x.v[0] == 0 && x.v[1] == 0);
    counted(s, 2, 1); /* the slab stood at the start */
    balanced(s, 1e-10);
    pinion_sim_free(s);
    pinion_model_free(model);
}

/* Friction of a follower acts on its leader through its ratio: 1.5 N at -2 times the speed are 3 N; 1 kg there 4 kg. */
static pinion_status given(void *user, double t, const double *q, const double *v, double *tau)
{
    (void)t, (void)q, (void)v;
    memcpy(tau, user, 3 * sizeof *tau);
    return PINION_OK;
}

/* Three joints at rest under random forces, where more holds than brakes: what each does at once agrees with what acts
 * on it. M a + g - tau is then what friction gives. */
TEST(who_breaks_away_agrees_with_what_brakes)
{
    enum { N = 3 };
    const double friction[N] = {1.67, 10.3, 5.05};
    char text[2500], *at = text;
    char *const end = text + sizeof text;
    static const char *const axis[N] = {"[0, 1, 0]", "[0, 0, 1]", "[1, 1, 0]"};
    at += snprintf(at, (size_t)(end - at), "{\"pinion\": 1, \"name\": \"chain\", \"links\": [{\"name\": \"l0\"}");
    for (int i = 1; i <= N; i++)
        at += snprintf(at, (size_t)(end - at), ", {\"name\": \"l%d\", \"mass\": %g, \"com\": [0.3, 0, 0.05], "
                       "\"inertia\": {\"xx\": 0.01, \"yy\": 0.05, \"zz\": 0.06}}", i, 0.7 + 0.3 * i);
    at += snprintf(at, (size_t)(end - at), "], \"joints\": [");
    for (int i = 0; i < N; i++)
        at += snprintf(at, (size_t)(end - at), "%s{\"name\": \"j%d\", \"type\": \"revolute\", \"axis\": %s, "
                       "\"parent\": \"l%d\", \"child\": \"l%d\", \"origin\": {\"position\": [%g, 0, 0]}, "
                       "\"friction\": %g}", i ? ", " : "", i, axis[i], i, i + 1, i ? 0.5 : 0, friction[i]);
    snprintf(at, (size_t)(end - at), "]}");
    pinion_model *m = driver_text(text);
    pinion_work *w = pinion_work_new(m);
    uint64_t state = 5;
    for (int k = 0; k < 1500; k++) {
        double q[N], M[N * N], g[N], tau[N];
        const double ratio = 1 + 0.15 * (k % 4);
        for (int i = 0; i < N; i++) {
            q[i] = pn_random_between(&state, -1.5, 1.5);
            tau[i] = pn_random_between(&state, -15, 15);
        }
        pinion_sim_options o = exact(PINION_INTEGRATOR_DOPRI5);
        o.stiction = ratio;
        o.torque = given;
        o.torque_user = tau;
        pinion_sim *s = driver_sim(m, &o);
        instant x;
        CHECK_STATUS(pinion_sim_start(s, 0, q, NULL), PINION_OK);
        driver_get(s, &x);
        CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
        CHECK_STATUS(pinion_gravity(m, w, q, g), PINION_OK);
        for (int i = 0; i < N; i++) {
            double rub = g[i] - tau[i];
            for (int j = 0; j < N; j++) rub += M[i * N + j] * x.a[j];
            const double most = friction[i] * (x.a[i] == 0 ? ratio : 1);
            if (fabs(rub) > most * (1 + 1e-9) || (x.a[i] != 0 && fabs(rub + copysign(most, x.a[i])) > 1e-9))
                CHECK_FAIL("start %d: joint %d accelerates by %g under friction of %g", k, i, x.a[i], rub);
        }
        pinion_sim_free(s);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(friction_of_a_follower_holds_its_leader)
{
    static const char text[] =
        "{\"pinion\": 1, \"name\": \"pair\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"rail\"}, "
        "{\"name\": \"a\", "
        "\"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}, {\"name\": \"b\", \"mass\": 1, \"inertia\": "
        "{\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"lead\", \"type\": \"prismatic\", \"axis\": "
        "[1, 0, 0], \"parent\": \"rail\", \"child\": \"a\"}, {\"name\": \"follow\", \"type\": \"prismatic\", "
        "\"axis\": "
        "[1, 0, 0], \"parent\": \"rail\", \"child\": \"b\", \"friction\": 1.5, \"mimic\": {\"joint\": \"lead\", "
        "\"multiplier\": -2}}]}";
    const double q0[1] = {0}, v0[1] = {2};
    pinion_model *model = driver_text(text);
    const pinion_sim_options o = exact(PINION_INTEGRATOR_AUTO);
    pinion_sim *s = driver_sim(model, &o);
    instant x;
    CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
    driver_advance(s, 5);
    driver_get(s, &x);
    CHECK_NEAR(x.q[0], 0.5 * 6 * 4 / 3, 1e-11);
    CHECK(x.v[0] == 0);
    pinion_sim_free(s);
    pinion_model_free(model);
}

/* What is stored while it sticks, and while it slides, goes on to the bit. */
TEST(a_run_that_sticks_goes_on_from_memory)
{
    const double q0[1] = {0}, v0[1] = {0}, stored_at[] = {0.2, 0.5, 0.7, 1.31};
    pinion_model *model = block(0, 3);
    pinion_sim_options o = exact(PINION_INTEGRATOR_AUTO);
    o.torque = spring;
    o.stiction = 1.5;
    for (int k = 0; k < 4; k++) {
        pinion_sim *a = driver_sim(model, &o), *b = driver_sim(model, &o);
        instant x, y;
        CHECK_STATUS(pinion_sim_start(a, 0, q0, v0), PINION_OK);
        driver_advance(a, stored_at[k]);
        const int size = pinion_sim_memory_size(a);
        double *memory = calloc((size_t)size, sizeof *memory);
        CHECK_STATUS(pinion_sim_store(a, memory), PINION_OK);
        CHECK_STATUS(pinion_sim_restore(b, memory, size), PINION_OK);
        driver_advance(a, 4);
        driver_advance(b, 4);
        driver_get(a, &x);
        driver_get(b, &y);
        CHECK(same_instant(&x, &y));
        long sticks[2], slips[2];
        pinion_sim_sticks(a, &sticks[0], &slips[0]);
        pinion_sim_sticks(b, &sticks[1], &slips[1]);
        CHECK(sticks[0] == sticks[1] && slips[0] == slips[1] && slips[0] > 1);
        free(memory);
        pinion_sim_free(a);
        pinion_sim_free(b);
    }
    pinion_model_free(model);
}

/* The bundled four-bar, as it is in its file: with friction in all its pins it turns, its rocker turns around where
 * friction cannot hold it, and it comes to rest. The smoothed law says the same, as near as its speed is small. */
TEST(a_four_bar_does_as_with_smooth_friction)
{
    static const double friction[3] = {0.2, 0.3, 0.25};
    pinion_model *model = driver_model("four-bar.json"), *rubs = pinion_model_copy(model);
    double q0[3], v0[3];
    CHECK_STATUS(pinion_initial(model, q0, v0), PINION_OK);
    for (int i = 0; i < 3; i++) {
        pinion_joint_info joint;
        CHECK_STATUS(pinion_model_joint(rubs, i, &joint), PINION_OK);
        pinion_dof dof = joint.dof[0];
        dof.friction_positive = dof.friction_negative = friction[i];
        CHECK_STATUS(pinion_model_set_dof(rubs, i, 0, &dof), PINION_OK);
    }
    pinion_sim_options o = exact(PINION_INTEGRATOR_AUTO), smooth = o;
    smooth.friction = PINION_FRICTION_SMOOTH;
    smooth.friction_speed = 1e-5;
    pinion_sim *a = driver_sim(rubs, &o), *b = driver_sim(rubs, &smooth);
    instant x, y;
    CHECK_STATUS(pinion_sim_start(a, 0, q0, v0), PINION_OK);
    CHECK_STATUS(pinion_sim_start(b, 0, q0, v0), PINION_OK);
    for (int k = 1; k <= 12; k++) {
        driver_advance(a, 0.5 * k);
        driver_advance(b, 0.5 * k);
        driver_get(a, &x);
        driver_get(b, &y);
        for (int i = 0; i < 3; i++) CHECK_NEAR(x.q[i], y.q[i], 1e-3);
    }
    for (int i = 0; i < 3; i++) CHECK(fabs(x.v[i]) < 1e-12);
    balanced(a, 1e-9);
    pinion_sim_free(a);
    pinion_sim_free(b);
    pinion_model_free(rubs);
    pinion_model_free(model);
}

TEST(what_is_refused)
{
    pinion_error err = {0};
    pinion_model *model = block(0, 3);
    pinion_sim_options o = exact(PINION_INTEGRATOR_VARIATIONAL);
    CHECK(!pinion_sim_new(model, &o, &err) && err.status == PINION_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "exact friction does not go with");
    o = exact(PINION_INTEGRATOR_AUTO);
    o.stiction = 0.5;
    CHECK(!pinion_sim_new(model, &o, &err));
    CHECK_HAS(err.message, "stiction");
    pinion_model_free(model);
    model = driver_model("four-bar.json"); /* without friction there is nothing to refuse */
    o = exact(PINION_INTEGRATOR_AUTO);
    pinion_sim *s = driver_sim(model, &o);
    pinion_sim_free(s);
    pinion_model_free(model);
}

/* A parallelogram that lies flat: its coupler does not turn and all joints turn at one rate, so that it is a wheel with
 * the friction of all four, the last of which closes the loop. */
static pinion_model *parallelogram(double off)
{
    char text[2000];
    snprintf(text, sizeof text,
        "{\"pinion\": 1, \"name\": \"parallelogram\", \"links\": [{\"name\": \"base\"}, {\"name\": \"crank\", "
        "\"mass\": 1, \"com\": [0.2, 0, 0], \"inertia\": {\"xx\": 0.02, \"yy\": 0.02, \"zz\": 0.02}}, {\"name\": "
        "\"coupler\", \"mass\": 3, \"com\": [0.4, 0.1, 0], \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}}, "
        "{\"name\": \"rocker\", \"mass\": 2, \"com\": [0.3, 0, 0], \"inertia\": {\"xx\": 0.02, \"yy\": 0.02, "
        "\"zz\": 0.02}}], \"joints\": [{\"name\": \"A\", \"type\": \"continuous\", \"axis\": [0, 0, 1], "
        "\"parent\": \"base\", \"child\": \"crank\", \"friction\": 0.3}, {\"name\": \"B\", \"type\": "
        "\"continuous\", \"axis\": [0, 0, 1], \"parent\": \"crank\", \"child\": \"coupler\", \"origin\": "
        "{\"position\": [0.5, 0, 0]}, \"friction\": 0.5}, {\"name\": \"C\", \"type\": \"continuous\", \"axis\": "
        "[0, 0, 1], \"parent\": \"base\", \"child\": \"rocker\", \"origin\": {\"position\": [0.8, 0, 0]}, "
        "\"friction\": 0.2}], \"loops\": [{\"name\": \"D\", \"type\": \"continuous\", \"axis\": [0, 0, 1], "
        "\"parent\": \"coupler\", \"child\": \"rocker\", \"origin\": {\"position\": [0.8, 0, 0], \"rpy\": [%g, 0, 0]}, "
        "\"child_origin\": {\"position\": [0.5, 0, 0]}, \"friction\": 0.4}]}", off);
    return driver_text(text);
}

/* The inertia of the wheel, and the friction of all. */
static const double wheel = 0.02 + 0.04 + 3 * 0.25 + 0.02 + 2 * 0.09, all_friction = 1.4;

TEST(a_parallelogram_stops_like_a_wheel)
{
    static const int by[] = {PINION_INTEGRATOR_AUTO, PINION_INTEGRATOR_DOPRI5, PINION_INTEGRATOR_BDF};
    pinion_model *model = parallelogram(0);
    const double speed = 0.8, stops = wheel * speed / all_friction, way = wheel * speed * speed / (2 * all_friction);
    const double q0[3] = {1, -1, 1}, v0[3] = {speed, -speed, speed};
    for (int k = 0; k < 3; k++) {
        const pinion_sim_options o = exact(by[k]);
        pinion_sim *s = driver_sim(model, &o);
        instant x;
        CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
        driver_advance(s, stops / 2);
        driver_get(s, &x);
        CHECK_NEAR(x.a[0], -all_friction / wheel, 1e-9);
        for (int late = 0; late < 2; late++) {
            driver_advance(s, late ? 30 : stops * 1.001);
            driver_get(s, &x);
            CHECK_NEAR(x.q[0], 1 + way, by[k] == PINION_INTEGRATOR_BDF ? 1e-7 : 1e-9);
            for (int i = 0; i < 3; i++) CHECK(fabs(x.v[i]) < 1e-12 && fabs(x.a[i]) < 1e-9);
        }
        counted(s, 4, 0);
        balanced(s, 1e-8);
        pinion_sim_free(s);
    }
    pinion_model_free(model);
}

/* It breaks away where a torque is as large as the friction of all joints together, however they share it; then its
 * acceleration grows by 5/I a second, and begins with what stiction held more than friction brakes. */
TEST(a_parallelogram_breaks_away_like_a_wheel)
{
    pinion_model *model = parallelogram(0);
    const double q0[3] = {1, -1, 1}, v0[3] = {0};
    for (int k = 0; k < 4; k++) {
        pinion_sim_options o = exact(k % 2 ? PINION_INTEGRATOR_BDF : PINION_INTEGRATOR_AUTO);
        o.torque = ramp;
        o.stiction = k < 2 ? 1 : 1.5;
        pinion_sim *s = driver_sim(model, &o);
        instant x;
        const double breaks = o.stiction * all_friction / 5, t = 0.4, more = (o.stiction - 1) * all_friction;
        CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
        driver_advance(s, breaks - 1e-6);
        driver_get(s, &x);
        CHECK_NEAR(x.q[0], 1, 1e-12);
        CHECK_NEAR(x.v[0], 0, 1e-9);
        driver_advance(s, breaks + t);
        driver_get(s, &x);
        CHECK_NEAR(x.q[0], 1 + (5 * t * t * t / 6 + more * t * t / 2) / wheel, 1e-7);
        CHECK_NEAR(x.v[0], (5 * t * t / 2 + more * t) / wheel, 1e-7);
        counted(s, 0, 4);
        balanced(s, 1e-7);
        pinion_sim_free(s);
    }
    pinion_model_free(model);
}

/* The same where it is not clear from the rows which of them count: next to where it is flat, and with the axis of a
 * joint off by what a file with few digits has, where rows are not zero that would be. */
TEST(a_doubtful_parallelogram_breaks_away_like_a_wheel)
{
    static const struct {
        double at, off;
    } how[] = {{1e-2, 0}, {1e-3, 0}, {7e-4, 0}, {1, 1e-9}, {1, 1e-6}, {1, 1e-5}};
    const double v0[3] = {0}, breaks = all_friction / 5, t = 0.4;
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        const double at = how[k].at, q0[3] = {at, -at, at};
        pinion_model *model = parallelogram(how[k].off);
        pinion_sim_options o = exact(PINION_INTEGRATOR_AUTO);
        o.torque = ramp;
        pinion_sim *s = driver_sim(model, &o);
        instant x;
        CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
        driver_advance(s, breaks - 1e-6);
        driver_get(s, &x);
        CHECK_NEAR(x.q[0], at, 1e-12);
        CHECK_NEAR(x.v[0], 0, 1e-9);
        driver_advance(s, breaks + t);
        driver_get(s, &x);
        CHECK_NEAR(x.q[0], at + 5 * t * t * t / 6 / wheel, 1e-7);
        CHECK_NEAR(x.v[0], 5 * t * t / 2 / wheel, 1e-7);
        counted(s, 0, 4);
        pinion_sim_free(s);
        pinion_model_free(model);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_block_stops);
    RUN(a_growing_force_breaks_it_away);
    RUN(a_jump_of_force_breaks_it_away);
    RUN(an_oscillator_stops);
    RUN(a_block_on_a_belt_sticks_and_slips);
    RUN(a_pendulum_stops_where_energy_says);
    RUN(two_joints_stick_and_slip_on_each_other);
    RUN(who_breaks_away_agrees_with_what_brakes);
    RUN(friction_of_a_follower_holds_its_leader);
    RUN(a_run_that_sticks_goes_on_from_memory);
    RUN(a_parallelogram_stops_like_a_wheel);
    RUN(a_parallelogram_breaks_away_like_a_wheel);
    RUN(a_doubtful_parallelogram_breaks_away_like_a_wheel);
    RUN(a_four_bar_does_as_with_smooth_friction);
    RUN(what_is_refused);
    return CHECK_END();
}
