/* What the tolerances promise: agreement with a reference that shares no code, errors in proportion to the
 * tolerance, little drift of the energy, quaternions of unit length. */
#include "problem.h"

/* joints of every kind, moderately fast */
static int problems(problem *all, const char **names)
{
    all[0] = pendulum(2);
    names[0] = "double pendulum";
    all[1] = spherical_pendulum();
    names[1] = "spherical";
    all[2] = free_body(DOWN);
    names[2] = "free body";
    all[3] = free_flying_chain();
    names[3] = "free chain";
    all[4] = random_tree(9, 1, 11, 1);
    names[4] = "tree";
    all[0].q[0] = 0.8, all[0].q[1] = 0.4;
    for (int i = 0; i < 5; i++) {
        all[i].drive = 0.2;
        for (int j = 0; j < all[i].nv; j++) all[i].v[j] *= 0.5;
    }
    return 5;
}

/* the error at the end, relative to the largest velocity there */
static double final_error(problem *p, const pinion_sim_options *o, double end, const double *q,
                          const double *v)
{
    double q1[MOST], v1[MOST], size = 1;
    pn_stepper *s = begin(p, o);
    run_to(s, end);
    CHECK_STATUS(pn_stepper_at(s, end, q1, v1, NULL), PINION_OK);
    for (int i = 0; i < p->nv; i++) size = fmax(size, fabs(v[i]));
    pn_stepper_free(s);
    return distance(p, q, v, q1, v1) / size;
}

TEST(agrees_with_extrapolation)
{
    problem all[5];
    const char *names[5];
    const int count = problems(all, names);
    for (int k = 0; k < count; k++) {
        double q[MOST], v[MOST], z;
        reference(&all[k], 2, 0.005, q, v, &z);
        for (int i = PINION_INTEGRATOR_DOPRI5; i <= PINION_INTEGRATOR_VERNER65; i++) {
            pinion_sim_options o = with((pinion_integrator)i, 0);
            o.rtol = 2e-14;
            o.atol = 1e-14;
            const double e = final_error(&all[k], &o, 2, q, v);
            printf("    %-16s %-8s %.1e\n", names[k], NAMES[i], e);
            CHECK(e <= 1e-11);
        }
        problem_free(&all[k]);
    }
}

TEST(errors_follow_the_tolerance)
{
    static const pinion_integrator METHODS[] = {PINION_INTEGRATOR_DOPRI5, PINION_INTEGRATOR_VERNER65,
                                                PINION_INTEGRATOR_BDF,    PINION_INTEGRATOR_ADAMS,
                                                PINION_INTEGRATOR_DIRK,   PINION_INTEGRATOR_IDA};
    problem all[5];
    const char *names[5];
    const int count = problems(all, names);
    for (int k = 0; k < count; k++) {
        double q[MOST], v[MOST], z;
        reference(&all[k], 1, 0.005, q, v, &z);
        for (int i = 0; i < 6; i++) {
            double e[3];
            for (int t = 0; t < 3; t++) {
                pinion_sim_options o = with(METHODS[i], 0);
                o.rtol = pow(10, -6 - 2 * t);
                o.atol = 0.01 * o.rtol;
                e[t] = final_error(&all[k], &o, 1, q, v);
            }
            printf("    %-16s %-8s %.1e %.1e %.1e at 1e-6, 1e-8, 1e-10\n", names[k], NAMES[METHODS[i]], e[0],
                   e[1], e[2]);
            /* four decades of tolerance are worth three of error (two where the order varies), down to
             * rounding; and the error is that of some steps */
            const int varies = METHODS[i] == PINION_INTEGRATOR_BDF || METHODS[i] == PINION_INTEGRATOR_ADAMS ||
                               METHODS[i] == PINION_INTEGRATOR_IDA;
            CHECK(e[1] < e[0] && e[2] < fmax((varies ? 1e-2 : 1e-3) * e[0], 2e-12));
            CHECK(e[0] < 200 * 1e-6 && e[1] < 200 * 1e-8 && e[2] < 200 * 1e-10);
        }
        problem_free(&all[k]);
    }
}

/* Over 10 s, at steps and in between, of the largest kinetic energy. The quadrature is the work of
 * gravity: what is gained by it is kinetic energy. */
