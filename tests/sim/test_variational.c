/* The variational method over long times: energy stays near, momentum is conserved to rounding. */
#include "driver.h"
#include "problem.h"

/* momentum [angular; linear] about the world's origin */
static void world_momentum(problem *p, const double *q, const double *v, double *h)
{
    double c[3];
    CHECK_STATUS(pinion_momentum(p->m, p->w, q, v, h), PINION_OK);
    CHECK_STATUS(pinion_center_of_mass(p->m, p->w, q, v, c, NULL), PINION_OK);
    h[0] += c[1] * h[5] - c[2] * h[4];
    h[1] += c[2] * h[3] - c[0] * h[5];
    h[2] += c[0] * h[4] - c[1] * h[3];
}

typedef struct record {
    double part[4]; /* largest |E - E_0| in each quarter of the run, of the largest kinetic energy */
    double trend;   /* the mean of E over the last quarter less that over the first, likewise */
    double momentum;
    double rms; /* of E - E_0, likewise */
} record;

static record long_run(problem *p, pinion_integrator integrator, double h, int steps)
{
    record r = {{0}, 0, 0, 0};
    pinion_sim_options o = with(integrator, h);
    pn_stepper *s = begin(p, &o);
    const double before = energy(p, p->q, p->v);
    double q[MOST], v[MOST], h0[6], h1[6], most = 0, size = 0;
    world_momentum(p, p->q, p->v, h0);
    for (int i = 0; i < 6; i++) size = fmax(size, fabs(h0[i]));
    for (int k = 0; k < steps; k++) {
        if (pn_stepper_step(s, INFINITY) != PINION_OK) {
            CHECK_FAIL("%s", pn_stepper_message(s));
            break;
        }
        CHECK_STATUS(pn_stepper_at(s, pn_stepper_now(s), q, v, NULL), PINION_OK);
        const int quarter = (int)(4LL * k / steps);
        const double e = energy(p, q, v) - before;
        r.rms += e * e / steps;
        most = fmax(most, kinetic(p, q, v));
        r.part[quarter] = fmax(r.part[quarter], fabs(e));
        if (quarter == 0) r.trend -= 4 * e / steps;
        if (quarter == 3) r.trend += 4 * e / steps;
        world_momentum(p, q, v, h1);
        for (int i = 0; i < 6; i++) r.momentum = fmax(r.momentum, fabs(h1[i] - h0[i]) / size);
    }
    for (int i = 0; i < 4; i++) r.part[i] /= most;
    r.trend = fabs(r.trend) / most;
    r.rms = sqrt(r.rms) / most;
    printf("    %-12s %d steps of %g s: energy within %.1e %.1e %.1e %.1e, trend %.1e, momentum %.1e\n",
           NAMES[integrator], steps, h, r.part[0], r.part[1], r.part[2], r.part[3], r.trend, r.momentum);
    pn_stepper_free(s);
    return r;
}

TEST(chaotic_double_pendulum)
{
    problem p = pendulum(2);
    const record r = long_run(&p, PINION_INTEGRATOR_VARIATIONAL, 2e-3, 100000);
    for (int i = 0; i < 4; i++) CHECK(r.part[i] < 1e-3);
    /* any other rounding is another trajectory, whose means of a quarter scatter by some 1e-6 */
    CHECK(r.trend < 0.03 * r.part[0]);
    CHECK(r.part[3] < 3 * r.part[0]);
    problem_free(&p);
}

/* a free asymmetric body that carries another one on a spherical joint, in no gravity */
static problem two_tops(void)
{
    problem p;
    const bar b[2] = {{PINION_JOINT_FREE, {0, 0, 1}, {0, 0, 0}, LOPSIDED, 0},
                      {PINION_JOINT_SPHERICAL, {0, 0, 1}, {0.1, 0.05, -0.8}, LOPSIDED, 0}};
    problem_finish(&p, build_chain(b, 2, NOWHERE));
    const double v[9] = {0.3, 2, -1, 0.1, 0.2, -0.1, 1, -1.5, 2};
    memcpy(p.v, v, sizeof v);
    return p;
}

TEST(free_tops_on_a_spherical_joint)
{
    problem p = two_tops();
    const record r = long_run(&p, PINION_INTEGRATOR_VARIATIONAL, 4e-3, 100000);
    for (int i = 0; i < 4; i++) CHECK(r.part[i] < 1e-3);
    CHECK(r.trend < 2e-6);
    CHECK(r.part[3] < 3 * r.part[0]);
    CHECK(r.momentum < 1e-10);
    problem_free(&p);
}

