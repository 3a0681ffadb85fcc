/* pinion equations: the equations of motion in closed form. */
#define _POSIX_C_SOURCE 200809L
#include "cli/args/file_args.h"
#include "cli/print/json_out.h"
#include "cli/args/load_option.h"
#include "cli/print/memory_stream.h"
#include "cli/print/print_text.h"

#include <stdlib.h>
#include <string.h>

#define EQUATIONS "mass_matrix|coriolis|gravity"

/* The options of this command alone. */
enum { OPT_FORMAT = OPT_OWN, OPT_WHAT, OPT_DOCUMENT, OPT_NUMBERS, OPT_MAX_TERMS, OPT_TEXT_OUTPUT };

/* Whether every word of --what is one that there is; CLI_DONE or, after a message, CLI_USAGE. */
static int check_what(const char *command, const char *what)
{
    for (int more = what != NULL; more;) {
        const size_t length = strcspn(what, ",");
        char word[61]; /* longer than every name, so that one that is cut is none of them */
        snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), what);
        if (!pn_cli_in_list(EQUATIONS, word)) {
            char list[100];
            pn_cli_report(command, "--what: expected %s, separated by commas, got '%s'",
                          pn_cli_list_text(EQUATIONS, list, sizeof list), word);
            return CLI_USAGE;
        }
        more = what[length] == ',';
        what += length + 1;
    }
    return CLI_DONE;
}

static int read_options(const cli_args *args, pinion_equations_options *options)
{
    const char *command = args->command->name, *format = args->value[OPT_FORMAT],
               *terms = args->value[OPT_MAX_TERMS];
    *options = pinion_equations_options_default();
    options->what = args->value[OPT_WHAT];
    if (format && strcmp(format, "latex") == 0) options->format = PINION_EQUATIONS_LATEX;
    options->document = args->value[OPT_DOCUMENT] != NULL;
    options->numbers = args->value[OPT_NUMBERS] != NULL;
    if (options->document && options->format != PINION_EQUATIONS_LATEX) {
        pn_cli_report(command, "--document is of --format latex");
        return CLI_USAGE;
    }
    if (options->document && args->value[OPT_JSON]) {
        pn_cli_report(command, "--document and --json are two answers; expected one of them");
        return CLI_USAGE;
    }
    uint64_t number = 0;
    if (terms && (!pn_cli_parse_whole(terms, &number) || number < 1 || number > 100000)) {
        pn_cli_report(command, "--max-terms: expected 1 to 100000, got '%s'", terms);
        return CLI_USAGE;
    }
    if (terms) options->max_terms = (int)number;
    return check_what(command, options->what);
}

