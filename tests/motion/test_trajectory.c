/* Trajectories between configurations and through samples. */
#include "sim/derivative.h"
#include "pinion/pinion.h"

/* ------------------------------------------------------------------------------------------------ */
/* Models */

/* One of each kind of joint whose velocities are not derivatives of coordinates, and two plain ones. */
static pinion_model *manifold(void)
{
    static const pinion_joint_type types[] = {PINION_JOINT_FREE, PINION_JOINT_PLANAR, PINION_JOINT_SPHERICAL,
                                              PINION_JOINT_REVOLUTE, PINION_JOINT_UNIVERSAL};
    pinion_builder *b = pinion_builder_new("manifold");
    pinion_link_def link = pinion_link_def_default();
    pinion_status status = b ? PINION_OK : PINION_ERR_MEMORY;
    char name[2][16];
    for (int i = 0; status == PINION_OK && i < 6; i++) {
        snprintf(name[0], sizeof name[0], "link%d", i);
        link.name = name[0];
        link.inertia = (pinion_inertia){1, {0.1, 0.2, 0}, {0.1, 0, 0, 0.1, 0, 0.1}};
        status = pinion_builder_add_link(b, &link, NULL);
    }
    for (int i = 0; status == PINION_OK && i < 5; i++) {
        pinion_joint_def joint = pinion_joint_def_default();
        char own[16];
        snprintf(own, sizeof own, "joint%d", i);
        snprintf(name[0], sizeof name[0], "link%d", i);
        snprintf(name[1], sizeof name[1], "link%d", i + 1);
        joint.name = own;
        joint.type = types[i];
        joint.parent = name[0];
        joint.child = name[1];
        joint.parent_pose.position[0] = 0.3;
        status = pinion_builder_add_joint(b, &joint, NULL);
    }
    pinion_model *m = status == PINION_OK ? pinion_builder_build(b, NULL, NULL) : NULL;
    pinion_builder_free(b);
    return m;
}

static pinion_model *model(int i)
{
    return i == 0 ? manifold() : pinion_random_tree(9, i % 2, check_seed + (uint64_t)i, NULL);
}

/* ------------------------------------------------------------------------------------------------ */
/* Profiles and trajectories between configurations */

TEST(profiles_have_names)
{
    for (int i = 0; i < PINION_PROFILE_COUNT; i++)
        CHECK(pinion_profile_find(pinion_profile_name((pinion_profile)i)) == i);
    CHECK(pinion_profile_find("sideways") == -1 && pinion_profile_find(NULL) == -1);
    CHECK(pinion_profile_name(PINION_PROFILE_COUNT) == NULL);
}

/* Saha's trajectory of the Stanford arm: 10 s, joints from 0 (the second from 90 degrees) to 60 degrees. */
TEST(cycloidal_is_the_papers)
{
    pinion_model *m = pinion_random_chain(2, 1, NULL);
    const double q0[2] = {0, M_PI / 2}, q1[2] = {M_PI / 3, M_PI / 3}, T = 10;
    pinion_trajectory *p = pinion_trajectory_between(m, q0, q1, T, PINION_PROFILE_CYCLOIDAL, 0, NULL);
    CHECK(p != NULL);
    for (int k = 0; p && k <= 40; k++) {
        const double t = T * k / 40, x = 2 * M_PI * t / T;
        double q[2], v[2], a[2];
        CHECK_STATUS(pinion_trajectory_at(p, t, q, v, a), PINION_OK);
        for (int i = 0; i < 2; i++) {
            const double d = (q1[i] - q0[i]) / (2 * M_PI);
            CHECK_NEAR(q[i], q0[i] + d * (x - sin(x)), 1e-14);
            CHECK_NEAR(v[i], d * 2 * M_PI / T * (1 - cos(x)), 1e-14);
            CHECK_NEAR(a[i], d * 4 * M_PI * M_PI / (T * T) * sin(x), 1e-14);
        }
    }
    pinion_trajectory_free(p);
    pinion_model_free(m);
}

