/* The commands. Each has a folder of its own, with a description by the name of pn_cli_command_NAME. */
#include "cli/args/near.h"
#include "cli/args/options.h"
#include "cli/print/print_text.h"

#include <string.h>

/* As --help lists them. */
#define COMMANDS(X) \
    X(info) \
    X(eval) \
    X(convert) \
    X(demo) \
    X(sim) \
    X(sweep) \
    X(merge) \
    X(id) \
    X(linearize) \
    X(report) \
    X(paper) \
    X(algorithms) \
    X(ops) \
    X(bench) \
    X(generate) \
    X(operators) \
    X(codegen) \
    X(equations) \
    X(completion) \
    X(help)

#define DECLARE(name) extern const cli_command pn_cli_command_##name;
COMMANDS(DECLARE)

#define ENTRY(name) &pn_cli_command_##name,
const cli_command *const pn_cli_commands[] = {COMMANDS(ENTRY) NULL};

static void refuse_command(const char *name)
{
    if (name[0] == '-') {
        pn_cli_report(NULL, "unknown option '%s' (options come after a command; see 'pinion --help')", name);
        return;
    }
    char near[400];
    cli_near found = pn_cli_near(name);
    for (const cli_command *const *c = pn_cli_commands; *c; c++) pn_cli_near_offer(&found, (*c)->name);
    pn_cli_near_text(&found, near, sizeof near);
    pn_cli_report(NULL, "unknown command '%s'%s", name, *near ? near : " (see 'pinion --help')");
}

const cli_command *pn_cli_find_command(const char *name)
{
    for (const cli_command *const *c = pn_cli_commands; *c; c++)
        if (strcmp((*c)->name, name) == 0) return *c;
    refuse_command(name);
    return NULL;
}
