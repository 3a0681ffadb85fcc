/// Results: a table of named columns, one row an instant, with what is needed to know where it came from and
/// to show it: units, settings, the model itself, events. Part of the library pinion_sim.
#ifndef PINION_RESULT_H
#define PINION_RESULT_H

#include "pinion/model.h"

PINION_BEGIN

typedef struct pinion_result pinion_result; ///< grows; belongs to one thread at a time

typedef enum pinion_result_format {
    PINION_RESULT_AUTO = 0, ///< by the file's name: .csv, .jsonl, .h5 or .hdf5; reading: by content
    PINION_RESULT_CSV,      ///< a line of column names, then rows; no units, texts, events or other numbers
    PINION_RESULT_JSONL, ///< JSON lines: first an object with everything but the rows, then one array a row
    PINION_RESULT_HDF5 ///< a dataset a column with its unit, attributes, events; numbers exactly as computed
} pinion_result_format;

/// NULL when out of memory.
PINION_API pinion_result *pinion_result_new(void);
PINION_API void pinion_result_free(pinion_result *r); ///< NULL is allowed

/// Remembers a text under a key, in place of one that was there. Keys that all writers of results set:
/// "title", "command", "pinion_version", "model_name", "model_hash", "model" (pinion_result_set_model); those
/// that read a model from a file set "model_file", its path. A key is a letter and up to 62 letters, digits,
/// '_', '-' or '.'; "pinion_result" is taken; there may be 1000. A text is UTF-8 of at most 64 MiB; for bytes
/// that are not (the command line may have any) U+FFFD is stored.
PINION_API PINION_CHECK pinion_status pinion_result_set(pinion_result *r, const char *key, const char *text);
/// The text under a key; NULL when there is none.
PINION_API const char *pinion_result_get(const pinion_result *r, const char *key);
PINION_API int pinion_result_key_count(const pinion_result *r);
PINION_API const char *pinion_result_key(const pinion_result *r,
                                         int index); ///< in the order they were first set
/// Remembers numbers under a key of their own, exactly (a simulation's inner state, say), at most 2^26.
PINION_API PINION_CHECK pinion_status pinion_result_set_numbers(pinion_result *r, const char *key, int count,
                                                                const double *numbers);
/// The numbers under a key and how many; NULL when there are none.
PINION_API const double *pinion_result_numbers(const pinion_result *r, const char *key, int *count);

/// Stores the model in native JSON under "model", its name, and under "model_hash" the SHA-256 of that text
/// (what `pinion convert MODEL --to json | sha256sum` prints), so that the file can be shown without the
/// model's file.
PINION_API PINION_CHECK pinion_status pinion_result_set_model(pinion_result *r, const pinion_model *m,
                                                              pinion_error *err);

typedef struct pinion_column {
    const char *name; ///< "t", "q.shoulder", "energy.kinetic", ...
    const char *unit; ///< "rad", "N m", ...; "" for none
} pinion_column;

/// Adds a column; only while there are no rows. PINION_ERR_ARGUMENT when the name is taken, is no UTF-8 of 1
/// to 1023 bytes, or when the unit has brackets, control characters or more than 63 bytes. At most 32768
/// columns.
PINION_API PINION_CHECK pinion_status pinion_result_add_column(pinion_result *r, const char *name,
                                                               const char *unit);
PINION_API int pinion_result_column_count(const pinion_result *r);
PINION_API PINION_CHECK pinion_status pinion_result_column(const pinion_result *r, int index,
                                                           pinion_column *out);
PINION_API int pinion_result_find_column(const pinion_result *r, const char *name); ///< -1 when there is none

/// Adds a row of column_count numbers. A failed call leaves the result as it was.
PINION_API PINION_CHECK pinion_status pinion_result_add_row(pinion_result *r, const double *values);
PINION_API size_t pinion_result_row_count(const pinion_result *r);
/// The numbers of a column, row_count of them; valid until the next row is added. NULL out of range, and
/// while there are no rows.
PINION_API const double *pinion_result_values(const pinion_result *r, int column);

/// Something that happened at an instant: "limit elbow", "stopped". UTF-8 of at most 1023 bytes.
PINION_API PINION_CHECK pinion_status pinion_result_add_event(pinion_result *r, double t, const char *text);
PINION_API int pinion_result_event_count(const pinion_result *r);
/// The text of an event and when; NULL out of range.
PINION_API const char *pinion_result_event(const pinion_result *r, int index, double *t);

/// The format that a file's name asks for; PINION_RESULT_AUTO when it does not tell.
PINION_API pinion_result_format pinion_result_format_of(const char *path);
/// Writes the file, whole or not at all: a reader sees the old file or the new one.
PINION_API PINION_CHECK pinion_status pinion_result_save(const pinion_result *r, const char *path,
                                                         pinion_result_format format, pinion_error *err);
/// The bytes of such a file, to be released with pinion_free(), and how many. NULL with `err` filled on failure.
/// @param format   not PINION_RESULT_AUTO
PINION_API char *pinion_result_save_string(const pinion_result *r, pinion_result_format format, size_t *size,
                                           pinion_error *err);
/// Reads a file of any of the formats; also a CSV file of another origin, when its first row names the
/// columns. Files are untrusted. NULL with `err` filled on failure.
PINION_API pinion_result *pinion_result_load(const char *path, pinion_error *err);

/// The name of one coordinate: "q", "v", "a" or "tau" before the joint's name, "q.shoulder"; a joint of several
/// coordinates numbers them: "q.root.0" ... "q.root.6", "v.root.0" ... (docs/results.md). Returns `name`, ""
/// when there is no such coordinate; 300 bytes are always enough.
/// @param what   "q" (index below nq), "v", "a", "tau" (index below nv), or "actuator" (index below nu)
PINION_API const char *pinion_coordinate_name(const pinion_model *m, const char *what, int index, char *name,
                                              size_t size);
/// The coordinates that a name means, marked in found [nq, nv or nu], which is not cleared, and how many: the one that
/// has it (with or without what is in front), else those of the joints of a group of the model, of a joint, or of all
/// joints that match a pattern with * and ?. Of positions of joints that have several only names of their own count.
PINION_API int pinion_find_coordinates(const pinion_model *m, const char *what, const char *name,
                                       unsigned char *found);
/// The unit of a coordinate: "rad", "m/s", "N m", ...; "" for quaternions, and when there is no such coordinate.
PINION_API const char *pinion_coordinate_unit(const pinion_model *m, const char *what, int index);

PINION_END

#endif
