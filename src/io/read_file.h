/* Reading whole files within a limit: models, and what src/sim reads. */
#ifndef PN_IO_FILES_H
#define PN_IO_FILES_H

#include <stddef.h>

#include "pinion/base.h"

/* The whole of a file or pipe and a '\0' behind it, to be released with free(); NULL with `err` filled.
 * `what` is what the file should be, for messages ("a result"). */
char *pn_file_read(const char *path, size_t limit, const char *what, size_t *size, pinion_error *err);
/* Nonzero when it is a regular file that starts with these bytes. A pipe is not touched. */
int pn_file_starts_with(const char *path, const void *bytes, size_t size);

#endif
