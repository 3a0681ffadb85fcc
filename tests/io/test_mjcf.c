/* What MJCF means: each feature against values worked out by hand, or against a plainer file that says the
 * same. */
#include "check.h"
#include "pinion/pinion.h"

static pinion_model *load(const char *text)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "f", NULL, &err);
    if (!m) CHECK_FAIL("%.200s: %s", text, err.message);
    return m;
}

/* A file of which one part is given: what is before <worldbody>, and the bodies. */
static pinion_model *world(const char *head, const char *bodies)
{
    char text[8000];
    snprintf(text, sizeof text, "<mujoco model='m'>%s<worldbody>%s</worldbody></mujoco>", head, bodies);
    return load(text);
}

static pinion_inertia inertia_of(const pinion_model *m, const char *link)
{
    pinion_link_info info = {0};
    CHECK_STATUS(pinion_model_link(m, pinion_model_find_link(m, link), &info), PINION_OK);
    return info.inertia;
}

static pinion_joint_info joint_of(const pinion_model *m, const char *name)
{
    static const pinion_dof none[6];
    pinion_joint_info info = {.dof = none};
    const int index = pinion_model_find_joint(m, name);
    if (index < 0) CHECK_FAIL("there is no joint %s", name);
    if (index >= 0) CHECK_STATUS(pinion_model_joint(m, index, &info), PINION_OK);
    return info;
}

static int has_warning(const pinion_model *m, const char *part)
{
    for (int i = 0; i < pinion_model_warning_count(m); i++) {
        if (strstr(pinion_model_warning(m, i), part)) return 1;
    }
    return 0;
}

/* Two models with the same links, joints and numbers: mass matrix, gravity and frames at a random
 * configuration. */
static void check_same(pinion_model *a, pinion_model *b, const char *what)
{
    uint64_t seed = check_seed;
    double q[64], M[2][400], tau[2][20], position[2][300], rotation[2][900];
    const int nv = a ? pinion_model_nv(a) : 0, frames = a ? pinion_model_frame_count(a) : 0;
    CHECK(a && b && nv == pinion_model_nv(b) && frames == pinion_model_frame_count(b) && nv <= 20 &&
          frames <= 100);
    if (!a || !b) return;
    for (int i = 0; i < frames; i++) {
        pinion_frame_info x, y;
        CHECK(pinion_model_frame(a, i, &x) == PINION_OK && pinion_model_frame(b, i, &y) == PINION_OK);
        if (strcmp(x.name, y.name)) CHECK_FAIL("%s: frames %s and %s", what, x.name, y.name);
    }
    CHECK_STATUS(pinion_neutral(a, q), PINION_OK);
    for (int i = 0; i < pinion_model_nq(a) && pinion_model_nq(a) == nv; i++) q[i] = check_uniform(&seed);
    for (int k = 0; k < 2; k++) {
        const pinion_model *m = k ? b : a;
        pinion_work *w = pinion_work_new(m);
        CHECK_STATUS(pinion_mass_matrix(m, w, q, M[k]), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(m, w, q, NULL, NULL, NULL, tau[k]), PINION_OK);
        CHECK_STATUS(pinion_frames(m, w, q, position[k], rotation[k]), PINION_OK);
        pinion_work_free(w);
    }
    const double worst = fmax(
        fmax(check_error(M[0], M[1], (size_t)(nv * nv), 1e-3), check_error(tau[0], tau[1], (size_t)nv, 1e-3)),
        fmax(check_error(position[0], position[1], 3 * (size_t)frames, 1),
             check_error(rotation[0], rotation[1], 9 * (size_t)frames, 1)));
    if (!(worst < 1e-12)) CHECK_FAIL("%s: the two differ by %g", what, worst);
    pinion_model_free(a);
    pinion_model_free(b);
}

#define UNIT "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"

TEST(pendulum)
{
    pinion_model *m =
        world("<option gravity='0 0 -10'/>",
              "<body name='rod' pos='0 0 1'><joint name='hinge' axis='0 2 0' range='-90 90' damping='0.5' "
              "stiffness='3' springref='30' frictionloss='0.2' armature='0.1' actuatorfrcrange='-7 7'/>"
              "<inertial pos='0 0 -0.5' mass='2' diaginertia='0.1 0.2 0.3'/></body>");
    const pinion_joint_info j = joint_of(m, "hinge");
    const double q[1] = {0.3}, pi = 3.14159265358979323846;
    double M[1], tau[1];
    pinion_work *w = pinion_work_new(m);
    CHECK(j.type == PINION_JOINT_REVOLUTE && pinion_model_nv(m) == 1 && pinion_model_link_count(m) == 2);
    CHECK_NEAR(j.dof[0].lower, -pi / 2, 1e-15);
    CHECK_NEAR(j.dof[0].rest, pi / 6, 1e-15);
    CHECK_NEAR(j.dof[0].damping, 0.5, 0);
    CHECK_NEAR(j.dof[0].stiffness, 3, 0);
    CHECK_NEAR(j.dof[0].friction_positive, 0.2, 0);
    CHECK_NEAR(j.dof[0].effort, 7, 0);
    CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
    CHECK_NEAR(M[0], 0.2 + 2 * 0.25 + 0.1, 1e-15);
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, NULL, NULL, NULL, tau), PINION_OK);
    CHECK_NEAR(tau[0], 2 * 10 * 0.5 * sin(0.3), 1e-14);
    CHECK(pinion_model_actuators_listed(m) && pinion_model_actuator_count(m) == 0);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* A range may be open at an end. */
TEST(open_ranges)
{
    pinion_model *m =
        load("<mujoco><compiler angle='radian'/><worldbody><body><joint name='j' range='-1 inf'/>" UNIT
             "</body></worldbody><actuator><motor joint='j' ctrlrange='-inf 2'/></actuator></mujoco>");
    pinion_actuator_info act;
    CHECK(joint_of(m, "j").dof[0].lower == -1 && joint_of(m, "j").dof[0].upper == INFINITY);
    CHECK_STATUS(pinion_model_actuator(m, 0, &act), PINION_OK);
    CHECK(act.effort[0] == -INFINITY && act.effort[1] == 2);
    pinion_model_free(m);
}

