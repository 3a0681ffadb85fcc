/* Runs that a program steps itself: the same as sampled control to the bit, and what is changed on the way acts from
 * there on. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "control/block.h"
#include "pinion/model.h"
#include "pinion/sim/sim.h"

static const double mass = 2.5, stiff = 40, damped = 6;

static pinion_status feedback(void *user, double t, const double *q, const double *v, double *u)
{
    (void)user, (void)t;
    u[0] = -stiff * q[0] - damped * v[0];
    return PINION_OK;
}

static pinion_run *made(const pinion_model *m, const pinion_run_def *def)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_run *r = pinion_run_new(m, def, &err);
    if (!r) CHECK_FAIL("%s", err.message);
    return r;
}

static pinion_run_def def_of(pinion_integrator integrator, pinion_result *result)
{
    static const double q[1] = {0.3}, v[1] = {-0.2};
    pinion_run_def def = pinion_run_def_default();
    def.sim.integrator = integrator;
    if (pinion_integrator_is_fixed(integrator)) def.sim.step = 3e-3;
    def.duration = 1;
    def.output_step = 0.03;
    def.result = result;
    def.q = q;
    def.v = v;
    return def;
}

TEST(as_sampled_control)
{
    static const pinion_integrator method[] = {PINION_INTEGRATOR_AUTO, PINION_INTEGRATOR_DOPRI5, PINION_INTEGRATOR_RK4,
                                               PINION_INTEGRATOR_EULER, PINION_INTEGRATOR_BDF};
    const double period = 0.05;
    pinion_model *m = block_built(block_builder(mass));
    for (size_t i = 0; i < sizeof method / sizeof method[0]; i++) {
        pinion_result *result[2] = {pinion_result_new(), pinion_result_new()};
        pinion_run_def def = def_of(method[i], result[0]);
        def.sim.actuators = feedback;
        def.sim.sample = period;
        pinion_run *r = made(m, &def);
        CHECK_STATUS(pinion_run_to_end(r), PINION_OK);
        pinion_run_free(r);

        def = def_of(method[i], result[1]);
        def.by_hand = 1;
        r = made(m, &def);
        for (int k = 0; pinion_run_ended(r) == PINION_RUN_GOING; k++) {
            double q[1], v[1], u[1];
            pinion_sim_state state = {.q = q, .v = v};
            CHECK_STATUS(pinion_run_step_to(r, period * k), PINION_OK);
            if (pinion_run_ended(r) != PINION_RUN_GOING) break;
            CHECK_STATUS(pinion_sim_get(pinion_run_simulation(r), &state), PINION_OK);
            CHECK(state.t == period * k);
            CHECK_STATUS(feedback(NULL, state.t, q, v, u), PINION_OK);
            CHECK_STATUS(pinion_run_apply(r, NULL, u, NULL), PINION_OK);
        }
        CHECK(pinion_run_ended(r) == PINION_RUN_COMPLETE);
        pinion_run_free(r);

        /* but for forces at the instants where they change, of which a row by hand has those before */
        CHECK(pinion_result_row_count(result[0]) == 35 && pinion_result_row_count(result[1]) == 35);
        for (int c = 0; c < pinion_result_column_count(result[0]); c++) {
            pinion_column column;
            CHECK_STATUS(pinion_result_column(result[0], c, &column), PINION_OK);
            const double *x = pinion_result_values(result[0], c), *y = pinion_result_values(result[1], c);
            for (int k = 0; k < 35; k++)
                if (!(x[k] == y[k] || ((column.name[0] == 'a' || column.name[1] == 'a') && k % 5 == 0) || k == 34))
                    CHECK_FAIL("%s: %s[%d] is %.17g and %.17g", pinion_integrator_name(method[i]), column.name, k, x[k],
                               y[k]);
        }
        pinion_result_free(result[0]);
        pinion_result_free(result[1]);
    }
    pinion_model_free(m);
}

/* the state under a constant force for a time */
static void move(double *x, double *v, double u, double m, double time)
{
    *x += *v * time + u / m * time * time / 2;
    *v += u / m * time;
}

static void check_state(pinion_run *r, double x, double v)
{
    double q[1], w[1];
    pinion_sim_state state = {.q = q, .v = w};
    CHECK_STATUS(pinion_sim_get(pinion_run_simulation(r), &state), PINION_OK);
    CHECK_NEAR(q[0], x, 1e-11);
    CHECK_NEAR(w[0], v, 1e-11);
    CHECK_NEAR(state.drift, 0, 1e-10);
}

