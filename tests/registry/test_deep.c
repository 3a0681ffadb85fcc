/* Derivatives of forward dynamics of deep trees, which are solved for otherwise than those of shallow ones: chains,
 * trees with a long trunk, vertebrae with a rib each, a free base, every joint type. They are held against what they
 * solve, with M and the derivatives of inverse dynamics, so that the condition of M does not matter. */
#include "models.h"
#include "pinion/batch_calls.h"

enum { CHAIN, TRUNK, RIBS, SHAPES };
static const char *const shape_names[SHAPES] = {"a chain", "a trunk with branches", "a spine with ribs"};

static double worst_seen;

static double *numbers(size_t count)
{
    double *x = calloc(count + 1, sizeof *x);
    if (!x) abort();
    return x;
}

/* the parent of link i, which is often the one before */
static int parent_of(int shape, int i, uint64_t *seed)
{
    if (shape == RIBS && i > 1) return i % 2 ? i - 1 : i - 2 > 0 ? i - 2 : 1;
    if (shape == TRUNK && i > 4 && check_uniform(seed) < 0.3) return i - 1 - (int)check_between(seed, 0, 4);
    return i - 1;
}

/* NULL with a failed check */
static pinion_model *deep_model(int shape, int joints, joint_kinds kinds, uint64_t *seed)
{
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new(shape_names[shape]);
    pinion_link_def link = pinion_link_def_default();
    char name[3][32];
    for (int i = 0; b && i <= joints; i++) {
        snprintf(name[1], sizeof name[1], "link%d", i);
        link.name = name[1];
        link.inertia = random_inertia(seed);
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        if (i == 0) continue;
        pinion_joint_def joint = random_joint(seed, kinds);
        if (kinds == EVERY_TYPE && i == 1) joint.type = PINION_JOINT_FREE;
        snprintf(name[0], sizeof name[0], "link%d", parent_of(shape, i, seed));
        snprintf(name[2], sizeof name[2], "joint%d", i);
        joint.parent = name[0];
        joint.child = name[1];
        joint.name = name[2];
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_model *m = b ? pinion_builder_build(b, NULL, &err) : NULL;
    if (!m) CHECK_FAIL("%s cannot be built: %s", shape_names[shape], err.message);
    pinion_builder_free(b);
    return m;
}

/* M X + Y, of the largest that M X adds up */
static double residual(int n, const double *M, const double *X, const double *Y)
{
    double worst = 0, size = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = Y[i * n + j], parts = fabs(sum);
            for (int k = 0; k < n; k++) {
                sum += M[i * n + k] * X[k * n + j];
                parts += fabs(M[i * n + k] * X[k * n + j]);
            }
            if (!(fabs(sum) <= worst)) worst = fabs(sum);
            size = fmax(size, parts);
        }
    return worst / size;
}

typedef struct subject {
    pinion_model *m;
    pinion_work *w;
    int n;
    double *q, *v, *tau, *a, *M, *r[3]; /* those of tau by q and v, less the unit matrix */
} subject;

/* D: da by q, v and tau */
static void check_solutions(const subject *x, double *const D[3], double tolerance, const char *name, const char *how)
{
    for (int k = 0; k < 3; k++) {
        const double off = residual(x->n, x->M, D[k], x->r[k]);
        if (tolerance < 1e-9) worst_seen = fmax(worst_seen, off);
        check_count++;
        if (!(off <= tolerance)) CHECK_FAIL("%s of %d velocities, %s: matrix %d is off by %g", name, x->n, how, k, off);
    }
}

