/* What all figures are made of: curves, their place in the legend, labels and looks, as lines of a gnuplot
 * script. */
#ifndef PN_CLI_PLOT_CURVE_H
#define PN_CLI_PLOT_CURVE_H

#include <stdio.h>

#include "cli/report/document.h"

enum {
    NAME_MAX_SHOWN = 40, /* characters of a curve's name */
    LABEL_MAX_SHOWN = 80 /* and of a label of an axis */
};

/* Whether it is a finite point that its axes can show. */
int pn_cli_plot_shown(double x, double y, int x_log, int y_log);
/* Writes a curve as the data $dNUMBER; what is not shown is a gap. Returns how many points it has. */
size_t pn_cli_plot_curve(FILE *script, int number, const double *x, const double *y, size_t count, int x_log,
                         int y_log);
/* The same for a function of time. Of more points than a figure can show, the lowest and the highest of each
 * of many short spans are kept. */
size_t pn_cli_plot_long_curve(FILE *script, int number, const double *t, const double *y, size_t count);

/* The entry of a plot command, the first being index 0, for a curve with that number and that many points
 * (one without keeps its place in the legend), with at most `most` characters of its name. `color` as in
 * cli_series. */
void pn_cli_plot_entry(FILE *script, int number, size_t points, const char *name, int most, int index,
                       int color, int dashed, cli_series_style style);
/* Axes, grid and what else all figures share. */
void pn_cli_plot_look(FILE *script);
/* "xlabel", "ylabel" or "title"; NULL and "" are none. */
void pn_cli_plot_label(FILE *script, const char *axis, const char *label);

/* Says that there is no memory and returns CLI_FAILED. */
int pn_cli_plot_memory(const char *command);

#endif
