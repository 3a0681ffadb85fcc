/* Errors: one line each, whatever the names in them hold. */
#ifndef PN_MESSAGE_H
#define PN_MESSAGE_H

#include "pinion/base.h"

#if defined(__GNUC__) || defined(__clang__)
#define PN_PRINTF(at, first) __attribute__((__format__(__printf__, at, first)))
#else
#define PN_PRINTF(at, first)
#endif

/* Fills `err` (which may be NULL) with "file:line: ..."; "file: ..." when line is 0, and the message
 * alone when `file` is NULL. The message is always one line of valid UTF-8: what does not fit is cut
 * between characters, control characters and stray bytes become '?'. So "%.40s" may be used on names.
 * The format may not print a floating-point number (the locale's decimal point would show). Returns `s`. */
pinion_status pn_error_set(pinion_error *err, pinion_status s, const char *file, int line, int column,
                           const char *format, ...) PN_PRINTF(6, 7);

#endif
