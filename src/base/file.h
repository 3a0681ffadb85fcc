/* Whole files: read within a limit, written as a whole or not at all. Needs POSIX; the core goes without. */
#ifndef PN_FILE_H
#define PN_FILE_H

#include <stddef.h>

#include "pinion/base.h"

/* The whole of a file or pipe and a '\0' behind it, to be released with free(); NULL with `err` filled.
 * `what` is what the file should be, for messages ("a result"). */
char *pn_file_read(const char *path, size_t limit, const char *what, size_t *size, pinion_error *err);
/* Nonzero when it is a regular file that starts with these bytes. A pipe is not touched. */
int pn_file_starts_with(const char *path, const void *bytes, size_t size);
/* Reads from an open file until its end or until `size` bytes are there; how many, or -1 with errno. */
long pn_file_read_some(int file, void *bytes, size_t size);

/* Nonzero when a path ends with an extension such as ".json", in small or capital letters. */
int pn_file_has_extension(const char *path, const char *extension);

/* Writing. These return 0 or the error number. */
enum { PN_FILE_ANY_MODE = -1 }; /* the rights of any new file */

int pn_file_write_all(int file, const void *bytes, size_t size);
/* Puts the bytes into a new file beside `path`, whose name is new memory in *name; on failure there is no such file and
 * *name is NULL. `sync` nonzero: it is on the disk before this returns. */
int pn_file_write_beside(const char *path, const void *bytes, size_t size, int mode, int sync, char **name);
/* The same, and then it takes the place of `path`. */
int pn_file_replace(const char *path, const void *bytes, size_t size, int mode, int sync);
/* Where a path leads that may be a symbolic link, to a file that need not be there, in new memory; NULL with errno.
 * What is replaced is the file, never the link. */
char *pn_file_behind_links(const char *path);
/* "PATH: cannot be written: REASON", or out of memory; returns the status. */
pinion_status pn_file_not_written(pinion_error *err, const char *path, int number);

#endif
