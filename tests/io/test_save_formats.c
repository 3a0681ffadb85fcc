/* Models written as MJCF and SDF: what is read again moves as the model did, to rounding; what a format has no words
 * for is told, or an error. */
#include "check.h"

#include "pinion/pinion.h"

#define MOST 1e-12 /* rounding of poses and inertias that went through other frames */

static const pinion_format formats[2] = {PINION_FORMAT_MJCF, PINION_FORMAT_SDF};
static const char *const format_names[2] = {"MJCF", "SDF"};

/* The largest difference of two arrays over the largest entry, or over 1. */
static double off(int n, const double *a, const double *b)
{
    double most = 1, worst = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst / most;
}

/* Mass matrix, bias and, if wanted, passive forces of two models at the same states. */
static void check_motion(const char *what, const pinion_model *a, const pinion_model *b, int all)
{
    const pinion_model *m[2] = {a, b};
    const size_t nq = (size_t)pinion_model_nq(a), nv = (size_t)pinion_model_nv(a), size = 3 * nv + nv * nv;
    CHECK(pinion_model_nv(b) == (int)nv && pinion_model_nq(b) == (int)nq);
    if (pinion_model_nv(b) != (int)nv || pinion_model_nq(b) != (int)nq) return;
    for (uint64_t seed = 1; seed < 4; seed++) {
        double *q = calloc(nq + nv + 2 * size + 1, sizeof *q), *v = q + nq, *out[2] = {v + nv, v + nv + size};
        CHECK_STATUS(pinion_random(a, seed, q), PINION_OK);
        for (size_t i = 0; i < nv; i++) v[i] = cos((double)(seed + 3 * i));
        for (int k = 0; k < 2; k++) {
            pinion_work *w = pinion_work_new(m[k]);
            pinion_elements *x = pinion_elements_new(m[k]);
            double *bias = out[k], *passive = bias + nv, *loops = passive + nv;
            CHECK_STATUS(pinion_inverse_dynamics(m[k], w, q, v, NULL, NULL, bias), PINION_OK);
            CHECK_STATUS(pinion_passive_forces(m[k], w, q, v, passive), PINION_OK);
            CHECK_STATUS(pinion_elements_forces(x, w, q, v, passive, passive, passive, NULL), PINION_OK);
            if (pinion_model_loop_count(m[k]))
                CHECK_STATUS(pinion_loop_active_forces(m[k], w, q, v, NULL, 1, loops, NULL), PINION_OK);
            for (size_t i = 0; i < nv; i++) passive[i] += loops[i], loops[i] = 0;
            CHECK_STATUS(pinion_mass_matrix(m[k], w, q, loops + nv), PINION_OK);
            pinion_elements_free(x);
            pinion_work_free(w);
        }
        const double worst = fmax(off((int)nv, out[0], out[1]),
                                  fmax(all ? off((int)nv, out[0] + nv, out[1] + nv) : 0,
                                       off((int)(nv * nv), out[0] + 3 * nv, out[1] + 3 * nv)));
        if (!(worst <= MOST)) CHECK_FAIL("%s is off by %g", what, worst);
        free(q);
    }
}

static void check_same(const char *what, const pinion_model *a, const pinion_model *b)
{
    check_motion(what, a, b, 1);
}

/* Written and read again; NULL where it is refused. */
static pinion_model *again(const pinion_model *m, int format, char **told, pinion_error *err)
{
    char *text = pinion_save_string_telling(m, formats[format], told, err);
    if (!text) return NULL;
    pinion_model *out = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, NULL, NULL, err);
    if (!out) CHECK_FAIL("%s: %s\n%s", pinion_model_name(m), err->message, text);
    pinion_free(text);
    return out;
}

