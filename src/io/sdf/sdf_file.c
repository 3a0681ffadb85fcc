/* The files of an SDF model: what it includes, and where that is looked for. Only plain files are opened. A
 * model in memory, of which nobody knows where it lives, may name none. */
#define _XOPEN_SOURCE 700
#include "base/file.h"
#include "io/sdf/sdf.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PARENTS_MAX 12 /* folders above a file in which a model is looked for */

/* ---------------------------------------------------------------------------------------------
 * Parsing */

/* The version of a file, 1.minor; -1, with the error filled, where it is none that is known. */
static int read_version(sdf_reader *r, const xmlNode *root)
{
    const char *text = pn_xml_attribute(root, "version"), *end;
    double whole, minor = -1;
    if (!text) {
        pn_xml_fail(&r->u, root, PINION_ERR_PARSE,
                    "<sdf> has no version; expected version=\"1.4\" to \"1.12\"");
        return -1;
    }
    const char *dot = strchr(text, '.');
    if (dot && dot[1] >= '0' && dot[1] <= '9' && pn_parse_number(dot + 1, &end, &minor) &&
        (!*end || strcmp(end, ".0") == 0) && pn_parse_number(text, NULL, &whole) &&
        strncmp(text, "1.", 2) == 0 && minor >= 3 && minor <= 12)
        return (int)minor;
    pn_xml_fail(&r->u, root, PINION_ERR_PARSE, "SDF of version '%.40s' is not read; expected 1.4 to 1.12",
                text);
    return -1;
}

xmlNode *pn_sdf_parse(sdf_reader *r, const char *text, size_t size, char *path, char *folder)
{
    pn_xml one;
    const char *mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
    if (strlen(text) != size) {
        pn_error_set(r->u.err, PINION_ERR_PARSE, path, 0, 0, "a zero byte; expected text in UTF-8");
        return NULL;
    }
    if (!pn_xml_open(&one, mark, size - (size_t)(mark - text), path, r->u.err)) return NULL;
    if (!SDF_ADD(r, r->files)) {
        xmlFreeDoc(one.doc);
        return NULL;
    }
    SDF_LAST(r->files) = (sdf_file){.doc = one.doc, .path = path, .folder = folder};
    one.doc->_private = path;
    xmlNode *root = xmlDocGetRootElement(one.doc);
    if (!root || !pn_xml_is(root, "sdf")) {
        pn_xml_fail(&r->u, root, PINION_ERR_PARSE, "the outermost element is <%.60s>; expected <sdf>",
                    root ? (const char *)root->name : "");
        return NULL;
    }
    const int minor = read_version(r, root);
    SDF_LAST(r->files).minor = minor;
    return minor < 0 || !pn_sdf_check(r, root) ? NULL : root;
}

/* ---------------------------------------------------------------------------------------------
 * Where files are */

static int is_kind(const char *path, mode_t kind)
{
    struct stat about;
    return stat(path, &about) == 0 && (about.st_mode & S_IFMT) == kind;
}

/* FOLDER/NAME, where that is a file or a folder; NULL where it is not, or out of memory. */
static char *try_path(sdf_reader *r, const char *folder, size_t length, const char *name)
{
    char *head = pn_sdf_join(r, folder, "", ""), *path = NULL;
    if (!head) return NULL;
    head[length] = '\0';
    path = pn_sdf_join(r, head, length && head[length - 1] != '/' ? "/" : "", name);
    return path && (is_kind(path, S_IFREG) || is_kind(path, S_IFDIR)) ? path : NULL;
}

/* In the folders of a list, which are separated by ':'. Of the environment only those count that do not
 * depend on the current folder. */
static char *try_list(sdf_reader *r, const char *list, int absolute, const char *name)
{
    char *found = NULL;
    for (const char *end; list && *list && !found; list = *end ? end + 1 : end) {
        end = list + strcspn(list, ":");
        if (end > list && (!absolute || *list == '/')) found = try_path(r, list, (size_t)(end - list), name);
    }
    return found;
}

/* In the folder of a file, and from `first` to `last` folders above it. */
static char *try_above(sdf_reader *r, const char *folder, int first, int last, const char *name)
{
    char *real = realpath(*folder ? folder : ".", NULL), *found = NULL;
    for (int i = 0; real && *real && i <= last && !found; i++) {
        if (i >= first) found = try_path(r, real, strlen(real), name);
        char *slash = strrchr(real, '/');
        if (slash) *slash = '\0';
    }
    free(real);
    return found;
}

