/* `pinion algorithms`, and `pinion eval --algorithm`: whatever the registry holds can be listed and run. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "fixtures.h"

static const char *const files[] = {"pendulum.urdf", "sliders.json", "loop.json",
                                    "massless.json", "states.json",  NULL};

static const char *const problems[] = {
    "inverse_dynamics", "mass_matrix",       "mass_matrix_inverse", "coriolis",
    "forward_dynamics", "operational_space", "factorization",       "d_inverse_dynamics",
    "d_forward_dynamics", NULL};

/* a state of the Stanford arm, with everything that can act on it */
static const char state[] =
    "{\"states\": [{\"q\": [0.3, -0.7, 0.4, 1.1, -0.5, 0.9],"
    " \"v\": [0.5, -0.4, 0.3, -0.8, 0.7, 1.2], \"a\": [1, -2, 0.5, 3, -1, 2],"
    " \"tau\": [3, -2, 5, 0.4, -0.3, 0.2],"
    " \"f_ext\": {\"link6\": [0.1, -0.2, 0.3, 4, -5, 6], \"link3\": [1, 2, 3, 1, 2, 3]}}]}";
#define JOINTS 6

/* The registry, as the command lists it; NULL where it does not. `what` may be NULL. */
static json_t *list(const char *what)
{
    answer a = what ? run(NULL, "algorithms", "--json", "--what", what, (const char *)NULL)
                    : run(NULL, "algorithms", "--json", (const char *)NULL);
    return parse_answer(&a, 0);
}

static size_t count_of(const char *problem)
{
    json_t *r = list(problem);
    size_t count = json_array_size(DIG(r, "algorithms"));
    json_decref(r);
    return count;
}

/* The first algorithm of a problem; "" when it has none. */
static const char *first_of(const char *problem, char *name, size_t size)
{
    json_t *r = list(problem);
    const char *first = json_string_value(DIG(r, "algorithms", "0", "name"));
    snprintf(name, size, "%s", first ? first : "");
    json_decref(r);
    return name;
}

TEST(registry_as_json)
{
    json_t *r = list(NULL), *all = DIG(r, "algorithms"), *entry;
    size_t i, by_problem = 0;
    CHECK_KEYS(r, "algorithms");
    CHECK(json_array_size(all) >= 3);
    json_array_foreach(all, i, entry)
    {
        CHECK_KEYS(entry, "name problem source complexity applies_to kernel published");
        const char *problem = json_string_value(DIG(entry, "problem")),
                   *name = json_string_value(DIG(entry, "name"));
        int known = 0;
        for (int p = 0; problem && problems[p]; p++) known |= strcmp(problem, problems[p]) == 0;
        CHECK(known);
        CHECK(name && *name);
        CHECK(json_string_length(DIG(entry, "source")) > 0);
        CHECK(json_string_length(DIG(entry, "complexity")) > 0);
        CHECK(json_string_length(DIG(entry, "applies_to")) > 0);
        json_t *published = DIG(entry, "published");
        if (!json_is_null(published)) {
            CHECK_KEYS(published, "mul add source");
            CHECK(json_string_length(DIG(published, "source")) > 0);
            CHECK(json_is_string(DIG(published, "mul")) && json_is_string(DIG(published, "add")));
        }
        for (size_t k = 0; k < i; k++)
            CHECK(name && strcmp(name, json_string_value(DIG(json_array_get(all, k), "name"))) != 0);
    }

    /* each of them is in the list of its problem alone */
    for (int p = 0; problems[p]; p++) {
        json_t *some = list(problems[p]);
        json_array_foreach(DIG(some, "algorithms"), i, entry) CHECK_TEXT(DIG(entry, "problem"), problems[p]);
        by_problem += json_array_size(DIG(some, "algorithms"));
        json_decref(some);
    }
    CHECK(by_problem == json_array_size(all));
    CHECK(count_of("mass_matrix,inverse_dynamics") == count_of("mass_matrix") + count_of("inverse_dynamics"));
    CHECK(count_of("mass_matrix,mass_matrix") == count_of("mass_matrix"));
    json_decref(r);
}

