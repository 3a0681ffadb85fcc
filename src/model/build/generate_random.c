/* Random models. Only integers, + - * / and square roots are used, which give the same bits everywhere. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "model/build/describe.h"
#include "model/pose.h"

/* ---- random numbers ---- */

static int below(uint64_t *r, int count)
{
    return (int)(pn_random_bits(r) % (uint64_t)count);
}

/* A direction: a point of the unit ball, not too near its centre, pushed out. */
static void direction(uint64_t *r, double n[3])
{
    double length;
    do {
        for (int i = 0; i < 3; i++) n[i] = pn_random_between(r, -1, 1);
        length = pn_dot3(n, n);
    } while (length < 0.01 || length > 1);
    for (int i = 0; i < 3; i++) n[i] /= sqrt(length);
}

/* A rotation, from a quaternion found the same way. */
static void rotation(uint64_t *r, double R[9])
{
    double q[4], length;
    do {
        length = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = pn_random_between(r, -1, 1);
            length += q[i] * q[i];
        }
    } while (length < 0.01 || length > 1);
    for (int i = 0; i < 4; i++) q[i] /= sqrt(length);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double full[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                      2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                      2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, full, sizeof full);
}

static pinion_pose any_pose(uint64_t *r, double reach)
{
    pinion_pose pose;
    rotation(r, pose.rotation);
    for (int i = 0; i < 3; i++) pose.position[i] = pn_random_between(r, -reach, reach);
    return pose;
}

/* Cosine and sine of an angle by the tangent of its half. */
static void half_angle(double t, double *c, double *s)
{
    *c = (1 - t * t) / (1 + t * t);
    *s = 2 * t / (1 + t * t);
}

/* A pose by the four Denavit-Hartenberg numbers, turned about x and then about z. */
static pinion_pose dh_pose(uint64_t *r)
{
    double ca, sa, ct, st;
    half_angle(pn_random_between(r, -1.5, 1.5), &ca, &sa);
    half_angle(pn_random_between(r, -1.5, 1.5), &ct, &st);
    double a = pn_random_between(r, -0.4, 0.4), d = pn_random_between(r, -0.4, 0.4);
    pinion_pose pose = {{a, 0.0 - sa * d, ca * d},
                        {ct, 0.0 - st, 0, ca * st, ca * ct, 0.0 - sa, sa * st, sa * ct, ca}};
    return pose;
}

/* What some cloud of points weighs: I = tr(S) 1 - S, S its second moments, is the inertia of a real body. */
static pinion_inertia any_inertia(uint64_t *r)
{
    pinion_inertia out;
    out.mass = pn_random_between(r, 0.2, 4);
    for (int i = 0; i < 3; i++) out.com[i] = pn_random_between(r, -0.2, 0.2);
    double R[9], spread[3], S[9], trace = 0;
    rotation(r, R);
    for (int i = 0; i < 3; i++) {
        spread[i] = out.mass * pn_random_between(r, 0.001, 0.02);
        trace += spread[i];
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            S[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) S[3 * i + j] += R[3 * i + k] * spread[k] * R[3 * j + k];
        }
    }
    double I[6] = {trace - S[0], 0 - S[1], 0 - S[2], trace - S[4], 0 - S[5], trace - S[8]};
    memcpy(out.inertia, I, sizeof I);
    return out;
}

/* ---- building ---- */

/* A builder with what is on its way into it. Once something failed nothing more is added. */
typedef struct pn_garden {
    pinion_builder *b;
    uint64_t r; /* the seed */
    pinion_status status;
    pinion_error *err;
} pn_garden;

static void grow_link(pn_garden *g, const char *kind, int number, const pinion_inertia *inertia)
{
    char name[32];
    snprintf(name, sizeof name, "%s%d", kind, number);
    pinion_link_def link = pinion_link_def_default();
    link.name = name;
    if (inertia) link.inertia = *inertia;
    if (!g->status) g->status = pinion_builder_add_link(g->b, &link, g->err);
}

