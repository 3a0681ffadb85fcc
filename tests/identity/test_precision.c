/* Single precision gives what double gives, to its own rounding: every call for one state. */
#include "batch/calls.h"

static double *widened(const float *x, size_t n)
{
    double *to = some(n);
    for (size_t i = 0; i < n; i++) to[i] = (double)x[i];
    return to;
}

/* the same, freed with the state */
static double *widened_into(subject *s, const float *x, int n)
{
    double *to = take(s, n);
    for (int i = 0; i < n; i++) to[i] = (double)x[i];
    return to;
}

/* Both get the same numbers, those that a float can hold, so what differs is float's own rounding:
 * tolerance_of() in single precision covers it, as it covers that of packs, which round at other places. */
static void check_precision(subject *s)
{
    const size_t n = 3, nq = (size_t)s->nq, nv = (size_t)s->nv;
    pinion_work_f32 *w = pinion_work_f32_new(s->m);
    rows_f32 narrow = rows_new_f32(s, n);
    rows wide = {n,
                 widened(narrow.q, n * nq),
                 widened(narrow.v, n * nv),
                 widened(narrow.a, n * nv),
                 widened(narrow.tau, n * nv),
                 widened(narrow.f_ext, n * 6 * (size_t)s->bodies),
                 widened(narrow.other, n * nq),
                 widened(narrow.longer, n * nq)};
    for (int call = 0; call < CALL_COUNT; call++) {
        for (size_t i = 0; i < n; i++) {
            float *x[OUTPUTS];
            double *got[OUTPUTS];
            canvases_f32(s, call, 1, &narrow, x);
            FINE(s, call_single_f32(s, w, call, i, &narrow, x));
            /* error_of_state looks at place i of what is compared: got is state i alone, moved there */
            for (int o = 0; o < OUTPUTS; o++) {
                const size_t width = width_of(s, call, o);
                got[o] = x[o] ? some(n * width) : NULL;
                for (size_t k = 0; x[o] && k < width; k++) got[o][i * width + k] = (double)x[o][k];
            }
            const double error = error_of_state(s, s->w, call, i, &wide, got);
            const double allowed = tolerance_of(call, sizeof(float));
            check_count++;
            if (!(error <= allowed))
                CHECK_FAIL("%s: %s in float differs from double by %.3g, allowed %.3g", s->name, calls[call].name,
                           error, allowed);
            canvases_free_f32(x);
            canvases_free(got);
        }
    }
    rows_free(&wide);
    rows_free_f32(&narrow);
    pinion_work_f32_free(w);
}
TEST(single_precision_agrees_with_double)
{
    for_random_trees(1, 1, check_precision);
    for_random_chains(1, 1, check_precision);
    for_bundled_models(3, check_precision);
}

