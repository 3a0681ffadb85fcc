/* The MJCF writer: bodies, joints, sites, geoms.
 *
 * A link is a body, a joint of the tree one or more joints of it. Links without mass between joints are the chain of
 * joints of one body. A body's frame is its link's, but where a free joint or a ball has another: that is then a body
 * of its own, within which the link is fixed. q = ref is where the file draws a joint: so
 * the model starts. */
#include "base/curve.h"
#include "io/mjcf/mjcf_write.h"
#include "base/vec3.h"
#include "io/mjcf/mjcf.h"
#include "io/rotation.h"
#include "model/pose.h"
#include "pinion/collision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Joints */

/* A joint of the file, and where its frame is: in what comes before it, and seen from what comes behind. */
typedef struct element {
    int joint, part;
    const char *type;
    pinion_pose before, behind; /* P and C of X = P J C^-1 */
    double axis[3], ref;
    pinion_dof dof;
} element;

#define ELEMENTS 6 /* that a body may have */

typedef struct chain {
    element at[ELEMENTS];
    int count, dofs;
    int link; /* the last one, whose body it is */
} chain;

const char *pn_mjcf_part_name(const mjcf_writer *w, int joint, int part, char out[MJCF_WRITE_NAME])
{
    pinion_joint_info j = {.name = ""};
    if (pinion_model_joint(w->m, joint, &j) != PINION_OK) return "";
    const int several = j.type == PINION_JOINT_UNIVERSAL || j.type == PINION_JOINT_CYLINDRICAL ||
                        j.type == PINION_JOINT_PLANAR;
    snprintf(out, MJCF_WRITE_NAME, several ? "%.255s.%d" : "%.255s", j.name, part);
    return out;
}

static int add(mjcf_writer *w, chain *c, const pinion_joint_info *j, int index, int part, const char *type,
               const double axis[3], int dofs)
{
    if (c->count == ELEMENTS || c->dofs + dofs > 6)
        return pn_cannot_write(w->l, "joint", j->name, "is one of a chain of more than 6 freedoms on massless links");
    element *e = &c->at[c->count++];
    c->dofs += dofs;
    *e = (element){index, part, type, pinion_pose_identity(), pinion_pose_identity(), {0}, 0, j->dof[part]};
    memcpy(e->axis, axis, sizeof e->axis);
    if (dofs == 1 && j->has_initial && j->leader < 0) e->ref = j->initial_q[part];
    return 1;
}

/* What a joint of the model becomes. */
static int add_joint(mjcf_writer *w, chain *c, int index, const pinion_joint_info *j)
{
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    const int first = c->count;
    double R[9], plane[2][3];
    int ok = 1;
    switch (j->type) {
    case PINION_JOINT_FREE: ok = add(w, c, j, index, 0, "free", x, 6); break;
    case PINION_JOINT_SPHERICAL: ok = add(w, c, j, index, 0, "ball", x, 3); break;
    case PINION_JOINT_PRISMATIC: ok = add(w, c, j, index, 0, "slide", j->axis, 1); break;
    case PINION_JOINT_REVOLUTE:
    case PINION_JOINT_CONTINUOUS: ok = add(w, c, j, index, 0, "hinge", j->axis, 1); break;
    case PINION_JOINT_UNIVERSAL:
        ok = add(w, c, j, index, 0, "hinge", x, 1) && add(w, c, j, index, 1, "hinge", y, 1);
        break;
    case PINION_JOINT_CYLINDRICAL:
        ok = add(w, c, j, index, 0, "hinge", j->axis, 1) && add(w, c, j, index, 1, "slide", j->axis, 1);
        break;
    case PINION_JOINT_PLANAR:
        pn_turn_z_to(j->axis, R);
        for (int i = 0; i < 3; i++) plane[0][i] = R[3 * i], plane[1][i] = R[3 * i + 1];
        ok = add(w, c, j, index, 0, "slide", plane[0], 1) && add(w, c, j, index, 1, "slide", plane[1], 1) &&
             add(w, c, j, index, 2, "hinge", j->axis, 1) &&
             pn_lose(w->l, 1, "joint", j->name,
                     "its velocities are counted along the axes of the link before it, not of its own");
        break;
    default: return pn_cannot_write(w->l, "joint", j->name, "is helical");
    }
    if (!ok) return 0;
    c->at[first].before = j->parent_pose;
    c->at[c->count - 1].behind = j->child_pose;
    return 1;
}

