/* An independent, slow forward kinematics straight from the description, and the compiled one as a kernel
 * does it. Both give the pose of every link and named frame in the world. */
#ifndef PN_TEST_DENSE_H
#define PN_TEST_DENSE_H

#include <pinion/model.h>

#include "model/block.h"
#define num double
#include "model/constants.inc"
#undef num

#include "../support/check.h"

/* 4 x 4 homogeneous matrices, row-major */
typedef struct matrix4 {
    double a[16];
} matrix4;

static inline matrix4 unit4(void)
{
    matrix4 m = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    return m;
}

static inline matrix4 mul4(matrix4 x, matrix4 y)
{
    matrix4 m;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            m.a[4 * i + j] = 0;
            for (int k = 0; k < 4; k++) m.a[4 * i + j] += x.a[4 * i + k] * y.a[4 * k + j];
        }
    }
    return m;
}

static inline matrix4 from_parts(const double R[9], const double p[3])
{
    matrix4 m = unit4();
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) m.a[4 * i + j] = R[3 * i + j];
        m.a[4 * i + 3] = p[i];
    }
    return m;
}

static inline matrix4 inverse4(matrix4 x)
{
    matrix4 m = unit4();
    for (int i = 0; i < 3; i++) {
        double p = 0;
        for (int j = 0; j < 3; j++) {
            m.a[4 * i + j] = x.a[4 * j + i];
            p += x.a[4 * j + i] * x.a[4 * j + 3];
        }
        m.a[4 * i + 3] = -p;
    }
    return m;
}

/* about the unit axis n by an angle, then along it by a length (Rodrigues) */
static inline matrix4 screw4(const double n[3], double angle, double length)
{
    double c = cos(angle), s = sin(angle);
    double K[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0}, R[9], p[3];
    for (int i = 0; i < 3; i++) {
        p[i] = length * n[i];
        for (int j = 0; j < 3; j++) R[3 * i + j] = c * (i == j) + s * K[3 * i + j] + (1 - c) * n[i] * n[j];
    }
    return from_parts(R, p);
}

static inline matrix4 quaternion4(const double q[4], const double p[3])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                   2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                   2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    return from_parts(R, p);
}

/* z turned to n about the line normal to both */
static inline matrix4 turn4(const double n[3])
{
    double k[3] = {-n[1], n[0], 0}, s = sqrt(n[0] * n[0] + n[1] * n[1]);
    if (s < 1e-300) {
        k[0] = 1;
        k[1] = 0;
    } else {
        k[0] /= s;
        k[1] /= s;
    }
    return screw4(k, atan2(s, n[2]), 0);
}

/* The joint's own motion, from its coordinates. */
static inline matrix4 joint4(const pinion_joint_info *joint, const double *q)
{
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1}, zero[3] = {0, 0, 0};
    switch (joint->type) {
    case PINION_JOINT_REVOLUTE:
    case PINION_JOINT_CONTINUOUS: return screw4(joint->axis, q[0], 0);
    case PINION_JOINT_PRISMATIC: return screw4(joint->axis, 0, q[0]);
    case PINION_JOINT_HELICAL: return screw4(joint->axis, q[0], joint->pitch * q[0]);
    case PINION_JOINT_CYLINDRICAL: return screw4(joint->axis, q[0], q[1]);
    case PINION_JOINT_UNIVERSAL: return mul4(screw4(x, q[0], 0), screw4(y, q[1], 0));
    case PINION_JOINT_PLANAR: {
        matrix4 turn = turn4(joint->axis), move = screw4(z, q[2], 0);
        move.a[3] = q[0];
        move.a[7] = q[1];
        return mul4(mul4(turn, move), inverse4(turn));
    }
    case PINION_JOINT_SPHERICAL: return quaternion4(q, zero);
    case PINION_JOINT_FREE: return quaternion4(q, q + 4);
    default: return unit4();
    }
}

static inline matrix4 pose4(const pinion_pose *pose)
{
    return from_parts(pose->rotation, pose->position);
}

