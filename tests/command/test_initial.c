/* A model's own initial state: `pinion info` shows it, `pinion sim` starts from it, URDF cannot hold it. */
#include "command.h"
#include "fixtures.h"
#include "sim.h"

static const char *const files[] = {"start.json",   "out.json",   "out.urdf",
                                    "sliders.json", "state.json", "swing.json", NULL};

/* A slider and a ball joint, whose start the file gives, and a hinge without. */
#define MODEL                                                                                                \
    "{\"pinion\": 1, \"name\": \"start\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"base\"},\n"       \
    "  {\"name\": \"a\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}},\n"                    \
    "  {\"name\": \"b\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}},\n"                    \
    "  {\"name\": \"c\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n"                   \
    " \"joints\": [{\"name\": \"slide\", \"type\": \"prismatic\", \"parent\": \"base\", \"child\": \"a\",\n" \
    "   \"initial\": {\"q\": 0.5, \"v\": 0.25}},\n"                                                          \
    "  {\"name\": \"ball\", \"type\": \"spherical\", \"parent\": \"base\", \"child\": \"b\",\n"              \
    "   \"initial\": {\"q\": [0.6, 0, 0, 0.8]}},\n"                                                          \
    "  {\"name\": \"hinge\", \"type\": \"revolute\", \"parent\": \"base\", \"child\": \"c\"}]}\n"

/* A hinge that URDF could express, but for where it starts. */
#define SWING                                                                                                \
    "{\"pinion\": 1, \"name\": \"swing\", \"links\": [{\"name\": \"base\"}, {\"name\": \"a\", \"mass\": 1}],\n"    \
    " \"joints\": [{\"name\": \"swing\", \"type\": \"continuous\", \"parent\": \"base\", \"child\": \"a\",\n"      \
    "   \"initial\": {\"q\": 1}}]}\n"

