/* Mechanisms in space: Haug's slider-crank, Bricard's mechanism, the flyball governor. */
#include "mechanism.h"

/* ---------------------------------------------------------------------------------------------
 * Spatial slider-crank. Coordinates: crank, slider, the two angles of the universal joint. */

/* Where the slider is, and d(position)/d(angle of the crank): the rod is 0.3 m long. */
static void slider_of(double crank, double *position, double *slope)
{
    const double y = 0.1 - 0.08 * sin(crank), z = 0.12 + 0.08 * cos(crank);
    *position = sqrt(0.09 - y * y - z * z);
    *slope = (0.08 * cos(crank) * y + 0.08 * sin(crank) * z) / *position;
}

/* The published start: the slider's speed, and the rod's angular velocity across its axis. */
TEST(slider_crank_start)
{
    static const double across[3] = {1.06667, -0.53333, 1.33333};
    mechanism x;
    double motion[6], axis[3] = {2.0 / 3, -1.0 / 3, -2.0 / 3};
    if (!mechanism_open(&x, "spatial-slider-crank.json")) return;
    check_start(&x, 3, 3);
    CHECK(x.v[0] == 6);
    CHECK_NEAR(x.q[1], 0.2, 1e-15);
    CHECK_NEAR(x.v[1], 0.24, 1e-15);
    CHECK_STATUS(pinion_frame_velocity(x.m, x.w, x.q, x.v, pinion_model_find_frame(x.m, "rod"),
                                       PINION_REFERENCE_WORLD_ALIGNED, motion),
                 PINION_OK);
    const double spin = motion[0] * axis[0] + motion[1] * axis[1] + motion[2] * axis[2];
    for (int i = 0; i < 3; i++) CHECK_NEAR(motion[i] - spin * axis[i], across[i], 5e-6);
    mechanism_close(&x);
}

TEST(slider_crank_dynamics)
{
    static const double a0[] = {-26.73930779500883, 0.3704276881996531, -10.63017849440282, -2.686983107156922};
    static const double ball[] = {0.83346229844922071, -0.033424134743762268, 1.1620132907466303}; /* on the rod */
    static const double q[] = {10.48407383852396, 0.2337647503354789, -1.126364691201882, 0.6773826347693024};
    static const double v[] = {10.22988839190302, -0.5377057053554302, 2.510744177529499, 2.859730523811897};
    static const double a[] = {-27.33931595004321, 1.21954966637477, 11.80783171360065, -16.65344038378448};
    mechanism x;
    if (!mechanism_open(&x, "spatial-slider-crank.json")) return;
    check_accelerations(&x, a0, 1e-11);

    /* the force in the ball joint, given along the rod's axes */
    double f[6], p[3], R[9];
    mechanism_wrench(&x, "ball", f);
    CHECK_STATUS(pinion_frame_pose(x.m, x.w, x.q, pinion_model_find_frame(x.m, "rod"), p, R), PINION_OK);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(R[3 * i] * f[3] + R[3 * i + 1] * f[4] + R[3 * i + 2] * f[5], ball[i], 1e-12);
        CHECK(f[i] == 0);
    }

    check_motion(&x, 1, q, v, 1e-9);
    check_accelerations(&x, a, 1e-9);

    /* and where the length of the rod puts the slider */
    double position, slope;
    slider_of(x.q[0], &position, &slope);
    CHECK_NEAR(x.q[1], position, 1e-11);
    CHECK_NEAR(x.v[1], slope * x.v[0], 1e-10);
    mechanism_close(&x);
}

/* ---------------------------------------------------------------------------------------------
 * Bricard. By the symmetry of the start, joints 1, 3, 5 turn alike and so do 2 and 4; the loop then is closed where
 * sin(second) (1 + sin(first)) = -sin(first). */

