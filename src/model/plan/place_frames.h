/* The frames of the compiled model: where the z axes go, and how a placement becomes two screws. */
#ifndef PN_PLACE_FRAMES_H
#define PN_PLACE_FRAMES_H

#include "pinion/model.h"
#include "model/plan/plan.h"

/* A constant angle. */
typedef struct pn_angle {
    double c, s;
} pn_angle;

/* K = Screw_z(beta, e) Screw_x(alpha, a) Screw_z(theta, d): z of K and z of the frame it is given in, and
 * the normal they have in common. */
typedef struct pn_normal {
    int good; /* zero: the axes are so nearly parallel that the normal is far away */
    pn_angle beta, alpha, theta;
    double e, a, d;
} pn_normal;

/* A node on its way to be compiled. Its user frame U is the frame of its joint on the child's side, that of
 * node 0 the world. The compiled frame B in U is turn Screw_z(phi, t); for node 0 it is pn_skeleton.base. */
typedef struct pn_unit {
    int parent;        /* node */
    int joint, half;   /* of the plan; 0 or 1: which half of a joint that is compiled as two */
    int kind;          /* PN_REVOLUTE ... */
    int link;          /* the joint's child link; -1 for a first half */
    pinion_pose frame; /* joint frame in U of the parent, at q = 0 */
    double turn[9];    /* z of it is the axis */
    pn_normal normal;  /* of the axis against the parent's, both with phi = t = 0; one-DoF joints */
    pn_angle phi;
    double t;
    int place;        /* PN_PLACE_NONE ... */
    pn_normal screws; /* beta, e, alpha, a: the placement; theta, d: theta0, d0 */
    pinion_pose dense;
    int elastic;      /* PN_ELASTIC: the number of its link among the elastic ones, from 1 on; else 0 */
    double station;   /* where on it: elastic_modes.h */
    int point;        /* which of its points of mass it is; -1: none */
} pn_unit;

typedef struct pn_skeleton {
    int nodes;
    pn_unit *unit;     /* [nodes]; 0 is the base */
    int *body_node;    /* [bodies] */
    pinion_pose base;  /* B of node 0 in the world */
    pinion_pose *link; /* [links] its frame in B of its node */
    int *link_node;    /* [links] */
    double size;       /* of the model: lengths far below are rounding */
} pn_skeleton;

/* The node of what has this pose on a link, and its pose there: in the user frame of an elastic link's place, else in
 * the frame of the node as `link` has it. A place must have been made for it. */
int pn_skeleton_find(const pn_skeleton *s, const pn_plan *plan, int link, const pinion_pose *pose, pinion_pose *out);

/* Chooses the frames. Zero when out of memory (which the pool notes). */
int pn_skeleton_make(pn_skeleton *s, const pn_plan *plan, pn_pool *pool);

static inline int pn_one_dof(int kind)
{
    return kind <= 2; /* PN_REVOLUTE, PN_PRISMATIC, PN_HELICAL */
}

/* screw.c: decomposes K; lengths below `tiny` are zero. */
pn_normal pn_common_normal(const pinion_pose *K, double tiny);
pn_angle pn_angle_of(double c, double s); /* unit length, zeros exact */
pn_angle pn_angle_add(pn_angle x, pn_angle y);
pn_angle pn_angle_subtract(pn_angle x, pn_angle y);
double pn_snap_length(double x, double tiny);
pinion_pose pn_snap_pose(const pinion_pose *pose, double tiny); /* exact structure stays exact */

#endif
