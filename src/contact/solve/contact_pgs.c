/* Projected Gauss-Seidel: one block after the other gets the impulses that solve it while the others stay, each block
 * exactly (Moreau 1999; Jourdan, Alart & Jean 1998). The velocities of all rows are kept up to date, so a block whose
 * impulses do not change costs nothing. Sweeps are accelerated (contact_anderson.h). */
#include <string.h>
#include "contact/solve/contact_solvers.h"

#define FRESH 16 /* sweeps after which velocities are computed anew: changes add up their rounding */
#define MUCH 4   /* and where a step is a sum of differences that are larger than it */

/* the block's own part of G + R */
static void own_matrix(const pinion_contact_problem *p, const pn_block *b, double *A)
{
    for (int r = 0; r < b->size; r++)
        for (int c = 0; c < b->size; c++)
            A[b->size * r + c] = p->G[(size_t)(b->row + r) * (size_t)p->rows + (size_t)(b->row + c)] +
                                 (p->R && r == c ? p->R[b->row + r] : 0);
}

/* where that of a contact is kept: in what other solvers have a matrix in, 2 rows^2 numbers */
static pn_turn *turn_of(const pn_contact_task *t, const pn_block *b)
{
    return (pn_turn *)(void *)t->square[0] + b->row / 3;
}

/* solves one block */
static void relax(const pn_contact_task *t, const pn_block *b, double *lambda, double *u)
{
    double A[9], q[3], next[3], change[3];
    int changes = 0;
    double *own = lambda + b->row;
    own_matrix(t->p, b, A);
    for (int r = 0; r < b->size; r++) {
        q[r] = u[b->row + r];
        for (int c = 0; c < b->size; c++) q[r] -= A[b->size * r + c] * own[c];
    }
    pn_block_solve(b, A[0], turn_of(t, b), q, next);
    for (int r = 0; r < b->size; r++) {
        change[r] = next[r] - own[r];
        changes |= change[r] != 0;
        own[r] = next[r];
    }
    if (changes) pn_block_act(t->p, b, change, u);
}

int pn_contact_pgs(const pn_contact_task *t, double *lambda, double *u)
{
    double *start = t->vector[0];
    const size_t bytes = (size_t)t->p->rows * sizeof *lambda;
    pn_anderson faster;
    pn_anderson_open(&faster, t->p->rows, t->memory);
    for (int i = 0; i < t->p->blocks; i++) {
        double A[9];
        if (t->block[i].law != PINION_CONTACT_COULOMB) continue;
        own_matrix(t->p, &t->block[i], A);
        *turn_of(t, &t->block[i]) = pn_contact_turn(A);
    }
    memcpy(start, lambda, bytes);
    for (int k = 1; k <= t->iterations; k++) {
        memcpy(lambda, start, bytes);
        for (int i = 0; i < t->p->blocks; i++) relax(t, &t->block[i], lambda, u);
        const double goal = pn_contact_goal(t, lambda);
        if (pn_contact_natural(t, lambda, u) <= goal) {
            pn_contact_velocity(t, lambda, u); /* changes have added up their rounding */
            if (pn_contact_natural(t, lambda, u) <= goal) return k;
        }
        (void)pn_anderson_step(&faster, lambda, start, u);
        if (k % FRESH == 0 || !(faster.amount <= MUCH)) pn_contact_velocity(t, start, u);
    }
    pn_contact_velocity(t, lambda, u);
    return t->iterations;
}
