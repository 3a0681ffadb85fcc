/* The compiled model as kernels see it: integers that steer, shared by every scalar.
 *
 * Compiled bodies are numbered depth first, 0 is the fixed base, parent < child. A compiled body is
 * a body of the API, or the massless body between the two halves of a cylindrical or universal joint.
 *
 * Every one-DoF joint has its axis along z of the body it moves. Where two axes have a common normal
 * near enough, x of the parent lies on it, and a placement is a constant screw about x behind an
 * optional constant screw about z; otherwise it is a dense rotation and a shift. docs/architecture.md
 * derives this. "Tree coordinates" are those of all joints of the tree, followers included. */
#ifndef PN_TREE_H
#define PN_TREE_H

/* How a body moves against its parent. Subspaces are constant in the body's own coordinates. */
enum {
    PN_REVOLUTE = 0, /* about z */
    PN_PRISMATIC,    /* along z */
    PN_HELICAL,      /* about z, and pitch m/rad along it */
    PN_PLANAR,       /* q = x, y, angle; v = vx, vy, wz */
    PN_SPHERICAL,    /* q = quaternion; v = w */
    PN_FREE          /* q = quaternion, position; v = w, v */
};

/* Where a joint sits on its parent: constant, from the parent's frame to the joint's. */
enum {
    PN_PLACE_NONE = 0, /* the frames coincide */
    PN_PLACE_X,        /* screw about x */
    PN_PLACE_ZX,       /* screw about z, then about the turned x */
    PN_PLACE_DENSE     /* rotation and shift */
};

typedef struct pn_node {
    int parent; /* compiled body; -1 for the base */
    int joint;  /* PN_REVOLUTE ... */
    int place;  /* PN_PLACE_NONE ... */
    int q, nq;  /* tree coordinates */
    int v, nv;
    int dense;    /* its number among the planar, spherical and free joints; -1 for the one-DoF ones */
    int end;      /* one past its last descendant: its subtree is [i, end) */
    int body;     /* body of the API; -1 for a massless one in between */
    int turned;   /* nonzero: constants' link pose is not the identity */
    int sprung;   /* nonzero: some DoF has a passive element */
    int rotors;   /* nonzero: some DoF has a rotor */
    int follower; /* nonzero: its coordinate follows that of another joint */
} pn_node;

/* One tree coordinate in terms of the model's own: value = multiplier * own[index] + offset. The
 * numbers are in the constants, pn_coordinate; a model without followers needs none of it. */
typedef struct pn_map {
    int index;
} pn_map;

typedef struct pn_counts {
    int nodes;  /* compiled bodies with the base */
    int bodies; /* bodies of the API with the base */
    int nq, nv; /* the model's own coordinates */
    int tree_nq, tree_nv;
    int dense; /* planar, spherical and free joints */
    int frames;
    int followers; /* joints that follow another; 0: tree coordinates are the model's own */
    int loops;
} pn_counts;

#endif
