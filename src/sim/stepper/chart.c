#include "sim/stepper/chart.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/vec3.h"

pn_chart *pn_chart_new(const pinion_model *m)
{
    const int joints = pinion_model_joint_count(m);
    pn_chart *c = malloc(sizeof *c + (size_t)joints * sizeof c->part[0]);
    if (!c) return NULL;
    c->nq = pinion_model_nq(m);
    c->nv = pinion_model_nv(m);
    c->count = 0;

    for (int i = 0; i < joints; i++) {
        pinion_joint_info info;
        if (pinion_model_joint(m, i, &info) != PINION_OK || info.nv == 0) continue;
        const pn_chart_kind kind = info.type == PINION_JOINT_PLANAR      ? PN_CHART_PLANAR
                                   : info.type == PINION_JOINT_SPHERICAL ? PN_CHART_SPHERICAL
                                   : info.type == PINION_JOINT_FREE      ? PN_CHART_FREE
                                                                   : PN_CHART_PLAIN;
        /* plain neighbours become one part */
        pn_chart_part *last = c->count ? &c->part[c->count - 1] : NULL;
        if (kind == PN_CHART_PLAIN && last && last->kind == kind && last->q + last->n == info.q_index &&
            last->v + last->n == info.v_index) {
            last->n += info.nv;
        } else {
            const pn_chart_part part = {kind, info.q_index, info.v_index, info.nv};
            c->part[c->count++] = part;
        }
    }
    return c;
}

void pn_quaternion_product(const double a[4], const double b[4], double y[4])
{
    const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    const double s = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
    const double z = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
    y[0] = w;
    y[1] = x;
    y[2] = s;
    y[3] = z;
}

/* x + 2 w (u x x) + 2 u x (u x x), u the vector part */
void pn_quaternion_rotate(const double q[4], const double x[3], double y[3])
{
    double s[3], t[3];
    pn_cross3(q + 1, x, s);
    pn_cross3(q + 1, s, t);
    for (int i = 0; i < 3; i++) y[i] = x[i] + 2 * (q[0] * s[i] + t[i]);
}

static double length3(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

void pn_quaternion_turn(const double q0[4], const double theta[3], double q[4])
{
    const double x = length3(theta);
    /* sin(x/2)/x; the first term left out of the series is below rounding */
    const double s = x < 1e-2 ? 0.5 - x * x / 48 * (1 - x * x / 80 * (1 - x * x / 168)) : sin(x / 2) / x;
    const double turn[4] = {cos(x / 2), s * theta[0], s * theta[1], s * theta[2]};
    pn_quaternion_product(q0, turn, q);
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) q[i] /= norm;
}

void pn_chart_point(const pn_chart *c, const double *q0, const double *theta, double *q)
{
    for (int k = 0; k < c->count; k++) {
        const pn_chart_part *p = &c->part[k];
        const double *a = q0 + p->q, *x = theta + p->v;
        double *y = q + p->q;
        switch (p->kind) {
        case PN_CHART_PLAIN:
        case PN_CHART_PLANAR:
            for (int i = 0; i < p->n; i++) y[i] = a[i] + x[i];
            break;
        case PN_CHART_FREE:
            for (int i = 0; i < 3; i++) y[4 + i] = a[4 + i] + x[3 + i];
            pn_quaternion_turn(a, x, y);
            break;
        case PN_CHART_SPHERICAL: pn_quaternion_turn(a, x, y); break;
        }
    }
}

/* (1 - (x/2) cot(x/2))/x^2, the coefficient of ad^2 in the inverse of the exponential's differential */
static double half_cotangent(double x)
{
    const double z = x * x;
    if (x < 0.5) /* Bernoulli numbers: sum of |B_2k| x^(2k - 2)/(2k)! */
        return (1 + z / 60 *
                        (1 + z / 42 *
                                 (1 + z / 40 *
                                          (1 + z * (5.0 / 198) *
                                                   (1 + z * (691.0 / 27300) * (1 + z * (35.0 / 1382))))))) /
               12;
    return (1 - x / 2 / tan(x / 2)) / z;
}

