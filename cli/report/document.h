/* The document behind an HTML report: text, tables, figures, linked plots and 3-D playback, in sections.
 *
 * Every text is data: the page shows it as it is and never reads it as markup. Running out of memory is
 * remembered, so that only pn_cli_document_write() need be asked whether all went well. */
#ifndef PN_CLI_DOCUMENT_H
#define PN_CLI_DOCUMENT_H

#include "pinion/pinion.h"
#include "pinion/sim/result.h"
#include "cli/print/print_text.h"

typedef struct cli_document cli_document;

/* A new document; subtitle may be NULL. NULL when out of memory: all functions below allow that, and
 * pn_cli_document_write() then says so. */
cli_document *pn_cli_document_new(const char *title, const char *subtitle);
void pn_cli_document_free(cli_document *doc);

/* One row of the table of settings, which stands at the end of the page. */
void pn_cli_document_setting(cli_document *doc, const char *key, const char *text);

/* Starts a section; what is added below goes into it. Before the first call it goes into one without heading.
 * Plots and playback of the same section share their time: moving through one moves through the others. */
void pn_cli_document_section(cli_document *doc, const char *heading);
/* A paragraph. */
void pn_cli_document_text(cli_document *doc, const char *format, ...) CLI_PRINTF(2, 3);
/* A paragraph that stands out: what was assumed, left out, or went wrong. */
void pn_cli_document_note(cli_document *doc, const char *format, ...) CLI_PRINTF(2, 3);

/* A table: `rows` rows of `columns` cells, row by row, the first row being the heading. align has 'l' or 'r'
 * a column; NULL: all 'l'. caption may be NULL. */
void pn_cli_document_table(cli_document *doc, const char *caption, int columns, int rows,
                           const char *const *cells, const char *align);
/* The same from a table that is (or will be) printed; to be called before pn_cli_table_print(), which frees
 * it. A column 'n' is one of notes. */
void pn_cli_document_cli_table(cli_document *doc, const char *caption, const cli_table *t, const char *align);

typedef enum cli_series_style { CLI_LINES = 0, CLI_POINTS, CLI_LINES_AND_POINTS } cli_series_style;

/* A curve of a figure. What is not finite, or not positive on a logarithmic axis, is a gap. */
typedef struct cli_series {
    const char *name;
    int count;
    const double *x, *y; /* x in any order: curves may turn back */
    cli_series_style style;
    int dashed;
    int color; /* 0: by its place among the figure's series; n: the n-th colour, to pair curves */
} cli_series;

typedef struct cli_figure {
    const char *caption;           /* NULL: none */
    const char *x_label, *y_label; /* with the unit: "time (s)"; NULL: none */
    int x_log, y_log;
    int equal; /* one length on x is the same on y, for paths in a plane */
    int series_count;
    const cli_series *series;
} cli_figure;

void pn_cli_document_figure(cli_document *doc, const cli_figure *figure);

/* One number of many runs. */
typedef struct cli_runs_column {
    const char *name, *unit;
    int parameter; /* it varied; 0: it was kept */
    const char *const *words;
    int word_count;
    double low, high;               /* of all runs */
    int bins;
    const uint64_t *histogram;      /* [bins] of all runs, from low to high */
    const double *values;           /* [runs] */
} cli_runs_column;

typedef struct cli_runs {
    uint64_t runs;
    const unsigned char *outcome; /* [runs] */
    const char *const *outcomes;  /* their words, ended by NULL */
    int column_count;
    const cli_runs_column *columns;
    const char *command; /* that makes a run again, before --only N */
    size_t shown;        /* runs on the page at most: of more, so many spread evenly */
    const char *(*why)(const void *user, uint64_t run); /* a run is not complete */
    const void *user;
} cli_runs;

/* Histograms, a scatter plot and parallel coordinates of many runs, which select together. */
void pn_cli_document_runs(cli_document *doc, const cli_runs *runs);

/* A bar a name, from 0 or -1 to 1, with an error (0: none) and the number of its colour. */
typedef struct cli_bar {
    const char *name;
    double value, error;
    int color;
} cli_bar;
void pn_cli_document_bars(cli_document *doc, const char *caption, int count, const cli_bar *bars);

/* Linked plots of a result's columns against its column "t", a plot for each quantity and unit, with its
 * events as marks and the limits of the model, which may be NULL, as lines. Of more rows than a plot can show every
 * n-th is kept, and a note says so. */
void pn_cli_document_series(cli_document *doc, const pinion_result *r, const pinion_model *m);

/* 3-D playback of a motion: count instants t, and q[count][nq]. Of many instants every n-th is kept; instants
 * from the first q that is not finite on are left out, with a note.
 * @param model_path  the model's file, against which the mesh files that it names are found; NULL: unknown.
 * What cannot be found or is too large is drawn from joints and links, and a note says so. */
void pn_cli_document_playback(cli_document *doc, const pinion_model *m, const char *model_path, size_t count,
                              const double *t, const double *q);

/* The same of one of many runs, which is shown when it is chosen. */
void pn_cli_document_replay(cli_document *doc, const pinion_model *m, uint64_t run, size_t count, const double *t,
                            const double *q);
/* Rows of the table that was added last are runs: the first cell is the number, and a click shows it. */
void pn_cli_document_table_runs(cli_document *doc);

/* Folders of packages, between ':', in which meshes are looked for ahead of others; NULL: none. It is not copied. */
void pn_cli_document_packages(cli_document *doc, const char *package_path);

/* The page in new memory; NULL when out of memory, or where this build has no page. */
char *pn_cli_document_page(const cli_document *doc, size_t *size);
int pn_cli_document_has_page(void);
/* Writes the page, whole or not at all. CLI_DONE, or CLI_FAILED after a message. */
int pn_cli_document_write(const char *command, const cli_document *doc, const char *path);
/* Whether this build has the page: CLI_DONE, or CLI_FAILED after a message. For commands that take long to
 * ask before they start. */
int pn_cli_document_available(const char *command);

#endif
