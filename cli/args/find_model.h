/* Where the bundled models are. */
#ifndef PN_CLI_FIND_MODEL_H
#define PN_CLI_FIND_MODEL_H

/* The path of a bundled model in new memory; NULL when it is nowhere. */
char *pn_cli_find_model(const char *program, const char *name);

#endif
