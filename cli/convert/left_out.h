#ifndef PN_CLI_LEFT_OUT_H
#define PN_CLI_LEFT_OUT_H

#include <stddef.h>

/* Says on stderr which elements of a URDF text, one that was read as a model, the model has no place for.
 * Nothing for other texts. */
void pn_cli_report_left_out(const char *name, const char *text, size_t size);

#endif
