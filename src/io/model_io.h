/* What the readers and writers of model files share. Private to src/io. */
#ifndef PN_IO_H
#define PN_IO_H

#include <stdarg.h>
#include <stddef.h>

#include "pinion/io.h"

#if defined(__GNUC__) || defined(__clang__)
#define PN_PRINTF(at, first) __attribute__((__format__(__printf__, at, first)))
#else
#define PN_PRINTF(at, first)
#endif

/* The largest file or string that is read, and the longest number in one, in bytes. */
#define PN_SIZE_MAX ((size_t)64 << 20)
#define PN_NUMBER_MAX 1100

/* ---------------------------------------------------------------------------------------------
 * The formats. The text of a reader has no byte order mark, at most PN_SIZE_MAX bytes, and
 * text[size] is its only '\0'. `name` stands for the file in messages and
 * is never NULL; `o` and `err` may be NULL. A reader returns NULL with `err` filled on failure. */

pinion_model *pn_urdf_read(const char *text, size_t size, const char *name, const pinion_load_options *o,
                           pinion_error *err);
pinion_model *pn_json_read(const char *text, size_t size, const char *name, const pinion_load_options *o,
                           pinion_error *err);

/* A new string, to be released with free(); NULL with `err` filled on failure. */
char *pn_urdf_write(const pinion_model *m, pinion_error *err);
char *pn_json_write(const pinion_model *m, pinion_error *err);

/* ---------------------------------------------------------------------------------------------
 * Errors and numbers: text.c. Nothing here depends on the locale. */

/* Fills `err` (which may be NULL) with "file:line: ..."; "file: ..." when line is 0, and the message
 * alone when `file` is NULL. The message is always one line of valid UTF-8: what does not fit is cut
 * between characters, control characters and stray bytes become '?'. So "%.40s" may be used on names.
 * The format may not print a floating-point number (the locale's decimal point would show). */
void pn_error_set(pinion_error *err, pinion_status s, const char *file, int line, int column,
                  const char *format, ...) PN_PRINTF(6, 7);

/* Reads the decimal number at the start of `text`, which ends with '\0': [+-] digits [.digits]
 * [e[+-]digits], a digit before or after the point; no white space, hexadecimal, inf or nan. Returns
 * 1, the value and the first byte behind it; returns 0, changing nothing, when there is no such number,
 * when it is longer than PN_NUMBER_MAX or when it is too large for a double. `end` may be NULL. */
int pn_parse_number(const char *text, const char **end, double *out);

/* ---------------------------------------------------------------------------------------------
 * A growing string for the writers. Start with {0}. After a failed allocation appending does nothing
 * and pn_text_take returns NULL, so a writer checks once, at the end. */

typedef struct pn_text {
    char *data; /* ends with '\0' once something was appended */
    size_t size, capacity;
    int failed; /* nonzero: out of memory */
} pn_text;

void pn_text_append(pn_text *t, const char *string);
void pn_text_append_bytes(pn_text *t, const char *bytes, size_t count);
/* Strings and integers only: a floating-point number goes through pn_text_number. */
void pn_text_appendf(pn_text *t, const char *format, ...) PN_PRINTF(2, 3);
/* The shortest of 15, 16 or 17 digits that reads back as the same double; x must be finite. */
void pn_text_number(pn_text *t, double x);
/* Text for an XML attribute or element: & < > " ' and tabs and line ends as references. */
void pn_text_xml(pn_text *t, const char *string);
/* Hands over the string ("" when nothing was appended), NULL when out of memory; `t` is empty after it. */
char *pn_text_take(pn_text *t);
void pn_text_free(pn_text *t);

#endif
