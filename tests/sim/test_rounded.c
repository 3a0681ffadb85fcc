/* Runs of a mechanism whose data are rounded, in several units of length: rows contradict each other by what was
 * rounded off, and which of them are kept closed must not change on the way. */
#include "check.h"
#include "pinion/pinion.h"
#include "pinion/sim/sim.h"

/* any rotation: about z, x and z again */
static void random_turn(uint64_t *seed, double R[9])
{
    const double a = check_between(seed, -3, 3), b = check_between(seed, -3, 3), c = check_between(seed, -3, 3);
    const double A[9] = {cos(a), -sin(a), 0, sin(a), cos(a), 0, 0, 0, 1};
    const double B[9] = {cos(c), -sin(c), 0, cos(b) * sin(c), cos(b) * cos(c), -sin(b),
                         sin(b) * sin(c), sin(b) * cos(c), cos(b)};
    for (int i = 0; i < 9; i++) {
        R[i] = 0;
        for (int k = 0; k < 3; k++) R[i] += A[i / 3 * 3 + k] * B[3 * k + i % 3];
    }
}

/* x of a frame that is turned by R, rounded to steps (0: not), times a length */
static void rounded(const double R[9], const double x[3], double step, double length, double y[3])
{
    for (int i = 0; i < 3; i++) {
        y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
        if (step > 0) y[i] = step * nearbyint(y[i] / step);
        y[i] *= length;
    }
}

/* A slider-crank in a plane that is turned by R, closed by a ball, as a file with few digits has it. */
static pinion_model *rounded_slider(const double R[9], double step, double length)
{
    static const char *const name[] = {"ground", "crank", "rod", "block"};
    static const double place[4][3] = {{0, 0, 0}, {0.26, 0, 0}, {0, 0.1, 0}, {0.57, 0, 0}}, com[3] = {0.1, 0.01, 0};
    static const double turns[3] = {0, 0, 1}, shifts[3] = {1, 0, 0}, down[3] = {0, -9.81, 0};
    pinion_builder *b = pinion_builder_new("slider");
    pinion_error err = {0};
    double gravity[3];
    rounded(R, down, step, length, gravity);
    CHECK_STATUS(pinion_builder_set_gravity(b, gravity, NULL), PINION_OK);
    for (int i = 0; i < 4; i++) {
        pinion_link_def l = pinion_link_def_default();
        l.name = name[i];
        l.inertia.mass = i;
        for (int e = 0; e < 6; e++) l.inertia.inertia[e] = e == 0 || e == 3 || e == 5 ? 0.01 * i * length * length : 0;
        if (i) rounded(R, com, step, length, l.inertia.com);
        CHECK_STATUS(pinion_builder_add_link(b, &l, NULL), PINION_OK);
    }
    for (int i = 0; i < 4; i++) {
        pinion_joint_def j = pinion_joint_def_default();
        j.name = i < 3 ? name[i + 1] : "ball";
        j.type = i < 2 ? PINION_JOINT_CONTINUOUS : i == 2 ? PINION_JOINT_PRISMATIC : PINION_JOINT_SPHERICAL;
        j.parent = i == 1 ? "crank" : i == 3 ? "rod" : "ground";
        j.child = i < 3 ? name[i + 1] : "block";
        rounded(R, i < 2 ? turns : shifts, step, 1, j.axis);
        for (int e = 0; i == 3 && e < 3; e++) j.axis[e] = 0;
        rounded(R, place[i], step, length, j.parent_pose.position);
        CHECK_STATUS(i < 3 ? pinion_builder_add_joint(b, &j, NULL) : pinion_builder_add_loop(b, &j, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* the state after 0.1 s from where the crank is at 0.7 rad; displacements in lengths */
static void run(const double R[9], double step, double length, double end[3])
{
    const unsigned char held[3] = {1, 0, 0};
    pinion_model *m = rounded_slider(R, step, length);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    pinion_sim_options o = pinion_sim_options_default();
    pinion_assembly closed;
    pinion_error err = {0};
    double q[3] = {0.7, -0.8, 0.7 * length}, v[3] = {3, 0, 0};
    o.integrator = PINION_INTEGRATOR_RK4;
    pinion_sim *s = w ? pinion_sim_new(m, &o, &err) : NULL;
    if (!s) {
        CHECK_FAIL("%s", err.message);
        return;
    }
    check_count++;
    if (pinion_assemble(m, w, 0, held, q, &closed))
        CHECK_FAIL("rounded to %g, times %g: %s", step, length, pinion_work_message(w));
    CHECK_STATUS(pinion_project_velocity(m, w, 0, held, q, v), PINION_OK);
    check_count += 2;
    if (!(closed.doubt <= 20 * step)) /* none of exact data */
        CHECK_FAIL("rounded to %g, times %g: doubt %g", step, length, closed.doubt);
    pinion_sim_state state = {.q = end};
    if (pinion_sim_start(s, 0, q, v) || pinion_sim_advance(s, 0.1) || pinion_sim_get(s, &state))
        CHECK_FAIL("rounded to %g, times %g: %s", step, length, pinion_sim_message(s));
    end[2] /= length;
    pinion_sim_free(s);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* It moves as the exact one does but for about what is rounded, and in all units alike. */
TEST(few_digits)
{
    static const double lengths[] = {1, 1e-4, 1e-3, 1e3, 1e5}, digits[] = {4e-6, 1e-6, 1e-7};
    uint64_t seed = check_seed;
    for (int trial = 0; trial < 30; trial += check_every(7)) {
        const double step = digits[trial % 3];
        double R[9], exact[3] = {0}, one[3] = {0}, off = 0, apart = 0;
        random_turn(&seed, R);
        run(R, 0, 1, exact);
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            double end[3] = {0};
            run(R, step, lengths[k], k ? end : one);
            for (int i = 0; i < 3; i++) {
                off = fmax(off, fabs(one[i] - exact[i]));
                apart = fmax(apart, k ? fabs(end[i] - one[i]) : 0);
            }
        }
        check_count += 2;
        if (!(off < 1e3 * step)) CHECK_FAIL("rounded to %g: off by %g", step, off);
        if (!(apart < 1e-9 + step)) CHECK_FAIL("rounded to %g: units differ by %g", step, apart);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(few_digits);
    return CHECK_END();
}
