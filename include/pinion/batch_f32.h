/// The functions of a batch in single precision.
///
/// Made by tools/api from batch.h and the table of calls (src/kernel/calls.inc): change those, then run `make api`.
#ifndef PINION_BATCH_F32_H
#define PINION_BATCH_F32_H

#include "pinion/batch.h"
#include "pinion/dynamics_f32.h"

PINION_BEGIN

// ---------------------------------------------------------------------------------------------
// What a controller asks for each cycle

/// The arrays of `terms` are those of all states, each as long as count times what pinion_terms_f32 says. They are the
/// outputs in the order of its members. They too may be an input's array: every Jacobian is that of the q given.
PINION_API PINION_CHECK pinion_status pinion_batch_dynamics_terms_f32(
    pinion_batch *b, size_t count, const float *q, const float *v, const pinion_terms_f32 *terms);

// ---------------------------------------------------------------------------------------------
// Along a direction

/// dq, dv and da or dtau are laid out as v is (PINION_BATCH_V); NULL: 0.
PINION_API PINION_CHECK pinion_status pinion_batch_inverse_dynamics_jvp_f32(
    pinion_batch *b, size_t count, const float *q, const float *v /*or NULL: 0*/, const float *a /*or NULL: 0*/,
    const float *f_ext /*or NULL*/, const float *dq /*or NULL: 0*/, const float *dv /*or NULL: 0*/,
    const float *da /*or NULL: 0*/, float *dtau);
PINION_API PINION_CHECK pinion_status pinion_batch_forward_dynamics_jvp_f32(
    pinion_batch *b, size_t count, const float *q, const float *v /*or NULL: 0*/, const float *tau /*or NULL: 0*/,
    const float *f_ext /*or NULL*/, const float *dq /*or NULL: 0*/, const float *dv /*or NULL: 0*/,
    const float *dtau /*or NULL: 0*/, float *da);

// ---------------------------------------------------------------------------------------------
// The configuration space

PINION_API PINION_CHECK pinion_status pinion_batch_integrate_f32(
    pinion_batch *b, size_t count, const float *q, const float *v, float dt, float *q_out);
PINION_API PINION_CHECK pinion_status pinion_batch_difference_f32(
    pinion_batch *b, size_t count, const float *q0, const float *q1, float *v);
/// Jacobians of the two, as pinion_d_integrate and pinion_d_difference have them: [count][nv][nv] each.
PINION_API PINION_CHECK pinion_status pinion_batch_d_integrate_f32(
    pinion_batch *b, size_t count, const float *v, float dt, float *dq /*or NULL*/, float *dv /*or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_d_difference_f32(
    pinion_batch *b, size_t count, const float *v, float *dq0 /*or NULL*/, float *dq1 /*or NULL*/);
/// In place, with the strides of PINION_BATCH_Q; a q that cannot be made unit becomes NaN.
PINION_API PINION_CHECK pinion_status pinion_batch_normalize_f32(pinion_batch *b, size_t count, float *q);

// ---------------------------------------------------------------------------------------------
// Dynamics

