/* Storing and restoring: a run that is resumed goes on exactly as the one that was stored. */
#include "driver.h"

/* What acts in these runs: a controller that changes with time, a force element that jumps, stops, friction.
 */
typedef struct scene {
    pinion_model *m;
    pinion_forces *f;
    pinion_controller *c;
    double q[DRIVER_MOST], v[DRIVER_MOST];
} scene;

static int scene_open(scene *x, int free_root, uint64_t seed)
{
    pinion_error err = {0};
    memset(x, 0, sizeof *x);
    x->m = pinion_random_tree(5, free_root, seed, &err);
    if (!x->m) return 0;
    const int nv = pinion_model_nv(x->m);
    double t[3] = {0, 0.11, 0.3}, tau[3 * DRIVER_MOST];
    for (int i = 0; i < 3 * nv; i++) tau[i] = 0.3 * sin(1.3 * i);
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_TABLE;
    def.count = 3;
    def.table_t = t;
    def.table_tau = tau;
    x->c = pinion_controller_new(x->m, &def, &err);
    pinion_wrench_def wrench = pinion_wrench_def_default();
    wrench.frame = pinion_model_link_count(x->m) - 1;
    wrench.wrench[4] = 3;
    wrench.start = 0.07;
    wrench.end = 0.21;
    x->f = pinion_forces_new(x->m);
    if (x->f) CHECK_STATUS(pinion_forces_add_wrench(x->f, &wrench, &err), PINION_OK);
    driver_random(x->m, seed, 1, x->q, x->v);
    return x->f && x->c;
}

static void scene_close(scene *x)
{
    pinion_controller_free(x->c);
    pinion_forces_free(x->f);
    pinion_model_free(x->m);
}

static pinion_sim *scene_sim(const scene *x, int integrator)
{
    pinion_error err = {0};
    pinion_sim_options o = driver_options(integrator);
    o.torque = pinion_controller_torque;
    o.torque_jump = pinion_controller_jump;
    o.torque_user = x->c;
    o.forces = x->f;
    o.stops = 1;
    o.friction_speed = 0.1;
    if (!pinion_integrator_is_fixed(o.integrator)) o.rtol = o.atol = 1e-7;
    pinion_sim *s = driver_sim(x->m, &o);
    pinion_event_def def = pinion_event_def_default();
    def.kind = PINION_EVENT_PLANE;
    def.index = pinion_model_link_count(x->m) - 1;
    double position[3], rotation[9];
    pinion_work *w = pinion_work_new(x->m);
    CHECK_STATUS(pinion_frame_pose(x->m, w, x->q, def.index, position, rotation), PINION_OK);
    def.height = position[2] - 0.02;
    if (s) CHECK_STATUS(pinion_sim_add_event(s, &def, &err), PINION_OK);
    pinion_work_free(w);
    return s;
}

/* Moves two simulations on side by side; all that they say must be equal. */
static void compare(pinion_sim *a, pinion_sim *b, double from, double to, const char *name)
{
    for (int k = 0; k <= 17; k++) {
        const double t = k == 17 ? to : from + (to - from) * k / 17;
        instant x, y;
        long m[3], n[3];
        pinion_event_hit h, i;
        driver_advance(a, t);
        driver_advance(b, t);
        driver_get(a, &x);
        driver_get(b, &y);
        if (!same_instant(&x, &y)) CHECK_FAIL("%s: differs at t = %g, stored at %g", name, t, from);
        pinion_sim_counts(a, &m[0], &m[1], &m[2]);
        pinion_sim_counts(b, &n[0], &n[1], &n[2]);
        if (memcmp(m, n, sizeof m) != 0)
            CHECK_FAIL("%s: %ld %ld %ld steps against %ld %ld %ld", name, m[0], m[1], m[2], n[0], n[1], n[2]);
        int more;
        do {
            more = pinion_sim_next_event(a, &h);
            CHECK(pinion_sim_next_event(b, &i) == more);
            if (more) CHECK(h.t == i.t && h.event == i.event && strcmp(h.text, i.text) == 0);
        } while (more);
    }
}

TEST(a_resumed_run_goes_on_bit_for_bit)
{
    const double when[] = {0, 0.03, 0.07, 0.1234, 0.2, 0.299};
    const size_t instants = check_rounds(6) < 6 ? 2 : 6;
    for (int tree = check_every(2) - 1; tree < 2; tree++) {
        scene x;
        if (!scene_open(&x, tree, check_seed % 100 + (uint64_t)tree)) CHECK_FAIL("no scene");
        for (int method = 0; x.c && method < PINION_INTEGRATOR_COUNT; method++)
            for (size_t k = 0; k < instants; k++) {
                pinion_sim *a = scene_sim(&x, method), *b = scene_sim(&x, method);
                if (!a || !b) break;
                CHECK_STATUS(pinion_sim_start(a, 0, x.q, x.v), PINION_OK);
                driver_advance(a, when[k]);
                while (pinion_sim_next_event(a, NULL)) continue;
                const int size = pinion_sim_memory_size(a);
                double *memory = calloc((size_t)size, sizeof *memory);
                CHECK_STATUS(pinion_sim_store(a, memory), PINION_OK);
                CHECK_STATUS(pinion_sim_restore(b, memory, size), PINION_OK);
                CHECK(pinion_sim_time(b) == when[k]);
                compare(a, b, when[k], 0.4, pinion_integrator_name(method));

                /* the same memory again, into a simulation that was elsewhere */
                CHECK_STATUS(pinion_sim_restore(a, memory, size), PINION_OK);
                CHECK_STATUS(pinion_sim_restore(b, memory, size), PINION_OK);
                compare(a, b, when[k], 0.4, pinion_integrator_name(method));
                free(memory);
                pinion_sim_free(a);
                pinion_sim_free(b);
            }
        scene_close(&x);
    }
}

