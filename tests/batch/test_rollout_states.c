/* Rollouts of many states: the same bits on any number of threads and in any layout; states that fail, and the others
 * beside them; what is refused; single precision; no allocation. */
#include "batch/batch_internal.h"
#include "memory/allocator.h"
#include "rollout.h"

static void ask_for_everything(scene *x)
{
    x->r.tau = x->tau;
    x->r.f_ext = x->f_ext;
    x->r.passive = 1;
    x->r.q_target = x->q_target;
    x->r.kp = x->kp;
    x->r.kd = x->kd;
    x->r.v_target = x->v_target;
    x->r.limit = x->limit;
    x->r.q_record = x->q_record;
    x->r.v_record = x->v_record;
}

static double *copy(const double *x, size_t n)
{
    double *y = numbers(n);
    memcpy(y, x, n * sizeof *y);
    return y;
}

/* whether two arrays have the same bits, but for the signs and payloads of NaN */
static int same(const double *x, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(x + i, y + i, sizeof *x) != 0 && !(isnan(x[i]) && isnan(y[i]))) return 0;
    return 1;
}

/* ---- threads and layouts ---- */

TEST(the_number_of_threads_does_not_matter)
{
    static const size_t counts[] = {1, 2, 7, 16, 33, 100, 257};
    uint64_t seed = check_seed;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        scene x = scene_new(pinion_random_tree(8, 1, 3 + k, NULL), counts[k], 7, 2, 3, &seed);
        const size_t nq = x.count * x.nq, nv = x.count * x.nv;
        ask_for_everything(&x);
        x.b->work_each = 1; /* two packs are enough for two threads */
        x.r.method = k % 2 ? PINION_STEP_RK4 : PINION_STEP_SEMI_IMPLICIT;
        CHECK_STATUS(scene_run(&x), PINION_OK);
        double *q = copy(x.q1, nq), *v = copy(x.v1, nv), *record = copy(x.q_record, x.records * nq);
        for (int threads = 2; threads <= 5; threads++) {
            CHECK_STATUS(pinion_batch_set_threads(x.b, threads), PINION_OK);
            memset(x.q1, 0, nq * sizeof *q);
            memset(x.v1, 0, nv * sizeof *q);
            memset(x.q_record, 0, x.records * nq * sizeof *q);
            CHECK_STATUS(scene_run(&x), PINION_OK);
            CHECK(memcmp(q, x.q1, nq * sizeof *q) == 0);
            CHECK(memcmp(v, x.v1, nv * sizeof *q) == 0);
            CHECK(memcmp(record, x.q_record, x.records * nq * sizeof *q) == 0);
        }
        free(q);
        free(v);
        free(record);
        scene_free(&x);
    }
}

/* Every instruction set that this CPU has, the scalar one too; products and sums may be fused in some. */
TEST(every_instruction_set_gives_the_same)
{
    const pn_backend *list[8];
    const int backends = pn_backends(sizeof(double), list, 8);
    uint64_t seed = check_seed + 10;
    for (int i = 0; i < 16; i++) {
        scene x = scene_new(random_model(EVERY_TYPE, 1 + i % 8, 0, i / 4 % 2, &seed), 18, 6, 2, 3, &seed);
        ask_for_everything(&x);
        x.r.method = i % 2 ? PINION_STEP_RK4 : PINION_STEP_SEMI_IMPLICIT;
        CHECK_STATUS(scene_run(&x), PINION_OK);
        double *q = copy(x.q1, x.count * x.nq), *v = copy(x.v1, x.count * x.nv);
        for (int k = 0; k < backends; k++) {
            pinion_batch_free(x.b);
            x.b = pn_batch_new_with(x.m, list[k], &pn_backend_f32);
            if (!x.b) exit(1);
            CHECK_STATUS(scene_run(&x), PINION_OK);
            for (size_t s = 0; s < x.count; s++)
                CHECK_NEAR(state_error(x.m, x.q1 + s * x.nq, x.v1 + s * x.nv, q + s * x.nq, v + s * x.nv), 0, 1e-10);
        }
        free(q);
        free(v);
        scene_free(&x);
    }
    printf("       %d instruction sets\n", backends);
}

