/* The page of a sweep's result. */
#ifndef PN_CLI_SWEEP_PAGE_H
#define PN_CLI_SWEEP_PAGE_H

#include "cli/args/options.h"

/* Reads the result and writes the page. The exit status, after a message where that is not 0. */
int pn_cli_sweep_page(const cli_args *args, const char *result, const char *path);

#endif
