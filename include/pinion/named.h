/// Named states and groups of joints of a model: a home position, "folded", the joints of an arm.
#ifndef PINION_NAMED_H
#define PINION_NAMED_H

#include "pinion/model.h"

PINION_BEGIN

/// What a state says of a joint; of all others it has what the model's initial state has.
typedef struct pinion_state_entry {
    const char *joint;
    int velocity;    ///< nonzero: its velocity, else its position
    int count;       ///< as many as the joint has coordinates or velocities
    double value[7]; ///< quaternions of unit length to 1e-6
} pinion_state_entry;

/// Adds a state. Names of states exist once. Whether the joints are there is told when the model is built; entries of
/// joints that follow others, which have no coordinate of their own, are passed over then.
/// @param line  of the file, for messages; 0: none
PINION_API PINION_CHECK pinion_status pinion_builder_add_state(pinion_builder *b, const char *name, int count,
                                                               const pinion_state_entry *entries, int line,
                                                               pinion_error *err);
/// Adds a group of joints. Names of groups exist once, and are no joint's.
PINION_API PINION_CHECK pinion_status pinion_builder_add_group(pinion_builder *b, const char *name, int count,
                                                               const char *const *joints, int line,
                                                               pinion_error *err);

PINION_API int pinion_model_state_count(const pinion_model *m); ///< how many states have a name
/// The name of one; NULL out of range. Belongs to the model.
PINION_API const char *pinion_model_state_name(const pinion_model *m, int index);
/// The state of that name, -1 when there is none.
PINION_API int pinion_model_find_state(const pinion_model *m, const char *name);
/// One of them; PINION_ERR_ARGUMENT out of range.
/// @param q  [nq] or NULL
/// @param v  [nv] or NULL
PINION_API PINION_CHECK pinion_status pinion_model_state(const pinion_model *m, int index, double *q, double *v);

PINION_API int pinion_model_group_count(const pinion_model *m); ///< how many groups there are
/// The name of one; NULL out of range. Belongs to the model.
PINION_API const char *pinion_model_group_name(const pinion_model *m, int index);
/// The group of that name, -1 when there is none.
PINION_API int pinion_model_find_group(const pinion_model *m, const char *name);
/// The joints of one, in its order, and how many; NULL out of range. Belongs to the model.
PINION_API const int *pinion_model_group(const pinion_model *m, int index, int *count);

PINION_END

#endif
