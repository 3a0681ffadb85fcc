/* Results of sweeps, read (docs/sweeps.md#the-result). The file is untrusted: it is read only as far as it is
 * of the kind that our own files are. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "pinion/sim/sweep.h"
#include "sim/result/hdf5_file.h"

enum { MEMBERS = 4096, COLUMNS = 32768, TEXTS = 5, TEXT_MAX = 64 << 20 };

static const char *const text_keys[TEXTS] = {"plan", "model", "model_name", "model_hash", "pinion_version"};

/* A number a run. */
typedef struct series {
    pinion_sweep_number about;
    char *name, *unit, *lines; /* lines: the words */
    const char **words;
    double *values;
    uint64_t index;
} series;

struct pinion_sweep_result {
    uint64_t runs;
    char *text[TEXTS];
    series *parameter, *scalar;
    int parameters, scalars;
    unsigned char *outcome;
    double *t_end;
    uint64_t failures;
    uint64_t *failure; /* [failures] runs, rising */
    char *why;         /* [failures][PINION_SWEEP_WHY] */
    uint64_t *first;   /* [runs + 1] the first row of each; NULL: no trajectories are kept */
    char *path;
};

typedef struct reader {
    pn_h5 file;
    pn_h5_object root;
    pn_h5_group members;
    pinion_sweep_result *r;
} reader;

/* ------------------------------------------------------------------------------------------------
 * Elements. Each is new memory, NULL when it is not there or not as expected. */

/* Zeros, or the reader knows that memory ran out. */
static void *room(reader *d, uint64_t count, size_t width)
{
    void *memory = calloc((size_t)count + 1, width);
    if (!memory) d->file.no_memory = 1;
    return memory;
}

static char *read_string(reader *d, const pn_h5_data *data)
{
    if (data->kind != PN_H5_STRING || data->rank != 0 || data->width > TEXT_MAX) return NULL;
    char *text = room(d, data->width, 1);
    if (text && pn_h5_read(&d->file, data, text)) return text;
    free(text);
    return NULL;
}

static char *attribute_text(reader *d, const pn_h5_object *o, const char *name)
{
    pn_h5_data data;
    return pn_h5_attribute(o, name, &data) ? read_string(d, &data) : NULL;
}

static int attribute_number(reader *d, const pn_h5_object *o, const char *name, uint64_t *out)
{
    pn_h5_data data;
    unsigned char bytes[8] = {0};
    if (!pn_h5_attribute(o, name, &data) || data.kind != PN_H5_INTEGER || data.rank != 0 || data.width > 8)
        return 0;
    if (!pn_h5_read(&d->file, &data, bytes)) return 0;
    *out = pn_h5_number(bytes, 8);
    return 1;
}

/* The elements of a dataset of one kind and width, `count` of them. */
static void *read_values(reader *d, const pn_h5_object *o, pn_h5_kind kind, size_t width, uint64_t count)
{
    pn_h5_data data;
    void *values = NULL;
    if (pn_h5_dataset(&d->file, o, &data) && data.kind == kind && data.rank == 1 && data.width == width &&
        data.count == count && (values = room(d, count, width)) &&
        !(kind == PN_H5_DOUBLE ? pn_h5_read_doubles(&d->file, &data, values) : pn_h5_read(&d->file, &data, values))) {
        free(values);
        values = NULL;
    }
    return values;
}

static void *read_data(reader *d, uint64_t at, pn_h5_kind kind, size_t width, uint64_t count)
{
    pn_h5_object o;
    void *values = pn_h5_object_read(&d->file, at, &o) ? read_values(d, &o, kind, width, count) : NULL;
    pn_h5_object_free(&o);
    return values;
}

static int read_group(reader *d, const char *name, pn_h5_group *g)
{
    pn_h5_object o;
    *g = (pn_h5_group){NULL, NULL, 0};
    const int fine = pn_h5_object_read(&d->file, pn_h5_group_find(&d->members, name), &o) &&
                     pn_h5_group_read(&d->file, &o, MEMBERS, g);
    pn_h5_object_free(&o);
    return fine;
}

/* ------------------------------------------------------------------------------------------------
 * Parts */

/* A text is an attribute, or a dataset of one string. */
static int read_texts(reader *d)
{
    for (int i = 0; i < TEXTS; i++) {
        char *text = attribute_text(d, &d->root, text_keys[i]);
        pn_h5_object o;
        pn_h5_data data;
        if (!text && pn_h5_object_read(&d->file, pn_h5_group_find(&d->members, text_keys[i]), &o)) {
            if (pn_h5_dataset(&d->file, &o, &data)) text = read_string(d, &data);
            pn_h5_object_free(&o);
        }
        d->r->text[i] = text;
        if (!text) return 0;
    }
    return 1;
}

