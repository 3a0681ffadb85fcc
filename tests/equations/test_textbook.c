/* Equations that textbooks print, letter by letter and number by number: the planar arm of two links, that of three
 * (Saha 1999, section 6.1), a pendulum, a pendulum on a cart. */
#include "printed.h"
#include "fixtures.h"

#define SLENDER(name, mass, center, zz) \
    LINK(name, mass, "[" center ", 0, 0]") "{\"yy\": " zz ", \"zz\": " zz "}}"
#define TWO_LINKS MODEL(DOWN_Y, SLENDER("upper", "2.1", "0.23", "0.06") ", " \
                        SLENDER("lower", "1.3", "0.17", "0.025"), \
                        JOINT("shoulder", "continuous", "base", "upper", "[0, 0, 1]", ZERO) "}, " \
                        JOINT("elbow", "continuous", "upper", "lower", "[0, 0, 1]", "[0.45, 0, 0]") "}")
#define THREE_LINKS MODEL(DOWN_Y, SLENDER("upper", "2.1", "0.23", "0.06") ", " \
                          SLENDER("lower", "1.3", "0.17", "0.025") ", " SLENDER("hand", "0.6", "0.11", "0.004"), \
                          JOINT("shoulder", "continuous", "base", "upper", "[0, 0, 1]", ZERO) "}, " \
                          JOINT("elbow", "continuous", "upper", "lower", "[0, 0, 1]", "[0.45, 0, 0]") "}, " \
                          JOINT("wrist", "continuous", "lower", "hand", "[0, 0, 1]", "[0.35, 0, 0]") "}")

static const double m1 = 2.1, m2 = 1.3, m3 = 0.6, r1 = 0.23, r2 = 0.17, r3 = 0.11, I1 = 0.06, I2 = 0.025, I3 = 0.004;
static const double a1 = 0.45, a2 = 0.35, g0 = 9.81;

static pinion_model *m;
static pinion_equations *e;

static int begin(const char *text)
{
    m = model_of(text, NULL);
    e = equations_of(m, NULL);
    return e != NULL;
}

static void end(void)
{
    pinion_equations_free(e);
    pinion_model_free(m);
    e = NULL;
    m = NULL;
}

static void same(const double *a, const double *b, int count, const char *what)
{
    for (int i = 0; i < count; i++) {
        check_count++;
        if (!(fabs(a[i] - b[i]) <= 1e-13 * (1 + fabs(b[i]))))
            CHECK_FAIL("%s: entry %d is %.17g, expected %.17g", what, i, a[i], b[i]);
    }
}

TEST(two_links)
{
    if (!begin(TWO_LINKS)) return;
    CHECK_ENTRY(e, "M_11", "I_1 + I_2 + m_1 r_1^2 + m_2 (a_1^2 + r_2^2 + 2 a_1 r_2 c_2)");
    CHECK_ENTRY(e, "M_12", "I_2 + m_2 (r_2^2 + a_1 r_2 c_2)");
    CHECK_ENTRY(e, "M_22", "I_2 + m_2 r_2^2");
    CHECK_ENTRY(e, "h_1", "m_2 a_1 r_2 s_2");
    CHECK_ENTRY(e, "C_11", "-h_1 v_2");
    CHECK_ENTRY(e, "C_12", "-h_1 (v_1 + v_2)");
    CHECK_ENTRY(e, "C_21", "h_1 v_1");
    CHECK_ENTRY(e, "C_22", "0");
    CHECK_ENTRY(e, "g_1", "g (m_1 r_1 + m_2 a_1) c_1 + m_2 g r_2 c_12");
    CHECK_ENTRY(e, "g_2", "m_2 g r_2 c_12");
    CHECK_ENTRY(e, "c_12", "cos(q_1 + q_2)");
    CHECK_ENTRY(e, "s_2", "sin(q_2)");

    /* the closed form of any textbook */
    uint64_t seed = check_seed;
    for (int k = 0; k < 50; k++) {
        double q[2], v[2], M[4], C[4], g[2];
        random_state(2, &seed, q, v);
        if (!read_back(e, 2, q, v, M, C, g)) break;
        const double c2 = cos(q[1]), h = -m2 * a1 * r2 * sin(q[1]);
        const double M12 = I2 + m2 * (r2 * r2 + a1 * r2 * c2);
        const double M_[4] = {I1 + I2 + m1 * r1 * r1 + m2 * (a1 * a1 + r2 * r2 + 2 * a1 * r2 * c2), M12, M12,
                              I2 + m2 * r2 * r2};
        const double C_[4] = {h * v[1], h * (v[0] + v[1]), -h * v[0], 0};
        const double g_[2] = {(m1 * r1 + m2 * a1) * g0 * cos(q[0]) + m2 * r2 * g0 * cos(q[0] + q[1]),
                              m2 * r2 * g0 * cos(q[0] + q[1])};
        same(M, M_, 4, "M");
        same(C, C_, 4, "C");
        same(g, g_, 2, "g");
    }
    end();
}

