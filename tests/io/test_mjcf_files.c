/* MJCF in several files: what it includes and attaches, and meshes as inertias. */
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "pinion/pinion.h"

static char folder[] = "/tmp/pinion-mjcf-XXXXXX";
#include "folder.h"

static void put(const char *name, const void *bytes, size_t size)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK_STATUS(pinion_write_file(in_folder(name), bytes, size, &err), PINION_OK);
}

static void put_text(const char *name, const char *text)
{
    put(name, text, strlen(text));
}

/* The model of a text that is a file there; NULL with the error. */
static pinion_model *open_text(const char *text, pinion_error *err)
{
    put_text("model.xml", text);
    return pinion_load(in_folder("model.xml"), NULL, err);
}

static pinion_model *load(const char *text)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = open_text(text, &err);
    if (!m) CHECK_FAIL("%.200s: %s", text, err.message);
    return m;
}

#define UNIT "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"

/* Sections and bodies of other files, and of those that these include; the folders are the model's and their
 * own. */
TEST(includes)
{
    put_text(
        "settings.xml",
        "<mujocoinclude><compiler angle='radian'/><default><joint range='-1 1'/></default></mujocoinclude>");
    put_text("arm.xml",
             "<mujocoinclude><body name='arm'><joint name='a'/>" UNIT "<include file='hand.xml'/></body>"
             "<body name='second'><joint name='c'/>" UNIT "</body></mujocoinclude>");
    put_text("hand.xml", "<x><body name='hand'><joint name='b'/>" UNIT "</body></x>");
    pinion_model *m = load(
        "<mujoco><include file='settings.xml'/><worldbody><body name='first'><joint name='z'/>" UNIT "</body>"
        "<include file='arm.xml'/><body name='last'><joint name='d'/>" UNIT "</body></worldbody></mujoco>");
    static const char *const order[] = {"z", "a", "b", "c", "d"};
    CHECK(m && pinion_model_nv(m) == 5);
    for (int i = 0; m && i < 5; i++) {
        pinion_joint_info j;
        CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, order[i]), &j), PINION_OK);
        CHECK(j.q_index == i);
        CHECK_NEAR(j.dof[0].upper, 1, 0);
    }
    CHECK(m && pinion_model_find_link(m, "hand") > pinion_model_find_link(m, "arm"));
    pinion_model_free(m);
}

/* Meshes of an included file lie in the model's mesh folder or, if not there, beside that file, as in MuJoCo. */
TEST(meshes_of_includes)
{
    static const char part[] = "<x><asset><mesh name='t' file='%s.obj'/></asset></x>";
    static const char model[] = "<mujoco><compiler meshdir='none'/><include file='part/part.xml'/><worldbody><body>"
                                "<joint/><geom type='mesh' mesh='t'/></body></worldbody></mujoco>";
    char text[200];
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(mkdir(in_folder("part"), 0700) == 0);
    put_text("part/tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, part, i ? "tetra" : "../part/tetra");
        put_text("part/part.xml", text);
        pinion_model *m = load(model);
        CHECK(m != NULL);
        if (m) CHECK_NEAR(pinion_model_mass(m), 1000. / 6, 1e-12);
        pinion_visual_info v;
        CHECK_STATUS(pinion_model_visual(m, 0, &v), PINION_OK);
        CHECK(v.mesh && strcmp(v.mesh, i ? "part/tetra.obj" : "part/../part/tetra.obj") == 0);
        pinion_model_free(m);
    }
    snprintf(text, sizeof text, part, "other");
    put_text("part/part.xml", text);
    CHECK(!open_text(model, &err));
    CHECK_HAS(err.message, "there is no file 'none/other.obj'");

    /* those of the model itself only where it says */
    put_text("tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    CHECK(!open_text("<mujoco><compiler meshdir='none'/><asset><mesh name='t' file='tetra.obj'/></asset><worldbody>"
                     "<body><joint/><geom type='mesh' mesh='t'/></body></worldbody></mujoco>",
                     &err));
    CHECK_HAS(err.message, "there is no file 'none/tetra.obj'");
    CHECK(unlink(in_folder("tetra.obj")) == 0);
    CHECK(unlink(in_folder("part/part.xml")) == 0 && unlink(in_folder("part/tetra.obj")) == 0);
    CHECK(rmdir(in_folder("part")) == 0);
}