/* blocks of [count][n] become blocks of [n][count] */
/* rows of count states in columns or, with more than one lane, in whole packs, whose free lanes are 0 */
static double *laid(const double *x, size_t blocks, size_t count, size_t n, size_t lanes)
{
    const size_t room = (count + lanes - 1) / lanes * lanes * n;
    double *y = numbers(blocks * room);
    memset(y, 0, blocks * room * sizeof *y);
    for (size_t b = 0; x && b < blocks; b++)
        for (size_t s = 0; s < count; s++)
            for (size_t i = 0; i < n; i++)
                y[b * room + (lanes > 1 ? (s / lanes * n + i) * lanes + s % lanes : i * count + s)] =
                    x[(b * count + s) * n + i];
    return y;
}

static void check_laid_rollout(scene *x, pinion_layout layout)
{
    const size_t count = x->count, lanes = layout == PINION_LAYOUT_PACKS ? (size_t)pinion_batch_lanes(x->b) : 1;
    CHECK_STATUS(pinion_batch_set_layout(x->b, PINION_LAYOUT_ROWS), PINION_OK);
    CHECK_STATUS(scene_run(x), PINION_OK);
    CHECK_STATUS(pinion_batch_set_layout(x->b, layout), PINION_OK);
    double *t[] = {laid(x->q, 1, count, x->nq, lanes),
                   laid(x->v, 1, count, x->nv, lanes),
                   laid(x->tau, x->intervals, count, x->nv, lanes),
                   laid(x->q_target, x->intervals, count, x->nq, lanes),
                   laid(x->v_target, x->intervals, count, x->nv, lanes),
                   laid(x->f_ext, 1, count, x->nf, lanes),
                   laid(NULL, 1, count, x->nq, lanes),
                   laid(NULL, 1, count, x->nv, lanes),
                   laid(NULL, x->records, count, x->nq, lanes),
                   laid(NULL, x->records, count, x->nv, lanes)};
    pinion_rollout r = x->r;
    r.tau = t[2], r.q_target = t[3], r.v_target = t[4], r.f_ext = t[5], r.q_record = t[8], r.v_record = t[9];
    CHECK_STATUS(pinion_batch_rollout(x->b, count, &r, t[0], t[1], t[6], t[7]), PINION_OK);

    double *expected[] = {laid(x->q1, 1, count, x->nq, lanes), laid(x->v1, 1, count, x->nv, lanes),
                          laid(x->q_record, x->records, count, x->nq, lanes),
                          laid(x->v_record, x->records, count, x->nv, lanes)};
    const size_t blocks[] = {1, 1, x->records, x->records}, width[] = {x->nq, x->nv, x->nq, x->nv};
    for (int k = 0; k < 4; k++) {
        const size_t size = blocks[k] * pinion_batch_array_size(x->b, count, width[k]);
        CHECK(memcmp(expected[k], t[6 + k], size * sizeof(double)) == 0);
        free(expected[k]);
    }
    for (int k = 0; k < 10; k++) free(t[k]);
}

TEST(columns_and_packs_are_rows_laid_out_otherwise)
{
    uint64_t seed = check_seed + 1;
    for (size_t count = 1; count < 40; count += 9) {
        scene x = scene_new(pinion_random_tree(6, 1, 5, NULL), count, 9, 3, 4, &seed);
        ask_for_everything(&x);
        check_laid_rollout(&x, PINION_LAYOUT_COLUMNS);
        check_laid_rollout(&x, PINION_LAYOUT_PACKS);
        scene_free(&x);
    }
}

