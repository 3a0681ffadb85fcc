/* pinion codegen: what its parts share. */
#ifndef PN_CLI_CODEGEN_COMMAND_H
#define PN_CLI_CODEGEN_COMMAND_H

#include "cli/print/json_out.h"
#include "cli/args/options.h"
#include "pinion/codegen.h"
#include "cli/args/quantity.h"

#define CHECKED_STATES 10000

/* The options of this command alone. */
enum {
    OPT_WHAT = OPT_OWN, OPT_FOLDER, OPT_SCALAR, OPT_NAME, OPT_F_EXT, OPT_LIBM, OPT_REASSOCIATE,
    OPT_NO_REGROUPING, OPT_NO_ANGLE_SUMS, OPT_LIMB_LIMIT, OPT_CHECK, OPT_FORCE
};

/* What one run does. */
typedef struct generation {
    const cli_args *args;
    const char *command;
    quantity_list what; /* empty without --what */
    pinion_codegen_options options;
    pinion_model *m;
    pinion_generated *g;
} generation;

/* One function of the library with the generated code behind it, held against the kernels. */
typedef struct checked {
    const char *quantity; /* as pinion_generated_function has it */
    double worst;         /* the largest difference, relative to the largest number of that result; -1: the library has
                             no call that uses it, and it was compared when it was loaded */
} checked;

/* codegen_check.c: compiles the code with the system's compiler, loads it, and fills in one entry a function. Returns
 * CLI_DONE or, after a message, CLI_FAILED. */
int pn_cli_codegen_check(const generation *run, checked *entry);

/* codegen_print.c */
void pn_cli_codegen_json(const generation *run, const checked *entry);
/* Returns 0 when out of memory. */
int pn_cli_codegen_table(const generation *run, const checked *entry);

#endif
