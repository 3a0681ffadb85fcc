/* pinion sim: every run ends, and says why: at dead points, after so many steps or seconds, and before its numbers are
 * nonsense. */
#include "command/command.h"
#include "command/sim.h"

static const char *const files[] = {"bars.json", "rod.json", "whole.csv", "part.csv", "kept.h5", NULL};

#define ROD(name) \
    "{\"name\": \"" name "\", \"mass\": 1, \"com\": [%g, 0, 0], \"inertia\": {\"yy\": %g, \"zz\": %g}}"

/* Rods of lengths a, b and c in a loop on a ground of length g; the first is driven by offset + rate t. */
static const char *four_bar(double g, double a, double b, double c, double offset, double rate)
{
    char text[4000];
    snprintf(text, sizeof text,
             "{\"pinion\": 1, \"name\": \"bars\", \"gravity\": [0, -9.81, 0], \"links\": [{\"name\": \"ground\"},\n"
             ROD("a") ",\n" ROD("b") ",\n" ROD("c") "],\n"
             "\"joints\": [{\"name\": \"A\", \"type\": \"continuous\", \"parent\": \"ground\", \"child\": \"a\"},\n"
             " {\"name\": \"B\", \"type\": \"continuous\", \"parent\": \"a\", \"child\": \"b\",\n"
             "  \"origin\": {\"position\": [%g, 0, 0]}},\n"
             " {\"name\": \"C\", \"type\": \"continuous\", \"parent\": \"ground\", \"child\": \"c\",\n"
             "  \"origin\": {\"position\": [%g, 0, 0]}}],\n"
             "\"loops\": [{\"name\": \"pin\", \"type\": \"revolute\", \"parent\": \"b\", \"child\": \"c\",\n"
             "  \"origin\": {\"position\": [%g, 0, 0]}, \"child_origin\": {\"position\": [%g, 0, 0]}},\n"
             " {\"name\": \"motor\", \"type\": \"drive\", \"joint\": \"A\",\n"
             "  \"motion\": {\"offset\": %g, \"rate\": %g}}]}\n",
             a / 2, a * a / 12, a * a / 12, b / 2, b * b / 12, b * b / 12, c / 2, c * c / 12, c * c / 12, a, g, b, c,
             offset, rate);
    return write_file("bars.json", text);
}

/* A number from low to high with so many decimals. */
static double pick(uint64_t *state, double low, double high, double parts)
{
    return round(check_between(state, low, high) * parts) / parts;
}

/* The drive reaches a place where the loops cannot follow. */
TEST(dead_point)
{
    const char *model = four_bar(0.3, 0.6, 0.9, 0.5, 0.7, -2.6);
    answer a = run(NULL, "sim", model, "--duration", "4", (const char *)NULL);
    table t = read_table(a.out);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "the integration ends at t = 0.0253");
    CHECK_HAS(a.err, "or a drive leads to where they cannot close");
    CHECK(t.rows == 2 && cell(&t, -1, "t") < 0.02532);
    free(t.x);
    forget(&a);
}

/* Driven four-bars of all kinds: those whose crank cannot turn on end, the others finish in balance. */
TEST(random_four_bars_end)
{
    enum { BARS = 40 };
    const int bars = check_rounds(BARS);
    int ended[3] = {0};
    uint64_t state = check_seed;
    for (int i = 0; i < bars; i++) {
        double x[6];
        for (int k = 0; k < 4; k++) x[k] = pick(&state, 0.2, 1, i % 3 ? 10 : 1000);
        x[4] = pick(&state, -3, 3, 10);
        x[5] = pick(&state, -4, 4, 10);
        answer a = run(NULL, "sim", four_bar(x[0], x[1], x[2], x[3], x[4], x[5]), "--duration", "4", "--json",
                       (const char *)NULL);
        json_t *summary = json_loads(a.out ? a.out : "", 0, NULL);
        const char *end = json_string_value(DIG(summary, "end"));
        const int kind = !summary ? 0 : end && strcmp(end, "failed") == 0 ? 1 : 2;
        ended[kind]++;
        CHECK_STATUS(a.status, kind == 2 ? 0 : 1);
        CHECK_HAS(a.err, kind == 0 ? "cannot be closed" : kind == 1 ? "the integration ends at t = " : "");
        if (kind == 2) {
            json_t *drift = DIG(summary, "relative_drift");
            /* 1e-10 but where lengths add up, so that the crank is driven through singular positions: that is told */
            const int warned = json_array_size(DIG(summary, "warnings")) > 0;
            CHECK(json_is_null(drift) || (json_number_value(drift) < 1e-3) != warned);
            CHECK_NEAR(json_number_value(DIG(summary, "t_end")), 4, 0);
        }
        json_decref(summary);
        forget(&a);
    }
    printf("  %d cannot be closed, %d end at dead points, %d finish\n", ended[0], ended[1], ended[2]);
    if (bars == BARS) CHECK(ended[1] > BARS / 10 && ended[2] > BARS / 10);
}

