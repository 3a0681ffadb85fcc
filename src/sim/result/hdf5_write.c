/* Results in HDF5 (docs/results.md), written. The file is made in memory, so that all formats reach the disk
 * in one way, and an error of the disk never leaves the HDF5 library with half a file. */
#include "sim/result/result_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "sim/result/hdf5_lock.h"
#include "io/model_io.h"

#define ATTRIBUTE_MAX 4096 /* bytes of a text that is an attribute; longer ones are datasets */

/* ---------------------------------------------------------------------------------------------
 * Elements. Each function returns 0 on failure. Closing H5I_INVALID_HID only fails. */

typedef struct writer {
    hid_t file;
    hid_t group_plist, data_plist; /* no times, so that equal results are equal files */
} writer;

static int put_integer(hid_t object, const char *name, int value)
{
    return pn_hdf5_put_attribute(object, name, H5T_STD_I32LE, H5T_NATIVE_INT, &value);
}

static int put_string(hid_t object, const char *name, const char *text)
{
    hid_t type = pn_hdf5_string_type(strlen(text));
    int fine = type >= 0 && pn_hdf5_put_attribute(object, name, type, type, text);
    H5Tclose(type);
    return fine;
}

/* A dataset of `count` elements, of one (rank 0) when count is negative. It is left open: H5I_INVALID_HID on
 * failure. */
static hid_t put_data(const writer *w, hid_t group, const char *name, hid_t file_type, hid_t memory_type,
                      long long count, const void *values)
{
    hsize_t size = count < 0 ? 0 : (hsize_t)count;
    hid_t space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
    hid_t data = H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, w->data_plist, H5P_DEFAULT);
    if (data >= 0 && count != 0 && H5Dwrite(data, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        H5Dclose(data);
        data = H5I_INVALID_HID;
    }
    H5Sclose(space);
    return data;
}

static hid_t put_doubles(const writer *w, hid_t group, const char *name, size_t count, const double *values)
{
    return put_data(w, group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, (long long)count, values);
}

/* Texts of one length, each padded with zeros: `get` returns the i-th of them. */
static int put_strings(const writer *w, hid_t group, const char *name, int count,
                       const char *(*get)(const pinion_result *, int), const pinion_result *r)
{
    size_t width = 1;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(get(r, i));
        if (length > width) width = length;
    }
    char *all = calloc((size_t)count + 1, width);
    if (!all) return 0;
    for (int i = 0; i < count; i++) memcpy(all + (size_t)i * width, get(r, i), strlen(get(r, i)));
    hid_t type = pn_hdf5_string_type(width);
    hid_t data = type < 0 ? H5I_INVALID_HID : put_data(w, group, name, type, type, count, all);
    H5Tclose(type);
    free(all);
    return data >= 0 && H5Dclose(data) >= 0;
}

static hid_t put_group(const writer *w, const char *name)
{
    return H5Gcreate2(w->file, name, H5P_DEFAULT, w->group_plist, H5P_DEFAULT);
}

/* ---------------------------------------------------------------------------------------------
 * The parts of a result */

static int put_texts(const writer *w, const pinion_result *r)
{
    hid_t group = put_group(w, "texts");
    int fine = group >= 0 && put_strings(w, w->file, "keys", r->texts, pinion_result_key, r);
    for (int i = 0; i < r->texts && fine; i++) {
        const char *key = r->text[i].key, *text = r->text[i].text;
        if (strlen(text) <= ATTRIBUTE_MAX) {
            fine = put_string(w->file, key, text);
            continue;
        }
        hid_t type = pn_hdf5_string_type(strlen(text));
        hid_t data = type < 0 ? H5I_INVALID_HID : put_data(w, group, key, type, type, -1, text);
        fine = data >= 0 && H5Dclose(data) >= 0;
        H5Tclose(type);
    }
    H5Gclose(group);
    return fine;
}

static int put_numbers(const writer *w, const pinion_result *r)
{
    hid_t group = put_group(w, "numbers");
    int fine = group >= 0;
    for (int i = 0; i < r->number_keys && fine; i++) {
        const pn_result_numbers *n = &r->numbers[i];
        hid_t data = put_doubles(w, group, n->key, (size_t)n->count, n->values);
        fine = data >= 0 && H5Dclose(data) >= 0;
    }
    H5Gclose(group);
    return fine;
}

static const char *event_text(const pinion_result *r, int index)
{
    return pinion_result_event(r, index, NULL);
}

