/* Figures by gnuplot, which runs as a child process and never sees a shell. A script is a temporary file;
 * what comes from files or people goes into it through pn_cli_gnuplot_string() and pn_cli_gnuplot_number()
 * alone. */
#ifndef PN_CLI_GNUPLOT_H
#define PN_CLI_GNUPLOT_H

#include <stdio.h>

/* Starts the script of a figure of `width` x `height` units, pixels in SVG and half a pixel in PNG. The
 * file's name must end in .svg or .png. NULL after a message. */
FILE *pn_cli_gnuplot_begin(const char *command, const char *path, int width, int height);
/* Text as a gnuplot string. Control characters, backquotes and malformed UTF-8 are left out, an apostrophe
 * becomes a typographic one, and more than `most` characters are cut. */
void pn_cli_gnuplot_string(FILE *script, const char *text, int most);
/* A finite number, with a point whatever the locale. */
void pn_cli_gnuplot_number(FILE *script, double x);
/* Runs the script and puts the figure at the path, whole or not at all. The script is closed. CLI_DONE, or
 * CLI_FAILED after a message. */
int pn_cli_gnuplot_end(const char *command, FILE *script, const char *path);

/* Whether a figure can be drawn: CLI_DONE, CLI_USAGE for a name that does not end in .svg or .png, CLI_FAILED
 * when there is no gnuplot; the last two after a message. */
int pn_cli_gnuplot_check(const char *command, const char *path);

#endif
