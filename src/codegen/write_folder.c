/* Generated files on disk: they appear as a whole, or not at all. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700

#include "base/file.h"
#include "codegen/codegen_steps.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* the path of a file in the folder; `path` has room for it, with a slash between and the end */
static void path_in(const char *folder, const char *name, char *path)
{
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    snprintf(path, strlen(folder) + strlen(name) + 2, "%s%s%s", folder, slash, name);
}

/* All files are there under other names before the first takes its place, so that a disk that is full leaves the folder
 * as it was. 0, or the error number, with the path it is about. */
static int write_files(const pinion_generated *g, const char *folder, char **beside, char *path)
{
    int number = 0;
    for (int i = 0; i < g->files && !number; i++) {
        path_in(folder, g->file[i].name, path);
        number = pn_file_write_beside(path, g->file[i].text, g->file[i].length, PN_FILE_ANY_MODE, 0, &beside[i]);
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
    const pinion_status status = number ? pn_file_not_written(err, path ? path : folder, number) : PINION_OK;
    free(beside);
    free(path);
    return status;
}
