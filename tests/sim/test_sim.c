/* The simulation driver: agreement with an independent integrator, energy, work, controllers, and that
 * results depend on the start and the options alone. */
#include "driver.h"

/* ---------------------------------------------------------------------------------------------
 * An integrator that shares nothing with the library's: extrapolation of the modified midpoint rule (Gragg,
 * Bulirsch, Stoer) of order 14 in extended precision, on plain coordinates, with pinion_forward_dynamics for
 * the accelerations. */

enum { COLUMNS = 7, PLAIN = 12 };
typedef long double wide;

typedef struct plain {
    pinion_model *m;
    pinion_work *w;
    int n;
} plain;

static void plain_rate(plain *p, const wide *y, wide *rate)
{
    double q[PLAIN], v[PLAIN], a[PLAIN];
    for (int i = 0; i < p->n; i++) {
        q[i] = (double)y[i];
        v[i] = (double)y[p->n + i];
    }
    CHECK_STATUS(pinion_forward_dynamics(p->m, p->w, q, v, NULL, NULL, a), PINION_OK);
    for (int i = 0; i < p->n; i++) {
        rate[i] = y[p->n + i];
        rate[p->n + i] = a[i];
    }
}

static void plain_step(plain *p, wide *y, wide h)
{
    wide table[COLUMNS][2 * PLAIN], rate[2 * PLAIN], x[2 * PLAIN], old[2 * PLAIN];
    const int n = 2 * p->n;
    for (int k = 0; k < COLUMNS; k++) {
        const int parts = 2 * (k + 1);
        const wide s = h / parts;
        plain_rate(p, y, rate);
        for (int i = 0; i < n; i++) {
            old[i] = y[i];
            x[i] = y[i] + s * rate[i];
        }
        for (int j = 1; j < parts; j++) {
            plain_rate(p, x, rate);
            for (int i = 0; i < n; i++) {
                const wide next = old[i] + 2 * s * rate[i];
                old[i] = x[i];
                x[i] = next;
            }
        }
        plain_rate(p, x, rate);
        for (int i = 0; i < n; i++) table[k][i] = 0.5L * (x[i] + old[i] + s * rate[i]);

        /* Neville, in the squares of the step */
        for (int j = k - 1; j >= 0; j--) {
            const wide ratio = (wide)parts / (2 * (j + 1));
            for (int i = 0; i < n; i++)
                table[j][i] = table[j + 1][i] + (table[j + 1][i] - table[j][i]) / (ratio * ratio - 1);
        }
    }
    memcpy(y, table[0], (size_t)n * sizeof *y);
}

/* Free fall over 2 s: the largest difference at 20 instants. */
static double fall_difference(const char *file, const double *q, const double *v, int integrator, double *own)
{
    plain p = {driver_model(file), NULL, 0};
    pinion_sim_options o = pinion_sim_options_default();
    o.passive = 0;
    o.integrator = (pinion_integrator)integrator;
    pinion_sim *s = driver_sim(p.m, &o);
    double worst = 0;
    *own = 0;
    if (s) {
        p.n = pinion_model_nv(p.m);
        p.w = pinion_work_new(p.m);
        wide y[2 * PLAIN], z[2 * PLAIN];
        for (int i = 0; i < p.n; i++) {
            y[i] = z[i] = q[i];
            y[p.n + i] = z[p.n + i] = v[i];
        }
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        for (int k = 1; k <= check_rounds(20); k++) {
            for (int j = 0; j < 40; j++) plain_step(&p, y, 0.0025L);
            for (int j = 0; j < 20; j++) plain_step(&p, z, 0.005L);
            instant x;
            driver_advance(s, 0.1 * k);
            driver_get(s, &x);
            for (int i = 0; i < 2 * p.n; i++) {
                const double mine = i < p.n ? x.q[i] : x.v[i - p.n];
                worst = fmax(worst, fabs((double)(mine - y[i])) / (1 + fabs(mine)));
                *own = fmax(*own, fabs((double)(z[i] - y[i])) / (1 + fabs(mine)));
            }
        }
    }
    pinion_sim_free(s);
    pinion_work_free(p.w);
    pinion_model_free(p.m);
    return worst;
}

