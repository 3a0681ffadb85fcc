/* What must hold for elastic links whatever the numbers: M is symmetric and what inverse dynamics says it is, forward
 * dynamics is the inverse of inverse dynamics by every algorithm that applies, energies and momenta belong to it,
 * Jacobians and derivatives are those of what they are derivatives of. */
#include "beams.h"

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* two elastic links, of whose joints the second follows the first */
static pinion_model *geared(void)
{
    pinion_elastic_def first = plain_beam(2, 1, 1), second = plain_beam(1, 1, 0);
    pinion_builder *b = pinion_builder_new("geared");
    add_link(b, "ground", 0, NULL);
    add_link(b, "upper", 0.5, &first);
    add_joint(b, "shoulder", PINION_JOINT_REVOLUTE, "ground", "upper", 0.2, 0.4);
    add_link(b, "lower", 0.4, &second);
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = "elbow";
    joint.type = PINION_JOINT_REVOLUTE;
    joint.parent = "upper";
    joint.child = "lower";
    joint.parent_pose.position[0] = 2;
    joint.axis[1] = 0.3;
    joint.axis[2] = 1;
    joint.mimic = "shoulder";
    joint.multiplier = -1.5;
    joint.offset = 0.2;
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    return build(b);
}

/* an elastic link with a body in water at its end, and one that is dry */
static pinion_model *wet(void)
{
    pinion_elastic_def beam = plain_beam(2, 1, 1);
    double added[36] = {0};
    for (int i = 0; i < 6; i++) added[7 * i] = 0.1 * (i + 1);
    added[4] = added[24] = 0.05;
    pinion_builder *b = pinion_builder_new("wet");
    add_link(b, "ground", 0, NULL);
    add_link(b, "arm", 0.5, &beam);
    add_joint(b, "shoulder", PINION_JOINT_REVOLUTE, "ground", "arm", 0.2, 0.4);
    pinion_link_def link = pinion_link_def_default();
    link.name = "fin";
    link.inertia = (pinion_inertia){0.7, {0.1, 0, 0.02}, {0.02, 0, 0, 0.03, 0, 0.025}};
    link.added_mass = added;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    add_joint(b, "wrist", PINION_JOINT_UNIVERSAL, "arm", "fin", 2, 0.2);
    add_link(b, "tip", 0.3, NULL);
    add_joint(b, "last", PINION_JOINT_REVOLUTE, "fin", "tip", 0.4, 0.3);
    return build(b);
}

static void check_mass_matrix(pinion_model *m)
{
    uint64_t seed = check_seed;
    moving x = start(m, &seed);
    const size_t n = (size_t)x.nv;
    double *M = calloc(n * n, sizeof *M), *h = calloc(n, sizeof *h), *y = calloc(n, sizeof *y);
    CHECK_STATUS(pinion_mass_matrix(x.m, x.w, x.q, M), PINION_OK);
    CHECK_STATUS(pinion_bias(x.m, x.w, x.q, x.v, h), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, NULL, y), PINION_OK);
    for (size_t i = 0; i < n; i++) {
        h[i] += dot(x.nv, M + n * i, x.a);
        for (size_t j = 0; j < i; j++) CHECK(M[n * i + j] == M[n * j + i]);
    }
    CHECK(check_error(h, y, n, 1) < 1e-13);

    /* kinetic energy, and momentum as what the free base needs */
    double T = 0, Mv = 0;
    for (size_t i = 0; i < n; i++) Mv += x.v[i] * dot(x.nv, M + n * i, x.v);
    CHECK_STATUS(pinion_energy(x.m, x.w, x.q, x.v, 0, &T, NULL), PINION_OK);
    CHECK_NEAR(T, Mv / 2, 1e-13 * T);

    /* upper triangle, inverse */
    double *U = calloc(n * n, sizeof *U);
    CHECK_STATUS(pinion_mass_matrix_upper(x.m, x.w, x.q, U), PINION_OK);
    for (size_t i = 0; i < n * n; i++) CHECK(U[i] == (i % n >= i / n ? M[i] : 0));
    CHECK_STATUS(pinion_mass_matrix_inverse(x.m, x.w, x.q, U), PINION_OK);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) CHECK_NEAR(dot(x.nv, U + n * i, M + n * j), i == j, 1e-9);
    free(U);
    free(M);
    free(h);
    free(y);
    stop(&x);
}

