/* Motion between contacts: bodies that tumble keep energy and momentum, spin after a bounce is that of the impulse at
 * the surface, and what is fast does not pass through what is thin. */
#include "check.h"
#include "contact/bodies.h"

static const double none[3] = {0, 0, 0};

/* a body whose frame is beside its centre of mass, and one that hangs on it by a joint where `more` */
static pinion_model *tumbler(const double com[3], int more)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("tumbler");
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    link.name = "world";
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    link.name = "body";
    link.inertia = (pinion_inertia){2, {com[0], com[1], com[2]}, {0.02, 0.001, 0, 0.05, 0.002, 0.06}};
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    joint.name = "root";
    joint.type = PINION_JOINT_FREE;
    joint.parent = "world";
    joint.child = "body";
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    if (more) {
        link.name = "arm";
        link.inertia = (pinion_inertia){0.5, {0, 0, 0.1}, {0.004, 0, 0, 0.003, 0, 0.002}};
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        joint = pinion_joint_def_default();
        joint.name = "hinge";
        joint.type = PINION_JOINT_CONTINUOUS;
        joint.parent = "body";
        joint.child = "arm";
        joint.axis[0] = 1;
        joint.axis[1] = joint.axis[2] = 0;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_load_options o = pinion_load_options_default();
    o.set_gravity = 1;
    memcpy(o.gravity, none, sizeof none);
    pinion_model *m = pinion_builder_build(b, &o, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* Tumbles for some seconds about its middle axis; how far energy and momentum came off, as shares, at most. */
static void tumble(pinion_model *m, double seconds, double speed, double *energy, double *momentum)
{
    pinion_error err;
    pinion_work *w = pinion_work_new(m);
    pinion_scene *s = pinion_scene_new(m, NULL, &err);
    double q[8] = {1, 0, 0, 0, 0, 0, 0, 0.3}, v[7] = {0.05, 1, 0.05, 0.1, 0.2, 0.3, 0.4}, a[7], p[6], p0[6];
    double k, k0, size = 0, turned = 0;
    for (int i = 0; i < 7; i++) v[i] *= speed;
    CHECK_STATUS(pinion_energy(m, w, q, v, 0, &k0, NULL), PINION_OK);
    CHECK_STATUS(pinion_momentum(m, w, q, v, p0), PINION_OK);
    *energy = *momentum = 0;
    const double h = 1e-3;
    for (int step = 0; step < seconds / h; step++) {
        CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, NULL, NULL, a), PINION_OK);
        CHECK_STATUS(pinion_scene_step(s, w, h, q, v, a, q, v, NULL), PINION_OK);
        if (step % 50) continue;
        CHECK_STATUS(pinion_energy(m, w, q, v, 0, &k, NULL), PINION_OK);
        CHECK_STATUS(pinion_momentum(m, w, q, v, p), PINION_OK);
        *energy = fmax(*energy, fabs(k - k0) / k0);
        size = turned = 0;
        for (int i = 0; i < 3; i++) { /* about the centre of mass */
            size += p0[i] * p0[i];
            turned += (p[i] - p0[i]) * (p[i] - p0[i]);
        }
        *momentum = fmax(*momentum, sqrt(turned / size));
    }
    pinion_scene_free(s);
    pinion_work_free(w);
}

TEST(a_body_that_tumbles)
{
    const double at[2][3] = {{0, 0, 0}, {0.1, -0.05, 0.2}};
    for (int k = 0; k < 2; k++) {
        double energy, momentum;
        pinion_model *m = tumbler(at[k], 0);
        tumble(m, check_rounds(60), 10, &energy, &momentum);
        /* places and velocities of the frame are of order one, but go round with it */
        CHECK(energy < (k ? 1e-3 : 1e-9) && momentum < 1e-3);
        pinion_model_free(m);
    }
}

/* with an arm, whose inertia moves about: steps are of order two, and symmetric */
TEST(bodies_that_tumble)
{
    double energy, momentum;
    pinion_model *m = tumbler(none, 1);
    tumble(m, check_rounds(60), 10, &energy, &momentum);
    CHECK(energy < 3e-3 && momentum < 3e-3);
    pinion_model_free(m);
}

/* A ball that does not spin hits the ground and sticks: of its velocity along the ground 1 / (1 + m r^2 / I) is lost,
 * and it rolls with the rest. It is small, and a step is as long as its radius. */
TEST(spin_after_an_oblique_bounce)
{
    const double r = 0.005, mass = 0.01, inertia = 0.4 * mass * r * r, speed = 3;
    const body ball = {PINION_SHAPE_SPHERE, {0.005, 0, 0}, mass, inertia, 5, 0.6};
    for (int k = 0; k < 8; k++) {
        pinion_error err;
        pinion_model *m = bodies_model(1, &ball, none);
        pinion_scene_options o = pinion_scene_options_default();
        o.ground = 1;
        pinion_scene *s = pinion_scene_new(m, &o, &err);
        pinion_work *w = pinion_work_new(m);
        double q[7] = {1, 0, 0, 0, 0, 0, r + 0.01 + 4e-4 * k}, v[6] = {0, 0, 0, 2, 0, -speed}, a[6];
        for (int step = 0; step < 8; step++) {
            CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, NULL, NULL, a), PINION_OK);
            CHECK_STATUS(pinion_scene_step(s, w, 1e-3, q, v, a, q, v, NULL), PINION_OK);
        }
        double V[6];
        const int frame = pinion_model_find_frame(m, "b0");
        CHECK_STATUS(pinion_frame_velocity(m, w, q, v, frame, PINION_REFERENCE_WORLD_ALIGNED, V), PINION_OK);
        CHECK_NEAR(V[5], 0.6 * speed, 1e-9);
        CHECK_NEAR(V[3], 2 * 5.0 / 7, 1e-6);
        CHECK_NEAR(V[1], 2 * 5.0 / 7 / r, 1e-6 / r);
        pinion_work_free(w);
        pinion_scene_free(s);
        pinion_model_free(m);
    }
}

/* A ball goes ten times its size in a step, against a plate that is thinner than that. */
TEST(fast_bodies_do_not_pass)
{
    const body list[2] = {{PINION_SHAPE_SPHERE, {0.01, 0, 0}, 0.1, 1e-5, 0, 0.5},
                          {PINION_SHAPE_BOX, {0.002, 1, 1}, 1e6, 1e6, 0, 0.5}};
    for (int k = 0; k < 5; k++) {
        pinion_error err;
        pinion_model *m = bodies_model(2, list, none);
        pinion_scene *s = pinion_scene_new(m, NULL, &err);
        pinion_work *w = pinion_work_new(m);
        double q[14] = {1, 0, 0, 0, -0.5 + 0.017 * k, 0, 0, 1, 0, 0, 0, 0, 0, 0}, v[12] = {0, 0, 0, 100}, a[12] = {0};
        for (int step = 0; step < 20; step++) {
            CHECK_STATUS(pinion_scene_step(s, w, 1e-3, q, v, a, q, v, NULL), PINION_OK);
            CHECK(q[4] < -0.01);
        }
        CHECK_NEAR(v[3], -50, 1e-3);
        pinion_work_free(w);
        pinion_scene_free(s);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_body_that_tumbles);
    RUN(bodies_that_tumble);
    RUN(spin_after_an_oblique_bounce);
    RUN(fast_bodies_do_not_pass);
    return CHECK_END();
}
