/* Where mesh files may come from: the model's own folder and packages, by real path. A link that leads out of
 * them is not followed, nor is the current folder looked at. Then what is in such a file. */
#define _XOPEN_SOURCE 700
#include "base/file.h"
#include "io/mjcf/mjcf_surface.h"
#include "io/model_io.h"
#include "pinion/collision.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PARENTS_MAX 12 /* folders above the model's in which a package is looked for */
#define PATH_LIMIT 4096

typedef struct search {
    const char *packages; /* folders of packages that the caller names, between ':'; or NULL */
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

/* Folders in which the user keeps packages. NAME/REST in one of them, or (`package` is NULL) a file that is given by
 * its whole path. Of those in the environment only such count that do not depend on the current folder. */
static void try_list(search *s, const char *list, int any, const char *below, const char *package, const char *name)
{
    char folder[PATH_LIMIT], given[PATH_LIMIT];
    for (const char *end; list && *list && !s->found; list = *end ? end + 1 : end) {
        end = list + strcspn(list, ":");
        const int n = snprintf(given, sizeof given, "%.*s%s", (int)(end - list), list, below);
        if (end == list || (*list != '/' && !any) || n >= PATH_LIMIT) continue;
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

/* In the folders that the caller names, then in those of the environment. */
static void try_lists(search *s, const char *package, const char *name)
{
    try_list(s, s->packages, 1, "", package, name);
    try_list(s, getenv("ROS_PACKAGE_PATH"), 0, "", package, name);
    try_list(s, getenv("AMENT_PREFIX_PATH"), 0, "/share", package, name);
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
    try_list(s, s->packages, 1, "", package, rest); /* what the caller says comes first */
    snprintf(path, sizeof path, "%s", folder);
    for (int i = 0; i < PARENTS_MAX && *path && !s->found; i++) {
        const int n = snprintf(beside, sizeof beside, "%s/%s", path, package);
        if (n > 0 && n < PATH_LIMIT) try_path(s, beside, rest, beside);
        try_path(s, path, rest, strcmp(last_name(path), package) == 0 ? path : NULL);
        if (!go_up(path)) break;
    }
    if (!s->found) try_lists(s, package, rest);
}

char *pinion_find_mesh(const char *model_path, const char *mesh, const char *package_path, pinion_error *err)
{
    search s = {.packages = package_path};
    if (!mesh || !*mesh) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no mesh to find was named");
        return NULL;
    }
    char *folder = model_path ? realpath(model_path, NULL) : NULL;
    if (folder && !go_up(folder)) folder[0] = '\0';
    if (folder && *folder && strlen(folder) < PATH_LIMIT) find_own(&s, folder);

    const char *name = strncmp(mesh, "file://", 7) == 0 ? mesh + 7 : mesh, *colon = strstr(name, "://");
    if (name[0] == '/') {
        try_path(&s, "", name + 1, NULL);
        try_lists(&s, NULL, name);
    } else if (colon && (strncmp(name, "package:", 8) == 0 || strncmp(name, "model:", 6) == 0)) {
        try_package(&s, folder ? folder : "", colon + 3);
    } else if (!colon && s.own[0]) {
        try_path(&s, folder, name, NULL);
    }
    free(folder);
    if (!s.found)
        pn_error_set(err, s.outside ? PINION_ERR_UNSUPPORTED : PINION_ERR_FILE, NULL, 0, 0,
                     s.outside ? "the mesh file '%.200s' lies outside the model's folder and its packages"
                               : "the mesh file '%.200s' could not be found",
                     mesh);
    return s.found;
}

/* ---------------------------------------------------------------------------------------------
 * What is in them */

/* The points that are corners of the convex hull; all where that has no volume. */
static double *corners_of(mjcf_surface *s, int *count)
{
    const char *flat = pn_mjcf_hull(s);
    if (flat && !*flat) return NULL;
    char *is_corner = calloc((size_t)s->points + 1, 1);
    double *out = malloc((3 * (size_t)s->points + 1) * sizeof *out);
    *count = 0;
    for (int i = 0; is_corner && i < 3 * s->triangles; i++) is_corner[s->corner[i]] = 1;
    for (int i = 0; is_corner && out && i < s->points; i++) {
        if (!flat && !is_corner[i]) continue;
        memcpy(out + 3 * (size_t)(*count)++, s->point + 3 * (size_t)i, 3 * sizeof *out);
    }
    if (!is_corner) free(out);
    const int ok = is_corner != NULL;
    free(is_corner);
    return ok ? out : NULL;
}

/* The points of a collision's mesh, in its file or in the model; 0 with the error filled. */
static int read_points(const pinion_collision_info *info, const char *model_path, const char *package_path,
                       mjcf_surface *out, pinion_error *err)
{
    const char *why = NULL;
    for (int i = 0; info->data && i < info->rows && !why; i++)
        if (!pn_mjcf_surface_point(out, info->data + 3 * (size_t)i)) why = "";
    if (!info->data) {
        size_t size = 0;
        char *path = pinion_find_mesh(model_path, info->mesh, package_path, err);
        char *text = path ? pn_file_read(path, PN_SIZE_MAX, "a mesh", &size, err) : NULL;
        if (text) why = pn_mjcf_surface(path, text, size, out);
        free(path);
        free(text);
        if (!text) return 0;
    }
    if (!why && out->points < 1) why = "no points";
    if (!why) return 1;
    pn_error_set(err, *why ? PINION_ERR_PARSE : PINION_ERR_MEMORY, NULL, 0, 0,
                 *why ? "the mesh '%.200s' has %s" : "out of memory", info->mesh ? info->mesh : "", why);
    return 0;
}

/* The corners of the hull of a mesh, before its scale. */
static double *hull_of(const pinion_collision_info *info, const char *model_path, const char *package_path, int *count,
                       pinion_error *err)
{
    mjcf_surface surface = {0};
    double *out = NULL;
    if (read_points(info, model_path, package_path, &surface, err)) {
        out = corners_of(&surface, count);
        if (!out) pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    }
    free(surface.point);
    free(surface.corner);
    return out;
}

double *pinion_collision_points(const pinion_model *m, int index, const char *model_path, const char *package_path,
                                int *count, pinion_error *err)
{
    pinion_collision_info info;
    if (!count || pinion_model_collision(m, index, &info) != PINION_OK || info.shape != PINION_SHAPE_MESH) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "there is no such collision, or it is no mesh");
        return NULL;
    }
    double *out = hull_of(&info, model_path, package_path, count, err);
    for (int i = 0; out && i < 3 * *count; i++) out[i] *= info.size[i % 3];
    return out;
}

