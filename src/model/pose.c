/* Poses: the rotations that need more than a line. */
#include "model/pose.h"

#include <string.h>

int pn_pose_is_identity(const pinion_pose *a)
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 9; i++) {
        if (a->rotation[i] != one[i]) return 0;
    }
    return a->position[0] == 0 && a->position[1] == 0 && a->position[2] == 0;
}

void pn_turn_z_to(const double n[3], double R[9])
{
    /* the turn is about k = z x n, which lies in the xy plane */
    double c = n[2], s = hypot(n[0], n[1]);
    double kx = 1, ky = 0;
    if (s > 0) {
        kx = 0.0 - n[1] / s;
        ky = n[0] / s;
    }

    /* Rodrigues with sin k = (-ny, nx, 0) put in as given */
    double w = 1 - c;
    double turned[9] = {c + w * kx * kx, w * kx * ky, n[0], w * kx * ky, c + w * ky * ky, n[1],
                        0 - n[0],        0 - n[1],    c};
    for (int i = 0; i < 9; i++) R[i] = turned[i] + 0.0;
}

/* Largest entry of R'R - 1. */
static double orthogonality_error(const double R[9])
{
    double worst = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double d = R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j] - (i == j);
            if (!(fabs(d) <= worst)) worst = fabs(d);
        }
    }
    return worst;
}

static double determinant(const double R[9])
{
    return R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
           R[2] * (R[3] * R[7] - R[4] * R[6]);
}

int pn_rotation_repair(double R[9])
{
    /* good as it is: its bits stay */
    double error = orthogonality_error(R);
    if (!(error <= 1e-6) || !(determinant(R) > 0)) return -1;
    if (error <= 1e-12) return 0;

    /* the nearest rotation: R <- R (3 - R'R) / 2 squares the error at each step */
    for (int step = 0; step < 3; step++) {
        double correction[9];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double g = R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j];
                correction[3 * i + j] = 0.5 * (3 * (i == j) - g);
            }
        }
        pn_matrix_mul(R, correction, R);
    }
    return 1;
}