/* jerk and snap are the derivatives of a, by differences of order 6 */
static void check_higher(pinion_trajectory *p, int nv, double t)
{
    static const double one[4] = {0, 45.0 / 60, -9.0 / 60, 1.0 / 60}, two[4] = {-49.0 / 18, 1.5, -0.15, 1.0 / 90};
    const double h = 2e-3;
    double q[WIDEST], v[WIDEST], a[7][WIDEST], jerk[WIDEST], snap[WIDEST];
    for (int k = -3; k <= 3; k++) CHECK_STATUS(pinion_trajectory_at(p, t + k * h, q, v, a[3 + k]), PINION_OK);
    CHECK_STATUS(pinion_trajectory_higher(p, t, jerk, snap), PINION_OK);
    for (int i = 0; i < nv; i++) {
        double x = 0, y = two[0] * a[3][i];
        for (int k = 1; k <= 3; k++) {
            x += one[k] * (a[3 + k][i] - a[3 - k][i]);
            y += two[k] * (a[3 + k][i] + a[3 - k][i]);
        }
        CHECK_NEAR(jerk[i], x / h, 1e-8 * (1 + fabs(jerk[i])));
        CHECK_NEAR(snap[i], y / (h * h), 1e-6 * (1 + fabs(snap[i])));
    }
}

TEST(higher_derivatives)
{
    static const pinion_profile profiles[3] = {PINION_PROFILE_CYCLOIDAL, PINION_PROFILE_QUINTIC, PINION_PROFILE_NONIC};
    for (int k = 0; k < 6; k++) {
        pinion_model *m = model(k);
        double q0[WIDEST], q1[WIDEST], jerk[WIDEST], snap[WIDEST];
        const int nv = pinion_model_nv(m);
        CHECK(pinion_random(m, check_seed + 10, q0) == PINION_OK && pinion_random(m, check_seed + 20, q1) == PINION_OK);
        for (int i = 0; i < 3; i++) {
            pinion_trajectory *p = pinion_trajectory_between(m, q0, q1, 1.5, profiles[i], 0, NULL);
            for (double t = 0.1; t < 1.45; t += 0.3) check_higher(p, nv, t);
            /* from rest to rest without a jump */
            for (int side = 0; side < 2 && profiles[i] == PINION_PROFILE_NONIC; side++) {
                CHECK_STATUS(pinion_trajectory_higher(p, side * 1.5, jerk, snap), PINION_OK);
                for (int j = 0; j < nv; j++) CHECK(jerk[j] == 0 && snap[j] == 0);
            }
            CHECK_STATUS(pinion_trajectory_higher(p, 2, jerk, NULL), PINION_OK);
            CHECK(nv == 0 || jerk[0] == 0);
            pinion_trajectory_free(p);
        }
        pinion_model_free(m);
    }
    /* through samples with v and a: quintic pieces */
    pinion_model *m = pinion_random_chain(3, check_seed, NULL);
    const double t[3] = {0, 1, 2.5};
    double q[9], v[9], a[9];
    uint64_t r = check_seed;
    for (int i = 0; i < 9; i++) {
        q[i] = check_between(&r, -1, 1);
        v[i] = check_between(&r, -1, 1);
        a[i] = check_between(&r, -1, 1);
    }
    if (m && pinion_model_nq(m) == 3) {
        pinion_trajectory *p = pinion_trajectory_samples(m, 3, t, q, v, a, NULL);
        CHECK(p);
        check_higher(p, 3, 0.4);
        check_higher(p, 3, 1.7);
        pinion_trajectory_free(p);

        /* one sample is a state, which stays */
        double jerk[3] = {1, 1, 1}, snap[3] = {1, 1, 1};
        p = pinion_trajectory_samples(m, 1, t, q, v, a, NULL);
        CHECK(p);
        CHECK_STATUS(pinion_trajectory_higher(p, 0, jerk, snap), PINION_OK);
        for (int i = 0; i < 3; i++) CHECK(jerk[i] == 0 && snap[i] == 0);
        pinion_trajectory_free(p);
    }
    pinion_model_free(m);

    /* what turns in space has no polynomial */
    pinion_builder *b = pinion_builder_new("ball");
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    link.name = "world";
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    link.name = "ball";
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    joint.name = "turn";
    joint.type = PINION_JOINT_SPHERICAL;
    joint.parent = "world";
    joint.child = "ball";
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    const double turned[12] = {1, 0, 0, 0, 0.8, 0.6, 0, 0, 0, 1, 0, 0};
    pinion_trajectory *p = m ? pinion_trajectory_samples(m, 3, t, turned, NULL, NULL, NULL) : NULL;
    CHECK(p);
    if (p) CHECK_STATUS(pinion_trajectory_higher(p, 0.5, v, a), PINION_ERR_UNSUPPORTED);
    pinion_trajectory_free(p);
    pinion_model_free(m);
}

