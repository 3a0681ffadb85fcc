/* The files of an MJCF model: what it includes and attaches. Only files beside it are opened, and only plain
 * ones: a model in memory, of which nobody knows where it lives, has none. */
#include "base/file.h"
#include "io/mjcf/mjcf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---------------------------------------------------------------------------------------------
 * Going through elements */

/* The element at or behind a sibling, through what is included; NULL behind the last. */
static xmlNode *resolve(xmlNode *at, const xmlNode *parent, const char *name)
{
    for (;;) {
        while (at && !pn_xml_is(at, NULL)) at = at->next;
        if (!at) {
            xmlNode *include = parent->_private; /* set for the root of an included file */
            if (!include || pn_xml_is(parent, "include")) return NULL;
            parent = include->parent;
            at = include->next;
        } else if (pn_xml_is(at, "include") && at->_private) {
            parent = at->_private;
            at = parent->children;
        } else if (!name || pn_xml_is(at, name)) {
            return at;
        } else {
            at = at->next;
        }
    }
}

xmlNode *pn_mjcf_first(const xmlNode *parent, const char *name)
{
    return resolve(parent->children, parent, name);
}

xmlNode *pn_mjcf_next(const xmlNode *node, const char *name)
{
    return resolve(node->next, node->parent, name);
}

/* ---------------------------------------------------------------------------------------------
 * Opening files */

/* The folder of a path, with the '/' at its end; "" for a name alone. NULL when out of memory. */
static char *folder_of(mjcf_reader *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *out = pn_mjcf_join(r, path, "", "");
    if (out) out[slash ? slash - path + 1 : 0] = '\0';
    return out;
}

/* Where a plain file of that name is: in the subfolder of the first or, if there is a second, in that folder. */
static char *find_file(mjcf_reader *r, const char *first, const char *second, const char *subfolder,
                       const char *file)
{
    const int absolute = file[0] == '/';
    for (int i = 0; i < 2; i++) {
        const char *folder = absolute ? "" : i ? second : first;
        if (!folder) return NULL;
        const char *below = absolute || i ? "" : subfolder;
        char *head = pn_mjcf_join(r, below[0] == '/' ? "" : folder, below,
                                  *below && below[strlen(below) - 1] != '/' ? "/" : "");
        char *path = head ? pn_mjcf_join(r, head, file, "") : NULL;
        free(head);
        struct stat about;
        if (!path || (stat(path, &about) == 0 && S_ISREG(about.st_mode))) return path;
        free(path);
    }
    return NULL;
}

/* The text of a file that a place in the model names; its path goes to *path, new memory too. */
static char *open_file(mjcf_reader *r, const xmlNode *node, const char *first, const char *second,
                       const char *subfolder, const char *file, size_t *size, char **path)
{
    pinion_error why = {PINION_OK, 0, 0, ""};
    *path = NULL;
    if (!first) {
        pn_xml_fail(&r->u, node, PINION_ERR_FILE,
                    "<%.40s> needs the file '%.200s', but this model is in memory; expected a model that is "
                    "read from a file",
                    (const char *)node->name, file);
        return NULL;
    }
    *path = find_file(r, first, second, subfolder, file);
    char *text = *path ? pn_file_read(*path, PN_SIZE_MAX - r->bytes, "a part of a model", size, &why) : NULL;
    if (text) {
        r->bytes += *size;
        return text;
    }
    if (r->u.err && r->u.err->status == PINION_ERR_MEMORY) {
    } else if (*path) {
        pn_xml_fail(&r->u, node, why.status, "%s", why.message);
    } else {
        pn_xml_fail(&r->u, node, PINION_ERR_FILE,
                    "there is no file '%s%s%.200s'; expected it beside the model", subfolder,
                    *subfolder ? "/" : "", file);
    }
    free(*path);
    *path = NULL;
    return NULL;
}

/* Whether an element is in an included file: as in MuJoCo its assets may lie beside that. */
static int is_included(const mjcf_spec *s, const xmlNode *node)
{
    return s->folder && xmlDocGetRootElement(node->doc)->_private != NULL;
}

char *pn_mjcf_asset_path(mjcf_reader *r, const mjcf_spec *s, const xmlNode *node, const char *subfolder,
                         const char *file)
{
    const int below = *subfolder && file[0] != '/';
    char *usual = pn_mjcf_join(r, below ? subfolder : "", below && subfolder[strlen(subfolder) - 1] != '/' ? "/" : "",
                               file);
    if (!usual || !is_included(s, node)) return usual;
    char *own = folder_of(r, node->doc->_private), *path = own ? find_file(r, s->folder, own, subfolder, file) : NULL;
    const size_t n = strlen(s->folder);
    if (path && own && strncmp(own, s->folder, n) == 0 && strncmp(path, own, strlen(own)) == 0 &&
        strcmp(path + strlen(own), file) == 0) {
        free(usual);
        usual = pn_mjcf_join(r, path + n, "", "");
    }
    free(own);
    free(path);
    return usual;
}

