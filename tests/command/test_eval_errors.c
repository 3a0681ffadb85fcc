/* What `pinion eval` refuses: each error is one line that names the file, the argument or the state. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "fixtures.h"

static const char *const files[] = {"pendulum.urdf", "hostile.json", "states.json", "broken.json", NULL};

static const char *pendulum(void)
{
    return write_file("pendulum.urdf", PENDULUM);
}

/* The states are refused with this text and exit status 1. */
static void bad_states(const char *states, const char *text)
{
    REFUSED(1, text, states, "eval", pendulum(), "--states", "-", "--what", "gravity");
}

/* --what is refused with this text and exit status 2, also when there is no such model. */
static void bad_what(const char *what, const char *text)
{
    REFUSED(2, text, NULL, "eval", "no-such-model.urdf", "--states", "no-such-file", "--what", what);
}

TEST(not_json)
{
    bad_states("", "<stdin>:1: not JSON");
    bad_states("hello", "<stdin>:1: not JSON");
    bad_states("{\"states\": [\n{\"q\": [0]},\n{\"q\": [0}\n]}", "<stdin>:3: not JSON");
    bad_states("{\"states\": []} trailing", "<stdin>:1: not JSON");
    bad_states("{\"states\": [{\"q\": [NaN]}]}", "<stdin>:1: not JSON");
    bad_states("{\"states\": [{\"q\": [1e999]}]}", "<stdin>:1: not JSON");
    bad_states("{\"states\": [{\"q\": [0], \"q\": [1]}]}", "duplicate object key");
    bad_states("{\"states\": [{\"q\": [\"\xff\"]}]}", "not JSON");
    const char *broken = write_file("broken.json", "\n\n{\"states\":\n [{\"q\": [0]},]}");
    REFUSED(1, "broken.json:4: not JSON", NULL, "eval", pendulum(), "--states", broken, "--what", "gravity");
}

/* Nesting without end is an error, not a crash. */
TEST(deep_json)
{
    size_t depth = 1000000;
    char *text = (char *)malloc(depth + 1);
    if (!text) SKIP("no memory");
    memset(text, '[', depth);
    text[depth] = '\0';
    bad_states(text, "not JSON");
    free(text);
}

TEST(wrong_shape)
{
    bad_states("[]", "expected an object {\"states\": [...]}, got an array");
    bad_states("{}", "\"states\" is missing");
    bad_states("{\"states\": {}}", "states: expected an array, got an object");
    bad_states("{\"state\": []}", "unknown key 'state' (did you mean 'states'?)");
    bad_states("{\"states\": [], \"gravity\": 1}", "unknown key 'gravity'");
    bad_states("{\"states\": [{\"q\": [0]}, 3]}",
               "states[1]: expected an object {\"q\": [...]}, got a number");
    bad_states("{\"states\": [null]}", "states[0]: expected an object {\"q\": [...]}, got null");
}

TEST(wrong_state)
{
    bad_states("{\"states\": [{\"q\": [0]}, {\"v\": [0]}]}", "states[1].q: missing, expected 1 number");
    bad_states("{\"states\": [{\"q\": [0, 0]}]}", "states[0].q: expected 1 number, got 2");
    bad_states("{\"states\": [{\"q\": []}]}", "states[0].q: expected 1 number, got 0");
    bad_states("{\"states\": [{\"q\": [0]}, {\"q\": [0]}, {\"q\": [0]}, {\"q\": [0], \"v\": [1, 2, 3]}]}",
               "states[3].v: expected 1 number, got 3");
    bad_states("{\"states\": [{\"q\": [0], \"a\": 1}]}",
               "states[0].a: expected an array of 1 number, got a number");
    bad_states("{\"states\": [{\"q\": [0], \"tau\": null}]}",
               "states[0].tau: expected an array of 1 number, got null");
    bad_states("{\"states\": [{\"q\": [\"0\"]}]}", "states[0].q[0]: expected a number, got a string");
    bad_states("{\"states\": [{\"q\": [true]}]}", "states[0].q[0]: expected a number, got a boolean");
    bad_states("{\"states\": [{\"q\": [0], \"velocity\": [1], \"w\": 1}]}",
               "states[0]: unknown key 'velocity'");
    bad_states("{\"states\": [{\"q\": [0], \"fext\": {}}]}", "unknown key 'fext' (did you mean 'f_ext'?)");
    REFUSED(1, "states[0].q: expected 6 numbers, got 5", "{\"states\": [{\"q\": [1, 2, 3, 4, 5]}]}", "eval",
            bundled("stanford.json"), "--states", "-", "--what", "gravity");
}

TEST(wrong_forces)
{
    bad_states("{\"states\": [{\"q\": [0], \"f_ext\": []}]}", "states[0].f_ext: expected an object");
    bad_states("{\"states\": [{\"q\": [0], \"f_ext\": {\"tol\": [0, 0, 0, 0, 0, 0]}}]}",
               "states[0].f_ext: no link or frame is named 'tol' (did you mean 'tool'?)");
    bad_states("{\"states\": [{\"q\": [0], \"f_ext\": {\"tool\": [0, 0, 0]}}]}",
               "states[0].f_ext.tool: expected 6 numbers, got 3");
    bad_states("{\"states\": [{\"q\": [0], \"f_ext\": {\"tool\": [0, 0, 0, 0, 0, {}]}}]}",
               "states[0].f_ext.tool[5]: expected a number, got an object");
}

