/* Reading tables of numbers from CSV files: trajectories, torques, results. Private to src/sim.
 *
 * What is understood: fields separated by commas, quoted as in RFC 4180 ("a ""quoted"" name", which may hold
 * commas and line ends), white space around fields, empty lines, comment lines that start with '#', line ends
 * of any system, a UTF-8 byte order mark. The first row may name the columns; a unit in brackets may follow a
 * name: q.shoulder [rad]. All others are numbers, with a decimal point whatever the locale, or nan, inf,
 * -inf. */
#ifndef PN_SIM_CSV_H
#define PN_SIM_CSV_H

#include <stddef.h>

#include "pinion/base.h"

/* What a file may have at most: bytes and columns. */
#define PN_CSV_SIZE_MAX ((size_t)1 << 30)
#define PN_CSV_COLUMNS_MAX 32768

typedef struct pn_csv {
    int columns;    /* 1 or more */
    size_t rows;    /* 0 only when there is a row of names */
    char **name;    /* [columns] as written, units too, each once; NULL when the first row has numbers */
    char *quoted;   /* [columns] whether the name is in quotes; NULL together with name */
    double *values; /* rows x columns */
    int *line;      /* [rows] where in the file a row is, from 1 */
    char *text;     /* what the strings point into */
} pn_csv;

/* Reads a file. On failure `err` (which may be NULL) has the file, line and reason, and `out` is empty. What
 * was read is released by pn_csv_free(). */
PINION_CHECK pinion_status pn_csv_load(const char *path, pn_csv *out, pinion_error *err);
/* The same from memory: `text` has size bytes and a '\0' behind them, comes from malloc() and belongs to this
 * function from here on, also when it fails. `name` stands for the file in messages. */
PINION_CHECK pinion_status pn_csv_parse(char *text, size_t size, const char *name, pn_csv *out,
                                        pinion_error *err);
/* Releases what a pn_csv holds and empties it. */
void pn_csv_free(pn_csv *csv);

/* Where the unit in brackets at the end of a name starts; NULL when it has none. *length is the name's
 * without it. A name may itself end in brackets: which of the two it is, the reader of the name has to know.
 */
const char *pn_csv_unit(const char *name, size_t *length);
/* The column of exactly that name, else the only one that adds a unit to it; -1 when there is none, or there
 * are no names. */
int pn_csv_find(const pn_csv *csv, const char *name);

/* Whether a name is that of a column which runs have in their results besides t, q, v, a and tau. Readers of those pass
 * over it; other names are more likely mistakes than meant. */
int pn_csv_is_extra(const char *name);

/* Reads one number of such a file, the whole of a string: decimal, or nan, inf, -inf. 0 when it is none. */
int pn_csv_number(const char *text, double *number);

#endif
