/* Generated code and zeros that are in the caller's arrays already (pinion_batch_keep_zeros): without it everything is
 * written, with it the zeros of the tree's structure are left and nothing else, also of a robot whose numbers make more
 * zeros than that, and after another robot of the same structure has written to the same arrays. */
#include "compiled_code.h"
#include "branches.h"

#include <math.h>

enum { STATES = 19, WHATS = 4, MOST_RESULTS = 3 };
enum { MASS_MATRIX = 0, D_INVERSE, REGRESSOR, JACOBIAN };
#define LEFT 1.2345e123

typedef struct subject {
    pinion_model *m;
    size_t nv, parameters, room; /* states of whole packs */
    int frame;
    double *q, *v, *a; /* in packs */
} subject;

static double *numbers(size_t count, double x)
{
    void *y;
    if (posix_memalign(&y, 64, count * sizeof(double) + 64)) abort();
    for (size_t i = 0; i < count; i++) ((double *)y)[i] = x;
    return y;
}

static pinion_batch *batch_of(const pinion_model *m, const pinion_compiled *c, int keep)
{
    pinion_batch *b = pinion_batch_new(m, 1);
    CHECK(b && pinion_batch_set_layout(b, PINION_LAYOUT_PACKS) == PINION_OK);
    CHECK(pinion_batch_use(b, c) == PINION_OK && pinion_batch_keep_zeros(b, keep) == PINION_OK);
    return b;
}

static subject begin(pinion_model *m, uint64_t seed)
{
    pinion_batch *b = batch_of(m, NULL, 0);
    const size_t lanes = (size_t)pinion_batch_lanes(b);
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m);
    subject s = {m, nv, 10 * (size_t)(pinion_model_body_count(m) - 1), pinion_batch_array_size(b, STATES, 1),
                 pinion_model_frame_count(m) - 1, NULL, NULL, NULL};
    s.q = numbers(s.room * nq, 0);
    s.v = numbers(s.room * nv, 0);
    s.a = numbers(s.room * nv, 0);
    double *q = numbers(nq, 0);
    for (size_t k = 0; k < STATES; k++) {
        CHECK_STATUS(pinion_random(m, seed + k, q), PINION_OK);
        for (size_t i = 0; i < nq; i++) s.q[(k / lanes * nq + i) * lanes + k % lanes] = q[i];
        for (size_t i = 0; i < nv; i++) {
            s.v[(k / lanes * nv + i) * lanes + k % lanes] = check_between(&seed, -1, 1);
            s.a[(k / lanes * nv + i) * lanes + k % lanes] = check_between(&seed, -1, 1);
        }
    }
    free(q);
    pinion_batch_free(b);
    return s;
}

static void end(const subject *s)
{
    free(s->q);
    free(s->v);
    free(s->a);
    pinion_model_free(s->m);
}

static size_t width_of(const subject *s, int what)
{
    return what == REGRESSOR ? s->nv * s->parameters : what == JACOBIAN ? 6 * s->nv : s->nv * s->nv;
}

static void run(const subject *s, pinion_batch *b, int what, double *const out[MOST_RESULTS])
{
    pinion_status status;
    switch (what) {
    case MASS_MATRIX: status = pinion_batch_mass_matrix(b, STATES, s->q, out[0]); break;
    case D_INVERSE:
        status = pinion_batch_d_inverse_dynamics(b, STATES, s->q, s->v, s->a, NULL, out[0], out[1], out[2]);
        break;
    case REGRESSOR: status = pinion_batch_regressor(b, STATES, s->q, s->v, s->a, out[0]); break;
    default: status = pinion_batch_jacobian(b, STATES, s->q, s->frame, PINION_REFERENCE_WORLD_ALIGNED, out[0]);
    }
    CHECK_STATUS(status, PINION_OK);
}

static pinion_compiled *code_of(const subject *s)
{
    pinion_error err = {0};
    pinion_frame_info info;
    char what[200];
    CHECK_STATUS(pinion_model_frame(s->m, s->frame, &info), PINION_OK);
    snprintf(what, sizeof what, "mass_matrix,d_inverse_dynamics,regressor,jacobian:%s", info.name);
    pinion_compiled *c = compile(s->m, what, hasty, "", &err);
    if (!c) CHECK_FAIL("%s", err.message);
    return c;
}