/* halving the step quarters the error of the energy; a method that is not variational drifts on */
TEST(energy_error_is_of_order_two)
{
    problem p = two_tops();
    const record a = long_run(&p, PINION_INTEGRATOR_VARIATIONAL, 0.02, 5000),
                 b = long_run(&p, PINION_INTEGRATOR_VARIATIONAL, 0.01, 10000);
    const record c = long_run(&p, PINION_INTEGRATOR_VARIATIONAL, 0.1, 5000),
                 d = long_run(&p, PINION_INTEGRATOR_RK4, 0.1, 5000);
    printf("    ratio %.2f\n", a.rms / b.rms);
    CHECK(a.rms / b.rms > 3.5 && a.rms / b.rms < 4.5);
    CHECK(c.trend < 0.1 * c.part[3]);
    CHECK(d.trend > 0.3 * d.part[3]);
    problem_free(&p);
}

/* time reversal: forwards, then with the velocities turned round, is back where it began, to rounding */
TEST(is_reversible)
{
    problem p = spherical_pendulum();
    pinion_sim_options o = with(PINION_INTEGRATOR_VARIATIONAL, 0.01);
    double q[MOST], v[MOST];
    pn_stepper *s = begin(&p, &o);
    for (int k = 0; k < 100; k++) CHECK_STATUS(pn_stepper_step(s, INFINITY), PINION_OK);
    CHECK_STATUS(pn_stepper_at(s, pn_stepper_now(s), q, v, NULL), PINION_OK);
    for (int i = 0; i < p.nv; i++) v[i] = -v[i];
    CHECK_STATUS(pn_stepper_start(s, 0, q, v, NULL), PINION_OK);
    for (int k = 0; k < 100; k++) CHECK_STATUS(pn_stepper_step(s, INFINITY), PINION_OK);
    CHECK_STATUS(pn_stepper_at(s, pn_stepper_now(s), q, v, NULL), PINION_OK);
    for (int i = 0; i < p.nv; i++) v[i] = -v[i];
    const double e = distance(&p, p.q, p.v, q, v);
    printf("    back within %.1e\n", e);
    CHECK(e < 1e-11);
    pn_stepper_free(s);
    problem_free(&p);
}

/* dampers so stiff that the step is a thousand times their time: the matrix of Newton's method is then not
 * M */
TEST(stiff_dampers)
{
    problem p = pendulum(2);
    p.damping = 1e6;
    pinion_sim_options o = with(PINION_INTEGRATOR_VARIATIONAL, 0.01);
    pn_stepper *s = begin(&p, &o);
    double q[MOST], v[MOST];
    for (int k = 0; k < 100; k++) CHECK_STATUS(pn_stepper_step(s, INFINITY), PINION_OK);
    CHECK_STATUS(pn_stepper_at(s, 1, q, v, NULL), PINION_OK);
    for (int i = 0; i < p.nv; i++) CHECK(fabs(q[i] - p.q[i]) < 1e-2);
    pn_stepper_free(s);
    problem_free(&p);
}

/* ---------------------------------------------------------------------------------------------
 * At rest and in balance, where momenta and corrections of them are rounding */

/* Runs a model to `end`, from neutral but for the first coordinate, in steps of h. */
static instant run_of(const pinion_model *m, pinion_sim_options o, double h, double first, double end)
{
    instant x;
    double q[MOST];
    long steps = 0, refused = 0;
    memset(&x, 0, sizeof x);
    o.step = h;
    pinion_sim *s = driver_sim(m, &o);
    if (!s) return x;
    CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
    if (first != 0) q[0] = first;
    CHECK_STATUS(pinion_sim_start(s, 0, q, NULL), PINION_OK);
    driver_advance(s, end);
    driver_get(s, &x);
    pinion_sim_counts(s, &steps, &refused, NULL);
    printf("    %-12s h = %g: q %.12g, v %.1e, work %.9g, drift %.1e (%ld steps, %ld refused)\n",
           pinion_integrator_name(o.integrator), h, x.q[0], x.v[0], x.s.work, x.s.drift, steps, refused);
    CHECK(pinion_sim_time(s) == end);
    pinion_sim_free(s);
    return x;
}

static pinion_sim_options plain(pinion_integrator integrator)
{
    pinion_sim_options o = pinion_sim_options_default();
    o.integrator = integrator;
    return o;
}

/* 2 kg on a spring of 100 N/m, damped by 10 N s/m: after 30 s nothing moves, and nothing fails */
TEST(a_damped_oscillator_comes_to_rest)
{
    static const char TEXT[] =
        "{\"pinion\": 1, \"name\": \"oscillator\", \"links\": [{\"name\": \"base\"}, {\"name\": \"b\",\n"
        "  \"mass\": 2, \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}}],\n"
        " \"joints\": [{\"name\": \"s\", \"type\": \"prismatic\", \"parent\": \"base\", \"child\": \"b\",\n"
        "  \"axis\": [0, 0, 1], \"spring\": {\"stiffness\": 100}, \"damping\": 10}]}\n";
    pinion_model *m = driver_text(TEXT);
    const pinion_integrator methods[] = {PINION_INTEGRATOR_VARIATIONAL, PINION_INTEGRATOR_EULER, PINION_INTEGRATOR_RK4};
    for (int i = 0; m && i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            const instant x = run_of(m, plain(methods[i]), k ? 1e-3 : 1e-2, 0.1, 30);
            CHECK_NEAR(x.q[0], -2 * 9.81 / 100, 1e-12);
            CHECK_NEAR(x.v[0], 0, 1e-12);
            /* the midpoint rule has the energy of linear systems exactly */
            if (i == 0) CHECK_NEAR(x.s.drift, 0, 1e-11);
        }
    }
    pinion_model_free(m);
}

