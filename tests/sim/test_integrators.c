/* The contract of steppers: stored and resumed runs are the same to the bit, outputs do not change a run,
 * steps end where they are told, failures say what and where and leave the stepper usable. */
#include "problem.h"

static int fixed_step(int i)
{
    return i >= PINION_INTEGRATOR_RK4 && i <= PINION_INTEGRATOR_VARIATIONAL;
}

static pinion_sim_options settings(int i)
{
    pinion_sim_options o = with((pinion_integrator)i, fixed_step(i) ? 1e-2 : 0);
    o.rtol = 1e-7;
    o.atol = 1e-9;
    return o;
}

/* a tree with every type of joint, driven */
static problem example(void)
{
    problem p = random_tree(9, 1, 11, 1);
    p.drive = 0.3;
    return p;
}

typedef struct final {
    double t, q[MOST], v[MOST], z;
    long count[3];
} final;

static final finish(pn_stepper *s, double end)
{
    final f;
    memset(&f, 0, sizeof f);
    run_to(s, end);
    f.t = pn_stepper_now(s);
    CHECK_STATUS(pn_stepper_at(s, f.t, f.q, f.v, &f.z), PINION_OK);
    pn_stepper_counts(s, &f.count[0], &f.count[1], &f.count[2]);
    return f;
}

TEST(resumed_runs_are_the_same_to_the_bit)
{
    for (int i = 0; i < PINION_INTEGRATOR_COUNT; i++) {
        problem p = example(), other = example();
        pinion_sim_options o = settings(i);
        pn_stepper *s = begin(&p, &o), *r = begin(&other, &o);
        double *memory = calloc((size_t)pn_stepper_memory_size(s), sizeof *memory);
        CHECK(pn_stepper_memory_size(s) == pn_stepper_memory_size(r));
        /* the second one is somewhere else meanwhile */
        run_to(r, 0.3);
        for (int k = 0; k < 25; k++) CHECK_STATUS(pn_stepper_step(s, 1), PINION_OK);
        CHECK_STATUS(pn_stepper_store(s, memory), PINION_OK);
        CHECK_STATUS(pn_stepper_restore(r, memory), PINION_OK);
        CHECK(pn_stepper_now(r) == pn_stepper_now(s) && pn_stepper_before(r) == pn_stepper_now(s));
        /* the dense output in the first step after it, too */
        double a[MOST], b[MOST];
        CHECK_STATUS(pn_stepper_step(s, 1), PINION_OK);
        CHECK_STATUS(pn_stepper_step(r, 1), PINION_OK);
        const double t = 0.5 * (pn_stepper_before(s) + pn_stepper_now(s));
        CHECK_STATUS(pn_stepper_at(s, t, a, NULL, NULL), PINION_OK);
        CHECK_STATUS(pn_stepper_at(r, t, b, NULL, NULL), PINION_OK);
        CHECK(memcmp(a, b, (size_t)p.nq * sizeof *a) == 0);
        const final f = finish(s, 1), g = finish(r, 1);
        printf("    %-12s %ld steps, %ld refused, %ld evaluations\n", NAMES[i], f.count[0], f.count[1],
               f.count[2]);
        CHECK(memcmp(&f, &g, sizeof f) == 0);
        free(memory);
        pn_stepper_free(s);
        pn_stepper_free(r);
        problem_free(&p);
        problem_free(&other);
    }
}

/* what was stored may come from a damaged file */
TEST(damaged_memory_is_refused)
{
    for (int i = 0; i < PINION_INTEGRATOR_COUNT; i++) {
        problem p = example();
        pinion_sim_options o = settings(i);
        pn_stepper *s = begin(&p, &o);
        const int n = pn_stepper_memory_size(s);
        double *memory = calloc((size_t)n, sizeof *memory);
        run_to(s, 0.1);
        CHECK_STATUS(pn_stepper_store(s, memory), PINION_OK);
        for (int k = 0; k < n; k++) {
            const double x = memory[k];
            memory[k] = NAN;
            CHECK_STATUS(pn_stepper_restore(s, memory), PINION_ERR_ARGUMENT);
            memory[k] = x;
        }
        CHECK_STATUS(pn_stepper_step(s, 1), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pn_stepper_restore(s, memory), PINION_OK);
        CHECK_STATUS(pn_stepper_step(s, 1), PINION_OK);
        free(memory);
        pn_stepper_free(s);
        problem_free(&p);
    }
}

