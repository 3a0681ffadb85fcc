/* Constraints of loops, motion and forces of loop joints, through the C API. tests/backend/test_loops.c has the
 * derivatives; here is what the rows mean: a loop joint between the frames of a joint of the tree, of the same type, is
 * closed whatever q, has that joint's coordinates, and its forces are that joint's. */
#include "random_loops.h"

enum { TRIES = 10, MAX = 64 };

static double worst_seen;
static void small(double error, double tolerance, const char *what)
{
    if (error > worst_seen) worst_seen = error;
    check_count++;
    if (!(error <= tolerance)) CHECK_FAIL("%s: %g, expected at most %g", what, error, tolerance);
}

static void fill(uint64_t *seed, int n, double *x)
{
    for (int i = 0; i < n; i++) x[i] = check_between(seed, -2, 2);
}

/* A free body "first" and on it "second" by joint "pair" of the type `tree`; the loop, of type `loop`, ties the same
 * two frames. With `to_base` the predecessor is the base. */
static pinion_model *twins(pinion_joint_type tree, pinion_joint_type loop, int to_base, uint64_t *seed)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("twins");
    const char *first = to_base ? "base" : "first";
    add_random_link(b, "base", seed);
    if (!to_base) {
        add_random_link(b, "first", seed);
        const pinion_joint_def carrier = random_joint("carrier", PINION_JOINT_FREE, "base", "first", seed);
        CHECK_STATUS(pinion_builder_add_joint(b, &carrier, NULL), PINION_OK);
    }
    add_random_link(b, "second", seed);
    const pinion_joint_def twin = random_joint("twin", loop, first, "second", seed);
    pinion_joint_def pair = twin;
    if (tree != loop) {
        pair = random_joint("pair", tree, first, "second", seed);
        pair.parent_pose = twin.parent_pose;
        pair.child_pose = twin.child_pose;
    }
    pair.name = "pair";
    CHECK_STATUS(pinion_builder_add_joint(b, &pair, NULL), PINION_OK);
    CHECK_STATUS(pinion_builder_add_loop(b, &twin, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* an angle in (-pi, pi] */
static double wrapped(double x)
{
    return atan2(sin(x), cos(x));
}

static int is_angle(pinion_joint_type type, int d)
{
    switch (type) {
    case PINION_JOINT_REVOLUTE:
    case PINION_JOINT_CONTINUOUS: return 1;
    case PINION_JOINT_CYLINDRICAL: return d == 0;
    case PINION_JOINT_UNIVERSAL: return 1;
    case PINION_JOINT_PLANAR: return d == 2;
    default: return 0;
    }
}

/* the twin's coordinates, velocities, forces and energy beside those of the joint of the tree */
static void compare_twins(const pinion_model *m, pinion_work *w, pinion_joint_type type, const double *q,
                          const double *v, uint64_t *seed)
{
    pinion_joint_info pair;
    const int joint = pinion_model_find_joint(m, "pair"), nv = pinion_model_nv(m);
    double position[7], velocity[6];
    CHECK_STATUS(pinion_model_joint(m, joint, &pair), PINION_OK);
    CHECK(pinion_model_loop_nq(m) == pair.nq && pinion_model_loop_nv(m) == pair.nv);
    CHECK_STATUS(pinion_loop_motion(m, w, q, v, position, velocity), PINION_OK);
    const double *own = q + pair.q_index;
    const double sign = pair.nq > pair.nv && own[0] < 0 ? -1 : 1; /* of the two quaternions the one with w >= 0 */
    for (int d = 0; d < pair.nq; d++) {
        double x = own[d] * (d < 4 ? sign : 1);
        small(fabs(position[d] - (is_angle(type, d) ? wrapped(x) : x)), 1e-13, "coordinate");
    }
    for (int d = 0; d < pair.nv; d++) small(fabs(velocity[d] - v[pair.v_index + d]), 1e-13, "velocity");

    /* motors, then all passive elements: what the tree's own passive forces are */
    double motor[6], tau[12], expected[12], tau_a[12], potential, T, V0, V1;
    memset(expected, 0, sizeof expected);
    fill(seed, pair.nv, motor);
    for (int d = 0; d < pair.nv; d++) expected[pair.v_index + d] = motor[d];
    CHECK_STATUS(pinion_loop_active_forces(m, w, q, v, motor, 0, tau_a, &potential), PINION_OK);
    small(check_error(tau_a, expected, (size_t)nv, 1), 1e-13, "motors");
    CHECK(potential == 0);

    /* a free carrier has dampers too: they are no part of it */
    CHECK_STATUS(pinion_passive_forces(m, w, q, v, tau), PINION_OK);
    for (int d = 0; d < nv; d++)
        if (d < pair.v_index || d >= pair.v_index + pair.nv) tau[d] = 0;
    CHECK_STATUS(pinion_loop_active_forces(m, w, q, v, NULL, 1, tau_a, &potential), PINION_OK);
    CHECK_STATUS(pinion_energy(m, w, q, v, 0, &T, &V0), PINION_OK);
    CHECK_STATUS(pinion_energy(m, w, q, v, 1, &T, &V1), PINION_OK);
    small(check_error(tau_a, tau, (size_t)nv, 1), 1e-12, "springs, dampers and friction");
    small(fabs(potential - (V1 - V0)) / (1 + fabs(V1)), 1e-12, "energy of the springs");
}

TEST(a_loop_joint_beside_the_same_joint_is_closed_and_moves_with_it)
{
    uint64_t seed = check_seed;
    for (int i = 0; i < TRIES; i++) {
        for (int type = PINION_JOINT_REVOLUTE; type < PINION_JOINT_TYPE_COUNT; type++) {
            const pinion_joint_type t = (pinion_joint_type)type;
            pinion_model *m = twins(t, t, i % 2, &seed);
            if (!m) return;
            pinion_work *w = pinion_work_new(m);
            const int nq = pinion_model_nq(m), nv = pinion_model_nv(m), rows = pinion_model_row_count(m);
            CHECK(rows == 6 - pinion_joint_type_nv(t) && nq <= MAX && nv <= 12);
            double q[MAX], v[MAX], phi[6], L[6 * 12], rate[6], c[6];
            CHECK_STATUS(pinion_random(m, (uint64_t)(check_uniform(&seed) * 1e15), q), PINION_OK);
            if (t == PINION_JOINT_HELICAL) q[nq - 1] += 2 * 3.14159265358979323846 * check_between(&seed, -4, 4);
            fill(&seed, nv, v);
            const pinion_constraints out = {phi, L, rate, c};
            CHECK_STATUS(pinion_constraints_at(m, w, 0, q, v, &out), PINION_OK);
            for (int r = 0; r < rows; r++) {
                small(fabs(phi[r]), 1e-13, "phi");
                small(fabs(rate[r]), 1e-12, "rate");
                small(fabs(c[r]), 1e-11, "c");
                for (int d = 0; d < nv; d++) small(fabs(L[r * nv + d]), 1e-12, "L");
            }
            compare_twins(m, w, t, q, v, &seed);
            pinion_work_free(w);
            pinion_model_free(m);
        }
    }
}

/* q of a free joint that puts its frames as a joint of `type` would at p */
static void place_free(pinion_joint_type type, const double axis[3], double pitch, const double *p, double q[7])
{
    double z[3] = {0, 0, 1}, angle = 0, shift = 0;
    memset(q, 0, 7 * sizeof *q);
    q[0] = 1;
    if (type == PINION_JOINT_FIXED || type == PINION_JOINT_UNIVERSAL || type == PINION_JOINT_SPHERICAL ||
        type == PINION_JOINT_FREE)
        return;
    if (type != PINION_JOINT_PLANAR) {
        memcpy(z, axis, sizeof z);
        if (type != PINION_JOINT_PRISMATIC) angle = p[0];
        if (type == PINION_JOINT_PRISMATIC) shift = p[0];
        if (type == PINION_JOINT_CYLINDRICAL) shift = p[1];
        if (type == PINION_JOINT_HELICAL) shift = pitch * p[0];
    }
    q[0] = cos(angle / 2);
    for (int e = 0; e < 3; e++) {
        q[1 + e] = sin(angle / 2) * z[e];
        q[4 + e] = shift * z[e];
    }
}

/* Between frames that are free to move, a closed joint's rows have wrenches of unit length that are normal to each
 * other; the helical joint's last one has its moment besides. Moments about x, y, z come first, forces follow; positive
 * ones act on the successor. */
TEST(rows_of_closed_joints_are_unit_wrenches_on_the_successor)
{
    uint64_t seed = check_seed + 1;
    for (int i = 0; i < TRIES; i++) {
        for (int type = 0; type < PINION_JOINT_TYPE_COUNT; type++) {
            const pinion_joint_type t = (pinion_joint_type)type;
            pinion_model *m = twins(PINION_JOINT_FREE, t, 1, &seed);
            if (!m) return;
            pinion_work *w = pinion_work_new(m);
            pinion_loop_info loop;
            CHECK_STATUS(pinion_model_loop(m, 0, &loop), PINION_OK);
            const int rows = loop.rows;
            double p[2], q[7], phi[6] = {0}, L[36], position[7];
            fill(&seed, 2, p);
            place_free(t, loop.joint.axis, loop.joint.pitch, p, q);
            const pinion_constraints out = {phi, L, NULL, NULL};
            CHECK_STATUS(pinion_constraints_at(m, w, 0, q, NULL, &out), PINION_OK);
            for (int r = 0; r < rows; r++) small(fabs(phi[r]), 1e-13, "phi of a joint that is closed");
            for (int r = 0; r < rows; r++) {
                for (int k = 0; k < rows; k++) {
                    double product = 0, expected = r == k;
                    for (int d = 0; d < 6; d++) product += L[6 * r + d] * L[6 * k + d];
                    if (t == PINION_JOINT_HELICAL && r == 4 && k == 4) expected += loop.joint.pitch * loop.joint.pitch;
                    small(fabs(product - expected), 1e-12, "products of rows");
                }
            }
            if (t == PINION_JOINT_FIXED)
                for (int e = 0; e < 36; e++) small(fabs(L[e] - (e % 7 == 0)), 1e-13, "rows of a fixed joint");
            if (loop.nq == 1) {
                CHECK_STATUS(pinion_loop_motion(m, w, q, NULL, position, NULL), PINION_OK);
                small(fabs(position[0] - p[0]), 1e-13, "coordinate");
            }

            /* out of place, the rows say by how much */
            if (t == PINION_JOINT_SPHERICAL) {
                q[4] = 0.25;
                q[6] = -0.5;
                CHECK_STATUS(pinion_constraints_at(m, w, 0, q, NULL, &out), PINION_OK);
                CHECK_NEAR(phi[0], 0.25, 1e-15);
                CHECK_NEAR(phi[2], -0.5, 1e-15);
            }
            pinion_work_free(w);
            pinion_model_free(m);
        }
    }
}

/* a rotation of S by a small angle shows in the rows of a joint that does not allow it, with its sign */
TEST(moment_rows_have_the_sign_of_the_turn)
{
    static const struct {
        pinion_joint_type type;
        int row, axis;
    } cases[] = {
        {PINION_JOINT_FIXED, 0, 0}, {PINION_JOINT_FIXED, 1, 1},     {PINION_JOINT_FIXED, 2, 2},
        {PINION_JOINT_PLANAR, 0, 0}, {PINION_JOINT_PLANAR, 1, 1}, {PINION_JOINT_UNIVERSAL, 0, 2},
    };
    uint64_t seed = check_seed + 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pinion_builder *b = pinion_builder_new("turn");
        add_random_link(b, "base", &seed);
        add_random_link(b, "body", &seed);
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = "free";
        joint.type = PINION_JOINT_FREE;
        joint.parent = "base";
        joint.child = "body";
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
        joint.name = "loop";
        joint.type = cases[i].type;
        CHECK_STATUS(pinion_builder_add_loop(b, &joint, NULL), PINION_OK);
        pinion_model *m = pinion_builder_build(b, NULL, NULL);
        pinion_work *w = pinion_work_new(m);
        double q[7] = {cos(0.05), 0, 0, 0, 0, 0, 0}, phi[6];
        q[1 + cases[i].axis] = sin(0.05);
        const pinion_constraints out = {phi, NULL, NULL, NULL};
        CHECK_STATUS(pinion_constraints_at(m, w, 0, q, NULL, &out), PINION_OK);
        CHECK_NEAR(phi[cases[i].row], sin(0.1), 1e-15);
        pinion_work_free(w);
        pinion_model_free(m);
        pinion_builder_free(b);
    }
}

/* J' f_ext: what external forces do to inverse dynamics */
static void forces_of(const pinion_model *m, pinion_work *w, const double *q, const double *f_ext, double *tau)
{
    double without[MAX], with[MAX];
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, NULL, NULL, NULL, without), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, NULL, NULL, f_ext, with), PINION_OK);
    for (int d = 0; d < pinion_model_nv(m); d++) tau[d] = without[d] - with[d];
}

