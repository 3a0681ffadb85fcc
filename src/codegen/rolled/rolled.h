/* Parts of rolled.c: the kernels' own sources, of which a generated file carries what its functions need. */
#ifndef PN_ROLLED_H
#define PN_ROLLED_H

#include "codegen/codegen_steps.h"

/* ---- embedded.c ---- */

/* The name of an embedded text as that file has it; NULL: there is none. */
const char *pn_embedded_name(const char *name);

/* ---- rolled_source.c ---- */

typedef struct pn_source
    pn_source; /* embedded files cut into their definitions, in an order in which they compile */

/* Embedded files and all that they include, each once. NULL: out of memory. */
pn_source *pn_source_read(const char *const *names, int count);
void pn_source_free(pn_source *s);
/* Another text, which must last as long as the source, in place of the definition of a name. */
void pn_source_replace(pn_source *s, const char *name, const char *text);
/* Nothing is needed from here on. */
void pn_source_clear(pn_source *s);
/* All that a text refers to is needed, and what that refers to. */
void pn_source_need(pn_source *s, const char *text);
/* Whether a name stands in what is needed. */
int pn_source_mentions(const pn_source *s, const char *name);
/* Whether what is needed reads or writes a member of this name. */
int pn_source_has_member(const pn_source *s, const char *member);
/* What is needed of one file, with the comments that are above it; `only` NULL: of all but the scalar
 * contract's, which are below real/. `qualifier` stands before every function. PINION_ERR_MEMORY or
 * PINION_OK. */
pinion_status pn_source_write(const pn_source *s, const char *only, const char *qualifier, pn_text *t);

/* ---- rolled_tables.c ---- */

/* Which tables the functions read. */
typedef struct pn_rolled_tables {
    int frames, dofs, coordinates, coupled;
} pn_rolled_tables;

/* what stands before every table: for compilers of GPU code it differs */
const char *pn_table_qualifier(const pinion_generated *g);
/* the tree's integers; then the model's numbers, each body with its name */
void pn_rolled_tree(const pinion_model *m, const pinion_generated *g, const pn_rolled_tables *has,
                    pn_text *t);
void pn_rolled_constants(const pinion_model *m, const pinion_generated *g, const pn_rolled_tables *has,
                         char *const *bodies, pn_text *t);

#endif