/* The models that come with the library. Those with rods of no thickness no program takes in these formats. */
TEST(bundled)
{
    static const struct {
        const char *name;
        int written[2]; /* 2: without a loss of dynamics */
    } list[] = {{"arm-6dof", {2, 2}},      {"arm-7dof", {2, 2}},
                {"cart-pole", {2, 2}},     {"planar-2r", {2, 2}},
                {"stanford", {2, 2}},      {"bricard", {2, 2}},
                {"stewart", {2, 1}},       {"delta", {2, 1}},
                {"flyball-governor", {1, 1}}, {"spatial-slider-crank", {2, 1}},
                {"four-bar", {0, 0}},      {"planar-3r", {0, 0}},
                {"puma560-corke", {0, 0}}, {"andrews-squeezer", {0, 0}}};
    const char *folder = getenv("PINION_MODELS");
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char path[1200];
        pinion_error err = {PINION_OK, 0, 0, ""};
        snprintf(path, sizeof path, "%s/%s.json", folder ? folder : "models", list[i].name);
        pinion_model *m = pinion_load(path, NULL, &err);
        CHECK(m != NULL);
        for (int f = 0; m && f < 2; f++) {
            char *told = NULL, *strict = pinion_save_string(m, formats[f], &err);
            CHECK((strict != NULL) == (list[i].written[f] == 2));
            if (!strict) CHECK(err.status == PINION_ERR_UNSUPPORTED);
            pinion_free(strict);
            pinion_model *back = again(m, f, &told, &err);
            CHECK((back != NULL) == (list[i].written[f] > 0));
            if (!back) CHECK_HAS(err.message, format_names[f]);
            if (list[i].written[f] == 1) CHECK(told && strstr(told, "left out"));
            if (back && list[i].written[f] == 2) check_same(list[i].name, m, back);
            pinion_free(told);
            pinion_model_free(back);
        }
        pinion_model_free(m);
    }
}

/* Trees of every joint type, with free bases: refused, or the same. */
TEST(random_trees)
{
    static const char *const lost[] = {"rotor", "velocities are counted", "coordinates are those"};
    int written[2] = {0, 0};
    for (uint64_t seed = 1; seed <= 120; seed++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_model *m = seed % 5 ? pinion_random_tree(1 + (int)(seed % 3), (int)(seed % 2), seed, &err)
                                   : pinion_random_chain(9, seed, &err);
        CHECK(m != NULL);
        for (int f = 0; m && f < 2; f++) {
            char *told = NULL;
            pinion_model *back = again(m, f, &told, &err);
            if (!back) CHECK(err.status == PINION_ERR_UNSUPPORTED);

            /* friction that differs by direction is lost; rotors, and other coordinates, would show in M */
            int shows = 0;
            for (size_t k = 0; told && k < sizeof lost / sizeof lost[0]; k++) shows += strstr(told, lost[k]) != NULL;
            if (back && !shows) check_motion(format_names[f], m, back, !told);
            written[f] += back && !shows;
            pinion_free(told);
            pinion_model_free(back);
        }
        pinion_model_free(m);
    }
    if (!(written[0] > 50 && written[1] > 35)) CHECK_FAIL("only %d and %d of 120 are written", written[0], written[1]);
}

