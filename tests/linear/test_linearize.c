/* x' = A x + B u near a state is what the model does there: pendulums and a parallelogram have closed forms,
 * random trees and mechanisms with loops are compared with differences of their motion, and eigenvectors are put into
 * their equation. */
#include "loops/assembled.h"
#include "pinion/actuators.h"
#include "pinion/sim/linearize.h"
#include "sim/linear/eigen.h"

#include <complex.h>

#define G 9.81

static pinion_joint_def joint_along_y(const char *name, const char *parent, const char *child, double x,
                                      double z)
{
    pinion_joint_def j = pinion_joint_def_default();
    j.name = name;
    j.type = PINION_JOINT_CONTINUOUS;
    j.parent = parent;
    j.child = child;
    j.axis[0] = j.axis[2] = 0;
    j.axis[1] = 1;
    j.parent_pose.position[0] = x;
    j.parent_pose.position[2] = z;
    return j;
}

static void add_bar(pinion_builder *b, const char *name, double mass, double x, double z, double J)
{
    pinion_link_def l = pinion_link_def_default();
    l.name = name;
    l.inertia.mass = mass;
    l.inertia.com[0] = x;
    l.inertia.com[2] = z;
    for (int k = 0; k < 6 && mass > 0; k += k ? 2 : 3) l.inertia.inertia[k] = J;
    CHECK_STATUS(pinion_builder_add_link(b, &l, NULL), PINION_OK);
}

