/* Loops, stops and dry friction of joints in the problem of a scene, beside closed forms. g = 10 m/s^2 along -z. */
#include "check.h"
#include "contact/bodies.h"
#include "contact/joints.h"

static moving load_with(const char *text, const pinion_scene_options *o)
{
    pinion_error err;
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "test", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    moving x = moving_new(m, o->ground, 1e-3);
    pinion_scene_free(x.s);
    x.s = pinion_scene_new(m, o, &err);
    if (!x.s) CHECK_FAIL("%s", err.message);
    CHECK_STATUS(pinion_initial(m, x.q, x.v), PINION_OK);
    return x;
}

static moving load(const char *text, int ground, double stiction)
{
    pinion_scene_options o = pinion_scene_options_default();
    o.ground = ground;
    o.stiction = stiction;
    return load_with(text, &o);
}

/* the sum of the forces of contact and their moment about y at the origin */
static void sum_contacts(const moving *x, double force[3], double *moment)
{
    memset(force, 0, 3 * sizeof *force);
    *moment = 0;
    for (int i = 0; i < pinion_scene_count(x->s); i++) {
        pinion_scene_contact c;
        CHECK_STATUS(pinion_scene_contact_at(x->s, i, &c), PINION_OK);
        for (int k = 0; k < 3; k++) force[k] += c.force[k];
        *moment += c.at.second[2] * c.force[0] - c.at.second[0] * c.force[2];
    }
}

static double energy(const moving *x)
{
    double kinetic, potential;
    CHECK_STATUS(pinion_energy(x->m, x->w, x->q, x->v, 0, &kinetic, &potential), PINION_OK);
    return kinetic + potential;
}

/* Two balls, one of them round the universal joint between their bodies, which are a pair all the same: no motion
 * parts them, and it is told. */
TEST(what_a_joint_holds_together)
{
    moving x = load("{\"pinion\": 1, \"gravity\": [0, 0, -10], \"links\": [{\"name\": \"world\"},"
                    "{\"name\": \"a\", \"mass\": 1, \"com\": [0, 0, -0.2], \"inertia\": {\"xx\": 0.01, \"yy\": 0.01,"
                    "\"zz\": 0.01}, \"collisions\": [{\"name\": \"a\", \"shape\": \"sphere\", \"radius\": 0.1,"
                    "\"origin\": {\"position\": [0.07, 0.02, -0.33]}}]}, {\"name\": \"b\", \"mass\": 1,"
                    "\"com\": [0.1, 0, 0], \"inertia\": {\"xx\": 0.01, \"yy\": 0.01, \"zz\": 0.01}, \"collisions\":"
                    "[{\"name\": \"b\", \"shape\": \"sphere\", \"radius\": 0.1}]}], \"joints\": ["
                    "{\"name\": \"s\", \"type\": \"continuous\", \"parent\": \"world\", \"child\": \"a\","
                    "\"axis\": [0, 1, 0], \"initial\": {\"v\": 1}}, {\"name\": \"u\", \"type\": \"universal\","
                    "\"parent\": \"a\", \"child\": \"b\", \"origin\": {\"position\": [0, 0, -0.3]},"
                    "\"initial\": {\"q\": [0.3, 0.2]}}],"
                    "\"collision_pairs\": [{\"first\": \"a\", \"second\": \"b\"}]}", 0, 0);
    const double before = energy(&x);
    double tau[3], most = 0;
    for (int i = 0; i < 200; i++) {
        moving_step(&x);
        CHECK(x.last.immovable == 1 && x.last.contacts == 0 && x.last.penetration == 0);
        CHECK_STATUS(pinion_scene_joint_forces(x.s, tau), PINION_OK);
        for (int k = 0; k < 3; k++) most = fmax(most, fabs(tau[k]));
    }
    CHECK(most == 0);
    CHECK_NEAR(energy(&x), before, 0.02); /* as if there were no contact */
    moving_free(&x);
}

