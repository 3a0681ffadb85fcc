/* pinion_dynamics_terms gives what the separate calls give, for every choice of what is wanted and both
 * precisions. Both sum the same numbers in another order at most: 1e-12 of the scale in double, thousands of
 * eps, and 2e-5 in float. */
#include "identity.h"

#define JACOBIANS 4

#define PN_IN_BOTH "identity/terms.inc"
#include "both.h"

static void for_terms(subject_check check)
{
    for_random_trees(1, 1, check);
    for_random_chains(1, 1, check);
    for_bundled_models(2, check);
}

TEST(terms_equal_the_separate_calls)
{
    for_terms(check_terms);
}
TEST(terms_equal_the_separate_calls_f32)
{
    for_terms(check_terms_f32);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(terms_equal_the_separate_calls);
    RUN(terms_equal_the_separate_calls_f32);
    return CHECK_END();
}
