/// The functions of dynamics.h in single precision: the same names with _f32, the same meaning.
#ifndef PINION_DYNAMICS_F32_H
#define PINION_DYNAMICS_F32_H

#include "pinion/dynamics.h"

PINION_BEGIN

// ---------------------------------------------------------------------------------------------
// Workspaces

typedef struct pinion_work_f32 pinion_work_f32; ///< scratch memory of one thread

/// Bytes a workspace for this model takes, with what it needs to align itself in memory of any alignment.
PINION_API size_t pinion_work_f32_size(const pinion_model *m);
/// Makes a workspace in the caller's memory; NULL when `size` is too small. Nothing to free.
PINION_API pinion_work_f32 *pinion_work_f32_init(const pinion_model *m, void *memory, size_t size);
/// Makes a workspace on the heap; NULL when out of memory. This is the only allocation.
PINION_API pinion_work_f32 *pinion_work_f32_new(const pinion_model *m);
PINION_API void
pinion_work_f32_free(pinion_work_f32 *w); ///< only for those of pinion_work_f32_new; NULL is allowed
/// Says in words what the last failing call with this workspace objected to, naming the joint.
PINION_API const char *pinion_work_f32_message(const pinion_model *m, const pinion_work_f32 *w);

// ---------------------------------------------------------------------------------------------
// Dynamics: M(q) a + h(q, v) = tau + J' f_ext

/// Inverse dynamics: the joint forces for a motion. Recursive Newton-Euler, O(n).
/// @param f_ext  [nbody][6] force [moment; force] on each body in its link's frame (row 0, the base, is
/// ignored), or NULL
PINION_API PINION_CHECK pinion_status pinion_inverse_dynamics_f32(const pinion_model *m, pinion_work_f32 *w,
                                                                  const float *q /*[nq]*/,
                                                                  const float *v /*[nv] or NULL: 0*/,
                                                                  const float *a /*[nv] or NULL: 0*/,
                                                                  const float *f_ext, float *tau /*[nv]*/);

/// h(q, v): Coriolis, centrifugal and gravity forces, tau(q, v, 0).
PINION_API PINION_CHECK pinion_status pinion_bias_f32(const pinion_model *m, pinion_work_f32 *w,
                                                      const float *q, const float *v, float *tau /*[nv]*/);

/// Gravity forces, tau(q, 0, 0).
PINION_API PINION_CHECK pinion_status pinion_gravity_f32(const pinion_model *m, pinion_work_f32 *w,
                                                         const float *q, float *tau /*[nv]*/);

/// Mass matrix M(q), both triangles. Composite rigid bodies.
PINION_API PINION_CHECK pinion_status pinion_mass_matrix_f32(const pinion_model *m, pinion_work_f32 *w,
                                                             const float *q, float *M /*[nv][nv]*/);

/// Forward dynamics: the accelerations that joint forces cause. Articulated bodies, O(n).
/// PINION_ERR_SINGULAR when some motion of the joints moves no inertia; `a` is then not to be used.
PINION_API PINION_CHECK pinion_status pinion_forward_dynamics_f32(const pinion_model *m, pinion_work_f32 *w,
                                                                  const float *q,
                                                                  const float *v /*or NULL: 0*/,
                                                                  const float *tau /*or NULL: 0*/,
                                                                  const float *f_ext, float *a /*[nv]*/);

/// What dampers, springs and Coulomb friction exert on the joints: M a + h = tau + tau_p. Friction is
/// zero at v = 0. The functions above never include it.
PINION_API PINION_CHECK pinion_status pinion_passive_forces_f32(const pinion_model *m, pinion_work_f32 *w,
                                                                const float *q, const float *v /*or NULL: 0*/,
                                                                float *tau_p /*[nv]*/);

/// Adds a force given in a frame, at its origin, to the forces on the bodies.
/// @param force  [moment; force] in the frame's coordinates
/// @param f_ext  [nbody][6], as pinion_inverse_dynamics_f32 takes it
PINION_API PINION_CHECK pinion_status pinion_force_on_frame_f32(const pinion_model *m, int frame,
                                                                const float force[6], float *f_ext);

// ---------------------------------------------------------------------------------------------
// Energy, centre of mass, momentum: of the bodies that can move

/// Kinetic energy (rotors included) and potential energy (zero at the world's origin). Either may be NULL.
/// @param passive  nonzero: the potential energy includes the springs
PINION_API PINION_CHECK pinion_status pinion_energy_f32(const pinion_model *m, pinion_work_f32 *w,
                                                        const float *q, const float *v /*or NULL: 0*/,
                                                        int passive, float *kinetic, float *potential);

/// Centre of mass and its velocity in the world. `velocity` may be NULL. Not finite for a model without mass.
PINION_API PINION_CHECK pinion_status pinion_center_of_mass_f32(const pinion_model *m, pinion_work_f32 *w,
                                                                const float *q, const float *v /*or NULL: 0*/,
                                                                float position[3], float velocity[3]);

