#ifndef PN_CLI_LEFT_OUT_H
#define PN_CLI_LEFT_OUT_H

#include <stddef.h>

#include "pinion/io.h"

/* Says on stderr which elements of a URDF text, one that was read as the model, the model has no place for;
 * for MJCF and SDF the model's own warnings. Nothing for other texts. */
void pn_cli_report_left_out(const pinion_model *m, const char *name, const char *text, size_t size);

#endif
