/* Models at a state, over complex numbers: random trees, elastic links, curved springs and dampers. */
#ifndef COMPLEX_TREES_H
#define COMPLEX_TREES_H
#include "complex_step.h"

typedef struct scene {
    pinion_model *m;
    pinion_work *w;
    state x;
    int nq, nv;
    cx *q, *v;
    double *e, *row;
} scene;

static inline int scene_open(scene *s, pinion_model *m, uint64_t *seed)
{
    CHECK(m != NULL);
    if (!m) return 0;
    s->m = m;
    s->w = pinion_work_new(m);
    s->x = state_new(m, seed);
    s->nq = m->n.nq;
    s->nv = m->n.nv;
    s->q = calloc((size_t)s->nq + 1, sizeof(cx));
    s->v = calloc((size_t)s->nv + 1, sizeof(cx));
    s->e = calloc((size_t)s->nv + 1, sizeof(double));
    s->row = calloc((size_t)s->nv + 1, sizeof(double));
    return 1;
}

static inline void scene_close(scene *s)
{
    free(s->q);
    free(s->v);
    free(s->e);
    free(s->row);
    free(s->x.q);
    pinion_work_free(s->w);
    pinion_model_free(s->m);
}

/* A revolute chain of two elastic links, the second on half the first one's end; numbers are made up. */
enum { ELASTIC = 20 };
static inline pinion_model *elastic_chain(void)
{
    pinion_builder *b = pinion_builder_new("elastic");
    const char *const links[] = {"ground", "first", "second", "load"};
    const char *const joints[] = {"shoulder", "elbow", "wrist"};
    pinion_status status = PINION_OK;
    for (int i = 0; i < 4 && status == PINION_OK; i++) {
        pinion_link_def link = pinion_link_def_default();
        pinion_elastic_def e = pinion_elastic_def_default();
        e.length = 1.5;
        e.mass_per_length = 0.9;
        e.bending_stiffness[0] = 30;
        e.bending_stiffness[1] = 40;
        e.torsion_stiffness = 25;
        e.polar_inertia = 0.02;
        e.modes[0] = 2;
        e.modes[1] = e.modes[2] = 1;
        e.damping_ratio = 0.02;
        link.name = links[i];
        link.inertia = (pinion_inertia){0.3, {0.1, 0.02, 0.03}, {0.02, 0, 0, 0.03, 0.001, 0.03}};
        if (i == 1 || i == 2) link.elastic = &e;
        status = pinion_builder_add_link(b, &link, NULL);
    }
    for (int i = 0; i < 3 && status == PINION_OK; i++) {
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = joints[i];
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = links[i];
        joint.child = links[i + 1];
        joint.parent_pose.position[0] = i == 0 ? 0.2 : i == 1 ? 1 : 1.5;
        joint.parent_pose.position[1] = 0.05;
        joint.axis[i] = 1;
        status = pinion_builder_add_joint(b, &joint, NULL);
    }
    pinion_model *m = status == PINION_OK ? pinion_builder_build(b, NULL, NULL) : NULL;
    pinion_builder_free(b);
    return m;
}

/* A free body, a ball on it, a planar joint and a slide, with curved springs and dampers on all. */
enum { CURVED = 7 };
static inline pinion_model *curved_chain(void)
{
    static const pinion_joint_type types[] = {PINION_JOINT_FREE, PINION_JOINT_SPHERICAL, PINION_JOINT_PLANAR,
                                              PINION_JOINT_PRISMATIC};
    static const char *const names[] = {"ground", "a", "b", "c", "d"};
    pinion_builder *b = pinion_builder_new("curved");
    for (int i = 0; i < 5; i++) {
        pinion_link_def link = pinion_link_def_default();
        link.name = names[i];
        link.inertia = (pinion_inertia){1 + i, {0.1, -0.2, 0.05 * i}, {0.3, 0.02, 0, 0.2, 0.01, 0.25}};
        CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
        if (i == 0) continue;
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = names[i];
        joint.type = types[i - 1];
        joint.parent = names[i - 1];
        joint.child = names[i];
        joint.parent_pose.position[2] = 0.3;
        for (int d = 0; d < 6; d++)
            joint.dof[d] = (pinion_dof){.lower = -INFINITY, .upper = INFINITY, .velocity = INFINITY, .effort = INFINITY,
                                        .damping = 0.2 * d, .stiffness = 2 + (i == 3 ? d : i), .rest = 0.1 * d - 0.2,
                                        .gear_ratio = 1,
                                        .stiffness_curve = {i == 2 ? -1 : 1.5, 3 + (i == 3 ? d : i)},
                                        .damping_curve = {0.7 - 0.1 * d, 0.3 * d}};
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    return m;
}

static inline pinion_model *plain_tree(int i)
{
    pinion_error err;
    return pinion_random_tree(1 + i, i % 2, check_seed + (uint64_t)i, &err);
}

/* Every second one has curved springs and dampers, where one degree of freedom may have them alone. */
static inline pinion_model *tree(int i)
{
    pinion_joint_info joint;
    if (i == ELASTIC) return elastic_chain();
    if (i == CURVED) return curved_chain();
    pinion_model *m = plain_tree(i);
    for (int j = 0; i % 2 && pinion_model_joint(m, j, &joint) == PINION_OK; j++)
        for (int d = 0; d < joint.dof_count; d++) {
            const int plain = joint.type != PINION_JOINT_SPHERICAL && joint.type != PINION_JOINT_FREE;
            pinion_dof dof = joint.dof[d];
            for (int k = 0; k < 2; k++) {
                dof.damping_curve[k] = 0.4 + 0.3 * ((j + k) % 3);
                dof.stiffness_curve[k] = plain ? (k ? 5 : -3) + j % 4 : 0;
            }
            CHECK_STATUS(pinion_model_set_dof(m, j, d, &dof), PINION_OK);
        }
    return m;
}

#endif
