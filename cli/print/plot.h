/* Plain figures for a paper, as SVG or PNG. Drawn by gnuplot; every text is data. */
#ifndef PN_CLI_PLOT_H
#define PN_CLI_PLOT_H

#include "cli/report/document.h"
#include "pinion/sim/result.h"

/* Draws columns of a result over its column "t" (or its first), one panel under the other for each kind and
 * unit.
 * @param columns  names, or what stands before a dot in them ("q", "tau", "energy.kinetic"), separated by
 * commas; NULL: positions, velocities, torques and energies, those that there are, else all columns
 * @param m        whose limits are drawn as lines where they are in sight or near; NULL: none
 * @param path     FILE.svg or FILE.png, written whole or not at all
 * CLI_DONE, or CLI_FAILED after a message. */
int pn_cli_plot_result(const char *command, const pinion_result *r, const char *columns, const pinion_model *m,
                       const char *path);

/* Whether a figure can be drawn there, to be asked before long work: CLI_DONE, CLI_USAGE for a name that does
 * not end in .svg or .png, CLI_FAILED when there is no gnuplot; the last two after a message. */
int pn_cli_plot_check(const char *command, const char *path);
/* Whether a result, which need not have rows yet, has these columns and they fit one figure, likewise:
 * CLI_DONE, else CLI_USAGE after a message (CLI_FAILED when out of memory). */
int pn_cli_plot_columns(const char *command, const pinion_result *r, const char *columns);

#endif
