/* Generated files on disk: they appear as a whole, or not at all. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700

#include "codegen/codegen_steps.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pinion_status complain(const char *path, int number, pinion_error *err)
{
    char reason[128]; /* strerror itself may share its buffer between threads */
    if (number == ENOMEM) return pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
    if (strerror_r(number, reason, sizeof reason) != 0) snprintf(reason, sizeof reason, "error %d", number);
    /* a very long path keeps its end, which tells more */
    const size_t length = strlen(path), most = 300;
    return pn_codegen_fail(err, PINION_ERR_FILE, "%s%s: cannot be written: %s", length > most ? "..." : "",
                           length > most ? path + (length - most) : path, reason);
}

/* the folder and those above it; 0, or the error number */
static int make_folder(char *path)
{
    struct stat about;
    for (char *c = path + 1; *c; c++) {
        if (*c != '/') continue;
        *c = 0;
        const int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        const int number = errno;
        *c = '/';
        if (failed && stat(path, &about) != 0) return number;
    }
    if (mkdir(path, 0777) == 0) return 0;
    const int number = errno;
    if (stat(path, &about) != 0) return number;
    return S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
}

static int write_all(int file, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t done = write(file, text, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        text += done;
        size -= (size_t)done;
    }
    return 0;
}

/* a new file beside the one to be, with the rights of any new file; -1 with errno */
static int open_beside(const char *path, char *name, size_t room)
{
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(name, room, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        const int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

/* Writes a file under another name beside the one to be, which is new memory in *name. 0, or the error number; then
 * there is no such file. */
static int write_beside(const char *path, const pn_file *source, char **name)
{
    const size_t room = strlen(path) + 48;
    *name = malloc(room);
    if (!*name) return ENOMEM;
    const int file = open_beside(path, *name, room);
    int number = file < 0 ? errno : write_all(file, source->text, source->length);
    if (file >= 0 && close(file) != 0 && !number) number = errno;
    if (!number) return 0;
    if (file >= 0) unlink(*name);
    free(*name);
    *name = NULL;
    return number;
}

/* the path of a file in the folder; `path` has room for it */
static void path_in(const char *folder, const char *name, char *path)
{
    sprintf(path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
}

/* All files are there under other names before the first takes its place, so that a disk that is full leaves the folder
 * as it was. 0, or the error number, with the path it is about. */
static int write_files(const pinion_generated *g, const char *folder, char **beside, char *path)
{
    int number = 0;
    for (int i = 0; i < g->files && !number; i++) {
        path_in(folder, g->file[i].name, path);
        number = write_beside(path, &g->file[i], &beside[i]);
    }
    for (int i = 0; i < g->files && !number; i++) {
        path_in(folder, g->file[i].name, path);
        if (rename(beside[i], path) != 0)
            number = errno;
        else
            *beside[i] = 0;
    }
    for (int i = 0; i < g->files; i++) {
        if (beside[i] && *beside[i]) unlink(beside[i]);
        free(beside[i]);
    }
    return number;
}

pinion_status pinion_generated_write(const pinion_generated *g, const char *folder, pinion_error *err)
{
    if (!g || !folder || !*folder)
        return pn_codegen_fail(err, PINION_ERR_ARGUMENT, "no folder to write to was named");
    const size_t length = strlen(folder);
    size_t longest = 0;
    for (int i = 0; i < g->files; i++)
        if (strlen(g->file[i].name) > longest) longest = strlen(g->file[i].name);
    char *path = malloc(length + longest + 2);
    char **beside = calloc((size_t)g->files + 1, sizeof *beside);
    int number = path && beside ? 0 : ENOMEM;
    if (!number) {
        memcpy(path, folder, length + 1);
        number = make_folder(path);
    }
    if (!number) number = write_files(g, folder, beside, path);
    const pinion_status status = number ? complain(path ? path : folder, number, err) : PINION_OK;
    free(beside);
    free(path);
    return status;
}