/* M and g of the planar arm of three links, written out by hand */
static void three_links_by_hand(const double *q, double *M, double *g)
{
    const double c2 = cos(q[1]), c3 = cos(q[2]), c23 = cos(q[1] + q[2]);
    const double c1 = cos(q[0]), c12 = cos(q[0] + q[1]), c123 = cos(q[0] + q[1] + q[2]);
    M[0] = I1 + I2 + I3 + m1 * r1 * r1 + m2 * (a1 * a1 + r2 * r2 + 2 * a1 * r2 * c2) +
           m3 * (a1 * a1 + a2 * a2 + r3 * r3 + 2 * a1 * a2 * c2 + 2 * a1 * r3 * c23 + 2 * a2 * r3 * c3);
    M[1] = M[3] = I2 + I3 + m2 * (r2 * r2 + a1 * r2 * c2) +
                  m3 * (a2 * a2 + r3 * r3 + a1 * a2 * c2 + a1 * r3 * c23 + 2 * a2 * r3 * c3);
    M[2] = M[6] = I3 + m3 * (r3 * r3 + a1 * r3 * c23 + a2 * r3 * c3);
    M[4] = I2 + I3 + m2 * r2 * r2 + m3 * (a2 * a2 + r3 * r3 + 2 * a2 * r3 * c3);
    M[5] = M[7] = I3 + m3 * (r3 * r3 + a2 * r3 * c3);
    M[8] = I3 + m3 * r3 * r3;
    g[2] = m3 * r3 * g0 * c123;
    g[1] = g[2] + (m2 * r2 + m3 * a2) * g0 * c12;
    g[0] = g[1] + (m1 * r1 + (m2 + m3) * a1) * g0 * c1;
}

/* the Coriolis torques, from the accelerations of the mass centres: every link's absolute rate squared, towards its
 * joint */
static void three_links_coriolis(const double *q, const double *v, double *tau)
{
    const double angle[3] = {q[0], q[0] + q[1], q[0] + q[1] + q[2]};
    const double rate[3] = {v[0], v[0] + v[1], v[0] + v[1] + v[2]};
    const double mass[3] = {m1, m2, m3}, length[3] = {a1, a2, 0}, center[3] = {r1, r2, r3};
    double ax = 0, ay = 0, fx[3], fy[3], px[3], py[3], jx[3], jy[3], x = 0, y = 0;
    for (int i = 0; i < 3; i++) {
        const double c = cos(angle[i]), s = sin(angle[i]), w = rate[i] * rate[i];
        jx[i] = x, jy[i] = y;
        px[i] = x + center[i] * c, py[i] = y + center[i] * s;
        fx[i] = mass[i] * (ax - center[i] * w * c), fy[i] = mass[i] * (ay - center[i] * w * s);
        ax -= length[i] * w * c, ay -= length[i] * w * s;
        x += length[i] * c, y += length[i] * s;
    }
    for (int i = 0; i < 3; i++) {
        tau[i] = 0;
        for (int k = i; k < 3; k++) tau[i] += (px[k] - jx[i]) * fy[k] - (py[k] - jy[i]) * fx[k];
    }
}

TEST(three_links)
{
    if (!begin(THREE_LINKS)) return;
    CHECK_ENTRY(e, "M_11",
                "I_1 + I_2 + I_3 + m_1 r_1^2 + m_2 (a_1^2 + r_2^2 + 2 a_1 r_2 c_2) + m_3 (a_1^2 + a_2^2 + r_3^2 + "
                "2 a_1 a_2 c_2 + 2 a_2 r_3 c_3 + 2 a_1 r_3 c_23)");
    CHECK_ENTRY(e, "M_23", "I_3 + m_3 (r_3^2 + a_2 r_3 c_3)");
    CHECK_ENTRY(e, "h_1", "a_1 (m_2 r_2 + m_3 a_2) s_2 + m_3 a_1 r_3 s_23");
    CHECK_ENTRY(e, "h_2", "m_3 r_3 (a_2 s_3 + a_1 s_23)");
    CHECK_ENTRY(e, "h_3", "m_3 a_2 r_3 s_3");
    CHECK_ENTRY(e, "C_12", "-h_1 (v_1 + v_2) - h_2 v_3");
    CHECK_ENTRY(e, "C_31", "h_2 v_1 + h_3 v_2");
    CHECK_ENTRY(e, "g_1", "g (m_1 r_1 + a_1 (m_2 + m_3)) c_1 + g (m_2 r_2 + m_3 a_2) c_12 + m_3 g r_3 c_123");

    uint64_t seed = check_seed + 1;
    for (int k = 0; k < 50; k++) {
        double q[3], v[3], M[9], C[9], g[3], M_[9], g_[3], Cv[3] = {0}, Cv_[3];
        random_state(3, &seed, q, v);
        if (!read_back(e, 3, q, v, M, C, g)) break;
        three_links_by_hand(q, M_, g_);
        three_links_coriolis(q, v, Cv_);
        for (int i = 0; i < 9; i++) Cv[i / 3] += C[i] * v[i % 3];
        same(M, M_, 9, "M");
        same(g, g_, 3, "g");
        same(Cv, Cv_, 3, "C v");
    }
    end();
}

