/// The model: its description (what a file says), how to build one in C, and how to read it back.
///
/// A model is a graph of links connected by joints. A spanning tree of it carries the coordinates; the joints
/// that are left over, and other constraints, close its loops.
/// Links that no moving joint separates are merged into one body when the model is built; every
/// link stays available as a named frame. Body 0 is the fixed base; bodies and joints are numbered
/// depth first, children in the order they were added, so a parent's number is below its child's.
#ifndef PINION_MODEL_H
#define PINION_MODEL_H

#include "pinion/base.h"

PINION_BEGIN

typedef struct pinion_model pinion_model;     ///< immutable, shareable between threads
typedef struct pinion_builder pinion_builder; ///< collects a description, then builds a model
struct pinion_elastic_def;                    ///< pinion/elastic.h

/// A frame seen from another one: where its origin is and how its axes point there. The columns of
/// `rotation` (row-major) are the frame's axes in the other frame's coordinates.
typedef struct pinion_pose {
    double position[3]; ///< m
    double rotation[9]; ///< row-major 3 x 3
} pinion_pose;

/// Mass properties of a link, in the link's frame.
typedef struct pinion_inertia {
    double mass;       ///< kg
    double com[3];     ///< m, centre of mass
    double inertia[6]; ///< kg m^2, about the centre of mass: xx, xy, xz, yy, yz, zz
} pinion_inertia;

typedef enum pinion_joint_type {
    PINION_JOINT_FIXED = 0,   ///< nq 0: the links are one body
    PINION_JOINT_REVOLUTE,    ///< nq 1: angle about `axis`, limited
    PINION_JOINT_CONTINUOUS,  ///< nq 1: one unbounded angle about `axis`
    PINION_JOINT_PRISMATIC,   ///< nq 1: displacement along `axis`
    PINION_JOINT_HELICAL,     ///< nq 1: angle about `axis`, moving `pitch` m/rad along it
    PINION_JOINT_CYLINDRICAL, ///< nq 2: angle about, then displacement along `axis`
    PINION_JOINT_UNIVERSAL,   ///< nq 2: angle about x, then about the turned y
    PINION_JOINT_PLANAR,      ///< nq 3: x, y, angle in the plane normal to `axis`; v = vx, vy, w in the child frame
    PINION_JOINT_SPHERICAL,   ///< nq 4: quaternion; nv 3: angular velocity in the child frame
    PINION_JOINT_FREE,        ///< nq 7: quaternion, position; nv 6: [angular; linear] velocity in the child frame
    PINION_JOINT_TYPE_COUNT,
    PINION_JOINT_MODE ///< nq 1: a mode of an elastic link (pinion/elastic.h); it is never described by itself
} pinion_joint_type;

/// What belongs to one degree of freedom of a joint. Forces and torques are in N and N m, and so on.
typedef struct pinion_dof {
    double lower, upper;      ///< position limits; -INFINITY and INFINITY where there is none
    double velocity, effort;  ///< largest speed and force; INFINITY where there is none
    double damping;           ///< N m s/rad or N s/m, >= 0
    double friction_positive; ///< Coulomb friction while v > 0, a magnitude >= 0
    double friction_negative; ///< Coulomb friction while v < 0, a magnitude >= 0
    double rotor_inertia;     ///< J of the motor's rotor about its own axis, kg m^2, >= 0
    double gear_ratio;        ///< G, motor turns a joint turn; adds G^2 J to the joint's inertia
    double stiffness;         ///< of a spring on the joint, >= 0; of a rotation (spherical, free) one for three axes
    double rest;              ///< the coordinate at which that spring is relaxed; of a rotation a rotation vector's
    double stiffness_curve[2]; ///< c: with x = q - rest the spring has stiffness + c[0] x + c[1] x^2 in place of
                               ///< stiffness. Of a rotation, and of a free joint's place, x is the angle or the
                               ///< distance, and the three axes have the same numbers. Any finite numbers, default 0
    double damping_curve[2];   ///< the same of the damper, with x = |v|: damping + c[0] |v| + c[1] v^2
} pinion_dof;

