/// For people who come from elsewhere: configurations, velocities, accelerations and joint forces from and to the
/// layouts of MuJoCo and Pinocchio. docs/coming-from.md has the conventions side by side.
///
/// A converter is made once for a model; the conversions allocate nothing and may be called from several threads.
/// Arrays called `theirs` are in the other layout. They must not overlap with the other arrays of the call.
#ifndef PINION_LAYOUTS_H
#define PINION_LAYOUTS_H

#include "pinion/model.h"

PINION_BEGIN

typedef enum pinion_convention {
    /// qpos, qvel, qacc and qfrc of MuJoCo. Joints in Pinion's order, which is that of the file. Free joint: position,
    /// quaternion w x y z; linear velocity along the world's axes, angular velocity along the body's. Ball joint:
    /// quaternion w x y z; angular velocity along the body's axes. A planar joint is two slides and a hinge, a
    /// cylindrical one a hinge and a slide, a universal one two hinges.
    PINION_CONVENTION_MUJOCO = 0,
    /// q, v, a and tau of a model that Pinocchio made of the same URDF file. Joints depth first, those below one link
    /// sorted by name. Free flyer: position, quaternion x y z w; linear, then angular velocity along the body's axes.
    /// Spherical joint: quaternion x y z w. Continuous joint: cosine, sine. Planar joint: x, y, cosine, sine.
    PINION_CONVENTION_PINOCCHIO
} pinion_convention;

typedef struct pinion_converter pinion_converter;

/// NULL with `err` filled (it may be NULL) where the convention has no layout for the model: with joints that follow
/// others (load it with mimic = independent); for MuJoCo with helical joints, and with free or spherical joints whose
/// frame is not that of the world or of the body. The model need not outlive it.
PINION_API pinion_converter *pinion_converter_new(const pinion_model *m, pinion_convention convention,
                                                  pinion_error *err);
PINION_API void pinion_converter_free(pinion_converter *c); ///< NULL is allowed

/// How many numbers the other layout has for a configuration, and for a velocity.
PINION_API int pinion_converter_nq(const pinion_converter *c);
PINION_API int pinion_converter_nv(const pinion_converter *c);
/// Where a joint of the model has its first number there; -1 for a joint without coordinates.
PINION_API int pinion_converter_q_index(const pinion_converter *c, int joint);
PINION_API int pinion_converter_v_index(const pinion_converter *c, int joint);

// Each returns PINION_ERR_ARGUMENT when an array is NULL that has numbers, and PINION_ERR_QUATERNION when a quaternion,
// or a pair of cosine and sine, is not of unit length within 1e-6. q and v beside `theirs` are Pinion's.

/// A configuration from theirs. An angle that is given as cosine and sine comes out between -pi and pi.
PINION_API PINION_CHECK pinion_status pinion_convert_q_from(const pinion_converter *c, const double *theirs, double *q);
/// A configuration to theirs.
PINION_API PINION_CHECK pinion_status pinion_convert_q_to(const pinion_converter *c, const double *q, double *theirs);

/// A velocity from theirs.
PINION_API PINION_CHECK pinion_status pinion_convert_v_from(const pinion_converter *c, const double *q,
                                                            const double *theirs, double *v);
/// A velocity to theirs.
PINION_API PINION_CHECK pinion_status pinion_convert_v_to(const pinion_converter *c, const double *q, const double *v,
                                                          double *theirs);

/// An acceleration from theirs: the time derivative of the velocity's numbers, here and there.
PINION_API PINION_CHECK pinion_status pinion_convert_a_from(const pinion_converter *c, const double *q,
                                                            const double *v, const double *theirs, double *a);
/// An acceleration to theirs.
PINION_API PINION_CHECK pinion_status pinion_convert_a_to(const pinion_converter *c, const double *q, const double *v,
                                                          const double *a, double *theirs);

/// Joint forces from theirs: those with the same power.
PINION_API PINION_CHECK pinion_status pinion_convert_tau_from(const pinion_converter *c, const double *q,
                                                              const double *theirs, double *tau);
/// Joint forces to theirs.
PINION_API PINION_CHECK pinion_status pinion_convert_tau_to(const pinion_converter *c, const double *q,
                                                            const double *tau, double *theirs);

PINION_END

#endif
