/* Configurations and velocities in the layouts of MuJoCo and Pinocchio: one table of places, made once. */
#include "pinion/layouts.h"
#include "pinion/elastic.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A joint with coordinates: where they are here and there. */
typedef struct place {
    pinion_joint_type type;
    int q, v;             /* Pinion's */
    int their_q, their_v; /* theirs */
    int nq, nv;           /* Pinion's */
} place;

struct pinion_converter {
    pinion_convention of;
    int nq, nv; /* theirs */
    int joints; /* of the model */
    int count;  /* of those with coordinates */
    int *at;    /* [joints] a joint's place, -1: none */
    place *place;
};

/* ---- the order of joints ---- */

typedef struct child {
    int parent, joint; /* a link, -1: the world; the joint below it */
    const char *name;
} child;

static int by_parent_and_name(const void *a, const void *b)
{
    const child *x = a, *y = b;
    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* puts the children of a link on the stack, the last one first */
static int push_children(const child *sorted, int count, int parent, int *stack, int depth)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (sorted[middle].parent <= parent) low = middle + 1;
        else high = middle;
    }
    while (low > 0 && sorted[low - 1].parent == parent) stack[depth++] = sorted[--low].joint;
    return depth;
}

/* Every joint of the tree, depth first and by name below each link. 0 when out of memory. */
static int order_by_name(const pinion_model *m, int *order)
{
    const int count = pinion_model_joint_count(m);
    child *sorted = calloc((size_t)count + 1, sizeof *sorted);
    int *stack = calloc((size_t)count + 1, sizeof *stack), depth = 0, done = 0;
    if (!sorted || !stack) {
        free(sorted);
        free(stack);
        return 0;
    }
    pinion_joint_info joint;
    for (int i = 0; i < count && pinion_model_joint(m, i, &joint) == PINION_OK; i++)
        sorted[i] = (child){joint.parent, i, joint.name};
    qsort(sorted, (size_t)count, sizeof *sorted, by_parent_and_name);

    /* from the world, and from the link that is fixed to it */
    pinion_link_info link;
    for (int i = 0; pinion_model_link(m, i, &link) == PINION_OK; i++)
        if (link.joint < 0) depth = push_children(sorted, count, i, stack, depth);
    depth = push_children(sorted, count, -1, stack, depth);
    while (depth > 0 && done < count) {
        const int next = stack[--depth];
        order[done++] = next;
        if (pinion_model_joint(m, next, &joint) == PINION_OK)
            depth = push_children(sorted, count, joint.child, stack, depth);
    }
    free(sorted);
    free(stack);
    return done == count;
}

/* ---- making one ---- */

static int is_identity(const pinion_pose *p, int position)
{
    const pinion_pose none = pinion_pose_identity();
    return !memcmp(p->rotation, none.rotation, sizeof p->rotation) &&
           (!position || (p->position[0] == 0 && p->position[1] == 0 && p->position[2] == 0));
}

/* what keeps a joint from having a layout there, NULL: nothing */
static const char *obstacle(const pinion_model *m, const pinion_joint_info *j, pinion_convention of)
{
    if (j->leader >= 0) return "follows another: load the model with mimic = independent";
    if (of != PINION_CONVENTION_MUJOCO) return NULL;
    if (j->type == PINION_JOINT_HELICAL) return "is helical, which no joint of MuJoCo is";
    if (j->type == PINION_JOINT_SPHERICAL && !is_identity(&j->child_pose, 0))
        return "has axes of its own, and a ball joint of MuJoCo those of its body";
    if (j->type != PINION_JOINT_FREE) return NULL;
    pinion_link_info parent;
    const int on_world = j->parent < 0 || (pinion_model_link(m, j->parent, &parent) == PINION_OK && parent.joint < 0);
    if (!on_world || !is_identity(&j->parent_pose, 1) || !is_identity(&j->child_pose, 1))
        return "has a frame of its own, and a free joint of MuJoCo is between the frames of world and body";
    return NULL;
}

static int their_nq(pinion_convention of, const pinion_joint_info *j)
{
    const int pair = j->type == PINION_JOINT_CONTINUOUS || j->type == PINION_JOINT_PLANAR;
    return j->nq + (of == PINION_CONVENTION_PINOCCHIO && pair);
}

static pinion_converter *refuse(pinion_converter *c, pinion_status status, const char *joint, const char *why,
                                pinion_error *err)
{
    if (err) {
        memset(err, 0, sizeof *err);
        err->status = status;
        snprintf(err->message, sizeof err->message, "%s%.200s%s%s", joint ? "joint '" : "", joint ? joint : "",
                 joint ? "' " : "", why);
    }
    pinion_converter_free(c);
    return NULL;
}

