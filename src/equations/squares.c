/* Squares of sums: x^2 + 2 x y + y^2 is (x + y)^2. */
#include <math.h>
#include <string.h>

#include "equations/equation_steps.h"

#define MOST 12 /* terms of a sum that is squared */

/* the root of a term, when it is a square; the factors of `root` are the caller's */
static int root_of(const pn_eq_term *t, pn_eq_term *root)
{
    const double c = sqrt(t->coef > 0 ? t->coef : 0);
    if (t->coef <= 0 || c != floor(c) || t->inner || t->last || !t->factors) return 0;
    for (int i = 0; i < t->factors; i++) {
        if (t->factor[i].power % 2) return 0;
        root->factor[i].literal = t->factor[i].literal;
        root->factor[i].power = t->factor[i].power / 2;
    }
    root->coef = c;
    root->factors = t->factors;
    return 1;
}

static int power_in(const pn_eq_term *t, int literal)
{
    for (int i = 0; i < t->factors; i++)
        if (t->factor[i].literal == literal) return t->factor[i].power;
    return 0;
}

/* whether t is 2 x y or -2 x y: the sign, 0 when neither */
static int is_cross(const pn_eq_term *t, const pn_eq_term *x, const pn_eq_term *y)
{
    int powers = 0, wanted = 0;
    if (t->inner || t->last || fabs(t->coef) != 2 * x->coef * y->coef) return 0;
    for (int i = 0; i < t->factors; i++) {
        const int l = t->factor[i].literal;
        if (t->factor[i].power != power_in(x, l) + power_in(y, l)) return 0;
        powers += t->factor[i].power;
    }
    for (int i = 0; i < x->factors; i++) wanted += x->factor[i].power;
    for (int i = 0; i < y->factors; i++) wanted += y->factor[i].power;
    return powers != wanted ? 0 : t->coef > 0 ? 1 : -1;
}

/* A square that is being put together: roots, their signs, and which terms it takes. */
typedef struct square {
    pn_eq_term root[MOST];
    int roots;
    int taken[MOST * MOST], takes;
} square;

/* takes a root in, when all its cross terms with those that are there exist */
static int extend(square *s, const pn_eq_term *term, const char *gone, int terms, const pn_eq_term *root,
                  int at)
{
    int crosses[MOST], sign = 0;
    if (s->roots == MOST) return 0;
    for (int r = 0; r < s->roots; r++) {
        pn_eq_term positive = s->root[r];
        int found = -1, which = 0;
        positive.coef = fabs(positive.coef);
        for (int i = 0; i < terms && found < 0; i++) {
            if (gone[i]) continue;
            which = is_cross(&term[i], &positive, root);
            if (which) found = i;
        }
        if (found < 0) return 0;
        if (s->root[r].coef < 0) which = -which;
        if (sign && which != sign) return 0;
        sign = which;
        crosses[r] = found;
    }
    for (int r = 0; r < s->roots; r++) s->taken[s->takes++] = crosses[r];
    s->taken[s->takes++] = at;
    s->root[s->roots] = *root;
    if (sign < 0) s->root[s->roots].coef = -root->coef;
    s->roots++;
    return 1;
}

/* the sum that is squared, as a term */
static int put_square(pinion_equations *e, const square *s, pn_eq_term *out)
{
    pn_eq_sum *sum = pn_eq_take(e, 1, sizeof *sum);
    pn_eq_term *root = pn_eq_take(e, (size_t)s->roots, sizeof *root);
    if (!sum || !root) return 0;
    memcpy(root, s->root, (size_t)s->roots * sizeof *root);
    sum->term = root;
    sum->terms = s->roots;
    memset(out, 0, sizeof *out);
    out->coef = 1;
    out->inner = sum;
    out->squared = 1;
    return 1;
}

int pn_eq_squares(pinion_equations *e, pn_eq_term *term, int terms)
{
    char *gone = pn_eq_take(e, (size_t)terms, 1);
    if (e->options.numbers || !gone) return terms;
    for (int i = 0; i < terms; i++) {
        square s;
        pn_eq_term root;
        memset(&s, 0, sizeof s);
        for (int k = i; k < terms; k++) {
            memset(&root, 0, sizeof root);
            root.factor = pn_eq_take(e, (size_t)term[k].factors + 1, sizeof *root.factor);
            if (!root.factor) return terms;
            if (gone[k] || !root_of(&term[k], &root)) {
                if (k == i) break;
                continue;
            }
            extend(&s, term, gone, terms, &root, k);
        }
        if (s.roots < 2) continue;
        for (int k = 0; k < s.takes; k++) gone[s.taken[k]] = 1;
        if (!put_square(e, &s, &term[i])) return terms;
        gone[i] = 0;
    }
    int kept = 0;
    for (int i = 0; i < terms; i++)
        if (!gone[i]) term[kept++] = term[i];
    return kept;
}
