/* Tables of numbers in CSV. The text is taken apart in place: names stay where they are. */
#include "sim/result/csv.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "io/model_io.h"

typedef struct reader {
    char *at;
    int line;         /* of `at` */
    const char *file; /* for messages */
    pinion_error *err;
    pn_csv *csv;
    size_t row_capacity;
} reader;

/* One field of a row: its text ends with '\0' where a comma, a line's end or the file's end was. */
typedef struct field {
    char *text;
    int quoted; /* then it is a name, whatever it looks like */
    int last;   /* of its row */
} field;

static pinion_status out_of_memory(const reader *r)
{
    pn_error_set(r->err, PINION_ERR_MEMORY, r->file, 0, 0, "out of memory");
    return PINION_ERR_MEMORY;
}

#define FAIL(r, line, ...)                                                                                   \
    (pn_error_set((r)->err, PINION_ERR_PARSE, (r)->file, line, 0, __VA_ARGS__), PINION_ERR_PARSE)

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* ---------------------------------------------------------------------------------------------
 * Numbers */

/* Equal but for capital letters; `word` is in small ones. */
static int is_word(const char *text, const char *word)
{
    for (; *text && *word; text++, word++) {
        char c = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
        if (c != *word) return 0;
    }
    return !*text && !*word;
}

