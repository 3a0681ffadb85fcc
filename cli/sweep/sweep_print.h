/* What is said of a sweep. */
#ifndef PN_CLI_SWEEP_PRINT_H
#define PN_CLI_SWEEP_PRINT_H

#include "pinion/sim/sweep.h"

/* How it ended: lines on stderr, or JSON on stdout. `path`: the file. */
void pn_cli_sweep_summary(const char *command, const pinion_sweep_state *state, const char *path, int json);
/* "1 234 567". Returns `text`. */
const char *pn_cli_count_text(uint64_t count, char text[40]);

#endif
