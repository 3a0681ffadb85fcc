/* Convex solids as what they reach in a direction. A sphere is a point with a radius, a capsule a segment with one:
 * what is round all over is left to the end, where it is exact. */
#ifndef PN_CONVEX_H
#define PN_CONVEX_H

#include "pinion/shapes.h"

typedef struct pn_convex {
    pinion_shape shape;
    const double *R, *at; /* pose: rotation, position */
    double size[3];       /* half lengths of a box, half axes of an ellipsoid; else radius and half length */
    double radius;        /* around all of it */
    int points;           /* of a mesh */
    const double *data;
    double scale[3];      /* of the points */
} pn_convex;

/* a solid that is no plane and no height field */
pn_convex pn_convex_of(const pinion_solid *s);

/* the point of the core (without the radius) that is farthest in a direction of any length, world */
void pn_convex_support(const pn_convex *c, const double direction[3], double point[3]);

/* how large it is, m: what rounding is a share of */
double pn_convex_size(const pn_convex *c);

/* The points of the core that bound its face, edge or point farthest in a direction, up to `most`, in order around it;
 * faces that are turned away from the direction by less than `angle` count. Returns how many. */
#define PN_FEATURE_MOST 16
int pn_convex_feature(const pn_convex *c, const double direction[3], double angle, double points[PN_FEATURE_MOST][3]);

/* Nearest points of two cores with their radii; depth by the expanding polytope where the cores overlap. */
void pn_convex_nearest(const pn_convex *a, const pn_convex *b, pinion_nearest *out);

/* What the search for the nearest points leaves behind where the cores overlap: up to four points of A - B around the
 * origin, each with its points of A and of B. */
typedef struct pn_simplex {
    int count;
    double w[4][3], a[4][3], b[4][3];
    double share[4]; /* of the nearest point */
} pn_simplex;

/* the point of A - B farthest in a direction */
void pn_difference_support(const pn_convex *a, const pn_convex *b, const double direction[3], double w[3], double pa[3],
                           double pb[3]);

/* Depth and normal of cores that overlap (van den Bergen 2001). Returns 0 where their difference is flat. */
int pn_convex_depth(const pn_convex *a, const pn_convex *b, const pn_simplex *from, pinion_nearest *out);

/* The nearest of the convex hull of the simplex to the origin: v, with its shares; points without a share leave.
 * Returns nonzero when the origin is inside. */
int pn_simplex_nearest(pn_simplex *s, double v[3]);

#endif
