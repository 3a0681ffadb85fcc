/* Inertias of links that are fixed to each other, put together where one alone is none that a format takes. */
#include "io/lumps.h"

#include <string.h>

#include "io/mjcf/mjcf.h"
#include "model/pose.h"

int pn_inertia_is_none(const pinion_inertia *x)
{
    int none = x->mass == 0;
    for (int i = 0; i < 6; i++) none = none && x->inertia[i] == 0;
    return none;
}

int pn_inertia_is_sound(const pinion_inertia *x, double least)
{
    double moment[3], R[9];
    pn_mjcf_principal(x->inertia, moment, R);
    return x->mass > least && moment[2] > least && moment[1] + moment[2] >= moment[0];
}

/* `to` with `from` fixed to it, whose link's frame is at `pose`. */
static void add(pinion_inertia *to, const pinion_inertia *from, const pinion_pose *pose)
{
    pinion_inertia part[2] = {*to, *from}, sum = {from->mass + to->mass, {0}, {0}};
    pn_rotate(pose->rotation, from->com, part[1].com);
    for (int i = 0; i < 3; i++) part[1].com[i] += pose->position[i];
    pn_mjcf_turn_inertia(pose->rotation, part[1].inertia);
    for (int i = 0; i < 3; i++)
        sum.com[i] = sum.mass > 0 ? (part[0].mass * part[0].com[i] + part[1].mass * part[1].com[i]) / sum.mass : 0;
    for (int k = 0; k < 2; k++) {
        double d[3];
        for (int i = 0; i < 3; i++) d[i] = part[k].com[i] - sum.com[i];
        const double square = pn_dot3(d, d), m = part[k].mass;
        const double moved[6] = {square - d[0] * d[0], -d[0] * d[1], -d[0] * d[2],
                                 square - d[1] * d[1], -d[1] * d[2], square - d[2] * d[2]};
        for (int i = 0; i < 6; i++) sum.inertia[i] += part[k].inertia[i] + m * moved[i];
    }
    *to = sum;
}

/* The joint that fixes a link to another one with the same gravity compensation; 0 where there is none. */
static int is_fixed(const pinion_model *m, int link, pinion_joint_info *j, pinion_pose *pose)
{
    pinion_link_info own, other;
    if (pinion_model_link(m, link, &own) != PINION_OK || own.joint < 0) return 0;
    if (pinion_model_joint(m, own.joint, j) != PINION_OK || j->type != PINION_JOINT_FIXED) return 0;
    if (pinion_model_link(m, j->parent, &other) != PINION_OK) return 0;
    const pinion_pose back = pn_pose_inverse(&j->child_pose);
    *pose = pn_pose_mul(&j->parent_pose, &back);
    return own.gravity_compensation == other.gravity_compensation && !own.added_mass && !own.drag;
}

/* Gives a link's inertia to the one it is fixed to. */
static int give(const pinion_model *m, pn_losses *l, int link, const pinion_joint_info *j, const pinion_pose *pose,
                pinion_inertia *out)
{
    pinion_link_info info;
    if (pinion_model_link(m, link, &info) != PINION_OK) return 0;
    add(&out[j->parent], &out[link], pose);
    out[link] = (pinion_inertia){0};
    return pn_lose(l, 0, "link", info.name, "its inertia is part of that of the link it is fixed to");
}

int pn_lump_inertias(const pinion_model *m, pn_losses *l, double least, int solid, pinion_inertia *out)
{
    const int links = pinion_model_link_count(m);
    pinion_joint_info j;
    pinion_pose pose;
    for (int i = 0; i < links; i++) {
        pinion_link_info info;
        if (pinion_model_link(m, i, &info) != PINION_OK) return 0;
        out[i] = info.inertia;
    }

    /* parents have lower numbers: what is not sound goes up, then what those that move need */
    for (int i = links - 1; i > 0; i--) {
        if (pn_inertia_is_none(&out[i]) || pn_inertia_is_sound(&out[i], least)) continue;
        if (is_fixed(m, i, &j, &pose) && !give(m, l, i, &j, &pose, out)) return 0;
    }
    for (int i = links - 1; i > 0; i--) {
        if (pn_inertia_is_none(&out[i]) || !is_fixed(m, i, &j, &pose)) continue;
        const int needs = solid || !pn_inertia_is_none(&out[j.parent]);
        pinion_link_info parent;
        if (pinion_model_link(m, j.parent, &parent) != PINION_OK) return 0;
        if (!needs || parent.body == 0 || pn_inertia_is_sound(&out[j.parent], least)) continue;
        if (solid && is_fixed(m, j.parent, &(pinion_joint_info){0}, &(pinion_pose){{0}, {0}}) &&
            pn_inertia_is_none(&out[j.parent]))
            continue; /* a frame between them needs none */
        if (!give(m, l, i, &j, &pose, out)) return 0;
    }
    for (int i = 0; i < links; i++) {
        pinion_link_info info;
        if (pinion_model_link(m, i, &info) != PINION_OK) return 0;
        if (info.joint >= 0 || pn_inertia_is_none(&out[i]) || pn_inertia_is_sound(&out[i], least)) continue;
        out[i] = (pinion_inertia){0};
        if (!pn_lose(l, 0, "link", info.name, "its inertia, which does not move, is left out")) return 0;
    }
    return 1;
}
