/// The same as dynamics.h and calls.h, in single precision.
///
/// Made by tools/api from dynamics.h and the table of calls (src/kernel/calls.inc): change those, then run `make api`.
#ifndef PINION_DYNAMICS_F32_H
#define PINION_DYNAMICS_F32_H

#include "pinion/dynamics.h"

PINION_BEGIN

// ---------------------------------------------------------------------------------------------
// Workspaces

typedef struct pinion_work_f32 pinion_work_f32; ///< scratch memory of one thread

// Every call takes any workspace of its model. It begins with memory for the functions that name no
// algorithm. What an algorithm needs beside (algorithms.h), and for models of more than 64
// velocities the inverse of M and the operational space, a workspace of pinion_work_f32_new takes the
// first time and keeps: one allocation in that first call, none later. One in the caller's memory
// never allocates: the call is refused with PINION_ERR_MEMORY unless the memory is as large as
// pinion_work_f32_size_for says.

/// Bytes a workspace for this model takes, with what it needs to align itself in memory of any alignment.
PINION_API size_t pinion_work_f32_size(const pinion_model *m);
/// The same with room for an algorithm; -1: for every one that applies to the model. 0 when there is no such algorithm.
PINION_API size_t pinion_work_f32_size_for(const pinion_model *m, int algorithm);
/// Makes a workspace in the caller's memory; NULL when `size` is too small. Nothing to free.
PINION_API pinion_work_f32 *pinion_work_f32_init(const pinion_model *m, void *memory, size_t size);
/// Makes a workspace on the heap; NULL when out of memory.
PINION_API pinion_work_f32 *pinion_work_f32_new(const pinion_model *m);
PINION_API void pinion_work_f32_free(pinion_work_f32 *w); ///< only for those of pinion_work_f32_new; NULL is allowed
/// What the last call with this workspace objected to, naming the joint; "" when it succeeded.
PINION_API const char *pinion_work_f32_message(const pinion_work_f32 *w);

// ---------------------------------------------------------------------------------------------
// Forces on bodies

/// Adds a force given in a frame, at its origin, to the forces on the bodies.
/// @param force  [moment; force] in the frame's coordinates
/// @param f_ext  [nbody][6], as pinion_inverse_dynamics takes it
PINION_API PINION_CHECK pinion_status pinion_force_on_frame_f32(
    const pinion_model *m, int frame, const float force[6], float *f_ext);

// ---------------------------------------------------------------------------------------------
// What a controller asks for each cycle, the joints and poses of a state computed once

/// Every pointer may be NULL: that part is then left out.
typedef struct pinion_terms_f32 {
    float *M;                 ///< [nv][nv] mass matrix
    float *bias;              ///< [nv] h(q, v)
    float *gravity;           ///< [nv]
    float *position;          ///< [frame_count][3]
    float *rotation;          ///< [frame_count][9]
    float *jacobian;          ///< [jacobian_count][6][nv]
    const int *jacobian_frame; ///< [jacobian_count] the frames to give Jacobians of
    int jacobian_count;
    pinion_reference jacobian_reference;
} pinion_terms_f32;

/// Fills what `terms` asks for. PINION_ERR_ARGUMENT when a frame is out of range.
PINION_API PINION_CHECK pinion_status pinion_dynamics_terms_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q, const float *v /*or NULL: 0*/,
    const pinion_terms_f32 *terms);

// ---------------------------------------------------------------------------------------------
// Along a direction

/// What joint forces change by along a direction, dtau = (dtau/dq) dq + (dtau/dv) dv + M da, in O(n); of the direction
/// what is NULL is zero. By q in the tangent space, as pinion_d_inverse_dynamics has it; so is the next.
PINION_API PINION_CHECK pinion_status pinion_inverse_dynamics_jvp_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q, const float *v /*or NULL: 0*/,
    const float *a /*or NULL: 0*/, const float *f_ext /*[nbody][6] or NULL*/, const float *dq /*[nv] or NULL: 0*/,
    const float *dv /*[nv] or NULL: 0*/, const float *da /*[nv] or NULL: 0*/, float *dtau /*[nv]*/);
