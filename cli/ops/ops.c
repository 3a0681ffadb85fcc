/* pinion ops: what the algorithms cost, counted, beside what their papers say. */
#include "cli/ops/ops.h"
#include "cli/print/json_out.h"
#include "cli/args/load_option.h"
#include "cli/args/algorithm_args.h"
#include "cli/print/print_text.h"

#include <stdlib.h>
#include <string.h>

#ifdef PINION_TRACE

#define JOINTS_MAX 200   /* a recorded computation takes memory: some 30 bytes an operation */
#define QUARTIC_MAX 30   /* the same for algorithms of O(n^4), unless --all is given */
#define JOINTS_DEFAULT 6 /* most robot arms, and most tables in papers */
#define CHAIN_SEED 1     /* counts do not depend on the chain's numbers: any seed would do */

/* The counts of one algorithm. */
typedef struct row {
    pinion_algorithm_info info;
    pinion_operations general, customized, whole;
    int has_published;
    double published_mul, published_add;
    char *refused; /* why it does not apply; NULL when it does */
} row;

typedef struct survey {
    const char *command;
    problem_set wanted;
    int n, all;
    pinion_model *chain, *m; /* m is NULL without a MODEL */
    row *rows;
    int count;
} survey;

/* ------------------------------------------------------------------------------------------------ */
/* Counting */

/* The power with which a complexity like "O(n^4)" or "O(n d^2)" grows on a chain, whose depth d is n. */
static int power_of(const char *complexity)
{
    int power = 0;
    for (const char *at = complexity; *at; at++)
        if (*at == 'n' || *at == 'd') power += at[1] == '^' ? atoi(at + 2) : 1;
    return power;
}

/* Counts one algorithm into the next row. Returns 0 after a message. */
static int count_algorithm(survey *s, int a)
{
    row *r = &s->rows[s->count];
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_status status = pinion_algorithm(a, &r->info);
    if (status == PINION_OK && !s->wanted.has[r->info.problem]) return 1;
    if (status == PINION_OK && !r->info.kernel) return 1; /* print_uncounted tells */
    if (status == PINION_OK && power_of(r->info.complexity) >= 4 && s->n > QUARTIC_MAX && !s->all) {
        pn_cli_report(s->command, "%s is left out: it is of %s, and n is %d; --all counts it too",
                      r->info.name, r->info.complexity, s->n);
        return 1;
    }

    /* what does not apply is told, not counted */
    if (status == PINION_OK && (pinion_algorithm_applies(a, s->chain, &err) != PINION_OK ||
                                (s->m && pinion_algorithm_applies(a, s->m, &err) != PINION_OK))) {
        size_t size = strlen(err.message) + 1;
        r->refused = malloc(size);
        if (r->refused) memcpy(r->refused, err.message, size);
        if (!r->refused) status = PINION_ERR_MEMORY;
    } else if (status == PINION_OK) {
        status = pinion_algorithm_operations(a, s->chain, &r->general, &r->whole);
        if (status == PINION_OK && s->m)
            status = pinion_algorithm_operations(a, s->m, &r->customized, &r->whole);
    }
    if (status != PINION_OK) {
        pn_cli_report(s->command, "%s: %s", r->info.name, pinion_status_text(status));
        return 0;
    }
    r->has_published = pinion_algorithm_published(a, s->n, &r->published_mul, &r->published_add) == PINION_OK;
    s->count++;
    return 1;
}

static int count_all(survey *s)
{
    int count = pinion_algorithm_count();
    s->rows = calloc((size_t)count + 1, sizeof *s->rows);
    if (!s->rows) {
        pn_cli_report(s->command, "out of memory");
        return CLI_FAILED;
    }
    for (int a = 0; a < count; a++)
        if (!count_algorithm(s, a)) return CLI_FAILED;
    return CLI_DONE;
}

/* ------------------------------------------------------------------------------------------------ */
/* Printing */

