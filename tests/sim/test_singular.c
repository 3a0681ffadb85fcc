/* Passing singular positions at speed: what the constraints hold changes there, the energy does not. */
#include "mechanism.h"

/* A kite: ground and crank of 0.3 m, coupler and rocker of 0.6 m. Twice a turn of the crank two of its links lie on the
 * others. */
static pinion_model *kite(void)
{
    const double down[3] = {0, -9.81, 0};
    mechanism k = mechanism_begin(down);
    mechanism_rod(&k, "crank", 1, 0.3, 0);
    mechanism_rod(&k, "coupler", 1, 0.6, 0);
    mechanism_rod(&k, "rocker", 1, 0.6, 0);
    mechanism_hinge(&k, "A", "ground", "crank", 0, 0);
    mechanism_hinge(&k, "B", "crank", "coupler", 0.3, 0);
    mechanism_hinge(&k, "D", "ground", "rocker", 0.3, 0);
    mechanism_loop(&k, "C", "coupler", "rocker", 0.6, 0, 0.6, 0);
    return mechanism_end(&k);
}

/* A hinge at a place, about y or about x. */
static pinion_joint_def hinge(const char *name, const char *parent, const char *child, double x, double y, double z,
                              int about_y)
{
    pinion_joint_def joint = mechanism_joint(name, PINION_JOINT_CONTINUOUS, parent, child, x, y);
    joint.parent_pose.position[2] = z;
    joint.axis[0] = !about_y;
    joint.axis[1] = about_y;
    joint.axis[2] = 0;
    return joint;
}

/* Sarrus' mechanism: a plate on two legs of two links each, whose hinges are about y in the one and about x in the
 * other. It moves straight up and down, through the positions where the legs are flat. */
static pinion_model *sarrus(void)
{
    const double down[3] = {0, 0, -9.81}, com[3] = {-0.05, 0.03, 0.15}, inertia[3] = {0.04, 0.03, 0.02};
    static const char *const name[] = {"a1", "a2", "plate", "b1", "b2"};
    mechanism k = mechanism_begin(down);
    for (int i = 0; i < 5; i++) mechanism_body(&k, name[i], i == 2 ? 2 : 1, com, inertia);
    const pinion_joint_def joint[] = {
        hinge("A1", "ground", "a1", 0.2, 0, 0, 1), hinge("A2", "a1", "a2", 0.1, 0, 0.4, 1),
        hinge("A3", "a2", "plate", -0.1, 0, 0.4, 1), hinge("B1", "ground", "b1", 0, 0.2, 0, 0),
        hinge("B2", "b1", "b2", 0, 0.1, 0.4, 0)};
    for (int i = 0; i < 5; i++) mechanism_add(&k, &joint[i]);
    pinion_joint_def last = hinge("B3", "b2", "plate", 0, -0.1, 0.4, 0);
    last.child_pose.position[0] = -0.2;
    last.child_pose.position[1] = 0.2;
    mechanism_check(&k, pinion_builder_add_loop(k.b, &last, &k.err));
    return mechanism_end(&k);
}

/* 10 s with the first joint started at `angle` and `rate`; the largest drift of the largest kinetic energy. */
static double drift(const pinion_model *m, double angle, double rate, const pinion_sim_options *o)
{
    double q[8] = {angle}, v[8] = {rate};
    const unsigned char held[8] = {1};
    pinion_work *w = pinion_work_new(m);
    CHECK_STATUS(pinion_assemble(m, w, 0, held, q, NULL), PINION_OK);
    CHECK_STATUS(pinion_project_velocity(m, w, 0, held, q, v), PINION_OK);
    pinion_work_free(w);
    pinion_sim *s = driver_sim(m, o);
    if (!s) return NAN;
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    driver_advance(s, 10);
    instant x;
    driver_get(s, &x);
    CHECK(x.s.constraint < 1e-12);
    pinion_sim_free(s);
    return x.s.largest_drift / x.s.largest_kinetic;
}

/* Both mechanisms, with methods and tolerances; `most` is of the kite and of Sarrus' mechanism. */
static void passes(pinion_integrator method, double tolerance, const char *algorithm, const double most[2])
{
    pinion_sim_options o = pinion_sim_options_default();
    o.integrator = method;
    o.rtol = o.atol = tolerance;
    if (algorithm) o.algorithm = pinion_algorithm_find(algorithm);
    for (int i = 0; i < 2; i++) {
        pinion_model *m = i ? sarrus() : kite();
        const double lost = drift(m, i ? 0 : 0.9, i ? 1 : 8, &o);
        printf("       %s of %g, %s, %s: %.2g\n", pinion_integrator_name(method), tolerance,
               algorithm ? algorithm : "default", i ? "Sarrus" : "kite", lost);
        if (!(lost <= most[i]))
            CHECK_FAIL("%s of %g, %s: mechanism %d drifts by %.3g", pinion_integrator_name(method), tolerance,
                       algorithm ? algorithm : "default", i, lost);
        pinion_model_free(m);
    }
}

TEST(tolerances)
{
    static const struct {
        double tolerance, most[2];
    } run[] = {{1e-8, {3e-7, 2e-6}}, {1e-10, {1e-9, 2e-8}}, {1e-12, {3e-10, 3e-10}}};
    for (int i = 0; i < 3; i++) passes(PINION_INTEGRATOR_DOPRI5, run[i].tolerance, NULL, run[i].most);
}

TEST(methods)
{
    passes(PINION_INTEGRATOR_VERNER65, 1e-10, NULL, (const double[2]){1e-10, 5e-10});
}

TEST(algorithms)
{
    static const char *const name[] = {"loop-direct", "loop-multipliers", "loop-nullspace", "loop-divide-and-conquer"};
    for (int i = 0; i < 4; i++) passes(PINION_INTEGRATOR_DOPRI5, 1e-10, name[i], (const double[2]){1e-9, 2e-8});
}

/* What was stored near a singular position goes on to the bit. */
TEST(storing)
{
    pinion_model *m = kite();
    double q[3] = {0.9}, v[3] = {8};
    const unsigned char held[3] = {1};
    pinion_work *w = pinion_work_new(m);
    CHECK_STATUS(pinion_assemble(m, w, 0, held, q, NULL), PINION_OK);
    CHECK_STATUS(pinion_project_velocity(m, w, 0, held, q, v), PINION_OK);
    pinion_work_free(w);
    pinion_sim *s = driver_sim(m, NULL), *other = driver_sim(m, NULL);
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    double *memory = calloc((size_t)pinion_sim_memory_size(s), sizeof *memory);
    for (double t = 0.45; t < 0.49; t += 1e-3) {
        instant x, y;
        driver_advance(s, t);
        CHECK_STATUS(pinion_sim_store(s, memory), PINION_OK);
        CHECK_STATUS(pinion_sim_restore(other, memory, pinion_sim_memory_size(s)), PINION_OK);
        driver_advance(s, t + 1e-3);
        driver_advance(other, t + 1e-3);
        driver_get(s, &x);
        driver_get(other, &y);
        for (int i = 0; i < 3; i++) CHECK(x.q[i] == y.q[i] && x.v[i] == y.v[i]);
    }
    free(memory);
    pinion_sim_free(s);
    pinion_sim_free(other);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(tolerances);
    RUN(methods);
    RUN(algorithms);
    RUN(storing);
    return CHECK_END();
}
