/* Collada: of the elements and attributes that make a shape and its colours, those that are known, and
 * numbers where numbers belong. Images, scripts, remarks and whatever else a file may hold stay out of the
 * page. */
#include "cli/report/document_mesh.h"
#include "io/xml/xml.h"

#include <string.h>

/* Elements that hold elements, and those that hold numbers. */
static const char nodes[] =
    " COLLADA asset unit library_geometries geometry mesh source technique_common technique accessor param "
    "vertices input "
    "triangles polylist polygons lines linestrips library_visual_scenes visual_scene library_nodes node "
    "instance_node "
    "instance_geometry bind_material instance_material library_materials material instance_effect "
    "library_effects effect "
    "profile_COMMON newparam phong lambert blinn constant emission ambient diffuse specular transparent "
    "reflective "
    "shininess transparency reflectivity index_of_refraction scene instance_visual_scene extra ";
static const char numbers[] =
    " float_array p vcount matrix translate rotate scale lookat color float double_sided ";
static const char attributes[] =
    " version id sid name source count stride type semantic offset set material url target "
    "symbol meter opaque ";

/* A name with a prefix is none of them. */
static int is_one_of(const char *words, const xmlNs *ns, const xmlChar *word)
{
    char key[40];
    if (!word || (ns && ns->prefix) || strlen((const char *)word) > sizeof key - 3) return 0;
    snprintf(key, sizeof key, " %s ", (const char *)word);
    return strstr(words, key) != NULL;
}

static void put_escaped(const xmlChar *text, FILE *to)
{
    for (; text && *text; text++) {
        if (*text == '&' || *text == '<' || *text == '>' || *text == '"' || *text < ' ')
            fprintf(to, "&#%d;", *text);
        else
            fputc(*text, to);
    }
}

static void put_element(const xmlNode *node, FILE *to)
{
    fprintf(to, "<%s", (const char *)node->name);
    for (const xmlAttr *a = node->properties; a; a = a->next)
        if (is_one_of(attributes, a->ns, a->name)) {
            fprintf(to, " %s=\"", (const char *)a->name);
            put_escaped(a->children ? a->children->content : NULL, to);
            fputc('"', to);
        }
    fputs(node->children ? ">" : "/>", to);
}

/* What reading has come to. */
typedef struct progress {
    int arrays; /* coordinates that were read */
    size_t faces;
} progress;

/* Writes a node: 1, or 2 to go past all that is in it; 0 when it is no such file. */
static int copy_node(const xmlNode *node, progress *p, FILE *to)
{
    const char *text = (const char *)node->content;
    if (node->type == XML_TEXT_NODE) {
        if (!is_one_of(numbers, node->parent->ns, node->parent->name)) return 1;
        if (!text || text[strspn(text, "0123456789+-.eE \t\r\n")]) return 0;
        fputs(text, to);
        return 1;
    }
    if (node->type != XML_ELEMENT_NODE) return 1;
    if (!is_one_of(numbers, node->ns, node->name) && !is_one_of(nodes, node->ns, node->name)) return 2;
    p->arrays += strcmp((const char *)node->name, "float_array") == 0;
    p->faces += strcmp((const char *)node->name, "p") == 0;
    put_element(node, to);
    return 1;
}

/* The same for all that is in an element, and itself. */
static int copy_tree(const xmlNode *root, progress *p, FILE *to)
{
    const xmlNode *node = root;
    for (;;) {
        int what = copy_node(node, p, to);
        if (!what) return 0;
        if (what == 1 && node->type == XML_ELEMENT_NODE && node->children) {
            node = node->children;
            continue;
        }
        while (node != root && !node->next) {
            node = node->parent;
            fprintf(to, "</%s>", (const char *)node->name);
        }
        if (node == root) return 1;
        node = node->next;
    }
}

size_t pn_doc_mesh_dae(const char *text, size_t size, FILE *to)
{
    progress p = {0, 0};
    pn_xml u;
    const size_t mark = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (!pn_xml_open(&u, text + mark, size - mark, "mesh", NULL)) return 0;
    const xmlNode *root = xmlDocGetRootElement(u.doc);
    int good = pn_xml_is(root, "COLLADA") && copy_tree(root, &p, to);
    pn_xml_close(&u);
    return good && p.arrays ? p.faces : 0;
}
