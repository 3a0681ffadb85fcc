#define _POSIX_C_SOURCE 200809L

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"

/* strerror itself may share its buffer between threads */
static const char *reason_of(int number, char reason[128])
{
    if (strerror_r(number, reason, 128) != 0) snprintf(reason, 128, "error %d", number);
    return reason;
}

pinion_status pn_file_not_written(pinion_error *err, const char *path, int number)
{
    char reason[128];
    if (number == ENOMEM) return pn_error_set(err, PINION_ERR_MEMORY, path, 0, 0, "out of memory");
    return pn_error_set(err, PINION_ERR_FILE, path, 0, 0, "cannot be written: %s", reason_of(number, reason));
}

static void report_read(const char *path, int number, size_t limit, const char *what, pinion_error *err)
{
    if (number == ENOMEM)
        pn_error_set(err, PINION_ERR_MEMORY, path, 0, 0, "out of memory");
    else if (number == EFBIG)
        pn_error_set(err, PINION_ERR_FILE, path, 0, 0, "too large to be %s; expected at most %d MiB", what,
                     (int)(limit >> 20));
    else if (number == EISDIR || number == ENODEV)
        pn_error_set(err, PINION_ERR_FILE, path, 0, 0, "cannot be read: it is a %s; expected %s",
                     number == EISDIR ? "directory" : "device", what);
    else {
        char reason[128];
        pn_error_set(err, PINION_ERR_FILE, path, 0, 0, "cannot be read: %s", reason_of(number, reason));
    }
}

/* Opens a file or pipe; -1 with errno for directories, and for devices, of which some never end: only what a
 * person types is read from one. `size` is what it has now, 0 when unknown. */
static int open_to_read(const char *path, size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    struct stat about;
    int number = fstat(file, &about) != 0 ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
    if (!number && (S_ISBLK(about.st_mode) || (S_ISCHR(about.st_mode) && !isatty(file)))) number = ENODEV;
    if (number) {
        close(file);
        errno = number;
        return -1;
    }
    *size = S_ISREG(about.st_mode) && about.st_size > 0 ? (size_t)about.st_size : 0;
    return file;
}

long pn_file_read_some(int file, void *bytes, size_t size)
{
    size_t used = 0;
    while (used < size) {
        ssize_t got = read(file, (char *)bytes + used, size - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        used += (size_t)got;
    }
    return (long)used;
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
        if (wanted > limit + 2) wanted = limit + 2; /* which is enough to see that there is more */
        char *grown = realloc(*text, wanted);
        if (!grown) return ENOMEM;
        *text = grown;
        capacity = wanted;
        const long got = pn_file_read_some(file, grown + used, capacity - used - 1);
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
    const long got = pn_file_read_some(file, start, size);
    close(file);
    return got == (long)size && memcmp(start, bytes, size) == 0;
}

int pn_file_has_extension(const char *path, const char *extension)
{
    const size_t length = strlen(path), tail = strlen(extension);
    if (length <= tail) return 0;
    for (size_t i = 0; i < tail; i++) {
        const char c = path[length - tail + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != extension[i]) return 0;
    }
    return 1;
}
