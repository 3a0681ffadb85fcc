/* Evaluates the sums that are printed, and compares them with the kernels at random states. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "equations/equation_steps.h"
#include "pinion/algorithms.h"

static double power(double x, int n)
{
    double y = 1;
    while (n-- > 0) y *= x;
    return y;
}

static double value(const pn_eq_sum *s, const double *literal)
{
    double sum = 0;
    for (int i = 0; s && i < s->terms; i++) {
        const pn_eq_term *t = &s->term[i];
        double product = t->coef;
        for (int f = 0; f < t->factors; f++)
            product *= power(literal[t->factor[f].literal], t->factor[f].power);
        if (t->inner) product *= power(value(t->inner, literal), t->squared ? 2 : 1);
        if (t->last) product *= value(t->last, literal);
        sum += product;
    }
    return sum;
}

static double angle_at(const pinion_equations *e, const signed char *angles, const double *q)
{
    double sum = 0;
    for (int i = 0; i < e->angles; i++)
        sum += angles[i] * (e->angle[i].kind == PN_EQ_ANGLE_Q ? q[e->angle[i].node] : e->angle[i].value);
    return sum;
}

/* symbols, sines, cosines and velocities first, then what is made of them */
static void set_literals(const pinion_equations *e, const double *q, const double *v, double *x)
{
    for (int i = 0; i < e->literals; i++) {
        const pn_eq_literal *l = &e->literal[i];
        switch (l->kind) {
        case PN_EQ_IS_SYMBOL: {
            const pn_eq_symbol *s = &e->symbol[l->index];
            x[i] = s->kind == PN_EQ_POSITION ? q[s->node] : s->value;
            break;
        }
        case PN_EQ_IS_COS: x[i] = cos(angle_at(e, l->angles, q)); break;
        case PN_EQ_IS_SIN: x[i] = sin(angle_at(e, l->angles, q)); break;
        case PN_EQ_IS_VELOCITY: x[i] = v ? v[l->index] : 0; break;
        default: x[i] = 0; break;
        }
    }
    for (int s = 0; s < e->shorthands; s++)
        if (e->shorthand[s].literal >= 0) x[e->shorthand[s].literal] = value(e->shorthand[s].sum, x);
}

pinion_status pinion_equations_evaluate(const pinion_equations *e, const double *q, const double *v,
                                        double *M, double *C, double *g)
{
    if (!e || !q) return PINION_ERR_ARGUMENT;
    if ((M && !(e->what & PN_EQ_M)) || (C && !(e->what & PN_EQ_C)) || (g && !(e->what & PN_EQ_G)))
        return PINION_ERR_ARGUMENT;
    double *x = calloc((size_t)e->literals + 1, sizeof *x);
    if (!x) return PINION_ERR_MEMORY;
    set_literals(e, q, v, x);
    for (int i = 0; i < e->nv * e->nv; i++) {
        if (M) M[i] = value(e->M_sum[i], x);
        if (C) C[i] = value(e->C_sum[i], x);
    }
    for (int i = 0; g && i < e->nv; i++) g[i] = value(e->g_sum[i], x);
    free(x);
    return PINION_OK;
}

/* the largest difference; NaN where there is one */
static double compare(const double *a, const double *b, int count)
{
    double worst = 0;
    for (int i = 0; i < count; i++) {
        const double d = fabs(a[i] - b[i]);
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

typedef struct room {
    double *q, *v, *M, *C, *g, *M0, *C0, *g0;
    double scale[3]; /* the largest entries of the states so far: in one state all may be zero */
} room;

static double largest(const double *a, int count, double scale)
{
    for (int i = 0; i < count; i++) scale = fmax(scale, fabs(a[i]));
    return scale;
}

static pinion_status compare_state(pinion_equations *e, const pinion_model *m, pinion_work *w, int coriolis,
                                   room *r)
{
    const int nv = e->nv;
    const unsigned what = e->what;
    const double *g = m->gravity, weight = sqrt((g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * pinion_model_mass(m));
    pinion_status status =
        pinion_equations_evaluate(e, r->q, r->v, what & PN_EQ_M ? r->M : NULL, what & PN_EQ_C ? r->C : NULL,
                                  what & PN_EQ_G ? r->g : NULL);
    if (status == PINION_OK) status = pinion_mass_matrix(m, w, r->q, r->M0);
    if (status == PINION_OK) status = pinion_coriolis_by(m, w, coriolis, r->q, r->v, r->C0);
    if (status == PINION_OK) status = pinion_gravity(m, w, r->q, r->g0);
    if (status != PINION_OK) return status;
    r->scale[0] = largest(r->M0, nv * nv, r->scale[0]);
    r->scale[1] = largest(r->C0, nv * nv, r->scale[1]);
    r->scale[2] = largest(r->g0, nv, r->scale[2]);
    const double *const mine[3] = {r->M, r->C, r->g}, *const theirs[3] = {r->M0, r->C0, r->g0};
    for (int k = 0; k < 3; k++) {
        const int count = k == 2 ? nv : nv * nv;
        if (!(what >> k & 1)) continue;
        /* where C or g nearly vanish, the size of M is what their rounding is measured against, and of g what the
         * weight could give: an arm in a plane may have axes that are upright but for rounding */
        const double could = k == 2 ? weight * sqrt(r->scale[0]) : 0;
        const double scale = fmax(fmax(r->scale[k], could), fmax(1e-3 * r->scale[0], 1e-300));
        const double d = compare(mine[k], theirs[k], count) / scale;
        if (!(d <= e->difference)) e->difference = d;
    }
    return PINION_OK;
}

pinion_status pn_eq_check(pinion_equations *e, const pinion_model *m, pinion_error *err)
{
    const size_t nv = (size_t)e->nv, nq = (size_t)e->nq, all = nq + nv + 4 * nv * nv + 2 * nv;
    double *x = calloc(all + 1, sizeof *x);
    pinion_work *w = pinion_work_new(m);
    const int coriolis = pinion_algorithm_find("christoffel");
    pinion_status status = x && w ? PINION_OK : PINION_ERR_MEMORY;
    room r = {x, x + nq, NULL, NULL, NULL, NULL, NULL, NULL, {0, 0, 0}};
    if (x) {
        r.M = r.v + nv, r.C = r.M + nv * nv, r.M0 = r.C + nv * nv, r.C0 = r.M0 + nv * nv;
        r.g = r.C0 + nv * nv, r.g0 = r.g + nv;
    }
    uint64_t seed = 1;
    for (int k = 0; k < e->options.states && status == PINION_OK; k++) {
        /* all coordinates and velocities, from -3 to 3; limits do not matter here */
        for (size_t i = 0; i < nq + nv; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            r.q[i] = (double)(seed >> 11) * 0x1p-53 * 6 - 3;
        }
        status = compare_state(e, m, w, coriolis, &r);
    }
    pinion_work_free(w);
    free(x);
    const double tolerance = fmax(PN_EQ_TOLERANCE, 100 * (e->squares ? e->squared : 0));
    if (status == PINION_OK && !(e->difference <= tolerance)) {
        status = PINION_ERR_UNSUPPORTED;
        if (err)
            snprintf(
                err->message, sizeof err->message,
                "the equations differ from the kernels by %.3g of the largest entry; expected at most %.3g",
                e->difference, tolerance);
    } else if (status && err) {
        snprintf(err->message, sizeof err->message, "%s", pinion_status_text(status));
    }
    if (status && err) err->status = status;
    return status;
}
