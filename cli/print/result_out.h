/* Parts of results, and results on standard output. */
#ifndef PN_CLI_RESULT_OUT_H
#define PN_CLI_RESULT_OUT_H

#include "pinion/sim/result.h"

/* Adds a column. CLI_DONE, or CLI_FAILED after a message that names it. */
int pn_cli_add_column(const char *command, pinion_result *r, const char *name, const char *unit);
/* Adds the columns of all coordinates of a kind, "q", "v", "a" or "tau", likewise. */
int pn_cli_add_coordinates(const char *command, pinion_result *r, const pinion_model *m, const char *what);
/* A copy of the columns i with keep[i] nonzero, to be released with pinion_result_free(): what a CSV file
 * shall have. Texts and events, which CSV has no place for, are not copied. NULL when out of memory. */
pinion_result *pn_cli_result_part(const pinion_result *r, const char *keep);
/* Prints the result as CSV. CLI_DONE, or CLI_FAILED after a message. */
int pn_cli_print_result(const char *command, const pinion_result *r);

#endif
