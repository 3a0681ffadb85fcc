/* Added mass by the closed forms of bodies in an ideal fluid: sphere, cylinder and ellipsoid (Lamb, Hydrodynamics,
 * 1932), and the motions that follow from them. */
#include "runs.h"

static const double none[3] = {0, 0, 0};

/* abc int_0^oo dl / ((a_i^2 + l) sqrt((a^2 + l)(b^2 + l)(c^2 + l))), for i = 0, 1, 2, with l = s^2 / (1 - s)^2 and
 * the middle rule, whose error falls with the square of its step: extrapolated */
static void lamb(const double a[3], double alpha[3])
{
    double sum[2][3] = {{0}, {0}};
    for (int fine = 0; fine < 2; fine++) {
        const int count = fine ? 40000 : 20000;
        for (int k = 0; k < count; k++) {
            const double s = (k + 0.5) / count, root = s / (1 - s), l = root * root;
            const double slope = 2 * root / ((1 - s) * (1 - s)) / count; /* dl */
            const double D = sqrt((a[0] * a[0] + l) * (a[1] * a[1] + l) * (a[2] * a[2] + l));
            for (int i = 0; i < 3; i++) sum[fine][i] += a[0] * a[1] * a[2] * slope / ((a[i] * a[i] + l) * D);
        }
    }
    for (int i = 0; i < 3; i++) alpha[i] = sum[1][i] + (sum[1][i] - sum[0][i]) / 3;
}

/* the diagonal of its added mass about its axes, in a fluid of that density */
static void ellipsoid(const double a[3], double density, double diagonal[6])
{
    double alpha[3];
    const double mass = 4 * M_PI / 3 * density * a[0] * a[1] * a[2];
    lamb(a, alpha);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double less = a[j] * a[j] - a[k] * a[k], more = a[j] * a[j] + a[k] * a[k], of = alpha[k] - alpha[j];
        diagonal[3 + i] = mass * alpha[i] / (2 - alpha[i]);
        diagonal[i] = less == 0 ? 0 : mass / 5 * less * less * of / (2 * less - more * of);
    }
}

TEST(forms)
{
    double d[6];
    /* a sphere drags half of what it displaces */
    ellipsoid((const double[3]){0.3, 0.3, 0.3}, 900, d);
    for (int i = 0; i < 3; i++) CHECK_NEAR(d[3 + i], 2 * M_PI / 3 * 900 * 0.027, 1e-6 * d[3 + i]);
    for (int i = 0; i < 3; i++) CHECK(d[i] == 0);

    /* a prolate spheroid by its eccentricity */
    const double a = 0.7, b = 0.25, e2 = 1 - b * b / (a * a), e = sqrt(e2), L = log((1 + e) / (1 - e));
    const double along = 2 * (1 - e2) / (e2 * e) * (L / 2 - e), across = 1 / e2 - (1 - e2) / (2 * e2 * e) * L;
    const double turning = e2 * e2 * (across - along) / ((2 - e2) * (2 * e2 - (2 - e2) * (across - along)));
    const double mass = 4 * M_PI / 3 * a * b * b;
    ellipsoid((const double[3]){a, b, b}, 1, d);
    CHECK_NEAR(d[3], mass * along / (2 - along), 1e-6 * d[3]);
    CHECK_NEAR(d[4], mass * across / (2 - across), 1e-6 * d[4]);
    CHECK_NEAR(d[5], d[4], 1e-9 * d[4]);
    CHECK_NEAR(d[0], 0, 1e-9);
    CHECK_NEAR(d[1], turning * mass * (a * a + b * b) / 5, 1e-5 * d[1]);

    /* a long one comes near to a cylinder, slice by slice: pi rho r^2 a metre */
    ellipsoid((const double[3]){50, 0.1, 0.1}, 1, d);
    CHECK_NEAR(d[4], 4 * M_PI / 3 * 50 * 0.01, 2e-4 * d[4]);
}

/* A cylinder about x, slice by slice, pushed across at a distance s from its middle: it starts with F / (m + m_a) and
 * s F / (I + m_a L^2 / 12); along its axis with F / m. */
TEST(cylinder)
{
    const double r = 0.06, L = 1.4, density = 1025, mass = 12, I[6] = {0.02, 0, 0, 1.9, 0, 1.9}, F = 7, s = 0.3;
    const double carried = M_PI * density * r * r * L;
    double A[36] = {0}, q[7] = {1, 0, 0, 0, 0, 0, 0}, f[12] = {0}, a[6];
    A[7] = A[14] = carried * L * L / 12;
    A[28] = A[35] = carried;
    pinion_model *m = hull(mass, none, I, A, 0);
    pinion_work *w = pinion_work_new(m);
    f[11] = F;
    f[7] = -s * F; /* x cross z is -y */
    CHECK_STATUS(pinion_forward_dynamics(m, w, q, NULL, NULL, f, a), PINION_OK);
    CHECK_NEAR(a[5], F / (mass + carried), 1e-14);
    CHECK_NEAR(a[1], -s * F / (I[3] + carried * L * L / 12), 1e-14);
    memset(f, 0, sizeof f);
    f[9] = F;
    CHECK_STATUS(pinion_forward_dynamics(m, w, q, NULL, NULL, f, a), PINION_OK);
    CHECK_NEAR(a[3], F / mass, 1e-14);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* An ellipsoid in a plane keeps its impulse P (Kirchhoff): with A and B what it resists with along its axes, Q about
 * the third, and t the angle of the first against P, Q t'' = (B - A) P^2 / (2 A B) sin 2 t: a pendulum about the
 * position across. */
TEST(ellipsoid_in_a_plane)
{
    const double axes[3] = {0.6, 0.25, 0.15}, density = 1000, mass = 90, I[6] = {2, 0, 0, 5, 0, 6}, T = 8;
    double d[6], M[36] = {0}, t = 0.4, rate = 0.1;
    ellipsoid(axes, density, d);
    for (int i = 0; i < 6; i++) M[7 * i] = d[i];
    const double A = mass + d[3], B = mass + d[4], Q = I[5] + d[2], P = 150, k = (B - A) * P * P / (2 * A * B * Q);
    CHECK(A < B);
    double q[7] = {cos(t / 2), 0, 0, sin(t / 2), 0, 0, 0}, v[6] = {0, 0, rate, P * cos(t) / A, -P * sin(t) / B, 0};
    pinion_model *m = hull(mass, none, I, M, 0);
    run_for(m, NULL, T, q, v);

    /* the pendulum, by Runge and Kutta in many steps */
    const int steps = 20000;
    const double h = T / steps;
    double most = 0;
    for (int i = 0; i < steps; i++) {
        const double a1 = k * sin(2 * t), r2 = rate + h / 2 * a1, a2 = k * sin(2 * (t + h / 2 * rate));
        const double r3 = rate + h / 2 * a2, a3 = k * sin(2 * (t + h / 2 * r2)), r4 = rate + h * a3;
        const double a4 = k * sin(2 * (t + h * r3));
        t += h / 6 * (rate + 2 * r2 + 2 * r3 + r4);
        rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        most = fmax(most, t);
    }
    CHECK(most > 2); /* it swung past the position across */
    CHECK_NEAR(remainder(2 * atan2(q[3], q[0]) - t, 2 * M_PI), 0, 1e-7);
    CHECK_NEAR(v[2], rate, 1e-7);
    CHECK_NEAR(v[3], P * cos(t) / A, 1e-7);
    CHECK_NEAR(v[4], -P * sin(t) / B, 1e-7);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(forms);
    RUN(cylinder);
    RUN(ellipsoid_in_a_plane);
    return CHECK_END();
}
