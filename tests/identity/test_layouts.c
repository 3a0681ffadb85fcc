/* Conversions to the layouts of MuJoCo and Pinocchio and back, on models of every joint: there and back is where it
 * began, their velocities are the derivatives of their positions, their accelerations those of their velocities, and
 * power is power. tests/oracle has Pinocchio's own numbers. */
#include "check.h"
#include "pinion/pinion.h"

#define MOST 128

/* A tree of every joint that the convention has, with a free root. No followers. */
static pinion_model *every_joint(pinion_convention of, int frames_apart)
{
    static const pinion_joint_type types[] = {
        PINION_JOINT_REVOLUTE,  PINION_JOINT_SPHERICAL,  PINION_JOINT_CONTINUOUS, PINION_JOINT_PLANAR,
        PINION_JOINT_PRISMATIC, PINION_JOINT_UNIVERSAL, PINION_JOINT_CYLINDRICAL, PINION_JOINT_HELICAL};
    const int count = of == PINION_CONVENTION_MUJOCO ? 7 : 8;
    pinion_builder *b = pinion_builder_new("every joint");
    pinion_error err;
    char names[10][16];
    for (int i = 0; i <= count; i++) {
        pinion_link_def link = pinion_link_def_default();
        snprintf(names[i], sizeof names[i], "link%d", i);
        link.name = names[i];
        link.inertia = (pinion_inertia){1 + i, {0.1, 0.2, -0.1}, {0.4, 0, 0, 0.5, 0, 0.6}};
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    }
    for (int i = 0; i < count; i++) {
        pinion_joint_def joint = pinion_joint_def_default();
        char name[16];
        snprintf(name, sizeof name, "%c", "hgfedcba"[i]); /* the other way round than the file */
        joint.name = name;
        joint.type = types[i];
        joint.parent = names[i / 2];
        joint.child = names[i + 1];
        joint.parent_pose.position[0] = 0.3 * frames_apart;
        if (joint.type == PINION_JOINT_HELICAL) joint.pitch = 0.1;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_load_options options = pinion_load_options_default();
    options.root = PINION_ROOT_FREE;
    pinion_model *m = pinion_builder_build(b, &options, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* the difference of two of their positions as a velocity: numbers, but for quaternions and pairs */
static void check_rates(const pinion_model *m, const pinion_converter *c, pinion_convention of, const double *minus,
                        const double *plus, const double *velocity, double h)
{
    pinion_joint_info j;
    for (int i = 0; pinion_model_joint(m, i, &j) == PINION_OK; i++) {
        const int q = pinion_converter_q_index(c, i), v = pinion_converter_v_index(c, i);
        if (q < 0) continue;
        const int mujoco = of == PINION_CONVENTION_MUJOCO;
        int numbers = j.nv; /* that are plain positions */
        if (j.type == PINION_JOINT_SPHERICAL || (!mujoco && j.type != PINION_JOINT_REVOLUTE)) numbers = 0;
        if (j.type == PINION_JOINT_FREE) numbers = mujoco ? 3 : 0;
        if (j.type == PINION_JOINT_PRISMATIC || j.type == PINION_JOINT_UNIVERSAL || j.type == PINION_JOINT_HELICAL)
            numbers = j.nv;
        for (int k = 0; k < numbers; k++)
            CHECK_NEAR((plus[q + k] - minus[q + k]) / (2 * h), velocity[v + k], 1e-8);
        /* d(cos, sin) = (-sin, cos) w */
        if (!mujoco && j.type == PINION_JOINT_CONTINUOUS)
            CHECK_NEAR((plus[q + 1] - minus[q + 1]) / (2 * h), (plus[q] + minus[q]) / 2 * velocity[v], 1e-8);
    }
}

static void check_state(const pinion_model *m, const pinion_converter *c, pinion_convention of, uint64_t seed)
{
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m), their_nq = pinion_converter_nq(c);
    double q[MOST], v[MOST], a[MOST], tau[MOST], back[MOST], now[MOST], theirs[5][MOST];
    const double h = 1e-5;
    CHECK(nq <= MOST && their_nq <= MOST && nv == pinion_converter_nv(c));
    CHECK_STATUS(pinion_random(m, seed, q), PINION_OK);
    for (int i = 0; i < nv; i++) {
        v[i] = check_between(&seed, -1, 1);
        a[i] = check_between(&seed, -1, 1);
        tau[i] = check_between(&seed, -1, 1);
    }

    /* there and back */
    CHECK_STATUS(pinion_convert_q_to(c, q, theirs[0]), PINION_OK);
    CHECK_STATUS(pinion_convert_q_from(c, theirs[0], back), PINION_OK);
    CHECK(check_error(back, q, (size_t)nq, 1) < 1e-14);
    CHECK_STATUS(pinion_convert_v_to(c, q, v, theirs[1]), PINION_OK);
    CHECK_STATUS(pinion_convert_v_from(c, q, theirs[1], back), PINION_OK);
    CHECK(check_error(back, v, (size_t)nv, 1) < 1e-14);
    CHECK_STATUS(pinion_convert_a_to(c, q, v, a, theirs[2]), PINION_OK);
    CHECK_STATUS(pinion_convert_a_from(c, q, v, theirs[2], back), PINION_OK);
    CHECK(check_error(back, a, (size_t)nv, 1) < 1e-14);
    CHECK_STATUS(pinion_convert_tau_to(c, q, tau, theirs[3]), PINION_OK);
    CHECK_STATUS(pinion_convert_tau_from(c, q, theirs[3], back), PINION_OK);
    CHECK(check_error(back, tau, (size_t)nv, 1) < 1e-14);

    /* power */
    double power[2] = {0, 0};
    for (int i = 0; i < nv; i++) {
        power[0] += tau[i] * v[i];
        power[1] += theirs[3][i] * theirs[1][i];
    }
    CHECK_NEAR(power[1], power[0], 1e-12);

    /* a motion with this velocity and acceleration, a little before and after */
    double other[2][MOST], their_q[2][MOST], rate[MOST];
    for (int side = 0; side < 2; side++) {
        const double dt = side ? h : -h;
        for (int i = 0; i < nv; i++) rate[i] = v[i] + a[i] * dt / 2;
        for (int i = 0; i < nv; i++) now[i] = v[i] + a[i] * dt;
        CHECK_STATUS(pinion_integrate(m, q, rate, dt, back), PINION_OK);
        CHECK_STATUS(pinion_convert_q_to(c, back, their_q[side]), PINION_OK);
        CHECK_STATUS(pinion_convert_v_to(c, back, now, other[side]), PINION_OK);
    }
    check_rates(m, c, of, their_q[0], their_q[1], theirs[1], h);
    for (int i = 0; i < nv; i++) CHECK_NEAR((other[1][i] - other[0][i]) / (2 * h), theirs[2][i], 1e-8);
}

static void check_convention(pinion_convention of, int their_nq)
{
    pinion_error err = {0};
    pinion_model *m = every_joint(of, 1);
    pinion_converter *c = m ? pinion_converter_new(m, of, &err) : NULL;
    if (!c) CHECK_FAIL("%s", err.message);
    if (c) CHECK(pinion_converter_nq(c) == their_nq);
    for (uint64_t i = 0; c && i < 20; i++) check_state(m, c, of, check_seed + i);
    pinion_converter_free(c);
    pinion_model_free(m);
}

TEST(mujoco)
{
    check_convention(PINION_CONVENTION_MUJOCO, 7 + 1 + 4 + 1 + 3 + 1 + 2 + 2);
}

TEST(pinocchio)
{
    check_convention(PINION_CONVENTION_PINOCCHIO, 7 + 1 + 4 + 2 + 4 + 1 + 2 + 2 + 1);
}

/* a body that floats a quarter turn about z and goes along its own x: along the world's y in MuJoCo's numbers */
TEST(a_free_body)
{
    pinion_builder *b = pinion_builder_new("box");
    pinion_link_def link = pinion_link_def_default();
    link.name = "box";
    link.inertia.mass = 1;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    pinion_load_options options = pinion_load_options_default();
    options.root = PINION_ROOT_FREE;
    pinion_model *m = pinion_builder_build(b, &options, NULL);
    pinion_converter *mujoco = pinion_converter_new(m, PINION_CONVENTION_MUJOCO, NULL);
    pinion_converter *pinocchio = pinion_converter_new(m, PINION_CONVENTION_PINOCCHIO, NULL);
    CHECK(mujoco && pinocchio);
    const double s = sqrt(0.5), q[7] = {s, 0, 0, s, 1, 2, 3}, v[6] = {0, 0, 4, 5, 0, 0}, none[6] = {0};
    const double q_m[7] = {1, 2, 3, s, 0, 0, s}, q_p[7] = {1, 2, 3, 0, 0, s, s};
    const double v_m[6] = {0, 5, 0, 0, 0, 4}, v_p[6] = {5, 0, 0, 0, 0, 4};
    const double a_m[6] = {-20, 0, 0, 0, 0, 0}; /* it goes round in a circle: w v towards its centre */
    double x[7];
    CHECK_STATUS(pinion_convert_q_to(mujoco, q, x), PINION_OK);
    CHECK(check_error(x, q_m, 7, 1) == 0);
    CHECK_STATUS(pinion_convert_q_to(pinocchio, q, x), PINION_OK);
    CHECK(check_error(x, q_p, 7, 1) == 0);
    CHECK_STATUS(pinion_convert_v_to(mujoco, q, v, x), PINION_OK);
    CHECK(check_error(x, v_m, 6, 1) < 1e-15);
    CHECK_STATUS(pinion_convert_v_to(pinocchio, q, v, x), PINION_OK);
    CHECK(check_error(x, v_p, 6, 1) == 0);
    CHECK_STATUS(pinion_convert_a_to(mujoco, q, v, none, x), PINION_OK);
    CHECK(check_error(x, a_m, 6, 1) < 1e-15);
    CHECK_STATUS(pinion_convert_a_to(pinocchio, q, v, none, x), PINION_OK);
    CHECK(check_error(x, none, 6, 1) == 0);
    pinion_converter_free(mujoco);
    pinion_converter_free(pinocchio);
    pinion_model_free(m);
    pinion_builder_free(b);
}

TEST(refused)
{
    pinion_error err = {0};
    /* helical joints there are none of in MuJoCo */
    pinion_model *m = every_joint(PINION_CONVENTION_PINOCCHIO, 0);
    CHECK(!pinion_converter_new(m, PINION_CONVENTION_MUJOCO, &err) && err.status == PINION_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "joint 'a' is helical");
    CHECK(!pinion_converter_new(NULL, PINION_CONVENTION_MUJOCO, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(!pinion_converter_new(m, (pinion_convention)2, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(pinion_converter_nq(NULL) == 0 && pinion_converter_nv(NULL) == 0 && pinion_converter_q_index(NULL, 0) == -1);

    /* what is not of unit length, and what is missing */
    pinion_converter *c = pinion_converter_new(m, PINION_CONVENTION_PINOCCHIO, &err);
    double q[MOST] = {0}, theirs[MOST];
    CHECK(c != NULL);
    CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
    CHECK_STATUS(pinion_convert_q_to(c, q, theirs), PINION_OK);
    CHECK_STATUS(pinion_convert_q_from(c, theirs, q), PINION_OK);
    const int continuous = pinion_converter_q_index(c, pinion_model_find_joint(m, "f"));
    theirs[continuous] = 0.5;
    CHECK_STATUS(pinion_convert_q_from(c, theirs, q), PINION_ERR_QUATERNION);
    theirs[continuous] = 1;
    theirs[6] = 2;
    CHECK_STATUS(pinion_convert_q_from(c, theirs, q), PINION_ERR_QUATERNION);
    q[0] = 2;
    CHECK_STATUS(pinion_convert_q_to(c, q, theirs), PINION_ERR_QUATERNION);
    CHECK_STATUS(pinion_convert_q_to(c, NULL, theirs), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_convert_q_from(NULL, theirs, q), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_convert_v_to(c, q, NULL, theirs), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_convert_a_to(c, q, NULL, q, theirs), PINION_ERR_ARGUMENT);
    CHECK(pinion_converter_q_index(c, -1) == -1 && pinion_converter_v_index(c, 1000) == -1);
    pinion_converter_free(c);
    pinion_model_free(m);
}

/* joints that follow others have their own coordinates elsewhere */
TEST(followers)
{
    pinion_error err = {0};
    for (int of = 0; of < 2; of++) {
        pinion_builder *b = pinion_builder_new("gripper");
        for (int i = 0; i < 3; i++) {
            static const char *const names[] = {"palm", "left", "right"};
            pinion_link_def link = pinion_link_def_default();
            pinion_joint_def joint = pinion_joint_def_default();
            link.name = names[i];
            link.inertia.mass = 1;
            joint.name = joint.child = names[i];
            joint.parent = "palm";
            joint.type = PINION_JOINT_PRISMATIC;
            if (i == 2) joint.mimic = "left";
            CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
            if (i) CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
        }
        pinion_load_options options = pinion_load_options_default();
        pinion_model *follow = pinion_builder_build(b, &options, &err);
        options.mimic = PINION_MIMIC_INDEPENDENT;
        pinion_model *apart = pinion_builder_build(b, &options, &err);
        pinion_converter *c = pinion_converter_new(apart, (pinion_convention)of, &err);
        CHECK(c && pinion_converter_nq(c) == 2);
        CHECK(!pinion_converter_new(follow, (pinion_convention)of, &err) && err.status == PINION_ERR_UNSUPPORTED);
        CHECK_HAS(err.message, "mimic = independent");
        pinion_converter_free(c);
        pinion_model_free(follow);
        pinion_model_free(apart);
        pinion_builder_free(b);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(mujoco);
    RUN(pinocchio);
    RUN(a_free_body);
    RUN(refused);
    RUN(followers);
    return CHECK_END();
}
