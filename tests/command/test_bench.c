/* `pinion bench` and `pinion ops --span`: the shape of what they print. No time is asserted. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "pinion/pinion.h"

/* small enough for sanitizers: everything runs, nothing runs long */
#define SHORT "--time", "0.05", "--states", "9"

static double number(json_t *json)
{
    return json_is_number(json) ? json_number_value(json) : NAN;
}

static int is_text(json_t *json, const char *text)
{
    const char *found = json_string_value(json);
    return found && strcmp(found, text) == 0;
}

/* How many rows of a model are so; NULL: anything; mode "": those that tell of none. */
static int count_rows(json_t *model, const char *list, const char *name, const char *mode, const char *scalar,
                      double threads)
{
    json_t *row;
    size_t i;
    int count = 0;
    json_array_foreach(DIG(model, list), i, row)
    {
        if (name && !is_text(DIG(row, "name"), name)) continue;
        if (mode && !*mode && DIG(row, "mode")) continue;
        if (mode && *mode && !is_text(DIG(row, "mode"), mode)) continue;
        if (scalar && !is_text(DIG(row, "scalar"), scalar)) continue;
        if (threads > 0 && number(DIG(row, "threads")) != threads) continue;
        count++;
    }
    return count;
}

/* The one of a model that is so. */
static json_t *find_row(json_t *model, const char *name, const char *mode, const char *scalar, double threads)
{
    json_t *row;
    size_t i;
    json_array_foreach(DIG(model, "rows"), i, row)
    {
        if (is_text(DIG(row, "name"), name) && is_text(DIG(row, "mode"), mode) &&
            is_text(DIG(row, "scalar"), scalar) && number(DIG(row, "threads")) == threads)
            return row;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ */
/* Models */

static void check_row(json_t *row)
{
    const double ns = number(DIG(row, "ns")), low = number(DIG(row, "low")), high = number(DIG(row, "high"));
    CHECK(low > 0 && low <= ns && ns <= high);
    CHECK(number(DIG(row, "samples")) >= 1 && number(DIG(row, "samples")) <= 15);
    CHECK(number(DIG(row, "threads_used")) >= 1 && number(DIG(row, "threads_used")) <= number(DIG(row, "threads")));
    CHECK(number(DIG(row, "states")) >= 1 && number(DIG(row, "states")) <= 9);
    CHECK(json_is_string(DIG(row, "group")) && json_is_string(DIG(row, "name")));
}

/* in each problem the fastest algorithm has the ratio 1, and none has less */
static void check_ratios(json_t *model, const char *problem)
{
    json_t *row;
    size_t i;
    double least = INFINITY;
    json_array_foreach(DIG(model, "rows"), i, row)
    {
        if (!is_text(DIG(row, "group"), problem) || !is_text(DIG(row, "kind"), "algorithm")) continue;
        const int single = is_text(DIG(row, "mode"), "call");
        CHECK((DIG(row, "ratio") != NULL) == single);
        if (single && number(DIG(row, "ratio")) < least) least = number(DIG(row, "ratio"));
    }
    CHECK_NEAR(least, 1, 0);
}

/* every registered algorithm is either timed or left out with a reason, never both */
static void check_complete(json_t *model)
{
    answer a = run(NULL, "algorithms", "--json", (const char *)NULL);
    json_t *registry = parse_answer(&a, 0), *entry;
    size_t i;
    CHECK(json_array_size(DIG(registry, "algorithms")) > 40);
    json_array_foreach(DIG(registry, "algorithms"), i, entry)
    {
        const char *name = json_string_value(DIG(entry, "name"));
        const int timed = count_rows(model, "rows", name, "call", "f64", 1) > 0;
        const int left_out = count_rows(model, "left_out", name, "", NULL, 0) > 0;
        if (timed == left_out) CHECK_FAIL("%s: timed %d, left out %d", name, timed, left_out);
    }
    json_decref(registry);
}

TEST(json_of_models)
{
    answer a = run(NULL, "bench", bundled("puma560-corke.json"), "--tree", "7", "--root", "free", SHORT,
                   "--threads", "2", "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *model, *row;
    size_t i, k;
    CHECK_KEYS(r, "what machine states threads rounds_max models does_not_show");
    CHECK_KEYS(DIG(r, "machine"), "processor processors compiler flags version commit");
    CHECK_TEXT(DIG(r, "what"), "all");
    CHECK(json_array_size(DIG(r, "models")) == 2);
    CHECK(json_array_size(DIG(r, "does_not_show")) > 3);
    CHECK_NEAR(number(DIG(r, "models", "0", "nv")), 12, 0); /* 6 and the free root */
    CHECK(json_is_null(DIG(r, "models", "1", "file")));
    json_array_foreach(DIG(r, "models"), i, model)
    {
        CHECK_KEYS(
            model,
            "model file nq nv bodies frames loops frame distinct_states isa lanes_f64 lanes_f32 seconds "
            "rounds rows left_out");
        CHECK_NEAR(number(DIG(model, "distinct_states")), 9, 0);
        double most = 0;
        json_array_foreach(DIG(model, "rows"), k, row)
        {
            check_row(row);
            most = fmax(most, number(DIG(row, "samples")));
        }
        CHECK_NEAR(number(DIG(model, "rounds")), most, 0);
        check_ratios(model, "inverse_dynamics");
        check_ratios(model, "forward_dynamics");
        check_complete(model);
        CHECK(count_rows(model, "left_out", "constraints_at", NULL, NULL, 0) == 1);
        CHECK(count_rows(model, "rows", "inverse_kinematics", "call", "f64", 1) == 1);
        CHECK(count_rows(model, "rows", "nothing", "call", "f64", 1) == 1);
    }
    json_decref(r);
}

/* single and batch, both scalars, all layouts, one thread and more, of calls and of algorithms */
TEST(every_mode)
{
    static const char *const names[] = {
        "inverse_dynamics", "bias",           "gravity",        "mass_matrix",
        "forward_dynamics", "passive_forces", "dynamics_terms", "energy",
        "center_of_mass",   "momentum",       "frames",         "frame_pose",
        "jacobian",         "frame_velocity", "difference",     "frame_acceleration",
        "jacobian_dot_v",   "integrate",      "normalize"};
    static const char *const scalars[] = {"f64", "f32"};
    answer a = run(NULL, "bench", "--chain", "4", SHORT, "--threads", "2", "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *model = DIG(r, "models", "0");
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const int single = count_rows(model, "rows", names[i], "call", scalars[s], 1),
                      one = count_rows(model, "rows", names[i], "batch", scalars[s], 1),
                      two = count_rows(model, "rows", names[i], "batch", scalars[s], 2),
                      columns = count_rows(model, "rows", names[i], "batch-columns", scalars[s], 1),
                      packs = count_rows(model, "rows", names[i], "batch-packs", scalars[s], 1);
            if (single != 1 || one != 1 || two != 1 || columns != 1 || packs != 1)
                CHECK_FAIL("%s in %s: %d, %d, %d, %d, %d", names[i], scalars[s], single, one, two, columns, packs);
        }
        CHECK(count_rows(model, "rows", "aba", "batch", scalars[s], 1) == 1);
        CHECK(count_rows(model, "rows", "crba", "batch-columns", scalars[s], 1) == 1);
        CHECK(count_rows(model, "rows", "step_rk4", "batch", scalars[s], 2) == 1);
    }
    /* nine states of four joints are one thread's work */
    CHECK_NEAR(number(DIG(find_row(model, "gravity", "batch", "f64", 2), "threads_used")), 1, 0);

    /* factorize, solve, multiply */
    CHECK(count_rows(model, "rows", "ltdl", "call", "f64", 1) == 3);
    json_decref(r);

    a = run(NULL, "bench", "--chain", "3", SHORT, "--threads", "1", "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK(count_rows(DIG(r, "models", "0"), "rows", NULL, NULL, NULL, 2) == 0);
    json_decref(r);

    /* many states are worth two, where there are two */
    a = run(NULL, "bench", "--chain", "30", "--only", "inverse_dynamics", "--what", "calls", "--time", "0.05",
            "--states", "256", "--threads", "2", "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK_NEAR(number(DIG(find_row(DIG(r, "models", "0"), "inverse_dynamics", "batch", "f64", 2), "threads_used")),
               pinion_threads_available() > 1 ? 2 : 1, 0);
    json_decref(r);
}

/* closed loops: states that keep them, their solvers, and why the others are left out */
TEST(loops)
{
    answer a = run(NULL, "bench", bundled("four-bar.json"), SHORT, "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *model = DIG(r, "models", "0"), *entry;
    size_t i;
    static const char *const timed[] = {
        "loop-direct", "loop-nullspace",   "loop-proximal",         "constraints_at",
        "assemble",    "project_velocity", "loop_inverse_dynamics", "sparse_forward_dynamics"};
    for (size_t k = 0; k < sizeof timed / sizeof *timed; k++)
        if (count_rows(model, "rows", timed[k], "call", "f64", 1) != 1)
            CHECK_FAIL("%s is not timed", timed[k]);
    check_complete(model);
    int found = 0;
    json_array_foreach(DIG(model, "left_out"), i, entry)
    {
        if (!is_text(DIG(entry, "name"), "aba")) continue;
        found++;
        CHECK_HAS(json_string_value(DIG(entry, "reason")), "does not solve closed loops");
    }
    CHECK(found == 1);
    json_decref(r);
}

/* why no generated code was timed; "": it was */
static const char *generated_reason(json_t *model)
{
    json_t *entry;
    size_t i;
    json_array_foreach(DIG(model, "left_out"), i, entry)
        if (is_text(DIG(entry, "mode"), "generated")) return json_string_value(DIG(entry, "reason"));
    return "";
}

/* a machine that stands has steps with contact; an arm without collisions has none, and is told why */
TEST(contact)
{
    answer a = run(NULL, "bench", bundled("quadruped.json"), bundled("puma560-corke.json"), SHORT, "--only",
                   "contact_*", "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    for (int k = 0; k < 2; k++) {
        const char *name = k ? "contact_find" : "contact_step";
        CHECK(count_rows(DIG(r, "models", "0"), "rows", name, "call", "f64", 1) == 1);
        CHECK(count_rows(DIG(r, "models", "1"), "left_out", name, NULL, NULL, 0) == 1);
    }
    json_decref(r);

    /* a ball in the air */
    const char *ball = write_file("ball.json",
        "{\"pinion\": 1, \"name\": \"ball\", \"links\": [{\"name\": \"world\"}, {\"name\": \"ball\", \"mass\": 1,\n"
        "  \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}, \"collisions\": [{\"shape\": \"sphere\", "
        "\"radius\": 0.1}]}],\n \"joints\": [{\"name\": \"fly\", \"type\": \"free\", \"parent\": \"world\", "
        "\"child\": \"ball\", \"origin\": {\"position\": [0, 0, 2]}}]}\n");
    a = run(NULL, "bench", ball, SHORT, "--only", "contact_step,gravity", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "contact_step: nothing touches at the model's start, with a ground at z = 0");
    forget(&a);
}

/* code for the model is timed beside the kernels if it is asked for, and only then is a compiler run */
TEST(generated_code)
{
    setenv("XDG_CACHE_HOME", "/dev/null/none", 1); /* nothing is kept */
    setenv("CC", "no-such-compiler", 1);
    answer a = run(NULL, "bench", "--chain", "2", "--only", "gravity,aba", SHORT, "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *model = DIG(r, "models", "0");
    CHECK(count_rows(model, "rows", "gravity", "generated", NULL, 0) == 0 && !*generated_reason(model));
    CHECK(!DIG(model, "generated_in"));
    json_decref(r);

    /* without a compiler the rest is timed */
    a = run(NULL, "bench", "--chain", "2", "--only", "gravity,aba", "--generated", SHORT, "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    model = DIG(r, "models", "0");
    CHECK(count_rows(model, "rows", "gravity", "call", "f64", 1) == 1);
    CHECK(count_rows(model, "rows", "gravity", "generated", NULL, 0) == 0);
    const int built_without = strstr(generated_reason(model), "without code generation") != NULL;
    if (!built_without) CHECK_HAS(generated_reason(model), "no-such-compiler");
    json_decref(r);
    unsetenv("CC");
    if (built_without) SKIP("this pinion was built without code generation");

    a = run(NULL, "bench", "--chain", "2", "--only", "gravity,aba", "--generated", SHORT, "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    model = DIG(r, "models", "0");
    if (strstr(generated_reason(model), "no C compiler")) {
        json_decref(r);
        SKIP("there is no C compiler");
    }
    CHECK(count_rows(model, "rows", "gravity", "generated", "f64", 1) == 1);
    CHECK(count_rows(model, "rows", "gravity", "generated", "f32", 1) == 1);
    CHECK(count_rows(model, "rows", "gravity", "generated-batch", "f64", 1) == 1);
    CHECK(count_rows(model, "rows", "gravity", "generated-batch", "f32", 1) == 1);
    CHECK(count_rows(model, "rows", "gravity", "generated-packs", "f64", 1) == 1);
    CHECK(count_rows(model, "rows", "gravity", "generated-packs", "f32", 1) == 1);
    CHECK(count_rows(model, "rows", "aba", "generated", NULL, 0) == 0);
    CHECK(number(DIG(model, "generated_in")) > 0);
    json_decref(r);
    a = run(NULL, "bench", "--chain", "2", "--only", "gravity", "--generated", SHORT, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "Code for the model was generated, compiled by the system's compiler or found, and loaded in ");
    forget(&a);
    unsetenv("XDG_CACHE_HOME");
}

/* --only takes names, patterns, problems and groups; --what halves of the whole */
TEST(selection)
{
    answer a =
        run(NULL, "bench", "--chain", "3", "--only", "crba*,jacobian", SHORT, "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *model = DIG(r, "models", "0"), *row;
    size_t i;
    json_array_foreach(DIG(model, "rows"), i, row)
    {
        const char *name = json_string_value(DIG(row, "name"));
        if (strncmp(name, "crba", 4) != 0 && strcmp(name, "jacobian") != 0)
            CHECK_FAIL("%s is not asked for", name);
    }
    CHECK(count_rows(model, "rows", "crba-cholesky", "call", "f64", 1) == 1);
    CHECK(count_rows(model, "rows", "jacobian", "call", "f64", 1) == 1);
    json_decref(r);

    a = run(NULL, "bench", "--chain", "3", "--only", "inverse_dynamics", "--what", "algorithms", SHORT,
            "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    model = DIG(r, "models", "0");
    CHECK_TEXT(DIG(r, "what"), "algorithms");
    CHECK(count_rows(model, "rows", "rnea", "call", "f64", 1) == 1);
    CHECK(count_rows(model, "rows", "lagrange", "call", "f64", 1) == 1);
    CHECK(count_rows(model, "rows", "crba", NULL, NULL, 0) == 0);
    CHECK(count_rows(model, "rows", "inverse_dynamics", NULL, NULL, 0) == 0);
    json_decref(r);

    /* what would take far too long must be asked for by its name; here it never runs */
    a = run(NULL, "bench", "--chain", "61", "--only", "lagrang[e]", SHORT, "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK(json_array_size(DIG(r, "models", "0", "rows")) == 0);
    CHECK_HAS(json_string_value(DIG(r, "models", "0", "left_out", "0", "reason")), "O(n^4)");
    json_decref(r);
}

/* every line has as many fields as the first */
TEST(csv_of_models)
{
    answer a = run(NULL, "bench", bundled("four-bar.json"), SHORT, "--only", "aba,loop-direct,energy",
                   "--csv", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "model,file,frame,nq,nv,kind,group,name,mode,scalar,threads,threads_used,states,ns,low,high,"
                     "samples,ratio,not_timed,processor,processors,compiler,flags,version,commit,isa,lanes_f64,"
                     "lanes_f32\n");
    CHECK_HAS(a.out, "four-bar.json\",\"");
    CHECK_HAS(a.out, pinion_version());
    CHECK_HAS(a.out, ",algorithm,\"forward_dynamics\",loop-direct,call,f64,1,1,");
    CHECK_HAS(a.out, ",algorithm,\"forward_dynamics\",aba,,,,,,,,,,,\"does not solve closed loops");
    int fields = 1, first = 0, quoted = 0;
    for (const char *c = a.out; *c; c++) {
        if (*c == '"') quoted = !quoted;
        if (*c == ',' && !quoted) fields++;
        if (*c != '\n') continue;
        if (!first) first = fields;
        if (fields != first) CHECK_FAIL("%d fields in place of %d", fields, first);
        fields = 1;
    }
    CHECK(first == 28 && !quoted);
    CHECK(lines_of(a.out) > 5);
    forget(&a);
}

TEST(text_of_models)
{
    answer a = run(NULL, "bench", "--chain", "3", "--tree", "4", SHORT, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "2 models, about 0.025 s each; 9 states");
    CHECK_HAS(a.out, "chain of 3 joints: nq 3, nv 3, 3 bodies");
    CHECK_HAS(a.out, "tree of 4 joints: ");
    CHECK_HAS(a.out, "lanes of double");
    CHECK_HAS(a.out, "of best");
    CHECK_HAS(a.out, "batch f32");
    CHECK_HAS(a.out, "loop_motion, ");
    CHECK_HAS(a.out, ": the model has no loops\n");
    CHECK_HAS(a.out, "What this does not show:\n- Caches are warm");
    forget(&a);

    /* one of each; too little for a second thread, and enough */
    a = run(NULL, "bench", "--chain", "1", "--only", "gravity", "--time", "0.05", "--states", "1", "--threads", "2",
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "1 model, about 0.05 s each; 1 state; ");
    CHECK_HAS(a.out, "of up to 15 rounds");
    CHECK_HAS(a.out, "chain of 1 joint: nq 1, nv 1, 1 body, ");
    CHECK_HAS(a.out, "0 algorithms and 1 call to time\n");
    CHECK_HAS(a.out, "Under \"threads\", 'one'");
    forget(&a);

    /* a problem that no algorithm could solve has no table */
    a = run("{\"pinion\": 1, \"links\": [{\"name\": \"base\"}, {\"name\": \"a\"}], \"joints\": [{\"name\": \"j\", "
            "\"type\": \"continuous\", \"parent\": \"base\", \"child\": \"a\"}]}",
            "bench", "-", "--what", "algorithms", SHORT, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "\n  mass_matrix  ");
    CHECK_HAS(a.out, "Not timed:\n");
    CHECK(a.out && !strstr(a.out, "\n  forward_dynamics  ") && !strstr(a.out, "\n  factorization  "));
    forget(&a);

    /* the default: a bundled arm and a chain */
    a = run(NULL, "bench", SHORT, "--only", "rnea", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "puma560-corke.json");
    CHECK_HAS(a.out, "chain of 30 joints");
    forget(&a);
}

TEST(models_refused)
{
    const char *bad = write_file("bad.json", "{\"pinion\": 1, ");
    REFUSED(1, "bad.json", NULL, "bench", bad);
    REFUSED(1, "absent.urdf", NULL, "bench", bundled("puma560-corke.json"),
            "absent.urdf"); /* before it times anything */
    REFUSED(2, "expected all, algorithms, calls, parallel or control", NULL, "bench", "--what", "everything");
    REFUSED(2, "no algorithm or call is called 'rnee' (did you mean 'rnea'", NULL, "bench", "--only",
            "aba,rnee");
    REFUSED(2, "no call is called 'aba'", NULL, "bench", "--what", "calls", "--only", "aba");
    REFUSED(2, "no algorithm is called 'jacobian'", NULL, "bench", "--what", "algorithms", "--only",
            "jacobian");
    REFUSED(2, "no algorithm or call is called ''", NULL, "bench", "--only", "aba,");
    REFUSED(2, "--states: expected 1 to 1000000, got 0", NULL, "bench", "--states", "0");
    REFUSED(2, "--time: expected seconds, more than 0", NULL, "bench", "--time", "0");
    REFUSED(2, "--time: expected a number", NULL, "bench", "--time", "nan");
    REFUSED(2, "--tree: expected numbers from 1 to 8192", NULL, "bench", "--tree", "9000");
    REFUSED(2, "either --json or --csv", NULL, "bench", "--json", "--csv");
    REFUSED(2, "--threads: expected 1 to 1024, got 0", NULL, "bench", "--threads", "0");
    REFUSED(2, "--what parallel takes no --only", NULL, "bench", "--what", "parallel", "--only", "aba");
    REFUSED(2, "--what parallel takes no MODEL, got 'm.json'", NULL, "bench", "m.json", "--what", "parallel");

    /* a model that has no states to time: its loop cannot be closed */
    const char *apart =
        write_file("apart.json",
                   "{\"pinion\": 1, \"name\": \"apart\", \"links\": [{\"name\": \"base\"},\n"
                   " {\"name\": \"rod\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n"
                   " \"joints\": [{\"name\": \"a\", \"type\": \"revolute\", \"parent\": \"base\", \"child\": "
                   "\"rod\"}],\n"
                   " \"loops\": [{\"name\": \"pin\", \"type\": \"spherical\", \"parent\": \"base\", "
                   "\"child\": \"rod\", \"origin\": {\"position\": [5, 0, 0]}}]}\n");
    answer a = run(NULL, "bench", apart, SHORT, "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "apart: no states to time: ");
    CHECK(a.out && !*a.out);
    forget(&a);
}

/* ------------------------------------------------------------------------------------------------ */
/* One state on several processors */

/* median, lower and upper quartile */
static void check_time(json_t *time)
{
    CHECK(json_array_size(time) == 3);
    const double median = number(DIG(time, "0")), low = number(DIG(time, "1")), high = number(DIG(time, "2"));
    CHECK(low > 0 && low <= median && median <= high);
}

TEST(json_of_parallel)
{
    answer a = run(NULL, "bench", "--what", "parallel", "--chain", "3,16", "--threads", "2", "--json",
                   (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *chain;
    size_t i;
    CHECK_KEYS(r, "what processor processors compiler flags commit threads lanes chains");
    CHECK_NEAR(number(DIG(r, "threads")), 2, 0);
    CHECK(number(DIG(r, "lanes")) >= 1);
    CHECK(json_array_size(DIG(r, "chains")) == 2);
    CHECK_NEAR(number(DIG(r, "chains", "1", "n")), 16, 0);
    json_array_foreach(DIG(r, "chains"), i, chain)
    {
        static const char *const always[] = {
            "aba", "dca", "dca_threads", "dca_lanes", "dca_threads_lanes", "aba_batch", "work", "span"};
        for (int k = 0; k < 6; k++) check_time(DIG(chain, always[k]));
        for (int k = 6; k < 8; k++) CHECK(json_array_size(DIG(chain, always[k])) == 2);
    }
    json_decref(r);
}

TEST(csv_and_text_of_parallel)
{
    answer a = run(NULL, "bench", "--what", "parallel", "--chain", "2", "--csv", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "n,aba,aba_low,aba_high,dca,");
    CHECK_HAS(a.out, "\n2,");
    forget(&a);
    a = run(NULL, "bench", "--what", "parallel", "--chain", "2", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "median (quartiles)");
    CHECK_HAS(a.out, "dca, threads");
    CHECK_HAS(a.out, "processors to win");
    forget(&a);
}

TEST(parallel_refused)
{
    REFUSED(2, "expected numbers from 1 to 8192", NULL, "bench", "--what", "parallel", "--chain", "0");
    REFUSED(2, "got 'x'", NULL, "bench", "--what", "parallel", "--chain", "4,x,8");
    REFUSED(2, "expected 1 to 1024, got 0", NULL, "bench", "--what", "parallel", "--threads", "0");
    REFUSED(2, "either --json or --csv", NULL, "bench", "--what", "parallel", "--json", "--csv");
}

/* the spans of all chains, or of one model */
TEST(spans)
{
    answer a = run(NULL, "ops", "--span", "--chain", "20", "--json", (const char *)NULL);
    if (a.status == 2) {
        CHECK_HAS(a.err, "not available in this build");
        forget(&a);
        return;
    }
    json_t *r = parse_answer(&a, 0), *entry;
    size_t i;
    CHECK_KEYS(r, "n algorithms");
    CHECK(json_array_size(DIG(r, "n")) == 5); /* 1, 2, 4, 8, 16 */
    int found = 0;
    json_array_foreach(DIG(r, "algorithms"), i, entry)
    {
        CHECK_KEYS(entry, "name span operations");
        CHECK(json_array_size(DIG(entry, "span")) == 5 && json_array_size(DIG(entry, "operations")) == 5);
        const char *name = json_string_value(DIG(entry, "name"));
        if (strcmp(name, "aba") != 0 && strcmp(name, "divide-and-conquer") != 0) continue;
        found++;
        CHECK(number(DIG(entry, "span", "4")) > number(DIG(entry, "span", "3")));
        CHECK(number(DIG(entry, "operations", "4")) > number(DIG(entry, "span", "4")));
    }
    CHECK(found == 2);
    json_decref(r);

    a = run(NULL, "ops", "--span", bundled("stanford.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "divide-and-conquer");
    forget(&a);
    REFUSED(2, "with --span expected 1 to 4096", NULL, "ops", "--span", "--chain", "5000");
    REFUSED(2, "no --what", NULL, "ops", "--span", "--what", "mass_matrix");
    REFUSED(2, "not both", NULL, "ops", "--span", "--chain", "5", bundled("stanford.json"));
}

/* a sample is one step of seven evaluations for an arm without friction */
TEST(models_under_control)
{
    answer a = run(NULL, "bench", "--what", "control", "--time", "0.05", "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK(is_text(DIG(r, "what"), "control") && json_array_size(DIG(r, "models")) == 1);
    CHECK(is_text(DIG(r, "models", "0", "model"), "arm-7dof") && number(DIG(r, "models", "0", "nv")) == 7);
    CHECK(number(DIG(r, "models", "0", "times_real_time")) > 0);
    CHECK_NEAR(number(DIG(r, "models", "0", "steps")), 1, 0.02);
    CHECK_NEAR(number(DIG(r, "models", "0", "evaluations")), 7, 0.1);
    json_decref(r);
    a = run(NULL, "bench", "--what", "control", "--chain", "3", "--time", "0.02", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "chain of 3 joints");
    CHECK_HAS(a.out, "times real time");
    forget(&a);
    a = run(NULL, "bench", "--what", "control", "--chain", "3", "--time", "0.02", "--csv", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "model,nv,times_real_time");
    forget(&a);
    REFUSED(2, "--what control takes no --only", NULL, "bench", "--what", "control", "--only", "aba");
}

int main(int argc, char **argv)
{
    static const char *const files[] = {"bad.json", "apart.json", "ball.json", NULL};
    COMMAND_BEGIN(argc, argv);
    RUN(json_of_models);
    RUN(every_mode);
    RUN(loops);
    RUN(contact);
    RUN(generated_code);
    RUN(selection);
    RUN(csv_of_models);
    RUN(text_of_models);
    RUN(models_refused);
    RUN(json_of_parallel);
    RUN(csv_and_text_of_parallel);
    RUN(parallel_refused);
    RUN(spans);
    RUN(models_under_control);
    return command_end(files);
}
