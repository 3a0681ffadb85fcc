/* pinion bench: timings on this machine. */
#include "cli/bench/bench.h"

#include "cli/args/find_model.h"
#include "cli/args/load_option.h"
#include "cli/print/print_text.h"

#include <stdlib.h>
#include <string.h>

#define STATES 256
#define STATES_MAX 1000000
#define SECONDS_EACH 15 /* for a model */
#define SECONDS_MAX 1e6
#define DEFAULT_MODEL "puma560-corke.json"
#define DEFAULT_CHAIN 30
#define CONTROL_MODEL "arm-7dof.json"

/* ------------------------------------------------------------------------------------------------ */
/* Options */

int pn_cli_bench_lengths(const char *command, const char *option, const char *text, int *list, int capacity)
{
    for (int count = 0; count < capacity;) {
        char word[16];
        uint64_t n = 0;
        const size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 15 ? length : 15), text);
        if (length > 14 || !pn_cli_parse_whole(word, &n) || n < 1 || n > BENCH_JOINTS_MAX) {
            pn_cli_report(command, "--%s: expected numbers from 1 to %d, separated by commas, got '%.*s'",
                          option, BENCH_JOINTS_MAX, (int)length, text);
            return 0;
        }
        list[count++] = (int)n;
        if (!text[length]) return count;
        text += length + 1;
    }
    pn_cli_report(command, "--%s: more than %d lengths", option, capacity);
    return 0;
}

/* What is to be timed: files, and generated models. */
typedef struct bench_models {
    int chain[CLI_MODELS], chains, tree[CLI_MODELS], trees;
    const char *const *file;
    int files;
    char *found; /* the path of the default model */
} bench_models;

static int count_models(const bench_models *w)
{
    return w->files + w->chains + w->trees;
}

/* Whether an option of another kind of measurement is given. */
static int refuse_others(const cli_args *args)
{
    static const option_id others[] = {OPT_TREE, OPT_ONLY,  OPT_STATE_COUNT, OPT_TIME,
                                       OPT_ROOT,  OPT_MIMIC, OPT_GRAVITY,      OPT_STRICT, OPT_MODEL_PATH, OPT_XACRO,
                                       OPT_GENERATED};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!args->value[others[i]]) continue;
        pn_cli_report(args->command->name, "--what parallel takes no --%s", pn_cli_option_name(args, others[i]));
        return 1;
    }
    if (!args->model_count) return 0;
    pn_cli_report(args->command->name, "--what parallel takes no MODEL, got '%s'", args->model[0]);
    return 1;
}

/* The models, from the command line or those of the default: `name`, and a chain unless it is under control. */
static int choose_models(bench_models *w, const cli_args *args, const char *name, int control)
{
    const char *command = args->command->name, *chains = args->value[OPT_CHAIN],
               *trees = args->value[OPT_TREE];
    memset(w, 0, sizeof *w);
    w->file = args->model;
    w->files = args->model_count;
    if (chains && (w->chains = pn_cli_bench_lengths(command, "chain", chains, w->chain, CLI_MODELS)) == 0)
        return CLI_USAGE;
    if (trees && (w->trees = pn_cli_bench_lengths(command, "tree", trees, w->tree, CLI_MODELS)) == 0)
        return CLI_USAGE;
    if (count_models(w)) return CLI_DONE;

    /* an arm that everybody knows, and a chain in which O(n) begins to count */
    w->found = pn_cli_find_model(args->program, name);
    if (!w->found) {
        pn_cli_report(command,
                      "the bundled model %s is not found: set PINION_MODELS to the folder it is in, or name a MODEL",
                      name);
        return CLI_FAILED;
    }
    w->file = (const char *const *)&w->found;
    w->files = 1;
    if (!control) w->chain[w->chains++] = DEFAULT_CHAIN;
    return CLI_DONE;
}

/* A whole number within limits. */
static int read_whole(const cli_args *args, option_id option, uint64_t low, uint64_t high, uint64_t *number)
{
    if (!args->value[option]) return 1;
    if (pn_cli_parse_whole(args->value[option], number) && *number >= low && *number <= high) return 1;
    pn_cli_report(args->command->name, "--%s: expected %llu to %llu, got %s", pn_cli_option_name(args, option),
                  (unsigned long long)low, (unsigned long long)high, args->value[option]);
    return 0;
}

