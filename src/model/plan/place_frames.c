/* Where the compiled frames go. Every one-DoF joint's axis becomes z of the body it moves; x of a body goes
 * on the common normal to the axis of its first one-DoF child, so that this child's placement is a single
 * screw about x. Screws about z commute with the joint, which is why a body may be turned so at all. */
#include <math.h>
#include <string.h>

#include "model/plan/place_frames.h"
#include "model/pose.h"
#include "model/tree.h"

/* How a joint type is compiled: one node or two. */
static int node_count(pinion_joint_type type)
{
    return type == PINION_JOINT_CYLINDRICAL || type == PINION_JOINT_UNIVERSAL ? 2 : type == PINION_JOINT_FIXED ? 0 : 1;
}

static int kind_of(pinion_joint_type type, int half)
{
    switch (type) {
    case PINION_JOINT_PRISMATIC: return PN_PRISMATIC;
    case PINION_JOINT_HELICAL: return PN_HELICAL;
    case PINION_JOINT_CYLINDRICAL: return half ? PN_PRISMATIC : PN_REVOLUTE;
    case PINION_JOINT_PLANAR: return PN_PLANAR;
    case PINION_JOINT_SPHERICAL: return PN_SPHERICAL;
    case PINION_JOINT_FREE: return PN_FREE;
    default: return PN_REVOLUTE;
    }
}

/* The axis that becomes z, in the joint's frame. */
static void turn_of(const pn_described_joint *joint, pinion_joint_type type, int half, double turn[9])
{
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    const double *axis = z;
    if (type == PINION_JOINT_UNIVERSAL) axis = half ? y : x;
    if (joint && pn_type_uses_axis(type)) axis = joint->axis;
    pn_turn_z_to(axis, turn);
}

/* The model's size: its largest step from frame to frame. */
static double measure(const pn_plan *plan)
{
    double size = 0;
    for (size_t i = 0; i < plan->b->joints.count; i++) {
        const pn_described_joint *joint = PN_ITEM(&plan->b->joints, const pn_described_joint, i);
        size = fmax(size, fmax(pn_norm3(joint->parent_pose.position), pn_norm3(joint->child_pose.position)));
    }
    for (int i = 0; i < plan->elastics; i++) size = fmax(size, plan->elastic[i].def.length);
    return size;
}

/* Makes the nodes of a moving joint, and its child link's frame in its user frame. */
static void add_nodes(pn_skeleton *s, const pn_plan *plan, int joint, const pinion_pose *frame, int parent)
{
    const pn_described_joint *described = pn_plan_joint(plan, joint);
    pinion_joint_type type = pn_plan_type(plan, joint);
    int count = node_count(type);
    for (int half = 0; half < count; half++) {
        pn_unit *unit = &s->unit[s->nodes];
        unit->parent = parent;
        unit->joint = joint;
        unit->half = half;
        unit->kind = kind_of(type, half);
        unit->link = half == count - 1 ? pn_plan_child(plan, joint) : -1;
        unit->frame = half ? pinion_pose_identity() : *frame;
        turn_of(described, type, half, unit->turn);
        unit->phi.c = 1;
        parent = s->nodes++;
    }
    s->body_node[plan->joint_body[joint]] = parent;
}

/* ---- elastic links ---- */

static const pinion_elastic_def *elastic_of(const pn_plan *plan, int link)
{
    return link >= 0 && plan->link_elastic[link] ? &plan->elastic[plan->link_elastic[link] - 1].def : NULL;
}

/* A place on an elastic link, whose frame is known. */
static int add_place(pn_skeleton *s, const pn_plan *plan, int link, double station, int point)
{
    const pinion_pose rest = pn_elastic_rest(elastic_of(plan, link), station), one = pinion_pose_identity();
    pn_unit *unit = &s->unit[s->nodes];
    unit->parent = s->link_node[link];
    unit->joint = unit->link = -1;
    unit->kind = PN_ELASTIC;
    unit->frame = pn_pose_mul(&s->link[link], &rest);
    memcpy(unit->turn, one.rotation, sizeof unit->turn);
    unit->phi.c = 1;
    unit->elastic = plan->link_elastic[link];
    unit->station = station;
    unit->point = point;
    return s->nodes++;
}

static int find_place(const pn_skeleton *s, int elastic, double station)
{
    for (int i = 1; i < s->nodes; i++)
        if (s->unit[i].elastic == elastic && s->unit[i].station == station) return i;
    return -1;
}

