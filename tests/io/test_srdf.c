/* SRDF beside a URDF model: states, groups and pairs of links that never collide are kept, the rest is told with its
 * line. And the files that models name: where a mesh is, and the points that are in it. */
#define _GNU_SOURCE
#include "check.h"
#include "pinion/pinion.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/pinion-srdf-XXXXXX";
#include "folder.h"

static const char *write_text(const char *name, const char *text)
{
    const char *path = in_folder(name);
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(text, 1, strlen(text), f) == strlen(text));
    if (f) fclose(f);
    return path;
}

static const char robot[] =
    "<robot name='r'><link name='base'/><link name='a'/><link name='b'/><link name='tool'/><link name='f'/>"
    "<joint name='j1' type='continuous'><parent link='base'/><child link='a'/></joint>"
    "<joint name='j2' type='prismatic'><parent link='a'/><child link='b'/></joint>"
    "<joint name='weld' type='fixed'><parent link='b'/><child link='tool'/></joint>"
    "<joint name='loose' type='floating'><parent link='base'/><child link='f'/></joint></robot>";

static pinion_model *load_with(const char *srdf, int strict, pinion_error *err)
{
    pinion_load_options o = pinion_load_options_default();
    char text[4000];
    snprintf(text, sizeof text, "<?xml version='1.0'?>\n<robot name='r'>%s</robot>\n", srdf);
    o.srdf = write_text("r.srdf", text);
    o.strict = strict;
    return pinion_load_string(robot, strlen(robot), PINION_FORMAT_AUTO, "r.urdf", &o, err);
}

