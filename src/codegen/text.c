/* Text that grows, and numbers in it that no locale changes. */
#include "codegen/codegen_steps.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* room for so many bytes more and a zero behind them */
static int reserve(pn_text *t, size_t more)
{
    if (t->failed) return 0;
    if (more < t->capacity - t->length) return 1; /* the capacity is 0 or above the length */
    size_t capacity = t->capacity ? t->capacity : 1024;
    while (capacity - t->length <= more && capacity <= SIZE_MAX / 4) capacity *= 2;
    char *grown = capacity - t->length > more ? realloc(t->at, capacity) : NULL;
    if (!grown) {
        t->failed = 1;
        return 0;
    }
    t->at = grown;
    t->capacity = capacity;
    return 1;
}

void pn_text_bytes(pn_text *t, const char *bytes, size_t count)
{
    if (!reserve(t, count)) return;
    memcpy(t->at + t->length, bytes, count);
    t->length += count;
    t->at[t->length] = 0;
}

void pn_text_add(pn_text *t, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int n = vsnprintf(NULL, 0, format, arguments);
    if (n < 0) {
        t->failed = 1;
    } else if (reserve(t, (size_t)n)) {
        vsnprintf(t->at + t->length, (size_t)n + 1, format, again);
        t->length += (size_t)n;
    }
    va_end(again);
    va_end(arguments);
}

void pn_text_release(pn_text *t)
{
    free(t->at);
    memset(t, 0, sizeof *t);
}

/* the fewest digits that give the number back */
static void shortest(double x, int single, char *out, size_t room)
{
    const int least = single ? 6 : 15, most = single ? 9 : 17;
    for (int digits = least; digits <= most; digits++) {
        snprintf(out, room, "%.*g", digits, x);
        if (single ? strtof(out, NULL) == (float)x : strtod(out, NULL) == x) break;
    }
}

void pn_text_digits(pn_text *t, double x, int single)
{
    char digits[64];
    const double value = single ? (double)(float)x : x;
    const char *suffix = single ? "f" : "";
    if (!isfinite(value)) {
        pn_text_add(t, "(%s%d.0%s / 0.0%s)", value < 0 ? "-" : "", !isnan(value), suffix, suffix);
        return;
    }
    shortest(value, single, digits, sizeof digits);

    /* the locale's decimal point is what stands between the digits and is no exponent */
    int plain = 1;
    for (const char *s = digits; *s; s++) {
        const int known = isdigit((unsigned char)*s) || *s == '-' || *s == '+' || *s == 'e';
        if (*s == 'e') plain = 0;
        if (known) {
            pn_text_bytes(t, s, 1);
        } else if (plain) {
            pn_text_bytes(t, ".", 1);
            plain = 0;
        }
    }
    pn_text_add(t, "%s%s", plain ? ".0" : "", suffix);
}

void pn_text_literal(pn_text *t, double x, pinion_codegen_scalar scalar)
{
    if (scalar == PINION_CODEGEN_REAL) pn_text_add(t, "R(");
    pn_text_digits(t, x, scalar == PINION_CODEGEN_F32);
    if (scalar == PINION_CODEGEN_REAL) pn_text_add(t, ")");
}

enum { COLUMNS = 110 };

/* How well a line may end at the space at s: 0 behind a comma or an assignment or before a sum's sign, 1
 * before another operator, 2 where only need makes it. */
static int break_cost(const char *s)
{
    if (s[-1] == ',' || (s[-1] == '=' && s[-2] == ' ')) return 0;
    if (!s[1] || s[2] != ' ') return 2;
    return strchr("+-?:", s[1]) ? 0 : strchr("*/", s[1]) ? 1 : 2;
}

/* Where to break a line that is too long: in the later half of it, where it is least inside of parentheses;
 * or at the first space there is. NULL: nowhere. */
static char *find_break(char *line)
{
    char *best = NULL, *text = line;
    int depth = 0, least = 0;
    while (*text == ' ') text++;
    for (char *s = text; *s && (s <= line + COLUMNS || !best); s++) {
        depth += (*s == '(' || *s == '{') - (*s == ')' || *s == '}');
        if (*s != ' ' || s == text) continue;
        const int cost =
            2 * depth + break_cost(s) + (s < line + COLUMNS / 2 ? 1000 : 0) + (break_cost(s) == 2) * 5000;
        if (best && cost > least) continue;
        best = s;
        least = cost;
    }
    return best;
}

void pn_text_wrap(pn_text *t, size_t from, int indent)
{
    while (!t->failed && t->length - from > COLUMNS) {
        const char *found = find_break(t->at + from);
        if (!found) return;
        const size_t at = (size_t)(found - t->at);
        if (!reserve(t, (size_t)indent + 1)) return;
        memmove(t->at + at + 1 + indent, t->at + at + 1, t->length - at);
        t->at[at] = '\n';
        memset(t->at + at + 1, ' ', (size_t)indent);
        t->length += (size_t)indent;
        from = at + 1;
    }
}

void pn_text_fill(pn_text *t, size_t from, const char *prefix)
{
    const size_t indent = strlen(prefix);
    while (!t->failed && t->length - from > COLUMNS) {
        /* the last space that leaves the line short enough, or else the first one */
        size_t at = from + COLUMNS;
        while (at > from + indent && t->at[at] != ' ') at--;
        if (at == from + indent)
            for (at = from + COLUMNS; at < t->length && t->at[at] != ' ';) at++;
        if (at >= t->length || !reserve(t, indent + 1)) return;
        memmove(t->at + at + 1 + indent, t->at + at + 1, t->length - at);
        t->at[at] = '\n';
        memcpy(t->at + at + 1, prefix, indent);
        t->length += indent;
        from = at + 1;
    }
}

pinion_status pn_codegen_fail(pinion_error *err, pinion_status status, const char *format, ...)
{
    if (!err) return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    for (char *c = err->message; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    return status;
}
