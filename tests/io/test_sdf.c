/* What SDF means: each feature against values worked out by hand, or against a plainer file that says the
 * same; and files that libsdformat refuses. */
#include <math.h>

#include "check.h"
#include "pinion/pinion.h"

static pinion_model *load_with(const char *text, const pinion_load_options *o, pinion_error *err)
{
    return pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "f", o, err);
}

/* A file of version 1.minor. */
static pinion_model *load(int minor, const char *content)
{
    char text[8000];
    pinion_error err = {PINION_OK, 0, 0, ""};
    snprintf(text, sizeof text, "<?xml version='1.0'?><!-- x --><sdf version='1.%d'>%s</sdf>", minor,
             content);
    pinion_model *m = load_with(text, NULL, &err);
    if (!m) CHECK_FAIL("%.200s: %s", content, err.message);
    return m;
}

static pinion_joint_info joint_of(const pinion_model *m, const char *name)
{
    static const pinion_dof none[6];
    pinion_joint_info info = {.dof = none};
    const int index = m ? pinion_model_find_joint(m, name) : -1;
    if (index < 0) CHECK_FAIL("there is no joint %s", name);
    if (index >= 0) CHECK_STATUS(pinion_model_joint(m, index, &info), PINION_OK);
    return info;
}

static int has_warning(const pinion_model *m, const char *part)
{
    for (int i = 0; m && i < pinion_model_warning_count(m); i++) {
        if (strstr(pinion_model_warning(m, i), part)) return 1;
    }
    return 0;
}

/* Where a frame is as the model starts: position and the whole rotation. */
static void place_of(const pinion_model *m, const char *name, double p[3], double R[9])
{
    double q[64], position[300], rotation[900];
    const int frame = m ? pinion_model_find_frame(m, name) : -1;
    if (frame < 0) CHECK_FAIL("there is no frame %s", name);
    if (frame < 0) return;
    pinion_work *w = pinion_work_new(m);
    CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info j;
        CHECK_STATUS(pinion_model_joint(m, i, &j), PINION_OK);
        for (int k = 0; j.has_initial && k < j.nq; k++) q[j.q_index + k] = j.initial_q[k];
    }
    CHECK_STATUS(pinion_frames(m, w, q, position, rotation), PINION_OK);
    memcpy(p, position + 3 * frame, 3 * sizeof *p);
    memcpy(R, rotation + 9 * frame, 9 * sizeof *R);
    pinion_work_free(w);
}

static void check_place(const pinion_model *m, const char *name, double x, double y, double z)
{
    double p[3] = {NAN, NAN, NAN}, R[9];
    place_of(m, name, p, R);
    if (!(fabs(p[0] - x) < 1e-12 && fabs(p[1] - y) < 1e-12 && fabs(p[2] - z) < 1e-12))
        CHECK_FAIL("%s is at %g %g %g, expected %g %g %g", name, p[0], p[1], p[2], x, y, z);
    check_count++;
}

#define TWO "<link name='a'/><link name='b'><pose>1 0 0 0 0 0</pose></link>"
#define ENDS "<parent>a</parent><child>b</child>"

/* ---- what floats, what stands still ---- */

TEST(floating)
{
    pinion_model *m =
        load(9, "<model name='m'><pose>0 0 5 0 0 0</pose>" TWO "<joint name='j' type='revolute'>" ENDS
                "<axis><xyz>0 2 0</xyz></axis></joint></model>");
    CHECK(m && pinion_model_nv(m) == 7 && strcmp(pinion_model_name(m), "m") == 0);
    CHECK(joint_of(m, "m::root").type == PINION_JOINT_FREE && joint_of(m, "m::root").v_index == 0);
    CHECK(joint_of(m, "m::j").type == PINION_JOINT_REVOLUTE);
    CHECK_NEAR(joint_of(m, "m::j").axis[1], 1, 0);
    check_place(m, "m::b", 1, 0, 5);
    check_place(m, "m", 0, 0, 5);
    double g[3];
    if (m) pinion_model_gravity(m, g);
    CHECK_NEAR(g[2], -9.81, 0);

    /* welded where it is drawn; freed by the file alone */
    for (int i = 0; i < 2; i++) {
        pinion_load_options o = pinion_load_options_default();
        pinion_error err = {PINION_OK, 0, 0, ""};
        o.root = i ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
        pinion_model *n =
            load_with("<sdf version='1.9'><model name='m'><pose>0 0 5 0 0 0</pose><link name='a'/></model>"
                      "</sdf>",
                      &o, &err);
        CHECK(n && pinion_model_nv(n) == (i ? 6 : 0));
        CHECK(joint_of(n, "m::root").type == (i ? PINION_JOINT_FREE : PINION_JOINT_FIXED));
        check_place(n, "m::a", 0, 0, 5);
        pinion_model_free(n);
    }
    pinion_model_free(m);

    /* parts that do not hang together, and a model around others */
    m = load(9, "<model name='m'>" TWO "<model name='n'><link name='c'/></model></model>");
    CHECK(m && pinion_model_nv(m) == 18);
    CHECK(joint_of(m, "m::root").v_index == 0 && joint_of(m, "m::b::root").v_index == 6);
    CHECK(joint_of(m, "m::n::root").v_index == 12);
    pinion_model_free(m);
    m = load(9, "<model name='robot'><model name='arm'><link name='x'/></model></model>");
    CHECK(m && pinion_model_nv(m) == 6 && joint_of(m, "robot::root").nv == 6);
    pinion_model_free(m);
}