/// How the medium around a link brakes it, in a frame of its own: -linear[i] u[i] - quadratic[i] |u[i]| u[i] along each
/// of its axes, where u = [angular; linear] is the velocity of the frame's origin against the medium. A passive force
/// (pinion/elements.h).
typedef struct pinion_drag {
    pinion_pose pose;    ///< in the link
    double linear[6];    ///< N m s, N s/m, >= 0
    double quadratic[6]; ///< N m s^2, N s^2/m^2, >= 0
    double wind[3];      ///< m/s, the velocity of the medium in the world
} pinion_drag;

/// A link to add. Get one from pinion_link_def_default(), then fill it.
typedef struct pinion_link_def {
    const char *name;
    pinion_inertia inertia; ///< all zero: massless
    double gravity_compensation; ///< the part of its weight that a passive force carries: 1 all of it; default 0
    const double *added_mass; ///< [6][6], angular part first, in the link's frame, at its origin: the momentum of the
                              ///< fluid around it is this times its velocity. Symmetric to 1e-9 of its largest entry,
                              ///< positive semidefinite, kg, kg m, kg m^2. NULL: none, the default
    const struct pinion_elastic_def *elastic; ///< how it bends; NULL: not at all, the default
    const pinion_drag *drag;  ///< NULL: none, the default
    int line;               ///< where the file says so, for error messages; 0 when unknown
    uint32_t cookie;        ///< set by the default function
} pinion_link_def;

/// A joint to add, in the tree or closing a loop. The joint's frame is given in both links; at zero
/// coordinates the two coincide: X_parent_child = parent_pose * J(q) * inverse(child_pose).
typedef struct pinion_joint_def {
    const char *name;
    pinion_joint_type type;
    const char *parent;      ///< a link's name
    const char *child;       ///< a link's name
    pinion_pose parent_pose; ///< the joint's frame in the parent link
    pinion_pose
        child_pose; ///< the joint's frame in the child link; the identity when that is the link's own frame
    double axis[3]; ///< in the joint's frame, any length but 0; default z
    double pitch;   ///< m/rad, helical joints only
    pinion_dof dof[6]; ///< the first nv entries count
    const char *mimic; ///< name of the joint it follows, or NULL: q = multiplier * q_leader + offset
    double multiplier;
    double offset;
    int has_initial;     ///< nonzero: the joint starts as the next two say; 0: neutral and at rest
    double initial_q[7]; ///< the first nq entries count, limits do not; a quaternion has unit length to 1e-6
    double initial_v[6]; ///< the first nv entries count
    int cut;             ///< nonzero: it is not part of the tree but closes a loop
    int unactuated;      ///< nonzero: no motor; inverse dynamics of loops gives it no force
    int line;
    uint32_t cookie;
} pinion_joint_def;

/// What closes a loop, or otherwise ties coordinates together.
typedef enum pinion_loop_kind {
    PINION_LOOP_JOINT = 0, ///< a joint of any type between two links of the tree: 6 - nv rows
    PINION_LOOP_DISTANCE,  ///< the origins of two frames keep their distance: 1 row
    PINION_LOOP_GEAR,      ///< q of one joint is a polynomial of q of another + a law of time: 1 row
    PINION_LOOP_ROLLING,   ///< a sphere or a disk rolls on a plane and does not slip: 3 rows, the last two nonholonomic
    PINION_LOOP_DRIVE,     ///< q of a joint is a law of time: 1 row
    PINION_LOOP_SPRING,    ///< a spring, damper or motor along the line between two points: no row, one coordinate
    PINION_LOOP_KIND_COUNT
} pinion_loop_kind;