TEST(free_fall_agrees_with_an_independent_integrator)
{
    const double planar[3][2][3] = {
        {{0, 0, 0}, {0, 0, 0}}, {{0.3, -0.4, 1.1}, {0, 0, 0}}, {{-1.57, 0.6, 0.6}, {1, -2, 0.5}}};
    const double stanford[2][2][6] = {{{0, M_PI / 2, 0.1, 0, M_PI / 2, 0}, {0}},
                                      {{0.2, 1.1, 0.3, 0.4, 0.9, -0.3}, {0.5, -0.4, 0.1, 0.3, -0.2, 0.6}}};
    double own, worst = 0;
    for (int method = PINION_INTEGRATOR_DOPRI5; method <= PINION_INTEGRATOR_VERNER65; method++) {
        for (int i = 0; i < 3; i++) {
            const double off = fall_difference("planar-3r.json", planar[i][0], planar[i][1], method, &own);
            CHECK_NEAR(off, 0, 1e-9);
            CHECK_NEAR(own, 0, 1e-11);
            worst = fmax(worst, off);
        }
        for (int i = 0; i < 2; i++) {
            const double off = fall_difference("stanford.json", stanford[i][0], stanford[i][1], method, &own);
            CHECK_NEAR(off, 0, 1e-9);
            CHECK_NEAR(own, 0, 1e-11);
            worst = fmax(worst, off);
        }
    }
    printf("  largest difference %.2g\n", worst);
}

/* ---------------------------------------------------------------------------------------------
 * Energy */

/* The largest drift over 10 s against the largest kinetic energy. */
static double drift_of(const pinion_model *m, uint64_t seed, double speed, int integrator)
{
    double q[DRIVER_MOST], v[DRIVER_MOST], drift = 0, kinetic = 0, off = 0;
    pinion_sim_options o = pinion_sim_options_default();
    o.passive = 0;
    o.integrator = (pinion_integrator)integrator;
    pinion_sim *s = driver_sim(m, &o);
    if (!s) return INFINITY;
    driver_random(m, seed, speed, q, v);
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    for (int k = 1; k <= check_rounds(500); k++) {
        instant x;
        driver_advance(s, 0.02 * k);
        driver_get(s, &x);
        drift = fmax(drift, fabs(x.s.drift));
        kinetic = fmax(kinetic, x.s.kinetic);
        off = fmax(off, x.s.constraint);
        CHECK(x.s.work == 0);
    }
    CHECK_NEAR(off, 0, 1e-14);
    pinion_sim_free(s);
    return drift / kinetic;
}

TEST(energy_of_conservative_systems_stays)
{
    static const char *const file[] = {"planar-3r.json", "stanford.json", "puma560-akb.json",
                                       "puma560-corke.json"};
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        pinion_model *m = driver_model(file[i]);
        for (int k = 0; m && k < 3; k++)
            for (int method = PINION_INTEGRATOR_DOPRI5; method <= PINION_INTEGRATOR_VERNER65; method++) {
                const double drift = drift_of(m, check_seed + (uint64_t)k, 1, method);
                CHECK_NEAR(drift, 0, 1e-9);
                worst = fmax(worst, drift);
            }
        pinion_model_free(m);
    }

    /* trees that fly, with every joint type and followers */
    for (int k = 0; k < 4; k++) {
        pinion_error err = {0};
        pinion_model *m = pinion_random_tree(8, 1, check_seed + (uint64_t)k, &err);
        const double drift = m ? drift_of(m, check_seed + (uint64_t)k, 2, PINION_INTEGRATOR_DOPRI5) : INFINITY;
        CHECK_NEAR(drift, 0, 1e-9);
        worst = fmax(worst, drift);
        pinion_model_free(m);
    }
    printf("  largest drift %.2g of the largest kinetic energy\n", worst);
}

/* Motors, dampers, springs, friction, stops and force elements: what they do to the energy is in the work or
 * in the potential. */
