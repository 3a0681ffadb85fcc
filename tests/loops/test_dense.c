/* The dense factorizations behind the solvers of loops, on random matrices of every size and rank: what they
 * promise is multiplied out in long double. In double here, in float by test_dense_f32.c. */
#include "check.h"
#ifndef PN_T
#define PN_T double
#endif
#include "solve/dense_orthogonal.inc"
#include "solve/dense_symmetric.inc"

enum { MOST = 14 };
#define UNIT ((double)DENSE_EPS)

static double worst_orthogonal, worst_symmetric;

static PN_T number(uint64_t *seed)
{
    return (PN_T)check_between(seed, -1, 1);
}

/* [rows][cols] of a given rank, as a product of two random factors that are far from singular; `decades`:
 * rows differ in size by so many */
static void fill(PN_T *A, int rows, int cols, int rank, double decades, uint64_t *seed)
{
    double left[MOST * MOST], right[MOST * MOST];
    for (int i = 0; i < rows * rank; i++) left[i] = check_between(seed, -1, 1);
    for (int i = 0; i < rank * cols; i++) right[i] = check_between(seed, -1, 1);
    for (int k = 0; k < rank; k++) {
        left[k * rank + k] += left[k * rank + k] > 0 ? 3 : -3;
        right[k * cols + k] += right[k * cols + k] > 0 ? 3 : -3;
    }
    for (int i = 0; i < rows; i++) {
        const double size = pow(10, decades * check_between(seed, -0.5, 0.5));
        for (int j = 0; j < cols; j++) {
            double sum = 0;
            for (int k = 0; k < rank; k++) sum += left[i * rank + k] * right[k * cols + j];
            A[i * cols + j] = (PN_T)(size * sum);
        }
    }
}

static double largest(const PN_T *x, int count)
{
    double top = 0;
    for (int i = 0; i < count; i++) top = fmax(top, fabs((double)x[i]));
    return top;
}

static void small(double error, double allowed, const char *what, int rows, int cols, int rank)
{
    check_count++;
    if (!(error <= allowed))
        CHECK_FAIL("%s of a %d x %d matrix of rank %d: %g", what, rows, cols, rank, error);
    if (error > worst_orthogonal) worst_orthogonal = error;
}

/* A P - Q R, column by column, and Q' Q - 1 */
static void check_qr(const qr *f, const PN_T *A)
{
    const int m = f->rows, n = f->cols, r = f->rank;
    double error = 0, skew = 0;
    long double Q[MOST * MOST];
    for (int j = 0; j < m; j++) {
        PN_T x[MOST];
        for (int i = 0; i < m; i++) x[i] = i == j;
        qr_apply(f, x);
        for (int i = 0; i < m; i++) Q[i * m + j] = (long double)x[i];
        qr_apply_transposed(f, x);
        for (int i = 0; i < m; i++) skew = fmax(skew, fabs((double)x[i] - (i == j)));
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            long double sum = -(long double)A[i * n + f->perm[j]];
            for (int k = 0; k < r && k <= j; k++) sum += Q[i * m + k] * (long double)f->A[k * n + j];
            error = fmax(error, fabs((double)sum));
        }
    small(skew, 40 * UNIT, "Q' Q - 1", m, n, r);
    small(error, 60 * UNIT * (largest(A, m * n) + 1e-300), "A P - Q R", m, n, r);
}

/* An orthonormal basis of the nullspace, after qr_complete: vector k, of `cols` - `rank`, is column k of K
 * [cols][stride]. `x` has room for a vector. */
static void qr_nullspace(const qr *f, PN_T *K, int stride, PN_T *x)
{
    for (int k = 0; k < f->cols - f->rank; k++) {
        PN_T *u = f->work;
        for (int i = 0; i < f->cols; i++) u[i] = 0;
        u[f->rank + k] = 1;
        qr_unfold(f, u, x);
        for (int i = 0; i < f->cols; i++) K[i * stride + k] = x[i];
    }
}

