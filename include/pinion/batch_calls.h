/// The calls of calls.h for many states, and those that take any registered algorithm (algorithms.h). Part of
/// batch.h, which has the layouts.
///
/// Made by tools/api from the table of calls (src/kernel/calls.inc): change the table, then run `make api`.
///
/// Forward dynamics goes state by state where the model has closed loops or the algorithm is no kernel. The first
/// call by an algorithm may take memory for it, which the batch keeps.
#ifndef PINION_BATCH_CALLS_H
#define PINION_BATCH_CALLS_H

#include "pinion/batch.h"

PINION_BEGIN

// ---------------------------------------------------------------------------------------------
// Dynamics

PINION_API PINION_CHECK pinion_status pinion_batch_inverse_dynamics(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    const double *a /*[count][nv] or NULL: 0*/, const double *f_ext /*[count][nbody][6] or NULL: 0*/,
    double *tau /*[count][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_inverse_dynamics_by(
    pinion_batch *b, int algorithm, size_t count, const double *q /*[count][nq]*/,
    const double *v /*[count][nv] or NULL: 0*/, const double *a /*[count][nv] or NULL: 0*/,
    const double *f_ext /*[count][nbody][6] or NULL: 0*/, double *tau /*[count][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_bias(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    double *tau /*[count][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_gravity(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, double *tau /*[count][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, double *M /*[count][nv][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix_by(
    pinion_batch *b, int algorithm, size_t count, const double *q /*[count][nq]*/, double *M /*[count][nv][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix_upper(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, double *M /*[count][nv][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix_inverse(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, double *Minv /*[count][nv][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_mass_matrix_inverse_by(
    pinion_batch *b, int algorithm, size_t count, const double *q /*[count][nq]*/, double *Minv /*[count][nv][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_coriolis(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    double *C /*[count][nv][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_coriolis_by(
    pinion_batch *b, int algorithm, size_t count, const double *q /*[count][nq]*/,
    const double *v /*[count][nv] or NULL: 0*/, double *C /*[count][nv][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_forward_dynamics(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    const double *tau /*[count][nv] or NULL: 0*/, const double *f_ext /*[count][nbody][6] or NULL: 0*/,
    double *a /*[count][nv]*/);
PINION_API PINION_CHECK pinion_status pinion_batch_forward_dynamics_by(
    pinion_batch *b, int algorithm, size_t count, const double *q /*[count][nq]*/,
    const double *v /*[count][nv] or NULL: 0*/, const double *tau /*[count][nv] or NULL: 0*/,
    const double *f_ext /*[count][nbody][6] or NULL: 0*/, double *a /*[count][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_inverse_dynamics(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    const double *a /*[count][nv] or NULL: 0*/, const double *f_ext /*[count][nbody][6] or NULL: 0*/,
    double *dq /*[count][nv][nv] or NULL*/, double *dv /*[count][nv][nv] or NULL*/,
    double *da /*[count][nv][nv] or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_d_inverse_dynamics_by(
    pinion_batch *b, int algorithm, size_t count, const double *q /*[count][nq]*/,
    const double *v /*[count][nv] or NULL: 0*/, const double *a /*[count][nv] or NULL: 0*/,
    const double *f_ext /*[count][nbody][6] or NULL: 0*/, double *dq /*[count][nv][nv] or NULL*/,
    double *dv /*[count][nv][nv] or NULL*/, double *da /*[count][nv][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_forward_dynamics(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    const double *tau /*[count][nv] or NULL: 0*/, const double *f_ext /*[count][nbody][6] or NULL: 0*/,
    double *dq /*[count][nv][nv] or NULL*/, double *dv /*[count][nv][nv] or NULL*/,
    double *dtau /*[count][nv][nv] or NULL*/);