TEST(work_and_potential_account_for_everything)
{
    pinion_error err = {0};
    pinion_model *m = driver_model("puma560-corke.json");
    pinion_forces *f = m ? pinion_forces_new(m) : NULL;
    if (!f) return;
    pinion_spring_def spring = pinion_spring_def_default();
    spring.frame_a = pinion_model_frame_count(m) - 1;
    spring.frame_b = -1;
    spring.stiffness = 200;
    spring.damping = 5;
    spring.length = 0.3;
    pinion_wrench_def wrench = pinion_wrench_def_default();
    wrench.frame = spring.frame_a;
    wrench.wrench[3] = 10;
    wrench.start = 0.5;
    wrench.end = 1.25;
    pinion_drag_def drag = pinion_drag_def_default();
    drag.frame = spring.frame_a;
    drag.density = 1000;
    drag.velocity[0] = 0.5;
    for (int i = 0; i < 3; i++) drag.area[i] = 0.01;
    drag.volume = 1e-3;
    drag.added_mass = 2;
    CHECK_STATUS(pinion_forces_add_spring(f, &spring, &err), PINION_OK);
    CHECK_STATUS(pinion_forces_add_wrench(f, &wrench, &err), PINION_OK);
    CHECK_STATUS(pinion_forces_add_drag(f, &drag, &err), PINION_OK);

    double tau[6] = {5, -20, 3, 0.1, 0.2, -0.1}, q[6] = {0, M_PI / 4, M_PI, 0, M_PI / 4, 0};
    pinion_control_def def = pinion_control_def_default();
    def.tau = tau;
    pinion_controller *c = pinion_controller_new(m, &def, &err);
    pinion_sim_options o = pinion_sim_options_default();
    o.torque = pinion_controller_torque;
    o.torque_jump = pinion_controller_jump;
    o.torque_user = c;
    o.forces = f;
    o.stops = 1;
    o.friction_speed = 0.05;
    o.rtol = o.atol = 1e-11;
    pinion_sim *s = driver_sim(m, &o);
    if (s) {
        double kinetic = 0;
        CHECK_STATUS(pinion_sim_start(s, 0, q, NULL), PINION_OK);
        for (int k = 1; k <= 40; k++) {
            instant x;
            driver_advance(s, 0.05 * k);
            driver_get(s, &x);
            kinetic = fmax(kinetic, x.s.kinetic);
            CHECK_NEAR(x.s.drift, 0, 1e-8 * (1 + kinetic));
            for (int i = 0; i < 6; i++) CHECK(x.tau[i] == tau[i]);
            if (k == 40) CHECK(fabs(x.s.work) > 1);
        }
    }
    pinion_sim_free(s);
    pinion_controller_free(c);
    pinion_forces_free(f);
    pinion_model_free(m);
}

/* A ball of 2 kg that displaces water of 1 kg and drags 0.5 kg of it along rises or falls by (m - rho V) g /
 * (m + m_a). */
TEST(added_mass_has_inertia_but_no_weight)
{
    pinion_error err = {0};
    pinion_model *m = driver_text(SLIDER);
    pinion_forces *f = m ? pinion_forces_new(m) : NULL;
    if (!f) return;
    pinion_drag_def drag = pinion_drag_def_default();
    drag.frame = pinion_model_find_frame(m, "ball");
    drag.density = 1000;
    drag.volume = 1e-3;
    drag.added_mass = 0.5;
    pinion_sim_options o = pinion_sim_options_default();
    o.forces = f;
    pinion_sim *s = driver_sim(m, &o);

    /* added after the simulation was made: counts from its start on */
    CHECK_STATUS(pinion_forces_add_drag(f, &drag, &err), PINION_OK);
    const double q = 1;
    instant x;
    CHECK_STATUS(pinion_sim_start(s, 0, &q, NULL), PINION_OK);
    driver_advance(s, 0.5);
    driver_get(s, &x);
    CHECK_NEAR(x.a[0], -(2 - 1) * 9.81 / 2.5, 1e-13);
    CHECK_NEAR(x.q[0], 1 - 0.5 * 0.25 * 9.81 / 2.5, 1e-12);
    CHECK_NEAR(x.s.kinetic, 0.5 * 2.5 * x.v[0] * x.v[0], 1e-12);
    CHECK_NEAR(x.s.drift, 0, 1e-12);
    pinion_sim_free(s);
    pinion_forces_free(f);
    pinion_model_free(m);
}

