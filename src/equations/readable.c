/* Everything that is derived as sums for reading: which Christoffel symbols get a name, and C in terms of
 * them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "equations/equation_steps.h"

/* which symbols and angles a sum has */
static void mark(pinion_equations *e, const pn_eq_poly *p)
{
    for (int i = 0; i < p->count; i++) {
        const unsigned char *key = p->key + (size_t)i * (size_t)e->stride;
        for (int s = 0; s < e->symbols; s++) e->symbol[s].used |= key[s] != 0;
        for (int a = 0; a < e->angles; a++) e->angle[a].used |= key[e->symbols + a] != 0;
    }
}

/* A distance of axes is positive, and so is that of a centre of mass on one axis: the sign goes into the
 * equations. */
static void turn_round(pinion_equations *e, int symbol)
{
    pn_eq_symbol *s = &e->symbol[symbol];
    if ((s->kind != PN_EQ_CENTER && s->kind != PN_EQ_LENGTH) || !s->used || !(s->value < 0)) return;
    if (s->kind == PN_EQ_CENTER && pn_eq_used_of(e, s->kind, s->node) != 1) return;
    const int n = e->nv * e->nv, all = n + e->nv + e->shorthands;
    s->backwards = 1;
    s->value = -s->value;
    for (int i = 0; i < all; i++) {
        pn_eq_poly *p = i < n ? &e->M[i] : i < n + e->nv ? &e->g[i - n] : &e->shorthand[i - n - e->nv].poly;
        for (int t = 0; t < p->count; t++)
            if (p->key[(size_t)t * (size_t)e->stride + (size_t)symbol] % 2) p->coef[t] = -p->coef[t];
    }
}

/* to as many digits as are printed: what is checked is what is read */
static double rounded(double x)
{
    double scale = 1, y = fabs(x);
    if (!(y > 1e-200 && y < 1e200)) return x;
    while (y * scale >= 1e12) scale /= 10;
    while (y * scale < 1e11) scale *= 10;
    y = floor(y * scale + 0.5) / scale;
    return x < 0 ? -y : y;
}

static void round_all(pn_eq_poly *p)
{
    for (int i = 0; i < p->count; i++) p->coef[i] = rounded(p->coef[i]);
}

static pn_eq_sum *readable(pinion_equations *e, const pn_eq_poly *p, int how)
{
    int count;
    pn_eq_term *term = pn_eq_flat(e, p, &count);
    for (int l = e->symbols; l < e->literals && !e->failed; l++) pn_eq_name_literal(e, l);
    return e->failed ? NULL : pn_eq_grouped(e, term, count, how);
}

/* shorthands: their sums, begun with a plus; those that are used again get a name */
static void make_shorthands(pinion_equations *e)
{
    int names = 0;
    for (int s = 0; s < e->shorthands && !e->failed; s++) {
        pn_eq_shorthand *h = &e->shorthand[s];
        const int before = e->terms;
        h->sum = readable(e, &h->poly, PN_EQ_SHORTEST);
        if (e->failed) return;
        if (h->sum->terms && h->sum->term[0].coef < 0) {
            for (int i = 0; i < h->poly.count; i++) h->poly.coef[i] = -h->poly.coef[i];
            for (int i = 0; i < e->nv * e->nv * e->nv; i++)
                if (e->use[i].shorthand == s) e->use[i].times = -e->use[i].times;
            e->terms = before;
            h->sum = readable(e, &h->poly, PN_EQ_SHORTEST);
            if (e->failed) return;
        }
        int factors = 0;
        for (int i = 0; i < h->sum->term[0].factors; i++) factors += h->sum->term[0].factor[i].power;
        const int large = h->poly.count > 1 || factors >= 3 || e->options.numbers;
        if ((h->uses < 2 || !large) && e->terms - before <= 2) continue;
        h->literal = pn_eq_find_literal(e, PN_EQ_IS_NAMED, ++names, NULL);
        if (!e->failed) pn_eq_name_literal(e, h->literal);
    }
}

