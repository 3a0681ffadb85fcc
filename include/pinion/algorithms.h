/// The registry: every algorithm that solves one of the classical problems, who published it, what it costs,
/// and how to run it in place of the default. All of them give the same numbers, to rounding.
#ifndef PINION_ALGORITHMS_H
#define PINION_ALGORITHMS_H

#include "pinion/dynamics.h"

PINION_BEGIN

/// The problems that algorithms solve, named as in `pinion eval --what`.
typedef enum pinion_problem {
    PINION_PROBLEM_INVERSE_DYNAMICS = 0, ///< tau(q, v, a, f_ext)
    PINION_PROBLEM_MASS_MATRIX,          ///< M(q)
    PINION_PROBLEM_MASS_MATRIX_INVERSE,  ///< the inverse of M(q)
    PINION_PROBLEM_CORIOLIS,             ///< C(q, v) with C v = bias - gravity
    PINION_PROBLEM_FORWARD_DYNAMICS,     ///< a(q, v, tau, f_ext)
    PINION_PROBLEM_OPERATIONAL_SPACE,    ///< Lambda, mu, p of a frame at (q, v)
    PINION_PROBLEM_FACTORIZATION,        ///< factors of M(q), with M^-1 b and M x from them
    PINION_PROBLEM_D_INVERSE_DYNAMICS,   ///< derivatives of tau by q, v and a
    PINION_PROBLEM_D_FORWARD_DYNAMICS,   ///< derivatives of a by q, v and tau
    PINION_PROBLEM_COUNT
} pinion_problem;

typedef struct pinion_algorithm_info {
    const char *name; ///< "crba", "gdahj", ...
    pinion_problem problem;
    const char *source;     ///< of the algorithm: author and year, with the section or the equations
    const char *complexity; ///< "O(n)", ...
    const char *applies_to; ///< in words
    const char *
        published_mul; ///< multiplications for a serial revolute chain of n joints; "" when none is published
    const char *published_add;    ///< additions, likewise
    const char *published_source; ///< who published these two, which may be another than who published the algorithm
    /// Nonzero: one source for every scalar, which never branches on a value: its operations can be counted, and it
    /// runs in SIMD lanes. 0: a solver that chooses pivots and decides on ranks, in double and float.
    int kernel;
} pinion_algorithm_info;

/// How many algorithms there are; they are numbered from 0.
PINION_API int pinion_algorithm_count(void);
/// PINION_ERR_ARGUMENT when the index is out of range.
PINION_API PINION_CHECK pinion_status pinion_algorithm(int algorithm, pinion_algorithm_info *out);
/// The number of the algorithm of that name, -1 when there is none.
PINION_API int pinion_algorithm_find(const char *name);
/// The algorithm behind the API's own function for a problem on a model: the first one of the problem that applies to
/// it, and with closed loops for forward dynamics what pinion_loop_dynamics takes for -1. It always applies to the
/// model; -1 when none does. For m = NULL the problem's first algorithm.
PINION_API int pinion_algorithm_default(pinion_problem problem, const pinion_model *m);
/// "inverse_dynamics", ...; NULL out of range.
PINION_API const char *pinion_problem_name(pinion_problem problem);
/// PINION_OK when the algorithm can run on this model; else PINION_ERR_UNSUPPORTED and why.
PINION_API PINION_CHECK pinion_status pinion_algorithm_applies(int algorithm, const pinion_model *m,
                                                               pinion_error *err);
/// The published counts at n joints. PINION_ERR_NOT_FOUND when none is published.
PINION_API PINION_CHECK pinion_status pinion_algorithm_published(int algorithm, int n, double *mul,
                                                                 double *add);

/// Operations of one call. Subtractions are additions; a sine and a cosine are one each.
typedef struct pinion_operations {
    double mul, add, div, sqrt, trig;
    double span; ///< the longest chain of operations of which each needs the one before
} pinion_operations;

/// Counts an algorithm's operations on a model by running it over a recording scalar. Exact, the same everywhere.
/// Not part of a build without C++. Signs are free, and so is what depends on the model alone.
/// PINION_ERR_UNSUPPORTED for an algorithm that is no kernel: what it does depends on the numbers.
/// @param lean   by the papers' rules: not counted are operations with an exact 0 or +-1, those that no result depends
///               on, the constant offset of an angle, and what the paper leaves out (docs/operation-counts.md)
/// @param whole  every operation with a number that depends on the state, nothing left out; its span is that of lean,
///               with what the paper leaves out
PINION_API PINION_CHECK pinion_status pinion_algorithm_operations(int algorithm, const pinion_model *m,
                                                                  pinion_operations *lean,
                                                                  pinion_operations *whole);

