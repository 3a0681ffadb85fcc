/* Eigenvalues by the QR algorithm with complex shifts on a balanced Hessenberg matrix (Francis 1961,
 * Kublanovskaya 1961; balancing after Parlett & Reinsch 1969), eigenvectors by substitution. Complex
 * arithmetic makes it short, and the matrices are small. LAPACK's would be faster for large ones, but its
 * library starts threads in every process that links it, also where nobody asks for eigenvalues. */
#include "sim/linear/eigen.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef double complex cplx;

#define H(i, j) h[(size_t)(i) * (size_t)n + (size_t)(j)]
#define Z(i, j) z[(size_t)(i) * (size_t)n + (size_t)(j)]

/* Scales rows and columns by powers of 2, which round nothing, until their norms are alike: H = D^-1 A D. */
static void balance(int n, cplx *h, double *scale)
{
    for (int i = 0; i < n; i++) scale[i] = 1;
    for (int changed = 1, round = 0; changed && round < 100; round++) {
        changed = 0;
        for (int i = 0; i < n; i++) {
            double row = 0, column = 0, f = 1;
            for (int j = 0; j < n; j++)
                if (j != i) row += cabs(H(i, j)), column += cabs(H(j, i));
            if (row == 0 || column == 0) continue;
            const double sum = row + column;
            while (column * 2 < row && f < 0x1p60) column *= 4, f *= 2;
            while (column >= row * 2 && f > 0x1p-60) column /= 4, f /= 2;
            if ((column + row) / f >= 0.95 * sum) continue;
            changed = 1;
            scale[i] *= f;
            for (int j = 0; j < n; j++) H(i, j) /= f;
            for (int j = 0; j < n; j++) H(j, i) *= f;
        }
    }
}

/* Turns rows or columns p and q by the unitary [c s; -conj(s) c]. */
static void turn_rows(int n, cplx *h, int p, int q, int from, double c, cplx s)
{
    for (int j = from; j < n; j++) {
        const cplx x = H(p, j), y = H(q, j);
        H(p, j) = c * x + s * y;
        H(q, j) = c * y - conj(s) * x;
    }
}

static void turn_columns(int n, cplx *h, int p, int q, int until, double c, cplx s)
{
    for (int i = 0; i < until; i++) {
        const cplx x = H(i, p), y = H(i, q);
        H(i, p) = c * x + conj(s) * y;
        H(i, q) = c * y - s * x;
    }
}

/* The turn that makes y zero in (x, y). */
static void turn_of(cplx x, cplx y, double *c, cplx *s)
{
    const double ax = cabs(x), r = hypot(ax, cabs(y));
    if (r == 0 || y == 0) {
        *c = 1;
        *s = 0;
        return;
    }
    *c = ax / r;
    *s = (ax > 0 ? x / ax : 1) * conj(y) / r;
}

/* Hessenberg form by turns; z gathers them: A = Z H Z*. */
static void reduce(int n, cplx *h, cplx *z)
{
    for (int j = 0; j < n - 2; j++)
        for (int i = n - 1; i > j + 1; i--) {
            double c;
            cplx s;
            turn_of(H(i - 1, j), H(i, j), &c, &s);
            if (c == 1 && s == 0) continue;
            turn_rows(n, h, i - 1, i, j, c, s);
            turn_columns(n, h, i - 1, i, n, c, s);
            turn_columns(n, z, i - 1, i, n, c, s);
            H(i, j) = 0;
        }
}

/* The eigenvalue of the last 2 x 2 block from `low` to `high` that is next to its corner (Wilkinson's shift).
 */
static cplx shift_of(int n, const cplx *h, int high)
{
    const cplx a = H(high - 1, high - 1), b = H(high - 1, high), c = H(high, high - 1), d = H(high, high);
    const cplx half = (a + d) / 2, root = csqrt((a - d) * (a - d) / 4 + b * c);
    return cabs(half + root - d) < cabs(half - root - d) ? half + root : half - root;
}