char *pn_mjcf_read_file(mjcf_reader *r, const mjcf_spec *s, const xmlNode *node, const char *subfolder,
                        const char *file, size_t *size)
{
    char *own = is_included(s, node) ? folder_of(r, node->doc->_private) : NULL;
    if (is_included(s, node) && !own) return NULL;
    char *path, *text = open_file(r, node, s->folder, own, subfolder, file, size, &path);
    free(path);
    free(own);
    return text;
}

/* Parses a text; its document is kept, under `path`, which becomes the reader's. NULL on failure. */
static xmlNode *parse(mjcf_reader *r, const char *text, size_t size, char *path)
{
    pn_xml one;
    const char *mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
    if (strlen(text) != size) {
        pn_error_set(r->u.err, PINION_ERR_PARSE, path, 0, 0, "a zero byte; expected text in UTF-8");
    } else if (pn_xml_open(&one, mark, size - (size_t)(mark - text), path, r->u.err)) {
        if (MJCF_ADD(r, r->documents)) {
            MJCF_LAST(r->documents) = one.doc;
            one.doc->_private = path;
            return xmlDocGetRootElement(one.doc);
        }
        xmlFreeDoc(one.doc);
    }
    free(path);
    return NULL;
}

/* Nonzero when a path is that of a file which the spec has already. */
static int is_open(const mjcf_reader *r, int first, const char *path)
{
    for (int i = first; i < r->documents.count; i++) {
        if (strcmp(r->documents.at[i]->_private, path) == 0) return 1;
    }
    return 0;
}

/* Reads what an <include> names. */
static int include(mjcf_reader *r, xmlNode *node, const char *main_folder, int first)
{
    const char *file;
    if (!pn_xml_string(&r->u, node, "file", &file)) return 0;
    size_t size = 0;
    char *own = main_folder ? folder_of(r, node->doc->_private) : NULL;
    if (main_folder && !own) return 0;
    char *path, *text = open_file(r, node, main_folder, own, "", file, &size, &path);
    free(own);
    if (!text) return 0;
    if (is_open(r, first, path) || r->documents.count >= MJCF_MAX_FILES) {
        pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "the file '%.200s' is %s", file,
                    r->documents.count >= MJCF_MAX_FILES ? "one of too many; expected at most 1000"
                                                         : "included already; expected each file once");
        free(path);
        free(text);
        return 0;
    }
    xmlNode *root = parse(r, text, size, path);
    free(text);
    if (!root) return 0;
    if (pn_xml_is(root, "include"))
        return pn_xml_fail(&r->u, root, PINION_ERR_PARSE,
                           "the outermost element is <include>; expected <mujocoinclude>");
    root->_private = node;
    node->_private = root;
    return 1;
}

mjcf_spec *pn_mjcf_parse(mjcf_reader *r, const char *text, size_t size, const char *path, const char *folder)
{
    mjcf_spec *s = calloc(1, sizeof *s);
    if (!s || !MJCF_ADD(r, r->specs)) {
        if (!s) pn_xml_memory(&r->u);
        free(s);
        return NULL;
    }
    MJCF_LAST(r->specs) = s;
    if (folder && !(s->folder = pn_mjcf_join(r, folder, "", ""))) return NULL;
    char *kept = pn_mjcf_join(r, path, "", "");
    const int first = r->documents.count;
    s->root = kept ? parse(r, text, size, kept) : NULL;
    if (!s->root) return NULL;
    if (!pn_xml_is(s->root, "mujoco")) {
        pn_xml_fail(&r->u, s->root, PINION_ERR_PARSE, "the outermost element is <%.60s>; expected <mujoco>",
                    (const char *)s->root->name);
        return NULL;
    }

    /* the builder takes the name of the first of all files */
    if (!r->b) {
        const char *name = pn_xml_attribute(s->root, "model");
        r->b = r->warnings.b = pinion_builder_new(name ? name : "MuJoCo Model");
        if (!r->b || pinion_builder_set_source(r->b, r->u.file) != PINION_OK) {
            pn_xml_memory(&r->u);
            return NULL;
        }
    }

    /* the documents that includes add are gone through, too */
    for (int i = first; i < r->documents.count; i++) {
        xmlNode *root = xmlDocGetRootElement(r->documents.at[i]);
        for (xmlNode *node = root; node; node = pn_xml_behind(node, root)) {
            if (pn_xml_is(node, "include") && !include(r, node, s->folder, first)) return NULL;
        }
    }
    return pn_mjcf_settings(r, s) ? s : NULL;
}

mjcf_spec *pn_mjcf_open_model(mjcf_reader *r, const mjcf_spec *from, const xmlNode *node, const char *file)
{
    size_t size = 0;
    char *path, *text = open_file(r, node, from->folder, NULL, "", file, &size, &path);
    if (!text) return NULL;
    char *folder = folder_of(r, path);
    mjcf_spec *s = NULL;
    if (r->documents.count >= MJCF_MAX_FILES)
        pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "too many files; expected at most %d", MJCF_MAX_FILES);
    else if (folder)
        s = pn_mjcf_parse(r, text, size, path, folder);
    free(folder);
    free(path);
    free(text);
    return s;
}
