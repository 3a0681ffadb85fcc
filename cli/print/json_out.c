#include "cli/print/json_out.h"
#include "src/base/utf8.h"

#include "cli/print/print_text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

cli_json pn_cli_json(FILE *stream)
{
    cli_json j;
    memset(&j, 0, sizeof j);
    j.stream = stream;
    return j;
}

/* What goes before a value or a key: a comma, then a space or a new line. */
static void separate(cli_json *j)
{
    if (j->named) {
        j->named = 0;
        return;
    }
    if (j->depth == 0) return;
    int level = j->depth - 1;
    if (j->count[level]++) fputc(',', j->stream);
    if (j->flat[level]) {
        if (j->count[level] > 1) fputc(' ', j->stream);
    } else {
        fprintf(j->stream, "\n%*s", 2 * j->depth, "");
    }
}

void pn_cli_json_open(cli_json *j, char kind, int flat)
{
    assert(j->depth < JSON_DEPTH);
    separate(j);
    fputc(kind, j->stream);
    j->close[j->depth] = kind == '{' ? '}' : ']';
    j->flat[j->depth] = flat || (j->depth && j->flat[j->depth - 1]);
    j->count[j->depth] = 0;
    j->depth++;
}

void pn_cli_json_close(cli_json *j)
{
    assert(j->depth > 0);
    j->depth--;
    if (j->count[j->depth] && !j->flat[j->depth]) fprintf(j->stream, "\n%*s", 2 * j->depth, "");
    fputc(j->close[j->depth], j->stream);
}

void pn_cli_json_end(cli_json *j)
{
    while (j->depth > 0) pn_cli_json_close(j);
    fputc('\n', j->stream);
}

/* A quoted string. Control characters are escaped, and what is not UTF-8 becomes U+FFFD. */
static void put_string(cli_json *j, const char *text)
{
    fputc('"', j->stream);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int length = pn_utf8_length((const char *)s);
        if (*s == '"' || *s == '\\')
            fprintf(j->stream, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(j->stream, "\\u%04x", *s);
        else if (length == 2 && s[0] == 0xc2 && s[1] < 0xa0)
            fprintf(j->stream, "\\u%04x", s[1]);
        else if (length == 0)
            fputs("\\ufffd", j->stream);
        else
            fwrite(s, 1, (size_t)length, j->stream);
        s += length ? length : 1;
    }
    fputc('"', j->stream);
}

void pn_cli_json_key(cli_json *j, const char *key)
{
    separate(j);
    put_string(j, key);
    fputs(": ", j->stream);
    j->named = 1;
}

void pn_cli_json_string(cli_json *j, const char *text)
{
    separate(j);
    put_string(j, text);
}

void pn_cli_json_null(cli_json *j)
{
    separate(j);
    fputs("null", j->stream);
}

/* The fewest digits, of at most 17, that read back as the same number. */
void pn_cli_json_number(cli_json *j, double x)
{
    char text[40];
    if (!isfinite(x)) {
        j->nulls++;
        pn_cli_json_null(j);
        return;
    }
    separate(j);
    if (x == 0) {
        /* a reader takes "-0" for an integer, which has no sign to keep */
        fputs(signbit(x) ? "-0.0" : "0", j->stream);
        return;
    }
    fputs(pn_cli_number_text(x, text, sizeof text), j->stream);
}

void pn_cli_json_integer(cli_json *j, int x)
{
    separate(j);
    fprintf(j->stream, "%d", x);
}

void pn_cli_json_boolean(cli_json *j, int x)
{
    separate(j);
    fputs(x ? "true" : "false", j->stream);
}

void pn_cli_json_numbers(cli_json *j, const double *x, int count)
{
    pn_cli_json_open(j, '[', 1);
    for (int i = 0; i < count; i++) pn_cli_json_number(j, x[i]);
    pn_cli_json_close(j);
}

void pn_cli_json_matrix(cli_json *j, const double *x, int rows, int columns)
{
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < rows; i++) pn_cli_json_numbers(j, x + (size_t)i * (size_t)columns, columns);
    pn_cli_json_close(j);
}

void pn_cli_put_string(cli_json *j, const char *key, const char *text)
{
    pn_cli_json_key(j, key);
    pn_cli_json_string(j, text);
}

void pn_cli_put_integer(cli_json *j, const char *key, int x)
{
    pn_cli_json_key(j, key);
    pn_cli_json_integer(j, x);
}

void pn_cli_put_number(cli_json *j, const char *key, double x)
{
    pn_cli_json_key(j, key);
    pn_cli_json_number(j, x);
}
