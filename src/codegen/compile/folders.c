/* Private folders and whole files, for compiling and for what was compiled. */
#include "codegen/compile/compiled.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *pn_path_of(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s/%s", folder, name);
    return path;
}

char *pn_folder_new(void)
{
    const char *place = getenv("TMPDIR");
    char *path = pn_path_of(place && place[0] == '/' ? place : "/tmp", "pinion-XXXXXX");
    if (path && mkdtemp(path)) return path;
    const int number = path ? errno : ENOMEM;
    free(path);
    errno = number;
    return NULL;
}

void pn_folder_remove(char *folder)
{
    if (!folder) return;
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(list), entry->d_name, 0);
    if (list) closedir(list);
    rmdir(folder);
    free(folder);
}

/* all of it, whatever part each call takes */
static int write_all(int file, const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(file, data, size);
        if (n < 0 && errno != EINTR) return 0;
        if (n <= 0) continue;
        data += n;
        size -= (size_t)n;
    }
    return 1;
}

int pn_file_put(const char *path, const void *data, size_t size)
{
    /* under another name first, so that nobody sees a part of it */
    const size_t room = strlen(path) + 8;
    char *temporary = malloc(room);
    if (!temporary) {
        errno = ENOMEM;
        return 0;
    }
    snprintf(temporary, room, "%s.XXXXXX", path);
    const int file = mkstemp(temporary); /* mode 0600 */
    int fine = file >= 0 && write_all(file, data, size);
    int number = errno;
    if (file >= 0 && close(file) != 0) fine = 0;
    if (fine && rename(temporary, path) != 0) fine = 0, number = errno;
    if (file >= 0 && !fine) unlink(temporary);
    free(temporary);
    errno = number;
    return fine;
}

/* the bytes of an open file of this size */
static char *read_all(int file, size_t size)
{
    char *data = malloc(size + 1);
    size_t have = 0;
    while (data && have < size) {
        const ssize_t n = read(file, data + have, size - have);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        have += (size_t)n;
    }
    if (data && have == size) {
        data[size] = 0;
        return data;
    }
    free(data);
    return NULL;
}

int pn_file_take(const char *path, size_t limit, char **data, size_t *size)
{
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return 0;
    struct stat s;
    const int ours = fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
                     !(s.st_mode & (S_IWGRP | S_IWOTH)) && s.st_size >= 0 && (uintmax_t)s.st_size <= limit;
    *data = ours ? read_all(file, (size_t)s.st_size) : NULL;
    *size = ours ? (size_t)s.st_size : 0;
    close(file);
    return *data != NULL;
}
