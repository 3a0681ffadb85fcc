/* Bodies on planar joints, whose velocities are in frames that turn; stops of planar and of loop joints; impacts that
 * follow each other within a step; impulses of a scene alone. */
#include "check.h"
#include "contact/bodies.h"

static const double none[3] = {0, 0, 0};

/* A body on a joint from the world, its frame beside its centre of mass, a ball at its origin. `axis` is the normal of
 * a planar joint; its x ends at `end`. */
static pinion_model *one_body(pinion_joint_type type, const double axis[3], const double com[3], double end,
                              const double gravity[3], int loop)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_builder *b = pinion_builder_new("planar");
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    pinion_dof dof[3];
    link.name = "world";
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    link.name = "body";
    link.inertia = (pinion_inertia){2, {com[0], com[1], com[2]}, {0.05, 0, 0, 0.05, 0, 0.05}};
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    joint.name = "j";
    joint.type = type;
    joint.parent = "world";
    joint.child = "body";
    if (type == PINION_JOINT_PLANAR) memcpy(joint.axis, axis, sizeof joint.axis);
    for (int k = 0; k < 3; k++) dof[k] = joint.dof[k];
    if (type == PINION_JOINT_PLANAR && !loop) joint.dof[0].upper = end;
    if (type == PINION_JOINT_PLANAR && !loop) joint.dof[1].lower = -end;
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    if (loop) {
        joint.name = "rail";
        joint.type = PINION_JOINT_PRISMATIC;
        joint.axis[0] = 1;
        joint.axis[1] = joint.axis[2] = 0;
        for (int k = 0; k < 3; k++) joint.dof[k] = dof[k];
        joint.dof[0].upper = end;
        joint.dof[0].lower = -end;
        CHECK_STATUS(pinion_builder_add_loop(b, &joint, &err), PINION_OK);
    }
    pinion_collision_def shape = pinion_collision_def_default();
    shape.link = shape.name = "body";
    shape.shape = PINION_SHAPE_SPHERE;
    shape.size[0] = 0.1;
    shape.friction[0] = 0.5;
    shape.restitution = 0.5;
    CHECK_STATUS(pinion_builder_add_collision(b, &shape, &err), PINION_OK);
    return bodies_build(b, gravity);
}

static void go(const pinion_model *m, pinion_work *w, pinion_scene *s, double h, int steps, double *q, double *v)
{
    double a[12];
    for (int k = 0; k < steps; k++) {
        CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, NULL, NULL, a), PINION_OK);
        CHECK_STATUS(pinion_scene_step(s, w, h, q, v, a, q, v, NULL), PINION_OK);
    }
}