/* the least-squares solution x: A' (A x - b) = 0, and x has no part in the nullspace N; A N = 0, N' N = 1 */
static void check_complete(qr *f, const PN_T *A, uint64_t *seed)
{
    const int m = f->rows, n = f->cols, free = n - f->rank;
    PN_T b[MOST], work[MOST], x[MOST], N[MOST * MOST];
    qr_complete(f);
    for (int i = 0; i < m; i++) work[i] = b[i] = number(seed);
    qr_least_squares(f, work, x);
    qr_nullspace(f, N, free, work);

    const double size = largest(A, m * n), length = largest(x, n);
    double gradient = 0, along = 0, kept = 0, skew = 0;
    for (int j = 0; j < n; j++) {
        long double sum = 0;
        for (int i = 0; i < m; i++) {
            long double residual = -(long double)b[i];
            for (int k = 0; k < n; k++) residual += (long double)A[i * n + k] * (long double)x[k];
            sum += (long double)A[i * n + j] * residual;
        }
        gradient = fmax(gradient, fabs((double)sum));
    }
    for (int k = 0; k < free; k++) {
        long double dot = 0;
        for (int i = 0; i < n; i++) dot += (long double)N[i * free + k] * (long double)x[i];
        along = fmax(along, fabs((double)dot));
        for (int i = 0; i < m; i++) {
            long double sum = 0;
            for (int j = 0; j < n; j++) sum += (long double)A[i * n + j] * (long double)N[j * free + k];
            kept = fmax(kept, fabs((double)sum));
        }
        for (int l = 0; l <= k; l++) {
            long double sum = -(k == l);
            for (int i = 0; i < n; i++) sum += (long double)N[i * free + k] * (long double)N[i * free + l];
            skew = fmax(skew, fabs((double)sum));
        }
    }
    small(gradient, 200 * UNIT * size * (1 + size * length), "A' (A x - b)", m, n, f->rank);
    small(along, 60 * UNIT * length, "the part of x in the nullspace", m, n, f->rank);
    small(kept, 60 * UNIT * size, "A N", m, n, f->rank);
    small(skew, 60 * UNIT, "N' N - 1", m, n, f->rank);
}

/* every size from 0 x 0 on and every rank; the last ones also with rows of very different sizes */
TEST(orthogonal)
{
    uint64_t seed = check_seed;
    for (int m = 0; m <= MOST; m++)
        for (int n = 0; n <= MOST; n++)
            for (int rank = 0; rank <= (m < n ? m : n); rank++) {
                PN_T A[MOST * MOST + 1], F[MOST * MOST + 1], room[5 * MOST + 1];
                fill(A, m, n, rank, 0, &seed);
                memcpy(F, A, sizeof F);
                qr f = qr_open(m, n, F, room);
                CHECK(qr_factor(&f, 100 * DENSE_EPS) == rank);
                check_qr(&f, A);
                check_complete(&f, A, &seed);
            }
}

/* rows of different units, as those of L' are columns: A' is factorized, where they are columns that pivoting
 * sees */
TEST(bad_scales)
{
    uint64_t seed = check_seed + 1;
    for (int k = 0; k < 300; k++) {
        PN_T A[MOST * MOST], F[MOST * MOST], room[5 * MOST];
        const int n = 2 + (int)(check_uniform(&seed) * 12), m = 1 + (int)(check_uniform(&seed) * n);
        fill(F, m, n, m, 4, &seed);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) A[j * m + i] = F[i * n + j];
        memcpy(F, A, sizeof F);
        qr f = qr_open(n, m, F, room);
        const int rank = qr_factor(&f, 0);
        CHECK(rank == m);
        for (int i = 1; i < rank; i++)
            CHECK(fabs((double)F[i * m + i]) <= fabs((double)F[(i - 1) * m + i - 1]) * (1 + 1e-3));
        check_qr(&f, A);
    }
}

TEST(nothing_and_zero)
{
    PN_T A[MOST * MOST] = {0}, room[5 * MOST], x[MOST], b[MOST] = {1, 2, 3};
    qr f = qr_open(3, 4, A, room);
    CHECK(qr_factor(&f, 0) == 0);
    qr_complete(&f);
    qr_least_squares(&f, b, x);
    for (int i = 0; i < 4; i++) CHECK(x[i] == 0);
    PN_T N[16], scratch[4];
    qr_nullspace(&f, N, 4, scratch);
    for (int i = 0; i < 16; i++) CHECK(fabs((double)N[i]) == (i % 5 == 0));

    A[0] = (PN_T)NAN;
    f = qr_open(1, 1, A, room);
    CHECK(qr_factor(&f, 0) == 0);
    A[0] = 2;
    CHECK(qr_factor(&f, 0) == 1 && A[0] == -2);
}

/* ---- symmetric ---- */

/* A x - b after a factorization, with the sizes of A and of what came out */
static void check_solution(const PN_T *A, int n, const PN_T *b, const PN_T *x, const char *what)
{
    double error = 0;
    for (int i = 0; i < n; i++) {
        long double sum = -(long double)b[i];
        for (int j = 0; j < n; j++) sum += (long double)A[i * n + j] * (long double)x[j];
        error = fmax(error, fabs((double)sum));
    }
    error /= fmax(largest(A, n * n) * largest(x, n), 1e-300);
    check_count++;
    if (!(error <= 100 * UNIT)) CHECK_FAIL("%s of %d: residual %g", what, n, error);
    if (error > worst_symmetric) worst_symmetric = error;
}

