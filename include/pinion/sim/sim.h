/// Simulation: a model, what acts on it, and an integrator that moves it through time. Part of the library
/// pinion_sim, which is linked beside pinion.
#ifndef PINION_SIM_H
#define PINION_SIM_H

#include "pinion/sim/control.h"
#include "pinion/sim/forces.h"
#include "pinion/sim/sparse.h"
#include "pinion/sim/kinematics.h"
#include "pinion/pinion.h"
#include "pinion/sim/result.h"
#include "pinion/sim/sensors.h"
#include "pinion/sim/tasks.h"
#include "pinion/sim/trajectory.h"

PINION_BEGIN

typedef enum pinion_integrator {
    PINION_INTEGRATOR_DOPRI5 = 0,  ///< Dormand and Prince 5(4), adaptive, dense output
    PINION_INTEGRATOR_VERNER65,    ///< Verner 6(5), adaptive, dense output
    PINION_INTEGRATOR_RK4,         ///< the classical Runge-Kutta method of order 4, fixed step
    PINION_INTEGRATOR_EULER,       ///< semi-implicit Euler, fixed step: v first, then q with the new v
    PINION_INTEGRATOR_VARIATIONAL, ///< discrete variational midpoint rule, order 2, fixed step: energy stays near for
                        ///< long
    PINION_INTEGRATOR_BDF,         ///< SUNDIALS CVODE, stiff, variable order
    PINION_INTEGRATOR_ADAMS,       ///< SUNDIALS CVODE, not stiff, variable order
    PINION_INTEGRATOR_DIRK,        ///< SUNDIALS ARKODE, implicit Runge-Kutta of order 4
    PINION_INTEGRATOR_IDA,         ///< SUNDIALS IDA, on M(q) v' + h = tau as it stands
    PINION_INTEGRATOR_AUTO,        ///< DOPRI5 where the motion is smooth, BDF where it is stiff; the default
    PINION_INTEGRATOR_COUNT
} pinion_integrator;

/// "dopri5", ...; NULL out of range.
PINION_API const char *pinion_integrator_name(pinion_integrator integrator);
/// The integrator of that name, -1 when there is none.
PINION_API int pinion_integrator_find(const char *name);
/// Nonzero when it takes steps of the length it is told.
PINION_API int pinion_integrator_is_fixed(pinion_integrator integrator);
/// Nonzero when it remembers earlier steps, so that pinion_sim_store() restarts it: SUNDIALS's methods. AUTO does
/// while it is BDF, for which this is 0.
PINION_API int pinion_integrator_restarts(pinion_integrator integrator);
/// Nonzero when it takes models with closed loops: all but VARIATIONAL and IDA.
PINION_API int pinion_integrator_takes_loops(pinion_integrator integrator);

/// What keeps closed loops closed while errors of the integrator add up.
typedef enum pinion_stabilization {
    PINION_STABILIZATION_PROJECTION =
        0, ///< position and velocity are brought onto the constraints after each step; the default
    PINION_STABILIZATION_BAUMGARTE, ///< accelerations lead back: L a = c - 2 alpha rate - alpha^2 phi
    PINION_STABILIZATION_BOTH,      ///< the one and the other
    PINION_STABILIZATION_NONE,      ///< nothing does
    PINION_STABILIZATION_COUNT
} pinion_stabilization;

/// "projection", "baumgarte", "both", "none"; NULL out of range.
PINION_API const char *pinion_stabilization_name(pinion_stabilization stabilization);
/// The one of that name, -1 when there is none.
PINION_API int pinion_stabilization_find(const char *name);

/// What Coulomb friction of the joints is.
typedef enum pinion_friction {
    PINION_FRICTION_SMOOTH = 0, ///< friction tanh(v / friction_speed): nothing ever stands still quite; the default
    PINION_FRICTION_EXACT       ///< a joint slides or sticks; when it stops and breaks away is located. Not with
                                ///< VARIATIONAL and IDA. With contact it is part of the contact problem, at the ends
                                ///< of steps
} pinion_friction;

