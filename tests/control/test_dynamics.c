/* What actuators give follows what is asked of them as their lag, motor or delay has it: closed forms, with every
 * integrator, and a run that is interrupted goes on to the bit. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "control/block.h"
#include "pinion/actuators.h"
#include "pinion/sim/run.h"
#include "pinion/sim/sim.h"

static const double mass = 2.5;

/* a block on a rail with one actuator */
static pinion_model *block(const pinion_actuator_dynamics *dynamics, double gear, double efficiency)
{
    pinion_builder *b = block_builder(mass);
    const char *joint = "slide";
    pinion_actuator_def motor = pinion_actuator_def_default();
    motor.name = "motor";
    motor.joints = &joint;
    motor.gear = gear;
    motor.efficiency = efficiency;
    motor.dynamics = *dynamics;
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (pinion_builder_add_actuator(b, &motor, &err) != PINION_OK) CHECK_FAIL("%s", err.message);
    return block_built(b);
}

/* kp and a constant are asked for */
typedef struct law {
    double constant, kp, kd;
} law;

static pinion_status ask(void *user, double t, const double *q, const double *v, double *u)
{
    const law *l = user;
    (void)t;
    u[0] = l->constant - l->kp * q[0] - l->kd * v[0];
    return PINION_OK;
}

typedef struct options {
    double step, sample, delay;
} options;

static pinion_sim *simulation(const pinion_model *m, pinion_integrator integrator, law *l, options x)
{
    pinion_sim_options o = pinion_sim_options_default();
    pinion_error err = {PINION_OK, 0, 0, ""};
    o.integrator = integrator;
    if (pinion_integrator_is_fixed(integrator)) o.step = x.step;
    o.sample = x.sample;
    o.delay = x.delay;
    o.actuators = ask;
    o.actuators_user = l;
    pinion_sim *s = pinion_sim_new(m, &o, &err);
    if (!s) CHECK_FAIL("%s", err.message);
    return s;
}

/* q, v, u at a time, from q0 at rest; the energies balance as the method does */
static void simulated(const pinion_model *m, pinion_integrator integrator, law *l, options x, double q0, double t,
                      double out[3], double *drift)
{
    pinion_sim *s = simulation(m, integrator, l, x);
    pinion_sim_state state = {.q = out, .v = out + 1, .u = out + 2};
    CHECK_STATUS(pinion_sim_start(s, 0, &q0, NULL), PINION_OK);
    CHECK_STATUS(pinion_sim_advance(s, t), PINION_OK);
    CHECK_STATUS(pinion_sim_get(s, &state), PINION_OK);
    *drift = state.drift;
    pinion_sim_free(s);
}

/* How near every integrator comes: fixed steps by their order, the others by their tolerances of 1e-12 a step. */
static const struct method {
    pinion_integrator integrator;
    double near;
} methods[] = {{PINION_INTEGRATOR_AUTO, 1e-10},    {PINION_INTEGRATOR_DOPRI5, 1e-10},
               {PINION_INTEGRATOR_VERNER65, 1e-10}, {PINION_INTEGRATOR_RK4, 1e-9},
               {PINION_INTEGRATOR_EULER, 2e-2},     {PINION_INTEGRATOR_VARIATIONAL, 1e-4},
               {PINION_INTEGRATOR_BDF, 1e-7},       {PINION_INTEGRATOR_ADAMS, 1e-7},
               {PINION_INTEGRATOR_DIRK, 1e-8},      {PINION_INTEGRATOR_IDA, 1e-6}};
enum { METHODS = sizeof methods / sizeof methods[0] };

