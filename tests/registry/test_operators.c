/* The global matrices of the papers: the equations that define them, and what the kernels compute in other
 * ways. */
#include "identity/identity.h"
#include "pinion/research/operators.h"

#define TOLERANCE 1e-11

typedef struct matrix {
    int rows, columns;
    double *x;
} matrix;

static matrix operator_at(subject *s, pinion_operator op, const double *q, const double *v)
{
    matrix A = {0, 0, NULL};
    FINE(s, pinion_operator_size(s->m, op, &A.rows, &A.columns));
    A.x = take_matrix(s, A.rows, A.columns);
    FINE(s, pinion_operator_matrix(s->m, s->w, op, q, v, A.x));
    return A;
}

#define OPERATOR(s, op) operator_at(s, PINION_OPERATOR_##op, (s)->q, (s)->v)

/* A B and A' B */
static matrix product(subject *s, matrix A, matrix B)
{
    matrix C = {A.rows, B.columns, take_matrix(s, A.rows, B.columns)};
    CHECK(A.columns == B.rows);
    for (int i = 0; i < A.rows; i++)
        for (int k = 0; k < A.columns; k++)
            for (int j = 0; j < B.columns; j++)
                C.x[i * C.columns + j] += A.x[i * A.columns + k] * B.x[k * B.columns + j];
    return C;
}

static matrix transposed(subject *s, matrix A)
{
    matrix C = {A.columns, A.rows, take_matrix(s, A.columns, A.rows)};
    for (int i = 0; i < A.rows; i++)
        for (int j = 0; j < A.columns; j++) C.x[j * A.rows + i] = A.x[i * A.columns + j];
    return C;
}

static matrix sum(subject *s, matrix A, matrix B)
{
    matrix C = {A.rows, A.columns, take_matrix(s, A.rows, A.columns)};
    for (int i = 0; i < A.rows * A.columns; i++) C.x[i] = A.x[i] + B.x[i];
    return C;
}

#define SAME(s, A, B)                                                                                        \
    do {                                                                                                     \
        const matrix same_a = (A), same_b = (B);                                                             \
        CHECK(same_a.rows == same_b.rows && same_a.columns == same_b.columns);                               \
        CLOSE(s, same_a.x, same_b.x, same_a.rows *same_a.columns, 1, TOLERANCE);                             \
    } while (0)

/* ---- Featherstone & Orin, section 3.5 ---- */

static void check_newton_euler_factorization(subject *s)
{
    const matrix P = OPERATOR(s, P), H = OPERATOR(s, H), S = OPERATOR(s, S), I = OPERATOR(s, I);
    SAME(s, product(s, P, S), H);

    /* M = S' I S, and what rotors add */
    matrix M = {s->nv, s->nv, take_matrix(s, s->nv, s->nv)};
    FINE(s, pinion_mass_matrix(s->m, s->w, s->q, M.x));
    SAME(s, sum(s, product(s, transposed(s, S), product(s, I, S)), OPERATOR(s, ROTORS)), M);

    /* S is made of Jacobians */
    for (int b = 1; b < s->bodies; b++) {
        pinion_body_info body;
        double *J = take_matrix(s, 6, s->nv);
        FINE(s, pinion_model_body(s->m, b, &body));
        FINE(s, pinion_jacobian(s->m, s->w, s->q, body.link, PINION_REFERENCE_WORLD, J));
        CLOSE(s, S.x + 6 * (b - 1) * s->nv, J, 6 * s->nv, 1, TOLERANCE);
    }
}

TEST(mass_matrix_from_P_H_and_I)
{
    for_models(check_newton_euler_factorization);
}

/* T' S = 0, and the columns of T are independent: T' T has a Cholesky factor with pivots well above zero. */
static void check_constraint_forces(subject *s)
{
    const matrix T = OPERATOR(s, T), S = OPERATOR(s, S), zero = product(s, transposed(s, T), S);
    const double size = 1 + largest(S.x, S.rows * S.columns) * (1 + largest(T.x, T.rows * T.columns));
    CHECK_NEAR(largest(zero.x, zero.rows * zero.columns) / size, 0, TOLERANCE);

    /* with one column for each direction that some joint does not allow */
    int dofs = 0;
    for (int b = 1; b < s->bodies; b++) {
        pinion_body_info body;
        pinion_joint_info joint;
        FINE(s, pinion_model_body(s->m, b, &body));
        FINE(s, pinion_model_joint(s->m, body.joint, &joint));
        dofs += pinion_joint_type_nv(joint.type);
    }
    CHECK(T.columns == T.rows - dofs);
    const int n = T.columns;
    matrix G = product(s, transposed(s, T), T);
    for (int r = 0; r < n; r++)
        for (int c = 0; c <= r; c++) {
            double x = G.x[r * n + c];
            for (int e = 0; e < c; e++) x -= G.x[r * n + e] * G.x[c * n + e];
            if (c == r && !(x > 1e-6)) {
                CHECK_FAIL("%s: column %d of T depends on those before it: %g", s->name, r, x);
                return;
            }
            G.x[r * n + c] = c < r ? x / G.x[c * n + c] : sqrt(x);
        }
}