/// Get one from pinion_sim_options_default().
typedef struct pinion_sim_options {
    pinion_integrator integrator;
    double step; ///< s, of methods with a fixed step; of the others the first. 0 (default): 1e-3, or found
    double max_step;       ///< s; default INFINITY
    double rtol, atol;     ///< of adaptive methods, per step; default 1e-12 each
    int algorithm;         ///< of forward dynamics (pinion_algorithm_find); -1 (default): the library's default, with
                           ///< closed loops loop-proximal where it applies, which gets past singular positions
    int passive;           ///< nonzero (default): dampers, springs and friction of the joints act
    pinion_friction friction;
    double friction_speed; ///< rad/s or m/s, SMOOTH: tanh(v / it); default 1e-3
    double stiction;       ///< EXACT: a joint that sticks is held by so much times its friction; >= 1, the default
    int stops;             ///< nonzero: joint limits are compliant stops
    double stop_stiffness, stop_damping; ///< N m/rad and N m s/rad (N/m, N s/m); defaults 1e4 and 1e2
    pinion_torque_fn torque;             ///< joint forces, whatever gives them; NULL: none
    pinion_jump_fn torque_jump;          ///< when it jumps; NULL: never. pinion_controller_jump for a controller
    void *torque_user;                   ///< for both
    pinion_torque_fn actuators;          ///< the actuators' forces: its tau is u, of nu entries, and B u acts besides
    pinion_jump_fn actuators_jump;       ///< when it jumps; NULL: never
    void *actuators_user;                ///< for both
    double sample; ///< s: `actuators` is asked at the start and every so long, and what it says is held in between, as
                   ///< a computer does; 0 (default): it is asked at every instant
    double delay;  ///< s, at most `sample`: what it says acts so much later; 0 (default): at once
    const pinion_sensors *sensors; ///< what is read every `sample`; `actuators` gets what encoders read in the place of
                                   ///< q and v. NULL: none. Not copied, must outlive the simulation
    pinion_forces *forces; ///< NULL: none. Not copied, must outlive the simulation
    const pinion_scene_options *contact; ///< collisions of the model touch, and a ground where it says so; limits of
                                         ///< joints are rigid stops, those of tendons compliant ones, and loops stay
                                         ///< closed by it; its `stiction` is not read. Of EULER alone. NULL (default):
                                         ///< none. Not copied, must outlive the simulation
    pinion_stabilization stabilization; ///< of closed loops. ADAMS cannot project: it takes BAUMGARTE in its place
    double baumgarte;                   ///< 1/s, alpha of BAUMGARTE and BOTH; default 20
    pinion_torque_fn loop_torque;       ///< motors of the loop joints: its tau has loop_nv entries; NULL: none
    pinion_jump_fn loop_torque_jump;    ///< when it jumps; NULL: never
    void *loop_torque_user;             ///< for both
    uint32_t cookie;
} pinion_sim_options;

/// The defaults, to be changed where wanted.
PINION_API pinion_sim_options pinion_sim_options_default(void);

typedef struct pinion_sim pinion_sim; ///< belongs to one thread at a time

/// The model must outlive it. NULL with `err` filled on failure.
/// @param options NULL for the defaults
PINION_API pinion_sim *pinion_sim_new(const pinion_model *m, const pinion_sim_options *options,
                                      pinion_error *err);
PINION_API void pinion_sim_free(pinion_sim *s); ///< NULL is allowed

/// Puts the simulation at an instant. v may be NULL: at rest.
///
/// Closed loops must be closed there: q and v that miss a constraint by no more than 1e-6 are brought onto it,
/// others are refused with PINION_ERR_CONVERGENCE and a message that names the loop. pinion_assemble() and
/// pinion_project_velocity() make such q and v.
PINION_API PINION_CHECK pinion_status pinion_sim_start(pinion_sim *s, double t, const double *q,
                                                       const double *v);
