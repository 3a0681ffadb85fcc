/* Linked plots of a result: its columns in groups, and its events. */
#include "cli/report/document_internal.h"
#include "cli/print/ranges.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 20000  /* more than a screen has columns, enough to zoom in */
#define NUMBERS_MAX 6e6 /* of all columns together: what a browser opens without waiting */
#define EVENTS_MAX 2000

/* What the columns of a name's first part are called; `linear` where their unit is one of length or force. */
static const struct {
    const char *prefix, *title, *linear;
} titles[] = {
    {"q", "Positions", "Displacements"},
    {"v", "Velocities", "Velocities"},
    {"a", "Accelerations", "Accelerations"},
    {"tau", "Joint torques", "Joint forces"},
    {"actuator", "Actuator torques", "Actuator forces"},
    {"energy", "Energies", NULL},
    {"power", "Power", NULL},
    {"constraint", "Constraint error", NULL},
    {"contact.count", "Points in contact", NULL},
    {"contact.undetermined", "Forces that are not determined", NULL},
    {"contact.residual", "Residuals of contact, velocities", NULL},
    {"contact.dual", "Residuals of contact, velocities", NULL},
    {"contact.cone", "Residuals of contact, impulses", NULL},
    {"contact.complementarity", "Residuals of contact, energies", NULL},
    {"contact.dissipation", "Residuals of contact, energies", NULL},
    {"error", "Errors", NULL},
};

static int is_linear(const char *unit)
{
    return strcmp(unit, "m") == 0 || strcmp(unit, "N") == 0 || strncmp(unit, "m/", 2) == 0;
}

static int starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "Positions" of "q", with the unit's other word for lengths and forces; NULL where there is none. */
static const char *title_of(const char *name, size_t length, const char *unit)
{
    if (length == 1 && name[0] == 'q' && !*unit) return "Orientations (quaternions)";
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strlen(titles[i].prefix) == length && strncmp(titles[i].prefix, name, length) == 0)
            return titles[i].linear && is_linear(unit) ? titles[i].linear : titles[i].title;
    return NULL;
}

/* The group of a column, in `text`: by the first part of its name, or by a last part that sets it apart,
 * since an error beside what it is an error of would be a flat line. */
static const char *group_of(const pinion_column *column, char *text, size_t size)
{
    /* a target is drawn beside what it is the target of */
    if (starts(column->name, "error.q.")) return "Tracking errors";
    if (starts(column->name, "error.v.")) return "Tracking errors of velocities";
    if (starts(column->name, "error.task."))
        return is_linear(column->unit) ? "Errors of tasks, lengths" : "Errors of tasks, angles";
    const char *name = starts(column->name, "target.") ? column->name + strlen("target.") : column->name;
    const char *dot = strchr(name, '.'), *last = strrchr(name, '.');
    if (last && strcmp(last, ".drift") == 0) return "Energy drift";
    if (last && strcmp(last, ".error") == 0) return "Errors";
    if (last && strcmp(last, ".gap") == 0) return "Gaps of contacts";
    if (starts(name, "contact.") && last) {
        static const struct {
            const char *part, *title;
        } parts[] = {{".force.0", "Contact forces along x"},   {".force.1", "Contact forces along y"},
                     {".force.2", "Contact forces along z"},   {".point.0", "Centres of pressure, x"},
                     {".point.1", "Centres of pressure, y"},   {".point.2", "Centres of pressure, z"},
                     {".zmp.0", "Zero-moment point"},          {".zmp.1", "Zero-moment point"},
                     {".zmp.2", "Zero-moment point"},          {".margin", "Margins of friction"},
                     {".support", "Margin of the zero-moment point in the support polygon"}};
        const size_t length = strlen(name);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            const size_t end = strlen(parts[i].part);
            if (length > end && strcmp(name + length - end, parts[i].part) == 0) return parts[i].title;
        }
    }
    size_t length = dot ? (size_t)(dot - name) : strlen(name);
    const char *title = title_of(name, starts(name, "contact.") ? strlen(name) : length, column->unit);
    if (title) return title;
    /* reactions have six columns a joint: a plot for each joint, of its forces and of its moments */
    if (dot && last != dot) length = (size_t)(last - name);
    snprintf(text, size, "%.*s", (int)(length < size ? length : size - 1), name);
    for (char *s = text; *s; s++)
        if (*s == '.' || *s == '_') *s = ' ';
    if (text[0] >= 'a' && text[0] <= 'z') text[0] = (char)(text[0] - 'a' + 'A');
    return text;
}

/* Whether the numbers can be told apart in single precision: their range is not lost in their size. */
static int fits_float(const double *x, size_t count)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(x[i])) continue;
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    double size = fmax(fabs(low), fabs(high));
    return low <= high && size < 1e37 && (high == low ? size == 0 : high - low > 1e-3 * size && size > 1e-30);
}

/* The numbers of the kept rows. */
static json_t *pack_column(const double *x, const size_t *rows, size_t count)
{
    double *kept = malloc((count + 1) * sizeof *kept);
    float *small = malloc((count + 1) * sizeof *small);
    json_t *value = NULL;
    if (kept && small) {
        for (size_t i = 0; i < count; i++) kept[i] = x[rows[i]];
        if (fits_float(kept, count)) {
            for (size_t i = 0; i < count; i++) small[i] = isfinite(kept[i]) ? (float)kept[i] : NAN;
            value = pn_doc_floats(small, count);
        } else {
            value = pn_doc_doubles(kept, count);
        }
    }
    free(kept);
    free(small);
    return value;
}

