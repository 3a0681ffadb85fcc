/* Inverse kinematics of mechanisms with closed loops. */
#include "sim/mechanism.h"

/* How far the loops are open at q. */
static double openness(const pinion_model *m, pinion_work *w, const double *q)
{
    double phi[DRIVER_MOST], most = 0;
    const pinion_constraints wanted = {phi, NULL, NULL, NULL};
    CHECK_STATUS(pinion_constraints_at(m, w, 0, q, NULL, &wanted), PINION_OK);
    for (int i = 0; i < pinion_model_row_count(m); i++) most = fmax(most, fabs(phi[i]));
    return most;
}

/* Puts the frame where it is at q, in the directions with a weight, from another configuration. */
static int reaches(const pinion_model *m, int frame, const double *q, const double *start,
                   const double weight[6], int limits)
{
    pinion_work *w = pinion_work_new(m);
    pinion_ik_options o = pinion_ik_options_default();
    pinion_pose target;
    double x[DRIVER_MOST], p[3], R[9];
    memcpy(o.weight, weight, sizeof o.weight);
    o.limits = limits;
    CHECK_STATUS(pinion_frame_pose(m, w, q, frame, target.position, target.rotation), PINION_OK);
    memcpy(x, start, (size_t)pinion_model_nq(m) * sizeof *x);
    const pinion_status status = pinion_inverse_kinematics(m, w, frame, &target, &o, x, NULL);
    if (status == PINION_OK) {
        CHECK_STATUS(pinion_frame_pose(m, w, x, frame, p, R), PINION_OK);
        for (int i = 0; i < 3; i++)
            if (weight[3 + i] > 0) CHECK_NEAR(p[i], target.position[i], 1e-9);
        CHECK(openness(m, w, x) <= 1e-9);
        for (int i = 0; limits && i < pinion_model_joint_count(m); i++) {
            pinion_joint_info joint;
            CHECK_STATUS(pinion_model_joint(m, i, &joint), PINION_OK);
            if (joint.nq != 1) continue;
            CHECK(x[joint.q_index] >= joint.dof[0].lower - 1e-8 &&
                  x[joint.q_index] <= joint.dof[0].upper + 1e-8);
        }
    }
    pinion_work_free(w);
    return status == PINION_OK;
}

/* A closed configuration near a random one. */
static int random_closed(const pinion_model *m, uint64_t seed, double *q)
{
    pinion_work *w = pinion_work_new(m);
    CHECK_STATUS(pinion_random(m, seed, q), PINION_OK);
    const pinion_status status = pinion_assemble(m, w, 0, NULL, q, NULL);
    pinion_work_free(w);
    return status == PINION_OK;
}

/* Two cranks and two rods that meet: two degrees of freedom, for a point in the plane. */
static pinion_model *five_bar(double limit)
{
    const double down[3] = {0, -9.81, 0};
    static const char *const name[4] = {"left", "left-rod", "right", "right-rod"};
    mechanism k = mechanism_begin(down);
    for (int i = 0; i < 4; i++) {
        pinion_joint_def joint =
            mechanism_joint(name[i], PINION_JOINT_REVOLUTE, i % 2 ? name[i - 1] : "ground", name[i],
                            i % 2 ? 0.5
                            : i   ? 0.6
                                  : 0,
                            0);
        mechanism_rod(&k, name[i], 1, i % 2 ? 0.7 : 0.5, 0);
        joint.dof[0].lower = -limit;
        joint.dof[0].upper = limit;
        mechanism_add(&k, &joint);
    }
    mechanism_loop(&k, "tip", "left-rod", "right-rod", 0.7, 0, 0.7, 0);
    pinion_frame_def tool = pinion_frame_def_default();
    tool.name = "tool";
    tool.link = "left-rod";
    tool.pose.position[0] = 0.7;
    mechanism_check(&k, pinion_builder_add_frame(k.b, &tool, &k.err));
    return mechanism_end(&k);
}

TEST(five_bars)
{
    const double plane[6] = {0, 0, 0, 1, 1, 0};
    for (int limited = 0; limited < 2; limited++) {
        pinion_model *m = five_bar(limited ? 2.2 : 3);
        const int tool = pinion_model_find_frame(m, "tool");
        int tried = 0, reached = 0;
        for (uint64_t seed = 1; seed <= 60; seed += (uint64_t)check_every(5)) {
            double q[4], start[4];
            if (!random_closed(m, seed, q) || !random_closed(m, seed + 1000, start)) continue;
            int inside = 1;
            for (int i = 0; i < 4; i++) inside = inside && fabs(q[i]) < (limited ? 2.2 : 3);
            if (!inside) continue;
            tried++;
            reached += reaches(m, tool, q, start, plane, 1);
        }
        CHECK(tried > 20 / check_every(5));
        CHECK(reached == tried);
        pinion_model_free(m);
    }
}

/* What is out of reach is not reached, and the best that was seen is closed. */
TEST(out_of_reach)
{
    pinion_model *m = five_bar(3);
    pinion_work *w = pinion_work_new(m);
    pinion_ik_options o = pinion_ik_options_default();
    pinion_pose target = pinion_pose_identity();
    double q[4];
    o.starts = 3;
    for (int i = 0; i < 3; i++) o.weight[i] = 0;
    o.weight[5] = 0;
    target.position[1] = 5;
    CHECK(random_closed(m, 3, q));
    CHECK_STATUS(pinion_inverse_kinematics(m, w, pinion_model_find_frame(m, "tool"), &target, &o, q, NULL),
                 PINION_ERR_CONVERGENCE);
    CHECK(openness(m, w, q) <= 1e-9);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* A start that is not closed is closed first. */
TEST(open_start)
{
    const double along[6] = {0, 0, 0, 1, 0, 0}, start[3] = {0.3, 0, 0.9};
    pinion_model *m = mechanism_slider_crank(0);
    double q[3], v[3];
    mechanism_slider_crank_at(1.2, 0, q, v);
    CHECK(reaches(m, pinion_model_find_frame(m, "slider"), q, start, along, 0));
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(five_bars);
    RUN(out_of_reach);
    RUN(open_start);
    return CHECK_END();
}