/// The span alone, exact, for models too large to be recorded: its memory does not grow with the operations. The counts
/// are as in `lean`, but with those that no result depends on and with what the paper leaves out.
PINION_API PINION_CHECK pinion_status pinion_algorithm_span(int algorithm, const pinion_model *m,
                                                            pinion_operations *out);

// Each runs one algorithm: PINION_ERR_ARGUMENT when it solves another problem, PINION_ERR_UNSUPPORTED when it does
// not apply to the model, PINION_ERR_MEMORY when there is no room for it (pinion_work_size_for).

/// As pinion_inverse_dynamics.
PINION_API PINION_CHECK pinion_status pinion_inverse_dynamics_by(const pinion_model *m, pinion_work *w,
                                                                 int algorithm, const double *q,
                                                                 const double *v, const double *a,
                                                                 const double *f_ext, double *tau);
/// As pinion_mass_matrix.
PINION_API PINION_CHECK pinion_status pinion_mass_matrix_by(const pinion_model *m, pinion_work *w,
                                                            int algorithm, const double *q, double *M);
/// The inverse of M(q), [nv][nv], both triangles; of the spanning tree where a model has closed loops.
/// PINION_ERR_SINGULAR as for forward dynamics.
PINION_API PINION_CHECK pinion_status pinion_mass_matrix_inverse_by(const pinion_model *m, pinion_work *w,
                                                                    int algorithm, const double *q,
                                                                    double *Minv);
/// A matrix C(q, v), [nv][nv], with C v = bias - gravity.
PINION_API PINION_CHECK pinion_status pinion_coriolis_by(const pinion_model *m, pinion_work *w, int algorithm,
                                                         const double *q, const double *v, double *C);
/// As pinion_forward_dynamics.
PINION_API PINION_CHECK pinion_status pinion_forward_dynamics_by(const pinion_model *m, pinion_work *w,
                                                                 int algorithm, const double *q,
                                                                 const double *v, const double *tau,
                                                                 const double *f_ext, double *a);

/// As pinion_d_inverse_dynamics.
PINION_API PINION_CHECK pinion_status pinion_d_inverse_dynamics_by(const pinion_model *m, pinion_work *w, int algorithm,
                                                                   const double *q, const double *v, const double *a,
                                                                   const double *f_ext, double *dq, double *dv,
                                                                   double *da);
/// As pinion_d_forward_dynamics.
PINION_API PINION_CHECK pinion_status pinion_d_forward_dynamics_by(const pinion_model *m, pinion_work *w, int algorithm,
                                                                   const double *q, const double *v, const double *tau,
                                                                   const double *f_ext, double *dq, double *dv,
                                                                   double *dtau);

/// The dynamics of a frame in its operational space (Khatib 1987), with the frame's Jacobian J in some reference:
/// Lambda a + mu + p = f, where a is the derivative of J v and f the force on the frame. Each may be NULL.
typedef struct pinion_operational_parts {
    double *inverse; ///< [6][6] J M^-1 J', the inverse of Lambda; it exists wherever M has an inverse
    double *Lambda;  ///< [6][6] the operational inertia
    double *mu;      ///< [6] Coriolis and centrifugal forces: Lambda (J M^-1 (bias - gravity) - Jdot v)
    double *p;       ///< [6] gravity force: Lambda J M^-1 gravity
    double *Jbar;    ///< [nv][6] the dynamically consistent inverse of J: M^-1 J' Lambda
} pinion_operational_parts;

/// By the default algorithm. PINION_ERR_SINGULAR when M has no inverse; also when J has not full rank and more than
/// `inverse` is wanted, which then is all that is valid. PINION_ERR_UNSUPPORTED for models with closed loops.
PINION_API PINION_CHECK pinion_status pinion_operational_space(const pinion_model *m, pinion_work *w, const double *q,
                                                               const double *v, int frame,
                                                               pinion_reference reference,
                                                               const pinion_operational_parts *out);
/// As pinion_operational_space.
PINION_API PINION_CHECK pinion_status pinion_operational_space_by(const pinion_model *m, pinion_work *w,
                                                                  int algorithm, const double *q,
                                                                  const double *v, int frame,
                                                                  pinion_reference reference,
                                                                  const pinion_operational_parts *out);