TEST(a_lag)
{
    const double T = 0.08, F = 3, u0 = -1, gear = 2, t = 0.5;
    pinion_actuator_dynamics d = {.lag = T, .initial = u0};
    pinion_model *m = block(&d, gear, 0.9);
    law l = {.constant = F};
    const double e = exp(-t / T), rest = (u0 - F) * (1 - e), k = gear * 0.9 / mass;
    const double u = F + (u0 - F) * e, v = k * (F * t + T * rest);
    const double q = k * (F * t * t / 2 + (u0 - F) * T * t - T * T * rest);
    for (int i = 0; i < METHODS; i++) {
        double x[3], drift;
        simulated(m, methods[i].integrator, &l, (options){1e-3, 0, 0}, 0, t, x, &drift);
        const double near = methods[i].near;
        if (!(fabs(x[0] - q) < near && fabs(x[1] - v) < near && fabs(x[2] - u) < near && fabs(drift) < near))
            CHECK_FAIL("%s: q is off by %g, v by %g, u by %g, the energy by %g",
                       pinion_integrator_name(methods[i].integrator), x[0] - q, x[1] - v, x[2] - u, drift);
    }
    pinion_model_free(m);
}

/* A motor at its voltage, from rest: v'' + R/L v' + k k_e G^2/(L M) v = V k G/(L M). With less asked of it than its
 * voltage allows it is a lag of L/R; without inductance v goes to V/(k_e G) as an exponential. */
TEST(a_motor)
{
    const double k = 0.05, ke = 0.06, R = 1.5, L = 0.03, V = 12, G = 40, t = 0.07;
    pinion_actuator_dynamics d = {
        .torque_constant = k, .back_emf = ke, .resistance = R, .inductance = L, .voltage = V};
    pinion_model *m = block(&d, G, 1);
    law l = {.constant = 1e6};
    const double b = R / L, c = k * ke * G * G / (L * mass), root = sqrt(b * b / 4 - c);
    const double s1 = -b / 2 + root, s2 = -b / 2 - root;
    const double end = V / (ke * G), A = end * s2 / (s1 - s2), B = -end * s1 / (s1 - s2);
    const double v = end + A * exp(s1 * t) + B * exp(s2 * t), a = A * s1 * exp(s1 * t) + B * s2 * exp(s2 * t);
    for (int i = 0; i < METHODS; i++) {
        double x[3], drift;
        simulated(m, methods[i].integrator, &l, (options){1e-4, 0, 0}, 0, t, x, &drift);
        const double near = 10 * methods[i].near;
        if (!(fabs(x[1] - v) < near && fabs(x[2] - a * mass / G) < near))
            CHECK_FAIL("%s: v is off by %g, u by %g", pinion_integrator_name(methods[i].integrator), x[1] - v,
                       x[2] - a * mass / G);
    }

    /* within the voltage */
    double x[3], drift;
    l.constant = 0.02;
    simulated(m, PINION_INTEGRATOR_DOPRI5, &l, (options){0, 0, 0}, 0, t, x, &drift);
    CHECK_NEAR(x[2], 0.02 * (1 - exp(-t * R / L)), 1e-11);
    pinion_actuator_info info;
    CHECK_STATUS(pinion_model_actuator(m, 0, &info), PINION_OK);
    CHECK_NEAR(pinion_actuator_time_constant(&info), L / R, 1e-15);
    CHECK_NEAR(pinion_actuator_settled(&info, 0.2, 10), 0.2, 0);
    CHECK_NEAR(pinion_actuator_settled(&info, 9, 10), k * (V - ke * 10) / R, 1e-15);
    CHECK_NEAR(pinion_actuator_settled(&info, -9, 10), k * (-V - ke * 10) / R, 1e-15);
    pinion_model_free(m);

    d.inductance = 0;
    m = block(&d, G, 1);
    l.constant = 1e6;
    simulated(m, PINION_INTEGRATOR_DOPRI5, &l, (options){0, 0, 0}, 0, t, x, &drift);
    CHECK_NEAR(x[1], end * (1 - exp(-k * ke * G * G / (R * mass) * t)), 1e-11);
    pinion_model_free(m);
}

