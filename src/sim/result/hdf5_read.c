/* Results in HDF5 (docs/results.md), read. The file is untrusted: what it holds is followed only through
 * plain links, and read only when it is of the kind, size and storage that our own files have, so that no
 * more is allocated than the file has bytes. The HDF5 library itself reads the file's structure, and is only
 * as robust as it is. */
#define _POSIX_C_SOURCE 200809L

#include "sim/result/result_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/result/hdf5_lock.h"
#include "io/model_io.h"

typedef struct reader {
    pinion_result *r;
    const char *path;
    pinion_error *err;
    hid_t file;
    unsigned long long size; /* of the file, in bytes */
} reader;

static pinion_status out_of_memory(const reader *d)
{
    pn_error_set(d->err, PINION_ERR_MEMORY, d->path, 0, 0, "out of memory");
    return PINION_ERR_MEMORY;
}

#define FAIL(d, ...)                                                                                         \
    (pn_error_set((d)->err, PINION_ERR_PARSE, (d)->path, 0, 0, __VA_ARGS__), PINION_ERR_PARSE)

/* ---------------------------------------------------------------------------------------------
 * Elements */

/* Opens the dataset of that name, which must be in this file; H5I_INVALID_HID when there is none. */
static hid_t open_data(hid_t group, const char *name)
{
    H5L_info_t link;
    if (H5Lget_info(group, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        return H5I_INVALID_HID;
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object >= 0 && H5Iget_type(object) == H5I_DATASET) return object;
    H5Oclose(object);
    return H5I_INVALID_HID;
}

static hid_t open_group(const reader *d, const char *name)
{
    H5L_info_t link;
    if (H5Lget_info(d->file, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        return H5I_INVALID_HID;
    hid_t object = H5Oopen(d->file, name, H5P_DEFAULT);
    if (object >= 0 && H5Iget_type(object) == H5I_GROUP) return object;
    H5Oclose(object);
    return H5I_INVALID_HID;
}

/* Whether the values are in this file, as they are: no other file, no filter, nothing computed. */
static int is_stored_plainly(hid_t data)
{
    hid_t plist = H5Dget_create_plist(data);
    H5D_layout_t layout = plist < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(plist);
    int fine = layout == H5D_COMPACT || (layout == H5D_CONTIGUOUS && H5Pget_external_count(plist) == 0);
    fine = fine && H5Pget_nfilters(plist) == 0;
    H5Pclose(plist);
    return fine;
}

/* The number of elements of a space of that rank (0 or 1), -1 when it has another. */
static long long extent_of(hid_t space, int rank)
{
    hsize_t size = 1;
    if (space < 0 || H5Sget_simple_extent_ndims(space) != rank) return -1;
    if (H5Sget_simple_extent_type(space) != (rank ? H5S_SIMPLE : H5S_SCALAR)) return -1;
    if (rank && H5Sget_simple_extent_dims(space, &size, NULL) != 1) return -1;
    return size > (hsize_t)1 << 40 ? -1 : (long long)size;
}

/* Whether strings of this type have a fixed size, and which. */
static int is_string(hid_t type, size_t *size)
{
    if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return 0;
    *size = H5Tget_size(type);
    return *size > 0;
}

/* What can be read of a dataset: how many elements of which size, of doubles or of strings; -1 when it is not
 * as ours are, or larger than the file. `*size` is the size of a string. */
static long long count_of(const reader *d, hid_t data, int rank, int strings, size_t *size)
{
    hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    long long count = extent_of(space, rank);
    *size = sizeof(double);
    if (strings) {
        if (!is_string(type, size)) count = -1;
    } else if (type < 0 || H5Tget_class(type) != H5T_FLOAT || H5Tget_size(type) != sizeof(double)) {
        count = -1;
    }
    H5Tclose(type);
    H5Sclose(space);
    if (count > 0 && (!is_stored_plainly(data) || (unsigned long long)count > d->size / *size)) return -1;
    if (count > 0 && H5Dget_storage_size(data) != (hsize_t)count * *size) return -1;
    return count;
}

static int read_doubles(hid_t data, double *values)
{
    return H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
}

/* A scalar string of an attribute or (`dataset` nonzero) a dataset, which is a new string; NULL when it is
 * none. */
static char *read_string(const reader *d, hid_t object, int dataset)
{
    size_t size = 0;
    hid_t type = dataset ? H5Dget_type(object) : H5Aget_type(object);
    hid_t space = dataset ? H5Dget_space(object) : H5Aget_space(object);
    int fine =
        is_string(type, &size) && size <= PN_RESULT_TEXT_MAX && size <= d->size && extent_of(space, 0) == 1;
    if (fine && dataset) fine = count_of(d, object, 0, 1, &size) == 1;
    H5Sclose(space);
    char *text = fine ? calloc(1, size + 1) : NULL;
    if (text && dataset) fine = H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (text && !dataset) fine = H5Aread(object, type, text) >= 0;
    H5Tclose(type);
    if (text && !fine) {
        free(text);
        text = NULL;
    }
    return text;
}

/* The string in an attribute of that name; NULL when there is none. */
static char *read_attribute(const reader *d, hid_t object, const char *name)
{
    if (H5Aexists(object, name) <= 0) return NULL;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    char *text = attribute < 0 ? NULL : read_string(d, attribute, 0);
    H5Aclose(attribute);
    return text;
}

/* The integer in an attribute of that name; -1 when there is none. */
static int read_integer(hid_t object, const char *name)
{
    int value = -1;
    if (H5Aexists(object, name) <= 0) return -1;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    hid_t space = H5Aget_space(attribute);
    if (extent_of(space, 0) == 1 && H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) <= 8) {
        if (H5Aread(attribute, H5T_NATIVE_INT, &value) < 0) value = -1;
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return value;
}

/* Strings of one size, `*count` of them, each ended by '\0' at a distance of `*stride`. NULL when they are
 * none. */
static char *read_strings(const reader *d, hid_t group, const char *name, int most, int *count,
                          size_t *stride)
{
    size_t size = 0;
    hid_t data = open_data(group, name);
    long long number = data < 0 ? -1 : count_of(d, data, 1, 1, &size);
    char *packed = NULL, *all = NULL;
    if (number >= 0 && number <= most && size <= PN_RESULT_NAME_MAX) {
        packed = malloc((size_t)number * size + 1);
        all = calloc((size_t)number + 1, size + 1);
        hid_t type = H5Dget_type(data);
        int fine = packed && all;
        if (fine && number) fine = H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed) >= 0;
        H5Tclose(type);
        for (size_t i = 0; fine && i < (size_t)number; i++)
            memcpy(all + i * (size + 1), packed + i * size, size);
        if (!fine) {
            free(all);
            all = NULL;
        }
        *count = (int)number;
        *stride = size + 1;
    }
    free(packed);
    H5Dclose(data);
    return all;
}

/* ---------------------------------------------------------------------------------------------
 * The parts of a result */

/* A text is an attribute of the file, or a dataset when it is long. */
static pinion_status read_text(const reader *d, hid_t group, const char *key)
{
    const char *problem = pn_result_key_problem(key);
    if (problem) return FAIL(d, "the key '%.60s' %s", key, problem);
    char *text = read_attribute(d, d->file, key);
    hid_t data = text || group < 0 ? H5I_INVALID_HID : open_data(group, key);
    if (data >= 0) text = read_string(d, data, 1);
    H5Dclose(data);
    if (!text) return FAIL(d, "the text '%.60s' is missing, or no string of fixed length", key);
    pinion_status status = pinion_result_set(d->r, key, text);
    free(text);
    if (status == PINION_ERR_MEMORY) return out_of_memory(d);
    return status == PINION_OK ? status : FAIL(d, "the text '%.60s' is too long", key);
}

static pinion_status read_texts(const reader *d)
{
    int count = 0;
    size_t stride = 0;
    char *keys = read_strings(d, d->file, "keys", PN_RESULT_KEYS_MAX, &count, &stride);
    if (!keys) return FAIL(d, "the dataset 'keys' is missing, or no list of strings");
    hid_t group = open_group(d, "texts");
    pinion_status status = PINION_OK;
    for (int i = 0; i < count && status == PINION_OK; i++)
        status = read_text(d, group, keys + (size_t)i * stride);
    H5Gclose(group);
    free(keys);
    return status;
}

static pinion_status read_events(const reader *d)
{
    hid_t group = open_group(d, "events");
    if (group < 0) return PINION_OK;
    int count = 0;
    size_t stride = 0, size;
    char *text = read_strings(d, group, "text", PN_RESULT_EVENTS_MAX, &count, &stride);
    hid_t data = open_data(group, "t");
    double *t = NULL;
    int fine = text && data >= 0 && count_of(d, data, 1, 0, &size) == count;
    if (fine) t = malloc(((size_t)count + 1) * sizeof *t);
    fine = fine && t && (count == 0 || read_doubles(data, t));
    pinion_status status = PINION_OK;
    if (!fine) status = FAIL(d, "the datasets of 'events' are not as expected: numbers 't', strings 'text'");
    for (int i = 0; i < count && status == PINION_OK; i++)
        status = pn_result_read_event(d->r, t[i], text + (size_t)i * stride, d->path, 0, d->err);
    H5Dclose(data);
    H5Gclose(group);
    free(t);
    free(text);
    return status;
}

/* One dataset of the group "numbers". */
static pinion_status read_numbers_of(const reader *d, hid_t group, const char *key)
{
    const char *problem = pn_result_key_problem(key);
    if (problem) return FAIL(d, "the key '%.60s' %s", key, problem);
    size_t size;
    hid_t data = open_data(group, key);
    long long count = data < 0 ? -1 : count_of(d, data, 1, 0, &size);
    double *values =
        count < 0 || count > PN_RESULT_NUMBERS_MAX ? NULL : malloc(((size_t)count + 1) * sizeof *values);
    int fine = values && (count == 0 || read_doubles(data, values));
    pinion_status status = fine ? pinion_result_set_numbers(d->r, key, (int)count, values) : PINION_ERR_PARSE;
    free(values);
    H5Dclose(data);
    if (status == PINION_ERR_MEMORY) return out_of_memory(d);
    return status == PINION_OK ? status : FAIL(d, "the numbers '%.60s' are no list of numbers", key);
}

/* What H5Literate calls for each member of a group: it copies the names, since what happens inside the call
 * must not fail in ways of its own. */
typedef struct names {
    char **name;
    int count, capacity;
} names;

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)group;
    (void)info;
    names *n = data;
    if (n->count == n->capacity) return -1;
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (!copy) return -1;
    memcpy(copy, name, size);
    n->name[n->count++] = copy;
    return 0;
}

