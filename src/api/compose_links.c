/* Links, joints, frames and visuals of a model to a builder. */
#include "api/compose_copy.h"

#include <stdio.h>
#include <string.h>

#include "model/pose.h"

/* A name with the prefix, in one of a few buffers that the caller has. */
const char *pn_copy_name(const pn_copy *c, const char *name, char out[PN_COPY_NAME])
{
    snprintf(out, PN_COPY_NAME, "%.290s%.290s", c->prefix, name);
    return out;
}

const char *pn_copy_link(const pn_copy *c, int link, char out[PN_COPY_NAME])
{
    pinion_link_info info = {0};
    return pinion_model_link(c->m, link, &info) == PINION_OK ? pn_copy_name(c, info.name, out) : "";
}

const char *pn_copy_joint(const pn_copy *c, int joint, char out[PN_COPY_NAME])
{
    pinion_joint_info info = {0};
    return pinion_model_joint(c->m, joint, &info) == PINION_OK ? pn_copy_name(c, info.name, out) : "";
}

int pn_copy_locked(const pn_copy *c, int joint)
{
    return c->locked && joint >= 0 && c->locked[joint];
}

static pinion_pose pose_of(const pn_copy *c, int link)
{
    pinion_pose out;
    memcpy(out.position, c->p + 3 * (size_t)link, sizeof out.position);
    memcpy(out.rotation, c->R + 9 * (size_t)link, sizeof out.rotation);
    return out;
}

pinion_status pn_copy_links(const pn_copy *c)
{
    for (int i = 0; i < pinion_model_link_count(c->m); i++) {
        char name[PN_COPY_NAME];
        pinion_link_info info;
        pinion_link_def def = pinion_link_def_default();
        pinion_status s = pinion_model_link(c->m, i, &info);
        if (s != PINION_OK) return s;
        def.name = pn_copy_name(c, info.name, name);
        def.inertia = info.inertia;
        def.gravity_compensation = info.gravity_compensation;
        if ((s = pinion_builder_add_link(c->b, &def, c->err)) != PINION_OK) return s;
    }
    return PINION_OK;
}

/* A joint of the tree or of a loop, as it is, or fixed. */
pinion_status pn_copy_one_joint(const pn_copy *c, const pinion_joint_info *j, int cut, int fixed)
{
    char name[4][PN_COPY_NAME];
    pinion_joint_def def = pinion_joint_def_default();
    def.name = pn_copy_name(c, j->name, name[0]);
    def.type = fixed ? PINION_JOINT_FIXED : j->type;
    def.parent = pn_copy_link(c, j->parent, name[1]);
    def.child = pn_copy_link(c, j->child, name[2]);
    def.parent_pose = j->parent_pose;
    def.child_pose = j->child_pose;
    if (fixed) {
        const pinion_pose parent = pose_of(c, j->parent), child = pose_of(c, j->child);
        def.parent_pose = pn_pose_between(&parent, &child);
        def.child_pose = pinion_pose_identity();
        return pinion_builder_add_joint(c->b, &def, c->err);
    }
    memcpy(def.axis, j->axis, sizeof def.axis);
    def.pitch = j->pitch;
    for (int i = 0; i < j->dof_count; i++) def.dof[i] = j->dof[i];
    if (j->leader >= 0) {
        def.mimic = pn_copy_joint(c, j->leader, name[3]);
        def.multiplier = j->multiplier;
        def.offset = j->offset;
    }
    def.has_initial = j->has_initial;
    memcpy(def.initial_q, j->initial_q, sizeof def.initial_q);
    memcpy(def.initial_v, j->initial_v, sizeof def.initial_v);
    def.unactuated = j->unactuated;
    def.cut = cut;
    return pinion_builder_add_joint(c->b, &def, c->err);
}

pinion_status pn_copy_joints(const pn_copy *c)
{
    for (int i = 0; i < pinion_model_joint_count(c->m); i++) {
        pinion_joint_info j;
        pinion_status s = pinion_model_joint(c->m, i, &j);
        if (s == PINION_OK && j.parent >= 0)
            s = pn_copy_one_joint(c, &j, 0, pn_copy_locked(c, i));
        if (s != PINION_OK) return s;
    }
    return PINION_OK;
}

pinion_status pn_copy_frames(const pn_copy *c)
{
    for (int i = pinion_model_link_count(c->m); i < pinion_model_frame_count(c->m); i++) {
        char name[2][PN_COPY_NAME];
        pinion_frame_info info;
        pinion_frame_def def = pinion_frame_def_default();
        pinion_status s = pinion_model_frame(c->m, i, &info);
        if (s != PINION_OK) return s;
        def.name = pn_copy_name(c, info.name, name[0]);
        def.link = pn_copy_link(c, info.link, name[1]);
        def.pose = info.pose;
        if ((s = pinion_builder_add_frame(c->b, &def, c->err)) != PINION_OK) return s;
    }
    for (int i = 0; i < pinion_model_visual_count(c->m); i++) {
        char name[PN_COPY_NAME];
        pinion_visual_info info;
        pinion_visual_def def = pinion_visual_def_default();
        pinion_status s = pinion_model_visual(c->m, i, &info);
        if (s != PINION_OK) return s;
        def.link = pn_copy_link(c, info.link, name);
        def.shape = info.shape;
        def.pose = info.pose;
        def.mesh = info.mesh;
        memcpy(def.size, info.size, sizeof def.size);
        memcpy(def.rgba, info.rgba, sizeof def.rgba);
        if ((s = pinion_builder_add_visual(c->b, &def, c->err)) != PINION_OK) return s;
    }
    return PINION_OK;
}
