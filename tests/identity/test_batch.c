/* A batch gives what the single calls give: every function, both precisions, every instruction set this CPU
 * has, any number of states, and the same bits wherever in the batch a state is.
 *
 * Tolerances: packs may fuse multiplications and additions where the scalar code does not, so the two differ
 * by rounding: thousands of eps of the scale for 30 joints, and more where forward dynamics divides by a mass
 * matrix of condition 1e3 to 1e6. tolerance_of() has the numbers. */
#include "identity.h"
#include "core/batch.h"
#include "core/dispatch.h"

#define STATES 33
#define SHIFT 5
#define ROOM 8
#define UNTOUCHED 12345.0f

/* the calls; three in a row are one for each pinion_reference, the first divisible by 3 */
enum {
    C_ID,
    C_ID_FORCES,
    C_ID_REST,
    C_ID_STEADY,
    C_BIAS,
    C_GRAVITY,
    C_MASS,
    C_FD,
    C_FD_FORCES,
    C_FD_FALL,
    C_PASSIVE,
    C_PASSIVE_REST,
    C_ENERGY,
    C_ENERGY_SPRINGS,
    C_ENERGY_REST,
    C_KINETIC,
    C_CENTER,
    C_CENTER_REST,
    C_MOMENTUM,
    C_FRAMES,
    C_POSITIONS,
    C_ROTATIONS,
    C_INTEGRATE,
    C_JACOBIAN = 24,
    C_VELOCITY = 27,
    C_CLASSICAL = 30,
    C_SPATIAL = 33,
    CALL_COUNT = 36
};

static const char *const call_name[CALL_COUNT] = {[C_ID] = "inverse_dynamics",
                                                  [C_ID_FORCES] = "inverse_dynamics with forces",
                                                  [C_ID_REST] = "inverse_dynamics without v",
                                                  [C_ID_STEADY] = "inverse_dynamics without a",
                                                  [C_BIAS] = "bias",
                                                  [C_GRAVITY] = "gravity",
                                                  [C_MASS] = "mass_matrix",
                                                  [C_FD] = "forward_dynamics",
                                                  [C_FD_FORCES] = "forward_dynamics with forces",
                                                  [C_FD_FALL] = "forward_dynamics without v and tau",
                                                  [C_PASSIVE] = "passive_forces",
                                                  [C_PASSIVE_REST] = "passive_forces without v",
                                                  [C_ENERGY] = "energy",
                                                  [C_ENERGY_SPRINGS] = "energy with springs",
                                                  [C_ENERGY_REST] = "potential energy",
                                                  [C_KINETIC] = "kinetic energy",
                                                  [C_CENTER] = "center_of_mass",
                                                  [C_CENTER_REST] = "center_of_mass without v",
                                                  [C_MOMENTUM] = "momentum",
                                                  [C_FRAMES] = "frames",
                                                  [C_POSITIONS] = "positions",
                                                  [C_ROTATIONS] = "rotations",
                                                  [C_INTEGRATE] = "integrate",
                                                  [C_JACOBIAN] = "jacobian aligned",
                                                  [C_JACOBIAN + 1] = "jacobian local",
                                                  [C_JACOBIAN + 2] = "jacobian world",
                                                  [C_VELOCITY] = "velocity aligned",
                                                  [C_VELOCITY + 1] = "velocity local",
                                                  [C_VELOCITY + 2] = "velocity world",
                                                  [C_CLASSICAL] = "classical aligned",
                                                  [C_CLASSICAL + 1] = "classical local",
                                                  [C_CLASSICAL + 2] = "classical world",
                                                  [C_SPATIAL] = "spatial aligned",
                                                  [C_SPATIAL + 1] = "spatial local",
                                                  [C_SPATIAL + 2] = "spatial world"};