/* J(ref) of an element. */
static pinion_pose drawn(const element *e)
{
    pinion_pose out = pinion_pose_identity();
    if (e->ref == 0) return out;
    if (strcmp(e->type, "slide") == 0) {
        for (int i = 0; i < 3; i++) out.position[i] = e->ref * e->axis[i];
    } else {
        const double s = sin(e->ref / 2), q[4] = {cos(e->ref / 2), s * e->axis[0], s * e->axis[1], s * e->axis[2]};
        pn_quaternion_matrix(q, out.rotation);
    }
    return out;
}

/* Limits, where there are such. */
static int put_limits(mjcf_writer *w, const element *e, const pinion_joint_info *j)
{
    const pinion_dof *d = &e->dof;
    const int ball = strcmp(e->type, "ball") == 0 || strcmp(e->type, "free") == 0;
    const double range[2] = {d->lower, d->upper}, force[2] = {-d->effort, d->effort};
    if (isfinite(d->velocity) && !pn_lose(w->l, 0, "joint", j->name, "its largest speed is left out")) return 0;
    const int bounded = isfinite(d->lower) || isfinite(d->upper);
    if (bounded && (ball || !(d->lower < d->upper))) {
        if (!pn_lose(w->l, 0, "joint", j->name, "its limits are left out")) return 0;
    } else if (bounded) {
        pn_mjcf_put_numbers(w, "range", range, 2);
        pn_text_append(&w->out, " limited=\"true\"");
    }
    if (!isfinite(d->effort)) return 1;
    if (ball || d->effort <= 0) return pn_lose(w->l, 0, "joint", j->name, "its largest effort is left out");
    pn_mjcf_put_numbers(w, "actuatorfrcrange", force, 2);
    return 1;
}

