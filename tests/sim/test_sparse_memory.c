/* Making the sparse solver with memory running out, at every request of it and of KLU: a solver or an error, never
 * half of one, and nothing is left behind. */
#include "memory/exhaust.h"
#include "pinion/sim/sim.h"

static int attempt_new(void *context, pinion_error *err)
{
    pinion_sparse *s = pinion_sparse_new(context, err);
    alloc_work();
    pinion_sparse_free(s);
    return s != NULL;
}

TEST(memory_runs_out)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = pinion_n_four_bar(3, NULL);
    CHECK(m != NULL);
    if (m) exhaust(attempt_new, m, ONLY_MEMORY);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(memory_runs_out);
    return CHECK_END();
}