/* numbers a state of a call's first and second output */
static size_t width_of(const subject *s, int call, int second)
{
    const size_t nv = (size_t)s->nv, frames = (size_t)s->frames;
    switch (call) {
    case C_MASS: return second ? 0 : nv * nv;
    case C_ENERGY:
    case C_ENERGY_SPRINGS: return 1;
    case C_ENERGY_REST: return second;
    case C_KINETIC: return !second;
    case C_CENTER: return 3;
    case C_CENTER_REST: return second ? 0 : 3;
    case C_FRAMES: return second ? 9 * frames : 3 * frames;
    case C_POSITIONS: return second ? 0 : 3 * frames;
    case C_ROTATIONS: return second ? 9 * frames : 0;
    case C_INTEGRATE: return second ? 0 : (size_t)s->nq;
    default: break;
    }
    if (second) return 0;
    if (call >= C_JACOBIAN && call < C_VELOCITY) return 6 * nv;
    return call >= C_VELOCITY || call == C_MOMENTUM ? 6 : nv;
}

/* the least scale that errors are measured against: forces of some ten Newton and energies of some ten Joule
 * cancel */
static double scale_of(const subject *s, int call)
{
    const int energy = call == C_ENERGY || call == C_ENERGY_SPRINGS || call == C_ENERGY_REST;
    const double weight = 10 * fmax(1, pinion_model_mass(s->m));
    return energy || call <= C_GRAVITY ? weight : call == C_MOMENTUM ? fmax(1, pinion_model_mass(s->m)) : 1;
}

static double tolerance_of(int call, size_t lane_bytes)
{
    const int forward = call == C_FD || call == C_FD_FORCES || call == C_FD_FALL;
    if (lane_bytes == sizeof(double)) return forward ? 1e-9 : 1e-12;
    return forward ? 5e-2 : 2e-5;
}

#define PN_T double
#define PN_FN(name) name
#define PN_WORK(name) pinion_work_##name
#include "batch.inc"
#undef PN_T
#undef PN_FN
#undef PN_WORK

#define PN_T float
#define PN_FN(name) name##_f32
#define PN_WORK(name) pinion_work_f32_##name
#include "batch.inc"
#undef PN_T
#undef PN_FN
#undef PN_WORK

/* ---- every function ---- */

static void check_both(subject *s)
{
    pinion_batch *b = pinion_batch_new(s->m, 1);
    CHECK(b != NULL && pinion_batch_lanes(b) >= 1 && pinion_batch_lanes_f32(b) >= pinion_batch_lanes(b));
    CHECK(strlen(pinion_batch_isa(b)) > 0);
    check_batch(s, b);
    check_batch_f32(s, b);
    pinion_batch_free(b);
}

/* random trees of some sizes: the batches go through 33 states and 35 calls each */
static void for_some_trees(subject_check check)
{
    static const int sizes[] = {1, 2, 3, 5, 9, 14, 30};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const int joints = sizes[i / 2], free_root = (int)(i % 2);
        const uint64_t seed = check_seed + 11 * i;
        char name[96];
        pinion_error err = {0};
        snprintf(name, sizeof name, "pinion_random_tree(%d, %d, %llu)", joints, free_root,
                 (unsigned long long)seed);
        pinion_model *m = pinion_random_tree(joints, free_root, seed, &err);
        if (!m) CHECK_FAIL("%s: %s", name, err.message);
        if (!m) continue;
        subject s;
        subject_init(&s, m, name, seed);
        check_states(&s, 1, check);
        subject_free(&s);
    }
}

TEST(batches_equal_single_calls)
{
    for_some_trees(check_both);
    for_bundled_models(1, check_both);
}

/* the back ends that pinion_batch_new does not choose here but may elsewhere */
static void check_instruction_sets(subject *s)
{
    const pn_backend *f64[8], *f32[8];
    const int count = pn_backends(sizeof(double), f64, 8), count32 = pn_backends(sizeof(float), f32, 8);
    CHECK(count == count32);
    for (int i = 0; i < count && i < count32; i++) {
        pinion_batch *b = pn_batch_new_with(s->m, f64[i], f32[i]);
        check_batch(s, b);
        check_batch_f32(s, b);
        pinion_batch_free(b);
    }
}
TEST(every_instruction_set_equals_single_calls)
{
    for_some_trees(check_instruction_sets);
}