/* what needs no workspace, and the functions that have no batch */
static void check_configuration(subject *s)
{
    float *q = take_bytes(s, (size_t)s->nq * sizeof *q), *other = take_bytes(s, (size_t)s->nq * sizeof *q);
    float *step = take_bytes(s, (size_t)s->nv * sizeof *step),
          *again = take_bytes(s, (size_t)s->nq * sizeof *q);
    double *wide = take(s, s->nq), *neutral = take(s, s->nq);
    /* random and neutral are the rounded configurations of double */
    FINE(s, pinion_random_f32(s->m, s->random, q));
    FINE(s, pinion_random(s->m, s->random, wide));
    for (int i = 0; i < s->nq; i++) CHECK(q[i] == (float)wide[i]);
    FINE(s, pinion_neutral_f32(s->m, other));
    FINE(s, pinion_neutral(s->m, neutral));
    for (int i = 0; i < s->nq; i++) CHECK(other[i] == (float)neutral[i]);

    /* difference, integrate, normalize; the step in double reaches the same place */
    double *expected = take(s, s->nv), *got = take(s, s->nv);
    FINE(s, pinion_random_f32(s->m, s->random + 5, other));
    FINE(s, pinion_difference_f32(s->m, q, other, step));
    FINE(s, pinion_difference(s->m, widened_into(s, q, s->nq), widened_into(s, other, s->nq), expected));
    for (int i = 0; i < s->nv; i++) got[i] = (double)step[i];
    CLOSE(s, got, expected, s->nv, 1, 1e-4);
    FINE(s, pinion_integrate_f32(s->m, q, step, 1, again));
    FINE(s, pinion_difference_f32(s->m, other, again, step));
    double *zero = take(s, s->nv);
    for (int i = 0; i < s->nv; i++) got[i] = (double)step[i];
    CLOSE(s, got, zero, s->nv, 1, 1e-4);
    memcpy(again, q, (size_t)s->nq * sizeof *q);
    FINE(s, pinion_normalize_f32(s->m, again));
    CLOSE(s, widened_into(s, again, s->nq), widened_into(s, q, s->nq), s->nq, 1, 1e-6);
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        const int has = (joint.type == PINION_JOINT_SPHERICAL || joint.type == PINION_JOINT_FREE) && joint.nq > 0;
        for (int k = 0; k < 4 && has; k++) again[joint.q_index + k] *= 1.01f;
        for (int k = 0; k < 4 && has; k++) q[joint.q_index + k] = 0;
        if (!has) continue;
        CHECK_STATUS(pinion_integrate_f32(s->m, again, step, 1, other), PINION_ERR_QUATERNION);
        FINE(s, pinion_normalize_f32(s->m, again));
        FINE(s, pinion_integrate_f32(s->m, again, step, 1, other));
        CHECK_STATUS(pinion_normalize_f32(s->m, q), PINION_ERR_QUATERNION);
    }

    /* one frame's pose, J' v, and a force on a frame */
    const int frame = s->frames - 1;
    pinion_work_f32 *w = pinion_work_f32_new(s->m);
    float pose[12], rate[6], force[6], *narrow = take_bytes(s, (size_t)s->nq * sizeof *narrow);
    float *v = take_bytes(s, (size_t)s->nv * sizeof *v),
          *f = take_bytes(s, 6 * (size_t)s->bodies * sizeof *f);
    double pose64[12], rate64[6], force64[6], *f64 = take(s, 6 * s->bodies);
    for (int i = 0; i < s->nq; i++) narrow[i] = (float)s->q[i];
    for (int i = 0; i < s->nv; i++) v[i] = (float)s->v[i];
    FINE(s, pinion_frame_pose_f32(s->m, w, narrow, frame, pose, pose + 3));
    FINE(s, pinion_frame_pose(s->m, s->w, s->q, frame, pose64, pose64 + 3));
    CLOSE(s, widened_into(s, pose, 12), pose64, 12, 1, 2e-5);
    for (int r = 0; r < 3; r++) {
        FINE(s, pinion_jacobian_dot_v_f32(s->m, w, narrow, v, frame, (pinion_reference)r, rate));
        FINE(s, pinion_jacobian_dot_v(s->m, s->w, s->q, s->v, frame, (pinion_reference)r, rate64));
        CLOSE(s, widened_into(s, rate, 6), rate64, 6, 1, 2e-5);
    }
    for (int k = 0; k < 6; k++) force[k] = (float)(force64[k] = (double)(float)spread(s, 5));
    FINE(s, pinion_force_on_frame_f32(s->m, frame, force, f));
    FINE(s, pinion_force_on_frame_f32(s->m, 0, force, f));
    FINE(s, pinion_force_on_frame(s->m, frame, force64, f64));
    FINE(s, pinion_force_on_frame(s->m, 0, force64, f64));
    CLOSE(s, widened_into(s, f + 6, 6 * s->bodies - 6), f64 + 6, 6 * s->bodies - 6, 1, 2e-5);
    pinion_work_f32_free(w);
}
TEST(single_precision_of_the_rest)
{
    for_random_trees(1, 1, check_configuration);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(single_precision_agrees_with_double);
    RUN(single_precision_of_the_rest);
    return CHECK_END();
}