static char *find(sdf_reader *r, const char *folder, const char *uri)
{
    const char *scheme = strstr(uri, "://"), *name = scheme ? scheme + 3 : uri;
    const int model = scheme && (strncmp(uri, "model:", 6) == 0 || strncmp(uri, "package:", 8) == 0);
    if (scheme && !model && strncmp(uri, "file:", 5) != 0) return NULL;
    if (!*name) return NULL;
    if (name[0] == '/') return try_path(r, "", 0, name);
    char *found = model ? NULL : try_path(r, folder, strlen(folder), name);
    if (!found && r->options) found = try_list(r, r->options->model_path, 0, name);
    if (!found) found = try_list(r, getenv("GZ_SIM_RESOURCE_PATH"), 1, name);
    return found ? found : try_above(r, folder, 0, PARENTS_MAX, name);
}

/* ---------------------------------------------------------------------------------------------
 * Files are untrusted: what they name by a whole path, or by "..", must be where models are looked for */

/* Nonzero where a name cannot lead out of the folder in which it is looked for. */
static int stays_below(const char *name)
{
    if (*name == '/') return 0;
    for (const char *s = name; *s; s += strcspn(s, "/"), s += *s == '/')
        if (strncmp(s, "..", 2) == 0 && (s[2] == '/' || !s[2])) return 0;
    return 1;
}

/* Whether a real path is in a folder, of which `length` bytes count. */
static int is_below(sdf_reader *r, const char *path, const char *folder, size_t length)
{
    char *given = pn_sdf_join(r, folder, "", "");
    if (!given) return 0;
    given[length] = '\0';
    char *real = realpath(length ? given : ".", NULL);
    const size_t n = real ? strlen(real) : 0;
    const int below = n > 1 && strncmp(path, real, n) == 0 && path[n] == '/';
    free(real);
    return below;
}

static int is_below_any(sdf_reader *r, const char *path, const char *list, int absolute)
{
    for (const char *end; list && *list; list = *end ? end + 1 : end) {
        end = list + strcspn(list, ":");
        if (end > list && (!absolute || *list == '/') && is_below(r, path, list, (size_t)(end - list))) return 1;
    }
    return 0;
}

/* The folder beside whose models the first file is, and those that the user names. */
static int is_reachable(sdf_reader *r, const char *path)
{
    char *beside = pn_sdf_join(r, r->files.at[0].folder, *r->files.at[0].folder ? ".." : "./..", "");
    char *real = realpath(path, NULL);
    const int ok = beside && real &&
                   (is_below(r, real, beside, strlen(beside)) ||
                    (r->options && is_below_any(r, real, r->options->model_path, 0)) ||
                    is_below_any(r, real, getenv("GZ_SIM_RESOURCE_PATH"), 1));
    free(real);
    return ok;
}

/* ---------------------------------------------------------------------------------------------
 * Folders of models: model.config says which file it is */

/* The newest file that a description names, of those that can be read. */
static const char *newest(sdf_reader *r, const xmlNode *config)
{
    const char *best = NULL;
    double best_version = -1;
    for (xmlNode *n = pn_xml_find(config->children, "sdf"); n; n = pn_xml_find(n->next, "sdf")) {
        const char *version = pn_xml_attribute(n, "version"), *text;
        const char *dot = version ? strchr(version, '.') : NULL;
        double minor = 0;
        if (dot && !pn_parse_number(dot + 1, NULL, &minor)) continue;
        if (minor > 12 || minor <= best_version) continue;
        if (!pn_sdf_text(r, n, &text)) return NULL;
        best = text;
        best_version = minor;
    }
    return best;
}

/* The file of a folder's model; NULL with the error filled. */
static char *model_file(sdf_reader *r, const xmlNode *include, const char *folder)
{
    char *path = pn_sdf_join(r, folder, "/model.config", ""), *text = NULL, *out = NULL;
    size_t size;
    if (path && !is_kind(path, S_IFREG)) path = pn_sdf_join(r, folder, "/manifest.xml", "");
    if (!path) return NULL;
    if (!is_kind(path, S_IFREG)) {
        pn_xml_fail(&r->u, include, PINION_ERR_FILE, "the folder '%.200s' has no model.config; expected one",
                    folder);
        return NULL;
    }
    pn_xml one;
    text = pn_file_read(path, PN_SIZE_MAX - r->bytes, "the description of a model", &size, r->u.err);
    if (text && strlen(text) == size && pn_xml_open(&one, text, size, path, r->u.err)) {
        r->bytes += size;
        const xmlNode *root = xmlDocGetRootElement(one.doc);
        const char *file = root ? newest(r, root) : NULL;
        if (file && !stays_below(file))
            pn_xml_fail(&r->u, include, PINION_ERR_FILE, "'%.200s' names '%.80s'; expected a file beside it", path,
                        file);
        else if (file)
            out = pn_sdf_join(r, folder, "/", file);
        else if (r->u.err->status != PINION_ERR_MEMORY)
            pn_xml_fail(&r->u, include, PINION_ERR_PARSE,
                        "'%.200s' names no file; expected <sdf version=\"...\">", path);
        pn_xml_close(&one);
    } else if (text && r->u.err->status == PINION_OK) {
        pn_xml_fail(&r->u, include, PINION_ERR_PARSE, "'%.200s' has a zero byte; expected text in UTF-8",
                    path);
    }
    free(text);
    return out;
}

