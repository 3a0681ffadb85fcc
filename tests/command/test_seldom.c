/* What the command is seldom asked for: pages of modes and of Sobol's indices, tendons and elastic links as text, tasks
 * in a summary, models with elastic links written again, plans with much in them. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "loops.h"

static const char *const files[] = {"modes.html", "tendons.mjcf", "plan.json", "runs.h5", "runs.html", "run.csv",
                                    "run.html",   "tasks.json",   "again.json", "twice.json", "states.json",
                                    "same.csv",   "forces.json",  "shapes.json", "chain.json", "kinds.json",
                                    "loops.json", "turned.json", NULL};

static void page_has(const char *path, const char *part)
{
    char *page = read_file(path);
    CHECK_HAS(page, part);
    free(page);
}

TEST(pages)
{
    answer a = run(NULL, "linearize", bundled("planar-3r.json"), "--equilibrium", "--report", place("modes.html"),
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    page_has(place("modes.html"), "\"kind\":\"playback\"");

    char plan[1000];
    snprintf(plan, sizeof plan,
             "{\"model\": \"%s\", \"count\": 8, \"indices\": true, \"sampling\": \"sobol\","
             " \"run\": {\"duration\": 0.1, \"integrator\": \"rk4\", \"step\": 0.01},"
             " \"vary\": [{\"name\": \"a\", \"what\": \"q0\", \"of\": \"elbow\", \"uniform\": [0.1, 0.9]},"
             " {\"name\": \"b\", \"what\": \"mass\", \"of\": \"lower\", \"uniform\": [1, 2]}],"
             " \"keep\": [{\"name\": \"end\", \"column\": \"q.elbow\", \"take\": \"final\"}]}",
             bundled("planar-2r.json"));
    a = run(NULL, "sweep", write_file("plan.json", plan), "-o", place("runs.h5"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "32 runs: 32 complete"); /* 8 groups of 2 + 2 */
    forget(&a);
    a = run(NULL, "report", place("runs.h5"), "-o", place("runs.html"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    page_has(place("runs.html"), "indices of end: the part of its variance that each explains");

    a = run(NULL, "sim", bundled("planar-2r.json"), "--duration", "0.1", "-o", place("run.csv"), "--quiet",
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "report", place("run.csv"), "-o", place("run.html"), "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_KEYS(r, "output rows columns");
    CHECK(json_number_value(DIG(r, "rows")) == 101);
    json_decref(r);
}

/* A parameter of words: its numbers are places in their list. */
TEST(words_on_a_page)
{
    char plan[1000];
    snprintf(plan, sizeof plan,
             "{\"model\": \"%s\", \"run\": {\"duration\": 0.1, \"step\": 0.01},"
             " \"vary\": [{\"name\": \"by\", \"what\": \"integrator\", \"list\": [\"rk4\", \"euler\"]}],"
             " \"keep\": [{\"name\": \"end\", \"column\": \"q.elbow\", \"take\": \"final\"}]}",
             bundled("planar-2r.json"));
    answer a = run(NULL, "sweep", write_file("plan.json", plan), "-o", place("runs.h5"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "report", place("runs.h5"), "-o", place("runs.html"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "2 runs\n");
    forget(&a);
    page_has(place("runs.html"), "\"name\":\"by\",\"unit\":\"\",\"kind\":\"parameter\",\"low\":0.0,\"high\":1.0");
    page_has(place("runs.html"), "\"words\":[\"rk4\",\"euler\"]");
}

/* Torques of joints that close loops, by their names: a hinge has one, a ball three. Bodies that float but for that. */
TEST(torques_of_loop_joints)
{
    const char *model = write_file(
        "loops.json",
        "{\"pinion\": 1, \"name\": \"loops\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"base\"}, {\"name\": "
        "\"a\", \"mass\": 1, \"inertia\": {\"xx\": 2, \"yy\": 2, \"zz\": 2}}, {\"name\": \"b\", \"mass\": 1, "
        "\"inertia\": {\"xx\": 4, \"yy\": 4, \"zz\": 4}}], \"joints\": [{\"name\": \"free a\", \"type\": \"free\", "
        "\"parent\": \"base\", \"child\": \"a\"}, {\"name\": \"free b\", \"type\": \"free\", \"parent\": \"base\", "
        "\"child\": \"b\"}], \"loops\": [{\"name\": \"hinge\", \"type\": \"continuous\", \"axis\": [0, 0, 1], "
        "\"parent\": \"base\", \"child\": \"a\"}, {\"name\": \"ball\", \"type\": \"spherical\", \"parent\": "
        "\"base\", \"child\": \"b\"}]}");
    answer a = run(NULL, "sim", model, "--duration", "0.5", "--torque", "hinge=3,ball.1=2", "--output-step", "0.5",
                   "-o", place("run.csv"), "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *text = read_file(place("run.csv")), *last = text ? strrchr(text, '\n') : NULL;
    while (last && last > text && last[1] < ' ') *last = '\0', last = strrchr(text, '\n');
    double x[30] = {0};
    for (int i = 0; last && i < 27; i++) x[i] = strtod(last + 1, &last); /* t, q, v */
    CHECK_NEAR(x[0], 0.5, 0);
    for (int i = 0; i < 12; i++) CHECK_NEAR(x[15 + i], i == 2 ? 3 * 0.5 / 2 : i == 7 ? 2 * 0.5 / 4 : 0, 1e-9);
    free(text);
    REFUSED(2, "no coordinate is named 'ball.3' (did you mean 'ball.0', 'ball.1' or 'ball.2'?)", NULL, "sim", model,
            "--duration", "0.5", "--torque", "ball.3=2");
}

/* The pin of the four-bar with its axis the wrong way on one side: where the places meet all its rows are zero, and it
 * is told that it is not closed. */
TEST(a_loop_that_is_turned_round)
{
    char *text = read_file(bundled("four-bar.json"));
    char *at = text ? strstr(text, "\"child_origin\": {") : NULL, *model = at ? malloc(strlen(text) + 100) : NULL;
    CHECK(model != NULL);
    if (!model) return;
    at += strlen("\"child_origin\": {");
    sprintf(model, "%.*s\"rpy\": [3.141592653589793, 0, 0], %s", (int)(at - text), text, at);
    answer a = run("{\"states\": [{\"q\": [1.5707963267948966, -1.1638355690882252, 1.6730644304861706]}]}", "eval",
                   write_file("turned.json", model), "--states", "-", "--what", "forward_dynamics", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "loop 'pin' is turned out of its place by 180 degrees: accelerations and forces are those of "
                     "the state as it is, in which the mechanism cannot be");
    forget(&a);
    free(model);
    free(text);
}

#define UNIT "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"

TEST(tendons)
{
    const char *model = write_file(
        "tendons.mjcf",
        "<mujoco><worldbody><site name='p'/><body name='a'><joint name='j'/>" UNIT "<site name='q' pos='1 0 0'/>"
        "<body name='b'><joint name='k'/>" UNIT "</body></body></worldbody><tendon><fixed name='t' stiffness='3' "
        "damping='0.5' range='-1 1' limited='true'><joint joint='j' coef='1'/><joint joint='k' coef='-2'/></fixed>"
        "<spatial name='s' stiffness='5'><site site='p'/><site site='q'/></spatial></tendon></mujoco>");
    answer a = run(NULL, "info", model, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "  t  stiffness 3, damping 0.5, relaxed from 0 to 0, limits -1 to 1: 1 j, -2 k\n");
    CHECK_HAS(a.out, "  s  stiffness 5, damping 0, relaxed from 1 to 1: p, q\n");
    forget(&a);
}

/* Springs and dampers that are polynomials, and laws of servos. */
TEST(curves_and_laws)
{
    static const char model[] =
        "{\"pinion\": 1, \"name\": \"arm\", \"links\": [{\"name\": \"base\"}, {\"name\": \"arm\", \"mass\": 1, "
        "\"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"j\", \"type\": \"continuous\", "
        "\"parent\": \"base\", \"child\": \"arm\", \"damping\": {\"linear\": 0.2, \"curve\": [0.05, 0]}, \"spring\": "
        "{\"stiffness\": {\"linear\": 40, \"curve\": [0, 900]}}}], \"tendons\": [{\"name\": \"t\", \"joints\": "
        "[\"j\"], \"weights\": [2], \"stiffness\": {\"linear\": 3, \"curve\": [1, 2]}, \"damping\": {\"linear\": 4, "
        "\"curve\": [5, 6]}}], \"actuators\": [{\"name\": \"a\", \"joint\": \"j\", \"law\": {\"gain\": 2, \"slope\": "
        "[0.5, -0.25], \"bias\": [1, -3, -4], \"integrates\": true, %s}}]}";
    char text[2000];
    snprintf(text, sizeof text, model, "\"state\": [-1, 7]");
    answer a = run(text, "info", "-", "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_NUMBERS(DIG(r, "joints", "0", "damping_curve", "0"), 0, 0.05, 0);
    CHECK_NUMBERS(DIG(r, "joints", "0", "stiffness_curve", "0"), 0, 0, 900);
    CHECK_NUMBERS(DIG(r, "tendons", "0", "stiffness_curve"), 0, 1, 2);
    CHECK_NUMBERS(DIG(r, "tendons", "0", "damping_curve"), 0, 5, 6);
    CHECK_NUMBERS(DIG(r, "actuators", "0", "law", "slope"), 0, 0.5, -0.25);
    CHECK_NUMBERS(DIG(r, "actuators", "0", "law", "state"), 0, -1, 7);
    CHECK(json_is_true(DIG(r, "actuators", "0", "law", "integrates")));
    json_decref(r);
    a = run(text, "info", "-", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "servo (2+0.5 l-0.25 l') c+1-3 l-4 l', c integrated");
    forget(&a);
    snprintf(text, sizeof text, model, "\"state\": [7, -1]");
    REFUSED(1, "the least is above the largest", text, "info", "-");
    snprintf(text, sizeof text, model, "\"control\": \"all\"");
    REFUSED(1, "expected a number, [least, largest] or null", text, "info", "-");
    char *at = strstr(strcpy(text, model), "\"integrates\": true, %s");
    strcpy(at, "\"state\": [0, 1]}}]}");
    REFUSED(1, "has nothing to apply to, expected it only beside", text, "info", "-");
}

/* A beam that twists, held at one end, has its first mode at (GJ / J)^0.5 / 4 L. A file that is written again is the
 * same. */
TEST(elastic_links)
{
    const char *arm = bundled("bending-arm.json");
    char torsion[40];
    snprintf(torsion, sizeof torsion, ", %.6g Hz", sqrt(160 / 5e-5) / 4);
    answer a = run(NULL, "info", arm, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "  upper  beam of 1 m, clamped-mass, 0.5 kg, 5 modes, held at its frame: ");
    CHECK_HAS(a.out, torsion);
    forget(&a);
    a = run(NULL, "info", arm, "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    json_decref(r);
    a = run(NULL, "convert", arm, "-o", place("again.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "convert", place("again.json"), "-o", place("twice.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *once = read_file(place("again.json")), *twice = read_file(place("twice.json"));
    CHECK(once && twice && strcmp(once, twice) == 0);
    CHECK_HAS(once, "\"damping_ratio\"");
    free(once);
    free(twice);

    /* what springs and dampers of the links exert is in the torques with --passive on: at rest -K x */
    write_file("states.json", "{\"states\": [{\"q\": [0, 0.01, 0, 0, 0, 0, 0, 0, 0, 0, 0]}]}");
    double tau[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        a = run(NULL, "eval", k ? place("again.json") : arm, "--states", place("states.json"), "--what",
                "inverse_dynamics,passive_forces,energy", "--passive", "on", "--brief", (const char *)NULL);
        r = parse_answer(&a, 0);
        json_t *state = json_array_get(DIG(r, "states"), 0);
        tau[k] = json_number_value(json_array_get(json_object_get(state, "inverse_dynamics"), 1));
        json_decref(r);
    }
    CHECK(tau[0] == tau[1] && tau[0] != 0);
}

/* The arm reaches 0.9 m. */
TEST(tasks)
{
    write_file("tasks.json", "{\"tasks\": [{\"task\": \"position\", \"frame\": \"tip\", \"position\": [2, 0, 0]}]}");
    answer a = run(NULL, "sim", bundled("planar-2r.json"), "--q0", "0.3,1", "--duration", "0.2", "--control", "task",
                   "--tasks", place("tasks.json"), "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "the target of task 0 is out of reach by 1.1 m at the start");
    const char *out = strstr(a.out, "\"out_of_reach\": ");
    CHECK_NEAR(out ? strtod(out + strlen("\"out_of_reach\": "), NULL) : 0, 1.1, 1e-9);
    forget(&a);
}

/* A plan that has much of what a run can have makes the run that pinion sim makes with the same. */
TEST(plans)
{
    char plan[2000];
    write_file("tasks.json",
               "{\"tasks\": [{\"task\": \"position\", \"frame\": \"tip\", \"position\": [0.5, 0.3, 0]}]}");
    write_file("forces.json", "{\"wrenches\": [{\"frame\": \"lower\", \"force\": [0, 1, 0]}],"
                              " \"attraction\": [{\"center\": [0, 0, -6.778e6], \"mu\": 3.986e14}]}");
    snprintf(plan, sizeof plan,
             "{\"model\": \"%s\","
             " \"vary\": [{\"name\": \"T\", \"what\": \"control_step\", \"list\": [0.01, 0.02]},"
             " {\"name\": \"u\", \"what\": \"torque\", \"of\": \"elbow\", \"list\": [0.5]}],"
             " \"run\": {\"duration\": 0.1, \"integrator\": \"rk4\", \"step\": 0.005,"
             " \"algorithm\": \"crba-cholesky\", \"limits\": [1e4, 1e2], \"forces\": \"forces.json\","
             " \"control\": \"task\", \"tasks\": \"tasks.json\","
             " \"control_step\": 0.005, \"torque\": {\"shoulder\": 0.25}},"
             " \"keep\": [{\"name\": \"end\", \"column\": \"q.elbow\", \"take\": \"final\"}]}",
             bundled("planar-2r.json"));
    answer a = run(NULL, "sweep", write_file("plan.json", plan), "--only", "1", "-o", place("run.csv"), "--quiet",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "sim", bundled("planar-2r.json"), "--duration", "0.1", "--integrator", "rk4", "--step", "0.005",
            "--algorithm", "crba-cholesky", "--limits", "1e4,1e2", "--forces", place("forces.json"),
            "--control", "task", "--tasks", place("tasks.json"), "--control-step", "0.02", "--torque",
            "shoulder=0.25,elbow=0.5", "--quiet", "-o", place("same.csv"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *x = read_file(place("run.csv")), *y = read_file(place("same.csv"));
    CHECK(x && y && lines_of(x) == 102 && strcmp(x, y) == 0);
    free(x);
    free(y);
}

/* A link of two nodes of 0.25 kg that one mode moves by 0.3 and 1 against 100 N/m: (k / m)^0.5 / 2 pi. Its name has a
 * letter, a picture and a mark that nobody sees. */
TEST(elastic_shapes)
{
    char expected[200];
    const char *model = write_file(
        "shapes.json",
        "{\"pinion\": 1, \"name\": \"r\", \"links\": [{\"name\": \"a\"}, {\"name\": \"\u00fc\U0001f916\U000e0041\", "
        "\"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}, \"elastic\": {\"shapes\": {\"positions\": "
        "[[0.5, 0, 0], [1, 0, 0]], \"masses\": [0.25, 0.25], \"translations\": [[[0, 0.3, 0], [0, 1, 0]]], "
        "\"stiffness_matrix\": [[100]]}}}], \"joints\": [{\"name\": \"j\", \"type\": \"continuous\", "
        "\"parent\": \"a\", \"child\": \"\u00fc\U0001f916\U000e0041\"}]}");
    snprintf(expected, sizeof expected,
             "  \u00fc\U0001f916\\u{e0041}  shapes at 2 nodes, 0.5 kg, 1 mode, held at its frame: %.6g Hz\n",
             sqrt(100 / (0.25 * (0.3 * 0.3 + 1))) / (2 * acos(-1)));
    answer a = run(NULL, "info", model, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, expected);
    forget(&a);
}

/* A page has eight modes; twelve pendulums have twelve. A rod of 2 m does not reach from crank to crank. */
TEST(modes)
{
    answer a = run(NULL, "generate", "chain", "12", "--seed", "3", "-o", place("chain.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "linearize", place("chain.json"), "--equilibrium", "--report", place("modes.html"),
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    page_has(place("modes.html"), "4 more modes are not shown.");
    char text[4000];
    snprintf(text, sizeof text, KINDS, "9");
    REFUSED(1, "loop 'rod'", NULL, "linearize", write_file("kinds.json", text));
}

/* A state without end. */
TEST(states_that_are_too_large)
{
    enum { SIZE = 72 << 20 };
    char *text = malloc(SIZE + 1);
    CHECK(text != NULL);
    if (!text) return;
    for (int i = 0; i < SIZE; i++) text[i] = i % 2 ? ',' : '1';
    memcpy(text, "{\"states\": [\n{\"q\": [", 20);
    text[SIZE] = '\0';
    REFUSED(1, "states.json:2: a state of more than 64 MiB", NULL, "eval", bundled("planar-2r.json"), "--what",
            "energy", "--states", write_file("states.json", text));
    free(text);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(pages);
    RUN(words_on_a_page);
    RUN(torques_of_loop_joints);
    RUN(a_loop_that_is_turned_round);
    RUN(tendons);
    RUN(curves_and_laws);
    RUN(elastic_links);
    RUN(tasks);
    RUN(plans);
    RUN(elastic_shapes);
    RUN(modes);
    RUN(states_that_are_too_large);
    return command_end(files);
}
