#define _POSIX_C_SOURCE 200809L
#include "cli/args/options.h"

#include "cli/args/near.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ */
/* Lists "a|b|c" */

int pn_cli_in_list(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at;) {
        const char *end = strchr(at, '|');
        size_t here = end ? (size_t)(end - at) : strlen(at);
        if (here == length && memcmp(at, word, length) == 0) return 1;
        at = end ? end + 1 : NULL;
    }
    return 0;
}

const char *pn_cli_list_text(const char *list, char *text, size_t size)
{
    text[0] = '\0';
    for (const char *at = list; at;) {
        const char *end = strchr(at, '|');
        int length = end ? (int)(end - at) : (int)strlen(at), last = end && !strchr(end + 1, '|');
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%.*s%s", length, at, !end ? "" : last ? " or " : ", ");
        at = end ? end + 1 : NULL;
    }
    return text;
}

void pn_cli_put_list(const char *list)
{
    for (; *list; list++) putchar(*list == '|' ? ' ' : *list);
}

/* ------------------------------------------------------------------------------------------------ */
/* Values */

/* Reads a finite number that ends at `stop`; where it ended, NULL when it is not one. */
static const char *parse_until(const char *text, char stop, double *number)
{
    /* strtod alone would also take leading spaces, hexadecimal numbers, inf and nan */
    size_t length = strspn(text, "+-.0123456789eE");
    char *end = NULL;
    *number = strtod(text, &end);
    return length && end == text + length && isfinite(*number) && *end == stop ? end : NULL;
}

int pn_cli_parse_number(const char *text, double *number)
{
    return parse_until(text, '\0', number) != NULL;
}

int pn_cli_parse_vector(const char *text, double vector[3])
{
    for (int i = 0; i < 3; i++) {
        const char *end = parse_until(text, i < 2 ? ',' : '\0', &vector[i]);
        if (!end) return 0;
        text = end + 1;
    }
    return 1;
}

int pn_cli_parse_whole(const char *text, uint64_t *number)
{
    /* digits alone: strtoull would also take spaces and signs, and has no end for what is too large */
    size_t length = strspn(text, "0123456789");
    if (length == 0 || text[length]) return 0;
    *number = 0;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (*number > (UINT64_MAX - digit) / 10) return 0;
        *number = 10 * *number + digit;
    }
    return 1;
}

/* Checks a value as far as it can be without the model. */
static int check_value(const char *command, const cli_option *o, const char *value)
{
    char list[200], near_store[200], near[400];
    if (o->kind == VALUE_CHOICE && !pn_cli_in_list(o->value, value)) {
        cli_near found = pn_cli_near(value);
        pn_cli_near_offer_list(&found, o->value, near_store, sizeof near_store);
        pn_cli_report(command, "--%s: expected %s, got '%s'%s", o->name,
                      pn_cli_list_text(o->value, list, sizeof list), value,
                      pn_cli_near_text(&found, near, sizeof near));
        return CLI_USAGE;
    }
    double vector[3];
    if (o->kind == VALUE_VECTOR && !pn_cli_parse_vector(value, vector)) {
        pn_cli_report(command, "--%s: expected three numbers like 0,0,-9.81, got '%s'", o->name, value);
        return CLI_USAGE;
    }
    double number;
    if (o->kind == VALUE_NUMBER && !pn_cli_parse_number(value, &number)) {
        pn_cli_report(command, "--%s: expected a number, got '%s'", o->name, value);
        return CLI_USAGE;
    }
    uint64_t whole;
    if (o->kind == VALUE_WHOLE && !pn_cli_parse_whole(value, &whole)) {
        pn_cli_report(command, "--%s: expected a whole number, got '%s'", o->name, value);
        return CLI_USAGE;
    }
    if (!*value) {
        pn_cli_report(command, "--%s: the value is empty", o->name);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* ------------------------------------------------------------------------------------------------ */
/* Options */

/* The option of the command with that name (of a given length) or letter; NULL if none. */
static const cli_option *find_option(const cli_command *command, const char *name, size_t length, char letter)
{
    for (const cli_option *const *at = command->options; *at; at++) {
        const cli_option *o = *at;
        if (letter ? o->letter == letter : strlen(o->name) == length && memcmp(o->name, name, length) == 0)
            return o;
    }
    return NULL;
}

const char *pn_cli_option_name(const cli_args *args, option_id id)
{
    const cli_option *const *at = args->command->options;
    while (*at && (*at)->id != id) at++;
    return *at ? (*at)->name : "";
}

static int refuse_unknown(const cli_command *command, const char *argument)
{
    /* the name without its dashes and its value */
    char wanted[64], near[400];
    const char *name = argument + strspn(argument, "-");
    snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(name, "="), name);

    cli_near found = pn_cli_near(wanted);
    for (const cli_option *const *o = command->options; *o; o++) pn_cli_near_offer(&found, (*o)->name);
    if (found.count)
        snprintf(near, sizeof near, "did you mean --%s?", found.name[0]);
    else
        snprintf(near, sizeof near, "see 'pinion %s --help'", command->name);
    pn_cli_report(command->name, "unknown option '%s' (%s)", argument, near);
    return CLI_USAGE;
}

/* Reads the option at argv[*at] with its value, and moves *at to the last argument it used. */
static int parse_option(const cli_command *command, int argc, char **argv, int *at, cli_args *args)
{
    const char *argument = argv[*at], *value = NULL;
    const cli_option *o;

    /* --name, --name=value, -o or -ovalue */
    if (argument[1] == '-') {
        size_t length = strcspn(argument + 2, "=");
        o = find_option(command, argument + 2, length, 0);
        if (argument[2 + length] == '=') value = argument + 2 + length + 1;
    } else {
        o = find_option(command, NULL, 0, argument[1]);
        if (argument[2]) value = argument[2] == '=' ? argument + 3 : argument + 2;
    }
    if (!o) return refuse_unknown(command, argument);
    if (o->kind == VALUE_NONE && value) {
        pn_cli_report(command->name, "--%s takes no value, got '%s'", o->name, value);
        return CLI_USAGE;
    }

    /* a value of its own; a following option is a forgotten value, not a file with a strange name */
    if (o->kind != VALUE_NONE && !value) {
        if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0) {
            pn_cli_report(command->name, "--%s needs a value: --%s %s", o->name, o->name, o->value);
            return CLI_USAGE;
        }
        value = argv[++*at];
    }

    if (o->repeats) {
        if (args->repeated_count == CLI_REPEATED) {
            pn_cli_report(command->name, "--%s: more than %d of these", o->name, CLI_REPEATED);
            return CLI_USAGE;
        }
        args->repeated[args->repeated_count++] = (repeated_value){o->id, value};
    } else if (args->value[o->id]) {
        pn_cli_report(command->name, "--%s is given twice", o->name);
        return CLI_USAGE;
    }
    args->value[o->id] = value ? value : "";
    return o->kind == VALUE_NONE ? CLI_DONE : check_value(command->name, o, value);
}

