/* Errors, numbers and the growing string of the readers and writers, independent of the locale. */
#include "io/model_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Errors */

/* The length of the UTF-8 sequence at s, 0 when there is none. */
static size_t utf8_length(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    size_t n = u[0] < 0x80 ? 1 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : u[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((u[i] & 0xc0) != 0x80) return 0;
    /* overlong forms, surrogates, and what lies beyond the last code point */
    if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f)) return 0;
    if ((u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f)) return 0;
    return n;
}

/* Makes one line of valid UTF-8 of what vsnprintf left, which may have been cut inside a character. */
static void clean_line(char *s, int cut)
{
    char *to = s;
    for (const char *from = s; *from;) {
        size_t n = utf8_length(from), rest = strlen(from);
        if (n == 0 && cut && rest < 4 && (unsigned char)*from >= 0xc2) break; /* the cut character */
        int control = n == 1 && ((unsigned char)*from < 0x20 || *from == 0x7f);
        if (n == 2 && (unsigned char)from[0] == 0xc2 && (unsigned char)from[1] < 0xa0) control = 1;
        if (n == 0 || control) {
            *to++ = '?';
            from += n ? n : 1;
        } else {
            memmove(to, from, n);
            to += n;
            from += n;
        }
    }
    *to = '\0';
}

void pn_error_set(pinion_error *err, pinion_status s, const char *file, int line, int column,
                  const char *format, ...)
{
    if (!err) return;
    err->status = s;
    err->line = line > 0 ? line : 0;
    err->column = column > 0 ? column : 0;

    /* where: a very long path keeps its end, which tells more, and leaves room for the message */
    char *out = err->message;
    size_t room = sizeof err->message, used = 0;
    if (file) {
        size_t length = strlen(file), most = 255;
        const char *dots = length > most ? "..." : "";
        if (length > most) file += length - most;
        int n = line > 0 ? snprintf(out, room, "%s%s:%d: ", dots, file, line)
                         : snprintf(out, room, "%s%s: ", dots, file);
        used = n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
    }

    /* what */
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(out + used, room - used, format, arguments);
    va_end(arguments);
    if (n < 0) out[used] = '\0';
    clean_line(out, n >= 0 && (size_t)n >= room - used);
}

/* ---------------------------------------------------------------------------------------------
 * Numbers. strtod and printf use the decimal point of the locale, which may be several bytes: what
 * printf puts between the digits of 0.5 is what strtod expects. */

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The bytes of the decimal point in use; returns how many. */
static size_t decimal_point(char point[16])
{
    char half[32];
    int n = snprintf(half, sizeof half, "%.1f", 0.5);
    if (n < 3 || n > 17) n = snprintf(half, sizeof half, "0.5");
    memcpy(point, half + 1, (size_t)n - 2);
    return (size_t)n - 2;
}

int pn_parse_number(const char *text, const char **end, double *out)
{
    /* the syntax, and where its point is */
    const char *s = text, *point = NULL;
    size_t digits = 0;
    if (*s == '+' || *s == '-') s++;
    for (; is_digit(*s) || (*s == '.' && !point); s++) {
        if (*s == '.')
            point = s;
        else
            digits++;
    }
    if (digits == 0) return 0;
    if (*s == 'e' || *s == 'E') {
        const char *e = s + 1;
        if (*e == '+' || *e == '-') e++;
        if (is_digit(*e)) {
            while (is_digit(*e)) e++;
            s = e;
        }
    }
    size_t size = (size_t)(s - text);
    if (size > PN_NUMBER_MAX) return 0;

    /* strtod on a copy that has the locale's point */
    char copy[PN_NUMBER_MAX + 32], *to = copy, *stop;
    size_t before = point ? (size_t)(point - text) : size;
    memcpy(to, text, before);
    to += before;
    if (point) {
        to += decimal_point(to);
        memcpy(to, point + 1, size - before - 1);
        to += size - before - 1;
    }
    *to = '\0';
    double x = strtod(copy, &stop);
    if (stop != to || !isfinite(x)) return 0;
    *out = x;
    if (end) *end = s;
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * The growing string */

/* Room for `more` bytes and the final '\0'; returns 0 when there is none. */
static int reserve(pn_text *t, size_t more)
{
    if (t->failed) return 0;
    if (more < t->capacity - t->size) return 1; /* capacity is 0 or above size */
    size_t capacity = t->capacity ? t->capacity : 256;
    while (capacity - t->size <= more) {
        if (capacity > (size_t)-1 / 4) {
            t->failed = 1;
            return 0;
        }
        capacity *= 2;
    }
    char *data = realloc(t->data, capacity);
    if (!data) {
        t->failed = 1;
        return 0;
    }
    t->data = data;
    t->capacity = capacity;
    return 1;
}

void pn_text_append_bytes(pn_text *t, const char *bytes, size_t count)
{
    if (!reserve(t, count)) return;
    memcpy(t->data + t->size, bytes, count);
    t->size += count;
    t->data[t->size] = '\0';
}

void pn_text_append(pn_text *t, const char *string)
{
    pn_text_append_bytes(t, string, strlen(string));
}

void pn_text_appendf(pn_text *t, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments);
    if (n < 0)
        t->failed = 1;
    else if (reserve(t, (size_t)n)) {
        vsnprintf(t->data + t->size, (size_t)n + 1, format, again);
        t->size += (size_t)n;
    }
    va_end(again);
    va_end(arguments);
}

void pn_text_number(pn_text *t, double x)
{
    /* the fewest digits that read back as the same number, all in the locale's own point */
    char number[64], plain[64], point[16];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, x);
        if (strtod(number, NULL) == x) break;
    }
    size_t width = decimal_point(point), to = 0;
    for (const char *s = number; *s;) {
        if (strncmp(s, point, width) == 0) {
            plain[to++] = '.';
            s += width;
        } else {
            plain[to++] = *s++;
        }
    }
    pn_text_append_bytes(t, plain, to);
}

void pn_text_xml(pn_text *t, const char *string)
{
    for (const char *s = string; *s;) {
        size_t plain = strcspn(s, "&<>\"'\t\n\r");
        pn_text_append_bytes(t, s, plain);
        s += plain;
        switch (*s) {
        case '\0': return;
        case '&': pn_text_append(t, "&amp;"); break;
        case '<': pn_text_append(t, "&lt;"); break;
        case '>': pn_text_append(t, "&gt;"); break;
        case '"': pn_text_append(t, "&quot;"); break;
        case '\'': pn_text_append(t, "&apos;"); break;
        default: pn_text_appendf(t, "&#%d;", *s); break; /* a reader would make a space of it */
        }
        s++;
    }
}

char *pn_text_take(pn_text *t)
{
    if (!t->data) pn_text_append(t, "");
    char *data = t->failed ? NULL : t->data;
    if (!data) free(t->data);
    *t = (pn_text){0};
    return data;
}

void pn_text_free(pn_text *t)
{
    free(t->data);
    *t = (pn_text){0};
}
