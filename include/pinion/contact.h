/// Contact: the forces between bodies that touch, as a problem of numbers (docs/contact.md). Rows come in blocks:
///
///     u = (G + R) lambda + g
///
/// with u the velocities of the rows, lambda their impulses (or forces, where u are accelerations), G = J M^-1 J'
/// Delassus' matrix, g what u is without lambda, R a compliance. Each block has its law; a contact has three rows, the
/// normal first, then two tangents:
///
///     contact   u_n >= 0, lambda_n >= 0, lambda_n u_n = 0 (Signorini); |lambda_t| <= mu lambda_n (Coulomb), and where
///               it slides lambda_t = -mu lambda_n u_t / |u_t| (maximum dissipation)
///     equality  u = 0: a row of a closed loop
///     limit     u >= 0, lambda >= 0, lambda u = 0: a joint's end stop
///     friction  |lambda| <= bound, and lambda = -bound u / |u| where it slides: dry friction of a joint
///
/// Nothing here allocates but pinion_contact_work_new.
#ifndef PINION_CONTACT_H
#define PINION_CONTACT_H

#include "pinion/base.h"

PINION_BEGIN

// ---------------------------------------------------------------------------------------------
// The problem

typedef enum pinion_contact_law {
    PINION_CONTACT_COULOMB = 0, ///< three rows: normal, two tangents
    PINION_CONTACT_EQUALITY,    ///< one row
    PINION_CONTACT_LIMIT,       ///< one row
    PINION_CONTACT_FRICTION,    ///< one row
    PINION_CONTACT_LAW_COUNT
} pinion_contact_law;

typedef struct pinion_contact_problem {
    int blocks;
    int rows;                 ///< of all blocks: three for a contact, one for each of the others
    const unsigned char *law; ///< [blocks] pinion_contact_law; NULL: all are contacts
    const double *mu;         ///< [blocks] friction of a contact, at most 1e6, or bound of a friction; else not read
    const double *G;          ///< [rows][rows] symmetric, positive semidefinite; both triangles
    const double *g;          ///< [rows]
    const double *R;          ///< [rows] compliance, 0 or more, one value within a contact; NULL: rigid
} pinion_contact_problem;

/// How far numbers are from a solution, the largest over the blocks.
typedef struct pinion_contact_residuals {
    double cone;            ///< N s: lambda's distance from what the law allows
    double dual;            ///< m/s: how fast rows go where they may not: -u_n, of limits -u, of equalities |u|
    double complementarity; ///< J: |lambda_n u_n|, of limits |lambda u|
    double dissipation;     ///< J: mu lambda_n |u_t| + lambda_t . u_t, which is 0 where friction takes all it can
    /// m/s: |lambda - P(lambda - rho u~)| / rho, with P the nearest allowed value, u~ De Saxce's u (mu |u_t| added to
    /// u_n) and 1 / rho the mean of the block's diagonal of G + R. It is 0 at solutions and nowhere else.
    double natural;
    int worst; ///< the block that `natural` is of; -1 without blocks
} pinion_contact_residuals;

/// The residuals of any lambda, from the problem's numbers alone.
/// @param u    [rows] the velocities with lambda; may be NULL
/// @param out  may be NULL
PINION_API PINION_CHECK pinion_status pinion_contact_check(const pinion_contact_problem *p, const double *lambda,
                                                           double *u, pinion_contact_residuals *out);

// ---------------------------------------------------------------------------------------------
// Solvers

typedef struct pinion_contact_solver_info {
    const char *name;   ///< "pgs", "admm"
    const char *source; ///< author and year
    const char *cost;   ///< of an iteration, and what comes before the first
    const char *suited; ///< to what, in words
} pinion_contact_solver_info;

/// How many solvers there are; they are numbered from 0, which is the default.
PINION_API int pinion_contact_solver_count(void);
/// PINION_ERR_ARGUMENT when the index is out of range.
PINION_API PINION_CHECK pinion_status pinion_contact_solver(int solver, pinion_contact_solver_info *out);
/// The number of the solver of that name, -1 when there is none.
PINION_API int pinion_contact_solver_find(const char *name);

/// Get one from pinion_contact_options_default().
typedef struct pinion_contact_options {
    int solver;       ///< its number; default -1: the default one
    int iterations;   ///< at most; default 10000
    double tolerance; ///< of `natural`, as a share of the largest |g|; default 1e-10
    int warm;         ///< nonzero: lambda is a guess; default 0: it starts from zero
    /// Nonzero: where the velocities leave forces undetermined, as under a table on four legs, those of the least
    /// Euclidean norm; default 1. 0: those that the solver comes to.
    int least_norm;
    uint32_t cookie;
} pinion_contact_options;

/// The default solver, 1e-10, from zero, forces of least norm.
PINION_API pinion_contact_options pinion_contact_options_default(void);

/// What a solver found.
typedef struct pinion_contact_solution {
    pinion_contact_residuals residuals;
    int solver;
    int iterations;   ///< of the solver
    int undetermined; ///< with least_norm: dimension of the set of solutions near this one, with the same velocities
                      ///< or, where something slides, others; 0: unique
    int least_norm;   ///< nonzero: lambda has the least norm of those with its velocities, and these are the ones that
                      ///< equal, stiff springs in all rows would give; or it is unique
} pinion_contact_solution;

typedef struct pinion_contact_work pinion_contact_work; ///< scratch memory of one thread

/// Bytes for problems of at most so many rows, with what it takes to align itself; 0: more rows than can be.
PINION_API size_t pinion_contact_work_size(int rows);
/// Makes a workspace in the caller's memory; NULL when `size` is too small. Nothing to free.
PINION_API pinion_contact_work *pinion_contact_work_init(int rows, void *memory, size_t size);
/// Makes a workspace on the heap; NULL when out of memory.
PINION_API pinion_contact_work *pinion_contact_work_new(int rows);
PINION_API void pinion_contact_work_free(pinion_contact_work *w); ///< only for those of _new; NULL is allowed
/// What the last call with this workspace objected to; "" when it succeeded.
PINION_API const char *pinion_contact_work_message(const pinion_contact_work *w);

/// Solves a problem. PINION_ERR_CONVERGENCE when the tolerance is not met: lambda, u and the solution are then what the
/// solver came to, and the message names the block that is farthest off. PINION_ERR_MEMORY when the workspace is for
/// fewer rows. A problem may have several solutions, and with large friction none.
/// @param options   may be NULL
/// @param lambda    [rows] a guess where options.warm is set; replaced
/// @param u         [rows] may be NULL
/// @param solution  may be NULL
PINION_API PINION_CHECK pinion_status pinion_contact_solve(pinion_contact_work *w, const pinion_contact_problem *p,
                                                           const pinion_contact_options *options, double *lambda,
                                                           double *u, pinion_contact_solution *solution);

PINION_END

#endif
