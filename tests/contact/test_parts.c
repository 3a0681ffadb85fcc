/* Steps with several impacts, of bodies that float and of bodies on rails, beside stops and friction of joints;
 * contacts that are left out beside others that are not. All that is expected is closed. */
#include "check.h"
#include "contact/bodies.h"

#define BALL(name, mass, radius, restitution)                                                                        \
    "{\"name\": \"" name "\", \"mass\": " mass ", \"inertia\": {\"xx\": 0.01, \"yy\": 0.01, \"zz\": 0.01}, "          \
    "\"collisions\": [{\"name\": \"" name "\", \"shape\": \"sphere\", \"radius\": " radius ", \"friction\": 0, "      \
    "\"restitution\": " restitution "}]}"
#define RAIL(name, x, more)                                                                                          \
    "{\"name\": \"on " name "\", \"type\": \"prismatic\", \"parent\": \"world\", \"child\": \"" name                  \
    "\", \"axis\": [1, 0, 0], \"origin\": {\"position\": [" x ", 0, 0]}" more "}"

static moving load(const char *text, int ground, double stiction, double h)
{
    pinion_error err;
    pinion_scene_options o = pinion_scene_options_default();
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "test", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    moving x = moving_new(m, ground, h);
    pinion_scene_free(x.s);
    o.ground = ground;
    o.stiction = stiction;
    x.s = pinion_scene_new(m, &o, &err);
    if (!x.s) CHECK_FAIL("%s", err.message);
    CHECK_STATUS(pinion_initial(m, x.q, x.v), PINION_OK);
    return x;
}

/* Three balls on rails, 2 mm apart, and one of them comes with 10 m/s: in one step the last has all of its speed. A
 * stop behind the first has nothing to do with it. Dry friction of the last holds it while it is at rest, and slows it
 * down in the steps that follow. */
TEST(a_cradle_on_rails)
{
    moving x = load("{\"pinion\": 1, \"gravity\": [0, 0, 0], \"links\": [{\"name\": "
                    "\"world\"}," BALL("a", "1", "0.1", "1")
                    "," BALL("b", "1", "0.1", "1") "," BALL("c", "1", "0.1", "1") "], \"joints\": ["
                    RAIL("a", "0", ", \"limits\": [-0.005, 9]") "," RAIL("b", "0.202", "") ","
                    RAIL("c", "0.404", ", \"friction\": 4") "]}", 0, 1, 1e-3);
    x.v[0] = 10;
    moving_step(&x);
    CHECK(x.last.impacts == 2 && !x.last.bounded && x.last.stopped == 0);
    CHECK_NEAR(x.v[0], 0, 1e-9);
    CHECK_NEAR(x.v[1], 0, 1e-9);
    CHECK_NEAR(x.v[2], 10, 1e-9);
    CHECK_NEAR(x.last.work, 0, 1e-7); /* 50 J before and after */
    for (int i = 1; i <= 5; i++) {
        moving_step(&x);
        CHECK_NEAR(x.v[2], 10 - i * 4 * 1e-3, 1e-9);
    }
    moving_free(&x);
}

/* A ball on a rail has 0.1 mm between two walls, and 2 m/s: 200 impacts in a step of 10 ms are too many. After a
 * hundred it keeps no more speed than crosses the room between the walls within a step, which is told, and what it had
 * is the work. */
TEST(too_many_impacts)
{
    moving x = load("{\"pinion\": 1, \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"world\", \"collisions\": ["
                    "{\"name\": \"left\", \"shape\": \"box\", \"size\": [1, 1, 1], \"restitution\": 1, \"origin\": "
                    "{\"position\": [-0.60005, 0, 0]}}, {\"name\": \"right\", \"shape\": \"box\", \"size\": [1, 1, 1], "
                    "\"restitution\": 1, \"origin\": {\"position\": [0.60005, 0, 0]}}]}," BALL("a", "1", "0.1", "1")
                    "], \"joints\": [" RAIL("a", "0", "") "]}", 0, 0, 1e-2);
    x.q[0] = 2e-5;
    x.v[0] = 2;
    moving_step(&x);
    CHECK(x.last.bounded && x.last.impacts > 100);
    CHECK(fabs(x.q[0]) < 5e-5 + 1e-9);
    CHECK(fabs(x.v[0]) < 1e-4 / 1e-2);
    CHECK_NEAR(x.last.work, 0.5 * x.v[0] * x.v[0] - 2, 1e-9);
    for (int i = 0; i < 5; i++) {
        moving_step(&x);
        CHECK(!x.last.bounded && fabs(x.q[0]) < 5e-5 + 1e-9 && fabs(x.v[0]) < 1e-4 / 1e-2);
    }
    moving_free(&x);
}

