/* The command as a function: what `pinion` and `python -m pinion` are. */
#include "cli/args/entry.h"
#include "cli/args/load_option.h"
#include "cli/args/options.h"
#include "cli/help/help.h"

#include <stdio.h>
#include <string.h>

static int is(const char *argument, const char *name, const char *letter)
{
    return strcmp(argument, name) == 0 || strcmp(argument, letter) == 0;
}

int pn_cli_main(int argc, char **argv)
{
    /* what needs no command */
    if (argc < 2) {
        pn_cli_print_usage(stderr);
        return CLI_USAGE;
    }
    if (is(argv[1], "--version", "-V")) {
        printf("pinion %s\n", pinion_version());
        return pn_cli_finish(NULL, CLI_DONE);
    }
    if (is(argv[1], "--help", "-h")) {
        pn_cli_print_usage(stdout);
        return pn_cli_finish(NULL, CLI_DONE);
    }

    const cli_command *command = pn_cli_find_command(argv[1]);
    if (!command) return CLI_USAGE;
    cli_args args = {.program = argv[0]};
    int status = pn_cli_parse(command, argc - 2, argv + 2, &args);
    if (status != CLI_DONE) return status;
    if (args.value[OPT_HELP]) {
        pn_cli_print_help(stdout, command);
        return pn_cli_finish(NULL, CLI_DONE);
    }
    return command->run(&args);
}
