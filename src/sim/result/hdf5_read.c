/* Results in HDF5 (docs/results.md), read. The file is untrusted: it is read only as far as it is of the kind
 * that our own files are (hdf5_file.h), and what was read is what was written, by its checksum. */
#include "sim/result/result_table.h"

#include <stdlib.h>
#include <string.h>

#include "io/model_io.h"
#include "sim/result/hdf5_file.h"

#define MEMBERS_MAX (PN_RESULT_COLUMNS_MAX + 100) /* of a group: more than we know may be there */

typedef struct reader {
    pinion_result *r;
    const char *path;
    pinion_error *err;
    pn_h5 file;
    pn_h5_object root;
    pn_h5_group members; /* of the root */
} reader;

/* A part that is not as it should be: what there is to say, unless memory ran out or the file repeats itself.
 */
#define FAIL(d, ...)                                                                                         \
    ((d)->file.no_memory || (d)->file.spent                                                                  \
         ? exhausted(d)                                                                                      \
         : pn_error_set((d)->err, PINION_ERR_PARSE, (d)->path, 0, 0, __VA_ARGS__))

static pinion_status out_of_memory(const reader *d)
{
    return pn_error_set(d->err, PINION_ERR_MEMORY, d->path, 0, 0, "out of memory");
}

static pinion_status exhausted(const reader *d)
{
    if (d->file.no_memory) return out_of_memory(d);
    return pn_error_set(d->err, PINION_ERR_PARSE, d->path, 0, 0,
                        "what it names is larger than the file: some of it has several names");
}

/* New memory for the elements of `d` and `more` bytes; NULL when there is none. */
static void *room_for(reader *d, const pn_h5_data *data, size_t more)
{
    void *room = calloc(1, (size_t)(data->count * data->width) + more);
    if (!room) d->file.no_memory = 1;
    return room;
}

/* ---------------------------------------------------------------------------------------------
 * Elements */

/* The members of a group; 0 when there is none of that name. */
static int read_group(reader *d, const char *name, pn_h5_group *g)
{
    pn_h5_object o;
    *g = (pn_h5_group){NULL, NULL, 0};
    const int fine = pn_h5_object_read(&d->file, pn_h5_group_find(&d->members, name), &o) &&
                     pn_h5_group_read(&d->file, &o, MEMBERS_MAX, g);
    pn_h5_object_free(&o);
    return fine;
}

/* The string of one element; a new one, NULL when it is none. */
static char *read_string(reader *d, const pn_h5_data *data)
{
    if (data->kind != PN_H5_STRING || data->rank != 0 || data->width > PN_RESULT_TEXT_MAX) return NULL;
    char *text = room_for(d, data, 1);
    if (text && pn_h5_read(&d->file, data, text)) return text;
    free(text);
    return NULL;
}

static char *attribute_string(reader *d, const pn_h5_object *o, const char *name)
{
    pn_h5_data data;
    return pn_h5_attribute(o, name, &data) ? read_string(d, &data) : NULL;
}

/* The integer in an attribute; -1 when there is none. */
static int attribute_integer(reader *d, const pn_h5_object *o, const char *name)
{
    pn_h5_data data;
    unsigned char bytes[8] = {0};
    uint64_t value = 0;
    if (!pn_h5_attribute(o, name, &data) || data.kind != PN_H5_INTEGER || data.rank != 0) return -1;
    if (!pn_h5_read(&d->file, &data, bytes)) return -1;
    for (int i = 7; i >= 0; i--) value = value << 8 | bytes[i];
    return value > INT32_MAX ? -1 : (int)value;
}

/* Strings of one size, `*count` of them, each ended by '\0' at a distance of `*stride`. NULL when they are
 * none. */
static char *read_strings(reader *d, uint64_t at, int most, int *count, size_t *stride)
{
    pn_h5_object o;
    pn_h5_data data;
    char *packed = NULL, *all = NULL;
    int fine = pn_h5_object_read(&d->file, at, &o) && pn_h5_dataset(&d->file, &o, &data) &&
               data.kind == PN_H5_STRING && data.rank == 1 && data.count <= (unsigned)most &&
               data.width <= PN_RESULT_NAME_MAX && (packed = room_for(d, &data, 1)) != NULL &&
               pn_h5_read(&d->file, &data, packed);
    if (fine) {
        *count = (int)data.count;
        *stride = data.width + 1;
        all = calloc((size_t)data.count + 1, *stride);
        if (!all) d->file.no_memory = 1;
    }
    for (int i = 0; all && i < *count; i++)
        memcpy(all + (size_t)i * *stride, packed + (size_t)i * data.width, data.width);
    free(packed);
    pn_h5_object_free(&o);
    return all;
}

