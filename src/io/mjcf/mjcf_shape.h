/* Shapes of MJCF: their volume, or area, and inertia. */
#ifndef PN_MJCF_SHAPE_H
#define PN_MJCF_SHAPE_H

#include "pinion/model.h"

/* In the order of the words of `type`. */
typedef enum mjcf_shape {
    SHAPE_PLANE = 0,
    SHAPE_HFIELD,
    SHAPE_SPHERE,
    SHAPE_CAPSULE,
    SHAPE_ELLIPSOID,
    SHAPE_CYLINDER,
    SHAPE_BOX,
    SHAPE_MESH,
    SHAPE_SDF
} mjcf_shape;

/* A shape about its centre, with a density of 1; `shell` nonzero: its surface alone. All zero for those that
 * weigh nothing here. Returns 0 where a size that it needs is not above 0. */
int pn_mjcf_shape(mjcf_shape shape, const double size[3], int shell, pinion_inertia *out);

/* The drag of the box that has these mass and principal moments in a medium of a density and a viscosity; the frame and
 * the wind stay: mjcf_fluid.c. */
void pn_mjcf_box_drag(double mass, const double I[3], double rho, double beta, pinion_drag *out);

#endif
