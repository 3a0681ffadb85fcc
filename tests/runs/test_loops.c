/* pinion sim with closed loops: starting, what it says, its options, going on from a checkpoint. */
#include "command/command.h"
#include "command/four_bar.h"
#include "command/sim.h"

static const char *const files[] = {"four-bar.json", "gone.json", "door.json", "folding.json",
                                    "far.json",      "stop.json", "whole.csv",
                                    "part.csv",      "kept.h5",  "row.json",  "flat.json", NULL};

/* A crank-rocker that closes at q = 0; the crank is said to turn, and the others are to follow. */
static const char four_bar[] =
    FOUR_BAR_LINKS
    "\"joints\": [\n"
    " {\"name\": \"A\", \"type\": \"continuous\", \"parent\": \"ground\", \"child\": \"crank\", \"initial\": "
    "{\"v\": -5}},\n"
    " {\"name\": \"B\", \"type\": \"continuous\", \"parent\": \"crank\", \"child\": \"coupler\",\n"
    "  \"origin\": {\"position\": [0, 0.3, 0]}},\n"
    " {\"name\": \"D\", \"type\": \"continuous\", \"parent\": \"ground\", \"child\": \"rocker\",\n"
    "  \"origin\": {\"position\": [0.8, 0, 0]}},\n"
    " {\"name\": \"C\", \"type\": \"continuous\", \"parent\": \"coupler\", \"child\": \"rocker\",\n"
    "  \"origin\": {\"position\": [0.8, 0.6, 0]}, \"child_origin\": {\"position\": [0, 0.9, 0]}%s}]}\n";

static const char *written(const char *name, const char *more)
{
    char text[4000];
    snprintf(text, sizeof text, four_bar, more);
    return write_file(name, text);
}

/* How far the coupler's end is from the rocker's, from the angles alone. */
static double gap(const table *t, int row)
{
    const double a = cell(t, row, "q.A"), b = a + cell(t, row, "q.B"), d = cell(t, row, "q.D");
    const double x = -0.3 * sin(a) + 0.8 * cos(b) - 0.6 * sin(b) - (0.8 - 0.9 * sin(d));
    const double y = 0.3 * cos(a) + 0.8 * sin(b) + 0.6 * cos(b) - 0.9 * cos(d);
    return hypot(x, y);
}

/* As the documentation has it: the file, one command. */
TEST(first_try)
{
    const char *model = written("four-bar.json", "");
    answer a = run(NULL, "sim", model, "--duration", "5", (const char *)NULL);
    CHECK(a.status == 0);
    CHECK_HAS(a.err, "velocities are changed so that they stay closed");
    CHECK_HAS(a.err, "1 degree of freedom at the start");
    CHECK_HAS(a.err, "by projection");
    table t = read_table(a.out);
    CHECK(t.rows == 101);
    CHECK_NEAR(cell(&t, 0, "v.A"), -5, 1e-14);
    for (int i = 0; i < t.rows; i++) {
        CHECK_NEAR(gap(&t, i), 0, 1e-13);
        CHECK_NEAR(cell(&t, i, "constraint"), 0, 1e-13);
        CHECK_NEAR(cell(&t, i, "energy.drift"), 0, 1e-9);
    }
    CHECK(cell(&t, -1, "q.A") < -10);
    free(t.x);
    forget(&a);
}

