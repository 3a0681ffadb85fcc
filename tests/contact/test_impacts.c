/* Impacts at the instant at which bodies meet: normals, levers and times are those of bodies that touch, however long
 * the steps. All that is expected here is closed. */
#include "check.h"
#include "contact/bodies.h"

static const double none[3] = {0, 0, 0}, down[3] = {0, 0, -9.81};

/* angular momentum about the origin, and linear momentum */
static void momentum_of(moving *x, int count, const body *list, double out[6])
{
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < count; i++) {
        double V[6];
        const double *p = x->q + 7 * i + 4, m = list[i].mass;
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        CHECK_STATUS(pinion_frame_velocity(x->m, x->w, x->q, x->v, pinion_model_find_frame(x->m, name),
                                           PINION_REFERENCE_WORLD_ALIGNED, V),
                     PINION_OK);
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            out[k] += list[i].inertia * V[k] + m * (p[a] * V[3 + b] - p[b] * V[3 + a]);
            out[3 + k] += m * V[3 + k];
        }
    }
}

/* A ball meets another at rest, b beside its centre: Newton's restitution and Coulomb's friction along the plane in
 * which they touch. Steps are long: within one it goes a seventh of its radius. */
TEST(balls_that_glance)
{
    const double r = 0.028, m = 0.17, speed = 4, e = 0.93, inertia = 0.4 * m * r * r;
    for (int k = 0; k < 12; k++) {
        const double b = (0.1 + 0.35 * (k % 3)) * 2 * r, mu = k < 6 ? 0.1 : 0, h = k % 2 ? 1e-3 : 3e-3;
        const body ball = {PINION_SHAPE_SPHERE, {r, 0, 0}, m, inertia, mu, e}, two[2] = {ball, ball};
        const double near = sqrt(4 * r * r - b * b);
        double before[6], after[6];
        moving x = moving_new(bodies_model(2, two, none), 0, h);
        x.q[4] = -near - (5.2 + 0.07 * k) * speed * h;
        x.q[5] = b;
        x.v[3] = speed;
        momentum_of(&x, 2, two, before);
        for (int step = 0; step < 12; step++) moving_step(&x);
        momentum_of(&x, 2, two, after);
        for (int i = 0; i < 3; i++) CHECK_NEAR(after[i], before[i], 1e-9 * m * speed * r);
        for (int i = 3; i < 6; i++) CHECK_NEAR(after[i], before[i], 1e-9 * m * speed);

        /* along the normal and along (-ny, nx) */
        const double nx = near / (2 * r), ny = -b / (2 * r), push = (1 + e) * speed * nx * m / 2, past = -speed * ny;
        const double rub = fmin(mu * push, past / (2 / m + 2 * r * r / inertia));
        CHECK_NEAR(x.v[2], -r * rub / inertia, 1e-5 * speed / r);
        CHECK_NEAR(x.v[6 + 2], -r * rub / inertia, 1e-5 * speed / r);
        const double c = cos(2 * acos(x.q[7])), s = 2 * x.q[7] * x.q[10]; /* turned about z */
        CHECK_NEAR(c * x.v[9] - s * x.v[10], (push * nx - rub * ny) / m, 1e-5 * speed);
        CHECK_NEAR(s * x.v[9] + c * x.v[10], (push * ny + rub * nx) / m, 1e-5 * speed);
        moving_free(&x);
    }
}

/* where and how fast a ball is that fell from a height, with restitution e, after a time */
static void bounced(double height, double e, double t, double *z, double *v)
{
    const double g = -down[2];
    double speed = sqrt(2 * g * height), flight = speed / g;
    if (t < flight) {
        *z = height - 0.5 * g * t * t;
        *v = -g * t;
        return;
    }
    for (t -= flight;; t -= flight) {
        speed *= e;
        flight = 2 * speed / g;
        if (t < flight) break;
    }
    *z = speed * t - 0.5 * g * t * t;
    *v = speed - g * t;
}

/* A ball that falls and bounces is where it should be, to rounding of the instants, in steps of 4 ms. */
TEST(a_ball_that_bounces)
{
    const double h = 4e-3, r = 0.05;
    for (int k = 0; k < 3; k++) {
        const double e = 0.6 + 0.2 * k, height = 1.3 - 0.21 * k;
        const body ball = {PINION_SHAPE_SPHERE, {r, 0, 0}, 0.3, 1e-4, 0.5, e};
        double z, v;
        moving x = moving_new(bodies_model(1, &ball, down), 1, h);
        x.q[6] = r + height;
        for (int step = 1; step <= 300; step++) {
            moving_step(&x);
            bounced(height, e, step * h, &z, &v);
            CHECK_NEAR(x.q[6] - r, z, 1e-6);
            CHECK_NEAR(x.v[5], v, 1e-5);
            CHECK(x.q[6] - r > -1e-8);
        }
        moving_free(&x);
    }
}

/* Without loss it bounces for a minute, and spins, and what it has does not grow. */
TEST(energy_of_a_ball_that_bounces)
{
    const double r = 0.03;
    const body ball = {PINION_SHAPE_SPHERE, {r, 0, 0}, 0.2, 1e-4, 0, 1};
    double kinetic, potential, first = 0;
    moving x = moving_new(bodies_model(1, &ball, down), 1, 2e-3);
    x.q[6] = r + 0.4;
    x.v[1] = 30;
    x.v[3] = 0.5;
    for (int step = 0; step < 30000; step++) {
        if (step) moving_step(&x);
        CHECK_STATUS(pinion_energy(x.m, x.w, x.q, x.v, 0, &kinetic, &potential), PINION_OK);
        if (!step) first = kinetic + potential;
        CHECK_NEAR(kinetic + potential, first, 1e-5 * first); /* free motion near the ground is known to 1e-8 a step */
    }
    moving_free(&x);
}

/* Forces of a step with an impact in it are all that was given, over the whole step: of each pair, and of joints. */
TEST(forces_of_an_impact)
{
    const double r = 0.05, m = 0.3, h = 1e-3;
    const body ball = {PINION_SHAPE_SPHERE, {r, 0, 0}, m, 1e-4, 0.5, 0.7};
    moving x = moving_new(bodies_model(1, &ball, down), 1, h);
    x.q[6] = r + 0.0013;
    x.v[5] = -2;
    int impacts = 0;
    for (int step = 0; step < 4; step++) {
        const double before = x.v[5];
        double tau[6];
        pinion_scene_pair pair;
        moving_step(&x);
        impacts += x.last.impacts;
        CHECK_STATUS(pinion_scene_pair_at(x.s, 0, &pair), PINION_OK);
        CHECK_STATUS(pinion_scene_joint_forces(x.s, tau), PINION_OK);
        CHECK_NEAR(fabs(pair.force[2]), m * (x.v[5] - before - h * down[2]) / h, 1e-9 * m / h);
        CHECK_NEAR(tau[5], m * (x.v[5] - before - h * down[2]) / h, 1e-9 * m / h);
    }
    CHECK(impacts == 1);
    moving_free(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(balls_that_glance);
    RUN(a_ball_that_bounces);
    RUN(energy_of_a_ball_that_bounces);
    RUN(forces_of_an_impact);
    return CHECK_END();
}
