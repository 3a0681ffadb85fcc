/* Mechanisms that move in a plane: the four-bar, the slider-crank, the row of four-bars. */
#include "mechanism.h"

/* ---------------------------------------------------------------------------------------------
 * Four-bar: ground 0.5, crank 0.2, coupler 0.5, rocker 0.4. */

/* Angles of coupler and rocker in the world at a crank angle, from the two circles about the crank's end and the fixed
 * pivot of the rocker; the upper of the two points where they meet. */
static void four_bar_angles(double crank, double *coupler, double *rocker)
{
    const double a[2] = {0.2 * cos(crank), 0.2 * sin(crank)}, d[2] = {0.5 - a[0], -a[1]};
    const double square = d[0] * d[0] + d[1] * d[1], along = (0.25 - 0.16 + square) / (2 * square);
    const double across = sqrt(0.25 / square - along * along);
    const double c[2] = {along * d[0] - across * d[1], along * d[1] + across * d[0]};
    *coupler = atan2(c[1], c[0]);
    *rocker = atan2(a[1] + c[1], a[0] + c[0] - 0.5);
}

TEST(four_bar_start)
{
    mechanism x;
    if (!mechanism_open(&x, "four-bar.json")) return;
    double coupler, rocker;
    check_start(&x, 5, 2);
    four_bar_angles(x.q[0], &coupler, &rocker);
    CHECK_NEAR(x.q[1], coupler - x.q[0], 1e-14);
    CHECK_NEAR(x.q[2], rocker, 1e-14);
    mechanism_close(&x);
}

/* A full turn of the crank: each time the angles are rough, and assembling finds those of the two circles. */
TEST(four_bar_assembles)
{
    mechanism x;
    if (!mechanism_open(&x, "four-bar.json")) return;
    const unsigned char locked[3] = {1, 0, 0};
    for (int i = 0; i < 24; i++) {
        const double crank = (i - 11) * 0.2617993877991494;
        double coupler, rocker, q[3];
        pinion_assembly report;
        four_bar_angles(crank, &coupler, &rocker);
        q[0] = crank;
        q[1] = coupler - crank + 0.1;
        q[2] = rocker - 0.1;
        CHECK_STATUS(pinion_assemble(x.m, x.w, 0, locked, q, &report), PINION_OK);
        CHECK(q[0] == crank);
        CHECK_NEAR(q[1], coupler - crank, 1e-10);
        CHECK_NEAR(q[2], rocker, 1e-10);
        CHECK_NEAR(report.open, 0, 1e-10);
    }
    mechanism_close(&x);
}

TEST(four_bar_dynamics)
{
    static const double a0[] = {-12.97477634536605, 35.87054688458426, 7.455429695102358};
    static const double q[] = {15.80374999080173, -15.18119576116728, 2.392369749392616};
    static const double v[] = {19.07342869978492, -13.25191949156585, 4.891048447548945};
    static const double a[] = {228.2441975779741, -86.41013914172729, -53.83579636225462};
    static const double pin[] = {-0.60417459310998711, 1.5382743421394833}; /* on the rocker at the start, world */
    mechanism x;
    if (!mechanism_open(&x, "four-bar.json")) return;
    check_accelerations(&x, a0, 1e-11);

    /* the force in the pin, which is given along the rocker */
    double f[6];
    mechanism_wrench(&x, "pin", f);
    CHECK_NEAR(cos(x.q[2]) * f[3] - sin(x.q[2]) * f[4], pin[0], 1e-11);
    CHECK_NEAR(sin(x.q[2]) * f[3] + cos(x.q[2]) * f[4], pin[1], 1e-11);
    for (int i = 0; i < 6; i++) {
        if (i != 3 && i != 4) CHECK_NEAR(f[i], 0, 1e-11);
    }

    check_motion(&x, 1, q, v, 1e-9);
    check_accelerations(&x, a, 1e-9);
    mechanism_close(&x);
}

/* ---------------------------------------------------------------------------------------------
 * Slider-crank: crank 0.1, rod 0.3. */

enum { CRANK, ROD, SLIDER };

/* Angle b of the rod and position s of the slider, with their first two derivatives by the angle of the crank. */
static void slider_crank(double theta, double b[3], double s[3])
{
    const double r = 0.1, l = 0.3;
    b[0] = asin(-r / l * sin(theta));
    b[1] = -r * cos(theta) / (l * cos(b[0]));
    b[2] = (r * sin(theta) + l * sin(b[0]) * b[1] * b[1]) / (l * cos(b[0]));
    s[0] = r * cos(theta) + l * cos(b[0]);
    s[1] = -r * sin(theta) - l * sin(b[0]) * b[1];
    s[2] = -r * cos(theta) - l * (cos(b[0]) * b[1] * b[1] + sin(b[0]) * b[2]);
}