TEST(static_and_world)
{
    pinion_model *m = load(
        10, "<world name='w'><gravity>0 1 2</gravity><model name='table'><static>true</static>"
            "<pose>0 0 1 0 0 0</pose><link name='top'/><model name='leg'><link name='x'/></model></model>"
            "<model name='ball'><link name='x'/></model><frame name='f'><pose>3 0 0 0 0 0</pose></frame>"
            "<model name='door'><link name='x'/></model><joint name='hinge' type='revolute'>"
            "<parent>table::top</parent><child>door</child><axis/></joint></world>");
    CHECK(m && pinion_model_nv(m) == 7 && joint_of(m, "hinge").nv == 1 && joint_of(m, "ball::root").nv == 6);
    CHECK_NEAR(m ? pinion_model_fixed_mass(m) : 0, 2, 0);
    check_place(m, "table::leg::x", 0, 0, 1);
    check_place(m, "f", 3, 0, 0);
    double g[3] = {0};
    if (m) pinion_model_gravity(m, g);
    CHECK(g[1] == 1 && g[2] == 2);
    pinion_model_free(m);

    /* the format's own gravity, and where it was before 1.6 */
    m = load(9, "<world name='w'/>");
    if (m) pinion_model_gravity(m, g);
    CHECK(m && g[2] == -9.8 && pinion_model_nv(m) == 0);
    pinion_model_free(m);
    m = load(5, "<world name='w'><physics type='ode'><gravity>0 0 -1</gravity></physics></world>");
    if (m) pinion_model_gravity(m, g);
    CHECK(m && g[2] == -1);
    pinion_model_free(m);
}

/* ---- frames ---- */

TEST(poses)
{
    pinion_model *m = load(
        9, "<model name='m'><link name='a'><pose degrees='true'>1 2 3 0 0 90</pose></link>"
           "<link name='b'><pose relative_to='j'>1 0 0 0 0 0</pose></link>"
           "<joint name='j' type='fixed'><pose relative_to='a'>0 0 1 0 0 0</pose>" ENDS "</joint>"
           "<frame name='f' attached_to='b'><pose>0 1 0 0 0 0</pose></frame>"
           "<frame name='g' attached_to='b'><pose relative_to='__model__'>0 1 0 0 0 0</pose></frame>"
           "<frame name='h'><pose relative_to='n::c' rotation_format='quat_xyzw'>1 0 0 0 0 2 2</pose></frame>"
           "<model name='n' placement_frame='top'><pose relative_to='f'>0 0 0 0 0 0</pose><link name='c'/>"
           "<frame name='top'><pose>0 0 2 0 0 0</pose></frame></model>"
           "<joint name='k' type='fixed'><parent>b</parent><child>n::top</child></joint></model>");
    double p[3], R[9];
    check_place(m, "m::b", 1, 3, 4);
    check_place(m, "m::f", 0, 3, 4);
    check_place(m, "m::g", 0, 1, 0);
    check_place(m, "m::n::top", 0, 3, 4);
    check_place(m, "m::n::c", 0, 3, 2);
    check_place(m, "m::h", 0, 4, 2);
    place_of(m, "m::h", p, R);
    CHECK_NEAR(R[0], -1, 1e-12);
    CHECK(m && pinion_model_nv(m) == 6);
    pinion_model_free(m);
}

