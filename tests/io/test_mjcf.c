/* What MJCF means: each feature against values worked out by hand, or against a plainer file that says the
 * same. */
#include "io/mjcf_text.h"

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
        {"total mass of what is not fused with the world",
         {"<compiler settotalmass='6' fusestatic='true'/>", ""},
         {"<body name='s'>" UNIT "<body name='x'><joint/>" UNIT "<body name='on x'>" UNIT "</body></body></body>",
          "<body name='s'><body name='x'><joint/><inertial pos='0 0 0' mass='3' diaginertia='3 3 3'/><body name='on x'>"
          "<inertial pos='0 0 0' mass='3' diaginertia='3 3 3'/></body></body></body>"}},
        {"a free joint has no limits",
         {"<default><joint limited='true'/></default>", ""},
         {"<body name='x'><joint type='free'/>" UNIT "</body>", "<body name='x'><freejoint/>" UNIT "</body>"}},
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
    CHECK(pinion_model_find_tendon(m, "line") == 0); /* a passive force, as all tendons */
    CHECK_STATUS(pinion_model_loop(m, pinion_model_find_loop(m, "joint5"), &loop), PINION_OK);
    CHECK(loop.kind == PINION_LOOP_GEAR && loop.ratio == 1 && loop.curve[0] == 1 && loop.curve[1] == 0);
    CHECK(has_warning(m, "softness of 6 equality constraints"));
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
    CHECK(act.law.gain == 3 && act.law.bias[1] == -3 && act.law.control[1] == 1 && !has_warning(m, "the law of"));
    CHECK_STATUS(pinion_model_actuator(m, 4, &act), PINION_OK);
    CHECK(act.type == PINION_ACTUATOR_FRAME && act.wrench[0] == 4 && act.wrench[3] == 1);
    pinion_model_free(m);
}

/* Tendons that go over two joints together are gears: the sum of coef (q - ref) is what the constraint says. */
TEST(tied_tendons)
{
    pinion_model *m = load(
        "<mujoco><compiler angle='radian'/><worldbody><body name='a'><joint name='i' ref='.5'/>" UNIT "</body><body "
        "name='b'><joint name='j' ref='-.25'/>" UNIT "</body><body name='c'><joint name='k'/>" UNIT
        "</body></worldbody><tendon><fixed name='two'><joint joint='i' coef='2'/><joint joint='j' coef='-4'/>"
        "</fixed><fixed name='one'>"
        "<joint joint='j' coef='3'/></fixed><fixed name='three'><joint joint='i' coef='1'/><joint joint='j' coef='1'/>"
        "<joint joint='k' coef='1'/></fixed><fixed name='last'><joint joint='i' coef='-2'/></fixed></tendon>"
        "<equality><tendon name='x' tendon1='two' polycoef='.1'/><tendon "
        "name='y' tendon1='two' tendon2='one' polycoef='.2 2'/><tendon name='z' tendon1='three'/><tendon name='w' "
        "tendon1='two' tendon2='one' polycoef='0 1 0 1'/><tendon name='v' tendon1='one' tendon2='last' "
        "polycoef='.1 0 .2 .3 .4'/></equality></mujoco>");
    pinion_loop_info x, y;
    CHECK(pinion_model_loop_count(m) == 3);
    CHECK_STATUS(pinion_model_loop(m, pinion_model_find_loop(m, "x"), &x), PINION_OK);
    CHECK_STATUS(pinion_model_loop(m, pinion_model_find_loop(m, "y"), &y), PINION_OK);
    CHECK(x.kind == PINION_LOOP_GEAR && y.kind == PINION_LOOP_GEAR);
    CHECK(x.second == pinion_model_find_joint(m, "i") && x.first == pinion_model_find_joint(m, "j"));
    /* 2 (i - .5) - 4 (j + .25) = .1; 2 (i - .5) - 4 (j + .25) = .2 + 2 * 3 (j + .25) */
    CHECK_NEAR(x.ratio, 2, 1e-15);
    CHECK_NEAR(x.motion.offset, .05 + .5 + 2 * .25, 1e-15);
    CHECK_NEAR(y.ratio, 5, 1e-15);
    CHECK_NEAR(y.motion.offset, .1 + .5 + 5 * .25, 1e-15);
    CHECK(has_warning(m, "'z' is left out: its tendon goes over more than two joints"));
    CHECK(has_warning(m, "'w' is left out: its polynomial is not linear"));

    /* 3 (j + .25) = .1 + .2 y^2 + .3 y^3 + .4 y^4, y = -2 (i - .5): the same at any i */
    CHECK_STATUS(pinion_model_loop(m, pinion_model_find_loop(m, "v"), &x), PINION_OK);
    CHECK(x.second == pinion_model_find_joint(m, "j") && x.first == pinion_model_find_joint(m, "i"));
    for (double i = -2; i < 2.1; i += 0.5) {
        const double t = -2 * (i - .5), y0 = (.1 + t * t * (.2 + t * (.3 + t * .4))) / 3 - .25;
        const double ours = x.motion.offset + i * (x.ratio + i * (x.curve[0] + i * (x.curve[1] + i * x.curve[2])));
        CHECK_NEAR(ours, y0, 1e-13);
    }
    pinion_model_free(m);
}

