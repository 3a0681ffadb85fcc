/* Derivatives of forward dynamics with closed loops against differences of the sixth order of the solvers of loops, at
 * states that need not keep them: loops of every kind, rows that depend on each other or contradict, followers, a free
 * base, motors, springs, stabilization and forces on bodies. A Bricard linkage, whose rows depend on each other only
 * while it is closed, along its motion. Singular positions are refused. */
#include "assembled.h"
#include "four_bar.h"

/* What a and lambda are near a state: by q, v or tau along one velocity, off by h. */
typedef struct place {
    const mechanism *x;
    const pinion_loop_options *options;
    int algorithm;
    double *q, *v, *tau;
} place;

static void look(place *p, int by, int j, double h, double *a, double *lambda)
{
    const mechanism *x = p->x;
    double *step = numbers(x->n);
    step[j] = 1;
    CHECK_STATUS(pinion_integrate(x->m, x->q, step, by == 0 ? h : 0, p->q), PINION_OK);
    for (int i = 0; i < x->n; i++) {
        p->v[i] = x->v[i] + (by == 1 && i == j ? h : 0);
        p->tau[i] = x->tau[i] + (by == 2 && i == j ? h : 0);
    }
    pinion_loop_solution out = {.lambda = lambda};
    CHECK_STATUS(pinion_loop_dynamics(x->m, x->w, p->algorithm, p->options, p->q, p->v, p->tau, x->f_ext, a, &out),
                 PINION_OK);
    free(step);
}

/* column j by differences of step h */
static void differ(place *p, int by, int j, double h, double *da, double *dlambda)
{
    static const double weight[] = {45. / 60, -9. / 60, 1. / 60};
    const int n = p->x->n, rows = p->x->rows;
    double *a = numbers(n), *lambda = numbers(rows);
    for (int i = 0; i < n; i++) da[i * n + j] = 0;
    for (int i = 0; i < rows; i++) dlambda[i * n + j] = 0;
    for (int s = 0; s < 6; s++) {
        const double times = (s % 2 ? -1 : 1) * weight[s / 2] / h;
        look(p, by, j, (s % 2 ? -h : h) * (s / 2 + 1), a, lambda);
        for (int i = 0; i < n; i++) da[i * n + j] += times * a[i];
        for (int i = 0; i < rows; i++) dlambda[i * n + j] += times * lambda[i];
    }
    free(a);
    free(lambda);
}

static double worst_seen;

static double largest(const double *x, int count)
{
    double size = 1;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(x[i]));
    return size;
}

/* `size`: of the value that is derived, whose rounding differences have */
static void compare(const double *said, const double *found, int count, double size, const char *name,
                    const char *what, int by)
{
    static const char *const variable[] = {"q", "v", "tau"};
    double off = 0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(found[i]));
    for (int i = 0; i < count; i++) off = fmax(off, isfinite(said[i]) ? fabs(said[i] - found[i]) : INFINITY);
    worst_seen = fmax(worst_seen, off / size);
    check_count++;
    /* rounding over h and the derivatives of order seven: 1e-9 was seen */
    if (!(off <= 1e-8 * size)) CHECK_FAIL("%s: d%s/d%s is off by %g of %g", name, what, variable[by], off, size);
}

/* Whether friction of loop joints is smooth where differences are taken, v and q off by `far` at most: it jumps where
 * the velocity of a joint changes its sign. */
static int keeps_signs(const pinion_model *m, pinion_work *w, const double *q, const double *v, double far)
{
    const int n = pinion_model_nv(m), own = pinion_model_loop_nv(m);
    double *to = numbers(pinion_model_nq(m)), *faster = numbers(n), *step = numbers(n);
    double *position = numbers(2 * own + 8), *still = numbers(own), *moved = numbers(own);
    int kept = 1;
    CHECK_STATUS(pinion_loop_motion(m, w, q, v, position, still), PINION_OK);
    for (int k = 0; k < 4 * n; k++) {
        const int j = k / 4, by_v = k % 4 / 2;
        memcpy(faster, v, sizeof *v * (size_t)n);
        step[j] = by_v ? 0 : k % 2 ? far : -far;
        if (by_v) faster[j] += k % 2 ? far : -far;
        CHECK_STATUS(pinion_integrate(m, q, step, 1, to), PINION_OK);
        CHECK_STATUS(pinion_loop_motion(m, w, to, faster, position, moved), PINION_OK);
        for (int i = 0; i < own; i++) /* some cannot move at all, and their friction does nothing */
            kept &= still[i] * moved[i] > 0 || fabs(still[i]) + fabs(moved[i]) < 1e-12;
        step[j] = 0;
    }
    free(to), free(faster), free(step), free(position), free(still), free(moved);
    return kept;
}

