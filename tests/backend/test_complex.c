/* Derivatives by the complex step, to rounding and without a difference: with h = 1e-30 i along a direction
 * of the tangent space, the imaginary part of a result over 1e-30 is its derivative. They tie kernels
 * together that share no code: gravity is the gradient of the potential energy, a Jacobian the derivative of
 * a pose, M v that of the kinetic energy, and inverse dynamics what Lagrange's equations make of the
 * energies. */
#include <complex.h>
#include "backend.h"

extern const pn_backend instance_complex;
typedef double _Complex cx;
#define STEP 1e-30

static void run(const pinion_model *m, int kernel, pn_io *io)
{
    pn_ctx k = pn_context(m, sizeof(double), NULL);
    void *work = malloc(sizeof(cx) * all_reals(m));
    k.work = work;
    instance_complex.kernel[kernel](&k, io);
    free(work);
}

/* q (+) i STEP direction */
static void step(const pinion_model *m, const double *q, const double *direction, cx *out)
{
    cx *from = calloc((size_t)m->n.nq + 1, sizeof(cx)), *d = calloc((size_t)m->n.nv + 1, sizeof(cx));
    for (int i = 0; i < m->n.nq; i++) from[i] = q[i];
    for (int i = 0; i < m->n.nv; i++) d[i] = direction[i] * STEP * _Complex_I;
    pn_io io = {.q = from, .v = d, .out = {out}, .dt = 1};
    run(m, PN_K_integrate, &io);
    free(from);
    free(d);
}

static void unit(int n, int i, double *e)
{
    for (int j = 0; j < n; j++) e[j] = j == i;
}

static cx potential(const pinion_model *m, const cx *q, int springs)
{
    cx V = 0;
    pn_io io = {.q = q, .out = {NULL, &V}, .option = springs};
    run(m, PN_K_energy, &io);
    return V;
}

static cx kinetic(const pinion_model *m, const cx *q, const cx *v)
{
    cx T = 0;
    pn_io io = {.q = q, .v = v, .out = {&T, NULL}};
    run(m, PN_K_energy, &io);
    return T;
}

typedef struct scene {
    pinion_model *m;
    pinion_work *w;
    state x;
    int nq, nv;
    cx *q, *v;
    double *e, *row;
} scene;

static int scene_open(scene *s, pinion_model *m, uint64_t *seed)
{
    CHECK(m != NULL);
    if (!m) return 0;
    s->m = m;
    s->w = pinion_work_new(m);
    s->x = state_new(m, seed);
    s->nq = m->n.nq;
    s->nv = m->n.nv;
    s->q = calloc((size_t)s->nq + 1, sizeof(cx));
    s->v = calloc((size_t)s->nv + 1, sizeof(cx));
    s->e = calloc((size_t)s->nv + 1, sizeof(double));
    s->row = calloc((size_t)s->nv + 1, sizeof(double));
    return 1;
}

static void scene_close(scene *s)
{
    free(s->q);
    free(s->v);
    free(s->e);
    free(s->row);
    free(s->x.q);
    pinion_work_free(s->w);
    pinion_model_free(s->m);
}

static pinion_model *tree(int i)
{
    pinion_error err;
    return pinion_random_tree(1 + i, i % 2, check_seed + (uint64_t)i, &err);
}

TEST(gravity_is_the_gradient_of_the_potential_energy)
{
    uint64_t seed = check_seed;
    for (int i = 0; i < 20; i++) {
        scene s;
        if (!scene_open(&s, tree(i), &seed)) return;
        double *tau = calloc((size_t)s.nv + 1, sizeof(double));
        CHECK_STATUS(pinion_gravity(s.m, s.w, s.x.q, tau), PINION_OK);
        for (int d = 0; d < s.nv; d++) {
            unit(s.nv, d, s.e);
            step(s.m, s.x.q, s.e, s.q);
            s.row[d] = cimag(potential(s.m, s.q, 0)) / STEP;
        }
        CHECK_NEAR(check_error(s.row, tau, (size_t)s.nv, 1), 0, 1e-12);
        free(tau);
        scene_close(&s);
    }
}

TEST(springs_pull_along_their_energy_s_gradient)
{
    uint64_t seed = check_seed + 2;
    for (int i = 0; i < 20; i++) {
        scene s;
        if (!scene_open(&s, tree(i), &seed)) return;
        double *tau = calloc((size_t)s.nv + 1, sizeof(double));
        CHECK_STATUS(pinion_passive_forces(s.m, s.w, s.x.q, NULL, tau), PINION_OK);
        for (int d = 0; d < s.nv; d++) {
            unit(s.nv, d, s.e);
            step(s.m, s.x.q, s.e, s.q);
            s.row[d] = -cimag(potential(s.m, s.q, 1) - potential(s.m, s.q, 0)) / STEP;
        }
        CHECK_NEAR(check_error(s.row, tau, (size_t)s.nv, 1), 0, 1e-11);
        free(tau);
        scene_close(&s);
    }
}

