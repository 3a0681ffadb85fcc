/* Writing a file, whatever its path leads to. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/message.h"
#include "pinion/io.h"

/* Writes the text to a path, as what the path is asks for; 0, or the error number. */
static int write_path(const char *path, const char *text, size_t size)
{
    struct stat old;
    const int there = stat(path, &old) == 0;
    if (there && S_ISDIR(old.st_mode)) return EISDIR;

    /* a pipe or a terminal cannot be replaced, and must not be */
    if (there && !S_ISREG(old.st_mode)) {
        int file = open(path, O_WRONLY | O_CLOEXEC);
        if (file < 0) return errno;
        int number = pn_file_write_all(file, text, size);
        if (close(file) != 0 && !number) number = errno;
        return number;
    }

    char *target = pn_file_behind_links(path);
    if (!target) return errno;
    int number = pn_file_replace(target, text, size, there ? (int)(old.st_mode & 0777) : PN_FILE_ANY_MODE, 1);
    free(target);
    return number;
}

pinion_status pinion_write_file(const char *path, const void *bytes, size_t size, pinion_error *err)
{
    if (!path || !*path || (!bytes && size))
        return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0,
                            "no file to write was named, or nothing to write");
    const int number = write_path(path, bytes, size);
    return number ? pn_file_not_written(err, path, number) : PINION_OK;
}
