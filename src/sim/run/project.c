/* Projection onto the constraints phi(q, t) = 0 and L(q) v = gdot(t), in the metric of the mass matrix M = C
 * C'.
 *
 * With x = C' delta the nearest point is the x of least length with W x = -phi, W = L C^-T. The rows of W are
 * scaled and made orthonormal one by one, the longest remainder first, those of positions before those of
 * velocities alone. A row of no remainder depends on the others. Near a singular position the remainder is
 * short, and what the row says about the direction in which it would correct is a quotient of two small
 * numbers: rounding would be turned into motion. Such a row is left alone until it is off by more than
 * rounding, which in passing it is not. */
#include "sim/run/project.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"

#define FLOOR 0.1      /* of what a row could be */
#define DEPENDENT 1e-6 /* a remainder so short is rounding */
#define LONGER (1 + 1e-6) /* times another: of rows that are as long the first is taken, not what rounding says */
#define WEAK 1e-3      /* one so short tells a direction badly */
#define EXCUSED 1e-9   /* of what rows could be, also per s: how far a weak one may be off */
#define CLOSE 1e-8     /* from here one step of Newton's method leads to rounding */
#define FAR 1e-6       /* what stays farther open is a failure */
#define ROUNDED 1e-3   /* and by so much where rounded data keep loops open */
#define ROUNDS 10
#define GAINS 0.5      /* of what was open before: Newton's method leaves far less */
/* a pivot of M is rounding where it is a smaller share of its diagonal or of the largest: it becomes a small mass */
#define PIVOT_OWN 1e-12
#define PIVOT_MOST 1e-14
#define SOME_MASS 1e-6 /* of the largest: in the metric hardly any, and well above rounding */

struct pn_projection {
    int nq, nv, rows;
    int holonomic; /* rows of positions that were taken, the first of `taken` */
    int rank;      /* rows that were taken */
    int most;      /* rows that may be: fewer than all where data are rounded; -1: not known yet */
    int *taken;    /* [rows] which, in their order */
    int *moving;   /* [rows] nonzero: a constraint on velocities alone */
    int *done;     /* [rows] nonzero: among those taken */
    double *q, *v; /* [nq], [nv] the state on its way */
    double *next;  /* [nq] */
    double *phi;   /* [rows] also of rates */
    double *scale; /* [rows] by which each row of W is multiplied; 0: there is none */
    double *size;  /* [rows] how long each row of L could be, */
    double *unit;  /* [nv] with velocities in these: what is open is told as a part of it */
    double *L;     /* [rows][nv], then W */
    double *C;     /* [nv][nv] M = C C', by the units */
    double *Q;     /* [rows][nv] orthonormal */
    double *R;     /* [rows][rows] row i of W in terms of Q */
    double *c;     /* [rows] */
    double *x;     /* [nv] */
    double *numbers;
};

pn_projection *pn_projection_new(const pinion_model *m)
{
    pn_projection *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->nq = pinion_model_nq(m);
    p->nv = pinion_model_nv(m);
    p->rows = pinion_model_row_count(m);
    p->most = -1;
    const size_t nq = (size_t)p->nq, nv = (size_t)p->nv, rows = (size_t)p->rows;
    p->taken = calloc(3 * rows + 1, sizeof *p->taken);
    double *x = p->numbers =
        calloc(2 * nq + 3 * nv + 4 * rows + 2 * rows * nv + nv * nv + rows * rows + 1, sizeof *x);
    if (!p->taken || !x) {
        pn_projection_free(p);
        return NULL;
    }
    p->moving = p->taken + rows;
    p->done = p->moving + rows;
    p->q = x;
    p->next = x += nq;
    p->v = x += nq;
    p->x = x += nv;
    p->phi = x += nv;
    p->scale = x += rows;
    p->c = x += rows;
    p->size = x += rows;
    p->unit = x += rows;
    p->L = x += nv;
    p->Q = x += rows * nv;
    p->C = x += rows * nv;
    p->R = x + nv * nv;

    /* the last rows of a loop may be of velocities alone */
    for (int i = 0; i < pinion_model_loop_count(m); i++) {
        pinion_loop_info loop;
        if (pinion_model_loop(m, i, &loop) != PINION_OK) continue;
        for (int k = loop.rows - loop.nonholonomic; k < loop.rows; k++) p->moving[loop.row + k] = 1;
    }
    return p;
}

