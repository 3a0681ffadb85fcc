/* The charts that steps work in, and the groups of the variational method, against the library's own q (+)
 * v dt and against difference quotients. */
#include "problem.h"
#include "sim/stepper/chart.h"
#include "sim/stepper/lie_group.h"
#include "sim/stepper/method.h"

typedef struct fixture {
    problem p;
    pn_chart *chart;
} fixture;

/* a random tree, alternately on a free root */
static fixture make(uint64_t seed)
{
    fixture f = {random_tree(9, (int)(seed & 1), seed, 1), NULL};
    f.chart = pn_chart_new(f.p.m);
    CHECK(f.chart != NULL);
    return f;
}

static void drop(fixture *f)
{
    free(f->chart);
    problem_free(&f->p);
}

static void random_vector(uint64_t *seed, double size, int n, double *x)
{
    for (int i = 0; i < n; i++) x[i] = check_between(seed, -size, size);
}

static double apart(const double *x, const double *y, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - y[i]));
    return worst;
}

TEST(theta_finds_the_point_again)
{
    double worst = 0;
    for (uint64_t k = 0; k < 40; k++) {
        uint64_t seed = check_seed + k;
        fixture f = make(seed);
        /* also tiny ones, where series stand in for the quotients */
        const double size = pow(10, check_between(&seed, -9, 0)) * 1.7;
        double theta[MOST], q[MOST], back[MOST];
        random_vector(&seed, size, f.p.nv, theta);
        pn_chart_point(f.chart, f.p.q, theta, q);
        pn_chart_theta(f.chart, f.p.q, q, back);
        worst = fmax(worst, apart(theta, back, f.p.nv));
        drop(&f);
    }
    printf("    worst %.1e\n", worst);
    CHECK(worst <= 4e-15);
}

/* d/dt point(q0, theta(t)) is a motion with v if theta' = rate(theta, v): by differences of q (+) v dt */
TEST(rate_is_that_of_the_motion)
{
    double worst = 0;
    for (uint64_t k = 0; k < 40; k++) {
        uint64_t seed = check_seed + 100 + k;
        fixture f = make(seed);
        const double h = 1e-3;
        double theta[MOST], v[MOST], q[MOST], rate[MOST], moved[MOST], at[4][MOST];
        random_vector(&seed, k % 4 ? 1.4 : 1e-4, f.p.nv, theta);
        random_vector(&seed, 1, f.p.nv, v);
        pn_chart_point(f.chart, f.p.q, theta, q);
        pn_chart_rate(f.chart, q, theta, v, rate);
        /* central differences of order 4 */
        const double step[4] = {-2 * h, -h, h, 2 * h};
        for (int i = 0; i < 4; i++) {
            CHECK_STATUS(pinion_integrate(f.p.m, q, v, step[i], moved), PINION_OK);
            pn_chart_theta(f.chart, f.p.q, moved, at[i]);
        }
        for (int i = 0; i < f.p.nv; i++) {
            const double d = (8 * (at[2][i] - at[1][i]) - (at[3][i] - at[0][i])) / (12 * h);
            worst = fmax(worst, fabs(d - rate[i]));
        }
        drop(&f);
    }
    printf("    worst %.1e\n", worst);
    CHECK(worst <= 1e-10);
}