/* A fault in an included file is told with the name and line of that file. */
TEST(bad_includes)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    put_text("bad.xml", "<mujocoinclude>\n<body>\n<joint axis='0 0 0'/></body></mujocoinclude>");
    CHECK(!open_text("<mujoco><worldbody><include file='bad.xml'/></worldbody></mujoco>", &err));
    CHECK_HAS(err.message, "bad.xml:3: <joint axis> has no direction");
    put_text("bad.xml", "<mujocoinclude><body>");
    CHECK(!open_text("<mujoco><worldbody><include file='bad.xml'/></worldbody></mujoco>", &err));
    CHECK_HAS(err.message, "bad.xml:1: not well-formed XML");
    put_text("bad.xml", "<mujocoinclude><include file='bad.xml'/></mujocoinclude>");
    CHECK(!open_text("<mujoco><worldbody><include file='bad.xml'/></worldbody></mujoco>", &err));
    CHECK_HAS(err.message, "included already");
    CHECK(!open_text("<mujoco><include file='model.xml'/></mujoco>", &err));
    CHECK_HAS(err.message, "included already");
    put_text("bad.xml", "<include file='hand.xml'/>");
    CHECK(!open_text("<mujoco><worldbody><include file='bad.xml'/></worldbody></mujoco>", &err));
    CHECK_HAS(err.message, "the outermost element is <include>");
    put("bad.xml", "<m>\0</m>", 8);
    CHECK(!open_text("<mujoco><include file='bad.xml'/></mujoco>", &err));
    CHECK_HAS(err.message, "a zero byte");
    CHECK(!open_text("<mujoco><include file='none.xml'/></mujoco>", &err));
    CHECK_HAS(err.message, "there is no file 'none.xml'");
    CHECK(!open_text("<mujoco><include file='/dev/zero'/></mujoco>", &err));
    CHECK_HAS(err.message, "there is no file '/dev/zero'");
    CHECK(!open_text("<mujoco><include/></mujoco>", &err));
    CHECK_HAS(err.message, "<include> has no file");
}

/* Parts of another model, under a prefix, with its own units and classes and what refers to them. */
TEST(attaches)
{
    put_text(
        "child.xml",
        "<mujoco model='child'><compiler angle='radian'/><default><joint axis='1 0 0'/><default "
        "class='k'><geom type='box' "
        "size='1 2 3' density='1'/></default></default><worldbody><body name='r' pos='5 0 0' "
        "childclass='k'><joint name='j' "
        "range='-1 1'/><geom/><body name='tip' pos='0 0 1'/></body><body name='other'><joint name='o'/>" UNIT
        "</body></worldbody><contact><exclude body1='r' body2='other'/></contact><actuator><motor name='m' joint='j' "
        "gear='3'/><motor joint='o'/></actuator></mujoco>");
    pinion_model *m = load("<mujoco><asset><model name='c' file='child.xml'/></asset><worldbody><body "
                           "name='base' pos='0 0 1'><joint "
                           "name='b' range='-90 90'/>" UNIT
                           "<frame pos='0 1 0'><attach model='c' body='r' prefix='L-'/></frame>"
                           "</body><attach model='c' prefix='R-'/></worldbody></mujoco>");
    pinion_joint_info j;
    pinion_link_info link;
    CHECK(m && pinion_model_nv(m) == 4 && pinion_model_actuator_count(m) == 3);
    CHECK(pinion_model_exclusion_count(m) == 1); /* of the part with both bodies */
    CHECK(pinion_model_find_actuator(m, "L-m") == 0 && pinion_model_find_link(m, "R-other") > 0);
    CHECK(pinion_model_find_link(m, "L-tip") > 0 && pinion_model_find_link(m, "L-other") < 0);
    CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, "L-j"), &j), PINION_OK);
    CHECK_NEAR(j.dof[0].upper, 1, 0);
    CHECK_NEAR(j.axis[0], 1, 0);
    CHECK_NEAR(j.parent_pose.position[0], 5, 0);
    CHECK_NEAR(j.parent_pose.position[1], 1, 0);
    CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, "b"), &j), PINION_OK);
    CHECK_NEAR(j.dof[0].upper, acos(-1) / 2, 1e-15);
    CHECK_STATUS(pinion_model_link(m, pinion_model_find_link(m, "R-r"), &link), PINION_OK);
    CHECK_NEAR(link.inertia.mass, 48, 1e-13);
    pinion_model_free(m);

    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(!open_text("<mujoco><worldbody><attach model='c' prefix=''/></worldbody></mujoco>", &err));
    CHECK_HAS(err.message, "there is no model 'c' to attach");
    CHECK(!open_text("<mujoco><asset><model name='c' file='child.xml'/></asset><worldbody><attach model='c' "
                     "body='x' prefix=''/>"
                     "</worldbody></mujoco>",
                     &err));
    CHECK_HAS(err.message, "has no body 'x'");
    CHECK(!open_text("<mujoco><asset><model name='c' file='model.xml'/></asset></mujoco>", &err));
    CHECK_HAS(err.message, "too many files");
}

