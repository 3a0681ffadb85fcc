/* What --help prints. */
#ifndef PN_CLI_HELP_H
#define PN_CLI_HELP_H

#include "cli/args/options.h"

#define HELP_ON_FRAMES \
    "FRAME is a link or a named frame; a comma or backslash in its name is written \\, or \\\\.\n"

/* The list of commands. */
void pn_cli_print_usage(FILE *stream);
/* The help of one. */
void pn_cli_print_help(FILE *stream, const cli_command *command);
/* An entry of a list of quantities, among those below the options. */
void pn_cli_put_quantity(FILE *stream, const char *name, int takes_frame, const char *help);

#endif
