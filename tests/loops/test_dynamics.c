/* Forward dynamics with closed loops: every solver of them on random mechanisms with loops of every kind,
 * against elimination in long double; redundant and contradicting rows, massless bodies, other precisions,
 * batches. */
#include <float.h>
#include "assembled.h"
#include "four_bar.h"

/* ---- all methods against an independent solution ---- */

static double worst_a, worst_lambda;

static double relative_error(const double *x, const double *y, int count, double scale)
{
    double worst = 0, size = scale;
    for (int i = 0; i < count; i++) {
        const double d = fabs(x[i] - y[i]);
        if (!(d <= worst)) worst = d;
        size = fmax(size, fabs(y[i]));
    }
    return worst / (size > 0 ? size : 1);
}

/* What rounding may do: 1e-9, or eight units times the condition where a mechanism is near a singular position. What
 * is assembled from halves loses digits that the mechanism has (Featherstone 1999, part 2): multipliers had an error of
 * 9.4 such units, the worst of 260 seeds, and four times as much is allowed. */
static double allowed(const mechanism *x, double t, int algorithm, double error)
{
    const double units = algorithm == pinion_algorithm_find("loop-divide-and-conquer") ? 32 : 8;
    return error < 1e-9 ? 1e-9 : fmax(1e-9, units * DBL_EPSILON * mechanism_condition(x, t));
}

/* every solver that applies, at t; returns how many there were */
static int check_methods(const mechanism *x, double t, const char *name)
{
    double *a = numbers(x->n), *truth = numbers(x->n), *lambda = numbers(x->rows),
           *truth_lambda = numbers(x->rows);
    pinion_loop_options options = pinion_loop_options_default();
    const int rank = reference_solution(x, t, x->tau, truth, truth_lambda);
    int count = 0;
    options.t = t;
    for (int k = 0; k < pinion_algorithm_count(); k++) {
        pinion_algorithm_info info;
        pinion_loop_solution s = {lambda, 0, 0};
        if (pinion_algorithm(k, &info) != PINION_OK || info.problem != PINION_PROBLEM_FORWARD_DYNAMICS)
            continue;
        if (info.kernel) continue; /* loop-proximal iterates, and has tests of its own */
        if (pinion_algorithm_applies(k, x->m, NULL) != PINION_OK) continue;
        count++;
        for (int i = 0; i < x->n; i++) a[i] = NAN;
        const pinion_status status =
            pinion_loop_dynamics(x->m, x->w, k, &options, x->q, x->v, x->tau, x->f_ext, a, &s);
        check_count++;
        if (status != PINION_OK) {
            CHECK_FAIL("%s on %s: %s", info.name, name, pinion_work_message(x->w));
            continue;
        }
        const double error = relative_error(a, truth, x->n, 1),
                     of_lambda = relative_error(lambda, truth_lambda, x->rows, 1);
        worst_a = fmax(worst_a, error);
        check_count++;
        if (!(error < allowed(x, t, k, error)))
            CHECK_FAIL("%s on %s: accelerations off by %.3g", info.name, name, error);
        worst_lambda = fmax(worst_lambda, of_lambda);
        check_count += 3;
        if (!(of_lambda < allowed(x, t, k, of_lambda)))
            CHECK_FAIL("%s on %s: multipliers off by %.3g", info.name, name, of_lambda);
        if (s.rank != rank) CHECK_FAIL("%s on %s: rank %d, expected %d", info.name, name, s.rank, rank);
        double size = 1;
        for (int i = 0; i < x->n; i++) size = fmax(size, fabs(truth[i]));
        if (!(s.residual < 1e-9 * size)) CHECK_FAIL("%s on %s: residual %.3g", info.name, name, s.residual);
    }
    free(a);
    free(truth);
    free(lambda);
    free(truth_lambda);
    return count;
}

