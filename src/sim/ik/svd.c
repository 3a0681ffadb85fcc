/* The singular values of matrices with few rows: see ik.h. */
#include "sim/ik/ik.h"

#include <math.h>
#include <stddef.h>

#include "base/vec3.h"

#define SWEEPS 40        /* few are enough: the bound is for numbers that overflow */
#define ORTHOGONAL 1e-15 /* of the rows' lengths: a product below it is rounding */

static void rotate_rows(int n, double *a, double *b, double c, double s)
{
    for (int i = 0; i < n; i++) {
        const double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

void pn_svd(int rows, int n, double *A, double *U, double *s)
{
    for (int i = 0; i < rows * rows; i++) U[i] = i % (rows + 1) == 0;

    /* turn pairs of rows until all are orthogonal */
    int turned = 1;
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = 0;
        for (int i = 0; i < rows; i++) {
            for (int j = i + 1; j < rows; j++) {
                double *a = A + (size_t)i * (size_t)n, *b = A + (size_t)j * (size_t)n;
                const double aa = pn_dot(n, a, a), bb = pn_dot(n, b, b), ab = pn_dot(n, a, b);
                if (!(fabs(ab) > ORTHOGONAL * sqrt(aa) * sqrt(bb))) continue;
                const double zeta = (bb - aa) / (2 * ab);
                const double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                const double c = 1 / sqrt(1 + t * t);
                rotate_rows(n, a, b, c, c * t);
                rotate_rows(rows, U + i * rows, U + j * rows, c, c * t);
                turned = 1;
            }
        }
    }
    for (int i = 0; i < rows; i++) {
        double *a = A + (size_t)i * (size_t)n;
        s[i] = sqrt(pn_dot(n, a, a));
        for (int k = 0; s[i] > 0 && k < n; k++) a[k] /= s[i];
    }

    /* largest first */
    for (int i = 0; i < rows; i++) {
        int best = i;
        for (int j = i + 1; j < rows; j++)
            if (s[j] > s[best]) best = j;
        if (best == i) continue;
        const double value = s[i];
        s[i] = s[best];
        s[best] = value;
        rotate_rows(n, A + (size_t)i * (size_t)n, A + (size_t)best * (size_t)n, 0, 1);
        rotate_rows(rows, U + i * rows, U + best * rows, 0, 1);
    }
}
