/* The models that algorithms are tried on: random ones of chosen joints, beside those of the library and of
 * files. */
#ifndef PN_REGISTRY_MODELS_H
#define PN_REGISTRY_MODELS_H

#include "check.h"
#include "pinion/pinion.h"

/* Which joints a random model has. Algorithms may be limited to any of these. */
typedef enum joint_kinds { REVOLUTE_PRISMATIC, ONE_DOF, EVERY_TYPE, KINDS } joint_kinds;

static const pinion_joint_type joint_types[KINDS][9] = {
    {PINION_JOINT_REVOLUTE, PINION_JOINT_PRISMATIC, PINION_JOINT_CONTINUOUS},
    {PINION_JOINT_REVOLUTE, PINION_JOINT_PRISMATIC, PINION_JOINT_HELICAL},
    {PINION_JOINT_REVOLUTE, PINION_JOINT_CONTINUOUS, PINION_JOINT_PRISMATIC, PINION_JOINT_HELICAL,
     PINION_JOINT_CYLINDRICAL, PINION_JOINT_UNIVERSAL, PINION_JOINT_PLANAR, PINION_JOINT_SPHERICAL,
     PINION_JOINT_FREE}};
static const int joint_type_count[KINDS] = {3, 3, 9};
static const char *const kind_names[KINDS] = {"revolute and prismatic", "one-DoF", "every"};

static inline pinion_pose random_pose(uint64_t *seed)
{
    double q[4], length = 0;
    pinion_pose pose;
    for (int i = 0; i < 4; i++) {
        q[i] = check_between(seed, -1, 1);
        length += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) q[i] /= sqrt(length);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(pose.rotation, R, sizeof R);
    for (int i = 0; i < 3; i++) pose.position[i] = check_between(seed, -0.4, 0.4);
    return pose;
}

/* a box of random size about a random point, turned */
static inline pinion_inertia random_inertia(uint64_t *seed)
{
    pinion_inertia out;
    const pinion_pose pose = random_pose(seed);
    const double *R = pose.rotation;
    double S[6] = {0}, trace = 0;
    out.mass = check_between(seed, 0.3, 5);
    for (int i = 0; i < 3; i++) out.com[i] = 0.5 * pose.position[i];
    for (int k = 0; k < 3; k++) {
        const double spread = out.mass * check_between(seed, 0.001, 0.03);
        int at = 0;
        trace += spread;
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++) S[at++] += R[3 * i + k] * spread * R[3 * j + k];
    }
    const double I[6] = {trace - S[0], -S[1], -S[2], trace - S[3], -S[4], trace - S[5]};
    memcpy(out.inertia, I, sizeof I);
    return out;
}

static inline pinion_joint_def random_joint(uint64_t *seed, joint_kinds kinds)
{
    pinion_joint_def joint = pinion_joint_def_default();
    joint.type = joint_types[kinds][(int)(check_uniform(seed) * joint_type_count[kinds])];
    joint.parent_pose = random_pose(seed);
    if (check_uniform(seed) < 0.5) joint.child_pose = random_pose(seed);
    for (int i = 0; i < 3; i++) joint.axis[i] = check_between(seed, -1, 1) + 0.01;
    if (joint.type == PINION_JOINT_HELICAL) joint.pitch = check_between(seed, -0.2, 0.2);
    for (int k = 0; k < pinion_joint_type_nv(joint.type); k++) {
        if (check_uniform(seed) < 0.5) continue;
        joint.dof[k].rotor_inertia = check_between(seed, 1e-5, 1e-4);
        joint.dof[k].gear_ratio = check_between(seed, -80, 80);
    }
    return joint;
}

/* A chain, or a tree that branches, with rotors; `follows`: its last joint of the first one's type follows
 * that. NULL with a failed check. */
static inline pinion_model *random_model(joint_kinds kinds, int joints, int serial, int follows,
                                         uint64_t *seed)
{
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("random");
    pinion_link_def link = pinion_link_def_default();
    pinion_status status = b ? PINION_OK : PINION_ERR_MEMORY;
    char name[4][32] = {"", "", "joint1", "link0"};
    link.name = name[3];
    link.inertia = random_inertia(seed);
    if (!status) status = pinion_builder_add_link(b, &link, &err);
    for (int i = 1; i <= joints && !status; i++) {
        const int parent = serial || i < 2 ? i - 1 : (int)(check_uniform(seed) * i);
        snprintf(name[0], sizeof name[0], "link%d", parent);
        snprintf(name[1], sizeof name[1], "link%d", i);
        snprintf(name[3], sizeof name[3], "joint%d", i);
        pinion_joint_def joint = random_joint(seed, kinds);
        joint.name = name[3];
        joint.parent = name[0];
        joint.child = name[1];
        if (follows && i == 1) joint.type = PINION_JOINT_REVOLUTE;
        if (follows && i == joints && i > 1) {
            joint.type = PINION_JOINT_REVOLUTE;
            joint.mimic = name[2];
            joint.multiplier = -0.7;
            joint.offset = 0.2;
        }
        link.name = name[1];
        link.inertia = random_inertia(seed);
        status = pinion_builder_add_link(b, &link, &err);
        if (!status) status = pinion_builder_add_joint(b, &joint, &err);
    }
    pinion_model *m = status ? NULL : pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("a random model cannot be built: %s", err.message);
    pinion_builder_free(b);
    return m;
}

#endif
