/* `pinion ops`: counts of every algorithm that applies, beside the published ones. What the counts are is
 * pinned in tests/registry. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "counts.h"
#include "fixtures.h"

static const char *const files[] = {"pendulum.urdf", "sliders.json", "tree.json", NULL};

static int available(void)
{
    answer a = run(NULL, "ops", "--chain", "1", (const char *)NULL);
    int yes = a.status == 0;
    if (!yes) {
        CHECK_STATUS(a.status, 2);
        CHECK_HAS(a.err, "not available in this build");
    }
    forget(&a);
    return yes;
}

/* The entry of an algorithm. */
static json_t *entry_of(json_t *answer_, const char *name)
{
    size_t i;
    json_t *entry;
    json_array_foreach(DIG(answer_, "algorithms"), i,
                       entry) if (strcmp(json_string_value(DIG(entry, "name")), name) == 0) return entry;
    return NULL;
}

static double number(json_t *json)
{
    return json_is_number(json) ? json_number_value(json) : NAN;
}

/* What the answer must be like, on a chain or on a model. */
static void check_answer(json_t *r, int n, int customized)
{
    size_t i;
    json_t *entry;
    CHECK_KEYS(r, "n algorithms");
    CHECK_NEAR(number(DIG(r, "n")), n, 0);
    CHECK(json_array_size(DIG(r, "algorithms")) > 0);
    json_array_foreach(DIG(r, "algorithms"), i, entry)
    {
        CHECK_KEYS(entry, "name problem general customized whole span published");
        check_counts(DIG(entry, "general"));
        check_counts(DIG(entry, "whole"));
        if (customized)
            check_counts(DIG(entry, "customized"));
        else
            CHECK(json_is_null(DIG(entry, "customized")));
        json_t *lean = DIG(entry, customized ? "customized" : "general"), *whole = DIG(entry, "whole");
        double sum = number(DIG(whole, "mul")) + number(DIG(whole, "add")) + number(DIG(whole, "div")) +
                     number(DIG(whole, "sqrt")) + number(DIG(whole, "trig"));
        CHECK(number(DIG(lean, "mul")) <= number(DIG(whole, "mul")));
        CHECK(number(DIG(lean, "add")) <= number(DIG(whole, "add")));
        CHECK(number(DIG(entry, "span")) >= (n > 1) && number(DIG(entry, "span")) <= sum);
        json_t *published = DIG(entry, "published");
        if (!json_is_null(published)) {
            CHECK_KEYS(published, "mul add source");
            CHECK(json_string_length(DIG(published, "source")) > 0);
        }
    }

    /* the source is that of the formula, not of the algorithm */
    CHECK_HAS(json_string_value(DIG(entry_of(r, "rnea"), "published", "source")), "Walker & Orin 1982");
    CHECK_HAS(json_string_value(DIG(entry_of(r, "crba"), "published", "source")), "Eq. 10.3");
}

