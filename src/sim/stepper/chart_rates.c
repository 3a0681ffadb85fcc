#include "sim/stepper/chart_rates.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

/* ------------------------------------------------------------------------------------------------ */
/* Rotation vectors */

/* sum over n of (-1)^n z^n / (2 n + first)!, and its derivative by z, for z up to 1 */
static void alternating(double z, int first, double *value, double *slope)
{
    double term = 1; /* 1 / (2 n + first)!, with its sign */
    for (int k = 2; k <= first; k++) term /= k;
    double power = 1; /* z^n */
    *value = term;
    *slope = 0;
    for (int n = 1; n <= 11; n++) {
        term /= -((double)(2 * n + first - 1) * (2 * n + first));
        *slope += n * term * power;
        power *= z;
        *value += term * power;
    }
}

pn_rotation pn_rotation_of(const double x[3])
{
    pn_rotation r;
    const double z = pn_dot3(x, x), angle = sqrt(z);
    memcpy(r.x, x, sizeof r.x);
    const double s = sin(angle), h = sin(0.5 * angle), k = 2 * h * h; /* k = 1 - cos */
    if (z < 1) {
        alternating(z, 2, &r.b, &r.db);
        alternating(z, 3, &r.c, &r.dc);
    } else {
        r.b = k / z;
        r.c = (angle - s) / (z * angle);
        r.db = (angle * s - 2 * k) / (2 * z * z);
        r.dc = (3 * s - 2 * angle - angle * (1 - k)) / (2 * z * z * angle);
    }

    /* (1 - (angle/2) cot(angle/2)) / angle^2, for small angles by its series */
    static const double series[] = {1.0 / 12,         1.0 / 720,      1.0 / 30240,
                                    1.0 / 1209600,    1.0 / 47900160, 691.0 / 1307674368000,
                                    1.0 / 74724249600};
    r.e = 0;
    if (z < 0.25)
        for (int n = 6; n >= 0; n--) r.e = r.e * z + series[n];
    else
        r.e = (1 - 0.5 * angle * cos(0.5 * angle) / h) / z;
    return r;
}

void pn_rotation_rate(const pn_rotation *r, const double y[3], double out[3])
{
    double once[3], twice[3];
    pn_cross3(r->x, y, once);
    pn_cross3(r->x, once, twice);
    for (int i = 0; i < 3; i++) out[i] = y[i] - r->b * once[i] + r->c * twice[i];
}

void pn_rotation_unrate(const pn_rotation *r, const double y[3], double out[3])
{
    double once[3], twice[3];
    pn_cross3(r->x, y, once);
    pn_cross3(r->x, once, twice);
    for (int i = 0; i < 3; i++) out[i] = y[i] + 0.5 * once[i] + r->e * twice[i];
}

void pn_rotation_bend(const pn_rotation *r, const double y[3], const double z[3], double out[3])
{
    /* b' = 2 db x.y and c' likewise; [x]^2 has the derivative [y][x] + [x][y] */
    const double rate = 2 * pn_dot3(r->x, y);
    double once[3], twice[3], first[3], second[3];
    pn_cross3(r->x, z, once);
    pn_cross3(r->x, once, twice);
    pn_cross3(y, once, first);
    pn_cross3(y, z, second);
    pn_cross3(r->x, second, second);
    for (int i = 0; i < 3; i++)
        out[i] = rate * (r->dc * twice[i] - r->db * once[i]) + r->c * (first[i] + second[i]);
}

