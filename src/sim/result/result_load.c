/* Saving and loading results: which format, and what all formats share. */
#include "sim/result/result_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "io/model_io.h"

static const char hdf5_signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};

/* ---------------------------------------------------------------------------------------------
 * Saving */

pinion_result_format pinion_result_format_of(const char *path)
{
    if (!path) return PINION_RESULT_AUTO;
    if (pn_file_has_extension(path, ".csv")) return PINION_RESULT_CSV;
    if (pn_file_has_extension(path, ".jsonl")) return PINION_RESULT_JSONL;
    if (pn_file_has_extension(path, ".h5") || pn_file_has_extension(path, ".hdf5")) return PINION_RESULT_HDF5;
    return PINION_RESULT_AUTO;
}

/* The bytes of a file; `path` is for messages, and may be NULL. */
static char *write_bytes(const pinion_result *r, const char *path, pinion_result_format format, size_t *size,
                         pinion_error *err)
{
    if (r->columns == 0) {
        pn_error_set(err, PINION_ERR_ARGUMENT, path, 0, 0, "the result has no columns");
        return NULL;
    }
    if (format == PINION_RESULT_CSV) return pn_result_write_csv(r, path, size, err);
    if (format == PINION_RESULT_JSONL) return pn_result_write_jsonl(r, path, size, err);
#ifdef PN_NO_HDF5
    pn_error_set(err, PINION_ERR_UNSUPPORTED, path, 0, 0, "HDF5 is not part of this build; expected CSV or JSON lines");
    return NULL;
#else
    return pn_result_write_hdf5(r, path, size, err);
#endif
}

static int is_format(pinion_result_format format)
{
    return format == PINION_RESULT_CSV || format == PINION_RESULT_JSONL || format == PINION_RESULT_HDF5;
}

char *pinion_result_save_string(const pinion_result *r, pinion_result_format format, size_t *size, pinion_error *err)
{
    if (r && size && is_format(format)) return write_bytes(r, NULL, format, size, err);
    pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s",
                 r && size ? "the format to write was not named; expected CSV, JSON lines or HDF5"
                           : "no result to write");
    return NULL;
}

pinion_status pinion_result_save(const pinion_result *r, const char *path, pinion_result_format format,
                                 pinion_error *err)
{
    if (!r || !path || !*path) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s",
                     r ? "no file to write was named; expected a path" : "no result to write");
        return PINION_ERR_ARGUMENT;
    }
    if (format == PINION_RESULT_AUTO) format = pinion_result_format_of(path);
    if (!is_format(format)) {
        pn_error_set(err, PINION_ERR_ARGUMENT, path, 0, 0,
                     "its name does not tell the format; expected .csv, .jsonl, .h5 or .hdf5");
        return PINION_ERR_ARGUMENT;
    }

    /* the whole file in memory first: nothing is touched when it cannot be made */
    pinion_error local;
    if (!err) err = &local;
    size_t size = 0;
    char *bytes = write_bytes(r, path, format, &size, err);
    if (!bytes) return err->status;
    pinion_status status = pinion_write_file(path, bytes, size, err);
    free(bytes);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Loading */

/* The failure of a column or an event from a file. `problem` says what is wrong with its name, NULL: nothing.
 */
static pinion_status fail_read(pinion_status status, const char *what, const char *name, const char *problem,
                               const char *file, int line, pinion_error *err)
{
    if (status == PINION_OK) return PINION_OK;
    if (status == PINION_ERR_MEMORY) {
        pn_error_set(err, status, file, 0, 0, "out of memory");
        return status;
    }
    if (problem)
        pn_error_set(err, PINION_ERR_PARSE, file, line, 0, "the %s '%.60s' %s", what, name, problem);
    else
        pn_error_set(err, PINION_ERR_PARSE, file, line, 0,
                     "too many, or two of the same name: the %s '%.60s'", what, name);
    return PINION_ERR_PARSE;
}

pinion_status pn_result_read_column(pinion_result *r, const char *name, const char *unit, const char *file,
                                    int line, pinion_error *err)
{
    pinion_status status = pinion_result_add_column(r, name, unit);
    const char *problem = pn_result_name_problem(name);
    if (problem || !pn_result_unit_problem(unit))
        return fail_read(status, "column's name", name, problem, file, line, err);
    return fail_read(status, "unit", unit, pn_result_unit_problem(unit), file, line, err);
}

pinion_status pn_result_read_event(pinion_result *r, double t, const char *text, const char *file, int line,
                                   pinion_error *err)
{
    pinion_status status = pinion_result_add_event(r, t, text);
    return fail_read(status, "event", text, pn_result_event_problem(text), file, line, err);
}

pinion_result *pn_result_read_text(char *text, size_t size, const char *name, pinion_error *err)
{
    if (size >= sizeof hdf5_signature && memcmp(text, hdf5_signature, sizeof hdf5_signature) == 0) {
        pn_error_set(err, PINION_ERR_UNSUPPORTED, name, 0, 0,
                     "HDF5 cannot be read from a pipe; expected a file");
        free(text);
        return NULL;
    }
    size_t start = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    start += strspn(text + start, " \t\r\n");
    if (text[start] != '{') return pn_result_read_csv(text, size, name, err);

    /* a byte order mark becomes white space: jansson knows none */
    if (start >= 3) memset(text, ' ', text[0] == '\xef' ? 3 : 0);
    pinion_result *r = pn_result_read_jsonl(text, size, name, err);
    free(text);
    return r;
}

pinion_result *pinion_result_load(const char *path, pinion_error *err)
{
    if (!path || !*path) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no file to load was named; expected a path");
        return NULL;
    }
    if (pn_file_starts_with(path, hdf5_signature, sizeof hdf5_signature))
        return pn_result_read_hdf5(path, err);
    size_t size = 0;
    char *text = pn_file_read(path, PN_RESULT_SIZE_MAX, "a result", &size, err);
    return text ? pn_result_read_text(text, size, path, err) : NULL;
}