/* a mass of 2 kg, 0.5 m below its axis, with a spring, a damper and friction */
static pinion_model *pendulum(double stiffness, double damping, double friction)
{
    pinion_error err = {0};
    pinion_dof dof = {.lower = -INFINITY, .upper = INFINITY, .velocity = INFINITY, .effort = INFINITY};
    dof.stiffness = stiffness;
    dof.damping = damping;
    dof.friction_positive = dof.friction_negative = friction;
    dof.gear_ratio = 1;
    pinion_builder *b = pinion_builder_new("pendulum");
    add_bar(b, "base", 0, 0, 0, 0);
    add_bar(b, "bob", 2, 0, -0.5, 1e-9);
    pinion_joint_def j = joint_along_y("pivot", "base", "bob", 0, 0);
    j.dof[0] = dof;
    CHECK_STATUS(pinion_builder_add_joint(b, &j, &err), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

TEST(a_pendulum_has_its_frequency_and_damping)
{
    const double J = 2 * 0.25 + 1e-9, k = 3, d = 0.4;
    pinion_model *m = pendulum(k, d, 0.1);
    if (!m) return;
    pinion_error err;
    const double q = 0;
    pinion_linear *l = pinion_linearize(m, &q, NULL, NULL, &err);
    CHECK(l && l->freedom == 1 && l->inputs == 1 );
    if (l) {
        const double slope = -(2 * G * 0.5 + k) / J;
        const double A[4] = {0, 1, slope, -d / J}, B[2] = {0, 1 / J};
        CHECK_NEAR(check_error(l->A, A, 4, 1), 0, 1e-14);
        CHECK_NEAR(check_error(l->B, B, 2, 1), 0, 1e-14);
        CHECK(l->friction == 0.1 && l->a[0] == 0);
        double value[4], vector[8];
        CHECK_STATUS(pinion_linear_modes(l, value, vector), PINION_OK);
        CHECK_NEAR(value[0], -d / J / 2, 1e-12);
        CHECK_NEAR(value[1], sqrt(-slope - d * d / J / J / 4), 1e-12);
        CHECK_NEAR(value[3], -value[1], 1e-12);
    }
    pinion_linear_free(l);
    pinion_model_free(m);
}

/* Two cranks of 0.6 m and 1.5 kg hang from a base, 1 m apart, and carry a coupler of 2 kg: all of it swings
 * like one pendulum, w^2 = (mc + mp) g / ((2/3 mc + mp) r). */
TEST(a_parallelogram_swings_like_a_pendulum)
{
    const double r = 0.6, mc = 1.5, mp = 2;
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("parallelogram");
    add_bar(b, "base", 0, 0, 0, 0);
    add_bar(b, "left", mc, 0, -r / 2, mc * r * r / 12);
    add_bar(b, "right", mc, 0, -r / 2, mc * r * r / 12);
    add_bar(b, "coupler", mp, 0.5, 0, mp / 12);
    const pinion_joint_def joint[] = {joint_along_y("A", "base", "left", 0, 0),
                                      joint_along_y("B", "left", "coupler", 0, -r),
                                      joint_along_y("C", "base", "right", 1, 0)};
    for (int i = 0; i < 3; i++) CHECK_STATUS(pinion_builder_add_joint(b, &joint[i], &err), PINION_OK);
    pinion_joint_def loop = joint_along_y("D", "right", "coupler", 0, -r);
    loop.child_pose.position[0] = 1;
    CHECK_STATUS(pinion_builder_add_loop(b, &loop, &err), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    if (!m) return;
    double q[3] = {0.5, -0.5, 0.5}; /* it swings back to rest */
    CHECK_STATUS(pinion_equilibrium(m, NULL, q, &err), PINION_OK);
    for (int i = 0; i < 3; i++) CHECK_NEAR(q[i], 0, 1e-7);
    pinion_linear *l = pinion_linearize(m, q, NULL, NULL, &err);
    CHECK(l && l->freedom == 1 && l->inputs == 3);
    if (l) {
        double value[4];
        CHECK_STATUS(pinion_linear_modes(l, value, NULL), PINION_OK);
        CHECK_NEAR(value[1], sqrt((mc + mp) * G / ((2 * mc / 3 + mp) * r)), 1e-12); /* at rest to 1e-8: 1e-16 of it */
        CHECK_NEAR(value[0], 0, 1e-12);
        /* a torque on a crank, and the same inertia */
        const double J = 2 * mc * r * r / 3 + mp * r * r;
        const int crank = l->velocity[0];
        CHECK_NEAR(fabs(l->B[3 + crank]), 1 / J, 1e-9);
    }
    pinion_linear_free(l);
    pinion_model_free(m);
}

/* ---- random trees ---- */

enum { MOST = 60 };

/* where a state off by x goes: its rate, by differences of the motion over a moment */
static void rate_of(const pinion_model *m, pinion_work *w, const double *q, const double *v, const double *x,
                    const double *tau, double *rate)
{
    const int nv = pinion_model_nv(m);
    const double h = 1e-5;
    double qx[2 * MOST], vx[MOST], force[MOST], a[MOST], ahead[2 * MOST], moved[2 * MOST], delta[2][MOST];
    CHECK_STATUS(pinion_integrate(m, q, x, 1, qx), PINION_OK);
    for (int i = 0; i < nv; i++) vx[i] = v[i] + x[nv + i];
    CHECK_STATUS(pinion_passive_forces(m, w, qx, vx, force), PINION_OK);
    for (int i = 0; i < nv; i++) force[i] += tau[i];
    CHECK_STATUS(pinion_forward_dynamics(m, w, qx, vx, force, NULL, a), PINION_OK);
    for (int side = 0; side < 2; side++) {
        CHECK_STATUS(pinion_integrate(m, q, v, side ? -h : h, ahead), PINION_OK);
        CHECK_STATUS(pinion_integrate(m, qx, vx, side ? -h : h, moved), PINION_OK);
        CHECK_STATUS(pinion_difference(m, ahead, moved, delta[side]), PINION_OK);
    }
    for (int i = 0; i < nv; i++) {
        rate[i] = (delta[0][i] - delta[1][i]) / (2 * h);
        rate[nv + i] = a[i];
    }
}

TEST(random_trees_move_as_A_and_B_say)
{
    double worst = 0;
    for (int trial = 0; trial < 12; trial++) {
        pinion_error err = {0};
        uint64_t seed = check_seed + (uint64_t)trial;
        pinion_model *m = pinion_random_tree(2 + trial % 6, trial % 2, seed, &err);
        pinion_work *w = m ? pinion_work_new(m) : NULL;
        const int nv = m ? pinion_model_nv(m) : 0;
        CHECK(w && nv <= MOST);
        if (!w || nv > MOST) continue;
        double q[2 * MOST], v[MOST], tau[MOST], x[2 * MOST], up[2 * MOST], down[2 * MOST];
        CHECK_STATUS(pinion_random(m, seed, q), PINION_OK);
        for (int i = 0; i < nv; i++) v[i] = check_between(&seed, -1, 1), tau[i] = check_between(&seed, -3, 3);
        pinion_linear *l = pinion_linearize(m, q, v, tau, &err);
        if (!l) CHECK_FAIL("%s", err.message);
        double size = 1;
        for (int i = 0; l && i < 4 * nv * nv; i++) size = fmax(size, fabs(l->A[i]));
        for (int j = 0; l && j < 2 * nv + l->inputs; j++) {
            const double h = 1e-5;
            for (int side = 0; side < 2; side++) {
                double force[MOST];
                memset(x, 0, sizeof x);
                memcpy(force, tau, sizeof force);
                if (j < 2 * nv)
                    x[j] = side ? -h : h;
                else
                    force[l->input[j - 2 * nv]] += side ? -h : h;
                rate_of(m, w, q, v, x, force, side ? down : up);
            }
            for (int i = 0; i < 2 * nv; i++) {
                const double found = (up[i] - down[i]) / (2 * h);
                const double said = j < 2 * nv ? l->A[i * 2 * nv + j] : l->B[i * l->inputs + j - 2 * nv];
                worst = fmax(worst, fabs(found - said) / size);
                check_count++;
                /* differences of differences with h = 1e-5: rounding over h^2, 1e-6, and some */
                if (!(fabs(found - said) <= 1e-5 * size))
                    CHECK_FAIL("trial %d: [%d][%d] is %.9g, by differences %.9g", trial, i, j, said, found);
            }
        }
        pinion_linear_free(l);
        pinion_work_free(w);
        pinion_model_free(m);
    }
    printf("    worst difference %.2g of the largest entry\n", worst);
}

/* A frame of a link, in the plane of the bars. */
static void add_point(pinion_builder *b, const char *name, const char *link, double x, double z)
{
    pinion_frame_def def = pinion_frame_def_default();
    def.name = name;
    def.link = link;
    def.pose.position[0] = x;
    def.pose.position[2] = z;
    CHECK_STATUS(pinion_builder_add_frame(b, &def, NULL), PINION_OK);
}

/* A cable to the second bar, a crank on it, and a force between the two. */
static void add_lengths(pinion_builder *b)
{
    const char *const through[] = {"anchor", "end"};
    pinion_tendon_def cable = pinion_tendon_def_default();
    cable.name = "cable";
    cable.type = PINION_TENDON_PATH;
    cable.count = 2;
    cable.through = through;
    add_point(b, "anchor", "base", 0.5, 0.2);
    add_point(b, "middle", "arm", 0.1, -0.5);
    add_point(b, "end", "tip", 0.1, -0.3);
    CHECK_STATUS(pinion_builder_add_tendon(b, &cable, NULL), PINION_OK);
    pinion_actuator_def winch = pinion_actuator_def_default(), crank = winch, pair = winch;
    winch.name = "winch";
    winch.type = PINION_ACTUATOR_TENDON;
    winch.tendon = "cable";
    crank.name = "crank";
    crank.type = PINION_ACTUATOR_CRANK;
    crank.frame = pair.frame = "end";
    crank.reference = "anchor";
    crank.rod = 2;
    pair.name = "pair";
    pair.type = PINION_ACTUATOR_PAIR;
    pair.reference = "middle";
    pair.wrench[3] = 1;
    pair.wrench[5] = 0.3;
    CHECK_STATUS(pinion_builder_add_actuator(b, &winch, NULL), PINION_OK);
    CHECK_STATUS(pinion_builder_add_actuator(b, &crank, NULL), PINION_OK);
    CHECK_STATUS(pinion_builder_add_actuator(b, &pair, NULL), PINION_OK);
}

/* two bars, a jet on the second, a tendon over both and what acts along lengths: u stays, and the arms change */
TEST(actuators_are_the_inputs)
{
    enum { NV = 2, NU = 5 };
    static const char *const both[] = {"upper", "lower"};
    const double weight[] = {0.5, -1.5}, q[NV] = {0.4, -0.7}, v[NV] = {0.6, -0.3}, h = 1e-5;
    double u[NU] = {7, 3, -4, 5, 6};
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("jet");
    add_bar(b, "base", 0, 0, 0, 0);
    add_bar(b, "arm", 2, 0, -0.4, 0.05);
    add_bar(b, "tip", 1, 0.1, -0.3, 0.02);
    pinion_joint_def first = joint_along_y("upper", "base", "arm", 0, 0);
    pinion_joint_def second = joint_along_y("lower", "arm", "tip", 0, -0.8);
    CHECK_STATUS(pinion_builder_add_joint(b, &first, &err), PINION_OK);
    CHECK_STATUS(pinion_builder_add_joint(b, &second, &err), PINION_OK);
    pinion_actuator_def jet = pinion_actuator_def_default(), tendon = jet;
    jet.name = "jet";
    jet.type = PINION_ACTUATOR_FRAME;
    jet.frame = "tip";
    jet.wrench[3] = 1;
    jet.wrench[5] = -0.5;
    jet.efficiency = 0.5;
    tendon.name = "tendon";
    tendon.type = PINION_ACTUATOR_SUM;
    tendon.count = 2;
    tendon.joints = both;
    tendon.weights = weight;
    tendon.gear = 3;
    CHECK_STATUS(pinion_builder_add_actuator(b, &jet, &err), PINION_OK);
    CHECK_STATUS(pinion_builder_add_actuator(b, &tendon, &err), PINION_OK);
    add_lengths(b);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    pinion_builder_free(b);
    pinion_work *w = pinion_work_new(m);
    double tau[NV], force[NV], x[2 * NV], up[2 * NV], down[2 * NV];
    CHECK_STATUS(pinion_actuation_torque(m, w, q, u, tau), PINION_OK);
    pinion_allocation *least = pinion_allocation_new(m); /* of more than are needed the least forces are meant */
    CHECK_STATUS(pinion_allocation_forces(least, q, tau, 0, u, NULL), PINION_OK);
    pinion_allocation_free(least);
    for (int k = 0; k < NU; k++) CHECK(fabs(u[k]) > 0.1);
    pinion_linear *l = pinion_linearize(m, q, v, tau, &err);
    if (!l) CHECK_FAIL("%s", err.message);
    CHECK(l->inputs == NU && l->input[0] == -1 && l->input[1] == -1);
    for (int j = 0; j < 2 * NV + NU; j++) {
        for (int side = 0; side < 2; side++) {
            double step = side ? -h : h, there[NV], given[NU];
            memcpy(given, u, sizeof u);
            memset(x, 0, sizeof x);
            if (j < 2 * NV)
                x[j] = step;
            else
                given[j - 2 * NV] += step;
            for (int i = 0; i < NV; i++) there[i] = q[i] + x[i];
            CHECK_STATUS(pinion_actuation_torque(m, w, there, given, force), PINION_OK);
            rate_of(m, w, q, v, x, force, side ? down : up);
        }
        for (int i = 0; i < 2 * NV; i++) {
            const double said = j < 2 * NV ? l->A[i * 2 * NV + j] : l->B[i * NU + j - 2 * NV];
            CHECK_NEAR((up[i] - down[i]) / (2 * h), said, 1e-5 * (1 + fabs(said)));
        }
    }
    pinion_linear_free(l);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* ---- mechanisms with loops ---- */

/* The acceleration where an independent coordinate or velocity, or an input, is off by h: the loops are closed again,
 * with the independent ones as they are. */
static void accelerate(const mechanism *x, const pinion_linear *l, int which, int i, double h, double *a)
{
    const int nv = x->n, n = l->freedom, loops = pinion_model_loop_nv(x->m);
    double *step = numbers(nv), *q = numbers(pinion_model_nq(x->m)), *v = numbers(nv), *tau = numbers(nv);
    unsigned char *locked = calloc((size_t)nv + 1, 1);
    pinion_loop_options options = pinion_loop_options_default();
    if (!locked) abort();
    options.passive = loops > 0;
    for (int k = 0; k < n; k++) locked[l->velocity[k]] = 1;
    for (int k = 0; k < nv; k++) {
        step[k] = which == 0 ? h * l->motion[k * n + i] : 0;
        v[k] = x->v[k] + (which == 1 ? h * l->motion[k * n + i] : 0);
    }
    CHECK_STATUS(pinion_integrate(x->m, x->q, step, 1, q), PINION_OK);
    if (which == 0) CHECK_STATUS(pinion_assemble(x->m, x->w, 0, locked, q, NULL), PINION_OK);
    if (which == 0) CHECK_STATUS(pinion_project_velocity(x->m, x->w, 0, locked, q, v), PINION_OK);
    CHECK_STATUS(pinion_passive_forces(x->m, x->w, q, v, tau), PINION_OK);
    for (int k = 0; k < nv; k++) tau[k] += x->tau[k];
    if (which == 2) tau[l->input[i]] += h;
    CHECK_STATUS(pinion_loop_dynamics(x->m, x->w, -1, &options, q, v, tau, NULL, a, NULL), PINION_OK);
    free(step);
    free(q);
    free(v);
    free(tau);
    free(locked);
}

/* column i of the lower half of A or B, by differences of the fourth order */
static void check_column(const mechanism *x, const pinion_linear *l, int which, int i, const char *name)
{
    static const double at[4] = {1, -1, 2, -2}, weight[4] = {8. / 12, -8. / 12, -1. / 12, 1. / 12};
    const int n = l->freedom;
    const double h = 2e-4;
    double *a = numbers(x->n), *found = numbers(n), size = 1;
    for (int s = 0; s < 4; s++) {
        accelerate(x, l, which, i, at[s] * h, a);
        for (int k = 0; k < n; k++) found[k] += weight[s] / h * a[l->velocity[k]];
    }
    for (int k = 0; k < n; k++) size = fmax(size, fmax(fabs(found[k]), fabs(l->a[l->velocity[k]])));
    for (int k = 0; k < n; k++) {
        const double said = which == 2 ? l->B[(n + k) * l->inputs + i] : l->A[(n + k) * 2 * n + which * n + i];
        check_count++;
        /* loops close to 1e-12, over h, and the fifth derivatives */
        if (!(fabs(said - found[k]) <= 1e-7 * size))
            CHECK_FAIL("%s: %d of column %d, %d is %.9g, by differences %.9g", name, k, which, i, said, found[k]);
    }
    free(a);
    free(found);
}

TEST(mechanisms_move_as_A_and_B_say)
{
    static const int joints[][3] = {{PINION_JOINT_REVOLUTE, PINION_JOINT_SPHERICAL, -1},
                                    {PINION_JOINT_PLANAR, PINION_JOINT_UNIVERSAL, -1},
                                    {PINION_JOINT_CYLINDRICAL, PINION_JOINT_HELICAL, -1}};
    for (int trial = 0; trial < 6; trial++) {
        uint64_t seed = check_seed + (uint64_t)trial;
        wanted want = {trial % 3 == 1, {0}, {PINION_LOOP_DISTANCE, -1}, trial % 2, 0};
        memcpy(want.joints, joints[trial % 3], sizeof *joints);
        mechanism x;
        pinion_mobility mobility;
        for (int again = 1; again;) { /* near singular positions differences are worth nothing */
            x = mechanism_new(&want, &seed);
            if (!x.w) return;
            CHECK_STATUS(pinion_mobility_at(x.m, x.w, 0, x.q, &mobility), PINION_OK);
            again = mobility.doubt > 0;
            if (again) mechanism_free(&x);
        }
        pinion_error err = {0};
        pinion_linear *l = pinion_linearize(x.m, x.q, x.v, x.tau, &err);
        if (!l) CHECK_FAIL("trial %d: %s", trial, err.message);
        char name[40];
        snprintf(name, sizeof name, "trial %d", trial);
        CHECK(!l || (l->freedom == mobility.freedom && l->freedom < x.n));
        for (int which = 0; l && which < 3; which++)
            for (int i = 0; i < (which == 2 ? l->inputs : l->freedom); i++) check_column(&x, l, which, i, name);
        pinion_linear_free(l);
        mechanism_free(&x);
    }
}

/* ---- eigenvalues ---- */

static void check_eigen(int n, const double *A, double bound)
{
    double *value = malloc(2 * (size_t)n * sizeof *value),
           *vector = malloc(2 * (size_t)n * (size_t)n * sizeof *vector);
    CHECK_STATUS(pn_eigen(n, A, value, vector), PINION_OK);
    double trace = 0, norm = 0;
    for (int i = 0; i < n; i++) trace += A[i * n + i] - value[2 * i];
    for (int i = 0; i < n * n; i++) norm = hypot(norm, A[i]);
    CHECK_NEAR(trace / norm, 0, bound);
    for (int k = 0; k < n; k++) {
        const double *v = vector + 2 * k * n;
        double off = 0;
        for (int i = 0; i < n; i++) {
            double complex sum =
                -(value[2 * k] + _Complex_I * value[2 * k + 1]) * (v[2 * i] + _Complex_I * v[2 * i + 1]);
            for (int j = 0; j < n; j++) sum += A[i * n + j] * (v[2 * j] + _Complex_I * v[2 * j + 1]);
            off = hypot(off, cabs(sum));
        }
        CHECK_NEAR(off / norm, 0, bound);
    }
    free(value);
    free(vector);
}

TEST(eigenvectors_keep_their_equation)
{
    uint64_t seed = check_seed;
    for (int n = 1; n <= 40; n += 3) {
        double A[40 * 40];
        for (int kind = 0; kind < 4; kind++) {
            for (int i = 0; i < n * n; i++) A[i] = check_between(&seed, -1, 1);
            /* scales far apart; symmetric; a circle, on which plain steps go round for ever */
            for (int i = 0; kind == 1 && i < n * n; i++) A[i] *= pow(2, (double)(i / n % 7 - i % n % 7));
            for (int i = 0; kind == 2 && i < n; i++)
                for (int j = 0; j < i; j++) A[i * n + j] = A[j * n + i];
            for (int i = 0; kind == 3 && i < n * n; i++) A[i] = i % n == (i / n + 1) % n;
            check_eigen(n, A, 1e-13 * n);
        }
    }
    const double nan[1] = {NAN};
    double value[2];
    CHECK_STATUS(pn_eigen(1, nan, value, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pn_eigen(0, NULL, NULL, NULL), PINION_OK);
}

/* ---- states of rest, and what is refused ---- */

TEST(states_of_rest)
{
    pinion_error err;
    pinion_model *m = pendulum(0, 0, 0);
    double q = 2.0, tau = 2 * G * 0.5 * sin(0.3);
    CHECK_STATUS(pinion_equilibrium(m, NULL, &q, &err), PINION_OK);
    CHECK_NEAR(q, 0, 1e-8); /* the stable one */
    q = 0.1;
    CHECK_STATUS(pinion_equilibrium(m, &tau, &q, &err), PINION_OK);
    CHECK_NEAR(fabs(q), 0.3, 1e-8);
    tau = 100; /* more than gravity can hold */
    CHECK_STATUS(pinion_equilibrium(m, &tau, &q, &err), PINION_ERR_CONVERGENCE);
    CHECK_HAS(err.message, "pivot");
    CHECK_STATUS(pinion_equilibrium(NULL, NULL, &q, &err), PINION_ERR_ARGUMENT);
    CHECK(!pinion_linearize(m, NULL, NULL, NULL, &err) && err.status == PINION_ERR_ARGUMENT);
    pinion_model_free(m);
    /* a chain of seven that starts far from rest hangs in the end: no force of gravity is left */
    m = pinion_random_chain(7, check_seed, &err);
    pinion_work *w = pinion_work_new(m);
    double chain_q[7] = {1, -0.5, 2, 0.3, -1, 0.7, 0.2}, left[7];
    CHECK_STATUS(pinion_equilibrium(m, NULL, chain_q, &err), PINION_OK);
    CHECK_STATUS(pinion_gravity(m, w, chain_q, left), PINION_OK);
    for (int i = 0; i < 7; i++) CHECK_NEAR(left[i], 0, 1e-6);
    pinion_work_free(w);
    pinion_model_free(m);
    m = pinion_random_tree(4, 1, check_seed, &err); /* it falls */
    double free_q[2 * MOST];
    CHECK_STATUS(pinion_neutral(m, free_q), PINION_OK);
    CHECK_STATUS(pinion_equilibrium(m, NULL, free_q, &err), PINION_ERR_CONVERGENCE);
    pinion_model_free(m);
}

/* What an actuator makes a pendulum do at a frequency, by A and B: its delay and lag, times what the pendulum does. */
TEST(actuators_have_their_states)
{
    const double J = 2 * 0.25 + 1e-9, D = 0.04, T = 0.1;
    for (int kind = 0; kind < 4; kind++) { /* 1: a delay, 2: a lag, 3: both */
        pinion_error err = {0};
        pinion_builder *b = pinion_builder_new("pendulum");
        add_bar(b, "base", 0, 0, 0, 0);
        add_bar(b, "bob", 2, 0, -0.5, 1e-9);
        pinion_joint_def j = joint_along_y("pivot", "base", "bob", 0, 0);
        CHECK_STATUS(pinion_builder_add_joint(b, &j, &err), PINION_OK);
        const char *joint = "pivot";
        pinion_actuator_def motor = pinion_actuator_def_default();
        motor.name = "motor";
        motor.joints = &joint;
        motor.gear = 3;
        if (kind & 1) motor.dynamics.delay = D;
        if (kind & 2) motor.dynamics.lag = T;
        CHECK_STATUS(pinion_builder_add_actuator(b, &motor, &err), PINION_OK);
        pinion_model *m = pinion_builder_build(b, NULL, &err);
        pinion_builder_free(b);
        const double q = 0;
        pinion_linear *l = pinion_linearize(m, &q, NULL, NULL, &err);
        const int N = 2 + (kind & 1 ? PINION_LINEAR_DELAY : 0) + (kind & 2 ? 1 : 0);
        CHECK(l && l->states == N && l->freedom == 1);
        if (!l) continue;
        for (int i = 0; i < N - 2; i++) CHECK(l->actuator[i] == 0 && l->part[i] == (i < 4 && kind & 1 ? i : -1));
        for (double w = 0.5; w < 50; w *= 1.7) {
            /* (i w - A) x = B by elimination */
            double complex M[7][8] = {{0}};
            for (int i = 0; i < N; i++) {
                for (int k = 0; k < N; k++) M[i][k] = (i == k) * I * w - l->A[i * N + k];
                M[i][N] = l->B[i];
            }
            for (int p = 0; p < N; p++) {
                int best = p;
                for (int i = p + 1; i < N; i++)
                    if (cabs(M[i][p]) > cabs(M[best][p])) best = i;
                for (int k = 0; k <= N; k++) {
                    const double complex keep = M[p][k];
                    M[p][k] = M[best][k];
                    M[best][k] = keep;
                }
                for (int i = 0; i < N; i++) {
                    const double complex f = i == p ? 0 : M[i][p] / M[p][p];
                    for (int k = p; k <= N; k++) M[i][k] -= f * M[p][k];
                }
            }
            const double complex answer = M[0][N] / M[0][0], swings = 3 / (-w * w * J + 2 * G * 0.5);
            const double complex exact =
                swings * (kind & 1 ? cexp(-I * w * D) : 1) / (kind & 2 ? 1 + I * w * T : 1);
            /* the approximation is of order 8 in w D */
            CHECK_NEAR(cabs(answer - exact) / cabs(exact), 0, 1e-12 + (kind & 1 ? 1e-6 * pow(w * D, 8) : 0));
        }
        pinion_linear_free(l);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(actuators_have_their_states);
    RUN(a_pendulum_has_its_frequency_and_damping);
    RUN(a_parallelogram_swings_like_a_pendulum);
    RUN(random_trees_move_as_A_and_B_say);
    RUN(actuators_are_the_inputs);
    RUN(mechanisms_move_as_A_and_B_say);
    RUN(eigenvectors_keep_their_equation);
    RUN(states_of_rest);
    return CHECK_END();
}
