/* Derivatives by the complex step, to rounding and without a difference: with h = 1e-30 i along a direction
 * of the tangent space, the imaginary part of a result over 1e-30 is its derivative. They tie kernels
 * together that share no code: gravity is the gradient of the potential energy, a Jacobian the derivative of
 * a pose, M v that of the kinetic energy, and inverse dynamics what Lagrange's equations make of the
 * energies. */
#include "complex_trees.h"

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

TEST(gravity_is_the_gradient_of_the_potential_energy)
{
    uint64_t seed = check_seed;
    for (int i = 0; i <= ELASTIC; i++) {
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
    for (int i = 0; i <= ELASTIC; i++) {
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
    for (int i = 0; i <= ELASTIC; i++) {
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
    for (int i = 0; i <= ELASTIC; i++) {
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
    for (int i = 0; i < 13; i++) {
        scene s;
        pinion_model *m = i < 12 ? pinion_random_chain(1 + i, check_seed + (uint64_t)i, &err) : elastic_chain();
        if (!scene_open(&s, m, &seed)) return;
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

/* the derivative of a kernel's first result by entry d of q, v or its third input, at the state of the scene */
static void derivative(scene *s, int kernel, int by, int d, const cx *third, const cx *f_ext, cx *result)
{
    const int n = s->nv;
    cx *x = calloc((size_t)n + 1, sizeof(cx));
    for (int i = 0; i < n; i++) x[i] = third[i];
    for (int i = 0; i < s->nq; i++) s->q[i] = s->x.q[i];
    for (int i = 0; i < n; i++) s->v[i] = s->x.v[i];
    unit(n, d, s->e);
    if (by == 0) step(s->m, s->x.q, s->e, s->q);
    if (by == 1) s->v[d] += STEP * _Complex_I;
    if (by == 2) x[d] += STEP * _Complex_I;
    pn_io io = {.q = s->q, .v = s->v, .a = x, .tau = x, .f_ext = f_ext, .out = {result}};
    run(s->m, kernel, &io);
    free(x);
}

/* The matrices that an algorithm for derivatives gives, column by column, against those of rnea or of forward
 * dynamics. What solves with M may lose its condition, for which `tolerance` stands. */
static void check_derivatives(scene *s, int algorithm, double tolerance)
{
    const int n = s->nv, of_forward = pn_algorithms[algorithm].problem == PN_PROBLEM_d_forward_dynamics;
    const int kernel = !of_forward ? PN_K_rnea : s->m->n.followers ? PN_K_followers_fd : PN_K_aba;
    const size_t size = (size_t)(n * n) + 1;
    cx *D = calloc(3 * size, sizeof(cx)), *third = calloc((size_t)n + 1, sizeof(cx)),
       *result = calloc((size_t)n + 1, sizeof(cx)), *f_ext = calloc((size_t)(6 * s->m->n.bodies), sizeof(cx));
    cx margin = 1;
    double *x = calloc(size, sizeof(double)), *y = calloc(size, sizeof(double));
    for (int i = 0; i < s->nq; i++) s->q[i] = s->x.q[i];
    for (int i = 0; i < n; i++) s->v[i] = s->x.v[i];
    for (int i = 0; i < n; i++) third[i] = of_forward ? s->x.tau[i] : s->x.a[i];
    for (int i = 0; i < 6 * s->m->n.bodies; i++) f_ext[i] = s->x.f_ext[i];
    pn_io io = {.q = s->q, .v = s->v, .a = third, .tau = third, .f_ext = f_ext, .out = {D, D + size, D + 2 * size}};
    if (of_forward) io.out[1] = &margin, io.out[2] = D + size, io.out[3] = D + 2 * size;
    run(s->m, PN_FIRST_ALGORITHM + algorithm, &io);
    for (int by = 0; by < 3 && creal(margin) > 0; by++) {
        for (int d = 0; d < n; d++) {
            derivative(s, kernel, by, d, third, f_ext, result);
            for (int i = 0; i < n; i++) y[i * n + d] = cimag(result[i]) / STEP;
        }
        for (int i = 0; i < n * n; i++) x[i] = creal(D[(size_t)by * size + (size_t)i]);
        const double error = check_error(x, y, (size_t)(n * n), 1e-3);
        check_count++;
        if (!(error < tolerance))
            CHECK_FAIL("%s, nv %d, matrix %d: %g from the complex step", pn_algorithms[algorithm].name, n, by, error);
    }
    free(D);
    free(third);
    free(result);
    free(f_ext);
    free(x);
    free(y);
}

/* M's condition is that of what the complex step solves with, too: it is 1e6 and more on these trees */
TEST(derivatives_of_dynamics)
{
    uint64_t seed = check_seed + 6;
    int tried = 0;
    for (int i = 0; i < 25; i++) {
        scene s;
        if (!scene_open(&s, i < 24 ? tree(i % 13) : elastic_chain(), &seed)) return;
        for (int a = 0; a < PN_ALGORITHM_COUNT; a++) {
            const int problem = pn_algorithms[a].problem;
            const int ours = problem == PN_PROBLEM_d_inverse_dynamics || problem == PN_PROBLEM_d_forward_dynamics;
            if (!ours || pinion_algorithm_applies(a, s.m, NULL) != PINION_OK) continue;
            check_derivatives(&s, a, problem == PN_PROBLEM_d_inverse_dynamics ? 1e-13 : 1e-10);
            tried++;
        }
        scene_close(&s);
    }
    CHECK(tried > 60);
}

/* a row times the matrices, and these times columns, against the products that never form them */
TEST(products_with_rows_and_columns)
{
    uint64_t seed = check_seed + 7;
    for (int i = 0; i < 26; i++) {
        scene s;
        if (!scene_open(&s, tree(i % 13), &seed)) return;
        const size_t n = (size_t)s.nv;
        double *D = calloc(3 * n * n + 1, sizeof(double)), *row = calloc(n + 1, sizeof(double)),
               *got = calloc(3 * n + 1, sizeof(double)), *expected = calloc(3 * n + 1, sizeof(double));
        for (size_t j = 0; j < n; j++) row[j] = check_between(&seed, -1, 1);
        for (int forward = 0; forward < 2; forward++) {
            const double *x = forward ? s.x.tau : s.x.a;
            pinion_status (*const all)(const pinion_model *, pinion_work *, const double *, const double *,
                                       const double *, const double *, double *, double *, double *) =
                forward ? pinion_d_forward_dynamics : pinion_d_inverse_dynamics;
            pinion_status (*const product)(const pinion_model *, pinion_work *, const double *, const double *,
                                           const double *, const double *, const double *, double *, double *,
                                           double *) =
                forward ? pinion_forward_dynamics_vjp : pinion_inverse_dynamics_vjp;
            const pinion_status status = all(s.m, s.w, s.x.q, s.x.v, x, s.x.f_ext, D, D + n * n, D + 2 * n * n);
            CHECK_STATUS(product(s.m, s.w, s.x.q, s.x.v, x, s.x.f_ext, row, got, got + n, got + 2 * n), status);
            if (status != PINION_OK) continue;

            /* along three directions: the row, v and a */
            const double *along[3] = {row, s.x.v, s.x.a};
            for (size_t r = 0; r < n; r++) {
                expected[r] = 0;
                for (size_t k = 0; k < 3 * n; k++)
                    expected[r] += D[k / n * n * n + r * n + k % n] * along[k / n][k % n];
            }
            const double *v = s.x.v, *f = s.x.f_ext;
            if (forward)
                CHECK_STATUS(pinion_forward_dynamics_jvp(s.m, s.w, s.x.q, v, x, f, row, v, s.x.a, s.row), PINION_OK);
            else
                CHECK_STATUS(pinion_inverse_dynamics_jvp(s.m, s.w, s.x.q, v, x, f, row, v, s.x.a, s.row), PINION_OK);
            CHECK_NEAR(check_error(s.row, expected, n, 1e-3), 0, forward ? 1e-10 : 1e-13);
            for (size_t j = 0; j < 3 * n; j++) {
                expected[j] = 0;
                for (size_t k = 0; k < n; k++) expected[j] += row[k] * D[j / n * n * n + k * n + j % n];
            }
            for (int part = 0; part < 3; part++) {
                const double error = check_error(got + (size_t)part * n, expected + (size_t)part * n, n, 1e-3);
                check_count++;
                if (!(error < (forward ? 1e-10 : 1e-13)))
                    CHECK_FAIL("nv %d, %s, part %d: %g", s.nv, forward ? "forward" : "inverse", part, error);
            }
        }
        free(D);
        free(row);
        free(got);
        free(expected);
        scene_close(&s);
    }
}

/* every column of d_frame, in all references and kinds of acceleration, and of d_passive_forces */
TEST(derivatives_of_frames_and_passive_forces)
{
    uint64_t seed = check_seed + 8;
    for (int i = 0; i < 20; i++) {
        scene s;
        if (!scene_open(&s, tree(i), &seed)) return;
        const int n = s.nv, frame = s.m->n.frames - 1;
        cx *third = calloc((size_t)n + 1, sizeof(cx)), V[6], A[6], *tau = calloc((size_t)n + 1, sizeof(cx));
        double *D = calloc((size_t)(30 * n) + 1, sizeof(double)), *P = calloc((size_t)(2 * n * n) + 1, sizeof(double));
        CHECK_STATUS(pinion_d_passive_forces(s.m, s.w, s.x.q, s.x.v, P, P + n * n), PINION_OK);
        for (int way = 0; way < 6; way++) {
            const int reference = way % 3, kind = way / 3;
            CHECK_STATUS(pinion_d_frame(s.m, s.w, s.x.q, s.x.v, s.x.a, frame, (pinion_reference)reference,
                                        (pinion_acceleration)kind, D, D + 6 * n, D + 12 * n, D + 18 * n, D + 24 * n),
                         PINION_OK);
            for (int by = 0; by < 3; by++)
                for (int d = 0; d < n; d++) {
                    for (int j = 0; j < n; j++) third[j] = s.x.a[j] + (by == 2 && j == d) * STEP * _Complex_I;
                    for (int j = 0; j < n; j++) s.v[j] = s.x.v[j] + (by == 1 && j == d) * STEP * _Complex_I;
                    for (int j = 0; j < s.nq; j++) s.q[j] = s.x.q[j];
                    unit(n, d, s.e);
                    if (by == 0) step(s.m, s.x.q, s.e, s.q);
                    pn_io io = {.q = s.q, .v = s.v, .a = third, .out = {V}, .frame = frame, .reference = reference,
                                .option = kind};
                    run(s.m, PN_K_velocity, &io);
                    io.out[0] = A;
                    run(s.m, PN_K_acceleration, &io);
                    io.out[0] = tau;
                    run(s.m, PN_K_passive, &io);
                    for (int e = 0; e < 6; e++) {
                        if (by < 2) CHECK_NEAR(D[6 * n * by + e * n + d], cimag(V[e]) / STEP, 1e-12 * (1 + cabs(V[e])));
                        const double y = cimag(A[e]) / STEP;
                        CHECK_NEAR(D[6 * n * (2 + by) + e * n + d], y, 1e-12 * (10 + fabs(y)));
                    }
                    for (int j = 0; way == 0 && by < 2 && j < n; j++)
                        CHECK_NEAR(P[n * n * by + j * n + d], cimag(tau[j]) / STEP, 1e-12 * (1 + cabs(tau[j])));
                }
        }
        free(third);
        free(tau);
        free(D);
        free(P);
        scene_close(&s);
    }
}

/* gradients at a state of the scene's model, `size` numbers; the option is with or without springs */
typedef void gradients(const scene *s, const state *x, int option, double *D);

/* how far numbers [at, at + n) of gradients go where the state is shaken */
static double moved(const scene *s, gradients *by, int option, size_t size, const double *D, size_t at, size_t n)
{
    uint64_t seed = check_seed;
    double *other = calloc(size + 1, sizeof(double)), most = 0;
    for (int k = 0; k < SHAKES; k++) {
        state y = state_shaken(s->m, &s->x, 0x1p-53, &seed);
        by(s, &y, option, other);
        most = fmax(most, check_error(other + at, D + at, n, 1e-3));
        free(y.q);
    }
    free(other);
    return most;
}

/* Numbers [at, at + n) of gradients D against the complex step's. Beyond the tolerance they must be such that a state
 * off by rounding moves them as much. */
static void check_gradient(const scene *s, const char *what, gradients *by, int option, int size, const double *D,
                           const double *y, int at, int n, double tolerance)
{
    const double error = check_error(D + at, y + at, (size_t)n, 1e-3);
    check_count++;
    if (error < tolerance) return;
    const double shaken = moved(s, by, option, (size_t)size, D, (size_t)at, (size_t)n);
    if (!(error <= SHAKEN_TIMES * shaken))
        CHECK_FAIL("%s, %d numbers: %g from the complex step, %g where the state is shaken", what, n, error, shaken);
}

/* of the kinetic energy by q and v, the potential one by q, the momentum by q and v: 15 nv numbers */
static void energies_and_momentum(const scene *s, const state *x, int springs, double *D)
{
    const int n = s->nv;
    CHECK_STATUS(pinion_d_energy(s->m, s->w, x->q, x->v, springs, D, D + n, D + 2 * n), PINION_OK);
    CHECK_STATUS(pinion_d_momentum(s->m, s->w, x->q, x->v, D + 3 * n, D + 9 * n), PINION_OK);
}

/* every column of d_energy and d_momentum */
TEST(gradients_of_energies_and_momentum)
{
    uint64_t seed = check_seed + 10;
    for (int i = 0; i < 20; i++) {
        scene s;
        if (!scene_open(&s, tree(i), &seed)) return;
        const int n = s.nv;
        double *D = calloc((size_t)(15 * n) + 1, sizeof(double)), *y = calloc((size_t)(15 * n) + 1, sizeof(double));
        for (int passive = 0; passive < 2; passive++) {
            energies_and_momentum(&s, &s.x, passive, D);
            for (int by = 0; by < 2; by++)
                for (int d = 0; d < n; d++) {
                    cx h[6];
                    for (int j = 0; j < n; j++) s.v[j] = s.x.v[j] + (by == 1 && j == d) * STEP * _Complex_I;
                    for (int j = 0; j < s.nq; j++) s.q[j] = s.x.q[j];
                    unit(n, d, s.e);
                    if (by == 0) step(s.m, s.x.q, s.e, s.q);
                    y[by * n + d] = cimag(kinetic(s.m, s.q, s.v)) / STEP;
                    if (by == 0) y[2 * n + d] = cimag(potential(s.m, s.q, passive)) / STEP;
                    pn_io io = {.q = s.q, .v = s.v, .out = {h}};
                    run(s.m, PN_K_momentum, &io);
                    for (int e = 0; e < 6; e++) y[(3 + 6 * by + e) * n + d] = cimag(h[e]) / STEP;
                }
            gradients *const by = energies_and_momentum;
            check_gradient(&s, "kinetic energy by q", by, passive, 15 * n, D, y, 0, n, 1e-13);
            check_gradient(&s, "kinetic energy by v", by, passive, 15 * n, D, y, n, n, 1e-13);
            check_gradient(&s, "potential energy by q", by, passive, 15 * n, D, y, 2 * n, n, 1e-13);
            check_gradient(&s, "momentum by q", by, passive, 15 * n, D, y, 3 * n, 6 * n, 1e-13);
            check_gradient(&s, "momentum by v", by, passive, 15 * n, D, y, 9 * n, 6 * n, 1e-13);
        }

        /* at rest all but gravity's is zero, and A is what it is */
        CHECK_STATUS(pinion_d_energy(s.m, s.w, s.x.q, NULL, 1, D, D + n, NULL), PINION_OK);
        CHECK_STATUS(pinion_d_momentum(s.m, s.w, s.x.q, NULL, D + 3 * n, D + 9 * n), PINION_OK);
        for (int j = 0; j < 2 * n; j++) CHECK(D[j] == 0);
        for (int j = 0; j < 6 * n; j++) CHECK(D[3 * n + j] == 0);
        check_gradient(&s, "momentum by v", energies_and_momentum, 0, 15 * n, D, y, 9 * n, 6 * n, 1e-13);
        free(D);
        free(y);
        scene_close(&s);
    }
}

static void accelerations_by_forces(const scene *s, const state *x, int option, double *D)
{
    (void)option;
    CHECK_STATUS(pinion_d_forward_dynamics_f_ext(s->m, s->w, x->q, D), PINION_OK);
}

/* a is linear in the forces: steps along them need not be small, but they cost no digits so */
TEST(forward_dynamics_by_forces_on_bodies)
{
    uint64_t seed = check_seed + 11;
    int tried = 0;
    for (int i = 0; i < 20; i++) {
        scene s;
        if (!scene_open(&s, tree(i), &seed)) return;
        const int n = s.nv, forces = 6 * s.m->n.bodies;
        const size_t size = (size_t)(n * forces) + 1;
        double *D = calloc(size, sizeof(double)), *y = calloc(size, sizeof(double));
        cx *f_ext = calloc((size_t)forces, sizeof(cx)), *a = calloc((size_t)n + 1, sizeof(cx));
        const pinion_status status = pinion_d_forward_dynamics_f_ext(s.m, s.w, s.x.q, D);
        for (int j = 0; j < s.nq; j++) s.q[j] = s.x.q[j];
        for (int d = 0; status == PINION_OK && d < forces; d++) {
            for (int j = 0; j < forces; j++) f_ext[j] = s.x.f_ext[j] + (j == d) * STEP * _Complex_I;
            pn_io io = {.q = s.q, .f_ext = f_ext, .out = {a}};
            run(s.m, s.m->n.followers ? PN_K_followers_fd : PN_K_aba, &io);
            for (int j = 0; j < n; j++) y[j * forces + d] = cimag(a[j]) / STEP;
            tried++;
        }
        if (status == PINION_OK)
            check_gradient(&s, "accelerations by f_ext", accelerations_by_forces, 0, n * forces, D, y, 0, n * forces,
                           1e-12);
        free(D);
        free(y);
        free(f_ext);
        free(a);
        scene_close(&s);
    }
    CHECK(tried > 500);
}

/* how joint forces change along a motion: all arguments move on at once */
TEST(rates_of_inverse_dynamics)
{
    uint64_t seed = check_seed;
    for (int i = 0; i < 20; i++) {
        scene s;
        if (!scene_open(&s, tree(i), &seed)) return;
        pinion_elastic_joints *x = pinion_elastic_joints_new(s.m);
        cx *a = calloc((size_t)s.nv + 1, sizeof(cx)), *tau = calloc((size_t)s.nv + 1, sizeof(cx));
        const double *jerk = s.x.tau;
        const pinion_status status =
            pinion_inverse_dynamics_rates(x, s.x.q, s.x.v, s.x.a, jerk, NULL, NULL, s.row, NULL);
        step(s.m, s.x.q, s.x.v, s.q);
        for (int k = 0; k < s.nv; k++) {
            s.v[k] = s.x.v[k] + s.x.a[k] * STEP * _Complex_I;
            a[k] = s.x.a[k] + jerk[k] * STEP * _Complex_I;
        }
        pn_io io = {.q = s.q, .v = s.v, .a = a, .out = {tau}};
        run(s.m, PN_K_rnea, &io);
        for (int k = 0; k < s.nv; k++) s.e[k] = cimag(tau[k]) / STEP;
        if (status == PINION_OK) CHECK_NEAR(check_error(s.row, s.e, (size_t)s.nv, 1), 0, 1e-12);
        free(a);
        free(tau);
        pinion_elastic_joints_free(x);
        scene_close(&s);
        /* without C++ there is none */
        if (status == PINION_ERR_UNSUPPORTED) return;
        CHECK_STATUS(status, PINION_OK);
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
    RUN(derivatives_of_dynamics);
    RUN(products_with_rows_and_columns);
    RUN(derivatives_of_frames_and_passive_forces);
    RUN(gradients_of_energies_and_momentum);
    RUN(forward_dynamics_by_forces_on_bodies);
    RUN(rates_of_inverse_dynamics);
    return CHECK_END();
}
