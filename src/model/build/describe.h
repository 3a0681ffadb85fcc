/* The description a builder collects, and what the model layer shares to check it: messages, name
 * tables, growing lists. Private to src/model. */
#ifndef PN_DESCRIBE_H
#define PN_DESCRIBE_H

#include <stdarg.h>

#include "base/message.h"
#include "pinion/actuators.h"
#include "pinion/collision.h"
#include "pinion/elastic_joints.h"
#include "pinion/elastic.h"
#include "pinion/elements.h"
#include "pinion/named.h"
#include "model/elastic/elastic_modes.h"

/* Limits that keep every count an int and every offset of the block within 32 bits. */
#define PN_MAX_ELEMENTS 131072 /* links, and joints, loops, frames, visuals and so on each */
#define PN_MAX_TERMS 1048576   /* joints that actuators act on, all together */
#define PN_MAX_NAME 255        /* bytes */
#define PN_MAX_MESH 4095       /* bytes */
#define PN_MAX_DATA (1 << 24)  /* numbers of collisions, all together */
#define PN_MAX_WARNING 400     /* bytes */

#define PN_COOKIE_LINK 0x6c696e6bu
#define PN_COOKIE_JOINT 0x6a6f696eu
#define PN_COOKIE_CONSTRAINT 0x636f6e73u
#define PN_COOKIE_FRAME 0x6672616du
#define PN_COOKIE_VISUAL 0x76697375u
#define PN_COOKIE_COLLISION 0x636f6c6cu
#define PN_COOKIE_PAIR 0x70616972u
#define PN_COOKIE_ACTUATOR 0x61637475u
#define PN_COOKIE_TENDON 0x74656e64u
#define PN_COOKIE_ELASTIC 0x656c6173u
#define PN_COOKIE_OPTIONS 0x6f707473u

/* A growing array of elements of one size. */
typedef struct pn_list {
    char *data;
    size_t count, capacity, size;
} pn_list;

/* Room for `more` further elements; 0 when out of memory, and the list is as it was. */
int pn_list_reserve(pn_list *list, size_t more);

/* All strings one after the other; a string is named by where it starts. 0 is the empty string. */
typedef struct pn_described_link {
    size_t name;
    pinion_inertia inertia;
    double gravity_compensation;
    size_t added; /* its number among the matrices of added mass, from 1 on; 0: none */
    size_t elastic; /* its number among the elastic links, from 1 on; 0: it is rigid */
    size_t drag;  /* the same among what brakes links */
    int line;
} pn_described_link;

typedef struct pn_described_joint {
    size_t name, parent, child;
    size_t mimic; /* 0: none */
    size_t dof;   /* where its entries start among all */
    pinion_joint_type type;
    pinion_pose parent_pose, child_pose;
    double axis[3], pitch;
    double multiplier, offset;
    int has_initial;
    double initial_q[7], initial_v[6]; /* neutral and at rest where it has none */
    int cut, unactuated;
    int line;
} pn_described_joint;

typedef struct pn_described_loop { /* a loop joint or another constraint */
    pinion_loop_kind kind;
    pn_described_joint joint; /* all of it for a loop joint; name, links, poses, line for the others */
    size_t first, second;     /* names of joints; 0: none */
    double ratio, curve[3], length, radius;
    int disk;
    pinion_motion motion;
} pn_described_loop;

typedef struct pn_described_frame {
    size_t name, link;
    pinion_pose pose;
    int line;
} pn_described_frame;

typedef struct pn_described_visual {
    size_t link, mesh; /* mesh 0: none */
    pinion_shape shape;
    pinion_pose pose;
    double size[3], rgba[4];
    int line;
} pn_described_visual;

typedef struct pn_described_collision {
    size_t link, name, mesh;    /* mesh 0: none */
    pinion_collision_info info; /* its link and pointers are not set */
    size_t data;                /* where its numbers start among all */
    int line;
} pn_described_collision;

