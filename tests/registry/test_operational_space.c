/* The operational space of a frame, by every algorithm, against its definition with dense matrices: J M^-1
 * J', and what Lambda makes of J M^-1 h, Jdot v and M^-1 J'. */
#include "identity/identity.h"
#include "shared.h"

/* What is left in double of a number that went through M^-1; the models' condition numbers reach 1e6. */
#define TOLERANCE 1e-9

typedef struct space {
    double inverse[36], Lambda[36], mu[6], p[6], *Jbar;
} space;

static int full, deficient;

/* M = L L' in place; 0 when it is not positive definite */
static int factor(double *M, int n)
{
    for (int r = 0; r < n; r++)
        for (int c = 0; c <= r; c++) {
            double x = M[r * n + c];
            for (int e = 0; e < c; e++) x -= M[r * n + e] * M[c * n + e];
            if (c == r && !(x > 0)) return 0;
            M[r * n + c] = c < r ? x / M[c * n + c] : sqrt(x);
        }
    return 1;
}

/* x = (L L')^-1 x */
static void solve(const double *L, int n, double *x)
{
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < r; c++) x[r] -= L[r * n + c] * x[c];
        x[r] /= L[r * n + r];
    }
    for (int r = n - 1; r >= 0; r--) {
        for (int c = r + 1; c < n; c++) x[r] -= L[c * n + r] * x[c];
        x[r] /= L[r * n + r];
    }
}

/* The definition: J M^-1 J', J M^-1 (h - g) - Jdot v, J M^-1 g and, by rows, M^-1 J'. Returns 0 where M is
 * singular. */
static int define(subject *s, int frame, pinion_reference reference, double inverse[36], double bias[6],
                  double gravity[6], double *response)
{
    const int nv = s->nv;
    double *M = take_matrix(s, nv, nv), *J = take_matrix(s, 6, nv), *h = take(s, nv), *g = take(s, nv);
    double *x = take(s, nv), product[6];
    FINE(s, pinion_mass_matrix(s->m, s->w, s->q, M));
    FINE(s, pinion_jacobian(s->m, s->w, s->q, frame, reference, J));
    FINE(s, pinion_bias(s->m, s->w, s->q, s->v, h));
    FINE(s, pinion_gravity(s->m, s->w, s->q, g));
    FINE(s, pinion_jacobian_dot_v(s->m, s->w, s->q, s->v, frame, reference, product));
    if (!factor(M, nv)) return 0;
    for (int i = 0; i < nv; i++) h[i] -= g[i];
    solve(M, nv, h);
    solve(M, nv, g);
    times(J, h, 6, nv, bias);
    times(J, g, 6, nv, gravity);
    for (int d = 0; d < 6; d++) bias[d] -= product[d];
    for (int c = 0; c < 6; c++) {
        double column[6];
        memcpy(x, J + c * nv, sizeof *x * (size_t)nv);
        solve(M, nv, x);
        times(J, x, 6, nv, column);
        for (int r = 0; r < 6; r++) inverse[6 * r + c] = column[r];
        for (int i = 0; i < nv; i++) response[6 * i + c] = x[i];
    }
    return 1;
}

/* Lambda^-1 Lambda = 1, and what mu, p and Jbar are, in the form that needs no inverse; errors are measured
 * against what is lost: the size of Lambda times that of its inverse */
static void check_products(subject *s, const space *o, const double *inverse, const double *bias,
                           const double *gravity, const double *response)
{
    double unit[36], y[6];
    const double lost = 1 + largest(inverse, 36) * largest(o->Lambda, 36);
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) {
            unit[6 * r + c] = 0;
            for (int e = 0; e < 6; e++) unit[6 * r + c] += inverse[6 * r + e] * o->Lambda[6 * e + c];
            CHECK_NEAR(unit[6 * r + c], r == c, TOLERANCE * lost);
            CHECK_NEAR(o->Lambda[6 * r + c], o->Lambda[6 * c + r], TOLERANCE * lost * largest(o->Lambda, 36));
        }
    times(inverse, o->mu, 6, 6, y);
    CLOSE(s, y, bias, 6, 1, TOLERANCE * lost);
    times(inverse, o->p, 6, 6, y);
    CLOSE(s, y, gravity, 6, 1, TOLERANCE * lost);
    for (int i = 0; i < s->nv; i++) {
        times(inverse, o->Jbar + 6 * i, 6, 6, y);
        CLOSE(s, y, response + 6 * i, 6, 1, TOLERANCE * lost * (1 + largest(response, 6 * s->nv)));
    }
}

