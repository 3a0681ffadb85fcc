/* Factorizations of the mass matrix, by every algorithm: the factors multiply to M, they are zero where the
 * tree has no path, solutions and products are those of M, and what cannot be factorized is refused. */
#include "identity/identity.h"
#include "models.h"
#include "shared.h"

/* a sum of products, and one that went through M^-1, relative to the sizes of the terms */
#define TOLERANCE 1e-12

static const char *const names[] = {"ltdl", "ltl", "udu", "inverse"};
enum { LTDL, LTL, UDU, INVERSE, NAMES };

static int factorized[NAMES], refused[NAMES];
static double worst[NAMES]; /* error of what the factors multiply to */

static double row_norm(const double *A, int n)
{
    double top = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += fabs(A[i * n + j]);
        top = fmax(top, sum);
    }
    return top;
}

/* ---- one factorization ---- */

/* what the factors multiply to: L' L, L' D L, or for the inverse M M^-1 */
static void reconstruct(const double *F, int which, int n, double *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) {
                if (which == INVERSE) {
                    sum += F[n * n + i * n + k] * F[k * n + j];
                } else {
                    const double D = which == LTL ? 1 : F[k * n + k];
                    const double a = which != LTL && k == i ? 1 : F[k * n + i];
                    const double b = which != LTL && k == j ? 1 : F[k * n + j];
                    sum += k >= i && k >= j ? a * D * b : 0;
                }
            }
            out[i * n + j] = sum;
        }
}

/* whether velocity i is that of a joint on the way from velocity k to the root, or of the same joint */
static int carries(const pinion_model *m, int i, int k)
{
    pinion_joint_info joint;
    int body_of[2] = {-1, -1};
    for (int j = 0; pinion_model_joint(m, j, &joint) == PINION_OK; j++) {
        if (i >= joint.v_index && i < joint.v_index + joint.nv) body_of[0] = joint.body;
        if (k >= joint.v_index && k < joint.v_index + joint.nv) body_of[1] = joint.body;
    }
    for (int body = body_of[1]; body > 0;) {
        pinion_body_info info;
        if (body == body_of[0]) return 1;
        if (pinion_model_body(m, body, &info) != PINION_OK) return 0;
        body = info.parent;
    }
    return 0;
}

/* exact zeros above the diagonal, and below it where neither carries the other */
static void check_zeros(subject *s, const double *F, const char *name)
{
    const int n = s->nv;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            if (i <= k && carries(s->m, i, k)) continue;
            check_count++;
            if (F[k * n + i] != 0) CHECK_FAIL("%s: %s has %g at (%d, %d)", s->name, name, F[k * n + i], k, i);
        }
}

/* M^-1 b and M x, twice with other vectors, also in place */
static void check_use(subject *s, pinion_work *w, int a, const double *M, const double *F, double condition)
{
    const int n = s->nv;
    double *b = take_random(s, n, 5), *x = take(s, n), *y = take(s, n), *back = take(s, n);
    for (int k = 0; k < 2; k++) {
        FINE(s, pinion_factorization_solve(s->m, w, a, F, b, x));
        times(M, x, n, n, back);
        const double scale = (1 + condition) * largest(b, n);
        for (int i = 0; i < n; i++) CHECK_NEAR(back[i], b[i], TOLERANCE * scale);
        memcpy(y, b, sizeof *y * (size_t)n);
        FINE(s, pinion_factorization_solve(s->m, w, a, F, y, y));
        CHECK(memcmp(x, y, sizeof *x * (size_t)n) == 0);

        FINE(s, pinion_factorization_multiply(s->m, w, a, F, b, x));
        times(M, b, n, n, y);
        for (int i = 0; i < n; i++) CHECK_NEAR(x[i], y[i], TOLERANCE * row_norm(M, n) * largest(b, n));
        memcpy(y, b, sizeof *y * (size_t)n);
        FINE(s, pinion_factorization_multiply(s->m, w, a, F, y, y));
        CHECK(memcmp(x, y, sizeof *x * (size_t)n) == 0);
        for (int i = 0; i < n; i++) b[i] = spread(s, 100);
    }
}

