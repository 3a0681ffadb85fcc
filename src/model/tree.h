/* The compiled model as kernels see it: integers that steer, shared by every scalar.
 *
 * Compiled bodies are numbered depth first, 0 is the fixed base, parent < child. A compiled body is
 * a body of the API, or the massless body between the two halves of a cylindrical or universal joint.
 *
 * Every one-DoF joint has its axis along z of the body it moves. Where two axes have a common normal
 * near enough, x of the parent lies on it, and a placement is a constant screw about x behind an
 * optional constant screw about z; otherwise it is a dense rotation and a shift. docs/compiled-frames.md
 * derives this. "Tree coordinates" are those of all joints of the tree, followers included. */
#ifndef PN_TREE_H
#define PN_TREE_H

#include <stddef.h>
#include <stdint.h>

/* How a body moves against its parent. Subspaces are constant in the body's own coordinates. */
enum {
    PN_REVOLUTE = 0, /* about z */
    PN_PRISMATIC,    /* along z */
    PN_HELICAL,      /* about z, and pitch m/rad along it */
    PN_PLANAR,       /* q = x, y, angle; v = vx, vy, wz */
    PN_SPHERICAL,    /* q = quaternion; v = w */
    PN_FREE,         /* q = quaternion, position; v = w, v */
    PN_ELASTIC       /* with a place of an elastic link: q = v = its modes, which all places of the link share */
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
    int first;    /* the first of the bodies that lead to it side by side, each the parent of the next */
    int body;     /* body of the API; -1 for a massless one in between */
    int turned;   /* nonzero: constants' link pose is not the identity */
    int sprung;   /* nonzero: some DoF has a passive element */
    int rotors;   /* nonzero: some DoF has a rotor */
    int follower; /* nonzero: its coordinate follows that of another joint */
    int added;    /* its number among the bodies with added mass, from 1 on; 0: it has none */
    int elastic;  /* PN_ELASTIC: the number of its elastic link, from 1 on; else 0 */
    int shape;    /* and where its numbers begin among those of all places, elastic.inc */
    int span;     /* and its reals in the workspace */
} pn_node;

/* An elastic link: bodies [first, end) with this number and the same parent are places on it. */
typedef struct pn_elastic {
    int parent;     /* the compiled body it is clamped to */
    int first, end;
    int v, modes;   /* its coordinates, tree_nq less tree_nv further on in q */
    int matrices;   /* its numbers: mass that its places lack, stiffness, damping, [modes][modes] each */
    int span;       /* its reals in the workspace */
} pn_elastic;

/* One tree coordinate in terms of the model's own: value = multiplier * own[index] + offset. The
 * numbers are in the constants, pn_coordinate; a model without followers needs none of it. */
typedef struct pn_map {
    int index;
} pn_map;

/* pinion_loop_kind and pinion_joint_type as kernels know them; types.c holds the two against each other */
enum { PN_LOOP_JOINT = 0, PN_LOOP_DISTANCE, PN_LOOP_GEAR, PN_LOOP_ROLLING, PN_LOOP_DRIVE, PN_LOOP_SPRING };
enum {
    PN_TYPE_FIXED = 0,
    PN_TYPE_REVOLUTE,
    PN_TYPE_CONTINUOUS,
    PN_TYPE_PRISMATIC,
    PN_TYPE_HELICAL,
    PN_TYPE_CYLINDRICAL,
    PN_TYPE_UNIVERSAL,
    PN_TYPE_PLANAR,
    PN_TYPE_SPHERICAL,
    PN_TYPE_FREE,
    PN_SPRING_TYPE = 16
};

/* A loop: which rows of phi, L and c it has, and between what. Its numbers are in the constants, pn_closure. */
typedef struct pn_loop {
    int kind;     /* PINION_LOOP_JOINT ... */
    int type;     /* of a loop joint: PINION_JOINT_REVOLUTE ...; PN_SPRING_TYPE of a spring, which is none of them */
    int row, rows;
    int q, nq;    /* a loop joint's coordinates among those of all loop joints */
    int v, nv;    /* its velocities, likewise, and its entries among the loops' pn_dof */
    int node[2];  /* predecessor and successor: compiled bodies, 0 the base. Gear, drive: the bodies whose one-DoF
                     joints are first and second; the second is -1 for a drive */
    int disk;     /* rolling: a disk */
    int sprung;   /* nonzero: some DoF has a passive element */
    int driven;   /* nonzero: its law of time is not zero */
} pn_loop;

typedef struct pn_counts {
    int nodes;  /* compiled bodies with the base */
    int bodies; /* bodies of the API with the base */
    int nq, nv; /* the model's own coordinates */
    int tree_nq, tree_nv;
    int dense; /* planar, spherical and free joints */
    int frames;
    int followers; /* joints that follow another; 0: tree coordinates are the model's own */
    int loops;
    int rows;             /* scalar constraints of all loops */
    int loop_nq, loop_nv; /* coordinates and velocities of all loop joints */
    int couplings;        /* what loops tie while bodies are eliminated, couplings.h; -1: too much */
    int added;            /* links that move and have added mass: so many compiled bodies at most */
    int elastic;          /* elastic links; 0: all are rigid */
    int shapes;           /* numbers of these and of their places */
    int elastic_reals;    /* reals of these in the workspace */
} pn_counts;