/* Those of its mass, its end, and where frames are. Children get one each as they come: a subtree has no gaps. */
static void add_places(pn_skeleton *s, const pn_plan *plan, int link)
{
    const pinion_elastic_def *def = elastic_of(plan, link);
    if (!def) return;
    const int points = pn_elastic_point_count(def), elastic = plan->link_elastic[link];
    for (int p = 0; p < points; p++) {
        double mass, inertia[6];
        add_place(s, plan, link, pn_elastic_point(def, p, &mass, inertia), p);
    }
    if (!def->node_count && find_place(s, elastic, def->length) < 0) add_place(s, plan, link, def->length, -1);
    for (size_t i = 0; i < plan->b->frames.count; i++) {
        if (plan->frame_link[i] != link) continue;
        const double station =
            pn_elastic_station(def, &PN_ITEM(&plan->b->frames, const pn_described_frame, i)->pose);
        if (station >= 0 && find_place(s, elastic, station) < 0) add_place(s, plan, link, station, -1);
    }
}

int pn_skeleton_find(const pn_skeleton *s, const pn_plan *plan, int link, const pinion_pose *pose, pinion_pose *out)
{
    const pinion_elastic_def *def = elastic_of(plan, link);
    const double station = def ? pn_elastic_station(def, pose) : -1;
    if (station < 0) {
        *out = pn_pose_mul(&s->link[link], pose);
        return s->link_node[link];
    }
    const pinion_pose rest = pn_elastic_rest(def, station);
    *out = pn_pose_between(&rest, pose);
    return find_place(s, plan->link_elastic[link], station);
}

/* How many places there can be. */
static size_t count_places(const pn_plan *plan)
{
    size_t count = plan->elastics ? plan->b->frames.count + (size_t)plan->joints : 0;
    for (int i = 0; i < plan->elastics; i++) count += (size_t)pn_elastic_point_count(&plan->elastic[i].def) + 1;
    return count;
}

/* Nodes, and every link's frame in the user frame of its node: fixed joints are composed away. */
static void lay_out(pn_skeleton *s, const pn_plan *plan)
{
    /* the base */
    s->nodes = 1;
    s->unit[0].parent = -1;
    s->unit[0].link = -1;
    s->body_node[0] = 0;
    if (!plan->free_root) {
        s->link[0] = pinion_pose_identity();
        s->link_node[0] = 0;
        add_places(s, plan, 0);
    }

    /* joints in order, so that a parent's link is known */
    for (int i = 0; i < plan->joints; i++) {
        const pn_described_joint *described = pn_plan_joint(plan, i);
        int parent = plan->joint_parent[i], child = pn_plan_child(plan, i);
        pinion_pose frame = pinion_pose_identity(), back = pinion_pose_identity();
        int node = parent < 0 ? 0 : s->link_node[parent], place = -1;
        if (described) {
            const pinion_elastic_def *def = elastic_of(plan, parent);
            const double station = def ? pn_elastic_station(def, &described->parent_pose) : -1;
            if (station >= 0) {
                const pinion_pose rest = pn_elastic_rest(def, station);
                node = place = add_place(s, plan, parent, station, -1);
                frame = pn_pose_between(&rest, &described->parent_pose);
            } else {
                frame = pn_pose_mul(&s->link[parent], &described->parent_pose);
            }
            back = pn_pose_inverse(&described->child_pose);
        }
        if (pn_plan_type(plan, i) == PINION_JOINT_FIXED) {
            s->link[child] = pn_pose_mul(&frame, &back);
            s->link_node[child] = node;
            if (place >= 0) { /* a body of its own */
                s->unit[place].joint = i;
                s->unit[place].link = child;
                s->body_node[plan->joint_body[i]] = place;
            }
        } else {
            add_nodes(s, plan, i, &frame, node);
            s->link[child] = back;
            s->link_node[child] = s->nodes - 1;
        }
        add_places(s, plan, child);
    }
}

/* A pose of which only the rotation is given. */
static pinion_pose turned(const double R[9])
{
    pinion_pose pose = pinion_pose_identity();
    memcpy(pose.rotation, R, sizeof pose.rotation);
    return pose;
}

/* K of a node against a frame that is given in the parent's user frame. */
static pinion_pose placement(const pn_unit *unit, const pinion_pose *from)
{
    pinion_pose turn = turned(unit->turn), to = pn_pose_mul(&unit->frame, &turn);
    return pn_pose_between(from, &to);
}

/* The compiled frame in the user frame. */
static pinion_pose compiled_frame(const pn_skeleton *s, int node)
{
    if (node == 0) return s->base;
    const pn_unit *unit = &s->unit[node];
    pinion_pose turn = turned(unit->turn), screw = pn_pose_screw_z(unit->phi.c, unit->phi.s, unit->t);
    return pn_pose_mul(&turn, &screw);
}

