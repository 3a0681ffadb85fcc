/* Sampled control: forces that are asked for at instants and held in between are those of the same loop computed by
 * hand, with every integrator, and a run that is interrupted goes on to the bit. */
#include <math.h>

#include "check.h"
#include "control/block.h"
#include "pinion/sim/sim.h"

static const double mass = 2.5, stiff = 40, damped = 6, period = 0.05;

typedef struct asked {
    int times;
    double last;
} asked;

static pinion_status feedback(void *user, double t, const double *q, const double *v, double *u)
{
    asked *a = user;
    a->times++;
    a->last = t;
    u[0] = -stiff * q[0] - damped * v[0];
    return t > 90 ? PINION_ERR_CALLBACK : PINION_OK;
}

/* the state under a constant force for a time */
static void move(double *x, double *v, double u, double time)
{
    *x += *v * time + u / mass * time * time / 2;
    *v += u / mass * time;
}

static pinion_sim *simulation(const pinion_model *m, pinion_integrator integrator, double delay, asked *a)
{
    pinion_sim_options o = pinion_sim_options_default();
    pinion_error err = {PINION_OK, 0, 0, ""};
    o.integrator = integrator;
    if (pinion_integrator_is_fixed(integrator)) o.step = 3e-3;
    o.actuators = feedback;
    o.actuators_user = a;
    o.sample = period;
    o.delay = delay;
    pinion_sim *s = pinion_sim_new(m, &o, &err);
    if (!s) CHECK_FAIL("%s", err.message);
    return s;
}

TEST(a_loop_by_hand)
{
    static const pinion_integrator method[] = {PINION_INTEGRATOR_AUTO,     PINION_INTEGRATOR_DOPRI5,
                                               PINION_INTEGRATOR_VERNER65, PINION_INTEGRATOR_RK4,
                                               PINION_INTEGRATOR_BDF,      PINION_INTEGRATOR_ADAMS};
    static const double delays[] = {0, 0.02, 0.05};
    pinion_model *m = block_built(block_builder(mass));
    for (size_t i = 0; i < sizeof method / sizeof method[0]; i++)
        for (int k = 0; k < 3; k++) {
            asked a = {0, NAN};
            pinion_sim *s = simulation(m, method[i], delays[k], &a);
            double x = 0.3, v = -0.2, old = 0, q[1] = {x}, w[1] = {v}, u[1];
            CHECK_STATUS(pinion_sim_start(s, 0, q, w), PINION_OK);
            for (int n = 0; n < 40; n++) {
                const double new = -stiff * x - damped * v;
                move(&x, &v, old, delays[k]);
                move(&x, &v, new, period - delays[k]);
                old = new;
                pinion_sim_state state = {.q = q, .v = w, .u = u};
                CHECK_STATUS(pinion_sim_advance(s, period * (n + 1)), PINION_OK);
                CHECK_STATUS(pinion_sim_get(s, &state), PINION_OK);
                /* constant forces: exact but for the tolerance of 1e-12 a step, which multistep methods use up */
                CHECK_NEAR(q[0], x, i < 4 ? 1e-11 : 1e-8);
                CHECK_NEAR(w[0], v, i < 4 ? 1e-11 : 1e-7);
                if (delays[k] == 0) CHECK_NEAR(u[0], -stiff * x - damped * v, 1e-6);
                CHECK(a.times == n + 2 && fabs(a.last - period * (n + 1)) < 1e-12);
            }
            pinion_sim_free(s);
        }
    pinion_model_free(m);
}

/* between two samples, and at one */
TEST(interrupted_runs_go_on)
{
    static const pinion_integrator method[] = {PINION_INTEGRATOR_DOPRI5, PINION_INTEGRATOR_RK4, PINION_INTEGRATOR_BDF};
    static const double at[] = {0.26, 0.25};
    pinion_model *m = block_built(block_builder(mass));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            asked a = {0, NAN};
            pinion_sim *first = simulation(m, method[i], 0.02, &a), *second = simulation(m, method[i], 0.02, &a);
            double q[1] = {0.3}, v[1] = {-0.2}, x[2], y[2], u[2];
            CHECK_STATUS(pinion_sim_start(first, 0, q, v), PINION_OK);
            CHECK_STATUS(pinion_sim_advance(first, at[k]), PINION_OK);
            const int size = pinion_sim_memory_size(first);
            double *memory = malloc((size_t)size * sizeof *memory);
            CHECK_STATUS(pinion_sim_store(first, memory), PINION_OK);
            CHECK_STATUS(pinion_sim_restore(second, memory, size), PINION_OK);
            pinion_sim *both[2] = {first, second};
            for (int j = 0; j < 2; j++) {
                pinion_sim_state state = {.q = &x[j], .v = &y[j], .u = &u[j]};
                CHECK_STATUS(pinion_sim_advance(both[j], 1.03), PINION_OK);
                CHECK_STATUS(pinion_sim_get(both[j], &state), PINION_OK);
            }
            CHECK(x[0] == x[1] && y[0] == y[1] && u[0] == u[1] && u[0] != 0);
            free(memory);
            pinion_sim_free(first);
            pinion_sim_free(second);
        }
    pinion_model_free(m);
}

TEST(mistakes)
{
    pinion_model *m = block_built(block_builder(mass));
    pinion_error err;
    pinion_sim_options o = pinion_sim_options_default();
    o.sample = -1;
    CHECK(pinion_sim_new(m, &o, &err) == NULL);
    CHECK_HAS(err.message, "sample");
    o.sample = 0.1;
    o.delay = 0.2;
    CHECK(pinion_sim_new(m, &o, &err) == NULL);
    CHECK_HAS(err.message, "delay");

    /* a controller that gives up ends the simulation */
    asked a = {0, NAN};
    pinion_sim *s = simulation(m, PINION_INTEGRATOR_DOPRI5, 0, &a);
    const double q[1] = {0};
    CHECK_STATUS(pinion_sim_start(s, 89.97, q, NULL), PINION_OK);
    CHECK_STATUS(pinion_sim_advance(s, 91), PINION_ERR_CALLBACK);
    CHECK_HAS(pinion_sim_message(s), "torques cannot be computed");
    pinion_sim_free(s);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_loop_by_hand);
    RUN(interrupted_runs_go_on);
    RUN(mistakes);
    return CHECK_END();
}
