/* Actuators whose arms depend on the configuration: along tendons, on slider-cranks, between two frames. Their columns
 * of B against lengths and Jacobians that the test computes itself, what else is made of them, and copies of models. */
#include <math.h>
#include <string.h>

#include <pinion/pinion.h>

#include "built.h"
#include "describe_robot.h"

enum { NV = 10, NQ = 11, NU = 7 };
static const char *const names[NU] = {"cable", "sum", "crank", "short", "pair", "cousins", "same"};

static void add_frame(pinion_builder *b, const char *name, const char *link, double x, double y, double z)
{
    pinion_frame_def def = pinion_frame_def_default();
    const double c = cos(x + 7 * y), s = sin(x + 7 * y);
    const double R[9] = {c, -s, 0, s * 0.6, c * 0.6, -0.8, s * 0.8, c * 0.8, 0.6};
    def.name = name;
    def.link = link;
    memcpy(def.pose.rotation, R, sizeof R);
    def.pose.position[0] = x;
    def.pose.position[1] = y;
    def.pose.position[2] = z;
    CHECK_STATUS(pinion_builder_add_frame(b, &def, NULL), PINION_OK);
}

static void add_tendons(pinion_builder *b)
{
    const char *const through[] = {"drum", "eye", NULL, "eye", "tip"}, *const joints[] = {"knee", "toe"};
    const double divide[] = {1, 1, 2, 1, 1}, weight[] = {0.3, -0.2};
    pinion_tendon_def def = pinion_tendon_def_default();
    def.name = "line";
    def.type = PINION_TENDON_PATH;
    def.count = 5;
    def.through = through;
    def.weights = divide;
    CHECK_STATUS(pinion_builder_add_tendon(b, &def, NULL), PINION_OK);
    def = pinion_tendon_def_default();
    def.name = "both";
    def.count = 2;
    def.through = joints;
    def.weights = weight;
    CHECK_STATUS(pinion_builder_add_tendon(b, &def, NULL), PINION_OK);
}

static void add_actuator(pinion_builder *b, int i)
{
    static const pinion_actuator_type type[NU] = {PINION_ACTUATOR_TENDON, PINION_ACTUATOR_TENDON, PINION_ACTUATOR_CRANK,
                                                  PINION_ACTUATOR_CRANK,  PINION_ACTUATOR_PAIR,   PINION_ACTUATOR_PAIR,
                                                  PINION_ACTUATOR_PAIR};
    static const char *const tendon[NU] = {"line", "both"};
    static const char *const frame[NU] = {0, 0, "tip", "tip", "tip", "tip", "eye"};
    static const char *const reference[NU] = {0, 0, "rail", "rail", "eye", "hand", "thigh"};
    const double wrench[6] = {0.3, -0.2, 0.7, 1.5, 0.4, -0.6};
    pinion_actuator_def def = pinion_actuator_def_default();
    def.name = names[i];
    def.type = type[i];
    def.tendon = tendon[i];
    def.frame = frame[i];
    def.reference = reference[i];
    def.rod = i == 3 ? 1e-3 : 4;
    def.gear = 2 - 0.75 * i;
    def.efficiency = i % 2 ? 0.5 : 1;
    memcpy(def.wrench, wrench, sizeof wrench);
    CHECK_STATUS(pinion_builder_add_actuator(b, &def, NULL), PINION_OK);
}

/* base -fly(free)-> trunk -hip(universal)-> thigh -knee-> shank -toe(follows the knee)-> foot, trunk -arm-> arm */
static pinion_builder *walker(int actuators)
{
    static const pinion_joint_type type[] = {PINION_JOINT_FREE, PINION_JOINT_UNIVERSAL, PINION_JOINT_REVOLUTE,
                                             PINION_JOINT_REVOLUTE, PINION_JOINT_PRISMATIC};
    static const char *const joint[] = {"fly", "hip", "knee", "toe", "arm"};
    static const char *const link[] = {"base", "trunk", "thigh", "shank", "foot", "arm"};
    pinion_builder *b = pinion_builder_new("walker");
    for (int i = 0; i < 6; i++) add_link(b, link[i], i + 1);
    for (int i = 0; i < 5; i++) {
        pinion_joint_def def = joint_def(joint[i], type[i], link[i == 4 ? 1 : i], link[i + 1], 10 + i);
        def.parent_pose.position[0] = 0.1 * i;
        def.parent_pose.position[2] = -0.4;
        def.axis[0] = 0.6, def.axis[1] = 0.8, def.axis[2] = 0;
        if (i == 3) def.mimic = "knee", def.multiplier = -0.5;
        CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    }
    add_frame(b, "drum", "base", -0.3, 0.2, 0.1);
    add_frame(b, "rail", "base", 0.2, -0.2, 0.4);
    add_frame(b, "eye", "thigh", 0.1, 0.05, -0.2);
    add_frame(b, "tip", "foot", 0.15, -0.1, -0.1);
    add_frame(b, "hand", "arm", 0.25, 0.3, 0);
    add_tendons(b);
    for (int i = 0; i < actuators; i++) add_actuator(b, i);
    return b;
}