/* Axes in other frames, as each version has them. */
TEST(axes)
{
    static const struct {
        int minor;
        const char *axis;
        double y, z;
    } list[] = {{9, "<xyz>0 0 1</xyz>", 0, 1},
                {9, "<xyz expressed_in='__model__'>0 0 1</xyz>", 1, 0},
                {9, "<xyz expressed_in='a'>0 0 3</xyz>", 1, 0},
                {9, "", 0, 1},
                {6, "<xyz>0 0 1</xyz>", 0, 1},
                {6, "<xyz>0 0 1</xyz><use_parent_model_frame>1</use_parent_model_frame>", 1, 0},
                {4, "<xyz>0 0 1</xyz>", 1, 0}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<model name='m'><link name='a'/><link name='b'><pose>1 0 0 1.5707963267948966 0 0</pose>"
                 "</link><joint name='j' type='revolute'>" ENDS "<axis>%s</axis></joint></model>",
                 list[i].axis);
        pinion_model *m = load(list[i].minor, text);
        const pinion_joint_info j = joint_of(m, "m::j");
        CHECK_NEAR(j.axis[1], list[i].y, 1e-15);
        CHECK_NEAR(j.axis[2], list[i].z, 1e-15);
        pinion_model_free(m);
    }
}

/* ---- joints ---- */

static pinion_model *one_joint(const char *type, const char *content)
{
    char text[2000];
    snprintf(text, sizeof text,
             "<model name='m'>" TWO "<joint name='w' type='fixed'><parent>world</parent><child>a"
             "</child></joint><joint name='j' type='%s'>" ENDS "%s</joint></model>",
             type, content);
    return load(11, text);
}

TEST(joint_types)
{
    pinion_model *m =
        one_joint("prismatic",
                  "<axis><limit><lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4"
                  "</velocity></limit><dynamics><damping>5</damping><friction>6</friction><spring_stiffness>7"
                  "</spring_stiffness><spring_reference>8</spring_reference></dynamics></axis>");
    pinion_joint_info j = joint_of(m, "m::j");
    CHECK(j.type == PINION_JOINT_PRISMATIC && j.dof[0].lower == -1 && j.dof[0].upper == 2 &&
          j.dof[0].effort == 3);
    CHECK(j.dof[0].velocity == 4 && j.dof[0].damping == 5 && j.dof[0].friction_positive == 6);
    CHECK(j.dof[0].friction_negative == 6 && j.dof[0].stiffness == 7 && j.dof[0].rest == 8);
    pinion_model_free(m);
    m = one_joint("Continuous",
                  "<axis><limit><lower>-1e16</lower><upper>1e16</upper><effort>-1</effort></limit></axis>");
    j = joint_of(m, "m::j");
    CHECK(j.type == PINION_JOINT_CONTINUOUS && isinf(j.dof[0].lower) && isinf(j.dof[0].effort));
    pinion_model_free(m);
    m = one_joint("ball", "<axis><dynamics><damping>2</damping></dynamics></axis>");
    j = joint_of(m, "m::j");
    CHECK(j.type == PINION_JOINT_SPHERICAL && j.dof[2].damping == 2);
    pinion_model_free(m);

    /* the pitch, by its new and its old name */
    static const char *const pitch[] = {
        "", "<screw_thread_pitch>.5</screw_thread_pitch><thread_pitch>3</thread_pitch>",
        "<thread_pitch>-4</thread_pitch>"};
    const double expected[] = {1 / (2 * 3.14159265358979323846), .5 / (2 * 3.14159265358979323846), .25};
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "<axis/>%s", pitch[i]);
        m = one_joint("screw", text);
        CHECK_NEAR(joint_of(m, "m::j").pitch, expected[i], 1e-16);
        pinion_model_free(m);
    }
}

