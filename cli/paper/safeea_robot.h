/* Robots as Safeea, Bearee & Neto 2018, section IV, draw them, and their measure of the difference between
 * two mass matrices, Eq. 32. The paper gives the ranges of masses and inertia tensors, and says of the rest
 * that it is random: here lengths and mass centres are within 1 m, angles within half a turn. */
#ifndef PN_CLI_SAFEEA_ROBOT_H
#define PN_CLI_SAFEEA_ROBOT_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "pinion/pinion.h"
#include "src/base/random.h"

/* xx, xy, xz, yy, yz, zz, each from 1 to 10, drawn until the matrix is positive definite. What comes out is
 * not the inertia of a real body, whose principal moments obey the triangle inequality; the arithmetic is the
 * same. */
static inline void safeea_tensor(uint64_t *seed, double I[6])
{
    double two, three;
    do {
        for (int i = 0; i < 6; i++) I[i] = pn_random_between(seed, 1, 10);
        two = I[0] * I[3] - I[1] * I[1];
        three = I[0] * (I[3] * I[5] - I[4] * I[4]) - I[1] * (I[1] * I[5] - I[4] * I[2]) +
                I[2] * (I[1] * I[4] - I[3] * I[2]);
    } while (two <= 0 || three <= 0);
}

/* modified Denavit-Hartenberg: about x by alpha, along x by a, about z by theta, along z by d */
static inline pinion_pose safeea_pose(uint64_t *seed)
{
    const double pi = 3.14159265358979323846;
    const double alpha = pn_random_between(seed, -pi, pi), theta = pn_random_between(seed, -pi, pi);
    const double a = pn_random_between(seed, -1, 1), d = pn_random_between(seed, -1, 1);
    const double ca = cos(alpha), sa = sin(alpha), ct = cos(theta), st = sin(theta);
    const pinion_pose pose = {{a, -sa * d, ca * d},
                              {ct, -st, 0, ca * st, ca * ct, -sa, sa * st, sa * ct, ca}};
    return pose;
}

/* a serial robot of n revolute joints; NULL with err filled on failure */
static inline pinion_model *safeea_robot(int n, uint64_t *seed, pinion_error *err)
{
    pinion_builder *b = pinion_builder_new("robot");
    pinion_status status = b ? PINION_OK : PINION_ERR_MEMORY;
    for (int i = 0; i <= n && status == PINION_OK; i++) {
        char name[16], parent[16];
        snprintf(name, sizeof name, "link%d", i);
        snprintf(parent, sizeof parent, "link%d", i - 1);
        pinion_link_def link = pinion_link_def_default();
        link.name = name;
        if (i > 0) {
            link.inertia.mass = pn_random_between(seed, 1, 10);
            for (int e = 0; e < 3; e++) link.inertia.com[e] = pn_random_between(seed, -1, 1);
            safeea_tensor(seed, link.inertia.inertia);
        }
        status = pinion_builder_add_link(b, &link, err);
        if (i == 0 || status != PINION_OK) continue;
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = name;
        joint.type = PINION_JOINT_CONTINUOUS;
        joint.parent = parent;
        joint.child = name;
        joint.parent_pose = safeea_pose(seed);
        status = pinion_builder_add_joint(b, &joint, err);
    }
    pinion_model *m = status == PINION_OK ? pinion_builder_build(b, NULL, err) : NULL;
    pinion_builder_free(b);
    return m;
}

/* Eq. 32: e = sum|A - B| / max|(A + B)/2| */
static inline double safeea_error(const double *A, const double *B, int n)
{
    double sum = 0, most = 0;
    for (int i = 0; i < n * n; i++) {
        sum += fabs(A[i] - B[i]);
        if (fabs((A[i] + B[i]) / 2) > most) most = fabs((A[i] + B[i]) / 2);
    }
    return sum / most;
}

#endif
