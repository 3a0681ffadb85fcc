/* What humanoids ask for: the Jacobian of the centre of mass, centroidal dynamics, the kinematic Hessian, the joint
 * forces of a force on a frame. Each against what it is the derivative, the sum or the product of. */
#include "identity.h"

#define EXACT 1e-11 /* sums in another order, over up to 30 joints */

static const pinion_reference references[3] = {PINION_REFERENCE_WORLD_ALIGNED, PINION_REFERENCE_LOCAL,
                                               PINION_REFERENCE_WORLD};

static void check_com_jacobian(subject *s)
{
    double position[3], velocity[3], product[3], *J = take_matrix(s, 3, s->nv);
    if (pinion_model_mass(s->m) == 0) return;
    FINE(s, pinion_com_jacobian(s->m, s->w, s->q, J));
    FINE(s, pinion_center_of_mass(s->m, s->w, s->q, s->v, position, velocity));
    times(J, s->v, 3, s->nv, product);
    CLOSE(s, product, velocity, 3, 1, EXACT);
}
TEST(com_velocity_is_its_jacobian_times_v)
{
    for_random_trees(2, 2, check_com_jacobian);
    for_random_chains(1, 2, check_com_jacobian);
}

static void momentum_of(subject *s, const double *q, const double *v, const void *context, double *out)
{
    (void)context;
    FINE(s, pinion_momentum(s->m, s->w, q, v, out));
}

/* momentum is A v, and A a + Adot v is its derivative along the motion */
static void check_momentum(subject *s)
{
    const int n = s->nv;
    double *A = take_matrix(s, 6, n), Adot_v[6], momentum[6], product[6], rate[6], expected[6];
    FINE(s, pinion_centroidal(s->m, s->w, s->q, s->v, A, Adot_v, NULL));
    FINE(s, pinion_momentum(s->m, s->w, s->q, s->v, momentum));
    times(A, s->v, 6, n, product);
    CLOSE(s, product, momentum, 6, 1, EXACT);

    derivative(s, s->v, s->a, momentum_of, NULL, 6, expected);
    times(A, s->a, 6, n, rate);
    for (int d = 0; d < 6; d++) rate[d] += Adot_v[d];
    CLOSE(s, rate, expected, 6, largest(momentum, 6) + 1, 100 * DERIVATIVE_TOLERANCE);

    /* at rest there is no product of velocities */
    double rest[6];
    FINE(s, pinion_centroidal(s->m, s->w, s->q, NULL, NULL, rest, NULL));
    CHECK(largest(rest, 6) == 0);
}
TEST(momentum_and_its_derivative)
{
    for_random_trees(2, 1, check_momentum);
    for_random_chains(1, 1, check_momentum);
}

/* A free root moves everything as one rigid body: its columns of A are the inertia times that motion, seen from the
 * centre of mass. */
static void check_inertia(subject *s)
{
    pinion_joint_info root;
    FINE(s, pinion_model_joint(s->m, 0, &root));
    CHECK(root.type == PINION_JOINT_FREE && root.v_index == 0);
    const int n = s->nv;
    double *A = take_matrix(s, 6, n), I[36], centre[3], position[3], rotation[9];
    FINE(s, pinion_centroidal(s->m, s->w, s->q, NULL, A, NULL, I));
    FINE(s, pinion_center_of_mass(s->m, s->w, s->q, NULL, centre, NULL));
    FINE(s, pinion_frame_pose(s->m, s->w, s->q, root.child, position, rotation)); /* links are frames, too */
    for (int c = 0; c < 6; c++) {
        double motion[6] = {0}, arm[3], t[3], expected[6], column[6];
        for (int r = 0; r < 3; r++) motion[c < 3 ? r : 3 + r] = rotation[3 * r + c % 3];
        for (int r = 0; r < 3; r++) arm[r] = centre[r] - position[r];
        cross(motion, arm, t);
        for (int r = 0; r < 3; r++) motion[3 + r] += t[r];
        times(I, motion, 6, 6, expected);
        for (int r = 0; r < 6; r++) column[r] = A[r * n + c];
        CLOSE(s, column, expected, 6, largest(I, 36), EXACT);
    }
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < r; c++) CHECK_NEAR(I[6 * r + c], I[6 * c + r], EXACT * largest(I, 36));
    CHECK_NEAR(I[35], pinion_model_mass(s->m), EXACT * (1 + pinion_model_mass(s->m)));
}
TEST(inertia_is_that_of_the_whole)
{
    for (int joints = 1; joints <= 25; joints += 3) {
        pinion_error err = {0};
        pinion_model *m = pinion_random_tree(joints, 1, check_seed + (uint64_t)joints, &err);
        CHECK(m != NULL);
        if (!m) continue;
        subject s;
        subject_init(&s, m, "a random tree on a free root", check_seed + (uint64_t)joints);
        check_states(&s, 3, check_inertia);
        subject_free(&s);
    }
}

typedef struct jacobian_choice {
    int frame;
    pinion_reference reference;
} jacobian_choice;