/* x'' = -c x(t - D): by the method of steps x = sum of (-c)^j (t - j D)^(2 j) / (2 j)! over all j with t > j D */
TEST(a_delay)
{
    const double D = 0.11, kp = 60, c = kp / mass, ends[] = {0.05, 0.11, 0.3, 0.77, 1.2};
    pinion_actuator_dynamics d = {.delay = D};
    pinion_model *m = block(&d, 1, 1);
    law l = {.kp = kp};
    for (int i = 0; i < METHODS; i++)
        for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
            double x[3], drift, q = 0, term = 1;
            for (int j = 0; ends[k] > j * D; j++) {
                q += term * pow(ends[k] - j * D, 2 * j);
                term *= -c / ((2 * j + 1) * (2 * j + 2));
            }
            simulated(m, methods[i].integrator, &l, (options){1e-3, 0, 0}, 1, ends[k], x, &drift);
            const double near = methods[i].integrator == PINION_INTEGRATOR_EULER ? 0.1 : 10 * methods[i].near;
            if (!(fabs(x[0] - q) < near))
                CHECK_FAIL("%s at %g: q is off by %g", pinion_integrator_name(methods[i].integrator), ends[k],
                           x[0] - q);
        }
    pinion_model_free(m);
}

/* What is asked for jumps at 0.37 s, and is cut to 3 N where the feedback asks for more. */
static const double jumps = 0.37;

static pinion_status ask_jump(void *user, double t, const double *q, const double *v, double *u)
{
    const law *l = user;
    (void)ask(user, t, q, v, u);
    u[0] = fmin(fmax(u[0] + (t < jumps ? 1 : -2) * l->constant, -3), 3);
    return PINION_OK;
}

static double next_jump(void *user, double t)
{
    (void)user;
    return t < jumps ? jumps : INFINITY;
}

/* The same block by the trapezoidal rule with steps of 20 us, which divide all times: 1e-9 near. */
static double by_trapezoids(const law *l, double D, double T, double q)
{
    enum { STEPS = 55000 };
    static double before[STEPS + 1], after[STEPS + 1]; /* what is asked for up to an instant, and from there on */
    const double h = T / STEPS;
    const int late = (int)(D / h + 0.5), jump = (int)(jumps / h + 0.5);
    double v = 0;
    for (int i = 0; i <= STEPS; i++) {
        (void)ask_jump((void *)l, i <= jump ? 0 : T, &q, &v, &before[i]);
        (void)ask_jump((void *)l, i < jump ? 0 : T, &q, &v, &after[i]);
        const double u0 = i < late ? 0 : after[i - late], u1 = i + 1 <= late ? 0 : before[i + 1 - late];
        const double next = v + h * (u0 + u1) / (2 * mass);
        if (i < STEPS) q += h * (v + next) / 2;
        v = next;
    }
    return q;
}

/* Without feedback in closed form; with feedback that saturates, and never more than is asked for. */
TEST(a_delayed_jump)
{
    const double D = 0.2, T = 1.1;
    for (int i = 0; i < METHODS; i++)
        for (int fed = 0; fed < 2; fed++) {
            law l = {.constant = 0.5, .kp = fed ? 60 : 0, .kd = fed ? 8 : 0};
            pinion_builder *b = block_builder(mass);
            const char *joint = "slide";
            pinion_actuator_def motor = pinion_actuator_def_default();
            motor.name = "motor";
            motor.joints = &joint;
            motor.effort[0] = -3;
            motor.effort[1] = 3;
            motor.dynamics.delay = D;
            CHECK_STATUS(pinion_builder_add_actuator(b, &motor, NULL), PINION_OK);
            pinion_model *m = block_built(b);
            pinion_sim_options o = pinion_sim_options_default();
            o.integrator = methods[i].integrator;
            if (pinion_integrator_is_fixed(o.integrator)) o.step = 1e-3;
            o.actuators = ask_jump;
            o.actuators_jump = next_jump;
            o.actuators_user = &l;
            pinion_sim *s = pinion_sim_new(m, &o, NULL);
            double q = fed ? 0.3 : 0, v = 0, u = 0;
            pinion_sim_state state = {.q = &q, .v = &v, .u = &u};
            CHECK_STATUS(pinion_sim_start(s, 0, &q, NULL), PINION_OK);
            for (int k = 1; k <= 300; k++) {
                CHECK_STATUS(pinion_sim_advance(s, T * k / 300), PINION_OK);
                CHECK_STATUS(pinion_sim_get(s, &state), PINION_OK);
                if (!(fabs(u) <= 3)) CHECK_FAIL("u is %.17g", u);
            }
            /* ask() adds the constant */
            const double first = 2 * l.constant, second = -l.constant, late = T - D - jumps;
            const double wanted = first / mass * jumps * (jumps / 2 + late) + second / mass * late * late / 2;
            const double near = o.integrator == PINION_INTEGRATOR_EULER ? 0.1 : 10 * methods[i].near;
            const double off = q - (fed ? by_trapezoids(&l, D, T, 0.3) : wanted);
            if (!(fabs(off) < fmax(near, 2e-8)))
                CHECK_FAIL("%s: q is off by %g", pinion_integrator_name(o.integrator), off);
            pinion_sim_free(s);
            pinion_model_free(m);
        }
}