TEST(mass_matrix_is_that_of_inverse_dynamics)
{
    check_mass_matrix(tree());
    check_mass_matrix(geared());
    check_mass_matrix(wet());
}

TEST(every_algorithm_that_applies_agrees)
{
    uint64_t seed = check_seed + 1;
    moving x = start(tree(), &seed);
    const size_t n = (size_t)x.nv;
    double *a = calloc(n, sizeof *a), *y = calloc(n, sizeof *y), *M = calloc(n * n, sizeof *M);
    double *N = calloc(n * n, sizeof *N);
    CHECK_STATUS(pinion_forward_dynamics(x.m, x.w, x.q, x.v, x.tau, x.f, a), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(x.m, x.w, x.q, x.v, a, x.f, y), PINION_OK);
    CHECK(check_error(y, x.tau, n, 1) < 1e-11);
    CHECK_STATUS(pinion_mass_matrix(x.m, x.w, x.q, M), PINION_OK);
    int forward = 0, matrices = 0, refused = 0;
    for (int k = 0; k < pinion_algorithm_count(); k++) {
        pinion_algorithm_info info;
        pinion_error err;
        CHECK_STATUS(pinion_algorithm(k, &info), PINION_OK);
        if (pinion_algorithm_applies(k, x.m, &err) != PINION_OK) {
            if (strstr(err.message, "elastic")) refused++;
            continue;
        }
        if (info.problem == PINION_PROBLEM_FORWARD_DYNAMICS) {
            CHECK_STATUS(pinion_forward_dynamics_by(x.m, x.w, k, x.q, x.v, x.tau, x.f, y), PINION_OK);
            if (!(check_error(y, a, n, 1) < 1e-10)) CHECK_FAIL("%s differs", info.name);
            forward++;
        } else if (info.problem == PINION_PROBLEM_MASS_MATRIX) {
            CHECK_STATUS(pinion_mass_matrix_by(x.m, x.w, k, x.q, N), PINION_OK);
            if (!(check_error(N, M, n * n, 1) < 1e-13)) CHECK_FAIL("%s differs", info.name);
            matrices++;
        }
    }
    CHECK(forward >= 3 && matrices >= 2 && refused > 20);
    free(a);
    free(y);
    free(M);
    free(N);
    stop(&x);
}

/* y(q (+) s e) for a step along one velocity */
static void moved(const moving *x, const double *q, int k, double s, double *out)
{
    double *e = calloc((size_t)x->nv, sizeof *e);
    e[k] = 1;
    CHECK_STATUS(pinion_integrate(x->m, q, e, s, out), PINION_OK);
    free(e);
}

TEST(jacobians_and_accelerations_are_derivatives_of_poses)
{
    uint64_t seed = check_seed + 2;
    moving x = start(tree(), &seed);
    const size_t n = (size_t)x.nv;
    const char *const names[] = {"tool", "mark", "branch", "upper", "lower"};
    double *J = calloc(6 * n, sizeof *J), *q = calloc((size_t)x.nq, sizeof *q);
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        const int frame = pinion_model_find_frame(x.m, names[f]);
        CHECK(frame >= 0);
        for (int reference = 0; reference < 3; reference++) {
            double v[6], at[2][6], acceleration[6];
            CHECK_STATUS(pinion_jacobian(x.m, x.w, x.q, frame, reference, J), PINION_OK);
            CHECK_STATUS(pinion_frame_velocity(x.m, x.w, x.q, x.v, frame, reference, v), PINION_OK);
            for (int d = 0; d < 6; d++) CHECK_NEAR(dot(x.nv, J + n * (size_t)d, x.v), v[d], 1e-13);

            /* d(J v)/dt by a difference of fourth order; 1e-9 is its error */
            double rate[6] = {0};
            const double h = 1e-3, weight[4] = {8, -8, -1, 1}, step[4] = {h, -h, 2 * h, -2 * h};
            for (int k = 0; k < 4; k++) {
                double *w = calloc(n, sizeof *w), *mean = calloc(n, sizeof *mean);
                for (size_t i = 0; i < n; i++) w[i] = x.v[i] + step[k] * x.a[i];
                for (size_t i = 0; i < n; i++) mean[i] = x.v[i] + step[k] * x.a[i] / 2;
                CHECK_STATUS(pinion_integrate(x.m, x.q, mean, step[k], q), PINION_OK);
                CHECK_STATUS(pinion_frame_velocity(x.m, x.w, q, w, frame, reference, at[0]), PINION_OK);
                for (int d = 0; d < 6; d++) rate[d] += weight[k] * at[0][d] / (12 * h);
                free(w);
                free(mean);
            }
            CHECK_STATUS(pinion_jacobian_dot_v(x.m, x.w, x.q, x.v, frame, reference, acceleration), PINION_OK);
            for (int d = 0; d < 6; d++) acceleration[d] += dot(x.nv, J + n * (size_t)d, x.a);
            CHECK(check_error(rate, acceleration, 6, 1) < 1e-8);
        }
        /* the pose itself: columns along the world's axes */
        CHECK_STATUS(pinion_jacobian(x.m, x.w, x.q, frame, PINION_REFERENCE_WORLD_ALIGNED, J), PINION_OK);
        for (int k = 0; k < x.nv; k++) {
            double p[2][3], R[9];
            for (int s = 0; s < 2; s++) {
                moved(&x, x.q, k, s ? -1e-5 : 1e-5, q);
                CHECK_STATUS(pinion_frame_pose(x.m, x.w, q, frame, p[s], R), PINION_OK);
            }
            for (int d = 0; d < 3; d++)
                CHECK_NEAR((p[0][d] - p[1][d]) / 2e-5, J[n * (size_t)(3 + d) + (size_t)k], 1e-8);
        }
    }
    free(J);
    free(q);
    stop(&x);
}

