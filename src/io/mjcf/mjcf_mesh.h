/* Surfaces of meshes, while their inertia is computed. */
#ifndef PN_MJCF_MESH_H
#define PN_MJCF_MESH_H

#include "io/mjcf/mjcf.h"
#include "io/mjcf/mjcf_surface.h"

/* mjcf_mesh.c: points and triangles of a mesh, where they are meant; 0 with the error filled. */
int pn_mjcf_mesh_surface(const mjcf_element *e, mjcf_surface *out);

#endif
