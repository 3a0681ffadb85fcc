/* Random trees of every joint type in which no joint follows another, unlike those of pinion_random_tree. */
#ifndef PINION_TEST_BRANCHES_H
#define PINION_TEST_BRANCHES_H

#include "built.h"

static pinion_pose any_pose(uint64_t *seed)
{
    double q[4], square = 0;
    for (int e = 0; e < 4; e++) {
        q[e] = check_between(seed, -1, 1);
        square += q[e] * q[e];
    }
    const double w = q[0], x = q[1], y = q[2], z = q[3], s = 2 / square;
    pinion_pose at = {{check_between(seed, -1, 1), check_between(seed, -1, 1), check_between(seed, -1, 1)},
                      {1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
                       s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
                       s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
    return at;
}

/* Links 1 ... joints, each on any of those before it; of `free_root` the first one floats. */
static pinion_model *tree_of_branches(int joints, int free_root, uint64_t seed)
{
    pinion_builder *b = pinion_builder_new("branches");
    pinion_error err = {PINION_OK, 0, 0, ""};
    char name[32], joint_name[32], parent[32];
    for (int i = 0; i <= joints; i++) {
        pinion_link_def link = pinion_link_def_default();
        snprintf(name, sizeof name, "link%d", i);
        link.name = name;
        link.inertia.mass = check_between(&seed, 0.5, 2);
        for (int e = 0; e < 3; e++) link.inertia.com[e] = check_between(&seed, -0.3, 0.3);
        const double diagonal[6] = {1, 0.05, -0.1, 1.2, 0.15, 0.9};
        for (int e = 0; e < 6; e++) link.inertia.inertia[e] = 0.1 * diagonal[e];
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        if (i == 0) continue;

        pinion_joint_def joint = pinion_joint_def_default();
        const int first = i == 1 && free_root, most = PINION_JOINT_FREE - PINION_JOINT_REVOLUTE;
        const int kind = (int)(1.6 * most * check_uniform(&seed)); /* most turn, and some after the first float */
        snprintf(joint_name, sizeof joint_name, "joint%d", i);
        snprintf(parent, sizeof parent, "link%d", first ? 0 : (int)(i * check_uniform(&seed)));
        joint.name = joint_name;
        joint.parent = parent;
        joint.child = name;
        joint.type = (pinion_joint_type)(PINION_JOINT_REVOLUTE + (first ? most : kind > most ? 0 : kind));
        joint.parent_pose = any_pose(&seed);
        joint.axis[0] = 0.6;
        joint.axis[1] = 0;
        joint.axis[2] = check_uniform(&seed) < 0.5 ? 0.8 : -0.8;
        joint.pitch = 0.1;
        if (joint.type == PINION_JOINT_UNIVERSAL || joint.type == PINION_JOINT_SPHERICAL ||
            joint.type == PINION_JOINT_FREE)
            joint.axis[0] = 0, joint.axis[2] = 1;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
        if (err.message[0]) CHECK_FAIL("%s", err.message);
    }
    return built(b);
}

#endif
