/* The mesh files of a model, found beside its file and carried along in the page.
 *
 * They are read as bytes and nothing more; the browser parses them, where a bad one can do no harm. */
#define _XOPEN_SOURCE 700
#include "cli/report/document_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define PARENTS_MAX 12 /* folders above the model's in which a package is looked for */
#define PATH_LIMIT 4096

/* The format by the end of the name; NULL when the page cannot read it. */
static const char *format_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    if (!dot) return NULL;
    if (strcasecmp(dot, ".stl") == 0) return "stl";
    if (strcasecmp(dot, ".obj") == 0) return "obj";
    if (strcasecmp(dot, ".dae") == 0) return "dae";
    return NULL;
}

/* Whether the path is a plain file, and how large. */
static int is_file(const char *path, size_t *size)
{
    struct stat s;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size < 0) return 0;
    *size = (size_t)s.st_size;
    return 1;
}

/* FOLDER/NAME into `path` when that is a file. */
static int try_path(const char *folder, const char *name, char *path, size_t *size)
{
    int n = snprintf(path, PATH_LIMIT, "%s%s%s", folder, *folder ? "/" : "", name);
    return n > 0 && n < PATH_LIMIT && is_file(path, size);
}

/* Where the file is: absolute and file:// as they stand, relative to the model's folder, and
 * package://NAME/REST as NAME/REST or REST in that folder or one above it. */
static int find_mesh(const char *model_path, const char *name, char *path, size_t *size)
{
    if (strncmp(name, "file://", 7) == 0) name += 7;
    if (name[0] == '/') return try_path("", name, path, size);
    if (!model_path) return 0;

    char *folder = realpath(model_path, NULL), *slash = folder ? strrchr(folder, '/') : NULL;
    if (!slash) {
        free(folder);
        return 0;
    }
    *slash = '\0';
    int found = 0;
    if (strncmp(name, "package://", 10) != 0 && strncmp(name, "model://", 8) != 0) {
        found = !strstr(name, "://") && try_path(folder, name, path, size);
    } else {
        const char *whole = strstr(name, "://") + 3, *rest = strchr(whole, '/');
        for (int i = 0; i < PARENTS_MAX && !found; i++) {
            found = try_path(folder, whole, path, size) || (rest && try_path(folder, rest + 1, path, size));
            slash = strrchr(folder, '/');
            if (!slash) break;
            *slash = '\0';
        }
    }
    free(folder);
    return found;
}

/* The file's bytes as base64; NULL when it cannot be read or is not as large as it was. */
static json_t *read_mesh(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(size + 1);
    json_t *data = NULL;
    if (file && bytes && fread(bytes, 1, size + 1, file) == size) data = pn_doc_base64(bytes, size);
    if (file) fclose(file);
    free(bytes);
    return data;
}

/* The number of a mesh that is in the list already; -1 when it is not. */
static int known(const json_t *list, const char *name)
{
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry)
    {
        const char *text = json_string_value(json_object_get(entry, "name"));
        if (text && strcmp(text, name) == 0) return (int)i;
    }
    return -1;
}

json_t *pn_doc_mesh(cli_meshes *meshes, const char *name)
{
    int index = known(meshes->list, name);
    if (index >= 0) return json_integer(index);

    char path[PATH_LIMIT];
    size_t size = 0;
    if (!find_mesh(meshes->model_path, name, path, &size)) {
        meshes->missing++;
        if (!meshes->one) meshes->one = name;
        return json_null();
    }
    const char *format = format_of(name);
    json_t *data = format && size > 0 && size <= meshes->left ? read_mesh(path, size) : NULL,
           *entry = json_object();
    if (!data || !entry) {
        json_decref(data);
        json_decref(entry);
        meshes->refused++;
        if (!meshes->one) meshes->one = name;
        return json_null();
    }
    meshes->left -= size;
    pn_doc_set(meshes->doc, entry, "name", pn_doc_text(name));
    pn_doc_set(meshes->doc, entry, "format", json_string(format));
    pn_doc_set(meshes->doc, entry, "data", data);
    index = (int)json_array_size(meshes->list);
    pn_doc_add(meshes->doc, meshes->list, entry);
    return json_integer(index);
}
