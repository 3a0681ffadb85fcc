/* Many states that step with contact on threads: the same bits on any number of them, and those of steps by hand. */
#include "check.h"
#include "contact/bodies.h"

enum { STATES = 13, STEPS = 250, BODIES = 3, NQ = 7 * BODIES, NV = 6 * BODIES };
static const double down[3] = {0, 0, -10};

static void start(double *q, double *v, double *tau)
{
    uint64_t seed = check_seed;
    for (int i = 0; i < STATES * BODIES; i++) {
        double *own = q + 7 * i, size = 0;
        for (int k = 0; k < 4; k++) own[k] = check_between(&seed, -1, 1);
        for (int k = 0; k < 4; k++) size += own[k] * own[k];
        for (int k = 0; k < 4; k++) own[k] /= sqrt(size);
        for (int k = 4; k < 6; k++) own[k] = check_between(&seed, -0.1, 0.1);
        own[6] = 0.25 + 0.35 * (i % BODIES);
        for (int k = 0; k < 6; k++) v[6 * i + k] = check_between(&seed, -2, 2);
        for (int k = 0; k < 6; k++) tau[6 * i + k] = check_between(&seed, -0.5, 0.5);
    }
}

TEST(any_number_of_threads)
{
    const body list[BODIES] = {{PINION_SHAPE_BOX, {0.2, 0.2, 0.1}, 1, 0.01, 0.5, 0},
                               {PINION_SHAPE_CAPSULE, {0.05, 0.2, 0}, 2, 0.01, 0.5, 0.3},
                               {PINION_SHAPE_CONE, {0.1, 0.2, 0}, 1, 0.01, 0.5, 0}};
    pinion_model *m = bodies_model(BODIES, list, down);
    static double q0[STATES * NQ], v0[STATES * NV], tau[STATES * NV], q[9][STATES * NQ], v[9][STATES * NV];
    pinion_scene *scene[8];
    pinion_work *work[8];
    pinion_scene_options o = pinion_scene_options_default();
    pinion_status status[STATES];
    pinion_error err;
    o.ground = 1;
    for (int t = 0; t < 8; t++) {
        scene[t] = pinion_scene_new(m, &o, &err);
        work[t] = pinion_work_new(m);
        CHECK(scene[t] && work[t]);
    }
    start(q0, v0, tau);
    /* by hand, the last state first */
    memcpy(q[0], q0, sizeof q0);
    memcpy(v[0], v0, sizeof v0);
    for (int i = STATES - 1; i >= 0; i--)
        for (int k = 0; k < STEPS; k++) {
            double a[NV], *own = q[0] + NQ * i, *speed = v[0] + NV * i;
            CHECK_STATUS(pinion_forward_dynamics(m, work[0], own, speed, tau + NV * i, NULL, a), PINION_OK);
            CHECK_STATUS(pinion_scene_step(scene[0], work[0], 1e-3, own, speed, a, own, speed, NULL), PINION_OK);
        }
    for (int threads = 1; threads <= 8; threads++) {
        const pinion_scene_rollout r = {STATES, STEPS, 1e-3, q[threads], v[threads], tau, status};
        memcpy(q[threads], q0, sizeof q0);
        memcpy(v[threads], v0, sizeof v0);
        CHECK_STATUS(pinion_scene_roll(threads, scene, work, &r), PINION_OK);
        CHECK(memcmp(q[threads], q[0], sizeof q0) == 0 && memcmp(v[threads], v[0], sizeof v0) == 0);
    }
    CHECK(memcmp(q[0], q0, sizeof q0) != 0);

    /* a state that cannot be fails alone, and is told */
    q0[NQ * 5] = 3;
    const pinion_scene_rollout r = {STATES, STEPS, 1e-3, q0, v0, tau, status};
    CHECK_STATUS(pinion_scene_roll(4, scene, work, &r), PINION_ERR_QUATERNION);
    for (int i = 0; i < STATES; i++) {
        CHECK_STATUS(status[i], i == 5 ? PINION_ERR_QUATERNION : PINION_OK);
        CHECK(i == 5 ? isnan(q0[NQ * i]) : memcmp(q0 + NQ * i, q[0] + NQ * i, NQ * sizeof *q0) == 0);
    }
    CHECK_STATUS(pinion_scene_roll(0, scene, work, &r), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_scene_roll(1, scene, work, NULL), PINION_ERR_ARGUMENT);
    for (int t = 0; t < 8; t++) {
        pinion_scene_free(scene[t]);
        pinion_work_free(work[t]);
    }
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(any_number_of_threads);
    return CHECK_END();
}
