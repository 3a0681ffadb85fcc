/// Simulation of many states at once, with a fixed step: what learning and sampling code calls.
///
/// The states stay in the lanes of the SIMD registers for all steps of a call, and the batch's threads share
/// them out. Nothing here allocates, but for what OpenMP does when it starts its threads, and the results do
/// not depend on the number of threads. Models with closed loops are refused (PINION_ERR_UNSUPPORTED):
/// pinion/sim/sim.h simulates those, one at a time, and has adaptive methods, contacts and events, too.
/// docs/rollouts.md tells more.
///
/// A state that fails becomes NaN from that step on; the others go on. PINION_ERR_QUATERNION: its q, or a
/// target that is looked at, has a quaternion that is not of unit length. PINION_ERR_SINGULAR: some motion
/// moves no inertia. PINION_ERR_STEP: its numbers are no longer finite, or a spherical or free joint turns by
/// 3 rad or more in a step. The call returns the status of the first such state (the lowest number),
/// pinion_batch_failed_state() and pinion_batch_message() tell of it, and pinion_batch_set_status() gives the
/// status of each.
///
/// pinion_batch_set_layout() and pinion_batch_set_stride() are for these calls too: q_out and v_out are
/// PINION_BATCH_OUT and PINION_BATCH_OUT_2. Each interval of the controls and each record is an array by
/// itself, behind the one before: [intervals][nv][count] in PINION_LAYOUT_COLUMNS, say. With a stride an
/// interval begins count * n numbers behind the one before, n where all states share it (state stride 0).
/// Records have no strides.
#ifndef PINION_ROLLOUT_H
#define PINION_ROLLOUT_H

#include "pinion/batch.h"
#include "pinion/dynamics_f32.h"

PINION_BEGIN

typedef enum pinion_step_method {
    PINION_STEP_SEMI_IMPLICIT = 0, ///< v += dt a(q, v), then q (+)= dt v with the new v: order 1, one evaluation
    PINION_STEP_RK4,               ///< the classical Runge-Kutta method on the manifold: order 4, four evaluations
    PINION_STEP_METHOD_COUNT
} pinion_step_method;

/// What a rollout does. Start from pinion_rollout_default() and set what is wanted.
///
/// Controls (tau, q_target, v_target) are held for `hold` steps each: interval k of the arrays acts in the steps
/// k * hold, ..., (k + 1) * hold - 1, and there are pinion_rollout_intervals() of them. The joint forces are
///
///     limit(tau + kp (q_target - q) + kd (v_target - v))
///
/// with the difference of pinion_difference(), evaluated once at the beginning of every step and held constant over
/// it, also over the stages of RK4: what a controller with the period dt does. Where kp is zero for all of a
/// joint's velocities its target is not looked at, so that a free base needs none; nor is a v_target where kd is zero.
typedef struct pinion_rollout {
    pinion_step_method method;
    double dt;    ///< s, of a step
    size_t steps; ///< how many
    size_t hold;  ///< steps that one interval of the controls lasts; 0 (default): all of them
    int passive;  ///< nonzero: dampers, springs and friction of the model act; default 0
    const double *tau;      ///< [intervals][count][nv] or NULL: 0
    const double *q_target; ///< [intervals][count][nq] or NULL: there is no kp
    const double *v_target; ///< [intervals][count][nv] or NULL: 0
    const double *kp;       ///< [nv] N m/rad or N/m, or NULL: 0
    const double *kd;       ///< [nv] N m s/rad or N s/m, or NULL: 0
    const double *limit;    ///< [nv] the largest |force|, at least 0, may be INFINITY; or NULL: none
    const double *f_ext;    ///< [count][nbody][6] constant in the links' frames, or NULL: 0
    size_t every;           ///< every so many steps the state is recorded; 0 (default): never
    double *q_record;       ///< [records][count][nq], or NULL
    double *v_record;       ///< [records][count][nv], or NULL
    uint32_t cookie;
} pinion_rollout;

/// Semi-implicit Euler, one step of 1 ms, no forces, nothing recorded.
PINION_API pinion_rollout pinion_rollout_default(void);
/// How many intervals the controls have: steps / hold, rounded up, and 1 for hold 0.
PINION_API size_t pinion_rollout_intervals(size_t steps, size_t hold);
/// How many states are recorded: steps / every, rounded down, and 0 for every 0. The first is that after `every`
/// steps.
PINION_API size_t pinion_rollout_records(size_t steps, size_t every);

