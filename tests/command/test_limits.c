/* --limits-check: what leaves the model's limits is told once, with names and numbers, and is an error where that is
 * asked for. */
#include "command.h"
#include "sim.h"

static const char *const files[] = {"arm.json", "way.csv", "a.csv", NULL};

/* Two hinges about y of 1 kg at 0.5 m, the second with limits that say nothing, and a slider that follows the
 * first. */
static const char *arm(void)
{
    return write_file(
        "arm.json",
        "{\"pinion\": 1, \"name\": \"arm\", \"links\": [{\"name\": \"base\"},\n"
        " {\"name\": \"upper\", \"mass\": 1, \"com\": [0, 0, -0.5], \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, "
        "\"zz\": 0.1}},\n"
        " {\"name\": \"lower\", \"mass\": 1, \"com\": [0, 0, -0.5], \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, "
        "\"zz\": 0.1}},\n"
        " {\"name\": \"slide\", \"mass\": 0.001, \"inertia\": {\"xx\": 1e-9, \"yy\": 1e-9, \"zz\": 1e-9}}],\n"
        "\"joints\": [{\"name\": \"shoulder\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"parent\": \"base\",\n"
        "   \"child\": \"upper\", \"limits\": [-2, 2], \"velocity\": 3, \"effort\": 10},\n"
        " {\"name\": \"elbow\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"parent\": \"upper\", "
        "\"child\": \"lower\",\n"
        "   \"limits\": [0, 0], \"velocity\": 0, \"effort\": 0, \"origin\": {\"position\": [0, 0, -1]}},\n"
        " {\"name\": \"slider\", \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"parent\": \"base\", "
        "\"child\": \"slide\",\n"
        "   \"limits\": [0, 0.3], \"mimic\": {\"joint\": \"shoulder\", \"multiplier\": 0.1, \"offset\": 0.15}}]}\n");
}

TEST(states_of_eval)
{
    static const struct {
        const char *state, *says; /* NULL: nothing */
    } tried[] = {
        {"{\"q\": [2, 0]}", "positions beyond the model's limits: slider 0.35 m (at most 0.3) at states[0]\n"},
        {"{\"q\": [1.4, 9], \"v\": [3, 1], \"tau\": [-10, 99]}", NULL},
        {"{\"q\": [0, 44.5]}", NULL},
        {"{\"q\": [0, 361]}", NULL},
        {"{\"q\": [45, 0]}", "shoulder 45 rad (at most 2) at states[0], slider 4.65 m (at most 0.3) at "
                             "states[0]; 45 looks like degrees, which are 0.7854 rad"},
        {"{\"q\": [-5, 0]}", "shoulder -5 rad (at least -2) at states[0], slider -0.35 m (at least 0) at "
                             "states[0]\n"},
        {"{\"q\": [0, 0], \"v\": [30, 0]}", "velocities beyond the model's limits: shoulder 30 rad/s (at most 3) at "
                                            "states[0]; 30 looks like degrees, which are 0.5236 rad/s"},
        {"{\"q\": [0, 0], \"tau\": [-11, 0]}", "joint forces beyond the model's limits: shoulder -11 N m (at "
                                               "least -10)"},
        {"{\"q\": [0, 0], \"a\": [50, 0]}", "joint forces beyond the model's limits: shoulder 135 N m (at most 10)"}};
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        static const char *const mode[] = {"warn", "error", "off"};
        char states[300];
        snprintf(states, sizeof states, "{\"states\": [%s]}", tried[i].state);
        for (int k = 0; k < 3; k++) {
            answer a = run(states, "eval", arm(), "--states", "-", "--what", "inverse_dynamics", "--gravity", "0,0,0",
                           "--limits-check", mode[k], (const char *)NULL);
            CHECK_STATUS(a.status, tried[i].says && k == 1 ? 1 : 0);
            CHECK_HAS(a.err, tried[i].says && k < 2 ? tried[i].says : "");
            CHECK(tried[i].says && k < 2 ? lines_of(a.err) == 1 : !*a.err);
            if (tried[i].says && k == 0) CHECK_HAS(a.err, "pinion eval: warning: ");
            forget(&a);
        }
    }

    /* once, at its worst, and of states that are an error nothing comes out */
    answer a = run("{\"states\": [{\"q\": [2.1, 0]}, {\"q\": [2.5, 0]}, {\"q\": [2.2, 0]}]}", "eval", arm(),
                   "--states", "-",
                   "--what", "gravity", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "shoulder 2.5 rad (at most 2) at states[1]");
    CHECK(lines_of(a.err) == 1);
    forget(&a);
    REFUSED(1, "shoulder 2.1 rad", "{\"states\": [{\"q\": [2.1, 0]}]}", "eval", arm(), "--states", "-",
            "--what", "gravity",
            "--limits-check", "error");
    REFUSED(1, "shoulder 2.1 rad", "{\"states\": [{\"q\": [2.1, 0, 0]}]}", "operators", arm(), "--states", "-",
            "--limits-check", "error", "--mimic", "independent");
}

