/* What a run records beside the state: targets and errors, what grounds do, where frames are; in every format. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "sim/driver.h"
#include "pinion/sim/run.h"

static char folder[] = "/tmp/pinion-columns-XXXXXX";
#include "folder.h"

/* Runs to the end; the values of a column in a row. */
static pinion_result *run_it(const pinion_model *m, pinion_run_def *def)
{
    pinion_error err = {0};
    def->result = pinion_result_new();
    pinion_run *run = pinion_run_new(m, def, &err);
    if (!run) CHECK_FAIL("%s", err.message);
    if (run) CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
    pinion_run_free(run);
    return def->result;
}

static double at(const pinion_result *r, size_t row, const char *name)
{
    const int column = pinion_result_find_column(r, name);
    if (column < 0) CHECK_FAIL("there is no column %s", name);
    return column < 0 ? NAN : pinion_result_values(r, column)[row];
}

static const char *unit(const pinion_result *r, const char *name)
{
    pinion_column column = {NULL, ""};
    CHECK_STATUS(pinion_result_column(r, pinion_result_find_column(r, name), &column), PINION_OK);
    return column.unit;
}

/* A controller towards a motion or a place, as a run has it. */
static pinion_controller *follow(const pinion_model *m, pinion_control kind, pinion_trajectory *target,
                                 const double *hold, pinion_run_def *def)
{
    static const double kp[6] = {40, 40, 40, 40, 40, 40}, kd[6] = {9, 9, 9, 9, 9, 9};
    pinion_error err = {0};
    pinion_control_def control = pinion_control_def_default();
    control.kind = kind;
    control.target = target;
    control.hold = hold;
    control.kp = kp;
    control.kd = kd;
    pinion_controller *c = pinion_controller_new(m, &control, &err);
    if (!c) CHECK_FAIL("%s", err.message);
    def->tracked = c;
    def->sim.actuators = pinion_controller_actuators;
    def->sim.actuators_user = c;
    return c;
}

TEST(targets_and_errors_are_those_of_the_motion)
{
    const double from[1] = {0.2}, to[1] = {1.4};
    pinion_model *m = driver_text(ROD);
    pinion_run_def def = pinion_run_def_default();
    pinion_trajectory *target =
        pinion_trajectory_between(m, from, to, 1, PINION_PROFILE_QUINTIC, 0, NULL);
    pinion_controller *c = follow(m, PINION_CONTROL_PD, target, NULL, &def);
    def.duration = 1.5;
    pinion_result *r = run_it(m, &def);
    double largest = 0;
    for (size_t i = 0; i < pinion_result_row_count(r); i++) {
        /* the quintic, written out */
        const double t = at(r, i, "t"), x = fmin(t, 1);
        const double q = 0.2 + 1.2 * x * x * x * (10 - 15 * x + 6 * x * x), v = 1.2 * 30 * x * x * (1 - x) * (1 - x);
        CHECK_NEAR(at(r, i, "target.q.hinge"), q, 1e-12);
        CHECK_NEAR(at(r, i, "target.v.hinge"), v, 1e-12);
        CHECK_NEAR(at(r, i, "error.q.hinge"), q - at(r, i, "q.hinge"), 1e-12);
        CHECK_NEAR(at(r, i, "error.v.hinge"), v - at(r, i, "v.hinge"), 1e-12);
        largest = fmax(largest, fabs(at(r, i, "error.q.hinge")));
    }
    CHECK(largest > 0.01); /* PD without gravity hangs through */
    CHECK(strcmp(unit(r, "error.q.hinge"), "rad") == 0 && strcmp(unit(r, "target.v.hinge"), "rad/s") == 0);
    pinion_result_free(r);
    pinion_controller_free(c);
    pinion_trajectory_free(target);
    pinion_model_free(m);
}