/* Two axes: at a right angle one joint, else a chain that moves the same way. */
TEST(two_axes)
{
    pinion_model *m =
        one_joint("universal", "<axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics></axis>"
                               "<axis2><xyz>1 0 0</xyz><dynamics><damping>2</damping></dynamics></axis2>");
    pinion_joint_info j = joint_of(m, "m::j");
    CHECK(j.type == PINION_JOINT_UNIVERSAL && j.dof[0].damping == 1 && j.dof[1].damping == 2);
    double q[2] = {1.5707963267948966, 1.5707963267948966}, p[12], R[36];
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    CHECK(m && pinion_frames(m, w, q, p, R) == PINION_OK);
    const double *turned = m ? R + 9 * pinion_model_find_frame(m, "m::b") : R;
    /* x goes to y by the first; z by the second to -y, and by the first to x */
    CHECK_NEAR(turned[3], 1, 1e-15);
    CHECK_NEAR(turned[2], 1, 1e-15);
    pinion_work_free(w);
    pinion_model_free(m);
    m = one_joint("revolute2", "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>1 0 1</xyz></axis2>");
    CHECK(m && pinion_model_nv(m) == 2 && joint_of(m, "m::j.0").v_index == 0 &&
          joint_of(m, "m::j.1").v_index == 1);
    CHECK(m && pinion_model_find_link(m, "m::j.link") >= 0);
    pinion_model_free(m);
}

TEST(mimic_and_start)
{
    pinion_model *m = load(
        12, "<model name='m'>" TWO "<link name='c'/><joint name='j' type='revolute'>" ENDS "<axis/></joint>"
            "<joint name='k' type='prismatic'><parent>b</parent><child>c</child><axis><mimic joint='j'>"
            "<multiplier>2</multiplier><offset>3</offset><reference>.5</reference></mimic></axis></joint>"
            "<model_state name='m'><joint_state name='j'><axis_state><position degrees='true'>90</position>"
            "<velocity>2</velocity></axis_state></joint_state></model_state></model>");
    pinion_joint_info j = joint_of(m, "m::k");
    CHECK(j.leader >= 0 && j.multiplier == 2 && j.offset == 2);
    j = joint_of(m, "m::j");
    CHECK(j.has_initial && j.initial_v[0] == 2);
    CHECK_NEAR(j.initial_q[0], 1.5707963267948966, 1e-15);
    pinion_model_free(m);
    m = load(6, "<model name='m'>" TWO "<joint name='j' type='revolute'>" ENDS
                "<axis><initial_position>0.7</initial_position></axis></joint></model>");
    j = joint_of(m, "m::j");
    CHECK(j.has_initial && j.initial_q[0] == 0.7);
    pinion_model_free(m);
}

/* A triangle of joints is a loop; joints that are nothing new are told of. */
TEST(graphs)
{
    pinion_model *m =
        load(9, "<model name='m'>" TWO "<link name='c'/><joint name='w' type='fixed'><parent>world</parent>"
                "<child>a</child></joint><joint name='j' type='revolute'>" ENDS "<axis/></joint>"
                "<joint name='k' type='revolute'><parent>b</parent><child>c</child><axis/></joint>"
                "<joint name='l' type='revolute'><parent>c</parent><child>a</child><axis/></joint></model>");
    CHECK(m && pinion_model_loop_count(m) == 1 && pinion_model_nv(m) == 2 &&
          joint_of(m, "m::k").v_index == 1);
    pinion_model_free(m);
    m = load(9, "<model name='m'>" TWO "<joint name='j' type='fixed'>" ENDS
                "</joint><joint name='k' type='revolute'>" ENDS "<axis/></joint></model>");
    CHECK(m && pinion_model_nv(m) == 6 && pinion_model_loop_count(m) == 0 &&
          has_warning(m, "'m::k' is between links"));
    pinion_model_free(m);

    /* the file may say which joint closes the loop; <physics> of a joint has no type */
    m = load(9, "<model name='m'>" TWO "<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>"
                "<joint name='j' type='revolute'>" ENDS "<axis/><physics><simbody><must_be_loop_joint>true"
                "</must_be_loop_joint></simbody></physics></joint><joint name='k' type='revolute'>" ENDS
                "<axis/><physics><ode><cfm_damping>1</cfm_damping></ode></physics></joint></model>");
    pinion_loop_info loop = {.name = ""};
    CHECK(m && pinion_model_loop_count(m) == 1 && pinion_model_loop(m, 0, &loop) == PINION_OK);
    CHECK(strcmp(loop.name, "m::j") == 0 && joint_of(m, "m::k").nv == 1);
    pinion_model_free(m);
}