/* Words, a line each. */
static int split(reader *d, series *s)
{
    int count = 1;
    for (const char *c = s->lines; *c; c++) count += *c == '\n';
    s->words = room(d, (uint64_t)count, sizeof *s->words);
    if (!s->words) return 0;
    char *at = s->lines;
    for (int i = 0; i < count; i++) {
        s->words[i] = at;
        at += strcspn(at, "\n");
        if (*at) *at++ = '\0';
    }
    s->about.words = s->words;
    s->about.word_count = count;
    return 1;
}

static int read_series(reader *d, uint64_t at, series *s)
{
    pn_h5_object o;
    if (!pn_h5_object_read(&d->file, at, &o)) return 0;
    s->name = attribute_text(d, &o, "name");
    s->unit = attribute_text(d, &o, "unit");
    s->lines = attribute_text(d, &o, "words");
    const int fine =
        s->name && s->unit && attribute_number(d, &o, "index", &s->index) && (!s->lines || split(d, s));
    /* of the object that is here: no byte of the file may be read twice */
    s->values = fine ? read_values(d, &o, PN_H5_DOUBLE, 8, d->r->runs) : NULL;
    pn_h5_object_free(&o);
    s->about.name = s->name;
    s->about.unit = s->unit;
    return s->values != NULL;
}

static int by_index(const void *a, const void *b)
{
    const uint64_t x = ((const series *)a)->index, y = ((const series *)b)->index;
    return (x > y) - (x < y);
}

static int read_numbers(reader *d, const char *name, series **all, int *count)
{
    pn_h5_group g;
    int fine = read_group(d, name, &g);
    *all = fine ? room(d, (uint64_t)g.count, sizeof **all) : NULL;
    fine = fine && *all;
    for (int i = 0; i < g.count && fine; i++) fine = read_series(d, g.member[i].at, &(*all)[(*count)++]);
    pn_h5_group_free(&g);
    if (fine && *count > 1) qsort(*all, (size_t)*count, sizeof **all, by_index);
    return fine;
}

static int read_outcomes(reader *d)
{
    pinion_sweep_result *r = d->r;
    pn_h5_group g;
    r->outcome = read_data(d, pn_h5_group_find(&d->members, "outcome"), PN_H5_INTEGER, 1, r->runs);
    r->t_end = read_data(d, pn_h5_group_find(&d->members, "t_end"), PN_H5_DOUBLE, 8, r->runs);
    for (uint64_t i = 0; r->outcome && i < r->runs; i++) {
        if (r->outcome[i] >= PINION_SWEEP_OUTCOME_COUNT) return 0;
        r->failures += r->outcome[i] != PINION_SWEEP_COMPLETE;
    }
    if (!r->outcome || !r->t_end || !read_group(d, "failures", &g)) return 0;
    unsigned char *index = read_data(d, pn_h5_group_find(&g, "index"), PN_H5_INTEGER, 8, r->failures);
    r->why = read_data(d, pn_h5_group_find(&g, "text"), PN_H5_STRING, PINION_SWEEP_WHY, r->failures);
    r->failure = room(d, r->failures, sizeof *r->failure);
    pn_h5_group_free(&g);
    int fine = index && r->why && r->failure;
    for (uint64_t i = 0; i < r->failures && fine; i++) {
        r->failure[i] = pn_h5_number(index + 8 * i, 8);
        r->why[i * PINION_SWEEP_WHY + PINION_SWEEP_WHY - 1] = '\0';
        fine = r->failure[i] < r->runs && (i == 0 || r->failure[i] > r->failure[i - 1]);
    }
    free(index);
    return fine;
}

/* Where the rows of each run begin, as far as there are trajectories. */
static int read_rows(reader *d)
{
    pinion_sweep_result *r = d->r;
    pn_h5_group g;
    if (!pn_h5_group_find(&d->members, "trajectories")) return 1;
    if (!read_group(d, "trajectories", &g)) return 0;
    unsigned char *bytes = read_data(d, pn_h5_group_find(&g, "first"), PN_H5_INTEGER, 8, r->runs + 1);
    pn_h5_group_free(&g);
    r->first = bytes ? room(d, r->runs, sizeof *r->first) : NULL;
    int fine = r->first != NULL;
    for (uint64_t i = 0; i <= r->runs && fine; i++) {
        r->first[i] = pn_h5_number(bytes + 8 * i, 8);
        fine = r->first[i] <= d->file.size && (i == 0 ? r->first[i] == 0 : r->first[i] >= r->first[i - 1]);
    }
    free(bytes);
    return fine;
}

