/* Many states at once: inverse dynamics of 10 000 states in one call, beside the same in a loop of single
 * calls. The arrays are row-major, one state a row, as a numpy array is. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <pinion/pinion.h>

enum { JOINTS = 7, COUNT = 10000, SIZE = JOINTS * COUNT };

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    pinion_error err;
    pinion_model *m = pinion_random_chain(JOINTS, 1, &err);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    pinion_batch *b = m ? pinion_batch_new(m, 1) : NULL;
    static double q[SIZE], v[SIZE], a[SIZE], tau[SIZE], one[SIZE]; /* [COUNT][JOINTS] each */
    int good = w && b;
    if (!good) puts(m ? "out of memory" : err.message);

    /* states: some configuration, some velocity and acceleration */
    for (int s = 0; good && s < COUNT; s++) {
        good = !pinion_random(m, (uint64_t)s, q + s * JOINTS);
        for (int i = 0; i < JOINTS; i++) {
            v[s * JOINTS + i] = sin(s + i);
            a[s * JOINTS + i] = cos(2.0 * s + i);
        }
    }

    if (good) {
        /* one call for all */
        double start = seconds();
        if (pinion_batch_inverse_dynamics(b, COUNT, q, v, a, NULL, tau)) {
            printf("state %zu: %s\n", pinion_batch_failed_state(b), pinion_batch_message(b));
            good = 0;
        }
        const double together = seconds() - start;

        /* one call a state */
        start = seconds();
        for (int s = 0; s < SIZE && good; s += JOINTS)
            good = !pinion_inverse_dynamics(m, w, q + s, v + s, a + s, NULL, one + s);
        const double single = seconds() - start;

        /* they agree to rounding */
        double worst = 0, scale = 0;
        for (int i = 0; i < SIZE; i++) {
            worst = fmax(worst, fabs(tau[i] - one[i]));
            scale = fmax(scale, fabs(one[i]));
        }
        printf("%d lanes of %s: %.0f ns a state in a batch, %.0f ns alone\n", pinion_batch_lanes(b),
               pinion_batch_isa(b), 1e9 * together / COUNT, 1e9 * single / COUNT);
        printf("largest difference %.1e, largest torque %.3g\n", worst, scale);
        good = good && worst <= 1e-12 * scale;
    }

    pinion_batch_free(b);
    pinion_work_free(w);
    pinion_model_free(m);
    return good ? 0 : 1;
}
