/// Controllers: joint torques as functions of time and state. Part of the library pinion_sim.
///
/// What a controller wants of the joints it gets from the model's actuators (pinion/actuators.h) and from nothing else:
/// no force acts on a free base, nor on a joint without a motor. PD and gravity are wanted joint forces tau, and u the
/// forces for which B u is nearest to tau. COMPUTED wants accelerations, and u gives what B reaches of them exactly:
/// B' (a - a_wanted) = 0, which is all of them where every freedom has an actuator, and for others partial feedback
/// linearization. Torques that are given, CONSTANT and TABLE, act from outside as they are.
#ifndef PINION_CONTROL_H
#define PINION_CONTROL_H

#include "pinion/sim/trajectory.h"

PINION_BEGIN

/// What a simulation asks at each instant: tau [nv]. Must depend on its arguments alone, so that a step can be
/// repeated. A status other than PINION_OK ends the simulation.
typedef pinion_status (*pinion_torque_fn)(void *user, double t, const double *q, const double *v, double *tau);

/// What a simulation asks before each step: the first instant after t at which the torques jump, or have a kink,
/// because of the time alone; INFINITY when there is none. No step goes across it, and at the instant itself the
/// torques are already those that follow. Must depend on its arguments alone. What is not after t ends the simulation
/// with PINION_ERR_CALLBACK.
typedef double (*pinion_jump_fn)(void *user, double t);

typedef struct pinion_controller pinion_controller; ///< belongs to one thread at a time

typedef enum pinion_control {
    PINION_CONTROL_CONSTANT = 0, ///< tau, or nothing, from outside
    PINION_CONTROL_TABLE,        ///< tau(t), likewise, linear between the instants, held outside
    PINION_CONTROL_PD,           ///< kp e + kd (v_target - v)
    PINION_CONTROL_COMPUTED,     ///< computed torque: M (a_target + kd (v_target - v) + kp e) + h
    PINION_CONTROL_COUNT
} pinion_control;

/// Get one from pinion_control_def_default().
///
/// The error e is pinion_difference(q, q_target), so that q (+) e = q_target. Planar, spherical and free joints
/// have their velocities in the child's frame, which is another one at q_target: v_target is the target's
/// velocity seen from the child's frame at q (its twist there), and a_target the derivative of its components as
/// both move. So v_target = v and e = 0 stay if nothing disturbs them, and near the target
/// e'' + kd e' + kp e = 0 for computed torque.
typedef struct pinion_control_def {
    pinion_control kind;
    int gravity;                ///< nonzero: adds the gravity torques at q (not with COMPUTED, which has them)
    int limit;                  ///< nonzero: u is cut to the actuators' effort limits, given torques to the joints'
    const double *tau;          ///< [nv] CONSTANT; NULL: zero
    int count;                  ///< TABLE
    const double *table_t;      ///< [count] increasing
    const double *table_tau;    ///< [count][nv]
    pinion_trajectory *target;  ///< PD, COMPUTED: not copied, must outlive the controller; NULL: `hold`
    const double *hold;         ///< [nq] where to stay, when there is no target trajectory
    const double *kp, *kd;      ///< [nv] >= 0, PD: N m/rad and N m s/rad (N/m, N s/m); COMPUTED: 1/s^2 and 1/s;
                                ///< NULL: 0
    uint32_t cookie;
} pinion_control_def;

/// A def to start from: no torque at all.
PINION_API pinion_control_def pinion_control_def_default(void);

/// Copies the arrays of its def. The model must outlive it. NULL on failure, and `err` names the argument.
PINION_API pinion_controller *pinion_controller_new(const pinion_model *m, const pinion_control_def *def,
                                                    pinion_error *err);
PINION_API void pinion_controller_free(pinion_controller *c); ///< NULL is allowed
/// What the actuators give, u [nu]: the `actuators` of a simulation whose `user` is a pinion_controller. Allocates
/// nothing.
PINION_API pinion_status pinion_controller_actuators(void *controller, double t, const double *q, const double *v,
                                                     double *u);
/// The same as joint forces, B u, with the torques that are given: a pinion_torque_fn whose `user` is a
/// pinion_controller. Allocates nothing.
PINION_API pinion_status pinion_controller_torque(void *controller, double t, const double *q, const double *v,
                                                  double *tau);
/// Where the controller wants the model to be: PD and COMPUTED. Allocates nothing; PINION_ERR_ARGUMENT for others.
/// @param q_target, v_target  [nq], [nv] of the target itself
/// @param q_error, v_error    [nv] e = pinion_difference(q, q_target), and v_target as seen from q less v
PINION_API PINION_CHECK pinion_status pinion_controller_target(pinion_controller *c, double t, const double *q,
                                                               const double *v, double *q_target, double *v_target,
                                                               double *q_error, double *v_error);
/// Other gains for PD and COMPUTED; each may be NULL: as it was. Between the steps of a run: pinion_run_changed().
/// @param kp, kd  [nv] as in the def
PINION_API PINION_CHECK pinion_status pinion_controller_set_gains(pinion_controller *c, const double *kp,
                                                                  const double *kd);
/// Another place to stay for one that has no target trajectory.
/// @param hold  [nq]
PINION_API PINION_CHECK pinion_status pinion_controller_set_hold(pinion_controller *c, const double *hold);
/// A pinion_jump_fn whose `user` is a pinion_controller, to be given beside pinion_controller_torque: the instants of a
/// TABLE, and those where velocities or accelerations of a target trajectory jump: the blends of a trapezoidal profile,
/// where samples begin and end.
PINION_API double pinion_controller_jump(void *controller, double t);
/// Reads a table of torques from CSV: "t" and "tau.JOINT" columns as pinion_coordinate_name() names them (those
/// missing are zero; what else results have, "q.JOINT" or "energy.kinetic" say, is passed over, any other column is an
/// error), or without a heading t and nv numbers. Times increase. Arrays to be released with pinion_free().
/// @param t    [count]
/// @param tau  [count][nv]
PINION_API PINION_CHECK pinion_status pinion_torques_load(const pinion_model *m, const char *path, int *count,
                                                          double **t, double **tau, pinion_error *err);

PINION_END

#endif