static void jacobian_of(subject *s, const double *q, const double *v, const void *context, double *out)
{
    const jacobian_choice *c = context;
    (void)v;
    FINE(s, pinion_jacobian(s->m, s->w, q, c->frame, c->reference, out));
}

/* H[i][j][k] = dJ[i][j]/dq_k, in the three references */
static int hessians, inverses; /* models that were compared */

static void check_hessian(subject *s)
{
    const int n = s->nv;
    if (n > 12) return; /* a difference for each velocity takes long */
    hessians++;
    for (int f = 0; f < 2; f++) {
        const int frame = f ? s->frames - 1 : s->frames / 2;
        for (int r = 0; r < 3; r++) {
            const jacobian_choice c = {frame, references[r]};
            double *H = take_matrix(s, 6 * n, n), *change = take_matrix(s, 6, n), *column = take_matrix(s, 6, n);
            double *unit = take(s, n);
            FINE(s, pinion_hessian(s->m, s->w, s->q, frame, references[r], H));
            for (int k = 0; k < n; k++) {
                unit[k] = 1;
                derivative(s, unit, NULL, jacobian_of, &c, 6 * n, change);
                unit[k] = 0;
                for (int i = 0; i < 6 * n; i++) column[i] = H[i * n + k];
                CLOSE(s, column, change, 6 * n, 1, 10 * DERIVATIVE_TOLERANCE);
            }
        }
    }
}
TEST(hessian_is_the_derivative_of_the_jacobian)
{
    for_random_trees(1, 1, check_hessian);
    for_random_chains(1, 1, check_hessian);
    printf("       Hessians of %d models; those of more than 12 velocities are left out\n", hessians);
    CHECK(hessians >= 10 / check_every(3));
}

static void check_force(subject *s)
{
    const int n = s->nv, frame = s->frames - 1;
    for (int r = 0; r < 3; r++) {
        double *J = take_matrix(s, 6, n), *tau = take(s, n), *expected = take(s, n), *f = take_random(s, 6, 5);
        FINE(s, pinion_force_to_torque(s->m, s->w, s->q, frame, references[r], f, tau));
        FINE(s, pinion_jacobian(s->m, s->w, s->q, frame, references[r], J));
        times_transposed(J, f, 6, n, expected);
        CLOSE(s, tau, expected, n, 1, EXACT);
    }
}
TEST(force_to_torque_is_the_transposed_jacobian)
{
    for_random_trees(2, 1, check_force);
}

/* the plain forms are those of the default algorithms */
static void check_plain(subject *s)
{
    const int n = s->nv;
    double *M = take_matrix(s, n, n), *Minv = take_matrix(s, n, n), *C = take_matrix(s, n, n);
    double *bias = take(s, n), *gravity = take(s, n), *product = take(s, n), *x = take_random(s, n, 1), *y = take(s, n);
    FINE(s, pinion_mass_matrix(s->m, s->w, s->q, M));
    FINE(s, pinion_coriolis(s->m, s->w, s->q, s->v, C));
    FINE(s, pinion_bias(s->m, s->w, s->q, s->v, bias));
    FINE(s, pinion_gravity(s->m, s->w, s->q, gravity));
    times(C, s->v, n, n, product);
    for (int i = 0; i < n; i++) bias[i] -= gravity[i];
    CLOSE(s, product, bias, n, largest(gravity, n) + 1, 1e-10);
    FINE(s, pinion_mass_matrix_inverse(s->m, s->w, s->q, Minv));
    inverses++;
    times(Minv, x, n, n, product);
    times(M, product, n, n, y);
    CLOSE(s, y, x, n, 1, 1e-6); /* M may be ill-conditioned */
}
TEST(plain_forms_of_coriolis_and_inverse)
{
    for_random_trees(1, 1, check_plain);
    CHECK(inverses == 60 / check_every(3));
}

/* what is wrong is said, and what may be missing may be missing */
TEST(arguments_are_checked)
{
    pinion_error err;
    pinion_model *m = pinion_random_chain(3, check_seed, &err);
    pinion_work *w = pinion_work_new(m);
    double q[3] = {0}, tau[3], f[6] = {0}, H[54], J[9];
    CHECK_STATUS(pinion_force_to_torque(m, w, q, 0, PINION_REFERENCE_LOCAL, NULL, tau), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_force_to_torque(m, w, q, 99, PINION_REFERENCE_LOCAL, f, tau), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_force_to_torque(m, w, q, 0, PINION_REFERENCE_LOCAL, f, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_hessian(m, w, q, 0, (pinion_reference)7, H), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_com_jacobian(m, w, NULL, J), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_centroidal(m, w, q, NULL, NULL, NULL, NULL), PINION_OK);
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(com_velocity_is_its_jacobian_times_v);
    RUN(momentum_and_its_derivative);
    RUN(inertia_is_that_of_the_whole);
    RUN(hessian_is_the_derivative_of_the_jacobian);
    RUN(force_to_torque_is_the_transposed_jacobian);
    RUN(plain_forms_of_coriolis_and_inverse);
    RUN(arguments_are_checked);
    return CHECK_END();
}
