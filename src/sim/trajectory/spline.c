/* Splines: derivatives at the knots such that cubic pieces join with continuous acceleration.
 *
 * On each piece the coordinates in the chart around its first knot are a cubic. With h the length of piece k,
 * d its end, w the velocities at knots and u = G(d)^-1 w[k+1]:
 *
 *     y''(0) = 6 d/h^2 - (4 w[k] + 2 u)/h
 *
 *     y''(h) = -6 d/h^2 + (2 w[k] + 4 u)/h
 *
 *     y''' = 6 (w[k] + u)/h^2 - 12 d/h^3
 *
 * The acceleration is y''(0) at the first knot and G y''(h) + n(u) at the second, where n is the quadratic
 * term of a rotation, zero for plain coordinates. Its continuity at the inner knots, and at the two knots
 * next to the ends that of the third derivative ("not a knot"), are as many equations as there are w. They
 * are linear but for n, and solved by Newton's method, a block tridiagonal system at a time. Blocks are a
 * coordinate, or the three of a rotation. */
#include "sim/trajectory/trajectory_kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEWTON_MAX 20

/* One block of coordinates along the whole path. */
typedef struct spline {
    int n, b;                      /* knots; coordinates */
    const double *s;               /* [n] */
    const double *d;               /* [n - 1][b] */
    const pn_rotation *r;          /* [n - 1], of d; NULL for plain coordinates */
    double *low, *diagonal, *high; /* [n][b][b] */
    double *right, *w;             /* [n][b] */
} spline;

/* ------------------------------------------------------------------------------------------------ */
/* Small matrices, b x b with b at most 3 */

/* Replaces X [b][columns] by A^-1 X. A is destroyed. The blocks here are regular: 0 only where numbers
 * overflow. */
static int divide(int b, double *A, double *X, int columns)
{
    for (int c = 0; c < b; c++) {
        int pivot = c;
        for (int r = c + 1; r < b; r++)
            if (fabs(A[r * b + c]) > fabs(A[pivot * b + c])) pivot = r;
        if (!(fabs(A[pivot * b + c]) > 0)) return 0;
        for (int i = 0; pivot != c && i < b; i++) {
            const double t = A[c * b + i];
            A[c * b + i] = A[pivot * b + i];
            A[pivot * b + i] = t;
        }
        for (int i = 0; pivot != c && i < columns; i++) {
            const double t = X[c * columns + i];
            X[c * columns + i] = X[pivot * columns + i];
            X[pivot * columns + i] = t;
        }
        for (int r = 0; r < b; r++) {
            if (r == c) continue;
            const double f = A[r * b + c] / A[c * b + c];
            for (int i = c; i < b; i++) A[r * b + i] -= f * A[c * b + i];
            for (int i = 0; i < columns; i++) X[r * columns + i] -= f * X[c * columns + i];
        }
    }
    for (int r = 0; r < b; r++)
        for (int i = 0; i < columns; i++) X[r * columns + i] /= A[r * b + r];
    return 1;
}

/* Z -= A X, A [b][b], X and Z [b][columns] */
static void subtract_product(int b, const double *A, const double *X, double *Z, int columns)
{
    for (int r = 0; r < b; r++)
        for (int c = 0; c < columns; c++)
            for (int k = 0; k < b; k++) Z[r * columns + c] -= A[r * b + k] * X[k * columns + c];
}

/* Solves low w[k-1] + diagonal w[k] + high w[k+1] = right. Destroys the matrix. */
static int solve(spline *p)
{
    const int b = p->b, b2 = b * b;
    for (int k = 0; k < p->n; k++) {
        double *A = p->diagonal + (size_t)k * (size_t)b2, *C = p->high + (size_t)k * (size_t)b2;
        double *w = p->w + (size_t)k * (size_t)b, both[3 * 4];
        memcpy(w, p->right + (size_t)k * (size_t)b, (size_t)b * sizeof *w);
        if (k > 0) {
            const double *L = p->low + (size_t)k * (size_t)b2;
            subtract_product(b, L, C - b2, A, b);
            subtract_product(b, L, w - b, w, 1);
        }
        /* C and w by the diagonal block, together */
        for (int r = 0; r < b; r++) {
            memcpy(both + r * (b + 1), C + r * b, (size_t)b * sizeof *both);
            both[r * (b + 1) + b] = w[r];
        }
        if (!divide(b, A, both, b + 1)) return 0;
        for (int r = 0; r < b; r++) {
            memcpy(C + r * b, both + r * (b + 1), (size_t)b * sizeof *both);
            w[r] = both[r * (b + 1) + b];
        }
    }
    for (int k = p->n - 2; k >= 0; k--) {
        double *w = p->w + (size_t)k * (size_t)b;
        subtract_product(b, p->high + (size_t)k * (size_t)b2, w + b, w, 1);
    }
    return pn_all_finite(p->w, (size_t)p->n * (size_t)b);
}