/* All that MJCF says of a model comes back. */
static const char full[] =
    "<mujoco model='full'><compiler angle='radian'/><option gravity='0 1 -3'/><worldbody>"
    "<body name='a' pos='1 2 3' quat='0.5 0.5 0.5 0.5'><freejoint name='f'/><inertial pos='.1 0 0' mass='2' "
    "fullinertia='1 1.1 1.2 .1 .05 .02'/><site name='s' pos='.3 0 .1' euler='.1 .2 .3'/><geom type='capsule' "
    "size='.1 .2'/>"
    "<body name='b' pos='.5 0 0' gravcomp='.25'><joint name='h' axis='1 2 0' pos='.1 .2 0' ref='.3' springref='.1' "
    "stiffness='4' damping='.2' armature='.3' frictionloss='.1' range='-1 2'/><joint name='l' type='slide' "
    "axis='0 0 1' "
    "actuatorfrcrange='-5 5'/><inertial pos='0 0 .2' mass='1' diaginertia='.1 .2 .15'/><site name='b'/></body></body>"
    "<body name='c' pos='0 1 0'><joint name='k' type='ball' pos='0 0 .1' damping='.5'/><inertial pos='0 .1 0' "
    "mass='3' "
    "diaginertia='.1 .2 .15'/><site name='t'/></body></worldbody>"
    "<tendon><fixed name='x' stiffness='2' damping='.1'><joint joint='h' coef='2'/><joint joint='l' coef='-1'/>"
    "</fixed>"
    "<spatial name='y' stiffness='3' springlength='.1 .2'><site site='s'/><site site='t'/><pulley divisor='2'/><site "
    "site='s'/><site site='b'/></spatial><spatial name='z' stiffness='1'><site site='s'/><site site='t'/>"
    "</spatial></tendon>"
    "<equality><connect name='e' site1='s' site2='t'/><weld name='w' site1='b' site2='t'/><joint name='g' joint1='h' "
    "joint2='l' polycoef='.1 2 0 0 0'/><joint name='d' joint1='l' polycoef='.2 0 0 0 0'/><joint name='i' joint1='l' "
    "joint2='h' polycoef='.1 .2 -.3 .4 .5'/></equality>"
    "<actuator><motor name='m' joint='h' gear='3' forcerange='-2 4'/><general name='n' joint='l' dyntype='"
    "filterexact' "
    "dynprm='.05'/><motor name='o' tendon='x' gear='2'/><motor name='p' site='s' gear='0 0 1 0 0 .1'/><motor "
    "name='q' "
    "joint='k' gear='0 1 0'/></actuator>"
    "<keyframe><key name='home' qpos='1 2 3 1 0 0 0 .4 .5 0.6 0.8 0 0' qvel='1 2 3 4 5 6 7 8 9 10 11'/>"
    "</keyframe></mujoco>";

TEST(everything_of_mjcf)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(full, strlen(full), PINION_FORMAT_AUTO, NULL, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    if (!m) return;
    char *told = NULL;
    pinion_model *back = again(m, 0, &told, &err);
    CHECK(back != NULL && !told);
    if (told) printf("%s", told);
    if (back) {
        check_same("full", m, back);
        CHECK(pinion_model_loop_count(back) == pinion_model_loop_count(m));
        CHECK(pinion_model_frame_count(back) == pinion_model_frame_count(m));
        CHECK(pinion_model_visual_count(back) == pinion_model_visual_count(m));
        CHECK(pinion_model_actuator_count(back) == 5 && pinion_model_tendon_count(back) == 3);
        CHECK(pinion_model_find_frame(back, "site:b") >= 0);
        double q[2][14], v[2][11];
        CHECK_STATUS(pinion_model_state(m, 0, q[0], v[0]), PINION_OK);
        CHECK_STATUS(pinion_model_state(back, 0, q[1], v[1]), PINION_OK);
        CHECK(off(pinion_model_nq(m), q[0], q[1]) < MOST && off(11, v[0], v[1]) < MOST);

        /* the forces of actuators, the rows of loops, and where it starts */
        pinion_work *w[2] = {pinion_work_new(m), pinion_work_new(back)};
        double B[2][11 * 5], L[2][40 * 11], phi[2][40], start[2][14];
        const pinion_model *both[2] = {m, back};
        for (int k = 0; k < 2; k++) {
            const pinion_constraints parts = {.phi = phi[k], .L = L[k]};
            CHECK_STATUS(pinion_actuation_matrix(both[k], w[k], q[0], B[k]), PINION_OK);
            CHECK(pinion_model_row_count(both[k]) <= 40);
            CHECK_STATUS(pinion_constraints_at(both[k], w[k], 0, q[0], v[0], &parts), PINION_OK);
            for (int i = 0; i < pinion_model_joint_count(both[k]); i++) {
                pinion_joint_info j;
                CHECK_STATUS(pinion_model_joint(both[k], i, &j), PINION_OK);
                for (int c = 0; c < j.nq; c++) start[k][j.q_index + c] = j.initial_q[c];
            }
            pinion_work_free(w[k]);
        }
        CHECK(off(11 * 5, B[0], B[1]) < MOST);
        CHECK(off(pinion_model_row_count(m), phi[0], phi[1]) < MOST);
        CHECK(off(11 * pinion_model_row_count(m), L[0], L[1]) < MOST);
        CHECK(off(pinion_model_nq(m), start[0], start[1]) < MOST);
    }
    pinion_free(told);
    pinion_model_free(back);

    /* SDF has no links without mass between two joints */
    CHECK(!again(m, 1, &told, &err));
    CHECK_HAS(err.message, "link 'b.0' has no mass and is not fixed to another, which SDF cannot express");
    pinion_free(told);
    pinion_model_free(m);
}

