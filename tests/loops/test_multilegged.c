/* multilegged beside loop-nullspace, which shares nothing with it but the rows: machines on legs whose feet are held as
 * points or flat, one or several to a leg; what it refuses; and its cost, which is linear in the legs. */
#include "check.h"
#include "pinion/pinion.h"

enum { MOST = 64 };

static pinion_pose random_place(uint64_t *seed)
{
    pinion_pose p = pinion_pose_identity();
    double q[4], size = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = check_between(seed, -1, 1);
        size += q[i] * q[i];
    }
    const double n = 2 / size, w = q[0], x = q[1], y = q[2], z = q[3];
    const double R[9] = {1 - n * (y * y + z * z), n * (x * y - w * z),     n * (x * z + w * y),
                         n * (x * y + w * z),     1 - n * (x * x + z * z), n * (y * z - w * x),
                         n * (x * z - w * y),     n * (y * z + w * x),     1 - n * (x * x + y * y)};
    memcpy(p.rotation, R, sizeof R);
    for (int i = 0; i < 3; i++) p.position[i] = check_between(seed, -0.5, 0.5);
    return p;
}

static void add_body(pinion_builder *b, uint64_t *seed, const char *name, const char *parent, pinion_joint_type type)
{
    char joint[40];
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def def = pinion_joint_def_default();
    link.name = name;
    link.inertia.mass = check_between(seed, 0.5, 2);
    for (int i = 0; i < 3; i++) link.inertia.com[i] = check_between(seed, -0.1, 0.1);
    link.inertia.inertia[0] = link.inertia.inertia[3] = link.inertia.inertia[5] = check_between(seed, 0.05, 0.1);
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    snprintf(joint, sizeof joint, "j_%s", name);
    def.name = joint;
    def.type = type;
    def.parent = parent;
    def.child = name;
    def.parent_pose = random_place(seed);
    for (int i = 0; i < 3; i++) def.axis[i] = check_between(seed, -1, 1);
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
}

static void hold(pinion_builder *b, uint64_t *seed, const char *name, const char *from, const char *to,
                 pinion_joint_type type)
{
    pinion_joint_def def = pinion_joint_def_default();
    def.name = name;
    def.type = type;
    def.parent = from;
    def.child = to;
    def.parent_pose = random_place(seed);
    def.child_pose = random_place(seed);
    CHECK_STATUS(pinion_builder_add_loop(b, &def, NULL), PINION_OK);
}

/* A trunk on a joint, with legs of some revolute joints; of each leg the feet of some bodies from the last one are
 * held. */
static pinion_model *machine(uint64_t *seed, pinion_joint_type root, int legs, int joints, int feet,
                             pinion_joint_type foot, int in_the_air)
{
    pinion_builder *b = pinion_builder_new("machine");
    pinion_link_def world = pinion_link_def_default();
    pinion_error err = {PINION_OK, 0, 0, ""};
    world.name = "world";
    CHECK_STATUS(pinion_builder_add_link(b, &world, NULL), PINION_OK);
    add_body(b, seed, "trunk", "world", root);
    for (int l = 0; l < legs; l++) {
        char name[40], before[40] = "trunk", loop[40];
        for (int k = 0; k < joints; k++) {
            snprintf(name, sizeof name, "leg%d_%d", l, k);
            add_body(b, seed, name, before, PINION_JOINT_REVOLUTE);
            memcpy(before, name, sizeof name);
        }
        for (int k = 0; k < feet && l >= in_the_air; k++) {
            snprintf(loop, sizeof loop, "foot%d_%d", l, k);
            snprintf(name, sizeof name, "leg%d_%d", l, joints - 1 - 2 * k);
            /* either way round */
            if (l % 2) hold(b, seed, loop, name, "world", foot);
            else hold(b, seed, loop, "world", name, foot);
        }
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

static double apart(int n, const double *x, const double *y)
{
    double most = 1, worst = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(y[i]));
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - y[i]));
    return worst / most;
}

/* What is left of a row of J J' behind the rows before it, J the rows of L without the trunk's velocities: about the
 * square of the angle by which a leg is from one that cannot move its foot every way. */
