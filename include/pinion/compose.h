/// Models made of others: parts put together or taken out, joints locked, names and sizes changed.
#ifndef PINION_COMPOSE_H
#define PINION_COMPOSE_H

#include "pinion/model.h"

PINION_BEGIN

/// Adds all that a model describes to a builder: links, joints, loops, frames, visuals, collisions, named states,
/// groups and, where it has a list, actuators. Where one of the two has a list and the other ideal actuators, these
/// become part of the list, so that every motor stays. Gravity, the root and a free root that a load option asked for
/// are not part of it. Where it fails the builder holds a part of the model and is of no more use.
/// @param prefix  comes before every name; NULL: nothing does
PINION_API PINION_CHECK pinion_status pinion_builder_add_model(pinion_builder *b, const pinion_model *m,
                                                               const char *prefix, pinion_error *err);

/// A new model in which some joints of another one are fixed, at the configuration q. Joints that follow one of them
/// are fixed, too; gears with one of them become drives, and actuators on them are gone. Gears with both must have
/// them where q does. The others keep their names and order, and named states and groups what is left of them.
/// @param joints  [count] numbers of joints, not of the free root that a load option asked for
/// @param q       [nq] of the whole model
/// @return NULL with `err` filled on failure
PINION_API pinion_model *pinion_model_reduce(const pinion_model *m, int count, const int *joints, const double *q,
                                             pinion_error *err);

/// A new model: another one with a part fixed to one of its frames, as a gripper to an arm. The root link of the part
/// is fixed by a joint "attach:NAME", NAME being that of the link with its prefix.
/// @param frame   of m: a link or a named frame
/// @param prefix  comes before every name of the part; NULL: nothing does
/// @param pose    of the part's root link in the frame; NULL: they coincide
PINION_API pinion_model *pinion_model_attach(const pinion_model *m, int frame, const pinion_model *part,
                                             const char *prefix, const pinion_pose *pose, pinion_error *err);

/// A new model: a link of another one and all that hangs on it, with the link as its root, fixed. Loops, gears,
/// tendons, pairs and exclusions that reach outside are gone; of actuators, named states and groups what is left of
/// them stays, and so does gravity. A joint that follows one outside is an error.
PINION_API pinion_model *pinion_model_subtree(const pinion_model *m, int link, pinion_error *err);

/// A new model: another one with one more named frame.
PINION_API pinion_model *pinion_model_add_frame(const pinion_model *m, const pinion_frame_def *def, pinion_error *err);

/// A new model: another one in which all that is called `from` is called `to`: links, frames, joints, loops, actuators,
/// tendons, collisions, named states, groups.
PINION_API pinion_model *pinion_model_rename(const pinion_model *m, const char *from, const char *to,
                                             pinion_error *err);

/// A new model: another one with all lengths times `length` and all masses times `mass`, both above 0; moments of
/// inertia times both and the length once more. Lengths are places, shapes, limits and speeds of displacements, initial
/// and named states. Forces, dampers, springs, rotors and gravity stay as they are. With mass = length^3 the density
/// stays.
PINION_API pinion_model *pinion_model_scale(const pinion_model *m, double length, double mass, pinion_error *err);

PINION_END

#endif
