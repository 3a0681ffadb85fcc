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

void pn_mjcf_principal(const double inertia[6], double values[3], double R[9])
{
    const pinion_pose straight = pinion_pose_identity();
    double A[9];
    memcpy(R, straight.rotation, sizeof straight.rotation);
    for (int i = 0; i < 9; i++) A[i] = inertia[at[i]];
    for (int sweep = 0; sweep < 30; sweep++) {
        turn_away(A, R, 0, 1);
        turn_away(A, R, 0, 2);
        turn_away(A, R, 1, 2);
    }
    for (int i = 0; i < 3; i++) values[i] = A[4 * i];
    if (values[0] < values[1]) swap_axes(values, R, 0, 1);
    if (values[1] < values[2]) swap_axes(values, R, 1, 2);
    if (values[0] < values[1]) swap_axes(values, R, 0, 1);
}