static int open_reader(reader *d, const char *path, uint64_t *version)
{
    return !pn_h5_open(&d->file, path) && pn_h5_object_read(&d->file, d->file.root, &d->root) &&
           attribute_number(d, &d->root, "pinion_sweep", version);
}

static void close_reader(reader *d)
{
    pn_h5_group_free(&d->members);
    pn_h5_object_free(&d->root);
    pn_h5_close(&d->file);
}

/* ------------------------------------------------------------------------------------------------ */

int pinion_sweep_is_result(const char *path)
{
    reader d = {.file.file = -1};
    uint64_t version = 0;
    const int is = path && open_reader(&d, path, &version);
    close_reader(&d);
    return is;
}

static int keep_path(reader *d, const char *path)
{
    d->r->path = strdup(path);
    if (!d->r->path) d->file.no_memory = 1;
    return d->r->path != NULL;
}

pinion_sweep_result *pinion_sweep_result_load(const char *path, pinion_error *err)
{
    reader d = {.file.file = -1};
    uint64_t version = 0;
    if (!path) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "the path is missing");
        return NULL;
    }
    d.r = calloc(1, sizeof *d.r);
    const int is = d.r && open_reader(&d, path, &version);
    /* bytes that all runs take are in the file, so that a number of runs that is made up is found out */
    const int fine = is && version == 1 && attribute_number(&d, &d.root, "runs", &d.r->runs) &&
                     d.r->runs <= d.file.size && pn_h5_group_read(&d.file, &d.root, MEMBERS, &d.members) &&
                     read_texts(&d) && read_numbers(&d, "parameters", &d.r->parameter, &d.r->parameters) &&
                     read_numbers(&d, "scalars", &d.r->scalar, &d.r->scalars) && read_outcomes(&d) &&
                     read_rows(&d) && keep_path(&d, path);
    pinion_sweep_result *r = d.r;
    if (!fine) {
        const int memory = !r || d.file.no_memory;
        pn_error_set(err, memory ? PINION_ERR_MEMORY : PINION_ERR_PARSE, path, 0, 0, "%s",
                     memory         ? "out of memory"
                     : !is          ? "is not the result of a sweep"
                     : version != 1 ? "the result of a sweep by another version"
                                    : "the result of a sweep, but damaged");
        pinion_sweep_result_free(r);
        r = NULL;
    }
    close_reader(&d);
    return r;
}

static void free_series(series *s, int count)
{
    for (int i = 0; i < count; i++) {
        free(s[i].name);
        free(s[i].unit);
        free(s[i].lines);
        free(s[i].words);
        free(s[i].values);
    }
    free(s);
}

void pinion_sweep_result_free(pinion_sweep_result *r)
{
    if (!r) return;
    for (int i = 0; i < TEXTS; i++) free(r->text[i]);
    free_series(r->parameter, r->parameters);
    free_series(r->scalar, r->scalars);
    free(r->outcome);
    free(r->t_end);
    free(r->failure);
    free(r->why);
    free(r->first);
    free(r->path);
    free(r);
}

uint64_t pinion_sweep_result_runs(const pinion_sweep_result *r)
{
    return r ? r->runs : 0;
}

const char *pinion_sweep_result_text(const pinion_sweep_result *r, const char *key)
{
    for (int i = 0; r && key && i < TEXTS; i++)
        if (strcmp(text_keys[i], key) == 0) return r->text[i];
    return NULL;
}

int pinion_sweep_result_parameter_count(const pinion_sweep_result *r)
{
    return r ? r->parameters : 0;
}

int pinion_sweep_result_scalar_count(const pinion_sweep_result *r)
{
    return r ? r->scalars : 0;
}

static pinion_status give(const series *s, int count, int index, pinion_sweep_number *out,
                          const double **values)
{
    if (!out || index < 0 || index >= count) return PINION_ERR_ARGUMENT;
    *out = s[index].about;
    if (values) *values = s[index].values;
    return PINION_OK;
}

pinion_status pinion_sweep_result_parameter(const pinion_sweep_result *r, int index, pinion_sweep_number *out,
                                            const double **values)
{
    return r ? give(r->parameter, r->parameters, index, out, values) : PINION_ERR_ARGUMENT;
}

pinion_status pinion_sweep_result_scalar(const pinion_sweep_result *r, int index, pinion_sweep_number *out,
                                         const double **values)
{
    return r ? give(r->scalar, r->scalars, index, out, values) : PINION_ERR_ARGUMENT;
}

const unsigned char *pinion_sweep_result_outcomes(const pinion_sweep_result *r)
{
    return r ? r->outcome : NULL;
}

