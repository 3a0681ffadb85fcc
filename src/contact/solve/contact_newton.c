/* Newton's method on the natural map F = (lambda - P(lambda - rho u~)) / rho, with the derivative that P has where it
 * has one (Alart & Curnier 1991; Qi & Sun 1993). It finishes what a solver has begun: contacts that slide very slowly
 * make fixed points very slow. Forces that are not determined make F' singular: steps are those of least norm. */
#include <math.h>
#include <string.h>
#define PN_T double
#include "base/lu.h"
#include "contact/solve/contact_solvers.h"
#include "contact/solve/contact_sums.h"
#include "solve/dense_orthogonal.inc"

#define TURNS 30
#define HALVINGS 8
#define RIDGE 1e-7     /* of the mean diagonal: compliance that goes to zero */
#define QUICK_TURNS 15 /* with it: where it works it is quick */
#define PARTS 3        /* of a step that are tried: all, half, a quarter */
#define JUMPS 5        /* steps that are taken all the same */
#define CENTRES 4      /* around which it is taken, one after the other */
#define SHARPER 1e-3   /* times the goal: what compliance decides on is small */
#define SINGULAR 1e-13 /* of the longest column: what is left of others is dependent on them */

/* the derivative of the cone's projection at x */
static void project_slope(double mu, const double x[3], double D[9])
{
    const double t = pn_length(x[1], x[2]), n = (x[0] + mu * t) / (1 + mu * mu);
    memset(D, 0, 9 * sizeof *D);
    if (x[0] >= 0 && t <= mu * x[0]) {
        D[0] = D[4] = D[8] = 1;
        return;
    }
    if (!(n > 0)) return;
    const double c = t > 0 ? x[1] / t : 1, d = t > 0 ? x[2] / t : 0, s = 1 / (1 + mu * mu);
    const double across = t > 0 ? mu * n / t : 0, row[3] = {s, s * mu * c, s * mu * d};
    for (int k = 0; k < 3; k++) {
        D[k] = row[k];
        D[3 + k] = mu * c * row[k];
        D[6 + k] = mu * d * row[k];
    }
    D[4] += across * (1 - c * c);
    D[5] -= across * c * d;
    D[7] -= across * c * d;
    D[8] += across * (1 - d * d);
}

/* P' and P' times what De Saxce's correction makes of velocities, of one block at x = lambda - rho u~ */
static void block_slopes(const pn_block *b, const double *u, const double x[3], double D[9], double K[9])
{
    memset(D, 0, 9 * sizeof *D);
    if (b->size == 1) {
        D[0] = b->law == PINION_CONTACT_LIMIT ? x[0] > 0 : b->law == PINION_CONTACT_FRICTION ? fabs(x[0]) < b->mu : 1;
        K[0] = D[0];
        return;
    }
    const double slip = pn_length(u[1], u[2]);
    project_slope(b->mu, x, D);
    for (int r = 0; r < 3; r++) {
        K[3 * r] = D[3 * r];
        for (int c = 1; c < 3; c++) K[3 * r + c] = D[3 * r + c] + (slip > 0 ? D[3 * r] * b->mu * u[c] / slip : 0);
    }
}

/* F of lambda, whose velocities are u; its slopes into A where that is not NULL, and what P' is not zero of, 1 for each
 * block, else 0, into `moves` where that is not NULL: the rows of the others are not written. Returns |F|. */
