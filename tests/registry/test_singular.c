/* Every algorithm that inverts M refuses a model whose mass matrix is singular, wherever it stands, and none
 * refuses or loses its digits because a robot is far from the world's origin. Dense solutions take followers. */
#define _DEFAULT_SOURCE
#include "models.h"

#include <float.h>

#define NV_MAX 12
#define STATES 20
#define TOLERANCE 1e-9

/* A robot made of one link after the other. */
typedef struct kit {
    pinion_builder *b;
    pinion_error err;
    char last[32]; /* the name of the last link */
    int count;
} kit;

static kit kit_new(void)
{
    kit k = {.b = pinion_builder_new("kit"), .last = "link0"};
    pinion_link_def link = pinion_link_def_default();
    link.name = k.last;
    CHECK(k.b && pinion_builder_add_link(k.b, &link, &k.err) == PINION_OK);
    return k;
}

/* the next link, at x along the last one's, about or along `axis`; mass 0: a ring without inertia */
static void kit_add(kit *k, pinion_joint_type type, char axis, double x, double mass)
{
    char parent[32], name[32];
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    memcpy(parent, k->last, sizeof parent);
    snprintf(k->last, sizeof k->last, "link%d", ++k->count);
    snprintf(name, sizeof name, "joint%d", k->count);
    link.name = k->last;
    const pinion_inertia body = {mass, {0.02, 0.03, 0.01}, {2e-3 * mass, 0, 0, 4e-3 * mass, 0, 3e-3 * mass}};
    link.inertia = body;
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = k->last;
    joint.parent_pose.position[0] = x;
    for (int d = 0; d < 3; d++) joint.axis[d] = axis == "xyz"[d];
    CHECK_STATUS(pinion_builder_add_link(k->b, &link, &k->err), PINION_OK);
    CHECK_STATUS(pinion_builder_add_joint(k->b, &joint, &k->err), PINION_OK);
}

static pinion_model *kit_build(kit *k)
{
    pinion_model *m = pinion_builder_build(k->b, NULL, &k->err);
    pinion_builder_free(k->b);
    if (!m) CHECK_FAIL("%s", k->err.message);
    return m;
}

static int inverts(const pinion_algorithm_info *info)
{
    return info->problem == PINION_PROBLEM_FORWARD_DYNAMICS ||
           info->problem == PINION_PROBLEM_MASS_MATRIX_INVERSE ||
           info->problem == PINION_PROBLEM_D_FORWARD_DYNAMICS;
}

/* a random state, its first coordinates given */
typedef struct state {
    double q[NV_MAX + 1], v[NV_MAX], tau[NV_MAX];
} state;

static state random_state(uint64_t *seed)
{
    state x;
    for (int i = 0; i <= NV_MAX; i++) x.q[i] = check_between(seed, -1, 1);
    for (int i = 0; i < NV_MAX; i++) {
        x.v[i] = check_between(seed, -1, 1);
        x.tau[i] = check_between(seed, -3, 3);
    }
    return x;
}

/* accelerations, or M^-1, or derivatives by q, v and tau one behind the other, by algorithm a */
static pinion_status run(const pinion_model *m, pinion_work *w, int a, const state *x, double *out)
{
    pinion_algorithm_info info;
    CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
    if (info.problem == PINION_PROBLEM_FORWARD_DYNAMICS)
        return pinion_forward_dynamics_by(m, w, a, x->q, x->v, x->tau, NULL, out);
    const int square = pinion_model_nv(m) * pinion_model_nv(m);
    if (info.problem == PINION_PROBLEM_D_FORWARD_DYNAMICS)
        return pinion_d_forward_dynamics_by(m, w, a, x->q, x->v, x->tau, NULL, out, out + square, out + 2 * square);
    return pinion_mass_matrix_inverse_by(m, w, a, x->q, out);
}

