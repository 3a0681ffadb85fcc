/* The laws of contact: what each block of a problem allows, and its own one-block problem. */
#ifndef PN_CONTACT_LAWS_H
#define PN_CONTACT_LAWS_H

#include <math.h>
#include "pinion/contact.h"

typedef struct pn_block {
    int row, size; /* its first row, and how many */
    int law;
    double mu;     /* or the bound */
    double mean;   /* of its part of the diagonal of G + R, where the problem has been taken apart */
} pn_block;

/* the length of two tangents; hypot takes several times as long */
static inline double pn_length(double x, double y)
{
    const double square = x * x + y * y;
    return square > 1e-280 && square < 1e280 ? sqrt(square) : hypot(x, y);
}

/* rows of a block */
static inline int pn_block_size(const pinion_contact_problem *p, int i)
{
    return !p->law || p->law[i] == PINION_CONTACT_COULOMB ? 3 : 1;
}

/* block i, which begins at a row */
static inline pn_block pn_block_at(const pinion_contact_problem *p, int i, int row)
{
    const pn_block b = {row, pn_block_size(p, i), p->law ? p->law[i] : PINION_CONTACT_COULOMB, p->mu ? p->mu[i] : 0, 0};
    return b;
}

/* x becomes the nearest that the law allows; `scale` is what x is to be multiplied with to be an impulse */
void pn_block_project(const pn_block *b, double scale, double *x);

/* what De Saxce's correction adds to the first row's velocity, with u the velocities of the block */
double pn_block_correction(const pn_block *b, const double *u);

/* A contact alone, with its tangents turned so that S, what is left of its part A of G + R between them once u_n = 0 is
 * solved for lambda_n, is diagonal. */
typedef struct pn_turn {
    double normal;       /* A_nn */
    double share[2];     /* of the normal's velocity in the tangents', before the turn */
    double c[2], s[2];   /* turned: between normal and tangents, and S */
    double cosine, sine; /* of the turn */
    double size;         /* the sum of A's diagonal */
    double alpha;        /* where it slid the last time (contact_laws.c); 0: not known */
} pn_turn;

/* of A [3][3], positive semidefinite */
pn_turn pn_contact_turn(const double *A);

/* The impulses of a block alone: A lambda + q = u and its law. Exact to rounding. A block that its own impulses cannot
 * move gets none. `t` is that of a contact's A, and is not read for other laws; their A is a number. */
void pn_block_solve(const pn_block *b, double A, pn_turn *t, const double *q, double *lambda);

/* the mean of the block's part of the diagonal of G + R */
double pn_block_mean(const pinion_contact_problem *p, const pn_block *b);

/* the block's velocities: its rows of (G + R) lambda + g */
void pn_block_velocity(const pinion_contact_problem *p, const pn_block *b, const double *lambda, double *u);

/* u, of all rows, changes as the block's impulses do */
void pn_block_act(const pinion_contact_problem *p, const pn_block *b, const double *change, double *u);

#endif