/* the state at hand, by every algorithm that applies */
static void check_factors(subject *s)
{
    const int n = s->nv;
    pinion_work *w = pinion_work_new(s->m);
    double *M = take_matrix(s, n, n), *product = take_matrix(s, n, n), *Minv = take_matrix(s, n, n);
    FINE(s, pinion_mass_matrix(s->m, s->w, s->q, M));
    double condition = 0;
    CHECK(w != NULL);

    /* the inverse first: its size says how much is lost */
    for (int k = NAMES - 1; w && k >= 0; k--) {
        const int a = pinion_algorithm_find(names[k]);
        pinion_error err = {0};
        const size_t size = pinion_factorization_size(s->m, a);
        CHECK(size == (size_t)((k == INVERSE ? 2 : 1) * n * n));
        double *F = take(s, (int)size);
        for (size_t i = 0; i < size; i++) F[i] = NAN;
        if (pinion_algorithm_applies(a, s->m, &err) != PINION_OK) {
            refused[k]++;
            CHECK(k != INVERSE);
            CHECK_STATUS(pinion_factorization_by(s->m, w, a, s->q, F), PINION_ERR_UNSUPPORTED);
            CHECK_STATUS(pinion_factorization_solve(s->m, w, a, F, M, M), PINION_ERR_UNSUPPORTED);
            CHECK_HAS(pinion_work_message(w), names[k]);
            CHECK_HAS(pinion_work_message(w), "mimic");
            continue;
        }
        factorized[k]++;
        FINE(s, pinion_factorization_by(s->m, w, a, s->q, F));
        reconstruct(F, k, n, product);
        double error = 0;
        if (k == INVERSE) {
            memcpy(Minv, F, sizeof *F * (size_t)(n * n));
            condition = row_norm(M, n) * row_norm(Minv, n);
            CLOSE(s, F + n * n, M, n * n, 0, 1e-15);
            for (int i = 0; i < n; i++) product[i * (n + 1)] -= 1;
            error = largest(product, n * n) / condition;
        } else {
            error = check_error(product, M, (size_t)(n * n), 0);
            check_zeros(s, F, names[k]);
        }
        if (!(error <= worst[k])) worst[k] = error;
        check_count++;
        if (!(error <= TOLERANCE)) CHECK_FAIL("%s: %s is not M, by %g", s->name, names[k], error);
        check_use(s, w, a, M, F, condition);
    }
    pinion_work_free(w);
}

/* ---- models ---- */

TESTS_ON_MODELS(check_factors, 1, 2, 1, 3)

TEST(every_joint_with_rotors)
{
    for_every_joint(2, 1, check_factors);
}

/* ---- by hand ---- */

/* sliders along x: 3 kg on the base, 2 kg and 5 kg on that; the last two do not couple */
static pinion_model *sliders(void)
{
    static const char *const links[] = {"base", "one", "two", "three"};
    static const char *const parents[] = {"", "base", "one", "one"};
    static const double mass[] = {1, 3, 2, 5};
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("sliders");
    for (int i = 0; i < 4; i++) {
        pinion_link_def link = pinion_link_def_default();
        link.name = links[i];
        link.inertia = (pinion_inertia){mass[i], {0, 0, 0}, {1, 0, 0, 1, 0, 1}};
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = links[i];
        joint.type = PINION_JOINT_PRISMATIC;
        joint.parent = parents[i];
        joint.child = links[i];
        joint.axis[0] = 1;
        joint.axis[2] = 0;
        if (i) CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    pinion_builder_free(b);
    CHECK(m != NULL);
    return m;
}

TEST(numbers_by_hand)
{
    pinion_model *m = sliders();
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    const double q[3] = {0.1, 0.2, 0.3}, r2 = sqrt(2), r3 = sqrt(3), r5 = sqrt(5);
    /* M = [10 2 5; 2 2 0; 5 0 5] */
    const double expected[NAMES][18] = {{3, 0, 0, 1, 2, 0, 1, 0, 5},
                                        {r3, 0, 0, r2, r2, 0, r5, 0, r5},
                                        {3, 0, 0, 1, 2, 0, 1, 0, 5},
                                        {1 / 3., -1 / 3., -1 / 3., -1 / 3., 5 / 6., 1 / 3., -1 / 3., 1 / 3.,
                                         8 / 15., 10, 2, 5, 2, 2, 0, 5, 0, 5}};
    for (int k = 0; w && k < NAMES; k++) {
        const int a = pinion_algorithm_find(names[k]), size = (int)pinion_factorization_size(m, a);
        double F[18], x[3];
        const double b[3] = {3, 2, 5};
        CHECK_STATUS(pinion_factorization_by(m, w, a, q, F), PINION_OK);
        for (int i = 0; i < size; i++) CHECK_NEAR(F[i], expected[k][i], 1e-14);
        CHECK_STATUS(pinion_factorization_solve(m, w, a, F, b, x), PINION_OK);
        for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], i ? 7 / 3. : -4 / 3., 1e-14);
        CHECK_STATUS(pinion_factorization_multiply(m, w, a, F, b, x), PINION_OK);
        for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], i == 0 ? 59 : i == 1 ? 10 : 40, 1e-13);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* a hinge on a hinge about the same axis, the last link without inertia: no factorization, and no number */
