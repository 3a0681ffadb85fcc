/* Runs with parts that few have: the sparse system for loops, tasks of turns, a current that changes from place to
 * place. */
#define _DEFAULT_SOURCE
#include "command.h"

static const char *const files[] = {"a.csv", "b.csv", "tasks.json", "forces.json", "slider.json", "r.csv", NULL};

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

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(loops_by_a_sparse_system);
    RUN(turns);
    RUN(a_current_with_a_gradient);
    return command_end(files);
}