static pinion_model *load(const char *srdf)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = load_with(srdf, 0, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

static int has_warning(const pinion_model *m, const char *part)
{
    for (int i = 0; m && i < pinion_model_warning_count(m); i++) {
        if (strstr(pinion_model_warning(m, i), part)) return 1;
    }
    return 0;
}

/* The names of a group's joints, with commas. */
static const char *group_of(const pinion_model *m, const char *name)
{
    static char text[200];
    int count = 0;
    const int *joints = pinion_model_group(m, pinion_model_find_group(m, name), &count);
    text[0] = 0;
    for (int i = 0; joints && i < count; i++) {
        pinion_joint_info j;
        CHECK_STATUS(pinion_model_joint(m, joints[i], &j), PINION_OK);
        strcat(text, j.name);
        strcat(text, ",");
    }
    return text;
}

TEST(kept)
{
    pinion_model *m = load(
        "<group name='arm'><chain base_link='base' tip_link='tool'/></group><group name='one'><joint name='j2'/>"
        "</group>"
        "<group name='all'><group name='arm'/><link name='f'/><link name='base'/></group>"
        "<group_state name='home' group='arm'><joint name='j1' value='1.5'/><joint name='j2' value=' 0.25 '/>"
        "</group_state>"
        "<group_state name='far' group='one'><joint name='loose' value='1 2 3 0 0 0.6 0.8'/></group_state>"
        "<group_state name='home' group='one'><joint name='j2' value='1'/></group_state>"
        "<disable_collisions link1='tool' link2='base' reason='Never'/><disable_collisions link1='a' link2='b'/>");
    if (!m) return;
    double q[9];
    int links[2];
    CHECK(strcmp(group_of(m, "arm"), "j1,j2,") == 0);
    CHECK(strcmp(group_of(m, "one"), "j2,") == 0);
    CHECK(strcmp(group_of(m, "all"), "j1,j2,loose,") == 0);
    CHECK(pinion_model_state_count(m) == 3 && pinion_model_find_state(m, "home") < 0);
    CHECK_STATUS(pinion_model_state(m, pinion_model_find_state(m, "arm:home"), q, NULL), PINION_OK);
    CHECK(q[0] == 1.5 && q[1] == 0.25 && q[2] == 1);
    CHECK_STATUS(pinion_model_state(m, pinion_model_find_state(m, "far"), q, NULL), PINION_OK);
    CHECK(q[2] == 0.8 && q[5] == 0.6 && q[6] == 1 && q[8] == 3);
    CHECK(pinion_model_exclusion_count(m) == 2);
    CHECK_STATUS(pinion_model_exclusion(m, 0, links), PINION_OK);
    CHECK(links[0] == pinion_model_find_link(m, "base") && links[1] == pinion_model_find_link(m, "tool"));
    CHECK(!has_warning(m, "r.srdf"));
    pinion_model_free(m);
}

TEST(told)
{
    pinion_model *m = load("<virtual_joint name='v' type='floating' parent_frame='world' child_link='base'/>"
                           "<end_effector name='e' parent_link='tool' group='arm'/><passive_joint name='j1'/>"
                           "<passive_joint name='j2'/><thing/><group name='j1'><joint name='j1'/></group>\n"
                           "<group name='none'><joint name='weld'/></group><group name='g'><joint name='j1'/>"
                           "<joint name='gone'/><chain base_link='tool' tip_link='a'/><group name='missing'/><thing/>"
                           "</group>"
                           "<disable_collisions link1='a' link2='gone'/><disable_default_collisions link='a'/>"
                           "<group_state name='s' group='g'><joint name='weld' value='1'/></group_state>");
    if (!m) return;
    static const char *const lines[] = {"r.srdf: 1 virtual joint is left out",
                                        "r.srdf: 2 passive joints are left out",
                                        "1 end effector is",
                                        "1 default of collisions is",
                                        "2 other elements are",
                                        "r.srdf:2: the group 'j1' has the name of a joint",
                                        "r.srdf:3: the group 'none' has no joint that moves",
                                        "names the joint 'gone', which the model has not",
                                        "does not carry its tip_link",
                                        "names the group 'missing', which is not there",
                                        "names the link 'gone', which the model has not",
                                        "names the joint 'weld', which is fixed"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!has_warning(m, lines[i])) CHECK_FAIL("nobody tells \"%s\"", lines[i]);
    CHECK(strcmp(group_of(m, "g"), "j1,") == 0 && pinion_model_state_count(m) == 1);
    pinion_model_free(m);
}

TEST(refused)
{
    static const struct {
        const char *srdf, *why;
        int strict;
    } cases[] = {
        {"\n<group name='g'><joint name='gone'/></group>", "r.srdf:3: <joint> names the joint 'gone'", 1},
        {"\n<group/>", "r.srdf:3: <group> has no name", 0},
        {"\n<group_state name='s' group='g'><joint name='j1' value='x'/></group_state>", "r.srdf:3:", 0},
        {"\n<group_state name='s' group='g'><joint name='j1' value='1 2'/></group_state>", "r.srdf:3:", 0},
        {"\n<group_state name='s' group='g'><joint name='loose' value='0 0 0 0 0 0 2'/></group_state>", "unit", 0},
        {"\n<group_state name='s'/>", "group", 0},
        {"\n<group_state name='s' group='g'/><group_state name='s' group='g'/>", "a second state 's'", 0},
        {"\n<group name='g'><joint name='j1'/></group><group name='g'><joint name='j1'/></group>", "a second group", 0},
        {"\n<disable_collisions link1='a'/>", "r.srdf:3: <disable_collisions> has no link2", 0},
        {"<", "r.srdf:2:", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_model *m = load_with(cases[i].srdf, cases[i].strict, &err);
        if (m || !strstr(err.message, cases[i].why))
            CHECK_FAIL("case %zu: \"%s\", not \"%s\"", i, err.message, cases[i].why);
        pinion_model_free(m);
    }

    /* other formats have no such file, and one that is not there is an error */
    static const char json[] = "{\"pinion\": 1, \"links\": [{\"name\": \"a\"}]}";
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_load_options o = pinion_load_options_default();
    o.srdf = in_folder("nowhere.srdf");
    CHECK(!pinion_load_string(json, strlen(json), PINION_FORMAT_AUTO, "r.json", &o, &err));
    CHECK_HAS(err.message, "the model is not URDF");
    CHECK(!pinion_load_string(robot, strlen(robot), PINION_FORMAT_AUTO, "r.urdf", &o, &err));
    CHECK_HAS(err.message, "nowhere.srdf");
    o.srdf = write_text("r.srdf", "<robot name='other'/>");
    pinion_model *m = pinion_load_string(robot, strlen(robot), PINION_FORMAT_AUTO, "r.urdf", &o, &err);
    CHECK(m && has_warning(m, "for a robot called 'other'"));
    pinion_model_free(m);
}

/* Groups that contain each other end, and so do those that would take long. */
TEST(groups_in_circles)
{
    pinion_model *m = load("<group name='x'><group name='y'/><joint name='j1'/></group>"
                           "<group name='y'><group name='x'/><joint name='j2'/></group>");
    if (!m) return;
    CHECK(strcmp(group_of(m, "x"), "j1,j2,") == 0 && strcmp(group_of(m, "y"), "j1,j2,") == 0);
    pinion_model_free(m);
}

/* ---------------------------------------------------------------------------------------------
 * Meshes */

static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.1 0.1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 5\n";

TEST(meshes)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    char model[300], packages[300];
    snprintf(model, sizeof model, "%s", write_text("w/robot/r.urdf", robot));
    snprintf(packages, sizeof packages, "%s", in_folder("other"));
    write_text("w/robot/part.obj", obj);
    write_text("other/pack/piece.obj", obj);
    char *found = pinion_find_mesh(model, "part.obj", NULL, &err);
    CHECK_HAS(found, "/w/robot/part.obj");
    pinion_free(found);
    found = pinion_find_mesh(model, "package://robot/part.obj", NULL, &err);
    CHECK_HAS(found, "/w/robot/part.obj");
    pinion_free(found);
    CHECK(!pinion_find_mesh(model, "package://pack/piece.obj", NULL, &err) && err.status == PINION_ERR_FILE);
    CHECK(!pinion_find_mesh(model, "../../other/pack/piece.obj", NULL, &err) && err.status == PINION_ERR_UNSUPPORTED);
    found = pinion_find_mesh(model, "model://pack/piece.obj", packages, &err);
    CHECK_HAS(found, "/other/pack/piece.obj");
    pinion_free(found);
    CHECK(!pinion_find_mesh(NULL, "part.obj", packages, &err) && !pinion_find_mesh(model, NULL, NULL, &err));
    /* a whole path, into a folder that the caller names; and one of the package that a package.xml is in */
    char whole[340];
    snprintf(whole, sizeof whole, "%s/pack/piece.obj", packages);
    CHECK(!pinion_find_mesh(model, whole, NULL, &err) && err.status == PINION_ERR_UNSUPPORTED);
    found = pinion_find_mesh(model, whole, packages, &err);
    CHECK_HAS(found, "/other/pack/piece.obj");
    pinion_free(found);
    write_text("near.obj", obj);
    CHECK(!pinion_find_mesh(model, "../../near.obj", NULL, &err) && err.status == PINION_ERR_UNSUPPORTED);
    write_text("package.xml", "<package/>");
    found = pinion_find_mesh(model, "../../near.obj", NULL, &err);
    CHECK_HAS(found, "/near.obj");
    pinion_free(found);
    remove(in_folder("near.obj"));
    remove(in_folder("package.xml"));

    /* of a file and of the model: the corners of the hull, scaled */
    static const char json[] = "{\"pinion\": 1, \"links\": [{\"name\": \"a\", \"collisions\": [{\"shape\": \"mesh\","
                               "\"mesh\": \"part.obj\", \"scale\": [1, 2, 3]}, {\"shape\": \"mesh\", \"points\":"
                               "[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0.1,0.1,0.1]]}, {\"shape\": \"sphere\","
                               "\"radius\": 1}]}]}";
    pinion_model *m = pinion_load_string(json, strlen(json), PINION_FORMAT_AUTO, "x", NULL, &err);
    for (int i = 0; m && i < 2; i++) {
        int count = 0;
        double most[3] = {0, 0, 0}, *points = pinion_collision_points(m, i, model, NULL, &count, &err);
        CHECK(points && count == 4);
        for (int k = 0; points && k < 3 * count; k++) most[k % 3] = fmax(most[k % 3], points[k]);
        CHECK(most[0] == 1 && most[1] == (i ? 1 : 2) && most[2] == (i ? 1 : 3));
        pinion_free(points);
    }
    int count;
    CHECK(!pinion_collision_points(m, 2, model, NULL, &count, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(!pinion_collision_points(m, 0, NULL, NULL, &count, &err) && err.status == PINION_ERR_FILE);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    static const char *const folders[] = {"w", "w/robot", "other", "other/pack"};
    static const char *const files[] = {"r.srdf", "w/robot/r.urdf", "w/robot/part.obj", "other/pack/piece.obj"};
    CHECK_BEGIN(argc, argv);
    CHECK(mkdtemp(folder));
    for (int i = 0; i < 4; i++) CHECK(mkdir(in_folder(folders[i]), 0755) == 0);
    RUN(kept);
    RUN(told);
    RUN(refused);
    RUN(groups_in_circles);
    RUN(meshes);
    for (int i = 0; i < 4; i++) remove(in_folder(files[i]));
    for (int i = 3; i >= 0; i--) rmdir(in_folder(folders[i]));
    CHECK(entries() == 0);
    rmdir(folder);
    return CHECK_END();
}
