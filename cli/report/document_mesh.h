/* Mesh files: where they may come from, and what of them is carried along. */
#ifndef PN_CLI_DOCUMENT_MESH_H
#define PN_CLI_DOCUMENT_MESH_H

#include <stddef.h>
#include <stdio.h>

typedef enum cli_mesh_end {
    MESH_READ,
    MESH_MISSING,
    MESH_STRANGE, /* a result names it, but the model's file does not */
    MESH_OUTSIDE, /* it is neither in the model's folder nor in a package's */
    MESH_OTHER,   /* no format that the page knows */
    MESH_EMPTY,
    MESH_BROKEN, /* not what its name says */
    MESH_LARGE,  /* more than there is room for */
    MESH_ENDS
} cli_mesh_end;

/* A mesh as it is carried along: written from what was read of it. */
typedef struct cli_mesh {
    const char *format; /* "stl", "obj" or "dae" */
    char *bytes;        /* new memory */
    size_t size;
} cli_mesh;

/* Reads a mesh file of at most `most` bytes, by the format that `name` ends in. */
cli_mesh_end pn_doc_mesh_read(const char *path, const char *name, size_t most, cli_mesh *mesh);

/* The readers. The text ends with '\0'. They write to a stream and return how many faces there were; 0 when
 * it is no such mesh. */
size_t pn_doc_mesh_stl(const char *text, size_t size, FILE *to);
size_t pn_doc_mesh_obj(char *text, FILE *to);
size_t pn_doc_mesh_dae(const char *text, size_t size, FILE *to);

#endif
