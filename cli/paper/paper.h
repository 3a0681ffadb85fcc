/* What the studies of papers share: each table and figure is printed, written as CSV and shown in the report.
 */
#ifndef PN_CLI_PAPER_H
#define PN_CLI_PAPER_H

#include "cli/report/document.h"
#include "cli/args/options.h"
#include "pinion/sim/sim.h"

/* A study under way. Running out of memory and files that cannot be written are remembered in `failed`, after
 * a message. */
typedef struct paper {
    const cli_args *args;
    const char *command;
    const char *folder; /* where the files go; it exists */
    cli_document *doc;
    cli_style style;
    int quiet; /* --json: nothing but JSON on stdout */
    int failed;
    struct json_t *numbers, *files; /* what --json prints */
} paper;

/* A heading, in the text and in the report. */
void pn_paper_section(paper *p, const char *heading);
/* A paragraph of both. */
void pn_paper_say(paper *p, const char *format, ...) CLI_PRINTF(2, 3);
/* A paragraph of both that stands out: what the paper leaves open or contradicts, and what was assumed. */
void pn_paper_assume(paper *p, const char *format, ...) CLI_PRINTF(2, 3);
/* A number that the study found, for --json. */
void pn_paper_number(paper *p, const char *key, double number);

/* A table, printed, shown, and written as NAME.csv; releases it. The first row is the heading, align as for
 * pn_cli_table_print(). */
void pn_paper_table(paper *p, const char *name, const char *caption, cli_table *t, const char *align);
/* A figure, shown, its numbers written as NAME.csv: a column x, which all series share, and one a series. */
void pn_paper_figure(paper *p, const char *name, const cli_figure *figure);
/* A result, written as NAME.csv, and shown with playback and linked plots where `show`, its model, is not NULL. */
void pn_paper_result(paper *p, const char *name, const pinion_result *r, const pinion_model *show);

/* A bundled model; NULL after a message. */
pinion_model *pn_paper_model(paper *p, const char *file);

/* The studies. Each returns when it is done or has failed. */
void pn_paper_saha(paper *p);
void pn_paper_provenzano(paper *p);
void pn_paper_safeea(paper *p);
void pn_paper_featherstone(paper *p);

#endif
