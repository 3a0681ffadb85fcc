/* Common factors taken out, as textbooks do it: a mass before all that it multiplies,
 *
 *     M_11 = I_1 + I_2 + m_1 r_1^2 + m_2 (a_1^2 + r_2^2 + 2 a_1 r_2 c_2),
 *
 * or a sine or cosine,
 *
 *     g_1 = g c_1 (m_1 r_1 + m_2 a_1) + m_2 g r_2 c_12.
 *
 * A symbol is taken out only where all terms have it with the same power, so that squares stay together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "equations/equation_steps.h"

static int is_trig(const pinion_equations *e, int literal)
{
    return e->literal[literal].kind == PN_EQ_IS_COS || e->literal[literal].kind == PN_EQ_IS_SIN;
}

static int is_mass(const pinion_equations *e, int literal)
{
    return e->literal[literal].kind == PN_EQ_IS_SYMBOL &&
           e->symbol[e->literal[literal].index].kind == PN_EQ_MASS;
}

/* the order of factors: symbols, shorthands, sines and cosines by how much is in them, velocities */
static int literal_order(const pinion_equations *e, int x, int y)
{
    const pn_eq_literal *a = &e->literal[x], *b = &e->literal[y];
    const int trig = is_trig(e, x);
    if (trig && is_trig(e, y)) {
        int size_a = 0, size_b = 0, first = 0;
        for (int i = 0; i < e->angles; i++) {
            size_a += abs(a->angles[i]);
            size_b += abs(b->angles[i]);
            if (!first) first = b->angles[i] - a->angles[i];
        }
        if (size_a != size_b) return size_a - size_b;
        return first ? first : a->kind - b->kind;
    }
    if (a->kind != b->kind) return a->kind - b->kind;
    return a->index - b->index;
}

static int factors_order(const pinion_equations *e, const pn_eq_factor *a, int na, const pn_eq_factor *b,
                         int nb)
{
    for (int i = 0; i < na && i < nb; i++) {
        if (a[i].literal != b[i].literal) return literal_order(e, a[i].literal, b[i].literal);
        if (a[i].power != b[i].power) return b[i].power - a[i].power;
    }
    return na - nb;
}

/* where the sines and cosines begin, and how many there are with their powers */
static int first_trig(const pinion_equations *e, const pn_eq_term *t, int *powers)
{
    int at = 0;
    *powers = 0;
    while (at < t->factors && !is_trig(e, t->factor[at].literal)) at++;
    for (int i = at; i < t->factors; i++) *powers += t->factor[i].power;
    return at;
}

static int trig_order(const pinion_equations *e, const pn_eq_term *a, const pn_eq_term *b)
{
    int pa, pb;
    const int i = first_trig(e, a, &pa), j = first_trig(e, b, &pb);
    if (pa != pb) return pa - pb;
    return factors_order(e, a->factor + i, a->factors - i, b->factor + j, b->factors - j);
}

static int mass_of(const pinion_equations *e, const pn_eq_term *t)
{
    return t->factors && is_mass(e, t->factor[0].literal) ? t->factor[0].literal : -1;
}

static int term_order(const pinion_equations *e, const pn_eq_term *a, const pn_eq_term *b, int how)
{
    if (how == PN_EQ_BY_MASS && mass_of(e, a) != mass_of(e, b)) return mass_of(e, a) - mass_of(e, b);
    const int order = trig_order(e, a, b);
    if (order) return order;
    return factors_order(e, a->factor, a->factors, b->factor, b->factors);
}

/* merge sort; `room` is as long as `term` */
static void sort(const pinion_equations *e, pn_eq_term *term, int count, int how, pn_eq_term *room)
{
    if (count < 2) return;
    const int half = count / 2;
    sort(e, term, half, how, room);
    sort(e, term + half, count - half, how, room);
    memcpy(room, term, (size_t)half * sizeof *term);
    for (int i = 0, j = half, k = 0; i < half; k++)
        term[k] = j < count && term_order(e, &term[j], &room[i], how) < 0 ? term[j++] : room[i++];
}