/* What spins and is pushed by nothing goes straight, by its centre of mass. */
TEST(a_body_that_spins_goes_straight)
{
    const double z[3] = {0, 0, 1}, com[2][3] = {{0, 0, 0}, {0.1, -0.05, 0}};
    for (int k = 0; k < 2; k++) {
        pinion_error err;
        pinion_model *m = one_body(PINION_JOINT_PLANAR, z, com[k], INFINITY, none, 0);
        pinion_work *w = pinion_work_new(m);
        pinion_scene *s = pinion_scene_new(m, NULL, &err);
        double q[3] = {0, 0, 0.4}, v[3] = {1, 0.5, 3}, x0[3], x[3], p0[6], p[6];
        CHECK_STATUS(pinion_center_of_mass(m, w, q, NULL, x0, NULL), PINION_OK);
        CHECK_STATUS(pinion_momentum(m, w, q, v, p0), PINION_OK);
        go(m, w, s, 1e-3, 1000, q, v);
        CHECK_STATUS(pinion_center_of_mass(m, w, q, NULL, x, NULL), PINION_OK);
        CHECK_STATUS(pinion_momentum(m, w, q, v, p), PINION_OK);
        CHECK_NEAR(q[2], 3.4, k ? 1e-3 : 1e-12);
        /* with its frame in the centre of mass but for rounding, else to second order of the step's angle, 3e-3 */
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(x[i], x0[i] + p0[3 + i] / 2, k ? 2e-3 : 1e-12);
            CHECK_NEAR(p[3 + i], p0[3 + i], k ? 2e-3 : 1e-12);
        }
        pinion_scene_free(s);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* In a plane that stands upright a ball that is thrown down bounces as it does in space, and takes a spin along. */
TEST(as_in_space)
{
    const double y[3] = {0, 1, 0}, thrown[3] = {1, 0, -2};
    pinion_error err;
    pinion_scene_options o = pinion_scene_options_default();
    o.ground = 1;
    pinion_model *flat = one_body(PINION_JOINT_PLANAR, y, none, INFINITY, none, 0),
                 *space = one_body(PINION_JOINT_FREE, NULL, none, INFINITY, none, 0);
    pinion_work *w[2] = {pinion_work_new(flat), pinion_work_new(space)};
    pinion_scene *s[2] = {pinion_scene_new(flat, &o, &err), pinion_scene_new(space, &o, &err)};
    /* where x and y of the plane point is read off */
    double q[3] = {0, 0, 0}, v[3] = {0, 0, 2}, Q[7] = {1, 0, 0, 0, 0, 0, 0.3013}, V[6] = {0, 2, 0, 1, 0, -2};
    double side[2][3], at[2][3], R[9];
    const int frame[2] = {pinion_model_find_frame(flat, "body"), pinion_model_find_frame(space, "body")};
    for (int k = 0; k < 2; k++) {
        double unit[3] = {k == 0, k == 1, 0};
        CHECK_STATUS(pinion_frame_pose(flat, w[0], unit, frame[0], side[k], R), PINION_OK);
    }
    for (int k = 0; k < 2; k++) {
        q[k] = Q[6] * side[k][2];
        v[k] = thrown[0] * side[k][0] + thrown[2] * side[k][2];
    }
    for (int k = 0; k < 10; k++) {
        go(flat, w[0], s[0], 1e-3, 80, q, v);
        go(space, w[1], s[1], 1e-3, 80, Q, V);
        CHECK_STATUS(pinion_frame_pose(flat, w[0], q, frame[0], at[0], R), PINION_OK);
        CHECK_STATUS(pinion_frame_pose(space, w[1], Q, frame[1], at[1], R), PINION_OK);
        /* a free body turns round where it touches within the step, a planar one at its beginning: h (2 + 1) apart */
        for (int i = 0; i < 3; i++) CHECK_NEAR(at[0][i], at[1][i], 3e-3);
        const pinion_reference as = PINION_REFERENCE_WORLD_ALIGNED;
        double there[2][6];
        CHECK_STATUS(pinion_frame_velocity(flat, w[0], q, v, frame[0], as, there[0]), PINION_OK);
        CHECK_STATUS(pinion_frame_velocity(space, w[1], Q, V, frame[1], as, there[1]), PINION_OK);
        for (int i = 0; i < 6; i++) CHECK_NEAR(there[0][i], there[1][i], 1e-9);
    }
    /* half as fast upwards since it was there, but for the step in which that was */
    CHECK_NEAR(at[0][2], 0.1 + 0.8 - 0.2013 / 2, 2e-3);
    CHECK(V[1] > 2 && at[0][0] < 0.8);
    for (int k = 0; k < 2; k++) {
        pinion_scene_free(s[k]);
        pinion_work_free(w[k]);
    }
    pinion_model_free(flat);
    pinion_model_free(space);
}

/* The stops of a planar joint are along the parent's axes, whichever way the body has turned. */
TEST(stops_of_a_planar_joint)
{
    const double z[3] = {0, 0, 1};
    for (int k = 0; k < 2; k++) {
        pinion_error err;
        pinion_model *m = one_body(PINION_JOINT_PLANAR, z, none, 0.5, none, 0);
        pinion_work *w = pinion_work_new(m);
        pinion_scene *s = pinion_scene_new(m, NULL, &err);
        double q[3] = {0, 0, 0.3}, along[2] = {k ? 0.3 : 1, k ? -1 : 0.3};
        double v[3] = {cos(0.3) * along[0] + sin(0.3) * along[1], cos(0.3) * along[1] - sin(0.3) * along[0], 3};
        go(m, w, s, 1e-3, 1000, q, v);
        const double vx = cos(q[2]) * v[0] - sin(q[2]) * v[1], vy = sin(q[2]) * v[0] + cos(q[2]) * v[1];
        CHECK_NEAR(q[k], k ? -0.5 : 0.5, 1e-9);
        CHECK_NEAR(k ? vy : vx, 0, 1e-9);
        CHECK_NEAR(q[1 - k], 0.3, 1e-9);
        CHECK_NEAR(k ? vx : vy, 0.3, 1e-9);
        CHECK_NEAR(v[2], 3, 1e-9);
        pinion_scene_free(s);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* a rail that closes a loop ends, too */
TEST(stops_of_a_loop_joint)
{
    const double z[3] = {0, 0, 1};
    pinion_error err;
    pinion_model *m = one_body(PINION_JOINT_PLANAR, z, none, 0.5, none, 1);
    pinion_work *w = pinion_work_new(m);
    pinion_scene *s = pinion_scene_new(m, NULL, &err);
    double q[3] = {0, 0, 0}, v[3] = {1, 0, 0}, tau[3];
    go(m, w, s, 1e-3, 400, q, v);
    CHECK_NEAR(q[0], 0.4, 1e-9);
    go(m, w, s, 1e-3, 99, q, v);
    go(m, w, s, 1e-3, 3, q, v);
    CHECK_STATUS(pinion_scene_joint_forces(s, tau), PINION_OK);
    go(m, w, s, 1e-3, 300, q, v);
    CHECK_NEAR(q[0], 0.5, 1e-9);
    CHECK_NEAR(v[0], 0, 1e-9);
    CHECK(fabs(q[1]) < 1e-9 && fabs(q[2]) < 1e-9);
    pinion_scene_free(s);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Balls of equal mass in a row, a little apart: the first one's velocity goes through all of them within a step. */
TEST(impacts_one_after_the_other)
{
    const body ball = {PINION_SHAPE_SPHERE, {0.01, 0, 0}, 0.1, 4e-6, 0, 1}, list[4] = {ball, ball, ball, ball};
    pinion_error err;
    pinion_model *m = bodies_model(4, list, none);
    pinion_work *w = pinion_work_new(m);
    pinion_scene *s = pinion_scene_new(m, NULL, &err);
    double q[28] = {0}, v[24] = {0}, a[24] = {0};
    for (int i = 0; i < 4; i++) {
        q[7 * i] = 1;
        q[7 * i + 4] = 0.021 * i;
    }
    v[3] = 1;
    pinion_scene_report r;
    int impacts = 0;

    /* the impulse alone: all of them in one call */
    double next[24];
    memcpy(next, v, sizeof next);
    CHECK_STATUS(pinion_scene_impulse(s, w, 1e-2, q, v, next, &r), PINION_OK);
    for (int i = 0; i < 4; i++) CHECK_NEAR(next[6 * i + 3], i == 3, 1e-9);
    CHECK(r.solved && r.impacts == 3);
    for (int step = 0; step < 4; step++) {
        CHECK_STATUS(pinion_scene_step(s, w, 1e-2, q, v, a, q, v, &r), PINION_OK);
        CHECK(r.solved);
        impacts += r.impacts;
    }
    for (int i = 0; i < 4; i++) CHECK_NEAR(v[6 * i + 3], i == 3, 1e-9);
    CHECK(impacts > 0);
    pinion_scene_free(s);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* The impulse alone: what falls on the ground within a step stops there, what does not goes on. */
TEST(an_impulse_alone)
{
    const double down[3] = {0, 0, -9.81};
    pinion_error err;
    pinion_scene_options o = pinion_scene_options_default();
    o.ground = 1;
    pinion_model *m = one_body(PINION_JOINT_FREE, NULL, none, INFINITY, down, 0);
    pinion_work *w = pinion_work_new(m);
    pinion_scene *s = pinion_scene_new(m, &o, &err);
    const double q[7] = {1, 0, 0, 0, 0, 0, 0.1}, high[7] = {1, 0, 0, 0, 0, 0, 0.5}, v[6] = {0};
    double free_v[6] = {0, 0, 0, 0, 0, -9.81e-3}, next[6];
    memcpy(next, free_v, sizeof next);
    CHECK_STATUS(pinion_scene_impulse(s, w, 1e-3, q, v, next, NULL), PINION_OK);
    CHECK_NEAR(next[5], 0, 1e-12);
    memcpy(next, free_v, sizeof next);
    CHECK_STATUS(pinion_scene_impulse(s, w, 1e-3, high, v, next, NULL), PINION_OK);
    CHECK_NEAR(next[5], -9.81e-3, 1e-15);
    double J[18];
    CHECK_STATUS(pinion_scene_jacobian(s, w, q, 99, J), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_scene_message(s), "there is no contact of that number");
    o.limit_stiffness = -1;
    CHECK(pinion_scene_new(m, &o, &err) == NULL);
    CHECK_HAS(err.message, "limit_stiffness and limit_damping must be 0 or more");
    pinion_scene_free(s);
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_body_that_spins_goes_straight);
    RUN(as_in_space);
    RUN(stops_of_a_planar_joint);
    RUN(stops_of_a_loop_joint);
    RUN(impacts_one_after_the_other);
    RUN(an_impulse_alone);
    return CHECK_END();
}
