/* Where the bundled models are: beside the build, beside the installed command, or where it was told. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "cli/args/find_model.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

/* "folder/middle/name" in new memory if that file can be read, else NULL. */
static char *try_folder(const char *folder, const char *middle, const char *name)
{
    if (!folder || !*folder) return NULL;
    size_t size = strlen(folder) + strlen(middle) + strlen(name) + 3;
    char *path = malloc(size);
    if (!path) return NULL;
    snprintf(path, size, "%s%s%s/%s", folder, *middle ? "/" : "", middle, name);
    if (access(path, R_OK) == 0) return path;
    free(path);
    return NULL;
}

/* The folder the program is in, in `folder`; empty when unknown. */
static void program_folder(const char *program, char *folder)
{
    char link[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", link, sizeof link - 1);
    folder[0] = '\0';
    if (length > 0) {
        link[length] = '\0';
        memcpy(folder, link, (size_t)length + 1);
    } else if (!program || !strchr(program, '/') || !realpath(program, folder)) {
        folder[0] = '\0';
    }
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
}

/* The same file from where the user stands, which reads better. */
static char *shorten(char *path)
{
    char full[PATH_MAX], here[PATH_MAX];
    if (!realpath(path, full)) return path;
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    int inside = length > 1 && strncmp(full, here, length) == 0 && full[length] == '/';
    const char *better = inside ? full + length + 1 : full;
    char *copy = strdup(better);
    if (!copy) return path;
    free(path);
    return copy;
}

char *pn_cli_find_model(const char *program, const char *name)
{
    char folder[PATH_MAX];
    program_folder(program, folder);
    char *path = try_folder(getenv("PINION_MODELS"), "", name);
    if (!path) path = try_folder(folder, "../models", name);
    if (!path) path = try_folder(folder, "../share/pinion/models", name);
#ifdef PINION_DATADIR
    if (!path) path = try_folder(PINION_DATADIR, "models", name);
#endif
    return path ? shorten(path) : NULL;
}
