/* `pinion eval --what constrained_dynamics:FRAME`: forward dynamics where a frame is held. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "fixtures.h"

static const char *const files[] = {"pendulum.urdf", "sliders.json", "massless.json", "loop.json", NULL};

/* The state of the pendulum with these constraints is refused with this text. */
static void bad_constraints(const char *constraints, const char *text)
{
    char states[400];
    snprintf(states, sizeof states, "{\"states\": [{\"q\": [0]}, {\"q\": [0], \"constraints\": %s}]}",
             constraints);
    REFUSED(1, text, states, "eval", write_file("pendulum.urdf", PENDULUM), "--states", "-", "--what",
            "gravity");
}

/* The tool of the pendulum, 1 m below its hinge about y, moves along its own -x: f on it and tau work
 * together, 0.7 a + 9.81 sin q = tau - f_x, with the damper and friction where they act. */
TEST(pendulum)
{
    static const char states[] =
        "{\"states\": [{\"q\": [0.3], \"v\": [2], \"tau\": [1.5],"
        " \"constraints\": {\"A\": [[0, 0, 0, 1, 0, 0]], \"b\": [-4]}},\n"
        " {\"q\": [0.3], \"tau\": [1.5], \"constraints\": {\"A\": [[0, 5, 0, 0, 0, 0]]}},\n"
        " {\"q\": [0.3], \"tau\": [1.5], \"f_ext\": {\"tool\": [0, 0, 0, 2, 0, 0]}},\n"
        " {\"q\": [0.3], \"tau\": [1.5], \"constraints\": {\"A\": [], \"b\": []}}]}";
    const double weight = 9.81 * sin(0.3), e = 1e-13;
    const char *key = "constrained_dynamics:tool";
    for (int passive = 0; passive < 2; passive++) {
        answer a = run(states, "eval", write_file("pendulum.urdf", PENDULUM), "--states", "-", "--what", key,
                       "--passive", passive ? "on" : "off", (const char *)NULL);
        json_t *r = parse_answer(&a, 0), *x = DIG(r, "states");
        const double lost = passive ? 0.3 * 2 + 0.4 : 0;
        CHECK_KEYS(DIG(x, "0", key), "acceleration lambda");
        CHECK_NUMBERS(DIG(x, "0", key, "acceleration"), e, 4);
        CHECK_NUMBERS(DIG(x, "0", key, "lambda"), e, 1.5 - lost - weight - 0.7 * 4);

        /* b is zero unless it is given; a row of length 5 takes a fifth of the multiplier */
        CHECK_NUMBERS(DIG(x, "1", key, "acceleration"), e, 0);
        CHECK_NUMBERS(DIG(x, "1", key, "lambda"), e, (weight - 1.5) / 5);

        /* no constraints, or none in the list */
        CHECK_NUMBERS(DIG(x, "2", key, "acceleration"), e, (1.5 - 2 - weight) / 0.7);
        CHECK(json_is_array(DIG(x, "2", key, "lambda")) && !json_array_size(DIG(x, "2", key, "lambda")));
        CHECK_NUMBERS(DIG(x, "3", key, "acceleration"), e, (1.5 - weight) / 0.7);
        json_decref(r);
    }
}

/* The hand of the Stanford arm, in motion, accelerates as it is told; inverse dynamics with the multipliers
 * as a force on the hand gives tau back. */