/* the state under a constant force for a time */
static void move(double *x, double *v, double u, double time)
{
    *x += *v * time + u / mass * time * time / 2;
    *v += u / mass * time;
}

/* sampled control whose forces act 0.4 periods late by the computer, and 2.3 periods more by the actuator */
TEST(a_delay_of_sampled_control)
{
    const double period = 0.05, kp = 20, kd = 8;
    pinion_actuator_dynamics d = {.delay = 2.3 * period, .initial = 0.7};
    pinion_model *m = block(&d, 1, 1);
    for (int i = 0; i < METHODS; i++) {
        if (pinion_integrator_is_fixed(methods[i].integrator) && methods[i].near > 1e-8) continue;
        law l = {.kp = kp, .kd = kd};
        double x = 0.3, v = 0, asked[30], out[3], drift;
        for (int n = 0; n < 30; n++) {
            asked[n] = -kp * x - kd * v;
            move(&x, &v, n >= 3 ? asked[n - 3] : 0.7, 0.7 * period);
            move(&x, &v, n >= 2 ? asked[n - 2] : 0.7, 0.3 * period);
        }
        simulated(m, methods[i].integrator, &l, (options){1e-3, period, 0.4 * period}, 0.3, 30 * period, out, &drift);
        if (!(fabs(out[0] - x) < 10 * methods[i].near && fabs(out[1] - v) < 10 * methods[i].near))
            CHECK_FAIL("%s: q is off by %g, v by %g", pinion_integrator_name(methods[i].integrator), out[0] - x,
                       out[1] - v);
    }
    pinion_model_free(m);
}

/* A lag that is shorter than the steps: they follow all the same, and from rest the energies balance. */
TEST(a_lag_shorter_than_the_steps)
{
    static const struct {
        pinion_integrator integrator;
        double near;
    } method[] = {{PINION_INTEGRATOR_EULER, 2e-3}, {PINION_INTEGRATOR_VARIATIONAL, 5e-5}};
    static const double lags[] = {4e-4, 1e-6, 0.1};
    for (int k = 0; k < 3; k++) {
        pinion_actuator_dynamics d = {.lag = lags[k]};
        pinion_model *m = block(&d, 1, 1);
        law l = {.kp = 60, .kd = 8};
        double exact[3], x[3], drift;
        const double q0 = 0.3;
        simulated(m, PINION_INTEGRATOR_BDF, &l, (options){0, 0, 0}, q0, 1, exact, &drift);
        for (int i = 0; i < 2; i++) {
            simulated(m, method[i].integrator, &l, (options){1e-3, 0, 0}, q0, 1, x, &drift);
            if (!(fabs(x[0] - exact[0]) < method[i].near))
                CHECK_FAIL("%s, lag %g: q is off by %g", pinion_integrator_name(method[i].integrator), lags[k],
                           x[0] - exact[0]);
            pinion_run_def def = pinion_run_def_default();
            def.duration = 1;
            def.q = &q0;
            def.sim.integrator = method[i].integrator;
            def.sim.actuators = ask;
            def.sim.actuators_user = &l;
            pinion_run *r = pinion_run_new(m, &def, NULL);
            if (pinion_run_to_end(r) != PINION_OK || pinion_run_ended(r) != PINION_RUN_COMPLETE)
                CHECK_FAIL("%s, lag %g: %s", pinion_integrator_name(method[i].integrator), lags[k],
                           pinion_run_message(r));
            pinion_run_free(r);
        }
        pinion_model_free(m);
    }
}

