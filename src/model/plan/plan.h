/* The plan of a model: a description that was found valid, in the model's own order, with every name
 * resolved. What is left to do is arithmetic. Private to src/model. */
#ifndef PN_PLAN_H
#define PN_PLAN_H

#include "model/build/describe.h"

/* Memory that is released together. `failed` stays set once an allocation failed. */
#define PN_POOL_BLOCKS 72
typedef struct pn_pool {
    void *block[PN_POOL_BLOCKS];
    int count, failed;
} pn_pool;

void *pn_pool_take(pn_pool *pool, size_t count, size_t size); /* zeroed; NULL when out of memory */
void pn_pool_free(pn_pool *pool);

typedef struct pn_plan {
    const pinion_builder *b; /* the caller's, or `turned` */
    pinion_builder turned;   /* the same with joints turned round, where some are; what differs is in the pool */
    pn_pool pool;
    int free_root;   /* joint 0 is "root" */
    int independent; /* followers are ordinary joints */
    double gravity[3];

    /* Links: 0 is the root. Link i is the child of joint i - 1; of joint i where the root is free. */
    int links;
    int *link_source; /* the builder's link */
    int *link_place;  /* by the builder's link: where it went */
    int *link_body;

    /* Joints, depth first. */
    int joints;
    int *joint_source; /* the builder's joint; -1: "root" */
    int *joint_place;  /* by the builder's joint: where it went; -1 - i: it became loop i */
    int *joint_parent; /* link; -1: the world */
    int *joint_leader; /* joint; -1: it has coordinates of its own */
    double *multiplier, *offset;
    int *joint_body; /* the body it moves, or for a fixed one that it is part of */

    int bodies;
    /* Loops: those of the builder's list, then the joints that were cut, in the order they were added. */
    int loops;
    int *loop_source;              /* the builder's loop; -1 - j: its joint j */
    int *loop_parent, *loop_child; /* links; -1 where the kind has none */
    int *loop_first, *loop_second; /* joints; -1: none */
    int *joint_turned;             /* by the builder's joint: it was described the other way round */
    int *frame_link, *visual_link;

    /* Elastic links in the order of the links, and their modes, which are joints behind all others. */
    int elastics, modes;
    int *elastic_link;
    int *link_elastic; /* by link: its number among them, from 1 on; 0: it is rigid */
    pn_modes *elastic; /* [elastics] */
    char *mode_names;  /* [modes][PN_MAX_NAME + 1] */

    /* Collisions, link by link; pairs of them, and of links that exclude each other: each once, in order. */
    int *collision_source;    /* the builder's collision */
    int *collision_link;
    int (*pair)[2];           /* by the builder's pair: collisions */
    int exclusions;
    int (*exclusion)[2];      /* links */

    /* Actuators: those of the builder's list, or the coordinates that have an ideal one. */
    int actuators;
    int *actuator_frame, *actuator_reference, *actuator_tendon; /* by the builder's actuator; -1: none */
    int *member_joint;          /* by the builder's member of a state or group: a joint; -1: passed over */
    int *tendon_index;          /* by the builder's term of a tendon: a joint or a frame; -1: a pulley */
    pn_name *tendon_names;      /* of the builder's tendons, in order */
    int *term_joint, *term_dof; /* by the builder's term, then those of tendons over joints; or by ideal actuator */
    int terms;

    /* names in order: links and frames (a frame's index is links + its own), joints and loops likewise; the
     * indices are the builder's */
    pn_name *frame_names, *joint_names;
    int frame_name_count, joint_name_count;

    pn_list warnings; /* char: sentences, each with its end */
    int warning_count;
} pn_plan;

/* Validates the builder's description and lays it out (plan->b is set, everything else zero). */
pinion_status pn_plan_make(pn_plan *plan, const pinion_load_options *options, pinion_error *err);
void pn_plan_free(pn_plan *plan);