/* ------------------------------------------------------------------------------------------------ */
/* The equations */

/* A = factor G(d) of piece k, or its inverse. */
static void set_rate(const spline *p, int k, int inverse, double factor, double *A)
{
    if (p->b == 1) {
        A[0] = factor;
        return;
    }
    for (int c = 0; c < 3; c++) {
        double unit[3] = {0, 0, 0}, column[3];
        unit[c] = 1;
        if (inverse)
            pn_rotation_unrate(&p->r[k], unit, column);
        else
            pn_rotation_rate(&p->r[k], unit, column);
        for (int r = 0; r < 3; r++) A[3 * r + c] = factor * column[r];
    }
}

static void set_identity(const spline *p, double factor, double *A)
{
    for (int i = 0; i < p->b * p->b; i++) A[i] = i % (p->b + 1) == 0 ? factor : 0;
}

static double length_of(const spline *p, int k)
{
    return p->s[k + 1] - p->s[k];
}

/* Continuous acceleration at knot k: 2/h0 G w[k-1] + 4 (1/h0 + 1/h1) w[k] + 2/h1 G^-1 w[k+1]
 * = 6 d0/h0^2 + 6 d1/h1^2 - n(u), since G d = d; n is linearized at the w that is there. */
static void inner_row(const spline *p, int k, double *low, double *diagonal, double *high, double *right,
                      int linearized)
{
    const double h0 = length_of(p, k - 1), h1 = length_of(p, k);
    const double *d0 = p->d + (size_t)(k - 1) * (size_t)p->b, *d1 = d0 + p->b;
    set_rate(p, k - 1, 0, 2 / h0, low);
    set_identity(p, 4 / h0 + 4 / h1, diagonal);
    set_rate(p, k, 1, 2 / h1, high);
    for (int i = 0; i < p->b; i++) right[i] = 6 * d0[i] / (h0 * h0) + 6 * d1[i] / (h1 * h1);
    if (!linearized) return;

    /* n(u + z) = n(u) + bend(u, z) + bend(z, u) + ..., with u = G^-1 w, and n(u) = bend(u, u) */
    const pn_rotation *r = &p->r[k - 1];
    double u[3], n[3];
    pn_rotation_unrate(r, p->w + (size_t)k * 3, u);
    pn_rotation_bend(r, u, u, n);
    for (int i = 0; i < 3; i++) right[i] += n[i]; /* - n(u) + n'(u) u, and n'(u) u = 2 n(u) */
    for (int c = 0; c < 3; c++) {
        double unit[3] = {0, 0, 0}, z[3], first[3], second[3];
        unit[c] = 1;
        pn_rotation_unrate(r, unit, z);
        pn_rotation_bend(r, u, z, first);
        pn_rotation_bend(r, z, u, second);
        for (int i = 0; i < 3; i++) diagonal[3 * i + c] += first[i] + second[i];
    }
}

/* The same third derivative on pieces k and k + 1: G w[k]/h0^2 + (1/h0^2 - 1/h1^2) w[k+1] - G^-1 w[k+2]/h1^2
 * = 2 d0/h0^3 - 2 d1/h1^3. */
static void end_row(const spline *p, int k, double *first, double *second, double *third, double *right)
{
    const double h0 = length_of(p, k), h1 = length_of(p, k + 1);
    const double *d0 = p->d + (size_t)k * (size_t)p->b, *d1 = d0 + p->b;
    set_rate(p, k, 0, 1 / (h0 * h0), first);
    set_identity(p, 1 / (h0 * h0) - 1 / (h1 * h1), second);
    set_rate(p, k + 1, 1, -1 / (h1 * h1), third);
    for (int i = 0; i < p->b; i++) right[i] = 2 * d0[i] / (h0 * h0 * h0) - 2 * d1[i] / (h1 * h1 * h1);
}

/* Takes the block beyond the neighbour out of an end's equation, with the help of the inner equation beside
 * it: row -= far (beside's block)^-1 beside. `near` and `middle` are the end's own block and its neighbour's.
 */
