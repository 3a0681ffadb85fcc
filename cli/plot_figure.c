#include <math.h>
#include <stdlib.h>

#include "gnuplot.h"
#include "options.h"
#include "plot.h"
#include "plot_curve.h"

/* 10 to a power, in characters of their own. */
static void put_power(FILE *script, int power)
{
    static const char *const digits[] = {"\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",
                                         "\xe2\x81\xb4", "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7",
                                         "\xe2\x81\xb8", "\xe2\x81\xb9"};
    char number[16];
    snprintf(number, sizeof number, "%d", power);
    fputs("10", script);
    for (const char *s = number; *s; s++) fputs(*s == '-' ? "\xe2\x81\xbb" : digits[*s - '0'], script);
}

/* A logarithmic axis, labelled at powers of ten when it has two or more of them. */
static void put_log_axis(FILE *script, char axis, const cli_figure *figure)
{
    double low = INFINITY, high = 0;
    for (int i = 0; i < figure->series_count; i++) {
        const cli_series *s = &figure->series[i];
        for (int k = 0; k < s->count; k++) {
            double z = axis == 'x' ? s->x[k] : s->y[k];
            if (!pn_cli_plot_shown(s->x[k], s->y[k], figure->x_log, figure->y_log)) continue;
            if (z < low) low = z;
            if (z > high) high = z;
        }
    }
    fprintf(script, "set logscale %c\n", axis);
    if (!(low < high)) return;
    int first = (int)floor(log10(low)), last = (int)ceil(log10(high)), step = 1 + (last - first) / 10;
    if (ceil(log10(low)) + 1 > floor(log10(high))) return;
    fprintf(script, "set %ctics (", axis);
    for (int power = first; power <= last; power++) {
        int is_labelled = (power - first) % step == 0;
        fprintf(script, "%s'", power > first ? ", " : "");
        if (is_labelled) put_power(script, power);
        fprintf(script, "' 1e%d %d", power, is_labelled ? 0 : 1);
        for (int k = 2; step == 1 && last - first <= 6 && k < 10; k++)
            fprintf(script, ", '' %de%d 1", k, power);
    }
    fputs(")\n", script);
}

int pn_cli_plot_figure(const char *command, const char *title, const cli_figure *figure, const char *path)
{
    int count = figure->series_count, rows = (count + 2) / 3;
    size_t *points = calloc((size_t)count + 1, sizeof *points), all = 0;
    if (!points) return pn_cli_plot_memory(command);
    FILE *script = pn_cli_gnuplot_begin(command, path, 640, 420 + 18 * rows);
    if (!script) {
        free(points);
        return CLI_FAILED;
    }
    for (int i = 0; i < count; i++) {
        const cli_series *s = &figure->series[i];
        points[i] = pn_cli_plot_curve(script, i, s->x, s->y, (size_t)s->count, figure->x_log, figure->y_log);
        all += points[i];
    }
    pn_cli_plot_look(script);
    pn_cli_plot_label(script, "title", title);
    pn_cli_plot_label(script, "xlabel", figure->x_label);
    pn_cli_plot_label(script, "ylabel", figure->y_label);
    fputs("set key below Left reverse samplen 2.5 maxcols 3 height 1\nset autoscale xfix\n", script);
    if (figure->x_log) put_log_axis(script, 'x', figure);
    if (figure->y_log) put_log_axis(script, 'y', figure);
    if (figure->equal) fputs("set size ratio -1\n", script);
    if (!all) fputs("set xrange [1:10]\nset yrange [1:10]\n", script);
    for (int i = 0; i < count; i++) {
        const cli_series *s = &figure->series[i];
        pn_cli_plot_entry(script, i, points[i], s->name ? s->name : "", NAME_MAX_SHOWN, i, s->color,
                          s->dashed, s->style);
    }
    fputs(count ? "\n" : "plot NaN notitle\n", script);
    free(points);
    return pn_cli_gnuplot_end(command, script, path);
}