static void bricard_state(double first, double rate, double *q, double *v)
{
    const double s = sin(first), second = asin(-s / (1 + s));
    const double slope = -cos(first) / ((1 + s) * (1 + s) * cos(second));
    for (int i = 0; i < 5; i++) {
        q[i] = i % 2 ? second : first;
        v[i] = (i % 2 ? slope : 1) * rate;
    }
}

TEST(bricard_mobility)
{
    mechanism x;
    if (!mechanism_open(&x, "bricard.json")) return;
    check_start(&x, 5, 4);
    for (int i = 1; i < 12; i++) {
        pinion_mobility mobility;
        double q[5], v[5];
        bricard_state(i * 0.25, 1, q, v);
        mechanism_put(&x, q, v);
        CHECK_NEAR(mechanism_open_by(&x), 0, 1e-13);
        CHECK_STATUS(pinion_mobility_at(x.m, x.w, 0, x.q, &mobility), PINION_OK);
        CHECK(mobility.gruebler == 0 && mobility.freedom == 1 && mobility.redundant == 1);
    }
    mechanism_close(&x);
}

/* Accelerations on the way, and the state after 1 s and 2 s, from the equation with one coordinate. */
TEST(bricard_dynamics)
{
    static const double a0[] = {1.958083832335332, -1.958083832335331, 1.958083832335333, -1.958083832335334,
                                1.958083832335331};
    static const double first[] = {1.035028459518049, 2.0364153809699634, 1.4298729023955195, 1.2435924343802163};
    static const double second[] = {2.8933282059812844, 1.0244310277333819, -2.200724055844586, -0.27779881918702298};
    mechanism x;
    if (!mechanism_open(&x, "bricard.json")) return;
    check_accelerations(&x, a0, 1e-11);
    pinion_sim *s = mechanism_sim(&x, NULL);
    for (int k = 0; s && k < 2; k++) {
        const double *known = k ? second : first;
        double q[5], v[5], a[5];
        bricard_state(known[0], known[1], q, v);
        (void)mechanism_advance(&x, s, k + 1);
        CHECK_NEAR(check_error(x.q, q, 5, 1), 0, 1e-9);
        CHECK_NEAR(check_error(x.v, v, 5, 1), 0, 1e-9);
        for (int i = 0; i < 5; i++) a[i] = known[2 + i % 2];
        check_accelerations(&x, a, 1e-9);
    }
    pinion_sim_free(s);
    mechanism_close(&x);
}

/* Ten seconds, about two periods: energy is kept, and after each half period (from the same equation) the mechanism is
 * at rest at one end of its range, 0 or pi. */
TEST(bricard_for_ten_seconds)
{
    const double half = 2.495855756844371;
    mechanism x;
    if (!mechanism_open(&x, "bricard.json")) return;
    const double start = mechanism_energy(&x);
    CHECK_NEAR(start, -3 * 9.81, 1e-12);
    pinion_sim *s = mechanism_sim(&x, NULL);
    double worst = 0;
    for (int i = 1; s && i <= 4; i++) {
        for (int k = 1; k <= 25; k++) {
            (void)mechanism_advance(&x, s, half * (i - 1 + k / 25.0));
            worst = fmax(worst, fabs(mechanism_energy(&x) - start));
        }
        CHECK_NEAR(x.q[0], i % 2 ? 3.141592653589793 : 0, 1e-7);
        CHECK_NEAR(x.v[0], 0, 1e-7);
    }
    if (s) {
        const pinion_sim_state state = mechanism_advance(&x, s, 10);
        worst = fmax(worst, fabs(mechanism_energy(&x) - start));
        CHECK_NEAR(state.constraint, 0, 1e-9);
    }
    CHECK_NEAR(worst, 0, 1e-6);
    pinion_sim_free(s);
    mechanism_close(&x);
}

/* ---------------------------------------------------------------------------------------------
 * Flyball governor. Coordinates: shaft, arm, arm, collar. */

