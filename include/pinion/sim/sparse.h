/// Forward dynamics of large mechanisms by one sparse system over all bodies, joints and loops. Part of the library
/// pinion_sim.
///
/// The dense methods of pinion/loops.h take O(n rows^2 + rows^3); this one takes what the sparsity of the mechanism
/// allows, for chains of loops O(n). docs/sparse.md says how and when that pays.
#ifndef PINION_SPARSE_H
#define PINION_SPARSE_H

#include "pinion/loops.h"

PINION_BEGIN

/// A solver for one model: its ordering, factors and memory. It belongs to one thread at a time; the model must live
/// longer.
typedef struct pinion_sparse pinion_sparse;

/// Analyses the structure of a model, with loops or without. NULL with `err` filled (it may be NULL) when the model has
/// joints that follow others or is too large (PINION_ERR_UNSUPPORTED), or when out of memory.
PINION_API pinion_sparse *pinion_sparse_new(const pinion_model *m, pinion_error *err);
PINION_API void pinion_sparse_free(pinion_sparse *s); ///< NULL is allowed

/// The algorithm of the registry whose equations these are, kkt-sparse. The registry's own takes trees alone: who is
/// asked for it on a model with loops uses this solver.
PINION_API int pinion_sparse_algorithm(void);

/// As pinion_loop_dynamics, with the same options (`tolerance` and `proximal` have no meaning here) and results. The
/// rank is not found: -1. PINION_ERR_SINGULAR when some motion that the joints and loops allow moves no inertia;
/// PINION_ERR_MEMORY when the factors do not fit; PINION_ERR_CONVERGENCE when the rows of loops depend on each other so
/// nearly, or contradict each other so much, that the accelerations do not settle: `a` and `solution` are then the
/// best that was found, `residual` says by how much the rows are missed. After other failures they mean nothing.
/// @param options         NULL for the defaults
/// @param v, tau, f_ext   may be NULL: zero
/// @param solution        may be NULL
PINION_API PINION_CHECK pinion_status pinion_sparse_forward_dynamics(pinion_sparse *s,
                                                                     const pinion_loop_options *options,
                                                                     const double *q, const double *v,
                                                                     const double *tau, const double *f_ext, double *a,
                                                                     pinion_loop_solution *solution);

/// What the solver deals with: unknowns, entries of the matrix (both triangles), entries of its factors (0 before the
/// first solution), solutions with the same factors that the last one took.
typedef struct pinion_sparse_info {
    int unknowns, entries, factor_entries, solutions;
} pinion_sparse_info;

/// Fills `out`; PINION_ERR_ARGUMENT when either is NULL.
PINION_API PINION_CHECK pinion_status pinion_sparse_about(const pinion_sparse *s, pinion_sparse_info *out);

/// What the last call of pinion_sparse_forward_dynamics objected to; "" when it succeeded.
PINION_API const char *pinion_sparse_message(const pinion_sparse *s);

PINION_END

#endif
