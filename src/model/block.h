/* The model in memory: one relocatable block. Everything is reached by an offset from the block's
 * start, so a copy is a memcpy and a block may be mapped, sent or shared. */
#ifndef PN_BLOCK_H
#define PN_BLOCK_H

#include "pinion/model.h"
#include "model/tree.h"

typedef uint32_t pn_offset; /* bytes from the start of the block; 0: none */

struct pinion_model {
    uint32_t magic;
    uint32_t size;      /* bytes of the whole block */
    uint64_t structure; /* hash of counts, nodes and loops: workspaces fit all models that share it */
    uint64_t content[2]; /* hash of all that kernels read: models that share it give the same results */
    pn_counts n;
    pn_layout layout;       /* of workspaces */
    pn_offset nodes;        /* pn_node [n.nodes] */
    pn_offset frame_node;   /* int [n.frames] the compiled body each frame is fixed to */
    pn_offset body_node;    /* int [n.bodies] the compiled body of each body of the API */
    pn_offset map_q, map_v; /* pn_map [tree_nq], [tree_nv]; only with followers */
    pn_offset closed;       /* pn_loop [n.loops] */
    pn_offset elastic;      /* pn_elastic [n.elastic] */
    pn_offset coupled;      /* int [n.nodes + 1], then [n.couplings]: couplings.h */
    pn_offset f64, f32;     /* the constants, constants.inc */
    uint32_t constants;     /* how many numbers either table has */

    /* the description, as loaded: defined by the model layer alone (record.h) */
    double mass, fixed_mass;
    double gravity[3];
    int links, joints, named_frames, visuals, warnings, actuators;
    int actuators_listed; /* the model has a list of its own */
    pn_offset name;        /* strings end with a zero byte */
    pn_offset link;        /* pn_link_record [links] */
    pn_offset added;       /* double [][6][6]: added mass of those that have some */
    pn_offset bent;        /* pn_bent_record [n.elastic] */
    pn_offset bent_data;   /* double: their arrays */
    pn_offset drag;        /* pinion_drag [drags] */
    int drags;
    pn_offset joint;       /* pn_joint_record [joints] */
    pn_offset frame;       /* pn_frame_record [named_frames] */
    pn_offset loop;        /* pn_loop_record [n.loops] */
    pn_offset visual;      /* pn_visual_record [visuals] */
    int collisions, pairs, exclusions;
    pn_offset collision;      /* pn_collision_record [collisions], link by link */
    pn_offset link_collision; /* int [links + 1] where those of each link start */
    pn_offset collision_data; /* double: heights and points of all */
    pn_offset pair;           /* pinion_collision_pair_info [pairs] */
    pn_offset exclusion;      /* int [exclusions][2]: links, in order */
    pn_offset actuator;    /* pn_actuator_record [actuators] */
    pn_offset term;        /* pinion_actuator_term, of all actuators */
    int states, groups;
    pn_offset state, group; /* pn_set_record */
    pn_offset state_value;  /* double [states][nq + nv] */
    pn_offset group_joint;  /* int, of all groups */
    int tendons, carried;   /* and how many links have gravity compensation */
    pn_offset tendon;       /* pn_tendon_record [tendons] */
    pn_offset tendon_term;  /* pinion_tendon_term, of all tendons */
    pn_offset warning;     /* pn_offset [warnings] to strings */
    pn_offset body_joint;  /* int [n.bodies] the joint that moves it; -1 for the base */
    pn_offset frame_names; /* int [n.frames] all frames by name */
    pn_offset joint_names; /* int [joints + n.loops] joints, then loops, by name */
};

/* The object of a type at an offset of a block. */
#define PN_AT(block, type, offset) ((type *)((char *)(block) + (offset)))
#define PN_AT_CONST(block, type, offset) ((const type *)((const char *)(block) + (offset)))

#endif
