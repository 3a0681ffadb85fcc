/* Any graph of links: which joints make the spanning tree, what becomes of the others, and joints turned
 * round. */
#include "dense.h"
#include "describe_robot.h"

static pinion_model *must_build(pinion_builder *b, const pinion_load_options *options)
{
    pinion_error err;
    memset(&err, 0, sizeof err);
    pinion_model *m = pinion_builder_build(b, options, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

/* The names of the tree's joints in order, '~' before those that were turned, then '|' and the loops. */
static const char *shape(const pinion_model *m)
{
    static char text[1000];
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        CHECK_STATUS(pinion_model_joint(m, i, &joint), PINION_OK);
        CHECK(pinion_model_find_joint(m, joint.name) == i && pinion_model_find_loop(m, joint.name) == -1);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s", i ? " " : "",
                                 joint.reversed ? "~" : "", joint.name);
    }
    for (int i = 0; i < pinion_model_loop_count(m); i++) {
        pinion_loop_info loop;
        CHECK_STATUS(pinion_model_loop(m, i, &loop), PINION_OK);
        CHECK(pinion_model_find_loop(m, loop.name) == i && pinion_model_find_joint(m, loop.name) == -1);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : " | ", loop.name);
    }
    return text;
}

#define CHECK_SHAPE(m, expected)                                                                             \
    do {                                                                                                     \
        check_count++;                                                                                       \
        if ((m) && strcmp(shape(m), expected) != 0)                                                          \
            CHECK_FAIL("the graph became \"%s\", expected \"%s\"", shape(m), expected);                      \
    } while (0)

/* Builds, compares, and releases both. */
static void check_shape(pinion_builder *b, const char *expected)
{
    pinion_model *m = must_build(b, NULL);
    CHECK_SHAPE(m, expected);
    pinion_model_free(m);
    pinion_builder_free(b);
}

