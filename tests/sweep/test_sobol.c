/* Sobol's and Halton's sequences and permutations: their numbers are what they are said to be, and they fill squares
 * evenly. With PINION_SOBOL_CHOICES=N this program prints the choices of N dimensions, sobol_choices.inc. */
#include "check.h"
#include "sweep/sample/counter.h"
#include "sweep/sample/sequence.h"

enum { BITS = PN_SEQUENCE_BITS, DEEP = 16 };

/* The rows of a dimension's matrix for 2^m points: bit i is what digit i of the index adds to a digit. */
static void rows_of(const uint32_t *directions, int m, uint32_t *rows)
{
    for (int r = 0; r < m; r++) {
        rows[r] = 0;
        for (int i = 0; i < m; i++) rows[r] |= (directions[i] >> (BITS - 1 - r) & 1) << i;
    }
}

/* Adds a row to a basis, one vector a leading bit; 0 where it depends on those that are there. */
static int independent(uint32_t *basis, uint32_t row)
{
    while (row) {
        const int lead = 31 - __builtin_clz(row);
        if (!basis[lead]) {
            basis[lead] = row;
            return 1;
        }
        row ^= basis[lead];
    }
    return 0;
}

/* The quality t of 2^m points in two dimensions: every rectangle of area 2^(t - m) with sides that are powers of two
 * and a corner at its multiples has 2^t of them; 0 is best. */
static int quality(const uint32_t *a, const uint32_t *b, int m)
{
    uint32_t ra[BITS], rb[BITS], of_a[BITS] = {0};
    int strength = m;
    rows_of(a, m, ra);
    rows_of(b, m, rb);
    for (int k = 0; k < strength; k++) { /* k rows of a, and as many of b as there can be */
        uint32_t basis[BITS];
        memcpy(basis, of_a, sizeof basis);
        int more = 0;
        while (more < m - k && independent(basis, rb[more])) more++;
        if (k + more < strength) strength = k + more;
        independent(of_a, ra[k]);
    }
    return m - strength;
}

/* The rule: of the candidates the first with the least sum of 2^t over all earlier dimensions and up to 2^16 points. */
static int best_choice(int dimension, uint32_t polynomial, const uint32_t *earlier)
{
    double least = INFINITY;
    int best = 0;
    for (int choice = 0; choice < PN_SOBOL_CHOICES; choice++) {
        uint32_t v[BITS];
        double sum = 0;
        pn_sobol_directions_by(dimension, polynomial, choice, v);
        for (int e = dimension - 1; e >= 0 && sum < least; e--)
            for (int m = 2; m <= DEEP; m++) sum += ldexp(1, quality(v, earlier + e * BITS, m));
        if (sum < least) {
            least = sum;
            best = choice;
        }
    }
    return best;
}

static void print_choices(int count)
{
    static uint32_t v[PN_SEQUENCE_DIMENSIONS * BITS];
    pn_sobol_directions(1, v);
    for (int d = 0; d < count; d++) {
        const uint32_t polynomial = d ? pn_primitive_polynomial(d - 1) : 0;
        const int choice = d ? best_choice(d, polynomial, v) : 0;
        if (d) pn_sobol_directions_by(d, polynomial, choice, v + d * BITS);
        printf("%d,%c", choice, d % 24 == 23 || d == count - 1 ? '\n' : ' ');
        fflush(stdout);
    }
}

TEST(primitive_polynomials)
{
    /* by hand: x+1; x²+x+1; x³+x+1, x³+x²+1; x⁴+x+1, x⁴+x³+1 (x⁴+x³+x²+x+1 has order 5) */
    const uint32_t first[] = {3, 7, 11, 13, 19, 25};
    for (int i = 0; i < 6; i++) CHECK(pn_primitive_polynomial(i) == first[i]);
    /* there are phi(2^n - 1)/n of degree n: 1, 1, 2, 2, 6, 6, 18, 16, 48, 60; number 160 is the first of degree 11 */
    CHECK(pn_primitive_polynomial(159) < 2048);
    CHECK(pn_primitive_polynomial(160) > 2048);
}

TEST(choices_follow_the_rule)
{
    enum { DIMENSIONS = 8 };
    uint32_t v[DIMENSIONS * BITS], again[BITS];
    pn_sobol_directions(DIMENSIONS, v);
    for (int d = 1; d < DIMENSIONS; d++) {
        const uint32_t polynomial = pn_primitive_polynomial(d - 1);
        pn_sobol_directions_by(d, polynomial, best_choice(d, polynomial, v), again);
        CHECK(memcmp(again, v + d * BITS, sizeof again) == 0);
    }
}

/* Neighbours of all 256 dimensions: no two are alike, and a quarter of the points' digits count. */
TEST(squares_are_filled)
{
    static uint32_t v[PN_SEQUENCE_DIMENSIONS * BITS];
    pn_sobol_directions(PN_SEQUENCE_DIMENSIONS, v);
    CHECK(quality(v, v + BITS, DEEP) == 0); /* the first two are a (0, m, 2)-net */
    int worst = 0, pairs = 0, sum = 0;
    for (int d = 1; d < PN_SEQUENCE_DIMENSIONS; d++)
        for (int e = d > 8 ? d - 8 : 0; e < d; e++) {
            const int t = quality(v + d * BITS, v + e * BITS, DEEP);
            if (t > worst) worst = t;
            sum += t;
            pairs++;
        }
    printf("       2^16 points: worst t %d, mean %.2f\n", worst, (double)sum / pairs);
    CHECK(worst <= 10);
    CHECK(sum <= 5 * pairs);
}