/* The table for people: the same, under a heading for each problem. */
TEST(registry_as_text)
{
    answer a = run(NULL, "algorithms", (const char *)NULL);
    json_t *r = list(NULL), *entry;
    size_t i;
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && !*a.err);
    json_array_foreach(DIG(r, "algorithms"), i, entry)
    {
        char row[200];
        snprintf(row, sizeof row, "\n  %s  ", json_string_value(DIG(entry, "name")));
        CHECK_HAS(a.out, row);
        CHECK_HAS(a.out, json_string_value(DIG(entry, "source")));
        CHECK_HAS(a.out, json_string_value(DIG(entry, "applies_to")));
    }
    CHECK(a.out && strncmp(a.out, "inverse_dynamics\n  name ", 24) == 0);
    CHECK_HAS(a.out, "\n\nmass_matrix\n");
    CHECK_HAS(a.out, "\n\nforward_dynamics\n");
    CHECK_HAS(a.out, "137 n - 22");
    CHECK_HAS(a.out, "10 n^2 + 22 n - 32");
    CHECK(a.out && !strstr(a.out, " * ") && !strstr(a.out, ") /") && !strstr(a.out, "nan"));
    forget(&a);
    json_decref(r);

    a = run(NULL, "algorithms", "--what", "mass_matrix", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "crba");
    CHECK(a.out && !strstr(a.out, "rnea \n") && !strstr(a.out, "forward_dynamics"));
    forget(&a);
}

TEST(wrong_arguments)
{
    REFUSED(2, "unknown problem 'mass' (did you mean 'mass_matrix", NULL, "algorithms", "--what", "mass");
    REFUSED(2,
            "the names are inverse_dynamics, mass_matrix, mass_matrix_inverse, coriolis, forward_dynamics, "
            "operational_space, factorization, d_inverse_dynamics, d_forward_dynamics",
            NULL, "algorithms", "--what", "zzz");
    REFUSED(2, "unknown problem ''", NULL, "algorithms", "--what", "mass_matrix,");
    REFUSED(2, "unexpected argument 'crba'", NULL, "algorithms", "crba");
    REFUSED(2, "--what needs a value", NULL, "algorithms", "--what");
}

/* ------------------------------------------------------------------------------------------------ */
/* eval --algorithm */

/* The numbers of a vector or of a matrix, row by row. */
static int read_numbers(json_t *json, double *out, int count)
{
    int used = 0;
    size_t i;
    json_t *value;
    json_array_foreach(json, i, value)
    {
        if (json_is_array(value)) {
            used += read_numbers(value, out + used, count - used);
        } else if (used < count) {
            out[used++] = json_number_value(value);
        }
    }
    return used;
}

/* x and ref agree to 1e-9 of the largest */
static void check_close(const char *name, const double *x, const double *ref, int count)
{
    check_count++;
    if (!(check_error(x, ref, (size_t)count, 1e-3) < 1e-9))
        CHECK_FAIL("%s: differs from the reference by %g", name, check_error(x, ref, (size_t)count, 1e-3));
}

/* Lambda K = 1, J Jbar = 1, M Jbar = J' Lambda, p = Jbar' gravity; what else there is tests/registry checks.
 */