/* A quaternion that is not of unit length: nothing is printed, whichever state it is in. */
TEST(wrong_quaternion)
{
    static const char states[] =
        "{\"states\": [{\"q\": [1, 0, 0, 0, 0, 0, 0, 0]}, {\"q\": [0.9, 0, 0, 0, 0, 0, 0, 0]}]}";
    REFUSED(1, "states[1].q: a quaternion in q is not of unit length", states, "eval", pendulum(), "--root",
            "free", "--states", "-", "--what", "gravity");
    REFUSED(1, "root", states, "eval", pendulum(), "--root", "free", "--states", "-", "--what", "gravity");
    REFUSED(1, "states[0].q", "{\"states\": [{\"q\": [0, 0, 0, 0, 0, 0, 0, 0]}]}", "eval", pendulum(),
            "--root", "free", "--states", "-", "--what", "frames");
}

/* Also when no frame that is asked for depends on it. */
TEST(wrong_quaternion_anywhere)
{
    static const char ball[] =
        "{\"pinion\": 1, \"links\": [{\"name\": \"base\"}, {\"name\": \"ball\", \"mass\": 1}],\n"
        " \"joints\": [{\"name\": \"socket\", \"type\": \"spherical\", \"parent\": \"base\","
        " \"child\": \"ball\"}]}";
    const char *states = write_file("states.json", "{\"states\": [{\"q\": [0, 0, 0, 2]}]}");
    REFUSED(1, "states[0].q: a quaternion in q is not of unit length: joint 'socket'", ball, "eval", "-",
            "--states", states, "--what", "velocity:base");
}

TEST(wrong_what)
{
    bad_what("gravty", "unknown quantity 'gravty' (did you mean 'gravity'?)");
    bad_what("nonsense", "the names are inverse_dynamics, bias, gravity, mass_matrix, ");
    bad_what("nonsense", ", frames, jacobian:FRAME, generalized_jacobian:FRAME, "
                         "velocity:FRAME, acceleration:FRAME, hessian:FRAME, ");
    bad_what("nonsense", ", mobility, passive_forces\n");
    bad_what("gravity,,bias", "empty");
    bad_what("gravity,", "empty");
    bad_what(",", "empty");
    bad_what("velocity", "velocity needs a link or frame: velocity:FRAME");
    bad_what("jacobian:", "jacobian needs a link or frame");
    bad_what("gravity:tool", "gravity takes no frame");
    bad_what(":tool", "unknown quantity ''");
}

/* Whether the registry has an algorithm for the problem. */
static int has_algorithm(const char *problem)
{
    answer a = run(NULL, "algorithms", "--what", problem, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    int has = a.out && *a.out;
    forget(&a);
    return has;
}

TEST(not_available_yet)
{
    static const char *const later[] = {"d2_inverse_dynamics", "mass_matrix_inverse", "coriolis"};
    for (int i = 0; i < 3; i++) {
        char text[100];
        if (i >= 1 && has_algorithm(later[i])) continue;
        snprintf(text, sizeof text, "%s is not available yet", later[i]);
        bad_what(later[i], text);
    }
}

TEST(unknown_frame)
{
    static const char states[] = "{\"states\": [{\"q\": [0]}]}";
    REFUSED(1, "no link or frame is named 'tol' (did you mean 'tool'?)", states, "eval", pendulum(),
            "--states", "-", "--what", "velocity:tol");
    REFUSED(1, "'zzzzzz'", states, "eval", pendulum(), "--states", "-", "--what", "gravity,jacobian:zzzzzz");
    REFUSED(1, "\\x1b[31m", states, "eval", pendulum(), "--states", "-", "--what", "velocity:\033[31m");
}

TEST(files_that_cannot_be_read)
{
    REFUSED(1, "no-such-file.json: the states cannot be read: No such file", NULL, "eval", pendulum(),
            "--states", place("no-such-file.json"), "--what", "gravity");
    REFUSED(1, "the states cannot be read", NULL, "eval", pendulum(), "--states", folder, "--what",
            "gravity");
    REFUSED(1, "no-such-model.urdf", NULL, "eval", place("no-such-model.urdf"), "--states", "-", "--what",
            "gravity");
    REFUSED(1, "broken.json:", NULL, "eval", write_file("broken.json", "{\n\"pinion\": 1,\n\"lonks\": []}"),
            "--states", "-", "--what", "gravity");
    REFUSED(1, "<stdin>", "<robot name='x'><link", "eval", "-", "--states",
            write_file("states.json", "{\"states\": []}"), "--what", "gravity");
    REFUSED(1, "<stdin>", "", "eval", "-", "--states", place("states.json"), "--what", "gravity");
}

TEST(missing_arguments)
{
    REFUSED(2, "a MODEL file is missing", NULL, "eval");
    REFUSED(2, "--states FILE is missing", NULL, "eval", pendulum());
    REFUSED(2, "--states FILE is missing", NULL, "eval", pendulum(), "--what", "gravity");
    REFUSED(2, "--what LIST is missing", NULL, "eval", pendulum(), "--states", "-");
    REFUSED(2, "cannot both be read from standard input", PENDULUM, "eval", "-", "--states", "-", "--what",
            "gravity");
    REFUSED(2, "unexpected argument 'b.urdf' after 'a.urdf'", NULL, "eval", "a.urdf", "b.urdf");
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(not_json);
    RUN(deep_json);
    RUN(wrong_shape);
    RUN(wrong_state);
    RUN(wrong_forces);
    RUN(wrong_quaternion);
    RUN(wrong_quaternion_anywhere);
    RUN(wrong_what);
    RUN(not_available_yet);
    RUN(unknown_frame);
    RUN(files_that_cannot_be_read);
    RUN(missing_arguments);
    return command_end(files);
}
