/* Reads printed equations back: every entry is evaluated from its text alone, with the values of the legend.
 */
#ifndef PN_PRINTED_H
#define PN_PRINTED_H

#include <ctype.h>

#include "check.h"
#include "pinion/pinion.h"

#define NAMES 400
#define MOST_NV 8

typedef struct printed {
    const pinion_equations *e;
    char name[NAMES][40];
    double value[NAMES];
    int names;
    const char *at;
    int bad;
} printed;

static void set_name(printed *p, const char *name, double value)
{
    if (p->names == NAMES || strlen(name) >= sizeof p->name[0]) {
        p->bad = 1;
        return;
    }
    strcpy(p->name[p->names], name);
    p->value[p->names++] = value;
}

static double sum(printed *p);

static void skip(printed *p)
{
    while (*p->at == ' ') p->at++;
}

static int is_name(const char *c)
{
    return isalnum((unsigned char)*c) || *c == '_' || (*c == ',' && isdigit((unsigned char)c[1]));
}

/* a number, p/q, a name, cos(...), sin(...) or (...) */
static double atom(printed *p)
{
    if (isdigit((unsigned char)*p->at)) {
        char *end;
        double x = strtod(p->at, &end);
        p->at = end;
        if (*p->at == '/') {
            x /= strtod(p->at + 1, &end);
            p->at = end;
        }
        return x;
    }
    char word[40];
    size_t length = 0;
    while (is_name(p->at) && length + 1 < sizeof word) word[length++] = *p->at++;
    word[length] = 0;
    if (*p->at == '(') {
        p->at++;
        const double x = sum(p);
        if (*p->at++ != ')') p->bad = 1;
        if (!length) return x;
        if (strcmp(word, "cos") != 0 && strcmp(word, "sin") != 0) p->bad = 1;
        return word[0] == 'c' ? cos(x) : sin(x);
    }
    for (int i = 0; i < p->names; i++)
        if (strcmp(p->name[i], word) == 0) return p->value[i];
    p->bad = 1;
    return 0;
}

static double product(printed *p)
{
    double x = 1;
    for (skip(p); *p->at && !strchr("+-)", *p->at) && !p->bad; skip(p)) {
        const double f = atom(p);
        int power = 1;
        if (*p->at == '^') {
            power = (int)strtol(p->at + 1, NULL, 10);
            p->at++;
            while (isdigit((unsigned char)*p->at)) p->at++;
        }
        while (power-- > 0) x *= f;
    }
    return x;
}

static double sum(printed *p)
{
    double x = 0;
    int sign = 1;
    skip(p);
    if (*p->at == '-') sign = -1, p->at++;
    for (;;) {
        x += sign * product(p);
        if (p->bad || (*p->at != '+' && *p->at != '-')) return x;
        sign = *p->at++ == '-' ? -1 : 1;
    }
}

static double evaluate_text(printed *p, const char *text)
{
    p->at = text;
    const double x = sum(p);
    if (*p->at) p->bad = 1;
    return x;
}

/* M, C and g of what is printed, at a state. Zero when a text cannot be read. */
static inline int read_back(const pinion_equations *e, int nv, const double *q, const double *v, double *M,
                            double *C, double *g)
{
    static printed p;
    memset(&p, 0, sizeof p);
    p.e = e;
    for (int i = 0; i < pinion_equations_symbol_count(e); i++) {
        pinion_equation_symbol s;
        CHECK_STATUS(pinion_equations_symbol(e, i, &s), PINION_OK);
        set_name(&p, s.name, s.coordinate >= 0 ? q[s.coordinate] : s.velocity >= 0 ? v[s.velocity] : s.value);
    }
    static const char *const order[] = {"notation", "shorthand", "mass_matrix", "coriolis", "gravity"};
    for (int part = 0; part < 5; part++)
        for (int i = 0; i < pinion_equations_count(e) && !p.bad; i++) {
            pinion_equation x;
            CHECK_STATUS(pinion_equations_entry(e, i, &x), PINION_OK);
            if (strcmp(x.quantity, order[part]) != 0) continue;
            const double value = evaluate_text(&p, x.text);
            if (p.bad) CHECK_FAIL("%s = %s cannot be read", x.name, x.text);
            if (part < 2) set_name(&p, x.name, value);
            if (part == 2) M[x.row * nv + x.column] = M[x.column * nv + x.row] = value;
            if (part == 3) C[x.row * nv + x.column] = value;
            if (part == 4) g[x.row] = value;
        }
    return !p.bad;
}

/* the text of an entry; "" when there is none */
static inline const char *entry(const pinion_equations *e, const char *name)
{
    for (int i = 0; i < pinion_equations_count(e); i++) {
        pinion_equation x;
        if (pinion_equations_entry(e, i, &x) == PINION_OK && strcmp(x.name, name) == 0) return x.text;
    }
    return "";
}

#define CHECK_ENTRY(e, name, expected)                                                                       \
    do {                                                                                                     \
        const char *check_e = entry(e, name);                                                                \
        check_count++;                                                                                       \
        if (strcmp(check_e, expected) != 0) CHECK_FAIL("%s = %s, expected %s", name, check_e, expected);     \
    } while (0)

/* the model of a JSON text, and its equations; NULL after a failed check */
static inline pinion_model *model_of(const char *text, const pinion_load_options *options)
{
    pinion_error err;
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "model.json", options, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

static inline pinion_equations *equations_of(const pinion_model *m, const pinion_equations_options *options)
{
    pinion_error err;
    pinion_equations *e = m ? pinion_equations_new(m, options, &err) : NULL;
    if (m && !e) CHECK_FAIL("%s: %s", pinion_model_name(m), err.message);
    return e;
}

static inline void random_state(int nv, uint64_t *seed, double *q, double *v)
{
    for (int i = 0; i < nv; i++) {
        q[i] = check_between(seed, -3, 3);
        v[i] = check_between(seed, -2, 2);
    }
}

#endif
