/* URDF: what the elements mean, and writing what was read. */
#include "check.h"
#include "pinion/pinion.h"
#include "urdf_sample.h"

#include <dirent.h>

static pinion_model *load(const char *text, pinion_error *err)
{
    return pinion_load_string(text, strlen(text), PINION_FORMAT_URDF, "f", NULL, err);
}

static pinion_model *load_everything(void)
{
    pinion_error err;
    pinion_model *m = load(everything, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

static pinion_joint_info joint_of(const pinion_model *m, const char *name)
{
    pinion_joint_info joint;
    memset(&joint, 0, sizeof joint);
    CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, name), &joint), PINION_OK);
    return joint;
}

/* ---- what the elements mean ---- */

TEST(links)
{
    pinion_model *m = load_everything();
    if (!m) return;
    pinion_link_info link;
    CHECK(strcmp(pinion_model_name(m), "all & sundry") == 0);
    CHECK(pinion_model_link_count(m) == 7);
    CHECK_NEAR(pinion_model_fixed_mass(m), 4, 0);
    CHECK_NEAR(pinion_model_mass(m), 2.5, 0);
    CHECK_STATUS(pinion_model_link(m, pinion_model_find_link(m, "base"), &link), PINION_OK);
    CHECK(link.inertia.mass == 4 && link.inertia.inertia[5] == 2.5);
    CHECK_STATUS(pinion_model_link(m, pinion_model_find_link(m, "slide"), &link), PINION_OK);
    CHECK(link.inertia.mass == 0 && link.inertia.inertia[0] == 0);

    /* a quarter turn about x of the inertia's axes: y' = z, z' = -y */
    CHECK_STATUS(pinion_model_link(m, pinion_model_find_link(m, "arm"), &link), PINION_OK);
    const double com[3] = {0.1, -0.2, 0.3}, inertia[6] = {0.1, -0.02, 0.01, 0.25, -0.03, 0.2};
    CHECK(check_error(link.inertia.com, com, 3, 1) == 0);
    CHECK(check_error(link.inertia.inertia, inertia, 6, 1) < 1e-16);
    pinion_model_free(m);
}

TEST(joints)
{
    pinion_model *m = load_everything();
    if (!m) return;
    CHECK(pinion_model_joint_count(m) == 6);
    CHECK(pinion_model_nq(m) == 1 + 1 + 7 + 3);
    pinion_joint_info j = joint_of(m, "shoulder");
    CHECK(j.type == PINION_JOINT_REVOLUTE && j.axis[2] == -1 && j.dof_count == 1);
    CHECK(j.dof[0].lower == -1 && j.dof[0].upper == 0 && j.dof[0].velocity == 4 && j.dof[0].effort == 30);
    CHECK(j.dof[0].damping == 0.5 && j.dof[0].friction_positive == 0.25 &&
          j.dof[0].friction_negative == 0.25);

    /* Rz(0.3) Ry(0.2) Rx(0.1), worked out apart */
    const double R[9] = {0.9362933635841992,   -0.2750958473182437, 0.21835066314633442,
                         0.2896294776255156,   0.9564250858492325,  -0.03695701352462507,
                         -0.19866933079506122, 0.0978433950072557,  0.9751703272018158};
    const double at[3] = {1, 2, 3};
    CHECK(check_error(j.parent_pose.rotation, R, 9, 1) < 1e-15);
    CHECK(check_error(j.parent_pose.position, at, 3, 1) == 0);

    j = joint_of(m, "slider");
    CHECK(j.type == PINION_JOINT_PRISMATIC && j.axis[0] == 1 && j.nq == 0);
    CHECK(j.leader == pinion_model_find_joint(m, "shoulder") && j.multiplier == -2 && j.offset == 0.5);
    CHECK(j.dof[0].lower == -INFINITY && j.dof[0].upper == INFINITY && j.dof[0].effort == INFINITY);
    j = joint_of(m, "spin");
    CHECK(j.type == PINION_JOINT_CONTINUOUS && j.dof[0].lower == -INFINITY && j.dof[0].upper == INFINITY);
    CHECK(j.dof[0].effort == 3 && j.dof[0].velocity == 5);
    CHECK(joint_of(m, "float").type == PINION_JOINT_FREE);
    j = joint_of(m, "plane");
    CHECK(j.type == PINION_JOINT_PLANAR && j.nq == 3);
    CHECK_NEAR(j.axis[1], sqrt(0.5), 1e-15);
    j = joint_of(m, "weld");
    CHECK(j.type == PINION_JOINT_FIXED);
    CHECK_NEAR(j.parent_pose.rotation[1], -1, 1e-15);
    CHECK_NEAR(j.parent_pose.rotation[3], 1, 1e-15);

    /* depth first, children in the order of the file */
    CHECK(joint_of(m, "shoulder").v_index == 0 && joint_of(m, "float").v_index == 1);
    CHECK(joint_of(m, "spin").v_index == 7 && joint_of(m, "plane").v_index == 8);
    pinion_model_free(m);
}

