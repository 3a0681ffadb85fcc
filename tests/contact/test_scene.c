/* Contact of models in motion, beside closed forms. A free joint has q = quaternion, position and v = angular, linear
 * velocity in the body. Steps are semi-implicit, so what is smooth is off by the order of a step. */
#include "check.h"
#include "contact/bodies.h"
#include "memory/allocator.h"

static const double down[3] = {0, 0, -10};

TEST(a_block_on_a_slope)
{
    /* the ground is level and gravity leans: tan of the slope 0.5 and friction 0.6 or 0.4 */
    const double leaning[3] = {10 * 0.5 / sqrt(1.25), 0, -10 / sqrt(1.25)};
    for (int slides = 0; slides < 2; slides++) {
        const body block = {PINION_SHAPE_BOX, {0.4, 0.3, 0.1}, 2, 0.02, slides ? 0.4 : 0.6, 0};
        moving x = moving_new(bodies_model(1, &block, leaning), 1, 1e-3);
        x.q[6] = 0.05;
        for (int i = 0; i < 500; i++) moving_step(&x);
        const double a = slides ? leaning[0] + 0.4 * leaning[2] : 0;
        CHECK(x.last.contacts == 4);
        CHECK_NEAR(x.v[3], a * x.t, 1e-7);
        CHECK_NEAR(x.q[4], 0.5 * a * x.t * (x.t + x.h), 1e-7); /* semi-implicit: n (n + 1) / 2 steps */
        CHECK_NEAR(x.q[6], 0.05, 1e-9);
        CHECK_NEAR(x.deepest, 0, 1e-9);
        CHECK_NEAR(x.worst, 0, 1e-10);
        double normal = 0, along = 0;
        for (int i = 0; i < pinion_scene_count(x.s); i++) {
            pinion_scene_contact c;
            CHECK_STATUS(pinion_scene_contact_at(x.s, i, &c), PINION_OK);
            normal += c.force[2];
            along += c.force[0];
        }
        CHECK_NEAR(normal, -2 * leaning[2], 1e-6);
        CHECK_NEAR(along, slides ? -0.4 * normal : -2 * leaning[0], 1e-6);
        moving_free(&x);
    }
}

TEST(a_block_that_comes_to_rest)
{
    /* thrown with 2 m/s over friction 0.5: rests after 0.4 s and 0.4 m, and stays */
    const body block = {PINION_SHAPE_BOX, {0.4, 0.3, 0.1}, 2, 0.02, 0.5, 0};
    moving x = moving_new(bodies_model(1, &block, down), 1, 1e-3);
    double stopped = 0;
    x.q[6] = 0.05;
    x.v[3] = 2;
    for (int i = 0; i < 600; i++) {
        moving_step(&x);
        if (!(stopped > 0) && fabs(x.v[3]) < 1e-9) stopped = x.t;
    }
    CHECK_NEAR(stopped, 0.4, 2 * x.h);
    CHECK_NEAR(x.q[4], 0.4, 2 * x.h);
    CHECK_NEAR(x.v[3], 0, 1e-10);
    CHECK_NEAR(x.q[5], 0, 1e-9);
    moving_free(&x);
}

/* a block that begins 5 cm deep comes out, by and by, and stays on the ground */
TEST(what_begins_inside_comes_out)
{
    const body block = {PINION_SHAPE_BOX, {0.4, 0.3, 0.2}, 2, 0.02, 0.5, 0};
    moving x = moving_new(bodies_model(1, &block, down), 1, 1e-3);
    x.q[6] = 0.05;
    for (int i = 0; i < 400; i++) {
        moving_step(&x);
        CHECK(fabs(x.v[5]) < 1e-9 && x.q[6] < 0.1 + 1e-6);
    }
    CHECK_NEAR(x.q[6], 0.1, 1e-6);
    moving_free(&x);
}

