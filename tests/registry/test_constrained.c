/* Forward dynamics with constraints on a frame, against the dense equations solved by Gaussian elimination,
 *
 *     [ M   -J' A' ] [ a      ]   [ tau - h(q, v, f_ext) ]
 *     [ A J   0    ] [ lambda ] = [ b - A c              ]     c: the frame's acceleration at a = 0
 *
 * and against itself: inverse dynamics gives tau + J' A' lambda back, and the frame accelerates as was asked.
 * Constraints that have no solution, or many, are refused. */
#include "identity/identity.h"
#include "models.h"
#include "shared.h"

#define ROWS 6

static int solved[ROWS + 1], singular;
static double worst, worst_residual, largest_solved,
    least_refused = INFINITY; /* the latter two: conditions */

/* ---- the dense equations ---- */

/* Solves K x = r in place by elimination with complete pivoting, x in r. Returns the condition number that
 * the pivots show: the ratio of the largest to the smallest. */
static double eliminate(long double *K, long double *r, int n)
{
    int *column = calloc((size_t)n + 1, sizeof *column);
    long double *x = calloc((size_t)n + 1, sizeof *x), first = 0, last = 0;
    for (int i = 0; i < n; i++) column[i] = i;
    for (int k = 0; k < n; k++) {
        int pr = k, pc = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabsl(K[i * n + j]) > fabsl(K[pr * n + pc])) pr = i, pc = j;
        for (int j = 0; j < n; j++) {
            const long double t = K[k * n + j];
            K[k * n + j] = K[pr * n + j];
            K[pr * n + j] = t;
        }
        for (int i = 0; i < n; i++) {
            const long double t = K[i * n + k];
            K[i * n + k] = K[i * n + pc];
            K[i * n + pc] = t;
        }
        const long double t = r[k];
        const int c = column[k];
        r[k] = r[pr];
        r[pr] = t;
        column[k] = column[pc];
        column[pc] = c;
        last = fabsl(K[k * n + k]);
        if (k == 0) first = last;
        for (int i = k + 1; i < n && last > 0; i++) {
            const long double f = K[i * n + k] / K[k * n + k];
            for (int j = k; j < n; j++) K[i * n + j] -= f * K[k * n + j];
            r[i] -= f * r[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) r[i] -= K[i * n + j] * r[j];
        r[i] /= K[i * n + i];
    }
    for (int i = 0; i < n; i++) x[column[i]] = r[i];
    memcpy(r, x, sizeof *x * (size_t)n);
    free(column);
    free(x);
    return n && last > 0 ? (double)(first / last) : INFINITY;
}

/* the state at hand with constraints on a frame */
typedef struct task {
    int frame, count;
    pinion_acceleration kind;
    double A[36], b[6];
} task;

/* G = A J, and what is left of b when the robot does not accelerate */
static void project(subject *s, const task *t, double *G, double *rest)
{
    double *J = take_matrix(s, 6, s->nv), at_rest[6];
    FINE(s, pinion_jacobian(s->m, s->w, s->q, t->frame, PINION_REFERENCE_LOCAL, J));
    FINE(s,
         pinion_frame_acceleration(s->m, s->w, s->q, s->v, NULL, t->frame, PINION_REFERENCE_LOCAL, t->kind, at_rest));
    for (int j = 0; j < t->count; j++) {
        rest[j] = t->b[j] - dot(t->A + 6 * j, at_rest, 6);
        times_transposed(J, t->A + 6 * j, 6, s->nv, G + j * s->nv);
    }
}

/* a and lambda of the dense equations, one behind the other; returns the condition */
static double solve_dense(subject *s, const task *t, long double *x)
{
    const int n = s->nv, size = n + t->count;
    double *M = take_matrix(s, n, n), *G = take_matrix(s, 6, n), *h = take(s, n), rest[6];
    long double *K = take_bytes(s, sizeof *K * (size_t)(size * size));
    FINE(s, pinion_mass_matrix(s->m, s->w, s->q, M));
    FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, s->v, NULL, s->f_ext, h));
    project(s, t, G, rest);
    for (int i = 0; i < n; i++) {
        x[i] = (long double)s->tau[i] - h[i];
        for (int j = 0; j < n; j++) K[i * size + j] = M[i * n + j];
        for (int j = 0; j < t->count; j++) {
            K[i * size + n + j] = -G[j * n + i];
            K[(n + j) * size + i] = G[j * n + i];
        }
    }
    for (int j = 0; j < t->count; j++) x[n + j] = rest[j];
    return eliminate(K, x, size);
}