/* A ball falls on the ground with a load inside of it, on a rail along z. A load that stands on its stop bounces with
 * the ball; one that is above its stop goes on as before. */
TEST(a_load_within_a_ball)
{
    for (int k = 0; k < 2; k++) {
        moving x = load("{\"pinion\": 1, \"gravity\": [0, 0, -10], \"links\": [{\"name\": \"world\"},"
                        BALL("ball", "1", "0.1", "0.7") ", {\"name\": \"load\", \"mass\": 0.5, \"inertia\": "
                        "{\"xx\": 0.01, \"yy\": 0.01, \"zz\": 0.01}}], \"joints\": [{\"name\": \"root\", \"type\": "
                        "\"free\", \"parent\": \"world\", \"child\": \"ball\"}, {\"name\": \"rail\", \"type\": "
                        "\"prismatic\", \"parent\": \"ball\", \"child\": \"load\", \"axis\": [0, 0, 1], \"limits\": "
                        "[0, 9]}]}", 1, 0, 1e-3);
        x.q[6] = 0.1 + 1e-3;
        x.q[7] = k * 5e-3;
        x.v[5] = -2;
        const double before = sqrt(4 + 2 * 10 * 1e-3), after = 0.7 * before; /* where it meets the ground */
        const double when = (before - 2) / 10;
        moving_step(&x);
        CHECK(x.last.impacts == 1);
        CHECK_NEAR(x.v[5], after - 10 * (1e-3 - when), 1e-6);
        CHECK_NEAR(x.v[6], k ? -before - after : 0, 1e-6);
        CHECK_NEAR(x.q[7], k ? 5e-3 - (before + after) * (1e-3 - when) : 0, 1e-8);
        moving_free(&x);
    }
}

/* Two balls meet the ground in one step, and when the second does the first is far from it again: the forces of both
 * are told, over the whole step. */
TEST(forces_of_what_is_far_again)
{
    static const double none[3] = {0, 0, 0};
    const body ball = {PINION_SHAPE_SPHERE, {0.1, 0, 0}, 2, 0.01, 0, 1}, two[2] = {ball, ball};
    moving x = moving_new(bodies_model(2, two, none), 1, 1e-3);
    double sum[2] = {0, 0}, tau[12];
    for (int i = 0; i < 2; i++) {
        x.q[7 * i + 4] = i;
        x.q[7 * i + 6] = 0.1 + (i ? 0.045 : 0.005);
        x.v[6 * i + 5] = -50;
    }
    moving_step(&x);
    CHECK(x.last.impacts == 2);
    CHECK_STATUS(pinion_scene_joint_forces(x.s, tau), PINION_OK);
    for (int i = 0; i < pinion_scene_count(x.s); i++) {
        pinion_scene_contact c;
        CHECK_STATUS(pinion_scene_contact_at(x.s, i, &c), PINION_OK);
        sum[c.at.first[0] + c.at.second[0] > 1] += fabs(c.force[2]);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(x.v[6 * i + 5], 50, 1e-9);
        CHECK_NEAR(x.q[7 * i + 6], 0.1 + (i ? 0.005 : 0.045), 1e-7);
        CHECK_NEAR(sum[i], 2 * 100 / 1e-3, 1e-3);
        CHECK_NEAR(tau[6 * i + 5], 2 * 100 / 1e-3, 1e-3);
    }
    moving_free(&x);
}

/* Two balls round the joint between their bodies, which nothing can part, are left out; what stands on the floor
 * beside them carries the weight of all. */
