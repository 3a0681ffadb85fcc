#include "cli/print/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/gnuplot.h"
#include "cli/args/options.h"
#include "cli/print/plot_curve.h"
#include "cli/print/ranges.h"

enum {
    PANELS_MAX = 12,
    WIDTH = 900,
    PANEL_HEIGHT = 200,
    KEY_ROWS = 9,      /* names in a column of the legend beside a panel of that height */
    KEY_ROWS_MAX = 60, /* panels grow with their legends, up to here */
    ROW_HEIGHT = 20
};

int pn_cli_plot_check(const char *command, const char *path)
{
    return pn_cli_gnuplot_check(command, path);
}

/* Columns of one kind (what stands before the first dot of their names) and one unit. */
typedef struct panel {
    const pinion_result *r;
    char kind[64];
    const char *unit;
    int *column; /* room for all of the result's */
    int count;
} panel;

typedef struct panels {
    panel panel[PANELS_MAX];
    int count, too_many;
    int time; /* the column of the x axis */
    const cli_range *limits; /* of all columns */
} panels;

static pinion_column column_of(const pinion_result *r, int index)
{
    pinion_column c = {"", ""};
    return pinion_result_column(r, index, &c) == PINION_OK ? c : (pinion_column){"", ""};
}

/* Adds a column to the panel it belongs to, once. Returns 0 when out of memory. */
static int add_column(panels *p, const pinion_result *r, int index)
{
    pinion_column c = column_of(r, index);
    const char *dot = strchr(c.name, '.');
    char kind[sizeof p->panel[0].kind];
    snprintf(kind, sizeof kind, "%.*s", dot ? (int)(dot - c.name) : 0, c.name);
    int i = 0;
    while (i < p->count && (strcmp(p->panel[i].kind, kind) != 0 || strcmp(p->panel[i].unit, c.unit) != 0))
        i++;
    if (i == PANELS_MAX) {
        p->too_many = 1;
        return 1;
    }
    panel *into = &p->panel[i];
    if (i == p->count) {
        into->column = malloc((size_t)pinion_result_column_count(r) * sizeof *into->column);
        if (!into->column) return 0;
        into->r = r;
        memcpy(into->kind, kind, sizeof kind);
        into->unit = c.unit;
        into->count = 0;
        p->count++;
    }
    for (int k = 0; k < into->count; k++)
        if (into->column[k] == index) return 1;
    into->column[into->count++] = index;
    return 1;
}

/* Adds the columns that a word stands for: that of this name, or all whose names go on with a dot. Returns
 * how many, -1 when out of memory. */
static int add_word(panels *p, const pinion_result *r, const char *word, size_t length)
{
    int added = 0;
    for (int i = 0; i < pinion_result_column_count(r); i++) {
        pinion_column c = column_of(r, i);
        if (strncmp(c.name, word, length) != 0 || (c.name[length] && c.name[length] != '.')) continue;
        if (i != p->time && !add_column(p, r, i)) return -1;
        added++;
    }
    return added;
}

/* The columns that were asked for. CLI_DONE, or CLI_FAILED after a message. */
static int choose(const char *command, panels *p, const pinion_result *r, const char *columns)
{
    for (const char *word = columns; *word;) {
        size_t length = strcspn(word, ","), rest = length;
        while (length && (*word == ' ' || *word == '\t')) {
            word++;
            length--;
            rest--;
        }
        while (length && (word[length - 1] == ' ' || word[length - 1] == '\t')) length--;
        int added = length ? add_word(p, r, word, length) : 1;
        if (added < 0) return pn_cli_plot_memory(command);
        if (added == 0) {
            pn_cli_report(command, "the result has no column '%.*s', nor one that starts with it and a dot",
                          (int)length, word);
            return CLI_USAGE;
        }
        word += rest + (word[rest] == ',');
    }
    return CLI_DONE;
}

/* What people want to see first; of a result that has none of it, everything. */
static int choose_default(const char *command, panels *p, const pinion_result *r)
{
    static const char *const usual[] = {"q", "v", "tau", "energy"};
    for (int i = 0; i < 4; i++)
        if (add_word(p, r, usual[i], strlen(usual[i])) < 0) return pn_cli_plot_memory(command);
    if (p->count > 0) return CLI_DONE;
    for (int i = 0; i < pinion_result_column_count(r); i++)
        if (i != p->time && !add_column(p, r, i)) return pn_cli_plot_memory(command);
    return CLI_DONE;
}

