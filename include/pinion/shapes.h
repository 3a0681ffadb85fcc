/// Shapes that touch: distance, nearest points, normals, and patches of up to four points (docs/contact.md). Shapes are
/// those of pinion_shape, all of them convex but height fields; a mesh counts as the convex hull of its points.
/// Nothing here allocates.
#ifndef PINION_SHAPES_H
#define PINION_SHAPES_H

#include "pinion/collision.h"

PINION_BEGIN

/// A shape somewhere. pinion_collision_info has its shape, size, rows, columns and data.
typedef struct pinion_solid {
    pinion_shape shape;
    pinion_pose pose; ///< of the shape in the world
    double size[3];   ///< as pinion_shape says
    int rows, columns;
    const double *data; ///< MESH: points [rows][3]; HEIGHT_FIELD: heights [rows][columns]
} pinion_solid;

/// Where two solids are nearest, or deepest in each other.
typedef struct pinion_nearest {
    double gap;       ///< m: the distance; below 0 how far one must move along the normal to leave the other
    double normal[3]; ///< unit, world, from the first to the second
    double first[3];  ///< m, world: the point of the first, and of the second; they differ by gap times normal
    double second[3];
} pinion_nearest;

/// The nearest points of two solids. PINION_ERR_ARGUMENT when a size is not finite or out of range or data are missing;
/// PINION_ERR_UNSUPPORTED between two of planes and height fields.
PINION_API PINION_CHECK pinion_status pinion_shape_distance(const pinion_solid *first, const pinion_solid *second,
                                                            pinion_nearest *out);

/// How these move with the solids: derivatives of gap, normal (3), first (3) and second point (3) by the velocities of
/// both, each angular and then that of what is at the world's origin, as pinion_jacobian has them for
/// PINION_REFERENCE_WORLD. The gap's are always there. Where the nearest points are not determined, as between faces
/// along each other, those of normal and points are NaN.
/// @param at  what pinion_shape_distance gave for them
/// @param d   [10][12]
PINION_API PINION_CHECK pinion_status pinion_shape_d_distance(const pinion_solid *first, const pinion_solid *second,
                                                              const pinion_nearest *at, double *d);

#define PINION_PATCH_MOST 4 ///< points of a patch

/// The points at which two solids touch, those with a gap up to `margin`: one where they touch in a point, two along a
/// line, up to four over a face, the deepest among them and the others far from it and from each other. They share the
/// normal, but for height fields.
/// @param count  of points; 0 when the solids are farther apart than the margin
PINION_API PINION_CHECK pinion_status pinion_shape_patch(const pinion_solid *first, const pinion_solid *second,
                                                         double margin, pinion_nearest out[PINION_PATCH_MOST],
                                                         int *count);

/// The box with sides along the world's axes around a solid; infinite for planes.
PINION_API PINION_CHECK pinion_status pinion_shape_bounds(const pinion_solid *solid, double low[3], double high[3]);

/// What a sweep calls for two boxes that overlap, the smaller number first. Nonzero ends the sweep.
typedef int pinion_overlap_fn(void *context, int first, int second);

/// Finds the boxes that overlap, in an order that depends on the boxes alone: sorted along x, then compared.
/// @param low    [count][3], and high: the boxes; one with a NaN overlaps nothing
/// @param order  [count] numbers of the boxes, sorted; what it was the last time makes this time quick, any permutation
///               of 0 to count - 1 will do
PINION_API PINION_CHECK pinion_status pinion_shape_overlaps(int count, const double *low, const double *high,
                                                            int *order, pinion_overlap_fn *found, void *context);

PINION_END

#endif
