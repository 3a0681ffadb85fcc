/// The equations of motion of all bodies, joints and loops as one sparse symmetric system, for solvers of your own
/// (Featherstone & Orin 2000, section 3.5, Eq. 27, with the rows of loops beside those of the tree's joints):
///
///     [ I   T    R' ] [  a      ]   [ f - v x* I v   ]      6 for every body
///     [ T'  -Z   0  ] [ -beta   ] = [ T' a_0 + Z tau ]      the constraint forces of the tree's joints
///     [ R   0    0  ] [ -lambda ]   [ k              ]      the rows of the loops
///
/// The unknowns are the accelerations of the bodies, in coordinates that the model's compiled form has chosen; docs/
/// sparse.md has the details. The matrix has O(bodies + rows) entries, in places that depend on the model alone. It is
/// singular where rows of loops depend on each other. pinion/sim/sparse.h solves it.
#ifndef PINION_GLOBAL_H
#define PINION_GLOBAL_H

#include "pinion/dynamics.h"

PINION_BEGIN

typedef struct pinion_global_size {
    int unknowns; ///< accelerations, then forces, then rows
    int accelerations, forces, rows;
    int entries; ///< on and below the diagonal; some may name the same place and are to be added up
} pinion_global_size;

/// PINION_ERR_UNSUPPORTED for models with joints that follow others.
PINION_API PINION_CHECK pinion_status pinion_global_count(const pinion_model *m, pinion_global_size *out);

/// The places of the entries: row >= column. The last entry of each of the last `rows` rows is its own diagonal, whose
/// value is 0: for solvers that put something there.
/// @param row, column  [entries]
PINION_API PINION_CHECK pinion_status pinion_global_places(const pinion_model *m, int *row, int *column);

/// The numbers at one state.
/// @param t, alpha  of the laws of time; Baumgarte's, as in pinion_loop_options
/// @param v, tau, f_ext  may be NULL: zero. tau: everything that acts on the coordinates, also from loop joints
/// @param value   [entries]
/// @param rhs     [unknowns]
/// @param joints  [nv][7] for pinion_global_accelerations
PINION_API PINION_CHECK pinion_status pinion_global_system(const pinion_model *m, pinion_work *w, double t,
                                                           double alpha, const double *q, const double *v,
                                                           const double *tau, const double *f_ext, double *value,
                                                           double *rhs, double *joints);

/// The accelerations [nv] of the joints from a solution [unknowns].
PINION_API PINION_CHECK pinion_status pinion_global_accelerations(const pinion_model *m, const double *joints,
                                                                  const double *solution, double *a);

PINION_END

#endif
