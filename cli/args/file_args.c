#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* realpath */
#include "cli/args/file_args.h"

#include "cli/args/options.h"
#include "cli/print/print_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

int pn_cli_ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return length > tail && strcasecmp(name + length - tail, end) == 0;
}

/* Whether the name has one of the endings. */
static int check_ending(const char *command, const cli_file *f)
{
    char endings[100], text[200];
    snprintf(endings, sizeof endings, "%s", f->endings);
    for (char *end = endings, *bar; end; end = bar) {
        bar = strchr(end, '|');
        if (bar) *bar++ = '\0';
        if (pn_cli_ends_with(f->path, end)) return CLI_DONE;
    }
    pn_cli_report(command, "%s %s: the name must end in %s", f->what, f->path,
                  pn_cli_list_text(f->endings, text, sizeof text));
    return CLI_USAGE;
}

/* ------------------------------------------------------------------------------------------------ */
/* The same file */

/* Where a path that names nothing yet would be: its folder without links, and its last name. NULL when that
 * is not known. */
static char *place_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    char *whole = folder ? realpath(folder, NULL) : NULL, *place = NULL;
    if (whole) {
        const size_t size = strlen(whole) + strlen(name) + 2;
        place = malloc(size);
        if (place) snprintf(place, size, "%s/%s", whole, name);
    }
    free(folder);
    free(whole);
    return place;
}

/* Whether two paths are one file, which need not be there yet. What is no plain file can take more than one
 * text. */
static int same_file(const char *a, const char *b)
{
    struct stat x, y;
    const int there_a = stat(a, &x) == 0, there_b = stat(b, &y) == 0;
    if (there_a && there_b)
        return x.st_dev == y.st_dev && x.st_ino == y.st_ino && (S_ISREG(x.st_mode) || S_ISDIR(x.st_mode));
    if (there_a || there_b) return 0;
    char *p = place_of(a), *q = place_of(b);
    const int same = p && q ? strcmp(p, q) == 0 : strcmp(a, b) == 0;
    free(p);
    free(q);
    return same;
}

/* No file to write may be another one of the list. */
static int check_apart(const char *command, const cli_file *file, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++) {
            /* two that are written are compared once, in the order of the list */
            const cli_file *f = &file[i], *other = &file[k];
            if (k == i || !f->path || !f->endings || !other->path || (other->endings && k > i)) continue;
            if (!other->endings && strcmp(other->path, "-") == 0) continue;
            if (!same_file(f->path, other->path)) continue;
            if (other->endings)
                pn_cli_report(command, "%s %s is the file of %s, too: name another one", f->what, f->path,
                              other->what);
            else
                pn_cli_report(command, "%s %s is the file of %s, which it would overwrite: name another one",
                              f->what, f->path, other->what);
            return CLI_USAGE;
        }
    return CLI_DONE;
}

/* ------------------------------------------------------------------------------------------------ */

/* Whether a file can be made at the path, as far as that is known before it is written. */
static int check_place(const char *command, const cli_file *f)
{
    const char *slash = strrchr(f->path, '/');
    struct stat there;
    char *folder = slash ? strndup(f->path, slash == f->path ? 1 : (size_t)(slash - f->path)) : strdup(".");
    if (!folder) {
        pn_cli_report(command, "out of memory");
        return CLI_FAILED;
    }
    int number = 0;
    if (stat(f->path, &there) == 0 && S_ISDIR(there.st_mode))
        number = EISDIR;
    else if (access(f->path, W_OK) != 0 && (errno != ENOENT || access(folder, W_OK | X_OK) != 0))
        number = errno;
    free(folder);
    if (number == 0) return CLI_DONE;
    pn_cli_report(command, "%s %s: cannot be written: %s", f->what, f->path, strerror(number));
    return CLI_FAILED;
}

int pn_cli_files_check(const char *command, const cli_file *file, int count)
{
    int status = CLI_DONE;
    for (int i = 0; i < count && status == CLI_DONE; i++)
        if (file[i].path && file[i].endings) status = check_ending(command, &file[i]);
    if (status == CLI_DONE) status = check_apart(command, file, count);
    for (int i = 0; i < count && status == CLI_DONE; i++)
        if (file[i].path && file[i].endings) status = check_place(command, &file[i]);
    return status;
}