TEST(momentum_M_v_is_the_derivative_of_the_kinetic_energy)
{
    uint64_t seed = check_seed + 3;
    for (int i = 0; i < 20; i++) {
        scene s;
        if (!scene_open(&s, tree(i), &seed)) return;
        double *M = calloc((size_t)(s.nv * s.nv) + 1, sizeof(double)),
               *Mv = calloc((size_t)s.nv + 1, sizeof(double));
        CHECK_STATUS(pinion_mass_matrix(s.m, s.w, s.x.q, M), PINION_OK);
        for (int j = 0; j < s.nq; j++) s.q[j] = s.x.q[j];
        for (int d = 0; d < s.nv; d++) {
            for (int j = 0; j < s.nv; j++) {
                Mv[d] += M[d * s.nv + j] * s.x.v[j];
                s.v[j] = s.x.v[j] + (j == d) * STEP * _Complex_I;
            }
            s.row[d] = cimag(kinetic(s.m, s.q, s.v)) / STEP;
        }
        CHECK_NEAR(check_error(s.row, Mv, (size_t)s.nv, 1), 0, 1e-12);
        free(M);
        free(Mv);
        scene_close(&s);
    }
}

/* position: dp = J_linear; orientation: the vector of R' dR = J_angular in the frame's own axes */
TEST(jacobians_are_the_derivatives_of_poses)
{
    uint64_t seed = check_seed + 4;
    for (int i = 0; i < 20; i++) {
        scene s;
        if (!scene_open(&s, tree(i), &seed)) return;
        const int frame = s.m->n.frames - 1;
        double *J = calloc((size_t)(12 * s.nv) + 1, sizeof(double)), *L = J + 6 * s.nv;
        CHECK_STATUS(pinion_jacobian(s.m, s.w, s.x.q, frame, PINION_REFERENCE_WORLD_ALIGNED, J), PINION_OK);
        CHECK_STATUS(pinion_jacobian(s.m, s.w, s.x.q, frame, PINION_REFERENCE_LOCAL, L), PINION_OK);
        for (int d = 0; d < s.nv; d++) {
            cx p[3], Q[9];
            pn_io io = {.q = s.q, .out = {p, Q}, .frame = frame};
            unit(s.nv, d, s.e);
            step(s.m, s.x.q, s.e, s.q);
            run(s.m, PN_K_frames, &io);
            for (int k = 0; k < 3; k++) {
                /* entry (k + 2, k + 1) of R' dR */
                const int a = (k + 2) % 3, b = (k + 1) % 3;
                double w = 0;
                for (int r = 0; r < 3; r++) w += creal(Q[3 * r + a]) * cimag(Q[3 * r + b]) / STEP;
                CHECK_NEAR(cimag(p[k]) / STEP, J[(3 + k) * s.nv + d], 1e-12);
                CHECK_NEAR(w, L[k * s.nv + d], 1e-12);
            }
        }
        free(J);
        scene_close(&s);
    }
}

/* tau = d/dt (dT/dv) - dT/dq + dV/dq for coordinates whose velocities are their derivatives: revolute chains
 */
TEST(inverse_dynamics_is_what_lagrange_says)
{
    uint64_t seed = check_seed + 5;
    pinion_error err;
    for (int i = 0; i < 12; i++) {
        scene s;
        if (!scene_open(&s, pinion_random_chain(1 + i, check_seed + (uint64_t)i, &err), &seed)) return;
        const int nv = s.nv;
        double *tau = calloc((size_t)nv + 1, sizeof(double)),
               *M = calloc((size_t)(nv * nv) + 1, sizeof(double));
        cx *Mc = calloc((size_t)(nv * nv) + 1, sizeof(cx));
        CHECK_STATUS(pinion_inverse_dynamics(s.m, s.w, s.x.q, s.x.v, s.x.a, NULL, tau), PINION_OK);
        CHECK_STATUS(pinion_mass_matrix(s.m, s.w, s.x.q, M), PINION_OK);
        /* M a + (dM/dt) v */
        step(s.m, s.x.q, s.x.v, s.q);
        pn_io io = {.q = s.q, .out = {Mc}};
        run(s.m, PN_K_crba, &io);
        for (int d = 0; d < nv; d++) {
            s.row[d] = 0;
            for (int j = 0; j < nv; j++)
                s.row[d] += M[d * nv + j] * s.x.a[j] + cimag(Mc[d * nv + j]) / STEP * s.x.v[j];
        }
        for (int j = 0; j < nv; j++) s.v[j] = s.x.v[j];
        for (int d = 0; d < nv; d++) {
            unit(nv, d, s.e);
            step(s.m, s.x.q, s.e, s.q);
            s.row[d] += cimag(potential(s.m, s.q, 0) - kinetic(s.m, s.q, s.v)) / STEP;
        }
        CHECK_NEAR(check_error(s.row, tau, (size_t)nv, 1), 0, 1e-12);
        free(tau);
        free(M);
        free(Mc);
        scene_close(&s);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(gravity_is_the_gradient_of_the_potential_energy);
    RUN(springs_pull_along_their_energy_s_gradient);
    RUN(momentum_M_v_is_the_derivative_of_the_kinetic_energy);
    RUN(jacobians_are_the_derivatives_of_poses);
    RUN(inverse_dynamics_is_what_lagrange_says);
    return CHECK_END();
}
