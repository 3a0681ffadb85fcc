#include "cli/args/algorithm_args.h"

#include "cli/args/near.h"
#include "cli/args/options.h"
#include "cli/print/print_text.h"

#include <string.h>

int pn_cli_find_problem(const char *name, size_t length)
{
    for (int p = 0; p < PINION_PROBLEM_COUNT; p++) {
        const char *known = pinion_problem_name((pinion_problem)p);
        if (strlen(known) == length && memcmp(known, name, length) == 0) return p;
    }
    return -1;
}

static int refuse_problem(const char *command, const char *name, size_t length)
{
    /* all the names there are, and the near ones first */
    char names[400] = "", wanted[64], near[400];
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length < 63 ? length : 63), name);
    cli_near found = pn_cli_near(wanted);
    for (int p = 0; p < PINION_PROBLEM_COUNT; p++) {
        const char *known = pinion_problem_name((pinion_problem)p);
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", known);
        pn_cli_near_offer(&found, known);
    }
    pn_cli_report(command, "--what: unknown problem '%.*s'%s; the names are %s", (int)length, name,
                  pn_cli_near_text(&found, near, sizeof near), names);
    return CLI_USAGE;
}

int pn_cli_problems_parse(const char *command, const char *text, problem_set *set)
{
    for (int p = 0; p < PINION_PROBLEM_COUNT; p++) set->has[p] = !text;
    for (int more = text != NULL; more;) {
        size_t length = strcspn(text, ",");
        int problem = pn_cli_find_problem(text, length);
        if (problem < 0) return refuse_problem(command, text, length);
        set->has[problem] = 1;
        more = text[length] == ',';
        text += length + 1;
    }
    return CLI_DONE;
}

int pn_cli_find_algorithm(const char *command, const char *name)
{
    int algorithm = pinion_algorithm_find(name);
    if (algorithm >= 0) return algorithm;

    char near[400];
    cli_near found = pn_cli_near(name);
    for (int a = 0; a < pinion_algorithm_count(); a++) {
        pinion_algorithm_info info;
        if (pinion_algorithm(a, &info) == PINION_OK) pn_cli_near_offer(&found, info.name);
    }
    pn_cli_near_text(&found, near, sizeof near);
    pn_cli_report(command, "unknown algorithm '%s'%s", name, *near ? near : " (see 'pinion algorithms')");
    return -1;
}

int pn_cli_first_algorithm(int problem, const pinion_model *m, pinion_error *err)
{
    const int first = pinion_algorithm_default((pinion_problem)problem, NULL);
    if (!m || (first >= 0 && pinion_algorithm_applies(first, m, err) == PINION_OK)) return first;
    return pinion_algorithm_default((pinion_problem)problem, m);
}

void pn_cli_put_operations(cli_json *j, const char *key, const pinion_operations *o)
{
    pn_cli_json_key(j, key);
    pn_cli_json_open(j, '{', 1);
    pn_cli_put_number(j, "mul", o->mul);
    pn_cli_put_number(j, "add", o->add);
    pn_cli_put_number(j, "div", o->div);
    pn_cli_put_number(j, "sqrt", o->sqrt);
    pn_cli_put_number(j, "trig", o->trig);
    pn_cli_json_close(j);
}

void pn_cli_put_problems(const char *unused)
{
    (void)unused;
    for (int p = 0; p < PINION_PROBLEM_COUNT; p++)
        printf("%s%s", p ? " " : "", pinion_problem_name((pinion_problem)p));
}

void pn_cli_put_algorithms(const char *unused)
{
    (void)unused;
    for (int a = 0; a < pinion_algorithm_count(); a++) {
        pinion_algorithm_info info;
        if (pinion_algorithm(a, &info) == PINION_OK) printf("%s%s", a ? " " : "", info.name);
    }
}

void pn_cli_print_problems(FILE *stream)
{
    fputs("\nProblems for --what:", stream);
    for (int p = 0; p < PINION_PROBLEM_COUNT; p++)
        fprintf(stream, "%s%s", p ? ", " : " ", pinion_problem_name((pinion_problem)p));
    fputc('\n', stream);
}