typedef struct pn_described_pair { /* of collisions or, of exclusions, links */
    size_t first, second;
    pinion_collision_pair_info info; /* first and second are not set */
    int line;
} pn_described_pair;

typedef struct pn_described_term { /* what an actuator pulls at */
    size_t joint;
    int dof;
    double weight;
} pn_described_term;

typedef struct pn_described_actuator {
    size_t name, frame, reference, tendon; /* 0: none */
    pinion_actuator_type type;
    size_t term; /* where its terms start among all */
    int count;
    double rod, wrench[6], gear, efficiency, effort[2], velocity;
    pinion_actuator_dynamics dynamics;
    pinion_actuator_law law;
    int line;
} pn_described_actuator;

typedef struct pn_described_tendon {
    size_t name;
    pinion_tendon_type type;
    size_t term; /* where its terms start among all tendons' */
    int count;
    double stiffness, damping, stiffness_curve[2], damping_curve[2], rest[2], limits[2];
    int line;
} pn_described_tendon;

typedef struct pn_described_set { /* a named state, or a group of joints */
    size_t name;
    size_t member; /* where its members start among all */
    int count;
    int line;
} pn_described_set;

typedef struct pn_described_member {
    size_t joint;
    int velocity, count; /* count 0: of a group */
    double value[7];
} pn_described_member;

struct pinion_builder {
    pn_list text; /* char */
    size_t name, source;
    double gravity[3];
    size_t root; /* a link's name; 0: not said */
    int root_line;
    int tree_only;
    pn_list links, joints, loops, frames, visuals; /* pn_described_... */
    pn_list collisions, pairs, exclusions;         /* pn_described_collision, _pair, _pair */
    pn_list added;                                 /* double [36]: matrices of added mass */
    pn_list elastics, elastic_data;                /* pn_elastic_record; double: the arrays of all */
    pn_list drags;                                 /* pinion_drag */
    pn_list data;                                  /* double: heights and points of collisions */
    pn_list dofs;                                  /* pinion_dof */
    pn_list actuators, terms;                      /* pn_described_... */
    int actuators_listed;
    pn_list states, groups, members;               /* pn_described_set, _set, _member */
    pn_list tendons, tendon_terms;                 /* pn_described_tendon, _term: of joints or frames, 0 a pulley */
    pn_list warnings;                              /* size_t: sentences of the loader */
};

/* Element `i` of a list as that type. */
#define PN_ITEM(list, type, i) ((type *)(void *)(list)->data + (i))

static inline const char *pn_builder_text(const pinion_builder *b, size_t offset)
{
    return b->text.data + offset;
}

/* How a link is elastic; it is. */
static inline pinion_elastic_def pn_builder_elastic(const pinion_builder *b, const pn_described_link *link)
{
    return pn_elastic_unpack(PN_ITEM(&b->elastics, const pn_elastic_record, link->elastic - 1),
                             PN_ITEM(&b->elastic_data, const double, 0));
}

/* Room for how a link is elastic, and keeping it: its number among the elastic links; 0 for a rigid one
 * (describe_elastic.c). */
pinion_status pn_builder_elastic_room(pinion_builder *b, const pinion_link_def *def, pinion_error *err);
size_t pn_builder_keep_elastic(pinion_builder *b, const pinion_elastic_def *def);

/* Adding (builder.c): the next element of a list that has room for it; room for one more and for strings, at most as
 * many as a model may have; a string for which there is room, NULL is string 0. */
void *pn_list_push(pn_list *list);
pinion_status pn_builder_room(pinion_builder *b, pn_list *list, const char *what, const char *const *strings, int count,
                              int line, pinion_error *err);
size_t pn_builder_keep(pinion_builder *b, const char *string);

/* Lists the ideal actuators of the joints that are there; nothing where there is a list (ideal.c). */
pinion_status pn_builder_list_ideal(pinion_builder *b, pinion_error *err);

/* ---- messages (fail.c) ---- */

/* A name in single quotes, cut where it is too long for a message, safe to print. */
typedef struct pn_quoted {
    char text[80];
} pn_quoted;
pn_quoted pn_quote(const char *name);