pinion_converter *pinion_converter_new(const pinion_model *m, pinion_convention convention, pinion_error *err)
{
    if (!m) return refuse(NULL, PINION_ERR_ARGUMENT, NULL, "the model is NULL", err);
    if (convention != PINION_CONVENTION_MUJOCO && convention != PINION_CONVENTION_PINOCCHIO)
        return refuse(NULL, PINION_ERR_ARGUMENT, NULL, "the convention is none of the known ones", err);
    if (pinion_model_elastic_count(m))
        return refuse(NULL, PINION_ERR_UNSUPPORTED, NULL, "the model has elastic links, which others do not have", err);
    const int joints = pinion_model_joint_count(m);
    pinion_converter *c = calloc(1, sizeof *c);
    int *order = calloc((size_t)joints + 1, sizeof *order), full = c && order;
    if (full) c->at = calloc((size_t)joints + 1, sizeof *c->at);
    if (full) c->place = calloc((size_t)joints + 1, sizeof *c->place);
    full = full && c->at && c->place;
    for (int i = 0; full && i < joints; i++) order[i] = i;
    if (full && convention == PINION_CONVENTION_PINOCCHIO) full = order_by_name(m, order);
    if (!full) {
        free(order);
        return refuse(c, PINION_ERR_MEMORY, NULL, "out of memory", err);
    }
    c->of = convention;
    c->joints = joints;
    const char *wrong = NULL;
    pinion_joint_info j;
    for (int i = 0; i < joints && !wrong && pinion_model_joint(m, order[i], &j) == PINION_OK; i++) {
        c->at[order[i]] = -1;
        wrong = obstacle(m, &j, convention);
        if (j.nv == 0) continue;
        c->at[order[i]] = c->count;
        c->place[c->count++] = (place){j.type, j.q_index, j.v_index, c->nq, c->nv, j.nq, j.nv};
        c->nq += their_nq(convention, &j);
        c->nv += j.nv;
    }
    free(order);
    return wrong ? refuse(c, PINION_ERR_UNSUPPORTED, j.name, wrong, err) : c;
}

void pinion_converter_free(pinion_converter *c)
{
    if (!c) return;
    free(c->at);
    free(c->place);
    free(c);
}

int pinion_converter_nq(const pinion_converter *c)
{
    return c ? c->nq : 0;
}

int pinion_converter_nv(const pinion_converter *c)
{
    return c ? c->nv : 0;
}

static const place *place_of(const pinion_converter *c, int joint)
{
    return c && joint >= 0 && joint < c->joints && c->at[joint] >= 0 ? &c->place[c->at[joint]] : NULL;
}

int pinion_converter_q_index(const pinion_converter *c, int joint)
{
    const place *p = place_of(c, joint);
    return p ? p->their_q : -1;
}

int pinion_converter_v_index(const pinion_converter *c, int joint)
{
    const place *p = place_of(c, joint);
    return p ? p->their_v : -1;
}

/* ---- configurations ---- */

static int is_unit(const double *x, int count)
{
    double square = 0;
    for (int i = 0; i < count; i++) square += x[i] * x[i];
    return fabs(sqrt(square) - 1) <= 1e-6;
}

static int has_quaternion(const place *p)
{
    return p->type == PINION_JOINT_FREE || p->type == PINION_JOINT_SPHERICAL;
}

/* where the numbers of Pinion's w, x, y, z, position are in theirs */
static const int *quaternion_places(const pinion_converter *c, const place *p)
{
    static const int mujoco_free[7] = {3, 4, 5, 6, 0, 1, 2}, pinocchio_free[7] = {6, 3, 4, 5, 0, 1, 2};
    static const int mujoco_ball[4] = {0, 1, 2, 3}, pinocchio_ball[4] = {3, 0, 1, 2};
    if (p->type == PINION_JOINT_FREE) return c->of == PINION_CONVENTION_MUJOCO ? mujoco_free : pinocchio_free;
    return c->of == PINION_CONVENTION_MUJOCO ? mujoco_ball : pinocchio_ball;
}

/* how many of a joint's numbers stand before cosine and sine, -1: it has no such pair */
static int before_pair(const pinion_converter *c, const place *p)
{
    if (c->of != PINION_CONVENTION_PINOCCHIO) return -1;
    return p->type == PINION_JOINT_CONTINUOUS ? 0 : p->type == PINION_JOINT_PLANAR ? 2 : -1;
}

pinion_status pinion_convert_q_from(const pinion_converter *c, const double *theirs, double *q)
{
    if (!c || (c->nq && (!theirs || !q))) return PINION_ERR_ARGUMENT;
    for (const place *p = c->place; p < c->place + c->count; p++) {
        const double *x = theirs + p->their_q;
        double *y = q + p->q;
        const int pair = before_pair(c, p), turned = has_quaternion(p);
        for (int i = 0; i < p->nq; i++) y[i] = x[turned ? quaternion_places(c, p)[i] : i];
        if (pair >= 0) y[pair] = atan2(x[pair + 1], x[pair]);
        if ((turned && !is_unit(y, 4)) || (pair >= 0 && !is_unit(x + pair, 2))) return PINION_ERR_QUATERNION;
    }
    return PINION_OK;
}