/* packs of both precisions; the states are one and the same */
static void check_batches(const subject *x, const char *name)
{
    const size_t n = (size_t)x->n, nn = n * n, nq = (size_t)pinion_model_nq(x->m), states = 5;
    double *q = numbers(states * nq), *v = numbers(states * n), *tau = numbers(states * n);
    double *all = numbers(3 * states * nn);
    float *single = calloc(states * (nq + 2 * n) + 3 * states * nn + 1, sizeof *single);
    pinion_batch *b = pinion_batch_new(x->m, 1);
    if (!b || !single) abort();
    for (size_t s = 0; s < states; s++) {
        memcpy(q + s * nq, x->q, sizeof *q * nq);
        memcpy(v + s * n, x->v, sizeof *v * n);
        memcpy(tau + s * n, x->tau, sizeof *tau * n);
    }
    double *const D[3] = {all, all + states * nn, all + 2 * states * nn};
    CHECK_STATUS(pinion_batch_d_forward_dynamics(b, states, q, v, tau, NULL, D[0], D[1], D[2]), PINION_OK);
    for (size_t s = 0; s < states; s += 4) {
        double *const own[3] = {D[0] + s * nn, D[1] + s * nn, D[2] + s * nn};
        check_solutions(x, own, 1e-12, name, "a batch");
    }
    for (size_t i = 0; i < states * nq; i++) single[i] = (float)q[i];
    float *fv = single + states * nq, *ft = fv + states * n, *fd = ft + states * n;
    for (size_t i = 0; i < states * n; i++) fv[i] = (float)v[i], ft[i] = (float)tau[i];
    const pinion_status status =
        pinion_batch_d_forward_dynamics_f32(b, states, single, fv, ft, NULL, NULL, NULL, fd);
    if (x->n < 50) CHECK_STATUS(status, PINION_OK); /* floats refuse what is too deep for them */
    for (size_t i = 0; i < nn; i++) all[i] = fd[i];
    const double off = status ? 0 : residual(x->n, x->M, all, x->r[2]);
    check_count++;
    if (!(off <= 1e-3)) CHECK_FAIL("%s of %d velocities, a batch of float: %g", name, x->n, off);
    pinion_batch_free(b);
    free(q), free(v), free(tau), free(all), free(single);
}

/* The volume that three rows of n numbers span, each of length 1 then: 0 where they depend on each other. */
static double volume_of_three(int n, const double *rows)
{
    double e[3][3] = {{0}}, part[3] = {0};
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int k = 0; k < n; k++) e[a][b] += rows[a * n + k] * rows[b * n + k];
    for (int a = 0; a < 3; a++) part[a] = e[a][a] > 0 ? 1 / sqrt(e[a][a]) : 0;
    for (int a = 0; a < 9; a++) e[a / 3][a % 3] *= part[a / 3] * part[a % 3];
    return sqrt(fmax(0, e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                            e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])));
}

/* The last link's origin does not accelerate: M da/dtau - J' dlambda/dtau = 1 and J da/dtau = 0. */
static void check_constrained(const subject *x, const char *name)
{
    const int n = x->n, frame = pinion_model_frame_count(x->m) - 1;
    const double A[18] = {[3] = 1, [10] = 1, [17] = 1}, b[3] = {0};
    double *J = numbers(6 * (size_t)n), *da = numbers((size_t)(n * n)), *dl = numbers(3 * (size_t)n);
    double *Y = numbers((size_t)(n * n)), off = 0, size = 0;
    const pinion_constrained_derivatives out = {NULL, NULL, da, NULL, NULL, dl};
    CHECK_STATUS(pinion_jacobian(x->m, x->w, x->q, frame, PINION_REFERENCE_LOCAL, J), PINION_OK);
    const pinion_status status = pinion_d_constrained_forward_dynamics(x->m, x->w, x->q, x->v, x->tau, NULL, frame,
                                                                       PINION_ACCELERATION_CLASSICAL, 3, A, b, &out);
    /* a link near the root may have fewer than three ways to go: that is refused, and nothing else is */
    const double ways = volume_of_three(n, J + 3 * n);
    CHECK_STATUS(status, ways > 1e-9 ? PINION_OK : ways < 1e-14 ? PINION_ERR_SINGULAR : status);
    if (status != PINION_OK) {
        free(J), free(da), free(dl), free(Y);
        return;
    }
    for (int i = 0; i < n * n; i++) {
        Y[i] = i % (n + 1) == 0 ? -1 : 0;
        for (int c = 0; c < 3; c++) Y[i] -= J[(3 + c) * n + i / n] * dl[c * n + i % n];
    }
    const double left = residual(n, x->M, da, Y);
    for (int c = 0; c < 3; c++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += J[(3 + c) * n + k] * da[k * n + j];
            for (int k = 0; k < n; k++) size = fmax(size, fabs(J[(3 + c) * n + k] * da[k * n + k]));
            off = fmax(off, fabs(sum));
        }
    check_count += 2;
    if (!(left <= 1e-11)) CHECK_FAIL("%s of %d velocities with constraints: off by %g", name, n, left);
    /* a frame that the constraints hold alone does not move at all */
    if (!(off <= 1e-11 * size || off < 1e-12))
        CHECK_FAIL("%s of %d velocities: the constraints by %g of %g", name, n, off, size);
    free(J), free(da), free(dl), free(Y);
}

