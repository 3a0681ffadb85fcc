/// What is computed from a model and a state, in double precision: workspaces, and what has no row in the table of
/// calls. The others, inverse and forward dynamics, mass matrix, frames, ..., are in calls.h, which this includes.
///
/// q has nq entries, v, a and tau nv. Outputs go where the caller says and stay there. Nothing here
/// allocates (but see "Workspaces"), locks, prints or recurses, and the time of a call depends on the model alone.
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

// Every call takes any workspace of its model. It begins with memory for the functions that name no
// algorithm. What an algorithm needs beside (algorithms.h), and for models of more than 64
// velocities the inverse of M and the operational space, a workspace of pinion_work_new takes the
// first time and keeps: one allocation in that first call, none later. One in the caller's memory
// never allocates: the call is refused with PINION_ERR_MEMORY unless the memory is as large as
// pinion_work_size_for says.

/// Bytes a workspace for this model takes, with what it needs to align itself in memory of any alignment.
PINION_API size_t pinion_work_size(const pinion_model *m);
/// The same with room for an algorithm; -1: for every one that applies to the model. 0 when there is no such algorithm.
PINION_API size_t pinion_work_size_for(const pinion_model *m, int algorithm);
/// Makes a workspace in the caller's memory; NULL when `size` is too small. Nothing to free.
PINION_API pinion_work *pinion_work_init(const pinion_model *m, void *memory, size_t size);
/// Makes a workspace on the heap; NULL when out of memory.
PINION_API pinion_work *pinion_work_new(const pinion_model *m);
PINION_API void pinion_work_free(pinion_work *w); ///< only for those of pinion_work_new; NULL is allowed
/// What the last call with this workspace objected to, naming the joint; "" when it succeeded.
PINION_API const char *pinion_work_message(const pinion_work *w);

// ---------------------------------------------------------------------------------------------
// Forces on bodies

/// Adds a force given in a frame, at its origin, to the forces on the bodies.
/// @param force  [moment; force] in the frame's coordinates
/// @param f_ext  [nbody][6], as pinion_inverse_dynamics takes it
PINION_API PINION_CHECK pinion_status pinion_force_on_frame(const pinion_model *m, int frame,
                                                            const double force[6], double *f_ext);

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
// Along a direction

/// What joint forces change by along a direction, dtau = (dtau/dq) dq + (dtau/dv) dv + M da, in O(n); of the direction
/// what is NULL is zero. By q in the tangent space, as pinion_d_inverse_dynamics has it; so is the next.
PINION_API PINION_CHECK pinion_status pinion_inverse_dynamics_jvp(
    const pinion_model *m, pinion_work *w, const double *q, const double *v /*or NULL: 0*/,
    const double *a /*or NULL: 0*/, const double *f_ext /*[nbody][6] or NULL*/, const double *dq /*[nv] or NULL: 0*/,
    const double *dv /*[nv] or NULL: 0*/, const double *da /*[nv] or NULL: 0*/, double *dtau /*[nv]*/);
/// What accelerations change by, da = (da/dq) dq + (da/dv) dv + M^-1 dtau. Closed loops are kept, unless the model has
/// elastic links, too: PINION_ERR_UNSUPPORTED. PINION_ERR_SINGULAR as for forward dynamics.
PINION_API PINION_CHECK pinion_status pinion_forward_dynamics_jvp(
    const pinion_model *m, pinion_work *w, const double *q, const double *v /*or NULL: 0*/,
    const double *tau /*or NULL: 0*/, const double *f_ext /*[nbody][6] or NULL*/, const double *dq /*[nv] or NULL: 0*/,
    const double *dv /*[nv] or NULL: 0*/, const double *dtau /*[nv] or NULL: 0*/, double *da /*[nv]*/);

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
/// Jacobians of q (+) v dt, [nv][nv] each and in the tangent spaces: by q, which is the transport from q to where it
/// ends, and by v. They do not depend on q.
PINION_API PINION_CHECK pinion_status pinion_d_integrate(const pinion_model *m, const double *v, double dt,
                                                         double *dq /*[nv][nv] or NULL*/,
                                                         double *dv /*[nv][nv] or NULL*/);
/// Jacobians of what pinion_difference gave as v, by q0 and by q1, likewise.
PINION_API PINION_CHECK pinion_status pinion_d_difference(const pinion_model *m, const double *v,
                                                          double *dq0 /*[nv][nv] or NULL*/,
                                                          double *dq1 /*[nv][nv] or NULL*/);
/// Makes the quaternions in q unit again; PINION_ERR_QUATERNION when one is zero or not finite.
PINION_API PINION_CHECK pinion_status pinion_normalize(const pinion_model *m, double *q);

PINION_END

#include "pinion/calls.h"

#endif
