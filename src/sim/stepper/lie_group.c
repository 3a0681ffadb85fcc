#include "sim/stepper/lie_group.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* y += a x b */
static void add_cross(const double a[3], const double b[3], double y[3])
{
    y[0] += a[1] * b[2] - a[2] * b[1];
    y[1] += a[2] * b[0] - a[0] * b[2];
    y[2] += a[0] * b[1] - a[1] * b[0];
}

void pn_group_coadjoint(const pn_chart *c, const double *W, const double *p, double *y)
{
    memset(y, 0, (size_t)c->nv * sizeof *y);
    for (int k = 0; k < c->count; k++) {
        const double *w = W + c->part[k].v, *x = p + c->part[k].v;
        double *z = y + c->part[k].v;
        switch (c->part[k].kind) {
        case PN_CHART_PLAIN: break; /* a commutative group */
        case PN_CHART_SPHERICAL: add_cross(x, w, z); break;
        case PN_CHART_FREE:
            /* [W, eta] = (w x a, w x b + u x a) with W = (w, u), eta = (a, b) */
            add_cross(x, w, z);
            add_cross(x + 3, w + 3, z);
            add_cross(x + 3, w, z + 3);
            break;
        case PN_CHART_PLANAR:
            /* the same in the plane: v = vx, vy, w */
            z[0] = x[1] * w[2];
            z[1] = -x[0] * w[2];
            z[2] = x[0] * w[1] - x[1] * w[0];
            break;
        }
    }
}

/* y = sum of coefficient(k) (scale ad')^k p until what is added is below rounding */
static void series(const pn_chart *c, double scale, const double *W, const double *p, double *y, double *work,
                   double (*coefficient)(int k, double before))
{
    const int nv = c->nv;
    double *term = work, *next = work + nv, f = 1, size = 0;
    if (y != p) memcpy(y, p, (size_t)nv * sizeof *y);
    memcpy(term, p, (size_t)nv * sizeof *term);
    for (int i = 0; i < nv; i++) size = fmax(size, fabs(p[i]));

    for (int k = 1, small = 0; k < 100 && small < 2; k++) {
        double most = 0;
        f = coefficient(k, f);
        pn_group_coadjoint(c, W, term, next);
        for (int i = 0; i < nv; i++) {
            term[i] = scale * next[i];
            y[i] += f * term[i];
            most = fmax(most, fabs(term[i]));
        }
        /* every second coefficient may be zero: two small terms end it */
        small = fabs(f) * most <= 0.01 * DBL_EPSILON * size ? small + 1 : 0;
        if (most == 0) return;
    }
}

/* 1/k! */
static double of_exp(int k, double before)
{
    return before / k;
}

void pn_group_exp(const pn_chart *c, double scale, const double *W, const double *p, double *y, double *work)
{
    series(c, scale, W, p, y, work, of_exp);
}

/* 1/(k + 1)! */
static double of_dexp(int k, double before)
{
    return before / (k + 1);
}

void pn_group_dexp(const pn_chart *c, double scale, const double *W, const double *p, double *y, double *work)
{
    series(c, scale, W, p, y, work, of_dexp);
}

/* Bernoulli's numbers over the factorial, B_k/k!; for large k they fall like a geometric series */
static double of_dexp_inverse(int k, double before)
{
    static const double EVEN[] = {1,
                                  1.0 / 12,
                                  -1.0 / 720,
                                  1.0 / 30240,
                                  -1.0 / 1209600,
                                  1.0 / 47900160,
                                  -691.0 / 1307674368000.0,
                                  1.0 / 74724249600.0,
                                  -3617.0 / 10670622842880000.0,
                                  43867.0 / 5109094217170944000.0,
                                  -174611.0 / 802857662698291200000.0};
    enum { COUNT = sizeof EVEN / sizeof EVEN[0] };
    (void)before;
    if (k == 1) return -0.5;
    if (k % 2) return 0;
    if (k / 2 < COUNT) return EVEN[k / 2];
    /* 2 zeta(k)/(2 pi)^k; of zeta the first three terms are enough from here on */
    const double sign = k / 2 % 2 ? 1 : -1, zeta = 1 + pow(2, -k) + pow(3, -k);
    return sign * 2 * zeta * pow(2 * acos(-1), -k);
}

void pn_group_dexp_inverse(const pn_chart *c, double scale, const double *W, const double *p, double *y,
                           double *work)
{
    series(c, scale, W, p, y, work, of_dexp_inverse);
}