/// A law of time: offset + rate t + acceleration t^2 / 2 + amplitude sin(2 pi frequency t + phase).
typedef struct pinion_motion {
    double offset, rate, acceleration;  ///< rad or m, and per s, per s^2
    double amplitude, frequency, phase; ///< rad or m, Hz, rad
} pinion_motion;

/// A constraint to add that is not a joint. Get one from pinion_constraint_def_default().
typedef struct pinion_constraint_def {
    const char *name;
    pinion_loop_kind kind;   ///< all but PINION_LOOP_JOINT
    const char *parent;      ///< DISTANCE, ROLLING, SPRING: the predecessor, a link's name
    const char *child;       ///< the successor, likewise
    pinion_pose parent_pose; ///< DISTANCE, SPRING: its origin is one end. ROLLING: the plane through it normal to its z
    pinion_pose child_pose;  ///< DISTANCE, SPRING: the other end. ROLLING: the centre of the sphere or disk, z its axis
    double length;           ///< DISTANCE: m, > 0; the law of time is added to it. SPRING: m, >= 0, when relaxed
    double stiffness;        ///< SPRING: N/m, >= 0
    double damping;          ///< SPRING: N s/m, >= 0
    double radius;           ///< ROLLING: m, > 0
    int disk;                ///< ROLLING: nonzero for a thin disk about z, else a sphere
    const char *first;       ///< GEAR, DRIVE: a joint of the tree with one coordinate
    const char *second;      ///< GEAR: q_second = ratio * q_first + curve + law of time
    double ratio;            ///< GEAR: any but 0, which it may be with a curve; the default is 1
    double curve[3];         ///< GEAR: what x = q_first adds beside: curve[0] x^2 + curve[1] x^3 + curve[2] x^4
    pinion_motion motion;    ///< all zero by default
    int line;
    uint32_t cookie;
} pinion_constraint_def;

/// A named frame fixed to a link: a tool, a sensor, a contact point.
typedef struct pinion_frame_def {
    const char *name;
    const char *link;
    pinion_pose pose; ///< in the link's frame
    int line;
    uint32_t cookie;
} pinion_frame_def;

typedef enum pinion_shape {
    PINION_SHAPE_BOX = 0,  ///< size: full lengths along x, y, z
    PINION_SHAPE_SPHERE,   ///< size[0]: radius
    PINION_SHAPE_CYLINDER, ///< size[0]: radius, size[1]: length along z
    PINION_SHAPE_CAPSULE,  ///< size[0]: radius, size[1]: length of the cylindrical part along z
    PINION_SHAPE_MESH,     ///< size: scale along x, y, z; mesh: the file as the model names it, never opened here
    /// those that only collisions have (pinion/collision.h)
    PINION_SHAPE_ELLIPSOID,    ///< size: half of its axes along x, y, z
    PINION_SHAPE_CONE,         ///< size[0]: radius, size[1]: length along z, the tip above, the origin half way up
    PINION_SHAPE_PLANE,        ///< all that is below z = 0; size[0], size[1]: lengths along x, y to draw, 0: any
    PINION_SHAPE_HEIGHT_FIELD, ///< size[0], size[1]: lengths along x, y, the origin in the middle; size[2]: depth of
                               ///< the ground below z = 0. Rows of heights go along x, the first at the least y
    PINION_SHAPE_COUNT
} pinion_shape;

/// Geometry for the viewer; it has no influence on the dynamics.
typedef struct pinion_visual_def {
    const char *link;
    pinion_shape shape; ///< PINION_SHAPE_MESH or one before it
    pinion_pose pose; ///< in the link's frame
    double size[3];
    const char *mesh; ///< NULL unless shape is PINION_SHAPE_MESH
    double rgba[4];   ///< each from 0 to 1
    int line;
    uint32_t cookie;
} pinion_visual_def;

