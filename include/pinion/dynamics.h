/// What is computed from a model and a state, in double precision.
///
/// q has nq entries, v, a and tau nv. Outputs go where the caller says and stay there. Nothing here
/// allocates, locks, prints or recurses, and the time of a call depends on the model alone.
#ifndef PINION_DYNAMICS_H
#define PINION_DYNAMICS_H

#include "pinion/model.h"

PINION_BEGIN

/// The coordinates a frame's velocity, acceleration or Jacobian is given in.
typedef enum pinion_reference {
    PINION_REFERENCE_WORLD_ALIGNED = 0, ///< at the frame's origin, along the world's axes (the default)
    PINION_REFERENCE_LOCAL,             ///< at the frame's origin, along the frame's own axes
    PINION_REFERENCE_WORLD              ///< at the world's origin, along the world's axes
} pinion_reference;

typedef enum pinion_acceleration {
    PINION_ACCELERATION_CLASSICAL = 0, ///< linear part: the second derivative of the position of the reference's point
    PINION_ACCELERATION_SPATIAL        ///< the derivative of the spatial velocity
} pinion_acceleration;

// ---------------------------------------------------------------------------------------------
// Workspaces

typedef struct pinion_work pinion_work; ///< scratch memory of one thread

/// Bytes a workspace for this model takes, with what it needs to align itself in memory of any alignment.
PINION_API size_t pinion_work_size(const pinion_model *m);
/// Makes a workspace in the caller's memory; NULL when `size` is too small. Nothing to free.
PINION_API pinion_work *pinion_work_init(const pinion_model *m, void *memory, size_t size);
/// Makes a workspace on the heap; NULL when out of memory. This is the only allocation.
PINION_API pinion_work *pinion_work_new(const pinion_model *m);
PINION_API void pinion_work_free(pinion_work *w); ///< only for those of pinion_work_new; NULL is allowed
/// Says in words what the last failing call with this workspace objected to, naming the joint.
PINION_API const char *pinion_work_message(const pinion_model *m, const pinion_work *w);

// ---------------------------------------------------------------------------------------------
// Dynamics: M(q) a + h(q, v) = tau + J' f_ext

/// Inverse dynamics: the joint forces for a motion. Recursive Newton-Euler, O(n).
/// @param f_ext  [nbody][6] force [moment; force] on each body in its link's frame (row 0, the base, is
/// ignored), or NULL
PINION_API PINION_CHECK pinion_status pinion_inverse_dynamics(const pinion_model *m, pinion_work *w,
                                                              const double *q /*[nq]*/,
                                                              const double *v /*[nv] or NULL: 0*/,
                                                              const double *a /*[nv] or NULL: 0*/,
                                                              const double *f_ext, double *tau /*[nv]*/);

/// h(q, v): Coriolis, centrifugal and gravity forces, tau(q, v, 0).
PINION_API PINION_CHECK pinion_status pinion_bias(const pinion_model *m, pinion_work *w, const double *q,
                                                  const double *v, double *tau /*[nv]*/);

/// Gravity forces, tau(q, 0, 0).
PINION_API PINION_CHECK pinion_status pinion_gravity(const pinion_model *m, pinion_work *w, const double *q,
                                                     double *tau /*[nv]*/);

/// Mass matrix M(q), both triangles. Composite rigid bodies. PINION_ERR_UNSUPPORTED, here and wherever M is asked for,
/// when the model has more than 46340 velocities.
PINION_API PINION_CHECK pinion_status pinion_mass_matrix(const pinion_model *m, pinion_work *w,
                                                         const double *q, double *M /*[nv][nv]*/);

/// Forward dynamics: the accelerations that joint forces cause. Articulated bodies, O(n). Closed loops are kept, at
/// t = 0 and without stabilization; pinion_loop_dynamics has more to say of them.
/// PINION_ERR_SINGULAR when some motion of the joints moves no inertia; `a` is then not to be used.
PINION_API PINION_CHECK pinion_status pinion_forward_dynamics(const pinion_model *m, pinion_work *w,
                                                              const double *q, const double *v /*or NULL: 0*/,
                                                              const double *tau /*or NULL: 0*/,
                                                              const double *f_ext, double *a /*[nv]*/);

/// What dampers, springs and Coulomb friction exert on the joints: M a + h = tau + tau_p. Friction is
/// zero at v = 0. The functions above never include it.
PINION_API PINION_CHECK pinion_status pinion_passive_forces(const pinion_model *m, pinion_work *w,
                                                            const double *q, const double *v /*or NULL: 0*/,
                                                            double *tau_p /*[nv]*/);

/// Adds a force given in a frame, at its origin, to the forces on the bodies.
/// @param force  [moment; force] in the frame's coordinates
/// @param f_ext  [nbody][6], as pinion_inverse_dynamics takes it
PINION_API PINION_CHECK pinion_status pinion_force_on_frame(const pinion_model *m, int frame,
                                                            const double force[6], double *f_ext);

// ---------------------------------------------------------------------------------------------
// Energy, centre of mass, momentum: of the bodies that can move