/* The crank's torque at a constant rate, by virtual work over all bodies. */
static double slider_crank_torque(double theta, double rate)
{
    double b[3], s[3];
    const double h = 0.15, g = 9.81, square = rate * rate;
    slider_crank(theta, b, s);
    const double j[2] = {-0.1 * sin(theta) - h * sin(b[0]) * b[1], 0.1 * cos(theta) + h * cos(b[0]) * b[1]};
    const double a[2] = {(-0.1 * cos(theta) - h * (cos(b[0]) * b[1] * b[1] + sin(b[0]) * b[2])) * square,
                         (-0.1 * sin(theta) - h * (sin(b[0]) * b[1] * b[1] - cos(b[0]) * b[2])) * square};
    return 0.6 * g * 0.05 * cos(theta) + 1.2 * (j[0] * a[0] + j[1] * (a[1] + g)) + 0.009 * b[1] * b[2] * square +
           0.8 * s[1] * s[2] * square;
}

TEST(slider_crank_start)
{
    mechanism x;
    double b[3], s[3];
    if (!mechanism_open(&x, "slider-crank.json")) return;
    check_start(&x, 5, 2);
    slider_crank(x.q[CRANK], b, s);
    CHECK_NEAR(x.q[ROD], b[0] - x.q[CRANK], 1e-14);
    CHECK_NEAR(x.q[SLIDER], s[0], 1e-14);
    CHECK_NEAR(x.v[ROD], 20 * (b[1] - 1), 1e-13);
    CHECK_NEAR(x.v[SLIDER], 20 * s[1], 1e-14);
    mechanism_close(&x);
}

/* A crank turned at a constant rate, all the way round: positions and velocities from the crank's alone, and the torque
 * it takes. */
TEST(slider_crank_at_constant_rate)
{
    mechanism x;
    if (!mechanism_open(&x, "slider-crank.json")) return;
    const unsigned char locked[3] = {1, 0, 0};
    const double rate = 30;
    for (int i = 0; i < 24; i++) {
        const double theta = (i - 11) * 0.2617993877991494;
        double b[3], s[3], tau[3], lambda[5];
        slider_crank(theta, b, s);
        double q[3] = {theta, b[0] - theta - 0.05, s[0] + 0.02}, v[3] = {rate, 0, 0};
        CHECK_STATUS(pinion_assemble(x.m, x.w, 0, locked, q, NULL), PINION_OK);
        CHECK_STATUS(pinion_project_velocity(x.m, x.w, 0, locked, q, v), PINION_OK);
        CHECK_NEAR(q[ROD], b[0] - theta, 1e-10);
        CHECK_NEAR(q[SLIDER], s[0], 1e-10);
        CHECK_NEAR(v[ROD], rate * (b[1] - 1), 1e-9);
        CHECK_NEAR(v[SLIDER], rate * s[1], 1e-9);

        const double a[3] = {0, rate * rate * b[2], rate * rate * s[2]};
        CHECK_STATUS(pinion_loop_inverse_dynamics(x.m, x.w, NULL, q, v, a, NULL, NULL, tau, lambda), PINION_OK);
        CHECK_NEAR(tau[CRANK], slider_crank_torque(theta, rate), 1e-8);
        CHECK(tau[ROD] == 0 && tau[SLIDER] == 0);
    }
    mechanism_close(&x);
}

TEST(slider_crank_dynamics)
{
    static const double a0[] = {-395.1766173698018, 572.6894812027109, -16.14839314798419};
    static const double q[] = {10.52088649499505, -10.21988325706865, 0.2408057812889927};
    static const double v[] = {21.9098457531679, -18.41465667628251, 1.637864868208945};
    static const double a[] = {-214.4607130417493, 35.01902349555851, 15.32596268438274};
    mechanism x;
    if (!mechanism_open(&x, "slider-crank.json")) return;
    check_accelerations(&x, a0, 1e-11);

    /* the force in the pin, on the slider */
    double f[6];
    mechanism_wrench(&x, "pin", f);
    CHECK_NEAR(f[3], -12.91871451838735, 1e-10);
    CHECK_NEAR(f[4], 8.7372614431880855, 1e-10);

    check_motion(&x, 0.5, q, v, 1e-9);
    check_accelerations(&x, a, 1e-9);
    mechanism_close(&x);
}

