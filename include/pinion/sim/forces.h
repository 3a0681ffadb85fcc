/// Force elements: what acts on the bodies besides gravity and the motors. Part of the library pinion_sim.
#ifndef PINION_FORCES_H
#define PINION_FORCES_H

#include "pinion/dynamics.h"

PINION_BEGIN

typedef struct pinion_forces pinion_forces; ///< a list of elements; belongs to one thread at a time

/// Every def comes from its _default() function. Frames are indices into the model; -1 is the world, where a spring
/// may be fixed. `name` may be NULL: the element is then called "spring 1" and so on. What each element exerts, what
/// counts as potential and what as power: docs/force-elements.md.

/// A spring and a damper on the straight line between two points. Where these coincide the line has no direction:
/// the damper and the part of the force due to `length` are zero there.
typedef struct pinion_spring_def {
    const char *name;
    int frame_a, frame_b;          ///< one of them can move
    double point_a[3], point_b[3]; ///< m, in the frames' coordinates
    double stiffness;              ///< N/m, >= 0
    double damping;                ///< N s/m, >= 0
    double length;                 ///< m, at which it is relaxed, >= 0
    uint32_t cookie;
} pinion_spring_def;

typedef enum pinion_signal { PINION_SIGNAL_CONSTANT = 0, PINION_SIGNAL_SINE, PINION_SIGNAL_TABLE } pinion_signal;

/// A wrench on a frame, at its origin: wrench * s(t) from `start` until just before `end`, nothing otherwise.
typedef struct pinion_wrench_def {
    const char *name;
    int frame;
    pinion_reference reference; ///< LOCAL: turns with the frame; WORLD_ALIGNED: keeps its direction in the world
    double wrench[6];           ///< [moment; force], N m and N; its reference is not PINION_REFERENCE_WORLD
    double start, end;          ///< s; default -INFINITY, INFINITY
    pinion_signal signal;       ///< s(t): 1; sin(2 pi frequency (t - start) + phase); or a table
    double frequency, phase;    ///< Hz (t counts from 0 where start is not finite), rad
    int count;                  ///< of the table
    const double *t, *s;        ///< [count] linear between the instants, held outside
    uint32_t cookie;
} pinion_wrench_def;

/// Drag, buoyancy and added mass of a link in a medium that may move. With u = [angular; linear] the velocity of the
/// frame at the point against the medium, in the frame's axes, the drag there is
///     -linear u - quadratic (|u_i| u_i) - [0; 1/2 density area_i |u_linear| u_i].
/// The medium moves at x with
///     U(x, t) = velocity + gradient (x - origin) + amplitude sin(2 pi frequency t - wave'x + phase)
/// as seen at the point. Where it does, a link with added mass in the model has it against the moving medium, and what
/// the link displaces is accelerated with the medium: docs/force-elements.md.
typedef struct pinion_drag_def {
    const char *name;
    int frame;
    double point[3];      ///< m, centre of pressure in the frame
    double density;       ///< kg/m^3 of the medium
    double velocity[3];   ///< m/s of the medium, world
    double gradient[9];   ///< 1/s, row-major: how U changes with x, world
    double origin[3];     ///< m, world: where the gradient adds nothing
    double amplitude[3];  ///< m/s of a wave, world
    double frequency;     ///< Hz of the wave
    double phase;         ///< rad
    double wave[3];       ///< rad/m, its wave vector, world
    double area[3];       ///< m^2, drag coefficient times area along the frame's axes
    double linear[36];    ///< [6][6] drag for the velocity against the medium: N m s, N s, N s/m
    double quadratic[36]; ///< [6][6] likewise for the squares
    double volume;        ///< m^3 displaced: buoyancy at `center`
    double center[3];     ///< m, of buoyancy, in the frame; NAN, the default: `point`
    double added_mass;  ///< kg, the same in all directions, at the point; has inertia but no weight. The frame can
                        ///< then move
    uint32_t cookie;
} pinion_drag_def;

/// A compliant half-space below a plane, for points of the model. Normal force k d^n (1 + c d') after Hunt and
/// Crossley (never pulling), friction mu times it against the sliding, regularized below `slip`.
typedef struct pinion_ground_def {
    const char *name;
    double normal[3];  ///< out of the ground, any length but 0; default z
    double height;     ///< m, of the plane along the normal
    double stiffness;  ///< k, N/m^n, >= 0
    double exponent;   ///< n, >= 1, default 1
    double damping;    ///< c, s/m, >= 0
    double friction;   ///< mu, >= 0
    double slip;       ///< m/s, > 0, default 1e-3
    int count;
    const int *frame;  ///< [count] points of contact: the origins of these frames
    uint32_t cookie;
} pinion_ground_def;

/// Gravity towards a point, as of a planet, on all links that move: -mu m r / |r|^3, and with `gradient` what their
/// inertia adds, force and moment, to second order in their size. It comes on top of the model's gravity.
typedef struct pinion_attraction_def {
    const char *name;
    double center[3]; ///< m, world
    double mu;        ///< m^3/s^2, G times the planet's mass, >= 0
    int gradient;     ///< nonzero (default): the gravity gradient acts
    uint32_t cookie;
} pinion_attraction_def;