/* A distance that grows beyond what two rods can reach, whatever keeps the loops. */
TEST(law_that_leads_out_of_reach)
{
    static const char *const how[] = {"projection", "baumgarte", "both", "none"};
    const char *model = write_file(
        "rod.json",
        "{\"pinion\": 1, \"name\": \"rod\", \"gravity\": [0, -9.81, 0], \"links\": [{\"name\": \"ground\"},\n"
        " {\"name\": \"a\", \"mass\": 1, \"com\": [0.1, 0, 0], \"inertia\": {\"yy\": 0.003, \"zz\": 0.003}},\n"
        " {\"name\": \"b\", \"mass\": 1, \"com\": [0.25, 0, 0], \"inertia\": {\"yy\": 0.02, \"zz\": 0.02}}],\n"
        "\"joints\": [{\"name\": \"A\", \"type\": \"continuous\", \"parent\": \"ground\", \"child\": \"a\"},\n"
        " {\"name\": \"B\", \"type\": \"continuous\", \"parent\": \"a\", \"child\": \"b\",\n"
        "  \"origin\": {\"position\": [0.2, 0, 0]}, \"initial\": {\"q\": 1.5707963267948966}}],\n"
        "\"loops\": [{\"name\": \"rod\", \"type\": \"distance\", \"parent\": \"ground\", \"child\": \"b\",\n"
        "  \"child_origin\": {\"position\": [0.5, 0, 0]}, \"length\": 0.5385164807134505,\n"
        "  \"motion\": {\"rate\": 1}}]}\n");
    for (int i = 0; i < 4; i++) {
        answer a = run(NULL, "sim", model, "--duration", "4", "--stabilize", how[i], (const char *)NULL);
        CHECK_STATUS(a.status, 1);
        CHECK_HAS(a.err, "the integration ends at t = 0.161"); /* 0.7 m */
        forget(&a);
    }
}

/* So many steps, and no more; going on from there comes to the same end. */
TEST(steps_are_counted)
{
    const char *model = bundled("planar-3r.json"), *duration = check_every(5) > 1 ? "1" : "5";
    answer a = run(NULL, "sim", model, "--duration", duration, "--q0", "1,1,1", "-o", place("whole.csv"), "--quiet",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "sim", model, "--duration", duration, "--q0", "1,1,1", "-o", place("part.csv"), "--json",
            "--max-steps", "100", "--checkpoint", place("kept.h5"), (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "ended by max_steps, 100, at t = ");
    CHECK_HAS(a.err, "complete in ");
    int runs = 0;
    for (; a.status == 1 && runs < 100; runs++) {
        json_t *summary = json_loads(a.out, 0, NULL);
        CHECK_TEXT(DIG(summary, "end"), "interrupted");
        CHECK_NEAR(json_number_value(DIG(summary, "steps")), 100 * (runs + 1), 0);
        json_decref(summary);
        forget(&a);
        a = run(NULL, "sim", "--resume", place("kept.h5"), "--json", (const char *)NULL);
    }
    CHECK_STATUS(a.status, 0);
    CHECK(runs > 3 && runs < 100);
    CHECK(same_file(place("whole.csv"), place("part.csv")));
    forget(&a);
}

TEST(time_is_counted)
{
    answer a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "1e6", "--q0", "1,1,1", "--max-time", "0.1",
                   (const char *)NULL);
    table t = read_table(a.out);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "ended by max_time, 0.1 s, at t = ");
    CHECK(t.rows >= 2 && cell(&t, -1, "t") > 0 && cell(&t, -1, "t") < 1e5);
    free(t.x);
    forget(&a);
}

