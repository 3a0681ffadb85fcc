/* What a scene is inside. */
#ifndef PN_SCENE_PARTS_H
#define PN_SCENE_PARTS_H

#include "pinion/algorithms.h"
#include "pinion/scene.h"

#define PN_SCENE_GROUND (-1)

/* a collision, or the ground */
typedef struct pn_body_shape {
    int collision, link, body;
    pinion_pose pose; /* in the link's frame */
    pinion_solid solid;
    double margin;
    pinion_collision_info info;
} pn_body_shape;

/* two shapes that may touch */
typedef struct pn_shape_pair {
    int first, second;
    double friction, restitution, margin;
} pn_shape_pair;

struct pinion_scene {
    const pinion_model *m;
    pinion_scene_options options;
    int shapes, pairs, left_out, most, count; /* most: contacts that there is room for */
    int nv, frames, factorization;            /* the algorithm for M^-1 */
    pn_body_shape *shape;
    pn_shape_pair *pair;
    int *pair_of; /* [shapes][shapes] number of the pair, -1: none */
    pinion_scene_contact *contact;
    int *body_of;         /* [2][most] bodies of the contacts */
    int *order;           /* [shapes] of the sweep */
    int *found, founds;   /* [pairs] whose boxes overlap */
    double *low, *high;   /* [shapes][3] */
    double *position, *rotation; /* of the frames, links first */
    double *J, *W;        /* [3 most][nv] rows, and M^-1 times them */
    double *F;            /* factors of M */
    double *frame;        /* [6][nv] Jacobian of a body */
    double *G, *g, *mu, *lambda, *u; /* the problem */
    double *start, *free;            /* velocities of its rows at the beginning, and without contact */
    double *next, *moved; /* [nv], [nq] of a step */
    pinion_contact_work *work;
    char message[256];
};

/* the rows of all contacts at q, into s->J */
pinion_status pn_scene_rows(pinion_scene *s, pinion_work *w, const double *q);
/* two unit vectors across a third */
void pn_scene_tangents(const double normal[3], double x[3], double y[3]);
pinion_status pn_scene_fail(pinion_scene *s, pinion_status status, const char *words);

#endif