/* q = ref is the position that is drawn, for a hinge and a slide off the origin. */
TEST(reference)
{
    pinion_model *m =
        world("<compiler angle='radian'/>",
              "<body name='a' pos='1 0 0'><joint name='h' pos='0 1 0' ref='0.7'/>" UNIT
              "<body name='b' pos='0 0 1'><joint name='s' type='slide' axis='1 0 0' ref='0.2'/>" UNIT
              "<site name='tip' pos='0 0 1'/></body></body>");
    double q[2], position[15], rotation[45];
    pinion_work *w = pinion_work_new(m);
    CHECK_STATUS(pinion_initial(m, q, NULL), PINION_OK);
    CHECK_NEAR(q[0], 0.7, 0);
    CHECK_NEAR(q[1], 0.2, 0);
    CHECK_STATUS(pinion_frames(m, w, q, position, rotation), PINION_OK);
    const double *tip = position + 3 * pinion_model_find_frame(m, "tip");
    CHECK_NEAR(tip[0], 1, 1e-15);
    CHECK_NEAR(tip[2], 2, 1e-15);
    /* a quarter turn about (1, 1, 0) and 0.5 along the turned x */
    q[0] += acos(-1) / 2;
    q[1] += 0.5;
    CHECK_STATUS(pinion_frames(m, w, q, position, rotation), PINION_OK);
    CHECK_NEAR(tip[0], 2, 1e-14);
    CHECK_NEAR(tip[1], 1.5, 1e-14);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Different words for the same. */
TEST(same)
{
    static const struct {
        const char *what, *head[2], *bodies[2];
    } cases[] = {
#define BODY(pose)                                                                                           \
    "<body name='b' pos='1 2 3' " pose "><joint name='j' axis='1 2 3'/>" UNIT                                \
    "<site name='s' pos='1 0 0'/></body>"
        {"axisangle", {"", ""}, {BODY("axisangle='0 0 2 90'"), BODY("quat='1 0 0 1'")}},
        {"euler", {"", ""}, {BODY("euler='90 0 90'"), BODY("xyaxes='0 0 1 -1 0 0'")}},
        {"sequence",
         {"<compiler eulerseq='zYx' angle='radian'/>", "<compiler angle='radian'/>"},
         {BODY("euler='0.3 0 0'"), BODY("axisangle='0 0 1 0.3'")}},
        {"fixed axes",
         {"<compiler eulerseq='XYZ'/>", "<compiler eulerseq='zyx'/>"},
         {BODY("euler='10 20 30'"), BODY("euler='30 20 10'")}},
        {"zaxis", {"", ""}, {BODY("zaxis='1 0 0'"), BODY("euler='0 90 0'")}},
        {"xyaxes", {"", ""}, {BODY("xyaxes='0 2 0 -1 1 0'"), BODY("euler='0 0 90'")}},
        {"classes",
         {"<default><joint axis='1 0 0'/><default class='a'><joint axis='0 1 0'/><default class='b'><joint "
          "armature='2'/>"
          "</default></default></default>",
          ""},
         {"<body name='x'><joint name='i'/>" UNIT "<body name='y' childclass='b'><joint name='j'/>" UNIT
          "<frame childclass='a'><body name='z'><joint name='k'/>" UNIT
          "</body></frame><body name='u'><joint class='main' "
          "name='l'/>" UNIT "</body></body></body>",
          "<body name='x'><joint name='i' axis='1 0 0'/>" UNIT
          "<body name='y'><joint name='j' axis='0 1 0' armature='2'/>" UNIT
          "<body name='z'><joint name='k' axis='0 1 0'/>" UNIT
          "</body><body name='u'><joint name='l' axis='1 0 0'/>" UNIT "</body></body></body>"}},
        {"sizes of a class",
         {"<default><geom type='box' size='0.3 0.2 0.1' euler='90 0 0'/></default>", ""},
         {"<body name='x'><joint/><geom size='0.5'/><geom pos='1 0 0' quat='1 0 0 0'/></body>",
          "<body name='x'><joint/><geom type='box' size='0.5 0.2 0.1' euler='90 0 0'/><geom type='box' "
          "size='0.3 0.2 0.1' "
          "pos='1 0 0'/></body>"}},
        {"frame",
         {"", ""},
         {"<frame pos='1 0 0' euler='0 0 90'><body name='x' pos='1 0 0'><frame pos='0 1 0' euler='90 0 "
          "0'><joint name='j' "
          "pos='1 1 1' axis='0 1 0'/><geom type='box' size='1 2 3' pos='0 0 1'/><site name='s' pos='1 0 "
          "0'/></frame></body></frame>",
          "<body name='x' pos='1 1 0' euler='0 0 90'><joint name='j' pos='1 0 1' axis='0 0 1'/><geom "
          "type='box' size='1 2 3' "
          "pos='0 0 0' euler='90 0 0'/><site name='s' pos='1 1 0' euler='90 0 0'/></body>"}},
        {"replicate",
         {"", ""},
         {"<replicate count='3' offset='1 0 0' euler='0 0 90' sep='-'><body name='x'><joint name='j' axis='1 "
          "0 0'/>" UNIT "</body></replicate>",
          "<body name='x-0'><joint name='j-0' axis='1 0 0'/>" UNIT
          "</body><body name='x-1' pos='1 0 0' euler='0 0 90'><joint "
          "name='j-1' axis='1 0 0'/>" UNIT
          "</body><body name='x-2' pos='1 1 0' euler='0 0 180'><joint name='j-2' axis='1 0 "
          "0'/>" UNIT "</body>"}},
        {"several joints",
         {"", ""},
         {"<body name='x' pos='1 0 0'><joint name='i' type='slide' axis='1 0 0'/><joint name='j' axis='0 1 "
          "0' pos='0 0 1'/>" UNIT "</body>",
          "<body name='x.0' pos='1 0 0'><joint name='i' type='slide' axis='1 0 0'/><inertial pos='0 0 0' "
          "mass='2e-15' " /* as little as the format takes: far below the tolerance */
          "diaginertia='2e-15 2e-15 2e-15'/><body name='x'><joint name='j' axis='0 1 0' pos='0 0 1'/>" UNIT
          "</body></body>"}},
        {"full inertia",
         {"", ""},
         {"<body name='x'><joint axis='1 2 3'/><inertial pos='1 0 0' mass='2' fullinertia='1.5 1.5 2 0.5 0 "
          "0'/></body>",
          "<body name='x'><joint axis='1 2 3'/><inertial pos='1 0 0' mass='2' euler='0 0 45' diaginertia='2 "
          "1 2'/></body>"}},
        {"turned inertia",
         {"", ""},
         {"<body name='x'><joint axis='1 2 3'/><inertial pos='1 0 0' mass='2' euler='0 0 90' diaginertia='1 "
          "2 2.5'/></body>",
          "<body name='x'><joint axis='1 2 3'/><inertial pos='1 0 0' mass='2' diaginertia='2 1 "
          "2.5'/></body>"}},
        {"fromto",
         {"", ""},
         {"<body name='x'><joint axis='1 2 3'/><geom type='capsule' size='0.1' fromto='0 0 0 2 0 0'/></body>",
          "<body name='x'><joint axis='1 2 3'/><geom type='capsule' size='0.1 1' pos='1 0 0' euler='0 90 "
          "0'/></body>"}},
        {"mass or density",
         {"", ""},
         {"<body name='x'><joint/><geom type='box' size='1 2 3' mass='48'/></body>",
          "<body name='x'><joint/><geom type='box' size='1 2 3' density='1'/></body>"}},
        {"groups",
         {"<compiler inertiagrouprange='1 2'/>", ""},
         {"<body name='x'><joint/><geom size='1'/><geom size='2' group='1'/><geom size='1' "
          "group='3'/></body>",
          "<body name='x'><joint/><geom size='2'/></body>"}},
        {"inertia of geoms",
         {"<compiler inertiafromgeom='true'/>", ""},
         {"<body name='x'><joint/>" UNIT "<geom size='2'/></body><body name='y'><joint/>" UNIT "</body>",
          "<body name='x'><joint/><geom size='2'/></body><body name='y'><joint/>" UNIT "</body>"}},
        {"total mass",
         {"<compiler settotalmass='6'/>", ""},
         {"<body name='x'><joint/>" UNIT
          "</body><body name='y'><joint/><inertial pos='1 0 0' mass='2' diaginertia='1 1 1'/></body>",
          "<body name='x'><joint/><inertial pos='0 0 0' mass='2' diaginertia='2 2 2'/></body><body "
          "name='y'><joint/><inertial "
          "pos='1 0 0' mass='4' diaginertia='2 2 2'/></body>"}},
        {"bounds",
         {"<compiler boundmass='3' boundinertia='2'/>", ""},
         {"<body name='x'><joint axis='1 1 1'/><inertial pos='1 0 0' mass='2' diaginertia='1 5 4'/></body>",
          "<body name='x'><joint axis='1 1 1'/><inertial pos='1 0 0' mass='3' diaginertia='2 5 4'/></body>"}},
        {"bounds of nothing",
         {"<compiler boundmass='3' boundinertia='2'/>", ""},
         {"<body name='x' pos='1 2 3'><joint axis='1 1 1'/></body>",
          "<body name='x' pos='1 2 3'><joint axis='1 1 1'/><inertial pos='1 2 3' mass='3' diaginertia='2 2 "
          "2'/></body>"}},
        {"balance",
         {"<compiler balanceinertia='true'/>", ""},
         {"<body name='x'><joint axis='1 1 1'/><inertial pos='1 0 0' mass='2' diaginertia='1 1 4'/></body>",
          "<body name='x'><joint axis='1 1 1'/><inertial pos='1 0 0' mass='2' diaginertia='2 2 2'/></body>"}},
        {"two geoms",
         {"", ""},
         {"<body name='x'><joint axis='1 1 1'/><geom type='box' size='1 1 1' pos='1 0 0'/><geom type='box' "
          "size='1 1 1' "
          "pos='-1 0 0'/></body>",
          "<body name='x'><joint axis='1 1 1'/><geom type='box' size='2 1 1'/></body>"}},
        {"weightless",
         {"<option><flag gravity='disable' spring='disable' damper='disable'/></option>",
          "<option gravity='0 0 0'/>"},
         {BODY(""), BODY("")}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_same(world(cases[i].head[0], cases[i].bodies[0]), world(cases[i].head[1], cases[i].bodies[1]),
                   cases[i].what);
}

/* Mass and principal inertias of every shape of size 0.3, 0.5, 0.7 and density 10, solid and as a shell:
 * closed forms, but for the shell of an ellipsoid, whose area the format approximates. */
TEST(shapes)
{
    const double pi = acos(-1), a = 0.3, h = 0.5, c = 0.7;
    const double ball = 4 * pi * a * a * a / 3, tube = 2 * pi * a * a * h, side = 4 * pi * a * h;
    const struct {
        const char *type;
        int shell;
        double mass, x, z;
    } shapes[] = {
        {"sphere", 0, ball, 0.4 * ball * a * a, 0.4 * ball * a * a},
        {"sphere", 1, 4 * pi * a * a, 8 * pi * pow(a, 4) / 3, 8 * pi * pow(a, 4) / 3},
        {"cylinder", 0, tube, tube * (a * a / 4 + h * h / 3), tube * a * a / 2},
        {"cylinder", 1, side + 2 * pi * a * a,
         side * (a * a / 2 + h * h / 3) + 2 * pi * a * a * (a * a / 4 + h * h),
         side * a * a + pi * pow(a, 4)},
        {"capsule", 0, tube + ball,
         tube * (a * a / 4 + h * h / 3) + ball * (0.4 * a * a + h * h + 0.75 * h * a),
         tube * a * a / 2 + 0.4 * ball * a * a},
        {"capsule", 1, side + 4 * pi * a * a,
         side * (a * a / 2 + h * h / 3) + 4 * pi * a * a * (2 * a * a / 3 + h * h + h * a),
         side * a * a + 8 * pi * pow(a, 4) / 3},
        {"box", 0, 8 * a * h * c, 8 * a * h * c * (h * h + c * c) / 3, 8 * a * h * c * (a * a + h * h) / 3},
        {"box", 1, 8 * (a * h + h * c + c * a),
         8 * (h * c * (h * h + c * c) / 3 + a * c * (h * h + c * c / 3) + a * h * (h * h / 3 + c * c)),
         8 * (h * c * (a * a + h * h / 3) + a * c * (a * a / 3 + h * h) + a * h * (a * a + h * h) / 3)},
        {"ellipsoid", 0, 4 * pi * a * h * c / 3, 4 * pi * a * h * c / 3 * (h * h + c * c) / 5,
         4 * pi * a * h * c / 3 * (a * a + h * h) / 5},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "<body name='x'><joint/><geom type='%s' size='0.3 0.5 0.7' density='10' "
                 "shellinertia='%s'/></body>",
                 shapes[i].type, shapes[i].shell ? "true" : "false");
        pinion_model *m = world("", text);
        const pinion_inertia got = inertia_of(m, "x");
        CHECK_NEAR(got.mass, 10 * shapes[i].mass, 1e-13);
        CHECK_NEAR(got.inertia[0], 10 * shapes[i].x, 1e-13);
        CHECK_NEAR(got.inertia[5], 10 * shapes[i].z, 1e-13);
        pinion_model_free(m);
    }
}

/* Roots, free and ball joints, names. */
TEST(trees)
{
    pinion_model *m =
        world("", "<body name='a' pos='1 2 3' euler='0 0 90'><freejoint/>" UNIT "<body><joint type='ball' "
                  "damping='2'/>" UNIT "</body></body><body name='c'><joint/><joint type='slide'/>" UNIT
                  "<site name='c' pos='0 0 1'/><site name='d'/></body><geom type='plane' size='1 1 1'/>");
    double q[13], v[11];
    CHECK(pinion_model_nq(m) == 13 && pinion_model_nv(m) == 11);
    CHECK(joint_of(m, "a").type == PINION_JOINT_FREE && joint_of(m, "a").q_index == 0);
    CHECK(joint_of(m, "body2").type == PINION_JOINT_SPHERICAL);
    CHECK_NEAR(joint_of(m, "body2").dof[2].damping, 2, 0);
    CHECK(joint_of(m, "c.0").type == PINION_JOINT_CONTINUOUS &&
          joint_of(m, "c.1").type == PINION_JOINT_PRISMATIC);
    CHECK(pinion_model_find_link(m, "c.0") > 0 && pinion_model_find_frame(m, "site:c") > 0 &&
          pinion_model_find_frame(m, "d") > 0);
    CHECK_STATUS(pinion_initial(m, q, v), PINION_OK);
    CHECK_NEAR(q[0], sqrt(0.5), 1e-15);
    CHECK_NEAR(q[3], sqrt(0.5), 1e-15);
    CHECK_NEAR(q[5], 2, 0);
    pinion_model_free(m);
}

/* Bodies, joints and numbers of the file come first; what is then tied to what. */
TEST(ties)
{
    pinion_model *m = load(
        "<mujoco><compiler angle='radian'/><worldbody><body name='a'><joint name='i' ref='0.5'/>" UNIT
        "<site name='sa' pos='1 0 0'/></body><body name='b' pos='1 0 0'><joint name='j' type='slide'/>" UNIT
        "<site name='sb'/></body><body name='c' pos='0 1 0'><joint name='k'/>" UNIT "</body></worldbody>"
        "<tendon><fixed name='t'><joint joint='i' coef='2'/><joint joint='k' coef='-1'/></fixed><fixed "
        "name='u'><joint "
        "joint='k' coef='4'/></fixed><spatial name='line' stiffness='10' damping='1' "
        "springlength='0.25'><site site='sa'/>"
        "<site site='sb'/></spatial></tendon>"
        "<equality><connect name='con' body1='a' body2='b' anchor='1 0 0'/><weld name='i' site1='sa' "
        "site2='sb'/><joint "
        "name='gear' joint1='j' joint2='i' polycoef='0.1 3'/><joint joint1='k' polycoef='0.2'/><tendon "
        "tendon1='u' "
        "polycoef='0.4'/><joint joint1='j' joint2='k' polycoef='0 1 1'/><weld body1='a' "
        "active='false'/></equality>"
        "<actuator><motor name='m' joint='i' gear='5' ctrlrange='-2 3' forcerange='-1 10'/><motor tendon='t' "
        "gear='2'/><general "
        "name='g' joint='j' gainprm='-2' ctrlrange='0 1'/><position name='p' joint='k' kp='3' ctrlrange='-1 "
        "1' forcerange='-8 8'/>"
        "<motor name='th' site='sa' gear='1 2 3 4 5 6'/></actuator></mujoco>");
    pinion_model *rotor =
        load("<mujoco><worldbody><body><joint name='j' armature='0.3' damping='0.7'/>" UNIT
             "</body></worldbody><actuator><motor joint='j' gear='3' armature='2' damping='4'/>"
             "</actuator></mujoco>");
    CHECK_NEAR(joint_of(rotor, "j").dof[0].rotor_inertia, 18.3, 1e-14);
    CHECK_NEAR(joint_of(rotor, "j").dof[0].damping, 36.7, 1e-14);
    pinion_model_free(rotor);

    /* a filtered force is one with a lag; an integrated one has none that is known */
    pinion_actuator_info filtered, integrated;
    pinion_model *filter = load("<mujoco><worldbody><body><joint name='j'/>" UNIT
                                "</body></worldbody><actuator><general joint='j' dyntype='filter' dynprm='0.02' "
                                "gainprm='3'/>"
                                "<general joint='j' dyntype='integrator' gainprm='3'/></actuator></mujoco>");
    CHECK_STATUS(pinion_model_actuator(filter, 0, &filtered), PINION_OK);
    CHECK_STATUS(pinion_model_actuator(filter, 1, &integrated), PINION_OK);
    CHECK(filtered.dynamics.lag == 0.02 && integrated.dynamics.lag == 0);
    pinion_model_free(filter);
    pinion_loop_info loop;

    /* the point of the second body goes to that of the first one */
    pinion_model *weld =
        load("<mujoco><worldbody><body name='a'><joint/>" UNIT "</body><body name='b'><joint/>" UNIT
             "</body></worldbody><equality><weld name='w' body1='a' body2='b' anchor='0.3 0 0' "
             "relpose='1 2 0 1 0 0 0'/></equality></mujoco>");
    CHECK_STATUS(pinion_model_loop(weld, pinion_model_find_loop(weld, "w"), &loop), PINION_OK);
    CHECK_NEAR(loop.joint.parent_pose.position[1], 2, 0);
    CHECK_NEAR(loop.joint.child_pose.position[0], 0.3, 0);
    pinion_model_free(weld);
    CHECK(pinion_model_nv(m) == 3 && pinion_model_loop_count(m) == 6);
    CHECK_STATUS(pinion_model_loop(m, pinion_model_find_loop(m, "con"), &loop), PINION_OK);
    CHECK(loop.kind == PINION_LOOP_JOINT && loop.rows == 3);
    CHECK_NEAR(loop.joint.child_pose.position[0], 0, 1e-15);
    CHECK_STATUS(pinion_model_loop(m, pinion_model_find_loop(m, "equality:i"), &loop), PINION_OK);
    CHECK(loop.kind == PINION_LOOP_JOINT && loop.rows == 6);
    CHECK_STATUS(pinion_model_loop(m, pinion_model_find_loop(m, "gear"), &loop), PINION_OK);
    CHECK(loop.kind == PINION_LOOP_GEAR);
    CHECK_NEAR(loop.ratio, 3, 0);
    CHECK_NEAR(loop.motion.offset, 0.1 - 3 * 0.5, 1e-15);
    CHECK_STATUS(pinion_model_loop(m, pinion_model_find_loop(m, "joint3"), &loop), PINION_OK);
    CHECK(loop.kind == PINION_LOOP_DRIVE);
    CHECK_NEAR(loop.motion.offset, 0.2, 0);
    CHECK_STATUS(pinion_model_loop(m, pinion_model_find_loop(m, "tendon4"), &loop), PINION_OK);
    CHECK_NEAR(loop.motion.offset, 0.1, 1e-16);
    CHECK_STATUS(pinion_model_loop(m, pinion_model_find_loop(m, "line"), &loop), PINION_OK);
    CHECK(loop.kind == PINION_LOOP_SPRING);
    CHECK(has_warning(m, "polynomial is not linear") && has_warning(m, "softness of 5 equality constraints"));
    CHECK(has_warning(m, "is not active"));

    pinion_actuator_info act;
    CHECK(pinion_model_actuator_count(m) == 5);
    CHECK_STATUS(pinion_model_actuator(m, 0, &act), PINION_OK);
    CHECK_NEAR(act.gear, 5, 0);
    CHECK_NEAR(act.effort[0], -1, 0);
    CHECK_NEAR(act.effort[1], 3, 0);
    CHECK_STATUS(pinion_model_actuator(m, 1, &act), PINION_OK);
    CHECK(act.type == PINION_ACTUATOR_SUM && act.term_count == 2 && !strcmp(act.name, "actuator1"));
    CHECK_NEAR(act.term[0].factor, 4, 0);
    CHECK_NEAR(act.term[1].factor, -2, 0);
    CHECK_STATUS(pinion_model_actuator(m, 2, &act), PINION_OK);
    CHECK_NEAR(act.effort[0], -2, 0);
    CHECK_NEAR(act.effort[1], 0, 0);
    CHECK_STATUS(pinion_model_actuator(m, 3, &act), PINION_OK);
    CHECK_NEAR(act.effort[1], 8, 0);
    CHECK(has_warning(m, "the law of 1 position actuator is left out"));
    CHECK_STATUS(pinion_model_actuator(m, 4, &act), PINION_OK);
    CHECK(act.type == PINION_ACTUATOR_FRAME && act.wrench[0] == 4 && act.wrench[3] == 1);
    pinion_model_free(m);
}

/* What would change the motion and is left out is told; where that is asked for, it is an error. */
TEST(left_out)
{
    static const struct {
        const char *head, *body, *tail, *told;
    } cases[] = {
        {"<option density='1.2'/>", "", "", "the forces of the medium (density) are left out"},
        {"", "<body><joint type='ball' stiffness='1'/>" UNIT "</body>", "",
         "the spring of a ball joint is left out"},
        {"", "<body><joint type='ball' range='0 90'/>" UNIT "</body>", "", "range is left out"},
        {"", "<body><joint damping='1 2'/>" UNIT "</body>", "", "terms of higher order are left out"},
        {"", "<body><joint type='free' armature='1'/>" UNIT "</body>", "",
         "the armature of a free joint is left out"},
        {"", "<body><joint type='free' frictionloss='1'/>" UNIT "</body>", "",
         "the frictionloss of a free joint is left out"},
        {"", "<body><freejoint align='true'/>" UNIT "</body>", "", "align is left out"},
        {"", "<body mocap='true'/>", "", "a mocap body stands still"},
        {"", "<body><joint stifness='1'/>" UNIT "</body>", "", "an attribute stifness, which is not known"},
        {"", "<composite type='cable'/>", "", "<composite> in a body is left out"},
        {"", "", "<deformable><flex name='f'/></deformable>", "<flex> is left out"},
        {"", "", "<wormhole/>", "<wormhole> is not known"},
        {"", "<body><joint name='j'/>" UNIT "</body>",
         "<tendon><fixed name='t' stiffness='1' range='0 1'><joint joint='j' coef='1'/></fixed></tendon>",
         "of the tendon 't' are left out: range"},
        {"", "<body><joint name='j'/>" UNIT "</body>", "<actuator><muscle joint='j'/></actuator>",
         "1 muscle actuator is left out"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1000];
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_load_options o = pinion_load_options_default();
        snprintf(text, sizeof text, "<mujoco>%s<worldbody>%s</worldbody>%s</mujoco>", cases[i].head,
                 cases[i].body, cases[i].tail);
        pinion_model *m = load(text);
        if (m && !has_warning(m, cases[i].told)) CHECK_FAIL("%s is not told", cases[i].told);
        pinion_model_free(m);
        o.strict = 1;
        m = pinion_load_string(text, strlen(text), PINION_FORMAT_MJCF, "f", &o, &err);
        CHECK(!m && err.status == PINION_ERR_UNSUPPORTED);
        CHECK_HAS(err.message, cases[i].told);
        pinion_model_free(m);
    }
    pinion_model *m =
        load("<mujoco><worldbody><light/><camera/><camera/><body><joint range='0 1' margin='1'/>" UNIT
             "</body></worldbody><sensor><clock/></sensor><keyframe><key/></keyframe></mujoco>");
    CHECK(has_warning(m, "f: left out, as they have no part in dynamics: 1 sensor, 2 cameras, 1 light, 1 "
                         "keyframe, 1 margin of"));
    CHECK(pinion_model_warning_count(m) == 1);
    pinion_model_free(m);
}

/* What is drawn: the groups that MuJoCo shows. */
/* Springs and dampers that are given by a time constant and a damping ratio, with MuJoCo's own values. */
TEST(springs_by_time)
{
    pinion_model *m =
        load("<mujoco><worldbody><body name='a'><joint name='h' springdamper='0.2 0.7' armature='.1' ref='20' "
             "springref='10'/>"
             "<geom size='.1' mass='1' pos='1 0 0'/><body pos='.5 .5 0'><joint type='ball' name='b' "
             "springdamper='.3 1'/>"
             "<geom type='box' size='.1 .2 .3' mass='1' pos='0 .3 .1'/></body></body></worldbody></mujoco>");
    pinion_joint_info j;
    if (!m) return;
    CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, "h"), &j), PINION_OK);
    CHECK_NEAR(j.dof[0].stiffness, 70.09548838626043, 1e-12 * 70);
    CHECK_NEAR(j.dof[0].damping, 13.738715723707045, 1e-12 * 14);
    CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, "b"), &j), PINION_OK);
    for (int i = 0; i < 3; i++) CHECK_NEAR(j.dof[i].damping, 0.38912757734872633, 1e-12);
    CHECK(has_warning(m, "the spring of a ball joint is left out"));
    pinion_model_free(m);

    /* two joints about one axis: the inertia that each feels is not determined */
    m = load("<mujoco><worldbody><body><joint springdamper='1 1'/><joint/><geom size='.1'/></body></worldbody>"
             "</mujoco>");
    CHECK(has_warning(m, "springdamper of 1 joints is left out"));
    pinion_model_free(m);
}