typedef enum pinion_root {
    PINION_ROOT_FIXED = 0, ///< the root link is fixed, and what floats in an SDF file is fixed where it is drawn
    PINION_ROOT_FREE,      ///< a free joint named "root" holds the root link, unless models float as the file says
    PINION_ROOT_AS_FILE    ///< what the file says: models of SDF may float, all other roots are fixed
} pinion_root;
typedef enum pinion_mimic { PINION_MIMIC_FOLLOW = 0, PINION_MIMIC_INDEPENDENT } pinion_mimic;

/// Choices at load time. Get one from pinion_load_options_default().
typedef struct pinion_load_options {
    pinion_root root;   ///< AS_FILE unless set
    pinion_mimic mimic; ///< INDEPENDENT makes followers ordinary joints
    int set_gravity;    ///< nonzero: `gravity` replaces the model's own
    double gravity[3];  ///< m/s^2, world
    int strict;         ///< nonzero: what a file says about the motion and a model cannot hold is an error, no warning
    /// SDF: folders in which included models are looked for, separated by ':', ahead of those in the environment
    /// (docs/sdf.md); NULL: none. It is not copied.
    const char *model_path;
    const char *srdf; ///< URDF: an SRDF file with states, groups and exclusions (docs/model-format.md); NULL: none
    uint32_t cookie;
} pinion_load_options;

/// The defaults of each, to be changed where wanted.
PINION_API pinion_link_def pinion_link_def_default(void);
PINION_API pinion_joint_def pinion_joint_def_default(void);
PINION_API pinion_constraint_def pinion_constraint_def_default(void);
PINION_API pinion_frame_def pinion_frame_def_default(void);
PINION_API pinion_visual_def pinion_visual_def_default(void);
PINION_API pinion_load_options pinion_load_options_default(void);
/// The identity pose.
PINION_API pinion_pose pinion_pose_identity(void);

// ---------------------------------------------------------------------------------------------
// Building. Every call copies what it is given. A failed call leaves the builder as it was. `err`
// may be NULL. Links may be named before they are added: names are resolved by the build.

/// A new, empty builder for a model of that name; NULL when out of memory.
PINION_API pinion_builder *pinion_builder_new(const char *name);
PINION_API void pinion_builder_free(pinion_builder *b); ///< NULL is allowed

/// Names the file the description comes from: messages then start with "file:line:".
PINION_API PINION_CHECK pinion_status pinion_builder_set_source(pinion_builder *b, const char *file);
/// Gravity in the world, m/s^2; (0, 0, -9.81) unless set.
PINION_API PINION_CHECK pinion_status pinion_builder_set_gravity(pinion_builder *b, const double gravity[3],
                                                                 pinion_error *err);
PINION_API PINION_CHECK pinion_status pinion_builder_add_link(pinion_builder *b, const pinion_link_def *def,
                                                              pinion_error *err);
PINION_API PINION_CHECK pinion_status pinion_builder_add_joint(pinion_builder *b, const pinion_joint_def *def,
                                                               pinion_error *err);
/// The link that is the base, or hangs on the free root. Without it: the first link that is no joint's child;
/// where every link is one, the first of all.
PINION_API PINION_CHECK pinion_status pinion_builder_set_root(pinion_builder *b, const char *link,
                                                              pinion_error *err);
/// Nonzero: the joints must form a tree as they are, each link the child of one joint at most, as in URDF. Zero, the
/// default: any connected graph. The first joints in the order they were added make the tree, each pointing away
/// from the root where that is possible, and the others close loops (docs/model-format.md has the rule).
PINION_API PINION_CHECK pinion_status pinion_builder_set_tree_only(pinion_builder *b, int tree_only);
/// A joint that closes a loop: it connects two links that the tree already holds. The same as a joint with `cut`.
PINION_API PINION_CHECK pinion_status pinion_builder_add_loop(pinion_builder *b, const pinion_joint_def *def,
                                                              pinion_error *err);
/// Any other constraint.
PINION_API PINION_CHECK pinion_status pinion_builder_add_constraint(pinion_builder *b,
                                                                    const pinion_constraint_def *def,
                                                                    pinion_error *err);