/* Chains of several lengths; 6 joints unless it is said. */
TEST(chains)
{
    if (!available()) SKIP("this build counts nothing");
    static const char *const length[] = {"1", "2", "3", "10", "30"};
    static const int joints[] = {1, 2, 3, 10, 30};
    for (int i = 0; i < 5; i += check_every(3)) {
        answer a = run(NULL, "ops", "--chain", length[i], "--json", (const char *)NULL);
        json_t *r = parse_answer(&a, 0);
        check_answer(r, joints[i], 0);
        json_decref(r);
    }
    answer a = run(NULL, "ops", "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *rnea = entry_of(r, "rnea");
    check_answer(r, 6, 0);
    CHECK_TEXT(DIG(rnea, "problem"), "inverse_dynamics");
    CHECK_NEAR(number(DIG(rnea, "published", "mul")), 137 * 6 - 22, 0);
    CHECK_NEAR(number(DIG(rnea, "published", "add")), 101 * 6 - 11, 0);
    CHECK(number(DIG(rnea, "general", "mul")) <= 137 * 6 - 22);
    CHECK(number(DIG(rnea, "general", "add")) <= 101 * 6 - 11);
    CHECK_NEAR(number(DIG(rnea, "general", "trig")), 12, 0);
    json_decref(r);
}

/* A model's own numbers: parallel and perpendicular axes make it cheaper than a chain of as many joints. */
TEST(models)
{
    if (!available()) SKIP("this build counts nothing");
    answer a = run(NULL, "ops", bundled("stanford.json"), "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *rnea = entry_of(r, "rnea");
    check_answer(r, 6, 1);
    CHECK(number(DIG(rnea, "customized", "mul")) < number(DIG(rnea, "general", "mul")));
    CHECK(number(DIG(rnea, "customized", "add")) < number(DIG(rnea, "general", "add")));
    json_decref(r);

    a = run(NULL, "ops", bundled("stanford.json"), "--root", "free", "--what", "inverse_dynamics,mass_matrix",
            "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    check_answer(r, 12, 1);
    CHECK(!entry_of(r, "aba") && entry_of(r, "crba"));
    json_decref(r);

    /* what does not apply is not in the answer, and the text says why */
    const char *sliders = write_file("sliders.json", SLIDERS);
    a = run(NULL, "ops", sliders, "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    check_answer(r, 1, 1);
    CHECK(!entry_of(r, "aba") && entry_of(r, "rnea"));
    json_decref(r);
    a = run(NULL, "ops", sliders, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "not for this model: aba needs a model without mimic joints");
    forget(&a);
}

TEST(text)
{
    if (!available()) SKIP("this build counts nothing");
    answer a = run(NULL, "ops", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && !*a.err);
    CHECK_HAS(a.out, "a random chain of 6 revolute joints");
    CHECK_HAS(a.out, "\ninverse_dynamics\n");
    CHECK_HAS(a.out, "\nforward_dynamics\n");
    CHECK_HAS(a.out, "93 n - 108 = 450 mul, 81 n - 100 = 386 add");
    CHECK_HAS(a.out, "rnea takes +");
    CHECK(a.out && !strstr(a.out, "customized"));
    forget(&a);
    a = run(NULL, "ops", bundled("planar-3r.json"), "--what=mass_matrix", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "customized: mul");
    CHECK(a.out && !strstr(a.out, "inverse_dynamics"));
    forget(&a);

    /* by how much a count is above the published one: of both, of products alone, of sums alone */
    a = run(NULL, "ops", "--chain", "2", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, " mul, ");
    CHECK_HAS(a.out, "  1 mul\n");
    CHECK_HAS(a.out, "  3 add\n");
    forget(&a);
}

/* What does not apply has no span, and no operations: algorithms of chains on two arms of one column. */
TEST(spans_of_a_tree)
{
    if (!available()) SKIP("this build counts nothing");
    const char *tree = write_file("tree.json",
        "{\"pinion\": 1, \"links\": [{\"name\": \"base\"}, {\"name\": \"column\", \"mass\": 1, \"inertia\": {\"xx\": "
        "1, \"yy\": 1, \"zz\": 1}}, {\"name\": \"left\", \"mass\": 1, \"com\": [0.5, 0, 0], \"inertia\": {\"xx\": 1, "
        "\"yy\": 1, \"zz\": 1}}, {\"name\": \"right\", \"mass\": 1, \"com\": [0.5, 0, 0], \"inertia\": {\"xx\": 1, "
        "\"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"a\", \"type\": \"continuous\", \"parent\": \"base\", "
        "\"child\": \"column\"}, {\"name\": \"b\", \"type\": \"continuous\", \"axis\": [0, 1, 0], \"parent\": "
        "\"column\", \"child\": \"left\"}, {\"name\": \"c\", \"type\": \"continuous\", \"axis\": [0, 1, 0], "
        "\"parent\": \"column\", \"child\": \"right\"}]}");
    answer a = run(NULL, "ops", "--span", tree, "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *aba = entry_of(r, "aba"), *chains = entry_of(r, "constraint-force");
    CHECK(number(DIG(aba, "span", "0")) > 1 && number(DIG(aba, "operations", "0")) > number(DIG(aba, "span", "0")));
    CHECK(json_is_null(DIG(chains, "span", "0")) && json_is_null(DIG(chains, "operations", "0")));
    const size_t names = json_array_size(DIG(r, "algorithms"));
    json_decref(r);

    /* as text: one number or dash each, below its name */
    a = run(NULL, "ops", "--span", tree, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    const char *row = a.out ? strstr(a.out, "\n  3 ") : NULL;
    size_t words = 0, dashes = 0;
    for (const char *at = row ? row + 1 : ""; *at && *at != '\n'; at++) {
        words += *at == ' ' && at[1] != ' ' && at[1] != '\n';
        dashes += *at == '-';
    }
    CHECK(words == names + 1 && dashes == 2);
    forget(&a);
}

/* Algorithms of O(n^4) on long chains only when they are asked for. */
TEST(long_chains)
{
    if (!available()) SKIP("this build counts nothing");
    answer a = run(NULL, "algorithms", "--json", (const char *)NULL);
    json_t *registry = parse_answer(&a, 0), *entry;
    size_t i, quartic = 0, count = 0;
    json_array_foreach(DIG(registry, "algorithms"), i, entry)
    {
        quartic += strstr(json_string_value(DIG(entry, "complexity")), "n^4") != NULL;
        count += json_is_true(DIG(entry, "kernel")); /* the others branch on values and are not counted */
    }
    json_decref(registry);

    a = run(NULL, "ops", "--chain", "31", "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(lines_of(a.err) == (int)quartic);
    if (quartic) CHECK_HAS(a.err, "O(n^4), and n is 31; --all counts it too");
    json_t *r = json_loads(a.out, 0, NULL);
    CHECK(json_array_size(DIG(r, "algorithms")) == count - quartic);
    json_decref(r);
    forget(&a);
    a = run(NULL, "ops", "--chain", "31", "--all", "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK(json_array_size(DIG(r, "algorithms")) == count);
    json_decref(r);
}

TEST(wrong_arguments)
{
    if (!available()) SKIP("this build counts nothing");
    const char *pendulum = write_file("pendulum.urdf", PENDULUM);
    REFUSED(2, "--chain: expected 1 to 200 joints, got 201", NULL, "ops", "--chain", "201");
    REFUSED(2, "--chain: expected 1 to 200 joints, got 0", NULL, "ops", "--chain", "0");
    REFUSED(2, "got 18446744073709551615", NULL, "ops", "--chain", "18446744073709551615");
    static const char *const bad[] = {"-1", "six", "6.0", " 6", "6x", "18446744073709551616", "0x6", ""};
    for (int i = 0; i < 8; i++)
        REFUSED(2, "--chain: expected a whole number, got '", NULL, "ops", "--chain", bad[i]);
    REFUSED(2, "--chain needs a value: --chain N", NULL, "ops", "--chain");
    REFUSED(2, "either --chain 3 or the model", NULL, "ops", pendulum, "--chain", "3");
    REFUSED(2, "--root says how a MODEL is loaded, and there is none", NULL, "ops", "--root", "free");
    REFUSED(2, "unknown problem 'gravity'", NULL, "ops", "--what", "gravity");
    REFUSED(2, "unexpected argument 'b'", NULL, "ops", "a", "b");
    REFUSED(1, "no-such-model.urdf", NULL, "ops", "no-such-model.urdf");
    REFUSED(1, "the model has 0 velocities", "{\"pinion\": 1, \"links\": [{\"name\": \"rock\"}]}", "ops",
            "-");
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(chains);
    RUN(models);
    RUN(text);
    RUN(spans_of_a_tree);
    RUN(long_chains);
    RUN(wrong_arguments);
    return command_end(files);
}
