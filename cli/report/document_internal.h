/* What the parts of the document share. */
#ifndef PN_CLI_DOCUMENT_INTERNAL_H
#define PN_CLI_DOCUMENT_INTERNAL_H

#include "cli/report/document.h"
#include "cli/report/document_mesh.h"

#include <jansson.h>

struct cli_document {
    json_t *root;
    json_t *items; /* of the current section; belongs to root */
    int failed;    /* out of memory */
    int told;      /* bits of cli_mesh_end: what was said on stderr */
    const char *package_path;       /* folders of packages, between ':', for meshes; or NULL */
    const pinion_result *result;    /* whose contacts the next playback shows; or NULL */
    const pinion_model *file_model; /* what the model's file holds, where the model shown is from elsewhere; or NULL */
};

/* Functions that take a new value take it over, NULL included: that marks the document as failed. */

/* Adds a value to an object or an array. */
void pn_doc_set(cli_document *doc, json_t *object, const char *key, json_t *value);
void pn_doc_add(cli_document *doc, json_t *array, json_t *value);
/* A text; what is not UTF-8 in it becomes U+FFFD. NULL is "". */
json_t *pn_doc_text(const char *text);
/* An item of that kind in the current section, which it belongs to; NULL when out of memory. */
json_t *pn_doc_item(cli_document *doc, const char *kind);
/* Bytes as base64. */
json_t *pn_doc_base64(const void *bytes, size_t size);
/* Numbers as {"f64": base64} or {"f32": base64}, little-endian. */
json_t *pn_doc_doubles(const double *x, size_t count);
json_t *pn_doc_floats(const float *x, size_t count);

/* document_contacts.c: the contacts of doc->result at the rows that a playback keeps; nothing where it has none.
 * q: [rows of the result][nq]. */
void pn_doc_contacts(cli_document *doc, json_t *item, const pinion_model *m, pinion_work *w, const double *q,
                     const size_t *rows, size_t count);

/* document_thrusters.c: forces of actuators on frames at those rows; nothing where the result has none. */
void pn_doc_thrusters(cli_document *doc, json_t *item, const pinion_model *m, const size_t *rows, size_t count);

/* Finds and embeds the mesh files of a model's visuals. */
typedef struct cli_meshes {
    cli_document *doc;
    json_t *list; /* [{"name", "format", "data"}], belongs to the playback */
    const char *model_path;
    size_t left; /* bytes that may still be embedded */
    int count[MESH_ENDS]; /* how many came to which end, and the name of one of them */
    const char *one[MESH_ENDS];
} cli_meshes;

/* The number of a mesh in the list, as JSON; null when it is not there. */
json_t *pn_doc_mesh(cli_meshes *meshes, const char *name);
/* Notes about those that are not. */
void pn_doc_mesh_notes(const cli_meshes *meshes);

#endif
