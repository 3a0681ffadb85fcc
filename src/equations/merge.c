/* From sums of single sines and cosines to fewer terms with products of them, by
 *
 *     cos a + cos b = 2 cos((a + b)/2) cos((a - b)/2)
 *
 * and its like. Two terms can become one where they have the same symbols, the same coefficient up to its sign, and
 * sums of angles whose halves are whole. 1 is the cosine of 0, so 1 - cos 2a becomes 2 sin^2 a. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "equations/equation_steps.h"

#define MOST 24 /* sines and cosines in a product */

typedef struct mono {
    double coef;
    const unsigned char *key; /* the powers count */
    int trig[MOST], trigs;    /* literals, in ascending order */
} mono;

int pn_eq_find_literal(pinion_equations *e, int kind, int index, const signed char *angles)
{
    for (int i = 0; i < e->literals; i++) {
        const pn_eq_literal *l = &e->literal[i];
        if (l->kind == kind && l->index == index &&
            (!angles || memcmp(l->angles, angles, (size_t)e->angles) == 0))
            return i;
    }
    pn_eq_literal *grown = pn_eq_grow(e, e->literal, e->literals, &e->literal_room, sizeof *grown);
    if (!grown) return 0;
    e->literal = grown;
    pn_eq_literal *l = &e->literal[e->literals];
    memset(l, 0, sizeof *l);
    l->kind = kind;
    l->index = index;
    if (angles) {
        l->angles = pn_eq_take(e, (size_t)e->angles, 1);
        if (!l->angles) return 0;
        memcpy(l->angles, angles, (size_t)e->angles);
    }
    return e->literals++;
}

static void put_trig(mono *m, int literal)
{
    int at = m->trigs++;
    for (; at > 0 && m->trig[at - 1] > literal; at--) m->trig[at] = m->trig[at - 1];
    m->trig[at] = literal;
}

/* What each product has that the other has not: at most one literal each, -1 for none. Zero when it is more.
 */
static int difference(const mono *a, const mono *b, int *x, int *y)
{
    int i = 0, j = 0;
    *x = *y = -1;
    while (i < a->trigs || j < b->trigs) {
        if (i < a->trigs && j < b->trigs && a->trig[i] == b->trig[j]) {
            i++, j++;
        } else if (j >= b->trigs || (i < a->trigs && a->trig[i] < b->trig[j])) {
            if (*x >= 0) return 0;
            *x = a->trig[i++];
        } else {
            if (*y >= 0) return 0;
            *y = b->trig[j++];
        }
    }
    return *x >= 0 || *y >= 0;
}

/* a sine or cosine of these multiples as a factor; the sign that comes out */
static int times_trig(pinion_equations *e, mono *m, int sine, const int *angles)
{
    signed char key[256];
    int first = 0;
    while (first < e->angles && angles[first] == 0) first++;
    if (first == e->angles) return 1; /* the cosine of 0; a sine of it cannot be, the two angles differ */
    const int sign = angles[first] < 0 ? -1 : 1;
    for (int i = 0; i < e->angles; i++) key[i] = (signed char)(sign * angles[i]);
    const int literal = pn_eq_find_literal(e, sine ? PN_EQ_IS_SIN : PN_EQ_IS_COS, 0, key);
    if (!e->failed) put_trig(m, literal);
    return sine ? sign : 1;
}

/* Makes one of two, in a; zero when they do not fit. */
static int merge_pair(pinion_equations *e, mono *a, const mono *b)
{
    int x, y;
    if (!(fabs(fabs(a->coef) - fabs(b->coef)) <= PN_EQ_TINY * fabs(a->coef))) return 0;
    if (memcmp(a->key, b->key, (size_t)e->symbols) != 0 || a->trigs + 1 > MOST || !difference(a, b, &x, &y))
        return 0;
    const int sine = x >= 0 && e->literal[x].kind == PN_EQ_IS_SIN;
    const int other = y >= 0 && e->literal[y].kind == PN_EQ_IS_SIN;
    if (sine != other || (sine && (x < 0 || y < 0))) return 0;

    /* half the sum and half the difference of the angles */
    int sum[256], less[256];
    for (int i = 0; i < e->angles; i++) {
        const int p = x >= 0 ? e->literal[x].angles[i] : 0, q = y >= 0 ? e->literal[y].angles[i] : 0;
        if ((p + q) % 2) return 0;
        sum[i] = (p + q) / 2;
        less[i] = (p - q) / 2;
    }

    /* a without x, times the two */
    mono m = *a;
    m.trigs = 0;
    for (int i = 0, gone = x < 0; i < a->trigs; i++) {
        if (!gone && a->trig[i] == x)
            gone = 1;
        else
            put_trig(&m, a->trig[i]);
    }
    const int minus = a->coef * b->coef < 0;
    int sign = 1;
    if (!sine) {
        sign = minus ? -1 : 1;
        sign *= times_trig(e, &m, minus, sum);
        sign *= times_trig(e, &m, minus, less);
    } else {
        sign *= times_trig(e, &m, !minus, sum);
        sign *= times_trig(e, &m, minus, less);
    }
    m.coef = 2 * sign * a->coef;
    if (e->failed) return 0;
    *a = m;
    return 1;
}