TEST(a_ball_that_bounces)
{
    /* from 1 m under its lowest point, restitution 0.8: impacts at t1 = sqrt(0.2), then 2 0.8^k v1 / g later each */
    const body ball = {PINION_SHAPE_SPHERE, {0.1, 0, 0}, 1, 0.004, 0.3, 0.8};
    moving x = moving_new(bodies_model(1, &ball, down), 1, 1e-4);
    double expected = sqrt(0.2), speed = sqrt(20);
    int impacts = 0;
    x.q[6] = 1.1;
    while (x.t < 2.5) {
        const double before = x.v[5];
        moving_step(&x);
        if (!(before < 0 && x.v[5] > 0)) continue;
        CHECK_NEAR(x.t, expected, (3 + 3 * impacts) * x.h);
        CHECK_NEAR(x.v[5], 0.8 * speed, 0.01);
        speed *= 0.8;
        expected += 2 * speed / 10;
        impacts++;
    }
    CHECK(impacts == 4);
    moving_free(&x);
}

TEST(a_bounce_does_not_go_in)
{
    /* it bounces in the step in which it would close: no penetration, and with restitution 1 it comes back to where it
       was; a plate of 2 mm in its way, thinner than the 8 mm of a step, is not passed */
    const body list[2] = {{PINION_SHAPE_SPHERE, {0.1, 0, 0}, 1, 0.004, 0, 1},
                          {PINION_SHAPE_BOX, {1, 1, 0.002}, 1e6, 1e6, 0, 1}};
    const double none[3] = {0, 0, 0};
    moving x = moving_new(bodies_model(2, list, none), 0, 1e-3);
    x.q[6] = 0.5;
    x.v[5] = -8;
    for (int i = 0; i < 100; i++) moving_step(&x);
    CHECK_NEAR(x.v[5], 8, 1e-4); /* the plate of 1000 t hardly moves */
    CHECK_NEAR(x.deepest, 0, 0);
    /* up to a step early, there and back */
    CHECK_NEAR(x.q[6], 0.101 + 8 * x.t - (0.5 - 0.101), 2 * 8 * x.h + 1e-4);
    moving_free(&x);
}

TEST(a_table_on_four_legs)
{
    const body top = {PINION_SHAPE_BOX, {1, 0.6, 0.2}, 8, 0.5, 0.5, 0};
    moving x = moving_new(bodies_model(1, &top, down), 1, 1e-3);
    x.q[6] = 0.1;
    for (int i = 0; i < 20; i++) moving_step(&x);
    double force[3] = {0, 0, 0}, moment[2] = {0, 0};
    CHECK(x.last.solution.undetermined == 6 && x.last.solution.least_norm);
    for (int i = 0; i < pinion_scene_count(x.s); i++) {
        pinion_scene_contact c;
        CHECK_STATUS(pinion_scene_contact_at(x.s, i, &c), PINION_OK);
        CHECK(c.first == -1 && c.second == 0);
        CHECK_NEAR(c.force[2], 20, 1e-5); /* the least norm: a quarter each */
        for (int k = 0; k < 3; k++) force[k] += c.force[k];
        moment[0] += c.at.first[1] * c.force[2];
        moment[1] += c.at.first[0] * c.force[2];
    }
    CHECK_NEAR(force[2], 80, 1e-6);
    CHECK_NEAR(hypot(force[0], force[1]), 0, 1e-6);
    CHECK_NEAR(hypot(moment[0], moment[1]), 0, 1e-6);
    moving_free(&x);
}

