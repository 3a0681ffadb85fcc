/* Where mesh files may come from: the model's own folder and packages, by real path. A link that leads out of
 * them is not followed, nor is the current folder looked at. */
#define _XOPEN_SOURCE 700
#include "cli/report/document_mesh.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PARENTS_MAX 12 /* folders above the model's in which a package is looked for */
#define PATH_LIMIT 4096

typedef struct search {
    char own[PATH_LIMIT]; /* the folder that the model belongs to; "" when unknown */
    int outside;          /* a file was there, but not where it may be */
    char *found;          /* its real path */
} search;

/* Whether a path is inside a folder; both are real paths. */
static int inside(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return length > 0 && strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* Looks for FOLDER/NAME, which must be a plain file in the folder `root` or in the model's own; both may be
 * NULL or "". */
static int try_path(search *s, const char *folder, const char *name, const char *root)
{
    char path[PATH_LIMIT];
    struct stat about;
    const int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (s->found || n <= 0 || n >= PATH_LIMIT || stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
    char *real = realpath(path, NULL);
    if (real && ((root && inside(real, root)) || inside(real, s->own))) {
        s->found = real;
        return 1;
    }
    free(real);
    s->outside = 1;
    return 0;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Cuts the last name off a path; 0 when nothing is left. */
static int go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash) return 0;
    *slash = '\0';
    return *path != '\0';
}

/* The folder that the model belongs to: the package it is in, by its package.xml; where there is none, its
 * own folder, or the one above a folder that is but for models, beside one for meshes. */
static void find_own(search *s, const char *folder)
{
    static const char *const for_models[] = {"urdf",  "xacro", "robots", "robot", "models",
                                             "model", "mjcf",  "sdf",    NULL};
    char path[PATH_LIMIT], file[PATH_LIMIT + 16];
    struct stat about;
    snprintf(path, sizeof path, "%s", folder);
    for (int i = 0; i < PARENTS_MAX; i++) {
        snprintf(file, sizeof file, "%s/package.xml", path);
        if (stat(file, &about) == 0) {
            snprintf(s->own, sizeof s->own, "%s", path);
            return;
        }
        if (!go_up(path)) break;
    }
    snprintf(s->own, sizeof s->own, "%s", folder);
    for (int i = 0; for_models[i]; i++)
        if (strcmp(last_name(folder), for_models[i]) == 0 && strchr(folder + 1, '/')) {
            go_up(s->own);
            return;
        }
}

/* Folders in which the user keeps packages: ROS_PACKAGE_PATH, AMENT_PREFIX_PATH. NAME/REST in one of them, or
 * (`package` is NULL) a file that is given by its whole path. */
static void try_package_path(search *s, const char *variable, const char *below, const char *package,
                             const char *name)
{
    const char *list = getenv(variable);
    char folder[PATH_LIMIT], given[PATH_LIMIT];
    for (const char *end; list && *list && !s->found; list = *end ? end + 1 : end) {
        end = list + strcspn(list, ":");
        const int n = snprintf(given, sizeof given, "%.*s%s", (int)(end - list), list, below);
        if (*list != '/' || n >= PATH_LIMIT) continue; /* no folder that depends on the current one */
        char *real = realpath(given, NULL);
        if (!real) continue;
        if (!package) {
            try_path(s, "", name + 1, real);
        } else {
            const int m = snprintf(folder, sizeof folder, "%s/%s", real, package);
            if (m > 0 && m < PATH_LIMIT) try_path(s, folder, name, folder);
            if (strcmp(last_name(real), package) == 0) try_path(s, real, name, real);
        }
        free(real);
    }
}

/* package://PACKAGE/REST: in a folder PACKAGE beside the model's folder or one above it, or that is one of
 * these. */
static void try_package(search *s, const char *folder, const char *name)
{
    char package[256], path[PATH_LIMIT], beside[PATH_LIMIT];
    const char *rest = strchr(name, '/');
    const size_t length = rest ? (size_t)(rest - name) : 0;
    if (length == 0 || length >= sizeof package || name[0] == '.') return;
    snprintf(package, sizeof package, "%.*s", (int)length, name);
    rest++;
    snprintf(path, sizeof path, "%s", folder);
    for (int i = 0; i < PARENTS_MAX && *path && !s->found; i++) {
        const int n = snprintf(beside, sizeof beside, "%s/%s", path, package);
        if (n > 0 && n < PATH_LIMIT) try_path(s, beside, rest, beside);
        try_path(s, path, rest, strcmp(last_name(path), package) == 0 ? path : NULL);
        if (!go_up(path)) break;
    }
    try_package_path(s, "ROS_PACKAGE_PATH", "", package, rest);
    try_package_path(s, "AMENT_PREFIX_PATH", "/share", package, rest);
}

cli_mesh_end pn_doc_mesh_find(const char *model_path, const char *name, char **path)
{
    search s = {.own = ""};
    char *folder = model_path ? realpath(model_path, NULL) : NULL;
    if (folder && !go_up(folder)) folder[0] = '\0';
    if (folder && *folder && strlen(folder) < PATH_LIMIT) find_own(&s, folder);

    if (strncmp(name, "file://", 7) == 0) name += 7;
    const char *colon = strstr(name, "://");
    if (name[0] == '/') {
        try_path(&s, "", name + 1, NULL);
        try_package_path(&s, "ROS_PACKAGE_PATH", "", NULL, name);
        try_package_path(&s, "AMENT_PREFIX_PATH", "/share", NULL, name);
    } else if (colon && (strncmp(name, "package", 7) == 0 || strncmp(name, "model", 5) == 0)) {
        try_package(&s, folder ? folder : "", colon + 3);
    } else if (!colon && s.own[0]) {
        try_path(&s, folder, name, NULL);
    }
    free(folder);
    *path = s.found;
    return s.found ? MESH_READ : s.outside ? MESH_OUTSIDE : MESH_MISSING;
}