/* ---------------------------------------------------------------------------------------------
 * N-four-bar, N = 2: three rods of 1 m stand on the ground, two connect their tips, all of 1 kg. As long as they stay
 * parallel, 3 theta'' = 3.5 g sin(theta) with theta from the vertical. */

/* theta at t, by Runge and Kutta's classical method with small steps. */
static double row_angle(double t)
{
    const int steps = 200000;
    const double h = t / steps, k = 3.5 * 9.81 / 3;
    double theta = 0, rate = 1;
    for (int i = 0; i < steps; i++) {
        const double a1 = k * sin(theta), r2 = rate + h / 2 * a1, a2 = k * sin(theta + h / 2 * rate);
        const double r3 = rate + h / 2 * a2, a3 = k * sin(theta + h / 2 * r2);
        const double r4 = rate + h * a3, a4 = k * sin(theta + h * r3);
        theta += h / 6 * (rate + 2 * r2 + 2 * r3 + r4);
        rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return theta;
}

/* Where the tip of the first rod is. */
static void row_tip(mechanism *x, double p[3])
{
    double R[9];
    const int frame = pinion_model_find_frame(x->m, "B0");
    CHECK(frame >= 0);
    if (frame >= 0) CHECK_STATUS(pinion_frame_pose(x->m, x->w, x->q, frame, p, R), PINION_OK);
}

/* What the command generates for N = 2 is the same mechanism. */
TEST(generated_row)
{
    mechanism x;
    if (!mechanism_open(&x, "n-four-bar.json")) return;
    pinion_error err = {0};
    pinion_model *m = pinion_n_four_bar(2, &err);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    CHECK(w && pinion_model_nv(m) == x.nv && pinion_model_row_count(m) == x.rows);
    if (w) {
        double q[5], v[5], a[5], b[5];
        CHECK_STATUS(pinion_initial(m, q, v), PINION_OK);
        CHECK_STATUS(pinion_loop_dynamics(m, w, -1, NULL, q, v, NULL, NULL, a, NULL), PINION_OK);
        mechanism_solve(&x, b, NULL);
        for (int i = 0; i < 5; i++) {
            CHECK(q[i] == x.q[i] && v[i] == x.v[i]);
            CHECK_NEAR(a[i], b[i], 1e-13);
        }
    }
    pinion_work_free(w);
    pinion_model_free(m);
    mechanism_close(&x);
}

/* Two windows: published positions of the tip, which agree with the equation above, and energy over ten seconds, in
 * which the rods lie flat, where they might fold, again and again. */
TEST(row_of_four_bars)
{
    static const double published[2][2] = {{-0.195020302, -0.980799206}, {0.057815796, 0.998327268}};
    mechanism x;
    if (!mechanism_open(&x, "n-four-bar.json")) return;
    check_start(&x, 10, 4);
    const double start = mechanism_energy(&x);
    double p[3] = {0};
    row_tip(&x, p);
    CHECK_NEAR(p[0], 0, 1e-15);
    CHECK_NEAR(p[1], 1, 1e-15);

    pinion_sim *s = mechanism_sim(&x, NULL);
    if (s) {
        double worst = 0;
        for (int i = 1; i <= 100; i++) {
            const pinion_sim_state state = mechanism_advance(&x, s, 0.1 * i);
            worst = fmax(worst, fabs(mechanism_energy(&x) - start));
            CHECK_NEAR(state.constraint, 0, 1e-9);
            if (i != 10 && i != 20) continue;
            const double theta = row_angle(0.1 * i);
            row_tip(&x, p);
            CHECK_NEAR(p[0], published[i / 10 - 1][0], 1e-8);
            CHECK_NEAR(p[1], published[i / 10 - 1][1], 1e-8);
            CHECK_NEAR(p[0], sin(theta), 1e-8);
            CHECK_NEAR(p[1], cos(theta), 1e-8);
        }
        CHECK_NEAR(worst, 0, 1e-6);
        pinion_sim_free(s);
    }
    mechanism_close(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(four_bar_start);
    RUN(four_bar_assembles);
    RUN(four_bar_dynamics);
    RUN(slider_crank_start);
    RUN(slider_crank_at_constant_rate);
    RUN(slider_crank_dynamics);
    RUN(generated_row);
    RUN(row_of_four_bars);
    return CHECK_END();
}
