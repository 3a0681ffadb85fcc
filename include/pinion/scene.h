/// Contact of a model: which of its collisions touch at a configuration, and the impulses of a step with contact, in
/// one problem with those that keep loops closed and joints within their limits (docs/contact.md). A scene belongs to
/// one thread at a time; it keeps the model, which must live as long.
///
/// Nothing here allocates but pinion_scene_new. What a call gives depends on its arguments alone, not on calls before.
#ifndef PINION_SCENE_H
#define PINION_SCENE_H

#include "pinion/contact.h"
#include "pinion/dynamics.h"
#include "pinion/shapes.h"

PINION_BEGIN

/// Get one from pinion_scene_options_default().
typedef struct pinion_scene_options {
    int ground;         ///< nonzero: a plane through the world's origin, its normal z, belongs to the base; default 0
    double friction;    ///< coefficient where neither shape says one; default PINION_FRICTION, 0.8
    double restitution; ///< 0 to 1, where the model has less; default 0
    double margin;      ///< m, added to those of the shapes: contact is looked for below it; default 0.01
    double recover;     ///< 0 to 1: the share of a penetration that a step takes back; default 0.2
    double compliance;  ///< m/N of a point along its normal; default 0: rigid. Else it presses with its penetration
                        ///< over this, at the end of the step, and `recover` has no part in it
    int limits;         ///< nonzero (default): the limits of joints are stops that nothing goes beyond
    double limit_stiffness, limit_damping; ///< N m/rad and N m s/rad (N/m, N s/m), >= 0; default 0: rigid. Else a stop
                        ///< that is passed by d presses back with max(0, k d + c d') at the end of the step
    double stiction;    ///< 0 (default): dry friction of joints takes no part. 1 or more: it does, and a joint at rest
                        ///< is held by so much times it. The accelerations of a step are to be without it then
    int contacts;       ///< points at most; default 0: four for each pair, up to 512
    pinion_contact_options solver; ///< default: as it is by default, but 1e-8 and 200 iterations
    uint32_t cookie;
} pinion_scene_options;

PINION_API pinion_scene_options pinion_scene_options_default(void); ///< as said above

typedef struct pinion_scene pinion_scene;

/// NULL with `err` filled on failure: out of memory, or a pair of shapes that has no distance.
/// @param options  may be NULL
PINION_API pinion_scene *pinion_scene_new(const pinion_model *m, const pinion_scene_options *options,
                                          pinion_error *err);
PINION_API void pinion_scene_free(pinion_scene *s); ///< NULL is allowed
/// What the last call that returns a status objected to; "" when it succeeded.
PINION_API const char *pinion_scene_message(const pinion_scene *s);

/// Collisions that are left out, since their points are in a mesh file (pinion_model_read_meshes gives them).
PINION_API int pinion_scene_left_out(const pinion_scene *s);
/// The time at which steps begin, s, for loops with laws of time; 0 at first.
PINION_API void pinion_scene_set_time(pinion_scene *s, double t);
/// Pairs of collisions that may touch.
PINION_API int pinion_scene_pair_count(const pinion_scene *s);

/// A point of contact. A collision of -1 is the ground of the options.
typedef struct pinion_scene_contact {
    int first, second;     ///< collisions
    int pair;              ///< the number of their pair, for pinion_scene_pair_at
    pinion_nearest at;     ///< gap, normal from the first to the second, points
    double friction;       ///< coefficient
    double restitution;
    double force[3];       ///< N, world, on the second, of the last pinion_scene_impulse; 0 after pinion_scene_find
} pinion_scene_contact;

/// A pair that may touch, at what the last call placed the shapes at.
typedef struct pinion_scene_pair {
    int first, second; ///< collisions; -1: the ground
    double gap;        ///< m, however far they are
    double force[3];   ///< N, world, on the second: the sum over its points
} pinion_scene_pair;
/// PINION_ERR_ARGUMENT out of range.
PINION_API PINION_CHECK pinion_status pinion_scene_pair_at(const pinion_scene *s, int index, pinion_scene_pair *out);

/// Finds the points of contact at q: those with a gap below the margin. PINION_ERR_MEMORY when there are more than the
/// scene has room for.
PINION_API PINION_CHECK pinion_status pinion_scene_find(pinion_scene *s, pinion_work *w, const double *q);
/// How many were found, and each of them. PINION_ERR_ARGUMENT out of range.
PINION_API int pinion_scene_count(const pinion_scene *s);
PINION_API PINION_CHECK pinion_status pinion_scene_contact_at(const pinion_scene *s, int index,
                                                              pinion_scene_contact *out);