static void check_refused(pinion_builder *b, const char *place, const char *x, const char *y)
{
    pinion_error err;
    memset(&err, 0, sizeof err);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    CHECK(m == NULL);
    if (!m) check_message(&err, PINION_ERR_MODEL, place, x, y);
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* Links a to d, of lines 1 to 4, in a file. */
static pinion_builder *four(void)
{
    pinion_builder *b = pinion_builder_new("four");
    CHECK_STATUS(pinion_builder_set_source(b, "f.json"), PINION_OK);
    add_link(b, "a", 1);
    add_link(b, "b", 2);
    add_link(b, "c", 3);
    add_link(b, "d", 4);
    return b;
}

/* A ring a - b - c - d, its last joint from d to a or from a to d. */
static pinion_builder *ring(int back)
{
    pinion_builder *b = four();
    add_joint(b, "ab", "a", "b", 5);
    add_joint(b, "bc", "b", "c", 6);
    add_joint(b, "cd", "c", "d", 7);
    if (back) {
        add_joint(b, "da", "d", "a", 8);
    } else {
        add_joint(b, "ad", "a", "d", 8);
    }
    return b;
}

static void add_cut(pinion_builder *b, const char *name, const char *parent, const char *child, int line)
{
    pinion_joint_def def = joint_def(name, PINION_JOINT_REVOLUTE, parent, child, line);
    def.cut = 1;
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
}

TEST(the_rule)
{
    /* the joint that would give a link a second parent closes the loop, whichever way the last one points */
    check_shape(ring(0), "ab bc cd | ad");
    check_shape(ring(1), "ab bc cd | da");

    /* the order of the joints decides */
    pinion_builder *b = four();
    add_joint(b, "ad", "a", "d", 5);
    add_joint(b, "cd", "c", "d", 6);
    add_joint(b, "ab", "a", "b", 7);
    add_joint(b, "bc", "b", "c", 8);
    check_shape(b, "ad ab bc | cd");

    /* a joint that can point away from the root comes before one that would have to be turned */
    b = four();
    add_joint(b, "ba", "b", "a", 5);
    add_joint(b, "ab", "a", "b", 6);
    add_joint(b, "bc", "b", "c", 7);
    add_joint(b, "bd", "b", "d", 8);
    CHECK_STATUS(pinion_builder_set_root(b, "a", NULL), PINION_OK);
    check_shape(b, "ab bc bd | ba");

    /* turned where there is no other way, and what hangs behind as well */
    b = four();
    add_joint(b, "ab", "a", "b", 5);
    add_joint(b, "cb", "c", "b", 6);
    add_joint(b, "dc", "d", "c", 7);
    check_shape(b, "ab ~cb ~dc");

    /* two joints between the same links; two loops */
    b = ring(0);
    add_joint(b, "ab2", "a", "b", 9);
    check_shape(b, "ab bc cd | ad ab2");

    /* the loops of the builder come first */
    b = ring(0);
    pinion_joint_def def = joint_def("extra", PINION_JOINT_SPHERICAL, "b", "d", 9);
    CHECK_STATUS(pinion_builder_add_loop(b, &def, NULL), PINION_OK);
    check_shape(b, "ab bc cd | extra ad");
}

TEST(the_root)
{
    /* the first link that is no child, which need not be the first link */
    pinion_builder *b = four();
    add_joint(b, "ba", "b", "a", 5);
    add_joint(b, "bc", "b", "c", 6);
    add_joint(b, "cd", "c", "d", 7);
    pinion_model *m = must_build(b, NULL);
    CHECK_SHAPE(m, "ba bc cd");
    CHECK(m && pinion_model_find_link(m, "b") == 0);
    pinion_model_free(m);

    /* the one that was asked for: joints on the way turn round */
    CHECK_STATUS(pinion_builder_set_root(b, "d", NULL), PINION_OK);
    m = must_build(b, NULL);
    CHECK_SHAPE(m, "~cd ~bc ba");
    CHECK(m && pinion_model_find_link(m, "d") == 0);
    pinion_model_free(m);

    /* on a free joint */
    pinion_load_options options = pinion_load_options_default();
    options.root = PINION_ROOT_FREE;
    m = must_build(b, &options);
    CHECK_SHAPE(m, "root ~cd ~bc ba");
    pinion_model_free(m);
    pinion_builder_free(b);
    b = ring(1);
    m = must_build(b, &options);
    CHECK_SHAPE(m, "root ab bc cd | da");
    pinion_model_free(m);

    /* a cut joint makes nobody its child; where all links are children the first is the root */
    CHECK_STATUS(pinion_builder_set_root(b, "c", NULL), PINION_OK);
    check_shape(b, "cd da ab | bc");
    b = four();
    add_cut(b, "ba", "b", "a", 5);
    add_joint(b, "cb", "c", "b", 6);
    add_joint(b, "cd", "c", "d", 7);
    add_joint(b, "da", "d", "a", 8);
    check_shape(b, "cb cd da | ba");

    b = four();
    CHECK_STATUS(pinion_builder_set_root(b, "nobody", NULL), PINION_OK);
    check_refused(b, "f.json: ", "the root is link 'nobody', which does not exist", "expected");
    b = pinion_builder_new("x");
    pinion_error err;
    CHECK_STATUS(pinion_builder_set_root(b, "", &err), PINION_ERR_MODEL);
    CHECK_STATUS(pinion_builder_set_root(b, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_set_root(NULL, "a", &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_set_tree_only(NULL, 1), PINION_ERR_ARGUMENT);
    pinion_builder_free(b);
}

TEST(cut_joints)
{
    /* the user says where: the others make the tree, turned if need be */
    static const char *const expected[4] = {"ad ~cd ~bc | ab", "ab ad ~cd | bc", "ab bc ad | cd",
                                            "ab bc cd | ad"};
    static const char *const names[4] = {"ab", "bc", "cd", "ad"};
    static const char *const ends[4][2] = {{"a", "b"}, {"b", "c"}, {"c", "d"}, {"a", "d"}};
    for (int cut = 0; cut < 4; cut++) {
        pinion_builder *b = four();
        for (int i = 0; i < 4; i++) {
            if (i == cut) {
                add_cut(b, names[i], ends[i][0], ends[i][1], 5 + i);
            } else {
                add_joint(b, names[i], ends[i][0], ends[i][1], 5 + i);
            }
        }
        check_shape(b, expected[cut]);
    }

    /* everything that a loop joint has is kept, but for its start, which is passed over with a warning */
    pinion_builder *b = ring(1);
    pinion_joint_def def = joint_def("ac", PINION_JOINT_CYLINDRICAL, "a", "c", 9);
    def.cut = def.unactuated = def.has_initial = 1;
    def.initial_q[1] = 0.5;
    def.initial_v[0] = 2;
    def.parent_pose.position[1] = 7;
    def.dof[1].damping = 3;
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    pinion_model *m = must_build(b, NULL);
    CHECK_SHAPE(m, "ab bc cd | da ac");
    pinion_loop_info loop;
    memset(&loop, 0, sizeof loop);
    if (m) CHECK_STATUS(pinion_model_loop(m, 1, &loop), PINION_OK);
    if (m) {
        CHECK(loop.kind == PINION_LOOP_JOINT && loop.joint.type == PINION_JOINT_CYLINDRICAL &&
              loop.joint.unactuated);
        CHECK(loop.joint.parent == pinion_model_find_link(m, "a") && loop.joint.parent_pose.position[1] == 7);
        CHECK(loop.joint.child == pinion_model_find_link(m, "c") && loop.joint.dof[1].damping == 3);
        CHECK(!loop.joint.has_initial && loop.joint.initial_q[1] == 0 && loop.joint.initial_v[0] == 0);
        CHECK(loop.row == 5 && loop.rows == 4 && loop.q_index == 1 && loop.nq == 2 && loop.v_index == 1);
        CHECK(pinion_model_row_count(m) == 9 && pinion_model_loop_nq(m) == 3 && pinion_model_loop_nv(m) == 3);
        CHECK(pinion_model_nq(m) == 3 && pinion_model_warning_count(m) == 1);
        CHECK_HAS(pinion_model_warning(m, 0), "the initial state of joint 'ac' is ignored: it closes a loop");
    }
    pinion_model_free(m);
    pinion_builder_free(b);
}

TEST(not_connected)
{
    pinion_builder *b = four();
    add_joint(b, "ab", "a", "b", 5);
    add_joint(b, "cd", "c", "d", 6);
    check_refused(b, "f.json:3: ", "falls into 2 pieces: no joint connects the root, link 'a', with link 'c'",
                  "expected one connected graph");
    b = four();
    add_joint(b, "ab", "a", "b", 5);
    add_joint(b, "cd", "c", "d", 6);
    add_cut(b, "bc", "b", "c", 7);
    check_refused(b, "f.json:3: ", "2 pieces", "(joint 'bc' is cut and does not)");
    b = four();
    add_link(b, "e", 9);
    check_refused(
        b, "f.json:2: ", "5 pieces: no joint connects the root, link 'a', with links 'b', 'c', 'd', ...",
        "expected");

    /* the piece of the root is named first, wherever it is */
    b = four();
    add_joint(b, "ab", "a", "b", 5);
    add_joint(b, "cd", "c", "d", 6);
    CHECK_STATUS(pinion_builder_set_root(b, "d", NULL), PINION_OK);
    check_refused(b, "f.json:1: ", "the root, link 'd', with link 'a'", "expected");
}

TEST(one_body)
{
    /* a loop joint, a joint left over, a distance, a rolling contact: each between parts of one body */
    for (int i = 0; i < 4; i++) {
        pinion_builder *b = four();
        pinion_joint_def weld = joint_def("weld", PINION_JOINT_FIXED, "b", "c", 5);
        add_joint(b, "ab", "a", "b", 5);
        CHECK_STATUS(pinion_builder_add_joint(b, &weld, NULL), PINION_OK);
        add_joint(b, "cd", "c", "d", 6);
        pinion_joint_def def = joint_def("bad", PINION_JOINT_REVOLUTE, "b", "c", 7);
        pinion_constraint_def tie = pinion_constraint_def_default();
        tie.name = "bad";
        tie.kind = i == 2 ? PINION_LOOP_DISTANCE : PINION_LOOP_ROLLING;
        tie.parent = "b";
        tie.child = "c";
        tie.length = i == 2;
        tie.radius = i == 3;
        tie.line = 7;
        pinion_status status = i == 0   ? pinion_builder_add_loop(b, &def, NULL)
                               : i == 1 ? pinion_builder_add_joint(b, &def, NULL)
                                        : pinion_builder_add_constraint(b, &tie, NULL);
        CHECK_STATUS(status, PINION_OK);
        check_refused(
            b, "f.json:7: ",
            i == 1 ? "joint 'bad' closes a loop between links 'b' and 'c', which fixed joints make one body"
                   : "loop 'bad' closes a loop between links 'b' and 'c', which fixed joints make one body",
            "expected");
    }

    /* a free loop joint says nothing */
    pinion_builder *b = ring(0);
    pinion_joint_def def = joint_def("idle", PINION_JOINT_FREE, "a", "c", 9);
    CHECK_STATUS(pinion_builder_add_loop(b, &def, NULL), PINION_OK);
    pinion_model *m = must_build(b, NULL);
    CHECK(m && pinion_model_warning_count(m) == 1 && pinion_model_row_count(m) == 5);
    if (m)
        CHECK_HAS(pinion_model_warning(m, 0), "loop 'idle' is free and closes a loop: it constrains nothing");
    pinion_model_free(m);
    pinion_builder_free(b);
}

TEST(followers)
{
    /* a follower that is left over, or whose leader is */
    pinion_builder *b = ring(0);
    pinion_joint_def def = joint_def("ac", PINION_JOINT_REVOLUTE, "a", "c", 9);
    def.mimic = "ab";
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    pinion_load_options options = pinion_load_options_default();
    options.mimic = PINION_MIMIC_INDEPENDENT;
    pinion_model *m = must_build(b, &options);
    CHECK_SHAPE(m, "ab bc cd | ad ac");
    pinion_model_free(m);
    check_refused(b, "f.json:9: ", "joint 'ac' mimics joint 'ab' but closes a loop", "a gear in place");
    b = four();
    add_joint(b, "ab", "a", "b", 5);
    def = joint_def("bc", PINION_JOINT_REVOLUTE, "b", "c", 6);
    def.mimic = "ad2";
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    add_joint(b, "cd", "c", "d", 7);
    add_joint(b, "ad2", "a", "d", 8);
    m = must_build(b, &options);
    CHECK_SHAPE(m, "ab bc cd | ad2");
    pinion_model_free(m);
    check_refused(b, "f.json:6: ", "joint 'bc' mimics joint 'ad2', which closes a loop", "expected");

    /* one that is turned follows as before */
    b = four();
    add_joint(b, "ab", "a", "b", 5);
    def = joint_def("cb", PINION_JOINT_PRISMATIC, "c", "b", 6);
    def.mimic = "ab";
    def.multiplier = 3;
    def.offset = -1;
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    add_joint(b, "cd", "c", "d", 7);
    m = must_build(b, NULL);
    CHECK_SHAPE(m, "ab ~cb cd");
    pinion_joint_info joint;
    if (m) CHECK_STATUS(pinion_model_joint(m, 1, &joint), PINION_OK);
    if (m) CHECK(joint.leader == 0 && joint.multiplier == 3 && joint.offset == -1 && joint.axis[2] == -1);
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* ---- turned joints are the same joints ---- */

static pinion_pose some_pose(uint64_t *seed)
{
    pinion_pose pose = pinion_pose_identity();
    double axis[3] = {check_between(seed, -1, 1), check_between(seed, -1, 1), check_between(seed, 1, 2)};
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int i = 0; i < 3; i++) axis[i] /= length;
    matrix4 turn = screw4(axis, check_between(seed, -3, 3), 0);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) pose.rotation[3 * i + j] = turn.a[4 * i + j];
        pose.position[i] = check_between(seed, -1, 1);
    }
    return pose;
}

/* The pose of the child in the parent once the joint has moved from its start for a time h. */
static matrix4 moved(const pinion_joint_info *joint, double h)
{
    double q[7];
    memcpy(q, joint->initial_q, sizeof q);
    const double *v = joint->initial_v;
    matrix4 J;
    if (joint->type == PINION_JOINT_SPHERICAL) {
        double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        double axis[3] = {v[0] / speed, v[1] / speed, v[2] / speed};
        J = mul4(joint4(joint, q), screw4(axis, speed * h, 0));
    } else {
        for (int i = 0; i < pinion_joint_type_nv(joint->type); i++) q[i] += h * v[i];
        J = joint4(joint, q);
    }
    return mul4(mul4(pose4(&joint->parent_pose), J), inverse4(pose4(&joint->child_pose)));
}

TEST(turned_joints)
{
    static const pinion_joint_type types[] = {PINION_JOINT_FIXED,     PINION_JOINT_REVOLUTE, PINION_JOINT_CONTINUOUS,
                                              PINION_JOINT_PRISMATIC, PINION_JOINT_HELICAL,  PINION_JOINT_CYLINDRICAL,
                                              PINION_JOINT_UNIVERSAL, PINION_JOINT_SPHERICAL};
    uint64_t seed = check_seed;
    double worst = 0;
    for (int round = 0; round < 400; round++) {
        pinion_joint_def def = joint_def("j", types[round % 8], "a", "b", 5);
        def.parent_pose = some_pose(&seed);
        def.child_pose = some_pose(&seed);
        for (int i = 0; i < 3; i++) def.axis[i] = check_between(&seed, -1, 1);
        def.pitch = check_between(&seed, -1, 1);
        def.has_initial = def.type != PINION_JOINT_FIXED;
        double square = 0;
        for (int i = 0; i < 7; i++) def.initial_q[i] = check_between(&seed, -1, 1);
        for (int i = 0; i < 4; i++) square += def.initial_q[i] * def.initial_q[i];
        if (def.type == PINION_JOINT_SPHERICAL)
            for (int i = 0; i < 4; i++) def.initial_q[i] /= sqrt(square);
        for (int i = 0; i < 6; i++) {
            def.initial_v[i] = check_between(&seed, -1, 1);
            def.dof[i].damping = def.type == PINION_JOINT_SPHERICAL ? 1 : 1 + i;
            def.dof[i].lower = def.type == PINION_JOINT_SPHERICAL ? -5 : -5 - i;
        }
        def.unactuated = round % 2;

        /* the same joint from its parent's side and from its child's */
        pinion_joint_info straight, turned;
        for (int side = 0; side < 2; side++) {
            pinion_builder *b = pinion_builder_new("pair");
            add_link(b, "a", 1);
            add_link(b, "b", 2);
            CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
            if (side) CHECK_STATUS(pinion_builder_set_root(b, "b", NULL), PINION_OK);
            pinion_model *m = must_build(b, NULL);
            pinion_builder_free(b);
            if (!m) return;
            pinion_joint_info *out = side ? &turned : &straight;
            CHECK_STATUS(pinion_model_joint(m, 0, out), PINION_OK);
            CHECK(out->reversed == side && out->unactuated == round % 2);
            CHECK(out->parent == 0 && out->child == 1 && pinion_model_find_link(m, side ? "b" : "a") == 0);
            for (int i = 0; i < out->dof_count; i++) {
                const int from = side && def.type == PINION_JOINT_UNIVERSAL ? 1 - i : i;
                CHECK(out->dof[i].damping == def.dof[from].damping && out->dof[i].lower == def.dof[from].lower);
            }
            out->dof = NULL;
            pinion_model_free(m);
        }
        for (int step = 0; step < 3; step++) {
            matrix4 both = mul4(moved(&straight, 0.3 * step), moved(&turned, 0.3 * step)), one = unit4();
            for (int i = 0; i < 16; i++) {
                worst = fmax(worst, fabs(both.a[i] - one.a[i]));
                CHECK_NEAR(both.a[i], one.a[i], 1e-13);
            }
        }
    }
    printf("       worst error %.2g\n", worst);

    /* planar and free joints have no such form */
    for (int i = 0; i < 2; i++) {
        pinion_builder *b = four();
        pinion_joint_def def = joint_def("ba", i ? PINION_JOINT_FREE : PINION_JOINT_PLANAR, "b", "a", 5);
        CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
        add_joint(b, "bc", "b", "c", 6);
        add_joint(b, "bd", "b", "d", 7);
        pinion_model *m = must_build(b, NULL); /* from b no joint needs to turn */
        pinion_model_free(m);
        CHECK_STATUS(pinion_builder_set_root(b, "a", NULL), PINION_OK);
        check_refused(b, "f.json:5: ", i ? "joint 'ba' is free and points towards the root" : "is planar",
                      "the other way round");
    }
}

/* A spherical joint from b to a, with one number of its second axis set; turned round where the root is a. */
static pinion_builder *ball(size_t number, double value, int all)
{
    pinion_builder *b = pinion_builder_new("ball");
    CHECK_STATUS(pinion_builder_set_source(b, "f.json"), PINION_OK);
    add_link(b, "a", 1);
    add_link(b, "b", 2);
    pinion_joint_def def = joint_def("ba", PINION_JOINT_SPHERICAL, "b", "a", 5);
    for (int i = all ? 0 : 1; i < (all ? 3 : 2); i++) memcpy((char *)&def.dof[i] + number, &value, sizeof value);
    for (int i = 0; i < 3 && number == offsetof(pinion_dof, rotor_inertia); i++) def.dof[i].gear_ratio = 3;
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    return b;
}

/* What a spherical joint has about one of its axes belongs to its child, and cannot be turned with it. */
TEST(turned_spherical_joints)
{
    static const struct {
        size_t number;
        double value;
        int alike; /* whether it may be turned when all axes have it */
    } rows[] = {{offsetof(pinion_dof, damping), 5, 1},           {offsetof(pinion_dof, friction_positive), 1, 0},
                {offsetof(pinion_dof, friction_negative), 1, 0}, {offsetof(pinion_dof, rotor_inertia), 0.1, 1},
                {offsetof(pinion_dof, lower), -1, 1},            {offsetof(pinion_dof, upper), 1, 1},
                {offsetof(pinion_dof, velocity), 2, 1},          {offsetof(pinion_dof, effort), 3, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int all = 0; all < 2; all++) {
            pinion_builder *b = ball(rows[i].number, rows[i].value, all);
            pinion_model *m = must_build(b, NULL);
            CHECK_SHAPE(m, "ba");
            pinion_model_free(m);
            CHECK_STATUS(pinion_builder_set_root(b, "a", NULL), PINION_OK);
            if (all && rows[i].alike)
                check_shape(b, "~ba");
            else
                check_refused(b, "f.json:5: ", "joint 'ba' is spherical and points towards the root",
                              "the other way round");
        }
}

/* Random graphs: the tree spans, loops and joints together are what was described, and the builder can build
 * again to the same bits. */
TEST(random_graphs)
{
    uint64_t seed = check_seed;
    int turned = 0, loops = 0;
    for (int round = 0; round < 500; round++) {
        int links = 2 + (int)check_between(&seed, 0, 30), extra = (int)check_between(&seed, 0, 20),
            joints = 0;
        pinion_builder *b = pinion_builder_new("random");
        char name[40], ends[2][40];
        for (int i = 0; i < links; i++) {
            snprintf(name, sizeof name, "l%d", i);
            add_link(b, name, i);
        }
        for (int i = 1; i < links + extra; i++) {
            /* a random tree, either way round, and some more */
            int child = i < links ? i : (int)check_between(&seed, 0, links);
            int parent = i < links ? (int)check_between(&seed, 0, i) : (int)check_between(&seed, 0, links);
            if (parent == child) continue;
            int swap = check_uniform(&seed) < 0.5;
            snprintf(ends[swap], sizeof ends[swap], "l%d", parent);
            snprintf(ends[!swap], sizeof ends[!swap], "l%d", child);
            snprintf(name, sizeof name, "j%d", joints++);
            pinion_joint_def def = joint_def(name, PINION_JOINT_CONTINUOUS, ends[0], ends[1], i);
            def.parent_pose = some_pose(&seed);
            def.cut = i >= links && check_uniform(&seed) < 0.2;
            CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
        }
        snprintf(name, sizeof name, "l%d", (int)check_between(&seed, 0, links));
        if (round % 2) CHECK_STATUS(pinion_builder_set_root(b, name, NULL), PINION_OK);
        pinion_model *m = must_build(b, NULL), *again = must_build(b, NULL);
        pinion_builder_free(b);
        if (m && again) {
            const pinion_model *x = m, *y = again;
            CHECK(x->size == y->size && memcmp(x, y, x->size) == 0);
            CHECK(pinion_model_joint_count(m) == links - 1);
            CHECK(pinion_model_loop_count(m) == joints - (links - 1));
            CHECK(pinion_model_row_count(m) == 5 * pinion_model_loop_count(m));
            for (int i = 0; i < links - 1; i++) {
                pinion_joint_info joint;
                CHECK_STATUS(pinion_model_joint(m, i, &joint), PINION_OK);
                CHECK(joint.child == i + 1 && joint.parent <= i);
                turned += joint.reversed;
            }
            loops += pinion_model_loop_count(m);
            if (round % 2) CHECK(pinion_model_find_link(m, name) == 0);
        }
        pinion_model_free(m);
        pinion_model_free(again);
    }
    CHECK(turned > 500 && loops > 500);
    printf("       %d joints turned, %d loops\n", turned, loops);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(the_rule);
    RUN(the_root);
    RUN(cut_joints);
    RUN(not_connected);
    RUN(one_body);
    RUN(followers);
    RUN(turned_joints);
    RUN(turned_spherical_joints);
    RUN(random_graphs);
    return CHECK_END();
}