static pn_garden plant(const char *name, int joints, uint64_t seed, pinion_error *err)
{
    pn_garden g = {NULL, seed, PINION_OK, err};
    if (joints < 1 || joints > PN_MAX_ELEMENTS / 2) {
        g.status = pn_fail(NULL, err, PINION_ERR_ARGUMENT, 0, "a random model of %d joints; expected 1 to %d",
                           joints, PN_MAX_ELEMENTS / 2);
        return g;
    }
    g.b = pinion_builder_new(name);
    if (!g.b) g.status = pn_fail_memory(NULL, err);
    return g;
}

static pinion_model *harvest(pn_garden *g, int free_root)
{
    pinion_load_options options = pinion_load_options_default();
    options.root = free_root ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
    pinion_model *m = g->status ? NULL : pinion_builder_build(g->b, &options, g->err);
    pinion_builder_free(g->b);
    return m;
}

pinion_model *pinion_random_chain(int joints, uint64_t seed, pinion_error *err)
{
    pn_garden g = plant("random-chain", joints, seed, err);
    if (!g.status) grow_link(&g, "link", 0, NULL);
    for (int i = 1; i <= joints && !g.status; i++) {
        char name[32], parent[32], child[32];
        snprintf(name, sizeof name, "joint%d", i);
        snprintf(parent, sizeof parent, "link%d", i - 1);
        snprintf(child, sizeof child, "link%d", i);
        pinion_inertia inertia = any_inertia(&g.r);
        grow_link(&g, "link", i, &inertia);
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = name;
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = parent;
        joint.child = child;
        joint.parent_pose = dh_pose(&g.r);
        joint.dof[0].lower = -3;
        joint.dof[0].upper = 3;
        if (!g.status) g.status = pinion_builder_add_joint(g.b, &joint, err);
    }
    return harvest(&g, 0);
}

/* A spring on some rotations, and on the place of a free body, with random numbers of their own: those of all else do
 * not depend on it. */
static void grow_ball_spring(uint64_t r, pinion_joint_def *joint)
{
    if (below(&r, 3)) return;
    const double stiffness = pn_random_between(&r, 1, 20);
    for (int i = 0; i < pinion_joint_type_nv(joint->type); i++) {
        joint->dof[i].stiffness = i < 3 ? stiffness : pn_random_between(&r, 1, 20);
        joint->dof[i].rest = pn_random_between(&r, -0.5, 0.5);
    }
}

/* Motors, dampers, friction and springs on some degrees of freedom. */
static void grow_dofs(pn_garden *g, pinion_joint_def *joint)
{
    int sprung = joint->type != PINION_JOINT_SPHERICAL && joint->type != PINION_JOINT_FREE;
    for (int i = 0; i < pinion_joint_type_nv(joint->type); i++) {
        pinion_dof *dof = &joint->dof[i];
        if (joint->type == PINION_JOINT_REVOLUTE || joint->type == PINION_JOINT_PRISMATIC) {
            dof->lower = pn_random_between(&g->r, -3, -1);
            dof->upper = pn_random_between(&g->r, 1, 3);
        }
        dof->velocity = pn_random_between(&g->r, 1, 10);
        dof->effort = pn_random_between(&g->r, 10, 100);
        if (below(&g->r, 2)) dof->damping = pn_random_between(&g->r, 0, 0.5);
        if (below(&g->r, 3) == 0) {
            dof->friction_positive = pn_random_between(&g->r, 0, 0.3);
            dof->friction_negative = pn_random_between(&g->r, 0, 0.3);
        }
        if (below(&g->r, 3) == 0) {
            dof->rotor_inertia = pn_random_between(&g->r, 1e-5, 1e-4);
            dof->gear_ratio = pn_random_between(&g->r, -60, 60);
        }
        if (sprung && below(&g->r, 4) == 0) {
            dof->stiffness = pn_random_between(&g->r, 1, 20);
            dof->rest = pn_random_between(&g->r, -0.5, 0.5);
        }
    }
    if (!sprung) grow_ball_spring(g->r, joint);
}

/* A joint's axis: mostly along one of its frame's, as in real robots. */
static void grow_axis(pn_garden *g, double axis[3])
{
    int which = below(&g->r, 6);
    if (which >= 3) {
        direction(&g->r, axis);
        return;
    }
    axis[0] = axis[1] = axis[2] = 0;
    axis[which] = below(&g->r, 2) ? 1 : -1;
}