TEST(quaternions_are_of_unit_length)
{
    double worst = 0;
    for (uint64_t k = 0; k < 20; k++) {
        uint64_t seed = check_seed + 200 + k;
        fixture f = make(seed);
        double theta[MOST];
        for (int i = 0; i < 1000; i++) {
            random_vector(&seed, 1, f.p.nv, theta);
            pn_chart_point(f.chart, f.p.q, theta, f.p.q);
        }
        worst = fmax(worst, quaternion_error(&f.p, f.p.q));
        drop(&f);
    }
    printf("    worst %.1e\n", worst);
    CHECK(worst <= 1e-15);
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* <ad_W' p, eta> = <p, [W, eta]>, the bracket from the group: the commutator of two small motions */
TEST(coadjoint_is_that_of_the_group)
{
    double worst = 0;
    for (uint64_t k = 0; k < 20; k++) {
        uint64_t seed = check_seed + 300 + k;
        fixture f = make(seed);
        const int nv = f.p.nv;
        const double h = 1e-3;
        double W[MOST], eta[MOST], p[MOST], y[MOST], q[MOST], sum[MOST] = {0}, d[MOST];
        random_vector(&seed, 1, nv, W);
        random_vector(&seed, 1, nv, eta);
        random_vector(&seed, 1, nv, p);
        pn_group_coadjoint(f.chart, W, p, y);
        /* exp(hW) exp(h eta) exp(-hW) exp(-h eta) = exp(h^2 [W, eta] + O(h^3)); the odd term goes with the
         * sign of h */
        for (int sign = -1; sign <= 1; sign += 2) {
            memcpy(q, f.p.q, sizeof q);
            CHECK_STATUS(pinion_integrate(f.p.m, q, W, sign * h, q), PINION_OK);
            CHECK_STATUS(pinion_integrate(f.p.m, q, eta, sign * h, q), PINION_OK);
            CHECK_STATUS(pinion_integrate(f.p.m, q, W, -sign * h, q), PINION_OK);
            CHECK_STATUS(pinion_integrate(f.p.m, q, eta, -sign * h, q), PINION_OK);
            CHECK_STATUS(pinion_difference(f.p.m, f.p.q, q, d), PINION_OK);
            for (int i = 0; i < nv; i++) sum[i] += 0.5 * d[i] / (h * h);
        }
        worst = fmax(worst, fabs(dot(y, eta, nv) - dot(p, sum, nv)));
        drop(&f);
    }
    printf("    worst %.1e\n", worst);
    CHECK(worst <= 1e-5);
}

/* a variation delta W of q exp(W) is the motion dexp_{-W} delta W in the child frames, and its inverse */
TEST(dexp_is_the_differential_of_exp)
{
    double worst = 0, inverse = 0;
    for (uint64_t k = 0; k < 40; k++) {
        uint64_t seed = check_seed + 400 + k;
        fixture f = make(seed);
        const int nv = f.p.nv;
        const double h = 1e-3, size = k % 4 == 0 ? 1e-3 : k % 4 == 1 ? 1.7 : 0.7;
        double W[MOST], change[MOST], p[MOST], y[MOST], q[MOST], moved[MOST], d[4][MOST], X[MOST],
            work[2 * MOST];
        random_vector(&seed, size, nv, W);
        if (pn_chart_turn(f.chart, W) > PN_LARGEST_TURN) {
            drop(&f);
            continue;
        }
        random_vector(&seed, 1, nv, change);
        random_vector(&seed, 1, nv, p);
        pn_group_dexp(f.chart, -1, W, p, y, work);
        CHECK_STATUS(pinion_integrate(f.p.m, f.p.q, W, 1, q), PINION_OK);
        double sum = 0;
        const double step[4] = {-2 * h, -h, h, 2 * h};
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < nv; j++) X[j] = W[j] + step[i] * change[j];
            CHECK_STATUS(pinion_integrate(f.p.m, f.p.q, X, 1, moved), PINION_OK);
            CHECK_STATUS(pinion_difference(f.p.m, q, moved, d[i]), PINION_OK);
        }
        for (int j = 0; j < nv; j++) sum += p[j] * (8 * (d[2][j] - d[1][j]) - (d[3][j] - d[0][j])) / (12 * h);
        worst = fmax(worst, fabs(dot(y, change, nv) - sum));

        /* the inverse is one, and dexp_W = Ad_{exp(W)} dexp_{-W} */
        pn_group_dexp_inverse(f.chart, -1, W, y, y, work);
        inverse = fmax(inverse, apart(y, p, nv));
        pn_group_exp(f.chart, 1, W, p, X, work);
        pn_group_dexp(f.chart, -1, W, X, X, work);
        pn_group_dexp(f.chart, 1, W, p, y, work);
        inverse = fmax(inverse, apart(X, y, nv));
        drop(&f);
    }
    printf("    worst %.1e by differences, %.1e in identities\n", worst, inverse);
    CHECK(worst <= 1e-9);
    CHECK(inverse <= 1e-14);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(theta_finds_the_point_again);
    RUN(rate_is_that_of_the_motion);
    RUN(quaternions_are_of_unit_length);
    RUN(coadjoint_is_that_of_the_group);
    RUN(dexp_is_the_differential_of_exp);
    return CHECK_END();
}
