/* Results of derivatives that are not wanted may be left out of a batch: the others are the same then, to the last bit,
 * and all entries of them are written, whichever branch they are in. Random trees of every joint type, with and without
 * a base that floats and forces on bodies, in rows and in packs. */
#include <math.h>
#include <stdlib.h>
#include "pinion/pinion.h"
#include "check.h"

enum { STATES = 11, ALL = 7, INVERSE = 0, FORWARD = 1 };

typedef struct inputs {
    double *q, *v, *x, *f_ext;
} inputs;

static double *numbers(size_t count, uint64_t *seed)
{
    double *x = malloc(count * sizeof *x + 64);
    for (size_t i = 0; x && i < count; i++) x[i] = check_between(seed, -1, 1);
    CHECK(x != NULL);
    return x;
}

/* those of `wanted`, a bit each; the others stay NaN */
static pinion_status run(pinion_batch *b, int what, int wanted, const inputs *in, size_t size, double *D[3])
{
    double *to[3];
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < size; i++) D[k][i] = NAN;
        to[k] = wanted >> k & 1 ? D[k] : NULL;
    }
    if (what == FORWARD)
        return pinion_batch_d_forward_dynamics(b, STATES, in->q, in->v, in->x, in->f_ext, to[0], to[1], to[2]);
    return pinion_batch_d_inverse_dynamics(b, STATES, in->q, in->v, in->x, in->f_ext, to[0], to[1], to[2]);
}

/* number i of state s is at [s][i], in packs at [s / lanes][i][s % lanes] */
static size_t place(pinion_layout layout, size_t lanes, size_t s, size_t n, size_t i)
{
    return layout == PINION_LAYOUT_PACKS ? (s / lanes * n + i) * lanes + s % lanes : s * n + i;
}

static void check_wanted(pinion_batch *b, pinion_layout layout, int what, size_t nv, const inputs *in,
                         const char *name)
{
    const size_t lanes = (size_t)pinion_batch_lanes(b), each = nv * nv, size = pinion_batch_array_size(b, STATES, each);
    double *all[3], *some[3];
    for (int k = 0; k < 3; k++) {
        all[k] = malloc(size * sizeof(double) + 64);
        some[k] = malloc(size * sizeof(double) + 64);
    }
    const pinion_status status = run(b, what, ALL, in, size, all);
    for (int wanted = 1; wanted < ALL; wanted++) {
        int differ = 0, missing = 0;
        CHECK_STATUS(run(b, what, wanted, in, size, some), status);
        for (size_t s = 0; status == PINION_OK && s < STATES; s++)
            for (size_t i = 0; i < each; i++) {
                const size_t at = place(layout, lanes, s, each, i);
                for (int k = 0; k < 3; k++) {
                    if (!(wanted >> k & 1)) continue;
                    missing += isnan(all[k][at]) || isnan(some[k][at]);
                    differ += all[k][at] != some[k][at];
                }
            }
        if (differ || missing)
            CHECK_FAIL("%s, %s, %s, wanted %d: %d numbers differ, %d are missing", name,
                       what == FORWARD ? "forward" : "inverse", layout == PINION_LAYOUT_PACKS ? "packs" : "rows",
                       wanted, differ, missing);
    }
    for (int k = 0; k < 3; k++) {
        free(all[k]);
        free(some[k]);
    }
}

/* the states of rows as packs have them */
static double *as_packs(const pinion_batch *b, const double *x, size_t n)
{
    const size_t lanes = (size_t)pinion_batch_lanes(b), packs = (STATES + lanes - 1) / lanes;
    double *y = calloc(packs * lanes * n + 8, sizeof *y);
    for (size_t s = 0; y && s < packs * lanes; s++)
        for (size_t i = 0; i < n; i++)
            y[place(PINION_LAYOUT_PACKS, lanes, s, n, i)] = x[(s < STATES ? s : 0) * n + i];
    return y;
}

static void check_model(const pinion_model *m, uint64_t *seed, const char *name)
{
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m);
    const size_t nf = 6 * (size_t)pinion_model_body_count(m);
    pinion_batch *b = pinion_batch_new(m, 1);
    inputs in = {numbers(STATES * nq, seed), numbers(STATES * nv, seed), numbers(STATES * nv, seed),
                 numbers(STATES * nf, seed)};
    CHECK(b != NULL);
    for (size_t s = 0; s < STATES; s++)
        CHECK_STATUS(pinion_random(m, (uint64_t)(1e15 * check_uniform(seed)), in.q + s * nq), PINION_OK);
    inputs packs = {as_packs(b, in.q, nq), as_packs(b, in.v, nv), as_packs(b, in.x, nv), as_packs(b, in.f_ext, nf)};
    for (int what = INVERSE; what <= FORWARD; what++)
        for (int forces = 0; forces < 2; forces++) {
            const inputs row = {in.q, in.v, in.x, forces ? in.f_ext : NULL};
            const inputs pack = {packs.q, packs.v, packs.x, forces ? packs.f_ext : NULL};
            CHECK_STATUS(pinion_batch_set_layout(b, PINION_LAYOUT_ROWS), PINION_OK);
            check_wanted(b, PINION_LAYOUT_ROWS, what, nv, &row, name);
            CHECK_STATUS(pinion_batch_set_layout(b, PINION_LAYOUT_PACKS), PINION_OK);
            check_wanted(b, PINION_LAYOUT_PACKS, what, nv, &pack, name);
        }
    double *const mine[] = {in.q, in.v, in.x, in.f_ext, packs.q, packs.v, packs.x, packs.f_ext};
    for (size_t k = 0; k < sizeof mine / sizeof *mine; k++) free(mine[k]);
    pinion_batch_free(b);
}

TEST(what_is_not_wanted_changes_nothing)
{
    static const int bodies[] = {1, 2, 4, 9, 14, 26};
    uint64_t seed = check_seed;
    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++)
        for (int free_base = 0; free_base < 2; free_base++)
            for (int turn = 0; turn < 3; turn++) {
                pinion_error err;
                char name[64];
                const uint64_t own = check_seed + 100 * k + 10 * (uint64_t)free_base + (uint64_t)turn;
                pinion_model *m = pinion_random_tree(bodies[k], free_base, own, &err);
                CHECK(m != NULL);
                snprintf(name, sizeof name, "pinion_random_tree(%d, %d, %llu)", bodies[k], free_base,
                         (unsigned long long)own);
                if (m) check_model(m, &seed, name);
                pinion_model_free(m);
            }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(what_is_not_wanted_changes_nothing);
    return CHECK_END();
}
