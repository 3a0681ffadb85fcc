/* Many simulations at once, as learning code runs them: 256 copies of an arm, each led to a target of its own by a PD
 * law on top of the torques that hold it there. The states stay in the arrays that the caller owns. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <pinion/pinion.h>

enum { JOINTS = 6, COUNT = 256, SIZE = JOINTS * COUNT, STEPS = 4000 };

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
    pinion_batch *b = m ? pinion_batch_new(m, pinion_threads_available()) : NULL;
    static double q[SIZE], v[SIZE], target[SIZE], tau[SIZE]; /* [COUNT][JOINTS] each */
    double kp[JOINTS], kd[JOINTS];
    int good = b != NULL;
    if (!good) puts(m ? "out of memory" : err.message);

    /* everyone starts at rest, somewhere near its target */
    for (int s = 0; good && s < COUNT; s++) {
        good = !pinion_random(m, (uint64_t)s, target + s * JOINTS);
        for (int i = 0; i < JOINTS; i++) q[s * JOINTS + i] = target[s * JOINTS + i] + 0.5 * sin(s + i);
    }
    good = good && !pinion_batch_gravity(b, COUNT, target, tau);
    for (int i = 0; i < JOINTS; i++) {
        kp[i] = 300;
        kd[i] = 40;
    }

    if (good) {
        pinion_rollout r = pinion_rollout_default();
        r.method = PINION_STEP_SEMI_IMPLICIT;
        r.dt = 1e-3;
        r.steps = STEPS;
        r.tau = tau;
        r.q_target = target;
        r.kp = kp;
        r.kd = kd;

        /* in place: what comes out is where the next call begins */
        const double start = seconds();
        if (pinion_batch_rollout(b, COUNT, &r, q, v, q, v)) {
            puts(pinion_batch_message(b));
            good = 0;
        }
        const double time = seconds() - start;

        double worst = 0;
        for (int i = 0; i < SIZE; i++) worst = fmax(worst, fabs(q[i] - target[i]));
        printf("%d states, %d steps each: %.2g million steps a second\n", COUNT, STEPS, 1e-6 * COUNT * STEPS / time);
        printf("after %g s the farthest joint is %.1e rad from its target\n", 1e-3 * STEPS, worst);
        good = good && worst < 1e-3;
    }

    pinion_batch_free(b);
    pinion_model_free(m);
    return good ? 0 : 1;
}
