/// What is computed from one state, in double precision. Part of dynamics.h, which has the conventions.
///
/// Made by tools/api from the table of calls (src/kernel/calls.inc): change the table, then run `make api`.
///
/// f_ext is a force [moment; force] on each body, in its link's frame; row 0, the base's, is ignored.
/// reference says in which coordinates a frame's numbers are.
#ifndef PINION_CALLS_H
#define PINION_CALLS_H

#include "pinion/dynamics.h"

PINION_BEGIN

// ---------------------------------------------------------------------------------------------
// Dynamics

/// Joint forces tau for the motion q, v, a: tau = M a + h - J' f_ext, nv numbers. Recursive Newton-Euler, O(n).
PINION_API PINION_CHECK pinion_status pinion_inverse_dynamics(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    const double *a /*[nv] or NULL: 0*/, const double *f_ext /*[nbody][6] or NULL: 0*/, double *tau /*[nv]*/);

/// Coriolis, centrifugal and gravity forces h(q, v) = tau(q, v, 0), nv numbers.
PINION_API PINION_CHECK pinion_status pinion_bias(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    double *tau /*[nv]*/);

/// Joint forces that hold the robot at rest against gravity, tau(q, 0, 0), nv numbers.
PINION_API PINION_CHECK pinion_status pinion_gravity(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, double *tau /*[nv]*/);

/// Mass matrix M(q), both triangles, nv x nv. Composite rigid bodies. PINION_ERR_UNSUPPORTED, here and wherever M is
/// asked for, when the model has more than 46340 velocities.
PINION_API PINION_CHECK pinion_status pinion_mass_matrix(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, double *M /*[nv][nv]*/);

/// Mass matrix M(q), on and above its diagonal, zeros below, nv x nv. What a Cholesky factorization reads, in less
/// time where M is large, and in batches.
PINION_API PINION_CHECK pinion_status pinion_mass_matrix_upper(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, double *M /*[nv][nv]*/);

/// Inverse of the mass matrix, both triangles, nv x nv. PINION_ERR_SINGULAR when M has none.
PINION_API PINION_CHECK pinion_status pinion_mass_matrix_inverse(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, double *Minv /*[nv][nv]*/);

/// A matrix C(q, v) with C v = bias - gravity and dM/dt - 2 C skew-symmetric, nv x nv.
PINION_API PINION_CHECK pinion_status pinion_coriolis(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    double *C /*[nv][nv]*/);

/// Accelerations a that the joint forces tau cause: M a = tau - h + J' f_ext, nv numbers. Articulated bodies, O(n).
/// Closed loops are kept, at t = 0 and without stabilization; pinion_loop_dynamics has more to say of them.
/// PINION_ERR_SINGULAR when some motion of the joints moves no inertia; `a` is then not to be used.
PINION_API PINION_CHECK pinion_status pinion_forward_dynamics(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    const double *tau /*[nv] or NULL: 0*/, const double *f_ext /*[nbody][6] or NULL: 0*/, double *a /*[nv]*/);

/// Derivatives of inverse dynamics by q, v and a (which is M), nv x nv each. By q in the tangent space: entry [i][j]
/// of dq is the derivative of tau_i as q moves along velocity j, held constant in its joint's child frame. f_ext is
/// constant in its link's frame. What is NULL is not computed.
PINION_API PINION_CHECK pinion_status pinion_d_inverse_dynamics(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    const double *a /*[nv] or NULL: 0*/, const double *f_ext /*[nbody][6] or NULL: 0*/,
    double *dq /*[nv][nv] or NULL*/, double *dv /*[nv][nv] or NULL*/, double *da /*[nv][nv] or NULL*/);

/// Derivatives of forward dynamics by q, v and tau (which is the inverse of M), nv x nv each. As
/// pinion_d_inverse_dynamics has them. Closed loops are kept, as in forward dynamics; pinion_d_loop_dynamics has more
/// of them. PINION_ERR_SINGULAR as for forward dynamics, and where loops are at a singular position.
PINION_API PINION_CHECK pinion_status pinion_d_forward_dynamics(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    const double *tau /*[nv] or NULL: 0*/, const double *f_ext /*[nbody][6] or NULL: 0*/,
    double *dq /*[nv][nv] or NULL*/, double *dv /*[nv][nv] or NULL*/, double *dtau /*[nv][nv] or NULL*/);

/// Derivative of forward dynamics by the forces on bodies, nv x nbody x 6. Entry [i][b][k] is that of a_i by entry k
/// of the force on body b, in its link's frame as f_ext has it; of the base, body 0, it is 0. It depends on q alone,
/// and is M^-1 J' where no loops are kept. PINION_ERR_SINGULAR and PINION_ERR_UNSUPPORTED as for
/// pinion_d_forward_dynamics.
PINION_API PINION_CHECK pinion_status pinion_d_forward_dynamics_f_ext(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, double *df_ext /*[nv][nbody][6]*/);

