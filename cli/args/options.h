/* The command line: a table of options and a description for every command, from which parsing, --help and the
 * shell completions all come. Each command has its own at the end of the file with its entry point; this header has
 * what they are made of. */
#ifndef PN_CLI_OPTIONS_H
#define PN_CLI_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

/* Exit statuses, part of the command's contract. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* The options that several commands take. Those of one command alone have numbers from OPT_OWN on, which other
 * commands use for other options. */
enum {
    OPT_HELP,
    OPT_JSON,
    OPT_ROOT,
    OPT_MIMIC,
    OPT_GRAVITY,
    OPT_STRICT,
    OPT_MODEL_PATH,
    OPT_PACKAGE_PATH,
    OPT_SRDF,
    OPT_XACRO,
    OPT_STATES,
    OPT_PROBLEMS, /* --what: of commands that name problems, not quantities */
    OPT_ALGORITHM,
    OPT_OUTPUT, /* --output and --to: of commands that write a model */
    OPT_TO,
    OPT_TRAJECTORY,
    OPT_FROM,
    OPT_TO_Q, /* also --to: where a motion ends */
    OPT_LINE,
    OPT_FLOATING,
    OPT_PROFILE,
    OPT_BLEND,
    OPT_DURATION,
    OPT_OUTPUT_STEP,
    OPT_RESULT, /* also --output: of commands that write results */
    OPT_REPORT,
    OPT_PLOT,
    OPT_PLOT_COLUMNS,
    OPT_LIMITS_CHECK,
    OPT_OWN
};

#define CLI_OPTIONS 96 /* no command has as many */

typedef int option_id;

/* What an option's value is, which completions and checks need to know. */
typedef enum value_kind {
    VALUE_NONE,
    VALUE_CHOICE,
    VALUE_FILE,
    VALUE_VECTOR,
    VALUE_WHOLE,  /* a whole number, not negative */
    VALUE_NUMBER, /* a finite number */
    VALUE_TEXT,   /* checked by the command, as the next two are */
    VALUE_WORD,   /* one of the option's words */
    VALUE_LIST    /* several of them, separated by commas */
} value_kind;

typedef struct cli_option {
    option_id id;
    const char *name; /* without the dashes */
    char letter;      /* short form, 0 if none */
    value_kind kind;
    int repeats;       /* may be given several times: cli_args.repeated */
    const char *value; /* how help writes the value; for VALUE_CHOICE the choices, separated by '|' */
    const char *help;
    void (*words)(const char *colon); /* prints the words that the value can be, with spaces between them, and
                                         `colon` behind those after which a frame's name follows */
} cli_option;

/* Entries of a command's table of options, which ends with NULL: an option of its own, one that it shares, and lists
 * of these that go together. */
#define OPTION(option, ...) &(const cli_option){.id = OPT_##option, __VA_ARGS__}
#define SHARED(option) &pn_cli_shared[OPT_##option]
#define LOAD_OPTIONS                                                                                      \
    SHARED(ROOT), SHARED(MIMIC), SHARED(GRAVITY), SHARED(STRICT), SHARED(SRDF), SHARED(MODEL_PATH),       \
        SHARED(PACKAGE_PATH), SHARED(XACRO)
#define SAVE_OPTIONS SHARED(OUTPUT), SHARED(TO), SHARED(JSON)
#define MOTION_OPTIONS \
    SHARED(TRAJECTORY), SHARED(FROM), SHARED(TO_Q), SHARED(LINE), SHARED(FLOATING), SHARED(PROFILE), \
        SHARED(BLEND)
#define RESULT_OPTIONS SHARED(RESULT), SHARED(REPORT), PLOT_OPTIONS
#define PLOT_OPTIONS SHARED(PLOT), SHARED(PLOT_COLUMNS), SHARED(JSON)

extern const cli_option pn_cli_shared[OPT_OWN]; /* shared_options.c */

typedef struct cli_args cli_args;

/* What a command takes besides options. */
typedef enum positional_kind {
    TAKES_NOTHING,
    TAKES_MODEL,
    TAKES_OPTIONAL_MODEL,
    TAKES_MODELS, /* any number of them */
    TAKES_FILE,   /* of another kind: words_are */
    TAKES_FILES,  /* any number of these */
    TAKES_WORD, /* one of the command's words */
    TAKES_OPTIONAL_COMMAND
} positional_kind;

typedef struct cli_command {
    const char *name;
    const char *summary; /* one line, for the list of commands */
    int (*run)(const cli_args *);
    positional_kind takes;
    const char *words;     /* of TAKES_WORD, separated by '|', */
    const char *words_are; /* and what they name, "a shell"; of TAKES_FILE and TAKES_FILES: "a RESULT file" */
    const char *second;    /* what a second argument is; NULL: there is none */
    const char *usage;     /* what follows the name */
    const char *about;     /* the paragraphs of --help */
    void (*more)(FILE *);  /* prints what help says behind the options; NULL: nothing */
    const char *example;
    const cli_option *const *options; /* ends with NULL */
} cli_command;

/* One of the values of an option that may be given several times. */
typedef struct repeated_value {
    option_id option;
    const char *value;
} repeated_value;

#define CLI_REPEATED 64
#define CLI_MODELS 4096

struct cli_args {
    const char *program; /* as it was called */
    const cli_command *command;
    const char *value[CLI_OPTIONS]; /* NULL: not given; "" for options without a value */
    const char *positional;         /* NULL: not given */
    const char *second;             /* of commands that take two */
    int model_count;                /* of commands that take any number */
    const char *model[CLI_MODELS];
    int argc; /* what followed the command's name, for results that record it */
    char **argv;
    int repeated_count;
    repeated_value repeated[CLI_REPEATED]; /* in the order of the command line */
};

/* commands.c */
extern const cli_command *const pn_cli_commands[]; /* ends with NULL */
/* The command of that name; NULL after a message that says which names are near. */
const cli_command *pn_cli_find_command(const char *name);

/* Reads what follows the command's name. Returns CLI_DONE or, after a message, CLI_USAGE. */
int pn_cli_parse(const cli_command *command, int argc, char **argv, cli_args *args);
/* The name of an option of the command at hand, without dashes. */
const char *pn_cli_option_name(const cli_args *args, option_id id);
/* Reads "X,Y,Z". Returns 0 when it is not exactly three finite numbers. */
int pn_cli_parse_vector(const char *text, double vector[3]);
/* Reads one finite number. Returns 0 when it is not one. */
int pn_cli_parse_number(const char *text, double *number);
/* Reads a whole number from 0 to 2^64 - 1. Returns 0 when it is not one. */
int pn_cli_parse_whole(const char *text, uint64_t *number);
/* Whether the word is in a list separated by '|'. */
int pn_cli_in_list(const char *list, const char *word);
/* "a, b or c" for a list "a|b|c". Returns `text`. */
const char *pn_cli_list_text(const char *list, char *text, size_t size);
/* Prints the words of such a list with spaces between them. */
void pn_cli_put_list(const char *list);

#endif
