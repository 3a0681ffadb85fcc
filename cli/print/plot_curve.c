#include "cli/print/plot_curve.h"

#include <math.h>
#include <string.h>

#include "cli/print/gnuplot.h"
#include "cli/args/options.h"

enum { POINTS_MAX = 4000 }; /* of a curve: more than a figure can show */

/* The palette of Okabe and Ito, which people of any colour vision can tell apart, less its yellow, which is
 * hard to see on white. Curves beyond it get the same colours again, in another pattern of dashes. */
static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                     "#e69f00", "#56b4e9", "#000000"};
enum { COLORS = sizeof colors / sizeof *colors };

int pn_cli_plot_memory(const char *command)
{
    pn_cli_report(command, "out of memory");
    return CLI_FAILED;
}

int pn_cli_plot_shown(double x, double y, int x_log, int y_log)
{
    return isfinite(x) && isfinite(y) && (!x_log || x > 0) && (!y_log || y > 0);
}

static void put_point(FILE *script, double x, double y)
{
    pn_cli_gnuplot_number(script, x);
    fputc(' ', script);
    pn_cli_gnuplot_number(script, y);
    fputc('\n', script);
}

size_t pn_cli_plot_curve(FILE *script, int number, const double *x, const double *y, size_t count, int x_log,
                         int y_log)
{
    size_t written = 0;
    int gap = 0;
    fprintf(script, "$d%d << EOD\n", number);
    for (size_t i = 0; i < count; i++) {
        if (!pn_cli_plot_shown(x[i], y[i], x_log, y_log)) {
            gap = written > 0;
            continue;
        }
        if (gap) fputc('\n', script);
        gap = 0;
        put_point(script, x[i], y[i]);
        written++;
    }
    fputs("EOD\n", script);
    return written;
}

size_t pn_cli_plot_long_curve(FILE *script, int number, const double *t, const double *y, size_t count)
{
    if (count <= POINTS_MAX) return pn_cli_plot_curve(script, number, t, y, count, 0, 0);
    size_t span = (2 * count + POINTS_MAX - 1) / POINTS_MAX, written = 0;
    int gap = 0;
    fprintf(script, "$d%d << EOD\n", number);
    for (size_t first = 0; first < count; first += span) {
        size_t low = count, high = count, end = first + span < count ? first + span : count;
        for (size_t i = first; i < end; i++) {
            if (!pn_cli_plot_shown(t[i], y[i], 0, 0)) {
                gap = written > 0;
                continue;
            }
            if (low == count || y[i] < y[low]) low = i;
            if (high == count || y[i] > y[high]) high = i;
        }
        if (low == count) continue;
        if (gap) fputc('\n', script);
        gap = 0;
        put_point(script, t[low < high ? low : high], y[low < high ? low : high]);
        if (low != high) put_point(script, t[low < high ? high : low], y[low < high ? high : low]);
        written += 2;
    }
    fputs("EOD\n", script);
    return written;
}

void pn_cli_plot_entry(FILE *script, int number, size_t points, const char *name, int most, int index,
                       int color, int dashed, cli_series_style style)
{
    int place = color > 0 ? color - 1 : index;
    fputs(index ? ", \\\n  " : "plot ", script);
    if (points)
        fprintf(script, "$d%d using 1:2", number);
    else
        fputs("NaN", script);
    fputs(" title ", script);
    pn_cli_gnuplot_string(script, name, most);
    const char *with = style == CLI_POINTS             ? "points"
                       : style == CLI_LINES || !points ? "lines"
                                                       : "linespoints";
    fprintf(script, " with %s lw 1.5 lc rgb '%s'", with, colors[place % COLORS]);
    if (strcmp(with, "points") != 0) fprintf(script, " dt %d", dashed ? 2 : 1 + place / COLORS % 5);
    if (strcmp(with, "lines") != 0) fprintf(script, " pt %d ps 0.7", 1 + place % 13);
}

void pn_cli_plot_look(FILE *script)
{
    fputs("set border 3 lc rgb '#404040' lw 0.75\n"
          "set tics nomirror out scale 0.5 textcolor rgb '#202020'\n"
          "set grid back lt 1 dt solid lc rgb '#e0e0e0' lw 0.5\n"
          "set style data lines\n"
          "set samples 2\n",
          script);
}

void pn_cli_plot_label(FILE *script, const char *axis, const char *label)
{
    if (!label || !*label) return;
    fprintf(script, "set %s ", axis);
    pn_cli_gnuplot_string(script, label, LABEL_MAX_SHOWN);
    fputc('\n', script);
}