/* Entries that the kernels leave zero in the numbers that are left: how many; all others are theirs. */
static int count_left(const subject *s, const pinion_compiled *c, int what)
{
    const size_t size = s->room * width_of(s, what), used = STATES * width_of(s, what);
    pinion_batch *by_kernel = batch_of(s->m, NULL, 0), *whole = batch_of(s->m, c, 0), *kept = batch_of(s->m, c, 1);
    double *x[3][MOST_RESULTS];
    int left = 0, wrong = 0;
    for (int k = 0; k < MOST_RESULTS; k++)
        for (int i = 0; i < 3; i++) x[i][k] = numbers(size, i == 2 ? LEFT : NAN);
    run(s, by_kernel, what, x[0]);
    run(s, whole, what, x[1]);
    run(s, kept, what, x[2]);
    for (int k = 0; k < (what == D_INVERSE ? 3 : 1); k++) {
        size_t written = 0;
        for (size_t i = 0; i < size; i++) {
            const double kernel = x[0][k][i], all = x[1][k][i], here = x[2][k][i];
            if (isnan(kernel) && isnan(all)) continue; /* lanes without a state */
            written++;
            wrong += !(fabs(kernel - all) <= 1e-10 * (1 + fabs(kernel)));
            if (here == LEFT && kernel == 0)
                left++;
            else
                wrong += here != all;
        }
        CHECK(written == used);
    }
    if (wrong) CHECK_FAIL("quantity %d: %d numbers are wrong", what, wrong);
    for (int k = 0; k < MOST_RESULTS; k++)
        for (int i = 0; i < 3; i++) free(x[i][k]);
    pinion_batch_free(by_kernel);
    pinion_batch_free(whole);
    pinion_batch_free(kept);
    return left;
}

TEST(zeros_between_branches_are_left)
{
    for (uint64_t turn = 0; turn < 2; turn++) {
        const uint64_t seed = check_seed + turn;
        subject s = begin(tree_of_branches(6, (int)turn, seed), seed);
        pinion_compiled *c = code_of(&s);
        for (int what = 0; c && what < JACOBIAN; what++)
            if (count_left(&s, c, what) == 0) CHECK_FAIL("quantity %d: nothing is left", what);
        if (c) count_left(&s, c, JACOBIAN);
        pinion_compiled_free(c);
        end(&s);
    }
}

/* M of an arm has zeros by its numbers; those are written though nothing between branches is */
TEST(zeros_by_a_robots_numbers_are_written)
{
    subject s = begin(bundled("stanford.json"), check_seed);
    pinion_compiled *c = code_of(&s);
    pinion_model *other = pinion_model_copy(s.m);
    pinion_inertia skew = {.mass = 3, .com = {0.3, -0.2, 0.1}, .inertia = {1, 0.2, 0.1, 1.2, -0.1, 0.9}};
    for (int link = 0; other && link < pinion_model_link_count(other); link++)
        if (pinion_model_set_inertia(other, link, &skew) != PINION_OK) continue; /* the base */
    for (int what = 0; c && other && what < WHATS; what++) {
        const size_t size = s.room * width_of(&s, what);
        double *x[MOST_RESULTS], *y[MOST_RESULTS];
        pinion_batch *kept = batch_of(s.m, c, 1), *whole = batch_of(s.m, c, 0);
        int differ = 0, zeros = 0;
        for (int k = 0; k < MOST_RESULTS; k++) {
            x[k] = numbers(size, 0);
            y[k] = numbers(size, 0);
        }
        for (int turn = 0; turn < 3; turn++) {
            CHECK_STATUS(pinion_batch_set_model(kept, turn == 1 ? other : s.m), PINION_OK);
            run(&s, kept, what, x);
        }
        run(&s, whole, what, y);
        for (int k = 0; k < (what == D_INVERSE ? 3 : 1); k++)
            for (size_t i = 0; i < size; i++) {
                differ += x[k][i] != y[k][i];
                zeros += y[k][i] == 0;
            }
        if (differ || !zeros) CHECK_FAIL("quantity %d: %d numbers differ, %d are zero", what, differ, zeros);
        for (int k = 0; k < MOST_RESULTS; k++) {
            free(x[k]);
            free(y[k]);
        }
        pinion_batch_free(kept);
        pinion_batch_free(whole);
    }
    pinion_model_free(other);
    pinion_compiled_free(c);
    end(&s);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    const int cannot = begin_compiling();
    if (cannot) return cannot;
    RUN(zeros_between_branches_are_left);
    RUN(zeros_by_a_robots_numbers_are_written);
    end_compiling();
    return CHECK_END();
}