/* L' lambda + tau_a = J' f_ext + tau */
TEST(reactions_are_L_transposed_lambda)
{
    uint64_t seed = check_seed + 3;
    for (int i = 0; i < 2 * TRIES; i++) {
        pinion_model *m = random_loops(i % 2, &seed);
        if (!m) return;
        pinion_work *w = pinion_work_new(m);
        const int nv = pinion_model_nv(m), rows = pinion_model_row_count(m), bodies = pinion_model_body_count(m);
        double q[MAX], lambda[MAX], motor[MAX], L[MAX * MAX], tau_a[MAX], tau[MAX] = {0}, forces[MAX];
        double f_ext[6 * MAX] = {0}, wrench[6 * MAX], expected[MAX], sum[MAX];
        CHECK(nv <= MAX && rows <= MAX && bodies <= MAX);
        CHECK_STATUS(pinion_random(m, (uint64_t)(check_uniform(&seed) * 1e15), q), PINION_OK);
        fill(&seed, rows, lambda);
        fill(&seed, pinion_model_loop_nv(m), motor);
        const pinion_constraints out = {NULL, L, NULL, NULL};
        CHECK_STATUS(pinion_constraints_at(m, w, 0, q, NULL, &out), PINION_OK);
        CHECK_STATUS(pinion_loop_active_forces(m, w, q, NULL, motor, 0, tau_a, NULL), PINION_OK);
        CHECK_STATUS(pinion_loop_reactions(m, w, q, lambda, motor, f_ext, tau, wrench), PINION_OK);
        forces_of(m, w, q, f_ext, forces);
        for (int d = 0; d < nv; d++) {
            expected[d] = tau_a[d];
            for (int r = 0; r < rows; r++) expected[d] += L[r * nv + d] * lambda[r];
            sum[d] = forces[d] + tau[d];
        }
        small(check_error(sum, expected, (size_t)nv, 1), 1e-12, "reactions");

        /* the wrench of each loop alone is the force on its successor, in its frame S there */
        for (int l = 0; l < pinion_model_loop_count(m); l++) {
            pinion_loop_info loop;
            double alone[MAX] = {0}, on_bodies[6 * MAX] = {0}, by_frame[6 * MAX] = {0}, none[6] = {0};
            char name[16];
            CHECK_STATUS(pinion_model_loop(m, l, &loop), PINION_OK);
            for (int r = loop.row; r < loop.row + loop.rows; r++) alone[r] = lambda[r];
            CHECK_STATUS(pinion_loop_reactions(m, w, q, alone, NULL, on_bodies, NULL, wrench), PINION_OK);
            snprintf(name, sizeof name, "S%d", l);
            const int frame = pinion_model_find_frame(m, name);
            if (frame < 0) {
                CHECK(loop.kind == PINION_LOOP_GEAR || loop.kind == PINION_LOOP_DRIVE);
                small(check_error(wrench + 6 * l, none, 6, 1), 0, "wrench of a gear or drive");
                continue;
            }
            CHECK_STATUS(pinion_force_on_frame(m, frame, wrench + 6 * l, by_frame), PINION_OK);
            const int body = loop.joint.child < 0 ? 0 : loop.joint.child;
            pinion_link_info link;
            CHECK_STATUS(pinion_model_link(m, body, &link), PINION_OK);
            if (link.body > 0)
                small(check_error(on_bodies + 6 * link.body, by_frame + 6 * link.body, 6, 1), 1e-13, "wrench");
        }
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* what changes between two times at the same state is what the laws of time change by */
TEST(laws_of_time_are_those_of_t)
{
    uint64_t seed = check_seed + 4;
    pinion_model *m = random_loops(0, &seed);
    if (!m) return;
    pinion_work *w = pinion_work_new(m);
    double q[MAX], v[MAX], phi[2][MAX], rate[2][MAX], c[2][MAX];
    CHECK_STATUS(pinion_random(m, 7, q), PINION_OK);
    fill(&seed, pinion_model_nv(m), v);
    for (int i = 0; i < 2; i++) {
        const pinion_constraints out = {phi[i], NULL, rate[i], c[i]};
        CHECK_STATUS(pinion_constraints_at(m, w, 1.5 * i, q, v, &out), PINION_OK);
    }
    for (int l = 0; l < pinion_model_loop_count(m); l++) {
        pinion_loop_info loop;
        double g[2][3];
        CHECK_STATUS(pinion_model_loop(m, l, &loop), PINION_OK);
        for (int i = 0; i < 2; i++) pinion_motion_at(&loop.motion, 1.5 * i, g[i]);
        for (int r = loop.row; r < loop.row + loop.rows; r++) {
            double dphi = g[1][0] - g[0][0], drate = g[1][1] - g[0][1], dc = g[1][2] - g[0][2];
            if (loop.kind == PINION_LOOP_DISTANCE) {
                const double l0 = loop.length + g[0][0], l1 = loop.length + g[1][0];
                dphi = (l1 * l1 - l0 * l0) / (2 * loop.length);
                drate = (l1 * g[1][1] - l0 * g[0][1]) / loop.length;
                dc = (l1 * g[1][2] + g[1][1] * g[1][1] - l0 * g[0][2] - g[0][1] * g[0][1]) / loop.length;
            }
            CHECK_NEAR(phi[0][r] - phi[1][r], dphi, 1e-12);
            CHECK_NEAR(rate[0][r] - rate[1][r], drate, 1e-12);
            CHECK_NEAR(c[1][r] - c[0][r], dc, 1e-11);
        }
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(calls_are_checked)
{
    uint64_t seed = check_seed + 5;
    pinion_model *m = random_loops(0, &seed), *tree = pinion_random_tree(4, 1, 1, NULL);
    pinion_model *other = twins(PINION_JOINT_FREE, PINION_JOINT_REVOLUTE, 1, &seed);
    pinion_model *similar = twins(PINION_JOINT_FREE, PINION_JOINT_CONTINUOUS, 1, &seed);
    if (!m || !tree || !other || !similar) return;
    pinion_work *w = pinion_work_new(m), *wt = pinion_work_new(tree), *wo = pinion_work_new(other);
    double q[MAX], phi[MAX], tau[MAX], energy = 5;
    const pinion_constraints out = {phi, NULL, NULL, NULL}, nothing = {NULL, NULL, NULL, NULL};
    CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
    CHECK_STATUS(pinion_constraints_at(m, w, 0, q, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_constraints_at(m, w, 0, NULL, NULL, &out), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_constraints_at(m, NULL, 0, q, NULL, &out), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_constraints_at(m, wt, 0, q, NULL, &out), PINION_ERR_MISMATCH);
    CHECK_STATUS(pinion_constraints_at(m, w, 0, q, NULL, &nothing), PINION_OK);
    CHECK_STATUS(pinion_loop_motion(m, w, NULL, NULL, phi, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_loop_motion(m, w, q, NULL, NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_loop_active_forces(m, w, NULL, NULL, NULL, 1, tau, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_loop_active_forces(m, w, q, NULL, NULL, 1, NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_loop_reactions(m, w, NULL, phi, NULL, NULL, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_loop_reactions(m, w, q, NULL, NULL, NULL, NULL, NULL), PINION_OK);

    /* the shape of the loops is part of what a workspace fits */
    CHECK_STATUS(pinion_neutral(similar, q), PINION_OK);
    CHECK_STATUS(pinion_constraints_at(similar, wo, 0, q, NULL, &out), PINION_ERR_MISMATCH);

    /* a quaternion that is none */
    int base = -1;
    for (int j = 0; j < pinion_model_joint_count(m); j++) {
        pinion_joint_info joint;
        CHECK_STATUS(pinion_model_joint(m, j, &joint), PINION_OK);
        if (joint.type == PINION_JOINT_FREE) base = joint.q_index;
    }
    CHECK(base >= 0);
    CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
    q[base] = 2;
    CHECK_STATUS(pinion_constraints_at(m, w, 0, q, NULL, &out), PINION_ERR_QUATERNION);

    /* without loops there is nothing, and nothing is wrong */
    CHECK(pinion_model_row_count(tree) == 0);
    CHECK_STATUS(pinion_neutral(tree, q), PINION_OK);
    CHECK_STATUS(pinion_constraints_at(tree, wt, 0, q, NULL, &out), PINION_OK);
    CHECK_STATUS(pinion_loop_motion(tree, wt, q, NULL, phi, tau), PINION_OK);
    for (int d = 0; d < pinion_model_nv(tree); d++) tau[d] = 1;
    CHECK_STATUS(pinion_loop_active_forces(tree, wt, q, NULL, NULL, 1, tau, &energy), PINION_OK);
    for (int d = 0; d < pinion_model_nv(tree); d++) CHECK(tau[d] == 0);
    CHECK(energy == 0);
    CHECK_STATUS(pinion_loop_reactions(tree, wt, q, NULL, NULL, NULL, tau, NULL), PINION_OK);

    pinion_work_free(w);
    pinion_work_free(wt);
    pinion_work_free(wo);
    pinion_model_free(m);
    pinion_model_free(tree);
    pinion_model_free(other);
    pinion_model_free(similar);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_loop_joint_beside_the_same_joint_is_closed_and_moves_with_it);
    RUN(rows_of_closed_joints_are_unit_wrenches_on_the_successor);
    RUN(moment_rows_have_the_sign_of_the_turn);
    RUN(reactions_are_L_transposed_lambda);
    RUN(laws_of_time_are_those_of_t);
    RUN(calls_are_checked);
    printf("largest error seen: %.3g\n", worst_seen);
    return CHECK_END();
}
