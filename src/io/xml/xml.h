/* Safe access to the XML of a model file. Private to the readers of src/io. */
#ifndef PN_XML_H
#define PN_XML_H

#ifdef PN_SMALL_XML
#include "io/xml/small_xml.h"
#else
#include <libxml/tree.h>
#endif

#include "io/model_io.h"

/* The warnings of a file. Of those about looks, and of the others, only so many are kept. */
#define PN_XML_MAX_LOOKS 20
#define PN_XML_MAX_OTHERS 200
typedef struct pn_xml_warnings {
    pinion_builder *b; /* takes them */
    int looks, others; /* how many there were */
} pn_xml_warnings;

/* Attributes of one element, and name spaces declared in all of a file. */
#define PN_XML_MAX_ATTRIBUTES 200
#define PN_XML_MAX_NAME_SPACES 1000

#define PN_XML_MAX_DEPTH 1000 /* of elements within each other */

/* A parsed file: every attribute is one piece of text, and no entity reference is left in it. */
typedef struct pn_xml {
    xmlDoc *doc;
    const char *file;           /* for messages */
    pinion_error *err;          /* may be NULL */
    int looks;                  /* nonzero: what is read now concerns only what the robot looks like */
    pn_xml_warnings *warnings;  /* NULL: none are taken */
    const char *others;         /* what the warnings that do not concern looks are about */
} pn_xml;

/* Parses; returns 0 with u->err filled on failure. The document goes back with pn_xml_close. */
int pn_xml_open(pn_xml *u, const char *text, size_t size, const char *file, pinion_error *err);
void pn_xml_close(pn_xml *u);

/* The tree of a text, which ends with a zero; NULL with u->err filled. By libxml2, or by what is built in. */
xmlDoc *pn_xml_parse(pn_xml *u, const char *text, size_t size);
/* Nonzero when a text says it is in one of the old one-byte encodings. Any other is read as UTF-8. */
int pn_xml_is_one_byte(const char *text);

/* Fills the error for a place in the file; always returns 0. */
int pn_xml_fail(const pn_xml *u, const xmlNode *node, pinion_status status, const char *format, ...)
    PN_PRINTF(4, 5);
int pn_xml_line(const xmlNode *node);
/* The same, "out of memory". */
int pn_xml_memory(const pn_xml *u);
/* Makes room for one more in an array; `at` is the address of its pointer. Returns 0, with the error filled, when out
 * of memory. */
int pn_xml_grow(const pn_xml *u, void *at, int count, int *capacity, size_t size);

/* Warns of a place in the file. Returns 0, with the error filled, when out of memory. */
int pn_xml_warn(const pn_xml *u, const xmlNode *node, const char *format, ...) PN_PRINTF(3, 4);
/* Something that changes how things move, and is left out: a warning, where `strict` an error. */
int pn_xml_left_out(const pn_xml *u, int strict, const xmlNode *node, const char *format, ...) PN_PRINTF(4, 5);
/* Makes a warning of an error that does not stop the reader, and says what became of it. Returns 0, with the
 * error filled, when out of memory, which no reader gets over. */
int pn_xml_pass_over(const pn_xml *u, const pinion_error *why, const char *outcome);
/* Counts, in one warning each, those that were too many to keep. */
int pn_xml_count_rest(const pn_xml *u);

/* The node behind this one in the order of the file, within the tree of `root`; NULL at its end. */
xmlNode *pn_xml_behind(xmlNode *node, const xmlNode *root);
/* The first element of that name (NULL: any) at or behind a sibling. Elements with a prefix, as in
 * <sensor:camera>, belong to other programs and are passed over. */
xmlNode *pn_xml_find(xmlNode *sibling, const char *name);
int pn_xml_is(const xmlNode *node, const char *name);
/* Whether a list of words, with a space before and behind each, has one. */
int pn_xml_has_word(const char *list, const char *word);
/* The one child of that name, NULL in *out when there is none. Several that say the same count as one, with
 * a warning; returns 0 when they do not. */
int pn_xml_child(const pn_xml *u, const xmlNode *parent, const char *name, xmlNode **out);

/* The value of an attribute, NULL when it is not there. It belongs to the document. */
const char *pn_xml_attribute(const xmlNode *node, const char *name);
/* The same for one that must be there and not be empty. Returns 0 on failure. */
int pn_xml_string(const pn_xml *u, const xmlNode *node, const char *name, const char **out);
/* Exactly `count` finite numbers, at most 16. Returns 0 on failure, and `out` is as it was. */
int pn_xml_numbers(const pn_xml *u, const xmlNode *node, const char *name, int count, double *out);
/* The same, but where the attribute is missing `out` stays as it is. */
int pn_xml_numbers_or(const pn_xml *u, const xmlNode *node, const char *name, int count, double *out);

#endif