/* ---- meshes ---- */

/* A box of 2 x 4 x 6 about (1, 2, 3): its corners, and its faces seen from outside. */
static const float corners[8][3] = {{0, 0, 0}, {2, 0, 0}, {2, 4, 0}, {0, 4, 0},
                                    {0, 0, 6}, {2, 0, 6}, {2, 4, 6}, {0, 4, 6}};
static const int faces[6][4] = {{3, 2, 1, 0}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

static void put_meshes(void)
{
    char text[4000];
    unsigned char bytes[84 + 50 * 12] = {0}, msh[16 + 96 + 144];
    int used = 0, count = 0;
    /* OBJ, with faces of four, some counted from the end */
    for (int i = 0; i < 8; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "v %g %g %g\n", corners[i][0],
                         corners[i][1], corners[i][2]);
    for (int i = 0; i < 6; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "f");
        for (int k = 0; k < 4; k++)
            used += snprintf(text + used, sizeof text - (size_t)used, i % 2 ? " %d" : " %d/1/2",
                             i % 2 ? faces[i][k] - 8 : faces[i][k] + 1);
        used += snprintf(text + used, sizeof text - (size_t)used, "\n");
    }
    put("box.obj", text, (size_t)used);
    /* STL in bytes and as text */
    used = snprintf(text, sizeof text, "solid box\n");
    const unsigned head[4] = {8, 0, 0, 12};
    memcpy(msh, head, 16);
    memcpy(msh + 16, corners, 96);
    for (int i = 0; i < 6; i++) {
        for (int half = 0; half < 2; half++) {
            const int t[3] = {faces[i][0], faces[i][half + 1], faces[i][half + 2]};
            for (int k = 0; k < 3; k++) {
                memcpy(bytes + 84 + 50 * count + 12 + 12 * k, corners[t[k]], 12);
                used += snprintf(text + used, sizeof text - (size_t)used, "vertex %g %g %g\n",
                                 corners[t[k]][0], corners[t[k]][1], corners[t[k]][2]);
            }
            memcpy(msh + 112 + 12 * count, t, 12);
            count++;
        }
    }
    bytes[80] = 12;
    put("box.stl", bytes, sizeof bytes);
    put("text.stl", text, (size_t)used);
    put("box.msh", msh, sizeof msh);
    put("short.stl", bytes, 200);
    put("short.msh", msh, 200);
    put_text("far.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n");
    put_text("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n");
    put_text("none.ply", "ply");
    /* points only: the box, and some within it and on it */
    put_text(
        "cloud.obj",
        "v 1 1 1\nv 0 0 0\nv 2 0 0\nv 2 4 0\nv 0 4 0\nv 1 0 0\nv 0 0 6\nv 2 0 6\nv 1 2 6\nv 2 4 6\nv 0 4 6\n"
        "v 0 2 3\nv 0.5 0.25 5\nv 2 4 6\n");
}

/* The inertia of a body with one mesh, and what else its asset and geom say. */
static pinion_inertia weigh_as(const char *type, const char *file, const char *asset, const char *geom)
{
    char text[1000];
    pinion_link_info link = {0};
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='m' file='%s' %s/></asset><worldbody><body name='b'><joint/><geom "
             "%s mesh='m' density='0.5' %s/></body></worldbody></mujoco>",
             file, asset, type, geom);
    pinion_model *m = load(text);
    if (m) CHECK_STATUS(pinion_model_link(m, pinion_model_find_link(m, "b"), &link), PINION_OK);
    pinion_model_free(m);
    return link.inertia;
}