/* all entries of a quantity; none where it was not asked for */
static void put_entries(cli_json *j, const pinion_equations *e, const char *quantity)
{
    pn_cli_json_key(j, quantity);
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_equations_count(e); i++) {
        pinion_equation x;
        if (pinion_equations_entry(e, i, &x) != PINION_OK || strcmp(x.quantity, quantity) != 0) continue;
        pn_cli_json_open(j, '{', 1);
        if (x.row >= 0) pn_cli_put_integer(j, "row", x.row);
        if (x.column >= 0) pn_cli_put_integer(j, "column", x.column);
        pn_cli_put_string(j, "name", x.name);
        pn_cli_put_string(j, "text", x.text);
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

static void put_symbols(cli_json *j, const pinion_equations *e)
{
    pn_cli_json_key(j, "symbols");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_equations_symbol_count(e); i++) {
        pinion_equation_symbol s;
        if (pinion_equations_symbol(e, i, &s) != PINION_OK) continue;
        pn_cli_json_open(j, '{', 1);
        pn_cli_put_string(j, "name", s.name);
        if (s.coordinate >= 0)
            pn_cli_put_integer(j, "q_index", s.coordinate);
        else if (s.velocity >= 0)
            pn_cli_put_integer(j, "v_index", s.velocity);
        else
            pn_cli_put_number(j, "value", s.value);
        pn_cli_put_string(j, "unit", s.unit);
        pn_cli_put_string(j, "meaning", s.meaning);
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

static void put_json(FILE *stream, const pinion_model *m, const pinion_equations *e,
                     const pinion_equations_options *options)
{
    static const char *const parts[] = {"mass_matrix", "coriolis", "gravity", "shorthand", "notation"};
    cli_json json = pn_cli_json(stream);
    pn_cli_json_open(&json, '{', 0);
    pn_cli_put_string(&json, "name", pinion_model_name(m));
    pn_cli_put_string(&json, "format", options->format == PINION_EQUATIONS_LATEX ? "latex" : "text");
    for (int k = 0; k < 5; k++) put_entries(&json, e, parts[k]);
    put_symbols(&json, e);
    pn_cli_put_integer(&json, "terms", pinion_equations_terms(e));
    pn_cli_json_key(&json, "check");
    pn_cli_json_open(&json, '{', 1);
    pn_cli_put_integer(&json, "states", options->states);
    pn_cli_put_number(&json, "difference", pinion_equations_difference(e));
    pn_cli_json_end(&json);
}

/* The answer as a text in new memory; NULL when there is none left. */
static char *answer_text(const cli_args *args, const pinion_model *m, const pinion_equations *e,
                         const pinion_equations_options *options, size_t *size)
{
    cli_memory text;
    pn_cli_memory_open(&text);
    if (text.stream && args->value[OPT_JSON])
        put_json(text.stream, m, e, options);
    else if (text.stream)
        fputs(pinion_equations_text(e), text.stream);
    if (!pn_cli_memory_close(&text)) return NULL;
    *size = text.size;
    return text.bytes;
}

/* To standard output, or to the file that is named, whole or not at all. */
static int put_answer(const cli_args *args, const pinion_model *m, const pinion_equations *e,
                      const pinion_equations_options *options)
{
    const char *command = args->command->name, *path = args->value[OPT_TEXT_OUTPUT];
    size_t size = 0;
    char *text = answer_text(args, m, e, options, &size);
    pinion_error err = {PINION_OK, 0, 0, ""};
    int status = CLI_FAILED;
    if (!text) {
        pn_cli_report(command, "out of memory");
    } else if (!path || strcmp(path, "-") == 0) {
        fwrite(text, 1, size, stdout);
        status = pn_cli_finish(command, CLI_DONE);
    } else if (pinion_write_file(path, text, size, &err) == PINION_OK) {
        status = CLI_DONE;
    } else {
        pn_cli_report(command, "%s", err.message);
    }
    free(text);
    return status;
}

static int run_command(const cli_args *args)
{
    const char *command = args->command->name;
    pinion_equations_options options;
    int status = read_options(args, &options);
    if (status != CLI_DONE) return status;
    const char *path = args->value[OPT_TEXT_OUTPUT];
    if (path && strcmp(path, "-") != 0) {
        const cli_file files[] = {{"the model", args->positional, NULL},
                                  {"--output", path, args->value[OPT_JSON] ? ".json" : ".txt|.tex"}};
        status = pn_cli_files_check(command, files, 2);
        if (status != CLI_DONE) return status;
    }

    pinion_model *m = pn_cli_load(args, args->positional);
    if (!m) return CLI_FAILED;
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_equations *e = pinion_equations_new(m, &options, &err);
    if (!e) {
        pn_cli_report(command, "%s: %s", pinion_model_name(m), err.message);
        status = CLI_FAILED;
    } else {
        if (!args->value[OPT_JSON])
            pn_cli_report(command,
                          "checked against the kernels at %d random states, largest relative difference %.2g",
                          options.states, pinion_equations_difference(e));
        status = put_answer(args, m, e, &options);
    }
    pinion_equations_free(e);
    pinion_model_free(m);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

static void put_equations(const char *colon)
{
    (void)colon;
    pn_cli_put_list(EQUATIONS);
}

static const cli_option *const options[] = {
    OPTION(FORMAT, .name = "format", .kind = VALUE_CHOICE, .value = "text|latex",
           .help = "plain ASCII (the default), or LaTeX for a document that uses amsmath"),
    OPTION(WHAT, .name = "what", .kind = VALUE_LIST, .value = "LIST", .words = put_equations,
           .help = "of mass_matrix, coriolis and gravity, separated by commas (all by default)"),
    OPTION(DOCUMENT, .name = "document", .help = "with --format latex: a document that compiles by itself"),
    OPTION(NUMBERS, .name = "numbers", .help = "the model's numbers in place of symbols, to 12 digits"),
    OPTION(MAX_TERMS, .name = "max-terms", .kind = VALUE_WHOLE, .value = "N",
           .help = "refuse equations of more terms, 1 to 100000 (600 by default)"),
    OPTION(TEXT_OUTPUT, .name = "output", .letter = 'o', .kind = VALUE_FILE, .value = "FILE",
           .help = "where to write: .txt or .tex, with --json .json; - is standard output"),
    SHARED(JSON), LOAD_OPTIONS, SHARED(HELP), NULL
};

const cli_command pn_cli_command_equations = {
    .name = "equations",
    .summary = "the equations of motion of a small mechanism, to be read",
    .run = run_command,
    .takes = TAKES_MODEL,
    .usage = "MODEL [--format text|latex] [--what LIST] [options]",
    .about = "Prints M(q), C(q, v) and g(q) of M a + C v + g = tau in closed form, with symbols for masses,\n"
             "lengths and inertias and a legend of their values. C is made of Christoffel symbols, so that\n"
             "dM/dt - 2 C is skew-symmetric. Angles that are right ones are numbers, what is zero is left out,\n"
             "and common factors are taken out.\n"
             "What is printed is evaluated and compared with the kernels at random states; the largest\n"
             "difference is told on stderr, and beyond 1e-10 the answer is refused.\n"
             "Joints have one coordinate each, or are cylindrical or universal ones; loops are refused.\n"
             "With --json: {\"mass_matrix\": [{\"row\", \"column\", \"name\", \"text\"}, ...], \"coriolis\",\n"
             "\"gravity\", \"shorthand\", \"notation\", \"symbols\": [{\"name\", \"value\", \"unit\", \"meaning\"},\n"
             "...], \"check\"}; rows and columns count from 0.\n",
    .example = "pinion equations models/planar-2r.json --format latex --document -o arm.tex",
    .options = options,
};
