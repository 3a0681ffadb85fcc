/* What distances and patches share: which kind a pair is of, and the parts of height fields. */
#ifndef PN_SHAPE_PAIRS_H
#define PN_SHAPE_PAIRS_H

#include "contact/geometry/convex.h"

/* PINION_OK for a solid that can be computed with */
pinion_status pn_solid_check(const pinion_solid *s);

/* a plane or a height field, which are not convex solids with a reach */
int pn_solid_is_ground(const pinion_solid *s);

/* where a convex solid is deepest in a plane, or nearest to it; the plane is the first */
void pn_plane_nearest(const pinion_solid *plane, const pn_convex *c, pinion_nearest *out);

/* first and second change places */
void pn_nearest_flip(pinion_nearest *n);

/* A triangle of a height field as a prism that reaches down into the ground. */
typedef struct pn_prism {
    double points[18];
    pn_convex convex;
} pn_prism;

/* the triangles of a field within a box of its own frame: walked by *place, which starts with 0; 0 at the end */
typedef struct pn_field {
    const pinion_solid *solid;
    int low[2], high[2]; /* cells along x and y, `high` not included */
} pn_field;
pn_field pn_field_near(const pinion_solid *field, const pn_convex *c, double margin);
int pn_field_next(const pn_field *f, int *place, pn_prism *out);

/* the deepest point of a solid below the surface of a field, with a triangle's normal; 0 where there is none */
int pn_field_deepest(const pinion_solid *field, const pn_convex *c, pinion_nearest *out);

/* whether no triangle at a point of a field's surface rises above the plane across a normal there */
int pn_field_is_outside(const pinion_solid *field, const double point[3], const double normal[3]);

#endif
