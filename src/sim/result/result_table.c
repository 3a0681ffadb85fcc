/* The table of a result, with its texts, numbers and events. */
#include "sim/result/result_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "io/model_io.h"

pinion_result *pinion_result_new(void)
{
    return calloc(1, sizeof(pinion_result));
}

void pinion_result_free(pinion_result *r)
{
    if (!r) return;
    for (int i = 0; i < r->texts; i++) {
        free(r->text[i].key);
        free(r->text[i].text);
    }
    for (int i = 0; i < r->number_keys; i++) {
        free(r->numbers[i].key);
        free(r->numbers[i].values);
    }
    for (int i = 0; i < r->columns; i++) {
        free(r->column[i].name);
        free(r->column[i].unit);
        free(r->column[i].values);
    }
    for (int i = 0; i < r->events; i++) free(r->event[i].text);
    free(r->text);
    free(r->numbers);
    free(r->column);
    free(r->event);
    free(r);
}

/* ---------------------------------------------------------------------------------------------
 * Memory */

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

/* Room for one element more in an array; 0 when there is none. */
static int reserve_one(void **array, int count, int *capacity, size_t size)
{
    if (count < *capacity) return 1;
    int wanted = *capacity ? 2 * *capacity : 16;
    void *grown = realloc(*array, (size_t)wanted * size);
    if (!grown) return 0;
    *array = grown;
    *capacity = wanted;
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * What may be stored. Texts are whatever a program, a model or a command line says. Names must be text in
 * every format, keys also names in each. */

static const char *text_problem(const char *text, size_t most, const char *too_long)
{
    if (strlen(text) > most) return too_long;
    while (*text) {
        int length = pn_utf8_length(text);
        if (!length) return "is not valid UTF-8";
        text += length;
    }
    return NULL;
}

const char *pn_result_key_problem(const char *key)
{
    static const char rule[] =
        "is no key; expected a letter, then at most 62 letters, digits, '_', '-' or '.'";
    if (!((*key >= 'a' && *key <= 'z') || (*key >= 'A' && *key <= 'Z'))) return rule;
    size_t length = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
    if (key[length] || length > PN_RESULT_KEY_MAX) return rule;

    /* by this one an HDF5 file says that it is a result */
    if (strcmp(key, "pinion_result") == 0) return "is a reserved key";
    return NULL;
}

const char *pn_result_name_problem(const char *name)
{
    if (!*name) return "is empty";
    return text_problem(name, PN_RESULT_NAME_MAX, "is longer than 1023 bytes");
}

const char *pn_result_unit_problem(const char *unit)
{
    for (const char *s = unit; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == '[' || *s == ']') return "has a bracket or a control character";
    return text_problem(unit, PN_RESULT_UNIT_MAX, "is longer than 63 bytes");
}

const char *pn_result_event_problem(const char *text)
{
    return text_problem(text, PN_RESULT_EVENT_MAX, "is longer than 1023 bytes");
}

/* A copy in which U+FFFD stands for each byte that is no UTF-8; NULL when out of memory or too long. */
static char *copy_clean(const char *text, pinion_status *status)
{
    static const char replacement[] = "\xef\xbf\xbd";
    size_t size = 0;
    for (const char *s = text; *s;) {
        int length = pn_utf8_length(s);
        size += length ? (size_t)length : 3;
        s += length ? length : 1;
    }
    *status = size > PN_RESULT_TEXT_MAX ? PINION_ERR_ARGUMENT : PINION_ERR_MEMORY;
    char *copy = size > PN_RESULT_TEXT_MAX ? NULL : malloc(size + 1), *to = copy;
    if (!copy) return NULL;
    for (const char *s = text; *s;) {
        int length = pn_utf8_length(s);
        size_t step = length ? (size_t)length : 3;
        memcpy(to, length ? s : replacement, step);
        to += step;
        s += length ? length : 1;
    }
    *to = '\0';
    *status = PINION_OK;
    return copy;
}

/* ---------------------------------------------------------------------------------------------
 * Texts */

static int find_text(const pinion_result *r, const char *key)
{
    for (int i = 0; i < r->texts; i++)
        if (strcmp(r->text[i].key, key) == 0) return i;
    return -1;
}

pinion_status pinion_result_set(pinion_result *r, const char *key, const char *text)
{
    if (!r || !key || !text || pn_result_key_problem(key)) return PINION_ERR_ARGUMENT;
    int index = find_text(r, key);
    if (index < 0 && r->texts == PN_RESULT_KEYS_MAX) return PINION_ERR_ARGUMENT;
    pinion_status status;
    char *copy = copy_clean(text, &status);
    if (!copy) return status;
    if (index >= 0) {
        free(r->text[index].text);
        r->text[index].text = copy;
        return PINION_OK;
    }

    char *name = copy_text(key);
    if (!name || !reserve_one((void **)&r->text, r->texts, &r->text_capacity, sizeof *r->text)) {
        free(name);
        free(copy);
        return PINION_ERR_MEMORY;
    }
    r->text[r->texts++] = (pn_result_text){name, copy};
    return PINION_OK;
}

const char *pinion_result_get(const pinion_result *r, const char *key)
{
    int index = r && key ? find_text(r, key) : -1;
    return index < 0 ? NULL : r->text[index].text;
}

int pinion_result_key_count(const pinion_result *r)
{
    return r ? r->texts : 0;
}

const char *pinion_result_key(const pinion_result *r, int index)
{
    return r && index >= 0 && index < r->texts ? r->text[index].key : NULL;
}

pinion_status pinion_result_set_model(pinion_result *r, const pinion_model *m, pinion_error *err)
{
    if (!r || !m) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no %s", r ? "model" : "result");
        return PINION_ERR_ARGUMENT;
    }
    pinion_error local;
    if (!err) err = &local;
    char *text = pinion_save_string(m, PINION_FORMAT_JSON, err);
    if (!text) return err->status;

    char hash[65];
    pn_sha256(text, strlen(text), hash);
    pinion_status status = pinion_result_set(r, "model_name", pinion_model_name(m));
    if (status == PINION_OK) status = pinion_result_set(r, "model_hash", hash);
    if (status == PINION_OK) status = pinion_result_set(r, "model", text);
    pinion_free(text);
    if (status == PINION_ERR_MEMORY)
        pn_error_set(err, status, NULL, 0, 0, "out of memory");
    else if (status != PINION_OK)
        pn_error_set(err, status, NULL, 0, 0,
                     "the model is too large to be stored in a result; expected at most %d MiB",
                     (int)(PN_RESULT_TEXT_MAX >> 20));
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Numbers */

/* Where the key is, or would be; `*there` tells which. */
static int find_numbers(const pinion_result *r, const char *key, int *there)
{
    int i = 0, order = 1;
    while (i < r->number_keys && (order = strcmp(r->numbers[i].key, key)) < 0) i++;
    *there = i < r->number_keys && order == 0;
    return i;
}

pinion_status pinion_result_set_numbers(pinion_result *r, const char *key, int count, const double *numbers)
{
    if (!r || !key || count < 0 || count > PN_RESULT_NUMBERS_MAX || (count && !numbers))
        return PINION_ERR_ARGUMENT;
    if (pn_result_key_problem(key)) return PINION_ERR_ARGUMENT;
    int there, index = find_numbers(r, key, &there);
    if (!there && r->number_keys == PN_RESULT_KEYS_MAX) return PINION_ERR_ARGUMENT;
    double *copy = malloc(((size_t)count + 1) * sizeof *copy);
    if (!copy) return PINION_ERR_MEMORY;
    if (count) memcpy(copy, numbers, (size_t)count * sizeof *copy);
    if (there) {
        free(r->numbers[index].values);
        r->numbers[index].values = copy;
        r->numbers[index].count = count;
        return PINION_OK;
    }

    /* a new key, in its place in the order */
    char *name = copy_text(key);
    if (!name ||
        !reserve_one((void **)&r->numbers, r->number_keys, &r->number_capacity, sizeof *r->numbers)) {
        free(name);
        free(copy);
        return PINION_ERR_MEMORY;
    }
    memmove(r->numbers + index + 1, r->numbers + index,
            (size_t)(r->number_keys - index) * sizeof *r->numbers);
    r->numbers[index] = (pn_result_numbers){name, count, copy};
    r->number_keys++;
    return PINION_OK;
}

const double *pinion_result_numbers(const pinion_result *r, const char *key, int *count)
{
    int there = 0, index = r && key ? find_numbers(r, key, &there) : 0;
    if (count) *count = there ? r->numbers[index].count : 0;
    return there ? r->numbers[index].values : NULL;
}

/* ---------------------------------------------------------------------------------------------
 * Columns */

/* FNV-1a */
static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

pinion_status pn_result_insert_column(pinion_result *r, const char *name, const char *unit, double **values)
{
    if (r->columns == PN_RESULT_COLUMNS_MAX) return PINION_ERR_ARGUMENT;
    if (pn_result_name_problem(name) || pn_result_unit_problem(unit)) return PINION_ERR_ARGUMENT;
    if (pinion_result_find_column(r, name) >= 0) return PINION_ERR_ARGUMENT;
    pn_result_column column = {copy_text(name), copy_text(unit), hash_of(name), NULL};
    column.values = r->rows ? malloc(r->row_capacity * sizeof *column.values) : NULL;
    if (!column.name || !column.unit || (r->rows && !column.values) ||
        !reserve_one((void **)&r->column, r->columns, &r->column_capacity, sizeof *r->column)) {
        free(column.name);
        free(column.unit);
        free(column.values);
        return PINION_ERR_MEMORY;
    }
    r->column[r->columns++] = column;
    if (!r->rows) r->row_capacity = 0; /* the new column has no room yet */
    *values = column.values;
    return PINION_OK;
}

pinion_status pinion_result_add_column(pinion_result *r, const char *name, const char *unit)
{
    double *none;
    if (!r || !name || r->rows) return PINION_ERR_ARGUMENT;
    return pn_result_insert_column(r, name, unit ? unit : "", &none);
}

int pinion_result_column_count(const pinion_result *r)
{
    return r ? r->columns : 0;
}

pinion_status pinion_result_column(const pinion_result *r, int index, pinion_column *out)
{
    if (!r || !out || index < 0 || index >= r->columns) return PINION_ERR_ARGUMENT;
    *out = (pinion_column){r->column[index].name, r->column[index].unit};
    return PINION_OK;
}

int pinion_result_find_column(const pinion_result *r, const char *name)
{
    if (!r || !name) return -1;
    uint32_t hash = hash_of(name);
    for (int i = 0; i < r->columns; i++)
        if (r->column[i].hash == hash && strcmp(r->column[i].name, name) == 0) return i;
    return -1;
}

/* ---------------------------------------------------------------------------------------------
 * Rows */

/* Room for that many rows in every column. Columns that grew before another could not are only larger than
 * needed. */
static pinion_status reserve_rows(pinion_result *r, size_t rows)
{
    if (rows > SIZE_MAX / sizeof(double)) return PINION_ERR_MEMORY;
    for (int i = 0; i < r->columns; i++) {
        double *grown = realloc(r->column[i].values, rows * sizeof *grown);
        if (!grown) return PINION_ERR_MEMORY;
        r->column[i].values = grown;
    }
    r->row_capacity = rows;
    return PINION_OK;
}

pinion_status pinion_result_add_row(pinion_result *r, const double *values)
{
    if (!r || !values || r->columns == 0) return PINION_ERR_ARGUMENT;
    if (r->rows == r->row_capacity) {
        if (r->rows > SIZE_MAX / 4) return PINION_ERR_MEMORY;
        pinion_status status = reserve_rows(r, r->rows ? 2 * r->rows : 64);
        if (status != PINION_OK) return status;
    }
    for (int i = 0; i < r->columns; i++) r->column[i].values[r->rows] = values[i];
    r->rows++;
    return PINION_OK;
}

pinion_status pn_result_set_rows(pinion_result *r, size_t rows)
{
    if (rows == 0) return PINION_OK;
    pinion_status status = reserve_rows(r, rows);
    if (status == PINION_OK) r->rows = rows;
    return status;
}

size_t pinion_result_row_count(const pinion_result *r)
{
    return r ? r->rows : 0;
}

const double *pinion_result_values(const pinion_result *r, int column)
{
    return r && column >= 0 && column < r->columns ? r->column[column].values : NULL;
}

/* ---------------------------------------------------------------------------------------------
 * Events */

pinion_status pinion_result_add_event(pinion_result *r, double t, const char *text)
{
    if (!r || !text || r->events == PN_RESULT_EVENTS_MAX || pn_result_event_problem(text))
        return PINION_ERR_ARGUMENT;
    char *copy = copy_text(text);
    if (!copy || !reserve_one((void **)&r->event, r->events, &r->event_capacity, sizeof *r->event)) {
        free(copy);
        return PINION_ERR_MEMORY;
    }
    r->event[r->events++] = (pn_result_event){t, copy};
    return PINION_OK;
}

int pinion_result_event_count(const pinion_result *r)
{
    return r ? r->events : 0;
}

const char *pinion_result_event(const pinion_result *r, int index, double *t)
{
    if (!r || index < 0 || index >= r->events) return NULL;
    if (t) *t = r->event[index].t;
    return r->event[index].text;
}
