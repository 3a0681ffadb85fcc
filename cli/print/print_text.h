/* Text for people: messages, safe printing of names, tables, and what the terminal can show. */
#ifndef PN_CLI_PRINT_TEXT_H
#define PN_CLI_PRINT_TEXT_H

#include <stdio.h>

#if defined(__GNUC__) || defined(__clang__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* What may be sent to a stream: colours only to a terminal, drawing characters unless the locale forbids
 * them. */
typedef struct cli_style {
    int color;
    int utf8;
} cli_style;

cli_style pn_cli_style(FILE *stream);
/* Escape sequences, empty without colours. */
const char *pn_cli_bold(cli_style style);
const char *pn_cli_dim(cli_style style);
const char *pn_cli_plain(cli_style style);

/* Prints text that may come from a file: control, invisible and malformed characters appear as \xNN or
 * \u{NNNN}, so that no name can drive the terminal. */
void pn_cli_put(FILE *stream, const char *text);
/* Columns that pn_cli_put() fills. */
int pn_cli_width(const char *text);

/* What follows the name of so many things: "s", but for one. */
static inline const char *pn_cli_plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* "  wrote FILE" on stderr, in a summary; nothing for NULL. */
void pn_cli_put_written(const char *path);
/* One line on stderr: "pinion COMMAND: message"; command may be NULL. */
void pn_cli_report(const char *command, const char *format, ...) CLI_PRINTF(2, 3);

/* The shortest text that reads back as the number. Returns `text`. */
const char *pn_cli_number_text(double x, char *text, size_t size);

/* A table whose columns are as wide as their widest cell. */
typedef struct cli_table {
    int columns;
    int cells; /* filled row by row */
    int capacity;
    char **cell;
    int failed; /* out of memory: nothing is printed */
} cli_table;

cli_table pn_cli_table(int columns);
void pn_cli_table_add(cli_table *t, const char *format, ...) CLI_PRINTF(2, 3);
/* Prints and releases the table. The first row is the heading; align has 'l' or 'r' per column, or 'n' for
 * notes, which go on a line of their own under the row.
 * NULL only releases it. Returns 0 when out of memory. */
int pn_cli_table_print(cli_table *t, FILE *stream, const char *align, cli_style style);

#endif