/* all derivatives of a mechanism with options */
static void check_mechanism(const mechanism *x, const pinion_loop_options *options, const char *name)
{
    const int n = x->n, rows = x->rows;
    double *said[6], *found[2] = {numbers(n * n), numbers(rows * n)}, *a = numbers(n), *lambda = numbers(rows);
    for (int i = 0; i < 6; i++) said[i] = numbers((i < 3 ? n : rows) * n);
    /* differences have the rounding of the solver over h: that of loop-nullspace hardly grows with the condition */
    const int solver = pinion_algorithm_find("loop-nullspace");
    place p = {x, options, solver, numbers(pinion_model_nq(x->m)), numbers(n), numbers(n)};
    pinion_loop_derivatives d = {said[0], said[1], said[2], said[3], said[4], said[5], a, lambda, 0};
    const pinion_status status = pinion_d_loop_dynamics(x->m, x->w, options, x->q, x->v, x->tau, x->f_ext, &d);
    if (status) CHECK_FAIL("%s: %s", name, pinion_work_message(x->w));
    for (int by = 0; !status && by < 3; by++) {
        /* in tau all is linear; in q all changes the sooner the nearer a singular position is */
        const double near = fmin(3e-4, 0.01 * largest(lambda, rows) / largest(said[3], rows * n));
        for (int j = 0; j < n; j++) differ(&p, by, j, by == 2 ? 1 : by == 1 ? 3e-4 : near, found[0], found[1]);
        compare(said[by], found[0], n * n, largest(a, n), name, "a", by);
        compare(said[3 + by], found[1], rows * n, largest(lambda, rows), name, "lambda", by);
    }
    p.algorithm = pinion_algorithm_find("loop-direct");
    look(&p, 2, 0, 0, found[0], found[1]);
    for (int i = 0; !status && i < n; i++) CHECK_NEAR(a[i], found[0][i], 1e-8 * (1 + fabs(a[i])));
    for (int i = 0; !status && i < rows; i++) CHECK_NEAR(lambda[i], found[1][i], 1e-8 * (1 + fabs(lambda[i])));
    for (int i = 0; i < 6; i++) free(said[i]);
    free(found[0]);
    free(found[1]);
    free(a);
    free(lambda);
    free(p.q);
    free(p.v);
    free(p.tau);
}

/* Near singular positions derivatives are large, and differences worth nothing: another one then. */
static mechanism far_from_singular(const wanted *want, uint64_t *seed)
{
    for (int tries = 0;; tries++) {
        pinion_mobility mobility = {0};
        mechanism x = mechanism_new(want, seed);
        if (!x.w) return x;
        CHECK_STATUS(pinion_mobility_at(x.m, x.w, 0, x.q, &mobility), PINION_OK);
        if (mobility.doubt == 0 || tries == 20) return x;
        mechanism_free(&x);
    }
}

/* a mechanism made for the purpose; two times of three with motors, springs and stabilization */
static void check_wanted(const wanted *want, int turn, uint64_t *seed, const char *name)
{
    mechanism x = far_from_singular(want, seed);
    if (!x.w) return;
    double *motor = numbers(pinion_model_loop_nv(x.m));
    pinion_loop_options options = pinion_loop_options_default();
    for (int i = 0; i < pinion_model_loop_nv(x.m); i++) motor[i] = check_between(seed, -3, 3);
    options.tolerance = 1e-9; /* loops are open where differences are taken, which is no reason to doubt rows */
    if (turn % 3) {
        options.tau_loop = motor;
        options.passive = turn % 3 == 2;
        options.alpha = 2;
        options.t = 0.3;
        do /* v need not keep the loops */
            for (int i = 0; i < x.n; i++) x.v[i] += check_between(seed, -0.3, 0.3);
        while (options.passive && !keeps_signs(x.m, x.w, x.q, x.v, 2e-3));
    }
    check_mechanism(&x, &options, name);
    free(motor);
    mechanism_free(&x);
}

TEST(one_loop_of_every_kind)
{
    uint64_t seed = check_seed;
    char name[60];
    for (int type = 0; type < PINION_JOINT_TYPE_COUNT; type++)
        for (int k = 0; k < 3; k++) {
            const wanted want = {(type + k) % 3 == 1, {type, -1}, {-1}, 0, 0};
            snprintf(name, sizeof name, "a %s loop, turn %d", pinion_joint_type_name((pinion_joint_type)type), k);
            check_wanted(&want, k, &seed, name);
        }
    static const int kinds[] = {PINION_LOOP_DISTANCE, PINION_LOOP_GEAR, PINION_LOOP_ROLLING, PINION_LOOP_DRIVE};
    for (int k = 0; k < 8; k++) {
        const wanted want = {k % 3 == 2, {-1}, {kinds[k % 4], -1}, 0, k > 3};
        snprintf(name, sizeof name, "a %s, turn %d", pinion_loop_kind_name((pinion_loop_kind)kinds[k % 4]), k);
        check_wanted(&want, k > 3, &seed, name);
    }
}