/* --q0 and --v0 hold what they name, the others follow; a note says so. */
TEST(start_is_closed)
{
    const char *model = written("four-bar.json", "");
    answer a =
        run(NULL, "sim", model, "--duration", "0.1", "--q0", "A=0.7", "--v0", "D=1", (const char *)NULL);
    table t = read_table(a.out);
    CHECK(a.status == 0);
    CHECK_HAS(a.err, "note: the loops are open by");
    CHECK(strstr(a.err, "with what --q0 gives") == NULL);
    CHECK_NEAR(cell(&t, 0, "q.A"), 0.7, 1e-15);
    CHECK_NEAR(cell(&t, 0, "v.D"), 1, 1e-14);
    CHECK_NEAR(gap(&t, 0), 0, 1e-13);
    CHECK(fabs(cell(&t, 0, "q.B")) > 1e-3);
    free(t.x);
    forget(&a);

    /* the height of a platform on six legs, which follow: alike, since it is lifted straight */
    a = run(NULL, "sim", bundled("stewart.json"), "--q0", "platform.6=1", "--duration", "0.001", "--integrator", "rk4",
            (const char *)NULL);
    t = read_table(a.out);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "note: the loops are open by");
    CHECK_NEAR(cell(&t, 0, "q.platform.6"), 1, 1e-15);
    CHECK_NEAR(cell(&t, 0, "constraint"), 0, 1e-12);
    for (int i = 1; i <= 6; i++) {
        char leg[20];
        snprintf(leg, sizeof leg, "q.leg%d", i);
        CHECK_NEAR(cell(&t, 0, leg), cell(&t, 0, "q.leg1"), 1e-12);
    }
    free(t.x);
    forget(&a);

    /* what cannot be kept is told, and --quiet says nothing */
    a = run(NULL, "sim", model, "--duration", "0.1", "--q0", "A=0.7,B=0.3,D=0.1", (const char *)NULL);
    CHECK(a.status == 0);
    CHECK_HAS(a.err, "with what --q0 gives");
    forget(&a);
    a = run(NULL, "sim", model, "--duration", "0.1", "--q0", "A=0.7,B=0.3,D=0.1", "--quiet",
            (const char *)NULL);
    CHECK(a.status == 0 && !*a.err);
    forget(&a);

    /* a list of numbers is a guess: the nearest that fits */
    a = run(NULL, "sim", model, "--duration", "0.1", "--q0", "0.01,0,0", (const char *)NULL);
    t = read_table(a.out);
    CHECK(a.status == 0);
    CHECK_NEAR(gap(&t, 0), 0, 1e-13);
    free(t.x);
    forget(&a);
}

/* A loop that cannot close names itself. */
/* Rods of 1 m on the ground 1 m apart and a coupler between them, all along x: it may go on as a parallelogram or
 * as a contraparallelogram. Stretched over 3 m it cannot move. */
TEST(singular_start)
{
    static const char text[] =
        "{\"pinion\": 1, \"name\": \"flat\", \"links\": [{\"name\": \"ground\"},\n"
        " {\"name\": \"a\", \"mass\": 1, \"com\": [0.5, 0, 0],\n"
        "  \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}},\n"
        " {\"name\": \"b\", \"mass\": 1, \"com\": [0.5, 0, 0],\n"
        "  \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}},\n"
        " {\"name\": \"c\", \"mass\": 1, \"com\": [0.5, 0, 0],\n"
        "  \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}}],\n"
        "\"joints\": [\n"
        " {\"name\": \"A\", \"type\": \"continuous\", \"parent\": \"ground\", \"child\": \"a\"},\n"
        " {\"name\": \"B\", \"type\": \"continuous\", \"parent\": \"a\", \"child\": \"b\",\n"
        "  \"origin\": {\"position\": [1, 0, 0]}},\n"
        " {\"name\": \"D\", \"type\": \"continuous\", \"parent\": \"ground\", \"child\": \"c\",\n"
        "  \"origin\": {\"position\": [%g, 0, 0]}},\n"
        " {\"name\": \"C\", \"type\": \"continuous\", \"parent\": \"b\", \"child\": \"c\",\n"
        "  \"origin\": {\"position\": [1, 0, 0]}, \"child_origin\": {\"position\": [%g, 0, 0]}}]}\n";
    static const struct {
        double ground, tip;
        const char *says;
    } start[] = {{1, 1, "where motions of several kinds meet (the rank of the constraints, 1,"},
                 {3, -1, "from which the loops allow no motion"}};
    for (int i = 0; i < 2; i++) {
        char model[4000];
        snprintf(model, sizeof model, text, start[i].ground, start[i].tip);
        answer a = run(NULL, "sim", write_file("flat.json", model), "--duration", "0.01", (const char *)NULL);
        CHECK(a.status == 0);
        CHECK_HAS(a.err, start[i].says);
        forget(&a);
    }

    /* an ordinary start is not called one */
    answer a = run(NULL, "sim", written("four-bar.json", ""), "--duration", "0.01", (const char *)NULL);
    CHECK(a.status == 0 && strstr(a.err, "singular") == NULL);
    forget(&a);
}

TEST(impossible)
{
    char text[4000];
    snprintf(text, sizeof text, four_bar, "");
    char *far = strstr(text, "[0.8, 0, 0]");
    CHECK(far != NULL);
    if (far) memcpy(far, "[9.8, 0, 0]", 11);
    const char *model = write_file("far.json", text);
    answer a = run(NULL, "sim", model, "--duration", "1", (const char *)NULL);
    CHECK(a.status == 1);
    CHECK_HAS(a.err, "C");
    CHECK(!*a.out);
    forget(&a);
}

