/* An interior-point method on De Saxce's form of the problem (Acary, Armand, Nguyen & Shpakovych 2023; Mehrotra 1992).
 * A contact's impulses are written as x = (mu lambda_n, lambda_t), its corrected velocities as y = (u~_n / mu, u_t), so
 * that both are in the cone x_n >= |x_t|, and x o y = 0 at a solution, o the product of that cone's algebra:
 *
 *     y = A x + b + |y_t| n,   x o y = m e,   m to 0
 *
 * Newton's steps with the scaling of Nesterov & Todd 1997, W x = W^-1 y = v: W dx + W^-1 dy = v \ (m e - v o v), and
 * |y_t| with its derivative. A is scaled as in contact_admm.c, and b to a largest of 1. Dependent rows and contacts
 * that hardly slide, which make fixed points slow, do no harm; a turn costs a factorization. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/lu.h"
#include "base/vec3.h"
#include "contact/solve/contact_solvers.h"

#define TURNS 60
#define INSIDE 0.99   /* of the way to the border that a step goes */
#define SMOOTH 1e-8   /* less friction is none */
#define RIDGE 1e-14   /* on the diagonal: A may be singular */
#define LEAST 1e-15   /* m that is as good as zero */
#define RESTARTS 3    /* from farther inside, each time by so much */
#define FARTHER 30
#define NO_STEP 1e-4 /* a step that is so short leads nowhere */

typedef struct interior {
    const pn_contact_task *t;
    int n, cones;
    double unit;              /* what b was divided by */
    double *A, *M;            /* [n][n] */
    double *scale, *b;        /* impulse = unit scale x */
    double *x, *y, *dx, *dy;  /* of a friction x is the impulse, y and z are the velocities at its two ends */
    double *z, *dz, *r, *side, *shift;
    double *W;                /* [n][3] rows of a contact's W; of others W^2 alone */
    int *pivot;
} interior;

/* how a block is treated: a contact without friction is a limit with two rows that are nothing */
typedef enum kind { CONE, HALF, BOX, OPEN, NONE } kind;

static kind kind_of(const pn_block *b)
{
    switch (b->law) {
    case PINION_CONTACT_COULOMB: return b->mu > SMOOTH ? CONE : HALF;
    case PINION_CONTACT_LIMIT: return HALF;
    case PINION_CONTACT_FRICTION: return b->mu > 0 ? BOX : NONE;
    default: return OPEN;
    }
}

/* the bound of a friction, in x */
static double bound_of(const interior *s, const pn_block *b)
{
    return b->mu / (s->unit * s->scale[b->row]);
}

static void open_interior(interior *s)
{
    const pinion_contact_problem *p = s->t->p;
    const size_t n = (size_t)s->n;
    double largest = 0;
    for (int i = 0; i < p->blocks; i++) largest = fmax(largest, pn_block_mean(p, &s->t->block[i]));
    s->unit = 0;
    for (int i = 0; i < p->blocks; i++) {
        const pn_block *b = &s->t->block[i];
        const double mean = pn_block_mean(p, b), scale = largest > 0 ? 1 / sqrt(fmax(mean, 1e-12 * largest)) : 1;
        for (int k = b->row; k < b->row + b->size; k++) {
            s->scale[k] = k == b->row && kind_of(b) == CONE ? scale / b->mu : scale;
            s->unit = fmax(s->unit, scale * fabs(p->g[k]));
        }
    }
    if (!(s->unit > 0)) s->unit = 1;
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < n; c++) s->A[r * n + c] = s->scale[r] * p->G[r * n + c] * s->scale[c];
        s->A[r * n + r] += (p->R ? s->scale[r] * p->R[r] * s->scale[r] : 0) + RIDGE;
        s->b[r] = s->scale[r] * p->g[r] / s->unit;
    }
}

/* somewhere inside */
static void start(interior *s, double size)
{
    s->cones = 0;
    for (int i = 0; i < s->t->p->blocks; i++) {
        const pn_block *b = &s->t->block[i];
        const kind of = kind_of(b);
        for (int k = b->row; k < b->row + b->size; k++) s->x[k] = s->y[k] = s->z[k] = 0;
        if (of == CONE || of == HALF) s->x[b->row] = s->y[b->row] = size;
        if (of == BOX) s->y[b->row] = s->z[b->row] = size;
        s->cones += of == BOX ? 2 : of == CONE || of == HALF;
    }
}