/* ---------------------------------------------------------------------------------------------
 * Results depend on nothing else */

/* The state at t = 0.5, on the way of which there were `parts` calls. */
static void run_in_parts(const pinion_model *m, int integrator, int parts, long some, instant *x,
                         long counts[3])
{
    double q[DRIVER_MOST], v[DRIVER_MOST];
    pinion_sim_options o = driver_options(integrator);
    pinion_sim *s = driver_sim(m, &o);
    memset(x, 0, sizeof *x);
    if (!s) return;
    driver_random(m, 3, 1, q, v);
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    for (int k = 1; k <= parts; k++) {
        const double t = k == parts ? 0.5 : 0.5 * k / parts;
        do CHECK_STATUS(pinion_sim_advance_some(s, t, some), PINION_OK);
        while (pinion_sim_time(s) < t);
        driver_get(s, x);
    }
    pinion_sim_counts(s, &counts[0], &counts[1], &counts[2]);
    pinion_sim_free(s);
}

/* A weight on a string falls until that is stretched, and comes to rest where the stop carries it, k d = m g: with
 * passive forces (a spring beside it) and without them. Without stops it falls on. */
TEST(tendons_have_stops)
{
    pinion_model *m = driver_text(
        "{\"pinion\": 1, \"links\": [{\"name\": \"base\"}, {\"name\": \"ball\", \"mass\": 2}], \"joints\": [{\"name\": "
        "\"drop\", \"type\": \"prismatic\", \"parent\": \"base\", \"child\": \"ball\"}], "
        "\"tendons\": [{\"name\": \"string\", \"path\": [\"base\", \"ball\"], \"limits\": [null, 0.5]}, "
        "{\"name\": \"spring\", \"joints\": [\"drop\"], "
        "\"stiffness\": 3}]}");
    for (int way = 0; way < 3; way++) {
        pinion_sim_options o = pinion_sim_options_default();
        o.passive = way == 0;
        o.stops = way < 2;
        o.stop_stiffness = 500;
        o.stop_damping = 30;
        const double q = -0.1, weight = 2 * 9.81, t = way < 2 ? 20 : 1;
        instant x;
        pinion_sim *s = driver_sim(m, &o);
        if (!s) continue;
        CHECK_STATUS(pinion_sim_start(s, 0, &q, NULL), PINION_OK);
        driver_advance(s, t);
        driver_get(s, &x);
        /* k (-q - 0.5) - 3 q = m g where the spring acts, too */
        const double spring = way == 0 ? 3 : 0, rest = -(weight + 500 * 0.5) / (500 + spring);
        CHECK_NEAR(x.q[0], way < 2 ? rest : q - 9.81 / 2, 1e-7);
        CHECK(fabs(x.s.drift) < 1e-7);
        pinion_sim_free(s);
    }
    pinion_model_free(m);
}

/* A ball falls from 2.5 m and is back there after some bounces; the largest energies are those on the way,
 * however seldom one looks. */
