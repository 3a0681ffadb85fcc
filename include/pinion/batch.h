/// Many states at once: arrays of count rows, row-major, one state a row ([count][nq], [count][nv], ...).
///
/// A batch puts one state into each lane of the widest SIMD registers that pay on this CPU. What may
/// be NULL in dynamics.h may be NULL here. All states are checked first: when a quaternion is not of
/// unit length nothing is computed. Where forward dynamics is singular that state's row is NaN, all
/// others are computed, and PINION_ERR_SINGULAR is returned.
#ifndef PINION_BATCH_H
#define PINION_BATCH_H

#include "dynamics.h"

PINION_BEGIN

typedef struct pinion_batch pinion_batch;

/// Makes a batch for a model, which must outlive it; NULL when out of memory, or when the model has more than 46340
/// velocities. This is the only allocation.
/// @param threads  at least 1; the calls run on the calling thread, so more than 1 has no effect yet
PINION_API pinion_batch *pinion_batch_new(const pinion_model *m, int threads);
PINION_API void pinion_batch_free(pinion_batch *b); ///< NULL is allowed
/// Uses another model of the same structure from now on: the original or an edited copy.
PINION_API PINION_CHECK pinion_status pinion_batch_set_model(pinion_batch *b, const pinion_model *m);
/// States computed at once: 1 where no pack pays.
PINION_API int pinion_batch_lanes(const pinion_batch *b);
PINION_API int pinion_batch_lanes_f32(const pinion_batch *b);
/// The name of the instruction set in use: "scalar", "sse2", "avx2", "avx512", "neon".
PINION_API const char *pinion_batch_isa(const pinion_batch *b);
/// The first state the last failing call objected to, and why.
PINION_API size_t pinion_batch_failed_state(const pinion_batch *b);
PINION_API const char *pinion_batch_message(const pinion_batch *b);

PINION_API PINION_CHECK pinion_status pinion_batch_inverse_dynamics(
    pinion_batch *b, size_t count, const double *q, const double *v, const double *a,
    const double *f_ext /*[count][nbody][6] or NULL*/, double *tau);
PINION_API PINION_CHECK pinion_status pinion_batch_bias(pinion_batch *b, size_t count, const double *q,
                                                        const double *v, double *tau);
PINION_API PINION_CHECK pinion_status pinion_batch_gravity(pinion_batch *b, size_t count, const double *q,
                                                           double *tau);
PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix(pinion_batch *b, size_t count, const double *q,
                                                               double *M /*[count][nv][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_forward_dynamics(pinion_batch *b, size_t count,
                                                                    const double *q, const double *v,
                                                                    const double *tau, const double *f_ext,
                                                                    double *a);
PINION_API PINION_CHECK pinion_status pinion_batch_passive_forces(pinion_batch *b, size_t count,
                                                                  const double *q, const double *v,
                                                                  double *tau_p);
PINION_API PINION_CHECK pinion_status pinion_batch_energy(pinion_batch *b, size_t count, const double *q,
                                                          const double *v, int passive,
                                                          double *kinetic /*[count] or NULL*/,
                                                          double *potential /*[count] or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_center_of_mass(pinion_batch *b, size_t count,
                                                                  const double *q, const double *v,
                                                                  double *position /*[count][3]*/,
                                                                  double *velocity /*[count][3] or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_momentum(pinion_batch *b, size_t count, const double *q,
                                                            const double *v, double *momentum /*[count][6]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_frames(
    pinion_batch *b, size_t count, const double *q, double *position /*[count][frame_count][3] or NULL*/,
    double *rotation /*[count][frame_count][9] or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_jacobian(pinion_batch *b, size_t count, const double *q,
                                                            int frame, pinion_reference reference,
                                                            double *J /*[count][6][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_frame_velocity(pinion_batch *b, size_t count,
                                                                  const double *q, const double *v, int frame,
                                                                  pinion_reference reference,
                                                                  double *velocity /*[count][6]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_frame_acceleration(
    pinion_batch *b, size_t count, const double *q, const double *v, const double *a, int frame,
    pinion_reference reference, pinion_acceleration kind, double *acceleration /*[count][6]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_integrate(pinion_batch *b, size_t count, const double *q,
                                                             const double *v, double dt, double *q_out);

// The same in single precision.

PINION_API PINION_CHECK pinion_status pinion_batch_inverse_dynamics_f32(
    pinion_batch *b, size_t count, const float *q, const float *v, const float *a,
    const float *f_ext /*[count][nbody][6] or NULL*/, float *tau);
PINION_API PINION_CHECK pinion_status pinion_batch_bias_f32(pinion_batch *b, size_t count, const float *q,
                                                            const float *v, float *tau);
PINION_API PINION_CHECK pinion_status pinion_batch_gravity_f32(pinion_batch *b, size_t count, const float *q,
                                                               float *tau);
PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix_f32(pinion_batch *b, size_t count,
                                                                   const float *q,
                                                                   float *M /*[count][nv][nv]*/);
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
                                                                const float *v,
                                                                float *momentum /*[count][6]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_frames_f32(
    pinion_batch *b, size_t count, const float *q, float *position /*[count][frame_count][3] or NULL*/,
    float *rotation /*[count][frame_count][9] or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_jacobian_f32(pinion_batch *b, size_t count, const float *q,
                                                                int frame, pinion_reference reference,
                                                                float *J /*[count][6][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_frame_velocity_f32(pinion_batch *b, size_t count,
                                                                      const float *q, const float *v,
                                                                      int frame, pinion_reference reference,
                                                                      float *velocity /*[count][6]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_frame_acceleration_f32(
    pinion_batch *b, size_t count, const float *q, const float *v, const float *a, int frame,
    pinion_reference reference, pinion_acceleration kind, float *acceleration /*[count][6]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_integrate_f32(pinion_batch *b, size_t count,
                                                                 const float *q, const float *v, float dt,
                                                                 float *q_out);

PINION_END

#endif