PINION_API PINION_CHECK pinion_status pinion_builder_add_frame(pinion_builder *b, const pinion_frame_def *def,
                                                               pinion_error *err);
PINION_API PINION_CHECK pinion_status pinion_builder_add_visual(pinion_builder *b,
                                                                const pinion_visual_def *def,
                                                                pinion_error *err);

/// For loaders: something in the file that was passed over, as one sentence. It becomes one of the model's
/// warnings, ahead of those about the description. What is longer than 400 bytes is cut, and control
/// characters become '?'. NULL and "" are PINION_ERR_ARGUMENT.
PINION_API PINION_CHECK pinion_status pinion_builder_add_warning(pinion_builder *b, const char *sentence,
                                                                 pinion_error *err);

/// Validates the description and compiles it. The builder stays as it was and can build again.
/// @param options NULL for the defaults
/// @return NULL with `err` filled when the description is not valid
PINION_API pinion_model *pinion_builder_build(const pinion_builder *b, const pinion_load_options *options,
                                              pinion_error *err);

PINION_API void pinion_model_free(pinion_model *m); ///< NULL is allowed

// ---------------------------------------------------------------------------------------------
// Reading a model. Pointers in the answers belong to the model and live as long as it does.

PINION_API const char *pinion_model_name(const pinion_model *m); ///< as the file or the builder gave it
PINION_API int pinion_model_nq(const pinion_model *m);            ///< coordinates of position
PINION_API int pinion_model_nv(const pinion_model *m);            ///< coordinates of velocity
PINION_API double pinion_model_mass(const pinion_model *m);       ///< kg, of the bodies that can move
PINION_API double pinion_model_fixed_mass(const pinion_model *m); ///< kg, welded to the world
PINION_API void pinion_model_gravity(const pinion_model *m, double gravity[3]);

PINION_API int pinion_model_body_count(const pinion_model *m); ///< with the base, body 0
PINION_API int pinion_model_link_count(const pinion_model *m);
PINION_API int pinion_model_joint_count(const pinion_model *m); ///< of the tree: moving, fixed and following
PINION_API int pinion_model_frame_count(const pinion_model *m); ///< every link, then every named frame
PINION_API int pinion_model_loop_count(const pinion_model *m); ///< loop joints and other constraints
PINION_API int pinion_model_row_count(const pinion_model *m);  ///< scalar constraints of all loops together
PINION_API int pinion_model_loop_nq(const pinion_model *m);    ///< coordinates of all loop joints, which are not in q
PINION_API int pinion_model_loop_nv(const pinion_model *m);    ///< their velocities
PINION_API int pinion_model_visual_count(const pinion_model *m);
PINION_API int pinion_model_warning_count(const pinion_model *m);

typedef struct pinion_link_info {
    const char *name;
    int joint;              ///< the joint whose child it is; -1 for the root link of a fixed base
    int body;               ///< the body it is part of; 0 is the base
    pinion_inertia inertia; ///< as described, without payload
    double gravity_compensation; ///< the part of its weight that a passive force carries (pinion/elements.h)
    const double *added_mass;    ///< [6][6] as described, belongs to the model; NULL: none
    const pinion_drag *drag;     ///< as described, belongs to the model; NULL: none
} pinion_link_info;