/* With a compliance of c at each of four points a block sinks by m g c / 4 and presses with its weight */
TEST(a_block_that_gives_way)
{
    const body block = {PINION_SHAPE_BOX, {0.4, 0.3, 0.1}, 2, 0.02, 0.5, 0};
    pinion_scene_options o = pinion_scene_options_default();
    pinion_error err;
    double force = 0;
    o.ground = 1;
    o.compliance = 1e-4;
    moving x = moving_new(bodies_model(1, &block, down), 1, 1e-3);
    pinion_scene_free(x.s);
    x.s = pinion_scene_new(x.m, &o, &err);
    CHECK(x.s != NULL);
    x.q[6] = 0.05;
    for (int i = 0; i < 2000 && x.s; i++) moving_step(&x); /* steps damp it by a hundredth each */
    CHECK_NEAR(x.q[6], 0.05 - 20 * 1e-4 / 4, 1e-8);
    CHECK_NEAR(x.last.penetration, 5e-4, 1e-8);
    for (int i = 0; i < pinion_scene_count(x.s); i++) {
        pinion_scene_contact c;
        CHECK_STATUS(pinion_scene_contact_at(x.s, i, &c), PINION_OK);
        force += c.force[2];
    }
    CHECK_NEAR(force, 20, 1e-4);
    moving_free(&x);
    o.compliance = -1;
    pinion_model *m = bodies_model(1, &block, down);
    CHECK(!pinion_scene_new(m, &o, &err));
    CHECK_HAS(err.message, "compliance");
    pinion_model_free(m);
}

TEST(newtons_cradle)
{
    /* balls in a row, a hair apart, without gravity: the last one goes off with all of the speed */
    const double none[3] = {0, 0, 0};
    body row[4];
    for (int i = 0; i < 4; i++) row[i] = (body){PINION_SHAPE_SPHERE, {0.1, 0, 0}, 1, 0.004, 0, 1};
    moving x = moving_new(bodies_model(4, row, none), 0, 1e-3);
    for (int i = 0; i < 4; i++) x.q[7 * i + 4] = 0.202 * i;
    x.v[3] = 1;
    for (int i = 0; i < 100; i++) moving_step(&x);
    for (int i = 0; i < 4; i++) CHECK_NEAR(x.v[6 * i + 3], i == 3, 1e-9);
    CHECK(!x.last.bounded);
    moving_free(&x);
}

/* Impacts that bring about others within one step, with restitution 1: whatever the gaps and speeds, the last ball
 * goes off with all of the speed; a ball between two walls, which it meets several times in a step, keeps its speed
 * and stays between them; with restitution 0.5 each meeting passes on 3/4 and keeps 1/4. */
TEST(a_chain_of_impacts)
{
    static const double none[3] = {0, 0, 0}, speed[4] = {0.5, 2.5, 10, 40}, gap[3] = {1e-6, 5e-4, 2e-3};
    for (int k = 0; k < 12; k++) {
        body row[5];
        for (int i = 0; i < 5; i++) row[i] = (body){PINION_SHAPE_SPHERE, {0.05, 0, 0}, 1, 0.001, 0, 1};
        moving x = moving_new(bodies_model(5, row, none), 0, 1e-3);
        const double v = speed[k / 3], apart = gap[k % 3];
        for (int i = 0; i < 5; i++) x.q[7 * i + 4] = (0.1 + apart) * i;
        x.v[3] = v;
        for (int i = 0; i < 40; i++) moving_step(&x);
        for (int i = 0; i < 5; i++) CHECK_NEAR(x.v[6 * i + 3], i == 4 ? v : 0, 1e-9 * v);
        CHECK(!x.last.bounded);
        CHECK_NEAR(x.deepest, 0, 1e-12);
        moving_free(&x);
    }
    const body walls[3] = {{PINION_SHAPE_SPHERE, {0.05, 0, 0}, 1, 0.001, 0, 1},
                           {PINION_SHAPE_BOX, {0.1, 1, 1}, 1e13, 1e13, 0, 1},
                           {PINION_SHAPE_BOX, {0.1, 1, 1}, 1e13, 1e13, 0, 1}};
    moving x = moving_new(bodies_model(3, walls, none), 0, 1e-3);
    x.q[4] = 0.0004;
    x.q[7 + 4] = -0.102;
    x.q[14 + 4] = 0.102;
    x.v[3] = 9;
    for (int i = 0; i < 100; i++) {
        moving_step(&x);
        CHECK_NEAR(fabs(x.v[3]), 9, 1e-5);
        CHECK(fabs(x.q[4]) < 0.002 + 1e-6);
    }
    moving_free(&x);
    body row[3];
    for (int i = 0; i < 3; i++) row[i] = (body){PINION_SHAPE_SPHERE, {0.05, 0, 0}, 1, 0.001, 0, 0.5};
    x = moving_new(bodies_model(3, row, none), 0, 1e-3);
    for (int i = 0; i < 3; i++) x.q[7 * i + 4] = 0.1005 * i;
    x.v[3] = 16;
    moving_step(&x);
    /* 16, 0, 0 -> 4, 12, 0 -> 4, 3, 9, and the first two meet again: 3.25, 3.75, within what is left of the step */
    CHECK_NEAR(x.v[3] + x.v[9] + x.v[15], 16, 1e-9);
    CHECK_NEAR(x.v[15], 9, 1e-9);
    CHECK_NEAR(x.v[3], x.last.impacts == 3 ? 3.25 : 4, 1e-9);
    moving_free(&x);
}

