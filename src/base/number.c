#include "base/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* strtod and printf use the decimal point of the locale, which may be several bytes: what
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

/* Most numbers are whole ones below 2^53 times or over a power of ten up to the 22nd: both are exact, and what one
 * operation makes of them is rounded once, as strtod rounds. Zero where a text is no such number. */
static int parse_short(const char *text, const char *stop, double *out)
{
    static const double power[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t whole = 0;
    int exponent = 0, behind = 0;
    const char *s = text + (*text == '+' || *text == '-');
    if (stop - s > 19) return 0; /* nor can anything overflow */
    for (; s < stop && *s != 'e' && *s != 'E'; s++) {
        if (*s == '.') {
            behind = 1;
            continue;
        }
        whole = 10 * whole + (uint64_t)(*s - '0');
        exponent -= behind;
    }
    if (s < stop) {
        const int minus = s[1] == '-';
        int e = 0;
        if (stop - s > 5) return 0;
        for (s += 1 + (minus || s[1] == '+'); s < stop; s++) e = 10 * e + (*s - '0');
        exponent += minus ? -e : e;
    }
    if (whole > (uint64_t)1 << 53 || exponent > 22 || exponent < -22) return 0;
    const double x = exponent < 0 ? (double)whole / power[-exponent] : (double)whole * power[exponent];
    *out = *text == '-' ? -x : x;
    return 1;
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
    if (parse_short(text, s, out)) {
        if (end) *end = s;
        return 1;
    }

    /* strtod on a copy; where it stops at the point, on one that has the locale's */
    char copy[PN_NUMBER_MAX + 32], *to = copy + size, *stop;
    memcpy(copy, text, size);
    *to = '\0';
    double x = strtod(copy, &stop);
    if (stop != to && point) {
        to = copy + (point - text);
        to += decimal_point(to);
        memcpy(to, point + 1, (size_t)(s - point) - 1);
        to += s - point - 1;
        *to = '\0';
        x = strtod(copy, &stop);
    }
    if (stop != to || !isfinite(x)) return 0;
    *out = x;
    if (end) *end = s;
    return 1;
}

void pn_number_shortest(double x, int single, char out[40])
{
    /* the fewest digits that read back as the same number, all in the locale's own point */
    char number[64];
    const int most = single ? 9 : 17;
    for (int digits = single ? 6 : 15; digits <= most; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, x);
        if (digits == most || (single ? strtof(number, NULL) == (float)x : strtod(number, NULL) == x)) break;
    }
    /* what is neither a digit nor a sign nor a letter is the point, up to the next digit */
    for (const char *s = number; *s;) {
        if (is_digit(*s) || *s == '-' || *s == '+' || (*s >= 'a' && *s <= 'z')) {
            *out++ = *s++;
            continue;
        }
        *out++ = '.';
        while (*s && !is_digit(*s)) s++;
    }
    *out = '\0';
}

void pn_text_number(pn_text *t, double x)
{
    char digits[40];
    pn_number_shortest(x, 0, digits);
    pn_text_append(t, digits);
}