TEST(rows_that_depend_on_each_other_or_contradict)
{
    uint64_t seed = check_seed + 1;
    char name[60];
    static const int pairs[][2] = {{PINION_JOINT_REVOLUTE, PINION_JOINT_SPHERICAL},
                                   {PINION_JOINT_PRISMATIC, PINION_JOINT_UNIVERSAL},
                                   {PINION_JOINT_CYLINDRICAL, PINION_JOINT_PLANAR}};
    for (int k = 0; k < 6; k++) {
        const wanted want = {k == 4, {pairs[k % 3][0], pairs[k % 3][1], -1}, {PINION_LOOP_DISTANCE, -1}, k < 5, k % 2};
        snprintf(name, sizeof name, "loops twice, turn %d", k);
        check_wanted(&want, k % 2 ? 2 : 0, &seed, name);
    }
    /* a drive and a gear that ask for the same joints, and drives that ask for different things: rows contradict */
    for (int k = 0; k < 2; k++) {
        const wanted want = {0, {PINION_JOINT_SPHERICAL, -1}, {PINION_LOOP_DRIVE, PINION_LOOP_DISTANCE, -1}, 1, 1};
        snprintf(name, sizeof name, "laws of time, turn %d", k);
        check_wanted(&want, 1, &seed, name);
    }
}

/* d(L v)/dq, d(L a - c)/dq and d(L a - c)/dv by differences of step h */
static void differ_constraints(const pinion_model *m, pinion_work *w, const double *q, const double *v, const double *a,
                               double h, double *found[3])
{
    static const double weight[] = {45. / 60, -9. / 60, 1. / 60};
    const int n = pinion_model_nv(m), rows = pinion_model_row_count(m);
    double *to = numbers(pinion_model_nq(m)), *faster = numbers(n), *step = numbers(n), *L = numbers(rows * n),
           *c = numbers(rows);
    const pinion_constraints out = {.L = L, .c = c};
    for (int i = 0; i < 3; i++) memset(found[i], 0, sizeof **found * (size_t)(rows * n));
    for (int s = 0; s < 12 * n; s++) {
        const int j = s / 12, by_v = s % 12 >= 6, near = s % 6 / 2;
        const double by = (s % 2 ? -h : h) * (near + 1), times = (s % 2 ? -1 : 1) * weight[near] / h;
        memcpy(faster, v, sizeof *v * (size_t)n);
        step[j] = by_v ? 0 : by;
        faster[j] += by_v ? by : 0;
        CHECK_STATUS(pinion_integrate(m, q, step, 1, to), PINION_OK);
        CHECK_STATUS(pinion_constraints_at(m, w, 0, to, faster, &out), PINION_OK);
        step[j] = 0;
        for (int i = 0; i < rows; i++) {
            double rate = 0, sum = -c[i];
            for (int e = 0; e < n; e++) rate += L[i * n + e] * faster[e], sum += L[i * n + e] * a[e];
            if (!by_v) found[0][i * n + j] += times * rate;
            found[by_v ? 2 : 1][i * n + j] += times * sum;
        }
    }
    free(to), free(faster), free(step), free(L), free(c);
}

