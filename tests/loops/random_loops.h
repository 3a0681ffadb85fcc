/* Random mechanisms with loops of every kind, for tests. Frames named P0, S0, P1, ... are those of the loops. */
#ifndef PN_TEST_RANDOM_LOOPS_H
#define PN_TEST_RANDOM_LOOPS_H

#include "check.h"
#include "pinion/pinion.h"

static inline void random_axis(uint64_t *seed, double a[3])
{
    double length;
    do {
        for (int i = 0; i < 3; i++) a[i] = check_between(seed, -1, 1);
        length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    } while (length < 0.1 || length > 1);
    for (int i = 0; i < 3; i++) a[i] /= length;
}

/* position, and the rotation about an axis by Rodrigues' formula */
static inline pinion_pose random_pose(uint64_t *seed)
{
    pinion_pose pose;
    double k[3];
    random_axis(seed, k);
    const double angle = check_between(seed, -3, 3), c = cos(angle), s = sin(angle);
    const double cross[9] = {0, -k[2], k[1], k[2], 0, -k[0], -k[1], k[0], 0};
    for (int i = 0; i < 9; i++) {
        pose.rotation[i] = (i % 4 == 0) * c + (1 - c) * k[i / 3] * k[i % 3] + s * cross[i];
    }
    for (int i = 0; i < 3; i++) pose.position[i] = check_between(seed, -0.5, 0.5);
    return pose;
}

static inline pinion_motion random_motion(uint64_t *seed)
{
    pinion_motion motion;
    motion.offset = check_between(seed, 0.1, 0.3);
    motion.rate = check_between(seed, -1, 1);
    motion.acceleration = check_between(seed, -1, 1);
    motion.amplitude = check_between(seed, 0.1, 0.3);
    motion.frequency = check_between(seed, 0.2, 1);
    motion.phase = check_between(seed, -3, 3);
    return motion;
}

static inline void add_random_link(pinion_builder *b, const char *name, uint64_t *seed)
{
    pinion_link_def link = pinion_link_def_default();
    link.name = name;
    link.inertia.mass = check_between(seed, 0.5, 2);
    for (int i = 0; i < 3; i++) link.inertia.com[i] = check_between(seed, -0.2, 0.2);
    const double body[6] = {0.03, 0.002, -0.001, 0.04, 0.003, 0.05};
    memcpy(link.inertia.inertia, body, sizeof body);
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
}

/* a joint of a type with random frames, axis, pitch and, where it has any, passive elements */
static inline pinion_joint_def random_joint(const char *name, pinion_joint_type type, const char *parent,
                                            const char *child, uint64_t *seed)
{
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    joint.parent_pose = random_pose(seed);
    joint.child_pose = random_pose(seed);
    if (type != PINION_JOINT_FIXED && type != PINION_JOINT_UNIVERSAL && type != PINION_JOINT_SPHERICAL &&
        type != PINION_JOINT_FREE) {
        random_axis(seed, joint.axis);
    }
    if (type == PINION_JOINT_HELICAL) joint.pitch = check_between(seed, 0.1, 0.3);
    for (int d = 0; d < pinion_joint_type_nv(type); d++) {
        joint.dof[d].damping = check_between(seed, 0, 1);
        joint.dof[d].friction_positive = check_between(seed, 0, 1);
        joint.dof[d].friction_negative = check_between(seed, 0, 1);
        if (type == PINION_JOINT_SPHERICAL || type == PINION_JOINT_FREE) continue;
        joint.dof[d].stiffness = check_between(seed, 0, 5);
        joint.dof[d].rest = check_between(seed, -0.5, 0.5);
        joint.dof[d].stiffness_curve[0] = 1 - 0.4 * joint.dof[d].stiffness;
        joint.dof[d].stiffness_curve[1] = 0.5 + d;
        joint.dof[d].damping_curve[d % 2] = joint.dof[d].damping;
    }
    return joint;
}

static inline void add_frames_of_loop(pinion_builder *b, int index, const char *parent, const char *child,
                                      const pinion_pose *parent_pose, const pinion_pose *child_pose)
{
    char name[16];
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = name;
    snprintf(name, sizeof name, "P%d", index);
    frame.link = parent;
    frame.pose = *parent_pose;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    snprintf(name, sizeof name, "S%d", index);
    frame.link = child;
    frame.pose = *child_pose;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
}

/* The tree: "base" with two branches, with every joint type, a link that is welded on, and two followers where
 * `followers` is nonzero. Joint j moves link j. */