int pn_csv_number(const char *text, double *number)
{
    const char *end;
    if (pn_parse_number(text, &end, number)) return *end == '\0';
    const char *word = text + (*text == '+' || *text == '-');
    if (is_word(word, "nan")) {
        *number = NAN;
        return 1;
    }
    if (!is_word(word, "inf") && !is_word(word, "infinity")) return 0;
    *number = *text == '-' ? -INFINITY : INFINITY;
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Fields */

/* Ends the field at `end` and moves on behind what separates it from the next. */
static void end_field(reader *r, field *f, char *end)
{
    char separator = *r->at;
    f->last = separator != ',';
    if (separator) r->at++;
    if (separator == '\n') r->line++;
    *end = '\0';
}

/* A field in quotes, from behind the first; the quotes are taken off. */
static pinion_status read_quoted(reader *r, field *f)
{
    int opened = r->line;
    char *to = f->text = r->at;
    for (;; r->at++) {
        if (*r->at == '\0') return FAIL(r, opened, "a quotation mark opens here and is never closed");
        if (*r->at == '\n') r->line++;
        if (*r->at == '"') {
            r->at++;
            if (*r->at != '"') break;
        }
        *to++ = *r->at;
    }
    while (is_blank(*r->at)) r->at++;
    if (*r->at != ',' && *r->at != '\n' && *r->at != '\0')
        return FAIL(r, r->line,
                    "something follows a closing quotation mark; expected a comma or the line's end");
    end_field(r, f, to);
    return PINION_OK;
}

static pinion_status read_field(reader *r, field *f)
{
    while (is_blank(*r->at)) r->at++;
    f->quoted = *r->at == '"';
    if (f->quoted) {
        r->at++;
        return read_quoted(r, f);
    }
    f->text = r->at;
    r->at += strcspn(r->at, ",\n");
    char *end = r->at;
    while (end > f->text && is_blank(end[-1])) end--;
    end_field(r, f, end);
    return PINION_OK;
}

/* Moves to the next line that has fields: r->at is there, or at the file's end. Empty lines and comments are
 * passed over. */
static void skip_to_row(reader *r)
{
    for (;;) {
        char *line = r->at;
        while (is_blank(*line)) line++;
        if (*line != '\n' && *line != '#') {
            if (*line == '\0') r->at = line;
            return;
        }
        r->at = line + strcspn(line, "\n");
        if (*r->at == '\n') {
            r->at++;
            r->line++;
        }
    }
}

/* ---------------------------------------------------------------------------------------------
 * Rows of numbers */

/* Room for one row more. */
static pinion_status reserve_row(reader *r)
{
    pn_csv *csv = r->csv;
    if (csv->rows < r->row_capacity) return PINION_OK;
    size_t capacity = r->row_capacity ? 2 * r->row_capacity : 64, width = (size_t)csv->columns;
    if (capacity > SIZE_MAX / (sizeof(double) * width)) return out_of_memory(r);
    double *values = realloc(csv->values, capacity * width * sizeof *values);
    if (!values) return out_of_memory(r);
    csv->values = values;
    int *line = realloc(csv->line, capacity * sizeof *line);
    if (!line) return out_of_memory(r);
    csv->line = line;
    r->row_capacity = capacity;
    return PINION_OK;
}

/* The number in a field of the row at `line`; `column` counts from 0. */
static pinion_status read_number(const reader *r, const field *f, int line, int column, double *out)
{
    const char *name = r->csv->name ? r->csv->name[column] : "", *open = *name ? " (" : "",
               *close = *name ? ")" : "";
    if (pn_csv_number(f->text, out)) return PINION_OK;
    if (!*f->text)
        return FAIL(r, line, "column %d%s%.60s%s is empty; expected a number", column + 1, open, name, close);
    return FAIL(r, line, "'%.40s' in column %d%s%.60s%s is not a number, or too large for one", f->text,
                column + 1, open, name, close);
}

/* Reads the row at r->at. */
static pinion_status read_row(reader *r)
{
    pn_csv *csv = r->csv;
    pinion_status status = reserve_row(r);
    if (status != PINION_OK) return status;
    int line = r->line, column = 0;
    double *row = csv->values + csv->rows * (size_t)csv->columns;
    field f = {NULL, 0, 0};
    for (; !f.last; column++) {
        status = read_field(r, &f);
        if (status != PINION_OK) return status;
        if (column == csv->columns) return FAIL(r, line, "more values than %d in a row", column);
        status = read_number(r, &f, line, column, &row[column]);
        if (status != PINION_OK) return status;
    }
    if (column < csv->columns)
        return FAIL(r, line, "%d value%s in a row; expected %d", column, column == 1 ? "" : "s",
                    csv->columns);
    csv->line[csv->rows++] = line;
    return PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * The first row, which says how many columns there are and perhaps their names */

const char *pn_csv_unit(const char *name, size_t *length)
{
    size_t end = strlen(name), open;
    *length = end;
    if (end == 0 || name[end - 1] != ']') return NULL;
    for (open = end - 1; open > 0 && name[open] != '['; open--) continue;
    if (name[open] != '[') return NULL;
    *length = open;
    while (*length > 0 && is_blank(name[*length - 1])) --*length;
    return name + open + 1;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every column has a name of its own. */
static pinion_status check_names(const reader *r, int line)
{
    const pn_csv *csv = r->csv;
    size_t count = (size_t)csv->columns;
    for (int i = 0; i < csv->columns; i++) {
        size_t length;
        pn_csv_unit(csv->name[i], &length);
        if (!*csv->name[i] || (length == 0 && !csv->quoted[i]))
            return FAIL(r, line, "column %d has no name", i + 1);
    }
    char **sorted = malloc(count * sizeof *sorted);
    if (!sorted) return out_of_memory(r);
    memcpy(sorted, csv->name, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_text);
    pinion_status status = PINION_OK;
    for (size_t i = 1; i < count && status == PINION_OK; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            status = FAIL(r, line, "two columns are named '%.60s'; expected each name once", sorted[i]);
    free(sorted);
    return status;
}

/* The first row's fields become names or numbers: names, unless all look like numbers. */
static pinion_status use_first_row(reader *r, const field *fields, int line)
{
    pn_csv *csv = r->csv;
    double ignored;
    int numbers = 0, first_number = -1;
    for (int i = 0; i < csv->columns; i++) {
        if (fields[i].quoted || !pn_csv_number(fields[i].text, &ignored)) continue;
        if (first_number < 0) first_number = i;
        numbers++;
    }
    if (numbers == csv->columns) {
        pinion_status status = reserve_row(r);
        for (int i = 0; i < csv->columns && status == PINION_OK; i++)
            status = read_number(r, &fields[i], line, i, &csv->values[i]);
        if (status != PINION_OK) return status;
        csv->line[0] = line;
        csv->rows = 1;
        return PINION_OK;
    }
    if (numbers)
        return FAIL(r, line, "the first row has names and numbers ('%.40s' in column %d); expected either",
                    fields[first_number].text, first_number + 1);

    csv->name = malloc((size_t)csv->columns * sizeof *csv->name);
    csv->quoted = malloc((size_t)csv->columns * sizeof *csv->quoted);
    if (!csv->name || !csv->quoted) return out_of_memory(r);
    for (int i = 0; i < csv->columns; i++) {
        csv->name[i] = fields[i].text;
        csv->quoted[i] = (char)fields[i].quoted;
    }
    return check_names(r, line);
}

static pinion_status read_first_row(reader *r)
{
    field *fields = NULL, f = {NULL, 0, 0};
    int capacity = 0, line = r->line;
    pinion_status status = PINION_OK;
    while (!f.last && status == PINION_OK) {
        if (r->csv->columns == capacity) {
            capacity = capacity ? 2 * capacity : 32;
            field *grown = realloc(fields, (size_t)capacity * sizeof *grown);
            if (!grown) {
                status = out_of_memory(r);
                break;
            }
            fields = grown;
        }
        status = read_field(r, &f);
        if (status != PINION_OK) break;
        if (r->csv->columns == PN_CSV_COLUMNS_MAX)
            status = FAIL(r, line, "too many columns; expected at most %d", PN_CSV_COLUMNS_MAX);
        else
            fields[r->csv->columns++] = f;
    }
    if (status == PINION_OK) status = use_first_row(r, fields, line);
    free(fields);
    return status;
}

/* ------------------------------------------------------------------------------------------- */

/* Everything, from r->at to the end. */
static pinion_status read_table(reader *r)
{
    skip_to_row(r);
    if (!*r->at) return FAIL(r, 0, "there are no rows in it; expected numbers separated by commas");
    pinion_status status = read_first_row(r);
    while (status == PINION_OK) {
        skip_to_row(r);
        if (!*r->at) break;
        status = read_row(r);
    }
    return status;
}

pinion_status pn_csv_parse(char *text, size_t size, const char *name, pn_csv *out, pinion_error *err)
{
    *out = (pn_csv){0};
    out->text = text;
    reader r = {text, 1, name, err, out, 0};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) r.at += 3;

    /* to C a zero byte would look like the end */
    const char *zero = memchr(text, '\0', size);
    pinion_status status;
    if (zero) {
        for (const char *s = text; s < zero; s++) r.line += *s == '\n';
        status = FAIL(&r, r.line, "a zero byte; expected text");
    } else if (size > INT_MAX - 1) {
        status = FAIL(&r, 0, "too large; expected at most %d MiB", (int)(PN_CSV_SIZE_MAX >> 20));
    } else {
        status = read_table(&r);
    }
    if (status != PINION_OK) pn_csv_free(out);
    return status;
}

pinion_status pn_csv_load(const char *path, pn_csv *out, pinion_error *err)
{
    *out = (pn_csv){0};
    if (!path || !*path) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no file to read was named; expected a path");
        return PINION_ERR_ARGUMENT;
    }
    size_t size = 0;
    pinion_error local;
    if (!err) err = &local;
    char *text = pn_file_read(path, PN_CSV_SIZE_MAX, "a table of numbers", &size, err);
    return text ? pn_csv_parse(text, size, path, out, err) : err->status;
}

void pn_csv_free(pn_csv *csv)
{
    free(csv->name);
    free(csv->quoted);
    free(csv->values);
    free(csv->line);
    free(csv->text);
    *csv = (pn_csv){0};
}

int pn_csv_find(const pn_csv *csv, const char *name)
{
    for (int i = 0; csv->name && i < csv->columns; i++)
        if (strcmp(csv->name[i], name) == 0) return i;

    /* with a unit behind it, if there is one such column only */
    const size_t wanted = strlen(name);
    int found = -1;
    for (int i = 0; csv->name && i < csv->columns; i++) {
        size_t length;
        if (!pn_csv_unit(csv->name[i], &length) || length != wanted) continue;
        if (memcmp(csv->name[i], name, wanted) != 0) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

int pn_csv_is_extra(const char *name)
{
    static const char *const prefix[] = {"energy.",  "target.", "error.", "actuator.",
                                         "contact.", "frame.",  "sensor."};
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (strncmp(name, prefix[i], strlen(prefix[i])) == 0) return 1;
    return strcmp(name, "constraint") == 0;
}
