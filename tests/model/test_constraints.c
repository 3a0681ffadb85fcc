/* Constraints that are no joints: what is refused of them, what they tie, how many rows they have; laws of
 * time; the row of four-bars. */
#include "describe_robot.h"

/* Whether it ties links, not joints. */
static int of_links(int kind)
{
    return kind == PINION_LOOP_DISTANCE || kind == PINION_LOOP_ROLLING || kind == PINION_LOOP_SPRING;
}

/* A valid constraint of each kind on the small robot: base -j1-> arm -j2-> hand. */
static pinion_constraint_def tie(pinion_loop_kind kind)
{
    pinion_constraint_def def = pinion_constraint_def_default();
    def.name = "tie";
    def.kind = kind;
    def.line = 30;
    if (of_links(kind)) {
        def.parent = "base";
        def.child = "hand";
        if (kind == PINION_LOOP_DISTANCE) def.length = 0.5;
        if (kind == PINION_LOOP_ROLLING) def.radius = 0.25;
        if (kind == PINION_LOOP_SPRING) def.stiffness = 8, def.damping = 2, def.length = 0.125;
    } else {
        def.first = "j1";
        if (kind == PINION_LOOP_GEAR) def.second = "j2";
    }
    return def;
}

/* It is refused when it is added. */
static void refused(const pinion_constraint_def *def, const char *x, const char *y)
{
    pinion_builder *b = small();
    pinion_error err;
    memset(&err, 0, sizeof err);
    CHECK_STATUS(pinion_builder_add_constraint(b, def, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:30: ", x, y);
    CHECK_STATUS(pinion_builder_add_constraint(b, def, NULL), PINION_ERR_MODEL);
    pinion_model *m = pinion_builder_build(b, NULL, &err); /* the builder is as it was */
    CHECK(m && pinion_model_loop_count(m) == 0);
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* It is refused when the model is built. */
static void refused_later(pinion_builder *b, const pinion_constraint_def *def, const char *x, const char *y)
{
    pinion_error err;
    memset(&err, 0, sizeof err);
    CHECK_STATUS(pinion_builder_add_constraint(b, def, &err), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    CHECK(m == NULL);
    if (!m) check_message(&err, PINION_ERR_MODEL, "robot.urdf:30: ", x, y);
    pinion_model_free(m);
    pinion_builder_free(b);
}

TEST(numbers)
{
    pinion_constraint_def def = pinion_constraint_def_default();
    CHECK(def.ratio == 1 && def.length == 0 && def.motion.offset == 0 && def.parent_pose.rotation[0] == 1 &&
          def.child_pose.rotation[8] == 1);
    static const double bad[] = {0, -1, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++) {
        def = tie(PINION_LOOP_DISTANCE);
        def.length = bad[i];
        refused(&def, "loop 'tie', a distance constraint: its length is not above 0", "spherical joint");
        def = tie(PINION_LOOP_ROLLING);
        def.radius = bad[i];
        refused(&def, "loop 'tie', a rolling constraint: its radius is not above 0", "in m");
        def = tie(PINION_LOOP_GEAR);
        def.ratio = bad[i];
        if (bad[i] != -1)
            refused(&def, "loop 'tie', a gear constraint: its ratio is 0 or not finite", "ratio");
    }
    for (int i = 0; i < 6; i++) {
        def = tie(PINION_LOOP_DRIVE);
        ((double *)&def.motion)[i] = i % 2 ? NAN : INFINITY;
        pinion_builder *b = small();
        pinion_error err;
        CHECK_STATUS(pinion_builder_add_constraint(b, &def, &err), PINION_ERR_MODEL);
        CHECK_HAS(err.message, "its law of time has a number that is not finite");
        pinion_builder_free(b);
    }
    def = tie(PINION_LOOP_DISTANCE);
    def.parent_pose.position[1] = NAN;
    refused(&def, "loop 'tie': its frame on the parent", "position");
    def = tie(PINION_LOOP_ROLLING);
    def.child_pose.rotation[0] = 2;
    refused(&def, "loop 'tie': its frame on the child", "rotation");
}

TEST(names_and_kinds)
{
    pinion_constraint_def def = tie(PINION_LOOP_DISTANCE);
    def.name = "";
    refused(&def, "a loop has no name", "expected");
    def = tie(PINION_LOOP_DISTANCE);
    def.kind = PINION_LOOP_JOINT;
    refused(&def, "loop 'tie' is a constraint of kind 0", "expected 1 to 5");
    def.kind = PINION_LOOP_KIND_COUNT;
    refused(&def, "kind 6", "expected 1 to 5");

    /* what is missing */
    for (int kind = PINION_LOOP_DISTANCE; kind < PINION_LOOP_KIND_COUNT; kind++) {
        int links = of_links(kind);
        def = tie((pinion_loop_kind)kind);
        *(links ? &def.parent : &def.first) = kind % 2 ? NULL : "";
        refused(&def, "loop 'tie' has no ", links ? "parent link" : "joint");
        if (kind == PINION_LOOP_DRIVE) continue;
        def = tie((pinion_loop_kind)kind);
        *(links ? &def.child : &def.second) = NULL;
        refused(&def, "loop 'tie' has no ", links ? "child link" : "second joint");
        def = tie((pinion_loop_kind)kind);
        def.child = def.parent;
        if (!links) def.second = def.first;
        refused(&def, links ? "ties link 'base' to itself" : "ties joint 'j1' to itself",
                "two different ones");
    }

    /* what another kind has */
    def = tie(PINION_LOOP_GEAR);
    def.parent = "base";
    refused(&def, "names a link", "joints only");
    def = tie(PINION_LOOP_ROLLING);
    def.first = "j1";
    refused(&def, "names a joint", "links only");
    def = tie(PINION_LOOP_DRIVE);
    def.second = "j2";
    refused(&def, "names a second joint", "expected one");
    def = tie(PINION_LOOP_DRIVE);
    def.ratio = 2;
    refused(&def, "has a ratio", "only a gear");
    def = tie(PINION_LOOP_ROLLING);
    def.length = 2;
    refused(&def, "has a length", "only a distance and a spring");
    def = tie(PINION_LOOP_DISTANCE);
    def.damping = 2;
    refused(&def, "has a stiffness or damping", "only a spring");
    def = tie(PINION_LOOP_SPRING);
    def.motion.rate = 1;
    refused(&def, "has a law of time", "expected none");
    def = tie(PINION_LOOP_SPRING);
    def.radius = 1;
    refused(&def, "has a radius or a shape", "only rolling");
    def = tie(PINION_LOOP_DISTANCE);
    def.radius = 2;
    refused(&def, "has a radius or a shape", "only rolling");
    def = tie(PINION_LOOP_GEAR);
    def.disk = 1;
    refused(&def, "has a radius or a shape", "only rolling");
    def = tie(PINION_LOOP_ROLLING);
    def.motion.phase = 1;
    refused(&def, "has a law of time", "expected none");

    /* not from the default, no builder */
    pinion_error err;
    pinion_builder *b = small();
    def = tie(PINION_LOOP_GEAR);
    def.cookie = 0;
    CHECK_STATUS(pinion_builder_add_constraint(b, &def, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "pinion_constraint_def_default()");
    CHECK_STATUS(pinion_builder_add_constraint(b, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_constraint(NULL, &def, &err), PINION_ERR_ARGUMENT);
    pinion_builder_free(b);

    /* a name that a joint has; links that do not exist */
    def = tie(PINION_LOOP_DISTANCE);
    def.name = "j2";
    refused_later(small(), &def, "loop 'j2' has the name of the joint at line 14", "expected");
    def = tie(PINION_LOOP_DISTANCE);
    def.child = "nowhere";
    refused_later(small(), &def, "loop 'tie': child link 'nowhere' does not exist", "expected");
}

/* The small robot with a ball, a weld, a follower and a loop joint more. */
static pinion_builder *larger(void)
{
    pinion_builder *b = small();
    add_link(b, "c", 20);
    add_link(b, "d", 20);
    add_link(b, "e", 20);
    pinion_joint_def def = joint_def("ball", PINION_JOINT_SPHERICAL, "hand", "c", 20);
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    def = joint_def("weld", PINION_JOINT_FIXED, "hand", "d", 20);
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    def = joint_def("follower", PINION_JOINT_REVOLUTE, "hand", "e", 20);
    def.mimic = "j1";
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    add_joint(b, "left", "base", "e", 20);
    def = joint_def("loop", PINION_JOINT_REVOLUTE, "base", "c", 20);
    CHECK_STATUS(pinion_builder_add_loop(b, &def, NULL), PINION_OK);
    return b;
}

TEST(joints_to_tie)
{
    static const struct {
        const char *joint, *why;
    } bad[] = {{"nothing", "joint 'nothing' does not exist"},
               {"ball", "joint 'ball' is spherical"},
               {"weld", "joint 'weld' is fixed"},
               {"follower", "joint 'follower' follows another joint"},
               {"left", "joint 'left' is not in the spanning tree but closes a loop"},
               {"loop", "joint 'loop' closes a loop itself"}};
    for (int i = 0; i < 6; i++) {
        pinion_constraint_def def = tie(PINION_LOOP_DRIVE);
        def.first = bad[i].joint;
        refused_later(larger(), &def, bad[i].why, "expected");
        def = tie(PINION_LOOP_GEAR);
        def.second = bad[i].joint;
        refused_later(larger(), &def, bad[i].why, "expected");
    }

    /* a follower with coordinates of its own can be tied */
    pinion_builder *b = larger();
    pinion_constraint_def def = tie(PINION_LOOP_GEAR);
    def.second = "follower";
    CHECK_STATUS(pinion_builder_add_constraint(b, &def, NULL), PINION_OK);
    pinion_load_options options = pinion_load_options_default();
    options.mimic = PINION_MIMIC_INDEPENDENT;
    pinion_model *m = pinion_builder_build(b, &options, NULL);
    CHECK(m != NULL);
    pinion_model_free(m);
    pinion_builder_free(b);
}

TEST(rows)
{
    /* one of each kind, and every type of loop joint, with what they say */
    pinion_builder *b = small();
    for (int kind = PINION_LOOP_DISTANCE; kind < PINION_LOOP_KIND_COUNT; kind++) {
        pinion_constraint_def def = tie((pinion_loop_kind)kind);
        def.name = pinion_loop_kind_name((pinion_loop_kind)kind);
        def.disk = kind == PINION_LOOP_ROLLING;
        def.child_pose.position[2] = kind;
        if (kind == PINION_LOOP_GEAR) def.ratio = -3;
        if (kind != PINION_LOOP_ROLLING && kind != PINION_LOOP_SPRING) def.motion.rate = 10 * kind;
        CHECK_STATUS(pinion_builder_add_constraint(b, &def, NULL), PINION_OK);
    }
    for (int type = 0; type < PINION_JOINT_TYPE_COUNT; type++) {
        pinion_joint_def def = joint_def(pinion_joint_type_name((pinion_joint_type)type),
                                         (pinion_joint_type)type, "hand", "base", 0);
        CHECK_STATUS(pinion_builder_add_loop(b, &def, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    CHECK(m && pinion_model_loop_count(m) == 15);
    if (!m) return;

    int row = 0, q = 0, v = 0;
    for (int i = 0; i < 15; i++) {
        pinion_loop_info loop;
        CHECK_STATUS(pinion_model_loop(m, i, &loop), PINION_OK);
        int kind = i < 5 ? i + 1 : 0, spring = kind == PINION_LOOP_SPRING, roll = kind == PINION_LOOP_ROLLING;
        int type = i >= 5 ? i - 5 : spring ? PINION_JOINT_PRISMATIC : PINION_JOINT_FIXED;
        int nq = pinion_joint_type_nq((pinion_joint_type)type),
            nv = pinion_joint_type_nv((pinion_joint_type)type);
        CHECK((int)loop.kind == kind && (int)loop.joint.type == type &&
              pinion_model_find_loop(m, loop.name) == i);
        CHECK(loop.row == row && loop.rows == (kind == 0 ? 6 - nv : roll ? 3 : spring ? 0 : 1));
        CHECK(loop.nonholonomic == (roll ? 2 : 0));
        CHECK(loop.nq == nq && loop.nv == nv && loop.q_index == (nq ? q : -1) &&
              loop.v_index == (nv ? v : -1));
        CHECK(loop.joint.q_index == -1 && loop.joint.nq == 0 && loop.joint.body == -1);
        CHECK(loop.ratio == (kind == PINION_LOOP_GEAR ? -3 : 1) && loop.disk == roll);
        CHECK(loop.length == (kind == PINION_LOOP_DISTANCE ? 0.5 : spring ? 0.125 : 0));
        CHECK(loop.radius == (roll ? 0.25 : 0));
        CHECK(loop.motion.rate == (kind == 0 || roll || spring ? 0 : 10 * kind));
        CHECK(loop.first == (kind == PINION_LOOP_GEAR || kind == PINION_LOOP_DRIVE ? 0 : -1));
        CHECK(loop.second == (kind == PINION_LOOP_GEAR ? 1 : -1));
        CHECK(loop.joint.parent == (kind == 0 ? 2 : of_links(kind) ? 0 : -1));
        CHECK(loop.joint.child == (kind == 0 ? 0 : of_links(kind) ? 2 : -1));
        CHECK(loop.joint.child_pose.position[2] == kind);
        if (spring) {
            CHECK(loop.joint.dof_count == 1 && loop.joint.dof[0].stiffness == 8);
            CHECK(loop.joint.dof[0].damping == 2 && loop.joint.dof[0].rest == 0.125);
        }
        row += loop.rows;
        q += nq;
        v += nv;
    }
    CHECK(pinion_model_row_count(m) == row && pinion_model_loop_nq(m) == q && pinion_model_loop_nv(m) == v);
    pinion_model_free(m);
}

TEST(laws_of_time)
{
    static const char *const names[] = {"joint", "distance", "gear", "rolling", "drive", "spring"};
    for (int i = 0; i < 6; i++) CHECK(strcmp(pinion_loop_kind_name((pinion_loop_kind)i), names[i]) == 0);
    CHECK(!pinion_loop_kind_name((pinion_loop_kind)6) && !pinion_loop_kind_name((pinion_loop_kind)-1));

    /* by hand: 1 + 2 t + 3 t^2 / 2 + 4 sin(2 pi t / 4 + pi / 6) at t = 1: sin 120 deg, cos 120 deg */
    const double pi = 3.14159265358979323846;
    pinion_motion law = {1, 2, 3, 4, 0.25, pi / 6};
    double g[3], ahead[3], behind[3];
    pinion_motion_at(&law, 1, g);
    CHECK_NEAR(g[0], 4.5 + 4 * sqrt(3) / 2, 1e-14);
    CHECK_NEAR(g[1], 5 - pi, 1e-14);
    CHECK_NEAR(g[2], 3 - pi * pi / 4 * 4 * sqrt(3) / 2, 1e-13);

    /* the derivatives are those of the law */
    uint64_t seed = check_seed;
    for (int i = 0; i < 100; i++) {
        for (int k = 0; k < 6; k++) ((double *)&law)[k] = check_between(&seed, -1, 1);
        double t = check_between(&seed, -2, 2), h = 1e-5;
        pinion_motion_at(&law, t, g);
        pinion_motion_at(&law, t + h, ahead);
        pinion_motion_at(&law, t - h, behind);
        CHECK_NEAR((ahead[0] - behind[0]) / (2 * h), g[1], 1e-7);
        CHECK_NEAR((ahead[1] - behind[1]) / (2 * h), g[2], 1e-7);
    }
}

TEST(row_of_four_bars)
{
    for (int n = 1; n <= 7; n += 2) {
        pinion_error err;
        pinion_model *m = pinion_n_four_bar(n, &err);
        CHECK(m != NULL);
        if (!m) continue;
        CHECK(pinion_model_nv(m) == 2 * n + 1 && pinion_model_loop_count(m) == n);
        CHECK(pinion_model_row_count(m) == 5 * n && pinion_model_warning_count(m) == 0);
        CHECK(pinion_model_mass(m) == 2 * n + 1 && pinion_model_fixed_mass(m) == 0);
        double g[3];
        pinion_model_gravity(m, g);
        CHECK(g[0] == 0 && g[1] == -9.81 && g[2] == 0);
        CHECK(pinion_model_find_frame(m, "B0") >= 0 && pinion_model_find_frame(m, n == 1 ? "B1" : "B3") >= 0);
        for (int i = 0; i < pinion_model_joint_count(m); i++) {
            pinion_joint_info joint;
            CHECK_STATUS(pinion_model_joint(m, i, &joint), PINION_OK);
            int stands = joint.parent == 0;
            CHECK(joint.has_initial && joint.initial_q[0] == 0 && joint.initial_v[0] == (stands ? -1 : 1));
            CHECK(joint.axis[2] == 1 && !joint.reversed);
        }
        pinion_model_free(m);
    }
    pinion_error err;
    CHECK(!pinion_n_four_bar(0, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(!pinion_n_four_bar(1000000, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "expected 1 to");
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(numbers);
    RUN(names_and_kinds);
    RUN(joints_to_tie);
    RUN(rows);
    RUN(laws_of_time);
    RUN(row_of_four_bars);
    return CHECK_END();
}
