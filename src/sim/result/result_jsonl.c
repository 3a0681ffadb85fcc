/* Results in JSON lines (docs/results.md): an object with everything but the rows, then an array a row. */
#include "sim/result/result_table.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/csv.h"
#include "io/model_io.h"

/* ---------------------------------------------------------------------------------------------
 * Writing: jansson writes the strings; numbers are written here, with as many digits as they need */

static int append_dump(const char *bytes, size_t size, void *text)
{
    pn_text_bytes(text, bytes, size);
    return 0;
}

static void write_string(pn_text *t, const char *string)
{
    json_t *json = json_string(string); /* it is valid UTF-8: what can fail is memory */
    if (!json || json_dump_callback(json, append_dump, t, JSON_ENCODE_ANY) != 0) t->failed = 1;
    json_decref(json);
}

/* JSON has numbers only for finite ones: null stands for the others. */
static void write_number(pn_text *t, double x)
{
    if (isfinite(x))
        pn_text_number(t, x);
    else
        pn_text_append(t, "null");
}

/* Where a program keeps what it needs to go on, nothing may be lost: the words of CSV. */
static void write_exact(pn_text *t, double x)
{
    if (isfinite(x))
        pn_text_number(t, x);
    else
        pn_text_append(t, isnan(x) ? "\"nan\"" : x < 0 ? "\"-inf\"" : "\"inf\"");
}

static void write_head(pn_text *t, const pinion_result *r)
{
    pn_text_add(t, "{\"pinion_result\": %d, \"texts\": {", PN_RESULT_VERSION);
    for (int i = 0; i < r->texts; i++) {
        pn_text_append(t, i ? ", " : "");
        write_string(t, r->text[i].key);
        pn_text_append(t, ": ");
        write_string(t, r->text[i].text);
    }
    pn_text_append(t, "}, \"numbers\": {");
    for (int i = 0; i < r->number_keys; i++) {
        pn_text_append(t, i ? ", " : "");
        write_string(t, r->numbers[i].key);
        pn_text_append(t, ": [");
        for (int k = 0; k < r->numbers[i].count; k++) {
            pn_text_append(t, k ? ", " : "");
            write_exact(t, r->numbers[i].values[k]);
        }
        pn_text_append(t, "]");
    }
    pn_text_append(t, "}, \"events\": [");
    for (int i = 0; i < r->events; i++) {
        pn_text_append(t, i ? ", {\"t\": " : "{\"t\": ");
        write_number(t, r->event[i].t);
        pn_text_append(t, ", \"text\": ");
        write_string(t, r->event[i].text);
        pn_text_append(t, "}");
    }
    pn_text_append(t, "], \"columns\": [");
    for (int i = 0; i < r->columns; i++) {
        pn_text_append(t, i ? ", {\"name\": " : "{\"name\": ");
        write_string(t, r->column[i].name);
        pn_text_append(t, ", \"unit\": ");
        write_string(t, r->column[i].unit);
        pn_text_append(t, "}");
    }
    pn_text_append(t, "]}\n");
}

char *pn_result_write_jsonl(const pinion_result *r, const char *path, size_t *size, pinion_error *err)
{
    pn_text t = {0};
    write_head(&t, r);
    if (!t.failed && t.length > PN_RESULT_HEAD_MAX) {
        pn_error_set(err, PINION_ERR_UNSUPPORTED, path, 0, 0,
                     "texts and numbers of more than %d MiB; JSON lines has no room for them",
                     (int)(PN_RESULT_HEAD_MAX >> 20));
        pn_text_free(&t);
        return NULL;
    }
    for (size_t row = 0; row < r->rows && !t.failed; row++) {
        for (int i = 0; i < r->columns; i++) {
            pn_text_append(&t, i ? ", " : "[");
            write_number(&t, r->column[i].values[row]);
        }
        pn_text_append(&t, "]\n");
    }
    *size = t.length;
    char *text = pn_text_take(&t);
    if (!text) pn_error_set(err, PINION_ERR_MEMORY, path, 0, 0, "out of memory");
    return text;
}

/* ---------------------------------------------------------------------------------------------
 * Reading */