/* Whether help is asked for: it is given whatever else is wrong. */
static int asks_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return 1;
    return 0;
}

/* Checks that the command has what it cannot do without. */
static int check_positional(const cli_args *args)
{
    const cli_command *c = args->command;
    char words[200];
    const char *missing = NULL;
    if (!args->positional && c->takes == TAKES_MODEL) missing = "a MODEL file";
    if (!args->positional && (c->takes == TAKES_FILE || c->takes == TAKES_FILES)) missing = c->words_are;
    if (!args->positional && c->takes == TAKES_WORD) {
        snprintf(words, sizeof words, "%s (%s)", c->words_are, c->words);
        missing = words;
    }
    if (args->positional && !args->second) missing = c->second;
    if (!missing) return CLI_DONE;
    pn_cli_report(c->name, "%s is missing (usage: pinion %s %s)", missing, c->name, c->usage);
    return CLI_USAGE;
}

int pn_cli_parse(const cli_command *command, int argc, char **argv, cli_args *args)
{
    const char *program = args->program;
    memset(args, 0, sizeof *args);
    args->program = program;
    args->command = command;
    args->argc = argc;
    args->argv = argv;
    if (asks_help(argc, argv)) {
        args->value[OPT_HELP] = "";
        return CLI_DONE;
    }

    /* "-" is standard input, and what follows "--" is never an option */
    int options_end = 0;
    for (int i = 0; i < argc; i++) {
        if (!options_end && strcmp(argv[i], "--") == 0) {
            options_end = 1;
        } else if (!options_end && argv[i][0] == '-' && argv[i][1]) {
            int status = parse_option(command, argc, argv, &i, args);
            if (status != CLI_DONE) return status;
        } else if ((command->takes == TAKES_MODELS || command->takes == TAKES_FILES) &&
                   args->model_count < CLI_MODELS) {
            args->model[args->model_count++] = argv[i];
            args->positional = argv[i];
        } else if (!args->positional && command->takes != TAKES_NOTHING) {
            args->positional = argv[i];
        } else if (!args->second && command->second) {
            args->second = argv[i];
        } else {
            const char *last = args->second ? args->second : args->positional;
            pn_cli_report(command->name, "unexpected argument '%s'%s%s%s", argv[i], last ? " after '" : "",
                          last ? last : "", last ? "'" : "");
            return CLI_USAGE;
        }
    }
    return check_positional(args);
}
