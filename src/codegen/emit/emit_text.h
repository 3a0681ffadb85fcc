/* What the files of generated text share. */
#ifndef PN_EMIT_TEXT_H
#define PN_EMIT_TEXT_H

#include "codegen/codegen_steps.h"

/* "double", "float", "real" */
const char *pn_scalar_name(pinion_codegen_scalar scalar);
/* "void NAME_gravity(const NAME_real *q, NAME_real *tau)", without what follows; of the definition, or of the
 * declaration in the header */
void pn_emit_signature(const pinion_generated *g, const pn_function *f, int definition, pn_text *t);
/* the identifier in capitals */
void pn_emit_capitals(const char *name, pn_text *t);
/* a file named by the robot: prefix, its name, suffix */
pinion_status pn_add_named_file(pinion_generated *g, const char *prefix, const char *suffix, pn_text *text);

#endif