typedef struct pinion_joint_info {
    const char *name;
    pinion_joint_type type;
    int parent, child; ///< links; parent is -1 for the world (only the joint "root")
    int body;        ///< the body it moves; for a fixed joint the body both links are in; -1 for loop joints
    int q_index, nq; ///< its part of q; -1 and 0 for fixed, following and loop joints
    int v_index, nv; ///< its part of v
    int leader;      ///< the joint it follows, which follows no other; -1 if none
    double multiplier, offset; ///< of a follower; 1 and 0 for others
    int q_source, v_source; ///< where in q and v that is from which it moves: coordinate k of the joint is multiplier *
                            ///< q[q_source + k] + offset. Its own part, or its leader's; -1 for fixed and loop joints
    pinion_pose parent_pose, child_pose;
    double axis[3]; ///< unit length, in the joint's frame
    double pitch;
    const pinion_dof *dof; ///< one entry per degree of freedom of the type, also for followers
    int dof_count;
    int has_initial;     ///< nonzero: the model says how it starts
    double initial_q[7]; ///< how it starts; neutral where the model does not say
    double initial_v[6]; ///< the same, 0 where it does not say
    int reversed;        ///< nonzero: described the other way round, and turned so that it points away from the root
    int unactuated;
} pinion_joint_info;

typedef struct pinion_loop_info {
    const char *name;
    pinion_loop_kind kind;
    /// JOINT: the joint, with body, q_index and v_index -1. DISTANCE, ROLLING: parent, child and the two poses count.
    pinion_joint_info joint;
    int first, second; ///< GEAR, DRIVE: joints of the tree; -1: none
    double ratio, curve[3], length, radius;
    int disk;
    pinion_motion motion;
    int row, rows;       ///< its rows among all
    int nonholonomic;    ///< how many of these, the last ones, are constraints on velocities alone
    int q_index, nq;     ///< JOINT, SPRING: its coordinates among those of all loop joints; a spring's is its length
    int v_index, nv;     ///< its velocities, likewise
} pinion_loop_info;

typedef struct pinion_frame_info {
    const char *name;
    int link; ///< frame i below link_count is link i itself
    int body;
    pinion_pose pose; ///< in the link's frame
} pinion_frame_info;

typedef struct pinion_visual_info {
    int link;
    pinion_shape shape;
    pinion_pose pose;
    double size[3];
    const char *mesh; ///< NULL unless shape is PINION_SHAPE_MESH
    double rgba[4];
} pinion_visual_info;

typedef struct pinion_body_info {
    const char *name; ///< of the link that its joint carries; "world" for body 0
    int parent;       ///< body; -1 for body 0
    int joint;        ///< the joint that moves it; -1 for body 0
    int link;         ///< the link in whose frame external forces on it are given; -1 for body 0
    double mass;      ///< of all its links
} pinion_body_info;

/// Each returns PINION_ERR_ARGUMENT when `index` is out of range.
PINION_API PINION_CHECK pinion_status pinion_model_body(const pinion_model *m, int index,
                                                        pinion_body_info *out);
PINION_API PINION_CHECK pinion_status pinion_model_link(const pinion_model *m, int index,
                                                        pinion_link_info *out);
/// What pinion_regressor multiplies for one body, 1 or more: m, m c (3), Ixx, Ixy, Ixz, Iyy, Iyz, Izz of all its links,
/// in its link's frame and about that frame's origin.
PINION_API PINION_CHECK pinion_status pinion_model_body_parameters(const pinion_model *m, int body,
                                                                   double parameters[10]);
/// What pinion_joint_regressor multiplies for one joint: G^2 J, damping, friction_positive and friction_negative of
/// each of its degrees of freedom.
PINION_API PINION_CHECK pinion_status pinion_model_joint_parameters(const pinion_model *m, int joint,
                                                                    double *parameters /*[dof_count][4]*/);
PINION_API PINION_CHECK pinion_status pinion_model_joint(const pinion_model *m, int index,
                                                         pinion_joint_info *out);
PINION_API PINION_CHECK pinion_status pinion_model_frame(const pinion_model *m, int index,
                                                         pinion_frame_info *out);
PINION_API PINION_CHECK pinion_status pinion_model_loop(const pinion_model *m, int index,
                                                        pinion_loop_info *out);
PINION_API PINION_CHECK pinion_status pinion_model_visual(const pinion_model *m, int index,
                                                          pinion_visual_info *out);