/* Fills err (when there is one) with "source:line: " and the text, and returns the status. */
pinion_status pn_fail(const pinion_builder *b, pinion_error *err, pinion_status status, int line,
                      const char *format, ...) PN_PRINTF(5, 6);
pinion_status pn_fail_memory(const pinion_builder *b, pinion_error *err);

/* Ends a text that was cut at `length` bytes before a UTF-8 sequence that is not complete. */
void pn_trim_utf8(char *text, size_t length);
/* Nonzero for valid UTF-8 without control characters. */
int pn_is_clean_text(const char *text);

/* ---- names (name_table.c) ---- */

typedef struct pn_name {
    const char *name;
    int index;
} pn_name;

/* Names in alphabetical order, equal ones by index. */
void pn_names_sort(pn_name *names, int count);
/* The lowest index of that name, -1 if there is none. */
int pn_names_find(const pn_name *names, int count, const char *name);
/* The lowest index whose name a lower index has as well (that goes to *first), -1 if all differ. */
int pn_names_duplicate(const pn_name *names, int count, int *first);

/* ---- one definition at a time (check.c): PINION_OK, or an error that names it ---- */

pinion_status pn_check_link(const pinion_builder *b, const pinion_link_def *def, pinion_error *err);
/* These also bring what they are given into shape: rotations repaired, the axis and quaternions at unit
 * length, the initial state neutral where there is none. */
pinion_status pn_check_joint(const pinion_builder *b, pinion_joint_def *def, int loop, pinion_error *err);
pinion_status pn_check_constraint(const pinion_builder *b, pinion_constraint_def *def, pinion_error *err);
pinion_status pn_check_frame(const pinion_builder *b, pinion_frame_def *def, pinion_error *err);
pinion_status pn_check_visual(const pinion_builder *b, pinion_visual_def *def, pinion_error *err);
/* Checks of one kind of definition that others have as well; `what` is "a visual", of link `link`. */
pinion_status pn_check_cookie(const pinion_builder *b, const char *what, uint32_t cookie, uint32_t right,
                              pinion_error *err);
pinion_status pn_check_pose(const pinion_builder *b, const char *what, const char *name, const char *which,
                            pinion_pose *pose, int line, pinion_error *err);
pinion_status pn_check_mesh(const pinion_builder *b, const char *what, const char *link, const char *mesh, int line,
                            pinion_error *err);
pinion_status pn_check_name(const pinion_builder *b, const char *what, const char *name, int line, pinion_error *err);
/* The name of another element that an element refers to; whether that exists is the build's question. */
pinion_status pn_check_reference(const pinion_builder *b, const char *what, const char *name, const char *role,
                                 const char *reference, int line, pinion_error *err);

/* The name of a state or a group (`what`), and those of its joints, of which there are `count`. */
pinion_status pn_check_set(const pinion_builder *b, const char *what, const char *name, int count,
                           const char *const *joints, size_t stride, int line, pinion_error *err);

int pn_finite(const double *x, int count);
/* What is wrong with mass properties, as the end of a sentence; NULL when nothing is. */
const char *pn_inertia_fault(const pinion_inertia *inertia);
/* The same of one degree of freedom; `sprung`: the joint can have a spring. */
const char *pn_dof_fault(const pinion_dof *dof, int sprung);
/* The same for a pose, whose rotation is repaired where that is possible. */
const char *pn_pose_fault(pinion_pose *pose);

/* ---- joint types (types.c) ---- */

int pn_type_valid(int type);
int pn_type_uses_axis(int type);
int pn_type_has_one_coordinate(int type);
/* Scalar constraints of a loop (`type` counts for loop joints), and how many of them are nonholonomic. */
int pn_loop_rows(int kind, int type);
int pn_loop_nonholonomic(int kind);
/* Zero angles and displacements, and the unit quaternion of types that have one. */
void pn_type_neutral(int type, double q[7]);

#endif
