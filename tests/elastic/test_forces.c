/* Force elements on elastic links: a force on a link that is fixed to one bends it; where f_ext has no place for a
 * force it is refused, and not lost. */
#include "beams.h"
#include "pinion/sim/forces.h"
#include "pinion/sim/sim.h"

/* a cantilever with a frame half way, and with a link on a fixed joint at its end */
static pinion_model *boom(void)
{
    pinion_elastic_def e = plain_beam(3, 0, 0);
    const double none[3] = {0, 0, 0};
    e.damping_ratio = 0.3;
    pinion_builder *b = pinion_builder_new("boom");
    CHECK_STATUS(pinion_builder_set_gravity(b, none, NULL), PINION_OK);
    add_link(b, "beam", 0, &e);
    add_link(b, "tool", 1e-3, NULL);
    add_joint(b, "mount", PINION_JOINT_FIXED, "beam", "tool", 2, 0);
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = "middle";
    frame.link = "beam";
    frame.pose.position[0] = 1;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    return build(b);
}

/* F L^3 / (3 EI) to what three modes have of it */
TEST(a_force_at_the_end)
{
    pinion_model *m = boom();
    pinion_forces *f = pinion_forces_new(m);
    pinion_wrench_def wrench = pinion_wrench_def_default();
    pinion_sim_options options = pinion_sim_options_default();
    pinion_error err;
    wrench.frame = pinion_model_find_frame(m, "tool");
    wrench.wrench[4] = 0.05;
    CHECK_STATUS(pinion_forces_add_wrench(f, &wrench, NULL), PINION_OK);
    options.forces = f;
    pinion_sim *s = pinion_sim_new(m, &options, &err);
    double q[3] = {0}, v[3] = {0}, x[3];
    pinion_work *w = pinion_work_new(m);
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    CHECK_STATUS(pinion_sim_advance(s, 40), PINION_OK);
    pinion_sim_state end = {.q = q, .v = v};
    CHECK_STATUS(pinion_sim_get(s, &end), PINION_OK);
    CHECK_STATUS(pinion_frame_pose(m, w, q, wrench.frame, x, NULL), PINION_OK);
    const double expected = 0.05 * 8 / (3 * 30);
    CHECK(x[1] < expected && x[1] > 0.998 * expected);
    CHECK_NEAR(end.drift, 0, 1e-9);
    pinion_sim_free(s);
    pinion_work_free(w);
    pinion_forces_free(f);
    pinion_model_free(m);
}

/* A beam that falls flat onto a floor, with a knob without mass at each end: it bends and bounces, and energy is
 * kept. */
TEST(dropped_on_a_floor)
{
    pinion_elastic_def e = plain_beam(0, 4, 0);
    const double gravity[3] = {0, 0, -9.81};
    pinion_builder *b = pinion_builder_new("dropped");
    pinion_link_def knob = pinion_link_def_default();
    CHECK_STATUS(pinion_builder_set_gravity(b, gravity, NULL), PINION_OK);
    add_link(b, "world", 0, NULL);
    add_link(b, "hub", 0.5, NULL);
    add_joint(b, "float", PINION_JOINT_FREE, "world", "hub", 0, 0);
    add_link(b, "beam", 0, &e);
    add_joint(b, "weld", PINION_JOINT_FIXED, "hub", "beam", 0, 0);
    knob.name = "near";
    CHECK_STATUS(pinion_builder_add_link(b, &knob, NULL), PINION_OK);
    add_joint(b, "at_hub", PINION_JOINT_FIXED, "hub", "near", 0, 0);
    knob.name = "far";
    CHECK_STATUS(pinion_builder_add_link(b, &knob, NULL), PINION_OK);
    add_joint(b, "at_end", PINION_JOINT_FIXED, "beam", "far", 2, 0);
    pinion_model *m = build(b);
    const int frame[2] = {pinion_model_find_frame(m, "near"), pinion_model_find_frame(m, "far")};
    pinion_forces *f = pinion_forces_new(m);
    pinion_ground_def ground = pinion_ground_def_default();
    ground.stiffness = 2e3, ground.exponent = 1.5, ground.damping = 0.1, ground.friction = 0.3, ground.slip = 0.05;
    ground.count = 2, ground.frame = frame;
    CHECK_STATUS(pinion_forces_add_ground(f, &ground, NULL), PINION_OK);
    pinion_sim_options options = pinion_sim_options_default();
    pinion_error err;
    options.forces = f;
    pinion_sim *s = pinion_sim_new(m, &options, &err);
    double q[11] = {1, 0, 0, 0, 0, 0, 0.2}, v[10] = {0}, most = 0;
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    pinion_sim_state end = {.q = q, .v = v};
    for (int i = 1; i <= 40; i++) {
        CHECK_STATUS(pinion_sim_advance(s, i * 0.01), PINION_OK);
        CHECK_STATUS(pinion_sim_get(s, &end), PINION_OK);
        most = fmax(most, fabs(q[7]));
    }
    CHECK(most > 0.01);                      /* m */
    CHECK(q[6] > -0.1 && q[6] < 0.2);        /* it lies there or is in the air again, and not below */
    CHECK_NEAR(end.drift, 0, 1e-7 * end.largest_kinetic); /* the exponent makes kinks where it touches */
    pinion_sim_free(s);
    pinion_forces_free(f);
    pinion_model_free(m);
}

TEST(what_is_refused)
{
    pinion_model *m = boom();
    pinion_forces *f = pinion_forces_new(m);
    const int middle = pinion_model_find_frame(m, "middle");
    static const char *const why = "\"middle\" is on an elastic link; expected a link that is fixed there";
    pinion_error err;
    pinion_wrench_def wrench = pinion_wrench_def_default();
    wrench.frame = middle;
    CHECK_STATUS(pinion_forces_add_wrench(f, &wrench, &err), PINION_ERR_ARGUMENT);
    CHECK(strstr(err.message, why));
    pinion_spring_def spring = pinion_spring_def_default();
    spring.frame_b = middle;
    CHECK_STATUS(pinion_forces_add_spring(f, &spring, &err), PINION_ERR_ARGUMENT);
    CHECK(strstr(err.message, why));
    pinion_drag_def drag = pinion_drag_def_default();
    drag.frame = middle;
    CHECK_STATUS(pinion_forces_add_drag(f, &drag, &err), PINION_ERR_ARGUMENT);
    CHECK(strstr(err.message, why));
    pinion_ground_def ground = pinion_ground_def_default();
    ground.frame = &middle;
    ground.count = 1;
    CHECK_STATUS(pinion_forces_add_ground(f, &ground, &err), PINION_ERR_ARGUMENT);
    CHECK(strstr(err.message, why));
    pinion_attraction_def attraction = pinion_attraction_def_default();
    CHECK_STATUS(pinion_forces_add_attraction(f, &attraction, &err), PINION_ERR_ARGUMENT);
    CHECK(strstr(err.message, "the model has elastic links, and rigid ones alone are attracted"));
    CHECK(pinion_forces_count(f) == 0);
    pinion_forces_free(f);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_force_at_the_end);
    RUN(dropped_on_a_floor);
    RUN(what_is_refused);
    return CHECK_END();
}