/* joint forces, forces on bodies, a payload and gravity along the rail, one after the other */
TEST(what_changes_on_the_way)
{
    pinion_model *m = block_built(block_builder(mass));
    pinion_run_def def = def_of(PINION_INTEGRATOR_DOPRI5, NULL);
    def.by_hand = 1;
    pinion_run *r = made(m, &def);
    double x = 0.3, v = -0.2, tau[1] = {7}, f_ext[2 * 6] = {0};
    CHECK_STATUS(pinion_run_apply(r, tau, NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_run_step(r, 0.1), PINION_OK);
    move(&x, &v, 7, mass, 0.1);
    check_state(r, x, v);
    const int body = pinion_model_body_count(m) - 1;
    f_ext[6 * body + 3] = -11;
    CHECK_STATUS(pinion_run_apply(r, NULL, NULL, f_ext), PINION_OK);
    CHECK_STATUS(pinion_run_step(r, 0.2), PINION_OK);
    move(&x, &v, 7 - 11, mass, 0.2);
    check_state(r, x, v);

    pinion_inertia load = {.mass = 1.5};
    CHECK_STATUS(pinion_model_set_payload(m, pinion_model_find_link(m, "block"), &load), PINION_OK);
    CHECK_STATUS(pinion_run_changed(r), PINION_OK);
    check_state(r, x, v);
    CHECK_STATUS(pinion_run_step(r, 0.3), PINION_OK);
    move(&x, &v, 7 - 11, mass + 1.5, 0.3);
    check_state(r, x, v);
    const double along[3] = {2, 0, 0};
    CHECK_STATUS(pinion_model_set_gravity(m, along), PINION_OK);
    CHECK_STATUS(pinion_run_changed(r), PINION_OK);
    CHECK_STATUS(pinion_run_step_to(r, 0.9), PINION_OK);
    move(&x, &v, 7 - 11 + 2 * (mass + 1.5), mass + 1.5, 0.3);
    check_state(r, x, v);
    CHECK_STATUS(pinion_run_step(r, 5), PINION_OK);
    CHECK(pinion_run_ended(r) == PINION_RUN_COMPLETE);
    pinion_run_free(r);
    pinion_model_free(m);
}

/* from the change of the gains on it is a run of its own */
TEST(gains)
{
    pinion_model *m = block_built(block_builder(mass));
    const double hold[1] = {0.1}, elsewhere[1] = {-0.1}, kp[2] = {30, 90}, kd[2] = {5, 9};
    pinion_control_def control = pinion_control_def_default();
    control.kind = PINION_CONTROL_PD;
    control.hold = hold;
    control.kp = kp;
    control.kd = kd;
    pinion_controller *c = pinion_controller_new(m, &control, NULL);
    pinion_run_def def = def_of(PINION_INTEGRATOR_DOPRI5, NULL);
    def.sim.actuators = pinion_controller_actuators;
    def.sim.actuators_user = c;
    pinion_run *r = made(m, &def);
    double q[2], v[2];
    pinion_sim_state state = {.q = q, .v = v};
    CHECK_STATUS(pinion_run_step(r, 0.4), PINION_OK);
    CHECK_STATUS(pinion_sim_get(pinion_run_simulation(r), &state), PINION_OK);
    CHECK_STATUS(pinion_controller_set_gains(c, kp + 1, kd + 1), PINION_OK);
    CHECK_STATUS(pinion_controller_set_hold(c, elsewhere), PINION_OK);
    CHECK_STATUS(pinion_run_changed(r), PINION_OK);
    pinion_run_def second = def;
    second.q = q;
    second.v = v;
    pinion_run *other = made(m, &second);
    CHECK_STATUS(pinion_run_step(other, 0.5), PINION_OK);
    CHECK_STATUS(pinion_sim_get(pinion_run_simulation(other), &state), PINION_OK);
    CHECK_STATUS(pinion_run_step(r, 0.5), PINION_OK);
    check_state(r, q[0], v[0]);
    pinion_run_free(other);
    pinion_run_free(r);
    const double bad[1] = {-1};
    CHECK_STATUS(pinion_controller_set_gains(c, bad, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_controller_set_hold(c, NULL), PINION_ERR_ARGUMENT);
    pinion_controller_free(c);
    pinion_model_free(m);
}

/* What is applied acts by a delay later, in closed form; more changes within the delay than are kept are refused. */
TEST(delays)
{
    const double D = 0.2, change = 0.37, T = 1, u[2] = {3, -2}, start[1] = {0};
    const char *joint = "slide";
    pinion_builder *b = block_builder(mass);
    pinion_actuator_def motor = pinion_actuator_def_default();
    motor.name = "motor";
    motor.joints = &joint;
    motor.dynamics.delay = D;
    CHECK_STATUS(pinion_builder_add_actuator(b, &motor, NULL), PINION_OK);
    pinion_model *m = block_built(b);
    pinion_run_def def = def_of(PINION_INTEGRATOR_DOPRI5, NULL);
    def.by_hand = 1;
    def.q = def.v = start;
    pinion_run *r = made(m, &def);
    CHECK_STATUS(pinion_run_apply(r, NULL, &u[0], NULL), PINION_OK);
    CHECK_STATUS(pinion_run_step(r, change), PINION_OK);
    CHECK_STATUS(pinion_run_apply(r, NULL, &u[1], NULL), PINION_OK);
    CHECK_STATUS(pinion_run_step(r, T - change), PINION_OK);
    double x = 0, v = 0;
    move(&x, &v, u[0], mass, change);
    move(&x, &v, u[1], mass, T - D - change);
    check_state(r, x, v);
    pinion_run_free(r);

    r = made(m, &def);
    pinion_status status = PINION_OK;
    int changes = 0;
    for (; changes < 5000 && status == PINION_OK; changes++) {
        status = pinion_run_apply(r, NULL, &u[changes % 2], NULL);
        if (status == PINION_OK) status = pinion_run_step(r, 1e-5);
    }
    CHECK_STATUS(status, PINION_ERR_UNSUPPORTED);
    CHECK(changes > 100 && changes < 5000);
    CHECK_HAS(pinion_run_message(r), "what is asked of an actuator jumps too often within its delay");
    pinion_run_free(r);
    pinion_model_free(m);
}

TEST(checkpoints_have_what_was_applied)
{
    static const pinion_integrator method[] = {PINION_INTEGRATOR_DOPRI5, PINION_INTEGRATOR_BDF};
    pinion_model *m = block_built(block_builder(mass));
    for (int i = 0; i < 2; i++) {
        pinion_run_def def = def_of(method[i], NULL);
        def.by_hand = 1;
        pinion_run *both[2] = {made(m, &def), made(m, &def)};
        double tau[1] = {3}, f_ext[12] = {0}, q[2], v[2];
        f_ext[6 * (pinion_model_body_count(m) - 1) + 3] = 1;
        CHECK_STATUS(pinion_run_apply(both[0], tau, NULL, f_ext), PINION_OK);
        CHECK_STATUS(pinion_run_step(both[0], 0.25), PINION_OK);
        tau[0] = -8;
        CHECK_STATUS(pinion_run_apply(both[0], tau, NULL, NULL), PINION_OK);
        if (i) CHECK_STATUS(pinion_run_step(both[0], 0.1), PINION_OK);
        CHECK_STATUS(pinion_run_store(both[0], "by_hand.h5"), PINION_OK);
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_result *c = pinion_result_load("by_hand.h5", &err);
        if (!c) CHECK_FAIL("%s", err.message);
        CHECK_STATUS(pinion_run_resume(both[1], c), PINION_OK);
        pinion_result_free(c);
        remove("by_hand.h5");
        for (int k = 0; k < 2; k++) {
            pinion_sim_state state = {.q = q + k, .v = v + k};
            CHECK_STATUS(pinion_run_step_to(both[k], 0.7), PINION_OK);
            CHECK_STATUS(pinion_sim_get(pinion_run_simulation(both[k]), &state), PINION_OK);
            pinion_run_free(both[k]);
        }
        CHECK(q[0] == q[1] && v[0] == v[1]);
    }
    pinion_model_free(m);
}

TEST(mistakes)
{
    pinion_model *m = block_built(block_builder(mass));
    pinion_run_def def = def_of(PINION_INTEGRATOR_DOPRI5, NULL);
    double tau[1] = {NAN}, f_ext[12] = {0};
    pinion_run *r = made(m, &def);
    CHECK_STATUS(pinion_run_apply(r, tau, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(r), "by_hand");
    pinion_run_free(r);

    def.by_hand = 1;
    def.sim.forces = pinion_forces_new(m);
    r = made(m, &def);
    CHECK_STATUS(pinion_run_apply(r, tau, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(r), "tau[0] is not a finite number");
    CHECK_STATUS(pinion_run_apply(r, NULL, NULL, f_ext), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(r), "pinion_forces_add_function");
    CHECK_STATUS(pinion_run_step(r, -1), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_run_step(r, 0.2), PINION_OK);
    CHECK_STATUS(pinion_run_step_to(r, 0.1), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(r), "lies behind");
    CHECK_STATUS(pinion_run_advance(r, 1000), PINION_OK);
    CHECK_STATUS(pinion_run_apply(r, NULL, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(r), "within a step");
    CHECK_STATUS(pinion_run_changed(r), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_run_to_end(r), PINION_OK);
    CHECK_STATUS(pinion_run_apply(r, NULL, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(r), "has ended");
    CHECK_STATUS(pinion_run_step(NULL, 1), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_run_apply(NULL, NULL, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_run_changed(NULL), PINION_ERR_ARGUMENT);
    pinion_run_free(r);
    pinion_forces_free(def.sim.forces);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(as_sampled_control);
    RUN(what_changes_on_the_way);
    RUN(gains);
    RUN(delays);
    RUN(checkpoints_have_what_was_applied);
    RUN(mistakes);
    return CHECK_END();
}