/* Moment of inertia about the shaft at an angle of the arms, and its derivative. */
static void governor_inertia(double angle, double j[2])
{
    const double e = 0.04, l = 0.4, s = sin(angle), c = cos(angle), ball = e + l * s;
    j[0] = 0.01 + 0.0008 + 2 * (0.2 * (e * e + e * l * s + l * l * s * s / 3) + ball * ball + 0.001);
    j[1] = 2 * (0.2 * (e * l * c + 2 * l * l * s * c / 3) + 2 * ball * l * c);
}

/* Derivative of the potential energy by the angle: weights of arms, balls and collar, and the spring. */
static double governor_moment(double angle)
{
    const double s = sin(angle), height = 0.5 - 0.4 * cos(angle);
    return 9.81 * (2 * (0.2 * 0.2 + 0.4) * s + 0.5 * 0.4 * s) + 400 * (height - 0.1) * 0.4 * s;
}

TEST(governor_start)
{
    mechanism x;
    if (!mechanism_open(&x, "flyball-governor.json")) return;
    double j[2];
    check_start(&x, 2, 2);
    CHECK_NEAR(x.q[3], 0.5 - 0.4 * cos(x.q[1]), 1e-15);
    governor_inertia(x.q[1], j);
    double kinetic;
    CHECK_STATUS(pinion_energy(x.m, x.w, x.q, x.v, 1, &kinetic, NULL), PINION_OK);
    CHECK_NEAR(kinetic, j[0] * 50, 1e-12);
    mechanism_close(&x);
}

/* At the speed where the weights and the spring balance the centrifugal forces nothing accelerates. */
TEST(governor_balance)
{
    mechanism x;
    if (!mechanism_open(&x, "flyball-governor.json")) return;
    for (int i = 1; i < 8; i++) {
        const double angle = 0.15 * i;
        double j[2], zero[4] = {0};
        governor_inertia(angle, j);
        const double speed = sqrt(2 * governor_moment(angle) / j[1]);
        const double q[4] = {0.3 * i, angle, angle, 0.5 - 0.4 * cos(angle)}, v[4] = {speed, 0, 0, 0};
        mechanism_put(&x, q, v);
        CHECK_NEAR(mechanism_open_by(&x), 0, 1e-15);
        check_accelerations(&x, zero, 1e-9);
    }
    mechanism_close(&x);
}

/* Energy and the angular momentum about the shaft stay, and the state is the reference's. */
TEST(governor_dynamics)
{
    static const double a0[] = {0, 22.68987862480096, 22.68987862480096, 4.537975724960193};
    static const double q[] = {8.23650865986983, 0.6956771721840875, 0.695677172184097, 0.1929520501926867};
    static const double v[] = {6.791911441085498, 0.1474864655449431, 0.1474864655449521, 0.0378099487165692};
    static const double a[] = {-1.933802387520096, -19.48456574569372, -19.48456574569365, -4.988426353843909};
    static const double pull = -16.517946893906107; /* along each rod; negative: it pulls */
    mechanism x;
    if (!mechanism_open(&x, "flyball-governor.json")) return;
    check_accelerations(&x, a0, 1e-11);
    double f[6], j[2];
    mechanism_wrench(&x, "rod1", f);
    CHECK_NEAR(sqrt(f[3] * f[3] + f[4] * f[4] + f[5] * f[5]), fabs(pull), 1e-10);

    governor_inertia(x.q[1], j);
    const double momentum = j[0] * x.v[0], energy = mechanism_energy(&x);
    check_motion(&x, 1, q, v, 1e-9);
    check_accelerations(&x, a, 1e-9);
    governor_inertia(x.q[1], j);
    CHECK_NEAR(j[0] * x.v[0], momentum, 1e-9);
    CHECK_NEAR(mechanism_energy(&x), energy, 1e-9);
    mechanism_close(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(slider_crank_start);
    RUN(slider_crank_dynamics);
    RUN(bricard_mobility);
    RUN(bricard_dynamics);
    RUN(bricard_for_ten_seconds);
    RUN(governor_start);
    RUN(governor_balance);
    RUN(governor_dynamics);
    return CHECK_END();
}
