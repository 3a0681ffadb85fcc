/* pinion bench: what there is to time on a model, and what is left out. */
#define _POSIX_C_SOURCE 200809L
#include "cli/bench/bench.h"

#include "cli/args/near.h"
#include "cli/print/print_text.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define OPERATION 1e-9 /* s: about what n^4, n^3 or n^2 is to be multiplied with for the time of a call */
#define PART 0.1       /* of a model's time: what a call may take */

/* ------------------------------------------------------------------------------------------------ */
/* --only */

enum { EXACTLY = 1, PATTERN = 2 };

/* Whether an entry of a list is the name, or a pattern that the name fits. */
static int entry_matches(const char *entry, size_t length, const char *name)
{
    char pattern[100];
    if (length == strlen(name) && memcmp(entry, name, length) == 0) return EXACTLY;
    snprintf(pattern, sizeof pattern, "%.*s", (int)length, entry);
    return length < sizeof pattern && fnmatch(pattern, name, 0) == 0 ? PATTERN : 0;
}

/* The same for a list; without a list everything matches. */
static int list_matches(const char *list, const char *name)
{
    int found = list ? 0 : PATTERN;
    while (list && found != EXACTLY) {
        const size_t length = strcspn(list, ",");
        const int here = entry_matches(list, length, name);
        if (here) found = here;
        list = list[length] ? list + length + 1 : NULL;
    }
    return found;
}

/* Whether an entry names an algorithm or a problem; offers their names. */
static int names_algorithm(const char *entry, size_t length, cli_near *near)
{
    int found = 0;
    for (int a = 0; a < pinion_algorithm_count(); a++) {
        pinion_algorithm_info info;
        if (pinion_algorithm(a, &info) != PINION_OK) continue;
        found |= entry_matches(entry, length, info.name);
        found |= entry_matches(entry, length, pinion_problem_name(info.problem));
        pn_cli_near_offer(near, info.name);
    }
    return found;
}

/* The same for the quantities of the table of calls. */
static int names_quantity(const char *entry, size_t length, cli_near *near)
{
    int found = 0;
    pinion_quantity_info info;
    for (int i = 0; pinion_quantity(i, &info) == PINION_OK; i++) {
        found |= entry_matches(entry, length, info.function) | entry_matches(entry, length, info.group);
        pn_cli_near_offer(near, info.function);
    }
    return found;
}

/* The same for the calls of a table and their groups. */
static int names_call(const bench_call *table, const char *entry, size_t length, cli_near *near)
{
    int found = 0;
    for (const bench_call *c = table; c->name; c++) {
        found |= entry_matches(entry, length, c->name) | entry_matches(entry, length, c->group);
        pn_cli_near_offer(near, c->name);
    }
    return found;
}

int pn_cli_bench_check_only(const bench_choice *choice)
{
    for (const char *list = choice->only; list;) {
        char wanted[100], near[400];
        const size_t length = strcspn(list, ",");
        snprintf(wanted, sizeof wanted, "%.*s", (int)(length < 99 ? length : 99), list);
        cli_near found = pn_cli_near(wanted);
        int known = 0;
        if (choice->algorithms)
            known = names_algorithm(list, length, &found) |
                    names_call(pn_cli_bench_factors, list, length, &found);
        if (choice->calls)
            known |= names_quantity(list, length, &found) | names_call(pn_cli_bench_calls, list, length, &found) |
                     names_call(pn_cli_bench_solvers, list, length, &found);
        if (!known) {
            const char *kind = !choice->calls       ? "algorithm"
                               : choice->algorithms ? "algorithm or call"
                                                    : "call";
            pn_cli_report(choice->command, "--only: no %s is called '%.*s'%s", kind, (int)length, list,
                          pn_cli_near_text(&found, near, sizeof near));
            return CLI_USAGE;
        }
        list = list[length] ? list + length + 1 : NULL;
    }
    return CLI_DONE;
}

/* ------------------------------------------------------------------------------------------------ */
/* The items */

/* Adds an item; NULL when out of memory. */
static bench_item *add(bench_sheet *s, const bench_call *call, const char *name, const char *group,
                       int algorithm)
{
    bench_item *larger = realloc(s->item, ((size_t)s->count + 1) * sizeof *larger);
    if (!larger) return NULL;
    s->item = larger;
    bench_item *item = &s->item[s->count++];
    memset(item, 0, sizeof *item);
    item->call = call;
    item->name = name;
    item->group = group;
    item->algorithm = algorithm;
    item->quantity = -1;
    return item;
}

/* The power of n in "O(n d^2)" and the like, with d and nc as large as n. */
static int power_of(const char *complexity)
{
    const int cubic = strstr(complexity, "d^2") || strstr(complexity, "n^2 d") || strstr(complexity, "nc");
    if (strstr(complexity, "^4")) return 4;
    if (strstr(complexity, "^3") || cubic) return 3;
    return strstr(complexity, "^2") || strstr(complexity, " d") ? 2 : 1;
}