/* A unit as it is printed: "N m" and "m/s^2" become N·m and m/s². */
static void put_unit(char *text, size_t size, const char *unit)
{
    size_t to = 0;
    for (const char *s = unit; *s && to + 3 < size; s++) {
        const char *sign = *s == ' '                    ? "\xc2\xb7"
                           : s[0] == '^' && s[1] == '2' ? "\xc2\xb2"
                           : s[0] == '^' && s[1] == '3' ? "\xc2\xb3"
                                                        : NULL;
        if (sign) {
            text[to++] = sign[0];
            text[to++] = sign[1];
            s += *s == '^';
        } else {
            text[to++] = *s;
        }
    }
    text[to] = '\0';
}

/* "position (rad)" */
static void axis_label(char *label, size_t size, const char *what, const char *unit)
{
    char printed[160];
    put_unit(printed, sizeof printed, unit);
    if (*printed)
        snprintf(label, size, "%s%s%s%s", what, *what ? " (" : "", printed, *what ? ")" : "");
    else
        snprintf(label, size, "%s", what);
}

static const char *kind_label(const panel *p)
{
    static const char *const words[][2] = {
        {"q", "position"}, {"v", "velocity"}, {"a", "acceleration"}, {"tau", "torque"}};
    if (strcmp(p->kind, "tau") == 0 && strcmp(p->unit, "N") == 0) return "force";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(p->kind, words[i][0]) == 0) return words[i][1];
    if (*p->kind || p->count != 1) return p->kind;
    return column_of(p->r, p->column[0]).name;
}

/* A column's name without its panel's kind. */
static const char *short_name(const panel *p, int index)
{
    const char *name = column_of(p->r, p->column[index]).name, *dot = *p->kind ? strchr(name, '.') : NULL;
    return dot && dot[1] ? dot + 1 : name;
}

/* How the legends beside the panels are laid out, which all panels share. */
typedef struct legend {
    int rows;     /* of names; what does not fit goes into another column */
    int most;     /* characters of a name */
    double width; /* as a part of the figure's */
} legend;

static legend lay_out(const panels *p)
{
    /* two columns of names at most, unless there are very many: the panels become higher first */
    legend l = {KEY_ROWS, NAME_MAX_SHOWN, 0};
    int curves = 0, longest = 0;
    for (int i = 0; i < p->count; i++)
        if (p->panel[i].count > curves) curves = p->panel[i].count;
    if (curves > 2 * KEY_ROWS) l.rows = (curves + 1) / 2 < KEY_ROWS_MAX ? (curves + 1) / 2 : KEY_ROWS_MAX;

    /* half of the figure at most is for names, of about 7.5 units a character beside 60 for a line */
    int columns = (curves + l.rows - 1) / l.rows, room = (WIDTH / 2 / columns - 60) * 2 / 15;
    if (room < l.most) l.most = room > 3 ? room : 3;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->panel[i].count; k++) {
            int width = pn_cli_width(short_name(&p->panel[i], k));
            if (width > longest) longest = width;
        }
    if (longest > l.most) longest = l.most + 1;
    l.width = columns * (7.5 * longest + 60) / WIDTH;
    return l;
}

/* The first and last instant that are finite. */
static void put_range(FILE *script, const double *t, size_t rows)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < rows; i++) {
        if (!isfinite(t[i])) continue;
        if (t[i] < low) low = t[i];
        if (t[i] > high) high = t[i];
    }
    if (!(low <= high)) low = 0, high = 1;
    if (low == high) {
        double wider = fabs(low) > 1 ? fabs(low) / 2 : 0.5;
        low -= wider;
        high += wider;
    }
    fputs("set xrange [", script);
    pn_cli_gnuplot_number(script, low);
    fputc(':', script);
    pn_cli_gnuplot_number(script, high);
    fputs("]\n", script);
}