TEST(what_sdf_has_not)
{
    static const char text[] =
        "<mujoco model='less'><worldbody><body name='a'><joint name='h' armature='1'/><inertial pos='0 0 0' mass='2' "
        "diaginertia='1 1 1'/><body name='b' gravcomp='.5'><joint name='i'/><inertial pos='0 0 0' mass='2' "
        "diaginertia="
        "'1 1 1'/></body></body></worldbody><tendon><fixed name='x' stiffness='2'><joint joint='h' coef='2'/>"
        "</fixed><fixed "
        "name='y' stiffness='2'><joint joint='h' coef='2'/></fixed></tendon><actuator><motor name='m' joint='h'"
        "/></actuator>"
        "<keyframe><key name='home' qpos='1 2'/></keyframe></mujoco>";
    pinion_error err = {PINION_OK, 0, 0, ""};
    char *told = NULL;
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, NULL, NULL, &err), *back;
    CHECK(m != NULL);
    if (!m) return;
    CHECK(!pinion_save_string(m, PINION_FORMAT_SDF, &err));
    CHECK_HAS(err.message, "since SDF cannot express it");
    back = again(m, 1, &told, &err);
    CHECK(back != NULL);
    CHECK_HAS(told, "tendon 'x' and 1 other: it is left out, since SDF cannot express it\n");
    CHECK_HAS(told, "actuator 'm': it is left out");
    CHECK_HAS(told, "joint 'h': its rotor is left out");
    CHECK_HAS(told, "link 'b': that a part of its weight is carried is left out");
    CHECK_HAS(told, "state 'home': it is left out");
    pinion_free(told);
    pinion_model_free(back);
    pinion_model_free(m);
}

/* All that SDF says of a model comes back, through MJCF where that can say it. */
static const char sdf[] =
    "<sdf version='1.11'><world name='w'><gravity>0 0 -1.5</gravity><frame name='mark'><pose>1 2 3 0 0 0</pose>"
    "</frame>"
    "<model name='r'><link name='a'><gravity>false</gravity><inertial><pose>.1 0 0 0 0 0</pose><mass>2</mass>"
    "<inertia>"
    "<ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>.1</ixy></inertia></inertial></link><link name='b'><pose>0 0 1 .1 "
    ".2 .3</pose>"
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial><visual name='v'>"
    "<geometry><box><size>1 2 3</size></box></geometry></visual></link><link name='c'><inertial><mass>1</mass>"
    "<inertia>"
    "<ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link><link name='d'/><link name='e'>"
    "<collision name='shell'><geometry><sphere><radius>1</radius></sphere></geometry></collision></link>"
    "<joint name='fix' type='fixed'><parent>world</parent><child>a</child></joint>"
    "<joint name='j' type='revolute'><pose>0 .1 0 .3 0 0</pose><parent>a</parent><child>b</child><axis><xyz>0 1 "
    "0</xyz>"
    "<limit><lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4</velocity></limit><dynamics><damping>"
    ".5</damping>"
    "<friction>.1</friction><spring_stiffness>2</spring_stiffness><spring_reference>.3</spring_reference>"
    "</dynamics></axis>"
    "</joint><joint name='k' type='continuous'><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz><mimic "
    "joint='j'>"
    "<multiplier>2</multiplier><offset>.1</offset></mimic></axis></joint>"
    "<joint name='s' type='screw'><parent>b</parent><child>d</child><screw_thread_pitch>.2</screw_thread_pitch><axis>"
    "<xyz>1 0 0</xyz></axis></joint><joint name='o' type='ball'><parent>b</parent><child>e</child><axis><dynamics>"
    "<damping>.7</damping></dynamics></axis></joint>"
    "<frame name='tool' attached_to='c'><pose>0 0 .2 0 0 0</pose></frame></model>"
    "</world></sdf>";