static void loops_of_every_type(uint64_t seed)
{
    for (int type = 0; type < PINION_JOINT_TYPE_COUNT; type++)
        for (int k = 0; k < 12; k++) {
            const wanted want = {k % 3 == 2, {type, -1}, {-1}, k % 4 == 3, 0};
            mechanism x = mechanism_new(&want, &seed);
            char name[60];
            snprintf(name, sizeof name, "a %s loop, turn %d", pinion_joint_type_name((pinion_joint_type)type),
                     k);
            if (x.w) CHECK(check_methods(&x, 0, name) >= 3);
            mechanism_free(&x);
        }
}

TEST(one_loop_of_every_type)
{
    loops_of_every_type(check_seed);
}

TEST(one_loop_of_every_other_kind)
{
    uint64_t seed = check_seed + 1;
    for (int kind = 1; kind < PINION_LOOP_KIND_COUNT; kind++)
        for (int k = 0; k < 12 && kind != PINION_LOOP_SPRING; k++) { /* a spring has no rows */
            const wanted want = {k % 3 == 2, {-1}, {kind, -1}, 0, k % 2};
            mechanism x = mechanism_new(&want, &seed);
            char name[60];
            snprintf(name, sizeof name, "a %s, turn %d", pinion_loop_kind_name((pinion_loop_kind)kind), k);
            if (x.w) CHECK(check_methods(&x, 0, name) >= 3);
            mechanism_free(&x);
        }
}

/* several loops, redundant ones among them */
static void several_loops(uint64_t seed)
{
    int checked = 0;
    for (int k = 0; k < 200 && checked < 45; k++) {
        wanted want = {k % 3 == 2, {-1}, {-1}, k % 2, 1};
        int rows = 0, at = 0;
        while (at < 4) {
            const int type = (int)check_between(&seed, 0, PINION_JOINT_TYPE_COUNT);
            rows += 6 - pinion_joint_type_nv((pinion_joint_type)type);
            if (rows > 13) break;
            want.joints[at++] = type;
        }
        want.joints[at] = -1;
        static const int kinds[] = {PINION_LOOP_DISTANCE, PINION_LOOP_GEAR, PINION_LOOP_ROLLING,
                                    PINION_LOOP_DRIVE};
        for (int i = 0; i < 2; i++) want.kinds[i] = kinds[(int)check_between(&seed, 0, 4)];
        if (want.kinds[0] == PINION_LOOP_DRIVE && want.kinds[1] == want.kinds[0])
            want.kinds[1] = PINION_LOOP_DISTANCE;
        want.kinds[2] = -1;
        mechanism x = mechanism_new(&want, &seed);
        char name[60];
        snprintf(name, sizeof name, "mechanism %d", k);
        pinion_mobility mobility = {0};
        if (x.w) CHECK_STATUS(pinion_mobility_at(x.m, x.w, 0, x.q, &mobility), PINION_OK);
        if (x.w && !x.contradicts && mobility.doubt == 0) { /* else the rank is a matter of opinion */
            CHECK(check_methods(&x, 0, name) >= 3);
            checked++;
        }
        mechanism_free(&x);
    }
    CHECK(checked == 45);
}

TEST(many_loops)
{
    several_loops(check_seed + 2);
    printf("       worst: accelerations %.2g, multipliers %.2g\n", worst_a, worst_lambda);
}

/* Seeds with loops that leave a piece's far handle no freedom: loop-divide-and-conquer took the root of what rounding
 * left there, and had errors of 3e-5, 5e-2 and 1e-1 in mechanisms of condition 43, 6 and 13; in the last, of 1e4, still
 * 1e-1 while that rounding was guessed. */
TEST(handles_that_loops_hold)
{
    static const uint64_t seeds[] = {95002, 95029, 95056};
    for (int i = 0; i < 3; i++) loops_of_every_type(seeds[i]);
    several_loops(98040);
}

/* ---- what is built on it ---- */