static double natural_map(const pn_contact_task *t, const double *lambda, const double *u, double *F, double *A,
                          double *moves)
{
    const pinion_contact_problem *p = t->p;
    const size_t n = (size_t)p->rows;
    for (int i = 0; i < p->blocks; i++) {
        const pn_block *b = &t->block[i];
        const double mean = fmax(pn_block_mean(p, b), 1e-300), rho = 1 / mean, *own = u + b->row;
        double x[3] = {0, 0, 0}, y[3], D[9], K[9];
        for (int k = 0; k < b->size; k++) x[k] = lambda[b->row + k] - rho * own[k];
        x[0] -= rho * pn_block_correction(b, own);
        memcpy(y, x, sizeof y);
        pn_block_project(b, 1, y);
        for (int k = 0; k < b->size; k++) F[b->row + k] = (lambda[b->row + k] - y[k]) * mean;
        if (!A) continue;
        block_slopes(b, own, x, D, K);
        if (moves) {
            moves[i] = D[0] != 0 || (b->size == 3 && (D[4] != 0 || D[8] != 0));
            if (moves[i] == 0) continue;
        }
        for (int r = 0; r < b->size; r++) {
            double *row = A + (size_t)(b->row + r) * n;
            memset(row, 0, n * sizeof *row);
            for (int k = 0; k < b->size; k++) {
                const double *G = p->G + (size_t)(b->row + k) * n, share = K[b->size * r + k];
                for (size_t c = 0; c < n; c++) row[c] += share * G[c];
                if (p->R) row[b->row + k] += share * p->R[b->row + k];
            }
            for (int c = 0; c < b->size; c++) row[b->row + c] += mean * ((r == c) - D[b->size * r + c]);
        }
    }
    return sqrt(pn_dot_sum(p->rows, F, F));
}

int pn_contact_newton(const pn_contact_task *t, double *lambda, double *u)
{
    const int n = t->p->rows;
    const size_t bytes = (size_t)n * sizeof *lambda;
    double *A = t->square[0], *F = t->vector[5], *step = t->vector[6], *next = t->vector[7], *rates = t->vector[8];
    for (int turn = 0; turn < TURNS; turn++) {
        double size = natural_map(t, lambda, u, F, A, NULL), share = 1;
        qr f = qr_open(n, n, A, t->vector[0]); /* vectors 0 to 4, which follow each other */
        qr_factor(&f, SINGULAR);
        qr_complete(&f);
        qr_least_squares(&f, F, step);
        int better = 0;
        for (int k = 0; k < HALVINGS && !better; k++, share *= 0.5) {
            for (int j = 0; j < n; j++) next[j] = lambda[j] - share * step[j];
            pn_contact_velocity(t, next, rates);
            better = natural_map(t, next, rates, F, NULL, NULL) < (1 - 0.1 * share) * size;
        }
        if (!better) return 0;
        memcpy(lambda, next, bytes);
        for (int i = 0; i < t->p->blocks; i++) pn_block_project(&t->block[i], 1, lambda + t->block[i].row);
        pn_contact_velocity(t, lambda, u);
        if (pn_contact_natural(t, lambda, u) <= pn_contact_goal(t, lambda)) return 1;
    }
    return 0;
}

/* Newton's step by LU, which compliance allows for: `step` is F, and becomes F'^-1 F. Blocks whose impulses are to be
 * P alone, as of open contacts, are taken out first. 0 where there is none. */
static int quick_step(const pn_contact_task *t, const double *A, const double *moves, double *step)
{
    const size_t n = (size_t)t->p->rows;
    double *B = t->square[1], *out = t->memory, *side = t->memory + n;
    int *row = (int *)(void *)(t->memory + 2 * n), m = 0;
    for (int i = 0; i < t->p->blocks; i++) {
        const pn_block *b = &t->block[i];
        const double mean = fmax(pn_block_mean(t->p, b), 1e-300);
        for (int k = b->row; k < b->row + b->size; k++) {
            if (moves[i] == 0) step[k] /= mean;
            out[k] = moves[i] == 0 ? step[k] : 0;
            if (moves[i] != 0) row[m++] = k;
        }
    }
    for (int r = 0; r < m; r++) {
        const double *from = A + (size_t)row[r] * n;
        side[r] = step[row[r]] - (m < (int)n ? pn_dot_sum((int)n, from, out) : 0);
        for (int c = 0; c < m; c++) B[r * m + c] = from[row[c]];
    }
    if (!pn_lu_factor(m, B, t->index)) return 0;
    pn_lu_solve(m, B, t->index, side);
    for (int r = 0; r < m; r++) step[row[r]] = side[r];
    return 1;
}

/* Newton's steps with compliance; nonzero when `natural` is at most the goal. Where no part of a step makes |F| less,
 * as at the corners of contacts that hardly slide, half of it is taken all the same, a few times. */
