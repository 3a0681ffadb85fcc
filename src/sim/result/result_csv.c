/* Results in CSV (docs/results.md): a line of names, then rows. Texts, units, events and numbers under keys
 * are not in it. */
#include "sim/result/result_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/csv.h"
#include "io/model_io.h"

/* ---------------------------------------------------------------------------------------------
 * Writing */

static void write_number(pn_text *t, double x)
{
    if (isfinite(x))
        pn_text_number(t, x);
    else
        pn_text_append(t, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
}

/* Whether a reader, ours or another's, could take a name for something else than a name. */
static int needs_quotes(const char *name)
{
    double number;
    const char first = name[0], last = name[strlen(name) - 1];
    if (strpbrk(name, ",\"\r\n") || pn_csv_number(name, &number)) return 1;
    if (strchr(" \t", first) || strchr(" \t", last)) return 1;
    /* a comment, JSON lines, a byte order mark; a unit */
    return strchr("#{\xef", first) || last == ']';
}

/* A name, in quotes where it has to be (RFC 4180). */
static void write_name(pn_text *t, const char *name)
{
    if (!needs_quotes(name)) {
        pn_text_append(t, name);
        return;
    }
    pn_text_append(t, "\"");
    for (const char *s = name; *s; s++) pn_text_bytes(t, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    pn_text_append(t, "\"");
}

char *pn_result_write_csv(const pinion_result *r, const char *path, size_t *size, pinion_error *err)
{
    pn_text t = {0};
    for (int i = 0; i < r->columns; i++) {
        if (i) pn_text_append(&t, ",");
        write_name(&t, r->column[i].name);
    }
    pn_text_append(&t, "\n");
    for (size_t row = 0; row < r->rows && !t.failed; row++) {
        for (int i = 0; i < r->columns; i++) {
            if (i) pn_text_append(&t, ",");
            write_number(&t, r->column[i].values[row]);
        }
        pn_text_append(&t, "\n");
    }
    *size = t.length;
    char *text = pn_text_take(&t);
    if (!text) pn_error_set(err, PINION_ERR_MEMORY, path, 0, 0, "out of memory");
    return text;
}

/* ---------------------------------------------------------------------------------------------
 * Reading */

/* A column by its name in the file. A name in quotes is taken whole: that is how one that ends in brackets is
 * written. */
static pinion_status read_name(pinion_result *r, const pn_csv *csv, int i, const char *file,
                               pinion_error *err)
{
    size_t length;
    const char *unit = pn_csv_unit(csv->name[i], &length);
    if (!unit || csv->quoted[i]) return pn_result_read_column(r, csv->name[i], "", file, 0, err);

    /* both parts end where they are; the bracket behind the unit is the last character */
    char *name = csv->name[i];
    name[strlen(name) - 1] = '\0';
    name[length] = '\0';
    return pn_result_read_column(r, name, unit, file, 0, err);
}

/* Columns and rows. */
static pinion_status read_table(pinion_result *r, const pn_csv *csv, const char *file, pinion_error *err)
{
    pinion_status status = PINION_OK;
    for (int i = 0; i < csv->columns && status == PINION_OK; i++) status = read_name(r, csv, i, file, err);
    if (status != PINION_OK) return status;
    status = pn_result_set_rows(r, csv->rows);
    if (status != PINION_OK) {
        pn_error_set(err, status, file, 0, 0, "out of memory");
        return status;
    }
    for (size_t row = 0; row < csv->rows; row++)
        for (int i = 0; i < csv->columns; i++)
            r->column[i].values[row] = csv->values[row * (size_t)csv->columns + (size_t)i];
    return PINION_OK;
}

pinion_result *pn_result_read_csv(char *text, size_t size, const char *name, pinion_error *err)
{
    pn_csv csv;
    if (pn_csv_parse(text, size, name, &csv, err) != PINION_OK) return NULL;
    pinion_result *r = csv.name ? pinion_result_new() : NULL;
    pinion_status status = csv.name ? PINION_ERR_MEMORY : PINION_ERR_PARSE;
    if (r)
        status = read_table(r, &csv, name, err);
    else if (csv.name)
        pn_error_set(err, status, name, 0, 0, "out of memory");
    else
        pn_error_set(err, status, name, csv.line[0], 0,
                     "the columns have no names; expected them in the first row");
    pn_csv_free(&csv);
    if (status == PINION_OK) return r;
    pinion_result_free(r);
    return NULL;
}
