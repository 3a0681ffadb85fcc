/* Sums of terms: a number, powers of symbols, and the sine or cosine of one sum of multiples of angles.
 * Products of sines and cosines become sums, so that every identity between them holds by itself and what
 * cancels is gone. Coefficients are small whole numbers over powers of two, which doubles hold exactly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "equations/equation_steps.h"

void pn_eq_free(pn_eq_poly *p)
{
    free(p->coef);
    free(p->key);
    free(p->slot);
    memset(p, 0, sizeof *p);
}

void pn_eq_clear(pn_eq_poly *p)
{
    p->count = 0;
    for (int i = 0; i < p->slots; i++) p->slot[i] = -1;
}

static unsigned hash(const unsigned char *key, int bytes)
{
    unsigned h = 2166136261u;
    for (int i = 0; i < bytes; i++) h = (h ^ key[i]) * 16777619u;
    return h;
}

/* where the key is in the table, or would be */
static int find_slot(const pn_eq_poly *p, const unsigned char *key, int stride)
{
    unsigned at = hash(key, stride) & (unsigned)(p->slots - 1);
    while (p->slot[at] >= 0 &&
           memcmp(p->key + (size_t)p->slot[at] * (size_t)stride, key, (size_t)stride) != 0)
        at = (at + 1) & (unsigned)(p->slots - 1);
    return (int)at;
}

/* room for one term more */
static int reserve(pinion_equations *e, pn_eq_poly *p)
{
    const size_t stride = (size_t)e->stride;
    if (p->count < p->capacity) return 1;
    /* some terms more than what may be left in the end: they are cancelled or merged */
    if (p->count >= PN_EQ_MAX_PRODUCT || p->count >= 50 * e->options.max_terms + 2000) {
        pn_eq_fail(e, PINION_ERR_UNSUPPORTED);
        return 0;
    }
    const int capacity = p->capacity ? 2 * p->capacity : 4, slots = 2 * capacity;
    double *coef = realloc(p->coef, (size_t)capacity * sizeof *coef);
    if (coef) p->coef = coef;
    unsigned char *key = realloc(p->key, (size_t)capacity * stride);
    if (key) p->key = key;
    int *slot = realloc(p->slot, (size_t)slots * sizeof *slot);
    if (slot) p->slot = slot;
    if (!coef || !key || !slot) {
        pn_eq_fail(e, PINION_ERR_MEMORY);
        return 0;
    }
    p->capacity = capacity;
    p->slots = slots;
    for (int i = 0; i < slots; i++) slot[i] = -1;
    for (int i = 0; i < p->count; i++) slot[find_slot(p, key + (size_t)i * stride, e->stride)] = i;
    return 1;
}

static void add_term(pinion_equations *e, pn_eq_poly *p, double coef, const unsigned char *key)
{
    if (coef == 0 || e->failed || !reserve(e, p)) return;
    const int at = find_slot(p, key, e->stride);
    if (p->slot[at] >= 0) {
        p->coef[p->slot[at]] += coef;
        return;
    }
    memcpy(p->key + (size_t)p->count * (size_t)e->stride, key, (size_t)e->stride);
    p->coef[p->count] = coef;
    p->slot[at] = p->count++;
}

/* The key with the sine or cosine of these multiples: cos(-x) = cos x, sin(-x) = -sin x, cos 0 = 1, sin 0 =
 * 0. */
static void add_trig(pinion_equations *e, pn_eq_poly *p, double coef, unsigned char *key, const int *angles,
                     int trig)
{
    signed char *to = (signed char *)key + e->symbols;
    int first = 0, too_many = 0;
    while (first < e->angles && angles[first] == 0) first++;
    const int sign = first < e->angles && angles[first] < 0 ? -1 : 1;
    if (first == e->angles && trig == PN_EQ_SIN) return;
    for (int i = 0; i < e->angles; i++) {
        too_many |= angles[i] > 100 || angles[i] < -100;
        to[i] = (signed char)(sign * angles[i]);
    }
    if (too_many) pn_eq_fail(e, PINION_ERR_UNSUPPORTED);
    key[e->stride - 1] = (unsigned char)(first == e->angles ? PN_EQ_ONE : trig);
    add_term(e, p, trig == PN_EQ_SIN ? sign * coef : coef, key);
}

