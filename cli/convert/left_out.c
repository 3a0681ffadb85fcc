/* What of a URDF or MJCF file does not get into a model, counted. */
#include "cli/convert/left_out.h"

#include "cli/print/print_text.h"

#include <libxml/xmlreader.h>
#include <string.h>

#define KINDS_MAX 24
#define NAME_MAX_SHOWN 60

typedef struct kind {
    char name[NAME_MAX_SHOWN + 1];
    int count;
} kind;

/* Whether the model holds what an element of that name says. */
static int is_held(const char *name)
{
    static const char *const held[] = {"robot",   "link",   "joint",    "inertial", "origin",   "mass",
                                       "inertia", "visual", "geometry", "box",      "cylinder", "sphere",
                                       "capsule", "mesh",   "material", "color",    "parent",   "child",
                                       "axis",    "limit",  "dynamics", "mimic",    NULL};
    for (int i = 0; held[i]; i++)
        if (strcmp(name, held[i]) == 0) return 1;
    return 0;
}

/* Counts an element; the last kind is all the others. */
static void count(kind *kinds, const char *name)
{
    int i = 0;
    while (i < KINDS_MAX - 1 && kinds[i].count && strncmp(kinds[i].name, name, NAME_MAX_SHOWN) != 0) i++;
    if (!kinds[i].count++) snprintf(kinds[i].name, sizeof kinds[i].name, "%.*s", NAME_MAX_SHOWN, name);
}

static void stay_silent(void *data, const char *message, xmlParserSeverities severity,
                        xmlTextReaderLocatorPtr place)
{
    (void)data, (void)message, (void)severity, (void)place;
}

void pn_cli_report_left_out(const pinion_model *m, const char *name, const char *text, size_t size)
{
    kind kinds[KINDS_MAX] = {{"", 0}};
    const size_t blank = strspn(text, "\xef\xbb\xbf \t\r\n");
    if (size <= blank || text[blank] != '<') return;
    xmlTextReader *in = xmlReaderForMemory(text + blank, (int)(size - blank), NULL, NULL,
                                           XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (!in) return;
    xmlTextReaderSetErrorHandler(in, stay_silent, NULL);
    for (int more = xmlTextReaderRead(in); more == 1;) {
        const char *element = (const char *)xmlTextReaderConstName(in);
        if (xmlTextReaderDepth(in) == 0 && strcmp(element, "mujoco") == 0) {
            for (int i = 0; i < pinion_model_warning_count(m); i++)
                pn_cli_report("convert", "%s", pinion_model_warning(m, i));
            break;
        }
        const int skip = xmlTextReaderNodeType(in) == XML_READER_TYPE_ELEMENT && !is_held(element);
        if (skip) count(kinds, element);
        more = skip ? xmlTextReaderNext(in) : xmlTextReaderRead(in);
    }
    xmlFreeTextReader(in);
    for (int i = 0; i < KINDS_MAX && kinds[i].count; i++)
        pn_cli_report("convert", "%s: %d <%s> element%s left out: a model has no place for %s", name,
                      kinds[i].count, i == KINDS_MAX - 1 ? "..." : kinds[i].name,
                      kinds[i].count > 1 ? "s are" : " is", kinds[i].count > 1 ? "them" : "it");
}
