/* What is refused of a whole description, when built: one line, the place, the name, what was expected. */
#include "describe_robot.h"

/* The build of a description fails with that message; the builder is used up. */
static void check_build(pinion_builder *b, const char *place, const char *x, const char *y)
{
    pinion_error err;
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    CHECK(m == NULL);
    if (!m) check_message(&err, PINION_ERR_MODEL, place, x, y);
    CHECK(!pinion_builder_build(b, NULL, NULL)); /* without an error to fill */
    pinion_model_free(m);
    pinion_builder_free(b);
}

TEST(names)
{
    pinion_builder *b = small();
    add_link(b, "arm", 30);
    check_build(b, "robot.urdf:30: ", "link 'arm'", "line 11; expected");
    b = small();
    add_link(b, "finger", 30);
    add_joint(b, "j1", "hand", "finger", 31);
    check_build(b, "robot.urdf:31: ", "joint 'j1'", "line 13; expected");

    /* a loop's name is a joint's */
    b = small();
    pinion_joint_def loop = joint_def("j2", PINION_JOINT_REVOLUTE, "base", "hand", 32);
    CHECK_STATUS(pinion_builder_add_loop(b, &loop, NULL), PINION_OK);
    check_build(b, "robot.urdf:32: ", "loop 'j2'", "joint at line 14");

    /* a frame's name is a link's */
    b = small();
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = frame.link = "hand";
    frame.line = 33;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    check_build(b, "robot.urdf:33: ", "frame 'hand'", "link at line 12");
    b = small();
    frame.name = "tool";
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    frame.line = 34;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    check_build(b, "robot.urdf:34: ", "frame 'tool'", "frame at line 33");

    /* the free joint of the base */
    b = small();
    add_link(b, "finger", 30);
    add_joint(b, "root", "hand", "finger", 31);
    pinion_load_options options = pinion_load_options_default();
    options.root = PINION_ROOT_FREE;
    pinion_error err;
    CHECK(!pinion_builder_build(b, &options, &err));
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:31: ", "joint 'root'", "expected");
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m != NULL);
    pinion_model_free(m);
    pinion_builder_free(b);

    /* the model's own name */
    b = pinion_builder_new("bad\x01name");
    add_link(b, "a", 0);
    check_build(b, "", "'bad?name'", "expected");
    b = pinion_builder_new(NULL);
    add_link(b, "a", 0);
    m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && strcmp(pinion_model_name(m), "") == 0);
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* The small robot, to which only what keeps it a tree may be added. */
static pinion_builder *small_tree(void)
{
    pinion_builder *b = small();
    CHECK_STATUS(pinion_builder_set_tree_only(b, 1), PINION_OK);
    return b;
}

TEST(the_tree)
{
    pinion_builder *b = pinion_builder_new("empty");
    CHECK_STATUS(pinion_builder_set_source(b, "robot.urdf"), PINION_OK);
    check_build(b, "robot.urdf: ", "no links", "expected");

    b = small();
    add_joint(b, "j3", "hand", "finger", 40);
    check_build(b, "robot.urdf:40: ", "joint 'j3': child link 'finger' does not exist", "expected");
    b = small();
    add_joint(b, "j3", "elbow", "base", 40);
    check_build(b, "robot.urdf:40: ", "joint 'j3': parent link 'elbow' does not exist", "expected");

    b = small_tree();
    add_joint(b, "j3", "base", "hand", 41);
    check_build(b, "robot.urdf:41: ", "link 'hand' has two parents, by joints 'j2' and 'j3'", "expected");

    b = small_tree();
    add_link(b, "island", 42);
    check_build(b, "robot.urdf:42: ", "two roots, links 'base' and 'island'", "expected");

    /* no root: all in one circle */
    b = small_tree();
    add_joint(b, "j3", "hand", "base", 43);
    check_build(b, "robot.urdf:43: ", "link 'base' is its own ancestor, through joint 'j3'",
                "expected a tree");

    /* a circle beside the tree, with a branch hanging on it that comes first */
    b = small_tree();
    add_link(b, "branch", 50);
    add_link(b, "c1", 51);
    add_link(b, "c2", 52);
    add_joint(b, "jb", "c1", "branch", 53);
    add_joint(b, "jc1", "c1", "c2", 54);
    add_joint(b, "jc2", "c2", "c1", 55);
    check_build(b, "robot.urdf:5", "link 'c", "is its own ancestor, through joint 'jc");

    /* a root that was asked for must be the one there is */
    b = small_tree();
    CHECK_STATUS(pinion_builder_set_root(b, "arm", NULL), PINION_OK);
    check_build(b, "robot.urdf: ", "the root is link 'arm', but that is the child of joint 'j1'",
                "expected link 'base'");

    /* a frame's name is no link */
    b = small();
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = "tool";
    frame.link = "hand";
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    add_link(b, "x", 44);
    add_joint(b, "j3", "tool", "x", 45);
    check_build(b, "robot.urdf:45: ", "'j3'", "'tool' does not exist");
}