/* Armature and friction of a tendon over one joint are that joint's, by its coefficient. */
TEST(tendons_over_one_joint)
{
    pinion_model *m = load("<mujoco><worldbody><body><joint name='j' armature='.1' frictionloss='.3'/>" UNIT
                           "</body></worldbody><tendon><fixed name='t' armature='2' frictionloss='.5'>"
                           "<joint joint='j' coef='-3'/></fixed></tendon></mujoco>");
    if (!m) return;
    const pinion_joint_info j = joint_of(m, "j");
    CHECK_NEAR(j.dof[0].rotor_inertia, .1 + 2 * 9, 1e-14);
    CHECK_NEAR(j.dof[0].friction_positive, .3 + .5 * 3, 1e-15);
    CHECK_NEAR(j.dof[0].friction_negative, .3 + .5 * 3, 1e-15);
    CHECK(!has_warning(m, "of the tendon"));
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
    for (int i = 0; i < 3; i++) CHECK_NEAR(j.dof[i].stiffness, 0.6485459622478772, 1e-12);
    CHECK(!has_warning(m, "spring"));
    pinion_model_free(m);

    /* the damping of an actuator comes on top of it: MuJoCo has 2 I / t + gear^2 d, with I = 1 kg m^2 */
    m = load("<mujoco><worldbody><body><joint name='h' damping='9' springdamper='.5 1'/>" UNIT "</body></worldbody>"
             "<actuator><motor joint='h' gear='3' damping='.25'/></actuator></mujoco>");
    CHECK_STATUS(pinion_model_joint(m, 0, &j), PINION_OK);
    CHECK_NEAR(j.dof[0].damping, 4 + 2.25, 1e-14);
    pinion_model_free(m);

    /* two joints about one axis: the inertia that each feels is not determined */
    m = load("<mujoco><worldbody><body><joint springdamper='1 1'/><joint/><geom size='.1'/></body></worldbody>"
             "</mujoco>");
    CHECK(has_warning(m, "springdamper of 1 joints is left out"));
    pinion_model_free(m);
}

/* A tendon between two sites that never move against each other pulls at nothing, and is no error. */
TEST(tendons_within_a_body)
{
    pinion_model *m =
        load("<mujoco><worldbody><body name='a'><joint/>" UNIT "<site name='p'/><site name='q' pos='1 0 0'/>"
             "<body name='b'>" UNIT "<site name='r' pos='0 1 0'/></body></body></worldbody>"
             "<tendon><spatial name='s' stiffness='5'><site site='p'/><site site='q'/></spatial>"
             "<spatial name='t' stiffness='5' springlength='.1'><site site='p'/>"
             "<site site='r'/></spatial></tendon></mujoco>");
    pinion_work *w = pinion_work_new(m);
    pinion_elements *x = pinion_elements_new(m);
    double q = 1, v = 1, tau = 0;
    CHECK(w && x && pinion_model_tendon_count(m) == 2);
    CHECK_STATUS(pinion_elements_forces(x, w, &q, &v, &tau, &tau, NULL, NULL), PINION_OK);
    CHECK_NEAR(tau, 0, 1e-14);
    pinion_elements_free(x);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* The range of a tendon is its limits, with a spring or without one. */
TEST(ranges_of_tendons)
{
    static const char text[] =
        "<mujoco>%s<worldbody><site name='p'/><body name='a'><joint name='i'/>" UNIT
        "<site name='q' pos='1 0 0'/></body></worldbody><tendon>"
        "<spatial name='s' stiffness='%d' springlength='.1' range='0 .3'><site site='p'/><site "
        "site='q'/></spatial><fixed name='f' limited='true' range='-1 2'><joint joint='i' coef='2'/></fixed><fixed "
        "name='n' limited='false' range='-1 2'><joint joint='i' coef='2'/></fixed></tendon></mujoco>";
    for (int stiffness = 0; stiffness < 2; stiffness++) {
        char file[1000];
        pinion_tendon_info t;
        snprintf(file, sizeof file, text, "", stiffness);
        pinion_model *m = load(file);
        CHECK(pinion_model_tendon_count(m) == 2 && pinion_model_loop_count(m) == 0 && !has_warning(m, "tendon"));
        CHECK_STATUS(pinion_model_tendon(m, pinion_model_find_tendon(m, "s"), &t), PINION_OK);
        CHECK(t.limits[0] == 0 && t.limits[1] == .3 && t.stiffness == stiffness && t.rest[1] == .1);
        CHECK_STATUS(pinion_model_tendon(m, pinion_model_find_tendon(m, "f"), &t), PINION_OK);
        CHECK(t.limits[0] == -1 && t.limits[1] == 2 && t.stiffness == 0);
        pinion_model_free(m);
        snprintf(file, sizeof file, text, "<option><flag limit='disable'/></option>", stiffness);
        m = load(file);
        CHECK(pinion_model_tendon_count(m) == stiffness && pinion_model_loop_count(m) == 0);
        pinion_model_free(m);
    }
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
    RUN(tied_tendons);
    RUN(tendons_over_one_joint);
    RUN(springs_by_time);
    RUN(tendons_within_a_body);
    RUN(ranges_of_tendons);
    RUN(keyframes);
    RUN(looks);
    return CHECK_END();
}