/* ---- one call ---- */

/* tau + J' A' lambda comes back from inverse dynamics, and A acc = b, to rounding of the terms */
static void check_residual(subject *s, const task *t, const double *a, const double *lambda)
{
    const int n = s->nv;
    double *back = take(s, n), *G = take_matrix(s, 6, n), *M = take_matrix(s, n, n), rest[6], acc[6];
    FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, s->v, a, s->f_ext, back));
    FINE(s, pinion_mass_matrix(s->m, s->w, s->q, M));
    FINE(s, pinion_frame_acceleration(s->m, s->w, s->q, s->v, a, t->frame, PINION_REFERENCE_LOCAL, t->kind, acc));
    project(s, t, G, rest);
    double error = 0, scale = largest(s->tau, n);
    for (int i = 0; i < n; i++) {
        double sum = s->tau[i] - back[i], size = fabs(back[i]);
        for (int j = 0; j < t->count; j++) {
            sum += G[j * n + i] * lambda[j];
            size += fabs(G[j * n + i] * lambda[j]);
        }
        for (int j = 0; j < n; j++) size += fabs(M[i * n + j] * a[j]);
        error = fmax(error, fabs(sum));
        scale = fmax(scale, size);
    }
    worst_residual = fmax(worst_residual, error / scale);
    CHECK_NEAR(error / scale, 0, 1e-11);
    for (int j = 0; j < t->count; j++) {
        double size = fabs(t->b[j]);
        for (int i = 0; i < n; i++) size += fabs(G[j * n + i] * a[i]);
        for (int d = 0; d < 6; d++) size += fabs(t->A[6 * j + d] * acc[d]);
        const double kept = (dot(t->A + 6 * j, acc, 6) - t->b[j]) / (size > 0 ? size : 1);
        worst_residual = fmax(worst_residual, fabs(kept));
        CHECK_NEAR(kept, 0, 1e-11);
    }
}

