/* Links, joints, frames and visuals of a model to a builder. */
#include "api/compose_copy.h"

#include <stdio.h>
#include <string.h>

#include "model/pose.h"
#include "pinion/elastic.h"

/* A name with the prefix, in one of a few buffers that the caller has. */
const char *pn_copy_name(const pn_copy *c, const char *name, char out[PN_COPY_NAME])
{
    if (c->from && strcmp(name, c->from) == 0) name = c->to;
    snprintf(out, PN_COPY_NAME, "%.290s%.290s", c->prefix, name);
    return out;
}

int pn_copy_left(const pn_copy *c, int link)
{
    return c->kept && link >= 0 && !c->kept[link];
}

int pn_copy_joint_left(const pn_copy *c, int joint)
{
    pinion_joint_info info;
    if (!c->kept || joint < 0 || pinion_model_joint(c->m, joint, &info) != PINION_OK) return 0;
    return info.parent < 0 || pn_copy_left(c, info.parent) || pn_copy_left(c, info.child);
}

double pn_copy_factor(const pn_copy *c, pinion_joint_type type, int dof)
{
    const int moves = type == PINION_JOINT_PRISMATIC || (type == PINION_JOINT_CYLINDRICAL && dof == 1) ||
                      (type == PINION_JOINT_PLANAR && dof < 2) || (type == PINION_JOINT_FREE && dof >= 3);
    return moves ? pn_copy_length(c) : 1;
}

double pn_copy_joint_factor(const pn_copy *c, int joint)
{
    pinion_joint_info j;
    return joint >= 0 && pinion_model_joint(c->m, joint, &j) == PINION_OK ? pn_copy_factor(c, j.type, 0) : 1;
}

void pn_copy_scale(const pn_copy *c, double *x, int count)
{
    for (int i = 0; i < count; i++) x[i] *= pn_copy_length(c);
}

pinion_pose pn_copy_pose(const pn_copy *c, const pinion_pose *pose)
{
    pinion_pose out = *pose;
    pn_copy_scale(c, out.position, 3);
    return out;
}