/// The algorithm of its accelerations; -1: that of pinion_forward_dynamics() or pinion_loop_dynamics().
PINION_API int pinion_sim_algorithm(const pinion_sim *s);
/// What keeps the loops closed in this simulation, which ADAMS may choose for itself. With contact its steps do: none
/// projects, and BAUMGARTE acts besides.
PINION_API pinion_stabilization pinion_sim_stabilization(const pinion_sim *s);

/// Contact in a simulation, over all steps since it was made.
typedef struct pinion_contact_totals {
    int pairs;          ///< of collisions that may touch
    int left_out;       ///< collisions whose points are in a mesh file
    int most;           ///< points of contact at a time
    long impacts;       ///< that bounced
    long bounded;       ///< steps in which restitution was made less, since it would have added energy
    long unsolved;      ///< steps in which the solver did not meet its tolerance
    long softened;      ///< steps in which it did with a little compliance alone (pinion_scene_report)
    double penetration; ///< m, the largest
    double residual;    ///< m/s, the largest `natural` of pinion_contact_residuals
    double cone, dual, complementarity, dissipation; ///< the largest of the other residuals: N s, m/s, J, J
    long undetermined;  ///< rows of a run whose forces the velocities leave undetermined: they are of least norm
    long not_least;     ///< of these, those where the least norm was not found
    int immovable;      ///< points at a time that touch where nothing can part the bodies; they are left out
    int unrecorded;     ///< 1: more than PINION_RUN_PAIRS pairs touched, and some have no columns
} pinion_contact_totals;

/// PINION_ERR_ARGUMENT for a simulation without contact.
PINION_API PINION_CHECK pinion_status pinion_sim_contact(const pinion_sim *s, pinion_contact_totals *out);

// Events: sign changes of a quantity along the motion, found on the dense output.

typedef enum pinion_event_kind {
    PINION_EVENT_LIMIT = 0, ///< a joint, or the length of a tendon, passes one of its limits, rising when it leaves its
                            ///< range; index: joint, or the number of joints plus that of a tendon, or -1 for all
    PINION_EVENT_PLANE,     ///< a frame's origin passes the plane at `height` along the normal; index: frame
    PINION_EVENT_ENERGY,    ///< kinetic + potential energy passes `height`, J
    PINION_EVENT_KINETIC,   ///< kinetic energy passes `height`, J
    PINION_EVENT_FUNCTION,  ///< a function of the caller's passes `height`
    PINION_EVENT_KIND_COUNT
} pinion_event_kind;

/// What an event watches: *value at an instant, continuous along the motion. Must depend on its arguments alone. A
/// status other than PINION_OK ends the simulation.
typedef pinion_status (*pinion_event_fn)(void *user, double t, const double *q, const double *v, double *value);

/// Get one from pinion_event_def_default().
typedef struct pinion_event_def {
    pinion_event_kind kind;
    int index;        ///< joint, tendon or frame
    double normal[3]; ///< PLANE: any length but 0; default z
    double height;
    int direction; ///< +1: only when it rises through zero, -1: only when it falls, 0: both
    int stop;      ///< nonzero: the simulation ends there
    const char *name;         ///< FUNCTION: what it is called in texts, copied; NULL: "the function"
    pinion_event_fn function; ///< FUNCTION
    void *user;               ///< of the function
    uint32_t cookie;
} pinion_event_def;

/// One of LIMIT for all joints and tendons.
PINION_API pinion_event_def pinion_event_def_default(void);
/// Before the simulation starts. A failed call leaves it as it was.
PINION_API PINION_CHECK pinion_status pinion_sim_add_event(pinion_sim *s, const pinion_event_def *def,
                                                           pinion_error *err);

/// What an event looked like when it happened. The text belongs to the simulation.
typedef struct pinion_event_hit {
    int event; ///< in the order of pinion_sim_add_event()
    double t;
    const char *text; ///< "elbow reaches its upper limit"
    int stop;         ///< nonzero: the simulation ended there
} pinion_event_hit;

