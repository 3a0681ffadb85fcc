/* Closed loops in the driver: every integrator, every way to keep them closed, starting, storing, running out
 * of memory. */
#include "mechanism.h"
#include "memory/exhaust.h"

/* The slider-crank at a state that keeps its loop. */
static pinion_sim *start(const pinion_model *m, const pinion_sim_options *o)
{
    double q[3], v[3];
    pinion_sim *s = driver_sim(m, o);
    mechanism_slider_crank_at(0.5, 3, q, v);
    if (s && pinion_sim_start(s, 0, q, v) != PINION_OK) CHECK_FAIL("%s", pinion_sim_message(s));
    return s;
}

/* Where it is after 2 s, as exactly as can be. */
static void reference(const pinion_model *m, instant *x)
{
    pinion_sim_options o = pinion_sim_options_default();
    o.integrator = PINION_INTEGRATOR_VERNER65;
    o.rtol = o.atol = 1e-13;
    pinion_sim *s = start(m, &o);
    memset(x, 0, sizeof *x);
    if (!s) return;
    driver_advance(s, 2);
    driver_get(s, x);
    pinion_sim_free(s);
}

TEST(integrators)
{
    /* errors of 2 s, with fixed steps of 1 ms and tolerances of 1e-10 */
    static const double most[PINION_INTEGRATOR_COUNT] = {
        [PINION_INTEGRATOR_DOPRI5] = 1e-8, [PINION_INTEGRATOR_VERNER65] = 1e-8,
        [PINION_INTEGRATOR_RK4] = 1e-8,    [PINION_INTEGRATOR_EULER] = 0.1,
        [PINION_INTEGRATOR_BDF] = 1e-5,    [PINION_INTEGRATOR_ADAMS] = 1e-6,
        [PINION_INTEGRATOR_DIRK] = 1e-6,   [PINION_INTEGRATOR_AUTO] = 1e-8};
    pinion_model *m = mechanism_slider_crank(0);
    instant exact, x;
    reference(m, &exact);
    for (int k = 0; k < PINION_INTEGRATOR_COUNT; k++) {
        pinion_error err = {0};
        pinion_sim_options o = pinion_sim_options_default();
        o.integrator = (pinion_integrator)k;
        if (!pinion_integrator_is_fixed(o.integrator)) o.rtol = o.atol = 1e-10;
        if (!pinion_integrator_takes_loops(o.integrator)) {
            CHECK(pinion_sim_new(m, &o, &err) == NULL);
            CHECK_STATUS(err.status, PINION_ERR_LOOPS);
            CHECK_HAS(err.message, pinion_integrator_name(o.integrator));
            CHECK_HAS(err.message, "dopri5");
            continue;
        }
        pinion_sim *s = start(m, &o);
        if (!s) continue;
        driver_advance(s, 2);
        driver_get(s, &x);
        const char *name = pinion_integrator_name(o.integrator);
        for (int i = 0; i < 3; i++)
            if (!(fabs(x.q[i] - exact.q[i]) <= most[k]))
                CHECK_FAIL("%s: q[%d] is off by %g", name, i, x.q[i] - exact.q[i]);
        const double open = k == PINION_INTEGRATOR_ADAMS ? 1e-8 : 1e-13;
        if (!(x.s.constraint <= open)) CHECK_FAIL("%s: the loop is open by %g", name, x.s.constraint);
        CHECK(pinion_sim_stabilization(s) == (k == PINION_INTEGRATOR_ADAMS
                                                  ? PINION_STABILIZATION_BAUMGARTE
                                                  : PINION_STABILIZATION_PROJECTION));
        pinion_sim_free(s);
    }
    pinion_model_free(m);
}

/* Projection does not cost a method its order. */
TEST(orders)
{
    static const struct {
        pinion_integrator kind;
        double step, order;
    } method[] = {{PINION_INTEGRATOR_EULER, 1e-3, 1}, {PINION_INTEGRATOR_RK4, 1e-3, 4}};
    pinion_model *m = mechanism_slider_crank(0);
    instant exact, x;
    reference(m, &exact);
    for (int k = 0; k < 2; k++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            pinion_sim_options o = pinion_sim_options_default();
            o.integrator = method[k].kind;
            o.step = method[k].step / (1 + i);
            pinion_sim *s = start(m, &o);
            if (!s) return;
            driver_advance(s, 2);
            driver_get(s, &x);
            error[i] = fabs(x.q[0] - exact.q[0]);
            pinion_sim_free(s);
        }
        CHECK_NEAR(log2(error[0] / error[1]), method[k].order, 0.4);
    }
    pinion_model_free(m);
}

