/* The problem as if nothing slid: rows of blocks that press are at rest, which is one symmetric system of equations.
 * Blocks that would pull let go, joints whose friction is not enough slide, what would go too deep presses; after a few
 * turns of that a machine that stands is solved. Where contacts slide it is not. */
#include <math.h>
#include <string.h>
#define PN_T double
#include "contact/solve/contact_solvers.h"
#include "solve/dense_symmetric.inc"

#define TURNS 5       /* of who presses */
#define REFINEMENTS 6 /* of a solution */
#define FAR 1e-5      /* of the goal: a turn more gains nine digits */
#define RIDGE 1e-9    /* of the mean diagonal: forces that are not determined */

typedef struct direct {
    const pn_contact_task *t;
    int n;        /* rows at rest, */
    int *row;     /* which they are */
    double *A;    /* [n][n] factor */
    double *rest; /* [n] */
    double *side; /* [blocks] 1: at rest; 0: open; a friction that slides: 2 or -2, the side of its impulse */
} direct;

/* the factor of the rows that are at rest; 0 where they have none */
static int factorize(direct *d)
{
    const pinion_contact_problem *p = d->t->p;
    double trace = 0;
    d->n = 0;
    for (int i = 0; i < p->blocks; i++)
        for (int k = 0; k < d->t->block[i].size && d->side[i] == 1; k++) d->row[d->n++] = d->t->block[i].row + k;
    const size_t n = (size_t)d->n, all = (size_t)p->rows;
    for (size_t r = 0; r < n; r++) {
        const double *G = p->G + (size_t)d->row[r] * all;
        for (size_t c = 0; c < n; c++) d->A[r * n + c] = G[d->row[c]];
        if (p->R) d->A[r * n + r] += p->R[d->row[r]];
        trace += d->A[r * n + r];
    }
    for (size_t r = 0; r < n; r++) d->A[r * n + r] += RIDGE * trace / (double)n;
    return d->n == 0 || cholesky_factor(d->n, d->A) > 0;
}

/* impulses that bring these rows to rest, refined until they do but for rounding; their velocities */
static void rest(direct *d, double *lambda, double *u)
{
    const pn_contact_task *t = d->t;
    for (int i = 0; i < t->p->blocks; i++) {
        const pn_block *b = &t->block[i];
        for (int k = 0; k < b->size; k++) lambda[b->row + k] = fabs(d->side[i]) > 1 ? 0.5 * d->side[i] * b->mu : 0;
    }
    double before = INFINITY;
    pn_contact_velocity(t, lambda, u);
    for (int turn = 0; turn < REFINEMENTS; turn++) {
        double most = 0;
        for (int r = 0; r < d->n; r++) {
            d->rest[r] = -u[d->row[r]];
            most = fmax(most, fabs(d->rest[r]));
        }
        if (!(most > FAR * t->goal) || !(most < 0.5 * before)) break;
        before = most;
        cholesky_forward(d->n, d->A, d->rest);
        cholesky_backward(d->n, d->A, d->rest);
        for (int r = 0; r < d->n; r++) lambda[d->row[r]] += d->rest[r];
        pn_contact_velocity(t, lambda, u);
    }
}

/* who is to be at rest instead; how many change */
static int change(direct *d, const double *lambda, const double *u)
{
    int changes = 0;
    for (int i = 0; i < d->t->p->blocks; i++) {
        const pn_block *b = &d->t->block[i];
        const double x = lambda[b->row], speed = u[b->row], was = d->side[i];
        double *now = &d->side[i];
        if (b->law == PINION_CONTACT_FRICTION) {
            if (was == 1 && fabs(x) > b->mu) *now = x > 0 ? 2 : -2;
            if (was != 1 && speed * was > 0) *now = 1;
        } else if (b->law != PINION_CONTACT_EQUALITY) {
            if (was == 1 && x < 0) *now = 0;
            if (was == 0 && speed < -d->t->goal) *now = 1;
        }
        changes += *now != was;
    }
    return changes;
}

int pn_contact_direct(const pn_contact_task *t, double *lambda, double *u)
{
    direct d = {t, 0, t->index, t->square[0], t->vector[0], t->vector[1]};
    for (int i = 0; i < t->p->blocks; i++) {
        const pn_block *b = &t->block[i];
        d.side[i] = b->law == PINION_CONTACT_EQUALITY || b->law == PINION_CONTACT_FRICTION || t->p->g[b->row] < 0;
    }
    for (int turn = 0; turn < TURNS; turn++) {
        if (!factorize(&d)) return 0;
        rest(&d, lambda, u);
        if (!change(&d, lambda, u)) break;
    }
    for (int i = 0; i < t->p->blocks; i++) pn_block_project(&t->block[i], 1, lambda + t->block[i].row);
    pn_contact_velocity(t, lambda, u);
    return pn_contact_natural(t, lambda, u) <= pn_contact_goal(t, lambda);
}