/// A row times the derivatives of inverse dynamics by q, v and a: row' dtau/dq, row' dtau/dv, row' M, nv each. As
/// pinion_d_inverse_dynamics has them, in O(n) and without a matrix.
PINION_API PINION_CHECK pinion_status pinion_inverse_dynamics_vjp(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    const double *a /*[nv] or NULL: 0*/, const double *f_ext /*[nbody][6] or NULL: 0*/, const double *row /*[nv]*/,
    double *dq /*[nv] or NULL*/, double *dv /*[nv] or NULL*/, double *da /*[nv] or NULL*/);

/// A row times the derivatives of forward dynamics by q, v and tau: row' da/dq, row' da/dv, row' M^-1, nv each. As
/// pinion_d_forward_dynamics has them, in O(n) and without a matrix; in O(n^3) where joints follow others or close
/// loops.
PINION_API PINION_CHECK pinion_status pinion_forward_dynamics_vjp(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    const double *tau /*[nv] or NULL: 0*/, const double *f_ext /*[nbody][6] or NULL: 0*/, const double *row /*[nv]*/,
    double *dq /*[nv] or NULL*/, double *dv /*[nv] or NULL*/, double *dtau /*[nv] or NULL*/);

/// Regressor Y with tau = Y pi: for each body that can move m, m c (3), Ixx, Ixy, Ixz, Iyy, Iyz, Izz. In its link's
/// frame and about its origin; parameter_count = 10 (nbody - 1), bodies in their order. Rotors and f_ext are not part
/// of it.
PINION_API PINION_CHECK pinion_status pinion_regressor(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    const double *a /*[nv] or NULL: 0*/, double *Y /*[nv][parameter_count]*/);

/// Regressor of rotors and friction: for each degree of freedom of the joints G^2 J, damping, friction + and -. With
/// these parameters it gives what adds to Y pi of pinion_regressor: the sum is inverse dynamics, less what dampers,
/// without their curves, and friction exert. joint_parameter_count = 4 times the degrees of freedom of all joints in
/// their order, those that follow others included; pinion_model_joint_parameters has the model's own.
PINION_API PINION_CHECK pinion_status pinion_joint_regressor(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    const double *a /*[nv] or NULL: 0*/, double *Y /*[nv][joint_parameter_count]*/);

/// Regressor Y(q, v, v_r, a_r) of Slotine and Li: Y pi = M a_r + C v_r + gravity with dM/dt - 2 C skew-symmetric.
/// Columns as those of pinion_regressor.
PINION_API PINION_CHECK pinion_status pinion_slotine_li_regressor(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    const double *v_r /*[nv] or NULL: 0*/, const double *a_r /*[nv] or NULL: 0*/, double *Y /*[nv][parameter_count]*/);

/// What dampers, springs and Coulomb friction exert on the joints: M a + h = tau + tau_p, nv numbers. Friction is
/// zero at v = 0. No other function includes it.
PINION_API PINION_CHECK pinion_status pinion_passive_forces(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    double *tau_p /*[nv]*/);

/// Derivatives of the passive forces by q and v, nv x nv each. By q as pinion_d_inverse_dynamics has it. That of
/// friction is zero; v counts where damping is curved.
PINION_API PINION_CHECK pinion_status pinion_d_passive_forces(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    double *dq /*[nv][nv] or NULL*/, double *dv /*[nv][nv] or NULL*/);

/// Joint forces J' f that a force f = [moment; force] on a frame stands for, nv numbers.
PINION_API PINION_CHECK pinion_status pinion_force_to_torque(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, int frame, pinion_reference reference,
    const double *force /*[6]*/, double *tau /*[nv]*/);

// ---------------------------------------------------------------------------------------------
// Energy and momentum

/// Kinetic energy (with rotors) and potential energy (zero at the world's origin). The potential energy includes the
/// springs where `passive` is not 0.
PINION_API PINION_CHECK pinion_status pinion_energy(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/, int passive,
    double *kinetic /*[1] or NULL*/, double *potential /*[1] or NULL*/);

/// Gradients of the kinetic energy by q and v and of the potential energy by q, nv each. By q as
/// pinion_d_inverse_dynamics has it. The springs count where `passive` is not 0.
PINION_API PINION_CHECK pinion_status pinion_d_energy(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/, int passive,
    double *dq_kinetic /*[nv] or NULL*/, double *dv_kinetic /*[nv] or NULL*/, double *dq_potential /*[nv] or NULL*/);

/// Centre of mass and its velocity, in the world. Not finite for a model without mass.
PINION_API PINION_CHECK pinion_status pinion_center_of_mass(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    double *position /*[3]*/, double *velocity /*[3] or NULL*/);