/* The data of all panels; points[] tells how many each curve has. */
static void put_data(FILE *script, const panels *p, const pinion_result *r, size_t *points)
{
    const double *t = pinion_result_values(r, p->time);
    int number = 0;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->panel[i].count; k++, number++)
            points[number] =
                pn_cli_plot_long_curve(script, number, t, pinion_result_values(r, p->panel[i].column[k]),
                                       pinion_result_row_count(r));
}

/* The range of what a panel shows; low is above high where that is nothing. */
static cli_range shown_by(const panel *p)
{
    cli_range of = {INFINITY, -INFINITY};
    for (int k = 0; k < p->count; k++) {
        const double *y = pinion_result_values(p->r, p->column[k]);
        for (size_t i = 0; i < pinion_result_row_count(p->r); i++) {
            if (!isfinite(y[i])) continue;
            of.low = fmin(of.low, y[i]);
            of.high = fmax(of.high, y[i]);
        }
    }
    return of;
}

/* About five steps of 1, 2 or 5 times a power of ten on the y axis: gnuplot alone would make twice as many.
 */
static void put_steps(FILE *script, cli_range of)
{
    double span = of.high - of.low, scale = fmax(fabs(of.low), fabs(of.high));
    if (!(span > 1e-9 * scale) || !isfinite(span)) {
        fputs("set ytics autofreq\n", script);
        return;
    }
    double power = pow(10, floor(log10(span / 5))), ratio = span / 5 / power;
    fputs("set ytics ", script);
    pn_cli_gnuplot_number(script, power * (ratio < 1.2 ? 1 : ratio < 2.4 ? 2 : ratio < 6 ? 5 : 10));
    fputc('\n', script);
}

/* One line for a limit that is in sight, or so near that the panel is made to show it. */
static void put_limit(FILE *script, double limit, cli_range data, cli_range *shown, int *lines)
{
    const double span = data.high - data.low;
    if (!isfinite(limit) || limit < data.low - span / 2 || limit > data.high + span / 2) return;
    shown->low = fmin(shown->low, limit);
    shown->high = fmax(shown->high, limit);
    fprintf(script, "set arrow %d from graph 0, first ", ++*lines);
    pn_cli_gnuplot_number(script, limit);
    fputs(" to graph 1, first ", script);
    pn_cli_gnuplot_number(script, limit);
    fputs(" nohead back dashtype 2 linewidth 1 linecolor rgb '#8a8a8a'\n", script);
}

/* The lines of all limits, and the y axis that shows them. */
static void put_limits(FILE *script, const panel *p, const cli_range *limits)
{
    const cli_range data = shown_by(p);
    cli_range shown = data;
    int lines = 0;
    fputs("unset arrow\n", script);
    for (int k = 0; k < p->count; k++) {
        const cli_range of = limits[p->column[k]];
        int known = 0; /* joints of a kind have the same */
        for (int j = 0; j < k; j++)
            known = known || (limits[p->column[j]].low == of.low && limits[p->column[j]].high == of.high);
        if (known) continue;
        put_limit(script, of.low, data, &shown, &lines);
        put_limit(script, of.high, data, &shown, &lines);
    }
    const double margin = 0.05 * (shown.high - shown.low);
    if (shown.low < data.low || shown.high > data.high) {
        fputs("set yrange [", script);
        pn_cli_gnuplot_number(script, shown.low - margin);
        fputc(':', script);
        pn_cli_gnuplot_number(script, shown.high + margin);
        fputs("]\n", script);
    }
    put_steps(script, shown);
}

static void put_panel(FILE *script, const panel *p, const cli_range *limits, int number, const size_t *points, int most,
                      int is_last, const char *x_label)
{
    char label[256];
    size_t all = 0;
    axis_label(label, sizeof label, kind_label(p), p->unit);
    fputs("set label 1 ",
          script); /* a ylabel would stand where the numbers beside it end, in each panel elsewhere */
    pn_cli_gnuplot_string(script, label, LABEL_MAX_SHOWN);
    fputs(" at screen 0.016, graph 0.5 center rotate\n", script);
    for (int k = 0; k < p->count; k++) all += points[number + k];
    fputs(all ? "set autoscale y\n" : "set yrange [-1:1]\n", script);
    put_limits(script, p, limits);
    if (is_last) {
        fputs("set format x '%g'\n", script);
        pn_cli_plot_label(script, "xlabel", x_label);
    }
    for (int k = 0; k < p->count; k++)
        pn_cli_plot_entry(script, number + k, points[number + k], short_name(p, k), most, k, 0, 0, CLI_LINES);
    fputc('\n', script);
}

