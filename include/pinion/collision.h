/// Collision geometry of a model: what its links touch others with, and which of it may touch which. The dynamics of
/// the model alone do not depend on it.
#ifndef PINION_COLLISION_H
#define PINION_COLLISION_H

#include "pinion/model.h"

PINION_BEGIN

/// The coefficient of friction of shapes that say none.
#define PINION_FRICTION 0.8

/// A shape that a link touches others with. Get one from pinion_collision_def_default(), then fill it.
typedef struct pinion_collision_def {
    const char *link;
    const char *name; ///< NULL or "": none. Names may repeat, but then a pair cannot name them
    pinion_shape shape;
    pinion_pose pose;   ///< in the link's frame
    double size[3];     ///< as pinion_shape says: above 0, but a plane's and a depth may be 0, a scale anything but 0
    const char *mesh;   ///< MESH: the file as the model names it, never opened here; NULL where `data` is all there is
    int rows, columns;  ///< HEIGHT_FIELD: of its grid, 2 or more each. MESH with data: points, 4 or more, and 3
    const double *data; ///< [rows][columns] HEIGHT_FIELD: heights, m. MESH: points, before the scale of one in a file,
                        ///< which may come without them. NULL for all others
    double friction[3]; ///< coefficients: sliding, of a spin about the normal (m), of rolling (m); below 0: not said
    double restitution; ///< of an impact, 0 to 1
    double margin;      ///< m, 0 or more: how far apart points of contact are looked for; they still rest at gap 0
    int dimension;      ///< 1: no friction; 3: sliding; 4: and spin; 6: and rolling; of two shapes the larger one
    uint32_t category;  ///< bits: what it is
    uint32_t mask;      ///< bits: what it collides with; two shapes may where one is in the other's mask
    int group;          ///< 0: none; shapes of one group never collide with each other
    int line;
    uint32_t cookie;
} pinion_collision_def;

/// What holds for two collisions together. They collide whatever their links, bits and groups are.
typedef struct pinion_collision_pair_def {
    const char *first, *second; ///< names of collisions
    double friction[3];         ///< in place of the larger one of each; below 0: not said
    double margin;              ///< in place of theirs; below 0: not said
    int dimension;              ///< in place of theirs; 0: not said
    int line;
    uint32_t cookie;
} pinion_collision_pair_def;

/// The defaults of each. A collision has category 1 and mask 1, dimension 3 and says nothing of friction.
PINION_API pinion_collision_def pinion_collision_def_default(void);
PINION_API pinion_collision_pair_def pinion_collision_pair_def_default(void);

/// Building: as for links and joints. Names are resolved by the build.
PINION_API PINION_CHECK pinion_status pinion_builder_add_collision(pinion_builder *b, const pinion_collision_def *def,
                                                                   pinion_error *err);
PINION_API PINION_CHECK pinion_status pinion_builder_add_collision_pair(pinion_builder *b,
                                                                        const pinion_collision_pair_def *def,
                                                                        pinion_error *err);
/// Two links whose collisions never collide with each other.
/// @param line  of the file, for messages; 0: none
PINION_API PINION_CHECK pinion_status pinion_builder_add_exclusion(pinion_builder *b, const char *first,
                                                                   const char *second, int line, pinion_error *err);

typedef struct pinion_collision_info {
    int link;
    const char *name; ///< "" where it has none
    pinion_shape shape;
    pinion_pose pose;
    double size[3];
    const char *mesh; ///< NULL unless shape is PINION_SHAPE_MESH and the points are in a file
    int rows, columns;
    const double *data;
    double friction[3], restitution, margin;
    int dimension;
    uint32_t category, mask;
    int group;
} pinion_collision_info;

typedef struct pinion_collision_pair_info {
    int first, second; ///< collisions
    double friction[3], margin;
    int dimension;
} pinion_collision_pair_info;

/// Collisions are numbered link by link, those of a link in the order they were added.
PINION_API int pinion_model_collision_count(const pinion_model *m);
/// Each returns PINION_ERR_ARGUMENT when `index` is out of range. Pointers belong to the model.
PINION_API PINION_CHECK pinion_status pinion_model_collision(const pinion_model *m, int index,
                                                             pinion_collision_info *out);
PINION_API int pinion_model_collision_pair_count(const pinion_model *m);
PINION_API PINION_CHECK pinion_status pinion_model_collision_pair(const pinion_model *m, int index,
                                                                  pinion_collision_pair_info *out);
/// Pairs of links that never collide, as the model lists them: each once, the smaller number first, in that order.
PINION_API int pinion_model_exclusion_count(const pinion_model *m);
PINION_API PINION_CHECK pinion_status pinion_model_exclusion(const pinion_model *m, int index, int links[2]);
/// How many collisions a link has; *first is the first of them. 0 out of range.
PINION_API int pinion_model_link_collisions(const pinion_model *m, int link, int *first);
/// The first collision of that name, -1 when there is none.
PINION_API int pinion_model_find_collision(const pinion_model *m, const char *name);

/// A new model: another one in which a mesh in a file has these points, as pinion_model_read_meshes (pinion/io.h) finds
/// them. The file's name stays, and it is what is saved. NULL with `err` filled on failure.
/// @param points  [count][3], 4 or more, before the scale
PINION_API pinion_model *pinion_model_with_points(const pinion_model *m, int collision, int count,
                                                  const double *points, pinion_error *err);

/// Nonzero when two collisions may touch. Those of a pair of the model may. Else those of one body never do, nor those
/// of a body and the one that its joint hangs it on, unless that is the base: of the base it is only the link itself
/// that the joint is on, and not even that where it is the root and called "world". Bodies without mass and collisions,
/// which are between the joints of one that has several, count as none. Then links that exclude each other, groups and
/// bits decide.
PINION_API int pinion_model_may_collide(const pinion_model *m, int first, int second);

/// "box", "sphere", ...; NULL out of range.
PINION_API const char *pinion_shape_name(pinion_shape shape);

PINION_END

#endif