TEST(hand_of_an_arm)
{
    static const char part[] =
        "\"q\": [0.3, -0.7, 0.4, 1.1, -0.5, 0.9], \"v\": [0.5, -0.4, 0.3, -0.8, 0.7, 1.2]";
    static const double tau[6] = {3, -2, 5, 0.4, -0.3, 0.2};
    char states[1000], forces[400] = "", accelerations[400] = "";
    double R[9], acc[6];
    snprintf(states, sizeof states,
             "{\"states\": [{%s, \"tau\": [3, -2, 5, 0.4, -0.3, 0.2], \"constraints\": {\"A\":"
             " [[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]], \"b\": [1, -2, 3]}}]}",
             part);
    answer a = run(states, "eval", bundled("stanford.json"), "--states", "-", "--what",
                   "constrained_dynamics:link6", "--algorithm", "vereshchagin", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *x = DIG(r, "states", "0", "constrained_dynamics:link6");
    for (int i = 0; i < 6; i++) {
        const size_t used = strlen(accelerations);
        snprintf(accelerations + used, sizeof accelerations - used, "%s%.17g", i ? ", " : "",
                 json_number_value(json_array_get(DIG(x, "acceleration"), (size_t)i)));
    }
    for (int i = 0; i < 3; i++) {
        const size_t used = strlen(forces);
        snprintf(forces + used, sizeof forces - used, ", %.17g",
                 json_number_value(json_array_get(DIG(x, "lambda"), (size_t)i)));
    }
    CHECK(json_array_size(DIG(x, "lambda")) == 3);
    json_decref(r);

    snprintf(states, sizeof states, "{\"states\": [{%s, \"a\": [%s], \"f_ext\": {\"link6\": [0, 0, 0%s]}}]}",
             part, accelerations, forces);
    a = run(states, "eval", bundled("stanford.json"), "--states", "-", "--what",
            "inverse_dynamics,acceleration:link6,frames", (const char *)NULL);
    r = parse_answer(&a, 0);
    x = DIG(r, "states", "0");
    check_numbers(DIG(x, "inverse_dynamics"), tau, 6, 1e-10, __LINE__);
    static const char *const row[] = {"0", "1", "2"};
    for (int i = 0; i < 6; i++)
        acc[i] = json_number_value(json_array_get(DIG(x, "acceleration:link6"), (size_t)i));
    for (int i = 0; i < 9; i++)
        R[i] = json_number_value(
            json_array_get(DIG(x, "frames", "link6", "rotation", row[i / 3]), (size_t)(i % 3)));
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(R[i] * acc[3] + R[3 + i] * acc[4] + R[6 + i] * acc[5],
                   i == 0   ? 1
                   : i == 1 ? -2
                            : 3,
                   1e-10);
    json_decref(r);
}

/* What cannot be kept is null, and the rest of the answer is there. */
TEST(impossible)
{
    static const char states[] =
        "{\"states\": [{\"q\": [0], \"constraints\": {\"A\": [[0, 0, 0, 0, 1, 0]]}},\n"
        " {\"q\": [0], \"constraints\": {\"A\": [[0, 0, 0, 1, 0, 0], [0, 1, 0, 0, 0, 0]]}},\n"
        " {\"q\": [0], \"constraints\": {\"A\": [[0, 0, 0, 1, 0, 0]]}}]}";
    answer a = run(states, "eval", write_file("pendulum.urdf", PENDULUM), "--states", "-", "--what",
                   "constrained_dynamics:tool,gravity", (const char *)NULL);
    CHECK(lines_of(a.err) == 2);
    CHECK_HAS(a.err,
              "states[0]: constrained_dynamics:tool is null: to rounding, the constraints depend");
    CHECK_HAS(a.err, "states[1]: constrained_dynamics:tool is null");
    json_t *r = parse_answer(&a, 1);
    CHECK(json_is_null(DIG(r, "states", "0", "constrained_dynamics:tool")));
    CHECK(json_is_null(DIG(r, "states", "1", "constrained_dynamics:tool")));
    CHECK_NUMBERS(DIG(r, "states", "1", "gravity"), 1e-14, 0);
    CHECK_NUMBERS(DIG(r, "states", "2", "constrained_dynamics:tool", "acceleration"), 1e-14, 0);
    json_decref(r);

    /* a frame of the base, and a link without inertia */
    a = run("{\"states\": [{\"q\": [0], \"constraints\": {\"A\": [[0, 0, 0, 1, 0, 0]]}}]}", "eval",
            place("pendulum.urdf"), "--states", "-", "--what", "constrained_dynamics:base",
            (const char *)NULL);
    CHECK_HAS(a.err, "no joint can keep one of them");
    r = parse_answer(&a, 1);
    json_decref(r);
    a = run("{\"states\": [{\"q\": [0]}]}", "eval", write_file("massless.json", MASSLESS), "--states", "-",
            "--what", "constrained_dynamics:ghost", (const char *)NULL);
    CHECK_HAS(a.err, "constrained_dynamics:ghost is null: the mass matrix is singular");
    r = parse_answer(&a, 1);
    json_decref(r);
}

TEST(wrong_constraints)
{
    bad_constraints("[]",
                    "states[1].constraints: expected an object {\"A\": [[6 numbers], ...], \"b\": [...]}, "
                    "got an array");
    bad_constraints("{\"b\": [1]}", "states[1].constraints.A: expected an array of up to 6 rows");
    bad_constraints("{\"A\": 1}", "states[1].constraints.A: expected an array of up to 6 rows");
    bad_constraints("{\"A\": [[0, 0, 0, 0, 1]]}", "states[1].constraints.A[0]: expected 6 numbers, got 5");
    bad_constraints("{\"A\": [3]}",
                    "states[1].constraints.A[0]: expected an array of 6 numbers, got a number");
    bad_constraints("{\"A\": [[0, 0, 0, 0, 1, null]]}",
                    "states[1].constraints.A[0][5]: expected a number, got null");
    bad_constraints("{\"A\": [[], [], [], [], [], [], []]}", "expected an array of up to 6 rows");
    bad_constraints("{\"A\": [[1, 0, 0, 0, 0, 0]], \"b\": [1, 2]}",
                    "states[1].constraints.b: expected 1 number, got 2");
    bad_constraints("{\"A\": [[1, 0, 0, 0, 0, 0]], \"c\": [1]}", "states[1].constraints: unknown key 'c'");
}

/* models and command lines that it is not for */
TEST(refused)
{
    static const char states[] = "{\"states\": [{\"q\": [0]}]}";
    const char *pendulum = write_file("pendulum.urdf", PENDULUM);
    REFUSED(1, "vereshchagin needs a model without mimic joints", states, "eval",
            write_file("sliders.json", SLIDERS), "--states", "-", "--what", "constrained_dynamics:one");
    REFUSED(1, "vereshchagin does not solve closed loops", "{\"states\": [{\"q\": [0, 0]}]}", "eval",
            write_file("loop.json", LOOP), "--states", "-", "--what", "constrained_dynamics:left");
    REFUSED(2, "--algorithm aba computes forward_dynamics, which is not in --what constrained_dynamics:tool",
            states, "eval", pendulum, "--states", "-", "--what", "constrained_dynamics:tool", "--algorithm",
            "aba");
    REFUSED(2, "constrained_dynamics needs a link or frame", NULL, "eval", "m", "--states", "-", "--what",
            "constrained_dynamics");
    REFUSED(1, "no link or frame is named 'tol'", states, "eval", pendulum, "--states", "-", "--what",
            "constrained_dynamics:tol");
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(pendulum);
    RUN(hand_of_an_arm);
    RUN(impossible);
    RUN(wrong_constraints);
    RUN(refused);
    return command_end(files);
}