typedef struct reader {
    pinion_result *r;
    const char *file;
    int line;
    pinion_error *err;
    double *row; /* [columns] */
} reader;

static pinion_status out_of_memory(const reader *d)
{
    pn_error_set(d->err, PINION_ERR_MEMORY, d->file, 0, 0, "out of memory");
    return PINION_ERR_MEMORY;
}

#define FAIL(d, ...)                                                                                         \
    (pn_error_set((d)->err, PINION_ERR_PARSE, (d)->file, (d)->line, 0, __VA_ARGS__), PINION_ERR_PARSE)

/* The value of one line; NULL with `err` filled. */
static json_t *parse_line(const reader *d, const char *line, size_t size)
{
    json_error_t error;
    json_t *json = json_loadb(line, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (json) return json;
    if (json_error_code(&error) == json_error_out_of_memory)
        (void)out_of_memory(d);
    else
        pn_error_set(d->err, PINION_ERR_PARSE, d->file, d->line, error.column, "no JSON: %s", error.text);
    return NULL;
}

/* A number, null for one that is not finite, or a word of CSV; 0 when it is none of these. */
static int number_of(const json_t *json, double *x)
{
    if (json_is_real(json)) {
        *x = json_real_value(json);
        return 1;
    }
    if (json_is_null(json)) {
        *x = NAN;
        return 1;
    }
    return json_is_string(json) && pn_csv_number(json_string_value(json), x);
}

static pinion_status read_texts(const reader *d, json_t *texts)
{
    if (!texts) return PINION_OK;
    if (!json_is_object(texts)) return FAIL(d, "'texts' is no object");
    const char *key;
    json_t *value;
    json_object_foreach(texts, key, value)
    {
        if (!json_is_string(value)) return FAIL(d, "the text '%.60s' is no string", key);
        if (pn_result_key_problem(key)) return FAIL(d, "'%.60s' %s", key, pn_result_key_problem(key));
        pinion_status status = pinion_result_set(d->r, key, json_string_value(value));
        if (status == PINION_ERR_MEMORY) return out_of_memory(d);
        if (status != PINION_OK)
            return FAIL(d, "the text '%.60s' is too long, or there are more than %d", key,
                        PN_RESULT_KEYS_MAX);
    }
    return PINION_OK;
}

static pinion_status read_numbers(const reader *d, json_t *numbers)
{
    if (!numbers) return PINION_OK;
    if (!json_is_object(numbers)) return FAIL(d, "'numbers' is no object");
    const char *key;
    json_t *array;
    json_object_foreach(numbers, key, array)
    {
        if (!json_is_array(array)) return FAIL(d, "the numbers '%.60s' are no array", key);
        if (pn_result_key_problem(key)) return FAIL(d, "'%.60s' %s", key, pn_result_key_problem(key));
        size_t count = json_array_size(array);
        if (count > PN_RESULT_NUMBERS_MAX) return FAIL(d, "the array '%.60s' is too long", key);
        double *values = malloc((count + 1) * sizeof *values);
        if (!values) return out_of_memory(d);
        int fine = 1;
        for (size_t i = 0; i < count && fine; i++) fine = number_of(json_array_get(array, i), &values[i]);
        pinion_status status = fine ? pinion_result_set_numbers(d->r, key, (int)count, values) : PINION_OK;
        free(values);
        if (!fine) return FAIL(d, "the array '%.60s' holds something that is no number", key);
        if (status == PINION_ERR_MEMORY) return out_of_memory(d);
        if (status != PINION_OK) return FAIL(d, "more than %d arrays of numbers", PN_RESULT_KEYS_MAX);
    }
    return PINION_OK;
}

static pinion_status read_events(const reader *d, json_t *events)
{
    if (!events) return PINION_OK;
    if (!json_is_array(events)) return FAIL(d, "'events' is no array");
    for (size_t i = 0; i < json_array_size(events); i++) {
        json_t *event = json_array_get(events, i), *text = json_object_get(event, "text");
        double t;
        if (!json_is_string(text) || !number_of(json_object_get(event, "t"), &t))
            return FAIL(d, "event %d is not as expected: {\"t\": number, \"text\": string}", (int)(i + 1));
        pinion_status status =
            pn_result_read_event(d->r, t, json_string_value(text), d->file, d->line, d->err);
        if (status != PINION_OK) return status;
    }
    return PINION_OK;
}

static pinion_status read_columns(const reader *d, json_t *columns)
{
    if (!json_is_array(columns)) return FAIL(d, "'columns' is missing; expected an array");
    for (size_t i = 0; i < json_array_size(columns); i++) {
        json_t *column = json_array_get(columns, i), *unit = json_object_get(column, "unit");
        const char *name = json_string_value(json_object_get(column, "name"));
        if (!name || (unit && !json_is_string(unit)))
            return FAIL(d, "column %d is not as expected: {\"name\": string, \"unit\": string}",
                        (int)(i + 1));
        pinion_status status =
            pn_result_read_column(d->r, name, unit ? json_string_value(unit) : "", d->file, d->line, d->err);
        if (status != PINION_OK) return status;
    }
    return PINION_OK;
}

/* The first line. */
static pinion_status read_head(reader *d, const char *line, size_t size)
{
    if (size > PN_RESULT_HEAD_MAX)
        return FAIL(d, "the line is too long; expected at most %d MiB", (int)(PN_RESULT_HEAD_MAX >> 20));
    json_t *head = parse_line(d, line, size);
    if (!head) return d->err->status;
    const json_t *version = json_object_get(head, "pinion_result");
    pinion_status status = PINION_OK;
    if (!version)
        status = FAIL(d, "no result; expected an object with the key \"pinion_result\" in the first line");
    else if (!json_is_real(version) || json_real_value(version) != PN_RESULT_VERSION)
        status = FAIL(d, "a result of another version; expected \"pinion_result\": %d", PN_RESULT_VERSION);
    if (status == PINION_OK) status = read_texts(d, json_object_get(head, "texts"));
    if (status == PINION_OK) status = read_numbers(d, json_object_get(head, "numbers"));
    if (status == PINION_OK) status = read_events(d, json_object_get(head, "events"));
    if (status == PINION_OK) status = read_columns(d, json_object_get(head, "columns"));
    json_decref(head);
    if (status != PINION_OK) return status;
    d->row = malloc(((size_t)d->r->columns + 1) * sizeof *d->row);
    return d->row ? PINION_OK : out_of_memory(d);
}

/* Any other line. */
static pinion_status read_row(const reader *d, const char *line, size_t size)
{
    size_t columns = (size_t)d->r->columns;
    if (size > 64 + columns * (PN_NUMBER_MAX + 8))
        return FAIL(d, "the line is too long for %d numbers", (int)columns);
    json_t *array = parse_line(d, line, size);
    if (!array) return d->err->status;
    pinion_status status = PINION_OK;
    if (!json_is_array(array) || json_array_size(array) != columns || columns == 0)
        status = FAIL(d, "the line is no row; expected an array of %d numbers", (int)columns);
    for (size_t i = 0; i < columns && status == PINION_OK; i++)
        if (!number_of(json_array_get(array, i), &d->row[i]))
            status = FAIL(d, "column %d (%.60s) has no number", (int)(i + 1), d->r->column[i].name);
    json_decref(array);
    if (status == PINION_OK && pinion_result_add_row(d->r, d->row) != PINION_OK) status = out_of_memory(d);
    return status;
}

pinion_result *pn_result_read_jsonl(char *text, size_t size, const char *name, pinion_error *err)
{
    pinion_error local;
    reader d = {pinion_result_new(), name, 0, err ? err : &local, NULL};
    pinion_status status = d.r ? PINION_OK : out_of_memory(&d);
    for (const char *at = text, *end = text + size; at < end && status == PINION_OK;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        d.line++;
        if (at + strspn(at, " \t\r") < stop) {
            if (d.row)
                status = read_row(&d, at, (size_t)(stop - at));
            else
                status = read_head(&d, at, (size_t)(stop - at));
        }
        at = stop + 1;
    }
    if (status == PINION_OK && !d.row) status = FAIL(&d, "there is nothing in it; expected a result");
    free(d.row);
    if (status == PINION_OK) return d.r;
    pinion_result_free(d.r);
    return NULL;
}
