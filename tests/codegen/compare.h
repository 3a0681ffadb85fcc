/* What a generated function gives at a state, beside what the library gives. */
#ifndef PN_COMPARE_H
#define PN_COMPARE_H

#include "generated.h"

/* A state and room for results. */
typedef struct bed {
    const pinion_model *m;
    pinion_work *w; /* for algorithms */
    double *q, *v, *a, *tau, *f_ext;
    double *got, *expected, *M, *h;
    float *f32_in[5], *f32_out;
    size_t room;
} bed;

static inline double *numbers(size_t count)
{
    return (double *)calloc(count + 1, sizeof(double));
}

static inline bed bed_new(const pinion_model *m)
{
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m),
                 bodies = (size_t)pinion_model_body_count(m);
    bed b = {.m = m, .w = pinion_work_new(m)};
    for (int i = 0; i < pinion_quantity_count(); i++) {
        size_t all = 0;
        for (int o = 0; o < PINION_QUANTITY_OUTPUTS; o++) all += pinion_quantity_size(m, i, o, NULL);
        if (all > b.room) b.room = all;
    }
    b.q = numbers(nq);
    b.v = numbers(nv);
    b.a = numbers(nv);
    b.tau = numbers(nv);
    b.f_ext = numbers(6 * bodies);
    b.got = numbers(b.room);
    b.expected = numbers(b.room);
    b.M = numbers(nv * nv);
    b.h = numbers(nv);
    const size_t width[] = {nq, nv, nv, nv, 6 * bodies};
    for (int i = 0; i < 5; i++) b.f32_in[i] = (float *)calloc(width[i] + 1, sizeof(float));
    b.f32_out = (float *)calloc(b.room + 1, sizeof(float));
    return b;
}

static inline void bed_free(bed *b)
{
    double *all[] = {b->q, b->v, b->a, b->tau, b->f_ext, b->got, b->expected, b->M, b->h};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    for (int i = 0; i < 5; i++) free(b->f32_in[i]);
    free(b->f32_out);
    pinion_work_free(b->w);
}

/* A random state; with `single` of numbers that a float holds. */
static inline void draw(bed *b, uint64_t *seed, int f_ext, int single)
{
    const int nq = pinion_model_nq(b->m), nv = pinion_model_nv(b->m), bodies = pinion_model_body_count(b->m);
    CHECK_STATUS(pinion_random(b->m, (uint64_t)(1e15 * check_uniform(seed)), b->q), PINION_OK);
    for (int i = 0; i < nv; i++) {
        b->v[i] = check_between(seed, -2, 2);
        b->a[i] = check_between(seed, -5, 5);
        b->tau[i] = check_between(seed, -10, 10);
    }
    for (int i = 0; i < 6 * bodies; i++) b->f_ext[i] = f_ext ? check_between(seed, -10, 10) : 0;
    if (!single) return;
    double *x[] = {b->q, b->v, b->a, b->tau, b->f_ext};
    const int width[] = {nq, nv, nv, nv, 6 * bodies};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < width[k]; i++) x[k][i] = b->f32_in[k][i] = (float)x[k][i];
}

/* Where the arrays of a function's results begin. */
static inline void place_results(const bed *b, const char *quantity, size_t at[PINION_QUANTITY_OUTPUTS + 1])
{
    at[0] = 0;
    for (int o = 0; o < PINION_QUANTITY_OUTPUTS; o++)
        at[o + 1] = at[o] + pinion_quantity_size(b->m, number_of(quantity), o, NULL);
}

/* The library's answer; of an inverse the matrix that it must be the inverse of. */
static inline pinion_status ask_library(bed *b, const pinion_generated_function *f, int f_ext)
{
    const char *colon = strchr(f->quantity, ':');
    pinion_quantity_call x = {.q = b->q, .v = b->v, .a = b->a, .tau = b->tau};
    size_t at[PINION_QUANTITY_OUTPUTS + 1];
    if (strcmp(f->quantity, "mass_matrix_inverse") == 0) return pinion_mass_matrix(b->m, b->w, b->q, b->expected);
    if (strcmp(f->quantity, "coriolis") == 0)
        return pinion_coriolis_by(b->m, b->w, pinion_algorithm_find(f->algorithm), b->q, b->v, b->expected);
    place_results(b, f->quantity, at);
    for (int o = 0; o < PINION_QUANTITY_OUTPUTS; o++) x.out[o] = b->expected + at[o];
    if (f_ext || colon) x.f_ext = b->f_ext;
    if (colon) x.frame = pinion_model_find_frame(b->m, colon + 1);
    return pinion_quantity_run(b->m, b->w, number_of(f->quantity), &x);
}

