/* The description inside the block, and ways to its tables. Private to src/model. */
#ifndef PN_RECORD_H
#define PN_RECORD_H

#include "base/curve.h"
#include "model/block.h"
#include "model/elastic/elastic_modes.h"
#include "pinion/actuators.h"
#include "pinion/collision.h"
#include "pinion/elements.h"

#define num double
#include "model/constants.inc"
#undef num

#define PN_MAGIC 0x314e5050u /* "PPN1" */
#define PN_ALIGN 64          /* of the block and of both tables */

typedef struct pn_link_record {
    pn_offset name;
    int joint, body;
    pinion_inertia inertia;
    pinion_inertia payload;
    double gravity_compensation;
    int added; /* its number among the matrices of added mass, from 1 on; 0: none */
    int elastic; /* its number among the elastic links, from 1 on; 0: it is rigid */
    int drag;  /* the same among what brakes links */
} pn_link_record;

typedef struct pn_bent_record { /* an elastic link */
    pn_elastic_record described; /* its arrays are in bent_data */
    int link, joint;             /* and the joint that its first mode is */
    uint32_t modal;              /* where its frequencies and modal masses begin there */
} pn_bent_record;

typedef struct pn_joint_record {
    pn_offset name;
    pinion_joint_type type;
    int parent, child, body;
    int q_index, nq, v_index, nv;
    int leader;
    pn_offset dof; /* pinion_dof [dof_count] */
    int dof_count;
    double multiplier, offset;
    pinion_pose parent_pose, child_pose;
    double axis[3], pitch;
    int has_initial;
    double initial_q[7], initial_v[6]; /* neutral and at rest where it has none */
    int reversed, unactuated;
} pn_joint_record;

typedef struct pn_loop_record {
    pinion_loop_kind kind;
    pn_joint_record joint;
    int first, second; /* joints of the tree; -1: none */
    double ratio, curve[3], length, radius;
    int disk;
    pinion_motion motion;
    int row, rows, nonholonomic;
} pn_loop_record;

typedef struct pn_frame_record { /* a named frame */
    pn_offset name;
    int link;
    pinion_pose pose;
} pn_frame_record;

typedef struct pn_visual_record {
    int link;
    pinion_shape shape;
    pn_offset mesh; /* 0: none */
    pinion_pose pose;
    double size[3], rgba[4];
} pn_visual_record;

typedef struct pn_collision_record {
    pinion_collision_info info; /* its pointers are not set: a block may be moved */
    pn_offset name, mesh, data; /* mesh, data 0: none */
} pn_collision_record;

typedef struct pn_actuator_record {
    pn_offset name;
    pinion_actuator_type type;
    int term, term_count; /* among those of all */
    int frame, reference, carrier, tendon; /* -1: none */
    double rod, wrench[6], gear, efficiency, effort[2], velocity;
    pinion_actuator_dynamics dynamics;
    pinion_actuator_law law;
} pn_actuator_record;

typedef struct pn_set_record { /* a named state or a group */
    pn_offset name;
    int first, count; /* of a group, among the joints of all */
} pn_set_record;

typedef struct pn_tendon_record {
    pn_offset name;
    pinion_tendon_type type;
    int term, count; /* among those of all */
    double stiffness, damping, stiffness_curve[2], damping_curve[2], rest[2], limits[2];
} pn_tendon_record;

/* How many numbers a table of these counts has. */
static inline size_t pn_constant_count(const pn_counts *n)
{
    size_t bytes = sizeof(pn_head) + (size_t)n->nodes * sizeof(pn_link) +
                   (size_t)n->frames * sizeof(pn_place) + (size_t)n->tree_nv * sizeof(pn_dof);
    if (n->followers) bytes += ((size_t)n->tree_nq + (size_t)n->tree_nv) * sizeof(pn_coordinate);
    bytes += (size_t)n->loops * sizeof(pn_closure) + (size_t)n->loop_nv * sizeof(pn_dof);
    bytes += (size_t)n->added * sizeof(pn_added) + (size_t)n->shapes * sizeof(double);
    return bytes / sizeof(double);
}