/* The rows to show: every n-th, the last one always, and only those whose time goes on. Returns how many. */
static size_t choose_rows(const double *t, size_t count, size_t most, size_t *rows, size_t *stride,
                          size_t *bad)
{
    size_t kept = 0;
    *stride = count > most ? (count + most - 1) / most : 1;
    *bad = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(t[i]) || (kept && t[i] < t[rows[kept - 1]])) {
            ++*bad;
            continue;
        }
        if (i % *stride == 0 || i + 1 == count) rows[kept++] = i;
    }
    return kept;
}

/* Those of a column's limits that there are. */
static void add_limits(cli_document *doc, json_t *entry, const cli_range *of)
{
    if (!isfinite(of->low) && !isfinite(of->high)) return;
    json_t *list = json_array();
    if (isfinite(of->low)) pn_doc_add(doc, list, json_real(of->low));
    if (isfinite(of->high)) pn_doc_add(doc, list, json_real(of->high));
    pn_doc_set(doc, entry, "limits", list);
}

static void add_columns(cli_document *doc, json_t *item, const pinion_result *r, const pinion_model *m, int time,
                        const size_t *rows, size_t count)
{
    cli_range *of = pn_cli_ranges(r, m);
    json_t *list = of ? json_array() : NULL;
    for (int i = 0; i < pinion_result_column_count(r) && list; i++) {
        pinion_column column;
        char group[256];
        if (i == time || pinion_result_column(r, i, &column) != PINION_OK) continue;
        json_t *entry = json_object();
        if (entry) {
            pn_doc_set(doc, entry, "name", pn_doc_text(column.name));
            pn_doc_set(doc, entry, "unit", pn_doc_text(column.unit));
            pn_doc_set(doc, entry, "group", pn_doc_text(group_of(&column, group, sizeof group)));
            if (starts(column.name, "target."))
                pn_doc_set(doc, entry, "target", pn_doc_text(column.name + strlen("target.")));
            add_limits(doc, entry, &of[i]);
            pn_doc_set(doc, entry, "values", pack_column(pinion_result_values(r, i), rows, count));
        }
        pn_doc_add(doc, list, entry);
    }
    pn_doc_set(doc, item, "columns", list);
    free(of);
}

static void add_events(cli_document *doc, json_t *item, const pinion_result *r)
{
    json_t *list = json_array();
    int count = pinion_result_event_count(r);
    for (int i = 0; i < count && i < EVENTS_MAX && list; i++) {
        double t = 0;
        const char *text = pinion_result_event(r, i, &t);
        json_t *entry = text && isfinite(t) ? json_array() : NULL;
        if (!text || !isfinite(t)) continue;
        if (entry) {
            pn_doc_add(doc, entry, json_real(t));
            pn_doc_add(doc, entry, pn_doc_text(text));
        }
        pn_doc_add(doc, list, entry);
    }
    pn_doc_set(doc, item, "events", list);
}

void pn_cli_document_series(cli_document *doc, const pinion_result *r, const pinion_model *m)
{
    if (!doc) return;
    int time = pinion_result_find_column(r, "t"), columns = pinion_result_column_count(r);
    size_t total = pinion_result_row_count(r);
    const double *t = time >= 0 ? pinion_result_values(r, time) : NULL;
    if (!t || total == 0) {
        pn_cli_document_note(doc, total ? "There is no column t to plot the others against."
                                        : "There are no rows to plot.");
        return;
    }

    double room = NUMBERS_MAX / (columns > 0 ? columns : 1);
    size_t most = room < 100 ? 100 : room < ROWS_MAX ? (size_t)room : ROWS_MAX, stride, bad;
    size_t *rows = total < SIZE_MAX / sizeof *rows ? malloc(total * sizeof *rows) : NULL;
    json_t *item = rows ? pn_doc_item(doc, "series") : NULL;
    if (!item) {
        doc->failed = 1;
        free(rows);
        return;
    }
    size_t count = choose_rows(t, total, most, rows, &stride, &bad);
    double *times = malloc((count + 1) * sizeof *times);
    for (size_t i = 0; times && i < count; i++) times[i] = t[rows[i]];
    pn_doc_set(doc, item, "t", times ? pn_doc_doubles(times, count) : NULL);
    add_columns(doc, item, r, m, time, rows, count);
    add_events(doc, item, r);
    free(times);
    free(rows);

    if (stride > 1)
        pn_cli_document_note(
            doc, "The plots show one of %zu rows out of %zu; the result itself has them all.", stride, total);
    if (bad)
        pn_cli_document_note(doc, "%zu row%s whose time is not a number or goes back %s left out.", bad,
                             pn_cli_plural(bad), bad == 1 ? "is" : "are");
    if (pinion_result_event_count(r) > EVENTS_MAX)
        pn_cli_document_note(doc, "The first %d of %d events are shown.", EVENTS_MAX,
                             pinion_result_event_count(r));
}
