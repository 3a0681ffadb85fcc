/* A batch on all processors, in columns, with one state that is wrong: the others are computed, and the bits do not
 * depend on the number of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pinion/pinion.h>

enum { COUNT = 20000, WRONG = 1234 };

int main(void)
{
    pinion_error err;
    pinion_model *m = pinion_random_tree(8, 1, 4, &err); /* on a free base: q has quaternions */
    if (!m) {
        puts(err.message);
        return 1;
    }
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m);
    pinion_batch *b = pinion_batch_new(m, 1);
    double *q = calloc(COUNT * nq, sizeof *q), *state = calloc(nq, sizeof *state);
    double *one = calloc(COUNT * nv, sizeof *one), *many = calloc(COUNT * nv, sizeof *many);
    pinion_status *status = calloc(COUNT, sizeof *status);
    int good = b && q && state && one && many && status;

    /* columns: coordinate i of all states side by side; one quaternion is twice too long */
    for (size_t s = 0; good && s < COUNT; s++) {
        good = !pinion_random(m, s, state);
        for (size_t i = 0; i < nq; i++) q[i * COUNT + s] = (s == WRONG ? 2 : 1) * state[i];
    }
    good = good && !pinion_batch_set_layout(b, PINION_LAYOUT_COLUMNS) && !pinion_batch_set_status(b, status);

    /* gravity on one thread, then on as many as there are processors */
    good = good && pinion_batch_gravity(b, COUNT, q, one) == PINION_ERR_QUATERNION;
    good = good && !pinion_batch_set_threads(b, pinion_threads_available());
    good = good && pinion_batch_gravity(b, COUNT, q, many) == PINION_ERR_QUATERNION;
    if (good) printf("%d threads; %s\n", pinion_batch_threads(b), pinion_batch_message(b));

    /* only that state is lost, and the bits are the same */
    for (size_t s = 0; good && s < COUNT; s++) good = !status[s] == (s != WRONG);
    good = good && isnan(many[WRONG]) && !isnan(many[WRONG + 1]) && !memcmp(one, many, COUNT * nv * sizeof *one);
    puts(good ? "all other states are computed, with the same bits" : "that went wrong");
    free(q);
    free(state);
    free(one);
    free(many);
    free(status);
    pinion_batch_free(b);
    pinion_model_free(m);
    return good ? 0 : 1;
}
