/* Numbers and lines of C, whatever the locale. */
#include "base/number.h"
#include "codegen/codegen_steps.h"
#include <math.h>
#include <string.h>

void pn_text_digits(pn_text *t, double x, int single)
{
    char digits[40];
    const double value = single ? (double)(float)x : x;
    const char *suffix = single ? "f" : "";
    if (!isfinite(value)) {
        pn_text_add(t, "(%s%d.0%s / 0.0%s)", value < 0 ? "-" : "", !isnan(value), suffix, suffix);
        return;
    }
    pn_number_shortest(value, single, digits);
    pn_text_add(t, "%s%s%s", digits, digits[strcspn(digits, ".e")] ? "" : ".0", suffix);
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
        if (!pn_text_reserve(t, (size_t)indent + 1)) return;
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
        if (at >= t->length || !pn_text_reserve(t, indent + 1)) return;
        memmove(t->at + at + 1 + indent, t->at + at + 1, t->length - at);
        t->at[at] = '\n';
        memcpy(t->at + at + 1, prefix, indent);
        t->length += indent;
        from = at + 1;
    }
}
