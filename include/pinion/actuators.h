/// Actuators: what turns u, the forces that motors give, into joint forces: tau = B(q) u, B of nv x nu.
///
/// A model with a list of actuators is moved by those alone. Without a list every degree of freedom has an ideal
/// actuator of its own, named as the joint (JOINT.0, JOINT.1, ... where it has several), but for free joints, joints
/// that follow others and joints that are said to be unactuated. Rotor inertia is the joint's; no gear here adds to
/// it.
#ifndef PINION_ACTUATORS_H
#define PINION_ACTUATORS_H

#include "pinion/dynamics.h"

PINION_BEGIN

typedef enum pinion_actuator_type {
    PINION_ACTUATOR_JOINT = 0, ///< on one degree of freedom of a joint
    PINION_ACTUATOR_SUM,       ///< on a weighted sum of joints, as a tendon or a differential does
    PINION_ACTUATOR_FRAME,     ///< a force and a moment fixed in a frame, as a thruster has
    PINION_ACTUATOR_TENDON,    ///< along a tendon of the model, as a cable that is wound up
    PINION_ACTUATOR_CRANK,     ///< along a slider, whose rod turns a crank
    PINION_ACTUATOR_PAIR,      ///< a force and a moment between two frames, fixed in the second
    PINION_ACTUATOR_TYPE_COUNT
} pinion_actuator_type;

/// What lies between the u that is asked of an actuator and the u that it gives, in time. All zero: nothing.
///
/// What is asked for arrives `delay` later. A lag then gives lag u' = asked - u. A motor has a drive that puts
/// V = R asked / k + k_e w on it, within its voltage, where w is the actuator's speed, and gives u = k i with
/// L i' = V - R i - k_e w: what is asked for by a lag of L/R while the voltage suffices, and what the line from stall
/// torque to no-load speed leaves beyond. All of it is part of simulations; B, inverse dynamics and controllers know of
/// the forces alone.
typedef struct pinion_actuator_dynamics {
    double delay;           ///< s
    double lag;             ///< s; not beside a motor
    double torque_constant; ///< k, N m/A (N/A) of a motor; 0: there is none. Not for FRAME, PAIR
    double back_emf;        ///< k_e, V s/rad (V s/m); 0: as the torque constant
    double resistance;      ///< R, ohm, above 0 with a motor
    double inductance;      ///< L, H; 0: the current follows at once
    double voltage;         ///< V, the largest magnitude; 0: without limit
    double initial;         ///< u at the start, and asked for until the delay is over
} pinion_actuator_dynamics;

/// An actuator's own law, as a servo drive has: by it a control signal c becomes the force
/// u = (gain + slope[0] l + slope[1] w) c + bias[0] + bias[1] l + bias[2] w, with l and w from
/// pinion_actuator_length() and _speed(). It is used where controls are given (pinion_actuation_controls(),
/// `sim --ctrl`); controllers, B and inverse dynamics know of the forces alone.
///
/// Where it has a `filter` or integrates, an activation a stands there in place of c: filter a' = c - a, or a' = c.
typedef struct pinion_actuator_law {
    double gain;       ///< 1 by default; 0 where slope or bias is not
    double bias[3];    ///< 0 by default
    double control[2]; ///< the least and the largest c; infinite: none
    double slope[2];   ///< 0 by default; a damper whose damping is the control has slope[1] < 0 alone
    double filter;     ///< s, >= 0; 0 by default: none
    int integrates;    ///< nonzero: it does, and has no filter
    double state[2];   ///< the least and the largest a; infinite: none
} pinion_actuator_law;

