/* Surfaces of meshes, as files have them. */
#ifndef PN_MJCF_SURFACE_H
#define PN_MJCF_SURFACE_H

#include <stddef.h>

#include "pinion/model.h"

#define MJCF_MAX_TRIANGLES (1 << 24)

/* Triangles between points. Both arrays are freed by who asked for them, also after a failure. */
typedef struct mjcf_surface {
    double *point; /* 3 each */
    int points;
    int *corner; /* 3 a triangle, below `points` */
    int triangles;
    int point_capacity, corner_capacity; /* in threes */
    int ended, more;                     /* the first object has ended, and there were faces behind it */
    int all;                             /* set by who asks: faces of all objects count */
} mjcf_surface;

/* mjcf_mesh_file.c: STL, binary or text, OBJ or MSH by the end of the file's name. Returns NULL, or what is
 * wrong; "" when out of memory. */
const char *pn_mjcf_surface(const char *file, const char *text, size_t size, mjcf_surface *out);
int pn_mjcf_surface_point(mjcf_surface *s, const double p[3]);
int pn_mjcf_surface_triangle(mjcf_surface *s, int a, int b, int c);

/* Points times `scale` along each axis; where that mirrors them triangles are turned, so that they face outwards. */
void pn_mjcf_surface_scale(mjcf_surface *s, const double scale[3]);
/* mjcf_mesh.c: the solid within, with a density of 1, by the exact integrals; zero where it has no volume above 0. */
int pn_mjcf_surface_solid(const mjcf_surface *s, pinion_inertia *out);

/* mjcf_hull.c: puts the convex hull in place of the triangles. Returns the same. */
const char *pn_mjcf_hull(mjcf_surface *s);

#endif
