/* ADMM on De Saxce's form of the problem, with a penalty that adapts (Carpentier, Le Lidec & Montaut 2024, "From
 * compliant to rigid contact simulation"; Boyd et al. 2011). For a given correction s of the normal velocities the
 * problem is to minimize x' (G + R) x / 2 + (g + s)' x over the cones. It is split in x, which has the quadratic form,
 * and y, which keeps the laws; z is the multiplier of x = y and becomes the corrected velocity, from which s is taken
 * anew in each turn. All of them follow from one vector w, whose fixed point is looked for (contact_anderson.h):
 *
 *     y = P(w),   z = rho (y - w),   s = mu |z_t|,   (G + R + rho) x = rho y + z - g - s,   w <- x - z / rho
 *
 * with x taken further than it is, from y; on equalities, whose y is w, with a small part of rho. Blocks are scaled to
 * a mean diagonal of 1, so that one penalty suits light and heavy bodies; a cone stays a cone. */
#include <math.h>
#include <string.h>
#define PN_T double
#include "contact/solve/contact_solvers.h"
#include "contact/solve/contact_sums.h"
#include "solve/dense_symmetric.inc"

#define FREE 1e-8    /* of the penalty, on equalities: their impulses meet no law, so x is nearly exact at once */
#define FURTHER 1.6  /* x is taken this much of the way from y */
#define UNBALANCED 9 /* the penalty changes when one residual is so many times the other, both relative */
#define PATIENCE 20  /* turns before the penalty may change, and half as many more each time, so that it settles */

typedef struct admm {
    const pn_contact_task *t;
    int n;
    double rho;
    double *G, *factor;                           /* [n][n] scaled G + R; of it with rho on the diagonal */
    double *scale, *g, *w, *x, *y, *z, *image;    /* [n] impulse = scale x, velocity = z / scale */
    double *weight;                               /* [n] of the penalty */
} admm;

/* the problem, scaled */
static void open_admm(admm *a)
{
    const pinion_contact_problem *p = a->t->p;
    const size_t n = (size_t)a->n;
    double largest = 0;
    for (int i = 0; i < p->blocks; i++) largest = fmax(largest, pn_block_mean(p, &a->t->block[i]));
    for (int i = 0; i < p->blocks; i++) {
        const pn_block *b = &a->t->block[i];
        const double mean = pn_block_mean(p, b);
        for (int k = b->row; k < b->row + b->size; k++) {
            a->scale[k] = largest > 0 ? 1 / sqrt(fmax(mean, 1e-12 * largest)) : 1;
            a->weight[k] = b->law == PINION_CONTACT_EQUALITY ? FREE : 1;
        }
    }
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < n; c++) a->G[r * n + c] = a->scale[r] * p->G[r * n + c] * a->scale[c];
        if (p->R) a->G[r * n + r] += a->scale[r] * p->R[r] * a->scale[r];
        a->g[r] = a->scale[r] * p->g[r];
    }
}

static void factorize(admm *a)
{
    const size_t n = (size_t)a->n;
    memcpy(a->factor, a->G, n * n * sizeof *a->G);
    for (size_t k = 0; k < n; k++) a->factor[k * n + k] += a->rho * a->weight[k];
    (void)cholesky_factor(a->n, a->factor); /* positive definite by rho */
}

/* y and z of w */
static void split(admm *a)
{
    memcpy(a->y, a->w, (size_t)a->n * sizeof *a->y);
    for (int i = 0; i < a->t->p->blocks; i++)
        pn_block_project(&a->t->block[i], a->scale[a->t->block[i].row], a->y + a->t->block[i].row);
    for (int k = 0; k < a->n; k++) a->z[k] = a->rho * a->weight[k] * (a->y[k] - a->w[k]);
}

