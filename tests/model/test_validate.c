/* Every error of a description: one line, the place, the name, what was expected. And every warning. */
#include <pinion/model.h>

#include "../support/check.h"

/* A builder of a small valid model from "robot.urdf": base -j1-> arm -j2-> hand, all of line 10 and on. */
static pinion_link_def link_def(const char *name, int line)
{
    pinion_link_def def = pinion_link_def_default();
    def.name = name;
    def.inertia.mass = 1;
    def.inertia.inertia[0] = def.inertia.inertia[3] = def.inertia.inertia[5] = 0.1;
    def.line = line;
    return def;
}

static pinion_joint_def joint_def(const char *name, pinion_joint_type type, const char *parent,
                                  const char *child, int line)
{
    pinion_joint_def def = pinion_joint_def_default();
    def.name = name;
    def.type = type;
    def.parent = parent;
    def.child = child;
    def.line = line;
    return def;
}

static void add_link(pinion_builder *b, const char *name, int line)
{
    pinion_link_def def = link_def(name, line);
    CHECK_STATUS(pinion_builder_add_link(b, &def, NULL), PINION_OK);
}

static void add_joint(pinion_builder *b, const char *name, const char *parent, const char *child, int line)
{
    pinion_joint_def def = joint_def(name, PINION_REVOLUTE, parent, child, line);
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
}

static pinion_builder *small(void)
{
    pinion_builder *b = pinion_builder_new("small");
    CHECK_STATUS(pinion_builder_set_source(b, "robot.urdf"), PINION_OK);
    add_link(b, "base", 10);
    add_link(b, "arm", 11);
    add_link(b, "hand", 12);
    add_joint(b, "j1", "base", "arm", 13);
    add_joint(b, "j2", "arm", "hand", 14);
    return b;
}

/* The message has its place, all the parts, says what was expected, and is one line. */
static void check_message(const pinion_error *err, pinion_status status, const char *place, const char *a,
                          const char *b)
{
    CHECK_STATUS(err->status, status);
    CHECK(strncmp(err->message, place, strlen(place)) == 0);
    if (strncmp(err->message, place, strlen(place)) != 0) printf("       %s\n", err->message);
    CHECK_HAS(err->message, a);
    CHECK_HAS(err->message, b);
    CHECK(strchr(err->message, '\n') == NULL);
    CHECK(memchr(err->message, 0, sizeof err->message) != NULL);
}

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