/* The torque of a joint that closes a loop, and that of one in the tree which does the same work. */
TEST(torque_of_a_loop_joint)
{
    const char *model = written("four-bar.json", "");
    answer a = run(NULL, "sim", model, "--duration", "1", "--torque", "C=0.5", "--output-step", "1",
                   (const char *)NULL);
    /* C turns as the rocker does against the coupler: D - A - B */
    answer b = run(NULL, "sim", model, "--duration", "1", "--torque", "A=-0.5,B=-0.5,D=0.5", "--output-step",
                   "1", (const char *)NULL);
    answer c = run(NULL, "sim", model, "--duration", "1", "--output-step", "1", (const char *)NULL);
    CHECK(a.status == 0 && b.status == 0 && c.status == 0);
    table x = read_table(a.out), y = read_table(b.out), z = read_table(c.out);
    CHECK_NEAR(cell(&x, -1, "q.A"), cell(&y, -1, "q.A"), 1e-9);
    CHECK_NEAR(cell(&x, -1, "energy.work"), cell(&y, -1, "energy.work"), 1e-9);
    CHECK(fabs(cell(&x, -1, "q.A") - cell(&z, -1, "q.A")) > 1e-2);
    free(x.x);
    free(y.x);
    free(z.x);
    forget(&a);
    forget(&b);
    forget(&c);

    a = run(NULL, "sim", model, "--duration", "1", "--torque", "Q=0.5", (const char *)NULL);
    CHECK(a.status == 2); /* after what is said of the start */
    CHECK_HAS(a.err, "no coordinate is named 'Q'");
    forget(&a);
}

TEST(options)
{
    const char *model = written("four-bar.json", "");
    static const char *const how[] = {"projection", "baumgarte", "both", "none"};
    double angle[4], open[4];
    for (int i = 0; i < 4; i++) {
        answer a = run(NULL, "sim", model, "--duration", "3", "--stabilize", how[i], "--integrator", "rk4",
                       "--step", "0.002", (const char *)NULL);
        table t = read_table(a.out);
        CHECK(a.status == 0);
        angle[i] = cell(&t, -1, "q.A");
        open[i] = cell(&t, -1, "constraint");
        free(t.x);
        forget(&a);
    }
    for (int i = 1; i < 4; i++) CHECK_NEAR(angle[i], angle[0], 1e-4);
    CHECK(open[0] < 1e-13 && open[2] < 1e-13 && open[1] > 1e-13 && open[3] > open[1]);

    /* algorithms, and integrators that cannot */
    answer a = run(NULL, "sim", model, "--duration", "1", "--algorithm", "loop-direct", "--json",
                   (const char *)NULL);
    CHECK(a.status == 0);
    CHECK_HAS(a.out, "\"stabilization\": \"projection\"");
    CHECK_HAS(a.out, "\"freedom\": 1");
    forget(&a);
    a = run(NULL, "sim", model, "--duration", "1", "--algorithm", "aba", (const char *)NULL);
    CHECK(a.status == 1);
    forget(&a);
    a = run(NULL, "sim", model, "--duration", "1", "--integrator", "variational", (const char *)NULL);
    CHECK(a.status == 1); /* likewise */
    CHECK_HAS(a.err, "dopri5");
    forget(&a);
    a = run(NULL, "sim", model, "--duration", "1", "--integrator", "adams", (const char *)NULL);
    CHECK(a.status == 0);
    CHECK_HAS(a.err, "adams cannot project");
    forget(&a);
    REFUSED(2, "--stabilize baumgarte", NULL, "sim", model, "--duration", "1", "--baumgarte", "5");
}

/* Limits of a loop joint are stops as well. */
TEST(stop_in_a_loop_joint)
{
    const char *model = written("stop.json", ", \"limits\": [-0.1, 0.2]");
    answer a = run(NULL, "sim", model, "--duration", "2", "--limits", "on", (const char *)NULL);
    CHECK(a.status == 0);
    table t = read_table(a.out);
    for (int i = 0; i < t.rows; i++) {
        const double c = cell(&t, i, "q.D") - cell(&t, i, "q.A") - cell(&t, i, "q.B");
        CHECK(c > -0.2 && c < 0.3);
    }
    CHECK_NEAR(cell(&t, -1, "energy.drift"), 0, 1e-7);
    CHECK(strstr(a.err, "no effect") == NULL);
    free(t.x);
    forget(&a);
}

