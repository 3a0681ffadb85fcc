/* pinion ops --span: how the longest sequence of dependent operations grows with a chain. */
#include "cli/ops/ops.h"
#include "cli/print/json_out.h"
#include "cli/args/load_option.h"
#include "cli/args/algorithm_args.h"
#include "cli/print/print_text.h"

#include <stdlib.h>
#include <string.h>

#ifdef PINION_TRACE

#define JOINTS_MAX 4096
#define CHAIN_SEED 1
#define LENGTHS_MAX 16
#define NAMES_MAX 32

/* The spans of the algorithms on every model; 0: it does not apply. */
typedef struct spans {
    const char *command;
    int lengths, n[LENGTHS_MAX]; /* joints of the chains, or the velocities of the model */
    int names, algorithm[NAMES_MAX];
    const char *name[NAMES_MAX];
    pinion_operations count[NAMES_MAX][LENGTHS_MAX];
} spans;

/* whether it is one of those that can be asked for long chains: forward dynamics, linear in n, counted */
static int is_linear(const pinion_algorithm_info *info)
{
    return info->problem == PINION_PROBLEM_FORWARD_DYNAMICS && info->kernel &&
           strncmp(info->complexity, "O(n)", 4) == 0;
}

static int choose(spans *s)
{
    for (int a = 0; a < pinion_algorithm_count() && s->names < NAMES_MAX; a++) {
        pinion_algorithm_info info;
        if (pinion_algorithm(a, &info) != PINION_OK || !is_linear(&info)) continue;
        s->algorithm[s->names] = a;
        s->name[s->names++] = info.name;
    }
    return s->names;
}

/* The spans on one model. Returns 0 after a message. */
static int measure(spans *s, int at, const pinion_model *m)
{
    for (int k = 0; k < s->names; k++) {
        if (pinion_algorithm_applies(s->algorithm[k], m, NULL) != PINION_OK) continue;
        const pinion_status status = pinion_algorithm_span(s->algorithm[k], m, &s->count[k][at]);
        if (status == PINION_OK) continue;
        pn_cli_report(s->command, "%s: %s", s->name[k], pinion_status_text(status));
        return 0;
    }
    return 1;
}

static void print_json(const spans *s)
{
    cli_json json = pn_cli_json(stdout), *j = &json;
    pn_cli_json_open(j, '{', 0);
    pn_cli_json_key(j, "n");
    pn_cli_json_open(j, '[', 1);
    for (int i = 0; i < s->lengths; i++) pn_cli_json_integer(j, s->n[i]);
    pn_cli_json_close(j);
    pn_cli_json_key(j, "algorithms");
    pn_cli_json_open(j, '[', 0);
    for (int k = 0; k < s->names; k++) {
        pn_cli_json_open(j, '{', 0);
        pn_cli_json_key(j, "name");
        pn_cli_json_string(j, s->name[k]);
        pn_cli_json_key(j, "span");
        pn_cli_json_open(j, '[', 1);
        for (int i = 0; i < s->lengths; i++) {
            if (s->count[k][i].span > 0)
                pn_cli_json_number(j, s->count[k][i].span);
            else
                pn_cli_json_null(j);
        }
        pn_cli_json_close(j);
        pn_cli_json_key(j, "operations");
        pn_cli_json_open(j, '[', 1);
        for (int i = 0; i < s->lengths; i++) {
            const pinion_operations *o = &s->count[k][i];
            if (o->span > 0)
                pn_cli_json_number(j, o->mul + o->add + o->div + o->sqrt + o->trig);
            else
                pn_cli_json_null(j);
        }
        pn_cli_json_close(j);
        pn_cli_json_close(j);
    }
    pn_cli_json_end(j);
}

static int print_text(const spans *s)
{
    cli_table t = pn_cli_table(s->names + 1);
    char align[NAMES_MAX + 2] = "r";
    pn_cli_table_add(&t, "%s", "n");
    for (int k = 0; k < s->names; k++) {
        pn_cli_table_add(&t, "%s", s->name[k]);
        align[k + 1] = 'r';
    }
    align[s->names + 1] = '\0';
    for (int i = 0; i < s->lengths; i++) {
        pn_cli_table_add(&t, "%d", s->n[i]);
        for (int k = 0; k < s->names; k++) {
            if (s->count[k][i].span > 0)
                pn_cli_table_add(&t, "%.0f", s->count[k][i].span);
            else
                pn_cli_table_add(&t, "%s", "-");
        }
    }
    puts("Span of one call: the longest sequence of operations in which each needs the one before.");
    return pn_cli_table_print(&t, stdout, align, pn_cli_style(stdout));
}

/* the chains of 1, 2, 4, ... joints up to `most` */
static int measure_chains(spans *s, int most)
{
    for (int n = 1; n <= most && s->lengths < LENGTHS_MAX; n *= 2) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_model *m = pinion_random_chain(n, CHAIN_SEED, &err);
        if (!m) pn_cli_report(s->command, "%s", err.message);
        s->n[s->lengths] = n;
        const int done = m && measure(s, s->lengths++, m);
        pinion_model_free(m);
        if (!done) return CLI_FAILED;
    }
    return CLI_DONE;
}

static int measure_model(spans *s, const cli_args *args)
{
    pinion_model *m = pn_cli_load(args, args->positional);
    if (!m) return CLI_FAILED;
    s->n[0] = pinion_model_nv(m);
    s->lengths = 1;
    const int done = measure(s, 0, m);
    pinion_model_free(m);
    return done ? CLI_DONE : CLI_FAILED;
}

int pn_cli_ops_span(const cli_args *args)
{
    const char *joints = args->value[OPT_CHAIN];
    uint64_t most = JOINTS_MAX;
    if (joints) pn_cli_parse_whole(joints, &most);
    if (most < 1 || most > JOINTS_MAX) {
        pn_cli_report(args->command->name, "--chain: with --span expected 1 to %d joints, got %s", JOINTS_MAX, joints);
        return CLI_USAGE;
    }
    if (joints && args->positional) {
        pn_cli_report(args->command->name, "either --chain %s or the model '%s', not both", joints, args->positional);
        return CLI_USAGE;
    }
    if (args->value[OPT_PROBLEMS]) {
        pn_cli_report(args->command->name, "--span is of forward dynamics alone: no --what");
        return CLI_USAGE;
    }
    spans *s = calloc(1, sizeof *s);
    int status = s ? CLI_DONE : CLI_FAILED;
    if (s) {
        s->command = args->command->name;
        choose(s);
        status = args->positional ? measure_model(s, args) : measure_chains(s, (int)most);
    }
    if (status == CLI_DONE && args->value[OPT_JSON])
        print_json(s);
    else if (status == CLI_DONE && !print_text(s))
        status = CLI_FAILED;
    if (!s) pn_cli_report(args->command->name, "out of memory");
    free(s);
    return pn_cli_finish(args->command->name, status);
}

#else

int pn_cli_ops_span(const cli_args *args)
{
    pn_cli_report(args->command->name, "not available in this build: it was made without PINION_TRACE");
    return CLI_USAGE;
}

#endif
