#ifndef PN_CLI_XACRO_H
#define PN_CLI_XACRO_H

#include <stddef.h>

/* What the program xacro makes of a file, in new memory; NULL after a message. It is run as it is found in PATH,
 * without a shell. */
char *pn_cli_xacro(const char *command, const char *path, size_t *size);

#endif