TEST(a_slider_against_its_stop)
{
    moving x = load(SLIDER("[1, 0, 0]", "\"limits\": [-0.2, 0.5]"), 0, 0);
    double tau[1];
    x.v[0] = 1.7;
    x.tau[0] = 3;
    for (int i = 0; i < 600; i++) {
        moving_step(&x);
        CHECK(x.q[0] <= 0.5 + 1e-12);
    }
    CHECK_NEAR(x.q[0], 0.5, 1e-12);
    CHECK_NEAR(x.v[0], 0, 1e-12);
    CHECK(x.last.stopped == 1 && x.last.held == 0);
    CHECK_STATUS(pinion_scene_joint_forces(x.s, tau), PINION_OK);
    CHECK_NEAR(tau[0], -3, 1e-9);
    /* it is not held: pulled back it goes to the other end */
    x.tau[0] = -40;
    moving_step(&x);
    CHECK_NEAR(x.v[0], -40.0 / 2 * x.h, 1e-12);
    for (int i = 0; i < 600; i++) moving_step(&x);
    CHECK_NEAR(x.q[0], -0.2, 1e-12);
    /* very fast, from far away: a stop is not jumped over */
    x.q[0] = 0.3, x.v[0] = 1e4, x.tau[0] = 0;
    moving_step(&x);
    CHECK_NEAR(x.q[0], 0.5, 1e-8 * 1e4 * x.h); /* the solver's tolerance is a share of the largest speed */
    moving_free(&x);
}

TEST(beyond_a_stop)
{
    /* it is brought back by and by, not faster than with 1 m/s, which does not stay */
    moving x = load(SLIDER("[1, 0, 0]", "\"limits\": [-0.2, 0.5]"), 0, 0);
    x.q[0] = 0.6;
    moving_step(&x);
    CHECK_NEAR(x.last.beyond, 0.1, 1e-12);
    CHECK(x.last.taken_back);
    CHECK_NEAR(x.q[0], 0.6 - 1 * x.h, 1e-12);
    for (int i = 0; i < 200; i++) {
        moving_step(&x);
        CHECK_NEAR(x.v[0], 0, 1e-12);
    }
    CHECK_NEAR(x.q[0], 0.5, 2e-8); /* what is beyond by up to 1e-8 counts as none */
    CHECK(!x.last.taken_back);
    moving_free(&x);

    /* a load that hangs on its stop is lifted there, and stands */
    moving y = load(SLIDER("[0, 0, 1]", "\"limits\": [0, 1]"), 0, 0);
    y.q[0] = -0.3;
    double highest = -1;
    for (int i = 0; i < 600; i++) {
        moving_step(&y);
        highest = fmax(highest, y.q[0]);
    }
    CHECK_NEAR(y.q[0], 0, 1e-9);
    CHECK(highest < 1e-4);
    moving_free(&y);
}

/* k d + c d' at the end of each step is the implicit method of Euler for a load m on a spring: as a 2 x 2 system, in
 * closed form. Light loads and hard springs, for which explicit steps grow without bound. */
TEST(soft_stops)
{
    static const double springs[][3] = {{1e3, 5, 0}, {1e4, 1e2, -10}, {1e7, 0, 3}, {1e9, 1e5, -7}, {0, 50, -10}};
    for (size_t k = 0; k < sizeof springs / sizeof springs[0]; k++) {
        pinion_scene_options o = pinion_scene_options_default();
        o.limit_stiffness = springs[k][0];
        o.limit_damping = springs[k][1];
        moving x = load_with(SLIDER("[1, 0, 0]", "\"limits\": [0, 9]"), &o);
        const double m = 2, K = springs[k][0], C = springs[k][1], h = x.h;
        double q = -1e-4, v = 0;
        x.q[0] = q;
        x.tau[0] = springs[k][2];
        for (int i = 0; i < 300; i++) {
            /* m (v1 - v) = h (f + max(0, -K q1 - C v1)), q1 = q + h v1 */
            const double alone = v + h * x.tau[0] / m,
                         pressed = (m * v + h * (x.tau[0] - K * q)) / (m + h * C + h * h * K);
            const double force = -K * (q + h * pressed) - C * pressed;
            v = q < 0 && force > 0 ? pressed : alone;
            if (q >= 0 && q + h * alone < 0) break; /* a first touch: the damper acts for a part of the step */
            q += h * v;
            moving_step(&x);
            CHECK_NEAR(x.q[0], q, 1e-9 * (1 + fabs(q)));
            CHECK_NEAR(x.v[0], v, 1e-7 * (1 + fabs(v)));
        }
        moving_free(&x);
    }
    /* 30 g that fall onto 1e4 N/m and 100 N s/m come to rest, 30 um deep */
    pinion_scene_options o = pinion_scene_options_default();
    o.limit_stiffness = 1e4;
    o.limit_damping = 1e2;
    moving x = load_with("{\"pinion\": 1, \"name\": \"light\", \"gravity\": [0, 0, -10], \"links\": [{\"name\": "
                         "\"rail\"}, {\"name\": \"s\", \"mass\": 0.03, \"inertia\": {\"xx\": 1e-4, \"yy\": 1e-4, "
                         "\"zz\": 1e-4}}], \"joints\": [{\"name\": \"z\", \"type\": \"prismatic\", \"parent\": "
                         "\"rail\", \"child\": \"s\", \"limits\": [0, 2]}]}", &o);
    double highest = 0;
    x.q[0] = 0.1;
    for (int i = 0; i < 1000; i++) {
        moving_step(&x);
        if (i > 200) highest = fmax(highest, x.q[0]);
    }
    CHECK_NEAR(x.q[0], -3e-5, 1e-9);
    CHECK_NEAR(x.v[0], 0, 1e-9);
    CHECK(highest < 1e-3);
    moving_free(&x);
}

