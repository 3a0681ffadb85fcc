/* The command line as one text, for results that say where they come from. */
#ifndef PN_CLI_COMMAND_LINE_H
#define PN_CLI_COMMAND_LINE_H

#include "cli/args/options.h"

/* "pinion sim robot.json --q0 0,1", quoted as a shell reads it. To be released with free(); NULL when out of
 * memory. */
char *pn_cli_command_line(const cli_args *args);

#endif