/* Scrambling keeps the net: 2^m points, one in each interval of length 2^-m, one in each rectangle of area 2^-m. */
TEST(scrambled_points_are_a_net)
{
    uint32_t v[2 * BITS];
    pn_sobol_directions(2, v);
    for (int m = 1; m <= 10; m++)
        for (int k = 0; k <= m; k++) {
            unsigned char hit[1024] = {0};
            for (uint64_t i = 0; i < (uint64_t)1 << m; i++) {
                const double x = pn_scrambled_binary(pn_sobol_digits(v, i), 17),
                             y = pn_scrambled_binary(pn_sobol_digits(v + BITS, i), 99);
                CHECK(x > 0 && x < 1 && y > 0 && y < 1);
                hit[((int)ldexp(x, k) << (m - k)) + (int)ldexp(y, m - k)]++;
            }
            for (int i = 0; i < 1 << m; i++) CHECK(hit[i] == 1);
        }
}

/* Over keys a point's value is uniform, and two values of one sequence are as far apart as their digits say. */
TEST(scrambling_is_uniform)
{
    enum { KEYS = 4000 };
    double mean = 0, square = 0;
    for (int key = 0; key < KEYS; key++) {
        const double x = pn_scrambled_binary(0x12345678u, pn_mix(check_seed, (uint64_t)key));
        mean += x / KEYS;
        square += x * x / KEYS;
        const double y = pn_scrambled_binary(0x12345678u ^ 1, pn_mix(check_seed, (uint64_t)key));
        CHECK(fabs(x - y) < 0x1p-31);
        const double z = pn_scrambled_binary(0x92345678u, pn_mix(check_seed, (uint64_t)key));
        CHECK((x < 0.5) != (z < 0.5));
    }
    CHECK_NEAR(mean, 1. / 2, 5 * sqrt(1. / 12 / KEYS)); /* five standard deviations */
    CHECK_NEAR(square, 1. / 3, 5 * sqrt(4. / 45 / KEYS));
}

TEST(halton_fills_its_layers)
{
    uint32_t primes[PN_SEQUENCE_DIMENSIONS];
    pn_primes(PN_SEQUENCE_DIMENSIONS, primes);
    CHECK(primes[0] == 2 && primes[5] == 13 && primes[255] == 1619);
    for (int d = 0; d < PN_SEQUENCE_DIMENSIONS; d += 17) {
        const uint32_t base = primes[d], n = base * base < 100000 ? base * base : base;
        unsigned char *hit = calloc(n, 1);
        for (uint64_t i = 0; i < n; i++) { /* also where the sequence does not begin at 0 */
            const double x = pn_scrambled_halton(base, i + 3 * (uint64_t)n, 5);
            CHECK(x > 0 && x < 1);
            hit[(uint32_t)(x * n)]++;
        }
        for (uint32_t i = 0; i < n; i++) CHECK(hit[i] == 1);
        free(hit);
    }
}

TEST(permutations)
{
    const uint64_t sizes[] = {1, 2, 3, 5, 17, 64, 65, 100, 1000, 4096, 4097, 30011};
    for (int s = 0; s < 12; s++) {
        const uint64_t n = sizes[s];
        unsigned char *hit = calloc(n, 1);
        uint64_t stay = 0;
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t to = pn_permuted(i, n, 77);
            CHECK(to < n && !hit[to]);
            if (to < n) hit[to] = 1;
            stay += to == i;
        }
        if (n > 10) CHECK(stay < 9); /* one on the average, as a Poisson variable */
        free(hit);
    }
    const uint64_t far = (uint64_t)1 << 60;
    CHECK(pn_permuted(far - 1, far, 1) < far && pn_permuted(far - 1, far, 1) != pn_permuted(far - 2, far, 1));
    /* all six orders of three are as likely: a chi-square of 5 degrees passes 20.5 once in a thousand */
    enum { KEYS = 6000 };
    int count[9] = {0};
    for (uint64_t key = 0; key < KEYS; key++)
        count[3 * pn_permuted(0, 3, pn_mix(9, key)) + pn_permuted(1, 3, pn_mix(9, key))]++;
    double chi = 0;
    for (int i = 0; i < 9; i++)
        if (i % 4) chi += pow(count[i] - KEYS / 6, 2) / (KEYS / 6);
    CHECK(chi < 20.5);
    CHECK(count[0] + count[4] + count[8] == 0);
    /* neighbours of a large one go to places that have nothing to do with each other */
    double sum = 0;
    for (uint64_t i = 0; i < 10000; i++)
        sum += ((double)pn_permuted(i, 10000, 3) - 4999.5) * ((double)pn_permuted((i + 1) % 10000, 10000, 3) - 4999.5);
    CHECK_NEAR(sum / 10000 / (10000. * 10000 / 12), 0, 0.05);
}

int main(int argc, char **argv)
{
    const char *count = getenv("PINION_SOBOL_CHOICES");
    if (count) {
        print_choices(atoi(count));
        return 0;
    }
    CHECK_BEGIN(argc, argv);
    RUN(primitive_polynomials);
    RUN(choices_follow_the_rule);
    RUN(squares_are_filled);
    RUN(scrambled_points_are_a_net);
    RUN(scrambling_is_uniform);
    RUN(halton_fills_its_layers);
    RUN(permutations);
    return CHECK_END();
}
