/* What solvers of contact problems share: the problem taken apart, its scales, their memory. */
#ifndef PN_CONTACT_SOLVERS_H
#define PN_CONTACT_SOLVERS_H

#include "contact/solve/contact_anderson.h"
#include "contact/solve/contact_laws.h"

#define PN_CONTACT_VECTORS 15

/* A problem that was checked, with the memory that solvers may use. */
typedef struct pn_contact_task {
    const pinion_contact_problem *p;
    const pn_block *block; /* [blocks] */
    double goal;           /* what `natural` is to be at most, m/s */
    double rounding, most; /* or so many times the largest impulse, which is rounding, but at most the latter */
    int iterations;        /* at most */
    double *square[2];     /* [rows][rows] each */
    double *vector[PN_CONTACT_VECTORS]; /* [rows] each, one behind the other */
    double *memory;                     /* for an acceleration */
    int *index;                         /* [rows] */
} pn_contact_task;

/* Improves lambda, whose velocities u are given, until `natural` is at most the goal or the iterations are used up.
 * Returns the iterations. */
typedef int pn_contact_solver_fn(const pn_contact_task *t, double *lambda, double *u);
pn_contact_solver_fn pn_contact_pgs, pn_contact_admm, pn_contact_interior;

/* Solves a problem in which nothing slides, whatever lambda is. Returns nonzero when it did. */
int pn_contact_direct(const pn_contact_task *t, double *lambda, double *u);

/* Newton's method from lambda, near a solution, with velocities u. Returns nonzero when it got there. */
int pn_contact_newton(const pn_contact_task *t, double *lambda, double *u);

/* Newton's method from lambda with a little compliance, the same in all rows, which then goes to zero: where forces, or
 * even velocities, are not determined, these are the ones that bodies with equal springs in all points would have, and
 * what is symmetric stays so. Returns nonzero when it got there; iterations are added. */
int pn_contact_proximal(const pn_contact_task *t, double *lambda, double *u, int *iterations);

/* what is left of a column that counts as dependent on others, of the largest; directions of sliding are known no
 * better than residuals allow for */
double pn_contact_dependent(const pn_contact_task *t, const double *lambda, const double *u);

/* In how many dimensions a solution could be another one near it, with other velocities or the same ones. */
int pn_contact_nullity(const pn_contact_task *t, const double *lambda, const double *u);

/* u = (G + R) lambda + g */
void pn_contact_velocity(const pn_contact_task *t, const double *lambda, double *u);

/* the goal, or what rounding leaves of it where lambda is large; -1 where it is so large that nothing is left */
double pn_contact_goal(const pn_contact_task *t, const double *lambda);

/* `natural` of lambda and its velocities */
double pn_contact_natural(const pn_contact_task *t, const double *lambda, const double *u);

/* Replaces lambda, a solution with velocities u, by the one of least norm that gives the same velocities. Returns the
 * dimension of the set it was chosen from; `found` is 0 where the search did not get there, and lambda stays. */
int pn_contact_least_norm(const pn_contact_task *t, double *lambda, const double *u, int *found);

#endif