TEST(outputs_change_nothing)
{
    for (int i = 0; i < PINION_INTEGRATOR_COUNT; i++) {
        problem p = example();
        pinion_sim_options o = settings(i);
        double q[MOST], v[MOST], z;
        pn_stepper *s = begin(&p, &o);
        final f = finish(s, 0.5);
        CHECK_STATUS(pn_stepper_start(s, 0, p.q, p.v, NULL), PINION_OK);
        while (pn_stepper_now(s) < 0.5) {
            CHECK_STATUS(pn_stepper_step(s, 0.5), PINION_OK);
            for (int k = 0; k <= 10; k++) {
                const double a = pn_stepper_before(s), b = pn_stepper_now(s);
                CHECK_STATUS(pn_stepper_at(s, k == 10 ? b : a + 0.1 * k * (b - a), q, v, &z), PINION_OK);
            }
        }
        final g = finish(s, 0.5);
        f.count[2] = g.count[2] = 0; /* evaluations for the dense output are counted too */
        CHECK(memcmp(&f, &g, sizeof f) == 0);
        pn_stepper_free(s);
        problem_free(&p);
    }
}

/* the dense output meets both ends, and its slope there is the velocity */
TEST(dense_output_is_continuous)
{
    for (int i = 0; i < PINION_INTEGRATOR_COUNT; i++) {
        problem p = example();
        pinion_sim_options o = settings(i);
        pn_stepper *s = begin(&p, &o);
        double worst = 0, q[MOST], v[MOST], q1[MOST], v1[MOST];
        while (pn_stepper_now(s) < 0.5) {
            CHECK_STATUS(pn_stepper_step(s, 0.5), PINION_OK);
            const double a = pn_stepper_before(s), b = pn_stepper_now(s);
            CHECK_STATUS(pn_stepper_at(s, a, q, v, NULL), PINION_OK);
            CHECK_STATUS(pn_stepper_at(s, nextafter(a, b), q1, v1, NULL), PINION_OK);
            worst = fmax(worst, distance(&p, q, v, q1, v1));
            CHECK_STATUS(pn_stepper_at(s, b, q, v, NULL), PINION_OK);
            CHECK_STATUS(pn_stepper_at(s, nextafter(b, a), q1, v1, NULL), PINION_OK);
            worst = fmax(worst, distance(&p, q, v, q1, v1));
            CHECK_STATUS(pn_stepper_at(s, b + 0.1, q, v, NULL), PINION_ERR_ARGUMENT);
        }
        printf("    %-12s %.1e\n", NAMES[i], worst);
        /* the polynomial of a multistep method need not go through its earlier points */
        CHECK(worst <
              (i == PINION_INTEGRATOR_BDF || i == PINION_INTEGRATOR_ADAMS || i == PINION_INTEGRATOR_IDA
                   ? 1e-5
                   : 1e-13));
        pn_stepper_free(s);
        problem_free(&p);
    }
}

/* a torque that sets in at an instant: with a step that ends there it costs no accuracy; times of all
 * kinds as ends */