static void check_task(subject *s, pinion_work *w, const task *t)
{
    const int n = s->nv;
    double *a = take(s, n), lambda[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
    long double *x = take_bytes(s, sizeof *x * (size_t)(n + 6));
    const pinion_status status = pinion_constrained_forward_dynamics(
        s->m, w, s->q, s->v, s->tau, s->f_ext, t->frame, t->kind, t->count, t->A, t->b, a, lambda);
    const double condition = solve_dense(s, t, x);
    check_count++;
    if (status == PINION_ERR_SINGULAR) {
        /* only where the dense equations have no good solution either */
        singular++;
        least_refused = fmin(least_refused, condition);
        CHECK_HAS(pinion_work_message(w), "constraints");
        if (condition < 1e9)
            CHECK_FAIL("%s: frame %d with %d constraints is refused, condition %.3g", s->name, t->frame,
                       t->count, condition);
        return;
    }
    CHECK_STATUS(status, PINION_OK);
    if (status != PINION_OK) return;
    solved[t->count]++;
    largest_solved = fmax(largest_solved, condition);
    check_residual(s, t, a, lambda);

    /* and the solution itself, as well as it is determined */
    double *reference = take(s, n + 6);
    for (int i = 0; i < n + t->count; i++) reference[i] = (double)x[i];
    const double error = fmax(check_error(a, reference, (size_t)n, 1e-3),
                              check_error(lambda, reference + n, (size_t)t->count, 1e-3));
    const double allowed = fmax(1e-10, 1e-15 * condition);
    if (condition < 1e6) worst = fmax(worst, error);
    check_count++;
    if (!(error <= allowed))
        CHECK_FAIL("%s: frame %d with %d constraints is off by %.3g, allowed %.3g", s->name, t->frame,
                   t->count, error, allowed);
}

static task new_task(subject *s, int count)
{
    task t = {.count = count, .kind = spread(s, 1) > 0 ? PINION_ACCELERATION_CLASSICAL : PINION_ACCELERATION_SPATIAL};
    t.frame = spread(s, 1) > 0.5 ? (int)(check_uniform(&s->random) * s->frames) : s->frames - 1;
    for (int j = 0; j < count; j++) {
        /* any direction, or one of the axes */
        const int axis = spread(s, 1) > 0 ? (int)(check_uniform(&s->random) * 6) : -1;
        for (int d = 0; d < 6; d++) t.A[6 * j + d] = axis < 0 ? spread(s, 1) : d == axis;
        t.b[j] = spread(s, 3);
    }
    return t;
}

/* the state at hand, with every number of constraints on random frames */
static void check_constraints(subject *s)
{
    pinion_work *w = pinion_work_new(s->m);
    pinion_error err = {0};
    CHECK(w != NULL);
    if (w && pinion_algorithm_applies(pinion_algorithm_find("vereshchagin"), s->m, &err) != PINION_OK) {
        double *a = take(s, s->nv);
        CHECK_STATUS(pinion_constrained_forward_dynamics(s->m, w, s->q, s->v, s->tau, NULL, 0,
                                                         PINION_ACCELERATION_SPATIAL, 0, NULL, NULL, a, NULL),
                     PINION_ERR_UNSUPPORTED);
        CHECK_HAS(pinion_work_message(w), "mimic");
    } else {
        for (int count = 0; w && count <= ROWS; count++) {
            const task t = new_task(s, count);
            check_task(s, w, &t);
        }
    }
    pinion_work_free(w);
}

/* ---- models ---- */

TESTS_ON_MODELS(check_constraints, 1, 3, 1, 4)

TEST(every_joint_with_rotors)
{
    for_every_joint(2, 0, check_constraints);
}

/* ---- what constraints mean ---- */

/* count 0 is forward dynamics, whatever the frame; absent means zero */
static void check_free(subject *s)
{
    pinion_work *w = pinion_work_new(s->m);
    double *a = take(s, s->nv), *b = take(s, s->nv), *zero = take(s, s->nv + 6 * s->bodies);
    if (pinion_algorithm_applies(pinion_algorithm_find("vereshchagin"), s->m, NULL) == PINION_OK) {
        FINE(s, pinion_forward_dynamics(s->m, s->w, s->q, s->v, s->tau, s->f_ext, a));
        FINE(s, pinion_constrained_forward_dynamics(s->m, w, s->q, s->v, s->tau, s->f_ext, 0,
                                                    PINION_ACCELERATION_CLASSICAL, 0, NULL, NULL, b, NULL));
        CLOSE(s, b, a, s->nv, 1e-3, 1e-9);
        FINE(s, pinion_constrained_forward_dynamics(s->m, w, s->q, NULL, NULL, NULL, s->frames - 1,
                                                    PINION_ACCELERATION_SPATIAL, 0, NULL, NULL, a, NULL));
        FINE(s, pinion_constrained_forward_dynamics(s->m, w, s->q, zero, zero, zero, s->frames - 1,
                                                    PINION_ACCELERATION_SPATIAL, 0, NULL, NULL, b, NULL));
        CLOSE(s, b, a, s->nv, 1e-3, 1e-12);
    }
    pinion_work_free(w);
}

TEST(no_constraints_are_forward_dynamics)
{
    for_random_chains(1, 1, check_free);
    for_random_trees(1, 1, check_free);
}

/* a box of 2 kg that floats, held or guided at its mass centre */
static pinion_model *box(void)
{
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("box");
    pinion_link_def link = pinion_link_def_default();
    link.name = "box";
    link.inertia = (pinion_inertia){2, {0, 0, 0}, {0.1, 0, 0, 0.2, 0, 0.3}};
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    pinion_load_options options = pinion_load_options_default();
    options.root = PINION_ROOT_FREE;
    pinion_model *m = pinion_builder_build(b, &options, &err);
    pinion_builder_free(b);
    CHECK(m != NULL);
    return m;
}

TEST(numbers_by_hand)
{
    pinion_model *m = box();
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    const double q[7] = {1, 0, 0, 0, 0.1, 0.2, 0.3}, v[6] = {0, 0, 3, 5, 0, 0};
    double A[36] = {0}, b[6] = {0}, a[6], lambda[6];
    for (int d = 0; d < 6; d++) A[7 * d] = 1;
    CHECK(w != NULL);
    if (!w) return;

    /* held at rest: the weight */
    CHECK_STATUS(pinion_constrained_forward_dynamics(m, w, q, NULL, NULL, NULL, 0,
                                                     PINION_ACCELERATION_CLASSICAL, 6, A, b, a, lambda),
                 PINION_OK);
    for (int d = 0; d < 6; d++) {
        CHECK_NEAR(a[d], 0, 1e-14);
        CHECK_NEAR(lambda[d], d == 5 ? 2 * 9.81 : 0, 1e-13);
    }

    /* it spins about z and flies along x: on a straight line (classical), x and y need no force, and the
     * coordinates of its velocity turn with it; in constant coordinates (spatial) it is bent to a circle */
    CHECK_STATUS(pinion_constrained_forward_dynamics(m, w, q, v, NULL, NULL, 0, PINION_ACCELERATION_CLASSICAL,
                                                     2, A + 18, b, a, lambda),
                 PINION_OK);
    const double straight[6] = {0, 0, 0, 0, -15, -9.81};
    for (int d = 0; d < 6; d++) CHECK_NEAR(a[d], straight[d], 1e-13);
    CHECK_NEAR(lambda[0], 0, 1e-13);
    CHECK_NEAR(lambda[1], 0, 1e-13);
    CHECK_STATUS(pinion_constrained_forward_dynamics(m, w, q, v, NULL, NULL, 0, PINION_ACCELERATION_SPATIAL,
                                                     2, A + 18, b, a, lambda),
                 PINION_OK);
    CHECK_NEAR(a[4], 0, 1e-13);
    CHECK_NEAR(lambda[0], 0, 1e-13);
    CHECK_NEAR(lambda[1], 2 * 15, 1e-13);

    /* a row along a diagonal, of any length: lambda shrinks as the row grows */
    for (int k = -8; k <= 8; k += 4) {
        const double size = pow(10, k), row[6] = {0, 0, 0, 0, size, size}, wanted = 2 * size;
        CHECK_STATUS(pinion_constrained_forward_dynamics(m, w, q, NULL, NULL, NULL, 0, PINION_ACCELERATION_CLASSICAL, 1,
                                                         row, &wanted, a, lambda),
                     PINION_OK);
        CHECK_NEAR(a[4] + a[5], 2, 1e-13);
        CHECK_NEAR(lambda[0] * size, 2 * (2 + 9.81) / 2, 1e-12);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* ---- what cannot be kept ---- */

/* Where there is no acceleration there is no derivative of it either. */
static pinion_status hold(subject *s, pinion_work *w, int frame, int count, const double *A)
{
    const double b[6] = {0};
    double *a = take(s, s->nv), lambda[6];
    const pinion_constrained_derivatives d = {.a_dq = take_matrix(s, s->nv, s->nv)};
    const pinion_acceleration kind = PINION_ACCELERATION_CLASSICAL;
    const pinion_status found = pinion_constrained_forward_dynamics(s->m, w, s->q, s->v, s->tau, s->f_ext, frame, kind,
                                                                    count, A, b, a, lambda);
    CHECK_STATUS(pinion_d_constrained_forward_dynamics(s->m, w, s->q, s->v, s->tau, s->f_ext, frame, kind, count, A, b,
                                                       &d), found);
    return found;
}

/* rows that depend on each other, a row of nothing, the base, and more rows than degrees of freedom */
static void check_impossible(subject *s)
{
    pinion_work *w = pinion_work_new(s->m);
    double A[36];
    if (pinion_algorithm_applies(pinion_algorithm_find("vereshchagin"), s->m, NULL) == PINION_OK) {
        const int frame = s->frames - 1;
        for (int i = 0; i < 36; i++) A[i] = spread(s, 1);

        /* the same twice, a multiple, a sum of others */
        memcpy(A + 6, A, 6 * sizeof *A);
        CHECK_STATUS(hold(s, w, frame, 2, A), PINION_ERR_SINGULAR);
        for (int d = 0; d < 6; d++) A[6 + d] = -1e-5 * A[d];
        CHECK_STATUS(hold(s, w, frame, 2, A), PINION_ERR_SINGULAR);
        for (int d = 0; d < 6; d++) {
            A[6 + d] = spread(s, 1);
            A[12 + d] = 3 * A[d] - 0.7 * A[6 + d];
        }
        CHECK_STATUS(hold(s, w, frame, 3, A), PINION_ERR_SINGULAR);
        CHECK_HAS(pinion_work_message(w), "depend");

        /* what two that are nearly one differ by: rounding is a million times as much */
        for (int d = 0; d < 6; d++) {
            A[6 + d] = A[d] + 1e-3 * spread(s, 1);
            A[12 + d] = 1e3 * (A[6 + d] - A[d]);
        }
        CHECK_STATUS(hold(s, w, frame, 3, A), PINION_ERR_SINGULAR);

        /* nothing at all */
        for (int d = 0; d < 6; d++) A[d] = 0;
        CHECK_STATUS(hold(s, w, frame, 1, A), PINION_ERR_SINGULAR);
        for (int i = 0; i < 36; i++) A[i] = spread(s, 1);
        if (s->nv < 6) CHECK_STATUS(hold(s, w, frame, s->nv + 1, A), PINION_ERR_SINGULAR);
    }
    pinion_work_free(w);
}

TEST(dependent_constraints)
{
    for_random_chains(1, 1, check_impossible);
    for_random_trees(1, 1, check_impossible);
}

/* Arms whose joints leave directions out, in places and along axes without a zero among their numbers:
 * whatever rounding makes of a direction that no joint moves, it is refused, and those that joints do move
 * are not. */
TEST(directions_that_no_joint_moves)
{
    uint64_t seed = check_seed;
    for (int joints = 1; joints <= 8; joints++)
        for (int sliding = 0; sliding < 2; sliding++)
            for (int k = 0; k < 10; k++) {
                /* joints with one axis, turning or sliding, in parallel, each at some point of its link */
                pinion_error err = {0};
                pinion_builder *b = pinion_builder_new("parallel");
                const pinion_pose base = random_pose(&seed);
                char name[2][32] = {"link0", ""};
                for (int i = 0; i <= joints; i++) {
                    pinion_link_def link = pinion_link_def_default();
                    snprintf(name[1], sizeof name[1], "link%d", i);
                    link.name = name[1];
                    link.inertia = random_inertia(&seed);
                    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
                    pinion_joint_def joint = pinion_joint_def_default();
                    joint.name = name[1];
                    joint.type = sliding ? PINION_JOINT_PRISMATIC : PINION_JOINT_REVOLUTE;
                    joint.parent = name[0];
                    joint.child = name[1];
                    for (int d = 0; d < 3; d++)
                        joint.parent_pose.position[d] = check_between(&seed, -0.5, 0.5);
                    if (i == 1) memcpy(joint.parent_pose.rotation, base.rotation, sizeof base.rotation);
                    for (int d = 0; d < 3; d++) joint.axis[d] = base.rotation[3 * d];
                    if (i) CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
                    snprintf(name[0], sizeof name[0], "%s", name[1]);
                }
                pinion_model *m = pinion_builder_build(b, NULL, &err);
                pinion_builder_free(b);
                CHECK(m != NULL);
                if (!m) continue;
                subject s;
                subject_init(&s, m, "parallel axes", seed);
                new_state(&s);
                pinion_work *w = pinion_work_new(m);
                const int tip = s.frames - 1;

                /* turning: no motion along the axis; sliding: none across it, and no turning at all */
                double along[6] = {0}, across[6] = {0}, turn[6] = {0};
                const double other[3] = {base.rotation[1], base.rotation[4], base.rotation[7]};
                for (int d = 0; d < 3; d++) {
                    along[3 + d] = turn[d] = base.rotation[3 * d];
                    across[3 + d] = other[d];
                }
                CHECK_STATUS(hold(&s, w, tip, 1, along), sliding ? PINION_OK : PINION_ERR_SINGULAR);
                CHECK_STATUS(hold(&s, w, tip, 1, turn), sliding ? PINION_ERR_SINGULAR : PINION_OK);
                if (sliding || joints > 1)
                    CHECK_STATUS(hold(&s, w, tip, 1, across), sliding ? PINION_ERR_SINGULAR : PINION_OK);
                memcpy(turn, other, sizeof other);
                CHECK_STATUS(hold(&s, w, tip, 1, turn), PINION_ERR_SINGULAR);
                CHECK_STATUS(hold(&s, w, 0, 1, along), PINION_ERR_SINGULAR); /* the base */
                pinion_work_free(w);
                subject_free(&s);
            }
}

/* a stretched arm cannot move along itself, wherever its joints are */
TEST(stretched_arms)
{
    uint64_t seed = check_seed;
    for (int joints = 1; joints <= 6; joints++) {
        pinion_error err = {0};
        pinion_builder *b = pinion_builder_new("stretched");
        const pinion_pose pose = random_pose(&seed);
        const double *R = pose.rotation;
        char name[2][32] = {"link0", ""};
        for (int i = 0; i <= joints + 1; i++) {
            pinion_link_def link = pinion_link_def_default();
            snprintf(name[1], sizeof name[1], "link%d", i);
            link.name = name[1];
            link.inertia = random_inertia(&seed);
            CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
            pinion_joint_def joint = pinion_joint_def_default();
            joint.name = name[1];
            joint.type = i > joints ? PINION_JOINT_FIXED : PINION_JOINT_REVOLUTE;
            joint.parent = name[0];
            joint.child = name[1];
            /* links along one direction, axes across it, this and that way */
            const double length = check_between(&seed, 0.1, 0.7);
            for (int d = 0; d < 3; d++) {
                joint.parent_pose.position[d] = length * R[3 * d];
                joint.axis[d] = R[3 * d + 1 + i % 2];
            }
            if (i) CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
            snprintf(name[0], sizeof name[0], "%s", name[1]);
        }
        pinion_model *m = pinion_builder_build(b, NULL, &err);
        pinion_builder_free(b);
        CHECK(m != NULL);
        if (!m) continue;
        subject s;
        subject_init(&s, m, "stretched arm", seed);
        new_state(&s);
        for (int i = 0; i < s.nq; i++) s.q[i] = 0;
        pinion_work *w = pinion_work_new(m);
        double along[6] = {0}, across[6] = {0};
        for (int d = 0; d < 3; d++) {
            along[3 + d] = R[3 * d];
            across[3 + d] = R[3 * d + 1];
            if (joints == 1) across[3 + d] = R[3 * d + 1] + R[3 * d + 2];
        }
        CHECK_STATUS(hold(&s, w, s.frames - 1, 1, along), PINION_ERR_SINGULAR);
        CHECK_STATUS(hold(&s, w, s.frames - 1, 1, across), PINION_OK);

        /* a little bent it can */
        if (joints > 2) {
            for (int i = 0; i < s.nq; i++) s.q[i] = 1e-3 * (i + 1);
            CHECK_STATUS(hold(&s, w, s.frames - 1, 1, along), PINION_OK);
        }
        pinion_work_free(w);
        subject_free(&s);
    }
}

/* ---- derivatives ---- */

enum { MOST = 64 };

/* The kernels' part of the stack has no numbers in it: what nobody wrote nobody reads. */
__attribute__((noinline)) static double no_numbers(void)
{
    volatile double x[8192];
    for (int i = 0; i < 8192; i++) x[i] = NAN;
    return x[17];
}

/* a and lambda, one behind the other, off by h along column j of q, v or tau */
static void look(subject *s, const task *t, int by, int j, double h, double *x)
{
    double step[MOST], q[2 * MOST], v[MOST], tau[MOST];
    for (int i = 0; i < s->nv; i++) {
        step[i] = by == 0 && i == j ? h : 0;
        v[i] = s->v[i] + (by == 1 && i == j ? h : 0);
        tau[i] = s->tau[i] + (by == 2 && i == j ? h : 0);
    }
    FINE(s, pinion_integrate(s->m, s->q, step, 1, q));
    FINE(s, pinion_constrained_forward_dynamics(s->m, s->w, q, v, tau, s->f_ext, t->frame, t->kind, t->count, t->A,
                                                t->b, x, x + s->nv));
}

/* against differences of the sixth order */
static void check_derivatives(subject *s, const task *t)
{
    static const double weight[] = {45. / 60, -9. / 60, 1. / 60};
    const int n = s->nv, size = n + t->count;
    double *D[6], *x = take(s, size), *found = take(s, size);
    for (int i = 0; i < 6; i++) D[i] = take_matrix(s, i < 3 ? n : 6, n);
    const pinion_constrained_derivatives all = {D[0], D[1], D[2], D[3], D[4], D[5]};
    CHECK(isnan(no_numbers()));
    FINE(s, pinion_d_constrained_forward_dynamics(s->m, s->w, s->q, s->v, s->tau, s->f_ext, t->frame, t->kind, t->count,
                                                  t->A, t->b, &all));
    for (int by = 0; by < 3; by++) {
        double top = 1, off = 0;
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < size; i++) found[i] = 0;
            for (int k = 0; k < 6; k++) {
                const double h = by == 2 ? 1 : 5e-4, times = (k % 2 ? -1 : 1) * weight[k / 2] / h;
                look(s, t, by, j, (k % 2 ? -h : h) * (k / 2 + 1), x);
                for (int i = 0; i < size; i++) found[i] += times * x[i];
            }
            for (int i = 0; i < size; i++) {
                const double said = i < n ? D[by][i * n + j] : D[3 + by][(i - n) * n + j];
                top = fmax(top, fmax(fabs(found[i]), fabs(x[i])));
                off = fmax(off, isfinite(said) ? fabs(said - found[i]) : INFINITY);
            }
        }
        check_count++;
        if (!(off <= 1e-8 * top)) CHECK_FAIL("%s, %d rows, by %d: off by %g of %g", s->name, t->count, by, off, top);
    }
    /* without the matrices that are not wanted */
    double *alone = take_matrix(s, 6, n);
    const pinion_constrained_derivatives one = {.lambda_dq = alone};
    CHECK(isnan(no_numbers()));
    FINE(s, pinion_d_constrained_forward_dynamics(s->m, s->w, s->q, s->v, s->tau, s->f_ext, t->frame, t->kind, t->count,
                                                  t->A, t->b, &one));
    for (int i = 0; i < t->count * n; i++) CHECK(alone[i] == D[3][i]);
}

TEST(derivatives)
{
    uint64_t seed = check_seed + 7;
    for (int trial = 0; trial < 16; trial++, seed++) {
        /* the last ones have too many velocities for composite bodies */
        pinion_model *m = trial > 8 ? pinion_random_chain(17 + trial, seed, NULL)
                                    : pinion_random_tree(trial < 8 ? 3 + trial % 3 : 7, 1, seed, NULL);
        subject s;
        if (!m) return;
        subject_init(&s, m, trial > 8 ? "a random chain" : "a random tree", seed);
        new_state(&s);
        CHECK(s.nv <= MOST);
        uint64_t random = seed;
        task t = {.frame = s.frames - 1, .count = trial % 7, .kind = (pinion_acceleration)(trial % 2)};
        for (int i = 0; i < 36; i++) t.A[i] = check_between(&random, -1, 1);
        for (int i = 0; i < 6; i++) t.b[i] = check_between(&random, -1, 1);
        if (trial != 8) {
            check_derivatives(&s, &t);
        } else { /* of seven joints some follow others */
            const pinion_constrained_derivatives none = {0};
            CHECK_STATUS(pinion_d_constrained_forward_dynamics(m, s.w, s.q, NULL, NULL, NULL, t.frame, t.kind, t.count,
                                                               t.A, t.b, &none),
                         PINION_ERR_UNSUPPORTED);
        }
        subject_free(&s);
    }
}

/* Refused where the accelerations are: constraints that depend on each other, and frames that cannot move. Without
 * constraints they are the derivatives of forward dynamics. */
TEST(derivatives_where_there_are_none)
{
    uint64_t seed = check_seed + 70;
    for (int trial = 0; trial < 6; trial++, seed++) {
        pinion_model *m = pinion_random_chain(3 + trial, seed, NULL);
        subject s;
        if (!m) return;
        subject_init(&s, m, "a random chain", seed);
        new_state(&s);
        const int n = s.nv;
        double A[12] = {[3] = 1}, b[2] = {0, 0}, *x = take(&s, n);
        for (int d = 0; d < 6; d++) A[6 + d] = -2 * A[d];
        double *D[6];
        for (int i = 0; i < 6; i++) D[i] = take_matrix(&s, n, n);
        const pinion_constrained_derivatives all = {D[0], D[1], D[2], NULL, NULL, NULL};
        for (int base = 0; base < 2; base++) {
            const int frame = base ? 0 : s.frames - 1, count = base ? 1 : 2;
            const pinion_acceleration kind = PINION_ACCELERATION_CLASSICAL;
            CHECK_STATUS(pinion_constrained_forward_dynamics(m, s.w, s.q, s.v, s.tau, s.f_ext, frame, kind, count, A, b,
                                                             x, NULL), PINION_ERR_SINGULAR);
            CHECK_STATUS(pinion_d_constrained_forward_dynamics(m, s.w, s.q, s.v, s.tau, s.f_ext, frame, kind, count, A,
                                                               b, &all), PINION_ERR_SINGULAR);
            CHECK(strstr(pinion_work_message(s.w), "constraints") != NULL);
        }
        FINE(&s, pinion_d_constrained_forward_dynamics(m, s.w, s.q, s.v, s.tau, s.f_ext, 0, PINION_ACCELERATION_SPATIAL,
                                                       0, NULL, NULL, &all));
        FINE(&s, pinion_d_forward_dynamics(m, s.w, s.q, s.v, s.tau, s.f_ext, D[3], D[4], D[5]));
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < n * n; i++) CHECK(D[k][i] == D[3 + k][i]);
        subject_free(&s);
    }
}

