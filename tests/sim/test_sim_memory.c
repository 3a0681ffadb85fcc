/* Simulations with memory running out: each attempt succeeds or fails cleanly. And a step of the library's
 * own methods takes no memory at all. */
#include "driver.h"
#include "memory/exhaust.h"

typedef struct setting {
    pinion_model *m;
    pinion_forces *f;
    int integrator;
    double q[DRIVER_MOST], v[DRIVER_MOST];
} setting;

static pinion_sim_options options_of(const setting *x)
{
    pinion_sim_options o = driver_options(x->integrator);
    o.forces = x->f;
    o.stops = 1;
    return o;
}

static pinion_status run_through(const setting *x, pinion_sim *s, pinion_error *err)
{
    pinion_event_def def = pinion_event_def_default();
    def.kind = PINION_EVENT_KINETIC;
    def.height = 1;
    pinion_status status = pinion_sim_add_event(s, &def, err);
    def.kind = PINION_EVENT_PLANE;
    def.index = 1;
    if (!status) status = pinion_sim_add_event(s, &def, err);
    if (status) return status;
    status = pinion_sim_start(s, 0, x->q, x->v);
    if (!status) status = pinion_sim_advance(s, 0.05);
    if (status) {
        err->status = status;
        snprintf(err->message, sizeof err->message, "%s", pinion_sim_message(s));
    }
    return status;
}

static int try_run(void *context, pinion_error *err)
{
    const setting *x = context;
    const pinion_sim_options o = options_of(x);
    pinion_sim *s = pinion_sim_new(x->m, &o, err);
    const pinion_status status = s ? run_through(x, s, err) : err->status;
    alloc_work();
    pinion_sim_free(s);
    return s && status == PINION_OK;
}

static int setting_open(setting *x)
{
    pinion_error err = {0};
    memset(x, 0, sizeof *x);
    x->m = pinion_random_tree(5, 1, 21, &err);
    x->f = x->m ? pinion_forces_new(x->m) : NULL;
    pinion_drag_def drag = pinion_drag_def_default();
    drag.frame = pinion_model_link_count(x->m) - 1;
    drag.density = 1000;
    drag.added_mass = 0.3;
    for (int i = 0; i < 3; i++) drag.area[i] = 0.01;
    if (x->f) CHECK_STATUS(pinion_forces_add_drag(x->f, &drag, &err), PINION_OK);
    if (x->m) driver_random(x->m, 3, 1, x->q, x->v);
    return x->f != NULL;
}

static void setting_close(setting *x)
{
    pinion_forces_free(x->f);
    pinion_model_free(x->m);
}

TEST(memory_running_out_is_reported)
{
    setting x;
    if (!ALLOCATOR) SKIP(allocator_absent);
    if (setting_open(&x)) {
        const int methods[] = {PINION_INTEGRATOR_DOPRI5, PINION_INTEGRATOR_VERNER65, PINION_INTEGRATOR_EULER,
                               PINION_INTEGRATOR_VARIATIONAL};
        for (int i = 0; i < 4; i++) {
            x.integrator = methods[i];
            exhaust(try_run, &x, ONLY_MEMORY);
        }
    }
    setting_close(&x);
}

TEST(steps_take_no_memory)
{
    setting x;
    if (!ALLOCATOR) SKIP(allocator_absent);
    if (setting_open(&x))
        for (int method = 0; method < PINION_INTEGRATOR_COUNT; method++) {
            if (pinion_integrator_restarts(method)) continue; /* SUNDIALS's: they make vectors as they go */
            x.integrator = method;
            const pinion_sim_options o = options_of(&x);
            pinion_sim *s = driver_sim(x.m, &o);
            if (!s) continue;
            instant y;
            CHECK_STATUS(pinion_sim_start(s, 0, x.q, x.v), PINION_OK);
            const long before = alloc_calls;
            driver_advance(s, 0.1);
            driver_get(s, &y);
            const long asked = alloc_calls - before;
            if (asked) CHECK_FAIL("%s asks %ld times for memory", pinion_integrator_name(method), asked);
            pinion_sim_free(s);
        }
    setting_close(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(memory_running_out_is_reported);
    RUN(steps_take_no_memory);
    return CHECK_END();
}
