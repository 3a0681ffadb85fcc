/* Inverse kinematics. */
#include "check.h"
#include "pinion/sim/kinematics.h"
#include "pinion/pinion.h"

#define WIDEST 200

static pinion_model *shared(const char *name, pinion_root root)
{
    char path[600];
    const char *place = getenv("PINION_SHARED");
    pinion_load_options o = pinion_load_options_default();
    o.root = root;
    if (!place) return NULL;
    snprintf(path, sizeof path, "%s/robots/%s", place, name);
    return pinion_load(path, &o, NULL);
}

/* The last frame that some joint moves. */
static int last_frame(const pinion_model *m)
{
    pinion_frame_info frame = {"", 0, 0, pinion_pose_identity()};
    for (int i = pinion_model_frame_count(m) - 1; i >= 0; i--)
        if (pinion_model_frame(m, i, &frame) == PINION_OK && frame.body > 0) return i;
    return -1;
}

/* How far the frame is from the target: the way, and the angle of R_target R' by its trace and its skew part.
 */
static void missing(const pinion_model *m, pinion_work *w, const double *q, int frame,
                    const pinion_pose *target, double out[2])
{
    double p[3], R[9], skew[3] = {0, 0, 0}, way = 0, E[9];
    CHECK(pinion_frame_pose(m, w, q, frame, p, R) == PINION_OK);
    for (int i = 0; i < 9; i++) {
        E[i] = 0;
        for (int k = 0; k < 3; k++) E[i] += target->rotation[i / 3 * 3 + k] * R[i % 3 * 3 + k];
    }
    skew[0] = E[7] - E[5];
    skew[1] = E[2] - E[6];
    skew[2] = E[3] - E[1];
    for (int i = 0; i < 3; i++) way += (p[i] - target->position[i]) * (p[i] - target->position[i]);
    out[0] = sqrt(way);
    out[1] = atan2(sqrt(skew[0] * skew[0] + skew[1] * skew[1] + skew[2] * skew[2]), E[0] + E[4] + E[8] - 1);
}

/* Whether every coordinate is within its limits, by the joints themselves, followers too. */
static int within_limits(const pinion_model *m, const double *q)
{
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint, leader;
        if (pinion_model_joint(m, i, &joint) != PINION_OK) return 0;
        if (joint.type == PINION_JOINT_SPHERICAL || joint.type == PINION_JOINT_FREE || joint.type == PINION_JOINT_FIXED)
            continue;
        for (int d = 0; d < joint.dof_count; d++) {
            double x = 0;
            if (joint.leader >= 0) {
                if (pinion_model_joint(m, joint.leader, &leader) != PINION_OK) return 0;
                x = joint.multiplier * q[leader.q_index + d] + joint.offset;
            } else {
                x = q[joint.q_index + d];
            }
            if (x < joint.dof[d].lower - 1e-12 || x > joint.dof[d].upper + 1e-12) return 0;
        }
    }
    return 1;
}

/* Targets drawn by forward kinematics from random configurations. */
static void reach(const char *name, pinion_model *m, int frame, int targets, double least)
{
    pinion_work *w = pinion_work_new(m);
    int solved = 0, iterations = 0, starts = 0;
    targets = check_rounds(targets);
    double worst[2] = {0, 0};
    CHECK(w && frame >= 0);
    for (int k = 0; w && frame >= 0 && k < targets; k++) {
        double q[WIDEST], far[2];
        pinion_pose target;
        pinion_ik_options o = pinion_ik_options_default();
        pinion_ik_report report;
        /* a random configuration keeps the limits of leaders; this one those of followers too */
        int drawn = 0;
        for (uint64_t draw = 0; !drawn && draw < 1000; draw++) {
            CHECK(pinion_random(m, check_seed + 100000 + (uint64_t)k + (draw << 40), q) == PINION_OK);
            drawn = within_limits(m, q);
        }
        CHECK(drawn);
        CHECK(pinion_frame_pose(m, w, q, frame, target.position, target.rotation) == PINION_OK);
        CHECK(pinion_random(m, check_seed + 900000 + (uint64_t)k, q) == PINION_OK);
        o.seed = check_seed + 1000 * (uint64_t)k;
        pinion_status status = pinion_inverse_kinematics(m, w, frame, &target, &o, q, &report);
        CHECK(status == PINION_OK || status == PINION_ERR_CONVERGENCE);
        CHECK(report.converged == (status == PINION_OK) && report.starts >= 1 && report.starts <= 20);
        CHECK(within_limits(m, q));
        missing(m, w, q, frame, &target, far);
        CHECK_NEAR(far[0], report.position_error, 1e-13);
        CHECK_NEAR(far[1], report.orientation_error, 1e-13);
        iterations += report.iterations;
        starts += report.starts;
        if (status != PINION_OK) continue;
        solved++;
        CHECK(far[0] <= 1e-10 && far[1] <= 1e-10);
        for (int i = 0; i < 2; i++) worst[i] = fmax(worst[i], far[i]);
    }
    printf("    %-28s %4d of %d, %.2f starts and %.0f iterations each, worst %.1e m %.1e rad\n", name, solved,
           targets, (double)starts / targets, (double)iterations / targets, worst[0], worst[1]);
    CHECK(solved >= least * targets);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(random_chains)
{
    for (int joints = 6; joints <= 7; joints++) {
        for (uint64_t seed = 0; seed < 2; seed++) {
            char name[32];
            pinion_model *m = pinion_random_chain(joints, check_seed + seed, NULL);
            snprintf(name, sizeof name, "chain of %d", joints);
            reach(name, m, last_frame(m), 300, 0.99);
        }
    }
}

TEST(trees_with_every_joint)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        pinion_model *m = pinion_random_tree(12, (int)seed % 2, check_seed + seed, NULL);
        reach(seed % 2 ? "tree, free" : "tree", m, last_frame(m), 200, 0.99);
    }
}