TEST(between_moves_as_it_says)
{
    double worst[2] = {0, 0};
    for (int k = 0; k < 6; k++) {
        pinion_model *m = model(k);
        double q0[WIDEST], q1[WIDEST], q[WIDEST], v[WIDEST], a[WIDEST], d[WIDEST];
        const int nv = pinion_model_nv(m);
        CHECK(pinion_random(m, check_seed + 10, q0) == PINION_OK &&
              pinion_random(m, check_seed + 20, q1) == PINION_OK);
        for (int profile = 0; profile < PINION_PROFILE_COUNT; profile++) {
            const double T = 1.5, blend = 0.3;
            pinion_trajectory *p =
                pinion_trajectory_between(m, q0, q1, T, (pinion_profile)profile, blend, NULL);
            CHECK(p && pinion_trajectory_start(p) == 0 && pinion_trajectory_end(p) == T);
            if (!p) continue;
            /* inside, but for the kinks of the trapezoid at 0.45 and 1.05 */
            const double h = profile == PINION_PROFILE_NONIC ? 1e-3 : 2e-3; /* its derivatives grow with their order */
            for (double t = 0.03; t < T; t += 0.1) check_derivatives(m, p, t, h, 2e-9, worst);

            /* both ends, at rest but for the uniform one, and outside at rest */
            for (int side = 0; side < 2; side++) {
                double speed = 0;
                CHECK_STATUS(pinion_trajectory_at(p, side * T, q, v, a), PINION_OK);
                CHECK_STATUS(pinion_difference(m, side ? q1 : q0, q, d), PINION_OK);
                for (int i = 0; i < nv; i++) {
                    CHECK_NEAR(d[i], 0, 1e-13);
                    speed = fmax(speed, fabs(v[i]));
                }
                CHECK(profile == PINION_PROFILE_UNIFORM ? speed > 0.1 : speed < 1e-13);
                CHECK_STATUS(pinion_trajectory_at(p, side ? T + 1 : -1, q, v, a), PINION_OK);
                CHECK_STATUS(pinion_difference(m, side ? q1 : q0, q, d), PINION_OK);
                for (int i = 0; i < nv; i++) {
                    CHECK_NEAR(d[i], 0, 1e-13);
                    CHECK(v[i] == 0 && a[i] == 0);
                }
            }
            pinion_trajectory_free(p);
        }
        pinion_model_free(m);
    }
    printf("    worst: v %g, a %g\n", worst[0], worst[1]);
}

