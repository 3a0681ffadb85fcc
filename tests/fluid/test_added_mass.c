/* Added mass in every quantity that it enters: against Kirchhoff's equations written out for each link by its Jacobian,
 * against identities, and against differences. */
#include "wet.h"

#define ROUNDS check_rounds(12)

/* rounding, with room for the condition of random M */
#define SMALL 1e-10

static void each(void (*one)(wet *x))
{
    for (int round = 0; round < ROUNDS; round++) {
        wet x;
        if (wet_make(&x, 1 + round, check_seed + (uint64_t)round)) one(&x);
        wet_free(&x);
    }
}

/* ---- against the Jacobians of links ---- */

static void the_matrix(wet *x)
{
    const int n = x->nv;
    double *M = numbers(n, n), *ref = numbers(n, n), *J = numbers(6, n), *U = numbers(n, n);
    CHECK_STATUS(pinion_mass_matrix(x->dry, x->dw, x->q, ref), PINION_OK);
    CHECK_STATUS(pinion_mass_matrix(x->m, x->w, x->q, M), PINION_OK);
    CHECK_STATUS(pinion_mass_matrix_upper(x->m, x->w, x->q, U), PINION_OK);
    for (int k = 0; k < x->count; k++) {
        CHECK_STATUS(pinion_jacobian(x->m, x->w, x->q, x->frame[k], PINION_REFERENCE_LOCAL, J), PINION_OK);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int r = 0; r < 6; r++)
                    for (int c = 0; c < 6; c++) ref[i * n + j] += J[r * n + i] * x->A[k][6 * r + c] * J[c * n + j];
    }
    CHECK_NEAR(check_error(M, ref, (size_t)(n * n), 1), 0, 1e-13);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            CHECK(M[i * n + j] == M[j * n + i]);
            CHECK(U[i * n + j] == (j < i ? 0 : M[i * n + j]));
        }
    double kinetic, twice = 0;
    CHECK_STATUS(pinion_energy(x->m, x->w, x->q, x->v, 0, &kinetic, NULL), PINION_OK);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) twice += x->v[i] * M[i * n + j] * x->v[j];
    CHECK_NEAR(kinetic, twice / 2, 1e-12 * (1 + twice));
    free(M), free(ref), free(J), free(U);
}

TEST(matrix)
{
    each(the_matrix);
}

static void the_forces(wet *x)
{
    const int n = x->nv;
    double *tau = numbers(n, 1), *ref = numbers(n, 1), *J = numbers(6, n);
    CHECK_STATUS(pinion_inverse_dynamics(x->dry, x->dw, x->q, x->v, x->a, NULL, ref), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(x->m, x->w, x->q, x->v, x->a, NULL, tau), PINION_OK);
    for (int k = 0; k < x->count; k++) {
        const pinion_reference local = PINION_REFERENCE_LOCAL;
        double v[6], a[6], p[6], f[6], g[6];
        CHECK_STATUS(pinion_jacobian(x->m, x->w, x->q, x->frame[k], local, J), PINION_OK);
        CHECK_STATUS(pinion_frame_velocity(x->m, x->w, x->q, x->v, x->frame[k], local, v), PINION_OK);
        CHECK_STATUS(pinion_frame_acceleration(x->m, x->w, x->q, x->v, x->a, x->frame[k], local,
                                               PINION_ACCELERATION_SPATIAL, a),
                     PINION_OK);
        times6(x->A[k], v, p);
        times6(x->A[k], a, f);
        cross_force(v, p, g);
        for (int i = 0; i < n; i++)
            for (int r = 0; r < 6; r++) ref[i] += J[r * n + i] * (f[r] + g[r]);
    }
    CHECK_NEAR(check_error(tau, ref, (size_t)n, 1), 0, 1e-12);
    /* no weight */
    CHECK_STATUS(pinion_gravity(x->dry, x->dw, x->q, ref), PINION_OK);
    CHECK_STATUS(pinion_gravity(x->m, x->w, x->q, tau), PINION_OK);
    CHECK_NEAR(check_error(tau, ref, (size_t)n, 1), 0, 1e-14);
    CHECK_STATUS(pinion_inverse_dynamics(x->m, x->w, x->q, NULL, NULL, NULL, tau), PINION_OK);
    CHECK_NEAR(check_error(tau, ref, (size_t)n, 1), 0, 1e-14);
    free(tau), free(ref), free(J);
}