TEST(steps_end_where_the_system_jumps)
{
    /* the reference goes to the jump without it, and on with it */
    const double jump = 1.0 / 3;
    problem before = example(), after = example();
    double x[2 * MOST + 1], work;
    reference(&before, jump, 0.01, after.q, after.v, &work);
    after.push = 0.5;
    memcpy(x, after.q, sizeof after.q);
    memcpy(x + after.nq, after.v, (size_t)after.nv * sizeof *x);
    x[after.nq + after.nv] = work;
    for (int k = 0; k < 50; k++) {
        extrapolated_step(&after, jump + k * 0.01, 0.01, x);
        CHECK_STATUS(pinion_normalize(after.m, x), PINION_OK);
    }
    for (int i = 0; i < PINION_INTEGRATOR_COUNT; i++) {
        problem p = example();
        p.push = after.push;
        pinion_sim_options o = settings(i);
        const double tolerance = i == PINION_INTEGRATOR_EULER ? 2e-1 : i == PINION_INTEGRATOR_VARIATIONAL ? 5e-2 : 2e-5;
        double q[MOST], v[MOST], z;
        p.jump = jump;
        pn_stepper *s = begin(&p, &o);
        run_to(s, jump);
        CHECK(pn_stepper_now(s) == jump);
        /* a stop right after it, and one after the smallest possible time */
        CHECK_STATUS(pn_stepper_step(s, nextafter(jump, 1)), PINION_OK);
        CHECK(pn_stepper_now(s) == nextafter(jump, 1));
        run_to(s, jump + 1e-15);
        run_to(s, jump + 1e-9);
        CHECK(pn_stepper_now(s) == jump + 1e-9);
        run_to(s, jump + 0.5);
        CHECK(pn_stepper_now(s) == jump + 0.5);
        CHECK_STATUS(pn_stepper_at(s, jump + 0.5, q, v, &z), PINION_OK);
        const double e = distance(&p, x, x + p.nq, q, v);
        long steps, refused;
        pn_stepper_counts(s, &steps, &refused, NULL);
        printf("    %-12s error %.1e, work %.1e (%ld steps, %ld refused)\n", NAMES[i], e,
               fabs(z - x[p.nq + p.nv]), steps, refused);
        CHECK(e < tolerance);
        CHECK(fabs(z - x[p.nq + p.nv]) < 20 * tolerance);
        CHECK_STATUS(pn_stepper_step(s, jump), PINION_ERR_ARGUMENT);
        pn_stepper_free(s);
        problem_free(&p);
    }
    problem_free(&before);
    problem_free(&after);
}

/* fixed steps lie on a grid from the start, and the last one is shorter */
TEST(fixed_steps_keep_to_the_grid)
{
    for (int i = PINION_INTEGRATOR_RK4; i <= PINION_INTEGRATOR_VARIATIONAL; i++) {
        problem p = pendulum(1);
        pinion_sim_options o = with((pinion_integrator)i, 1e-3);
        pn_stepper *s = begin(&p, &o);
        run_to(s, 1);
        long steps;
        pn_stepper_counts(s, &steps, NULL, NULL);
        CHECK(steps == 1000);
        run_to(s, 1.0005);
        pn_stepper_counts(s, &steps, NULL, NULL);
        CHECK(steps == 1001);
        for (int k = 0; k < 1000; k++) CHECK_STATUS(pn_stepper_step(s, INFINITY), PINION_OK);
        CHECK_NEAR(pn_stepper_now(s), 2.0005, 1e-15);
        pn_stepper_free(s);
        problem_free(&p);
    }
}

TEST(max_step_holds)
{
    for (int i = 0; i < PINION_INTEGRATOR_COUNT; i++) {
        problem p = pendulum(1);
        pinion_sim_options o = with((pinion_integrator)i, fixed_step(i) ? 1 : 0);
        o.rtol = o.atol = 1e-2;
        o.max_step = 0.01;
        pn_stepper *s = begin(&p, &o);
        double longest = 0;
        while (pn_stepper_now(s) < 1) {
            if (pn_stepper_step(s, 1) != PINION_OK) break;
            longest = fmax(longest, pn_stepper_now(s) - pn_stepper_before(s));
        }
        CHECK(pn_stepper_now(s) == 1);
        CHECK(longest <= 0.01 * (1 + 1e-12) && longest > 0.005);
        pn_stepper_free(s);
        problem_free(&p);
    }
}

/* back to an instant in the last step, and on from there: as if it had started there */
TEST(cut_starts_anew)
{
    for (int i = 0; i < PINION_INTEGRATOR_COUNT; i++) {
        problem p = example();
        pinion_sim_options o = settings(i);
        pn_stepper *s = begin(&p, &o), *r = begin(&p, &o);
        double q[MOST], v[MOST], z;
        run_to(s, 0.2);
        CHECK_STATUS(pn_stepper_step(s, INFINITY), PINION_OK);
        const double t = 0.7 * pn_stepper_before(s) + 0.3 * pn_stepper_now(s);
        CHECK_STATUS(pn_stepper_at(s, t, q, v, &z), PINION_OK);
        CHECK_STATUS(pn_stepper_cut(s, t + 1), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pn_stepper_cut(s, t), PINION_OK);
        CHECK(pn_stepper_now(s) == t && pn_stepper_before(s) == t);
        CHECK_STATUS(pn_stepper_start(r, t, q, v, &z), PINION_OK);
        final f = finish(s, 0.5), g = finish(r, 0.5);
        memset(f.count, 0, sizeof f.count);
        memset(g.count, 0, sizeof g.count);
        CHECK_NEAR(distance(&p, f.q, f.v, g.q, g.v), 0, 1e-13);
        pn_stepper_free(s);
        pn_stepper_free(r);
        problem_free(&p);
    }
}

