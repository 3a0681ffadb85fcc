/* The part of libxml2's tree that the readers of models know, where they are built without libxml2: the same names,
 * so that a reader is one text. small_xml.c makes it. */
#ifndef PN_SMALL_XML_H
#define PN_SMALL_XML_H

typedef unsigned char xmlChar;

typedef enum xmlElementType {
    XML_ELEMENT_NODE = 1,
    XML_TEXT_NODE = 3,
    XML_ENTITY_REF_NODE = 5
} xmlElementType;

/* A prefix of name spaces, and those that an element declares. */
typedef struct xmlNs {
    struct xmlNs *next;
    const xmlChar *prefix;
} xmlNs;

struct xmlAttr;
struct xmlDoc;

typedef struct xmlNode {
    void *_private; /* the reader's */
    xmlElementType type;
    const xmlChar *name; /* without its prefix, where that is declared */
    struct xmlNode *children, *last, *parent, *next;
    xmlNs *ns; /* NULL: it has no prefix */
    const xmlChar *content;
    struct xmlAttr *properties;
    xmlNs *nsDef;
    struct xmlDoc *doc;
    int line;
} xmlNode;

/* Its value is one text. */
typedef struct xmlAttr {
    const xmlChar *name;
    xmlNode *children;
    struct xmlAttr *next;
    xmlNs *ns;
} xmlAttr;

typedef struct xmlDoc {
    void *_private; /* the reader's */
    void *chunks;   /* all that the tree is made of */
    xmlNode *root;
} xmlDoc;

xmlNode *xmlDocGetRootElement(const xmlDoc *doc);
void xmlFreeDoc(xmlDoc *doc);

static inline long xmlGetLineNo(const xmlNode *node)
{
    return node->line;
}

#endif