/// The three rows of a contact, [3][nv]: normal, two tangents; times v the velocity of the second point against the
/// first. Row 0 is the derivative of the gap.
PINION_API PINION_CHECK pinion_status pinion_scene_jacobian(pinion_scene *s, pinion_work *w, const double *q,
                                                            int index, double *J);

/// The nearest points of any two collisions at q, whether they may touch or not; -1: the ground of the options. The
/// contacts that were found stay as they are. PINION_ERR_UNSUPPORTED where there is no distance.
/// @param d  [10][nv] derivatives of gap, normal (3), first (3) and second point (3) along the velocities v; NaN where
///           they are not determined (pinion_shape_d_distance). May be NULL
PINION_API PINION_CHECK pinion_status pinion_scene_distance(pinion_scene *s, pinion_work *w, const double *q, int first,
                                                            int second, pinion_nearest *out, double *d);

/// What a step with contact came to.
typedef struct pinion_scene_report {
    int contacts;       ///< points found, without the following
    int immovable;      ///< points that touch where nothing can part the bodies, as in the hinge between them: they are
                        ///< left out, and are no contacts of the scene any more
    int impacts;        ///< of them, those that bounced
    int bounded;        ///< nonzero: restitution would have added energy, and was made less
    int solved;         ///< 0: the solver did not meet its tolerance
    int softened;       ///< nonzero: it did with a compliance of 1e-6 of G's diagonal and a tolerance of 1e-6;
                        ///< residuals are those without
    int stopped;        ///< joints that press against a stop
    int held;           ///< joints that dry friction keeps at rest
    double penetration; ///< m, the largest
    double beyond;      ///< rad or m, the farthest that a joint is beyond a stop
    double open;        ///< m or rad, the largest |phi| of closed loops
    int taken_back;     ///< nonzero: a penetration, or a joint beyond a stop, was taken back by moving q alone, by more
                        ///< than rounding (pinion_scene_step)
    double work;        ///< J, of all impulses, over the mean of the velocities before and after the step
    pinion_contact_solution solution;
} pinion_scene_report;

/// Contact in a step of length h that begins at q with velocity v: v_next, which is the velocity without contact,
/// v + h a, becomes the velocity with it. q moves on with v_next then. Points that are open may close within the step,
/// but not go beyond; those with restitution bounce in the step in which they would (Moreau 1988). A penetration is
/// taken back by velocities that are part of v_next; not so in pinion_scene_step, where they move q alone.
/// @param report  may be NULL
PINION_API PINION_CHECK pinion_status pinion_scene_impulse(pinion_scene *s, pinion_work *w, double h, const double *q,
                                                           const double *v, double *v_next,
                                                           pinion_scene_report *report);

/// What the impulses of the last pinion_scene_impulse are as forces of joints, J' lambda / h, [nv]: those of contacts,
/// loops, stops and dry friction together. 0 after pinion_scene_find.
PINION_API PINION_CHECK pinion_status pinion_scene_joint_forces(const pinion_scene *s, double *tau);

/// A step with contact, semi-implicit, from q and v with the accelerations a that act without contact: v and then q, by
/// pinion_scene_impulse. Free and planar joints go straight ahead in the world, and their velocities are turned with
/// them, so that a ball rolls where it would. Deep penetrations are taken back by up to 1 m/s that v_next has not.
/// Where bodies on free joints meet and bounce within the step, they do at that instant: the step has parts then,
/// forces are those of all of them over h, and the points of contact are of where the last part began.
/// q_next may be q, v_next may be v.
PINION_API PINION_CHECK pinion_status pinion_scene_step(pinion_scene *s, pinion_work *w, double h, const double *q,
                                                        const double *v, const double *a, double *q_next,
                                                        double *v_next, pinion_scene_report *report);

// ---------------------------------------------------------------------------------------------
// Many states

/// States that step with contact, each by itself, from time 0.
typedef struct pinion_scene_rollout {
    size_t count;      ///< states
    size_t steps;      ///< of each
    double h;          ///< s, of a step
    double *q;         ///< [count][nq] where they start, replaced by where they end
    double *v;         ///< [count][nv] likewise
    const double *tau; ///< [count][nv] joint forces, constant; NULL: none
    pinion_status *status; ///< [count] or NULL. A state that fails becomes NaN, the others go on
} pinion_scene_rollout;

/// Steps them on threads, each with a scene and a workspace of its own, all for one model and with the same options:
/// the results have the same bits on any number of threads. Returns the status of the failed state of the lowest
/// number. More than pinion_threads_available() are not started. Nothing is allocated, but for what OpenMP does when
/// it starts its threads.
/// @param scene, work  [threads]
PINION_API PINION_CHECK pinion_status pinion_scene_roll(int threads, pinion_scene *const *scene,
                                                        pinion_work *const *work, const pinion_scene_rollout *r);

PINION_END

#endif