/* Named keyframes are states; a free joint has its quaternion first here, and its velocity in its own axes. */
TEST(keyframes)
{
    pinion_model *m =
        load("<mujoco><worldbody><body name='a'><freejoint name='fly'/>" UNIT "<body name='b'><joint name='hinge' "
             "ref='10' axis='0 1 0'/>" UNIT "<body name='c'><joint name='ball' type='ball'/>" UNIT "</body></body>"
             "</body></worldbody><keyframe><key name='home' qpos='1 2 3 0.5 0.5 0.5 0.5 0.7 2 0 0 0' "
             "qvel='1 2 3 4 5 6 7 8 9 10'/><key name='still'/><key/></keyframe>"
             "</mujoco>");
    double q[12], v[10];
    CHECK(pinion_model_state_count(m) == 2 && pinion_model_find_state(m, "still") == 1);
    CHECK_STATUS(pinion_model_state(m, 0, q, v), PINION_OK);
    /* half a turn about (1, 1, 1) by 120 degrees: x, y, z of the body are y, z, x of the world */
    const double where[12] = {0.5, 0.5, 0.5, 0.5, 1, 2, 3, 0.7, 1, 0, 0, 0}, fast[10] = {4, 5, 6, 2, 3, 1, 7, 8, 9, 10};
    for (int i = 0; i < 12; i++) CHECK_NEAR(q[i], where[i], 1e-15);
    for (int i = 0; i < 10; i++) CHECK_NEAR(v[i], fast[i], 1e-14);
    CHECK_STATUS(pinion_model_state(m, 1, q, v), PINION_OK);
    CHECK(q[0] == 1 && v[3] == 0);
    CHECK_NEAR(q[7], 10 * 3.14159265358979323846 / 180, 1e-15); /* as drawn */
    CHECK(has_warning(m, "1 keyframe"));
    pinion_model_free(m);
}