TEST(everything_of_sdf)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(sdf, strlen(sdf), PINION_FORMAT_AUTO, NULL, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    if (!m) return;
    char *told = NULL;
    CHECK(pinion_model_nv(m) == 5 && pinion_model_has_elements(m));
    pinion_model *back = again(m, 1, &told, &err);
    if (back) {
        check_same("sdf", m, back);
        CHECK(pinion_model_find_frame(back, "mark") >= 0);
        CHECK(pinion_model_visual_count(back) == 1);
        pinion_collision_info shell;
        pinion_joint_info ball;
        CHECK_STATUS(pinion_model_collision(back, 0, &shell), PINION_OK);
        CHECK_HAS(shell.name, "::shell");
        const pinion_status found = pinion_model_joint(back, pinion_model_find_joint(back, "w::r__o"), &ball);
        CHECK_STATUS(found, PINION_OK);
        for (int i = 0; i < 3 && found == PINION_OK; i++) CHECK(ball.dof[i].damping == 0.7);
    }
    CHECK(back != NULL && told && !strstr(told, "collision") && !strstr(told, "damping"));
    pinion_model_free(back);
    pinion_free(told);

    /* a screw is nothing that MJCF knows */
    CHECK(!again(m, 0, &told, &err));
    CHECK_HAS(err.message, "is helical, which MJCF cannot express");
    pinion_free(told);
    pinion_model_free(m);
}

/* Collisions come back; what a format has no words for is told. */
TEST(collisions)
{
    static const char text[] =
        "<mujoco model='c'><worldbody><geom name='floor' type='plane' size='2 3 1'/><body name='a'><joint/><inertial "
        "pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom name='g' type='capsule' size='.1 .2' pos='1 2 3' "
        "euler='0 30 0' "
        "friction='.5 .1 .2' condim='4' margin='.01'/><geom name='h' type='ellipsoid' size='.1 .2 .3' contype='2' "
        "conaffinity='5'/><body name='tip' pos='0 0 1'><geom type='box' size='.1 .2 .3'/></body></body></worldbody>"
        "<contact><pair geom1='floor' geom2='g' friction='.7'/><exclude body1='world' body2='a'/></contact></mujoco>";
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, NULL, NULL, &err);
    CHECK(m && pinion_model_collision_count(m) == 4);
    for (int f = 0; m && f < 2; f++) {
        char *told = NULL;
        pinion_model *back = again(m, f, &told, &err);
        CHECK(back && (told != NULL) == f);
        if (!back) continue;
        check_same("collisions", m, back);
        CHECK(pinion_model_collision_count(back) == (f ? 3 : 4)); /* SDF has no ground in a model */
        CHECK(pinion_model_collision_pair_count(back) == !f && pinion_model_exclusion_count(back) == !f);
        for (int i = 0; i < 3; i++) {
            pinion_collision_info a, b;
            CHECK_STATUS(pinion_model_collision(m, i + 1, &a), PINION_OK);
            CHECK_STATUS(pinion_model_collision(back, i + !f, &b), PINION_OK);
            CHECK(a.shape == b.shape && a.group == b.group && a.category == b.category && a.mask == b.mask);
            for (int k = 0; k < 3; k++) CHECK_NEAR(a.size[k], b.size[k], 1e-15);
            if (!f || i < 2) CHECK(off(12, a.pose.position, b.pose.position) < MOST);
            CHECK(a.friction[0] == b.friction[0] && (f || (a.friction[2] == b.friction[2] && a.margin == b.margin)));
        }
        pinion_free(told);
        pinion_model_free(back);
    }
    pinion_model_free(m);
}