TEST(a_ball_that_slips_then_rolls)
{
    /* thrown without spin: it slips until v = 5/7 v0, at 2 v0 / (7 mu g), then rolls on */
    const double r = 0.1, v0 = 2, mu = 0.2;
    const body ball = {PINION_SHAPE_SPHERE, {0.1, 0, 0}, 3, 0.4 * 3 * 0.01, 0.2, 0};
    moving x = moving_new(bodies_model(1, &ball, down), 1, 1e-3);
    double rolls = 0, p[3], world[6];
    x.q[6] = r;
    x.v[3] = v0;
    for (int i = 0; i < 500; i++) {
        moving_step(&x);
        CHECK_STATUS(pinion_frame_velocity(x.m, x.w, x.q, x.v, 1, PINION_REFERENCE_WORLD_ALIGNED, world), PINION_OK);
        if (!(rolls > 0) && fabs(world[3] - r * world[1]) < 1e-9) rolls = x.t;
    }
    CHECK_NEAR(rolls, 2 * v0 / (7 * mu * 10), 3 * x.h);
    CHECK_NEAR(world[3], 5.0 / 7 * v0, 1e-3);
    CHECK_NEAR(world[1], world[3] / r, 1e-8);
    CHECK_STATUS(pinion_frame_pose(x.m, x.w, x.q, 1, p, NULL), PINION_OK);
    CHECK_NEAR(p[2], r, 1e-9);
    moving_free(&x);
}

TEST(a_box_that_tips)
{
    /* 0.2 wide and 0.4 high on a slope: it stays below tan = 1/2 and tips above, where friction holds it */
    for (int tips = 0; tips < 2; tips++) {
        const double tan = tips ? 0.55 : 0.45, size = sqrt(1 + tan * tan);
        const double leaning[3] = {10 * tan / size, 0, -10 / size};
        const body box = {PINION_SHAPE_BOX, {0.2, 0.2, 0.4}, 1, 1.0 / 12 * (0.04 + 0.16), 2, 0};
        moving x = moving_new(bodies_model(1, &box, leaning), 1, 1e-3);
        x.q[6] = 0.2;
        for (int i = 0; i < 200; i++) moving_step(&x);
        const double angle = 2 * asin(x.q[2]); /* about y */
        /* about its edge: (I + m r^2) a = m (g_x h/2 - g_z w/2), while the angle is small */
        const double a = (leaning[0] * 0.2 + leaning[2] * 0.1) / (0.2 / 12 + 0.05);
        if (tips)
            CHECK_NEAR(angle, 0.5 * a * x.t * x.t, 0.15 * angle);
        else
            CHECK_NEAR(angle, 0, 1e-9);
        CHECK(tips == (angle > 1e-3));
        moving_free(&x);
    }
}