TEST(largest_energies_are_those_of_all_steps)
{
    pinion_model *m = driver_text(SLIDER);
    pinion_sim_options o = pinion_sim_options_default();
    o.stops = 1;
    o.stop_damping = 0;
    o.rtol = o.atol = 1e-9;
    const double q = 2.5, bottom = 2 * 9.81 * 3.5;
    instant few, many;
    pinion_sim *a = driver_sim(m, &o), *b = driver_sim(m, &o);
    if (a && b) {
        CHECK_STATUS(pinion_sim_start(a, 0, &q, NULL), PINION_OK);
        CHECK_STATUS(pinion_sim_start(b, 0, &q, NULL), PINION_OK);
        driver_get(a, &few);
        CHECK(few.s.largest_kinetic == 0 && few.s.largest_drift == 0);

        /* on the way down it is what there is now */
        driver_advance(a, 0.3);
        driver_get(a, &few);
        CHECK(few.s.largest_kinetic == few.s.kinetic && few.s.kinetic > 0);
        driver_advance(a, 1.7);
        driver_get(a, &few);
        CHECK(few.s.kinetic < 0.5 * bottom);
        CHECK(few.s.largest_kinetic > 0.99 * bottom && few.s.largest_kinetic < 1.01 * bottom);
        CHECK(few.s.largest_drift >= fabs(few.s.drift));
        double most = 0;
        for (int k = 1; k <= 1700; k++) {
            driver_advance(b, 1e-3 * k);
            driver_get(b, &many);
            most = fmax(most, many.s.kinetic);
        }
        CHECK(same_instant(&few, &many));
        CHECK_NEAR(many.s.largest_kinetic, most, 0.01 * most);

        /* a new start forgets */
        CHECK_STATUS(pinion_sim_start(a, 0, &q, NULL), PINION_OK);
        driver_get(a, &few);
        CHECK(few.s.largest_kinetic == 0);
    }
    pinion_sim_free(a);
    pinion_sim_free(b);
    pinion_model_free(m);
}

TEST(how_a_run_is_cut_makes_no_difference)
{
    pinion_error err = {0};
    pinion_model *m = pinion_random_tree(6, 1, 12, &err);
    for (int method = 0; m && method < PINION_INTEGRATOR_COUNT; method++) {
        const int parts[] = {7, 64, 333};
        instant whole, cut;
        long once[3], often[3];
        run_in_parts(m, method, 1, 1000000, &whole, once);
        CHECK(whole.s.t == 0.5 && once[0] > 3 && once[2] > once[0]);
        for (int i = 0; i < check_rounds(3); i++) {
            run_in_parts(m, method, parts[i], i + 1, &cut, often);
            if (!same_instant(&whole, &cut))
                CHECK_FAIL("%s in %d parts", pinion_integrator_name(method), parts[i]);
            CHECK(memcmp(once, often, sizeof once) == 0);
        }
    }
    pinion_model_free(m);
}

TEST(a_simulation_can_start_again)
{
    pinion_model *m = driver_model("stanford.json");
    if (!m) return;
    pinion_sim_options o = pinion_sim_options_default();
    pinion_sim *s = driver_sim(m, &o);
    instant first, second;
    double q[6], v[6];
    driver_random(m, 5, 1, q, v);
    for (int k = 0; k < 2 && s; k++) {
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        driver_get(s, &second);
        CHECK(second.s.t == 0 && second.s.drift == 0 && second.s.work == 0);
        driver_advance(s, 0.7);
        driver_get(s, k ? &second : &first);
    }
    CHECK(same_instant(&first, &second));
    pinion_sim_free(s);
    pinion_model_free(m);
}

TEST(every_algorithm_moves_the_arm_alike)
{
    pinion_model *m = driver_model("stanford.json");
    if (!m) return;
    instant reference, x;
    double q[6], v[6];
    int tried = 0;
    driver_random(m, 9, 1, q, v);
    for (int a = -1; m && a < pinion_algorithm_count(); a++) {
        pinion_algorithm_info info;
        if (a >= 0 &&
            (pinion_algorithm(a, &info) != PINION_OK || info.problem != PINION_PROBLEM_FORWARD_DYNAMICS ||
             pinion_algorithm_applies(a, m, NULL) != PINION_OK))
            continue;
        pinion_sim_options o = pinion_sim_options_default();
        o.algorithm = a;
        pinion_sim *s = driver_sim(m, &o);
        if (!s) continue;
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        driver_advance(s, 1);
        driver_get(s, a < 0 ? &reference : &x);
        if (a >= 0) CHECK_NEAR(check_error(x.q, reference.q, 6, 1), 0, 1e-10);
        tried++;
        pinion_sim_free(s);
    }
    CHECK(tried > 3);
    pinion_model_free(m);
}