static void free_names(names *n)
{
    for (int i = 0; i < n->count; i++) free(n->name[i]);
    free(n->name);
}

/* The names of a group's members, in alphabetical order; 0 when there are more than `most`. */
static int list_group(hid_t group, int most, names *n)
{
    *n = (names){NULL, 0, 0};
    H5G_info_t info;
    if (H5Gget_info(group, &info) < 0 || info.nlinks > (hsize_t)most) return 0;
    n->capacity = (int)info.nlinks;
    n->name = calloc((size_t)n->capacity + 1, sizeof *n->name);
    return n->name && H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name, n) >= 0;
}

static pinion_status read_numbers(const reader *d)
{
    hid_t group = open_group(d, "numbers");
    if (group < 0) return PINION_OK;
    names n;
    pinion_status status = PINION_OK;
    if (!list_group(group, PN_RESULT_KEYS_MAX, &n)) status = FAIL(d, "the group 'numbers' cannot be read");
    for (int i = 0; i < n.count && status == PINION_OK; i++) status = read_numbers_of(d, group, n.name[i]);
    free_names(&n);
    H5Gclose(group);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Columns */

/* Puts the datasets' names in the order of their attribute "index". */
static pinion_status sort_columns(const reader *d, hid_t group, const names *n, char **sorted)
{
    for (int i = 0; i < n->count; i++) {
        hid_t data = open_data(group, n->name[i]);
        int index = data < 0 ? -1 : read_integer(data, "index");
        H5Dclose(data);
        if (index < 0 || index >= n->count || sorted[index])
            return FAIL(
                d, "'%.60s' in the group 'columns' is no dataset, or lacks an attribute 'index' of its own",
                n->name[i]);
        sorted[index] = n->name[i];
    }
    return PINION_OK;
}

/* Name and unit of a column; all have as many rows as the first. */
static pinion_status read_column_head(const reader *d, hid_t group, const char *link, long long *rows)
{
    size_t size;
    hid_t data = open_data(group, link);
    long long count = data < 0 ? -1 : count_of(d, data, 1, 0, &size);
    char *name = read_attribute(d, data, "name"), *unit = read_attribute(d, data, "unit");
    H5Dclose(data);
    pinion_status status = PINION_OK;
    if (*rows < 0) *rows = count;
    if (count < 0)
        status = FAIL(d, "the column '%.60s' is no list of numbers stored plainly in the file", link);
    else if (count != *rows)
        status =
            FAIL(d, "the column '%.60s' has %lld rows; expected %lld as in the first", link, count, *rows);
    else if (!name || !unit)
        status = FAIL(d, "the column '%.60s' lacks its attributes 'name' and 'unit'", link);
    else
        status = pn_result_read_column(d->r, name, unit, d->path, 0, d->err);
    free(name);
    free(unit);
    return status;
}

static pinion_status read_values(const reader *d, hid_t group, char **sorted, long long rows)
{
    /* columns may claim the same bytes of the file, which then is larger in memory than on disk */
    if ((unsigned long long)rows > d->size / sizeof(double) / (unsigned)d->r->columns)
        return FAIL(d, "the columns are larger than the file");
    if (pn_result_set_rows(d->r, (size_t)rows) != PINION_OK) return out_of_memory(d);
    for (int i = 0; i < d->r->columns && rows; i++) {
        hid_t data = open_data(group, sorted[i]);
        int fine = data >= 0 && read_doubles(data, d->r->column[i].values);
        H5Dclose(data);
        if (!fine) return FAIL(d, "the column '%.60s' cannot be read", sorted[i]);
    }
    return PINION_OK;
}

static pinion_status read_columns(const reader *d)
{
    hid_t group = open_group(d, "columns");
    if (group < 0) return FAIL(d, "the group 'columns' is missing");
    names n;
    pinion_status status = PINION_OK;
    long long rows = -1;
    if (!list_group(group, PN_RESULT_COLUMNS_MAX, &n) || n.count == 0)
        status = FAIL(d, "the group 'columns' is empty, or cannot be read");
    char **sorted = calloc((size_t)n.count + 1, sizeof *sorted);
    if (!sorted) status = out_of_memory(d);
    if (status == PINION_OK) status = sort_columns(d, group, &n, sorted);
    for (int i = 0; i < n.count && status == PINION_OK; i++)
        status = read_column_head(d, group, sorted[i], &rows);
    if (status == PINION_OK) status = read_values(d, group, sorted, rows);
    free(sorted);
    free_names(&n);
    H5Gclose(group);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * The file */

static hid_t open_file(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
    int fine = access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0;
#if H5_VERSION_GE(1, 10, 7)
    fine = fine &&
           H5Pset_file_locking(access, 0, 1) >= 0; /* files are replaced, never changed: no lock is needed */
#endif
    if (fine) file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

static pinion_status read_file(reader *d)
{
    if (d->file < 0) return FAIL(d, "HDF5 cannot open it: it is damaged");
    int version = read_integer(d->file, "pinion_result");
    if (version < 0) return FAIL(d, "no result; expected an attribute 'pinion_result'");
    if (version != PN_RESULT_VERSION)
        return FAIL(d, "a result of version %d; expected %d", version, PN_RESULT_VERSION);
    pinion_status status = read_texts(d);
    if (status == PINION_OK) status = read_numbers(d);
    if (status == PINION_OK) status = read_events(d);
    if (status == PINION_OK) status = read_columns(d);
    return status;
}

pinion_result *pn_result_read_hdf5(const char *path, pinion_error *err)
{
    struct stat about;
    pn_hdf5 library;
    reader d = {pinion_result_new(), path, err, H5I_INVALID_HID, 0};
    pinion_status status = PINION_ERR_MEMORY;
    if (d.r && stat(path, &about) == 0 && pn_hdf5_begin(&library)) {
        d.size = (unsigned long long)about.st_size;
        d.file = open_file(path);
        status = read_file(&d);
        H5Fclose(d.file);
        pn_hdf5_end(&library);
    } else {
        status = out_of_memory(&d);
    }
    if (status == PINION_OK) return d.r;
    pinion_result_free(d.r);
    return NULL;
}
