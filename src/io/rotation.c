#include "io/rotation.h"

#include <math.h>

void pn_rotation_of_rpy(const double rpy[3], double R[9])
{
    double sr = sin(rpy[0]), cr = cos(rpy[0]), sp = sin(rpy[1]), cp = cos(rpy[1]), sy = sin(rpy[2]),
           cy = cos(rpy[2]);
    const double out[9] = {cy * cp,
                           cy * sp * sr - sy * cr,
                           cy * sp * cr + sy * sr,
                           sy * cp,
                           sy * sp * sr + cy * cr,
                           sy * sp * cr - cy * sr,
                           -sp,
                           cp * sr,
                           cp * cr};
    for (int i = 0; i < 9; i++) R[i] = out[i] + 0.0; /* + 0.0: no negative zeros */
}

void pn_turn_inertia(const double R[9], double inertia[6])
{
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double half[9], out[9];
    for (int i = 0; i < 9; i++) {
        half[i] = 0;
        for (int k = 0; k < 3; k++) half[i] += R[3 * (i / 3) + k] * inertia[at[3 * k + i % 3]];
    }
    for (int i = 0; i < 9; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++) out[i] += half[3 * (i / 3) + k] * R[3 * (i % 3) + k];
    }
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++)
            inertia[at[3 * i + j]] = i == j ? out[4 * i] : (out[3 * i + j] + out[3 * j + i]) / 2;
    }
}
