/// Many states at once, in SIMD lanes and on threads (docs/batches.md).
///
/// A batch puts one state into each lane of the widest SIMD registers that pay on this CPU. What may be NULL in
/// dynamics.h may be NULL here. Arrays are [count][n], a state's numbers side by side, unless pinion_batch_set_layout
/// or pinion_batch_set_stride says otherwise.
///
/// A state that is wrong (a quaternion that is not of unit length, a singular mass matrix) gets NaN in its outputs; all
/// others are computed. The call returns the status of the first wrong state, and pinion_batch_failed_state and
/// pinion_batch_message tell of it. A call that is wrong as a whole (PINION_ERR_ARGUMENT and the like) writes nothing.
/// Without states (count 0) arrays may be NULL; frames, references, algorithms and options are checked all the same.
///
/// Results have the same bits on any number of threads and in any layout. No call allocates, but for what OpenMP does
/// when it starts its threads.
#ifndef PINION_BATCH_H
#define PINION_BATCH_H

#include "pinion/dynamics.h"

PINION_BEGIN

typedef struct pinion_batch pinion_batch;

/// Makes a batch for a model, which must outlive it; NULL when out of memory, or when the model has more than 46340
/// velocities.
/// @param threads  at least 1; more than pinion_threads_available() are not started, a build without OpenMP starts none
PINION_API pinion_batch *pinion_batch_new(const pinion_model *m, int threads);
PINION_API void pinion_batch_free(pinion_batch *b); ///< NULL is allowed
/// Uses another model of the same structure from now on: the original or an edited copy.
PINION_API PINION_CHECK pinion_status pinion_batch_set_model(pinion_batch *b, const pinion_model *m);
/// States computed at once: 1 where no pack pays.
PINION_API int pinion_batch_lanes(const pinion_batch *b);
PINION_API int pinion_batch_lanes_f32(const pinion_batch *b);
/// The name of the instruction set in use: "scalar", "sse2", "avx2", "avx512", "neon".
PINION_API const char *pinion_batch_isa(const pinion_batch *b);
/// The first state the last failing call objected to.
PINION_API size_t pinion_batch_failed_state(const pinion_batch *b);
/// What the last call objected to; "" when it succeeded.
PINION_API const char *pinion_batch_message(const pinion_batch *b);

// ---------------------------------------------------------------------------------------------
// Threads

/// How many threads this machine can run at once; 1 in a build without OpenMP.
PINION_API int pinion_threads_available(void);
/// At least 1, as for pinion_batch_new. Allocates; when out of memory the old number stays. A call uses fewer where it
/// has too little work for so many.
PINION_API PINION_CHECK pinion_status pinion_batch_set_threads(pinion_batch *b, int threads);
PINION_API int pinion_batch_threads(const pinion_batch *b);
/// How many the last call that computed used; 0 when there was none.
PINION_API int pinion_batch_threads_used(const pinion_batch *b);

// ---------------------------------------------------------------------------------------------
// Where the numbers are

typedef enum pinion_layout {
    PINION_LAYOUT_ROWS = 0, ///< [count][n]: a state's numbers side by side (the default)
    PINION_LAYOUT_COLUMNS,  ///< [n][count], the transposed: the states side by side
    PINION_LAYOUT_PACKS     ///< [packs][n][lanes]: as they are computed, so many states side by side as there are lanes
} pinion_layout;

/// The arrays of a call. An array of several dimensions, say M of [nv][nv], counts as its nv nv numbers in a row.
typedef enum pinion_batch_array {
    PINION_BATCH_Q = 0, ///< also q0 of pinion_batch_difference, and what pinion_batch_normalize reads and writes
    PINION_BATCH_V, ///< also the directions of pinion_batch_inverse_dynamics_jvp and _forward_dynamics_jvp
    PINION_BATCH_A, ///< as an input; also q1 of pinion_batch_difference
    PINION_BATCH_TAU, ///< as an input
    PINION_BATCH_F_EXT,
    PINION_BATCH_Q_TARGET, ///< of pinion_batch_rollout
    PINION_BATCH_V_TARGET,
    PINION_BATCH_OUT,   ///< the first output, in the order of the parameters or of a structure's members
    PINION_BATCH_OUT_2, ///< the second, and so on
    PINION_BATCH_OUT_3,
    PINION_BATCH_OUT_4,
    PINION_BATCH_OUT_5,
    PINION_BATCH_OUT_6,
    PINION_BATCH_ARRAY_COUNT
} pinion_batch_array;