/* Too long a step: a warning, then an end before the numbers are nonsense, unless that is what is wanted. */
TEST(energies_must_balance)
{
    static const struct {
        const char *step, *drift;
        int status;
        const char *says;
    } tried[] = {{"0.001", "0.1", 0, ""},
                 {"0.014", "0.1", 0, "warning: the energies do not balance: they are off by 0.0"},
                 {"0.02", "0.002", 1, "more than max_drift, 0.002, of the largest kinetic energy"},
                 {"0.1", "0.1", 1, "the energies do not balance: the step to t = "},
                 {"0.03", "off", 0, "warning: the energies do not balance"}};
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        answer a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "10", "--q0", "1,1,1", "--integrator",
                       "rk4", "--step", tried[i].step, "--max-drift", tried[i].drift, (const char *)NULL);
        CHECK_STATUS(a.status, tried[i].status);
        CHECK_HAS(a.err, tried[i].says);
        CHECK((strstr(a.err, "balance") != NULL) == (*tried[i].says != '\0'));
        forget(&a);
    }

    /* by default too, and the JSON has it */
    answer a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "10", "--q0", "1,1,1", "--integrator", "rk4",
                   "--step", "0.3", "--json", (const char *)NULL);
    json_t *summary = json_loads(a.out, 0, NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_TEXT(DIG(summary, "end"), "failed");
    CHECK_HAS(json_string_value(DIG(summary, "stopped_by")), "the energies do not balance");
    json_decref(summary);
    forget(&a);
    a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "10", "--q0", "1,1,1", "--integrator", "rk4",
            "--step", "0.014", "--json", (const char *)NULL);
    summary = parse_answer(&a, 0);
    CHECK_HAS(json_string_value(DIG(summary, "warnings", "0")), "the energies do not balance");
    json_decref(summary);

    /* what stands still under a controller has no kinetic energy to speak of, and is not blamed for rounding */
    a = run(NULL, "sim", bundled("puma560-corke.json"), "--duration", "5", "--control", "pd-gravity", "--q0",
            "1,1,1,1,1,1", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(strstr(a.err, "balance") == NULL);
    forget(&a);
    /* nor do the first steps of a method of order one from rest fail; few of them are warned of */
    a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "0.003", "--integrator", "euler", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "warning: the energies do not balance");
    forget(&a);
    a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "0.1", "--integrator", "euler", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(strstr(a.err, "balance") == NULL);
    forget(&a);
}

/* one step that makes as much energy as it has is no first step from rest */
TEST(a_single_step_must_balance_too)
{
    const char *const methods[] = {"rk4", "euler", "variational"}, *const steps[] = {"1", "3", "5"};
    for (int i = 0; i < 3; i++) {
        answer a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", steps[i], "--step", steps[i],
                       "--integrator", methods[i], "--q0", "1,1,1", (const char *)NULL);
        CHECK_STATUS(a.status, 1);
        CHECK_HAS(a.err, "the energies do not balance");
        forget(&a);
    }
    REFUSED(2, "--step: 5 s is longer than the duration, 0.01 s", NULL, "sim", bundled("planar-3r.json"), "--duration",
            "0.01", "--step", "5", "--integrator", "rk4");
}

TEST(refused)
{
    const char *m = bundled("planar-3r.json"), *kept = place("kept.h5");
    REFUSED(2, "--max-steps: expected a whole number above 0", NULL, "sim", m, "--duration", "1", "--max-steps", "0");
    REFUSED(2, "--max-steps: expected a whole number above 0", NULL, "sim", m, "--duration", "1", "--max-steps", "1.5");
    REFUSED(2, "--max-time: expected a number above 0", NULL, "sim", m, "--duration", "1", "--max-time", "0");
    REFUSED(2, "--max-drift: expected a number above 0", NULL, "sim", m, "--duration", "1", "--max-drift", "0");
    REFUSED(2, "--checkpoint-every: 1 s in parts of 1e-300 s are more than", NULL, "sim", m, "--duration", "1",
            "--checkpoint", kept, "--checkpoint-every", "1e-300");
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(dead_point);
    RUN(random_four_bars_end);
    RUN(law_that_leads_out_of_reach);
    RUN(steps_are_counted);
    RUN(time_is_counted);
    RUN(energies_must_balance);
    RUN(a_single_step_must_balance_too);
    RUN(refused);
    return command_end(files);
}