TEST(power_is_what_forces_do)
{
    /* dT/dt + dV/dt = tau' v by a difference of the energies along the motion that forward dynamics gives */
    uint64_t seed = check_seed + 3;
    for (int round = 0; round < 3; round++) {
        moving x = start(tree(), &seed);
        const size_t n = (size_t)x.nv;
        double *q = calloc((size_t)x.nq, sizeof *q), *v = calloc(n, sizeof *v), *tau = calloc(n, sizeof *tau), E = 0;
        CHECK_STATUS(pinion_passive_forces(x.m, x.w, x.q, x.v, tau), PINION_OK);
        double lost = 0; /* there are no dampers: what is passive is the springs' */
        for (size_t i = 0; i < n; i++) tau[i] += x.tau[i];
        CHECK_STATUS(pinion_forward_dynamics(x.m, x.w, x.q, x.v, tau, NULL, x.a), PINION_OK);
        const double h = 1e-4, weight[4] = {8, -8, -1, 1}, step[4] = {h, -h, 2 * h, -2 * h};
        for (int k = 0; k < 4; k++) {
            double T, V;
            for (size_t i = 0; i < n; i++) v[i] = x.v[i] + step[k] * x.a[i] / 2;
            CHECK_STATUS(pinion_integrate(x.m, x.q, v, step[k], q), PINION_OK);
            for (size_t i = 0; i < n; i++) v[i] = x.v[i] + step[k] * x.a[i];
            CHECK_STATUS(pinion_energy(x.m, x.w, q, v, 1, &T, &V), PINION_OK);
            E += weight[k] * (T + V) / (12 * h);
        }
        CHECK_NEAR(E, dot(x.nv, x.tau, x.v) + lost, 1e-6 * (1 + fabs(E)));
        free(q);
        free(v);
        free(tau);
        stop(&x);
    }
}

TEST(momentum_changes_by_weight_alone)
{
    uint64_t seed = check_seed + 4;
    moving x = start(tree(), &seed);
    const size_t n = (size_t)x.nv;
    double *A = calloc(6 * n, sizeof *A), rate[6], inertia[36], h[6], com[3], velocity[3];
    for (int i = 0; i < 6; i++) x.tau[i] = 0; /* nothing holds the base */
    CHECK_STATUS(pinion_forward_dynamics(x.m, x.w, x.q, x.v, x.tau, NULL, x.a), PINION_OK);
    CHECK_STATUS(pinion_centroidal(x.m, x.w, x.q, x.v, A, rate, inertia), PINION_OK);
    CHECK_STATUS(pinion_momentum(x.m, x.w, x.q, x.v, h), PINION_OK);
    CHECK_STATUS(pinion_center_of_mass(x.m, x.w, x.q, x.v, com, velocity), PINION_OK);
    const double weight = -9.81 * pinion_model_mass(x.m);
    for (int d = 0; d < 6; d++) {
        CHECK_NEAR(dot(x.nv, A + n * (size_t)d, x.v), h[d], 1e-12);
        CHECK_NEAR(dot(x.nv, A + n * (size_t)d, x.a) + rate[d], d == 5 ? weight : 0, 1e-9);
        if (d >= 3) CHECK_NEAR(h[d], velocity[d - 3] * pinion_model_mass(x.m), 1e-12);
    }
    CHECK_STATUS(pinion_com_jacobian(x.m, x.w, x.q, A), PINION_OK);
    for (int d = 0; d < 3; d++) CHECK_NEAR(dot(x.nv, A + n * (size_t)d, x.v), velocity[d], 1e-13);
    free(A);
    stop(&x);
}

