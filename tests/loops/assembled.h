/* Random mechanisms whose loops are closed at a known configuration, for tests. The tree is that of
 * random_loops.h; the frames of a loop are put where they fit. */
#ifndef PN_TEST_ASSEMBLED_H
#define PN_TEST_ASSEMBLED_H

#include "dense_solution.h"
#include "eliminate.h"
#include "random_loops.h"

/* What a mechanism may have. */
typedef struct wanted {
    int followers;
    int joints[6]; /* types of loop joints; -1: the list ends */
    int kinds[6];  /* other kinds, likewise */
    int twice;     /* nonzero: every loop joint is there twice, its rows once more */
    int driven;    /* nonzero: drives, gears and distances have laws of time */
} wanted;

typedef struct mechanism {
    pinion_model *m;
    pinion_work *w; /* of pinion_work_new */
    int n, rows;
    double *q, *v, *tau, *f_ext; /* q closes the loops, v keeps them */
    int contradicts;             /* nonzero: no v keeps them, because laws of time ask for different things */
} mechanism;

static inline double *numbers(int count)
{
    double *x = calloc((size_t)(count > 0 ? count : 1), sizeof *x);
    if (!x) abort();
    return x;
}

/* pose of a link in the world */
static inline pinion_pose link_pose(const pinion_model *m, pinion_work *w, const double *q, const char *link)
{
    pinion_pose x;
    CHECK_STATUS(pinion_frame_pose(m, w, q, pinion_model_find_frame(m, link), x.position, x.rotation),
                 PINION_OK);
    return x;
}

/* a b, and a^-1 b */
static inline pinion_pose compose(const pinion_pose *a, const pinion_pose *b)
{
    pinion_pose y;
    for (int i = 0; i < 3; i++) {
        y.position[i] = a->position[i];
        for (int k = 0; k < 3; k++) y.position[i] += a->rotation[3 * i + k] * b->position[k];
        for (int j = 0; j < 3; j++) {
            y.rotation[3 * i + j] = 0;
            for (int k = 0; k < 3; k++)
                y.rotation[3 * i + j] += a->rotation[3 * i + k] * b->rotation[3 * k + j];
        }
    }
    return y;
}
static inline pinion_pose relative_pose(const pinion_pose *a, const pinion_pose *b)
{
    pinion_pose back;
    for (int i = 0; i < 3; i++) {
        back.position[i] = 0;
        for (int k = 0; k < 3; k++) back.position[i] -= a->rotation[3 * k + i] * a->position[k];
        for (int j = 0; j < 3; j++) back.rotation[3 * i + j] = a->rotation[3 * j + i];
    }
    return compose(&back, b);
}

/* a loop joint between random links, closed at q */
static inline void add_closed_joint(pinion_builder *b, const pinion_model *tree, pinion_work *w,
                                    const double *q, int type, int index, int twice, uint64_t *seed)
{
    char name[16];
    snprintf(name, sizeof name, "loop%d", index);
    const char *child = random_link(seed, NULL), *parent = random_link(seed, child);
    pinion_joint_def joint = random_joint(name, (pinion_joint_type)type, parent, child, seed);
    const pinion_pose P = link_pose(tree, w, q, parent), S = link_pose(tree, w, q, child);
    const pinion_pose there = compose(&P, &joint.parent_pose);
    joint.child_pose = relative_pose(&S, &there);
    CHECK_STATUS(pinion_builder_add_loop(b, &joint, NULL), PINION_OK);
    if (!twice) return;
    snprintf(name, sizeof name, "again%d", index);
    CHECK_STATUS(pinion_builder_add_loop(b, &joint, NULL), PINION_OK);
}

/* A law of time that changes by `most` at most until the tests look, t = 0.3: a distance stays above 0. */
static inline void slow_down(pinion_motion *motion, double most)
{
    double g[2][3];
    for (;;) {
        pinion_motion_at(motion, 0, g[0]);
        pinion_motion_at(motion, 0.3, g[1]);
        if (fabs(g[1][0] - g[0][0]) <= most) return;
        motion->rate *= 0.5;
        motion->acceleration *= 0.5;
        motion->amplitude *= 0.5;
    }
}