pn_eq_poly pn_eq_number(pinion_equations *e, double x)
{
    pn_eq_poly p = {0};
    unsigned char key[512] = {0};
    add_term(e, &p, x, key);
    return p;
}

pn_eq_poly pn_eq_symbol_poly(pinion_equations *e, int symbol)
{
    pn_eq_poly p = {0};
    unsigned char key[512] = {0};
    if (symbol < 0) return p;
    key[symbol] = 1;
    add_term(e, &p, 1, key);
    return p;
}

pn_eq_poly pn_eq_copy(pinion_equations *e, const pn_eq_poly *p)
{
    pn_eq_poly copy = {0};
    pn_eq_add(e, &copy, p, 1);
    return copy;
}

pn_eq_poly pn_eq_cosine(pinion_equations *e, int sine, int angle, int times, int other, int quarters)
{
    pn_eq_poly p = {0};
    unsigned char key[512] = {0};
    int angles[256] = {0};
    if (angle >= 0) angles[angle] += times;
    if (other >= 0) angles[other] += 1;
    /* cos(x - 90 deg) = sin x: a sine is a cosine three quarters on */
    const int n = ((sine ? quarters + 3 : quarters) % 4 + 4) % 4;
    static const double sign[4] = {1, -1, -1, 1};
    add_trig(e, &p, sign[n], key, angles, n % 2 ? PN_EQ_SIN : PN_EQ_COS);
    return p;
}

void pn_eq_add(pinion_equations *e, pn_eq_poly *to, const pn_eq_poly *p, double times)
{
    for (int i = 0; i < p->count && !e->failed; i++)
        add_term(e, to, times * p->coef[i], p->key + (size_t)i * (size_t)e->stride);
}

/* the product of two terms: cos a cos b = 1/2 (cos(a - b) + cos(a + b)) and so on */
static void add_term_product(pinion_equations *e, pn_eq_poly *to, double coef, const unsigned char *x,
                             const unsigned char *y)
{
    unsigned char key[512];
    int sum[256], difference[256];
    const int tx = x[e->stride - 1], ty = y[e->stride - 1];
    const signed char *ax = (const signed char *)x + e->symbols, *ay = (const signed char *)y + e->symbols;
    for (int i = 0; i < e->symbols; i++) {
        const int power = x[i] + y[i];
        if (power > 100) pn_eq_fail(e, PINION_ERR_UNSUPPORTED);
        key[i] = (unsigned char)power;
    }
    for (int i = 0; i < e->angles; i++) {
        sum[i] = ax[i] + ay[i];
        difference[i] = ax[i] - ay[i];
    }

    if (tx == PN_EQ_ONE || ty == PN_EQ_ONE) {
        add_trig(e, to, coef, key, sum, tx == PN_EQ_ONE ? (ty == PN_EQ_ONE ? PN_EQ_COS : ty) : tx);
    } else if (tx == ty) {
        add_trig(e, to, 0.5 * coef, key, difference, PN_EQ_COS);
        add_trig(e, to, tx == PN_EQ_COS ? 0.5 * coef : -0.5 * coef, key, sum, PN_EQ_COS);
    } else {
        /* sin a cos b = 1/2 (sin(a + b) + sin(a - b)), cos a sin b with the sign of the difference turned */
        add_trig(e, to, 0.5 * coef, key, sum, PN_EQ_SIN);
        add_trig(e, to, tx == PN_EQ_SIN ? 0.5 * coef : -0.5 * coef, key, difference, PN_EQ_SIN);
    }
}

void pn_eq_add_product(pinion_equations *e, pn_eq_poly *to, const pn_eq_poly *a, const pn_eq_poly *b,
                       double times)
{
    const size_t stride = (size_t)e->stride;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count && !e->failed; j++)
            add_term_product(e, to, times * a->coef[i] * b->coef[j], a->key + (size_t)i * stride,
                             b->key + (size_t)j * stride);
}