/* rolling disks, springs between bodies and the rest: not closed at all, with the equations themselves */
TEST(constraints_of_every_kind_where_they_are_open)
{
    for (int trial = 0; trial < 4; trial++) {
        uint64_t seed = check_seed + 2 + (uint64_t)trial;
        pinion_model *m = random_loops(trial % 2, &seed);
        pinion_work *w = m ? pinion_work_new(m) : NULL;
        if (!w) return;
        const int n = pinion_model_nv(m), nq = pinion_model_nq(m), rows = pinion_model_row_count(m);
        double *q = numbers(nq), *v = numbers(n), *a = numbers(n), *said[3], *found[3], *other[3], h = 4e-3, off = 1;
        for (int i = 0; i < 3; i++)
            said[i] = numbers(rows * n), found[i] = numbers(rows * n), other[i] = numbers(rows * n);
        CHECK_STATUS(pinion_random(m, seed, q), PINION_OK);
        for (int i = 0; i < n; i++) v[i] = check_between(&seed, -1, 1), a[i] = check_between(&seed, -2, 2);
        CHECK_STATUS(pinion_d_constraints(m, w, q, v, a, said[0], said[1], said[2]), PINION_OK);
        /* where a short distance changes soon the step must be short: twice as long it may change them by little */
        differ_constraints(m, w, q, v, a, h, found);
        while (off > 1e-7 && h > 1e-5) {
            double *longer[3] = {found[0], found[1], found[2]};
            for (int i = 0; i < 3; i++) found[i] = other[i], other[i] = longer[i];
            differ_constraints(m, w, q, v, a, h /= 2, found);
            off = 0;
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < rows * n; k++)
                    off = fmax(off, fabs(found[i][k] - other[i][k]) / largest(found[i], rows * n));
        }
        for (int i = 0; i < 3; i++)
            compare(said[i], found[i], rows * n, 1, "open loops", i ? "(L a - c)" : "(L v)", i > 1);
        for (int i = 0; i < 3; i++) free(said[i]), free(found[i]), free(other[i]);
        free(q), free(v), free(a);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* what motors, springs and dampers of loop joints do to the tree */
TEST(forces_of_loop_joints)
{
    static const double weight[] = {45. / 60, -9. / 60, 1. / 60};
    for (int trial = 0; trial < 4; trial++) {
        uint64_t seed = check_seed + 20 + (uint64_t)trial;
        pinion_model *m = random_loops(trial % 2, &seed);
        pinion_work *w = m ? pinion_work_new(m) : NULL;
        if (!w) return;
        const int n = pinion_model_nv(m), nq = pinion_model_nq(m), own = pinion_model_loop_nv(m);
        double *q = numbers(nq), *v = numbers(n), *to = numbers(nq), *step = numbers(n), *tau = numbers(n);
        double *motor = numbers(own), *said[2] = {numbers(n * n), numbers(n * n)};
        double *found[2] = {numbers(n * n), numbers(n * n)};
        CHECK_STATUS(pinion_random(m, seed, q), PINION_OK);
        do
            for (int i = 0; i < n; i++) v[i] = check_between(&seed, -1, 1);
        while (trial > 1 && !keeps_signs(m, w, q, v, 1e-3));
        for (int i = 0; i < own; i++) motor[i] = check_between(&seed, -1, 1);
        CHECK_STATUS(pinion_d_loop_active_forces(m, w, q, v, motor, trial > 1, said[0], said[1]), PINION_OK);
        for (int s = 0; s < 12 * n; s++) {
            const int j = s / 12, by_v = s % 12 >= 6, near = s % 6 / 2;
            const double sign = s % 2 ? -1 : 1, h = 1e-4 * sign * (near + 1);
            step[j] = by_v ? 0 : h;
            CHECK_STATUS(pinion_integrate(m, q, step, 1, to), PINION_OK);
            step[j] = 0;
            const double kept = v[j];
            if (by_v) v[j] += h;
            CHECK_STATUS(pinion_loop_active_forces(m, w, to, v, motor, trial > 1, tau, NULL), PINION_OK);
            v[j] = kept;
            for (int i = 0; i < n; i++) found[by_v][i * n + j] += sign * 1e4 * weight[near] * tau[i];
        }
        for (int k = 0; k < 2; k++) compare(said[k], found[k], n * n, largest(tau, n), "loop joints", "tau_a", k);
        for (int k = 0; k < 2; k++) free(said[k]), free(found[k]);
        free(q), free(v), free(to), free(step), free(tau), free(motor);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* ---- mechanisms ---- */

#ifdef PINION_IO
/* The derivative along a motion that the loops allow: a where the first free velocity's coordinate is off by h. */
static void along_motion(const pinion_model *m, pinion_work *w, const double *q0, const double *v0, const double *tau,
                         int lead, double h, double *q, double *v, double *a, double *lambda)
{
    const int n = pinion_model_nv(m);
    unsigned char *locked = calloc((size_t)n + 1, 1);
    double *step = numbers(n);
    if (!locked) abort();
    locked[lead] = 1;
    step[lead] = h;
    CHECK_STATUS(pinion_integrate(m, q0, step, 1, q), PINION_OK);
    memcpy(v, v0, sizeof *v * (size_t)n);
    CHECK_STATUS(pinion_assemble(m, w, 0, locked, q, NULL), PINION_OK);
    CHECK_STATUS(pinion_project_velocity(m, w, 0, locked, q, v), PINION_OK);
    pinion_loop_solution out = {.lambda = lambda};
    CHECK_STATUS(pinion_loop_dynamics(m, w, -1, NULL, q, v, tau, NULL, a, &out), PINION_OK);
    free(step);
    free(locked);
}

TEST(a_linkage_whose_rows_depend_only_while_it_is_closed)
{
    pinion_error err = {0};
    const char *models = getenv("PINION_MODELS");
    char path[1024];
    if (!models) SKIP("PINION_MODELS does not name the folder of the bundled models");
    snprintf(path, sizeof path, "%s/bricard.json", models);
    pinion_model *m = pinion_load(path, NULL, &err);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (!w) CHECK_FAIL("%s", err.message);
    if (!w) return;
    enum { N = 16, ROWS = 16 };
    const int n = pinion_model_nv(m), rows = pinion_model_row_count(m), nq = pinion_model_nq(m);
    CHECK(n <= N && rows <= ROWS && nq == n);
    double q[N] = {0}, v[N] = {0}, tau[N], dq[N * N], dv[N * N], lq[ROWS * N], lv[ROWS * N], a[N], lambda[ROWS];
    CHECK_STATUS(pinion_initial(m, q, v), PINION_OK);
    CHECK_STATUS(pinion_assemble(m, w, 0, NULL, q, NULL), PINION_OK);
    for (int i = 0; i < n; i++) v[i] = 1, tau[i] = 0.3 * i - 0.5;
    CHECK_STATUS(pinion_project_velocity(m, w, 0, NULL, q, v), PINION_OK);
    pinion_loop_derivatives d = {dq, dv, NULL, lq, lv, NULL, a, lambda, 0};
    CHECK_STATUS(pinion_d_loop_dynamics(m, w, NULL, q, v, tau, NULL, &d), PINION_OK);
    CHECK(d.rank < rows);

    /* to both sides of the state, where q and v and with them a and lambda move */
    double q1[2][N], v1[2][N], a1[2][N], l1[2][ROWS], h = 1e-4, along[N], size = 1;
    for (int s = 0; s < 2; s++) along_motion(m, w, q, v, tau, 0, s ? -h : h, q1[s], v1[s], a1[s], l1[s]);
    CHECK_STATUS(pinion_difference(m, q1[1], q1[0], along), PINION_OK);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
    for (int i = 0; i < n + rows; i++) {
        const int k = i < n ? i : i - n;
        const double *by_q = i < n ? dq : lq, *by_v = i < n ? dv : lv;
        double said = 0;
        for (int j = 0; j < n; j++)
            said += by_q[k * n + j] * along[j] / (2 * h) + by_v[k * n + j] * (v1[0][j] - v1[1][j]) / (2 * h);
        const double found = (i < n ? a1[0][k] - a1[1][k] : l1[0][k] - l1[1][k]) / (2 * h);
        /* second-order differences with h = 1e-4: 1e-8 of third derivatives, and 1e-12 over h of closing */
        CHECK_NEAR(said, found, 1e-5 * (size + fabs(found)));
    }

    /* where it is open by rounding they are there still; open by more, rows that depend on others cannot be told from
     * rows that do not */
    for (int k = 0; k < 2; k++) {
        double off[N];
        for (int i = 0; i < n; i++) off[i] = (k ? 1e-5 : 1e-10) * (i % 3 - 1.3);
        CHECK_STATUS(pinion_integrate(m, q, off, 1, q1[0]), PINION_OK);
        CHECK_STATUS(pinion_d_loop_dynamics(m, w, NULL, q1[0], v, tau, NULL, &d), k ? PINION_ERR_SINGULAR : PINION_OK);
        CHECK_HAS(pinion_work_message(w), k ? "the loops are open by so much that it is not known whether a row of "
                                              "loop 'joint6' counts (independent of the others by " : "");
    }
    pinion_work_free(w);
    pinion_model_free(m);
}
#endif

/* A planar four-bar in space: three rows of five are zero or depend on others wherever it is. Then its dead centres,
 * where the coupler lies along the rocker or the base, and next to them. */
TEST(a_planar_four_bar_and_its_singular_positions)
{
    const double base[] = {2.5, 1}; /* a parallelogram of rhombs and kites lies flat where base = 1 */
    mechanism x = {0};
    for (int k = 0; k < 2; k++) {
        x.m = four_bar(base[k], 2);
        x.w = x.m ? pinion_work_new(x.m) : NULL;
        if (!x.w) return;
        x.n = 3;
        x.rows = pinion_model_row_count(x.m);
        double q[3] = {0.7, 0.5, 1.9}, v[3] = {1, 0, 0}, tau[3] = {0.3, -0.2, 0.5}, f_ext[4 * 6] = {0};
        const unsigned char locked[3] = {1, 0, 0};
        x.q = q, x.v = v, x.tau = tau, x.f_ext = f_ext;
        f_ext[6 + 5] = 1.5, f_ext[12 + 3] = -0.7;
        CHECK_STATUS(pinion_assemble(x.m, x.w, 0, locked, q, NULL), PINION_OK);
        CHECK_STATUS(pinion_project_velocity(x.m, x.w, 0, locked, q, v), PINION_OK);
        pinion_loop_options options = pinion_loop_options_default();
        options.tolerance = 1e-9;
        check_mechanism(&x, &options, "a four-bar");

        double dq[9], flat[3] = {0};
        if (k == 1) {
            CHECK_STATUS(pinion_d_forward_dynamics(x.m, x.w, flat, NULL, tau, NULL, dq, NULL, NULL),
                         PINION_ERR_SINGULAR);
            CHECK_HAS(pinion_work_message(x.w), "loop 'C' is at a singular position");
            flat[0] = flat[2] = 1e-7, flat[1] = -1e-7; /* the parallelogram, nearly flat */
            CHECK_STATUS(pinion_d_forward_dynamics(x.m, x.w, flat, NULL, tau, NULL, dq, NULL, NULL),
                         PINION_ERR_SINGULAR);
            CHECK_HAS(pinion_work_message(x.w), "loop 'C'");
            flat[0] = flat[2] = 0.1, flat[1] = -0.1;
            CHECK_STATUS(pinion_d_forward_dynamics(x.m, x.w, flat, NULL, tau, NULL, dq, NULL, NULL), PINION_OK);
        }
        pinion_work_free(x.w);
        pinion_model_free(x.m);
    }
}

/* ---- the same by the other calls ---- */

/* Floats are to keep three digits of its derivatives. Their rounding opens the loops, and rows that depend on each
 * other only while these are closed are refused then. */
static int fit_for_floats(const mechanism *x)
{
    pinion_mobility mobility = {0};
    CHECK_STATUS(pinion_mobility_at(x->m, x->w, 0, x->q, &mobility), PINION_OK);
    return mobility.rank == x->rows && mechanism_condition(x, 0) < 1e3;
}

TEST(calls_in_both_precisions_and_batches_agree)
{
    uint64_t seed = check_seed + 9;
    const wanted want = {0, {PINION_JOINT_REVOLUTE, PINION_JOINT_SPHERICAL, -1}, {PINION_LOOP_DISTANCE, -1}, 0, 0};
    mechanism x = mechanism_new(&want, &seed);
    while (x.w && !fit_for_floats(&x)) {
        mechanism_free(&x);
        x = mechanism_new(&want, &seed);
    }
    if (!x.w) return;
    const int n = x.n, nq = pinion_model_nq(x.m), nf = 6 * pinion_model_body_count(x.m), nn = n * n;
    double *d[3], *e[3], *two[3], *state = numbers(2 * (nq + 2 * n + nf));
    float *f[3], *single = calloc((size_t)(nq + 2 * n + nf), sizeof *single);
    pinion_work_f32 *w32 = pinion_work_f32_new(x.m);
    pinion_batch *b = pinion_batch_new(x.m, 1);
    CHECK(w32 && b && single);
    if (!w32 || !b || !single) abort();
    for (int i = 0; i < 3; i++) {
        d[i] = numbers(nn), e[i] = numbers(nn), two[i] = numbers(2 * nn);
        f[i] = calloc((size_t)nn, sizeof **f);
        if (!f[i]) abort();
    }
    pinion_loop_derivatives out = {.a_dq = e[0], .a_dv = e[1], .a_dtau = e[2]};
    CHECK_STATUS(pinion_d_loop_dynamics(x.m, x.w, NULL, x.q, x.v, x.tau, x.f_ext, &out), PINION_OK);
    CHECK_STATUS(pinion_d_forward_dynamics(x.m, x.w, x.q, x.v, x.tau, x.f_ext, d[0], d[1], d[2]), PINION_OK);
    for (int i = 0; i < 3; i++) CHECK(!memcmp(d[i], e[i], sizeof **d * (size_t)nn));
    const int solver = pinion_algorithm_default(PINION_PROBLEM_D_FORWARD_DYNAMICS, x.m);
    CHECK(solver == pinion_algorithm_find("loop-implicit"));
    CHECK_STATUS(pinion_d_forward_dynamics_by(x.m, x.w, solver, x.q, x.v, x.tau, x.f_ext, e[0], NULL, e[2]), PINION_OK);
    for (int i = 0; i < 3; i += 2) CHECK(!memcmp(d[i], e[i], sizeof **d * (size_t)nn));

    /* L a_dtau = 0 and M a_dtau = 1 but for what the loops take, so that a_dtau M a_dtau = a_dtau */
    double *M = numbers(nn);
    CHECK_STATUS(pinion_mass_matrix(x.m, x.w, x.q, M), PINION_OK);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = -d[2][i * n + j];
            for (int k = 0; k < n; k++)
                for (int l = 0; l < n; l++) sum += d[2][i * n + k] * M[k * n + l] * d[2][l * n + j];
            CHECK_NEAR(sum, 0, 1e-9 * (1 + fabs(d[2][i * n + i])));
        }
    free(M);

    /* a batch: the state, and one that is no number */
    double *q = state, *v = q + 2 * nq, *tau = v + 2 * n, *force = tau + 2 * n;
    for (int s = 0; s < 2; s++) {
        memcpy(q + s * nq, x.q, sizeof *q * (size_t)nq);
        memcpy(v + s * n, x.v, sizeof *q * (size_t)n);
        memcpy(tau + s * n, x.tau, sizeof *q * (size_t)n);
        memcpy(force + s * nf, x.f_ext, sizeof *q * (size_t)nf);
    }
    v[n] = NAN;
    CHECK_STATUS(pinion_batch_d_forward_dynamics(b, 2, q, v, tau, force, two[0], two[1], two[2]), PINION_OK);
    for (int i = 0; i < 3; i++) CHECK(!memcmp(d[i], two[i], sizeof **d * (size_t)nn) && isnan(two[i % 2][nn]));
    CHECK_STATUS(pinion_batch_d_forward_dynamics_by(b, solver, 2, q, v, tau, force, two[0], NULL, two[2]), PINION_OK);
    CHECK(!memcmp(d[0], two[0], sizeof **d * (size_t)nn) && !memcmp(d[2], two[2], sizeof **d * (size_t)nn));

    float *q32 = single, *v32 = q32 + nq, *tau32 = v32 + n, *force32 = tau32 + n;
    for (int i = 0; i < nq; i++) q32[i] = (float)x.q[i];
    for (int i = 0; i < n; i++) v32[i] = (float)x.v[i], tau32[i] = (float)x.tau[i];
    for (int i = 0; i < nf; i++) force32[i] = (float)x.f_ext[i];
    CHECK_STATUS(pinion_d_forward_dynamics_f32(x.m, w32, q32, v32, tau32, force32, f[0], f[1], f[2]), PINION_OK);
    for (int i = 0; i < 3; i++) {
        double size = 1;
        for (int k = 0; k < nn; k++) size = fmax(size, fabs(d[i][k]));
        /* rounding of floats, times the condition of the mechanism */
        for (int k = 0; k < nn; k++) CHECK_NEAR(f[i][k], d[i][k], 1e-3 * size);
    }
    for (int i = 0; i < 3; i++) free(d[i]), free(e[i]), free(two[i]), free(f[i]);
    free(state);
    free(single);
    pinion_work_f32_free(w32);
    pinion_batch_free(b);
    mechanism_free(&x);
}

/* ---- products ---- */

/* Products against the matrices, and a_f_ext against accelerations, which are linear in forces; in batches, too. */
static void check_products(const mechanism *x, uint64_t *seed, const char *name)
{
    const int n = x->n, bodies = pinion_model_body_count(x->m), nf = 6 * bodies;
    double *d[3], *row = numbers(n), *along[3], *said[3], *da = numbers(n), *by_force = numbers(n * nf);
    double *a[2] = {numbers(n), numbers(n)}, *f = numbers(nf), *again = numbers(n * nf), size[3] = {1, 1, 1};
    pinion_batch *b = pinion_batch_new(x->m, 1);
    if (!b) abort();
    for (int k = 0; k < 3; k++) d[k] = numbers(n * n), along[k] = numbers(n), said[k] = numbers(n);
    for (int i = 0; i < n; i++) row[i] = check_between(seed, -1, 1);
    for (int i = 0; i < 3 * n; i++) along[i / n][i % n] = check_between(seed, -1, 1);
    CHECK_STATUS(pinion_d_forward_dynamics(x->m, x->w, x->q, x->v, x->tau, x->f_ext, d[0], d[1], d[2]), PINION_OK);
    for (int k = 0; k < 3; k++) size[k] = largest(d[k], n * n);

    /* single calls, then batches of one */
    for (int turn = 0; turn < 2; turn++) {
        CHECK_STATUS(turn ? pinion_batch_forward_dynamics_vjp(b, 1, x->q, x->v, x->tau, x->f_ext, row, said[0], said[1],
                                                              said[2])
                          : pinion_forward_dynamics_vjp(x->m, x->w, x->q, x->v, x->tau, x->f_ext, row, said[0], said[1],
                                                        said[2]),
                     PINION_OK);
        CHECK_STATUS(turn ? pinion_batch_forward_dynamics_jvp(b, 1, x->q, x->v, x->tau, x->f_ext, along[0], along[1],
                                                              along[2], da)
                          : pinion_forward_dynamics_jvp(x->m, x->w, x->q, x->v, x->tau, x->f_ext, along[0], along[1],
                                                        along[2], da),
                     PINION_OK);
        for (int i = 0; i < n; i++) {
            double sum = -da[i];
            for (int k = 0; k < 3; k++) {
                double product = -said[k][i];
                for (int j = 0; j < n; j++) product += row[j] * d[k][j * n + i];
                for (int j = 0; j < n; j++) sum += d[k][i * n + j] * along[k][j];
                CHECK_NEAR(product, 0, 1e-11 * n * size[k]);
            }
            CHECK_NEAR(sum, 0, 1e-11 * n * (size[0] + size[1] + size[2]));
        }
    }
    /* a direction alone, over one of its own inputs */
    CHECK_STATUS(pinion_forward_dynamics_jvp(x->m, x->w, x->q, x->v, x->tau, x->f_ext, NULL, NULL, along[2], along[2]),
                 PINION_OK);
    CHECK_STATUS(pinion_forward_dynamics_vjp(x->m, x->w, x->q, x->v, x->tau, x->f_ext, row, NULL, NULL, row),
                 PINION_OK);
    for (int i = 0; i < n; i++) CHECK_NEAR(row[i], said[2][i], 1e-11 * n * size[2]);

    CHECK_STATUS(pinion_d_forward_dynamics_f_ext(x->m, x->w, x->q, by_force), PINION_OK);
    CHECK_STATUS(pinion_batch_d_forward_dynamics_f_ext(b, 1, x->q, again), PINION_OK);
    for (int i = 0; i < n * nf; i++) CHECK_NEAR(again[i], by_force[i], 1e-11 * n * size[2]);
    CHECK_STATUS(pinion_forward_dynamics(x->m, x->w, x->q, x->v, x->tau, x->f_ext, a[0]), PINION_OK);
    for (int k = 0; k < nf; k++) {
        memcpy(f, x->f_ext, sizeof *f * (size_t)nf);
        f[k] += 1;
        CHECK_STATUS(pinion_forward_dynamics(x->m, x->w, x->q, x->v, x->tau, f, a[1]), PINION_OK);
        for (int i = 0; i < n; i++) {
            const double found = k < 6 ? 0 : a[1][i] - a[0][i];
            check_count++;
            if (!(fabs(by_force[i * nf + k] - found) <= 1e-9 * (size[2] + largest(a[0], n))))
                CHECK_FAIL("%s: da/df_ext is %g for %g", name, by_force[i * nf + k], found);
        }
    }
    for (int k = 0; k < 3; k++) free(d[k]), free(along[k]), free(said[k]);
    free(row), free(da), free(by_force), free(a[0]), free(a[1]), free(f), free(again);
    pinion_batch_free(b);
}

/* with rows of loops and without: springs and free joints have none, and then it is the tree's */
TEST(products_and_forces_on_bodies)
{
    uint64_t seed = check_seed + 11;
    for (int trial = 0; trial < 8; trial++) {
        const int type = trial < 4 ? (int)PINION_JOINT_REVOLUTE : trial < 6 ? (int)PINION_JOINT_FREE : -1;
        const wanted want = {trial % 2, {type, -1}, {trial < 4 ? PINION_LOOP_DISTANCE : PINION_LOOP_SPRING, -1}, 0, 0};
        mechanism x = far_from_singular(&want, &seed);
        if (!x.w) return;
        CHECK((x.rows == 0) == (trial >= 4));
        check_products(&x, &seed, x.rows ? "a mechanism" : "loops without rows");
        mechanism_free(&x);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(one_loop_of_every_kind);
    RUN(rows_that_depend_on_each_other_or_contradict);
    RUN(constraints_of_every_kind_where_they_are_open);
    RUN(forces_of_loop_joints);
#ifdef PINION_IO
    RUN(a_linkage_whose_rows_depend_only_while_it_is_closed);
#endif
    RUN(a_planar_four_bar_and_its_singular_positions);
    RUN(calls_in_both_precisions_and_batches_agree);
    RUN(products_and_forces_on_bodies);
    printf("    worst difference %.2g of the largest entry\n", worst_seen);
    return CHECK_END();
}