TEST(friction_that_holds)
{
    /* a load of 20 N on a rail that stands: 25 N of friction hold it, 15 N let it down with (20 - 15) / 2 */
    double tau[1];
    moving x = load(SLIDER("[0, 0, 1]", "\"friction\": 25"), 0, 1);
    for (int i = 0; i < 500; i++) moving_step(&x);
    CHECK_NEAR(x.q[0], 0, 1e-12);
    CHECK(x.last.held == 1);
    CHECK_STATUS(pinion_scene_joint_forces(x.s, tau), PINION_OK);
    CHECK_NEAR(tau[0], 20, 1e-6);
    moving_free(&x);

    x = load(SLIDER("[0, 0, 1]", "\"friction\": 15"), 0, 1);
    for (int i = 0; i < 500; i++) moving_step(&x);
    CHECK_NEAR(x.v[0], -2.5 * x.t, 1e-9);
    CHECK(x.last.held == 0);
    moving_free(&x);

    /* half as much again holds what is at rest, and not what moves */
    x = load(SLIDER("[0, 0, 1]", "\"friction\": 15"), 0, 1.5);
    for (int i = 0; i < 500; i++) moving_step(&x);
    CHECK_NEAR(x.q[0], 0, 1e-12);
    x.v[0] = -1;
    const double from = x.t;
    for (int i = 0; i < 500; i++) moving_step(&x);
    CHECK_NEAR(x.v[0], -1 - 2.5 * (x.t - from), 1e-9);
    x.v[0] = 0; /* 24 N are more than 22.5 hold: it goes with the difference to 15 */
    x.tau[0] = -4;
    moving_step(&x);
    CHECK_NEAR(x.v[0], -(24.0 - 15) / 2 * x.h, 1e-12);
    moving_free(&x);
}

TEST(friction_that_stops)
{
    /* 1 m/s against 4 N: 0.5 s and 0.25 m; forwards 4 and backwards 8 */
    for (int back = 0; back < 2; back++) {
        moving x = load(SLIDER("[1, 0, 0]", "\"friction\": {\"positive\": 4, \"negative\": 8}"), 0, 1);
        double stopped = 0;
        x.v[0] = back ? -1 : 1;
        for (int i = 0; i < 700; i++) {
            moving_step(&x);
            if (!(stopped > 0) && fabs(x.v[0]) < 1e-9) stopped = x.t;
        }
        CHECK_NEAR(stopped, back ? 0.25 : 0.5, 2 * x.h);
        CHECK_NEAR(x.q[0], back ? -0.125 : 0.25, 2 * x.h);
        CHECK_NEAR(x.v[0], 0, 1e-12);
        /* 6 N hold against it forwards and not backwards: 6 - 8 < 0 < 6 - 4 */
        x.tau[0] = 6;
        moving_step(&x);
        CHECK_NEAR(x.v[0], (6.0 - 4) / 2 * x.h, 1e-12);
        x.v[0] = 0;
        x.tau[0] = -6;
        moving_step(&x);
        CHECK_NEAR(x.v[0], 0, 1e-12);
        moving_free(&x);
    }
}

static void lean(moving *x, double angle)
{
    const int left = pinion_model_find_joint(x->m, "left"), right = pinion_model_find_joint(x->m, "right");
    const int coupler = pinion_model_find_joint(x->m, "coupler");
    pinion_joint_info j;
    const int list[3] = {left, right, coupler};
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(pinion_model_joint(x->m, list[i], &j), PINION_OK);
        x->q[j.q_index] = i == 2 ? -angle : angle;
    }
    x->q[6] = 0.05;
}

