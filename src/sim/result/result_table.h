/* What a result holds, and what its writers and readers share. Private to src/sim. */
#ifndef PN_SIM_RESULT_H
#define PN_SIM_RESULT_H

#include <stdint.h>

#include "pinion/sim/result.h"

/* What a result may hold at most; the readers check by the same functions that programs call. */
#define PN_RESULT_KEYS_MAX 1000
#define PN_RESULT_KEY_MAX 63                  /* bytes of a key */
#define PN_RESULT_TEXT_MAX ((size_t)64 << 20) /* bytes of a text */
#define PN_RESULT_COLUMNS_MAX 32768
#define PN_RESULT_NAME_MAX 1023 /* bytes of a column's name */
#define PN_RESULT_UNIT_MAX 63
#define PN_RESULT_EVENTS_MAX 1000000
#define PN_RESULT_EVENT_MAX 1023               /* bytes of an event's text */
#define PN_RESULT_NUMBERS_MAX (1 << 26)        /* under one key */
#define PN_RESULT_SIZE_MAX ((size_t)1 << 30)   /* bytes of a CSV or JSON lines file */
#define PN_RESULT_HEAD_MAX ((size_t)128 << 20) /* bytes of the first line of JSON lines */

#define PN_RESULT_VERSION 1 /* of JSON lines; of HDF5 without a checksum */
#define PN_RESULT_SUMMED 2  /* of HDF5 with one, in the attribute of this name, which is no key of a text */
#define PN_RESULT_SUM "pinion_result:sha256"

typedef struct pn_result_text {
    char *key, *text;
} pn_result_text;

typedef struct pn_result_numbers {
    char *key;
    int count;
    double *values;
} pn_result_numbers;

typedef struct pn_result_column {
    char *name, *unit;
    uint32_t hash; /* of the name: most comparisons end there */
    double *values;
} pn_result_column;

typedef struct pn_result_event {
    double t;
    char *text;
} pn_result_event;

struct pinion_result {
    pn_result_text *text; /* in the order in which keys were first set */
    int texts, text_capacity;
    pn_result_numbers *numbers; /* sorted by key */
    int number_keys, number_capacity;
    pn_result_column *column;
    int columns, column_capacity;
    size_t rows, row_capacity; /* of every column */
    pn_result_event *event;
    int events, event_capacity;
};

/* Why something cannot be a key, a column's name, a unit or an event's text, as "is ..."; NULL when it can.
 */
const char *pn_result_key_problem(const char *key);
const char *pn_result_name_problem(const char *name);
const char *pn_result_unit_problem(const char *unit);
const char *pn_result_event_problem(const char *text);

/* Adds a column or an event on behalf of a file: a failure is reported as of that line. */
PINION_CHECK pinion_status pn_result_read_column(pinion_result *r, const char *name, const char *unit,
                                                 const char *file, int line, pinion_error *err);
PINION_CHECK pinion_status pn_result_read_event(pinion_result *r, double t, const char *text,
                                                const char *file, int line, pinion_error *err);
/* Adds a column where there may be rows already; what these have in it, [rows], is to be filled by the caller. */
PINION_CHECK pinion_status pn_result_insert_column(pinion_result *r, const char *name, const char *unit,
                                                   double **values);
/* Gives every column room for that many rows, which the caller then fills, all of them. */
PINION_CHECK pinion_status pn_result_set_rows(pinion_result *r, size_t rows);

/* The SHA-256 of all that a result holds, whatever file it was in. */
void pn_result_sum(const pinion_result *r, char hex[65]);

/* The formats. A writer returns the file's bytes, to be released with free(), and a reader a result; NULL
 * with `err` filled on failure. `path` is for messages. */
char *pn_result_write_csv(const pinion_result *r, const char *path, size_t *size, pinion_error *err);
char *pn_result_write_jsonl(const pinion_result *r, const char *path, size_t *size, pinion_error *err);
char *pn_result_write_hdf5(const pinion_result *r, const char *path, size_t *size, pinion_error *err);
/* The text has a '\0' behind its `size` bytes and belongs to the function from here on. */
pinion_result *pn_result_read_csv(char *text, size_t size, const char *name, pinion_error *err);
/* The text has a '\0' behind its `size` bytes; it may be changed. */
pinion_result *pn_result_read_jsonl(char *text, size_t size, const char *name, pinion_error *err);
pinion_result *pn_result_read_hdf5(const char *path, pinion_error *err);
/* CSV or JSON lines from memory, by content; takes the text as pn_result_read_csv() does. */
pinion_result *pn_result_read_text(char *text, size_t size, const char *name, pinion_error *err);

#endif