/* another constraint, closed at q and t = 0 */
static inline void add_closed_constraint(pinion_builder *b, const pinion_model *tree, pinion_work *w,
                                         const double *q, int kind, int index, int driven, uint64_t *seed)
{
    char name[16];
    pinion_constraint_def def = pinion_constraint_def_default();
    pinion_joint_info first, second;
    double g[3];
    snprintf(name, sizeof name, "loop%d", index);
    def.name = name;
    def.kind = (pinion_loop_kind)kind;
    if (driven && kind != PINION_LOOP_ROLLING && kind != PINION_LOOP_SPRING) def.motion = random_motion(seed);
    if (kind == PINION_LOOP_DRIVE || kind == PINION_LOOP_GEAR) {
        def.first = "ja2";
        CHECK_STATUS(pinion_model_joint(tree, pinion_model_find_joint(tree, "ja2"), &first), PINION_OK);
        CHECK_STATUS(pinion_model_joint(tree, pinion_model_find_joint(tree, "jb2"), &second), PINION_OK);
        double value = q[first.q_index];
        if (kind == PINION_LOOP_GEAR) {
            def.second = "jb2";
            def.ratio = check_between(seed, -2, -0.5);
            for (int k = 0; k < 3; k++) def.curve[k] = check_between(seed, -0.2, 0.2);
            const double one = q[first.q_index];
            value = q[second.q_index] - def.ratio * one -
                    one * one * (def.curve[0] + one * def.curve[1] + one * one * def.curve[2]);
        }
        pinion_motion_at(&def.motion, 0, g);
        def.motion.offset += value - g[0];
    } else {
        def.child = random_link(seed, NULL);
        def.parent = random_link(seed, def.child);
        def.parent_pose = random_pose(seed);
        def.child_pose = random_pose(seed);
        const pinion_pose P = link_pose(tree, w, q, def.parent), S = link_pose(tree, w, q, def.child);
        const pinion_pose p = compose(&P, &def.parent_pose), s = compose(&S, &def.child_pose);
        const pinion_pose x = relative_pose(&p, &s); /* the successor's frame seen from the other */
        pinion_motion_at(&def.motion, 0, g);
        if (kind == PINION_LOOP_DISTANCE) {
            const double *d = x.position, distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            slow_down(&def.motion, 0.5 * distance);
            pinion_motion_at(&def.motion, 0, g);
            def.length = distance - g[0];
            if (def.length < 0.05) { /* it may not be below 0; the law may */
                def.motion.offset += def.length - 0.05;
                def.length = 0.05;
            }
        } else if (kind == PINION_LOOP_SPRING) { /* closed anywhere */
            def.length = check_between(seed, 0.1, 1);
            def.stiffness = check_between(seed, 1, 10);
        } else { /* the plane to where the sphere stands on it */
            def.radius = check_between(seed, 0.1, 0.5);
            for (int d = 0; d < 3; d++)
                def.parent_pose.position[d] +=
                    def.parent_pose.rotation[3 * d + 2] * (x.position[2] - def.radius);
        }
    }
    CHECK_STATUS(pinion_builder_add_constraint(b, &def, NULL), PINION_OK);
}

/* a mechanism with what is wanted, or m = NULL after a failed check */
static inline mechanism mechanism_new(const wanted *want, uint64_t *seed)
{
    mechanism x = {0};
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("assembled");
    add_random_tree(b, want->followers, seed);
    pinion_model *tree = pinion_builder_build(b, NULL, &err);
    pinion_work *w = tree ? pinion_work_new(tree) : NULL;
    if (!w) {
        CHECK_FAIL("%s", err.message);
        pinion_builder_free(b);
        return x;
    }
    x.q = numbers(pinion_model_nq(tree));
    CHECK_STATUS(pinion_random(tree, (uint64_t)(1e15 * check_uniform(seed)), x.q), PINION_OK);
    int index = 0;
    for (int i = 0; i < 6 && want->joints[i] >= 0; i++)
        add_closed_joint(b, tree, w, x.q, want->joints[i], index++, want->twice, seed);
    for (int i = 0; i < 6 && want->kinds[i] >= 0; i++)
        add_closed_constraint(b, tree, w, x.q, want->kinds[i], index++, want->driven, seed);
    pinion_work_free(w);
    pinion_model_free(tree);

    x.m = pinion_builder_build(b, NULL, &err);
    x.w = x.m ? pinion_work_new(x.m) : NULL;
    pinion_builder_free(b);
    CHECK(x.w != NULL);
    if (!x.w) {
        printf("%s\n", err.message);
        return x;
    }
    x.n = pinion_model_nv(x.m);
    x.rows = pinion_model_row_count(x.m);
    x.v = numbers(x.n);
    x.tau = numbers(x.n);
    x.f_ext = numbers(6 * pinion_model_body_count(x.m));
    for (int i = 0; i < x.n; i++) x.v[i] = check_between(seed, -1, 1);
    for (int i = 0; i < x.n; i++) x.tau[i] = check_between(seed, -5, 5);
    for (int i = 0; i < 6 * pinion_model_body_count(x.m); i++) x.f_ext[i] = check_between(seed, -2, 2);
    const pinion_status status = pinion_project_velocity(x.m, x.w, 0, NULL, x.q, x.v);
    x.contradicts = want->driven && status == PINION_ERR_CONVERGENCE;
    if (!x.contradicts) CHECK_STATUS(status, PINION_OK);
    return x;
}