/* A link welded to another, with a frame on it; massless half of the time. */
static void grow_weld(pn_garden *g, int number, const char *parent)
{
    char name[32], child[32];
    snprintf(name, sizeof name, "weld%d", number);
    snprintf(child, sizeof child, "part%d", number);
    pinion_inertia inertia = any_inertia(&g->r);
    grow_link(g, "part", number, below(&g->r, 2) ? &inertia : NULL);
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = name;
    joint.type = PINION_JOINT_FIXED;
    joint.parent = parent;
    joint.child = child;
    joint.parent_pose = any_pose(&g->r, 0.3);
    if (below(&g->r, 2)) joint.child_pose = any_pose(&g->r, 0.3);
    if (!g->status) g->status = pinion_builder_add_joint(g->b, &joint, g->err);

    char tool[32];
    snprintf(tool, sizeof tool, "frame%d", number);
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = tool;
    frame.link = child;
    frame.pose = any_pose(&g->r, 0.2);
    if (!g->status) g->status = pinion_builder_add_frame(g->b, &frame, g->err);
}

/* The type of joint i: the first nine show every type once, later ones are random. */
static pinion_joint_type grow_type(pn_garden *g, int i, const int order[9])
{
    return (pinion_joint_type)(i <= 9 ? order[i - 1] : 1 + below(&g->r, 9));
}

/* Every moving type once, in random order, with two of one coordinate among the first six: one to lead. */
static void grow_order(pn_garden *g, int order[9])
{
    for (int i = 0; i < 9; i++) {
        int j = below(&g->r, i + 1);
        order[i] = order[j];
        order[j] = 1 + i;
    }
    int one = 0, last = 0;
    for (int i = 0; i < 6; i++) {
        one += pn_type_has_one_coordinate(order[i]);
        if (!pn_type_has_one_coordinate(order[i])) last = i;
    }
    for (int i = 6; i < 9 && one < 2; i++) {
        if (!pn_type_has_one_coordinate(order[i])) continue;
        int swap = order[i];
        order[i] = order[last];
        order[last] = swap;
        one++;
    }
}

pinion_model *pinion_random_tree(int joints, int free_root, uint64_t seed, pinion_error *err)
{
    pn_garden g = plant("random-tree", joints, seed, err);
    int order[9], leader = 0, followers = 0;
    grow_order(&g, order);
    pinion_inertia root = any_inertia(&g.r);
    if (!g.status) grow_link(&g, "link", 0, &root);
    for (int i = 1; i <= joints && !g.status; i++) {
        /* a new link on a recent one, so that the tree gets branches and depth, through a weld at times */
        char name[32], parent[32], child[32], lead[32];
        int from = i - 1 - below(&g.r, i < 4 ? i : 4);
        snprintf(name, sizeof name, "joint%d", i);
        snprintf(parent, sizeof parent, "link%d", from);
        snprintf(child, sizeof child, "link%d", i);
        if (below(&g.r, 4) == 0) {
            grow_weld(&g, i, parent);
            snprintf(parent, sizeof parent, "part%d", i);
        }
        pinion_inertia inertia = any_inertia(&g.r);
        grow_link(&g, "link", i, &inertia);

        /* its joint */
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = name;
        joint.type = grow_type(&g, i, order);
        joint.parent = parent;
        joint.child = child;
        joint.parent_pose = below(&g.r, 3) ? any_pose(&g.r, 0.4) : dh_pose(&g.r);
        if (below(&g.r, 2)) joint.child_pose = any_pose(&g.r, 0.3);
        grow_axis(&g, joint.axis);
        if (joint.type == PINION_JOINT_HELICAL) joint.pitch = pn_random_between(&g.r, -0.3, 0.3);
        grow_dofs(&g, &joint);

        /* one or two follow the first joint that can lead */
        if (pn_type_has_one_coordinate(joint.type)) {
            if (leader && joints >= 6 && followers < 1 + (int)(seed % 2)) {
                snprintf(lead, sizeof lead, "joint%d", leader);
                joint.mimic = lead;
                joint.multiplier = pn_random_between(&g.r, -1.5, 1.5);
                joint.offset = pn_random_between(&g.r, -0.5, 0.5);
                followers++;
            } else if (!leader) {
                leader = i;
            }
        }
        if (!g.status) g.status = pinion_builder_add_joint(g.b, &joint, err);
    }
    return harvest(&g, free_root);
}