/* The points of a file that another collision has, too, so that it is read once; NULL when there is none. */
static const double *read_before(const pinion_model *m, int index, const char *mesh, int *count)
{
    pinion_collision_info other;
    for (int i = 0; i < index; i++) {
        if (pinion_model_collision(m, i, &other) != PINION_OK || !other.mesh || !other.data) continue;
        *count = other.rows;
        if (strcmp(other.mesh, mesh) == 0) return other.data;
    }
    return NULL;
}

pinion_model *pinion_model_read_meshes(const pinion_model *m, const char *model_path, const char *package_path,
                                       pinion_mesh_report *report, pinion_error *err)
{
    pinion_mesh_report own;
    if (!report) report = &own;
    memset(report, 0, sizeof *report);
    pinion_model *out = m ? pinion_model_copy(m) : NULL;
    if (!out)
        pn_error_set(err, m ? PINION_ERR_MEMORY : PINION_ERR_ARGUMENT, NULL, 0, 0, m ? "out of memory" : "no model");
    for (int i = 0; out && i < pinion_model_collision_count(m); i++) {
        pinion_collision_info info;
        pinion_error why = {PINION_OK, 0, 0, ""};
        int count = 0;
        if (pinion_model_collision(m, i, &info) != PINION_OK || !info.mesh || info.data) continue;
        const double *known = read_before(out, i, info.mesh, &count);
        double *points = known ? NULL : hull_of(&info, model_path, package_path, &count, &why);
        pinion_model *more = NULL;
        if (known || points) more = pinion_model_with_points(out, i, count, known ? known : points, &why);
        free(points);
        report->files++;
        if (more) {
            pinion_model_free(out);
            out = more;
        } else if (why.status == PINION_ERR_MEMORY) {
            pinion_model_free(out);
            out = NULL;
            if (err) *err = why;
        } else if (!report->left_out++) {
            snprintf(report->why, sizeof report->why, "%.399s", why.message);
        }
    }
    return out;
}