/* How far the loop is open after a long time of coarse steps. */
static double openness(const pinion_model *m, pinion_stabilization how, double *drift)
{
    pinion_sim_options o = pinion_sim_options_default();
    instant x;
    o.integrator = PINION_INTEGRATOR_RK4;
    o.step = 0.01;
    o.stabilization = how;
    pinion_sim *s = start(m, &o);
    if (!s) return NAN;
    CHECK(pinion_sim_stabilization(s) == how);
    driver_advance(s, 20);
    driver_get(s, &x);
    pinion_sim_free(s);
    *drift = x.s.largest_drift;
    return x.s.constraint;
}

TEST(stabilizations)
{
    pinion_model *m = mechanism_slider_crank(0);
    double drift[PINION_STABILIZATION_COUNT], open[PINION_STABILIZATION_COUNT];
    for (int i = 0; i < PINION_STABILIZATION_COUNT; i++)
        open[i] = openness(m, (pinion_stabilization)i, &drift[i]);
    CHECK(open[PINION_STABILIZATION_PROJECTION] <= 1e-14);
    CHECK(open[PINION_STABILIZATION_BOTH] <= 1e-14);
    CHECK(open[PINION_STABILIZATION_BAUMGARTE] <= 1e-2 * open[PINION_STABILIZATION_NONE]);
    CHECK(open[PINION_STABILIZATION_BAUMGARTE] > 1e-12);
    CHECK(open[PINION_STABILIZATION_NONE] > 1e-7);
    for (int i = 0; i < PINION_STABILIZATION_COUNT; i++) {
        CHECK(pinion_stabilization_find(pinion_stabilization_name((pinion_stabilization)i)) == i);
        if (check_filter) printf("%s: open %g, drift %g\n", pinion_stabilization_name(i), open[i], drift[i]);
    }
    CHECK(pinion_stabilization_find("nothing") == -1 &&
          pinion_stabilization_name(PINION_STABILIZATION_COUNT) == NULL);
    pinion_model_free(m);
}

/* What a simulation says does not depend on how the way to it was cut, and the state at the ends of steps and
 * between them is on the constraints. */
TEST(between_steps)
{
    pinion_model *m = mechanism_slider_crank(0);
    for (int k = 0; k < 4; k++) {
        pinion_sim_options o = driver_options(k);
        pinion_sim *a = start(m, &o), *b = start(m, &o);
        instant x, y;
        if (!a || !b) continue;
        for (int i = 1; i <= 300; i++) {
            driver_advance(a, 2e-3 * i);
            driver_get(a, &x);
            CHECK(x.s.constraint <= 1e-14);
        }
        driver_advance(b, x.s.t);
        driver_get(b, &y);
        CHECK(same_instant(&x, &y));
        pinion_sim_free(a);
        pinion_sim_free(b);
    }
    pinion_model_free(m);
}

TEST(resume)
{
    pinion_model *m = mechanism_slider_crank(4);
    for (int k = 0; k < PINION_INTEGRATOR_COUNT; k++) {
        if (!pinion_integrator_takes_loops((pinion_integrator)k)) continue;
        pinion_sim_options o = driver_options(k);
        double q[3], v[3];
        mechanism_slider_crank_at(0.5, 4, q, v);
        pinion_sim *a = driver_sim(m, &o), *b = driver_sim(m, &o);
        const int size = pinion_sim_memory_size(a);
        double *memory = calloc((size_t)size, sizeof *memory);
        instant x, y;
        CHECK_STATUS(pinion_sim_start(a, 0, q, v), PINION_OK);
        driver_advance(a, 0.1234567);
        CHECK_STATUS(pinion_sim_store(a, memory), PINION_OK);
        CHECK_STATUS(pinion_sim_restore(b, memory, size), PINION_OK);
        for (int i = 1; i <= 20; i++) {
            const double t = 0.1234567 + 0.013 * i;
            driver_advance(a, t);
            driver_advance(b, t);
            driver_get(a, &x);
            driver_get(b, &y);
            if (!same_instant(&x, &y))
                CHECK_FAIL("%s differs at t = %g", pinion_integrator_name(o.integrator), t);
        }
        free(memory);
        pinion_sim_free(a);
        pinion_sim_free(b);
    }
    pinion_model_free(m);
}

/* An event within a step, and what comes after it. */
TEST(event)
{
    pinion_model *m = mechanism_slider_crank(4);
    pinion_error err = {0};
    pinion_sim *s = driver_sim(m, NULL);
    pinion_event_def def = pinion_event_def_default();
    pinion_event_hit hit = {0};
    double q[3], v[3];
    def.kind = PINION_EVENT_PLANE;
    def.index = pinion_model_find_frame(m, "slider");
    def.normal[0] = 1;
    def.normal[2] = 0;
    def.height = 0.8;
    def.stop = 1;
    CHECK_STATUS(pinion_sim_add_event(s, &def, &err), PINION_OK);
    mechanism_slider_crank_at(0.5, 4, q, v);
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    driver_advance(s, 2);
    CHECK(pinion_sim_stopped(s) && pinion_sim_next_event(s, &hit));
    /* x^2 - 2 x r cos + r^2 = l^2 at x = l: cos = r/(2 l) */
    CHECK_NEAR(0.5 + 4 * hit.t, acos(0.3 / 1.6), 1e-11);
    pinion_sim_free(s);
    pinion_model_free(m);
}

