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

/* document_playback.c: a * b, where b is given in a; position and quaternion x, y, z, w, as the page's library has */
pinion_pose pn_doc_compose(const pinion_pose *a, const pinion_pose *b);
void pn_doc_pose7(const pinion_pose *p, double out[7]);

/* document_elastic.c: links that bend, by knots along each: sections of a beam, nodes of given shapes. */
typedef struct cli_bent_link {
    int link, body, knots;
    int nodes; /* what is attached moves with the nearest knot */
} cli_bent_link;

typedef struct cli_bent_knot {
    int place;        /* of pinion_elastic_places(); -1 where it stays at rest */
    pinion_pose rest; /* in the link's frame */
} cli_bent_knot;

typedef struct cli_bent {
    const pinion_model *m;
    int links, knots; /* knots of all links */
    cli_bent_link *link;
    cli_bent_knot *knot;
    double *at; /* of one link */
    pinion_pose *place;
} cli_bent;

/* 0 when out of memory. Closed in either case. */
int pn_doc_bent_open(cli_bent *b, const pinion_model *m);
void pn_doc_bent_close(cli_bent *b);
/* Poses of all knots at q, each in its body: 7 numbers a knot; 0 when one is out of sight. in_body: of links. */
int pn_doc_bent_pack(const cli_bent *b, const double *q, const pinion_pose *in_body, float *out);
/* "elastic" of a playback; nothing where no link bends. */
void pn_doc_bent_describe(const cli_bent *b, cli_document *doc, json_t *item, const pinion_pose *in_body,
                          const float *values, size_t instants);
/* Which of the elastic links a link is; -1 for none. */
int pn_doc_bent_of(const cli_bent *b, int link);

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