/// What accelerations change by, da = (da/dq) dq + (da/dv) dv + M^-1 dtau. Closed loops are kept, unless the model has
/// elastic links, too: PINION_ERR_UNSUPPORTED. PINION_ERR_SINGULAR as for forward dynamics.
PINION_API PINION_CHECK pinion_status pinion_forward_dynamics_jvp_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q, const float *v /*or NULL: 0*/,
    const float *tau /*or NULL: 0*/, const float *f_ext /*[nbody][6] or NULL*/, const float *dq /*[nv] or NULL: 0*/,
    const float *dv /*[nv] or NULL: 0*/, const float *dtau /*[nv] or NULL: 0*/, float *da /*[nv]*/);

// ---------------------------------------------------------------------------------------------
// The configuration space

/// The zero configuration: zero angles and displacements, unit quaternions.
PINION_API PINION_CHECK pinion_status pinion_neutral_f32(const pinion_model *m, float *q);
/// The model's own initial state; joints of which it says nothing are neutral and at rest.
PINION_API PINION_CHECK pinion_status pinion_initial_f32(const pinion_model *m, float *q, float *v /*or NULL*/);
/// A configuration within the limits (unlimited angles from -pi to pi, displacements from -1 to 1),
/// the same for the same seed everywhere.
PINION_API PINION_CHECK pinion_status pinion_random_f32(const pinion_model *m, uint64_t seed, float *q);
/// q_out = q (+) v dt: moves along v, held constant in each joint's child frame, for dt. May be in place.
PINION_API PINION_CHECK pinion_status pinion_integrate_f32(
    const pinion_model *m, const float *q, const float *v, float dt, float *q_out);
/// The v with q1 = q0 (+) v. Spherical, free and planar joints turn no further than half a turn, so that a
/// planar joint's angle is met up to whole turns; the angles of other joints are plain differences.
PINION_API PINION_CHECK pinion_status pinion_difference_f32(
    const pinion_model *m, const float *q0, const float *q1, float *v);
/// Jacobians of q (+) v dt, [nv][nv] each and in the tangent spaces: by q, which is the transport from q to where it
/// ends, and by v. They do not depend on q.
PINION_API PINION_CHECK pinion_status pinion_d_integrate_f32(
    const pinion_model *m, const float *v, float dt, float *dq /*[nv][nv] or NULL*/, float *dv /*[nv][nv] or NULL*/);
/// Jacobians of what pinion_difference gave as v, by q0 and by q1, likewise.
PINION_API PINION_CHECK pinion_status pinion_d_difference_f32(
    const pinion_model *m, const float *v, float *dq0 /*[nv][nv] or NULL*/, float *dq1 /*[nv][nv] or NULL*/);
/// Makes the quaternions in q unit again; PINION_ERR_QUATERNION when one is zero or not finite.
PINION_API PINION_CHECK pinion_status pinion_normalize_f32(const pinion_model *m, float *q);

// ---------------------------------------------------------------------------------------------
// Dynamics

/// Joint forces tau for the motion q, v, a: tau = M a + h - J' f_ext, nv numbers. Recursive Newton-Euler, O(n).
PINION_API PINION_CHECK pinion_status pinion_inverse_dynamics_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    const float *a /*[nv] or NULL: 0*/, const float *f_ext /*[nbody][6] or NULL: 0*/, float *tau /*[nv]*/);

/// Coriolis, centrifugal and gravity forces h(q, v) = tau(q, v, 0), nv numbers.
PINION_API PINION_CHECK pinion_status pinion_bias_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    float *tau /*[nv]*/);

/// Joint forces that hold the robot at rest against gravity, tau(q, 0, 0), nv numbers.
PINION_API PINION_CHECK pinion_status pinion_gravity_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, float *tau /*[nv]*/);

/// Mass matrix M(q), both triangles, nv x nv. Composite rigid bodies. PINION_ERR_UNSUPPORTED, here and wherever M is
/// asked for, when the model has more than 46340 velocities.
PINION_API PINION_CHECK pinion_status pinion_mass_matrix_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, float *M /*[nv][nv]*/);