/* Starts that do not keep the loop: brought onto it when they are near, else refused in words. */
TEST(starting)
{
    pinion_model *m = mechanism_slider_crank(0);
    pinion_sim *s = driver_sim(m, NULL);
    double q[3], v[3];
    instant x;
    mechanism_slider_crank_at(0.5, 3, q, v);
    q[1] += 3e-7;
    v[2] += 2e-7;
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    driver_get(s, &x);
    CHECK(x.s.constraint <= 1e-15);
    CHECK_NEAR(x.q[1], q[1], 1e-6);
    CHECK(x.s.drift == 0);

    q[1] += 1e-3;
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_ERR_CONVERGENCE);
    CHECK_HAS(pinion_sim_message(s), "'pin'");
    CHECK_HAS(pinion_sim_message(s), "a run begins where all loops are closed");
    mechanism_slider_crank_at(0.5, 3, q, v);
    v[2] += 1e-3;
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_ERR_CONVERGENCE);
    CHECK_HAS(pinion_sim_message(s), "a run begins with velocities that keep the loops closed");
    CHECK_STATUS(pinion_sim_advance(s, 1), PINION_ERR_ARGUMENT);

    /* and after that it still works */
    mechanism_slider_crank_at(0.5, 3, q, v);
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    driver_advance(s, 0.1);
    pinion_sim_free(s);
    pinion_model_free(m);
}

TEST(options)
{
    pinion_model *m = mechanism_slider_crank(0);
    pinion_sim_options o = pinion_sim_options_default();
    pinion_error err = {0};
    CHECK(o.stabilization == PINION_STABILIZATION_PROJECTION && o.baumgarte == 20);
    o.baumgarte = -1;
    CHECK(!pinion_sim_new(m, &o, &err));
    CHECK_HAS(err.message, "baumgarte");
    o = pinion_sim_options_default();
    o.stabilization = PINION_STABILIZATION_COUNT;
    CHECK(!pinion_sim_new(m, &o, &err));
    CHECK_HAS(err.message, "stabilization");

    /* an algorithm for trees cannot do it, those for loops agree */
    o = pinion_sim_options_default();
    o.algorithm = pinion_algorithm_find("aba");
    CHECK(!pinion_sim_new(m, &o, &err));
    static const char *const names[] = {"loop-direct", "loop-multipliers", "loop-nullspace"};
    instant exact, x;
    reference(m, &exact);
    for (int i = 0; i < 3; i++) {
        o.algorithm = pinion_algorithm_find(names[i]);
        CHECK(o.algorithm >= 0);
        pinion_sim *s = start(m, &o);
        if (!s) continue;
        driver_advance(s, 2);
        driver_get(s, &x);
        for (int k = 0; k < 3; k++) CHECK_NEAR(x.q[k], exact.q[k], 1e-9);
        pinion_sim_free(s);
    }
    pinion_model_free(m);
}

/* Making and starting a simulation, with memory for part of it. */
static int try_start(void *context, pinion_error *err)
{
    double q[3], v[3];
    mechanism_slider_crank_at(0.5, 4, q, v);
    pinion_sim *s = pinion_sim_new(context, NULL, err);
    pinion_status status = s ? pinion_sim_start(s, 0, q, v) : err->status;
    if (s && status == PINION_OK) status = pinion_sim_advance(s, 0.05);
    if (s) err->status = status;
    alloc_work();
    pinion_sim_free(s);
    return s && status == PINION_OK;
}

TEST(memory)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = mechanism_slider_crank(4);
    exhaust(try_start, m, ONLY_MEMORY);

    /* steps take none */
    for (int k = 0; k < 4; k++) {
        pinion_sim_options o = driver_options(k);
        double q[3], v[3];
        instant x;
        mechanism_slider_crank_at(0.5, 4, q, v);
        pinion_sim *s = driver_sim(m, &o);
        if (!s) continue;
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        const long before = alloc_calls;
        driver_advance(s, 0.1);
        driver_get(s, &x);
        CHECK(alloc_calls == before);
        pinion_sim_free(s);
    }
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(integrators);
    RUN(orders);
    RUN(stabilizations);
    RUN(between_steps);
    RUN(resume);
    RUN(event);
    RUN(starting);
    RUN(options);
    RUN(memory);
    return CHECK_END();
}