/* Parts of pn_plan_make. */
pinion_status pn_plan_names(pn_plan *plan, pinion_error *err);    /* validate.c: names exist once */
pinion_status pn_plan_tree(pn_plan *plan, pinion_error *err);     /* spanning_tree.c: links and joints in order */
pinion_status pn_plan_turns(pn_plan *plan, pinion_error *err);    /* turn.c: joints met from their child's side */
pinion_status pn_plan_loops(pn_plan *plan, pinion_error *err);    /* close_loops.c: what each loop ties together */
pinion_status pn_plan_mimics(pn_plan *plan, pinion_error *err);   /* mimic.c: leaders */
pinion_status pn_plan_sets(pn_plan *plan, pinion_error *err);      /* plan_states.c: named states, groups */
pinion_status pn_plan_collisions(pn_plan *plan, pinion_error *err); /* plan_collisions.c: their links, and pairs */
pinion_status pn_plan_actuators(pn_plan *plan, pinion_error *err); /* plan_actuators.c: what they act on */
pinion_status pn_plan_tendons(pn_plan *plan, pinion_error *err);   /* plan_tendons.c: what they go through */
pinion_status pn_plan_elastic(pn_plan *plan, pinion_error *err);   /* plan_elastic.c: modes of elastic links */
pinion_status pn_plan_warnings(pn_plan *plan, pinion_error *err); /* warn.c: what is suspicious */

/* Adds one sentence to the warnings; 0 when out of memory (warn.c). */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 2, 3)))
#endif
int pn_plan_warn(pn_plan *plan, const char *format, ...);
/* The sentences that the loader left in the builder, ahead of all others (warn.c). */
pinion_status pn_plan_loader_warnings(pn_plan *plan, pinion_error *err);

/* The link of that name, -1 if there is none; for use once the tree is known (validate.c). */
int pn_plan_find_link(const pn_plan *plan, size_t name);

/* The child link of a joint, and the joint of a link (-1: none). */
static inline int pn_plan_child(const pn_plan *plan, int joint)
{
    return joint + 1 - plan->free_root;
}
static inline int pn_plan_link_joint(const pn_plan *plan, int link)
{
    return link - 1 + plan->free_root;
}

/* The described link, joint (NULL for "root"). */
static inline const pn_described_link *pn_plan_link(const pn_plan *plan, int link)
{
    return PN_ITEM(&plan->b->links, const pn_described_link, plan->link_source[link]);
}
static inline const pn_described_joint *pn_plan_joint(const pn_plan *plan, int joint)
{
    int source = plan->joint_source[joint];
    return source < 0 ? NULL : PN_ITEM(&plan->b->joints, const pn_described_joint, source);
}
static inline pinion_joint_type pn_plan_type(const pn_plan *plan, int joint)
{
    const pn_described_joint *described = pn_plan_joint(plan, joint);
    return described ? described->type : PINION_JOINT_FREE;
}

/* Loop i: its kind, what is described of it as of a joint, and the rest (NULL for a joint that was cut). */
static inline const pn_described_loop *pn_plan_loop(const pn_plan *plan, int loop)
{
    int source = plan->loop_source[loop];
    return source < 0 ? NULL : PN_ITEM(&plan->b->loops, const pn_described_loop, source);
}
static inline pinion_loop_kind pn_plan_loop_kind(const pn_plan *plan, int loop)
{
    const pn_described_loop *described = pn_plan_loop(plan, loop);
    return described ? described->kind : PINION_LOOP_JOINT;
}
static inline const pn_described_joint *pn_plan_loop_joint(const pn_plan *plan, int loop)
{
    const pn_described_loop *described = pn_plan_loop(plan, loop);
    if (described) return &described->joint;
    return PN_ITEM(&plan->b->joints, const pn_described_joint, -1 - plan->loop_source[loop]);
}

/* The model of a plan (compile_model.c); NULL with err filled when out of memory or out of range. */
pinion_model *pn_compile(const pn_plan *plan, pinion_error *err);

#endif