/// An actuator to add. Get one from pinion_actuator_def_default().
typedef struct pinion_actuator_def {
    const char *name;
    pinion_actuator_type type;
    int count;                 ///< SUM: of the three arrays that follow; JOINT: 1
    const char *const *joints; ///< JOINT, SUM: names of joints of the tree
    const int *dofs;           ///< which degree of freedom of each; NULL: the first
    const double *weights;     ///< SUM: what each takes part with, not 0; NULL: 1
    const char *frame;         ///< FRAME, PAIR: the name of a link or a frame; CRANK: where the rod ends on the crank
    const char *reference;     ///< PAIR: the other one; CRANK: the slider moves from its origin along its z axis
    const char *tendon;        ///< TENDON: the name of a tendon
    double rod;                ///< CRANK: the length of the rod, > 0
    double wrench[6];          ///< FRAME: [moment; force] at the frame's origin and along its axes, for u = 1. PAIR:
                               ///< likewise, along the reference's axes; the reference gets the opposite at its origin
                               ///< and the nearest link that carries both the couple that this leaves: what moves
                               ///< both alike gets nothing
    double gear;               ///< joint force for u = 1, not 0; the default is 1
    double efficiency;         ///< above 0, at most 1: the part of it that arrives; the default is 1
    double effort[2];          ///< least and largest u; infinite: none, and JOINT takes the joint's own limit
    double velocity;           ///< largest speed of the actuator, see pinion_actuator_speed(); INFINITY likewise
    pinion_actuator_dynamics dynamics; ///< all zero by default
    pinion_actuator_law law;           ///< u = c by default
    int line;                  ///< where the file says so, for error messages; 0 when unknown
    uint32_t cookie;
} pinion_actuator_def;

/// One without a name, of type JOINT, with a gear and an efficiency of 1 and no limits.
PINION_API pinion_actuator_def pinion_actuator_def_default(void);
/// Adds an actuator; the model has a list then.
PINION_API PINION_CHECK pinion_status pinion_builder_add_actuator(pinion_builder *b,
                                                                  const pinion_actuator_def *def,
                                                                  pinion_error *err);
/// Nonzero: the model has a list of actuators, even if none is added, and then nothing moves it.
PINION_API PINION_CHECK pinion_status pinion_builder_list_actuators(pinion_builder *b, int listed);

/// What an actuator adds to a row of B.
typedef struct pinion_actuator_term {
    int joint, dof;  ///< a joint, which may follow another one, and a degree of freedom of it
    double weight;   ///< as described
    int v_index;     ///< the coordinate that it acts on
    double factor;   ///< weight * gear * efficiency, and the multiplier of a joint that follows
} pinion_actuator_term;

typedef struct pinion_actuator_info {
    const char *name;
    pinion_actuator_type type;
    int term_count;                   ///< 0: what it does to the joints depends on q
    const pinion_actuator_term *term; ///< belongs to the model
    int frame, reference;             ///< -1: none
    int carrier;                      ///< PAIR: the nearest link that carries both frames, else -1
    int tendon;                       ///< -1 unless TENDON
    double rod;                       ///< 0 unless CRANK
    double wrench[6];
    double gear, efficiency;
    double effort[2], velocity; ///< as in the definition, the joint's own limits filled in
    pinion_actuator_dynamics dynamics; ///< back_emf filled in
    pinion_actuator_law law;
} pinion_actuator_info;

PINION_API int pinion_model_actuator_count(const pinion_model *m); ///< nu
/// Nonzero: the model has a list of its own; 0: each joint has its ideal actuator.
PINION_API int pinion_model_actuators_listed(const pinion_model *m);
/// PINION_ERR_ARGUMENT when `index` is out of range.
PINION_API PINION_CHECK pinion_status pinion_model_actuator(const pinion_model *m, int index,
                                                            pinion_actuator_info *out);
/// The index of the actuator of that name, -1 when there is none.
PINION_API int pinion_model_find_actuator(const pinion_model *m, const char *name);
/// "joint", "sum", "frame", "tendon", "crank", "pair"; NULL out of range.
PINION_API const char *pinion_actuator_type_name(pinion_actuator_type type);