TEST(trapezoid_of_every_blend)
{
    pinion_model *m = pinion_random_chain(1, 1, NULL);
    const double zero = 0, one = 1;
    static const double blends[] = {0.01, 0.25, 0.4999, 0.5};
    for (int k = 0; k < 4; k++) {
        const double b = blends[k];
        pinion_trajectory *p = pinion_trajectory_between(m, &zero, &one, 1, PINION_PROFILE_TRAPEZOIDAL, b, NULL);
        double before = 0, q, v, a;
        for (int i = 0; p && i <= 1000; i++) {
            const double t = i / 1000.0;
            CHECK_STATUS(pinion_trajectory_at(p, t, &q, &v, &a), PINION_OK);
            CHECK(q >= before && v >= -1e-15 && v <= 1 / (1 - b) + 1e-12 &&
                  fabs(a) <= 1 / (b * (1 - b)) + 1e-12);
            before = q;
        }
        CHECK_STATUS(pinion_trajectory_at(p, 0.5, &q, &v, &a), PINION_OK);
        CHECK_NEAR(q, 0.5, 1e-15);
        CHECK_NEAR(v, 1 / (1 - b), 1e-12);
        pinion_trajectory_free(p);
    }
    pinion_model_free(m);
}

/* ------------------------------------------------------------------------------------------------ */
/* Samples */

/* A smooth motion on the manifold: first one screw, then another on top of it. */
static void smooth(const pinion_model *m, uint64_t seed, double t, double *q)
{
    double x[WIDEST], y[WIDEST];
    const int nv = pinion_model_nv(m);
    CHECK(pinion_random(m, seed, q) == PINION_OK);
    for (int i = 0; i < nv; i++) {
        x[i] = check_between(&seed, -1, 1) * sin(t + i);
        y[i] = check_between(&seed, -1, 1) * cos(1.3 * t - i);
    }
    CHECK(pinion_integrate(m, q, x, 1, q) == PINION_OK && pinion_integrate(m, q, y, 1, q) == PINION_OK);
}

/* Its velocity and acceleration by differences. */
static void smooth_rates(const pinion_model *m, uint64_t seed, double t, double *v, double *a)
{
    double q[WIDEST], q0[WIDEST], q1[WIDEST], d0[WIDEST], d1[WIDEST], w[2][WIDEST], u[2][WIDEST];
    for (int k = 0; k < 2; k++) {
        const double h = k ? 1e-3 : 2e-3;
        smooth(m, seed, t, q);
        smooth(m, seed, t - h, q0);
        smooth(m, seed, t + h, q1);
        CHECK(pinion_difference(m, q, q0, d0) == PINION_OK && pinion_difference(m, q, q1, d1) == PINION_OK);
        /* in the chart of q (+): first derivative is v there, second is a, since the bends of the chart
         * vanish */
        for (int i = 0; i < pinion_model_nv(m); i++) {
            w[k][i] = (d1[i] - d0[i]) / (2 * h);
            u[k][i] = (d1[i] + d0[i]) / (h * h);
        }
    }
    for (int i = 0; i < pinion_model_nv(m); i++) {
        v[i] = (4 * w[1][i] - w[0][i]) / 3;
        a[i] = (4 * u[1][i] - u[0][i]) / 3;
    }
}

typedef struct table {
    double t[400], q[400 * 60], v[400 * 60], a[400 * 60];
} table;

static pinion_trajectory *sampled(const pinion_model *m, uint64_t seed, int count, double span, int given,
                                  table *s)
{
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    for (int k = 0; k < count; k++) {
        /* not evenly */
        const double x = (double)k / (count - 1);
        s->t[k] = span * (x + 0.1 * sin(2 * M_PI * x));
        smooth(m, seed, s->t[k], s->q + k * nq);
        smooth_rates(m, seed, s->t[k], s->v + k * nv, s->a + k * nv);
    }
    return pinion_trajectory_samples(m, count, s->t, s->q, given > 0 ? s->v : NULL, given > 1 ? s->a : NULL,
                                     NULL);
}

