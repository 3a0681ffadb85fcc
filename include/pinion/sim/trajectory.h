/// Trajectories: q, v and a as functions of time. Part of the library pinion_sim.
#ifndef PINION_TRAJECTORY_H
#define PINION_TRAJECTORY_H

#include "pinion/sim/kinematics.h"

PINION_BEGIN

typedef struct pinion_trajectory
    pinion_trajectory; ///< belongs to one thread at a time; keeps a copy of the model

/// How the way is travelled, from rest to rest: s(0) = 0, s(T) = 1.
typedef enum pinion_profile {
    PINION_PROFILE_CYCLOIDAL = 0, ///< s = t/T - sin(2 pi t/T)/(2 pi), Saha's "normal" trajectory
    PINION_PROFILE_QUINTIC,       ///< s = 10 x^3 - 15 x^4 + 6 x^5, x = t/T
    PINION_PROFILE_TRAPEZOIDAL,   ///< constant acceleration, constant speed, constant deceleration
    PINION_PROFILE_UNIFORM, ///< constant speed throughout: s = t/T; moving already at its start, still at its end
    PINION_PROFILE_NONIC,   ///< 126 x^5 - 420 x^6 + 540 x^7 - 315 x^8 + 70 x^9: four derivatives are 0 at its ends
    PINION_PROFILE_COUNT
} pinion_profile;

/// "cycloidal", ...; NULL out of range.
PINION_API const char *pinion_profile_name(pinion_profile profile);
/// The profile of that name, -1 when there is none.
PINION_API int pinion_profile_find(const char *name);

/// From q0 to q1 along q0 (+) s(t) d, d = pinion_difference(q0, q1). Starts at t = 0.
/// @param blend  trapezoidal only: which part of the time is spent speeding up, and slowing down; above 0, at
/// most 1/2
PINION_API pinion_trajectory *pinion_trajectory_between(const pinion_model *m, const double *q0,
                                                        const double *q1, double duration,
                                                        pinion_profile profile, double blend,
                                                        pinion_error *err);

/// Through samples at increasing times: with v and a by quintic, with v by cubic pieces, else by a cubic
/// spline with continuous acceleration (its ends by "not a knot"). v and a may be NULL; a only with v.
/// Rotations turn no further than half a turn from one sample to the next; positions of free joints are
/// interpolated in the world.
/// @param t  [count], s; q [count][nq], v and a [count][nv]; one sample is a state
PINION_API pinion_trajectory *pinion_trajectory_samples(const pinion_model *m, int count, const double *t,
                                                        const double *q, const double *v, const double *a,
                                                        pinion_error *err);

/// The same from a CSV file: columns "t", "q.JOINT" and so on as pinion_coordinate_name() names them, in any
/// order, a unit in brackets behind a name allowed; or without a heading t, q and, if there are so many, v
/// and a. What `pinion sim` writes besides ("tau.*", "energy.*", "constraint") is passed
/// over; any other column is an error that names it.
PINION_API pinion_trajectory *pinion_trajectory_load(const pinion_model *m, const char *path,
                                                     pinion_error *err);

/// A frame moves from where it is at q0 along a straight line, its orientation kept, for `displacement` (m,
/// world). Every instant is solved by inverse kinematics, so that the frame is on the line to the tolerance
/// of `ik` (NULL: the defaults; directions without a weight are free). With joints to spare the motion is
/// that of least norm, to 1e-6. Fails where the line leaves the reach, passes a singular configuration or
/// runs into a limit, and says at which time.
PINION_API pinion_trajectory *pinion_trajectory_line(const pinion_model *m, const double *q0, int frame,
                                                     const double displacement[3], double duration,
                                                     pinion_profile profile, double blend,
                                                     const pinion_ik_options *ik, pinion_error *err);

/// A frame of a machine that floats (on a free or planar joint) moves from where it is at q0 straight to a pose and
/// turns about one axis, by what the joints do alone: the base goes where a momentum of zero leads it (Umetani and
/// Yoshida 1989; pinion_generalized_jacobian). So inverse dynamics gives the base's joint no force but gravity's. The
/// joints between base and frame move, with the motion of least norm where there are some to spare; others stand still.
/// Directions without a weight in `ik` (NULL: the defaults) are free. Fails where the way leaves the reach, the
/// generalized Jacobian is singular or a joint runs into a limit.
PINION_API pinion_trajectory *pinion_trajectory_floating(const pinion_model *m, const double *q0, int frame,
                                                         const pinion_pose *target, double duration,
                                                         pinion_profile profile, double blend,
                                                         const pinion_ik_options *ik, pinion_error *err);

PINION_API void pinion_trajectory_free(pinion_trajectory *trajectory); ///< NULL is allowed
/// One line about where the motion comes from: "101 samples of q; v and a by a cubic spline". Never NULL.
PINION_API const char *pinion_trajectory_text(const pinion_trajectory *trajectory);
PINION_API double pinion_trajectory_start(const pinion_trajectory *trajectory); ///< s
PINION_API double pinion_trajectory_end(const pinion_trajectory *trajectory);   ///< s
/// The times of the samples, at which the motion is exactly that given, and how many; NULL for other
/// trajectories.
PINION_API const double *pinion_trajectory_times(const pinion_trajectory *trajectory, int *count);

/// The motion at a time; before its start and after its end it stands still there. v and a may be NULL.
PINION_API PINION_CHECK pinion_status pinion_trajectory_at(pinion_trajectory *trajectory, double t, double *q,
                                                           double *v, double *a);
/// The next two derivatives of v there, as elastic joints ask for them (elastic_joints.h): of motions between two
/// configurations, and of samples, whose pieces are polynomials. PINION_ERR_UNSUPPORTED for lines, for
/// motions without momentum, and for samples of planar, spherical and free joints. Either may be NULL.
PINION_API PINION_CHECK pinion_status pinion_trajectory_higher(pinion_trajectory *trajectory, double t, double *jerk,
                                                               double *snap);

PINION_END

#endif