void pn_eq_tidy(pinion_equations *e, pn_eq_poly *p)
{
    const size_t stride = (size_t)e->stride;
    int kept = 0;
    for (int i = 0; i < p->count; i++) {
        if (p->coef[i] == 0) continue;
        p->coef[kept] = p->coef[i];
        memmove(p->key + (size_t)kept * stride, p->key + (size_t)i * stride, stride);
        kept++;
    }
    pn_eq_clear(p);
    for (int i = 0; i < kept; i++) p->slot[find_slot(p, p->key + (size_t)i * stride, e->stride)] = i;
    p->count = kept;
}

void pn_eq_add_derivative(pinion_equations *e, pn_eq_poly *to, const pn_eq_poly *p, int coordinate,
                          double times)
{
    const int s = e->q_symbol[coordinate], a = e->q_angle[coordinate];
    for (int i = 0; i < p->count && !e->failed; i++) {
        unsigned char key[512];
        memcpy(key, p->key + (size_t)i * (size_t)e->stride, (size_t)e->stride);
        unsigned char *trig = &key[e->stride - 1];
        const double coef = times * p->coef[i];

        /* by the power of a displacement */
        if (s >= 0 && key[s]) {
            key[s]--;
            add_term(e, to, coef * (key[s] + 1), key);
            key[s]++;
        }
        /* by the angle */
        const int k = a >= 0 ? ((const signed char *)key + e->symbols)[a] : 0;
        if (k == 0 || *trig == PN_EQ_ONE) continue;
        const int was = *trig;
        *trig = was == PN_EQ_COS ? PN_EQ_SIN : PN_EQ_COS;
        add_term(e, to, was == PN_EQ_COS ? -k * coef : k * coef, key);
    }
}

double pn_eq_ratio(const pinion_equations *e, const pn_eq_poly *a, const pn_eq_poly *b)
{
    double ratio = 0;
    if (a->count != b->count || !a->count) return 0;
    for (int i = 0; i < a->count; i++) {
        const int at = b->slot[find_slot(b, a->key + (size_t)i * (size_t)e->stride, e->stride)];
        if (at < 0) return 0;
        const double r = a->coef[i] / b->coef[at];
        if (i == 0) ratio = r;
        if (!(fabs(r - ratio) <= PN_EQ_TINY * fabs(ratio))) return 0;
    }
    return ratio;
}

pn_eq_poly pn_eq_numeric(pinion_equations *e, const pn_eq_poly *p)
{
    pn_eq_poly out = {0};
    double largest = 0;
    for (int i = 0; i < p->count && !e->failed; i++) {
        const unsigned char *from = p->key + (size_t)i * (size_t)e->stride;
        unsigned char key[512] = {0};
        double coef = p->coef[i], shift = 0;
        int angles[256];

        /* symbols but coordinates into the coefficient */
        for (int s = 0; s < e->symbols; s++) {
            if (e->symbol[s].kind == PN_EQ_POSITION) key[s] = from[s];
            for (int k = 0; e->symbol[s].kind != PN_EQ_POSITION && k < from[s]; k++)
                coef *= e->symbol[s].value;
        }
        /* constant angles into two terms */
        for (int k = 0; k < e->angles; k++) {
            angles[k] = ((const signed char *)from)[e->symbols + k];
            if (e->angle[k].kind == PN_EQ_ANGLE_Q) continue;
            shift += angles[k] * e->angle[k].value;
            angles[k] = 0;
        }
        const int trig = from[e->stride - 1];
        if (trig == PN_EQ_ONE || shift == 0) {
            add_trig(e, &out, coef, key, angles, trig == PN_EQ_ONE ? PN_EQ_COS : trig);
        } else {
            const int sine = trig == PN_EQ_SIN;
            add_trig(e, &out, coef * cos(shift), key, angles, trig);
            add_trig(e, &out, (sine ? 1 : -1) * coef * sin(shift), key, angles, sine ? PN_EQ_COS : PN_EQ_SIN);
        }
        if (fabs(coef) > largest) largest = fabs(coef);
    }
    /* what should have cancelled */
    for (int i = 0; i < out.count; i++)
        if (fabs(out.coef[i]) < 1e-14 * largest) out.coef[i] = 0;
    if (!e->failed) pn_eq_tidy(e, &out);
    return out;
}