static int reduce(const spline *p, const double *far, const double *beside_far, const double *beside_own,
                  const double *beside_middle, const double *beside_right, double *own, double *middle,
                  double *right)
{
    const int b = p->b;
    double A[9], X[3 * 7];
    memcpy(A, beside_far, (size_t)(b * b) * sizeof *A);
    for (int r = 0; r < b; r++) {
        memcpy(X + r * (2 * b + 1), beside_own + r * b, (size_t)b * sizeof *X);
        memcpy(X + r * (2 * b + 1) + b, beside_middle + r * b, (size_t)b * sizeof *X);
        X[r * (2 * b + 1) + 2 * b] = beside_right[r];
    }
    if (!divide(b, A, X, 2 * b + 1)) return 0;
    for (int r = 0; r < b; r++) {
        for (int k = 0; k < b; k++) {
            const double f = far[r * b + k], *x = X + k * (2 * b + 1);
            for (int c = 0; c < b; c++) {
                own[r * b + c] -= f * x[c];
                middle[r * b + c] -= f * x[b + c];
            }
            right[r] -= f * x[2 * b];
        }
    }
    return 1;
}

/* The two ends. Of three knots both pieces are parts of one parabola: y''' = 0 on each. */
static int end_rows(spline *p)
{
    const int b = p->b, last = p->n - 1;
    const size_t b2 = (size_t)(b * b), end = (size_t)last;
    double far[9];
    if (p->n == 3) {
        set_identity(p, 1, p->diagonal);
        set_rate(p, 0, 1, 1, p->high);
        set_identity(p, 1, p->low + end * b2);
        set_rate(p, 1, 1, 1, p->diagonal + end * b2);
        for (int i = 0; i < b; i++) {
            p->right[i] = 2 * p->d[i] / length_of(p, 0);
            p->right[2 * b + i] = 2 * p->d[b + i] / length_of(p, 1);
        }
        return 1;
    }
    end_row(p, 0, p->diagonal, p->high, far, p->right);
    if (!reduce(p, far, p->high + b2, p->low + b2, p->diagonal + b2, p->right + b, p->diagonal, p->high,
                p->right))
        return 0;
    double *low = p->low + end * b2, *diagonal = p->diagonal + end * b2, *right = p->right + end * (size_t)b;
    end_row(p, last - 2, far, low, diagonal, right);
    return reduce(p, far, low - b2, p->high + (end - 1) * b2, diagonal - b2, right - b, diagonal, low, right);
}

/* One linear system: without the quadratic term, or with it linearized at w. */
static int newton(spline *p, int linearized)
{
    const size_t b = (size_t)p->b, b2 = b * b;
    for (int k = 1; k + 1 < p->n; k++) {
        const size_t i = (size_t)k;
        inner_row(p, k, p->low + i * b2, p->diagonal + i * b2, p->high + i * b2, p->right + i * b,
                  linearized);
    }
    return end_rows(p) && solve(p);
}

/* The velocities at the knots. Where Newton's method does not settle, which takes samples that turn far from
 * one to the next, those without the quadratic term are as good. `first` [n][b] is scratch. */
static void find_velocities(spline *p, double *first)
{
    const size_t size = (size_t)p->n * (size_t)p->b;
    if (p->n == 2) {
        for (int i = 0; i < p->b; i++) p->w[i] = p->w[p->b + i] = p->d[i] / length_of(p, 0);
        return;
    }
    if (!newton(p, 0)) {
        memset(p->w, 0, size * sizeof *p->w);
        return;
    }
    if (p->b == 1) return;
    memcpy(first, p->w, size * sizeof *first);
    double *before = first + size;
    for (int i = 0; i < NEWTON_MAX; i++) {
        memcpy(before, p->w, size * sizeof *before);
        int solved = newton(p, 1);
        double change = 0, scale = 0;
        for (size_t k = 0; k < size; k++) {
            change = fmax(change, fabs(p->w[k] - before[k]));
            scale = fmax(scale, fabs(p->w[k]));
        }
        if (!solved || !isfinite(change)) break;
        if (change <= 1e-13 * scale) return;
    }
    memcpy(p->w, first, size * sizeof *first);
}