TEST(samples_are_met_smoothly)
{
    static table s;
    double worst[2] = {0, 0}, jump[3], at[3] = {0, 0, 0};
    for (int k = 0; k < 5; k++) {
        pinion_model *m = model(k);
        const int nq = pinion_model_nq(m), nv = pinion_model_nv(m), count = 13;
        for (int given = 0; given < 3; given++) {
            pinion_trajectory *p = sampled(m, check_seed + 3, count, 3, given, &s);
            CHECK(p != NULL);
            for (int i = 0; p && i < count; i++) {
                double q[WIDEST], v[WIDEST], a[WIDEST], d[WIDEST];
                CHECK_STATUS(pinion_trajectory_at(p, s.t[i], q, v, a), PINION_OK);
                CHECK_STATUS(pinion_difference(m, s.q + i * nq, q, d), PINION_OK);
                for (int c = 0; c < nv; c++) {
                    CHECK_NEAR(d[c], 0, 1e-13);
                    if (given > 0) CHECK_NEAR(v[c], s.v[i * nv + c], 1e-12);
                    if (given > 1) CHECK_NEAR(a[c], s.a[i * nv + c], 1e-10);
                }
                if (i == 0 || i + 1 == count) continue;
                /* continuous there: q and v always, a unless only v is given */
                jumps(m, p, s.t[i], 1e-9, jump);
                CHECK_NEAR(jump[0], 0, 1e-7);
                CHECK_NEAR(jump[1], 0, 1e-6);
                if (given != 1) CHECK_NEAR(jump[2], 0, 1e-5);
                for (int c = 0; c < 3; c++)
                    if (c < 2 || given != 1) at[c] = fmax(at[c], jump[c]);
            }
            /* within the pieces */
            for (int i = 0; p && i + 1 < count; i++)
                check_derivatives(m, p, 0.5 * (s.t[i] + s.t[i + 1]), 2e-3, 1e-7, worst);
            pinion_trajectory_free(p);
        }
        pinion_model_free(m);
    }
    printf("    worst: v %g, a %g; jumps %g %g %g\n", worst[0], worst[1], at[0], at[1], at[2]);
}

/* The largest difference of q from the motion that was sampled. */
static double distance(const pinion_model *m, uint64_t seed, pinion_trajectory *p, double span)
{
    double q[WIDEST], r[WIDEST], d[WIDEST], worst = 0;
    for (double t = 0; t <= span; t += span / 997) {
        smooth(m, seed, t, r);
        CHECK(pinion_trajectory_at(p, t, q, NULL, NULL) == PINION_OK);
        CHECK(pinion_difference(m, r, q, d) == PINION_OK);
        for (int i = 0; i < pinion_model_nv(m); i++) worst = fmax(worst, fabs(d[i]));
    }
    return worst;
}

/* Twice as many samples: an error 16 times smaller, 64 times where accelerations are given. */
TEST(samples_converge)
{
    static table s;
    for (int k = 0; k < 3; k++) {
        pinion_model *m = model(k);
        for (int given = 0; given < 3; given++) {
            double error[3];
            for (int i = 0; i < 3; i++) {
                pinion_trajectory *p = sampled(m, check_seed + 5, (20 << i) + 1, 4, given, &s);
                error[i] = p ? distance(m, check_seed + 5, p, 4) : INFINITY;
                pinion_trajectory_free(p);
            }
            const double order = log2(error[1] / error[2]);
            printf("    model %d given %d: errors %.2e %.2e %.2e, order %.1f\n", k, given, error[0], error[1],
                   error[2], order);
            CHECK(order > (given == 2 ? 4.5 : 3.3) || error[2] < 1e-9);
            CHECK(error[2] < 2e-4);
        }
        pinion_model_free(m);
    }
}

/* A spline with ends "not a knot" is exact on cubics, one through positions and velocities too, and both are
 * on a rotation at constant speed and a straight way. */
