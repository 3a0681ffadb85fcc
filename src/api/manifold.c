/* Jacobians of the exponential of a twist xi = [w; v]: what q (+) xi moves by in its own tangent space,
 *     Ad(exp(-xi)) by q  and  J(xi) by xi, the right Jacobian,
 * as sums over powers of ad(xi) = [wx 0; vx wx] (Sola, Deray & Atchuthan 2018). Both sums are taken of a part of xi
 * that turns by less than a fourth, and doubled: J(2 xi) = (1 + Ad(exp(-xi))) J(xi) / 2. */
#include "api/api.h"
#include <math.h>
#include <string.h>

enum { TERMS = 14 }; /* (1/4)^14 / 15! is far below rounding */

static void multiply(const double A[36], const double B[36], double C[36])
{
    double T[36] = {0};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 6; j++) T[6 * i + j] += A[6 * i + k] * B[6 * k + j];
    memcpy(C, T, sizeof T);
}

static void unit(double A[36])
{
    for (int i = 0; i < 36; i++) A[i] = i % 7 == 0;
}

void pn_twist_jacobians(const double xi[6], double back[36], double J[36])
{
    const double turn = sqrt(xi[0] * xi[0] + xi[1] * xi[1] + xi[2] * xi[2]);
    int halvings = 0;
    double part = 1;
    while (turn * part > 0.25 && halvings < 60) part /= 2, halvings++;

    double ad[36] = {0}, power[36];
    for (int half = 0; half < 2; half++)
        for (int b = 0; b < 2 - half; b++) {
            const double *x = xi + 3 * half;
            double *to = ad + 6 * (3 * (b + half)) + 3 * b;
            to[1] = -x[2] * part, to[2] = x[1] * part, to[6] = x[2] * part;
            to[8] = -x[0] * part, to[12] = -x[1] * part, to[13] = x[0] * part;
        }
    unit(power);
    unit(back);
    unit(J);
    double over = 1;
    for (int k = 1; k < TERMS; k++) {
        multiply(power, ad, power);
        over /= -k;
        for (int i = 0; i < 36; i++) {
            back[i] += over * power[i];
            J[i] += over / (k + 1) * power[i];
        }
    }
    for (; halvings > 0; halvings--) {
        double sum[36];
        for (int i = 0; i < 36; i++) sum[i] = (back[i] + (i % 7 == 0)) / 2;
        multiply(sum, J, J);
        multiply(back, back, back);
    }
}

/* X = A^-1 B by elimination with row pivots; A is lost. At a whole turn J has no inverse. */
static void divide(double A[36], double B[36])
{
    for (int c = 0; c < 6; c++) {
        int p = c;
        for (int r = c + 1; r < 6; r++)
            if (fabs(A[6 * r + c]) > fabs(A[6 * p + c])) p = r;
        for (int j = 0; j < 6; j++) {
            const double a = A[6 * c + j], b = B[6 * c + j];
            A[6 * c + j] = A[6 * p + j], A[6 * p + j] = a;
            B[6 * c + j] = B[6 * p + j], B[6 * p + j] = b;
        }
        for (int r = 0; r < 6; r++) {
            if (r == c) continue;
            const double f = A[6 * r + c] / A[7 * c];
            for (int j = 0; j < 6; j++) {
                A[6 * r + j] -= f * A[6 * c + j];
                B[6 * r + j] -= f * B[6 * c + j];
            }
        }
    }
    for (int r = 0; r < 6; r++)
        for (int j = 0; j < 6; j++) B[6 * r + j] /= A[7 * r];
}

void pn_twist_difference_jacobians(const double xi[6], double from[36], double to[36])
{
    double J[36], copy[36];
    pn_twist_jacobians(xi, from, J);
    memcpy(copy, J, sizeof J);
    unit(to);
    divide(copy, to);
    multiply(to, from, from);
    for (int i = 0; i < 36; i++) from[i] = -from[i];
}
