/* The command line: one table of options and one of commands, from which parsing, --help and the shell
 * completions all come. */
#ifndef PN_CLI_OPTIONS_H
#define PN_CLI_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

/* Exit statuses, part of the command's contract. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

typedef enum option_id {
    OPT_ROOT,
    OPT_MIMIC,
    OPT_GRAVITY,
    OPT_STATES,
    OPT_WHAT,
    OPT_PROBLEMS, /* also --what: of commands that name problems, not quantities */
    OPT_OPERATORS, /* also --what: of pinion operators */
    OPT_SPARSE,
    OPT_PASSIVE,
    OPT_ALGORITHM,
    OPT_CHAIN,
    OPT_ALL,
    OPT_SEED,
    OPT_OUTPUT,
    OPT_TO,
    OPT_JSON,
    OPT_HELP,
    OPT_COUNT
} option_id;

/* What an option's value is, which completions and checks need to know. */
typedef enum value_kind {
    VALUE_NONE,
    VALUE_CHOICE,
    VALUE_FILE,
    VALUE_VECTOR,
    VALUE_WHOLE, /* a whole number, not negative */
    VALUE_QUANTITIES,
    VALUE_PROBLEMS,
    VALUE_OPERATORS,
    VALUE_ALGORITHM
} value_kind;

typedef struct option_def {
    const char *name; /* without the dashes */
    char letter;      /* short form, 0 if none */
    value_kind kind;
    const char *value; /* how help writes the value; for VALUE_CHOICE the choices, separated by '|' */
    const char *help;
} option_def;

typedef struct cli_args cli_args;

/* What a command takes besides options. */
typedef enum positional_kind {
    TAKES_MODEL,
    TAKES_OPTIONAL_MODEL,
    TAKES_SHELL,
    TAKES_OPTIONAL_COMMAND,
    TAKES_NOTHING,
    TAKES_KIND_AND_COUNT /* of what to generate: two arguments */
} positional_kind;

typedef struct command_def {
    const char *name;
    const char *summary;          /* one line, for the list of commands */
    int (*run)(const cli_args *); /* NULL: not available yet */
    positional_kind takes;
    const char *usage; /* what follows the name */
    const char *about; /* the paragraphs of --help */
    const char *example;
    option_id options[OPT_COUNT + 1]; /* ends with OPT_COUNT */
} command_def;

struct cli_args {
    const char *program; /* as it was called */
    const command_def *command;
    const char *value[OPT_COUNT]; /* NULL: not given; "" for options without a value */
    const char *positional;       /* NULL: not given */
    const char *second;           /* of commands that take two */
};

extern const option_def pn_cli_options[OPT_COUNT];
extern const command_def pn_cli_commands[]; /* ends with a NULL name */

#define SHELLS "bash|zsh|fish"
#define GENERATED "chain|tree"

/* The command of that name; NULL if there is none. */
const command_def *pn_cli_find_command(const char *name);
/* Reads what follows the command's name. Returns CLI_DONE or, after a message, CLI_USAGE. */
int pn_cli_parse(const command_def *command, int argc, char **argv, cli_args *args);
/* Reads "X,Y,Z". Returns 0 when it is not exactly three finite numbers. */
int pn_cli_parse_vector(const char *text, double vector[3]);
/* Reads a whole number from 0 to 2^64 - 1. Returns 0 when it is not one. */
int pn_cli_parse_whole(const char *text, uint64_t *number);
/* Whether the word is in a list separated by '|'. */
int pn_cli_in_list(const char *list, const char *word);
/* "a, b or c" for a list "a|b|c". Returns `text`. */
const char *pn_cli_list_text(const char *list, char *text, size_t size);

/* help.c */
void pn_cli_print_usage(FILE *stream);
void pn_cli_print_help(FILE *stream, const command_def *command);

/* the commands */
int pn_cli_info(const cli_args *args);
int pn_cli_eval(const cli_args *args);
int pn_cli_convert(const cli_args *args);
int pn_cli_demo(const cli_args *args);
int pn_cli_algorithms(const cli_args *args);
int pn_cli_ops(const cli_args *args);
int pn_cli_generate(const cli_args *args);
int pn_cli_operators(const cli_args *args);
int pn_cli_completion(const cli_args *args);
int pn_cli_help(const cli_args *args);

#endif
