/// Batches in single precision: batch.h has the batches themselves, their threads and layouts.
#ifndef PINION_BATCH_F32_H
#define PINION_BATCH_F32_H

#include "pinion/batch.h"
#include "pinion/dynamics_f32.h"

PINION_BEGIN

// ---------------------------------------------------------------------------------------------
// Dynamics

PINION_API PINION_CHECK pinion_status pinion_batch_inverse_dynamics_f32(
    pinion_batch *b, size_t count, const float *q, const float *v, const float *a,
    const float *f_ext /*[count][nbody][6] or NULL*/, float *tau);
PINION_API PINION_CHECK pinion_status pinion_batch_bias_f32(pinion_batch *b, size_t count, const float *q,
                                                            const float *v, float *tau);
PINION_API PINION_CHECK pinion_status pinion_batch_gravity_f32(pinion_batch *b, size_t count, const float *q,
                                                               float *tau);
PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix_f32(pinion_batch *b, size_t count, const float *q,
                                                                   float *M /*[count][nv][nv]*/);
/// With closed loops state by state, since their solvers branch on values.
PINION_API PINION_CHECK pinion_status pinion_batch_forward_dynamics_f32(pinion_batch *b, size_t count,
                                                                        const float *q, const float *v,
                                                                        const float *tau, const float *f_ext,
                                                                        float *a);
PINION_API PINION_CHECK pinion_status pinion_batch_passive_forces_f32(pinion_batch *b, size_t count,
                                                                      const float *q, const float *v,
                                                                      float *tau_p);
PINION_API PINION_CHECK pinion_status pinion_batch_energy_f32(pinion_batch *b, size_t count, const float *q,
                                                              const float *v, int passive,
                                                              float *kinetic /*[count] or NULL*/,
                                                              float *potential /*[count] or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_center_of_mass_f32(pinion_batch *b, size_t count,
                                                                      const float *q, const float *v,
                                                                      float *position /*[count][3]*/,
                                                                      float *velocity /*[count][3] or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_momentum_f32(pinion_batch *b, size_t count, const float *q,
                                                                const float *v, float *momentum /*[count][6]*/);
/// The arrays of `terms` are those of all states, each as long as count times what pinion_terms_f32 says. They are the
/// outputs in the order of its members.
PINION_API PINION_CHECK pinion_status pinion_batch_dynamics_terms_f32(pinion_batch *b, size_t count,
                                                                      const float *q, const float *v,
                                                                      const pinion_terms_f32 *terms);

// ---------------------------------------------------------------------------------------------
// Frames

PINION_API PINION_CHECK pinion_status pinion_batch_frames_f32(
    pinion_batch *b, size_t count, const float *q, float *position /*[count][frame_count][3] or NULL*/,
    float *rotation /*[count][frame_count][9] or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_frame_pose_f32(pinion_batch *b, size_t count, const float *q,
                                                                  int frame, float *position /*[count][3] or NULL*/,
                                                                  float *rotation /*[count][9] or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_jacobian_f32(pinion_batch *b, size_t count, const float *q,
                                                                int frame, pinion_reference reference,
                                                                float *J /*[count][6][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_frame_velocity_f32(pinion_batch *b, size_t count,
                                                                      const float *q, const float *v, int frame,
                                                                      pinion_reference reference,
                                                                      float *velocity /*[count][6]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_frame_acceleration_f32(
    pinion_batch *b, size_t count, const float *q, const float *v, const float *a, int frame,
    pinion_reference reference, pinion_acceleration kind, float *acceleration /*[count][6]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_jacobian_dot_v_f32(pinion_batch *b, size_t count,
                                                                      const float *q, const float *v, int frame,
                                                                      pinion_reference reference,
                                                                      float *out /*[count][6]*/);

// ---------------------------------------------------------------------------------------------
// The configuration space

PINION_API PINION_CHECK pinion_status pinion_batch_integrate_f32(pinion_batch *b, size_t count, const float *q,
                                                                 const float *v, float dt, float *q_out);
PINION_API PINION_CHECK pinion_status pinion_batch_difference_f32(pinion_batch *b, size_t count, const float *q0,
                                                                  const float *q1, float *v);
/// In place, with the strides of PINION_BATCH_Q; a q that cannot be made unit becomes NaN.
PINION_API PINION_CHECK pinion_status pinion_batch_normalize_f32(pinion_batch *b, size_t count, float *q);

// ---------------------------------------------------------------------------------------------
// By any registered algorithm (algorithms.h), in a batch of pinion_batch_new_for_algorithms; PINION_ERR_MISMATCH in
// another. The statuses are otherwise those of the single calls.

PINION_API PINION_CHECK pinion_status pinion_batch_inverse_dynamics_by_f32(pinion_batch *b, int algorithm, size_t count,
                                                                           const float *q, const float *v,
                                                                           const float *a, const float *f_ext,
                                                                           float *tau);
PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix_by_f32(pinion_batch *b, int algorithm, size_t count,
                                                                      const float *q, float *M);
PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix_inverse_by_f32(pinion_batch *b, int algorithm,
                                                                              size_t count, const float *q,
                                                                              float *Minv /*[count][nv][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_coriolis_by_f32(pinion_batch *b, int algorithm, size_t count,
                                                                   const float *q, const float *v,
                                                                   float *C /*[count][nv][nv]*/);
/// State by state where the model has closed loops, and then only by the algorithm of pinion_forward_dynamics_f32.
/// PINION_ERR_UNSUPPORTED for any other there, and for algorithms that are no kernels.
PINION_API PINION_CHECK pinion_status pinion_batch_forward_dynamics_by_f32(pinion_batch *b, int algorithm, size_t count,
                                                                           const float *q, const float *v,
                                                                           const float *tau, const float *f_ext,
                                                                           float *a);

PINION_END

#endif