static void print_json_row(cli_json *j, const row *r, int customized)
{
    pn_cli_json_open(j, '{', 0);
    pn_cli_json_key(j, "name");
    pn_cli_json_string(j, r->info.name);
    pn_cli_json_key(j, "problem");
    pn_cli_json_string(j, pinion_problem_name(r->info.problem));
    pn_cli_put_operations(j, "general", &r->general);
    if (customized) {
        pn_cli_put_operations(j, "customized", &r->customized);
    } else {
        pn_cli_json_key(j, "customized");
        pn_cli_json_null(j);
    }
    pn_cli_put_operations(j, "whole", &r->whole);
    pn_cli_json_key(j, "span");
    pn_cli_json_number(j, r->whole.span);
    pn_cli_json_key(j, "published");
    if (r->has_published) {
        pn_cli_json_open(j, '{', 1);
        pn_cli_json_key(j, "mul");
        pn_cli_json_number(j, r->published_mul);
        pn_cli_json_key(j, "add");
        pn_cli_json_number(j, r->published_add);
        pn_cli_json_key(j, "source");
        pn_cli_json_string(j, r->info.published_source);
        pn_cli_json_close(j);
    } else {
        pn_cli_json_null(j);
    }
    pn_cli_json_close(j);
}

static void print_json(const survey *s)
{
    cli_json json = pn_cli_json(stdout);
    pn_cli_json_open(&json, '{', 0);
    pn_cli_json_key(&json, "n");
    pn_cli_json_integer(&json, s->n);
    pn_cli_json_key(&json, "algorithms");
    pn_cli_json_open(&json, '[', 0);
    for (int i = 0; i < s->count; i++)
        if (!s->rows[i].refused) print_json_row(&json, &s->rows[i], s->m != NULL);
    pn_cli_json_end(&json);
}

/* "12 mul, 3 add": by how much the general count is above the published one; "" when it is not. */
static void add_excess(cli_table *t, const row *r)
{
    double mul = r->has_published ? r->general.mul - r->published_mul : 0;
    double add = r->has_published ? r->general.add - r->published_add : 0;
    if (mul > 0 && add > 0)
        pn_cli_table_add(t, "%g mul, %g add", mul, add);
    else if (mul > 0)
        pn_cli_table_add(t, "%g mul", mul);
    else if (add > 0)
        pn_cli_table_add(t, "%g add", add);
    else
        pn_cli_table_add(t, "%s", "");
}

static void add_row(cli_table *t, const row *r, int customized)
{
    pn_cli_table_add(t, "%s", r->info.name);
    const double general[] = {r->general.mul, r->general.add, r->general.div, r->general.sqrt,
                              r->general.trig};
    for (int i = 0; i < 5; i++) pn_cli_table_add(t, "%.0f", general[i]);
    if (r->has_published) {
        pn_cli_table_add(t, "%.10g", r->published_mul);
        pn_cli_table_add(t, "%.10g", r->published_add);
    } else {
        for (int i = 0; i < 2; i++) pn_cli_table_add(t, "%s", "-");
    }
    if (customized) {
        pn_cli_table_add(t, "%.0f", r->customized.mul);
        pn_cli_table_add(t, "%.0f", r->customized.add);
    }
    pn_cli_table_add(t, "%.0f", r->whole.mul);
    pn_cli_table_add(t, "%.0f", r->whole.add);
    pn_cli_table_add(t, "%.0f", r->whole.span);
    add_excess(t, r);
}

/* How far the Newton-Euler recursion is from the fewest operations ever published for inverse dynamics:
 * Featherstone, Rigid Body Dynamics Algorithms, table 10.1. */
static void print_lowest(const survey *s)
{
    double mul = 93.0 * s->n - 108, add = 81.0 * s->n - 100;
    if (s->n < 2) return; /* the formulas are for longer chains */
    printf("  The fewest ever published (Featherstone 2008, table 10.1): 93 n - 108 = %.0f mul, "
           "81 n - 100 = %.0f add",
           mul, add);
    for (int i = 0; i < s->count; i++) {
        const row *r = &s->rows[i];
        if (strcmp(r->info.name, "rnea") == 0 && !r->refused)
            printf(";\n  rnea takes %+.0f mul and %+.0f add", r->general.mul - mul, r->general.add - add);
    }
    fputs(".\n", stdout);
}

