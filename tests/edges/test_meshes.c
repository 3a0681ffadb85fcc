/* What a report carries along of a model's meshes: files in the model's folder and its packages, by real
 * path, and of them what was understood as a mesh. */
#define _GNU_SOURCE
#include "command/command.h"

#include <sys/stat.h>

static const char *const made[] = {"page.html",
                                   "out.csv",
                                   "result.jsonl",
                                   "robot/urdf/robot.urdf",
                                   "robot/urdf/near.stl",
                                   "robot/meshes/part.STL",
                                   "robot/meshes/part.obj",
                                   "robot/meshes/text.stl",
                                   "robot/meshes/none.stl",
                                   "robot/meshes/out.stl",
                                   "robot/meshes/part.dae",
                                   "robot/meshes/part.ply",
                                   "outside.stl",
                                   "here/pack/part.stl",
                                   "pack/part.stl",
                                   NULL};

static const char stl[] = "solid SECRETNAME\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex .3 0 0\n"
                          "vertex 0 .3 0\nendloop\nendfacet\nendsolid SECRETNAME\n";
static const char obj[] =
    "# SECRETREMARK\nv 0 0 0\nv .1 0 0\nv 0 .1 0\nvn 0 0 1\no part\nf 1//1 2//1 \\\n -1//-1\n";
static const char dae[] = "<?xml version='1.0'?><!-- SECRETREMARK --><COLLADA "
                          "version='1.4.1'><asset><contributor><author>SECRETNAME</author>"
                          "</contributor><unit meter='1'/></asset><library_geometries><geometry "
                          "id='g'><mesh><source id='x'><float_array id='a' "
                          "count='9'>0 0 0 1 0 0 0 1 0</float_array></source><vertices id='v'><input "
                          "semantic='POSITION' source='#x'/></vertices>"
                          "<triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 "
                          "2</p></triangles></mesh></geometry>"
                          "</library_geometries></COLLADA>";

static void make_folder(const char *name)
{
    CHECK(mkdir(place(name), 0755) == 0);
}

/* Whether the page has the text as such, or in base64 at any place of its three. */
static int has_bytes(const char *page, const char *text)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (strstr(page, text)) return 1;
    for (size_t skip = 0; skip < 3; skip++) {
        char code[200];
        size_t to = 0;
        for (size_t i = skip; i + 3 <= strlen(text) && to + 5 < sizeof code; i += 3) {
            const unsigned x = (unsigned)(unsigned char)text[i] << 16 |
                               (unsigned)(unsigned char)text[i + 1] << 8 | (unsigned char)text[i + 2];
            for (int k = 3; k >= 0; k--) code[to++] = digit[x >> 6 * k & 63];
        }
        code[to] = 0;
        if (strstr(page, code)) return 1;
    }
    return 0;
}

static const char *packages; /* --package-path, or NULL */

/* Makes a page of a robot with that mesh; the page, and on stderr what was said. */
static char *page_of(const char *mesh, char **said)
{
    char urdf[1000];
    snprintf(
        urdf, sizeof urdf,
        "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='1'/><inertia ixx='1' "
        "iyy='1' "
        "izz='1' ixy='0' ixz='0' iyz='0'/></inertial><visual><geometry><mesh "
        "filename='%s'/></geometry></visual>"
        "</link><joint name='j' type='continuous'><parent link='base'/><child link='arm'/></joint></robot>",
        mesh);
    const char *model = write_file("robot/urdf/robot.urdf", urdf), *page = place("page.html");
    remove(page);
    run_folder = place("here");
    answer a = run(NULL, "sim", model, "--duration", "0.1", "-o", place("out.csv"), "--report", page,
                   "--quiet", packages ? "--package-path" : NULL, packages, (const char *)NULL);
    run_folder = NULL;
    if (a.err && strstr(a.err, "built without")) {
        forget(&a);
        return NULL;
    }
    CHECK_STATUS(a.status, 0);
    if (said) *said = a.err;
    if (!said) free(a.err);
    free(a.out);
    char *text = read_file(page);
    CHECK(text);
    return text ? text : strdup("");
}