/* Numbers, at most `most`; a new row of them, NULL when they are none. */
static double *read_numbers_at(reader *d, uint64_t at, uint64_t most, int *count)
{
    pn_h5_object o;
    pn_h5_data data;
    double *values = NULL;
    const int fine = pn_h5_object_read(&d->file, at, &o) && pn_h5_dataset(&d->file, &o, &data) &&
                     data.kind == PN_H5_DOUBLE && data.rank == 1 && data.count <= most &&
                     (values = room_for(d, &data, sizeof *values)) != NULL &&
                     pn_h5_read_doubles(&d->file, &data, values);
    if (fine) *count = (int)data.count;
    pn_h5_object_free(&o);
    if (fine) return values;
    free(values);
    return NULL;
}

/* ---------------------------------------------------------------------------------------------
 * The parts of a result */

/* A text is an attribute of the file, or a dataset when it is long. */
static pinion_status read_text(reader *d, const pn_h5_group *texts, const char *key)
{
    const char *problem = pn_result_key_problem(key);
    if (problem) return FAIL(d, "the key '%.60s' %s", key, problem);
    char *text = attribute_string(d, &d->root, key);
    if (!text) {
        pn_h5_object o;
        pn_h5_data data;
        if (pn_h5_object_read(&d->file, pn_h5_group_find(texts, key), &o) &&
            pn_h5_dataset(&d->file, &o, &data))
            text = read_string(d, &data);
        pn_h5_object_free(&o);
    }
    if (!text) return FAIL(d, "the text '%.60s' is missing, or no string of fixed length", key);
    const pinion_status status = pinion_result_set(d->r, key, text);
    free(text);
    if (status == PINION_ERR_MEMORY) return out_of_memory(d);
    return status == PINION_OK ? status : FAIL(d, "the text '%.60s' is too long", key);
}

static pinion_status read_texts(reader *d)
{
    int count = 0;
    size_t stride = 0;
    pn_h5_group texts;
    char *keys = read_strings(d, pn_h5_group_find(&d->members, "keys"), PN_RESULT_KEYS_MAX, &count, &stride);
    if (!keys) return FAIL(d, "the dataset 'keys' is missing, or no list of strings");
    read_group(d, "texts", &texts);
    pinion_status status = PINION_OK;
    for (int i = 0; i < count && status == PINION_OK; i++)
        status = read_text(d, &texts, keys + (size_t)i * stride);
    pn_h5_group_free(&texts);
    free(keys);
    return status;
}

static pinion_status read_events(reader *d)
{
    pn_h5_group g;
    if (!pn_h5_group_find(&d->members, "events")) return PINION_OK;
    int count = 0, times = -1;
    size_t stride = 0;
    char *text = NULL;
    double *t = NULL;
    pinion_status status = PINION_OK;
    if (!read_group(d, "events", &g) ||
        (text = read_strings(d, pn_h5_group_find(&g, "text"), PN_RESULT_EVENTS_MAX, &count, &stride)) ==
            NULL ||
        (t = read_numbers_at(d, pn_h5_group_find(&g, "t"), PN_RESULT_EVENTS_MAX, &times)) == NULL ||
        times != count)
        status = FAIL(d, "the datasets of 'events' are not as expected: numbers 't', strings 'text'");
    for (int i = 0; i < count && status == PINION_OK; i++)
        status = pn_result_read_event(d->r, t[i], text + (size_t)i * stride, d->path, 0, d->err);
    pn_h5_group_free(&g);
    free(t);
    free(text);
    return status;
}