static int put_events(const writer *w, const pinion_result *r)
{
    double *t = malloc(((size_t)r->events + 1) * sizeof *t);
    if (!t) return 0;
    for (int i = 0; i < r->events; i++) t[i] = r->event[i].t;
    hid_t group = put_group(w, "events");
    hid_t data = put_doubles(w, group, "t", (size_t)r->events, t);
    free(t);
    int fine = group >= 0 && data >= 0 && H5Dclose(data) >= 0;
    fine = fine && put_strings(w, group, "text", r->events, event_text, r);
    H5Gclose(group);
    return fine;
}

static int put_columns(const writer *w, const pinion_result *r)
{
    char link[3 * PN_RESULT_NAME_MAX + 4];
    hid_t group = put_group(w, "columns");
    int fine = group >= 0;
    for (int i = 0; i < r->columns && fine; i++) {
        const pn_result_column *c = &r->column[i];
        pn_hdf5_link_name(c->name, link);
        hid_t data = put_doubles(w, group, link, r->rows, c->values);
        fine = data >= 0 && put_string(data, "name", c->name) && put_string(data, "unit", c->unit) &&
               put_integer(data, "index", i);
        H5Dclose(data);
    }
    H5Gclose(group);
    return fine;
}

/* ---------------------------------------------------------------------------------------------
 * The file */

/* A new file in memory; 0 on failure, when what there is of it is still to be closed. */
static int open_writer(writer *w, const pinion_result *r)
{
    size_t expected = (size_t)r->columns * r->rows * sizeof(double);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    w->file = H5I_INVALID_HID;
    w->group_plist = H5Pcreate(H5P_GROUP_CREATE);
    w->data_plist = H5Pcreate(H5P_DATASET_CREATE);
    if (H5Pset_fapl_core(access, (expected / 8 + (1 << 20)) & ~(size_t)4095, 0) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && H5Pset_obj_track_times(create, 0) >= 0 &&
        H5Pset_obj_track_times(w->group_plist, 0) >= 0 && H5Pset_obj_track_times(w->data_plist, 0) >= 0)
        w->file = H5Fcreate("result", H5F_ACC_TRUNC, create, access);
    H5Pclose(access);
    H5Pclose(create);
    return w->file >= 0;
}

static void close_writer(writer *w)
{
    H5Pclose(w->group_plist);
    H5Pclose(w->data_plist);
    H5Fclose(w->file);
}

/* The bytes of the file; NULL on failure. */
static char *image_of(const writer *w, size_t *size)
{
    ssize_t length = H5Fflush(w->file, H5F_SCOPE_LOCAL) < 0 ? -1 : H5Fget_file_image(w->file, NULL, 0);
    char *image = length <= 0 ? NULL : malloc((size_t)length);
    if (!image) return NULL;
    *size = (size_t)length;
    if (H5Fget_file_image(w->file, image, *size) == length) return image;
    free(image);
    return NULL;
}

/* Bytes of all that is to be written. */
static size_t size_of(const pinion_result *r)
{
    size_t size = (size_t)r->columns * (r->rows * sizeof(double) + 1024);
    for (int i = 0; i < r->texts; i++) size += strlen(r->text[i].text) + 256;
    for (int i = 0; i < r->number_keys; i++) size += (size_t)r->numbers[i].count * sizeof(double) + 512;
    return size + (size_t)r->events * (PN_RESULT_EVENT_MAX + 9);
}

char *pn_result_write_hdf5(const pinion_result *r, const char *path, size_t *size, pinion_error *err)
{
    pn_hdf5 library;
    char *image = NULL;
    /* the file, what is held of it while it grows, and what the library has beside it */
    if (pn_is_room(3 * size_of(r) + ((size_t)8 << 20)) && pn_hdf5_begin(&library)) {
        writer w;
        char sum[65];
        pn_result_sum(r, sum);
        int fine = open_writer(&w, r) && put_integer(w.file, "pinion_result", PN_RESULT_SUMMED) &&
                   put_string(w.file, PN_RESULT_SUM, sum);
        fine = fine && put_texts(&w, r) && put_numbers(&w, r) && put_events(&w, r) && put_columns(&w, r);
        if (fine) image = image_of(&w, size);
        close_writer(&w);
        pn_hdf5_end(&library);
    }
    if (!image) pn_error_set(err, PINION_ERR_MEMORY, path, 0, 0, "out of memory"); /* nothing else can fail */
    return image;
}