PINION_API PINION_CHECK pinion_status pinion_batch_inverse_dynamics_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    const float *a /*[count][nv] or NULL: 0*/, const float *f_ext /*[count][nbody][6] or NULL: 0*/,
    float *tau /*[count][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_inverse_dynamics_by_f32(
    pinion_batch *b, int algorithm, size_t count, const float *q /*[count][nq]*/,
    const float *v /*[count][nv] or NULL: 0*/, const float *a /*[count][nv] or NULL: 0*/,
    const float *f_ext /*[count][nbody][6] or NULL: 0*/, float *tau /*[count][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_bias_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    float *tau /*[count][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_gravity_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, float *tau /*[count][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, float *M /*[count][nv][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix_by_f32(
    pinion_batch *b, int algorithm, size_t count, const float *q /*[count][nq]*/, float *M /*[count][nv][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix_upper_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, float *M /*[count][nv][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix_inverse_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, float *Minv /*[count][nv][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix_inverse_by_f32(
    pinion_batch *b, int algorithm, size_t count, const float *q /*[count][nq]*/, float *Minv /*[count][nv][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_coriolis_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    float *C /*[count][nv][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_coriolis_by_f32(
    pinion_batch *b, int algorithm, size_t count, const float *q /*[count][nq]*/,
    const float *v /*[count][nv] or NULL: 0*/, float *C /*[count][nv][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_forward_dynamics_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    const float *tau /*[count][nv] or NULL: 0*/, const float *f_ext /*[count][nbody][6] or NULL: 0*/,
    float *a /*[count][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_forward_dynamics_by_f32(
    pinion_batch *b, int algorithm, size_t count, const float *q /*[count][nq]*/,
    const float *v /*[count][nv] or NULL: 0*/, const float *tau /*[count][nv] or NULL: 0*/,
    const float *f_ext /*[count][nbody][6] or NULL: 0*/, float *a /*[count][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_inverse_dynamics_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    const float *a /*[count][nv] or NULL: 0*/, const float *f_ext /*[count][nbody][6] or NULL: 0*/,
    float *dq /*[count][nv][nv] or NULL*/, float *dv /*[count][nv][nv] or NULL*/,
    float *da /*[count][nv][nv] or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_d_inverse_dynamics_by_f32(
    pinion_batch *b, int algorithm, size_t count, const float *q /*[count][nq]*/,
    const float *v /*[count][nv] or NULL: 0*/, const float *a /*[count][nv] or NULL: 0*/,
    const float *f_ext /*[count][nbody][6] or NULL: 0*/, float *dq /*[count][nv][nv] or NULL*/,
    float *dv /*[count][nv][nv] or NULL*/, float *da /*[count][nv][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_forward_dynamics_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    const float *tau /*[count][nv] or NULL: 0*/, const float *f_ext /*[count][nbody][6] or NULL: 0*/,
    float *dq /*[count][nv][nv] or NULL*/, float *dv /*[count][nv][nv] or NULL*/,
    float *dtau /*[count][nv][nv] or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_d_forward_dynamics_by_f32(
    pinion_batch *b, int algorithm, size_t count, const float *q /*[count][nq]*/,
    const float *v /*[count][nv] or NULL: 0*/, const float *tau /*[count][nv] or NULL: 0*/,
    const float *f_ext /*[count][nbody][6] or NULL: 0*/, float *dq /*[count][nv][nv] or NULL*/,
    float *dv /*[count][nv][nv] or NULL*/, float *dtau /*[count][nv][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_forward_dynamics_f_ext_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, float *df_ext /*[count][nv][nbody][6]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_inverse_dynamics_vjp_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    const float *a /*[count][nv] or NULL: 0*/, const float *f_ext /*[count][nbody][6] or NULL: 0*/,
    const float *row /*[count][nv]*/, float *dq /*[count][nv] or NULL*/, float *dv /*[count][nv] or NULL*/,
    float *da /*[count][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_forward_dynamics_vjp_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    const float *tau /*[count][nv] or NULL: 0*/, const float *f_ext /*[count][nbody][6] or NULL: 0*/,
    const float *row /*[count][nv]*/, float *dq /*[count][nv] or NULL*/, float *dv /*[count][nv] or NULL*/,
    float *dtau /*[count][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_regressor_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    const float *a /*[count][nv] or NULL: 0*/, float *Y /*[count][nv][parameter_count]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_joint_regressor_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    const float *a /*[count][nv] or NULL: 0*/, float *Y /*[count][nv][joint_parameter_count]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_slotine_li_regressor_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    const float *v_r /*[count][nv] or NULL: 0*/, const float *a_r /*[count][nv] or NULL: 0*/,
    float *Y /*[count][nv][parameter_count]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_passive_forces_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    float *tau_p /*[count][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_passive_forces_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    float *dq /*[count][nv][nv] or NULL*/, float *dv /*[count][nv][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_force_to_torque_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, int frame, pinion_reference reference,
    const float *force /*[count][6]*/, float *tau /*[count][nv]*/);

// ---------------------------------------------------------------------------------------------
// Energy and momentum

PINION_API PINION_CHECK pinion_status pinion_batch_energy_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    int passive, float *kinetic /*[count] or NULL*/, float *potential /*[count] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_energy_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    int passive, float *dq_kinetic /*[count][nv] or NULL*/, float *dv_kinetic /*[count][nv] or NULL*/,
    float *dq_potential /*[count][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_center_of_mass_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    float *position /*[count][3]*/, float *velocity /*[count][3] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_com_jacobian_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, float *J /*[count][3][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_momentum_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    float *momentum /*[count][6]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_momentum_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    float *dq /*[count][6][nv] or NULL*/, float *dv /*[count][6][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_centroidal_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    float *A /*[count][6][nv] or NULL*/, float *Adot_v /*[count][6] or NULL*/,
    float *inertia /*[count][6][6] or NULL*/);

// ---------------------------------------------------------------------------------------------
// Frames

PINION_API PINION_CHECK pinion_status pinion_batch_frames_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/,
    float *position /*[count][frame_count][3] or NULL*/, float *rotation /*[count][frame_count][9] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_frame_pose_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, int frame, float *position /*[count][3] or NULL*/,
    float *rotation /*[count][9] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_jacobian_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, int frame, pinion_reference reference,
    float *J /*[count][6][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_generalized_jacobian_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, int frame, pinion_reference reference,
    float *J /*[count][6][nv]*/, float *B /*[count][6][6] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_frame_velocity_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    int frame, pinion_reference reference, float *velocity /*[count][6]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_frame_acceleration_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    const float *a /*[count][nv] or NULL: 0*/, int frame, pinion_reference reference, pinion_acceleration kind,
    float *acceleration /*[count][6]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_jacobian_dot_v_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    int frame, pinion_reference reference, float *product /*[count][6]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_hessian_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, int frame, pinion_reference reference,
    float *H /*[count][6][nv][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_frame_f32(
    pinion_batch *b, size_t count, const float *q /*[count][nq]*/, const float *v /*[count][nv] or NULL: 0*/,
    const float *a /*[count][nv] or NULL: 0*/, int frame, pinion_reference reference, pinion_acceleration kind,
    float *dq_velocity /*[count][6][nv] or NULL*/, float *dv_velocity /*[count][6][nv] or NULL*/,
    float *dq_acceleration /*[count][6][nv] or NULL*/, float *dv_acceleration /*[count][6][nv] or NULL*/,
    float *da_acceleration /*[count][6][nv] or NULL*/);

PINION_END

#endif
