/* Bodies of all shapes that fall onto the ground and onto each other, every which way: steps are solved, all but one of
 * a hundred at the worst, and to 1e-4 m/s those too; nothing goes through anything, no energy is made. */
#include "check.h"
#include "contact/bodies.h"

static const double down[3] = {0, 0, -10};

static body random_body(uint64_t *seed, pinion_shape shape, double restitution)
{
    body b = {shape, {0, 0, 0}, check_between(seed, 0.2, 5), 0, check_between(seed, 0.1, 1), restitution};
    for (int k = 0; k < 3; k++) b.size[k] = check_between(seed, 0.1, 0.3);
    if (shape != PINION_SHAPE_BOX) b.size[0] *= 0.5; /* a radius */
    if (shape == PINION_SHAPE_ELLIPSOID)
        for (int k = 1; k < 3; k++) b.size[k] *= 0.5;
    b.inertia = b.mass * 0.008;
    return b;
}

/* drops a pile and watches it for so many steps */
static void drop(uint64_t seed, int count, const pinion_shape *shapes, int kinds, int steps)
{
    body list[6];
    double a[64];
    double kinetic, potential, before, most = 0;
    int softened = 0, unsolved = 0;
    for (int i = 0; i < count; i++)
        list[i] = random_body(&seed, shapes[(int)(check_uniform(&seed) * kinds) % kinds], 0);
    moving x = moving_new(bodies_model(count, list, down), 1, 1e-3);
    for (int i = 0; i < count; i++) {
        double *q = x.q + 7 * i, size = 0;
        for (int k = 0; k < 4; k++) q[k] = check_between(&seed, -1, 1);
        for (int k = 0; k < 4; k++) size += q[k] * q[k];
        for (int k = 0; k < 4; k++) q[k] /= sqrt(size);
        q[4] = check_between(&seed, -0.1, 0.1);
        q[5] = check_between(&seed, -0.1, 0.1);
        q[6] = 0.3 + 0.45 * i;
        for (int k = 0; k < 3; k++) x.v[6 * i + k] = check_between(&seed, -3, 3);
    }
    CHECK_STATUS(pinion_energy(x.m, x.w, x.q, x.v, 0, &kinetic, &potential), PINION_OK);
    before = kinetic + potential;
    for (int i = 0; i < steps; i++) {
        CHECK_STATUS(pinion_forward_dynamics(x.m, x.w, x.q, x.v, NULL, NULL, a), PINION_OK);
        CHECK_STATUS(pinion_scene_step(x.s, x.w, x.h, x.q, x.v, a, x.q, x.v, &x.last), PINION_OK);
        x.deepest = fmax(x.deepest, x.last.penetration);
        CHECK_STATUS(pinion_energy(x.m, x.w, x.q, x.v, 0, &kinetic, &potential), PINION_OK);
        /* a step of the free motion is of order one, and so is what a penetration that is taken back gives */
        most = fmax(most, kinetic);
        CHECK(kinetic + potential <= before + 0.02 * most);
        before = fmin(before, kinetic + potential);
        softened += x.last.softened;
        unsolved += !x.last.solved;
        CHECK(!x.last.solved || x.last.solution.residuals.natural < 1e-4); /* a step that is not solved says so */
    }
    for (int i = 0; i < count; i++) CHECK(x.q[7 * i + 6] > 0);
    CHECK(x.deepest < 0.02);
    CHECK(softened * 20 <= steps && unsolved * 400 <= steps);
    moving_free(&x);
}

TEST(one_of_each)
{
    static const pinion_shape all[] = {PINION_SHAPE_SPHERE, PINION_SHAPE_BOX, PINION_SHAPE_CAPSULE,
                                       PINION_SHAPE_CYLINDER, PINION_SHAPE_ELLIPSOID, PINION_SHAPE_CONE};
    for (int k = 0; k < 6; k++) drop(check_seed + (uint64_t)k, 1, all + k, 1, 1500);
}

TEST(piles)
{
    static const pinion_shape all[] = {PINION_SHAPE_SPHERE, PINION_SHAPE_BOX, PINION_SHAPE_CAPSULE,
                                       PINION_SHAPE_CYLINDER, PINION_SHAPE_ELLIPSOID, PINION_SHAPE_CONE};
    for (int k = 0; k < 2; k++) drop(check_seed + 100 + (uint64_t)k, 5, all, 6, 800);
    drop(check_seed + 200, 3, all + 1, 1, 700);
    drop(check_seed + 201, 3, all + 5, 1, 700);
}

/* A cone that lies on its side touches in two points of one line: they move as one, and neither friction nor rounding
 * may pull between them. */
TEST(a_cone_on_its_side)
{
    const body cone = {PINION_SHAPE_CONE, {0.1, 0.3, 0}, 1, 0.006, 0.6, 0};
    moving x = moving_new(bodies_model(1, &cone, down), 1, 1e-3);
    const double half = 0.5 * (1.57079632679489662 + atan2(0.1, 0.3)); /* onto a line of its side */
    x.q[0] = cos(half), x.q[2] = sin(half);
    x.q[6] = 0.1;
    int iterations = 0;
    for (int i = 0; i < 1500; i++) {
        moving_step(&x);
        CHECK(!x.last.softened);
        iterations += x.last.solution.iterations;
    }
    CHECK(x.last.contacts >= 2);
    CHECK(iterations < 30 * 1500);
    moving_free(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(one_of_each);
    RUN(piles);
    RUN(a_cone_on_its_side);
    return CHECK_END();
}