/* theta_2 = -ratio theta_1, whichever way the hinges are written. */
TEST(gearboxes)
{
    for (int i = 0; i < 4; i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "<model name='m'><link name='r'/>" TWO
                 "<joint name='w' type='fixed'><parent>world</parent><child>r</child>"
                 "</joint><joint name='j' type='revolute'><parent>r</parent><child>a</child><axis><xyz>0 0 "
                 "%d</xyz></axis>"
                 "</joint><joint name='k' type='revolute'><parent>%s</parent><child>%s</child><axis/></joint>"
                 "<joint name='g' type='gearbox'>" ENDS
                 "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>r"
                 "</gearbox_reference_body><axis/><axis2/></joint></model>",
                 i & 1 ? -1 : 1, i & 2 ? "b" : "r", i & 2 ? "r" : "b");
        pinion_model *m = load(9, text);
        pinion_loop_info loop = {0};
        CHECK(m && pinion_model_loop(m, 0, &loop) == PINION_OK && loop.kind == PINION_LOOP_GEAR);
        CHECK_NEAR(loop.ratio, -3 * (i & 1 ? -1 : 1) * (i & 2 ? -1 : 1), 0);
        pinion_model_free(m);
    }
    pinion_model *m =
        load(9, "<model name='m'>" TWO "<joint name='g' type='gearbox'>" ENDS "<axis/></joint></model>");
    CHECK(m && pinion_model_nv(m) == 12 && has_warning(m, "the gearbox 'm::g' is left out"));
    pinion_model_free(m);
}

/* ---- inertia ---- */

static pinion_inertia inertia_of(const char *content)
{
    char text[2000];
    pinion_link_info info = {0};
    snprintf(text, sizeof text, "<model name='m'><link name='a'>%s</link></model>", content);
    pinion_model *m = load(11, text);
    CHECK(m && pinion_model_link(m, pinion_model_find_link(m, "m::a"), &info) == PINION_OK);
    pinion_model_free(m);
    return info.inertia;
}

TEST(inertias)
{
    pinion_inertia x = inertia_of("");
    CHECK(x.mass == 1 && x.inertia[0] == 1 && x.inertia[5] == 1);
    x = inertia_of("<inertial><mass>2</mass><pose>1 2 3 1.5707963267948966 0 "
                   "0</pose><inertia><ixx>1</ixx><iyy>2</iyy><izz>"
                   "2.5</izz></inertia></inertial>");
    CHECK(x.mass == 2 && x.com[2] == 3);
    CHECK_NEAR(x.inertia[3], 2.5, 1e-14);
    CHECK_NEAR(x.inertia[5], 2, 1e-14);

    /* a box of two halves, by density and by mass */
    const char *halves =
        "<collision name='a'><pose>.5 0 0 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>"
        "</collision><collision name='b'><pose>0 -.5 0 0 0 1.5707963267948966</pose><geometry>"
        "<box><size>1e-9 1e-9 1e-9</size></box></geometry></collision>"
        "<collision name='c'><pose>-.5 0 0 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>"
        "</collision>";
    for (int i = 0; i < 2; i++) {
        char text[1500];
        snprintf(text, sizeof text, "<inertial auto='true'>%s</inertial>%s",
                 i ? "<mass>24</mass>" : "<density>2</density>", halves);
        x = inertia_of(text);
        CHECK_NEAR(x.mass, 24, 1e-12);
        CHECK_NEAR(x.inertia[0], 24. / 12 * (4 + 9), 1e-12);
        CHECK_NEAR(x.inertia[3], 24. / 12 * (4 + 9), 1e-12);
        CHECK_NEAR(x.inertia[5], 24. / 12 * (4 + 4), 1e-12);
    }
    /* a cone's centre is a quarter above its foot */
    x = inertia_of(
        "<inertial auto='1'/><collision name='c'><geometry><cone><radius>1</radius><length>2</length></cone>"
        "</geometry></collision>");
    CHECK_NEAR(x.com[2], -.5, 0);
    CHECK_NEAR(x.inertia[5], .3 * x.mass, 1e-12);
}

/* ---- what is left out ---- */