static void check_model(pinion_model *m, const char *name, uint64_t *seed)
{
    subject x = {m, m ? pinion_work_new(m) : NULL, 0, NULL, NULL, NULL, NULL, NULL, {NULL}};
    if (!x.w) return;
    x.n = pinion_model_nv(m);
    const size_t n = (size_t)x.n, nn = n * n;
    double *D[3] = {numbers(nn), numbers(nn), numbers(nn)};
    x.q = numbers((size_t)pinion_model_nq(m));
    x.v = numbers(n);
    x.a = numbers(n);
    x.tau = numbers(n);
    x.M = numbers(nn);
    for (int k = 0; k < 3; k++) x.r[k] = numbers(nn);
    CHECK_STATUS(pinion_random(m, (uint64_t)(1e15 * check_uniform(seed)), x.q), PINION_OK);
    for (size_t i = 0; i < n; i++) x.v[i] = check_between(seed, -1, 1), x.tau[i] = check_between(seed, -5, 5);
    CHECK_STATUS(pinion_forward_dynamics(m, x.w, x.q, x.v, x.tau, NULL, x.a), PINION_OK);
    CHECK_STATUS(pinion_d_inverse_dynamics(m, x.w, x.q, x.v, x.a, NULL, x.r[0], x.r[1], x.M), PINION_OK);
    for (size_t i = 0; i < n; i++) x.r[2][i * (n + 1)] = -1;
    CHECK_STATUS(pinion_d_forward_dynamics(m, x.w, x.q, x.v, x.tau, NULL, D[0], D[1], D[2]), PINION_OK);
    check_solutions(&x, D, 1e-12, name, "a call");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) CHECK(D[2][i * n + j] == D[2][j * n + i]);

    /* what is not wanted is not needed for the rest */
    double *one = numbers(nn);
    for (int k = 0; k < 3; k++) {
        CHECK_STATUS(pinion_d_forward_dynamics(m, x.w, x.q, x.v, x.tau, NULL, k == 0 ? one : NULL, k == 1 ? one : NULL,
                                               k == 2 ? one : NULL),
                     PINION_OK);
        CHECK(check_error(one, D[k], nn, 1) < 1e-9);
    }
    check_batches(&x, name);
    check_constrained(&x, name);
    for (int k = 0; k < 3; k++) free(D[k]), free(x.r[k]);
    free(one), free(x.q), free(x.v), free(x.a), free(x.tau), free(x.M);
    pinion_work_free(x.w);
    pinion_model_free(m);
}

TEST(deep_trees)
{
    uint64_t seed = check_seed;
    for (int round = 0; round < check_rounds(4); round++)
        for (int shape = 0; shape < SHAPES; shape++) {
            /* spines that are not deep, too: the way to their base is in many pieces */
            const int every = round % 2, least = every ? 14 : shape == RIBS && round ? 56 : 26;
            const int joints = least + (int)check_between(&seed, 0, every ? 8 : 25);
            check_model(deep_model(shape, joints, every ? EVERY_TYPE : ONE_DOF, &seed), shape_names[shape], &seed);
        }
    printf("    worst residual %.2g\n", worst_seen);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(deep_trees);
    return CHECK_END();
}