static void check_derivatives(pinion_model *m)
{
    uint64_t seed = check_seed + 5;
    moving x = start(m, &seed);
    const size_t n = (size_t)x.nv;
    double *D[3], *y[4], *q = calloc((size_t)x.nq, sizeof *q), *v = calloc(n, sizeof *v);
    for (int i = 0; i < 3; i++) D[i] = calloc(n * n, sizeof(double));
    for (int i = 0; i < 4; i++) y[i] = calloc(n, sizeof(double));
    const double h = 1e-3, step[4] = {h, -h, 2 * h, -2 * h};
    for (int forward = 0; forward < 2; forward++) {
        double *third = forward ? x.tau : x.a;
        CHECK_STATUS(forward ? pinion_d_forward_dynamics(x.m, x.w, x.q, x.v, third, x.f, D[0], D[1], D[2])
                             : pinion_d_inverse_dynamics(x.m, x.w, x.q, x.v, third, x.f, D[0], D[1], D[2]),
                     PINION_OK);
        double largest = 1;
        for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fmax(fabs(D[0][i]), fabs(D[1][i])));
        for (int which = 0; which < 3; which++)
            for (int k = 0; k < x.nv; k++) {
                for (int s = 0; s < 4; s++) {
                    memcpy(q, x.q, (size_t)x.nq * sizeof *q);
                    memcpy(v, which == 2 ? third : x.v, n * sizeof *v);
                    if (which == 0) moved(&x, x.q, k, step[s], q);
                    else v[k] += step[s];
                    const double *V = which == 1 ? v : x.v, *Z = which == 2 ? v : third;
                    CHECK_STATUS(forward ? pinion_forward_dynamics(x.m, x.w, q, V, Z, x.f, y[s])
                                         : pinion_inverse_dynamics(x.m, x.w, q, V, Z, x.f, y[s]),
                                 PINION_OK);
                }
                for (size_t i = 0; i < n; i++) {
                    const double slope = (8 * (y[0][i] - y[1][i]) - (y[2][i] - y[3][i])) / (12 * h);
                    const double entry = D[which][n * i + (size_t)k];
                    if (!(fabs(slope - entry) < 1e-7 * largest))
                        CHECK_FAIL("%s by %d: [%zu][%d] is %g, expected %g", forward ? "fd" : "id", which, i, k, entry,
                                   slope);
                }
            }
    }
    for (int i = 0; i < 3; i++) free(D[i]);
    for (int i = 0; i < 4; i++) free(y[i]);
    free(q);
    free(v);
    stop(&x);
}

TEST(derivatives_are_differences)
{
    check_derivatives(wet());
    check_derivatives(tree());
    check_derivatives(geared());
}

static float *rounded(const double *x, int n)
{
    float *y = calloc((size_t)n + 1, sizeof *y);
    for (int i = 0; i < n; i++) y[i] = (float)x[i];
    return y;
}

/* and in single precision, of one state and in lanes; M's condition takes five of its digits */
static void check_product_f32(const moving *x, const double *const along[3], const double *expected)
{
    const int nv = x->nv;
    float *q = rounded(x->q, x->nq), *v = rounded(x->v, nv), *tau = rounded(x->tau, nv);
    float *f = rounded(x->f, 6 * x->bodies), *d[3], *y = calloc(2 * (size_t)nv, sizeof *y);
    double top = 1;
    for (int i = 0; i < 3; i++) d[i] = rounded(along[i], nv);
    pinion_work_f32 *w = pinion_work_f32_new(x->m);
    pinion_batch *b = pinion_batch_new(x->m, 1);
    CHECK_STATUS(pinion_forward_dynamics_jvp_f32(x->m, w, q, v, tau, f, d[0], d[1], d[2], y), PINION_OK);
    CHECK_STATUS(pinion_batch_forward_dynamics_jvp_f32(b, 1, q, v, tau, f, d[0], d[1], d[2], y + nv), PINION_OK);
    for (int i = 0; i < nv; i++) top = fmax(top, fabs(expected[i]));
    for (int i = 0; i < 2 * nv; i++) CHECK_NEAR(y[i], expected[i % nv], 1e-2 * top);
    pinion_batch_free(b);
    pinion_work_f32_free(w);
    for (int i = 0; i < 3; i++) free(d[i]);
    free(q);
    free(v);
    free(tau);
    free(f);
    free(y);
}