/* Of methods that do not restart, storing itself changes nothing. */
TEST(storing_leaves_one_step_methods_alone)
{
    scene x;
    if (!scene_open(&x, 1, 4)) return;
    for (int method = 0; method < PINION_INTEGRATOR_COUNT; method++) {
        if (pinion_integrator_restarts(method)) continue;
        pinion_sim *a = scene_sim(&x, method), *b = scene_sim(&x, method);
        double *memory = calloc((size_t)pinion_sim_memory_size(a), sizeof *memory);
        CHECK_STATUS(pinion_sim_start(a, 0, x.q, x.v), PINION_OK);
        CHECK_STATUS(pinion_sim_start(b, 0, x.q, x.v), PINION_OK);
        for (int k = 1; k < 30; k++) {
            driver_advance(b, 0.007 * k);
            CHECK_STATUS(pinion_sim_store(b, memory), PINION_OK);
        }
        compare(a, b, 0.203, 0.4, pinion_integrator_name(method));
        free(memory);
        pinion_sim_free(a);
        pinion_sim_free(b);
    }
    scene_close(&x);
}

/* A method that restarts does the same in a run that is stored and goes on, and in a chain of runs that each
 * end at the store. */
TEST(chains_of_runs_equal_one_run)
{
    scene x;
    if (!scene_open(&x, 1, 6)) return;
    for (int method = 0; method < PINION_INTEGRATOR_COUNT; method++) {
        pinion_sim *a = scene_sim(&x, method), *b = scene_sim(&x, method);
        if (!a || !b) continue;
        const int size = pinion_sim_memory_size(a);
        double *memory = calloc((size_t)size, sizeof *memory), *other = calloc((size_t)size, sizeof *memory);
        CHECK_STATUS(pinion_sim_start(a, 0, x.q, x.v), PINION_OK);
        CHECK_STATUS(pinion_sim_start(b, 0, x.q, x.v), PINION_OK);
        for (int k = 1; k <= 5; k++) {
            driver_advance(a, 0.05 * k);
            driver_advance(b, 0.05 * k);
            while (pinion_sim_next_event(a, NULL)) continue;
            CHECK_STATUS(pinion_sim_store(a, other), PINION_OK);
            CHECK_STATUS(pinion_sim_store(b, memory), PINION_OK);
            CHECK(memcmp(other, memory, (size_t)size * sizeof *memory) == 0);
            pinion_sim_free(b);
            b = scene_sim(&x, method);
            CHECK_STATUS(pinion_sim_restore(b, memory, size), PINION_OK);
        }
        compare(a, b, 0.25, 0.4, pinion_integrator_name(method));
        free(memory);
        free(other);
        pinion_sim_free(a);
        pinion_sim_free(b);
    }
    scene_close(&x);
}

TEST(what_does_not_fit_is_refused)
{
    pinion_model *m = driver_text(SLIDER), *other = driver_text(ROD);
    pinion_sim_options o = pinion_sim_options_default(), rk4 = driver_options(PINION_INTEGRATOR_RK4);
    pinion_sim *a = driver_sim(m, &o), *b = driver_sim(m, &rk4), *c = driver_sim(other, &o);
    if (!a || !b || !c) return;
    const int size = pinion_sim_memory_size(a);
    double *memory = calloc((size_t)size + 100, sizeof *memory), q = 0;
    CHECK_STATUS(pinion_sim_store(a, memory), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_sim_start(a, 0, &q, NULL), PINION_OK);
    driver_advance(a, 0.5);
    CHECK_STATUS(pinion_sim_store(a, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_sim_store(a, memory), PINION_OK);
    CHECK_STATUS(pinion_sim_restore(a, memory, size - 1), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_sim_restore(a, NULL, size), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_sim_restore(b, memory, pinion_sim_memory_size(b)), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_sim_message(b), "not of a simulation like this one");
    CHECK_STATUS(pinion_sim_restore(a, memory, size), PINION_OK);

    /* numbers that make no sense: an error or a state, but nothing worse; never a time that is not there */
    for (int i = 0; i < size; i++) {
        const double kept = memory[i], bad[] = {NAN, INFINITY, -1e300, 1e300, 0};
        for (int k = 0; k < 5; k++) {
            memory[i] = bad[k];
            instant x;
            memset(&x, 0, sizeof x);
            x.s.q = x.q;
            if (pinion_sim_restore(a, memory, size) != PINION_OK) continue;
            (void)!pinion_sim_advance_some(a, pinion_sim_time(a) + 0.1, 50);
            (void)!pinion_sim_get(a, &x.s);
        }
        memory[i] = kept;
    }
    free(memory);
    pinion_sim_free(a);
    pinion_sim_free(b);
    pinion_sim_free(c);
    pinion_model_free(m);
    pinion_model_free(other);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_resumed_run_goes_on_bit_for_bit);
    RUN(storing_leaves_one_step_methods_alone);
    RUN(chains_of_runs_equal_one_run);
    RUN(what_does_not_fit_is_refused);
    return CHECK_END();
}