TEST(constraint_forces_do_no_work)
{
    for_random_trees(1, 1, check_constraint_forces);
    for_random_chains(1, 1, check_constraint_forces);
    for_bundled_models(2, check_constraint_forces);
}

/* ---- Saha ---- */

static void check_decoupled_complement(subject *s)
{
    const matrix N_l = OPERATOR(s, N_L), N_d = OPERATOR(s, N_D), N = OPERATOR(s, N), M = OPERATOR(s, M);
    SAME(s, product(s, N_l, N_d), N);
    const matrix MN = product(s, M, N), GIM = OPERATOR(s, GIM), M_tilde = OPERATOR(s, M_TILDE);
    SAME(s, product(s, transposed(s, N), MN), GIM);
    SAME(s, product(s, transposed(s, N_l), product(s, M, N_l)), M_tilde);
    SAME(s, product(s, transposed(s, N_d), product(s, M_tilde, N_d)), GIM);

    matrix whole = {s->nv, s->nv, take_matrix(s, s->nv, s->nv)};
    FINE(s, pinion_mass_matrix(s->m, s->w, s->q, whole.x));
    SAME(s, sum(s, GIM, OPERATOR(s, ROTORS)), whole);

    /* the momentum of the twists N v is that of the mass centre */
    double *t = take(s, N.rows), momentum[3] = {0}, position[3], velocity[3];
    times(N.x, s->v, N.rows, N.columns, t);
    FINE(s, pinion_center_of_mass(s->m, s->w, s->q, s->v, position, velocity));
    for (int i = 0; i < s->bodies - 1; i++)
        for (int d = 0; d < 3; d++) momentum[d] += M.x[(6 * i + 3) * (M.columns + 1)] * t[6 * i + 3 + d];
    for (int d = 0; d < 3; d++) velocity[d] *= pinion_model_mass(s->m);
    CLOSE(s, momentum, velocity, 3, 1, TOLERANCE);
}

TEST(mass_matrix_from_N_l_N_d_and_M)
{
    for_models(check_decoupled_complement);
}

static int has_universal(const subject *s)
{
    pinion_joint_info joint;
    for (int j = 0; pinion_model_joint(s->m, j, &joint) == PINION_OK; j++)
        if (joint.type == PINION_JOINT_UNIVERSAL) return 1;
    return 0;
}

static void check_convective_terms(subject *s)
{
    const matrix N_l = OPERATOR(s, N_L), N_d = OPERATOR(s, N_D), N = OPERATOR(s, N), M = OPERATOR(s, M);
    const matrix M_dot = OPERATOR(s, M_DOT), N_dot = OPERATOR(s, N_DOT), C = OPERATOR(s, C);
    const matrix N_l_dot = OPERATOR(s, N_L_DOT), N_d_dot = OPERATOR(s, N_D_DOT), Omega = OPERATOR(s, OMEGA);
    const matrix H_tilde = OPERATOR(s, H_TILDE), M_tilde_dot = OPERATOR(s, M_TILDE_DOT);
    SAME(s, sum(s, product(s, N_l_dot, N_d), product(s, N_l, N_d_dot)), N_dot);
    SAME(s, product(s, transposed(s, N), sum(s, product(s, M, N_dot), product(s, M_dot, N))), C);
    SAME(s, product(s, transposed(s, N_l), product(s, M, N_l_dot)), H_tilde);
    SAME(s, product(s, transposed(s, N_l), product(s, M_dot, N_l)), M_tilde_dot);

    /* C v and gravity are the bias */
    double *bias = take(s, s->nv), *gravity = take(s, s->nv), *x = take(s, s->nv);
    FINE(s, pinion_bias(s->m, s->w, s->q, s->v, bias));
    FINE(s, pinion_gravity(s->m, s->w, s->q, gravity));
    times(C.x, s->v, s->nv, s->nv, x);
    for (int i = 0; i < s->nv; i++) x[i] += gravity[i];
    CLOSE(s, x, bias, s->nv, 1, TOLERANCE);

    /* the same matrix as the kernel's, where axes are as the kernel takes them */
    if (!has_universal(s)) {
        pinion_work *w = pinion_work_new(s->m);
        matrix kernel = {s->nv, s->nv, take_matrix(s, s->nv, s->nv)};
        const int a = pinion_algorithm_find("denoc-convective");
        FINE(s, pinion_coriolis_by(s->m, w, a, s->q, s->v, kernel.x));
        SAME(s, kernel, C);
        pinion_work_free(w);
        SAME(s, product(s, Omega, N_d), N_d_dot);
        const matrix prime = OPERATOR(s, M_TILDE_PRIME);
        SAME(s, product(s, transposed(s, N_d), product(s, prime, N_d)), C);
    } else {
        double *out = take_matrix(s, N_l.rows, N_l.columns);
        CHECK_STATUS(pinion_operator_matrix(s->m, s->w, PINION_OPERATOR_M_TILDE_PRIME, s->q, s->v, out),
                     PINION_ERR_UNSUPPORTED);
    }
}

