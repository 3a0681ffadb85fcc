/* Safe access to the XML of a URDF file. Private to the URDF reader. */
#ifndef PN_URDF_H
#define PN_URDF_H

#include <libxml/tree.h>

#include "io.h"

/* A parsed file: every attribute is one piece of text, no entity reference is left in it, and nothing
 * in it is still to be expanded by xacro. */
typedef struct pn_urdf {
    xmlDoc *doc;
    const char *file;  /* for messages */
    pinion_error *err; /* may be NULL */
} pn_urdf;

/* Parses; returns 0 with u->err filled on failure. The document goes back with pn_urdf_close. */
int pn_urdf_open(pn_urdf *u, const char *text, size_t size, const char *file, pinion_error *err);
void pn_urdf_close(pn_urdf *u);

/* Fills the error for a place in the file; always returns 0. */
int pn_urdf_fail(const pn_urdf *u, const xmlNode *node, pinion_status status, const char *format, ...)
    PN_PRINTF(4, 5);
int pn_urdf_line(const xmlNode *node);

/* The first element of that name (NULL: any) at or behind a sibling. Elements with a prefix, as in
 * <sensor:camera>, belong to other programs and are passed over. */
xmlNode *pn_urdf_find(xmlNode *sibling, const char *name);
int pn_urdf_is(const xmlNode *node, const char *name);
/* The one child of that name, NULL in *out when there is none. Returns 0 when there are several. */
int pn_urdf_child(const pn_urdf *u, const xmlNode *parent, const char *name, xmlNode **out);

/* The value of an attribute, NULL when it is not there. It belongs to the document. */
const char *pn_urdf_attribute(const xmlNode *node, const char *name);
/* The same for one that must be there and not be empty. Returns 0 on failure. */
int pn_urdf_string(const pn_urdf *u, const xmlNode *node, const char *name, const char **out);
/* Exactly `count` finite numbers, at most 16. Returns 0 on failure, and `out` is as it was. */
int pn_urdf_numbers(const pn_urdf *u, const xmlNode *node, const char *name, int count, double *out);
/* The same, but where the attribute is missing `out` stays as it is. */
int pn_urdf_numbers_or(const pn_urdf *u, const xmlNode *node, const char *name, int count, double *out);

#endif