/* States of q and v in one array, and one row of controls for all states. */
TEST(strides_say_where_numbers_are)
{
    uint64_t seed = check_seed + 2;
    scene x = scene_new(pinion_random_tree(6, 1, 6, NULL), 21, 8, 2, 0, &seed);
    const size_t row = x.nq + x.nv;
    double *both = numbers(x.count * row);
    for (size_t s = 0; s < x.count; s++) {
        memcpy(both + s * row, x.q + s * x.nq, x.nq * sizeof(double));
        memcpy(both + s * row + x.nq, x.v + s * x.nv, x.nv * sizeof(double));
    }
    ask_for_everything(&x);
    x.r.q_record = x.r.v_record = NULL;
    /* the controls of the first state of each interval are those of all */
    double *tau = numbers(x.intervals * x.nv), *target = numbers(x.intervals * x.nq);
    for (size_t k = 0; k < x.intervals; k++) {
        memcpy(tau + k * x.nv, x.tau + k * x.count * x.nv, x.nv * sizeof *tau);
        memcpy(target + k * x.nq, x.q_target + k * x.count * x.nq, x.nq * sizeof *tau);
        for (size_t s = 1; s < x.count; s++) {
            memcpy(x.tau + (k * x.count + s) * x.nv, tau + k * x.nv, x.nv * sizeof *tau);
            memcpy(x.q_target + (k * x.count + s) * x.nq, target + k * x.nq, x.nq * sizeof *tau);
        }
    }
    CHECK_STATUS(scene_run(&x), PINION_OK);

    x.r.tau = tau;
    x.r.q_target = target;
    static const pinion_batch_array arrays[] = {PINION_BATCH_Q, PINION_BATCH_V, PINION_BATCH_OUT, PINION_BATCH_OUT_2};
    for (int i = 0; i < 4; i++)
        CHECK_STATUS(pinion_batch_set_stride(x.b, arrays[i], (ptrdiff_t)row, 1), PINION_OK);
    CHECK_STATUS(pinion_batch_set_stride(x.b, PINION_BATCH_TAU, 0, 1), PINION_OK);
    CHECK_STATUS(pinion_batch_set_stride(x.b, PINION_BATCH_Q_TARGET, 0, 1), PINION_OK);
    CHECK_STATUS(pinion_batch_rollout(x.b, x.count, &x.r, both, both + x.nq, both, both + x.nq), PINION_OK);
    for (size_t s = 0; s < x.count; s++) {
        CHECK(memcmp(both + s * row, x.q1 + s * x.nq, x.nq * sizeof(double)) == 0);
        CHECK(memcmp(both + s * row + x.nq, x.v1 + s * x.nv, x.nv * sizeof(double)) == 0);
    }
    /* an output needs a place for every state */
    CHECK_STATUS(pinion_batch_set_stride(x.b, PINION_BATCH_OUT, 0, 1), PINION_OK);
    CHECK_STATUS(pinion_batch_rollout(x.b, x.count, &x.r, both, both + x.nq, both, both + x.nq), PINION_ERR_ARGUMENT);
    free(both);
    free(tau);
    free(target);
    scene_free(&x);
}

/* ---- states that fail ---- */

/* A point mass on a slide across a hinge: without inertia about the hinge where it is on its axis. */
static pinion_model *hinge_and_slide(void)
{
    pinion_builder *b = pinion_builder_new("hinge and slide");
    static const char *const links[3] = {"base", "arm", "weight"};
    pinion_error err = {0};
    if (!b) exit(1);
    for (int i = 0; i < 3; i++) {
        pinion_link_def link = pinion_link_def_default();
        link.name = links[i];
        link.inertia.mass = i == 2;
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    }
    for (int i = 0; i < 2; i++) {
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = i ? "slide" : "hinge";
        joint.type = i ? PINION_JOINT_PRISMATIC : PINION_JOINT_REVOLUTE;
        joint.parent = links[i];
        joint.child = links[i + 1];
        joint.axis[0] = i;
        joint.axis[1] = 0;
        joint.axis[2] = !i;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) printf("%s\n", err.message);
    pinion_builder_free(b);
    return m;
}