static inline void mechanism_free(mechanism *x)
{
    pinion_work_free(x->w);
    pinion_model_free(x->m);
    free(x->q);
    free(x->v);
    free(x->tau);
    free(x->f_ext);
}

/* x [n], the shortest with L x = g: L' (L L')^+ g, by elimination in long double; returns its length. x may be NULL. */
static inline double shortest(const double *L, int rows, int n, const long double *g, long double *x)
{
    long double *G = calloc((size_t)(rows * rows) + 1, sizeof *G), *b = calloc((size_t)rows + 1, sizeof *b), square = 0;
    double *y = numbers(rows);
    if (!G || !b) abort();
    for (int i = 0; i < rows; i++) {
        b[i] = g[i];
        for (int k = 0; k < rows; k++)
            for (int j = 0; j < n; j++) G[i * rows + k] += (long double)L[i * n + j] * L[k * n + j];
    }
    eliminate(G, rows, b, 1e-12L, y);
    for (int j = 0; j < n; j++) {
        long double sum = 0;
        for (int i = 0; i < rows; i++) sum += (long double)L[i * n + j] * y[i];
        if (x) x[j] = sum;
        square += sum * sum;
    }
    free(G);
    free(b);
    free(y);
    return (double)sqrtl(square);
}

/* ---- an independent solution ---- */

/* Eq. 20 as it stands for the accelerations; then L' L z = M a + h - tau, whose lambda = L z has the least
 * norm. */
static inline int reference_solution(const mechanism *x, double t, const double *tau, double *a,
                                     double *lambda)
{
    const int n = x->n, rows = x->rows, size = n + rows;
    double *M = numbers(n * n), *h = numbers(n), *L = numbers(rows * n), *c = numbers(rows),
           *z = numbers(size);
    long double *A = calloc((size_t)(size * size) + 1, sizeof *A), *b = calloc((size_t)size + 1, sizeof *b);
    const pinion_constraints parts = {.L = L, .c = c};
    if (!A || !b) abort();
    CHECK_STATUS(pinion_mass_matrix(x->m, x->w, x->q, M), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(x->m, x->w, x->q, x->v, NULL, x->f_ext, h), PINION_OK);
    CHECK_STATUS(pinion_constraints_at(x->m, x->w, t, x->q, x->v, &parts), PINION_OK);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) A[i * size + j] = M[i * n + j];
        b[i] = tau[i] - h[i];
    }
    for (int k = 0; k < rows; k++) {
        for (int j = 0; j < n; j++) A[(n + k) * size + j] = A[j * size + n + k] = L[k * n + j];
        b[n + k] = c[k];
    }
    const int rank = eliminate(A, size, b, 1e-12L, z) - n;
    memcpy(a, z, sizeof *a * (size_t)n);

    for (int i = 0; i < n; i++) {
        b[i] = (long double)h[i] - tau[i];
        for (int j = 0; j < n; j++) b[i] += (long double)M[i * n + j] * a[j];
        for (int j = 0; j < n; j++) {
            A[i * n + j] = 0;
            for (int k = 0; k < rows; k++) A[i * n + j] += (long double)L[k * n + i] * L[k * n + j];
        }
    }
    eliminate(A, n, b, 1e-12L, z);
    for (int k = 0; k < rows; k++) {
        long double sum = 0;
        for (int j = 0; j < n; j++) sum += (long double)L[k * n + j] * z[j];
        lambda[k] = (double)sum;
    }
    free(M);
    free(h);
    free(L);
    free(c);
    free(z);
    free(A);
    free(b);
    return rank;
}

/* of L M^-1 L', of what rounding does not make of rows that depend on each other */
static inline double mechanism_condition(const mechanism *x, double t)
{
    const int n = x->n, rows = x->rows;
    double *M = numbers(n * n), *h = numbers(n), *L = numbers(rows * n), *c = numbers(rows);
    dense_solution found = {n, rows, 0, 0, numbers(n), numbers(rows)};
    const pinion_constraints parts = {.L = L, .c = c};
    CHECK_STATUS(pinion_mass_matrix(x->m, x->w, x->q, M), PINION_OK);
    CHECK_STATUS(pinion_constraints_at(x->m, x->w, t, x->q, x->v, &parts), PINION_OK);
    dense_solve(&found, M, h, L, c, NULL, 1e-15);
    free(M), free(h), free(L), free(c), free(found.a), free(found.lambda);
    return found.condition;
}

#endif
