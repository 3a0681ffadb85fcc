/* The polynomial sincos: about one unit in the last place up to 1e5, an error of |x| rounding units beyond,
 * NaN for NaN, infinities and what is beyond all precision; three rounding units up to 1e5 where a compiler takes sums
 * for exact. The truth comes from libquadmath where there is one, from long double
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

/* NaN by its bits, whatever a compiler was told of such numbers */
static int is_nan(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
}

typedef struct way {
    const char *name;
    void (*f64)(double, double *, double *);
    void (*f32)(float, float *, float *);
    void (*float_only)(float, float *, float *);
} way;

#define DECLARE(name)                                                                                        \
    void sincos_f64_##name(double, double *, double *);                                                      \
    void sincos_f32_##name(float, float *, float *);                                                         \
    void sincos_float_only_##name(float, float *, float *);
PN_SINCOS_WAYS(DECLARE)
#define ROW(name) {#name, sincos_f64_##name, sincos_f32_##name, sincos_float_only_##name},
static const way ways[] = {{"strict", sincos_f64, sincos_f32, sincos_float_only}, PN_SINCOS_WAYS(ROW)};
enum { WAYS = sizeof ways / sizeof ways[0] };

TEST(sums_taken_for_exact)
{
    for (const way *w = ways; w < ways + WAYS; w++) {
        uint64_t seed = check_seed + 4;
        double worst[3] = {0};
        for (int i = 0; i < 20000; i++) {
            const double x = argument(i, &seed);
            const float f = (float)x;
            double s, c;
            float sf[2], cf[2];
            w->f64(x, &s, &c);
            w->f32(f, &sf[0], &cf[0]);
            w->float_only(f, &sf[1], &cf[1]);
            const double e[3] = {fmax(fabs((double)(s - truth_sin(x))), fabs((double)(c - truth_cos(x)))) * 0x1p53,
                                 fmax(fabs(sf[0] - sin(f)), fabs(cf[0] - cos(f))) * 0x1p24,
                                 fmax(fabs(sf[1] - sin(f)), fabs(cf[1] - cos(f))) * 0x1p24};
            for (int k = 0; k < 3; k++) {
                check_count++;
                if (!(e[k] <= 3)) CHECK_FAIL("%s, %d: sincos(%.17g) is off by %g rounding units", w->name, k, x, e[k]);
                if (e[k] > worst[k]) worst[k] = e[k];
            }
        }
        printf("       %s: rounding units %.2f, in float %.2f, in float alone %.2f\n", w->name, worst[0], worst[1],
               worst[2]);
    }
}

TEST(special_values)
{
    /* infinities, NaN and beyond all precision: 8.4e14 and 1.57e6 are the ends */
    const double bad[] = {NAN, -NAN, INFINITY, -INFINITY, 1e300, -1e300, 8.5e14, -8.5e14, 1.7e308};
    const float far[] = {NAN, INFINITY, -INFINITY, 1e30f, -1.6e6f, 3.4e38f};
    for (const way *w = ways; w < ways + WAYS; w++) {
        double s, c;
        float sf, cf;
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            w->f64(bad[i], &s, &c);
            if (!is_nan(s) || !is_nan(c)) CHECK_FAIL("%s: sincos(%g) is %g, %g", w->name, bad[i], s, c);
        }
        for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
            w->f32(far[i], &sf, &cf);
            CHECK(is_nan(sf) && is_nan(cf));
            w->float_only(far[i], &sf, &cf);
            CHECK(is_nan(sf) && is_nan(cf));
        }
        w->f64(8.4e14, &s, &c);
        CHECK_NEAR(s * s + c * c, 1, 0.5); /* an angle, if a rough one */
        w->f32(1.57e6f, &sf, &cf);
        CHECK_NEAR(sf, sin(1.57e6), 1e-6);
        w->f64(0, &s, &c);
        CHECK(s == 0 && c == 1);
    }
    double s, c;
    sincos_f64(0x1p-1074, &s, &c);
    CHECK(s == 0x1p-1074 && c == 1);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(one_unit_up_to_1e5);
    RUN(one_unit_up_to_1e5_in_float);
    RUN(one_unit_up_to_1e5_without_double);
    RUN(three_units_up_to_the_end_in_float);
    RUN(error_grows_with_the_argument_beyond);
    RUN(sums_taken_for_exact);
    RUN(special_values);
    return CHECK_END();
}