/* L M^-1 L', column by column by the plain tree's forward dynamics at rest without gravity */
TEST(delassus)
{
    uint64_t seed = check_seed + 3;
    for (int k = 0; k < 20; k++) {
        const wanted want = {k % 2,
                             {PINION_JOINT_REVOLUTE, PINION_JOINT_SPHERICAL, -1},
                             {PINION_LOOP_DISTANCE, PINION_LOOP_GEAR, -1},
                             0,
                             0};
        mechanism x = mechanism_new(&want, &seed);
        if (!x.w) continue;
        const int n = x.n, rows = x.rows;
        double *D = numbers(rows * rows), *L = numbers(rows * n), *M = numbers(n * n), *y = numbers(n);
        long double *A = calloc((size_t)(n * n), sizeof *A), *b = calloc((size_t)n, sizeof *b);
        const pinion_constraints parts = {.L = L};
        CHECK_STATUS(pinion_delassus(x.m, x.w, x.q, D), PINION_OK);
        CHECK_STATUS(pinion_constraints_at(x.m, x.w, 0, x.q, NULL, &parts), PINION_OK);
        CHECK_STATUS(pinion_mass_matrix(x.m, x.w, x.q, M), PINION_OK);
        for (int r = 0; r < rows && A && b; r++) {
            for (int i = 0; i < n * n; i++) A[i] = M[i];
            for (int i = 0; i < n; i++) b[i] = L[r * n + i];
            CHECK(eliminate(A, n, b, 1e-18L, y) == n);
            for (int s = 0; s < rows; s++) {
                double sum = 0;
                for (int i = 0; i < n; i++) sum += L[s * n + i] * y[i];
                CHECK_NEAR(D[s * rows + r], sum, 1e-9 * (1 + fabs(sum)));
            }
        }
        free(D);
        free(L);
        free(M);
        free(y);
        free(A);
        free(b);
        mechanism_free(&x);
    }
}

/* pinion_forward_dynamics, in float, and batches of both: the default algorithm */
TEST(the_usual_calls)
{
    uint64_t seed = check_seed + 4;
    const wanted want = {0, {PINION_JOINT_REVOLUTE, PINION_JOINT_PRISMATIC, -1}, {PINION_LOOP_DISTANCE, -1}, 1, 0};
    mechanism x = mechanism_new(&want, &seed);
    while (x.w && mechanism_condition(&x, 0) > 1e4) { /* of which floats are to keep two digits */
        mechanism_free(&x);
        x = mechanism_new(&want, &seed);
    }
    if (!x.w) return;
    const int n = x.n, nq = pinion_model_nq(x.m), nf = 6 * pinion_model_body_count(x.m);
    double *a = numbers(n), *y = numbers(2 * n), *q2 = numbers(2 * nq), *v2 = numbers(2 * n);
    float *q32 = calloc((size_t)(2 * nq), 4), *v32 = calloc((size_t)(2 * n), 4),
          *tau32 = calloc((size_t)(2 * n), 4), *f32 = calloc((size_t)(2 * nf), 4),
          *a32 = calloc((size_t)(2 * n), 4);
    pinion_work_f32 *w32 = pinion_work_f32_new(x.m);
    pinion_batch *b = pinion_batch_new(x.m, 1);
    CHECK_STATUS(pinion_loop_dynamics(x.m, x.w, -1, NULL, x.q, x.v, x.tau, x.f_ext, a, NULL), PINION_OK);
    CHECK_STATUS(pinion_forward_dynamics(x.m, x.w, x.q, x.v, x.tau, x.f_ext, y), PINION_OK);
    CHECK(!memcmp(a, y, sizeof *a * (size_t)n));

    /* the state twice */
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < nq; i++) q32[k * nq + i] = (float)(q2[k * nq + i] = x.q[i]);
        for (int i = 0; i < n; i++) v32[k * n + i] = (float)(v2[k * n + i] = x.v[i]);
        for (int i = 0; i < n; i++) tau32[k * n + i] = (float)x.tau[i];
        for (int i = 0; i < nf; i++) f32[k * nf + i] = (float)x.f_ext[i];
    }
    CHECK_STATUS(pinion_forward_dynamics(x.m, x.w, x.q, x.v, NULL, NULL, a), PINION_OK);
    CHECK_STATUS(pinion_batch_forward_dynamics(b, 2, q2, v2, NULL, NULL, y), PINION_OK);
    CHECK(!memcmp(a, y, sizeof *a * (size_t)n) && !memcmp(a, y + n, sizeof *a * (size_t)n));

    CHECK_STATUS(pinion_forward_dynamics(x.m, x.w, x.q, x.v, x.tau, x.f_ext, a), PINION_OK);
    CHECK_STATUS(pinion_forward_dynamics_f32(x.m, w32, q32, v32, tau32, f32, a32), PINION_OK);
    for (int i = 0; i < n; i++) y[i] = a32[i];
    const double error = relative_error(y, a, n, 1);
    check_count++;
    if (!(error < 1e-2)) CHECK_FAIL("in float: %g", error);
    CHECK_STATUS(pinion_batch_forward_dynamics_f32(b, 2, q32, v32, tau32, f32, a32), PINION_OK);
    for (int i = 0; i < n; i++) CHECK((float)y[i] == a32[i] && a32[i] == a32[n + i]);
    pinion_batch_free(b);
    pinion_work_f32_free(w32);
    free(a);
    free(y);
    free(q2);
    free(v2);
    free(q32);
    free(v32);
    free(tau32);
    free(f32);
    free(a32);
    mechanism_free(&x);
}

