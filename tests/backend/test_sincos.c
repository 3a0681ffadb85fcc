/* The polynomial sincos: about one unit in the last place up to 1e5, an error of |x| rounding units beyond,
 * NaN for NaN and infinities. The truth comes from libquadmath where there is one, from long double
 * elsewhere. */
#include "check.h"
#include "sincos.h"
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

/* error in units of the last of `bits` */
static double ulps(double value, truth t, int bits)
{
    int e;
    frexp((double)t, &e);
    return fabs((double)((value - t) / ldexp(1, e - bits)));
}

/* an argument of the i-th trial: small ones, large ones, and those next to multiples of a quarter turn */
static double argument(int i, uint64_t *seed)
{
    const double x = check_between(seed, -1e5, 1e5);
    if (i % 3 == 1) return check_between(seed, -4, 4);
    if (i % 3 == 2) return nearbyint(x) * M_PI_2 * (fabs(x) < 6e4);
    return x;
}

TEST(one_unit_up_to_1e5)
{
    uint64_t seed = check_seed;
    double worst = 0;
    for (int i = 0; i < 300000; i++) {
        const double x = argument(i, &seed);
        double s, c;
        sincos_f64(x, &s, &c);
        const double e = fmax(ulps(s, truth_sin(x), 53), ulps(c, truth_cos(x), 53));
        check_count++;
        if (!(e <= 1.0)) CHECK_FAIL("sincos(%.17g) is off by %g units", x, e);
        if (e > worst) worst = e;
    }
    printf("       double: worst error %.3f units in the last place\n", worst);
}

static void one_unit_in_float(const char *name, void (*sincos_of)(float, float *, float *))
{
    uint64_t seed = check_seed + 2;
    double worst = 0;
    for (int i = 0; i < 300000; i++) {
        const float x = (float)argument(i, &seed);
        float s, c;
        sincos_of(x, &s, &c);
        const double e = fmax(ulps(s, truth_sin(x), 24), ulps(c, truth_cos(x), 24));
        check_count++;
        if (!(e <= 1.0)) CHECK_FAIL("sincos(%.9g) is off by %g units", (double)x, e);
        if (e > worst) worst = e;
    }
    printf("       %s: worst error %.3f units in the last place\n", name, worst);
}

TEST(one_unit_up_to_1e5_in_float)
{
    one_unit_in_float("float", sincos_f32);
}

TEST(one_unit_up_to_1e5_without_double)
{
    one_unit_in_float("float alone", sincos_float_only);
}

/* up to the largest argument that counts: three units, as sincos.inc says */
TEST(three_units_up_to_the_end_in_float)
{
    uint64_t seed = check_seed + 3;
    for (int i = 0; i < 300000; i++) {
        const float x = (float)check_between(&seed, -1.57e6, 1.57e6);
        float s[2], c[2];
        sincos_f32(x, &s[0], &c[0]);
        sincos_float_only(x, &s[1], &c[1]);
        for (int k = 0; k < 2; k++) {
            const double e = fmax(ulps(s[k], truth_sin(x), 24), ulps(c[k], truth_cos(x), 24));
            check_count++;
            if (!(e <= 3.0)) CHECK_FAIL("sincos(%.9g) is off by %g units%s", (double)x, e, k ? ", float alone" : "");
        }
    }
}

TEST(error_grows_with_the_argument_beyond)
{
    uint64_t seed = check_seed + 1;
    for (int i = 0; i < 20000; i++) {
        const double x = check_between(&seed, -1, 1) * pow(10, check_between(&seed, 5, 14));
        double s, c;
        sincos_f64(x, &s, &c);
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
        sincos_f64(bad[i], &s, &c);
        CHECK(isnan(s) && isnan(c));
    }
    sincos_f64(0, &s, &c);
    CHECK(s == 0 && c == 1);
    sincos_f64(1e300, &s, &c);
    CHECK(fabs(s) <= 1 && fabs(c) <= 1);
    sincos_f64(0x1p-1074, &s, &c);
    CHECK(s == 0x1p-1074 && c == 1);

    /* infinities and beyond all precision, where k is no integer any more */
    const float far[] = {NAN, INFINITY, -INFINITY, 1e30f, -1.6e6f, 0};
    for (int i = 0; i < 6; i++) {
        float sf, cf, sd, cd;
        sincos_float_only(far[i], &sf, &cf);
        sincos_f32(far[i], &sd, &cd);
        CHECK(i < 3 ? isnan(sf) && isnan(cf) : sf == sd && cf == cd);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(one_unit_up_to_1e5);
    RUN(one_unit_up_to_1e5_in_float);
    RUN(one_unit_up_to_1e5_without_double);
    RUN(three_units_up_to_the_end_in_float);
    RUN(error_grows_with_the_argument_beyond);
    RUN(special_values);
    return CHECK_END();
}
