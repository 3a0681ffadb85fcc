/* Robots with closed loops: the delta robot, the Stewart platform, the palletizing arm. */
#include "mechanism.h"

/* ---------------------------------------------------------------------------------------------
 * Delta robot. The platform's free joint comes first: quaternion, position. */

/* The platform at equal angles of the arms: below the centre, each pair of rods in the plane of its arm. */
static double delta_height(double arm)
{
    const double out = 0.2 + 0.3 * cos(arm) - 0.05;
    return -0.3 * sin(arm) - sqrt(0.36 - out * out);
}

TEST(delta_start)
{
    mechanism x;
    if (!mechanism_open(&x, "delta.json")) return;
    check_start(&x, 18, 18);
    CHECK_NEAR(x.q[0], 1, 1e-15);
    CHECK_NEAR(x.q[4], 0, 1e-15);
    CHECK_NEAR(x.q[5], 0, 1e-15);
    CHECK_NEAR(x.q[6], delta_height(0.3490658503988659), 1e-14);
    mechanism_close(&x);
}

/* From wherever the arms put the platform, each pair of rods is 0.6 m long: with the arms given, assembling finds a
 * platform that does not turn and is at this distance from the three elbows. */
TEST(delta_assembles)
{
    mechanism x;
    if (!mechanism_open(&x, "delta.json")) return;
    uint64_t seed = check_seed;
    unsigned char locked[21] = {0};
    pinion_joint_info motor[3];
    for (int i = 0; i < 3; i++) {
        const char *const name[3] = {"motor1", "motor2", "motor3"};
        motor[i] = mechanism_joint(&x, name[i]);
        locked[motor[i].v_index] = 1;
    }
    for (int trial = 0; trial < 10; trial++) {
        double q[22];
        memcpy(q, x.q, sizeof q);
        for (int i = 0; i < 3; i++) q[motor[i].q_index] = check_between(&seed, 0, 0.8);
        CHECK_STATUS(pinion_assemble(x.m, x.w, 0, locked, q, NULL), PINION_OK);
        CHECK_NEAR(fabs(q[0]), 1, 1e-12);
        for (int i = 0; i < 3; i++) {
            const double turn = 2.0943951023931953 * i, arm = q[motor[i].q_index];
            const double out = 0.2 + 0.3 * cos(arm) - 0.05;
            const double d[3] = {q[4] - out * cos(turn), q[5] - out * sin(turn), q[6] + 0.3 * sin(arm)};
            CHECK_NEAR(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), 0.6, 1e-10);
        }
    }
    mechanism_close(&x);
}

TEST(delta_dynamics)
{
    static const double a0[] = {
        0, 0, 0, -0.02308805780707906, 0.03998968916994464, 0.01833113199549147, 0.7631249622963736,
        0.2102892214327699, -1.05957887986458, 0.2102892214327691, -1.059578879864578, 0.9854124441808954, 0,
        -1.054273158229819, 0, -1.054273158229819, 0.7631249622963662, -0.2102892214327741, -1.059578879864577,
        -0.2102892214327731, -1.059578879864577};
    static const double q[] = {
        1, 0, 0, 0, 0.02672092843393779, 0.01636381483245048, -0.5217670129678351, 0.2870884387826595,
        0.03055876094249526, 0.4676790460536831, 0.03055876094249505, 0.4676790460536833, 0.3568313062619912,
        -0.05783223955548347, 0.4436336359196405, -0.0578322395554839, 0.4436336359196407, 0.4309083285099263,
        0.02727964656876123, 0.417640680702293, 0.02727964656876116, 0.4176406807022929};
    static const double v[] = {
        0, 0, 0, 0.2651941502760233, 0.1492446848471441, 0.03086273682489734, -0.7474294286009039,
        0.2832492159322341, 0.2885014483382441, 0.2832492159322333, 0.2885014483382439, -0.01169088066611219,
        -0.5634676721074625, 0.03735248286168807, -0.5634676721074653, 0.03735248286168912, 0.6563170451113016,
        0.2804015272271722, -0.1987634934634964, 0.2804015272271705, -0.1987634934634973};
    static const double a[] = {
        0, 0, 0, -2.619662630969758, -1.549399807344773, 0.1230710770741139, 6.532662407389771, -2.837567931469254,
        -1.992775624990313, -2.837567931469254, -1.992775624990308, -0.2434922251243758, 5.576519435609364,
        0.3771996175202315, 5.576519435609363, 0.3771996175202356, -7.270886082134075, -2.73704597691558,
        2.836258097549705, -2.73704597691558, 2.836258097549703};
    mechanism x;
    if (!mechanism_open(&x, "delta.json")) return;
    check_accelerations(&x, a0, 1e-10);
    check_motion(&x, 0.4, q, v, 1e-9);
    check_accelerations(&x, a, 1e-9);
    mechanism_close(&x);
}

/* ---------------------------------------------------------------------------------------------
 * Stewart platform. */

static const char *const leg[6] = {"leg1", "leg2", "leg3", "leg4", "leg5", "leg6"};

