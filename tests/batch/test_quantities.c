/* Every row of the table of calls gives in a batch what it gives for one state, in both precisions: a quantity that is
 * added is here by itself. */
#include "identity/identity.h"

enum { STATES = 19, MANY = 256, LARGEST = 20 };
static int models;
static int compared[MANY]; /* results of each quantity */

#define PN_IN_BOTH "batch/quantities.inc"
#include "both.h"

static void check_both(subject *s)
{
    if (s->nv > LARGEST) return; /* Hessians grow with the square */
    models++;
    pinion_batch *b = pinion_batch_new(s->m, 1);
    CHECK(b != NULL);
    compare_quantities(s, b);
    compare_quantities_f32(s, b);
    pinion_batch_free(b);
}

TEST(every_quantity_of_the_table)
{
    CHECK(pinion_quantity_count() <= MANY);
    for_random_trees(1, 1, check_both);
    for (int q = 0; q < pinion_quantity_count(); q++) CHECK(compared[q] > 0);
    printf("       %d models; those of more than %d velocities are left out\n", models, LARGEST);
}

/* what is out of range is refused */
TEST(numbers_and_names)
{
    pinion_error err;
    pinion_model *m = pinion_random_chain(2, check_seed, &err);
    pinion_work *w = pinion_work_new(m);
    pinion_batch *b = pinion_batch_new(m, 1);
    pinion_quantity_call x = {0};
    pinion_quantity_info info;
    CHECK_STATUS(pinion_quantity_run(m, w, -1, &x), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_quantity_run(m, w, pinion_quantity_count(), &x), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_quantity_run(m, w, 0, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_batch_quantity_run(b, 1, -1, &x), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_batch_quantity_run(b, 1, 0, NULL), PINION_ERR_ARGUMENT);
    CHECK(pinion_quantity_find("com") >= 0);
    CHECK(pinion_quantity_find("nothing") == -1 && pinion_quantity_find(NULL) == -1);
    CHECK_STATUS(pinion_quantity(pinion_quantity_find("jacobian"), &info), PINION_OK);
    CHECK(info.takes_frame && info.outputs == 1 && strcmp(info.output[0].shape, "[6][nv]") == 0);
    size_t dims[3];
    CHECK(pinion_quantity_size(m, pinion_quantity_find("hessian"), 0, dims) == 24);
    CHECK(dims[0] == 6 && dims[1] == 2 && dims[2] == 2);
    pinion_batch_free(b);
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(every_quantity_of_the_table);
    RUN(numbers_and_names);
    return CHECK_END();
}