TEST(a_four_bar_that_stands)
{
    const double angle = 0.3, carried = 9 * sin(0.3); /* 2.66 N m */
    double force[3], moment;
    moving x = load(PORTAL(", \"friction\": 3"), 1, 1);
    lean(&x, angle);
    for (int i = 0; i < 300; i++) moving_step(&x);
    pinion_joint_info j;
    CHECK_STATUS(pinion_model_joint(x.m, pinion_model_find_joint(x.m, "left"), &j), PINION_OK);
    CHECK_NEAR(x.q[j.q_index], angle, 1e-9);
    CHECK(x.last.held == 1 && x.last.contacts == 4);
    CHECK_NEAR(x.last.open, 0, 1e-10); /* a load times the compliance of the rows of loops, 1e-9 h^2 / kg */
    sum_contacts(&x, force, &moment);
    CHECK_NEAR(force[2], 80, 1e-5);
    CHECK_NEAR(hypot(force[0], force[1]), 0, 1e-5);
    CHECK_NEAR(moment, -(2 * 10 * 0.15 + 20 * 0.3) * sin(angle), 1e-5); /* of the weights, about the foot's middle */
    moving_free(&x);

    /* 2 N m are not enough: one degree of freedom, with the inertia of both cranks and the coupler */
    x = load(PORTAL(", \"friction\": 2"), 1, 1);
    lean(&x, angle);
    const double inertia = 2 * (0.01 + 0.15 * 0.15) + 2 * 0.3 * 0.3;
    for (int i = 0; i < 20; i++) moving_step(&x);
    CHECK_STATUS(pinion_model_joint(x.m, pinion_model_find_joint(x.m, "left"), &j), PINION_OK);
    CHECK_NEAR(x.v[j.v_index], (carried - 2) / inertia * x.t, 0.02 * x.v[j.v_index]);
    CHECK(x.last.held == 0);
    for (int i = 0; i < 6; i++) CHECK_NEAR(x.v[i], 0, 1e-7); /* the foot stays */
    moving_free(&x);
}

TEST(a_four_bar_that_falls)
{
    /* without friction it swings down and up again on its foot, which stays: no energy is made, the loop is closed */
    moving x = load(PORTAL(""), 1, 0);
    lean(&x, 0.5);
    const double before = energy(&x);
    double open = 0;
    for (int i = 0; i < 3000; i++) {
        moving_step(&x);
        open = fmax(open, x.last.open);
        CHECK(energy(&x) <= before + 0.1); /* of 27 J between up and down: steps are of order one */
    }
    CHECK(open < 1e-4);
    CHECK(x.deepest < 1e-4);
    moving_free(&x);
}

/* A table whose legs turn on it and are welded to each other in a ring: 24 rows of which 4 are independent. */
#define LEG(name)                                                                                                \
    "{\"name\": \"" name "\", \"mass\": 0.5, \"com\": [0, 0, -0.25], \"inertia\": {\"xx\": 0.01, \"yy\": 0.01, "      \
    "\"zz\": 0.001}, \"collisions\": [{\"shape\": \"sphere\", \"radius\": 0.05, \"origin\": {\"position\": [0, 0, "    \
    "-0.45]}}]}"
#define HINGE(name, at)                                                                                              \
    "{\"name\": \"" name "\", \"type\": \"continuous\", \"parent\": \"top\", \"child\": \"" name                      \
    "\", \"axis\": [0, 1, 0], \"origin\": {\"position\": " at "}}"
#define WELD(a, b, at)                                                                                               \
    "{\"name\": \"" a b "\", \"type\": \"fixed\", \"parent\": \"" a "\", \"child\": \"" b                             \
    "\", \"origin\": {\"position\": " at "}}"