/* A with n - below positive and `below` negative eigenvalues: X diag(+-) X', X random */
static void fill_symmetric(PN_T *A, int n, int below, double decades, uint64_t *seed)
{
    double X[MOST * MOST], d[MOST], size[MOST];
    for (int i = 0; i < n * n; i++) X[i] = check_between(seed, -1, 1);
    for (int i = 0; i < n; i++) {
        X[i * n + i] += X[i * n + i] > 0 ? n : -n;
        d[i] = (i < below ? -1 : 1) * check_between(seed, 0.5, 2);
        size[i] = pow(10, decades * check_between(seed, -0.5, 0.5));
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += X[i * n + k] * d[k] * X[j * n + k];
            A[i * n + j] = (PN_T)(size[i] * sum * size[j]);
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) A[i * n + j] = A[j * n + i];
}

TEST(indefinite)
{
    uint64_t seed = check_seed + 2;
    for (int n = 0; n <= MOST; n++)
        for (int below = 0; below <= n; below++)
            for (int turn = 0; turn < 20; turn++) {
                PN_T A[MOST * MOST + 1] = {0}, F[MOST * MOST + 1], b[MOST], x[MOST];
                int pivot[MOST];
                fill_symmetric(A, n, below, turn % 4, &seed);
                memcpy(F, A, sizeof F);
                for (int i = 0; i < n; i++) {
                    x[i] = b[i] = number(&seed);
                    for (int j = 0; j < i; j++)
                        F[i * n + j] = (PN_T)NAN; /* only the upper triangle is read */
                }
                const inertia_count count = ldl_factor(n, F, pivot, 0);
                CHECK(count.positive == n - below && count.negative == below && count.zero == 0);
                ldl_solve(n, F, pivot, x);
                check_solution(A, n, b, x, "L D L'");
            }
}

/* [M L'; L 0] with zeros on the diagonal, where pivots of one row alone would fail */
TEST(saddle_points)
{
    uint64_t seed = check_seed + 3;
    for (int n = 1; n <= 9; n++)
        for (int rows = 0; rows <= n && n + rows <= MOST; rows++) {
            const int size = n + rows;
            PN_T M[MOST * MOST], L[MOST * MOST], A[MOST * MOST] = {0}, F[MOST * MOST], b[MOST], x[MOST];
            int pivot[MOST];
            fill_symmetric(M, n, 0, 0, &seed);
            fill(L, rows, n, rows, 0, &seed);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) A[i * size + j] = M[i * n + j];
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < n; j++) A[(n + i) * size + j] = A[j * size + n + i] = L[i * n + j];
            memcpy(F, A, sizeof F);
            for (int i = 0; i < size; i++) x[i] = b[i] = number(&seed);
            const inertia_count count = ldl_factor(size, F, pivot, 4 * DENSE_EPS);
            CHECK(count.positive == n && count.negative == rows && count.zero == 0);
            ldl_solve(size, F, pivot, x);
            check_solution(A, size, b, x, "a saddle point");
        }
    /* a row twice: singular, and it says so */
    PN_T A[9] = {2, 1, 1, 1, 0, 0, 1, 0, 0};
    int pivot[3];
    const inertia_count count = ldl_factor(3, A, pivot, 8 * DENSE_EPS);
    CHECK(count.positive == 1 && count.negative == 1 && count.zero == 1);
    PN_T zero[4] = {0, 0, 0, 0};
    CHECK(ldl_factor(2, zero, pivot, 0).zero == 2);
}

TEST(definite)
{
    uint64_t seed = check_seed + 4;
    for (int n = 0; n <= MOST; n++)
        for (int turn = 0; turn < 20; turn++) {
            PN_T A[MOST * MOST + 1], F[MOST * MOST + 1], b[MOST], x[MOST];
            fill_symmetric(A, n, 0, turn % 4, &seed);
            memcpy(F, A, sizeof F);
            for (int i = 0; i < n; i++) x[i] = b[i] = number(&seed);
            const PN_T least = cholesky_factor(n, F);
            CHECK(least > 0 && least <= 1);
            cholesky_forward(n, F, x);
            cholesky_backward(n, F, x);
            check_solution(A, n, b, x, "L L'");
            if (n == 0) continue;
            fill_symmetric(A, n, 1, 0, &seed);
            CHECK(!(cholesky_factor(n, A) > 0));
        }
    PN_T singular[4] = {1, 1, 1, 1}, nan[1] = {(PN_T)NAN};
    CHECK(!(cholesky_factor(2, singular) > 4 * DENSE_EPS));
    CHECK(!(cholesky_factor(1, nan) > 0));
}

TEST(worst_errors)
{
    printf("       orthogonal %.2g, symmetric %.2g\n", worst_orthogonal, worst_symmetric);
    CHECK(worst_orthogonal > 0 && worst_symmetric > 0);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(orthogonal);
    RUN(bad_scales);
    RUN(nothing_and_zero);
    RUN(indefinite);
    RUN(saddle_points);
    RUN(definite);
    if (!check_filter) RUN(worst_errors);
    return CHECK_END();
}
