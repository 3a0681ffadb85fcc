/* What is refused of one definition or argument, when it is given: one line, the place, the name, what was
 * expected. */
#include "describe_robot.h"

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
    pinion_joint_def good = joint_def("j3", PINION_JOINT_REVOLUTE, "hand", "finger", 1), def;
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
    pinion_joint_def good = joint_def("j3", PINION_JOINT_REVOLUTE, "hand", "finger", 1), def;
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
    def.type = PINION_JOINT_SPHERICAL;
    def.dof[2].stiffness = 1;
    check_joint(def, "'j3', degree of freedom 2", "spring");
    def.type = PINION_JOINT_FREE;
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
    pinion_joint_def good = joint_def("j3", PINION_JOINT_REVOLUTE, "hand", "finger", 1), def;
    def = good;
    def.mimic = "j3";
    check_joint(def, "'j3' mimics itself", "expected");
    def.mimic = "j1";
    def.type = PINION_JOINT_PLANAR;
    check_joint(def, "'j3' is planar and mimics joint 'j1'", "one coordinate");
    def.type = PINION_JOINT_FIXED;
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
    pinion_joint_def loop = joint_def("close", PINION_JOINT_REVOLUTE, "base", "base", 21);
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
    visual.shape = PINION_SHAPE_MESH;
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

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(link_definitions);
    RUN(joint_definitions);
    RUN(dof_definitions);
    RUN(mimic_definitions);
    RUN(cookies_and_arguments);
    RUN(frames_loops_visuals);
    return CHECK_END();
}