TEST(a_table_whose_legs_are_welded)
{
    static const char text[] =
        "{\"pinion\": 1, \"name\": \"table\", \"gravity\": [0, 0, -10], \"links\": [{\"name\": \"world\"}, {\"name\": "
        "\"top\", \"mass\": 8, \"inertia\": {\"xx\": 0.5, \"yy\": 0.5, \"zz\": 0.5}}, " LEG("a") ", " LEG("b") ", "
        LEG("c") ", " LEG("d") "], \"joints\": [{\"name\": \"root\", \"type\": \"free\", \"parent\": \"world\", "
        "\"child\": \"top\"}, " HINGE("a", "[0.4, 0.3, 0]") ", " HINGE("b", "[0.4, -0.3, 0]") ", "
        HINGE("c", "[-0.4, -0.3, 0]") ", " HINGE("d", "[-0.4, 0.3, 0]") "], \"loops\": ["
        WELD("a", "b", "[0, -0.6, 0]") ", " WELD("b", "c", "[-0.8, 0, 0]") ", " WELD("c", "d", "[0, 0.6, 0]") ", "
        WELD("d", "a", "[0.8, 0, 0]") "]}";
    double force[3], moment;
    moving x = load(text, 1, 0);
    CHECK(pinion_model_row_count(x.m) == 24);
    x.q[6] = 0.7;
    for (int i = 0; i < 600; i++) moving_step(&x); /* falls 0.2 m and stands */
    sum_contacts(&x, force, &moment);
    CHECK(x.last.contacts == 4 && x.last.solution.undetermined > 20 && x.last.solution.least_norm);
    CHECK_NEAR(force[2], 100, 1e-4);
    CHECK_NEAR(hypot(force[0], force[1]), 0, 1e-4);
    CHECK_NEAR(moment, 0, 1e-4);
    for (int i = 0; i < 4; i++) {
        pinion_scene_contact c;
        CHECK_STATUS(pinion_scene_contact_at(x.s, i, &c), PINION_OK);
        CHECK_NEAR(c.force[2], 25, 1e-3);
    }
    CHECK_NEAR(x.q[6], 0.5, 1e-6);
    CHECK_NEAR(x.last.open, 0, 1e-9);
    moving_free(&x);
}

TEST(a_drive_by_a_law_of_time)
{
    /* a rail is driven to and fro, q = 0.1 sin(2 pi t) */
    static const char text[] =
        "{\"pinion\": 1, \"name\": \"driven\", \"gravity\": [0, 0, -10], \"links\": [{\"name\": \"rail\"}, {\"name\": "
        "\"block\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"j\", "
        "\"type\": \"prismatic\", \"parent\": \"rail\", \"child\": \"block\", \"axis\": [1, 0, 0]}], \"loops\": "
        "[{\"name\": \"d\", \"type\": \"drive\", "
        "\"joint\": \"j\", \"motion\": {\"amplitude\": 0.1, \"frequency\": 1}}]}";
    moving x = load(text, 0, 0);
    for (int i = 0; i < 800; i++) {
        pinion_scene_set_time(x.s, x.t);
        moving_step(&x);
        CHECK_NEAR(x.q[0], 0.1 * sin(2 * 3.14159265358979323846 * x.t), 1e-9);
    }
    moving_free(&x);
}

TEST(limits_and_friction_are_asked_for)
{
    pinion_error err;
    moving x = load(SLIDER("[1, 0, 0]", "\"limits\": [-0.2, 0.5], \"friction\": 100"), 0, 0);
    pinion_scene_options o = pinion_scene_options_default();
    x.v[0] = 1;
    moving_step(&x);
    CHECK_NEAR(x.v[0], 1, 1e-12); /* friction takes no part unless asked for */
    pinion_scene_free(x.s);
    o.limits = 0;
    x.s = pinion_scene_new(x.m, &o, &err);
    for (int i = 0; i < 900; i++) moving_step(&x);
    CHECK(x.q[0] > 0.6);
    o.stiction = 0.5;
    CHECK(pinion_scene_new(x.m, &o, &err) == NULL && err.status == PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "stiction must be");
    CHECK_STATUS(pinion_scene_joint_forces(x.s, NULL), PINION_ERR_ARGUMENT);
    pinion_scene_set_time(NULL, 1);
    moving_free(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(what_a_joint_holds_together);
    RUN(a_slider_against_its_stop);
    RUN(beyond_a_stop);
    RUN(soft_stops);
    RUN(friction_that_holds);
    RUN(friction_that_stops);
    RUN(a_four_bar_that_stands);
    RUN(a_four_bar_that_falls);
    RUN(a_table_whose_legs_are_welded);
    RUN(a_drive_by_a_law_of_time);
    RUN(limits_and_friction_are_asked_for);
    return CHECK_END();
}