TEST(what_is_left_out_comes_first)
{
    moving x = load("{\"pinion\": 1, \"gravity\": [0, 0, -10], \"links\": [{\"name\": \"world\"}, {\"name\": "
                    "\"foot\", \"mass\": 4, \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}, \"collisions\": "
                    "[{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.05, \"origin\": {\"position\": [0, "
                    "0, 0.3]}}]}, {\"name\": \"head\", \"mass\": 1, \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": "
                    "0.1}, \"collisions\": [{\"name\": \"socket\", \"shape\": \"sphere\", \"radius\": 0.06}]}, "
                    "{\"name\": \"plate\", \"collisions\": [{\"name\": \"plate\", \"shape\": \"box\", \"size\": "
                    "[0.6, 0.4, 0.1]}]}, {\"name\": \"floor\", \"collisions\": [{\"name\": \"floor\", \"shape\": "
                    "\"box\", \"size\": [4, 4, 1]}]}], \"joints\": [{\"name\": \"root\", \"type\": \"free\", "
                    "\"parent\": \"world\", \"child\": \"foot\"}, {\"name\": \"neck\", \"type\": \"spherical\", "
                    "\"parent\": \"foot\", \"child\": \"head\", \"origin\": {\"position\": [0, 0, 0.3]}}, {\"name\": "
                    "\"weld\", \"type\": \"fixed\", \"parent\": \"foot\", \"child\": \"plate\"}, {\"name\": "
                    "\"down\", \"type\": \"fixed\", \"parent\": \"world\", \"child\": \"floor\", \"origin\": "
                    "{\"position\": [0, 0, -0.5]}}], \"collision_pairs\": [{\"first\": \"ball\", \"second\": "
                    "\"socket\"}]}", 0, 0, 1e-3);
    x.q[6] = 0.05;
    for (int i = 0; i < 20; i++) {
        double tau[9];
        moving_step(&x);
        CHECK(x.last.immovable == 1 && x.last.contacts == 4);
        CHECK_STATUS(pinion_scene_joint_forces(x.s, tau), PINION_OK);
        CHECK_NEAR(tau[5], 50, 1e-6);
        for (int k = 0; k < 9; k++) CHECK_NEAR(x.v[k], 0, 1e-8);
    }
    moving_free(&x);
}

/* A slider, one that goes the other way as far, and a ball on a rail on that one: what pushes the ball moves them all.
 * With coordinates x and y of the sliders' leader and of the ball, T = 3/2 x'^2 + 1/2 (y' - x')^2. */
TEST(a_ball_on_a_follower)
{
    moving x = load("{\"pinion\": 1, \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"world\", \"collisions\": "
                    "[{\"name\": \"wall\", \"shape\": \"box\", \"size\": [1, 1, 1], \"origin\": {\"position\": [0.6, "
                    "0, 0]}}]}, {\"name\": \"leader\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}, "
                    "{\"name\": \"follower\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}},"
                    BALL("ball", "1", "0.1", "0") "], \"joints\": [" RAIL("leader", "0", "") ","
                    RAIL("follower", "0", ", \"mimic\": {\"joint\": \"on leader\", \"multiplier\": -1}") ", {\"name\": "
                    "\"rail\", \"type\": \"prismatic\", \"parent\": \"follower\", \"child\": \"ball\", \"axis\": "
                    "[1, 0, 0]}]}",
                    0, 0, 1e-3);
    double tau[2];
    x.tau[1] = 8; /* pushes the ball to the wall, and the follower away from it */
    moving_step(&x);
    /* the ball rests: y' = x', so that x'' = 8 / 3 */
    CHECK_NEAR(x.v[0], 8.0 / 3 * 1e-3, 1e-9);
    CHECK_NEAR(x.v[1], 8.0 / 3 * 1e-3, 1e-9);
    CHECK_STATUS(pinion_scene_joint_forces(x.s, tau), PINION_OK);
    CHECK_NEAR(tau[0], 8, 1e-5); /* the wall's force, by how far the ball goes with each coordinate */
    CHECK_NEAR(tau[1], -8, 1e-5);
    moving_free(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_cradle_on_rails);
    RUN(too_many_impacts);
    RUN(a_load_within_a_ball);
    RUN(forces_of_what_is_far_again);
    RUN(what_is_left_out_comes_first);
    RUN(a_ball_on_a_follower);
    return CHECK_END();
}