/// Moves on to time t (forwards), or to the first event that stops. What happens in between does not depend
/// on how the way is cut into calls: steps go past t, and the state at t is interpolated. PINION_ERR_STEP
/// when no step however small meets the tolerance; PINION_ERR_SINGULAR and the like as forward dynamics; the
/// state is then the last that was reached.
PINION_API PINION_CHECK pinion_status pinion_sim_advance(pinion_sim *s, double t);
/// The same with at most that many steps, so that the caller has a say from time to time: PINION_OK also when
/// t is not reached.
PINION_API PINION_CHECK pinion_status pinion_sim_advance_some(pinion_sim *s, double t, long steps);
/// The time reached; NaN before the start.
PINION_API double pinion_sim_time(const pinion_sim *s);
/// Nonzero after an event that stops. Advancing further then does nothing.
PINION_API int pinion_sim_stopped(const pinion_sim *s);
/// Takes the next of the events up to the time reached, in order of time; 0 when there is none left.
PINION_API int pinion_sim_next_event(pinion_sim *s, pinion_event_hit *hit);
/// What the last call objected to; "" when it succeeded.
PINION_API const char *pinion_sim_message(const pinion_sim *s);

/// The state at the time reached. Pointers may be NULL.
typedef struct pinion_sim_state {
    double t;
    double *q;                 ///< [nq]
    double *v;                 ///< [nv]
    double *a;                 ///< [nv]
    double *tau;               ///< [nv] of `torque`, and B u of the actuators
    double *u;                 ///< [nu] what the actuators give; 0 without `actuators`
    double kinetic, potential; ///< J; springs, stops and force elements in the potential
    double work;  ///< J, done since the start by all that is not in the potential: motors, dampers, friction,
                  ///< drag, and constraints that move by a law of time
    double drift; ///< J: kinetic + potential - work, less its value at the start: what the integrator made up
    double constraint; ///< largest deviation of a quaternion from unit length, and of loops from being closed
    double largest_kinetic, largest_drift; ///< J, in magnitude, at the ends of all steps up to t
} pinion_sim_state;

/// Fills in the state, and the arrays whose pointers are given.
PINION_API PINION_CHECK pinion_status pinion_sim_get(pinion_sim *s, pinion_sim_state *state);

/// The last readings of the sensors up to the time reached, as pinion_sensors_reading_name() names them.
/// PINION_ERR_ARGUMENT where there are none.
/// @param readings  [pinion_sensors_reading_count()]
PINION_API PINION_CHECK pinion_status pinion_sim_readings(const pinion_sim *s, double *readings);

/// Steps taken, steps refused, and evaluations of the accelerations for them since the start. Each may be
/// NULL.
PINION_API void pinion_sim_counts(const pinion_sim *s, long *steps, long *refused, long *evaluations);
/// Of AUTO: how many of the steps were BDF's, and how often it went from one method to the other; of any other
/// integrator 0. Each may be NULL.
PINION_API void pinion_sim_changes(const pinion_sim *s, long *implicit_steps, long *changes);

/// Of EXACT friction: how often a joint came to stick, and broke away, since the start. Each may be NULL.
PINION_API void pinion_sim_sticks(const pinion_sim *s, long *sticks, long *slips);

// Interrupting and going on. All that a simulation needs to go on exactly as it would have, as numbers.

/// How many.
PINION_API int pinion_sim_memory_size(const pinion_sim *s);
/// Stores them. For methods with a memory of earlier steps this also restarts the method, so that a run that
/// goes on and one that is resumed from here are the same.
PINION_API PINION_CHECK pinion_status pinion_sim_store(pinion_sim *s, double *memory);
/// Puts a simulation made with the same model, options and events where the stored one was. Events that were
/// not taken before storing are not kept.
PINION_API PINION_CHECK pinion_status pinion_sim_restore(pinion_sim *s, const double *memory, int count);

PINION_END

#include "pinion/sim/gains.h"
#include "pinion/sim/linearize.h"
#include "pinion/sim/run.h" // what is made of all this
#include "pinion/sim/sweep.h"
#include "pinion/sim/sweep_statistics.h"

#endif