void pn_projection_free(pn_projection *p)
{
    if (!p) return;
    free(p->taken);
    free(p->numbers);
    free(p);
}

/* ---------------------------------------------------------------------------------------------
 * The rows at a configuration */

/* M = C C' in place, in the lower half. Massless coordinates get some mass: any metric will do there. */
static void factor_mass(int n, double *C)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, C[i * n + i]);
    if (!(most > 0)) most = 1;
    for (int i = 0; i < n; i++) {
        double *row = C + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++) {
            const double *other = C + (size_t)j * (size_t)n;
            row[j] = (row[j] - pn_dot(j, row, other)) / other[j];
        }
        const double own = row[i], rest = own - pn_dot(i, row, row);
        row[i] = sqrt(rest > PIVOT_OWN * own && rest > PIVOT_MOST * most ? rest : SOME_MASS * most);
    }
}

/* The row of W that L's becomes: C^-1 times it. Returns its length. */
static double turn_row(int n, const double *C, double *w)
{
    for (int i = 0; i < n; i++) {
        const double *row = C + (size_t)i * (size_t)n;
        w[i] = (w[i] - pn_dot(i, row, w)) / row[i];
    }
    return sqrt(pn_dot(n, w, w));
}

/* Rows have different units: each is measured by its own length, but not by less than a part of what it could be, or
 * one that vanishes at a singular position would not show it. c has the lengths of rows of L. */
static void scale_rows(pn_projection *p)
{
    for (int i = 0; i < p->rows; i++) {
        double *w = p->L + (size_t)i * (size_t)p->nv;
        const double could_be = p->c[i] > 0 ? p->scale[i] / p->c[i] * p->size[i] : 0;
        const double length = fmax(p->scale[i], FLOOR * could_be);
        p->scale[i] = p->scale[i] > DEPENDENT * length && isfinite(length) ? 1 / length : 0;
        for (int k = 0; k < p->nv; k++) w[k] *= p->scale[i];
    }
}

/* Takes rows of one kind into Q, the longest remainder first. L holds the remainders. */
static void take_rows(pn_projection *p, int moving)
{
    const int n = p->nv, rows = p->rows;
    for (;;) {
        int best = -1;
        double longest = DEPENDENT;
        for (int i = 0; i < rows; i++) {
            if (p->done[i] || p->moving[i] != moving || p->scale[i] == 0) continue;
            const double *w = p->L + (size_t)i * (size_t)n, length = sqrt(pn_dot(n, w, w));
            if (length > longest * (best < 0 ? 1 : LONGER)) longest = length, best = i;
        }
        if (best < 0 || p->rank == n || p->rank == p->most) return;

        /* its direction, orthogonal to the others to rounding */
        double *q = p->Q + (size_t)p->rank * (size_t)n, *r = p->R + (size_t)best * (size_t)rows;
        memcpy(q, p->L + (size_t)best * (size_t)n, (size_t)n * sizeof *q);
        for (int j = 0; j < p->rank; j++) {
            const double *other = p->Q + (size_t)j * (size_t)n, more = pn_dot(n, q, other);
            r[j] += more;
            for (int k = 0; k < n; k++) q[k] -= more * other[k];
        }
        const double length = sqrt(pn_dot(n, q, q));
        r[p->rank] = length;
        for (int k = 0; k < n; k++) q[k] /= length;
        p->done[best] = 1;

        /* what is left of the others */
        for (int i = 0; i < rows; i++) {
            if (p->done[i] || p->scale[i] == 0) continue;
            double *w = p->L + (size_t)i * (size_t)n;
            const double along = pn_dot(n, w, q);
            p->R[(size_t)i * (size_t)rows + (size_t)p->rank] = along;
            for (int k = 0; k < n; k++) w[k] -= along * q[k];
        }
        p->taken[p->rank++] = best;
    }
}