TEST(forces)
{
    each(the_forces);
}

/* ---- identities ---- */

static void the_accelerations(wet *x)
{
    const int n = x->nv, bodies = pinion_model_body_count(x->m);
    double *a = numbers(n, 1), *tau = numbers(n, 1), *f_ext = numbers(bodies, 6), *b = numbers(n, 1);
    for (int i = 0; i < 6 * bodies; i++) f_ext[i] = check_between(&x->random, -3, 3);
    CHECK_STATUS(pinion_forward_dynamics(x->m, x->w, x->q, x->v, x->tau, f_ext, a), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(x->m, x->w, x->q, x->v, a, f_ext, tau), PINION_OK);
    CHECK_NEAR(check_error(tau, x->tau, (size_t)n, 1), 0, SMALL);
    for (int k = 0; k < pinion_algorithm_count(); k++) {
        pinion_algorithm_info info;
        pinion_error err;
        CHECK_STATUS(pinion_algorithm(k, &info), PINION_OK);
        if (pinion_algorithm_applies(k, x->m, &err) != PINION_OK) {
            if (pinion_algorithm_applies(k, x->dry, NULL) == PINION_OK) CHECK_HAS(err.message, "added mass");
            continue;
        }
        if (info.problem != PINION_PROBLEM_FORWARD_DYNAMICS) continue;
        CHECK_STATUS(pinion_forward_dynamics_by(x->m, x->w, k, x->q, x->v, x->tau, f_ext, b), PINION_OK);
        if (!(check_error(b, a, (size_t)n, 1) <= SMALL)) CHECK_FAIL("%s differs", info.name);
    }
    free(a), free(tau), free(f_ext), free(b);
}

TEST(accelerations)
{
    each(the_accelerations);
}

/* M^-1, operational space and factorizations by every algorithm that says it applies */
static void the_inverses(wet *x)
{
    const int n = x->nv, frame = x->frame[x->count - 1];
    double *M = numbers(n, n), *W = numbers(n, n), *y = numbers(n, 1), *J = numbers(6, n);
    CHECK_STATUS(pinion_mass_matrix(x->m, x->w, x->q, M), PINION_OK);
    CHECK_STATUS(pinion_jacobian(x->m, x->w, x->q, frame, PINION_REFERENCE_LOCAL, J), PINION_OK);
    for (int k = 0; k < pinion_algorithm_count(); k++) {
        pinion_algorithm_info info;
        CHECK_STATUS(pinion_algorithm(k, &info), PINION_OK);
        if (pinion_algorithm_applies(k, x->m, NULL) != PINION_OK) continue;
        if (info.problem == PINION_PROBLEM_MASS_MATRIX_INVERSE) {
            CHECK_STATUS(pinion_mass_matrix_inverse_by(x->m, x->w, k, x->q, W), PINION_OK);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    double sum = 0;
                    for (int e = 0; e < n; e++) sum += M[i * n + e] * W[e * n + j];
                    CHECK_NEAR(sum, i == j, SMALL);
                }
        } else if (info.problem == PINION_PROBLEM_FACTORIZATION) {
            double *F = calloc(pinion_factorization_size(x->m, k) + 1, sizeof *F);
            CHECK_STATUS(pinion_factorization_by(x->m, x->w, k, x->q, F), PINION_OK);
            for (int i = 0; i < n; i++) y[i] = x->tau[i];
            CHECK_STATUS(pinion_factorization_solve(x->m, x->w, k, F, x->tau, y), PINION_OK);
            for (int i = 0; i < n; i++) {
                double sum = 0;
                for (int e = 0; e < n; e++) sum += M[i * n + e] * y[e];
                CHECK_NEAR(sum, x->tau[i], SMALL);
            }
            free(F);
        } else if (info.problem == PINION_PROBLEM_OPERATIONAL_SPACE) {
            double inverse[36];
            const pinion_operational_parts o = {.inverse = inverse};
            CHECK_STATUS(pinion_operational_space_by(x->m, x->w, k, x->q, x->v, frame, PINION_REFERENCE_LOCAL, &o),
                         PINION_OK);
            CHECK_STATUS(pinion_mass_matrix_inverse(x->m, x->w, x->q, W), PINION_OK);
            for (int r = 0; r < 6; r++)
                for (int c = 0; c < 6; c++) {
                    double sum = 0;
                    for (int i = 0; i < n; i++)
                        for (int j = 0; j < n; j++) sum += J[r * n + i] * W[i * n + j] * J[c * n + j];
                    CHECK_NEAR(inverse[6 * r + c], sum, SMALL * (1 + fabs(sum)));
                }
        }
    }
    free(M), free(W), free(y), free(J);
}