static void check_operational(const char *name, json_t *x, json_t *ref)
{
    double K[36], Lambda[36], p[6], Jbar[36], M[36], J[36], gravity[6];
    double one[36] = {0}, product[2][36] = {{0}}, left[36] = {0}, right[36] = {0}, pulled[6] = {0};
    CHECK_KEYS(x, "inverse lambda mu p jbar");
    CHECK(read_numbers(DIG(x, "inverse"), K, 36) == 36 && read_numbers(DIG(x, "lambda"), Lambda, 36) == 36);
    CHECK(read_numbers(DIG(x, "jbar"), Jbar, 36) == 36 && read_numbers(DIG(x, "p"), p, 6) == 6);
    CHECK(read_numbers(DIG(ref, "mass_matrix"), M, 36) == 36 && json_array_size(DIG(x, "mu")) == 6);
    CHECK(read_numbers(DIG(ref, "jacobian:link6"), J, 36) == 36);
    CHECK(read_numbers(DIG(ref, "gravity"), gravity, 6) == 6);
    for (int i = 0; i < 6; i++) {
        one[7 * i] = 1;
        for (int j = 0; j < 6; j++) {
            pulled[i] += Jbar[6 * j + i] * gravity[j];
            for (int k = 0; k < 6; k++) {
                product[0][6 * i + j] += Lambda[6 * i + k] * K[6 * k + j];
                product[1][6 * i + j] += J[6 * i + k] * Jbar[6 * k + j];
                left[6 * i + j] += M[6 * i + k] * Jbar[6 * k + j];
                right[6 * i + j] += J[6 * k + i] * Lambda[6 * k + j];
            }
        }
    }
    check_close(name, product[0], one, 36);
    check_close(name, product[1], one, 36);
    check_close(name, left, right, 36);
    check_close(name, p, pulled, 6);
}

/* M = L' D L, L' L or the inverse, with M^-1 tau and M a of the state, on the Stanford arm */
static void check_factorization(const char *name, json_t *x, json_t *ref)
{
    static const double tau[JOINTS] = {3, -2, 5, 0.4, -0.3, 0.2}, a[JOINTS] = {1, -2, 0.5, 3, -1, 2};
    const int inverse = strcmp(name, "inverse") == 0, root = strcmp(name, "ltl") == 0, n = JOINTS;
    double M[36], F[36], D[6] = {1, 1, 1, 1, 1, 1}, solve[6], multiply[6], back[36] = {0}, one[36] = {0};
    double solved[6] = {0}, multiplied[6] = {0};
    CHECK_KEYS(x, inverse ? "inverse solve multiply" : root ? "L solve multiply" : "L D solve multiply");
    CHECK(read_numbers(DIG(ref, "mass_matrix"), M, 36) == 36);
    CHECK(read_numbers(DIG(x, inverse ? "inverse" : "L"), F, 36) == 36);
    CHECK(inverse || root || read_numbers(DIG(x, "D"), D, 6) == 6);
    CHECK(read_numbers(DIG(x, "solve"), solve, 6) == 6 && read_numbers(DIG(x, "multiply"), multiply, 6) == 6);
    for (int i = 0; i < n; i++) {
        one[i * n + i] = 1;
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++)
                back[i * n + j] += inverse ? M[i * n + k] * F[k * n + j] : F[k * n + i] * D[k] * F[k * n + j];
            solved[i] += M[i * n + j] * solve[j];
            multiplied[i] += M[i * n + j] * a[j];
            if (!inverse && j > i) CHECK(F[i * n + j] == 0);
        }
        if (!inverse && !root) CHECK(F[i * n + i] == 1);
    }
    check_close(name, back, inverse ? one : M, 36);
    check_close(name, solved, tau, 6);
    check_close(name, multiply, multiplied, 6);
}

/* three matrices by name */
static void check_derivatives(const char *name, json_t *x, json_t *ref)
{
    const char *key;
    json_t *matrix;
    CHECK(json_object_size(x) == 3 && json_object_size(ref) == 3);
    json_object_foreach(x, key, matrix) {
        double value[JOINTS * JOINTS] = {0}, expected[JOINTS * JOINTS] = {0};
        CHECK(read_numbers(matrix, value, JOINTS * JOINTS) == JOINTS * JOINTS);
        CHECK(read_numbers(DIG(ref, key), expected, JOINTS * JOINTS) == JOINTS * JOINTS);
        check_close(name, value, expected, JOINTS * JOINTS);
    }
}