const double *pinion_sweep_result_ends(const pinion_sweep_result *r)
{
    return r ? r->t_end : NULL;
}

const char *pinion_sweep_result_why(const pinion_sweep_result *r, uint64_t run)
{
    uint64_t low = 0, high = r ? r->failures : 0;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (r->failure[middle] == run) return r->why + middle * PINION_SWEEP_WHY;
        if (r->failure[middle] < run)
            low = middle + 1;
        else
            high = middle;
    }
    return "";
}

/* ------------------------------------------------------------------------------------------------
 * Trajectories */

size_t pinion_sweep_result_row_count(const pinion_sweep_result *r, uint64_t run)
{
    return r && r->first && run < r->runs ? (size_t)(r->first[run + 1] - r->first[run]) : 0;
}

/* A part of a column; its name and unit are those of the series. */
static int read_part(reader *d, uint64_t at, uint64_t first, uint64_t rows, series *s)
{
    pn_h5_object o;
    pn_h5_data data;
    if (!pn_h5_object_read(&d->file, at, &o)) return 0;
    s->name = attribute_text(d, &o, "name");
    s->unit = attribute_text(d, &o, "unit");
    int fine = s->name && s->unit && attribute_number(d, &o, "index", &s->index) &&
               pn_h5_dataset(&d->file, &o, &data) && data.kind == PN_H5_DOUBLE && data.rank == 1 && data.width == 8 &&
               data.count >= rows && first <= data.count - rows;
    s->values = fine ? room(d, rows, sizeof *s->values) : NULL;
    if (s->values) {
        data.at += 8 * first;
        data.count = rows;
        fine = pn_h5_read_doubles(&d->file, &data, s->values);
    }
    pn_h5_object_free(&o);
    return fine && s->values;
}

/* The columns, in their order, as a table. */
static pinion_result *make_table(const series *column, int count, size_t rows)
{
    pinion_result *table = pinion_result_new();
    double *row = calloc((size_t)count + 1, sizeof *row);
    int fine = table && row;
    for (int i = 0; i < count && fine; i++)
        fine = pinion_result_add_column(table, column[i].name, column[i].unit) == PINION_OK;
    for (size_t k = 0; k < rows && fine; k++) {
        for (int i = 0; i < count; i++) row[i] = column[i].values[k];
        fine = pinion_result_add_row(table, row) == PINION_OK;
    }
    free(row);
    if (fine) return table;
    pinion_result_free(table);
    return NULL;
}

static pinion_result *read_trajectory(reader *d, const pinion_sweep_result *r, uint64_t run)
{
    pn_h5_group all, columns = {NULL, NULL, 0};
    pn_h5_object o;
    pinion_result *table = NULL;
    const size_t rows = pinion_sweep_result_row_count(r, run);
    if (!read_group(d, "trajectories", &all)) return NULL;
    const int found = pn_h5_object_read(&d->file, pn_h5_group_find(&all, "columns"), &o) &&
                      pn_h5_group_read(&d->file, &o, COLUMNS, &columns);
    pn_h5_object_free(&o);
    series *column = found ? room(d, (uint64_t)columns.count, sizeof *column) : NULL;
    int read = 0, fine = column != NULL;
    for (; read < columns.count && fine; read++)
        fine = read_part(d, columns.member[read].at, r->first[run], rows, &column[read]);
    if (fine && columns.count > 1) qsort(column, (size_t)columns.count, sizeof *column, by_index);
    if (fine && !(table = make_table(column, columns.count, rows))) d->file.no_memory = 1;
    free_series(column, read);
    pn_h5_group_free(&columns);
    pn_h5_group_free(&all);
    return table;
}

pinion_result *pinion_sweep_result_trajectory(const pinion_sweep_result *r, uint64_t run, pinion_error *err)
{
    reader d = {.file.file = -1};
    uint64_t version = 0;
    if (pinion_sweep_result_row_count(r, run) == 0) {
        pn_error_set(err, PINION_ERR_NOT_FOUND, r ? r->path : NULL, 0, 0, "has no rows of that run");
        return NULL;
    }
    pinion_result *table = open_reader(&d, r->path, &version) &&
                                   pn_h5_group_read(&d.file, &d.root, MEMBERS, &d.members)
                               ? read_trajectory(&d, r, run)
                               : NULL;
    if (!table) {
        const int memory = d.file.no_memory;
        pn_error_set(err, memory ? PINION_ERR_MEMORY : PINION_ERR_PARSE, r->path, 0, 0, "%s",
                     memory ? "out of memory" : "its trajectories are damaged");
    }
    close_reader(&d);
    return table;
}
