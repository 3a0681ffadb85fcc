/* A batch gives what the single calls give: every function, both precisions, every instruction set this CPU
 * has, any number of states, and the same bits wherever in the batch a state is. */
#include "calls.h"

#define STATES 33
#define SHIFT 5

static double worst[2][CALL_COUNT]; /* of double, of float */

#define PN_IN_BOTH "batch/equal.inc"
#include "both.h"

static void check_both(subject *s)
{
    pinion_batch *b = pinion_batch_new(s->m, 1);
    CHECK(b != NULL && pinion_batch_lanes(b) >= 1 && pinion_batch_lanes_f32(b) >= pinion_batch_lanes(b));
    CHECK(strlen(pinion_batch_isa(b)) > 0);
    check_batch(s, b);
    check_batch_f32(s, b);
    pinion_batch_free(b);
}

TEST(batches_equal_single_calls)
{
    for_some_trees(30, check_both);
    for_bundled_models(1, check_both);
}

/* the back ends that pinion_batch_new does not choose here but may elsewhere */
static void check_instruction_sets(subject *s)
{
    const pn_backend *f64[8], *f32[8];
    const int count = pn_backends(sizeof(double), f64, 8), count32 = pn_backends(sizeof(float), f32, 8);
    CHECK(count == count32);
    for (int i = 0; i < count && i < count32; i++) {
        pinion_batch *b = pn_batch_new_with(s->m, f64[i], f32[i]);
        check_batch(s, b);
        check_batch_f32(s, b);
        pinion_batch_free(b);
    }
}
TEST(every_instruction_set_equals_single_calls)
{
    for_some_trees(30, check_instruction_sets);
}

/* ---- another model of the same structure ---- */

static void check_set_model(subject *s)
{
    const double g[3] = {1, 2, 3};
    pinion_model *copy = pinion_model_copy(s->m);
    pinion_batch *b = pinion_batch_new(s->m, 1);
    double *before = take(s, s->nv), *after = take(s, s->nv), *expected = take(s, s->nv);
    FINE(s, pinion_model_set_gravity(copy, g));
    FINE(s, pinion_batch_gravity(b, 1, s->q, before));
    FINE(s, pinion_batch_set_model(b, copy));
    FINE(s, pinion_batch_gravity(b, 1, s->q, after));
    FINE(s, pinion_gravity(copy, s->w, s->q, expected));
    CLOSE(s, after, expected, s->nv, scale_of(s, C_GRAVITY), 1e-12);
    FINE(s, pinion_batch_set_model(b, s->m));
    FINE(s, pinion_batch_gravity(b, 1, s->q, after));
    CHECK(!memcmp(after, before, (size_t)s->nv * sizeof *after));

    pinion_model *other = pinion_random_chain(s->nv + 1, 1, NULL);
    CHECK_STATUS(pinion_batch_set_model(b, other), PINION_ERR_MISMATCH);
    CHECK_STATUS(pinion_batch_set_model(b, NULL), PINION_ERR_ARGUMENT);
    FINE(s, pinion_batch_gravity(b, 1, s->q, after));
    CHECK(!memcmp(after, before, (size_t)s->nv * sizeof *after));
    pinion_model_free(other);
    pinion_batch_free(b);
    pinion_model_free(copy);
}
TEST(a_batch_can_change_to_an_edited_copy)
{
    for_some_trees(30, check_set_model);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(batches_equal_single_calls);
    RUN(every_instruction_set_equals_single_calls);
    RUN(a_batch_can_change_to_an_edited_copy);
    for (int precision = 0; precision < 2; precision++) {
        int at = 0;
        for (int call = 0; call < CALL_COUNT; call++)
            if (worst[precision][call] > worst[precision][at]) at = call;
        printf("    worst error in %s: %.2g, %s\n", precision ? "float" : "double", worst[precision][at],
               calls[at].name);
    }
    return CHECK_END();
}
