/* What is printed, read back from its text, against the kernels: mechanisms of every kind of joint that equations can
 * have, and random chains. Also dM/dt - 2 C, which is skew-symmetric. */
#include "printed.h"
#include "fixtures.h"

static const char *const mechanisms[] = {RP_ARM,    PR_ARM, SPHERICAL_PENDULUM, ELBOW_ARM, SKEW_ARM,
                                         TREE,      SCREW,  UNIVERSAL,          FOLLOWERS, SHELVES,
                                         LEANING_TREE, SLIDING_WRIST};
enum { COUNT = sizeof mechanisms / sizeof *mechanisms };

static double worst;

static void compare(const pinion_model *m, const char *what, const double *a, const double *b, int count,
                    double scale, double tolerance)
{
    for (int i = 0; i < count; i++) scale = fmax(scale, fabs(b[i]));
    for (int i = 0; i < count; i++) {
        const double d = fabs(a[i] - b[i]) / scale;
        check_count++;
        if (d > worst) worst = d;
        if (!(d <= tolerance))
            CHECK_FAIL("%s, %s: entry %d is %.17g, expected %.17g", pinion_model_name(m), what, i, a[i], b[i]);
    }
}

static void check_state(const pinion_model *m, const pinion_equations *e, pinion_work *w, const double *q,
                        const double *v, double tolerance)
{
    const int nv = pinion_model_nv(m), n = nv * nv;
    double M[64], C[64], g[8], M0[64], C0[64], g0[8], tau[8], a[8] = {0}, bias[8];
    if (!read_back(e, nv, q, v, M, C, g)) return;
    CHECK_STATUS(pinion_mass_matrix(m, w, q, M0), PINION_OK);
    CHECK_STATUS(pinion_coriolis_by(m, w, pinion_algorithm_find("christoffel"), q, v, C0), PINION_OK);
    CHECK_STATUS(pinion_gravity(m, w, q, g0), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, a, NULL, tau), PINION_OK);
    compare(m, "M", M, M0, n, 0, tolerance);
    compare(m, "C", C, C0, n, M0[0], tolerance);
    compare(m, "g", g, g0, nv, M0[0], tolerance);
    for (int i = 0; i < nv; i++) {
        bias[i] = g[i];
        for (int j = 0; j < nv; j++) bias[i] += C[i * nv + j] * v[j];
    }
    compare(m, "C v + g", bias, tau, nv, M0[0], 10 * tolerance);

    /* the library evaluates the same */
    double M1[64], C1[64], g1[8];
    CHECK_STATUS(pinion_equations_evaluate(e, q, v, M1, C1, g1), PINION_OK);
    compare(m, "M", M1, M, n, 0, 1e-13);
    compare(m, "C", C1, C, n, M0[0], 1e-13);
    compare(m, "g", g1, g, nv, M0[0], 1e-13);
}

/* dM/dt by differences along v; dM/dt - 2 C + (dM/dt - 2 C)' = 0 */
static void check_skew(const pinion_model *m, const pinion_equations *e, const double *q, const double *v)
{
    const int nv = pinion_model_nv(m);
    const double h = 1e-5;
    double M[2][64], C[64], g[8], at[8], here[64], scale = 0;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < nv; i++) at[i] = q[i] + (side ? h : -h) * v[i];
        if (!read_back(e, nv, at, v, M[side], C, g)) return;
    }
    if (!read_back(e, nv, q, v, here, C, g)) return;
    for (int i = 0; i < nv * nv; i++) scale = fmax(scale, fmax(fabs(C[i]), fabs(here[i])));
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            const double rate = (M[1][i * nv + j] - M[0][i * nv + j]) / (2 * h);
            CHECK_NEAR(rate - C[i * nv + j] - C[j * nv + i], 0, 1e-7 * scale);
        }
}

static void check_model(const pinion_model *m, int states, double tolerance, const pinion_equations_options *options)
{
    const int nv = pinion_model_nv(m);
    pinion_equations *e = equations_of(m, options);
    pinion_work *w = pinion_work_new(m);
    uint64_t seed = check_seed;
    for (int k = 0; e && w && k < states; k++) {
        double q[8], v[8];
        random_state(nv, &seed, q, v);
        check_state(m, e, w, q, v, tolerance);
        if (k < 5) check_skew(m, e, q, v);
    }
    if (e) CHECK(pinion_equations_difference(e) <= tolerance);
    pinion_work_free(w);
    pinion_equations_free(e);
}

TEST(printed_equations_are_those_of_the_kernels)
{
    worst = 0;
    for (int i = 0; i < COUNT; i++) {
        pinion_model *m = model_of(mechanisms[i], NULL);
        if (m) check_model(m, 30, 1e-12, NULL);
        pinion_model_free(m);
    }
    printf("    worst difference %.2g\n", worst);
}

TEST(followers_as_joints_of_their_own)
{
    pinion_load_options options = pinion_load_options_default();
    options.mimic = PINION_MIMIC_INDEPENDENT;
    pinion_model *m = model_of(FOLLOWERS, &options);
    if (m) CHECK(pinion_model_nv(m) == 4);
    if (m) check_model(m, 20, 1e-12, NULL);
    pinion_model_free(m);
}

TEST(gravity_in_any_direction)
{
    static const double directions[][3] = {{0, 0, 0}, {9.81, 0, 0}, {0, -9.81, 0}, {0, 0, 1.62}, {3, -4, 5}};
    for (int i = 0; i < 5; i++) {
        pinion_load_options options = pinion_load_options_default();
        options.set_gravity = 1;
        memcpy(options.gravity, directions[i], sizeof options.gravity);
        pinion_model *m = model_of(ELBOW_ARM, &options);
        if (m) check_model(m, 20, 1e-12, NULL);
        pinion_equations *e = equations_of(m, NULL);
        if (e && i == 0) CHECK_ENTRY(e, "g_2", "0");
        pinion_equations_free(e);
        pinion_model_free(m);
    }
}

