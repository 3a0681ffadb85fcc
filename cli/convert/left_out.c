/* What of a URDF, MJCF or SDF file does not get into a model, counted. */
#include "cli/convert/left_out.h"

#include "cli/print/print_text.h"
#include "io/xml/xml.h"
#include "pinion/collision.h"

#include <string.h>

#define KINDS_MAX 24
#define NAME_MAX_SHOWN 60

typedef struct kind {
    char name[NAME_MAX_SHOWN + 1];
    int count;
} kind;

/* Whether the model holds what an element says: not where another program's prefix is before its name. */
static int is_held(const xmlNode *node)
{
    static const char *const held[] = {"robot",   "link",   "joint",    "inertial", "origin",   "mass",
                                       "inertia", "visual", "geometry", "box",      "cylinder", "sphere",
                                       "capsule", "mesh",   "material", "color",    "parent",   "child",
                                       "axis",    "limit",  "dynamics", "mimic",    "collision", NULL};
    for (int i = 0; held[i]; i++)
        if (pn_xml_is(node, held[i])) return 1;
    return 0;
}

/* Counts an element; the last kind is all the others. */
static void count(kind *kinds, const xmlNode *node)
{
    char name[NAME_MAX_SHOWN + 1];
    const char *prefix = node->ns && node->ns->prefix ? (const char *)node->ns->prefix : "";
    snprintf(name, sizeof name, "%.30s%s%.*s", prefix, *prefix ? ":" : "", *prefix ? 28 : NAME_MAX_SHOWN,
             (const char *)node->name);
    int i = 0;
    while (i < KINDS_MAX - 1 && kinds[i].count && strcmp(kinds[i].name, name) != 0) i++;
    if (!kinds[i].count++) memcpy(kinds[i].name, name, sizeof name);
}

/* The element behind this one, and behind what is in it if that is not looked at. */
static const xmlNode *behind(const xmlNode *node, const xmlNode *root, int within)
{
    if (within && node->type == XML_ELEMENT_NODE && node->children) return node->children;
    while (node != root && !node->next) node = node->parent;
    return node == root ? NULL : node->next;
}

void pn_cli_report_left_out(const pinion_model *m, const char *name, const char *text, size_t size)
{
    kind kinds[KINDS_MAX] = {{"", 0}};
    const size_t blank = strspn(text, "\xef\xbb\xbf \t\r\n");
    pn_xml u;
    if (size <= blank || text[blank] != '<' || !pn_xml_open(&u, text + blank, size - blank, name, NULL)) return;
    const xmlNode *root = xmlDocGetRootElement(u.doc);
    if (pn_xml_is(root, "mujoco") || pn_xml_is(root, "sdf")) {
        for (int i = 0; i < pinion_model_warning_count(m); i++)
            pn_cli_report("convert", "%s", pinion_model_warning(m, i));
        root = NULL;
    }
    int collisions = 0;
    for (const xmlNode *node = root; node;) {
        collisions += pn_xml_is(node, "collision") && pn_xml_is(node->parent, "link");
        const int skip = node->type == XML_ELEMENT_NODE && !is_held(node);
        if (skip) count(kinds, node);
        node = behind(node, root, !skip);
    }
    collisions = root ? collisions - pinion_model_collision_count(m) : 0;
    pn_xml_close(&u);
    if (collisions > 0)
        pn_cli_report("convert", "%s: %d <collision> element%s left out: pinion info says why", name, collisions,
                      collisions > 1 ? "s are" : " is");
    for (int i = 0; i < KINDS_MAX && kinds[i].count; i++)
        pn_cli_report("convert", "%s: %d <%s> element%s left out: a model has no place for %s", name,
                      kinds[i].count, i == KINDS_MAX - 1 ? "..." : kinds[i].name,
                      kinds[i].count > 1 ? "s are" : " is", kinds[i].count > 1 ? "them" : "it");
}