/* Baumgarte's terms, motors and springs of loop joints, as the equations say */
TEST(options)
{
    uint64_t seed = check_seed + 5;
    const wanted want = {0, {PINION_JOINT_CYLINDRICAL, PINION_JOINT_REVOLUTE, -1}, {PINION_LOOP_DISTANCE, -1}, 0, 1};
    mechanism x = mechanism_new(&want, &seed);
    pinion_mobility mobility;
    while (x.w && pinion_mobility_at(x.m, x.w, 0, x.q, &mobility) == PINION_OK && mobility.redundant) {
        mechanism_free(&x);
        x = mechanism_new(&want, &seed);
    }
    if (!x.w) return;
    const int n = x.n, rows = x.rows;
    double *a = numbers(n), *y = numbers(n), *tau_a = numbers(n), *L = numbers(n * rows), *c = numbers(rows),
           *phi = numbers(rows), *rate = numbers(rows), *total = numbers(n);
    double tau_loop[3] = {0.3, -0.7, 1.1};
    pinion_loop_options o = pinion_loop_options_default();
    pinion_loop_solution s = {NULL, 0, 0};
    CHECK(pinion_model_loop_nv(x.m) == 3);

    /* off the loops: L a = c - 2 alpha rate - alpha^2 phi */
    for (int i = 0; i < n; i++) x.v[i] += check_between(&seed, -1e-3, 1e-3);
    CHECK_STATUS(pinion_integrate(x.m, x.q, x.v, 1e-3, x.q), PINION_OK);
    o.alpha = 7;
    o.tolerance = 1e-9;
    o.t = 0.2;
    const pinion_constraints parts = {phi, L, rate, c};
    CHECK_STATUS(pinion_constraints_at(x.m, x.w, o.t, x.q, x.v, &parts), PINION_OK);
    CHECK_STATUS(pinion_loop_dynamics(x.m, x.w, -1, &o, x.q, x.v, x.tau, x.f_ext, a, &s), PINION_OK);
    CHECK(s.residual < 1e-9 && s.rank == rows);
    for (int i = 0; i < rows; i++) {
        double sum = -c[i] + 2 * o.alpha * rate[i] + o.alpha * o.alpha * phi[i];
        for (int j = 0; j < n; j++) sum += L[i * n + j] * a[j];
        CHECK_NEAR(sum, 0, 1e-9);
    }

    /* tau_a is as good as tau */
    CHECK_STATUS(pinion_loop_active_forces(x.m, x.w, x.q, x.v, tau_loop, 1, tau_a, NULL), PINION_OK);
    o.tau_loop = tau_loop;
    o.passive = 1;
    CHECK_STATUS(pinion_loop_dynamics(x.m, x.w, -1, &o, x.q, x.v, x.tau, x.f_ext, a, NULL), PINION_OK);
    o.tau_loop = NULL;
    o.passive = 0;
    for (int i = 0; i < n; i++) total[i] = x.tau[i] + tau_a[i];
    CHECK_STATUS(pinion_loop_dynamics(x.m, x.w, -1, &o, x.q, x.v, total, x.f_ext, y, NULL), PINION_OK);
    CHECK(relative_error(a, y, n, 1) < 1e-11);

    /* options that make no sense */
    o.alpha = -1;
    CHECK_STATUS(pinion_loop_dynamics(x.m, x.w, -1, &o, x.q, x.v, NULL, NULL, a, NULL), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_work_message(x.w), "alpha");
    o = pinion_loop_options_default();
    o.tolerance = NAN;
    CHECK_STATUS(pinion_loop_dynamics(x.m, x.w, -1, &o, x.q, x.v, NULL, NULL, a, NULL), PINION_ERR_ARGUMENT);
    memset(&o, 0, sizeof o);
    CHECK_STATUS(pinion_loop_dynamics(x.m, x.w, -1, &o, x.q, x.v, NULL, NULL, a, NULL), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_work_message(x.w), "pinion_loop_options_default");
    CHECK_STATUS(
        pinion_loop_dynamics(x.m, x.w, pinion_algorithm_find("aba"), NULL, x.q, x.v, NULL, NULL, a, NULL),
        PINION_ERR_UNSUPPORTED);
    CHECK_HAS(pinion_work_message(x.w), "loop-nullspace");
    CHECK_STATUS(
        pinion_loop_dynamics(x.m, x.w, pinion_algorithm_find("rnea"), NULL, x.q, x.v, NULL, NULL, a, NULL),
        PINION_ERR_ARGUMENT);
    free(a);
    free(y);
    free(tau_a);
    free(L);
    free(c);
    free(phi);
    free(rate);
    free(total);
    mechanism_free(&x);
}