/* Everything but the models and the time of each. */
static int choose_what(bench_choice *c, const cli_args *args)
{
    uint64_t threads = (uint64_t)pinion_threads_available(), states = STATES;
    const char *what = args->value[OPT_WHAT] ? args->value[OPT_WHAT] : "all";
    c->command = args->command->name;
    c->calls = strcmp(what, "algorithms") != 0;
    c->algorithms = strcmp(what, "calls") != 0;
    c->only = args->value[OPT_ONLY];
    c->generated = args->value[OPT_GENERATED] != NULL;
    if (args->value[OPT_JSON] && args->value[OPT_CSV]) {
        pn_cli_report(c->command, "either --json or --csv, not both");
        return CLI_USAGE;
    }
    if (threads > BENCH_THREADS_MAX) threads = BENCH_THREADS_MAX;
    if (!read_whole(args, OPT_THREADS, 1, BENCH_THREADS_MAX, &threads)) return CLI_USAGE;
    if (!read_whole(args, OPT_STATE_COUNT, 1, STATES_MAX, &states)) return CLI_USAGE;
    c->threads = (int)threads;
    c->states = (size_t)states;
    return pn_cli_bench_check_only(c);
}

/* --time is for all models together. */
static int choose_time(bench_choice *c, const cli_args *args, int models)
{
    double seconds = SECONDS_EACH * models;
    if (args->value[OPT_TIME]) pn_cli_parse_number(args->value[OPT_TIME], &seconds);
    if (!(seconds > 0 && seconds <= SECONDS_MAX)) {
        pn_cli_report(c->command, "--time: expected seconds, more than 0 and at most %g, got %s", SECONDS_MAX,
                      args->value[OPT_TIME]);
        return CLI_USAGE;
    }
    c->seconds = seconds / models;
    return CLI_DONE;
}

/* ------------------------------------------------------------------------------------------------ */
/* Models */

/* One of the models. */
typedef struct bench_model {
    pinion_model *m;
    char title[200];
    const char *file; /* NULL: generated */
} bench_model;

/* The i-th of the models, files first. Returns 0 after a message. */
static int make_model(const cli_args *args, const bench_models *w, int i, bench_model *model)
{
    if (i < w->files) {
        model->file = w->file[i];
        model->m = pn_cli_load(args, model->file);
        if (model->m) snprintf(model->title, sizeof model->title, "%s", pinion_model_name(model->m));
        return model->m != NULL;
    }
    i -= w->files;
    pinion_error err = {PINION_OK, 0, 0, ""};
    const char *root = args->value[OPT_ROOT];
    const int tree = i >= w->chains, n = tree ? w->tree[i - w->chains] : w->chain[i];
    model->m = tree ? pinion_random_tree(n, root && strcmp(root, "free") == 0, BENCH_SEED, &err)
                    : pinion_random_chain(n, BENCH_SEED, &err);
    snprintf(model->title, sizeof model->title, "%s of %d joint%s", tree ? "tree" : "chain", n,
             pn_cli_plural(n));
    if (!model->m)
        pn_cli_report(args->command->name, "%s: %s", model->title,
                      err.message[0] ? err.message : "out of memory");
    return model->m != NULL;
}

/* Times one model, and tells of it at once where people read. */
static int run_model(const cli_args *args, const bench_choice *choice, const bench_model *model,
                     bench_sheet *s)
{
    const int text = !args->value[OPT_JSON] && !args->value[OPT_CSV];
    pinion_error err = {PINION_ERR_MEMORY, 0, 0, "out of memory"};
    int done = pn_cli_bench_list(s, choice, model->m, model->title, model->file);
    if (done && text) pn_cli_bench_print_plan(s);
    done = done && pn_cli_bench_measure(s, choice, model->m, &err);
    if (!done) pn_cli_report(choice->command, "%s: %s", model->title, err.message);
    if (done && text && !pn_cli_bench_print(s)) {
        pn_cli_report(choice->command, "out of memory");
        done = 0;
    }
    return done ? CLI_DONE : CLI_FAILED;
}

/* ------------------------------------------------------------------------------------------------ */