/* The body's angular velocity is w = dexp_{-theta} theta', so theta' = dexp^-1_{-theta} w
 * = w + theta x w / 2 + half_cotangent theta x (theta x w). */
static void turn_rate(const double theta[3], const double w[3], double rate[3])
{
    double s[3], t[3];
    const double b = half_cotangent(length3(theta));
    pn_cross3(theta, w, s);
    pn_cross3(theta, s, t);
    for (int i = 0; i < 3; i++) rate[i] = w[i] + 0.5 * s[i] + b * t[i];
}

void pn_chart_rate(const pn_chart *c, const double *q, const double *theta, const double *v, double *rate)
{
    for (int k = 0; k < c->count; k++) {
        const pn_chart_part *p = &c->part[k];
        const double *x = v + p->v;
        double *y = rate + p->v;
        switch (p->kind) {
        case PN_CHART_PLAIN:
            for (int i = 0; i < p->n; i++) y[i] = x[i];
            break;
        case PN_CHART_PLANAR: {
            const double s = sin(q[p->q + 2]), e = cos(q[p->q + 2]);
            y[0] = e * x[0] - s * x[1];
            y[1] = s * x[0] + e * x[1];
            y[2] = x[2];
            break;
        }
        case PN_CHART_FREE:
            turn_rate(theta + p->v, x, y);
            pn_quaternion_rotate(q + p->q, x + 3, y + 3);
            break;
        case PN_CHART_SPHERICAL: turn_rate(theta + p->v, x, y); break;
        }
    }
}

void pn_quaternion_between(const double a[4], const double b[4], double theta[3])
{
    const double back[4] = {a[0], -a[1], -a[2], -a[3]};
    double d[4];
    pn_quaternion_product(back, b, d);
    pn_quaternion_vector(d, theta);
}

void pn_chart_theta(const pn_chart *c, const double *q0, const double *q, double *theta)
{
    for (int k = 0; k < c->count; k++) {
        const pn_chart_part *p = &c->part[k];
        const double *a = q0 + p->q, *b = q + p->q;
        double *y = theta + p->v;
        switch (p->kind) {
        case PN_CHART_PLAIN:
        case PN_CHART_PLANAR:
            for (int i = 0; i < p->n; i++) y[i] = b[i] - a[i];
            break;
        case PN_CHART_FREE:
            for (int i = 0; i < 3; i++) y[3 + i] = b[4 + i] - a[4 + i];
            pn_quaternion_between(a, b, y);
            break;
        case PN_CHART_SPHERICAL: pn_quaternion_between(a, b, y); break;
        }
    }
}

double pn_chart_turn(const pn_chart *c, const double *theta)
{
    double longest = 0;
    for (int k = 0; k < c->count; k++) {
        if (c->part[k].kind != PN_CHART_SPHERICAL && c->part[k].kind != PN_CHART_FREE) continue;
        const double x = length3(theta + c->part[k].v);
        if (x > longest || isnan(x)) longest = x; /* nothing is above NaN: it stays */
    }
    return longest;
}

void pn_chart_scale(const pn_chart *c, const double *q, double *scale)
{
    for (int k = 0; k < c->count; k++) {
        const pn_chart_part *p = &c->part[k];
        double *y = scale + p->v;
        const int turning = p->kind == PN_CHART_SPHERICAL || p->kind == PN_CHART_FREE;
        if (turning)
            for (int i = 0; i < 3; i++) y[i] = 1;
        if (p->kind == PN_CHART_FREE)
            for (int i = 0; i < 3; i++) y[3 + i] = fabs(q[p->q + 4 + i]);
        if (!turning)
            for (int i = 0; i < p->n; i++) y[i] = fabs(q[p->q + i]);
    }
}