static int newton_quickly(const pn_contact_task *t, double *lambda, double *u, int *iterations)
{
    const int n = t->p->rows;
    const size_t bytes = (size_t)n * sizeof *lambda;
    double *A = t->square[0], *step = t->vector[5], *F = t->vector[6], *next = t->vector[7], *rates = t->vector[8];
    double *slope = t->vector[4], *moves = t->vector[3];
    int jumps = 0;
    for (int turn = 0; turn < QUICK_TURNS; turn++) {
        if (pn_contact_natural(t, lambda, u) <= pn_contact_goal(t, lambda)) return 1;
        const double size = natural_map(t, lambda, u, step, A, moves);
        double share = 1;
        int better = 0;
        ++*iterations;
        if (!quick_step(t, A, moves, step)) return 0;
        memset(slope, 0, bytes);
        for (int i = 0; i < t->p->blocks; i++) pn_block_act(t->p, &t->block[i], step + t->block[i].row, slope);
        for (int k = 0; k <= PARTS && !better; k++) {
            share = k < PARTS ? share : 0.5; /* that of a jump */
            for (int j = 0; j < n; j++) {
                next[j] = lambda[j] - share * step[j];
                rates[j] = u[j] - share * slope[j];
            }
            share *= 0.5;
            if (k < PARTS) better = natural_map(t, next, rates, F, NULL, NULL) < (1 - 0.2 * share) * size;
        }
        if (!better && jumps++ >= JUMPS) break;
        memcpy(lambda, next, bytes);
        memcpy(u, rates, bytes);
    }
    pn_contact_velocity(t, lambda, u);
    return pn_contact_natural(t, lambda, u) <= pn_contact_goal(t, lambda);
}

int pn_contact_nullity(const pn_contact_task *t, const double *lambda, const double *u)
{
    const int n = t->p->rows;
    (void)natural_map(t, lambda, u, t->vector[5], t->square[0], NULL);
    /* rows are velocities by impulses, which differ with the masses */
    for (int i = 0; i < t->p->blocks; i++) {
        const pn_block *b = &t->block[i];
        const double share = 1 / fmax(pn_block_mean(t->p, b), 1e-300);
        for (int k = b->row; k < b->row + b->size; k++)
            for (int c = 0; c < n; c++) t->square[0][(size_t)k * (size_t)n + (size_t)c] *= share;
    }
    qr f = qr_open(n, n, t->square[0], t->vector[0]);
    qr_factor(&f, pn_contact_dependent(t, lambda, u));
    return n - f.rank;
}

int pn_contact_proximal(const pn_contact_task *t, double *lambda, double *u, int *iterations)
{
    const int n = t->p->rows;
    double *R = t->vector[9], *g = t->vector[10], ridge = 0;
    pinion_contact_problem p = *t->p;
    pn_contact_task near = *t;
    for (int k = 0; k < n; k++) ridge += RIDGE / n * (p.G[(size_t)k * (size_t)(n + 1)] + (p.R ? p.R[k] : 0));
    for (int k = 0; k < n; k++) {
        R[k] = ridge + (p.R ? p.R[k] : 0);
        g[k] = p.g[k];
    }
    p.R = R;
    p.g = g;
    near.p = &p;
    near.goal = SHARPER * t->goal;
    for (int centre = 0; centre < CENTRES; centre++) {
        pn_contact_velocity(&near, lambda, u);
        const int settled = newton_quickly(&near, lambda, u, iterations);
        if (!settled && !(pn_contact_natural(&near, lambda, u) <= pn_contact_goal(t, lambda))) return 0;
        for (int i = 0; i < p.blocks; i++) pn_block_project(&t->block[i], 1, lambda + t->block[i].row);
        pn_contact_velocity(t, lambda, u);
        if (pn_contact_natural(t, lambda, u) <= pn_contact_goal(&near, lambda)) return 1;
        for (int k = 0; k < n; k++) g[k] = t->p->g[k] - ridge * lambda[k];
    }
    return pn_contact_natural(t, lambda, u) <= pn_contact_goal(t, lambda);
}
