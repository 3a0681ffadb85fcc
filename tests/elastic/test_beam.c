/* Elastic links against what is known of beams: frequencies by Euler and Bernoulli, deflections under loads, a beam
 * that is spun up, and fine chains of rigid links with springs. */
#include "beams.h"

/* frequencies over sqrt(EI / (rho A L^4)): squares of the roots of the characteristic equations, to 12 digits */
static void check_frequencies(const pinion_elastic_def *e, const double *root, int count, double tolerance)
{
    pinion_model *m = cantilever(e, 0);
    pinion_elastic_info info;
    CHECK_STATUS(pinion_model_elastic(m, 0, &info), PINION_OK);
    CHECK(info.modes == count);
    const double unit = sqrt(e->bending_stiffness[0] / (e->mass_per_length * pow(e->length, 4)));
    for (int k = 0; k < count; k++) {
        const double expected = unit * root[k] * root[k];
        CHECK_NEAR(info.frequency[k], expected, tolerance * expected);
    }
    pinion_model_free(m);
}

TEST(frequencies_of_euler_and_bernoulli)
{
    /* cosh x cos x = -1, tan x = tanh x, cosh x cos x = 1; pinned: k pi */
    static const double free_end[4] = {1.87510406871196, 4.69409113297418, 7.85475743823761, 10.9955407348755};
    static const double one_pinned[4] = {3.92660231204792, 7.06858274562873, 10.2101761228130, 13.3517687777541};
    static const double both[4] = {4.73004074486270, 7.85320462409584, 10.9956078380017, 14.1371654912575};
    const double pinned[4] = {M_PI, 2 * M_PI, 3 * M_PI, 4 * M_PI};
    pinion_elastic_def e = plain_beam(4, 0, 0);
    check_frequencies(&e, free_end, 4, 1e-10);
    e.boundary = PINION_ELASTIC_PINNED;
    check_frequencies(&e, pinned, 4, 1e-10);
    e.boundary = PINION_ELASTIC_CLAMPED_PINNED;
    check_frequencies(&e, one_pinned, 4, 1e-10);
    e.boundary = PINION_ELASTIC_CLAMPED_CLAMPED;
    check_frequencies(&e, both, 4, 1e-10);
}

/* 1 + cosh cos + mu x (sinh cos - cosh sin) - j x^3 (cosh sin + sinh cos) + mu j x^4 (1 - cosh cos), with the mass mu
 * and the inertia j at the tip over those of the beam, rho A L and rho A L^3 */
static double loaded(double x, double mu, double j)
{
    const double c = cosh(x) * cos(x), a = sinh(x) * cos(x), b = cosh(x) * sin(x);
    return 1 + c + mu * x * (a - b) - j * x * x * x * (b + a) + mu * j * x * x * x * x * (1 - c);
}