static pinion_inertia weigh(const char *file, const char *asset, const char *geom)
{
    return weigh_as("type='mesh'", file, asset, geom);
}

static void check_inertia(const char *what, pinion_inertia got, double mass, const double com[3],
                          const double inertia[6])
{
    double worst = fabs(got.mass - mass);
    for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(got.com[i] - com[i]));
    for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(got.inertia[i] - inertia[i]));
    check_count++;
    if (!(worst < 1e-12)) CHECK_FAIL("%s is off by %g", what, worst);
}

TEST(meshes)
{
    static const char *const files[] = {"box.obj", "box.stl", "text.stl", "box.msh", "cloud.obj"};
    static const char *const ways[] = {"", "inertia='exact'", "inertia='legacy'", "inertia='convex'"};
    const double com[3] = {1, 2, 3}, m = 24, solid[6] = {m * 52 / 12, 0, 0, m * 40 / 12, 0, m * 20 / 12};
    put_meshes();
    for (size_t i = 0; i < 5; i++) {
        for (size_t k = 0; k < 4; k++) check_inertia(files[i], weigh(files[i], ways[k], ""), m, com, solid);
    }
    /* six sides, of the surface density 0.5 */
    const double area = 0.5 * 88;
    const double shell[6] = {0.5 * (48 * 52. / 12 + 24 * (36. / 12 + 4) + 16 * (9 + 16. / 12)),
                             0,
                             0,
                             0.5 * (48 * (36. / 12 + 1) + 24 * 40. / 12 + 16 * (9 + 4. / 12)),
                             0,
                             0.5 * (48 * (16. / 12 + 1) + 24 * (4. / 12 + 4) + 16 * 20. / 12)};
    check_inertia("shell", weigh("box.stl", "inertia='shell'", ""), area, com, shell);
    const double wide[3] = {-2, 2, 3},
                 twice[6] = {2 * m * 52 / 12, 0, 0, 2 * m * 52 / 12, 0, 2 * m * 32 / 12};
    check_inertia("mirrored", weigh("box.stl", "scale='-2 1 1' inertia='exact'", ""), 2 * m, wide, twice);
    const double at[3] = {0, 0, 0}, turned[6] = {m * 40 / 12, 0, 0, m * 52 / 12, 0, m * 20 / 12};
    check_inertia("moved", weigh("box.stl", "refpos='1 2 3'", "euler='0 0 90'"), m, at, turned);
    check_inertia("mass", weigh("box.stl", "refpos='1 2 3'", "euler='0 0 90' mass='24'"), m, at, turned);
    check_inertia("a box in its place", weigh_as("type='box'", "box.stl", "", ""), m, com, solid);
    /* a geom without a type is a sphere, also here: its radius is the mean of the box's half sides */
    const double ball = 0.5 * 4 * acos(-1) * 8 / 3, round[6] = {1.6 * ball, 0, 0, 1.6 * ball, 0, 1.6 * ball};
    check_inertia("a sphere in its place", weigh_as("", "box.stl", "", ""), ball, com, round);
}