/* Every frame in the world, from the description. */
static inline void dense_frames(const pinion_model *m, const double *q, matrix4 *frame)
{
    int links = pinion_model_link_count(m);
    frame[0] = unit4();
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint, leader;
        CHECK_STATUS(pinion_model_joint(m, i, &joint), PINION_OK);
        const double *own = joint.nq ? q + joint.q_index : NULL;
        double followed;
        if (joint.leader >= 0) {
            CHECK_STATUS(pinion_model_joint(m, joint.leader, &leader), PINION_OK);
            followed = joint.multiplier * q[leader.q_index] + joint.offset;
            own = &followed;
        }
        matrix4 parent = joint.parent < 0 ? unit4() : frame[joint.parent];
        matrix4 placed = mul4(parent, pose4(&joint.parent_pose));
        frame[joint.child] = mul4(mul4(placed, joint4(&joint, own)), inverse4(pose4(&joint.child_pose)));
    }
    for (int i = links; i < pinion_model_frame_count(m); i++) {
        pinion_frame_info info;
        CHECK_STATUS(pinion_model_frame(m, i, &info), PINION_OK);
        frame[i] = mul4(frame[info.link], pose4(&info.pose));
    }
}

static inline const pn_head *head_of(const pinion_model *m)
{
    return PN_AT_CONST(m, pn_head, m->f64);
}
static inline const pn_link *constants_of(const pinion_model *m)
{
    return (const pn_link *)(head_of(m) + 1);
}
static inline const pn_place *places_of(const pinion_model *m)
{
    return (const pn_place *)(constants_of(m) + m->n.nodes);
}
static inline const pn_dof *dofs_of(const pinion_model *m)
{
    return (const pn_dof *)(places_of(m) + m->n.frames);
}
static inline const pn_coordinate *coordinates_of(const pinion_model *m)
{
    return (const pn_coordinate *)(dofs_of(m) + m->n.tree_nv);
}

/* Every compiled body in the world: placement, then the joint's screw or its dense motion. */
static inline void compiled_bodies(const pinion_model *m, const double *q, matrix4 *body)
{
    static const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1}, zero[3] = {0, 0, 0};
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    double *tree = malloc(((size_t)m->n.tree_nq + 1) * sizeof *tree);
    for (int i = 0; i < m->n.tree_nq; i++) {
        tree[i] = q[m->n.followers ? PN_AT_CONST(m, pn_map, m->map_q)[i].index : i];
        if (m->n.followers) tree[i] = coordinates_of(m)[i].multiplier * tree[i] + coordinates_of(m)[i].offset;
    }
    body[0] = from_parts(head_of(m)->base.R, head_of(m)->base.p);
    for (int i = 1; i < m->n.nodes; i++) {
        const pn_node *node = &nodes[i];
        const pn_link *c = &constants_of(m)[i];
        matrix4 at = body[node->parent];
        if (node->place == PN_PLACE_ZX) at = mul4(at, screw4(z, atan2(c->sz, c->cz), c->az));
        if (node->place == PN_PLACE_X || node->place == PN_PLACE_ZX) {
            at = mul4(at, screw4(x, atan2(c->sx, c->cx), c->ax));
        }
        if (node->place == PN_PLACE_DENSE) at = mul4(at, from_parts(c->dense.R, c->dense.p));
        const double *own = tree + node->q;
        if (node->joint <= PN_HELICAL) {
            at = mul4(at, screw4(z, c->theta0 + c->rho * own[0], c->d0 + c->sigma * own[0]));
        } else if (node->joint == PN_PLANAR) {
            matrix4 move = screw4(z, own[2], 0);
            move.a[3] = own[0];
            move.a[7] = own[1];
            at = mul4(at, move);
        } else {
            at = mul4(at, quaternion4(own, node->joint == PN_FREE ? own + 4 : zero));
        }
        body[i] = at;
    }
    free(tree);
}

/* Largest difference of two matrices; infinite for NaN. */
static inline double distance4(matrix4 x, matrix4 y)
{
    return check_error(x.a, y.a, 16, 1);
}

/* A random configuration: coordinates in [-pi, pi], unit quaternions. */
static inline void random_q(const pinion_model *m, uint64_t *seed, double *q)
{
    for (int i = 0; i < pinion_model_nq(m); i++) q[i] = check_between(seed, -3.14, 3.14);
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        CHECK_STATUS(pinion_model_joint(m, i, &joint), PINION_OK);
        if (joint.type != PINION_JOINT_SPHERICAL && joint.type != PINION_JOINT_FREE) continue;
        double *u = q + joint.q_index, length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
        for (int k = 0; k < 4; k++) u[k] /= length;
    }
}

#endif