/// Mass matrix M(q), on and above its diagonal, zeros below, nv x nv. What a Cholesky factorization reads, in less
/// time where M is large, and in batches.
PINION_API PINION_CHECK pinion_status pinion_mass_matrix_upper_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, float *M /*[nv][nv]*/);

/// Inverse of the mass matrix, both triangles, nv x nv. PINION_ERR_SINGULAR when M has none.
PINION_API PINION_CHECK pinion_status pinion_mass_matrix_inverse_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, float *Minv /*[nv][nv]*/);

/// A matrix C(q, v) with C v = bias - gravity and dM/dt - 2 C skew-symmetric, nv x nv.
PINION_API PINION_CHECK pinion_status pinion_coriolis_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    float *C /*[nv][nv]*/);

/// Accelerations a that the joint forces tau cause: M a = tau - h + J' f_ext, nv numbers. Articulated bodies, O(n).
/// Closed loops are kept, at t = 0 and without stabilization; pinion_loop_dynamics has more to say of them.
/// PINION_ERR_SINGULAR when some motion of the joints moves no inertia; `a` is then not to be used.
PINION_API PINION_CHECK pinion_status pinion_forward_dynamics_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    const float *tau /*[nv] or NULL: 0*/, const float *f_ext /*[nbody][6] or NULL: 0*/, float *a /*[nv]*/);

/// Derivatives of inverse dynamics by q, v and a (which is M), nv x nv each. By q in the tangent space: entry [i][j]
/// of dq is the derivative of tau_i as q moves along velocity j, held constant in its joint's child frame. f_ext is
/// constant in its link's frame. What is NULL is not computed.
PINION_API PINION_CHECK pinion_status pinion_d_inverse_dynamics_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    const float *a /*[nv] or NULL: 0*/, const float *f_ext /*[nbody][6] or NULL: 0*/, float *dq /*[nv][nv] or NULL*/,
    float *dv /*[nv][nv] or NULL*/, float *da /*[nv][nv] or NULL*/);

/// Derivatives of forward dynamics by q, v and tau (which is the inverse of M), nv x nv each. As
/// pinion_d_inverse_dynamics has them. Closed loops are kept, as in forward dynamics; pinion_d_loop_dynamics has more
/// of them. PINION_ERR_SINGULAR as for forward dynamics, and where loops are at a singular position.
PINION_API PINION_CHECK pinion_status pinion_d_forward_dynamics_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    const float *tau /*[nv] or NULL: 0*/, const float *f_ext /*[nbody][6] or NULL: 0*/,
    float *dq /*[nv][nv] or NULL*/, float *dv /*[nv][nv] or NULL*/, float *dtau /*[nv][nv] or NULL*/);

/// Derivative of forward dynamics by the forces on bodies, nv x nbody x 6. Entry [i][b][k] is that of a_i by entry k
/// of the force on body b, in its link's frame as f_ext has it; of the base, body 0, it is 0. It depends on q alone,
/// and is M^-1 J' where no loops are kept. PINION_ERR_SINGULAR and PINION_ERR_UNSUPPORTED as for
/// pinion_d_forward_dynamics.
PINION_API PINION_CHECK pinion_status pinion_d_forward_dynamics_f_ext_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, float *df_ext /*[nv][nbody][6]*/);

/// A row times the derivatives of inverse dynamics by q, v and a: row' dtau/dq, row' dtau/dv, row' M, nv each. As
/// pinion_d_inverse_dynamics has them, in O(n) and without a matrix.
PINION_API PINION_CHECK pinion_status pinion_inverse_dynamics_vjp_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    const float *a /*[nv] or NULL: 0*/, const float *f_ext /*[nbody][6] or NULL: 0*/, const float *row /*[nv]*/,
    float *dq /*[nv] or NULL*/, float *dv /*[nv] or NULL*/, float *da /*[nv] or NULL*/);

/// A row times the derivatives of forward dynamics by q, v and tau: row' da/dq, row' da/dv, row' M^-1, nv each. As
/// pinion_d_forward_dynamics has them, in O(n) and without a matrix; in O(n^3) where joints follow others or close
/// loops.
PINION_API PINION_CHECK pinion_status pinion_forward_dynamics_vjp_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    const float *tau /*[nv] or NULL: 0*/, const float *f_ext /*[nbody][6] or NULL: 0*/, const float *row /*[nv]*/,
    float *dq /*[nv] or NULL*/, float *dv /*[nv] or NULL*/, float *dtau /*[nv] or NULL*/);

