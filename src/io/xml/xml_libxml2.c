/* The tree of a URDF file by libxml2, with everything off that reaches outside the file or expands it.
 *
 * A URDF file needs no DTD, so the first declaration in one ends the parse: no entity is ever declared, hence
 * none expanded and none fetched. Of libxml2's own limits the depth of 256 is too low for a chain of bodies; ours are
 * the size of a file and the depth that pn_xml_open checks. */
#include "io/xml/xml.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <stdio.h>
#include <string.h>

#if LIBXML_VERSION >= 21200
typedef const xmlError xml_error;
#else
typedef xmlError xml_error;
#endif

/* What the parser's callbacks leave behind. */
typedef struct parse {
    pn_xml *u;
    const char *next; /* the text still to be read */
    size_t left;
    const char *version; /* the byte to be read as '1'; NULL: none */
    int refused;         /* u->err says why the parse was ended */
    int memory;          /* an allocation failed */
    int line, column;
    char message[256]; /* the first error */
} parse;

/* Keeps the first error; later ones are mostly its consequences. A file with a DTD elsewhere gets only a
 * warning for an entity that nobody declared, and the attribute loses it: that is an error here. */
static void on_error(void *data, xml_error *error)
{
    parse *p = data;
    if (error->code == XML_ERR_NO_MEMORY) p->memory = 1;
    int fatal = error->level == XML_ERR_FATAL || error->code == XML_WAR_UNDECLARED_ENTITY;
    if (p->message[0] || !fatal || !error->message) return;
    p->line = error->line;
    p->column = error->int2;
    snprintf(p->message, sizeof p->message, "%s", error->message);
    p->message[strcspn(p->message, "\n")] = '\0';
}

/* Ends the parse at a declaration of the DTD. */
static void refuse(void *context, const char *what, const xmlChar *name)
{
    xmlParserCtxt *parser = context;
    parse *p = parser->_private;
    if (!p->refused) {
        int line = parser->input ? parser->input->line : 0;
        pn_error_set(p->u->err, PINION_ERR_PARSE, p->u->file, line, 0,
                     "the DOCTYPE declares %s '%.60s', which is not accepted; expected a file without "
                     "declarations",
                     what, name ? (const char *)name : "");
    }
    p->refused = 1;
    xmlStopParser(parser);
}

static void on_entity(void *context, const xmlChar *name, int type, const xmlChar *public_id,
                      const xmlChar *system_id, xmlChar *content)
{
    (void)type, (void)public_id, (void)system_id, (void)content;
    refuse(context, "the entity", name);
}

static void on_unparsed_entity(void *context, const xmlChar *name, const xmlChar *public_id,
                               const xmlChar *system_id, const xmlChar *notation)
{
    (void)public_id, (void)system_id, (void)notation;
    refuse(context, "the entity", name);
}

static void on_element_declaration(void *context, const xmlChar *name, int type, xmlElementContent *content)
{
    (void)type, (void)content;
    refuse(context, "the element", name);
}

static void on_attribute_declaration(void *context, const xmlChar *element, const xmlChar *name, int type,
                                     int def, const xmlChar *value, xmlEnumeration *tree)
{
    (void)element, (void)type, (void)def, (void)value;
    xmlFreeEnumeration(tree); /* it is the callback's to free */
    refuse(context, "the attribute", name);
}

static void on_notation(void *context, const xmlChar *name, const xmlChar *public_id,
                        const xmlChar *system_id)
{
    (void)public_id, (void)system_id;
    refuse(context, "the notation", name);
}

/* Where a text says that it is XML of version 0.something, its '0'; NULL when it does not. No such version
 * exists, and the robots that claim it are plain XML 1.0, so the parser is shown a '1' in its place. */
static const char *version_zero(const char *text)
{
    static const char space[] = " \t\r\n";
    if (strncmp(text, "<?xml", 5) != 0 || !text[5] || !strchr(space, text[5])) return NULL;
    const char *s = text + 5 + strspn(text + 5, space);
    if (strncmp(s, "version", 7) != 0) return NULL;
    s += 7 + strspn(s + 7, space);
    if (*s++ != '=') return NULL;
    s += strspn(s, space);
    return (*s == '"' || *s == '\'') && s[1] == '0' && s[2] == '.' ? s + 1 : NULL;
}

/* Hands the parser the next bytes. (xmlCtxtReadMemory, which copies all of them first, leaks in older
 * versions when there is no memory for the copy.) */
static int on_read(void *data, char *buffer, int room)
{
    parse *p = data;
    size_t count = p->left < (size_t)room ? p->left : (size_t)room;
    memcpy(buffer, p->next, count);
    if (p->version && p->version >= p->next && p->version < p->next + count)
        buffer[p->version - p->next] = '1';
    p->next += count;
    p->left -= count;
    return (int)count;
}

/* Runs the parser; the document, or NULL with `p` filled. */
static xmlDoc *run_parser(parse *p)
{
    xmlParserCtxt *parser = xmlNewParserCtxt();
    if (!parser) {
        p->memory = 1;
        return NULL;
    }
    parser->_private = p;
    parser->sax->entityDecl = on_entity;
    parser->sax->unparsedEntityDecl = on_unparsed_entity;
    parser->sax->elementDecl = on_element_declaration;
    parser->sax->attributeDecl = on_attribute_declaration;
    parser->sax->notationDecl = on_notation;
    parser->sax->externalSubset = NULL;
    int options = XML_PARSE_NONET | XML_PARSE_COMPACT | XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES |
                  XML_PARSE_HUGE;
    if (!pn_xml_is_one_byte(p->next)) options |= XML_PARSE_IGNORE_ENC;
    xmlDoc *doc = xmlCtxtReadIO(parser, on_read, NULL, p, NULL, NULL, options);
    xmlFreeParserCtxt(parser);
    return doc;
}

xmlDoc *pn_xml_parse(pn_xml *u, const char *text, size_t size)
{
    /* errors come here while this thread parses, and go where they went before afterwards */
    parse p = {.u = u, .next = text, .left = size, .version = version_zero(text)};
    xmlInitParser();
    xmlStructuredErrorFunc before = xmlStructuredError;
    void *before_data = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(&p, on_error);
    xmlDoc *doc = run_parser(&p);
    xmlSetStructuredErrorFunc(before_data, before);
    xmlResetLastError(); /* libxml2 keeps a copy of it for the thread */

    if (!p.refused && !p.memory && !p.message[0] && doc) return doc;
    if (!p.refused && p.memory)
        pn_error_set(u->err, PINION_ERR_MEMORY, u->file, 0, 0, "out of memory");
    else if (!p.refused && strstr(p.message, "depth"))
        pn_error_set(u->err, PINION_ERR_PARSE, u->file, p.line, p.column, "elements more than %d deep",
                     PN_XML_MAX_DEPTH);
    else if (!p.refused)
        pn_error_set(u->err, PINION_ERR_PARSE, u->file, p.line, p.column, "not well-formed XML: %s",
                     p.message[0] ? p.message : "expected an element");
    if (doc) xmlFreeDoc(doc);
    return NULL;
}
