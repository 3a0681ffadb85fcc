/* Every registered algorithm in a batch gives what it gives for one state, in lanes and on threads, and in float what
 * it gives in double. */
#include "calls.h"
#include "loops/four_bar.h"

#define STATES 21

/* numbers of a state that a problem's algorithms give; 0: not one of those that batches have */
static size_t numbers_of(const subject *s, pinion_problem problem)
{
    const size_t nv = (size_t)s->nv;
    switch (problem) {
    case PINION_PROBLEM_INVERSE_DYNAMICS:
    case PINION_PROBLEM_FORWARD_DYNAMICS: return nv;
    case PINION_PROBLEM_MASS_MATRIX:
    case PINION_PROBLEM_MASS_MATRIX_INVERSE:
    case PINION_PROBLEM_CORIOLIS: return nv * nv;
    case PINION_PROBLEM_D_INVERSE_DYNAMICS:
    case PINION_PROBLEM_D_FORWARD_DYNAMICS: return 3 * nv * nv;
    default: return 0;
    }
}

#define PN_T double
#define PN_FN(name) name
#include "algorithms.inc"
#undef PN_T
#undef PN_FN

#define PN_T float
#define PN_FN(name) name##_f32
#include "algorithms.inc"
#undef PN_T
#undef PN_FN

static pinion_status run_single(const subject *s, pinion_work *w, int a, pinion_problem problem, size_t i,
                                const rows *r, double *x)
{
    const size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
    const double *q = r->q + i * nq, *v = r->v + i * nv, *f = r->f_ext + i * 6 * (size_t)s->bodies;
    switch (problem) {
    case PINION_PROBLEM_INVERSE_DYNAMICS: return pinion_inverse_dynamics_by(s->m, w, a, q, v, r->a + i * nv, f, x);
    case PINION_PROBLEM_FORWARD_DYNAMICS: return pinion_forward_dynamics_by(s->m, w, a, q, v, r->tau + i * nv, f, x);
    case PINION_PROBLEM_MASS_MATRIX: return pinion_mass_matrix_by(s->m, w, a, q, x);
    case PINION_PROBLEM_MASS_MATRIX_INVERSE: return pinion_mass_matrix_inverse_by(s->m, w, a, q, x);
    case PINION_PROBLEM_D_INVERSE_DYNAMICS:
        return pinion_d_inverse_dynamics_by(s->m, w, a, q, v, r->a + i * nv, f, x, x + nv * nv, x + 2 * nv * nv);
    case PINION_PROBLEM_D_FORWARD_DYNAMICS:
        return pinion_d_forward_dynamics_by(s->m, w, a, q, v, r->tau + i * nv, f, x, x + nv * nv, x + 2 * nv * nv);
    default: return pinion_coriolis_by(s->m, w, a, q, v, x);
    }
}

/* one algorithm over all states, on one thread and on three */
static void check_algorithm(subject *s, pinion_batch *b, pinion_work *w, int a, const pinion_algorithm_info *info,
                            const rows *r)
{
    const size_t n = numbers_of(s, info->problem);
    double *x = canvas(STATES * n), *y = canvas(STATES * n), *one = some(n);
    FINE(s, pinion_batch_set_threads(b, 1));
    FINE(s, run_batch(b, a, info->problem, STATES, r, x));
    FINE(s, pinion_batch_set_threads(b, 3));
    FINE(s, run_batch(b, a, info->problem, STATES, r, y));
    check_count += 2;
    if (memcmp(x, y, STATES * n * sizeof *x)) CHECK_FAIL("%s: %s has other bits on threads", s->name, info->name);
    if (!untouched(x + STATES * n, ROOM)) CHECK_FAIL("%s: %s wrote past the end", s->name, info->name);
    const size_t parts = n > (size_t)s->nv * (size_t)s->nv ? 3 : 1; /* matrices, each over all states */
    for (size_t i = 0; i < STATES; i++) {
        FINE(s, run_single(s, w, a, info->problem, i, r, one));
        double error = 0;
        for (size_t p = 0; p < parts; p++)
            error = fmax(error, error_of(x + (p * STATES + i) * (n / parts), one + p * (n / parts), n / parts,
                                         scale_of(s, C_ID)));
        check_count++;
        if (!(error <= 1e-8))
            CHECK_FAIL("%s: %s of state %zu differs from the single call by %.3g", s->name, info->name, i, error);
    }
    free(x);
    free(y);
    free(one);
}