TEST(failures_come_back)
{
    for (int i = 0; i < PINION_INTEGRATOR_COUNT; i++) {
        problem p = pendulum(2);
        pinion_sim_options o = settings(i);
        pn_stepper *s = begin(&p, &o);
        double q[MOST], q1[MOST];
        run_to(s, 0.1);
        CHECK_STATUS(pn_stepper_at(s, 0.1, q, NULL, NULL), PINION_OK);
        /* from now on the system fails: in any place of a step, and persistently */
        for (int k = 1; k < 6; k++) {
            p.calls = 0;
            p.fail_after = k;
            pinion_status status = PINION_OK;
            for (int j = 0; j < 5 && status == PINION_OK; j++) status = pn_stepper_step(s, 1);
            CHECK_STATUS(status, PINION_ERR_CALLBACK);
            CHECK_HAS(pn_stepper_message(s), "t = 0.1");
        }
        if (i == PINION_INTEGRATOR_RK4) printf("    %s\n", pn_stepper_message(s));
        /* and when it works again, so does the stepper */
        p.fail_after = 0;
        CHECK(pn_stepper_before(s) == pn_stepper_now(s));
        const double t = pn_stepper_now(s);
        CHECK(t >= 0.1 && t < 0.3);
        CHECK_STATUS(pn_stepper_at(s, t, q1, NULL, NULL), PINION_OK);
        if (t == 0.1) CHECK(memcmp(q, q1, (size_t)p.nq * sizeof *q) == 0);
        run_to(s, 0.5);
        CHECK(pn_stepper_now(s) == 0.5);
        pn_stepper_free(s);
        problem_free(&p);
    }
}

/* v' = 1 + v^2 has its solution tan t only up to pi/2 */
TEST(blow_up_is_found)
{
    static const pinion_integrator METHODS[] = {PINION_INTEGRATOR_DOPRI5, PINION_INTEGRATOR_VERNER65,
                                                PINION_INTEGRATOR_BDF, PINION_INTEGRATOR_ADAMS,
                                                PINION_INTEGRATOR_DIRK};
    for (int k = 0; k < 5; k++) {
        problem p = pendulum(1);
        p.q[0] = p.v[0] = 0;
        p.blow_up = 1;
        pinion_sim_options o = with(METHODS[k], 0);
        pn_stepper *s = begin(&p, &o);
        pinion_status status = PINION_OK;
        while (status == PINION_OK && pn_stepper_now(s) < 2) status = pn_stepper_step(s, 2);
        printf("    %-8s t = %.12f: %s\n", NAMES[METHODS[k]], pn_stepper_now(s), pn_stepper_message(s));
        CHECK_STATUS(status, PINION_ERR_STEP);
        CHECK_NEAR(pn_stepper_now(s), acos(-1) / 2, 1e-4);
        CHECK_HAS(pn_stepper_message(s), "t = 1.57");
        pn_stepper_free(s);
        problem_free(&p);
    }
}

/* dampers that an explicit method needs tiny steps for */
TEST(stiff_systems_take_few_steps)
{
    long evaluations[PINION_INTEGRATOR_COUNT] = {0};
    static const pinion_integrator METHODS[] = {PINION_INTEGRATOR_DOPRI5, PINION_INTEGRATOR_BDF,
                                                PINION_INTEGRATOR_DIRK, PINION_INTEGRATOR_IDA,
                                                PINION_INTEGRATOR_AUTO};
    for (int k = 0; k < 5; k++) {
        problem p = pendulum(2);
        p.damping = 1e4;
        pinion_sim_options o = with(METHODS[k], 0);
        o.rtol = 1e-6;
        o.atol = 1e-8;
        pn_stepper *s = begin(&p, &o);
        run_to(s, 1);
        pn_stepper_counts(s, NULL, NULL, &evaluations[METHODS[k]]);
        printf("    %-8s %ld evaluations\n", NAMES[METHODS[k]], evaluations[METHODS[k]]);
        if (k) CHECK(evaluations[METHODS[k]] < evaluations[PINION_INTEGRATOR_DOPRI5] / 20);
        pn_stepper_free(s);
        problem_free(&p);
    }
}