/* one algorithm at one frame */
static void check_algorithm(subject *s, pinion_work *w, int a, int frame, pinion_reference reference)
{
    double inverse[36], bias[6], gravity[6], *response = take_matrix(s, s->nv, 6);
    if (!define(s, frame, reference, inverse, bias, gravity, response)) return;
    space o = {.Jbar = take_matrix(s, s->nv, 6)};
    const pinion_operational_parts only = {.inverse = o.inverse};
    FINE(s, pinion_operational_space_by(s->m, w, a, s->q, s->v, frame, reference, &only));
    CLOSE(s, o.inverse, inverse, 36, 1e-3, TOLERANCE);

    /* where J has full rank there is more */
    const pinion_operational_parts all = {o.inverse, o.Lambda, o.mu, o.p, o.Jbar};
    const pinion_status status = pinion_operational_space_by(s->m, w, a, s->q, s->v, frame, reference, &all);
    CLOSE(s, o.inverse, inverse, 36, 1e-3, TOLERANCE);
    if (status == PINION_OK) {
        full++;
        check_products(s, &o, inverse, bias, gravity, response);
    } else {
        deficient++;
        CHECK_STATUS(status, PINION_ERR_SINGULAR);
        CHECK_HAS(pinion_work_message(w), "rank");
    }
}

static void check_space(subject *s)
{
    pinion_work *w = pinion_work_new(s->m);
    CHECK(w != NULL);
    for (int a = 0; w && a < pinion_algorithm_count(); a++) {
        pinion_algorithm_info info;
        CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
        if (info.problem != PINION_PROBLEM_OPERATIONAL_SPACE) continue;
        if (pinion_algorithm_applies(a, s->m, NULL) != PINION_OK) continue;
        for (int k = 0; k < 3; k++) {
            const int frame = k ? (int)(check_uniform(&s->random) * s->frames) : s->frames - 1;
            check_algorithm(s, w, a, frame, (pinion_reference)((k + s->nv) % 3));
        }
    }
    pinion_work_free(w);
}

TESTS_ON_MODELS(check_space, 2, 2, 2, 5)

/* Lambda a + mu + p = f for the acceleration a that forward dynamics gives under a force f on the frame. */
static void check_motion(subject *s)
{
    const int a = pinion_algorithm_find("osim-recursive"), frame = s->frames - 1;
    if (pinion_algorithm_applies(a, s->m, NULL) != PINION_OK) return;
    pinion_work *w = pinion_work_new(s->m);
    double Lambda[36], mu[6], p[6], product[6], left[6], moved[6];
    const pinion_operational_parts o = {NULL, Lambda, mu, p, NULL};
    if (pinion_operational_space_by(s->m, w, a, s->q, s->v, frame, PINION_REFERENCE_LOCAL, &o) == PINION_OK) {
        /* the plain form is one of them */
        double plain[36];
        const pinion_operational_parts inertia = {.Lambda = plain};
        FINE(s, pinion_operational_space(s->m, w, s->q, s->v, frame, PINION_REFERENCE_LOCAL, &inertia));
        CLOSE(s, plain, Lambda, 36, 1, 1e-6);

        const double f[6] = {1, -2, 3, 10, 20, -15};
        double *f_ext = take(s, 6 * s->bodies), *qdd = take(s, s->nv), *J = take_matrix(s, 6, s->nv);
        FINE(s, pinion_force_on_frame(s->m, frame, f, f_ext));
        FINE(s, pinion_forward_dynamics(s->m, s->w, s->q, s->v, NULL, f_ext, qdd));
        FINE(s, pinion_jacobian(s->m, s->w, s->q, frame, PINION_REFERENCE_LOCAL, J));
        FINE(s, pinion_jacobian_dot_v(s->m, s->w, s->q, s->v, frame, PINION_REFERENCE_LOCAL, product));
        times(J, qdd, 6, s->nv, moved);
        for (int d = 0; d < 6; d++) moved[d] += product[d];
        times(Lambda, moved, 6, 6, left);
        const double size = largest(Lambda, 36) * (1 + largest(moved, 6));
        for (int d = 0; d < 6; d++) CHECK_NEAR(left[d] + mu[d] + p[d], f[d], 1e-9 * (1 + size));
    }
    pinion_work_free(w);
}