TEST(robots)
{
    static const struct {
        const char *file, *frame;
        pinion_root root;
    } robot[] = {{"ur5_robot.urdf", "ee_link", PINION_ROOT_FIXED},
                 {"ur10_robot.urdf", "ee_link", PINION_ROOT_FIXED},
                 {"panda.urdf", "panda_link8", PINION_ROOT_FIXED},
                 {"baxter.urdf", "left_gripper", PINION_ROOT_FIXED},
                 {"tiago_no_hand.urdf", "arm_7_link", PINION_ROOT_FIXED},
                 {"talos_full_v2.urdf", "gripper_left_base_link", PINION_ROOT_FREE}};
    for (int i = 0; i < 6; i++) {
        pinion_model *m = shared(robot[i].file, robot[i].root);
        if (!m) SKIP("PINION_SHARED does not have the robots");
        reach(robot[i].file, m, pinion_model_find_frame(m, robot[i].frame), i < 3 ? 1000 : 200, 0.99);
    }
}

/* What cannot be reached is said, with the best that was found. */
TEST(unreachable)
{
    pinion_model *m = pinion_random_chain(6, check_seed, NULL);
    pinion_work *w = pinion_work_new(m);
    pinion_pose target = pinion_pose_identity();
    pinion_ik_options o = pinion_ik_options_default();
    pinion_ik_report report;
    double q[6], length = 0;
    const int frame = last_frame(m);
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        CHECK(pinion_model_joint(m, i, &joint) == PINION_OK);
        for (int k = 0; k < 3; k++)
            length += fabs(joint.parent_pose.position[k]) + fabs(joint.child_pose.position[k]);
    }
    target.position[0] = 2 * length;
    CHECK(pinion_random(m, 1, q) == PINION_OK);
    CHECK_STATUS(pinion_inverse_kinematics(m, w, frame, &target, &o, q, &report), PINION_ERR_CONVERGENCE);
    CHECK(!report.converged && report.starts == o.starts && report.position_error >= length);
    CHECK(report.iterations <= o.starts * o.iterations && within_limits(m, q));

    /* where only one start and one iteration are allowed, no more are used */
    o.starts = o.iterations = 1;
    CHECK_STATUS(pinion_inverse_kinematics(m, w, frame, &target, &o, q, &report), PINION_ERR_CONVERGENCE);
    CHECK(report.starts == 1 && report.iterations == 1);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Near a solution each step squares the error, so that few are needed from near it; the start is kept to. */