/* ---------------------------------------------------------------------------------------------
 * Controllers */

TEST(pd_with_gravity_comes_to_rest_where_it_should)
{
    pinion_error err = {0};
    pinion_model *m = driver_model("puma560-corke.json");
    double kp[6], kd[6], q[6] = {0.3, 0.5, 2.8, 0.2, 0.9, -0.2},
                         hold[6] = {0, M_PI / 4, M_PI, 0, M_PI / 4, 0};
    for (int i = 0; i < 6; i++) {
        kp[i] = i < 3 ? 400 : 40;
        kd[i] = i < 3 ? 80 : 8;
    }
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_PD;
    def.gravity = 1;
    def.hold = hold;
    def.kp = kp;
    def.kd = kd;
    pinion_controller *c = m ? pinion_controller_new(m, &def, &err) : NULL;
    pinion_sim_options o = pinion_sim_options_default();
    o.passive = 0; /* friction would hold it off the target */
    o.torque = pinion_controller_torque;
    o.torque_jump = pinion_controller_jump;
    o.torque_user = c;
    o.rtol = o.atol = 1e-9;
    pinion_sim *s = c ? driver_sim(m, &o) : NULL;
    if (s) {
        instant x;
        CHECK_STATUS(pinion_sim_start(s, 0, q, NULL), PINION_OK);
        driver_advance(s, 8);
        driver_get(s, &x);
        for (int i = 0; i < 6; i++) CHECK_NEAR(x.q[i], hold[i], 1e-6);
        CHECK(x.s.kinetic < 1e-9);
        CHECK_NEAR(x.s.drift, 0, 1e-7);
    }
    pinion_sim_free(s);
    pinion_controller_free(c);
    pinion_model_free(m);
}

/* Computed torque: every joint's error obeys e'' + kd e' + kp e = 0, whatever the others do. */
TEST(computed_torque_makes_errors_linear)
{
    pinion_error err = {0};
    pinion_model *m = driver_model("stanford.json");
    const double q0[6] = {0, 1.2, 0.2, 0, 0.8, 0}, q1[6] = {1, 0.8, 0.5, -0.5, 1.3, 0.4};
    double kp[6], kd[6], q[6];
    for (int i = 0; i < 6; i++) {
        kp[i] = 25; /* critically damped: e = e0 (1 + 5 t) exp(-5 t) */
        kd[i] = 10;
        q[i] = q0[i] + 0.1 * (i - 2);
    }
    pinion_trajectory *target = m ? pinion_trajectory_between(m, q0, q1, 2, PINION_PROFILE_CYCLOIDAL, 0, &err) : NULL;
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_COMPUTED;
    def.target = target;
    def.kp = kp;
    def.kd = kd;
    pinion_controller *c = target ? pinion_controller_new(m, &def, &err) : NULL;
    pinion_sim_options o = pinion_sim_options_default();
    o.torque = pinion_controller_torque;
    o.torque_jump = pinion_controller_jump;
    o.torque_user = c;
    o.passive = 0;
    pinion_sim *s = c ? driver_sim(m, &o) : NULL;
    if (!s) CHECK_FAIL("%s", err.message);
    if (s) {
        CHECK_STATUS(pinion_sim_start(s, 0, q, NULL), PINION_OK);
        for (int k = 1; k <= 10; k++) {
            const double t = 0.2 * k;
            double want[6];
            instant x;
            driver_advance(s, t);
            driver_get(s, &x);
            CHECK_STATUS(pinion_trajectory_at(target, t, want, NULL, NULL), PINION_OK);
            for (int i = 0; i < 6; i++)
                CHECK_NEAR(x.q[i] - want[i], 0.1 * (i - 2) * (1 + 5 * t) * exp(-5 * t), 1e-9);
        }
    }
    pinion_sim_free(s);
    pinion_controller_free(c);
    pinion_trajectory_free(target);
    pinion_model_free(m);
}

/* ---------------------------------------------------------------------------------------------
 * What is refused */