/* Everything that corrections need, from L and the mass matrix at p->q. */
static pinion_status prepare(pn_projection *p, const pinion_model *m, pinion_work *w)
{
    pinion_status status = pinion_mass_matrix(m, w, p->q, p->C);
    if (status == PINION_OK) status = pinion_constraint_sizes(m, w, p->q, p->size, p->unit);
    if (status != PINION_OK) return status;
    for (int i = 0; i < p->nv * p->nv; i++) p->C[i] *= p->unit[i / p->nv] * p->unit[i % p->nv];
    factor_mass(p->nv, p->C);
    for (int i = 0; i < p->rows; i++) {
        double *row = p->L + (size_t)i * (size_t)p->nv;
        for (int k = 0; k < p->nv; k++) row[k] *= p->unit[k];
        p->c[i] = sqrt(pn_dot(p->nv, row, row));
        if (!(p->size[i] > 0)) p->size[i] = 1;
        p->scale[i] = turn_row(p->nv, p->C, row);
        p->done[i] = 0;
    }
    scale_rows(p);
    memset(p->R, 0, (size_t)p->rows * (size_t)p->rows * sizeof *p->R);
    p->rank = 0;
    take_rows(p, 0);
    p->holonomic = p->rank;
    take_rows(p, 1);
    return PINION_OK;
}

/* delta = C'^-1 x, in place, out of the units of velocities */
static void turn_back(const pn_projection *p, double *x)
{
    const int n = p->nv;
    for (int i = n - 1; i >= 0; i--) {
        double rest = x[i];
        for (int j = i + 1; j < n; j++) rest -= p->C[(size_t)j * (size_t)n + (size_t)i] * x[j];
        x[i] = rest / p->C[(size_t)i * (size_t)n + (size_t)i];
    }
    for (int i = 0; i < n; i++) x[i] *= p->unit[i];
}

/* x = C' delta, in place, into these units */
static void turn_forth(const pn_projection *p, double *x)
{
    const int n = p->nv;
    for (int i = 0; i < n; i++) x[i] /= p->unit[i];
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = i; j < n; j++) sum += p->C[(size_t)j * (size_t)n + (size_t)i] * x[j];
        x[i] = sum;
    }
}

/* x = the least correction, in the coordinates of the model, after which the first `count` rows taken are
 * zero where they are now p->phi. Weak rows may be off by `excused`. */
static void correction(pn_projection *p, int count, double excused)
{
    const int n = p->nv;
    memset(p->x, 0, (size_t)n * sizeof *p->x);
    for (int k = 0; k < count; k++) {
        const int i = p->taken[k];
        const double *r = p->R + (size_t)i * (size_t)p->rows, *q = p->Q + (size_t)k * (size_t)n;
        const double rest = -p->scale[i] * p->phi[i] - pn_dot(k, r, p->c);
        p->c[k] = r[k] < WEAK && fabs(rest) <= excused * p->scale[i] * p->size[i] ? 0 : rest / r[k];
        for (int j = 0; j < n; j++) p->x[j] += p->c[k] * q[j];
    }

    turn_back(p, p->x);
}

/* of what is measured in `unit`; NaN where one entry is */
static double largest(int n, const double *x, const double *unit)
{
    double most = 0;
    for (int i = 0; i < n && !isnan(most); i++)
        if (!(fabs(x[i]) <= most * unit[i])) most = fabs(x[i]) / unit[i];
    return most;
}

/* ---------------------------------------------------------------------------------------------
 * Newton's method */

/* How many rows count at p->q. Where some do not it is so wherever the loops move, and those with the longest
 * remainders are the others. */
static void count_rows(pn_projection *p, const pinion_model *m, pinion_work *w, double t)
{
    pinion_mobility mobility;
    pinion_assembly closed;
    if (p->most >= 0) return;
    p->most = p->rows;
    if (pinion_mobility_at(m, w, t, p->q, &mobility) != PINION_OK) return;
    memcpy(p->next, p->q, (size_t)p->nq * sizeof *p->next);
    if (mobility.rounded ||
        (pinion_assemble(m, w, t, NULL, p->next, &closed) == PINION_OK && closed.doubt > 0 && closed.open > 0))
        p->most = mobility.rank;
}

