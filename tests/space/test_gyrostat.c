/* Bodies that turn freely: Euler's top by Jacobi's functions, gyrostats by equations of their own, momentum kept to
 * rounding over long runs. */
#include "satellite.h"

/* Jacobi's sn, cn and dn of u with the parameter m = k^2, by arithmetic and geometric means (Abramowitz & Stegun 1964,
 * section 16.4) */
static void jacobi(double u, double m, double *sn, double *cn, double *dn)
{
    double a[20], c[20], b = sqrt(1 - m), phi, last = 0;
    int n = 0;
    a[0] = 1;
    c[0] = sqrt(m);
    while (fabs(c[n]) > 1e-16 && n < 18) {
        a[n + 1] = (a[n] + b) / 2;
        c[n + 1] = (a[n] - b) / 2;
        b = sqrt(a[n] * b);
        n++;
    }
    phi = ldexp(a[n] * u, n);
    for (int i = n; i > 0; i--) {
        last = phi;
        phi = (phi + asin(c[i] / a[i] * sin(phi))) / 2;
    }
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = n ? cos(phi) / cos(last - phi) : 1;
}

/* Euler's equations without moments, I1 > I2 > I3 and 2 T I2 < H^2, from a state with w2 = 0: w1 = A dn, w2 = B sn,
 * w3 = C cn of p t */
TEST(euler_top)
{
    const double I1 = 3, I2 = 2.2, I3 = 1.1, w1 = 1.3, w3 = 0.4, T = 30;
    double q[7] = {1}, v[6] = {w1, 0, w3, 0, 0, 0}, sn, cn, dn;
    pinion_model *m = hull(5, (double[3]){0, 0, 0}, (double[6]){I1, 0, 0, I2, 0, I3}, NULL, 0);
    const double energy = I1 * w1 * w1 + I3 * w3 * w3, H2 = I1 * I1 * w1 * w1 + I3 * I3 * w3 * w3; /* 2 T, H^2 */
    CHECK(H2 > energy * I2);
    /* with I1 the largest the path in the body goes round axis 1 */
    const double rate = sqrt((I1 - I2) * (H2 - energy * I3) / (I1 * I2 * I3));
    const double k2 = (I2 - I3) * (I1 * energy - H2) / ((I1 - I2) * (H2 - energy * I3));
    const double B = sqrt((I1 * energy - H2) / (I2 * (I1 - I2)));
    run_for(m, NULL, T, q, v);
    jacobi(rate * T, k2, &sn, &cn, &dn);
    CHECK_NEAR(v[0], w1 * dn, 1e-9);
    CHECK_NEAR(v[1], -B * sn, 1e-9); /* w2' = (I3 - I1) w3 w1 / I2 < 0 at the start */
    CHECK_NEAR(v[2], w3 * cn, 1e-9);
    pinion_model_free(m);
}

/* The gyrostat of three different moments: moments I of the bus, the last without the wheel's own J, and a wheel's
 * momentum h = J (W + w3), which stays where its motor gives no torque. H = (I1 w1, I2 w2, I3 w3 + h), H' = H x w, in
 * long double by the classical method. */
static void gyrostat_rate(const long double I[3], long double h, const long double w[3], long double y[3])
{
    const long double H[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2] + h};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        y[i] = (H[j] * w[k] - H[k] * w[j]) / I[i];
    }
}

static void gyrostat(const long double I[3], long double h, long double T, int steps, long double w[3])
{
    static const long double at[4] = {0, 0.5L, 0.5L, 1}, weight[4] = {1, 2, 2, 1};
    const long double dt = T / steps;
    for (int n = 0; n < steps; n++) {
        long double k[3] = {0}, sum[3] = {0}, x[3];
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 3; i++) x[i] = w[i] + at[s] * dt * k[i];
            gyrostat_rate(I, h, x, k);
            for (int i = 0; i < 3; i++) sum[i] += weight[s] * k[i];
        }
        for (int i = 0; i < 3; i++) w[i] += dt / 6 * sum[i];
    }
}

