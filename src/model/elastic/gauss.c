/* Small numerical tools that the modes of beams are made with. */
#include <math.h>

#include "model/elastic/elastic_modes.h"

void pn_gauss(int count, double *x, double *w)
{
    for (int i = 0; i < count; i++) {
        /* Newton's method for the roots of P_n, from Chebyshev's points */
        double z = cos(3.14159265358979323846 * (i + 0.75) / (count + 0.5)), slope = 1;
        for (int k = 0; k < 100; k++) {
            double p0 = 1, p1 = z;
            for (int j = 2; j <= count; j++) {
                const double p = ((2 * j - 1) * z * p1 - (j - 1) * p0) / j;
                p0 = p1;
                p1 = p;
            }
            slope = count * (z * p1 - p0) / (z * z - 1);
            const double step = p1 / slope;
            z -= step;
            if (fabs(step) < 1e-16) break;
        }
        x[count - 1 - i] = (1 + z) / 2;
        w[count - 1 - i] = 1 / ((1 - z * z) * slope * slope);
    }
}

void pn_jacobi(int n, double *A, double *V)
{
    for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                const double apq = A[p * n + q], scale = sqrt(fabs(A[p * n + p] * A[q * n + q]));
                if (apq == 0 || fabs(apq) <= 1e-17 * scale) continue;
                off = 1;
                const double theta = (A[q * n + q] - A[p * n + p]) / (2 * apq);
                const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    const double x = A[k * n + p], y = A[k * n + q];
                    A[k * n + p] = c * x - s * y;
                    A[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    const double x = A[p * n + k], y = A[q * n + k];
                    A[p * n + k] = c * x - s * y;
                    A[q * n + k] = s * x + c * y;
                }
                A[p * n + q] = A[q * n + p] = 0;
                for (int k = 0; k < n; k++) {
                    const double x = V[k * n + p], y = V[k * n + q];
                    V[k * n + p] = c * x - s * y;
                    V[k * n + q] = s * x + c * y;
                }
            }
        if (off == 0) break;
    }
}

int pn_cholesky(int n, double *A)
{
    for (int r = 0; r < n; r++)
        for (int c = 0; c <= r; c++) {
            double t = A[r * n + c];
            const double size = A[r * n + r];
            for (int k = 0; k < c; k++) t -= A[r * n + k] * A[c * n + k];
            if (c < r) {
                A[r * n + c] = t / A[c * n + c];
            } else {
                if (!(t > 1e-14 * size)) return 0;
                A[r * n + r] = sqrt(t);
            }
        }
    return 1;
}