static void check_link(pinion_link_def def, const char *x, const char *y)
{
    pinion_builder *b = small();
    pinion_error err;
    def.line = 77;
    CHECK_STATUS(pinion_builder_add_link(b, &def, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:77: ", x, y);
    CHECK(err.line == 77 && err.column == 0);

    /* the builder is as it was */
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_link_count(m) == 3);
    pinion_model_free(m);
    pinion_builder_free(b);
}

static void check_joint(pinion_joint_def def, const char *x, const char *y)
{
    pinion_builder *b = small();
    pinion_error err;
    def.line = 78;
    CHECK_STATUS(pinion_builder_add_joint(b, &def, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:78: ", x, y);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_joint_count(m) == 2);
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* ---- one definition ---- */

TEST(link_definitions)
{
    char name[400];
    check_link(link_def("", 1), "link has no name", "expected");
    check_link(link_def(NULL, 1), "link has no name", "expected");
    check_link(link_def("a\nb", 1), "'a?b'", "control");
    check_link(link_def("a\xff", 1), "'a?'", "UTF-8");
    check_link(link_def("a\xc2\x85", 1), "link 'a", "control");
    memset(name, 'x', sizeof name);
    name[256] = 0;
    check_link(link_def(name, 1), "xxx...'", "too long");
    pinion_link_def def = link_def("foot", 1);
    def.inertia.mass = -1;
    check_link(def, "'foot'", "mass is negative; expected");
    def.inertia.mass = NAN;
    check_link(def, "'foot'", "mass is not a finite number");
    def = link_def("foot", 1);
    def.inertia.com[1] = INFINITY;
    check_link(def, "'foot'", "centre of mass");
    def = link_def("foot", 1);
    def.inertia.inertia[5] = NAN;
    check_link(def, "'foot'", "inertia");

    /* names that are fine */
    pinion_builder *b = pinion_builder_new("m");
    name[256] = 'x';
    name[255] = 0;
    add_link(b, name, 0);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_find_link(m, name) == 0);
    pinion_model_free(m);
    pinion_builder_free(b);
}

TEST(joint_definitions)
{
    pinion_joint_def good = joint_def("j3", PINION_REVOLUTE, "hand", "finger", 1), def;
    def = good;
    def.name = "";
    check_joint(def, "joint has no name", "expected");
    def = good;
    def.type = (pinion_joint_type)42;
    check_joint(def, "'j3'", "42");
    def.type = (pinion_joint_type)-1;
    check_joint(def, "'j3'", "-1");
    def = good;
    def.parent = NULL;
    check_joint(def, "'j3'", "no parent link");
    def = good;
    def.child = "";
    check_joint(def, "'j3'", "no child link");
    def.child = "hand";
    check_joint(def, "'j3'", "'hand' to itself");
    def = good;
    def.axis[2] = 0;
    check_joint(def, "'j3'", "axis is zero; expected");
    def.axis[2] = NAN;
    check_joint(def, "'j3'", "axis is not three finite");
    def = good;
    def.pitch = INFINITY;
    check_joint(def, "'j3'", "pitch");
    def = good;
    def.parent_pose.position[0] = NAN;
    check_joint(def, "'j3'", "parent has a position");
    def = good;
    def.child_pose.rotation[4] = INFINITY;
    check_joint(def, "'j3'", "child has a rotation");
    def = good;
    def.child_pose.rotation[4] = 1 + 1e-5;
    check_joint(def, "'j3'", "child has a matrix that is not a rotation; expected");
    def = good;
    def.parent_pose.rotation[0] = -1; /* a mirror */
    check_joint(def, "'j3'", "not a rotation");
}

TEST(dof_definitions)
{
    pinion_joint_def good = joint_def("j3", PINION_REVOLUTE, "hand", "finger", 1), def;
    double *const field[] = {&def.dof[0].damping, &def.dof[0].friction_positive,
                             &def.dof[0].friction_negative, &def.dof[0].rotor_inertia, &def.dof[0].stiffness};
    static const char *const word[] = {"damping", "friction", "friction", "rotor inertia", "stiffness"};
    for (int i = 0; i < 5; i++) {
        def = good;
        *field[i] = -1e-9;
        check_joint(def, "'j3'", word[i]);
        check_joint(def, "is negative", "expected");
        *field[i] = NAN;
        check_joint(def, word[i], "not a finite number");
    }
    def = good;
    def.dof[0].lower = 1;
    def.dof[0].upper = 0.5;
    check_joint(def, "'j3'", "lower <= upper");
    def = good;
    def.dof[0].lower = NAN;
    check_joint(def, "'j3'", "lower limit");
    def = good;
    def.dof[0].upper = -INFINITY;
    check_joint(def, "'j3'", "upper limit");
    def = good;
    def.dof[0].velocity = NAN;
    check_joint(def, "'j3'", "velocity");
    def = good;
    def.dof[0].effort = NAN;
    check_joint(def, "'j3'", "effort");
    def = good;
    def.dof[0].gear_ratio = INFINITY;
    check_joint(def, "'j3'", "gear ratio");
    def = good;
    def.dof[0].rest = NAN;
    check_joint(def, "'j3'", "rest");
    def = good;
    def.type = PINION_SPHERICAL;
    def.dof[2].stiffness = 1;
    check_joint(def, "'j3', degree of freedom 2", "spring");
    def.type = PINION_FREE;
    check_joint(def, "'j3'", "spring");

    /* only the type's own count */
    pinion_builder *b = small();
    def = good;
    def.child = "arm2";
    def.dof[1].damping = -1;
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    pinion_builder_free(b);
}

TEST(mimic_definitions)
{
    pinion_joint_def good = joint_def("j3", PINION_REVOLUTE, "hand", "finger", 1), def;
    def = good;
    def.mimic = "j3";
    check_joint(def, "'j3' mimics itself", "expected");
    def.mimic = "j1";
    def.type = PINION_PLANAR;
    check_joint(def, "'j3' is planar and mimics joint 'j1'", "one coordinate");
    def.type = PINION_FIXED;
    check_joint(def, "'j3' is fixed", "one coordinate");
    def = good;
    def.mimic = "j1";
    def.multiplier = NAN;
    check_joint(def, "'j3'", "multiplier");
    def = good;
    def.mimic = "";
    check_joint(def, "'j3'", "joint to mimic");
}

TEST(cookies_and_arguments)
{
    pinion_builder *b = small();
    pinion_error err;
    pinion_link_def link;
    pinion_joint_def joint;
    pinion_frame_def frame;
    pinion_visual_def visual;
    pinion_load_options options;
    memset(&link, 0, sizeof link);
    memset(&joint, 0, sizeof joint);
    memset(&frame, 0, sizeof frame);
    memset(&visual, 0, sizeof visual);
    memset(&options, 0, sizeof options);
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_ERR_ARGUMENT);
    check_message(&err, PINION_ERR_ARGUMENT, "robot.urdf: ", "link", "pinion_link_def_default()");
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_ERR_ARGUMENT);
    check_message(&err, PINION_ERR_ARGUMENT, "robot.urdf: ", "joint", "pinion_joint_def_default()");
    CHECK_STATUS(pinion_builder_add_loop(b, &joint, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_visual(b, &visual, &err), PINION_ERR_ARGUMENT);
    CHECK(!pinion_builder_build(b, &options, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "pinion_load_options_default()");
    options = pinion_load_options_default();
    options.root = (pinion_root)7;
    CHECK(!pinion_builder_build(b, &options, &err) && err.status == PINION_ERR_ARGUMENT);
    options = pinion_load_options_default();
    options.mimic = (pinion_mimic)7;
    CHECK(!pinion_builder_build(b, &options, &err) && err.status == PINION_ERR_ARGUMENT);
    options = pinion_load_options_default();
    options.gravity[1] = NAN;
    pinion_model *m = pinion_builder_build(b, &options, &err); /* not used unless set */
    CHECK(m != NULL);
    pinion_model_free(m);
    options.set_gravity = 1;
    CHECK(!pinion_builder_build(b, &options, &err) && err.status == PINION_ERR_ARGUMENT);
    double bad[3] = {0, INFINITY, 0};
    CHECK_STATUS(pinion_builder_set_gravity(b, bad, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf: ", "gravity", "finite");

    /* missing arguments */
    CHECK_STATUS(pinion_builder_add_link(NULL, &link, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_link(b, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_joint(NULL, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_loop(b, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_frame(b, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_visual(b, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_set_gravity(b, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_set_source(NULL, "x"), PINION_ERR_ARGUMENT);
    CHECK(!pinion_builder_build(NULL, NULL, &err) && err.status == PINION_ERR_ARGUMENT);
    pinion_builder_free(b);
    pinion_builder_free(NULL);
    pinion_model_free(NULL);
}

TEST(frames_loops_visuals)
{
    pinion_builder *b = small();
    pinion_error err;
    pinion_frame_def frame = pinion_frame_def_default();
    frame.line = 20;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:20: ", "frame has no name", "expected");
    frame.name = "tool";
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:20: ", "'tool' has no link", "expected");
    frame.link = "hand";
    frame.pose.rotation[1] = 0.5;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:20: ", "'tool'", "not a rotation");

    /* loops */
    pinion_joint_def loop = joint_def("close", PINION_REVOLUTE, "base", "base", 21);
    CHECK_STATUS(pinion_builder_add_loop(b, &loop, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:21: ", "loop 'close' connects link 'base' to itself",
                  "different");
    loop.child = "hand";
    loop.mimic = "j1";
    CHECK_STATUS(pinion_builder_add_loop(b, &loop, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:21: ", "loop 'close' follows joint 'j1'", "expected");

    /* visuals */
    pinion_visual_def visual = pinion_visual_def_default();
    visual.line = 22;
    CHECK_STATUS(pinion_builder_add_visual(b, &visual, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:22: ", "visual", "expected the name of a link");
    visual.link = "arm";
    visual.shape = (pinion_shape)9;
    CHECK_STATUS(pinion_builder_add_visual(b, &visual, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:22: ", "'arm'", "shape 9");
    visual.shape = PINION_MESH;
    CHECK_STATUS(pinion_builder_add_visual(b, &visual, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:22: ", "'arm'", "mesh without a file");
    visual.mesh = "a\tb";
    CHECK_STATUS(pinion_builder_add_visual(b, &visual, &err), PINION_ERR_MODEL);
    visual.mesh = "package://x/y.stl";
    visual.rgba[2] = 1.5;
    CHECK_STATUS(pinion_builder_add_visual(b, &visual, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:22: ", "'arm'", "colour");
    visual.rgba[2] = 1;
    visual.size[0] = NAN;
    CHECK_STATUS(pinion_builder_add_visual(b, &visual, &err), PINION_ERR_MODEL);
    check_message(&err, PINION_ERR_MODEL, "robot.urdf:22: ", "'arm'", "size");
    pinion_builder_free(b);
}

/* ---- the whole description ---- */

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
    pinion_joint_def loop = joint_def("j2", PINION_REVOLUTE, "base", "hand", 32);
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

    b = small();
    add_joint(b, "j3", "base", "hand", 41);
    check_build(b, "robot.urdf:41: ", "link 'hand' has two parents, by joints 'j2' and 'j3'", "expected");

    b = small();
    add_link(b, "island", 42);
    check_build(b, "robot.urdf:42: ", "two roots, links 'base' and 'island'", "expected");

    /* no root: all in one circle */
    b = small();
    add_joint(b, "j3", "hand", "base", 43);
    check_build(b, "robot.urdf:43: ", "link 'base' is its own ancestor, through joint 'j3'",
                "expected a tree");

    /* a circle beside the tree, with a branch hanging on it that comes first */
    b = small();
    add_link(b, "branch", 50);
    add_link(b, "c1", 51);
    add_link(b, "c2", 52);
    add_joint(b, "jb", "c1", "branch", 53);
    add_joint(b, "jc1", "c1", "c2", 54);
    add_joint(b, "jc2", "c2", "c1", 55);
    check_build(b, "robot.urdf:5", "link 'c", "is its own ancestor, through joint 'jc");

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
    pinion_joint_def loop = joint_def("close", PINION_REVOLUTE, "base", "nowhere", 60);
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
    pinion_joint_def def = joint_def(name, PINION_REVOLUTE, "hand", child, line);
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
    pinion_joint_def def = joint_def("ball", PINION_SPHERICAL, "hand", "f0", 74);
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    add_follower(b, "m1", "f1", "ball", 75);
    check_build(b, "robot.urdf:75: ", "joint 'm1' mimics joint 'ball', which is spherical", "one coordinate");
    b = small();
    add_link(b, "f0", 74);
    def = joint_def("weld", PINION_FIXED, "hand", "f0", 74);
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    add_follower(b, "m1", "f1", "weld", 75);
    check_build(b, "robot.urdf:75: ", "joint 'm1' mimics joint 'weld', which is fixed", "one coordinate");
    b = small();
    def = joint_def("close", PINION_REVOLUTE, "base", "hand", 76);
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
        def = joint_def(names[i], PINION_REVOLUTE, "hand", links[i], 80 + i);
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
    pinion_joint_def def = joint_def("j3", PINION_REVOLUTE, "hand", "far", 90);
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

/* ---- warnings ---- */

static void check_warning(const pinion_inertia *inertia, const char *expected)
{
    pinion_builder *b = small();
    pinion_link_def link = link_def("finger", 1);
    link.inertia = *inertia;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    pinion_joint_def def = joint_def("j3", PINION_FIXED, "hand", "finger", 1);
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_warning_count(m) == (expected != NULL));
    if (m && expected) {
        CHECK_HAS(pinion_model_warning(m, 0), "'finger'");
        CHECK_HAS(pinion_model_warning(m, 0), expected);
        CHECK(!pinion_model_warning(m, 1) && !pinion_model_warning(m, -1));
    }
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* What a loader has to say: kept as it is, cut and cleaned, ahead of the rest. */
TEST(loader_warnings)
{
    pinion_error err;
    pinion_builder *b = small();
    CHECK_STATUS(pinion_builder_add_warning(NULL, "x", &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_warning(b, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_warning(b, "", &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "expected a builder and a sentence");

    /* cut between characters; what cannot be printed is one '?' a character or a stray byte */
    char longest[600];
    memset(longest, 'x', sizeof longest);
    memcpy(longest + 399, "\xc3\xa9z", 4);
    static const char odd[] =
        "a\nb\x7f \xc3\xa9 \xc2\x85 \xff\xe2\x82\xac \xe2\x82 \xf0\x9f\x98\x80 \x80 \xed\xa0\x80\xc3";
    CHECK_STATUS(pinion_builder_add_warning(b, "first", NULL), PINION_OK);
    CHECK_STATUS(pinion_builder_add_warning(b, longest, NULL), PINION_OK);
    CHECK_STATUS(pinion_builder_add_warning(b, odd, NULL), PINION_OK);
    CHECK_STATUS(pinion_builder_add_warning(b, "100 %s", NULL), PINION_OK);
    longest[399] = 'x';
    longest[400] = 'y';
    CHECK_STATUS(pinion_builder_add_warning(b, longest, NULL), PINION_OK);
    pinion_link_def link = link_def("finger", 1);
    link.inertia.mass = 0;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    pinion_joint_def weld = joint_def("weld", PINION_FIXED, "hand", "finger", 1);
    CHECK_STATUS(pinion_builder_add_joint(b, &weld, NULL), PINION_OK);

    /* in this order, in every model that is built */
    for (int i = 0; i < 2; i++) {
        pinion_model *m = pinion_builder_build(b, NULL, NULL);
        CHECK(m && pinion_model_warning_count(m) == 6);
        if (!m) continue;
        CHECK(strcmp(pinion_model_warning(m, 0), "first") == 0);
        CHECK(strlen(pinion_model_warning(m, 1)) == 399 && strspn(pinion_model_warning(m, 1), "x") == 399);
        CHECK(strcmp(pinion_model_warning(m, 2),
                     "a?b? \xc3\xa9 ? ?\xe2\x82\xac ?? \xf0\x9f\x98\x80 ? ????") == 0);
        CHECK(strcmp(pinion_model_warning(m, 3), "100 %s") == 0);
        CHECK(strlen(pinion_model_warning(m, 4)) == 400);
        CHECK_HAS(pinion_model_warning(m, 5), "'finger'");
        pinion_model_free(m);
    }
    pinion_builder_free(b);
}

TEST(warnings)
{
    pinion_inertia fine = {1, {0, 0, 0}, {0.02, 0.001, -0.002, 0.03, 0.001, 0.04}},
                   none = {0, {0, 0, 0}, {0}};
    pinion_inertia indefinite = {1, {0, 0, 0}, {0.02, 0.05, 0, 0.03, 0, 0.04}},
                   flat = {1, {0, 0, 0}, {1, 0, 0, 1, 0, 3}};
    pinion_inertia negative = {1, {0, 0, 0}, {-1e-9, 0, 0, 1e-8, 0, 1e-8}}, point = {1, {0, 0, 0}, {0}};
    pinion_inertia light = {0, {0, 0, 0}, {1, 0, 0, 1, 0, 1}}, plate = {1, {0, 0, 0}, {1, 0, 0, 2, 0, 3}};
    pinion_inertia rod = {1, {0, 0, 0}, {0, 0, 0, 2, 0, 2}}, fan = {1, {0, 0, 0}, {0, 0, 0, 1, 0, 2}};
    check_warning(&fine, NULL);
    check_warning(&plate, NULL);
    check_warning(&rod, NULL);
    check_warning(&fan, "not positive definite");
    check_warning(&none, NULL); /* part of a body with mass */
    check_warning(&indefinite, "not positive definite");
    check_warning(&negative, "not positive definite");
    check_warning(&point, "not positive definite");
    check_warning(&flat, "triangle");
    check_warning(&light, "no mass");

    /* a massless link that carries others is fine, a massless end is not, a weld may give it mass */
    pinion_builder *b = small();
    pinion_link_def link = link_def("between", 1);
    memset(&link.inertia, 0, sizeof link.inertia);
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    add_joint(b, "j3", "hand", "between", 1);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_warning_count(m) == 1);
    if (m) CHECK_HAS(pinion_model_warning(m, 0), "'between'");
    pinion_model_free(m);
    add_link(b, "end", 1);
    pinion_joint_def weld = joint_def("weld", PINION_FIXED, "between", "end", 1);
    CHECK_STATUS(pinion_builder_add_joint(b, &weld, NULL), PINION_OK);
    m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_warning_count(m) == 0);
    pinion_model_free(m);
    pinion_builder_free(b);

    b = small();
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    add_link(b, "end", 1);
    add_joint(b, "j3", "hand", "between", 1);
    pinion_joint_def last = joint_def("j4", PINION_REVOLUTE, "between", "end", 1);
    last.dof[0].effort = -1;
    CHECK_STATUS(pinion_builder_add_joint(b, &last, NULL), PINION_OK);
    m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_warning_count(m) == 1);
    if (m) CHECK_HAS(pinion_model_warning(m, 0), "'j4'");
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* Random descriptions over a few names: each gives a model or one line that says why not. */
TEST(random_descriptions)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "root", ""};
    uint64_t seed = check_seed;
    int valid = 0, refused = 0;
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
            int child = check_uniform(&seed) < 0.9 ? i + 1 : (int)check_between(&seed, 0, 8);
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
    CHECK(valid > 1000 && refused > 1000);
    printf("       %d valid, %d refused\n", valid, refused);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(link_definitions);
    RUN(joint_definitions);
    RUN(dof_definitions);
    RUN(mimic_definitions);
    RUN(cookies_and_arguments);
    RUN(frames_loops_visuals);
    RUN(names);
    RUN(the_tree);
    RUN(references);
    RUN(mimics);
    RUN(overflow);
    RUN(long_messages);
    RUN(loader_warnings);
    RUN(warnings);
    RUN(random_descriptions);
    return CHECK_END();
}