/* motors and gravity all but cancel, from a start at rest to an end at rest */
TEST(computed_torque_from_rest)
{
    pinion_model *m = driver_model("stanford.json");
    const double hold[6] = {1, 1, 0.1, 1, 1, 1};
    double kp[6], kd[6];
    for (int i = 0; i < 6; i++) kp[i] = 100, kd[i] = 20;
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_COMPUTED;
    def.hold = hold;
    def.kp = kp;
    def.kd = kd;
    pinion_error err = {0};
    pinion_controller *c = m ? pinion_controller_new(m, &def, &err) : NULL;
    CHECK(c);
    const pinion_integrator methods[] = {PINION_INTEGRATOR_VARIATIONAL, PINION_INTEGRATOR_EULER, PINION_INTEGRATOR_RK4};
    for (int i = 0; c && i < 3; i++) {
        for (double h = 1e-2; h > 5e-4; h *= 0.1) {
            pinion_sim_options o = plain(methods[i]);
            o.torque = pinion_controller_torque;
            o.torque_jump = pinion_controller_jump;
            o.torque_user = c;
            const instant x = run_of(m, o, h, 0, 4);
            for (int j = 0; j < 6; j++) CHECK_NEAR(x.q[j], hold[j], 1e-10);
        }
    }
    pinion_controller_free(c);
    pinion_model_free(m);
}

/* On damped stops forces jump, so that the equations of a step need not have a solution; and the ball comes
 * to rest on the stop, k d = m g. */
TEST(bounces_and_rests_on_stops)
{
    pinion_model *m = driver_text(SLIDER);
    pinion_sim_options o = plain(PINION_INTEGRATOR_VARIATIONAL);
    o.stops = 1;
    const double lost = 2 * 9.81 * 1 + 0.5 * 2 * 9.81 * 2 * 9.81 / 1e4;
    for (double h = 1e-2; m && h > 9e-5; h *= 0.63) {
        const instant x = run_of(m, o, h, 0, 3);
        CHECK_NEAR(x.q[0], -1 - 2 * 9.81 / 1e4, 1e-11);
        CHECK_NEAR(x.v[0], 0, 1e-10);
        CHECK_NEAR(x.s.work, -lost, 6 * h * lost);
    }
    pinion_model_free(m);
}

/* an arm with Coulomb friction falls from rest; some joints stick from the beginning */
TEST(friction_from_rest)
{
    pinion_model *m = driver_model("puma560-corke.json");
    if (!m) return;
    const instant best = run_of(m, plain(PINION_INTEGRATOR_DOPRI5), 0, 0, 1);
    for (double h = 1e-2; h > 5e-5; h *= 0.1) {
        const instant x = run_of(m, plain(PINION_INTEGRATOR_VARIATIONAL), h, 0, 1);
        double worst = 0;
        for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(x.q[i] - best.q[i]));
        printf("    error %.1e\n", worst);
        CHECK(worst < (h > 5e-4 ? 2e-4 : 5e-6)); /* friction turns within a millisecond */
        CHECK_NEAR(x.s.drift, 0, 20 * h * h);
    }

    /* friction that jumps at v = 0 holds by no force that can be computed: said, and nothing has moved */
    pinion_sim_options o = plain(PINION_INTEGRATOR_VARIATIONAL);
    const double q[6] = {0};
    o.friction_speed = 0;
    pinion_sim *s = driver_sim(m, &o);
    if (s) {
        CHECK_STATUS(pinion_sim_start(s, 0, q, NULL), PINION_OK);
        CHECK_STATUS(pinion_sim_advance(s, 1), PINION_ERR_STEP);
        CHECK_HAS(pinion_sim_message(s), "no solution is found for the equations of the step of 0.001 s");
        CHECK_HAS(pinion_sim_message(s), "at t = 0,");
        CHECK(pinion_sim_time(s) == 0);
    }
    pinion_sim_free(s);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(chaotic_double_pendulum);
    RUN(free_tops_on_a_spherical_joint);
    RUN(energy_error_is_of_order_two);
    RUN(is_reversible);
    RUN(stiff_dampers);
    RUN(a_damped_oscillator_comes_to_rest);
    RUN(computed_torque_from_rest);
    RUN(bounces_and_rests_on_stops);
    RUN(friction_from_rest);
    return CHECK_END();
}
