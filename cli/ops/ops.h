/* pinion ops: what its two files share. */
#ifndef PN_CLI_OPS_H
#define PN_CLI_OPS_H

#include "cli/args/options.h"

/* The options of this command alone. */
enum { OPT_CHAIN = OPT_OWN, OPT_ALL, OPT_SPAN };

/* ops_span.c: the whole of pinion ops --span. */
int pn_cli_ops_span(const cli_args *args);

#endif
