/* The coefficients of the Runge-Kutta methods satisfy the order conditions: for every rooted tree t of up
 * to so many nodes, sum_i b_i Phi_i(t) = 1/gamma(t) (Butcher). The trees are generated, and the same
 * coefficients are read in more digits than the library computes with. */
#include <float.h>

/* a number with at least 113 bits, where the compiler has one: some coefficients are large and cancel */
#if defined(__SIZEOF_FLOAT128__) && LDBL_MANT_DIG < 113
typedef __float128 wide;
#define PN_NUMBER(x) x##Q
#define LIMIT 1e-27
#else
typedef long double wide;
#define PN_NUMBER(x) x##L
#define LIMIT (LDBL_MANT_DIG < 113 ? 1e-13 : 1e-27)
#endif
#define PN_COEFFICIENT wide
/* names of its own: the library has these tables too */
#define pn_rk4 wide_rk4
#define pn_dopri5 wide_dopri5
#define pn_verner65 wide_verner65
#include "sim/stepper/tableau.h"
#include "sim/stepper/tableau.inc"

#include "check.h"

enum { MOST_TREES = 100, MOST_NODES = 7 };

/* a root with these subtrees, numbers of trees that come before */
typedef struct tree {
    int nodes, count;
    int child[MOST_NODES];
} tree;

static tree trees[MOST_TREES];
static int tree_count, first_of[MOST_NODES + 2];

/* all ways to give a root subtrees with `left` nodes together, numbers not decreasing */
static void add_children(tree *t, int from, int left)
{
    if (left == 0) {
        trees[tree_count++] = *t;
        return;
    }
    for (int k = from; k < first_of[t->nodes]; k++) {
        if (trees[k].nodes > left) break;
        t->child[t->count++] = k;
        add_children(t, k, left - trees[k].nodes);
        t->count--;
    }
}

static void grow(void)
{
    tree_count = 0;
    for (int n = 1; n <= MOST_NODES; n++) {
        tree t = {n, 0, {0}};
        first_of[n] = tree_count;
        add_children(&t, 0, n - 1);
    }
    first_of[MOST_NODES + 1] = tree_count;
}

static wide gamma_of(int k)
{
    wide g = trees[k].nodes;
    for (int i = 0; i < trees[k].count; i++) g *= gamma_of(trees[k].child[i]);
    return g;
}

/* Phi_i of a tree for all stages */
static void phi(const pn_tableau *b, int k, wide *x)
{
    wide y[PN_STAGES];
    for (int i = 0; i < PN_STAGES; i++) x[i] = 1;
    for (int c = 0; c < trees[k].count; c++) {
        phi(b, trees[k].child[c], y);
        for (int i = 0; i < PN_STAGES; i++) {
            wide sum = 0;
            for (int j = 0; j < PN_STAGES; j++) sum += b->a[i][j] * y[j];
            x[i] *= sum;
        }
    }
}

/* by how much the conditions of a number of nodes are missed by these weights, over a part s of the step */
static double missed(const pn_tableau *b, const wide *weights, int nodes, wide s)
{
    wide worst = 0, x[PN_STAGES];
    for (int k = first_of[nodes]; k < first_of[nodes + 1]; k++) {
        wide sum = -1 / gamma_of(k);
        for (int n = 0; n < nodes; n++) sum *= s;
        phi(b, k, x);
        for (int i = 0; i < PN_STAGES; i++) sum += weights[i] * x[i];
        if ((sum < 0 ? -sum : sum) > worst) worst = sum < 0 ? -sum : sum;
    }
    return (double)worst;
}

/* the conditions up to `order` hold, and those after it do not */
static void expect(const pn_tableau *b, const char *what, const wide *weights, int order, wide s)
{
    double worst = 0;
    for (int n = 1; n <= order; n++) worst = fmax(worst, missed(b, weights, n, s));
    const double next = missed(b, weights, order + 1, s);
    printf("    %-8s %-8s s = %.2f: %.1e up to order %d, %.1e at %d\n", b->name, what, (double)s, worst,
           order, next, order + 1);
    CHECK(worst <= LIMIT);
    CHECK(next >= 1e-9);
}

TEST(trees_are_all_there)
{
    static const int COUNT[] = {1, 1, 2, 4, 9, 20, 48};
    for (int n = 1; n <= MOST_NODES; n++) CHECK(first_of[n + 1] - first_of[n] == COUNT[n - 1]);
}

static const pn_tableau *const ALL[] = {&pn_rk4, &pn_dopri5, &pn_verner65};

TEST(stages_are_where_they_say)
{
    for (int k = 0; k < 3; k++) {
        const pn_tableau *b = ALL[k];
        for (int i = 0; i < b->stages + b->more; i++) {
            wide sum = 0;
            for (int j = 0; j < PN_STAGES; j++) {
                sum += b->a[i][j];
                if (j >= i) CHECK(b->a[i][j] == 0);
            }
            CHECK_NEAR((double)(sum - b->c[i]), 0, 1e-15);
        }
        CHECK(b->c[b->stages - 1] == 1);
    }
}

TEST(solutions_have_their_order)
{
    for (int k = 0; k < 3; k++) {
        const pn_tableau *b = ALL[k];
        const wide *solution = b->a[b->stages - 1];
        expect(b, "solution", solution, b->order, 1);
        if (!b->error_order) continue;
        wide embedded[PN_STAGES];
        for (int i = 0; i < PN_STAGES; i++) embedded[i] = solution[i] - b->error[i];
        expect(b, "embedded", embedded, b->error_order, 1);
    }
}

/* the weights of all stages in the dense output at s */
static void dense_weights(const pn_tableau *b, wide s, wide *w)
{
    const wide bubble = s * s * (1 - s) * (1 - s);
    const int last = b->stages - 1;
    const wide whole = s * s * (3 - 2 * s) + bubble * (b->whole[0] + s * (b->whole[1] + s * b->whole[2]));
    for (int i = 0; i < PN_STAGES; i++)
        w[i] = whole * b->a[last][i] + bubble * (b->dense[i][0] + s * (b->dense[i][1] + s * b->dense[i][2]));
    w[0] += s * (1 - s) * (1 - s);
    w[last] -= s * s * (1 - s);
}

TEST(dense_output_has_its_order)
{
    for (int k = 0; k < 3; k++)
        for (int i = 1; i < 10; i += 2) {
            wide w[PN_STAGES];
            dense_weights(ALL[k], PN_NUMBER(0.1) * i, w);
            expect(ALL[k], "dense", w, ALL[k]->dense_order, PN_NUMBER(0.1) * i);
        }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    grow();
    RUN(trees_are_all_there);
    RUN(stages_are_where_they_say);
    RUN(solutions_have_their_order);
    RUN(dense_output_has_its_order);
    return CHECK_END();
}