pinion_status pinion_convert_q_to(const pinion_converter *c, const double *q, double *theirs)
{
    if (!c || (c->nq && (!theirs || !q))) return PINION_ERR_ARGUMENT;
    for (const place *p = c->place; p < c->place + c->count; p++) {
        const double *x = q + p->q;
        double *y = theirs + p->their_q;
        const int pair = before_pair(c, p), turned = has_quaternion(p);
        if (turned && !is_unit(x, 4)) return PINION_ERR_QUATERNION;
        for (int i = 0; i < p->nq; i++) y[turned ? quaternion_places(c, p)[i] : i] = x[i];
        if (pair < 0) continue;
        y[pair] = cos(x[pair]);
        y[pair + 1] = sin(x[pair]);
    }
    return PINION_OK;
}

/* ---- velocities, accelerations, forces ---- */

/* from a quaternion w, x, y, z: columns are the body's axes */
static void rotation_of(const double *u, double R[9])
{
    const double s = 2 / (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
    const double w = u[0], x = u[1], y = u[2], z = u[3];
    const double rows[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                            s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                            s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
    memcpy(R, rows, sizeof rows);
}

/* y = R x, or R' x where `back` */
static void turn(const double R[9], int back, const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = back ? R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2]
                    : R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

/* The linear part of a joint that MuJoCo has along the axes of its parent: three numbers of a free joint, two of a
 * planar one. `rate` is w x v for an acceleration, which both have in it, else zero. */
static void turn_linear(const place *p, const double *q, const double *rate, int back, const double *x, double *y)
{
    double R[9], from[3] = {0}, to[3];
    const int n = p->type == PINION_JOINT_FREE ? 3 : 2;
    const double half = n == 2 ? q[p->q + 2] / 2 : 0, upright[4] = {cos(half), 0, 0, sin(half)};
    rotation_of(n == 3 ? q + p->q : upright, R);
    for (int i = 0; i < n; i++) from[i] = x[i] + (back ? 0 : rate[i]);
    turn(R, back, from, to);
    for (int i = 0; i < n; i++) y[i] = to[i] - (back ? rate[i] : 0);
}

/* w x v of a joint's own velocity */
static void rate_of(const place *p, const double *v, double rate[3])
{
    const double *x = v + p->v;
    rate[0] = rate[1] = rate[2] = 0;
    if (p->type == PINION_JOINT_FREE) {
        rate[0] = x[1] * x[5] - x[2] * x[4];
        rate[1] = x[2] * x[3] - x[0] * x[5];
        rate[2] = x[0] * x[4] - x[1] * x[3];
    } else if (p->type == PINION_JOINT_PLANAR) {
        rate[0] = -x[2] * x[1];
        rate[1] = x[2] * x[0];
    }
}

/* Vectors over the velocities, to Pinion's or from them. Forces turn as velocities do: the axes are orthonormal. `v` is
 * given for accelerations alone. */
static pinion_status convert(const pinion_converter *c, const double *q, const double *v, const double *in, double *out,
                             int from)
{
    if (!c || (c->nv && (!q || !in || !out))) return PINION_ERR_ARGUMENT;
    for (const place *p = c->place; p < c->place + c->count; p++) {
        const int is_free = p->type == PINION_JOINT_FREE;
        const double *x = in + (from ? p->their_v : p->v);
        double *y = out + (from ? p->v : p->their_v), rate[3] = {0};
        /* of a free joint the angular part is first here and last there */
        for (int i = 0; i < p->nv; i++) y[is_free ? (i + 3) % 6 : i] = x[i];
        if (c->of != PINION_CONVENTION_MUJOCO || (!is_free && p->type != PINION_JOINT_PLANAR)) continue;
        if (is_free && !is_unit(q + p->q, 4)) return PINION_ERR_QUATERNION;
        if (v) rate_of(p, v, rate);
        const int here = is_free ? 3 : 0;
        turn_linear(p, q, rate, from, x + (from ? 0 : here), y + (from ? here : 0));
    }
    return PINION_OK;
}

pinion_status pinion_convert_v_from(const pinion_converter *c, const double *q, const double *theirs, double *v)
{
    return convert(c, q, NULL, theirs, v, 1);
}

pinion_status pinion_convert_v_to(const pinion_converter *c, const double *q, const double *v, double *theirs)
{
    return convert(c, q, NULL, v, theirs, 0);
}

pinion_status pinion_convert_a_from(const pinion_converter *c, const double *q, const double *v, const double *theirs,
                                    double *a)
{
    return c && c->nv && !v ? PINION_ERR_ARGUMENT : convert(c, q, v, theirs, a, 1);
}

pinion_status pinion_convert_a_to(const pinion_converter *c, const double *q, const double *v, const double *a,
                                  double *theirs)
{
    return c && c->nv && !v ? PINION_ERR_ARGUMENT : convert(c, q, v, a, theirs, 0);
}

pinion_status pinion_convert_tau_from(const pinion_converter *c, const double *q, const double *theirs, double *tau)
{
    return convert(c, q, NULL, theirs, tau, 1);
}

pinion_status pinion_convert_tau_to(const pinion_converter *c, const double *q, const double *tau, double *theirs)
{
    return convert(c, q, NULL, tau, theirs, 0);
}
