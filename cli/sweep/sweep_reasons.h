/* Why runs of a sweep are not complete, alike ones together. */
#ifndef PN_CLI_SWEEP_REASONS_H
#define PN_CLI_SWEEP_REASONS_H

#include "cli/report/document.h"
#include "pinion/sim/sweep.h"

/* Adds a table of them to the page, the most frequent first. */
void pn_cli_sweep_reasons(cli_document *doc, const pinion_sweep_result *r);

#endif