/* the factors in their order */
static void sort_factors(const pinion_equations *e, pn_eq_term *t)
{
    for (int i = 1; i < t->factors; i++) {
        const pn_eq_factor f = t->factor[i];
        int at = i;
        for (; at > 0 && literal_order(e, t->factor[at - 1].literal, f.literal) > 0; at--)
            t->factor[at] = t->factor[at - 1];
        t->factor[at] = f;
    }
}

static int power_in(const pn_eq_term *t, int literal)
{
    for (int i = 0; i < t->factors; i++)
        if (t->factor[i].literal == literal) return t->factor[i].power;
    return 0;
}

static void take_out(pn_eq_term *t, int literal)
{
    int kept = 0;
    for (int i = 0; i < t->factors; i++)
        if (t->factor[i].literal != literal) t->factor[kept++] = t->factor[i];
    t->factors = kept;
}

/* the largest number that goes into all coefficients a whole number of times, among these halved; 1 when none
 */
static double common_number(const pinion_equations *e, const pn_eq_term *term, int count)
{
    double least = fabs(term[0].coef);
    if (e->options.numbers) return 1;
    for (int i = 1; i < count; i++) least = fmin(least, fabs(term[i].coef));
    for (int halved = 0; halved < 4; halved++, least *= 0.5) {
        int whole = 1;
        for (int i = 0; i < count; i++) whole &= term[i].coef / least == floor(term[i].coef / least);
        if (whole) return least;
    }
    return 1;
}

/* What all terms share, as a term; it is taken out of them, and with it the sign of the first. A sign alone
 * stays. */
static pn_eq_term content(pinion_equations *e, pn_eq_term *term, int count)
{
    pn_eq_term c = {1, NULL, 0, NULL, NULL, 0};
    c.factor = pn_eq_take(e, (size_t)term[0].factors + 1, sizeof *c.factor);
    if (!c.factor) return c;
    c.coef = common_number(e, term, count);
    for (int i = 0; i < term[0].factors; i++) {
        const pn_eq_factor f = term[0].factor[i];
        int all = 1;
        for (int k = 1; k < count; k++) all &= power_in(&term[k], f.literal) == f.power;
        if (all) c.factor[c.factors++] = f;
    }
    if (term[0].coef < 0 && (c.factors || c.coef != 1)) c.coef = -c.coef;
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < c.factors; i++) take_out(&term[k], c.factor[i].literal);
        term[k].coef /= c.coef;
    }
    return c;
}

static pn_eq_sum *sum_of(pinion_equations *e, pn_eq_term *term, int terms)
{
    pn_eq_sum *s = pn_eq_take(e, 1, sizeof *s);
    if (!s) return NULL;
    s->term = term;
    s->terms = terms;
    return s;
}

/* m_2 a_1 + m_3 a_1 + m_1 r_1: the first two become a_1 (m_2 + m_3), where all that differs is the mass */
static pn_eq_sum *over_masses(pinion_equations *e, pn_eq_term *term, int count)
{
    pn_eq_term *out = pn_eq_take(e, (size_t)count, sizeof *out),
               *same = pn_eq_take(e, (size_t)count, sizeof *same);
    char *done = pn_eq_take(e, (size_t)count, 1);
    int outs = 0;
    if (!out || !same || !done) return NULL;
    for (int i = 0; i < count; i++) {
        int n = 0;
        if (done[i]) continue;
        for (int k = i; k < count && mass_of(e, &term[i]) >= 0; k++)
            if (!done[k] && term[k].coef == term[i].coef && mass_of(e, &term[k]) >= 0 &&
                term[k].factors == term[i].factors && term[i].factors > 1 &&
                factors_order(e, term[k].factor + 1, term[k].factors - 1, term[i].factor + 1,
                              term[i].factors - 1) == 0) {
                done[k] = 1;
                same[n++] = term[k];
            }
        if (n < 2) {
            out[outs++] = term[i];
            continue;
        }
        pn_eq_term *masses = pn_eq_take(e, (size_t)n, sizeof *masses);
        if (!masses) return NULL;
        memcpy(masses, same, (size_t)n * sizeof *masses);
        out[outs] = content(e, masses, n);
        out[outs++].inner = sum_of(e, masses, n);
    }
    return sum_of(e, out, outs);
}