/* Solvers choose pivots and decide on ranks: there is nothing to count. */
static void print_uncounted(int problem)
{
    int count = 0;
    for (int a = 0; a < pinion_algorithm_count(); a++) {
        pinion_algorithm_info info;
        if (pinion_algorithm(a, &info) != PINION_OK || (int)info.problem != problem || info.kernel) continue;
        printf("%s%s", count++ ? ", " : "  not counted, since what they do depends on the numbers: ", info.name);
    }
    if (count) fputc('\n', stdout);
}

/* The table of one problem. Returns 0 when out of memory. */
static int print_problem(const survey *s, int problem, cli_style style)
{
    static const char *const title[] = {
        "algorithm", "general: mul",    "add", "div",        "sqrt", "trig", "published: mul",
        "add",       "customized: mul", "add", "whole: mul", "add",  "span", "above published"};
    int custom = s->m != NULL, columns = custom ? 14 : 12, rows = 0;
    cli_table t = pn_cli_table(columns);
    for (int i = 0; i < 14; i++)
        if (custom || (i != 8 && i != 9)) pn_cli_table_add(&t, "%s", title[i]);
    for (int i = 0; i < s->count; i++) {
        const row *r = &s->rows[i];
        if ((int)r->info.problem != problem || r->refused) continue;
        add_row(&t, r, custom);
        rows++;
    }

    printf("\n%s%s%s\n", pn_cli_bold(style), pinion_problem_name((pinion_problem)problem),
           pn_cli_plain(style));
    const char *align = custom ? "lrrrrrrrrrrrrl" : "lrrrrrrrrrrl";
    if (!pn_cli_table_print(&t, stdout, rows ? align : NULL, style)) return 0;
    for (int i = 0; i < s->count; i++) {
        const row *r = &s->rows[i];
        if ((int)r->info.problem != problem || !r->refused) continue;
        fputs("  not for this model: ", stdout);
        pn_cli_put(stdout, r->refused);
        fputc('\n', stdout);
    }
    print_uncounted(problem);
    if (problem == PINION_PROBLEM_INVERSE_DYNAMICS) print_lowest(s);
    return 1;
}