TEST(a_gripper)
{
    /* a block of 1 kg between two that are pressed together with F each: it is held while 2 mu F >= m g */
    for (int held = 0; held < 2; held++) {
        const double F = held ? 12 : 8;
        const body list[3] = {{PINION_SHAPE_BOX, {0.1, 0.1, 0.1}, 1, 0.01, 0.5, 0},
                              {PINION_SHAPE_BOX, {0.1, 0.3, 0.3}, 100, 1, 0.5, 0},
                              {PINION_SHAPE_BOX, {0.1, 0.3, 0.3}, 100, 1, 0.5, 0}};
        moving x = moving_new(bodies_model(3, list, down), 0, 1e-3);
        x.q[7 + 4] = -0.1;
        x.q[14 + 4] = 0.1;
        /* the fingers are carried, and pressed inwards; they are so heavy that they hardly move */
        for (int i = 0; i < 100; i++) {
            x.tau[6 + 5] = x.tau[12 + 5] = 1000;
            x.tau[6 + 3] = F;
            x.tau[12 + 3] = -F;
            moving_step(&x);
        }
        const double falls = x.v[5] - x.v[6 + 5];
        /* what the block pulls them down with: m g, or 2 mu F */
        if (held)
            CHECK_NEAR(falls, 0, 1e-8);
        else
            CHECK_NEAR(falls, -(10 - 2 * 0.5 * F) * x.t - 0.5 * F / 100 * x.t * 1, 2e-2);
        CHECK(held == (fabs(falls) < 1e-8));
        moving_free(&x);
    }
}

/* A block that slips in a symmetric gripper whose fingers are guided: eight points, and pressure that could move to one
 * side on both pads and turn the block. It falls with g - 2 mu F / m and does not turn. */
TEST(a_block_that_slips_out_of_a_gripper)
{
    const double F = 14, mu = 0.45, mass = 1.3;
    char text[2000];
    const char *part = "{\"name\": \"%s\", \"mass\": %g, \"inertia\": {\"xx\": 0.001, \"yy\": 0.0012, \"zz\": 0.0012},"
                       "\"collisions\": [{\"name\": \"%s\", \"shape\": \"box\", \"size\": [%g, %g, %g],"
                       "\"friction\": 0.45}]}";
    const char *joint = "{\"name\": \"j%s\", \"type\": \"prismatic\", \"parent\": \"world\", \"child\": \"%s\","
                        "\"axis\": [%d, 0, 0], \"origin\": {\"position\": [%g, 0, 0]}},";
    size_t at = (size_t)snprintf(text, sizeof text, "{\"pinion\": 1, \"links\": [{\"name\": \"world\"},");
    at += (size_t)snprintf(text + at, sizeof text - at, part, "a", 0.5, "a", 0.02, 0.1, 0.1);
    at += (size_t)snprintf(text + at, sizeof text - at, ",");
    at += (size_t)snprintf(text + at, sizeof text - at, part, "b", 0.5, "b", 0.02, 0.1, 0.1);
    at += (size_t)snprintf(text + at, sizeof text - at, ",");
    at += (size_t)snprintf(text + at, sizeof text - at, part, "x", mass, "x", 0.08, 0.06, 0.06);
    at += (size_t)snprintf(text + at, sizeof text - at, "], \"joints\": [");
    at += (size_t)snprintf(text + at, sizeof text - at, joint, "a", "a", 1, -0.05);
    at += (size_t)snprintf(text + at, sizeof text - at, joint, "b", "b", -1, 0.05);
    (void)snprintf(text + at, sizeof text - at, "{\"name\": \"jx\", \"type\": \"free\", \"parent\": \"world\","
                                                "\"child\": \"x\"}]}");
    pinion_error err;
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "test", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    if (!m) return;
    moving x = moving_new(m, 0, 1e-3);
    x.tau[0] = x.tau[1] = F;
    for (int i = 0; i < 300; i++) {
        moving_step(&x);
        CHECK_NEAR(hypot(x.v[2], hypot(x.v[3], x.v[4])), 0, 1e-6); /* it does not turn */
        CHECK(x.last.solution.undetermined > 0 && x.last.solution.least_norm);
    }
    const double a = 9.81 - 2 * mu * F / mass;
    CHECK_NEAR(x.v[7], -a * x.t, 1e-8);
    CHECK_NEAR(x.q[8], -0.5 * a * x.t * (x.t + x.h), 1e-8);
    moving_free(&x);
}