TEST(a_force_on_the_frame_moves_its_operational_inertia)
{
    for_random_chains(1, 1, check_motion);
    for_random_trees(1, 1, check_motion);
}

/* every algorithm refuses the inertia of a model's last frame in some states */
static void check_refused(const pinion_model *m, int states)
{
    pinion_work *w = pinion_work_new(m);
    CHECK(w != NULL);
    for (int i = 0; w && i < 3 * states; i++) {
        static const char *const names[] = {"osim-crba", "osim-ltl", "osim-recursive"};
        double q[6], Lambda[36];
        const pinion_operational_parts o = {.Lambda = Lambda};
        const int a = pinion_algorithm_find(names[i % 3]), frame = pinion_model_frame_count(m) - 1;
        CHECK_STATUS(pinion_random(m, (uint64_t)(i / 3), q), PINION_OK);
        CHECK_STATUS(pinion_operational_space_by(m, w, a, q, NULL, frame, PINION_REFERENCE_LOCAL, &o),
                     PINION_ERR_SINGULAR);
        CHECK_HAS(pinion_work_message(w), "rank");
    }
    pinion_work_free(w);
}

/* Five joints cannot move a frame in six directions, in no state and by no algorithm: what rounding leaves of the sixth
 * pivot, as that of model 9 in state 6, is not to be solved with. */
TEST(five_joints_have_no_inertia)
{
    for (int i = 0; i < 100; i++) {
        pinion_error err = {0};
        pinion_model *m = pinion_random_chain(5, (uint64_t)i, &err);
        CHECK(m != NULL);
        if (m) check_refused(m, 10);
        pinion_model_free(m);
    }
}

