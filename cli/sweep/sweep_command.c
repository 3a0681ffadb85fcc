/* pinion sweep: one run many times with other numbers. */
#define _POSIX_C_SOURCE 200809L
#include "cli/args/command_line.h"
#include "cli/args/file_args.h"
#include "cli/print/interrupt.h"
#include "cli/args/load_option.h"
#include "cli/args/options.h"
#include "cli/print/json_out.h"
#include "cli/print/print_text.h"
#include "cli/print/progress.h"
#include "cli/sweep/sweep_print.h"
#include "cli/sweep/sweep_team.h"
#include "pinion/sim/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The options of this command alone. */
enum { OPT_SWEEP_OUTPUT = OPT_OWN, OPT_THREADS, OPT_SHARD, OPT_DRY_RUN, OPT_ONLY, OPT_PLUGINS, OPT_QUIET };

#define SWEEP_ENDINGS ".h5|.hdf5"
#define SHARD_ENDINGS ".part"
#define TRIED 1.0 /* s that --dry-run spends on runs, to tell how long all of them take */

const pinion_sweep_team *pn_cli_team;

/* ------------------------------------------------------------------------------------------------
 * Progress */

typedef struct view {
    FILE *stream; /* NULL: nothing is shown */
    int visible;
} view;

static int show(void *user, const pinion_sweep_state *state)
{
    view *v = user;
    char done[40], all[40], failed[40], left[40] = "";
    if (pn_cli_interrupted() || !v->stream) return pn_cli_interrupted();
    const double rate = state->wall > 0 ? (double)(state->done - state->resumed) / state->wall : 0;
    const uint64_t complete = state->outcome[PINION_SWEEP_COMPLETE] + state->outcome[PINION_SWEEP_STOPPED];
    if (rate > 0) pn_cli_span_text((double)(state->runs - state->done) / rate, left, sizeof left);
    fprintf(v->stream, "\r%3.0f %%  %s of %s runs  %.3g/s  %s%s%s%s\033[K",
            state->runs ? 100 * (double)state->done / (double)state->runs : 100,
            pn_cli_count_text(state->done, done), pn_cli_count_text(state->runs, all), rate, left,
            *left ? " left  " : "",
            state->done > complete ? pn_cli_count_text(state->done - complete, failed) : "",
            state->done > complete ? " failed" : "");
    fflush(v->stream);
    v->visible = 1;
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * What it would cost */

/* What was tried. */
typedef struct tried {
    double made, rows, failed, until;
    double part, part_rows; /* of those that are being made */
} tried;

static int take(void *user, const pinion_sweep_record *record)
{
    tried *t = user;
    t->part = t->part_rows = 0;
    t->made++;
    t->rows += (double)record->rows;
    t->failed += record->outcome > PINION_SWEEP_STOPPED;
    return pn_cli_clock() < t->until && !pn_cli_interrupted();
}

/* Runs that take longer than the time there is are given up, and say how long they would have taken. */
static int watch(void *user, double made, size_t rows)
{
    tried *t = user;
    t->part = made;
    t->part_rows = (double)rows;
    return pn_cli_clock() >= t->until || pn_cli_interrupted();
}

static int interrupted(void *user, double made, size_t rows)
{
    (void)user, (void)made, (void)rows;
    return pn_cli_interrupted();
}

/* Seconds a run takes here on one thread, and the rows it keeps; runs are taken from all over the sweep. 0 on
 * failure. */
static int try_runs(const pinion_sweep *s, double *seconds, double *rows, double *failed, pinion_error *err)
{
    enum { AT_ONCE = 32 };
    pinion_sweep_worker *w = pinion_sweep_worker_new(s, err);
    const uint64_t count = pinion_sweep_count(s);
    const double began = pn_cli_clock();
    tried t = {.until = began + TRIED};
    uint64_t asked = 0, runs[AT_ONCE];
    pinion_sweep_worker_watch(w, watch, &t);
    while (w && asked < count && pn_cli_clock() < t.until && !pn_cli_interrupted()) {
        size_t n = 0;
        for (; n < AT_ONCE && asked < count; n++, asked++) {
            const double part = (double)asked * 0.6180339887498949;
            runs[n] = (uint64_t)((double)(count - 1) * (part - floor(part)));
        }
        if (pinion_sweep_runs(w, n, runs, take, &t) != PINION_OK) break;
    }
    const double all = t.made + t.part;
    *seconds = all > 0 ? (pn_cli_clock() - began) / all : 0;
    *rows = all > 0 ? (t.rows + t.part_rows) / all : 0;
    *failed = all > 0 ? t.failed / all : 0;
    pinion_sweep_worker_free(w);
    return all > 0 && !pn_cli_interrupted();
}

/* What a sweep would cost. */
typedef struct cost {
    double runs, seconds, rows, failed, bytes; /* a run on one thread, its rows, the part that fails; of the result */
    int threads;
} cost;

static void print_numbers(const pinion_sweep *s, int scalars)
{
    const int count = scalars ? pinion_sweep_scalar_count(s) : pinion_sweep_parameter_count(s);
    pinion_sweep_number n;
    for (int i = 0; i < count; i++)
        if ((scalars ? pinion_sweep_scalar(s, i, &n) : pinion_sweep_parameter(s, i, &n)) == PINION_OK)
            printf("%s %s%s%s%s\n", i ? "           " : scalars ? "scalars    " : "parameters ", n.name,
                   *n.unit ? " [" : "", n.unit, *n.unit ? "]" : "");
}

static void print_size(double bytes, char text[40])
{
    static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    int k = 0;
    while (bytes >= 1000 && k < 5) bytes /= 1000, k++;
    snprintf(text, 40, "%.3g %s", bytes, unit[k]);
}

static void print_cost(const cost *c)
{
    char span[40], size[40];
    pn_cli_span_text(c->seconds, span, sizeof span);
    printf("a run       %s, as runs tried here say\n", span);
    if (c->failed > 0) printf("failed      %.3g %% of them, so that all may take longer\n", 100 * c->failed);
    pn_cli_span_text(c->seconds * c->runs / c->threads, span, sizeof span);
    printf("all         %s on %d thread%s, and then the file\n", span, c->threads, pn_cli_plural(c->threads));
    print_size(c->bytes, size);
    printf("the result  %s\n", size);
}

static void json_numbers(cli_json *json, const pinion_sweep *s, int scalars)
{
    const int count = scalars ? pinion_sweep_scalar_count(s) : pinion_sweep_parameter_count(s);
    pinion_sweep_number n;
    pn_cli_json_key(json, scalars ? "scalars" : "parameters");
    pn_cli_json_open(json, '{', 1);
    for (int i = 0; i < count; i++) {
        if ((scalars ? pinion_sweep_scalar(s, i, &n) : pinion_sweep_parameter(s, i, &n)) != PINION_OK) continue;
        pn_cli_json_key(json, n.name);
        pn_cli_json_string(json, n.unit);
    }
    pn_cli_json_close(json);
}

static void json_cost(const pinion_sweep *s, const cost *c)
{
    const char *const key[] = {"runs", "least_runs", "seconds_a_run", "failed", "threads", "seconds", "bytes"};
    const double value[] = {c->runs,
                            (double)pinion_sweep_next_look(s, 0),
                            c->seconds,
                            c->failed,
                            c->threads,
                            c->seconds * c->runs / c->threads,
                            c->bytes};
    cli_json json = pn_cli_json(stdout);
    pn_cli_json_open(&json, '{', 1);
    for (int i = 0; i < 7; i++) {
        pn_cli_json_key(&json, key[i]);
        pn_cli_json_number(&json, value[i]);
    }
    json_numbers(&json, s, 0);
    json_numbers(&json, s, 1);
    pn_cli_json_end(&json);
}

/* What a plan says that is likely not meant; of many processes one tells it. */
static void tell_notes(const cli_args *args, const pinion_sweep *s)
{
    const int quiet = args->value[OPT_QUIET] || (pn_cli_team && pn_cli_team->rank > 0);
    for (int i = 0; i < pinion_sweep_note_count(s) && !quiet; i++)
        pn_cli_report(args->command->name, "warning: %s", pinion_sweep_note(s, i));
}

static int dry_run(const cli_args *args, const pinion_sweep *s, int threads)
{
    const char *command = args->command->name;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int json = args->value[OPT_JSON] != NULL;
    const uint64_t least = pinion_sweep_next_look(s, 0);
    char count[40], first[40];
    pinion_error err = {PINION_OK, 0, 0, ""};
    cost c = {.runs = (double)pinion_sweep_count(s),
              .threads = threads > 0 ? threads : processors > 0 ? (int)processors : 1};
    tell_notes(args, s);
    if (!json) {
        printf("runs        %s", pn_cli_count_text(pinion_sweep_count(s), count));
        if (least < pinion_sweep_count(s))
            printf(" at most; from %s on it ends when they are enough", pn_cli_count_text(least, first));
        putchar('\n');
        print_numbers(s, 0);
        print_numbers(s, 1);
    }
    if (!try_runs(s, &c.seconds, &c.rows, &c.failed, &err)) {
        pn_cli_report(command, "%s",
                      err.message[0]         ? err.message
                      : pn_cli_interrupted() ? "interrupted"
                                             : "no run could be made");
        return CLI_FAILED;
    }
    c.bytes = pinion_sweep_result_size(s, c.rows, c.failed);
    if (json)
        json_cost(s, &c);
    else
        print_cost(&c);
    return pn_cli_finish(command, CLI_DONE);
}

/* ------------------------------------------------------------------------------------------------ */

/* "2/10": the second of ten parts. */
static int read_shard(const cli_args *args, pinion_sweep_options *o)
{
    const char *text = args->value[OPT_SHARD];
    char *end = NULL;
    if (!text) return CLI_DONE;
    const long part = strtol(text, &end, 10), of = *end == '/' && end[1] ? strtol(end + 1, &end, 10) : 0;
    if (*end || part < 1 || of < 2 || part > of || of > 1000000) {
        pn_cli_report(args->command->name, "--shard: expected I/N, part I of N, from 1/N to N/N, got '%s'",
                      text);
        return CLI_USAGE;
    }
    o->shard = (int)part - 1;
    o->shards = (int)of;
    return CLI_DONE;
}

static int read_threads(const cli_args *args, int *threads)
{
    const char *text = args->value[OPT_THREADS];
    uint64_t number = 0;
    if (!text) return CLI_DONE;
    if (pn_cli_parse_whole(text, &number) && number >= 1 && number <= 1024) {
        *threads = (int)number;
        return CLI_DONE;
    }
    pn_cli_report(args->command->name, "--threads: expected a whole number from 1 to 1024, got '%s'", text);
    return CLI_USAGE;
}

/* Whether the options go together, and where the result goes. */
static int check(const cli_args *args, const pinion_sweep_options *o)
{
    const char *const *value = args->value, *command = args->command->name;
    const int only = value[OPT_ONLY] != NULL, dry = value[OPT_DRY_RUN] != NULL;
    if (dry + only + (o->shards > 1) > 1) {
        pn_cli_report(command, "--dry-run, --only and --shard do not go together");
        return CLI_USAGE;
    }
    if (!value[OPT_SWEEP_OUTPUT] && !dry) {
        pn_cli_report(command, "--output FILE is missing");
        return CLI_USAGE;
    }
    const cli_file file[] = {{"--output", value[OPT_SWEEP_OUTPUT],
                              only            ? RESULT_ENDINGS
                              : o->shards > 1 ? SHARD_ENDINGS
                                              : SWEEP_ENDINGS},
                             {"the plan", args->positional, NULL}};
    return dry ? CLI_DONE : pn_cli_files_check(command, file, 2);
}

/* One run with all its rows, as pinion sim would have written it. */
static int replay(const cli_args *args, const pinion_sweep *s)
{
    const char *command = args->command->name, *path = args->value[OPT_SWEEP_OUTPUT];
    pinion_error err = {PINION_OK, 0, 0, ""};
    uint64_t run = 0;
    if (!pn_cli_parse_whole(args->value[OPT_ONLY], &run) || run >= pinion_sweep_count(s)) {
        pn_cli_report(command, "--only: expected a run from 0 to %llu, got '%s'",
                      (unsigned long long)pinion_sweep_count(s) - 1, args->value[OPT_ONLY]);
        return CLI_USAGE;
    }
    tell_notes(args, s);
    pinion_sweep_worker *w = pinion_sweep_worker_new(s, &err);
    pinion_sweep_record record = {.outcome = PINION_SWEEP_COMPLETE};
    pinion_sweep_worker_watch(w, interrupted, NULL);
    if (w && pinion_sweep_run(w, run, &record) != PINION_OK)
        record.outcome = PINION_SWEEP_COMPLETE; /* said below */
    const int failed = record.outcome > PINION_SWEEP_STOPPED;
    if (failed)
        pn_cli_report(command, "run %llu: %s: %s", (unsigned long long)run,
                      pinion_sweep_outcome_name(record.outcome), record.why);
    pinion_result *r =
        w && record.outcome != PINION_SWEEP_NO_START && !pn_cli_interrupted() ? pinion_sweep_replay(w, run, &err)
                                                                              : NULL;
    char *line = pn_cli_command_line(args);
    int fine = r && line && pinion_result_set(r, "command", line) == PINION_OK &&
               pinion_result_save(r, path, PINION_RESULT_AUTO, &err) == PINION_OK;
    if (!fine && record.outcome != PINION_SWEEP_NO_START)
        pn_cli_report(command, "%s",
                      pn_cli_interrupted() ? "interrupted" : err.message[0] ? err.message : "out of memory");
    free(line);
    pinion_result_free(r);
    pinion_sweep_worker_free(w);
    return fine && !failed ? CLI_DONE : CLI_FAILED;
}

static int sweep(const cli_args *args, const pinion_sweep *s, pinion_sweep_options *o)
{
    const char *command = args->command->name, *path = args->value[OPT_SWEEP_OUTPUT];
    const int quiet = args->value[OPT_QUIET] != NULL;
    view v = {quiet || !isatty(fileno(stderr)) ? NULL : stderr, 0};
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_sweep_state state;
    const int first = !pn_cli_team || pn_cli_team->rank == 0;
    tell_notes(args, s);
    if (!first) v.stream = NULL;
    o->progress = show;
    o->user = &v;
    o->team = pn_cli_team;
    if (o->team && !args->value[OPT_THREADS])
        o->threads = 1; /* as many processes were started as there is room for */
    const pinion_status status = pinion_sweep_to_file(s, path, o, &state, &err);
    if (v.visible) fputs("\r\033[K", v.stream);
    if (!first) return status == PINION_OK ? CLI_DONE : CLI_FAILED;
    if (status != PINION_OK && pn_cli_interrupted()) {
        char done[40], all[40];
        pn_cli_report(command, "interrupted after %s of %s runs; the same command goes on from here",
                      pn_cli_count_text(state.done, done), pn_cli_count_text(state.runs, all));
        return CLI_FAILED;
    }
    if (status != PINION_OK) {
        pn_cli_report(command, "%s", err.message[0] ? err.message : pinion_status_text(status));
        return CLI_FAILED;
    }
    if (!quiet || args->value[OPT_JSON])
        pn_cli_sweep_summary(command, &state, path, args->value[OPT_JSON] != NULL);
    return pn_cli_finish(command, CLI_DONE);
}

/* Processes that a launcher started beside each other, of a command that does not know them, would get in
 * each other's way. */
static int check_alone(const cli_args *args)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE"};
    for (int i = 0; i < 3 && !pn_cli_team && !args->value[OPT_SHARD]; i++) {
        const char *size = getenv(sizes[i]);
        if (!size || atoi(size) < 2) continue;
        pn_cli_report(args->command->name,
                      "started as one of %s processes, which pinion-mpi makes a sweep with, "
                      "or pinion with --shard",
                      size);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* The plan, which all processes read; NULL where one of them cannot. What all fail in is said once. */
static pinion_sweep *read_plan(const cli_args *args)
{
    const pinion_sweep_team *team = pn_cli_team;
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_sweep *s = pinion_sweep_load(args->positional, &err);
    if (s && args->value[OPT_PLUGINS] && pinion_sweep_load_plugins(s, &err) != PINION_OK) {
        pinion_sweep_free(s);
        s = NULL;
    }
    uint64_t failed = s == NULL, first = failed;
    const int agreed =
        !team || (team->share(team->user, &first, sizeof first) && team->sum(team->user, &failed, 1));
    if (!s && (!team || team->rank == 0 || !first)) pn_cli_report(args->command->name, "%s", err.message);
    if (agreed && !failed) return s;
    if (s && team->rank == 0) pn_cli_report(args->command->name, "another process could not read the plan");
    pinion_sweep_free(s);
    return NULL;
}

static int run(const cli_args *args)
{
    pinion_sweep_options o = pinion_sweep_options_default();
    int status = read_threads(args, &o.threads);
    if (status == CLI_DONE) status = read_shard(args, &o);
    if (status == CLI_DONE) status = check(args, &o);
    if (status == CLI_DONE) status = check_alone(args);
    if (status != CLI_DONE) return status;
    /* what one process does alone */
    if (args->value[OPT_DRY_RUN] || args->value[OPT_ONLY]) {
        if (pn_cli_team && pn_cli_team->rank > 0) return CLI_DONE;
        pn_cli_team = NULL;
    }
    pinion_sweep *s = read_plan(args);
    if (!s) return CLI_FAILED;
    pn_cli_catch_signals();
    status = args->value[OPT_DRY_RUN] ? dry_run(args, s, o.threads)
             : args->value[OPT_ONLY]  ? replay(args, s)
                                      : sweep(args, s, &o);
    pinion_sweep_free(s);
    return status;
}

static const cli_option *const options[] = {
    OPTION(SWEEP_OUTPUT, .name = "output", .letter = 'o', .kind = VALUE_FILE, .value = "FILE",
           .help = "the result: .h5; of --shard .part, of --only what pinion sim writes"),
    OPTION(THREADS, .name = "threads", .kind = VALUE_WHOLE, .value = "N",
           .help = "how many runs are made at a time (one a processor by default); the result does not "
                   "depend on it"),
    OPTION(SHARD, .name = "shard", .kind = VALUE_TEXT, .value = "I/N",
           .help = "makes part I of N alone, for pinion merge: jobs that share nothing make the parts"),
    OPTION(DRY_RUN, .name = "dry-run",
           .help = "tells what the plan has, how long it would take, after a second of trying, and the "
                   "result's size"),
    OPTION(ONLY, .name = "only", .kind = VALUE_WHOLE, .value = "RUN",
           .help = "makes this one run again, from 0 on, and writes all its rows"),
    OPTION(PLUGINS, .name = "plugins",
           .help = "loads the shared objects that the plan names: their code runs with all your rights, "
                   "so only for plans that you trust"),
    OPTION(QUIET, .name = "quiet", .help = "no progress and no summary"),
    SHARED(JSON),
    SHARED(HELP),
    NULL};

const cli_command pn_cli_command_sweep = {
    .name = "sweep",
    .summary = "one simulation many times with other numbers",
    .run = run,
    .takes = TAKES_FILE,
    .words_are = "a PLAN file",
    .usage = "PLAN -o RESULT.h5 [options]",
    .about =
        "Makes the runs of a plan (docs/sweeps.md), a JSON file with a model, a run as pinion sim takes\n"
        "it, what varies and what is kept, and writes one file. A run's numbers depend on the plan and its\n"
        "index alone. A run that fails is recorded and does not stop the others. Ctrl-C, a crash or a full\n"
        "disk lose no more than the runs of the last second: the same command goes on, and ends with the\n"
        "same bytes.\n",
    .example = "pinion sweep plan.json -o study.h5",
    .options = options,
};