// Factorizations of M (of the spanning tree, where a model has closed loops), to be used for several right-hand sides:
// factorize once, then solve and multiply. The factors
// are an array of the caller's, F, row-major. What it holds depends on the algorithm:
//
//   ltdl, udu   [nv][nv]     M = L' D L = U D U', U = L': below the diagonal L, whose own diagonal is all ones, on the
//                            diagonal D, above it zeros
//   ltl         [nv][nv]     M = L' L: L on and below the diagonal, above it zeros
//   inverse     [2][nv][nv]  M^-1, both triangles; then M
//
// Entry (k, i) of L is zero unless degree of freedom i is on the path from k to the root. The first three need that
// structure: models with joints that follow others have none, and get PINION_ERR_UNSUPPORTED; `inverse` takes any.

/// How many numbers F has: nv nv, for `inverse` twice that; 0 when the algorithm is not a factorization.
PINION_API size_t pinion_factorization_size(const pinion_model *m, int algorithm);
/// Factorizes M(q) into F. PINION_ERR_SINGULAR as for forward dynamics; F is not valid then.
PINION_API PINION_CHECK pinion_status pinion_factorization_by(const pinion_model *m, pinion_work *w,
                                                              int algorithm, const double *q, double *F);
/// x = M^-1 b, [nv], with the F that the same algorithm made of the same model. x may be b.
PINION_API PINION_CHECK pinion_status pinion_factorization_solve(const pinion_model *m, pinion_work *w,
                                                                 int algorithm, const double *F,
                                                                 const double *b, double *x);
/// y = M x, [nv], likewise. y may be x.
PINION_API PINION_CHECK pinion_status pinion_factorization_multiply(const pinion_model *m, pinion_work *w,
                                                                    int algorithm, const double *F,
                                                                    const double *x, double *y);

/// Forward dynamics with constraints on the acceleration of one frame, such as a foot on the ground or a hand
/// on a rail (Vereshchagin 1974, O(n)): of M a + bias = tau + J' (A' lambda) + external forces with A acc =
/// b. Every vector is in the frame's own coordinates at its origin, angular part first: acc is the frame's
/// acceleration as pinion_frame_acceleration(..., PINION_REFERENCE_LOCAL, kind, ...) gives it, gravity not
/// included; row j of A times acc is to be b[j]; A' lambda is the force that keeps it, on the frame; J is the
/// Jacobian in PINION_REFERENCE_LOCAL.
/// @param kind    PINION_ACCELERATION_CLASSICAL: the linear part of acc is the acceleration of the frame's
/// origin, so that with
///                b = 0 a point at rest stays there; PINION_ACCELERATION_SPATIAL: the spatial acceleration,
///                acc = J a + Jdot v
/// @param count   0 to 6 constraints; 0 is pinion_forward_dynamics
/// @param A       [count][6]
/// @param b       [count]
/// @param a       [nv], the accelerations
/// @param lambda  [count], may be NULL
/// PINION_ERR_SINGULAR when M has no inverse, or when to rounding the constraints depend on each other or no
/// joint can keep one of them (the message says which; where masses differ by many orders of magnitude it may
/// be rounding alone); a and lambda are not valid then. PINION_ERR_UNSUPPORTED for models with followers or
/// loops, PINION_ERR_MEMORY when there is no room for `vereshchagin` (pinion_work_size_for).
PINION_API PINION_CHECK pinion_status pinion_constrained_forward_dynamics(
    const pinion_model *m, pinion_work *w, const double *q, const double *v, const double *tau,
    const double *f_ext, int frame, pinion_acceleration kind, int count, const double *A, const double *b,
    double *a, double *lambda);

/// Derivatives of that, row-major, result by row and variable by column; by q in the tangent space, as
/// pinion_d_inverse_dynamics has it. Arrays may be NULL: not wanted.
typedef struct pinion_constrained_derivatives {
    double *a_dq, *a_dv, *a_dtau;                ///< [nv][nv]
    double *lambda_dq, *lambda_dv, *lambda_dtau; ///< [count][nv]
} pinion_constrained_derivatives;

/// The derivatives of pinion_constrained_forward_dynamics by q, v and tau; A, b and f_ext stay. Fails as that does; in
/// your own memory pinion_work_size_for(m, -1) is enough.
PINION_API PINION_CHECK pinion_status pinion_d_constrained_forward_dynamics(
    const pinion_model *m, pinion_work *w, const double *q, const double *v, const double *tau,
    const double *f_ext, int frame, pinion_acceleration kind, int count, const double *A, const double *b,
    const pinion_constrained_derivatives *out);

PINION_END

#endif