/// Forces on the bodies that a function of the caller's says: f_ext [nbody][6], zero before, as
/// pinion_forward_dynamics takes it. Must depend on its arguments alone. All of it is power, none potential. A status
/// other than PINION_OK ends the simulation.
typedef pinion_status (*pinion_force_fn)(void *user, double t, const double *q, const double *v, double *f_ext);

/// Defs to start from: nothing set but what has a default above.
PINION_API pinion_spring_def pinion_spring_def_default(void);
PINION_API pinion_wrench_def pinion_wrench_def_default(void);
PINION_API pinion_drag_def pinion_drag_def_default(void);
PINION_API pinion_ground_def pinion_ground_def_default(void);
PINION_API pinion_attraction_def pinion_attraction_def_default(void);

/// An empty list for a model, which must outlive it and stay as it is; NULL when out of memory.
PINION_API pinion_forces *pinion_forces_new(const pinion_model *m);
PINION_API void pinion_forces_free(pinion_forces *f); ///< NULL is allowed
PINION_API int pinion_forces_count(const pinion_forces *f);
/// The name of an element; NULL out of range.
PINION_API const char *pinion_forces_name(const pinion_forces *f, int index);

/// Each copies its def. A failed call leaves the list as it was, and `err` names the element and the argument.
PINION_API PINION_CHECK pinion_status pinion_forces_add_spring(pinion_forces *f, const pinion_spring_def *def,
                                                               pinion_error *err);
PINION_API PINION_CHECK pinion_status pinion_forces_add_wrench(pinion_forces *f, const pinion_wrench_def *def,
                                                               pinion_error *err);
PINION_API PINION_CHECK pinion_status pinion_forces_add_drag(pinion_forces *f, const pinion_drag_def *def,
                                                             pinion_error *err);
PINION_API PINION_CHECK pinion_status pinion_forces_add_ground(pinion_forces *f, const pinion_ground_def *def,
                                                               pinion_error *err);
PINION_API PINION_CHECK pinion_status pinion_forces_add_attraction(pinion_forces *f, const pinion_attraction_def *def,
                                                                   pinion_error *err);
/// An element that is a function.
/// @param name  NULL: "function 1" and so on
PINION_API PINION_CHECK pinion_status pinion_forces_add_function(pinion_forces *f, const char *name,
                                                                 pinion_force_fn function, void *user,
                                                                 pinion_error *err);
/// Adds the elements of a JSON file (docs/force-elements.md). All of them, or on an error none.
PINION_API PINION_CHECK pinion_status pinion_forces_load(pinion_forces *f, const char *path, pinion_error *err);

/// The model to compute accelerations with: the one the list was made for, or, where an element has added mass, a
/// copy that carries it (and whose energy counts it), besides the payloads that the model has itself. It belongs to
/// the list and changes when elements are added. A workspace for the one is good for the other.
PINION_API const pinion_model *pinion_forces_model(const pinion_forces *f);

/// What the elements do at an instant. Allocates nothing; on failure nothing was changed.
/// @param w          a workspace for the model
/// @param v          [nv] or NULL: 0
/// @param f_ext      [nbody][6] in, out: the elements' forces are added, as pinion_forward_dynamics takes them. May
///                   be NULL
/// @param potential  J, what springs, buoyancy and contacts store, and the weight that added mass does not have;
///                   forces that are not the gradient of it are not in it. May be NULL
/// @param power      W, of the forces that are not in the potential (dampers, drag, friction, wrenches). May be NULL
PINION_API PINION_CHECK pinion_status pinion_forces_apply(pinion_forces *f, pinion_work *w, double t, const double *q,
                                                          const double *v, double *f_ext, double *potential,
                                                          double *power);

/// The elements' forces on the joints, tau = sum of J' f over the bodies, and their exact derivatives, by q in the
/// tangent space. All three are added to, and may be NULL. What is not smooth (a point that touches, a current against
/// which nothing moves) has the derivative of one side. The first call of a list allocates. PINION_ERR_UNSUPPORTED
/// where an element is a function, which has none, or, with dq, the model has elastic links; on failure part of the
/// sums may be there already.
/// @param w    a workspace for the model
/// @param v    [nv] or NULL: 0
/// @param tau  [nv] in, out
/// @param dq   [nv][nv] in, out
/// @param dv   [nv][nv] in, out
PINION_API PINION_CHECK pinion_status pinion_d_forces(pinion_forces *f, pinion_work *w, double t, const double *q,
                                                      const double *v, double *tau, double *dq, double *dv);

// What grounds do to the points that may touch them, in the order of the list.

/// A point of a ground element.
typedef struct pinion_ground_point {
    const char *ground; ///< the element's name; belongs to the list
    int frame;
} pinion_ground_point;

/// How many there are.
PINION_API int pinion_forces_point_count(const pinion_forces *f);
/// One of them; PINION_ERR_ARGUMENT out of range.
PINION_API PINION_CHECK pinion_status pinion_forces_point(const pinion_forces *f, int index, pinion_ground_point *out);
/// What the ground exerts on the first `count` points at an instant. Allocates nothing.
/// @param w      a workspace for the model
/// @param v      [nv] or NULL: 0
/// @param force  [count][3] N, world axes
/// @param gap    [count] m, height above the ground; below 0: it touches
PINION_API PINION_CHECK pinion_status pinion_forces_on_points(pinion_forces *f, pinion_work *w, const double *q,
                                                              const double *v, int count, double *force, double *gap);

PINION_END

#endif