/* Leaves an item out when it would take far too long, by the growth of its time with the model. */
static void leave_slow_out(const bench_sheet *s, bench_item *item, int power)
{
    double seconds = OPERATION;
    for (int k = 0; k < power; k++) seconds *= s->nv + s->rows;
    if (power < 2 || seconds <= PART * s->seconds) return;
    snprintf(
        item->why, sizeof item->why,
        "would take about %.2g s a call by its O(n^%d), too long for --time; --only with its name times it "
        "all the same",
        seconds, power);
}

const char *pn_cli_bench_without_name(const char *message, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(message, name, length) == 0 && message[length] == ' ' ? message + length + 1 : message;
}

/* Adds an algorithm, and why it is left out if it is. */
static int add_algorithm(bench_sheet *s, const bench_choice *choice, const pinion_model *m, int algorithm,
                         const bench_call *call, const char *group)
{
    pinion_algorithm_info info;
    if (pinion_algorithm(algorithm, &info) != PINION_OK) return 1;
    const int wanted = list_matches(choice->only, info.name);
    if (!wanted && !list_matches(choice->only, group)) return 1;
    bench_item *item = add(s, call, info.name, group, algorithm);
    if (!item) return 0;
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (pinion_algorithm_applies(algorithm, m, &err) != PINION_OK)
        snprintf(item->why, sizeof item->why, "%.290s", pn_cli_bench_without_name(err.message, info.name));
    else if (wanted != EXACTLY)
        leave_slow_out(s, item, power_of(info.complexity));
    return 1;
}

/* The algorithms by their problems, in the order of the registry, then what uses factors. */
static int add_algorithms(bench_sheet *s, const bench_choice *choice, const pinion_model *m)
{
    for (int p = 0; p < PINION_PROBLEM_COUNT; p++)
        for (int a = 0; a < pinion_algorithm_count(); a++) {
            pinion_algorithm_info info;
            if (pinion_algorithm(a, &info) != PINION_OK || (int)info.problem != p) continue;
            if (!add_algorithm(s, choice, m, a, &pn_cli_bench_by[p], pinion_problem_name((pinion_problem)p)))
                return 0;
        }
    for (const bench_call *c = pn_cli_bench_factors; c->name; c++)
        for (int a = 0; a < pinion_algorithm_count(); a++) {
            pinion_algorithm_info info;
            if (pinion_algorithm(a, &info) != PINION_OK || info.problem != PINION_PROBLEM_FACTORIZATION)
                continue;
            if (!add_algorithm(s, choice, m, a, c, c->name)) return 0;
        }
    return 1;
}

static int add_quantities(bench_sheet *s, const bench_choice *choice)
{
    pinion_quantity_info info;
    for (int i = 0; pinion_quantity(i, &info) == PINION_OK; i++) {
        if (!list_matches(choice->only, info.function) && !list_matches(choice->only, info.group)) continue;
        bench_item *item = add(s, &pn_cli_bench_quantity, info.function, info.group, -1);
        if (!item) return 0;
        item->quantity = i;
    }
    return 1;
}

static int add_calls(bench_sheet *s, const bench_choice *choice, const bench_call *table)
{
    for (const bench_call *c = table; c->name; c++) {
        if (!list_matches(choice->only, c->name) && !list_matches(choice->only, c->group)) continue;
        bench_item *item = add(s, c, c->name, c->group, -1);
        if (!item) return 0;
        if (c->needs == NEEDS_LOOPS && !s->loops)
            snprintf(item->why, sizeof item->why, "the model has no loops");
        else if (c->needs == NEEDS_LOOPS && list_matches(choice->only, c->name) != EXACTLY)
            leave_slow_out(s, item, 3);
    }
    return 1;
}

int pn_cli_bench_list(bench_sheet *s, const bench_choice *choice, const pinion_model *m, const char *title,
                      const char *file)
{
    memset(s, 0, sizeof *s);
    s->title = strdup(title);
    s->file = file;
    s->nq = pinion_model_nq(m);
    s->nv = pinion_model_nv(m);
    s->bodies = pinion_model_body_count(m);
    s->frames = pinion_model_frame_count(m);
    s->loops = pinion_model_loop_count(m);
    s->rows = pinion_model_row_count(m);
    s->threads = choice->threads;
    s->states = choice->states;
    s->seconds = choice->seconds;
    int done = s->title != NULL;
    if (done && choice->algorithms) done = add_algorithms(s, choice, m);
    if (done && choice->calls)
        done = add_quantities(s, choice) && add_calls(s, choice, pn_cli_bench_calls) &&
               add_calls(s, choice, pn_cli_bench_solvers);
    return done;
}

void pn_cli_bench_sheet_free(bench_sheet *s)
{
    free(s->title);
    free(s->frame);
    free(s->item);
    memset(s, 0, sizeof *s);
}
