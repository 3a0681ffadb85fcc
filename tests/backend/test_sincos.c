/* The polynomial sincos: about one unit in the last place up to 1e5, an error of |x| rounding units beyond,
 * NaN for NaN and infinities. The truth comes from libquadmath where there is one, from long double
 * elsewhere. */
#include "check.h"
#ifdef HAVE_QUADMATH
#include <quadmath.h>
typedef __float128 truth;
#define truth_sin sinq
#define truth_cos cosq
#else
typedef long double truth;
#define truth_sin sinl
#define truth_cos cosl
#endif

/* both contracts in one program: their names are kept apart by including each inside its own prefix */
#define real f64_real
#define num f64_num
#define real_mask f64_mask
#define real_set1 f64_set1
#define real_lt f64_lt
#define real_select f64_select
#define real_sqrt f64_sqrt
#define real_atan2 f64_atan2
#define real_sincos f64_sincos
#define pn_round f64_round
#define pn_horner f64_horner
#include "real/real_f64.h"
#undef real
#undef num
#undef real_mask
#undef real_set1
#undef real_lt
#undef real_select
#undef real_sqrt
#undef real_atan2
#undef real_sincos
#undef pn_round
#undef pn_horner

static double ulps(double value, truth t)
{
    int e;
    frexp((double)t, &e);
    return fabs((double)((value - t) / ldexp(1, e - 53)));
}

TEST(one_unit_up_to_1e5)
{
    uint64_t seed = check_seed;
    double worst = 0;
    for (int i = 0; i < 300000; i++) {
        double x = check_between(&seed, -1e5, 1e5), s, c;
        if (i % 3 == 1) x = check_between(&seed, -4, 4);
        if (i % 3 == 2) x = nearbyint(x) * M_PI_2 * (fabs(x) < 6e4);
        f64_sincos(x, &s, &c);
        const double e = fmax(ulps(s, truth_sin(x)), ulps(c, truth_cos(x)));
        check_count++;
        if (!(e <= 1.0)) CHECK_FAIL("sincos(%.17g) is off by %g units", x, e);
        if (e > worst) worst = e;
    }
    printf("       worst error %.3f units in the last place\n", worst);
}

TEST(error_grows_with_the_argument_beyond)
{
    uint64_t seed = check_seed + 1;
    for (int i = 0; i < 20000; i++) {
        const double x = check_between(&seed, -1, 1) * pow(10, check_between(&seed, 5, 14));
        double s, c;
        f64_sincos(x, &s, &c);
        const double e = fmax(fabs((double)(s - truth_sin(x))), fabs((double)(c - truth_cos(x))));
        check_count++;
        if (!(e <= fabs(x) * 2.3e-16 + 1e-15)) CHECK_FAIL("sincos(%.17g) is off by %g", x, e);
    }
}

TEST(special_values)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    double s, c;
    for (int i = 0; i < 3; i++) {
        f64_sincos(bad[i], &s, &c);
        CHECK(isnan(s) && isnan(c));
    }
    f64_sincos(0, &s, &c);
    CHECK(s == 0 && c == 1);
    f64_sincos(1e300, &s, &c);
    CHECK(fabs(s) <= 1 && fabs(c) <= 1);
    f64_sincos(0x1p-1074, &s, &c);
    CHECK(s == 0x1p-1074 && c == 1);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(one_unit_up_to_1e5);
    RUN(error_grows_with_the_argument_beyond);
    RUN(special_values);
    return CHECK_END();
}
