/* Vectors of three numbers in double, outside of the kernels, and of any. Results may stand where the arguments
 * are. */
#ifndef PN_VEC3_H
#define PN_VEC3_H

#include <math.h>

static inline double pn_dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static inline double pn_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void pn_cross3(const double a[3], const double b[3], double y[3])
{
    const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    for (int i = 0; i < 3; i++) y[i] = c[i];
}

/* y = R x */
static inline void pn_turn3(const double R[9], const double x[3], double y[3])
{
    const double z[3] = {pn_dot3(R, x), pn_dot3(R + 3, x), pn_dot3(R + 6, x)};
    for (int i = 0; i < 3; i++) y[i] = z[i];
}

/* y = R' x */
static inline void pn_turn3_back(const double R[9], const double x[3], double y[3])
{
    double z[3];
    for (int i = 0; i < 3; i++) z[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
    for (int i = 0; i < 3; i++) y[i] = z[i];
}

/* The rotation of a quaternion w, x, y, z of about unit length; its columns are the turned axes. */
static inline void pn_quaternion_matrix(const double q[4], double R[9])
{
    const double n = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double of[9] = {1 - n * (y * y + z * z), n * (x * y - w * z),     n * (x * z + w * y),
                          n * (x * y + w * z),     1 - n * (x * x + z * z), n * (y * z - w * x),
                          n * (x * z - w * y),     n * (y * z + w * x),     1 - n * (x * x + y * y)};
    for (int i = 0; i < 9; i++) R[i] = of[i];
}

/* The rotation vector of a quaternion, no longer than half a turn. */
static inline void pn_quaternion_vector(const double q[4], double y[3])
{
    const double s = sqrt(pn_dot3(q + 1, q + 1));
    /* of the two quaternions of the rotation, the one on the near side */
    const double f = s > 0 ? 2 * atan2(q[0] < 0 ? -s : s, fabs(q[0])) / s : q[0] < 0 ? -2 : 2;
    for (int i = 0; i < 3; i++) y[i] = f * q[1 + i];
}

/* A quaternion w, x, y, z of a rotation, by a component that is not small, so that nothing is lost. */
static inline void pn_matrix_quaternion(const double R[9], double q[4])
{
    const double trace = R[0] + R[4] + R[8];
    if (trace > 0) {
        const double s = 2 * sqrt(trace + 1);
        q[0] = s / 4;
        q[1] = (R[7] - R[5]) / s;
        q[2] = (R[2] - R[6]) / s;
        q[3] = (R[3] - R[1]) / s;
        return;
    }
    const int i = R[0] > R[4] ? (R[0] > R[8] ? 0 : 2) : (R[4] > R[8] ? 1 : 2), j = (i + 1) % 3, k = (i + 2) % 3;
    const double s = 2 * sqrt(1 + R[4 * i] - R[4 * j] - R[4 * k]);
    q[0] = (R[3 * k + j] - R[3 * j + k]) / s;
    q[1 + i] = s / 4;
    q[1 + j] = (R[3 * j + i] + R[3 * i + j]) / s;
    q[1 + k] = (R[3 * k + i] + R[3 * i + k]) / s;
}

#endif
