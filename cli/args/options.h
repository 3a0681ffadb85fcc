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
    OPT_PROBLEMS,  /* also --what: of commands that name problems, not quantities */
    OPT_OPERATORS, /* also --what: of pinion operators */
    OPT_SPARSE,
    OPT_PASSIVE,
    OPT_ALGORITHM,
    OPT_CHAIN,
    OPT_ALL,
    OPT_SPAN,
    OPT_BENCH,  /* also --what: of pinion bench */
    OPT_CHAINS, /* also --chain: several lengths */
    OPT_TREES,
    OPT_ONLY,
    OPT_BENCH_STATES, /* also --states: how many */
    OPT_BENCH_GENERATED,
    OPT_TIME,
    OPT_THREADS,
    OPT_CSV,
    OPT_SEED,
    OPT_OUTPUT,
    OPT_TO,
    OPT_RESULT, /* also --output: of commands that write results */
    OPT_REPORT,
    OPT_PAGE,   /* also --output: of pinion report */
    OPT_FOLDER, /* also --output: of pinion paper */
    OPT_CODE_FOLDER, /* also --output: of pinion codegen */
    OPT_GENERATED,   /* also --what: of pinion codegen */
    OPT_SCALAR,
    OPT_NAME,
    OPT_F_EXT,
    OPT_LIBM,
    OPT_REASSOCIATE,
    OPT_NO_REGROUPING,
    OPT_NO_ANGLE_SUMS,
    OPT_LIMB_LIMIT,
    OPT_CHECK,
    OPT_FORCE,
    OPT_PLOT,
    OPT_PLOT_COLUMNS,
    OPT_DURATION,
    OPT_OUTPUT_STEP,
    OPT_Q,
    OPT_V,
    OPT_STATE,
    OPT_TRAJECTORY,
    OPT_FROM,
    OPT_TO_Q, /* also --to: where a motion ends */
    OPT_LINE,
    OPT_PROFILE,
    OPT_BLEND,
    OPT_INTEGRATOR,
    OPT_STEP,
    OPT_MAX_STEP,
    OPT_TOLERANCE,
    OPT_RTOL,
    OPT_ATOL,
    OPT_SIM_PASSIVE,   /* also --passive: of commands where it is on unless said otherwise */
    OPT_ID_PASSIVE,    /* also --passive: of pinion id */
    OPT_ID_ALGORITHM,  /* also --algorithm: of pinion id */
    OPT_SIM_ALGORITHM, /* also --algorithm: of pinion sim */
    OPT_MOTION,
    OPT_POWER,
    OPT_REACTIONS,
    OPT_FRICTION_SPEED,
    OPT_STOPS,
    OPT_STABILIZE,
    OPT_ACTUATED,
    OPT_BAUMGARTE,
    OPT_TORQUE,
    OPT_CONTROL,
    OPT_KP,
    OPT_KD,
    OPT_LIMIT_EFFORT,
    OPT_FORCES,
    OPT_EVENT,
    OPT_STOP_WHEN,
    OPT_CHECKPOINT,
    OPT_CHECKPOINT_EVERY,
    OPT_RESUME,
    OPT_FORMAT,      /* of pinion equations, as those down to OPT_TEXT_OUTPUT */
    OPT_EQUATIONS,   /* also --what */
    OPT_DOCUMENT,
    OPT_NUMBERS,
    OPT_MAX_TERMS,
    OPT_TEXT_OUTPUT, /* also --output */
    OPT_QUIET,
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
    VALUE_WHOLE,  /* a whole number, not negative */
    VALUE_NUMBER, /* a finite number */
    VALUE_TEXT,   /* checked by the command */
    VALUE_QUANTITIES,
    VALUE_GENERATED, /* the quantities of pinion codegen */
    VALUE_EQUATIONS, /* those of pinion equations */
    VALUE_PROBLEMS,
    VALUE_OPERATORS,
    VALUE_ALGORITHM
} value_kind;

typedef struct option_def {
    const char *name; /* without the dashes */
    char letter;      /* short form, 0 if none */
    value_kind kind;
    int repeats;       /* may be given several times: cli_args.repeated */
    const char *value; /* how help writes the value; for VALUE_CHOICE the choices, separated by '|' */
    const char *help;
} option_def;

typedef struct cli_args cli_args;

/* What a command takes besides options. */
typedef enum positional_kind {
    TAKES_MODEL,
    TAKES_OPTIONAL_MODEL,
    TAKES_MODELS, /* any number of them */
    TAKES_SHELL,
    TAKES_OPTIONAL_COMMAND,
    TAKES_NOTHING,
    TAKES_KIND_AND_COUNT, /* of what to generate: two arguments */
    TAKES_PAPER,
    TAKES_RESULT
} positional_kind;

typedef struct command_def {
    const char *name;
    const char *summary;          /* one line, for the list of commands */
    int (*run)(const cli_args *);
    positional_kind takes;
    const char *usage; /* what follows the name */
    const char *about; /* the paragraphs of --help */
    const char *example;
    option_id options[OPT_COUNT + 1]; /* ends with OPT_COUNT */
} command_def;

/* One of the values of an option that may be given several times. */
typedef struct repeated_value {
    option_id option;
    const char *value;
} repeated_value;

#define CLI_REPEATED 64
#define CLI_MODELS 32

struct cli_args {
    const char *program; /* as it was called */
    const command_def *command;
    const char *value[OPT_COUNT]; /* NULL: not given; "" for options without a value */
    const char *positional;       /* NULL: not given */
    const char *second;           /* of commands that take two */
    int model_count;              /* of commands that take any number */
    const char *model[CLI_MODELS];
    int argc;                     /* what followed the command's name, for results that record it */
    char **argv;
    int repeated_count;
    repeated_value repeated[CLI_REPEATED]; /* in the order of the command line */
};

extern const option_def pn_cli_options[OPT_COUNT];
extern const command_def pn_cli_commands[]; /* ends with a NULL name */

#define SHELLS "bash|zsh|fish"
#define EQUATIONS "mass_matrix|coriolis|gravity"
#define GENERATED "chain|tree|n-four-bar"
#define PAPERS "saha|provenzano|safeea|featherstone"

/* The command of that name; NULL if there is none. */
const command_def *pn_cli_find_command(const char *name);
/* Reads what follows the command's name. Returns CLI_DONE or, after a message, CLI_USAGE. */
int pn_cli_parse(const command_def *command, int argc, char **argv, cli_args *args);
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
int pn_cli_ops_span(const cli_args *args); /* pinion ops --span */
int pn_cli_bench(const cli_args *args);
int pn_cli_generate(const cli_args *args);
int pn_cli_operators(const cli_args *args);
int pn_cli_id(const cli_args *args);
int pn_cli_sim(const cli_args *args);
int pn_cli_page(const cli_args *args); /* pinion report */
int pn_cli_paper(const cli_args *args);
int pn_cli_codegen(const cli_args *args);
int pn_cli_equations(const cli_args *args);
int pn_cli_completion(const cli_args *args);
int pn_cli_help(const cli_args *args);

#endif