/* The script after its head. */
static void put_panels(FILE *script, const panels *p, const pinion_result *r, const legend *l,
                       const size_t *points, int height)
{
    char x_label[256];
    pinion_column time = column_of(r, p->time);
    axis_label(x_label, sizeof x_label, strcmp(time.name, "t") == 0 ? "time" : time.name, time.unit);
    pn_cli_plot_look(script);
    put_range(script, pinion_result_values(r, p->time), pinion_result_row_count(r));
    fprintf(script,
            "set key at graph 1.015, graph 1 left top Left reverse samplen 2 spacing 1.1 maxrows %d\n",
            l->rows);
    fputs("set multiplot layout ", script);
    fprintf(script, "%d,1 margins ", p->count);
    double margins[5] = {85.0 / WIDTH, 1 - l->width - 0.01, 56.0 / height, 1 - 12.0 / height, 22.0 / height};
    for (int i = 0; i < 4; i++) {
        if (i) fputc(',', script);
        pn_cli_gnuplot_number(script, margins[i]);
    }
    fputs(" spacing 0,", script);
    pn_cli_gnuplot_number(script, margins[4]);
    fputs("\nset format x ''\n", script);
    for (int i = 0, number = 0; i < p->count; number += p->panel[i].count, i++)
        put_panel(script, &p->panel[i], p->limits, number, points, l->most, i == p->count - 1, x_label);
    fputs("unset multiplot\n", script);
}

static int draw_panels(const char *command, const panels *p, const pinion_result *r, const char *path)
{
    legend l = lay_out(p);
    int curves = 0, height = (PANEL_HEIGHT + ROW_HEIGHT * (l.rows - KEY_ROWS)) * p->count + 68;
    for (int i = 0; i < p->count; i++) curves += p->panel[i].count;
    size_t *points = calloc((size_t)curves + 1, sizeof *points);
    if (!points) return pn_cli_plot_memory(command);
    FILE *script = pn_cli_gnuplot_begin(command, path, WIDTH, height);
    if (script) {
        put_data(script, p, r, points);
        put_panels(script, p, r, &l, points, height);
    }
    free(points);
    return script ? pn_cli_gnuplot_end(command, script, path) : CLI_FAILED;
}

/* The panels of the columns that were chosen; to be released whatever is returned. */
static int make_panels(const char *command, panels *p, const pinion_result *r, const char *columns)
{
    p->time = pinion_result_find_column(r, "t");
    if (p->time < 0) p->time = 0;
    int status = columns ? choose(command, p, r, columns) : choose_default(command, p, r);
    if (status == CLI_DONE && p->too_many) {
        pn_cli_report(
            command, "too many kinds of columns for one figure: choose columns of at most %d kinds and units",
            PANELS_MAX);
        status = CLI_USAGE;
    } else if (status == CLI_DONE && p->count == 0) {
        pn_cli_report(command, "there is nothing to draw: no column beside the time was chosen");
        status = CLI_USAGE;
    }
    return status;
}

static void release_panels(panels *p)
{
    for (int i = 0; i < p->count; i++) free(p->panel[i].column);
}

int pn_cli_plot_columns(const char *command, const pinion_result *r, const char *columns)
{
    panels p = {.count = 0};
    const int status = make_panels(command, &p, r, columns);
    release_panels(&p);
    return status;
}

int pn_cli_plot_result(const char *command, const pinion_result *r, const char *columns, const pinion_model *m,
                       const char *path)
{
    panels p = {.count = 0};
    if (pinion_result_row_count(r) == 0) {
        pn_cli_report(command, "there is nothing to draw: the result has no rows");
        return CLI_FAILED;
    }
    cli_range *limits = pn_cli_ranges(r, m);
    p.limits = limits;
    int status = limits ? make_panels(command, &p, r, columns) : pn_cli_plot_memory(command);
    if (status == CLI_DONE) status = draw_panels(command, &p, r, path);
    release_panels(&p);
    free(limits);
    return status == CLI_DONE ? CLI_DONE : CLI_FAILED;
}