/// Jacobian J of the centre of mass: its velocity is J v, 3 x nv. Not finite for a model without mass.
PINION_API PINION_CHECK pinion_status pinion_com_jacobian(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, double *J /*[3][nv]*/);

/// Momentum [angular; linear] about the centre of mass, world axes. Rotors are not part of it.
PINION_API PINION_CHECK pinion_status pinion_momentum(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    double *momentum /*[6]*/);

/// Derivatives of the momentum about the centre of mass, world axes, by q and v (which is A), 6 x nv each. By q as
/// pinion_d_inverse_dynamics has it. The linear rows over the mass are those of the centre's velocity.
PINION_API PINION_CHECK pinion_status pinion_d_momentum(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    double *dq /*[6][nv] or NULL*/, double *dv /*[6][nv] or NULL*/);

/// Centroidal dynamics: momentum = A v, its derivative A a + Adot_v, and the inertia of all bodies there. About the
/// centre of mass, world axes, angular rows first; rotors are not part of it.
PINION_API PINION_CHECK pinion_status pinion_centroidal(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    double *A /*[6][nv] or NULL*/, double *Adot_v /*[6] or NULL*/, double *inertia /*[6][6] or NULL*/);

// ---------------------------------------------------------------------------------------------
// Frames

/// Positions and rotations of all frames in the world. Rotations are row-major; their columns are the frame's axes in
/// the world.
PINION_API PINION_CHECK pinion_status pinion_frames(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, double *position /*[frame_count][3] or NULL*/,
    double *rotation /*[frame_count][9] or NULL*/);

/// Position and rotation of one frame in the world.
PINION_API PINION_CHECK pinion_status pinion_frame_pose(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, int frame, double *position /*[3] or NULL*/,
    double *rotation /*[9] or NULL*/);

/// Jacobian J of a frame, angular rows first: its velocity is J v, 6 x nv.
PINION_API PINION_CHECK pinion_status pinion_jacobian(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, int frame, pinion_reference reference,
    double *J /*[6][nv]*/);

/// Generalized Jacobian J* of a frame of a machine that floats: its velocity is J* v + B h, 6 x nv and 6 x 6. Umetani
/// and Yoshida 1989: h is the momentum about the centre of mass, which stays where nothing acts from outside; columns
/// of the free or planar joint that the frame's tree floats on are zero. Without one J* is J, B zero. Of bodies
/// alone, as the momentum is. PINION_ERR_SINGULAR when nothing of the tree resists turning.
PINION_API PINION_CHECK pinion_status pinion_generalized_jacobian(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, int frame, pinion_reference reference,
    double *J /*[6][nv]*/, double *B /*[6][6] or NULL*/);

/// Velocity [angular; linear] of a frame.
PINION_API PINION_CHECK pinion_status pinion_frame_velocity(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/, int frame,
    pinion_reference reference, double *velocity /*[6]*/);

/// Acceleration [angular; linear] of a frame, gravity not included.
PINION_API PINION_CHECK pinion_status pinion_frame_acceleration(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    const double *a /*[nv] or NULL: 0*/, int frame, pinion_reference reference, pinion_acceleration kind,
    double *acceleration /*[6]*/);

/// (dJ/dt) v, the part of a frame's acceleration that the joint accelerations do not cause. d(J v)/dt = J a + (dJ/dt)
/// v in the same reference.
PINION_API PINION_CHECK pinion_status pinion_jacobian_dot_v(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/, int frame,
    pinion_reference reference, double *product /*[6]*/);

/// Kinematic Hessian of a frame: entry [i][j][k] is the derivative of J[i][j] by q_k, 6 x nv x nv. In the tangent
/// space: q moves along velocity k, held constant in its joint's child frame.
PINION_API PINION_CHECK pinion_status pinion_hessian(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, int frame, pinion_reference reference,
    double *H /*[6][nv][nv]*/);

/// Derivatives of a frame's velocity and acceleration by q, v and a, 6 x nv each. By q in the tangent space. The
/// velocity's by v and the acceleration's by a are the Jacobian.
PINION_API PINION_CHECK pinion_status pinion_d_frame(
    const pinion_model *m, pinion_work *w, const double *q /*[nq]*/, const double *v /*[nv] or NULL: 0*/,
    const double *a /*[nv] or NULL: 0*/, int frame, pinion_reference reference, pinion_acceleration kind,
    double *dq_velocity /*[6][nv] or NULL*/, double *dv_velocity /*[6][nv] or NULL*/,
    double *dq_acceleration /*[6][nv] or NULL*/, double *dv_acceleration /*[6][nv] or NULL*/,
    double *da_acceleration /*[6][nv] or NULL*/);

PINION_END

#endif