TEST(a_singular_state_ends_alone)
{
    uint64_t seed = check_seed + 3;
    scene x = scene_new(hinge_and_slide(), 37, 10, 0, 2, &seed);
    pinion_status status[37];
    for (size_t s = 0; s < x.count; s++) x.q[2 * s + 1] = 0.5 + 0.01 * (double)s;
    x.r.q_record = x.q_record;
    x.r.dt = 0x1p-10;
    CHECK_STATUS(scene_run(&x), PINION_OK);
    double *q = copy(x.q1, x.count * x.nq), *record = copy(x.q_record, x.records * x.count * x.nq);

    /* two on the axis from the start, one that will be there after four steps */
    x.q[2 * 5 + 1] = x.q[2 * 30 + 1] = 0;
    x.q[2 * 17 + 1] = 0.25, x.v[2 * 17] = 0, x.v[2 * 17 + 1] = -64;
    CHECK_STATUS(pinion_batch_set_status(x.b, status), PINION_OK);
    CHECK_STATUS(scene_run(&x), PINION_ERR_SINGULAR);
    CHECK(pinion_batch_failed_state(x.b) == 5);
    CHECK_HAS(pinion_batch_message(x.b), "state 5: step 0: ");
    for (size_t s = 0; s < x.count; s++) {
        const int bad = s == 5 || s == 17 || s == 30;
        CHECK_STATUS(status[s], bad ? PINION_ERR_SINGULAR : PINION_OK);
        CHECK(bad ? isnan(x.q1[2 * s]) && isnan(x.q1[2 * s + 1]) && isnan(x.v1[2 * s]) && isnan(x.v1[2 * s + 1])
                  : same(x.q1 + 2 * s, q + 2 * s, 2));
        /* what was recorded before it failed stays */
        for (size_t k = 0; k < x.records; k++) {
            const double *now = x.q_record + 2 * (k * x.count + s);
            if (!bad) CHECK(same(now, record + 2 * (k * x.count + s), 2));
            if (bad) CHECK(isnan(now[1]) == (s != 17 || k >= 2));
        }
    }
    free(q);
    free(record);
    scene_free(&x);
}

TEST(a_wrong_quaternion_ends_alone)
{
    uint64_t seed = check_seed + 4;
    for (int threads = 1; threads <= 3; threads += 2) {
        scene x = scene_new(pinion_random_tree(5, 1, 8, NULL), 150, 5, 0, 0, &seed);
        pinion_status status[150];
        CHECK_STATUS(pinion_batch_set_threads(x.b, threads), PINION_OK);
        CHECK_STATUS(scene_run(&x), PINION_OK);
        double *q = copy(x.q1, x.count * x.nq);
        x.q[11 * x.nq] += 1e-3;
        x.q[120 * x.nq + 1] = NAN;
        x.q[140 * x.nq + 2] += 1e-3;
        CHECK_STATUS(pinion_batch_set_status(x.b, status), PINION_OK);
        CHECK_STATUS(scene_run(&x), PINION_ERR_QUATERNION);
        CHECK(pinion_batch_failed_state(x.b) == 11);
        CHECK_HAS(pinion_batch_message(x.b), "state 11: a quaternion");
        for (size_t s = 0; s < x.count; s++) {
            const int bad = s == 11 || s == 120 || s == 140;
            CHECK_STATUS(status[s], bad ? PINION_ERR_QUATERNION : PINION_OK);
            for (size_t i = 0; i < x.nq; i++)
                CHECK(bad ? isnan(x.q1[s * x.nq + i]) : x.q1[s * x.nq + i] == q[s * x.nq + i]);
        }
        free(q);
        scene_free(&x);
    }
}

/* Spins the base of a state so fast that it turns by more than 4 rad in the first step, also with what the turn itself
 * accelerates it by until then. */