int pn_projection_rounded(pn_projection *p, const pinion_model *m, pinion_work *w, double t, const double *q)
{
    memcpy(p->q, q, (size_t)p->nq * sizeof *p->q);
    count_rows(p, m, w, t);
    return p->most < p->rows;
}

/* How far the rows that count are open, of what they could be; INFINITY where another one is so by more than data are
 * rounded. */
static double open_by(const pn_projection *p)
{
    double open = 0;
    for (int i = 0; i < p->rows; i++) {
        const double x = fabs(p->phi[i]) / p->size[i];
        if (!(x <= ROUNDED) && (isnan(x) || p->most < p->rows)) return INFINITY;
        if ((p->done[i] || p->most == p->rows) && x > open) open = x;
    }
    return open;
}

/* p->q onto the constraints; on return the rows are those of a place that is CLOSE. */
static pinion_status close_loops(pn_projection *p, const pinion_model *m, pinion_work *w, double t)
{
    const pinion_constraints wanted = {p->phi, p->L, NULL, NULL};
    double last = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        pinion_status status = pinion_constraints_at(m, w, t, p->q, NULL, &wanted);
        if (status == PINION_OK) status = prepare(p, m, w);
        if (status != PINION_OK) return status;
        const double open = open_by(p);
        if (!isfinite(open) || (open > FAR && open > GAINS * last)) return PINION_ERR_CONVERGENCE;
        correction(p, p->holonomic, EXCUSED);
        status = pinion_integrate(m, p->q, p->x, 1, p->next);
        if (status != PINION_OK) return status;
        memcpy(p->q, p->next, (size_t)p->nq * sizeof *p->q);

        /* near a singular position the rest does not become less */
        if (open <= CLOSE || open > GAINS * last) return PINION_OK;
        last = open;
    }
    return last > FAR ? PINION_ERR_CONVERGENCE : PINION_OK;
}

/* p->v onto the constraints at p->q, with the rows that are there. They are linear in v: what a second round
 * corrects is that the rows belong to a place nearby. */
static pinion_status match_velocities(pn_projection *p, const pinion_model *m, pinion_work *w, double t)
{
    const pinion_constraints wanted = {NULL, NULL, p->phi, NULL};
    for (int round = 0; round < 2; round++) {
        const pinion_status status = pinion_constraints_at(m, w, t, p->q, p->v, &wanted);
        if (status != PINION_OK) return status;
        const double off = largest(p->rows, p->phi, p->size);
        if (!isfinite(off)) return PINION_ERR_CONVERGENCE;
        correction(p, p->rank, EXCUSED * (1 + largest(p->nv, p->v, p->unit)));
        for (int i = 0; i < p->nv; i++) p->v[i] += p->x[i];
        if (off <= CLOSE) break;
    }
    return PINION_OK;
}

pinion_status pn_projection_apply(pn_projection *p, const pinion_model *m, pinion_work *w, double t,
                                  double *q, double *v)
{
    const size_t nq = (size_t)p->nq * sizeof *q, nv = (size_t)p->nv * sizeof *v;
    memcpy(p->q, q, nq);
    memcpy(p->v, v, nv);
    count_rows(p, m, w, t);
    pinion_status status = close_loops(p, m, w, t);
    if (status == PINION_OK) status = match_velocities(p, m, w, t);
    if (status != PINION_OK) return status;
    memcpy(q, p->q, nq);
    memcpy(v, p->v, nv);
    return PINION_OK;
}

double pn_projection_weakest(const pn_projection *p)
{
    double least = 1;
    for (int k = 0; k < p->rank; k++)
        least = fmin(least, p->R[(size_t)p->taken[k] * (size_t)p->rows + (size_t)k]);
    return least;
}

void pn_projection_tangent(const pn_projection *p, int moving, double below, double *change)
{
    const int n = p->nv, count = moving ? p->rank : p->holonomic;
    turn_forth(p, change);
    for (int k = 0; k < count; k++) {
        const double *q = p->Q + (size_t)k * (size_t)n;
        if (!(p->R[(size_t)p->taken[k] * (size_t)p->rows + (size_t)k] < below)) continue;
        const double along = pn_dot(n, q, change);
        for (int i = 0; i < n; i++) change[i] -= along * q[i];
    }
    turn_back(p, change);
}