/// Momentum [angular; linear] about the centre of mass, world axes. Rotors are not part of it.
PINION_API PINION_CHECK pinion_status pinion_momentum_f32(const pinion_model *m, pinion_work_f32 *w,
                                                          const float *q, const float *v, float momentum[6]);

// ---------------------------------------------------------------------------------------------
// Frames

/// Poses of all frames in the world.
/// @param position  [frame_count][3] or NULL
/// @param rotation  [frame_count][9], row-major, columns are the frame's axes in the world, or NULL
PINION_API PINION_CHECK pinion_status pinion_frames_f32(const pinion_model *m, pinion_work_f32 *w,
                                                        const float *q, float *position, float *rotation);

/// The same for one frame.
PINION_API PINION_CHECK pinion_status pinion_frame_pose_f32(const pinion_model *m, pinion_work_f32 *w,
                                                            const float *q, int frame, float position[3],
                                                            float rotation[9]);

/// Jacobian of a frame: its velocity is J v.
PINION_API PINION_CHECK pinion_status pinion_jacobian_f32(const pinion_model *m, pinion_work_f32 *w,
                                                          const float *q, int frame,
                                                          pinion_reference reference, float *J /*[6][nv]*/);

/// Velocity [angular; linear] of a frame.
PINION_API PINION_CHECK pinion_status pinion_frame_velocity_f32(const pinion_model *m, pinion_work_f32 *w,
                                                                const float *q, const float *v, int frame,
                                                                pinion_reference reference,
                                                                float velocity[6]);

/// Acceleration [angular; linear] of a frame, gravity not included.
PINION_API PINION_CHECK pinion_status pinion_frame_acceleration_f32(
    const pinion_model *m, pinion_work_f32 *w, const float *q, const float *v, const float *a /*or NULL: 0*/,
    int frame, pinion_reference reference, pinion_acceleration kind, float acceleration[6]);

/// (dJ/dt) v, the part of a frame's acceleration that the joint accelerations do not cause, so that
/// d(J v)/dt = J a + (dJ/dt) v in the same reference.
PINION_API PINION_CHECK pinion_status pinion_jacobian_dot_v_f32(const pinion_model *m, pinion_work_f32 *w,
                                                                const float *q, const float *v, int frame,
                                                                pinion_reference reference, float out[6]);

// ---------------------------------------------------------------------------------------------
// What a controller asks for each cycle, the joints and poses of a state computed once

/// Every pointer may be NULL: that part is then left out.
typedef struct pinion_terms_f32 {
    float *M;                  ///< [nv][nv] mass matrix
    float *bias;               ///< [nv] h(q, v)
    float *gravity;            ///< [nv]
    float *position;           ///< [frame_count][3]
    float *rotation;           ///< [frame_count][9]
    float *jacobian;           ///< [jacobian_count][6][nv]
    const int *jacobian_frame; ///< [jacobian_count] the frames to give Jacobians of
    int jacobian_count;
    pinion_reference jacobian_reference;
} pinion_terms_f32;

/// Fills what `terms` asks for. PINION_ERR_ARGUMENT when a frame is out of range.
PINION_API PINION_CHECK pinion_status pinion_dynamics_terms_f32(const pinion_model *m, pinion_work_f32 *w,
                                                                const float *q, const float *v /*or NULL: 0*/,
                                                                const pinion_terms_f32 *terms);

// ---------------------------------------------------------------------------------------------
// The configuration space

/// The zero configuration: zero angles and displacements, unit quaternions.
PINION_API PINION_CHECK pinion_status pinion_neutral_f32(const pinion_model *m, float *q);
/// The model's own initial state; joints of which it says nothing are neutral and at rest.
PINION_API PINION_CHECK pinion_status pinion_initial_f32(const pinion_model *m, float *q,
                                                         float *v /*or NULL*/);
/// A configuration within the limits (unlimited angles from -pi to pi, displacements from -1 to 1),
/// the same for the same seed everywhere.
PINION_API PINION_CHECK pinion_status pinion_random_f32(const pinion_model *m, uint64_t seed, float *q);
/// q_out = q (+) v dt: moves along v, held constant in each joint's child frame, for dt. May be in place.
PINION_API PINION_CHECK pinion_status pinion_integrate_f32(const pinion_model *m, const float *q,
                                                           const float *v, float dt, float *q_out);
/// The v with q1 = q0 (+) v. Spherical, free and planar joints turn no further than half a turn, so that a
/// planar joint's angle is met up to whole turns; the angles of other joints are plain differences.
PINION_API PINION_CHECK pinion_status pinion_difference_f32(const pinion_model *m, const float *q0,
                                                            const float *q1, float *v);
/// Makes the quaternions in q unit again; PINION_ERR_QUATERNION when one is zero or not finite.
PINION_API PINION_CHECK pinion_status pinion_normalize_f32(const pinion_model *m, float *q);

PINION_END

#endif
