/* The validation of Safeea, Bearee & Neto 2018, section IV: GDAHJ and CRBA give the same mass matrix, by the
 * measure of their Eq. 32, for random robots of 2 to 60 joints. The times of that section are for
 * `pinion paper safeea`. */
#include "check.h"
#include "cli/paper/safeea_robot.h"

enum { SHORTEST = 2, LONGEST = 60, ROBOTS = 20 };

/* e sums the differences of all entries and divides by the largest, so rounding makes it grow as n^2 times
 * the error of an entry: 3.3 rounding units were the most seen. With 10 of them it is 4e-12 at n = 60. */
static double allowed(int n)
{
    return 10 * (double)n * n * 0x1p-53;
}

TEST(gdahj_and_crba_agree)
{
    const int gdahj = pinion_algorithm_find("gdahj"), crba = pinion_algorithm_find("crba");
    uint64_t seed = check_seed;
    double worst = 0, worst_units = 0;
    int worst_n = 0;
    CHECK(gdahj >= 0 && crba >= 0);
    for (int n = SHORTEST; n <= LONGEST; n++) {
        double worst_here = 0;
        for (int i = 0; i < ROBOTS; i++) {
            pinion_error err = {0};
            pinion_model *m = safeea_robot(n, &seed, &err);
            pinion_work *w = m ? pinion_work_new(m) : NULL;
            if (!w) CHECK_FAIL("no robot of %d joints: %s", n, err.message);
            if (!w) continue;
            double q[LONGEST], A[LONGEST * LONGEST], B[LONGEST * LONGEST];
            for (int j = 0; j < n; j++)
                q[j] = pn_random_between(&seed, -3.14159265358979323846, 3.14159265358979323846);
            CHECK_STATUS(pinion_mass_matrix_by(m, w, gdahj, q, A), PINION_OK);
            CHECK_STATUS(pinion_mass_matrix_by(m, w, crba, q, B), PINION_OK);
            const double e = safeea_error(A, B, n);
            check_count++;
            if (!(e <= allowed(n))) CHECK_FAIL("%d joints: e = %g, allowed %g", n, e, allowed(n));
            if (!(e <= worst_here)) worst_here = e;
            pinion_work_free(w);
            pinion_model_free(m);
        }
        if (!(worst_here / n / n / 0x1p-53 <= worst_units)) worst_units = worst_here / n / n / 0x1p-53;
        if (!(worst_here <= worst)) {
            worst = worst_here;
            worst_n = n;
        }
        if (n == SHORTEST || n % 10 == 0)
            printf("       n = %2d: worst e of %d robots %.2g\n", n, ROBOTS, worst_here);
    }
    printf("       worst e %.2g at n = %d; largest e / n^2 is %.2g rounding units\n", worst, worst_n,
           worst_units);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(gdahj_and_crba_agree);
    return CHECK_END();
}
