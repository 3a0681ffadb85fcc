/* How exact the algorithms for forward dynamics with a short span are on long chains and on bushy trees, beside the
 * articulated-body algorithm: errors in double against aba in quadruple precision. docs/parallel.md shows the table
 * that this prints. */
#include "registry/models.h"
#include "share.h"
#include "truth.h"

static const char *const names[] = {"aba", "divide-and-conquer", "constraint-force-parallel"};
enum { NAMES = sizeof names / sizeof *names };

/* the room of one algorithm, not of all: some need nv^2 */
static truth long_truth(const pinion_model *m)
{
    size_t room = 0;
    for (int k = 0; k < NAMES; k++) {
        const int a = pinion_algorithm_find(names[k]);
        const size_t reals = a < 0 ? 0 : pn_algorithm_room(a, &m->n);
        if (reals > room) room = reals;
    }
    const double *from = PN_AT_CONST(m, double, m->f64);
    truth t = {m, malloc(sizeof(quad) * m->constants), calloc(pn_work_reals(&m->n) + room, sizeof(quad))};
    for (uint32_t i = 0; i < m->constants; i++) t.constants[i] = from[i];
    return t;
}

/* Calm velocities: at random ones the tip of a long chain would go faster than any robot. */
static void calm(const pinion_model *m, state *x)
{
    for (int i = 0; i < m->n.nv; i++) x->v[i] /= sqrt(m->n.nv);
}

/* the errors of the algorithms on a model; -1: it does not apply */
static void measure(const pinion_model *m, uint64_t *seed, double error[NAMES])
{
    const int nv = m->n.nv, aba = pinion_algorithm_find("aba");
    truth t = long_truth(m);
    double *out = malloc(sizeof(double) * (size_t)nv);
    quad *truth_ = malloc(sizeof(quad) * (size_t)nv);
    for (int k = 0; k < NAMES; k++) error[k] = -1;
    for (int turn = 0; turn < 3; turn++) {
        state x = state_new(m, seed);
        calm(m, &x);
        truth_quad(&t, aba, &x, truth_);
        for (int k = 0; k < NAMES; k++) {
            const int a = pinion_algorithm_find(names[k]);
            if (a < 0 || pinion_algorithm_applies(a, m, NULL) != PINION_OK) continue;
            truth_double(&t, a, &x, out);
            const double e = truth_error(out, truth_, nv);
            if (e > error[k]) error[k] = e;
        }
        free(x.q);
    }
    free(out);
    free(truth_);
    truth_free(&t);
}

static void show(const char *what, int n, const double error[NAMES])
{
    printf("       %-6s %5d", what, n);
    for (int k = 0; k < NAMES; k++) {
        if (error[k] < 0)
            printf("  %25s", "-");
        else
            printf("  %25.1e", error[k]);
    }
    printf("\n");
}

/* Divide and conquer loses some digits more than aba, a number that does not grow with the chain: what is lost is
 * what one joint's freedom is behind it. The worst of 32 seeds has 5.2e-14 over the least share, and 15 times the error
 * of aba. */
static void check_beside_aba(const pinion_model *m, const double error[NAMES])
{
    CHECK_NEAR(error[1] * least_share(m), 0, 100 * error[0] + 1e-13);
}

TEST(chains)
{
    uint64_t seed = check_seed;
    printf("       %-6s %5s", "", "n");
    for (int k = 0; k < NAMES; k++) printf("  %25s", names[k]);
    printf("\n");
    for (int n = 1; n <= 4096; n *= 4) {
        pinion_error err;
        double error[NAMES];
        pinion_model *m = pinion_random_chain(n, 7 + (uint64_t)n, &err);
        measure(m, &seed, error);
        show("chain", n, error);
        check_beside_aba(m, error);
        pinion_model_free(m);
    }
}

TEST(trees)
{
    uint64_t seed = check_seed;
    for (int n = 16; n <= 1024; n *= 4) {
        double error[NAMES];
        pinion_model *m = random_model(EVERY_TYPE, n, 0, 0, &seed);
        measure(m, &seed, error);
        show("tree", n, error);
        check_beside_aba(m, error);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(chains);
    RUN(trees);
    return CHECK_END();
}
