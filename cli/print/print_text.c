#define _POSIX_C_SOURCE 200809L
#include "cli/print/print_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPORT_MAX 4096 /* bytes of one message; names in it may be of any length */

/* The locale by the usual order of variables. Unset means a bare container or service, where UTF-8 is
 * what the terminal around it shows. */
static int locale_is_utf8(void)
{
    static const char *const variable[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(variable[i]);
        if (!value || !*value) continue;
        return strstr(value, "UTF-8") || strstr(value, "utf-8") || strstr(value, "UTF8") ||
               strstr(value, "utf8");
    }
    return 1;
}

cli_style pn_cli_style(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    cli_style style;
    style.color =
        !(no_color && *no_color) && terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(stream));
    style.utf8 = locale_is_utf8();
    return style;
}

const char *pn_cli_bold(cli_style style)
{
    return style.color ? "\033[1m" : "";
}

const char *pn_cli_dim(cli_style style)
{
    return style.color ? "\033[2m" : "";
}

const char *pn_cli_plain(cli_style style)
{
    return style.color ? "\033[0m" : "";
}

/* ------------------------------------------------------------------------------------------------ */
/* Names are data */

/* Characters that move the cursor, hide, or reorder what stands beside them. */
static int is_hostile(unsigned code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
           (code >= 0xe0000 && code <= 0xe0fff);
}

/* Reads one UTF-8 character: its length, or 0 when the bytes are not one. */
static int decode(const unsigned char *s, unsigned *code)
{
    static const unsigned smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    int length = s[0] < 0x80                   ? 1
                 : s[0] >= 0xf0 && s[0] < 0xf8 ? 4
                 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                 : s[0] >= 0xc0 && s[0] < 0xe0 ? 2
                                               : 0;
    if (length == 0) return 0;
    *code = length == 1 ? s[0] : s[0] & (0xffu >> (length + 1));
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (s[i] & 0x3f);
    }
    int surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < smallest[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

/* Walks over the text as it will look; prints it when there is a stream; returns the columns. */
static int walk(FILE *stream, const char *text)
{
    int columns = 0;
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        char shown[16];
        unsigned code = 0;
        int length = decode(s, &code);
        if (length && !is_hostile(code)) {
            if (stream) fwrite(s, 1, (size_t)length, stream);
            columns += 1;
        } else {
            columns += length > 1 ? snprintf(shown, sizeof shown, "\\u{%x}", code)
                                  : snprintf(shown, sizeof shown, "\\x%02x", *s);
            if (stream) fputs(shown, stream);
        }
        s += length ? length : 1;
    }
    return columns;
}

void pn_cli_put(FILE *stream, const char *text)
{
    walk(stream, text);
}

int pn_cli_width(const char *text)
{
    return walk(NULL, text);
}

void pn_cli_put_written(const char *path)
{
    if (!path) return;
    fputs("  wrote ", stderr);
    pn_cli_put(stderr, path);
    fputc('\n', stderr);
}

void pn_cli_report(const char *command, const char *format, ...)
{
    char line[REPORT_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);

    fflush(stdout);
    fprintf(stderr, "pinion%s%s: ", command ? " " : "", command ? command : "");
    pn_cli_put(stderr, length < 0 ? format : line);
    fputs(length >= (int)sizeof line ? "...\n" : "\n", stderr);
}

const char *pn_cli_number_text(double x, char *text, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    return text;
}

/* ------------------------------------------------------------------------------------------------ */
/* Tables */

cli_table pn_cli_table(int columns)
{
    cli_table t = {columns, 0, 0, NULL, 0};
    return t;
}

void pn_cli_table_add(cli_table *t, const char *format, ...)
{
    if (t->failed) return;

    /* make room */
    if (t->cells == t->capacity) {
        int capacity = t->capacity ? 2 * t->capacity : 64;
        char **cell = realloc(t->cell, (size_t)capacity * sizeof *cell);
        if (!cell) {
            t->failed = 1;
            return;
        }
        t->cell = cell;
        t->capacity = capacity;
    }

    /* format twice: for the length, then for the text */
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (!text) {
        t->failed = 1;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    t->cell[t->cells++] = text;
}

static void put_spaces(FILE *stream, int count)
{
    for (int i = 0; i < count; i++) fputc(' ', stream);
}

/* One row, indented by two columns, without spaces at its end. */
static void print_row(const cli_table *t, int row, const int *width, FILE *stream, const char *align)
{
    int pending = 2; /* spaces owed before the next text */
    for (int c = 0; c < t->columns; c++) {
        const char *text = t->cell[row * t->columns + c];
        if (align[c] == 'n') continue;
        int space = width[c] - pn_cli_width(text), right = align[c] == 'r';
        if (!*text) {
            pending += width[c] + 2;
            continue;
        }
        put_spaces(stream, pending + (right ? space : 0));
        pn_cli_put(stream, text);
        pending = (right ? 0 : space) + 2;
    }
    fputc('\n', stream);
}

/* The notes of a row, under it. */
static void print_notes(const cli_table *t, int row, FILE *stream, const char *align, cli_style style)
{
    for (int c = 0; c < t->columns; c++) {
        const char *text = t->cell[row * t->columns + c];
        if (align[c] != 'n' || !*text) continue;
        fprintf(stream, "      %s", pn_cli_dim(style));
        pn_cli_put(stream, text);
        fprintf(stream, "%s\n", pn_cli_plain(style));
    }
}

int pn_cli_table_print(cli_table *t, FILE *stream, const char *align, cli_style style)
{
    int rows = t->cells / t->columns, *width = calloc((size_t)t->columns, sizeof *width);
    int ok = width && !t->failed, printed = ok && align;

    for (int i = 0; printed && i < rows * t->columns; i++) {
        int needed = pn_cli_width(t->cell[i]);
        if (needed > width[i % t->columns]) width[i % t->columns] = needed;
    }
    for (int row = 0; printed && row < rows; row++) {
        if (row == 0) fputs(pn_cli_dim(style), stream);
        print_row(t, row, width, stream, align);
        if (row == 0) fputs(pn_cli_plain(style), stream);
        print_notes(t, row, stream, align, style);
    }

    for (int i = 0; i < t->cells; i++) free(t->cell[i]);
    free(t->cell);
    free(width);
    *t = pn_cli_table(t->columns);
    return ok;
}