TEST(inverses)
{
    each(the_inverses);
}

/* C v = bias - gravity, and dM/dt - 2 C is skew-symmetric: M by differences of the sixth order along the motion */
static void the_coriolis(wet *x)
{
    static const double weight[3] = {45, -9, 1};
    const int n = x->nv;
    const double h = 2e-3;
    double *C = numbers(n, n), *bias = numbers(n, 1), *g = numbers(n, 1), *dM = numbers(n, n), *M = numbers(n, n);
    double *q = numbers(x->nq, 1), *Cv = numbers(n, 1);
    CHECK_STATUS(pinion_coriolis(x->m, x->w, x->q, x->v, C), PINION_OK);
    CHECK_STATUS(pinion_bias(x->m, x->w, x->q, x->v, bias), PINION_OK);
    CHECK_STATUS(pinion_gravity(x->m, x->w, x->q, g), PINION_OK);
    for (int i = 0; i < n; i++) {
        bias[i] -= g[i];
        for (int j = 0; j < n; j++) Cv[i] += C[i * n + j] * x->v[j];
    }
    CHECK_NEAR(check_error(Cv, bias, (size_t)n, 1), 0, 1e-12);
    for (int k = 1; k <= 3; k++)
        for (int side = -1; side <= 1; side += 2) {
            CHECK_STATUS(pinion_integrate(x->m, x->q, x->v, side * k * h, q), PINION_OK);
            CHECK_STATUS(pinion_mass_matrix(x->m, x->w, q, M), PINION_OK);
            for (int i = 0; i < n * n; i++) dM[i] += side * weight[k - 1] / (60 * h) * M[i];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double S = dM[i * n + j] - 2 * C[i * n + j], T = dM[j * n + i] - 2 * C[j * n + i];
            CHECK_NEAR(S + T, 0, 1e-8 * (1 + fabs(S)));
        }
    free(C), free(bias), free(g), free(dM), free(M), free(q), free(Cv);
}

TEST(coriolis)
{
    each(the_coriolis);
}

/* ---- derivatives ---- */

/* inverse or forward dynamics at q (+) s dq, v + s dv, and a or tau + s dx */
static void at_point(wet *x, int forward, const double *dir, double s, double *out)
{
    const int n = x->nv;
    double *q = numbers(x->nq, 1), *v = numbers(n, 1), *u = numbers(n, 1);
    CHECK_STATUS(pinion_integrate(x->m, x->q, dir, s, q), PINION_OK);
    for (int i = 0; i < n; i++) {
        v[i] = x->v[i] + s * dir[n + i];
        u[i] = (forward ? x->tau : x->a)[i] + s * dir[2 * n + i];
    }
    if (forward)
        CHECK_STATUS(pinion_forward_dynamics(x->m, x->w, q, v, u, NULL, out), PINION_OK);
    else
        CHECK_STATUS(pinion_inverse_dynamics(x->m, x->w, q, v, u, NULL, out), PINION_OK);
    free(q), free(v), free(u);
}