PINION_API PINION_CHECK pinion_status pinion_batch_d_forward_dynamics_by(
    pinion_batch *b, int algorithm, size_t count, const double *q /*[count][nq]*/,
    const double *v /*[count][nv] or NULL: 0*/, const double *tau /*[count][nv] or NULL: 0*/,
    const double *f_ext /*[count][nbody][6] or NULL: 0*/, double *dq /*[count][nv][nv] or NULL*/,
    double *dv /*[count][nv][nv] or NULL*/, double *dtau /*[count][nv][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_forward_dynamics_f_ext(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, double *df_ext /*[count][nv][nbody][6]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_inverse_dynamics_vjp(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    const double *a /*[count][nv] or NULL: 0*/, const double *f_ext /*[count][nbody][6] or NULL: 0*/,
    const double *row /*[count][nv]*/, double *dq /*[count][nv] or NULL*/, double *dv /*[count][nv] or NULL*/,
    double *da /*[count][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_forward_dynamics_vjp(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    const double *tau /*[count][nv] or NULL: 0*/, const double *f_ext /*[count][nbody][6] or NULL: 0*/,
    const double *row /*[count][nv]*/, double *dq /*[count][nv] or NULL*/, double *dv /*[count][nv] or NULL*/,
    double *dtau /*[count][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_regressor(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    const double *a /*[count][nv] or NULL: 0*/, double *Y /*[count][nv][parameter_count]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_joint_regressor(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    const double *a /*[count][nv] or NULL: 0*/, double *Y /*[count][nv][joint_parameter_count]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_slotine_li_regressor(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    const double *v_r /*[count][nv] or NULL: 0*/, const double *a_r /*[count][nv] or NULL: 0*/,
    double *Y /*[count][nv][parameter_count]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_passive_forces(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    double *tau_p /*[count][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_passive_forces(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    double *dq /*[count][nv][nv] or NULL*/, double *dv /*[count][nv][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_force_to_torque(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, int frame, pinion_reference reference,
    const double *force /*[count][6]*/, double *tau /*[count][nv]*/);

// ---------------------------------------------------------------------------------------------
// Energy and momentum

PINION_API PINION_CHECK pinion_status pinion_batch_energy(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    int passive, double *kinetic /*[count] or NULL*/, double *potential /*[count] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_energy(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    int passive, double *dq_kinetic /*[count][nv] or NULL*/, double *dv_kinetic /*[count][nv] or NULL*/,
    double *dq_potential /*[count][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_center_of_mass(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    double *position /*[count][3]*/, double *velocity /*[count][3] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_com_jacobian(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, double *J /*[count][3][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_momentum(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    double *momentum /*[count][6]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_momentum(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    double *dq /*[count][6][nv] or NULL*/, double *dv /*[count][6][nv] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_centroidal(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    double *A /*[count][6][nv] or NULL*/, double *Adot_v /*[count][6] or NULL*/,
    double *inertia /*[count][6][6] or NULL*/);

// ---------------------------------------------------------------------------------------------
// Frames

PINION_API PINION_CHECK pinion_status pinion_batch_frames(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/,
    double *position /*[count][frame_count][3] or NULL*/, double *rotation /*[count][frame_count][9] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_frame_pose(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, int frame,
    double *position /*[count][3] or NULL*/, double *rotation /*[count][9] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_jacobian(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, int frame, pinion_reference reference,
    double *J /*[count][6][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_generalized_jacobian(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, int frame, pinion_reference reference,
    double *J /*[count][6][nv]*/, double *B /*[count][6][6] or NULL*/);

PINION_API PINION_CHECK pinion_status pinion_batch_frame_velocity(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    int frame, pinion_reference reference, double *velocity /*[count][6]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_frame_acceleration(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    const double *a /*[count][nv] or NULL: 0*/, int frame, pinion_reference reference, pinion_acceleration kind,
    double *acceleration /*[count][6]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_jacobian_dot_v(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    int frame, pinion_reference reference, double *product /*[count][6]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_hessian(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, int frame, pinion_reference reference,
    double *H /*[count][6][nv][nv]*/);

PINION_API PINION_CHECK pinion_status pinion_batch_d_frame(
    pinion_batch *b, size_t count, const double *q /*[count][nq]*/, const double *v /*[count][nv] or NULL: 0*/,
    const double *a /*[count][nv] or NULL: 0*/, int frame, pinion_reference reference, pinion_acceleration kind,
    double *dq_velocity /*[count][6][nv] or NULL*/, double *dv_velocity /*[count][6][nv] or NULL*/,
    double *dq_acceleration /*[count][6][nv] or NULL*/, double *dv_acceleration /*[count][6][nv] or NULL*/,
    double *da_acceleration /*[count][6][nv] or NULL*/);

PINION_END

#endif
