/* Reading whole files within a limit. */
#define _POSIX_C_SOURCE 200809L

#include "io/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/model_io.h"

static void report_read(const char *path, int number, size_t limit, const char *what, pinion_error *err)
{
    if (number == ENOMEM)
        pn_error_set(err, PINION_ERR_MEMORY, path, 0, 0, "out of memory");
    else if (number == EFBIG)
        pn_error_set(err, PINION_ERR_FILE, path, 0, 0, "too large to be %s; expected at most %d MiB", what,
                     (int)(limit >> 20));
    else if (number == EISDIR)
        pn_error_set(err, PINION_ERR_FILE, path, 0, 0, "cannot be read: it is a directory; expected %s",
                     what);
    else {
        char reason[128]; /* strerror itself may share its buffer between threads */
        if (strerror_r(number, reason, sizeof reason) != 0)
            snprintf(reason, sizeof reason, "error %d", number);
        pn_error_set(err, PINION_ERR_FILE, path, 0, 0, "cannot be read: %s", reason);
    }
}

/* Opens a file that is no directory; -1 with errno. `size` is what it has now, 0 when unknown. */
static int open_to_read(const char *path, size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    struct stat about;
    int number = fstat(file, &about) != 0 ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
    if (number) {
        close(file);
        errno = number;
        return -1;
    }
    *size = S_ISREG(about.st_mode) && about.st_size > 0 ? (size_t)about.st_size : 0;
    return file;
}

/* Reads until the end or until `size` bytes are there; how many, or -1 with errno. */
static ssize_t read_some(int file, void *bytes, size_t size)
{
    size_t used = 0;
    while (used < size) {
        ssize_t got = read(file, (char *)bytes + used, size - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        used += (size_t)got;
    }
    return (ssize_t)used;
}

/* Reads all of an open file into memory that grows, since a pipe does not know its size and a file may grow
 * meanwhile. Returns 0 or an error number. */
static int read_rest(int file, size_t guess, size_t limit, char **text, size_t *size)
{
    size_t capacity = 0, used = 0;
    *text = NULL;
    if (guess > limit) return EFBIG;
    for (;;) {
        size_t wanted = capacity ? 2 * capacity : guess ? guess + 2 : 65536;
        char *grown = realloc(*text, wanted);
        if (!grown) return ENOMEM;
        *text = grown;
        capacity = wanted;
        ssize_t got = read_some(file, grown + used, capacity - used - 1);
        if (got < 0) return errno;
        used += (size_t)got;
        if (used > limit) return EFBIG;
        if (used < capacity - 1) break;
    }
    (*text)[used] = '\0';
    *size = used;
    return 0;
}

char *pn_file_read(const char *path, size_t limit, const char *what, size_t *size, pinion_error *err)
{
    size_t guess;
    int file = open_to_read(path, &guess);
    if (file < 0) {
        report_read(path, errno, limit, what, err);
        return NULL;
    }
    char *text;
    int number = read_rest(file, guess, limit, &text, size);
    close(file);
    if (!number) return text;
    report_read(path, number, limit, what, err);
    free(text);
    return NULL;
}

int pn_file_starts_with(const char *path, const void *bytes, size_t size)
{
    char start[64];
    struct stat about;
    if (size > sizeof start || stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t got = read_some(file, start, size);
    close(file);
    return got == (ssize_t)size && memcmp(start, bytes, size) == 0;
}
