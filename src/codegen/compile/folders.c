/* Private folders and whole files, for compiling and for what was compiled. */
#include "base/file.h"
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

int pn_file_put(const char *path, const void *data, size_t size)
{
    const int number = pn_file_replace(path, data, size, 0600, 0);
    errno = number ? number : errno;
    return !number;
}

/* the bytes of an open file of this size, and a zero behind them */
static char *read_all(int file, size_t size)
{
    char *data = malloc(size + 1);
    if (data && pn_file_read_some(file, data, size) == (long)size) {
        data[size] = 0;
        return data;
    }
    free(data);
    return NULL;
}

int pn_file_hold(const char *path, size_t limit, char **data, size_t *size)
{
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return -1;
    struct stat s;
    const int ours = fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
                     !(s.st_mode & (S_IWGRP | S_IWOTH)) && s.st_size >= 0 && (uintmax_t)s.st_size <= limit;
    *data = ours ? read_all(file, (size_t)s.st_size) : NULL;
    *size = ours ? (size_t)s.st_size : 0;
    if (*data) return file;
    close(file);
    return -1;
}

int pn_file_take(const char *path, size_t limit, char **data, size_t *size)
{
    const int file = pn_file_hold(path, limit, data, size);
    if (file >= 0) close(file);
    return file >= 0;
}
