/// Inverse dynamics on contacts: which forces points of contact give in a motion, what is then left to the joints, and
/// the zero-moment point with the polygon that it should be in (docs/contact.md). A support belongs to one thread at a
/// time; it keeps the model, which must live as long. Nothing here allocates but pinion_support_new.
#ifndef PINION_SUPPORT_H
#define PINION_SUPPORT_H

#include "pinion/actuators.h"
#include "pinion/scene.h"

PINION_BEGIN

/// A point that one body touches another with: what is given, and what is found.
typedef struct pinion_support_point {
    int first, second; ///< links; -1: the world
    double point[3];   ///< m, world
    double normal[3];  ///< unit, world, from the first to the second
    double friction;   ///< coefficient, 0 or more
    double share;      ///< 0 or more: forces stand in these proportions as far as the motion leaves them free
    double force[3];   ///< found: N, world, on the second; the first gets the opposite
    double margin;     ///< found: N, the distance of the force from the border of its cone; below 0 it is outside
} pinion_support_point;

typedef struct pinion_support_report {
    int inside;       ///< nonzero: every force is in its cone
    double margin;    ///< N, the least of the points with a force; 0 without any
    double friction;  ///< the largest tangent over normal of the forces; infinite where one pulls
    double missing;   ///< N or N m: the largest that neither actuators nor contacts give
    int undetermined; ///< dimension of the set of forces that carry the motion, cones apart; 0: there is one
} pinion_support_report;

typedef struct pinion_support pinion_support;

/// NULL when out of memory, or without a model.
/// @param points  at most
PINION_API pinion_support *pinion_support_new(const pinion_model *m, int points);
PINION_API void pinion_support_free(pinion_support *s); ///< NULL is allowed
/// What the last call that returns a status objected to; "" when it succeeded.
PINION_API const char *pinion_support_message(const pinion_support *s);

/// The forces of contacts in a motion. What no actuator gives, as on a free base, contacts have to give. Of all forces
/// that do, and are in their cones, those with the least sum of |force|^2 / share are found. Where none are in the
/// cones, those that carry the motion and are nearest to the cones, and `inside` is 0. Where no forces carry it at all,
/// as in flight, as much as they can is taken (in the metric of the mass matrix), and `missing` says what is left. In a
/// model without any actuator all joints but free ones count as actuated.
/// @param points  [count] its forces and margins are found
/// @param tau     [nv] what the motion needs, as pinion_inverse_dynamics gives it; becomes what is left to the joints
/// @param report  may be NULL
PINION_API PINION_CHECK pinion_status pinion_support_forces(pinion_support *s, pinion_work *w, const double *q,
                                                            int count, pinion_support_point *points, double *tau,
                                                            pinion_support_report *report);

/// The points of the last pinion_scene_find with gaps up to `gap`, each with a share of 1. PINION_ERR_MEMORY when there
/// are more than `most`; *count is then how many.
PINION_API PINION_CHECK pinion_status pinion_support_from_scene(const pinion_scene *scene, double gap, int most,
                                                                pinion_support_point *points, int *count);

/// The zero-moment point of a motion, on the level through a point: where a force from the ground would give all that
/// the motion needs but for a moment about the vertical, which is where gravity points. NaN where nothing presses on
/// the ground: in flight, or without gravity.
/// @param on   [3] a point of the level
/// @param zmp  [3] in the world
PINION_API PINION_CHECK pinion_status pinion_zero_moment_point(pinion_support *s, pinion_work *w, const double *q,
                                                               const double *v, const double *a, const double *on,
                                                               double *zmp);

/// The convex polygon around points as seen along the vertical, and where a place is in it.
/// @param points   [count][3]
/// @param up       [3] the vertical; any length above 0
/// @param place    [3] may be NULL
/// @param corner   [count] numbers of the points at the corners, counterclockwise seen from above
/// @param corners  how many: 1 for a point, 2 for a line
/// @param margin   m: how far the place is inside of the border; below 0: outside; may be NULL
PINION_API PINION_CHECK pinion_status pinion_support_polygon(int count, const double *points, const double *up,
                                                             const double *place, int *corner, int *corners,
                                                             double *margin);

PINION_END

#endif
