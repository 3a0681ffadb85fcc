/* What all layers share: numbers that others publish, and results that stand where the arguments are. */
#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/vec3.h"
#include "check.h"

/* the first numbers of splitmix64 from the seed 1234567, as its authors' program prints them */
TEST(random_numbers_are_those_of_splitmix64)
{
    static const uint64_t known[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                     4593380528125082431u, 16408922859458223821u};
    uint64_t seed = 1234567, again = 1234567;
    for (int i = 0; i < 5; i++) CHECK(pn_random_bits(&seed) == known[i]);
    seed = again;
    for (int i = 0; i < 5; i++) {
        const double x = (double)(known[i] >> 11) / 9007199254740992.0;
        uint64_t same = seed, other = seed;
        CHECK(pn_random_unit(&seed) == x && pn_random_signed(&same) == 2 * x - 1);
        CHECK(pn_random_between(&other, 3, 7) == 3 + 4 * x && seed == same && seed == other);
    }
}

TEST(fnv1a_of_its_authors_examples)
{
    CHECK(pn_fnv1a(PN_FNV1A, "", 0) == 0xcbf29ce484222325u);
    CHECK(pn_fnv1a(PN_FNV1A, "a", 1) == 0xaf63dc4c8601ec8cu);
    CHECK(pn_fnv1a(pn_fnv1a(PN_FNV1A, "foo", 3), "bar", 3) == 0x85944171f73967e8u);
}

TEST(vectors_in_place)
{
    const double a[3] = {1, 2, 3}, b[3] = {-4, 5, 6}, R[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    double y[3] = {1, 2, 3}, turn[9];
    pn_cross3(y, b, y);
    CHECK(y[0] == -3 && y[1] == -18 && y[2] == 13);
    CHECK(pn_dot3(a, b) == 24 && pn_dot(3, a, b) == 24 && pn_dot(0, a, b) == 0);
    memcpy(y, a, sizeof y);
    pn_turn3(R, y, y);
    CHECK(y[0] == -2 && y[1] == 1 && y[2] == 3);
    pn_turn3_back(R, y, y);
    CHECK(memcmp(y, a, sizeof y) == 0);
    /* a quarter turn about z, of a quaternion that is not of unit length */
    pn_quaternion_matrix((const double[4]){3, 0, 0, 3}, turn);
    CHECK(check_error(turn, R, 9, 1) < 1e-15);
}

TEST(characters)
{
    CHECK(pn_utf8_length("") == 0 && pn_utf8_length("a") == 1 && pn_utf8_length("\xc3\xa9") == 2);
    CHECK(pn_utf8_length("\xe2\x86\x92") == 3 && pn_utf8_length("\xf0\x9f\xa4\x96") == 4);
    /* stray, cut, longer than needed, surrogate, beyond the last */
    static const char *const bad[] = {"\x80",         "\xc3",         "\xe2\x86",        "\xc0\xaf",
                                      "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK(pn_utf8_length(bad[i]) == 0);
    CHECK(pn_utf8_is_control("\n") && pn_utf8_is_control("\x7f") && pn_utf8_is_control("\xc2\x85"));
    CHECK(!pn_utf8_is_control(" ") && !pn_utf8_is_control("\xc2\xa0") && !pn_utf8_is_control("\xc3\xa9"));
}

TEST(text_that_grows)
{
    pn_text t = {0};
    for (int i = 0; i < 1000; i++) pn_text_add(&t, "%d,", i % 10);
    pn_text_bytes(&t, "a\0b", 3);
    CHECK(t.length == 2003 && t.at[2003] == '\0' && memcmp(t.at + 1998, "9,a\0b", 5) == 0 && !t.failed);
    pn_text_free(&t);
    CHECK(!t.at && !t.length);
    /* more than there is: nothing is added from then on, and nothing is given out */
    pn_text_append(&t, "x");
    CHECK(!pn_text_reserve(&t, SIZE_MAX / 2) && t.failed);
    pn_text_append(&t, "y");
    CHECK(t.length == 1);
    CHECK(pn_text_take(&t) == NULL && !t.at && !t.failed);
    char *empty = pn_text_take(&t);
    CHECK(empty && !*empty);
    free(empty);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(random_numbers_are_those_of_splitmix64);
    RUN(fnv1a_of_its_authors_examples);
    RUN(vectors_in_place);
    RUN(characters);
    RUN(text_that_grows);
    return CHECK_END();
}