TEST(samples_are_exact_where_they_can_be)
{
    pinion_model *m = manifold();
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    double t[6] = {0, 0.4, 0.7, 1.5, 1.9, 2.5}, q[6 * 40], at[40], expected[40], d[40];
    const double turn[3] = {0.3, -0.8, 0.5};
    for (int count = 2; count <= 6; count++) {
        for (int pass = 0; pass < 7; pass++) {
            double exact[40] = {0}, *out = pass < 6 ? q + pass * nq : expected;
            const double x = pass < 6 ? t[pass] : 0.61 * t[count - 1];
            double step[40] = {0};
            CHECK(pinion_neutral(m, exact) == PINION_OK);
            /* free: constant angular velocity; planar and plain coordinates: as high a degree as there are
             * samples */
            for (int i = 0; i < 3; i++) step[i] = turn[i] * x;
            CHECK(pinion_integrate(m, exact, step, 1, out) == PINION_OK);
            for (int i = 4; i < nq; i++) {
                if (i >= 10 && i < 14) continue; /* the quaternion of the spherical joint */
                out[i] = 1 + i * x + (count > 2 ? 0.3 * x * x : 0) + (count > 3 ? 0.2 * x * x * x : 0);
            }
        }
        pinion_trajectory *p = pinion_trajectory_samples(m, count, t, q, NULL, NULL, NULL);
        CHECK(p != NULL);
        CHECK_STATUS(pinion_trajectory_at(p, 0.61 * t[count - 1], at, NULL, NULL), PINION_OK);
        CHECK_STATUS(pinion_difference(m, expected, at, d), PINION_OK);
        for (int i = 0; i < nv; i++) CHECK_NEAR(d[i], 0, 1e-12);
        pinion_trajectory_free(p);
    }
    pinion_model_free(m);
}

/* Samples that turn far from one to the next still give a motion that is its own derivative. */
TEST(samples_far_apart)
{
    double worst[2] = {0, 0}, jump[3];
    pinion_model *m = manifold();
    const int nq = pinion_model_nq(m);
    for (uint64_t seed = 0; seed < 20; seed++) {
        double t[8], q[8 * 40];
        for (int k = 0; k < 8; k++) {
            t[k] = k;
            CHECK(pinion_random(m, check_seed + 100 * seed + (uint64_t)k, q + k * nq) == PINION_OK);
        }
        pinion_trajectory *p = pinion_trajectory_samples(m, 8, t, q, NULL, NULL, NULL);
        CHECK(p != NULL);
        for (int k = 0; p && k < 7; k++) {
            check_derivatives(m, p, k + 0.5, 2e-3, 1e-6, worst);
            if (k == 0) continue;
            jumps(m, p, k, 1e-9, jump);
            CHECK(jump[0] < 1e-6 && jump[1] < 1e-5 && jump[2] < 1e-4);
        }
        pinion_trajectory_free(p);
    }
    printf("    worst: v %g, a %g\n", worst[0], worst[1]);
    pinion_model_free(m);
}

TEST(one_sample_is_a_state)
{
    pinion_model *m = manifold();
    double q[40], v[40], a[40], at[40], rate[40], rise[40];
    const double t = 2;
    CHECK(pinion_random(m, 1, q) == PINION_OK);
    for (int i = 0; i < pinion_model_nv(m); i++) v[i] = i, a[i] = -i;
    pinion_trajectory *p = pinion_trajectory_samples(m, 1, &t, q, v, a, NULL);
    CHECK(p && pinion_trajectory_start(p) == 2 && pinion_trajectory_end(p) == 2);
    CHECK_STATUS(pinion_trajectory_at(p, 2, at, rate, rise), PINION_OK);
    for (int i = 0; i < pinion_model_nv(m); i++) CHECK(rate[i] == v[i] && rise[i] == a[i]);
    CHECK_STATUS(pinion_trajectory_at(p, 2.5, at, rate, rise), PINION_OK);
    for (int i = 0; i < pinion_model_nv(m); i++) CHECK(rate[i] == 0 && rise[i] == 0);
    pinion_trajectory_free(p);
    pinion_model_free(m);
}

/* ------------------------------------------------------------------------------------------------ */

