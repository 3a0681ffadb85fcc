/* pinion codegen: what was generated, for people and for programs. */
#ifdef PINION_TRACE

#include "cli/codegen/codegen_command.h"
#include "cli/args/algorithm_args.h"
#include "cli/print/print_text.h"

#include <math.h>

static double total(const pinion_operations *o)
{
    return o->mul + o->add + o->div + o->sqrt + o->trig;
}

/* Of the general count; NAN where nothing was counted. */
static double ratio_of(const pinion_generated_function *f)
{
    return f->loops || total(&f->general) == 0 ? NAN : total(&f->operations) / total(&f->general);
}

/* ------------------------------------------------------------------------------------------------ */
/* JSON */

static void put_function(cli_json *j, const pinion_generated_function *f, const checked *c)
{
    pn_cli_json_open(j, '{', 0);
    pn_cli_put_string(j, "name", f->name);
    pn_cli_put_string(j, "quantity", f->quantity);
    pn_cli_json_key(j, "algorithm");
    if (f->algorithm[0])
        pn_cli_json_string(j, f->algorithm);
    else
        pn_cli_json_null(j);
    pn_cli_json_key(j, "loops");
    pn_cli_json_boolean(j, f->loops);
    if (f->loops) {
        pn_cli_json_key(j, "operations");
        pn_cli_json_null(j);
    } else {
        pn_cli_put_operations(j, "operations", &f->operations);
    }
    pn_cli_put_operations(j, "general", &f->general);
    pn_cli_put_number(j, "ratio", ratio_of(f));
    if (c) {
        pn_cli_json_key(j, "worst_difference");
        if (c->worst >= 0)
            pn_cli_json_number(j, c->worst);
        else
            pn_cli_json_null(j);
    }
    pn_cli_json_close(j);
}

void pn_cli_codegen_json(const generation *run, const checked *entry)
{
    cli_json json = pn_cli_json(stdout), *j = &json;
    pn_cli_json_open(j, '{', 0);
    pn_cli_put_string(j, "name", pinion_generated_name(run->g));
    pn_cli_put_string(j, "folder", run->args->value[OPT_FOLDER]);
    pn_cli_json_key(j, "files");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_generated_file_count(run->g); i++) {
        const char *name;
        if (pinion_generated_file(run->g, i, &name, NULL, NULL) == PINION_OK) pn_cli_json_string(j, name);
    }
    pn_cli_json_close(j);
    if (entry) pn_cli_put_integer(j, "checked_states", CHECKED_STATES);
    pn_cli_json_key(j, "functions");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_generated_function_count(run->g); i++) {
        pinion_generated_function f;
        if (pinion_generated_function_info(run->g, i, &f) == PINION_OK)
            put_function(j, &f, entry ? &entry[i] : NULL);
    }
    pn_cli_json_end(j);
}

/* ------------------------------------------------------------------------------------------------ */
/* A table */

static void add_function(cli_table *t, const pinion_generated_function *f, const checked *c)
{
    pn_cli_table_add(t, "%s", f->name);
    pn_cli_table_add(t, "%s", f->algorithm[0] ? f->algorithm : "-");
    const pinion_operations *o = &f->operations;
    const double count[] = {o->mul, o->add, o->div, o->sqrt, o->trig, total(o)};
    for (int i = 0; i < 6; i++) {
        if (f->loops)
            pn_cli_table_add(t, "%s", i < 5 ? "-" : "loops");
        else
            pn_cli_table_add(t, "%.0f", count[i]);
    }
    pn_cli_table_add(t, "%.0f", total(&f->general));
    if (isfinite(ratio_of(f)))
        pn_cli_table_add(t, "%.1f %%", 100 * ratio_of(f));
    else
        pn_cli_table_add(t, "%s", "-");
    if (c && c->worst >= 0) pn_cli_table_add(t, "%.1e", c->worst);
    if (c && c->worst < 0) pn_cli_table_add(t, "%s", "agrees");
}

int pn_cli_codegen_table(const generation *run, const checked *entry)
{
    static const char *const title[] = {"function", "algorithm", "mul",     "add",    "div",             "sqrt",
                                        "trig",     "together",  "general", "of it", "worst difference"};
    int columns = entry ? 11 : 10, ok;
    cli_style style = pn_cli_style(stdout);
    cli_table t = pn_cli_table(columns);
    for (int i = 0; i < columns; i++) pn_cli_table_add(&t, "%s", title[i]);
    for (int i = 0; i < pinion_generated_function_count(run->g); i++) {
        pinion_generated_function f;
        if (pinion_generated_function_info(run->g, i, &f) == PINION_OK)
            add_function(&t, &f, entry ? &entry[i] : NULL);
    }
    fputs("Operations of one call, and of the library's own call on this model.\n\n", stdout);
    ok = pn_cli_table_print(&t, stdout, entry ? "llrrrrrrrrr" : "llrrrrrrrr", style);

    /* what was compared, and what was written */
    if (ok && entry)
        printf("\nCompiled, loaded and compared with the library at %d random states; differences are relative to the\n"
               "largest number of a result.\n",
               CHECKED_STATES);
    if (ok) {
        fputs("\nWritten to ", stdout);
        pn_cli_put(stdout, run->args->value[OPT_FOLDER]);
        for (int i = 0; i < pinion_generated_file_count(run->g); i++) {
            const char *name;
            if (pinion_generated_file(run->g, i, &name, NULL, NULL) != PINION_OK) continue;
            fputs(i ? ", " : ": ", stdout);
            pn_cli_put(stdout, name);
        }
        fputs("\n", stdout);
    }
    return ok;
}

#else
typedef int pn_cli_nothing_printed; /* a file of C has at least one declaration */
#endif
