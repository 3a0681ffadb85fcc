/* Mechanisms for tests of simulations with closed loops, built in C. */
#ifndef PN_TEST_MECHANISM_H
#define PN_TEST_MECHANISM_H

#include "driver.h"

typedef struct mechanism {
    pinion_builder *b;
    pinion_error err;
} mechanism;

/* Reports what the builder objected to. */
static inline void mechanism_check(mechanism *k, pinion_status status)
{
    if (status != PINION_OK) CHECK_FAIL("%s", k->err.message);
}

static inline mechanism mechanism_begin(const double gravity[3])
{
    mechanism k = {pinion_builder_new("mechanism"), {PINION_OK, 0, 0, ""}};
    pinion_link_def ground = pinion_link_def_default();
    ground.name = "ground";
    CHECK(k.b != NULL);
    mechanism_check(&k, pinion_builder_set_gravity(k.b, gravity, &k.err));
    mechanism_check(&k, pinion_builder_add_link(k.b, &ground, &k.err));
    return k;
}

static inline pinion_model *mechanism_end(mechanism *k)
{
    pinion_model *m = pinion_builder_build(k->b, NULL, &k->err);
    if (!m) CHECK_FAIL("%s", k->err.message);
    pinion_builder_free(k->b);
    return m;
}

/* A body with its mass centre at (x, y, z) and diagonal inertia about that. */
static inline void mechanism_body(mechanism *k, const char *name, double mass, const double com[3],
                                  const double inertia[3])
{
    pinion_link_def link = pinion_link_def_default();
    link.name = name;
    link.inertia.mass = mass;
    for (int i = 0; i < 3; i++) link.inertia.com[i] = com[i];
    link.inertia.inertia[0] = inertia[0];
    link.inertia.inertia[3] = inertia[1];
    link.inertia.inertia[5] = inertia[2];
    mechanism_check(k, pinion_builder_add_link(k->b, &link, &k->err));
}

/* A uniform rod of 1 m by its name: from its frame's origin along x, or along y. */
static inline void mechanism_rod(mechanism *k, const char *name, double mass, double length, int along_y)
{
    const double thin = 1e-4 * mass, thick = mass * length * length / 12;
    const double com[3] = {along_y ? 0 : length / 2, along_y ? length / 2 : 0, 0};
    const double inertia[3] = {along_y ? thick : thin, along_y ? thin : thick, thick};
    mechanism_body(k, name, mass, com, inertia);
}

/* A joint at a place of the parent, which in the child is its origin. */
static inline pinion_joint_def mechanism_joint(const char *name, pinion_joint_type type, const char *parent,
                                               const char *child, double x, double y)
{
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    joint.parent_pose.position[0] = x;
    joint.parent_pose.position[1] = y;
    return joint;
}

static inline void mechanism_add(mechanism *k, const pinion_joint_def *joint)
{
    mechanism_check(k, pinion_builder_add_joint(k->b, joint, &k->err));
}

static inline void mechanism_hinge(mechanism *k, const char *name, const char *parent, const char *child,
                                   double x, double y)
{
    const pinion_joint_def joint = mechanism_joint(name, PINION_JOINT_CONTINUOUS, parent, child, x, y);
    mechanism_add(k, &joint);
}

/* A hinge about z that closes a loop: the points (x, y) of the one and (u, w) of the other body stay
 * together. */
static inline void mechanism_loop(mechanism *k, const char *name, const char *parent, const char *child,
                                  double x, double y, double u, double w)
{
    pinion_joint_def joint = mechanism_joint(name, PINION_JOINT_CONTINUOUS, parent, child, x, y);
    joint.child_pose.position[0] = u;
    joint.child_pose.position[1] = w;
    mechanism_check(k, pinion_builder_add_loop(k->b, &joint, &k->err));
}

static inline void mechanism_constraint(mechanism *k, const pinion_constraint_def *def)
{
    mechanism_check(k, pinion_builder_add_constraint(k->b, def, &k->err));
}

/* A crank of 0.3 m, a rod of 0.8 m and a slider along x; `rate` above 0: the crank turns by a law of time. q
 * is crank, rod, slider. */
static inline pinion_model *mechanism_slider_crank(double rate)
{
    const double down[3] = {0, -9.81, 0}, origin[3] = {0, 0, 0}, cube[3] = {0.01, 0.01, 0.01};
    mechanism k = mechanism_begin(down);
    mechanism_rod(&k, "crank", 2, 0.3, 0);
    mechanism_rod(&k, "rod", 1.5, 0.8, 0);
    mechanism_body(&k, "slider", 3, origin, cube);
    mechanism_hinge(&k, "crank", "ground", "crank", 0, 0);
    mechanism_hinge(&k, "rod", "crank", "rod", 0.3, 0);
    pinion_joint_def slide = mechanism_joint("slide", PINION_JOINT_PRISMATIC, "ground", "slider", 0, 0);
    slide.axis[0] = 1;
    slide.axis[2] = 0;
    mechanism_add(&k, &slide);
    mechanism_loop(&k, "pin", "rod", "slider", 0.8, 0, 0, 0);
    if (rate > 0) {
        pinion_constraint_def drive = pinion_constraint_def_default();
        drive.name = "drive";
        drive.kind = PINION_LOOP_DRIVE;
        drive.first = "crank";
        drive.motion.offset = 0.5;
        drive.motion.rate = rate;
        mechanism_constraint(&k, &drive);
    }
    return mechanism_end(&k);
}

/* Where the other two joints are, and how fast, when the crank is at `angle` and turns at `rate`. */
static inline void mechanism_slider_crank_at(double angle, double rate, double *q, double *v)
{
    const double r = 0.3, l = 0.8, s = r * sin(angle), root = sqrt(l * l - s * s);
    const double turn = -r * cos(angle) * rate / root; /* of the rod's own direction */
    q[0] = angle;
    q[1] = -asin(s / l) - angle;
    q[2] = r * cos(angle) + root;
    v[0] = rate;
    v[1] = turn - rate;
    v[2] = -s * rate - s * r * cos(angle) * rate / root;
}

/* A row of `count` four-bars of uniform rods of 1 m and 1 kg, upright at q = 0: rods on the ground 1 m apart,
 * and between their tips couplers, each hinged to the rod before it. q is rod 0, coupler 0, rod 1, coupler 1,
 * ... */
static inline pinion_model *mechanism_four_bars(int count)
{
    const double down[3] = {0, -9.81, 0};
    char rod[32], coupler[32], loop[32], before[32];
    mechanism k = mechanism_begin(down);
    for (int i = 0; i <= count; i++) {
        snprintf(rod, sizeof rod, "rod%d", i);
        snprintf(coupler, sizeof coupler, "coupler%d", i);
        mechanism_rod(&k, rod, 1, 1, 1);
        mechanism_hinge(&k, rod, "ground", rod, i, 0);
        if (i == count) break;
        mechanism_rod(&k, coupler, 1, 1, 0);
        mechanism_hinge(&k, coupler, rod, coupler, 0, 1);
    }
    for (int i = 0; i < count; i++) {
        snprintf(before, sizeof before, "coupler%d", i);
        snprintf(rod, sizeof rod, "rod%d", i + 1);
        snprintf(loop, sizeof loop, "loop%d", i);
        mechanism_loop(&k, loop, before, rod, 1, 0, 0, 1);
    }
    return mechanism_end(&k);
}

#endif