/* Products along a direction are those of the matrices. */
TEST(products_are_those_of_derivatives)
{
    for (int which = 0; which < 6; which++) {
        uint64_t seed = check_seed + 7;
        moving x = start(which % 3 == 2 ? wet() : which % 3 ? geared() : tree(), &seed);
        const size_t n = (size_t)x.nv;
        double *D[3], *along[3], *y = calloc(n, sizeof *y), *expected = calloc(n, sizeof *y);
        for (int i = 0; i < 3; i++) {
            D[i] = calloc(n * n, sizeof(double));
            along[i] = calloc(n, sizeof(double));
            for (size_t k = 0; k < n; k++) along[i][k] = check_between(&seed, -1, 1);
        }
        if (which < 3) {
            CHECK_STATUS(pinion_d_forward_dynamics(x.m, x.w, x.q, x.v, x.tau, x.f, D[0], D[1], D[2]), PINION_OK);
            CHECK_STATUS(pinion_forward_dynamics_jvp(x.m, x.w, x.q, x.v, x.tau, x.f, along[0], along[1], along[2], y),
                         PINION_OK);
        } else {
            CHECK_STATUS(pinion_d_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, x.f, D[0], D[1], D[2]), PINION_OK);
            CHECK_STATUS(pinion_inverse_dynamics_jvp(x.m, x.w, x.q, x.v, x.a, x.f, along[0], along[1], along[2], y),
                         PINION_OK);
        }
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 3; k++) expected[i] += dot(x.nv, D[k] + n * i, along[k]);
        CHECK(check_error(y, expected, n, 1) < 1e-10); /* M's condition is 1e5 */
        if (which < 3) check_product_f32(&x, (const double *const *)along, expected);
        for (int i = 0; i < 3; i++) free(D[i]);
        for (int i = 0; i < 3; i++) free(along[i]);
        free(y);
        free(expected);
        stop(&x);
    }
}

TEST(what_is_not_computed_is_refused)
{
    uint64_t seed = check_seed + 6;
    moving x = start(tree(), &seed);
    const size_t n = (size_t)x.nv;
    double *out = calloc(60 * n * n + 1000, sizeof *out);
    CHECK_STATUS(pinion_coriolis(x.m, x.w, x.q, x.v, out), PINION_ERR_UNSUPPORTED);
    CHECK_HAS(pinion_work_message(x.w), "elastic");
    CHECK_STATUS(pinion_regressor(x.m, x.w, x.q, x.v, x.a, out), PINION_ERR_UNSUPPORTED);
    CHECK_STATUS(pinion_hessian(x.m, x.w, x.q, 0, 0, out), PINION_ERR_UNSUPPORTED);
    const int mark = pinion_model_find_frame(x.m, "mark"), tool = pinion_model_find_frame(x.m, "tool");
    CHECK_STATUS(pinion_force_on_frame(x.m, mark, x.v, x.f), PINION_ERR_UNSUPPORTED);
    CHECK_STATUS(pinion_force_on_frame(x.m, tool, x.v, x.f), PINION_OK);
    free(out);
    stop(&x);
}