/* w's image, and x */
static void turn(admm *a)
{
    const int n = a->n;
    for (int k = 0; k < n; k++) a->x[k] = a->rho * a->weight[k] * a->y[k] + a->z[k] - a->g[k];
    for (int i = 0; i < a->t->p->blocks; i++) {
        const int row = a->t->block[i].row;
        a->x[row] -= pn_block_correction(&a->t->block[i], a->z + row);
    }
    cholesky_forward(n, a->factor, a->x);
    cholesky_backward(n, a->factor, a->x);
    for (int k = 0; k < n; k++) {
        const double far = a->weight[k] < 1 ? 1 : FURTHER;
        a->image[k] = far * a->x[k] + (1 - far) * a->y[k] - a->z[k] / (a->rho * a->weight[k]);
    }
}

/* how far a turn moves, as a velocity: nothing is solved while it is large */
static double moved(const admm *a)
{
    double most = 0;
    for (int k = 0; k < a->n; k++) {
        const double part = a->rho * a->weight[k] < 1 ? a->rho * a->weight[k] : 1;
        const double way = fabs(a->image[k] - a->w[k]) * part / a->scale[k];
        if (!(way <= most)) most = way;
    }
    return most;
}

/* What the penalty is to be multiplied with, from the residuals of x = y and of the optimality of x; 1: it stays. */
static double balance(const admm *a)
{
    double primal = 0, dual = 0, size = 0, force = 0;
    for (int k = 0; k < a->n; k++) {
        const double apart = a->x[k] - a->y[k], change = a->image[k] - a->w[k] - apart;
        primal += apart * apart;
        dual += change * change;
        size += fmax(a->x[k] * a->x[k], a->y[k] * a->y[k]);
        force += fmax(a->g[k] * a->g[k], a->z[k] * a->z[k]);
    }
    const double ratio = sqrt(primal / dual * (force / size)) / a->rho;
    if (!(ratio > UNBALANCED || ratio < 1.0 / UNBALANCED) || !isfinite(ratio)) return 1;
    return fmax(0.01, fmin(100, sqrt(ratio)));
}

int pn_contact_admm(const pn_contact_task *t, double *lambda, double *u)
{
    const int n = t->p->rows;
    double **v = (double **)t->vector;
    admm a = {t, n, 1, t->square[0], t->square[1], v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
    pn_anderson faster;
    double enough = 1; /* the share of the goal from where it is worth to look at the true residual */
    open_admm(&a);
    factorize(&a);
    pn_anderson_open(&faster, n, t->memory);
    for (int i = 0; i < t->p->blocks; i++) {
        const pn_block *b = &t->block[i];
        for (int k = b->row; k < b->row + b->size; k++)
            a.w[k] = lambda[k] / a.scale[k] -
                     (b->law != PINION_CONTACT_EQUALITY) *
                         (u[k] + (k == b->row) * pn_block_correction(b, u + b->row)) * a.scale[k];
    }
    for (int k = 1, since = 0, patience = PATIENCE; k <= t->iterations; k++) {
        split(&a);
        turn(&a);
        since++;
        for (int j = 0; j < n; j++) lambda[j] = a.scale[j] * a.y[j];
        const double goal = pn_contact_goal(t, lambda);
        if (!(moved(&a) > enough * goal)) {
            pn_contact_velocity(t, lambda, u);
            if (pn_contact_natural(t, lambda, u) <= goal) return k;
            enough *= 0.5;
        }
        const double times = since >= patience ? balance(&a) : 1;
        if (times != 1) {
            memcpy(a.w, a.image, (size_t)n * sizeof *a.w);
            split(&a);
            a.rho = fmax(1e-10, fmin(1e10, a.rho * times));
            for (int j = 0; j < n; j++) a.w[j] = a.y[j] - a.z[j] / (a.rho * a.weight[j]);
            factorize(&a);
            pn_anderson_forget(&faster);
            since = 0;
            patience += patience / 2;
        } else
            (void)pn_anderson_step(&faster, a.image, a.w, NULL);
    }
    pn_contact_velocity(t, lambda, u);
    return t->iterations;
}