/* The error of a free joint is a number for each velocity; half a radian about z, and 0.3 m along the turned x. */
TEST(errors_of_free_joints_are_in_the_tangent_space)
{
    const double start[7] = {1, 0, 0, 0, 0, 0, 0}, there[7] = {cos(0.25), 0, 0, sin(0.25), 0, 0, 0.3};
    pinion_model *m = driver_text(FLYER);
    pinion_run_def def = pinion_run_def_default();
    pinion_controller *c = follow(m, PINION_CONTROL_PD, NULL, there, &def);
    def.q = start;
    def.duration = 0.01;
    pinion_result *r = run_it(m, &def);
    double expected[6];
    CHECK_STATUS(pinion_difference(m, start, there, expected), PINION_OK);
    CHECK_NEAR(expected[2], 0.5, 1e-12);
    for (int i = 0; i < 6; i++) {
        char name[40];
        snprintf(name, sizeof name, "error.q.fly.%d", i);
        CHECK_NEAR(at(r, 0, name), expected[i], 1e-12);
        CHECK(strcmp(unit(r, name), i < 3 ? "rad" : "m") == 0);
    }
    CHECK_NEAR(at(r, 0, "target.q.fly.3"), sin(0.25), 1e-12);
    CHECK(pinion_result_find_column(r, "error.q.fly.6") < 0);
    pinion_result_free(r);
    pinion_controller_free(c);
    pinion_model_free(m);
}

/* A ball of 2 kg comes to rest on a floor of 1e4 N/m: it carries the weight, 2 * 9.81 / 1e4 m deep. */
TEST(grounds_tell_their_forces_and_gaps)
{
    pinion_model *m = driver_text(SLIDER);
    pinion_error err = {0};
    const int frame[2] = {pinion_model_find_frame(m, "ball"), pinion_model_find_frame(m, "ball")};
    const double start[1] = {0.001};
    pinion_forces *f = pinion_forces_new(m);
    pinion_ground_def floor = pinion_ground_def_default();
    floor.name = "floor";
    floor.stiffness = 1e4;
    floor.damping = 100;
    floor.count = 1;
    floor.frame = frame;
    CHECK_STATUS(pinion_forces_add_ground(f, &floor, &err), PINION_OK);
    floor.height = -0.5; /* a second one of that name, far below, with the point twice */
    floor.count = 2;
    CHECK_STATUS(pinion_forces_add_ground(f, &floor, &err), PINION_OK);
    CHECK(pinion_forces_point_count(f) == 3);
    pinion_ground_point point;
    CHECK_STATUS(pinion_forces_point(f, 1, &point), PINION_OK);
    CHECK(point.frame == frame[0] && strcmp(point.ground, "floor") == 0);
    CHECK_STATUS(pinion_forces_point(f, 3, &point), PINION_ERR_ARGUMENT);

    pinion_run_def def = pinion_run_def_default();
    def.sim.forces = f;
    def.q = start;
    def.duration = 3;
    pinion_result *r = run_it(m, &def);
    const size_t last = pinion_result_row_count(r) - 1;
    CHECK(at(r, 0, "contact.count") == 0 && at(r, last, "contact.count") == 1);
    CHECK_NEAR(at(r, 0, "contact.floor.ball.gap"), 0.001, 1e-15);
    CHECK_NEAR(at(r, last, "contact.floor.ball.force.2"), 2 * 9.81, 1e-4);
    CHECK_NEAR(at(r, last, "contact.floor.ball.gap"), -2 * 9.81 / 1e4, 1e-8);
    CHECK(at(r, last, "contact.floor.ball.force.0") == 0 && at(r, last, "contact.floor.ball (2).force.2") == 0);
    CHECK_NEAR(at(r, last, "contact.floor.ball (3).gap"), 0.5 + at(r, last, "q.slide"), 1e-12);
    pinion_result_free(r);
    pinion_forces_free(f);
    pinion_model_free(m);
}

/* A universal joint and one about z behind it: the tool's roll, pitch and yaw are not its angles, and its pose is. */
static const char GIMBAL[] =
    "{\"pinion\": 1, \"name\": \"gimbal\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"base\"},"
    " {\"name\": \"a\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}},"
    " {\"name\": \"b\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}},"
    " {\"name\": \"c\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],"
    " \"joints\": [{\"name\": \"yaw\", \"type\": \"continuous\", \"axis\": [0, 0, 1],"
    " \"parent\": \"base\", \"child\": \"a\"},"
    " {\"name\": \"pitch\", \"type\": \"continuous\", \"axis\": [0, 1, 0], \"parent\": \"a\", \"child\": \"b\"},"
    " {\"name\": \"roll\", \"type\": \"continuous\", \"axis\": [1, 0, 0], \"parent\": \"b\", \"child\": \"c\"}],"
    " \"frames\": [{\"name\": \"tool\", \"link\": \"c\", \"origin\": {\"position\": [1, 0, 0]}}]}";

