/* Meshes in files as collisions: from every format the corners of their hulls take part in contact, scaled, and what
 * cannot be read is told once and left out. */
#define _GNU_SOURCE
#include "check.h"
#include "pinion/pinion.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/pinion-meshes-XXXXXX";
#include "folder.h"

static const char *write_text(const char *name, const char *text)
{
    const char *path = in_folder(name);
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(text, 1, strlen(text), f) == strlen(text));
    if (f) fclose(f);
    return path;
}

/* a box of 2, 1, 0.5 with its centre at the origin, and points within and on it that are no corners */
static const char box_obj[] = "v -1 -0.5 -0.25\nv 1 -0.5 -0.25\nv -1 0.5 -0.25\nv 1 0.5 -0.25\n"
                              "v -1 -0.5 0.25\nv 1 -0.5 0.25\nv -1 0.5 0.25\nv 1 0.5 0.25\n"
                              "v 0 0 0\nv 0.5 0.25 0.1\nv 0 0 0.25\nv 1 0 0\nf 1 2 3\nf 4 5 6\n";

/* The same in each format: a link "b" that floats, the box scaled by 0.1, 0.2, 0.4 and half a metre up. */
static const char *const models[] = {
    "<robot name='r'><link name='w'/><link name='b'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0'"
    " ixz='0' iyz='0'/></inertial><collision><origin xyz='0 0 0.5'/><geometry><mesh filename='parts/box.obj'"
    " scale='0.1 0.2 0.4'/></geometry></collision></link>"
    "<joint name='f' type='floating'><parent link='w'/><child link='b'/></joint></robot>",

    "<mujoco><compiler meshdir='parts'/><asset><mesh name='box' file='box.obj' scale='0.1 0.2 0.4'/></asset><worldbody>"
    "<body name='b'><freejoint name='f'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/><geom type='mesh' "
    "mesh='box' pos='0 0 0.5'/></body></worldbody></mujoco>",

    "<sdf version='1.9'><model name='m'><link name='b'><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy>"
    "<izz>1</izz></inertia></inertial><collision name='c'><pose>0 0 0.5 0 0 0</pose><geometry><mesh>"
    "<uri>parts/box.obj</uri><scale>0.1 0.2 0.4</scale></mesh></geometry></collision></link></model></sdf>",

    "{\"pinion\": 1, \"links\": [{\"name\": \"w\"}, {\"name\": \"b\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1,"
    "\"zz\": 1}, \"collisions\": [{\"shape\": \"mesh\", \"mesh\": \"parts/box.obj\", \"scale\": [0.1, 0.2, 0.4],"
    "\"origin\": {\"position\": [0, 0, 0.5]}}]}], \"joints\": [{\"name\": \"f\", \"type\": \"free\", \"parent\": \"w\","
    "\"child\": \"b\"}]}"};
static const char *const names[] = {"m.urdf", "m.xml", "m.sdf", "m.json"};

static pinion_model *load(const char *name, const char *text, char path[400])
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    snprintf(path, 400, "%s", write_text(name, text));
    pinion_model *m = pinion_load(path, NULL, &err);
    if (!m) CHECK_FAIL("%s: %s", name, err.message);
    return m;
}

/* what is nearest to the ground at q = (1, 0, 0, 0, 0, 0, z) */
static double gap_at(const pinion_model *m, double z, int *points)
{
    pinion_error err;
    pinion_scene_options o = pinion_scene_options_default();
    o.ground = 1;
    pinion_scene *s = pinion_scene_new(m, &o, &err);
    pinion_work *w = pinion_work_new(m);
    const double q[7] = {1, 0, 0, 0, 0, 0, z};
    pinion_scene_pair pair = {0, 0, NAN, {0, 0, 0}};
    CHECK_STATUS(pinion_scene_find(s, w, q), PINION_OK);
    CHECK_STATUS(pinion_scene_pair_at(s, 0, &pair), PINION_OK);
    *points = pinion_scene_count(s);
    pinion_work_free(w);
    pinion_scene_free(s);
    return pair.gap;
}

