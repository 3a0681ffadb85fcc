/* What closes a model's loops, and what mobility is left, for people and for programs. */
#ifndef PN_CLI_INFO_LOOPS_H
#define PN_CLI_INFO_LOOPS_H

#include "cli/info/info.h"

/* The tables of `pinion info`; nothing for a model without loops. What is in doubt of the rank goes to `doubt`, "":
 * nothing. Returns 0 when out of memory. */
int pn_cli_print_loops(const pinion_model *m, cli_style style, char *doubt, size_t size);
/* "loops": [...], and "mobility": {...} where there are some; `doubt` as above */
void pn_cli_put_loops(cli_json *j, const pinion_model *m, char *doubt, size_t size);

/* {"rows", "rank", "redundant", "gruebler", "freedom"} */
void pn_cli_put_mobility(cli_json *j, const pinion_mobility *mobility);

#endif
