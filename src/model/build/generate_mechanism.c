/* Mechanisms of any size with closed loops. */
#include <stdio.h>

#include "model/build/describe.h"
#include "model/tree.h"

/* A uniform slender rod of 1 m and 1 kg from the origin of its link along axis x (0) or y (1), with a bar to
 * show. */
static pinion_status add_rod(pinion_builder *b, const char *name, int axis, pinion_error *err)
{
    pinion_link_def link = pinion_link_def_default();
    link.name = name;
    link.inertia.mass = 1;
    link.inertia.com[axis] = 0.5;
    link.inertia.inertia[axis ? 0 : 3] = link.inertia.inertia[5] = 1.0 / 12;
    pinion_status status = pinion_builder_add_link(b, &link, err);
    if (status != PINION_OK) return status;

    pinion_visual_def bar = pinion_visual_def_default();
    bar.link = name;
    bar.shape = PINION_SHAPE_BOX;
    bar.pose.position[axis] = 0.5;
    bar.size[0] = bar.size[1] = bar.size[2] = 0.04;
    bar.size[axis] = 1;
    return pinion_builder_add_visual(b, &bar, err);
}

/* A pin about z at (x, y) of the parent and at (u, v) of the child. */
static pinion_joint_def pin(const char *name, const char *parent, double x, double y, const char *child,
                            double u, double v)
{
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = name;
    joint.type = PINION_JOINT_CONTINUOUS;
    joint.parent = parent;
    joint.child = child;
    joint.parent_pose.position[0] = x;
    joint.parent_pose.position[1] = y;
    joint.child_pose.position[0] = u;
    joint.child_pose.position[1] = v;
    return joint;
}

/* Rod i stands on the ground at x = i; it turns clockwise, and its tip goes to +x at 1 m/s. */
static pinion_status add_stand(pinion_builder *b, int i, pinion_error *err)
{
    char rod[32], name[32], tip[32];
    snprintf(rod, sizeof rod, "rod%d", i);
    snprintf(name, sizeof name, "pivot%d", i);
    snprintf(tip, sizeof tip, "B%d", i);
    pinion_status status = add_rod(b, rod, 1, err);
    pinion_joint_def joint = pin(name, "ground", i, 0, rod, 0, 0);
    joint.has_initial = 1;
    joint.initial_v[0] = -1;
    if (status == PINION_OK) status = pinion_builder_add_joint(b, &joint, err);
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = tip;
    frame.link = rod;
    frame.pose.position[1] = 1;
    if (status == PINION_OK) status = pinion_builder_add_frame(b, &frame, err);
    return status;
}

/* Coupler i lies between the tips of rods i - 1 and i. It does not turn, so against its rod it turns at 1
 * rad/s. */
static pinion_status add_coupler(pinion_builder *b, int i, pinion_error *err)
{
    char coupler[32], before[32], after[32], left[32], right[32];
    snprintf(coupler, sizeof coupler, "coupler%d", i);
    snprintf(before, sizeof before, "rod%d", i - 1);
    snprintf(after, sizeof after, "rod%d", i);
    snprintf(left, sizeof left, "left%d", i);
    snprintf(right, sizeof right, "right%d", i);
    pinion_status status = add_rod(b, coupler, 0, err);
    pinion_joint_def joint = pin(left, before, 0, 1, coupler, 0, 0);
    joint.has_initial = 1;
    joint.initial_v[0] = 1;
    if (status == PINION_OK) status = pinion_builder_add_joint(b, &joint, err);
    joint = pin(right, coupler, 1, 0, after, 0, 1);
    joint.cut = 1;
    if (status == PINION_OK) status = pinion_builder_add_joint(b, &joint, err);
    return status;
}

pinion_model *pinion_n_four_bar(int n, pinion_error *err)
{
    const int most = (PN_MAX_DENSE - 1) / 7; /* 2 n + 1 velocities and 5 n rows */
    if (n < 1 || n > most) {
        pn_fail(NULL, err, PINION_ERR_ARGUMENT, 0, "a row of %d four-bars; expected 1 to %d", n, most);
        return NULL;
    }
    char name[32];
    snprintf(name, sizeof name, "%d-four-bar", n);
    pinion_builder *b = pinion_builder_new(name);
    if (!b) {
        pn_fail_memory(NULL, err);
        return NULL;
    }

    /* the ground, the rods on it, what connects them */
    static const double gravity[3] = {0, -9.81, 0};
    pinion_link_def ground = pinion_link_def_default();
    ground.name = "ground";
    pinion_status status = pinion_builder_set_gravity(b, gravity, err);
    if (status == PINION_OK) status = pinion_builder_add_link(b, &ground, err);
    for (int i = 0; i <= n && status == PINION_OK; i++) status = add_stand(b, i, err);
    for (int i = 1; i <= n && status == PINION_OK; i++) status = add_coupler(b, i, err);
    pinion_model *m = status ? NULL : pinion_builder_build(b, NULL, err);
    pinion_builder_free(b);
    return m;
}
