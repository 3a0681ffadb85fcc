/* The truth about a model in a state: algorithms of the registry in quadruple precision, and what double
 * makes of the same numbers. Needs quadmath. */
#ifndef PN_TEST_TRUTH_H
#define PN_TEST_TRUTH_H

#include <quadmath.h>
#include "backend.h"

typedef __float128 quad;

extern const pn_backend instance_quad;

/* a model with its constants widened, and memory for any algorithm in either precision */
typedef struct truth {
    const pinion_model *m;
    quad *constants;
    void *work;
} truth;

static inline truth truth_new(const pinion_model *m)
{
    const double *from = PN_AT_CONST(m, double, m->f64);
    truth t = {m, malloc(sizeof(quad) * m->constants), calloc(all_reals(m), sizeof(quad))};
    for (uint32_t i = 0; i < m->constants; i++) t.constants[i] = from[i];
    return t;
}

static inline void truth_free(truth *t)
{
    free(t->constants);
    free(t->work);
}

/* the shape of an algorithm without its pivot margin, which is a test and not a result */
static inline shape truth_shape(const truth *t, int algorithm)
{
    shape s = shape_of_algorithm(t->m, algorithm);
    for (int o = 0; o < 6; o++)
        if (is_margin(&s, o)) s.out[o] = 0;
    return s;
}

static inline int truth_outputs(const truth *t, int algorithm)
{
    const shape s = truth_shape(t, algorithm);
    return width_of(&s);
}

/* the arrays of a call: outputs one after the other, frames and Jacobians of the last frame along the world's
 * axes */
static inline pn_io truth_io(const truth *t, const shape *s, const void *const in[5], char *out, size_t size)
{
    pn_io io = {.frame = t->m->n.frames - 1,
                .q = s->q ? in[0] : NULL,
                .v = s->v ? in[1] : NULL,
                .a = s->a ? in[2] : NULL,
                .tau = s->tau ? in[3] : NULL,
                .f_ext = s->f_ext ? in[4] : NULL};
    for (int o = 0; o < 6; o++) {
        io.out[o] = s->out[o] ? out : NULL;
        out += size * (size_t)s->out[o];
    }
    return io;
}

/* an algorithm in double */
static inline void truth_double(const truth *t, int algorithm, const state *x, double *out)
{
    const shape s = truth_shape(t, algorithm);
    const void *const in[5] = {x->q, x->v, x->a, x->tau, x->f_ext};
    const pn_io io = truth_io(t, &s, in, (char *)out, sizeof *out);
    const pn_ctx k = pn_context(t->m, sizeof(double), t->work);
    pn_backend_f64.kernel[s.kernel](&k, &io);
}

/* a kernel in quad, where the inputs are the doubles widened */
static inline void truth_kernel(const truth *t, const shape *s, const state *x, quad *out)
{
    const int width[5] = {s->q, s->v, s->a, s->tau, s->f_ext};
    const double *from[5] = {x->q, x->v, x->a, x->tau, x->f_ext};
    quad *in[5];
    for (int i = 0; i < 5; i++) {
        in[i] = malloc(sizeof(quad) * (size_t)width[i] + 1);
        for (int j = 0; j < width[i]; j++) in[i][j] = from[i][j];
    }
    const void *const widened[5] = {in[0], in[1], in[2], in[3], in[4]};
    const pn_io io = truth_io(t, s, widened, (char *)out, sizeof *out);
    pn_ctx k = pn_context(t->m, sizeof(double), t->work);
    k.constants = t->constants;
    instance_quad.kernel[s->kernel](&k, &io);
    for (int i = 0; i < 5; i++) free(in[i]);
}

/* an algorithm in quad */
static inline void truth_quad(const truth *t, int algorithm, const state *x, quad *out)
{
    const shape s = truth_shape(t, algorithm);
    truth_kernel(t, &s, x, out);
}

/* max|x - ref| / max(max|ref|, 1e-3), the measure of all comparisons; NaN counts as infinite */
static inline double truth_error(const double *x, const quad *ref, int n)
{
    quad worst = 0, scale = 1e-3;
    for (int i = 0; i < n; i++) {
        const quad d = fabsq(x[i] - ref[i]);
        if (!(d <= worst)) worst = isnanq(d) ? (quad)INFINITY : d;
        if (fabsq(ref[i]) > scale) scale = fabsq(ref[i]);
    }
    return (double)(worst / scale);
}

/* the largest error of an algorithm's outputs, each measured by itself */
static inline double truth_errors(const truth *t, int algorithm, const double *x, const quad *ref)
{
    const shape s = truth_shape(t, algorithm);
    double worst = 0;
    for (int o = 0; o < 6; o++) {
        const double error = truth_error(x, ref, s.out[o]);
        if (error > worst) worst = error;
        x += s.out[o];
        ref += s.out[o];
    }
    return worst;
}

/* the largest sum of magnitudes of a row */
static inline quad truth_norm(const quad *A, int n)
{
    quad most = 0;
    for (int i = 0; i < n; i++) {
        quad sum = 0;
        for (int j = 0; j < n; j++) sum += fabsq(A[i * n + j]);
        if (sum > most) most = sum;
    }
    return most;
}

/* The inverse of a symmetric positive definite matrix by its Cholesky factor. Returns the condition number in
 * the norm above, infinite when the matrix is not positive definite. */
static inline double truth_inverse(const quad *A, int n, quad *inverse)
{
    quad *L = calloc((size_t)(2 * n * n) + 1, sizeof(quad)), *K = L + n * n;
    int definite = 1;
    for (int j = 0; j < n && definite; j++) {
        for (int i = j; i < n; i++) {
            quad sum = A[i * n + j];
            for (int k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
            if (i == j && !(sum > 0)) definite = 0;
            L[i * n + j] = i == j ? sqrtq(sum) : sum / L[j * n + j];
        }
    }

    /* K = L^-1, inverse = K' K */
    for (int j = 0; j < n && definite; j++) {
        for (int i = j; i < n; i++) {
            quad sum = i == j;
            for (int k = j; k < i; k++) sum -= L[i * n + k] * K[k * n + j];
            K[i * n + j] = sum / L[i * n + i];
        }
    }
    for (int i = 0; i < n && definite; i++) {
        for (int j = 0; j <= i; j++) {
            quad sum = 0;
            for (int k = i; k < n; k++) sum += K[k * n + i] * K[k * n + j];
            inverse[i * n + j] = inverse[j * n + i] = sum;
        }
    }
    free(L);
    return definite ? (double)(truth_norm(A, n) * truth_norm(inverse, n)) : INFINITY;
}

static inline int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* sorts them */
static inline double median_of(double *x, int n)
{
    if (n == 0) return NAN;
    qsort(x, (size_t)n, sizeof *x, compare_doubles);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

#endif