TEST(motions_of_id)
{
    answer a = run(NULL, "id", arm(), "--from", "0,0", "--to", "90,0", "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "shoulder 90 rad (at most 2) at t = 1 s");
    CHECK_HAS(a.err, "90 looks like degrees, which are 1.571 rad");
    CHECK_HAS(a.err, "velocities beyond the model's limits: shoulder 180 rad/s (at most 3) at t = 0.5 s");
    CHECK_HAS(a.err, "joint forces beyond the model's limits: shoulder ");
    CHECK(lines_of(a.err) == 3);
    json_t *r = json_loads(a.out, 0, NULL);
    CHECK(json_array_size(DIG(r, "warnings")) == 3);
    CHECK_HAS(json_string_value(DIG(r, "warnings", "0")), "positions beyond");
    json_decref(r);
    forget(&a);

    /* what was computed is there all the same */
    a = run(NULL, "id", arm(), "--from", "0,0", "--to", "1,0", "--duration", "0.2", "--limits-check", "error", "-o",
            place("a.csv"), (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "pinion id: velocities beyond the model's limits");
    char *text = read_file(place("a.csv"));
    CHECK(text && lines_of(text) == 102);
    free(text);
    forget(&a);
    a = run(NULL, "id", arm(), "--from", "0,0", "--to", "0.2,0", "--duration", "3", (const char *)NULL);
    CHECK(a.status == 0 && !*a.err);
    forget(&a);
}

TEST(simulations)
{
    /* the start, then what the motion does */
    answer a = run(NULL, "sim", arm(), "--duration", "2", "--q0", "shoulder=2.5", "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "positions beyond the model's limits: shoulder 2.5 rad (at most 2) at t = 0 s, slider 0.4 m");
    CHECK_HAS(a.err, "velocities beyond the model's limits: shoulder ");
    CHECK(strstr(a.err, "degrees") == NULL);
    CHECK(lines_of(a.err) == 2);
    json_t *r = json_loads(a.out, 0, NULL);
    CHECK(json_array_size(DIG(r, "warnings")) == 2);
    json_decref(r);
    forget(&a);
    a = run(NULL, "sim", arm(), "--duration", "2", "--q0", "shoulder=2.5", "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "pinion sim: warning: positions beyond the model's limits: shoulder 2.5 rad");
    CHECK(lines_of(a.err) == 2);
    forget(&a);

    /* degrees where there are no limits: told, and no error */
    a = run(NULL, "sim", arm(), "--duration", "0.1", "--q0", "elbow=-90", "--limits-check", "error", "--quiet",
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "warning: angles that look like degrees: elbow -90 rad at t = 0 s (-90 degrees are -1.571 rad)\n");
    CHECK(lines_of(a.err) == 1);
    forget(&a);
    REFUSED(1, "shoulder 90 rad (at most 2)", NULL, "sim", arm(), "--duration", "1", "--q0", "shoulder=90",
            "--limits-check",
            "error");
    REFUSED(1, "shoulder 80 rad (at most 2) at t = 200 s", NULL, "sim", arm(), "--control", "pd", "--to",
            "shoulder=80", "--duration", "200", "--limits-check", "error");

    /* a torque that is too large, in every row */
    a = run(NULL, "sim", arm(), "--duration", "0.1", "--torque", "shoulder=12", "--limits-check", "error", "-o",
            place("a.csv"), (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "joint forces beyond the model's limits: shoulder 12 N m (at most 10) at t = 0 s");
    CHECK_HAS(a.err, "wrote ");
    forget(&a);

    /* a largest force of 0 stands for none */
    a = run(NULL, "sim",
            write_file("arm.json", "{\"pinion\": 1, \"gravity\": [-9.81, 0, 0],"
                                   "\"links\": [{\"name\": \"g\"}, {\"name\": \"m\", \"mass\": 2}],"
                                   "\"joints\": [{\"name\": \"x\", \"type\": \"prismatic\", \"parent\": \"g\","
                                   "\"child\": \"m\", \"axis\": [1, 0, 0], \"effort\": 0}]}"),
            "--control", "pd-gravity", "--limit-effort", "--duration", "1", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK_NEAR(cell(&t, -1, "q.x"), 0, 1e-9);
    free(t.x);
    forget(&a);

    /* stops are run into, and nobody is told */
    a = run(NULL, "sim", arm(), "--duration", "0.5", "--q0", "shoulder=1.99,slider=0.1", "--v0", "shoulder=1",
            "--limits", "on", "--mimic", "independent", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(strstr(a.err, "positions beyond") == NULL);
    forget(&a);
}

/* A ball on a string of 0.5 m: 0.1 + g / 2 = 5.005 m after it fell for a second. */
TEST(tendons)
{
    const char *ball = write_file(
        "arm.json", "{\"pinion\": 1, \"name\": \"ball\", \"links\": [{\"name\": \"g\"}, {\"name\": \"m\", "
                    "\"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"z\", "
                    "\"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"m\", \"axis\": [0, 0, 1]}], "
                    "\"tendons\": [{\"name\": \"string\", \"path\": [\"g\", \"m\"], \"limits\": [null, 0.5]}]}");
    answer a = run(NULL, "sim", ball, "--duration", "1", "--q0", "-0.6", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "warning: lengths of tendons beyond the model's limits: string 0.6 m (at most 0.5) at t = 0 s\n");
    forget(&a);
    a = run(NULL, "sim", ball, "--duration", "1", "--q0", "-0.1", "--event", "+limit:string", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "string 5.005 m (at most 0.5) at t = 1 s\n");
    CHECK_HAS(a.err, "string reaches its upper limit");
    forget(&a);
    REFUSED(1, "string 0.6 m (at most 0.5) at states[0]", "{\"states\": [{\"q\": [-0.6]}]}", "eval", ball, "--states",
            "-", "--what", "gravity", "--limits-check", "error");
    a = run(NULL, "sim", ball, "--duration", "1", "--q0", "-0.1", "--limits", "on", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(strstr(a.err, "beyond") == NULL);
    forget(&a);
    REFUSED(2, "no joint and no tendon is named 'strung' (did you mean", NULL, "sim", ball, "--duration", "1",
            "--event", "limit:strung");
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(states_of_eval);
    RUN(motions_of_id);
    RUN(simulations);
    RUN(tendons);
    return command_end(files);
}