static double least_pivot(const pinion_model *m, pinion_work *w, const double *q)
{
    const int nv = pinion_model_nv(m), rows = pinion_model_row_count(m);
    static double L[MOST * MOST], G[MOST][MOST];
    pinion_constraints parts = {.L = L};
    pinion_joint_info trunk;
    double least = 1;
    CHECK_STATUS(pinion_model_joint(m, 0, &trunk), PINION_OK);
    CHECK_STATUS(pinion_constraints_at(m, w, 0, q, NULL, &parts), PINION_OK);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j <= i; j++) {
            G[i][j] = 0;
            for (int k = trunk.nv; k < nv; k++) G[i][j] += L[i * nv + k] * L[j * nv + k];
        }
    for (int i = 0; i < rows; i++) {
        const double all = G[i][i];
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < j; k++) G[i][j] -= G[i][k] * G[j][k];
            if (j < i) G[i][j] /= G[j][j];
        }
        least = fmin(least, G[i][i] / all);
        G[i][i] = sqrt(fmax(G[i][i], 1e-300));
    }
    return fmax(least, 1e-16);
}

static void compare(pinion_model *m, uint64_t *seed)
{
    const int nv = pinion_model_nv(m), rows = pinion_model_row_count(m);
    double q[MOST], v[MOST], tau[MOST], f[6 * MOST], a[2][MOST], lambda[2][MOST] = {{0}};
    pinion_work *w = pinion_work_new(m);
    pinion_loop_options o = pinion_loop_options_default();
    const int by[2] = {pinion_algorithm_find("multilegged"), pinion_algorithm_find("loop-nullspace")};
    CHECK(nv < MOST && rows < MOST && by[0] >= 0);
    CHECK_STATUS(pinion_algorithm_applies(by[0], m, NULL), PINION_OK);
    for (int round = 0; round < 4; round++) {
        CHECK_STATUS(pinion_random(m, (uint64_t)round + *seed, q), PINION_OK);
        for (int i = 0; i < nv; i++) {
            v[i] = check_between(seed, -1, 1);
            tau[i] = check_between(seed, -5, 5);
        }
        for (int i = 0; i < 6 * pinion_model_body_count(m); i++) f[i] = check_between(seed, -1, 1);
        o.alpha = round == 3 ? 5 : 0;

        /* Near a singular state, which is told, rows that hardly differ are one to loop-nullspace and two to a leg:
         * two to both where the tolerance says so. Near a straight knee digits are lost. */
        pinion_mobility there;
        CHECK_STATUS(pinion_mobility_at(m, w, 0, q, &there), PINION_OK);
        CHECK(there.rank == rows || there.doubt > 0);
        o.tolerance = there.doubt > 0 ? 1e-12 : 0;
        const double lost = 100 * 2.2e-16 / least_pivot(m, w, q);
        for (int k = 0; k < 2; k++) {
            pinion_loop_solution s = {lambda[k], 0, 0};
            CHECK_STATUS(pinion_loop_dynamics(m, w, by[k], &o, q, round ? v : NULL, tau, round > 1 ? f : NULL, a[k],
                                              &s),
                         PINION_OK);
            double force = 0; /* accelerations are rounded as forces of loops are, which a straight knee makes large */
            for (int i = 0; i < rows; i++) force = fmax(force, fabs(lambda[k][i]));
            CHECK(s.residual < 1e-8 + lost + 100 * 2.2e-16 * force);
            if (k) CHECK(s.rank == rows);
        }
        /* random legs may be badly conditioned: what is left of the rows above is the sharper test */
        CHECK(apart(nv, a[0], a[1]) < 1e-7 + lost);
        CHECK(apart(rows, lambda[0], lambda[1]) < 1e-7 + lost);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(machines_of_every_kind)
{
    uint64_t seed = check_seed;
    for (int legs = 1; legs <= 6; legs++)
        compare(machine(&seed, PINION_JOINT_FREE, legs, 3, 1, PINION_JOINT_SPHERICAL, 0), &seed);
    compare(machine(&seed, PINION_JOINT_FREE, 4, 3, 1, PINION_JOINT_SPHERICAL, 2), &seed); /* two legs in the air */
    compare(machine(&seed, PINION_JOINT_FREE, 2, 6, 1, PINION_JOINT_FIXED, 0), &seed);     /* flat feet */
    compare(machine(&seed, PINION_JOINT_FREE, 2, 8, 2, PINION_JOINT_SPHERICAL, 0), &seed); /* and knees */
    compare(machine(&seed, PINION_JOINT_PLANAR, 3, 4, 1, PINION_JOINT_SPHERICAL, 0), &seed);
    compare(machine(&seed, PINION_JOINT_REVOLUTE, 3, 4, 1, PINION_JOINT_SPHERICAL, 0), &seed);
    compare(machine(&seed, PINION_JOINT_UNIVERSAL, 2, 4, 1, PINION_JOINT_SPHERICAL, 0), &seed); /* two bodies in one */
    compare(machine(&seed, PINION_JOINT_FREE, 3, 4, 0, PINION_JOINT_SPHERICAL, 0), &seed);      /* nothing is held */
}

/* loops between legs, on the trunk itself, gears; and legs that cannot move their feet */
TEST(what_it_does_not_do)
{
    const int by = pinion_algorithm_find("multilegged");
    uint64_t seed = check_seed;
    static const char *const from[] = {"leg0_2", "world"}, *const to[] = {"leg1_2", "trunk"};
    for (int k = 0; k < 2; k++) {
        pinion_builder *b = pinion_builder_new("other");
        pinion_model *legs = machine(&seed, PINION_JOINT_FREE, 2, 3, 1, PINION_JOINT_SPHERICAL, 0);
        pinion_error err = {PINION_OK, 0, 0, ""};
        CHECK_STATUS(pinion_builder_add_model(b, legs, NULL, &err), PINION_OK);
        hold(b, &seed, "more", from[k], to[k], PINION_JOINT_SPHERICAL);
        pinion_model *m = pinion_builder_build(b, NULL, &err);
        CHECK_STATUS(pinion_algorithm_applies(by, m, &err), PINION_ERR_UNSUPPORTED);
        CHECK_HAS(err.message, "multilegged needs loops that hold bodies of legs to the base");
        pinion_model_free(m);
        pinion_model_free(legs);
        pinion_builder_free(b);
    }
    /* one joint cannot give a point three ways to go */
    pinion_model *m = machine(&seed, PINION_JOINT_FREE, 4, 2, 1, PINION_JOINT_SPHERICAL, 0);
    pinion_work *w = pinion_work_new(m);
    double q[MOST], a[MOST];
    CHECK_STATUS(pinion_random(m, seed, q), PINION_OK);
    CHECK_STATUS(pinion_loop_dynamics(m, w, by, NULL, q, NULL, NULL, NULL, a, NULL), PINION_ERR_SINGULAR);
    CHECK_HAS(pinion_work_message(w), "the joints of a leg cannot move its foot every way that its loops hold it");
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Legs of fewer joints than their feet have rows are always singular. What rounding leaves of a pivot then is larger
 * where rows before are nearly dependent, and must not be taken for one. */
TEST(legs_that_cannot_move_their_feet)
{
    uint64_t seed = check_seed;
    const int by = pinion_algorithm_find("multilegged");
    for (int k = 0; k < 600; k++) {
        pinion_model *m = k % 3 == 0   ? machine(&seed, PINION_JOINT_FREE, 1, 2, 1, PINION_JOINT_SPHERICAL, 0)
                          : k % 3 == 1 ? machine(&seed, PINION_JOINT_FREE, 1, 5, 1, PINION_JOINT_FIXED, 0)
                                       : machine(&seed, PINION_JOINT_REVOLUTE, 2, 4, 1, PINION_JOINT_FIXED, 0);
        pinion_work *w = pinion_work_new(m);
        double q[MOST], a[MOST];
        CHECK_STATUS(pinion_random(m, seed, q), PINION_OK);
        CHECK_STATUS(pinion_loop_dynamics(m, w, by, NULL, q, NULL, NULL, NULL, a, NULL), PINION_ERR_SINGULAR);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* Every further leg costs the same, whatever stands beside it. */
TEST(the_cost_is_linear_in_the_legs)
{
#ifndef PINION_TRACE
    SKIP("a build that does not count");
#else
    const int by = pinion_algorithm_find("multilegged");
    double count[8] = {0};
    for (int legs = 1; legs < 8; legs++) {
        uint64_t seed = 5;
        pinion_operations lean, whole;
        pinion_model *m = machine(&seed, PINION_JOINT_FREE, legs, 3, 1, PINION_JOINT_SPHERICAL, 0);
        const pinion_status status = pinion_algorithm_operations(by, m, &lean, &whole);
        pinion_model_free(m);
        CHECK_STATUS(status, PINION_OK);
        count[legs] = (double)(whole.mul + whole.add + whole.div + whole.sqrt + whole.trig);
    }
    /* loops are either way round by turns */
    for (int legs = 4; legs < 8; legs++) CHECK_NEAR(count[legs] - count[legs - 2], count[3] - count[1], 0);
    printf("operations of two further legs of three joints, their feet held: %.0f\n", count[3] - count[1]);
#endif
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(machines_of_every_kind);
    RUN(what_it_does_not_do);
    RUN(legs_that_cannot_move_their_feet);
    RUN(the_cost_is_linear_in_the_legs);
    return CHECK_END();
}