/* Common normals, and the turn and shift of every one-DoF body that puts x on one of them. */
static void choose_turns(pn_skeleton *s, const pn_plan *plan, int *chosen, double tiny)
{
    for (int i = 1; i < s->nodes; i++) {
        pn_unit *unit = &s->unit[i], *parent = &s->unit[unit->parent];
        if (!pn_one_dof(unit->kind) || unit->parent == 0) continue;

        /* the two halves of a cylindrical joint share their axis exactly */
        pinion_pose from = turned(parent->turn), K = placement(unit, &from);
        if (unit->half && pn_plan_type(plan, unit->joint) == PINION_JOINT_CYLINDRICAL) K = pinion_pose_identity();
        unit->normal = pn_common_normal(&K, tiny);

        /* the first child that can have it */
        if (pn_one_dof(parent->kind) && unit->normal.good && !chosen[unit->parent]) {
            chosen[unit->parent] = 1;
            parent->phi = unit->normal.beta;
            parent->t = unit->normal.e;
        }
    }

    /* the base takes the frame of its first child, if that can be any */
    s->base = pinion_pose_identity();
    if (s->nodes > 1 && pn_one_dof(s->unit[1].kind)) {
        pinion_pose own = compiled_frame(s, 1), base = pn_pose_mul(&s->unit[1].frame, &own);
        s->base = pn_snap_pose(&base, tiny);
    }
}

/* The cosine alone would not do: that of 1e-8 is 1. */
static int is_no_screw(pn_angle angle, double length)
{
    return angle.c == 1 && angle.s == 0 && length == 0;
}

/* The placement of a one-DoF node whose normal to the parent's final frame is known. */
static void place_screws(pn_unit *unit, double tiny)
{
    pn_normal *n = &unit->screws;
    n->theta = pn_angle_add(n->theta, unit->phi);
    n->d = pn_snap_length(n->d + unit->t, tiny);
    int x = is_no_screw(n->alpha, n->a), z = is_no_screw(n->beta, n->e);
    if (x && !z) {
        /* one axis: both screws about z are one */
        n->theta = pn_angle_add(n->theta, n->beta);
        n->d = pn_snap_length(n->d + n->e, tiny);
        n->beta = pn_angle_of(1, 0);
        n->e = 0;
    }
    unit->place = x ? PN_PLACE_NONE : z ? PN_PLACE_X : PN_PLACE_ZX;
}

static void place_dense(pn_unit *unit, const pinion_pose *K, double tiny)
{
    unit->dense = pn_snap_pose(K, tiny);
    unit->place = pn_pose_is_identity(&unit->dense) ? PN_PLACE_NONE : PN_PLACE_DENSE;
    unit->screws.theta = unit->phi;
    unit->screws.d = unit->t;
}

static void place(pn_skeleton *s, int node, double tiny)
{
    static const pn_normal none = {1, {1, 0}, {1, 0}, {1, 0}, 0, 0, 0};
    pn_unit *unit = &s->unit[node], *parent = &s->unit[unit->parent];
    unit->dense = pinion_pose_identity();
    unit->screws = none;

    /* the first of the base is where the base was put, whatever its own phi and t */
    int one = pn_one_dof(unit->kind);
    if (node == 1 && one) return;

    /* against the parent's final frame */
    pinion_pose from = compiled_frame(s, unit->parent);
    if (one && unit->parent == 0) {
        pinion_pose K = placement(unit, &from);
        unit->normal = pn_common_normal(&K, tiny);
    }
    if (!one || !unit->normal.good) {
        pinion_pose K = placement(unit, &from);
        place_dense(unit, &K, tiny);
        return;
    }
    unit->screws = unit->normal;
    if (unit->parent > 0 && pn_one_dof(parent->kind)) {
        unit->screws.beta = pn_angle_subtract(unit->normal.beta, parent->phi);
        unit->screws.e = pn_snap_length(unit->normal.e - parent->t, tiny);
    }
    place_screws(unit, tiny);
}

int pn_skeleton_make(pn_skeleton *s, const pn_plan *plan, pn_pool *pool)
{
    /* memory */
    size_t nodes = 1;
    for (int i = 0; i < plan->joints; i++) nodes += (size_t)node_count(pn_plan_type(plan, i));
    nodes += count_places(plan);
    memset(s, 0, sizeof *s);
    s->unit = pn_pool_take(pool, nodes, sizeof *s->unit);
    s->body_node = pn_pool_take(pool, (size_t)plan->bodies, sizeof(int));
    s->link = pn_pool_take(pool, (size_t)plan->links, sizeof *s->link);
    s->link_node = pn_pool_take(pool, (size_t)plan->links, sizeof(int));
    int *chosen = pn_pool_take(pool, nodes, sizeof(int));
    if (pool->failed) return 0;

    /* frames, placements */
    s->size = measure(plan);
    double tiny = 1e-15 * s->size;
    lay_out(s, plan);
    choose_turns(s, plan, chosen, tiny);
    for (int i = 1; i < s->nodes; i++) place(s, i, tiny);

    /* links from the user frames to the compiled ones; those of the base stay in the world, exactly */
    for (int i = 0; i < plan->links; i++) {
        if (s->link_node[i] == 0) continue;
        pinion_pose from = compiled_frame(s, s->link_node[i]), pose = pn_pose_between(&from, &s->link[i]);
        s->link[i] = pn_snap_pose(&pose, tiny);
    }
    return 1;
}
