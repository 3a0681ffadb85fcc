/* pinion algorithms: the registry. */
#include "cli/print/json_out.h"
#include "cli/args/load_option.h"
#include "cli/args/algorithm_args.h"
#include "cli/print/print_text.h"

#include <string.h>

/* How many factors a product "n * n * n" has at its beginning. */
static int power_at(const char *formula)
{
    int power = *formula == 'n';
    while (power && strncmp(formula + 4 * (power - 1), "n * n", 5) == 0) power++;
    return power;
}

/* A formula as people write it: "10 * n * n + 22 * n" becomes "10 n^2 + 22 n". Returns `text`. */
static const char *readable(const char *formula, char *text, size_t size)
{
    char *end = text;
    while (*formula && (size_t)(end - text) + 4 < size) {
        /* a product of n with itself is a power, which needs no parentheses */
        int open = *formula == '(', power = power_at(formula + open);
        const char *after = power ? formula + open + 4 * power - 3 : formula;
        if (power > 1 && (!open || *after == ')')) {
            *end++ = 'n';
            *end++ = '^';
            *end++ = (char)('0' + power);
            formula = after + open;
        } else if (strncmp(formula, " * ", 3) == 0) {
            *end++ = ' ';
            formula += 3;
        } else {
            *end++ = *formula++;
        }
    }
    *end = '\0';
    return text;
}

/* Whether a paper says how many operations it takes. */
static int is_published(int algorithm)
{
    double mul, add;
    return pinion_algorithm_published(algorithm, 6, &mul, &add) == PINION_OK;
}

/* The table of one problem. Returns 0 when out of memory. */
static int print_problem(int problem, cli_style style)
{
    static const char *const title[] = {"name",      "complexity", "multiplications",
                                        "additions", "applies to", ""};
    cli_table t = pn_cli_table(6);
    for (int i = 0; i < 6; i++) pn_cli_table_add(&t, "%s", title[i]);
    for (int a = 0; a < pinion_algorithm_count(); a++) {
        pinion_algorithm_info info;
        char mul[100], add[100];
        if (pinion_algorithm(a, &info) != PINION_OK || (int)info.problem != problem) continue;
        pn_cli_table_add(&t, "%s", info.name);
        pn_cli_table_add(&t, "%s", info.complexity);
        int published = is_published(a);
        pn_cli_table_add(&t, "%s", published ? readable(info.published_mul, mul, sizeof mul) : "");
        pn_cli_table_add(&t, "%s", published ? readable(info.published_add, add, sizeof add) : "");
        pn_cli_table_add(&t, "%s", info.applies_to);
        if (published)
            pn_cli_table_add(&t, "%s; counts: %s", info.source, info.published_source);
        else
            pn_cli_table_add(&t, "%s", info.source);
    }
    if (t.cells > 6)
        printf("%s%s%s\n", pn_cli_bold(style), pinion_problem_name((pinion_problem)problem),
               pn_cli_plain(style));
    return pn_cli_table_print(&t, stdout, t.cells > 6 ? "llllln" : NULL, style);
}

static int print_text(const problem_set *wanted)
{
    cli_style style = pn_cli_style(stdout);
    int ok = 1, begun = 0;
    for (int p = 0; p < PINION_PROBLEM_COUNT && ok; p++) {
        if (!wanted->has[p] || pn_cli_first_algorithm(p, NULL, NULL) < 0) continue;
        if (begun++) fputc('\n', stdout);
        ok = print_problem(p, style);
    }
    return ok;
}

static void print_algorithm(cli_json *j, const pinion_algorithm_info *info, int published)
{
    pn_cli_json_open(j, '{', 0);
    pn_cli_json_key(j, "name");
    pn_cli_json_string(j, info->name);
    pn_cli_json_key(j, "problem");
    pn_cli_json_string(j, pinion_problem_name(info->problem));
    pn_cli_json_key(j, "source");
    pn_cli_json_string(j, info->source);
    pn_cli_json_key(j, "complexity");
    pn_cli_json_string(j, info->complexity);
    pn_cli_json_key(j, "applies_to");
    pn_cli_json_string(j, info->applies_to);
    pn_cli_json_key(j, "kernel");
    pn_cli_json_boolean(j, info->kernel);
    pn_cli_json_key(j, "published");
    if (published) {
        pn_cli_json_open(j, '{', 1);
        pn_cli_json_key(j, "mul");
        pn_cli_json_string(j, info->published_mul);
        pn_cli_json_key(j, "add");
        pn_cli_json_string(j, info->published_add);
        pn_cli_json_key(j, "source");
        pn_cli_json_string(j, info->published_source);
        pn_cli_json_close(j);
    } else {
        pn_cli_json_null(j);
    }
    pn_cli_json_close(j);
}

static void print_json(const problem_set *wanted)
{
    cli_json json = pn_cli_json(stdout);
    pn_cli_json_open(&json, '{', 0);
    pn_cli_json_key(&json, "algorithms");
    pn_cli_json_open(&json, '[', 0);
    for (int a = 0; a < pinion_algorithm_count(); a++) {
        pinion_algorithm_info info;
        if (pinion_algorithm(a, &info) == PINION_OK && wanted->has[info.problem])
            print_algorithm(&json, &info, is_published(a));
    }
    pn_cli_json_end(&json);
}

static int run_command(const cli_args *args)
{
    problem_set wanted;
    int status = pn_cli_problems_parse(args->command->name, args->value[OPT_PROBLEMS], &wanted);
    if (status != CLI_DONE) return status;
    if (args->value[OPT_JSON]) {
        print_json(&wanted);
    } else if (!print_text(&wanted)) {
        pn_cli_report(args->command->name, "out of memory");
        status = CLI_FAILED;
    }
    return pn_cli_finish(args->command->name, status);
}

/* ------------------------------------------------------------------------------------------------ */

static const cli_option *const options[] = {SHARED(PROBLEMS), SHARED(JSON), SHARED(HELP), NULL};

const cli_command pn_cli_command_algorithms = {
    .name = "algorithms",
    .summary = "the algorithms, where they come from and what they apply to",
    .run = run_command,
    .takes = TAKES_NOTHING,
    .usage = "[options]",
    .about = "Lists the algorithms by the problem they solve: name, complexity, published numbers of\n"
             "multiplications and additions for a serial chain of n revolute joints, what each applies to,\n"
             "and its source. All that solve a problem give the same numbers; 'pinion eval --algorithm'\n"
             "picks one.\n",
    .more = pn_cli_print_problems,
    .example = "pinion algorithms --what mass_matrix",
    .options = options,
};
