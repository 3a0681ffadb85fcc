/* Principal axes of an inertia. */
#include "io/mjcf/mjcf.h"
#include "model/pose.h"

#include <math.h>
#include <string.h>

static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};

void pn_mjcf_turn_inertia(const double R[9], double inertia[6])
{
    double full[9], back[9], half[9];
    for (int i = 0; i < 9; i++) full[i] = inertia[at[i]];
    for (int i = 0; i < 9; i++) back[i] = R[3 * (i % 3) + i / 3];
    pn_matrix_mul(R, full, half);
    pn_matrix_mul(half, back, full);
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++)
            inertia[at[3 * i + j]] = i == j ? full[4 * i] : (full[3 * i + j] + full[3 * j + i]) / 2;
    }
}

/* One turn of Jacobi's method, which makes the entry at i, j zero. */
static void turn_away(double A[9], double R[9], int i, int j)
{
    const double off = A[3 * i + j];
    if (off == 0) return;
    const double theta = (A[4 * j] - A[4 * i]) / (2 * off);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double x = A[3 * k + i], y = A[3 * k + j];
        A[3 * k + i] = c * x - s * y;
        A[3 * k + j] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
        const double x = A[3 * i + k], y = A[3 * j + k];
        A[3 * i + k] = c * x - s * y;
        A[3 * j + k] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
        const double x = R[3 * k + i], y = R[3 * k + j];
        R[3 * k + i] = c * x - s * y;
        R[3 * k + j] = s * x + c * y;
    }
}

/* Swaps two axes and keeps the axes right-handed. */
static void swap_axes(double values[3], double R[9], int i, int j)
{
    const double v = values[i];
    values[i] = values[j];
    values[j] = v;
    for (int k = 0; k < 3; k++) {
        const double x = R[3 * k + i];
        R[3 * k + i] = R[3 * k + j];
        R[3 * k + j] = 0.0 - x;
    }
}

/* The largest first. */
static void sort_axes(double values[3], double R[9])
{
    if (values[0] < values[1]) swap_axes(values, R, 0, 1);
    if (values[1] < values[2]) swap_axes(values, R, 1, 2);
    if (values[0] < values[1]) swap_axes(values, R, 0, 1);
}

void pn_mjcf_principal(const double inertia[6], double values[3], double R[9])
{
    const pinion_pose straight = pinion_pose_identity();
    double A[9];
    memcpy(R, straight.rotation, sizeof straight.rotation);
    for (int i = 0; i < 9; i++) A[i] = inertia[at[i]];
    /* what is left beside the diagonal becomes the square of itself each time */
    for (int sweep = 0; sweep < 30; sweep++) {
        const double off = fabs(A[1]) + fabs(A[2]) + fabs(A[5]);
        if (off <= 1e-24 * (fabs(A[0]) + fabs(A[4]) + fabs(A[8]))) break;
        turn_away(A, R, 0, 1);
        turn_away(A, R, 0, 2);
        turn_away(A, R, 1, 2);
    }
    for (int i = 0; i < 3; i++) values[i] = A[4 * i];
    sort_axes(values, R);
}

/* ---------------------------------------------------------------------------------------------
 * Meshes */

/* Turns on about one axis, given the sine of half the angle. */
static void turn_on(double q[4], int about, double s)
{
    const int j = (about + 1) % 3, k = (about + 2) % 3;
    const double c = sqrt(1 - s * s), w = q[0], x = q[1 + about], y = q[1 + j], z = q[1 + k];
    q[0] = w * c - x * s;
    q[1 + about] = x * c + w * s;
    q[1 + j] = y * c + z * s;
    q[1 + k] = z * c - y * s;
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) q[i] /= length;
}

/* D = R' A R */
static void seen_along(const double R[9], const double A[9], double D[9])
{
    double back[9], half[9];
    for (int i = 0; i < 9; i++) back[i] = R[3 * (i % 3) + i / 3];
    pn_matrix_mul(back, A, half);
    pn_matrix_mul(half, R, D);
}

/* Jacobi's method by quaternions, as MuJoCo has it, so that axes of equal moments are its axes too; ended where nothing
 * beside the diagonal of D = R' A R is above `least`. */
static void jacobi(const double A[9], double least, double D[9], double R[9])
{
    double q[4] = {1, 0, 0, 0};
    for (int turns = 0;; turns++) {
        pn_quaternion_matrix(q, R);
        seen_along(R, A, D);
        const int about = fabs(D[1]) > fabs(D[2]) && fabs(D[1]) > fabs(D[5]) ? 2
                          : fabs(D[2]) > fabs(D[5])                          ? 1
                                                                             : 0;
        const int i = about == 0 ? 1 : 0, j = about == 2 ? 1 : 2;
        const double off = D[3 * i + j];
        if (turns == 500 || !(fabs(off) >= least && off != 0)) return;
        const double tau = (D[4 * j] - D[4 * i]) / (2 * off);
        const double t = 1 / (fabs(tau) + sqrt(1 + tau * tau)), c = 1 / sqrt(1 + t * t);
        const double half = sqrt(0.5 - 0.5 * c);
        turn_on(q, about, (tau >= 0) == (about == 1) ? half : -half);
    }
}

void pn_mjcf_body_axes(const double inertia[6], double R[9])
{
    double A[9], D[9], values[3];
    for (int i = 0; i < 9; i++) A[i] = inertia[at[i]];
    jacobi(A, 1e-12, D, R);

    /* its small turns are rounded; what is left is turned away, unless it is rounding too, as between equal moments */
    const double rounding = 1e-13 * (fabs(A[0]) + fabs(A[4]) + fabs(A[8]));
    for (int sweep = 0; sweep < 3; sweep++) {
        for (int i = 0; i < 2; i++)
            for (int j = i + 1; j < 3; j++)
                if (fabs(D[3 * i + j]) > rounding) turn_away(D, R, i, j);
    }
    for (int i = 0; i < 3; i++) values[i] = D[4 * i];
    sort_axes(values, R);
}

/* Of meshes it ends at 1e-7 of the largest entry, and what is left there is no part of MuJoCo's inertias. */
void pn_mjcf_mesh_axes(double inertia[6], double values[3], double R[9])
{
    double A[9], D[9], largest = 0;
    for (int i = 0; i < 9; i++) {
        A[i] = inertia[at[i]];
        largest = fmax(largest, fabs(A[i]));
    }
    jacobi(A, 1e-7 * largest, D, R);
    for (int i = 0; i < 3; i++) values[i] = D[4 * i];
    sort_axes(values, R);
    const double diagonal[6] = {values[0], 0, 0, values[1], 0, values[2]};
    memcpy(inertia, diagonal, sizeof diagonal);
    pn_mjcf_turn_inertia(R, inertia);
}