static pinion_status read_numbers(reader *d)
{
    pn_h5_group g;
    if (!pn_h5_group_find(&d->members, "numbers")) return PINION_OK;
    pinion_status status = PINION_OK;
    if (!read_group(d, "numbers", &g)) status = FAIL(d, "the group 'numbers' cannot be read");
    for (int i = 0; i < g.count && status == PINION_OK; i++) {
        const char *key = g.member[i].name, *problem = pn_result_key_problem(key);
        int count = 0;
        double *values = NULL;
        if (problem)
            status = FAIL(d, "the key '%.60s' %s", key, problem);
        else if ((values = read_numbers_at(d, g.member[i].at, PN_RESULT_NUMBERS_MAX, &count)) == NULL)
            status = FAIL(d, "the numbers '%.60s' are no list of numbers", key);
        else if ((status = pinion_result_set_numbers(d->r, key, count, values)) != PINION_OK)
            status =
                status == PINION_ERR_MEMORY ? out_of_memory(d) : FAIL(d, "too many numbers: '%.60s'", key);
        free(values);
    }
    pn_h5_group_free(&g);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Columns */

typedef struct column {
    const char *link; /* its name in the group */
    char *name, *unit;
    pn_h5_data data; /* of a dataset outside its object */
    pn_h5_object object;
} column;

/* What the dataset of a column says of itself, at the place that it names. */
static pinion_status read_head(reader *d, const pn_h5_member *member, int count, column *columns)
{
    column c = {.link = member->name};
    const int there = pn_h5_object_read(&d->file, member->at, &c.object);
    const int index = there ? attribute_integer(d, &c.object, "index") : -1;
    if (index < 0 || index >= count || columns[index].link) {
        pn_h5_object_free(&c.object);
        return FAIL(d,
                    "'%.60s' in the group 'columns' is no dataset, or lacks an attribute 'index' of its own",
                    c.link);
    }
    c.name = attribute_string(d, &c.object, "name");
    c.unit = attribute_string(d, &c.object, "unit");
    const int stored =
        pn_h5_dataset(&d->file, &c.object, &c.data) && c.data.kind == PN_H5_DOUBLE && c.data.rank == 1;
    if (!c.data.here) pn_h5_object_free(&c.object);
    columns[index] = c;
    if (!stored)
        return FAIL(d, "the column '%.60s' is no list of numbers stored plainly in the file", c.link);
    if (!c.name || !c.unit)
        return FAIL(d, "the column '%.60s' lacks its attributes 'name' and 'unit'", c.link);
    return PINION_OK;
}

static pinion_status read_values(reader *d, const column *columns, int count)
{
    pinion_status status = PINION_OK;
    const uint64_t rows = columns[0].data.count;
    for (int i = 0; i < count && status == PINION_OK; i++) {
        if (columns[i].data.count != rows)
            status =
                FAIL(d, "the column '%.60s' has %llu rows; expected %llu as in the first", columns[i].link,
                     (unsigned long long)columns[i].data.count, (unsigned long long)rows);
        else
            status = pn_result_read_column(d->r, columns[i].name, columns[i].unit, d->path, 0, d->err);
    }
    if (status != PINION_OK) return status;
    if (rows > d->file.size / sizeof(double) / (unsigned)count)
        return FAIL(d, "the columns are larger than the file");
    if (pn_result_set_rows(d->r, (size_t)rows) != PINION_OK) return out_of_memory(d);
    for (int i = 0; i < count && rows; i++)
        if (!pn_h5_read_doubles(&d->file, &columns[i].data, d->r->column[i].values))
            return FAIL(d, "the column '%.60s' cannot be read", columns[i].link);
    return PINION_OK;
}

static pinion_status read_columns(reader *d)
{
    pn_h5_group g;
    if (!pn_h5_group_find(&d->members, "columns")) return FAIL(d, "the group 'columns' is missing");
    if (!read_group(d, "columns", &g) || g.count == 0) {
        pn_h5_group_free(&g);
        return FAIL(d, "the group 'columns' is empty, or cannot be read");
    }
    pinion_status status = PINION_OK;
    column *columns = calloc((size_t)g.count, sizeof *columns);
    if (!columns) status = out_of_memory(d);
    for (int i = 0; i < g.count && status == PINION_OK; i++)
        status = read_head(d, &g.member[i], g.count, columns);
    if (status == PINION_OK) status = read_values(d, columns, g.count);
    for (int i = 0; columns && i < g.count; i++) {
        free(columns[i].name);
        free(columns[i].unit);
        pn_h5_object_free(&columns[i].object);
    }
    free(columns);
    pn_h5_group_free(&g);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * The file */

/* Whether what was read is what was written. */
static pinion_status check_sum(reader *d, int version)
{
    char now[65];
    if (version < PN_RESULT_SUMMED) return PINION_OK;
    char *then = attribute_string(d, &d->root, PN_RESULT_SUM);
    if (then) pn_result_sum(d->r, now);
    const int same = then && strcmp(now, then) == 0;
    free(then);
    return same ? PINION_OK
                : FAIL(d,
                       "damaged: its content does not match its checksum, the attribute '" PN_RESULT_SUM "'");
}

static pinion_status read_file(reader *d)
{
    const char *problem = pn_h5_open(&d->file, d->path);
    if (problem) return FAIL(d, "%s", problem);
    if (!pn_h5_object_read(&d->file, d->file.root, &d->root) ||
        !pn_h5_group_read(&d->file, &d->root, MEMBERS_MAX, &d->members))
        return FAIL(d, "damaged: its first group cannot be read");
    const int version = attribute_integer(d, &d->root, "pinion_result");
    if (version < 0) return FAIL(d, "no result; expected an attribute 'pinion_result'");
    if (version < 1 || version > PN_RESULT_SUMMED)
        return FAIL(d, "a result of version %d; expected 1 or %d", version, PN_RESULT_SUMMED);
    pinion_status status = read_texts(d);
    if (status == PINION_OK) status = read_numbers(d);
    if (status == PINION_OK) status = read_events(d);
    if (status == PINION_OK) status = read_columns(d);
    return status == PINION_OK ? check_sum(d, version) : status;
}

pinion_result *pn_result_read_hdf5(const char *path, pinion_error *err)
{
    reader d = {.r = pinion_result_new(), .path = path, .err = err, .file = {.file = -1}};
    const pinion_status status = d.r ? read_file(&d) : out_of_memory(&d);
    pn_h5_group_free(&d.members);
    pn_h5_object_free(&d.root);
    pn_h5_close(&d.file);
    if (status == PINION_OK) return d.r;
    pinion_result_free(d.r);
    return NULL;
}
