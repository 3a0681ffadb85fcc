/* pinion help, and --help of every command, from the commands' descriptions. */
#include "cli/help/help.h"

#include "cli/args/load_option.h"

#include <string.h>

#define HELP_WIDTH 96

/* Prints text from `column` on, broken between words; the lines after the first start at `column`. */
static void put_wrapped(FILE *stream, const char *text, int column)
{
    int at = column;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at > column && at + 1 + length > HELP_WIDTH) {
            fprintf(stream, "\n%*s", column, "");
            at = column;
        } else if (at > column) {
            fputc(' ', stream);
            at++;
        }
        fprintf(stream, "%.*s", length, text);
        at += length;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', stream);
}

/* A term and what it means, in two columns. */
static void put_entry(FILE *stream, const char *term, const char *meaning, int column)
{
    int length = (int)strlen(term);
    fprintf(stream, "  %s", term);
    if (length + 4 > column) {
        fputc('\n', stream);
        length = -2;
    }
    fprintf(stream, "%*s", column - length - 2, "");
    put_wrapped(stream, meaning, column);
}

void pn_cli_print_usage(FILE *stream)
{
    fputs("usage: pinion COMMAND [arguments]\n"
          "\n"
          "Robot dynamics: joint forces, accelerations, mass matrices, Jacobians and energies of a robot\n"
          "described by a URDF, MJCF, SDF or native JSON file.\n"
          "\n"
          "Commands:\n",
          stream);
    for (const cli_command *const *c = pn_cli_commands; *c; c++) put_entry(stream, (*c)->name, (*c)->summary, 15);
    fputs("\n"
          "'pinion COMMAND --help' explains each with an example; 'pinion --version' prints the version.\n"
          "Exit status: 0 done; 1 a file cannot be read, or the model or the numbers are bad; 2 the command\n"
          "line is wrong.\n",
          stream);
}

static void print_options(FILE *stream, const cli_command *command)
{
    fputs("\nOptions:\n", stream);
    for (const cli_option *const *at = command->options; *at; at++) {
        const cli_option *o = *at;
        char term[80], letter[8] = "";
        if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(term, sizeof term, "%s--%s%s%s", letter, o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        put_entry(stream, term, o->help, 30);
    }
}

void pn_cli_put_quantity(FILE *stream, const char *name, int takes_frame, const char *help)
{
    char term[80];
    snprintf(term, sizeof term, "%s%s", name, takes_frame == 2 ? ":A/B" : takes_frame ? ":FRAME" : "");
    put_entry(stream, term, help, 30);
}

void pn_cli_print_help(FILE *stream, const cli_command *command)
{
    fprintf(stream, "usage: pinion %s %s\n\n%s", command->name, command->usage, command->about);
    if (command->takes == TAKES_MODEL || command->takes == TAKES_OPTIONAL_MODEL || command->takes == TAKES_MODELS)
        fputs("\nMODEL is a URDF, MJCF, SDF or native JSON file, or - for standard input.\n", stream);
    print_options(stream, command);
    if (command->more) command->more(stream);
    fprintf(stream, "\nExample:\n  %s\n", command->example);
}

/* ------------------------------------------------------------------------------------------------ */

static int run_command(const cli_args *args)
{
    const cli_command *command = args->positional ? pn_cli_find_command(args->positional) : NULL;
    if (args->positional && !command) return CLI_USAGE;
    if (command)
        pn_cli_print_help(stdout, command);
    else
        pn_cli_print_usage(stdout);
    return pn_cli_finish(args->command->name, CLI_DONE);
}

static const cli_option *const options[] = {SHARED(HELP), NULL};

const cli_command pn_cli_command_help = {
    .name = "help",
    .summary = "help on a command",
    .run = run_command,
    .takes = TAKES_OPTIONAL_COMMAND,
    .usage = "[COMMAND]",
    .about = "Prints the list of commands, or the help of one of them.\n",
    .example = "pinion help eval",
    .options = options,
};