/// Kinetic energy (rotors included) and potential energy (zero at the world's origin). Either may be NULL.
/// @param passive  nonzero: the potential energy includes the springs
PINION_API PINION_CHECK pinion_status pinion_energy(const pinion_model *m, pinion_work *w, const double *q,
                                                    const double *v /*or NULL: 0*/, int passive,
                                                    double *kinetic, double *potential);

/// Centre of mass and its velocity in the world. `velocity` may be NULL. Not finite for a model without mass.
PINION_API PINION_CHECK pinion_status pinion_center_of_mass(const pinion_model *m, pinion_work *w,
                                                            const double *q, const double *v /*or NULL: 0*/,
                                                            double position[3], double velocity[3]);

/// Momentum [angular; linear] about the centre of mass, world axes. Rotors are not part of it.
PINION_API PINION_CHECK pinion_status pinion_momentum(const pinion_model *m, pinion_work *w, const double *q,
                                                      const double *v, double momentum[6]);

// ---------------------------------------------------------------------------------------------
// Frames

/// Poses of all frames in the world.
/// @param position  [frame_count][3] or NULL
/// @param rotation  [frame_count][9], row-major, columns are the frame's axes in the world, or NULL
PINION_API PINION_CHECK pinion_status pinion_frames(const pinion_model *m, pinion_work *w, const double *q,
                                                    double *position, double *rotation);

/// The same for one frame.
PINION_API PINION_CHECK pinion_status pinion_frame_pose(const pinion_model *m, pinion_work *w,
                                                        const double *q, int frame, double position[3],
                                                        double rotation[9]);

/// Jacobian of a frame: its velocity is J v.
PINION_API PINION_CHECK pinion_status pinion_jacobian(const pinion_model *m, pinion_work *w, const double *q,
                                                      int frame, pinion_reference reference,
                                                      double *J /*[6][nv]*/);

/// Velocity [angular; linear] of a frame.
PINION_API PINION_CHECK pinion_status pinion_frame_velocity(const pinion_model *m, pinion_work *w,
                                                            const double *q, const double *v, int frame,
                                                            pinion_reference reference, double velocity[6]);

/// Acceleration [angular; linear] of a frame, gravity not included.
PINION_API PINION_CHECK pinion_status pinion_frame_acceleration(
    const pinion_model *m, pinion_work *w, const double *q, const double *v, const double *a /*or NULL: 0*/,
    int frame, pinion_reference reference, pinion_acceleration kind, double acceleration[6]);

/// (dJ/dt) v, the part of a frame's acceleration that the joint accelerations do not cause, so that
/// d(J v)/dt = J a + (dJ/dt) v in the same reference.
PINION_API PINION_CHECK pinion_status pinion_jacobian_dot_v(const pinion_model *m, pinion_work *w,
                                                            const double *q, const double *v, int frame,
                                                            pinion_reference reference, double out[6]);

// ---------------------------------------------------------------------------------------------
// What a controller asks for each cycle, the joints and poses of a state computed once

/// Every pointer may be NULL: that part is then left out.
typedef struct pinion_terms {
    double *M;                 ///< [nv][nv] mass matrix
    double *bias;              ///< [nv] h(q, v)
    double *gravity;           ///< [nv]
    double *position;          ///< [frame_count][3]
    double *rotation;          ///< [frame_count][9]
    double *jacobian;          ///< [jacobian_count][6][nv]
    const int *jacobian_frame; ///< [jacobian_count] the frames to give Jacobians of
    int jacobian_count;
    pinion_reference jacobian_reference;
} pinion_terms;

/// Fills what `terms` asks for. PINION_ERR_ARGUMENT when a frame is out of range.
PINION_API PINION_CHECK pinion_status pinion_dynamics_terms(const pinion_model *m, pinion_work *w,
                                                            const double *q, const double *v /*or NULL: 0*/,
                                                            const pinion_terms *terms);

// ---------------------------------------------------------------------------------------------
// The configuration space

/// The zero configuration: zero angles and displacements, unit quaternions.
PINION_API PINION_CHECK pinion_status pinion_neutral(const pinion_model *m, double *q);
/// The model's own initial state; joints of which it says nothing are neutral and at rest.
PINION_API PINION_CHECK pinion_status pinion_initial(const pinion_model *m, double *q, double *v /*or NULL*/);
/// A configuration within the limits (unlimited angles from -pi to pi, displacements from -1 to 1),
/// the same for the same seed everywhere.
PINION_API PINION_CHECK pinion_status pinion_random(const pinion_model *m, uint64_t seed, double *q);
/// q_out = q (+) v dt: moves along v, held constant in each joint's child frame, for dt. May be in place.
PINION_API PINION_CHECK pinion_status pinion_integrate(const pinion_model *m, const double *q,
                                                       const double *v, double dt, double *q_out);
/// The v with q1 = q0 (+) v. Spherical, free and planar joints turn no further than half a turn, so that a
/// planar joint's angle is met up to whole turns; the angles of other joints are plain differences.
PINION_API PINION_CHECK pinion_status pinion_difference(const pinion_model *m, const double *q0,
                                                        const double *q1, double *v);
/// Makes the quaternions in q unit again; PINION_ERR_QUATERNION when one is zero or not finite.
PINION_API PINION_CHECK pinion_status pinion_normalize(const pinion_model *m, double *q);

PINION_END

#endif