/* What an algorithm computes on the Stanford arm, checked against the library's own functions. */
static void check_algorithm(const char *name, const char *problem, json_t *reference, const char *passive)
{
    char what[100];
    int operational = strcmp(problem, "operational_space") == 0;
    snprintf(what, sizeof what, "%s%s", problem, operational ? ":link6" : "");
    answer a = run(state, "eval", bundled("stanford.json"), "--states", "-", "--what", what, "--algorithm",
                   name, "--passive", passive, (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *x = DIG(r, "states", "0"), *ref = DIG(reference, "states", "0");
    double value[JOINTS * JOINTS] = {0}, expected[JOINTS * JOINTS] = {0}, product[JOINTS * JOINTS] = {0};
    CHECK_KEYS(x, what);
    int factors = strcmp(problem, "factorization") == 0, derivatives = strncmp(problem, "d_", 2) == 0;
    int count = operational || factors || derivatives ? 0 : read_numbers(DIG(x, problem), value, JOINTS * JOINTS);
    if (operational) {
        check_operational(name, DIG(x, what), ref);
    } else if (factors) {
        check_factorization(name, DIG(x, what), ref);
    } else if (derivatives) {
        check_derivatives(name, DIG(x, what), DIG(ref, what));
    } else if (strcmp(problem, "mass_matrix_inverse") == 0) {
        double M[JOINTS * JOINTS] = {0};
        CHECK(read_numbers(DIG(ref, "mass_matrix"), M, JOINTS * JOINTS) == JOINTS * JOINTS);
        for (int i = 0; i < JOINTS; i++) {
            expected[i * JOINTS + i] = 1;
            for (int j = 0; j < JOINTS; j++)
                for (int k = 0; k < JOINTS; k++)
                    product[i * JOINTS + j] += M[i * JOINTS + k] * value[k * JOINTS + j];
        }
        check_close(name, product, expected, JOINTS * JOINTS);
    } else if (strcmp(problem, "coriolis") == 0) {
        static const double v[JOINTS] = {0.5, -0.4, 0.3, -0.8, 0.7, 1.2};
        double gravity[JOINTS] = {0};
        read_numbers(DIG(ref, "bias"), expected, JOINTS);
        read_numbers(DIG(ref, "gravity"), gravity, JOINTS);
        for (int i = 0; i < JOINTS; i++) {
            expected[i] -= gravity[i];
            for (int j = 0; j < JOINTS; j++) product[i] += value[i * JOINTS + j] * v[j];
        }
        check_close(name, product, expected, JOINTS);
    } else {
        CHECK(read_numbers(DIG(ref, problem), expected, JOINTS * JOINTS) == count && count >= JOINTS);
        check_close(name, value, expected, count);
    }
    json_decref(r);
}

/* Every registered algorithm, with external forces, with and without the passive elements. */
TEST(every_algorithm_computes)
{
    static const char *const passive[] = {"off", "on"};
    json_t *registry = list(NULL), *entry;
    size_t i;
    for (int p = 0; p < 2; p++) {
        answer a = run(state, "eval", bundled("stanford.json"), "--states", "-", "--passive", passive[p],
                       "--what", "inverse_dynamics,forward_dynamics,mass_matrix,bias,gravity,jacobian:link6,"
                                 "d_inverse_dynamics,d_forward_dynamics",
                       (const char *)NULL);
        json_t *reference = parse_answer(&a, 0);
        json_array_foreach(DIG(registry, "algorithms"), i, entry)
            check_algorithm(json_string_value(DIG(entry, "name")), json_string_value(DIG(entry, "problem")),
                            reference, passive[p]);
        json_decref(reference);
    }
    json_decref(registry);
}

/* It governs the entries whose problem it solves, and no other. */
TEST(algorithm_governs_its_problem)
{
    const char *pendulum = write_file("pendulum.urdf", PENDULUM);
    answer a = run(
        "{\"states\": [{\"q\": [0.5], \"v\": [2], \"a\": [3], \"f_ext\": {\"tool\": [0, 1, 0, 2, 0, 0]}}]}",
        "eval", pendulum, "--states", "-", "--passive", "on", "--what",
        "gravity,inverse_dynamics,mass_matrix,frames", "--algorithm", "rnea", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *x = DIG(r, "states", "0");
    CHECK_KEYS(x, "gravity inverse_dynamics mass_matrix frames");
    CHECK_NUMBERS(DIG(x, "inverse_dynamics"), 1e-13, 0.7 * 3 + 9.81 * sin(0.5) - (1 - 2) + 0.3 * 2 + 0.4);
    CHECK_NUMBERS(DIG(x, "mass_matrix", "0"), 1e-14, 0.7);
    json_decref(r);
}

TEST(algorithm_errors)
{
    const char *pendulum = write_file("pendulum.urdf", PENDULUM);
    const char *states = write_file("states.json", "{\"states\": [{\"q\": [0]}]}");
    REFUSED(2, "unknown algorithm 'rnae' (did you mean 'rnea'", NULL, "eval", pendulum, "--states", states,
            "--what", "inverse_dynamics", "--algorithm", "rnae");
    REFUSED(2, "unknown algorithm 'xyzzy' (see 'pinion algorithms')", NULL, "eval", pendulum, "--states",
            states, "--what", "inverse_dynamics", "--algorithm=xyzzy");
    REFUSED(2, "unknown algorithm '\\x1b[0m'", NULL, "eval", pendulum, "--states", states, "--what",
            "gravity", "--algorithm", "\033[0m");
    REFUSED(2, "--algorithm crba computes mass_matrix, which is not in --what gravity,bias", NULL, "eval",
            pendulum, "--states", states, "--what", "gravity,bias", "--algorithm", "crba");
    REFUSED(2, "--algorithm needs a value: --algorithm NAME", NULL, "eval", pendulum, "--algorithm");

    /* the command line is judged before the model is read */
    REFUSED(2, "unknown algorithm 'xyzzy'", NULL, "eval", "no-such-model.urdf", "--states", "no-such-file",
            "--what", "gravity", "--algorithm", "xyzzy");
    REFUSED(1, "no-such-model.urdf", NULL, "eval", "no-such-model.urdf", "--states", "no-such-file", "--what",
            "mass_matrix", "--algorithm", "crba");

    /* what does not apply to the model */
    REFUSED(1, "aba needs a model without mimic joints", NULL, "eval", write_file("sliders.json", SLIDERS),
            "--states", states, "--what", "forward_dynamics", "--algorithm", "aba");
    REFUSED(1, "aba does not solve closed loops, and the model has some: those that do are", NULL, "eval",
            write_file("loop.json", LOOP), "--states", states, "--what", "forward_dynamics", "--algorithm", "aba");
}

/* ------------------------------------------------------------------------------------------------ */
/* The quantities that have no function of their own */

TEST(inverse_of_the_mass_matrix)
{
    if (!count_of("mass_matrix_inverse")) SKIP("no algorithm is registered for it");
    char name[100];
    answer a = run("{\"states\": [{\"q\": [0.3]}]}", "eval", write_file("pendulum.urdf", PENDULUM),
                   "--states", "-", "--what", "mass_matrix_inverse", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_NUMBERS(DIG(r, "states", "0", "mass_matrix_inverse", "0"), 1e-14, 1 / 0.7);
    json_decref(r);

    /* with followers, whether an algorithm applies or not: 2 kg and a quarter of 1 kg */
    a = run("{\"states\": [{\"q\": [0.3], \"v\": [5]}]}", "eval", write_file("sliders.json", SLIDERS),
            "--states", "-", "--what", "mass_matrix_inverse", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK_NUMBERS(DIG(r, "states", "0", "mass_matrix_inverse", "0"), 1e-14, 1 / 2.25);
    json_decref(r);

    /* where there is none */
    a = run("{\"states\": [{\"q\": [0]}]}", "eval", write_file("massless.json", MASSLESS), "--states", "-",
            "--what", "mass_matrix_inverse", (const char *)NULL);
    CHECK_HAS(a.err, "states[0]: mass_matrix_inverse is null: ");
    CHECK_HAS(a.err, "hinge");
    r = parse_answer(&a, 1);
    CHECK(json_is_null(DIG(r, "states", "0", "mass_matrix_inverse")));
    json_decref(r);

    /* with closed loops it is that of the spanning tree */
    a = run("{\"states\": [{\"q\": [0, 0]}]}", "eval", write_file("loop.json", LOOP), "--states", "-",
            "--what", "mass_matrix_inverse,mass_matrix", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK_NUMBERS(DIG(r, "states", "0", "mass_matrix_inverse", "0"), 1e-15, 1, 0);
    CHECK_NUMBERS(DIG(r, "states", "0", "mass_matrix", "0"), 1e-15, 1, 0);
    json_decref(r);

    /* by name, a dense algorithm takes followers, and a recursive one refuses them */
    a = run("{\"states\": [{\"q\": [0.3]}]}", "eval", place("sliders.json"), "--states", "-", "--what",
            "mass_matrix_inverse", "--algorithm", first_of("mass_matrix_inverse", name, sizeof name),
            (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK(json_is_array(DIG(r, "states", "0", "mass_matrix_inverse")));
    json_decref(r);
    REFUSED(1, "innovations-inverse needs a model without mimic joints", "{\"states\": [{\"q\": [0.3]}]}", "eval",
            place("sliders.json"), "--states", "-", "--what", "mass_matrix_inverse", "--algorithm",
            "innovations-inverse");
}

TEST(coriolis_matrix)
{
    if (!count_of("coriolis")) SKIP("no algorithm is registered for it");
    answer a = run(state, "eval", bundled("stanford.json"), "--states", "-", "--what",
                   "coriolis,bias,gravity", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *x = DIG(r, "states", "0");
    static const double v[JOINTS] = {0.5, -0.4, 0.3, -0.8, 0.7, 1.2};
    double C[JOINTS * JOINTS] = {0}, bias[JOINTS] = {0}, gravity[JOINTS] = {0}, Cv[JOINTS] = {0};
    CHECK(read_numbers(DIG(x, "coriolis"), C, JOINTS * JOINTS) == JOINTS * JOINTS);
    read_numbers(DIG(x, "bias"), bias, JOINTS);
    read_numbers(DIG(x, "gravity"), gravity, JOINTS);
    for (int i = 0; i < JOINTS; i++) {
        bias[i] -= gravity[i];
        for (int j = 0; j < JOINTS; j++) Cv[i] += C[i * JOINTS + j] * v[j];
    }
    check_close("coriolis", Cv, bias, JOINTS);
    json_decref(r);
}

/* A frame that cannot move in every direction has no inertia lambda. */
TEST(operational_space)
{
    if (!count_of("operational_space")) SKIP("no algorithm is registered for it");
    static const char planar[] = "{\"states\": [{\"q\": [0.1, 0.2, 0.3]}]}";
    answer a = run(planar, "eval", bundled("planar-3r.json"), "--states", "-", "--what",
                   "operational_space:link3", (const char *)NULL);
    CHECK(lines_of(a.err) == 1);
    CHECK_HAS(
        a.err,
        "operational_space:link3 is null but for its inverse: the frame cannot move in all six directions");
    json_t *r = parse_answer(&a, 1), *x = DIG(r, "states", "0", "operational_space:link3");
    CHECK_KEYS(x, "inverse lambda mu p jbar");
    CHECK(json_array_size(DIG(x, "inverse")) == 6 && json_is_number(DIG(x, "inverse", "2", "2")));
    CHECK(json_is_null(DIG(x, "lambda")) && json_is_null(DIG(x, "mu")));
    CHECK(json_is_null(DIG(x, "p")) && json_is_null(DIG(x, "jbar")));
    json_decref(r);
    REFUSED(2, "operational_space needs a link or frame", NULL, "eval", "m", "--states", "-", "--what",
            "operational_space");
    REFUSED(1, "no link or frame is named 'link9'", planar, "eval", bundled("planar-3r.json"), "--states",
            "-", "--what", "operational_space:link9");
}

/* The first algorithm that applies, unless one is named; what the tree's sparsity is needed for refuses
 * followers. */
TEST(factorization)
{
    answer a = run("{\"states\": [{\"q\": [0.3], \"tau\": [7], \"a\": [2]}]}", "eval",
                   write_file("pendulum.urdf", PENDULUM), "--states", "-", "--what", "factorization",
                   (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *x = DIG(r, "states", "0", "factorization");
    CHECK_KEYS(x, "L D solve multiply");
    CHECK_NUMBERS(DIG(x, "L", "0"), 0, 1);
    CHECK_NUMBERS(DIG(x, "D"), 1e-14, 0.7);
    CHECK_NUMBERS(DIG(x, "solve"), 1e-13, 10);
    CHECK_NUMBERS(DIG(x, "multiply"), 1e-14, 1.4);
    json_decref(r);

    /* 2 kg, and 1 kg at half the speed */
    static const char state_of_sliders[] = "{\"states\": [{\"q\": [0.3], \"tau\": [9], \"a\": [4]}]}";
    a = run(state_of_sliders, "eval", write_file("sliders.json", SLIDERS), "--states", "-", "--what",
            "factorization", (const char *)NULL);
    r = parse_answer(&a, 0);
    x = DIG(r, "states", "0", "factorization");
    CHECK_KEYS(x, "inverse solve multiply");
    CHECK_NUMBERS(DIG(x, "inverse", "0"), 1e-14, 1 / 2.25);
    CHECK_NUMBERS(DIG(x, "solve"), 1e-14, 4);
    CHECK_NUMBERS(DIG(x, "multiply"), 1e-14, 9);
    json_decref(r);
    static const char *const sparse[] = {"ltdl", "ltl", "udu"};
    for (int i = 0; i < 3; i++) {
        char text[100];
        snprintf(text, sizeof text, "%s needs a model without mimic joints", sparse[i]);
        REFUSED(1, text, state_of_sliders, "eval", place("sliders.json"), "--states", "-", "--what",
                "factorization", "--algorithm", sparse[i]);
    }

    /* where M has no inverse */
    a = run("{\"states\": [{\"q\": [0]}]}", "eval", write_file("massless.json", MASSLESS), "--states", "-",
            "--what", "factorization", "--algorithm", "ltl", (const char *)NULL);
    CHECK_HAS(a.err, "states[0]: factorization is null: the mass matrix is singular");
    CHECK_HAS(a.err, "hinge");
    r = parse_answer(&a, 1);
    CHECK(json_is_null(DIG(r, "states", "0", "factorization")));
    json_decref(r);
    REFUSED(2, "factorization takes no frame", NULL, "eval", "m", "--states", "-", "--what",
            "factorization:tool");
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(registry_as_json);
    RUN(registry_as_text);
    RUN(wrong_arguments);
    RUN(every_algorithm_computes);
    RUN(algorithm_governs_its_problem);
    RUN(algorithm_errors);
    RUN(inverse_of_the_mass_matrix);
    RUN(coriolis_matrix);
    RUN(operational_space);
    RUN(factorization);
    return command_end(files);
}