/* The modes of an elastic link at most. */
#define PN_MOST_MODES 24

/* Reals in the workspace of a place of an elastic link, and of the link itself, beside those of other bodies. */
#define PN_PLACE_REALS(modes) (6 * (modes) + 3)
#define PN_ELASTIC_REALS(modes) ((modes) * (modes) + 7 * (modes))
/* Numbers of a place: how it moves and turns by each mode, and by two of them. */
#define PN_PLACE_NUMBERS(modes) (6 * (modes) + 6 * (modes) * (modes))
#define PN_ELASTIC_NUMBERS(modes) (3 * (modes) * (modes))

/* Sizes. Counts are below 2^20, so that products of two of them are far from the end of 64 bits; what a machine can
 * address is checked against them when a model is compiled. */

/* A dense matrix has at most this many rows and columns: it is indexed by int. */
#define PN_MAX_DENSE 46340
/* and one of 6 such matrices */
#define PN_MAX_CUBIC 18918

/* the room between rows of columns that vector registers may reach over their end */
#define PN_BESIDE_COLUMNS 14

/* Scratch memory of the kernels, in reals. A body's record is the kernel's own: PN_BODY_RECORD holds it against its
 * limit when it is compiled. */
#define PN_SCREW_REALS 3
#define PN_DENSE_REALS 12
#define PN_BODY_REALS 48
#define PN_BLOCK_REALS 64

/* Where its parts begin. The displacements of one-DoF joints come first. */
typedef struct pn_layout {
    uint64_t dense;   /* displacements of the other joints */
    uint64_t poses;   /* of all bodies in the world */
    uint64_t records; /* of all bodies */
    uint64_t blocks;  /* of joints of several DoF */
    uint64_t columns; /* six rows over the velocities */
    uint64_t tree;    /* tree coordinates and results, with followers only */
    uint64_t elastic; /* places of elastic links */
    uint64_t laws;    /* laws of time, which the API computes */
    uint64_t room;    /* what an algorithm asks for in its row of the registry: all that is common ends here */
} pn_layout;

/* Parts that not every kernel uses. A call has room for all of them; generated code for what its kernel names. */
enum {
    PN_PART_POSES = 1,
    PN_PART_BLOCKS = 2,
    PN_PART_COLUMNS = 4,
    PN_PART_MATRICES = 8, /* matrices over the tree's velocities, with followers only */
    PN_PART_ALL = 15
};

/* `record`: reals of a body's record */
static inline pn_layout pn_work_layout(const pn_counts *n, unsigned parts, uint64_t record)
{
    const uint64_t nodes = (uint64_t)n->nodes, dense = (uint64_t)n->dense;
    const uint64_t nv = (uint64_t)n->nv, tree_nv = (uint64_t)n->tree_nv, tree_nq = (uint64_t)n->tree_nq;
    pn_layout l;
    uint64_t at = PN_SCREW_REALS * nodes;
    l.dense = at;
    at += PN_DENSE_REALS * dense;
    l.poses = at;
    if (parts & PN_PART_POSES) at += PN_DENSE_REALS * nodes;
    /* what goes through vector registers begins with a line of the cache: few of them reach over two then */
    if (parts == PN_PART_ALL) at = (at + 7) / 8 * 8;
    l.records = at;
    at += record * nodes;
    l.blocks = at;
    if (parts & PN_PART_BLOCKS) at += PN_BLOCK_REALS * dense;
    if (parts == PN_PART_ALL) at = (at + 7) / 8 * 8;
    l.columns = at;
    if (parts & PN_PART_COLUMNS) at += 6 * (tree_nv + PN_BESIDE_COLUMNS);
    l.tree = at;
    if (n->followers) at += tree_nq + 9 * tree_nv;
    if (n->followers && parts & PN_PART_MATRICES) at += tree_nv * tree_nv + nv * nv + 2 * nv;
    l.elastic = at;
    at += (uint64_t)n->elastic_reals;
    l.laws = at;
    l.room = at + 3 * (uint64_t)n->rows;
    return l;
}

/* reals of scratch memory that every call has */
static inline uint64_t pn_work_reals(const pn_counts *n)
{
    return pn_work_layout(n, PN_PART_ALL, PN_BODY_REALS).room;
}

/* Reals that the dense solvers of loops, and what is built on them, need beside. solve/loop_system.inc and the solvers
 * take what they need from the beginning on: of n^2 loop_nullspace.inc most, of n rows loop_direct.inc. */
static inline uint64_t pn_loop_reals(const pn_counts *counts)
{
    const uint64_t n = (uint64_t)counts->nv, r = (uint64_t)counts->rows;
    const uint64_t frames = (uint64_t)counts->frames, nq = (uint64_t)counts->nq;
    return 4 * n * n + 8 * n * r + 4 * r * r + 40 * (n + r) + 8 * nq + 12 * frames + 64;
}

#endif