/* An arm of six joints, the third and the fourth on one axis; all placed at random. */
static pinion_model *arm_of_one_axis(uint64_t *seed)
{
    pinion_builder *b = pinion_builder_new("arm");
    pinion_error err = {0};
    for (int i = 0; i <= 6; i++) {
        pinion_link_def link = pinion_link_def_default();
        pinion_joint_def joint = pinion_joint_def_default();
        char names[3][16];
        snprintf(names[0], sizeof names[0], "l%d", i);
        snprintf(names[1], sizeof names[1], "l%d", i - 1);
        snprintf(names[2], sizeof names[2], "j%d", i);
        link.name = names[0];
        link.inertia.mass = check_between(seed, 0.5, 2);
        link.inertia.inertia[0] = link.inertia.inertia[3] = link.inertia.inertia[5] = 0.1;
        CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
        joint.name = names[2];
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = names[1];
        joint.child = names[0];
        for (int k = 0; k < 3; k++) joint.axis[k] = i == 3 || i == 4 ? k == 2 : check_between(seed, -1, 1);
        for (int k = i == 4 ? 2 : 0; k < 3; k++) joint.parent_pose.position[k] = check_between(seed, -0.5, 0.5);
        if (i > 0) CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    pinion_builder_free(b);
    CHECK(m != NULL);
    return m;
}

/* Its frame cannot move in six directions either. What rounding leaves of the last pivot is larger where rows before it
 * are nearly dependent, as in one of a hundred states. */
TEST(joints_of_one_axis_have_no_inertia)
{
    uint64_t seed = check_seed;
    for (int i = 0; i < 150; i++) {
        pinion_model *m = arm_of_one_axis(&seed);
        if (m) check_refused(m, 10);
        pinion_model_free(m);
    }
}

/* A body floating freely: Lambda at its own origin is its inertia, whatever the algorithm. */
TEST(a_free_body_has_its_own_inertia)
{
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("body");
    pinion_link_def link = pinion_link_def_default();
    link.name = "body";
    link.inertia = (pinion_inertia){2, {0, 0, 0}, {0.1, 0, 0, 0.2, 0, 0.3}};
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    pinion_load_options options = pinion_load_options_default();
    options.root = PINION_ROOT_FREE;
    pinion_model *m = pinion_builder_build(b, &options, &err);
    pinion_builder_free(b);
    CHECK(m != NULL);
    if (!m) return;
    pinion_work *w = pinion_work_new(m);
    const double q[7] = {1, 0, 0, 0, 0.1, 0.2, 0.3};
    const double inertia[6] = {0.1, 0.2, 0.3, 2, 2, 2};
    static const char *const names[] = {"osim-crba", "osim-ltl", "osim-recursive"};
    for (int i = 0; i < 3; i++) {
        double Lambda[36], p[6];
        const pinion_operational_parts o = {.Lambda = Lambda, .p = p};
        const int a = pinion_algorithm_find(names[i]);
        CHECK(a >= 0);
        CHECK_STATUS(pinion_operational_space_by(m, w, a, q, NULL, 0, PINION_REFERENCE_LOCAL, &o), PINION_OK);
        for (int d = 0; d < 6; d++)
            for (int e = 0; e < 6; e++) CHECK_NEAR(Lambda[6 * d + e], d == e ? inertia[d] : 0, 1e-14);
        for (int d = 0; d < 6; d++) CHECK_NEAR(p[d], d == 5 ? 2 * 9.81 : 0, 1e-13);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(wrong_arguments)
{
    pinion_error err = {0};
    pinion_model *m = pinion_random_chain(6, check_seed, &err);
    CHECK(m != NULL);
    if (!m) return;
    pinion_work *w = pinion_work_new(m);
    double q[6], Lambda[36];
    const pinion_operational_parts o = {.Lambda = Lambda};
    const int a = pinion_algorithm_find("osim-ltl"), frames = pinion_model_frame_count(m);
    CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
    CHECK_STATUS(pinion_operational_space_by(m, w, a, q, NULL, frames, PINION_REFERENCE_LOCAL, &o),
                 PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_operational_space_by(m, w, a, q, NULL, -1, PINION_REFERENCE_LOCAL, &o), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_operational_space_by(m, w, a, q, NULL, 0, (pinion_reference)7, &o),
                 PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_operational_space_by(m, w, a, q, NULL, 0, PINION_REFERENCE_LOCAL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_operational_space_by(m, w, a, NULL, NULL, 0, PINION_REFERENCE_LOCAL, &o), PINION_ERR_ARGUMENT);
    CHECK_STATUS(
        pinion_operational_space_by(m, w, pinion_algorithm_find("crba"), q, NULL, 0, PINION_REFERENCE_LOCAL, &o),
        PINION_ERR_ARGUMENT);

    /* the base cannot move */
    CHECK_STATUS(pinion_operational_space_by(m, w, a, q, NULL, 0, PINION_REFERENCE_LOCAL, &o), PINION_ERR_SINGULAR);
    CHECK_HAS(pinion_work_message(w), "rank");
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN_ON_MODELS();
    RUN(a_force_on_the_frame_moves_its_operational_inertia);
    RUN(five_joints_have_no_inertia);
    RUN(joints_of_one_axis_have_no_inertia);
    RUN(a_free_body_has_its_own_inertia);
    RUN(wrong_arguments);
    printf("       %d frames of full rank, %d of less\n", full, deficient);
    return CHECK_END();
}