/* The horizontal distance between the ends of a leg at the start: 30 degrees apart on circles of 0.6 and 0.4 m. */
static double stewart_reach(void)
{
    return sqrt(0.36 + 0.16 - 2 * 0.6 * 0.4 * cos(0.5235987755982988));
}

TEST(stewart_start)
{
    mechanism x;
    if (!mechanism_open(&x, "stewart.json")) return;
    check_start(&x, 18, 18);
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(x.q[mechanism_joint(&x, leg[i]).q_index], hypot(stewart_reach(), 0.8) - 0.7, 1e-14);
    mechanism_close(&x);
}

/* At rest all legs carry the same load, by symmetry: what the height does to the potential energy of platform,
 * cylinders and pistons, over what it does to the six legs. */
TEST(stewart_statics)
{
    mechanism x;
    if (!mechanism_open(&x, "stewart.json")) return;
    const double reach = stewart_reach(), l = hypot(reach, 0.8), tilt = reach * reach / (l * l * l);
    const double weight = 9.81 * (20 + 6 * (1 + (3 * 0.25 - 0.25) * tilt)), load = weight / (6 * 0.8 / l);
    const double zero[24] = {0};
    double tau[24], lambda[18];
    CHECK_STATUS(pinion_loop_inverse_dynamics(x.m, x.w, NULL, x.q, zero, zero, NULL, NULL, tau, lambda), PINION_OK);
    for (int i = 0; i < 6; i++) {
        const int k = mechanism_joint(&x, leg[i]).v_index;
        CHECK_NEAR(tau[k], load, 1e-10);
        tau[k] = 0;
    }
    for (int i = 0; i < 24; i++) CHECK(tau[i] == 0);
    mechanism_close(&x);
}

TEST(stewart_dynamics)
{
    static const double a0[] = {
        0.009951499871055716, 8.453083942374761e-06, 0, -4.282355489676633e-07, -0.04992837913693945,
        1.679284084629823, 0.5684963974698469, 0.4636906997914178, 1.597398277625905, -0.5579018265007488,
        0.4655589176372942, 1.585947846377042, 0.5603637815564939, 0.4904252506782157, 1.611591671002711,
        -0.5935415599694404, 0.4795811090756398, 1.635150451348875, 0.6019960202145013, 0.5089756704332672,
        1.658744719231315, -0.579412812770665, 0.5179515941899743, 1.64663637013401};
    static const double q[] = {
        0.999740589230689, -0.0006251233967319432, -0.005169914471604602, -0.02217285389323538,
        0.02412740653794495, -5.234171364012926e-05, 0.807623749358872, -0.2164286477883858, -0.2612234361344957,
        0.158754741501014, 0.2868643083459415, -0.3090725257051929, 0.1846589347151238, -0.2054073225442572,
        -0.3091862310314935, 0.1616245348754888, 0.2415991635543111, -0.3259972361878991, 0.1737866096520696,
        -0.2513471826108626, -0.2921758500674024, 0.1723078842166404, 0.2522298164763421, -0.278581952994422,
        0.1709158247754718};
    static const double v[] = {
        -0.005943005197881172, 0.0397773621701251, -0.3333226591470435, -0.0387011556788597,
        -0.001695786736321862, -0.05330878383881092, 0.110797688000337, 0.001518046306374921,
        -0.09075521579670345, 0.1057113556927897, -0.07869410966178146, -0.01448161872291573,
        0.09912361393980794, 0.07795840586974562, -0.08077776362603126, 0.1746639223400572,
        -0.04969555539217614, 0.01074467057599732, 0.1629816863987987, 0.04748361147428182,
        -0.1102313899057438, 0.1605850457592383, -0.1297393025056575, -0.0005470952424612204};
    static const double a[] = {
        0.09835050551660066, 0.657094603369202, 2.864089863687388, -0.4259948098512985, -0.02318811894181332,
        -1.539783035365934, -1.724848469300094, -1.512558120729208, -1.127906750735238, -1.035871480671543,
        0.08614253071927259, -2.021840301565621, -1.837477290949763, -0.6313600743231002, -0.8510782484264106,
        -0.4359479840362294, 0.4298675087350882, -1.598421661506194, -1.141237687631999, -0.9662409322891639,
        -1.214193879934803, -0.4958298253579819, -0.3979481140651304, -1.851787328159586};
    mechanism x;
    if (!mechanism_open(&x, "stewart.json")) return;
    check_accelerations(&x, a0, 1e-10);
    check_motion(&x, 0.5, q, v, 1e-9);
    check_accelerations(&x, a, 1e-9);
    mechanism_close(&x);
}

/* ---------------------------------------------------------------------------------------------
 * Palletizing arm. With the angles s of the lower arm and c of the crank every other angle is known. */