TEST(rows_are_derivatives_of_gaps)
{
    const body list[2] = {{PINION_SHAPE_ELLIPSOID, {0.3, 0.2, 0.1}, 1, 0.1, 0.5, 0},
                          {PINION_SHAPE_CYLINDER, {0.2, 0.5, 0}, 2, 0.2, 0.5, 0}};
    moving x = moving_new(bodies_model(2, list, down), 1, 1e-3);
    double J[36], base[14], gap[2];
    x.q[4] = 0.05, x.q[6] = 0.5;
    x.q[7] = cos(0.2), x.q[8] = sin(0.2), x.q[13] = 0.1;
    CHECK_STATUS(pinion_scene_find(x.s, x.w, x.q), PINION_OK);
    memcpy(base, x.q, sizeof base);
    const int count = pinion_scene_count(x.s);
    CHECK(count >= 1);
    for (int i = 0; i < count; i++) {
        pinion_scene_contact c;
        CHECK_STATUS(pinion_scene_find(x.s, x.w, base), PINION_OK);
        CHECK_STATUS(pinion_scene_contact_at(x.s, i, &c), PINION_OK);
        CHECK_STATUS(pinion_scene_jacobian(x.s, x.w, base, i, J), PINION_OK);
        for (int k = 0; k < 12; k++) {
            double d[12] = {0}, q[14];
            for (int side = 0; side < 2; side++) {
                d[k] = side ? 1 : -1;
                CHECK_STATUS(pinion_integrate(x.m, base, d, 1e-6, q), PINION_OK);
                CHECK_STATUS(pinion_scene_find(x.s, x.w, q), PINION_OK);
                CHECK(pinion_scene_count(x.s) == count);
                CHECK_STATUS(pinion_scene_contact_at(x.s, i, &c), PINION_OK);
                gap[side] = c.at.gap;
            }
            CHECK_NEAR(J[k], (gap[1] - gap[0]) / 2e-6, 1e-7);
        }
    }
    moving_free(&x);
}

TEST(energy_is_never_made)
{
    /* boxes with restitution and friction thrown onto the ground every which way: kinetic energy falls in every impact
       that is not pushed out of the ground */
    uint64_t seed = check_seed;
    const body box = {PINION_SHAPE_BOX, {0.3, 0.2, 0.1}, 1, 0.02, 0.9, 0.9};
    for (int round = 0; round < 10; round++) {
        moving x = moving_new(bodies_model(1, &box, down), 1, 1e-3);
        double kinetic, potential, before;
        double axis[4], size = 0;
        for (int k = 0; k < 4; k++) axis[k] = check_between(&seed, -1, 1);
        for (int k = 0; k < 4; k++) size += axis[k] * axis[k];
        for (int k = 0; k < 4; k++) x.q[k] = axis[k] / sqrt(size);
        for (int k = 0; k < 6; k++) x.v[k] = check_between(&seed, -5, 5);
        x.q[6] = 0.5;
        CHECK_STATUS(pinion_energy(x.m, x.w, x.q, x.v, 0, &kinetic, &potential), PINION_OK);
        before = kinetic + potential;
        for (int i = 0; i < 1000; i++) {
            moving_step(&x);
            CHECK_STATUS(pinion_energy(x.m, x.w, x.q, x.v, 0, &kinetic, &potential), PINION_OK);
            /* a step of the free motion may be off by its order: the gyroscopic part */
            CHECK(kinetic + potential <= before + 0.02 * before);
            before = fmin(before, kinetic + potential) + 1e-9;
        }
        CHECK(isfinite(x.q[6]) && x.q[6] > 0);
        moving_free(&x);
    }
}