TEST(numbers_in_place_of_symbols)
{
    pinion_equations_options options = pinion_equations_options_default();
    options.numbers = 1;
    for (int i = 0; i < COUNT; i++) {
        pinion_model *m = model_of(mechanisms[i], NULL);
        /* they are printed with 12 digits */
        if (m) check_model(m, 20, 1e-10, &options);
        pinion_model_free(m);
    }
}

TEST(random_chains)
{
    pinion_equations_options options = pinion_equations_options_default();
    options.max_terms = 20000;
    worst = 0;
    for (int n = 1; n <= 3; n++)
        for (int k = 0; k < 4; k++) {
            pinion_error err;
            pinion_model *m = pinion_random_chain(n, check_seed + (uint64_t)k, &err);
            if (m) check_model(m, 5, 1e-11, &options);
            pinion_model_free(m);
        }
    printf("    worst difference %.2g\n", worst);
}

/* Rounded angles, as files have them: 1.5708 is a right angle, and the text says so. */
TEST(rounded_right_angles)
{
    pinion_model *m = model_of(ROUNDED_ANGLE, NULL);
    pinion_equations *e = equations_of(m, NULL);
    if (e) {
        CHECK(pinion_equations_difference(e) > 1e-10 && pinion_equations_difference(e) < 1e-4);
        CHECK_HAS(pinion_equations_text(e), "off by up to 3.7e-06 rad");
        CHECK(!strstr(pinion_equations_text(e), "alpha"));
    }
    pinion_equations_free(e);
    pinion_model_free(m);
}

/* braces and environments, each closed in its order */
static void check_balance(const char *text)
{
    char open[32][24];
    int depth = 0, braces = 0, dollars = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '\\' && strncmp(c, "\\begin{", 7) == 0 && depth < 32) {
            snprintf(open[depth++], sizeof open[0], "%.*s", (int)strcspn(c + 7, "}"), c + 7);
        } else if (*c == '\\' && strncmp(c, "\\end{", 5) == 0) {
            const size_t length = strcspn(c + 5, "}");
            depth--;
            CHECK(depth >= 0 && strlen(open[depth]) == length && strncmp(open[depth], c + 5, length) == 0);
            if (depth < 0) return;
        } else if (*c == '\\') {
            c++;
        } else {
            braces += *c == '{' ? 1 : *c == '}' ? -1 : 0;
            dollars += *c == '$';
        }
        CHECK(braces >= 0 || depth < 0);
        CHECK((unsigned char)*c < 0x80);
    }
    CHECK(depth == 0 && braces == 0 && dollars % 2 == 0);
}

TEST(latex_is_balanced)
{
    for (int i = 0; i < 2 * COUNT; i++) {
        pinion_equations_options options = pinion_equations_options_default();
        options.format = PINION_EQUATIONS_LATEX;
        options.document = i % 2;
        options.numbers = i % 3 == 0;
        pinion_model *m = model_of(mechanisms[i / 2], NULL);
        pinion_equations *e = equations_of(m, &options);
        if (e) {
            check_balance(pinion_equations_text(e));
            CHECK_HAS(pinion_equations_text(e), "\\begin{align*}\n  M_{11} &= ");
            CHECK(!strstr(pinion_equations_text(e), "\\documentclass") == !options.document);
        }
        pinion_equations_free(e);
        pinion_model_free(m);
    }

    /* three skew axes: parts below a sixteenth are decimals */
    pinion_error err;
    pinion_equations_options options = pinion_equations_options_default();
    options.format = PINION_EQUATIONS_LATEX;
    options.max_terms = 20000;
    pinion_model *m = pinion_random_chain(3, 20001, &err);
    pinion_equations *e = equations_of(m, &options);
    if (e) {
        check_balance(pinion_equations_text(e));
        CHECK_HAS(pinion_equations_text(e), "\\tfrac{1}{16}");
        CHECK_HAS(pinion_equations_text(e), " 0.03125 ");
    }
    pinion_equations_free(e);
    pinion_model_free(m);
}

/* What symbols mean that few mechanisms have. */
TEST(meanings)
{
    static const char *const model[2] = {SHELVES, SLIDING_WRIST},
                             *const meaning[2] = {"along the axis of column_joint, to its common normal with that of "
                                                  "high_joint", "displacement of slide where its coordinate is 0"};
    static const double value[2] = {0.4, 0.5}; /* 0.9 - 0.5 up the column; 0.2 to the slider and 0.3 to the wrist */
    for (int i = 0; i < 2; i++) {
        pinion_model *m = model_of(model[i], NULL);
        pinion_equations *e = equations_of(m, NULL);
        pinion_equation_symbol s;
        double found = NAN;
        for (int k = 0; e && pinion_equations_symbol(e, k, &s) == PINION_OK; k++)
            if (strcmp(s.meaning, meaning[i]) == 0) found = s.value;
        CHECK_NEAR(fabs(found), value[i], 1e-12);
        if (e) CHECK_HAS(pinion_equations_text(e), meaning[i]);
        pinion_equations_free(e);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(printed_equations_are_those_of_the_kernels);
    RUN(followers_as_joints_of_their_own);
    RUN(gravity_in_any_direction);
    RUN(numbers_in_place_of_symbols);
    RUN(random_chains);
    RUN(rounded_right_angles);
    RUN(latex_is_balanced);
    RUN(meanings);
    return CHECK_END();
}