static void place(const pinion_model *m, pinion_work *w, const double *q, const char *name, double p[3], double R[9])
{
    CHECK_STATUS(pinion_frame_pose(m, w, q, pinion_model_find_frame(m, name), p, R), PINION_OK);
}

static double distance(const pinion_model *m, pinion_work *w, const double *q, const char *one, const char *two)
{
    double p[2][3], R[9];
    place(m, w, q, one, p[0], R);
    place(m, w, q, two, p[1], R);
    return hypot(hypot(p[1][0] - p[0][0], p[1][1] - p[0][1]), p[1][2] - p[0][2]);
}

/* Where the slider is: on its axis, a rod's length before the crank's end. */
static double slider(const pinion_model *m, pinion_work *w, const double *q, double rod)
{
    double p[2][3], R[9], along = 0, all = 0;
    place(m, w, q, "tip", p[0], R);
    place(m, w, q, "rail", p[1], R);
    for (int k = 0; k < 3; k++) {
        const double x = p[0][k] - p[1][k];
        along += x * R[3 * k + 2];
        all += x * x;
    }
    const double aside = all - along * along;
    return rod * rod > aside ? along - sqrt(rod * rod - aside) : along;
}

/* The length that one of the first four acts along. */
static double length(const pinion_model *m, pinion_work *w, const double *q, int i)
{
    if (i == 0) return distance(m, w, q, "drum", "eye") + distance(m, w, q, "eye", "tip") / 2;
    if (i == 1) return 0.3 * q[9] - 0.2 * -0.5 * q[9]; /* the toe follows the knee */
    return slider(m, w, q, i == 2 ? 4 : 1e-3);
}

static void random_state(const pinion_model *m, uint64_t *seed, double *q, double *v)
{
    CHECK_STATUS(pinion_random(m, (*seed)++, q), PINION_OK);
    for (int i = 4; i < 7; i++) q[i] = check_uniform(seed) - 0.5; /* near, where the rod reaches */
    for (int i = 0; i < NV; i++) v[i] = 2 * check_uniform(seed) - 1;
}

static void column(const double *B, int k, double *out)
{
    for (int i = 0; i < NV; i++) out[i] = B[i * NU + k];
}

/* The gradient of a length, by Richardson's extrapolation of differences. */
static double slope(const pinion_model *m, pinion_work *w, const double *q, int i, int k)
{
    double at[2];
    for (int step = 0; step < 2; step++) {
        const double h = step ? 5e-4 : 1e-3;
        double delta[NV] = {0}, there[NQ], value[2];
        for (int side = 0; side < 2; side++) {
            delta[k] = side ? -1 : 1;
            CHECK_STATUS(pinion_integrate(m, q, delta, h, there), PINION_OK);
            value[side] = length(m, w, there, i);
        }
        at[step] = (value[0] - value[1]) / (2 * h);
    }
    return (4 * at[1] - at[0]) / 3;
}