static inline void add_random_tree(pinion_builder *b, int followers, uint64_t *seed)
{
    static const struct {
        const char *link, *parent;
        pinion_joint_type type;
    } rows[] = {
        {"a1", "base", PINION_JOINT_REVOLUTE}, {"a2", "a1", PINION_JOINT_HELICAL},
        {"a3", "a2", PINION_JOINT_SPHERICAL},  {"a4", "a3", PINION_JOINT_CYLINDRICAL},
        {"a5", "a4", PINION_JOINT_FIXED},      {"a6", "a3", PINION_JOINT_PRISMATIC},
        {"b1", "base", PINION_JOINT_FREE},     {"b2", "b1", PINION_JOINT_CONTINUOUS},
        {"b3", "b2", PINION_JOINT_UNIVERSAL},  {"b4", "b3", PINION_JOINT_PLANAR},
        {"b5", "b4", PINION_JOINT_REVOLUTE},
    };
    add_random_link(b, "base", seed);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[16];
        add_random_link(b, rows[i].link, seed);
        snprintf(name, sizeof name, "j%s", rows[i].link);
        pinion_joint_def joint = random_joint(name, rows[i].type, rows[i].parent, rows[i].link, seed);
        if (followers && (!strcmp(rows[i].link, "a6") || !strcmp(rows[i].link, "b5"))) {
            joint.mimic = "ja1";
            joint.multiplier = check_between(seed, 0.5, 2);
            joint.offset = check_between(seed, -0.5, 0.5);
        }
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    }
}

/* A random one of the links, other than `but`. Several ways through the tree: base to either branch, along one
 * branch, from one to the other. */
static inline const char *random_link(uint64_t *seed, const char *but)
{
    static const char *const links[] = {"base", "a1", "a3", "a4", "a5", "a6", "b1", "b3", "b4", "b5", "base"};
    const char *link;
    do link = links[(int)check_between(seed, 0, sizeof links / sizeof *links)];
    while (but && (!strcmp(link, but) || (!strcmp(link, "a4") && !strcmp(but, "a5")) ||
                   (!strcmp(link, "a5") && !strcmp(but, "a4"))));
    return link;
}

/* Constraint `index` of a kind, with a law of time where it may have one. */
static inline void add_random_constraint(pinion_builder *b, pinion_loop_kind kind, int disk, int index, uint64_t *seed)
{
    char name[16];
    pinion_constraint_def def = pinion_constraint_def_default();
    snprintf(name, sizeof name, "loop%d", index);
    def.name = name;
    def.kind = kind;
    if (kind == PINION_LOOP_GEAR || kind == PINION_LOOP_DRIVE) {
        def.first = index % 2 ? "ja2" : "ja1";
        if (kind == PINION_LOOP_GEAR) def.second = "jb2";
        if (kind == PINION_LOOP_GEAR) def.ratio = check_between(seed, -2, -0.5);
        for (int k = 0; k < 3 && kind == PINION_LOOP_GEAR; k++) def.curve[k] = check_between(seed, -0.2, 0.2);
        def.motion = random_motion(seed);
    } else {
        def.child = random_link(seed, NULL);
        def.parent = random_link(seed, def.child);
        def.parent_pose = random_pose(seed);
        def.child_pose = random_pose(seed);
        if (kind == PINION_LOOP_SPRING) {
            def.length = check_between(seed, 0.1, 1);
            def.stiffness = check_between(seed, 1, 10);
            def.damping = check_between(seed, 0, 1);
        } else if (kind == PINION_LOOP_DISTANCE) {
            def.length = check_between(seed, 0.5, 1);
            def.motion = random_motion(seed);
        } else {
            def.radius = check_between(seed, 0.1, 0.5);
            def.disk = disk;
        }
        add_frames_of_loop(b, index, def.parent, def.child, &def.parent_pose, &def.child_pose);
    }
    pinion_error err;
    if (pinion_builder_add_constraint(b, &def, &err) != PINION_OK) CHECK_FAIL("%s", err.message);
}

/* A random tree with loop joints of every type, and constraints of every other kind, between random links. They can
 * hardly all be closed at once: what is computed holds for open loops too. */
static inline pinion_model *random_loops(int followers, uint64_t *seed)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("random loops");
    add_random_tree(b, followers, seed);
    int index = 0;
    for (int type = 0; type < PINION_JOINT_TYPE_COUNT; type++, index++) {
        char name[16];
        snprintf(name, sizeof name, "loop%d", index);
        const char *child = random_link(seed, NULL), *parent = random_link(seed, child);
        pinion_joint_def joint = random_joint(name, (pinion_joint_type)type, parent, child, seed);
        add_frames_of_loop(b, index, parent, child, &joint.parent_pose, &joint.child_pose);
        CHECK_STATUS(pinion_builder_add_loop(b, &joint, NULL), PINION_OK);
    }
    add_random_constraint(b, PINION_LOOP_DISTANCE, 0, index++, seed);
    add_random_constraint(b, PINION_LOOP_GEAR, 0, index++, seed);
    add_random_constraint(b, PINION_LOOP_ROLLING, 0, index++, seed);
    add_random_constraint(b, PINION_LOOP_ROLLING, 1, index++, seed);
    add_random_constraint(b, PINION_LOOP_DRIVE, 0, index++, seed);
    add_random_constraint(b, PINION_LOOP_SPRING, 0, index++, seed);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

#endif
