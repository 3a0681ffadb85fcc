/* The motion that a command line gives: --trajectory, or --from with --to or --line, and how it is travelled.
 */
#ifndef PN_CLI_MOTION_ARGS_H
#define PN_CLI_MOTION_ARGS_H

#include "cli/args/options.h"
#include "pinion/sim/trajectory.h"

/* Whether the command line gives one: --trajectory, --to or --line. */
int pn_cli_motion_given(const cli_args *args);
/* Checks that the options go together, without the model, and that there is a motion if one is needed.
 * CLI_DONE or, after a message, CLI_USAGE. */
int pn_cli_motion_check(const cli_args *args, int needed);
/* Makes the motion. A generated one lasts --duration, else 1 s.
 * @param start   [nq] where it starts without --from; NULL: --from must be given
 * @param motion  to be released with pinion_trajectory_free()
 * Returns CLI_DONE or, after a message, CLI_USAGE or CLI_FAILED. */
int pn_cli_motion(const cli_args *args, const pinion_model *m, const double *start,
                  pinion_trajectory **motion);

#endif
