/* The options of convert that change a model, and what they do. */
#ifndef PN_CLI_CONVERT_EDIT_H
#define PN_CLI_CONVERT_EDIT_H

#include "cli/args/options.h"
#include "pinion/pinion.h"

enum { OPT_LOCK = OPT_OWN, OPT_ATTACH, OPT_AT, OPT_PREFIX, OPT_SUBTREE, OPT_ADD_FRAME, OPT_RENAME, OPT_SCALE };

/* Whether there is something to do for the next. */
int pn_cli_edits(const cli_args *args);
/* The model with the changes of --subtree, --add-frame, --rename and --scale, in this order; NULL after a message, with
 * the exit status. The given one is gone. */
pinion_model *pn_cli_edit(const cli_args *args, pinion_model *m, int *status);

#endif