static void spin(scene *x, size_t s)
{
    pinion_work *w = pinion_work_new(x->m);
    double *a = numbers(x->nv), *v = x->v + s * x->nv, turn = 0;
    if (!w) exit(1);
    for (v[0] = 4000; v[0] < 1e9; v[0] *= 2) {
        CHECK_STATUS(pinion_forward_dynamics(x->m, w, x->q + s * x->nq, v, x->tau + s * x->nv, NULL, a), PINION_OK);
        turn = x->r.dt * hypot(hypot(v[0] + x->r.dt * a[0], v[1] + x->r.dt * a[1]), v[2] + x->r.dt * a[2]);
        if (turn > 4) break;
    }
    CHECK(turn > 4);
    pinion_work_free(w);
    free(a);
}

TEST(states_that_blow_up_or_spin_are_told)
{
    uint64_t seed = check_seed + 5;
    scene x = scene_new(pinion_random_tree(4, 1, 9, NULL), 9, 5, 0, 0, &seed);
    pinion_status status[9];
    CHECK_STATUS(pinion_batch_set_status(x.b, status), PINION_OK);
    for (int method = 0; method < PINION_STEP_METHOD_COUNT; method++) {
        x.r.method = (pinion_step_method)method;
        x.r.tau = x.tau;
        /* a force that is not a number, and a base that turns by more than half a turn in a millisecond */
        x.tau[3 * x.nv + 7] = NAN;
        spin(&x, 6);
        CHECK_STATUS(scene_run(&x), PINION_ERR_STEP);
        CHECK(pinion_batch_failed_state(x.b) == 3);
        CHECK_HAS(pinion_batch_message(x.b), "no longer finite");
        for (size_t s = 0; s < x.count; s++) CHECK_STATUS(status[s], s == 3 || s == 6 ? PINION_ERR_STEP : PINION_OK);
        x.tau[3 * x.nv + 7] = 0;
        CHECK_STATUS(scene_run(&x), PINION_ERR_STEP);
        CHECK(pinion_batch_failed_state(x.b) == 6);
        CHECK_HAS(pinion_batch_message(x.b), "state 6: step 0: a joint turns");
        /* every number of it, also where no step follows */
        x.r.steps = 1;
        CHECK_STATUS(scene_run(&x), PINION_ERR_STEP);
        for (size_t i = 0; i < x.nq; i++) CHECK(isnan(x.q1[6 * x.nq + i]));
        for (size_t i = 0; i < x.nv; i++) CHECK(isnan(x.v1[6 * x.nv + i]));
        x.r.steps = 5;
    }
    scene_free(&x);
}

/* ---- what is refused ---- */

TEST(wrong_arguments_are_refused)
{
    uint64_t seed = check_seed + 6;
    scene x = scene_new(pinion_random_chain(3, 1, NULL), 4, 3, 0, 0, &seed);
    pinion_rollout good = x.r;
    CHECK_STATUS(pinion_batch_rollout(NULL, 4, &good, x.q, x.v, x.q1, x.v1), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_batch_rollout(x.b, 4, NULL, x.q, x.v, x.q1, x.v1), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_batch_rollout(x.b, 4, &good, NULL, x.v, x.q1, x.v1), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_batch_message(x.b), "q is NULL");
    CHECK_STATUS(pinion_batch_rollout(x.b, 0, &good, NULL, NULL, NULL, NULL), PINION_OK);
    for (int i = 0; i < 8; i++) {
        static const char *const text[] = {"pinion_rollout_default", "method", "method",   "dt",
                                           "q_target",               "kp",     "kd is not", "limit"};
        x.r = good;
        x.r.q_target = i == 4 ? NULL : x.q_target;
        x.kp[1] = x.kd[1] = x.limit[1] = 1;
        if (i == 0) x.r.cookie++;
        if (i == 1) x.r.method = PINION_STEP_METHOD_COUNT;
        if (i == 2) x.r.method = (pinion_step_method)-1;
        if (i == 3) x.r.dt = INFINITY;
        if (i == 4 || i == 5) x.r.kp = x.kp;
        if (i == 5) x.kp[1] = NAN;
        if (i == 6) x.r.kd = x.kd, x.kd[1] = -INFINITY;
        if (i == 7) x.r.limit = x.limit, x.limit[1] = -1;
        memset(x.q1, 0, x.count * x.nq * sizeof(double));
        CHECK_STATUS(scene_run(&x), PINION_ERR_ARGUMENT);
        CHECK_HAS(pinion_batch_message(x.b), text[i]);
        CHECK(x.q1[0] == 0); /* nothing was written */
    }
    scene_free(&x);
}