TEST(columns_are_gradients_of_lengths)
{
    uint64_t seed = check_seed;
    pinion_model *m = built(walker(NU));
    pinion_work *w = pinion_work_new(m);
    CHECK(pinion_model_nv(m) == NV && pinion_model_nq(m) == NQ && pinion_model_actuator_count(m) == NU);
    for (int round = 0; round < 20; round++) {
        double q[NQ], v[NV], B[NV * NU];
        random_state(m, &seed, q, v);
        CHECK_STATUS(pinion_actuation_matrix(m, w, q, B), PINION_OK);
        for (int i = 0; i < 4; i++) {
            pinion_actuator_info a;
            CHECK_STATUS(pinion_model_actuator(m, i, &a), PINION_OK);
            CHECK(a.term_count == (i == 1 ? 2 : 0));
            for (int k = 0; k < NV; k++) /* h^4 of lengths about 1 m, and rounding over h */
                CHECK_NEAR(B[k * NU + i], a.gear * a.efficiency * slope(m, w, q, i, k), 1e-8);
        }
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* J' F of the two frames, without the columns of what carries both. */
TEST(pairs_move_what_is_between_them)
{
    static const char *const frame[] = {"tip", "tip", "eye"}, *const reference[] = {"eye", "hand", "thigh"};
    const int common[] = {8, 6, 10}; /* so many first coordinates move both; of the knee and toe only one has its own */
    const double wrench[6] = {0.3, -0.2, 0.7, 1.5, 0.4, -0.6};
    uint64_t seed = check_seed;
    pinion_model *m = built(walker(NU));
    pinion_work *w = pinion_work_new(m);
    for (int round = 0; round < 20; round++) {
        double q[NQ], v[NV], B[NV * NU], J[2][6 * NV];
        random_state(m, &seed, q, v);
        CHECK_STATUS(pinion_actuation_matrix(m, w, q, B), PINION_OK);
        for (int i = 0; i < 3; i++) {
            double p[3], R[9], f[6] = {0};
            const int at[2] = {pinion_model_find_frame(m, frame[i]), pinion_model_find_frame(m, reference[i])};
            for (int k = 0; k < 2; k++)
                CHECK_STATUS(pinion_jacobian(m, w, q, at[k], PINION_REFERENCE_WORLD_ALIGNED, J[k]), PINION_OK);
            place(m, w, q, reference[i], p, R);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    f[r] += R[3 * r + c] * wrench[c];
                    f[3 + r] += R[3 * r + c] * wrench[3 + c];
                }
            const double gain = (2 - 0.75 * (4 + i)) * ((4 + i) % 2 ? 0.5 : 1);
            for (int k = 0; k < NV; k++) {
                double sum = 0;
                for (int r = 0; r < 6 && k >= common[i]; r++) sum += f[r] * (J[0][r * NV + k] - J[1][r * NV + k]);
                CHECK_NEAR(B[k * NU + 4 + i], gain * sum, 1e-13);
            }
        }
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Torques, speeds and forces are those of B; derivatives of B u those of its differences. */
TEST(torques_speeds_and_derivatives)
{
    uint64_t seed = check_seed;
    pinion_model *m = built(walker(NU));
    pinion_work *w = pinion_work_new(m);
    pinion_allocation *allocation = pinion_allocation_new(m);
    for (int round = 0; round < 10; round++) {
        double q[NQ], v[NV], u[NU], B[NV * NU], one[NV], tau[NV], dq[NV * NV], found[NU], rest[NV];
        random_state(m, &seed, q, v);
        for (int k = 0; k < NU; k++) u[k] = 2 * check_uniform(&seed) - 1;
        CHECK_STATUS(pinion_actuation_matrix(m, w, q, B), PINION_OK);
        CHECK_STATUS(pinion_actuation_torque(m, w, q, u, tau), PINION_OK);
        for (int i = 0; i < NV; i++) {
            double sum = 0;
            for (int k = 0; k < NU; k++) sum += B[i * NU + k] * u[k];
            CHECK_NEAR(tau[i], sum, 1e-13);
        }
        for (int k = 0; k < NU; k++) {
            double speed = NAN, power = 0;
            pinion_actuator_info a;
            CHECK_STATUS(pinion_model_actuator(m, k, &a), PINION_OK);
            CHECK_STATUS(pinion_actuator_speed(m, w, q, v, k, &speed), PINION_OK);
            column(B, k, one);
            for (int i = 0; i < NV; i++) power += one[i] * v[i];
            CHECK_NEAR(speed * a.efficiency, power, 1e-13);
        }
        CHECK_STATUS(pinion_allocation_forces(allocation, q, tau, 0, found, rest), PINION_OK);
        for (int i = 0; i < NV; i++) CHECK_NEAR(rest[i], 0, 1e-11);

        CHECK_STATUS(pinion_d_actuation_torque(m, w, q, u, dq), PINION_OK);
        for (int k = 0; k < NV; k++) {
            double there[NQ], side[2][NV], delta[NV] = {0};
            for (int s = 0; s < 2; s++) {
                delta[k] = s ? -1 : 1;
                CHECK_STATUS(pinion_integrate(m, q, delta, 1e-5, there), PINION_OK);
                CHECK_STATUS(pinion_actuation_torque(m, w, there, u, side[s]), PINION_OK);
            }
            for (int i = 0; i < NV; i++) CHECK_NEAR(dq[i * NV + k], (side[0][i] - side[1][i]) / 2e-5, 1e-7);
        }
    }
    double x = 0;
    CHECK_STATUS(pinion_actuator_speed(m, w, NULL, &x, 0, &x), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_d_actuation_torque(m, w, &x, NULL, &x), PINION_ERR_ARGUMENT);
    pinion_allocation_free(allocation);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* B of the same actuator in two models. */
static void same_column(const pinion_model *one, const pinion_model *two, const double *q, const char *name)
{
    double B[2][NV * NU];
    const pinion_model *const both[2] = {one, two};
    const int k[2] = {pinion_model_find_actuator(one, name), pinion_model_find_actuator(two, name)};
    CHECK(k[0] >= 0 && k[1] >= 0);
    if (k[0] < 0 || k[1] < 0) return;
    for (int i = 0; i < 2; i++) {
        pinion_work *w = pinion_work_new(both[i]);
        CHECK_STATUS(pinion_actuation_matrix(both[i], w, q, B[i]), PINION_OK);
        pinion_work_free(w);
    }
    const int nu[2] = {pinion_model_actuator_count(one), pinion_model_actuator_count(two)};
    for (int i = 0; i < pinion_model_nv(two); i++) CHECK_NEAR(B[0][i * nu[0] + k[0]], B[1][i * nu[1] + k[1]], 1e-13);
}

TEST(copies_keep_them)
{
    uint64_t seed = check_seed;
    pinion_model *m = built(walker(NU));
    double q[NQ], v[NV];
    random_state(m, &seed, q, v);
    pinion_model *named = pinion_model_rename(m, "tip", "end", NULL);
    for (int i = 0; named && i < NU; i++) same_column(m, named, q, names[i]);

    /* the arm is the last coordinate: locked, the others are as they were */
    const int arm = pinion_model_find_joint(m, "arm");
    const int knee = pinion_model_find_joint(m, "knee");
    pinion_joint_info last;
    CHECK_STATUS(pinion_model_joint(m, arm, &last), PINION_OK);
        pinion_model *fewer = pinion_model_reduce(m, 1, &arm, q, NULL);
    CHECK(fewer && pinion_model_actuator_count(fewer) == NU);
    CHECK(last.v_index == NV - 1);
    for (int i = 0; fewer && i < NU; i++) same_column(m, fewer, q, names[i]);

    /* a part of it has what acts within it */
    pinion_model *leg = pinion_model_subtree(m, pinion_model_find_link(m, "thigh"), NULL);
    CHECK(leg && pinion_model_find_actuator(leg, "pair") >= 0 && pinion_model_find_actuator(leg, "sum") >= 0);
    CHECK(leg && pinion_model_find_actuator(leg, "cable") < 0 && pinion_model_find_actuator(leg, "crank") < 0);
    CHECK(leg && pinion_model_find_actuator(leg, "cousins") < 0 && pinion_model_find_actuator(leg, "same") >= 0);

    /* with the knee locked nothing is left of the tendon over it and its follower */
    pinion_model *stiff = pinion_model_reduce(m, 1, &knee, q, NULL);
    CHECK(stiff && pinion_model_find_actuator(stiff, "sum") < 0 && pinion_model_find_actuator(stiff, "cable") >= 0);

    /* twice as long: angles have the same arms twice, displacements the same */
    pinion_model *large = pinion_model_scale(m, 2, 1, NULL);
    pinion_actuator_info a;
    CHECK(large && pinion_model_actuator(large, pinion_model_find_actuator(large, "crank"), &a) == PINION_OK);
    CHECK_NEAR(a.rod, 8, 0);
    pinion_model_free(large);
    pinion_model_free(stiff);
    pinion_model_free(leg);
    pinion_model_free(fewer);
    pinion_model_free(named);
    pinion_model_free(m);
}

TEST(what_is_wrong_is_told)
{
    static const char *const said[] = {"tendon 'nowhere' does not exist", "frame 'nowhere' does not exist",
                                       "its rod has no length",           "its moment and force are all 0",
                                       "has a motor and acts on a frame", "has no reference"};
    for (int i = 0; i < 6; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_builder *b = walker(0);
        pinion_actuator_def def = pinion_actuator_def_default();
        def.name = "bad";
        def.type = i == 0 ? PINION_ACTUATOR_TENDON : i == 2 ? PINION_ACTUATOR_CRANK : PINION_ACTUATOR_PAIR;
        def.tendon = "nowhere";
        def.frame = "tip";
        def.reference = i == 1 ? "nowhere" : i == 5 ? NULL : "eye";
        def.wrench[3] = i != 3;
        if (i == 4) def.dynamics.torque_constant = def.dynamics.resistance = 1;
        const pinion_status status = pinion_builder_add_actuator(b, &def, &err);
        pinion_model *m = status == PINION_OK ? pinion_builder_build(b, NULL, &err) : NULL;
        CHECK(m == NULL);
        CHECK_HAS(err.message, said[i]);
        CHECK_HAS(err.message, "'bad'");
        pinion_model_free(m);
        pinion_builder_free(b);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(columns_are_gradients_of_lengths);
    RUN(pairs_move_what_is_between_them);
    RUN(torques_speeds_and_derivatives);
    RUN(copies_keep_them);
    RUN(what_is_wrong_is_told);
    return CHECK_END();
}