TEST(convective_terms)
{
    for_random_trees(1, 1, check_convective_terms);
    for_random_chains(1, 1, check_convective_terms);
    for_bundled_models(2, check_convective_terms);
}

static void operator_quantity(subject *s, const double *q, const double *v, const void *context, double *out)
{
    const pinion_operator op = *(const pinion_operator *)context;
    (void)v;
    FINE(s, pinion_operator_matrix(s->m, s->w, op, q, NULL, out));
}

/* what is called a derivative is one */
static void check_derivatives(subject *s)
{
    static const pinion_operator pairs[][2] = {{PINION_OPERATOR_N_L, PINION_OPERATOR_N_L_DOT},
                                               {PINION_OPERATOR_N_D, PINION_OPERATOR_N_D_DOT},
                                               {PINION_OPERATOR_N, PINION_OPERATOR_N_DOT}};
    for (int i = 0; i < 3; i++) {
        const matrix exact = operator_at(s, pairs[i][1], s->q, s->v);
        double *difference = take_matrix(s, exact.rows, exact.columns);
        derivative(s, s->v, NULL, operator_quantity, &pairs[i][0], exact.rows * exact.columns, difference);
        CLOSE(s, exact.x, difference, exact.rows * exact.columns, 1, DERIVATIVE_TOLERANCE);
    }
}

TEST(derivatives)
{
    for_random_trees(1, 1, check_derivatives);
}

/* ---- */

/* a payload is in the inertias; the base has no block */
TEST(payload_and_base)
{
    pinion_error err = {0};
    pinion_model *m = pinion_random_chain(3, check_seed, &err);
    CHECK(m != NULL);
    if (!m) return;
    const pinion_inertia load = {7, {0.1, 0.2, 0.3}, {1, 0, 0, 1, 0, 1}};
    CHECK_STATUS(pinion_model_set_payload(m, pinion_model_link_count(m) - 1, &load), PINION_OK);
    subject s;
    subject_init(&s, m, "chain with a payload", check_seed);
    new_state(&s);
    check_newton_euler_factorization(&s);
    check_decoupled_complement(&s);
    subject_free(&s);
}

TEST(names_and_arguments)
{
    pinion_error err = {0};
    pinion_model *m = pinion_random_chain(2, check_seed, &err);
    CHECK(m != NULL);
    if (!m) return;
    for (int i = 0; i < PINION_OPERATOR_COUNT; i++) {
        CHECK(pinion_operator_find(pinion_operator_name((pinion_operator)i)) == i);
        CHECK(pinion_operator_text((pinion_operator)i) != NULL);
    }
    CHECK(pinion_operator_find("N_L") < 0);
    CHECK(pinion_operator_find(NULL) < 0);
    CHECK(pinion_operator_name(PINION_OPERATOR_COUNT) == NULL);
    CHECK(pinion_operator_text((pinion_operator)-1) == NULL);
    int rows, columns;
    double q[2] = {0, 0}, out[24];
    pinion_work *w = pinion_work_new(m);
    CHECK_STATUS(pinion_operator_size(m, PINION_OPERATOR_COUNT, &rows, &columns), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_operator_size(m, PINION_OPERATOR_T, &rows, &columns), PINION_OK);
    CHECK(rows == 12 && columns == 10);
    CHECK_STATUS(pinion_operator_matrix(m, w, PINION_OPERATOR_H, NULL, NULL, out), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_operator_matrix(m, NULL, PINION_OPERATOR_H, q, NULL, out), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_operator_matrix(m, w, PINION_OPERATOR_H, q, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_operator_matrix(m, w, PINION_OPERATOR_H, q, NULL, out), PINION_OK);
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(mass_matrix_from_P_H_and_I);
    RUN(constraint_forces_do_no_work);
    RUN(mass_matrix_from_N_l_N_d_and_M);
    RUN(convective_terms);
    RUN(derivatives);
    RUN(payload_and_base);
    RUN(names_and_arguments);
    return CHECK_END();
}
