/* The order of convergence of every method that can be run with a given step, on joints of every kind,
 * against the reference of problem.h; and that of the dense output within a step. */
#include "problem.h"
#include "sim/stepper/method.h"

typedef struct method {
    pinion_integrator integrator;
    int order;
    int local;    /* order of the error of the dense output within the first step; 0: not tested */
    int steps;    /* of the coarsest run */
    double floor; /* errors below this have a part that is rounding */
} method;

/* The constant of Verner's order 6 is so small that at errors above rounding it looks like 7 (sim.tableaus
 * shows that it is 6): there the order is only bounded from below. */
static const method METHODS[] = {
    {PINION_INTEGRATOR_RK4, 4, 4, 10, 1e-10},        {PINION_INTEGRATOR_DOPRI5, 5, 6, 20, 1.2e-11},
    {PINION_INTEGRATOR_VERNER65, 6, 7, 16, 3e-11},   {PINION_INTEGRATOR_EULER, 1, 0, 200, 1e-3},
    {PINION_INTEGRATOR_VARIATIONAL, 2, 0, 40, 1e-5}, {PINION_INTEGRATOR_DIRK, 4, 0, 20, 1e-9}};
enum { COUNT = sizeof METHODS / sizeof METHODS[0], HALVINGS = 8 };

/* error at `end` with so many steps */
static double error_with(problem *p, const method *m, int steps, double end, const double *q, const double *v)
{
    pinion_sim_options o = with(m->integrator, end / steps);
    double q1[MOST], v1[MOST];
    pn_stepper *s = begin(p, &o);
    s->fixed = end / steps; /* and no control of errors, of any method */
    run_to(s, end);
    long taken;
    pn_stepper_counts(s, &taken, NULL, NULL);
    CHECK(taken == steps || (taken == steps + 1 && m->integrator == PINION_INTEGRATOR_DIRK));
    CHECK_STATUS(pn_stepper_at(s, end, q1, v1, NULL), PINION_OK);
    pn_stepper_free(s);
    return distance(p, q, v, q1, v1);
}

/* halves the step until rounding shows, and takes the order from the last two errors that do not show it */
static void convergence(problem *p, const char *name, double end)
{
    double q[MOST], v[MOST], q2[MOST], v2[MOST], z;
    reference(p, end, 0.005, q, v, &z);
    reference(p, end, 0.01, q2, v2, &z);
    const double doubt = distance(p, q, v, q2, v2);
    CHECK(doubt < 6e-12); /* half of the least floor above: rounding, which differs between CPUs */
    for (int k = 0; k < COUNT; k++) {
        const method *m = &METHODS[k];
        double before = 0, order = NAN, error = 0;
        printf("    %-10s %-12s", name, NAMES[m->integrator]);
        for (int i = 0; i < HALVINGS; i++) {
            error = error_with(p, m, m->steps << i, end, q, v);
            if (error < m->floor) break;
            if (i) order = log2(before / error);
            before = error;
            printf(" %.1e", error);
        }
        printf("  order %.2f\n", order);
        CHECK(order > m->order - 0.2);
        CHECK(order < m->order + (m->integrator == PINION_INTEGRATOR_VERNER65 ? 2 : 0.2));
    }
}

TEST(double_pendulum)
{
    problem p = pendulum(2);
    p.q[0] = 0.6, p.q[1] = 0.4, p.v[0] = 0.5, p.v[1] = -0.4;
    p.drive = 0.5;
    convergence(&p, "double", 1);
    problem_free(&p);
}

TEST(spherical_joints)
{
    problem p = spherical_pendulum();
    p.drive = 0.5;
    for (int i = 0; i < p.nv; i++) p.v[i] *= 0.4;
    convergence(&p, "spherical", 1);
    problem_free(&p);
}

TEST(free_asymmetric_body)
{
    problem p = free_body(DOWN);
    p.drive = 0.5;
    convergence(&p, "free", 1);
    problem_free(&p);
}

TEST(random_tree_of_every_joint)
{
    /* moderate accelerations: of many trees, some whirl */
    problem p = random_tree(9, 1, 11, 1);
    p.drive = 0.1;
    int kinds = 0;
    for (int k = 0; k < pinion_model_joint_count(p.m); k++) {
        pinion_joint_info j;
        CHECK_STATUS(pinion_model_joint(p.m, k, &j), PINION_OK);
        kinds |= 1 << j.type;
    }
    printf("    joint types %x\n", (unsigned)kinds);
    convergence(&p, "tree", 1);
    problem_free(&p);
}

/* a joint that follows another one adds no coordinate, but its body moves */
TEST(followers)
{
    problem p;
    const bar b[3] = {{PINION_JOINT_REVOLUTE, {0, 1, 0}, {0, 0, 0}, LOPSIDED, 0},
                      {PINION_JOINT_SPHERICAL, {0, 0, 1}, {0, 0, -0.8}, LOPSIDED, 0},
                      {PINION_JOINT_REVOLUTE, {1, 1, 0}, {0, 0, -0.8}, LOPSIDED, -0.7}};
    problem_finish(&p, build_chain(b, 3, DOWN));
    CHECK(p.nv == 4);
    const double v[4] = {1, -0.5, 0.3, 0.8};
    memcpy(p.v, v, sizeof v);
    p.q[0] = 0.5;
    convergence(&p, "followers", 1);
    problem_free(&p);
}

/* the error within the first step, at some places, falls with the order of the dense output plus one */
TEST(dense_output)
{
    problem all[3] = {pendulum(2), spherical_pendulum(), free_body(DOWN)};
    for (int k = 0; k < 3 * 3; k++) {
        problem *p = &all[k / 3];
        const method *m = &METHODS[k % 3];
        double before = 0, order = NAN;
        p->drive = 0.5;
        printf("    %-10s", NAMES[m->integrator]);
        for (double h = 0.2; h > 0.01; h /= 2) {
            double worst = 0, q[MOST], v[MOST], q1[MOST], v1[MOST], z;
            pinion_sim_options o = with(m->integrator, h);
            pn_stepper *s = begin(p, &o);
            s->fixed = h;
            CHECK_STATUS(pn_stepper_step(s, INFINITY), PINION_OK);
            for (double x = 0.15; x < 1; x += 0.2) {
                reference(p, x * h, 0.01, q, v, &z);
                CHECK_STATUS(pn_stepper_at(s, x * h, q1, v1, NULL), PINION_OK);
                worst = fmax(worst, distance(p, q, v, q1, v1));
            }
            pn_stepper_free(s);
            if (worst < 2e-12) break;
            if (before > 0) order = log2(before / worst);
            before = worst;
            printf(" %.1e", worst);
        }
        printf("  order %.2f\n", order);
        CHECK(order > m->local - 0.3);
    }
    for (int k = 0; k < 3; k++) problem_free(&all[k]);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(double_pendulum);
    RUN(spherical_joints);
    RUN(free_asymmetric_body);
    RUN(random_tree_of_every_joint);
    RUN(followers);
    RUN(dense_output);
    return CHECK_END();
}