/* the sum of the products that are to vanish */
static double products(const interior *s, double far)
{
    double sum = 0;
    for (int i = 0; i < s->t->p->blocks; i++) {
        const pn_block *b = &s->t->block[i];
        const kind of = kind_of(b);
        const int k = b->row;
        const double x = s->x[k] + far * s->dx[k], y = s->y[k] + far * s->dy[k];
        if (of == HALF) sum += x * y;
        if (of == BOX) {
            const double bound = bound_of(s, b), z = s->z[k] + far * s->dz[k];
            sum += (bound + x) * y + (bound - x) * z;
        }
        for (int j = k; of == CONE && j < k + 3; j++) sum += (s->x[j] + far * s->dx[j]) * (s->y[j] + far * s->dy[j]);
    }
    return sum;
}

static double determinant(const double x[3])
{
    const double t = pn_length(x[1], x[2]);
    return (x[0] - t) * (x[0] + t);
}

/* W with W x = W^-1 y, and its inverse; both symmetric */
static void scaling(const double x[3], const double y[3], double W[9], double V[9])
{
    const double dx = fmax(determinant(x), DBL_MIN), dy = fmax(determinant(y), DBL_MIN);
    const double eta = sqrt(sqrt(dy / dx)), sx = sqrt(dx), sy = sqrt(dy);
    const double c = sqrt(0.5 * (1 + (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) / (sx * sy)));
    double w[3];
    for (int k = 0; k < 3; k++) w[k] = (y[k] / sy + (k ? -1 : 1) * x[k] / sx) / (2 * c);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const double inner = i && k ? (i == k) + w[i] * w[k] / (1 + w[0]) : w[i + k];
            W[3 * i + k] = eta * inner;
            V[3 * i + k] = (!i != !k ? -inner : inner) / eta;
        }
}

