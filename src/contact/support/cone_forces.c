/* The least forces within friction cones with A x = c. They are the limit, for e to 0, of x = k + z with k in the
 * cones, A x = c, and e |k|^2 + |z|^2 the least: where forces in the cones will do z vanishes, else it is the least way
 * out of them. With multipliers y and s = A' y both come from s: k = P(s), its nearest in the cones, and z = e s, so
 * that
 *
 *     F(y) = A (P(A' y) + e A' y) - c = 0
 *
 * which is the gradient of a convex function of as many variables as A has rows, six for a floating base. Newton's
 * method (P has derivatives almost everywhere) finds its least, with e made smaller by and by. */
#include "contact/support/cone_forces.h"

#include <math.h>
#include <string.h>
#include "base/vec3.h"
#define PN_T double
#include "solve/dense_symmetric.inc"

#define STAGES 5   /* e is 1, 1e-2, ..., 1e-8 */
#define TURNS 60   /* of Newton's method */
#define HALVINGS 40
#define EXACT 1e-12 /* of |c|: what counts as solved */
#define FIRM 1e-12  /* share of A A' that is added where the derivative may be singular */

/* a task at work */
typedef struct cone_run {
    const pn_cone_task *t;
    double e;
    double *G, *H;              /* [rows][rows] A A', and the derivative of F */
    double *y, *try_y, *F, *d;  /* [rows] */
    double *s, *p;              /* [3 points] */
} cone_run;

size_t pn_cone_room(int rows, int points)
{
    const size_t r = (size_t)rows, n = 3 * (size_t)points;
    return 2 * r * r + 4 * r + 2 * n + 1;
}

/* the nearest of a cone, and its derivative where D is not NULL */
static void project(double mu, const double s[3], double p[3], double D[9])
{
    const double slip = hypot(s[1], s[2]);
    if (D) memset(D, 0, 9 * sizeof *D);
    if (slip <= mu * s[0]) {
        memcpy(p, s, 3 * sizeof *p);
        if (D) D[0] = D[4] = D[8] = 1;
        return;
    }
    memset(p, 0, 3 * sizeof *p);
    if (s[0] <= -mu * slip) return;
    const double size = 1 + mu * mu, along = (s[0] + mu * slip) / size;
    const double to[3] = {1, slip > 0 ? mu * s[1] / slip : 0, slip > 0 ? mu * s[2] / slip : 0};
    const double bend = slip > 0 ? along * mu / slip : 0;
    for (int i = 0; i < 3; i++) p[i] = along * to[i];
    if (!D) return;
    for (int i = 0; i < 9; i++) D[i] = to[i / 3] * to[i % 3] / size;
    if (!(slip > 0)) return;
    const double c = s[1] / slip, d = s[2] / slip;
    D[4] += bend * d * d;
    D[5] -= bend * c * d;
    D[7] -= bend * c * d;
    D[8] += bend * c * c;
}

double pn_cone_margin(double mu, const double f[3])
{
    const double slip = hypot(f[1], f[2]);
    if (slip <= mu * f[0]) return (mu * f[0] - slip) / sqrt(1 + mu * mu);
    double p[3], away[3];
    project(mu, f, p, NULL);
    for (int i = 0; i < 3; i++) away[i] = f[i] - p[i];
    return -sqrt(pn_dot3(away, away));
}

/* s, p and F at y; returns what has its least where F is 0 */
static double look(cone_run *r, const double *y)
{
    const pn_cone_task *t = r->t;
    const int n = 3 * t->points;
    double value = 0;
    for (int j = 0; j < n; j++) r->s[j] = 0;
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < n; j++) r->s[j] += t->A[i * n + j] * y[i];
    for (int k = 0; k < t->points; k++) project(t->mu[k], r->s + 3 * k, r->p + 3 * k, NULL);
    for (int j = 0; j < n; j++) value += 0.5 * (r->p[j] * r->p[j] + r->e * r->s[j] * r->s[j]);
    for (int i = 0; i < t->rows; i++) {
        r->F[i] = pn_dot(n, t->A + i * n, r->p) + r->e * pn_dot(n, t->A + i * n, r->s) - t->c[i];
        value -= t->c[i] * y[i];
    }
    return value;
}

