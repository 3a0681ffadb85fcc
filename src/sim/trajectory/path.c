/* Paths: knots, and polynomials between them. */
#include "sim/trajectory/trajectory_kind.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void pn_path_begin(pn_path *p, const pn_chart *chart, int quintic)
{
    memset(p, 0, sizeof *p);
    p->chart = chart;
    p->quintic = quintic;
}

void pn_path_end(pn_path *p)
{
    free(p->s);
    free(p->q);
    free(p->v);
    free(p->a);
    free(p->piece);
    pn_path_begin(p, p->chart, p->quintic);
}

/* Room for `capacity` rows of `width` numbers; 0 when out of memory, and the array is as it was. */
static int grow(double **array, int capacity, int width)
{
    const size_t row = (size_t)width * sizeof **array, rows = (size_t)capacity;
    if (width > 0 && rows > SIZE_MAX / 2 / row) return 0;
    double *larger = realloc(*array, rows * row + 1);
    if (larger) *array = larger;
    return larger != NULL;
}

int pn_path_add(pn_path *p, double s, const double *q, const double *v, const double *a)
{
    const int nq = p->chart->nq, nv = p->chart->nv;
    if (p->count == p->capacity) {
        const int capacity = p->capacity ? 2 * p->capacity : 64;
        if (p->capacity > (1 << 29)) return 0;
        if (!grow(&p->s, capacity, 1) || !grow(&p->q, capacity, nq) || !grow(&p->v, capacity, nv) ||
            !grow(&p->a, capacity, nv) || !grow(&p->piece, capacity, 5 * nv))
            return 0;
        p->capacity = capacity;
    }
    const size_t at = (size_t)p->count++, bytes = (size_t)nv * sizeof *v;
    p->s[at] = s;
    memcpy(p->q + at * (size_t)nq, q, (size_t)nq * sizeof *q);
    memset(p->v + at * (size_t)nv, 0, bytes);
    memset(p->a + at * (size_t)nv, 0, bytes);
    if (v) memcpy(p->v + at * (size_t)nv, v, bytes);
    if (a) memcpy(p->a + at * (size_t)nv, a, bytes);
    return 1;
}

void pn_path_piece(pn_path *p, int k)
{
    const size_t nq = (size_t)p->chart->nq, nv = (size_t)p->chart->nv, i = (size_t)k;
    const double *q0 = p->q + i * nq, *q1 = q0 + nq, *v = p->v + i * nv, *a = p->a + i * nv;
    double *start1 = p->piece + 5 * i * nv, *start2 = start1 + nv, *end = start2 + nv;

    /* at the start the coordinates are zero: the end's place is still free for those */
    for (size_t d = 0; d < nv; d++) end[d] = 0;
    pn_chart_from_rates(p->chart, q0, end, v, a, start1, start2);
    pn_chart_theta(p->chart, q0, q1, end);
    pn_chart_from_rates(p->chart, q1, end, v + nv, a + nv, end + nv, end + 2 * nv);
}

void pn_path_pieces(pn_path *p)
{
    for (int k = 0; k + 1 < p->count; k++) pn_path_piece(p, k);
}

int pn_path_find(const pn_path *p, double s)
{
    int low = 0, high = p->count - 1; /* s[low] <= s < s[high], but at the ends */
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (s < p->s[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* The polynomial from 0 to d on [0, 1] with the given derivatives at its ends: its coefficients. */
static void coefficients(int quintic, double d, double v0, double v1, double a0, double a1, double c[6])
{
    c[0] = c[4] = c[5] = 0;
    c[1] = v0;
    if (quintic) {
        const double rest = d - v0 - 0.5 * a0, speed = v1 - v0 - a0, rise = a1 - a0;
        c[2] = 0.5 * a0;
        c[3] = 10 * rest - 4 * speed + 0.5 * rise;
        c[4] = -15 * rest + 7 * speed - rise;
        c[5] = 6 * rest - 3 * speed + 0.5 * rise;
    } else {
        c[2] = 3 * d - 2 * v0 - v1;
        c[3] = v0 + v1 - 2 * d;
    }
}

/* those of coordinate i on piece k, in parts of the piece */
static void piece_coefficients(const pn_path *p, int k, size_t i, double c[6])
{
    const size_t nv = (size_t)p->chart->nv;
    const double h = p->s[k + 1] - p->s[k];
    const double *start1 = p->piece + 5 * (size_t)k * nv, *start2 = start1 + nv, *end = start2 + nv,
                 *end1 = end + nv, *end2 = end1 + nv;
    coefficients(p->quintic, end[i], h * start1[i], h * end1[i], h * h * start2[i], h * h * end2[i], c);
}

void pn_path_at(const pn_path *p, int k, double s, double *y, double *y1, double *y2)
{
    const double h = p->s[k + 1] - p->s[k], x = (s - p->s[k]) / h;
    for (size_t i = 0; i < (size_t)p->chart->nv; i++) {
        double c[6];
        piece_coefficients(p, k, i, c);
        y[i] = x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))));
        y1[i] = (c[1] + x * (2 * c[2] + x * (3 * c[3] + x * (4 * c[4] + x * 5 * c[5])))) / h;
        y2[i] = (2 * c[2] + x * (6 * c[3] + x * (12 * c[4] + x * 20 * c[5]))) / (h * h);
    }
}

void pn_path_higher(const pn_path *p, int k, double s, double *y3, double *y4)
{
    const double h = p->s[k + 1] - p->s[k], x = (s - p->s[k]) / h;
    for (size_t i = 0; i < (size_t)p->chart->nv; i++) {
        double c[6];
        piece_coefficients(p, k, i, c);
        y3[i] = (6 * c[3] + x * (24 * c[4] + x * 60 * c[5])) / (h * h * h);
        y4[i] = (24 * c[4] + x * 120 * c[5]) / (h * h * h * h);
    }
}

void pn_path_when(pinion_profile profile, double blend, double t, double T, double s[3])
{
    pn_profile_at(profile, blend, t / T, s);
    s[0] = fmin(fmax(s[0], 0), 1);
    s[1] /= T;
    s[2] /= T * T;
}

void pn_path_in_time(int nv, const double s[3], double *v, double *a)
{
    for (int i = 0; i < nv; i++) {
        a[i] = a[i] * s[1] * s[1] + v[i] * s[2];
        v[i] *= s[1];
    }
}
