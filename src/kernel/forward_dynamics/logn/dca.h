/* What the core must know to run divide and conquer in parts, on threads and in lanes: the steps of a call, and where
 * an instantiation keeps its plan and its records. divide_and_conquer.inc has the meaning. */
#ifndef PN_DCA_H
#define PN_DCA_H

#include <stddef.h>

/* Each step is for bodies 1 ... N - 1 or for the operations of one level of the plan, and those do not depend on each
 * other. */
enum {
    PN_DCA_DISPLACE = 0,  /* bodies */
    PN_DCA_COMPOSE,       /* levels upwards; this and the next with velocities only */
    PN_DCA_HAND_VELOCITY, /* levels downwards */
    PN_DCA_BEGIN,         /* bodies */
    PN_DCA_ASSEMBLE,      /* levels upwards */
    PN_DCA_HAND,          /* levels downwards */
    PN_DCA_PLAN,          /* before all others, once for a model */
    PN_DCA_MARGIN         /* after all others */
};

typedef struct pn_dca_view {
    const int *levels;                      /* how many there are */
    const int *first, *order;               /* level l is order[first[l]] ... order[first[l + 1] - 1] */
    const int *head, *left, *right;         /* of an operation below N that is no head: a join of two pieces */
    const int *top, *onto;                  /* of a head: its path's piece, and what the limb is added to */
    void *piece, *joint, *own, *limb, *body, *dof; /* [N] each, [tree_nv] */
    size_t piece_reals, joint_reals, limb_reals, body_reals, dof_reals; /* of one record */
} pn_dca_view;

/* Records in reals: how large they are, and where the parts are that are read or added to from outside.
 * divide_and_conquer.inc holds these against its structs. */
enum {
    PN_DCA_PIECE_REALS = 102,
    PN_DCA_JOINT_REALS = 244,
    PN_DCA_MOTION_REALS = 24,
    PN_DCA_BODY_REALS = 12,
    PN_DCA_LIMB_REALS = 27,
    PN_DCA_DOF_REALS = 15,
    PN_DCA_PIECE_P = 21, /* behind A; of a limb too */
    PN_DCA_PIECE_B = 27,
    PN_DCA_PIECE_C = 63,
    PN_DCA_PIECE_D = 84,
    PN_DCA_PIECE_A1 = 90,
    PN_DCA_PIECE_G = 96,
    PN_DCA_JOINT_C = 12, /* behind X, R and p */
    PN_DCA_JOINT_A = 18,
    PN_DCA_JOINT_W = 39,
    PN_DCA_JOINT_Y = 45,
    PN_DCA_JOINT_R = 51,
    PN_DCA_JOINT_G = 57,
    PN_DCA_JOINT_Z = 93,
    PN_DCA_JOINT_Q = 201,
    PN_DCA_JOINT_SIGMA = 237,
    PN_DCA_DOF_U = 0,
    PN_DCA_DOF_X = 6,
    PN_DCA_DOF_BIAS = 12,
    PN_DCA_DOF_DINV = 14,
    PN_DCA_BODY_A = 6
};

/* Integers of the plan, for N bodies: one takes the place of a real. */
#define PN_DCA_PLAN_INTS(N) (24 * (N) + 3)

/* Reals of the whole room: what dca_open lays out, for N bodies and nv velocities of the tree. */
#define PN_DCA_ROOM(N, nv)                                                                                   \
    ((N) * (PN_DCA_PIECE_REALS + PN_DCA_JOINT_REALS + PN_DCA_MOTION_REALS + PN_DCA_BODY_REALS +              \
            2 * PN_DCA_LIMB_REALS) +                                                                         \
     (nv) * PN_DCA_DOF_REALS + PN_DCA_PLAN_INTS(N))

/* one join on records by themselves, for lanes: dca_join */
typedef struct pn_dca_operands {
    const void *left_body, *left, *right_body, *right; /* of each pair one is NULL */
    void *joint, *dof, *out;
    const void *tau; /* NULL: zero */
} pn_dca_operands;

#endif