static void the_derivatives_of(wet *x, int forward)
{
    static const double weight[3] = {45, -9, 1};
    const int n = x->nv;
    const double h = 2e-3;
    double *dir = numbers(3, n), *D = numbers(3 * n, n), *ref = numbers(n, 1), *y = numbers(n, 1), *z = numbers(3, n);
    double *row = numbers(n, 1), *other = numbers(3 * n, n);
    for (int i = 0; i < 3 * n; i++) dir[i] = check_between(&x->random, -1, 1);
    for (int i = 0; i < n; i++) row[i] = check_between(&x->random, -1, 1);

    /* by differences of the sixth order along a direction */
    for (int k = 1; k <= 3; k++)
        for (int side = -1; side <= 1; side += 2) {
            at_point(x, forward, dir, side * k * h, y);
            for (int i = 0; i < n; i++) ref[i] += side * weight[k - 1] / (60 * h) * y[i];
        }

    /* the matrices, by every algorithm */
    for (int k = 0; k < pinion_algorithm_count(); k++) {
        pinion_algorithm_info info;
        const pinion_problem problem =
            forward ? PINION_PROBLEM_D_FORWARD_DYNAMICS : PINION_PROBLEM_D_INVERSE_DYNAMICS;
        CHECK_STATUS(pinion_algorithm(k, &info), PINION_OK);
        if (info.problem != problem || pinion_algorithm_applies(k, x->m, NULL) != PINION_OK) continue;
        memset(D, 0, (size_t)(3 * n * n) * sizeof *D);
        if (forward)
            CHECK_STATUS(pinion_d_forward_dynamics_by(x->m, x->w, k, x->q, x->v, x->tau, NULL, D, D + n * n,
                                                      D + 2 * n * n),
                         PINION_OK);
        else
            CHECK_STATUS(pinion_d_inverse_dynamics_by(x->m, x->w, k, x->q, x->v, x->a, NULL, D, D + n * n,
                                                      D + 2 * n * n),
                         PINION_OK);
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int p = 0; p < 3; p++)
                for (int j = 0; j < n; j++) y[i] += D[p * n * n + i * n + j] * dir[p * n + j];
        }
        const double off = check_error(y, ref, (size_t)n, 1);
        if (!(off <= 1e-7)) CHECK_FAIL("%s: off by %g", info.name, off);
    }

    /* products with a column and with a row */
    const double *const d[3] = {dir, dir + n, dir + 2 * n};
    for (int i = 0; i < n; i++) {
        ref[i] = 0;
        for (int p = 0; p < 3; p++)
            for (int j = 0; j < n; j++) {
                ref[i] += D[p * n * n + i * n + j] * dir[p * n + j];
                other[p * n + j] += row[i] * D[p * n * n + i * n + j];
            }
    }
    if (forward) {
        CHECK_STATUS(pinion_forward_dynamics_jvp(x->m, x->w, x->q, x->v, x->tau, NULL, d[0], d[1], d[2], y), PINION_OK);
        CHECK_STATUS(pinion_forward_dynamics_vjp(x->m, x->w, x->q, x->v, x->tau, NULL, row, z, z + n, z + 2 * n),
                     PINION_OK);
    } else {
        CHECK_STATUS(pinion_inverse_dynamics_jvp(x->m, x->w, x->q, x->v, x->a, NULL, d[0], d[1], d[2], y), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics_vjp(x->m, x->w, x->q, x->v, x->a, NULL, row, z, z + n, z + 2 * n),
                     PINION_OK);
    }
    CHECK_NEAR(check_error(y, ref, (size_t)n, 1), 0, SMALL);
    CHECK_NEAR(check_error(z, other, (size_t)(3 * n), 1), 0, SMALL);
    free(dir), free(D), free(ref), free(y), free(z), free(row), free(other);
}

static void the_derivatives(wet *x)
{
    the_derivatives_of(x, 0);
    the_derivatives_of(x, 1);
}

TEST(derivatives)
{
    each(the_derivatives);
}

static void the_gradients(wet *x)
{
    static const double weight[3] = {45, -9, 1};
    const int n = x->nv;
    const double h = 2e-3;
    double *dq = numbers(n, 1), *dv = numbers(n, 1), *dV = numbers(n, 1), *q = numbers(x->nq, 1), *v = numbers(n, 1);
    CHECK_STATUS(pinion_d_energy(x->m, x->w, x->q, x->v, 0, dq, dv, dV), PINION_OK);
    double ref = 0, sum = 0;
    for (int k = 1; k <= 3; k++)
        for (int side = -1; side <= 1; side += 2) {
            double T, V;
            CHECK_STATUS(pinion_integrate(x->m, x->q, x->a, side * k * h, q), PINION_OK);
            for (int i = 0; i < n; i++) v[i] = x->v[i] + side * k * h * x->tau[i];
            CHECK_STATUS(pinion_energy(x->m, x->w, q, v, 0, &T, &V), PINION_OK);
            ref += side * weight[k - 1] / (60 * h) * (T + V);
        }
    for (int i = 0; i < n; i++) sum += (dq[i] + dV[i]) * x->a[i] + dv[i] * x->tau[i];
    CHECK_NEAR(sum, ref, 1e-7 * (1 + fabs(ref)));
    free(dq), free(dv), free(dV), free(q), free(v);
}