static void arm_angles(const mechanism *x, double s, double c, double *to, int velocities)
{
    const struct {
        const char *name;
        double value;
    } all[] = {{"shoulder", s},   {"crank", c},     {"elbow", c - s},   {"wrist", -c},
               {"triangle", -s}, {"upper_tie", c}, {"lower_tie", s}, {"push_rod", s - c}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const pinion_joint_info joint = mechanism_joint(x, all[i].name);
        to[velocities ? joint.v_index : joint.q_index] = all[i].value;
    }
}

TEST(arm_start)
{
    mechanism x;
    if (!mechanism_open(&x, "parallelogram-arm.json")) return;
    double q[10], v[10];
    check_start(&x, 15, 6);
    memcpy(q, x.q, sizeof q);
    memcpy(v, x.v, sizeof v);
    arm_angles(&x, 0.3490658503988659, 0.17453292519943295, q, 0);
    arm_angles(&x, 0.5, 0, v, 1);
    for (int i = 0; i < 10; i++) {
        CHECK_NEAR(x.q[i], q[i], 1e-15);
        CHECK_NEAR(x.v[i], v[i], 1e-15);
    }
    mechanism_close(&x);
}

/* What the motors carry at rest, from the potential energy: what the lower arm lifts goes with the cosine of its angle,
 * what the crank lifts with the sine of its own. */
TEST(arm_statics)
{
    const double lower = 9.81 * (0.45 * (40 + 3 + 6) + 0.9 * (30 + 5 + 20 + 3 + 3));
    const double fore = 9.81 * (0.35 * 30 + 5 + 20 + 0.5 * 3 - 0.15 * 8 - 0.3 * 6);
    mechanism x;
    if (!mechanism_open(&x, "parallelogram-arm.json")) return;
    const double zero[10] = {0};
    for (int i = 0; i < 12; i++) {
        const double s = -0.6 + 0.15 * i, c = 0.5 - 0.1 * i;
        double q[10] = {0}, tau[10], lambda[15];
        q[mechanism_joint(&x, "waist").q_index] = i;
        q[mechanism_joint(&x, "flange").q_index] = -i;
        arm_angles(&x, s, c, q, 0);
        mechanism_put(&x, q, zero);
        CHECK_NEAR(mechanism_open_by(&x), 0, 1e-15);
        CHECK_STATUS(pinion_loop_inverse_dynamics(x.m, x.w, NULL, q, zero, zero, NULL, NULL, tau, lambda), PINION_OK);
        CHECK_NEAR(tau[mechanism_joint(&x, "shoulder").v_index], -lower * sin(s), 1e-9);
        CHECK_NEAR(tau[mechanism_joint(&x, "crank").v_index], -fore * cos(c), 1e-9);
        CHECK_NEAR(tau[mechanism_joint(&x, "waist").v_index], 0, 1e-9);
        CHECK_NEAR(tau[mechanism_joint(&x, "flange").v_index], 0, 1e-9);
    }
    mechanism_close(&x);
}

TEST(arm_dynamics)
{
    static const double a0[] = {-0.6788371656859653, 1.084485887056338,  -2.351582625193367, 1.267096738137028,
                                0.6788371656859602,  -1.084485887056338, -1.267096738137028, 1.084485887056338,
                                -1.267096738137028,  2.351582625193366};
    static const double q[] = {0.4522656102776331,  0.3974679870536707,  -0.2206813068194012, -0.1767866802342686,
                               0.04773438972236366, -0.3974679870536703, 0.1767866802342693,  0.3974679870536709,
                               0.1767866802342699,  0.2206813068194009};
    static const double v[] = {0.9380827556029664,  -0.5069919904701541, 0.5967877749234874, -0.08979578445332755,
                               0.06191724439706044, 0.5069919904701583,  0.0897957844533307, -0.5069919904701535,
                               0.0897957844533344,  -0.5967877749234881};
    static const double a[] = {0.6341296627418566,  -0.7775403384368018, -0.2688343623068535, 1.046374700743659,
                               -0.6341296627415425, 0.7775403384368057,  -1.046374700743659,  -0.7775403384368018,
                               -1.046374700743657,  0.2688343623068546};
    mechanism x;
    if (!mechanism_open(&x, "parallelogram-arm.json")) return;
    check_accelerations(&x, a0, 1e-10);
    check_motion(&x, 0.5, q, v, 1e-9);
    check_accelerations(&x, a, 1e-9);

    /* the wrist is still level, wherever the arm is */
    double p[3], R[9];
    CHECK_STATUS(pinion_frame_pose(x.m, x.w, x.q, pinion_model_find_frame(x.m, "wrist"), p, R), PINION_OK);
    CHECK_NEAR(R[2], 0, 1e-10);
    CHECK_NEAR(R[5], 0, 1e-10);
    CHECK_NEAR(R[8], 1, 1e-10);
    mechanism_close(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(delta_start);
    RUN(delta_assembles);
    RUN(delta_dynamics);
    RUN(stewart_start);
    RUN(stewart_statics);
    RUN(stewart_dynamics);
    RUN(arm_start);
    RUN(arm_statics);
    RUN(arm_dynamics);
    return CHECK_END();
}