/* in float: kernels as in double, to float's rounding on a small model; solvers only where they are the default */
static void check_algorithm_in_float(subject *s, pinion_batch *b, int a, const pinion_algorithm_info *info,
                                     const rows_f32 *r32)
{
    const size_t n = numbers_of(s, info->problem), nv = (size_t)s->nv;
    float *x = canvas_f32(STATES * n);
    const pinion_status status = run_batch_f32(b, a, info->problem, STATES, r32, x);
    const int forward = info->problem == PINION_PROBLEM_FORWARD_DYNAMICS ||
                        info->problem == PINION_PROBLEM_D_FORWARD_DYNAMICS;
    const int loops = pinion_model_loop_count(s->m) > 0;
    const int is_default = a == pinion_algorithm_default(info->problem, s->m);
    if (forward && (loops ? !is_default : !info->kernel)) {
        CHECK_STATUS(status, PINION_ERR_UNSUPPORTED);
        CHECK_HAS(pinion_batch_message(b), "double precision");
        CHECK(untouched_f32(x, STATES * n));
    } else {
        FINE(s, status);
        for (size_t i = 0; i < STATES * n; i++) CHECK(isfinite(x[i]));
    }
    /* beside the function without a choice of algorithm */
    if (status == PINION_OK && info->problem == PINION_PROBLEM_INVERSE_DYNAMICS) {
        float *ref = some_f32(STATES * nv);
        FINE(s, pinion_batch_inverse_dynamics_f32(b, STATES, r32->q, r32->v, r32->a, r32->f_ext, ref));
        CHECK(error_of_f32(x, ref, STATES * nv, scale_of(s, C_ID)) <= 1e-4);
        free(ref);
    }
    free(x);
}

static void check_all(subject *s)
{
    pinion_batch *b = pinion_batch_new(s->m, 1);
    pinion_work *w = pinion_work_new(s->m);
    rows r = rows_new(s, STATES);
    rows_f32 r32 = rows_new_f32(s, STATES);
    pinion_algorithm_info info;
    int run = 0;
    b->work_each = 1;
    for (int a = 0; pinion_algorithm(a, &info) == PINION_OK; a++) {
        pinion_error err;
        if (!numbers_of(s, info.problem)) continue;
        const pinion_status applies = pinion_algorithm_applies(a, s->m, &err);
        if (applies != PINION_OK) {
            double *x = canvas(STATES * numbers_of(s, info.problem));
            CHECK_STATUS(run_batch(b, a, info.problem, STATES, &r, x), applies);
            CHECK(untouched(x, STATES * numbers_of(s, info.problem)));
            free(x);
            continue;
        }
        check_algorithm(s, b, w, a, &info, &r);
        check_algorithm_in_float(s, b, a, &info, &r32);
        run++;
    }
    CHECK(run >= 10);
    rows_free(&r);
    rows_free_f32(&r32);
    pinion_work_free(w);
    pinion_batch_free(b);
}

TEST(every_algorithm_in_a_batch)
{
    subject s;
    pinion_model *chain = pinion_random_chain(5, check_seed, NULL), *loop = four_bar(2.5, 1);
    CHECK(chain && loop);
    if (chain) {
        subject_init(&s, chain, "pinion_random_chain(5)", check_seed);
        check_all(&s);
        subject_free(&s);
    }
    if (tree_subject(&s, 6, 1, check_seed + 8)) {
        check_all(&s);
        subject_free(&s);
    }
    if (loop) {
        subject_init(&s, loop, "four-bar", check_seed);
        check_all(&s);
        subject_free(&s);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(every_algorithm_in_a_batch);
    return CHECK_END();
}