/* Andrews' squeezing mechanism at the end of the published run (CWI's test set for initial value problems), 8
 * digits. */
TEST(squeezer)
{
    static const struct {
        const char *name;
        double value;
    } expected[] = {{"q.beta", 15.81077119629904},   {"q.theta", -15.75637105984298},
                    {"q.gamma", .04082224013073101}, {"q.phi", -.5347301163226948},
                    {"q.delta", .5244099658805304},  {"q.omega", .5347301163226948},
                    {"q.epsilon", 1.048080741042263}};
    answer a = run(NULL, "sim", bundled("andrews-squeezer.json"), "--duration", "0.03", "--torque",
                   "beta=0.033", (const char *)NULL);
    CHECK(a.status == 0);
    table t = read_table(a.out);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        CHECK_NEAR(cell(&t, -1, expected[i].name) / expected[i].value, 1, 5e-9);
    for (int i = 0; i < t.rows; i++) CHECK_NEAR(cell(&t, i, "energy.drift"), 0, 1e-12);
    free(t.x);
    forget(&a);
}

/* A row of four-bars, which is singular whenever it lies flat. */
TEST(row_of_four_bars)
{
    static const double expected[2][2] = {{-.195020302, -.980799206}, {.057815796, .998327268}};
    const char *model = place("row.json");
    answer a = run(NULL, "generate", "n-four-bar", "2", "-o", model, (const char *)NULL);
    CHECK(a.status == 0);
    forget(&a);
    a = run(NULL, "sim", model, "--duration", "10", (const char *)NULL);
    CHECK(a.status == 0);
    table t = read_table(a.out);
    double most = 0;
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(-sin(cell(&t, 10 * (i + 1), "q.pivot0")), expected[i][0], 1e-8);
        CHECK_NEAR(cos(cell(&t, 10 * (i + 1), "q.pivot0")), expected[i][1], 1e-8);
    }
    for (int i = 0; i < t.rows; i++) most = fmax(most, cell(&t, i, "energy.kinetic"));
    for (int i = 0; i < t.rows; i++) {
        CHECK_NEAR(cell(&t, i, "energy.drift") / most, 0, 1e-8);
        CHECK_NEAR(cell(&t, i, "q.pivot1") - cell(&t, i, "q.pivot0"), 0, 1e-6);
    }
    free(t.x);
    forget(&a);
}

/* A run that goes on from a checkpoint ends with the same bytes, and does not say again what it said at the
 * start. */
TEST(resume)
{
    const char *model = written("four-bar.json", "");
    const char *whole = place("whole.csv"), *part = place("part.csv"), *kept = place("kept.h5");
    answer a = run(NULL, "sim", model, "--duration", "2", "--q0", "A=0.4", "-o", whole, (const char *)NULL);
    CHECK(a.status == 0);
    forget(&a);
    a = run(NULL, "sim", model, "--duration", "2", "--q0", "A=0.4", "-o", part, "--checkpoint", kept,
            (const char *)NULL);
    CHECK(a.status == 0);
    CHECK(same_file(whole, part));
    forget(&a);
    remove(part);
    a = run(NULL, "sim", "--resume", kept, (const char *)NULL);
    CHECK(a.status == 0);
    CHECK(strstr(a.err, "note:") == NULL);
    CHECK(same_file(whole, part));
    forget(&a);
}

/* A pendulum on a rod from a block, which shrinks by 0.2 m/s: it is gone at 1.5 s, and no run gets there. */
static const char shrinking[] =
    "{\"pinion\": 1, \"name\": \"shrinking\", \"links\": [{\"name\": \"g\"},\n"
    " {\"name\": \"a\", \"mass\": 1, \"inertia\": {\"xx\": 0.01, \"yy\": 0.01, \"zz\": 0.01}}],\n"
    "\"joints\": [{\"name\": \"P\", \"type\": \"planar\", \"axis\": [0, 1, 0], \"parent\": \"g\", \"child\": \"a\"}],\n"
    "\"loops\": [{\"name\": \"rod\", \"type\": \"distance\", \"parent\": \"g\", \"child\": \"a\", \"length\": 0.3,\n"
    "  \"motion\": {\"rate\": -0.2}}]}\n";