#define REFUSES(call, text)                                                                                  \
    do {                                                                                                     \
        pinion_error refused = {PINION_OK, 0, 0, ""};                                                        \
        pinion_error *err = &refused;                                                                        \
        pinion_trajectory *refused_p = call;                                                                 \
        CHECK(refused_p == NULL && refused.status != PINION_OK);                                             \
        CHECK_HAS(refused.message, text);                                                                    \
        pinion_trajectory_free(refused_p);                                                                   \
    } while (0)

TEST(bad_arguments)
{
    pinion_model *m = manifold();
    const int nq = pinion_model_nq(m);
    double q[40], bad[40], two[80], v[60] = {0}, t[2] = {0, 1}, back[2] = {1, 1}, out[40];
    CHECK(pinion_random(m, 1, q) == PINION_OK);
    memcpy(bad, q, sizeof bad);
    bad[0] = 3;
    memcpy(two, q, (size_t)nq * sizeof *q);
    memcpy(two + nq, q, (size_t)nq * sizeof *q);
    REFUSES(pinion_trajectory_between(NULL, q, q, 1, PINION_PROFILE_QUINTIC, 0, err), "missing");
    REFUSES(pinion_trajectory_between(m, q, q, 0, PINION_PROFILE_QUINTIC, 0, err),
            "duration must be above 0 s, not 0");
    REFUSES(pinion_trajectory_between(m, q, q, INFINITY, PINION_PROFILE_QUINTIC, 0, err), "duration");
    REFUSES(pinion_trajectory_between(m, q, q, 1, PINION_PROFILE_COUNT, 0, err), "profile");
    REFUSES(pinion_trajectory_between(m, q, q, 1, PINION_PROFILE_TRAPEZOIDAL, 0.6, err), "at most 0.5, not 0.6");
    REFUSES(pinion_trajectory_between(m, q, q, 1, PINION_PROFILE_TRAPEZOIDAL, NAN, err), "blend");
    REFUSES(pinion_trajectory_between(m, q, bad, 1, PINION_PROFILE_QUINTIC, 0, err),
            "the end: the quaternion of joint 'joint0'");
    bad[0] = NAN;
    REFUSES(pinion_trajectory_between(m, bad, q, 1, PINION_PROFILE_QUINTIC, 0, err),
            "the start: a coordinate is not a finite");
    REFUSES(pinion_trajectory_samples(m, 0, t, q, NULL, NULL, err), "no samples");
    REFUSES(pinion_trajectory_samples(m, 1, t, q, NULL, v, err), "without velocities");
    REFUSES(pinion_trajectory_samples(m, 2, back, two, NULL, NULL, err), "sample 2: its time 1 s");
    v[20] = INFINITY;
    REFUSES(pinion_trajectory_samples(m, 2, t, two, v, NULL, err), "sample 2: a velocity");
    two[nq] = 7;
    REFUSES(pinion_trajectory_samples(m, 2, t, two, NULL, NULL, err), "sample 2: the quaternion");
    CHECK(pinion_trajectory_at(NULL, 0, out, NULL, NULL) == PINION_ERR_ARGUMENT);
    pinion_trajectory *p = pinion_trajectory_between(m, q, q, 1, PINION_PROFILE_QUINTIC, 0, NULL);
    CHECK(pinion_trajectory_at(p, NAN, out, NULL, NULL) == PINION_ERR_ARGUMENT);
    CHECK(pinion_trajectory_at(p, 0, NULL, NULL, NULL) == PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_trajectory_text(p), "quintic");
    pinion_trajectory_free(p);
    pinion_trajectory_free(NULL);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(profiles_have_names);
    RUN(higher_derivatives);
    RUN(cycloidal_is_the_papers);
    RUN(between_moves_as_it_says);
    RUN(trapezoid_of_every_blend);
    RUN(samples_are_met_smoothly);
    RUN(samples_converge);
    RUN(samples_are_exact_where_they_can_be);
    RUN(samples_far_apart);
    RUN(one_sample_is_a_state);
    RUN(bad_arguments);
    return CHECK_END();
}