static int same_group(const pinion_equations *e, const pn_eq_term *a, const pn_eq_term *b, int how)
{
    if (how == PN_EQ_BY_MASS) return mass_of(e, a) >= 0 && mass_of(e, a) == mass_of(e, b);
    return trig_order(e, a, b) == 0;
}

/* sorted terms, those of a group behind their common factor */
static pn_eq_sum *groups(pinion_equations *e, pn_eq_term *term, int count, int how)
{
    pn_eq_term *out = pn_eq_take(e, (size_t)count, sizeof *out);
    int outs = 0;
    if (!out) return NULL;
    for (int i = 0, end; i < count && !e->failed; i = end) {
        for (end = i + 1; end < count && same_group(e, &term[i], &term[end], how);) end++;
        if (end - i == 1) {
            out[outs++] = term[i];
            continue;
        }
        pn_eq_term c = content(e, term + i, end - i);
        if (how == PN_EQ_BY_MASS) {
            const int left = pn_eq_squares(e, term + i, end - i);
            c.inner = sum_of(e, term + i, left);
            if (left == 1 && term[i].squared && term[i].coef == 1 && term[i].factors == 0) {
                c.inner = term[i].inner;
                c.squared = 1;
            }
        } else {
            c.inner = over_masses(e, term + i, end - i);
        }
        if (c.factors == 0 && c.coef == 1 && c.inner) {
            memcpy(out + outs, c.inner->term, (size_t)c.inner->terms * sizeof *out);
            outs += c.inner->terms;
        } else {
            out[outs++] = c;
        }
    }
    return e->failed ? NULL : sum_of(e, out, outs);
}

/* a copy of terms, sorted, from which factors can be taken out */
static pn_eq_term *copied(pinion_equations *e, const pn_eq_term *from, int count, int how)
{
    pn_eq_term *term = pn_eq_take(e, (size_t)count + 1, sizeof *term);
    pn_eq_term *room = pn_eq_take(e, (size_t)count + 1, sizeof *room);
    if (!term || !room) return NULL;
    for (int i = 0; i < count; i++) {
        term[i] = from[i];
        term[i].factor = pn_eq_take(e, (size_t)from[i].factors + 1, sizeof *term[i].factor);
        if (!term[i].factor) return NULL;
        memcpy(term[i].factor, from[i].factor, (size_t)from[i].factors * sizeof *term[i].factor);
        sort_factors(e, &term[i]);
    }
    sort(e, term, count, how, room);
    return term;
}

static int is_nested(const pn_eq_sum *s)
{
    for (int i = 0; i < s->terms; i++)
        if (s->term[i].inner) return 1;
    return 0;
}

static pn_eq_sum *grouped(pinion_equations *e, const pn_eq_term *from, int count, int how)
{
    pn_eq_term *term = copied(e, from, count, how);
    if (!term) return NULL;
    if (count < 2) return sum_of(e, term, count);

    /* what all share, where no parentheses are left inside */
    pn_eq_term *whole = pn_eq_take(e, 1, sizeof *whole);
    if (!whole) return NULL;
    *whole = content(e, term, count);
    if (e->failed) return NULL;
    if (whole->factors || whole->coef != 1) {
        whole->inner = groups(e, term, count, how);
        if (!whole->inner) return NULL;
        if (!is_nested(whole->inner)) return sum_of(e, whole, 1);
        term = copied(e, from, count, how);
    }
    return term ? groups(e, term, count, how) : NULL;
}

static size_t length_of(pinion_equations *e, const pn_eq_sum *s)
{
    pn_text t = {0};
    if (s) pn_eq_put_sum(&t, e, s, 0);
    const size_t length = t.length;
    if (t.failed) pn_eq_fail(e, PINION_ERR_MEMORY);
    pn_text_free(&t);
    return length;
}

pn_eq_sum *pn_eq_grouped(pinion_equations *e, pn_eq_term *term, int terms, int how)
{
    if (!term && terms) return NULL;
    if (how != PN_EQ_SHORTEST) return grouped(e, term, terms, how);
    pn_eq_sum *mass = grouped(e, term, terms, PN_EQ_BY_MASS),
              *angle = grouped(e, term, terms, PN_EQ_BY_ANGLE);
    return length_of(e, mass) < length_of(e, angle) ? mass : angle;
}