TEST(a_rod_that_vanishes)
{
    const char *model = write_file("gone.json", shrinking);
    answer a = run(NULL, "sim", model, "--duration", "2", "--q0", "P.0=0.3", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "loop 'rod': its law of time makes it 0 m long at t = 1.5 s, before the run ends at 2 s");
    forget(&a);
    a = run(NULL, "sim", model, "--duration", "0.5", "--q0", "P.0=0.3", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
}

/* A door whose second hinge, on the same axis, is a loop or is not there (%s): turned so that no number is zero by
 * luck. */
static const char door[] =
    "{\"pinion\": 1, \"name\": \"door\", \"links\": [{\"name\": \"w\"}, {\"name\": \"g\"},\n"
    " {\"name\": \"d\", \"mass\": 3, \"com\": [0.4, 0.01, 0], \"inertia\": {\"xx\": 0.1, \"yy\": 0.2, \"zz\": 0.3}}],\n"
    "\"joints\": [{\"name\": \"f\", \"type\": \"fixed\", \"parent\": \"w\", \"child\": \"g\",\n"
    "  \"origin\": {\"position\": [300, 200, 100], \"rpy\": [0.3, 0.5, 0.7]}},\n"
    " {\"name\": \"H\", \"type\": \"continuous\", \"parent\": \"g\", \"child\": \"d\"}]%s}\n";
static const char hinge[] =
    ",\n\"loops\": [{\"name\": \"L\", \"type\": \"revolute\", \"parent\": \"g\", \"child\": \"d\",\n"
    "  \"origin\": {\"position\": [0, 0, 1.7]}, \"child_origin\": {\"position\": [0, 0, 1.7]}}]";

/* A crank of 0.3 m whose rod of 0.7 m is in line with it twice a turn, where all of its row is zero. */
static const char folding[] =
    "{\"pinion\": 1, \"name\": \"folding\", \"gravity\": [0, -9.81, 0], \"links\": [{\"name\": \"g\"},\n"
    " {\"name\": \"c\", \"mass\": 1, \"com\": [0.15, 0.01, 0], \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}},\n"
    " {\"name\": \"b\", \"mass\": 1, \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}}],\n"
    "\"joints\": [{\"name\": \"A\", \"type\": \"continuous\", \"parent\": \"g\", \"child\": \"c\"},\n"
    " {\"name\": \"S\", \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"parent\": \"g\", \"child\": \"b\",\n"
    "  \"origin\": {\"position\": [0, -0.4, 0]}}],\n"
    "\"loops\": [{\"name\": \"rod\", \"type\": \"distance\", \"parent\": \"c\", \"child\": \"b\",\n"
    "  \"origin\": {\"position\": [0.3, 0, 0]}, \"length\": 0.7}]}\n";

/* Projection leaves alone what rows do not tell: they move as without a second hinge, and pass through the fold. */
TEST(rows_that_are_zero)
{
    char text[1200];
    double q[2];
    for (int open = 0; open < 2; open++) {
        snprintf(text, sizeof text, door, open ? "" : hinge);
        answer a =
            run(NULL, "sim", write_file("door.json", text), "--duration", "1", "--q0", "H=0.3", (const char *)NULL);
        table t = read_table(a.out);
        CHECK_STATUS(a.status, 0);
        q[open] = cell(&t, -1, "q.H");
        free(t.x);
        forget(&a);
    }
    CHECK_NEAR(q[0], q[1], 1e-8);
    CHECK(fabs(q[0] - 0.3) > 0.1);

    answer a = run(NULL, "sim", write_file("folding.json", folding), "--duration", "2", "--q0", "A=1.2", "--v0", "A=4",
                   (const char *)NULL);
    table t = read_table(a.out);
    CHECK_STATUS(a.status, 0);
    CHECK(cell(&t, -1, "q.A") > 2 * M_PI);
    CHECK_NEAR(cell(&t, -1, "energy.total"), cell(&t, 0, "energy.total"), 1e-8);
    free(t.x);
    forget(&a);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(first_try);
    RUN(start_is_closed);
    RUN(singular_start);
    RUN(impossible);
    RUN(a_rod_that_vanishes);
    RUN(rows_that_are_zero);
    RUN(torque_of_a_loop_joint);
    RUN(options);
    RUN(stop_in_a_loop_joint);
    RUN(squeezer);
    RUN(row_of_four_bars);
    RUN(resume);
    return command_end(files);
}