/* two links of which the second is held at both ends */
static pinion_model *closed_loop(void)
{
    pinion_builder *b = pinion_builder_new("loop");
    pinion_error err = {0};
    static const char *const links[3] = {"base", "crank", "rod"};
    static const char *const joints[3] = {"first", "second", "third"};
    if (!b) exit(1);
    for (int i = 0; i < 3; i++) {
        pinion_link_def link = pinion_link_def_default();
        link.name = links[i];
        link.inertia.mass = 1;
        for (int d = 0; d < 6; d += d ? 2 : 3) link.inertia.inertia[d] = 0.1;
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    }
    for (int i = 0; i < 3; i++) {
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = joints[i];
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = links[i == 2 ? 0 : i];
        joint.child = links[i == 2 ? 2 : i + 1];
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) printf("%s\n", err.message);
    pinion_builder_free(b);
    return m;
}

TEST(closed_loops_are_refused)
{
    uint64_t seed = check_seed + 7;
    scene x = scene_new(closed_loop(), 2, 3, 0, 0, &seed);
    CHECK(pinion_model_loop_count(x.m) == 1);
    CHECK_STATUS(scene_run(&x), PINION_ERR_UNSUPPORTED);
    CHECK_HAS(pinion_batch_message(x.b), "closed loops");
    scene_free(&x);
}

TEST(lengths_of_arrays)
{
    CHECK(pinion_rollout_intervals(10, 0) == 1 && pinion_rollout_intervals(10, 3) == 4);
    CHECK(pinion_rollout_intervals(9, 3) == 3 && pinion_rollout_intervals(2, 5) == 1);
    CHECK(pinion_rollout_intervals(SIZE_MAX, 1) == SIZE_MAX);
    CHECK(pinion_rollout_records(10, 0) == 0 && pinion_rollout_records(10, 3) == 3);
    CHECK(pinion_rollout_records(2, 5) == 0);
}

/* ---- single precision ---- */

static float *narrow(const double *x, size_t n)
{
    float *y = calloc(n + 1, sizeof *y);
    if (!y) exit(1);
    for (size_t i = 0; i < n; i++) y[i] = (float)x[i];
    return y;
}

