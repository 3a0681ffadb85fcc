/// What acts on the joints of a model beside their own springs and dampers: tendons, forces that carry the weight of
/// links and those of the medium that brakes them (gravity_compensation and drag of pinion_link_def). They are passive
/// forces: part of simulations, of `eval`, `id` and `linearize` where passive forces are on, and of no other function.
/// pinion_passive_forces() has those of the joints alone.
#ifndef PINION_ELEMENTS_H
#define PINION_ELEMENTS_H

#include "pinion/dynamics.h"

PINION_BEGIN

typedef enum pinion_tendon_type {
    PINION_TENDON_JOINTS = 0, ///< its length is a weighted sum of joint coordinates
    PINION_TENDON_PATH,       ///< its length is that of straight lines through the origins of frames
    PINION_TENDON_TYPE_COUNT
} pinion_tendon_type;

/// A tendon to add: a spring and a damper along a length L. It pulls with -stiffness (L - rest) - damping L', where
/// rest is the nearest length within `rest`. Get one from pinion_tendon_def_default().
typedef struct pinion_tendon_def {
    const char *name;
    pinion_tendon_type type;
    int count;                  ///< of the two arrays that follow
    const char *const *through; ///< JOINTS: joints of the tree with one coordinate. PATH: links or frames; NULL: a
                                ///< pulley, behind which another branch begins
    const double *weights;      ///< JOINTS: what each adds to the length for 1 rad or 1 m, not 0. PATH: that of a
                                ///< pulley, > 0, divides the lengths behind it; of frames they do not count. NULL: 1
    double stiffness;           ///< N/m (of a sum of angles N m/rad), >= 0
    double damping;             ///< N s/m (N m s/rad), >= 0
    double stiffness_curve[2];  ///< c: beside stiffness c[0] x + c[1] x^2 with x = L - rest, finite
    double damping_curve[2];    ///< the same beside damping, with x = |L'|
    double rest[2];             ///< m (rad), the least and the largest length at which it is relaxed
    double limits[2];           ///< m (rad), the least and the largest length it may have; -INFINITY, INFINITY: any.
                                ///< Only stops hold it there: those of a run, or of pinion_elements_stops()
    int line;                   ///< where the file says so, for error messages; 0 when unknown
    uint32_t cookie;
} pinion_tendon_def;

/// One without a name, of type JOINTS, without stiffness, damping and limits.
PINION_API pinion_tendon_def pinion_tendon_def_default(void);
/// Names of tendons exist once.
PINION_API PINION_CHECK pinion_status pinion_builder_add_tendon(pinion_builder *b, const pinion_tendon_def *def,
                                                                pinion_error *err);

typedef struct pinion_tendon_term {
    int index;     ///< JOINTS: the joint, which may follow another one. PATH: the frame; -1: a pulley
    double weight; ///< as described; 1 for frames
} pinion_tendon_term;

typedef struct pinion_tendon_info {
    const char *name;
    pinion_tendon_type type;
    int count;
    const pinion_tendon_term *term; ///< belongs to the model
    double stiffness, damping, stiffness_curve[2], damping_curve[2], rest[2], limits[2];
} pinion_tendon_info;

PINION_API int pinion_model_tendon_count(const pinion_model *m); ///< how many tendons there are
/// PINION_ERR_ARGUMENT when `index` is out of range.
PINION_API PINION_CHECK pinion_status pinion_model_tendon(const pinion_model *m, int index, pinion_tendon_info *out);
/// The tendon of that name, -1 when there is none.
PINION_API int pinion_model_find_tendon(const pinion_model *m, const char *name);
/// Nonzero: the model has tendons with springs or dampers, or links whose weight is carried or that are braked.
PINION_API int pinion_model_has_elements(const pinion_model *m);

typedef struct pinion_elements pinion_elements; ///< memory for them; belongs to one thread at a time

/// NULL when out of memory. The model must outlive it and stay as it is.
PINION_API pinion_elements *pinion_elements_new(const pinion_model *m);
PINION_API void pinion_elements_free(pinion_elements *x); ///< NULL is allowed
/// From now on the limits of tendons are stops: beyond one by d a tendon is pressed back with max(0, stiffness d +
/// damping d').
/// @param stiffness, damping  N/m and N s/m, >= 0 and finite; both 0: no stops
/// @param alone               nonzero: nothing but the stops acts
PINION_API PINION_CHECK pinion_status pinion_elements_stops(pinion_elements *x, double stiffness, double damping,
                                                            int alone);
/// What they exert on the joints, [nv] each, which is added to what is there; NULL: not wanted. They may be one array.
/// Allocates nothing.
/// @param v             [nv] or NULL: 0
/// @param dampers       of tendons, and the drag of links
/// @param compensation  what carries the weight of links
/// @param potential     J, of springs and of what carries weight: set, not added to; may be NULL
PINION_API PINION_CHECK pinion_status pinion_elements_forces(pinion_elements *x, pinion_work *w, const double *q,
                                                             const double *v, double *springs, double *dampers,
                                                             double *compensation, double *potential);
/// The drag of links alone, which is part of the dampers there: added to what is there, [nv].
PINION_API PINION_CHECK pinion_status pinion_drag_forces(pinion_elements *x, pinion_work *w, const double *q,
                                                         const double *v, double *tau);
/// Derivatives of their sum by q (in the tangent space) and v, [nv][nv], added to what is there; NULL: not wanted.
/// Takes memory the first time.
PINION_API PINION_CHECK pinion_status pinion_d_elements_forces(pinion_elements *x, pinion_work *w, const double *q,
                                                               const double *v, double *dq, double *dv);
/// The length of a tendon and, with v, its rate; either may be NULL.
PINION_API PINION_CHECK pinion_status pinion_tendon_length(pinion_elements *x, pinion_work *w, const double *q,
                                                           const double *v, int tendon, double *length, double *rate);

PINION_END

#endif