static int print_text(const survey *s)
{
    cli_style style = pn_cli_style(stdout);
    printf("Operations of one call. general: a random chain of %d revolute joint%s", s->n,
           pn_cli_plural(s->n));
    if (s->m) {
        fputs("; customized and whole: ", stdout);
        pn_cli_put(stdout, pinion_model_name(s->m));
    }
    fputs(".\n", stdout);
    for (int p = 0; p < PINION_PROBLEM_COUNT; p++) {
        int rows = 0;
        for (int i = 0; i < s->count; i++) rows += (int)s->rows[i].info.problem == p;
        if (rows && !print_problem(s, p, style)) return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------------ */

/* Reads the command line. */
static int check_arguments(survey *s, const cli_args *args)
{
    static const option_id loading[] = {OPT_ROOT, OPT_MIMIC, OPT_GRAVITY, OPT_STRICT, OPT_MODEL_PATH, OPT_XACRO};
    const char *joints = args->value[OPT_CHAIN];
    uint64_t n = JOINTS_DEFAULT;
    int status = pn_cli_problems_parse(s->command, args->value[OPT_PROBLEMS], &s->wanted);
    if (status != CLI_DONE) return status;

    /* a model with its load options, or a chain */
    if (joints && args->positional) {
        pn_cli_report(s->command, "either --chain %s or the model '%s', not both", joints, args->positional);
        return CLI_USAGE;
    }
    for (size_t i = 0; i < sizeof loading / sizeof *loading && !args->positional; i++) {
        if (!args->value[loading[i]]) continue;
        pn_cli_report(s->command, "--%s says how a MODEL is loaded, and there is none",
                      pn_cli_option_name(args, loading[i]));
        return CLI_USAGE;
    }
    if (joints) pn_cli_parse_whole(joints, &n);
    if (n < 1 || n > JOINTS_MAX) {
        pn_cli_report(s->command, "--chain: expected 1 to %d joints, got %s", JOINTS_MAX, joints);
        return CLI_USAGE;
    }
    s->n = (int)n;
    s->all = args->value[OPT_ALL] != NULL;
    return CLI_DONE;
}

/* Makes the models to count on. */
static int load_models(survey *s, const cli_args *args)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (args->positional) {
        s->m = pn_cli_load(args, args->positional);
        if (!s->m) return CLI_FAILED;
        s->n = pinion_model_nv(s->m);
        if (s->n < 1 || s->n > JOINTS_MAX) {
            pn_cli_report(s->command, "the model has %d velocities; operations are counted for 1 to %d", s->n,
                          JOINTS_MAX);
            return CLI_FAILED;
        }
    }
    s->chain = pinion_random_chain(s->n, CHAIN_SEED, &err);
    if (!s->chain) pn_cli_report(s->command, "%s", err.message);
    return s->chain ? CLI_DONE : CLI_FAILED;
}

static int run_command(const cli_args *args)
{
    survey s;
    memset(&s, 0, sizeof s);
    s.command = args->command->name;
    if (args->value[OPT_SPAN]) return pn_cli_ops_span(args);

    int status = check_arguments(&s, args);
    if (status == CLI_DONE) status = load_models(&s, args);
    if (status == CLI_DONE) status = count_all(&s);
    if (status == CLI_DONE && args->value[OPT_JSON]) {
        print_json(&s);
    } else if (status == CLI_DONE && !print_text(&s)) {
        pn_cli_report(s.command, "out of memory");
        status = CLI_FAILED;
    }

    for (int i = 0; i < s.count; i++) free(s.rows[i].refused);
    free(s.rows);
    pinion_model_free(s.chain);
    pinion_model_free(s.m);
    return pn_cli_finish(s.command, status);
}

#else

/* Without the recording scalar, which is a C++ class, nothing can be counted. */
static int run_command(const cli_args *args)
{
    pn_cli_report(args->command->name, "not available in this build: it was made without PINION_TRACE");
    return CLI_USAGE;
}

#endif

/* ------------------------------------------------------------------------------------------------ */

static const cli_option *const options[] = {
    OPTION(CHAIN, .name = "chain", .kind = VALUE_WHOLE, .value = "N",
           .help = "in place of a model: a random chain of N revolute joints, 1 to 200 (6 by default)"),
    SHARED(PROBLEMS),
    OPTION(ALL, .name = "all", .help = "also the algorithms that take long: those of O(n^4) beyond n = 30"),
    OPTION(SPAN, .name = "span",
           .help = "only the spans, on chains of 1, 2, 4, ... joints up to 4096 or --chain N, or on MODEL; of "
                   "the algorithms for forward dynamics that are of O(n)"),
    SHARED(JSON), LOAD_OPTIONS, SHARED(HELP), NULL
};

const cli_command pn_cli_command_ops = {
    .name = "ops",
    .summary = "operation counts beside the published formulas",
    .run = run_command,
    .takes = TAKES_OPTIONAL_MODEL,
    .usage = "[--chain N | MODEL] [options]",
    .about = "Counts the operations of every algorithm that applies, by running it over numbers that\n"
             "record what is done to them:\n"
             "  general     on a random chain of n revolute joints, as papers count: not the operations\n"
             "              with an exact 0 or 1, nor those that no result depends on, nor what the paper\n"
             "              leaves out\n"
             "  customized  the same on MODEL, where n is the number of its velocities\n"
             "  whole       every operation with a number that depends on the state, on MODEL or else on\n"
             "              the chain\n"
             "  span        the longest sequence of operations in which each needs the one before, those\n"
             "              with an exact 0 or 1 left out\n"
             "and sets the published formula at n beside them.\n"
             "--span shows how the span grows with the chain, or what it is on MODEL: with n for most\n"
             "algorithms, with log n for those that are made for many processors.\n",
    .more = pn_cli_print_problems,
    .example = "pinion ops --chain 6 --what inverse_dynamics,mass_matrix",
    .options = options,
};