/// Regressor Y with tau = Y pi: for each body that can move m, m c (3), Ixx, Ixy, Ixz, Iyy, Iyz, Izz. In its link's
/// frame and about its origin; parameter_count = 10 (nbody - 1), bodies in their order. Rotors and f_ext are not part
/// of it.
PINION_API PINION_CHECK pinion_status pinion_regressor_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    const float *a /*[nv] or NULL: 0*/, float *Y /*[nv][parameter_count]*/);

/// Regressor of rotors and friction: for each degree of freedom of the joints G^2 J, damping, friction + and -. With
/// these parameters it gives what adds to Y pi of pinion_regressor: the sum is inverse dynamics, less what dampers,
/// without their curves, and friction exert. joint_parameter_count = 4 times the degrees of freedom of all joints in
/// their order, those that follow others included; pinion_model_joint_parameters has the model's own.
PINION_API PINION_CHECK pinion_status pinion_joint_regressor_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    const float *a /*[nv] or NULL: 0*/, float *Y /*[nv][joint_parameter_count]*/);

/// Regressor Y(q, v, v_r, a_r) of Slotine and Li: Y pi = M a_r + C v_r + gravity with dM/dt - 2 C skew-symmetric.
/// Columns as those of pinion_regressor.
PINION_API PINION_CHECK pinion_status pinion_slotine_li_regressor_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    const float *v_r /*[nv] or NULL: 0*/, const float *a_r /*[nv] or NULL: 0*/, float *Y /*[nv][parameter_count]*/);

/// What dampers, springs and Coulomb friction exert on the joints: M a + h = tau + tau_p, nv numbers. Friction is
/// zero at v = 0. No other function includes it.
PINION_API PINION_CHECK pinion_status pinion_passive_forces_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    float *tau_p /*[nv]*/);

/// Derivatives of the passive forces by q and v, nv x nv each. By q as pinion_d_inverse_dynamics has it. That of
/// friction is zero; v counts where damping is curved.
PINION_API PINION_CHECK pinion_status pinion_d_passive_forces_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    float *dq /*[nv][nv] or NULL*/, float *dv /*[nv][nv] or NULL*/);

/// Joint forces J' f that a force f = [moment; force] on a frame stands for, nv numbers.
PINION_API PINION_CHECK pinion_status pinion_force_to_torque_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, int frame, pinion_reference reference,
    const float *force /*[6]*/, float *tau /*[nv]*/);

// ---------------------------------------------------------------------------------------------
// Energy and momentum

/// Kinetic energy (with rotors) and potential energy (zero at the world's origin). The potential energy includes the
/// springs where `passive` is not 0.
PINION_API PINION_CHECK pinion_status pinion_energy_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    int passive, float *kinetic /*[1] or NULL*/, float *potential /*[1] or NULL*/);

/// Gradients of the kinetic energy by q and v and of the potential energy by q, nv each. By q as
/// pinion_d_inverse_dynamics has it. The springs count where `passive` is not 0.
PINION_API PINION_CHECK pinion_status pinion_d_energy_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    int passive, float *dq_kinetic /*[nv] or NULL*/, float *dv_kinetic /*[nv] or NULL*/,
    float *dq_potential /*[nv] or NULL*/);

/// Centre of mass and its velocity, in the world. Not finite for a model without mass.
PINION_API PINION_CHECK pinion_status pinion_center_of_mass_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    float *position /*[3]*/, float *velocity /*[3] or NULL*/);

/// Jacobian J of the centre of mass: its velocity is J v, 3 x nv. Not finite for a model without mass.
PINION_API PINION_CHECK pinion_status pinion_com_jacobian_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, float *J /*[3][nv]*/);

/// Momentum [angular; linear] about the centre of mass, world axes. Rotors are not part of it.
PINION_API PINION_CHECK pinion_status pinion_momentum_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    float *momentum /*[6]*/);

