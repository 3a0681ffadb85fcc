/* Runs with parts that few have: the sparse system for loops, tasks of turns, a current that changes from place to
 * place. */
#define _DEFAULT_SOURCE
#include "command/command.h"

static const char *const files[] = {"a.csv", "b.csv", "tasks.json", "forces.json", "slider.json", "r.csv",
                                    "x.html", "r.jsonl", NULL};

/* the last row of a run, which must succeed; the arguments end with NULL */
static int last_row(double *row, int count, const char *path)
{
    char *text = read_file(path), *line = text, *end;
    int n = 0;
    for (char *s = text; s && *s; s++)
        if (*s == '\n' && s[1]) line = s + 1;
    while (line && n < count) {
        row[n++] = strtod(line, &end);
        if (end == line) n = 0;
        if (*end != ',') break;
        line = end + 1;
    }
    free(text);
    return n;
}

/* One sparse system for all bodies and loops, and the default: the same motion. */
TEST(loops_by_a_sparse_system)
{
    static const char *const by[2] = {"loop-nullspace", "kkt-sparse"}, *const name[2] = {"a.csv", "b.csv"};
    double row[2][7] = {{0}};
    for (int k = 0; k < 2; k++) {
        answer a = run(NULL, "sim", bundled("four-bar.json"), "--duration", "0.2", "--quiet", "-o", place(name[k]),
                       "--algorithm", by[k], (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        forget(&a);
        CHECK(last_row(row[k], 7, place(name[k])) == 7);
    }
    for (int i = 0; i < 7; i++) CHECK_NEAR(row[0][i], row[1][i], 1e-7);
    CHECK(fabs(row[0][1]) > 0.1);
}

/* What a run of tasks ends with: t, q and v of six joints. */
static void do_tasks(const char *tasks, double *row)
{
    char text[600];
    snprintf(text, sizeof text, "{\"tasks\": [%s]}", tasks);
    answer a = run(NULL, "sim", bundled("arm-6dof.json"), "--duration", "0.5", "--quiet", "-o", place("a.csv"),
                   "--control", "task", "--q0", "0.3,-1,1.2,0.4,0.8,0.1", "--tasks", write_file("tasks.json", text),
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    if (a.status) printf("  %s", a.err);
    forget(&a);
    CHECK(last_row(row, 13, place("a.csv")) == 13);
}

/* A turn by a quaternion and by angles is the same turn. */
TEST(turns)
{
    double row[2][13] = {{0}}, far = 0;
    do_tasks("{\"task\": \"orientation\", \"frame\": \"flange\", \"rpy\": [0.3, 0, 0]}", row[0]);
    do_tasks("{\"task\": \"orientation\", \"frame\": \"flange\", \"quaternion\":"
             " [0.98877107793604224, 0.14943813247359922, 0, 0]}", row[1]);
    for (int i = 0; i < 13; i++) CHECK_NEAR(row[0][i], row[1][i], 1e-6);
    for (int i = 7; i < 13; i++) far = fmax(far, fabs(row[0][i]));
    CHECK(far > 1e-3); /* it moves */
    REFUSED(1, "beside \"rpy\"; expected one of them", NULL, "sim", bundled("arm-6dof.json"), "--duration", "1",
            "--control", "task", "--tasks",
            write_file("tasks.json", "{\"tasks\": [{\"task\": \"orientation\", \"frame\": \"flange\","
                                     " \"rpy\": [0, 0, 0], \"quaternion\": [1, 0, 0, 0]}]}"));
    REFUSED(1, "is not of unit length", NULL, "sim", bundled("arm-6dof.json"), "--duration", "1", "--control", "task",
            "--tasks", write_file("tasks.json", "{\"tasks\": [{\"task\": \"orientation\", \"frame\": \"flange\","
                                                " \"quaternion\": [1, 1, 0, 0]}]}"));
}

/* A slider of 1 kg in a current that is faster the farther it comes: v' = c (u + g x - v). */
TEST(a_current_with_a_gradient)
{
    const double c = 3, u = 0.5, g = 0.8, t = 1;
    const char *model = write_file(
        "slider.json", "{\"pinion\": 1, \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"base\"}, {\"name\": \"s\","
                       " \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"x\","
                       " \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"parent\": \"base\", \"child\": \"s\"}]}");
    const char *forces = write_file(
        "forces.json", "{\"drag\": [{\"frame\": \"s\", \"linear\": [0, 0, 0, 3, 3, 3], \"velocity\": [0.5, 0, 0],"
                       " \"current\": {\"gradient\": [[0.8, 0, 0], [0, 0, 0], [0, 0, 0]]}}]}");
    answer a = run(NULL, "sim", model, "--duration", "1", "--forces", forces, "--quiet", "-o", place("r.csv"),
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    double row[3];
    CHECK(last_row(row, 3, place("r.csv")) == 3);
    /* x = -u/g + A exp(r t) + B exp(s t), at rest at 0 */
    const double root = sqrt(c * c + 4 * c * g), r = 0.5 * (-c + root), s = 0.5 * (-c - root);
    const double A = -s * u / g / (r - s), B = r * u / g / (r - s);
    CHECK_NEAR(row[1], -u / g + A * exp(r * t) + B * exp(s * t), 1e-9);
    CHECK_NEAR(row[2], A * r * exp(r * t) + B * s * exp(s * t), 1e-9);
}

static int page_has(const char *path, const char *part)
{
    char *page = read_file(path);
    const int found = page && strstr(page, part) != NULL;
    if (!found) printf("  %s has no '%s'\n", path, part);
    free(page);
    return found;
}

/* Pages and figures of inverse dynamics; a model on a free root that an option made is played back on it. */
TEST(pages)
{
    answer a = run(NULL, "id", bundled("planar-2r.json"), "--from", "0,0", "--to", "1,1", "-o", place("a.csv"),
                   "--report", place("x.html"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    CHECK(page_has(place("x.html"), "\"kind\":\"playback\"") && page_has(place("x.html"), "tau.elbow"));
    const char *stone = write_file("slider.json", "{\"pinion\": 1, \"links\": [{\"name\": \"stone\", \"mass\": 1,"
                                                  " \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}]}");
    a = run(NULL, "sim", stone, "--root", "free", "--duration", "0.02", "--quiet", "-o",
            place("r.jsonl"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "report", place("r.jsonl"), "-o", place("x.html"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    CHECK(page_has(place("x.html"), "\"kind\":\"playback\"") && page_has(place("x.html"), "q.root.6"));
}

/* A pendulum in honey does not swing: its modes decay. */
#define HONEY(more) \
    "{\"pinion\": 1, \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", \"mass\": 1, \"com\": [0, 0, -1]," \
    " \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"j\", \"type\": \"continuous\"," \
    " \"parent\": \"a\", \"child\": \"b\", \"axis\": [0, 1, 0], \"damping\": 100}]" more "}"

TEST(modes_that_decay)
{
    const char *model = write_file("slider.json", HONEY(""));
    answer a = run(NULL, "linearize", model, "--equilibrium", "--report", place("x.html"), "--json",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    json_t *r = a.out ? json_loads(a.out, 0, NULL) : NULL;
    forget(&a);
    /* s^2 2 + 100 s + 9.81 = 0 */
    const double slow = (-100 + sqrt(1e4 - 8 * 9.81)) / 4;
    double nearest = -1e9;
    for (size_t i = 0; i < json_array_size(DIG(r, "eigenvalues")); i++) {
        const double x = json_number_value(json_array_get(json_array_get(DIG(r, "eigenvalues"), i), 0));
        if (x > nearest) nearest = x;
    }
    CHECK_NEAR(nearest, slow, 1e-9);
    json_decref(r);
    char heading[80];
    snprintf(heading, sizeof heading, "decays e-fold in %.4g s: j", -1 / slow);
    CHECK(page_has(place("x.html"), heading));
}

/* A posture of a group of joints, and what is no joint for a sensor. */
TEST(groups_and_sensors)
{
    const char *model = write_file("slider.json", HONEY(", \"groups\": {\"all\": [\"j\"]}"));
    const char *tasks = write_file("tasks.json", "{\"tasks\": [{\"task\": \"posture\", \"joints\": [\"all\"],"
                                                 " \"q\": [0.5], \"kp\": 400}]}");
    answer a = run(NULL, "sim", model, "--duration", "3", "--quiet", "--control", "task", "--tasks", tasks, "-o",
                   place("a.csv"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    if (a.status) printf("  %s", a.err);
    forget(&a);
    double row[2];
    CHECK(last_row(row, 2, place("a.csv")) == 2);
    CHECK_NEAR(row[1], 0.5, 1e-6); /* the slower of its two rates is below -5 / s */
    REFUSED(1, "a model with rolling contacts cannot be linearized yet", NULL, "linearize",
            write_file("slider.json",
                       "{\"pinion\": 1, \"links\": [{\"name\": \"world\"}, {\"name\": \"ball\", \"mass\": 1,"
                       " \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],"
                       " \"joints\": [{\"name\": \"root\", \"type\": \"free\","
                       " \"parent\": \"world\", \"child\": \"ball\", \"initial\": {\"q\": [1, 0, 0, 0, 0, 0, 0.5]}}],"
                       " \"loops\": [{\"name\": \"roll\", \"type\": \"rolling\", \"parent\": \"world\","
                       " \"child\": \"ball\", \"radius\": 0.5}]}"));
}

/* A motor without inductance beside a loop, at its voltage's end: the same as one whose current follows in 1e-6 s. */
TEST(motors_beside_loops)
{
    static const char *const L[2] = {"0", "1e-6"};
    double row[2][7] = {{0}};
    char *bar = read_file(bundled("four-bar.json")), text[9000];
    char *end = bar ? strrchr(bar, '}') : NULL;
    CHECK(end != NULL);
    if (end) *end = '\0';
    for (int k = 0; k < 2 && end; k++) {
        snprintf(text, sizeof text,
                 "%s, \"actuators\": [{\"name\": \"m\", \"joint\": \"crank\", \"effort\": 3, \"motor\": {"
                 "\"torque_constant\": 0.5, \"resistance\": 1, \"inductance\": %s, \"voltage\": 4}}]}", bar, L[k]);
        answer a = run(NULL, "sim", write_file("slider.json", text), "--duration", "0.1", "--quiet", "-o",
                       place("a.csv"), "--ctrl", "m=2.5", (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        if (a.status) printf("  %s", a.err);
        forget(&a);
        CHECK(last_row(row[k], 7, place("a.csv")) == 7);
    }
    for (int i = 0; i < 7; i++) CHECK_NEAR(row[0][i], row[1][i], 1e-3);
    free(bar);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(loops_by_a_sparse_system);
    RUN(turns);
    RUN(a_current_with_a_gradient);
    RUN(pages);
    RUN(modes_that_decay);
    RUN(groups_and_sensors);
    RUN(motors_beside_loops);
    return command_end(files);
}