static int is_same(const double a[2], const double b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

/* Whether the spring of a ball or a free joint is one that is relaxed as the joint is drawn. */
static int is_drawn_relaxed(const pinion_joint_info *j)
{
    double drawn[6] = {0};
    if (j->type == PINION_JOINT_FREE && j->has_initial) {
        pn_quaternion_vector(j->initial_q, drawn);
        memcpy(drawn + 3, j->initial_q + 4, 3 * sizeof *drawn);
    }
    for (int i = 0; i < j->dof_count; i++) {
        if (j->dof[i].stiffness != j->dof[0].stiffness) return 0;
        if (!is_same(j->dof[i].stiffness_curve, j->dof[0].stiffness_curve)) return 0;
        if (fabs(j->dof[i].rest - drawn[i]) > 1e-12 * (1 + fabs(drawn[i]))) return 0;
    }
    return 1;
}

/* Springs, damping, friction and rotors. Those of several coordinates must be alike. */
static int put_passive(mjcf_writer *w, const element *e, const pinion_joint_info *j)
{
    pinion_dof d = e->dof;
    const int is_free = strcmp(e->type, "free") == 0, parts = is_free ? 6 : strcmp(e->type, "ball") == 0 ? 3 : 1;
    for (int i = 0; i < parts && parts > 1; i++) {
        const pinion_dof *other = &j->dof[i];
        const double rotor = other->gear_ratio * other->gear_ratio * other->rotor_inertia;
        const int rubs = other->friction_positive != 0 || other->friction_negative != 0;
        const int alike = other->damping == d.damping && is_same(other->damping_curve, d.damping_curve) &&
                          other->friction_positive == d.friction_positive &&
                          other->friction_negative == d.friction_negative &&
                          rotor == d.gear_ratio * d.gear_ratio * d.rotor_inertia;
        if (alike && !(is_free && (rotor != 0 || rubs || pn_is_curved(other->damping_curve))))
            continue;
        d.damping = d.friction_positive = d.friction_negative = d.rotor_inertia = 0;
        memset(d.damping_curve, 0, sizeof d.damping_curve);
        if (!pn_lose(w->l, 1, "joint", j->name, "its damping, friction and rotors are left out")) return 0;
        break;
    }
    int springs = 0;
    for (int i = 0; i < parts && parts > 1; i++)
        springs += j->dof[i].stiffness != 0 || pn_is_curved(j->dof[i].stiffness_curve);
    if (springs && !is_drawn_relaxed(j)) {
        d.stiffness = 0;
        memset(d.stiffness_curve, 0, sizeof d.stiffness_curve);
        if (!pn_lose(w->l, 1, "joint", j->name, "its spring, which MJCF relaxes where the joint is drawn, is left out"))
            return 0;
    }
    pn_mjcf_put_curved(w, "stiffness", d.stiffness, d.stiffness_curve);
    if (parts == 1 && d.rest != 0) pn_mjcf_put_number(w, "springref", d.rest);
    pn_mjcf_put_curved(w, "damping", d.damping, d.damping_curve);
    const double rotor =
        is_free ? pn_mjcf_free_armature(w, j->child) : d.gear_ratio * d.gear_ratio * d.rotor_inertia;
    if (rotor != 0) pn_mjcf_put_number(w, "armature", rotor);
    if (d.friction_positive != d.friction_negative &&
        !pn_lose(w->l, 1, "joint", j->name, "its friction is the mean of its two directions"))
        return 0;
    const double friction = (d.friction_positive + d.friction_negative) / 2;
    if (friction != 0) pn_mjcf_put_number(w, "frictionloss", friction);
    return 1;
}

static int put_joint(mjcf_writer *w, const element *e, const pinion_pose *frame, const char *indent)
{
    pinion_joint_info j;
    char name[MJCF_WRITE_NAME];
    double axis[3];
    const int several = strcmp(e->type, "ball") == 0 || strcmp(e->type, "free") == 0;
    if (pinion_model_joint(w->m, e->joint, &j) != PINION_OK) return 0;
    pn_text_add(&w->out, "%s  <joint", indent);
    pn_mjcf_put_text(w, "name", pn_mjcf_part_name(w, e->joint, e->part, name));
    pn_mjcf_put_text(w, "type", e->type);
    if (strcmp(e->type, "free") != 0 && pn_norm3(frame->position) != 0)
        pn_mjcf_put_numbers(w, "pos", frame->position, 3);
    if (!several) {
        pn_rotate(frame->rotation, e->axis, axis);
        pn_mjcf_put_numbers(w, "axis", axis, 3);
        if (e->ref != 0) pn_mjcf_put_number(w, "ref", e->ref);
    }
    if (!put_limits(w, e, &j) || !put_passive(w, e, &j)) return 0;
    pn_text_append(&w->out, "/>\n");
    w->written[w->count++] = (mjcf_written){e->joint, e->part};

    /* how it starts, beyond what a drawing can show */
    int still = 1;
    for (int i = 0; i < j.nv; i++) still = still && j.initial_v[i] == 0;
    const double neutral[4] = {1, 0, 0, 0};
    if (strcmp(e->type, "ball") == 0 && j.has_initial) still = still && !memcmp(j.initial_q, neutral, sizeof neutral);
    return still || e->part || pn_lose(w->l, 0, "joint", j.name, "its initial velocity or orientation is left out");
}

/* ---------------------------------------------------------------------------------------------
 * Bodies */

static int put_children(mjcf_writer *w, int link, int depth);

static void indent_of(int depth, char out[2 * MJCF_WRITE_DEPTH + 8])
{
    memset(out, ' ', 2 * (size_t)depth + 2);
    out[2 * depth + 2] = '\0';
}

/* Whether a link is nothing but a place between two joints; *only is the second. */
static int is_between(const mjcf_writer *w, int link, int *only)
{
    pinion_joint_info j;
    int touches = 0;
    *only = w->child[link];
    if (pinion_model_link_collisions(w->m, link, &touches) > 0) return 0;
    if (*only < 0 || w->next[*only] >= 0 || w->frame[link] >= 0 || w->visual[link] >= 0 || w->used[link]) return 0;
    if (!pn_inertia_is_none(&w->inertia[link])) return 0;
    return pinion_model_joint(w->m, *only, &j) == PINION_OK && j.type != PINION_JOINT_FIXED;
}

/* The joints from one on, over links that are nothing by themselves. */
static int collect(mjcf_writer *w, int joint, chain *c)
{
    memset(c, 0, sizeof *c);
    for (int next = joint; next >= 0;) {
        pinion_joint_info j;
        if (pinion_model_joint(w->m, next, &j) != PINION_OK || !add_joint(w, c, next, &j)) return 0;
        c->link = j.child;
        if (j.type == PINION_JOINT_FREE || !is_between(w, j.child, &next)) break;
        /* the reader calls the links between so; other names get lost */
        char as_read[MJCF_WRITE_NAME];
        pinion_joint_info behind;
        if (pinion_model_joint(w->m, next, &behind) != PINION_OK) return 0;
        snprintf(as_read, sizeof as_read, "%.255s.%d", pn_mjcf_link_name(w, behind.child), c->count - 1);
        if (strcmp(as_read, pn_mjcf_link_name(w, j.child)) != 0 &&
            !pn_lose(w->l, 0, "link", pn_mjcf_link_name(w, j.child), "a link without mass between joints is not named"))
            return 0;
    }
    return 1;
}

/* Balls, and free joints, move a body in its own frame: it must be theirs, and no ball may come before a hinge. */
static int check_chain(mjcf_writer *w, const chain *c, int *helped)
{
    *helped = 0;
    for (int k = 0; k < c->count; k++) {
        const element *e = &c->at[k];
        pinion_joint_info j;
        if (strcmp(e->type, "ball") != 0 && strcmp(e->type, "free") != 0) continue;
        if (pinion_model_joint(w->m, e->joint, &j) != PINION_OK) return 0;
        pinion_pose turn = e->behind;
        if (strcmp(e->type, "ball") == 0) memset(turn.position, 0, sizeof turn.position);
        if (!pn_pose_is_identity(&turn)) *helped = 1;
        if (k + 1 < c->count)
            return pn_cannot_write(w->l, "joint", j.name, "is a ball before other joints of a massless link");
        if (strcmp(e->type, "free") != 0) continue;
        if (c->count > 1 || (j.parent >= 0 && j.parent != w->root))
            return pn_cannot_write(w->l, "joint", j.name, "is free and not in the world");
        if (!pn_pose_is_identity(&e->before) &&
            !pn_lose(w->l, 1, "joint", j.name, "its coordinates are those of the world"))
            return 0;
    }
    return 1;
}

/* A body that moves. */
static int put_moving(mjcf_writer *w, int joint, int depth)
{
    char indent[2 * MJCF_WRITE_DEPTH + 8], helper[MJCF_WRITE_NAME];
    chain c;
    int helped;
    pinion_joint_info j;
    indent_of(depth, indent);
    if (!collect(w, joint, &c) || !check_chain(w, &c, &helped)) return 0;
    if (pinion_model_joint(w->m, c.at[c.count - 1].joint, &j) != PINION_OK) return 0;
    if (strcmp(pn_mjcf_link_name(w, c.link), "world") == 0)
        return pn_cannot_write(w->l, "link", "world", "has the name of the world and moves");
    if (!pn_mjcf_weighs(w, c.link, 0))
        return pn_cannot_write(w->l, "link", pn_mjcf_link_name(w, c.link),
                               "moves, with a mass or inertia that no solid body has");
    element *last = &c.at[c.count - 1];
    const pinion_pose behind = last->behind;
    if (helped) last->behind = pinion_pose_identity();

    /* where each joint's frame is in the body as it is drawn, from the last to the first */
    pinion_pose frame[ELEMENTS], pose = pinion_pose_identity();
    for (int k = c.count - 1; k >= 0; k--) {
        const pinion_pose back = pn_pose_inverse(&pose), at = drawn(&c.at[k]);
        frame[k] = pn_pose_mul(&back, &c.at[k].behind);
        const pinion_pose from = pn_pose_inverse(&c.at[k].behind), moved = pn_pose_mul(&at, &from),
                          whole = pn_pose_mul(&c.at[k].before, &moved);
        pose = pn_pose_mul(&whole, &pose);
    }
    if (j.type == PINION_JOINT_FREE) { /* it starts where it is drawn */
        pinion_pose start = pinion_pose_identity();
        pn_quaternion_matrix(j.initial_q, start.rotation);
        memcpy(start.position, j.initial_q + 4, sizeof start.position);
        if (j.has_initial) pose = pn_pose_mul(&last->before, &start);
    }
    snprintf(helper, sizeof helper, "%.255s_axis", j.name);
    for (int i = 2; pinion_model_find_link(w->m, helper) >= 0; i++)
        snprintf(helper, sizeof helper, "%.255s_axis%d", j.name, i);
    pn_text_add(&w->out, "%s<body", indent);
    pn_mjcf_put_text(w, "name", helped ? helper : pn_mjcf_link_name(w, c.link));
    pinion_link_info link;
    if (pinion_model_link(w->m, c.link, &link) != PINION_OK) return 0;
    if (!helped && link.gravity_compensation != 0) pn_mjcf_put_number(w, "gravcomp", link.gravity_compensation);
    pn_mjcf_put_pose(w, &pose);
    pn_text_append(&w->out, ">\n");
    for (int k = 0; k < c.count; k++)
        if (!put_joint(w, &c.at[k], &frame[k], indent)) return 0;
    if (helped) {
        char inner[2 * MJCF_WRITE_DEPTH + 8];
        const pinion_pose back = pn_pose_inverse(&behind);
        indent_of(depth + 1, inner);
        pn_text_add(&w->out, "%s<body", inner);
        pn_mjcf_put_text(w, "name", link.name);
        if (link.gravity_compensation != 0) pn_mjcf_put_number(w, "gravcomp", link.gravity_compensation);
        pn_mjcf_put_pose(w, &back);
        pn_text_append(&w->out, ">\n");
        if (!pn_mjcf_put_content(w, c.link, inner, 0) || !put_children(w, c.link, depth + 2)) return 0;
        pn_text_add(&w->out, "%s</body>\n", inner);
    } else if (!pn_mjcf_put_content(w, c.link, indent, 0) || !put_children(w, c.link, depth + 1)) {
        return 0;
    }
    pn_text_add(&w->out, "%s</body>\n", indent);
    return 1;
}

/* A body that is fixed to the one around it. */
static int put_fixed(mjcf_writer *w, int link, const pinion_pose *pose, int depth, int with_children)
{
    char indent[2 * MJCF_WRITE_DEPTH + 8];
    pinion_link_info info;
    indent_of(depth, indent);
    if (pinion_model_link(w->m, link, &info) != PINION_OK) return 0;
    pn_text_add(&w->out, "%s<body", indent);
    pn_mjcf_put_text(w, "name", info.name);
    if (info.gravity_compensation != 0) pn_mjcf_put_number(w, "gravcomp", info.gravity_compensation);
    pn_mjcf_put_pose(w, pose);
    pn_text_append(&w->out, ">\n");
    if (!pn_mjcf_put_content(w, link, indent, 0) || (with_children && !put_children(w, link, depth + 1))) return 0;
    pn_text_add(&w->out, "%s</body>\n", indent);
    return 1;
}

static int put_children(mjcf_writer *w, int link, int depth)
{
    if (depth > MJCF_WRITE_DEPTH && w->child[link] >= 0)
        return pn_cannot_write(w->l, "link", pn_mjcf_link_name(w, link), "is more than 240 links away from the world");
    for (int k = w->child[link]; k >= 0; k = w->next[k]) {
        pinion_joint_info j;
        if (pinion_model_joint(w->m, k, &j) != PINION_OK) return 0;
        if (strcmp(pn_mjcf_link_name(w, j.child), "world") == 0)
            return pn_cannot_write(w->l, "link", "world", "has the name of the world and is not it");
        if (j.type != PINION_JOINT_FIXED) {
            if (!put_moving(w, k, depth)) return 0;
            continue;
        }
        if (strcmp(j.name, pn_mjcf_link_name(w, j.child)) != 0 &&
            !pn_lose(w->l, 0, "joint", j.name, "a joint that is fixed is not named"))
            return 0;
        const pinion_pose back = pn_pose_inverse(&j.child_pose), pose = pn_pose_mul(&j.parent_pose, &back);
        if (!put_fixed(w, j.child, &pose, depth, 1)) return 0;
    }
    return 1;
}

/* The world and all in it. */
static int put_world(mjcf_writer *w)
{
    const int links = pinion_model_link_count(w->m);
    int root = 0, floats = -1, any_free = 0;
    for (int i = 0; i < pinion_model_joint_count(w->m); i++) {
        pinion_joint_info j;
        if (pinion_model_joint(w->m, i, &j) != PINION_OK) return 0;
        if (j.parent < 0) floats = i;
    }
    for (int i = 0; i < links; i++) {
        pinion_link_info info;
        if (pinion_model_link(w->m, i, &info) != PINION_OK) return 0;
        if (info.joint < 0) root = i;
    }
    w->root = floats >= 0 ? -1 : root;
    pn_text_append(&w->out, "  <worldbody>\n");
    if (floats >= 0) {
        if (!put_moving(w, floats, 1)) return 0;
    } else {
        const int is_world = strcmp(pn_mjcf_link_name(w, root), "world") == 0;
        const pinion_pose here = pinion_pose_identity();
        for (int k = w->child[root]; k >= 0; k = w->next[k]) {
            pinion_joint_info j;
            if (pinion_model_joint(w->m, k, &j) != PINION_OK) return 0;
            any_free = any_free || j.type == PINION_JOINT_FREE;
        }
        /* a free joint is in the world itself, and its brothers with it, so that the coordinates keep their order */
        if (is_world ? !pn_mjcf_put_content(w, root, "  ", 1) : !put_fixed(w, root, &here, 1, !any_free)) return 0;
        if ((is_world || any_free) && !put_children(w, root, 1)) return 0;
    }
    pn_text_append(&w->out, "  </worldbody>\n");
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * All of it */

/* Lists of what is below a link, in order. */
static int make_lists(mjcf_writer *w)
{
    const size_t links = (size_t)pinion_model_link_count(w->m), joints = (size_t)pinion_model_joint_count(w->m),
                 frames = (size_t)pinion_model_frame_count(w->m), visuals = (size_t)pinion_model_visual_count(w->m),
                 loops = (size_t)pinion_model_loop_count(w->m);
    int *at = malloc((4 * links + joints + frames + visuals + 2 * loops + 1) * sizeof *at);
    w->child = at;
    w->written = calloc(3 * joints + 1, sizeof *w->written);
    w->used = calloc(frames + 1, 1);
    w->inertia = calloc(links + 1, sizeof *w->inertia);
    if (!at || !w->written || !w->used || !w->inertia) return 0;
    w->frame = w->child + links;
    w->visual = w->frame + links;
    w->end = w->visual + links;
    w->next = w->end + links;
    w->next_frame = w->next + joints;
    w->next_visual = w->next_frame + frames;
    w->next_end = w->next_visual + visuals;
    for (size_t i = 0; i < 4 * links; i++) at[i] = -1;
    for (int i = (int)joints - 1; i >= 0; i--) {
        pinion_joint_info j;
        if (pinion_model_joint(w->m, i, &j) != PINION_OK || j.parent < 0) continue;
        w->next[i] = w->child[j.parent];
        w->child[j.parent] = i;
    }
    for (int i = (int)frames - 1; i >= (int)links; i--) {
        pinion_frame_info f;
        if (pinion_model_frame(w->m, i, &f) != PINION_OK) continue;
        w->next_frame[i] = w->frame[f.link];
        w->frame[f.link] = i;
    }
    for (int i = (int)visuals - 1; i >= 0; i--) {
        pinion_visual_info v;
        if (pinion_model_visual(w->m, i, &v) != PINION_OK) continue;
        w->next_visual[i] = w->visual[v.link];
        w->visual[v.link] = i;
    }
    for (int i = 2 * (int)loops - 1; i >= 0; i--) {
        pinion_loop_info l;
        if (pinion_model_loop(w->m, i / 2, &l) != PINION_OK) continue;
        const int link = i % 2 ? l.joint.child : l.joint.parent;
        if (link < 0) continue;
        w->next_end[i] = w->end[link];
        w->end[link] = i;
    }
    return 1;
}

/* Frames that something acts on or goes through; links of loops are no mere places. */
static void mark_used(mjcf_writer *w)
{
    for (int i = 0; i < pinion_model_tendon_count(w->m); i++) {
        pinion_tendon_info t;
        if (pinion_model_tendon(w->m, i, &t) != PINION_OK || t.type != PINION_TENDON_PATH) continue;
        for (int k = 0; k < t.count; k++)
            if (t.term[k].index >= 0) w->used[t.term[k].index] = 1;
    }
    for (int i = 0; i < pinion_model_actuator_count(w->m); i++) {
        pinion_actuator_info a;
        if (pinion_model_actuator(w->m, i, &a) != PINION_OK) continue;
        if (a.frame >= 0) w->used[a.frame] = 1;
        if (a.reference >= 0) w->used[a.reference] = 1;
    }
    for (int i = 0; i < pinion_model_exclusion_count(w->m); i++) {
        int link[2];
        if (pinion_model_exclusion(w->m, i, link) != PINION_OK) continue;
        for (int k = 0; k < 2; k++)
            if (!w->used[link[k]]) w->used[link[k]] = 2;
    }
    for (int i = 0; i < pinion_model_loop_count(w->m); i++) {
        pinion_loop_info l;
        if (pinion_model_loop(w->m, i, &l) != PINION_OK) continue;
        const int link[2] = {l.joint.parent, l.joint.child};
        for (int k = 0; k < 2; k++)
            if (link[k] >= 0 && !w->used[link[k]]) w->used[link[k]] = 2;
    }
}

static int put_all(mjcf_writer *w)
{
    double gravity[3];
    const double usual[3] = {0, 0, -9.81};
    pinion_model_gravity(w->m, gravity);
    pn_text_append(&w->out, "<mujoco");
    pn_mjcf_put_text(w, "model", pinion_model_name(w->m));
    pn_text_append(&w->out, ">\n  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n");
    pn_mjcf_find_medium(w);
    const int other = memcmp(gravity, usual, sizeof usual) != 0;
    if (other || w->medium) pn_text_append(&w->out, "  <option");
    if (other) pn_mjcf_put_numbers(w, "gravity", gravity, 3);
    if (w->medium) {
        pn_mjcf_put_number(w, "density", w->density);
        pn_mjcf_put_number(w, "viscosity", w->viscosity);
        pn_mjcf_put_numbers(w, "wind", w->wind, 3);
    }
    if (other || w->medium) pn_text_append(&w->out, "/>\n");
    mark_used(w);
    if (!put_world(w) || !pn_mjcf_put_contacts(w) || !pn_mjcf_put_ties(w) || !pn_mjcf_put_drives(w)) return 0;
    pn_text_append(&w->out, "</mujoco>\n");
    return 1;
}

char *pn_mjcf_write(const pinion_model *m, pn_losses *l)
{
    mjcf_writer w = {.m = m, .l = l};
    pinion_error *err = l->err;
    err->status = PINION_OK;
    char *text = NULL;
    if (make_lists(&w) && pn_lump_inertias(m, l, MJCF_LEAST, 0, w.inertia) && put_all(&w))
        text = pn_text_take(&w.out);
    else
        pn_text_free(&w.out);
    if (!text && err->status == PINION_OK) pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    free(w.child);
    free(w.written);
    free(w.used);
    free(w.inertia);
    return text;
}