TEST(near_the_start)
{
    int most = 0;
    for (uint64_t k = 0; k < 100; k++) {
        pinion_model *m = pinion_random_chain(k % 2 ? 6 : 8, check_seed + k, NULL);
        pinion_work *w = pinion_work_new(m);
        pinion_pose target;
        pinion_ik_report report;
        double q[8], start[8];
        uint64_t state = check_seed + k;
        const int n = pinion_model_nv(m), frame = last_frame(m);
        for (int i = 0; i < n; i++) {
            q[i] = check_between(&state, -2, 2);
            start[i] = q[i] + check_between(&state, -1e-3, 1e-3);
        }
        CHECK(pinion_frame_pose(m, w, q, frame, target.position, target.rotation) == PINION_OK);
        memcpy(q, start, sizeof q);
        CHECK_STATUS(pinion_inverse_kinematics(m, w, frame, &target, NULL, q, &report), PINION_OK);
        CHECK(report.starts == 1);
        if (report.iterations > most) most = report.iterations;
        for (int i = 0; i < n; i++) CHECK_NEAR(q[i], start[i], 0.2);
        pinion_work_free(w);
        pinion_model_free(m);
    }
    printf("    at most %d iterations\n", most);
    CHECK(most <= 6);
}

/* Directions without a weight are free, and the same question gets the same answer. */
TEST(weights_and_repetition)
{
    pinion_model *m = pinion_random_chain(3, check_seed, NULL);
    pinion_work *w = pinion_work_new(m);
    const int frame = last_frame(m);
    int solved = 0;
    for (uint64_t k = 0; k < 50; k++) {
        pinion_ik_options o = pinion_ik_options_default();
        pinion_ik_report report;
        pinion_pose target;
        double q[3], again[3], at[3], R[9];
        for (int i = 0; i < 3; i++) o.weight[i] = 0;
        CHECK(pinion_random(m, check_seed + k, q) == PINION_OK);
        CHECK(pinion_frame_pose(m, w, q, frame, target.position, target.rotation) == PINION_OK);
        CHECK(pinion_neutral(m, q) == PINION_OK && pinion_neutral(m, again) == PINION_OK);
        pinion_status status = pinion_inverse_kinematics(m, w, frame, &target, &o, q, &report);
        CHECK(pinion_inverse_kinematics(m, w, frame, &target, &o, again, NULL) == status);
        CHECK(memcmp(q, again, sizeof q) == 0);
        if (status != PINION_OK) continue;
        solved++;
        CHECK(pinion_frame_pose(m, w, q, frame, at, R) == PINION_OK);
        for (int i = 0; i < 3; i++) CHECK_NEAR(at[i], target.position[i], 1e-10);
        CHECK(report.orientation_error == 0);
    }
    CHECK(solved == 50);

    /* position and orientation together are too much for three joints */
    pinion_pose target = pinion_pose_identity();
    double q[3] = {0, 0, 0};
    CHECK_STATUS(pinion_inverse_kinematics(m, w, frame, &target, NULL, q, NULL), PINION_ERR_CONVERGENCE);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(bad_arguments)
{
    pinion_model *m = pinion_random_chain(6, 1, NULL);
    pinion_work *w = pinion_work_new(m);
    pinion_pose target = pinion_pose_identity();
    double q[6] = {0};
    const int frame = 3;
#define IS_REFUSED(...) CHECK_STATUS(pinion_inverse_kinematics(__VA_ARGS__, NULL), PINION_ERR_ARGUMENT)
    IS_REFUSED(NULL, w, frame, &target, NULL, q);
    IS_REFUSED(m, NULL, frame, &target, NULL, q);
    IS_REFUSED(m, w, -1, &target, NULL, q);
    IS_REFUSED(m, w, pinion_model_frame_count(m), &target, NULL, q);
    IS_REFUSED(m, w, frame, NULL, NULL, q);
    IS_REFUSED(m, w, frame, &target, NULL, NULL);
    for (int i = 0; i < 8; i++) {
        pinion_ik_options o = pinion_ik_options_default();
        if (i == 0) o.cookie = 1;
        if (i == 1) o.position_tolerance = 0;
        if (i == 2) o.orientation_tolerance = NAN;
        if (i == 3) o.weight[2] = -1;
        if (i == 4) memset(o.weight, 0, sizeof o.weight);
        if (i == 5) o.starts = 0;
        if (i == 6) o.iterations = 0;
        if (i == 7) o.weight[5] = INFINITY;
        IS_REFUSED(m, w, frame, &target, &o, q);
    }
    q[2] = NAN;
    IS_REFUSED(m, w, frame, &target, NULL, q);
    q[2] = 0;
    target.rotation[0] = -1; /* a mirror */
    IS_REFUSED(m, w, frame, &target, NULL, q);
    target.rotation[0] = 1.1;
    IS_REFUSED(m, w, frame, &target, NULL, q);
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(random_chains);
    RUN(trees_with_every_joint);
    RUN(robots);
    RUN(unreachable);
    RUN(near_the_start);
    RUN(weights_and_repetition);
    RUN(bad_arguments);
    return CHECK_END();
}