static int run_parallel(const cli_args *args, const bench_choice *choice)
{
    int length[CLI_MODELS];
    const char *list = args->value[OPT_CHAIN] ? args->value[OPT_CHAIN] : "8,64,512,4096";
    if (refuse_others(args)) return CLI_USAGE;
    const int count = pn_cli_bench_lengths(choice->command, "chain", list, length, CLI_MODELS);
    return count ? pn_cli_bench_parallel(args, choice->threads, length, count) : CLI_USAGE;
}

/* Times the models and prints the answer. */
static int run_all(const cli_args *args, const bench_choice *choice, bench_model *model, bench_sheet *s,
                   int count)
{
    const int text = !args->value[OPT_JSON] && !args->value[OPT_CSV];
    const bench_machine machine = pn_cli_bench_machine();
    int status = CLI_DONE;
    if (text) pn_cli_bench_print_head(&machine, choice, count);
    for (int i = 0; i < count && status == CLI_DONE; i++) status = run_model(args, choice, &model[i], &s[i]);
    if (status != CLI_DONE) return status;
    if (text) pn_cli_bench_print_limits();
    if (args->value[OPT_JSON]) pn_cli_bench_json(&machine, choice, s, count);
    if (args->value[OPT_CSV]) pn_cli_bench_csv(&machine, s, count);
    return status;
}

/* All models are there before the first is timed, so that a bad file is noticed at once. */
static int run_models(const cli_args *args, const bench_choice *choice, const bench_models *w)
{
    const int count = count_models(w);
    bench_model *model = calloc((size_t)count, sizeof *model);
    bench_sheet *s = calloc((size_t)count, sizeof *s);
    int status = model && s ? CLI_DONE : CLI_FAILED;
    if (status != CLI_DONE) pn_cli_report(choice->command, "out of memory");
    for (int i = 0; i < count && status == CLI_DONE; i++)
        if (!make_model(args, w, i, &model[i])) status = CLI_FAILED;
    if (status == CLI_DONE) status = run_all(args, choice, model, s, count);
    for (int i = 0; i < count; i++) {
        if (model) pinion_model_free(model[i].m);
        if (s) pn_cli_bench_sheet_free(&s[i]);
    }
    free(model);
    free(s);
    return pn_cli_finish(choice->command, status);
}

/* Models under a controller. */
static int run_control(const cli_args *args, bench_choice *choice)
{
    static const option_id others[] = {OPT_ONLY, OPT_STATE_COUNT, OPT_THREADS, OPT_GENERATED};
    bench_models w = {.files = 0};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!args->value[others[i]]) continue;
        pn_cli_report(choice->command, "--what control takes no --%s", pn_cli_option_name(args, others[i]));
        return CLI_USAGE;
    }
    int status = choose_models(&w, args, CONTROL_MODEL, 1);
    const int count = count_models(&w);
    if (status == CLI_DONE) status = choose_time(choice, args, count);
    bench_control *r = calloc((size_t)count + 1, sizeof *r);
    if (!r && status == CLI_DONE) {
        pn_cli_report(choice->command, "out of memory");
        status = CLI_FAILED;
    }
    for (int i = 0; i < count && status == CLI_DONE; i++) {
        bench_model model = {.m = NULL};
        pinion_error err = {PINION_OK, 0, 0, ""};
        if (!make_model(args, &w, i, &model)) {
            status = CLI_FAILED;
        } else {
            memcpy(r[i].title, model.title, sizeof r[i].title);
            if (!pn_cli_bench_control(model.m, choice->seconds, &r[i], &err)) {
                pn_cli_report(choice->command, "%s: %s", model.title, err.message);
                status = CLI_FAILED;
            }
        }
        pinion_model_free(model.m);
    }
    const bench_machine machine = pn_cli_bench_machine();
    if (status == CLI_DONE && args->value[OPT_JSON])
        pn_cli_bench_control_json(&machine, r, count);
    else if (status == CLI_DONE && args->value[OPT_CSV])
        pn_cli_bench_control_csv(r, count);
    else if (status == CLI_DONE && !pn_cli_bench_control_text(&machine, r, count))
        status = CLI_FAILED;
    free(r);
    free(w.found);
    return pn_cli_finish(choice->command, status);
}

