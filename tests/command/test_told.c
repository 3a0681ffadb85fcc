/* What commands tell so that nobody is surprised: where a motion goes, what a model was warned of,
what was written. */
#include "command.h"
#include "fixtures.h"
#include "sim.h"

static const char *const files[] = {"arm.json", "light.json", "way.csv", "a.h5", "a.html", "a.csv",
                                    "sliders.json", "mimic.urdf", "states.json", NULL};

/* A joint that --to does not name stays where the motion starts, as one that --q0 does not name. */
TEST(to_keeps_what_it_does_not_name)
{
    const char *m = bundled("planar-3r.json");
    answer a = run(NULL, "id", m, "--from", "0.5,0.6,0.7", "--to", "joint2=1", "--motion", (const char *)NULL);
    table t = read_table(a.out);
    CHECK_STATUS(a.status, 0);
    CHECK_NEAR(cell(&t, 0, "q.joint2"), 0.6, 0);
    CHECK_NEAR(cell(&t, -1, "q.joint1"), 0.5, 0);
    CHECK_NEAR(cell(&t, -1, "q.joint2"), 1, 1e-15);
    CHECK_NEAR(cell(&t, -1, "q.joint3"), 0.7, 0);
    free(t.x);
    forget(&a);
    a = run(NULL, "sim", m, "--q0", "0.5,0.6,0.7", "--to", "joint2=1", "--control", "computed-torque",
            (const char *)NULL);
    t = read_table(a.out);
    CHECK_STATUS(a.status, 0);
    CHECK_NEAR(cell(&t, -1, "q.joint1"), 0.5, 1e-9);
    CHECK_NEAR(cell(&t, -1, "q.joint2"), 1, 1e-9);
    CHECK_NEAR(cell(&t, -1, "q.joint3"), 0.7, 1e-9);
    free(t.x);
    forget(&a);
}

/* A run that follows a file starts on it, moving as it does, unless it is told where. */
TEST(a_run_starts_on_its_trajectory)
{
    const char *m = bundled("planar-3r.json"),
               *way = write_file("way.csv", "t,q.joint1,q.joint2,q.joint3,v.joint1,v.joint2,v.joint3\n"
                                            "0,0.5,0.6,0.7,0.1,0.2,0.3\n1,0.6,0.8,1,0.1,0.2,0.3\n");
    static const struct {
        const char *option, *value;
        double q, v;
    } tried[] = {{"--kp", "100", 0.5, 0.1}, {"--q0", "joint2=0.2", 0, 0}, {"--v0", "joint1=2", 0.5, 2}};
    for (int i = 0; i < 3; i++) {
        answer a = run(NULL, "sim", m, "--trajectory", way, "--control", "computed-torque", tried[i].option,
                       tried[i].value, (const char *)NULL);
        table t = read_table(a.out);
        CHECK_STATUS(a.status, 0);
        CHECK_NEAR(cell(&t, 0, "q.joint1"), tried[i].q, 0);
        CHECK_NEAR(cell(&t, 0, "v.joint1"), tried[i].v, 0);
        if (i == 0) CHECK_NEAR(cell(&t, -1, "q.joint3"), 1, 1e-9);
        free(t.x);
        forget(&a);
    }
}

/* sim repeats the model's warnings, the first of them, and JSON has all. */
TEST(warnings_of_the_model)
{
    const char *m = write_file(
        "light.json",
        "{\"pinion\": 1, \"name\": \"light\", \"links\": [{\"name\": \"base\"},\n"
        " {\"name\": \"a\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 9}},\n"
        " {\"name\": \"b\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 9}},\n"
        " {\"name\": \"c\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 9}},\n"
        " {\"name\": \"d\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 9}}],\n"
        "\"joints\": [{\"name\": \"A\", \"type\": \"continuous\", \"parent\": \"base\", \"child\": \"a\"},\n"
        " {\"name\": \"B\", \"type\": \"continuous\", \"parent\": \"a\", \"child\": \"b\"},\n"
        " {\"name\": \"C\", \"type\": \"continuous\", \"parent\": \"b\", \"child\": \"c\"},\n"
        " {\"name\": \"D\", \"type\": \"continuous\", \"parent\": \"c\", \"child\": \"d\"}]}\n");
    answer a = run(NULL, "info", m, "--json", (const char *)NULL);
    json_t *info = parse_answer(&a, 0);
    const size_t count = json_array_size(DIG(info, "warnings"));
    CHECK(count >= 4);
    a = run(NULL, "sim", m, "--duration", "0.1", "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "pinion sim: warning: the model: ");
    CHECK_HAS(a.err, json_string_value(DIG(info, "warnings", "0")));
    CHECK_HAS(a.err, " more, see pinion info\n");
    CHECK(lines_of(a.err) == 4);
    json_t *summary = json_loads(a.out, 0, NULL);
    CHECK(json_array_size(DIG(summary, "warnings")) == count);
    json_decref(summary);
    json_decref(info);
    forget(&a);
    a = run(NULL, "sim", m, "--duration", "0.1", "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "pinion sim: warning: the model: ");
    CHECK(lines_of(a.err) == 4);
    forget(&a);
}

TEST(files_that_were_written)
{
    answer a = run(NULL, "id", bundled("planar-3r.json"), "--from", "0,0,0", "--to", "1,1,1", "-o", place("a.h5"),
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "planar-3r: joint forces at 101 instants from 0 to 1 s\n  wrote ");
    CHECK_HAS(a.err, "a.h5\n");
    forget(&a);
    a = run(NULL, "report", place("a.h5"), (const char *)NULL);
    if (a.status == 0) {
        CHECK_HAS(a.err, "101 rows of ");
        CHECK_HAS(a.err, "a.html\n");
    } else {
        CHECK_HAS(a.err, "this build has no report page");
    }
    forget(&a);
}

/* The cure of a mimic joint that is in the way is named, where it is one. */
TEST(mimic_joints)
{
    const char *sliders = write_file("sliders.json", SLIDERS);
    REFUSED(1, "(--mimic independent)", NULL, "sim", sliders, "--duration", "1", "--algorithm", "aba");
    static const char robot[] =
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/>\n"
        "<joint name=\"j\" type=\"%s\"><parent link=\"a\"/><child link=\"b\"/><mimic "
        "joint=\"nobody\"/></joint></robot>\n";
    char text[400];
    snprintf(text, sizeof text, robot, "continuous");
    REFUSED(1, "; --mimic independent makes such joints ordinary ones", NULL, "info", write_file("mimic.urdf", text));
    REFUSED(1, "; --mimic independent makes such joints ordinary ones", text, "info", "-");
    snprintf(text, sizeof text, robot, "nonsense");
    answer a = run(text, "info", "-", (const char *)NULL);
    CHECK(a.status == 1 && strstr(a.err, "--mimic") == NULL);
    forget(&a);
}

TEST(brief_answers)
{
    answer a = run("{\"states\": [{\"q\": [0, 1, 2]}]}", "eval", bundled("planar-3r.json"), "--states", "-", "--what",
                   "gravity", "--brief", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_KEYS(r, "states");
    CHECK_KEYS(DIG(r, "states", "0"), "gravity");
    json_decref(r);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(to_keeps_what_it_does_not_name);
    RUN(a_run_starts_on_its_trajectory);
    RUN(warnings_of_the_model);
    RUN(files_that_were_written);
    RUN(mimic_joints);
    RUN(brief_answers);
    return command_end(files);
}