static pn_eq_sum *velocities(pinion_equations *e, const pn_eq_use *use, int shorthand, double times)
{
    pn_eq_sum *s = pn_eq_take(e, 1, sizeof *s);
    pn_eq_term *term = pn_eq_take(e, (size_t)e->nv, sizeof *term);
    if (!s || !term) return NULL;
    s->term = term;
    for (int k = 0; k < e->nv; k++) {
        if (use[k].shorthand != shorthand) continue;
        pn_eq_term *t = &term[s->terms++];
        t->factor = pn_eq_take(e, 1, sizeof *t->factor);
        if (!t->factor) return NULL;
        t->coef = use[k].times / times;
        t->factor[0].literal = pn_eq_find_literal(e, PN_EQ_IS_VELOCITY, k, NULL);
        t->factor[0].power = 1;
        t->factors = 1;
        if (e->failed) return NULL;
        pn_eq_name_literal(e, t->factor[0].literal);
    }
    return s;
}

/* an entry of C: each Christoffel symbol times the velocities that go with it */
static pn_eq_sum *coriolis(pinion_equations *e, int i, int j)
{
    const pn_eq_use *use = &e->use[(i * e->nv + j) * e->nv];
    pn_eq_sum *sum = pn_eq_take(e, 1, sizeof *sum);
    if (!sum) return NULL;
    sum->term = pn_eq_take(e, (size_t)e->nv, sizeof *sum->term);
    if (!sum->term) return NULL;
    for (int k = 0; k < e->nv; k++) {
        int again = use[k].shorthand < 0;
        for (int before = 0; before < k; before++) again |= use[before].shorthand == use[k].shorthand;
        if (again) continue;
        const pn_eq_shorthand *h = &e->shorthand[use[k].shorthand];
        pn_eq_term *t = &sum->term[sum->terms++];
        if (h->literal >= 0) {
            t->coef = 1;
            t->factor = pn_eq_take(e, 1, sizeof *t->factor);
            if (!t->factor) return NULL;
            t->factor[0].literal = h->literal;
            t->factor[0].power = 1;
            t->factors = 1;
        } else if (h->sum->terms == 1) {
            *t = h->sum->term[0];
        } else {
            t->coef = 1;
            t->inner = h->sum;
        }
        t->coef *= use[k].times;
        t->last = velocities(e, use, use[k].shorthand, use[k].times);
        if (e->failed) return NULL;
    }
    return sum;
}

void pn_eq_make_readable(pinion_equations *e)
{
    const int nv = e->nv;
    const size_t n = (size_t)nv;
    e->M_sum = pn_eq_take(e, n * n, sizeof *e->M_sum);
    e->C_sum = pn_eq_take(e, n * n, sizeof *e->C_sum);
    e->g_sum = pn_eq_take(e, n, sizeof *e->g_sum);
    if (e->failed) return;

    /* what is asked for decides which symbols there are, and so their names */
    for (int i = 0; i < nv * nv && e->what & PN_EQ_M; i++) mark(e, &e->M[i]);
    for (int i = 0; i < nv && e->what & PN_EQ_G; i++) mark(e, &e->g[i]);
    for (int s = 0; s < e->shorthands && e->what & PN_EQ_C; s++) mark(e, &e->shorthand[s].poly);
    for (int i = 0; i < e->symbols; i++) turn_round(e, i);
    for (int i = 0; i < e->symbols; i++) pn_eq_find_literal(e, PN_EQ_IS_SYMBOL, i, NULL);
    if (e->failed) return;
    pn_eq_name_symbols(e);
    if (e->options.numbers) {
        for (int i = 0; i < nv * nv; i++) round_all(&e->M[i]);
        for (int i = 0; i < nv; i++) round_all(&e->g[i]);
        for (int s = 0; s < e->shorthands; s++) round_all(&e->shorthand[s].poly);
    }

    for (int i = 0; i < nv; i++)
        for (int j = i; j < nv && !e->failed && e->what & PN_EQ_M; j++)
            e->M_sum[i * nv + j] = e->M_sum[j * nv + i] = readable(e, &e->M[i * nv + j], PN_EQ_BY_MASS);
    if (e->what & PN_EQ_C && !e->failed) make_shorthands(e);
    for (int i = 0; i < nv * nv && !e->failed && e->what & PN_EQ_C; i++)
        e->C_sum[i] = coriolis(e, i / nv, i % nv);
    for (int i = 0; i < nv && !e->failed && e->what & PN_EQ_G; i++)
        e->g_sum[i] = readable(e, &e->g[i], PN_EQ_BY_ANGLE);
}