static double drift_of(problem *p, const char *name, pinion_integrator integrator, double rtol, double limit)
{
    pinion_sim_options o = with(integrator, 0);
    o.rtol = rtol;
    o.atol = 1e-12;
    pn_stepper *s = begin(p, &o);
    const double before = energy(p, p->q, p->v), T0 = kinetic(p, p->q, p->v);
    double most = 0, drift = 0, work = 0, next = 0, q[MOST], v[MOST], z;
    while (pn_stepper_now(s) < 10) {
        if (pn_stepper_step(s, 10) != PINION_OK) {
            CHECK_FAIL("%s", pn_stepper_message(s));
            break;
        }
        for (; next <= pn_stepper_now(s); next += 0.013) {
            CHECK_STATUS(pn_stepper_at(s, next, q, v, &z), PINION_OK);
            const double T = kinetic(p, q, v);
            most = fmax(most, T);
            drift = fmax(drift, fabs(energy(p, q, v) - before));
            work = fmax(work, fabs(T - T0 - z));
        }
        CHECK_STATUS(pn_stepper_at(s, pn_stepper_now(s), q, v, NULL), PINION_OK);
        drift = fmax(drift, fabs(energy(p, q, v) - before));
    }
    long steps, refused, evaluations;
    pn_stepper_counts(s, &steps, &refused, &evaluations);
    printf("    %-16s %-8s drift %.1e, of the work %.1e (%ld steps, %ld refused, %ld evaluations)\n", name,
           NAMES[integrator], drift / most, work / most, steps, refused, evaluations);
    CHECK(drift <= limit * most);
    CHECK(work <= limit * most);
    pn_stepper_free(s);
    return drift / most;
}

TEST(energy_drifts_little)
{
    uint64_t seed = check_seed;
    double worst[2][2] = {{0}};
    for (int k = 0; k < 15; k++) {
        problem p = k % 3 == 2 ? free_flying_chain() : pendulum(2 + k % 3);
        static const char *const NAME[3] = {"double pendulum", "triple pendulum", "free chain"};
        for (int i = 0; i < p.nv && k > 2; i++) {
            p.v[i] = check_between(&seed, -3, 3);
            if (k % 3 != 2) p.q[i] = check_between(&seed, -3, 3);
        }
        for (int i = 0; i < 4; i++) {
            /* 1e-12 is the default */
            const double rtol = i / 2 ? 1e-12 : 1e-10, limit = i / 2 ? 1e-10 : 1e-9;
            const pinion_integrator method = i % 2 ? PINION_INTEGRATOR_VERNER65 : PINION_INTEGRATOR_DOPRI5;
            const double e = drift_of(&p, NAME[k % 3], method, rtol, limit);
            worst[i / 2][i % 2] = fmax(worst[i / 2][i % 2], e);
        }
        problem_free(&p);
    }
    for (int i = 0; i < 2; i++)
        printf("    at rtol = %g the worst drift is %.1e with dopri5, %.1e with verner65\n",
               i ? 1e-12 : 1e-10, worst[i][0], worst[i][1]);
}

TEST(quaternions_stay_of_unit_length)
{
    for (int i = 0; i < PINION_INTEGRATOR_COUNT; i++) {
        problem p = random_tree(9, 1, 11, 3);
        pinion_sim_options o =
            with((pinion_integrator)i, i >= PINION_INTEGRATOR_RK4 && i <= PINION_INTEGRATOR_VARIATIONAL ? 1e-3 : 0);
        o.rtol = 1e-6;
        o.atol = 1e-8;
        pn_stepper *s = begin(&p, &o);
        double worst = 0, q[MOST];
        while (pn_stepper_now(s) < 2) {
            if (pn_stepper_step(s, 2) != PINION_OK) {
                CHECK_FAIL("%s: %s", NAMES[i], pn_stepper_message(s));
                break;
            }
            const double a = pn_stepper_before(s), b = pn_stepper_now(s);
            for (int k = 1; k <= 4; k++) {
                CHECK_STATUS(pn_stepper_at(s, k == 4 ? b : a + 0.25 * k * (b - a), q, NULL, NULL), PINION_OK);
                worst = fmax(worst, quaternion_error(&p, q));
            }
        }
        printf("    %-12s %.1e\n", NAMES[i], worst);
        CHECK(worst <= 1e-15);
        pn_stepper_free(s);
        problem_free(&p);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(agrees_with_extrapolation);
    RUN(errors_follow_the_tolerance);
    RUN(energy_drifts_little);
    RUN(quaternions_stay_of_unit_length);
    return CHECK_END();
}