/* ---- special mechanisms ---- */

/* five rows of which three are zero in a plane; a massless coupler is no matter to loop-nullspace */
TEST(planar_and_massless)
{
    for (int massless = 0; massless < 2; massless++) {
        pinion_model *m = four_bar(2.5, massless ? 0 : 1);
        pinion_work *w = m ? pinion_work_new(m) : NULL;
        if (!w) continue;
        double q[3] = {-1.2, 0.9, -1.4}, v[3] = {1, 0, 0}, a[3], y[3], lambda[5];
        const unsigned char crank[3] = {1, 0, 0};
        pinion_mobility mobility;
        pinion_loop_solution s = {lambda, 0, 0};
        CHECK_STATUS(pinion_assemble(m, w, 0, crank, q, NULL), PINION_OK);
        CHECK(q[0] == -1.2);
        CHECK_STATUS(pinion_project_velocity(m, w, 0, crank, q, v), PINION_OK);
        CHECK(v[0] == 1);
        CHECK_STATUS(pinion_mobility_at(m, w, 0, q, &mobility), PINION_OK);
        CHECK(mobility.rows == 5 && mobility.rank == 2 && mobility.redundant == 3 &&
              mobility.gruebler == -2 && mobility.freedom == 1);
        CHECK_STATUS(pinion_loop_dynamics(m, w, pinion_algorithm_find("loop-nullspace"), NULL, q, v, NULL,
                                          NULL, a, &s),
                     PINION_OK);
        CHECK(s.rank == 2 && s.residual < 1e-12);
        const int others[2] = {pinion_algorithm_find("loop-direct"),
                               pinion_algorithm_find("loop-multipliers")};
        for (int k = 0; k < 2; k++) {
            const pinion_status status =
                pinion_loop_dynamics(m, w, others[k], NULL, q, v, NULL, NULL, y, NULL);
            if (!massless || k == 0) {
                CHECK_STATUS(status, PINION_OK);
                for (int i = 0; i < 3; i++) CHECK_NEAR(y[i], a[i], 1e-10);
            } else {
                CHECK_STATUS(status, PINION_ERR_SINGULAR);
                CHECK_HAS(pinion_work_message(w), "loop-nullspace");
            }
        }
        /* the same by energy: dE/dt = 0 along the motion, with a step of differences */
        double e[2];
        for (int k = 0; k < 2; k++) {
            const double h = k ? 1e-4 : -1e-4;
            double q1[3], v1[3], T, U;
            for (int i = 0; i < 3; i++) {
                q1[i] = q[i] + h * v[i] + h * h / 2 * a[i];
                v1[i] = v[i] + h * a[i];
            }
            CHECK_STATUS(pinion_energy(m, w, q1, v1, 0, &T, &U), PINION_OK);
            e[k] = T + U;
        }
        CHECK_NEAR((e[1] - e[0]) / 2e-4, 0, 1e-5);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* a link without mass that the loops do not hold either */
TEST(singular_on_the_loops)
{
    pinion_builder *b = pinion_builder_new("dangling");
    pinion_error err = {0};
    pinion_link_def l = pinion_link_def_default();
    l.name = "base";
    CHECK_STATUS(pinion_builder_add_link(b, &l, NULL), PINION_OK);
    for (int i = 0; i < 2; i++) {
        char link[8] = {(char)('a' + i), 0}, joint[8] = {'j', (char)('a' + i), 0};
        pinion_joint_def j = pinion_joint_def_default();
        l.name = link;
        l.inertia.mass = i ? 0 : 1;
        CHECK_STATUS(pinion_builder_add_link(b, &l, NULL), PINION_OK);
        j.name = joint;
        j.type = PINION_JOINT_CONTINUOUS;
        j.parent = "base";
        j.child = link;
        CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    }
    pinion_constraint_def c = pinion_constraint_def_default();
    c.name = "drive";
    c.kind = PINION_LOOP_DRIVE;
    c.first = "ja";
    CHECK_STATUS(pinion_builder_add_constraint(b, &c, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    CHECK(w != NULL);
    double q[2] = {0, 0}, a[2];
    for (int k = 0; w && k < pinion_algorithm_count(); k++) {
        pinion_algorithm_info info;
        if (pinion_algorithm(k, &info) != PINION_OK || info.kernel ||
            info.problem != PINION_PROBLEM_FORWARD_DYNAMICS ||
            pinion_algorithm_applies(k, m, NULL) != PINION_OK)
            continue;
        CHECK_STATUS(pinion_loop_dynamics(m, w, k, NULL, q, NULL, NULL, NULL, a, NULL), PINION_ERR_SINGULAR);
        CHECK_HAS(pinion_work_message(w), "singular");
    }
    pinion_work_free(w);
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* two drives of one joint with different laws: the mean is taken, and the residual says so */
TEST(contradiction)
{
    pinion_builder *b = pinion_builder_new("driven twice");
    pinion_error err = {0};
    pinion_link_def l = pinion_link_def_default();
    l.name = "base";
    CHECK_STATUS(pinion_builder_add_link(b, &l, NULL), PINION_OK);
    l.name = "arm";
    l.inertia.mass = 1;
    l.inertia.inertia[0] = l.inertia.inertia[3] = l.inertia.inertia[5] = 1;
    CHECK_STATUS(pinion_builder_add_link(b, &l, NULL), PINION_OK);
    pinion_joint_def j = pinion_joint_def_default();
    j.name = "joint";
    j.type = PINION_JOINT_CONTINUOUS;
    j.parent = "base";
    j.child = "arm";
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    for (int i = 0; i < 2; i++) {
        pinion_constraint_def c = pinion_constraint_def_default();
        c.name = i ? "second" : "first";
        c.kind = PINION_LOOP_DRIVE;
        c.first = "joint";
        c.motion.rate = 1 + i;
        c.motion.acceleration = 1 + 2 * i;
        CHECK_STATUS(pinion_builder_add_constraint(b, &c, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    CHECK(w != NULL);
    double q[1] = {0}, v[1] = {0}, a[1];
    for (int k = 0; w && k < pinion_algorithm_count(); k++) {
        pinion_algorithm_info info;
        pinion_loop_solution s = {NULL, 0, 0};
        if (pinion_algorithm(k, &info) != PINION_OK || info.kernel ||
            info.problem != PINION_PROBLEM_FORWARD_DYNAMICS ||
            pinion_algorithm_applies(k, m, NULL) != PINION_OK)
            continue;
        CHECK_STATUS(pinion_loop_dynamics(m, w, k, NULL, q, v, NULL, NULL, a, &s), PINION_OK);
        CHECK(s.rank == 1);
        CHECK_NEAR(a[0], 2, 1e-12);
        CHECK_NEAR(s.residual, 1, 1e-12);
    }
    if (w) CHECK_STATUS(pinion_project_velocity(m, w, 0, NULL, q, v), PINION_ERR_CONVERGENCE);
    if (w) CHECK_HAS(pinion_work_message(w), "contradict");
    if (w) CHECK_STATUS(pinion_assemble(m, w, 1, NULL, q, NULL), PINION_ERR_CONVERGENCE);
    if (w) CHECK_HAS(pinion_work_message(w), "degrees, since other loops ask for something else");
    pinion_work_free(w);
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* on a tree without loops the solvers are forward dynamics like any other, in the same workspace */
TEST(plain_trees)
{
    pinion_model *m = pinion_random_tree(8, 1, check_seed, NULL);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (!w) return;
    const int n = pinion_model_nv(m);
    double *q = numbers(pinion_model_nq(m)), *v = numbers(n), *a = numbers(n), *y = numbers(n);
    CHECK_STATUS(pinion_random(m, 5, q), PINION_OK);
    for (int i = 0; i < n; i++) v[i] = sin(i);
    CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, v, NULL, a), PINION_OK);
    for (int k = 0; k < pinion_algorithm_count(); k++) {
        pinion_algorithm_info info;
        pinion_loop_solution s = {NULL, 1, 1};
        if (pinion_algorithm(k, &info) != PINION_OK || info.kernel) continue;
        if (info.problem != PINION_PROBLEM_FORWARD_DYNAMICS || pinion_algorithm_applies(k, m, NULL) != PINION_OK)
            continue;
        CHECK_STATUS(pinion_loop_dynamics(m, w, k, NULL, q, v, v, NULL, y, &s), PINION_OK);
        CHECK(relative_error(y, a, n, 1) < 1e-9 && s.rank == 0 && s.residual == 0);
    }
    CHECK_STATUS(pinion_loop_dynamics(m, w, -1, NULL, q, v, v, NULL, y, NULL), PINION_OK);
    CHECK(relative_error(y, a, n, 1) < 1e-12);
    free(q);
    free(v);
    free(a);
    free(y);
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(one_loop_of_every_type);
    RUN(one_loop_of_every_other_kind);
    RUN(many_loops);
    RUN(handles_that_loops_hold);
    RUN(delassus);
    RUN(the_usual_calls);
    RUN(options);
    RUN(planar_and_massless);
    RUN(singular_on_the_loops);
    RUN(contradiction);
    RUN(plain_trees);
    return CHECK_END();
}
