/* Collada: of the elements and attributes that make a shape and its colours, those that are known, and
 * numbers where numbers belong. Images, scripts, remarks and whatever else a file may hold stay out of the
 * page. */
#include "cli/report/document_mesh.h"

#include <libxml/xmlreader.h>
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

static int is_one_of(const char *words, const xmlChar *word)
{
    char key[40];
    if (!word || strlen((const char *)word) > sizeof key - 3) return 0;
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

static void put_element(xmlTextReader *in, const xmlChar *name, int empty, FILE *to)
{
    fprintf(to, "<%s", (const char *)name);
    while (xmlTextReaderMoveToNextAttribute(in) == 1)
        if (is_one_of(attributes, xmlTextReaderConstName(in))) {
            fprintf(to, " %s=\"", (const char *)xmlTextReaderConstName(in));
            put_escaped(xmlTextReaderConstValue(in), to);
            fputc('"', to);
        }
    xmlTextReaderMoveToElement(in);
    fputs(empty ? "/>" : ">", to);
}

/* What reading has come to. */
typedef struct progress {
    int in_numbers, arrays; /* whether text is numbers; coordinates that were read */
    size_t faces;
} progress;

/* Writes what the reader is at: 1, or 2 to go past all that is in it; 0 when it is no such file. */
static int copy_node(xmlTextReader *in, progress *p, FILE *to)
{
    const xmlChar *name = xmlTextReaderConstName(in), *text = xmlTextReaderConstValue(in);
    switch (xmlTextReaderNodeType(in)) {
    case XML_READER_TYPE_ELEMENT: {
        const int holds_numbers = is_one_of(numbers, name), empty = xmlTextReaderIsEmptyElement(in);
        if (xmlTextReaderDepth(in) == 0 && strcmp((const char *)name, "COLLADA") != 0) return 0;
        if (!holds_numbers && !is_one_of(nodes, name)) return 2;
        p->in_numbers = holds_numbers && !empty;
        p->arrays += strcmp((const char *)name, "float_array") == 0;
        p->faces += strcmp((const char *)name, "p") == 0;
        put_element(in, name, empty, to);
        return 1;
    }
    case XML_READER_TYPE_END_ELEMENT:
        p->in_numbers = 0;
        fprintf(to, "</%s>", (const char *)name);
        return 1;
    case XML_READER_TYPE_TEXT:
    case XML_READER_TYPE_CDATA:
        if (!p->in_numbers) return 1;
        if (!text || text[strspn((const char *)text, "0123456789+-.eE \t\r\n")]) return 0;
        fputs((const char *)text, to);
        return 1;
    case XML_READER_TYPE_DOCUMENT_TYPE:
    case XML_READER_TYPE_ENTITY_REFERENCE: return 0;
    default: return 1;
    }
}

static void stay_silent(void *data, const char *message, xmlParserSeverities severity,
                        xmlTextReaderLocatorPtr place)
{
    (void)data, (void)message, (void)severity, (void)place;
}

size_t pn_doc_mesh_dae(const char *text, size_t size, FILE *to)
{
    progress p = {0, 0, 0};
    xmlTextReader *in = xmlReaderForMemory(text, (int)size, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR);
    if (!in) return 0;
    xmlTextReaderSetErrorHandler(in, stay_silent, NULL);
    int more = xmlTextReaderRead(in), what = 1;
    while (more == 1 && what) {
        what = copy_node(in, &p, to);
        more = what == 2 ? xmlTextReaderNext(in) : xmlTextReaderRead(in);
    }
    xmlFreeTextReader(in);
    return more == 0 && what && p.arrays ? p.faces : 0;
}
