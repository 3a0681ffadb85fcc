/* The HDF5 file of a sweep: the library writes what describes the datasets, and says where their numbers go.
 * These are then put there in any order, by as many as like to. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/store/result_layout.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/room.h"
#include "sim/result/hdf5_lock.h"

typedef struct writer {
    hid_t file, group_plist, data_plist; /* no times, so that equal results are equal files */
    uint64_t runs;
    int fine;
} writer;

static void put_attribute(writer *w, hid_t object, const char *name, hid_t file_type, hid_t memory_type,
                          const void *value)
{
    w->fine = pn_hdf5_put_attribute(object, name, file_type, memory_type, value) && w->fine;
}

static void put_integer(writer *w, hid_t object, const char *name, int64_t value)
{
    put_attribute(w, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

static void put_string(writer *w, hid_t object, const char *name, const char *text)
{
    hid_t type = pn_hdf5_string_type(strlen(text));
    put_attribute(w, object, name, type, type, text);
    H5Tclose(type);
}

/* A dataset of `count` elements whose place in the file is fixed; it is left open. */
static hid_t put_place(writer *w, hid_t group, const char *name, hid_t type, uint64_t count, uint64_t *at)
{
    hsize_t size = count;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t data = H5Dcreate2(group, name, type, space, H5P_DEFAULT, w->data_plist, H5P_DEFAULT);
    const haddr_t where = data >= 0 && count > 0 ? H5Dget_offset(data) : 0;
    w->fine = w->fine && data >= 0 && where != HADDR_UNDEF;
    *at = (uint64_t)where;
    H5Sclose(space);
    return data;
}

static void put_text(writer *w, const char *name, const char *text)
{
    hid_t type = pn_hdf5_string_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    hid_t data = H5Dcreate2(w->file, name, type, space, H5P_DEFAULT, w->data_plist, H5P_DEFAULT);
    w->fine = w->fine && data >= 0 && H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    H5Dclose(data);
    H5Sclose(space);
    H5Tclose(type);
}

/* Words one behind the other, a line each. */
static void put_words(writer *w, hid_t data, const pinion_sweep_number *n)
{
    pn_text t = {0};
    for (int i = 0; i < n->word_count; i++) {
        pn_text_append(&t, i ? "\n" : "");
        pn_text_append(&t, n->words[i]);
    }
    char *text = pn_text_take(&t);
    w->fine = w->fine && text;
    if (text) put_string(w, data, "words", text);
    free(text);
}

static void put_number(writer *w, hid_t group, const pinion_sweep_number *n, int index, uint64_t count,
                       uint64_t *at)
{
    char *link = malloc(3 * strlen(n->name) + 4);
    if (!link) {
        w->fine = 0;
        return;
    }
    pn_hdf5_link_name(n->name, link);
    hid_t data = put_place(w, group, link, H5T_IEEE_F64LE, count, at);
    free(link);
    put_string(w, data, "name", n->name);
    put_string(w, data, "unit", n->unit);
    put_integer(w, data, "index", index);
    if (n->words) put_words(w, data, n);
    H5Dclose(data);
}

static hid_t put_group(writer *w, hid_t in, const char *name)
{
    hid_t group = H5Gcreate2(in, name, H5P_DEFAULT, w->group_plist, H5P_DEFAULT);
    w->fine = w->fine && group >= 0;
    return group;
}

/* ------------------------------------------------------------------------------------------------
 * Parts */

static void put_about(writer *w, const pinion_sweep *s)
{
    char hash[65];
    pn_sha256(s->model_json, strlen(s->model_json), hash);
    put_integer(w, w->file, "pinion_sweep", 1);
    put_string(w, w->file, "pinion_version", pinion_version());
    put_string(w, w->file, "model_name", pinion_model_name(s->model));
    put_string(w, w->file, "model_hash", hash);
    put_integer(w, w->file, "runs", (int64_t)w->runs);
    if (s->stop.every) put_integer(w, w->file, "planned", (int64_t)pinion_sweep_count(s));
    put_string(w, w->file, "engine", s->run.steps ? "rollout" : pn_plan_commands[s->run.command]);
    put_string(w, w->file, "precision", "double");
    put_string(w, w->file, "instructions", s->isa);
    put_text(w, "plan", s->text);
    put_text(w, "model", s->model_json);
}

static void put_numbers(writer *w, const pinion_sweep *s, pn_layout *l)
{
    hid_t parameters = put_group(w, w->file, "parameters"), scalars = put_group(w, w->file, "scalars");
    pinion_sweep_number n;
    for (int i = 0; i < s->parameter_count; i++)
        if (pinion_sweep_parameter(s, i, &n) == PINION_OK)
            put_number(w, parameters, &n, i, w->runs, &l->parameters[i]);
    for (int i = 0; i < s->kept_count; i++)
        if (pinion_sweep_scalar(s, i, &n) == PINION_OK)
            put_number(w, scalars, &n, i, w->runs, &l->scalars[i]);
    H5Gclose(parameters);
    H5Gclose(scalars);
}

static void put_outcomes(writer *w, pn_layout *l)
{
    hid_t failures = put_group(w, w->file, "failures"), why = pn_hdf5_string_type(PINION_SWEEP_WHY);
    H5Dclose(put_place(w, w->file, "outcome", H5T_STD_U8LE, w->runs, &l->outcome));
    H5Dclose(put_place(w, w->file, "t_end", H5T_IEEE_F64LE, w->runs, &l->t_end));
    H5Dclose(put_place(w, failures, "index", H5T_STD_I64LE, l->failures, &l->failure_index));
    H5Dclose(put_place(w, failures, "text", why, l->failures, &l->failure_text));
    H5Tclose(why);
    H5Gclose(failures);
}

static void put_trajectories(writer *w, const pinion_sweep *s, pn_layout *l)
{
    hid_t group = put_group(w, w->file, "trajectories"), columns = put_group(w, group, "columns");
    H5Dclose(put_place(w, group, "first", H5T_STD_I64LE, w->runs + 1, &l->first));
    for (int i = 0; i < s->column_count; i++) {
        const pinion_sweep_number n = {s->columns[i].name, s->columns[i].unit, NULL, 0};
        put_number(w, columns, &n, i, l->rows, &l->columns[i]);
    }
    H5Gclose(columns);
    H5Gclose(group);
}

static int open_writer(writer *w, const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    w->group_plist = H5Pcreate(H5P_GROUP_CREATE);
    w->data_plist = H5Pcreate(H5P_DATASET_CREATE);
    w->file = H5I_INVALID_HID;
    if (H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && H5Pset_obj_track_times(create, 0) >= 0 &&
        H5Pset_obj_track_times(w->group_plist, 0) >= 0 && H5Pset_obj_track_times(w->data_plist, 0) >= 0 &&
        H5Pset_layout(w->data_plist, H5D_CONTIGUOUS) >= 0 &&
        H5Pset_alloc_time(w->data_plist, H5D_ALLOC_TIME_EARLY) >= 0 &&
        H5Pset_fill_time(w->data_plist, H5D_FILL_TIME_NEVER) >= 0)
        w->file = H5Fcreate(path, H5F_ACC_TRUNC, create, access);
    H5Pclose(access);
    H5Pclose(create);
    return w->file >= 0;
}

/* ------------------------------------------------------------------------------------------------ */

int pn_layout_allocate(pn_layout *l, const pinion_sweep *s)
{
    l->parameters = calloc((size_t)s->parameter_count + 1, sizeof *l->parameters);
    l->scalars = calloc((size_t)s->kept_count + 1, sizeof *l->scalars);
    l->columns = calloc((size_t)s->column_count + 1, sizeof *l->columns);
    return l->parameters && l->scalars && l->columns && pn_is_room((size_t)32 << 20);
}

pinion_status pn_layout_create(pn_layout *l, const pinion_sweep *s, const char *path, uint64_t runs,
                               uint64_t failures, uint64_t rows, pinion_error *err)
{
    pn_hdf5 library;
    struct stat about;
    *l = (pn_layout){.runs = runs, .failures = failures, .rows = rows};
    if (!pn_layout_allocate(l, s)) return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    writer w = {.runs = runs, .fine = 1};
    int fine = pn_hdf5_begin(&library);
    if (fine) {
        fine = open_writer(&w, path);
        if (fine) {
            put_about(&w, s);
            put_numbers(&w, s, l);
            put_outcomes(&w, l);
            if (s->rows != PN_ROWS_NONE) put_trajectories(&w, s, l);
        }
        H5Pclose(w.group_plist);
        H5Pclose(w.data_plist);
        fine = (w.file < 0 || pn_hdf5_close(w.file)) && fine && w.fine && !library.failures;
        pn_hdf5_end(&library);
    }
    if (fine && stat(path, &about) == 0) {
        l->size = (uint64_t)about.st_size;
        return PINION_OK;
    }
    return pn_error_set(err, PINION_ERR_FILE, path, 0, 0, "cannot be written");
}

void pn_layout_free(pn_layout *l)
{
    free(l->parameters);
    free(l->scalars);
    free(l->columns);
    *l = (pn_layout){0};
}
