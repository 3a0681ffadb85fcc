/* The group /statistics of a result. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/store/result_statistics.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "sim/result/hdf5_lock.h"

typedef struct writer {
    hid_t file, group_plist, data_plist; /* no times, so that equal results are equal files */
    int fine;
} writer;

static void put_double(writer *w, hid_t object, const char *name, double x)
{
    w->fine = pn_hdf5_put_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &x) && w->fine;
}

static void put_count(writer *w, hid_t object, const char *name, uint64_t x)
{
    const int64_t number = (int64_t)x;
    w->fine = pn_hdf5_put_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &number) && w->fine;
}

static hid_t put_group(writer *w, hid_t in, const char *name)
{
    hid_t group = H5Gcreate2(in, name, H5P_DEFAULT, w->group_plist, H5P_DEFAULT);
    w->fine = w->fine && group >= 0;
    return group;
}

static void put_data(writer *w, hid_t in, const char *name, hid_t file_type, hid_t memory_type, size_t count,
                     const void *values)
{
    hsize_t size = count;
    if (count == 0) return;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t data = H5Dcreate2(in, name, file_type, space, H5P_DEFAULT, w->data_plist, H5P_DEFAULT);
    w->fine = w->fine && data >= 0 && H5Dwrite(data, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    H5Dclose(data);
    H5Sclose(space);
}

static void put_doubles(writer *w, hid_t in, const char *name, size_t count, const double *x)
{
    put_data(w, in, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, x);
}

/* A group with the name of a number, and what is said of it. */
static hid_t put_summary(writer *w, hid_t in, const char *name, const pinion_sweep_summary *s)
{
    char *link = malloc(3 * strlen(name) + 4);
    if (!link) {
        w->fine = 0;
        return H5I_INVALID_HID;
    }
    pn_hdf5_link_name(name, link);
    hid_t group = put_group(w, in, link), type = pn_hdf5_string_type(strlen(name));
    free(link);
    w->fine = pn_hdf5_put_attribute(group, "name", type, type, name) && w->fine;
    H5Tclose(type);
    put_count(w, group, "count", s->count);
    put_double(w, group, "mean", s->mean);
    put_double(w, group, "deviation", s->deviation);
    put_double(w, group, "error", s->error);
    put_double(w, group, "minimum", s->minimum);
    put_double(w, group, "maximum", s->maximum);
    put_doubles(w, group, "quantiles", PINION_SWEEP_QUANTILES, s->quantile);
    put_data(w, group, "histogram", H5T_STD_I64LE, H5T_NATIVE_UINT64, PINION_SWEEP_BINS, s->histogram);
    return group;
}

static void put_indices(writer *w, hid_t in, const pn_statistics *x, int scalar)
{
    static const char *const name[] = {"first", "first_error", "total", "total_error"};
    const size_t n = (size_t)x->sampled;
    if (n == 0) return;
    hid_t group = put_group(w, in, "indices");
    put_count(w, group, "groups", x->groups[scalar]);
    for (size_t k = 0; k < 4; k++) put_doubles(w, group, name[k], n, x->indices + (4 * (size_t)scalar + k) * n);
    H5Gclose(group);
}

static void put_all(writer *w, const pn_statistics *x, const pinion_sweep *s)
{
    const int count = s->parameter_count;
    hid_t top = put_group(w, w->file, "statistics"), parameters = put_group(w, top, "parameters"),
          scalars = put_group(w, top, "scalars");
    put_count(w, top, "runs", x->runs);
    put_count(w, top, "failed", x->failed);
    put_double(w, top, "failure_probability", x->runs ? (double)x->failed / (double)x->runs : 0);
    put_double(w, top, "failure_low", x->failure[0]);
    put_double(w, top, "failure_high", x->failure[1]);
    put_double(w, top, "confidence", PN_CONFIDENCE);
    put_doubles(w, top, "probabilities", PINION_SWEEP_QUANTILES, pinion_sweep_probabilities());
    put_data(w, top, "sampled", H5T_STD_I64LE, H5T_NATIVE_INT, (size_t)x->sampled, x->which);
    for (int i = 0; i < count && w->fine; i++)
        H5Gclose(put_summary(w, parameters, s->parameters[i].name, &x->summary[i]));
    for (int i = 0; i < s->kept_count && w->fine; i++) {
        hid_t group = put_summary(w, scalars, s->kept[i].name, &x->summary[count + i]);
        put_doubles(w, group, "correlations", (size_t)count, x->correlation + (size_t)i * (size_t)count);
        put_indices(w, group, x, i);
        H5Gclose(group);
    }
    H5Gclose(parameters);
    H5Gclose(scalars);
    H5Gclose(top);
}

static int open_writer(writer *w, const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    w->group_plist = H5Pcreate(H5P_GROUP_CREATE);
    w->data_plist = H5Pcreate(H5P_DATASET_CREATE);
    w->file = H5I_INVALID_HID;
    if (H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && H5Pset_obj_track_times(w->group_plist, 0) >= 0 &&
        H5Pset_obj_track_times(w->data_plist, 0) >= 0 && H5Pset_layout(w->data_plist, H5D_CONTIGUOUS) >= 0)
        w->file = H5Fopen(path, H5F_ACC_RDWR, access);
    H5Pclose(access);
    return w->file >= 0;
}

pinion_status pn_statistics_put(const pn_statistics *x, const pinion_sweep *s, const char *path, pinion_error *err)
{
    pn_hdf5 library;
    writer w = {.fine = 1};
    if (!pn_is_room((size_t)32 << 20)) return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    int fine = pn_hdf5_begin(&library);
    if (fine) {
        fine = open_writer(&w, path);
        if (fine) put_all(&w, x, s);
        H5Pclose(w.group_plist);
        H5Pclose(w.data_plist);
        fine = (w.file < 0 || pn_hdf5_close(w.file)) && fine && w.fine && !library.failures;
        pn_hdf5_end(&library);
    }
    return fine ? PINION_OK : pn_error_set(err, PINION_ERR_FILE, path, 0, 0, "cannot be written");
}
