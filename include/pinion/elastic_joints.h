/// Elastic joints: a motor with a rotor behind a gear moves its link through a spring and a damper. Such a joint has
/// two coordinates, that of the link and that of the motor's shaft, and all functions of a model have both.
///
/// How it is made: joint JOINT moves the link, the continuous joint "JOINT.motor" turns the link "JOINT.rotor" on the
/// same parent, just before JOINT in the order of coordinates, and a tendon "JOINT.spring" of length theta / G - q
/// pulls the two together. The joint itself has no actuator, the motor has one. Spring and damper are passive forces.
#ifndef PINION_ELASTIC_JOINTS_H
#define PINION_ELASTIC_JOINTS_H

#include "pinion/elements.h"

PINION_BEGIN

typedef enum pinion_elastic_joint_model {
    PINION_ELASTIC_SPONG = 0, ///< reduced (Spong 1987): the rotor has energy from its own spin alone, J theta'^2 / 2;
                              ///< the parent link's inertia is that with the rotor
    PINION_ELASTIC_FULL,      ///< the rotor is a body that its parent carries: all inertial and gyroscopic coupling
    PINION_ELASTIC_MODEL_COUNT
} pinion_elastic_joint_model;

/// What makes a joint elastic. Get one from pinion_elastic_joint_def_default(). The rotor's inertia J and the gear
/// ratio G are those of the joint's own degree of freedom (rotor_inertia, above 0, and gear_ratio), and go to the
/// motor.
typedef struct pinion_elastic_joint_def {
    pinion_elastic_joint_model model;
    double stiffness; ///< k, N m/rad (N/m), at the joint: above 0
    double damping;   ///< d, N m s/rad (N s/m), at the joint, of the spring: >= 0
    double viscous;   ///< N m s/rad, at the motor's shaft: >= 0
    double mass;      ///< FULL: kg, of the rotor, above 0
    double across;    ///< FULL: kg m^2, its moment of inertia about axes across its own; below 0, the default: J / 2
    int has_pose;     ///< FULL: nonzero: the next two count, else the rotor sits in the joint's frame and on its axis
    pinion_pose pose; ///< of the rotor's frame in the parent link, its origin the rotor's centre of mass
    double axis[3];   ///< in that frame, any length but 0
    uint32_t cookie;
} pinion_elastic_joint_def;

PINION_API pinion_elastic_joint_def pinion_elastic_joint_def_default(void); ///< SPONG, nothing else set
/// Adds a joint of one coordinate that is elastic: its link side, its motor and the spring between them. A failed call
/// leaves the builder as it was.
PINION_API PINION_CHECK pinion_status pinion_builder_add_elastic_joint(pinion_builder *b, const pinion_joint_def *joint,
                                                                       const pinion_elastic_joint_def *elastic,
                                                                       pinion_error *err);

typedef struct pinion_elastic_joint_info {
    int joint, motor; ///< joints of the model
    int tendon;
    pinion_elastic_joint_model model;
    double stiffness, damping;
    double gear;          ///< G, turns of the motor for one of the joint, or rad/m
    double rotor_inertia; ///< J, about the rotor's own axis
} pinion_elastic_joint_info;

/// How many there are: found by their names and what is between them, also where they were described by hand.
PINION_API int pinion_model_elastic_joint_count(const pinion_model *m);
/// PINION_ERR_ARGUMENT when `index` is out of range.
PINION_API PINION_CHECK pinion_status pinion_model_elastic_joint(const pinion_model *m, int index,
                                                                 pinion_elastic_joint_info *out);

typedef struct pinion_elastic_joints pinion_elastic_joints; ///< memory for what follows, of one thread at a time

/// NULL when out of memory. The model must outlive it and stay as it is.
PINION_API pinion_elastic_joints *pinion_elastic_joints_new(const pinion_model *m);
PINION_API void pinion_elastic_joints_free(pinion_elastic_joints *x); ///< NULL is allowed
/// What the last failed call objected to; never NULL.
PINION_API const char *pinion_elastic_joints_message(const pinion_elastic_joints *x);

/// Joint forces of a motion, and how they change: tau, its first and its second derivative by time, exactly, in O(n).
/// RNEA over polynomials in time. PINION_ERR_LOOPS for closed loops; PINION_ERR_UNSUPPORTED in a library that was built
/// without C++ (-DPINION_TRACE=OFF).
/// @param v, a, jerk, snap  [nv] the velocity and its derivatives, component by component; NULL: 0
/// @param tau, dtau, ddtau  [nv]; NULL: not wanted
PINION_API PINION_CHECK pinion_status pinion_inverse_dynamics_rates(pinion_elastic_joints *x, const double *q,
                                                                    const double *v, const double *a,
                                                                    const double *jerk,
                                                                    const double *snap, double *tau, double *dtau,
                                                                    double *ddtau);

/// Inverse dynamics of elastic joints, exactly, in O(n): the motion of the links up to its fourth derivative says how
/// the motors move and what they have to give. With F what the link needs, theta = G (q + F / k), and the motor gives
/// J theta'' + F / G. Afterwards M a + h = tau + the forces of springs and dampers, with no tau at elastic joints.
/// Where a spring has a damper the link's motion alone does not decide that of the motor, d delta' = F - k delta with
/// delta = theta / G - q: theta is then taken from q, its velocity and acceleration follow, and snap does not count.
/// PINION_ERR_UNSUPPORTED for rotors of the full model: they couple, and the first would need 2 n + 2 derivatives.
/// @param passive  nonzero: the springs, dampers and friction of the joints themselves act, too
/// @param q, v, a  [nq], [nv], [nv] in: of the links; out: those of the motors are set
/// @param jerk, snap  [nv]; those of motors do not count
/// @param tau      [nv] what motors, and joints that are not elastic, give
PINION_API PINION_CHECK pinion_status pinion_elastic_joints_inverse_dynamics(pinion_elastic_joints *x, int passive,
                                                                             double *q, double *v, double *a,
                                                                             const double *jerk, const double *snap,
                                                                             double *tau);

PINION_END

#endif