TEST(singular_models)
{
    static const char *const links[] = {"base", "arm", "ghost"};
    pinion_error err = {0};
    for (int both = 0; both < 2; both++) {
        pinion_builder *b = pinion_builder_new("singular");
        for (int i = 0; i < 3; i++) {
            pinion_link_def link = pinion_link_def_default();
            link.name = links[i];
            const double mass = i == 2 ? 0 : 1;
            link.inertia = (pinion_inertia){mass, {0, 0, 0}, {mass, 0, 0, mass, 0, mass}};
            CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
            pinion_joint_def joint = pinion_joint_def_default();
            joint.name = links[i];
            joint.type = both ? PINION_JOINT_SPHERICAL : PINION_JOINT_REVOLUTE;
            joint.parent = links[i ? i - 1 : 0];
            joint.child = links[i];
            if (i) CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
        }
        pinion_model *m = pinion_builder_build(b, NULL, &err);
        pinion_builder_free(b);
        pinion_work *w = m ? pinion_work_new(m) : NULL;
        double q[8], F[72];
        CHECK(w != NULL);
        for (int k = 0; w && k < NAMES; k++) {
            const int a = pinion_algorithm_find(names[k]);
            CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
            CHECK_STATUS(pinion_factorization_by(m, w, a, q, F), PINION_ERR_SINGULAR);
            CHECK_HAS(pinion_work_message(w), "ghost");
        }
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

TEST(wrong_calls)
{
    pinion_model *m = sliders(), *other = pinion_random_chain(4, 1, NULL);
    pinion_work *w = pinion_work_new(m);
    pinion_work *alien = pinion_work_new(other);
    const int ltl = pinion_algorithm_find("ltl");
    const double q[3] = {0};
    double F[18], x[3] = {1, 2, 3};
    CHECK(ltl >= 0 && w && alien);
    CHECK(pinion_factorization_size(NULL, ltl) == 0 && pinion_factorization_size(m, -1) == 0);
    CHECK(pinion_factorization_size(m, pinion_algorithm_find("crba")) == 0);

    /* another problem's algorithm, and none */
    const int wrong[] = {-1, pinion_algorithm_count(), pinion_algorithm_find("ltl-inverse")};
    CHECK_STATUS(pinion_factorization_by(m, w, ltl, q, F), PINION_OK);
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(pinion_factorization_by(m, w, wrong[i], q, F), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pinion_factorization_solve(m, w, wrong[i], F, x, x), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pinion_factorization_multiply(m, w, wrong[i], F, x, x), PINION_ERR_ARGUMENT);
    }

    /* what is missing */
    CHECK_STATUS(pinion_factorization_by(NULL, w, ltl, q, F), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_factorization_by(m, NULL, ltl, q, F), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_factorization_by(m, w, ltl, NULL, F), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_factorization_by(m, w, ltl, q, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_factorization_solve(NULL, w, ltl, F, x, x), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_factorization_solve(m, NULL, ltl, F, x, x), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_factorization_solve(m, w, ltl, NULL, x, x), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_factorization_multiply(m, w, ltl, F, NULL, x), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_factorization_multiply(m, w, ltl, F, x, NULL), PINION_ERR_ARGUMENT);

    /* workspaces */
    CHECK_STATUS(pinion_factorization_by(m, alien, ltl, q, F), PINION_ERR_MISMATCH);
    CHECK_STATUS(pinion_factorization_solve(m, alien, ltl, F, x, x), PINION_ERR_MISMATCH);
    CHECK(x[0] == 1 && x[1] == 2 && x[2] == 3);
    pinion_work_free(w);
    pinion_work_free(alien);
    pinion_model_free(m);
    pinion_model_free(other);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN_ON_MODELS();
    RUN(every_joint_with_rotors);
    RUN(numbers_by_hand);
    RUN(singular_models);
    RUN(wrong_calls);
    for (int k = 0; k < NAMES; k++) {
        printf("       %-8s %5d states, worst error %.2g; refused %d times\n", names[k], factorized[k],
               worst[k], refused[k]);
        if (!check_filter && (factorized[k] < 100 || (k != INVERSE && refused[k] < 10)))
            CHECK_FAIL("%s was tried too rarely", names[k]);
    }
    return CHECK_END();
}