void pn_copy_coordinates(const pn_copy *c, pinion_joint_type type, int velocity, double *x)
{
    const int nv = pinion_joint_type_nv(type), shift = velocity ? 0 : pinion_joint_type_nq(type) - nv;
    for (int i = 0; i < nv; i++) { /* a quaternion has one number more than velocities, and no length */
        const double factor = pn_copy_factor(c, type, i);
        if (factor != 1) x[i + shift] *= factor;
    }
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
    return (c->locked && joint >= 0 && c->locked[joint]) || pn_copy_joint_left(c, joint);
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
        if (pn_copy_left(c, i)) continue;
        def.name = pn_copy_name(c, info.name, name);
        def.inertia = info.inertia;
        def.gravity_compensation = info.gravity_compensation;
        pn_copy_scale(c, def.inertia.com, 3);
        const double mass = c->mass > 0 ? c->mass : 1;
        def.inertia.mass *= mass;
        for (int k = 0; k < 6; k++) def.inertia.inertia[k] *= mass * pn_copy_length(c) * pn_copy_length(c);
        double added[36];
        for (int k = 0; info.added_mass && k < 36; k++) { /* kg m^2, kg m, kg */
            const double arm[2] = {k < 18 ? pn_copy_length(c) : 1, k % 6 < 3 ? pn_copy_length(c) : 1};
            added[k] = info.added_mass[k] * mass * arm[0] * arm[1];
        }
        if (info.added_mass) def.added_mass = added;
        pinion_drag drag;
        if (info.drag) { /* scaled so that the motion stays */
            const double length = pn_copy_length(c), turn = mass * length * length;
            drag = *info.drag;
            pn_copy_scale(c, drag.pose.position, 3);
            pn_copy_scale(c, drag.wind, 3);
            for (int k = 0; k < 6; k++) {
                drag.linear[k] *= k < 3 ? turn : mass;
                drag.quadratic[k] *= k < 3 ? turn : mass / length;
            }
            def.drag = &drag;
        }
        pinion_elastic_info elastic;
        for (int k = 0; k < pinion_model_elastic_count(c->m); k++)
            if (pinion_model_elastic(c->m, k, &elastic) == PINION_OK && elastic.link == i) {
                def.elastic = &elastic.def;
                break;
            }
        if (def.elastic && (mass != 1 || pn_copy_length(c) != 1))
            return pn_error_set(c->err, PINION_ERR_UNSUPPORTED, NULL, 0, 0,
                                "link '%.80s' is elastic, and what scales its lengths or masses would not tell its "
                                "stiffness", info.name);
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
    def.parent_pose = pn_copy_pose(c, &j->parent_pose);
    def.child_pose = pn_copy_pose(c, &j->child_pose);
    if (fixed) {
        const pinion_pose parent = pose_of(c, j->parent), child = pose_of(c, j->child);
        def.parent_pose = pn_pose_between(&parent, &child);
        def.child_pose = pinion_pose_identity();
        return pinion_builder_add_joint(c->b, &def, c->err);
    }
    memcpy(def.axis, j->axis, sizeof def.axis);
    def.pitch = j->pitch * pn_copy_length(c);
    for (int i = 0; i < j->dof_count; i++) {
        const double factor = pn_copy_factor(c, j->type, i);
        def.dof[i] = j->dof[i];
        if (factor == 1) continue;
        def.dof[i].lower *= factor;
        def.dof[i].upper *= factor;
        def.dof[i].velocity *= factor;
        def.dof[i].rest *= factor;
    }
    if (j->leader >= 0) {
        pinion_joint_info leader;
        const pinion_status s = pinion_model_joint(c->m, j->leader, &leader);
        if (s != PINION_OK) return s;
        if (pn_copy_joint_left(c, j->leader))
            return pn_error_set(c->err, PINION_ERR_MODEL, NULL, 0, 0,
                                "joint '%.80s' follows joint '%.80s', which is not below the link", j->name,
                                leader.name);
        def.mimic = pn_copy_joint(c, j->leader, name[3]);
        def.multiplier = j->multiplier * pn_copy_factor(c, j->type, 0) / pn_copy_factor(c, leader.type, 0);
        def.offset = j->offset * pn_copy_factor(c, j->type, 0);
    }
    def.has_initial = j->has_initial;
    memcpy(def.initial_q, j->initial_q, sizeof def.initial_q);
    memcpy(def.initial_v, j->initial_v, sizeof def.initial_v);
    pn_copy_coordinates(c, j->type, 0, def.initial_q);
    pn_copy_coordinates(c, j->type, 1, def.initial_v);
    def.unactuated = j->unactuated;
    def.cut = cut;
    return pinion_builder_add_joint(c->b, &def, c->err);
}

pinion_status pn_copy_joints(const pn_copy *c)
{
    for (int i = 0; i < pinion_model_joint_count(c->m); i++) {
        pinion_joint_info j;
        pinion_status s = pinion_model_joint(c->m, i, &j);
        if (s == PINION_OK && (j.type == PINION_JOINT_MODE || pn_copy_joint_left(c, i))) continue;
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
        if (pn_copy_left(c, info.link)) continue;
        def.name = pn_copy_name(c, info.name, name[0]);
        def.link = pn_copy_link(c, info.link, name[1]);
        def.pose = pn_copy_pose(c, &info.pose);
        if ((s = pinion_builder_add_frame(c->b, &def, c->err)) != PINION_OK) return s;
    }
    for (int i = 0; i < pinion_model_visual_count(c->m); i++) {
        char name[PN_COPY_NAME];
        pinion_visual_info info;
        pinion_visual_def def = pinion_visual_def_default();
        pinion_status s = pinion_model_visual(c->m, i, &info);
        if (s != PINION_OK) return s;
        if (pn_copy_left(c, info.link)) continue;
        def.link = pn_copy_link(c, info.link, name);
        def.shape = info.shape;
        def.pose = pn_copy_pose(c, &info.pose);
        def.mesh = info.mesh;
        memcpy(def.size, info.size, sizeof def.size);
        pn_copy_scale(c, def.size, 3);
        memcpy(def.rgba, info.rgba, sizeof def.rgba);
        if ((s = pinion_builder_add_visual(c->b, &def, c->err)) != PINION_OK) return s;
    }
    return PINION_OK;
}