TEST(references)
{
    pinion_builder *b = small();
    pinion_joint_def loop = joint_def("close", PINION_JOINT_REVOLUTE, "base", "nowhere", 60);
    CHECK_STATUS(pinion_builder_add_loop(b, &loop, NULL), PINION_OK);
    check_build(b, "robot.urdf:60: ", "loop 'close': child link 'nowhere' does not exist", "expected");
    b = small();
    loop.parent = "no";
    CHECK_STATUS(pinion_builder_add_loop(b, &loop, NULL), PINION_OK);
    check_build(b, "robot.urdf:60: ", "loop 'close': parent link 'no' does not exist", "expected");
    b = small();
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = "tool";
    frame.link = "nowhere";
    frame.line = 61;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    check_build(b, "robot.urdf:61: ", "frame 'tool': link 'nowhere' does not exist", "expected");
    b = small();
    pinion_visual_def visual = pinion_visual_def_default();
    visual.link = "nowhere";
    visual.line = 62;
    CHECK_STATUS(pinion_builder_add_visual(b, &visual, NULL), PINION_OK);
    check_build(b, "robot.urdf:62: ", "visual is on link 'nowhere', which does not exist", "expected");
}

/* one more joint on the small model, following another */
static void add_follower(pinion_builder *b, const char *name, const char *child, const char *leader, int line)
{
    add_link(b, child, line);
    pinion_joint_def def = joint_def(name, PINION_JOINT_REVOLUTE, "hand", child, line);
    def.mimic = leader;
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
}

TEST(mimics)
{
    pinion_builder *b = small();
    add_follower(b, "m1", "f1", "nothing", 70);
    check_build(b, "robot.urdf:70: ", "joint 'm1' mimics joint 'nothing', which does not exist", "expected");

    /* a circle of three */
    b = small();
    add_follower(b, "m1", "f1", "m2", 71);
    add_follower(b, "m2", "f2", "m3", 72);
    add_follower(b, "m3", "f3", "m1", 73);
    check_build(b, "robot.urdf:71: ", "joint 'm1' mimics joint 'm2', which mimics it in turn", "expected");

    /* of a joint with three coordinates, of none, of a loop */
    b = small();
    add_link(b, "f0", 74);
    pinion_joint_def def = joint_def("ball", PINION_JOINT_SPHERICAL, "hand", "f0", 74);
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    add_follower(b, "m1", "f1", "ball", 75);
    check_build(b, "robot.urdf:75: ", "joint 'm1' mimics joint 'ball', which is spherical", "one coordinate");
    b = small();
    add_link(b, "f0", 74);
    def = joint_def("weld", PINION_JOINT_FIXED, "hand", "f0", 74);
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    add_follower(b, "m1", "f1", "weld", 75);
    check_build(b, "robot.urdf:75: ", "joint 'm1' mimics joint 'weld', which is fixed", "one coordinate");
    b = small();
    def = joint_def("close", PINION_JOINT_REVOLUTE, "base", "hand", 76);
    CHECK_STATUS(pinion_builder_add_loop(b, &def, NULL), PINION_OK);
    add_follower(b, "m1", "f1", "close", 77);
    check_build(b, "robot.urdf:77: ", "joint 'm1' mimics joint 'close', which closes a loop", "expected");

    /* where followers become ordinary joints nobody needs a leader; a circle stays wrong */
    b = small();
    add_follower(b, "m1", "f1", "nothing", 70);
    pinion_load_options options = pinion_load_options_default();
    options.mimic = PINION_MIMIC_INDEPENDENT;
    pinion_model *m = pinion_builder_build(b, &options, NULL);
    CHECK(m && pinion_model_warning_count(m) == 1);
    if (m) {
        CHECK_HAS(pinion_model_warning(m, 0), "robot.urdf:70: joint 'm1' mimics joint 'nothing', which does");
    }
    pinion_model_free(m);
    add_follower(b, "m2", "f2", "m3", 71);
    add_follower(b, "m3", "f3", "m2", 72);
    CHECK(!pinion_builder_build(b, &options, NULL));
    pinion_builder_free(b);

    /* a chain whose multipliers overflow */
    b = small();
    const char *names[] = {"j1", "m1", "m2", "m3"};
    const char *links[] = {"", "f1", "f2", "f3"};
    for (int i = 1; i < 4; i++) {
        add_link(b, links[i], 80);
        def = joint_def(names[i], PINION_JOINT_REVOLUTE, "hand", links[i], 80 + i);
        def.mimic = names[i - 1];
        def.multiplier = 1e200;
        CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    }
    check_build(b, "robot.urdf:82: ", "joint 'm2'", "overflow");
}

