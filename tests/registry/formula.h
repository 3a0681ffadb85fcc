/* Counts as formulas in n: the polynomial through them, and how it is written in docs/operation-counts.md. */
#ifndef PN_FORMULA_H
#define PN_FORMULA_H

#include "check.h"

#define DEGREE_MAX 4
#define FORMULA_FIRST                                                                                        \
    3 /* chains that are counted for a formula: the first ones may be simpler than the rest */
#define FORMULA_LAST 12
#define FORMULA_COUNTS (FORMULA_LAST - FORMULA_FIRST + 1)

/* Coefficients in units of 1/24, which those of a polynomial of fourth degree through whole numbers are. */
typedef struct formula {
    long long c[DEGREE_MAX + 1];
    int from; /* the first n that it is right for; 0 when there is none */
} formula;

/* 24 times the value at n */
static inline long long formula_value(const formula *f, int n)
{
    long long value = 0;
    for (int k = DEGREE_MAX; k >= 0; k--) value = value * n + f->c[k];
    return value;
}

/* The polynomial through five neighbouring counts y(n), by Newton's differences. */
static inline formula formula_through(const double *y, int n)
{
    formula f = {{0}, n};
    long long d[DEGREE_MAX + 1], product[DEGREE_MAX + 2] = {24}; /* 24 (x - n) (x - n - 1) ... / k! */
    for (int i = 0; i <= DEGREE_MAX; i++) d[i] = (long long)y[i];
    for (int k = 0; k <= DEGREE_MAX; k++) {
        for (int i = 0; i <= k; i++) f.c[i] += d[0] * product[i];
        for (int i = 0; i + k < DEGREE_MAX; i++) d[i] = d[i + 1] - d[i];
        /* times (x - n - k) / (k + 1); the division leaves no rest for k < 4, since 24 = 4! */
        for (int i = k + 1; i >= 0; i--)
            product[i] = ((i ? product[i - 1] : 0) - (long long)(n + k) * product[i]) / (k + 1);
    }
    return f;
}

/* The formula of counts y for FORMULA_FIRST to FORMULA_LAST joints. */
static inline formula formula_of(const double *y)
{
    for (int start = 0; start + DEGREE_MAX + 1 < FORMULA_COUNTS; start++) {
        formula f = formula_through(y + start, FORMULA_FIRST + start);
        int right = 1;
        for (int i = start; i < FORMULA_COUNTS; i++)
            right &= formula_value(&f, FORMULA_FIRST + i) == 24 * (long long)y[i];
        if (right) return f;
    }
    formula none = {{0}, 0};
    return none;
}

/* "10 n² + 22 n − 32", with " (n ≥ 4)" where it is not right from FORMULA_FIRST on. */
static inline const char *formula_text(const formula *f, char *text, size_t size)
{
    static const char *const powers[DEGREE_MAX + 1] = {"", "n", "n²", "n³", "n⁴"};
    int begun = 0;
    text[0] = '\0';
    for (int k = DEGREE_MAX; k >= 0 && f->from; k--) {
        char number[60] = "", *end = text + strlen(text);
        const size_t room = size - strlen(text);
        const long long c = f->c[k] < 0 ? -f->c[k] : f->c[k];
        if (c == 0) continue;

        /* halves and quarters as decimals, thirds as fractions, and no 1 before n */
        long long a = c, b = 24;
        while (b) {
            const long long rest = a % b;
            a = b;
            b = rest;
        }
        if (24 / a == 1 || 24 / a == 2 || 24 / a == 4)
            snprintf(number, sizeof number, "%.10g", (double)c / 24);
        else
            snprintf(number, sizeof number, "%lld/%lld", c / a, 24 / a);
        if (c == 24 && k) number[0] = '\0';
        snprintf(end, room, "%s%s%s%s",
                 begun         ? f->c[k] < 0 ? " − " : " + "
                 : f->c[k] < 0 ? "−"
                               : "",
                 number, *number && k ? " " : "", powers[k]);
        begun = 1;
    }
    if (f->from && !begun) snprintf(text, size, "0");
    if (f->from > FORMULA_FIRST) snprintf(text + strlen(text), size - strlen(text), " (n ≥ %d)", f->from);
    if (!f->from) snprintf(text, size, "not a polynomial");
    return text;
}

/* A formula of the registry, "10 * n * n + 22 * n - 32", written the same way. */
static inline const char *published_text(const char *formula_, char *text, size_t size)
{
    static const struct {
        const char *from, *to;
    } by[] = {{"(n * n * n)", "n³"}, {"n * n * n", "n³"}, {"n * n", "n²"}, {" * ", " "}, {"-", "−"}};
    text[0] = '\0';
    while (*formula_ && strlen(text) + 8 < size) {
        size_t i = 0, used = strlen(text);
        while (i < sizeof by / sizeof *by && strncmp(formula_, by[i].from, strlen(by[i].from)) != 0) i++;
        if (i < sizeof by / sizeof *by) {
            snprintf(text + used, size - used, "%s", by[i].to);
            formula_ += strlen(by[i].from);
        } else {
            snprintf(text + used, size - used, "%c", *formula_++);
        }
    }
    return text;
}

#endif
