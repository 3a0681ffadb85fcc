/* Poses and small vectors in double, for the model layer. */
#ifndef PN_POSE_H
#define PN_POSE_H

#include <math.h>

#include "base/vec3.h"
#include "pinion/model.h"

static inline double pn_norm3(const double a[3])
{
    return hypot(hypot(a[0], a[1]), a[2]);
}

/* out = R x */
static inline void pn_rotate(const double R[9], const double x[3], double out[3])
{
    double y[3];
    for (int i = 0; i < 3; i++) y[i] = pn_dot3(R + 3 * i, x);
    for (int i = 0; i < 3; i++) out[i] = y[i] + 0.0; /* + 0.0: no negative zeros */
}

/* out = R' x */
static inline void pn_rotate_back(const double R[9], const double x[3], double out[3])
{
    double y[3];
    for (int i = 0; i < 3; i++) y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
    for (int i = 0; i < 3; i++) out[i] = y[i] + 0.0;
}

/* out = A B */
static inline void pn_matrix_mul(const double A[9], const double B[9], double out[9])
{
    double C[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    }
    for (int i = 0; i < 9; i++) out[i] = C[i] + 0.0;
}

/* The pose b given in frame a, a given in the outer frame: b in the outer frame. */
static inline pinion_pose pn_pose_mul(const pinion_pose *a, const pinion_pose *b)
{
    pinion_pose out;
    pn_matrix_mul(a->rotation, b->rotation, out.rotation);
    pn_rotate(a->rotation, b->position, out.position);
    for (int i = 0; i < 3; i++) out.position[i] += a->position[i];
    return out;
}

static inline pinion_pose pn_pose_inverse(const pinion_pose *a)
{
    pinion_pose out;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) out.rotation[3 * i + j] = a->rotation[3 * j + i];
    }
    pn_rotate_back(a->rotation, a->position, out.position);
    for (int i = 0; i < 3; i++) out.position[i] = 0.0 - out.position[i];
    return out;
}

/* inverse(a) b */
static inline pinion_pose pn_pose_between(const pinion_pose *a, const pinion_pose *b)
{
    pinion_pose out, back = pn_pose_inverse(a);
    double shift[3] = {b->position[0] - a->position[0], b->position[1] - a->position[1],
                       b->position[2] - a->position[2]};
    pn_matrix_mul(back.rotation, b->rotation, out.rotation);
    pn_rotate(back.rotation, shift, out.position); /* the difference first: no cancellation of far origins */
    return out;
}

/* A rotation about z of cosine c and sine s, after which it shifts d along z. */
static inline pinion_pose pn_pose_screw_z(double c, double s, double d)
{
    pinion_pose out = {{0, 0, d}, {c, 0.0 - s, 0, s, c, 0, 0, 0, 1}};
    return out;
}

int pn_pose_is_identity(const pinion_pose *a);

/* The smallest rotation that takes z to the unit vector n; half a turn about x for n = -z. */
void pn_turn_z_to(const double n[3], double R[9]);

/* What a matrix is: 0 a rotation to full precision, 1 near enough to one to be repaired (and it then
 * was), -1 not a rotation, within 1e-6. */
int pn_rotation_repair(double R[9]);

#endif