/* What rests until a delayed force arrives, and then begins to move slowly, is no failure of Euler's method. */
TEST(motion_that_begins_late)
{
    static const double steps[] = {1e-3, 1e-4};
    pinion_actuator_dynamics d = {.delay = 0.05, .lag = 0.02};
    pinion_model *m = block(&d, 1, 1);
    for (int i = 0; i < 2; i++) {
        law l = {.kp = 6, .kd = 0};
        const double q0 = 0.3;
        pinion_run_def def = pinion_run_def_default();
        def.duration = 0.3;
        def.q = &q0;
        def.sim.integrator = PINION_INTEGRATOR_EULER;
        def.sim.step = steps[i];
        def.sim.actuators = ask;
        def.sim.actuators_user = &l;
        pinion_run *r = pinion_run_new(m, &def, NULL);
        if (pinion_run_to_end(r) != PINION_OK || pinion_run_ended(r) != PINION_RUN_COMPLETE)
            CHECK_FAIL("steps of %g s: %s", steps[i], pinion_run_message(r));
        pinion_run_free(r);
    }
    pinion_model_free(m);
}

TEST(interrupted_runs_go_on)
{
    static const pinion_integrator method[] = {PINION_INTEGRATOR_DOPRI5, PINION_INTEGRATOR_RK4,
                                               PINION_INTEGRATOR_EULER, PINION_INTEGRATOR_VARIATIONAL,
                                               PINION_INTEGRATOR_BDF};
    pinion_actuator_dynamics d = {.delay = 0.03, .lag = 0.05};
    pinion_model *m = block(&d, 1, 1);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 2; k++) {
            law l = {.kp = 20, .kd = 8};
            const options o = {2e-3, k ? 0.02 : 0, 0};
            pinion_sim *both[2] = {simulation(m, method[i], &l, o), simulation(m, method[i], &l, o)};
            double q[1] = {0.3}, x[2], y[2], u[2];
            CHECK_STATUS(pinion_sim_start(both[0], 0, q, NULL), PINION_OK);
            CHECK_STATUS(pinion_sim_advance(both[0], 0.2531), PINION_OK);
            const int size = pinion_sim_memory_size(both[0]);
            double *memory = malloc((size_t)size * sizeof *memory);
            CHECK_STATUS(pinion_sim_store(both[0], memory), PINION_OK);
            CHECK_STATUS(pinion_sim_restore(both[1], memory, size), PINION_OK);
            for (int j = 0; j < 2; j++) {
                pinion_sim_state state = {.q = &x[j], .v = &y[j], .u = &u[j]};
                CHECK_STATUS(pinion_sim_advance(both[j], 1.03), PINION_OK);
                CHECK_STATUS(pinion_sim_get(both[j], &state), PINION_OK);
            }
            CHECK(x[0] == x[1] && y[0] == y[1] && u[0] == u[1] && u[0] != 0);
            /* a ring that cannot be is refused */
            memory[size - 4 - (k ? 5 : 2048) * 3] += 0.5;
            CHECK_STATUS(pinion_sim_restore(both[1], memory, size), PINION_ERR_ARGUMENT);
            free(memory);
            pinion_sim_free(both[0]);
            pinion_sim_free(both[1]);
        }
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_lag);
    RUN(a_motor);
    RUN(a_delay);
    RUN(a_delayed_jump);
    RUN(a_delay_of_sampled_control);
    RUN(a_lag_shorter_than_the_steps);
    RUN(motion_that_begins_late);
    RUN(interrupted_runs_go_on);
    return CHECK_END();
}