TEST(uneven_gyrostat)
{
    const double axis[1][3] = {{0, 0, 1}}, J = 0.4, across = 0.3, bus[6] = {2, 0, 0, 3.1, 0, 1.5}, T = 20, W = 7;
    const long double I[3] = {bus[0] + across, bus[3] + across, bus[5]};
    double q[8] = {1}, v[7] = {0.5, -0.3, 0.6, 0, 0, 0, W}, before[6], after[6], R[9], p[3], R0[9];
    long double w[3] = {v[0], v[1], v[2]};
    const long double h = J * (W + v[2]);
    pinion_model *m = satellite(bus, 1, axis, J, across);
    pinion_work *work = pinion_work_new(m);
    CHECK_STATUS(pinion_momentum(m, work, q, v, before), PINION_OK);
    CHECK_STATUS(pinion_frame_pose(m, work, q, 0, p, R0), PINION_OK);
    run_for(m, NULL, T, q, v);
    gyrostat(I, h, T, 100000, w);
    for (int i = 0; i < 3; i++) CHECK_NEAR(v[i], (double)w[i], 1e-9);
    CHECK_NEAR(v[6], (double)(h / J - w[2]), 1e-9);
    /* the invariants: momentum in the world, which is R (I w + h), and what is left of the energy without the wheel */
    const double H[3] = {(double)I[0] * v[0], (double)I[1] * v[1], (double)I[2] * v[2] + (double)h};
    CHECK_STATUS(pinion_momentum(m, work, q, v, after), PINION_OK);
    CHECK_STATUS(pinion_frame_pose(m, work, q, 0, p, R), PINION_OK);
    double energy = 0, energy0 = 0;
    const double start[3] = {0.5, -0.3, 0.6};
    for (int i = 0; i < 3; i++) {
        double world = 0;
        for (int k = 0; k < 3; k++) world += R[3 * i + k] * H[k];
        CHECK_NEAR(world, before[i], 1e-9);
        CHECK_NEAR(after[i], before[i], 1e-9);
        energy += (double)I[i] * v[i] * v[i] / 2;
        energy0 += (double)I[i] * start[i] * start[i] / 2;
    }
    CHECK_NEAR(energy, energy0, 1e-9);
    pinion_work_free(work);
    pinion_model_free(m);
}

/* Wheels and their motors, for an hour: with the variational method momentum stays to the rounding of so many steps,
 * though the steps are long. */
static pinion_status motors(void *user, double t, const double *q, const double *v, double *tau)
{
    (void)user, (void)q, (void)v;
    for (int i = 0; i < 9; i++) tau[i] = i < 6 ? 0 : 0.02 * sin(0.1 * (i - 4) * t);
    return PINION_OK;
}

TEST(momentum_over_an_hour)
{
    const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, bus[6] = {2, 0.1, 0, 3, -0.2, 1.5};
    pinion_model *m = satellite(bus, 3, axis, 0.2, 0.15);
    pinion_work *w = pinion_work_new(m);
    pinion_sim_options options = pinion_sim_options_default();
    options.torque = motors;
    options.integrator = PINION_INTEGRATOR_VARIATIONAL;
    options.step = 0.1;
    pinion_sim *s = pinion_sim_new(m, &options, NULL);
    double q[10] = {1}, v[9] = {0.1, -0.2, 0.3, 0, 0, 0, 2, -3, 1}, start[6], end[6];
    pinion_sim_state x = {.q = q, .v = v};
    CHECK_STATUS(pinion_momentum(m, w, q, v, start), PINION_OK);
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    CHECK_STATUS(pinion_sim_advance(s, 3600), PINION_OK);
    CHECK_STATUS(pinion_sim_get(s, &x), PINION_OK);
    CHECK_STATUS(pinion_momentum(m, w, q, v, end), PINION_OK);
    double off = 0;
    for (int i = 0; i < 6; i++) off = fmax(off, fabs(end[i] - start[i]));
    printf("       36000 steps, momentum off by %.1e\n", off);
    /* each step rounds momenta of some 5 N m s, and its equation is solved to that */
    CHECK(off < 1e-11);
    pinion_sim_free(s);
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(euler_top);
    RUN(uneven_gyrostat);
    RUN(momentum_over_an_hour);
    return CHECK_END();
}
