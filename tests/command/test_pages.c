/* Pages of results: what of a result or of its meshes cannot be shown is told on the page, and the rest is shown. */
#define _DEFAULT_SOURCE
#include "command.h"

static const char *const files[] = {"run.jsonl", "run.html", "run.csv",  "again.html", "gears.urdf", "twin.json",
                                    "mesh.urdf", "flat.stl", "cut.stl",  "wide.obj",   "named.dae",
                                    "tasks.json", NULL};
static int page; /* this build has the report's page */
#define NEEDS_PAGE if (!page) SKIP("this build has no report page")

/* The page of a result holds each of these texts; they end with NULL. */
static void page_tells(const char *result, ...)
{
    answer a = run(NULL, "report", result, "-o", place("again.html"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *text = read_file(place("again.html"));
    va_list texts;
    va_start(texts, result);
    for (const char *part; (part = va_arg(texts, const char *)) != NULL;)
        if (!text || !strstr(text, part)) CHECK_FAIL("the page does not say: %s", part);
    va_end(texts);
    free(text);
}

/* What stands at `key` of a page up to the next '}'. */
static char *part_of(const char *path, const char *key)
{
    char *text = read_file(path), *at = text ? strstr(text, key) : NULL;
    char *part = at ? strndup(at, strcspn(at, "}")) : NULL;
    CHECK(part != NULL);
    free(text);
    return part;
}

/* A run of two joints as JSON lines, with `from` in place of `to` where it stands first. */
static const char *changed(const char *from, const char *to)
{
    answer a = run(NULL, "sim", bundled("planar-2r.json"), "--duration", "0.004", "--step", "0.001", "--integrator",
                   "rk4", "--output-step", "0.001", "-o", place("run.jsonl"), "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *text = read_file(place("run.jsonl")), *at = text ? strstr(text, from) : NULL;
    CHECK(at != NULL);
    if (at) {
        char *whole = (char *)malloc(strlen(text) + strlen(to) + 1);
        if (whole) sprintf(whole, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
        if (whole) write_file("run.jsonl", whole);
        free(whole);
    }
    free(text);
    return place("run.jsonl");
}

/* More events than a page shows. */
static const char *with_events(int count)
{
    FILE *f = fopen(place("run.jsonl"), "w");
    if (f) fputs("{\"pinion_result\": 1, \"texts\": {}, \"events\": [", f);
    for (int i = 0; f && i < count; i++) fprintf(f, "%s{\"t\": %g, \"text\": \"tick %d\"}", i ? ", " : "", 1e-3 * i, i);
    if (f) fputs("], \"columns\": [{\"name\": \"t\", \"unit\": \"s\"}, {\"name\": \"x\", \"unit\": \"m\"}]}\n[0, 1]\n"
                 "[3, 2]\n", f);
    CHECK(f && fclose(f) == 0);
    return place("run.jsonl");
}

TEST(results_that_are_not_whole)
{
    NEEDS_PAGE;
    page_tells(with_events(2001), "The first 2000 of 2001 events are shown.", "tick 1999", NULL);
    page_tells(changed("\"q.elbow\"", "\"q.wrist\""), "The result has no column q.elbow, so there is no playback.",
               "\"kind\":\"series\"", NULL);
    page_tells(changed("\n[0.003, ", "\n[0.0005, "),
               "The motion cannot be shown from row 4 on: its numbers are not finite, are no configuration, or its "
               "time goes back.",
               "\"kind\":\"playback\"", "1 row whose time is not a number or goes back is left out.", NULL);
    page_tells(changed("\\\"pinion\\\": 1,", "\\\"pinion\\\": 7,"), "There is no playback: the result's model:", NULL);
    page_tells(write_file("run.csv", "t,a\n"), "There are no rows to plot.", NULL);
}

#define BODY "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"

/* A follower that ran on its own is shown where it ran, not where its leader would have it. */
TEST(followers_on_their_own)
{
    NEEDS_PAGE;
    const char *gears = write_file(
        "gears.urdf",
        "<robot name='gears'><link name='base'/><link name='a'>" BODY "</link><link name='b'>" BODY "</link>"
        "<joint name='j' type='continuous'><parent link='base'/><child link='a'/><axis xyz='0 0 1'/></joint>"
        "<joint name='k' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>"
        "<mimic joint='j' multiplier='2'/></joint></robot>");
    answer a = run(NULL, "sim", gears, "--mimic", "independent", "--v0", "k=1", "--duration", "0.1", "-o",
                   place("run.jsonl"), "--report", place("run.html"), "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    page_tells(place("run.jsonl"), "\"kind\":\"playback\"", NULL);
    char *ran = part_of(place("run.html"), "\"poses\""), *shown = part_of(place("again.html"), "\"poses\"");
    CHECK(ran && shown && strcmp(ran, shown) == 0);
    free(ran);

    /* and when the model in the result, as another program may write it, still has the follower */
    char *text = read_file(place("run.jsonl")), *child = text ? strstr(text, "\\\"child\\\": \\\"b\\\"") : NULL;
    CHECK(child != NULL);
    if (child) {
        static const char follows[] = ", \\\"mimic\\\": {\\\"joint\\\": \\\"j\\\", \\\"multiplier\\\": 2}";
        const int length = (int)(child - text) + (int)strlen("\\\"child\\\": \\\"b\\\"");
        char *whole = (char *)malloc(strlen(text) + sizeof follows);
        if (whole) sprintf(whole, "%.*s%s%s", length, text, follows, text + length);
        if (whole) page_tells(write_file("run.jsonl", whole), "\"kind\":\"playback\"", NULL);
        free(whole);
        ran = part_of(place("again.html"), "\"poses\"");
        CHECK(ran && shown && strcmp(ran, shown) == 0);
        free(ran);
    }
    free(text);
    free(shown);
}

/* What is missing to tasks is drawn by its unit: lengths apart from angles. */
TEST(errors_of_tasks)
{
    NEEDS_PAGE;
    const char *tasks = write_file(
        "tasks.json", "{\"tasks\": [{\"task\": \"position\", \"frame\": \"flange\"}, "
                      "{\"task\": \"orientation\", \"frame\": \"flange\", \"priority\": 1}]}");
    answer a = run(NULL, "sim", bundled("arm-6dof.json"), "--q0", "0.1,-0.5,0.9,0.2,0.3,0", "--control", "task",
                   "--tasks", tasks, "--duration", "0.02", "-o", place("run.csv"), "--report", place("run.html"),
                   "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *text = read_file(place("run.html"));
    CHECK(text && strstr(text, "Errors of tasks, lengths") && strstr(text, "Errors of tasks, angles"));
    free(text);
}

/* Of two shapes of one name each has the friction of its own. */
TEST(shapes_of_one_name)
{
    NEEDS_PAGE;
    const char *twin = write_file(
        "twin.json",
        "{\"pinion\": 1, \"name\": \"twin\", \"links\": [{\"name\": \"world\"}, {\"name\": \"box\", \"mass\": 2,\n"
        "  \"inertia\": {\"xx\": 0.02, \"yy\": 0.02, \"zz\": 0.02}, \"collisions\": [\n"
        "  {\"shape\": \"sphere\", \"radius\": 0.1, \"friction\": 0.5, \"origin\": {\"position\": [0.3, 0, 0]}},\n"
        "  {\"shape\": \"sphere\", \"radius\": 0.1, \"friction\": 0.25, \"origin\": {\"position\": [-0.3, 0, 0]}}]}],\n"
        " \"joints\": [{\"name\": \"fly\", \"type\": \"free\", \"parent\": \"world\", \"child\": \"box\"}]}\n");
    answer a = run(NULL, "sim", twin, "--contact", "ground", "--q0", "fly.6=0.1", "--duration", "0.02", "-o",
                   place("run.jsonl"), "--report", place("run.html"), "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *text = read_file(place("run.html"));
    CHECK(text && strstr(text, "\"pairs\":[{\"name\":\"ground.box\",\"friction\":0.5,\"outside\":true},"
                               "{\"name\":\"ground.box (2)\",\"friction\":0.25,\"outside\":true}]") != NULL);
    free(text);
}

/* An OBJ file of 6 MiB whose numbers are 25 MiB once they are written as floats are. */
static void write_wide(void)
{
    FILE *f = fopen(place("wide.obj"), "w");
    for (int i = 0; f && i < 600000; i++) fputs("v .1 .1 .1\n", f);
    if (f) fputs("f 1 2 3\n", f);
    CHECK(f && fclose(f) == 0);
}

TEST(meshes)
{
    NEEDS_PAGE;
    static const char *const names[] = {"flat.stl", "cut.stl", "wide.obj", "named.dae"};
    char robot[4000] = "<robot name='meshes'><link name='base'/>";
    for (int i = 0; i < 4; i++)
        snprintf(robot + strlen(robot), sizeof robot - strlen(robot),
                 "<link name='l%d'>" BODY "<visual><geometry><mesh filename='%s'/></geometry></visual></link>"
                 "<joint name='j%d' type='continuous'><parent link='base'/><child link='l%d'/><axis xyz='0 0 1'/>"
                 "</joint>", i, names[i], i, i);
    strcat(robot, "</robot>");
    write_file("mesh.urdf", robot);
    write_file("flat.stl", "solid s\nfacet normal nan -nan nan\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                           "vertex 2 0 0\nendloop\nendfacet\nendsolid s\n");
    write_file("cut.stl", "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\n"
                          "endloop\nendfacet\n");
    write_file("named.dae",
               "<COLLADA version='1.4.1'><library_geometries><geometry id='g' name='a&amp;b&lt;c'><mesh>"
               "<source id='x'><float_array id='f' count='9'>0 0 0 1 0 0 0 1 0</float_array></source>"
               "<triangles count='1'><p>0 1 2</p></triangles></mesh></geometry></library_geometries></COLLADA>");
    write_wide();
    answer a = run(NULL, "sim", place("mesh.urdf"), "--duration", "0.01", "-o", place("run.csv"), "--report",
                   place("run.html"), "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *text = read_file(place("run.html"));
    /* its one triangle, behind 80 bytes of head and the count, with a normal of zeros, in base64 */
    CHECK(text && strstr(text, "{\"name\":\"flat.stl\",\"format\":\"stl\",\"data\":\""
                    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                    "AAAAAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAPwAAAAAAAAAA"
                    "AAAAQAAAAAAAAAAAAAA=\"}") != NULL);
    CHECK(text && strstr(text, "The mesh file cut.stl is not what its name says") != NULL);
    CHECK(text && strstr(text, "The mesh file wide.obj is too large; 20 MiB of meshes are carried along") != NULL);
    /* `a&#38;b&#60;c` in base64, by where it begins in the file */
    CHECK(text && strstr(text, "{\"name\":\"named.dae\",\"format\":\"dae\"") != NULL);
    CHECK(text && (strstr(text, "YSYjMzg7YiYjNjA7") || strstr(text, "EmIzM4O2ImIzYwO2") ||
                   strstr(text, "hJiMzODtiJiM2MDtj")));
    free(text);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    answer a = run(NULL, "report", write_file("run.csv", "t,a\n0,1\n"), "-o", place("again.html"), (const char *)NULL);
    page = a.err && !strstr(a.err, "no report page");
    forget(&a);
    RUN(results_that_are_not_whole);
    RUN(followers_on_their_own);
    RUN(errors_of_tasks);
    RUN(shapes_of_one_name);
    RUN(meshes);
    return command_end(files);
}
