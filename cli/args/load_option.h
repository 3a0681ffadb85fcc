/* Loading the model that a command line names. */
#ifndef PN_CLI_LOAD_OPTION_H
#define PN_CLI_LOAD_OPTION_H

#include "cli/args/options.h"
#include "pinion/pinion.h"

/* Loads `path` ("-": standard input) with the command's load options; NULL after a message. */
pinion_model *pn_cli_load(const cli_args *args, const char *path);
/* The same, and the text it was read from in new memory, where that is at hand. */
pinion_model *pn_cli_load_text(const cli_args *args, const char *path, char **text, size_t *size);
/* The same, with the points of collisions that are in mesh files; `why` says what is wrong with the first of those that
 * stay without, "" when all were read. */
pinion_model *pn_cli_load_meshes(const cli_args *args, const char *path, char *why, size_t size);
/* "2 collisions in mesh files take no part: WHY" */
void pn_cli_tell_meshes(int left_out, const char *why, char *text, size_t size);
/* Ends the output of a command (NULL: of none): `status`, or CLI_FAILED with a message when stdout could not
 * be written. */
int pn_cli_finish(const char *command, int status);

#endif
