/* Springs between two points as part of a model: their force, energy, damping, motors, and what they do to a tree
 * that has no loop at all. */
#include "mechanism.h"

static pinion_model *model_of(const char *text)
{
    pinion_error err = {0};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "model", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

/* A mass of 2 kg on a free joint, hung from the origin by a spring. */
#define HANGING(spring)                                                                                            \
    "{\"pinion\": 1, \"gravity\": [0, 0, -9.81],\n"                                                                \
    " \"links\": [{\"name\": \"base\"}, {\"name\": \"mass\", \"mass\": 2,\n"                                       \
    "  \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}}],\n"                                                  \
    " \"joints\": [{\"name\": \"float\", \"type\": \"free\", \"parent\": \"base\", \"child\": \"mass\"}],\n"       \
    " \"loops\": [{\"name\": \"s\", \"type\": \"spring\", \"parent\": \"base\", \"child\": \"mass\", " spring "}]}"

/* Two arms in a plane, the spring from the base to the tip of the second, everything off the axes. */
static const char ARMS[] =
    "{\"pinion\": 1, \"gravity\": [0, -9.81, 0],\n"
    " \"links\": [{\"name\": \"base\"},\n"
    "  {\"name\": \"one\", \"mass\": 1, \"com\": [0.3, 0, 0], \"inertia\": {\"yy\": 0.02, \"zz\": 0.02}},\n"
    "  {\"name\": \"two\", \"mass\": 2, \"com\": [0.2, 0.1, 0],\n"
    "   \"inertia\": {\"xx\": 0.01, \"yy\": 0.03, \"zz\": 0.03}}],\n"
    " \"joints\": [{\"name\": \"A\", \"type\": \"continuous\", \"parent\": \"base\", \"child\": \"one\"},\n"
    "  {\"name\": \"B\", \"type\": \"continuous\", \"parent\": \"one\", \"child\": \"two\",\n"
    "   \"origin\": {\"position\": [0.6, 0, 0]}}],\n"
    " \"loops\": [{\"name\": \"s\", \"type\": \"spring\", \"parent\": \"base\", \"child\": \"two\",\n"
    "  \"origin\": {\"position\": [0.1, 0.7, 0]}, \"child_origin\": {\"position\": [0.5, 0.05, 0]},\n"
    "  \"stiffness\": 50, \"length\": 0.3, \"damping\": 4}]}";

/* The length, its rate, force and energy of a hanging mass. */
TEST(force_along_the_line)
{
    pinion_model *m = model_of(HANGING("\"stiffness\": 100, \"length\": 0.5, \"damping\": 3"));
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    CHECK(w != NULL);
    if (!w) return;
    CHECK(pinion_model_row_count(m) == 0 && pinion_model_loop_nq(m) == 1 && pinion_model_loop_nv(m) == 1);
    const double q[7] = {1, 0, 0, 0, 0.3, 0, -0.4}, v[6] = {0, 0, 0, 1, 0, -2}; /* 0.5 m away: no tension */
    double length, rate, tau[6], potential;
    CHECK_STATUS(pinion_loop_motion(m, w, q, v, &length, &rate), PINION_OK);
    CHECK_NEAR(length, 0.5, 1e-15);
    CHECK_NEAR(rate, 0.6 + 1.6, 1e-15);

    /* the damper alone, then as far again with the spring, then a motor that pushes */
    CHECK_STATUS(pinion_loop_active_forces(m, w, q, v, NULL, 1, tau, &potential), PINION_OK);
    CHECK_NEAR(tau[3], -3 * 2.2 * 0.6, 1e-13);
    CHECK_NEAR(tau[5], 3 * 2.2 * 0.8, 1e-13);
    CHECK_NEAR(potential, 0, 1e-15);
    const double far[7] = {1, 0, 0, 0, 0.6, 0, -0.8}, push = 10;
    CHECK_STATUS(pinion_loop_active_forces(m, w, far, NULL, NULL, 1, tau, &potential), PINION_OK);
    CHECK_NEAR(tau[3], -50 * 0.6, 1e-12);
    CHECK_NEAR(tau[5], 50 * 0.8, 1e-12);
    CHECK_NEAR(potential, 12.5, 1e-12);
    CHECK_STATUS(pinion_loop_active_forces(m, w, far, NULL, &push, 0, tau, &potential), PINION_OK);
    CHECK_NEAR(tau[3], 10 * 0.6, 1e-12);
    CHECK_NEAR(tau[5], -10 * 0.8, 1e-12);
    for (int i = 0; i < 3; i++) CHECK_NEAR(tau[i], 0, 1e-15);

    /* off: nothing; and nothing, but no NaN, where the ends coincide */
    CHECK_STATUS(pinion_loop_active_forces(m, w, far, NULL, NULL, 0, tau, NULL), PINION_OK);
    for (int i = 0; i < 6; i++) CHECK(tau[i] == 0);
    const double here[7] = {1, 0, 0, 0, 0, 0, 0};
    CHECK_STATUS(pinion_loop_active_forces(m, w, here, v, &push, 1, tau, &potential), PINION_OK);
    for (int i = 0; i < 6; i++) CHECK(tau[i] == 0);
    CHECK_NEAR(potential, 0.5 * 100 * 0.25, 1e-13);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* The force is the derivative of the energy, joint by joint. */
TEST(force_is_the_slope_of_the_energy)
{
    pinion_model *m = model_of(ARMS);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    CHECK(w != NULL);
    if (!w) return;
    uint64_t seed = check_seed;
    for (int trial = 0; trial < 20; trial++) {
        const double q[2] = {check_between(&seed, -3, 3), check_between(&seed, -3, 3)}, h = 1e-5;
        double tau[2], plus, minus, other[2];
        CHECK_STATUS(pinion_loop_active_forces(m, w, q, NULL, NULL, 1, tau, NULL), PINION_OK);
        for (int i = 0; i < 2; i++) {
            /* of fourth order: where the ends are near each other, the force turns fast */
            double x[2] = {q[0], q[1]}, change[2];
            for (int k = 0; k < 2; k++) {
                x[i] = q[i] + (k + 1) * h;
                CHECK_STATUS(pinion_loop_active_forces(m, w, x, NULL, NULL, 1, other, &plus), PINION_OK);
                x[i] = q[i] - (k + 1) * h;
                CHECK_STATUS(pinion_loop_active_forces(m, w, x, NULL, NULL, 1, other, &minus), PINION_OK);
                change[k] = plus - minus;
            }
            CHECK_NEAR(tau[i], -(8 * change[0] - change[1]) / (12 * h), 1e-7);
        }
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Accelerations of a tree with a spring and no row: as forward dynamics of the tree with the spring's forces. */
TEST(tree_with_a_spring)
{
    pinion_model *m = model_of(ARMS);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    CHECK(w != NULL);
    if (!w) return;
    uint64_t seed = check_seed;
    pinion_loop_options o = pinion_loop_options_default();
    o.passive = 1;
    int solved = 0;
    for (int trial = 0; trial < 10; trial++) {
        double q[2], v[2], tau[2], M[4], h[2], a[2];
        for (int i = 0; i < 2; i++) q[i] = check_between(&seed, -3, 3), v[i] = check_between(&seed, -2, 2);
        CHECK_STATUS(pinion_loop_active_forces(m, w, q, v, NULL, 1, tau, NULL), PINION_OK);
        CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
        CHECK_STATUS(pinion_bias(m, w, q, v, h), PINION_OK);
        const double f[2] = {tau[0] - h[0], tau[1] - h[1]}, det = M[0] * M[3] - M[1] * M[2];
        const double known[2] = {(M[3] * f[0] - M[1] * f[1]) / det, (M[0] * f[1] - M[2] * f[0]) / det};
        for (int i = 0; i < pinion_algorithm_count(); i++) {
            pinion_algorithm_info info;
            CHECK_STATUS(pinion_algorithm(i, &info), PINION_OK);
            if (info.problem != PINION_PROBLEM_FORWARD_DYNAMICS ||
                pinion_algorithm_applies(i, m, NULL) != PINION_OK)
                continue;
            CHECK_STATUS(pinion_loop_dynamics(m, w, i, &o, q, v, NULL, NULL, a, NULL), PINION_OK);
            CHECK_NEAR(check_error(a, known, 2, 1), 0, 1e-11);
            solved++;
        }
    }
    CHECK(solved >= 40);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Hung straight down without a damper: a harmonic oscillation about the place where the spring carries the weight. With
 * one, all that is lost is in the work. */
TEST(oscillation)
{
    static const char *const text[2] = {HANGING("\"stiffness\": 200, \"length\": 0.5"),
                                        HANGING("\"stiffness\": 200, \"length\": 0.5, \"damping\": 1")};
    for (int k = 0; k < 2; k++) {
        pinion_model *m = model_of(text[k]);
        pinion_error err = {0};
        pinion_sim *s = m ? pinion_sim_new(m, NULL, &err) : NULL;
        CHECK(s != NULL);
        if (!s) continue;
        double q[7] = {1, 0, 0, 0, 0, 0, -0.7}, v[6] = {0};
        const double rest = 0.5 + 2 * 9.81 / 200, t = 1.3, decay = k ? 1.0 / 4 : 0;
        const double w = sqrt(200.0 / 2 - decay * decay), x = rest - 0.7;
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        CHECK_STATUS(pinion_sim_advance(s, t), PINION_OK);
        pinion_sim_state state = {.q = q, .v = v};
        CHECK_STATUS(pinion_sim_get(s, &state), PINION_OK);
        CHECK_NEAR(q[6], -rest + x * exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t)), 1e-9);
        CHECK_NEAR(state.drift, 0, 1e-9);
        CHECK(k ? state.work < -0.01 : fabs(state.work) < 1e-9);
        pinion_sim_free(s);
        pinion_model_free(m);
    }
}

/* Switched off it is not there: the mass falls. */
TEST(passive_off)
{
    pinion_model *m = model_of(HANGING("\"stiffness\": 200, \"length\": 0.5"));
    pinion_sim_options o = pinion_sim_options_default();
    o.passive = 0;
    pinion_sim *s = m ? pinion_sim_new(m, &o, NULL) : NULL;
    CHECK(s != NULL);
    if (!s) return;
    double q[7] = {1, 0, 0, 0, 0, 0, -0.7};
    CHECK_STATUS(pinion_sim_start(s, 0, q, NULL), PINION_OK);
    CHECK_STATUS(pinion_sim_advance(s, 1), PINION_OK);
    pinion_sim_state state = {.q = q};
    CHECK_STATUS(pinion_sim_get(s, &state), PINION_OK);
    CHECK_NEAR(q[6], -0.7 - 9.81 / 2, 1e-10);
    pinion_sim_free(s);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(force_along_the_line);
    RUN(force_is_the_slope_of_the_energy);
    RUN(tree_with_a_spring);
    RUN(oscillation);
    RUN(passive_off);
    return CHECK_END();
}