/// A sentence about something that the loader passed over, or that is suspicious in the description
/// (inertias above all); NULL out of range.
PINION_API const char *pinion_model_warning(const pinion_model *m, int index);

/// The index of the element of that name, -1 when there is none.
PINION_API int pinion_model_find_link(const pinion_model *m, const char *name);
PINION_API int pinion_model_find_joint(const pinion_model *m, const char *name);
PINION_API int pinion_model_find_frame(const pinion_model *m, const char *name);
PINION_API int pinion_model_find_loop(const pinion_model *m, const char *name);

/// "joint", "distance", "gear", "rolling", "drive", "spring"; NULL out of range.
PINION_API const char *pinion_loop_kind_name(pinion_loop_kind kind);
/// A law of time and its first two derivatives at t.
PINION_API void pinion_motion_at(const pinion_motion *motion, double t, double g[3]);

/// "revolute", "free", ...; NULL out of range.
PINION_API const char *pinion_joint_type_name(pinion_joint_type type);
/// The type of that name, -1 when there is none.
PINION_API int pinion_joint_type_find(const char *name);
PINION_API int pinion_joint_type_nq(pinion_joint_type type);
PINION_API int pinion_joint_type_nv(pinion_joint_type type);

// ---------------------------------------------------------------------------------------------
// Editing at run time. A model that others may be using is never changed: take a copy and edit that.
// An edit allocates nothing, and a workspace made for the original works with the copy, so a
// controller can pick up a load between two cycles.

/// A private copy; NULL when out of memory.
PINION_API pinion_model *pinion_model_copy(const pinion_model *m);
PINION_API PINION_CHECK pinion_status pinion_model_set_gravity(pinion_model *m, const double gravity[3]);
/// Fixes a load to a link, in the link's frame, in place of any load set on that link before; a zero
/// mass and inertia take it off again.
PINION_API PINION_CHECK pinion_status pinion_model_set_payload(pinion_model *m, int link,
                                                               const pinion_inertia *load);
/// The load that is fixed to a link; zero mass and inertia when there is none.
PINION_API PINION_CHECK pinion_status pinion_model_payload(const pinion_model *m, int link, pinion_inertia *load);
/// Gives a link another inertia of its own, in the link's frame; its payload stays.
PINION_API PINION_CHECK pinion_status pinion_model_set_inertia(pinion_model *m, int link,
                                                               const pinion_inertia *inertia);
/// Gives one degree of freedom of a joint of the tree another damper, friction, spring and rotor; of `dof` the limits
/// do not count. The spring of a rotation, one for three degrees of freedom, stays as it is.
/// @param k  below the joint's dof_count
PINION_API PINION_CHECK pinion_status pinion_model_set_dof(pinion_model *m, int joint, int k, const pinion_dof *dof);
/// Moves a named frame (not a link's own) on its link.
PINION_API PINION_CHECK pinion_status pinion_model_set_frame(pinion_model *m, int frame,
                                                             const pinion_pose *pose);

// ---------------------------------------------------------------------------------------------
// Generated models, for tests and benchmarks. The same seed gives the same model everywhere.

/// A serial chain of `joints` revolute joints with skew axes and full random inertias.
PINION_API pinion_model *pinion_random_chain(int joints, uint64_t seed, pinion_error *err);
/// A random tree over every joint type, `free_root` nonzero for a free base.
PINION_API pinion_model *pinion_random_tree(int joints, int free_root, uint64_t seed, pinion_error *err);
/// n parallel four-bars in a row, in the plane x-y, gravity along -y: n + 1 rods stand on the ground at x = 0, 1, ...,
/// and n couplers connect their tips, the frames B0, B1, ... Every rod is uniform, 1 m and 1 kg. At zero coordinates
/// all stand upright; they start so, the tips moving to +x at 1 m/s. Lying flat is a singular position. n is 6619 at
/// most.
PINION_API pinion_model *pinion_n_four_bar(int n, pinion_error *err);

PINION_END

#endif