/* ---- float beside double ---- */

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
    const size_t n = 3, nv = (size_t)s->nv;
    pinion_work_f32 *w = pinion_work_f32_new(s->m);
    rows_f32 narrow = rows_new_f32(s, n);
    rows wide = {n,
                 widened(narrow.q, n * (size_t)s->nq),
                 widened(narrow.v, n * nv),
                 widened(narrow.a, n * nv),
                 widened(narrow.tau, n * nv),
                 widened(narrow.f_ext, n * 6 * (size_t)s->bodies)};
    for (int call = 0; call < CALL_COUNT; call++) {
        if (!call_name[call]) continue;
        for (size_t i = 0; i < n; i++) {
            const size_t size = width_of(s, call, 0) + width_of(s, call, 1), wx = width_of(s, call, 0);
            float *x = some_f32(size);
            double *ref = some(size), *got;
            FINE(s, call_single_f32(s, w, call, i, &narrow, x, x + wx));
            FINE(s, call_single(s, s->w, call, i, &wide, ref, ref + wx));
            got = widened(x, size);
            const double error = check_error(got, ref, size, scale_of(s, call));
            const double allowed = tolerance_of(call, sizeof(float));
            check_count++;
            if (!(error <= allowed))
                CHECK_FAIL("%s: %s in float differs from double by %.3g, allowed %.3g", s->name,
                           call_name[call], error, allowed);
            free(x);
            free(ref);
            free(got);
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
        const int has = (joint.type == PINION_SPHERICAL || joint.type == PINION_FREE) && joint.nq > 0;
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

/* ---- refusals ---- */

static void check_quaternions(subject *s)
{
    int at = -1;
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        if ((joint.type == PINION_SPHERICAL || joint.type == PINION_FREE) && joint.nq > 0) at = joint.q_index;
    }
    if (at < 0) return;
    pinion_batch *b = pinion_batch_new(s->m, 1);
    check_refusal(s, b, at);
    check_refusal_f32(s, b, at);
    pinion_batch_free(b);
}
TEST(a_bad_quaternion_stops_the_batch)
{
    for_some_trees(check_quaternions);
}

/* ---- another model of the same structure ---- */

static void check_set_model(subject *s)
{
    const double g[3] = {1, 2, 3};
    pinion_model *copy = pinion_model_copy(s->m);
    pinion_batch *b = pinion_batch_new(s->m, 1);
    double *before = take(s, s->nv), *after = take(s, s->nv), *expected = take(s, s->nv);
    FINE(s, pinion_model_set_gravity(copy, g));
    FINE(s, pinion_batch_gravity(b, 1, s->q, before));
    FINE(s, pinion_batch_set_model(b, copy));
    FINE(s, pinion_batch_gravity(b, 1, s->q, after));
    FINE(s, pinion_gravity(copy, s->w, s->q, expected));
    CLOSE(s, after, expected, s->nv, scale_of(s, C_GRAVITY), 1e-12);
    FINE(s, pinion_batch_set_model(b, s->m));
    FINE(s, pinion_batch_gravity(b, 1, s->q, after));
    CHECK(!memcmp(after, before, (size_t)s->nv * sizeof *after));

    pinion_model *other = pinion_random_chain(s->nv + 1, 1, NULL);
    CHECK_STATUS(pinion_batch_set_model(b, other), PINION_ERR_MISMATCH);
    CHECK_STATUS(pinion_batch_set_model(b, NULL), PINION_ERR_ARGUMENT);
    FINE(s, pinion_batch_gravity(b, 1, s->q, after));
    CHECK(!memcmp(after, before, (size_t)s->nv * sizeof *after));
    pinion_model_free(other);
    pinion_batch_free(b);
    pinion_model_free(copy);
}
TEST(a_batch_can_change_to_an_edited_copy)
{
    for_some_trees(check_set_model);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(batches_equal_single_calls);
    RUN(every_instruction_set_equals_single_calls);
    RUN(single_precision_agrees_with_double);
    RUN(single_precision_of_the_rest);
    RUN(a_bad_quaternion_stops_the_batch);
    RUN(a_batch_can_change_to_an_edited_copy);
    return CHECK_END();
}