TEST(only_from_the_model_and_its_packages)
{
    static const struct {
        const char *mesh, *note; /* "" when it is carried along */
    } cases[] = {
        {"near.stl", ""},
        {"../meshes/part.STL", ""},
        {"../meshes/part.obj", ""},
        {"../meshes/part.dae", ""},
        {"package://robot/meshes/part.STL", ""},
        {"package://pack/part.stl", ""}, /* beside the package, as in a workspace */
        {"../../outside.stl", "lies outside the model's folder and its packages, and is not read"},
        {"../meshes/out.stl", "lies outside the model's folder and its packages, and is not read"},
        {"package://robot/meshes/out.stl",
         "lies outside the model's folder and its packages, and is not read"},
        {"/etc/passwd", "lies outside the model's folder and its packages, and is not read"},
        {"file:///etc/passwd", "lies outside the model's folder and its packages, and is not read"},
        {"package://here/pack/part.stl", ""},
        {"pack/part.stl", "could not be found"}, /* the current folder has it */
        {"../meshes/none.stl", "is empty"},
        {"../meshes/text.stl", "is not what its name says"},
        {"../meshes/part.ply", "is of a kind that the page does not show"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *said = NULL, *page = page_of(cases[i].mesh, &said);
        if (!page) SKIP("the command has no page");
        const int carried = strstr(page, "\"meshes\":[]") == NULL;
        if (cases[i].note[0] && (carried || !strstr(page, cases[i].note)))
            CHECK_FAIL("%s: expected a note, '%s'", cases[i].mesh, cases[i].note);
        if (!cases[i].note[0] && !carried) CHECK_FAIL("%s is not carried along", cases[i].mesh);
        if (strstr(cases[i].note, "outside")) CHECK_HAS(said, "lies outside the model's folder");
        if (strstr(cases[i].note, "could not")) CHECK_HAS(said, "the mesh file pack/part.stl could not be found\n");
        CHECK(!has_bytes(page, "SECRETNAME") && !has_bytes(page, "SECRETREMARK") &&
              !has_bytes(page, "root:x:0:0"));
        free(page);
        free(said);
    }
}

/* A result that names a model's file of the user's, and meshes beside it that this model has no use for. */
TEST(what_a_result_names)
{
    free(page_of("near.stl", NULL)); /* the model, whose own mesh that is */
    for (int strange = 0; strange < 2; strange++) {
        char result[2000];
        snprintf(
            result, sizeof result,
            "{\"pinion_result\": 1, \"texts\": {\"model_file\": \"%s\", \"model\": \"{\\\"pinion\\\": 1, "
            "\\\"links\\\": [{\\\"name\\\": \\\"base\\\"}, {\\\"name\\\": \\\"arm\\\", \\\"mass\\\": 1, "
            "\\\"visuals\\\": [{\\\"shape\\\": \\\"mesh\\\", \\\"mesh\\\": \\\"%s\\\"}]}], \\\"joints\\\": "
            "[{\\\"name\\\": \\\"j\\\", \\\"type\\\": \\\"continuous\\\", \\\"parent\\\": \\\"base\\\", "
            "\\\"child\\\": \\\"arm\\\"}]}\"}, \"columns\": [{\"name\": \"t\", \"unit\": \"s\"}, {\"name\": "
            "\"q.j\", \"unit\": \"rad\"}]}\n[0, 0]\n[1, 1]\n",
            place("robot/urdf/robot.urdf"), strange ? "../meshes/part.STL" : "near.stl");
        answer a = run(NULL, "report", write_file("result.jsonl", result), "-o", place("page.html"),
                       (const char *)NULL);
        if (a.err && strstr(a.err, "built without")) SKIP("the command has no page");
        CHECK_STATUS(a.status, 0);
        if (a.status) printf("  %s", a.err);
        forget(&a);
        char *page = read_file(place("page.html"));
        CHECK(page && (strstr(page, "\"meshes\":[]") != NULL) == strange);
        if (strange) CHECK_HAS(page, "is named by the result, but not by the model's file");
        free(page);
    }
}

/* A package that the user names in the environment. */
TEST(package_path)
{
    CHECK(setenv("ROS_PACKAGE_PATH", place("here"), 1) == 0);
    char *page = page_of("package://pack/part.stl", NULL);
    if (!page) SKIP("the command has no page");
    CHECK(!strstr(page, "\"meshes\":[]"));
    free(page);
    CHECK(setenv("ROS_PACKAGE_PATH", ":.:here", 1) == 0);
    remove(place("pack/part.stl"));
    page = page_of("package://pack/part.stl", NULL);
    CHECK(page && strstr(page, "could not be found"));
    free(page);
    unsetenv("ROS_PACKAGE_PATH");
    packages = ".:nowhere"; /* the command runs in the folder `here` */
    page = page_of("package://pack/part.stl", NULL);
    packages = NULL;
    CHECK(page && !strstr(page, "\"meshes\":[]"));
    free(page);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    static const char *const folders[] = {"robot", "robot/urdf", "robot/meshes", "here", "here/pack", "pack"};
    for (int i = 0; i < 6; i++) make_folder(folders[i]);
    write_file("robot/urdf/near.stl", stl);
    write_file("robot/meshes/part.STL", stl);
    write_file("robot/meshes/part.obj", obj);
    write_file("robot/meshes/part.dae", dae);
    write_file("robot/meshes/part.ply", "ply\n");
    write_file("robot/meshes/text.stl", "root:x:0:0:root:/root:/bin/bash\n");
    write_file("robot/meshes/none.stl", "");
    write_file("outside.stl", stl);
    write_file("here/pack/part.stl", stl);
    write_file("pack/part.stl", stl);
    CHECK(symlink("../../outside.stl", place("robot/meshes/out.stl")) == 0);
    RUN(only_from_the_model_and_its_packages);
    RUN(what_a_result_names);
    RUN(package_path);
    for (int i = 0; made[i]; i++) remove(place(made[i]));
    for (int i = 5; i >= 0; i--) rmdir(place(folders[i]));
    return command_end(made);
}