static pinion_status failing(void *user, double t, const double *q, const double *v, double *tau)
{
    (void)q;
    (void)v;
    tau[0] = 0;
    return t > *(double *)user ? PINION_ERR_CALLBACK : PINION_OK;
}

TEST(what_is_refused)
{
    pinion_error err = {0};
    pinion_model *m = driver_text(SLIDER), *flyer = driver_text(FLYER);
    pinion_sim_options o = pinion_sim_options_default();
    double q = 0, quaternion[7] = {2, 0, 0, 0, 0, 0, 0};
    instant x;
    if (!m || !flyer) return;

    /* options */
    CHECK(!pinion_sim_new(NULL, &o, &err) && err.message[0]);
    pinion_sim *usual = pinion_sim_new(m, NULL, NULL); /* the defaults */
    CHECK(usual);
    pinion_sim_free(usual);
    o.cookie = 0;
    CHECK(!pinion_sim_new(m, &o, &err));
    CHECK_HAS(err.message, "default");
    o = pinion_sim_options_default();
    o.rtol = -1;
    CHECK(!pinion_sim_new(m, &o, &err));
    CHECK_HAS(err.message, "tolerance");
    o = pinion_sim_options_default();
    o.friction_speed = NAN;
    CHECK(!pinion_sim_new(m, &o, &err));
    o = pinion_sim_options_default();
    o.algorithm = pinion_algorithm_find("rnea");
    CHECK(!pinion_sim_new(m, &o, &err));
    CHECK_HAS(err.message, "forward_dynamics");
    o.algorithm = 10000;
    CHECK(!pinion_sim_new(m, &o, &err));

    /* a fixed step has a length even where none is given */
    o = pinion_sim_options_default();
    o.integrator = PINION_INTEGRATOR_RK4;
    pinion_sim *rk4 = driver_sim(m, &o);
    long steps = 0;
    CHECK_STATUS(pinion_sim_start(rk4, 0, &q, NULL), PINION_OK);
    driver_advance(rk4, 0.5);
    pinion_sim_counts(rk4, &steps, NULL, NULL);
    CHECK(steps == 500);
    pinion_sim_free(rk4);

    /* order */
    o = pinion_sim_options_default();
    pinion_sim *s = driver_sim(m, &o);
    memset(&x, 0, sizeof x);
    CHECK_STATUS(pinion_sim_advance(s, 1), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_sim_message(s), "not started");
    CHECK_STATUS(pinion_sim_get(s, &x.s), PINION_ERR_ARGUMENT);
    CHECK(isnan(pinion_sim_time(s)) && !pinion_sim_stopped(s) && !pinion_sim_next_event(s, NULL));
    CHECK_STATUS(pinion_sim_start(s, NAN, &q, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_sim_start(s, 0, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_sim_message(s), "not finite");
    CHECK_STATUS(pinion_sim_start(s, 1, &q, NULL), PINION_OK);
    CHECK(!*pinion_sim_message(s) && !*pinion_sim_message(NULL));
    CHECK_STATUS(pinion_sim_get(s, NULL), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_sim_message(s), "no place");
    CHECK_STATUS(pinion_sim_advance(s, 0.5), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_sim_advance(s, INFINITY), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_sim_advance(s, 1), PINION_OK);
    CHECK(!*pinion_sim_message(s));
    CHECK(pinion_sim_time(s) == 1);
    pinion_sim_free(s);

    /* quaternions */
    s = driver_sim(flyer, &o);
    CHECK_STATUS(pinion_sim_start(s, 0, quaternion, NULL), PINION_ERR_QUATERNION);
    quaternion[0] = NAN;
    CHECK_STATUS(pinion_sim_start(s, 0, quaternion, NULL), PINION_ERR_ARGUMENT);
    pinion_sim_free(s);

    /* a controller that fails ends the run near where it does, with the state before */
    double until = 0.25;
    o.torque = failing;
    o.torque_user = &until;
    o.max_step = 0.01;
    s = driver_sim(m, &o);
    CHECK_STATUS(pinion_sim_start(s, 0, &q, NULL), PINION_OK);
    CHECK_STATUS(pinion_sim_advance(s, 1), PINION_ERR_CALLBACK);
    CHECK(pinion_sim_time(s) <= 0.25 && pinion_sim_time(s) > 0.2);
    driver_get(s, &x);
    CHECK_NEAR(x.q[0], -0.5 * 9.81 * x.s.t * x.s.t, 1e-10);
    pinion_sim_free(s);
    pinion_model_free(m);
    pinion_model_free(flyer);
}

TEST(singular_models_say_so)
{
    pinion_sim_options o = pinion_sim_options_default();
    pinion_model *ghost = driver_text(
        "{\"pinion\": 1, \"name\": \"g\", \"links\": [{\"name\": \"base\"}, {\"name\": \"ghost\"}],\n"
        " \"joints\": [{\"name\": \"hinge\", \"type\": \"continuous\", \"parent\": \"base\", "
        "\"child\": \"ghost\"}]}");
    const double q = 0;
    pinion_sim *s = driver_sim(ghost, &o);
    if (s) {
        pinion_status status = pinion_sim_start(s, 0, &q, NULL);
        if (status == PINION_OK) status = pinion_sim_advance(s, 1);
        CHECK_STATUS(status, PINION_ERR_SINGULAR);
        CHECK_HAS(pinion_sim_message(s), "hinge");
    }
    pinion_sim_free(s);
    pinion_model_free(ghost);
}

/* A head as a point on a neck of three axes: turning about the line to it moves nothing, up to rounding, and is mostly
 * one of the three. A body of 1 mm in its place moves. */
TEST(motion_without_inertia_is_named)
{
    static const char form[] =
        "{\"pinion\": 1, \"name\": \"neck\", \"links\": [{\"name\": \"base\"}, {\"name\": \"a\"}, {\"name\": \"b\"}, "
        "{\"name\": \"head\", \"mass\": 1.34, \"com\": [0.0185, -0.1108, 6.8e-18], \"inertia\": {\"xx\": %g, "
        "\"yy\": %g, \"zz\": %g}}], \"joints\": [{\"name\": \"pitch\", \"type\": \"continuous\", \"axis\": [0, 0, 1], "
        "\"parent\": \"base\", \"child\": \"a\"}, {\"name\": \"roll\", \"type\": \"continuous\", \"axis\": [1, 0, 0], "
        "\"parent\": \"a\", \"child\": \"b\"}, {\"name\": \"yaw\", \"type\": \"continuous\", \"axis\": [0, -1, %g], "
        "\"parent\": \"b\", \"child\": \"head\"}]}";
    const double q[3] = {0};
    for (int k = 0; k < 4; k++) {
        const double inertia = k == 3 ? 1e-6 : 0;
        char text[1200];
        snprintf(text, sizeof text, form, inertia, inertia, inertia, k * 6.1e-17);
        pinion_model *m = driver_text(text);
        pinion_sim_options o = pinion_sim_options_default();
        pinion_sim *s = driver_sim(m, &o);
        CHECK_STATUS(pinion_sim_start(s, 0, q, NULL), k < 3 ? PINION_ERR_SINGULAR : PINION_OK);
        if (k < 3) CHECK_HAS(pinion_sim_message(s), "singular: some motion moves no inertia: joint 'yaw'");
        pinion_sim_free(s);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(free_fall_agrees_with_an_independent_integrator);
    RUN(energy_of_conservative_systems_stays);
    RUN(work_and_potential_account_for_everything);
    RUN(added_mass_has_inertia_but_no_weight);
    RUN(tendons_have_stops);
    RUN(largest_energies_are_those_of_all_steps);
    RUN(how_a_run_is_cut_makes_no_difference);
    RUN(a_simulation_can_start_again);
    RUN(every_algorithm_moves_the_arm_alike);
    RUN(pd_with_gravity_comes_to_rest_where_it_should);
    RUN(computed_torque_makes_errors_linear);
    RUN(what_is_refused);
    RUN(singular_models_say_so);
    RUN(motion_without_inertia_is_named);
    return CHECK_END();
}
