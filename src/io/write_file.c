/* Writing files whole or not at all. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700

#include "io/model_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes all of a text; 0, or the error number. */
static int write_all(int file, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t done = write(file, text, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        text += done;
        size -= (size_t)done;
    }
    return 0;
}

/* Opens a new file beside `path` and puts its name into `name`, which has room for 32 bytes more than
 * `path` has; -1 with errno on failure. Unlike those of mkstemp it gets the rights of any new file. */
static int open_beside(const char *path, char *name)
{
    size_t room = strlen(path) + 32;
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(name, room, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

/* Puts the text into a new file and that in the place of `path`; 0, or the error number. */
static int replace_file(const char *path, const struct stat *old, const char *text, size_t size)
{
    char *name = malloc(strlen(path) + 32);
    if (!name) return ENOMEM;
    int file = open_beside(path, name);
    if (file < 0) {
        int number = errno;
        free(name);
        return number;
    }
    int number = write_all(file, text, size);
    if (!number && old && fchmod(file, old->st_mode & 0777) != 0) number = errno;
    if (!number && fsync(file) != 0) number = errno;
    if (close(file) != 0 && !number) number = errno;
    if (!number && rename(name, path) != 0) number = errno;
    if (number) unlink(name);
    free(name);
    return number;
}

/* Writes the text to a path, as what the path is asks for; 0, or the error number. */
static int write_path(const char *path, const char *text, size_t size)
{
    struct stat old;
    if (stat(path, &old) != 0) return replace_file(path, NULL, text, size);
    if (S_ISDIR(old.st_mode)) return EISDIR;

    /* a pipe or a terminal cannot be replaced, and must not be */
    if (!S_ISREG(old.st_mode)) {
        int file = open(path, O_WRONLY | O_CLOEXEC);
        if (file < 0) return errno;
        int number = write_all(file, text, size);
        if (close(file) != 0 && !number) number = errno;
        return number;
    }

    /* behind a symbolic link it is the file that is replaced, not the link */
    char *target = realpath(path, NULL);
    if (!target) return errno;
    int number = replace_file(target, &old, text, size);
    free(target);
    return number;
}

pinion_status pinion_write_file(const char *path, const void *bytes, size_t size, pinion_error *err)
{
    if (!path || !*path || (!bytes && size)) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no file to write was named, or nothing to write");
        return PINION_ERR_ARGUMENT;
    }
    int number = write_path(path, bytes, size);
    if (number == 0) return PINION_OK;
    if (number == ENOMEM) {
        pn_error_set(err, PINION_ERR_MEMORY, path, 0, 0, "out of memory");
        return PINION_ERR_MEMORY;
    }
    char reason[128]; /* strerror itself may share its buffer between threads */
    if (strerror_r(number, reason, sizeof reason) != 0) snprintf(reason, sizeof reason, "error %d", number);
    pn_error_set(err, PINION_ERR_FILE, path, 0, 0, "cannot be written: %s", reason);
    return PINION_ERR_FILE;
}
