/* pinion: the command. */
#include "cli/args/load_option.h"
#include "cli/args/near.h"
#include "cli/args/options.h"
#include "cli/print/print_text.h"

#include <stdio.h>
#include <string.h>

static int refuse_command(const char *name)
{
    if (name[0] == '-') {
        pn_cli_report(NULL, "unknown option '%s' (options come after a command; see 'pinion --help')", name);
        return CLI_USAGE;
    }
    char near[400];
    cli_near found = pn_cli_near(name);
    for (const command_def *c = pn_cli_commands; c->name; c++)
        pn_cli_near_offer(&found, c->name);
    pn_cli_near_text(&found, near, sizeof near);
    pn_cli_report(NULL, "unknown command '%s'%s", name, *near ? near : " (see 'pinion --help')");
    return CLI_USAGE;
}

/* The command of that name; NULL after a message. */
static const command_def *choose(const char *name)
{
    const command_def *command = pn_cli_find_command(name);
    if (!command) refuse_command(name);
    return command;
}

int pn_cli_help(const cli_args *args)
{
    const command_def *command = args->positional ? choose(args->positional) : NULL;
    if (args->positional && !command) return CLI_USAGE;
    if (command)
        pn_cli_print_help(stdout, command);
    else
        pn_cli_print_usage(stdout);
    return pn_cli_finish(args->command->name, CLI_DONE);
}

static int is(const char *argument, const char *name, const char *letter)
{
    return strcmp(argument, name) == 0 || strcmp(argument, letter) == 0;
}

int main(int argc, char **argv)
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

    const command_def *command = choose(argv[1]);
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