/* Against double, from the same rounded numbers: a few hundred roundings of a float apart. */
TEST(single_precision_follows_double)
{
    uint64_t seed = check_seed + 8;
    double worst = 0;
    for (int i = 0; i < 12; i++) {
        pinion_model *m = i % 3 == 2 ? random_model(ONE_DOF, 5, 0, 1, &seed)
                                     : pinion_random_tree(5, 1, 20 + (uint64_t)i, NULL);
        scene x = scene_new(m, 19, 8, 3, 4, &seed);
        const size_t nq = x.count * x.nq, nv = x.count * x.nv;
        ask_for_everything(&x);
        x.r.passive = 0; /* friction changes sign with the last bit of a velocity */
        float *in[] = {narrow(x.q, nq),
                       narrow(x.v, nv),
                       narrow(x.tau, x.intervals * nv),
                       narrow(x.q_target, x.intervals * nq),
                       narrow(x.v_target, x.intervals * nv),
                       narrow(x.kp, x.nv),
                       narrow(x.kd, x.nv),
                       narrow(x.limit, x.nv),
                       narrow(x.f_ext, x.count * x.nf)};
        float *out[] = {narrow(x.q, nq), narrow(x.v, nv), narrow(x.q_record, x.records * nq)};
        pinion_rollout_f32 r = pinion_rollout_default_f32();
        r.method = x.r.method = i % 2 ? PINION_STEP_RK4 : PINION_STEP_SEMI_IMPLICIT;
        r.dt = x.r.dt, r.steps = x.r.steps, r.hold = x.r.hold, r.every = x.r.every;
        r.tau = in[2], r.q_target = in[3], r.v_target = in[4], r.kp = in[5], r.kd = in[6], r.limit = in[7];
        r.f_ext = in[8], r.q_record = out[2];
        CHECK_STATUS(scene_run(&x), PINION_OK);
        CHECK_STATUS(pinion_batch_rollout_f32(x.b, x.count, &r, in[0], in[1], out[0], out[1]), PINION_OK);
        for (size_t s = 0; s < nq; s++) worst = fmax(worst, fabs(out[0][s] - x.q1[s]));
        for (size_t s = 0; s < nv; s++) worst = fmax(worst, fabs(out[1][s] - x.v1[s]) / (1 + fabs(x.v1[s])));
        for (size_t s = 0; s < x.records * nq; s++) worst = fmax(worst, fabs(out[2][s] - x.q_record[s]));

        /* on threads the same bits */
        float *q = narrow(x.q, nq), *v = narrow(x.v, nv);
        CHECK_STATUS(pinion_batch_set_threads(x.b, 3), PINION_OK);
        CHECK_STATUS(pinion_batch_rollout_f32(x.b, x.count, &r, in[0], in[1], q, v), PINION_OK);
        CHECK(memcmp(q, out[0], nq * sizeof *q) == 0 && memcmp(v, out[1], nv * sizeof *v) == 0);
        /* and one step of it */
        r.steps = 1, r.q_target = r.v_target = r.kp = r.kd = r.limit = NULL;
        CHECK_STATUS(pinion_batch_rollout_f32(x.b, x.count, &r, in[0], in[1], q, v), PINION_OK);
        CHECK_STATUS(pinion_batch_step_f32(x.b, x.count, r.method, r.dt, in[0], in[1], in[2], in[8], out[0], out[1]),
                     PINION_OK);
        CHECK(memcmp(q, out[0], nq * sizeof *q) == 0 && memcmp(v, out[1], nv * sizeof *v) == 0);
        free(q);
        free(v);
        for (int k = 0; k < 9; k++) free(in[k]);
        for (int k = 0; k < 3; k++) free(out[k]);
        scene_free(&x);
    }
    printf("       largest difference %.1e\n", worst);
    CHECK(worst < 2e-4);
}

TEST(rollouts_do_not_allocate)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    uint64_t seed = check_seed + 9;
    scene x = scene_new(random_model(EVERY_TYPE, 6, 0, 1, &seed), 21, 5, 2, 1, &seed);
    ask_for_everything(&x);
    for (int method = 0; method < PINION_STEP_METHOD_COUNT; method++) {
        x.r.method = (pinion_step_method)method;
        const long before = alloc_calls;
        const pinion_status status = scene_run(&x);
        CHECK(alloc_calls == before);
        CHECK_STATUS(status, PINION_OK);
    }
    /* nor where a state fails */
    x.v[3] = NAN;
    const long before = alloc_calls;
    const pinion_status status = scene_run(&x);
    CHECK(alloc_calls == before);
    CHECK_STATUS(status, PINION_ERR_STEP);
    scene_free(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(the_number_of_threads_does_not_matter);
    RUN(every_instruction_set_gives_the_same);
    RUN(columns_and_packs_are_rows_laid_out_otherwise);
    RUN(strides_say_where_numbers_are);
    RUN(a_singular_state_ends_alone);
    RUN(a_wrong_quaternion_ends_alone);
    RUN(states_that_blow_up_or_spin_are_told);
    RUN(wrong_arguments_are_refused);
    RUN(closed_loops_are_refused);
    RUN(lengths_of_arrays);
    RUN(single_precision_follows_double);
    RUN(rollouts_do_not_allocate);
    return CHECK_END();
}