/* The accelerations that pieces k - 1 and k have at knot k, the mean where both exist. */
static void acceleration(const spline *p, int k, double *a)
{
    const int b = p->b;
    const double *w = p->w + (size_t)k * (size_t)b;
    double after[3] = {0, 0, 0}, before[3] = {0, 0, 0}, u[3];
    int sides = 0;
    if (k + 1 < p->n) {
        const double h = length_of(p, k), *d = p->d + (size_t)k * (size_t)b;
        u[0] = w[b];
        if (b == 3) pn_rotation_unrate(&p->r[k], w + 3, u);
        for (int i = 0; i < b; i++) after[i] = 6 * d[i] / (h * h) - (4 * w[i] + 2 * u[i]) / h;
        sides++;
    }
    if (k > 0) {
        const double h = length_of(p, k - 1), *d = p->d + (size_t)(k - 1) * (size_t)b;
        double y2[3], n[3];
        u[0] = w[0];
        if (b == 3) pn_rotation_unrate(&p->r[k - 1], w, u);
        for (int i = 0; i < b; i++) y2[i] = (2 * w[i - b] + 4 * u[i]) / h - 6 * d[i] / (h * h);
        before[0] = y2[0];
        if (b == 3) {
            pn_rotation_rate(&p->r[k - 1], y2, before);
            pn_rotation_bend(&p->r[k - 1], u, u, n);
            for (int i = 0; i < 3; i++) before[i] += n[i];
        }
        sides++;
    }
    for (int i = 0; i < b; i++) a[i] = (before[i] + after[i]) / sides;
}

/* ------------------------------------------------------------------------------------------------ */

/* Solves one block, whose coordinates are at `at` of y; y1 and y2 [n][nv] are what comes out, derivatives in
 * the charts around the knots, d [n - 1][nv] the ends of the pieces. */
static int block(const pn_path *path, int at, int b, const double *d, double *y1, double *y2)
{
    const size_t n = (size_t)path->count, size = n * (size_t)b, nv = (size_t)path->chart->nv;
    spline p = {path->count, b, path->s, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    double *memory = calloc(size * (size_t)(3 * b + 5), sizeof *memory);
    pn_rotation *r = b == 3 ? calloc(n, sizeof *r) : NULL;
    int ok = memory && (b == 1 || r);
    if (ok) {
        double *ends = memory, *first;
        p.low = ends + size;
        p.diagonal = p.low + size * (size_t)b;
        p.high = p.diagonal + size * (size_t)b;
        p.right = p.high + size * (size_t)b;
        p.w = p.right + size;
        first = p.w + size;
        for (size_t k = 0; k + 1 < n; k++) {
            for (int i = 0; i < b; i++) ends[k * (size_t)b + (size_t)i] = d[k * nv + (size_t)(at + i)];
            if (b == 3) r[k] = pn_rotation_of(ends + 3 * k);
        }
        p.d = ends;
        p.r = r;
        find_velocities(&p, first);
        for (size_t k = 0; k < n; k++) {
            double a[3];
            acceleration(&p, (int)k, a);
            for (int i = 0; i < b; i++) {
                y1[k * nv + (size_t)(at + i)] = p.w[k * (size_t)b + (size_t)i];
                y2[k * nv + (size_t)(at + i)] = a[i];
            }
        }
    }
    free(memory);
    free(r);
    return ok;
}

int pn_path_spline(pn_path *p)
{
    const pn_chart *f = p->chart;
    const size_t n = (size_t)p->count, nq = (size_t)f->nq, nv = (size_t)f->nv;
    if (p->count < 2) return 1;
    double *d = calloc(3 * n * nv + nv + 1, sizeof *d);
    if (!d) return 0;
    double *y1 = d + n * nv, *y2 = y1 + n * nv, *zero = y2 + n * nv;
    for (size_t k = 0; k + 1 < n; k++) pn_chart_theta(f, p->q + k * nq, p->q + (k + 1) * nq, d + k * nv);

    int ok = 1;
    for (int i = 0; ok && i < f->count; i++) {
        const pn_chart_part *j = &f->part[i];
        const int turning = j->kind == PN_CHART_SPHERICAL || j->kind == PN_CHART_FREE;
        if (turning) ok = block(p, j->v, 3, d, y1, y2);
        for (int c = turning ? 3 : 0; ok && c < j->n; c++) ok = block(p, j->v + c, 1, d, y1, y2);
    }
    for (size_t k = 0; ok && k < n; k++)
        pn_chart_to_rates(f, p->q + k * nq, zero, y1 + k * nv, y2 + k * nv, p->v + k * nv, p->a + k * nv);
    free(d);
    return ok;
}