/// Derivatives of the momentum about the centre of mass, world axes, by q and v (which is A), 6 x nv each. By q as
/// pinion_d_inverse_dynamics has it. The linear rows over the mass are those of the centre's velocity.
PINION_API PINION_CHECK pinion_status pinion_d_momentum_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    float *dq /*[6][nv] or NULL*/, float *dv /*[6][nv] or NULL*/);

/// Centroidal dynamics: momentum = A v, its derivative A a + Adot_v, and the inertia of all bodies there. About the
/// centre of mass, world axes, angular rows first; rotors are not part of it.
PINION_API PINION_CHECK pinion_status pinion_centroidal_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    float *A /*[6][nv] or NULL*/, float *Adot_v /*[6] or NULL*/, float *inertia /*[6][6] or NULL*/);

// ---------------------------------------------------------------------------------------------
// Frames

/// Positions and rotations of all frames in the world. Rotations are row-major; their columns are the frame's axes in
/// the world.
PINION_API PINION_CHECK pinion_status pinion_frames_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, float *position /*[frame_count][3] or NULL*/,
    float *rotation /*[frame_count][9] or NULL*/);

/// Position and rotation of one frame in the world.
PINION_API PINION_CHECK pinion_status pinion_frame_pose_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, int frame, float *position /*[3] or NULL*/,
    float *rotation /*[9] or NULL*/);

/// Jacobian J of a frame, angular rows first: its velocity is J v, 6 x nv.
PINION_API PINION_CHECK pinion_status pinion_jacobian_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, int frame, pinion_reference reference,
    float *J /*[6][nv]*/);

/// Generalized Jacobian J* of a frame of a machine that floats: its velocity is J* v + B h, 6 x nv and 6 x 6. Umetani
/// and Yoshida 1989: h is the momentum about the centre of mass, which stays where nothing acts from outside; columns
/// of the free or planar joint that the frame's tree floats on are zero. Without one J* is J, B zero. Of bodies
/// alone, as the momentum is. PINION_ERR_SINGULAR when nothing of the tree resists turning.
PINION_API PINION_CHECK pinion_status pinion_generalized_jacobian_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, int frame, pinion_reference reference,
    float *J /*[6][nv]*/, float *B /*[6][6] or NULL*/);

/// Velocity [angular; linear] of a frame.
PINION_API PINION_CHECK pinion_status pinion_frame_velocity_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/, int frame,
    pinion_reference reference, float *velocity /*[6]*/);

/// Acceleration [angular; linear] of a frame, gravity not included.
PINION_API PINION_CHECK pinion_status pinion_frame_acceleration_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    const float *a /*[nv] or NULL: 0*/, int frame, pinion_reference reference, pinion_acceleration kind,
    float *acceleration /*[6]*/);

/// (dJ/dt) v, the part of a frame's acceleration that the joint accelerations do not cause. d(J v)/dt = J a + (dJ/dt)
/// v in the same reference.
PINION_API PINION_CHECK pinion_status pinion_jacobian_dot_v_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/, int frame,
    pinion_reference reference, float *product /*[6]*/);

/// Kinematic Hessian of a frame: entry [i][j][k] is the derivative of J[i][j] by q_k, 6 x nv x nv. In the tangent
/// space: q moves along velocity k, held constant in its joint's child frame.
PINION_API PINION_CHECK pinion_status pinion_hessian_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, int frame, pinion_reference reference,
    float *H /*[6][nv][nv]*/);

/// Derivatives of a frame's velocity and acceleration by q, v and a, 6 x nv each. By q in the tangent space. The
/// velocity's by v and the acceleration's by a are the Jacobian.
PINION_API PINION_CHECK pinion_status pinion_d_frame_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q /*[nq]*/, const float *v /*[nv] or NULL: 0*/,
    const float *a /*[nv] or NULL: 0*/, int frame, pinion_reference reference, pinion_acceleration kind,
    float *dq_velocity /*[6][nv] or NULL*/, float *dv_velocity /*[6][nv] or NULL*/,
    float *dq_acceleration /*[6][nv] or NULL*/, float *dv_acceleration /*[6][nv] or NULL*/,
    float *da_acceleration /*[6][nv] or NULL*/);

PINION_END

#endif
