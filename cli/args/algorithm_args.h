/* The library's registry of algorithms, as command lines name what is in it. */
#ifndef PN_CLI_ALGORITHM_ARGS_H
#define PN_CLI_ALGORITHM_ARGS_H

#include "cli/print/json_out.h"
#include "pinion/pinion.h"

/* Some of the problems. */
typedef struct problem_set {
    int has[PINION_PROBLEM_COUNT];
} problem_set;

/* The problem of that name (of a given length), which is also a quantity of `pinion eval`; -1 if none. */
int pn_cli_find_problem(const char *name, size_t length);
/* Reads names separated by commas; NULL means all of them. Returns CLI_DONE or, after a message, CLI_USAGE.
 */
int pn_cli_problems_parse(const char *command, const char *text, problem_set *set);

/* The number of the algorithm of that name; -1 after a message that says which names are near. */
int pn_cli_find_algorithm(const char *command, const char *name);
/* The first algorithm that solves the problem, -1 if there is none; of those that apply to the model unless
 * that is NULL. `err` then says why the first of all does not apply. */
int pn_cli_first_algorithm(int problem, const pinion_model *m, pinion_error *err);

/* The names of all, on stdout with spaces between them, and for help in a line of their own. */
void pn_cli_put_problems(const char *unused);
void pn_cli_put_algorithms(const char *unused);
void pn_cli_print_problems(FILE *stream);

/* An object with the five counts. */
void pn_cli_put_operations(cli_json *j, const char *key, const pinion_operations *o);

#endif
