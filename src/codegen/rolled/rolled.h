/* Parts of rolled.c: functions as loops over the robot's tables, with the kernels' own files in the source. */
#ifndef PN_ROLLED_H
#define PN_ROLLED_H

#include "codegen/codegen_steps.h"

/* ---- embedded.c, made by cmake/embed.cmake ---- */

/* The name of embedded text number i and the text; NULL behind the last. */
const char *pn_embedded_at(int i, const char **text);

/* ---- rolled_files.c ---- */

/* The files that a kernel needs, each once and as it is, in an order in which they compile. `seen` has the names of
 * those that are there already. */
void pn_rolled_files(int kernel, pn_text *seen, pn_text *t);
/* one embedded file with all that it includes */
void pn_rolled_file(const char *name, pn_text *seen, pn_text *t);
/* a kernel's name in C */
const char *pn_rolled_name(int kernel);

/* ---- rolled_needs.c ---- */

/* What a kernel uses of a workspace and of the robot's tables. */
typedef struct pn_rolled_needs {
    int kernel;
    unsigned parts; /* PN_PART_* */
    size_t record;  /* reals of a body's record */
    int frames, dofs;
} pn_rolled_needs;

pn_rolled_needs pn_rolled_needs_of(int kernel);

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
