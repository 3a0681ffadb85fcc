/* Writing the model that a command made, where and how the command line says. */
#ifndef PN_CLI_SAVE_H
#define PN_CLI_SAVE_H

#include "cli/args/options.h"
#include "pinion/pinion.h"

typedef struct cli_target {
    const char *path; /* NULL: standard output */
    pinion_format format;
} cli_target;

/* Reads --output, --to and --json. The format follows from the file's name unless --to is given; `fallback`
 * is that of standard output without --to, PINION_FORMAT_AUTO when that is an error. Returns CLI_DONE or,
 * after a message, CLI_USAGE. */
int pn_cli_save_target(const cli_args *args, pinion_format fallback, cli_target *target);
/* Writes the model, whole or not at all. Returns CLI_DONE or, after a message, CLI_FAILED. */
int pn_cli_save(const cli_args *args, const pinion_model *m, const cli_target *target);

#endif