TEST(frequencies_with_a_mass_at_the_tip)
{
    pinion_elastic_def e = plain_beam(4, 0, 0);
    e.boundary = PINION_ELASTIC_CLAMPED_MASS;
    e.tip_mass = 0.7;
    e.tip_inertia[2] = 0.05;
    const double beam = e.mass_per_length * e.length, mu = e.tip_mass / beam;
    const double j = e.tip_inertia[2] / (beam * e.length * e.length);
    double root[4];
    int found = 0;
    for (double x = 0.05; found < 4; x += 0.05) {
        if (loaded(x, mu, j) * loaded(x + 0.05, mu, j) > 0) continue;
        double low = x, high = x + 0.05;
        for (int k = 0; k < 60; k++) {
            const double middle = (low + high) / 2;
            *(loaded(low, mu, j) * loaded(middle, mu, j) <= 0 ? &high : &low) = middle;
        }
        root[found++] = low;
    }
    check_frequencies(&e, root, 4, 1e-9);

    /* the same mass as a body of its own: the first frequency of M and K agrees, and higher ones converge from above */
    double before = 1e9;
    for (int modes = 1; modes <= 5; modes += 2) {
        pinion_elastic_def bare = plain_beam(modes, 0, 0);
        pinion_builder *b = pinion_builder_new("load");
        add_link(b, "beam", 0, &bare);
        pinion_link_def link = pinion_link_def_default();
        link.name = "load";
        link.inertia.mass = e.tip_mass;
        link.inertia.inertia[5] = e.tip_inertia[2];
        link.inertia.inertia[0] = link.inertia.inertia[3] = e.tip_inertia[2];
        CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
        add_joint(b, "mount", PINION_JOINT_FIXED, "beam", "load", 2, 0);
        pinion_model *m = build(b);
        pinion_work *w = pinion_work_new(m);
        pinion_elastic_info info;
        double q[5] = {0}, M[25], x[5] = {1, 0, 0, 0, 0}, lambda = 0;
        CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
        CHECK_STATUS(pinion_model_elastic(m, 0, &info), PINION_OK);
        for (int k = 0; k < 200; k++) { /* inverse iteration: K is diagonal */
            double y[5] = {0}, up = 0, down = 0;
            for (int i = 0; i < modes; i++) {
                for (int l = 0; l < modes; l++) y[i] += M[i * modes + l] * x[l];
                y[i] /= info.stiffness[i * (modes + 1)];
            }
            for (int i = 0; i < modes; i++) {
                up += y[i] * x[i];
                down += y[i] * y[i];
            }
            lambda = up / down;
            for (int i = 0; i < modes; i++) x[i] = y[i] / sqrt(down);
        }
        const double unit = sqrt(e.bending_stiffness[0] / (e.mass_per_length * pow(e.length, 4)));
        const double error = sqrt(lambda) / (unit * root[0] * root[0]) - 1;
        CHECK(error > -1e-12 && error < before);
        before = error;
        pinion_work_free(w);
        pinion_model_free(m);
    }
    CHECK(before < 2e-4);
}

/* How many frequencies of K x = w^2 M x are below w: the negative pivots of K - w^2 M (Sylvester). */
static int frequencies_below(int n, const double *K, const double *M, double w)
{
    double A[30 * 30];
    int count = 0;
    for (int i = 0; i < n * n; i++) A[i] = K[i] - w * w * M[i];
    for (int k = 0; k < n; k++) {
        count += A[k * (n + 1)] < 0;
        for (int i = k + 1; i < n; i++) {
            const double c = A[i * n + k] / A[k * (n + 1)];
            for (int j = k; j < n; j++) A[i * n + j] -= c * A[k * n + j];
        }
    }
    return count;
}

/* How much too high the first frequencies of a cantilever with a body fixed to its end are: the table of
 * docs/elastic.md. Shapes that know the body have them. */
