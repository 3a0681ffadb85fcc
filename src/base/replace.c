/* Writing whole files: they take the place of what was there when they are complete, and nothing of them is
 * seen before. Until then a file has no name, where the system has such files, so that a process that is
 * ended leaves nothing. */
#if defined(__linux__)
#define _GNU_SOURCE /* O_TMPFILE */
#else
#define _POSIX_C_SOURCE 200809L
#endif

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ATTEMPTS = 1000,
    LINKS = 40,      /* as many as the system follows */
    NAME_KEPT = 200, /* of a file's name in that of the one beside it, since systems take 255 bytes */
};

int pn_file_write_all(int file, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        const ssize_t done = write(file, from, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        from += done;
        size -= (size_t)done;
    }
    return 0;
}

/* Opens a file without a name in the folder of `path`; -1 when there are none. `name` is room for the
 * folder's. */
static int open_unnamed(const char *path, mode_t mode, char *name)
{
#ifdef O_TMPFILE
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    memcpy(name, length ? path : ".", length ? length : 1);
    name[length ? length : 1] = 0;
    return open(name, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
#else
    (void)path, (void)mode, (void)name;
    return -1;
#endif
}

/* The name of a new file beside `path`. */
static void put_name(const char *path, unsigned attempt, char *name, size_t room)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    snprintf(name, room, "%.*s%.*s.%ld-%u.tmp", (int)folder, path, NAME_KEPT, path + folder, (long)getpid(), attempt);
}

/* Gives a file without a name one beside `path`; 0, or the error number. */
static int name_beside(int file, const char *path, char *name, size_t room)
{
    char here[64];
    snprintf(here, sizeof here, "/proc/self/fd/%d", file);
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        put_name(path, attempt, name, room);
        if (linkat(AT_FDCWD, here, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) return 0;
        if (errno != EEXIST) return errno;
    }
    return EEXIST;
}

/* Opens a new file beside `path` and puts its name into `name`; -1 with errno on failure. */
static int open_beside(const char *path, mode_t mode, char *name, size_t room)
{
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        put_name(path, attempt, name, room);
        const int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

/* Content and rights of a new file, in this order: nobody else may see a part of a private one. */
static int fill(int file, const void *bytes, size_t size, int mode, int sync)
{
    int number = pn_file_write_all(file, bytes, size);
    if (!number && mode != PN_FILE_ANY_MODE && fchmod(file, (mode_t)mode) != 0) number = errno;
    if (!number && sync && fsync(file) != 0) number = errno;
    return number;
}

/* Keeps signals away from this thread while a file has a name that it is not to keep. `before` may be NULL.
 */
static void hold_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    if (before) pthread_sigmask(SIG_BLOCK, &all, before);
}

/* As pn_file_write_beside(); from where the file has a name on signals are held, where `before` is not NULL.
 */
static int write_beside(const char *path, const void *bytes, size_t size, int mode, int sync, char **name,
                        sigset_t *before)
{
    struct stat old;
    const size_t room = strlen(path) + 48;
    *name = malloc(room);
    if (!*name) return ENOMEM;
    if (mode == PN_FILE_ANY_MODE && stat(path, &old) == 0 && S_ISREG(old.st_mode)) mode = old.st_mode & 0777;
    const mode_t first = mode == PN_FILE_ANY_MODE ? 0666 : 0600;

    int file = open_unnamed(path, first, *name), number = ENOSYS,
        named = 0; /* ENOSYS: there are no such files */
    if (file >= 0) {
        number = fill(file, bytes, size, mode, sync);
        hold_signals(before);
        if (!number) number = name_beside(file, path, *name, room);
        named = !number;
    }
    /* where that cannot be done, but not where the disk is full */
    if (number == ENOSYS || number == ENOENT || number == EXDEV || number == EPERM || number == EACCES) {
        if (file >= 0)
            close(file);
        else
            hold_signals(before);
        file = open_beside(path, first, *name, room);
        named = file >= 0;
        number = named ? fill(file, bytes, size, mode, sync) : errno;
    }
    if (file >= 0 && close(file) != 0 && !number) number = errno;
    if (!number) return 0;
    if (named) unlink(*name);
    free(*name);
    *name = NULL;
    return number;
}

int pn_file_write_beside(const char *path, const void *bytes, size_t size, int mode, int sync, char **name)
{
    return write_beside(path, bytes, size, mode, sync, name, NULL);
}

int pn_file_replace(const char *path, const void *bytes, size_t size, int mode, int sync)
{
    char *name;
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    int number = write_beside(path, bytes, size, mode, sync, &name, &before);
    if (!number && rename(name, path) != 0) {
        number = errno;
        unlink(name);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(name);
    return number;
}

char *pn_file_behind_links(const char *path)
{
    char text[4096], *at = malloc(strlen(path) + 1);
    if (at) memcpy(at, path, strlen(path) + 1);
    for (int i = 0; at && i < LINKS; i++) {
        const ssize_t length = readlink(at, text, sizeof text);
        if (length < 0) return at; /* no link, or nothing yet */
        const char *slash = text[0] == '/' ? NULL : strrchr(at, '/');
        const size_t folder = slash ? (size_t)(slash - at) + 1 : 0;
        char *next = malloc(folder + (size_t)length + 1);
        if (next) {
            memcpy(next, at, folder);
            memcpy(next + folder, text, (size_t)length);
            next[folder + (size_t)length] = '\0';
        }
        free(at);
        at = next;
    }
    errno = at ? ELOOP : ENOMEM;
    free(at);
    return NULL;
}