/* The paper's trajectory, Eq. 38: torques by what is printed and by the library's inverse dynamics. */
TEST(sahas_trajectory)
{
    if (!begin(THREE_LINKS)) return;
    pinion_work *w = pinion_work_new(m);
    const double T = 10, pi = 3.14159265358979323846;
    for (int k = 0; w && k <= 100; k++) {
        const double t = k * T / 100, x = 2 * pi / T;
        double q[3], v[3], a[3], tau[3], M[9], C[9], g[3], by_hand[3];
        for (int i = 0; i < 3; i++) {
            q[i] = 0.5 * (x * t - sin(x * t));
            v[i] = 0.5 * x * (1 - cos(x * t));
            a[i] = 0.5 * x * x * sin(x * t);
        }
        if (!read_back(e, 3, q, v, M, C, g)) break;
        CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, a, NULL, tau), PINION_OK);
        for (int i = 0; i < 3; i++) {
            by_hand[i] = g[i];
            for (int j = 0; j < 3; j++) by_hand[i] += M[3 * i + j] * a[j] + C[3 * i + j] * v[j];
        }
        same(by_hand, tau, 3, "tau");
    }
    pinion_work_free(w);
    end();
}

TEST(cart_and_pole)
{
    if (!begin(MODEL(DOWN_Z, ROUND("cart", "1", ZERO) ", " ROUND("pole", "0.2", "[0, 0, -0.5]"),
                     JOINT("slide", "prismatic", "base", "cart", "[1, 0, 0]", ZERO) "}, "
                     JOINT("pivot", "continuous", "cart", "pole", "[0, -1, 0]", ZERO) "}")))
        return;
    CHECK_ENTRY(e, "M_11", "m_1 + m_2");
    CHECK_ENTRY(e, "M_12", "m_2 r_2 c_2");
    CHECK_ENTRY(e, "M_22", "I_2 + m_2 r_2^2");
    CHECK_ENTRY(e, "C_11", "0");
    CHECK_ENTRY(e, "C_12", "-m_2 r_2 s_2 v_2");
    CHECK_ENTRY(e, "C_21", "0");
    CHECK_ENTRY(e, "g_1", "0");
    CHECK_ENTRY(e, "g_2", "m_2 g r_2 s_2");
    end();
}

TEST(pendulum_with_a_rotor)
{
    if (!begin(MODEL(DOWN_Z, ROUND("bob", "0.7", "[0, 0, -0.5]"),
                     JOINT("pivot", "continuous", "base", "bob", "[0, -1, 0]", ZERO)
                     ", \"rotor\": {\"inertia\": 0.001, \"gear\": 50}}")))
        return;
    CHECK_ENTRY(e, "M_11", "I_1 + J_1 + m_1 r_1^2");
    CHECK_ENTRY(e, "C_11", "0");
    CHECK_ENTRY(e, "g_1", "m_1 g r_1 s_1");
    for (int i = 0; i < pinion_equations_symbol_count(e); i++) {
        pinion_equation_symbol s;
        CHECK_STATUS(pinion_equations_symbol(e, i, &s), PINION_OK);
        if (strcmp(s.name, "J_1") == 0) CHECK_NEAR(s.value, 2.5, 1e-15);
        if (strcmp(s.name, "r_1") == 0) CHECK_NEAR(s.value, 0.5, 1e-15);
    }
    end();
}

TEST(arms_that_slide)
{
    if (!begin(RP_ARM)) return;
    CHECK_ENTRY(e, "M_11", "I_1 + I_2 + m_1 r_1^2 + m_2 (r_2 + q_2)^2");
    CHECK_ENTRY(e, "M_12", "0");
    CHECK_ENTRY(e, "M_22", "m_2");
    CHECK_ENTRY(e, "h_1", "m_2 (r_2 + q_2)");
    CHECK_ENTRY(e, "C_21", "-h_1 v_1");
    CHECK_ENTRY(e, "g_1", "g (m_1 r_1 + m_2 r_2 + m_2 q_2) c_1");
    CHECK_ENTRY(e, "g_2", "m_2 g s_1");
    end();
}

TEST(spherical_pendulum)
{
    if (!begin(SPHERICAL_PENDULUM)) return;
    CHECK_ENTRY(e, "M_11", "I_2xx c_2^2 + I_2yy s_2^2 + m_2 r_2^2 s_2^2");
    CHECK_ENTRY(e, "M_12", "0");
    CHECK_ENTRY(e, "M_22", "I_2zz + m_2 r_2^2");
    CHECK_ENTRY(e, "h_1", "(m_2 r_2^2 - I_2xx + I_2yy) c_2 s_2");
    CHECK_ENTRY(e, "g_2", "m_2 g r_2 s_2");
    end();
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(two_links);
    RUN(three_links);
    RUN(sahas_trajectory);
    RUN(cart_and_pole);
    RUN(pendulum_with_a_rotor);
    RUN(arms_that_slide);
    RUN(spherical_pendulum);
    return CHECK_END();
}