TEST(loads)
{
    static const double inertia[2] = {0, 0.5}; /* over that of the beam, rho A L^3; the mass is 5 times the beam's */
    static const int modes[4] = {1, 2, 4, 8};
    static const double expected[2][4][2] = {
        {{0.01363, 0}, {2.102e-3, 0.02235}, {2.840e-4, 2.910e-3}, {3.629e-5, 3.710e-4}},
        {{0.03335, 0}, {0.01009, 0.5559}, {3.566e-3, 0.2233}, {1.448e-3, 0.1019}}};
    for (int shape = 0; shape < 2; shape++) {
        double root[2];
        int found = 0;
        for (double x = 0.05; found < 2; x += 0.01) {
            double low = x, high = x + 0.01;
            if (loaded(low, 5, inertia[shape]) * loaded(high, 5, inertia[shape]) > 0) continue;
            for (int k = 0; k < 60; k++) {
                const double middle = (low + high) / 2;
                const int first = loaded(low, 5, inertia[shape]) * loaded(middle, 5, inertia[shape]) <= 0;
                *(first ? &high : &low) = middle;
            }
            root[found++] = low;
        }
        for (int k = 0; k < 8; k++) {
            const int n = modes[k % 4], knows = k >= 4;
            pinion_elastic_def e = plain_beam(n, 0, 0);
            const double beam = e.mass_per_length * e.length, J = inertia[shape] * beam * e.length * e.length;
            if (knows) {
                e.boundary = PINION_ELASTIC_CLAMPED_MASS;
                e.load_mass = 5 * beam;
                e.load_inertia[2] = J;
            }
            pinion_link_def load = pinion_link_def_default();
            load.name = "load";
            load.inertia = (pinion_inertia){5 * beam, {0}, {J, 0, 0, J, 0, J}};
            pinion_builder *b = pinion_builder_new("loaded");
            add_link(b, "beam", 0, &e);
            CHECK_STATUS(pinion_builder_add_link(b, &load, NULL), PINION_OK);
            add_joint(b, "mount", PINION_JOINT_FIXED, "beam", "load", e.length, 0);
            pinion_model *m = build(b);
            pinion_work *w = pinion_work_new(m);
            pinion_elastic_info info;
            double q[8] = {0}, M[64];
            CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
            CHECK_STATUS(pinion_model_elastic(m, 0, &info), PINION_OK);
            const double unit = sqrt(e.bending_stiffness[0] / (e.mass_per_length * pow(e.length, 4)));
            for (int i = 0; i < 2 && i < n; i++) {
                const double exact = unit * root[i] * root[i], off = expected[shape][k % 4][i];
                const double at = knows ? 0 : off, near = knows ? 1e-10 : 0.01 * off;
                CHECK(frequencies_below(n, info.stiffness, M, exact * (1 + at - near)) == i);
                CHECK(frequencies_below(n, info.stiffness, M, exact * (1 + at + near)) == i + 1);
            }
            pinion_work_free(w);
            pinion_model_free(m);
        }
    }
}

/* Two beams in an L, the second across the end of the first, clamped to the world, with a body off its own tip: all
 * bend both ways and twist. The frequencies are those of a frame of 20 Hermite elements a beam, which stretch next to
 * nothing (scipy, a program of its own), to 6 digits. */