static void merge_all(pinion_equations *e, mono *m, int *count)
{
    for (int again = 1; again && !e->failed;) {
        again = 0;
        for (int i = 0; i < *count; i++)
            for (int j = i + 1; j < *count; j++) {
                if (!merge_pair(e, &m[i], &m[j])) continue;
                memmove(&m[j], &m[j + 1], (size_t)(*count - j - 1) * sizeof *m);
                --*count;
                j = i;
                again = 1;
            }
    }
}

/* sin 2a = 2 sin a cos a, so that squares of sums can be seen */
static void halve_sines(pinion_equations *e, mono *m)
{
    for (int i = 0; i < m->trigs && !e->failed; i++) {
        const pn_eq_literal l = e->literal[m->trig[i]];
        int half[256], even = l.kind == PN_EQ_IS_SIN && m->trigs < MOST;
        for (int k = 0; k < e->angles; k++) {
            even &= l.angles[k] % 2 == 0;
            half[k] = l.angles[k] / 2;
        }
        if (!even) continue;
        memmove(&m->trig[i], &m->trig[i + 1], (size_t)(m->trigs - i - 1) * sizeof *m->trig);
        m->trigs--;
        times_trig(e, m, 1, half);
        times_trig(e, m, 0, half);
        m->coef *= 2;
        i = -1;
    }
}

/* a term of factors: symbols, then sines and cosines */
static pn_eq_term term_of(pinion_equations *e, const mono *m)
{
    pn_eq_term t = {m->coef, NULL, 0, NULL, NULL, 0};
    int factors = m->trigs;
    for (int s = 0; s < e->symbols; s++) factors += m->key[s] != 0;
    t.factor = pn_eq_take(e, (size_t)factors + 1, sizeof *t.factor);
    if (!t.factor) return t;
    for (int s = 0; s < e->symbols; s++) {
        if (!m->key[s]) continue;
        t.factor[t.factors].literal = s;
        t.factor[t.factors++].power = m->key[s];
    }
    for (int i = 0; i < m->trigs; i++) {
        if (i && m->trig[i] == m->trig[i - 1]) {
            t.factor[t.factors - 1].power++;
            continue;
        }
        t.factor[t.factors].literal = m->trig[i];
        t.factor[t.factors++].power = 1;
    }
    return t;
}

pn_eq_term *pn_eq_flat(pinion_equations *e, const pn_eq_poly *p, int *count)
{
    *count = 0;
    if (p->count > 8 * e->options.max_terms) {
        pn_eq_fail(e, PINION_ERR_UNSUPPORTED);
        return NULL;
    }
    mono *m = calloc((size_t)p->count + 1, sizeof *m);
    if (!m) {
        pn_eq_fail(e, PINION_ERR_MEMORY);
        return NULL;
    }
    for (int i = 0; i < p->count && !e->failed; i++) {
        const unsigned char *key = p->key + (size_t)i * (size_t)e->stride;
        m[i].coef = p->coef[i];
        m[i].key = key;
        const int trig = key[e->stride - 1];
        if (trig != PN_EQ_ONE)
            put_trig(&m[i], pn_eq_find_literal(e, trig == PN_EQ_COS ? PN_EQ_IS_COS : PN_EQ_IS_SIN, 0,
                                               (const signed char *)key + e->symbols));
    }
    int kept = p->count;
    merge_all(e, m, &kept);
    for (int i = 0; i < kept && !e->failed; i++) halve_sines(e, &m[i]);
    pn_eq_term *term = pn_eq_take(e, (size_t)kept + 1, sizeof *term);
    for (int i = 0; i < kept && !e->failed; i++) term[i] = term_of(e, &m[i]);
    free(m);
    if (e->failed) return NULL;
    *count = kept;
    e->terms += kept;
    if (e->terms > e->options.max_terms) pn_eq_fail(e, PINION_ERR_UNSUPPORTED);
    return e->failed ? NULL : term;
}