TEST(overflow)
{
    pinion_builder *b = small();
    add_link(b, "far", 90);
    pinion_joint_def def = joint_def("j3", PINION_JOINT_REVOLUTE, "hand", "far", 90);
    def.parent_pose.position[0] = 1e300;
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_model_free(m); /* far away is allowed, if it can be computed */
    pinion_link_def link = link_def("heavy", 91);
    link.inertia.mass = 1e200;
    link.inertia.com[0] = 1e200;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    add_joint(b, "j4", "far", "heavy", 91);
    check_build(b, "robot.urdf: ", "overflow", "expected SI units");
}

/* long names, long file names, names of many bytes a letter: the message is whole characters, and ends */
TEST(long_messages)
{
    char name[256], file[3000];
    pinion_error err;
    for (int pad = 0; pad < 4; pad++) {
        memset(file, 'f', (size_t)pad);
        for (int i = 0; i < 900; i++) memcpy(file + pad + 3 * i, "\xe2\x82\xac", 3);
        memcpy(file + pad + 2700, "/robot.urdf", 12);
        pinion_builder *b = pinion_builder_new("m");
        CHECK_STATUS(pinion_builder_set_source(b, file), PINION_OK);
        memset(name, 'n', (size_t)pad);
        for (int i = 0; i < 84; i++) memcpy(name + pad + 3 * i, "\xe2\x82\xac", 3);
        name[pad + 252] = 0;
        add_link(b, name, 0);
        add_link(b, "other", 2147483647);
        CHECK_STATUS(pinion_builder_set_tree_only(b, 1), PINION_OK);
        memset(&err, 'z', sizeof err);
        pinion_model *m = pinion_builder_build(b, NULL, &err);
        CHECK(m == NULL);
        pinion_model_free(m);
        CHECK(memchr(err.message, 0, sizeof err.message) != NULL);
        CHECK_HAS(err.message, "/robot.urdf:2147483647: the model has two roots");
        CHECK_HAS(err.message, "\xe2\x82\xac...' and 'other'");
        CHECK(strchr(err.message, '?') == NULL);
        pinion_builder_free(b);
    }

    /* a file name with a line break stays one line */
    pinion_builder *b = pinion_builder_new("m");
    CHECK_STATUS(pinion_builder_set_source(b, "a\nb.urdf"), PINION_OK);
    check_build(b, "a?b.urdf: ", "no links", "expected");
}

/* Random descriptions over a few names: each gives a model or one line that says why not. */
TEST(random_descriptions)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "root", ""};
    uint64_t seed = check_seed;
    int valid = 0, refused = 0, closed = 0;
    for (int round = 0; round < 20000; round++) {
        pinion_builder *b = pinion_builder_new("random");
        pinion_error err;
        int links = 1 + (int)check_between(&seed, 0, 6), joints = links - 1 + (check_uniform(&seed) < 0.1);
        for (int i = 0; i < links; i++) {
            pinion_link_def def =
                link_def(names[check_uniform(&seed) < 0.95 ? i : (int)check_between(&seed, 0, 8)], i);
            (void)!pinion_builder_add_link(b, &def, &err);
        }
        for (int i = 0; i < joints; i++) {
            /* mostly a tree: each link on one before it */
            int child = check_uniform(&seed) < 0.9 ? (i + 1) % links : (int)check_between(&seed, 0, 8);
            int parent = check_uniform(&seed) < 0.9 ? (int)check_between(&seed, 0, i + 1)
                                                    : (int)check_between(&seed, 0, 8);
            pinion_joint_def def = joint_def(names[i], (pinion_joint_type)(int)check_between(&seed, 0, 10.05),
                                             names[parent], names[child % 8], i);
            if (check_uniform(&seed) < 0.2) def.mimic = names[(int)check_between(&seed, 0, 7)];
            (void)!(check_uniform(&seed) < 0.95 ? pinion_builder_add_joint(b, &def, &err)
                                                : pinion_builder_add_loop(b, &def, &err));
        }
        pinion_load_options options = pinion_load_options_default();
        options.root = check_uniform(&seed) < 0.5 ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
        options.mimic = check_uniform(&seed) < 0.5 ? PINION_MIMIC_FOLLOW : PINION_MIMIC_INDEPENDENT;
        memset(&err, 0, sizeof err);
        pinion_model *m = pinion_builder_build(b, &options, &err);
        if (m) {
            valid++;
            closed += pinion_model_loop_count(m) > 0;
            CHECK(pinion_model_joint_count(m) ==
                  pinion_model_link_count(m) - 1 + (options.root == PINION_ROOT_FREE));
        } else {
            refused++;
            CHECK(err.status == PINION_ERR_MODEL && strlen(err.message) > 20 &&
                  strstr(err.message, "expected"));
        }
        pinion_model_free(m);
        pinion_builder_free(b);
    }
    CHECK(valid > 1000 && refused > 1000 && closed > 100);
    printf("       %d valid, %d of them with loops, %d refused\n", valid, closed, refused);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(names);
    RUN(the_tree);
    RUN(references);
    RUN(mimics);
    RUN(overflow);
    RUN(long_messages);
    RUN(random_descriptions);
    return CHECK_END();
}