TEST(looks)
{
    pinion_model *m = world(
        "<asset><mesh name='hull' file='a/b.stl' scale='2 2 2'/></asset><compiler meshdir='parts'/>",
        "<body name='x'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='box' size='1 2 3' "
        "rgba='1 0 0 0.5'/><geom type='mesh' mesh='hull'/><geom size='1' group='3'/></body>");
    pinion_visual_info v;
    CHECK(pinion_model_visual_count(m) == 2);
    CHECK_STATUS(pinion_model_visual(m, 0, &v), PINION_OK);
    CHECK(v.shape == PINION_SHAPE_BOX && v.size[2] == 6 && v.rgba[3] == 0.5);
    CHECK_STATUS(pinion_model_visual(m, 1, &v), PINION_OK);
    CHECK(v.shape == PINION_SHAPE_MESH && v.size[0] == 2 && !strcmp(v.mesh, "parts/a/b.stl"));
    pinion_model_free(m);
}

/* Bad files: the line, and what is wrong. */
TEST(malformed)
{
    static const struct {
        int line;
        const char *text, *message;
    } cases[] = {
        {1, "<mujoco>", "not well-formed XML"},
        {1, "<!DOCTYPE mujoco [<!ENTITY x 'y'>]><mujoco/>", "the DOCTYPE declares the entity"},
        {2, "<mujoco>\n<compiler angle='grad'/></mujoco>",
         "angle is \"grad\"; expected one of radian|degree"},
        {1, "<mujoco><compiler eulerseq='xyw'/></mujoco>", "eulerseq is"},
        {1, "<mujoco><compiler coordinate='global'/></mujoco>", "no longer part of the format"},
        {1, "<mujoco><default><default/></default></mujoco>", "has no class"},
        {1, "<mujoco><worldbody><body childclass='x'/></worldbody></mujoco>",
         "there is no default class 'x'"},
        {3, "<mujoco>\n<worldbody><body>\n<joint class='x'/></body></worldbody></mujoco>",
         "there is no default class 'x'"},
        {1, "<mujoco><worldbody><joint/></worldbody></mujoco>", "a joint of the world"},
        {1, "<mujoco><worldbody><body pos='1 2'/></worldbody></mujoco>", "has too few numbers; expected 3"},
        {2, "<mujoco><worldbody><body><joint/>\n<geom size='.1' mass='-1'/></body></worldbody></mujoco>",
         "<geom> has a mass of -1; expected 0 or more"},
        {2, "<mujoco><worldbody><body><joint/>\n<geom size='.1' density='-5'/></body></worldbody></mujoco>",
         "<geom> has a density of -5; expected 0 or more"},
        {1, "<mujoco><worldbody><body pos='1 2 x'/></worldbody></mujoco>", "'x' is not a finite number"},
        {1, "<mujoco><worldbody><body pos='1 2 nan'/></worldbody></mujoco>", "'nan' is not a finite number"},
        {1, "<mujoco><worldbody><body quat='0 0 0 0'/></worldbody></mujoco>", "has no direction"},
        {1, "<mujoco><worldbody><body quat='1 0 0 0' euler='0 0 0'/></worldbody></mujoco>", "2 orientations"},
        {1, "<mujoco><worldbody><body><joint axis='0 0 0'/></body></worldbody></mujoco>",
         "<joint axis> has no direction"},
        {1, "<mujoco><worldbody><body><body><freejoint/></body></body></worldbody></mujoco>",
         "a free joint of a body within"},
        {1, "<mujoco><worldbody><body><freejoint/><joint/></body></worldbody></mujoco>",
         "a free joint beside others"},
        {1, "<mujoco><worldbody><body><inertial pos='0 0 0'/></body></worldbody></mujoco>",
         "<inertial> has no mass"},
        {1, "<mujoco><worldbody><body><inertial pos='0 0 0' mass='-1'/></body></worldbody></mujoco>",
         "a negative mass"},
        {1, "<mujoco><worldbody><body><joint/><geom size='-1'/></body></worldbody></mujoco>",
         "a size that is not above 0"},
        {1, "<mujoco><worldbody><body><joint/><geom mesh='m'/></body></worldbody></mujoco>",
         "there is no mesh 'm'"},
        {0, "<mujoco><worldbody><body name='a'/><body name='a'/></worldbody></mujoco>",
         "two bodies are called 'a'"},
        {0, "<mujoco><worldbody><body><joint name='a'/><joint name='a'/></body></worldbody></mujoco>",
         "two joints are called"},
        {1, "<mujoco><equality><joint joint1='x'/></equality></mujoco>", "names nothing that is there"},
        {1, "<mujoco><actuator><motor joint='x'/></actuator></mujoco>", "acts on nothing that is there"},
        {1, "<mujoco><include file='x.xml'/></mujoco>", "but this model is in memory"},
        {1, "<mujoco><asset><model file='x.xml'/></asset></mujoco>", "but this model is in memory"},
        {1,
         "<mujoco><asset><mesh file='m.stl'/></asset><worldbody><body><joint/><geom "
         "mesh='m'/></body></worldbody></mujoco>",
         "but this model is in memory"},
        {1, "<mujoco><worldbody><replicate count='0'/></worldbody></mujoco>",
         "<replicate> has no good count"},
        {1,
         "<mujoco><worldbody><replicate count='9999'><replicate count='9999'><replicate count='9999'><geom "
         "size='1'/>"
         "</replicate></replicate></replicate></worldbody></mujoco>",
         "too many copies; expected at most 65536 elements"},
        {1,
         "<mujoco><compiler autolimits='false'/><worldbody><body><joint range='0 "
         "1'/></body></worldbody></mujoco>",
         "autolimits is false; expected limited"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        CHECK(!pinion_load_string(cases[i].text, strlen(cases[i].text), PINION_FORMAT_MJCF, "f", NULL, &err));
        CHECK_HAS(err.message, cases[i].message);
        if (err.line != cases[i].line && strcmp(cases[i].message, "not well-formed XML"))
            CHECK_FAIL("\"%s\" is of line %d, expected %d", err.message, err.line, cases[i].line);
        CHECK(
            !pinion_load_string(cases[i].text, strlen(cases[i].text), PINION_FORMAT_AUTO, NULL, NULL, NULL));
    }
    /* as many classes and defaults as nobody has, which would take hours to go through */
    for (int kind = 0; kind < 2; kind++) {
        const int many = kind ? 10001 : 65;
        char *text = malloc((size_t)many * 60 + 100), *end = text;
        pinion_error err = {PINION_OK, 0, 0, ""};
        end += snprintf(end, 60, "<mujoco><default>");
        for (int i = 0; i < many; i++)
            end += snprintf(end, 60, kind ? "<default class='c%d'/>" : "<geom group='%d'/>", i);
        end += snprintf(end, 60, "</default></mujoco>");
        CHECK(!pinion_load_string(text, (size_t)(end - text), PINION_FORMAT_MJCF, "f", NULL, &err));
        CHECK_HAS(err.message, kind ? "too many classes" : "more than 64 defaults one within the other");
        free(text);
    }
    pinion_model *m = load("<?xml version='1.0'?><!-- <robot> --><mujoco/>");
    pinion_error err = {PINION_OK, 0, 0, ""};
    char *text = pinion_save_string(m, PINION_FORMAT_MJCF, &err);
    CHECK(pinion_model_nv(m) == 0 && text && strstr(text, "<worldbody>"));
    pinion_free(text);
    pinion_model_free(m);
}

/* What MuJoCo refuses, each with its reason. */
TEST(refused_as_in_mujoco)
{
#define ARM "<body name='b'><joint name='j'/><geom size='.1'/><site name='s'/></body>"
    static const struct {
        const char *head, *bodies, *tail, *part;
    } list[] = {
        {"", ARM,
         "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed><fixed name='t'><joint joint='j' "
         "coef='1'/>"
         "</fixed></tendon>",
         "two tendons are called 't'"},
        {"", ARM, "<tendon><fixed name='t'/></tendon>", "expected one"},
        {"", ARM, "<tendon><spatial name='t'><site site='s'/></spatial></tendon>", "expected two at least"},
        {"", ARM, "<tendon><spatial name='t'><site site='s'/><site site='x'/></spatial></tendon>",
         "names nothing"},
        {"", ARM, "<equality><connect body1='b'/></equality>", "has no anchor"},
        {"", ARM, "<actuator><motor joint='j' ctrllimited='true'/></actuator>",
         "its ctrlrange does not go up"},
        {"", "<body><joint limited='true'/><geom size='.1'/></body>", "", "its range does not go up"},
        {"",
         "<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><inertial pos='0 0 0' mass='1' "
         "diaginertia='1 1 1'/></body>",
         "", "a second <inertial>"},
        {"", "<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body>", "",
         "above the sum of the others"},
        {"", "<body><inertial pos='0 0 0' mass='1' fullinertia='1 1 1 2 0 0'/></body>", "", "not above 0"},
        {"", "<body><inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' diaginertia='1 1 1'/></body>",
         "", "expected one of them"},
        {"", "<body><joint type='ball'/><joint/><geom size='.1'/></body>", "", "behind a ball joint"},
        {"", "<body mocap='true'><joint/><geom size='.1'/></body>", "", "a mocap body with a joint"},
        {"", "<body><body mocap='true'/></body>", "", "or in another body"},
        {"", "<body><joint/></body>", "", "a body that moves has no mass"},
        {"", "<body><joint/><body><joint/><geom size='.1'/></body></body>", "", "a body that moves has no mass"},
        {"", "<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 0'/></body>", "", "no moment of inertia"},
        {"", "<body><joint type='ball'/><joint type='slide'/><joint type='slide'/><joint type='slide'/>"
             "<joint type='slide'/><geom size='.1'/></body>", "", "more than 6 degrees of freedom"},
        {"", ARM, "<keyframe><key qpos='1 2'/></keyframe>", "<key> has 2 positions and 0 velocities; expected 1 and 1"},
        {"", ARM, "<keyframe><key ctrl='1'/></keyframe>", "<key> has 1 controls; expected 0"},
        {"", ARM, "<keyframe><key name='k' qvel='1 2'/></keyframe>", "<key> has 0 positions and 2 velocities"},
        {"", ARM, "<sensor><jointpos joint='x'/></sensor>", "<jointpos joint=\"x\"> names nothing"},
        {"", ARM, "<sensor><jointpos name='a' joint='j'/><jointvel name='a' joint='j'/></sensor>", "two sensors"},
        {"", ARM "<geom size='1' material='x'/>", "", "the material 'x', which is not there"},
        {"<default><site material='x'/></default>", ARM, "", "the material 'x', which is not there"},
        {"", ARM "<geom name='g' size='1'/><frame><geom name='g' size='1'/></frame>", "", "two geoms are called 'g'"},
        {"", ARM "<camera name='g'/><camera name='g'/>", "", "two cameras are called 'g'"},
        {"", ARM "<light name='g'/><light name='g'/>", "", "two lights are called 'g'"},
        {"", ARM "<frame name='g'/><frame name='g'/>", "", "two frames are called 'g'"},
        {"<asset><mesh name='m' file='a.stl'/><mesh name='m' file='b.stl'/></asset>", ARM, "",
         "two meshes are called 'm'"},
        {"<asset><material name='m'/><material name='m'/></asset>", ARM, "", "two materials are called 'm'"},
        {"<asset><material name='m' texture='t'/></asset>", ARM, "", "<material texture=\"t\"> names nothing"},
        {"<default><default class='a'/><default class='a'/></default>", ARM, "",
         "a second default class 'a'"},
        {"<option actuatorgroupdisable='31'/>", ARM, "", "whole numbers from 0 to 30"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char text[1000];
        pinion_error err = {PINION_OK, 0, 0, ""};
        snprintf(text, sizeof text, "<mujoco>%s<worldbody>%s</worldbody>%s</mujoco>", list[i].head,
                 list[i].bodies, list[i].tail);
        pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "f", NULL, &err);
        if (m) CHECK_FAIL("%s is read", text);
        if (!m) CHECK_HAS(err.message, list[i].part);
        pinion_model_free(m);
    }
    pinion_error err = {PINION_OK, 0, 0, ""};
    static const char moved[] = "<mujoco><worldbody pos='0 0 1'/></mujoco>";
    CHECK(pinion_load_string(moved, strlen(moved), PINION_FORMAT_AUTO, "f", NULL, &err) == NULL);
    CHECK_HAS(err.message, "<worldbody> has an attribute pos");
}

/* No attribute is passed over in silence, and actuators may be switched off by their group. */
TEST(attributes_and_groups)
{
    static const char *const unknown[] = {
        "<option foo='1'/>",
        "<option><flag foo='1'/></option>",
        "<default foo='1'/>",
        "<default><joint foo='1'/></default>",
        "<default><motor foo='1'/></default>",
        "<asset><mesh name='m' foo='1' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>",
        "<actuator><motor joint='j' foo='1'/></actuator>",
        "<actuator><motor joint='j' kp='1'/></actuator>",
        "<tendon><fixed foo='1'><joint joint='j' coef='1'/></fixed></tendon>",
        "<equality><connect body1='b' anchor='0 0 0' foo='1'/></equality>"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        pinion_model *m = world(unknown[i], ARM);
        if (!has_warning(m, i == 7 ? "an attribute kp" : "an attribute foo"))
            CHECK_FAIL("no word of %s", unknown[i]);
        pinion_model_free(m);
    }
    pinion_model *m =
        world("<option actuatorgroupdisable='1 3'/><actuator><motor name='x' joint='j' group='1'/>"
              "<motor name='y' joint='j' group='2'/></actuator>",
              ARM);
    CHECK(pinion_model_find_actuator(m, "x") < 0 && pinion_model_find_actuator(m, "y") == 0);
    pinion_model_free(m);

    /* only constraints that are made are said to be soft */
    m = world("<equality><joint joint1='j' polycoef='0 1 0 0 0'/><joint joint1='j' joint2='k' polycoef='0 0 "
              "1 0 0'/>"
              "</equality>",
              ARM "<body><joint name='k'/><geom size='.1'/></body>");
    CHECK(has_warning(m, "the softness of 1 equality constraint is"));
    pinion_model_free(m);
}

/* A chain of bodies is as deep as it is long. */
TEST(deep)
{
    for (int deep = 450; deep <= 600; deep += 150) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        char *text = malloc(100000), *s = text + sprintf(text, "<mujoco><worldbody>");
        for (int i = 0; i < deep; i++) s += sprintf(s, "<body><joint/><geom size='.1'/>");
        for (int i = 0; i < deep; i++) s += sprintf(s, "</body>");
        sprintf(s, "</worldbody></mujoco>");
        pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "f", NULL, &err);
        CHECK(deep == 450 ? m && pinion_model_nv(m) == 450 : !m);
        if (!m) CHECK_HAS(err.message, "nested too deep; expected at most 500");
        pinion_model_free(m);
        free(text);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(pendulum);
    RUN(open_ranges);
    RUN(reference);
    RUN(same);
    RUN(shapes);
    RUN(trees);
    RUN(ties);
    RUN(left_out);
    RUN(springs_by_time);
    RUN(keyframes);
    RUN(looks);
    RUN(malformed);
    RUN(refused_as_in_mujoco);
    RUN(attributes_and_groups);
    RUN(deep);
    return CHECK_END();
}