static int run_command(const cli_args *args)
{
    bench_choice choice = {.command = args->command->name};
    bench_models models = {.files = 0};
    const char *what = args->value[OPT_WHAT];
    int status = choose_what(&choice, args);
    if (status == CLI_DONE && what && strcmp(what, "parallel") == 0) return run_parallel(args, &choice);
    if (status == CLI_DONE && what && strcmp(what, "control") == 0) return run_control(args, &choice);
    if (status == CLI_DONE) status = choose_models(&models, args, DEFAULT_MODEL, 0);
    if (status == CLI_DONE) status = choose_time(&choice, args, count_models(&models));
    if (status == CLI_DONE) status = run_models(args, &choice, &models);
    free(models.found);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

static const cli_option *const options[] = {
    OPTION(WHAT, .name = "what", .kind = VALUE_CHOICE, .value = "all|algorithms|calls|parallel|control",
           .help = "what to measure: all (the default) is algorithms and calls; parallel is one state on "
                   "several threads and in SIMD lanes; control is a simulation under computed torque at 1 kHz"),
    OPTION(CHAIN, .name = "chain", .kind = VALUE_TEXT, .value = "LIST",
           .help = "random chains of revolute joints: their lengths, separated by commas, 1 to 8192 each "
                   "(8,64,512,4096 by default with --what parallel)"),
    OPTION(TREE, .name = "tree", .kind = VALUE_TEXT, .value = "LIST",
           .help = "random trees over every type of joint, likewise"),
    OPTION(ONLY, .name = "only", .kind = VALUE_TEXT, .value = "LIST",
           .help = "the algorithms, problems and calls to time: names or patterns such as 'crba*', separated by "
                   "commas"),
    OPTION(GENERATED, .name = "generated",
           .help = "also times code for the model, which is generated, compiled by the system's C compiler "
                   "($CC, cc, gcc or clang) and loaded"),
    OPTION(STATE_COUNT, .name = "states", .kind = VALUE_WHOLE, .value = "N",
           .help = "how many random states are cycled, and how many a batch has, 1 to 1000000 (256 by default)"),
    OPTION(TIME, .name = "time", .kind = VALUE_NUMBER, .value = "S",
           .help = "about how many seconds to measure, for all models together (15 for each by default)"),
    OPTION(THREADS, .name = "threads", .kind = VALUE_WHOLE, .value = "N",
           .help = "how many threads, 1 to 1024 (as many as there are processors by default)"),
    SHARED(JSON),
    OPTION(CSV, .name = "csv", .help = "print CSV"),
    LOAD_OPTIONS, SHARED(HELP), NULL
};

const cli_command pn_cli_command_bench = {
    .name = "bench",
    .summary = "timings on this machine",
    .run = run_command,
    .takes = TAKES_MODELS,
    .usage = "[MODEL ...] [--chain LIST] [--tree LIST] [options]",
    .about = "Times every registered algorithm and every call of the library that computes from a state, on\n"
             "each model: single calls and batches, in double and float, on one thread and on N. A batch\n"
             "has its states in SIMD lanes, laid out in rows, columns or packs. Without a model these are a PUMA\n"
             "560 and a chain of 30 joints. Times are for one state, in nanoseconds: the median of up to 15\n"
             "rounds in which all timings of a model take turns, and half the distance of the quartiles in\n"
             "percent.\n"
             "The answer says what it ran on, what does not apply to a model and why, and what such numbers do\n"
             "not show.\n"
             "\n"
             "--what parallel times forward dynamics of one state of a random chain of n revolute joints:\n"
             "  aba           the articulated-body algorithm on one thread\n"
             "  dca           divide and conquer on one thread, on N threads, in SIMD lanes (joints of one level\n"
             "                side by side), and on N threads in lanes\n"
             "  batch of aba  many states in lanes, time for one of them: the other use of the same lanes\n"
             "and other algorithms for forward dynamics with a short span, on one thread. Runs are interleaved;\n"
             "printed are the median of a call and the quartiles around it. The work and the span of the\n"
             "algorithms give the number of processors from which divide and conquer could win, were they free\n"
             "to start and to wait for each other.\n"
             "\n"
             "--what control simulates each model, by default a seven-axis arm, under computed torque at\n"
             "1 kHz with dopri5 at --tol 1e-8, and says how many times faster than the world that is.\n",
    .example = "pinion bench robot.urdf --root free --only rnea,crba,aba,jacobian --time 5",
    .options = options,
};