/// The layout of all arrays of the calls that follow. Undoes pinion_batch_set_stride.
///
/// In packs, number i of state s is at [s / lanes][i][s % lanes], with the lanes of pinion_batch_lanes() (of
/// pinion_batch_lanes_f32() in single precision). Nothing is transposed: arrays that begin with a multiple of 64 bytes
/// and do not overlap are read and written where they are. They have room for whole packs; of a last one that is not
/// full the lanes without a state are neither read nor written.
PINION_API PINION_CHECK pinion_status pinion_batch_set_layout(pinion_batch *b, pinion_layout layout);
/// How many numbers an array of count states with n numbers each has in the batch's layout: count n, in packs those of
/// whole packs.
PINION_API size_t pinion_batch_array_size(const pinion_batch *b, size_t count, size_t n);
PINION_API size_t pinion_batch_array_size_f32(const pinion_batch *b, size_t count, size_t n);
/// Number i of state s of that array is at [s * state + i * item], in numbers, not in bytes, for the calls that follow.
/// Strides may be negative. An input with state 0 is the same for all states. A call whose output would have two
/// numbers at one place is refused. An output may be an input's array, if each state's numbers stay within its own.
PINION_API PINION_CHECK pinion_status pinion_batch_set_stride(pinion_batch *b, pinion_batch_array array,
                                                              ptrdiff_t state, ptrdiff_t item);
/// Whether results of the calls that follow go to arrays that have zeros already wherever the tree's structure makes
/// them: in M and in derivatives of inverse dynamics between joints of which neither is behind the other, in M's upper
/// half also below the diagonal, in regressors where a body is not behind the joint, in Jacobians where the frame is
/// not. An array is so once it is zeroed, or after the same call was PINION_OK for a model of the same structure, the
/// same frame, and as many states in the same layout. These zeros may be left as they are then, and in wide results
/// they are most of what is written; 0, the default: all of a result is written. A state that is wrong gets NaN in all
/// but these zeros.
PINION_API PINION_CHECK pinion_status pinion_batch_keep_zeros(pinion_batch *b, int keep);
/// status[count] gets the status of every state in the calls that follow, PINION_OK where it is right; NULL (the
/// default): none is wanted. A call that is wrong as a whole does not write there.
PINION_API PINION_CHECK pinion_status pinion_batch_set_status(pinion_batch *b, pinion_status *status);

// ---------------------------------------------------------------------------------------------
// What a controller asks for each cycle

/// The arrays of `terms` are those of all states, each as long as count times what pinion_terms says. They are the
/// outputs in the order of its members. They too may be an input's array: every Jacobian is that of the q given.
PINION_API PINION_CHECK pinion_status pinion_batch_dynamics_terms(pinion_batch *b, size_t count,
                                                                  const double *q, const double *v,
                                                                  const pinion_terms *terms);

// ---------------------------------------------------------------------------------------------
// Along a direction

/// dq, dv and da or dtau are laid out as v is (PINION_BATCH_V); NULL: 0.
PINION_API PINION_CHECK pinion_status pinion_batch_inverse_dynamics_jvp(
    pinion_batch *b, size_t count, const double *q, const double *v /*or NULL: 0*/, const double *a /*or NULL: 0*/,
    const double *f_ext /*or NULL*/, const double *dq /*or NULL: 0*/, const double *dv /*or NULL: 0*/,
    const double *da /*or NULL: 0*/, double *dtau);
PINION_API PINION_CHECK pinion_status pinion_batch_forward_dynamics_jvp(
    pinion_batch *b, size_t count, const double *q, const double *v /*or NULL: 0*/, const double *tau /*or NULL: 0*/,
    const double *f_ext /*or NULL*/, const double *dq /*or NULL: 0*/, const double *dv /*or NULL: 0*/,
    const double *dtau /*or NULL: 0*/, double *da);

// ---------------------------------------------------------------------------------------------
// The configuration space

PINION_API PINION_CHECK pinion_status pinion_batch_integrate(pinion_batch *b, size_t count, const double *q,
                                                             const double *v, double dt, double *q_out);
PINION_API PINION_CHECK pinion_status pinion_batch_difference(pinion_batch *b, size_t count, const double *q0,
                                                              const double *q1, double *v);
/// Jacobians of the two, as pinion_d_integrate and pinion_d_difference have them: [count][nv][nv] each.
PINION_API PINION_CHECK pinion_status pinion_batch_d_integrate(pinion_batch *b, size_t count, const double *v,
                                                               double dt, double *dq /*or NULL*/,
                                                               double *dv /*or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_d_difference(pinion_batch *b, size_t count, const double *v,
                                                                double *dq0 /*or NULL*/, double *dq1 /*or NULL*/);
/// In place, with the strides of PINION_BATCH_Q; a q that cannot be made unit becomes NaN.
PINION_API PINION_CHECK pinion_status pinion_batch_normalize(pinion_batch *b, size_t count, double *q);

PINION_END

#include "pinion/batch_calls.h"

#endif