TEST(visuals)
{
    pinion_model *m = load_everything();
    if (!m) return;
    static const pinion_shape shapes[5] = {PINION_SHAPE_BOX, PINION_SHAPE_MESH, PINION_SHAPE_CYLINDER,
                                           PINION_SHAPE_SPHERE, PINION_SHAPE_CAPSULE};
    pinion_visual_def plain = pinion_visual_def_default();
    const double colors[5][4] = {{1, 0, 0, 0.5},
                                 {0, 1, 0, 1},
                                 {0, 1, 0, 1},
                                 {1, 0, 0.25, 1},
                                 {plain.rgba[0], plain.rgba[1], plain.rgba[2], plain.rgba[3]}};
    pinion_visual_info v;
    CHECK(pinion_model_visual_count(m) == 5);
    for (int i = 0; i < 5; i++) {
        CHECK_STATUS(pinion_model_visual(m, i, &v), PINION_OK);
        CHECK(v.shape == shapes[i]);
        CHECK(check_error(v.rgba, colors[i], 4, 1) == 0);
        CHECK(!v.mesh == (v.shape != PINION_SHAPE_MESH));
        if (v.shape == PINION_SHAPE_MESH) CHECK(strcmp(v.mesh, "package://r/m.stl") == 0 && v.size[2] == 1);
        if (v.shape == PINION_SHAPE_BOX) CHECK(v.size[0] == 1 && v.size[1] == 2 && v.size[2] == 3);
        if (v.shape == PINION_SHAPE_CAPSULE) CHECK(v.size[0] == 0.2 && v.size[1] == 0.3);
    }
    pinion_model_free(m);
}