/* One step of QR on the rows from low to high. */
static void step(int n, cplx *h, cplx *z, int low, int high, cplx shift)
{
    cplx x = H(low, low) - shift, y = H(low + 1, low);
    for (int k = low; k < high; k++) {
        double c;
        cplx s;
        turn_of(x, y, &c, &s);
        turn_rows(n, h, k, k + 1, k > low ? k - 1 : low, c, s);
        turn_columns(n, h, k, k + 1, k + 3 <= high ? k + 3 : high + 1, c, s);
        turn_columns(n, z, k, k + 1, n, c, s);
        if (k > low) H(k + 1, k - 1) = 0;
        if (k + 2 > high) break;
        x = H(k + 1, k);
        y = H(k + 2, k);
    }
}

/* Schur's form: H becomes upper triangular. */
static pinion_status iterate(int n, cplx *h, cplx *z)
{
    int high = n - 1, tries = 0;
    while (high > 0) {
        int low = high;
        while (low > 0) {
            const double near = cabs(H(low, low)) + cabs(H(low - 1, low - 1));
            if (cabs(H(low, low - 1)) <= DBL_EPSILON * near || H(low, low - 1) == 0) break;
            low--;
        }
        if (low > 0) H(low, low - 1) = 0;
        if (low == high) {
            high--;
            tries = 0;
            continue;
        }
        if (++tries > 300) return PINION_ERR_CONVERGENCE;
        /* an unusual shift now and then breaks a circle */
        const cplx shift = tries % 15 ? shift_of(n, h, high) : H(high, high) + cabs(H(high, high - 1));
        step(n, h, z, low, high, shift);
    }
    return PINION_OK;
}

/* Vectors of the triangular matrix, brought back by Z and the scales. */
static void vectors(int n, const cplx *h, const cplx *z, const double *scale, cplx *x, double *out)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) size = fmax(size, cabs(H(i, j)));
    const double least = fmax(DBL_EPSILON * size, DBL_MIN);
    for (int k = 0; k < n; k++) {
        double *v = out + 2 * (size_t)k * (size_t)n, length = 0;
        for (int i = k; i >= 0; i--) {
            cplx sum = i == k ? 1 : 0;
            for (int j = i + 1; j <= k; j++) sum -= H(i, j) * x[j];
            cplx pivot = H(i, i) - H(k, k);
            if (cabs(pivot) < least)
                pivot = least; /* a repeated value: the vector may be that of another one */
            x[i] = i == k ? 1 : sum / pivot;
        }
        for (int i = 0; i < n; i++) {
            cplx sum = 0;
            for (int j = 0; j <= k; j++) sum += Z(i, j) * x[j];
            sum *= scale[i];
            v[2 * i] = creal(sum);
            v[2 * i + 1] = cimag(sum);
            length = hypot(length, cabs(sum));
        }
        for (int i = 0; i < 2 * n; i++) v[i] /= length;
    }
}

pinion_status pn_eigen(int n, const double *A, double *value, double *vector)
{
    const size_t nn = (size_t)n * (size_t)n;
    if (n == 0) return PINION_OK;
    cplx *h = malloc((2 * nn + (size_t)n) * sizeof *h), *z = h ? h + nn : NULL;
    double *scale = malloc((size_t)n * sizeof *scale);
    pinion_status status = h && scale ? PINION_OK : PINION_ERR_MEMORY;
    for (size_t i = 0; status == PINION_OK && i < nn; i++) {
        if (!isfinite(A[i])) status = PINION_ERR_ARGUMENT;
        h[i] = A[i];
        z[i] = i / (size_t)n == i % (size_t)n;
    }
    if (status == PINION_OK) {
        balance(n, h, scale);
        reduce(n, h, z);
        status = iterate(n, h, z);
    }
    for (int i = 0; status == PINION_OK && i < n; i++) {
        value[2 * i] = creal(H(i, i));
        value[2 * i + 1] = cimag(H(i, i));
    }
    if (status == PINION_OK && vector) vectors(n, h, z, scale, z + nn, vector);
    free(h);
    free(scale);
    return status;
}
