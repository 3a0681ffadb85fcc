/* The part of Featherstone & Orin's study that is about closed loops. */
#ifndef PN_CLI_PAPER_LOOPS_H
#define PN_CLI_PAPER_LOOPS_H

#include "cli/paper/paper.h"

void pn_paper_loops(paper *p);

#endif