TEST(info)
{
    const char *path = write_file("start.json", MODEL);
    answer a = run(NULL, "info", path, "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_KEYS(DIG(r, "joints", "0", "initial"), "q v");
    CHECK_NUMBERS(DIG(r, "joints", "0", "initial", "q"), 0, 0.5);
    CHECK_NUMBERS(DIG(r, "joints", "0", "initial", "v"), 0, 0.25);
    CHECK_NUMBERS(DIG(r, "joints", "1", "initial", "q"), 0, 0.6, 0, 0, 0.8);
    CHECK_NUMBERS(DIG(r, "joints", "1", "initial", "v"), 0, 0, 0, 0);
    CHECK(json_object_get(DIG(r, "joints", "2"), "initial") == NULL);
    json_decref(r);

    a = run(NULL, "info", path, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "Initial state");
    CHECK_HAS(a.out, "0.6, 0, 0, 0.8");
    forget(&a);

    /* a model without one says nothing about it */
    a = run(NULL, "info", write_file("sliders.json", SLIDERS), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.out && !strstr(a.out, "Initial state"));
    forget(&a);
}

/* The first line of numbers of a CSV result: column after column into x. */
static int first_row(const char *text, double *x, int most)
{
    const char *at = text;
    while (at && *at && !((*at >= '0' && *at <= '9') || *at == '-')) {
        at = strchr(at, '\n');
        if (at) at++;
    }
    int count = 0;
    for (char *end; at && count < most; at = end + 1) {
        x[count++] = strtod(at, &end);
        if (*end != ',') break;
    }
    return count;
}

/* Starts a simulation and compares q and v of its first row: t, 6 positions, 5 velocities. */
static void starts_at(const char *option, const char *value, const double expected[11])
{
    answer a = run(NULL, "sim", place("start.json"), "--duration", "0.1", "--quiet", option, value,
                   (const char *)NULL);
    double x[12] = {-1};
    CHECK_STATUS(a.status, 0);
    CHECK(first_row(a.out, x, 12) == 12 && x[0] == 0);
    for (int i = 0; i < 11; i++) CHECK_NEAR(x[i + 1], expected[i], 1e-15);
    forget(&a);
}

/* The options change what they name; a state from a file is a whole state. */
TEST(sim)
{
    write_file("start.json", MODEL);
    starts_at(NULL, NULL, (const double[]){0.5, 0.6, 0, 0, 0.8, 0, 0.25, 0, 0, 0, 0});
    starts_at("--q0", "hinge=2", (const double[]){0.5, 0.6, 0, 0, 0.8, 2, 0.25, 0, 0, 0, 0});
    starts_at("--q0", "slide=-1", (const double[]){-1, 0.6, 0, 0, 0.8, 0, 0.25, 0, 0, 0, 0});
    starts_at("--v0", "slide=0", (const double[]){0.5, 0.6, 0, 0, 0.8, 0, 0, 0, 0, 0, 0});
    starts_at("--state", write_file("state.json", "{\"q\": [1, 1, 0, 0, 0, 3]}\n"),
              (const double[]){1, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0});
}

TEST(convert)
{
    const char *path = write_file("start.json", MODEL);
    answer a = run(NULL, "convert", path, "-o", place("out.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *text = read_file(place("out.json"));
    CHECK_HAS(text, "\"initial\": {\"q\": 0.5, \"v\": 0.25}");
    CHECK_HAS(text, "\"initial\": {\"q\": [0.6, 0, 0, 0.8]}");
    free(text);

    /* strictly it is refused by name, and no file is left */
    REFUSED(1, "joint 'swing': its initial state is left out, since URDF cannot express it", NULL, "convert",
            write_file("swing.json", SWING), "-o", place("out.urdf"), "--strict");
    CHECK(access(place("out.urdf"), F_OK) != 0);
}

/* A home position and groups, wherever states and lists are expected. */
TEST(named_states_and_groups)
{
    const char *path = write_file(
        "start.json", "{\"pinion\": 1, \"name\": \"two\", \"links\": [{\"name\": \"b\"}, {\"name\": \"x\", "
        "\"mass\": 1,"
                      " \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}, {\"name\": \"y\", \"mass\": 1, \"inertia\": "
                      "{\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"j1\", \"type\": \"revolute\","
                      " \"parent\": \"b\", \"child\": \"x\"}, {\"name\": \"j2\", \"type\": \"revolute\", \"parent\":"
                      " \"x\", \"child\": \"y\"}], \"states\": {\"home\": {\"q\": {\"j2\": 0.5}, \"v\": "
                      "{\"j1\": 2}}},"
                      " \"groups\": {\"arm\": [\"j1\", \"j2\"]}}\n");
    answer a = run(NULL, "info", path, "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK(json_number_value(DIG(r, "states", "home", "q", "1")) == 0.5);
    CHECK(json_number_value(DIG(r, "states", "home", "v", "0")) == 2);
    CHECK_TEXT(DIG(r, "groups", "arm", "1"), "j2");
    json_decref(r);
    a = run(NULL, "info", path, (const char *)NULL);
    CHECK_HAS(a.out, "Named states\n  home\n");
    CHECK_HAS(a.out, "  arm: j1, j2\n");
    forget(&a);
    a = run(NULL, "eval", path, "--states", "home", "--what", "energy", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK_NEAR(json_number_value(DIG(r, "states", "0", "energy", "kinetic")), 4, 1e-12);
    json_decref(r);

    /* it starts there; the group's gain is 7 on both, but for the joint that has its own */
    a = run(NULL, "sim", path, "--state", "home", "--q0", "j1=1", "--control", "pd", "--kp", "j2=9,arm=7", "--kd", "0",
            "--to", "home", "--duration", "1", "--passive", "off", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK(cell(&t, 0, "q.j1") == 1 && cell(&t, 0, "q.j2") == 0.5 && cell(&t, 0, "v.j1") == 2);
    CHECK_NEAR(cell(&t, 50, "tau.j1"), 7 * cell(&t, 50, "error.q.j1"), 1e-9);
    CHECK_NEAR(cell(&t, 50, "tau.j2"), 9 * cell(&t, 50, "error.q.j2"), 1e-9);
    CHECK(fabs(cell(&t, 50, "error.q.j2")) > 1e-3 && cell(&t, -1, "target.q.j2") == 0.5);
    free(t.x);
    forget(&a);
    REFUSED(1, "state 'home': it is left out", NULL, "convert", path, "-o", place("out.urdf"), "--strict");
    REFUSED(1, "house: no such file, and no state of the model has this name; there is home", NULL, "sim", path,
            "--state", "house", "--duration", "1");
    REFUSED(2, "'arm' is given twice", NULL, "sim", path, "--q0", "arm=1,j1=2,arm=1", "--duration", "1");
    REFUSED(2, "'j*' is given twice", NULL, "sim", path, "--q0", "j*=1,j*=2", "--duration", "1");
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(info);
    RUN(sim);
    RUN(convert);
    RUN(named_states_and_groups);
    return command_end(files);
}