/* Where places are drawn is where frames at the same places are, of beams and of nodes, on a link that moves. */
TEST(places)
{
    const double position[] = {0.2, 0, 0, 0.6, 0.1, 0, 0.9, 0.1, 0.2}, mass[] = {0.1, 0.3, 0.2};
    const double stiffness[] = {3, 1, 1, 4};
    const double translation[] = {0, 0.1, 0, 0, 0.5, 0.1, 0, 0.9, 0.2, 0, 0, 0.1, 0.1, 0, 0.4, 0, 0.1, 1};
    const double rotation[] = {0, 0, 0.3, 0, 0.1, 1, 0.1, 0, 1.5, 0, -0.3, 0, 0.2, -1, 0, 0, -1.4, 0.1};
    for (int nodes = 0; nodes < 2; nodes++) {
        pinion_elastic_def e = plain_beam(2, 2, 1);
        if (nodes) {
            e = pinion_elastic_def_default();
            e.node_count = 3, e.mode_count = 2;
            e.position = position, e.mass = mass, e.translation = translation, e.rotation = rotation;
            e.stiffness_matrix = stiffness;
        }
        e.origin.position[1] = 0.2;
        pinion_builder *b = pinion_builder_new("drawn");
        add_link(b, "ground", 0, NULL);
        add_link(b, "arm", 1, &e);
        add_joint(b, "pivot", PINION_JOINT_REVOLUTE, "ground", "arm", 0.3, 0.4);
        static const double x[] = {0.25, 0.9, 2};
        for (int i = 0; i < 3; i++) {
            const char *const name[] = {"f0", "f1", "f2"};
            pinion_frame_def frame = pinion_frame_def_default();
            frame.name = name[i];
            frame.link = "arm";
            frame.pose.position[0] = nodes ? position[3 * i] : x[i];
            frame.pose.position[1] = 0.2 + (nodes ? position[3 * i + 1] : 0);
            frame.pose.position[2] = nodes ? position[3 * i + 2] : 0;
            CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
        }
        uint64_t seed = check_seed;
        moving m = start(build(b), &seed);
        for (int i = 1; i < m.nq; i++) m.q[i] *= 0.1;
        pinion_elastic_info info;
        CHECK_STATUS(pinion_model_elastic(m.m, 0, &info), PINION_OK);
        double *at = calloc((size_t)info.places, sizeof *at), link[3], R[9];
        pinion_pose *pose = calloc((size_t)info.places, sizeof *pose);
        CHECK_STATUS(pinion_elastic_places(m.m, 0, m.q, at, pose), PINION_OK);
        CHECK_STATUS(pinion_frame_pose(m.m, m.w, m.q, info.link, link, R), PINION_OK);
        int found = 0;
        double along = nodes ? 0 : -1, before[3] = {0, 0, 0};
        for (int i = 0; i < info.places; i++) CHECK(i == 0 || at[i] >= at[i - 1]);
        for (int f = 0; f < 3; f++) {
            const char *const name[] = {"f0", "f1", "f2"};
            double p[3], Q[9];
            double way = 0;
            for (int d = 0; nodes && d < 3; d++) {
                way += (position[3 * f + d] - before[d]) * (position[3 * f + d] - before[d]);
                before[d] = position[3 * f + d];
            }
            along = nodes ? along + sqrt(way) : x[f];
            CHECK_STATUS(pinion_frame_pose(m.m, m.w, m.q, pinion_model_find_frame(m.m, name[f]), p, Q), PINION_OK);
            for (int i = 0; i < info.places; i++) {
                if (fabs(at[i] - along) > 1e-12) continue;
                found++;
                for (int d = 0; d < 3; d++) {
                    double y = link[d];
                    for (int k = 0; k < 3; k++) y += R[3 * d + k] * pose[i].position[k];
                    CHECK_NEAR(y, p[d], 1e-14);
                    for (int c = 0; c < 3; c++) {
                        double z = 0;
                        for (int k = 0; k < 3; k++) z += R[3 * d + k] * pose[i].rotation[3 * k + c];
                        CHECK_NEAR(z, Q[3 * d + c], 1e-14);
                    }
                }
            }
        }
        CHECK(found >= 3);
        CHECK_STATUS(pinion_elastic_places(m.m, 0, m.q, NULL, NULL), PINION_OK);
        CHECK_STATUS(pinion_elastic_places(m.m, 1, m.q, at, pose), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pinion_elastic_places(m.m, 0, NULL, at, pose), PINION_ERR_ARGUMENT);
        CHECK(pinion_model_elastic_count(NULL) == 0);
        free(at);
        free(pose);
        stop(&m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(mass_matrix_is_that_of_inverse_dynamics);
    RUN(every_algorithm_that_applies_agrees);
    RUN(jacobians_and_accelerations_are_derivatives_of_poses);
    RUN(power_is_what_forces_do);
    RUN(momentum_changes_by_weight_alone);
    RUN(derivatives_are_differences);
    RUN(products_are_those_of_derivatives);
    RUN(what_is_not_computed_is_refused);
    RUN(places);
    return CHECK_END();
}