TEST(left_out)
{
    static const struct {
        const char *content, *part;
    } list[] = {
        {"<model name='m'><link name='a'><kinematic>1</kinematic></link></model>", "'m::a' is kinematic"},
        {"<model name='m'><link name='a'><velocity_decay><linear>1</linear></velocity_decay></link></model>",
         "decay"},
        {"<model name='m'><link "
         "name='a'><inertial><fluid_added_mass><xx>1</xx></fluid_added_mass></inertial></link></model>",
         "<fluid_added_mass> is left out"},
        {"<world name='w'><wind><linear_velocity>1 0 0</linear_velocity></wind></world>",
         "<wind> is left out"},
        {"<world name='w'><state world_name='w'/></world>", "<state> is left out"},
        {"<world name='w'><light name='l' type='spot'/><state world_name='w'><light name='l'/><model name='m'>"
         "<joint name='j'><angle axis='0'>1</angle></joint></model></state></world>",
         "<state> is left out"},
        {"<world name='w'/><world name='v'/>", "only the first <world>"},
        {"<model name='m'>" TWO "<joint name='j' type='revolute'>" ENDS
         "<axis><dynamics><damping>-1</damping></dynamics>"
         "</axis></joint></model>",
         "<damping> of joint 'm::j' is left out"},
        {"<model name='m'><link name='a'><inertial><pose relative_to='b'/></inertial></link><link name='b'/></model>",
         "relative_to of <inertial> is not read"},
        {"<model name='m'><link name='a'><pose relative_too='b'>0 0 1 0 0 0</pose></link><link name='b'/></model>",
         "f:1: <pose> has an attribute relative_too, which is not known and not read"},
        {"<model name='m'><link name='a'><pose frame='b'>0 0 1 0 0 0</pose></link><link name='b'/></model>",
         "<pose> has an attribute frame, which is not known"},
        {"<model name='m'>" TWO "<joint name='j' type='revolute'>" ENDS
         "<axis><xyz expresed_in='b'>0 1 0</xyz></axis></joint></model>",
         "<xyz> has an attribute expresed_in, which is not known"},
        {"<model name='m'>" TWO "<joint name='j' type='revolute'>" ENDS
         "<axis><dynamics damping='1'/></axis></joint></model>",
         "<dynamics> has an attribute damping, which is not known"},
        {"<model name='m'>" TWO "<joint name='j' type='revolute'>" ENDS
         "<axis/><axis2><xyz>0 1 0</xyz></axis2></joint></model>",
         "<axis2> of joint 'm::j' is left out: it is revolute"},
        {"<model name='m' canonical='a'><link name='a'/></model>", "<model> has an attribute canonical, which"},
        {"<model name='m'><link name='a'><inertial><mass unit='g'>1</mass></inertial></link></model>",
         "<mass> has an attribute unit, which"},
        {"<model name='m'><link name='a'><collision name='c'><geometry><box size='1 1 1'><size>1 1 1</size></box>"
         "</geometry></collision></link></model>",
         "<box> has an attribute size, which"},
        {"<model name='m'><link name='a'><inertial auto='true'/></link></model>", "it weighs 1 kg"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        pinion_model *m = load(11, list[i].content);
        if (!has_warning(m, list[i].part)) CHECK_FAIL("no word of '%s'", list[i].part);
        pinion_model_free(m);
        char text[1000];
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_load_options o = pinion_load_options_default();
        o.strict = 1;
        snprintf(text, sizeof text, "<sdf version='1.11'>%s</sdf>", list[i].content);
        m = load_with(text, &o, &err);
        CHECK(m == NULL && err.status == PINION_ERR_UNSUPPORTED);
        CHECK_HAS(err.message, list[i].part);
        pinion_model_free(m);
    }
    pinion_model *m = load(
        11, "<world name='w'><light name='l' type='point'/><plugin name='p' filename='f'><link/></plugin>"
            "<model name='m'><link name='a'><foo/><x:bar xmlns:x='y'/><sensor name='s' type='imu'/></link>"
            "</model></world>");
    CHECK(has_warning(m, "1 sensor, 1 light, 1 plugin") && has_warning(m, "<foo> in <link> is not known"));
    CHECK(!has_warning(m, "bar"));
    pinion_model_free(m);

    /* of a visual it is no error either, and what others read is nobody's concern */
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_load_options o = pinion_load_options_default();
    o.strict = 1;
    m = load_with("<sdf version='1.11' xmlns:x='y' x:a='1' lost:b='2'><model name='m' x:a='1'>"
                  "<plugin name='p' filename='f' z='1'/><link name='a'><visual name='v'><pose relativ_to='a'/>"
                  "<material x='1'/></visual><sensor name='s' type='imu' z='1'/><foo z='1'/></link></model></sdf>",
                  &o, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    CHECK(has_warning(m, "<pose> has an attribute relativ_to, which") && pinion_model_warning_count(m) == 3);
    pinion_model_free(m);
    /* in its own time it was known */
    m = load(6, "<model name='m'><link name='a'><pose frame=''>0 0 1 0 0 0</pose></link></model>");
    CHECK(pinion_model_warning_count(m) == 0);
    pinion_model_free(m);

    /* what is where the format has no such element means nothing there, whatever it holds */
    m = load(11, "<world name='w'><world>0 1 bad</world><model name='m'><link name='a'><model degrees='1'>x</model>"
                 "<visual name='v'><material><visual>0.1</visual></material></visual></link><mass>none</mass></model>"
                 "</world>");
    CHECK(has_warning(m, "<world> in <world> is not known") && has_warning(m, "<model> in <link> is not known"));
    CHECK(has_warning(m, "<mass> in <model> is not known"));
    pinion_model_free(m);
}

/* ---- what is refused ---- */

#define L "<link name='l'/>"
TEST(refused)
{
    static const struct {
        const char *content, *part;
    } list[] = {
        {"<model name='m'/>", "has no link"},
        {"<model name='m'><link/></model>", "<link> has no name"},
        {"<model name='m'><link name='l'><inertial><inertia><ixz> </ixz></inertia></inertial></link></model>",
         "<ixz> in <inertia> is empty"},
        {"<model name='m'><link name='l'><collision name='c'><geometry><box><size/></box></geometry></collision></link>"
         "</model>",
         "<size> in <box> is empty"},
        {"<model name='world'>" L "</model>", "is reserved"},
        {"<model name='m'><link name='__a__'/></model>", "is reserved"},
        {"<world name='world'/>", "<world> is called 'world', which is reserved"},
        {"<model name='m'><link name='l'><collision name='__c__'/></link></model>", "<collision> is called '__c__'"},
        {"<model name='m'><link name='l'><sensor name='__s__' type='imu'/></link></model>", "is reserved"},
        {"<model name='m'><link name='a::b'/></model>", "without '::'"},
        {"<model name='m'>" L L "</model>", "two <link>"},
        {"<model name='m'><link name='l'><collision name=' '/></link></model>", "<collision name> is blank"},
        {"<world name='w'><physics name='p' type='a'/><physics name='p' type='b'/></world>", "two <physics>"},
        {"<model name='m'>" L "<frame name='l'/></model>", "'m::l' is the name of two things"},
        {"<model name='m'>" L "</model><model name='n'>" L "</model>", "a second <model>"},
        {"<model name='m'>" L "<frame name='f' attached_to='x'/></model>", "attached_to of 'm::f' names 'x'"},
        {"<model name='m'>" L "<frame name='f' attached_to='f'/></model>", "names itself"},
        {"<model name='m'>" L "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/></model>",
         "what 'm::f' moves with leads back to itself"},
        {"<model name='m'>" L
         "<frame name='f'><pose relative_to='g'/></frame><frame name='g'><pose relative_to='f'/></frame>"
         "</model>",
         "the pose of 'm::f' leads back"},
        {"<model name='m'><link name='l'><pose relative_to='__root__'/></link></model>", "reserved"},
        {"<model name='m'><pose relative_to='l'/>" L "</model>", "expected no relative_to"},
        {"<model name='m' canonical_link='x'>" L "</model>", "canonical_link of 'm' names 'x'"},
        {"<model name='m' placement_frame='x'>" L "</model>", "placement_frame of 'm' names 'x'"},
        {"<model name='m'><model name='n'>" L
         "</model><link name='k'/><frame name='f' attached_to='l'/></model>",
         "which is not there"},
        {"<model name='m'>" L "<pose>0 0 0 0 0</pose></model>", "expected 6 numbers"},
        {"<model name='m'>" L "<pose rotation_format='quat_xyzw' degrees='true'>0 0 0 0 0 0 1</pose></model>",
         "in degrees"},
        {"<model name='m'>" L "<static>maybe</static></model>", "expected true or false"},
        {"<world name='w'><gravity>0 1 x</gravity></world>", "expected 3 numbers"},
        {"<world/>", "<world> has no name"},
        {"<world name='w'><scene><ambient>2 0 0 1</ambient></scene></world>", "is no colour"},
        {"<world name='w'><light name='l' type='x'/></world>", "there is no such type"},
        {"<world name='w'><model name='m'>" L "</model><model name='m'>" L "</model></world>", "two <model>"},
        {"<model name='m'><link name='l'><sensor name='s' type='x'/></link></model>",
         "there is no such type"},
        {"<model name='m'><link name='l'><inertial><mass>-1</mass></inertial></link></model>",
         "no body can have"},
        {"<model name='m'><link name='l'><inertial><inertia><ixx>9</ixx></inertia></inertial></link></model>",
         "no body can"},
        {"<model name='m'>" TWO "<joint name='j' type='x'>" ENDS "</joint></model>", "has type \"x\""},
        {"<model name='m'>" TWO "<joint name='j' type='fixed'><child>b</child></joint></model>",
         "has no <parent>"},
        {"<model name='m'>" TWO "<joint name='j' type='fixed'><parent>b</parent></joint></model>",
         "has no <child>"},
        {"<model name='m'>" TWO
         "<joint name='j' type='fixed'><parent>a</parent><child>world</child></joint></model>",
         "names 'world', which is not there"},
        {"<model name='m'>" TWO
         "<joint name='j' type='fixed'><parent>x</parent><child>b</child></joint></model>",
         "has the <parent> 'x', which is not there"},
        {"<model name='m'>" TWO
         "<joint name='j' type='fixed'><parent>j</parent><child>b</child></joint></model>",
         "has the <parent> 'j'"},
        {"<model name='m'>" TWO
         "<frame name='f' attached_to='b'/><joint name='j' type='fixed'><parent>f</parent><child>b"
         "</child></joint></model>",
         "has both ends on 'm::b'"},
        {"<model name='m'>" TWO "<joint name='j' type='revolute'>" ENDS
         "<axis><xyz>0 0 0</xyz></axis></joint></model>",
         "is zero"},
        {"<model name='m'>" TWO "<joint name='j' type='revolute'>" ENDS
         "<axis><xyz expressed_in='x'>0 0 1</xyz></axis>"
         "</joint></model>",
         "expressed_in of joint 'm::j' names 'x'"},
        {"<model name='m'>" TWO "<joint name='j' type='revolute'>" ENDS
         "<axis><mimic joint='x'/></axis></joint></model>",
         "is to follow 'x'"},
        {"<model name='m'>" TWO "<joint name='j' type='screw'>" ENDS
         "<axis/><thread_pitch>0</thread_pitch></joint></model>",
         "thread_pitch of 0"},
        {"<model name='m'>" L "<include><uri>x</uri></include></model>", "this model is in memory"},
        {"<world name='w'><physics/></world>", "<physics> has no type"},
        {"<world name='w'><state world_name='w'><insertions><light name='l'/></insertions></state></world>",
         "<light> has no type"},
        {"<model name='m'>" L "<include/></model>", "has no <uri>"}};
    char text[2000];
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        snprintf(text, sizeof text, "<sdf version='1.11'>\n%s</sdf>", list[i].content);
        pinion_model *m = load_with(text, NULL, &err);
        if (m || !strstr(err.message, list[i].part))
            CHECK_FAIL("%s: %s, expected %s", list[i].content, m ? "is read" : err.message, list[i].part);
        else
            CHECK_HAS(err.message, "f:2: ");
        pinion_model_free(m);
    }
    static const char *const versions[] = {"", "version='1.13'", "version='2.0'", "version='x'",
                                           "version='1.2'"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        snprintf(text, sizeof text, "<sdf %s><model name='m'>" L "</model></sdf>", versions[i]);
        CHECK(load_with(text, NULL, &err) == NULL);
        CHECK_HAS(err.message, "version");
    }
}

/* Names that old files use twice. */
TEST(renamed)
{
    pinion_model *m =
        load(6, "<model name='m'>" TWO "<joint name='b' type='revolute'>" ENDS "<axis/></joint></model>");
    CHECK(joint_of(m, "m::b_joint").nv == 1 && has_warning(m, "is the name of two things"));
    pinion_model_free(m);
    m = load(7, "<model name='m'><link name='n::a'/><frame name='n::__model__' attached_to='n::a'/><frame "
                "name='f'><pose "
                "relative_to='n::__model__'>1 0 0 0 0 0</pose></frame></model>");
    check_place(m, "m::n::a", 0, 0, 0);
    check_place(m, "m::f", 1, 0, 0);
    CHECK(m && pinion_model_find_frame(m, "m::n") >= 0);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(floating);
    RUN(static_and_world);
    RUN(poses);
    RUN(axes);
    RUN(joint_types);
    RUN(two_axes);
    RUN(mimic_and_start);
    RUN(graphs);
    RUN(gearboxes);
    RUN(inertias);
    RUN(left_out);
    RUN(refused);
    RUN(renamed);
    return CHECK_END();
}