/* Whether a file is this one, or one of those by which this one came to be included. */
static int is_within(const sdf_reader *r, int file, const char *path)
{
    struct stat one, other;
    if (stat(path, &one) != 0) return 0;
    for (;; file = r->files.at[file].from) {
        if (stat(r->files.at[file].path, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino)
            return 1;
        if (file == 0) return 0;
    }
}

/* The file or folder that an element names, where it may; NULL with the error filled. */
static char *locate(sdf_reader *r, const xmlNode *node, int file, const char *uri)
{
    const char *folder = r->files.at[file].folder;
    if (!folder) {
        pn_xml_fail(&r->u, node, PINION_ERR_FILE,
                    "<%.40s> needs '%.200s', but this model is in memory; expected a model that is read "
                    "from a file",
                    (const char *)node->name, uri);
        return NULL;
    }
    char *path = find(r, folder, uri);
    const char *name = strstr(uri, "://");
    if (path && !stays_below(name ? name + 3 : uri) && !is_reachable(r, path)) {
        pn_xml_fail(&r->u, node, PINION_ERR_FILE,
                    "'%.200s' lies outside the folders in which models are looked for; --model-path FOLDER lets it be "
                    "read",
                    uri);
        return NULL;
    }
    if (!path && r->u.err->status != PINION_ERR_MEMORY)
        pn_xml_fail(&r->u, node, PINION_ERR_FILE,
                    "there is no '%.200s'; expected it beside the file, in --model-path, in "
                    "GZ_SIM_RESOURCE_PATH or "
                    "in a folder above the file",
                    uri);
    return path;
}

/* The text of a plain file: new memory; NULL with the error filled. */
static char *read_plain(sdf_reader *r, const xmlNode *node, const char *path, size_t *size)
{
    pinion_error why = {PINION_OK, 0, 0, ""};
    if (!is_kind(path, S_IFREG)) {
        pn_xml_fail(&r->u, node, PINION_ERR_FILE, "'%.200s' is no plain file; expected one", path);
        return NULL;
    }
    char *text = pn_file_read(path, PN_SIZE_MAX - r->bytes, "a part of a model", size, &why);
    if (!text) pn_xml_fail(&r->u, node, why.status, "%s", why.message);
    return text;
}

char *pn_sdf_read_mesh(sdf_reader *r, const xmlNode *node, int file, const char *uri, size_t *size)
{
    const char *path = locate(r, node, file, uri);
    return path ? read_plain(r, node, path, size) : NULL;
}

xmlNode *pn_sdf_open(sdf_reader *r, const xmlNode *include, int file, const char *uri)
{
    if (r->files.count >= SDF_MAX_FILES) {
        pn_xml_fail(&r->u, include, PINION_ERR_PARSE, "too many files are included; expected at most %d",
                    SDF_MAX_FILES);
        return NULL;
    }
    char *path = locate(r, include, file, uri);
    if (path && is_kind(path, S_IFDIR)) path = model_file(r, include, path);
    if (!path) return NULL;
    if (is_within(r, file, path)) {
        pn_xml_fail(&r->u, include, PINION_ERR_FILE, "'%.200s' includes itself; expected no circle of files", path);
        return NULL;
    }
    size_t size = 0;
    char *text = read_plain(r, include, path, &size);
    if (!text) return NULL;
    r->bytes += size;
    char *own = pn_sdf_join(r, path, "", "");
    if (own) own[strrchr(own, '/') ? strrchr(own, '/') - own + 1 : 0] = '\0';
    xmlNode *root = own ? pn_sdf_parse(r, text, size, path, own) : NULL;
    free(text);
    if (root) SDF_LAST(r->files).from = file;
    return root;
}