TEST(gradients)
{
    each(the_gradients);
}

/* ---- many states, and single precision ---- */

static void the_batches(wet *x)
{
    enum { COUNT = 9 };
    const int n = x->nv, nq = x->nq;
    double *q = numbers(COUNT, nq), *v = numbers(COUNT, n), *tau = numbers(COUNT, n), *a = numbers(COUNT, n);
    double *M = numbers(COUNT, n * n), *D = numbers(COUNT, n * n), *one = numbers(n, n);
    pinion_batch *b = pinion_batch_new(x->m, 1);
    for (int k = 0; k < COUNT; k++) {
        wet_state(x);
        memcpy(q + k * nq, x->q, (size_t)nq * sizeof *q);
        memcpy(v + k * n, x->v, (size_t)n * sizeof *v);
        memcpy(tau + k * n, x->tau, (size_t)n * sizeof *tau);
    }
    CHECK_STATUS(pinion_batch_forward_dynamics(b, COUNT, q, v, tau, NULL, a), PINION_OK);
    CHECK_STATUS(pinion_batch_mass_matrix(b, COUNT, q, M), PINION_OK);
    CHECK_STATUS(pinion_batch_d_forward_dynamics(b, COUNT, q, v, tau, NULL, D, NULL, NULL), PINION_OK);
    for (int k = 0; k < COUNT; k++) {
        CHECK_STATUS(pinion_forward_dynamics(x->m, x->w, q + k * nq, v + k * n, tau + k * n, NULL, one), PINION_OK);
        CHECK_NEAR(check_error(a + k * n, one, (size_t)n, 1), 0, SMALL);
        CHECK_STATUS(pinion_mass_matrix(x->m, x->w, q + k * nq, one), PINION_OK);
        CHECK_NEAR(check_error(M + k * n * n, one, (size_t)(n * n), 1), 0, SMALL);
        CHECK_STATUS(pinion_d_forward_dynamics(x->m, x->w, q + k * nq, v + k * n, tau + k * n, NULL, one, NULL, NULL),
                     PINION_OK);
        CHECK_NEAR(check_error(D + k * n * n, one, (size_t)(n * n), 1), 0, 1e-8);
    }
    pinion_batch_free(b);

    /* single precision: some hundred roundings of 6e-8 */
    pinion_work_f32 *w = pinion_work_f32_new(x->m);
    float *qf = calloc((size_t)nq + 1, sizeof *qf), *vf = calloc((size_t)n + 1, sizeof *vf);
    float *tf = calloc((size_t)n + 1, sizeof *tf);
    for (int i = 0; i < nq; i++) qf[i] = (float)x->q[i];
    for (int i = 0; i < n; i++) vf[i] = (float)x->v[i];
    CHECK_STATUS(pinion_bias_f32(x->m, w, qf, vf, tf), PINION_OK);
    CHECK_STATUS(pinion_bias(x->m, x->w, x->q, x->v, one), PINION_OK);
    for (int i = 0; i < n; i++) a[i] = tf[i];
    CHECK_NEAR(check_error(a, one, (size_t)n, 1), 0, 1e-4);
    pinion_work_f32_free(w);
    free(q), free(v), free(tau), free(a), free(M), free(D), free(one), free(qf), free(vf), free(tf);
}

TEST(batches)
{
    each(the_batches);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(matrix);
    RUN(forces);
    RUN(accelerations);
    RUN(inverses);
    RUN(coriolis);
    RUN(derivatives);
    RUN(gradients);
    RUN(batches);
    return CHECK_END();
}
