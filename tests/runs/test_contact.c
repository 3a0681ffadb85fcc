/* pinion sim --contact: what is recorded and said, and that an interrupted run goes on with the same bytes. */
#define _DEFAULT_SOURCE
#include "command/command.h"
#include "command/fixtures.h"
#include "command/sim.h"

static const char *const files[] = {"crate.json", "bed.json", "a.csv", "b.csv", "c.h5", NULL};

/* a crate, and a part of it whose mesh is in a file */
#define CRATE                                                                                                          \
    "{\"pinion\": 1, \"name\": \"crate\", \"links\": [{\"name\": \"world\"}, {\"name\": \"box\", \"mass\": 2,\n"       \
    "  \"inertia\": {\"xx\": 0.02, \"yy\": 0.02, \"zz\": 0.02}, \"collisions\": [{\"shape\": \"box\",\n"               \
    "  \"size\": [0.2, 0.2, 0.2], \"friction\": 0.5}, {\"shape\": \"mesh\", \"mesh\": \"lid.stl\"}]}],\n"              \
    " \"joints\": [{\"name\": \"fly\", \"type\": \"free\", \"parent\": \"world\", \"child\": \"box\"}]}\n"

TEST(a_crate_falls_and_stands)
{
    const char *crate = write_file("crate.json", CRATE);
    answer a = run(NULL, "sim", crate, "--contact", "ground", "--q0", "fly.6=0.2", "--duration", "0.5",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK_NEAR(cell(&t, -1, "q.fly.6"), 0.1, 1e-7);
    CHECK_NEAR(cell(&t, -1, "contact.ground.box.force.2"), 2 * 9.81, 1e-6);
    CHECK_NEAR(cell(&t, -1, "contact.ground.box.gap"), 0, 1e-7);
    CHECK(cell(&t, 0, "contact.count") == 0 && cell(&t, -1, "contact.count") == 4);
    CHECK(isnan(cell(&t, 0, "contact.ground.box.point.0")));
    for (int k = 0; k < 3; k++) {
        char name[40];
        snprintf(name, sizeof name, "contact.ground.box.point.%d", k);
        CHECK_NEAR(cell(&t, -1, name), 0, 1e-6);
    }
    CHECK_NEAR(cell(&t, 0, "contact.ground.box.gap"), 0.1, 1e-12);
    CHECK_HAS(a.err, "contact: 1 pair, at most 4 points, penetration");
    CHECK_HAS(a.err, "warning: 1 collision in mesh files takes no part in contact: the mesh file 'lid.stl' could not");
    free(t.x);
    forget(&a);
    /* with the file it stands on the lid, which reaches 5 cm lower */
    write_file("lid.stl", "solid lid\nfacet normal 0 0 1\nouter loop\nvertex 0.1 0.1 -0.15\nvertex -0.1 0.1 -0.15\n"
                          "vertex -0.1 -0.1 -0.15\nendloop\nendfacet\nfacet normal 0 0 1\nouter loop\n"
                          "vertex 0.1 -0.1 -0.15\nvertex 0 0 0.1\nvertex 0 0 0\nendloop\nendfacet\nendsolid lid\n");
    a = run(NULL, "sim", crate, "--contact", "ground", "--q0", "fly.6=0.2", "--duration", "0.5", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    t = read_table(a.out);
    CHECK_NEAR(cell(&t, -1, "q.fly.6"), 0.15, 1e-7);
    CHECK(!strstr(a.err, "mesh"));
    free(t.x);
    forget(&a);
    remove(place("lid.stl"));
    /* without a ground nothing touches */
    a = run(NULL, "sim", crate, "--contact", "model", "--duration", "0.1", "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "\"contact\": {");
    CHECK_HAS(a.out, "\"pairs\": 0");
    forget(&a);
    /* warnings stay where nothing else is said */
    a = run(NULL, "sim", crate, "--contact", "model", "--duration", "0.1", "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "pinion sim: warning: 1 collision in mesh files takes no part in contact: ");
    CHECK_HAS(a.err, "pinion sim: warning: no collisions of the model may touch\n");
    CHECK(lines_of(a.err) == 2);
    forget(&a);
}

/* Friction, solver, tolerance and compliance are options. With compliance the crate sinks by m g c / 4, and
 * swings to there by and by. */
TEST(numbers_of_contact)
{
    const char *crate = write_file("crate.json", CRATE);
    static const char *const solver[] = {"admm", "pgs", "interior-point"};
    for (int k = 0; k < 3; k++) {
        answer a = run(NULL, "sim", crate, "--contact", "ground", "--q0", "fly.6=0.1", "--duration", "0.5",
                       "--contact-solver", solver[k], "--contact-tol", "1e-9", "--contact-compliance",
                       k == 0 ? "1e-4" : "0", "--contact-friction", "0.1", (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        table t = read_table(a.out);
        CHECK_NEAR(cell(&t, -1, "q.fly.6"), 0.1 - (k == 0 ? 2 * 9.81e-4 / 4 : 0), 3e-6);
        CHECK_NEAR(cell(&t, -1, "contact.ground.box.force.2"), 2 * 9.81, k == 0 ? 0.1 : 1e-5);
        free(t.x);
        forget(&a);
    }
    answer a = run(NULL, "sim", crate, "--duration", "0.1", "--contact-tol", "1e-9", (const char *)NULL);
    CHECK_STATUS(a.status, 2);
    CHECK_HAS(a.err, "--contact-tol goes with --contact");
    forget(&a);
    REFUSED(2, "interior-point", NULL, "sim", crate, "--contact", "ground", "--duration", "0.1", "--contact-solver",
            "x");
}

/* What all but rests has next to no kinetic energy: its drift is not compared with that. */
TEST(drift_at_rest)
{
    const char *crate = write_file("crate.json", CRATE);
    answer a = run(NULL, "sim", crate, "--contact", "ground", "--q0", "fly.6=0.100001", "--duration", "0.2",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "nothing moves but by what gravity gives in some steps");
    CHECK(!strstr(a.err, "do not balance"));
    forget(&a);
    /* a fall of 3 mm is a motion, which steps of 1 ms are off by some percent of */
    a = run(NULL, "sim", crate, "--contact", "ground", "--q0", "fly.6=0.103", "--duration", "0.2", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "do not balance");
    CHECK_HAS(a.err, "of the largest kinetic energy");
    forget(&a);
}

/* rows between steps: a crate at rest is pressed by its weight in all of them, and stays where it is */
TEST(rows_between_steps)
{
    const char *crate = write_file("crate.json", CRATE);
    answer a = run(NULL, "sim", crate, "--contact", "ground", "--q0", "fly.6=0.1", "--duration", "0.0995",
                   "--output-step", "0.0037", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK(t.rows >= 20);
    for (int i = 0; i < t.rows; i++) {
        CHECK_NEAR(cell(&t, i, "contact.ground.box.force.2"), 2 * 9.81, 1e-6);
        CHECK_NEAR(cell(&t, i, "v.fly.5"), 0, 1e-9);
        CHECK_NEAR(cell(&t, i, "a.fly.5"), 0, 1e-6);
    }
    free(t.x);
    forget(&a);
}

/* A door with a strong damper: steps take dampers at their end, and it soon turns with m g L / d. Its handle's friction
 * against rolling is told. */
TEST(strong_dampers)
{
    const char *door = write_file(
        "crate.json", "{\"pinion\": 1, \"links\": [{\"name\": \"b\"},"
                      "{\"name\": \"door\", \"mass\": 2, \"com\": [0.5, 0, 0],"
                      "\"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}, \"collisions\": [{\"shape\": \"sphere\","
                      "\"radius\": 0.1, \"friction\": [0.5, 0.1, 0.1], \"dimension\": 6}]}],"
                      "\"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"parent\": \"b\", \"child\": \"door\","
                      "\"axis\": [0, 1, 0], \"origin\": {\"position\": [0, 0, 5]}, \"damping\": 5000}]}");
    answer a = run(NULL, "sim", door, "--contact", "ground", "--duration", "0.1", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK_NEAR(cell(&t, -1, "v.j"), 2 * 9.81 * 0.5 / 5000, 1e-7);
    CHECK_HAS(a.err, "warning: friction against spin and rolling, which 1 collision has, takes no part in contact");
    free(t.x);
    forget(&a);
}

/* Where the ground's force acts on a crate that slides: ahead of its centre by friction times its height. */
TEST(the_centre_of_pressure)
{
    const char *crate = write_file("crate.json", CRATE);
    answer a = run(NULL, "sim", crate, "--contact", "ground", "--q0", "fly.6=0.1", "--v0", "fly.3=2", "--duration",
                   "0.3", "--output-step", "0.1", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(cell(&t, i, "contact.ground.box.point.0") - cell(&t, i, "q.fly.4"), 0.5 * 0.1, 1e-6);
    free(t.x);
    forget(&a);
}

TEST(an_interrupted_run_goes_on)
{
    const char *crate = write_file("crate.json", CRATE);
    const char *const common[] = {"--contact", "ground", "--q0", "fly.6=0.15", "--v0", "fly.3=1"};
    answer a = run(NULL, "sim", crate, common[0], common[1], common[2], common[3], common[4], common[5], "--duration",
                   "0.4", "-o", place("a.csv"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "sim", crate, common[0], common[1], common[2], common[3], common[4], common[5], "--duration", "0.4",
            "-o", place("b.csv"), "--checkpoint", place("c.h5"), "--max-steps", "150", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    int status = a.status;
    for (int k = 0; k < 10 && status == 1; k++) { /* each time 150 steps more */
        forget(&a);
        a = run(NULL, "sim", "--resume", place("c.h5"), (const char *)NULL);
        status = a.status;
    }
    CHECK_STATUS(status, 0);
    forget(&a);
    CHECK(same_file(place("a.csv"), place("b.csv")));
}

TEST(what_does_not_go_together)
{
    const char *crate = write_file("crate.json", CRATE);
    answer a = run(NULL, "sim", crate, "--contact", "ground", "--integrator", "rk4", "--duration", "1",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "contact needs integrator euler");
    forget(&a);
    a = run(NULL, "sim", crate, "--contact", "floor", "--duration", "1", (const char *)NULL);
    CHECK_STATUS(a.status, 2);
    forget(&a);
    REFUSED(2, "--tol: euler takes steps of the length that --step gives", NULL, "sim", crate, "--contact", "ground",
            "--tol", "1e-6", "--duration", "1");
}

TEST(loops_limits_and_friction)
{
    const char *four_bar = bundled("four-bar.json");
    answer a = run(NULL, "sim", four_bar, "--contact", "ground", "--duration", "0.2", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "by the steps with contact");
    forget(&a);
    /* a load of 20 N on a rail that stands, 0.1 m above its end: held, let down onto it, let through */
    static const char rail[] =
        "{\"pinion\": 1, \"name\": \"rail\", \"gravity\": [0, 0, -10], \"links\": [{\"name\": \"a\"}, "
        "{\"name\": \"b\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], "
        "\"joints\": [{\"name\": \"j\", \"type\": \"prismatic\", \"parent\": \"a\", \"child\": \"b\", "
        "\"axis\": [0, 0, 1], \"limits\": [-0.1, 1], \"friction\": 25}]}";
    static const struct {
        const char *option, *value;
        double z, tolerance;
    } cases[] = {{"--friction", "exact", 0, 1e-12},
                 {"--limits", "on", -0.1, 1e-9},
                 {"--limits", "off", -1.25, 0.02}};
    const char *path = write_file("crate.json", rail);
    for (int i = 0; i < 3; i++) {
        const char *passive = i == 0 ? "on" : "off";
        a = run(NULL, "sim", path, "--contact", "model", "--duration", "0.5", "--passive", passive, cases[i].option,
                cases[i].value, (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        table t = read_table(a.out);
        CHECK_NEAR(cell(&t, -1, "q.j"), cases[i].z, cases[i].tolerance);
        free(t.x);
        forget(&a);
    }
}

/* A ball on a string: its limit is a stop, compliant, also where the ball is so light that forces from the start of a
 * step would throw it about. */
TEST(strings_hold)
{
    static const double mass[] = {1, 0.03};
    static const char *const limits[] = {"on", "1e4,1e2", NULL};
    char text[600];
    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof text,
                 "{\"pinion\": 1, \"name\": \"ball\", \"links\": [{\"name\": \"b\"}, {\"name\": \"s\", \"mass\": %g, "
                 "\"inertia\": {\"xx\": 1e-4, \"yy\": 1e-4, \"zz\": 1e-4}}], \"joints\": [{\"name\": \"z\", \"type\": "
                 "\"prismatic\", \"parent\": \"b\", \"child\": \"s\", \"initial\": {\"q\": -0.4}}], \"tendons\": "
                 "[{\"name\": \"string\", \"path\": [\"b\", \"s\"], \"limits\": [null, 0.5]}]}",
                 mass[i % 2]);
        const char *path = write_file("crate.json", text), *value = limits[i / 2];
        answer a = run(NULL, "sim", path, "--contact", "model", "--duration", "2", value ? "--limits" : NULL, value,
                       (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        table t = read_table(a.out);
        CHECK_NEAR(cell(&t, -1, "q.z"), -0.5 - mass[i % 2] * 9.81e-4, 1e-9);
        free(t.x);
        forget(&a);
    }
    answer a = run(NULL, "sim", place("crate.json"), "--contact", "model", "--limits", "off", "--duration", "1",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK(cell(&t, -1, "q.z") < -5);
    free(t.x);
    forget(&a);
}

/* A crate that begins 1 cm inside the ground is lifted out of it, and what that takes, m g h, is work of the contact:
 * the energies balance. */
TEST(what_begins_in_the_ground)
{
    answer a = run(NULL, "sim", write_file("crate.json", CRATE), "--contact", "ground", "--q0", "fly.6=0.09",
                   "--duration", "0.2", "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK_NEAR(cell(&t, 0, "contact.ground.box.gap"), -0.01, 1e-12);
    CHECK_NEAR(cell(&t, -1, "q.fly.6"), 0.1, 1e-7);
    CHECK_NEAR(cell(&t, -1, "energy.potential") - cell(&t, 0, "energy.potential"), 2 * 9.81 * 0.01, 1e-6);
    CHECK_NEAR(cell(&t, -1, "energy.work"), 2 * 9.81 * 0.01, 1e-6);
    CHECK_NEAR(cell(&t, -1, "energy.kinetic"), 0, 1e-9);
    free(t.x);
    forget(&a);
}

/* A bed that stands on 70 nails: forces and gaps of 64 of them have columns, which is told, and no nail more than those
 * has any. */
TEST(more_pairs_than_columns)
{
    char text[12000] = "{\"pinion\": 1, \"name\": \"bed\", \"links\": [{\"name\": \"world\"}, {\"name\": \"bed\", "
                       "\"mass\": 7, \"inertia\": {\"xx\": 0.5, \"yy\": 0.5, \"zz\": 0.5}, \"collisions\": [";
    for (int i = 0; i < 70; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s{\"name\": \"n%d\", \"shape\": \"sphere\", \"radius\": 0.02, \"origin\": {\"position\": [%g, "
                 "%g, 0]}}",
                 i ? ", " : "", i, 0.1 * (i % 10) - 0.45, 0.1 * (i / 10) - 0.3);
    strcat(text, "]}], \"joints\": [{\"name\": \"fly\", \"type\": \"free\", \"parent\": \"world\", \"child\": "
                 "\"bed\"}]}");
    answer a = run(NULL, "sim", write_file("bed.json", text), "--contact", "ground", "--q0", "fly.6=0.02",
                   "--duration", "0.005", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "warning: more than 64 pairs touched: forces and gaps of the first are recorded\n");
    int columns = 0;
    for (const char *at = a.out; at && (at = strstr(at, ".gap")) != NULL; at++) columns++;
    CHECK(columns == 64);
    table t = read_table(a.out);
    CHECK(cell(&t, -1, "contact.count") == 70);
    CHECK_NEAR(cell(&t, -1, "q.fly.6"), 0.02, 1e-7);
    free(t.x);
    forget(&a);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(a_crate_falls_and_stands);
    RUN(numbers_of_contact);
    RUN(drift_at_rest);
    RUN(rows_between_steps);
    RUN(strong_dampers);
    RUN(the_centre_of_pressure);
    RUN(an_interrupted_run_goes_on);
    RUN(what_does_not_go_together);
    RUN(loops_limits_and_friction);
    RUN(strings_hold);
    RUN(what_begins_in_the_ground);
    RUN(more_pairs_than_columns);
    return command_end(files);
}