TEST(wrong_calls)
{
    pinion_model *m = box(), *other = pinion_random_chain(4, 1, NULL);
    pinion_work *w = pinion_work_new(m);
    pinion_work *alien = pinion_work_new(other);
    const double q[7] = {1, 0, 0, 0, 0, 0, 0}, bad[7] = {2, 0, 0, 0, 0, 0, 0}, A[42] = {1}, b[7] = {0};
    const pinion_acceleration kind = PINION_ACCELERATION_CLASSICAL;
    double a[6], lambda[7];
    CHECK(w && alien);
#define CALLED(m, w, q, frame, count, A, b, a)                                                               \
    pinion_constrained_forward_dynamics(m, w, q, NULL, NULL, NULL, frame, kind, count, A, b, a, lambda)
    CHECK_STATUS(CALLED(m, w, q, 0, 1, A, b, a), PINION_OK);
    CHECK_STATUS(CALLED(NULL, w, q, 0, 1, A, b, a), PINION_ERR_ARGUMENT);
    CHECK_STATUS(CALLED(m, NULL, q, 0, 1, A, b, a), PINION_ERR_ARGUMENT);
    CHECK_STATUS(CALLED(m, w, NULL, 0, 1, A, b, a), PINION_ERR_ARGUMENT);
    CHECK_STATUS(CALLED(m, w, bad, 0, 1, A, b, a), PINION_ERR_QUATERNION);
    CHECK_STATUS(CALLED(m, w, q, -1, 1, A, b, a), PINION_ERR_ARGUMENT);
    CHECK_STATUS(CALLED(m, w, q, 1, 1, A, b, a), PINION_ERR_ARGUMENT);
    CHECK_STATUS(CALLED(m, w, q, 0, 1, NULL, b, a), PINION_ERR_ARGUMENT);
    CHECK_STATUS(CALLED(m, w, q, 0, 1, A, NULL, a), PINION_ERR_ARGUMENT);
    CHECK_STATUS(CALLED(m, w, q, 0, 1, A, b, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(CALLED(m, w, q, 0, -1, A, b, a), PINION_ERR_ARGUMENT);
    CHECK_STATUS(CALLED(m, w, q, 0, 7, A, b, a), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_work_message(w), "0 to 6 constraints");
    CHECK_STATUS(CALLED(m, alien, q, 0, 1, A, b, a), PINION_ERR_MISMATCH);
    pinion_work_free(w);
    pinion_work_free(alien);
    pinion_model_free(m);
    pinion_model_free(other);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN_ON_MODELS();
    RUN(every_joint_with_rotors);
    RUN(no_constraints_are_forward_dynamics);
    RUN(numbers_by_hand);
    RUN(dependent_constraints);
    RUN(directions_that_no_joint_moves);
    RUN(stretched_arms);
    RUN(derivatives);
    RUN(derivatives_where_there_are_none);
    RUN(wrong_calls);
    printf("       states by number of constraints:");
    for (int k = 0; k <= ROWS; k++) printf(" %d", solved[k]);
    printf("; refused %d\n       worst residual %.2g, worst error %.2g where the condition is below 1e6\n"
           "       largest condition that was solved %.2g, least that was refused %.2g\n",
           singular, worst_residual, worst, largest_solved, least_refused);
    for (int k = 0; k <= ROWS && !check_filter; k++) CHECK(solved[k] > 30);
    return CHECK_END();
}