TEST(frames_have_positions_quaternions_and_angles)
{
    pinion_model *m = driver_text(GIMBAL);
    const int frame[1] = {pinion_model_find_frame(m, "tool")};
    /* the last looks straight up, where yaw and roll are one turn: yaw - roll */
    const double start[][3] = {{0.4, -0.7, 0.3}, {3, 0.2, -2.5}, {0.9, -1.5707963267948966, 0.2}};
    for (int k = 0; k < 3; k++) {
        pinion_run_def def = pinion_run_def_default();
        def.q = start[k];
        def.duration = 1e-3;
        def.frame_count = 1;
        def.frames = frame;
        def.rpy = 1;
        pinion_result *r = run_it(m, &def);
        const double y = start[k][0], p = start[k][1], x = start[k][2];
        CHECK_NEAR(at(r, 0, "frame.tool.position.0"), cos(y) * cos(p), 1e-12);
        CHECK_NEAR(at(r, 0, "frame.tool.position.1"), sin(y) * cos(p), 1e-12);
        CHECK_NEAR(at(r, 0, "frame.tool.position.2"), -sin(p), 1e-12);
        CHECK_NEAR(at(r, 0, "frame.tool.rpy.0"), k == 2 ? 0 : x, 1e-9);
        CHECK_NEAR(at(r, 0, "frame.tool.rpy.1"), p, 1e-7);
        CHECK_NEAR(at(r, 0, "frame.tool.rpy.2"), k == 2 ? y + x : y, 1e-9);

        /* the product of the three half turns, w not below 0 */
        double w = cos(y / 2) * cos(p / 2) * cos(x / 2) + sin(y / 2) * sin(p / 2) * sin(x / 2);
        double z = sin(y / 2) * cos(p / 2) * cos(x / 2) - cos(y / 2) * sin(p / 2) * sin(x / 2);
        const double sign = w < 0 ? -1 : 1;
        CHECK_NEAR(at(r, 0, "frame.tool.quaternion.0"), sign * w, 1e-12);
        CHECK_NEAR(at(r, 0, "frame.tool.quaternion.3"), sign * z, 1e-12);
        pinion_result_free(r);
    }
    pinion_run_def def = pinion_run_def_default();
    pinion_error err = {0};
    const int wrong[1] = {99};
    def.duration = 1;
    def.frame_count = 1;
    def.frames = wrong;
    CHECK(!pinion_run_new(m, &def, &err));
    CHECK_HAS(err.message, "frames: ");
    pinion_model_free(m);
}

TEST(every_format_holds_them_and_they_are_no_motion)
{
    static const char *const file[] = {"r.csv", "r.jsonl", "r.h5"};
    pinion_model *m = driver_text(ROD);
    pinion_error err = {0};
    const double there[1] = {1};
    const int frame[1] = {pinion_model_find_frame(m, "tip")};
    pinion_run_def def = pinion_run_def_default();
    pinion_controller *c = follow(m, PINION_CONTROL_COMPUTED, NULL, there, &def);
    def.duration = 0.5;
    def.frame_count = 1;
    def.frames = frame;
    pinion_result *r = run_it(m, &def);
    const char *const name[] = {"target.q.hinge", "error.v.hinge", "frame.tip.position.0", "frame.tip.quaternion.2"};
    for (int k = 0; k < 3; k++) {
        CHECK_STATUS(pinion_result_save(r, in_folder(file[k]), PINION_RESULT_AUTO, &err), PINION_OK);
        pinion_result *back = pinion_result_load(in_folder(file[k]), &err);
        if (!back) CHECK_FAIL("%s", err.message);
        for (size_t i = 0; i < pinion_result_row_count(r) && back; i += 10)
            for (int n = 0; n < 4; n++) CHECK(at(back, i, name[n]) == at(r, i, name[n]));
        pinion_result_free(back);
    }
    pinion_trajectory *motion = pinion_trajectory_load(m, in_folder("r.csv"), &err);
    if (!motion) CHECK_FAIL("%s", err.message);
    pinion_trajectory_free(motion);
    for (int k = 0; k < 3; k++) unlink(in_folder(file[k]));
    pinion_result_free(r);
    pinion_controller_free(c);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    RUN(targets_and_errors_are_those_of_the_motion);
    RUN(errors_of_free_joints_are_in_the_tangent_space);
    RUN(grounds_tell_their_forces_and_gaps);
    RUN(frames_have_positions_quaternions_and_angles);
    RUN(every_format_holds_them_and_they_are_no_motion);
    CHECK(entries() == 0 && rmdir(folder) == 0);
    return CHECK_END();
}