TEST(filters_and_errors)
{
    pinion_error err;
    const body list[2] = {{PINION_SHAPE_SPHERE, {0.1, 0, 0}, 1, 0.1, 0.5, 0},
                          {PINION_SHAPE_SPHERE, {0.1, 0, 0}, 1, 0.1, 0.7, 0}};
    pinion_model *m = bodies_model(2, list, down);
    pinion_scene_options o = pinion_scene_options_default();
    pinion_scene *s = pinion_scene_new(m, NULL, &err);
    CHECK(pinion_scene_pair_count(s) == 1);
    pinion_scene_free(s);
    o.ground = 1;
    s = pinion_scene_new(m, &o, &err);
    CHECK(pinion_scene_pair_count(s) == 3 && pinion_scene_left_out(s) == 0);
    pinion_scene_free(s);
    o.contacts = 1;
    s = pinion_scene_new(m, &o, &err);
    pinion_work *w = pinion_work_new(m);
    double q[14] = {1, 0, 0, 0, 0, 0, 0.1, 1, 0, 0, 0, 1, 0, 0.1}, v[12] = {0}, next[12] = {0};
    CHECK_STATUS(pinion_scene_find(s, w, q), PINION_ERR_MEMORY);
    CHECK_HAS(pinion_scene_message(s), "more than 1 points of contact; ");
    CHECK(pinion_scene_count(s) == 0);
    q[13] = 2; /* one of them alone */
    CHECK_STATUS(pinion_scene_find(s, w, q), PINION_OK);
    pinion_scene_contact c;
    CHECK_STATUS(pinion_scene_contact_at(s, 0, &c), PINION_OK);
    CHECK_NEAR(c.friction, 0.5, 0);
    CHECK_STATUS(pinion_scene_contact_at(s, 1, &c), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_scene_impulse(s, w, 0, q, v, next, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_scene_find(s, w, NULL), PINION_ERR_ARGUMENT);
    q[0] = 2;
    CHECK_STATUS(pinion_scene_find(s, w, q), PINION_ERR_QUATERNION);
    pinion_scene_free(s);
    o.margin = -1;
    CHECK(pinion_scene_new(m, &o, &err) == NULL && err.status == PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "margin must be 0 or more");
    CHECK(pinion_scene_new(NULL, NULL, &err) == NULL);
    pinion_scene_free(NULL);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(little_memory)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_error err;
    const body list[2] = {{PINION_SHAPE_SPHERE, {0.1, 0, 0}, 1, 0.1, 0.5, 0},
                          {PINION_SHAPE_BOX, {0.1, 0.1, 0.1}, 1, 0.1, 0.7, 0}};
    moving x = moving_new(bodies_model(2, list, down), 1, 1e-3);
    pinion_scene_options o = pinion_scene_options_default();
    o.ground = 1;
    pinion_scene *s = NULL;
    int failures = 0;
    for (; !s && failures < 100; failures++) {
        const long live = alloc_live;
        alloc_until = failures;
        s = pinion_scene_new(x.m, &o, &err);
        alloc_until = -1;
        if (!s) CHECK(err.status == PINION_ERR_MEMORY && alloc_live == live);
    }
    CHECK(s != NULL && failures > 5);
    pinion_scene_free(s);
    /* a step does not allocate */
    x.q[6] = 0.1, x.q[13] = 0.3;
    moving_step(&x);
    const long before = alloc_calls;
    moving_step(&x);
    CHECK(alloc_calls == before);
    moving_free(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_block_on_a_slope);
    RUN(a_block_that_comes_to_rest);
    RUN(what_begins_inside_comes_out);
    RUN(a_ball_that_bounces);
    RUN(a_bounce_does_not_go_in);
    RUN(a_table_on_four_legs);
    RUN(a_block_that_gives_way);
    RUN(newtons_cradle);
    RUN(a_chain_of_impacts);
    RUN(a_ball_that_slips_then_rolls);
    RUN(a_box_that_tips);
    RUN(a_gripper);
    RUN(a_block_that_slips_out_of_a_gripper);
    RUN(rows_are_derivatives_of_gaps);
    RUN(energy_is_never_made);
    RUN(filters_and_errors);
    RUN(little_memory);
    return CHECK_END();
}