TEST(every_format)
{
    for (int i = 0; i < 4; i++) {
        char path[400];
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_mesh_report report;
        pinion_collision_info c;
        pinion_model *m = load(names[i], models[i], path);
        if (!m) continue;
        pinion_model *full = pinion_model_read_meshes(m, path, NULL, &report, &err);
        if (!full) CHECK_FAIL("%s: %s", names[i], err.message);
        CHECK(report.files == 1 && report.left_out == 0 && !*report.why);
        CHECK_STATUS(pinion_model_collision(full, 0, &c), PINION_OK);
        CHECK(c.mesh && c.data && c.rows == 8 && c.columns == 3); /* the corners, and nothing else */
        int points;
        CHECK_NEAR(gap_at(full, -0.3, &points), 0.5 - 0.3 - 0.4 * 0.25, 1e-14);
        CHECK(points == 0);
        CHECK_NEAR(gap_at(full, -0.4, &points), 0, 1e-14);
        CHECK(points == 4); /* it stands on four corners */

        /* what is saved names the file, as before; and copies keep the points */
        char *before = pinion_save_string(m, PINION_FORMAT_JSON, &err);
        char *after = pinion_save_string(full, PINION_FORMAT_JSON, &err);
        CHECK(before && after && strcmp(before, after) == 0);
        pinion_model *larger = pinion_model_scale(full, 2, 1, &err);
        CHECK(larger && fabs(gap_at(larger, -0.6, &points) - (2 * (0.5 - 0.1) - 0.6)) < 1e-14);
        pinion_model_free(larger);
        pinion_free(before);
        pinion_free(after);
        pinion_model_free(full);
        pinion_model_free(m);
    }
}

/* One file is missing, one is none, one is a link out of the folder, one is there; and the same file twice. */
TEST(what_cannot_be_read)
{
    static const char text[] =
        "<robot name='r'><link name='a'><collision><geometry><mesh filename='parts/box.obj'/></geometry></collision>"
        "<collision><geometry><mesh filename='parts/gone.stl'/></geometry></collision>"
        "<collision><geometry><mesh filename='parts/bad.obj'/></geometry></collision>"
        "<collision><geometry><mesh filename='parts/three.obj'/></geometry></collision>"
        "<collision><geometry><mesh filename='parts/box.obj' scale='2 2 2'/></geometry></collision>"
        "<collision><geometry><sphere radius='1'/></geometry></collision></link></robot>";
    char path[400];
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_mesh_report report;
    pinion_model *m = load("m.urdf", text, path);
    write_text("parts/bad.obj", "v 1 2 x\n");
    write_text("parts/three.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"); /* a triangle is no solid */
    pinion_model *full = pinion_model_read_meshes(m, path, NULL, &report, &err);
    CHECK(full && report.files == 5 && report.left_out == 3);
    CHECK_HAS(report.why, "'parts/gone.stl' could not be found");
    static const int has[6] = {8, 0, 0, 0, 8, 0};
    for (int i = 0; full && i < 6; i++) {
        pinion_collision_info c;
        CHECK_STATUS(pinion_model_collision(full, i, &c), PINION_OK);
        CHECK(c.rows == has[i] && (c.data != NULL) == (has[i] > 0));
    }
    pinion_model *again = pinion_model_read_meshes(full, path, NULL, &report, &err);
    CHECK(again && report.files == 3 && report.left_out == 3);
    pinion_model_free(again);
    pinion_model_free(full);

    /* without a file of its own a model finds none */
    full = pinion_model_read_meshes(m, NULL, NULL, &report, &err);
    CHECK(full && report.left_out == 5);
    pinion_model_free(full);
    CHECK(!pinion_model_read_meshes(NULL, path, NULL, &report, &err) && err.status == PINION_ERR_ARGUMENT);

    static const double points[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, NAN};
    CHECK(!pinion_model_with_points(m, 0, 4, points, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(!pinion_model_with_points(m, 0, 3, points, &err) && !pinion_model_with_points(m, 9, 3, points, &err));
    CHECK(!pinion_model_with_points(m, 5, 3, points, &err)); /* a sphere */
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    static const char *const files[] = {"m.urdf", "m.xml", "m.sdf", "m.json", "parts/box.obj", "parts/bad.obj",
                                        "parts/three.obj"};
    CHECK_BEGIN(argc, argv);
    CHECK(mkdtemp(folder));
    CHECK(mkdir(in_folder("parts"), 0755) == 0);
    write_text("parts/box.obj", box_obj);
    RUN(every_format);
    RUN(what_cannot_be_read);
    for (int i = 0; i < 7; i++) remove(in_folder(files[i]));
    rmdir(in_folder("parts"));
    CHECK(entries() == 0);
    rmdir(folder);
    return CHECK_END();
}