/// The time constant of what an actuator gives, s: its lag, or inductance / resistance of its motor. Where it is
/// not 0, u is part of the state of a simulation.
PINION_API double pinion_actuator_time_constant(const pinion_actuator_info *a);
/// What an actuator settles at when `asked` is asked of it at a speed: that, unless the voltage of its motor does not
/// suffice for it.
PINION_API double pinion_actuator_settled(const pinion_actuator_info *a, double asked, double speed);

/// B at q, row-major. It depends on q where there are actuators without terms.
///
/// The column of a TENDON is gear * efficiency times the gradient of its length, that of a CRANK times the gradient of
/// where the slider is: s = a - sqrt(a^2 + rod^2 - d^2), with a how far the crank's end is from the slider's origin
/// along its z axis and d how far in all; s = a where the rod is too short to reach.
/// @param B  [nv][nu]
PINION_API PINION_CHECK pinion_status pinion_actuation_matrix(const pinion_model *m, pinion_work *w,
                                                              const double *q, double *B);
/// tau = B u, without B.
PINION_API PINION_CHECK pinion_status pinion_actuation_torque(const pinion_model *m, pinion_work *w,
                                                              const double *q, const double *u /*[nu]*/,
                                                              double *tau);

/// Derivatives of B u by q in the tangent space, u constant. Takes memory while it runs.
/// @param dq  [nv][nv]
PINION_API PINION_CHECK pinion_status pinion_d_actuation_torque(const pinion_model *m, pinion_work *w,
                                                                const double *q, const double *u /*[nu]*/,
                                                                double *dq);
/// The speed of an actuator, what u times it is the power of before losses: gear times the sum of weights * v, or the
/// rate of the length that it acts along.
PINION_API PINION_CHECK pinion_status pinion_actuator_speed(const pinion_model *m, pinion_work *w, const double *q,
                                                            const double *v, int index, double *speed);
/// The length that an actuator acts along, whose rate its speed is: gear times the sum of weights * q, the length of
/// its tendon or where its slider is. Of a spherical joint it is that of the rotation vector. For a PAIR it is the
/// place of the frame seen from the reference times the force, and the rotation vector between them times the moment,
/// whose rate is the speed only where the reference does not turn and the rotation is small. 0 where there is none:
/// FRAME, free joints, displacements of planar ones.
PINION_API PINION_CHECK pinion_status pinion_actuator_length(const pinion_model *m, pinion_work *w, const double *q,
                                                             int index, double *length);
/// The activation of a law at time t >= 0 under a constant control, which counts within its range: from 0 at t = 0, or
/// what is next to it in the range of the activation. The control itself where there is no activation.
PINION_API double pinion_actuator_activation(const pinion_actuator_law *law, double control, double t);
/// The forces that the actuators' laws make of controls, within the limits of both. A position servo (bias[1] = -gain)
/// on a spherical joint turns the shorter way.
/// @param control  [nu]; of laws with an activation that
/// @param u        [nu]
PINION_API PINION_CHECK pinion_status pinion_actuation_controls(const pinion_model *m, pinion_work *w, const double *q,
                                                                const double *v, const double *control, double *u);

// The other way: which u give these joint forces.

typedef struct pinion_allocation pinion_allocation; ///< memory for it; belongs to one thread at a time

/// NULL when out of memory. The model must outlive it.
PINION_API pinion_allocation *pinion_allocation_new(const pinion_model *m);
PINION_API void pinion_allocation_free(pinion_allocation *x); ///< NULL is allowed
/// The u for which B u comes nearest to tau, of several the one with the least sum of squares. Where B u can be
/// tau, it is. With closed loops the forces that keep them take their part of tau, unless every coordinate has an
/// actuator of its own. Allocates nothing.
/// @param limit  nonzero: u is then cut to the effort limits
/// @param u      [nu]
/// @param rest   [nv] tau - B u: what the actuators cannot give; may be NULL
PINION_API PINION_CHECK pinion_status pinion_allocation_forces(pinion_allocation *x, const double *q,
                                                               const double *tau, int limit, double *u,
                                                               double *rest);

PINION_END

#endif