/* d = -H^-1 F at the s of the last look; 0 where that fails */
static int newton_step(cone_run *r)
{
    const pn_cone_task *t = r->t;
    const int n = 3 * t->points, rows = t->rows;
    for (int i = 0; i < rows * rows; i++) r->H[i] = (r->e + FIRM) * r->G[i];
    for (int k = 0; k < t->points; k++) {
        double p[3], D[9], AD[3];
        project(t->mu[k], r->s + 3 * k, p, D);
        for (int i = 0; i < rows; i++) {
            const double *own = t->A + i * n + 3 * k;
            for (int j = 0; j < 3; j++) AD[j] = own[0] * D[j] + own[1] * D[3 + j] + own[2] * D[6 + j];
            for (int j = 0; j <= i; j++) r->H[i * rows + j] += pn_dot3(AD, t->A + j * n + 3 * k);
        }
    }
    if (!(cholesky_factor(rows, r->H) > 0)) return 0;
    for (int i = 0; i < rows; i++) r->d[i] = -r->F[i];
    cholesky_forward(rows, r->H, r->d);
    cholesky_backward(rows, r->H, r->d);
    return 1;
}

/* Newton's method from y; returns |F| at its end. */
static double descend(cone_run *r, double enough)
{
    const int rows = r->t->rows;
    double value = look(r, r->y), size = sqrt(pn_dot(rows, r->F, r->F));
    for (int turn = 0; turn < TURNS && size > enough && newton_step(r); turn++) {
        const double slope = pn_dot(rows, r->F, r->d);
        double part = 1, next = value, next_size = size;
        int better = 0;
        for (int k = 0; k < HALVINGS && !better; k++, part *= 0.5) {
            for (int i = 0; i < rows; i++) r->try_y[i] = r->y[i] + part * r->d[i];
            next = look(r, r->try_y);
            next_size = sqrt(pn_dot(rows, r->F, r->F));
            /* near the end the value is rounding, and F tells */
            better = next <= value + 1e-4 * part * slope || (next <= value + 1e-12 * fabs(value) && next_size < size);
        }
        if (!better) break;
        memcpy(r->y, r->try_y, (size_t)rows * sizeof *r->y);
        value = next;
        size = next_size;
    }
    (void)look(r, r->y);
    return size;
}

/* where all multipliers grow as 1 / e, as they do where no forces in the cones will do */
static void start_stage(cone_run *r, double e)
{
    const double ratio = r->e / e;
    const int rows = r->t->rows;
    r->e = e;
    for (int i = 0; i < rows; i++) r->try_y[i] = ratio * r->y[i];
    if (look(r, r->try_y) < look(r, r->y)) memcpy(r->y, r->try_y, (size_t)rows * sizeof *r->y);
}

/* y = (A A')^-1 y, by H; 0 where A is not of full rank */
static int solve_plain(cone_run *r, double *y)
{
    const int rows = r->t->rows;
    memcpy(r->H, r->G, (size_t)rows * (size_t)rows * sizeof *r->H);
    if (!(cholesky_factor(rows, r->H) > 0)) return 0;
    cholesky_forward(rows, r->H, y);
    cholesky_backward(rows, r->H, y);
    return 1;
}

/* The forces nearest to the cones, with less and less of a way out of them; r.y then serves as a guess without. */
static void leave_cones(cone_run *r, double enough, double *x)
{
    const int rows = r->t->rows, n = 3 * r->t->points;
    r->e = 1;
    memcpy(r->y, r->t->c, (size_t)rows * sizeof *r->y);
    (void)solve_plain(r, r->y);
    for (int k = 0; k < STAGES; k++) {
        start_stage(r, pow(10, -2 * k));
        (void)descend(r, enough);
    }
    for (int j = 0; j < n; j++) x[j] = r->p[j] + r->e * r->s[j];

    /* what rounding left of A x - c */
    for (int i = 0; i < rows; i++) r->d[i] = r->t->c[i] - pn_dot(n, r->t->A + i * n, x);
    (void)solve_plain(r, r->d);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++) x[j] += r->t->A[i * n + j] * r->d[i];
}

int pn_cone_forces(const pn_cone_task *t, double *x)
{
    const int rows = t->rows, n = 3 * t->points;
    const size_t square = (size_t)rows * (size_t)rows;
    cone_run r = {.t = t, .G = t->room, .H = t->room + square, .y = t->room + 2 * square};
    r.try_y = r.y + rows, r.F = r.try_y + rows, r.d = r.F + rows, r.s = r.d + rows, r.p = r.s + n;
    for (int j = 0; j < n; j++) x[j] = 0;
    const double size = sqrt(pn_dot(rows, t->c, t->c)), enough = EXACT * size;
    if (!(size > 0) || !n) return !(size > 0);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) r.G[i * rows + j] = pn_dot(n, t->A + i * n, t->A + j * n);

    /* from the least forces without cones, which often are within them */
    memcpy(r.y, t->c, (size_t)rows * sizeof *r.y);
    if (!solve_plain(&r, r.y)) return 0;
    int inside = descend(&r, enough) <= enough;
    if (!inside) {
        leave_cones(&r, enough, x);
        r.e = 0;
        inside = descend(&r, enough) <= enough;
    }
    if (inside) memcpy(x, r.p, (size_t)n * sizeof *x);
    return inside;
}