static void times(const double W[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = W[3 * i] * x[0] + W[3 * i + 1] * x[1] + W[3 * i + 2] * x[2];
}

/* a o b, and the d with a o d = r */
static void join(const double a[3], const double b[3], double out[3])
{
    out[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (int k = 1; k < 3; k++) out[k] = a[0] * b[k] + b[0] * a[k];
}

static void part(const double a[3], const double r[3], double out[3])
{
    out[0] = (a[0] * r[0] - a[1] * r[1] - a[2] * r[2]) / fmax(determinant(a), DBL_MIN);
    for (int k = 1; k < 3; k++) out[k] = (r[k] - out[0] * a[k]) / a[0];
}

/* how |y_t| of a contact changes with y_t */
static void slope(const double y[3], double e[2])
{
    const double size = pn_length(y[1], y[2]);
    e[0] = size > 0 ? y[1] / size : 0;
    e[1] = size > 0 ? y[2] / size : 0;
}

/* r = A x + b + |y_t| n - y, what is left of the first equation */
static void residual(interior *s)
{
    for (int k = 0; k < s->n; k++) s->r[k] = pn_dot(s->n, s->A + (size_t)k * (size_t)s->n, s->x) + s->b[k] - s->y[k];
    for (int i = 0; i < s->t->p->blocks; i++) {
        const pn_block *b = &s->t->block[i];
        if (kind_of(b) == CONE) s->r[b->row] += pn_length(s->y[b->row + 1], s->y[b->row + 2]);
        if (kind_of(b) == BOX) s->r[b->row] += s->z[b->row];
    }
}

/* the matrix of dx: (1 + E) A + W^2, E the slopes of |y_t|; zero when it has no factors */
static int factorize(interior *s)
{
    const size_t n = (size_t)s->n;
    memcpy(s->M, s->A, n * n * sizeof *s->M);
    for (int i = 0; i < s->t->p->blocks; i++) {
        const pn_block *b = &s->t->block[i];
        const kind of = kind_of(b);
        const size_t k = (size_t)b->row;
        double *row = s->M + k * n, *own = s->W + 3 * k, V[9], e[2];
        if (of == CONE) {
            slope(s->y + k, e);
            scaling(s->x + k, s->y + k, own, V);
            for (size_t j = 0; j < n; j++) row[j] += e[0] * row[n + j] + e[1] * row[2 * n + j];
            for (size_t r = 0; r < 3; r++)
                for (size_t c = 0; c < 3; c++)
                    for (size_t j = 0; j < 3; j++) row[r * n + k + c] += own[3 * r + j] * own[3 * j + c];
        }
        if (of == HALF) own[0] = s->y[k] / s->x[k];
        if (of == BOX) {
            const double bound = bound_of(s, b);
            own[0] = s->y[k] / (bound + s->x[k]) + s->z[k] / (bound - s->x[k]);
        }
        if (of == HALF || of == BOX) row[k] += own[0];
        /* rows that are nothing */
        for (size_t r = of == HALF ? 1 : 0; (of == HALF || of == NONE) && r < (size_t)b->size; r++) {
            memset(row + r * n, 0, n * sizeof *row);
            row[r * n + k + r] = 1;
        }
    }
    return pn_lu_factor(s->n, s->M, s->pivot);
}

/* What dy is but for -W^2 dx, towards products of m; with `second` the last step's own product is taken off. */
static void aim(interior *s, double m, int second)
{
    for (int i = 0; i < s->t->p->blocks; i++) {
        const pn_block *b = &s->t->block[i];
        const int k = b->row;
        double *out = s->shift + k, W[9], V[9], v[3], rest[3], d[3];
        for (int j = 0; j < b->size; j++) out[j] = 0;
        if (kind_of(b) == CONE) {
            scaling(s->x + k, s->y + k, W, V);
            times(W, s->x + k, v);
            join(v, v, rest);
            for (int j = 0; j < 3; j++) rest[j] = (j ? 0 : m) - rest[j];
            if (second) {
                double from[3], to[3], both[3];
                times(W, s->dx + k, from);
                times(V, s->dy + k, to);
                join(from, to, both);
                for (int j = 0; j < 3; j++) rest[j] -= both[j];
            }
            part(v, rest, d);
            times(W, d, out);
        }
        if (kind_of(b) == HALF) out[0] = (m - second * s->dx[k] * s->dy[k]) / s->x[k] - s->y[k];
        if (kind_of(b) == BOX) {
            const double low = bound_of(s, b) + s->x[k], high = bound_of(s, b) - s->x[k];
            s->side[k] = (m + second * s->dx[k] * s->dz[k]) / high - s->z[k];
            out[0] = (m - second * s->dx[k] * s->dy[k]) / low - s->y[k] - s->side[k];
        }
    }
}

/* the step: dx from the factors, then dy, and dz of frictions */
static void step(interior *s)
{
    for (int k = 0; k < s->n; k++) s->dx[k] = s->shift[k] - s->r[k];
    for (int i = 0; i < s->t->p->blocks; i++) {
        const pn_block *b = &s->t->block[i];
        const int k = b->row;
        double e[2];
        if (kind_of(b) == CONE) {
            slope(s->y + k, e);
            s->dx[k] -= e[0] * s->r[k + 1] + e[1] * s->r[k + 2];
        }
        const int nothing = kind_of(b) == NONE ? 0 : kind_of(b) == HALF ? 1 : b->size; /* from that row on */
        for (int j = nothing; j < b->size; j++) s->dx[k + j] = 0;
    }
    pn_lu_solve(s->n, s->M, s->pivot, s->dx);
    for (int i = 0; i < s->t->p->blocks; i++) {
        const pn_block *b = &s->t->block[i];
        const int k = b->row;
        double once[3], twice[3];
        for (int j = 0; j < b->size; j++) s->dy[k + j] = s->dz[k + j] = 0;
        if (kind_of(b) == CONE) {
            times(s->W + 3 * k, s->dx + k, once);
            times(s->W + 3 * k, once, twice);
            for (int j = 0; j < 3; j++) s->dy[k + j] = s->shift[k + j] - twice[j];
        }
        if (kind_of(b) == HALF) s->dy[k] = s->shift[k] - s->W[3 * k] * s->dx[k];
        if (kind_of(b) == BOX) {
            const double low = bound_of(s, b) + s->x[k], high = bound_of(s, b) - s->x[k];
            s->dy[k] = s->shift[k] + s->side[k] - s->y[k] / low * s->dx[k];
            s->dz[k] = s->side[k] + s->z[k] / high * s->dx[k];
        }
    }
}

/* how far x may go along d until it leaves the half line, or the cone */
static double until(double most, double x, double d)
{
    return d < 0 ? fmin(most, -x / d) : most;
}

static double until_cone(double most, const double x[3], const double d[3])
{
    const double a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    const double c = fmax(determinant(x), 0), root = b * b - a * c;
    most = until(most, x[0], d[0]);
    if (a > 0 && (b >= 0 || root < 0)) return most; /* into the cone, or past nothing */
    const double by = -b + sqrt(fmax(root, 0)); /* c + 2 b f + a f^2 = 0, its least f > 0 is c / (-b + sqrt) */
    return by > 0 ? fmin(most, c / by) : most;
}

static double reach(const interior *s)
{
    double most = 1 / INSIDE;
    for (int i = 0; i < s->t->p->blocks; i++) {
        const pn_block *b = &s->t->block[i];
        const int k = b->row;
        const kind of = kind_of(b);
        if (of == CONE) most = until_cone(until_cone(most, s->x + k, s->dx + k), s->y + k, s->dy + k);
        if (of == HALF) most = until(until(most, s->x[k], s->dx[k]), s->y[k], s->dy[k]);
        if (of != BOX) continue;
        most = until(until(most, bound_of(s, b) + s->x[k], s->dx[k]), s->y[k], s->dy[k]);
        most = until(until(most, bound_of(s, b) - s->x[k], -s->dx[k]), s->z[k], s->dz[k]);
    }
    return fmin(1, INSIDE * most);
}

/* lambda within the laws, and its velocities; whether they are a solution */
static int is_there(const interior *s, double *lambda, double *u)
{
    for (int k = 0; k < s->n; k++) lambda[k] = s->unit * s->scale[k] * s->x[k];
    for (int i = 0; i < s->t->p->blocks; i++) pn_block_project(&s->t->block[i], 1, lambda + s->t->block[i].row);
    pn_contact_velocity(s->t, lambda, u);
    return pn_contact_natural(s->t, lambda, u) <= pn_contact_goal(s->t, lambda);
}

int pn_contact_interior(const pn_contact_task *t, double *lambda, double *u)
{
    const size_t n = (size_t)t->p->rows;
    double *m = t->memory;
    interior s = {t, t->p->rows, 0, 1, t->square[0], t->square[1], m, m + n, m + 2 * n, m + 3 * n, m + 4 * n, m + 5 * n,
                  m + 6 * n, m + 7 * n, m + 8 * n, m + 9 * n, m + 10 * n, m + 11 * n,
                  (int *)(void *)(m + 14 * n)};
    int turn = 0, tries = 0;
    open_interior(&s);
    start(&s, 1);
    while (turn < TURNS && turn < t->iterations) {
        turn++;
        residual(&s);
        if (!factorize(&s)) {
            if (++tries > RESTARTS) break;
            start(&s, pow(FARTHER, tries));
            continue;
        }
        for (size_t k = 0; k < n; k++) s.dx[k] = s.dy[k] = s.dz[k] = 0;
        const double now = products(&s, 0) / fmax(s.cones, 1);
        aim(&s, 0, 0);
        step(&s);
        const double left = products(&s, reach(&s)) / fmax(s.cones, 1) / fmax(now, DBL_MIN);
        aim(&s, fmax(now * fmin(1, left * left * left), LEAST), 1);
        step(&s);
        const double far = reach(&s);
        for (size_t k = 0; k < n; k++) {
            s.x[k] += far * s.dx[k];
            s.y[k] += far * s.dy[k];
            s.z[k] += far * s.dz[k];
        }
        if (is_there(&s, lambda, u)) return turn;
        if (!(far > NO_STEP)) {
            if (++tries > RESTARTS) break;
            start(&s, pow(FARTHER, tries));
        }
    }
    (void)is_there(&s, lambda, u);
    return turn;
}