/* a body that spins about a principal axis: nothing limits the step but the chart */
TEST(fast_spin_stays_in_the_chart)
{
    for (int i = 0; i < PINION_INTEGRATOR_COUNT; i++) {
        problem p = free_body(NOWHERE);
        pinion_model_free(p.m);
        pinion_work_free(p.w);
        const bar b[1] = {{PINION_JOINT_FREE, {0, 0, 1}, {0, 0, 0}, {1, {0, 0, 0}, {0.1, 0, 0, 0.2, 0, 0.3}}, 0}};
        problem_finish(&p, build_chain(b, 1, NOWHERE));
        p.v[2] = 100;
        pinion_sim_options o = with((pinion_integrator)i, fixed_step(i) ? 0.01 : 0);
        pn_stepper *s = begin(&p, &o);
        run_to(s, 10);
        double q[MOST], v[MOST];
        CHECK_STATUS(pn_stepper_at(s, 10, q, v, NULL), PINION_OK);
        /* 1000 rad about z */
        const double e = fabs(fabs(q[0] * cos(500) + q[3] * sin(500)) - 1);
        long steps, refused;
        pn_stepper_counts(s, &steps, &refused, NULL);
        printf("    %-12s %.1e (%ld steps, %ld refused)\n", NAMES[i], e, steps, refused);
        CHECK(e < 1e-8);
        CHECK(refused < 50);
        pn_stepper_free(s);
        problem_free(&p);
    }
}

TEST(bad_arguments_are_refused)
{
    problem p = pendulum(2);
    pn_system system = problem_system(&p);
    pinion_error err;
    pinion_sim_options o = settings(PINION_INTEGRATOR_DOPRI5);
    o.rtol = o.atol = 0;
    CHECK(pn_stepper_new(&system, &o, &err) == NULL && err.status == PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "tolerances are zero");
    o.rtol = NAN;
    CHECK(pn_stepper_new(&system, &o, &err) == NULL && err.status == PINION_ERR_ARGUMENT);
    o = settings(PINION_INTEGRATOR_RK4);
    o.step = 0;
    CHECK(pn_stepper_new(&system, &o, &err) == NULL);
    CHECK_HAS(err.message, "step");
    o = settings(PINION_INTEGRATOR_DOPRI5);
    o.max_step = -1;
    CHECK(pn_stepper_new(&system, &o, NULL) == NULL);
    o = settings(PINION_INTEGRATOR_COUNT);
    CHECK(pn_stepper_new(&system, &o, &err) == NULL);
    system.terms = NULL;
    o = settings(PINION_INTEGRATOR_IDA);
    CHECK(pn_stepper_new(&system, &o, &err) == NULL);
    CHECK_HAS(err.message, "terms");

    o = settings(PINION_INTEGRATOR_DOPRI5);
    pn_stepper *s = pn_stepper_new(&system, &o, &err);
    CHECK_STATUS(pn_stepper_step(s, 1), PINION_ERR_ARGUMENT);
    p.v[0] = INFINITY;
    CHECK_STATUS(pn_stepper_start(s, 0, p.q, p.v, NULL), PINION_ERR_ARGUMENT);
    p.q[0] = NAN;
    CHECK_STATUS(pn_stepper_start(s, 0, p.q, NULL, NULL), PINION_ERR_ARGUMENT);
    pn_stepper_free(s);
    pn_stepper_free(NULL);
    problem_free(&p);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(resumed_runs_are_the_same_to_the_bit);
    RUN(damaged_memory_is_refused);
    RUN(outputs_change_nothing);
    RUN(dense_output_is_continuous);
    RUN(steps_end_where_the_system_jumps);
    RUN(fixed_steps_keep_to_the_grid);
    RUN(max_step_holds);
    RUN(cut_starts_anew);
    RUN(failures_come_back);
    RUN(blow_up_is_found);
    RUN(stiff_systems_take_few_steps);
    RUN(fast_spin_stays_in_the_chart);
    RUN(bad_arguments_are_refused);
    return CHECK_END();
}