/* The rotation from the joint's own axes to those in which its displacements in the chart are given. */
static void axes_of(const pn_chart_part *j, const double *q, double R[9])
{
    if (j->kind == PN_CHART_FREE) {
        pn_quaternion_matrix(q + j->q, R);
    } else {
        const double angle = q[j->q + 2], c = cos(angle), s = sin(angle);
        const double M[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
        memcpy(R, M, sizeof M);
    }
}

/* A free or planar joint: its displacement is given along fixed axes, its velocity along moving ones, so that
 * v = R' y' and a = R' y'' - w x v. */
static void displacement_rates(const double R[9], const double w[3], const double y1[3], const double *y2,
                               double v[3], double *a)
{
    double bend[3];
    pn_turn3_back(R, y1, v);
    if (!a) return;
    pn_turn3_back(R, y2, a);
    pn_cross3(w, v, bend);
    for (int i = 0; i < 3; i++) a[i] -= bend[i];
}

void pn_chart_to_rates(const pn_chart *f, const double *q, const double *y, const double *y1,
                       const double *y2, double *v, double *a)
{
    for (int i = 0; i < f->count; i++) {
        const pn_chart_part *j = &f->part[i];
        const double *first = y1 + j->v, *second = a ? y2 + j->v : NULL;
        double *rate = v + j->v, *rise = a ? a + j->v : NULL, R[9];
        switch (j->kind) {
        case PN_CHART_PLAIN:
            for (int d = 0; d < j->n; d++) rate[d] = first[d];
            for (int d = 0; rise && d < j->n; d++) rise[d] = second[d];
            break;
        case PN_CHART_PLANAR: {
            /* in three dimensions, where the angle is about z */
            const double w[3] = {0, 0, first[2]}, p1[3] = {first[0], first[1], 0};
            double p2[3] = {0, 0, 0}, out1[3], out2[3] = {0, 0, 0};
            if (rise) memcpy(p2, second, 2 * sizeof p2[0]);
            axes_of(j, q, R);
            displacement_rates(R, w, p1, p2, out1, rise ? out2 : NULL);
            for (int d = 0; d < 2; d++) rate[d] = out1[d];
            rate[2] = first[2];
            for (int d = 0; rise && d < 2; d++) rise[d] = out2[d];
            if (rise) rise[2] = second[2];
            break;
        }
        case PN_CHART_SPHERICAL:
        case PN_CHART_FREE: {
            const pn_rotation r = pn_rotation_of(y + j->v);
            double bend[3];
            pn_rotation_rate(&r, first, rate);
            if (rise) {
                pn_rotation_rate(&r, second, rise);
                pn_rotation_bend(&r, first, first, bend);
                for (int d = 0; d < 3; d++) rise[d] += bend[d];
            }
            if (j->kind != PN_CHART_FREE) break;
            axes_of(j, q, R);
            displacement_rates(R, rate, first + 3, rise ? second + 3 : NULL, rate + 3,
                               rise ? rise + 3 : NULL);
            break;
        }
        }
    }
}

/* The inverse of displacement_rates. */
static void displacement_derivatives(const double R[9], const double w[3], const double v[3], const double *a,
                                     double y1[3], double *y2)
{
    if (y2) {
        double x[3];
        pn_cross3(w, v, x);
        for (int i = 0; i < 3; i++) x[i] += a[i];
        pn_turn3(R, x, y2);
    }
    pn_turn3(R, v, y1);
}

void pn_chart_from_rates(const pn_chart *f, const double *q, const double *y, const double *v,
                         const double *a, double *y1, double *y2)
{
    for (int i = 0; i < f->count; i++) {
        const pn_chart_part *j = &f->part[i];
        const double *rate = v + j->v, *rise = y2 ? a + j->v : NULL;
        double *first = y1 + j->v, *second = y2 ? y2 + j->v : NULL, R[9];
        switch (j->kind) {
        case PN_CHART_PLAIN:
            for (int d = 0; d < j->n; d++) first[d] = rate[d];
            for (int d = 0; second && d < j->n; d++) second[d] = rise[d];
            break;
        case PN_CHART_PLANAR: {
            const double w[3] = {0, 0, rate[2]}, v3[3] = {rate[0], rate[1], 0};
            double a3[3] = {0, 0, 0}, out1[3], out2[3] = {0, 0, 0};
            if (second) memcpy(a3, rise, 2 * sizeof a3[0]);
            axes_of(j, q, R);
            displacement_derivatives(R, w, v3, a3, out1, second ? out2 : NULL);
            for (int d = 0; d < 2; d++) first[d] = out1[d];
            first[2] = rate[2];
            for (int d = 0; second && d < 2; d++) second[d] = out2[d];
            if (second) second[2] = rise[2];
            break;
        }
        case PN_CHART_SPHERICAL:
        case PN_CHART_FREE: {
            const pn_rotation r = pn_rotation_of(y + j->v);
            double bend[3];
            pn_rotation_unrate(&r, rate, first);
            if (second) {
                pn_rotation_bend(&r, first, first, bend);
                for (int d = 0; d < 3; d++) bend[d] = rise[d] - bend[d];
                pn_rotation_unrate(&r, bend, second);
            }
            if (j->kind != PN_CHART_FREE) break;
            axes_of(j, q, R);
            displacement_derivatives(R, rate, rate + 3, second ? rise + 3 : NULL, first + 3,
                                     second ? second + 3 : NULL);
            break;
        }
        }
    }
}

void pn_chart_columns(const pn_chart *f, const double *q, const double *y, int rows, double *J)
{
    for (int i = 0; i < f->count; i++) {
        const pn_chart_part *j = &f->part[i];
        double R[9];
        if (j->kind == PN_CHART_PLAIN) continue;
        if (j->kind != PN_CHART_SPHERICAL) axes_of(j, q, R);

        /* a row times G is G' times the row; the transpose of G is that of the opposite rotation */
        const double *x = y + j->v, opposite[3] = {-x[0], -x[1], -x[2]};
        const pn_rotation r = pn_rotation_of(opposite);
        for (int k = 0; k < rows; k++) {
            double *row = J + (size_t)k * (size_t)f->nv + j->v;
            if (j->kind == PN_CHART_PLANAR) {
                const double p[3] = {row[0], row[1], 0};
                double out[3];
                pn_turn3(R, p, out);
                row[0] = out[0];
                row[1] = out[1];
                continue;
            }
            pn_rotation_rate(&r, row, row);
            if (j->kind == PN_CHART_FREE) pn_turn3(R, row + 3, row + 3);
        }
    }
}
