/* Expressions as text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "equations/equation_steps.h"

/* with a point whatever the locale says */
void pn_eq_put_number(pn_text *t, double x, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, x);
    for (char *c = text; *c; c++)
        if (*c == ',') *c = '.';
    pn_text_add(t, "%s", text);
}

/* a number in LaTeX: 1e-05 is 10^{-5} */
void pn_eq_put_latex_number(pn_text *t, double x, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, x);
    for (char *c = text; *c; c++)
        if (*c == ',') *c = '.';
    char *power = strchr(text, 'e');
    if (!power) {
        pn_text_add(t, "%s", text);
        return;
    }
    *power++ = 0;
    const int negative = *power == '-';
    while (*power == '-' || *power == '+' || *power == '0') power++;
    pn_text_add(t, "%s \\cdot 10^{%s%s}", text, negative ? "-" : "", *power ? power : "0");
}

/* a coefficient without its sign: whole, a fraction, or decimal */
static void put_coefficient(pn_text *t, double x, int latex)
{
    double below = 1;
    while (below < 64 && x * below != floor(x * below)) below *= 2;
    const double above = x * below;
    if (above != floor(above) || above > 1e6 || below > 16) {
        if (latex)
            pn_eq_put_latex_number(t, x, 12);
        else
            pn_eq_put_number(t, x, 12);
    } else if (below == 1) {
        pn_text_add(t, "%.0f", above);
    } else {
        pn_text_add(t, latex ? "\\tfrac{%.0f}{%.0f}" : "%.0f/%.0f", above, below);
    }
}

static void put_sum(pn_text *t, const pinion_equations *e, const pn_eq_sum *s, int latex, int depth);

static void put_inner(pn_text *t, const pinion_equations *e, const pn_eq_sum *s, int squared, int latex,
                      int depth)
{
    const int alone = s->terms == 1 && s->term[0].coef > 0 && !squared;
    if (!alone) pn_text_add(t, "(");
    put_sum(t, e, s, latex, depth + 1);
    if (!alone) pn_text_add(t, ")");
    if (squared) pn_text_add(t, latex ? "^{2}" : "^2");
}

static int is_trig(const pn_eq_literal *l)
{
    return l->kind == PN_EQ_IS_COS || l->kind == PN_EQ_IS_SIN;
}

static void put_factor(pn_text *t, const pn_eq_literal *l, int power, int latex)
{
    if (power == 1)
        pn_text_add(t, "%s", latex ? l->latex : l->name);
    else if (latex && is_trig(l) && !l->abbreviated)
        pn_text_add(t, "%.4s^{%d}%s", l->latex, power, l->latex + 4);
    else
        pn_text_add(t, latex ? "%s^{%d}" : "%s^%d", latex ? l->latex : l->name, power);
}

/* a number that stands for symbols is decimal; all others are whole or fractions */
static void put_number(pn_text *t, const pinion_equations *e, double x, int latex)
{
    if (e->options.numbers && latex)
        pn_eq_put_latex_number(t, x, 12);
    else if (e->options.numbers)
        pn_eq_put_number(t, x, 12);
    else
        put_coefficient(t, x, latex);
}

/* a product without its sign: number, symbols, what is in parentheses, sines and cosines, velocities */
static void put_term(pn_text *t, const pinion_equations *e, const pn_eq_term *p, int latex, int depth)
{
    const double coef = fabs(p->coef);
    int begun = 0;
    if (coef != 1 || (!p->factors && !p->inner && !p->last)) {
        put_number(t, e, coef, latex);
        begun = 1;
    }
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < p->factors; i++) {
            const pn_eq_literal *l = &e->literal[p->factor[i].literal];
            if (is_trig(l) != part) continue;
            if (begun++) pn_text_add(t, " ");
            put_factor(t, l, p->factor[i].power, latex);
        }
        const pn_eq_sum *sum = part ? p->last : p->inner;
        if (!sum) continue;
        if (begun++) pn_text_add(t, " ");
        put_inner(t, e, sum, !part && p->squared, latex, depth);
    }
}

static void put_sum(pn_text *t, const pinion_equations *e, const pn_eq_sum *s, int latex, int depth)
{
    if (!s->terms) pn_text_add(t, "0");
    for (int i = 0; i < s->terms; i++) {
        const int minus = s->term[i].coef < 0;
        if (i)
            pn_text_add(t, "%c%s ", depth ? PN_EQ_BREAK_INSIDE : PN_EQ_BREAK, minus ? "-" : "+");
        else if (minus)
            pn_text_add(t, "-");
        put_term(t, e, &s->term[i], latex, depth);
    }
}

void pn_eq_put_sum(pn_text *t, const pinion_equations *e, const pn_eq_sum *s, int latex)
{
    put_sum(t, e, s, latex, 0);
}