TEST(bad_meshes)
{
    static const struct {
        const char *file, *message;
    } cases[] = {
        {"short.stl", "the mesh 'short.stl' has fewer triangles than it says"},
        {"short.msh", "not as many bytes as its head says"},
        {"far.obj", "a face with a corner that does not exist"},
        {"flat.obj", "has no volume above 0"},
        {"none.ply", "none of the formats that are read"},
        {"missing.stl", "there is no file 'missing.stl'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[600];
        pinion_error err = {PINION_OK, 0, 0, ""};
        snprintf(text, sizeof text,
                 "<mujoco><asset>\n<mesh name='m' file='%s'/></asset><worldbody><body><joint/><geom "
                 "type='mesh' mesh='m'/></body>"
                 "</worldbody></mujoco>",
                 cases[i].file);
        CHECK(!open_text(text, &err));
        CHECK_HAS(err.message, cases[i].message);
        CHECK(err.line == 2);
    }
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(!open_text("<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 "
                     "0'/></asset><worldbody><body><joint/><geom "
                     "type='mesh' mesh='m'/></body></worldbody></mujoco>",
                     &err));
    CHECK_HAS(err.message, "no four points that are not in one plane");

    /* a prism over an L of six corners, which a fan from any corner would not cover once; and of several objects it is
     * the first one, as in MuJoCo */
    static const char ell[] = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\n"
                              "v 1 1 1\nv 1 2 1\nv 0 2 1\n"
                              "o ell\nf %s\nf %s\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\n"
                              "f 5 6 12 11\nf 6 1 7 12\ng other\nf 1 2 3\n";
    static const char *const ends[2][2] = {{"6 5 4 3 2 1", "7 8 9 10 11 12"}, {"3 2 1 6 5 4", "8 9 10 11 12 7"}};
    for (int i = 0; i < 8; i++) {
        static const char *const ways[] = {"exact", "legacy", "shell", "convex"};
        char text[600];
        snprintf(text, sizeof text, ell, ends[i / 4][0], ends[i / 4][1]);
        put_text("far.obj", text);
        snprintf(text, sizeof text,
                 "<mujoco><asset><mesh name='m' file='far.obj' inertia='%s'/></asset><worldbody><body name='b'><joint/>"
                 "<geom type='mesh' mesh='m' density='1'/></body></worldbody></mujoco>", ways[i % 4]);
        pinion_error why = {PINION_OK, 0, 0, ""};
        pinion_model *prism = open_text(text, &why);
        pinion_link_info body;
        if (!prism) CHECK_FAIL("%s", why.message);
        CHECK_STATUS(pinion_model_link(prism, pinion_model_find_link(prism, "b"), &body), PINION_OK);
        const double mass[4] = {3, 3, 14, 3.5};
        CHECK_NEAR(body.inertia.mass, mass[i % 4], 1e-13);
        if (i % 4 == 0) CHECK_NEAR(body.inertia.com[0], 5. / 6, 1e-13);
        CHECK(pinion_model_warning_count(prism) == (i % 4 != 3));
        if (i % 4 != 3) CHECK_HAS(pinion_model_warning(prism, 0), "has several objects");
        pinion_model_free(prism);
    }

    /* points are of single precision, as in MuJoCo: all three numbers of each */
    pinion_model *small =
        load("<mujoco><asset><mesh name='m' vertex='0 0 0 .1 0 0 0 .2 0 0 0 .3'/></asset><worldbody><body name='b'>"
             "<joint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>");
    pinion_link_info link;
    CHECK_STATUS(pinion_model_link(small, pinion_model_find_link(small, "b"), &link), PINION_OK);
    const float edge[3] = {.1f, .2f, .3f};
    CHECK_NEAR(link.inertia.mass, (double)edge[0] * (double)edge[1] * (double)edge[2] / 6 * 1000, 1e-14);
    for (int i = 0; i < 3; i++) CHECK_NEAR(link.inertia.com[i], edge[i] / 4., 1e-15);
    pinion_model_free(small);

    /* a body that stands still, or has its own inertia, needs no mesh */
    pinion_model *m =
        load("<mujoco><compiler meshdir='parts'/><asset><mesh file='missing.stl'/></asset><worldbody><geom "
             "type='mesh' "
             "mesh='missing'/><body name='still'><geom type='mesh' mesh='missing'/></body><body "
             "name='moves'><joint/>" UNIT "<geom type='mesh' mesh='missing'/></body></worldbody></mujoco>");
    CHECK(m && pinion_model_warning_count(m) == 1);
    CHECK_HAS(m ? pinion_model_warning(m, 0) : NULL, "there is no file 'parts/missing.stl'");
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    RUN(includes);
    RUN(meshes_of_includes);
    RUN(bad_includes);
    RUN(attaches);
    RUN(meshes);
    RUN(bad_meshes);
    static const char *const files[] = {"settings.xml", "arm.xml",   "hand.xml",  "bad.xml",
                                        "model.xml",    "child.xml", "box.obj",   "box.stl",
                                        "text.stl",     "box.msh",   "short.stl", "short.msh",
                                        "far.obj",      "flat.obj",  "none.ply",  "cloud.obj"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) remove(in_folder(files[i]));
    CHECK(entries() == 0);
    rmdir(folder);
    return CHECK_END();
}
