/* Help, from the tables of commands, options and quantities. */
#include "cli/args/options.h"
#include "pinion/codegen.h"
#include "cli/args/quantity.h"

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
          "described by a URDF or native JSON file.\n"
          "\n"
          "Commands:\n",
          stream);
    for (const command_def *c = pn_cli_commands; c->name; c++)
        put_entry(stream, c->name, c->summary, 15);
    fputs("\n"
          "'pinion COMMAND --help' explains each with an example; 'pinion --version' prints the version.\n"
          "Exit status: 0 done; 1 a file cannot be read, or the model or the numbers are bad; 2 the command\n"
          "line is wrong.\n",
          stream);
}

static void print_options(FILE *stream, const command_def *command)
{
    fputs("\nOptions:\n", stream);
    for (const option_id *id = command->options; *id != OPT_COUNT; id++) {
        const option_def *o = &pn_cli_options[*id];
        char term[80], letter[8] = "";
        if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(term, sizeof term, "%s--%s%s%s", letter, o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        put_entry(stream, term, o->help, 30);
    }
}

static void print_quantities(FILE *stream)
{
    fputs("\nQuantities for --what:\n", stream);
    int id;
    quantity_def d;
    for (int i = 0; pn_cli_quantity_at(i, &id, &d); i++) {
        char term[80];
        snprintf(term, sizeof term, "%s%s", d.name, d.takes_frame ? ":FRAME" : "");
        if (!d.later) put_entry(stream, term, d.help, 30);
    }
    fputs("FRAME is a link or a named frame; a comma or backslash in its name is written \\, or \\\\.\n"
          "Not available yet:",
          stream);
    for (int i = 0; pn_cli_quantity_at(i, &id, &d); i++)
        if (d.later) fprintf(stream, " %s", d.name);
    fputc('\n', stream);
}

static void print_generated(FILE *stream)
{
#ifdef PINION_TRACE
    fputs("\nQuantities for --what:\n", stream);
    for (int i = 0; i < pinion_codegen_quantity_count(); i++) {
        pinion_codegen_quantity known;
        char term[80];
        if (pinion_codegen_quantity_info(i, &known) != PINION_OK) continue;
        snprintf(term, sizeof term, "%s%s", known.name, known.takes_frame ? ":FRAME" : "");
        put_entry(stream, term, known.help, 30);
    }
    fputs("FRAME is a link or a named frame; a comma or backslash in its name is written \\, or \\\\.\n", stream);
#else
    fputs("\nNot available in this build: it was made without PINION_TRACE.\n", stream);
#endif
}

static void print_problems(FILE *stream)
{
    fputs("\nProblems for --what:", stream);
    for (int p = 0; p < PINION_PROBLEM_COUNT; p++)
        fprintf(stream, "%s%s", p ? ", " : " ", pinion_problem_name((pinion_problem)p));
    fputc('\n', stream);
}

void pn_cli_print_help(FILE *stream, const command_def *command)
{
    fprintf(stream, "usage: pinion %s %s\n\n%s", command->name, command->usage, command->about);
    if (command->takes == TAKES_MODEL || command->takes == TAKES_OPTIONAL_MODEL || command->takes == TAKES_MODELS)
        fputs("\nMODEL is a URDF or native JSON file, or - for standard input.\n", stream);
    print_options(stream, command);
    for (const option_id *id = command->options; *id != OPT_COUNT; id++) {
        if (pn_cli_options[*id].kind == VALUE_QUANTITIES) print_quantities(stream);
        if (pn_cli_options[*id].kind == VALUE_GENERATED) print_generated(stream);
        if (pn_cli_options[*id].kind == VALUE_PROBLEMS) print_problems(stream);
    }
    fprintf(stream, "\nExample:\n  %s\n", command->example);
}
