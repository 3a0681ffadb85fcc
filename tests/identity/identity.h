/* What the identity tests share: models to go through, random states, and the way to compare. */
#ifndef PN_IDENTITY_H
#define PN_IDENTITY_H

#include "check.h"
#include "pinion/pinion.h"

/* A model under test with one random state. Its scratch memory lives until the state changes. */
typedef struct subject {
    char name[160]; /* says how to make it again */
    pinion_model *m;
    pinion_work *w;
    int nq, nv, bodies, frames;
    uint64_t random;
    double *q, *v, *a, *tau, *f_ext;
    void *scratch[512];
    int scratch_count;
} subject;

/* Zeroed memory of n numbers, freed with the state. Each piece is an allocation of its own, so that the
 * address sanitizer sees a write past its end. */
static inline void *take_bytes(subject *s, size_t size)
{
    if (s->scratch_count == 512) abort();
    return s->scratch[s->scratch_count++] = calloc(1, size + 1);
}

static inline double *take(subject *s, int n)
{
    return take_bytes(s, (size_t)n * sizeof(double));
}

static inline double *take_matrix(subject *s, int rows, int columns)
{
    return take_bytes(s, (size_t)rows * (size_t)columns * sizeof(double));
}

static inline double *take_copy(subject *s, const double *from, int n)
{
    double *to = take(s, n);
    memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

static inline void release(subject *s)
{
    while (s->scratch_count) free(s->scratch[--s->scratch_count]);
}

/* a random number in [-size, size] */
static inline double spread(subject *s, double size)
{
    return check_between(&s->random, -size, size);
}

static inline double *take_random(subject *s, int n, double size)
{
    double *x = take(s, n);
    for (int i = 0; i < n; i++) x[i] = spread(s, size);
    return x;
}

/* a new random state; row 0 of f_ext, the base, is filled too and must not matter */
static inline void new_state(subject *s)
{
    release(s);
    s->random += 0x1234567;
    s->q = take(s, s->nq);
    CHECK_STATUS(pinion_random(s->m, s->random, s->q), PINION_OK);
    s->v = take_random(s, s->nv, 1.5);
    s->a = take_random(s, s->nv, 3);
    s->tau = take_random(s, s->nv, 10);
    s->f_ext = take_random(s, 6 * s->bodies, 5);
}

/* takes the model over */
static inline void subject_init(subject *s, pinion_model *m, const char *name, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->m = m;
    s->w = pinion_work_new(m);
    s->nq = pinion_model_nq(m);
    s->nv = pinion_model_nv(m);
    s->bodies = pinion_model_body_count(m);
    s->frames = pinion_model_frame_count(m);
    s->random = seed * 0x9e3779b97f4a7c15u + 1;
}

static inline void subject_free(subject *s)
{
    release(s);
    pinion_work_free(s->w);
    pinion_model_free(s->m);
}

/* ---- comparing ---- */

static inline double largest(const double *x, int n)
{
    double top = 0;
    for (int i = 0; i < n; i++) top = fmax(top, fabs(x[i]));
    return top;
}

/* x is ref within tolerance * max(max|ref|, scale) */
#define CLOSE(s, x, ref, n, scale, tolerance)                                                                \
    do {                                                                                                     \
        const double close_e = check_error(x, ref, (size_t)(n), scale), close_t = (tolerance);               \
        check_count++;                                                                                       \
        if (!(close_e <= close_t))                                                                           \
            CHECK_FAIL("%s: %s differs from %s by %.3g, allowed %.3g", (s)->name, #x, #ref, close_e,         \
                       close_t);                                                                             \
    } while (0)

/* a call that must succeed on this subject */
#define FINE(s, call)                                                                                        \
    do {                                                                                                     \
        const int fine_status = (int)(call);                                                                 \
        check_count++;                                                                                       \
        if (fine_status != PINION_OK) CHECK_FAIL("%s: %s = %d", (s)->name, #call, fine_status);              \
    } while (0)

/* ---- small algebra ---- */

/* y = A x, A is [rows][columns] */
static inline void times(const double *A, const double *x, int rows, int columns, double *y)
{
    for (int i = 0; i < rows; i++) {
        y[i] = 0;
        for (int j = 0; j < columns; j++) y[i] += A[i * columns + j] * x[j];
    }
}

/* y = A'x */
static inline void times_transposed(const double *A, const double *x, int rows, int columns, double *y)
{
    for (int j = 0; j < columns; j++) {
        y[j] = 0;
        for (int i = 0; i < rows; i++) y[j] += A[i * columns + j] * x[i];
    }
}

static inline double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static inline void cross(const double a[3], const double b[3], double out[3])
{
    const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, c, sizeof c);
}

/* C = A B, 3 x 3 */
static inline void times33(const double A[9], const double B[9], double C[9])
{
    double out[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    memcpy(C, out, sizeof out);
}

/* y = R x and y = R'x */
static inline void rotate(const double R[9], const double x[3], double y[3])
{
    double out[3];
    times(R, x, 3, 3, out);
    memcpy(y, out, sizeof out);
}

static inline void rotate_back(const double R[9], const double x[3], double y[3])
{
    double out[3];
    times_transposed(R, x, 3, 3, out);
    memcpy(y, out, sizeof out);
}

/* ---- differentiating ---- */

/* Some n numbers that depend on the state. */
typedef void (*quantity)(subject *s, const double *q, const double *v, const void *context, double *out);

/* The derivative of a quantity at t = 0 along q (+) dq t, v + dv t. Central differences of fourth order: with
 * h = 2e-4 the truncation is about h^4 = 1.6e-15 times a fifth derivative, the rounding about eps/h = 1e-12
 * times the quantity, so that with the fast motions of long chains 1e-8 of the scale is met with room to
 * spare. */
#define DERIVATIVE_TOLERANCE 1e-8
#define DERIVATIVE_STEP 2e-4
static inline void derivative(subject *s, const double *dq, const double *dv, quantity f, const void *context,
                              int n, double *out)
{
    const double h = DERIVATIVE_STEP, weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
    double *q = calloc((size_t)s->nq + 1, sizeof *q), *v = calloc((size_t)s->nv + 1, sizeof *v);
    double *x = calloc((size_t)n + 1, sizeof *x);
    for (int i = 0; i < n; i++) out[i] = 0;
    for (int k = 0; k < 4; k++) {
        FINE(s, pinion_integrate(s->m, s->q, dq, at[k] * h, q));
        for (int i = 0; i < s->nv; i++) v[i] = s->v[i] + at[k] * h * (dv ? dv[i] : 0);
        f(s, q, v, context, x);
        for (int i = 0; i < n; i++) out[i] += weight[k] * x[i] / (12 * h);
    }
    free(q);
    free(v);
    free(x);
}

/* ---- models ---- */

typedef void (*subject_check)(subject *s);

static inline void check_states(subject *s, int states, subject_check check)
{
    for (int i = 0; i < states; i++) {
        const int before = check_failed;
        new_state(s);
        check(s);
        if (check_failed - before > 10) break; /* more of the same says nothing new */
    }
}

/* random trees of 1 to 30 joints of all types, on a fixed and a free base */
static inline void for_random_trees(int seeds, int states, subject_check check)
{
    for (int joints = 1; joints <= 30; joints += check_every(3))
        for (int free_root = 0; free_root < 2; free_root++)
            for (int k = 0; k < seeds; k++) {
                const uint64_t seed = check_seed + 1000 * (uint64_t)joints + (uint64_t)k;
                char name[96];
                pinion_error err = {0};
                snprintf(name, sizeof name, "pinion_random_tree(%d, %d, %llu)", joints, free_root,
                         (unsigned long long)seed);
                pinion_model *m = pinion_random_tree(joints, free_root, seed, &err);
                if (!m) CHECK_FAIL("%s: %s", name, err.message);
                if (!m) continue;
                subject s;
                subject_init(&s, m, name, seed);
                check_states(&s, states, check);
                subject_free(&s);
            }
}

static inline void for_random_chains(int seeds, int states, subject_check check)
{
    for (int joints = 1; joints <= 30; joints += check_every(3))
        for (int k = 0; k < seeds; k++) {
            const uint64_t seed = check_seed + 77 * (uint64_t)joints + (uint64_t)k;
            char name[96];
            pinion_error err = {0};
            snprintf(name, sizeof name, "pinion_random_chain(%d, %llu)", joints, (unsigned long long)seed);
            pinion_model *m = pinion_random_chain(joints, seed, &err);
            if (!m) CHECK_FAIL("%s: %s", name, err.message);
            if (!m) continue;
            subject s;
            subject_init(&s, m, name, seed);
            check_states(&s, states, check);
            subject_free(&s);
        }
}

/* the models that come with Pinion; none in a build without loaders */
#ifdef PINION_IO
#include "bundled.h"
#else
static inline void for_bundled_models(int states, subject_check check)
{
    (void)states;
    (void)check;
}
#endif

/* all of them */
static inline void for_models(subject_check check)
{
    for_random_trees(2, 2, check);
    for_random_chains(1, 2, check);
    for_bundled_models(5, check);
}

#endif