/* every algorithm that inverts M has this status in states with q[fixed] = value */
static void check_all(pinion_model *m, int fixed, double value, pinion_status expected, const char *name)
{
    uint64_t seed = check_seed;
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    for (int k = 0; w && k < STATES; k++) {
        state x = random_state(&seed);
        if (fixed >= 0) x.q[fixed] = value;
        for (int a = 0; a < pinion_algorithm_count(); a++) {
            pinion_algorithm_info info;
            double out[3 * NV_MAX * NV_MAX];
            if (pinion_algorithm(a, &info) != PINION_OK || !inverts(&info)) continue;
            if (pinion_algorithm_applies(a, m, NULL) != PINION_OK) continue;
            const pinion_status status = run(m, w, a, &x, out);
            check_count++;
            if (status != expected)
                CHECK_FAIL("%s on %s: status %d, expected %d", info.name, name, (int)status, (int)expected);
        }
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* an arm of two links that carries a camera in two rings: yaw, roll, yaw */
static pinion_model *gimbal(double reach)
{
    kit k = kit_new();
    kit_add(&k, PINION_JOINT_REVOLUTE, 'z', 0, 4);
    kit_add(&k, PINION_JOINT_REVOLUTE, 'y', reach / 2, 2);
    kit_add(&k, PINION_JOINT_REVOLUTE, 'z', reach / 2, 0);
    kit_add(&k, PINION_JOINT_REVOLUTE, 'x', 0, 0);
    kit_add(&k, PINION_JOINT_REVOLUTE, 'z', 0, 0.5);
    return kit_build(&k);
}

/* Where the roll is zero the rings' axes meet, and turning one back and the other forth moves nothing. */
TEST(gimbal_lock_is_refused)
{
    static const double reach[] = {0, 0.1, 0.8, 3, 20};
    for (size_t i = 0; i < sizeof reach / sizeof *reach; i++) {
        char name[80];
        for (int k = 0; k < 3; k++) {
            const double roll = k == 0 ? 0 : k == 1 ? 1e-9 : -1e-8;
            snprintf(name, sizeof name, "a gimbal %g m out, roll %g", reach[i], roll);
            check_all(gimbal(reach[i]), 3, roll, PINION_ERR_SINGULAR, name);
        }
        snprintf(name, sizeof name, "a gimbal %g m out, roll 0.5", reach[i]);
        check_all(gimbal(reach[i]), 3, 0.5, PINION_OK, name);
    }
}

/* two slides along one line, with a joint between that turns what is off it */
TEST(slides_along_one_line_are_refused)
{
    static const double reach[] = {0, 0.1, 0.8, 3, 20};
    for (size_t i = 0; i < sizeof reach / sizeof *reach; i++) {
        char name[80];
        kit k = kit_new();
        kit_add(&k, PINION_JOINT_REVOLUTE, 'z', 0, 4);
        kit_add(&k, PINION_JOINT_REVOLUTE, 'y', reach[i] / 2, 2);
        kit_add(&k, PINION_JOINT_PRISMATIC, 'y', reach[i] / 2, 0);
        kit_add(&k, PINION_JOINT_REVOLUTE, 'y', 0, 0);
        kit_add(&k, PINION_JOINT_PRISMATIC, 'y', 0, 0.5);
        snprintf(name, sizeof name, "slides %g m out", reach[i]);
        check_all(kit_build(&k), -1, 0, PINION_ERR_SINGULAR, name);
    }
}

/* ---- far from the origin ---- */

/* What may be lost far away. The constraint force algorithm inverts the inertias of single bodies, and seen from a
 * distance d such an inverse is larger by d^2: under a gantry that has been driven so far nothing else is known of the
 * rail, and these digits are gone (docs/algorithms/constraint-force.md). No other algorithm loses any. */
static double far_tolerance(const char *algorithm, double distance)
{
    const int by_forces = !strncmp(algorithm, "constraint-force", strlen("constraint-force"));
    return by_forces ? fmax(TOLERANCE, 64 * DBL_EPSILON * distance * distance) : TOLERANCE;
}

/* The accelerations of a robot do not depend on where its base has been driven to. */
static void check_far(pinion_model *m, int places, const char *name)
{
    static const double far[] = {30, 1000, 30000};
    uint64_t seed = check_seed;
    double worst = 0;
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    const int aba = pinion_algorithm_find("aba"), nv = m ? pinion_model_nv(m) : 0;
    for (int k = 0; w && k < STATES; k++) {
        state x = random_state(&seed);
        double near[NV_MAX], out[NV_MAX], size = 0;
        for (int i = 0; i < places; i++) x.q[i] = 0;
        CHECK_STATUS(run(m, w, aba, &x, near), PINION_OK);
        for (int i = 0; i < nv; i++) size = fmax(size, fabs(near[i]));
        for (int i = 0; i < places; i++) x.q[i] = (i % 2 ? -1 : 1) * far[k % 3];
        for (int a = 0; a < pinion_algorithm_count(); a++) {
            pinion_algorithm_info info;
            double error = 0;
            CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
            if (info.problem != PINION_PROBLEM_FORWARD_DYNAMICS) continue;
            CHECK_STATUS(run(m, w, a, &x, out), PINION_OK);
            for (int i = 0; i < nv; i++) error = fmax(error, fabs(out[i] - near[i]) / size);
            worst = fmax(worst, error);
            check_count++;
            if (!(error <= far_tolerance(info.name, far[k % 3])))
                CHECK_FAIL("%s on %s, %g m away: error %.3g", info.name, name, far[k % 3], error);
        }
    }
    printf("       %s: worst error %.2g\n", name, worst);
    pinion_work_free(w);
    pinion_model_free(m);
}

static void add_arm(kit *k)
{
    kit_add(k, PINION_JOINT_REVOLUTE, 'z', 0, 3);
    kit_add(k, PINION_JOINT_REVOLUTE, 'y', 0.3, 3);
    kit_add(k, PINION_JOINT_REVOLUTE, 'y', 0.3, 3);
    kit_add(k, PINION_JOINT_REVOLUTE, 'z', 0.3, 0.01); /* a finger */
}

TEST(a_robot_may_be_far_away)
{
    kit planar = kit_new(), gantry = kit_new();
    kit_add(&planar, PINION_JOINT_PLANAR, 'z', 0, 30);
    add_arm(&planar);
    check_far(kit_build(&planar), 2, "an arm on a planar joint");
    for (int d = 0; d < 3; d++) kit_add(&gantry, PINION_JOINT_PRISMATIC, "xyz"[d], 0, 30);
    add_arm(&gantry);
    check_far(kit_build(&gantry), 3, "an arm under a gantry");
}

/* Derivatives are in the coordinates of the first body, here the first slide, from which the others drive the arm away:
 * what is d away loses d^2 of its digits to those, whichever way M is factorized. A robot that floats is its own first
 * body. */
static void check_derivatives_far(pinion_model *m, int places, int first, const char *name)
{
    static const double far[] = {3, 30, 300};
    uint64_t seed = check_seed;
    double worst[3] = {0};
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    const int fast = pinion_algorithm_find("fd-idsva"), slow = pinion_algorithm_find("aba-columns");
    const int square = m ? pinion_model_nv(m) * pinion_model_nv(m) : 0;
    for (int k = 0; w && k < STATES; k++) {
        state x = random_state(&seed);
        double out[3 * NV_MAX * NV_MAX], truth[3 * NV_MAX * NV_MAX];
        for (int i = 0; i < places; i++) x.q[i] = (i % 2 ? -1 : 1) * far[k % 3];
        CHECK_STATUS(run(m, w, fast, &x, out), PINION_OK);
        CHECK_STATUS(run(m, w, slow, &x, truth), PINION_OK);
        for (int part = 0; part < 3; part++) {
            double error = 0, size = 0;
            for (int i = part * square; i < (part + 1) * square; i++) {
                error = fmax(error, fabs(out[i] - truth[i]));
                size = fmax(size, fabs(truth[i]));
            }
            worst[k % 3] = fmax(worst[k % 3], error / size);
            /* the finger has a hundred-thousandth of the arm's inertia: so much is lost where nothing is far */
            const double distance = first ? 1 : far[k % 3];
            if (!(error <= 5e4 * DBL_EPSILON * (1 + 10 * distance * distance) * size))
                CHECK_FAIL("%s, %g m away: part %d is off by %.3g", name, far[k % 3], part, error / size);
        }
    }
    printf("       %s: worst error at 3, 30, 300 m %.2g, %.2g, %.2g\n", name, worst[0], worst[1], worst[2]);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(derivatives_far_away)
{
    kit planar = kit_new(), gantry = kit_new();
    kit_add(&planar, PINION_JOINT_PLANAR, 'z', 0, 30);
    add_arm(&planar);
    check_derivatives_far(kit_build(&planar), 2, 1, "an arm on a planar joint");
    for (int d = 0; d < 3; d++) kit_add(&gantry, PINION_JOINT_PRISMATIC, "xyz"[d], 0, 30);
    add_arm(&gantry);
    check_derivatives_far(kit_build(&gantry), 3, 0, "an arm under a gantry");
}

/* ---- followers ---- */

/* for each of the two problems there are algorithms for models whose joints follow others */
TEST(dense_solutions_take_followers)
{
    static const char *const names[] = {"crba-cholesky", "gah-gauss-jordan", "ltl-inverse"};
    uint64_t seed = check_seed;
    pinion_model *m = random_model(REVOLUTE_PRISMATIC, 7, 0, 1, &seed);
    for (size_t i = 0; m && i < sizeof names / sizeof *names; i++) {
        pinion_error err = {0};
        CHECK_STATUS(pinion_algorithm_applies(pinion_algorithm_find(names[i]), m, &err), PINION_OK);
    }
    check_all(m, -1, 0, PINION_OK, "a tree with a follower");
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(gimbal_lock_is_refused);
    RUN(slides_along_one_line_are_refused);
    RUN(a_robot_may_be_far_away);
    RUN(derivatives_far_away);
    RUN(dense_solutions_take_followers);
    return CHECK_END();
}
