/* Models with elastic links, and what tests ask of them. */
#ifndef PN_BEAMS_H
#define PN_BEAMS_H

#include "check.h"
#include "pinion/pinion.h"

/* A beam of 2 m, with mass 1.2 kg/m; made up. */
static inline pinion_elastic_def plain_beam(int along_y, int along_z, int twist)
{
    pinion_elastic_def e = pinion_elastic_def_default();
    e.length = 2;
    e.mass_per_length = 1.2;
    e.bending_stiffness[0] = 30;
    e.bending_stiffness[1] = 50;
    e.torsion_stiffness = 20;
    e.polar_inertia = 0.01;
    e.modes[0] = along_y;
    e.modes[1] = along_z;
    e.modes[2] = twist;
    return e;
}

static inline void add_link(pinion_builder *b, const char *name, double mass, const pinion_elastic_def *elastic)
{
    pinion_link_def link = pinion_link_def_default();
    link.name = name;
    link.inertia =
        (pinion_inertia){mass, {0.02 * mass, 0.01, -0.03}, {0.02 * mass, 0, 0, 0.03 * mass, 0, 0.025 * mass}};
    link.elastic = elastic;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
}

/* a joint at x on its parent, about or along an axis that is none of the coordinates' where it has a tilt */
static inline pinion_joint_def joint_at(const char *name, pinion_joint_type type, const char *parent,
                                        const char *child, double x, double tilt)
{
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    joint.parent_pose.position[0] = x;
    joint.parent_pose.position[1] = tilt ? 0.05 : 0;
    joint.axis[0] = tilt;
    joint.axis[1] = 0;
    joint.axis[2] = 1;
    return joint;
}

static inline void add_joint(pinion_builder *b, const char *name, pinion_joint_type type, const char *parent,
                             const char *child, double x, double tilt)
{
    const pinion_joint_def joint = joint_at(name, type, parent, child, x, tilt);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
}

static inline pinion_model *build(pinion_builder *b)
{
    pinion_error err;
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* one elastic link whose frame is fixed */
static inline pinion_model *cantilever(const pinion_elastic_def *e, double gravity)
{
    const double g[3] = {0, gravity, 0};
    pinion_builder *b = pinion_builder_new("cantilever");
    CHECK_STATUS(pinion_builder_set_gravity(b, g, NULL), PINION_OK);
    add_link(b, "beam", 0, e);
    return build(b);
}

/* A tree: a free base with two arms, one of two elastic links with a branch half way and a body fixed to its end. */
static inline pinion_model *tree(void)
{
    pinion_elastic_def first = plain_beam(2, 1, 1), second = plain_beam(1, 2, 0);
    pinion_builder *b = pinion_builder_new("tree");
    second.length = 1.5;
    second.tip_mass = 0.3;
    second.tip_inertia[1] = second.tip_inertia[2] = 0.01;
    second.boundary = PINION_ELASTIC_CLAMPED_MASS;
    second.origin.position[1] = 0.1;
    add_link(b, "ground", 0, NULL);
    add_link(b, "hub", 3, NULL);
    add_joint(b, "float", PINION_JOINT_FREE, "ground", "hub", 0, 0);
    add_link(b, "upper", 0.5, &first);
    add_joint(b, "shoulder", PINION_JOINT_REVOLUTE, "hub", "upper", 0.2, 0.4);
    add_link(b, "branch", 0.4, NULL);
    add_joint(b, "half", PINION_JOINT_PRISMATIC, "upper", "branch", 1, 0.3);
    add_link(b, "lower", 0.2, &second);
    add_joint(b, "elbow", PINION_JOINT_UNIVERSAL, "upper", "lower", 2, 0.2);
    add_link(b, "tool", 0.6, NULL);
    add_joint(b, "mount", PINION_JOINT_FIXED, "lower", "tool", 1.5, 0.3);
    add_link(b, "other", 0.8, NULL);
    add_joint(b, "side", PINION_JOINT_SPHERICAL, "hub", "other", -0.3, 0);
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = "mark";
    frame.link = "upper";
    frame.pose.position[0] = 1.3;
    frame.pose.position[2] = 0.1;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    return build(b);
}

typedef struct moving {
    pinion_model *m;
    pinion_work *w;
    int nq, nv, bodies;
    double *q, *v, *a, *tau, *f;
} moving;

static inline moving start(pinion_model *m, uint64_t *seed)
{
    moving x = {.m = m, .w = pinion_work_new(m), .bodies = pinion_model_body_count(m)};
    x.nq = pinion_model_nq(m);
    x.nv = pinion_model_nv(m);
    x.q = calloc((size_t)x.nq + 1, sizeof(double));
    x.v = calloc((size_t)x.nv + 1, sizeof(double));
    x.a = calloc((size_t)x.nv + 1, sizeof(double));
    x.tau = calloc((size_t)x.nv + 1, sizeof(double));
    x.f = calloc(6 * (size_t)x.bodies, sizeof(double));
    CHECK_STATUS(pinion_random(m, *seed, x.q), PINION_OK);
    check_uniform(seed);
    for (int i = 0; i < x.nv; i++) {
        x.v[i] = check_between(seed, -1, 1);
        x.a[i] = check_between(seed, -1, 1);
        x.tau[i] = check_between(seed, -1, 1);
    }
    for (int i = 6; i < 6 * x.bodies; i++) x.f[i] = check_between(seed, -1, 1);
    return x;
}

static inline void stop(moving *x)
{
    free(x->q);
    free(x->v);
    free(x->a);
    free(x->tau);
    free(x->f);
    pinion_work_free(x->w);
    pinion_model_free(x->m);
}

#endif