TEST(an_elastic_frame)
{
    static const double expected[] = {8.667559, 10.66542, 24.84077, 27.75745, 89.8119, 130.394};
    enum { N = 30 };
    pinion_elastic_def one = plain_beam(5, 5, 5), two = one;
    const double load_one[3] = {0.18, 0.18, 0.02}, load_two[3] = {0.003, 0.004, 0.005}, none[3] = {0, 0, 0};
    one.length = 0.9, one.mass_per_length = 0.8, one.torsion_stiffness = 29, one.polar_inertia = 2e-4;
    one.bending_stiffness[0] = 37, one.bending_stiffness[1] = 52, one.load_mass = 0.7;
    two.length = 0.6, two.mass_per_length = 0.5, two.torsion_stiffness = 12, two.polar_inertia = 1e-4;
    two.bending_stiffness[0] = 21, two.bending_stiffness[1] = 17, two.load_mass = 0.4;
    memcpy(one.load_inertia, load_one, sizeof load_one);
    memcpy(two.load_inertia, load_two, sizeof load_two);
    one.boundary = two.boundary = PINION_ELASTIC_CLAMPED_MASS;

    pinion_builder *b = pinion_builder_new("L");
    CHECK_STATUS(pinion_builder_set_gravity(b, none, NULL), PINION_OK);
    add_link(b, "one", 0, &one);
    add_link(b, "two", 0, &two);
    pinion_link_def tip = pinion_link_def_default();
    tip.name = "tip";
    tip.inertia = (pinion_inertia){0.4, {0.05, 0.02, -0.03}, {0.002, 0, 0, 0.003, 0, 0.004}};
    CHECK_STATUS(pinion_builder_add_link(b, &tip, NULL), PINION_OK);
    pinion_joint_def weld = pinion_joint_def_default();
    const double up[9] = {0, 0, -1, 0, 1, 0, 1, 0, 0}; /* its x is the first one's z */
    weld.name = "weld";
    weld.type = PINION_JOINT_FIXED;
    weld.parent = "one";
    weld.child = "two";
    weld.parent_pose.position[0] = 0.9;
    memcpy(weld.parent_pose.rotation, up, sizeof up);
    CHECK_STATUS(pinion_builder_add_joint(b, &weld, NULL), PINION_OK);
    add_joint(b, "grip", PINION_JOINT_FIXED, "two", "tip", 0.6, 0);
    pinion_model *m = build(b);
    pinion_work *w = pinion_work_new(m);
    double q[N] = {0}, M[N * N], K[N * N] = {0};
    CHECK(pinion_model_nv(m) == N);
    CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
    for (int l = 0; l < 2; l++) {
        pinion_elastic_info info;
        CHECK_STATUS(pinion_model_elastic(m, l, &info), PINION_OK);
        for (int i = 0; i < info.modes * info.modes; i++)
            K[(info.v_index + i / info.modes) * N + info.v_index + i % info.modes] = info.stiffness[i];
    }
    for (int k = 0; k < 6; k++) {
        CHECK(frequencies_below(N, K, M, expected[k] * (1 - 5e-5)) == k);
        CHECK(frequencies_below(N, K, M, expected[k] * (1 + 5e-5)) == k + 1);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* what the modes settle at, where forces f on them balance gravity and stiffness: Newton with K, small deflections */
static void settle(pinion_model *m, const double *f_ext, double *q)
{
    pinion_work *w = pinion_work_new(m);
    const int n = pinion_model_nv(m);
    double *p = calloc((size_t)n, sizeof *p), *h = calloc((size_t)n, sizeof *h);
    pinion_elastic_info info;
    CHECK_STATUS(pinion_model_elastic(m, 0, &info), PINION_OK);
    for (int k = 0; k < 100; k++) {
        CHECK_STATUS(pinion_passive_forces(m, w, q, NULL, p), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(m, w, q, NULL, NULL, f_ext, h), PINION_OK);
        for (int i = 0; i < n; i++) q[i] += (p[i] - h[i]) / info.stiffness[i * (n + 1)];
    }
    free(p);
    free(h);
    pinion_work_free(w);
}

TEST(deflection_under_loads)
{
    /* small loads, so that what is of second order does not show: 1e-6 of it */
    const double F = 1e-4, g = 1e-5;
    double error[2];
    for (int modes = 4; modes <= 8; modes += 4) {
        pinion_elastic_def e = plain_beam(modes, 0, 0);
        pinion_builder *b = pinion_builder_new("loaded");
        add_link(b, "beam", 0, &e);
        add_link(b, "tip", 0, NULL);
        add_joint(b, "mount", PINION_JOINT_FIXED, "beam", "tip", 2, 0);
        const double none[3] = {0, 0, 0}, weight[3] = {0, -g, 0};
        CHECK_STATUS(pinion_builder_set_gravity(b, none, NULL), PINION_OK);
        pinion_model *m = build(b);
        double q[8] = {0}, f[12] = {0}, p[3], R[9];
        pinion_work *w = pinion_work_new(m);
        CHECK(pinion_model_body_count(m) == 2);
        f[6 + 4] = F;
        settle(m, f, q);
        CHECK_STATUS(pinion_frame_pose(m, w, q, pinion_model_find_frame(m, "tip"), p, R), PINION_OK);
        const double L = e.length, EI = e.bending_stiffness[0], expected = F * L * L * L / (3 * EI);
        error[modes / 4 - 1] = fabs(p[1] / expected - 1);
        CHECK_NEAR(R[3], F * L * L / (2 * EI), 0.03 * F * L * L / (2 * EI)); /* slopes converge slower */

        /* its own weight */
        pinion_model *heavy = pinion_model_copy(m);
        CHECK_STATUS(pinion_model_set_gravity(heavy, weight), PINION_OK);
        memset(q, 0, sizeof q);
        settle(heavy, NULL, q);
        CHECK_STATUS(pinion_frame_pose(heavy, w, q, pinion_model_find_frame(m, "tip"), p, R), PINION_OK);
        const double sag = e.mass_per_length * g * pow(L, 4) / (8 * EI);
        CHECK_NEAR(p[1], -sag, 1e-4 * sag);
        pinion_work_free(w);
        pinion_model_free(heavy);
        pinion_model_free(m);
    }
    CHECK(error[0] < 2e-3 && error[1] < 3e-4); /* each mode adds 12 / x^4 of it, x the root of its frequency */
}

/* one step of Runge and Kutta of fourth order; joint 0 moves as prescribed, its forces are what that takes */
typedef void law(double t, double *q, double *v, double *a);

static void rate(const pinion_model *m, pinion_work *w, law *drive, double t, const double *y, double *dy)
{
    const int n = pinion_model_nv(m);
    double q[16], v[16], a[16], M[256], h[16], p[16];
    memcpy(q, y, (size_t)n * sizeof *q);
    memcpy(v, y + n, (size_t)n * sizeof *v);
    drive(t, &q[0], &v[0], &a[0]);
    CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
    CHECK_STATUS(pinion_bias(m, w, q, v, h), PINION_OK);
    CHECK_STATUS(pinion_passive_forces(m, w, q, v, p), PINION_OK);
    /* M_xx a_x = p_x - h_x - M_x0 a_0, by elimination without pivots: M is positive definite */
    for (int i = 1; i < n; i++) a[i] = p[i] - h[i] - M[i * n] * a[0];
    for (int k = 1; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            const double f = M[i * n + k] / M[k * n + k];
            for (int j = k; j < n; j++) M[i * n + j] -= f * M[k * n + j];
            a[i] -= f * a[k];
        }
    for (int i = n - 1; i > 0; i--) {
        for (int j = i + 1; j < n; j++) a[i] -= M[i * n + j] * a[j];
        a[i] /= M[i * n + i];
    }
    memcpy(dy, v, (size_t)n * sizeof *dy);
    memcpy(dy + n, a, (size_t)n * sizeof *dy);
}

static void march(const pinion_model *m, law *drive, double until, int steps, double *y, double *largest, double *last)
{
    pinion_work *w = pinion_work_new(m);
    const int n = pinion_model_nv(m), size = 2 * n;
    double k[4][32], x[32], h = until / steps;
    *largest = *last = 0;
    for (int s = 0; s < steps; s++) {
        static const double part[4] = {0, 0.5, 0.5, 1};
        for (int i = 0; i < 4; i++) {
            for (int d = 0; d < size; d++) x[d] = y[d] + (i ? part[i] * h * k[i - 1][d] : 0);
            rate(m, w, drive, s * h + part[i] * h, x, k[i]);
        }
        for (int d = 0; d < size; d++) y[d] += h / 6 * (k[0][d] + 2 * k[1][d] + 2 * k[2][d] + k[3][d]);
        double tip = 0;
        for (int i = 1; i < n; i++) tip += y[i]; /* of modes; they are all 1 or -1 there, and so not more */
        if (fabs(tip) > *largest) *largest = fabs(tip);
        if (s > steps - steps / 6 && fabs(tip) > *last) *last = fabs(tip);
    }
    pinion_work_free(w);
}

/* the beam of Kane, Ryan & Banerjee 1987: spun up to w in T seconds */
static double spin_rate, spin_time;
static void spin_up(double t, double *q, double *v, double *a)
{
    const double w = spin_rate, T = spin_time, s = 2 * M_PI / T;
    if (t < T) {
        *a = w / T * (1 - cos(s * t));
        *v = w / T * (t - sin(s * t) / s);
        *q = w / T * (t * t / 2 + (cos(s * t) - 1) / (s * s));
    } else {
        *a = 0;
        *v = w;
        *q = w * T / 2 + w * (t - T);
    }
}

/* The tip of the elastica under a load across it, over the length: theta'' = -a cos theta, a = F L^2 / EI, by shooting
 * with Runge and Kutta's method. */
static double elastica(double a)
{
    double low = 0, high = a, y = 0;
    for (int k = 0; k < 60; k++) {
        const double bend = (low + high) / 2, h = 1.0 / 400;
        double t = 0, d = bend;
        y = 0;
        for (int i = 0; i < 400; i++) {
            const double k1 = d, l1 = -a * cos(t), k2 = d + h / 2 * l1, l2 = -a * cos(t + h / 2 * k1);
            const double k3 = d + h / 2 * l2, l3 = -a * cos(t + h / 2 * k2), k4 = d + h * l3, l4 = -a * cos(t + h * k3);
            y += h / 6 * (sin(t) + 2 * sin(t + h / 2 * k1) + 2 * sin(t + h / 2 * k2) + sin(t + h * k3));
            t += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
            d += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
        }
        *(d > 0 ? &high : &low) = bend;
    }
    return y;
}

/* What docs/elastic.md says of large deflections: the stiffness is that of small ones, so that a load across the tip
 * bends a cantilever too far, by so much of its deflection. */
TEST(large_deflections_are_too_large)
{
    static const double load[] = {0.1, 0.3, 0.5, 1}, tip[] = {0.0333, 0.0990, 0.1621, 0.3017};
    static const double more[] = {0.0011, 0.0102, 0.0279, 0.1048};
    pinion_elastic_def e = plain_beam(8, 0, 0);
    const double none[3] = {0, 0, 0}, L = e.length;
    pinion_builder *b = pinion_builder_new("loaded");
    CHECK_STATUS(pinion_builder_set_gravity(b, none, NULL), PINION_OK);
    add_link(b, "beam", 0, &e);
    add_link(b, "tip", 0, NULL);
    add_joint(b, "mount", PINION_JOINT_FIXED, "beam", "tip", L, 0);
    pinion_model *m = build(b);
    pinion_work *w = pinion_work_new(m);
    pinion_elastic_info info;
    CHECK_STATUS(pinion_model_elastic(m, 0, &info), PINION_OK);
    const int at = pinion_model_find_frame(m, "tip");
    for (int k = 0; k < 4; k++) {
        double q[8] = {0}, p[3], R[9], h[8], s[8];
        for (int round = 0; round < 200; round++) {
            double f[12] = {0};
            CHECK_STATUS(pinion_frame_pose(m, w, q, at, p, R), PINION_OK);
            for (int i = 0; i < 3; i++) f[9 + i] = load[k] * e.bending_stiffness[0] / (L * L) * R[3 + i];
            CHECK_STATUS(pinion_passive_forces(m, w, q, NULL, s), PINION_OK);
            CHECK_STATUS(pinion_inverse_dynamics(m, w, q, NULL, NULL, f, h), PINION_OK);
            for (int i = 0; i < 8; i++) q[i] += (s[i] - h[i]) / info.stiffness[9 * i];
        }
        const double exact = elastica(load[k]);
        CHECK_NEAR(exact, tip[k], 5e-5);
        CHECK_NEAR(p[1] / L / exact - 1, more[k], 3e-4);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(a_beam_that_is_spun_up_stiffens)
{
    /* the numbers of their example, SI: 10 m, E 7e10, I 2e-7, rho 3000, A 4e-4; 6 rad/s in 15 s */
    pinion_elastic_def e = pinion_elastic_def_default();
    e.length = 10;
    e.mass_per_length = 3000 * 4e-4;
    e.bending_stiffness[0] = e.bending_stiffness[1] = 7e10 * 2e-7;
    e.modes[0] = 3;
    for (int fast = 0; fast < 2; fast++) {
        const double none[3] = {0, 0, 0};
        pinion_builder *b = pinion_builder_new("spin");
        CHECK_STATUS(pinion_builder_set_gravity(b, none, NULL), PINION_OK);
        add_link(b, "ground", 0, NULL);
        add_link(b, "beam", 0, &e);
        add_joint(b, "hub", PINION_JOINT_REVOLUTE, "ground", "beam", 0, 0);
        pinion_model *m = build(b);
        double y[32] = {0}, largest, last;
        spin_rate = fast ? 60 : 6; /* far above its first frequency, 3.8 rad/s */
        spin_time = 15;
        march(m, spin_up, 20, fast ? 40000 : 8000, y, &largest, &last);
        if (!fast) {
            CHECK(largest > 0.5 && largest < 0.65); /* it lags behind the spin */
            CHECK(last < 0.01);                     /* and comes back: straight is steady */
        } else {
            CHECK(largest < 3 && last < 0.05);
        }
        pinion_model_free(m);
    }
}

TEST(a_spinning_beam_has_the_frequencies_of_the_literature)
{
    /* out of the plane and in it, at w = 6 sqrt(EI / (rho A L^4)): 7.3604 and, squares less w^2, 4.2633 units
       (Wright, Smith, Thresher & Wang 1982: 7.3604 is flapping's at 6, lagging's is the root of its square less 36) */
    pinion_elastic_def e = plain_beam(6, 6, 0);
    e.bending_stiffness[1] = e.bending_stiffness[0];
    e.polar_inertia = 0; /* that of sections would soften it */
    const double none[3] = {0, 0, 0};
    pinion_builder *b = pinion_builder_new("spin");
    CHECK_STATUS(pinion_builder_set_gravity(b, none, NULL), PINION_OK);
    add_link(b, "ground", 0, NULL);
    add_link(b, "beam", 0, &e);
    add_joint(b, "hub", PINION_JOINT_REVOLUTE, "ground", "beam", 0, 0);
    pinion_model *m = build(b);
    pinion_work *w = pinion_work_new(m);
    const int n = pinion_model_nv(m);
    const double unit = sqrt(e.bending_stiffness[0] / (e.mass_per_length * pow(e.length, 4)));
    double q[13] = {0}, v[13] = {0}, D[169], M[169], P[169];
    v[0] = 6 * unit;
    CHECK_STATUS(pinion_d_inverse_dynamics(m, w, q, v, NULL, NULL, D, NULL, M), PINION_OK);
    CHECK_STATUS(pinion_d_passive_forces(m, w, q, v, P, NULL), PINION_OK);
    for (int way = 0; way < 2; way++) {
        /* the least eigenvalue of (D - P) x = l M x over the modes of one direction, by inverse iteration */
        double A[36], B[36], x[6] = {1, 0, 0, 0, 0, 0}, l = 0;
        for (int i = 0; i < 36; i++) {
            const int r = 1 + 6 * way + i / 6, c = 1 + 6 * way + i % 6;
            A[i] = D[r * n + c] - P[r * n + c];
            B[i] = M[r * n + c];
        }
        for (int k = 0; k < 60; k++) {
            double C[36], y[6], up = 0, down = 0;
            memcpy(C, A, sizeof C);
            for (int i = 0; i < 6; i++) {
                y[i] = 0;
                for (int j = 0; j < 6; j++) y[i] += B[6 * i + j] * x[j];
            }
            for (int p = 0; p < 6; p++)
                for (int i = p + 1; i < 6; i++) {
                    const double f = C[6 * i + p] / C[6 * p + p];
                    for (int j = p; j < 6; j++) C[6 * i + j] -= f * C[6 * p + j];
                    y[i] -= f * y[p];
                }
            for (int i = 5; i >= 0; i--) {
                for (int j = i + 1; j < 6; j++) y[i] -= C[6 * i + j] * y[j];
                y[i] /= C[6 * i + i];
            }
            for (int i = 0; i < 6; i++) {
                up += x[i] * y[i];
                down += y[i] * y[i];
            }
            l = up / down;
            for (int i = 0; i < 6; i++) x[i] = y[i] / sqrt(down);
        }
        const double expected = way ? 7.3604 : sqrt(7.3604 * 7.3604 - 36);
        CHECK_NEAR(sqrt(l) / unit, expected, 2e-3);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* A chain of rigid links with springs: the beam in n pieces, each half a piece from joint to joint. */
static pinion_model *chain(const pinion_elastic_def *e, int pieces)
{
    pinion_builder *b = pinion_builder_new("chain");
    char name[16], before[16] = "ground";
    const double piece = e->length / pieces, mass = e->mass_per_length * piece;
    const double none[3] = {0, 0, 0};
    CHECK_STATUS(pinion_builder_set_gravity(b, none, NULL), PINION_OK);
    add_link(b, "ground", 0, NULL);
    for (int i = 0; i <= pieces; i++) {
        /* half a piece, whole ones, half a piece */
        const double part = i == 0 || i == pieces ? 0.5 : 1;
        pinion_link_def link = pinion_link_def_default();
        snprintf(name, sizeof name, "l%d", i);
        link.name = name;
        link.inertia.mass = part * mass;
        link.inertia.com[0] = i == 0 ? piece / 4 : i == pieces ? piece / 4 : piece / 2;
        const double J = link.inertia.mass * part * part * piece * piece / 12;
        link.inertia.inertia[3] = link.inertia.inertia[5] = J;
        link.inertia.inertia[0] = 1e-9;
        CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
        pinion_joint_def joint = pinion_joint_def_default();
        char own[16];
        snprintf(own, sizeof own, "j%d", i);
        joint.name = own;
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = before;
        joint.child = name;
        joint.parent_pose.position[0] = i == 0 ? 0 : i == 1 ? piece / 2 : piece;
        if (i) joint.dof[0].stiffness = e->bending_stiffness[0] / piece;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
        memcpy(before, name, sizeof before);
    }
    return build(b);
}

TEST(modes_converge_to_a_fine_chain)
{
    /* a hub that turns by a law, weight left out: the tip against the straight line, after some time */
    pinion_elastic_def e = plain_beam(4, 0, 0);
    const double none[3] = {0, 0, 0};
    spin_rate = 0.1;
    spin_time = 0.8;
    double tip[3];
    for (int kind = 0; kind < 3; kind++) {
        pinion_model *m;
        if (kind == 0) {
            pinion_builder *b = pinion_builder_new("spin");
            CHECK_STATUS(pinion_builder_set_gravity(b, none, NULL), PINION_OK);
            add_link(b, "ground", 0, NULL);
            add_link(b, "beam", 0, &e);
            add_joint(b, "hub", PINION_JOINT_REVOLUTE, "ground", "beam", 0, 0);
            add_link(b, "tip", 0, NULL);
            add_joint(b, "mount", PINION_JOINT_FIXED, "beam", "tip", 2, 0);
            m = build(b);
        } else {
            m = chain(&e, kind == 1 ? 6 : 12);
        }
        double y[32] = {0}, largest, last, p[3], R[9], q, v, a;
        march(m, spin_up, 1, kind == 2 ? 6000 : 2000, y, &largest, &last);
        pinion_work *w = pinion_work_new(m);
        spin_up(1, &q, &v, &a);
        y[0] = q;
        const int frame = pinion_model_find_frame(m, kind == 0 ? "tip" : kind == 1 ? "l6" : "l12");
        CHECK_STATUS(pinion_frame_pose(m, w, y, frame, p, R), PINION_OK);
        if (kind) { /* to its end: half a piece on */
            const double half = e.length / (kind == 1 ? 6 : 12) / 2;
            for (int d = 0; d < 3; d++) p[d] += half * R[3 * d];
        }
        tip[kind] = cos(q) * p[1] - sin(q) * p[0];
        pinion_work_free(w);
        pinion_model_free(m);
    }
    /* the chain's error falls with the square of its pieces: what two of them extrapolate to */
    const double fine = tip[2] + (tip[2] - tip[1]) / 3;
    CHECK(fabs(fine) > 0.02);
    CHECK_NEAR(tip[0], fine, 2e-3 * fabs(fine)); /* of which what curves bend more than slopes say is 8e-4 */
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(frequencies_of_euler_and_bernoulli);
    RUN(frequencies_with_a_mass_at_the_tip);
    RUN(loads);
    RUN(an_elastic_frame);
    RUN(deflection_under_loads);
    RUN(large_deflections_are_too_large);
    RUN(a_spinning_beam_has_the_frequencies_of_the_literature);
    RUN(modes_converge_to_a_fine_chain);
    RUN(a_beam_that_is_spun_up_stiffens);
    return CHECK_END();
}