/// Simulates `count` states for steps * dt.
/// @param q      [count][nq], @param v [count][nv] or NULL: at rest
/// @param q_out  [count][nq], @param v_out [count][nv]: the states at the end; either may be NULL, and they may be
///               the inputs themselves
PINION_API PINION_CHECK pinion_status pinion_batch_rollout(pinion_batch *b, size_t count, const pinion_rollout *r,
                                                           const double *q, const double *v, double *q_out,
                                                           double *v_out);

/// One step with given joint forces: a rollout of length 1.
PINION_API PINION_CHECK pinion_status pinion_batch_step(pinion_batch *b, size_t count, pinion_step_method method,
                                                        double dt, const double *q, const double *v,
                                                        const double *tau /*[count][nv] or NULL: 0*/,
                                                        const double *f_ext /*or NULL: 0*/, double *q_out,
                                                        double *v_out);

/// One step of one state, and its derivatives: x = [q; v] after the step by x before it, A [2 nv][2 nv], and by tau,
/// B [2 nv][nv], row-major. A change of q is in its tangent space, before and after (q (+) delta, delta in the child
/// frame of each joint), so that there are 2 nv of x. They are those of the numbers that a rollout computes, to
/// rounding: by exact derivatives of forward dynamics, chained through the stages of the method. Friction has none.
/// PINION_ERR_STEP, PINION_ERR_SINGULAR and PINION_ERR_UNSUPPORTED as in a rollout.
/// @param w  takes the memory the first time and keeps it; in your own memory pinion_work_size_for(m, -1) is enough
/// @param v, tau, f_ext  may be NULL: 0
/// @param q_out, v_out, A, B  may be NULL: not wanted
PINION_API PINION_CHECK pinion_status pinion_d_step(const pinion_model *m, pinion_work *w, pinion_step_method method,
                                                    double dt, int passive, const double *q, const double *v,
                                                    const double *tau, const double *f_ext, double *q_out,
                                                    double *v_out, double *A, double *B);

/// A rollout with the derivatives of each of its steps, those of the control law and its limits in them: A
/// [steps][count][2 nv][2 nv] by the state before the step, B [steps][count][2 nv][nv] by the tau of its interval. So
/// x after step k moves by A_k ... A_0 as x at the beginning does. All arrays are in rows, without strides
/// (PINION_ERR_ARGUMENT otherwise), and A and B may not be NULL. A state that fails has NaN from that step on.
PINION_API PINION_CHECK pinion_status pinion_batch_d_rollout(pinion_batch *b, size_t count, const pinion_rollout *r,
                                                             const double *q, const double *v, double *q_out,
                                                             double *v_out, double *A, double *B);

// The same in single precision.

typedef struct pinion_rollout_f32 {
    pinion_step_method method;
    double dt;
    size_t steps, hold;
    int passive;
    const float *tau, *q_target, *v_target;
    const float *kp, *kd, *limit;
    const float *f_ext;
    size_t every;
    float *q_record, *v_record;
    uint32_t cookie;
} pinion_rollout_f32;

PINION_API pinion_rollout_f32 pinion_rollout_default_f32(void);
PINION_API PINION_CHECK pinion_status pinion_batch_rollout_f32(pinion_batch *b, size_t count,
                                                               const pinion_rollout_f32 *r, const float *q,
                                                               const float *v, float *q_out, float *v_out);
PINION_API PINION_CHECK pinion_status pinion_batch_step_f32(pinion_batch *b, size_t count,
                                                            pinion_step_method method, double dt, const float *q,
                                                            const float *v, const float *tau, const float *f_ext,
                                                            float *q_out, float *v_out);
PINION_API PINION_CHECK pinion_status pinion_d_step_f32(const pinion_model *m, pinion_work_f32 *w,
                                                        pinion_step_method method, double dt, int passive,
                                                        const float *q, const float *v, const float *tau,
                                                        const float *f_ext, float *q_out, float *v_out, float *A,
                                                        float *B);
PINION_API PINION_CHECK pinion_status pinion_batch_d_rollout_f32(pinion_batch *b, size_t count,
                                                                 const pinion_rollout_f32 *r, const float *q,
                                                                 const float *v, float *q_out, float *v_out, float *A,
                                                                 float *B);

PINION_END

#endif