/* Names come out in UTF-8; encodings that hide what is in a file are not followed. */
TEST(encodings)
{
    static const struct {
        const char *encoding, *name, *expected;
    } cases[] = {{"UTF-8", "\xc3\xa9", "\xc3\xa9"},
                 {"ISO-8859-1", "\xe9", "\xc3\xa9"},
                 {"windows-1251", "\xe9", "\xd0\xb9"},
                 {"UTF-7", "+AOk-", "+AOk-"},
                 {"utf-16", "x", "x"},
                 {"nonsense", "x", "x"},
                 {"UTF-8", "\xe9", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        pinion_error err = {PINION_OK, 0, 0, ""};
        snprintf(text, sizeof text,
                 "<?xml version='1.0' encoding='%s'?><robot name='%s'><link name='a'/></robot>",
                 cases[i].encoding, cases[i].name);
        pinion_model *m = load(text, &err);
        if (!m && cases[i].expected) CHECK_FAIL("%s: %s", cases[i].encoding, err.message);
        CHECK(!m == !cases[i].expected);
        if (m) CHECK(strcmp(pinion_model_name(m), cases[i].expected) == 0);
        pinion_model_free(m);
    }
}

TEST(load_options)
{
    pinion_error err;
    pinion_load_options o = pinion_load_options_default();
    o.root = PINION_ROOT_FREE;
    o.mimic = PINION_MIMIC_INDEPENDENT;
    pinion_model *m = pinion_load_string(everything, strlen(everything), PINION_FORMAT_AUTO, NULL, &o, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    if (!m) return;
    CHECK(pinion_model_nq(m) == 7 + 2 + 1 + 7 + 3);
    CHECK(joint_of(m, "root").type == PINION_JOINT_FREE && joint_of(m, "root").parent == -1);
    CHECK_NEAR(pinion_model_mass(m), 6.5, 1e-15);

    /* the free root is not part of the file */
    char *text = pinion_save_string(m, PINION_FORMAT_URDF, &err);
    CHECK(text && !strstr(text, "\"root\"") && !strstr(text, "mimic"));
    pinion_free(text);
    pinion_model_free(m);
}

/* ---- writing ---- */

/* Two models that move alike: inverse and forward dynamics at random states, and every frame of the first
 * in the second, by name. The second may have more links. */
static void check_same(const pinion_model *a, const pinion_model *b, double tolerance, const char *what)
{
    int nq = pinion_model_nq(a), nv = pinion_model_nv(a), na = pinion_model_frame_count(a),
        nb = pinion_model_frame_count(b);
    CHECK(pinion_model_nq(b) == nq && pinion_model_nv(b) == nv && nb >= na);
    if (pinion_model_nq(b) != nq || pinion_model_nv(b) != nv) return;
    pinion_work *wa = pinion_work_new(a), *wb = pinion_work_new(b);
    double *x = calloc((size_t)(nq + 6 * nv + 12 * (na + nb) + 1), sizeof *x);
    double *q = x, *v = q + nq, *acc = v + nv, *ta = acc + nv, *tb = ta + nv, *fa = tb + nv, *fb = fa + nv;
    double *pa = fb + nv, *pb = pa + 3 * na, *ra = pb + 3 * nb, *rb = ra + 9 * na;
    uint64_t seed = check_seed;
    for (int k = 0; k < 3; k++) {
        CHECK_STATUS(pinion_random(a, seed + (uint64_t)k, q), PINION_OK);
        for (int i = 0; i < nv; i++) v[i] = check_between(&seed, -2, 2);
        for (int i = 0; i < nv; i++) acc[i] = check_between(&seed, -2, 2);
        CHECK_STATUS(pinion_inverse_dynamics(a, wa, q, v, acc, NULL, ta), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(b, wb, q, v, acc, NULL, tb), PINION_OK);
        double error = check_error(tb, ta, (size_t)nv, 1e-3);
        if (!(error <= tolerance)) CHECK_FAIL("%s: inverse dynamics differ by %g", what, error);
        CHECK_STATUS(pinion_frames(a, wa, q, pa, ra), PINION_OK);
        CHECK_STATUS(pinion_frames(b, wb, q, pb, rb), PINION_OK);
        for (int i = 0; i < na; i++) {
            pinion_frame_info frame;
            CHECK_STATUS(pinion_model_frame(a, i, &frame), PINION_OK);
            int j = pinion_model_find_frame(b, frame.name);
            if (j < 0) CHECK_FAIL("%s: frame %s is gone", what, frame.name);
            if (j < 0) continue;
            error =
                fmax(check_error(pb + 3 * j, pa + 3 * i, 3, 1), check_error(rb + 9 * j, ra + 9 * i, 9, 1));
            if (!(error <= tolerance)) CHECK_FAIL("%s: frame %s differs by %g", what, frame.name, error);
        }
    }
    free(x);
    pinion_work_free(wa);
    pinion_work_free(wb);
}

/* Writes, reads and compares; the text that was written, NULL on failure. */
static char *round_trip(const pinion_model *m, double tolerance, const char *what)
{
    pinion_error err;
    char *text = pinion_save_string(m, PINION_FORMAT_URDF, &err);
    if (!text) CHECK_FAIL("%s: %s", what, err.message);
    if (!text) return NULL;
    pinion_load_options o = pinion_load_options_default();
    pinion_joint_info first;
    if (pinion_model_joint(m, 0, &first) == PINION_OK && first.parent < 0) o.root = PINION_ROOT_FREE;
    pinion_model *again = pinion_load_string(text, strlen(text), PINION_FORMAT_URDF, what, &o, &err);
    if (!again)
        CHECK_FAIL("%s", err.message);
    else
        check_same(m, again, tolerance, what);
    pinion_model_free(again);
    return text;
}

TEST(write_everything)
{
    pinion_model *m = load_everything();
    if (!m) return;
    pinion_error err;
    char *text = round_trip(m, 1e-14, "everything");

    /* what was read from it writes the same text, and has the same limits and colours */
    pinion_model *again = text ? load(text, &err) : NULL;
    char *second = again ? pinion_save_string(again, PINION_FORMAT_URDF, &err) : NULL;
    CHECK(second && strcmp(text, second) == 0);
    if (again) {
        pinion_joint_info j = joint_of(again, "slider");
        CHECK(j.dof[0].lower == -INFINITY && j.dof[0].upper == INFINITY && j.dof[0].effort == INFINITY);
        CHECK(joint_of(again, "shoulder").dof[0].friction_negative == 0.25);
        CHECK(pinion_model_visual_count(again) == 5);
        CHECK_HAS(text, "all &amp; sundry");
        CHECK_HAS(text, "rpy=\"0.1 0.2 0.3\"");
    }
    free(second);
    pinion_free(text);
    pinion_model_free(again);
    pinion_model_free(m);
}

/* A builder with links a and b, and a joint between them to be changed. */
static pinion_builder *two_links(pinion_joint_def *joint)
{
    pinion_builder *b = pinion_builder_new("two");
    pinion_link_def link = pinion_link_def_default();
    link.name = "a";
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    link.name = "b";
    link.inertia = (pinion_inertia){1.5, {0.1, 0.2, 0.3}, {0.3, 0.01, 0.02, 0.4, 0.03, 0.5}};
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    *joint = pinion_joint_def_default();
    joint->name = "j";
    joint->type = PINION_JOINT_REVOLUTE;
    joint->parent = "a";
    joint->child = "b";
    return b;
}

/* A rotation about z, then about the turned y. */
static void turn(pinion_pose *pose, double z, double y)
{
    const double R[9] = {cos(z) * cos(y), -sin(z), cos(z) * sin(y), sin(z) * cos(y), cos(z), sin(z) * sin(y),
                         -sin(y),         0,       cos(y)};
    memcpy(pose->rotation, R, sizeof R);
}

TEST(write_child_pose_and_frames)
{
    for (int type = 0; type < PINION_JOINT_TYPE_COUNT; type++) {
        if (type == PINION_JOINT_HELICAL || type == PINION_JOINT_CYLINDRICAL || type == PINION_JOINT_UNIVERSAL ||
            type == PINION_JOINT_SPHERICAL) {
            continue;
        }
        pinion_joint_def joint;
        pinion_builder *b = two_links(&joint);
        joint.type = (pinion_joint_type)type;
        joint.axis[0] = 1;
        joint.parent_pose.position[0] = 0.25;
        turn(&joint.parent_pose, 1.25, asin(1)); /* a pitch of a right angle */
        joint.child_pose.position[1] = -0.5;
        turn(&joint.child_pose, 0.5, -2);
        pinion_frame_def frame = pinion_frame_def_default();
        frame.name = "tool";
        frame.link = "b";
        frame.pose.position[2] = 0.7;
        turn(&frame.pose, -1, 0.2);
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
        CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);

        /* names that the writer would choose are taken */
        frame.name = "j_axis";
        CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
        pinion_error err;
        pinion_model *m = pinion_builder_build(b, NULL, &err);
        if (!m) CHECK_FAIL("%s", err.message);
        char *text = m ? round_trip(m, 1e-14, pinion_joint_type_name(joint.type)) : NULL;
        if (type != PINION_JOINT_FIXED) CHECK_HAS(text, "j_axis_2");
        CHECK_HAS(text, "tool_frame");
        free(text);
        pinion_model_free(m);
        pinion_builder_free(b);
    }
}

TEST(write_refuses)
{
    static const char *const parts[] = {"helical", "cylindrical", "universal", "spherical",     "rotor",
                                        "spring",  "friction",    "limits",    "limits",        "damping",
                                        "xacro",   "gravity",     "loop",      "initial state", "no motor"};
    for (int i = 0; i < (int)(sizeof parts / sizeof parts[0]); i++) {
        pinion_joint_def joint;
        pinion_builder *b = two_links(&joint);
        const double gravity[3] = {0, 0, -1.62};
        pinion_error err;
        if (i < 4) joint.type = (pinion_joint_type)pinion_joint_type_find(parts[i]);
        if (i == 4) joint.dof[0].rotor_inertia = 1e-3;
        if (i == 5) joint.dof[0].stiffness = 3;
        if (i == 6) joint.dof[0].friction_negative = 0.1;
        if (i == 7) joint.type = PINION_JOINT_CONTINUOUS;
        if (i == 8 || i == 9) joint.type = PINION_JOINT_PLANAR;
        if (i == 7 || i == 8) joint.dof[0].upper = 2;
        if (i == 9) joint.dof[2].damping = 2;
        if (i == 10) joint.name = "${j}";
        if (i == 13) joint.has_initial = 1;
        if (i == 14) joint.unactuated = 1;
        if (i == 11) CHECK_STATUS(pinion_builder_set_gravity(b, gravity, &err), PINION_OK);
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
        if (i == 12) {
            pinion_joint_def loop = joint;
            loop.name = "loop";
            CHECK_STATUS(pinion_builder_add_loop(b, &loop, &err), PINION_OK);
        }
        pinion_model *m = pinion_builder_build(b, NULL, &err);
        if (!m)
            CHECK_FAIL("%s", err.message);
        else
            CHECK(!pinion_save_string(m, PINION_FORMAT_URDF, &err) && err.status == PINION_ERR_UNSUPPORTED);
        CHECK_HAS(err.message, parts[i]);
        CHECK_HAS(err.message, i == 11 ? "'two'" : i == 12 ? "'loop'" : i == 10 ? "'${j}'" : "'j'");
        pinion_model_free(m);
        pinion_builder_free(b);
    }
}

TEST(write_random_chains)
{
    for (int i = 1; i < 20; i++) {
        pinion_error err;
        pinion_model *m = pinion_random_chain(i, check_seed + (uint64_t)i, &err);
        if (!m) CHECK_FAIL("%s", err.message);
        if (m) free(round_trip(m, 1e-13, "a random chain"));
        pinion_model_free(m);
    }
}

/* ---- real robots ---- */

TEST(robots)
{
    const char *shared = getenv("PINION_SHARED");
    char folder[1024], path[2048];
    snprintf(folder, sizeof folder, "%s/robots", shared ? shared : "");
    DIR *d = shared ? opendir(folder) : NULL;
    if (!d) SKIP("there is no folder PINION_SHARED with robots in it");
    int count = 0;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        size_t length = strlen(e->d_name);
        if (length < 5 || strcmp(e->d_name + length - 5, ".urdf") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        for (int root = 0; root < 2; root++) {
            pinion_error err;
            pinion_load_options o = pinion_load_options_default();
            o.root = root ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
            pinion_model *m = pinion_load(path, &o, &err);
            if (!m) CHECK_FAIL("%s", err.message);
            if (!m) continue;
            count++;
            CHECK(pinion_model_nv(m) > 0);
            free(round_trip(m, 1e-13, e->d_name));
            pinion_model_free(m);
        }
    }
    closedir(d);
    if (count == 0) SKIP("there is no robot in PINION_SHARED");
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(links);
    RUN(joints);
    RUN(visuals);
    RUN(encodings);
    RUN(load_options);
    RUN(write_everything);
    RUN(write_child_pose_and_frames);
    RUN(write_refuses);
    RUN(write_random_chains);
    RUN(robots);
    return CHECK_END();
}