/* The generated function's. */
static inline void ask_code(bed *b, const built *code, int function, const pinion_generated_function *f)
{
    const signature s = signature_of(f->quantity, code->options.f_ext);
    const double *x[] = {b->q, b->v, b->a, b->tau, b->f_ext}, *in[5];
    const float *in_f32[5];
    size_t at[PINION_QUANTITY_OUTPUTS + 1];
    int count = 0;
    place_results(b, f->quantity, at);
    for (const char *c = s.in; *c; c++, count++) {
        const int which = *c == 'q' ? 0 : *c == 'v' ? 1 : *c == 'a' ? 2 : *c == 't' ? 3 : 4;
        in[count] = x[which];
        in_f32[count] = b->f32_in[which];
    }
    for (size_t i = 0; i < b->room; i++) b->got[i] = b->f32_out[i] = NAN; /* all of it must be written */

    /* ISO C converts no pointer to an object into one to a function: bytes do */
    void *symbol = find_call(code, function);
    if (code->options.scalar == PINION_CODEGEN_F32) {
        void (*call)(const float *const *, float *const *);
        float *out[PINION_QUANTITY_OUTPUTS];
        for (int o = 0; o < PINION_QUANTITY_OUTPUTS; o++) out[o] = b->f32_out + at[o];
        memcpy(&call, &symbol, sizeof call);
        call(in_f32, out);
        for (size_t i = 0; i < at[PINION_QUANTITY_OUTPUTS]; i++) b->got[i] = b->f32_out[i];
    } else {
        void (*call)(const double *const *, double *const *);
        double *out[PINION_QUANTITY_OUTPUTS];
        for (int o = 0; o < PINION_QUANTITY_OUTPUTS; o++) out[o] = b->got + at[o];
        memcpy(&call, &symbol, sizeof call);
        call(in, out);
    }
}

/* ------------------------------------------------------------------------------------------------ */
/* Errors. Each is in units of what the scalar resolves, times the scale. */

static inline double row_sum(const double *A, const double *x, int n, int row)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += fabs(A[row * n + k] * x[k]);
    return sum;
}

/* Of accelerations: how far the forces that they take are from tau, relative to the forces that meet in the equation.
 * An error of the accelerations themselves would say how well M is conditioned. */
static inline double forward_error(bed *b, int f_ext)
{
    const int n = pinion_model_nv(b->m);
    double worst = 0, scale = 0;
    double *forces = b->expected;
    if (pinion_mass_matrix(b->m, b->w, b->q, b->M) != PINION_OK ||
        pinion_bias(b->m, b->w, b->q, b->v, b->h) != PINION_OK ||
        pinion_inverse_dynamics(b->m, b->w, b->q, b->v, b->got, f_ext ? b->f_ext : NULL, forces) != PINION_OK)
        return INFINITY;
    for (int i = 0; i < n; i++) {
        const double d = fabs(forces[i] - b->tau[i]);
        if (!(d <= worst)) worst = isnan(d) ? INFINITY : d;
        scale = fmax(scale, row_sum(b->M, b->got, n, i) + fabs(b->h[i]) + fabs(b->tau[i]));
    }
    return worst / scale;
}

/* Of an inverse X of M: |M X - 1| against |M| |X|. */
static inline double inverse_error(const bed *b)
{
    const int n = pinion_model_nv(b->m);
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double sum = i == k ? -1 : 0, scale = 1;
            for (int j = 0; j < n; j++) {
                sum += b->expected[i * n + j] * b->got[j * n + k];
                scale += fabs(b->expected[i * n + j] * b->got[j * n + k]);
            }
            if (!(fabs(sum) / scale <= worst)) worst = isnan(sum) ? INFINITY : fabs(sum) / scale;
        }
    return worst;
}

/* The worst error of one function at `states` random states. `largest` is how large each result has been: where a
 * result happens to be small (forces of a pendulum that hangs), what it is the difference of still is not, so a result
 * below a hundredth of that is held against the hundredth. */
static inline double worst_error(bed *b, const built *code, int function, int states, uint64_t seed)
{
    pinion_generated_function f;
    const int single = code->options.scalar == PINION_CODEGEN_F32;
    double worst = 0, largest[PINION_QUANTITY_OUTPUTS] = {0};
    if (pinion_generated_function_info(code->g, function, &f) != PINION_OK) return INFINITY;
    if (!find_call(code, function)) return INFINITY;
    const signature s = signature_of(f.quantity, code->options.f_ext);
    const int f_ext = code->options.f_ext && s.f_ext, force = strchr(s.in, 'f') != NULL;
    const int forward = strcmp(f.quantity, "forward_dynamics") == 0;
    const int inverse = strcmp(f.quantity, "mass_matrix_inverse") == 0;
    size_t at[PINION_QUANTITY_OUTPUTS + 1];
    place_results(b, f.quantity, at);
    for (int pass = 0; pass < 2; pass++) {
        uint64_t state = seed;
        for (int i = 0; i < states; i++) {
            draw(b, &state, f_ext || force, single);
            if (pass == 0 && i >= 200) break; /* enough to know how large it is */
            const pinion_status status = ask_library(b, &f, f_ext);
            if (status != PINION_OK) {
                CHECK_FAIL("%s: %s", f.quantity, pinion_work_message(b->w));
                return INFINITY;
            }
            if (pass == 1) ask_code(b, code, function, &f);
            if (forward || inverse) {
                if (pass == 1) worst = fmax(worst, forward ? forward_error(b, f_ext) : inverse_error(b));
                continue;
            }
            for (int k = 0; k < s.outs; k++) {
                const size_t count = at[k + 1] - at[k];
                for (size_t j = 0; pass == 0 && j < count; j++)
                    largest[k] = fmax(largest[k], fabs(b->expected[at[k] + j]));
                if (pass == 0 || count == 0) continue;
                /* where potential energy is zero is a convention: it has no other scale than its range */
                const double part = strcmp(f.quantity, "energy") == 0 && k == 1 ? 1 : 0.01;
                const double error = check_error(b->got + at[k], b->expected + at[k], count,
                                                 largest[k] > 0 ? part * largest[k] : 1);
                worst = fmax(worst, error);
            }
        }
    }
    return worst / (single ? FLT_EPSILON : DBL_EPSILON);
}

#endif