/* The parts of the table in double. */
static inline pn_head *pn_head_of(pinion_model *m)
{
    return PN_AT(m, pn_head, m->f64);
}
static inline pn_link *pn_links_of(pinion_model *m)
{
    return (pn_link *)(pn_head_of(m) + 1);
}
static inline pn_place *pn_frames_of(pinion_model *m)
{
    return (pn_place *)(pn_links_of(m) + m->n.nodes);
}
/* What kernels read of the springs, dampers and friction of a degree of freedom; whether it has any. */
static inline void pn_put_passive(pn_dof *out, const pinion_dof *dof, double rest)
{
    *out = (pn_dof){.damping = dof->damping,
                    .friction_positive = dof->friction_positive,
                    .friction_negative = dof->friction_negative,
                    .stiffness = dof->stiffness,
                    .rest = rest,
                    .damping_curve = {dof->damping_curve[0], dof->damping_curve[1]},
                    .stiffness_curve = {dof->stiffness_curve[0], dof->stiffness_curve[1]}};
}
static inline int pn_is_passive(const pn_dof *e)
{
    return e->damping != 0 || e->friction_positive != 0 || e->friction_negative != 0 || e->stiffness != 0 ||
           pn_is_curved(e->damping_curve) || pn_is_curved(e->stiffness_curve);
}

static inline pn_dof *pn_dofs_of(pinion_model *m)
{
    return (pn_dof *)(pn_frames_of(m) + m->n.frames);
}
static inline pn_coordinate *pn_coordinates_of(pinion_model *m)
{
    return (pn_coordinate *)(pn_dofs_of(m) + m->n.tree_nv);
}

static inline pn_closure *pn_closures_of(pinion_model *m)
{
    return (pn_closure *)(pn_coordinates_of(m) + (m->n.followers ? m->n.tree_nq + m->n.tree_nv : 0));
}
static inline pn_dof *pn_loop_dofs_of(pinion_model *m)
{
    return (pn_dof *)(pn_closures_of(m) + m->n.loops);
}
static inline pn_added *pn_added_of(pinion_model *m)
{
    return (pn_added *)(pn_loop_dofs_of(m) + m->n.loop_nv);
}

static inline double *pn_shapes_of(pinion_model *m)
{
    return (double *)(pn_added_of(m) + m->n.added);
}

static inline pn_place pn_place_of(const pinion_pose *pose)
{
    pn_place place;
    for (int i = 0; i < 9; i++) place.R[i] = pose->rotation[i];
    for (int i = 0; i < 3; i++) place.p[i] = pose->position[i];
    return place;
}
static inline pinion_pose pn_pose_of(const pn_place *place)
{
    pinion_pose pose;
    for (int i = 0; i < 9; i++) pose.rotation[i] = place->R[i];
    for (int i = 0; i < 3; i++) pose.position[i] = place->p[i];
    return pose;
}

/* ---- merge.c: what depends on gravity, on masses and on frames; used by the compiler and by edits ---- */

/* The single-precision numbers from the double ones: those of [first, first + count) in the table. */
void pn_narrow(pinion_model *m, const void *first, size_t bytes);
/* Gravity of the block into the table. */
void pn_set_gravity(pinion_model *m);
/* Inertia of one compiled body from its links and their payloads; node 0 gives the fixed mass. */
void pn_merge_inertia(pinion_model *m, int node);
/* The same of all at once, into inertias that are zero; single precision is left to the caller. */
void pn_merge_all(pinion_model *m);
/* Numbers the bodies that have added mass and fills in their matrices, which are zero: merge_added.c. */
void pn_merge_added(pinion_model *m);
/* The mass of all moving bodies, from the table's inertias. */
void pn_sum_mass(pinion_model *m);
/* A named frame (by its number among all frames) from its link's pose and its own. */
void pn_set_named_frame(pinion_model *m, int frame);
/* The hash of what kernels read, after the last change to it. */
void pn_set_content(pinion_model *m);

#endif
