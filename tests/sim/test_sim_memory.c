/* Simulations with memory running out: each attempt succeeds or fails cleanly. And a step of the library's
 * own methods takes no memory at all. */
#include "driver.h"
#include "memory/exhaust.h"
#include "pinion/sim/run.h"

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

/* A whole run, from the model's own start to its summary in the result. */
static int try_whole(void *context, pinion_error *err)
{
    pinion_run_def def = pinion_run_def_default();
    def.duration = 0.05;
    def.command = "a test";
    def.result = pinion_result_new();
    if (!def.result) no_error(err);
    pinion_run *run = def.result ? pinion_run_new(context, &def, err) : NULL;
    pinion_event_def event = pinion_event_def_default();
    event.kind = PINION_EVENT_KINETIC;
    event.height = 1;
    pinion_status status = run ? pinion_sim_add_event(pinion_run_simulation(run), &event, err) : PINION_ERR_MEMORY;
    if (status == PINION_OK && (status = pinion_run_to_end(run)) != PINION_OK) {
        err->status = status;
        snprintf(err->message, sizeof err->message, "%s", pinion_run_message(run));
    }
    alloc_work();
    if (status == PINION_OK) CHECK(pinion_result_get(def.result, "end") && pinion_result_row_count(def.result) == 101);
    pinion_run_free(run);
    pinion_result_free(def.result);
    return status == PINION_OK;
}

TEST(a_run_reports_it_too)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = driver_model("four-bar.json");
    if (m) exhaust(try_whole, m, ONLY_MEMORY);
    pinion_model_free(m);
}

static pinion_status count_row(void *user, int count, const double *values)
{
    (void)count;
    (void)values;
    ++*(int *)user;
    return PINION_OK;
}

TEST(rows_to_a_sink_take_no_memory)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    int rows = 0;
    pinion_error err = {0};
    pinion_model *m = driver_model("four-bar.json");
    pinion_run_def def = pinion_run_def_default();
    def.duration = 0.05;
    def.sink.user = &rows;
    def.sink.row = count_row;
    pinion_run *run = m ? pinion_run_new(m, &def, &err) : NULL;
    CHECK_STATUS(pinion_run_advance(run, 1), PINION_OK);
    const long before = alloc_calls;
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
    CHECK(alloc_calls == before && rows == 101);
    pinion_run_free(run);
    pinion_model_free(m);
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
    RUN(a_run_reports_it_too);
    RUN(rows_to_a_sink_take_no_memory);
    RUN(steps_take_no_memory);
    return CHECK_END();
}