/* Names that a format keeps for itself, or that are there twice for it, and what is in them. */
/* Models of a world that touch each other do so again, as one model that may touch itself; friction that is not said is
 * what it counts as here. */
TEST(models_that_touch)
{
    static const char text[] =
        "<sdf version='1.9'><world name='w'><model name='a'><link name='l'><inertial><mass>1</mass></inertial>"
        "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry></collision></link></model>"
        "<model name='b'><link name='l'><inertial><mass>1</mass></inertial>"
        "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision></link></model>"
        "</world></sdf>";
    static const char ball[] = "{\"pinion\": 1, \"links\": [{\"name\": \"b\"}, {\"name\": \"k\", \"mass\": 1, "
                               "\"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}, \"collisions\": "
                               "[{\"shape\": \"sphere\", \"radius\": 1}]}], \"joints\": [{\"name\": \"j\", \"type\": "
                               "\"revolute\", \"parent\": \"b\", \"child\": \"k\"}]}";
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, NULL, NULL, &err);
    CHECK(m && pinion_model_may_collide(m, 0, 1));
    pinion_model *n = pinion_load_string(ball, strlen(ball), PINION_FORMAT_AUTO, NULL, NULL, &err);
    CHECK(n != NULL);
    for (int f = 0; m && n && f < 2; f++) {
        char *told = NULL;
        pinion_model *back = again(m, f, &told, &err);
        CHECK(back && pinion_model_may_collide(back, 0, 1));
        pinion_free(told);
        pinion_model_free(back);
        pinion_collision_info c = {0};
        told = NULL;
        back = again(n, f, &told, &err);
        CHECK(back && pinion_model_collision(back, 0, &c) == PINION_OK && c.friction[0] == PINION_FRICTION);
        pinion_free(told);
        pinion_model_free(back);
    }
    pinion_model_free(m);
    pinion_model_free(n);
}

TEST(names)
{
    static const char text[] =
        "{\"pinion\": 1, \"name\": \"n\", \"links\": [{\"name\": \"base\"}, {\"name\": \"x\", \"mass\": 1, "
        "\"inertia\": {\"xx\":"
        "1, \"yy\": 1, \"zz\": 1}}, {\"name\": \"a::b<&\\\"> é\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": "
        "1, \"zz\": 1}}],"
        "\"joints\": [{\"name\": \"x\", \"type\": \"continuous\", \"parent\": \"base\", \"child\": \"x\"}, "
        "{\"name\": \"__y__\","
        "\"type\": \"prismatic\", \"parent\": \"x\", \"child\": \"a::b<&\\\"> é\"}]}";
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, NULL, NULL, &err);
    CHECK(m != NULL);
    for (int f = 0; m && f < 2; f++) {
        char *told = NULL;
        pinion_model *back = again(m, f, &told, &err);
        CHECK(back != NULL);
        if (back) check_same("names", m, back);
        if (back) CHECK(pinion_model_find_joint(back, f ? "n::x_joint" : "x") >= 0);
        if (back) CHECK(pinion_model_find_link(back, f ? "n::a__b<&\"> é" : "a::b<&\"> é") >= 0);
        pinion_free(told);
        pinion_model_free(back);
    }
    pinion_model_free(m);
    CHECK(!pinion_save_string(NULL, PINION_FORMAT_MJCF, &err) && err.status == PINION_ERR_ARGUMENT);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(bundled);
    RUN(random_trees);
    RUN(everything_of_mjcf);
    RUN(what_sdf_has_not);
    RUN(everything_of_sdf);
    RUN(collisions);
    RUN(models_that_touch);
    RUN(names);
    return CHECK_END();
}
